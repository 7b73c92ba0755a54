#include <signal.h>
#include <stdio.h>

static int down(int n) {
    return n - 8;
}

static int rounds(int n) {
    int count = 0;
    while (n != 0) {
        if (count > 20000) /* a watchdog */
            raise(SIGTERM);
        n = down(n) & 255;
        count += 1;
    }
    return count;
}

int main(void) {
    printf("%d\n", rounds(12));
    return 0;
}
