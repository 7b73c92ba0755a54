/* The arms, and Thompson sampling over them; see bandit.h. */
#include "hunt/bandit.h"

#include <math.h>

const BanditArm bandit_arms[BANDIT_ARMS] = {
    { "hermes", "hermes", false, false },
    { "hermes, flags", "hermes", true, false },
    { "hermes, oracles", "hermes", false, true },
    { "all", "all", false, false },
    { "all, flags, oracles", "all", true, true },
    { "tcb, flags", "tcb", true, false },
    { "fcb, flags", "fcb", true, false },
    { "dead code, flags", "orion,athena", true, false },
};

/* Marsaglia and Tsang's method; shape at least 1. */
static double draw_gamma(Rng *rng, double shape, double rate) {
    double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double x = rng_normal(rng), v = 1 + c * x;
        if (v <= 0) continue;
        v = v * v * v;
        if (log(1 - rng_real(rng)) < 0.5 * x * x + d - d * v + d * log(v)) return d * v / rate;
    }
}

unsigned bandit_draw(Rng *rng, const BanditTally *tally) {
    if (!tally) return (unsigned)rng_below(rng, BANDIT_ARMS);
    unsigned best = 0;
    double highest = -1;
    for (unsigned i = 0; i < BANDIT_ARMS; i++) {
        double rate = draw_gamma(rng, BANDIT_PRIOR_FINDS + (double)tally->findings[i],
                                 BANDIT_PRIOR_S + (double)tally->cpu_ms[i] / 1000);
        if (rate > highest) highest = rate, best = i;
    }
    return best;
}

void bandit_learn(BanditTally *tally, unsigned arm, double cpu_s, uint64_t findings) {
    tally->findings[arm] += findings;
    tally->cpu_ms[arm] += (uint64_t)(cpu_s * 1000);
}
