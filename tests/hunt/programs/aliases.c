/* Pointers of all kinds around what blocks change: into globals, members, elements, behind the end of
 * arrays, to locals, to dead locals (never followed), to the heap, to constants, pointers to pointers,
 * one object under several names, recursion. */
#include <stdio.h>
#include <stdlib.h>

struct Node { int value; struct Node *next; long weight[2]; };
static int a = 1, b = 2, c[4] = { 3, 4, 5, 6 }, d = 7;
static const int fixed = 42;
static int *p = &a, *q = &c[1], **pp = &p, *const always = &b;
static long long wide = 1ll << 40, *wp = &wide;
static struct Node third = { 3, 0, { 1, 2 } }, second = { 2, &third, { 3, 4 } }, first = { 1, &second, { 5, 6 } };
static struct Node *head = &first;
static unsigned char byte = 200, *bp = &byte;
static const int *view = &fixed;
static int *dangling;

static void leave(void) {
    int gone = 5;
    dangling = &gone;
}

static int walk(struct Node *n, int depth) {
    int here = n->value + depth;
    if (n->next) here += walk(n->next, depth + 1);
    n->weight[depth & 1] += here;
    n->value ^= depth;
    return here;
}

static int through(int *x, int *y, int n) {
    int *self = &n, sum = 0;
    for (int *end = c + 4, *it = c; it < end; it++) sum += *it;
    *x += 1;
    *y -= *x;
    *self += 2;
    **pp += n;
    *always ^= sum;
    return sum + *x + *y + n;
}

static void swap(int round) {
    int keep = 0;
    p = round % 3 == 0 ? &a : round % 3 == 1 ? &c[2] : &keep;
    q = round & 1 ? &c[3] : &d;
    *p += round;
    pp = round & 2 ? &q : &p;
    **pp -= 1;
    p = &b;
}

int main(void) {
    long sum = 0;
    int *heap = malloc(3 * sizeof *heap);
    if (!heap) return 1;
    for (int i = 0; i < 3; i++) heap[i] = i;
    leave();
    for (int i = 0; i < 8; i++) {
        int *where = i & 1 ? heap : &a;
        swap(i);
        sum += through(&a, &d, i) + walk(head, i & 1) + *view;
        sum += *where;
        *wp += *bp;
        *bp += 3;
        view = i & 1 ? &fixed : &c[0];
        heap[i % 3] += (int)(sum & 15);
        sum += through(&a, &a, i);
    }
    printf("%ld %d %d %d %d %lld %d %d %ld\n", sum, a, b, c[2], d, wide, byte, heap[1], first.weight[0]);
    free(heap);
    return 0;
}
