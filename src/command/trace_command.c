/* culprit trace: what recordings hold. For people who want to see what a program built with
 * culprit-cc did, and for the benches. */
#include "base/base.h"
#include "base/file.h"
#include "base/json.h"
#include "base/opts.h"
#include "base/quantity.h"
#include "command/commands.h"
#include "explain/analysis.h"
#include "explain/dual.h"
#include "trace/replay.h"

static bool show_steps, as_json, common, wide;
static const char *root, *against;
static const Opt table[] = {
    { 0, "steps", OPT_FLAG, &show_steps, NULL,
      "every executed instruction with its place and value", NULL },
    { 0, "root", OPT_STR, &root, "DIR", "name source files relative to DIR", NULL },
    { 0, "against", OPT_STR, &against, "FILE",
      "what came out otherwise than in this recording of a good version, back to its sources",
      "@files" },
    { 0, "wide", OPT_FLAG, &wide, NULL,
      "with --against: also follow what one run alone computed, and pointers", NULL },
    { 0, "common", OPT_FLAG, &common, NULL,
      "with --against: align by the longest common subsequence of blocks", NULL },
    { 0, "json", OPT_FLAG, &as_json, NULL, "the summary as JSON", NULL },
    { 0 },
};
static const OptSpec spec = {
    .name = "trace",
    .usage = "[OPTION].. FILE|DIR..",
    .brief = "what a run of a program built with culprit-cc recorded",
    .table = table,
    .notes = "  CC=culprit-cc make\n  CULPRIT_TRACE=/tmp/t ./program\n  culprit trace /tmp/t\n",
    .least = 1,
    .most = OPT_MANY,
    .operands = "@files",
};

static const char *const ends[] = { "unknown", "exit", "signal", "abort", "limit" };

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
static bool print_against(Trace *bad, Error *err) {
    Trace *good = trace_open(against, root, err);
    if (!good) return false;
    Arena arena = { 0 };
    Analysis *a = analysis_new(bad, good, nothing_changed, NULL);
    Expectation expected = { 0 };
    Dual *d = analysis_dual(a, &expected, common ? ALIGN_COMMON : ALIGN_IN_STEP, wide);
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

static json_t *summary_json(const TraceInfo *i, double seconds) {
    json_t *o = json_object();
    json_put_text(o, "path", str_from(i->path));
    json_put_text(o, "program", i->program);
    json_put_int(o, "pid", i->pid);
    json_put_text(o, "end", str_from(ends[i->end]));
    json_put_int(o, "code", i->code);
    json_put_int(o, "bytes", (int64_t)i->bytes);
    json_put_int(o, "blocks", (int64_t)i->blocks);
    json_put_int(o, "steps", (int64_t)i->steps);
    json_put_int(o, "diverged", (int64_t)i->diverged);
    json_put_text(o, "divergence", i->divergence);
    json_put_real(o, "seconds", seconds);
    return o;
}

static bool show_one(const char *path, json_t *list, Error *err) {
    double start = clock_now();
    Trace *t = trace_open(path, root, err);
    if (!t) return false;
    double seconds = clock_now() - start;
    const TraceInfo *i = trace_info(t);
    if (as_json) {
        json_array_append_new(list, summary_json(i, seconds));
    } else {
        printf("%s: " STR_FMT ": %llu instructions, %llu blocks, %.2f bytes a block, %s %d, %llu "
               "divergences, read in %.2f s\n",
               i->path, STR_ARG(i->program), (unsigned long long)i->steps,
               (unsigned long long)i->blocks,
               i->blocks ? (double)i->bytes / (double)i->blocks : 0.0, ends[i->end], i->code,
               (unsigned long long)i->diverged, seconds);
        if (i->divergence.len) printf("  first divergence: " STR_FMT "\n", STR_ARG(i->divergence));
    }
    if (show_steps) print_steps(t);
    bool ok = !against || print_against(t, err);
    trace_free(t);
    return ok;
}

int trace_command(int argc, char **argv) {
    Error err = { 0 };
    StrVec operands = { 0 };
    OptsEnd end = opts_parse(&spec, argc, argv, &operands, &err);
    if (end == OPTS_STOP) return STATUS_DONE;
    if (end == OPTS_BAD) return err_report(&err);
    Arena arena = { 0 };
    json_t *list = json_array();
    bool ok = true;
    for (size_t i = 0; ok && i < operands.len; i++) {
        StrVec paths = { 0 };
        if (file_is_dir(operands.at[i].at))
            ok = trace_list(&arena, operands.at[i].at, &paths, &err);
        else
            vec_push(&paths, operands.at[i]);
        for (size_t p = 0; ok && p < paths.len; p++) ok = show_one(paths.at[p].at, list, &err);
        vec_release(&paths);
    }
    if (as_json && ok) json_print(list);
    json_decref(list);
    vec_release(&operands);
    arena_release(&arena);
    return ok ? STATUS_DONE : err_report(&err);
}
