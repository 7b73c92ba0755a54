#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static int limit(int value) {
    return value > 100 ? 100 : value;
}

static int twice(int value) {
    return value + value;
}

static int total(int a, int b) {
    int sum = twice(a) + b;
    return limit(sum);
}

int main(int argc, char **argv) {
    int count = argc - 1;
    int result = total(atoi(argv[1]), atoi(argv[2]));
    printf("%d numbers: %d\n", count, result);
    assert(result == 100);
    return 0;
}
