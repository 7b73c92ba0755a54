/* The way from counters to covered statements, compiled: covmap_read_mapping executes it for each
 * run.
 *
 * The count of every block is a sum of counters, each added or subtracted once (Kirchhoff's law on
 * a spanning tree). Where none is subtracted, a statement is covered as soon as one of its counters
 * is not zero: such statements are listed with each of their counters, so that the cost of a run is
 * proportional to its nonzero counters. Only where counters are subtracted is there anything to
 * compute, and then only if some of both kinds are not zero. Gives the same bits as solving the
 * flow (tests/isolate compares them).
 *
 * Order: covprogram_init, covprogram_add for each function in the order of their counters,
 * covprogram_finish; then covprogram_run for each run. */
#ifndef CULPRIT_COVERAGE_COVERAGE_PROGRAM_H
#define CULPRIT_COVERAGE_COVERAGE_PROGRAM_H

#include "coverage/bits.h"
#include "coverage/gcov_notes.h"

/* A stretch of the image that has data, in 64-bit words. */
typedef struct CovExtent {
    uint64_t from, to;
} CovExtent;

/* Statements that are covered together, out of 32 consecutive ones. */
typedef struct CovEntry {
    uint32_t word; /* index in a bit set seen as 32-bit words; COV_LIST + n: n of entries instead */
    uint32_t mask; /* which of the 32; the first of entries */
} CovEntry;
#define COV_LIST 0x80000000u

/* One function. */
typedef struct CovPart {
    uint32_t counter; /* its first counter: image[counter] as 64-bit words */
    uint32_t n_counters;
    uint32_t code; /* its sums: see coverage_program.c; they end where the next part's begin */
} CovPart;

typedef struct CovProgram {
    uint32_t n_blocks;  /* of 64 words each that the image has */
    uint64_t *counters; /* per block: which words are counters */
    uint64_t *ran;      /* per block: which counters are not zero, in the last run */
    CovEntry *covers;   /* per counter: what is covered when it is not zero; most have one entry */
    uint32_t end;       /* after the last counter */
    VEC(CovEntry) entries;
    VEC(CovPart) parts;     /* all functions */
    VEC(CovPart) with_sums; /* those of them that have sums with counters subtracted */
    VEC(uint32_t) code;     /* those sums, and what is covered when they are not zero */
    VEC(uint32_t) todo;     /* room for one stretch: lists or functions to look at */
    void *large;            /* covers, entries and code in large pages, once finished; or NULL */
    size_t large_size;
} CovProgram;

/* words: 64-bit words of the image, a multiple of 64. */
void covprogram_init(CovProgram *program, uint32_t words);
/* stmt_at and stmts as in CovUnitFn. False: not possible (clang's functions, very large ones): it
 * must be solved the long way whenever covprogram_ran says that it ran. */
bool covprogram_add(CovProgram *program, const GcovFunction *fn, uint32_t counter,
                    const uint32_t *stmt_at, const uint32_t *stmts);
void covprogram_finish(CovProgram *program);
/* Sets the bits of all statements covered; image: the counters, all zero outside the extents
 * (sorted). */
void covprogram_run(CovProgram *program, const int64_t *image, const CovExtent *extents,
                    size_t n_extents, Bits *bits);
/* Whether any of these counters was nonzero in the last run. */
bool covprogram_ran(const CovProgram *program, uint32_t counter, uint32_t n);
void covprogram_release(CovProgram *program);

#endif
