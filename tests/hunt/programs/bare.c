/* No variable holds a known value where most statements are: blocks bring their own. */
void abort(void);

struct Small {
    unsigned short over;
};

static struct Small look(const int *p) {
    struct Small r;
    r.over = *p > 3;
    return r;
}

int main(void) {
    int i;
    struct Small s;
    for (i = 0; i < 8; i++) {
        s = look(&i);
        if (s.over != (i > 3)) abort();
    }
    return 0;
}
