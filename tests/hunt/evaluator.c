/* The evaluator of C's integer arithmetic against real compilers: random typed expressions over
 * random values, evaluated by eval.c and by programs that gcc-12 and clang-19 compiled.
 *
 *     evaluator [COUNT [SEED]]      prints TAP; 20000 by default
 *
 * Each batch is one C file, GROUP expressions to a function (compilers' time is per function).
 * Built with UBSan in trap mode, an undefined expression raises SIGILL, which the program catches
 * and records: so the verdict "undefined" is compared for every expression. Built plainly with -O2,
 * the defined ones must give the same value again. The type is determined with _Generic.
 *
 *     evaluator COUNT SEED FIRST    does COUNT expressions from number FIRST on of the same series
 */
#include "base/file.h"
#include "base/rng.h"
#include "run/run.h"
#include "run/workdir.h"
#include "variant/eval.h"

enum { BATCH = 10000, GROUP = 10, DEPTH = 4 };

typedef struct Expected {
    bool undefined; /* some evaluated operator is undefined */
    IVal value;     /* else its value and type */
} Expected;

/* One expression under construction. */
typedef struct Made {
    bool undefined;
    IVal value;
    char *text;
} Made;

typedef struct Gen {
    Rng *rng;
    Arena *arena;   /* texts */
    Buf decls;      /* variables of the current expression */
    unsigned names; /* variables so far */
} Gen;

static IType random_type(Rng *rng) {
    IType type = ITYPE((uint8_t)rng_below(rng, I_KINDS));
    if (!rng_chance(rng, 0.2)) return type;
    unsigned bits = itype_bits(type);
    type.width = (uint8_t)(1 + rng_below(rng, bits));
    return type;
}

static IVal random_value(Rng *rng, IType type) {
    switch (rng_below(rng, 6)) {
    case 0: return (IVal){ itype_min(type), type };
    case 1: return (IVal){ itype_max(type), type };
    case 2: return ival(type, rng_between(rng, -3, 3));
    case 3: return ival(type, rng_between(rng, -200, 200));
    case 4:
        return ival(type, (int64_t)((uint64_t)1 << rng_below(rng, 64)) - rng_between(rng, 0, 1));
    default: return ival(type, (int64_t)rng_next(rng));
    }
}

/* A fresh variable, or member of a fresh struct for a bit-field; its text names the lvalue. */
static Made make_variable(Gen *g) {
    IType type = random_type(g->rng);
    IVal value = random_value(g->rng, type);
    unsigned n = g->names++;
    if (type.width)
        buf_fmt(&g->decls, "struct { %s f : %u; } v%u; v%u.f = ", itype_name(type), type.width, n,
                n);
    else
        buf_fmt(&g->decls, "%s v%u = ", itype_name(type), n);
    ival_print(value, &g->decls);
    buf_text(&g->decls, ";\n  ");
    return (Made){ false, value, arena_fmt(g->arena, "v%u%s", n, type.width ? ".f" : "") };
}

/* Bit-fields wider than int leave their type at once: gcc and clang differ on them. */
static Made settle_field(Gen *g, Made m) {
    if (itype_agreed(m.value.type)) return m;
    m.value = eval_cast(m.value, ITYPE(m.value.type.kind));
    m.text = arena_fmt(g->arena, "((%s)(%s))", itype_name(m.value.type), m.text);
    return m;
}

static Made make(Gen *g, unsigned depth);

static Made make_leaf(Gen *g) {
    if (rng_chance(g->rng, 0.75)) return settle_field(g, make_variable(g));
    IType type = random_type(g->rng);
    type.width = 0;
    IVal value = random_value(g->rng, type);
    Buf text = { 0 };
    ival_print(value, &text);
    Made m = { false, value, arena_cstr(g->arena, buf_view(&text)) };
    buf_release(&text);
    return m;
}

static Made make_unary(Gen *g, unsigned depth) {
    IUnary op = (IUnary)rng_below(g->rng, U_COUNT);
    Made a = make(g, depth - 1), m = { .undefined = a.undefined };
    if (!m.undefined) m.undefined = eval_unary(op, a.value, &m.value) != EVAL_FINE;
    if (m.undefined) m.value = ival(itype_unary(op, a.value.type), 0);
    m.text = arena_fmt(g->arena, "(%s%s)", eval_unary_text(op), a.text);
    return m;
}

/* Whether the right operand is evaluated at all. */
static bool right_counts(IBinary op, const Made *a) {
    if (op == B_LAND) return !ival_is_zero(a->value);
    if (op == B_LOR) return ival_is_zero(a->value);
    return true;
}

static Made make_binary(Gen *g, unsigned depth) {
    IBinary op = (IBinary)rng_below(g->rng, B_COUNT);
    Made a = make(g, depth - 1), b = make(g, depth - 1);
    Made m = { .undefined = a.undefined };
    if (!m.undefined && right_counts(op, &a)) m.undefined = b.undefined;
    if (!m.undefined) m.undefined = eval_binary(op, a.value, b.value, &m.value) != EVAL_FINE;
    if (m.undefined) m.value = ival(itype_binary(op, a.value.type, b.value.type), 0);
    m.text = arena_fmt(g->arena, "(%s %s %s)", a.text, eval_binary_text(op), b.text);
    return m;
}

static Made make_conditional(Gen *g, unsigned depth) {
    Made t = make(g, depth - 1), a = make(g, depth - 1), b = make(g, depth - 1);
    Made m = { .undefined = t.undefined };
    if (!m.undefined) m.undefined = ival_is_zero(t.value) ? b.undefined : a.undefined;
    m.value = eval_conditional(t.value, a.value, b.value);
    m.text = arena_fmt(g->arena, "(%s ? %s : %s)", t.text, a.text, b.text);
    return m;
}

static Made make_cast(Gen *g, unsigned depth) {
    IType type = ITYPE((uint8_t)rng_below(g->rng, I_KINDS));
    Made a = make(g, depth - 1);
    a.value = eval_cast(a.value, type);
    a.text = arena_fmt(g->arena, "((%s)%s)", itype_name(type), a.text);
    return a;
}

/* ++ and -- of a bit-field that becomes int can overflow where a UBSan is silent (they look at
 * += 1): of an unsigned one of 31 bits both are, of one of 32 bits declared long clang's is, which
 * does not promote it there. */
static bool step_unseen(IType type) {
    if (type.width == 31 && !itype_signed(type)) return true;
    return type.width == 32 && itype_signed(type) && itype_bits(ITYPE(type.kind)) > 32;
}

/* =, op=, ++ and -- on a variable that occurs nowhere else. */
static Made make_assignment(Gen *g, unsigned depth) {
    Made v = make_variable(g), m = { 0 };
    unsigned form = itype_agreed(v.value.type) ? (unsigned)rng_below(g->rng, 4) : 0;
    if (form >= 2 && step_unseen(v.value.type)) form = 1;
    if (form >= 2) {
        bool up = rng_chance(g->rng, 0.5), prefix = form == 2;
        IVal stored = v.value;
        m.undefined = eval_step(v.value, up ? 1 : -1, &stored) != EVAL_FINE;
        m.value = prefix ? stored : v.value;
        const char *op = up ? "++" : "--";
        m.text = arena_fmt(g->arena, "(%s%s%s)", prefix ? op : "", v.text, prefix ? "" : op);
        if (prefix || !v.value.type.width) return m;
        /* clang does not promote a bit-field's old value, gcc does: cast it as well. */
        m.value = eval_cast(m.value, ITYPE(m.value.type.kind));
        m.text = arena_fmt(g->arena, "((%s)%s)", itype_name(m.value.type), m.text);
        return m;
    }
    Made e = make(g, depth - 1);
    m.undefined = e.undefined;
    if (form == 0) {
        m.value = eval_cast(e.value, v.value.type);
        m.text = arena_fmt(g->arena, "(%s = %s)", v.text, e.text);
        return settle_field(g, m);
    }
    IBinary op = (IBinary)rng_below(g->rng, B_LT);
    m.value = v.value;
    if (!m.undefined) m.undefined = eval_compound(op, v.value, e.value, &m.value) != EVAL_FINE;
    m.text =
        arena_fmt(g->arena, "C%u(%s, %s, %s)", itype_binary(op, v.value.type, e.value.type).kind,
                  v.text, eval_binary_text(op), e.text);
    return m;
}

static Made make_any(Gen *g, unsigned depth) {
    if (depth == 0) return make_leaf(g);
    static const double weight[] = { 1, 2, 8, 1, 1, 1 };
    switch (rng_weighted(g->rng, weight, COUNT_OF(weight))) {
    case 0: return make_leaf(g);
    case 1: return make_unary(g, depth);
    case 2: return make_binary(g, depth);
    case 3: return make_conditional(g, depth);
    case 4: return make_cast(g, depth);
    default: return make_assignment(g, depth);
    }
}

/* gcc folds !(a - b), constants and narrowed products before UBSan sees them. For its UBSan build
 * the result of every operator goes through a function of its type (S6 is that of int), and op= is
 * spelt out; for all others these macros are nothing. */
static Made make(Gen *g, unsigned depth) {
    Made m = make_any(g, depth);
    if (!m.value.type.width) m.text = arena_fmt(g->arena, "S%u(%s)", m.value.type.kind, m.text);
    return m;
}

static void write_macros(Buf *text) {
    for (uint8_t k = 0; k < I_KINDS; k++) {
        const char *name = itype_name(ITYPE(k));
        buf_fmt(text,
                "#ifdef OPAQUE\nstatic %s S%u(%s x) { return x; }\n"
                "#define C%u(v, op, e) (v = S%u(v op e))\n"
                "#else\n#define S%u(x) x\n#define C%u(v, op, e) (v op##= e)\n#endif\n",
                name, k, name, k, k, k, k);
    }
}

/* The program around the expressions: runs each, catches SIGILL, prints "number type value". */
static const char program_head[] =
    "#include <setjmp.h>\n#include <signal.h>\n#include <stdio.h>\n"
    "static sigjmp_buf back;\n"
    "static void trapped(int s) { (void)s; siglongjmp(back, 1); }\n"
    "static int type; static unsigned long long value;\n"
    "#define T(e) _Generic((e), _Bool: 0, char: 1, signed char: 2, unsigned char: 3, short: 4, "
    "unsigned short: 5, int: 6, unsigned: 7, long: 8, unsigned long: 9, long long: 10, "
    "unsigned long long: 11)\n"
    "#define R(e) __auto_type r = (e); type = T(r); value = (unsigned long long)r;\n";
static const char program_tail[] =
    "int main(void) {\n"
    "  signal(SIGILL, trapped); signal(SIGFPE, trapped);\n"
    "  for (volatile int i = 0; i < COUNT; i++) {\n"
    "    if (sigsetjmp(back, 1)) { printf(\"%d -1 0\\n\", i); continue; }\n"
    "    all[i / GROUP](i % GROUP);\n"
    "    printf(\"%d %d %llx\\n\", i, type, value);\n"
    "  }\n  return 0;\n}\n";

/* A function that a compiler crashes on is left out with -DSKIPn. */
static void open_group(Buf *out, unsigned group) {
    buf_fmt(out,
            "static void f%u(int k) {\n#ifdef SKIP%u\n  type = -2; value = 0;\n#else\n"
            "  switch (k) {\n",
            group, group);
}

static void write_case(Buf *out, unsigned i, const Gen *g, const char *expr, bool whole) {
    buf_fmt(out, "  case %u: {", i % GROUP);
    if (whole)
        buf_fmt(out, "%s R(%s) break; }\n", g->decls.at ? g->decls.at : "", expr);
    else
        buf_text(out, "type = -1; value = 0; break; }\n");
}

static void close_group(Buf *out) {
    buf_text(out, "  }\n#endif\n}\n");
}

static Made make_whole(Gen *g) {
    g->names = 0;
    buf_clear(&g->decls);
    Made m = make(g, 1 + (unsigned)rng_below(g->rng, DEPTH));
    if (m.value.type.width) { /* a bit-field's own type cannot be determined */
        eval_unary(U_PLUS, m.value, &m.value);
        m.text = arena_fmt(g->arena, "(+%s)", m.text);
    }
    return m;
}

static void write_batch(Gen *g, Buf *text, Buf *plain, Expected *expected) {
    buf_fmt(text, "enum { COUNT = %u, GROUP = %u };\n%s", BATCH, GROUP, program_head);
    write_macros(text);
    buf_str(plain, buf_view(text));
    Buf table = { 0 };
    for (unsigned i = 0; i < BATCH; i++) {
        if (i % GROUP == 0) {
            open_group(text, i / GROUP);
            open_group(plain, i / GROUP);
            buf_fmt(&table, "f%u, ", i / GROUP);
        }
        Made m = make_whole(g);
        expected[i] = (Expected){ m.undefined, m.value };
        write_case(text, i, g, m.text, true);
        write_case(plain, i, g, m.text, !m.undefined);
        if (i % GROUP == GROUP - 1) {
            close_group(text);
            close_group(plain);
        }
        arena_clear(g->arena);
    }
    buf_fmt(text, "static void (*all[])(int) = { %s};\n%s", table.at, program_tail);
    buf_fmt(plain, "static void (*all[])(int) = { %s};\n%s", table.at, program_tail);
    buf_release(&table);
}

typedef struct Build {
    const char *name;
    const char *argv[8]; /* compiler and flags; the files are added */
    bool traps;          /* undefined expressions are in it */
} Build;

static const Build builds[] = {
    { "gcc-12 UBSan",
      { "gcc-12", "-O0", "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error", "-DOPAQUE",
        NULL },
      true },
    { "clang-19 UBSan",
      { "clang-19", "-O0", "-fsanitize=undefined", "-fsanitize-trap=undefined", NULL },
      true },
    { "gcc-12 -O2", { "gcc-12", "-O2", NULL }, false },
    { "clang-19 -O2", { "clang-19", "-O2", NULL }, false },
};

/* The number N of "In function 'fN'" in a crashed compiler's message; false when there is none. */
static bool crashed_function(Str message, unsigned *number) {
    size_t at = str_find(message, STR("In function"), 0);
    if (at == STR_NONE || str_find(message, STR("internal compiler error"), 0) == STR_NONE)
        return false;
    while (at < message.len &&
           !(message.at[at] == 'f' && sscanf(message.at + at, "f%u", number) == 1))
        at++;
    return at < message.len;
}

static Str build_and_run(Arena *arena, const Build *build, const char *dir) {
    const char *argv[64];
    unsigned n = 0, bad;
    RunResult r;
    for (; build->argv[n]; n++) argv[n] = build->argv[n];
    argv[n++] = "-w";
    argv[n++] = build->traps ? "text.c" : "plain.c";
    argv[n++] = "-o";
    argv[n++] = "program";
    for (;;) {
        argv[n] = NULL;
        RunSpec compile = {
            .argv = argv, .dir = dir, .profile = RUN_USER, .limits = { .wall_s = 300 }
        };
        r = run_one(arena, &compile);
        if (run_ok(&r)) break;
        if (n == 60 || !crashed_function(r.err, &bad))
            die_bug(__FILE__, __LINE__, "%s: %.*s", build->name, 400, r.err.at);
        size_t from = str_find(r.err, STR("internal compiler error"), 0);
        Str line, rest = str_sub(r.err, from, r.err.len);
        str_split(&rest, '\n', &line);
        printf("# %s crashes on f%u: " STR_FMT "\n", build->name, bad, STR_ARG(line));
        argv[n++] = arena_fmt(arena, "-DSKIP%u", bad);
    }
    RunSpec run = { .argv = (const char *[]){ "./program", NULL },
                    .dir = dir,
                    .profile = RUN_GENERATED,
                    .limits = { .wall_s = 60, .output = 1 << 24 } };
    r = run_one(arena, &run);
    if (!run_ok(&r)) die_bug(__FILE__, __LINE__, "%s: %s", build->name, run_describe(arena, &r));
    return r.out;
}

/* The text of expression i, for messages. */
static Str expression_text(Str program, unsigned i) {
    char key[32];
    snprintf(key, sizeof key, "static void f%u(", i / GROUP);
    size_t from = str_find(program, str_from(key), 0);
    if (from == STR_NONE) return STR("");
    snprintf(key, sizeof key, "  case %u: {", i % GROUP);
    from = str_find(program, str_from(key), from);
    return str_sub(program, from, str_find(program, STR(" break; }\n"), from));
}

static unsigned compare(const Build *build, Str out, const Expected *expected, Str program) {
    unsigned wrong = 0;
    for (unsigned i = 0; i < BATCH; i++) {
        Str line;
        if (!str_split(&out, '\n', &line))
            die_bug(__FILE__, __LINE__, "%s: short output", build->name);
        int number = -1, type = -2;
        unsigned long long value = 0;
        sscanf(line.at, "%d %d %llx", &number, &type, &value);
        const Expected *e = &expected[i];
        if (type == -2) continue; /* the compiler crashed on it: reported above */
        bool good =
            e->undefined ? type == -1 : type == e->value.type.kind && value == e->value.bits;
        if (good) continue;
        if (wrong++ < 3)
            printf("# %s: expected %s %s %llx, got type %d value %llx\n# %.*s\n", build->name,
                   e->undefined ? "undefined" : "defined", itype_name(e->value.type),
                   (unsigned long long)e->value.bits, type, value,
                   STR_ARG(expression_text(program, i)));
    }
    return wrong;
}

int main(int argc, char **argv) {
    uint64_t count = 20000, seed = 1, first = 0;
    if (argc > 1) str_to_u64(str_from(argv[1]), &count);
    if (argc > 2) str_to_u64(str_from(argv[2]), &seed);
    if (argc > 3) str_to_u64(str_from(argv[3]), &first);
    Arena arena = { 0 }, texts = { 0 }, results = { 0 };
    char *dir = workdir_new(&arena, "evaluator");
    Expected *expected = ARENA_ARRAY(&arena, Expected, BATCH);
    uint64_t wrong = 0, undefined = 0, done = 0;
    for (; done < count; done += BATCH) {
        Rng rng = rng_stream(seed, "evaluator", (first + done) / BATCH);
        Gen g = { .rng = &rng, .arena = &texts };
        Buf text = { 0 }, plain = { 0 };
        write_batch(&g, &text, &plain, expected);
        Error err;
        if (!file_write(file_join(&arena, dir, "text.c"), buf_view(&text), &err) ||
            !file_write(file_join(&arena, dir, "plain.c"), buf_view(&plain), &err))
            return err_report(&err);
        for (unsigned i = 0; i < BATCH; i++) undefined += expected[i].undefined;
        for (size_t b = 0; b < COUNT_OF(builds); b++)
            wrong += compare(&builds[b], build_and_run(&results, &builds[b], dir), expected,
                             buf_view(&text));
        buf_release(&text);
        buf_release(&plain);
        buf_release(&g.decls);
        arena_clear(&results);
    }
    printf("# %llu expressions, %llu undefined, %llu disagreements with 4 builds\n",
           (unsigned long long)done, (unsigned long long)undefined, (unsigned long long)wrong);
    printf("1..1\n%s 1 - evaluator agrees with gcc-12, clang-19 and UBSan\n",
           wrong ? "not ok" : "ok");
    workdir_remove(dir);
    return wrong ? 1 : 0;
}
