/* Equivalent variants of a C program: the mutation engine behind `culprit mutate` and `culprit
 * hunt`.
 *
 * A chain is opened on one preprocessed seed (see preprocess.h) and the output it must give. Each
 * mutate_next profiles the newest variant, inserts snippets at sampled points and returns the next
 * variant, which grows from the one before (Hermes, Algorithm 1). Everything random comes from the
 * chain's seed number: the same text and options give the same variants, byte for byte.
 *
 *     MutateChain *chain = mutate_open(text, &options, &err);
 *     for (unsigned i = 0; i < 10 && mutate_next(chain, &variant, &err); i++)
 *         ... variant.text, variant.snippets ...
 *     mutate_close(chain);
 *
 * One profile can give several variants (mutate_sibling): other snippets at the same points, for
 * compilers so quick that profiling would take most of the time. The chain continues from the last
 * one.
 *
 * A variant is the seed with a set of snippets; any subset of the snippets, rendered by
 * mutate_render, is equivalent to the seed too. A snippet inside the text of another one needs it:
 * it is left out when the other one is. */
#ifndef CULPRIT_VARIANT_MUTATE_H
#define CULPRIT_VARIANT_MUTATE_H

#include "cc/compiler.h"

typedef enum Strategy {
    STRATEGY_FCB,      /* if/while that is never entered, around a random body (Hermes) */
    STRATEGY_TG,       /* an executed statement guarded by a predicate that always holds (Hermes) */
    STRATEGY_TCB,      /* an executed block that changes variables and restores them (Hermes) */
    STRATEGY_IDENTITY, /* e becomes e + e0, e0 known to be 0 */
    STRATEGY_ORION,    /* a statement that never runs is deleted */
    STRATEGY_BORROW,   /* e becomes e + e0, e0 of calls of functions of other programs (Creal) */
    STRATEGY_ATHENA,   /* insertion and deletion where nothing runs, guided by MCMC */
    STRATEGY_COUNT
} Strategy;

#define STRATEGY_BIT(s) (1u << (s))
#define STRATEGIES_HERMES                                                                          \
    (STRATEGY_BIT(STRATEGY_FCB) | STRATEGY_BIT(STRATEGY_TG) | STRATEGY_BIT(STRATEGY_TCB))

const char *strategy_name(Strategy strategy); /* "fcb", "tg", .. */
/* "fcb,tg,tcb,identity,orion,borrow,athena" or "hermes", "all": a set of bits. Bad names give an
 * error. */
bool strategies_parse(Str list, unsigned *set, Error *err);

typedef struct MutateOptions {
    const char *name;    /* of the program, in messages; NULL: "seed" */
    uint64_t seed;       /* all randomness of the chain */
    unsigned strategies; /* bits; 0: STRATEGIES_HERMES */
    double probability;  /* that a point is profiled and mutated; 0: HUNT_PROFILE_PROBABILITY */
    double run_limit_s;  /* wall clock of one instrumented run; 0: HUNT_PROFILE_LIMIT_S */
    Str expected;      /* what the seed prints; at.NULL: not known, the first profiled run tells */
    int expected_code; /* its exit status */
    const char *const *flags;    /* NULL-ended -I, -D, -w for parsing and compiling; NULL: none */
    const Compiler *gcc, *clang; /* of a foreign target: they record the values, and their target is
                                    what the program is read for; NULL: this machine's own */
    const struct Lender *lender; /* functions to borrow (borrow/borrow.h); NULL: the seed's own, if
                                    STRATEGY_BORROW is switched on */
    bool plain;                  /* plain C17, without builtins and __int128: for tcc, pcc */
    bool no_lanes;               /* no builtins over vectors: gcc before 12 */
    bool no_reals; /* no floating point; flags that change what it means say so, too */
} MutateOptions;

typedef struct Snippet {
    unsigned id;    /* its number in the chain, from 0; stays the same in later variants */
    unsigned round; /* the variant that brought it, from 1 */
    Strategy strategy;
    Str function;  /* the function it is in */
    unsigned line; /* of `begin` in this variant's text, from 1 */
    size_t begin,
        end;  /* byte range in this variant's text; a guard's range holds the statement too */
    Str text; /* what was inserted; a guard's two halves with " ... " between; deleted text for
                 orion */
    const unsigned *needs; /* ids it stands in: left out with them */
    size_t needs_len;
} Snippet;

typedef struct Variant {
    unsigned round;   /* 1 for the first */
    unsigned sibling; /* of this round: 0 for the first */
    Str text;         /* the whole program */
    const Snippet
        *snippets; /* all of the chain so far, by id, including those hidden by later deletions */
    size_t snippets_len;
    unsigned fresh; /* how many are new in this round; 0: no sampled point ran, text is unchanged */
} Variant;          /* memory belongs to the chain and is valid until mutate_close */

typedef struct MutateCost {
    double parse_s, compile_s, run_s,
        synth_s; /* CPU of the last mutate_next: reading the program,
                    compiling the instrumented one, running it, the rest */
} MutateCost;
static inline double mutate_cost_sum(const MutateCost *c) {
    return c->parse_s + c->compile_s + c->run_s + c->synth_s;
}

typedef struct MutateChain MutateChain;

/* NULL and err when the text does not parse, does something for which no equivalent variant can be
 * promised (signal handlers, setjmp, threads, inline assembly, clocks ..: the message says what),
 * or has no main. text is copied. */
MutateChain *mutate_open(Str text, const MutateOptions *options, Error *err);
/* The next variant. False with err on failure (the chain can only be closed then). */
bool mutate_next(MutateChain *chain, Variant *variant, Error *err);
/* Another variant of the same round, replacing the last one, which can no longer be rendered. Call
 * it only after a successful mutate_next. */
void mutate_sibling(MutateChain *chain, Variant *variant);
/* The variant's text with only those snippets i with keep[i] (variant->snippets_len flags). */
void mutate_render(MutateChain *chain, const Variant *variant, const bool *keep, Buf *out);
/* Where the snippets are in that text (to[i] == 0: not there); arrays of snippets_len. */
void mutate_places(MutateChain *chain, const Variant *variant, const bool *keep, size_t *from,
                   size_t *to);
MutateCost mutate_cost(const MutateChain *chain);
void mutate_close(MutateChain *chain);

#endif
