/* A case of the store as a failure that can be asked again (cc/repro.h): the one way from Case to
 * Repro, for every stage, command and page. */
#ifndef CULPRIT_STORE_CASE_REPRO_H
#define CULPRIT_STORE_CASE_REPRO_H

#include "cc/repro.h"
#include "store/store.h"

typedef enum CaseWhich {
    CASE_BEST,  /* the reduced program where there is one */
    CASE_FOUND, /* as it was found */
} CaseWhich;

/* Texts are the case's own or in arena. What is right: the case's passing flags, else another
 * installed compiler. STATUS_BAD: the case has no program, no compiler or no valid verdict, or its
 * units cannot be read. */
bool case_repro(Arena *arena, const Case *c, CaseWhich which, Repro *out, Error *err);
/* The passing program that goes with it, in the same state; empty: there is none. */
Str case_passing(const Case *c, CaseWhich which);

#endif
