/* phi0: the condition that failed, found in the bad run (analysis.h).
 *
 * An abort or a failed assert is the branch that led there. A signal is the address or the divisor.
 * Wrong output is the first differing byte: if the good run's byte at that place was written by the
 * same call, it is the argument that the byte came from; else the program should not have reached
 * that call, or (where the bad run wrote too little) should have reached the good run's. A run that
 * was stopped from outside, and whose output so far was right, hangs: the branch at which the good
 * run left what this one stays in. Then the exit status, and last what was written to files, as a
 * compiler's output is. */
#include "explain/inside.h"
#include "trace/fold.h"
#include "trace/layout.h"

enum { ADDRESS_BITS = 47 }; /* of the memory that a program can have */

static bool set_branch(Analysis *a, Step step, const char *text, Predicate *phi) {
    Step branch = inside_enclosing_branch(a->bad, step);
    *phi = (Predicate){
        .kind = PRED_BRANCH, .link = LINK_FAILURE, .step = branch, .operand = OPERAND_RESULT
    };
    if (branch == STEP_NONE) { /* nothing decided it: the call itself */
        phi->kind = PRED_VALUE;
        phi->step = step;
    }
    phi->text = str_from(arena_strdup(&a->arena, text));
    inside_fill(a, phi);
    return true;
}

static bool set_operand(Analysis *a, Step step, unsigned operand, const char *text,
                        Predicate *phi) {
    *phi =
        (Predicate){ .kind = PRED_VALUE, .link = LINK_FAILURE, .step = step, .operand = operand };
    phi->text = str_from(arena_strdup(&a->arena, text));
    inside_fill(a, phi);
    return true;
}

/* The good run's value of an operand, where the runs are aligned. */
static bool good_operand(const Analysis *a, Step step, unsigned operand, uint64_t *value) {
    Step g = a->align ? align_step(a->align, step) : STEP_NONE;
    if (g == STEP_NONE) return false;
    const Inst *bad = trace_inst(a->bad, step), *good = trace_inst(a->good, g);
    if (bad->op != good->op || operand >= good->operands) return false;
    if (type_is_wide(code_operand(&a->good->code, good, operand)->type)) return false;
    *value = trace_operand_value(a->good, g, operand);
    return true;
}

/* ---- signals ---- */

/* A length that no memory has, as a negative one is; the number of operands: none. */
static unsigned endless_length(const Analysis *a, Step step, const Inst *inst) {
    for (unsigned i = 0; i + 1 < inst->operands; i++) {
        Type type = code_operand(&a->bad->code, inst, i)->type;
        if (type.kind == TYPE_INT && type.bits == 64 &&
            trace_operand_value(a->bad, step, i) >> ADDRESS_BITS)
            return i;
    }
    return inst->operands;
}

/* What made a call fail: a length without an end, a pointer that is NULL, else one that was
 * different in the good run. */
static unsigned bad_argument(const Analysis *a, Step step, const Inst *inst) {
    unsigned first = endless_length(a, step, inst);
    bool found = false;
    if (first < inst->operands) return first;
    first = 0;
    for (unsigned i = 0; i + 1 < inst->operands; i++) {
        if (code_operand(&a->bad->code, inst, i)->type.kind != TYPE_POINTER) continue;
        uint64_t now = trace_operand_value(a->bad, step, i), was;
        if (now < 4096) return i;
        if (!found || (good_operand(a, step, i, &was) && was != now)) first = i;
        found = true;
    }
    return first;
}

static bool signal_failure(Analysis *a, Predicate *phi) {
    Step s = a->bad->failing;
    const Inst *inst = trace_inst(a->bad, s);
    char *text = arena_fmt(&a->arena, "signal %d", a->bad->info.code);
    if (inst->op >= OP_UDIV && inst->op <= OP_SREM) return set_operand(a, s, 1, text, phi);
    if (inst->op == OP_LOAD || inst->op == OP_STORE) {
        set_operand(a, s, inst->op == OP_STORE, text, phi);
        phi->kind = PRED_ADDRESS;
        return true;
    }
    if (inst->op == OP_CALL && inst->operands > 1)
        return set_operand(a, s, bad_argument(a, s, inst), text, phi);
    return set_branch(a, s, text, phi);
}

/* ---- output ---- */

const TraceOutput *inside_output_at(const Trace *t, uint32_t fd, uint64_t offset) {
    for (size_t i = 0; i < t->outputs.len; i++) {
        const TraceOutput *o = &t->outputs.at[i];
        if (o->fd == fd && offset >= o->offset && offset < o->offset + o->size) return o;
    }
    return NULL;
}

const OutByte *inside_origin_at(const Trace *t, const TraceOutput *o, uint64_t offset) {
    return o->origin == ORIGIN_NONE ? NULL : &t->origins.at[o->origin + (offset - o->offset)];
}

/* Without a good run the expected number can be read from the expected text. */
static bool number_expected(const Analysis *a, const TraceOutput *o, const OutByte *b, Str expected,
                            const Inst *inst, uint64_t *wanted) {
    const Operand *operand = code_operand(&a->bad->code, inst, b->operand);
    uint64_t start = o->offset + b->from;
    char text[64];
    int64_t value;
    if (operand->type.kind != TYPE_INT || start >= expected.len) return false;
    Str rest = str_sub(expected, start, start + 40 < expected.len ? start + 40 : expected.len);
    size_t n = strspn(arena_cstr((Arena *)&a->arena, rest), "-0123456789");
    if (!n || n >= sizeof text) return false;
    if (!str_to_i64(str_sub(rest, 0, n), &value)) return false;
    *wanted = (uint64_t)value & bits_mask(operand->type.bits);
    return true;
}

enum { QUOTED = 36 }; /* bytes of a text that are named */

static const char *byte_text(Arena *arena, char byte) {
    bool shows = byte >= ' ' && byte < 127;
    return shows ? arena_fmt(arena, "'%c'", byte) : arena_fmt(arena, "0x%02x", (uint8_t)byte);
}

const char *inside_quote(Arena *arena, Str text, uint64_t offset) {
    size_t end = offset;
    while (end < text.len && end < offset + QUOTED && text.at[end] != '\n') end++;
    if (end == offset) return byte_text(arena, text.at[offset]);
    Buf words = { 0 };
    buf_text(&words, "\"");
    for (size_t i = offset; i < end; i++) {
        unsigned char c = (unsigned char)text.at[i];
        if (c == '\t')
            buf_text(&words, "\\t");
        else if (c < ' ' || c == 127)
            buf_fmt(&words, "\\x%02x", c);
        else
            buf_add(&words, &text.at[i], 1);
    }
    buf_fmt(&words, "\"%s", end + 1 < text.len ? ".." : "");
    const char *kept = arena_cstr(arena, buf_view(&words));
    buf_release(&words);
    return kept;
}

static char *wrong_byte(Analysis *a, uint32_t fd, uint64_t offset, Str expected) {
    return arena_fmt(&a->arena, "byte %llu of %s is %s, should be %s", (unsigned long long)offset,
                     fd == WRITTEN_FILES ? "the written files" : "the output",
                     byte_text(&a->arena, a->bad->written[fd].at[offset]),
                     byte_text(&a->arena, expected.at[offset]));
}

static bool value_failure(Analysis *a, const TraceOutput *o, const OutByte *b, uint64_t offset,
                          Str expected, Predicate *phi) {
    const Inst *inst = trace_inst(a->bad, o->step);
    char now = a->bad->written[o->fd].at[offset], was = expected.at[offset];
    *phi = (Predicate){
        .kind = PRED_VALUE, .link = LINK_FAILURE, .step = o->step, .operand = b->operand
    };
    if (b->address && b->word) {
        const TraceOutput *g = a->good ? inside_output_at(a->good, o->fd, offset) : NULL;
        const OutByte *was_at = g ? inside_origin_at(a->good, g, offset) : NULL;
        phi->memory = true;
        phi->size = b->word;
        phi->address = b->address;
        phi->writer = b->writer;
        phi->seen = b->value;
        phi->has_wanted = was_at && was_at->word == b->word && was_at->value != b->value;
        if (phi->has_wanted) phi->wanted = was_at->value;
    } else if (b->address) {
        phi->memory = true;
        phi->address = b->address;
        phi->writer = b->writer;
        phi->seen = (uint8_t)now;
        phi->has_wanted = true;
        phi->wanted = (uint8_t)was;
    } else if (code_operand(&a->bad->code, inst, b->operand)->type.kind == TYPE_INT) {
        uint64_t good, actual = trace_operand_value(a->bad, o->step, b->operand);
        if (good_operand(a, o->step, b->operand, &good) && good != actual)
            phi->has_wanted = true, phi->wanted = good;
        else
            phi->has_wanted =
                number_expected(a, o, b, expected, inst, &phi->wanted) && phi->wanted != actual;
    }
    phi->text = str_from(wrong_byte(a, o->fd, offset, expected));
    inside_fill(a, phi);
    return true;
}

/* The byte of format that came where a string went on in the good run: the string's end, whose
 * writer the call noted when it read it. */
static bool string_failure(Analysis *a, const TraceOutput *o, const OutByte *last, uint64_t offset,
                           Str expected, Predicate *phi) {
    const Trace *t = a->bad;
    uint64_t end = last->address + 1;
    size_t r = trace_first_read(t, o->step);
    for (; r < t->reads.len && t->reads.at[r].step == o->step; r++) {
        const TraceRead *read = &t->reads.at[r];
        if (end - read->address >= read->size) continue;
        *phi = (Predicate){ .kind = PRED_VALUE,
                            .link = LINK_FAILURE,
                            .step = o->step,
                            .operand = last->operand,
                            .memory = true,
                            .address = end,
                            .writer = t->pool.at[read->pool + (end - read->address)],
                            .has_wanted = true,
                            .wanted = (uint8_t)expected.at[offset] };
        phi->text = str_from(wrong_byte(a, o->fd, offset, expected));
        inside_fill(a, phi);
        return true;
    }
    return false;
}

/* The last branch before a step of the good run that the bad run decided differently. */
Step inside_last_difference(const Analysis *a, Step good_limit) {
    Step best = STEP_NONE, best_good = 0;
    for (uint32_t i = 0; i < a->bad->segments.len; i++) {
        Step end = trace_segment_end(a->bad, i);
        if (end == a->bad->segments.at[i].first) continue;
        Step s = end - 1;
        const Inst *inst = trace_inst(a->bad, s);
        if (inst->op != OP_CONDBR && inst->op != OP_SWITCH) continue;
        Step g = align_step(a->align, s);
        if (g == STEP_NONE || g > good_limit || trace_inst(a->good, g)->op != inst->op ||
            !align_went_otherwise(a->align, s, g))
            continue;
        if (best == STEP_NONE || g >= best_good) best = s, best_good = g;
    }
    return best;
}

/* The good run wrote something here that the bad run never reached. */
static bool missing_output(Analysis *a, uint32_t fd, uint64_t offset, Predicate *phi) {
    const TraceOutput *good = a->align ? inside_output_at(a->good, fd, offset) : NULL;
    if (!good || good->step == STEP_NONE) return false;
    Step s = inside_last_difference(a, good->step);
    if (s == STEP_NONE) return false;
    *phi = (Predicate){
        .kind = PRED_BRANCH, .link = LINK_FAILURE, .step = s, .operand = OPERAND_RESULT
    };
    phi->guessed = true;
    phi->text = str_from(
        arena_fmt(&a->arena, "output is missing from byte %llu on: %s", (unsigned long long)offset,
                  inside_quote(&a->arena, buf_view(&a->good->written[fd]), offset)));
    inside_fill(a, phi);
    return true;
}

/* Where the same call wrote a byte of its format for one of a value, the value was shorter before
 * it: "6 of" for "63 of". Its last byte; else NULL. */
static const OutByte *ended_before(const Analysis *a, const TraceOutput *bad,
                                   const TraceOutput *good, const OutByte *b, uint64_t at) {
    const OutByte *was = inside_origin_at(a->good, good, at);
    if (!b || !was || b->operand != OUT_FIXED || was->operand >= OUT_UNKNOWN || at == bad->offset)
        return NULL;
    const OutByte *before = inside_origin_at(a->bad, bad, at - 1);
    return before->operand == was->operand ? before : NULL;
}

static Str line_at(Str text, uint64_t offset) {
    size_t end = str_find(text, STR("\n"), offset);
    return str_sub(text, offset, end == STR_NONE ? text.len : end + 1);
}

/* Whether two writes that no alignment brings together, as in an interpreter's loop, are the same
 * one for a reader of the output: the same call wrote there in both, and what the bad run wrote is
 * not a line that the good one has later. */
static bool same_for_readers(const Analysis *a, const TraceOutput *bad, const TraceOutput *good) {
    uint32_t twin = align_bad_inst(
        a->align, (uint32_t)(trace_inst(a->good, good->step) - a->good->code.insts.at));
    if (twin == CODE_NONE || trace_inst(a->bad, bad->step) != &a->bad->code.insts.at[twin] ||
        bad->offset != good->offset)
        return false;
    Str now = line_at(buf_view(&a->bad->written[bad->fd]), bad->offset),
        was = buf_view(&a->good->written[bad->fd]);
    for (size_t at = bad->offset; (at = str_find(was, now, at)) != STR_NONE; at++)
        if (at && was.at[at - 1] == '\n') return false;
    return true;
}

static bool output_failure(Analysis *a, uint32_t fd, Str expected, Predicate *phi) {
    Str now = buf_view(&a->bad->written[fd]);
    uint64_t k = 0;
    while (k < now.len && k < expected.len && now.at[k] == expected.at[k]) k++;
    if (k == now.len && k == expected.len) return false;
    const TraceOutput *bad = k < now.len ? inside_output_at(a->bad, fd, k) : NULL;
    if (!bad || bad->step == STEP_NONE) {
        if (missing_output(a, fd, k, phi)) return true;
        if (a->bad->exit == STEP_NONE) return false;
        phi->guessed = set_branch(a, a->bad->exit, "output is missing", phi);
        return true;
    }
    const OutByte *b = inside_origin_at(a->bad, bad, k);
    Step same = a->align ? align_step(a->align, bad->step) : STEP_NONE;
    const TraceOutput *good = a->align ? inside_output_at(a->good, fd, k) : NULL;
    bool other_call = good && same != STEP_NONE
                          ? same != good->step
                          : good && good->step != STEP_NONE && !same_for_readers(a, bad, good);
    const OutByte *ended =
        good && same == good->step && k < expected.len ? ended_before(a, bad, good, b, k) : NULL;
    if (ended && ended->address && !ended->word)
        return string_failure(a, bad, ended, k, expected, phi) ||
               value_failure(a, bad, ended, k, expected, phi);
    if (ended) b = ended;
    bool by_value = b && b->operand < OUT_UNKNOWN && k < expected.len && !other_call;
    if (by_value) return value_failure(a, bad, b, k, expected, phi);
    if (other_call && missing_output(a, fd, k, phi)) return true;
    if (b && b->operand < OUT_UNKNOWN && k < expected.len && !a->align)
        return value_failure(a, bad, b, k, expected, phi);
    /* The same call in both runs: that it was reached is not what went wrong. */
    if (good && same == good->step && k < expected.len) {
        set_branch(a, bad->step, wrong_byte(a, fd, k, expected), phi);
        phi->guessed = true;
        return true;
    }
    return set_branch(
        a, bad->step,
        arena_fmt(&a->arena, "%s should not have been written", inside_quote(&a->arena, now, k)),
        phi);
}

/* ---- a run that does not end ---- */

static bool starts_with(Str text, Str begin) {
    return text.len >= begin.len && (!begin.len || memcmp(text.at, begin.at, begin.len) == 0);
}

bool inside_hangs(const Analysis *a) {
    TraceEnd end = a->bad->info.end;
    bool ends = a->good && a->good->info.end == TRACE_END_EXIT;
    return (end == TRACE_END_UNKNOWN || end == TRACE_END_LIMIT) && (ends || !a->good) &&
           a->bad->value.len > 0;
}

/* The good run left a loop that this one stays in: the last branch that the two decided
 * differently. Without a good run, the branch that led to where it was last seen. */
static bool hang_failure(Analysis *a, Predicate *phi) {
    Step last = (Step)(a->bad->value.len - 1);
    Step s = a->align ? inside_last_difference(a, STEP_NONE) : STEP_NONE;
    if (s == STEP_NONE) s = inside_enclosing_branch(a->bad, last);
    if (s == STEP_NONE) return false;
    *phi = (Predicate){
        .kind = PRED_BRANCH, .link = LINK_FAILURE, .step = s, .operand = OPERAND_RESULT
    };
    phi->guessed = true;
    phi->text = STR("the program does not end: it goes on here");
    inside_fill(a, phi);
    return true;
}

/* ---- the exit status ---- */

static bool status_failure(Analysis *a, const Expectation *e, Predicate *phi) {
    int wanted = e->has_status ? e->status : a->good ? a->good->info.code : 0;
    bool known = e->has_status || (a->good && a->good->info.end == TRACE_END_EXIT);
    if (a->bad->exit == STEP_NONE || !known || wanted == a->bad->info.code) return false;
    char *text = arena_fmt(&a->arena, "exit status %d, should be %d", a->bad->info.code, wanted);
    const Inst *inst = trace_inst(a->bad, a->bad->exit);
    if (!inst->operands) return false;
    set_operand(a, a->bad->exit, 0, text, phi);
    if (code_operand(&a->bad->code, inst, 0)->kind == OPERAND_CONST)
        return set_branch(a, a->bad->exit, text, phi);
    phi->has_wanted = true;
    phi->wanted = (uint64_t)wanted;
    return true;
}

bool inside_gave_up(const Analysis *a) {
    const TraceInfo *bad = &a->bad->info, *good = a->good ? &a->good->info : NULL;
    return good && good->end == TRACE_END_EXIT && !good->code && bad->end == TRACE_END_EXIT &&
           bad->code;
}

bool analysis_failure(Analysis *a, const Expectation *e, Predicate *phi, Error *err) {
    const Trace *t = a->bad;
    if (t->info.end == TRACE_END_ABORT && t->failing != STEP_NONE)
        return set_branch(a, t->failing, "the program gave up here", phi);
    if (t->info.end == TRACE_END_SIGNAL && t->failing != STEP_NONE) {
        bool found = signal_failure(a, phi);
        phi->guessed |= t->failing_guessed;
        return found;
    }
    Str first = e->has_output ? e->output : a->good ? a->good->info.first_bytes : (Str){ 0 };
    bool so_far = starts_with(first, a->bad->info.first_bytes);
    if (inside_hangs(a) && (so_far || !first.at) && hang_failure(a, phi)) return true;
    /* A program that gave up wrote otherwise for that reason, and a test may look at that alone. */
    if (!e->has_output && inside_gave_up(a) && status_failure(a, e, phi)) return true;
    for (int shown = 0; shown < 2; shown++) { /* what the test only showed is looked at last */
        if ((e->has_output || a->good) && e->output_shown == shown &&
            output_failure(a, 1, first, phi))
            return true;
        if (!shown && status_failure(a, e, phi)) return true;
        if (a->good && e->error_shown == shown &&
            output_failure(a, 2, a->good->info.error_bytes, phi))
            return true;
        if (!shown && a->good && output_failure(a, WRITTEN_FILES, a->good->info.file_bytes, phi))
            return true;
    }
    return err_set(err, STATUS_NO,
                   "the traced run shows no failed assert, no signal, and the same output and "
                   "status as the good one");
}
