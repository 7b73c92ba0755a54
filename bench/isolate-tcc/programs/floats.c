int printf(const char *, ...);
static double mean(const double *v, int n) { double s = 0; for (int i = 0; i < n; i++) s += v[i]; return s / n; }
static float scale(float x, int k) { return x * k - 0.5f; }
int main(void) {
    double v[] = { 1.5, 2.25, -3.0, 8.125 };
    int below = 0;
    for (int i = 0; i < 4; i++) below += v[i] < mean(v, 4);
    printf("%.3f %.2f %d %d %d\n", mean(v, 4), scale(1.25f, 6), below, (int)-2.9, (int)(v[3] >= 8.0));
    unsigned long u = (unsigned long)1e10;
    printf("%lu %d %.1f\n", u, (int)(float)16777217, (double)(1 << 20));
    return 0;
}
