int printf(const char *, ...);
struct point { int x, y; };
struct box { struct point a, b; char name[8]; unsigned flag : 3, rest : 5; };
static int area(struct box b) { return (b.b.x - b.a.x) * (b.b.y - b.a.y); }
static struct point mid(const struct box *b) {
    struct point p = { (b->a.x + b->b.x) / 2, (b->a.y + b->b.y) / 2 };
    return p;
}
int main(void) {
    struct box b = { { 1, 2 }, { 11, 22 }, "box", 5, 17 };
    struct box c = b;
    c.b.x += 4;
    c.flag ^= 7;
    struct point m = mid(&c);
    printf("%d %d %d %d %s %u %u\n", area(b), area(c), m.x, m.y, c.name, c.flag, c.rest);
    return 0;
}
