/* Programs no variant can be promised for: what a profile of one run cannot see, or what makes
 * otherwise harmless insertions visible. */
#ifndef CULPRIT_VARIANT_FITNESS_H
#define CULPRIT_VARIANT_FITNESS_H

#include "cfront/cfront.h"

/* Which functions may be mutated: refused (in the arena) is indexed by CFunction.index. What only
 * one function does (inline assembly, setjmp) refuses that one; what it promises (restrict,
 * attributes such as pure) refuses it with all it calls. False with the first reason (STATUS_NO)
 * when the whole program is no seed for mutation. */
bool fitness_check(const CUnit *unit, Arena *arena, bool **refused, Error *err);
/* The same of a seed as it is, for whether its output may depend on the optimiser: what only
 * insertions would disturb is let pass. text is preprocessed. */
bool fitness_of_seed(Str text, Error *why);

#endif
