/* What the text of tests/hunt/programs/origins.c says about its pointers and unions, place by
 * place. */
#include "base/file.h"
#include "test.h"
#include "variant/origin.h"

static Arena arena;
static CUnit *unit;

static int read_program(void **state) {
    (void)state;
    const char *dir = getenv("HUNT_PROGRAMS");
    Error err;
    Str text;
    assert_non_null(dir);
    assert_true(file_read(&arena, file_join(&arena, dir, "origins.c"), &text, &err));
    unit = cfront_parse(&arena, text, NULL, &err);
    assert_non_null(unit);
    return 0;
}

static const CDecl *variable(const char *name) {
    for (uint32_t i = 0; i < unit->n_decls; i++)
        if (str_is(unit->decls[i]->name, name) && unit->decls[i]->kind == CD_VAR)
            return unit->decls[i];
    fail_msg("no variable %s", name);
    return NULL;
}

/* The innermost statement that begins like this. */
static const CStmt *statement(const char *begin) {
    const CStmt *found = NULL;
    for (uint32_t i = 0; i < unit->n_stmts; i++)
        if (str_starts(cfront_text(unit, unit->stmts[i]->range), begin)) found = unit->stmts[i];
    if (!found) fail_msg("no statement %s", begin);
    return found;
}

/* The locals that the pointer may lead to at the statement, as a list of names. */
static const char *locals(const char *pointer, const char *at) {
    const CDecl *p = variable(pointer);
    CDeclVec found = { 0 };
    Buf names = { 0 };
    origin_locals(unit, statement(at), p, p->type->elem->bare, &found);
    for (size_t i = 0; i < found.len; i++)
        buf_fmt(&names, "%s" STR_FMT, i ? " " : "", STR_ARG(found.at[i]->name));
    const char *copy = arena_cstr(&arena, buf_view(&names));
    buf_release(&names);
    vec_release(&found);
    return copy;
}

static bool has_word(const char *list, const char *word) {
    Str rest = str_from(list), each;
    while (str_split(&rest, ' ', &each))
        if (str_is(each, word)) return true;
    return false;
}

static void pointers_to_live_locals(void **state) {
    (void)state;
    assert_true(has_word(locals("near", "total += x"), "x"));
    assert_true(has_word(locals("near", "total += x"), "y"));
    assert_true(has_word(locals("part", "*part = 9"), "values"));
    assert_true(has_word(locals("close", "gone = &inner"), "inner"));
    /* inner lives shorter than gone: never a candidate, also where it is visible */
    assert_false(has_word(locals("gone", "*near += 1"), "inner"));
    assert_false(has_word(locals("gone", "total += x"), "inner"));
}

static void pointers_that_are_left_alone(void **state) {
    (void)state;
    assert_string_equal(locals("moving", "sum += *moving"), ""); /* counted up */
    assert_string_equal(locals("stale", "total += x"), "");      /* outlives what it points to */
}

static const char *member(const char *name, const char *type, bool *writable) {
    const CDecl *d = variable(name);
    *writable = true;
    for (uint32_t i = 0; i < unit->n_records; i++)
        if (str_is(unit->records[i]->tag, type)) {
            const CField *f = origin_member(unit, d, unit->records[i], writable);
            return f ? arena_cstr(&arena, f->name) : "";
        }
    fail_msg("no type %s", type);
    return "";
}

static void members_of_unions(void **state) {
    (void)state;
    bool writable;
    assert_string_equal(member("only", "whole", &writable), "f0");
    assert_true(writable);
    assert_string_equal(member("several", "whole", &writable), ""); /* two members are stored to */
    assert_string_equal(member("inside", "whole", &writable), "f0");
    assert_string_equal(member("row", "whole", &writable), "f0");
    assert_string_equal(member("mine", "whole", &writable), "f0");
    assert_string_equal(member("small", "narrow", &writable), "f0");
    assert_false(writable); /* a store to f0 would leave the rest of f1 unspecified */
}

static void members_stored_right_before(void **state) {
    (void)state;
    const CExpr *e = origin_stored_before(statement("total += several.f1"));
    assert_non_null(e);
    assert_str(cfront_text(unit, e->range), "several.f1");
    e = origin_stored_before(statement("total += several.f0"));
    assert_non_null(e);
    assert_str(cfront_text(unit, e->range), "several.f0");
    assert_null(origin_stored_before(statement("several.f0 = n + 1")));
    assert_null(origin_stored_before(statement("*part = 9")));
    assert_null(origin_stored_before(statement("total += row"))); /* not a direct path */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pointers_to_live_locals),
        cmocka_unit_test(pointers_that_are_left_alone),
        cmocka_unit_test(members_of_unions),
        cmocka_unit_test(members_stored_right_before),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    int failed = cmocka_run_group_tests(tests, read_program, NULL);
    arena_release(&arena);
    return failed;
}
