#include "record.h"

#include <stdio.h>
#include <string.h>

/* A record as it comes from outside: kind, size, value, without gaps. */
static const unsigned char bytes[] = { 7, 0, 4, 0, 42, 0, 0, 0, 0, 0, 0, 0 };

static int read_value(const unsigned char *from) {
    struct record record;
    memcpy(&record, from, sizeof record);
    int value = record.value;
    return value;
}

int main(void) {
    int value = read_value(bytes);
    printf("value %d\n", value);
    return 0;
}
