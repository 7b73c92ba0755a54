/* Who does which seed: hunts that run at the same time on one store share their campaign. A claim
 * is a lock on one byte of a file beside the store; the kernel releases it when its process ends,
 * in whatever way. */
#ifndef CULPRIT_HUNT_CLAIM_H
#define CULPRIT_HUNT_CLAIM_H

#include "base/base.h"

typedef struct Claims {
    int fd; /* -1: the file could not be opened, and every claim is granted */
    int64_t campaign;
} Claims;

/* One for each process. store: the store's path. */
void claims_open(Claims *claims, const char *store, int64_t campaign);
bool claims_take(Claims *claims, uint64_t number); /* false: somebody else has it */
void claims_drop(Claims *claims, uint64_t number);
void claims_close(Claims *claims); /* drops all */

#endif
