#include <stdio.h>
#include <stdlib.h>

static const int days[] = {
    31, 28, 31,
    30, 31, 30,
    31, 31, 30,
    31, 30, 31,
};

static int day_of_year(int month, int day) {
    int sum = day;
    for (int i = 0; i < month - 1; i++)
        sum += days[i];
    return sum;
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    int month = atoi(argv[1]), day = atoi(argv[2]);
    printf("day %d\n", day_of_year(month, day));
    return 0;
}
