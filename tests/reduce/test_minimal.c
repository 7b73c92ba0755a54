/* Pairs in six languages: the same result for one job and for eight, and 1-minimal. Everything that
 * could still go is tried here, by other code than reduce's own: single tokens, every run of up to
 * three neighbouring children that the grammar lets a node do without (list elements with their
 * separators, optional parts), each from both sides together where both have it, and every single
 * edit of the difference. */
#include "fixture.h"
#include "shrink/diff.h"
#include "tree/gumtree.h"
#include "tree/render.h"
#include "tree/tree.h"

static const struct Pair {
    const char *lang, *ending;
    const char *seed, *variant;
    const char *bad;  /* the variant without newlines must match */
    const char *good; /* the seed must match this, and not `bad` */
} pairs[] = {
    { "c", "c",
      "struct s { int a, b; };\nint g, h;\nint f(int a, int b) {\n  int x = a * 3;\n  if (a > b) "
      "{\n"
      "    x += b;\n  }\n  g = x;\n  return x;\n}\nint k(void) {\n  int i;\n  for (i = 0; i < 9; "
      "i++)\n"
      "    h += f(i, 3);\n  return h;\n}\n",
      "struct s { int a, b; };\nint g, h;\nint f(int a, int b) {\n  int x = a * 3;\n  while (a > "
      "9) {\n"
      "    a--;\n    if (b) break;\n  }\n  if (a > b) {\n    x += b;\n    trigger(x, b + 4);\n  }\n"
      "  g = x;\n  return x;\n}\nint k(void) {\n  int i;\n  for (i = 0; i < 9; i++)\n    h += f(i, "
      "3);\n"
      "  h++;\n  return h;\n}\n",
      "int .*(.*if.*trigger(.*,", "int .*(.*if" },
    { "cpp", "cc",
      "namespace n {\ntemplate <typename T> struct A {\n  T x;\n  A(T y) : x(y) { use(y, 3); }\n  "
      "int "
      "g() const { return 1; }\n};\n}\nint main() { n::A<int> a(1); return a.g(); }\n",
      "namespace n {\ntemplate <typename T> struct A {\n  T x;\n  A(T y) : x(y) { use(y, 3); for "
      "(int i "
      "= 0; i < 2; i++) spin(i, y); }\n  int g() const { return 1; }\n};\n}\nint main() { "
      "n::A<int> "
      "a(1); try { a.g(); } catch (...) { } return a.g(); }\n",
      "struct.*for.*spin(.*,", "struct.*(" },
    { "rust", "rs",
      "struct P { x: i32, y: i32 }\nimpl P {\n    fn m(&self, k: u8) -> i32 {\n        match k {\n "
      "     "
      "      0 => self.x,\n            1 | 2 => self.y,\n            _ => 7,\n        }\n    }\n}\n"
      "fn main() { let p = P { x: 1, y: 2 }; p.m(3); }\n",
      "struct P { x: i32, y: i32 }\nimpl P {\n    fn m(&self, k: u8) -> i32 {\n        let z = [k, "
      "2, "
      "3];\n        match k {\n            0 => self.x,\n            1 | 2 => { odd(z[0], k); "
      "self.y }\n"
      "            _ => 7,\n        }\n    }\n}\nfn main() { let p = P { x: 1, y: 2 }; if true { "
      "p.m(4); "
      "} p.m(3); }\n",
      "match.*odd(.*,", "match" },
    { "javascript", "js",
      "class X extends Y {\n  constructor(z) { super(z); this.q = [1, 2, ...z]; }\n  g(u) { for "
      "(const v "
      "of u) { if (v > 1) { this.q.push(v); } } return u; }\n}\nconst f = (x) => x ? new X(x) : "
      "null;\n"
      "f([1]);\n",
      "class X extends Y {\n  constructor(z) { super(z); this.q = [1, 2, ...z]; }\n  g(u) { for "
      "(const v "
      "of u) { if (v > 1) { this.q.push(v); odd(v, [1, u]); } else { break; } } return u; "
      "}\n}\nconst f "
      "= (x) => x ? new X(x) : null;\nf([1], { a: 2 });\n",
      "class.*for.*odd(.*,", "class.*for" },
    { "go", "go",
      "package main\n\ntype T struct{ a, b int }\n\nfunc (t *T) f(x int) (n int, err error) "
      "{\n\tfor i "
      ":= 0; i < x; i++ {\n\t\tif i > t.a {\n\t\t\treturn 1, nil\n\t\t}\n\t}\n\treturn 0, "
      "nil\n}\n\nfunc "
      "main() {\n\tt := &T{1, 2}\n\tt.f(3)\n}\n",
      "package main\n\ntype T struct{ a, b int }\n\nfunc (t *T) f(x int) (n int, err error) "
      "{\n\tvar z = "
      "[]int{x, 2}\n\tfor i := 0; i < x; i++ {\n\t\tif i > t.a {\n\t\t\todd(i, z)\n\t\t\treturn 1, "
      "nil\n"
      "\t\t}\n\t}\n\treturn 0, nil\n}\n\nfunc main() {\n\tt := &T{1, 2}\n\tt.f(3)\n}\n",
      "func.*for.*odd(.*,", "func.*for" },
    { "python", "py",
      "import os, sys\n\nclass A(B):\n    x = 1\n\n    def f(self, a, *b, c=2):\n        if a and "
      "b:\n   "
      "         for i in range(c):\n                print(i)\n        return None\n\nA().f(1, 2)\n",
      "import os, sys\n\nclass A(B):\n    x = 1\n\n    def f(self, a, *b, c=2):\n        if a and "
      "b:\n   "
      "         for i in range(c):\n                print(i)\n                odd(i, [self.x, "
      "2])\n       "
      " else:\n            return [j for j in b if j]\n        return None\n\nA().f(1, 2)\n",
      "def.*for.*odd(.*,", "def.*for" },
};

typedef struct Checked {
    const char *dir;
    const char *name[2]; /* seed and variant */
    const char *script[2];
    Lang *lang;
    Tree tree[2];
    uint32_t *partner[2]; /* token -> token of the other side, or UINT32_MAX */
    uint8_t *keep[2];
    size_t tried, refused;
} Checked;

enum { SEED_SIDE, VARIANT_SIDE };

static bool still(const Checked *c, int side, Str text) {
    const char *place = fixture_dir();
    fixture_file(place, c->name[side], text, false);
    const char *argv[] = { file_join(&fixture, c->dir, c->script[side]), NULL };
    RunSpec spec = { .argv = argv, .dir = place };
    RunResult r = run_one(&fixture, &spec);
    workdir_remove(place);
    return run_ok(&r);
}

/* The text of one side with what is kept; false: it has more errors than before. */
static bool rendered(const Checked *c, int side, Buf *out) {
    Tree t;
    render_kept(&c->tree[side], c->keep[side], out);
    tree_parse(c->lang, buf_view(out), &t);
    bool ok = t.errors <= c->tree[side].errors;
    tree_release(&t);
    return ok;
}

/* What is not kept could go: fails the test. */
static void check_kept(Checked *c, const char *what) {
    bool could = true;
    Buf text[2] = { { 0 }, { 0 } };
    for (int s = 0; s < 2 && could; s++) {
        could = rendered(c, s, &text[s]);
        c->refused += !could;
    }
    c->tried++;
    for (int s = 0; s < 2 && could; s++) {
        bool touched = !str_eq(buf_view(&text[s]), c->tree[s].text);
        could = !touched || still(c, s, buf_view(&text[s]));
    }
    if (could)
        fail_msg("%s: %s can go:\n%.*s\n----\n%.*s", c->name[VARIANT_SIDE], what, (int)text[0].len,
                 text[0].at, (int)text[1].len, text[1].at);
    for (int s = 0; s < 2; s++) {
        buf_release(&text[s]);
        memset(c->keep[s], 1, c->tree[s].tokens.len);
    }
}

/* Tokens [from, end) of a side go, with their partners. */
static void drop(Checked *c, int side, uint32_t from, uint32_t end) {
    for (uint32_t i = from; i < end; i++) {
        c->keep[side][i] = 0;
        if (c->partner[side][i] != UINT32_MAX) c->keep[!side][c->partner[side][i]] = 0;
    }
}

static void check_tokens(Checked *c) {
    for (int s = 0; s < 2; s++)
        for (uint32_t i = 0; i < c->tree[s].tokens.len; i++) {
            drop(c, s, i, i + 1);
            check_kept(c, "a token");
        }
}

/* Every run of neighbouring children without which the grammar still knows the node. */
static void check_children(Checked *c, int side, uint32_t node) {
    const Tree *t = &c->tree[side];
    uint32_t child[256];
    uint16_t kinds[256];
    size_t n = 0;
    for (uint32_t k = tree_first_child(t, node); k && n < 256; k = tree_next_child(t, node, k))
        child[n++] = k;
    for (size_t from = 0; from < n; from++)
        for (size_t end = from + 1; end <= n && end <= from + 3; end++) {
            size_t left = 0;
            for (size_t k = 0; k < n; k++)
                if ((k < from || k >= end) && !(t->nodes.at[child[k]].flags & NODE_EXTRA))
                    kinds[left++] = t->nodes.at[child[k]].kind;
            if (lang_allows(c->lang, t->nodes.at[node].kind, kinds, left) != LANG_YES) continue;
            uint32_t first = t->nodes.at[child[from]].token;
            uint32_t last = t->nodes.at[child[end - 1]].token_end;
            if (first == last) continue;
            drop(c, side, first, last);
            check_kept(c, "a list element or optional part");
        }
}

static void check_edits(Checked *c, const DiffHunks *hunks) {
    DiffHunks edits = { 0 };
    diff_split(hunks, &edits);
    uint8_t *use = mem_alloc(edits.len + 1);
    for (size_t e = 0; e < edits.len; e++) {
        Buf text = { 0 };
        Tree t;
        memset(use, 1, edits.len);
        use[e] = 0;
        render_patch(&c->tree[SEED_SIDE], &c->tree[VARIANT_SIDE], &edits, use, &text);
        tree_parse(c->lang, buf_view(&text), &t);
        if (t.errors <= c->tree[VARIANT_SIDE].errors && still(c, VARIANT_SIDE, buf_view(&text)))
            fail_msg("%s: an edit can be undone:\n%.*s", c->name[VARIANT_SIDE], (int)text.len,
                     text.at);
        tree_release(&t);
        buf_release(&text);
    }
    mem_free(use);
    vec_release(&edits);
}

static void align(Checked *c, const DiffHunks *hunks) {
    for (int s = 0; s < 2; s++) {
        size_t n = c->tree[s].tokens.len;
        c->keep[s] = mem_alloc(n + 1);
        memset(c->keep[s], 1, n);
        c->partner[s] = mem_alloc((n + 1) * sizeof(uint32_t));
        memset(c->partner[s], 0xff, n * sizeof(uint32_t));
    }
    uint32_t a = 0, b = 0;
    for (size_t h = 0; h <= hunks->len; h++) {
        size_t end = h < hunks->len ? hunks->at[h].a : c->tree[0].tokens.len;
        for (; a < end; a++, b++) c->partner[0][a] = b, c->partner[1][b] = a;
        if (h == hunks->len) break;
        a += (uint32_t)hunks->at[h].a_len, b += (uint32_t)hunks->at[h].b_len;
    }
}

static void check_minimal(Checked *c, const char *out) {
    Error err = { 0 };
    c->lang = lang_builtin(c->lang ? lang_name(c->lang) : "c", &err);
    DiffHunks hunks = { 0 };
    for (int s = 0; s < 2; s++) tree_parse(c->lang, fixture_read(out, c->name[s]), &c->tree[s]);
    tree_diff_tokens(&c->tree[0], &c->tree[1], &hunks);
    align(c, &hunks);
    for (int s = 0; s < 2; s++) assert_true(still(c, s, c->tree[s].text));
    check_tokens(c);
    for (int s = 0; s < 2; s++)
        for (uint32_t node = 0; node < c->tree[s].nodes.len; node++) check_children(c, s, node);
    check_edits(c, &hunks);
    assert_true(c->tried > 20 && c->refused < c->tried);
    vec_release(&hunks);
    for (int s = 0; s < 2; s++) {
        tree_release(&c->tree[s]);
        mem_free(c->keep[s]);
        mem_free(c->partner[s]);
    }
}

static void write_pair(Checked *c, const struct Pair *p) {
    c->dir = fixture_dir();
    c->name[0] = arena_fmt(&fixture, "seed.%s", p->ending);
    c->name[1] = arena_fmt(&fixture, "variant.%s", p->ending);
    c->script[0] = "good.sh", c->script[1] = "bad.sh";
    fixture_file(c->dir, c->name[0], str_from(p->seed), false);
    fixture_file(c->dir, c->name[1], str_from(p->variant), false);
    const char *bad =
        arena_fmt(&fixture, "#!/bin/sh\ntr -d '\\n' < %s | grep -q '%s'\n", c->name[1], p->bad);
    const char *good =
        arena_fmt(&fixture, "#!/bin/sh\ntr -d '\\n' < %s > x; grep -q '%s' x && ! grep -q '%s' x\n",
                  c->name[0], p->good, p->bad);
    fixture_file(c->dir, "bad.sh", str_from(bad), true);
    fixture_file(c->dir, "good.sh", str_from(good), true);
}

static void pair_in_language(void **state) {
    const struct Pair *p = *state;
    Checked c = { 0 };
    Error err = { 0 };
    write_pair(&c, p);
    const char *jobs[] = { "1", "8" };
    for (int k = 0; k < 2; k++) {
        RunResult r = REDUCE(c.dir, "--test", "bad.sh", "--passing", c.name[0], "--passing-test",
                             "good.sh", "-o", jobs[k], "-j", jobs[k], c.name[1]);
        fixture_ok(&r);
    }
    const char *out[] = { file_join(&fixture, c.dir, "1"), file_join(&fixture, c.dir, "8") };
    for (int s = 0; s < 2; s++)
        assert_true(str_eq(fixture_read(out[0], c.name[s]), fixture_read(out[1], c.name[s])));
    c.lang = lang_builtin(p->lang, &err);
    check_minimal(&c, out[0]);
    print_message("# %s: %zu removals tried, %zu of them refused by the parser\n", p->lang, c.tried,
                  c.refused);
    workdir_remove(c.dir);
}

/* A real crash of a compiler, one program: the same for one job and eight. */
static void program_with_jobs(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    Buf text = { 0 };
    for (int i = 0; i < 40; i++)
        buf_fmt(&text, "static int v%d = %d;\nint f%d(int p) { return v%d + p; }\n", i, i, i, i);
    buf_fmt(&text, "int main(void) {\n  int s = 0;\n");
    for (int i = 0; i < 40; i++) buf_fmt(&text, "  s += f%d(%d);\n", i, i);
    buf_fmt(&text, "  return s;\n}\n");
    fixture_file(dir, "a.c", buf_view(&text), false);
    fixture_file(
        dir, "t.sh",
        STR("#!/bin/sh\ngcc-12 -Werror -fsyntax-only a.c 2>/dev/null && grep -q 'v31' a.c && "
            "grep -q 's += f9' a.c\n"),
        true);
    const char *jobs[] = { "1", "8" };
    for (int k = 0; k < 2; k++) {
        RunResult r = REDUCE(dir, "--test", "t.sh", "-o", jobs[k], "-j", jobs[k], "a.c");
        fixture_ok(&r);
    }
    Str one = fixture_read(file_join(&fixture, dir, "1"), "a.c");
    assert_true(str_eq(one, fixture_read(file_join(&fixture, dir, "8"), "a.c")));
    assert_true(one.len < 120);
    buf_release(&text);
    workdir_remove(dir);
}

#define PAIR(i) { "pair_in_language_" #i, pair_in_language, NULL, NULL, (void *)&pairs[i] }

FIXTURE_MAIN(PAIR(0), PAIR(1), PAIR(2), PAIR(3), PAIR(4), PAIR(5),
             cmocka_unit_test(program_with_jobs))
