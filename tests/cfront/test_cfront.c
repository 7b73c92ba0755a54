/* The C model: a golden dump, places and names, definite assignment, edits, blocks, refusals. */
#include "test.h"

#include "base/file.h"
#include "cfront/cfg.h"
#include "cfront/cfront.h"
#include "cfront/edit.h"
#include "cfront_check.h"

#include <time.h>

static CUnit *parse(Arena *arena, const char *text) {
    Error err = { 0 };
    CfrontOptions opts = { .name = "test.c" };
    CUnit *unit = cfront_parse(arena, str_from(text), &opts, &err);
    if (!unit) fprintf(stderr, "# %s\n", err.text);
    assert_non_null(unit);
    return unit;
}

/* The statement whose text begins with the given one. */
static CStmt *find(const CUnit *u, const char *prefix) {
    CStmt *found = NULL; /* the innermost */
    for (uint32_t i = 0; i < u->n_stmts; i++)
        if (str_starts(cfront_text(u, u->stmts[i]->range), prefix)) found = u->stmts[i];
    assert_non_null(found);
    return found;
}

/* The last expression with the given text; of two, the inner one. */
static const CExpr *find_expr(const CUnit *u, const char *text) {
    const CExpr *found = NULL;
    for (uint32_t i = 0; i < u->n_exprs; i++)
        if (str_is(cfront_text(u, u->exprs[i]->range), text)) found = u->exprs[i];
    if (!found) fprintf(stderr, "# no %s\n", text);
    assert_non_null(found);
    return found;
}

/* The last declaration of a name. */
static const CDecl *find_decl(const CUnit *u, const char *name) {
    const CDecl *found = NULL;
    for (uint32_t i = 0; i < u->n_decls; i++)
        if (str_is(u->decls[i]->name, name)) found = u->decls[i];
    assert_non_null(found);
    return found;
}

static void golden_dump(void **state) {
    (void)state;
    Arena arena = { 0 };
    Str text, expected;
    Error err;
    const char *dir = GOLDEN_DIR;
    assert_true(file_read(&arena, file_join(&arena, dir, "shapes.c"), &text, &err));
    assert_true(file_read(&arena, file_join(&arena, dir, "shapes.txt"), &expected, &err));
    CfrontOptions opts = { .name = "shapes.c" };
    CUnit *unit = cfront_parse(&arena, text, &opts, &err);
    assert_non_null(unit);
    Buf out = { 0 };
    cfront_dump(unit, &out);
    assert_string_equal(out.at, expected.at);
    buf_release(&out);
    arena_release(&arena);
}

/* `{a ?b}` before the statement `here;`: certain and uncertain locals, innermost first. */
static void expect_certain(const char *body, const char *expected) {
    Arena arena = { 0 };
    Buf text = { 0 }, got = { 0 };
    buf_fmt(&text,
            "struct s { int x, y; }; void here(void); int c(void); struct s give(void);\n"
            "void take(int *);\nvoid f(int p) { %s }\n",
            body);
    CUnit *u = parse(&arena, text.at);
    CDeclVec seen = { 0 };
    CStmt *s = find(u, "here");
    cfront_visible(u, s, CV_LOCALS, &seen);
    for (size_t i = 0; i < seen.len; i++)
        buf_fmt(&got, "%s%s" STR_FMT, i ? " " : "", cfront_initialised(s, seen.at[i]) ? "" : "?",
                STR_ARG(seen.at[i]->name));
    if (!str_is(buf_view(&got), expected)) fprintf(stderr, "# %s\n", body);
    assert_string_equal(got.at ? got.at : "", expected);
    vec_release(&seen);
    buf_release(&got);
    buf_release(&text);
    arena_release(&arena);
}

static void definite_assignment(void **state) {
    (void)state;
    expect_certain("int a; here();", "?a p");
    expect_certain("int a; a = 1; here();", "a p");
    expect_certain("int a; if (p) a = 1; here();", "?a p");
    expect_certain("int a; if (p) a = 1; else a = 2; here();", "a p");
    expect_certain("int a; if (p) a = 1; else return; here();", "a p");
    expect_certain("int a; while (p) { a = 1; p--; } here();", "?a p");
    expect_certain("int a; while (1) { a = 1; if (p) break; } here();", "a p");
    expect_certain("int a; for (;;) { if (p) break; a = 1; } here();", "?a p");
    expect_certain("int a; do a = 1; while (p); here();", "a p");
    expect_certain("int a; do { if (p) continue; a = 1; } while (p); here();", "?a p");
    expect_certain("int a; for (a = 0; a < p; a++) here();", "a p");
    expect_certain("int a; switch (p) { case 1: a = 1; break; case 2: a = 2; } here();", "?a p");
    expect_certain("int a; switch (p) { case 1: a = 1; break; default: a = 2; } here();", "a p");
    expect_certain("int a; switch (p) { a = 3; case 1: here(); }", "?a p");
    expect_certain("int a; a = 1; goto l; l: here();", "a p");
    expect_certain("goto l; int a; a = 1; l: here();", "?a p");
    expect_certain("int a; if (p) goto l; a = 1; l: here();", "?a p");
    expect_certain("int a; goto m; l: here(); return; m: a = 1; goto l;", "a p");
    expect_certain("int b; b = 1; while (c()) { int a; if (p) goto l; a = 1; l: here(); }",
                   "?a b p");
    expect_certain("int a; p && (a = 1); here();", "?a p");
    expect_certain("int a; p ? (a = 1) : (a = 2); here();", "a p");
    expect_certain("int a, b; b = a; here();", "?b ?a p");
    expect_certain("int a; take(&a); here();", "?a p");
    expect_certain("int a = ({ int z; z = 1; z; }); here();", "a p");
    expect_certain("struct s a; a.x = 1; here();", "?a p");
    expect_certain("struct s a = { 1 }, b; b = a; here();", "b a p");
    expect_certain("struct s a; a = give(); here();", "?a p");
    expect_certain("static int a; int b[2]; here();", "?b a p");
    expect_certain("int b[2] = { 1 }; here();", "b p");
    expect_certain("while (c()) { int a; a = 1; } { int a; here(); }", "?a p");
    expect_certain("int x = 1; if (p) goto in; while (p) { here(); in: x = 2; }", "x p");
    expect_certain("int x; if (p) goto in; x = 1; while (p) { here(); in: p--; }", "?x p");
    expect_certain("void *q = &&l; goto *q; int a; l: here();", "?a ?q p");
}

static void names_and_places(void **state) {
    (void)state;
    Arena arena = { 0 };
    CUnit *u = parse(&arena, "int a, b; typedef int t;\n"
                             "void f(int b) { int t = 1; { enum { a = 2 }; b = 1; } t = 2; }\n"
                             "void g(void) { if (a) b = 5; else { b = 6; } x: b = 7; goto x; }\n");
    CDeclVec seen = { 0 };
    cfront_visible(u, find(u, "b = 1"), 0, &seen);
    assert_int_equal(seen.len, 2); /* t and the parameter b; a is an enumerator there */
    assert_str(seen.at[0]->name, "t");
    assert_int_equal(seen.at[1]->kind, CD_PARAM);
    vec_release(&seen);
    assert_int_equal(find(u, "b = 5")->slot, CSL_THEN);
    assert_int_equal(find(u, "b = 6")->slot, CSL_BLOCK);
    assert_int_equal(find(u, "b = 7")->slot, CSL_LABEL);
    assert_true(cfront_can_wrap(find(u, "b = 7")));
    assert_false(cfront_can_wrap(find(u, "x: b")));
    assert_false(cfront_can_wrap(find(u, "int t")));
    assert_false(cfront_can_delete(u, find(u, "x: b")));
    assert_true(cfront_can_delete(u, find(u, "goto x")));
    arena_release(&arena);
}

/* What x means before the statement `here`, and whether it is offered. */
static void expect_x(const char *body, CDeclKind kind, const char *range, bool offered) {
    Arena arena = { 0 };
    CUnit *u =
        parse(&arena, arena_fmt(&arena, "void here(void); void g(int p)\n{ int x = 1; %s }", body));
    CStmt *s = find(u, "here");
    const CDecl *d = cfront_lookup(u, s, STR("x"));
    CDeclVec seen = { 0 };
    bool found = false;
    assert_non_null(d);
    if (d->kind != kind || !str_is(cfront_text(u, d->range), range))
        fprintf(stderr, "# %s\n", body);
    assert_int_equal(d->kind, kind);
    assert_str(cfront_text(u, d->range), range);
    cfront_visible(u, s, 0, &seen);
    for (size_t i = 0; i < seen.len; i++) found = found || str_is(seen.at[i]->name, "x");
    assert_int_equal(found, offered);
    assert_int_equal(cfront_is_visible(u, s, d), kind != CD_VAR || offered);
    vec_release(&seen);
    arena_release(&arena);
}

static void hidden_names(void **state) {
    (void)state;
    expect_x("here();", CD_VAR, "x = 1", true);
    expect_x("{ int x = ({ here(); 1; }); }", CD_VAR, "x = ({ here(); 1; })", false);
    expect_x("{ int x = 2; here(); }", CD_VAR, "x = 2", true);
    expect_x("{ here(); int x = 2; }", CD_VAR, "x = 1", true);
    expect_x("{ int n = sizeof(enum { x = 7 }); here(); }", CD_ENUMERATOR, "x = 7", false);
    expect_x("{ p = (enum { x = 6 })1; here(); }", CD_ENUMERATOR, "x = 6", false);
    expect_x("{ p = (struct { enum { x = 5 } y; }){ 1 }.y; here(); }", CD_ENUMERATOR, "x = 5",
             false);
    expect_x("{ __typeof__(enum { x = 4 }) y; here(); }", CD_ENUMERATOR, "x = 4", false);
    expect_x("{ void h(enum { x = 3 } y); here(); }", CD_VAR, "x = 1", true);
    expect_x("{ p = sizeof(int[sizeof(enum { x = 2 }) + p]); here(); }", CD_ENUMERATOR, "x = 2",
             false);
    Arena arena = { 0 };
    CUnit *u = parse(&arena, "int x; int f(enum { x = 7 } p) { return x; }");
    assert_int_equal(cfront_lookup(u, find(u, "return"), STR("x"))->kind, CD_ENUMERATOR);
    assert_int_equal(find_expr(u, "x")->value, 7);
    arena_release(&arena);
}

static void types(void **state) {
    (void)state;
    static const char *const spelled[] = {
        "int x",        "unsigned long *x",           "int (*x)[3]",
        "int *x[3]",    "int (*x)(int, char *)",      "const volatile short x",
        "int *const x", "struct s (*x[2])(void)",     "T x",
        "_Bool x",      "unsigned long long x[2][3]", "const T *x",
        "double x",
    };
    for (size_t i = 0; i < COUNT_OF(spelled); i++) {
        Arena arena = { 0 };
        Buf out = { 0 };
        const char *text =
            arena_fmt(&arena, "struct s { int a; }; typedef struct { int b; } T; %s;", spelled[i]);
        CUnit *u = parse(&arena, text);
        const CDecl *d = u->globals[0];
        cfront_declare(&out, d->type, d->name);
        const char *expected = arena_fmt(&arena,
                                         "struct s { int a; }; typedef struct { int b; } T; "
                                         "extern %s; extern %s;",
                                         spelled[i], out.at);
        parse(&arena, expected); /* the two declarations agree, or clang refuses them */
        assert_true(d->type->nameable && cfront_type_visible(u, d->type, NULL));
        buf_release(&out);
        arena_release(&arena);
    }
    assert_int_equal(cint_promote(CI_UCHAR, -1), CI_INT);
    assert_int_equal(cint_promote(CI_UINT, 32), CI_UINT);
    assert_int_equal(cint_promote(CI_UINT, 31), CI_INT);
    assert_int_equal(cint_usual(CI_LONG, CI_UINT), CI_LONG);
    assert_int_equal(cint_usual(CI_LLONG, CI_ULONG), CI_ULLONG);
}

static void enumerators(void **state) {
    (void)state;
    Arena arena = { 0 };
    CUnit *u = parse(&arena, "enum { BIG = 0xFFFFFFFFu, LOW = 3 }; enum { MINUS = -1 };\n"
                             "enum { HUGE = 0xFFFFFFFFFFFFFFFF };\n"
                             "long f(void) { return BIG + 1L; }");
    assert_true(find_decl(u, "BIG")->value == 4294967295);
    assert_true(find_decl(u, "LOW")->value == 3 && find_decl(u, "MINUS")->value == -1);
    assert_true((uint64_t)find_decl(u, "HUGE")->value == UINT64_MAX);
    assert_true(find_expr(u, "BIG + 1L")->value == 4294967296);
    arena_release(&arena);
}

/* Names that only an attribute or a static assertion mentions are in use. */
static void attributes(void **state) {
    (void)state;
    Arena arena = { 0 };
    CUnit *u = parse(&arena, "static void cl(int *p) { *p = 0; }\n"
                             "static void boot(void) __attribute__((constructor));\n"
                             "static void boot(void) {}\n"
                             "static int t(void) { return 1; }\n"
                             "int other(void) __attribute__((alias(\"late\")));\n"
                             "int late(void) { return t(); }\n"
                             "[[gnu::alias(\"far\")]] extern int near;\n"
                             "int far;\n"
                             "static int packed(void) { return 2; }\n"
                             "struct __attribute__((packed)) s { char c; };\n"
                             "enum { N = 3, M = 4 }; static const int k = 1;\n"
                             "_Static_assert(N == 3, \"N\");\n"
                             "int f(void) { int v __attribute__((cleanup(cl))) = 1, w = 2;\n"
                             "  _Static_assert(M == 4 && sizeof(k), \"M\"); return v + w; }\n");
    assert_true(find_decl(u, "cl")->uses == 1 && (find_decl(u, "cl")->flags & CD_ADDRESS));
    assert_true(find_decl(u, "cl")->function->flags & CFN_ADDRESS);
    assert_true(find_decl(u, "v")->flags & find_decl(u, "late")->flags & CD_ADDRESS);
    assert_true(find_decl(u, "far")->flags & CD_ADDRESS);
    assert_true(find_decl(u, "boot")->flags & find_decl(u, "boot")->first->flags & CD_ATTRIBUTE);
    assert_true(find_decl(u, "boot")->flags & find_decl(u, "packed")->flags & CD_UNUSED);
    assert_false((find_decl(u, "w")->flags | find_decl(u, "t")->flags) & CD_ADDRESS);
    assert_false((find_decl(u, "cl")->flags | find_decl(u, "t")->flags) & CD_ATTRIBUTE);
    assert_int_equal(find_decl(u, "N")->uses, 1);
    assert_true(find_decl(u, "M")->uses == 1 && find_decl(u, "k")->uses == 1);
    const uint32_t fixed = CF_UNEVALUATED | CF_NEEDS_CONSTANT;
    assert_true((find_expr(u, "M == 4")->flags & fixed) == fixed);
    arena_release(&arena);
}

/* v++ is evaluated (once in the tree) or not; v is written or not. */
static void expect_evaluated(const char *line, bool evaluated) {
    Arena arena = { 0 };
    CUnit *u = parse(&arena, arena_fmt(&arena,
                                       "int f(int n, int v, void *p) { int a[n][n], b[3][3]; %s\n"
                                       "  return sizeof a + sizeof b; }",
                                       line));
    unsigned count = 0;
    for (uint32_t i = 0; i < u->n_exprs; i++)
        count += str_is(cfront_text(u, u->exprs[i]->range), "v++");
    const CExpr *e = find_expr(u, "v++");
    bool written = (find_decl(u, "v")->flags & CD_WRITTEN) != 0;
    bool effect = (e->flags & CF_EFFECT) != 0;
    if (count != 1 || !(e->flags & CF_UNEVALUATED) != evaluated || written != evaluated)
        fprintf(stderr, "# %s\n", line);
    assert_int_equal(count, 1);
    assert_int_equal(!(e->flags & CF_UNEVALUATED), evaluated);
    assert_true(written == evaluated && effect == evaluated);
    assert_false((find_decl(u, "a")->flags | find_decl(u, "b")->flags) & CD_ADDRESS);
    arena_release(&arena);
}

static void evaluated_operands(void **state) {
    (void)state;
    expect_evaluated("n = _Generic(1, int: v++, default: 0);", true);
    expect_evaluated("n = _Generic(v++, int: 1, default: 0);", false);
    expect_evaluated("n = sizeof(int[v++]);", true);
    expect_evaluated("n = sizeof(int[3][v++]);", true);
    expect_evaluated("n = (*(int(*)[v++])p)[0];", true);
    expect_evaluated("n = sizeof a[v++];", true);
    expect_evaluated("n = sizeof(a[v++]);", true);
    expect_evaluated("n = sizeof b[v++];", false);
    expect_evaluated("n = sizeof a[0][v++];", false);
    expect_evaluated("n = _Alignof(int[v++]);", false);
    expect_evaluated("n = sizeof v++;", false);
    expect_evaluated("__typeof__(v++) z;", false);
    expect_evaluated("__typeof__(v++) z = 3;", false);
    expect_evaluated("typedef __typeof__(v++) z;", false);
    expect_evaluated("n = (__typeof__(v++))n;", false);
    expect_evaluated("n = sizeof(__typeof__(v++));", false);
    expect_evaluated("n = (__typeof__(v++)){ 3 };", false);
    expect_evaluated("typedef int z[v++];", true);
    expect_evaluated("int z[v++];", true);
    expect_evaluated("int g(int z[v++]);", false);
    Arena arena = { 0 };
    CUnit *u = parse(&arena, "int f(int n, int a[n++]) { return n; } int g(int n, int a[n]);\n"
                             "void h(int x) { _Generic(1, int: x) = 3; }");
    assert_true(find_decl(u, "x")->flags & CD_WRITTEN);
    assert_true(u->functions[0]->params[0]->flags & CD_WRITTEN);
    arena_release(&arena);
}

static void written_elsewhere(void **state) {
    (void)state;
    Arena arena = { 0 };
    CUnit *u = parse(&arena, "typedef int V __attribute__((vector_size(16)));\n"
                             "int f(V v, V w) { int x, y = 2, z = 3; v[1] = 7;\n"
                             "  asm(\"movl $1, %0\" : \"=r\"(x), \"+r\"(y));\n"
                             "  asm goto(\"\" : : \"r\"(z) : \"memory\" : there, out);\n"
                             "  x = v[0] + w[y];\n"
                             "there: x++; again: x++;\n"
                             "out: if (x) asm goto(\"\" : : [n] \"r\"(x ? x : 0) : : again);\n"
                             "not: return x; }");
    assert_true(find_decl(u, "v")->flags & find_decl(u, "y")->flags & CD_WRITTEN);
    assert_false(find_decl(u, "w")->flags & CD_WRITTEN);
    assert_true(find_decl(u, "w")->flags & CD_READ);
    assert_true(find(u, "there:")->jump_target && find(u, "out:")->jump_target);
    assert_true(find(u, "again:")->jump_target && !find(u, "not:")->jump_target);
    u = parse(&arena, "int f(void) { int x; asm(\"movl $1, %0\" : \"=r\"(x)); return x; }");
    assert_true(find_decl(u, "x")->flags & CD_WRITTEN);
    arena_release(&arena);
}

static void compound_literals(void **state) {
    (void)state;
    Arena arena = { 0 };
    CUnit *u = parse(&arena, "int *f(void) { return (int[2 + 1]){ 4, 5 }; }");
    const CExpr *e = find_expr(u, "(int[2 + 1]){ 4, 5 }");
    assert_int_equal(e->kind, CE_LITERAL);
    assert_true(e->n_operands == 2 && e->first->kind == CE_LIST);
    assert_true(e->first->next->flags & CF_NEEDS_CONSTANT);
    assert_false(e->first->first->flags & CF_NEEDS_CONSTANT);
    arena_release(&arena);
}

static const CRecord *record_named(const CUnit *u, const char *tag) {
    for (uint32_t i = 0; i < u->n_records; i++)
        if (str_is(u->records[i]->tag, tag)) return u->records[i];
    return NULL;
}

/* Records that lead back to one another before their fields are all known. */
static void record_cycles(void **state) {
    (void)state;
    Arena arena = { 0 };
    CUnit *u = parse(&arena, "struct A { struct B *b; };\n"
                             "struct B { struct C *c; const int k; } __attribute__((packed));\n"
                             "struct C { struct B b[2]; int x; };\n"
                             "const struct D *d;\n"
                             "struct D { const struct D *next; struct E *e; };\n"
                             "struct E { const struct D d; };\n"
                             "_Atomic struct F { int x; } f;\n");
    assert_false(record_named(u, "A")->has_const || record_named(u, "D")->has_const);
    assert_true(record_named(u, "B")->has_const && record_named(u, "C")->has_const);
    assert_true(record_named(u, "E")->has_const);
    assert_true(record_named(u, "B")->is_packed && !record_named(u, "A")->is_packed);
    for (uint32_t i = 0; i < u->n_types; i++)
        if (u->types[i]->kind == CT_RECORD)
            assert_ptr_equal(u->types[i]->record->type, u->types[i]->bare);
    arena_release(&arena);
}

/* An array whose address escapes, also where it is used on its own. */
static void arrays_decay(void **state) {
    (void)state;
    static const char *const decays[] = {
        "int *p = a;", "int *p = (a);", "int *p = ({ a; });", "return a;", "int *p = s.a;",
    };
    static const char *const stays[] = { "char a[] = \"x\";", "int a[] = { 1 };", "a[0] = a[1];" };
    for (size_t i = 0; i < COUNT_OF(decays) + COUNT_OF(stays); i++) {
        bool does = i < COUNT_OF(decays);
        const char *line = does ? decays[i] : stays[i - COUNT_OF(decays)];
        Arena arena = { 0 };
        CUnit *u = parse(&arena, arena_fmt(&arena,
                                           "static int a[3]; struct { int a[3]; } s;"
                                           "int *f(void) { %s return 0; }",
                                           line));
        bool taken = ((find_decl(u, "a")->flags | find_decl(u, "s")->flags) & CD_ADDRESS) != 0;
        if (taken != does) fprintf(stderr, "# %s\n", line);
        assert_int_equal(taken, does);
        if (does) assert_true(find_expr(u, i < 4 ? "a" : "s.a")->flags & CF_ADDRESS);
        arena_release(&arena);
    }
}

/* clang names the types of parameters as they were written: arrays and functions, not pointers. */
static void array_parameters(void **state) {
    (void)state;
    static const struct Typed {
        const char *expr, *type;
    } typed[] = {
        { "a", "int *" },         { "a++", "int *" },        { "a + 1", "int *" },
        { "a = q", "int *" },     { "(1, a)", "int *" },     { "a ? a : q", "int *" },
        { "*&a", "int *" },       { "(&a)[0]", "int *" },    { "({ a; })", "int *" },
        { "a += 2", "int *" },    { "h", "int (*)(int)" },   { "t", "struct s *" },
        { "m", "int (*)[3]" },    { "m[1]", "int[3]" },      { "t->x", "int" },
        { "k ? k : q", "int *" }, { "(h)", "int (*)(int)" },
    };
    Arena arena = { 0 };
    CUnit *u = parse(&arena, "struct s { int x; };\n"
                             "int f(int a[2], int h(int), struct s t[2], int m[2][3], int *k) {\n"
                             "  a[0] = 3; a++; int *q = a + 1; a = q; q = (1, a); q = a ? a : q;\n"
                             "  q = *&a; q = (&a)[0]; q = ({ a; }); a += 2; t->x = **m;\n"
                             "  q = k ? k : q; return m[1][2] + h(1) + (h)(2); }\n"
                             "int g(o) int o[2]; { return *o; }\n");
    for (size_t i = 0; i < COUNT_OF(typed); i++) {
        const CExpr *e = find_expr(u, typed[i].expr);
        if (!str_is(e->type->spelling, typed[i].type)) fprintf(stderr, "# %s\n", typed[i].expr);
        assert_str(e->type->spelling, typed[i].type);
        assert_true(e->converted->kind != CT_ARRAY && e->converted->kind != CT_FUNCTION);
    }
    assert_true(find_expr(u, "t->x")->arrow);
    assert_int_equal(find_expr(u, "o")->type->kind, CT_POINTER); /* the old-style one */
    arena_release(&arena);
}

static void expect_edit(CEdits *edits, const char *text, const char *expected) {
    Buf out = { 0 };
    Error err = { 0 };
    bool good = edits_apply(edits, str_from(text), &out, &err);
    assert_int_equal(good, expected != NULL);
    if (good) assert_string_equal(out.at, expected);
    if (!good) assert_true(str_find(str_from(err.text), STR("conflict"), 0) != STR_NONE);
    buf_release(&out);
    edits_release(edits);
}

static void edits(void **state) {
    (void)state;
    CEdits e = { 0 };
    edit_wrap(&e, (CRange){ 2, 4 }, STR("("), STR(")"));
    edit_wrap(&e, (CRange){ 2, 6 }, STR("["), STR("]"));
    edit_wrap(&e, (CRange){ 2, 4 }, STR("{"), STR("}"));
    edit_replace(&e, (CRange){ 2, 3 }, STR("X"));
    edit_insert(&e, 4, STR("i"));
    expect_edit(&e, "abcdefgh", "ab[{(Xd)}ief]gh");
    edit_delete(&e, (CRange){ 1, 3 });
    edit_replace(&e, (CRange){ 3, 4 }, STR("Y"));
    edit_wrap(&e, (CRange){ 1, 4 }, STR("<"), STR(">"));
    expect_edit(&e, "abcdef", "a<Y>ef");
    edit_delete(&e, (CRange){ 1, 3 });
    edit_insert(&e, 2, STR("x"));
    expect_edit(&e, "abcdef", NULL);
    edit_delete(&e, (CRange){ 1, 3 });
    edit_delete(&e, (CRange){ 2, 4 });
    expect_edit(&e, "abcdef", NULL);
    edit_wrap(&e, (CRange){ 1, 3 }, STR("("), STR(")"));
    edit_wrap(&e, (CRange){ 2, 4 }, STR("("), STR(")"));
    expect_edit(&e, "abcdef", NULL);
    edit_wrap(&e, (CRange){ 1, 3 }, STR("("), STR(")"));
    edit_delete(&e, (CRange){ 2, 4 });
    expect_edit(&e, "abcdef", NULL);
}

static void statement_edits(void **state) {
    (void)state;
    Arena arena = { 0 };
    const char *text = "void g(void); void f(int a) { if (a) g(); else a = 1; a = 2; }";
    CUnit *u = parse(&arena, text);
    CEdits e = { 0 };
    edit_before(&e, find(u, "g()"), STR("g(); "));
    edit_behind(&e, find(u, "a = 1"), STR(" g();"));
    edit_before(&e, find(u, "a = 2"), STR("int b; "));
    expect_edit(
        &e, text,
        "void g(void); void f(int a) { if (a) { g(); g(); } else { a = 1; g(); } int b; a = 2; }");
    arena_release(&arena);
}

static const CBlock *block_at(const CUnit *u, const CGraph *g, const char *prefix) {
    const CStmt *s = find(u, prefix);
    return &g->blocks[g->block_of[s->index - s->function->stmts[0]->index]];
}

static void blocks(void **state) {
    (void)state;
    Arena arena = { 0 };
    CUnit *u =
        parse(&arena, "int f(int a) { int r = 0; while (a) { if (a == 3) break; r += a--; }\n"
                      "  switch (r) { case 1: r = 2; default: r++; } return r; r = 9; }");
    CGraph g = cfg_build(&arena, u, u->functions[0]);
    unsigned unreachable = 0;
    for (uint32_t i = 0; i < g.n_blocks; i++)
        unreachable += !g.blocks[i].reachable && g.blocks[i].n_stmts;
    assert_int_equal(unreachable, 1); /* r = 9 */
    assert_false(block_at(u, &g, "r = 9")->reachable);
    assert_int_equal(block_at(u, &g, "if (a == 3)")->n_succ, 2);
    assert_int_equal(block_at(u, &g, "break")->n_succ, 1);
    assert_int_equal(block_at(u, &g, "switch")->n_succ, 2);
    const CBlock *last = block_at(u, &g, "return r");
    assert_true(last->n_succ == 1 && last->succ[0] == 1);
    assert_int_equal(g.blocks[1].n_succ, 0);
    arena_release(&arena);
}

static void refuses(const char *text, const char *message) {
    Arena arena = { 0 };
    Error err = { 0 };
    CfrontOptions opts = { .name = "bad.c" };
    assert_null(cfront_parse(&arena, str_from(text), &opts, &err));
    assert_int_equal(err.status, STATUS_BAD);
    if (str_find(str_from(err.text), str_from(message), 0) == STR_NONE)
        fprintf(stderr, "# %s\n", err.text);
    assert_true(str_find(str_from(err.text), str_from(message), 0) != STR_NONE);
    arena_release(&arena);
}

static char *repeat(const char *head, const char *part, int n, const char *tail) {
    Buf out = { 0 };
    buf_text(&out, head);
    for (int i = 0; i < n; i++) buf_text(&out, part);
    buf_text(&out, tail);
    return out.at;
}

static void refusals(void **state) {
    (void)state;
    refuses("int f(void) { return x; }", "bad.c:1:22: use of undeclared identifier 'x'");
    refuses("int f(void) {", "bad.c:1:14: expected '}'");
    refuses("#include \"nowhere.h\"\n", "bad.c:1:10: 'nowhere.h' file not found");
    refuses("\1\2\377", "bad.c:1:");
    static const struct Deep {
        const char *head, *part, *tail;
        int n;
    } deep[] = {
        { "int f(int x) { return ", "- ", "x; }", 100000 },
        { "int f(int x) { return ", "x + ", "x; }", 100000 },
        { "int f(int x) { return ", "(", "x;", 100000 },
        { "void f(int x) { ", "if (x) ; else ", "; }", 100000 },
        { "void f(int x) { ", "while (x) ", "; }", 100000 },
        { "", "struct { ", "int x; ", 100000 },
        { "int *", "*", "p;", 100000 },
        { "int a", "[1]", ";", 100000 },
        { "void f(void) { ", "for (;;) ", "; }", 400000 },
        { "int f(int x) { return ", "1, ", "x; }", 1000000 },
        { "int f(int x) { return (", "x, ", "x); }", 1000000 },
        { "int f(int x) { if (x) { ", "x, ", "x; } }", 1000000 },
    };
    for (size_t i = 0; i < COUNT_OF(deep); i++) {
        char *text = repeat(deep[i].head, deep[i].part, deep[i].n, deep[i].tail);
        refuses(text, "nested too deeply");
        mem_free(text);
    }
}

/* T0 to Tn, each three times as large as the one before. */
static void add_growing(Buf *text, int n) {
    buf_text(text, "struct s { struct s *(*next)(struct s *, struct s **); };\n"
                   "typedef int (*T0)(struct s, int);\n");
    for (int i = 1; i <= n; i++)
        buf_fmt(text, "typedef T%d (*T%d)(T%d, T%d);\n", i - 1, i, i - 1, i - 1);
}

/* They are refused before they are spelled. */
static void large_types(void **state) {
    (void)state;
    Arena arena = { 0 };
    Buf text = { 0 };
    add_growing(&text, 30);
    refuses(text.at, "a type is too large");
    buf_clear(&text);
    add_growing(&text, 8);
    parse(&arena, text.at);
    buf_text(&text, "typedef T8 *P0;\n");
    for (int i = 1; i <= 2000; i++) buf_fmt(&text, "typedef P%d *P%d;\n", i - 1, i);
    refuses(text.at, "a type is too large");
    buf_release(&text);
    arena_release(&arena);
}

/* Long, but not deep. */
static void long_lists(void **state) {
    (void)state;
    static const struct Flat {
        const char *head, *part, *tail;
        int n;
    } flat[] = {
        { "int a[] = { ", "1, ", "2 };", 60000 },
        { "int a[][2] = { ", "{ 1, 2 }, ", "{ 3, 4 } };", 30000 },
        { "int *p = (int[]){ ", "1, ", "2 };", 60000 },
        { "enum e { ", "/* */", "A, B };", 10 },
        { "int g(); int f(void) { return g(", "1, ", "2); }", 8000 },
        { "int f(int x) { ", "for (;;) x++; ", "return x; }", 9000 },
        { "int f(int x) { ", "x++, x++; ", "return x; }", 9000 },
        { "int f(int x) { ", "x = ({ int y = 1, z = 2; y; z; }); ", "return x; }", 2000 },
    };
    for (size_t i = 0; i < COUNT_OF(flat); i++) {
        Arena arena = { 0 };
        char *text = repeat(flat[i].head, flat[i].part, flat[i].n, flat[i].tail);
        parse(&arena, text);
        mem_free(text);
        arena_release(&arena);
    }
}

/* What the oracle marks, also where it is requested again and again. */
static void oracles(void **state) {
    (void)state;
    Arena arena = { 0 };
    CUnit *u =
        parse(&arena, "int printf(const char *, ...); int p(int);\n"
                      "void f(int a, int b) { if (p(1)) while (p(2)) { int c = p(3), d =\n"
                      "  (printf(\"x\"), printf(\"y\"), p(4)); p(5); }\n"
                      "  if (p(6)) do { if (p(8)) printf(\"z\"); } while (printf(\"w\")); }");
    assert_true(find_expr(u, "p(4)")->flags & find_expr(u, "p(2)")->flags & CF_ORACLE);
    assert_false((find_expr(u, "p(3)")->flags | find_expr(u, "p(5)")->flags) & CF_ORACLE);
    assert_true(find_expr(u, "p(1)")->flags & CF_ORACLE_OUTER);
    assert_false(find_expr(u, "p(1)")->flags & CF_ORACLE);
    assert_true(find_expr(u, "p(6)")->flags & find_expr(u, "p(8)")->flags & CF_ORACLE);
    assert_true(find_expr(u, "p(6)")->flags & CF_ORACLE_OUTER);
    char *many = repeat("int printf(const char *, ...); void f(void) { ", "printf(\"a\"), ", 3000,
                        "printf(\"b\"); }");
    clock_t begin = clock();
    u = parse(&arena, many);
    assert_true((find_expr(u, "\"a\"")->flags & CF_ORACLE) &&
                (double)(clock() - begin) / CLOCKS_PER_SEC < 10);
    mem_free(many);
    arena_release(&arena);
}

/* Bytes that clang skips between tokens. */
static void odd_blanks(void **state) {
    (void)state;
    static const char text[] = "int f(int y)\f{\v return y\0\0 >= 0 \\\n ; }\r\n";
    Arena arena = { 0 };
    Error err = { 0 };
    Buf why = { 0 };
    CUnit *u = cfront_parse(&arena, (Str){ text, sizeof text - 1 }, NULL, &err);
    assert_non_null(u);
    if (!check_unit(u, &why)) fail_msg("%s", why.at);
    buf_release(&why);
    arena_release(&arena);
}

TEST_MAIN(cmocka_unit_test(golden_dump), cmocka_unit_test(definite_assignment),
          cmocka_unit_test(names_and_places), cmocka_unit_test(hidden_names),
          cmocka_unit_test(types), cmocka_unit_test(enumerators), cmocka_unit_test(attributes),
          cmocka_unit_test(evaluated_operands), cmocka_unit_test(compound_literals),
          cmocka_unit_test(written_elsewhere), cmocka_unit_test(record_cycles),
          cmocka_unit_test(arrays_decay), cmocka_unit_test(array_parameters),
          cmocka_unit_test(edits), cmocka_unit_test(statement_edits), cmocka_unit_test(blocks),
          cmocka_unit_test(refusals), cmocka_unit_test(long_lists), cmocka_unit_test(oracles),
          cmocka_unit_test(large_types), cmocka_unit_test(odd_blanks))
