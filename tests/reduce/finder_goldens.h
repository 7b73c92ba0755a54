{ "arrays", "c",
  "int a[6] = { 1, 2, 3 };\n"
  "int f(int i) { return a[i] + a[2] + *a; }",
  "int a = 1; int f(int i) { return a + a +a; }\n"
  "int a = 3; int f(int i) { return a + a +a; }\n" },
    { "arrays", "c",
      "struct s { int x[2][3]; } v;\n"
      "int g(int *);\n"
      "int b[4];\n"
      "int f(void) { return v.x[0][1] + g(b); }",
      "struct s { int x[3]; } v; int g(int *); int b[4]; int f(void) { return v.x[1] + g(b); }\n"
      "struct s { int x[2][3]; } v; int g(int *); int b; int f(void) { return v.x[0][1] + g(&b); "
      "}\n" },
    { "pointers", "c",
      "int x;\n"
      "struct s { int m; } *q;\n"
      "int f(int *p, int k) { int *r = &x; q->m = *p; return *r; }\n"
      "int main() { return f(&x, 1); }",
      "int x; struct s { int m; } *q; int f(int *p, int k) { int r =x; q->m = *p; return r; } int "
      "main() { return f(&x, 1); }\n"
      "int x; struct s { int m; } *q; int f(int p, int k) { int *r = &x; q->m =p; return *r; } int "
      "main() { return f(x, 1); }\n"
      "int x; struct s { int m; }q; int f(int *p, int k) { int *r = &x; q.m = *p; return *r; } int "
      "main() { return f(&x, 1); }\n" },
    { "copies", "c",
      "int x;\n"
      "int f(int k) { int a = k + 1, *p = &x; int b; b = 3; *p = a * 2; return b; }",
      "int x; int f(int k) { int a = k + 1; int b; b = 3; x = a * 2; return b; }\n"
      "int x; int f(int k) { int a = k + 1, *p = &x; *p = a * 2; return 3; }\n"
      "int x; int f(int k) { int *p = &x; int b; b = 3; *p = (k + 1) * 2; return b; }\n" },
    { "arguments", "c",
      "int g;\n"
      "int f(int a, int b, int c);\n"
      "int f(int a, int b, int c) { return a + b; }\n"
      "int main() { return f(3, g + 1, 5); }",
      "int g; int f( int b, int c); int f( int b, int c) { return 3 + b; } int main() { return f( "
      "g + 1, 5); }\n"
      "int g; int f(int a, int b); int f(int a, int b) { return a + b; } int main() { return f(3, "
      "g + 1); }\n"
      "int g; int f(int a, int c); int f(int a, int c) { int b;return a + b; } int main() { return "
      "f(3, 5); }\n"
      "int g; int f(int a, int c); int f(int a, int c) { return a + (g + 1); } int main() { return "
      "f(3, 5); }\n"
      "int g; int f( int b, int c); int f( int b, int c) { int a;return a + b; } int main() { "
      "return f( g + 1, 5); }\n" },
    { "results", "c",
      "static unsigned long f(int a) { a++; return 0; }\n"
      "int *g(void) { return f(1), (int *)0; }\n"
      "int main() { f(2); g(); return 0; }",
      "static unsigned long f(int a) { a++; return 0; } void g(void) { f(1), (int *)0; } int "
      "main() { f(2); g(); return 0; }\n" },
    { "bodies", "c",
      "int g;\n"
      "static int sq(int a) { return a * a; }\n"
      "void h(int b) { g = b; g++; }\n"
      "int k(int c) { int d = c; return d + 1; }\n"
      "int main() { h(sq(2)); int e = k(3); return e; }",
      "int g; static int sq(int a) { return a * a; } void h(int b) { g = b; g++; } int main() { "
      "h(sq(2)); int d =3;int e =d + 1; return e; }\n"
      "int g; void h(int b) { g = b; g++; } int k(int c) { int d = c; return d + 1; } int main() { "
      "h((2*2)); int e = k(3); return e; }\n"
      "int g; static int sq(int a) { return a * a; } int k(int c) { int d = c; return d + 1; } int "
      "main() { {g =sq(2); g++;} int e = k(3); return e; }\n" },
    { "members", "c",
      "struct s { int a, b; char c; } v = { 1, 2, 3 };\n"
      "int main() { v.a = 1; return v.b; }",
      "struct s { int b; char c; } v = { 2, 3 }; int main() { return v.b; }\n"
      "struct s { int a, b; } v = { 1, 2 }; int main() { v.a = 1; return v.b; }\n" },
    { "declarators", "c",
      "struct { int (*c)(); int (*d)(); } e;\n"
      "int **p, *q, *a[3];\n"
      "int main() { return e.c == e.d; }",
      "struct { int c; int d; } e; int **p, *q, *a[3]; int main() { return e.c == e.d; }\n"
      "struct { int*c; int*d; } e; int **p, *q, *a[3]; int main() { return e.c == e.d; }\n"
      "struct { int (*c)(); int (*d)(); } e; int **p, *q,a; int main() { return e.c == e.d; }\n"
      "struct { int (*c)(); int (*d)(); } e; int **p, *q, *a; int main() { return e.c == e.d; }\n"
      "struct { int (*c)(); int (*d)(); } e; int p, *q, *a[3]; int main() { return e.c == e.d; }\n"
      "struct { int (*c)(); int (*d)(); } e; int *p, *q, *a[3]; int main() { return e.c == e.d; "
      "}\n" },
    { "vectors", "c",
      "struct s { long c, d; } e, f = { 1, 2 };\n"
      "struct { int a; char b; } g;\n"
      "int main() { e.d = f.c; return e.c + g.a; }",
      "long e[2], f [2]= { 1, 2 }; struct { int a; char b; } g; int main() { e[1] = f[0]; return "
      "e[0] + g.a; }\n" },
    { "merges", "c",
      "struct { int *c; int *d; } e;\n"
      "int f() { e.c = e.d; }",
      "struct { int *c, *d; } e; int f() { e.c = e.d; }\n" },
    { "records", "c",
      "struct s { int a; long b; };\n"
      "struct s v = { 1, 2 }, *p = &v;\n"
      "int main() { return v.a + p->a; }",
      "int v = 1, *p = &v; int main() { return v + *p; }\n"
      "long v = 2, *p = &v; int main() { return v.a + p->a; }\n" },
    { "enumerators", "c",
      "enum e { A, B = 7, C };\n"
      "int main() { return B + C; }",
      "enum e { A, C }; int main() { return 7 + C; }\n"
      "enum e { B = 7, C }; int main() { return B + C; }\n"
      "enum e { A, B = 7 }; int main() { return B + 8; }\n" },
    { "alike", "c",
      "int a, b;\n"
      "int f(void) { return 1; }\n"
      "int g(void) { return 2; }\n"
      "int main() { int c; c = b; return g(); }",
      "int a, b; int f(void) { return 1; } int main() { int c; c = b; return f(); }\n"
      "int a, b; int f(void) { return 1; } int g(void) { return 2; } int main() { b = b; return "
      "g(); }\n"
      "int a, b; int f(void) { return 1; } int g(void) { return 2; } int main() { a = b; return "
      "g(); }\n"
      "int a; int f(void) { return 1; } int g(void) { return 2; } int main() { int c; c = a; "
      "return g(); }\n" },
    { "alike", "c", "int main() { struct a { int b; } d; struct a e = { 1 }; d = e; return d.b; }",
      "int main() { struct a { int b; } d; d = d; return d.b; }\n"
      "int main() { struct a { int b; } ; struct a e = { 1 }; e = e; return e.b; }\n" },
    { "starts", "c",
      "int a;\n"
      "int main() { int b; a = 3; b = a; return b; }",
      "int a=3; int main() { int b; b = a; return b; }\n"
      "int a; int main() { int b=a; a = 3; return b; }\n" },
    { "shows", "c",
      "int printf(const char *, ...);\n"
      "int main() { int a = 1; if (a != 2) printf(\"%d\", a); printf(\"%d\", a + 3); }",
      "int printf(const char *, ...); int main() { int a = 1; return a != 2; }\n"
      "int printf(const char *, ...); int main() { int a = 1; if (a != 2) printf(\"%d\", a); "
      "return a + 3; }\n" },
    { "formats", "c",
      "int printf(const char *, ...);\n"
      "int main() { int a = 1; printf(\"x\"); while (a) printf(\"%ld\", (long)a); }",
      "int printf(const char *, ...); int main() { int a = 1; printf(\"x\"); while (a) "
      "printf(\"0\"); }\n" },
    { "formats", "c",
      "int printf(const char *, ...);\n"
      "int main() { printf(\"%ld %4u|%s %g\\n\", -5L, 7u, \"ab\", 1.5); printf(\"%d\", main()); }",
      "int printf(const char *, ...); int main() { printf(\"0\"); printf(\"%d\", main()); }\n"
      "int printf(const char *, ...); int main() { printf(\"%ld %4u|%s %g\\n\", -5L, 7u, \"ab\", "
      "1.5); printf(\"0\"); }\n"
      "int printf(const char *, ...); int main() { printf(\"-5 7|ab 1.5\\n\"); printf(\"%d\", "
      "main()); }\n" },
    { "values", "c",
      "int f(int a) { return a * 2; }\n"
      "int main() { int b = 0; for (int i = 0; i < 3; i++) b += f(i) + f(4); return b != 30 || "
      "f(1) < 0; }",
      "int f(int a) { return a * 2; } int main() { int b = 0; for (int i = 0; i < 3; i++) b += "
      "f(i) + f(4); return 0; }\n"
      "int f(int a) { return a * 2; } int main() { int b = 0; for (int i = 0; i < 3; i++) b += "
      "f(i) + 8; return b != 30 || f(1) < 0; }\n" },
    { "firsts", "c",
      "int a[4];\nint main() { int n = 40; for (int i = 1; i < 4; i++) { a[i] = i * 7 + n; if (i & "
      "2) a[0] = ~i * 5; } while (n > 0) n = n / 2 - 1; return a[3] + a[0]; }",
      "int a[4]; int main() { int n = 40; for (int i = 1; i < 4; i++) { a[i] = 47; if (i & 2) a[0] "
      "= ~i * 5; } while (n > 0) n = n / 2 - 1; return a[3] + a[0]; }\n"
      "int a[4]; int main() { int n = 40; for (int i = 1; i < 4; i++) { a[i] = i * 7 + n; if (i & "
      "2) a[0] = -15 ; } while (n > 0) n = n / 2 - 1; return a[3] + a[0]; }\n" },
    { "hoists", "c",
      "int f(int a) { a = a * 3; return a; }\n"
      "int main() { int b = f(2), c; c = b * 2; b = 5; if (c + b != 17) return 1; return 0; }",
      "int f(int a) { a = a * 3; return a; } int main() { int b = f(2), c; if (b != 6) return 1; ; "
      "return 0; }\n"
      "int f(int a) { a = a * 3; return a; } int main() { int b = f(2), c; if (b * 2 != 12) return "
      "1; "
      "; return 0; }\n"
      "int f(int a) { if (a != 2) return 1; return a; } int main() { int b = f(2), c; c = b * 2; b "
      "= "
      "5; ; return 0; }\n"
      "int f(int a) { if (a * 3 != 6) return 1; return a; } int main() { int b = f(2), c; c = b * "
      "2; "
      "b = 5; ; return 0; }\n" },
    { "inner values", "c",
      "int f(int a) { return a * 2; }\n"
      "int main() { return f(1) != -f(-1); }",
      "int f(int a) { return a * 2; } int main() { return f(1) != 2 ; }\n"
      "int f(int a) { return a * 2; } int main() { return 2 != -f(-1); }\n"
      "int f(int a) { return a * 2; } int main() { return f(1) != -(-2); }\n" },
    { "variables", "c",
      "int f(int a) { return a * 2; }\n"
      "unsigned char c = 3; double d; int e;\n"
      "int main() { int b = 0; b += f(1); d = 2.5; c++; e = b; if (c != 4) e = 7; return b + (d > "
      "2) + c - e; }",
      "int f(int a) { return a * 2; } unsigned char c = 3; double d; int main() { int b = 0; b += "
      "f(1); d = 2.5; c++; ; if (c != 4) ; return b + (d > 2) + c - 2; }\n"
      "int f(int a) { return a * 2; } double d; int e; int main() { int b = 0; b += f(1); d = 2.5; "
      "; e = b; if (4 != 4) e = 7; return b + (d > 2) + 4 - e; }\n"
      "int f(int a) { return a * 2; } unsigned char c = 3; double d; int e; int main() { f(1); d = "
      "2.5; c++; e = 2; if (c != 4) e = 7; return 2 + (d > 2) + c - e; }\n"
      "int f(int a) { return a * 2; } unsigned char c = 3; int e; int main() { int b = 0; b += "
      "f(1); ; c++; e = b; if (c != 4) e = 7; return b + (2.5 > 2) + c - e; }\n" },
    { "designators", "c",
      "struct s { int a, b, c; } v = { 0, 0, 6 };\n"
      "int w[] = { 0, 0, 0, 7 };",
      "struct s { int a, b, c; } v = { 0, 0, 6 }; int w[] = {[3]=7};\n"
      "struct s { int a, b, c; } v = {.c=6}; int w[] = { 0, 0, 0, 7 };\n" },
    { "locals", "c",
      "int a;\n"
      "int main() { int b, *c; unsigned d; c = &b; return *c; }",
      "int a,b,*c; int main() { unsigned d; c = &b; return *c; }\n" },
    { "literals", "c",
      "int a[10];\n"
      "long b = 0x12345678UL;\n"
      "int c = 1116776225, d = 'x';\n"
      "float f = 1.25f;",
      "int a[0]; long b = 0x12345678UL; int c = 1116776225, d = 'x'; float f = 1.25f;\n"
      "int a[1]; long b = 0x12345678UL; int c = 1116776225, d = 'x'; float f = 1.25f;\n"
      "int a[5]; long b = 0x12345678UL; int c = 1116776225, d = 'x'; float f = 1.25f;\n"
      "int a[10]; long b = 0; int c = 1116776225, d = 'x'; float f = 1.25f;\n"
      "int a[10]; long b = 1; int c = 1116776225, d = 'x'; float f = 1.25f;\n"
      "int a[10]; long b = 0L; int c = 1116776225, d = 'x'; float f = 1.25f;\n"
      "int a[10]; long b = 1L; int c = 1116776225, d = 'x'; float f = 1.25f;\n"
      "int a[10]; long b = 0U; int c = 1116776225, d = 'x'; float f = 1.25f;\n"
      "int a[10]; long b = 1U; int c = 1116776225, d = 'x'; float f = 1.25f;\n"
      "int a[10]; long b = 0UL; int c = 1116776225, d = 'x'; float f = 1.25f;\n"
      "int a[10]; long b = 1UL; int c = 1116776225, d = 'x'; float f = 1.25f;\n"
      "int a[10]; long b = 30541; int c = 1116776225, d = 'x'; float f = 1.25f;\n"
      "int a[10]; long b = 152709948; int c = 1116776225, d = 'x'; float f = 1.25f;\n"
      "int a[10]; long b = 30541989; int c = 1116776225, d = 'x'; float f = 1.25f;\n"
      "int a[10]; long b = 305419896; int c = 1116776225, d = 'x'; float f = 1.25f;\n"
      "int a[10]; long b = 0x12345678; int c = 1116776225, d = 'x'; float f = 1.25f;\n"
      "int a[10]; long b = 0x12345678UL; int c = 0, d = 'x'; float f = 1.25f;\n"
      "int a[10]; long b = 0x12345678UL; int c = 1, d = 'x'; float f = 1.25f;\n"
      "int a[10]; long b = 0x12345678UL; int c = 11167, d = 'x'; float f = 1.25f;\n"
      "int a[10]; long b = 0x12345678UL; int c = 558388112, d = 'x'; float f = 1.25f;\n"
      "int a[10]; long b = 0x12345678UL; int c = 111677622, d = 'x'; float f = 1.25f;\n"
      "int a[10]; long b = 0x12345678UL; int c = 1116776225, d = 'x'; float f = 0;\n"
      "int a[10]; long b = 0x12345678UL; int c = 1116776225, d = 'x'; float f = 1;\n"
      "int a[10]; long b = 0x12345678UL; int c = 1116776225, d = 'x'; float f = 1.25;\n" },
    { "literals", "c", "long a = 4294967295;",
      "long a = 0;\n"
      "long a = 1;\n"
      "long a = 0L;\n"
      "long a = 1L;\n"
      "long a = 42949;\n"
      "long a = 429496729;\n" },
    { "loops", "c",
      "void f(int a) { a += 1; a = a - 1; a = a + 2; for (; a;) a -= 1; for (;;) f(a); }",
      "void f(int a) { a += 1; a --; a = a + 2; for (; a;) a -= 1; for (;;) f(a); }\n"
      "void f(int a) { a += 1; a = a - 1; a = a + 2; while ( a) a -= 1; for (;;) f(a); }\n"
      "void f(int a) { a ++; a = a - 1; a = a + 2; for (; a;) a -= 1; for (;;) f(a); }\n"
      "void f(int a) { a += 1; a = a - 1; a = a + 2; for (; a;) a --; for (;;) f(a); }\n"
      "void f(int a) { a += 1; a = a - 1; a = a + 2; for (; a;) a -= 1; while (1) f(a); }\n" },
    { "loops", "c", "void f(int a) { for (; a < 3; a++) b[a] = 0; for (; a < 3; a++) b[a] = a; }",
      "void f(int a) { while ( a < 3) b[a++] = 0; for (; a < 3; a++) b[a] = a; }\n" },
    { "names", "c",
      "int a;\n"
      "int main() { a = 1; return 0; }",
      "int a;\n"
      "int main() {; return 0; }\n" },
    { "takeovers", "c",
      "int f(int a) { return a; }\n"
      "int main() { return f(1); }",
      "int main(int a) { return a; }\n" },
    { "parameters", "c",
      "int f(int a, int b) { return a; }\n"
      "int main() { return f(1, 2); }",
      "int f( int b) { return a; } int main() { return f( 2); }\n"
      "int f(int a) { return a; } int main() { return f(1); }\n" },
    { "typedefs", "c",
      "typedef unsigned long u;\n"
      "u a;",
      "int a;\n"
      "unsigned long a;\n" },
    { "peels", "c",
      "int *p;\n"
      "int main() { return *p; }",
      "int p; int main() { return p; }\n" },
    { "types", "c",
      "unsigned long a;\n"
      "struct s *p;",
      "int a; struct s *p;\n"
      "unsigned long a; int *p;\n" },
    { "headers", "c",
      "#include <stdint.h>\n"
      "uint8_t a;",
      "int a;\n"
      "char a;\n"
      "unsigned char a;\n" },
    { "inlines", "c",
      "int a;\n"
      "int main() { a = 3; return a; }",
      "int main() { return 3; }\n" },
    { "moves", "c",
      "struct s { int a; };\n"
      "struct s v;",
      "struct { int a; } v;\n"
      "struct s { int a; } v;\n" },
    { "merges", "c",
      "int a;\n"
      "int b;",
      "int a, b;\n" },
    { "directives", "c",
      "#define N 4\n"
      "#if N > 3\n"
      "int a = N;\n"
      "#else\n"
      "int b;\n"
      "#endif\n"
      "#ifdef X\n"
      "int c;\n"
      "#endif\n"
      "",
      "#define N 4 int b; #ifdef X int c; #endif\n"
      "#define N 4 int a = N; #ifdef X int c; #endif\n"
      "#if 4 > 3 int a = 4; #else int b; #endif #ifdef X int c; #endif\n"
      "#define N 4 #if N > 3 int a = N; #else int b; #endif int c;\n" },
    { "bodiless", "c++",
      "struct A { int x; A(int y) : x(y) {} };\n"
      "std::vector<int> v;\n"
      "int f() { return 1; }",
      "struct A { int x; A(int y) ; }; std::vector<int> v; int f() { return 1; }\n"
      "struct A { int x; A(int y) : x(y) {} }; int v; int f() { return 1; }\n"
      "struct A { int x; A(int y) : x(y) {} }; auto v; int f() { return 1; }\n"
      "struct A { int x; A(int y) : x(y) {} }; std::vector<int> v; int f() ;\n" },
    { "templates", "c++",
      "template <typename T, int N> struct A { T x[N]; };\n"
      "template <class T> T f(T a) { return a; }\n"
      "A<long, 3> a;\n"
      "int b = f<char>(1);",
      "template <typename T, int N> struct A { T x[N]; }; int f(int a) { return a; } A<long, 3> a; "
      "int b = f(1);\n"
      "template <typename T, int N> struct A { T x[N]; }; char f(char a) { return a; } A<long, 3> "
      "a; int b = f(1);\n"
      "template < int N> struct A { int x[N]; }; template <class T> T f(T a) { return a; } A< 3> "
      "a; int b = f<char>(1);\n"
      "template < int N> struct A { long x[N]; }; template <class T> T f(T a) { return a; } A< 3> "
      "a; int b = f<char>(1);\n"
      "template <typename T> struct A { T x[0]; }; template <class T> T f(T a) { return a; } "
      "A<long> a; int b = f<char>(1);\n"
      "template <typename T> struct A { T x[3]; }; template <class T> T f(T a) { return a; } "
      "A<long> a; int b = f<char>(1);\n" },
    { "namespaces", "c++",
      "namespace n { int a; namespace m { int b; } }\n"
      "namespace { int c; }\n"
      "using namespace n;\n"
      "int d = n::a + n::m::b;",
      "int a; namespace m { int b; } namespace { int c; } int d =a +m::b;\n"
      "namespace n { int a; int b; } namespace { int c; } using namespace n; int d = n::a + n::b;\n"
      "namespace n { int a; namespace m { int b; } } int c; using namespace n; int d = n::a + "
      "n::m::b;\n" },
    { "classes", "c++",
      "struct B { int x; };\n"
      "struct D : B { int f() { return x; } };\n"
      "int D::g() { return 1; }",
      "struct B { int x; }; int f() { return x; } int g() { return 1; }\n"
      "struct D { int x;int f() { return x; } }; int D::g() { return 1; }\n"
      "int x; struct D : B { int f() { return x; } }; int D::g() { return 1; }\n" },
    { "concepts", "c++",
      "template <class T> concept C = sizeof(T) > 1;\n"
      "template <C T> void f(T a) requires C<T>;\n"
      "template <class T> requires C<T> && true int g(T x);\n"
      "void h(C auto x);\n"
      "bool k = C<int>;",
      "template <class T> void f(T a); template <class T> requires true && true int g(T x); "
      "void h( auto x); bool k = true;\n" },
    { "defaults", "c++",
      "template <class T = int> struct A;\n"
      "void h(int a, int b = 3 + 4, char = 5);",
      "template <class T> struct A; void h(int a, int b, char);\n"
      "template <class T = int> struct A; void h(int a, int b, char = 5);\n"
      "template <class T> struct A; void h(int a, int b = 3 + 4, char = 5);\n"
      "template <class T = int> struct A; void h(int a, int b = 3 + 4, char);\n" },
    { "aliases", "c++",
      "using V = A<long>;\n"
      "V v;",
      "int v;\n"
      "A<long> v;\n" },
    { "windows", "c",
      "int a;\n"
      "f(b);",
      "\n"
      "int\n"
      ";\n"
      "int a\n"
      "int ;\n"
      "int a;\n"
      "int a ;\n"
      "int a; f\n"
      "int a; ;\n"
      "(b);\n"
      "int a; f;\n"
      "int (b);\n"
      "f(b);\n"
      "int a; f(b\n"
      "int a; f(;\n"
      "int a; f);\n"
      "int a; b);\n"
      "int a (b);\n"
      "int f(b);\n"
      "; f(b);\n"
      "int a; f(b)\n"
      "int a; f(b;\n"
      "int a; f();\n"
      "int a; f b);\n"
      "int a; (b);\n"
      "int a f(b);\n"
      "int; f(b);\n"
      "a; f(b);\n" },
    { "hollows", "go",
      "package a\nfunc f(x int) string { y := x; return g(y) }\nfunc h() { f(1) }\n"
      "func (t *T) k() (int, error) { return t.a + t.b, nil }",
      "package a func f(x int) string { y := x; return g(y) } func h() { f(1) } func (t *T) k() "
      "(int, error) { panic(0) }\n"
      "package a func f(x int) string { panic(0) } func h() { f(1) } func (t *T) k() (int, error) "
      "{ "
      "return t.a + t.b, nil }\n" },
    { "hollows", "rust", "fn f(x: u8) -> Vec<u8> { let y = x; vec![y] }\nfn g() { f(1); }",
      "fn f(x: u8) -> Vec<u8> { loop {} } fn g() { f(1); }\n" },
    { "procedures", "go", "package a\nfunc f(x int) (string, error) { panic(0) }\nfunc h() { }",
      "package a func f(x int) { } func h() { }\n" },
    { "oldstyles", "c",
      "int f(a, b, c) char *a, *(*b)[2]; { return *a; }\nstatic int g(int x) { int y; return x; }\n"
      "int k(x) struct s { int m; } *x; { return x->m; }",
      "int f(char *a, char *(*b)[2], int c) { return *a; } static int g(int x) { int y; return x; "
      "} int k(x) struct s { int m; } *x; { return x->m; }\n"
      "int f(a, b, c) char *a, *(*b)[2]; { return *a; } static int g(int x) { int y; return x; } "
      "int k(struct s { int m; } *x) { return x->m; }\n" },
    { "procedures", "rust", "fn f(x: u8) -> Vec<u8> { loop {} }", "fn f(x: u8) { }\n" },
    { "literals", "llvm", "@a = global i32 -306\n@b = global i32 -1\n",
      "@a = global i32 0 @b = global i32 -1\n"
      "@a = global i32 1 @b = global i32 -1\n"
      "@a = global i32 306 @b = global i32 -1\n"
      "@a = global i32 -306 @b = global i32 0\n"
      "@a = global i32 -306 @b = global i32 1\n" },
    { "parallels", "python", "def f(s, a, b): pass\ns.f(1, 2)\ng(3, 4)",
      "def f(s, a, b): pass s.f( 2) g( 4)\n"
      "def f(s, a, b): pass s.f(1) g(3)\n"
      "def f(s, b): pass s.f( 2) g(3, 4)\n"
      "def f(s, a): pass s.f(1) g(3, 4)\n"
      "def f(s, a, b): pass s.f( 2) g( 4)\n"
      "def f(s, a, b): pass s.f(1) g(3)\n" },
    { "texts", "c", "char *s = \"ab c\\n\", t[] = \"ab\";",
      "char *s = \" c\\n\", t[] = \"ab\";\n"
      "char *s = \"ab\\n\", t[] = \"ab\";\n"
      "char *s = \"b c\\n\", t[] = \"ab\";\n"
      "char *s = \"a c\\n\", t[] = \"ab\";\n"
      "char *s = \"abc\\n\", t[] = \"ab\";\n"
      "char *s = \"ab \\n\", t[] = \"ab\";\n" },
    { "texts", "python", "x = 1 # \xc3\xa9\xc3\xa8",
      "x = 1 #\n"
      "x = 1 #\xc3\xa8\n"
      "x = 1 # \xc3\xa9\n"
      "x = 1 #\xc3\xa8\n"
      "x = 1 # \xc3\xa9\n"
      "x = 1 #\xc3\xa9\xc3\xa8\n"
      "x = 1 # \xc3\xa8\n"
      "x = 1 # \xc3\xa9\n" },
    { "ir trims", "llvm",
      "@g = internal global i32 0, align 4\n"
      "define dso_local i32 @f(i32 noundef %a) #0 {\n"
      "  %b = load i32, ptr @g, align 4, !tbaa !1\n"
      "  %c = add nsw i32 %b, %a\n"
      "  ret i32 %c\n"
      "}\n"
      "attributes #0 = { nounwind }\n"
      "!1 = !{}\n",
      "@g = internal global i32 0, align 4 define dso_local i32 @f(i32 noundef %a) #0 { %b = "
      "load i32, ptr @g, align 4, !tbaa !1 %c = add nsw i32 %b, %a ret i32 %c } !1 = !{}\n"
      "@g = internal global i32 0, align 4 define dso_local i32 @f(i32 noundef %a) #0 { %b = "
      "load i32, ptr @g, align 4, !tbaa !1 %c = add nsw i32 %b, %a ret i32 %c } attributes "
      "#0 = { nounwind }\n"
      "@g = global i32 0 define dso_local i32 @f(i32 noundef %a) #0 { %b = load i32, ptr @g, "
      "align 4, !tbaa !1 %c = add nsw i32 %b, %a ret i32 %c } attributes #0 = { nounwind } "
      "!1 = !{}\n"
      "@g = internal global i32 0, align 4 define i32 @f(i32 %a) { %b = load i32, ptr @g, "
      "align 4, !tbaa !1 %c = add nsw i32 %b, %a ret i32 %c } attributes #0 = { nounwind } "
      "!1 = !{}\n"
      "@g = internal global i32 0, align 4 define dso_local i32 @f(i32 noundef %a) #0 { %b = "
      "load i32, ptr @g, align 4 %c = add nsw i32 %b, %a ret i32 %c } attributes #0 = { "
      "nounwind } !1 = !{}\n"
      "@g = internal global i32 0, align 4 define dso_local i32 @f(i32 noundef %a) #0 { %b = "
      "load i32, ptr @g, align 4, !tbaa !1 %c = add i32 %b, %a ret i32 %c } attributes #0 = "
      "{ nounwind } !1 = !{}\n" },
    { "ir zeros", "llvm",
      "define i32 @f(i32 %a) {\n"
      "  %b = add i32 %a, 1\n"
      "  %c = load ptr, ptr @g\n"
      "  %d = fadd double 1.0, 2.0\n"
      "  store i32 %b, ptr %c\n"
      "  ret i32 %b\n"
      "}\n",
      "define i32 @f(i32 %a) { %c = load ptr, ptr @g %d = fadd double 1.0, 2.0 store i32 0, "
      "ptr %c ret i32 0 }\n"
      "define i32 @f(i32 %a) { %b = add i32 %a, 1 %d = fadd double 1.0, 2.0 store i32 %b, "
      "ptr null ret i32 %b }\n"
      "define i32 @f(i32 %a) { %b = add i32 %a, 1 %c = load ptr, ptr @g store i32 %b, ptr %c "
      "ret i32 %b }\n" },
    { "ir poisons", "llvm",
      "define i32 @f(i32 %a) {\n"
      "  %b = call i32 @g(i32 %a)\n"
      "  ret i32 %b\n"
      "}\n"
      "define void @h(i32 %b) {\n"
      "  ret void\n"
      "}\n",
      "define i32 @f(i32 %a) { ret i32 poison } define void @h(i32 %b) { ret void }\n" },
    { "ir operands", "llvm",
      "define i32 @f(i1 %a, i32 %b) {\n"
      "  %c = select i1 %a, i32 %b, i32 3\n"
      "  %d = zext i1 %a to i32\n"
      "  %e = xor i32 %c, %d\n"
      "  ret i32 %e\n"
      "}\n",
      "define i32 @f(i1 %a, i32 %b) { %d = zext i1 %a to i32 %e = xor i32 %b, %d ret i32 %e }\n"
      "define i32 @f(i1 %a, i32 %b) { %d = zext i1 %a to i32 %e = xor i32 3, %d ret i32 %e }\n"
      "define i32 @f(i1 %a, i32 %b) { %c = select i1 %a, i32 %b, i32 3 %d = zext i1 %a to "
      "i32 ret i32 %c }\n"
      "define i32 @f(i1 %a, i32 %b) { %c = select i1 %a, i32 %b, i32 3 %d = zext i1 %a to "
      "i32 ret i32 %d }\n" },
    { "ir declares", "llvm",
      "define internal i32 @f(i32 %a) {\n"
      "  ret i32 %a\n"
      "}\n"
      "declare void @g()\n",
      "declare i32 @f(i32 %a) declare void @g()\n" },
    { "ir parameters", "llvm",
      "declare void @g(ptr, i32)\n"
      "define i32 @f(i32 %a, i32 %b) {\n"
      "  call void @g(ptr null, i32 %b)\n"
      "  %c = call i32 @f(i32 1, i32 2)\n"
      "  ret i32 %b\n"
      "}\n",
      "declare void @g(ptr, i32) define i32 @f( i32 %b) { call void @g(ptr null, i32 %b) %c "
      "= call i32 @f( i32 2) ret i32 %b }\n"
      "declare void @g(ptr, i32) define i32 @f(i32 %a) { call void @g(ptr null, i32 0) %c = "
      "call i32 @f(i32 1) ret i32 0 }\n"
      "declare void @g( i32) define i32 @f(i32 %a, i32 %b) { call void @g( i32 %b) %c = call "
      "i32 @f(i32 1, i32 2) ret i32 %b }\n"
      "declare void @g(ptr) define i32 @f(i32 %a, i32 %b) { call void @g(ptr null) %c = call "
      "i32 @f(i32 1, i32 2) ret i32 %b }\n" },
    { "ir results", "llvm",
      "define i32 @f(i32 %a) {\n"
      "  ret i32 %a\n"
      "}\n"
      "define void @g() {\n"
      "  %b = call i32 @f(i32 0)\n"
      "  call void @h(i32 %b)\n"
      "  ret void\n"
      "}\n",
      "define void @f(i32 %a) { ret void } define void @g() { call void @f(i32 0) call void "
      "@h(i32 0) ret void }\n" },
    { "ir blocks", "llvm",
      "define i32 @f(i1 %a, i32 %s) {\n"
      "x:\n"
      "  br i1 %a, label %y, label %z\n"
      "y:\n"
      "  %b = add i32 1, 2\n"
      "  switch i32 %s, label %z [\n"
      "    i32 3, label %w\n"
      "    i32 4, label %x\n"
      "  ]\n"
      "w:\n"
      "  br label %z\n"
      "z:\n"
      "  %c = phi i32 [ 0, %x ], [ %b, %y ], [ 5, %w ]\n"
      "  ret i32 %c\n"
      "}\n",
      "define i32 @f(i1 %a, i32 %s) { x: br label %z w: br label %z z: %c = phi i32 [ 0, %x "
      "], [ 5, %w ] ret i32 %c }\n"
      "define i32 @f(i1 %a, i32 %s) { x: br i1 %a, label %y, label %z y: %b = add i32 1, 2 "
      "switch i32 %s, label %z [ i32 4, label %x ] z: %c = phi i32 [ 0, %x ], [ %b, %y ] ret "
      "i32 %c }\n" },
    { "ir branches", "llvm",
      "define i32 @f(i1 %a) {\n"
      "x:\n"
      "  br i1 %a, label %y, label %z\n"
      "y:\n"
      "  br label %z\n"
      "z:\n"
      "  %c = phi i32 [ 0, %x ], [ 1, %y ]\n"
      "  ret i32 %c\n"
      "}\n",
      "define i32 @f(i1 %a) { x: br label %z z: %c = phi i32 [ 0, %x ] ret i32 %c }\n"
      "define i32 @f(i1 %a) { x: br label %y y: br label %z z: %c = phi i32 [ 1, %y ] ret "
      "i32 %c }\n" },
    { "ir joins", "llvm",
      "define i32 @f(i32 %a) {\n"
      "x:\n"
      "  br label %y\n"
      "y:\n"
      "  %b = phi i32 [ %a, %x ]\n"
      "  br label %z\n"
      "w:\n"
      "  ret i32 0\n"
      "z:\n"
      "  ret i32 %b\n"
      "}\n",
      "define i32 @f(i32 %a) { x: br label %z w: ret i32 0 z: ret i32 %a }\n"
      "define i32 @f(i32 %a) { x: br label %y y: %b = phi i32 [ %a, %x ] ret i32 %b w: ret "
      "i32 0 }\n" },
