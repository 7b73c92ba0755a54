/* Coverage against the real gcov and llvm-cov: line counts must be the same, for every compiler
 * that is installed. And foreign bytes: truncated and changed notes and data are refused or read,
 * never more. */
#include "test.h"

#include "base/file.h"
#include "base/rng.h"
#include "coverage/coverage_program.h"
#include "coverage/gcov_data.h"
#include "coverage/gcov_flow.h"
#include "coverage/gcov_lines.h"
#include "run/run.h"
#include "run/workdir.h"

/* ---- programs with loops, switches, gotos, several statements on a line ---- */
static void statement(Buf *out, Rng *rng, int depth);

static void block(Buf *out, Rng *rng, int depth) {
    buf_text(out, "{");
    for (uint64_t n = 1 + rng_below(rng, 3); n; n--) statement(out, rng, depth);
    buf_text(out, "}");
    buf_text(out, rng_chance(rng, 0.6) ? "\n" : " ");
}

static void statement(Buf *out, Rng *rng, int depth) {
    uint64_t kind = depth <= 0 ? 0 : rng_below(rng, 8);
    switch (kind) {
    case 1:
        buf_fmt(out, "if (x %% %d)", 2 + (int)rng_below(rng, 4));
        block(out, rng, depth - 1);
        if (rng_chance(rng, 0.5)) buf_text(out, "else "), block(out, rng, depth - 1);
        break;
    case 2:
        buf_fmt(out, "for (int i%d = 0; i%d < %d; i%d++) ", depth, depth, (int)rng_below(rng, 5),
                depth);
        block(out, rng, depth - 1);
        break;
    case 3:
        buf_fmt(out, "{ int n = x & %d; while (n-- > 0) ", 1 + (int)rng_below(rng, 7));
        block(out, rng, depth - 1);
        buf_text(out, "}\n");
        break;
    case 4:
        buf_fmt(out,
                "switch (x %% 4) { case 0: x++;\ncase 1: x += 2; break; case 2: x ^= %d;\n break; "
                "default: x--; }\n",
                (int)rng_below(rng, 100));
        break;
    case 5:
        buf_text(out, "if (x > 40 && (x & 1 || x < 90)) { x -= 7; if (x < 0) goto end; }\n");
        break;
    case 6: buf_fmt(out, "x += g(x) ? %d : g(x + 1);\n", (int)rng_below(rng, 9)); break;
    default:
        buf_fmt(out, "x = x * %d + %d;%s", 1 + (int)rng_below(rng, 9), (int)rng_below(rng, 50),
                rng_chance(rng, 0.5) ? "\n" : " ");
    }
}

static void program(Buf *out, uint64_t seed, bool ends_inside) {
    Rng rng = rng_stream(seed, "gcov", 0);
    buf_text(out, "extern void exit(int);\nstatic volatile int sink;\nstatic int g(int y) { int s "
                  "= 0; for (int k = 0; k < y % 5; k++) s += k; return s & 1; }\n");
    for (int f = 0; f < 4; f++) {
        buf_fmt(out, "static int f%d(int x)\n{\n", f);
        for (int n = 0; n < 4; n++) statement(out, &rng, 3);
        if (f) buf_fmt(out, "if (x & 2) x += f%d(x %% 1000);\n", f - 1);
        buf_text(out, "end: return x %= 1000;\n}\n");
    }
    buf_fmt(out,
            "int main(void) { int r = 0; for (int i = 0; i < 6; i++) r += f3(sink + i * 7);\nsink "
            "= r;\n%sreturn 0; }\n",
            ends_inside ? "if (r) exit(0);\n" : "");
}

/* ---- running tools ---- */
static RunResult tool(Arena *arena, const char *dir, const char *const *argv) {
    RunSpec spec = { .argv = argv, .dir = dir, .limits = { .wall_s = 120 } };
    return run_one(arena, &spec);
}

/* Line counts as "line:count" lines, from the text form of gcov or llvm-cov. */
static void counts_of_gcov(Str text, Buf *out) {
    Str line;
    while (str_split(&text, '\n', &line)) {
        Str rest = line, count, number;
        if (!str_split(&rest, ':', &count) || !str_split(&rest, ':', &number)) continue;
        count = str_trim(count), number = str_trim(number);
        if (str_is(number, "0") || str_is(count, "-") || !count.len) continue;
        if (str_ends(count, "*")) count.len--;
        bool none = count.at[0] == '#' || count.at[0] == '=';
        buf_fmt(out, STR_FMT ":" STR_FMT "\n", STR_ARG(number), STR_ARG(none ? STR("0") : count));
    }
}

static bool our_counts(const char *dir, Buf *out, Error *err) {
    Arena arena = { 0 };
    Str notes_bytes, data_bytes;
    const char *notes_path = file_join(&arena, dir, "p.gcno"),
               *data_path = file_join(&arena, dir, "p.gcda");
    GcovNotes notes;
    bool ok = file_read(&arena, notes_path, &notes_bytes, err) &&
              file_read(&arena, data_path, &data_bytes, err) &&
              gcov_notes_read(&arena, notes_bytes, notes_path, &notes, err);
    if (ok) {
        gcov_flow_plan(&arena, &notes);
        int64_t **counters = ARENA_ARRAY(&arena, int64_t *, notes.n_functions + 1);
        ok = gcov_data_read(&arena, data_bytes, data_path, &notes, counters, err);
        GcovLines lines = { 0 };
        if (ok) gcov_lines(&notes, counters, &lines);
        for (size_t i = 0; i < lines.len; i++)
            buf_fmt(out, "%u:%lld\n", lines.at[i].line, (long long)lines.at[i].count);
        vec_release(&lines);
    }
    arena_release(&arena);
    return ok;
}

/* One program with one compiler: the same counts, or a message with both. */
static void compare_one(const char *cc, const char *const *gcov, uint64_t seed, const char *level,
                        bool ends_inside) {
    Arena arena = { 0 };
    char *dir = workdir_new(&arena, "gcov");
    Buf text = { 0 }, expected = { 0 }, got = { 0 };
    program(&text, seed, ends_inside);
    assert_true(file_write(file_join(&arena, dir, "p.c"), buf_view(&text), NULL));
    const char *const compile[] = { cc, "-w", level, "--coverage", "-c", "p.c", "-o", "p.o", NULL };
    const char *const link[] = { cc, "--coverage", "p.o", "-o", "p", NULL };
    const char *const go[] = { "./p", NULL };
    RunResult r = tool(&arena, dir, compile);
    assert_true(run_ok(&r));
    r = tool(&arena, dir, link);
    assert_true(run_ok(&r));
    r = tool(&arena, dir, go);
    assert_int_equal(r.end, RUN_EXITED);
    r = tool(&arena, dir, gcov);
    assert_true(run_ok(&r));
    counts_of_gcov(r.out, &expected);
    Error err = { 0 };
    if (!our_counts(dir, &got, &err)) fail_msg("%s %s seed %d: %s", cc, level, (int)seed, err.text);
    if (!str_eq(buf_view(&expected), buf_view(&got)))
        fail_msg("%s %s seed %d differs:\n%s\n--- gcov:\n%s--- ours:\n%s", cc, level, (int)seed,
                 text.at, expected.at, got.at);
    if (got.len <= 5) fail_msg("%s %s seed %d: no counts\n%s", cc, level, (int)seed, text.at);
    buf_release(&text);
    buf_release(&expected);
    buf_release(&got);
    workdir_remove(dir);
    arena_release(&arena);
}

static bool there(const char *name) {
    Arena arena = { 0 };
    bool found = file_find_program(&arena, name) != NULL;
    arena_release(&arena);
    return found;
}

static void gcc_like_gcov(void **state) {
    (void)state;
    static const char *const pairs[][2] = { { "gcc-11", "gcov-11" },
                                            { "gcc-12", "gcov-12" },
                                            { "gcc", "gcov" } }; /* this release's own */
    static const char *const levels[] = { "-O0", "-O1", "-O2" };
    unsigned compared = 0;
    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        if (!there(pairs[i][0])) continue;
        const char *const gcov[] = { pairs[i][1], "-t", "p.c", NULL };
        for (uint64_t seed = 0; seed < 9; seed++, compared++)
            compare_one(pairs[i][0], gcov, seed + 100 * i, levels[seed % 3], seed % 4 == 3);
    }
    assert_true(compared >= 9);
}

static void clang_like_llvm_cov(void **state) {
    (void)state;
    static const char *const compilers[] = { "clang-14", "clang-16", "clang-19" };
    const char *const gcov[] = { "llvm-cov-19", "gcov", "-t", "p.c", NULL };
    unsigned compared = 0;
    for (size_t i = 0; i < COUNT_OF(compilers); i++) {
        Arena arena = { 0 };
        const char *runtime = arena_fmt(&arena, "/usr/lib/llvm-%s/lib/clang", compilers[i] + 6);
        bool usable = there(compilers[i]) && file_is_dir(runtime);
        if (usable) { /* its runtime library is in a separate package */
            const char *const probe[] = { compilers[i],
                                          "-print-file-name=libclang_rt.profile-x86_64.a", NULL };
            const char *const older[] = { compilers[i], "-print-file-name=libclang_rt.profile.a",
                                          NULL };
            RunResult a = tool(&arena, NULL, probe), b = tool(&arena, NULL, older);
            usable = (a.out.len && a.out.at[0] == '/') || (b.out.len && b.out.at[0] == '/');
        }
        for (uint64_t seed = 0; usable && seed < 5; seed++, compared++)
            compare_one(compilers[i], gcov, seed + 300 + 10 * i, seed % 2 ? "-O1" : "-O0", false);
        arena_release(&arena);
    }
    assert_true(compared >= 5);
}

/* ---- foreign bytes ---- */
typedef struct Sample {
    Str notes, data;
} Sample;

static Sample sample(Arena *arena, const char *cc) {
    char *dir = workdir_new(arena, "gcov");
    Buf text = { 0 };
    program(&text, 7, false);
    assert_true(file_write(file_join(arena, dir, "p.c"), buf_view(&text), NULL));
    const char *const compile[] = { cc, "-w", "--coverage", "-c", "p.c", "-o", "p.o", NULL };
    const char *const link[] = { cc, "--coverage", "p.o", "-o", "p", NULL };
    const char *const go[] = { "./p", NULL };
    RunResult r = tool(arena, dir, compile);
    assert_true(run_ok(&r));
    r = tool(arena, dir, link);
    assert_true(run_ok(&r));
    tool(arena, dir, go);
    Sample s;
    assert_true(file_read(arena, file_join(arena, dir, "p.gcno"), &s.notes, NULL));
    assert_true(file_read(arena, file_join(arena, dir, "p.gcda"), &s.data, NULL));
    buf_release(&text);
    workdir_remove(dir);
    return s;
}

static void read_both(Str notes_bytes, Str data_bytes) {
    Arena arena = { 0 };
    GcovNotes notes;
    Error err = { 0 };
    if (gcov_notes_read(&arena, notes_bytes, "x.gcno", &notes, &err)) {
        gcov_flow_plan(&arena, &notes);
        int64_t **counters = ARENA_ARRAY(&arena, int64_t *, notes.n_functions + 1);
        GcovLines lines = { 0 };
        if (gcov_data_read(&arena, data_bytes, "x.gcda", &notes, counters, &err))
            gcov_lines(&notes, counters, &lines);
        vec_release(&lines);
    } else
        assert_int_equal(err.status, STATUS_BAD);
    arena_release(&arena);
}

static void hostile_bytes(void **state) {
    (void)state;
    static const char *const compilers[] = { "gcc-11", "gcc-12", "clang-19" };
    Rng rng = rng_stream(1, "hostile", 0);
    for (size_t i = 0; i < COUNT_OF(compilers); i++) {
        if (!there(compilers[i])) continue;
        Arena arena = { 0 };
        Sample s = sample(&arena, compilers[i]);
        for (size_t n = 0; n < s.notes.len; n += 1 + s.notes.len / 300)
            read_both(str_sub(s.notes, 0, n), s.data);
        for (size_t n = 0; n < s.data.len; n += 1 + s.data.len / 300)
            read_both(s.notes, str_sub(s.data, 0, n));
        for (int k = 0; k < 3000; k++) {
            Arena one = { 0 };
            char *notes = arena_copy(&one, s.notes.at, s.notes.len),
                 *data = arena_copy(&one, s.data.at, s.data.len);
            for (int flips = 1 + (int)rng_below(&rng, 4); flips; flips--) {
                static const unsigned char nasty[] = { 0, 1, 4, 0x7f, 0x80, 0xff };
                char byte = (char)nasty[rng_below(&rng, sizeof nasty)];
                if (k % 3)
                    notes[12 + rng_below(&rng, s.notes.len - 12)] = byte;
                else
                    data[12 + rng_below(&rng, s.data.len - 12)] = byte;
            }
            read_both((Str){ notes, s.notes.len }, (Str){ data, s.data.len });
            arena_release(&one);
        }
        arena_release(&arena);
    }
}

static void refuses_other_builds(void **state) {
    (void)state;
    Arena arena = { 0 };
    Sample a = sample(&arena, "gcc-12"), b = sample(&arena, "gcc-12"),
           old = sample(&arena, "gcc-11");
    GcovNotes notes;
    Error err = { 0 };
    assert_true(gcov_notes_read(&arena, a.notes, "a.gcno", &notes, &err));
    int64_t **counters = ARENA_ARRAY(&arena, int64_t *, notes.n_functions + 1);
    assert_true(gcov_data_read(&arena, a.data, "a.gcda", &notes, counters, &err));
    assert_false(gcov_data_read(&arena, b.data, "b.gcda", &notes, counters, &err)); /* its stamp */
    assert_non_null(strstr(err.text, "another build"));
    assert_false(gcov_data_read(&arena, old.data, "old.gcda", &notes, counters, &err));
    assert_non_null(strstr(err.text, "another build"));
    assert_false(gcov_notes_read(&arena, STR("#!/bin/sh"), "script", &notes, &err));
    assert_non_null(strstr(err.text, "script: not a gcov notes"));
    arena_release(&arena);
}

/* ---- versions without a compiler here: the bytes, made by hand ---- */
static void put(Buf *out, uint32_t word) {
    buf_add(out, &word, 4);
}
static void put_str(Buf *out, const char *text, bool bytes) {
    size_t n = strlen(text) + 1;
    if (bytes) {
        put(out, (uint32_t)n);
        buf_add(out, text, n);
        return;
    }
    size_t words = (n + 3) / 4;
    put(out, (uint32_t)words);
    char padded[64] = { 0 };
    memcpy(padded, text, n);
    buf_add(out, padded, words * 4);
}
static void put_record(Buf *out, uint32_t tag, const Buf *body, bool bytes) {
    put(out, tag);
    put(out, (uint32_t)(bytes ? body->len : body->len / 4));
    buf_add(out, body->at, body->len);
}

/* int f(void) on line 3 with one block: entry -> 2 -> exit, counter on 2 -> exit. */
static void made_notes(Buf *out, const char *version, bool bytes, bool checksum) {
    put(out, GCOV_MAGIC_NOTES);
    put(out,
        (uint32_t)version[0] << 24 | (uint32_t)version[1] << 16 | (uint32_t)version[2] << 8 | '*');
    put(out, 77); /* stamp */
    if (checksum) put(out, 0);
    put_str(out, "/d", bytes);
    put(out, 1);
    Buf body = { 0 };
    put(&body, 5), put(&body, 6), put(&body, 7);
    put_str(&body, "f", bytes);
    put(&body, 0);
    put_str(&body, "a.c", bytes);
    put(&body, 3), put(&body, 1), put(&body, 4), put(&body, 9);
    put_record(out, GCOV_TAG_FUNCTION, &body, bytes);
    buf_clear(&body);
    put(&body, 3);
    put_record(out, GCOV_TAG_BLOCKS, &body, bytes);
    buf_clear(&body);
    put(&body, 0), put(&body, 2), put(&body, GCOV_ARC_ON_TREE | GCOV_ARC_FALLTHROUGH);
    put_record(out, GCOV_TAG_ARCS, &body, bytes);
    buf_clear(&body);
    put(&body, 2), put(&body, 1), put(&body, 0);
    put_record(out, GCOV_TAG_ARCS, &body, bytes);
    buf_clear(&body);
    put(&body, 2), put(&body, 0);
    put_str(&body, "a.c", bytes);
    put(&body, 3), put(&body, 0), put(&body, 0);
    put_record(out, GCOV_TAG_LINES, &body, bytes);
    buf_release(&body);
}

static void made_data(Buf *out, const char *version, bool bytes, bool checksum, bool zeros) {
    put(out, GCOV_MAGIC_DATA);
    put(out,
        (uint32_t)version[0] << 24 | (uint32_t)version[1] << 16 | (uint32_t)version[2] << 8 | '*');
    put(out, 77);
    if (checksum) put(out, 9);
    Buf body = { 0 };
    put(&body, 5), put(&body, 6), put(&body, 7);
    put_record(out, GCOV_TAG_FUNCTION, &body, bytes);
    put(out, GCOV_TAG_COUNTERS);
    uint32_t length = bytes ? 8 : 2;
    put(out, zeros ? 0u - length : length);
    if (!zeros) put(out, 41), put(out, 0);
    buf_release(&body);
}

static void versions_by_hand(void **state) {
    (void)state;
    static const struct {
        const char *version;
        bool bytes, checksum, known;
    } versions[] = { { "A93", false, false, true }, { "B04", false, false, true },
                     { "B13", false, false, true }, { "B22", true, true, true },
                     { "B32", true, true, true },   { "B42", true, true, true },
                     { "B51", true, true, true },   { "B62", true, true, true },
                     { "B71", true, true, false },  { "A75", false, false, false } };
    for (size_t i = 0; i < COUNT_OF(versions); i++)
        for (int zeros = 0; zeros < 2; zeros++) {
            Arena arena = { 0 };
            Buf notes_bytes = { 0 }, data_bytes = { 0 };
            made_notes(&notes_bytes, versions[i].version, versions[i].bytes, versions[i].checksum);
            made_data(&data_bytes, versions[i].version, versions[i].bytes, versions[i].checksum,
                      zeros);
            GcovNotes notes;
            Error err = { 0 };
            bool ok = gcov_notes_read(&arena, buf_view(&notes_bytes), "v.gcno", &notes, &err);
            assert_int_equal(ok, versions[i].known);
            if (ok) {
                int64_t *counters[1] = { NULL };
                gcov_flow_plan(&arena, &notes);
                if (!gcov_data_read(&arena, buf_view(&data_bytes), "v.gcda", &notes, counters,
                                    &err))
                    fail_msg("%s: %s", versions[i].version, err.text);
                GcovLines lines = { 0 };
                gcov_lines(&notes, counters, &lines);
                assert_int_equal(lines.len, 1);
                assert_int_equal(lines.at[0].line, 3);
                assert_int_equal(lines.at[0].count, zeros ? 0 : 41);
                vec_release(&lines);
            } else
                assert_non_null(strstr(err.text, "unknown gcov format"));
            buf_release(&notes_bytes);
            buf_release(&data_bytes);
            arena_release(&arena);
        }
}

/* ---- the compiled form: the same bits as the solved flow, whatever the counters are ---- */
/* Every block of the notes is a statement of its own. */
typedef struct Compiled {
    GcovNotes notes;
    CovProgram program;
    uint32_t *first;   /* per function: its first statement */
    uint32_t *counter; /* per function: its first counter, with gaps of others' words between */
    uint32_t n_stmts, words;
} Compiled;

static void compile_notes(Arena *arena, Str bytes, Compiled *c) {
    assert_true(gcov_notes_read(arena, bytes, "p.gcno", &c->notes, NULL));
    gcov_flow_plan(arena, &c->notes);
    c->first = ARENA_ARRAY(arena, uint32_t, c->notes.n_functions);
    c->counter = ARENA_ARRAY(arena, uint32_t, c->notes.n_functions);
    for (uint32_t f = 0; f < c->notes.n_functions; f++) {
        c->first[f] = c->n_stmts;
        c->counter[f] = c->words += f * 5;
        c->n_stmts += c->notes.functions[f].n_blocks;
        c->words += c->notes.functions[f].n_counters;
    }
    c->words = (c->words + 63) / 64 * 64;
    covprogram_init(&c->program, c->words);
    for (uint32_t f = 0; f < c->notes.n_functions; f++) {
        const GcovFunction *fn = &c->notes.functions[f];
        uint32_t *at = ARENA_ARRAY(arena, uint32_t, fn->n_blocks + 1);
        uint32_t *stmts = ARENA_ARRAY(arena, uint32_t, fn->n_blocks + 1);
        for (uint32_t b = 0; b <= fn->n_blocks; b++) at[b] = b, stmts[b] = c->first[f] + b;
        assert_true(covprogram_add(&c->program, fn, c->counter[f], at, stmts));
    }
    covprogram_finish(&c->program);
}

static void check_solved(Arena *arena, Compiled *c, const int64_t *image, const Bits *bits) {
    for (uint32_t f = 0; f < c->notes.n_functions; f++) {
        const GcovFunction *fn = &c->notes.functions[f];
        int64_t *blocks = ARENA_ARRAY(arena, int64_t, fn->n_blocks + 1);
        int64_t *arcs = ARENA_ARRAY(arena, int64_t, fn->n_arcs + 1);
        uint64_t any = 0;
        for (uint32_t k = 0; k < fn->n_counters; k++) any |= (uint64_t)image[c->counter[f] + k];
        gcov_flow_solve(fn, image + c->counter[f], blocks, arcs);
        for (uint32_t b = 0; b < fn->n_blocks; b++) /* smashed counters are ignored */
            assert_int_equal(bits_has(bits, c->first[f] + b), !(any >> 40) && blocks[b] != 0);
        assert_int_equal(covprogram_ran(&c->program, c->counter[f], fn->n_counters),
                         any && !(any >> 40));
    }
}

static void compiled_like_solved(void **state) {
    (void)state;
    Arena arena = { 0 };
    Compiled c = { 0 };
    compile_notes(&arena, sample(&arena, there("gcc-12") ? "gcc-12" : "gcc").notes, &c);
    int64_t *image = ARENA_ARRAY(&arena, int64_t, c.words);
    Bits bits = bits_new(c.n_stmts);
    uint32_t covered = 0;
    for (uint64_t seed = 0; seed < 3000; seed++) {
        Rng rng = rng_stream(seed, "compiled", 0);
        uint64_t set = 1 + rng_below(&rng, 100), most = seed % 3 ? 3 : 1000;
        for (uint32_t w = 0; w < c.words; w++)
            image[w] = rng_below(&rng, 100) < set ? (int64_t)rng_below(&rng, most) : 0;
        if (seed % 10 == 9) image[rng_below(&rng, c.words)] = INT64_MIN + 5;
        bits_clear(&bits);
        CovExtent all = { 0, c.words };
        covprogram_run(&c.program, image, &all, 1, &bits);
        check_solved(&arena, &c, image, &bits);
        covered += bits_count(&bits);
    }
    assert_true(covered > 3000);
    bits_free(&bits);
    covprogram_release(&c.program);
    arena_release(&arena);
}

TEST_MAIN(cmocka_unit_test(gcc_like_gcov), cmocka_unit_test(clang_like_llvm_cov),
          cmocka_unit_test(hostile_bytes), cmocka_unit_test(refuses_other_builds),
          cmocka_unit_test(versions_by_hand), cmocka_unit_test(compiled_like_solved))
