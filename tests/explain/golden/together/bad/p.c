/* Two things are wrong, and one of them is two changes that only compile together. */
#include <stdio.h>

struct one {
    int at;
};

static int scaled(int n) {
    return 3 * n;
}

static int start(void) {
    return 4;
}

int main(void) {
    struct one first = { start() };
    printf("%d\n", scaled(first.at));
    return 0;
}
