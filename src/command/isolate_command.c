/* culprit isolate: which file of the compiler is the culprit. Reads as the list of its steps. */
#include "base/file.h"
#include "base/opts.h"
#include "base/quantity.h"
#include "command/commands.h"
#include "command/trust.h"
#include "isolate/isolate_dump.h"
#include "isolate/isolate_knobs.h"
#include "isolate/isolate_report.h"
#include "isolate/options.h"
#include "isolate/shorten.h"
#include "isolate/witness_search.h"
#include "run/workdir.h"
#include "store/store.h"

static SubjectSpec given;
static const char *search_name = "auto", *ingredients, *dump_dir, *store_file, *history;
static double time_s = 600;
static bool trust;
static uint64_t most_witnesses = 500, top = 20, seed = 1, workers, case_id;
static bool as_json, as_given, cpu_clock;
static const char *passing_path, *again_dir;
static Str given_witness; /* the passing half of a case's pair */

static const Opt table[] = {
    { 0, "cc", OPT_STR, &given.cc, "COMPILER",
      "compiler that fails, best without coverage [the one of --coverage]", "@compilers" },
    { 0, "coverage", OPT_STR, &given.coverage, "DIR",
      "build directory of the same compiler with coverage", "@files" },
    { 0, "fail", OPT_STR, &given.fail, "OPTIONS", "options that fail [found out]", NULL },
    { 0, "pass", OPT_STR, &given.pass, "OPTIONS", "options that pass [-O0]", NULL },
    { 0, "ref", OPT_STR, &given.ref, "COMPILER", "another compiler that compiles it right",
      "@compilers" },
    { 0, "search", OPT_CHOICE, &search_name, "NAME",
      "auto, recbi, diwi, blend, mh, filter, random, dev, csmith or options [auto]",
      "auto|recbi|diwi|blend|mh|filter|random|dev|csmith|options" },
    { 0, "ingredients", OPT_STR, &ingredients, "DIR",
      "test suite to take conditions and functions from", "@files" },
    { 0, "time", OPT_TIME, &time_s, "TIME", "stop after TIME [10m; no limit with --witnesses]",
      NULL },
    { 0, "cpu", OPT_FLAG, &cpu_clock, NULL,
      "count TIME in CPU seconds by worker, for a machine that is busy", NULL },
    { 0, "witnesses", OPT_UINT, &most_witnesses, "N", "stop at N witnesses [500]", NULL },
    { 0, "top", OPT_UINT, &top, "N", "suspects shown [20]", NULL },
    { 0, "seed", OPT_UINT, &seed, "N", "same seed, same witnesses [1]", NULL },
    { 0, "hang", OPT_TIME, &given.hang_s, "TIME", "CPU time after which a compilation hangs [5s]",
      NULL },
    { 'j', "jobs", OPT_UINT, &workers, "N", "compilations at once [all cores]", NULL },
    { 0, "passing", OPT_STR, &passing_path, "SEED.c",
      "a program close to FILE.c that passes: the first witness", "@files" },
    { 0, "case", OPT_UINT, &case_id, "N", "a case of the store instead of FILE.c", "@cases" },
    { 0, "store", OPT_STR, &store_file, "FILE", "another store", "@files" },
    { 0, "trust", OPT_FLAG, &trust, NULL, TRUST_HELP, NULL },
    { 0, "dump", OPT_STR, &dump_dir, "DIR", "write the coverage of all runs there", "@files" },
    { 0, "again", OPT_STR, &again_dir, "DIR",
      "rank again what --dump wrote there, compiling nothing", "@files" },
    { 0, "history", OPT_STR, &history, "FILE",
      "write the ranking as it was after 15 and 30 s, 1, 2, 5 and 10 minutes", "@files" },
    { 0, "as-given", OPT_FLAG, &as_given, NULL, "do not make the program smaller first", NULL },
    { 0, "json", OPT_FLAG, &as_json, NULL, "the ranking as JSON on stdout", NULL },
    { 0 }
};

static const OptSpec spec = {
    .name = "isolate",
    .usage = "--coverage DIR [OPTION].. FILE.c",
    .brief = "rank the files of a compiler by how likely they cause a failure",
    .table = table,
    .most = 1,
    .operands = "@files",
    .notes =
        "FILE.c is a program the compiler crashes or hangs on, or compiles wrongly, best a small "
        "one. Without --fail\n"
        "and --pass the levels are found out.\n\n"
        "  culprit isolate --cc gcc-11/plain/gcc/cc1 --coverage gcc-11/coverage --fail -O2 bug.c\n"
        "  culprit isolate --coverage tcc-build --ref gcc bug.c\n\n"
        "Status: 0 ranked; 1 the program does not fail, or no witness was found in time (the "
        "ranking then only\n"
        "shows what the failing run covers); 2 bad input, a compiler without coverage.",
};

/* ---- what is shown on the way ---- */
static RankWay way(void) {
    return strcmp(search_name, "auto") == 0 || strcmp(search_name, "options") == 0 ? RANK_BEST
                                                                                   : RANK_PUBLISHED;
}

static void best_five(const Isolation *iso, const Ranking *r, Buf *out) {
    for (uint32_t i = 0; i < r->n_files && i < 5; i++)
        buf_fmt(out, " %s", file_name(iso->subject->map.files[r->files[i].index].name.at));
}

static void write_history(Isolation *iso, double at) {
    Arena arena = { 0 };
    Ranking r = rank_suspects(&arena, iso, way());
    FILE *f = fopen(history, "ae");
    if (f) {
        fprintf(f, "{\"at\":%.0f,\"witnesses\":%zu,\"judged\":%llu,\"suspects\":%u,\"ranks\":{", at,
                iso->witnesses.len, (unsigned long long)iso->stats.judged, r.n_files);
        for (uint32_t i = 0; i < r.n_files; i++)
            fprintf(f, "%s\"" STR_FMT "\":%u", i ? "," : "",
                    STR_ARG(iso->subject->map.files[r.files[i].index].name), r.files[i].rank);
        fputs("}}\n", f);
        fclose(f);
    }
    arena_release(&arena);
}

#define RANKING_SHARE 20.0 /* the next ranking for the live line: after so many times its cost */

static void tick(Isolation *iso) {
    static const double marks[] = { 15, 30, 60, 120, 300, 600 };
    static size_t next;
    double elapsed = isolation_now(iso) - iso->started;
    if (history && iso->failing.len && next < COUNT_OF(marks) && elapsed >= marks[next])
        write_history(iso, marks[next++]);
    if (!live_due(iso->live)) return;
    static Buf names;        /* the last ranking's */
    static double next_rank; /* ranking takes a twentieth of the time at most */
    double now = clock_now();
    if (iso->failing.len && iso->witnesses.len && now >= next_rank) {
        Arena arena = { 0 };
        Ranking r = rank_suspects(&arena, iso, way());
        buf_clear(&names);
        best_five(iso, &r, &names);
        arena_release(&arena);
        next_rank = clock_now() + RANKING_SHARE * (clock_now() - now);
    }
    double rate = elapsed > 0 ? (double)(iso->stats.judged + iso->stats.compiled) / elapsed : 0;
    live_line(iso->live, "%s: %.1f/s, %zu witnesses, sim %.3f div %.3f |%s",
              iso->doing ? iso->doing : "", rate, iso->witnesses.len, quality_sim(&iso->quality),
              quality_div(&iso->quality), names.at ? names.at : "");
}

/* ---- the steps ---- */
static bool use_options(void) {
    return strcmp(search_name, "auto") == 0 || strcmp(search_name, "options") == 0;
}

/* The seed of a case or the other half of its pair: the first witness, if it passes here. Says what
 * it alone would have ranked. */
static void take_given(Isolation *iso) {
    if (!given_witness.len) return;
    JudgeJob judge;
    judge_init(&judge, iso->subject, given_witness);
    judge.fail = iso->fail;
    judge.whole = true;
    judge.clean = subject_runs(iso->subject) ? iso->clean : NULL;
    judge.skip = iso->skip;
    judge_run(&judge);
    Judgement outcome = judge.outcome;
    judge_end(&judge);
    Bits bits = bits_new(iso->subject->map.n_stmts);
    Arena scratch = { 0 };
    bool passes = outcome == JUDGED_PASSES && cov_run(iso->subject, iso->fail, given_witness, NULL,
                                                      &bits, NULL, &scratch, NULL);
    if (!passes) {
        live_say(iso->live, "the passing half of the pair is no witness here (%s)",
                 judgement_name(outcome));
        bits_free(&bits);
    } else if (isolation_add(iso, (Witness){ .kind = WITNESS_SEED,
                                             .label = STR("the passing half of the pair"),
                                             .program = given_witness,
                                             .bits = bits })) {
        Ranking r = rank_suspects(&scratch, iso, way());
        Buf names = { 0 };
        best_five(iso, &r, &names);
        for (uint32_t i = 0; i < r.n_files && i < top; i++)
            vec_push(&iso->alone, iso->subject->map.files[r.files[i].index].name);
        live_say(iso->live, "the pair alone ranks:%s", names.at ? names.at : " nothing");
        buf_release(&names);
    }
    arena_release(&scratch);
}

/* A sanitizer under which the failing program itself is not clean (clang does not build it; it does
 * what gcc defines and clang does not) says nothing of its mutants. */
static void choose_sanitizers(Isolation *iso) {
    CleanJob jobs[CLEAN_SANITIZERS];
    if (!iso->clean) return;
    for (unsigned i = 0; i < CLEAN_SANITIZERS; i++) {
        clean_job_init(&jobs[i], iso->clean, iso->subject->source);
        jobs[i].compare = true;
        jobs[i].expected = iso->subject->expected;
        jobs[i].code = iso->subject->code;
        jobs[i].flags = iso->subject->beside;
        jobs[i].skip = ~(1u << i);
        pool_submit(iso->pool, &jobs[i].job);
    }
    for (unsigned i = 0; i < CLEAN_SANITIZERS; i++) pool_next(iso->pool);
    for (unsigned i = 0; i < CLEAN_SANITIZERS; i++) {
        if (jobs[i].result != CLEAN_YES) iso->skip |= 1u << i;
        if (jobs[i].reported)
            live_say(iso->live, "the failing program may be to blame itself: " STR_FMT,
                     STR_ARG(jobs[i].why));
        clean_job_end(&jobs[i]);
    }
    iso->skip |= CLEAN_TYPES; /* of witnesses: twice the cost, and no worse when they pass */
}

/* A step may take so much of the time from now on; 0: all that is left. */
static void allow(Isolation *iso, double end, double share) {
    double until = isolation_now(iso) + time_s * share;
    iso->deadline = end > 0 && share > 0 && until < end ? until : end;
}

static bool try_options(Isolation *iso, double end, Error *err) {
    allow(iso, end, SHARE_CURES);
    return options_cures(iso, err) && options_windows(iso, err) && options_counters(iso, err);
}

/* auto: what is nearest first. */
static bool search_all(Isolation *iso, double end, Error *err) {
    SearchSpec cuts = { .name = "cuts", .most = CUTS_MOST },
               suite = { .name = "dev", .ingredients = ingredients, .most = SUITE_MOST },
               mutants = { .name = "near", .ingredients = ingredients };
    allow(iso, end, SHARE_CUTS);
    if (!search_run(iso, &cuts, err)) return false;
    allow(iso, end, SHARE_SUITE);
    if (ingredients && !search_run(iso, &suite, err)) return false;
    allow(iso, end, 0);
    Error unparsed = { 0 }; /* a program clang does not know has the other witnesses */
    if (!search_run(iso, &mutants, &unparsed)) live_say(iso->live, "no mutants: %s", unparsed.text);
    return true;
}

static bool gather(Isolation *iso, Error *err) {
    double end = iso->deadline;
    bool best = strcmp(search_name, "auto") == 0;
    if (best && !as_given) {
        allow(iso, end, SHARE_SHORTEN);
        shorten_program(iso);
    }
    allow(iso, end, SHARE_MINIMISE);
    if (use_options() && !options_minimise(iso, err)) return false;
    allow(iso, end, 0);
    if (!isolation_first_run(iso, err)) return false;
    if (use_options() && iso->subject->failure.kind == VERDICT_CRASH && !isolation_noise(iso, err))
        return false;
    take_given(iso);
    if (use_options() && !try_options(iso, end, err)) return false;
    allow(iso, end, 0);
    if (best) return search_all(iso, end, err);
    if (strcmp(search_name, "options") == 0) return true;
    return search_run(iso, &(SearchSpec){ .name = search_name, .ingredients = ingredients }, err);
}

static bool keep(const Isolation *iso, const Ranking *r, Error *err) {
    if (!case_id) return true;
    Store *store = store_open(store_file, STORE_WRITE, err);
    if (!store) return false;
    json_t *json = isolate_json(iso, r, search_name, 50);
    Buf text = { 0 };
    json_dump_buf(json, false, &text);
    CaseSet set = { "rankings", buf_view(&text) };
    bool ok = store_case_set(store, (int64_t)case_id, &set, 1, err);
    buf_release(&text);
    json_decref(json);
    store_close(store);
    return ok;
}

static int show(Isolation *iso, Error *err) {
    Arena arena = { 0 };
    Ranking r = rank_suspects(&arena, iso, way());
    bool ok = keep(iso, &r, err) && (!dump_dir || dump_write(iso, dump_dir, err));
    if (history) write_history(iso, isolation_now(iso) - iso->started);
    live_end(iso->live);
    if (as_json) {
        json_t *json = isolate_json(iso, &r, search_name, (unsigned)top);
        json_print(json);
        json_decref(json);
    } else
        isolate_print(iso, &r, (unsigned)top, stdout);
    arena_release(&arena);
    if (!ok) return err_report(err);
    if (iso->witnesses.len) return STATUS_DONE;
    err_set(err, STATUS_NO, "no witness was found in the time given: the ranking says little");
    return err_report(err);
}

/* The program and options of a case of the store. */
static bool load_case(Arena *arena, Error *err) {
    if (!trust_case(store_file, (int64_t)case_id, trust, err)) return false;
    Store *store = store_open(store_file, STORE_READ, err);
    Case c;
    bool ok = store && store_case_get(store, arena, (int64_t)case_id, &c, err);
    store_close(store);
    if (!ok) return false;
    if (c.units.len)
        return err_set(err, STATUS_BAD, "case %llu needs several units: isolate looks at one",
                       (unsigned long long)case_id);
    Str program = c.reduced_variant.len ? c.reduced_variant : c.variant;
    char *dir = workdir_new(arena, "case");
    given.path = file_join(arena, dir, "case.c");
    if (!given.fail && c.flags.len) given.fail = arena_cstr(arena, c.flags);
    if (!given.pass && c.good_flags.len) given.pass = arena_cstr(arena, c.good_flags);
    if (!given.cc) given.cc = arena_cstr(arena, c.compiler);
    Str other = c.reduced_seed.len ? c.reduced_seed : c.seed;
    if (other.len) given_witness = other;
    return file_save(given.path, program, err);
}

/* --again: the coverage of an earlier run, ranked as it would be now. */
static int rank_again(Error *err) {
    Subject subject;
    Isolation iso;
    Live live;
    live_start(&live, false);
    if (!subject_open(&subject, &given, err)) return live_end(&live), err_report(err);
    isolation_init(&iso, &subject, NULL, &live, seed);
    int status;
    if (dump_read(&iso, again_dir, err))
        status = show(&iso, err);
    else
        live_end(&live), status = err_report(err);
    isolation_release(&iso);
    subject_free(&subject);
    return status;
}

static int run(Arena *arena, Error *err) {
    Subject subject;
    Isolation iso;
    Live live;
    CleanTools clean;
    live_start(&live, false);
    run_catch_interrupts();
    if (!subject_open(&subject, &given, err) || !subject_find_failure(&subject, &given, err)) {
        live_end(&live);
        return err_report(err);
    }
    Pool *pool = pool_new((unsigned)workers);
    isolation_init(&iso, &subject, pool, &live, seed);
    iso.tick = tick;
    iso.cpu_clock = cpu_clock;
    iso.started = isolation_now(&iso);
    iso.most_witnesses = most_witnesses;
    iso.twins = way() == RANK_BEST;
    bool clocked = opts_given("time") || !opts_given("witnesses");
    iso.deadline = clocked ? iso.started + time_s : 0;
    if (subject_runs(&subject) && clean_tools_open(arena, &clean, NULL)) iso.clean = &clean;
    choose_sanitizers(&iso);
    int status = gather(&iso, err) ? show(&iso, err) : (live_end(&live), err_report(err));
    isolation_release(&iso);
    pool_free(pool);
    subject_free(&subject);
    return status;
}

int isolate_command(int argc, char **argv) {
    Error err = { 0 };
    StrVec rest = { 0 };
    switch (opts_parse(&spec, argc, argv, &rest, &err)) {
    case OPTS_STOP: return STATUS_DONE;
    case OPTS_BAD: return err_report(&err);
    case OPTS_GO: break;
    }
    Arena arena = { 0 };
    int status;
    if (!given.coverage)
        err_set(&err, STATUS_BAD,
                "isolate needs --coverage: a build directory of the compiler with coverage");
    else if (!case_id && !rest.len)
        err_set(&err, STATUS_BAD, "isolate needs a failing program, or --case N");
    else if (rest.len)
        given.path = rest.at[0].at;
    if (!err.status && case_id) load_case(&arena, &err);
    if (!err.status && passing_path) file_read(&arena, passing_path, &given_witness, &err);
    status = err.status ? err_report(&err) : again_dir ? rank_again(&err) : run(&arena, &err);
    arena_release(&arena);
    vec_release(&rest);
    return status;
}
