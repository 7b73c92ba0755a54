/* A bulk step for C and C++ with headers expanded: the few items that the failure needs, and what
 * these need by their names, found by halving.
 *
 * Kalhauge and Palsberg, Binary reduction of dependency graphs (ESEC/FSE 2019): where every subset
 * that is tried contains what its members depend on, most candidates compile, and halving finds the
 * items that matter in a few tests each, in place of a delta debugger's thousands. Here an item is
 * what stands at the top or inside of namespaces and `extern "C"`, `main` is needed to begin with,
 * and the order is that of the text: as little of it is used before it is declared, an end of it
 * that nothing needs can always go. What cannot go with the end becomes needed, and so on.
 *
 * Names are words here (scopes, overloads and templates are not resolved), with one exception,
 * without which a program with one container would need all of them: of several functions or
 * specialisations with one name only those are needed whose own types are needed otherwise. A wrong
 * guess costs some tests, never the result. */
#ifndef CULPRIT_REDUCE_BULK_NEEDED_H
#define CULPRIT_REDUCE_BULK_NEEDED_H

#include "reduce/reducer.h"

/* The failing program alone. Returns the steps taken; the document is fresh afterwards. */
size_t reduce_needed(Reducer *r);

#endif
