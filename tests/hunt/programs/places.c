/* Every place a statement can stand in: unbraced bodies, dangling else, labels, cases, gotos into and
 * over blocks, variable length arrays, statement expressions, fall-through, do-while, Duff's device. */
#include <stdio.h>

static unsigned total;
static int note(int x) {
    total = total * 31 + (unsigned)x;
    return x;
}

static int unbraced(int n) {
    int r = 0, i;
    for (i = 0; i < n; i++)
        if (i % 3 == 0) r += i;
        else if (i % 3 == 1)
            if (i > 4) r -= 1;
            else r += 7;
        else
            while (r > 50) r /= 2;
    do r++; while (r < 0);
    if (n) ; else return -1;
    return r;
}

static int jumps(int n) {
    int i = 0, sum = 0;
again:
    if (i >= n) goto done;
    {
        int inner = i * 2;
        if (inner == 4) goto inside;
        sum += inner;
        if (0) {
        inside:
            sum += 100;
        }
    }
    i++;
    goto again;
done:
    return sum;
}

static int cases(int x) {
    int r = 0;
    switch (x) {
        int hidden;
    case 0: r = 1;
    case 1: r += 2; break;
    case 2: hidden = x; r = hidden; break;
    case 3: {
        int own = 3;
        r = own;
    } /* falls through */
    default: r = r ? r * 2 : -5;
    case 9: if (r > 3) break; r = 77;
    }
    return r;
}

static int duff(int count) {
    int n = (count + 3) / 4, copied = 0;
    switch (count % 4) {
    case 0: do { copied++;
    case 3:      copied++;
    case 2:      copied++;
    case 1:      copied++;
            } while (--n > 0);
    }
    return copied;
}

static int vla(int n) {
    int a[n], s = 0;
    for (int i = 0; i < n; i++) a[i] = i * i;
    {
        char b[n * 2];
        b[0] = 5;
        s += b[0];
    }
    for (int i = 0; i < n; i++) s += a[i];
    return s;
}

static int expressions(int n) {
    int r = ({ int t = n + 1; t *= 2; t; });
    r += ({ note(r); if (r > 3) r--; r; });
    for (int i = ({ int z = 0; z; }); i < 3; i++) r += i;
    return r;
}

static int old_style(a, b)
    int a;
    short b;
{
    int r;
    if (a > b) r = a; else r = b;
    return r;
}

static int computed(int n) {
    static const void *const table[] = { &&zero, &&one, &&two };
    int r = 0;
    goto *table[n % 3];
zero: r += 1;
one: r += 10;
two: r += 100;
    return r;
}

static int partly(int n) {
    int late, r = 0;
    for (int i = 0; i < n; i++) {
        int fresh;
        if (i & 1) fresh = i;
        else fresh = -i;
        r += fresh;
        if (i == 2) late = r;
    }
    if (n > 2) r += late;
    return r;
}

/* Never entered: where Orion deletes and Athena inserts. */
static int never(int n) {
    int i, r = n;
    for (i = 0; i < n; i++) {
        if (i > 3) continue;
        r += i;
        while (r > 9) { r -= 2; if (r == 5) break; }
    }
    if (n > 5) goto out;
    r = r * 2;
    switch (r) { case 1: r = 2; break; default: r--; }
out:
    return r;
}

int main(void) {
    if (total) {
        int local = 3;
        note(never(local));
        for (int i = 0; i < local; i++) total += never(i);
        total ^= (unsigned)local;
    }
    for (int i = 0; i < 6; i++) note(unbraced(i * 5)), note(jumps(i)), note(cases(i)), note(vla(i + 1));
    note(cases(9)); note(cases(-1));
    for (int i = 1; i < 10; i++) note(duff(i)), note(computed(i)), note(old_style(i, 4));
    note(expressions(4)), note(partly(6));
    printf("%u\n", total);
    return 3;
}
