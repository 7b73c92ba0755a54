/* Any bytes as the recording of a program: replayed as far as it goes, or refused; then everything
 * that can be asked of it is asked. */
#include "fuzz.h"
#include "trace/trace.h"

static void look_around(const Trace *trace) {
    Arena arena = { 0 };
    uint64_t steps = trace_steps(trace), stride = steps / 200 + 1;
    for (uint64_t s = 0; s < steps; s += stride) {
        Place place = trace_place(trace, (Step)s);
        if (place.file.len) trace_executed(trace, place.file, place.line);
        trace_show(trace, (Step)s, &arena);
    }
    trace_entered(trace, STR("main"));
    CHECK(trace_info(trace)->steps == steps);
    arena_release(&arena);
}

/* A recording names the code of its program (one of the seeds', in bitcode), which LLVM reads, too.
 */
enum { CODE = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Arena arena = { 0 };
    Error err = { 0 };
    const char *path = fuzz_file(&arena, "trace.1.0", (Str){ (const char *)data, size });
    size_t before = fuzz_memory();
    Trace *trace = trace_open(path, NULL, &err);
    fuzz_bounded(before, size + CODE);
    if (trace)
        look_around(trace);
    else
        CHECK(err.status != STATUS_DONE && err.text[0]);
    trace_free(trace);
    arena_release(&arena);
    return 0;
}
