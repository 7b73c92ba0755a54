/* The game of life on a torus, with structures passed by value. */
#include <stdio.h>
enum { W = 48, H = 24 };
typedef struct World {
    unsigned char cell[H][W];
} World;
static int neighbours(const World *w, int y, int x) {
    int n = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dy || dx) n += w->cell[(y + dy + H) % H][(x + dx + W) % W];
    return n;
}
static World step(World now) {
    World next;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            int n = neighbours(&now, y, x);
            next.cell[y][x] = n == 3 || (n == 2 && now.cell[y][x]);
        }
    return next;
}
int main(void) {
    World w = { 0 };
    for (int i = 0; i < W * H; i += 3) w.cell[i / W][(i * 7) % W] = 1;
    for (int i = 0; i < 30; i++) w = step(w);
    for (int y = 0; y < H; y++) {
        for (int x = 0; x < W; x++) putchar(w.cell[y][x] ? '#' : '.');
        putchar('\n');
    }
    return 0;
}
