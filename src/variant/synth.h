/* Synthesis over an environment: predicates of a wanted truth value (Algorithm 2) and expressions
 * without undefined behaviour, bottom up with speculative execution over value sets (Algorithm 3).
 *
 * Every expression comes with its type and an over-approximation of its values: all results over
 * all combinations of the values of its leaves. Texts are fully parenthesised. */
#ifndef CULPRIT_VARIANT_SYNTH_H
#define CULPRIT_VARIANT_SYNTH_H

#include "base/rng.h"
#include "variant/env.h"
#include "variant/kernel/dyadic.h"

typedef struct Synth {
    Rng *rng;
    Arena *arena;                /* texts and value sets of what is made */
    bool plain;                  /* no builtins, no __int128: some compiler under test lacks them */
    const struct Lender *lender; /* functions of other programs (borrow.h); NULL: none */
    bool hot;                    /* the point runs often: nothing that takes long */
    bool no_lanes;               /* no builtins over vectors */
    bool no_reals;               /* no floating point: the program's options change what it means */
} Synth;

typedef struct SynExpr {
    Str text;
    IType type; /* never a bit-field wider than int */
    ValueSet set;
} SynExpr;

/* An expression over at most HUNT_LEAVES paths of env; a constant when env is empty. */
SynExpr syn_expr(Synth *s, const Env *env);
SynExpr syn_constant(Synth *s, IType type); /* any value of the type */
SynExpr syn_value(Synth *s, IVal value);    /* this value */
/* a op b; false where that is undefined for some values, or has too many results. */
bool syn_binary(Synth *s, IBinary op, const SynExpr *a, const SynExpr *b, SynExpr *out);
/* Compares e with a constant: never true. */
Str syn_never(Synth *s, const SynExpr *e);
/* A condition that is always `expected` over env (which must not be empty), of depth 0..depth. */
Str syn_pred(Synth *s, const Env *env, bool expected, unsigned depth);
/* The same with a depth drawn from 0..HUNT_PREDICATE_DEPTH. */
Str syn_predicate(Synth *s, const Env *env, bool expected);
/* A condition that is false over the variable's values, and true for nearly every other one: where
 * it holds, something computed the variable wrongly. */
Str syn_differs(Synth *s, const EnvVar *var);
/* The values after `target = e`, and after `target op= e` (false when that is undefined somewhere).
 */
ValueSet syn_stored(Synth *s, IType target, const SynExpr *e);
/* ---- synth_real.c: through floating point, where nothing is rounded ---- */
/* (long)((double)a * (double)b), (float)a < (float)b, (int)((double)a / 4) and the like; false:
 * inexact for some values, or too many results. */
bool syn_real(Synth *s, const SynExpr *a, const SynExpr *b, SynExpr *out);
/* Whether every value of e is a number of the type. */
bool syn_real_holds(const SynExpr *e, RealKind kind);
bool syn_compound(Synth *s, IBinary op, const EnvVar *target, const SynExpr *e, ValueSet *set);

#endif
