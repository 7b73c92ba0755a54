/* The rankings against values computed by hand, on a compiler of two files, two functions, a header
 * and nine statements. */
#include "test.h"

#include "isolate/isolate_knobs.h"
#include "isolate/rank.h"
#include "isolate/rank_files.h"

#include <math.h>

#define assert_near(a, b) assert_true(fabs((a) - (b)) <= 1e-4)

/* Statements 0..3 are a.c (function fa), 4..7 b.c (fb), 8 a header. */
typedef struct Fixture {
    Subject subject;
    Isolation iso;
    CovFile files[3];
    CovFunction functions[2];
    CovStmt stmts[9];
} Fixture;

static Bits bits_of(const char *set) {
    Bits bits = bits_new(9);
    for (uint32_t i = 0; i < 9; i++)
        if (set[i] == '1') bits_set(&bits, i);
    return bits;
}

static void setup(Fixture *f) {
    *f = (Fixture){ 0 };
    f->files[0] = (CovFile){ STR("a.c"), STR("/x/a.c"), true, 0, 4 };
    f->files[1] = (CovFile){ STR("b.c"), STR("/x/b.c"), true, 4, 4 };
    f->files[2] = (CovFile){ STR("h.h"), STR("/x/h.h"), false, 8, 1 };
    f->functions[0] = (CovFunction){ STR("fa"), 0, 1, 4 };
    f->functions[1] = (CovFunction){ STR("fb"), 1, 1, 4 };
    for (uint32_t i = 0; i < 9; i++)
        f->stmts[i] =
            (CovStmt){ i / 4, i % 4 + 1, i < 8 ? i / 4 : COV_NO_FUNCTION, i / 4, i % 4 + 1 };
    CovMap *map = &f->subject.map;
    map->files = f->files, map->n_files = 3;
    map->functions = f->functions, map->n_functions = 2;
    map->stmts = f->stmts, map->n_stmts = 9;
    f->subject.failure.kind = VERDICT_WRONG;
    f->iso.subject = &f->subject;
}

static void failing(Fixture *f, const char *set) {
    isolation_add_failing(&f->iso, bits_of(set), STR(""), false);
}

static void witness(Fixture *f, const char *set) {
    vec_push(&f->iso.witnesses, (Witness){ .bits = bits_of(set) });
}

static const Suspect *named(const Ranking *r, const Fixture *f, const char *name) {
    for (uint32_t i = 0; i < r->n_files; i++)
        if (str_is(f->files[r->files[i].index].name, name)) return &r->files[i];
    return NULL;
}

static void two_witnesses(Fixture *f) {
    setup(f);
    failing(f, "110011101");
    witness(f, "100011001"); /* does not run 1 and 6 */
    witness(f, "110011001"); /* does not run 6 */
}

static void published_by_hand(void **state) {
    (void)state;
    Fixture f;
    Arena arena = { 0 };
    two_witnesses(&f);
    Ranking r = rank_suspects(&arena, &f.iso, RANK_PUBLISHED);
    /* Ochiai: run by two 1/sqrt 3, by one 1/sqrt 2, by none 1 */
    const double want[9] = { 0.57735, 0.70711, 0, 0, 0.57735, 0.57735, 1, 0, 0.57735 };
    for (int i = 0; i < 9; i++) assert_near(r.stmts[i], want[i]);
    assert_int_equal(r.n_files, 2); /* the header is not a suspect */
    const Suspect *a = named(&r, &f, "a.c"), *b = named(&r, &f, "b.c");
    assert_int_equal(b->rank, 1);
    assert_int_equal(a->rank, 2);
    assert_near(b->score, 1);                 /* means: (2 * 0.57735 + 1) / 3 = 0.71823 */
    assert_near(a->score, 0.64223 / 0.71823); /* and (0.57735 + 0.70711) / 2 */
    assert_int_equal(a->covered, 2);
    assert_int_equal(b->covered, 3);
    assert_int_equal(a->cleared, 1); /* the second witness runs all of it */
    assert_int_equal(b->cleared, 0);
    assert_int_equal(r.functions[0].index, 1);
    isolation_release(&f.iso);
    arena_release(&arena);
}

/* Pair 1 misses 2 of 6: ln(0.6/0.33333) - ln(0.4/0.66667) = ln 3 = 1.09861; pair 2 misses 1 of 6:
 * ln 3.6 - ln 0.48 = 2.01490. Their differences {1, 6} and {6} are half alike: 1.5 votes each. */
static void evidence_by_hand(void **state) {
    (void)state;
    assert_near(EVIDENCE_MISSED, 0.6);
    assert_near(EVIDENCE_TEMPER, 0.5);
    assert_near(SHRINK_FILE, 100);
    Fixture f;
    Arena arena = { 0 };
    two_witnesses(&f);
    Ranking r = rank_suspects(&arena, &f.iso, RANK_BEST);
    /* 6: 0.73241 + 1.34327 = 2.07568, the best; 1: 0.73241; others 0: exp(0.5 (x - best)) */
    const double want[9] = { 0.35422, 0.51087, 0, 0, 0.35422, 0.35422, 1, 0, 0.35422 };
    for (int i = 0; i < 9; i++) assert_near(r.stmts[i], want[i]);
    /* a.c 0.86509 / sqrt 102 = 0.085657, b.c 1.70844 / sqrt 103 = 0.168338 */
    assert_near(named(&r, &f, "b.c")->score, 1);
    assert_near(named(&r, &f, "a.c")->score, 0.085657 / 0.168338);
    isolation_release(&f.iso);
    arena_release(&arena);
}

/* A witness that misses more than EVIDENCE_MISSED of the run says nothing, neither about what it
 * runs nor about what it does not. */
static void far_witness_is_silent(void **state) {
    (void)state;
    Fixture f;
    Arena arena = { 0 };
    setup(&f);
    failing(&f, "110011101");
    witness(&f, "100000000"); /* misses 5 of 6 */
    Ranking r = rank_suspects(&arena, &f.iso, RANK_BEST);
    for (int i = 0; i < 9; i++)
        assert_near(r.stmts[i], bits_has(&f.iso.failing.at[0].bits, (uint32_t)i) ? 1 : 0);
    isolation_release(&f.iso);
    arena_release(&arena);
}

/* Half of the failing runs leave statement 6 out: its suspicion is a quarter. */
static void twins_by_hand(void **state) {
    (void)state;
    assert_near(TWIN_POWER, 2);
    Fixture f;
    Arena arena = { 0 };
    setup(&f);
    failing(&f, "110011101");
    failing(&f, "110011001");
    Ranking r = rank_suspects(&arena, &f.iso, RANK_BEST);
    assert_near(r.stmts[6], 0.25);
    assert_near(r.stmts[0], 1);
    isolation_release(&f.iso);
    arena_release(&arena);
}

/* Inside the pass that cures: 1 + INSIDE_FACTOR; after the last of them: BEHIND_FACTOR; what only
 * reports: nothing. */
static void places_by_hand(void **state) {
    (void)state;
    Fixture f;
    Arena arena = { 0 };
    setup(&f);
    failing(&f, "110011101");
    vec_push(&f.iso.windows, (Window){ .pass = STR("tree-x"), .in = bits_of("010000000") });
    f.iso.until = bits_of("110010000");
    f.iso.noise = bits_of("100000000");
    Ranking r = rank_suspects(&arena, &f.iso, RANK_BEST);
    assert_near(r.stmts[0], 0);
    assert_near(r.stmts[1], 1 + INSIDE_FACTOR);
    assert_near(r.stmts[4], 1);
    assert_near(r.stmts[6], BEHIND_FACTOR);
    isolation_release(&f.iso);
    arena_release(&arena);
}

/* Reciprocal ranks: a.c 1/12, with its frame + 0.3/11; b.c 1/11. */
static void frames_by_hand(void **state) {
    (void)state;
    assert_near(FUSE_CONSTANT, 10);
    assert_near(FUSE_FRAMES, 0.3);
    Fixture f;
    Arena arena = { 0 };
    two_witnesses(&f);
    vec_push(&f.iso.frames, STR("fa"));
    Ranking r = rank_suspects(&arena, &f.iso, RANK_BEST);
    const Suspect *a = named(&r, &f, "a.c"), *b = named(&r, &f, "b.c");
    assert_int_equal(a->frame, 1);
    assert_int_equal(b->frame, 0);
    assert_int_equal(a->rank, 1); /* 0.083333 + 0.027273 = 0.110606 against 0.090909 */
    assert_near(b->score, 0.090909 / 0.110606);
    isolation_release(&f.iso);
    arena_release(&arena);
}

/* What a generator wrote counts for the file it was made from. */
static void generated_counts_for_its_source(void **state) {
    (void)state;
    Fixture f;
    Arena arena = { 0 };
    two_witnesses(&f);
    for (uint32_t i = 4; i < 8; i++) f.stmts[i].origin = 0;
    f.files[1].suspect = false;
    Ranking r = rank_suspects(&arena, &f.iso, RANK_PUBLISHED);
    assert_int_equal(r.n_files, 1);
    assert_int_equal(r.files[0].index, 0);
    assert_int_equal(r.files[0].covered, 5);
    isolation_release(&f.iso);
    arena_release(&arena);
}

/* b.c has the function that executes both passes that cure, a.c that of the pass where a flag first
 * makes a difference; and a.c was mended three times. A header that runs in a pass is no home. */
static void files_by_hand(void **state) {
    (void)state;
    assert_true(rank_executes(STR("_ZN12_GLOBAL__N_18pass_fre7executeEP8function")));
    assert_false(rank_executes(STR("_ZN12_GLOBAL__N_18pass_fre4gateEP8function")));
    assert_false(rank_executes(STR("_ZN6walker7executeEP8function")));
    static const char *const llvm[] = {
        "_ZN4llvm7GVNPass3runERNS_8FunctionERNS_15AnalysisManagerIS1_JEEE",
        "_ZN12_GLOBAL__N_112PadShortFunc20runOnMachineFunctionERN4llvm15MachineFunctionE",
        "_ZN12_GLOBAL__N_118LoopStrengthReduce9runOnLoopEPN4llvm4LoopERNS1_13LPPassManagerE",
        "_ZN12_GLOBAL__N_114CodeGenPrepare13runOnFunctionERN4llvm8FunctionE"
    };
    for (size_t i = 0; i < COUNT_OF(llvm); i++) assert_true(rank_executes(str_from(llvm[i])));
    static const char *const others[] = {
        "_ZN4llvm17DominatorAnalysis3runERNS_8FunctionERNS_15AnalysisManagerIS1_JEEE",
        "_ZN4llvm19MachineFunctionPass13runOnFunctionERNS_8FunctionE",
        "_ZN4llvm13LPPassManager13runOnFunctionERNS_8FunctionE",
        "_ZN4llvm19LoopInfoWrapperPass13runOnFunctionERNS_8FunctionE"
    };
    for (size_t i = 0; i < COUNT_OF(others); i++) assert_false(rank_executes(str_from(others[i])));
    const double fixes[3] = { 3, 0, 0 };
    Fixture f;
    Arena arena = { 0 };
    two_witnesses(&f);
    f.functions[0].name = STR("_ZN12_GLOBAL__N_16pass_a7executeEP8function");
    f.functions[1].name = STR("_ZN12_GLOBAL__N_16pass_b7executeEP8function");
    vec_push(&f.iso.windows, (Window){ .pass = STR("tree-b1"), .in = bits_of("000011101") });
    vec_push(&f.iso.windows, (Window){ .pass = STR("tree-b2"), .in = bits_of("000010001") });
    Ranking coverage = rank_suspects(&arena, &f.iso, RANK_EVIDENCE);
    const double *home = rank_homes(&arena, &f.iso, false),
                 *none = rank_homes(&arena, &f.iso, true);
    for (int i = 0; i < 3; i++) assert_near(home[i], i == 1), assert_near(none[i], 0);
    vec_push(
        &f.iso.windows,
        (Window){ .pass = STR("tree-a"), .effect_of = STR("-fno-x"), .in = bits_of("110000000") });
    f.iso.fixes = fixes;
    const double *effect = rank_homes(&arena, &f.iso, true);
    for (int i = 0; i < 3; i++) assert_near(effect[i], i == 0);
    Ranking again = rank_suspects(&arena, &f.iso, RANK_EVIDENCE),
            all = rank_suspects(&arena, &f.iso, RANK_BEST);
    assert_near(named(&again, &f, "a.c")->score, named(&coverage, &f, "a.c")->score);
    const double a = exp(EFFECT_WEIGHT) * pow(4, FIXES_POWER), b = exp(HOME_WEIGHT);
    double before = named(&coverage, &f, "a.c")->score / named(&coverage, &f, "b.c")->score;
    assert_near(named(&all, &f, "a.c")->score / named(&all, &f, "b.c")->score, before * a / b);
    isolation_release(&f.iso);
    arena_release(&arena);
}

/* a.c runs the pass, and b.c does what it does: both are its home, if b.c does no less of it and as
 * much of its own work there. */
static void wrappers_share_their_home(void **state) {
    (void)state;
    static const struct {
        const char *failing, *in;
        bool shared;
    } rows[] = { { "110011111", "110011110", true },
                 { "110011110", "100011110", true },
                 { "111011111", "111011000", false },   /* a.c does more of it */
                 { "100011110", "100011000", false } }; /* b.c does half of its work elsewhere */
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Fixture f;
        Arena arena = { 0 };
        setup(&f);
        f.functions[0].name = STR("_ZN4llvm5APass3runERNS_8FunctionE");
        failing(&f, rows[i].failing);
        vec_push(&f.iso.windows, (Window){ .pass = STR("APass"), .in = bits_of(rows[i].in) });
        const double *home = rank_homes(&arena, &f.iso, false);
        assert_near(home[0], 1);
        assert_near(home[1], rows[i].shared);
        assert_near(home[2], 0);
        isolation_release(&f.iso);
        arena_release(&arena);
    }
}

static void ties_take_the_worst_rank(void **state) {
    (void)state;
    Fixture f;
    Arena arena = { 0 };
    setup(&f);
    failing(&f, "110011000");
    Ranking r = rank_suspects(&arena, &f.iso, RANK_PUBLISHED);
    assert_int_equal(r.files[0].rank, 2);
    assert_int_equal(r.files[1].rank, 2);
    assert_near(r.files[0].score, 1);
    isolation_release(&f.iso);
    arena_release(&arena);
}

TEST_MAIN(cmocka_unit_test(published_by_hand), cmocka_unit_test(evidence_by_hand),
          cmocka_unit_test(far_witness_is_silent), cmocka_unit_test(twins_by_hand),
          cmocka_unit_test(places_by_hand), cmocka_unit_test(frames_by_hand),
          cmocka_unit_test(generated_counts_for_its_source), cmocka_unit_test(files_by_hand),
          cmocka_unit_test(wrappers_share_their_home), cmocka_unit_test(ties_take_the_worst_rank))
