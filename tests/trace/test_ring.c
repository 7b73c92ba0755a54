/* Long runs: only the end of them is kept, and everything said about it is what the whole trace
 * says. */
#include "lab.h"
#include "trace/replay.h"
#include "trace/trace_run.h"

/* Recursion, long double, structures by value, memory of all kinds, a call back from the C library.
 */
static const char *const program =
    "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "struct pair { int a[6]; long double w; };\n"
    "static int table[64];\nstatic long double sum = 1;\n"
    "static int by(const void *x, const void *y) { return *(const int *)x - *(const int *)y; }\n"
    "static struct pair make(struct pair p, int n) { p.a[n % 6] += n; p.w += n; return p; }\n"
    "static int fib(int n) { int r; if (n < 2) return n; r = fib(n - 1); return r + fib(n - 2); }\n"
    "int main(int argc, char **argv) {\n    struct pair p = { { 1 }, 2 };\n    char text[40];\n"
    "    long double local = 3;\n    int rounds = atoi(argv[1]);\n"
    "    for (int i = 0; i < rounds; i++) {\n        p = make(p, i);\n"
    "        int *h = malloc(64);\n        memset(h, i, 64);\n        table[i & 63] = fib(i % 9) + "
    "*h;\n"
    "        free(h);\n        local += p.w;\n        sum += local;\n"
    "        sprintf(text, \"%d\", table[i & 63]);\n        table[(i + 1) & 63] += strlen(text);\n"
    "        if (i % 16 == 0) qsort(table, 64, sizeof *table, by);\n    }\n"
    "    printf(\"%d %d %.0Lf %.0Lf\\n\", table[5], p.a[2], local, sum);\n    return 0;\n}\n";

static bool same_value(const Trace *x, const Trace *y, Type type, uint64_t a, uint64_t b) {
    if (!type_is_wide(type)) return a == b;
    return memcmp(x->wide.at + a, y->wide.at + b, type.size) == 0;
}

static Type result_type(const Trace *t, const Inst *inst) {
    bool first = (inst->op == OP_STORE || inst->op == OP_RET || inst->op == OP_CONDBR ||
                  inst->op == OP_SWITCH) &&
                 inst->operands;
    return first ? code_operand(&t->code, inst, 0)->type : inst->type;
}

/* Step s of the part is step s + shift of the whole. */
static void compare_step(const Trace *part, const Trace *whole, Step s, Step shift, Step first) {
    const Inst *x = trace_inst(part, s), *y = trace_inst(whole, s + shift);
    assert_int_equal(x - part->code.insts.at, y - whole->code.insts.at);
    if (!same_value(part, whole, result_type(part, x), part->value.at[s],
                    whole->value.at[s + shift]))
        fail_msg("step %u has another value", s);
    for (unsigned i = 0; i < x->operands; i++) {
        Type type = code_operand(&part->code, x, i)->type;
        if (code_operand(&part->code, x, i)->kind == OPERAND_BLOCK || x->op == OP_PHI ||
            (type_is_wide(type) && code_operand(&part->code, x, i)->kind == OPERAND_CONST))
            continue;
        if (!same_value(part, whole, type, trace_operand_value(part, s, i),
                        trace_operand_value(whole, s + shift, i)))
            fail_msg("operand %u of step %u (%s) has another value", i, s, x->name);
    }
    Step d = part->def.at[s], e = whole->def.at[s + shift];
    if (x->op != OP_LOAD || def_is_mixed(d) || def_is_mixed(e)) return;
    if (!def_is_step(e))
        assert_int_equal(d, e);
    else if (e < first + shift)
        assert_true(d == DEF_BEFORE || def_is_step(d)); /* or the step of a call that waited */
    else
        assert_int_equal(d, e - shift);
}

static void compare(Lab *lab, const char *path, const Trace *whole, size_t most) {
    Error err = { 0 };
    Trace *part = trace_open_last(path, lab->dir, most, NULL, &err);
    if (!part) fail_msg("%s", err.text);
    const TraceInfo *info = trace_info(part);
    assert_int_equal(info->diverged, 0);
    assert_int_equal(info->steps, trace_info(whole)->steps);
    assert_int_equal(info->blocks, trace_info(whole)->blocks);
    assert_true(info->dropped > 0);
    assert_true(trace_steps(part) <= most && trace_steps(part) + 40 >= most / 2);
    assert_true(str_eq(info->first_bytes, trace_info(whole)->first_bytes));
    assert_int_equal(info->end, TRACE_END_EXIT);
    Step shift = (Step)(trace_steps(whole) - trace_steps(part));
    Step first = 0; /* after the steps of calls that waited */
    while (first < part->activations.len && part->activations.at[first].kept != CODE_NONE) first++;
    for (Step s = first; s < trace_steps(part); s++) compare_step(part, whole, s, shift, first);
    for (unsigned line = 1; line < 40; line++)
        assert_int_equal(trace_executed(part, STR("long.c"), line),
                         trace_executed(whole, STR("long.c"), line));
    trace_free(part);
}

static void the_end_is_kept(void **state) {
    (void)state;
    Lab lab;
    lab_open(&lab);
    char *path = lab_build(&lab, "long", program);
    Trace *whole = lab_trace(&lab, path, "300", NULL, NULL, NULL);
    char *file = arena_strdup(&lab.arena, trace_info(whole)->path);
    assert_int_equal(trace_info(whole)->dropped, 0);
    static const size_t most[] = { 97, 1000, 4096, 12345, 30000 };
    for (size_t i = 0; i < COUNT_OF(most); i++) compare(&lab, file, whole, most[i]);
    trace_free(whole);
    lab_close(&lab);
}

static bool count_open(void *user, Trace *trace, Error *err) {
    (void)err;
    *(uint64_t *)user += trace_steps(trace);
    return true;
}

/* The stage twice in one process, over a file and over its directory: the same result. */
static void called_twice(void **state) {
    (void)state;
    Lab lab;
    lab_open(&lab);
    char *path = lab_build(&lab, "long", program);
    Trace *whole = lab_trace(&lab, path, "20", NULL, NULL, NULL);
    uint64_t steps = trace_steps(whole), seen = 0;
    StrVec file = { 0 }, dir = { 0 };
    vec_push(&file, str_from(arena_strdup(&lab.arena, trace_info(whole)->path)));
    vec_push(&dir, str_from(arena_fmt(&lab.arena, "%s.trace", path)));
    trace_free(whole);
    TraceResult x, y;
    Error err = { 0 };
    TraceRequest request = { .paths = &file, .root = lab.dir, .each = count_open, .user = &seen };
    assert_true(trace_run(&request, &x, &err));
    request.paths = &dir;
    assert_true(trace_run(&request, &y, &err));
    assert_int_equal(seen, 2 * steps);
    assert_int_equal(x.runs.len, 1);
    assert_int_equal(y.runs.len, 1);
    assert_int_equal(x.runs.at[0].info.blocks, y.runs.at[0].info.blocks);
    assert_true(str_eq(x.runs.at[0].info.first_bytes, y.runs.at[0].info.first_bytes));
    trace_result_release(&x);
    trace_result_release(&y);
    vec_push(&dir, str_from(lab_file(&lab, "no-trace", "text")));
    assert_false(trace_run(&request, &x, &err));
    assert_int_equal(err.status, STATUS_BAD);
    trace_result_release(&x);
    vec_release(&file);
    vec_release(&dir);
    lab_close(&lab);
}

TEST_MAIN(cmocka_unit_test(called_twice), cmocka_unit_test(the_end_is_kept))
