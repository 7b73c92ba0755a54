/* Mounts of a tree's own; see starter.h. Everything here happens in a new mount namespace, which
 * disappears with the last process in it. */
#include "run/starter/starter.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PLAIN = MS_NOSUID | MS_NODEV | MS_NOEXEC };

/* Where users, their sessions and their programs keep things. */
static const char *const private_places[] = { "/home",    "/root", "/tmp",
                                              "/var/tmp", "/run",  "/dev/shm" };

static bool own_namespace(void) {
    return unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

void mounts_for_user(const Powers *powers, const Order *order) {
    if (!powers->pid_ns || !own_namespace()) return;
    if (mount("proc", "/proc", "proc", PLAIN, NULL) != 0) errno = 0;
    if (order->no_debug && mount("none", "/usr/lib/debug", "tmpfs", PLAIN | MS_RDONLY, NULL) != 0)
        errno = 0;
}

/* ---- read-only ---- */
struct MountAttr { /* struct mount_attr, which not every libc's headers define */
    uint64_t set, clear, propagation, userns;
};
enum { MOUNT_SETATTR = 442, READ_ONLY = 1, RECURSIVE = 0x8000 };

static bool set_read_only(const char *path, bool on) {
    struct MountAttr attr = { .set = on ? READ_ONLY : 0, .clear = on ? 0 : READ_ONLY };
    return syscall(MOUNT_SETATTR, AT_FDCWD, path, on ? RECURSIVE : 0, &attr, sizeof attr) == 0;
}

void mounts_prepare(Powers *powers) {
    if (!powers->pid_ns) return;
    pid_t pid = (pid_t)patient_clone(powers->user_ns ? CLONE_NEWUSER : 0);
    if (pid == 0) _exit(!own_namespace() || !set_read_only("/", true));
    int status;
    powers->own_mounts = pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

/* ---- what stays ---- */
/* Makes the directories above path, and path itself as the same kind of file as fd, in a place that
 * was emptied. */
static bool make_path(const char *path, int fd) {
    char part[4096];
    size_t n = strlen(path);
    if (n >= sizeof part) return false;
    for (size_t i = 1; i < n; i++) {
        if (path[i] != '/') continue;
        memcpy(part, path, i);
        part[i] = 0;
        if (mkdir(part, 0755) != 0 && errno != EEXIST) return false;
    }
    struct stat st;
    if (fstat(fd, &st) != 0) return false;
    if (S_ISDIR(st.st_mode)) return mkdir(path, 0755) == 0 || errno == EEXIST;
    int made = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (made >= 0) close(made);
    return made >= 0;
}

enum { MOST_KEPT = 64 };
typedef struct Kept {
    char path[4096]; /* absolute, without links */
    int fd;
    bool writable;
} Kept;

static void keep(Kept *all, size_t *n, const char *path, bool writable) {
    Kept *k = &all[*n];
    char name[64];
    if (*n == MOST_KEPT || (k->fd = open(path, O_PATH | O_CLOEXEC)) < 0) return;
    snprintf(name, sizeof name, "/proc/self/fd/%d", k->fd);
    ssize_t length = readlink(name, k->path, sizeof k->path - 1);
    if (length <= 0 || k->path[0] != '/') return;
    k->path[length] = 0;
    k->writable = writable;
    ++*n;
}

static bool is_below(const char *path, const char *place) {
    size_t n = strlen(place);
    return strncmp(path, place, n) == 0 && path[n] == '/';
}

static bool hide_places(void) {
    for (size_t i = 0; i < sizeof private_places / sizeof *private_places; i++) {
        struct stat st;
        const char *place = private_places[i];
        if (lstat(place, &st) == 0 && S_ISDIR(st.st_mode) &&
            mount("none", place, "tmpfs", PLAIN, "mode=755,size=64k") != 0)
            return false;
    }
    return true;
}

static bool put_back(const Kept *k) {
    char name[64];
    bool hidden = false;
    for (size_t i = 0; i < sizeof private_places / sizeof *private_places; i++)
        hidden |= is_below(k->path, private_places[i]);
    snprintf(name, sizeof name, "/proc/self/fd/%d", k->fd);
    if (!hidden && !k->writable) return true;
    if (hidden) make_path(k->path, k->fd);
    return mount(name, k->path, NULL, MS_BIND | MS_REC, NULL) == 0;
}

bool mounts_confine(const Order *order, const Grants *grants) {
    Kept *all = calloc(MOST_KEPT, sizeof *all);
    size_t n = 0;
    bool program = order->confined == CONFINE_PROGRAM;
    if (!all || !own_namespace()) return false; /* mounts of the old one could not be bound */
    if (*grants->dir) keep(all, &n, ".", true);
    for (char **at = grants->writes; *at; at++) keep(all, &n, *at, true);
    for (char **at = grants->reads; *at; at++) keep(all, &n, *at, false);
    if (strchr(grants->program, '/')) keep(all, &n, grants->program, false);
    bool ok = !program || hide_places();
    for (size_t i = 0; ok && i < n; i++)
        ok = (!program && !all[i].writable) || put_back(&all[i]) || !all[i].writable;
    ok = ok && set_read_only("/", true);
    for (size_t i = 0; ok && i < n; i++)
        if (all[i].writable) ok = set_read_only(all[i].path, false);
    /* The directory entered before now lies hidden under the new mount. */
    ok = ok && (!*grants->dir || chdir(all[0].path) == 0);
    for (size_t i = 0; i < n; i++) close(all[i].fd);
    free(all);
    return ok;
}
