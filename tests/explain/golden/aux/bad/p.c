#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static int twice(int value) {
    return 2 * value;
}

static int total(int a, int b) {
    int sum = twice(a) + b;
    return sum;
}

int main(int argc, char **argv) {
    int count = argc > 0 ? argc - 1 : 0;
    int result = total(atoi(argv[1]), atoi(argv[2]));
    printf("%d numbers: %d\n", count, result);
    assert(result == 100);
    return 0;
}
