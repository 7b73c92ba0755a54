/* Borrowed functions: what is taken, which calls count, and that a call has the value that it is
 * said to have. */
#include "test.h"

#include "cc/verdict.h"
#include "variant/borrow/borrow.h"

static const char program[] =
    "#include <stdint.h>\n"
    "enum { K = 7 };\n"
    "typedef unsigned u32;\n"
    "int global;\n"
    "static u32 mix(u32 x, int n) {\n"
    "    u32 a[4];\n"
    "    for (int i = 0; i < 4; i++) a[i] = x * (i + K);\n"
    "    return a[n & 3] ^ (x >> 3);\n"
    "}\n"
    "int gcd(int a, int b) { while (b) { int t = a % b; a = b; b = t; } return a; }\n"
    "uint8_t both(uint8_t a, int16_t b) { return gcd(a, b) + mix(a, b) * 3; }\n"
    "int unset(int a) { int t; if (a > 5) t = 3; return t + a; }\n"
    "int far(int a) { int t[4] = { 1, 2, 3, 4 }; return t[a] + t[0] * 2 + a; }\n"
    "int hangs(int a) { while (a | 1) a ^= 2; return a; }\n"
    "int reads(int a) { return global + a * 3 - (a >> 2); }\n"
    "int counts(int a) { static int n; n += a * 3 - (a >> 2); return n; }\n"
    "int real(int a) { return a * 0.5 + (a >> 2) * 3; }\n"
    "int rounds(int a) { double b = (a | 1) * 0.1; b *= b; return b > 3 ? (a >> 2) : 2 - a; }\n"
    "typedef float F;\n"
    "F half(F a, double b) { F c = a * 4 - b; return c > 0 ? c : b - 0.5 * a; }\n"
    "long address(int a) { return (long)&a + (a >> 2) * 3; }\n"
    "int through(int *a, int b) { return *a + (b >> 2) * 3; }\n"
    "int falls(int a) { if (a > 3) return a * 3 - (a >> 2); }\n"
    "int main(void) { return 0; }\n";

static Lender *lent(void) {
    Arena arena = { 0 };
    Error err;
    const CUnit *unit = cfront_parse(&arena, str_from(program), NULL, &err);
    assert_non_null(unit);
    Lender *lender = lender_new();
    lender_take(lender, unit);
    arena_release(&arena);
    return lender;
}

static const Borrowed *named(const Lender *lender, const char *name) {
    for (size_t i = 0; i < lender->list.len; i++)
        if (str_is(lender->list.at[i].name, name)) return &lender->list.at[i];
    return NULL;
}

static void takes_what_depends_on_its_arguments_alone(void **state) {
    (void)state;
    Lender *lender = lent();
    static const char *const fine[] = { "mix",   "gcd",  "both",   "unset", "far",
                                        "hangs", "real", "rounds", "half" };
    static const char *const bad[] = { "reads", "counts", "address", "through", "falls" };
    for (size_t i = 0; i < COUNT_OF(fine); i++) assert_non_null(named(lender, fine[i]));
    for (size_t i = 0; i < COUNT_OF(bad); i++) assert_null(named(lender, bad[i]));
    lender_free(lender);
}

/* The first parameters of all recorded calls are from `least` to `most`. */
static void only_called(const Borrowed *b, int64_t least, int64_t most) {
    assert_non_null(b);
    for (unsigned k = 0; k < b->calls; k++)
        assert_true((int64_t)b->in[k][0] >= least && (int64_t)b->in[k][0] <= most);
}

static void calls_that_are_undefined_do_not_count(void **state) {
    (void)state;
    Lender *lender = lent();
    Error err;
    for (size_t i = 0; i < 5; i++) { /* several times the same: drawn inputs may all be good */
        assert_true(lender_record(lender, i, &err));
        if (named(lender, "unset")) only_called(named(lender, "unset"), 6, INT32_MAX);
        assert_null(named(lender, "rounds"));
        assert_non_null(named(lender, "half"));
        if (named(lender, "far")) only_called(named(lender, "far"), 0, 3);
        assert_null(named(lender, "hangs"));
        assert_non_null(named(lender, "mix"));
        assert_int_equal(named(lender, "mix")->calls, BORROW_TRIALS);
        lender_free(lender);
        lender = lent();
    }
    lender_free(lender);
}

/* A program of calls that prints where one has not its value. */
static void values_are_those_of_a_run(void **state) {
    (void)state;
    Lender *lender = lent();
    Error err;
    Arena arena = { 0 };
    Rng rng = rng_stream(1, "calls", 0);
    Buf above = { 0 }, body = { 0 };
    uint64_t five = 5;
    EnvVar var = { .text = STR("five"), .type = ITYPE(I_SHORT), .set = { &five, 1 } };
    Env env = { 0 };
    vec_push(&env.vars, var);
    assert_true(lender_record(lender, 3, &err));
    for (unsigned i = 0; i < 60; i++) {
        BorrowOrder order = {
            .arena = &arena, .rng = &rng, .env = &env, .name = arena_fmt(&arena, "c%u_", i)
        };
        BorrowCall call;
        assert_true(lender_call(lender, &order, &call));
        buf_str(&above, call.above);
        buf_fmt(&body, "    if (" STR_FMT " != ", STR_ARG(call.text));
        ival_print(call.value, &body);
        buf_fmt(&body, ") printf(\"%u\\n\");\n", i);
    }
    Str text = str_from(arena_fmt(&arena,
                                  "int printf(const char *, ...);\nshort five = 5;\n" STR_FMT
                                  "int main(void) {\n" STR_FMT "    return 0;\n}\n",
                                  STR_ARG(buf_view(&above)), STR_ARG(buf_view(&body))));
    static const char *const flags[] = { "-O2", "-w", NULL };
    Compiler cc;
    assert_true(compiler_open(&arena, "gcc-12", &cc, &err));
    CcJob job;
    cc_job_init(&job, &cc, flags, text, CC_UNTIL_RUN);
    job.compare = true;
    cc_job_run(&job);
    assert_int_equal(job.verdict.kind, VERDICT_OK);
    cc_job_end(&job);
    buf_release(&above);
    buf_release(&body);
    env_release(&env);
    arena_release(&arena);
    lender_free(lender);
}

TEST_MAIN(cmocka_unit_test(takes_what_depends_on_its_arguments_alone),
          cmocka_unit_test(calls_that_are_undefined_do_not_count),
          cmocka_unit_test(values_are_those_of_a_run))
