/* What can be switched off, and the bisection of limits, against values known beforehand. */
#include "test.h"

#include "cc/passes.h"
#include "isolate/effects.h"
#include "isolate/options.h"

/* ---- bisection ---- */
typedef struct Limits {
    uint64_t from;     /* fails from this limit on; 0: never */
    unsigned asked;    /* questions so far */
    unsigned patience; /* out of time after this many; 0: never */
} Limits;

static bool limit_fails(void *user, uint64_t limit) {
    Limits *l = user;
    l->asked++;
    return l->from && limit >= l->from;
}

static bool limit_over(void *user) {
    const Limits *l = user;
    return l->patience && l->asked >= l->patience;
}

static uint64_t bisect(uint64_t from, unsigned patience, unsigned *asked) {
    Limits l = { from, 0, patience };
    uint64_t found = options_bisect(&(LimitTest){ limit_fails, limit_over, &l });
    if (asked) *asked = l.asked;
    return found;
}

static void lowest_limit_that_fails(void **state) {
    (void)state;
    const uint64_t limits[] = { 1, 2, 3, 4, 5, 17, 64, 100, 4095, 4096, 4097, 1000000, 1 << 20 };
    for (size_t i = 0; i < COUNT_OF(limits); i++)
        assert_int_equal(bisect(limits[i], 0, NULL), limits[i]);
    unsigned asked;
    bisect(100, 0, &asked); /* 1 4 16 64 256, then seven halvings of 192 (one for a power of 3) */
    assert_true(asked >= 12 && asked <= 13);
    assert_int_equal(bisect(0, 0, NULL), 0);             /* never fails */
    assert_int_equal(bisect((1 << 20) + 1, 0, NULL), 0); /* above the most */
    assert_int_equal(bisect(100, 7, NULL), 0);           /* out of time is not an answer */
}

static void names_of_passes(void **state) {
    (void)state;
    assert_true(str_is(option_pass(STR("-fdisable-tree-vrp1")), "vrp1"));
    assert_true(str_is(option_pass(STR("-fdisable-rtl-rtl pre")), "rtl pre"));
    assert_true(str_is(option_pass(STR("-fdisable-ipa-pure-const")), "pure-const"));
    assert_true(str_is(option_pass(STR("-fno-tree-vrp")), "tree-vrp"));
    assert_true(str_is(option_pass(STR("-mno-avx2")), "-mno-avx2"));
}

static void names_of_dumps(void **state) {
    (void)state;
    Arena arena = { 0 };
    const char *const dumps[][2] = { { "program.c.043t.fre1", "tree-fre1" },
                                     { "program.c.088i.inline", "ipa-inline" },
                                     { "program.c.262r.rtl pre", "rtl-rtl pre" },
                                     { "program.c.000i.cgraph", "" }, /* all passes write it */
                                     { "program.c.043x.fre1", "" },
                                     { "program.c.043t", "" },
                                     { "program.s", "" },
                                     { "other.c.043t.fre1", "" } };
    for (size_t i = 0; i < COUNT_OF(dumps); i++)
        assert_true(str_is(effects_pass(&arena, str_from(dumps[i][0])), dumps[i][1]));
    arena_release(&arena);
}

/* ---- what LLVM says ---- */
static void llvm_words(void **state) {
    (void)state;
    Str output = STR("BISECT: running pass (1) Annotation2MetadataPass on [module]\n"
                     "BISECT: running pass (2) SROA on main\n"
                     "BISECT: NOT running pass (12) SROA on f\n"
                     "BISECT: NOT running pass (3) GVN on main\n");
    assert_true(str_is(options_bisect_name(output, 2), "SROA"));
    assert_true(str_is(options_bisect_name(output, 1), "Annotation2MetadataPass"));
    assert_true(options_bisect_name(output, 4).len == 0);
    Arena arena = { 0 };
    StrVec all = { 0 };
    options_llvm_switches(&arena,
                          STR("  --disable-licm-promotion   - Disable memory promotion\n"
                              "  --disable-x=<value>        - with a value\n"
                              "  --enable-gvn-hoist         - Enable the GVN hoisting pass\n"
                              "  --some-threshold=<uint>    - a number\n"
                              "    =default                 - disable-nothing\n"),
                          &all);
    assert_int_equal(all.len, 2);
    assert_true(str_is(all.at[0], "-mllvm -disable-licm-promotion"));
    assert_true(str_is(all.at[1], "-mllvm -enable-gvn-hoist=0"));
    vec_clear(&all);
    options_llvm_passes(&arena,
                        STR("verify,sroa,function<eager-inv>(early-cse<memssa;x>,loop(licm),sroa),"
                            "require<globals-aa>,cgscc(devirt<4>(inline)),BitcodeWriterPass"),
                        &all);
    assert_int_equal(all.len, 4);
    assert_true(str_is(all.at[0], "-mllvm -leave-out=sroa"));
    assert_true(str_is(all.at[1], "-mllvm -leave-out=early-cse"));
    assert_true(str_is(all.at[2], "-mllvm -leave-out=licm"));
    assert_true(str_is(all.at[3], "-mllvm -leave-out=inline"));
    assert_true(str_is(option_pass(all.at[2]), "licm"));
    vec_release(&all);
    arena_release(&arena);
}

/* ---- what GCC says can be switched off ---- */
static bool has(const StrVec *list, const char *word) {
    for (size_t i = 0; i < list->len; i++)
        if (str_is(list->at[i], word)) return true;
    return false;
}

static void passes_are_whole(void **state) {
    (void)state;
    Arena arena = { 0 };
    Compiler gcc;
    Error err = { 0 };
    StrVec passes = { 0 };
    assert_true(compiler_open(&arena, "gcc-12", &gcc, &err));
    const char *const level[] = { "-O3", NULL };
    assert_true(compiler_passes_off(&arena, &gcc, level, &passes, &err));
    /* names that end in a digit of their own, names with a blank, names with a number after them */
    const char *const wanted[] = { "-fdisable-rtl-gcse2",   "-fdisable-rtl-loop2_invariant",
                                   "-fdisable-rtl-rtl pre", "-fdisable-tree-vrp1",
                                   "-fdisable-tree-fre5",   "-fdisable-rtl-combine",
                                   "-fdisable-tree-lsplit", "-fdisable-rtl-jump2" };
    for (size_t i = 0; i < COUNT_OF(wanted); i++) assert_true(has(&passes, wanted[i]));
    /* and nothing without which no code comes out */
    const char *const never[] = { "-fdisable-rtl-expand", "-fdisable-rtl-final",
                                  "-fdisable-rtl-reload", "-fdisable-tree-cfg",
                                  "-fdisable-rtl-vregs",  "-fdisable-tree-eh",
                                  "-fdisable-rtl-loop2" /* ira needs what it leaves behind */ };
    for (size_t i = 0; i < COUNT_OF(never); i++) assert_false(has(&passes, never[i]));
    /* without any one of them there is still code, and it is right */
    for (size_t i = 0; i < passes.len; i++) {
        const char *const flags[] = { "-O3", passes.at[i].at, NULL };
        CcJob job;
        cc_job_init(&job, &gcc, flags,
                    STR("int a[9]; int main(void) { for (int i = 0; i < 9; i++) a[i] = i * i; "
                        "return a[3] != 9; }\n"),
                    CC_UNTIL_RUN);
        job.load = true;
        job.compare = true;
        cc_job_run(&job);
        if (job.verdict.kind != VERDICT_OK) print_message("# %s\n", passes.at[i].at);
        assert_int_equal(job.verdict.kind, VERDICT_OK);
        cc_job_end(&job);
    }
    vec_release(&passes);
    arena_release(&arena);
}

static void target_flags(void **state) {
    (void)state;
    Arena arena = { 0 };
    Compiler gcc;
    Error err = { 0 };
    StrVec off = { 0 }, plain = { 0 };
    assert_true(compiler_open(&arena, "gcc-12", &gcc, &err));
    compiler_target_off(&arena, &gcc, (const char *const[]){ "-O2", "-mavx2", NULL }, &off);
    assert_true(has(&off, "-mno-avx2"));
    assert_true(has(&off, "-mno-stv"));
    assert_true(has(&off, "-mno-vzeroupper"));
    const char *const abi[] = { "-mno-64", "-mno-sse2", "-mno-sse", "-mno-80387", "-mno-no-sse4" };
    for (size_t i = 0; i < COUNT_OF(abi); i++) assert_false(has(&off, abi[i]));
    compiler_target_off(&arena, &gcc, (const char *const[]){ "-O2", NULL }, &plain);
    assert_false(has(&plain, "-mno-avx2"));
    vec_release(&off);
    vec_release(&plain);
    arena_release(&arena);
}

TEST_MAIN(cmocka_unit_test(lowest_limit_that_fails), cmocka_unit_test(names_of_passes),
          cmocka_unit_test(names_of_dumps), cmocka_unit_test(llvm_words),
          cmocka_unit_test(passes_are_whole), cmocka_unit_test(target_flags))
