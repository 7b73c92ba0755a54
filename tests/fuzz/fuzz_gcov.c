/* Any bytes as .gcno, and after "\n%%\n" any bytes as its .gcda: read or refused; what is read can
 * be solved and counted. */
#include "coverage/gcov_data.h"
#include "coverage/gcov_flow.h"
#include "coverage/gcov_lines.h"
#include "fuzz.h"

static void solve(const GcovNotes *notes, int64_t *const *counters) {
    GcovLines lines = { 0 };
    for (uint32_t f = 0; f < notes->n_functions; f++) {
        const GcovFunction *fn = &notes->functions[f];
        CHECK(gcov_notes_find(notes, fn->ident));
        if (!counters[f]) continue;
        int64_t *blocks = mem_alloc(sizeof *blocks * (fn->n_blocks + 1));
        int64_t *arcs = mem_alloc(sizeof *arcs * (fn->n_arcs + 1));
        gcov_flow_solve(fn, counters[f], blocks, arcs);
        mem_free(blocks);
        mem_free(arcs);
    }
    gcov_lines(notes, counters, &lines);
    vec_release(&lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Arena arena = { 0 };
    Str rest = { (const char *)data, size }, bytes = fuzz_part(&rest);
    GcovNotes notes;
    Error err = { 0 };
    size_t before = fuzz_memory();
    bool read = gcov_notes_read(&arena, bytes, "fuzz.gcno", &notes, &err);
    fuzz_bounded(before, size);
    if (read) {
        gcov_flow_plan(&arena, &notes);
        fuzz_bounded(before, size);
        int64_t **counters = ARENA_ARRAY(&arena, int64_t *, notes.n_functions + 1);
        solve(&notes, counters);
        if (gcov_data_read(&arena, rest, "fuzz.gcda", &notes, counters, &err))
            solve(&notes, counters);
        else
            CHECK(err.status == STATUS_BAD);
    } else {
        CHECK(err.status == STATUS_BAD && err.text[0]);
    }
    arena_release(&arena);
    return 0;
}
