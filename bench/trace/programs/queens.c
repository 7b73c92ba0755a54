/* Eight queens by recursion. */
#include <stdio.h>
static int solve(int n, unsigned columns, unsigned left, unsigned right) {
    int found = 0;
    if (columns == (1u << n) - 1) return 1;
    for (int i = 0; i < n; i++) {
        unsigned bit = 1u << i;
        if ((columns | left | right) & bit) continue;
        found += solve(n, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return found;
}
int main(void) {
    for (int n = 1; n <= 8; n++) printf("%d: %d\n", n, solve(n, 0, 0, 0));
    return 0;
}
