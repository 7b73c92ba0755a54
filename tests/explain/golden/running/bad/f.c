#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static bool sorted = false;

static void f(int x, int y, int z) {
    int sum;
    if (!sorted) {
        if (x < y)
            sum = x;
        else
            sum = y;
    } else
        sum = x;
    if (z > 0)
        sum -= z;
    else
        sum += z;
    printf("sum = %d\n", sum);
    assert(sum == 5);
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    f(atoi(argv[1]), atoi(argv[2]), atoi(argv[3]));
    return 0;
}
