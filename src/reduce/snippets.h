/* The snippets a mutation put into the variant, as the exact edit script: before any tree
 * difference, whole snippets are undone, any number at once. hunt does this itself for the cases it
 * stores; here it is for the variants of `culprit mutate`, whose JSON file lists them with their
 * places. */
#ifndef CULPRIT_REDUCE_SNIPPETS_H
#define CULPRIT_REDUCE_SNIPPETS_H

#include "reduce/reducer.h"

typedef struct ReduceSnippet {
    uint64_t id;           /* its number in the list it came from */
    size_t begin, end;     /* bytes of the variant; end 0: not found there */
    Str strategy;          /* fcb, tg, tcb, .. */
    Str function;          /* that it is in; may be empty */
    const uint64_t *needs; /* ids of those it is inside: it goes with them */
    size_t n_needs;
    bool needed; /* after reduce_snippets: undoing it alone makes the variant pass */
} ReduceSnippet;
typedef VEC(ReduceSnippet) ReduceSnippets;

/* From the text of a JSON file: mutate's object with "snippets", or a case's array. Snippets
 * without a place (a case's) are looked for by their text. Memory in the arena. */
bool snippets_read(Arena *arena, Str json, const char *name, Str variant, ReduceSnippets *out,
                   Error *err);
/* Undoes what does not matter. Only at the start, while the variant is the one their places refer
 * to. Returns the steps taken. */
size_t reduce_snippets(Reducer *r, ReduceSnippets *snippets);
/* "3 of 14 snippets matter: fcb 1, tcb 2 (func_1, main)": one line. */
void snippets_say(const ReduceSnippets *snippets, Buf *out);

#endif
