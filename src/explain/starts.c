/* Where the dual slice starts (analysis.h, dual.h): all that the failing run shows. A failed assert
 * or a signal is one step that should not have been made; a run that hangs is the branch at which
 * the good run left; for wrong output, every line that differs is a start of its own, so that two
 * changes that break two lines are both found. */
#include "explain/dual.h"
#include "explain/explain_knobs.h"
#include "explain/inside.h"

/* One byte that differs; offsets past the end: missing there. */
static void start_byte(const Analysis *a, Dual *d, uint32_t fd, uint64_t bad_at, uint64_t good_at) {
    const TraceOutput *b = inside_output_at(a->bad, fd, bad_at);
    const TraceOutput *g = inside_output_at(a->good, fd, good_at);
    if (b && b->step == STEP_NONE) b = NULL;
    if (g && g->step == STEP_NONE) g = NULL;
    bool same = b && g && align_step(d->align, b->step) == g->step;
    if (b && !same) dual_start_single(d, false, b->step);
    if (g && !same) dual_start_single(d, true, g->step);
    if (!b || !g) return;
    const OutByte *x = inside_origin_at(a->bad, b, bad_at);
    const OutByte *y = inside_origin_at(a->good, g, good_at);
    if (!x || !y || x->operand >= OUT_UNKNOWN || y->operand >= OUT_UNKNOWN) {
        if (same) dual_start_pair(d, b->step, g->step, 0, 0);
        return;
    }
    bool written = def_is_step(x->writer) || def_is_step(y->writer);
    if (x->address && y->address)
        dual_start_writers(d, x->writer, y->writer, x->address, y->address);
    if (!x->address || !y->address || !written) /* a constant text: which one was chosen? */
        dual_start_operand(d, b->step, g->step, x->operand, y->operand);
}

/* From an offset to just after the line's end. */
static uint64_t behind_line(Str text, uint64_t at) {
    while (at < text.len && text.at[at] != '\n') at++;
    return at < text.len ? at + 1 : text.len;
}

static bool start_output(const Analysis *a, Dual *d, uint32_t fd, Str expected) {
    Str now = buf_view(&a->bad->written[fd]);
    uint64_t i = 0, k = 0;
    unsigned wrong = 0;
    while (wrong < WRONG_LINES_MOST && (i < now.len || k < expected.len)) {
        uint64_t i_end = behind_line(now, i), k_end = behind_line(expected, k);
        uint64_t x = i, y = k;
        while (x < i_end && y < k_end && now.at[x] == expected.at[y]) x++, y++;
        if (x < i_end || y < k_end) {
            start_byte(a, d, fd, x, y);
            wrong++;
        }
        i = i_end, k = k_end;
    }
    return wrong > 0;
}

/* The first thing on standard output that the good run wrote and the bad one did not; NULL: the bad
 * run wrote something there. */
static const TraceOutput *first_missing(const Analysis *a, Str expected) {
    Str now = buf_view(&a->bad->written[1]);
    uint64_t k = 0;
    while (k < now.len && k < expected.len && now.at[k] == expected.at[k]) k++;
    if (k < now.len || k == expected.len) return NULL;
    const TraceOutput *good = inside_output_at(a->good, 1, k);
    return good && good->step != STEP_NONE ? good : NULL;
}

/* Why output is missing is seldom told by the code that would have written it: a message of the bad
 * run says so, and the last branch that went the other way before the good run wrote it. */
static void start_missing(const Analysis *a, Dual *d, const TraceOutput *missing) {
    start_output(a, d, 2, a->good->info.error_bytes);
    Step last = inside_last_difference(a, missing->step);
    Step twin = last == STEP_NONE ? STEP_NONE : align_step(d->align, last);
    if (twin != STEP_NONE) dual_start_pair(d, last, twin, 0, 0);
}

/* Standard output, and why it is missing where it is. */
static void start_standard(const Analysis *a, Dual *d) {
    const TraceOutput *missing = first_missing(a, a->good->info.first_bytes);
    start_output(a, d, 1, a->good->info.first_bytes);
    if (missing) start_missing(a, d, missing);
}

static void start_status(const Analysis *a, Dual *d) {
    Step bad = a->bad->exit, good = a->good->exit;
    if (bad == STEP_NONE || good == STEP_NONE) return;
    if (align_step(d->align, bad) == good) {
        dual_start_pair(d, bad, good, 0, 0);
        return;
    }
    dual_start_single(d, false, bad);
    dual_start_single(d, true, good);
}

/* A run that ended by itself: from what the test reads before what it only shows (analysis.h). A
 * message is a start beside the status that it goes with. */
static void start_ended(const Analysis *a, Dual *d, const Expectation *e) {
    const TraceInfo *bad = &a->bad->info, *good = &a->good->info;
    bool alike = bad->end == good->end && bad->code == good->code;
    bool other = e->has_output && !str_eq(e->output, good->first_bytes);
    if (!other && inside_gave_up(a)) {
        start_output(a, d, 2, good->error_bytes);
        start_status(a, d);
    }
    if (!other && !e->output_shown) start_standard(a, d);
    if (!d->nodes.len && !e->error_shown) start_output(a, d, 2, good->error_bytes);
    if (!d->nodes.len && alike) start_output(a, d, WRITTEN_FILES, good->file_bytes);
    if (!d->nodes.len && !alike) {
        start_output(a, d, 2, good->error_bytes);
        start_status(a, d);
    }
    if (!d->nodes.len && !other) start_standard(a, d);
    if (!d->nodes.len) start_output(a, d, 2, good->error_bytes);
    if (!d->nodes.len) start_status(a, d);
}

/* The step that failed. */
static void start_death(const Analysis *a, Dual *d) {
    Step twin = align_step(d->align, a->bad->failing);
    if (twin == STEP_NONE)
        dual_start_single(d, false, a->bad->failing);
    else
        dual_start_pair(d, a->bad->failing, twin, 0, 0);
}

Dual *analysis_dual(Analysis *a, const Expectation *e, AlignWay way, bool alone) {
    const Trace *t = a->bad;
    if (!a->good) return NULL;
    Dual *d = dual_new(t, a->good, way);
    d->alone = alone;
    bool died = t->info.end == TRACE_END_ABORT || t->info.end == TRACE_END_SIGNAL;
    if (died && t->failing != STEP_NONE) start_death(a, d);
    Step stays = inside_hangs(a) ? inside_last_difference(a, STEP_NONE) : STEP_NONE;
    if (stays != STEP_NONE && align_step(d->align, stays) != STEP_NONE)
        dual_start_pair(d, stays, align_step(d->align, stays), 0, 0);
    if (!died)
        start_ended(a, d, e);
    else if (!d->nodes.len)
        start_output(a, d, 2, a->good->info.error_bytes);
    dual_run(d);
    return d;
}
