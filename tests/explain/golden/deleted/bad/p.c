#include <stdio.h>
#include <string.h>

struct state {
    int line;
    int column;
};

static void feed(struct state *s, char c) {
    s->column++;
    if (c == '\n') {
        s->line += 1;
    }
}

int main(int argc, char **argv) {
    struct state s = { 1, 0 };
    const char *text = "one\ntwo";
    size_t n = sizeof "one\ntwo" - 1;
    for (size_t i = 0; i < n; i++) feed(&s, text[i]);
    printf("%d:%d%s\n", s.line, s.column, argc > 5 ? argv[1] : "");
    return 0;
}
