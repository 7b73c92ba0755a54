/* The way from counters to covered statements, compiled: what covmap_read_mapping runs for each
 * run.
 *
 * For each linked function, the steps of gcov_flow.h become sums over counters and earlier sums,
 * with copies resolved and everything dropped that no statement needs; the statements are listed
 * per sum. All of it lies in three arrays in the order of the counters in memory, so that one run
 * is one pass over them. Gives the same bits as solving the flow (tests/isolate compares them). */
#ifndef CULPRIT_COVERAGE_PROGRAM_H
#define CULPRIT_COVERAGE_PROGRAM_H

#include "bits.h"
#include "gcov_notes.h"

/* A stretch of the image that has data, in 64-bit words. */
typedef struct CovExtent {
    uint64_t from, to;
} CovExtent;

/* One function's part. */
typedef struct CovPart {
    uint32_t counter; /* its first counter: image[counter] as 64-bit words */
    uint32_t n_counters;
    uint32_t code;  /* its code: see coverage_program.c */
    uint32_t stmts; /* its first statement in CovProgram.stmts */
} CovPart;

typedef struct CovProgram {
    VEC(CovPart) parts;
    VEC(uint16_t) code;
    VEC(uint32_t) stmts;
    int64_t *values; /* room for the values of the largest function */
} CovProgram;

/* Adds a function; parts must come in the order of their counters. stmt_at and stmts as in
 * CovUnitFn. False: too large for this form (it must be solved the long way). */
bool covprogram_add(CovProgram *program, const GcovFunction *fn, uint32_t counter,
                    const uint32_t *stmt_at, const uint32_t *stmts);
void covprogram_finish(CovProgram *program);
/* Sets the bits of all statements covered; image: the counters, all zero outside the extents
 * (sorted). */
void covprogram_run(const CovProgram *program, const int64_t *image, const CovExtent *extents,
                    size_t n_extents, Bits *bits);
void covprogram_release(CovProgram *program);

#endif
