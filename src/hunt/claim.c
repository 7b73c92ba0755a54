/* Claims as locks on bytes; see claim.h. Locks of open file descriptions, not of processes: closing
 * another descriptor of the file does not release them. */
#include "hunt/claim.h"

#include <fcntl.h>
#include <unistd.h>

enum { NUMBER_BITS = 40 }; /* for seed numbers; the rest of the offset is the campaign's id */

void claims_open(Claims *claims, const char *store, int64_t campaign) {
    Arena arena = { 0 };
    claims->campaign = campaign;
    claims->fd = open(arena_fmt(&arena, "%s-claims", store),
                      O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    arena_release(&arena);
}

static bool set(const Claims *claims, uint64_t number, short type) {
    uint64_t low = number & ((1ull << NUMBER_BITS) - 1);
    uint64_t high = (uint64_t)claims->campaign & ((1ull << (62 - NUMBER_BITS)) - 1);
    struct flock lock = { .l_type = type,
                          .l_whence = SEEK_SET,
                          .l_start = (off_t)(high << NUMBER_BITS | low),
                          .l_len = 1 };
    return fcntl(claims->fd, F_OFD_SETLK, &lock) == 0;
}

bool claims_take(Claims *claims, uint64_t number) {
    return claims->fd < 0 || set(claims, number, F_WRLCK);
}

void claims_drop(Claims *claims, uint64_t number) {
    if (claims->fd >= 0) set(claims, number, F_UNLCK);
}

void claims_close(Claims *claims) {
    if (claims->fd >= 0) close(claims->fd);
    claims->fd = -1;
}
