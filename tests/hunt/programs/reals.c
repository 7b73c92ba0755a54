/* Floating point in the program itself: operands that identity changes, values that blocks use. */
int printf(const char *, ...);

typedef struct Point {
    float x, y;
    double weight;
} Point;

static Point points[] = { { 1.5f, -2, 0.25 }, { 0, -0.0f, 8 }, { 1e10f, 3, -1 } };
static double total = -0.0;
static unsigned steps;

static float length(float x, float y) {
    int wide = x > 100, turns = 3;
    float s = x * x + y * y, r = wide ? s / 4 : s + 1;
    for (int i = 0; i < turns; i++) {
        steps++;
        r = (r + s / r) / 2;
    }
    return r;
}

static double mixed(const Point *p, int k, long double by) {
    int high = k & 2, low = k & 1;
    double a = p->x, b = p->weight;
    if (high) a = -a;
    if (low) b *= (double)by;
    return a < b ? a - b : a + b * k;
}

int main(void) {
    int n = sizeof points / sizeof *points;
    for (int i = 0; i < n; i++) {
        double one = mixed(&points[i], i, 0.5L);
        total += one;
        printf("%a %a\n", (double)length(points[i].x, points[i].y), one);
    }
    float zero = points[1].y, less = zero * 2;
    printf("%a %u %d %a\n", total, steps, 1 / less < 0, (double)(zero - 0));
    return total > 0 ? 1 : 0;
}
