/* culprit hunt: the compilers, the seeds, the campaign, the table of what was found. */
#include "base/file.h"
#include "base/json.h"
#include "base/live.h"
#include "base/opts.h"
#include "base/quantity.h"
#include "base/toolchain.h"
#include "command/commands.h"
#include "hunt/campaign.h"
#include <sys/stat.h>

static StrVec names, seed_paths, includes;
static const char *levels = "-O0,-O1,-Os,-O2,-O3", *strategies, *store_name;
static uint64_t variants = CAMPAIGN_VARIANTS, programs, seed_number = 1, workers, cases_wanted,
                siblings;
static double time_s;
static bool random_flags, oracles, as_json, quiet;
static unsigned verbose;

static const Opt table[] = {
    { 0, "cc", OPT_LIST, &names, "NAME",
      "compiler to test: a name or a path; may be given more than once (default: all gcc-N and "
      "clang-N found)",
      "@compilers" },
    { 0, "levels", OPT_STR, &levels, "LIST", "optimisation levels (default -O0,-O1,-Os,-O2,-O3)",
      NULL },
    { 0, "seeds", OPT_LIST, &seed_paths, "PATH",
      "a C program, or a directory of them; may be given more than once (default: made by Csmith)",
      "@files" },
    { 'I', "include", OPT_LIST, &includes, "DIR", "where seeds find their headers", "@files" },
    { 0, "variants", OPT_UINT, &variants, "N", "variants in a chain (default 10)", NULL },
    { 0, "siblings", OPT_UINT, &siblings, "N",
      "variants made of one profile (default 1; 8 where no compiler under test has levels)", NULL },
    { 0, "strategies", OPT_STR, &strategies, "LIST",
      "of fcb, tg, tcb, identity, orion, athena; or hermes, all; auto: what has paid so far, flags "
      "and oracles too (default hermes)",
      "fcb,tg,tcb,identity,orion,athena,hermes,all,auto" },
    { 0, "random-flags", OPT_FLAG, &random_flags, NULL,
      "one random set of flags per compiler and variant beside the levels", NULL },
    { 0, "oracles", OPT_FLAG, &oracles, NULL,
      "the compilers' own checks too (-fchecking=2, -fcompare-debug, -verify-machineinstrs), "
      "and programs cut into units that are compiled at different levels and linked",
      NULL },
    { 0, "time", OPT_TIME, &time_s, "TIME", "stop after TIME (default 10m unless --programs)",
      NULL },
    { 0, "programs", OPT_UINT, &programs, "N",
      "do seeds 0 to N-1, those done before included, then stop", NULL },
    { 0, "cases", OPT_UINT, &cases_wanted, "N", "stop when N new cases were found", NULL },
    { 0, "store", OPT_STR, &store_name, "FILE", "where cases go (default: the user's store)",
      "@files" },
    { 0, "seed", OPT_UINT, &seed_number, "S", "number all randomness comes from (default 1)",
      NULL },
    { 'j', "jobs", OPT_UINT, &workers, "N", "workers (default: all cores)", NULL },
    { 0, "json", OPT_FLAG, &as_json, NULL, "print the result as JSON", NULL },
    { 'v', "verbose", OPT_COUNT, &verbose, NULL, "name what was skipped and why", NULL },
    { 'q', "quiet", OPT_FLAG, &quiet, NULL, "no progress", NULL },
    { 0 },
};
static const OptSpec spec = {
    .name = "hunt",
    .usage = "[OPTION]..",
    .brief = "find bugs in C compilers with equivalent variants of programs",
    .table = table,
    .notes = "A campaign with the same compilers, seeds and settings goes on where it was stopped "
             "or killed.\n"
             "Exit status: 0 there are cases, 1 nothing was found, 2 wrong usage, 3 something is "
             "missing here.\n\n"
             "  culprit hunt --time 10m\n"
             "  culprit hunt --cc gcc-12 --cc clang-16 --seeds testsuite/ --random-flags --oracles "
             "--time 8h\n",
};

static const char **split_commas(Arena *arena, const char *list) {
    char *copy = arena_strdup(arena, list);
    for (char *c = copy; *c; c++)
        if (*c == ',') *c = ' ';
    return flags_split(arena, str_from(copy));
}

static bool holds_path(const CompilerVec *list, const char *path) {
    for (size_t i = 0; i < list->len; i++)
        if (strcmp(list->at[i].path, path) == 0) return true;
    return false;
}

static bool open_compilers(Arena *arena, HuntSetup *setup, Error *err) {
    for (size_t i = 0; i < names.len; i++) {
        Compiler cc;
        if (!compiler_open(arena, names.at[i].at, &cc, err)) return false;
        if (!holds_path(&setup->compilers, cc.path)) vec_push(&setup->compilers, cc);
    }
    compilers_find(arena, &setup->installed);
    if (!names.len)
        for (size_t i = 0; i < setup->installed.len; i++)
            vec_push(&setup->compilers, setup->installed.at[i]);
    else
        for (size_t i = 0; i < setup->compilers.len; i++)
            if (!holds_path(&setup->installed, setup->compilers.at[i].path))
                vec_push(&setup->installed, setup->compilers.at[i]);
    return setup->compilers.len || err_set(err, STATUS_LACKS,
                                           "no compilers found; Debian has " TOOLCHAIN_GCC
                                           " and " TOOLCHAIN_CLANG " in packages of these names");
}

static bool check_levels(const HuntSetup *setup, Error *err) {
    for (const char *const *level = setup->levels; *level; level++)
        if (strncmp(*level, "-O", 2) != 0 || strlen(*level) > 6)
            return err_set(err, STATUS_BAD, "'%s' is not an optimisation level", *level);
    return setup->levels[0] || err_set(err, STATUS_BAD, "--levels is empty");
}

/* tcc compiles a program in a fiftieth of the time that profiling it takes. */
static unsigned default_siblings(const HuntSetup *setup) {
    for (size_t i = 0; i < setup->compilers.len; i++)
        if (setup->compilers.at[i].levels) return 1;
    return CAMPAIGN_SIBLINGS;
}

static Str real_path(Arena *arena, const char *path) {
    char *real = realpath(path, NULL);
    Str copy = arena_str(arena, str_from(real ? real : path));
    free(real);
    return copy;
}

static bool make_setup(Arena *arena, HuntSetup *setup, Error *err) {
    *setup = (HuntSetup){ .variants = (unsigned)variants,
                          .seed = seed_number,
                          .random_flags = random_flags,
                          .oracles = oracles,
                          .levels = split_commas(arena, levels) };
    if (siblings > 1000) return err_set(err, STATUS_BAD, "--siblings is at most 1000");
    if (variants > 1000) return err_set(err, STATUS_BAD, "--variants is at most 1000");
    if (!check_levels(setup, err)) return false;
    setup->bandit = strategies && strcmp(strategies, "auto") == 0;
    if (strategies && !setup->bandit &&
        !strategies_parse(str_from(strategies), &setup->strategies, err))
        return false;
    const char **flags = ARENA_ARRAY(arena, const char *, includes.len + 1);
    for (size_t i = 0; i < includes.len; i++)
        flags[i] = arena_fmt(arena, "-I" STR_FMT, STR_ARG(real_path(arena, includes.at[i].at)));
    setup->include = flags;
    if (!open_compilers(arena, setup, err)) return false;
    setup->siblings = siblings ? (unsigned)siblings : default_siblings(setup);
    return clean_tools_open(arena, &setup->clean, err);
}

/* "gcc-12 12.2.0"; of one that was given by its path, and may have been built anew, also when. */
static Str compiler_identity(Arena *arena, const Compiler *cc) {
    struct stat st = { 0 };
    bool own = strchr(cc->name, '/') && stat(cc->path, &st) == 0;
    const char *plain = arena_fmt(arena, "%s %s", cc->name, cc->version);
    return str_from(own ? arena_fmt(arena, "%s %lld.%09ld %lld", plain,
                                    (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
                                    (long long)st.st_size)
                        : plain);
}

/* Which files there are, and what is in them: a seed's number means another one when a file has
 * come, gone or changed. */
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

/* Two runs with the same settings are the same campaign. */
static Str settings_json(Arena *arena, const HuntSetup *setup, const Seeds *seeds) {
    json_t *all = json_object(), *ccs = json_array();
    for (size_t i = 0; i < setup->compilers.len; i++)
        json_array_append_new(ccs, json_text(compiler_identity(arena, &setup->compilers.at[i])));
    json_put(all, "compilers", ccs);
    if (seeds->files.len) json_put_text(all, "seeds", files_identity(arena, seeds));
    if (includes.len) {
        json_t *paths = json_array();
        for (size_t i = 0; i < includes.len; i++)
            json_array_append_new(paths, json_text(real_path(arena, includes.at[i].at)));
        json_put(all, "includes", paths);
    }
    json_put_text(all, "levels", flags_join(arena, setup->levels));
    json_put_int(all, "variants", setup->variants);
    if (setup->siblings > 1) json_put_int(all, "siblings", setup->siblings);
    json_put_int(all, "strategies", setup->strategies ? setup->strategies : STRATEGIES_HERMES);
    if (setup->bandit) json_put_bool(all, "bandit", true);
    json_put_int(all, "seed", (int64_t)setup->seed);
    json_put_bool(all, "random_flags", setup->random_flags);
    json_put_bool(all, "oracles", setup->oracles);
    if (setup->oracles) json_put_bool(all, "units", true);
    if (cases_wanted) json_put_bool(all, "first", true); /* chains end with their first case */
    Buf text = { 0 };
    json_dump_buf(all, false, &text);
    json_decref(all);
    Str copy = arena_str(arena, buf_view(&text));
    buf_release(&text);
    return copy;
}

/* ---- the end ---- */
static void print_numbers(const CampaignEnd *end) {
    const CampaignTotals *t = &end->totals;
    char wall[32], cpu[32];
    printf(
        "%llu seeds (%llu skipped), %llu programs, %llu compilations, %llu runs in %s; %s of CPU\n",
        (unsigned long long)t->seeds, (unsigned long long)t->rejected,
        (unsigned long long)t->programs, (unsigned long long)t->compilations,
        (unsigned long long)t->runs, quantity_show_duration(end->elapsed_s, wall),
        quantity_show_duration(t->total_cpu_s, cpu));
    double rest = t->total_cpu_s - end->verify_s;
    if (rest > 0)
        printf("%.1f %% of CPU in compilers under test and their programs; apart from that %s for "
               "verifying and "
               "bucketing findings\n",
               100 * t->compiler_cpu_s / rest, quantity_show_duration(end->verify_s, cpu));
}

static void print_table(const Case *cases, size_t n) {
    printf("%5s  %-9s %-22s %5s  %s\n", "case", "verdict", "compiler", "hits", "what");
    for (size_t i = 0; i < n; i++) {
        const Case *c = &cases[i];
        char who[64];
        snprintf(who, sizeof who, STR_FMT " " STR_FMT, STR_ARG(c->compiler), STR_ARG(c->flags));
        bool hangs_on = c->matters.len && !str_is(c->verdict, "crash");
        printf("%5lld  %-9.*s %-22.40s %5llu  %s" STR_FMT "\n", (long long)c->id,
               STR_ARG(c->verdict), who, (unsigned long long)c->count, hangs_on ? "hangs on " : "",
               STR_ARG(hangs_on ? c->matters : c->signature));
    }
}

static void print_json(const CampaignEnd *end, const Case *cases, size_t n) {
    json_t *all = json_object(), *list = json_array();
    json_put_int(all, "campaign", end->id);
    json_put_int(all, "seeds", (int64_t)end->totals.seeds);
    json_put_int(all, "skipped", (int64_t)end->totals.rejected);
    json_put_int(all, "programs", (int64_t)end->totals.programs);
    json_put_int(all, "compilations", (int64_t)end->totals.compilations);
    json_put_int(all, "runs", (int64_t)end->totals.runs);
    json_put_int(all, "findings", (int64_t)end->totals.findings);
    json_put_real(all, "seconds", end->elapsed_s);
    json_put_real(all, "test_cpu_s", end->totals.compiler_cpu_s);
    json_put_real(all, "total_cpu_s", end->totals.total_cpu_s);
    json_put_real(all, "verify_cpu_s", end->verify_s);
    for (size_t i = 0; i < n; i++) {
        json_t *item = json_object();
        json_put_int(item, "id", cases[i].id);
        json_put_text(item, "verdict", cases[i].verdict);
        json_put_text(item, "compiler", cases[i].compiler);
        json_put_text(item, "flags", cases[i].flags);
        json_put_text(item, "signature", cases[i].signature);
        json_put_text(item, "matters", cases[i].matters);
        json_put_text(item, "bucket", cases[i].bucket);
        json_put_int(item, "hits", (int64_t)cases[i].count);
        json_array_append_new(list, item);
    }
    json_put(all, "cases", list);
    json_print(all);
    json_decref(all);
}

static bool print_result(Arena *arena, const CampaignEnd *end, size_t *found, Error *err) {
    Store *store = store_open(store_name, STORE_READ, err);
    CaseFilter filter = { .campaign = end->id };
    Case *cases;
    bool ok = store && store_case_list(store, arena, &filter, &cases, found, NULL, err);
    if (ok && as_json) print_json(end, cases, *found);
    if (ok && !as_json) {
        print_numbers(end);
        if (*found)
            print_table(cases, *found);
        else if (end->findings)
            printf("%llu finding%s, all of cases that were known before: culprit cases\n",
                   (unsigned long long)end->findings, end->findings == 1 ? "" : "s");
        else
            puts("nothing found");
    }
    store_close(store);
    return ok;
}

int hunt_command(int argc, char **argv) {
    Error err = { 0 };
    OptsEnd parsed = opts_parse(&spec, argc, argv, NULL, &err);
    if (parsed != OPTS_GO) return parsed == OPTS_STOP ? STATUS_DONE : err_report(&err);
    Arena arena = { 0 };
    HuntSetup setup;
    Seeds seeds;
    run_catch_interrupts();
    if (!make_setup(&arena, &setup, &err) ||
        !seeds_open(&arena, &seed_paths, seed_number, &seeds, &err))
        return err_report(&err);
    CampaignOptions options = { .setup = &setup,
                                .seeds = &seeds,
                                .store = store_name,
                                .settings = settings_json(&arena, &setup, &seeds),
                                .programs = programs,
                                .time_s = time_s > 0 || programs ? time_s : 600,
                                .workers = (unsigned)workers,
                                .cases = cases_wanted,
                                .verbose = verbose > 0,
                                .quiet = quiet };
    CampaignEnd end;
    size_t found = 0;
    bool ok = campaign_run(&options, &end, &err) && print_result(&arena, &end, &found, &err);
    seeds_close(&seeds);
    vec_release(&setup.compilers);
    vec_release(&setup.installed);
    arena_release(&arena);
    if (!ok) return err_report(&err);
    return found || end.findings ? STATUS_DONE : STATUS_NO;
}
