#include <stdio.h>
#include <string.h>

struct node {
    int kind;
    char name;
};

static void read_node(struct node *n, char c) {
    n->name = c;
    n->kind = 0;
    if (c == '*') n->kind = 2;
}

static const char *show(const struct node *n) {
    switch (n->kind) {
    case 0: return "text ";
    case 1: return "code ";
    default: return "star ";
    }
}

int main(int argc, char **argv) {
    struct node n;
    for (const char *p = argc > 1 ? argv[1] : ""; *p; p++) {
        read_node(&n, *p);
        fputs(show(&n), stdout);
    }
    return 0;
}
