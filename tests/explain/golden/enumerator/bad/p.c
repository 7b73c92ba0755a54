#include <stdio.h>
#include <string.h>

enum token {
    NUMBER,
    PLUS,
    MINUS,
    POWER,
    TIMES,
    END,
};

static const int strength[] = { 0, 1, 1, 2, 0 };

static enum token read_token(const char *text) {
    if (strcmp(text, "*") == 0) return TIMES;
    if (!strcmp(text, "+")) return PLUS;
    if (strcmp(text, "-") == 0) return MINUS;
    return NUMBER;
}

int main(int argc, char **argv) {
    const char *text = argc > 0 ? argv[argc - 1] : "";
    enum token token = read_token(text);
    printf("%s binds %d\n", text, strength[token]);
    return 0;
}
