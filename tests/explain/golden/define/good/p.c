#include <stdio.h>
#include <stdlib.h>

#define MARGIN 3
#define EDGE (MARGIN + 1)
#define STEP 2

static int place(int n) {
    int x = n * STEP;
    x += EDGE;
    return x;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 0;
    printf("at %d\n", place(n));
    return 0;
}
