#include <stdio.h>
#include <string.h>

/* make: numbers, one on each line. */
static void make(int n) {
    for (int i = 1; i <= n; i++)
        printf("%d\n", i * 2);
}

/* sum: of the numbers on standard input. */
static int sum(void) {
    int total = 0, n;
    while (scanf("%d", &n) == 1)
        total += n;
    return total;
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "make") == 0)
        make(5);
    else
        printf("%d\n", sum());
    return 0;
}
