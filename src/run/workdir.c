/* Working directories below one root per place. A root is called culprit-PID-STARTTIME-XXXXXX (as
 * /proc shows them, which does not depend on the PID namespace) and is locked by its owner. It is
 * removed at exit, by the starter when culprit is killed, and, should both have died, by the next
 * culprit that makes a root: it removes those whose owner is gone and whose lock is free. */
#include "run/workdir.h"

#include "base/file.h"
#include "base/removal.h"
#include "run/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>

enum { ROOM_MIN = 512 << 20 }; /* free bytes below which /dev/shm is not used */

typedef struct Root {
    char *path;      /* NULL: not made yet */
    pid_t owner;     /* who made it: a forked copy of us makes its own */
    unsigned number; /* of directories made, for their names */
} Root;

static Root fast, large; /* fast is on /dev/shm where there is room, large on disk */

/* ---- who is alive ---- */
static uint64_t start_time(const char *pid) {
    Arena scratch = { 0 };
    Str text, rest, field = { 0 };
    uint64_t ticks = 0;
    if (file_read(&scratch, arena_fmt(&scratch, "/proc/%s/stat", pid), &text, NULL)) {
        const char *behind = strrchr(text.at, ')');
        rest = str_from(behind ? behind + 2 : "");
        for (int i = 3; i <= 22 && str_split(&rest, ' ', &field); i++) {
        }
        str_to_u64(field, &ticks);
    }
    arena_release(&scratch);
    return ticks;
}

/* Ours are called exactly culprit-PID-START-XXXXXX: anything else that begins like that belongs to
 * a user. */
static bool is_left_over(Arena *scratch, Str name) {
    Str rest = name, part, pid;
    uint64_t number, start;
    bool ours = str_split(&rest, '-', &part) && str_is(part, "culprit") &&
                str_split(&rest, '-', &pid) && str_to_u64(pid, &number) &&
                str_split(&rest, '-', &part) && str_to_u64(part, &start) && rest.len == 6 &&
                !memchr(rest.at, '-', rest.len);
    return ours && start_time(arena_cstr(scratch, pid)) != start;
}

/* Removes only what we made: anybody may choose such a name for a directory of their own. */
static void remove_left_over(DIR *place, const char *name) {
    int fd = openat(dirfd(place), name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    struct stat st;
    if (fd < 0) return;
    if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
        removal_below(fd))
        unlinkat(dirfd(place), name, AT_REMOVEDIR);
    close(fd);
}

static void remove_stale(const char *place) {
    DIR *dir = opendir(place);
    if (!dir) return;
    Arena scratch = { 0 };
    struct dirent *entry;
    while ((entry = readdir(dir)) != NULL)
        if (is_left_over(&scratch, str_from(entry->d_name))) remove_left_over(dir, entry->d_name);
    closedir(dir);
    arena_release(&scratch);
}

/* ---- roots ---- */
static void remove_roots(void) {
    for (Root *root = &fast; root; root = root == &fast ? &large : NULL)
        if (root->path && root->owner == getpid()) file_remove_tree(root->path);
}

static char *try_root(Arena *arena, const char *place) {
    remove_stale(place);
    char pid[32];
    ssize_t n = readlink("/proc/self", pid, sizeof pid - 1);
    pid[n > 0 ? n : 0] = 0;
    char *path = arena_fmt(arena, "%s/culprit-%s-%llu-XXXXXX", place, n > 0 ? pid : "0",
                           (unsigned long long)start_time("self"));
    if (!mkdtemp(path)) return NULL;
    int lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (lock < 0) return NULL;
    if (fchmod(lock, 0711) != 0) errno = 0; /* for programs under another uid */
    flock(lock, LOCK_EX | LOCK_NB);         /* held until we end */
    return path;
}

static const char *disk(void) {
    const char *tmp = getenv("TMPDIR");
    return tmp && *tmp == '/' ? tmp : "/tmp";
}

/* Signals wait meanwhile: until the starter knows of it, nobody would remove it after our death. */
static void make_root(Root *root, const char *first) {
    Arena scratch = { 0 };
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    const char *const places[] = { first, disk(), "/tmp", "/var/tmp" };
    char *path = NULL;
    for (size_t i = 0; i < COUNT_OF(places) && !path; i++)
        if (places[i]) path = try_root(&scratch, places[i]);
    if (!path) {
        Error err;
        err_errno(&err, "no place for temporary files (tried /dev/shm, %s, /var/tmp)", disk());
        exit(err_report(&err));
    }
    static pid_t registered;
    if (registered != getpid() && registered == 0) atexit(remove_roots);
    registered = getpid();
    *root = (Root){ .path = mem_strdup(path), .owner = getpid() };
    proc_remove_at_death(root->path);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    arena_release(&scratch);
}

static char *new_below(Arena *arena, Root *root, const char *first, const char *purpose) {
    if (!root->path || root->owner != getpid()) make_root(root, first);
    char *path = arena_fmt(arena, "%s/%s.%u", root->path, purpose, ++root->number);
    if (mkdir(path, 0755) != 0) {
        Error err;
        err_errno(&err, "cannot make the directory %s", path);
        exit(err_report(&err));
    }
    return path;
}

char *workdir_new(Arena *arena, const char *purpose) {
    bool room = file_free_bytes("/dev/shm") >= ROOM_MIN;
    return new_below(arena, &fast, room ? "/dev/shm" : NULL, purpose);
}

char *workdir_new_large(Arena *arena, const char *purpose) {
    return new_below(arena, &large, NULL, purpose);
}

void workdir_remove(const char *path) {
    file_remove_tree(path);
}

/* How much of the text at `at` is a path to a directory below one of the roots, with its slash. */
static size_t hidden_at(Str text, size_t at) {
    for (const Root *root = &fast; root; root = root == &fast ? &large : NULL) {
        Str rest = str_sub(text, at, text.len);
        if (!root->path || !str_starts(rest, root->path)) continue;
        size_t n = strlen(root->path) + 1;
        while (n < rest.len && !strchr("/ \t\n'\":", rest.at[n])) n++;
        return n < rest.len && rest.at[n] == '/' ? n + 1 : n;
    }
    return 0;
}

Str workdir_hide(Arena *arena, Str text) {
    Buf out = { 0 };
    bool any = false;
    for (size_t i = 0; i < text.len;) {
        size_t hidden = text.at[i] == '/' ? hidden_at(text, i) : 0;
        any |= hidden > 0;
        if (!hidden) buf_char(&out, text.at[i]);
        i += hidden ? hidden : 1;
    }
    Str shown = any ? arena_str(arena, buf_view(&out)) : text;
    buf_release(&out);
    return shown;
}
