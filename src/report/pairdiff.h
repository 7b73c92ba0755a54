/* The difference of a pair of programs as rows to be shown: lines side by side, and, within
 * differing lines, the tokens that differ. */
#ifndef CULPRIT_REPORT_PAIRDIFF_H
#define CULPRIT_REPORT_PAIRDIFF_H

#include "base/base.h"

/* A stretch of one line: marked when its tokens are only on this side. */
typedef struct PairSpan {
    Str text;
    bool marked;
} PairSpan;

typedef struct PairLine {
    size_t number;   /* from 1; 0: this side has no line here */
    PairSpan *spans; /* the line without its newline */
    size_t n_spans;
} PairLine;

typedef struct PairRow {
    bool same;        /* both sides are equal here */
    PairLine side[2]; /* passing, failing */
} PairRow;

typedef struct PairDiff {
    PairRow *rows;
    size_t len;
    size_t tokens; /* inserted plus deleted */
} PairDiff;

/* Memory is in the arena, texts are views of a and b. */
PairDiff pairdiff(Arena *arena, Str a, Str b);

#endif
