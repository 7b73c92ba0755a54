/* Before anything is recorded; see early.h. */
#include "explain/early.h"
#include "explain/explain_knobs.h"

#include <math.h>

/* CPU seconds that recording both versions is likely to cost. */
static double recording_cost(const Versions *v) {
    return RECORD_BUILDS * v->build_cpu_s +
           RECORD_TIMES * (v->good.test[0].cpu_s + v->bad.test[0].cpu_s);
}

/* The same of a search without a recording, if all goes well. */
static double search_cost(const Versions *v, size_t units) {
    return EARLY_SETS * log2((double)units + 1) *
           (EARLY_BUILD * v->build_cpu_s + v->bad.test[0].cpu_s);
}

bool early_search(const ClosedSearch *search, const Versions *versions, uint8_t *best) {
    Oracle *oracle = search->aux->oracle;
    double cost = recording_cost(versions), most = EARLY_SHARE * cost;
    size_t units = closed_units(search);
    bool ended = false;
    if (units < 2 || cost < EARLY_LEAST_S || search_cost(versions, units) > most) return false;
    if (oracle_dumps(oracle))
        oracle_say("a search of %zu units before anything is recorded, for %.1f s", units, most);
    oracle_pause_at(oracle, oracle_cpu() + most);
    bool passes = closed_early(search, best, &ended);
    oracle_pause_at(oracle, 0);
    if (oracle_dumps(oracle)) oracle_say(ended ? "it ended" : "it did not end");
    return passes;
}
