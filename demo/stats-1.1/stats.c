/* Mean and spread of the numbers on standard input: version 1.1, faster, and wrong. */
#include <stdio.h>

enum { MOST = 1000 };
static int values[MOST];
static int count;

static void read_values(void) {
    int v;
    while (count < MOST && scanf("%d", &v) == 1) values[count++] = v;
}

static int mean(void) {
    long sum = 0;
    for (int i = 0; i < count; i++) sum += values[i];
    return (int)(sum / count);
}

static int spread(void) {
    int low = 0, high = values[0];
    for (int i = 1; i < count; i++) {
        if (values[i] < low) low = values[i];
        if (values[i] > high) high = values[i];
    }
    return high - low;
}

int main(void) {
    read_values();
    if (count < 1) return 1;
    printf("mean %d\n", mean());
    printf("spread %d\n", spread());
    return 0;
}
