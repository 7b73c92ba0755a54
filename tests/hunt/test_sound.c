/* Programs with something in them that a careless variant would break, each with what must not
 * happen. */
#include "test.h"
#include "variant/mutate.h"
#include "variant/point.h"
#include "variant/profile.h"

enum { SEEDS = 4 };

static MutateChain *open_chain(const char *text, uint64_t seed, const char *list) {
    MutateOptions options = { .seed = seed, .probability = 1 };
    Error err;
    assert_true(strategies_parse(str_from(list), &options.strategies, &err));
    return mutate_open(str_from(text), &options, &err);
}

/* The text of the first variant. */
static Str first_variant(Arena *arena, const char *text, uint64_t seed, const char *list) {
    MutateChain *chain = open_chain(text, seed, list);
    assert_non_null(chain);
    Variant v;
    Error err;
    assert_true(mutate_next(chain, &v, &err));
    Str copy = arena_str(arena, v.text);
    mutate_close(chain);
    return copy;
}

static CUnit *parsed(Arena *arena, Str text) {
    Error err;
    CUnit *unit = cfront_parse(arena, text, NULL, &err);
    assert_non_null(unit);
    return unit;
}

/* What the profiler compiles, with a probe at every point. */
static Str instrumented(Arena *arena, const char *text) {
    CUnit *unit = parsed(arena, str_from(text));
    PointVec points = { 0 };
    Rng rng = rng_new(1);
    Buf out = { 0 };
    Error err;
    points_sample(arena, &rng, unit, NULL, 1, true, &points);
    assert_true(points.len > 0);
    assert_true(profile_instrument(unit, &points, &out, &err));
    Str copy = arena_str(arena, buf_view(&out));
    points_release(&points);
    buf_release(&out);
    return copy;
}

/* ---- compound literals ---- */

static const char literals[] =
    "int printf(const char *, ...);\n"
    "struct S { int a, b; };\n"
    "int n;\n"
    "int main(void) { struct S *q = 0; int *p = 0, i = 0; q = &(struct S){ 7, 8 }; i++;\n"
    "again: p = &(int){ 11 }; n += *p + q->a; if (n < 20) goto again;\n"
    "switch (i) { case 1: p = &(int){ 12 }; n += *p; i++; }\n"
    "printf(\"%d %d\\n\", n, i); return 0; }\n";

/* One of those above, and not of what was inserted. */
static bool is_own(Str text) {
    return str_starts(text, "(struct S){ 7, 8 }") || str_starts(text, "(int){ 11 }") ||
           str_starts(text, "(int){ 12 }");
}

/* Every literal of the program is in a block that the program itself has. */
static void check_literals(Arena *arena, Str text) {
    const CUnit *unit = parsed(arena, text);
    unsigned seen = 0;
    for (uint32_t i = 0; i < unit->n_exprs; i++) {
        const CExpr *e = unit->exprs[i];
        if (e->kind != CE_LITERAL || !is_own(cfront_text(unit, e->range))) continue;
        const CStmt *block = e->stmt->scope->stmt;
        assert_true(block->slot == CSL_FUNCTION || block->slot == CSL_SWITCH);
        seen++;
    }
    assert_int_equal(seen, 3);
}

static void literals_live_on(void **state) {
    (void)state;
    Arena arena = { 0 };
    check_literals(&arena, instrumented(&arena, literals));
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        check_literals(&arena, first_variant(&arena, literals, seed, "tg"));
        check_literals(&arena, first_variant(&arena, literals, seed, "fcb,tcb"));
    }
    arena_release(&arena);
}

/* ---- one object, one path ---- */

/* The second round runs the first variant: both compilers must get what the program prints. */
static void check_chains(const char *text, const char *list, uint64_t seeds) {
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        MutateChain *chain = open_chain(text, seed, list);
        assert_non_null(chain);
        Variant v;
        Error err;
        assert_true(mutate_next(chain, &v, &err));
        assert_true(mutate_next(chain, &v, &err));
        mutate_close(chain);
    }
}

static void one_object_has_one_path(void **state) {
    (void)state;
    static const char text[] =
        "int printf(const char *, ...);\n"
        "union U { int i; char c; };\nstatic union U x[1];\nstatic int done;\n"
        "int main(void) { x[0x0].i = 5; done++; (x[0]).i = 6; done++; x[0x0].i = 7; done++;\n"
        "printf(\"%d %d\\n\", x[0].i, done); return 0; }\n";
    Arena arena = { 0 };
    const CUnit *unit = parsed(&arena, str_from(text));
    PointVec points = { 0 };
    Rng rng = rng_new(1);
    points_sample(&arena, &rng, unit, NULL, 1, true, &points);
    for (size_t i = 0; i < points.len; i++)
        for (uint32_t k = 0; k < points.at[i].paths_len; k++) {
            Str path = points.at[i].paths[k].text;
            assert_true(str_is(path, "x[0].i") || str_is(path, "done"));
        }
    points_release(&points);
    arena_release(&arena);
    check_chains(text, "tcb", SEEDS);
}

/* ---- pointers past arrays ---- */

/* The number of points whose environment has the path. */
static unsigned known_at(const PointVec *points, const char *path) {
    unsigned n = 0;
    for (size_t i = 0; i < points->len; i++) n += env_find(&points->at[i].env, str_from(path)) >= 0;
    return n;
}

static void pointers_behind_arrays(void **state) {
    (void)state;
    static const char text[] =
        "int printf(const char *, ...);\n"
        "struct G { int a[2], b, c[2][2]; union { int u[2]; long l; }; int w; } g;\n"
        "struct H { struct G *x; struct P { short s; } y[2], z; } h;\n"
        "int *past = g.a + 2, *row = g.c[0] + 2, *joint = g.u + 2, *in = &g.a[1], *cell = "
        "&g.c[1][1];\n"
        "struct P *pair = h.y + 2, *one = &h.y[1];\n"
        "int main(void) { g.b = 3; g.w = 4; g.b++; printf(\"%d\\n\", g.b); return 0; }\n";
    Arena arena = { 0 };
    const CUnit *unit = parsed(&arena, str_from(text));
    PointVec points = { 0 };
    Rng rng = rng_new(1);
    Profiler profiler;
    Error err;
    points_sample(&arena, &rng, unit, NULL, 1, true, &points);
    profiler_init(&profiler, NULL, 0);
    assert_true(profile_points(&profiler, &arena, unit, &points, &err));
    assert_int_equal(known_at(&points, "(*past)"), 0);
    assert_int_equal(known_at(&points, "(*row)"), 0);
    assert_int_equal(known_at(&points, "(*joint)"), 0);
    assert_int_equal(known_at(&points, "(*pair).s"), 0);
    assert_true(known_at(&points, "(*in)") > 0);
    assert_true(known_at(&points, "(*cell)") > 0);
    assert_true(known_at(&points, "(*one).s") > 0);
    profiler_release(&profiler);
    points_release(&points);
    arena_release(&arena);
}

/* ---- operands ---- */

static unsigned count_of(Str text, const char *part) {
    unsigned n = 0;
    for (size_t at = 0; (at = str_find(text, str_from(part), at)) != STR_NONE; at++) n++;
    return n;
}

/* a == b becomes ((a == b) + e0), not (a == (b + e0)). */
static void operands_stay_whole(void **state) {
    (void)state;
    static const char text[] = "int printf(const char *, ...);\nint r;\n"
                               "void f(int a, int b) { int z = 5; r = a == b; r = z ? a : b; }\n"
                               "int main(void) { f(3, 3); printf(\"%d\\n\", r); return 0; }\n";
    Arena arena = { 0 };
    unsigned wrapped = 0;
    for (uint64_t seed = 1; seed <= 2 * SEEDS; seed++) {
        Str variant = first_variant(&arena, text, seed, "identity");
        wrapped += count_of(variant, "((a == b) + ") + count_of(variant, "((z ? a : b) + ");
        assert_int_equal(count_of(variant, "a == b + ") + count_of(variant, ": b + "), 0);
    }
    assert_true(wrapped > 0);
    arena_release(&arena);
}

/* ---- packing ---- */

static const char packed[] =
    "int printf(const char *, ...);\n"
    "#pragma pack(push)\nstruct A { char c; int i; };\n#pragma pack(1)\n"
    "struct B { char c; int i; };\nstatic struct A a; static struct B b; static int *p = &a.i;\n"
    "int main(void) { a.i++; b.i = (int)sizeof a; b.c = (char)sizeof b; a.c = *p;\n"
    "printf(\"%d %d %d %d\\n\", a.i, a.c, b.i, b.c); return 0; }\n";

static uint64_t record_size(const CUnit *unit, const char *tag) {
    for (uint32_t i = 0; i < unit->n_records; i++)
        if (str_is(unit->records[i]->tag, tag)) return unit->records[i]->type->size;
    fail_msg("no type %s", tag);
    return 0;
}

static void profiled_types_keep_their_layout(void **state) {
    (void)state;
    Arena arena = { 0 };
    const CUnit *unit = parsed(&arena, instrumented(&arena, packed));
    assert_int_equal(record_size(unit, "A"), 8);
    assert_int_equal(record_size(unit, "B"), 5);
    arena_release(&arena);
}

/* The program still packs at its end: the profiler's tables must not. */
static void tables_are_not_packed(void **state) {
    (void)state;
    Arena arena = { 0 };
    const CUnit *unit = parsed(&arena, instrumented(&arena, packed));
    for (uint32_t i = 0; i < unit->n_globals; i++)
        if (str_is(unit->globals[i]->name, "culprit_places")) {
            assert_int_equal(unit->globals[i]->type->elem->size, 40);
            assert_true(unit->globals[i]->type->count > 1);
        }
    arena_release(&arena);
}

static void new_types_are_not_packed(void **state) {
    (void)state;
    Arena arena = { 0 };
    unsigned seen = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        const CUnit *unit = parsed(&arena, first_variant(&arena, packed, seed, "tcb"));
        for (uint32_t i = 0; i < unit->n_records; i++) {
            const CRecord *record = unit->records[i];
            if (!str_starts(record->tag, "cp_")) continue;
            assert_false(record->is_packed);
            seen++;
        }
        assert_int_equal(record_size(unit, "B"), 5);
    }
    assert_true(seen > 4);
    arena_release(&arena);
}

/* ---- values that differ from run to run ---- */

typedef struct Program {
    const char *body; /* of main, after a few declarations */
    bool fits;
} Program;

static void check_programs(const Program *list, size_t n) {
    Arena arena = { 0 };
    for (size_t i = 0; i < n; i++) {
        const char *text = arena_fmt(
            &arena,
            "#include <stdlib.h>\n#include <sys/time.h>\n#include <time.h>\n#include <unistd.h>\n"
            "struct S { int a, b; }; int k, *p = &k;\n%s\n",
            list[i].body);
        MutateOptions options = { .seed = 1 };
        Error err;
        MutateChain *chain = mutate_open(str_from(text), &options, &err);
        if ((chain != NULL) != list[i].fits) print_message("# %s\n", list[i].body);
        assert_int_equal(chain != NULL, list[i].fits);
        if (chain)
            mutate_close(chain);
        else
            assert_true(str_find(str_from(err.text), STR("not mutated"), 0) != STR_NONE);
    }
    arena_release(&arena);
}

static void clocks_are_refused(void **state) {
    (void)state;
    static const Program list[] = {
        { "int main(void) { srand(time(0)); k = rand() & 1; return k; }", false },
        { "int main(void) { k = clock() > 5; return 0; }", false },
        { "int main(void) { struct timeval t; gettimeofday(&t, 0); return 0; }", false },
        { "int main(void) { long (*f)(void) = (long (*)(void))getpid; return f() == 0; }", false },
        { "int main(void) { k = __builtin_ia32_rdtsc() != 0; return 0; }", false },
        { "int main(void) { srand(5); k = rand() & 1; return 0; }", true },
        { "int main(void) { int time = 3, clock = 4; return time > clock; }", true },
        { "static int gettid(void) { return 7; } int main(void) { return gettid() - 7; }", true },
    };
    check_programs(list, COUNT_OF(list));
}

static void addresses_as_numbers_are_refused(void **state) {
    (void)state;
    static const Program list[] = {
        { "int main(void) { k = (unsigned long)&k >> 40; return 0; }", false },
        { "int main(void) { char a[8]; k = ((long)(a) & 7) == 0; return 0; }", false },
        { "long h(int *q) { return (long)q; } int main(void) { return h(0); }", false },
        { "int main(void) { k = (unsigned long)\"text\" != 0; return 0; }", false },
        { "int main(void) { k = (long)main > 0; return 0; }", false },
        { "int main(void) { k = (_Bool)p; return !p; }", true },
        { "int main(void) { k = (long)(void *)0; return 0; }", true },
        { "int main(void) { k = (long)&((struct S *)0)->b; return 0; }", true },
        { "int main(void) { k = sizeof((long)p); return 0; }", true },
        { "int main(void) { int *q = (int *)(char *)p; return p - q; }", true },
        { "int main(void) { k = (long)*p + (int)(char)p[0]; return 0; }", true },
    };
    check_programs(list, COUNT_OF(list));
}

/* ---- donors ---- */

/* A statement with a snippet in it is not a donor: the snippet's names and values belong to its
 * place. The program itself has no (( and no if. */
static void donors_are_the_programs_own(void **state) {
    (void)state;
    static const char text[] =
        "int printf(const char *, ...);\nint g = 1, n;\n"
        "void f(int x) { n += x; { g ^= n + x; n -= x; } n += g + x; }\n"
        "int main(void) { while (!g) { n = 2; g = 3; n *= 5; n += g; g--; n ^= 1; g += n; n--; }\n"
        "f(3); printf(\"%d %d\\n\", g, n); return 0; }\n";
    unsigned seen = 0;
    for (uint64_t seed = 1; seed <= 2 * SEEDS; seed++) {
        MutateChain *chain = open_chain(text, seed, "tg,identity,athena");
        assert_non_null(chain);
        Variant v = { 0 };
        Error err;
        for (unsigned round = 0; round < 3; round++) assert_true(mutate_next(chain, &v, &err));
        for (size_t i = 0; i < v.snippets_len; i++) {
            Str copy = v.snippets[i].text;
            if (v.snippets[i].strategy != STRATEGY_ATHENA || !str_starts(copy, "{ ")) continue;
            assert_int_equal(count_of(copy, "((") + count_of(copy, "if ("), 0);
            seen++;
        }
        mutate_close(chain);
    }
    assert_true(seen > 0);
}

TEST_MAIN(cmocka_unit_test(literals_live_on), cmocka_unit_test(one_object_has_one_path),
          cmocka_unit_test(pointers_behind_arrays), cmocka_unit_test(operands_stay_whole),
          cmocka_unit_test(profiled_types_keep_their_layout),
          cmocka_unit_test(tables_are_not_packed), cmocka_unit_test(new_types_are_not_packed),
          cmocka_unit_test(clocks_are_refused), cmocka_unit_test(addresses_as_numbers_are_refused),
          cmocka_unit_test(donors_are_the_programs_own))
