/* Causes from cores (analysis.h): which instructions of the failing run force a condition.
 *
 * A core's facts become steps of the cause, one for each source line and call of its function: the
 * assignment the line makes where it makes one. Values in the good run come from the alignment. */
#include "explain/explain_knobs.h"
#include "explain/inside.h"
#include "trace/layout.h"
#include "trace/object.h"

Analysis *analysis_new(Trace *bad, Trace *good, ChangedFn is_changed, void *user) {
    Analysis *a = mem_alloc(sizeof *a);
    a->bad = bad;
    a->good = good;
    a->is_changed = is_changed;
    a->user = user;
    if (good) a->align = align_new(bad, good, ALIGN_IN_STEP);
    return a;
}

void analysis_free(Analysis *a) {
    if (a->align) align_free(a->align);
    for (size_t i = 0; i < a->causes.len; i++) vec_release(&a->causes.at[i]->steps);
    for (size_t i = 0; i < a->cores.len; i++) core_release(&a->cores.at[i]);
    vec_release(&a->causes);
    vec_release(&a->cores);
    map_release(&a->asked);
    arena_release(&a->arena);
    mem_free(a);
}

void analysis_stop_when(Analysis *a, bool (*stopped)(void *user), void *user) {
    a->limits.stopped = stopped;
    a->limits.user = user;
}

void analysis_limit(Analysis *a, double seconds) {
    a->limits.all_s = seconds;
}

bool inside_changed_step(void *user, Step step) {
    const Analysis *a = user;
    Place p = trace_place(a->bad, step);
    return p.line && a->is_changed(a->user, false, p.file, p.line);
}

static bool is_pointer(const Trace *t, Step s) {
    const Inst *inst = trace_inst(t, s);
    bool first = (inst->op == OP_STORE || inst->op == OP_RET) && inst->operands;
    return (first ? code_operand(&t->code, inst, 0)->type.kind : inst->type.kind) == TYPE_POINTER;
}

/* What a call wrote: of printf and the like the text is the result that matters, not its length.
 * Empty for all other steps. */
static Str written_by(const Trace *t, Step s) {
    const Inst *inst = trace_inst(t, s);
    size_t from = 0, to = 0, fd = 0;
    if (inst->op != OP_CALL || inst->call != CALL_FAR) return (Str){ "", 0 };
    for (size_t i = 0; i < t->outputs.len; i++) {
        const TraceOutput *o = &t->outputs.at[i];
        if (o->step != s) continue;
        if (!to) from = o->offset, fd = o->fd;
        if (o->fd == fd) to = o->offset + o->size;
    }
    return to ? str_sub(buf_view(&t->written[fd]), from, to) : (Str){ "", 0 };
}

/* The result of a step in words. */
static Str show(Analysis *a, const Trace *t, Step s) {
    Str text = written_by(t, s);
    return text.len ? str_from(inside_quote(&a->arena, text, 0)) : trace_show(t, s, &a->arena);
}

/* Whether two steps came out differently in meaning: a branch that continued elsewhere, a different
 * value, a pointer to another place. The words used for them may still differ. */
static bool values_differ(const Analysis *a, Step bad, Step good, Str now, Str was) {
    if (good == STEP_NONE || !was.len) return false;
    const Inst *b = trace_inst(a->bad, bad), *g = trace_inst(a->good, good);
    if ((b->op == OP_CONDBR || b->op == OP_SWITCH) && b->op == g->op)
        return align_went_otherwise(a->align, bad, good);
    if (b->op == OP_CALL && libc_is(b->libc, LIBC_VARIES)) return false;
    Str written = written_by(a->bad, bad);
    if (written.len) return !str_eq(written, written_by(a->good, good));
    uint64_t v = a->bad->value.at[bad], w = a->good->value.at[good];
    bool words = !str_eq(now, was);
    if (is_pointer(a->bad, bad) != is_pointer(a->good, good)) return words;
    if (!is_pointer(a->bad, bad)) {
        bool address = words && v > UINT32_MAX && w > UINT32_MAX; /* kept in a number? */
        return words && !(address && object_compare(a->align, (AddressThen){ v, bad },
                                                    (AddressThen){ w, good }) == PLACE_SAME);
    }
    if ((v == 0) != (w == 0)) return true;
    return v && object_compare(a->align, (AddressThen){ v, bad }, (AddressThen){ w, good }) ==
                    PLACE_OTHER;
}

void inside_fill(Analysis *a, Predicate *p) {
    p->place = trace_place(a->bad, p->step);
    const Inst *inst = trace_inst(a->bad, p->step);
    bool operand = p->kind != PRED_BRANCH && p->operand != OPERAND_RESULT;
    Step from = operand ? trace_operand_step(a->bad, p->step, p->operand) : p->step;
    if (from != STEP_NONE) p->now = trace_show(a->bad, from, &a->arena);
    Step good = a->align ? align_step(a->align, p->step) : STEP_NONE;
    p->aligned = good != STEP_NONE;
    Step good_from = good;
    if (good != STEP_NONE && operand) good_from = trace_operand_step(a->good, good, p->operand);
    if (good_from != STEP_NONE) {
        p->was = trace_show(a->good, good_from, &a->arena);
        if (from != STEP_NONE) p->differs = values_differ(a, from, good_from, p->now, p->was);
    }
    if (p->text.len) return;
    if (p->kind == PRED_BRANCH && inst->op == OP_CONDBR)
        p->text = p->now.len && p->now.at[0] == 't' ? STR("the condition is true")
                                                    : STR("the condition is false");
    else if (p->kind == PRED_BRANCH)
        p->text = str_from(arena_fmt(&a->arena, "the switch is on " STR_FMT, STR_ARG(p->now)));
    else
        p->text = str_from(arena_fmt(&a->arena, "the value is " STR_FMT, STR_ARG(p->now)));
}

/* ---- steps of a cause ---- */

/* How well an instruction represents its line. */
static unsigned worth(const Inst *inst) {
    switch (inst->op) {
    case OP_STORE: return 5;
    case OP_RET: return 4;
    case OP_CONDBR:
    case OP_SWITCH: return 4;
    case OP_CALL: return 3;
    case OP_LOAD: return 1;
    default: return 2;
    }
}

/* What a pointer operand's target is called: the variable, "*p" through a pointer, "a[]" in an
 * array. */
/* One step from what is called path to what contains it: a field, an element, a pointer. */
static const char *name_within(Analysis *a, const Inst *source, const char *path) {
    if (source->op == OP_LOAD && *path == '.') return arena_fmt(&a->arena, "->%s", path + 1);
    if (source->op != OP_GEP) return path;
    if (*source->name) return arena_fmt(&a->arena, ".%s%s", source->name, path);
    return source->operands > 1 ? arena_fmt(&a->arena, "[]%s", path) : path;
}

Str inside_name(Analysis *a, const Trace *t, Step step, unsigned operand) {
    bool through = false;
    const char *path = "";
    Str name = { "", 0 };
    for (unsigned hops = 0; hops < 16; hops++) {
        const Inst *inst = trace_inst(t, step);
        const Operand *o = code_operand(&t->code, inst, operand);
        Step from = trace_operand_step(t, step, operand);
        const Inst *source = from == STEP_NONE ? NULL : trace_inst(t, from);
        if (o->kind == OPERAND_CONST) {
            const Global *g = code_global(&t->code, o->bits);
            if (g) name = str_from(g->name);
        } else if (source && source->op == OP_ALLOCA) {
            name = code_variable(source->name);
        } else if (source &&
                   (source->op == OP_GEP || source->op == OP_LOAD || source->op == OP_MOVE)) {
            through |= source->op == OP_LOAD;
            path = name_within(a, source, path);
            step = from;
            operand = 0;
            continue;
        }
        break;
    }
    if (!name.len || (!through && !*path)) return name;
    return str_from(arena_fmt(&a->arena, "%s" STR_FMT "%s", *path ? "" : "*", STR_ARG(name), path));
}

/* What is stored, by the variable's name; clang keeps what a function will return in one. */
static Str stored_name(Analysis *a, const Trace *t, Step store) {
    Step to = trace_operand_step(t, store, 1);
    if (to != STEP_NONE && strcmp(trace_inst(t, to)->name, "retval") == 0) return STR("return");
    return inside_name(a, t, store, 1);
}

static Str what_is(Analysis *a, Step s) {
    const Trace *t = a->bad;
    const Inst *inst = trace_inst(t, s);
    switch (inst->op) {
    case OP_STORE: return stored_name(a, t, s);
    case OP_LOAD: return inside_name(a, t, s, 0);
    case OP_RET: return STR("return");
    case OP_CONDBR:
    case OP_SWITCH: return STR("branch");
    case OP_CALL:
        if (inst->call == CALL_MEMORY)
            return strstr(inst->name, "memset") ? STR("fill") : STR("copy");
        return str_from(arena_fmt(&a->arena, "call of %s", *inst->name ? inst->name : "a pointer"));
    default: return (Str){ "", 0 };
    }
}

/* When its value was known: of a call, when it came back. */
static Step known_at(const Trace *t, Step s) {
    const Inst *inst = trace_inst(t, s);
    bool returned = inst->op == OP_CALL && def_is_step(t->def.at[s]) && t->def.at[s] > s;
    return returned ? t->def.at[s] + 1 : s;
}

static CauseStep make_pair(Analysis *a, Step s, Step good, FactKind kind, bool proved) {
    const Inst *inst = trace_inst(a->bad, s);
    CauseStep c = {
        .step = s, .when = known_at(a->bad, s), .place = trace_place(a->bad, s), .proved = proved
    };
    c.kind = inst->op == OP_CONDBR || inst->op == OP_SWITCH ? CAUSE_BRANCH
             : kind == FACT_INPUT                           ? CAUSE_INPUT
                                                            : CAUSE_ASSIGN;
    c.what = written_by(a->bad, s).len ? STR("output") : what_is(a, s);
    c.now = show(a, a->bad, s);
    if (good != STEP_NONE) c.was = show(a, a->good, good);
    c.differs = values_differ(a, s, good, c.now, c.was);
    c.context = c.was.len && !c.differs;
    c.argument =
        inst->op == OP_STORE && code_operand(&a->bad->code, inst, 0)->kind == OPERAND_PARAM;
    c.changed = inside_changed_step(a, s);
    return c;
}

bool inside_came_out_alike(const Analysis *a, Step step) {
    Arena scratch = { 0 };
    Step good = a->align ? align_step(a->align, step) : STEP_NONE;
    bool alike = good != STEP_NONE;
    if (alike) {
        Str now = trace_show(a->bad, step, &scratch), was = trace_show(a->good, good, &scratch);
        alike = !values_differ(a, step, good, now, was);
    }
    arena_release(&scratch);
    return alike;
}

static CauseStep make_step(Analysis *a, Step s, FactKind kind, bool proved) {
    return make_pair(a, s, a->align ? align_step(a->align, s) : STEP_NONE, kind, proved);
}

static CauseStep make_init(Analysis *a, const Fact *fact, bool proved) {
    const Global *g = code_global(&a->bad->code, fact->address);
    CauseStep c = { .kind = CAUSE_INIT, .step = STEP_NONE, .proved = proved };
    if (!g) return c;
    c.place = (Place){ a->bad->code.files.at[g->file], g->line, 0, STR("") };
    c.what = str_from(g->name);
    if (trace_inst(a->bad, fact->step)->op == OP_LOAD)
        c.now = trace_show(a->bad, fact->step, &a->arena);
    Step good = a->align ? align_step(a->align, fact->step) : STEP_NONE;
    if (good != STEP_NONE && trace_inst(a->good, good)->op == OP_LOAD)
        c.was = trace_show(a->good, good, &a->arena);
    c.differs = c.was.len && !str_eq(c.now, c.was);
    c.changed = c.place.line && a->is_changed(a->user, false, c.place.file, c.place.line);
    return c;
}

static uint32_t activation_of(const Trace *t, Step s) {
    return t->segments.at[trace_segment(t, s)].activation;
}

static bool same_line(const Analysis *a, const CauseStep *x, Step s) {
    if (x->step == STEP_NONE) return false;
    Place p = trace_place(a->bad, s);
    return x->place.line == p.line && str_eq(x->place.file, p.file) &&
           activation_of(a->bad, x->step) == activation_of(a->bad, s);
}

static bool has_init(const Cause *c, const CauseStep *init) {
    for (size_t i = 0; i < c->steps.len; i++)
        if (c->steps.at[i].kind == CAUSE_INIT && str_eq(c->steps.at[i].what, init->what) &&
            c->steps.at[i].place.line == init->place.line)
            return true;
    return false;
}

static void add_step(Analysis *a, Cause *cause, Step s, FactKind kind, bool proved) {
    if (!trace_inst(a->bad, s)->line) return;
    /* Steps come in order: the same line of the same call is close. */
    for (size_t i = cause->steps.len; i-- > 0 && i + 12 > cause->steps.len;) {
        CauseStep *old = &cause->steps.at[i];
        if (!same_line(a, old, s)) continue;
        /* Of one line the value that came out otherwise is shown, whichever instruction made it. */
        CauseStep next = make_step(a, s, kind, proved);
        bool better = next.differs != old->differs
                          ? next.differs
                          : worth(trace_inst(a->bad, s)) >= worth(trace_inst(a->bad, old->step));
        if (better) *old = next;
        return;
    }
    vec_push(&cause->steps, make_step(a, s, kind, proved));
}

/* ---- what ran only in the good run ---- */

/* Where the bad run was when the good one made this step: the last step before it that both made,
 * which is the end of the stretch where the two parted. */
static Step time_of(const Analysis *a, Step good) {
    uint32_t segment = trace_segment(a->good, good);
    for (uint32_t n = 0; a->align && n < MISSING_LOOK_BACK && n <= segment; n++) {
        Step first = a->good->segments.at[segment - n].first;
        Step bad = align_bad_step(a->align, first);
        if (bad == STEP_NONE) continue;
        Step last = trace_segment_end(a->bad, trace_segment(a->bad, bad)) - 1;
        return n || last - bad < good - first ? last : bad + (good - first);
    }
    return 0;
}

static CauseStep make_missing(Analysis *a, Step good) {
    CauseStep c = { .kind = CAUSE_MISSING,
                    .step = STEP_NONE,
                    .when = time_of(a, good),
                    .place = trace_place(a->good, good) };
    const Inst *inst = trace_inst(a->good, good);
    if (inst->op == OP_STORE)
        c.what = stored_name(a, a->good, good);
    else if (written_by(a->good, good).len)
        c.what = STR("output");
    else if (inst->op == OP_CALL)
        c.what = str_from(arena_fmt(&a->arena, "call of %s", inst->name));
    else if (inst->op == OP_CONDBR || inst->op == OP_SWITCH)
        c.what = STR("branch");
    c.was = show(a, a->good, good);
    c.differs = true;
    c.changed = c.place.line && a->is_changed(a->user, true, c.place.file, c.place.line);
    return c;
}

static void add_missing(Analysis *a, Cause *cause, Step good) {
    CauseStep c = make_missing(a, good);
    if (!c.place.line) return;
    for (size_t i = 0; i < cause->steps.len; i++) {
        const CauseStep *old = &cause->steps.at[i];
        if (old->kind == CAUSE_MISSING && old->place.line == c.place.line &&
            str_eq(old->place.file, c.place.file))
            return;
    }
    vec_push(&cause->steps, c);
}

CauseStep analysis_step(Analysis *a, Step bad, Step good) {
    return bad == STEP_NONE ? make_missing(a, good) : make_pair(a, bad, good, FACT_STEP, false);
}

/* The good run's read of the same place found what another instruction wrote: that one, and the
 * calls down to it that the bad run did not make. */
static void find_missing(Analysis *a, Cause *cause, Step load) {
    Step g = a->align ? align_step(a->align, load) : STEP_NONE;
    if (g == STEP_NONE || trace_inst(a->good, g)->op != OP_LOAD) return;
    Step writer = a->good->def.at[g], def = a->bad->def.at[load];
    if (def_is_mixed(writer)) writer = a->good->pool.at[writer & ~DEF_MIXED];
    if (!def_is_step(writer) || a->good->value.at[g] == a->bad->value.at[load]) return;
    uint32_t twin =
        align_bad_inst(a->align, (uint32_t)(trace_inst(a->good, writer) - a->good->code.insts.at));
    if (twin != CODE_NONE && def_is_step(def) &&
        trace_inst(a->bad, def) == &a->bad->code.insts.at[twin])
        return;
    add_missing(a, cause, writer);
    for (uint32_t hops = 0; hops < 20; hops++) {
        writer = a->good->activations.at[activation_of(a->good, writer)].call;
        if (writer == STEP_NONE) return;
        uint32_t call = align_bad_inst(
            a->align, (uint32_t)(trace_inst(a->good, writer) - a->good->code.insts.at));
        if (call != CODE_NONE && a->bad->executed.at[call]) return;
        add_missing(a, cause, writer);
    }
}

/* What keeps a cause from being proved; NULL: nothing (analysis.h). */
static const char *doubt_of(const Analysis *a, const Predicate *phi, const Core *core) {
    const TraceInfo *info = trace_info(a->bad);
    if (!core->unsat) return "no solver showed that it had to be so";
    if (core->cut) return "the slice was cut at its limit";
    if (!core->minimal) return "the core was not minimised to the end";
    if (!core->checked) return "a second solver did not confirm it";
    if (info->diverged) return "the replay and the recording disagree";
    if (info->end == TRACE_END_LIMIT) return "the recording ends at its limit";
    if (phi->guessed) return "that the failure comes from here is a guess";
    return core->doubt;
}

Cause *analysis_cause(Analysis *a, const Predicate *phi) {
    Cause *cause = ARENA_NEW(&a->arena, Cause);
    Core core;
    formula_core(a->bad, phi, inside_changed_step, a, &a->limits, &core);
    cause->phi = *phi;
    cause->doubt = doubt_of(a, phi, &core);
    cause->proved = !cause->doubt;
    cause->constraints = core.constraints;
    cause->core = (unsigned)core.facts.len;
    cause->solver_s = core.seconds;
    for (size_t i = 0; i < core.facts.len; i++) {
        const Fact *fact = &core.facts.at[i];
        if (fact->kind == FACT_INIT) {
            CauseStep init = make_init(a, fact, cause->proved);
            if (init.place.line && !has_init(cause, &init)) vec_push(&cause->steps, init);
        }
        add_step(a, cause, fact->step, fact->kind, cause->proved);
    }
    add_step(a, cause, phi->step, FACT_STEP, cause->proved);
    for (size_t i = 0; i < core.facts.len; i++)
        if (trace_inst(a->bad, core.facts.at[i].step)->op == OP_LOAD)
            find_missing(a, cause, core.facts.at[i].step);
    vec_push(&a->causes, cause);
    vec_push(&a->cores, core);
    return cause;
}

bool analysis_reached(const Trace *other, const Place *place) {
    return trace_executed(other, place->file, place->line);
}
