/* Running one process, and words for how it ended. */
#include "run/proc.h"

#include "base/quantity.h"

#include <math.h>

RunLimits run_defaults(RunProfile profile) {
    if (profile == RUN_GENERATED)
        return (RunLimits){ .wall_s = 10,
                            .cpu_s = 10,
                            .memory = 1ull << 30,
                            .output = 16u << 20,
                            .file_size = 64u << 20,
                            .processes = 64,
                            .resident = 2ull << 30,
                            .disk = 512u << 20,
                            .written = RUN_UNLIMITED,
                            .tree_cpu_s = INFINITY,
                            .each_cpu_s = INFINITY };
    return (RunLimits){ .wall_s = 3600,
                        .cpu_s = INFINITY,
                        .memory = RUN_UNLIMITED,
                        .output = 64u << 20,
                        .file_size = 8ull << 30,
                        .processes = 4096,
                        .resident = RUN_UNLIMITED,
                        .disk = RUN_UNLIMITED,
                        .written = RUN_UNLIMITED,
                        .tree_cpu_s = INFINITY };
}

static double until = INFINITY; /* run_until */

void run_until(double clock) {
    until = clock;
}

double run_end(void) {
    return until;
}

bool run_out_of_time(void) {
    return clock_now() >= until;
}

RunResult run_one(Arena *arena, const RunSpec *spec) {
    Proc *proc = proc_start(spec);
    while (!proc_done(proc)) {
        if (clock_now() >= until) proc_kill(proc, RUN_CANCELLED);
        proc_pump(clock_now() >= until ? INFINITY : until);
    }
    return proc_finish(proc, arena);
}

const char *run_describe(Arena *arena, const RunResult *r) {
    switch (r->end) {
    case RUN_EXITED: return arena_fmt(arena, "exit status %d", r->code);
    case RUN_SIGNALED: return arena_fmt(arena, "signal %d (%s)", r->code, strsignal(r->code));
    case RUN_TIMEOUT: return arena_fmt(arena, "time-out after %.3g s", r->wall_s);
    case RUN_OVERFLOW: return "too much output, too large a file or too many processes";
    case RUN_MEMORY: return "out of memory";
    case RUN_CANCELLED: return "cancelled";
    case RUN_NOT_STARTED: return arena_fmt(arena, "not started (" STR_FMT ")", STR_ARG(r->err));
    }
    return "";
}
