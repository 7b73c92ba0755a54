/* Trees: every token round-trips, the grammar's facts agree with the parser, differences patch. */
#include "base/file.h"
#include "test.h"
#include "tree/chunks.h"
#include "tree_check.h"
#include <malloc.h>
#include <tree_sitter/api.h>

static const struct Sample {
    const char *lang, *text;
} samples[] = {
    { "c",
      "#include <stdio.h>\n#define N 3\nstatic int a[N], *p = a;\nstruct s { int x : 3, y; } t = { "
      "1, 2 };\n"
      "int f(int a, char *b) {\n  for (int i = 0; i < N; i++) { if (a) a++; else { a -= 2; } }\n"
      "  switch (a) { case 1: break; default: return *b; }\n  return a ? (int)sizeof b : a[b];\n}\n"
      "int main(void) { printf(\"%d\\n\", f(1, 0)); return 0; }\n" },
    { "cpp", "namespace n { template <typename T, int N = 3> class A : public B { T x[N]; public: "
             "A() : x{} {} "
             "virtual ~A() = default; auto f() const -> int { return [&](auto y) { return y + 1; "
             "}(2); } }; }\n" },
    { "cpp",
      "namespace std __attribute__ ((__visibility__ (\"default\")))\n{\n  template <class T> "
      "struct A { T x; };\n  inline namespace v __attribute__((__abi_tag__ (\"v\"))) { int "
      "f(A<int> "
      "a) { return a.x; } }\n}\nint main() { return std::f({1}); }\n" },
    { "rust",
      "use std::fmt;\n#[derive(Debug, Clone)]\nstruct P<'a, T: fmt::Debug> { x: &'a T, y: i32 }\n"
      "impl<'a, T: fmt::Debug> P<'a, T> { fn m(&self, k: u8) -> Option<i32> { match k { 0 | 1 => "
      "None, "
      "_ if k > 3 => Some(self.y), _ => { let v = vec![1, 2, 3]; Some(v[0]) } } } }\n"
      "fn main() { let s = r#\"raw\"#; println!(\"{} {}\", s, 'c'); }\n" },
    { "javascript", "import { a as b } from 'm';\nclass X extends Y { #p = 1; static async *g(z = "
                    "{}, ...r) { yield* r; } }\n"
                    "const f = (x) => x ? `t${x}` : /re/g.test(x);\nfor (const [k, v] of "
                    "Object.entries({})) { f(k, v) }\n"
                    "label: while (1) { try { break label } catch { } finally { } }\n" },
    { "go", "package main\nimport (\n\t\"fmt\"\n\tm \"math\"\n)\ntype T struct { a, b int; c "
            "map[string][]byte }\n"
            "func (t *T) f(x int, ys ...string) (n int, err error) {\n\tgo func() { defer "
            "close(nil) }()\n"
            "\tswitch y := x; { case y > 1: n++\n\tdefault: n-- }\n\tfor i := range ys { "
            "fmt.Println(i, m.Pi) }\n\treturn\n}\n" },
    { "json",
      "{ \"a\": [1, -2.5e3, true, null, {}], \"b\": { \"c\": \"\\n\", \"d\": [[], [0], [0, 1]] },"
      " \"e\": [{ \"f\": 1 }, { \"f\": 2, \"g\": [3, 4, 5] }, { \"f\": {} }] }\n" },
    { "llvm", "%s = type { i32, ptr }\n@g = internal global [2 x i32] zeroinitializer, align 4\n"
              "declare i32 @h(ptr, ...)\ndefine dso_local i32 @f(i32 noundef %a) #0 {\nx:\n"
              "  %b = getelementptr inbounds [2 x i32], ptr @g, i64 0, i64 1\n"
              "  %c = load i32, ptr %b, align 4, !tbaa !0\n  br i1 true, label %y, label %z\ny:\n"
              "  %d = call i32 (ptr, ...) @h(ptr null, i32 %c)\n  br label %z\nz:\n"
              "  %e = phi i32 [ 0, %x ], [ %d, %y ]\n  ret i32 %e\n}\n"
              "attributes #0 = { nounwind }\n!0 = !{}\n" },
    { "python", "import os, sys as s\nclass A(B, metaclass=C):\n    x: int = 1\n    @d\n    def "
                "f(self, a, *b, c=1, **k) -> int:\n"
                "        if a and not b:\n            return [i for i in range(3) if i]\n        "
                "elif c: pass\n        else:\n"
                "            with open(f'{a!r}') as h, g: yield from h\n        try:\n            "
                "x = lambda y: y\n"
                "        except (E, F) as e:\n            raise\n        return {**k}\n" },
};

static Lang *lang_of(const char *name) {
    Error err = { 0 };
    Lang *lang = lang_builtin(name, &err);
    assert_non_null(lang);
    return lang;
}

static void check_shape(const Tree *t) {
    Buf why = { 0 };
    if (!tree_check(t, &why)) fail_msg("%s", why.at);
    buf_release(&why);
}

static void samples_round_trip(void **state) {
    (void)state;
    for (size_t s = 0; s < COUNT_OF(samples); s++) {
        Tree t;
        tree_parse(lang_of(samples[s].lang), str_from(samples[s].text), &t);
        if (t.errors) tree_dump(&t, stderr);
        assert_int_equal(t.errors, 0);
        check_shape(&t);
        tree_release(&t);
    }
}

/* C++'s grammar knows no attributes of namespaces: with them all that is inside would be an error.
 */
static void attributes_of_namespaces_hide_nothing(void **state) {
    (void)state;
    static const char *const texts[] = {
        "namespace std __attribute__ ((__visibility__ (\"default\"))) { int a; }\n",
        "inline namespace v __attribute__((__abi_tag__ (\")\"))) { int a; } int b;\n",
        "namespace __attribute__((unused)) { int a; }\n",
        "extern \"C++\" { namespace n __attribute__((a((b), c))) { int a; } }\n",
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        Tree t;
        size_t words = 0;
        tree_parse(lang_of("cpp"), str_from(texts[i]), &t);
        check_shape(&t);
        assert_int_equal(t.errors, 0);
        for (size_t k = 0; k < t.tokens.len; k++)
            words += str_is(tree_token_text(&t, k), "__attribute__");
        assert_int_equal(words, 1); /* it is still there */
        tree_release(&t);
    }
}

/* The row of children that the grammar is asked about: extras left out. */
static size_t row_of(const Tree *t, uint32_t node, uint16_t *row, size_t most) {
    size_t n = 0;
    for (uint32_t c = tree_first_child(t, node); c && n < most; c = tree_next_child(t, node, c))
        if (!(t->nodes.at[c].flags & NODE_EXTRA)) row[n++] = t->nodes.at[c].kind;
    return n;
}

/* What the parser built, the grammar must allow: nearly everywhere (hidden tokens aside). */
static void grammar_allows_what_is_there(void **state) {
    (void)state;
    for (size_t s = 0; s < COUNT_OF(samples); s++) {
        Tree t;
        Lang *lang = lang_of(samples[s].lang);
        tree_parse(lang, str_from(samples[s].text), &t);
        size_t yes = 0, no = 0;
        for (uint32_t i = 0; i < t.nodes.len; i++) {
            uint16_t row[256];
            if (t.nodes.at[i].size == 1) continue;
            size_t n = row_of(&t, i, row, 256);
            LangAnswer answer = lang_allows(lang, t.nodes.at[i].kind, row, n);
            yes += answer == LANG_YES;
            no += answer == LANG_NO;
            if (answer == LANG_NO)
                print_message("# %s: %s\n", samples[s].lang,
                              lang_kind_name(lang, t.nodes.at[i].kind));
        }
        assert_true(yes > 20);
        assert_int_equal(no, 0);
        tree_release(&t);
    }
}

static bool allows(const char *kind, const char *const *row, size_t n) {
    Lang *lang = lang_of("c");
    uint16_t kinds[16];
    for (size_t i = 0; i < n; i++) {
        unsigned named = lang_kind(lang, row[i], true);
        kinds[i] = (uint16_t)(named ? named : lang_kind(lang, row[i], false));
        assert_int_not_equal(kinds[i], 0);
    }
    return lang_allows(lang, lang_kind(lang, kind, true), kinds, n) == LANG_YES;
}

static void grammar_knows_optional_and_lists(void **state) {
    (void)state;
#define ALLOWS(kind, ...)                                                                          \
    allows(kind, (const char *const[]){ __VA_ARGS__ },                                             \
           COUNT_OF(((const char *const[]){ __VA_ARGS__ })))
    assert_true(ALLOWS("argument_list", "(", ")"));
    assert_true(ALLOWS("argument_list", "(", "identifier", ",", "call_expression", ")"));
    assert_false(ALLOWS("argument_list", "(", "identifier", ",", ")"));
    assert_false(ALLOWS("argument_list", "(", "identifier", "identifier", ")"));
    assert_true(ALLOWS("if_statement", "if", "parenthesized_expression", "compound_statement"));
    assert_true(ALLOWS("if_statement", "if", "parenthesized_expression", "compound_statement",
                       "else_clause"));
    assert_false(ALLOWS("if_statement", "if", "compound_statement"));
    assert_true(ALLOWS("for_statement", "for", "(", ";", ";", ")", "break_statement"));
    assert_true(ALLOWS("return_statement", "return", ";"));
    assert_false(ALLOWS("binary_expression", "identifier", "+"));
}

static void differences_patch(void **state) {
    (void)state;
    Rng rng = rng_new(5);
    for (int round = 0; round < 600; round++) {
        const struct Sample *s = &samples[rng_below(&rng, COUNT_OF(samples))];
        Lang *lang = lang_of(s->lang);
        Tree base, a, b;
        tree_parse(lang, str_from(s->text), &base);
        Buf ta = { 0 }, tb = { 0 };
        tree_mutate(&base, &rng, &ta);
        tree_mutate(&base, &rng, &tb);
        tree_parse(lang, buf_view(&ta), &a);
        tree_parse(lang, buf_view(&tb), &b);
        check_shape(&a);
        Buf why = { 0 };
        if (!tree_check_pair(&a, &b, &why))
            fail_msg("%s\n<<" STR_FMT ">>\n<<" STR_FMT ">>", why.at, STR_ARG(a.text),
                     STR_ARG(b.text));
        buf_release(&why);
        tree_release(&base), tree_release(&a), tree_release(&b);
        buf_release(&ta), buf_release(&tb);
    }
}

/* An insertion of one statement is found as one insertion, whatever else looks similar. */
static void gumtree_finds_the_insertion(void **state) {
    (void)state;
    Str sa = STR("int f(int a) { if (a) { g(1); h(2); } return a; }\nint k(int a) { if (a) { g(1); "
                 "} return a; }\n");
    Str sb = STR("int f(int a) { while (a) { if (a) { g(1); h(2); } a--; } return a; }\nint k(int "
                 "a) { if (a) { g(1); } return a; }\n");
    Tree a, b;
    tree_parse(lang_of("c"), sa, &a);
    tree_parse(lang_of("c"), sb, &b);
    DiffHunks hunks = { 0 };
    tree_diff(&a, &b, &hunks);
    assert_true(diff_size(&hunks) <= 11);
    size_t gone = 0;
    for (size_t h = 0; h < hunks.len; h++) gone += hunks.at[h].a_len;
    assert_true(gone <= 1);
    vec_release(&hunks);
    tree_release(&a), tree_release(&b);
}

static void same_trees(const Tree *a, const Tree *b) {
    assert_int_equal(a->errors, b->errors);
    assert_int_equal(a->nodes.len, b->nodes.len);
    assert_int_equal(a->tokens.len, b->tokens.len);
    for (size_t i = 0; i < a->nodes.len; i++) {
        const TreeNode *x = &a->nodes.at[i], *y = &b->nodes.at[i];
        assert_true(x->kind == y->kind && x->start == y->start && x->end == y->end);
        assert_int_equal(x->parent, y->parent);
    }
}

/* Parsing what an edit changes gives the tree that parsing it whole gives, where that is without
 * errors: how a parser recovers from an error may depend on where it comes from. */
static void incremental_equals_whole(void **state) {
    (void)state;
    Rng rng = rng_new(6);
    for (int round = 0; round < 400; round++) {
        const struct Sample *s = &samples[rng_below(&rng, COUNT_OF(samples))];
        Lang *lang = lang_of(s->lang);
        Parser *p = parser_new(lang);
        assert_true(parser_set(p, str_from(s->text)));
        for (int step = 0; step < 4; step++) {
            Str old = parser_text(p);
            if (old.len < 10) break;
            uint32_t x = (uint32_t)rng_below(&rng, old.len - 5),
                     y = x + (uint32_t)rng_below(&rng, 5);
            uint32_t z = y + (uint32_t)rng_below(&rng, old.len - y),
                     w = z + (uint32_t)rng_below(&rng, old.len - z + 1);
            TreeEdit edits[2] = { { x, y, 1 }, { z, w, 0 } };
            Buf next = { 0 };
            buf_str(&next, str_sub(old, 0, x));
            buf_char(&next, ' ');
            buf_str(&next, str_sub(old, y, z));
            buf_str(&next, str_sub(old, w, old.len));
            Tree whole, kept;
            tree_parse(lang, buf_view(&next), &whole);
            parser_accept(p, buf_view(&next), edits, 2);
            parser_tree(p, &kept);
            check_shape(&kept);
            if (whole.errors == 0) same_trees(&kept, &whole);
            assert_int_equal(parser_own_errors(p), kept.errors);
            tree_release(&whole), tree_release(&kept);
            buf_release(&next);
        }
        parser_free(p);
    }
}

static void fill(Buf *b, const char *piece, size_t times) {
    for (size_t i = 0; i < times; i++) buf_text(b, piece);
}

/* Bytes that tree-sitter holds, and the most it held. */
static size_t held, most_held;

static void *count_block(void *at) {
    held += at ? malloc_usable_size(at) : 0;
    if (held > most_held) most_held = held;
    return at;
}

static void *counting_malloc(size_t n) {
    return count_block(malloc(n));
}

static void *counting_calloc(size_t n, size_t each) {
    return count_block(calloc(n, each));
}

static void counting_free(void *at) {
    held -= at ? malloc_usable_size(at) : 0;
    free(at);
}

static void *counting_realloc(void *at, size_t n) {
    held -= at ? malloc_usable_size(at) : 0;
    return count_block(realloc(at, n));
}

/* Of each `of` statements `gone` go: asking about that, and taking it, needs less room than a
 * copy of the tree beside what is made of it, and gives the tree that parsing it whole gives. */
static void check_many_edits(size_t of, size_t gone) {
    enum { STATEMENTS = 20000, EACH = 11 };
    Buf before = { 0 }, after = { 0 };
    VEC(TreeEdit) edits = { 0 };
    buf_text(&before, "void f() {\n"), buf_text(&after, "void f() {\n");
    for (size_t i = 0; i < STATEMENTS; i++) {
        uint32_t at = (uint32_t)before.len;
        buf_text(&before, "x = y + z;\n");
        if (i % of >= gone)
            buf_text(&after, "x = y + z;\n");
        else if (i % of == 0)
            vec_push(&edits, ((TreeEdit){ at, at + EACH, 0 }));
        else
            vec_last(&edits).end = at + EACH;
    }
    buf_text(&before, "}\n"), buf_text(&after, "}\n");
    Parser *p = parser_new(lang_of("c"));
    size_t empty = held;
    assert_true(parser_set(p, buf_view(&before)));
    size_t tree = held - empty;
    most_held = held;
    assert_int_equal(parser_errors(p, buf_view(&after), edits.at, edits.len, 10), 0);
    assert_true(most_held - empty < tree + tree * 4 / 5);
    parser_accept(p, buf_view(&after), edits.at, edits.len);
    assert_true(most_held - empty < tree + tree * 4 / 5);
    Tree one, whole;
    parser_tree(p, &one);
    tree_parse(lang_of("c"), buf_view(&after), &whole);
    same_trees(&one, &whole);
    tree_release(&one), tree_release(&whole);
    parser_free(p);
    buf_release(&before), buf_release(&after), vec_release(&edits);
}

static void many_edits_need_little_room(void **state) {
    (void)state;
    ts_set_allocator(counting_malloc, counting_calloc, counting_realloc, counting_free);
    check_many_edits(100, 75); /* a quarter is left, after 200 edits */
    check_many_edits(4, 1);    /* three quarters are, after 5,000 */
    ts_set_allocator(NULL, NULL, NULL, NULL);
}

static void hostile_text_is_survived(void **state) {
    (void)state;
    for (int kind = 0; kind < 6; kind++) {
        Buf text = { 0 };
        buf_text(&text, "int a = ");
        if (kind == 0) fill(&text, "(", 100000), buf_char(&text, '1'), fill(&text, ")", 100000);
        if (kind == 1) fill(&text, "(", 100000);
        if (kind == 2) fill(&text, "{", 100000);
        if (kind == 3)
            for (int i = 0; i < 20000; i++) buf_char(&text, (char)(i * 7919 >> 3));
        if (kind == 4) buf_add(&text, "1;\r\nint b;\0int c;\r\n", 19);
        if (kind == 5) fill(&text, "[", 70000), fill(&text, "]}", 70000);
        for (int lang = 0; lang < 2; lang++) {
            Tree t;
            tree_parse(lang ? lang_of("c") : NULL, buf_view(&text), &t);
            check_shape(&t);
            tree_release(&t);
        }
        buf_release(&text);
    }
}

/* What is too large for the grammar is read by its brackets: items at the top, blocks in them. */
static void huge_text_is_read_by_its_brackets(void **state) {
    (void)state;
    static const char item[] =
        "struct s { int a[2]; char *t; } variable[100000];\n"
        "int f(int x) { if (x) { g(\"}\", x + 1); } else h(); return '{'; }\n";
    Buf text = { 0 }, why = { 0 };
    fill(&text, item, 70000);
    Tree t;
    tree_parse(lang_of("c"), buf_view(&text), &t);
    assert_null(t.lang);
    if (!tree_check(&t, &why)) fail_msg(STR_FMT, STR_ARG(why));
    size_t items = 0, blocks = 0;
    for (uint32_t c = tree_first_child(&t, 0); c; c = tree_next_child(&t, 0, c)) items++;
    for (uint32_t n = 1; n < t.nodes.len; n++)
        blocks += t.nodes.at[n].size > 1 && t.text.at[t.nodes.at[n].start] == '{';
    assert_int_equal(items, 210000); /* the struct, its variable, the function */
    assert_int_equal(blocks, 210000);
    tree_release(&t);
    buf_release(&text);
}

static const char large_item[] =
    "template <class T> struct some_rather_long_name_%d : base_of_everything<T> {\n"
    "  T member_with_a_name_of_some_length(T a) { return a < 0 ? -a : helper(a); }\n};\n"
    "namespace inner_namespace { int f%d(int x) { if (x) { return '{'; } return x; } }\n";

/* Preprocessed C++ of some megabytes is parsed in chunks: the same tree as of the whole, which a
 * small part of it shows. */
static void large_text_is_parsed_in_chunks(void **state) {
    (void)state;
    Buf text = { 0 }, why = { 0 };
    for (int i = 0; text.len < 5u << 20; i++) buf_fmt(&text, large_item, i, i);
    Parser *p = parser_new(lang_of("cpp"));
    assert_false(parser_set(p, buf_view(&text)));
    assert_false(parser_by_grammar(p));
    Tree t, part;
    parser_tree(p, &t);
    if (!tree_check(&t, &why)) fail_msg(STR_FMT, STR_ARG(why));
    assert_non_null(t.lang);
    assert_int_equal(t.errors, 0);
    tree_parse(lang_of("cpp"), str_sub(t.text, 0, str_find(t.text, STR("name_500 "), 0) - 43),
               &part);
    assert_int_equal(part.errors, 0);
    for (size_t i = 1; i < part.nodes.len; i++) {
        const TreeNode *a = &t.nodes.at[i], *b = &part.nodes.at[i];
        assert_true(a->kind == b->kind && a->start == b->start && a->end == b->end &&
                    a->parent == b->parent && a->size == b->size && a->token == b->token &&
                    a->field == b->field);
    }
    tree_release(&part);
    tree_release(&t);
    parser_free(p);
    buf_release(&text);
}

/* Chunks end where no bracket is open, and no #if; together they are the text. */
static void chunks_end_between_items(void **state) {
    (void)state;
    Str text = STR("int a;\nstruct s { int b; } c;\n#if X\nint d;\n#endif\nint f() { g(\";\"); }\n"
                   "int h[] = { 1, 2 };\nint i");
    static const char *const ends[] = { "a;", "c;", "); }", "};", "i" };
    size_t at = 0;
    for (size_t i = 0; i < COUNT_OF(ends); i++) {
        Chunk chunk = chunk_next(text, at, 1);
        assert_int_equal(chunk.start, at);
        Str end = str_from(ends[i]);
        assert_true(str_eq(str_sub(text, chunk.end - end.len, chunk.end), end));
        at = chunk.end;
    }
    assert_int_equal(at, text.len);
}

/* A text without any structure, or with too much of it, costs time proportional to its length. */
static void huge_text_has_few_nodes(void **state) {
    (void)state;
    static const char *const pieces[] = { ";", "{", "}", "{;", "{}", "x;{y}", "(", "f(){}" };
    for (size_t i = 0; i < COUNT_OF(pieces); i++) {
        Buf text = { 0 }, why = { 0 };
        fill(&text, pieces[i], 3000000 / strlen(pieces[i]));
        Tree t;
        tree_parse(lang_of("c"), buf_view(&text), &t);
        assert_null(t.lang);
        if (!tree_check(&t, &why)) fail_msg(STR_FMT, STR_ARG(why));
        if (t.nodes.len > text.len / 4) fail_msg("%s: %zu nodes", pieces[i], t.nodes.len);
        tree_release(&t);
        buf_release(&text);
    }
}

/* The row of every inner node of the sample as the language's grammar sees it. */
static size_t answers(const Lang *lang, const Tree *t, LangAnswer wanted) {
    size_t n = 0;
    for (uint32_t i = 0; i < t->nodes.len; i++) {
        uint16_t row[256];
        if (t->nodes.at[i].size == 1) continue;
        size_t len = row_of(t, i, row, 256);
        n += lang_allows(lang, t->nodes.at[i].kind, row, len) == wanted;
    }
    return n;
}

/* A grammar from a shared object is the language that is built in from the same sources: the same
 * tree, and with its grammar.json beside it the same facts. */
static void grammar_from_a_shared_object(void **state) {
    (void)state;
    Error err = { 0 };
    Str text = str_from(samples[COUNT_OF(samples) - 1].text);
    Lang *own = lang_of("python"), *bare = lang_load(GRAMMAR_BARE, &err),
         *known = lang_load(GRAMMAR_FACTS, &err);
    if (!bare || !known) fail_msg("%s", err.text);
    assert_string_equal(lang_name(known), "python");
    Tree a, b;
    tree_parse(own, text, &a);
    tree_parse(known, text, &b);
    check_shape(&b);
    assert_int_equal(b.errors, 0);
    assert_int_equal(a.nodes.len, b.nodes.len);
    for (size_t i = 0; i < a.nodes.len; i++) {
        assert_string_equal(lang_kind_name(own, a.nodes.at[i].kind),
                            lang_kind_name(known, b.nodes.at[i].kind));
        assert_true(a.nodes.at[i].start == b.nodes.at[i].start &&
                    a.nodes.at[i].end == b.nodes.at[i].end);
    }
    assert_true(answers(known, &b, LANG_YES) > 20);
    assert_int_equal(answers(known, &b, LANG_YES), answers(own, &a, LANG_YES));
    assert_int_equal(answers(bare, &b, LANG_YES), 0);
    assert_int_equal(answers(bare, &b, LANG_NO), 0);
    tree_release(&a), tree_release(&b);
}

static void foreign_objects_are_refused(void **state) {
    (void)state;
    Error err = { 0 };
    assert_null(lang_load("/nowhere/python.so", &err));
    assert_int_equal(err.status, STATUS_BAD);
    assert_non_null(strstr(err.text, "/nowhere/python.so"));
    err = (Error){ 0 };
    assert_null(lang_load(GRAMMAR_OTHER, &err)); /* a shared object of another name */
    assert_non_null(strstr(err.text, "tree_sitter_other"));
}

static void no_language_has_such_a_name(void **state) {
    (void)state;
    static const char *const names[] = { "", " ", " C", "c++ cxx" };
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        Error err = { 0 };
        assert_null(lang_builtin(names[i], &err));
        assert_int_equal(err.status, STATUS_BAD);
    }
}

static void check_layout(const char *file, const char *text, const char *want) {
    Tree tree;
    Buf out = { 0 };
    tree_parse(lang_for_file(file), str_from(text), &tree);
    pretty_text(&tree, &out);
    assert_string_equal(out.at, want);
    buf_release(&out);
    tree_release(&tree);
}

static void programs_are_laid_out(void **state) {
    (void)state;
    check_layout("a.c",
                 "#include <stdio.h>\n\n\n   #define MAX(a, b) \\\n  ((a) > (b))\n"
                 "    struct s { int a;\n int b; } v = { 1,\n 2 }, w;\n  enum { A,\n B };\n"
                 "int f(int x)\n {\n\n if (x) { return 1; }\n else return 2; }\n"
                 "int main(void) { do { v.a--; } while (v.a > 0);\n"
                 "  for (int i = 0; i < 3;\n i++) { w.b += i; } { } return 0; }",
                 "#include <stdio.h>\n#define MAX(a, b) \\\n  ((a) > (b))\n"
                 "struct s {\n    int a;\n    int b;\n} v = { 1, 2 }, w;\nenum { A, B };\n"
                 "int f(int x) {\n    if (x) {\n        return 1;\n    } else return 2;\n}\n"
                 "int main(void) {\n    do {\n        v.a--;\n    } while (v.a > 0);\n"
                 "    for (int i = 0; i < 3; i++) {\n        w.b += i;\n    }\n"
                 "    { }\n    return 0;\n}\n");
    check_layout("b.c", "int f(void) { return '{'; } int g(void) { return '}' + ';'; }",
                 "int f(void) {\n    return '{';\n}\nint g(void) {\n    return '}' + ';';\n}\n");
    check_layout("a.py", "    if x:\n\n        y()\n    z()\n", "if x:\n    y()\nz()\n");
}

TEST_MAIN(cmocka_unit_test(samples_round_trip),
          cmocka_unit_test(attributes_of_namespaces_hide_nothing),
          cmocka_unit_test(grammar_allows_what_is_there),
          cmocka_unit_test(grammar_knows_optional_and_lists), cmocka_unit_test(differences_patch),
          cmocka_unit_test(gumtree_finds_the_insertion), cmocka_unit_test(incremental_equals_whole),
          cmocka_unit_test(hostile_text_is_survived), cmocka_unit_test(many_edits_need_little_room),
          cmocka_unit_test(huge_text_is_read_by_its_brackets),
          cmocka_unit_test(large_text_is_parsed_in_chunks),
          cmocka_unit_test(chunks_end_between_items), cmocka_unit_test(huge_text_has_few_nodes),
          cmocka_unit_test(grammar_from_a_shared_object),
          cmocka_unit_test(foreign_objects_are_refused),
          cmocka_unit_test(no_language_has_such_a_name), cmocka_unit_test(programs_are_laid_out))
