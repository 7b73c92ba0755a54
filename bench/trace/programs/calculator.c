/* A recursive descent parser over a generated expression, through function pointers. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
static const char *at;
typedef long (*Apply)(long, long);
static long plus(long a, long b) { return a + b; }
static long minus(long a, long b) { return a - b; }
static long times(long a, long b) { return (a * b) % 1000003; }
static Apply apply_of(char c) { return c == '+' ? plus : c == '-' ? minus : times; }
static long sum(void);
static long factor(void) {
    long n = 0;
    if (*at == '(') {
        at++;
        n = sum();
        at++;
        return n;
    }
    while (isdigit((unsigned char)*at)) n = n * 10 + *at++ - '0';
    return n;
}
static long product(void) {
    long n = factor();
    while (*at == '*') {
        Apply f = apply_of(*at++);
        n = f(n, factor());
    }
    return n;
}
static long sum(void) {
    long n = product();
    while (*at == '+' || *at == '-') {
        Apply f = apply_of(*at++);
        n = f(n, product());
    }
    return n;
}
int main(void) {
    static char text[200000];
    unsigned seed = 7;
    size_t n = 0;
    for (int i = 0; i < 6000; i++) {
        seed = seed * 69069 + 1;
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%u%c", i % 5 ? "" : "(3+", (seed >> 8) % 1000, "+-*"[seed >> 30 ? 0 : (seed >> 20) % 3]);
        if (i % 5 == 0) n += (size_t)snprintf(text + n - 1, sizeof text - n, ")+") - 0, n--;
    }
    strcpy(text + n, "1");
    at = text;
    printf("%ld\n", sum());
    return 0;
}
