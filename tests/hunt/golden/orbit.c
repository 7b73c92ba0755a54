int printf(const char *, ...);

struct body {
    int mass;
    unsigned flags : 5;
    signed char moons[4];
    long long far;
};
union word {
    unsigned all;
    unsigned char part[4];
};

static struct body bodies[3] = { { 5, 17, { 1, -2, 3, 0 }, 1LL << 40 }, { -7, 3, { 0 }, -9 }, { 0 } };
static int *const heaviest = &bodies[0].mass;
static unsigned long sum;

static int pull(int a, int b) {
    int local = a, *to = &local;
    if (b == 0)
        return a;
    for (int i = 0; i < 2; i++)
        *to += b * (i + 1) % 7;
    switch (b & 3) {
    case 1: local--; break;
    case 2: local += *heaviest; break;
    default: local ^= 1;
    }
    return local;
}

static void never(void) {
    int missing = 0;
    while (missing < 10) missing += 3;
    sum = (unsigned long)missing;
}

int main(void) {
    union word w = { .all = 0x01020304u };
    for (int i = 0; i < 3; i++) {
        struct body *b = &bodies[i];
        b->mass = pull(b->mass, i + 1);
        b->flags += w.part[i];
        sum += (unsigned long)(b->far >> 3) ^ (unsigned)b->mass ^ b->flags;
        if (sum == 12345) never();
    }
    printf("%lu %u\n", sum, w.all);
    return 0;
}
