#include <stdio.h>
#include <stdlib.h>

static int width_of(const char *text) {
    int n = 0;
    while (text[n]) n++;
    return n;
}

int main(int argc, char **argv) {
    const char *text = argc > 1 ? argv[1] : "";
    int width = width_of(text);
    printf("%d\n", width);
    return 0;
}
