/* The store: cases, campaigns, known compilers and the steps of investigations, in one SQLite file
 * or in a PostgreSQL database that many machines share.
 *
 * Call order: store_open, anything, store_close. A Store belongs to one thread; open one for each.
 * Every function that writes is one transaction: everything is stored when it returns true, and
 * nothing otherwise; killing culprit at any moment loses nothing that was committed. Readers never
 * wait for writers, writers wait for each other (up to a minute), and just as long for a server
 * that went away: they retry until then, and fail with STATUS_LACKS after it. What is read is in
 * the given arena. On failure false (or NULL) and one line in err; a store opened with STORE_READ
 * refuses writes that way.
 *
 * Its logic is written once, in SQL that both understand (sql.h). */
#ifndef CULPRIT_STORE_STORE_H
#define CULPRIT_STORE_STORE_H

#include "base/base.h"

typedef struct Store Store;

typedef enum StoreMode {
    STORE_READ,  /* the file must be there; a read-only file or file system is fine */
    STORE_WRITE, /* created, with its directories, if it is missing */
} StoreMode;

/* What --store means when it is not given: CULPRIT_STORE, else cases.db in the user's data
 * directory for culprit. */
const char *store_default_path(Arena *arena, Error *err); /* NULL: the user has no home */
bool store_is_server(const char *path);                   /* the address of a database */
bool store_exists(const char *path);                      /* something was written there before */
/* path NULL: the default; postgresql://..: a database, with culprit's tables in a schema of their
 * own. A file that is not culprit's, is damaged or comes from a newer culprit is
 * refused; one from an older culprit is migrated by the first writer, and refused to readers, who
 * write nothing. */
Store *store_open(const char *path, StoreMode mode, Error *err);
void store_close(Store *store);             /* NULL is fine */
const char *store_path(const Store *store); /* for people: of an address, without a password */
double store_spent(const Store *store);     /* wall seconds that its caller has waited for it */
/* Reads the whole file for damage: for tests and repair. */
bool store_check(Store *store, Error *err);

/* ---- whose store it is ----
 *
 * A store names programs: compilers, their flags, how sources are built. Whoever wrote it chose
 * them, so only what the user's own culprit wrote is run without asking (store/ledger.h). Reading
 * and showing a foreign store is safe; before running anything from it, call store_may_run. */
bool store_is_own(Store *store);
/* True for an own store; with trust a foreign one becomes own. Else err says what would be run
 * (`what`, for people) and how to allow it. */
bool store_may_run(Store *store, bool trust, const char *what, Error *err);

/* clang-format off */
/* ---- JSON kept in a case ----
 *
 * The stages write these texts and the pages draw them. Missing members are not drawn; unknown ones
 * are kept and ignored. Lines count from 1. Scores are in 0..1, higher is more suspicious.
 *
 * snippets (hunt; an array, in the order of insertion):
 *   [{"id":1, "strategy":"tcb", "line":12, "function":"main", "text":"..", "needed":true}]
 *     line: where it begins in the variant; needed: false once minimisation showed it does not matter
 *
 * matrix (verdict per compiler and level, for the variant; an array):
 *   [{"compiler":"gcc-12", "version":"12.2.0", "level":"-O2", "verdict":"wrong", "detail":".."}]
 *     verdict: ok, crash, wrong, hang, link, rejected (as in Case.verdict); detail: one line or missing
 *
 * units (hunt: the variant cut into units, which are compiled apart and linked by compiler and flags):
 *   [{"compiler":"gcc-12", "flags":"-O1 -flto -w", "text":"..", "reduced":".."}]
 *     reduced: what reduce left of it, all units together; missing: not reduced
 *
 * versions (how far back it goes):
 *   {"failing":["gcc-11 11.3.0", ..], "passing":["gcc-12 12.2.0", ..]}
 *
 * rankings (isolate):
 *   {"failing":"gcc-11 -O2 -fno-..", "passing":"..", "search":"recbi", "seconds":61.0, "suspects":381,
 *    "witnesses":[{"id":1, "kind":"flag|pass|mutant|seed|pair|suite|counter", "label":"-fno-tree-vrp",
 *                  "distance":0.12, "program":".."}],
 *    "files":[{"rank":1, "name":"gcc/tree-vrp.c", "score":0.93, "covered":120, "witnesses":[1,4],
 *              "lines":[{"line":812, "score":1.0, "text":"  if (..)"}]}],
 *    "functions":[{"rank":1, "name":"visit_stmt", "file":"gcc/tree-vrp.c", "line":800, "score":0.97,
 *                  "covered":31}],
 *    "passes":[{"rank":1, "name":"vrp1", "score":1.0, "cures":true, "option":"-fdisable-tree-vrp1"}],
 *    "alone":[{"what":"seed|pair|flags|mutants", "files":[{"rank":1, "name":"..", "score":0.7}]}],
 *    "backtrace":[{"function":"fold_binary", "file":"gcc/fold-const.c", "line":9000}]}
 *     program: a witness's text, missing when it is the failing program; lines: the most suspicious ones
 *     in the order of the file, a few hundred at most; files, functions, passes: best first, a few dozen
 *     at most; alone: what one kind of witness would have ranked without the others
 *
 * explanations (explain):
 *   {"good":"v1", "bad":"v2", "test":"./t.sh", "outcome":"matched|partial|..", "seconds":10.0, "builds":31,
 *    "failure":{"text":"output byte 17 is '3', expected '2'", "file":"bc.y", "line":383},
 *    "roots":[{"id":"c3", "file":"bc.y", "old_line":383, "new_line":390, "diff":"@@ ..", "mark":"tested"}],
 *    "auxiliary":[as roots], "together":true where time ended before roots were told from the others,
 *    "tree":{"nodes":[{"id":"n0", "kind":"failure|cause|root", "mark":"proved|tested|suspected",
 *                      "title":"..", "changes":["c3"],
 *                      "steps":[{"file":"bc.y", "line":383, "function":"yyparse", "text":"return x;",
 *                                "bad":"16", "good":"-1", "change":"c3"}]}],
 *            "edges":[{"from":"n0", "to":"n1", "predicate":"x > 0", "file":"bc.y", "line":380,
 *                      "kind":"direct|indirect", "bad":"taken", "good":"not taken"}]}}
 *     diff: a unified hunk; steps in the order of the program; good, bad: the value seen in each run, as
 *     text, missing where there is none; edges lead from an effect to the cause that explains it */
/* clang-format on */

/* ---- cases ---- */

/* One bug with its best example. Str members may hold any bytes; empty means unknown. */
#define CASE_UNCONFIRMED "unconfirmed|"
typedef struct Case {
    int64_t id;       /* what users type; 1, 2, ..; 0: not stored yet */
    int64_t campaign; /* the campaign that found it; 0: none */
    double created;   /* first seen, seconds since 1970; set by the store when 0 */
    double updated;   /* last written or hit again; set by the store */
    uint64_t count;   /* how often it was hit; at least 1 */
    uint64_t
        size; /* bytes of the variant: the smaller example is the better one; set by the store */
    uint64_t number;         /* number of the seed it came from, within its campaign */
    uint64_t variant_number; /* which of the chained variants; 0: the seed itself failed */
    int64_t code;            /* exit status both programs must give */
    int64_t reduced_code;    /* the same of the reduced variant */

    /* short texts, in the row itself */
    Str compiler;   /* as the user calls it: "gcc-12" */
    Str version;    /* "12.2.0" */
    Str kind;       /* "gcc", "clang", "tcc", "pcc", "other" */
    Str target;     /* "x86_64-linux-gnu" */
    Str flags;      /* that fail, separated by single spaces: "-O2 -ftree-vectorize" */
    Str good_flags; /* that pass, the nearest known: "-O1"; empty: none known */
    Str verdict;    /* "crash", "wrong", "hang", "link", "rejected" */
    Str signature;  /* one line: ICE text and place, assertion, or what makes it go away */
    Str bucket;     /* unique key of the bug, made by hunt; empty: never merged with others; with
                       CASE_UNCONFIRMED before it when it may not be a bug */
    Str matters;    /* the flag or pass at the boundary: "-fno-tree-vrp", "vrp1" */
    Str seed_name;  /* where the seed came from: "csmith 1234", a path */
    Str title;      /* one line for people; empty: made from the others */

    /* large texts, each a BLOB of its own */
    Str seed;         /* the program that passes, preprocessed as hunt used it */
    Str variant;      /* the program that fails */
    Str input;        /* what both read on standard input */
    Str expected;     /* the right output of both */
    Str actual;       /* the wrong output, or the compiler's message */
    Str snippets;     /* JSON, above */
    Str reduced_seed; /* the smallest pair; reduced_seed is empty when one program was reduced */
    Str reduced_variant;
    Str reduced_expected; /* right output of the reduced variant; empty where it does not matter */
    Str units;            /* JSON, see above; empty: the program is compiled in one piece */
    Str matrix;           /* JSON, above */
    Str versions;         /* JSON, above */
    Str rankings;         /* JSON, above */
    Str explanations;     /* JSON, above */
    Str notes;            /* free text */
    Str tags;             /* the user's own words, one per line */
    Str undefined; /* why the program is undefined ("clang-19 -fsanitize=..: .."); empty: nothing
                      was found, or nothing was looked for */
    Str original;  /* the user's file before it was preprocessed; empty: it is the variant */
    Str aliases; /* buckets of cases merged into this one, one per line: set by store_case_merge */
} Case;

/* Adds c as a case of its own, or, where c->bucket is known, counts one more hit of that case: the
 * smaller variant (then the lower seed number, then the lower variant number) is kept as its
 * example, until it has a reduced pair. *id is the case; *is_new (may be NULL) whether it was
 * added. */
bool store_case_put(Store *store, const Case *c, int64_t *id, bool *is_new, Error *err);
/* Everything of a case. A case that is not there is STATUS_NO. */
bool store_case_get(Store *store, Arena *arena, int64_t id, Case *c, Error *err);

/* One member of a Case to set, by its name above: { "rankings", json }; code and reduced_code,
 * which are numbers, as text: { "reduced_code", store_number(&arena, 3) }. */
typedef struct CaseSet {
    const char *member;
    Str value;
} CaseSet;
Str store_number(Arena *arena, int64_t number);
/* Sets some members of a case, all or none: what belongs together (a reduced program, its output
 * and its exit status) is set by one call, or a crash leaves halves that do not fit. */
bool store_case_set(Store *store, int64_t id, const CaseSet *sets, size_t n, Error *err);
bool store_case_remove(Store *store, int64_t id, Error *err);
/* from is the same bug as into: its hits, notes and tags are added, later hits of its bucket count
 * for into, and it is gone. */
bool store_case_merge(Store *store, int64_t into, int64_t from, Error *err);

typedef enum CaseOrder {
    CASE_BY_ID,
    CASE_BY_COUNT,
    CASE_BY_SIZE,
    CASE_BY_UPDATED,
    CASE_BY_COMPILER
} CaseOrder;
typedef struct CaseFilter {
    const char *compiler; /* name exactly, or NULL */
    const char *verdict;  /* exactly, or NULL */
    const char *text;     /* somewhere in signature, matters, title or bucket; or NULL */
    const char *bucket;   /* exactly, or NULL */
    const char *tag;      /* one of its tags, or NULL */
    int64_t campaign;     /* 0: any */
    CaseOrder order;
    bool descending;
    size_t limit, offset; /* the page; limit 0: all */
} CaseFilter;
/* Cases without their large texts, a page of them; *total (may be NULL): how many match in all. */
bool store_case_list(Store *store, Arena *arena, const CaseFilter *filter, Case **cases, size_t *n,
                     uint64_t *total, Error *err);
/* Which large texts listed cases have: bit i of result[k] is set when case ids[k] has members[i]
 * ("reduced_variant", "rankings"). */
bool store_case_has(Store *store, const int64_t *ids, size_t n, const char *const *members,
                    size_t n_members, uint32_t *result, Error *err);

/* Everything of one store into another, of either kind: campaigns with what is done of them, cases,
 * steps. Repeatable: what was copied before is not counted again, what is new since is added; what
 * the other store has of a case already is left as it is. *cases: how many were new or had news. */
bool store_copy(Store *from, Store *to, uint64_t *cases, Error *err);

/* ---- campaigns ---- */

typedef struct CampaignTotals {
    uint64_t seeds;        /* seed numbers done */
    uint64_t programs;     /* seeds and variants that were compiled */
    uint64_t compilations; /* compiler runs under test */
    uint64_t runs;         /* compiled programs run */
    uint64_t rejected;     /* seeds refused (do not compile, not clean, too slow) */
    uint64_t findings;     /* verified failures, all hits counted */
    uint64_t buckets;      /* of these, new cases */
    double compiler_cpu_s; /* CPU time of the compilers under test */
    double total_cpu_s;    /* CPU time of everything */
    double wall_s;         /* wall time; summed over the workers in a SeedDone */
} CampaignTotals;

typedef struct Campaign {
    int64_t id;
    Str settings;   /* JSON; what makes two runs the same campaign */
    Str state;      /* "running", "stopped", "done" */
    Str progress;   /* the stage's own JSON, for resuming and for the page */
    double started; /* seconds since 1970 */
    double updated; /* last sign of life */
    CampaignTotals totals;
} Campaign;

/* The newest campaign with exactly these settings, or a new one. *is_new may be NULL. */
bool store_campaign_open(Store *store, Str settings, int64_t *id, bool *is_new, Error *err);
bool store_campaign_new(Store *store, Str settings, int64_t *id, Error *err);
bool store_campaign_get(Store *store, Arena *arena, int64_t id, Campaign *campaign, Error *err);
bool store_campaign_list(Store *store, Arena *arena, Campaign **campaigns, size_t *n, Error *err);
/* state or progress may be empty: left as it is. */
bool store_campaign_set(Store *store, int64_t id, Str state, Str progress, Error *err);

/* What one compiler under test took. */
typedef struct CompilerTiming {
    Str compiler, version; /* as in a Case */
    uint64_t compilations;
    double cpu_s;     /* of all of them */
    double slowest_s; /* of one */
} CompilerTiming;

/* The outcome of one seed number. */
typedef struct SeedDone {
    uint64_t number;       /* of the seed */
    CampaignTotals totals; /* what it adds; seeds, findings and buckets are set by the store */
    Str note;              /* why it was rejected, or JSON statistics; may be empty */
    const CompilerTiming *timings; /* what it adds, by compiler */
    size_t n_timings;
} SeedDone;
/* The one write of hunt's loop: the findings of a seed (each as by store_case_put, their campaign
 * and number set from the arguments) and the record that it is done, together or not at all. A
 * number that is already done changes nothing. ids and is_new have room for n, or are NULL. */
bool store_seed_done(Store *store, int64_t campaign, const SeedDone *done, const Case *findings,
                     size_t n, int64_t *ids, bool *is_new, Error *err);
/* The numbers that are done, ascending. */
bool store_seeds_done(Store *store, Arena *arena, int64_t campaign, uint64_t **numbers, size_t *n,
                      Error *err);
bool store_seed_get(Store *store, Arena *arena, int64_t campaign, uint64_t number, SeedDone *done,
                    Error *err);

/* The campaign over time, in steps that get longer as it gets older; written by store_seed_done.
 */
enum { STORE_SAMPLE_S = 10 }; /* the first ones */
typedef struct Sample {
    double time;           /* seconds since 1970, start of the step */
    double width;          /* seconds of the step */
    CampaignTotals totals; /* what was added during the step */
    double coverage;       /* of the compiler, 0..1; negative: not known */
} Sample;
bool store_samples(Store *store, Arena *arena, int64_t campaign, Sample **samples, size_t *n,
                   Error *err);
/* Seconds of the step that begins so many seconds after the campaign. */
double store_sample_step(double age);
/* What each compiler took in all, the slowest a compilation first. */
bool store_timings(Store *store, Arena *arena, int64_t campaign, CompilerTiming **timings,
                   size_t *n, Error *err);
/* Coverage of the compiler as known now. */
bool store_coverage(Store *store, int64_t campaign, double coverage, Error *err);

/* ---- work that is shared ----
 *
 * A campaign's units are its seed numbers. Those that are laid out and not done are rows; whoever
 * claims one holds it for a while, and renews it while he works. When he dies, it is free again: at
 * once for others on his machine, who see that he is gone, after that while for all. A unit that is
 * done (store_seed_done) is a unit no more. No two hold one at the same time; a worker that was out
 * of reach for longer than his while may find that somebody else does it, too: the first to be done
 * counts, and both give the same. */

/* This process as a worker: machine, process, and when it began, so that numbers that are used
 * again are told apart. */
Str store_worker(Arena *arena);

typedef struct UnitAsk {
    int64_t campaign;
    Str worker;     /* who asks */
    double lease_s; /* for so long */
    uint64_t limit; /* only numbers below it; 0: no limit */
    bool joined;    /* the plan's budget holds, and the campaign's state "running" */
} UnitAsk;
typedef enum UnitEnd {
    UNIT_CLAIMED,
    UNIT_WAIT, /* others hold what is left, or it was put off */
    UNIT_OVER, /* nothing is left to do */
    UNIT_SPENT /* time or CPU of the plan are used up, or the campaign was stopped */
} UnitEnd;
/* The lowest number that is free. *tries: how often it was claimed, this time included. */
bool store_unit_claim(Store *store, const UnitAsk *ask, uint64_t *number, uint64_t *tries,
                      UnitEnd *end, Error *err);
/* It is free again, but for nobody before so many seconds are over. */
bool store_unit_release(Store *store, int64_t campaign, uint64_t number, double later_s,
                        Error *err);
/* Frees what those held who were on this machine and are gone; with put_off, what was put off. */
bool store_units_reap(Store *store, int64_t campaign, bool put_off, Error *err);
/* Whether units below the limit (0: the plan's) are left to do. */
bool store_units_left(Store *store, int64_t campaign, uint64_t limit, bool *left, Error *err);

/* What a campaign is that others join: how it is hunted, and what it may cost in all. */
typedef struct CampaignPlan {
    Str request;       /* JSON of the stage's own */
    bool mixed;        /* other versions of its compilers may take part */
    uint64_t programs; /* seeds; 0: no limit */
    double ends;       /* seconds since 1970; 0: no limit */
    double cpu_s;      /* of all workers; 0: no limit */
} CampaignPlan;
bool store_plan_put(Store *store, int64_t campaign, const CampaignPlan *plan, Error *err);
/* STATUS_NO: the campaign has none. */
bool store_plan_get(Store *store, Arena *arena, int64_t campaign, CampaignPlan *plan, Error *err);

typedef struct CampaignWorker {
    Str worker, host;
    Str state; /* "working", "waiting", "ended" */
    Str words; /* the last line it said */
    uint64_t cores;
    double started, seen;  /* seconds since 1970 */
    CampaignTotals totals; /* what it did */
} CampaignWorker;
/* A sign of life: what is known of it is replaced, and all it holds is held for lease_s more. */
bool store_worker_seen(Store *store, int64_t campaign, const CampaignWorker *worker, double lease_s,
                       Error *err);
/* The latest first. */
bool store_workers(Store *store, Arena *arena, int64_t campaign, CampaignWorker **workers,
                   size_t *n, Error *err);

/* ---- known compilers (culprit compilers) ---- */

typedef struct KnownCompiler {
    Str name;    /* what users type; unique */
    Str path;    /* the driver, absolute */
    Str kind;    /* "gcc", "clang", "tcc", "pcc", "other" */
    Str version; /* as the compiler reports it */
    Str target;
    Str coverage;    /* build directory of an instrumented build (.gcno inside); empty: none */
    Str coverage_cc; /* the instrumented compiler (cc1, tcc) */
    Str good_source; /* source directory of a version that is right, and of one that is wrong:
                        explain */
    Str bad_source;
    Str build; /* how these sources are built: a command line */
} KnownCompiler;
bool store_compiler_put(Store *store, const KnownCompiler *compiler,
                        Error *err);                                    /* replaces by name */
bool store_compiler_remove(Store *store, const char *name, Error *err); /* STATUS_NO: not there */
/* STATUS_NO when there is none of that name. */
bool store_compiler_get(Store *store, Arena *arena, const char *name, KnownCompiler *compiler,
                        Error *err);
bool store_compiler_list(Store *store, Arena *arena, KnownCompiler **compilers, size_t *n,
                         Error *err);

/* ---- steps of an investigation ---- */

typedef struct CaseStep {
    int64_t id_case; /* the case */
    Str name;        /* "snippets", "reduce", "isolate", "versions", "explain" */
    Str state;  /* "running", "done", "stopped" (interrupted or out of time: what there is is kept,
                   and it continues from there), "failed", "skipped" */
    Str result; /* one line for people, or JSON */
    double started; /* seconds since 1970 */
    double ended;   /* 0: not yet */
} CaseStep;
/* Replaces the step of that name. */
bool store_step_put(Store *store, const CaseStep *step, Error *err);
/* In the order in which they were first put. */
bool store_steps(Store *store, Arena *arena, int64_t id_case, CaseStep **steps, size_t *n,
                 Error *err);

/* Cases whose steps are not all done or skipped, shared by workers as a campaign's units are. */
typedef struct CaseAsk {
    Str worker;       /* who asks */
    double lease_s;   /* for so long */
    const char *only; /* the step that counts; NULL: all of them */
    uint64_t steps;   /* of those that count, for a case to be finished */
    int64_t id;       /* this case and no other, finished or not; 0: any */
} CaseAsk;
/* The first that nobody holds, or the one named. UNIT_WAIT: others hold what is left (or the one);
 * UNIT_OVER: nothing is. */
bool store_backlog_claim(Store *store, const CaseAsk *ask, int64_t *id, UnitEnd *end, Error *err);
/* A sign of life: what the worker holds it holds for lease_s more. */
bool store_backlog_hold(Store *store, Str worker, double lease_s, Error *err);
/* It is finished, or gone. */
bool store_backlog_done(Store *store, int64_t id, Error *err);
/* It is free again, but for nobody before so many seconds are over. */
bool store_backlog_release(Store *store, int64_t id, double later_s, Error *err);
/* Whatever was put off is free at once. */
bool store_backlog_again(Store *store, Error *err);

/* A number that changes with every transaction, the same on every connection: for live pages. */
uint64_t store_generation(Store *store);
/* Seconds since 1970. */
double store_time(void);

#endif
