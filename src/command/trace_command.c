/* culprit trace: what recordings hold. For people who want to see what a program built with
 * culprit-cc did, and for the benches. */
#include "base/base.h"
#include "base/json.h"
#include "base/opts.h"
#include "command/commands.h"
#include "explain/analysis.h"
#include "explain/dual.h"
#include "trace/replay.h"
#include "trace/trace_run.h"

typedef struct TraceOptions {
    bool steps, json, common, wide;
    const char *root, *against;
    uint64_t keep;
} TraceOptions;

static const char *const op_names[] = {
    "alloca", "load",   "store",    "address",     "add",    "sub",    "mul",
    "udiv",   "sdiv",   "urem",     "srem",        "shl",    "lshr",   "ashr",
    "and",    "or",     "xor",      "fadd",        "fsub",   "fmul",   "fdiv",
    "frem",   "fneg",   "trunc",    "zext",        "sext",   "fptoui", "fptosi",
    "uitofp", "sitofp", "fptrunc",  "fpext",       "move",   "icmp",   "fcmp",
    "phi",    "select", "extract",  "insert",      "call",   "ret",    "br",
    "condbr", "switch", "indirect", "unreachable", "atomic", "fence",  "recorded",
};

static void print_steps(const Trace *t) {
    Arena arena = { 0 };
    for (Step s = 0; s < t->value.len; s++) {
        const Inst *inst = trace_inst(t, s);
        Place p = trace_place(t, s);
        Step d = t->def.at[s];
        printf("%u\t" STR_FMT ":%u\t" STR_FMT "\t%s %s\t" STR_FMT "\t", s, STR_ARG(p.file), p.line,
               STR_ARG(p.function), op_names[inst->op], inst->name,
               STR_ARG(trace_show(t, s, &arena)));
        if (d == DEF_NONE)
            printf("\n");
        else if (def_is_step(d))
            printf("%u\n", d);
        else
            printf("%s\n", d == DEF_INIT ? "initialiser" : d == DEF_OUTSIDE ? "outside" : "mixed");
        arena_clear(&arena);
    }
    arena_release(&arena);
}

/* ---- against another recording ---- */

static bool nothing_changed(void *user, bool in_good, Str file, unsigned line) {
    (void)user, (void)in_good, (void)file, (void)line;
    return false;
}

static void print_side(const char *name, const Trace *t, Step s, Arena *arena) {
    if (s == STEP_NONE) return;
    const Inst *inst = trace_inst(t, s);
    Place p = trace_place(t, s);
    printf("  %s %u " STR_FMT ":%u:%u " STR_FMT " %s %s " STR_FMT, name, s, STR_ARG(p.file), p.line,
           p.column, STR_ARG(p.function), op_names[inst->op], inst->name,
           STR_ARG(trace_show(t, s, arena)));
}

/* The dual slice, nearest to the failure first: cost, node < node it explains, "*" for a source. */
static bool print_against(const TraceOptions *options, Trace *bad, Error *err) {
    Trace *good = trace_open_last(options->against, options->root, options->keep, NULL, err);
    if (!good) return false;
    Arena arena = { 0 };
    Analysis *a = analysis_new(bad, good, nothing_changed, NULL);
    Expectation expected = { 0 };
    Dual *d =
        analysis_dual(a, &expected, options->common ? ALIGN_COMMON : ALIGN_IN_STEP, options->wide);
    for (size_t i = 0; i < d->order.len; i++) {
        const DualNode *n = &d->nodes.at[d->order.at[i]];
        printf("%u\t%u < %d\t%s", n->cost, d->order.at[i], (int)n->via, n->source ? "*" : "");
        print_side("bad", bad, n->bad, &arena);
        print_side("good", good, n->good, &arena);
        printf("\n");
        arena_clear(&arena);
    }
    dual_free(d);
    analysis_free(a);
    trace_free(good);
    arena_release(&arena);
    return true;
}

/* ---- the summary ---- */

static json_t *run_json(const TraceRun *run) {
    const TraceInfo *i = &run->info;
    json_t *o = json_object();
    json_put_text(o, "path", str_from(i->path));
    json_put_text(o, "program", i->program);
    json_put_int(o, "pid", i->pid);
    json_put_text(o, "end", str_from(trace_end_name(i->end)));
    json_put_int(o, "code", i->code);
    json_put_int(o, "bytes", (int64_t)i->bytes);
    json_put_int(o, "blocks", (int64_t)i->blocks);
    json_put_int(o, "steps", (int64_t)i->steps);
    json_put_int(o, "dropped", (int64_t)i->dropped);
    json_put_int(o, "diverged", (int64_t)i->diverged);
    json_put_text(o, "divergence", i->divergence);
    json_put_real(o, "seconds", run->cpu_s);
    return o;
}

static void print_run(const TraceRun *run) {
    const TraceInfo *i = &run->info;
    printf("%s: " STR_FMT ": %llu instructions, %llu blocks, %.2f bytes a block, %s %d, %llu "
           "divergences, read in %.2f s of CPU time\n",
           i->path, STR_ARG(i->program), (unsigned long long)i->steps,
           (unsigned long long)i->blocks, i->blocks ? (double)i->bytes / (double)i->blocks : 0.0,
           trace_end_name(i->end), i->code, (unsigned long long)i->diverged, run->cpu_s);
    if (i->dropped)
        printf("  the last %llu of them are kept\n", (unsigned long long)(i->steps - i->dropped));
    if (i->end == TRACE_END_LIMIT)
        printf("  the recording ends at its limit (" TRACE_LIMIT_ENV "), the run did not\n");
    if (i->divergence.len) printf("  first divergence: " STR_FMT "\n", STR_ARG(i->divergence));
}

static bool print_open(void *user, Trace *trace, Error *err) {
    const TraceOptions *options = user;
    if (options->steps) print_steps(trace);
    return !options->against || print_against(options, trace, err);
}

static void print_runs(const TraceOptions *options, const TraceResult *result) {
    if (!options->json) {
        for (size_t i = 0; i < result->runs.len; i++) print_run(&result->runs.at[i]);
        return;
    }
    json_t *list = json_array();
    for (size_t i = 0; i < result->runs.len; i++)
        json_array_append_new(list, run_json(&result->runs.at[i]));
    json_print(list);
    json_decref(list);
}

/* A recording without its end shows only a beginning, and that is reported. */
static bool check_ends(const TraceResult *result, Error *err) {
    if (!result->runs.len) return err_set(err, STATUS_BAD, "there is no recording to show");
    for (size_t i = 0; i < result->runs.len; i++)
        if (result->runs.at[i].info.end == TRACE_END_UNKNOWN)
            return err_set(err, STATUS_NO,
                           "%s has no end: the program was killed or still runs, or the file was "
                           "cut",
                           result->runs.at[i].info.path);
    return true;
}

int trace_command(int argc, char **argv) {
    TraceOptions o = { 0 };
    const Opt table[] = {
        { 0, "steps", OPT_FLAG, &o.steps, NULL,
          "every executed instruction with its place and value", NULL },
        { 0, "keep", OPT_UINT, &o.keep, "N",
          "only the last N instructions of a long run [36 million]", NULL },
        { 0, "root", OPT_STR, &o.root, "DIR", "name source files relative to DIR", NULL },
        { 0, "against", OPT_STR, &o.against, "FILE",
          "what differs from this recording of a good version, traced back to its sources",
          "@files" },
        { 0, "wide", OPT_FLAG, &o.wide, NULL,
          "with --against: also follow what only one run computed, and pointers", NULL },
        { 0, "common", OPT_FLAG, &o.common, NULL,
          "with --against: align by the longest common subsequence of blocks", NULL },
        { 0, "json", OPT_FLAG, &o.json, NULL, "the summary as JSON", NULL },
        { 0 },
    };
    const OptSpec spec = {
        .name = "trace",
        .usage = "[OPTION].. FILE|DIR..",
        .brief = "show what a run of a program built with culprit-cc recorded",
        .table = table,
        .notes = "  CC=culprit-cc make\n  CULPRIT_TRACE=/tmp/t ./program\n  culprit trace /tmp/t\n",
        .least = 1,
        .most = OPT_MANY,
        .operands = "@files",
    };
    Error err = { 0 };
    StrVec operands = { 0 };
    OptsEnd end = opts_parse(&spec, argc, argv, &operands, &err);
    if (end == OPTS_STOP) return STATUS_DONE;
    if (end == OPTS_BAD) return err_report(&err);
    TraceRequest request = {
        .paths = &operands, .root = o.root, .keep = o.keep, .each = print_open, .user = &o
    };
    TraceResult result;
    bool ok = trace_run(&request, &result, &err);
    if (ok) print_runs(&o, &result);
    ok = ok && check_ends(&result, &err);
    trace_result_release(&result);
    vec_release(&operands);
    return ok ? STATUS_DONE : err_report(&err);
}
