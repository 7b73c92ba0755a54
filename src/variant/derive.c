/* Preprocess, open a chain, derive; see derive.h. */
#include "variant/derive.h"

#include "variant/preprocess.h"

static bool derive(const MutateRequest *request, MutateResult *result, Error *err) {
    Str text;
    const char *const *flags = request->options.flags;
    if (!preprocess_seed(&result->arena, request->path, flags, &text, err)) return false;
    MutateOptions options = request->options;
    options.name = request->path;
    result->chain = mutate_open(text, &options, err);
    if (!result->chain) return false;
    size_t snippets = 0;
    for (unsigned i = 0; i < request->count; i++) {
        Derived d;
        if (!mutate_next(result->chain, &d.variant, err)) return false;
        d.cost = mutate_cost(result->chain);
        snippets = d.variant.snippets_len;
        vec_push(&result->variants, d);
    }
    return snippets || !request->count ||
           err_set(err, STATUS_NO, "%s: no sampled point could be mutated", request->path);
}

bool mutate_run(const MutateRequest *request, MutateResult *result, Error *err) {
    *result = (MutateResult){ 0 };
    if (derive(request, result, err)) return true;
    mutate_result_release(result);
    return false;
}

void mutate_result_release(MutateResult *result) {
    if (result->chain) mutate_close(result->chain);
    vec_release(&result->variants);
    arena_release(&result->arena);
}
