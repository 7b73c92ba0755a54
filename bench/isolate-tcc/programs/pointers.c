int printf(const char *, ...);
static int data[4][5];
static char text[] = "the quick brown fox";
static int length(const char *s) { const char *p = s; while (*p) p++; return p - s; }
static void reverse(char *s) {
    char *e = s + length(s) - 1;
    while (s < e) { char c = *s; *s++ = *e; *e-- = c; }
}
static int apply(int (*f)(int, int), int a, int b) { return f(a, b); }
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
int main(void) {
    for (int i = 0; i < 4; i++) for (int j = 0; j < 5; j++) data[i][j] = i * 10 + j;
    int *p = &data[1][2], **q = &p;
    reverse(text);
    printf("%s %d %d %d\n", text, **q, p[3], (int)(&data[3][4] - p));
    printf("%d %d\n", apply(add, 3, 4), apply(sub, 3, 4));
    return 0;
}
