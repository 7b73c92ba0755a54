/* Primes below 300000, counted and summed. */
#include <stdio.h>
#include <string.h>
static char composite[300001];
int main(void) {
    long sum = 0, count = 0;
    for (long i = 2; i <= 300000; i++) {
        if (composite[i]) continue;
        count++;
        sum += i;
        for (long j = i * i; j <= 300000; j += i) composite[j] = 1;
    }
    printf("%ld %ld\n", count, sum);
    return 0;
}
