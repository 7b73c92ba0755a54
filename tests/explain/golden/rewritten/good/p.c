#include <stdio.h>

static int capitals(const char *text) {
    char before = ' ';
    int found = 0, length = 0;

    while (*text) {
        length++;

        if (before == ' ' && *text >= 'A' && *text <= 'Z')
            found++;
        if (length > 1000)
            break;

        before = *text;
        if (found > 100)
            break;
        text++;
    }
    return found;
}

static int twice(int value) {
    return value + value;
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        printf("%d\n", twice(capitals(argv[i])));
    return 0;
}
