/* Mutation: the table of rules as the papers count them, golden mutants of one small program, the
 * same random stream gives the same mutant, every mutant parses, and the oracle stays as it is. */
#include "test.h"

#include "base/file.h"
#include "cc/verdict.h"
#include "cfront/cfront.h"
#include "isolate/cuts.h"
#include "perturb/perturb.h"
#include "run/workdir.h"

static const char program[] = "int printf(const char *, ...);\n"
                              "const int limit = 7;\n"
                              "unsigned short u = 3;\n"
                              "volatile long w;\n"
                              "static int f(int a, int *p) {\n"
                              "    int k = 2;\n"
                              "    for (int i = 0; i < limit; i++) {\n"
                              "        k += a * i;\n"
                              "        if (k > 5 && *p) k = -k;\n"
                              "    }\n"
                              "    w = u << 2;\n"
                              "    return k;\n"
                              "}\n"
                              "int main(void) {\n"
                              "    int x = 4;\n"
                              "    int y = f(x, &x);\n"
                              "    if (y != 3) printf(\"%d\\n\", y);\n"
                              "    return 0;\n"
                              "}\n";

static Mutator *open_program(PerturbGuard guard) {
    Error err = { 0 };
    Mutator *m = mutator_new(str_from(program), "program.c", NULL, guard, NULL, &err);
    if (!m) fail_msg("%s", err.text);
    return m;
}

/* DiWi's table: how many rules of each kind; and RecBi's ten operators cover all of them. */
static void rules(void **state) {
    (void)state;
    unsigned count[PERTURB_OPERATORS] = { 0 };
    for (unsigned i = 0; i < PERTURB_RULES; i++) count[perturb_rule(i)->operator_]++;
    static const unsigned wanted[PERTURB_OPERATORS] = { 1, 1, 1, 1, 6, 8, 1, 4, 25, 88 };
    for (unsigned i = 0; i < PERTURB_OPERATORS; i++) assert_int_equal(count[i], wanted[i]);
    for (unsigned i = 0; i < PERTURB_RULES; i++)
        for (unsigned k = i + 1; k < PERTURB_RULES; k++)
            assert_string_not_equal(perturb_rule(i)->name, perturb_rule(k)->name);
}

static unsigned rule_named(const char *name) {
    for (unsigned i = 0; i < PERTURB_RULES; i++)
        if (strcmp(perturb_rule(i)->name, name) == 0) return i;
    fail_msg("no rule %s", name);
    return 0;
}

/* Rules with one place in the program, and what its line becomes. */
static void golden(void **state) {
    (void)state;
    static const struct {
        const char *rule, *line;
    } pairs[] = {
        { "* to +", "        k += (a + i);" },
        { "<< to >>", "    w = (u >> 2);" },
        { "&& to ||", "        if ((k > 5) || *p) k = -k;" },
        { "> to <=", "        if ((k <= 5) && *p) k = -k;" },
        { "+= to -=", "        k -= a * i;" },
        { "remove const", " int limit = 7;" },
        { "remove volatile", " long w;" },
        { "remove unsigned", " short u = 3;" },
    };
    Mutator *m = open_program(PERTURB_GUARD_ORACLE);
    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        unsigned rule = rule_named(pairs[i].rule);
        Buf out = { 0 };
        Rng rng = rng_stream(1, "golden", i);
        assert_int_equal(mutator_sites(m, rule), 1);
        assert_true(mutator_make(m, rule, &rng, &out));
        const char *line = strstr(out.at, pairs[i].line);
        if (!line) fail_msg("%s: %s", pairs[i].rule, out.at);
        buf_release(&out);
    }
    mutator_free(m);
}

/* All rules, many streams: the same stream gives the same text, always another program that parses
 * (except for the few the compiler has to refuse), printf and its condition untouched. */
static void properties(void **state) {
    (void)state;
    Mutator *m = open_program(PERTURB_GUARD_ORACLE);
    unsigned made = 0, parsed = 0;
    for (unsigned rule = 0; rule < PERTURB_RULES; rule++)
        for (uint64_t k = 0; k < 6; k++) {
            Buf a = { 0 }, b = { 0 };
            Rng one = rng_stream(k, "mutant", rule), two = rng_stream(k, "mutant", rule);
            bool good = mutator_make(m, rule, &one, &a);
            assert_int_equal(good, mutator_make(m, rule, &two, &b));
            if (good) {
                Arena arena = { 0 };
                assert_str(buf_view(&a), b.at);
                assert_string_not_equal(a.at, program);
                assert_non_null(strstr(a.at, "if (y != 3) printf(\"%d\\n\", y);"));
                assert_non_null(strstr(a.at, "return k;"));
                made++;
                parsed += cfront_parse(&arena, buf_view(&a), NULL, NULL) != NULL;
                arena_release(&arena);
            }
            buf_release(&a);
            buf_release(&b);
        }
    assert_true(made > 150);
    assert_true(parsed * 100 >= made * 97);
    mutator_free(m);
}

static const Cut *cut_with(const Cuts *cuts, const char *has, const char *has_not) {
    for (size_t i = 0; i < cuts->len; i++) {
        Str text = cuts->at[i].text;
        bool in = str_find(text, str_from(has), 0) != STR_NONE,
             out = str_find(text, str_from(has_not), 0) == STR_NONE;
        if (in && out) return &cuts->at[i];
    }
    return NULL;
}

/* Cuts: the largest first; what hides the failure is not honest, what removes its cause is. */
static void cutting(void **state) {
    (void)state;
    Arena arena = { 0 };
    Cuts cuts = { 0 };
    cuts_make(&arena, str_from(program), NULL, &cuts);
    assert_true(cuts.len > 30);
    for (size_t i = 1; i < cuts.len; i++) assert_true(cuts.at[i - 1].cut >= cuts.at[i].cut);
    const Cut *c = cut_with(&cuts, "k += a * i;", "w = u << 2;");
    assert_true(c && c->honest);
    c = cut_with(&cuts, "int y = f(x, &x);", "printf(\"");
    assert_true(c && !c->honest);
    c = cut_with(&cuts, "printf(\"\\n\")", "printf(\"%d");
    assert_true(c && !c->honest); /* y has been computed */
    c = cut_with(&cuts, "k += a", "* i");
    assert_true(c && c->honest);
    vec_release(&cuts);
    const char *macros =
        "int printf(const char *, ...);\n#define TEXT(x) #x\n#if 1\n#define A 3\n#else\n"
        "#define A 4\n#endif\nint main(void) { printf(\"%s %d\\n\", TEXT(a + b), A); }\n";
    cuts_make(&arena, str_from(macros), NULL, &cuts);
    c = cut_with(&cuts, "TEXT( b)", "a +");
    assert_true(c && c->honest && c->fine);
    c = cut_with(&cuts, "#define A 3", "#if");
    assert_true(c && !strstr(arena_cstr(&arena, c->text), "#define A 4"));
    c = cut_with(&cuts, "printf(\"%s \\n\", TEXT(a + b))", "%d");
    assert_true(c && c->honest);
    vec_release(&cuts);
    arena_release(&arena);
}

/* ---- loops and jumps back that are loops to the compiler ---- */
/* Edges of GCC's control flow graph that lead back to the same or an earlier block of a function:
 * ";; 4 succs { 5 3 }" in -fdump-tree-cfg. */
static unsigned back_edges(Arena *arena, Str text) {
    char *dir = workdir_new(arena, "cfg");
    Error err = { 0 };
    assert_true(file_write(file_join(arena, dir, "p.c"), text, &err));
    const char *const argv[] = { "gcc-12", "-w",  "-O0", "-fdump-tree-cfg=p.cfg", "-S", "p.c",
                                 "-o",     "p.s", NULL };
    RunResult r = run_one(arena, &(RunSpec){ .argv = argv, .dir = dir });
    assert_true(run_ok(&r));
    Str dump;
    assert_true(file_read(arena, file_join(arena, dir, "p.cfg"), &dump, &err));
    unsigned n = 0;
    for (Str line; str_split(&dump, '\n', &line);) {
        int from, at = 0, used, to;
        if (sscanf(arena_cstr(arena, line), ";; %d succs {%n", &from, &at) < 1 || !at) continue;
        const char *rest = arena_cstr(arena, str_sub(line, (size_t)at, line.len));
        for (; sscanf(rest, " %d%n", &to, &used) == 1; rest += used) n += to <= from && to > 1;
    }
    workdir_remove(dir);
    return n;
}

static void check_loops(unsigned rule, bool always) {
    Arena arena = { 0 };
    Mutator *m = open_program(PERTURB_GUARD_NONE);
    unsigned before = back_edges(&arena, str_from(program)), more = 0, made = 0;
    assert_int_equal(before, 1); /* the for of f */
    for (uint64_t seed = 0; seed < 24; seed++) {
        Rng rng = rng_stream(seed, "loops", 0);
        Buf text = { 0 };
        if (mutator_make(m, rule, &rng, &text)) {
            made++;
            bool loops = back_edges(&arena, buf_view(&text)) > before;
            if (always && !loops) print_message("# no loop:\n%s\n", text.at);
            more += loops;
        }
        buf_release(&text);
    }
    print_message("# %s: %u of %u have one loop more\n", perturb_rule(rule)->name, more, made);
    assert_true(made >= 12);
    assert_true(always ? more == made : more > 0 && more < made);
    mutator_free(m);
    arena_release(&arena);
}

static void loops_are_loops(void **state) {
    (void)state;
    check_loops(PERTURB_LOOP, true);
    check_loops(PERTURB_GOTO, false); /* forwards and backwards */
}

TEST_MAIN(cmocka_unit_test(rules), cmocka_unit_test(golden), cmocka_unit_test(properties),
          cmocka_unit_test(cutting), cmocka_unit_test(loops_are_loops))
