/* Programs for which equivalent variants cannot be promised: they do what a profile of one run
 * cannot see, or what makes otherwise harmless insertions visible. */
#ifndef CULPRIT_VARIANT_FITNESS_H
#define CULPRIT_VARIANT_FITNESS_H

#include "cfront/cfront.h"

/* Which functions may be mutated: refused (in the arena) is indexed by CFunction.index. What only
 * one function does (inline assembly, setjmp) refuses that function; what it promises (restrict,
 * attributes such as pure) refuses it with everything it calls. False with the first reason
 * (STATUS_NO) when the whole program cannot be mutated. */
bool fitness_check(const CUnit *unit, Arena *arena, bool **refused, Error *err);
/* The same for an unmutated seed, about whether its output may depend on the optimiser: what would
 * only interfere with insertions is allowed. text is preprocessed. */
bool fitness_of_seed(Str text, Error *why);

#endif
