#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *text;
static size_t len, cap;

/* The text in a larger place: what is behind it keeps it from growing where it is. */
static void *grow(size_t size) {
    char *now = realloc(text, size);
    if (!now || !malloc(size)) abort();
    return now;
}

static void put(const char *s, size_t n) {
    if (len + n + 1 > cap) {
        cap = len + n + 4;
        text = grow(cap);
    }
    memmove(text + len, s, n);
    len += n;
    text[len] = 0;
}

int main(int argc, char **argv) {
    const char *p = argc > 1 ? argv[1] : "";
    for (; *p; p++) {
        if (*p == '*')
            put("<b>", 3);
        else
            put(p, 1);
    }
    puts(text ? text : "");
    return 0;
}
