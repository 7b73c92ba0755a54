/* Every kind of declaration that cutting a program into units has to get right. */
#include <stdio.h>
#include <string.h>

struct point { signed char tag; long x; short y : 5; };
typedef struct { unsigned char u; int values[3]; } Row;
enum colour { RED = 3, GREEN };
union mixed { int i; unsigned char bytes[4]; };

static int forward(int x);
static inline int twice(int x) { return 2 * x; }
extern int shared;
int shared;
static int tentative;
static int tentative;
static int numbers[] = { 1, 2, 3, 4, 5 }, *second = &numbers[1], plain = 7;
static const char *const names[] = { "zero", "one", "two" };
static const char text[] = "a = b";
static int table[][2] = { { 1, 2 }, { 3, 4 }, { 5, 6 } };
static struct point origin = { 1, 2, 3 }, moved;
struct { int a; Row row; } unnamed = { 4, { 200, { 1, 2, 3 } } };
static int (*operation)(int) = forward;
static int (*const operations[])(int) = { forward, twice };
static long getpid = 5; /* a name of the library's */
static struct point make(long x);
volatile int counter = 1;
static union mixed mix = { 0x01020304 };
static enum colour paint = GREEN;
static unsigned long sizes(void);

static int forward(int x) {
    static int calls;
    extern int shared;
    calls++;
    shared += calls;
    return x + tentative + calls;
}
static struct point make(long x) {
    struct point p = origin;
    p.x += x;
    p.y = (short)(p.y - 9);
    return p;
}
__attribute__((noinline)) static int sum(const int *from, int n, Row row) {
    int s = row.u;
    for (int i = 0; i < n; i++) s += from[i] + row.values[i % 3];
    return s;
}
static unsigned long sizes(void) {
    return sizeof numbers + 1000 * sizeof table + 100000 * sizeof text + sizeof names;
}
static int walk(int depth) {
    if (depth <= 0) return counter;
    return walk(depth - 1) + (depth % 2 ? operation(depth) : operations[1](depth));
}
int variadic(int n, ...);
int main(void) {
    tentative = 2;
    moved = make(40);
    printf("%d %ld %d\n", moved.tag, moved.x, moved.y);
    printf("%d %s %lu %s\n", sum(numbers, 5, unnamed.row), names[*second], sizes(), text);
    int walked = walk(6);
    printf("%d %d %ld\n", walked, shared, getpid);
    mix.bytes[1] = 9;
    printf("%d %d %d %d\n", mix.i, paint == GREEN, table[2][1], plain);
    printf("%d\n", (int)strlen(text));
    return 0;
}
