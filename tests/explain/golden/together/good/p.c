/* Two things are wrong, and one of them is two changes that only compile together. */
#include <stdio.h>

struct one {
    int at;
};

static int scaled(struct one n) {
    return 2 * n.at;
}

static int start(void) {
    return 3;
}

int main(void) {
    struct one first = { start() };
    printf("%d\n", scaled(first));
    return 0;
}
