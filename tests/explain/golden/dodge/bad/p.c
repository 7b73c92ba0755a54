/* Lines that only the new version has, so that
 * everything below them
 * is found elsewhere.
 */
#include <stdio.h>
#include <stdlib.h>

int level(void);

static int size(void) {
    return 8;
}

static void check(int v) {
    if (v > 5) abort();
}

int main(void) {
    int v = size();
    int need = 2;
    if (level() >= need) check(v);
    printf("%d\n", v > 0);
    return 0;
}
