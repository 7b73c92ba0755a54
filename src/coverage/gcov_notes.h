/* Reader of .gcno, the notes a compiler leaves when it compiles with --coverage: the flow graph of
 * every function, which arcs carry a counter, which source lines a block has.
 *
 * Formats: GCC 8 to 14 (record lengths and strings in words up to 11, in bytes from 12 on) and
 * clang's (it calls itself 4.08: no working directory, block flags instead of a block count). Both
 * byte orders. Anything else is refused by version with one line. Foreign bytes: every count is
 * checked against what is left of the file, a truncated or hostile file is an error and nothing
 * more.
 *
 * Order: gcov_notes_read, then gcov_flow_plan (gcov_flow.h) makes the functions solvable. All
 * memory comes from the given arena and lives as long as the arena. */
#ifndef CULPRIT_COVERAGE_GCOV_NOTES_H
#define CULPRIT_COVERAGE_GCOV_NOTES_H

#include "base/base.h"

enum {
    GCOV_ARC_ON_TREE = 1,
    GCOV_ARC_FAKE = 2,
    GCOV_ARC_FALLTHROUGH = 4,
    GCOV_ARC_CLOSING = 1 << 30, /* ours: exit to entry, in clang's graphs only */
};
enum { GCOV_ENTRY = 0, GCOV_EXIT = 1 }; /* block numbers, in every format read here */

typedef struct GcovArc {
    uint32_t src, dst; /* block numbers */
    uint32_t flags;    /* GCOV_ARC_*; on the tree: no counter, its count is computed */
} GcovArc;

/* The lines one block has in one source file. */
typedef struct GcovLoc {
    uint32_t source; /* index in GcovNotes.sources */
    uint32_t first;  /* its lines: GcovFunction.lines[first .. first + count) */
    uint32_t count;
} GcovLoc;

typedef struct GcovBlock {
    uint32_t succ, n_succ; /* its arcs out: GcovFunction.arcs[succ ..], in the file's order */
    uint32_t pred, n_pred; /* its arcs in: GcovFunction.preds[pred ..] are arc numbers */
    uint32_t loc, n_locs;  /* its GcovFunction.locs */
} GcovBlock;

/* One step of a solution; gcov_flow.h says how they are made and replayed. */
typedef struct GcovStep {
    uint32_t kind;  /* enum GcovStepKind */
    uint32_t index; /* of the block, or of the arc, whose count it computes */
} GcovStep;

typedef struct GcovFunction {
    uint32_t ident;                         /* what .gcda and the runtime call it */
    uint32_t lineno_checksum, cfg_checksum; /* of the source and of the graph: must agree */
    Str name;                               /* assembler name (mangled in C++) */
    uint32_t source;                        /* file it is defined in: index in sources */
    uint32_t start_line, end_line;          /* of the definition; end_line 0: unknown (clang) */
    bool artificial;                        /* made by the compiler */
    bool group;                             /* one of several on the same line (templates) */
    GcovBlock *blocks;
    uint32_t n_blocks;
    GcovArc *arcs; /* sorted by source block, the file's order within */
    uint32_t n_arcs;
    uint32_t *preds;     /* arc numbers sorted by destination, n_arcs of them */
    uint32_t n_counters; /* arcs not on the tree: their order is the counters' order */
    GcovLoc *locs;
    uint32_t n_locs;
    uint32_t *lines;
    uint32_t n_lines;
    GcovStep *steps; /* by gcov_flow_plan */
    uint32_t n_steps;
} GcovFunction;

typedef struct GcovNotes {
    const char *path; /* of the .gcno */
    uint32_t version; /* as a number: 1202 for GCC 12.2, 408 for clang */
    bool llvm;        /* clang's: solved and counted as llvm-cov does */
    uint32_t stamp;   /* ties it to its .gcda */
    Str cwd;          /* where the compiler ran; empty for clang */
    Str *sources;     /* names as recorded, without duplicates */
    uint32_t n_sources;
    GcovFunction *functions;
    uint32_t n_functions;
} GcovNotes;

/* Reads the bytes of one .gcno; path is for messages. */
bool gcov_notes_read(Arena *arena, Str bytes, const char *path, GcovNotes *notes, Error *err);
/* The function with that ident, or NULL. */
GcovFunction *gcov_notes_find(const GcovNotes *notes, uint32_t ident);

/* ---- shared with the reader of .gcda: a cursor over foreign bytes ---- */
typedef struct GcovCursor {
    const unsigned char *at;
    size_t len, pos;
    bool swap;  /* the file has the other byte order */
    bool bytes; /* lengths and strings count bytes (GCC 12 on), else words of four */
    bool bad;   /* read past the end or nonsense: everything after it reads as 0 */
} GcovCursor;

enum {
    GCOV_MAGIC_NOTES = 0x67636e6f, /* "gcno" */
    GCOV_MAGIC_DATA = 0x67636461,  /* "gcda" */
    GCOV_TAG_FUNCTION = 0x01000000,
    GCOV_TAG_BLOCKS = 0x01410000,
    GCOV_TAG_ARCS = 0x01430000,
    GCOV_TAG_LINES = 0x01450000,
    GCOV_TAG_COUNTERS = 0x01a10000, /* arcs */
};
uint32_t gcov_u32(GcovCursor *cursor);
Str gcov_str(GcovCursor *cursor); /* a view into the bytes; empty for "no string" */
/* Magic and version: sets swap and bytes; err names the version that is not understood. */
bool gcov_cursor_open(GcovCursor *cursor, Str bytes, uint32_t magic, const char *path,
                      uint32_t *version, Error *err);

#endif
