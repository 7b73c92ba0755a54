/* From a request to a campaign, and back to a result; see hunt.h. */
#include "hunt/hunt.h"

#include "base/file.h"
#include "base/json.h"
#include "base/quantity.h"
#include "base/toolchain.h"
#include "cc/foreign.h"
#include "hunt/crash/stock.h"
#include "hunt/finding.h"
#include "hunt/plan.h"
#include "hunt/seed/kernels.h"

#include <math.h>
#include <sys/stat.h>

/* ---- compilers ---- */
static bool holds_path(const CompilerVec *list, const char *path) {
    for (size_t i = 0; i < list->len; i++)
        if (strcmp(list->at[i].path, path) == 0) return true;
    return false;
}

/* A name that `culprit compilers` knows is that compiler; others are looked up along PATH. */
static bool open_known(Arena *arena, Store *store, const char *name, Compiler *cc, Error *err) {
    KnownCompiler known;
    Error none = { 0 };
    bool is_known = store && store_compiler_get(store, arena, name, &known, &none);
    if (!compiler_open(arena, is_known ? arena_cstr(arena, known.path) : name, cc, err))
        return false;
    if (is_known) cc->name = name; /* else as compiler_open names it, from wherever we are called */
    return true;
}

static bool open_named(Arena *arena, Store *store, const StrVec *names, CompilerVec *out,
                       Error *err) {
    for (size_t i = 0; i < names->len; i++) {
        Compiler cc;
        if (!open_known(arena, store, names->at[i].at, &cc, err)) return false;
        if (!holds_path(out, cc.path)) vec_push(out, cc);
    }
    return true;
}

/* What the campaign's compilers compile for; "" where none is named. */
static const char *target_of(const HuntSetup *setup) {
    return setup->compilers.len ? setup->compilers.at[0].target : "";
}

/* A program has one meaning per target: no compiler of another one can say anything about it. */
static bool check_targets(const HuntRequest *r, const HuntSetup *setup, Error *err) {
    const CompilerVec *lists[] = { &setup->compilers, &setup->references };
    const Compiler *first = setup->compilers.len ? &setup->compilers.at[0] : NULL;
    for (size_t k = 0; k < COUNT_OF(lists) && first; k++)
        for (size_t i = 0; i < lists[k]->len; i++) {
            const Compiler *cc = &lists[k]->at[i];
            if (cc->unrun && !r->crashes)
                return err_set(err, STATUS_LACKS, "%s (--crashes only compiles)", cc->unrun);
            if (!foreign_same(cc->target, first->target))
                return err_set(err, STATUS_BAD,
                               "one campaign has one target: %s compiles for %s, %s for %s",
                               first->name, first->target, cc->name, cc->target);
        }
    return true;
}

/* Values are recorded on the target by a gcc and a clang: the orders of evaluation differ. */
static bool choose_recorders(HuntSetup *setup, Error *err) {
    const Compiler *found[CC_OTHER + 1] = { NULL };
    if (!setup->compilers.len || !setup->compilers.at[0].foreign) return true;
    setup->foreign = true;
    for (size_t i = 0; i < setup->references.len; i++) {
        const Compiler *cc = &setup->references.at[i];
        if (!found[cc->kind] && cc->runner) found[cc->kind] = cc;
    }
    setup->record_gcc = found[CC_GCC], setup->record_clang = found[CC_CLANG];
    if (setup->crashes || (found[CC_GCC] && found[CC_CLANG])) return true;
    return err_set(err, STATUS_LACKS,
                   "programs for %s need a gcc and a clang of that target as references: Debian "
                   "has " TOOLCHAIN_GCC "-%s and " TOOLCHAIN_CLANG,
                   target_of(setup), target_of(setup));
}

/* The newest first: the first of each kind that accepts a seed decides what it prints. Those under
 * test come last: they are asked about programs that are too new for all others. */
static void choose_references(HuntSetup *setup) {
    for (int tested = 0; tested < 2; tested++) {
        size_t first = setup->references.len;
        for (size_t i = setup->installed.len; i-- > 0;) {
            const Compiler *cc = &setup->installed.at[i];
            if (cc->kind != CC_GCC && cc->kind != CC_CLANG) continue;
            if (holds_path(&setup->compilers, cc->path) != tested) continue;
            size_t at = first;
            while (at < setup->references.len && setup->references.at[at].major >= cc->major) at++;
            vec_push(&setup->references, *cc);
            Compiler *list = setup->references.at;
            memmove(list + at + 1, list + at, (setup->references.len - 1 - at) * sizeof *list);
            list[at] = *cc;
        }
    }
}

static bool open_compilers(Arena *arena, const HuntRequest *r, HuntSetup *setup, Error *err) {
    Error none = { 0 };
    Store *store = store_open(r->store, STORE_READ, &none); /* NULL: no compilers are known yet */
    double until = r->time_s > 0 ? clock_now() + r->time_s : INFINITY;
    run_until(until);
    bool ok = open_named(arena, store, &r->compilers, &setup->compilers, err) &&
              open_named(arena, store, &r->references, &setup->references, err) &&
              check_targets(r, setup, err);
    store_close(store);
    if (ok) compilers_find(arena, target_of(setup), &setup->installed);
    run_until(INFINITY);
    if (!ok) return false;
    if (clock_now() >= until) /* what was not asked to the end is not what it seems */
        return err_set(err, STATUS_NO, "the time was over before the compilers had answered");
    if (!r->compilers.len)
        for (size_t i = 0; i < setup->installed.len; i++)
            vec_push(&setup->compilers, setup->installed.at[i]);
    for (size_t i = 0; i < setup->compilers.len; i++)
        if (!holds_path(&setup->installed, setup->compilers.at[i].path))
            vec_push(&setup->installed, setup->compilers.at[i]);
    if (!setup->compilers.len)
        return err_set(err, STATUS_LACKS,
                       "no compilers found; Debian has " TOOLCHAIN_GCC " and " TOOLCHAIN_CLANG
                       " in packages with these names");
    if (!r->references.len) choose_references(setup);
    return choose_recorders(setup, err);
}

/* ---- settings ---- */
static const char **split_commas(Arena *arena, const char *list) {
    char *copy = arena_strdup(arena, list);
    for (char *c = copy; *c; c++)
        if (*c == ',') *c = ' ';
    return flags_split(arena, str_from(copy));
}

static bool check_levels(const HuntSetup *setup, Error *err) {
    for (const char *const *level = setup->levels; *level; level++)
        if (strncmp(*level, "-O", 2) != 0 || strlen(*level) > 6)
            return err_set(err, STATUS_BAD, "'%s' is not an optimisation level", *level);
    return setup->levels[0] || err_set(err, STATUS_BAD, "--levels is empty");
}

/* One profile costs two compilations without optimisation: it is shared by as many variants as make
 * it a small part of the whole. */
static unsigned default_siblings(const HuntSetup *setup) {
    unsigned few = setup->variants < CAMPAIGN_SIBLINGS ? setup->variants : CAMPAIGN_SIBLINGS;
    return few && !setup->plain ? few : CAMPAIGN_SIBLINGS;
}

static Str real_path(Arena *arena, const char *path) {
    char *real = realpath(path, NULL);
    Str copy = arena_str(arena, str_from(real ? real : path));
    free(real);
    return copy;
}

static const char *const *include_flags(Arena *arena, const StrVec *dirs) {
    const char **flags = ARENA_ARRAY(arena, const char *, dirs->len + 1);
    for (size_t i = 0; i < dirs->len; i++)
        flags[i] = arena_fmt(arena, "-I" STR_FMT, STR_ARG(real_path(arena, dirs->at[i].at)));
    return flags;
}

static bool make_setup(Arena *arena, const HuntRequest *r, HuntSetup *setup, Error *err) {
    *setup = (HuntSetup){ .variants = (unsigned)r->variants,
                          .seed = r->seed,
                          .random_flags = r->random_flags,
                          .oracles = r->oracles,
                          .crashes = r->crashes,
                          .kernels = r->kernels,
                          .levels = split_commas(arena, r->levels),
                          .include = include_flags(arena, &r->includes) };
    if (r->kernels && (r->seeds.len || r->crashes))
        return err_set(err, STATUS_BAD, "--kernels makes the seeds: without --seeds and --crashes");
    if (r->siblings > 1000) return err_set(err, STATUS_BAD, "--siblings is at most 1000");
    if (r->variants > 1000) return err_set(err, STATUS_BAD, "--variants is at most 1000");
    if (!check_levels(setup, err)) return false;
    setup->bandit = r->strategies && strcmp(r->strategies, "auto") == 0;
    if (r->strategies && !setup->bandit &&
        !strategies_parse(str_from(r->strategies), &setup->strategies, err))
        return false;
    if (!setup->strategies) setup->strategies = STRATEGIES_HERMES | STRATEGY_BIT(STRATEGY_IDENTITY);
    if (!open_compilers(arena, r, setup, err)) return false;
    setup->gnu = true;
    for (size_t i = 0; i < setup->compilers.len; i++) {
        setup->plain |= !setup->compilers.at[i].levels;
        setup->no_lanes |= !kernels_lanes(&setup->compilers.at[i]);
        setup->gnu &= setup->compilers.at[i].kind == CC_GCC;
    }
    for (const char *const *level = setup->levels; *level; level++)
        setup->no_reals |= strcmp(*level, "-Ofast") == 0;
    setup->siblings = r->siblings ? (unsigned)r->siblings : default_siblings(setup);
    if (r->crashes) {
        setup->stocks = ARENA_ARRAY(arena, OptionStock, setup->compilers.len + 1);
        for (size_t i = 0; i < setup->compilers.len; i++)
            stock_fill(arena, &setup->compilers.at[i], &setup->stocks[i]);
    }
    return clean_tools_open(arena, &setup->clean, err);
}

static void setup_release(HuntSetup *setup) {
    for (size_t i = 0; setup->stocks && i < setup->compilers.len; i++)
        stock_release(&setup->stocks[i]);
    vec_release(&setup->compilers);
    vec_release(&setup->installed);
    vec_release(&setup->references);
}

/* ---- what makes two runs the same campaign ---- */
/* "gcc-12 12.2.0"; for one given by its path, which may be rebuilt, also its date. */
static Str compiler_identity(Arena *arena, const Compiler *cc) {
    struct stat st = { 0 };
    bool own = strchr(cc->name, '/') && stat(cc->path, &st) == 0;
    const char *plain = arena_fmt(arena, "%s %s", cc->name, cc->version);
    return str_from(own ? arena_fmt(arena, "%s %lld.%09ld %lld", plain,
                                    (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
                                    (long long)st.st_size)
                        : plain);
}

/* Which files there are, and what is in them: a seed's number means another program when a file was
 * added, removed or changed. */
static Str files_identity(Arena *arena, const Seeds *seeds) {
    Buf list = { 0 };
    for (size_t i = 0; i < seeds->files.len; i++) {
        Arena own = { 0 };
        Str text = STR("");
        file_read(&own, seeds->files.at[i].at, &text, NULL);
        buf_fmt(&list, STR_FMT " %016llx\n", STR_ARG(real_path(arena, seeds->files.at[i].at)),
                (unsigned long long)str_hash(text));
        arena_release(&own);
    }
    Hash hash = str_hash128(buf_view(&list));
    buf_release(&list);
    return str_from(arena_fmt(arena, "%zu %016llx%016llx", seeds->files.len,
                              (unsigned long long)hash.hi, (unsigned long long)hash.lo));
}

static void put_list(json_t *all, const char *name, Arena *arena, const CompilerVec *list) {
    json_t *names = json_array();
    for (size_t i = 0; i < list->len; i++)
        json_array_append_new(names, json_text(compiler_identity(arena, &list->at[i])));
    json_put(all, name, names);
}

static Str settings_json(Arena *arena, const HuntRequest *r, const HuntSetup *setup,
                         const Seeds *seeds) {
    json_t *all = json_object();
    put_list(all, "compilers", arena, &setup->compilers);
    if (r->references.len) put_list(all, "references", arena, &setup->references);
    if (seeds->files.len) json_put_text(all, "seeds", files_identity(arena, seeds));
    if (r->includes.len) json_put_text(all, "includes", flags_join(arena, setup->include));
    json_put_text(all, "levels", flags_join(arena, setup->levels));
    json_put_int(all, "variants", setup->variants);
    if (setup->siblings > 1) json_put_int(all, "siblings", setup->siblings);
    json_put_int(all, "strategies", setup->strategies);
    if (setup->bandit) json_put_bool(all, "bandit", true);
    json_put_int(all, "seed", (int64_t)setup->seed);
    json_put_bool(all, "random_flags", setup->random_flags);
    json_put_bool(all, "oracles", setup->oracles);
    if (setup->oracles) json_put_bool(all, "units", true);
    if (setup->crashes) json_put_bool(all, seeds->medleys ? "medleys" : "crashes", true);
    if (seeds->kernels) json_put_bool(all, "kernels", true);
    if (r->cases) json_put_bool(all, "first", true); /* chains end with their first case */
    Buf text = { 0 };
    json_dump_buf(all, false, &text);
    json_decref(all);
    Str copy = arena_str(arena, buf_view(&text));
    buf_release(&text);
    return copy;
}

/* ---- the result ---- */
/* Those that are confirmed come first. */
static void sort_out(HuntResult *result, Case *all, size_t n) {
    Case *sorted = ARENA_ARRAY(&result->arena, Case, n + 1);
    for (int apart = 0; apart < 2; apart++)
        for (size_t i = 0; i < n; i++)
            if (str_starts(all[i].bucket, CASE_UNCONFIRMED) == apart)
                sorted[result->cases_len + result->unconfirmed_len] = all[i],
                                           apart ? result->unconfirmed_len++ : result->cases_len++;
    result->cases = sorted;
    result->unconfirmed = sorted + result->cases_len;
}

static bool read_cases(const HuntRequest *r, HuntResult *result, Error *err) {
    Store *store = store_open(r->store, STORE_READ, err);
    CaseFilter filter = { .campaign = result->end.id };
    Case *cases;
    size_t n;
    bool ok = store && store_case_list(store, &result->arena, &filter, &cases, &n, NULL, err);
    if (ok) sort_out(result, cases, n);
    store_close(store);
    return ok;
}

/* ---- campaigns of many ---- */
bool hunt_plan(const HuntRequest *r, bool mixed, double cpu_s, int64_t *id, Error *err) {
    Arena arena = { 0 };
    HuntSetup setup = { 0 };
    Seeds seeds = { 0 };
    bool ok =
        make_setup(&arena, r, &setup, err) && seeds_open(&arena, &r->seeds, &setup, &seeds, err);
    Store *store = ok ? store_open(r->store, STORE_WRITE, err) : NULL;
    if (store) {
        CampaignPlan plan = { .request = plan_write(&arena, r),
                              .mixed = mixed,
                              .programs = r->programs,
                              .ends = r->time_s > 0 ? store_time() + r->time_s : 0,
                              .cpu_s = cpu_s };
        Str settings = settings_json(&arena, r, &setup, &seeds);
        ok = store_campaign_open(store, settings, id, NULL, err) &&
             store_plan_put(store, *id, &plan, err) &&
             store_campaign_set(store, *id, STR("running"), STR(""), err);
    }
    store_close(store);
    seeds_close(&seeds);
    setup_release(&setup);
    arena_release(&arena);
    return store && ok;
}

/* The request of the campaign that is joined, with what is this worker's own. */
static bool read_join(Arena *arena, const HuntRequest *r, HuntRequest *out, Campaign *campaign,
                      CampaignPlan *plan, Error *err) {
    Store *store = store_open(r->store, STORE_READ, err);
    bool ok = store && store_campaign_get(store, arena, r->join, campaign, err) &&
              store_plan_get(store, arena, r->join, plan, err) &&
              plan_read(arena, plan->request, out, err) &&
              store_may_run(store, r->trust, arena_cstr(arena, campaign->settings), err);
    store_close(store);
    out->store = r->store, out->join = r->join, out->workers = r->workers;
    out->verbose = r->verbose, out->quiet = r->quiet, out->time_s = r->time_s;
    double left = plan->ends - store_time();
    if (ok && plan->ends > 0 && left <= 0)
        return err_set(err, STATUS_NO, "the time of campaign %lld is over", (long long)r->join);
    if (plan->ends > 0 && (out->time_s <= 0 || left < out->time_s)) out->time_s = left;
    return ok;
}

static void campaign_options(const HuntRequest *r, const HuntSetup *setup, const Seeds *seeds,
                             CampaignOptions *options) {
    options->setup = setup, options->seeds = seeds, options->store = r->store;
    options->programs = r->join ? 0 : r->programs, options->join = r->join;
    options->time_s = r->time_s, options->workers = (unsigned)r->workers;
    options->cases = r->cases, options->verbose = r->verbose, options->quiet = r->quiet;
}

bool hunt_run(const HuntRequest *given, HuntResult *result, Error *err) {
    *result = (HuntResult){ 0 };
    double started = clock_now();
    Campaign campaign = { 0 };
    CampaignPlan plan = { 0 };
    HuntRequest own = *given;
    const HuntRequest *r = &own;
    if (given->join && !read_join(&result->arena, given, &own, &campaign, &plan, err))
        return hunt_result_release(result), false;
    HuntSetup setup = { 0 };
    Seeds seeds = { 0 };
    Arena *arena = &result->arena;
    bool ok =
        make_setup(arena, r, &setup, err) && seeds_open(arena, &r->seeds, &setup, &seeds, err);
    if (ok && r->crashes) seeds_shuffle(&seeds);
    if (ok) {
        CampaignOptions options = { .started = started,
                                    .settings = settings_json(arena, r, &setup, &seeds) };
        campaign_options(r, &setup, &seeds, &options);
        ok = (!r->join || plan.mixed || plan_fits(arena, campaign.settings, options.settings, err));
        ok = ok && campaign_run(arena, &options, &result->end, err) && read_cases(r, result, err);
    }
    seeds_close(&seeds);
    setup_release(&setup);
    if (!ok) hunt_result_release(result);
    return ok;
}

void hunt_result_release(HuntResult *result) {
    campaign_end_release(&result->end);
    arena_release(&result->arena);
}
