/* Asking before a foreign store runs anything; see trust.h. */
#include "command/trust.h"

#include "store/store.h"

bool trust_case(const char *path, int64_t id, bool trust, Error *err) {
    Store *store = store_open(path, STORE_READ, err);
    Arena arena = { 0 };
    Case c;
    KnownCompiler known = { 0 };
    bool ok = store && store_case_get(store, &arena, id, &c, err);
    if (ok && !store_is_own(store)) {
        store_compiler_get(store, &arena, arena_cstr(&arena, c.compiler), &known, NULL);
        ok = store_may_run(store, trust,
                           arena_fmt(&arena, "%.100s %.200s%s%.150s",
                                     arena_cstr(&arena, c.compiler), arena_cstr(&arena, c.flags),
                                     known.build.len ? "; " : "", arena_cstr(&arena, known.build)),
                           err);
    }
    store_close(store);
    arena_release(&arena);
    return ok;
}

bool trust_all(const char *path, bool trust, Error *err) {
    Store *store = store_open(path, STORE_READ, err);
    bool ok = store && (store_is_own(store) ||
                        store_may_run(store, trust, "the compilers and builds of its cases", err));
    store_close(store);
    return ok;
}
