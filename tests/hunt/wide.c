/* Arithmetic of kernels and variants against real compilers: random typed expressions over standard
 * integers, __int128 (or _BitInt) and floating point, evaluated by wide.h and by programs that
 * gcc-12 and clang-19 compiled, with and without optimisation and under their UBSans, which must
 * have nothing to say. Only what is defined, and exact, is kept; an operator that is not gives way
 * to another.
 *
 *     wide [COUNT [SEED [FIRST]]]          prints TAP; 20000 by default
 *     wide COUNT SEED FIRST bitint         with _BitInt instead of __int128, by clang alone */
#include "variant/kernel/wide.h"
#include "base/file.h"
#include "base/rng.h"
#include "run/run.h"
#include "run/workdir.h"

enum { BATCH = 5000, GROUP = 10, DEPTH = 4, TRIES = 12 };

typedef struct Made {
    WVal value;
    char *text;
} Made;

typedef struct Gen {
    Rng *rng;
    Arena *arena; /* texts */
    bool bitint;
    Buf decls;      /* variables of the current expression */
    unsigned names; /* so far */
} Gen;

static WType any_type(Gen *g) {
    switch (rng_below(g->rng, 8)) {
    case 0:
        if (g->bitint)
            return wtype_bitint(2 + (unsigned)rng_below(g->rng, WIDE_BITS_MOST - 2),
                                rng_chance(g->rng, 0.5));
        return wtype_int128(rng_chance(g->rng, 0.5));
    case 1:
    case 2:
    case 3: return wtype_real((RealKind)rng_below(g->rng, R_KINDS));
    default: return wtype_of(ITYPE((uint8_t)rng_below(g->rng, I_KINDS)));
    }
}

static WVal any_real(Gen *g, WType type) {
    Dyadic d;
    uint64_t m = rng_below(g->rng, 2)
                     ? rng_below(g->rng, 9)
                     : rng_next(g->rng) >> (64 - rng_below(g->rng, dyadic_bits(type.kind)) - 1);
    int e = rng_chance(g->rng, 0.5) ? 0 : (int)rng_below(g->rng, 40) - 20;
    dyadic_of(rng_chance(g->rng, 0.4), m, e, &d);
    return wide_real(type, d);
}

static WVal any_value(Gen *g, WType type) {
    if (wtype_is_real(type)) return any_real(g, type);
    Bits128 bits = (Bits128)rng_next(g->rng) << 64 | rng_next(g->rng);
    switch (rng_below(g->rng, 5)) {
    case 0: return wide_value(type, rng_below(g->rng, 9));
    case 1: return wide_value(type, -(Bits128)rng_below(g->rng, 300));
    case 2: return wide_value(type, ((Bits128)1 << rng_below(g->rng, 127)) - rng_below(g->rng, 2));
    default: return wide_value(type, bits >> rng_below(g->rng, 127));
    }
}

static char *print_value(Gen *g, WVal v) {
    Buf text = { 0 };
    wide_print(v, &text);
    char *copy = arena_cstr(g->arena, buf_view(&text));
    buf_release(&text);
    return copy;
}

static char *type_name(Gen *g, WType type) {
    Buf text = { 0 };
    wtype_print(type, &text);
    char *copy = arena_cstr(g->arena, buf_view(&text));
    buf_release(&text);
    return copy;
}

static Made make_leaf(Gen *g) {
    WType type = any_type(g);
    WVal value = any_value(g, type);
    char *text = print_value(g, value);
    if (rng_chance(g->rng, 0.3)) return (Made){ value, text };
    unsigned n = g->names++;
    buf_fmt(&g->decls, "%s v%u = %s; ", type_name(g, type), n, text);
    return (Made){ value, arena_fmt(g->arena, "v%u", n) };
}

/* Neither compiler converts between floating point and every _BitInt, nor is mixing _BitInt and
 * __int128 defined here. */
static bool apart(WType a, WType b) {
    return (a.family == W_BITINT && wtype_is_real(b)) || (b.family == W_BITINT && wtype_is_real(a));
}

static bool convert(Gen *g, Made *m, WType type) {
    WVal out;
    if (apart(m->value.type, type) || wide_convert(m->value, type, &out) != EVAL_FINE) return false;
    *m = (Made){ out, arena_fmt(g->arena, "((%s)%s)", type_name(g, type), m->text) };
    return true;
}

static bool binary(Gen *g, IBinary op, const Made *a, const Made *b, Made *out) {
    bool real = wtype_is_real(a->value.type) || wtype_is_real(b->value.type);
    if (apart(a->value.type, b->value.type) || (real && !wide_real_has(op))) return false;
    if (wide_binary(op, a->value, b->value, &out->value) != EVAL_FINE) return false;
    out->text = arena_fmt(g->arena, "(%s %s %s)", a->text, eval_binary_text(op), b->text);
    return true;
}

static bool unary(Gen *g, IUnary op, Made *m) {
    WVal out;
    if (op == U_BITNOT && wtype_is_real(m->value.type)) return false;
    if (wide_unary(op, m->value, &out) != EVAL_FINE) return false;
    *m = (Made){ out, arena_fmt(g->arena, "(%s%s)", eval_unary_text(op), m->text) };
    return true;
}

static Made make(Gen *g, unsigned depth) {
    if (depth == 0) return make_leaf(g);
    Made a = make(g, depth - 1), out;
    for (unsigned i = 0; i < TRIES; i++) switch (rng_below(g->rng, 5)) {
        case 0:
            if (unary(g, (IUnary)rng_below(g->rng, U_COUNT), &a)) return a;
            break;
        case 1:
            if (convert(g, &a, any_type(g))) return a;
            break;
        default: {
            Made b = make(g, depth - 1);
            if (binary(g, (IBinary)rng_below(g->rng, B_LAND), &a, &b, &out)) return out;
        }
        }
    return a;
}

/* ---- the program ---- */
static const char head[] =
    "#include <stdio.h>\n"
    "static void put(int n, int type, unsigned __int128 v) {\n"
    "  printf(\"%d %d %llx %llx\\n\", n, type, (unsigned long long)(v >> 64), "
    "(unsigned long long)v); }\n"
    "static void put_real(int n, int type, long double v) { printf(\"%d %d %La\\n\", n, type, v); "
    "}\n"
    "#define T(e) _Generic((e), _Bool: 0, char: 1, signed char: 2, unsigned char: 3, short: 4, "
    "unsigned short: 5, int: 6, unsigned: 7, long: 8, unsigned long: 9, long long: 10, "
    "unsigned long long: 11, float: 20, double: 21, long double: 22, __int128: 30, "
    "unsigned __int128: 31, default: 40)\n";

static int type_number(WType type) {
    switch (type.family) {
    case W_STANDARD: return type.kind;
    case W_REAL: return 20 + type.kind;
    case W_INT128: return 30 + !type.is_signed;
    default: return 40;
    }
}

static void write_one(Gen *g, unsigned i, const Made *m, Buf *text, Buf *expected) {
    WVal v = m->value;
    bool real = wtype_is_real(v.type);
    buf_fmt(text, "  { %s put%s(%u, T(%s), %s); }\n", g->decls.at ? g->decls.at : "",
            real ? "_real" : "", i, m->text, m->text);
    if (real) {
        long double x = __builtin_ldexpl((long double)v.real.m, v.real.e);
        buf_fmt(expected, "%u %d %La\n", i, type_number(v.type), v.real.negative ? -x : x);
    } else
        buf_fmt(expected, "%u %d %llx %llx\n", i, type_number(v.type),
                (unsigned long long)(v.bits >> 64), (unsigned long long)v.bits);
}

static void write_batch(Gen *g, Buf *text, Buf *expected) {
    buf_text(text, head);
    for (unsigned i = 0; i < BATCH; i++) {
        if (i % GROUP == 0) buf_fmt(text, "static void f%u(void) {\n", i / GROUP);
        g->names = 0;
        buf_clear(&g->decls);
        Made m = make(g, 1 + (unsigned)rng_below(g->rng, DEPTH));
        write_one(g, i, &m, text, expected);
        if (i % GROUP == GROUP - 1) buf_text(text, "}\n");
        arena_clear(g->arena);
    }
    buf_text(text, "int main(void) {\n");
    for (unsigned i = 0; i < BATCH / GROUP; i++) buf_fmt(text, "  f%u();\n", i);
    buf_text(text, "  return 0;\n}\n");
}

/* ---- builds ---- */
typedef struct Build {
    const char *name;
    const char *argv[8];
    bool gcc;
} Build;

static const Build builds[] = {
    { "gcc-12 -O0", { "gcc-12", "-O0" }, true },
    { "gcc-12 UBSan",
      { "gcc-12", "-O0", "-fsanitize=undefined,float-cast-overflow",
        "-fsanitize-undefined-trap-on-error" },
      true },
    { "gcc-12 -O2", { "gcc-12", "-O2" }, true },
    { "clang-19 UBSan",
      { "clang-19", "-O0", "-fsanitize=undefined,float-cast-overflow", "-fsanitize-trap=all" },
      false },
    { "clang-19 -O2", { "clang-19", "-O2" }, false },
};

static Str build_and_run(Arena *arena, const Build *build, const char *dir) {
    const char *argv[16];
    unsigned n = 0;
    for (; build->argv[n]; n++) argv[n] = build->argv[n];
    const char *const more[] = { "-w", "-std=gnu2x", "wide.c", "-o", "program", NULL };
    memcpy(argv + n, more, sizeof more);
    RunSpec compile = {
        .argv = argv, .dir = dir, .profile = RUN_USER, .limits = { .wall_s = 300 }
    };
    RunResult r = run_one(arena, &compile);
    if (!run_ok(&r)) die_bug(__FILE__, __LINE__, "%s: %.*s", build->name, 400, r.err.at);
    RunSpec run = { .argv = (const char *[]){ "./program", NULL },
                    .dir = dir,
                    .profile = RUN_GENERATED,
                    .limits = { .wall_s = 60, .output = 1 << 24 } };
    r = run_one(arena, &run);
    if (!run_ok(&r)) printf("# %s: %s\n", build->name, run_describe(arena, &r));
    return r.out;
}

static unsigned compare(const Build *build, Str out, Str expected) {
    unsigned wrong = 0, shown = 0;
    Str line, want;
    while (str_split(&expected, '\n', &want)) {
        if (!str_split(&out, '\n', &line)) line = STR("nothing: it trapped before");
        if (str_eq(line, want)) continue;
        wrong++;
        if (shown++ < 3)
            printf("# %s: " STR_FMT ", expected " STR_FMT "\n", build->name, STR_ARG(line),
                   STR_ARG(want));
    }
    return wrong;
}

int main(int argc, char **argv) {
    uint64_t count = 20000, seed = 1, first = 0, wrong = 0, done = 0;
    if (argc > 1) str_to_u64(str_from(argv[1]), &count);
    if (argc > 2) str_to_u64(str_from(argv[2]), &seed);
    if (argc > 3) str_to_u64(str_from(argv[3]), &first);
    bool bitint = argc > 4;
    Arena arena = { 0 }, texts = { 0 }, results = { 0 };
    char *dir = workdir_new(&arena, "wide");
    for (; done < count; done += BATCH) {
        Rng rng = rng_stream(seed, "wide", (first + done) / BATCH);
        Gen g = { .rng = &rng, .arena = &texts, .bitint = bitint };
        Buf text = { 0 }, expected = { 0 };
        Error err;
        write_batch(&g, &text, &expected);
        if (!file_write(file_join(&results, dir, "wide.c"), buf_view(&text), &err))
            return err_report(&err);
        uint64_t before = wrong;
        for (size_t i = 0; i < COUNT_OF(builds); i++)
            if (!bitint || !builds[i].gcc)
                wrong += compare(&builds[i], build_and_run(&results, &builds[i], dir),
                                 buf_view(&expected));
        if (wrong > before) file_write("/tmp/culprit-wide-failed.c", buf_view(&text), NULL);
        buf_release(&text);
        buf_release(&expected);
        buf_release(&g.decls);
        arena_clear(&results);
    }
    workdir_remove(dir);
    arena_release(&arena);
    arena_release(&texts);
    arena_release(&results);
    printf("# %llu expressions, 0 undefined, %llu disagreements\n", (unsigned long long)done,
           (unsigned long long)wrong);
    printf("1..1\n%s 1 - wide arithmetic agrees with gcc and clang\n", wrong ? "not ok" : "ok");
    return wrong > 0;
}
