/* reduce: the smallest failing program, and the smallest difference to a passing one.
 *
 * The stage: a ReduceRequest holds everything that is asked for, a ReduceResult everything that is
 * printed, stored or shown. Nothing outlives a call; it can be called again in the same process. */
#ifndef CULPRIT_REDUCE_REDUCE_H
#define CULPRIT_REDUCE_REDUCE_H

#include "reduce/ask/property.h"
#include "reduce/reducer.h"

typedef struct ReduceFile {
    const char *name; /* its path in the directory that a test runs in */
    const char *path; /* where it is: changed in place, with a backup; NULL: it is not a file */
    Str text;
    bool unit; /* is compiled; else only included */
} ReduceFile;

typedef struct ReduceRequest {
    /* SEED: the program that passes; no files: there is none. VARIANT: the one that fails. A file
     * of both has the same name on both sides. */
    const ReduceFile *files[SIDES];
    size_t n_files[SIDES];
    const Str *start[SIDES]; /* texts to begin with, file by file: what an earlier run left; NULL */
    ReduceTest test;
    Str snippets; /* JSON: what was inserted into the variant (snippets.h); may be empty */
    const char *snippets_name; /* for messages */
    const char *lang,
        *grammar;       /* a language by its name, a grammar's library; NULL: by file name */
    bool text;          /* no language: lines and words */
    const char *dir;    /* results go there; NULL: in place */
    const char *method; /* "ppr", "dd", "ddmin" */
    const char *order;  /* reducers of a round: t, l and c */
    uint64_t rounds;    /* of the loop at most; 0: until nothing shrinks */
    bool plain;         /* the published loop and nothing else */
    unsigned jobs;      /* concurrent tests; 0: all cores */
    double time_s;      /* stop after this long with the best so far; 0: no limit */
    bool quiet;         /* no progress on stderr */
} ReduceRequest;

/* Bytes of a text that the other side lacks. */
typedef struct ReduceMark {
    size_t from, to;
} ReduceMark;

typedef struct ReducedFile {
    Str name, text;
    const char *path; /* where it was written; NULL: nowhere */
    bool gone;        /* was dropped; then path is where it was */
    size_t tokens;
    ReduceMark *marks; /* pairs: what only this side has */
    size_t n_marks;
} ReducedFile;

typedef struct ReducedSide {
    ReducedFile *files;
    size_t n_files;
    size_t tokens, bytes; /* of all that are not gone */
} ReducedSide;

/* One place where the two programs differ. */
typedef struct ReducedEdit {
    Str deleted, inserted; /* text of the seed, of the variant */
    size_t seed_token, variant_token;
} ReducedEdit;

typedef struct ReduceResult {
    bool pair;
    ReducedSide side[SIDES];
    size_t difference; /* tokens, all files */
    ReducedEdit *edits;
    size_t n_edits;
    PhaseStats *phases;
    size_t n_phases;
    PhaseStats all;     /* their sum */
    double own_cpu_s;   /* culprit's own */
    bool sees_compiler; /* PhaseStats.rejected means something */
    bool flaky;         /* the test contradicted itself */
    bool verified;      /* the end was tested again, and holds */
    bool interrupted;   /* stopped by a signal */
    bool out_of_time;   /* stopped by time_s: another number of jobs may give another result */
    bool slipped;       /* turned into another bug on the way, and went back */
    Str failure;        /* how it fails, one line; empty: a script does not say */
    bool has_right;     /* what the failing program should print and return: */
    Str right;
    int code;
    Str snippets; /* which of the snippets matter, one line; empty: none were given */
    Arena arena;  /* owns the texts */
} ReduceResult;

/* False and err: STATUS_NO when the start is not interesting, or the test changed its mind. Release
 * the result in any case. */
bool reduce_run(const ReduceRequest *request, ReduceResult *result, Error *err);
void reduce_release(ReduceResult *result);
/* Adds the figures of p, all but its names. */
void phase_add(PhaseStats *to, const PhaseStats *p);

#endif
