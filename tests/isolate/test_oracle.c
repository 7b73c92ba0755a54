/* A mutant that passes only because nothing is checked any more is refused: forty such, made by
 * hand, and as a control changes of what is computed, which are not refused. */
#include "test.h"

#include "isolate/witness_oracle.h"

static const char *const programs[] = {
    /* 0: checks in a function of its own, as test suites do */
    "extern void abort(void);\n"
    "int a[4] = { 1, 2, 3, 4 }, sum;\n"
    "static int add(int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }\n"
    "static void check(int got, int want) { if (got != want) abort(); }\n"
    "static void twice(void) { check(add(2), 3); check(add(4), 10); }\n"
    "int main(void) { sum = add(3); check(sum, 6); twice(); return 0; }\n",
    /* 1: prints at the end */
    "int printf(const char *, ...);\n"
    "static unsigned crc, x = 5;\n"
    "static void mix(unsigned v) { crc = crc * 31 + v; }\n"
    "static void show(void) { printf(\"%u\\n\", crc); }\n"
    "int main(void) { for (int i = 0; i < 3; i++) { mix(x); x += i; } mix(x << 2); show(); return "
    "0; }\n",
    /* 2: the exit status tells, and an early way out */
    "int g = 3, h;\n"
    "static int f(int v) { if (v > 2) return v - 1; h = v; return v + 1; }\n"
    "int main(void) { int r = f(g); if (r == 7) return 1; h += r; return h != 2; }\n",
    /* 3: through a pointer, a macro and a loop */
    "#define FAIL() __builtin_abort()\n"
    "static int seen; static void bad(int v) { if (v) FAIL(); }\n"
    "static void (*p)(int) = bad;\n"
    "static int step(int v) { seen++; return v * 2; }\n"
    "int main(void) { int v = 1; while (seen < 4) { v = step(v); if (v > 100) FAIL(); p(v == 3); "
    "}\n"
    "  switch (v) { case 16: break; default: FAIL(); } return 0; }\n",
};

typedef struct OracleEdit {
    int program;
    const char *from, *to; /* the first place */
} OracleEdit;

static const OracleEdit lost[] = {
    { 0, "check(sum, 6); ", "" },
    { 0, "check(sum, 6); ", "if (sum == 6) check(sum, 6); " },
    { 0, "check(sum, 6); ", "while (sum < 0) check(sum, 6); " },
    { 0, "check(sum, 6); ", "check(6, 6); " },
    { 0, "check(sum, 6); ", "check(sum, sum); " },
    { 0, "twice(); return", "return" },
    { 0, "twice(); return", "if (!sum) twice(); return" },
    { 0, "twice(); return", "for (int k = 0; k < 0; k++) twice(); return" },
    { 0, "check(add(2), 3); ", "" },
    { 0, "check(add(4), 10); }", "}" },
    { 0, "if (got != want) abort();", "" },
    { 0, "if (got != want) abort();", "if (got == want) abort();" },
    { 0, "if (got != want) abort();", "if (got < want) abort();" },
    { 0, "if (got != want) abort();", "if (got) if (got != want) abort();" },
    { 0, "if (got != want) abort();", "return; if (got != want) abort();" },
    { 0, "{ check(add(2), 3);", "{ return; check(add(2), 3);" },
    { 0, "sum = add(3); check", "sum = add(3); goto out; check" /* with the label below */ },
    { 0, "int main(void) {", "int main(void) { return 0;" },
    { 0, "extern void abort(void);", "extern void abort(void);\n#define abort() (void)0" },
    { 0, "extern void abort(void);\n", "void abort(void) { }\n" },
    { 1, "show(); return", "return" },
    { 1, "show(); return", "if (crc) show(); return" },
    { 1, "show(); return", "do { if (x) break; show(); } while (0); return" },
    { 1, "printf(\"%u\\n\", crc);", "printf(\"%u\\n\", 7u);" },
    { 1, "printf(\"%u\\n\", crc);", "printf(\"done\\n\");" },
    { 1, "printf(\"%u\\n\", crc);", "if (!crc) printf(\"%u\\n\", crc);" },
    { 1, "printf(\"%u\\n\", crc);", "" },
    { 1, "printf(\"%u\\n\", crc);", "return; printf(\"%u\\n\", crc);" },
    { 1, "printf(\"%u\\n\", crc);", "printf(\"%u\\n\", crc & 0);" },
    { 1, "int printf(const char *, ...);",
      "int printf(const char *, ...);\n#define printf(...) 0" },
    { 2, "return h != 2;", "return 0;" },
    { 2, "return h != 2;", "return h == 2;" },
    { 2, "if (r == 7) return 1; ", "if (r == 8) return 1; " },
    { 2, "h += r; return", "return 0; h += r; return" },
    { 3, "p(v == 3);", "" },
    { 3, "p(v == 3);", "if (v < 0) p(v == 3);" },
    { 3, "if (v > 100) FAIL();", "if (v > 1000) FAIL();" },
    { 3, "#define FAIL() __builtin_abort()", "#define FAIL() (void)0" },
    { 3, "while (seen < 4)", "while (seen < 0)" },
    { 3, "case 16: break;", "case 16: case 8: break;" },
    { 3, "v = step(v); if", "v = step(v); if (v) continue; if" },
    { 3, "if (v) FAIL();", "if (v && seen < 0) FAIL();" },
};

static const OracleEdit kept[] = {
    { 0, "a[4] = { 1, 2, 3, 4 }", "a[4] = { 1, 2, 3, 5 }" },
    { 0, "s += a[i];", "s -= a[i];" },
    { 0, "i < n", "i <= n" },
    { 0, "s += a[i];", "if (n) { s += a[i]; }" },
    { 0, "int a[4]", "volatile int a[4]" },
    { 0, "sum = add(3);", "{ int k = 0; while (sum < 3 && k++ < 3) { sum = add(3); } }" },
    { 0, "sum = add(3);", "goto l; l: ; sum = add(3);" },
    { 1, "crc * 31 + v", "crc * 31 ^ v" },
    { 1, "mix(x << 2); ", "" },
    { 1, "i < 3", "i < 2" },
    { 1, "x += i;", "" },
    { 2, "h = v; ", "" },
    { 2, "v - 1", "v - 1" },
    { 2, "int r = f(g);", "int r = f(g + 1);" },
    { 3, "v * 2", "v + 2" },
    { 3, "seen++;", "seen += 2;" },
};

static char *edited(const OracleEdit *e) {
    const char *text = programs[e->program], *at = strstr(text, e->from);
    assert_non_null(at);
    Buf out = { 0 };
    buf_add(&out, text, (size_t)(at - text));
    buf_text(&out, e->to);
    buf_text(&out, at + strlen(e->from));
    if (strstr(e->to, "goto out")) { /* the label is before main's end */
        out.len -= strlen("return 0; }\n");
        buf_text(&out, "out: return 0; }\n");
    }
    char *copy = mem_strdup(buf_view(&out).at);
    buf_release(&out);
    return copy;
}

static void expect(const OracleEdit *edits, size_t n, bool same) {
    static const char *const args[] = { "-w", NULL };
    for (size_t i = 0; i < n; i++) {
        Buf text = { 0 };
        assert_true(oracle_text(str_from(programs[edits[i].program]), args, &text));
        char *mutant = edited(&edits[i]);
        Buf own = { 0 };
        assert_true(oracle_text(str_from(mutant), args, &own)); /* it is a program */
        buf_release(&own);
        bool is = oracle_is(str_from(mutant), args, buf_view(&text));
        if (is != same) print_message("# %zu: %s -> %s\n", i, edits[i].from, edits[i].to);
        assert_int_equal(is, same);
        mem_free(mutant);
        buf_release(&text);
    }
}

static void lost_oracles_are_refused(void **state) {
    (void)state;
    assert_true(COUNT_OF(lost) >= 40);
    expect(lost, COUNT_OF(lost), false);
}

static void other_changes_are_not(void **state) {
    (void)state;
    expect(kept, COUNT_OF(kept), true);
}

static void what_does_not_parse(void **state) {
    (void)state;
    Buf out = { 0 };
    assert_false(oracle_text(STR("int main(void) { return"), NULL, &out));
    assert_false(oracle_is(STR("int main(void) { return"), NULL, STR("")));
    buf_release(&out);
}

TEST_MAIN(cmocka_unit_test(lost_oracles_are_refused), cmocka_unit_test(other_changes_are_not),
          cmocka_unit_test(what_does_not_parse))
