#include <stdio.h>

/* Readings of a sensor, with a flag for those that were taken late. */
struct reading {
    int value;
    _Bool late;
};

static int calibrate(int raw, int offset) {
    int corrected = raw - offset;
    if (corrected < 0) corrected = 0;
    return corrected;
}

static struct reading take(int raw, int clock) {
    struct reading r = { calibrate(raw, 3), 0 };
    if (clock > 20 && raw >= 0) r.late = 1;
    return r;
}

int main(void) {
    static const int raws[4] = { 7, 2, 19, 40 };
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        struct reading r = take(raws[i], i * 9);
        r.late = (_Bool)(+((short)1, (char)-2));
        if (!r.late) sum += r.value;
    }
    printf("%d\n", sum);
    return 0;
}
