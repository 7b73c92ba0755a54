int printf(const char *, ...);
static int div_mod(int a, int b) { return a / b * 100 + a % b; }
static unsigned shifts(unsigned x, int n) { return (x << n) ^ (x >> (32 - n)); }
static long long wide(long long a, int b) { return a * b - (a >> 3) + (a << 2); }
int main(void) {
    int t = 0;
    for (int i = 1; i < 20; i++) t += div_mod(i * 37 - 200, i);
    printf("%d %u %lld\n", t, shifts(0x12345678u, 5), wide(-123456789012LL, 7));
    printf("%d %d %d\n", -7 / 2, -7 % 2, (7 - 9) >> 1);
    return 0;
}
