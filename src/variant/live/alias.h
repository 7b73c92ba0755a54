/* New unions and new pointers of a block: what makes one object known under two names. Statements
 * for live_code.h; each keeps the environment right under both names. */
#ifndef CULPRIT_VARIANT_LIVE_ALIAS_H
#define CULPRIT_VARIANT_LIVE_ALIAS_H

#include "variant/live/live_code.h"

/* Two variables of a new union type, each with one member that holds a value. */
void alias_new_union(LiveCode *l);
/* A pointer to something that the block may change. */
void alias_new_pointer(LiveCode *l);
/* A store or a read through a pointer, a call of a new function with it, or an assignment of
 * another object to it; false when there is no pointer. */
bool alias_pointer_statement(LiveCode *l);
/* One union becomes a copy of the other; false when there is none. */
bool alias_copy_statement(LiveCode *l);

#endif
