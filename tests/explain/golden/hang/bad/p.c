#include <stdio.h>
#include <sys/time.h>

static int down(int n) {
    return n - 8;
}

static int rounds(int n) {
    int count = 0;
    while (n != 0) {
        n = down(n) & 255;
        count += 1;
    }
    return count;
}

int main(void) {
    struct itimerval watchdog = { { 0, 0 }, { 0, 60000 } };
    setitimer(ITIMER_VIRTUAL, &watchdog, 0);
    printf("%d\n", rounds(12));
    return 0;
}
