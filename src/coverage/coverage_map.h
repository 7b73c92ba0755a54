/* What a build with coverage knows about itself: all .gcno files of a directory, read once, as one
 * numbering of statements; and how one run's counters become the set of statements it covered.
 *
 * A statement is a line of a source file that some block has. It is covered when gcov would print a
 * nonzero count for it. A run's counters come from the mapping of runtime/coverage.c, or from .gcda
 * files below a GCOV_PREFIX directory.
 *
 * Order: covmap_load, covmap_set_layout where the compiler has the runtime, then covmap_read_* for
 * each run. Not thread-safe. */
#ifndef CULPRIT_COVERAGE_COVERAGE_MAP_H
#define CULPRIT_COVERAGE_COVERAGE_MAP_H

#include "coverage/bits.h"
#include "coverage/coverage_program.h"
#include "coverage/gcov_notes.h"

#include <sys/types.h>

typedef struct CovFile {
    Str name;              /* as shown: relative to the directory all the project's files share */
    Str path;              /* absolute */
    bool suspect;          /* .c, .cc, .cpp, .cxx, .C, .md, .pd, not generated: only these are
                              ranked */
    uint32_t first, count; /* its statements: stmts[first .. first + count) */
} CovFile;

typedef struct CovStmt {
    uint32_t file, line;
    uint32_t function;            /* innermost function around it: functions[]; COV_NO_FUNCTION */
    uint32_t origin, origin_line; /* file and line it is ranked under: see origin.h */
} CovStmt;
enum { COV_NO_FUNCTION = UINT32_MAX };

/* A function as a stretch of source lines; instances of a template are one. */
typedef struct CovFunction {
    Str name; /* as in the notes; mangled in C++ */
    uint32_t file, start, end;
} CovFunction;

/* A function as compiled into one object file. */
typedef struct CovUnitFn {
    const GcovFunction *fn;
    uint32_t *stmt_at; /* per block: stmts[stmt_at[b] .. stmt_at[b + 1]) are covered with it */
    uint32_t *stmts;
    uint32_t unit;
} CovUnitFn;

/* One program that the notes' objects were linked into. A compiler may be two of them (LLVM's opt
 * and llc): most objects are in both, each time with counters of their own. */
typedef struct CovLinked {
    uint64_t mapping;     /* bytes of its mapped .bss */
    uint64_t *offsets;    /* per fn: of its counters in the mapping; COV_NOT_LINKED: not in it */
    CovProgram program;   /* those that are, compiled */
    VEC(uint32_t) solved; /* those that must be solved one by one: fns */
    const int64_t *image; /* .bss of the last run, mapped; NULL: not now */
    int file;             /* its file, open for covmap_counts; 0: none */
    off_t image_at;       /* where in the file it starts */
} CovLinked;
#define COV_NOT_LINKED UINT64_MAX
enum { COV_PROGRAMS = 2 };

typedef struct CovMap {
    Arena arena;
    GcovNotes *units;
    uint32_t n_units;
    CovFile *files;
    uint32_t n_files;
    CovStmt *stmts; /* sorted by file and line */
    uint32_t n_stmts;
    CovFunction *functions;
    uint32_t n_functions;
    CovUnitFn *fns; /* of all units, one unit after the other */
    uint32_t n_fns;
    uint32_t *unit_fns; /* per unit: index of its first in fns; n_units + 1 of them */
    CovLinked linked[COV_PROGRAMS];
    uint32_t n_linked;      /* 0: no layout */
    VEC(CovExtent) extents; /* where the last file read has data; holes are zero */
    int64_t *blocks, *arcs; /* room for the largest function */
    int64_t **counters;     /* per fn: where its counters of the last run are; NULL: all zero */
    VEC(uint64_t) frames;   /* return addresses of the last run's internal error, innermost first */
    uint64_t bss;           /* where .bss was in the last run */
    uint32_t crashed;       /* which program the frames are of */
    bool from_image;        /* the last run was a mapping, not .gcda */
    Arena data;             /* of counters read from .gcda */
} CovMap;

/* Reads every .gcno below dir. Fails when there is none (STATUS_BAD: "no coverage") or one is
 * damaged. */
bool covmap_load(CovMap *map, const char *dir, Error *err);
/* The same for a ranking: without functions that clang compiled from headers. They are never
 * ranked, and each object has copies of its own: nine tenths of LLVM's notes. */
bool covmap_load_ranked(CovMap *map, const char *dir, Error *err);
void covmap_free(CovMap *map);
/* text: what CULPRIT_COVERAGE_LAYOUT wrote. Refuses a layout from another build: stamps and
 * checksums must match the notes. Each call adds a program: COV_PROGRAMS at most. */
bool covmap_set_layout(CovMap *map, Str text, Error *err);
/* Reads the mapping file of one run into bits (cleared first). Nobody may write to it any more: a
 * file truncated while it is read would kill culprit. It stays open for covmap_counts until the
 * next read. */
bool covmap_read_mapping(CovMap *map, int fd, const char *path, Bits *bits, Error *err);
/* After that, for a compiler of two programs: adds what the second one covered. */
bool covmap_read_second(CovMap *map, int fd, const char *path, Bits *bits, Error *err);
/* Reads the NAME.gcda files below prefix (laid out as GCOV_PREFIX does) into bits. */
bool covmap_read_gcda(CovMap *map, const char *prefix, Bits *bits, Error *err);
/* Line counts of the last run read: per unit as gcov has them, summed over units, one entry for
 * each statement; counts has n_stmts entries. */
void covmap_counts(CovMap *map, int64_t *counts);
/* The function's name for people: "f" for "_Z1fv.cold", "A::b" for "_ZN1AIiE1bEv"; in the arena. */
Str covmap_show_name(Arena *arena, Str name);

#endif
