/* From a verified failure to a case: the flag or pass it depends on, the versions that fail, and
 * the key of its bucket. */
#ifndef CULPRIT_HUNT_BUCKET_H
#define CULPRIT_HUNT_BUCKET_H

#include "hunt/minimise.h"
#include "store/store.h"

/* Fills c for the store; subject is the minimised failing program, needed says which of the
 * variant's snippets it has (NULL: the program is the seed). */
void bucket_case(Arena *arena, const Trialled *in, const Failure *failure,
                 const HuntProgram *subject, const uint8_t *needed, Case *c);

#endif
