/* Every kind of operand: all integer types at their limits, _Bool, enumerations, bit-fields of all
 * widths, members, elements, unions, const, volatile, floats in between. */
#include <limits.h>
#include <stdio.h>

typedef enum { RED, GREEN = 5, BLUE = 1000 } Colour;
typedef enum { LOW = -3, HIGH = 9 } Level;
struct Inner { signed char c; unsigned long long big; _Bool flag; };
struct Bits {
    unsigned a : 3; int b : 7; unsigned c : 31; int d : 32; unsigned e : 32; _Bool f : 1;
    long long g : 40; unsigned long long h : 33; unsigned : 4; signed char i : 5;
};
struct Outer { struct Inner in[2]; struct Bits bits; short row[2][3]; const int fixed; volatile int jumpy; };
union Both { int i; unsigned char bytes[4]; };
#pragma pack(push)
#pragma pack(1)
struct Packed { char c; int i; long l; };
#pragma pack(pop)

static char c8 = CHAR_MIN;
static signed char s8 = -128;
static unsigned char u8 = 255;
static short s16 = SHRT_MIN;
static unsigned short u16 = USHRT_MAX;
static int s32 = INT_MIN;
static unsigned u32 = UINT_MAX;
static long s64 = LONG_MIN;
static unsigned long u64 = ULONG_MAX;
static long long ll = LLONG_MAX;
static unsigned long long ull = 1;
static _Bool yes = 1;
static Colour colour = BLUE;
static Level level = LOW;
static struct Outer outer = { { { -1, 1ull << 63, 1 }, { 7, 9, 0 } }, { 5, -33, 0x7fffffff, INT_MIN, UINT_MAX, 1, -(1ll << 39), 1ull << 32, -9 }, { { 1, 2, 3 }, { 4, 5, 6 } }, 11, 13 };
static union Both both = { 0x01020304 };
static struct Packed packed = { 1, -2, 3 };
static const int table[3] = { 3, 1, 2 };
static volatile unsigned changing = 7;
static double ratio = 0.5;

static unsigned long long mix(unsigned long long h, long long x) {
    h ^= (unsigned long long)x;
    h *= 1099511628211ull;
    return h;
}

static int step(int n, const short k, _Bool odd) {
    static int calls;
    struct Outer mine = { { { (signed char)n } }, { 1, 2, 3, 4, 5, 0, 6, 7, -8 }, { { 0 } }, 4, 5 };
    int local[4] = { n, n + 1 };
    Colour shade = odd ? GREEN : RED;
    calls++;
    mine.bits.b = n;
    mine.row[1][2] = (short)(n * k);
    local[2] = mine.row[1][2] + table[n % 3];
    outer.bits.a++;
    outer.bits.g -= n;
    outer.bits.h += 1;
    outer.in[n & 1].c ^= (signed char)k;
    both.bytes[1] = (unsigned char)n;
    packed.i += local[2];
    changing += (unsigned)shade;
    ratio = ratio * 1.5;
    if (odd) yes = !yes;
    return local[2] + calls + shade + mine.bits.b + (int)mine.in[0].c;
}

int main(void) {
    unsigned long long h = 14695981039346656037ull;
    for (int i = 0; i < 12; i++) {
        h = mix(h, step(i, (short)(i * 3 - 7), i & 1));
        u8++; s16 = (short)(s16 + 1); u32 -= 3; ull *= 3;
        level = i & 2 ? HIGH : LOW;
    }
    h = mix(h, c8), h = mix(h, s8), h = mix(h, u8), h = mix(h, s16), h = mix(h, u16), h = mix(h, s32);
    h = mix(h, u32), h = mix(h, s64), h = mix(h, (long long)u64), h = mix(h, ll), h = mix(h, (long long)ull);
    h = mix(h, yes), h = mix(h, colour), h = mix(h, level), h = mix(h, outer.bits.a), h = mix(h, outer.bits.b);
    h = mix(h, outer.bits.c), h = mix(h, outer.bits.d), h = mix(h, outer.bits.e), h = mix(h, outer.bits.f);
    h = mix(h, outer.bits.g), h = mix(h, (long long)outer.bits.h), h = mix(h, outer.bits.i);
    h = mix(h, outer.in[0].c), h = mix(h, outer.in[1].c), h = mix(h, outer.row[1][2]), h = mix(h, both.i);
    h = mix(h, packed.i), h = mix(h, changing), h = mix(h, (long long)(ratio * 1000));
    printf("%llx\n", h);
    return 0;
}
