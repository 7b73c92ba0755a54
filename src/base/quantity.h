/* Durations ("90s", "10m", "1h30m", "250ms", "2d") and sizes ("64K", "2G", "1.5M", plain bytes). */
#ifndef CULPRIT_BASE_QUANTITY_H
#define CULPRIT_BASE_QUANTITY_H

#include "base/base.h"

bool quantity_duration(Str text, double *seconds); /* a bare number is seconds */
bool quantity_size(Str text, uint64_t *bytes);     /* K, M, G, T are powers of 1024 */
/* "1h 02m", "3m 20s", "4.2 s", "180 ms": for people. Writes into out. */
const char *quantity_show_duration(double seconds, char out[32]);
const char *quantity_show_size(uint64_t bytes, char out[32]); /* "7.1 MiB" */
/* "1 seed", "12 seeds". */
const char *quantity_show_count(uint64_t n, const char *noun, char out[48]);

/* Seconds on a clock that never jumps. */
double clock_now(void);
/* CPU seconds used by this process and by its children that have been waited for. */
double clock_own_cpu(void);

#endif
