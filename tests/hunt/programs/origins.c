/* Pointers to live and to dead locals, members of unions: which of them a snippet may read and change. */
#include <stdio.h>
union narrow { unsigned char f0; long f1; };
union whole { int f0; short f1; unsigned char f2[4]; };
struct holder { int a; union whole u; };
static union whole only = { 77 }, several = { 5 };
static union narrow small = { 9 };
static struct holder inside = { 1, { 0x1234 } };
static union whole row[3] = { { 1 }, { 2 }, { 3 } };
static int total, *stale;

static int step(int n) {
    int x = n, y = n * 3, here = 5, values[4] = { 1, 2, n, 4 };
    int *near = &x, *part = &values[2], *gone = &x, *moving = values;
    long sum = 0;
    if (n == 0) stale = &here; /* dead in all later calls, though the address is the same */
    for (int i = 0; i < 3; i++) {
        int inner = i + here;
        int *close = &inner;
        sum += *close;
        gone = &inner;
        *near += 1;
        sum += *near + *gone;
        near = &y;
        total++;
    }
    total += x;
    moving++;
    sum += *moving;
    several.f1 = (short)n;
    total += several.f1;
    several.f0 = n + 1;
    total += several.f0;
    *part = 9;
    total += *part + values[2];
    only.f0 = n;
    total += only.f0;
    total += small.f1 & 0xff;
    total += inside.u.f0 + inside.u.f1;
    row[n & 1].f0 += n;
    total += row[1].f0;
    return (int)sum;
}

int main(void) {
    union whole mine = { 3 };
    int s = 0;
    for (int i = 0; i < 4; i++) {
        s += step(i) + mine.f0;
        mine.f0 += i;
    }
    printf("%d %d\n", s, total);
    return 0;
}
