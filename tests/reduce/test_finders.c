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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(candidates_are_those_expected),
        cmocka_unit_test(every_finder_has_a_case),
        cmocka_unit_test(pairs_keep_their_difference),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
