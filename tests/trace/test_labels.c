/* "proved" means proved. A program computes a number from three inputs; the analysis says why it is
 * what it is. Where it calls that proved, the number stays when an input is changed that the proof
 * does not name, as long as the run takes the same path, and moves when one is changed that it does
 * name. Each program shows one way in which a proof could leave something out; random programs mix
 * them. */
#include "base/rng.h"
#include "explain/analysis.h"
#include "lab.h"
#include "trace/replay.h"

enum { INPUTS = 3 };

typedef struct Proof {
    bool proved;
    bool names[INPUTS]; /* a step of the cause is the line that reads the input */
    const char *doubt;
} Proof;

static bool nothing_changed(void *user, bool in_good, Str file, unsigned line) {
    (void)user, (void)in_good, (void)file, (void)line;
    return false;
}

/* Line i + 1 of every program reads input i: in_0, in_1, in_2. */
static Proof prove(Trace *t) {
    Proof proof = { 0 };
    Predicate phi;
    Error err = { 0 };
    Expectation other = { .has_output = true, .output = STR("?") };
    Analysis *a = analysis_new(t, NULL, nothing_changed, NULL);
    if (!analysis_failure(a, &other, &phi, &err)) fail_msg("%s", err.text);
    phi.has_wanted = false; /* why it is exactly this number */
    const Cause *cause = analysis_cause(a, &phi);
    proof.proved = cause->proved;
    proof.doubt = cause->doubt;
    for (size_t i = 0; i < cause->steps.len; i++) {
        unsigned line = cause->steps.at[i].place.line;
        if (line >= 1 && line <= INPUTS) proof.names[line - 1] = true;
    }
    analysis_free(a);
    return proof;
}

static bool same_path(const Trace *x, const Trace *y) {
    bool same = x->segments.len == y->segments.len;
    for (size_t i = 0; same && i < x->segments.len; i++)
        same = x->segments.at[i].inst == y->segments.at[i].inst;
    return same;
}

#define HEAD                                                                                       \
    "int atoi(const char *); static int in_0(char **v) { return atoi(v[1]); }\n"                   \
    "static int in_1(char **v) { return atoi(v[2]); }\n"                                           \
    "static int in_2(char **v) { return atoi(v[3]); }\n"                                           \
    "#include <stdarg.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
#define MAIN_BEGIN                                                                                 \
    "\nint main(int argc, char **argv) {\n"                                                        \
    "    int x = in_0(argv), y = in_1(argv), z = in_2(argv), n = 0;\n"
#define MAIN_END "\n    printf(\"%d\\n\", n);\n    return 0;\n}\n"
#define SELF                                                                                       \
    "    FILE *f = fopen(\"/proc/self/exe\", \"r\");\n" /* begins with 127, 'E', 'L', 'F' */
#define PROGRAM(decl, body) HEAD decl MAIN_BEGIN body MAIN_END

typedef struct Perturbed {
    Proof proof;
    unsigned runs, stayed, moved; /* on the same path */
    bool moves[INPUTS];           /* some change of the input moved the number */
} Perturbed;

/* Changes each input in turn. */
static Perturbed perturb(Lab *lab, const char *name, const char *text, const int *inputs) {
    Perturbed p = { 0 };
    char *program = lab_build(lab, name, text);
    const char *given[INPUTS];
    for (int i = 0; i < INPUTS; i++) given[i] = arena_fmt(&lab->arena, "%d", inputs[i]);
    Trace *t = lab_trace(lab, program, given[0], given[1], given[2], NULL);
    p.proof = prove(t);
    static const int by[] = { 1, -1 };
    for (int k = 0; k < INPUTS * (int)COUNT_OF(by); k++) {
        int i = k / (int)COUNT_OF(by);
        const char *keep = given[i];
        given[i] = arena_fmt(&lab->arena, "%d", inputs[i] + by[k % (int)COUNT_OF(by)]);
        if (inputs[i] + by[k % (int)COUNT_OF(by)] >= 0) {
            Trace *u = lab_trace(lab, program, given[0], given[1], given[2], NULL);
            bool moved = !str_eq(trace_info(t)->first_bytes, trace_info(u)->first_bytes);
            if (same_path(t, u)) {
                p.runs++;
                moved ? p.moved++ : p.stayed++;
                p.moves[i] |= moved;
                if (moved && p.proof.proved && !p.proof.names[i])
                    fail_msg("%s: %s instead of %s moves what was proved without it:\n%s", name,
                             given[i], keep, text);
            }
            trace_free(u);
        }
        given[i] = keep;
    }
    trace_free(t);
    return p;
}

/* ---- one way to be wrong each ---- */

static const struct {
    const char *name, *text;
    int inputs[INPUTS];
    bool proved; /* it can be, and must be */
} lies[] = {
    { "plain",
      PROGRAM("", "    int unused = y * 3;\n    n = x * 2 + (z - z);"),
      { 4, 5, 6 },
      true },
    { "five addresses",
      PROGRAM("",
              "    char b[8] = { 0 }, *p = b;\n    b[x] = 1;\n    b[x + 1] = 2;\n    b[y] = 3;\n"
              "    b[z] = 4;\n    memcpy(&n, p, 4);\n    n = *(int *)(p + (x - x));"),
      { 0, 2, 3 },
      true },
    { "copy from",
      PROGRAM("", "    char s[16] = \"abcdefghijklmno\", d[16] = { 0 };\n"
                  "    memcpy(d + x, s + y, z);\n    n = d[5];"),
      { 2, 3, 4 },
      true },
    { "fill",
      PROGRAM("", "    char d[16] = { 0 };\n    memset(d + x, y, z);\n    n = d[5];"),
      { 2, 3, 4 },
      true },
    { "fill that ends before",
      PROGRAM("",
              "    char d[16] = { 0 };\n    d[7] = y;\n    memset(d + x, 9, z);\n    n = d[7];"),
      { 2, 3, 5 },
      false },
    { "a write that went elsewhere",
      PROGRAM("int a[8];", "    a[1] = y;\n    a[x] = 9;\n    n = a[1];"),
      { 2, 3, 5 },
      true },
    { "a pointer that went elsewhere",
      PROGRAM("int a, b, c, *t[8] = { &a, &b, &c, &a, &b, &c, &a, &b };",
              "    a = y;\n    *t[x] = 9;\n    n = a;"),
      { 1, 3, 5 },
      true },
    { "sprintf of a string",
      PROGRAM("", "    char s[16], d[32];\n    sprintf(s, \"%d\", y);\n"
                  "    sprintf(d, \"%d-%s\", x, s);\n    n = d[2];"),
      { 4, 5, 6 },
      false },
    { "length of what sprintf wrote",
      PROGRAM("", "    char d[32];\n    n = sprintf(d, \"%d\", x * 5) + strlen(d);"),
      { 1, 5, 6 },
      false },
    { "a long string",
      PROGRAM("char a[400], b[400];",
              "    memset(a, 'a', 399);\n    memset(b, 'a', 399);\n    a[350] = 'a' + x;\n"
              "    n = strcmp(a, b) + y;"),
      { 1, 5, 6 },
      false },
    { "strings",
      PROGRAM("",
              "    char d[64] = \"0123456789\", s[16] = \"abcdefgh\";\n    strcpy(d + x, s + y);\n"
              "    strcat(d, \"xyz\");\n    n = d[9] + strlen(d);"),
      { 3, 2, 6 },
      false },
    { "a large copy",
      PROGRAM("struct large { char c[5000]; } p, q;",
              "    p.c[4500] = x;\n    q = p;\n    n = q.c[4500];"),
      { 3, 2, 6 },
      false },
    { "an unknown function",
      PROGRAM("", "    div_t d = div(x, y);\n    n = d.quot;"),
      { 30, 4, 6 },
      false },
    { "sorted by the library",
      PROGRAM("static int by(const void *a, const void *b) { return *(int *)a - *(int *)b; }",
              "    int a[3] = { x, y, z };\n    qsort(a, 3, sizeof *a, by);\n    n = a[1];"),
      { 10, 40, 60 },
      false },
    { "an argument of a callback",
      PROGRAM("static int got;\nstatic int by(const void *a, const void *b) { got = *(int *)a; "
              "return 0; }",
              "    int a[1] = { y };\n    bsearch(&x, a, 1, sizeof *a, by);\n    n = got;"),
      { 10, 40, 60 },
      false },
    { "variadic",
      PROGRAM("static int sum(int k, ...) {\n    va_list l;\n    int s = 0;\n    va_start(l, k);\n"
              "    for (int i = 0; i < k; i++)\n        s += va_arg(l, int);\n    va_end(l);\n"
              "    return s;\n}",
              "    n = sum(2, x, y);"),
      { 10, 40, 60 },
      true },
    { "structures by value",
      PROGRAM("struct s { int a[10]; };\nstatic int at(struct s s, struct s t, int i) { return "
              "s.a[i] + t.a[2]; }",
              "    struct s s = { { 1, 2, 3 } }, t = { { 4, 5, 6 } };\n    s.a[1] = y;\n    t.a[2] "
              "= z;\n"
              "    n = at(s, t, x);"),
      { 1, 40, 60 },
      true },
    { "a table",
      PROGRAM("int table[8] = { 3, 1, 4, 1, 5, 9, 2, 6 };", "    table[y] = 7;\n    n = table[x];"),
      { 5, 4, 6 },
      true },
    /* what the program itself decides about its input */
    { "a pipe of its own",
      PROGRAM("#include <unistd.h>\n",
              "    int p[2];\n    char b[9];\n    pipe(p);\n"
              "    write(p[1], \"abcdefgh\", x);\n    n = read(p[0], b, 9);"),
      { 2, 3, 4 },
      false },
    { "a file of its own",
      PROGRAM("", "    FILE *f = tmpfile();\n    fputc(x, f);\n    rewind(f);\n    n = fgetc(f);"),
      { 2, 3, 4 },
      false },
    { "the status of a child",
      PROGRAM("#include <sys/wait.h>\n#include <unistd.h>\n",
              "    int s;\n    if (!fork()) _exit(x);\n    wait(&s);\n    n = WEXITSTATUS(s);"),
      { 2, 3, 4 },
      false },
    { "a seed", PROGRAM("", "    srand(x);\n    n = rand() % 1000;"), { 2, 3, 4 }, true },
    { "a byte put back",
      PROGRAM("", "    ungetc(x, stdin);\n    n = getc(stdin);"),
      { 2, 3, 4 },
      true },
    { "a place in a file",
      PROGRAM("", SELF "    fseek(f, x, SEEK_SET);\n    n = fgetc(f);"),
      { 0, 3, 4 },
      true },
    { "a place on a descriptor",
      PROGRAM("#include <unistd.h>\n",
              SELF "    char b;\n    lseek(fileno(f), x, SEEK_SET);\n    read(fileno(f), &b, 1);\n"
                   "    n = b;"),
      { 0, 3, 4 },
      false },
    { "how much was to be read",
      PROGRAM("", SELF "    char b[20];\n    n = fread(b, 1, x, f);"),
      { 4, 3, 4 },
      true },
    { "how much was read before",
      PROGRAM("", SELF "    char b[20];\n    fread(b, 1, x, f);\n    n = fgetc(f);"),
      { 0, 3, 4 },
      true },
    { "a byte that was just within reach",
      PROGRAM("#include <fcntl.h>\n#include <unistd.h>\n",
              "    int f = open(\"/proc/self/exe\", O_RDONLY);\n    char b[20] = { 0 };\n"
              "    read(f, b, x);\n    n = b[3];"),
      { 4, 3, 4 },
      true },
    { "where it was read to",
      PROGRAM("", SELF "    char b[9] = { 0 };\n    fread(b + x, 1, 1, f);\n    n = b[2];"),
      { 2, 3, 4 },
      true },
    { "a name in the environment",
      PROGRAM("", "    char s[5] = \"QQQ\";\n    s[2] = 'D' + x;\n    setenv(s, \"1\", 1);\n"
                  "    n = getenv(\"QQE\") != 0;"),
      { 1, 3, 4 },
      false },
    { "which file",
      PROGRAM("", "    char s[20] = \"/proc/self/exe\";\n    s[11 + x] = 'e';\n"
                  "    FILE *f = fopen(s, \"r\");\n    n = f ? fgetc(f) : 7;"),
      { 0, 3, 4 },
      false },
    { "input that is nobody's but its own", /* and so is proved */
      PROGRAM("", SELF "    char b[99];\n    fgets(b, sizeof b, f);\n    n = b[1] + x;"),
      { 4, 3, 4 },
      true },
    /* other ways in which a value comes from another */
    { "bytes of a union",
      PROGRAM("", "    union { int i; unsigned char b[4]; } u;\n    u.i = x * 256 + y;\n"
                  "    n = u.b[1];"),
      { 4, 5, 6 },
      false },
    { "bit fields",
      PROGRAM("", "    struct { int a : 3; unsigned b : 5; } s = { 0 };\n    s.a = x;\n"
                  "    s.b = y;\n    s.a = z;\n    n = s.a * 10 + s.b;"),
      { 1, 5, 2 },
      true },
    { "a long jump",
      PROGRAM("#include <setjmp.h>\nstatic jmp_buf b;\nstatic void f(int v) { longjmp(b, v); }\n",
              "    int r = setjmp(b);\n    if (!r) f(x);\n    n = r;"),
      { 4, 5, 6 },
      false },
    { "memory used again",
      PROGRAM("", "    int *p = malloc(16);\n    *p = x;\n    free(p);\n    p = malloc(16);\n"
                  "    *p = y;\n    n = *p;"),
      { 4, 5, 6 },
      true },
    { "a number read back",
      PROGRAM("", "    char s[32], *e;\n    sprintf(s, \"%d;%d\", x * 3, y);\n"
                  "    strtol(s, &e, 10);\n    n = e - s;"),
      { 3, 5, 6 },
      false },
    { "a copy that ends before",
      PROGRAM("", "    char s[9] = \"abcd\", d[9] = \"zzzzzzzz\";\n    s[x] = 0;\n"
                  "    strcpy(d, s);\n    n = d[4];"),
      { 3, 5, 6 },
      false },
    { "how wide it is printed",
      PROGRAM("", "    char d[20];\n    sprintf(d, \"%*d\", x, y);\n    n = d[3];"),
      { 4, 5, 4 },
      false },
    { "a number that is none", /* so that strtol writes back what was there */
      PROGRAM("", "    char s[8] = \"z\", *e = s;\n    s[0] = '0' + x;\n    strtol(s, &e, 10);\n"
                  "    n = e - s;"),
      { 10, 5, 6 },
      true },
    { "a number that is scanned",
      PROGRAM("", "    char s[8] = \"z\";\n    int k = 4;\n    s[0] = '0' + x;\n"
                  "    sscanf(s, \"%d\", &k);\n    n = k;"),
      { 10, 5, 6 },
      true },
    { "a string behind a star",
      PROGRAM("", "    char a[4] = \"abc\", s[60];\n    a[1] = 'a' + x;\n"
                  "    sprintf(s, \"%*d<%s>\", 3, y, a);\n    n = s[5];"),
      { 6, 3, 4 },
      false },
    { "the tenth value of a format",
      PROGRAM("", "    char a[4] = \"abc\", s[60];\n    a[1] = 'a' + x;\n"
                  "    sprintf(s, \"%d%d%d%d%d%d%d%d%d%s\", 1, 2, 3, 4, 5, 6, 7, 8, 9, a);\n"
                  "    n = s[10];"),
      { 6, 3, 4 },
      false },
    { "a wide string",
      PROGRAM("#include <wchar.h>\n", "    wchar_t a[4] = L\"abc\";\n    char s[60];\n"
                                      "    a[1] = 'a' + x;\n    sprintf(s, \"%ls\", a);\n"
                                      "    n = s[1];"),
      { 6, 3, 4 },
      false },
    { "how much of it is printed",
      PROGRAM("", "    char s[20] = \"zzzzzzzzzz\";\n    snprintf(s, x, \"%d\", 1234567);\n"
                  "    n = s[4];"),
      { 5, 3, 4 },
      true },
    { "a number that is read", /* and whose upper bytes nobody wrote */
      PROGRAM("", "    FILE *f = fopen(\"/proc/self/stat\", \"r\");\n    int v = 0;\n"
                  "    fscanf(f, \"%d\", &v);\n    n = v - v + x;"),
      { 6, 3, 4 },
      true },
    { "a child that writes to a pipe",
      PROGRAM("#include <sys/wait.h>\n#include <unistd.h>\n",
              "    int p[2];\n    pipe(p);\n    if (!fork()) {\n        write(p[1], &x, 4);\n"
              "        _exit(0);\n    }\n    wait(0);\n    read(p[0], &n, 4);"),
      { 2, 3, 4 },
      false },
    /* where things lie, which no proof can name */
    { "the address of an object",
      PROGRAM("", "    free(malloc(x * 16 + 40));\n    char *a = malloc(x * 16 + 40), *b = "
                  "malloc(24);\n    n = (int)(long)b + (a == b);"),
      { 4, 5, 6 },
      false },
    { "a hash of a pointer",
      PROGRAM("", "    malloc(x * 32 + 40);\n    n = (unsigned long)malloc(24) / 16 % 16;"),
      { 4, 5, 6 },
      false },
    { "how far apart two objects are",
      PROGRAM("", "    char *a = malloc(x * 16), *b = malloc(24);\n    n = b - a;"),
      { 4, 5, 6 },
      false },
    { "bytes of a pointer",
      PROGRAM("", "    malloc(x * 16);\n    int *p = malloc(4);\n"
                  "    n = ((unsigned char *)&p)[0] + ((unsigned char *)&p)[1] * 256;"),
      { 4, 5, 6 },
      false },
    { "how far apart two arrays are",
      PROGRAM("", "    char a[x * 16], b[16];\n    a[0] = b[0] = 1;\n    n = a - b;"),
      { 4, 5, 6 },
      false },
    { "where a frame lies",
      PROGRAM("static int f(void) { int l; return (int)(long)&l; }\n",
              "    char a[x * 16];\n    a[0] = 1;\n    n = f();"),
      { 4, 5, 6 },
      false },
    { "whether an object had to move",
      PROGRAM("", "    char *a = malloc(24), *b = realloc(a, x * 8);\n    n = b == a;"),
      { 3, 5, 6 },
      false },
    /* .. and what does not depend on it */
    { "a list on the heap",
      PROGRAM("struct l { struct l *n; int v; };\nstatic struct l h;\n",
              "    int in[] = { x, y, z };\n    h.n = &h;\n    for (int i = 0; i < 3; i++) {\n"
              "        struct l *q = malloc(sizeof *q);\n        q->v = in[i];\n"
              "        q->n = h.n;\n        h.n = q;\n    }\n"
              "    for (struct l *q = h.n; q != &h; q = q->n) n = n * 3 + q->v;"),
      { 4, 5, 6 },
      true },
    { "an array that grows",
      PROGRAM("", "    int *v = 0;\n    size_t room = 0;\n    for (size_t i = 0; i < 9; i++) {\n"
                  "        if (i == room) v = realloc(v, (room = room * 2 + 2) * sizeof *v);\n"
                  "        v[i] = i * x + y;\n    }\n    n = v[6];"),
      { 4, 5, 6 },
      true },
    { "two pointers in one number",
      PROGRAM("", "    int *a = malloc(4), *b = malloc(4);\n    *a = x;\n    *b = y;\n"
                  "    long both = (long)a ^ (long)b;\n    n = *(int *)(both ^ (long)a);"),
      { 4, 5, 6 },
      true },
    { "the end of an array",
      PROGRAM("", "    int b[5], *e = b + 5, *w = b;\n    for (int i = 0; i < 7; i++) {\n"
                  "        *w = i * x;\n        w = w + 1 == e ? b : w + 1;\n    }\n"
                  "    n = b[1] + (w - b);"),
      { 4, 5, 6 },
      true },
    { "zeros of calloc",
      PROGRAM("struct t { int a, b; };\n",
              "    struct t *t = calloc(4, sizeof *t);\n    t[1].a = x;\n    n = t[1].a + t[1].b;"),
      { 4, 5, 6 },
      true },
    { "a line of any length",
      PROGRAM("", "    FILE *f = fopen(\"/proc/self/status\", \"r\");\n    char *b = 0;\n"
                  "    size_t room = 0;\n    getline(&b, &room, f);\n    n = b[x];"),
      { 0, 5, 6 },
      true },
    { "arguments on the stack",
      PROGRAM("static int f(int k, ...) {\n    va_list l;\n    int s = 0;\n    va_start(l, k);\n"
              "    for (int i = 0; i < k; i++) s = s * 3 + va_arg(l, int);\n    va_end(l);\n"
              "    return s;\n}\n",
              "    n = f(9, 1, 2, 3, x, 4, 5, 6, y, 7);"),
      { 4, 5, 6 },
      true },
    { "a structure that is returned",
      PROGRAM("struct s { int *p, k; };\nstatic struct s make(int v) {\n"
              "    struct s r = { malloc(4), v };\n    *r.p = v * 2;\n    return r;\n}\n",
              "    struct s a = make(x), b = make(y);\n    n = *a.p + b.k;"),
      { 4, 5, 6 },
      true },
    /* more of what the C library and the system do */
    { "a structure among the arguments",
      PROGRAM("struct s { int a, b, c, d, e; };\nstatic int f(int k, ...) {\n    va_list l;\n"
              "    va_start(l, k);\n    struct s s = va_arg(l, struct s);\n    va_end(l);\n"
              "    return s.c;\n}\n",
              "    struct s s = { 1, 2, x, 4, 5 };\n    n = f(1, s);"),
      { 4, 5, 6 },
      false },
    { "compared and exchanged",
      PROGRAM("static int g;\n",
              "    g = x;\n    int e = y;\n"
              "    __atomic_compare_exchange_n(&g, &e, z, 0, 5, 5);\n    n = e;"),
      { 4, 5, 6 },
      false },
    { "how much is scanned",
      PROGRAM("", SELF "    char m[] = \"%3c\", b[20] = { 0 };\n    m[1] = '0' + x;\n"
                       "    fscanf(f, m, b);\n    n = fgetc(f);"),
      { 1, 5, 6 },
      true },
    { "another file in its place",
      PROGRAM(
          "#include <fcntl.h>\n#include <unistd.h>\n",
          "    int f[2] = { open(\"/proc/self/exe\", O_RDONLY), open(\"/dev/zero\", O_RDONLY) };"
          "\n    unsigned char c = 9;\n    dup2(f[x & 1], 0);\n    read(0, &c, 1);\n    n = c;"),
      { 4, 5, 6 },
      true },
    { "which descriptor is free",
      PROGRAM("#include <fcntl.h>\n", "    FILE *f[2];\n    f[0] = fopen(\"/dev/null\", \"r\");\n"
                                      "    f[1] = fopen(\"/dev/null\", \"r\");\n"
                                      "    fclose(f[x & 1]);\n    n = open(\"/dev/zero\", 0);"),
      { 1, 5, 6 },
      true },
    { "the name of a locale",
      PROGRAM("#include <locale.h>\n",
              "    char s[] = \"C\";\n    s[0] += x;\n    n = setlocale(LC_ALL, s) != 0;"),
      { 0, 5, 6 },
      true },
    { "how numbers are rounded",
      PROGRAM("#include <fenv.h>\n",
              "    int m[] = { FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO };\n"
              "    fesetround(m[x & 3]);\n    volatile double d = 1, e = 3;\n"
              "    n = (long)(d / e * 1e18) % 1000;"),
      { 1, 5, 6 },
      false },
    { "how numbers are printed",
      PROGRAM("#include <fenv.h>\n", "    int m[] = { FE_TONEAREST, FE_UPWARD };\n    char s[40];\n"
                                     "    fesetround(m[x & 1]);\n    sprintf(s, \"%.1f\", 0.25);\n"
                                     "    n = s[2];"),
      { 1, 5, 6 },
      false },
    { "the kind of a character",
      PROGRAM("#include <ctype.h>\n", "    n = isalpha(x) != 0;"),
      { 90, 5, 6 },
      true },
    { "zeros behind a string",
      PROGRAM("", "    char s[20] = \"abc\", d[20] = \"zzzzzzzzz\";\n    strncpy(d, s, x);\n"
                  "    n = d[4];"),
      { 5, 5, 6 },
      true },
    { "a sum and a product at once",
      PROGRAM("", "    double d = x / 2.0;\n    n = d * 10 + y;"),
      { 4, 5, 6 },
      true },
};

static void no_lie(void **state) {
    (void)state;
    Lab lab;
    lab_open(&lab);
    for (size_t i = 0; i < COUNT_OF(lies); i++) {
        char *name = arena_fmt(&lab.arena, "lie%zu", i);
        Perturbed p = perturb(&lab, name, lies[i].text, lies[i].inputs);
        print_message("# %s: %s%s, %u runs on the same path, %u moved\n", lies[i].name,
                      p.proof.proved ? "proved" : "not proved: ",
                      p.proof.doubt ? p.proof.doubt : "", p.runs, p.moved);
        assert_true(p.runs > 0);
        if (lies[i].proved && !p.proof.proved) fail_msg("%s: not proved", lies[i].name);
        for (int k = 0; p.proof.proved && lies[i].proved && k < INPUTS; k++)
            if (p.proof.names[k] && !p.moves[k])
                fail_msg("%s: input %d is named, and nothing moves with it", lies[i].name, k);
    }
    lab_close(&lab);
}

/* ---- random programs ---- */

/* A number below limit that depends on an input or a local. */
static void random_index(Rng *rng, Buf *out, unsigned limit) {
    static const char *const names[] = { "x", "y", "z", "w", "n" };
    buf_fmt(out, "((unsigned)(%s + %u) %% %u)", names[rng_below(rng, COUNT_OF(names))],
            (unsigned)rng_below(rng, 4), limit);
}

static void random_value(Rng *rng, Buf *out) {
    static const char *const leaves[] = { "x",       "y",      "z",      "w",          "n",
                                          "a[2]",    "*p",     "s.v[1]", "sa[1].v[2]", "c[3]",
                                          "u.i",     "h",      "k",      "f.x",        "f.y",
                                          "heap[1]", "one[4]", "two[2]" };
    switch (rng_below(rng, 4)) {
    case 0: buf_fmt(out, "%u", (unsigned)rng_below(rng, 90)); break;
    case 1:
        buf_text(out, "a[");
        random_index(rng, out, 8);
        buf_text(out, "]");
        break;
    case 2:
        buf_fmt(out, "(%s %c %s)", leaves[rng_below(rng, COUNT_OF(leaves))],
                "+-*^&"[rng_below(rng, 5)], leaves[rng_below(rng, COUNT_OF(leaves))]);
        break;
    default: buf_text(out, leaves[rng_below(rng, COUNT_OF(leaves))]);
    }
}

/* What a statement may be: @ is a value, #4 a number below 4. */
static const char *const statements[] = {
    "w = @",
    "n = @",
    "*p = @",
    "a[#8] = @",
    "p = &a[#8]",
    "p = q[#4]",
    "memcpy(c + #8, (char *)a + #16, #8)",
    "memmove(c + #6, c + #6, #8)",
    "memset(c + #8, @, #8)",
    "t = s",
    "s = t",
    "s.v[1] = @",
    "sa[#3] = sa[#3]",
    "sa[#3].v[#3] = @",
    "u.i = @",
    "u.b[#4] = @",
    "w = u.b[#4]",
    "h = @",
    "k = @",
    "f.x = @",
    "f.y = @",
    "w = @ << (@ & 7)",
    "n = @ / (1 + (@ & 7))",
    "w = @ && @",
    "w = less(@, @)",
    "w = by[#3](@)",
    "put(&a[3], @)",
    "if (@ > @) w = @; else a[1] = @",
    "for (int i = 0; i < (int)#4; i++) w += a[i]",
    "heap[#4] = @",
    "heap = realloc(heap, 16 + 4 * #30)",
    "one[#8] = 0",
    "one[#8] = 'q'",
    "n += strlen(one)",
    "strcpy(two, one)",
};

static void random_statement(Rng *rng, Buf *out) {
    const char *at = statements[rng_below(rng, COUNT_OF(statements))];
    buf_text(out, "    ");
    for (; *at; at++) {
        char *end;
        if (*at == '@') {
            random_value(rng, out);
        } else if (*at == '#') {
            random_index(rng, out, (unsigned)strtoul(at + 1, &end, 10));
            at = end - 1;
        } else {
            buf_char(out, *at);
        }
    }
    buf_text(out, ";\n");
}

#define RANDOM_FUNCTIONS                                                                           \
    "static int less(int a, int b) { return a > b ? a - b : b + 1; }\n"                            \
    "static void put(int *p, int v) { *p = v; }\n"                                                 \
    "static int more(int a) { return a + 1; }\nstatic int twice(int a) { return a * 2; }\n"
#define RANDOM_LOCALS                                                                              \
    "    struct s { int v[3]; } s = { { 1, 2, 3 } }, t = { { 4, 5, 6 } };\n"                       \
    "    struct s sa[3] = { { { 1, 2, 3 } }, { { 4, 5, 6 } }, { { 7, 8, 9 } } };\n"                \
    "    int a[8] = { 9, 8, 7, 6, 5, 4, 3, 2 }, w = 1, *heap = calloc(1, 16);\n"                   \
    "    char c[20] = { 1, 2 }, one[20] = \"abcdefghijk\", two[20] = \"ZZZZZZZZZ\";\n"             \
    "    union { int i; unsigned char b[4]; } u = { 5 };\n    short h = 3;\n"                      \
    "    unsigned char k = 4;\n    struct { int x : 5; unsigned y : 7; } f = { 1, 2 };\n"          \
    "    int (*by[3])(int) = { more, twice, more };\n"                                             \
    "    int *q[4] = { &a[1], &w, &s.v[1], &t.v[2] }, *p = &w;\n"

static char *random_program(Arena *arena, uint64_t seed) {
    Rng rng = rng_stream(seed, "labels", 0);
    Buf body = { 0 };
    buf_text(&body, HEAD RANDOM_FUNCTIONS MAIN_BEGIN RANDOM_LOCALS);
    for (uint64_t i = 6 + rng_below(&rng, 12); i > 0; i--) random_statement(&rng, &body);
    buf_text(&body, "    n = ");
    random_value(&rng, &body);
    buf_text(&body, ";" MAIN_END);
    char *text = arena_cstr(arena, buf_view(&body));
    buf_release(&body);
    return text;
}

enum { RANDOM_PROGRAMS = 10 };

static void random_programs(void **state) {
    (void)state;
    Lab lab;
    lab_open(&lab);
    unsigned proved = 0, runs = 0, moved = 0, named = 0, moves = 0;
    for (uint64_t seed = 1; seed <= RANDOM_PROGRAMS; seed++) {
        Rng rng = rng_stream(seed, "inputs", 0);
        int inputs[INPUTS];
        for (int i = 0; i < INPUTS; i++) inputs[i] = (int)rng_below(&rng, 8) + 1;
        char *name = arena_fmt(&lab.arena, "random%d", (int)seed);
        Perturbed p = perturb(&lab, name, random_program(&lab.arena, seed), inputs);
        proved += p.proof.proved;
        runs += p.runs;
        moved += p.moved;
        for (int k = 0; p.proof.proved && k < INPUTS; k++)
            named += p.proof.names[k], moves += p.proof.names[k] && p.moves[k];
        if (!p.proof.proved) print_message("# seed %d: %s\n", (int)seed, p.proof.doubt);
    }
    print_message("# %u of %d proved; %u runs, %u moved; of %u named inputs %u moved it\n", proved,
                  RANDOM_PROGRAMS, runs, moved, named, moves);
    assert_true(proved * 2 > RANDOM_PROGRAMS);
    assert_true(runs > 0);
    lab_close(&lab);
}

TEST_MAIN(cmocka_unit_test(no_lie), cmocka_unit_test(random_programs))
