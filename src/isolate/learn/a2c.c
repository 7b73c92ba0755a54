/* See a2c.h. */
#include "isolate/learn/a2c.h"
#include "isolate/isolate_knobs.h"

#include <math.h>

void a2c_init(A2c *a, unsigned n, Rng rng) {
    *a = (A2c){ .n = n, .rng = rng };
    net_init(&a->actor, n + 1, RECBI_ACTOR_HIDDEN, n, RECBI_WEIGHTS, &a->rng);
    net_init(&a->critic, n + 1, RECBI_CRITIC_HIDDEN, 1, RECBI_WEIGHTS, &a->rng);
    a->state = mem_alloc((n + 1) * sizeof(double));
    a->scratch = mem_alloc(n * sizeof(double));
    a->produced = mem_alloc(n * sizeof(uint64_t));
}

void a2c_release(A2c *a) {
    net_release(&a->actor);
    net_release(&a->critic);
    for (size_t i = 0; i < a->steps.len; i++) mem_free(a->steps.at[i].state);
    vec_release(&a->steps);
    mem_free(a->state);
    mem_free(a->scratch);
    mem_free(a->produced);
}

void a2c_policy(A2c *a, double *p) {
    net_forward(&a->actor, a->state, p);
    softmax(p, a->n, p);
}

unsigned a2c_choose(A2c *a) {
    a2c_policy(a, a->scratch);
    A2cStep step = { .state = mem_alloc((a->n + 1) * sizeof(double)) };
    memcpy(step.state, a->state, (a->n + 1) * sizeof(double));
    step.action = (unsigned)rng_weighted(&a->rng, a->scratch, a->n);
    vec_push(&a->steps, step);
    return step.action;
}

void a2c_take_back(A2c *a) {
    CHECK(a->steps.len && !vec_last(&a->steps).rewarded);
    mem_free(vec_pop(&a->steps).state);
}

double a2c_advantage(const double *rewards, unsigned n, double later_value, double value) {
    double sum = 0, factor = 1;
    for (unsigned i = 0; i < n; i++) {
        sum += factor * rewards[i];
        factor *= RECBI_GAMMA;
    }
    return sum + factor * later_value - value;
}

/* Learns from the oldest step, once its reward and those of the next u steps are known. */
static void learn(A2c *a) {
    double rewards[RECBI_LOOKAHEAD + 1], later, value;
    for (unsigned i = 0; i <= RECBI_LOOKAHEAD; i++) rewards[i] = a->steps.at[i].reward;
    const double *after =
        a->steps.len > RECBI_LOOKAHEAD + 1 ? a->steps.at[RECBI_LOOKAHEAD + 1].state : a->state;
    A2cStep *t = &a->steps.at[0];
    net_forward(&a->critic, after, &later);
    net_forward(&a->critic, t->state, &value);
    double advantage = a2c_advantage(rewards, RECBI_LOOKAHEAD + 1, later, value);
    double dv = -2 * advantage; /* derivative of A^2 by V(s_t) */
    net_backward(&a->critic, t->state, &dv);
    net_step(&a->critic, RECBI_RATE);
    net_forward(&a->actor, t->state, a->scratch);
    softmax(a->scratch, a->n, a->scratch);
    for (unsigned k = 0; k < a->n; k++) /* derivative of -A log pi by the logits */
        a->scratch[k] = advantage * (a->scratch[k] - (k == t->action));
    net_backward(&a->actor, t->state, a->scratch);
    net_step(&a->actor, RECBI_RATE);
}

static void update_state(A2c *a) {
    for (unsigned k = 0; k < a->n; k++)
        a->state[k] = a->witnesses ? (double)a->produced[k] / (double)a->witnesses : 0;
    a->state[a->n] = log1p((double)a->witnesses);
}

void a2c_reward(A2c *a, double reward, bool witness) {
    size_t i = 0;
    while (i < a->steps.len && a->steps.at[i].rewarded) i++;
    CHECK(i < a->steps.len);
    a->steps.at[i].reward = reward;
    a->steps.at[i].rewarded = true;
    if (witness) {
        a->produced[a->steps.at[i].action]++;
        a->witnesses++;
        update_state(a);
    }
    if (i < RECBI_LOOKAHEAD) return;
    learn(a);
    mem_free(a->steps.at[0].state);
    memmove(&a->steps.at[0], &a->steps.at[1], --a->steps.len * sizeof(A2cStep));
}
