/* Removal by descriptors; see removal.h.
 *
 * A directory is emptied by descending into it, at most DEEP levels at a time, because each level
 * takes a descriptor and a stack frame. What lies deeper is moved up to the top and found there by
 * the next pass: a program that nests directories by the hundred thousand costs time and nothing
 * else. A directory whose owner has no rights to it gets them back, through its own descriptor. */
#include "base/removal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEEP = 40, TRIES = 4 };

typedef struct Removal {
    int top;        /* where deep directories are moved to */
    unsigned moved; /* how many have been moved: the name of the next one */
    bool failed;    /* something could not be removed */
} Removal;

static bool remove_entries(Removal *r, DIR *dir, unsigned depth);

/* Restores the owner's rights to a directory that denies even reading. An O_PATH descriptor names
 * it through /proc, since no call changes the mode of a path and refuses to follow a link. */
static void give_rights(int at, const char *name) {
    int fd = openat(at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return;
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (chmod(path, 0700) != 0) errno = EACCES;
    close(fd);
}

static DIR *open_dir(int at, const char *name) {
    enum { FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };
    int fd = openat(at, name, FLAGS);
    if (fd < 0 && errno == EACCES) {
        give_rights(at, name);
        fd = openat(at, name, FLAGS);
    }
    if (fd < 0) return NULL;
    struct stat st;
    if (fstat(fd, &st) == 0 && (st.st_mode & 0700) != 0700 && fchmod(fd, 0700) != 0) errno = 0;
    DIR *dir = fdopendir(fd);
    if (!dir) close(fd);
    return dir;
}

static bool move_up(Removal *r, int at, const char *name) {
    char up[32];
    give_rights(at, name); /* its ".." is written to */
    do snprintf(up, sizeof up, "culprit-deep-%u", r->moved++);
    while (renameat(at, name, r->top, up) != 0 && (errno == EEXIST || errno == ENOTEMPTY));
    return faccessat(at, name, F_OK, AT_SYMLINK_NOFOLLOW) != 0;
}

static bool remove_entry(Removal *r, int at, const char *name, unsigned depth) {
    for (int i = 0; i < TRIES; i++) {
        if (unlinkat(at, name, 0) == 0 || errno == ENOENT) return true;
        if (unlinkat(at, name, AT_REMOVEDIR) == 0 || errno == ENOENT) return true;
        if (errno != ENOTEMPTY && errno != EEXIST && errno != EACCES && errno != ENOTDIR)
            return false;
        if (depth >= DEEP) return move_up(r, at, name);
        DIR *dir = open_dir(at, name);
        if (!dir && errno != ELOOP && errno != ENOTDIR) return errno == ENOENT;
        if (!dir) continue; /* it has become something else */
        remove_entries(r, dir, depth + 1);
        closedir(dir);
    }
    return false;
}

/* False when there is nothing left that could be removed. */
static bool remove_entries(Removal *r, DIR *dir, unsigned depth) {
    struct dirent *entry;
    bool any = false;
    while ((entry = readdir(dir)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (remove_entry(r, dirfd(dir), entry->d_name, depth))
            any = true;
        else
            r->failed = true;
    }
    return any;
}

static bool empty(DIR *dir) {
    Removal r = { .top = dirfd(dir) };
    unsigned moved;
    do { /* another pass finds what was moved up, and what the order of entries hid */
        moved = r.moved;
        r.failed = false;
        rewinddir(dir);
    } while (remove_entries(&r, dir, 0) || r.moved > moved);
    return !r.failed;
}

bool removal_below(int fd) {
    DIR *dir = open_dir(fd, ".");
    if (!dir) return false;
    bool ok = empty(dir);
    closedir(dir);
    return ok;
}

bool removal_at(int at, const char *name) {
    if (unlinkat(at, name, 0) == 0 || errno == ENOENT) return true;
    if (errno != EISDIR && errno != EPERM) return false;
    DIR *dir = open_dir(at, name);
    if (!dir) return errno == ENOENT;
    bool ok = empty(dir);
    closedir(dir);
    return (unlinkat(at, name, AT_REMOVEDIR) == 0 || errno == ENOENT) && ok;
}
