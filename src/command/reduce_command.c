/* culprit reduce: the smallest failing program, and the smallest difference to a passing one. */
#include "base/file.h"
#include "base/opts.h"
#include "base/quantity.h"
#include "cc/verdict.h"
#include "command/commands.h"
#include "command/trust.h"
#include "reduce/output.h"
#include "reduce/ppr.h"
#include "reduce/reduce_knobs.h"
#include "store/store.h"
#include <math.h>

static struct Options {
    const char *test, *passing, *passing_test, *lang, *grammar, *dir, *crash, *message, *hangs,
        *says;
    const char *method, *order, *store, *input, *snippets;
    StrVec differs;
    uint64_t jobs, rounds, number;
    bool trust;
    double timeout, limit, time;
    bool json, quiet, plain, text;
} o = { .method = "ppr", .order = "tlc", .limit = REDUCE_HANG };

static const Opt table[] = {
    { 0, "test", OPT_STR, &o.test, "FILE", "executable; exit status 0 means still interesting",
      "@files" },
    { 0, "crash", OPT_STR, &o.crash, "COMMAND",
      "the compiler crashes as it does now ('gcc-11 -O2 -S')", NULL },
    { 0, "message", OPT_STR, &o.message, "REGEX", "with --crash or --says: what it must write",
      NULL },
    { 0, "says", OPT_STR, &o.says, "COMMAND", "the command writes something that matches --message",
      NULL },
    { 0, "differs", OPT_LIST, &o.differs, "A B",
      "programs compiled by A and by B behave differently", NULL },
    { 0, "hangs", OPT_STR, &o.hangs, "COMMAND", "the compiler does not end within --limit", NULL },
    { 0, "limit", OPT_TIME, &o.limit, "TIME", "for --hangs [20s]", NULL },
    { 0, "passing", OPT_STR, &o.passing, "SEED", "a program that does not fail: reduce the pair",
      "@files" },
    { 0, "passing-test", OPT_STR, &o.passing_test, "FILE", "executable: is SEED still a good one",
      "@files" },
    { 0, "case", OPT_UINT, &o.number, "N", "take pair, compiler and flags from the store",
      "@cases" },
    { 0, "trust", OPT_FLAG, &o.trust, NULL, TRUST_HELP, NULL },
    { 0, "store", OPT_STR, &o.store, "FILE", "the store [the user's own]", "@files" },
    { 0, "input", OPT_STR, &o.input, "FILE", "with --differs: standard input of the programs",
      "@files" },
    { 0, "snippets", OPT_STR, &o.snippets, "FILE.json",
      "with --passing: mutate's list; whole snippets are undone first", "@files" },
    { 0, "lang", OPT_STR, &o.lang, "NAME", "language [by the file's name]", NULL },
    { 0, "grammar", OPT_STR, &o.grammar, "FILE.so", "any tree-sitter grammar", "@files" },
    { 0, "text", OPT_FLAG, &o.text, NULL, "no language: lines and words", NULL },
    { 'o', "output", OPT_STR, &o.dir, "DIR", "write there [in place, with .orig backups]",
      "@files" },
    { 'j', "jobs", OPT_UINT, &o.jobs, "N", "tests at once [all cores]", NULL },
    { 0, "timeout", OPT_TIME, &o.timeout, "TIME",
      "a test that takes longer says no [30 times the start's, 10s to 5m]", NULL },
    { 0, "time", OPT_TIME, &o.time, "TIME", "stop after TIME with the best so far [no limit]",
      NULL },
    { 0, "method", OPT_CHOICE, &o.method, "NAME", "ppr, or a baseline: dd, ddmin [ppr]",
      "ppr|dd|ddmin" },
    { 0, "order", OPT_STR, &o.order, "WORD", "reducers of a round: t, l and c [tlc]", NULL },
    { 0, "rounds", OPT_UINT, &o.rounds, "N", "rounds at most [until nothing shrinks]", NULL },
    { 0, "plain", OPT_FLAG, &o.plain, NULL, "only what knows no language: no passes for C", NULL },
    { 0, "json", OPT_FLAG, &o.json, NULL, "the result for machines, on standard output", NULL },
    { 'q', "quiet", OPT_FLAG, &o.quiet, NULL, "no progress", NULL },
    { 0 },
};
static const char *const conflicts[] = { "test",    "crash", "test",  "differs", "test",  "hangs",
                                         "test",    "says",  "crash", "differs", "crash", "hangs",
                                         "differs", "hangs", "crash", "says",    "hangs", "says",
                                         "differs", "says",  "lang",  "grammar", NULL };
static const OptSpec spec = {
    "reduce",
    "[OPTION].. FILE",
    "make a failing program, or a pair with a passing one, as small as can be",
    table,
    conflicts,
    "A test runs in a fresh directory that holds only the candidate under its own name.\n"
    "Exit status: 0 reduced; 1 FILE (or SEED) is not interesting at the start, or the test changed "
    "its\n"
    "mind; 2 wrong usage, or the empty file is interesting too; 3 a program is missing.\n\n"
    "  culprit reduce --crash 'gcc-11 -O2 -S' bug.c\n"
    "  culprit reduce --differs 'gcc-11 -O0' 'gcc-11 -O3' --passing seed.c -o small variant.c\n",
    0,
    1,
    "@files"
};

/* `--differs A B` as two options of the table. */
static char **spread_differs(Arena *arena, int *argc, char **argv) {
    char **out = ARENA_ARRAY(arena, char *, *argc * 2 + 2);
    int n = 0;
    for (int i = 0; i < *argc; i++) {
        out[n++] = argv[i];
        if (strcmp(argv[i], "--differs") || i + 2 >= *argc) continue;
        out[n++] = argv[++i];
        if (strcmp(argv[i + 1], "--differs") == 0) continue;
        out[n++] = "--differs";
        out[n++] = argv[++i];
    }
    *argc = n;
    return out;
}

typedef struct Session {
    Arena arena;
    Reducer r;
    ReduceOutput out;
    const char *names[SIDES]; /* of the inputs */
    Str original[SIDES];
    Str stdin_text;
    Store *store;            /* --case */
    Str reduced[SIDES];      /* --case: what an earlier run left */
    ReduceSnippets snippets; /* --snippets, or the case's own */
    bool fresh;              /* began with the start itself, not with what an earlier run left */
    bool verified;           /* the end was tested again, and holds */
} Session;

static bool check_options(const StrVec *rest, Error *err) {
    int tests = (o.test != NULL) + (o.crash != NULL) + (o.hangs != NULL) + (o.says != NULL) +
                (o.differs.len > 0);
    if (o.number) {
        if (rest->len || tests)
            return err_set(err, STATUS_BAD, "--case takes program and test from the store");
        return true;
    }
    if (rest->len != 1)
        return err_set(err, STATUS_BAD, "reduce needs the FILE to reduce (or --case N)");
    if (tests != 1)
        return err_set(err, STATUS_BAD,
                       "reduce needs one of --test, --crash, --differs, --hangs, --says");
    if (o.differs.len && o.differs.len != 2)
        return err_set(err, STATUS_BAD, "--differs takes two compilations");
    if (o.snippets && !o.passing)
        return err_set(err, STATUS_BAD, "--snippets needs --passing: what they were put into");
    if (o.says && !o.message) return err_set(err, STATUS_BAD, "--says needs --message");
    if (o.test && o.passing && !o.passing_test)
        return err_set(err, STATUS_BAD, "--passing with --test needs --passing-test");
    if (strcmp(o.method, "dd") == 0 && !o.passing)
        return err_set(err, STATUS_BAD, "dd needs --passing (its test says what passes)");
    if (strspn(o.order, "tlc") != strlen(o.order) || !*o.order)
        return err_set(err, STATUS_BAD, "--order is a word of t, l and c, not '%s'", o.order);
    return true;
}

/* What tells how a miscompiled program should behave; NULL: nothing does. */
static char *passing_compilation(Arena *a, const Case *c) {
    if (c->good_flags.len)
        return arena_fmt(a, STR_FMT " " STR_FMT " -w", STR_ARG(c->compiler),
                         STR_ARG(c->good_flags));
    const char *other = compiler_reference(a, c->compiler);
    return other ? arena_fmt(a, "%s -O0 -w", other) : NULL;
}

/* The test a case stands for, as if it had been given by options. */
static bool case_test(Session *s, const Case *c, Error *err) {
    Arena *a = &s->arena;
    char *bad = arena_fmt(a, STR_FMT " " STR_FMT, STR_ARG(c->compiler), STR_ARG(c->flags));
    if (str_is(c->verdict, "crash"))
        o.crash = arena_fmt(a, "%s -w -S", bad);
    else if (str_is(c->verdict, "hang"))
        o.hangs = arena_fmt(a, "%s -w -S", bad);
    else if (str_is(c->verdict, "wrong")) {
        char *good = passing_compilation(a, c);
        if (!good)
            return err_set(err, STATUS_LACKS,
                           "case %llu knows of no flags that pass, and there is no other compiler "
                           "here to compare with; Debian has gcc-12",
                           (unsigned long long)o.number);
        vec_push(&o.differs, str_from(good));
        vec_push(&o.differs, str_from(arena_fmt(a, "%s -w", bad)));
    } else
        return err_set(err, STATUS_BAD,
                       "case %llu: verdict '" STR_FMT "' is nothing reduce can test",
                       (unsigned long long)o.number, STR_ARG(c->verdict));
    return true;
}

static bool read_case(Session *s, Error *err) {
    Case c;
    if (!trust_case(o.store, (int64_t)o.number, o.trust, err)) return false;
    s->store = store_open(o.store, STORE_WRITE, err);
    if (!s->store || !store_case_get(s->store, &s->arena, (int64_t)o.number, &c, err)) return false;
    if (!c.variant.len)
        return err_set(err, STATUS_BAD, "case %llu has no failing program",
                       (unsigned long long)o.number);
    if (c.units.len)
        return err_set(
            err, STATUS_BAD,
            "case %llu needs several units: export it and give reduce a --test of its own",
            (unsigned long long)o.number);
    s->names[VARIANT] = "variant.c";
    s->original[VARIANT] = c.variant;
    s->reduced[VARIANT] = c.reduced_variant;
    s->stdin_text = c.input;
    if (c.snippets.len &&
        !snippets_read(&s->arena, c.snippets, "the case's snippets", c.variant, &s->snippets, err))
        return false;
    if (c.seed.len && !str_eq(c.seed, c.variant)) {
        s->names[SEED] = "seed.c";
        s->original[SEED] = c.seed;
        s->reduced[SEED] = c.reduced_seed;
    }
    return case_test(s, &c, err);
}

/* The reduced pair, and what its failing half should print: the old answer is another program's. */
static bool write_case(Session *s, Error *err) {
    CaseSet sets[] = { { "reduced_seed", { "", 0 } },
                       { "reduced_variant", { "", 0 } },
                       { "reduced_expected", { "", 0 } },
                       { "reduced_code", { "0", 1 } } };
    for (int k = 0; k < SIDES; k++)
        if (s->r.side[k].on) sets[k].value = doc_text(&s->r.side[k].doc);
    int64_t id = (int64_t)o.number, code = 0;
    Case c;
    if (!store_case_get(s->store, &s->arena, id, &c, err)) return false;
    if (str_is(c.verdict, "wrong") &&
        !cc_right_run(&s->arena, c.compiler, c.good_flags, sets[VARIANT].value, c.input,
                      &sets[SIDES].value, &code))
        return err_set(err, STATUS_NO,
                       "the reduced program is not kept: compiled the right way it no longer ends, "
                       "so nothing tells what it should print");
    sets[SIDES + 1].value = store_number(&s->arena, code);
    return store_case_set(s->store, id, sets, COUNT_OF(sets), err);
}

static bool read_inputs(Session *s, const StrVec *rest, Error *err) {
    if (o.number) return read_case(s, err);
    s->names[VARIANT] = rest->at[0].at;
    s->names[SEED] = o.passing;
    for (int k = 0; k < SIDES; k++)
        if (s->names[k] && !file_read(&s->arena, s->names[k], &s->original[k], err)) return false;
    Str list = { 0 };
    if (o.snippets &&
        (!file_read(&s->arena, o.snippets, &list, err) ||
         !snippets_read(&s->arena, list, o.snippets, s->original[VARIANT], &s->snippets, err)))
        return false;
    return !o.input || file_read(&s->arena, o.input, &s->stdin_text, err);
}

static PropertySpec property_spec(const Session *s, int side) {
    PropertySpec spec_ = { .name = file_name(s->names[side]),
                           .timeout = o.timeout,
                           .limit = o.limit };
    const Lang *lang = s->r.side[side].doc.lang;
    spec_.c = lang && strcmp(lang_name(lang), "c") == 0;
    spec_.message = o.message;
    spec_.input = s->stdin_text;
    spec_.passing = side == SEED;
    if (side == SEED && o.passing_test)
        spec_.kind = PROPERTY_SCRIPT, spec_.script = o.passing_test;
    else if (o.test)
        spec_.kind = PROPERTY_SCRIPT, spec_.script = o.test;
    else if (o.crash)
        spec_.kind = PROPERTY_CRASH, spec_.command = o.crash;
    else if (o.hangs)
        spec_.kind = PROPERTY_HANGS, spec_.command = o.hangs;
    else if (o.says)
        spec_.kind = PROPERTY_MESSAGE, spec_.command = o.says;
    else {
        spec_.kind = PROPERTY_DIFFERS;
        spec_.command = o.differs.at[0].at, spec_.command2 = o.differs.at[1].at;
    }
    return spec_;
}

static bool find_lang(Session *s, Lang **lang, Error *err) {
    *lang = NULL;
    if (o.text) return true;
    if (o.grammar)
        *lang = lang_load(o.grammar, err);
    else if (o.lang)
        *lang = lang_builtin(o.lang, err);
    else {
        *lang = lang_for_file(s->names[VARIANT]);
        if (!*lang)
            live_say(&s->r.live, "%s: language not known by its name: lines and words (see --lang)",
                     s->names[VARIANT]);
        return true;
    }
    return *lang != NULL;
}

static bool open_sides(Session *s, Error *err) {
    Lang *lang;
    if (!find_lang(s, &lang, err)) return false;
    Str start[SIDES] = { s->original[SEED], s->original[VARIANT] };
    const char *none[SIDES] = { NULL };
    bool files = !o.number || o.dir;
    if (!output_open(&s->out, o.dir, files ? s->names : none, s->original, err)) return false;
    for (int k = 0; k < SIDES; k++)
        if (s->reduced[VARIANT].len && s->reduced[k].len) start[k] = s->reduced[k];
    if (output_resume(&s->out, &s->arena, start)) live_say(&s->r.live, "going on from %s", o.dir);
    for (int k = 0; k < SIDES; k++) {
        Side *side = &s->r.side[k];
        side->on = s->names[k] != NULL;
        if (!side->on) continue;
        side->path = s->names[k];
        side->original = s->original[k];
        doc_init(&side->doc, lang, start[k]);
        PropertySpec what = property_spec(s, k);
        side->property = property_new(&what, err);
        if (!side->property) return false;
    }
    s->r.pair = s->r.side[SEED].on;
    s->r.save = output_save;
    s->r.save_user = &s->out;
    return true;
}

/* Whether the test accepts the empty file; asked again and again, for a test may flake. */
static bool empty_interesting(Reducer *r) {
    for (int i = 0; i < REDUCE_FLAKE_LEAD; i++)
        if (!reducer_ask_text(r, VARIANT, (Str){ "", 0 }, NULL)) return false;
    return true;
}

/* The start must be interesting, and the empty file must not be. */
static bool check_start(Session *s, Error *err) {
    Reducer *r = &s->r;
    int side = VARIANT;
    Str why = { 0 }, signature = { 0 };
    reducer_phase(r, "start");
    bool ok = reducer_verify(r, REDUCE_FIRST_RUNS, &side, &why, &signature);
    while (!ok && !run_interrupted()) {
        bool relaxed = property_relax(r->side[VARIANT].property);
        if (r->pair) relaxed |= property_relax(r->side[SEED].property);
        if (!relaxed) break;
        ok = reducer_verify(r, REDUCE_FIRST_RUNS, &side, &why, &signature);
    }
    if (run_interrupted())
        return err_set(err, STATUS_NO, "interrupted before anything was reduced");
    if (!ok)
        return err_set(err, STATUS_NO,
                       "%s (the %s) is not interesting at the start: wanted: %s; found: " STR_FMT,
                       r->side[side].path, side == SEED ? "passing side" : "failing side",
                       property_describe(r->side[side].property), STR_ARG(why));
    if (r->until > 0) pool_until(r->pool, r->until);
    if (empty_interesting(r))
        return err_set(
            err, STATUS_BAD,
            "the empty file is interesting too, so nothing would be left: the test "
            "must ask for something only the failing program has (a message, an output)");
    for (int k = 0; k < SIDES; k++)
        if (r->side[k].on) property_begin(r->side[k].property);
    reducer_remember(r, true);
    return true;
}

static void run_method(Session *s) {
    Reducer *r = &s->r;
    Str input = s->stdin_text;
    /* The snippets' places are those of the start: once. */
    bool fresh = str_eq(doc_text(&r->side[VARIANT].doc), s->original[VARIANT]);
    s->fresh |= fresh;
    Plan plan = {
        .order = o.order, .rounds = (unsigned)o.rounds, .plain = o.plain, .input = input
    };
    if (fresh) plan.snippets = &s->snippets;
    if (strcmp(o.method, "dd") == 0)
        reduce_dd(r);
    else if (strcmp(o.method, "ddmin") == 0)
        reduce_ddmin(r);
    else if (r->pair)
        reduce_pair(r, &plan);
    else
        reduce_single(r, &plan);
}

/* Reduces; where the test turns out to flake, goes on from what still holds. */
static bool reduce_all(Session *s, Error *err) {
    Reducer *r = &s->r;
    for (int again = 0; again < 4; again++) {
        r->undone = false;
        bool was_flaky = r->flaky;
        run_method(s);
        if (run_interrupted()) break;
        if (r->undone && !r->stop) continue;
        int side = VARIANT;
        Str why = { 0 };
        reducer_phase(r, "end");
        pool_until(r->pool, INFINITY); /* what is handed over has been tested */
        s->verified = reducer_verify(r, REDUCE_LAST_RUNS, &side, &why, NULL) && !run_interrupted();
        if (s->verified && r->flaky == was_flaky) return true;
        if (run_interrupted()) break;
        if (!s->verified && !reducer_fall_back(r))
            return err_set(
                err, STATUS_NO,
                "the test changed its mind: it no longer finds %s interesting (found: " STR_FMT ")",
                r->side[side].path, STR_ARG(why));
        s->verified = !run_interrupted();
        if (r->stop) return true;
    }
    r->stop |= run_interrupted();
    return true;
}

static void show_end(Session *s) {
    Reducer *r = &s->r;
    reduce_refresh(r);
    reducer_count_difference(r);
    live_end(&r->live);
    if (o.json) {
        json_t *json = output_json(r, s->verified);
        json_print(json);
        json_decref(json);
        return;
    }
    output_view(r, stdout);
    fflush(stdout);
    if (r->pair)
        fprintf(stderr, "seed %zu tokens, variant %zu, difference %zu", r->side[SEED].doc.count,
                r->side[VARIANT].doc.count, r->difference);
    else
        fprintf(stderr, "%zu tokens", r->side[VARIANT].doc.count);
    fprintf(stderr, ", %zu bytes -> %s\n", doc_text(&r->side[VARIANT].doc).len,
            s->out.path[VARIANT] ? s->out.path[VARIANT] : "the store");
    if (s->snippets.len && r->pair && s->fresh) {
        Buf line = { 0 };
        snippets_say(&s->snippets, &line);
        fprintf(stderr, STR_FMT "\n", STR_ARG(buf_view(&line)));
        buf_release(&line);
    }
    if (!o.quiet) output_statistics(r, stderr);
    if (r->stop) fputs("stopped early: the same command goes on from here\n", stderr);
}

static bool reduce(Session *s, const StrVec *rest, Error *err) {
    live_start(&s->r.live, o.quiet);
    if (!check_options(rest, err) || !read_inputs(s, rest, err)) return false;
    run_catch_interrupts();
    s->r.pool = pool_new((unsigned)o.jobs);
    if (o.time > 0) s->r.until = clock_now() + o.time;
    if (!open_sides(s, err) || !check_start(s, err)) return false;
    if (!reduce_all(s, err)) return false;
    reducer_save(&s->r, true);
    run_forget_interrupt();
    if (s->store && !write_case(s, err)) return false;
    show_end(s);
    return true;
}

int reduce_command(int argc, char **argv) {
    Session s = { 0 };
    Error err = { 0 };
    StrVec rest = { 0 };
    argv = spread_differs(&s.arena, &argc, argv);
    OptsEnd end = opts_parse(&spec, argc, argv, &rest, &err);
    if (end == OPTS_STOP) {
        arena_release(&s.arena);
        return STATUS_DONE;
    }
    bool ok = end == OPTS_GO && reduce(&s, &rest, &err);
    live_end(&s.r.live);
    if (s.r.pool) reducer_release(&s.r);
    output_release(&s.out);
    store_close(s.store);
    vec_release(&rest);
    vec_release(&o.differs);
    vec_release(&s.snippets);
    arena_release(&s.arena);
    return ok ? STATUS_DONE : err_report(&err);
}
