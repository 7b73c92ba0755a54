/* Learning learns: nets, Adam, advantages against values computed by hand; operators that pay off
 * are found. */
#include "test.h"

#include "isolate/isolate_knobs.h"
#include "isolate/learn/a2c.h"
#include "isolate/learn/mh.h"
#include "isolate/learn/quality.h"

#include <math.h>

#define assert_near(a, b, eps) assert_true(fabs((a) - (b)) <= (eps))

/* 2-2-1 with weights set by hand: h = relu(1*x0 - 2*x1 + 0.5, -x0 + x1), y = 3 h0 - h1 + 0.25 */
static void net_by_hand(void **state) {
    (void)state;
    Rng rng = rng_new(1);
    Net net;
    net_init(&net, 2, 2, 1, 0.1, &rng);
    const double p[] = { 1, -2, -1, 1, 0.5, 0, 3, -1, 0.25 };
    assert_int_equal(net.n, COUNT_OF(p));
    memcpy(net.p, p, sizeof p);
    double x[] = { 2, 0.5 }, y, dy = 2;
    net_forward(&net, x, &y); /* h = 1.5, -1.5 -> 0: y = 4.75 */
    assert_near(y, 4.75, 1e-12);
    net_backward(&net, x, &dy);
    /* by the output: b2 2, w2 = 2*1.5, 0; h0: dh = 6: w1 = 12, 3, b1 6; h1 is off */
    const double g[] = { 12, 3, 0, 0, 6, 0, 3, 0, 2 };
    for (unsigned i = 0; i < net.n; i++) assert_near(net.grad[i], g[i], 1e-12);
    net_step(&net, 0.01); /* Adam's first step is rate * sign(g) up to epsilon */
    for (unsigned i = 0; i < net.n; i++) assert_near(net.p[i], p[i] - (g[i] > 0 ? 0.01 : 0), 1e-9);
    /* a second step with g = -1 for p[0]: m = .9*.1*12 - .1 = 0.98; v = .999*.001*144 + .001 =
     * 0.144856; m/(1-.81) = 5.157895, v/(1-.998001) = 72.464232; p -= .01 * 5.157895/8.512592 */
    net.grad[0] = -1;
    double before = net.p[0];
    net_step(&net, 0.01);
    assert_near(before - net.p[0], 0.01 * 5.157894737 / 8.512592259, 1e-8);
    net_release(&net);
}

static void gradient_by_differences(void **state) {
    (void)state;
    Rng rng = rng_new(5);
    Net net;
    net_init(&net, 4, 6, 3, 0.5, &rng);
    double x[4], y[3], dy[3];
    for (int i = 0; i < 4; i++) x[i] = rng_normal(&rng);
    net_forward(&net, x, y);
    for (int k = 0; k < 3; k++) dy[k] = 2 * y[k]; /* loss = sum of squares */
    net_backward(&net, x, dy);
    for (unsigned i = 0; i < net.n; i++) {
        double keep = net.p[i], loss[2] = { 0, 0 };
        for (int side = 0; side < 2; side++) {
            net.p[i] = keep + (side ? 1e-6 : -1e-6);
            net_forward(&net, x, y);
            for (int k = 0; k < 3; k++) loss[side] += y[k] * y[k];
        }
        net.p[i] = keep;
        assert_near(net.grad[i], (loss[1] - loss[0]) / 2e-6, 1e-4);
    }
    net_release(&net);
}

static void advantage_by_hand(void **state) {
    (void)state;
    const double r[] = { 1, 0, 2, 0, 0, 1 };
    /* 1 + .81*2 + .59049*1 + .531441*V' - V */
    assert_near(a2c_advantage(r, 6, 10, 3), 1 + 1.62 + 0.59049 + 5.31441 - 3, 1e-12);
    assert_near(a2c_advantage(r, 6, 0, 0), 3.21049, 1e-12);
}

/* The learner's first update uses exactly the state after step t+u for bootstrapping. */
static void first_update_by_hand(void **state) {
    (void)state;
    A2c a;
    a2c_init(&a, 3, rng_stream(3, "a2c", 0));
    Net critic = a.critic; /* its parameters now */
    double *p = mem_alloc(critic.n * sizeof(double));
    memcpy(p, a.critic.p, critic.n * sizeof(double));
    double rewards[RECBI_LOOKAHEAD + 1], policy[3];
    a2c_policy(&a, policy);
    unsigned first = 0;
    for (int t = 0; t <= RECBI_LOOKAHEAD; t++) {
        unsigned chosen = a2c_choose(&a);
        if (t == 0) first = chosen;
        rewards[t] = 0.1 * t;
        assert_int_equal(a.critic.steps, 0); /* nothing is learnt before the last reward */
        a2c_reward(&a, rewards[t], t == 2);
    }
    assert_int_equal(a.critic.steps, 1);
    assert_int_equal(a.actor.steps, 1);
    /* Recompute: V(0) and V(after) with the old parameters; Adam's first step moves b2 by +-rate.
     */
    Net old = a.critic;
    old.p = p;
    old.h = mem_alloc(old.hidden * sizeof(double));
    double zero[4] = { 0 }, v0, v1;
    net_forward(&old, zero, &v0);
    net_forward(&old, a.state, &v1);
    double advantage = a2c_advantage(rewards, RECBI_LOOKAHEAD + 1, v1, v0);
    double moved = a.critic.p[a.critic.n - 1] - p[critic.n - 1];
    assert_near(moved, advantage > 0 ? RECBI_RATE : -RECBI_RATE, 1e-6);
    /* Adam's first moment is a tenth of the gradient: of A^2 by V it is -2 A; of -A log pi by the
     * logit k it is A (pi_k - 1) for the action taken, A pi_k for the others */
    assert_near(a.critic.m[a.critic.n - 1], 0.1 * -2 * advantage, 1e-12);
    for (unsigned k = 0; k < 3; k++)
        assert_near(a.actor.m[a.actor.n - 3 + k], 0.1 * advantage * (policy[k] - (k == first)),
                    1e-12);
    assert_true(fabs(advantage) >
                0.5); /* 0.1 * (0.9 + 2 * 0.81 + ..) and the values: not nothing */
    mem_free(old.h);
    mem_free(p);
    a2c_release(&a);
}

/* One operator in ten pays. RecBi's reward: gains of the operator so far over times it was
 * selected. */
static double share_of_best(uint64_t seed, bool learn) {
    enum { OPS = 10, STEPS = 400, BEST = 3 };
    A2c a;
    a2c_init(&a, OPS, rng_stream(seed, "a2c", 0));
    Rng rng = rng_stream(seed, "task", 0);
    double gain[OPS] = { 0 };
    unsigned selected[OPS] = { 0 }, hits = 0;
    for (int t = 0; t < STEPS; t++) {
        unsigned op = learn ? a2c_choose(&a) : (unsigned)rng_below(&rng, OPS);
        bool pays = op == BEST && rng_chance(&rng, 0.8);
        selected[op]++;
        if (pays) gain[op] += 1;
        if (learn) a2c_reward(&a, gain[op] / selected[op], pays);
        if (t >= 200) hits += op == BEST;
    }
    a2c_release(&a);
    return hits / (double)(STEPS - 200);
}

static void a2c_finds_what_pays(void **state) {
    (void)state;
    int good = 0;
    double random = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        double share = share_of_best(seed, true);
        good += share > 0.5;
        random += share_of_best(seed, false) / 20;
        print_message("# seed %d: %.2f\n", (int)seed, share);
    }
    print_message("# %d of 20 seeds, random %.3f\n", good, random);
    assert_true(good >= 18);
    assert_true(random > 0.05 && random < 0.15);
}

static void metropolis(void **state) {
    (void)state;
    assert_near(mh_p(132), 0.0224, 0.0005);
    assert_near(mh_p(10), 0.26, 0.002);
    Mh mh;
    mh_init(&mh, 10, rng_stream(1, "mh", 0));
    unsigned best = 6, hits = 0;
    for (int t = 0; t < 3000; t++) {
        unsigned rule = mh_choose(&mh);
        mh_feedback(&mh, rule, rule == best, 0.5);
        hits += rule == best;
    }
    /* Proposing until one is taken, the chain rests at rank k with a weight of (1-p)^k times the
     * sum of the acceptances from k: 3.657 of 20.68 for the best of ten. */
    assert_near(hits / 3000.0, 3.657 / 20.68, 0.03);
    assert_int_equal(mh.rank[best], 0);
    MhRule r = { .distance = 0.4, .selected = 4, .accepted = 1 };
    assert_near(mh_score(&r), 0.1, 1e-12);
    mh_release(&mh);
}

static void quality_by_hand(void **state) {
    (void)state;
    Quality q = { 0 };
    assert_near(quality_value(&q), 0, 0);
    q = quality_with(&q, 0.9, 0);
    assert_near(quality_value(&q), 0.2 * 0.9, 1e-12);
    q = quality_with(&q, 0.7, 0.3); /* n 2, sim .8, div .3: 2(.24 + .16) */
    assert_near(quality_value(&q), 0.8, 1e-12);
    q = quality_with(&q, 0.8, 0.2 + 0.4); /* n 3, sim .8, div .3 */
    assert_near(quality_value(&q), 3 * (0.8 * 0.3 + 0.2 * 0.8), 1e-12);
}

TEST_MAIN(cmocka_unit_test(net_by_hand), cmocka_unit_test(gradient_by_differences),
          cmocka_unit_test(advantage_by_hand), cmocka_unit_test(first_update_by_hand),
          cmocka_unit_test(a2c_finds_what_pays), cmocka_unit_test(metropolis),
          cmocka_unit_test(quality_by_hand))
