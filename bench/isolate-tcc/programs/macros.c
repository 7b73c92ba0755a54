int printf(const char *, ...);
#define SQUARE(x) ((x) * (x))
#define JOIN(a, b) a##b
#define TEXT(x) #x
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#if defined(SQUARE) && (3 * 4 == 12)
#define VALUE 42
#else
#define VALUE 13
#endif
enum colour { RED, GREEN = 5, BLUE };
typedef unsigned char byte;
static int JOIN(fun, ction)(byte b) { return b + 1; }
int main(void) {
    byte b = 255;
    b += 2;
    printf("%d %d %s %d %d %d\n", SQUARE(3 + 1), MAX(VALUE, BLUE), TEXT(a + b), function(b), b, (byte)(BLUE * 50));
    printf("%s %c %d\n", "tab\there" " and " "there", 'x', '\n' + '\101' + sizeof(enum colour));
    return 0;
}
