#include <stdio.h>
#include <string.h>

/* make FILE: numbers, one on each line. */
static int make(const char *path, int n) {
    FILE *out = fopen(path, "w");
    if (!out) return 1;
    for (int i = 1; i <= n; i++)
        fprintf(out, "%d\n", i * 2);
    return fclose(out) != 0;
}

/* sum FILE: of its numbers. */
static int sum(const char *path) {
    FILE *in = fopen(path, "r");
    int total = 0, n;
    while (in && fscanf(in, "%d", &n) == 1) {
        total += n;
    }
    printf("%d\n", total);
    return in ? fclose(in) != 0 : 1;
}

int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    return strcmp(argv[1], "make") == 0 ? make(argv[2], 5) : sum(argv[2]);
}
