/* Environments: which values each path can have at a point (the paper's Env, section 4.1).
 *
 * A path is an lvalue of integer type written as C text: a variable, a member, an element by a
 * constant index, or what a certainly valid pointer points to. Its value set holds every value
 * seen there in the whole run: sets are never cut short, a path with too many values is not in
 * the environment. Objects are numbered by the profiler's table of globals, so that stores through
 * pointers know what they may hit. All memory comes from arenas; an Env is copied by env_copy
 * before it is changed. */
#ifndef CULPRIT_VARIANT_ENV_H
#define CULPRIT_VARIANT_ENV_H

#include "variant/eval.h"

typedef struct ValueSet {
    const uint64_t
        *at;      /* ascending by bits, no duplicates; values in IVal's form of the owner's type */
    uint32_t len; /* at least 1 for anything in an environment */
} ValueSet;

/* What a store to a path may change. */
typedef struct Reach {
    const void *root;        /* direct path: the CDecl it starts from; NULL: through a pointer */
    const uint32_t *objects; /* through a pointer: numbers of the globals it pointed to; direct path
                                of a global: its own number */
    uint32_t objects_len;    /* 0 for locals that no pointer leads to */
    const void *shared;      /* the union whose members share this memory; NULL: none */
} Reach;

typedef struct EnvVar {
    Str text;   /* the lvalue, ready to be used in any expression */
    IType type; /* with the width of a bit-field */
    ValueSet set;
    Reach reach;
    bool writable;    /* a block may change it (and restore it) */
    bool addressable; /* a pointer to it may be made */
} EnvVar;

typedef struct Env {
    VEC(EnvVar) vars;
} Env;

/* Values sorted, duplicates removed; copied into the arena. */
ValueSet values_from(Arena *arena, const uint64_t *at, size_t len);
bool values_has(ValueSet set, uint64_t bits);

void env_copy(Env *to, const Env *from);
void env_release(Env *env);
/* The path's index, or -1. */
int env_find(const Env *env, Str text);
/* Whether a store to a may change what b names. The same path reaches itself. */
bool env_overlaps(const EnvVar *a, const EnvVar *b);
/* A store to var: everything it may reach is removed, then var itself is added with the new values.
 */
void env_assign(Env *env, const EnvVar *var, ValueSet set);

#endif
