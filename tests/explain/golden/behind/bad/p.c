#include <stdio.h>
#include <stdlib.h>

static int is_high(int n) {
    int least = 3;
    return n >= least;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 0;
    if (is_high(n)) {
        fputs("high ", stdout);
        fprintf(stdout, "%d\n", n);
    }
    printf("%d\n", n + argc);
    return 0;
}
