/* Opening a trace and looking around in it (trace.h, replay.h).
 *
 * A forked child's recording starts where its parent's was at the fork: opening it joins the files.
 * Afterwards two indexes are built in one pass: executed lines, and for each block the segments in
 * which it ran, which makes "the last time this ran before that" a binary search. */
#include "base/file.h"
#include "trace/enums.h"
#include "trace/fold.h"
#include "trace/layout.h"
#include "trace/replay.h"

#include "runtime/trace_format.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* ---- files ---- */

/* trace.PID.N by numbers: PID 9999 comes before 10000. */
static int by_number(const void *a, const void *b) {
    uint64_t of[2][2] = { { 0 } };
    const Str *paths[2] = { a, b };
    for (int side = 0; side < 2; side++) {
        Str rest = str_from(file_name(paths[side]->at)), part;
        str_split(&rest, '.', &part);
        for (int k = 0; k < 2 && str_split(&rest, '.', &part); k++) str_to_u64(part, &of[side][k]);
    }
    int first = (of[0][0] > of[1][0]) - (of[0][0] < of[1][0]);
    return first ? first : (of[0][1] > of[1][1]) - (of[0][1] < of[1][1]);
}

bool trace_list(Arena *arena, const char *dir, StrVec *paths, Error *err) {
    StrVec all = { 0 };
    if (!file_list(arena, dir, NULL, &all, err)) return false;
    for (size_t i = 0; i < all.len; i++)
        if (str_starts(str_from(file_name(all.at[i].at)), "trace.")) vec_push(paths, all.at[i]);
    vec_release(&all);
    if (paths->len) qsort(paths->at, paths->len, sizeof *paths->at, by_number);
    return true;
}

static const uint8_t *map_file(const char *path, size_t *size, Error *err) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0) {
        err_errno(err, "%s", path);
        if (fd >= 0) close(fd);
        return NULL;
    }
    void *map = MAP_FAILED;
    if (st.st_size >= (off_t)sizeof(TraceHeader))
        map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    const TraceHeader *header = map;
    bool whole = map != MAP_FAILED && header->magic == TRACE_MAGIC &&
                 header->command >= sizeof *header && header->command <= (uint64_t)st.st_size &&
                 header->command_size <= (uint64_t)st.st_size - header->command;
    if (!whole) {
        if (map != MAP_FAILED) munmap(map, (size_t)st.st_size);
        err_set(err, STATUS_BAD, "%s: not a trace", path);
        return NULL;
    }
    *size = (size_t)st.st_size;
    return map;
}

static void read_argv(Trace *t, const TraceHeader *header) {
    Str rest = { (const char *)header + header->command, header->command_size }, part;
    while (rest.len && str_split(&rest, 0, &part))
        vec_push(&t->info.args, arena_str(&t->arena, part));
    if (t->info.args.len && vec_last(&t->info.args).len == 0) t->info.args.len--;
    if (t->info.args.len) t->info.program = t->info.args.at[0];
}

enum { BYTES_PER_LOST = 8 };

/* Adds the file's records up to limit (0: all), its parent's before them. */
static bool add_spans(Trace *t, const char *path, uint64_t limit, unsigned depth, Error *err) {
    size_t size;
    const uint8_t *map = map_file(path, &size, err);
    if (!map) return false;
    const TraceHeader *header = (const TraceHeader *)map;
    vec_push(&t->files, (TraceFile){ map, size });
    t->code.may_lack += size / BYTES_PER_LOST; /* only a long recording loses its beginning */
    if (header->parent && depth < 64) {
        const char *slash = strrchr(path, '/');
        char *parent = arena_fmt(&t->arena, "%.*s/trace.%u.%u", slash ? (int)(slash - path) : 1,
                                 slash ? path : ".", header->parent, header->parent_number);
        if (!add_spans(t, parent, header->parent_offset, depth + 1, err)) return false;
    }
    uint64_t start = header->command + header->command_size;
    uint64_t end = limit && limit < size ? limit : size;
    if (start > end) return err_set(err, STATUS_BAD, "%s: a broken trace", path);
    TraceSpan span = { map + start, map + end };
    vec_push(&t->spans, span);
    if (depth == 0) {
        t->info.pid = (int)header->pid;
        t->info.parent = (int)header->parent;
        t->info.thread = header->thread != 0;
        t->info.input = header->input;
        t->info.output = header->output;
        read_argv(t, header);
    }
    return true;
}

/* ---- indexes ---- */

void trace_mark_executed(Trace *t) {
    while (t->executed.len < t->code.insts.len) vec_push(&t->executed, 0);
    for (uint32_t i = 0; i < t->segments.len; i++) {
        uint32_t inst = t->segments.at[i].inst;
        Step n = trace_segment_end(t, i) - t->segments.at[i].first;
        if (!n) continue;
        memset(t->executed.at + inst, 1, n);
        t->info.blocks += inst == t->code.blocks.at[t->code.insts.at[inst].block].first;
    }
}

static void index_lines(Trace *t) {
    trace_mark_executed(t);
    for (size_t i = 0; i < t->executed.len; i++) {
        const Inst *inst = &t->code.insts.at[i];
        if (!t->executed.at[i] || !inst->line) continue;
        uint64_t key = (uint64_t)inst->file << 32 | inst->line;
        map_put(&t->lines, map_key_u64(&key), 1);
    }
}

static uint64_t made_at(const HeapObject *o) {
    return o->call == DEF_BEFORE ? 0 : (uint64_t)o->call + 1;
}

static int by_address(const void *a, const void *b) {
    const HeapObject *x = a, *y = b;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    return made_at(x) < made_at(y) ? -1 : made_at(x) > made_at(y);
}

/* Whether a pointer operand is computed at run time: not a variable's own address. */
static bool is_computed(const Code *code, const Function *f, const Operand *o) {
    for (;;) {
        if (o->kind == OPERAND_CONST) return false;
        if (o->kind != OPERAND_INST) return true;
        const Inst *from = &code->insts.at[f->first + o->index];
        if (from->op == OP_ALLOCA) return false;
        if (from->op != OP_GEP || from->operands > 1) return true;
        o = code_operand(code, from, 0);
    }
}

/* An outside function that may write through a pointer it is given. */
static bool may_write(const Code *code, const Inst *inst) {
    if (!libc_may_write(inst->libc)) return false;
    for (unsigned i = 0; i + 1 < inst->operands; i++)
        if (code_operand(code, inst, i)->type.kind == TYPE_POINTER) return true;
    return false;
}

static bool writes_somewhere(const Code *code, const Inst *inst) {
    const Function *f = &code->functions.at[inst->function];
    if (inst->op == OP_STORE && inst->checked)
        return is_computed(code, f, code_operand(code, inst, 1));
    if (inst->op != OP_CALL) return false;
    if (inst->call == CALL_MEMORY) return true;
    return inst->call == CALL_FAR && may_write(code, inst);
}

/* Whether it may decide what later input is: by an argument that is computed, or by other things.
 */
static bool steers_input(const Code *code, const Inst *inst) {
    if (inst->op != OP_CALL || inst->call != CALL_FAR || !inst->libc) return false;
    unsigned mask = inst->libc->steers;
    if (mask & LIBC_STEERS_ANYHOW) return true;
    for (unsigned i = 0; i + 1 < inst->operands && i < LIBC_ARGS; i++)
        if (mask >> i & 1 && code_operand(code, inst, i)->kind != OPERAND_CONST) return true;
    return false;
}

enum { INDEX_STORES = 1, INDEX_STEERS = 2 };

static void index_calls_and_stores(Trace *t) {
    uint8_t *what = mem_alloc(t->code.insts.len + 1);
    for (size_t i = 0; i < t->code.insts.len; i++) {
        const Inst *inst = &t->code.insts.at[i];
        what[i] = 0;
        if (!t->executed.at[i]) continue;
        if (writes_somewhere(&t->code, inst)) what[i] |= INDEX_STORES;
        if (steers_input(&t->code, inst)) what[i] |= INDEX_STEERS;
    }
    for (uint32_t i = 0; i < t->segments.len; i++) {
        const TraceSegment *s = &t->segments.at[i];
        Step n = trace_segment_end(t, i) - s->first;
        for (Step k = 0; k < n; k++) {
            if (!what[s->inst + k]) continue;
            const Inst *inst = &t->code.insts.at[s->inst + k];
            /* A call that ended up in instrumented code: what that did is recorded anyway. */
            bool answered = inst->call == CALL_FAR && def_is_step(t->def.at[s->first + k]);
            if (inst->op == OP_CALL && answered) continue;
            if (what[s->inst + k] & INDEX_STORES) vec_push(&t->stores, s->first + k);
            if (what[s->inst + k] & INDEX_STEERS) vec_push(&t->steers, s->first + k);
        }
    }
    mem_free(what);
    t->filed = t->rounded = STEP_NONE;
    for (size_t i = t->steers.len; i-- > 0;)
        if (libc_is(trace_inst(t, t->steers.at[i])->libc, LIBC_ROUNDS))
            t->rounded = t->steers.at[i];
    for (size_t i = t->outputs.len; i-- > 0;)
        if (t->outputs.at[i].fd == WRITTEN_FILES) t->filed = t->outputs.at[i].step;
}

/* Where each key's numbers begin, from how many there are of each: counts[n] is the end. */
static void sum_up(uint32_t *counts, size_t n) {
    uint32_t sum = 0;
    for (size_t k = 0; k <= n; k++) {
        uint32_t count = counts[k];
        counts[k] = sum;
        sum += count;
    }
}

static uint32_t block_of(const Trace *t, uint32_t segment) {
    return t->code.insts.at[t->segments.at[segment].inst].block;
}

/* Sorts segments by block, then activation, then time: two stable distributions, the minor key
 * first. */
static void index_runs(Trace *t) {
    size_t blocks = t->code.blocks.len, activations = t->activations.len, n = t->segments.len;
    uint32_t *order = mem_alloc((n + 1) * sizeof *order);
    uint32_t *next = mem_alloc((activations + 1) * sizeof *next);
    for (size_t i = 0; i < n; i++) next[t->segments.at[i].activation]++;
    sum_up(next, activations);
    for (uint32_t i = 0; i < n; i++) order[next[t->segments.at[i].activation]++] = i;
    mem_free(next);

    vec_reserve(&t->runs_of, blocks + 1);
    t->runs_of.len = blocks + 1;
    memset(t->runs_of.at, 0, (blocks + 1) * sizeof *t->runs_of.at);
    for (uint32_t i = 0; i < n; i++) t->runs_of.at[block_of(t, i)]++;
    sum_up(t->runs_of.at, blocks);
    vec_reserve(&t->runs, n + 1);
    t->runs.len = n;
    next = mem_alloc((blocks + 1) * sizeof *next);
    memcpy(next, t->runs_of.at, (blocks + 1) * sizeof *next);
    for (size_t i = 0; i < n; i++) t->runs.at[next[block_of(t, order[i])]++] = order[i];
    mem_free(next);
    mem_free(order);
}

/* Where the records end: after the last nonzero byte. */
static uint64_t recorded_bytes(const Trace *t) {
    uint64_t n = 0;
    for (size_t i = 0; i < t->spans.len; i++) {
        const uint8_t *end = t->spans.at[i].end;
        while (end > t->spans.at[i].at && end[-1] == 0) end--;
        n += (uint64_t)(end - t->spans.at[i].at);
    }
    return n;
}

static void fill_info(Trace *t) {
    t->info.steps = t->info.dropped + t->value.len;
    t->info.bytes = recorded_bytes(t);
    t->info.first_bytes = buf_view(&t->written[1]);
    t->info.error_bytes = buf_view(&t->written[2]);
    t->info.file_bytes = buf_view(&t->written[WRITTEN_FILES]);
    if (t->info.end == TRACE_END_UNKNOWN && t->exit != STEP_NONE) t->info.end = TRACE_END_EXIT;
}

Trace *trace_open_last(const char *path, const char *root, size_t most, const TraceStop *stop,
                       Error *err) {
    Trace *t = mem_alloc(sizeof *t);
    code_init(&t->code, root);
    t->info.path = arena_strdup(&t->arena, path);
    if (!add_spans(t, path, 0, 0, err)) {
        trace_free(t);
        return NULL;
    }
    if (!replay_run(t, most, stop)) {
        err_set(err, STATUS_NO, "reading what it recorded takes too long (%llu steps so far)",
                (unsigned long long)(t->info.dropped + t->value.len));
        trace_free(t);
        return NULL;
    }
    code_sort_globals(&t->code);
    index_lines(t);
    index_calls_and_stores(t);
    if (t->heap.len) qsort(t->heap.at, t->heap.len, sizeof *t->heap.at, by_address);
    index_runs(t);
    fill_info(t);
    return t;
}

Trace *trace_open(const char *path, const char *root, Error *err) {
    return trace_open_last(path, root, 0, NULL, err);
}

/* How sure it is that this is the process that failed. */
static unsigned guilt(const Trace *t, Str expect) {
    if (t->info.end == TRACE_END_SIGNAL || t->info.end == TRACE_END_ABORT) return 4;
    if (expect.at && t->info.first_bytes.len && !str_eq(expect, t->info.first_bytes)) return 3;
    if (t->info.end == TRACE_END_EXIT && t->info.code != 0) return 2;
    return t->info.first_bytes.len ? 1 : 0;
}

Trace *trace_open_failing(const char *dir, const char *root, Str expect, Error *err) {
    Arena arena = { 0 };
    StrVec paths = { 0 };
    Trace *best = NULL;
    Error last = { 0 };
    err_set(&last, STATUS_NO, "%s: no trace was recorded", dir);
    if (!trace_list(&arena, dir, &paths, &last)) paths.len = 0;
    for (size_t i = 0; i < paths.len; i++) {
        Trace *t = trace_open(paths.at[i].at, root, &last);
        if (t && (!best || guilt(t, expect) > guilt(best, expect))) {
            if (best) trace_free(best);
            best = t;
        } else if (t) {
            trace_free(t);
        }
    }
    if (!best && err) *err = last;
    vec_release(&paths);
    arena_release(&arena);
    return best;
}

static void release_steps(Trace *t) {
    vec_release(&t->value);
    vec_release(&t->def);
    vec_release(&t->segments);
    vec_release(&t->activations);
    vec_release(&t->wide);
    vec_release(&t->pool);
    vec_release(&t->copies);
    vec_release(&t->args);
    vec_release(&t->kept);
    vec_release(&t->stores);
    vec_release(&t->steers);
    vec_release(&t->heap);
    vec_release(&t->reads);
    vec_release(&t->seen);
    map_release(&t->varargs);
    vec_release(&t->jumps);
    vec_release(&t->outputs);
    vec_release(&t->origins);
    for (size_t i = 0; i < COUNT_OF(t->written); i++) buf_release(&t->written[i]);
    vec_release(&t->executed);
    map_release(&t->lines);
    vec_release(&t->runs);
    vec_release(&t->runs_of);
}

void trace_clear(Trace *t) {
    const char *root = t->code.root ? arena_strdup(&t->arena, t->code.root) : NULL;
    release_steps(t);
    code_release(&t->code);
    code_init(&t->code, root);
    t->fault = 0;
    t->failing_guessed = false;
    t->info.end = TRACE_END_UNKNOWN;
    t->info.code = 0;
    t->info.blocks = t->info.dropped = t->info.diverged = 0;
    t->info.divergence = (Str){ "", 0 };
}

void trace_free(Trace *t) {
    if (!t) return;
    for (size_t i = 0; i < t->files.len; i++)
        munmap((void *)(uintptr_t)t->files.at[i].at, t->files.at[i].size);
    vec_release(&t->files);
    release_steps(t);
    vec_release(&t->spans);
    vec_release(&t->info.args);
    code_release(&t->code);
    arena_release(&t->arena);
    mem_free(t);
}

/* ---- looking around ---- */

const TraceInfo *trace_info(const Trace *t) {
    return &t->info;
}

bool trace_executed(const Trace *t, Str file, unsigned line) {
    uint64_t number;
    if (!map_get(&t->code.file_index, file, &number)) return false;
    uint64_t key = number << 32 | line;
    return map_get(&t->lines, map_key_u64(&key), NULL);
}

bool trace_entered(const Trace *t, Str function) {
    for (size_t i = 0; i < t->code.functions.len; i++) {
        const Function *f = &t->code.functions.at[i];
        if (f->known && f->count && str_is(function, f->name) && t->executed.at[f->first])
            return true;
    }
    return false;
}

uint64_t trace_steps(const Trace *t) {
    return t->value.len;
}

uint32_t trace_segment(const Trace *t, Step step) {
    size_t low = 0, high = t->segments.len;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (t->segments.at[middle].first <= step)
            low = middle + 1;
        else
            high = middle;
    }
    CHECK(low > 0);
    return (uint32_t)(low - 1);
}

Step trace_segment_end(const Trace *t, uint32_t segment) {
    return segment + 1 < t->segments.len ? t->segments.at[segment + 1].first : (Step)t->value.len;
}

const Inst *trace_inst(const Trace *t, Step step) {
    const TraceSegment *s = &t->segments.at[trace_segment(t, step)];
    return &t->code.insts.at[s->inst + (step - s->first)];
}

/* Does the segment hold a run of inst at or before step? */
static Step run_in(const Trace *t, uint32_t segment, uint32_t inst, Step before) {
    const TraceSegment *s = &t->segments.at[segment];
    Step n = trace_segment_end(t, segment) - s->first;
    if (inst < s->inst || inst >= s->inst + n) return STEP_NONE;
    Step step = s->first + (inst - s->inst);
    return step <= before ? step : STEP_NONE;
}

Step trace_last_run(const Trace *t, uint32_t activation, uint32_t inst, Step before) {
    uint32_t block = t->code.insts.at[inst].block;
    if (!t->runs_of.len) return STEP_NONE;
    uint32_t low = t->runs_of.at[block], high = t->runs_of.at[block + 1], first = low;
    while (low < high) { /* the first segment after those of the activation up to `before` */
        uint32_t middle = low + (high - low) / 2;
        const TraceSegment *s = &t->segments.at[t->runs.at[middle]];
        if (s->activation < activation || (s->activation == activation && s->first <= before))
            low = middle + 1;
        else
            high = middle;
    }
    while (low > first && t->segments.at[t->runs.at[low - 1]].activation == activation) {
        Step step = run_in(t, t->runs.at[--low], inst, before);
        if (step != STEP_NONE) return step;
    }
    return STEP_NONE;
}

/* Used during the replay too, before the index exists: along the activation's chain of segments. */
static Step walk_back(const Trace *t, uint32_t segment, uint32_t inst, Step before) {
    for (; segment != CODE_NONE; segment = t->segments.at[segment].before) {
        Step step = run_in(t, segment, inst, before);
        if (step != STEP_NONE) return step;
    }
    return STEP_NONE;
}

Step trace_operand_step(const Trace *t, Step step, unsigned i) {
    uint32_t segment = trace_segment(t, step);
    const TraceSegment *s = &t->segments.at[segment];
    const Inst *inst = &t->code.insts.at[s->inst + (step - s->first)];
    const Operand *o = code_operand(&t->code, inst, i);
    if (o->kind != OPERAND_INST) return STEP_NONE;
    uint32_t wanted = t->code.functions.at[inst->function].first + o->index;
    Step here = run_in(t, segment, wanted, step);
    if (here != STEP_NONE) return here;
    return t->runs_of.len ? trace_last_run(t, s->activation, wanted, step)
                          : walk_back(t, segment, wanted, step);
}

uint64_t trace_param_value(const Trace *t, uint32_t activation, unsigned i) {
    return t->args.at[t->activations.at[activation].args + i];
}

uint64_t trace_operand_value(const Trace *t, Step step, unsigned i) {
    uint32_t segment = trace_segment(t, step);
    const Inst *inst = trace_inst(t, step);
    const Operand *o = code_operand(&t->code, inst, i);
    if (o->kind == OPERAND_PARAM)
        return trace_param_value(t, t->segments.at[segment].activation, o->index);
    if (o->kind != OPERAND_INST) return o->bits;
    Step from = trace_operand_step(t, step, i);
    if (from != STEP_NONE) return t->value.at[from];
    /* Computed before the kept steps began. */
    uint32_t kept = t->activations.at[t->segments.at[segment].activation].kept;
    return kept == CODE_NONE ? 0 : t->kept.at[kept + o->index];
}

Source trace_source(const Trace *t, Step step, unsigned i) {
    for (;;) {
        const Inst *inst = trace_inst(t, step);
        const Operand *o = code_operand(&t->code, inst, i);
        Source s = { STEP_NONE, o->type, trace_operand_value(t, step, i), o->kind == OPERAND_CONST,
                     step };
        if (o->kind == OPERAND_INST) s.step = trace_operand_step(t, step, i);
        if (o->kind != OPERAND_PARAM) return s;
        const Activation *a = &t->activations.at[t->segments.at[trace_segment(t, step)].activation];
        const Param *p =
            &t->code.params.at[t->code.functions.at[a->function].first_param + o->index];
        if (!a->direct || p->byval || o->index + 1 >= trace_inst(t, a->call)->operands) return s;
        const Operand *given = code_operand(&t->code, trace_inst(t, a->call), o->index);
        if (given->type.kind != o->type.kind || given->type.size != o->type.size) return s;
        step = a->call;
        i = o->index;
    }
}

const Copy *trace_copy(const Trace *t, Step step, uint64_t address) {
    size_t low = 0, high = t->copies.len;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (t->copies.at[middle].step < step)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < t->copies.len && t->copies.at[low].step == step; low++)
        if (address - t->copies.at[low].to < t->copies.at[low].size) return &t->copies.at[low];
    return NULL;
}

static size_t first_store(const Trace *t, Step at_least) {
    size_t low = 0, high = t->stores.len;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (t->stores.at[middle] < at_least)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void trace_stores_between(const Trace *t, Step after, Step before, size_t *from, size_t *to) {
    *from = after == STEP_NONE ? 0 : first_store(t, after + 1);
    *to = first_store(t, before);
    if (*to < *from) *to = *from;
}

/* The frame of the call that a local belongs to, or what malloc returned. */
static TraceExtent extent_of(const Trace *t, Step s, const Inst *inst) {
    if (inst->op == OP_ALLOCA) {
        const Activation *a = &t->activations.at[t->segments.at[trace_segment(t, s)].activation];
        return (TraceExtent){ a->frame, t->code.functions.at[a->function].frame_size };
    }
    uint64_t args[LIBC_ARGS] = { 0 };
    if (inst->op != OP_CALL || !libc_is(inst->libc, LIBC_NEW)) return (TraceExtent){ 0 };
    for (unsigned i = 0; i + 1 < inst->operands && i < LIBC_ARGS; i++)
        args[i] = trace_operand_value(t, s, i);
    return (TraceExtent){ t->value.at[s], libc_new_size(inst->libc, args) };
}

TraceExtent trace_base(const Trace *t, Step step, unsigned operand) {
    for (unsigned hops = 0; hops < 16; hops++) {
        Source s = trace_source(t, step, operand);
        if (s.constant) {
            const Global *g = code_global(&t->code, s.value);
            return g ? (TraceExtent){ g->address, g->size } : (TraceExtent){ 0 };
        }
        if (s.step == STEP_NONE) break;
        const Inst *inst = trace_inst(t, s.step);
        if (inst->op != OP_GEP) return extent_of(t, s.step, inst);
        step = s.step;
        operand = 0;
    }
    return (TraceExtent){ 0 };
}

size_t trace_first_read(const Trace *t, Step step) {
    size_t low = 0, high = t->reads.len;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (t->reads.at[middle].step < step)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

Step trace_jump(const Trace *t, Step back) {
    size_t low = 0, high = t->jumps.len;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (t->jumps.at[middle].back < back)
            low = middle + 1;
        else
            high = middle;
    }
    return low < t->jumps.len && t->jumps.at[low].back == back ? t->jumps.at[low].from : STEP_NONE;
}

Place trace_place(const Trace *t, Step step) {
    const Inst *inst = trace_inst(t, step);
    Place p = { t->code.files.at[inst->file], inst->line, inst->column, { 0 } };
    p.function = str_from(t->code.functions.at[inst->function].name);
    return p;
}

/* ---- for people ---- */

static Str show_real(Arena *arena, long double value) {
    return str_from(arena_fmt(arena, "%.9Lg", value));
}

/* Signed or not is not known of a byte, nor whether it is a character. */
static Str show_byte(Arena *arena, uint8_t byte) {
    if (byte >= 128) return str_from(arena_fmt(arena, "%d (%u)", byte - 256, byte));
    return str_from(byte > ' ' && byte < 127 ? arena_fmt(arena, "%u '%c'", byte, byte)
                                             : arena_fmt(arena, "%u", byte));
}

static Str show_value(Arena *arena, const Trace *t, Type type, uint64_t value) {
    float f;
    double d;
    long double l = 0;
    switch (type.kind) {
    case TYPE_INT:
        if (type.bits == 1) return value & 1 ? STR("true") : STR("false");
        if (type.bits == 8) return show_byte(arena, (uint8_t)value);
        return str_from(arena_fmt(arena, "%lld", (long long)bits_signed(value, type.bits)));
    case TYPE_POINTER:
        if (!value) return STR("NULL");
        return str_from(arena_fmt(arena, "0x%llx", (unsigned long long)value));
    case TYPE_FLOAT: memcpy(&f, &value, 4); return show_real(arena, (long double)f);
    case TYPE_DOUBLE: memcpy(&d, &value, 8); return show_real(arena, (long double)d);
    case TYPE_LONG_DOUBLE: memcpy(&l, t->wide.at + value, 10); return show_real(arena, l);
    default: return (Str){ "", 0 };
    }
}

/* The enumerator that a local was set to, or that was read from it; empty when it has no such type.
 */
static Str show_enumerator(const Trace *t, Step step, const Inst *inst) {
    bool store = inst->op == OP_STORE;
    Type type = store ? code_operand(&t->code, inst, 0)->type : inst->type;
    Step from = trace_operand_step(t, step, store ? 1 : 0);
    if (from == STEP_NONE || trace_inst(t, from)->op != OP_ALLOCA || type.kind != TYPE_INT)
        return (Str){ "", 0 };
    return enums_name(&t->code, trace_inst(t, from)->add, t->value.at[step], type.bits);
}

Str trace_show(const Trace *t, Step step, Arena *arena) {
    const Inst *inst = trace_inst(t, step);
    if (inst->op == OP_STORE || inst->op == OP_LOAD) {
        Str name = show_enumerator(t, step, inst);
        if (name.len) return name;
    }
    switch (inst->op) {
    case OP_STORE:
        return show_value(arena, t, code_operand(&t->code, inst, 0)->type, t->value.at[step]);
    case OP_RET:
        if (!inst->operands) return (Str){ "", 0 };
        return show_value(arena, t, code_operand(&t->code, inst, 0)->type, t->value.at[step]);
    case OP_CONDBR: return t->value.at[step] & 1 ? STR("true") : STR("false");
    case OP_SWITCH:
        return show_value(arena, t, code_operand(&t->code, inst, 0)->type, t->value.at[step]);
    default: return show_value(arena, t, inst->type, t->value.at[step]);
    }
}
