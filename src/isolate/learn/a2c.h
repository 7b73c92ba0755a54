/* Advantage actor-critic, by which RecBi learns which mutation operator pays off (its section 3.2).
 *
 * State: how often each operator has produced a witness, as shares of all witnesses, with one more
 * input: log(1 + witnesses). (Raw counts, as in the paper, grow without bound and saturate the
 * nets.)
 *
 * Update schedule. Every step asks a2c_choose for an operator and later, in the same order, gives
 * its reward to a2c_reward. As soon as the reward of step t+u is known, step t is learnt from,
 * once: A(t) = sum_{i=t..t+u} gamma^(i-t) R_i + gamma^(u+1) V(s_{t+u+1}) - V(s_t) with V from the
 * critic at that moment; s_{t+u+1} is the state after step t+u. The actor ascends log pi(a_t|s_t)
 * A(t) with A held constant, the critic descends A(t)^2 with the later V held constant. So there is
 * one step of Adam for both nets for each step of the search, u steps late. Several steps may be
 * open at once (a batch): their states are those at the time of choosing. */
#ifndef CULPRIT_ISOLATE_LEARN_A2C_H
#define CULPRIT_ISOLATE_LEARN_A2C_H

#include "isolate/learn/net.h"

typedef struct A2cStep {
    double *state; /* n + 1 numbers, when it was chosen */
    unsigned action;
    double reward;
    bool rewarded;
} A2cStep;

typedef struct A2c {
    unsigned n; /* actions */
    Net actor, critic;
    Rng rng;
    VEC(A2cStep) steps; /* not yet learnt from, oldest first */
    double *state;      /* now */
    double *scratch;    /* n numbers: logits, probabilities */
    uint64_t *produced; /* per action: witnesses */
    uint64_t witnesses;
} A2c;

void a2c_init(A2c *a, unsigned n, Rng rng);
void a2c_release(A2c *a);
unsigned a2c_choose(A2c *a);
/* Takes back the last choice: it gets no reward. */
void a2c_take_back(A2c *a);
/* The reward of the oldest step that has none yet, and whether it produced a witness. */
void a2c_reward(A2c *a, double reward, bool witness);
/* What a2c_choose draws from now. */
void a2c_policy(A2c *a, double *p);
/* A(t) from its parts: rewards of steps t .. t+u, the value after them, the value at t. */
double a2c_advantage(const double *rewards, unsigned n, double later_value, double value);

#endif
