typedef struct { int a, *b; unsigned f : 5; } T;
struct S { int x; struct { char y; }; const union { short s; long l; } u; };
static const unsigned long int g = 3, *volatile gp = &g;
int arr[3] = { 1, [2] = 5 };
enum e { A, B = 4 };
extern int printf(const char *, ...);
static int f(int n, T *t, char c[]) {
    int i, j;
    struct S s = { .x = 3 };
    for (i = 0; i < n; i++) {
        j = i * 2 + arr[1 + 1];
        if (j == 3) continue; else if (t->a) break;
        s.y += 1;
    }
    do j--; while (j > A);
    switch (n) { case 1: j = 3; case B ... 7: { int q; q = 3; } break; default: goto out; }
    i = n ?: c[0];
    j = ({ int z = 3; z++; z; });
out:
    return i ? j : (int)sizeof(s) + s.u.s;
}
int main(void) {
    int x;
    T t = { 0 };
    if (f(3, &t, "abc") != 7) __builtin_abort();
    x = 0;
    printf("%d\n", x);
    return 0;
}
