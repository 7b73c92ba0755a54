#include <stdio.h>
#include <stdlib.h>

int level(void);

static int size(void) {
    return 4;
}

static void check(int v) {
    if (v > 5) abort();
}

int main(void) {
    int v = size();
    int need = 1;
    if (level() >= need) check(v);
    printf("%d\n", v > 0);
    return 0;
}
