/* Each finder by itself: a program goes in, the candidates it proposes come out, in the order they
 * would be tried. Nothing is compiled: the question is whether a finder sees what it should and
 * writes what it means. White space only matters where it separates. */
#include "reduce/find/finders.h"
#include "test.h"
#include "tree/words.h"

typedef struct FinderCase {
    const char *finder, *lang;
    const char *text;
    const char *candidates; /* one a line */
} FinderCase;

static const FinderCase cases[] = {
#include "finder_goldens.h"
};

/* One blank for any run of white space. */
static void add_line(Buf *out, Str text) {
    bool space = false;
    text = str_trim(text);
    for (size_t i = 0; i < text.len; i++) {
        if (words_is_space(text.at[i])) {
            space = true;
            continue;
        }
        if (space) buf_char(out, ' ');
        space = false;
        buf_char(out, text.at[i]);
    }
    buf_char(out, '\n');
}

static void list_candidates(const FinderCase *c, Buf *out) {
    Error err = { 0 };
    Reducer r = { 0 };
    Target t;
    Shapes shapes;
    EditSets sets = { 0 };
    Side *side = &r.side[VARIANT];
    side->on = true;
    doc_init(&side->doc, lang_builtin(c->lang, &err), str_from(c->text));
    target_init(&t, &r, VARIANT, false);
    shapes_init(&shapes, &side->doc);
    finder_named(c->finder)->find(&t, &shapes, &sets);
    sets_order(&sets, &side->doc);
    for (size_t i = 0; i < sets.list.len; i++) {
        Arena arena = { 0 };
        DocChange change;
        doc_change(&side->doc, &arena, sets.list.at[i].edits, sets.list.at[i].n, &change);
        add_line(out, change.text);
        arena_release(&arena);
    }
    shapes_release(&shapes);
    target_release(&t);
    vec_release(&sets.list);
    arena_release(&sets.arena);
    doc_release(&side->doc);
}

static void candidates_are_those_expected(void **state) {
    (void)state;
    size_t wrong = 0;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Buf got = { 0 };
        list_candidates(&cases[i], &got);
        if (!str_is(buf_view(&got), cases[i].candidates)) {
            print_message("# %s: %s\n", cases[i].finder, cases[i].text);
            printf(STR_FMT, STR_ARG(got));
            wrong++;
        }
        buf_release(&got);
    }
    assert_int_equal(wrong, 0);
}

/* A finder without a golden test of its own may not work at all. */
static void every_finder_has_a_case(void **state) {
    (void)state;
    for (const Finder *f = finders; f->name; f++) {
        bool found = false;
        for (size_t i = 0; i < COUNT_OF(cases) && !found; i++)
            found = strcmp(cases[i].finder, f->name) == 0 && cases[i].candidates[0];
        if (!found) fail_msg("%s has no case", f->name);
    }
}

/* ---- what nothing uses any more ---- */
/* The program without a piece of it and what goes with that; empty: nothing else would go. */
static void tidy_without(const char *lang, const char *text, const char *piece, Buf *out) {
    Error err = { 0 };
    Reducer r = { 0 };
    Target t;
    DocEdits edits = { 0 };
    Candidate c = { 0 };
    Side *side = &r.side[VARIANT];
    side->on = true;
    doc_init(&side->doc, lang_builtin(lang, &err), str_from(text));
    target_init(&t, &r, VARIANT, false);
    size_t from = (size_t)(strstr(text, piece) - text), end = from + strlen(piece);
    for (uint32_t i = 0; i < side->doc.tree.tokens.len; i++) {
        const TreeToken *token = &side->doc.tree.tokens.at[i];
        if (token->start >= from && token->end <= end) vec_push(&edits, ((DocEdit){ .token = i }));
    }
    target_propose(&t, &edits, WAY_TIDY, true, &c);
    if (c.side[VARIANT].touched) add_line(out, c.side[VARIANT].text);
    arena_release(&c.arena);
    vec_release(&edits);
    target_release(&t);
    doc_release(&side->doc);
}

/* Go refuses imports and variables that nothing uses: these go as well, with what assigns to them;
 * one name of several becomes `_`, and one that is declared anew stays. */
static void go_loses_what_nothing_uses(void **state) {
    (void)state;
    static const struct {
        const char *rest, *gone, *left; /* of a file, after its package; "": nothing more goes */
    } uses[] = {
        { "func m() { a := 1; a = 2; b(a) }", "b(a)", "func m() {;; }" },
        { "func m() { x, y := f(); g(x); h(y) }", "g(x);", "func m() { _, y := f(); h(y) }" },
        { "func m() { x, y := f(); g(x, y) }", "g(x, y)", "func m() {; }" },
        { "func m() { var x, y = 1, 2; g(x); h(y) }", "h(y)",
          "func m() { var x, _ = 1, 2; g(x); }" },
        { "func m() { x, e := f(); k, e := h(); g(x, k, e) }", "x, e := f();", "" },
        { "func m() { for i, v := range z { g(i, v) } }", "g(i, v)",
          "func m() { for range z { } }" },
        { "func m() { x := 1; x += 2; g(x) }", "g(x)", "" },
        { "func m() { for { x := 1; g(x) }; x := 2; h(x) }", "g(x)",
          "func m() { for {; }; x := 2; h(x) }" },
        { "import (\n\"io\"\n\"math/big\"\n)\nfunc m(r io.Reader) { big.New() }", "r io.Reader",
          "import ( \"math/big\" ) func m() { big.New() }" },
        { "import (\n\"io\"\n\"math/big\"\n)\nfunc m(r io.Reader) { big.New() }", "big.New()",
          "import ( \"io\" ) func m(r io.Reader) { }" },
        { "import x \"io\"\nimport \"os\"\nfunc m(r x.Reader) { os.Exit() }", "r x.Reader",
          "import \"os\" func m() { os.Exit() }" },
        { "var a int\nfunc m() { b(a) }", "b(a)", "" },
    };
    size_t wrong = 0;
    for (size_t i = 0; i < COUNT_OF(uses); i++) {
        Buf text = { 0 }, got = { 0 }, left = { 0 };
        buf_fmt(&text, "package p\n%s\n", uses[i].rest);
        if (uses[i].left[0]) buf_fmt(&left, "package p %s\n", uses[i].left);
        tidy_without("go", text.at, uses[i].gone, &got);
        if (!str_eq(buf_view(&got), buf_view(&left))) {
            printf("# %s, without %s:\n# " STR_FMT "\n", uses[i].rest, uses[i].gone, STR_ARG(got));
            wrong++;
        }
        buf_release(&text);
        buf_release(&got);
        buf_release(&left);
    }
    assert_int_equal(wrong, 0);
}

/* What is written consists of parts of the program: in a pair each side gets its own. */
static void pairs_keep_their_difference(void **state) {
    (void)state;
    static const char *const texts[SIDES] = {
        "int g;\nint f(int a) { return a; }\nint main() { return f(g + 3); }",
        "int g;\nint f(int a) { return a; }\nint main() { return f(g + 4); }",
    };
    Error err = { 0 };
    Reducer r = { .pair = true };
    for (int s = 0; s < SIDES; s++) {
        r.side[s].on = true;
        doc_init(&r.side[s].doc, lang_builtin("c", &err), str_from(texts[s]));
    }
    Target t;
    Shapes shapes;
    EditSets sets = { 0 };
    target_init(&t, &r, VARIANT, true);
    shapes_init(&shapes, target_doc(&t));
    finder_named("arguments")->find(&t, &shapes, &sets);
    assert_true(sets.list.len > 0);
    Candidate c = { 0 };
    DocEdits edits = { .at = sets.list.at[0].edits, .len = sets.list.at[0].n };
    target_propose(&t, &edits, WAY_PLAIN, true, &c);
    Buf out = { 0 };
    for (int s = 0; s < SIDES; s++) add_line(&out, c.side[s].text);
    assert_string_equal(out.at, "int g; int f() { return (g + 3); } int main() { return f(); }\n"
                                "int g; int f() { return (g + 4); } int main() { return f(); }\n");
    buf_release(&out);
    arena_release(&c.arena);
    shapes_release(&shapes);
    target_release(&t);
    vec_release(&sets.list);
    arena_release(&sets.arena);
    for (int s = 0; s < SIDES; s++) doc_release(&r.side[s].doc);
}

/* ---- what hangs ---- */
/* The document without a piece of its text. */
static DocChange without(const Doc *doc, const char *piece, Arena *arena) {
    DocEdits edits = { 0 };
    DocChange change;
    const char *at = strstr(doc->base.at, piece);
    size_t from = (size_t)(at - doc->base.at), end = from + strlen(piece);
    for (uint32_t i = 0; i < doc->tree.tokens.len; i++)
        if (doc->tree.tokens.at[i].start >= from && doc->tree.tokens.at[i].end <= end)
            vec_push(&edits, ((DocEdit){ .token = i }));
    doc_change(doc, arena, edits.at, edits.len, &change);
    vec_release(&edits);
    return change;
}

static bool left_alone(Stuck *stuck, const char *text, const char *piece) {
    Error err = { 0 };
    Arena arena = { 0 };
    Doc doc;
    doc_init(&doc, lang_builtin("c", &err), str_from(text));
    DocChange change = without(&doc, piece, &arena);
    bool known = stuck_knows(stuck, &doc, &change);
    doc_release(&doc);
    arena_release(&arena);
    return known;
}

static void note_hang(Stuck *stuck, size_t i, const char *text, const char *piece) {
    Error err = { 0 };
    Arena arena = { 0 };
    Doc doc;
    doc_init(&doc, lang_builtin("c", &err), str_from(text));
    DocChange change = without(&doc, piece, &arena);
    stuck_note(stuck, i, &doc, &change);
    doc_release(&doc);
    arena_release(&arena);
}

/* The same change in a program that has become smaller elsewhere; any change inside of a loop where
 * two have hung; neither for ever. */
static void changes_that_hang_are_left_alone(void **state) {
    (void)state;
    static const char text[] = "int x, y;\nint f(int a) {\n  int i;\n  y = 2;\n"
                               "  for (i = 0; i < 9; i++) a = g(x, i) + h(i);\n  return a;\n}\n";
    static const char later[] =
        "int f(int a) {\n  int i;\n  for (i = 0; i < 9; i++) a = g(x, i) + h(i);\n}\n";
    static const char small[] = "f() { for (i; i < 9; i++) a = g(x); }";
    Stuck stuck = { .usual_s = 0.4 };
    assert_true(stuck_took(&stuck, 1) && !stuck_took(&stuck, 0.6));
    note_hang(&stuck, 3, text, "i++");
    stuck_settle(&stuck, 3, 45); /* after the first success: another number of jobs lacks it */
    assert_false(left_alone(&stuck, text, "i++"));
    note_hang(&stuck, 3, text, "i++");
    stuck_settle(&stuck, SHRINK_NONE, 51);
    assert_true(left_alone(&stuck, later, "i++") && stuck.skipped);
    assert_false(left_alone(&stuck, later, "i < 9")); /* another change */
    assert_false(left_alone(&stuck, small, "i++"));   /* half is gone */
    note_hang(&stuck, 0, text, "i < 9");
    stuck_settle(&stuck, 4, 45);
    assert_true(left_alone(&stuck, later, "x, "));
    assert_false(left_alone(&stuck, later, "for (i = 0; i < 9; i++) a = g(x, i) + h(i);"));
    assert_false(left_alone(&stuck, later, "int i;"));
    stuck.patient = true;
    assert_false(left_alone(&stuck, later, "i++") || left_alone(&stuck, later, "x, "));
    stuck_release(&stuck);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(candidates_are_those_expected),
        cmocka_unit_test(every_finder_has_a_case),
        cmocka_unit_test(pairs_keep_their_difference),
        cmocka_unit_test(go_loses_what_nothing_uses),
        cmocka_unit_test(changes_that_hang_are_left_alone),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
