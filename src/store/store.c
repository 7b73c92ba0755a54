/* The store's front: chooses the kind of database, refuses writes where they cannot be, and hands
 * everything else to the table of operations. */
#include "store/store.h"

#include "base/file.h"
#include "base/homes.h"
#include "store/ledger.h"
#include "store/store_ops.h"

#include <stdlib.h>
#include <time.h>

/* ---- the members of a case ---- */

#define SHORT(member) { #member, offsetof(Case, member), false }
#define LARGE(member) { #member, offsetof(Case, member), true }
const CaseMember case_members[] = {
    SHORT(compiler),     SHORT(version),         SHORT(kind),
    SHORT(target),       SHORT(flags),           SHORT(good_flags),
    SHORT(verdict),      SHORT(signature),       SHORT(bucket),
    SHORT(matters),      SHORT(seed_name),       SHORT(title),
    LARGE(seed),         LARGE(variant),         LARGE(input),
    LARGE(expected),     LARGE(actual),          LARGE(snippets),
    LARGE(reduced_seed), LARGE(reduced_variant), LARGE(reduced_expected),
    LARGE(matrix),       LARGE(versions),        LARGE(rankings),
    LARGE(explanations), LARGE(notes),           LARGE(units),
    LARGE(tags),         LARGE(undefined),       LARGE(original),
    LARGE(aliases),
};
const size_t case_member_count = COUNT_OF(case_members);

const CaseMember *case_member(const char *name) {
    for (size_t i = 0; i < case_member_count; i++)
        if (strcmp(case_members[i].name, name) == 0) return &case_members[i];
    return NULL;
}

/* ---- opening ---- */

const char *store_default_path(Arena *arena, Error *err) {
    const char *dir = home_of(arena, HOME_DATA, err);
    return dir ? file_join(arena, dir, "cases.db") : NULL;
}

/* The directory that is to hold path, made when it is not there. */
static bool make_parent(const char *path, Error *err) {
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path) return true;
    Arena arena = { 0 };
    bool ok = file_make_dirs(arena_cstr(&arena, (Str){ path, (size_t)(slash - path) }), err);
    arena_release(&arena);
    return ok;
}

/* It is written down as the user's. */
static bool make_own(Store *store, Error *err) {
    Arena arena = { 0 };
    Str key;
    bool ok = store->ops->key(store, &arena, &key, err) && ledger_add(key, store->path, err);
    arena_release(&arena);
    return ok;
}

Store *store_open(const char *path, StoreMode mode, Error *err) {
    Arena arena = { 0 };
    if (!path) path = store_default_path(&arena, err);
    Store *store = NULL;
    if (!path) return arena_release(&arena), NULL;
    if (strncmp(path, "postgres", 8) == 0 && strstr(path, "://"))
        err_set(err, STATUS_LACKS, "%s: this culprit keeps its store in SQLite files only", path);
    else if (file_is_dir(path))
        err_set(err, STATUS_BAD, "the store %s is a directory", path);
    else if (mode == STORE_READ && !file_exists(path))
        err_set(err, STATUS_BAD,
                "no store at %s yet; 'culprit hunt' makes it, --store names another", path);
    else if (mode == STORE_READ || make_parent(path, err))
        store = sqlite_store_open(path, mode, err);
    if (store && store->made) make_own(store, NULL); /* without a home, for this process alone */
    arena_release(&arena);
    return store;
}

void store_close(Store *store) {
    if (store) store->ops->close(store);
}

const char *store_path(const Store *store) {
    return store->path;
}

double store_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static bool may_write(const Store *store, Error *err) {
    return store->writable ||
           err_set(err, STATUS_BAD, "the store %s is open for reading only", store->path);
}

bool store_check(Store *store, Error *err) {
    return store->ops->check(store, err);
}

uint64_t store_generation(Store *store) {
    return store->ops->generation(store);
}

/* ---- whose it is ---- */

bool store_is_own(Store *store) {
    Arena arena = { 0 };
    Str key;
    bool own = store->ops->key(store, &arena, &key, NULL) && ledger_knows(key, store->path);
    arena_release(&arena);
    return own;
}

bool store_may_run(Store *store, bool trust, const char *what, Error *err) {
    if (store_is_own(store)) return true;
    if (trust) return make_own(store, NULL), true; /* where it cannot be kept: this once */
    Arena arena = { 0 };
    Error no_home = { 0 };
    bool home = home_of(&arena, HOME_CONFIG, &no_home) != NULL;
    arena_release(&arena);
    if (!home)
        return err_set(err, STATUS_LACKS,
                       "%s; so nobody knows whether the store %s is yours, and this would run what "
                       "it names: %.300s; --trust runs it",
                       no_home.text, store->path, what);
    return err_set(err, STATUS_BAD,
                   "the store %s was not written by you, and this would run what it names: %.500s; "
                   "look at it ('culprit show'), then allow it with --trust",
                   store->path, what);
}

/* ---- cases ---- */

bool store_case_put(Store *store, const Case *c, int64_t *id, bool *is_new, Error *err) {
    return may_write(store, err) && store->ops->case_put(store, c, id, is_new, err);
}

bool store_case_get(Store *store, Arena *arena, int64_t id, Case *c, Error *err) {
    return store->ops->case_get(store, arena, id, c, err);
}

Str store_number(Arena *arena, int64_t number) {
    return str_from(arena_fmt(arena, "%lld", (long long)number));
}

bool store_case_set(Store *store, int64_t id, const CaseSet *sets, size_t n, Error *err) {
    return may_write(store, err) && store->ops->case_set(store, id, sets, n, err);
}

bool store_case_remove(Store *store, int64_t id, Error *err) {
    return may_write(store, err) && store->ops->case_remove(store, id, err);
}

bool store_case_merge(Store *store, int64_t into, int64_t from, Error *err) {
    if (into == from) return err_set(err, STATUS_BAD, "a case cannot be merged with itself");
    return may_write(store, err) && store->ops->case_merge(store, into, from, err);
}

bool store_case_list(Store *store, Arena *arena, const CaseFilter *filter, Case **cases, size_t *n,
                     uint64_t *total, Error *err) {
    return store->ops->case_list(store, arena, filter, cases, n, total, err);
}

bool store_case_has(Store *store, const int64_t *ids, size_t n, const char *const *members,
                    size_t n_members, uint32_t *result, Error *err) {
    CHECK(n_members <= 32);
    return store->ops->case_has(store, ids, n, members, n_members, result, err);
}

/* ---- campaigns ---- */

bool store_campaign_open(Store *store, Str settings, int64_t *id, bool *is_new, Error *err) {
    if (!may_write(store, err) || !store->ops->campaign_find(store, settings, id, err))
        return false;
    if (is_new) *is_new = *id == 0;
    return *id || store->ops->campaign_new(store, settings, id, err);
}

bool store_campaign_new(Store *store, Str settings, int64_t *id, Error *err) {
    return may_write(store, err) && store->ops->campaign_new(store, settings, id, err);
}

bool store_campaign_get(Store *store, Arena *arena, int64_t id, Campaign *campaign, Error *err) {
    Campaign *found;
    size_t n = 0;
    if (id > 0 && !store->ops->campaign_list(store, arena, id, &found, &n, err)) return false;
    if (!n)
        return err_set(err, STATUS_NO, "there is no campaign %lld in %s", (long long)id,
                       store->path);
    *campaign = found[0];
    return true;
}

bool store_campaign_list(Store *store, Arena *arena, Campaign **campaigns, size_t *n, Error *err) {
    return store->ops->campaign_list(store, arena, 0, campaigns, n, err);
}

bool store_campaign_set(Store *store, int64_t id, Str state, Str progress, Error *err) {
    return may_write(store, err) && store->ops->campaign_set(store, id, state, progress, err);
}

bool store_seed_done(Store *store, int64_t campaign, const SeedDone *done, const Case *findings,
                     size_t n, int64_t *ids, bool *is_new, Error *err) {
    return may_write(store, err) &&
           store->ops->seed_done(store, campaign, done, findings, n, ids, is_new, err);
}

bool store_seeds_done(Store *store, Arena *arena, int64_t campaign, uint64_t **numbers, size_t *n,
                      Error *err) {
    return store->ops->seeds_done(store, arena, campaign, numbers, n, err);
}

bool store_seed_get(Store *store, Arena *arena, int64_t campaign, uint64_t number, SeedDone *done,
                    Error *err) {
    return store->ops->seed_get(store, arena, campaign, number, done, err);
}

bool store_samples(Store *store, Arena *arena, int64_t campaign, Sample **samples, size_t *n,
                   Error *err) {
    return store->ops->samples(store, arena, campaign, samples, n, err);
}

bool store_coverage(Store *store, int64_t campaign, double coverage, Error *err) {
    return may_write(store, err) && store->ops->coverage(store, campaign, coverage, err);
}

/* ---- compilers and steps ---- */

bool store_compiler_put(Store *store, const KnownCompiler *compiler, Error *err) {
    return may_write(store, err) && store->ops->compiler_put(store, compiler, err);
}

bool store_compiler_remove(Store *store, const char *name, Error *err) {
    return may_write(store, err) && store->ops->compiler_remove(store, name, err);
}

bool store_compiler_get(Store *store, Arena *arena, const char *name, KnownCompiler *compiler,
                        Error *err) {
    KnownCompiler *found;
    size_t n;
    if (!store->ops->compiler_list(store, arena, name, &found, &n, err)) return false;
    if (!n)
        return err_set(err, STATUS_NO, "no compiler '%s' is known; 'culprit compilers add' adds it",
                       name);
    *compiler = found[0];
    return true;
}

bool store_compiler_list(Store *store, Arena *arena, KnownCompiler **compilers, size_t *n,
                         Error *err) {
    return store->ops->compiler_list(store, arena, NULL, compilers, n, err);
}

bool store_step_put(Store *store, const CaseStep *step, Error *err) {
    return may_write(store, err) && store->ops->step_put(store, step, err);
}

bool store_steps(Store *store, Arena *arena, int64_t id_case, CaseStep **steps, size_t *n,
                 Error *err) {
    return store->ops->steps(store, arena, id_case, steps, n, err);
}
