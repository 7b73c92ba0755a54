#include <stdio.h>
#include <stdlib.h>

static int width_of(const char *text) {
    int n = 0;
    while (text[n]) n++;
    return n;
}

/* Whether it goes on a page. */
static void check(int n, int most) {
    int last = most - n - 1;
    int slot = 2 * last;
    if (slot < 0) {
        fprintf(stderr, "too long\n");
        exit(1);
    }
}

int main(int argc, char **argv) {
    const char *text = argc > 1 ? argv[1] : "";
    int width = width_of(text);
    check(width, 4);
    printf("%d\n", width);
    return 0;
}
