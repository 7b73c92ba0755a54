/* Value sets and environments; see env.h. */
#include "variant/env.h"

static int compare_bits(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

ValueSet values_from(Arena *arena, const uint64_t *at, size_t len) {
    uint64_t *copy = arena_copy(arena, at, len * sizeof *at);
    qsort(copy, len, sizeof *copy, compare_bits);
    uint32_t n = 0;
    for (size_t i = 0; i < len; i++)
        if (n == 0 || copy[n - 1] != copy[i]) copy[n++] = copy[i];
    return (ValueSet){ copy, n };
}

bool values_has(ValueSet set, uint64_t bits) {
    return bsearch(&bits, set.at, set.len, sizeof *set.at, compare_bits) != NULL;
}

void env_copy(Env *to, const Env *from) {
    vec_clear(&to->vars);
    for (size_t i = 0; i < from->vars.len; i++) vec_push(&to->vars, from->vars.at[i]);
}

void env_release(Env *env) {
    vec_release(&env->vars);
}

int env_find(const Env *env, Str text) {
    for (size_t i = 0; i < env->vars.len; i++)
        if (str_eq(env->vars.at[i].text, text)) return (int)i;
    return -1;
}

static bool share_object(const Reach *a, const Reach *b) {
    for (uint32_t i = 0; i < a->objects_len; i++)
        for (uint32_t j = 0; j < b->objects_len; j++)
            if (a->objects[i] == b->objects[j]) return true;
    return false;
}

/* Two direct paths overlap only when they are the same, or members of one union; only one member of
 * a union of the program is ever in an environment, and a whole aggregate is not a path. Through a
 * pointer the object decides. */
bool env_overlaps(const EnvVar *a, const EnvVar *b) {
    if (str_eq(a->text, b->text)) return true;
    if (a->reach.shared && a->reach.shared == b->reach.shared) return true;
    if (a->reach.root && b->reach.root) return false;
    return share_object(&a->reach, &b->reach);
}

void env_assign(Env *env, const EnvVar *var, ValueSet set) {
    EnvVar stored = *var;
    stored.set = set;
    size_t kept = 0;
    for (size_t i = 0; i < env->vars.len; i++)
        if (!env_overlaps(&stored, &env->vars.at[i])) env->vars.at[kept++] = env->vars.at[i];
    env->vars.len = kept;
    vec_push(&env->vars, stored);
}
