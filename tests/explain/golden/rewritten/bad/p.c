#include <stdio.h>

static int capitals(const char *text) {
    int found = 0, length = 0;
    int at = 0, inside = 0;

    while (text[at]) {
        length++;

        if (!inside && text[at] > 'A' && text[at] <= 'Z')
            found++;
        if (length > 1000)
            break;

        inside = text[at] != ' ';
        if (found > 100)
            break;
        at++;
    }
    return found;
}

static int twice(int value) {
    return 2 * value;
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        printf("%d\n", twice(capitals(argv[i])));
    return 0;
}
