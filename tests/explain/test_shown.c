/* Which steps of a tree are shown: no line twice, what was decided and came out otherwise before
 * what says less, the change's own line always. */
#include "explain/explanation.h"
#include "test.h"

typedef struct Shown {
    ChangeSet set;
    Explanation e;
    ChainSteps chain;
    uint64_t clock; /* steps are added in the order of execution */
} Shown;

/* Two changes: the first one is the root. */
static void begin(Shown *s) {
    *s = (Shown){ 0 };
    for (size_t i = 0; i < 2; i++) vec_push(&s->set.changes, (Change){ 0 });
    explanation_init(&s->e, &s->set, "after");
    s->e.root[0] = 1;
    s->e.found = true;
}

static void end(Shown *s) {
    vec_release(&s->chain);
    vec_release(&s->set.changes);
    explanation_release(&s->e);
}

static size_t add_node(Shown *s, size_t parent) {
    vec_push(&s->e.nodes, (ExplainNode){ .parent = parent });
    return s->e.nodes.len - 1;
}

static TreeStep step_at(unsigned line, const char *what, size_t change) {
    return (TreeStep){ .file = STR("a.c"),
                       .line = line,
                       .what = str_from(what),
                       .now = STR("1"),
                       .was = STR("2"),
                       .change = change,
                       .differs = true };
}

static void add(Shown *s, size_t node, TreeStep step) {
    step.when = s->clock++;
    vec_push(&s->e.nodes.at[node].steps, step);
}

/* "5 7 9": the lines that are shown. */
static char *lines_of(Shown *s) {
    Buf out = { 0 };
    s->e.nodes.at[0].kept = true;
    for (size_t i = 0; i < s->e.nodes.len; i++)
        for (size_t k = 0; k < s->e.nodes.at[i].steps.len; k++)
            s->e.nodes.at[i].has_root |= s->e.nodes.at[i].steps.at[k].change == 0;
    explanation_chain(&s->e, &s->chain);
    for (size_t i = 0; i < s->chain.len; i++) {
        const ChainStep *c = &s->chain.at[i];
        buf_fmt(&out, "%s%u", i ? " " : "", c->step ? c->step->line : c->node->edge_line);
    }
    char *text = arena_cstr(&s->e.arena, buf_view(&out));
    buf_release(&out);
    return text;
}

/* A loop that goes wrong each time round is told once, with how often. */
static void a_line_is_shown_once(void **state) {
    (void)state;
    Shown s;
    begin(&s);
    size_t n = add_node(&s, NO_NODE);
    for (unsigned i = 0; i < 6; i++) {
        TreeStep root = step_at(5, "n", 0);
        if (i == 0) root.differs = false, root.was = root.now;
        add(&s, n, root);
        add(&s, n, step_at(6, "sum", NO_CHANGE));
    }
    add(&s, n, step_at(9, "branch", NO_CHANGE));
    assert_string_equal(lines_of(&s), "5 6 9");
    assert_int_equal(s.chain.at[0].repeats, 5);
    assert_true(s.chain.at[0].step->differs); /* where it first came out otherwise */
    assert_int_equal(s.chain.at[2].repeats, 0);
    end(&s);
}

/* Of more steps than are shown, decisions and changed lines stay, arguments and mere values go. */
static void decisions_stay(void **state) {
    (void)state;
    Shown s;
    begin(&s);
    size_t n = add_node(&s, NO_NODE);
    add(&s, n, step_at(1, "n", 0));
    for (unsigned line = 10; line < 40; line++) {
        TreeStep step = step_at(line, "n", NO_CHANGE);
        if (line == 12 || line == 25) step.what = STR("branch");
        if (line == 33) step.change = 1;
        if (line % 2) step.argument = true;
        add(&s, n, step);
    }
    add(&s, n, step_at(50, "n", NO_CHANGE));
    char *lines = lines_of(&s);
    print_message("# %s\n", lines);
    assert_int_equal(s.chain.len, CHAIN_MOST);
    assert_int_equal(s.chain.at[0].step->line, 1);
    assert_int_equal(s.chain.at[CHAIN_MOST - 1].step->line, 50);
    bool twelve = false, changed = false, argument = false;
    for (size_t i = 0; i < s.chain.len; i++) {
        const TreeStep *step = s.chain.at[i].step;
        twelve |= step->line == 12;
        changed |= step->line == 33;
        argument |= step->argument && step->line != 33;
    }
    assert_true(twelve && changed);
    assert_false(argument);
    end(&s);
}

/* Two addresses of one place are no difference, whatever their digits: such a step is context. */
static void the_same_place_says_nothing(void **state) {
    (void)state;
    Shown s;
    begin(&s);
    size_t n = add_node(&s, NO_NODE);
    TreeStep address = step_at(7, "p", NO_CHANGE);
    address.now = STR("0x5000"), address.was = STR("0x6000"), address.differs = false;
    add(&s, n, step_at(5, "n", 0));
    add(&s, n, address);
    add(&s, n, step_at(9, "branch", NO_CHANGE));
    assert_string_equal(lines_of(&s), "5 9");
    end(&s);
}

/* What a changed line computed before the root belongs to the way; what others did does not. */
static void changed_lines_before_the_root(void **state) {
    (void)state;
    Shown s;
    begin(&s);
    size_t n = add_node(&s, NO_NODE);
    add(&s, n, step_at(2, "m", NO_CHANGE));
    add(&s, n, step_at(3, "slash", 1));
    add(&s, n, step_at(4, "n", 0));
    add(&s, n, step_at(9, "branch", NO_CHANGE));
    assert_string_equal(lines_of(&s), "3 4 9");
    end(&s);
}

/* The branch that leads from one cause to the next is both a step and an edge: one line. */
static void an_edge_is_not_told_twice(void **state) {
    (void)state;
    Shown s;
    begin(&s);
    size_t failure = add_node(&s, NO_NODE), cause = add_node(&s, failure);
    s.e.nodes.at[cause].edge_file = STR("a.c");
    s.e.nodes.at[cause].edge_line = 7;
    s.e.nodes.at[cause].edge_now = STR("true");
    s.e.nodes.at[cause].edge_was = STR("false");
    add(&s, cause, step_at(5, "n", 0));
    add(&s, cause, step_at(7, "branch", NO_CHANGE));
    add(&s, failure, step_at(9, "n", NO_CHANGE));
    assert_string_equal(lines_of(&s), "5 7 9");
    assert_int_equal(s.chain.at[1].repeats, 0);
    end(&s);
}

/* Steps of several causes come in the order in which they ran, whatever order the causes have; what
 * both causes hold is one run of the line; and the last one may not be what both runs share. */
static void as_they_ran(void **state) {
    (void)state;
    Shown s;
    begin(&s);
    size_t failure = add_node(&s, NO_NODE), cause = add_node(&s, failure);
    static const unsigned ran[] = { 3, 5, 7, 8, 9, 11 }; /* by time */
    static const unsigned of_failure[] = { 5, 3, 4, 2 }, of_cause[] = { 0, 1, 2 };
    for (size_t i = 0; i < COUNT_OF(of_failure); i++) {
        TreeStep step = step_at(ran[of_failure[i]], "n", NO_CHANGE);
        if (step.line == 11) step.differs = false, step.was = step.now;
        s.clock = of_failure[i];
        add(&s, failure, step);
    }
    for (size_t i = 0; i < COUNT_OF(of_cause); i++) {
        s.clock = of_cause[i];
        add(&s, cause, step_at(ran[of_cause[i]], "n", i == 1 ? 0 : NO_CHANGE));
    }
    assert_string_equal(lines_of(&s), "5 7 8 9");
    assert_int_equal(s.chain.at[1].repeats, 0);
    end(&s);
}

/* Where a root ran, the way begins in the cause that holds it, not where the good run did what it
 * replaced. */
static void from_where_the_root_ran(void **state) {
    (void)state;
    Shown s;
    begin(&s);
    size_t failure = add_node(&s, NO_NODE), cause = add_node(&s, failure);
    TreeStep replaced = step_at(4, "return", 0);
    replaced.in_good = true, replaced.now = STR("");
    add(&s, cause, step_at(6, "branch", 0));
    add(&s, failure, replaced);
    add(&s, failure, step_at(9, "n", NO_CHANGE));
    assert_string_equal(lines_of(&s), "6 4 9");
    end(&s);
}

/* Lines of a generated parser are not shown where the grammar's are. */
static void generated_code_has_no_text(void **state) {
    (void)state;
    Shown s;
    begin(&s);
    size_t n = add_node(&s, NO_NODE);
    for (unsigned line = 1; line <= 4; line++) {
        TreeStep step = step_at(line, "n", line == 1 ? 0 : NO_CHANGE);
        if (line != 3) step.text = STR("n = 1;");
        add(&s, n, step);
    }
    assert_string_equal(lines_of(&s), "1 2 4");
    end(&s);
}

/* A counter that was at 1 once in both runs, and at 2 in the good one alone. */
static void what_is_the_same_gives_way(void **state) {
    (void)state;
    Shown s;
    begin(&s);
    size_t n = add_node(&s, NO_NODE);
    TreeStep same = step_at(3, "n", 0), missing = step_at(3, "n", 0);
    same.differs = false, same.was = same.now;
    missing.in_good = true, missing.now = (Str){ 0 };
    add(&s, n, same);
    add(&s, n, missing);
    add(&s, n, step_at(9, "n", NO_CHANGE));
    assert_string_equal(lines_of(&s), "3 9");
    assert_true(s.chain.at[0].step->in_good);
    end(&s);
}

/* An address alone says less than a value that came out otherwise. */
static void addresses_say_little(void **state) {
    (void)state;
    Shown s;
    begin(&s);
    size_t n = add_node(&s, NO_NODE);
    add(&s, n, step_at(1, "n", 0));
    for (unsigned line = 10; line < 20; line++) {
        TreeStep step = step_at(line, "p", line == 13 ? 1 : NO_CHANGE);
        if (line == 13 || line == 14) step.now = STR("0x7ffe0010"), step.was = (Str){ 0 };
        add(&s, n, step);
    }
    add(&s, n, step_at(50, "n", NO_CHANGE));
    assert_string_equal(lines_of(&s), "1 10 11 12 15 16 17 18 19 50");
    end(&s);
}

/* What the good run did elsewhere before the root ran leads to nothing. */
static void it_does_not_begin_in_the_good_run(void **state) {
    (void)state;
    Shown s;
    begin(&s);
    size_t n = add_node(&s, NO_NODE);
    TreeStep other = step_at(3, "output", 1);
    other.in_good = true, other.now = (Str){ 0 };
    add(&s, n, other);
    add(&s, n, step_at(5, "n", 0));
    add(&s, n, step_at(9, "branch", NO_CHANGE));
    assert_string_equal(lines_of(&s), "5 9");
    end(&s);
}

/* Ten steps of a way through three functions: not all of them are in the one that has most. */
static void each_function_on_the_way_is_shown(void **state) {
    (void)state;
    Shown s;
    begin(&s);
    size_t n = add_node(&s, NO_NODE);
    add(&s, n, step_at(1, "n", 0));
    for (unsigned line = 10; line < 26; line++) {
        TreeStep step = step_at(line, "n", NO_CHANGE);
        step.function = line == 20 ? STR("between") : STR("long");
        if (line == 20) step.was = (Str){ 0 }, step.differs = false;
        add(&s, n, step);
    }
    add(&s, n, step_at(50, "n", NO_CHANGE));
    const char *lines = lines_of(&s);
    assert_non_null(strstr(lines, " 20 "));
    assert_int_equal(s.chain.len, CHAIN_MOST);
    end(&s);
}

/* What was only reverted together with others was not tested by itself. */
static void together_is_not_tested(void **state) {
    (void)state;
    for (int together = 0; together < 2; together++) {
        Shown s;
        begin(&s);
        size_t n = add_node(&s, NO_NODE);
        TreeStep step = step_at(3, "n", 0);
        step.mark = MARK_SUSPECTED;
        add(&s, n, step);
        s.e.together = together;
        explanation_settle(&s.e);
        assert_int_equal(s.e.nodes.at[n].steps.at[0].mark, together ? MARK_SUSPECTED : MARK_TESTED);
        end(&s);
    }
}

TEST_MAIN(cmocka_unit_test(it_does_not_begin_in_the_good_run),
          cmocka_unit_test(each_function_on_the_way_is_shown),
          cmocka_unit_test(generated_code_has_no_text),
          cmocka_unit_test(what_is_the_same_gives_way), cmocka_unit_test(addresses_say_little),
          cmocka_unit_test(together_is_not_tested), cmocka_unit_test(a_line_is_shown_once),
          cmocka_unit_test(decisions_stay), cmocka_unit_test(the_same_place_says_nothing),
          cmocka_unit_test(changed_lines_before_the_root),
          cmocka_unit_test(an_edge_is_not_told_twice), cmocka_unit_test(as_they_ran),
          cmocka_unit_test(from_where_the_root_ran))
