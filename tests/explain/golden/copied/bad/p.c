#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char text[4096];
static size_t len;

static void put(const char *s, size_t n) {
    if (len + n + 1 > sizeof text) abort();
    memmove(text + len, s, n);
    len += n;
    text[len] = 0;
}

int main(int argc, char **argv) {
    const char *p = argc > 1 ? argv[1] : "";
    for (; *p; p++) {
        if (*p == '*' && p[1] == '*')
            put("<b>", 3);
        else
            put(p, 1);
    }
    puts(text);
    return 0;
}
