/* Mutants of C programs made on their syntax alone, for compilers that must not crash.
 *
 *     Grafts *pool = grafts_new(&err);
 *     grafts_learn(pool, text_of_one_program);  ..  of many more
 *     while (graft_make(pool, program, &rng, &mutant)) .. compile mutant ..
 *     grafts_free(pool);
 *
 * A pool holds pieces of programs: expressions and statements whose free names are holes. To graft
 * is to put a piece into a program, its holes filled with names that are visible there and are used
 * in the same way (called, followed, subscripted, plain): so most mutants still compile. Other
 * rules change what is there: types (one, or the same everywhere), constants, operators,
 * attributes, what surrounds an expression or a statement.
 *
 * No front end is involved: programs that only one compiler understands (GCC's nested functions,
 * C23, new builtins) are mutated like any other. Mutants need not mean anything, and some do not
 * compile. Everything is a function of (pool, program, random stream); a pool that has finished
 * learning may serve several streams. */
#ifndef CULPRIT_PERTURB_GRAFT_H
#define CULPRIT_PERTURB_GRAFT_H

#include "base/base.h"
#include "base/rng.h"

typedef struct Grafts Grafts;

Grafts *grafts_new(Error *err); /* NULL: there is no grammar for C */
void grafts_free(Grafts *pool);
/* Takes pieces from a program. */
void grafts_learn(Grafts *pool, Str program);
size_t grafts_len(const Grafts *pool); /* pieces, each of its shape once */
/* One edit, drawn; the mutant's text replaces what is in out. rule: its name, for statistics. False
 * when nothing that was drawn applies. */
bool graft_make(const Grafts *pool, Str program, Rng *rng, Buf *out, const char **rule);

#endif
