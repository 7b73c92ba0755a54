/* One isolation: the failing runs, the witnesses, what is known about the cause so far. Options
 * (options.h), the search over mutants (witness_search.h) and others add to it; rank.h reads it. */
#ifndef CULPRIT_ISOLATE_ISOLATION_H
#define CULPRIT_ISOLATE_ISOLATION_H

#include "base/live.h"
#include "coverage/symbols.h"
#include "isolate/coverage_run.h"
#include "isolate/learn/quality.h"
#include "isolate/witness_judge.h"

typedef enum WitnessKind {
    WITNESS_FLAG,    /* the failing program with one optimisation less */
    WITNESS_PASS,    /* .. with one pass less */
    WITNESS_COUNTER, /* .. with one transformation less */
    WITNESS_MUTANT,
    WITNESS_SEED,  /* given: the seed of the variant, the other half of a pair */
    WITNESS_SUITE, /* a program of the compiler's test suite, or of a generator */
    WITNESS_KINDS,
} WitnessKind;
const char *
witness_kind_name(WitnessKind kind); /* as in the store: flag, pass, counter, mutant, seed, suite */

typedef struct Witness {
    unsigned id; /* 1, 2, .. */
    WitnessKind kind;
    Str label;   /* "-fno-tree-vrp", "-fdisable-tree-vrp1", "rule: replaced + by -" */
    Str program; /* empty: the failing program */
    Str hashed;  /* the same with a hash of its globals, if it was checked that way */
    Str cure;    /* the option that cures; empty for programs */
    Bits bits;
    double distance; /* to the failing run */
    unsigned order;  /* passes: their place in the pipeline, from 1; 0: not one */
} Witness;

typedef struct FailingRun {
    Bits bits;
    Str label;  /* "" for the given program, else what was changed */
    bool suite; /* a program of the test suite that fails the same way as the given one */
} FailingRun;

/* A switch that cures, whether or not its coverage was new. */
typedef struct Cure {
    Str option; /* "-fno-tree-vrp", "-fdisable-tree-vrp1", "-fdbg-cnt=vect_loop:0" */
    Str pass;   /* its pass, for people */
    WitnessKind kind;
    unsigned order;
} Cure;

/* What the failing run covers inside a single pass. */
typedef struct Window {
    Str pass;      /* "tree-fre5"; "last": the pass of the crash */
    Str effect_of; /* the flag or counter whose first effect is in this pass; empty: the pass itself
                      cures, or crashed */
    Bits in;
    unsigned order; /* of the pass in the pipeline */
} Window;

typedef struct IsolationStats {
    uint64_t mutants; /* made */
    uint64_t judged;
    uint64_t passed, failed, invalid, other;
    uint64_t compiled;  /* compilations for options */
    uint64_t coverages; /* runs of the instrumented compiler */
    double coverage_s;  /* CPU seconds of those */
    double read_s;      /* CPU seconds of reading their counters */
    double judge_s;     /* CPU seconds of judging */
    uint64_t checked;   /* passing mutants that were checked strictly before being accepted */
    double check_s;     /* CPU seconds of that: sanitizers, hash of globals */
    double before_s; /* CPU seconds of culprit and everything it ran until the search over mutants
                        began */
    double made_s;   /* CPU seconds of making mutants, in this process */
} IsolationStats;

typedef struct Isolation Isolation;
struct Isolation {
    Subject *subject;
    Pool *pool;
    Arena arena;
    Live *live;
    uint64_t seed;
    bool cpu_clock;           /* time is CPU time of culprit and everything it runs, per worker */
    double started, deadline; /* isolation_now; deadline 0: none */
    uint64_t most_witnesses;
    bool twins; /* failing mutants are covered as well: the papers' ranking has no use for them */
    const CleanTools *clean; /* NULL: no sanitizers installed */
    unsigned skip;   /* sanitizers the failing program itself is not clean under (clean.h) */
    bool hash_tells; /* the failing program still fails with a hash of its globals, a good one
                        passes with it */
    const char *const *fail; /* failing options, as few optimisations as possible */
    StrVec alone;       /* files by rank when the passing half of a pair was the only witness */
    unsigned shortened; /* parts taken out of the given program (shorten.h) */
    Str given;          /* the program before that; empty: it was not changed */
    StrVec needed;      /* optimisations that were left on: "-ftree-vrp" */
    VEC(FailingRun) failing; /* [0]: the given program with `fail` */
    VEC(Witness) witnesses;
    VEC(Cure) cures;
    VEC(Window) windows; /* of the passes that cure, in order of the pipeline; of the crash */
    Bits until; /* everything up to and including the last pass that cures; no words: not known */
    Bits noise; /* crash: what only reports an error; no words: not known */
    Map codes;  /* what the failing program's code did, for witness_judge.h */
    Quality quality;
    const double *fixes; /* per file of the map: bugs that were closed by mending it
                            (coverage/changelog.h); NULL: not known */
    Str difference; /* how the build with coverage differs from the compiler that fails; empty: it
                       does not */
    StrVec
        frames; /* functions of the crash, innermost first; mangled where the runtime told them */
    Str crash_pass;  /* "during GIMPLE pass: .." */
    Symbols symbols; /* of the compiler with coverage, where it has culprit's runtime and crashes */
    uint32_t crashed; /* which of its programs does */
    IsolationStats stats;
    const char *doing;         /* what is going on, for the live line */
    void (*tick)(Isolation *); /* called now and then; may be NULL */
    void *ticking;             /* tick's own */
    double ended;              /* isolation_now at the end; 0: not ended yet */
};

void isolation_init(Isolation *iso, Subject *s, Pool *pool, Live *live, uint64_t seed);
void isolation_release(Isolation *iso);
void isolation_tick(Isolation *iso);
double isolation_now(const Isolation *iso); /* seconds, by the clock in use */
bool isolation_over(const Isolation *iso);  /* out of time, interrupted, enough witnesses */
/* Coverage of the given program under iso->fail: the first failing run, with the frames of its
 * crash; again for a program or options that have become smaller, before there are witnesses. The
 * build with coverage must fail as the compiler itself does: STATUS_NO where it does not; where it
 * merely generates different code, iso->difference says so. */
bool isolation_first_run(Isolation *iso, Error *err);
/* Right after a failing run's coverage was read: did it crash in the function the given program
 * crashes in? Checked only where the compiler dies of a signal without a message; else true. */
bool isolation_same_crash(Isolation *iso);
/* Statements that run only to report an error: those of a program with an error, without those of
 * an empty program. */
bool isolation_noise(Isolation *iso, Error *err);
/* Where no witness was found: the least of all programs is one. It is far from the failing one, but
 * what every compilation runs is hardly at fault. */
void isolation_last_resort(Isolation *iso);
/* Takes over bits. A witness with the same coverage as an earlier one is refused: false. */
bool isolation_add(Isolation *iso, Witness w);
void isolation_add_failing(Isolation *iso, Bits bits, Str label, bool suite);
/* Mean distance of bits to the existing witnesses (1 when there are none), and the least one. */
double isolation_distance(const Isolation *iso, const Bits *bits, double *least);
/* The distance that counts: over the failing run's statements only where it is cut short by a
 * crash. */
double isolation_to_failing(const Isolation *iso, const Bits *bits);

#endif
