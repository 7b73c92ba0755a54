/* See isolation.h. */
#include "isolate/isolation.h"
#include "base/quantity.h"

const char *witness_kind_name(WitnessKind kind) {
    static const char *const names[] = { "flag", "pass", "counter", "mutant", "seed", "suite" };
    return names[kind];
}

void isolation_init(Isolation *iso, Subject *s, Pool *pool, Live *live, uint64_t seed) {
    *iso = (Isolation){ .subject = s, .pool = pool, .live = live, .seed = seed };
    iso->started = isolation_now(iso);
    iso->fail = s->fail;
}

void isolation_release(Isolation *iso) {
    for (size_t i = 0; i < iso->failing.len; i++) bits_free(&iso->failing.at[i].bits);
    for (size_t i = 0; i < iso->witnesses.len; i++) bits_free(&iso->witnesses.at[i].bits);
    for (size_t i = 0; i < iso->windows.len; i++) bits_free(&iso->windows.at[i].in);
    bits_free(&iso->until);
    bits_free(&iso->noise);
    vec_release(&iso->windows);
    map_release(&iso->codes);
    vec_release(&iso->failing);
    vec_release(&iso->witnesses);
    vec_release(&iso->cures);
    vec_release(&iso->needed);
    vec_release(&iso->frames);
    vec_release(&iso->symbols.functions);
    vec_release(&iso->alone);
    arena_release(&iso->arena);
}

double isolation_now(const Isolation *iso) {
    if (!iso->cpu_clock) return clock_now();
    return (clock_own_cpu() + run_children_cpu()) / (iso->pool ? pool_width(iso->pool) : 1);
}

void isolation_tick(Isolation *iso) {
    if (iso->tick) iso->tick(iso);
}

bool isolation_over(const Isolation *iso) {
    return run_interrupted() || (iso->deadline > 0 && isolation_now(iso) >= iso->deadline) ||
           (iso->most_witnesses && iso->witnesses.len >= iso->most_witnesses);
}

/* Functions every crash goes through. */
static bool is_machinery(const char *name) {
    static const char *const known[] = { "__wrap_",
                                         "culprit_coverage",
                                         "_Z11fancy_abort",
                                         "_Z14internal_error",
                                         "_ZL12crash_signal",
                                         "_Unwind_",
                                         "_start",
                                         "main",
                                         "_ZN6toplev",
                                         "_ZL10do_compilev",
                                         "_ZL12compile_filev",
                                         "_ZL17execute_pass_list" };
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (strncmp(name, known[i], strlen(known[i])) == 0) return true;
    return false;
}

/* From culprit's runtime: the function of frame i of the last run; empty where it is machinery or
 * not known. Parts of a function (".cold", ".isra.0") count as the function. */
static Str frame_function(const Isolation *iso, size_t i) {
    const CovMap *map = &iso->subject->map;
    const char *name = symbols_find(&iso->symbols, map->frames.at[i] - (i > 0), map->bss);
    if (!name || is_machinery(name)) return STR("");
    Str whole = str_from(name);
    size_t dot = str_find(whole, STR("."), 1);
    return dot == STR_NONE ? whole : str_sub(whole, 0, dot);
}

static void take_addresses(Isolation *iso) {
    const CovMap *map = &iso->subject->map;
    const char *program = iso->subject->programs[map->crashed];
    if (!map->frames.len || !symbols_read(&iso->arena, program, &iso->symbols, NULL)) return;
    iso->crashed = map->crashed;
    for (size_t i = 0; i < map->frames.len; i++) {
        Str name = frame_function(iso, i);
        if (name.len) vec_push(&iso->frames, name);
    }
}

bool isolation_same_crash(Isolation *iso) {
    const Crash *crash = &iso->subject->failure.crash;
    if (iso->subject->failure.kind != VERDICT_CRASH || crash->place.len || !iso->frames.len ||
        !iso->symbols.functions.len)
        return true;
    if (iso->subject->map.crashed != iso->crashed) return false;
    for (size_t i = 0; i < iso->subject->map.frames.len; i++) {
        Str name = frame_function(iso, i);
        if (name.len) return str_eq(name, iso->frames.at[0]);
    }
    return false;
}

/* Functions that were running count as covered even where their counters were smashed: by their
 * first statement. */
static void cover_frames(const Isolation *iso, Bits *bits) {
    const CovMap *map = &iso->subject->map;
    for (size_t k = 0; k < iso->frames.len; k++) {
        uint32_t first = UINT32_MAX;
        bool any = false;
        for (uint32_t i = 0; i < map->n_stmts && !any; i++) {
            uint32_t fn = map->stmts[i].function;
            if (fn == COV_NO_FUNCTION || !str_eq(map->functions[fn].name, iso->frames.at[k]))
                continue;
            any = bits_has(bits, i);
            if (first == UINT32_MAX) first = i;
        }
        if (!any && first != UINT32_MAX) bits_set(bits, first);
    }
}

static void take_frames(Isolation *iso, Str text, int signal) {
    Crash crash;
    vec_clear(&iso->frames);
    vec_release(&iso->symbols.functions); /* symbols_read begins anew */
    take_addresses(iso);
    if (!crash_read(&iso->arena, text, signal, &crash)) return;
    iso->crash_pass = crash.pass;
    if (iso->frames.len) return;
    Str rest = crash.frames, line;
    while (str_split(&rest, '\n', &line))
        if (line.len) vec_push(&iso->frames, arena_str(&iso->arena, line));
    if (!iso->frames.len && crash.place.len) vec_push(&iso->frames, crash.place);
}

/* ---- the build with coverage is the compiler that fails ---- */
/* The code alone, without what names the compiler or the file. */
static Str bare_code(Arena *arena, Str code) {
    static const char *const names[] = { ".ident", ".file", "#" };
    Buf out = { 0 };
    for (Str line; str_split(&code, '\n', &line);) {
        Str text = str_trim(line);
        bool bare = true;
        for (size_t i = 0; i < COUNT_OF(names); i++) bare &= !str_starts(text, names[i]);
        if (bare) buf_str(&out, text), buf_char(&out, '\n');
    }
    Str kept = arena_str(arena, buf_view(&out));
    buf_release(&out);
    return kept;
}

/* Whether the program, compiled by the build with coverage, does what is right after all. */
static bool covered_is_right(Isolation *iso) {
    Subject *s = iso->subject;
    CcJob job;
    cc_job_init(&job, &s->cov, iso->fail, s->source, CC_UNTIL_RUN);
    job.compile_s = 2 * s->compile_s + 5;
    job.run_s = s->run_s;
    job.input = s->input;
    job.compare = true;
    job.expected = s->expected;
    job.code = s->code;
    cc_job_run(&job);
    bool right = job.verdict.kind == VERDICT_OK;
    cc_job_end(&job);
    return right;
}

static Str code_of(Isolation *iso, Arena *arena) {
    Subject *s = iso->subject;
    CcJob job;
    cc_job_init(&job, &s->cc, iso->fail, s->source, CC_UNTIL_ASSEMBLY);
    job.compile_s = s->compile_s;
    job.keep_product = true;
    cc_job_run(&job);
    Str code = job.verdict.kind == VERDICT_OK ? arena_str(arena, job.product) : STR("");
    cc_job_end(&job);
    return code;
}

/* Compares the version and, for wrong code, the code itself: a difference is reported; where the
 * build with coverage is right, its coverage is not that of a failure. */
static bool compare_builds(Isolation *iso, Str covered_code, Error *err) {
    Subject *s = iso->subject;
    if (s->cc.path == s->cov.path || strcmp(s->cc.path, s->cov.path) == 0) return true;
    if (strcmp(s->cc.version, s->cov.version) != 0)
        iso->difference =
            str_from(arena_fmt(&iso->arena,
                               "%s is version %s, but its build with coverage is %s: not the same "
                               "compiler",
                               s->cc.name, s->cc.version, s->cov.version));
    if (s->failure.kind != VERDICT_WRONG) return true;
    Arena scratch = { 0 };
    bool text = s->cc.kind != CC_TCC, same = true;
    if (text) {
        Str a = bare_code(&scratch, code_of(iso, &scratch)), b = bare_code(&scratch, covered_code);
        same = a.len && str_eq(a, b);
    }
    arena_release(&scratch);
    if (same) return true;
    if (covered_is_right(iso))
        return err_set(err, STATUS_NO,
                       "%s compiles the program wrongly, but the build with coverage does not: not "
                       "the same compiler",
                       s->cc.name);
    if (!iso->difference.len)
        iso->difference =
            str_from(arena_fmt(&iso->arena,
                               "the build with coverage also fails, but generates different "
                               "code from %s",
                               s->cc.name));
    return true;
}

/* Ways in which the compiler with coverage must not end. */
static bool check_end(const Isolation *iso, const Bits *bits, const RunResult *ran, Error *err) {
    const Subject *s = iso->subject;
    bool crashed = ran->end != RUN_EXITED || ran->code != 0;
    if (run_interrupted()) return err_set(err, STATUS_INTERRUPTED, "interrupted");
    if (bits_count(bits) == 0)
        return err_set(err, STATUS_BAD,
                       "the compiler with coverage covered nothing: is it really instrumented?");
    if (s->failure.kind == VERDICT_CRASH && !crashed)
        return err_set(err, STATUS_NO,
                       "%s crashes on the program, but the build with coverage does not: not the "
                       "same compiler",
                       s->cc.name);
    if (s->failure.kind != VERDICT_HANG && ran->end == RUN_TIMEOUT)
        return err_set(err, STATUS_NO,
                       "the compiler with coverage does not finish compiling the program");
    if (s->failure.kind == VERDICT_WRONG && crashed)
        return err_set(
            err, STATUS_NO,
            "%s compiles the program, but the build with coverage does not: not the same "
            "compiler, or without its headers",
            s->cc.name);
    return true;
}

bool isolation_first_run(Isolation *iso, Error *err) {
    Subject *s = iso->subject;
    Bits bits = bits_new(s->map.n_stmts);
    Arena scratch = { 0 };
    RunResult ran;
    Str code;
    bool ok = cov_run_code(s, iso->fail, s->source, &bits, &ran, &code, &scratch, err) &&
              check_end(iso, &bits, &ran, err) && compare_builds(iso, code, err);
    if (ok && s->failure.kind == VERDICT_CRASH)
        take_frames(iso, ran.err, ran.end == RUN_SIGNALED ? ran.code : 0);
    arena_release(&scratch);
    if (!ok) {
        bits_free(&bits);
        return false;
    }
    cover_frames(iso, &bits);
    if (iso->failing.len) { /* of a larger program */
        CHECK(iso->failing.len == 1 && !iso->witnesses.len);
        bits_free(&iso->failing.at[0].bits);
        iso->failing.len = 0;
    }
    isolation_add_failing(iso, bits, STR(""), false);
    if (iso->difference.len) live_say(iso->live, STR_FMT, STR_ARG(iso->difference));
    return true;
}

/* Programs that any compiler gets right, or refuses. */
static const char empty_program[] = "int f (int x) { return x; }\n";
static const char wrong_program[] =
    "int f (int x)\n{\n  return x + undeclared_name (3 + x) * y;\n}\n";

static bool cover_program(Isolation *iso, const char *program, Bits *bits, Error *err) {
    Arena scratch = { 0 };
    *bits = bits_new(iso->subject->map.n_stmts);
    bool ok = cov_run(iso->subject, iso->fail, str_from(program), NULL, bits, NULL, &scratch, err);
    arena_release(&scratch);
    if (!ok) bits_free(bits);
    return ok;
}

bool isolation_noise(Isolation *iso, Error *err) {
    /* opt and llc never see what the front end refuses: they have not even started */
    if (iso->subject->map.n_linked > 1) return true;
    Bits clean, error;
    if (!cover_program(iso, empty_program, &clean, err)) return false;
    bool ok = cover_program(iso, wrong_program, &error, err);
    for (uint32_t i = 0; ok && i < bits_words(&error); i++) error.words[i] &= ~clean.words[i];
    bits_free(&clean);
    if (ok) iso->noise = error;
    return ok;
}

void isolation_last_resort(Isolation *iso) {
    Bits bits;
    if (iso->witnesses.len || !cover_program(iso, empty_program, &bits, NULL)) return;
    Witness w = { .kind = WITNESS_SUITE,
                  .label = STR("a function that does nothing"),
                  .program = str_from(empty_program),
                  .bits = bits };
    isolation_add(iso, w);
}

void isolation_add_failing(Isolation *iso, Bits bits, Str label, bool suite) {
    vec_push(&iso->failing, (FailingRun){ bits, arena_str(&iso->arena, label), suite });
}

double isolation_to_failing(const Isolation *iso, const Bits *bits) {
    const Bits *failing = &iso->failing.at[0].bits;
    return iso->subject->failure.kind == VERDICT_WRONG ? bits_distance(failing, bits)
                                                       : bits_distance_in(failing, bits, failing);
}

double isolation_distance(const Isolation *iso, const Bits *bits, double *least) {
    double sum = 0, low = 1;
    for (size_t i = 0; i < iso->witnesses.len; i++) {
        double d = bits_distance(&iso->witnesses.at[i].bits, bits);
        sum += d;
        if (d < low) low = d;
    }
    if (least) *least = low;
    return iso->witnesses.len ? sum / (double)iso->witnesses.len : isolation_to_failing(iso, bits);
}

bool isolation_add(Isolation *iso, Witness w) {
    double least, mean = isolation_distance(iso, &w.bits, &least);
    if (iso->witnesses.len && least <= 0) {
        bits_free(&w.bits);
        return false;
    }
    w.distance = isolation_to_failing(iso, &w.bits);
    w.id = (unsigned)iso->witnesses.len + 1;
    w.label = arena_str(&iso->arena, w.label);
    w.program = arena_str(&iso->arena, w.program);
    w.hashed = arena_str(&iso->arena, w.hashed);
    w.cure = arena_str(&iso->arena, w.cure);
    iso->quality = quality_with(&iso->quality, 1 - w.distance, mean * (double)iso->witnesses.len);
    vec_push(&iso->witnesses, w);
    return true;
}
