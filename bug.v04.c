#include <stdio.h> /* clang -E -fkeep-system-includes */


union cp_0u1 { unsigned long f0; unsigned char f1 : 3; int f2 : 16; _Bool f3; };
union cp_0u4 { unsigned int f0; long f1; };
int noise(int n) {
    int s = 0;
    { unsigned char cp_0s0 = ((!(s / (-4))) | 65537uL); union cp_0u1 cp_0r2 = { .f2 = (((cp_0s0 != s) ^ (!(n - 0))) >> 2) }; union cp_0u1 cp_0r3 = { .f0 = ((!(cp_0s0 + n)) & (-(s * cp_0r2.f2))) }; union cp_0u4 cp_0r5 = { .f0 = (n >> ((s * (-128)) * 1024)) }; union cp_0u4 cp_0r6 = { .f1 = ((((~s) & cp_0r2.f2) == (cp_0s0 == n)) + (-1)) }; int *cp_0q7 = &s; int cp_0b0 = (n >= (((long long)cp_0r3.f0) << s)); int cp_0b1 = ((cp_0b0 ? (!n) : (2147483647 ^ 524287)) >= (-17)); if (cp_0r2.f2 <= 2) { cp_0b0 = s; cp_0b1 = n; s = ((((n == cp_0r5.f0) % ((~cp_0r6.f1) >> 1)) >= ((short)(cp_0b1 & 1))) & 1023); n = cp_0r5.f0; if (((((n > cp_0b1) || (cp_0r2.f2 != 0)) || (cp_0s0 != 1)) || (s != 0)) || (n != 3)) { { extern int printf(const char *, ...); printf("%lld", (long long)s); } { extern int printf(const char *, ...); printf("%lld", (long long)n); } n -= n; noise(s); } } if (!((((*cp_0q7) << cp_0b1) ^ 1125899906842623L) == (*cp_0q7))) { n = cp_0b1; } s = cp_0b0; }
if (!((s < n) || (s < 3))) { if (((-8L) - n)) { if (s) { n = n; noise(s); noise(s); } else { n--; } } if (n) { { long cp_2n0 = (s ? s : n); n = n; cp_2n0 = s; extern int printf(const char *, ...); printf("%lld", (long long)cp_2n0); } } if (((-5) & 1u)) { for (n = 9; n != s; n--) { return s; noise(s); } } else { if (s) { noise(n); s = s; noise(n); } while (s) { n <<= s; n = 9895783399832671185uLL; } if (s) { s &= 4294967295u; s = s; } } }
for (int i = 0; i < n; i++) s += i;
    return s;
}
int main(void) {
    puts("keep");
    return noise(3) > 100;
}
