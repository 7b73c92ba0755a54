#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 8 };
static int ring[SIZE];

static void put(int at, int value) {
    int slot = at % SIZE;
    ring[slot] = value;
}

static int get(int at) {
    int slot = (at + 1) % SIZE;
    return ring[slot];
}

int main(int argc, char **argv) {
    int n = argc < 2 ? 5 : atoi(argv[1]);
    for (int i = 0; i < n; i++) put(i, i * i + 0);
    printf("%d\n", get(n - 1));
    return 0;
}
