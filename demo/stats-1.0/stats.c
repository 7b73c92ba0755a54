/* Mean and spread of the numbers on standard input: version 1.0, right. */
#include <stdio.h>

static int values[100];
static int count;

static void read_values(void) {
    int v;
    while (count < 100 && scanf("%d", &v) == 1) values[count++] = v;
}

static int mean(void) {
    int sum = 0;
    for (int i = 0; i < count; i++) sum += values[i];
    return sum / count;
}

static int spread(void) {
    int low = values[0], high = values[0];
    for (int i = 1; i < count; i++) {
        if (values[i] < low) low = values[i];
        if (values[i] > high) high = values[i];
    }
    return high - low;
}

int main(void) {
    read_values();
    if (count == 0) return 1;
    printf("mean %d\n", mean());
    printf("spread %d\n", spread());
    return 0;
}
