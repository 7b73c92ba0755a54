/* The search over a row of closed sets, with made-up programs: edges that only some of are known
 * before, and an oracle that counts what it is asked. */
#include "base/rng.h"
#include "explain/search/row.h"
#include "test.h"

enum { MOST = 400 };

typedef struct World {
    Arena arena;
    ChangeSet set;
    Needs truth; /* what must be reverted together */
    Needs known; /* what of it the search knows; grows */
    double weight[MOST];
    uint8_t wanted[MOST];  /* passes: all of these are there; */
    uint8_t instead[MOST]; /* or, where any are named, all of these */
    bool has_instead;
    size_t n, asked, built;
} World;

static void needs_init(World *w, Needs *needs) {
    *needs = (Needs){ .set = &w->set,
                      .of = ARENA_ARRAY(&w->arena, NeedList, w->n + 1),
                      .outside = ARENA_ARRAY(&w->arena, uint8_t, w->n + 1),
                      .function = ARENA_ARRAY(&w->arena, size_t, w->n + 1) };
}

static void world_new(World *w, size_t n) {
    *w = (World){ .n = n };
    for (size_t i = 0; i < n; i++) {
        vec_push(&w->set.changes, ((Change){ .hunk = i }));
        w->weight[i] = 0.5;
    }
    needs_init(w, &w->truth);
    needs_init(w, &w->known);
}

static void world_free(World *w) {
    for (size_t i = 0; i < w->n; i++) vec_release(&w->truth.of[i]), vec_release(&w->known.of[i]);
    vec_release(&w->set.changes);
    arena_release(&w->arena);
}

static bool holds(const World *w, const uint8_t *set, const uint8_t *wanted) {
    for (size_t i = 0; i < w->n; i++)
        if (wanted[i] && !set[i]) return false;
    return true;
}

/* One edge that leads out of the set is learned, as from a message. */
static bool learn(World *w, const uint8_t *set) {
    for (size_t i = 0; i < w->n; i++)
        for (size_t k = 0; set[i] && k < w->truth.of[i].len; k++)
            if (!set[w->truth.of[i].at[k]]) return needs_add(&w->known, i, w->truth.of[i].at[k]);
    return false;
}

static RowVerdict verdict(World *w, const uint8_t *set) {
    uint8_t closed[MOST];
    memcpy(closed, set, w->n);
    assert_int_equal(needs_close(&w->known, closed), 0); /* only closed sets are asked about */
    w->asked++;
    if (learn(w, set)) return ROW_TAUGHT;
    w->built++;
    bool passes = holds(w, set, w->wanted) || (w->has_instead && holds(w, set, w->instead));
    return passes ? ROW_PASSES : ROW_FAILS;
}

static void ask(void *user, uint8_t *const *sets, size_t len, RowVerdict *verdicts) {
    for (size_t i = 0; i < len; i++) verdicts[i] = ROW_UNKNOWN;
    for (size_t i = 0; i < len && (!i || verdicts[i - 1] != ROW_TAUGHT); i++)
        verdicts[i] = verdict(user, sets[i]);
}

static bool run(World *w, unsigned at_once, uint8_t *best, uint8_t *needed) {
    RowTask task = {
        .needs = &w->known, .weight = w->weight, .at_once = at_once, .ask = ask, .user = w
    };
    memset(best, 1, w->n);
    return row_search(&task, best, needed);
}

static size_t count(const World *w, const uint8_t *set) {
    size_t sum = 0;
    for (size_t i = 0; i < w->n; i++) sum += set[i];
    return sum;
}

/* Exactly what is wanted and what that needs. */
static void check_least(World *w, const uint8_t *best) {
    uint8_t least[MOST];
    memcpy(least, w->wanted, w->n);
    needs_close(&w->truth, least);
    assert_memory_equal(best, least, w->n);
}

static void one_of_many(void **state) {
    (void)state;
    World w;
    uint8_t best[MOST], needed[MOST];
    for (size_t at = 0; at < 256; at += 15) {
        world_new(&w, 256);
        w.wanted[at] = 1;
        assert_true(run(&w, 1, best, needed));
        check_least(&w, best);
        assert_true(w.asked <= 10);
        world_free(&w);
    }
}

static void suspicion_saves_questions(void **state) {
    (void)state;
    World w;
    uint8_t best[MOST], needed[MOST];
    world_new(&w, 256);
    w.wanted[200] = 1;
    w.weight[200] = 1000;
    assert_true(run(&w, 1, best, needed));
    check_least(&w, best);
    assert_true(w.asked <= 4);
    world_free(&w);
}

/* Every change needs the one before it: the closure of most sets is most of them. */
static void a_long_chain(void **state) {
    (void)state;
    World w;
    uint8_t best[MOST], needed[MOST];
    world_new(&w, 256);
    for (size_t i = 1; i < w.n; i++) needs_add(&w.truth, i, i - 1), needs_add(&w.known, i, i - 1);
    w.wanted[77] = 1;
    w.weight[255] = 1000; /* what needs all the others is suspected */
    assert_true(run(&w, 1, best, needed));
    check_least(&w, best);
    assert_int_equal(count(&w, needed), 1);
    assert_true(needed[77]);
    assert_true(w.built <= 20);
    world_free(&w);
}

/* What needs each other goes and stays as one. */
static void circles_are_units(void **state) {
    (void)state;
    World w;
    uint8_t best[MOST], needed[MOST];
    world_new(&w, 240);
    for (size_t i = 0; i < w.n; i++) {
        size_t next = i % 12 == 11 ? i - 11 : i + 1;
        needs_add(&w.truth, i, next), needs_add(&w.known, i, next);
    }
    size_t unit[MOST];
    memset(best, 1, w.n);
    assert_int_equal(row_units(&w.known, w.weight, best, NULL, NULL, unit), 20);
    w.wanted[50] = 1;
    assert_true(run(&w, 1, best, needed));
    check_least(&w, best);
    assert_true(w.built <= 8);
    world_free(&w);
}

/* A part that was rewritten: all of it is needed, and each unit takes about one question. */
static void neighbours_are_cheap(void **state) {
    (void)state;
    World w;
    uint8_t best[MOST], needed[MOST];
    world_new(&w, 300);
    for (size_t i = 100; i < 160; i++) w.wanted[i] = 1;
    assert_true(run(&w, 1, best, needed));
    check_least(&w, best);
    assert_true(w.built <= 2 * 60 + 60);
    world_free(&w);
}

/* Functions that compile only as a whole, which no edge says: searched whole first, hardly any set
 * is refused. */
static void whole_functions_first(void **state) {
    (void)state;
    size_t refused[2];
    for (int whole = 0; whole < 2; whole++) {
        World w;
        uint8_t best[MOST], needed[MOST];
        world_new(&w, 240);
        for (size_t i = 0; i < w.n; i++) {
            w.known.function[i] = 1 + i / 8;
            needs_add(&w.truth, i, i % 8 == 7 ? i - 7 : i + 1);
        }
        w.known.functions = w.n / 8;
        w.wanted[77] = w.wanted[200] = 1;
        Needs fine = w.known, *coarse = needs_by_function(&fine);
        memset(best, 1, w.n);
        if (whole) {
            w.known = *coarse;
            RowTask task = {
                .needs = &w.known, .weight = w.weight, .ask = ask, .user = &w, .rough = true
            };
            assert_true(row_search(&task, best, needed));
            assert_true(count(&w, best) < w.n);
            *coarse = w.known, w.known = fine;
            needs_take(&w.known, coarse);
        }
        RowTask task = { .needs = &w.known, .weight = w.weight, .ask = ask, .user = &w };
        assert_true(row_search(&task, best, needed));
        check_least(&w, best);
        refused[whole] = w.asked - w.built;
        needs_free(coarse);
        world_free(&w);
    }
    assert_true(refused[1] * 2 < refused[0]);
}

/* No unit that nothing needs can be left out of what was found. */
static void check_minimal(World *w, const uint8_t *best) {
    size_t unit[MOST];
    size_t units = row_units(&w->truth, w->weight, best, NULL, NULL, unit);
    for (size_t u = 1; u <= units; u++) {
        uint8_t left[MOST], closed[MOST];
        for (size_t c = 0; c < w->n; c++) closed[c] = left[c] = best[c] && unit[c] != u;
        if (needs_close(&w->truth, closed)) continue; /* another one needs it */
        bool passes = holds(w, left, w->wanted) || (w->has_instead && holds(w, left, w->instead));
        assert_false(passes && count(w, left));
    }
}

/* Random edges, most unknown at first; sometimes two ways to pass. */
static void random_worlds(void **state) {
    (void)state;
    Rng rng = rng_new(7);
    for (int round = 0; round < 300; round++) {
        World w;
        uint8_t best[MOST], needed[MOST];
        world_new(&w, 2 + rng_below(&rng, 120));
        size_t edges = rng_below(&rng, 2 * w.n);
        for (size_t i = 0; i < edges; i++) {
            size_t from = rng_below(&rng, w.n), to = rng_below(&rng, w.n);
            if (from < to && rng_below(&rng, 8)) continue;
            needs_add(&w.truth, from, to);
            if (!rng_below(&rng, 4)) needs_add(&w.known, from, to);
        }
        for (size_t i = rng_below(&rng, 4) + 1; i; i--) w.wanted[rng_below(&rng, w.n)] = 1;
        w.has_instead = rng_below(&rng, 2);
        for (size_t i = 0; w.has_instead && i < 3; i++) w.instead[rng_below(&rng, w.n)] = 1;
        for (size_t i = 0; i < w.n; i++) w.weight[i] = 0.05 + (double)rng_below(&rng, 100) / 10;
        assert_true(run(&w, 1 + (unsigned)rng_below(&rng, 3), best, needed));
        if (!w.has_instead) check_least(&w, best);
        check_minimal(&w, best);
        for (size_t i = 0; i < w.n; i++) assert_true(best[i] || !needed[i]);
        world_free(&w);
    }
}

TEST_MAIN(cmocka_unit_test(one_of_many), cmocka_unit_test(suspicion_saves_questions),
          cmocka_unit_test(a_long_chain), cmocka_unit_test(circles_are_units),
          cmocka_unit_test(neighbours_are_cheap), cmocka_unit_test(whole_functions_first),
          cmocka_unit_test(random_worlds))
