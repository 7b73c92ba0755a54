int printf(const char *, ...);
static int classify(int n) {
    switch (n) {
    case 0: return 1;
    case 1:
    case 2: return 20;
    case -5: return 300;
    default: break;
    }
    if (n > 100 && n < 200 || n == 1000) return 4000;
    return n < 0 ? -1 : 5;
}
int main(void) {
    int sum = 0, i = 0;
    do {
        if (i % 3 == 2) continue;
        if (i > 40) break;
        sum = sum * 2 + classify(i);
        sum &= 0xffffff;
    } while (++i < 60);
    for (int k = -10; k < 2000; k += 55) sum += classify(k);
again:
    if (sum > 1000000) { sum /= 2; goto again; }
    printf("%d %d\n", sum, classify(-5));
    return 0;
}
