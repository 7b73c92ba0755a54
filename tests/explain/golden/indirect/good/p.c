#include <assert.h>
#include <stdio.h>
#include <string.h>

static int width = 8;

static int level_of(const char *name) {
    int level = (int)strlen(name);
    return level;
}

static int choose(const char *name) {
    int level = level_of(name);
    int limit = 10;
    int wide = width * 2;
    if (level > 4)
        limit = 20;
    return limit + wide;
}

int main(int argc, char **argv) {
    int chosen = choose(argv[argc - 1]);
    printf("%d\n", chosen);
    assert(chosen == 36);
    return 0;
}
