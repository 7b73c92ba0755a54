/* See quality.h. */
#include "isolate/quality.h"
#include "isolate/isolate_knobs.h"

double quality_sim(const Quality *q) {
    return q->n ? q->similar / (double)q->n : 0;
}

double quality_div(const Quality *q) {
    return q->n < 2 ? 0 : q->distance / ((double)q->n * ((double)q->n - 1) / 2);
}

double quality_value(const Quality *q) {
    return (double)q->n * (RECBI_ALPHA * quality_div(q) + (1 - RECBI_ALPHA) * quality_sim(q));
}

Quality quality_with(const Quality *q, double similarity, double distances) {
    return (Quality){ q->n + 1, q->similar + similarity, q->distance + distances };
}
