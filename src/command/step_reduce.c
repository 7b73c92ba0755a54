/* The first two steps: insertions that matter (hunt has found them already: every variant it
 * records has only those), and the pair reduced by culprit reduce. */
#include "command/inquiry.h"

#include "base/file.h"
#include "base/json.h"
#include "command/reduce_case.h"
#include "command/reduce_print.h"
#include "run/run.h"

StepEnd step_snippets(Inquiry *q, Str *result) {
    json_t *snippets = q->c.snippets.len ? json_parse(q->c.snippets, "snippets", NULL) : NULL, *s;
    size_t i, n = json_array_size(snippets), needed = 0;
    json_array_foreach(snippets, i, s) needed += json_get_bool(s, "needed", true);
    if (n)
        *result = str_from(arena_fmt(&q->arena, "%zu of %zu insertions matter", needed, n));
    else
        *result = STR("nothing was inserted by hunt: the program is the user's own");
    json_decref(snippets);
    return n ? STEP_DONE : STEP_SKIPPED;
}

/* ---- reduce ---- */

static size_t lines_of(Str text) {
    size_t n = 0;
    for (size_t i = 0; i < text.len; i++) n += text.at[i] == '\n';
    return n;
}

static bool keep(Inquiry *q, const ReduceResult *result, Error *err) {
    Store *store = store_open(q->store, STORE_WRITE, err);
    bool ok = store && reduce_case_keep(store, &q->c, result, err);
    store_close(store);
    return ok && inquiry_set(q, NULL, 0, err);
}

static Str say_sizes(Inquiry *q) {
    const Case *c = &q->c;
    if (c->units.len && !c->reduced_variant.len) return STR("every unit reduced");
    return str_from(arena_fmt(&q->arena, "%zu lines, %zu bytes (was %zu lines, %zu bytes)%s",
                              lines_of(c->reduced_variant), c->reduced_variant.len,
                              lines_of(c->variant), c->variant.len,
                              c->reduced_seed.len ? ", with the program that passes" : ""));
}

StepEnd step_reduce(Inquiry *q, Str *result) {
    Error err = { 0 };
    const char *dir = inquiry_dir(q, "reduce");
    ReduceRequest request = { .dir = dir,
                              .method = "ppr",
                              .order = "tlc",
                              .jobs = (unsigned)q->jobs,
                              .time_s = q->step_s,
                              .quiet = q->quiet };
    ReduceResult reduced = { 0 };
    bool ok = reduce_case_request(&q->arena, &q->c, &request, &err) &&
              reduce_run(&request, &reduced, &err);
    bool stopped = run_interrupted() || err.status == STATUS_INTERRUPTED || reduced.interrupted ||
                   reduced.out_of_time;
    bool kept = ok && keep(q, &reduced, &err);
    /* only working files: what is shown comes from the store */
    for (int side = 0; kept && side < SIDES; side++)
        for (size_t i = 0; i < reduced.side[side].n_files; i++)
            reduced.side[side].files[i].path = NULL;
    if (kept && !q->quiet) reduce_print(&reduced, false, true, "the store");
    reduce_release(&reduced);
    if (kept) *result = say_sizes(q);
    if (stopped) return STEP_STOPPED;
    if (!kept) return *result = str_from(arena_strdup(&q->arena, err.text)), STEP_FAILED;
    file_remove_tree(dir);
    return STEP_DONE;
}
