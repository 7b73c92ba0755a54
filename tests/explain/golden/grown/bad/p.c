#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *text;
static size_t size;
static size_t room;

static void put(const char *word, size_t n) {
    while (size + n + 1 > room) {
        room = room ? 2 * room : 4;
        text = realloc(text, room);
    }
    memcpy(text + size, word, n);
    size += n;
    text[size] = 0;
}

static int step(int i) {
    return i + 2;
}

int main(void) {
    int from = 2 + 1;
    char other[8];
    memcpy(other, "abcdef", 7);
    put("head:", 5);
    put(other + step(from), 1);
    for (int i = 0; i < 20; i++) {
        void *between = malloc(8);
        put(" tail", 5);
        free(between);
    }
    printf("%s\n", text);
    return 0;
}
