/* culprit __enter ROOT PATH WORD..: runs PATH with the words inside ROOT, a directory tree with
 * another distribution. `culprit compilers add --root` writes a wrapper that calls this, so that a
 * compiler of another distribution is a compiler like any other to everything else: it is started
 * by the runner, with the runner's limits.
 *
 * It makes a mount namespace of its own, binds /dev, /proc, /tmp and the current directory in, and
 * then calls chroot. Programs are linked statically, so that they run outside, confined like all
 * generated programs. -### is refused: its reader would call the driver's parts outside ROOT. */
#include "base/base.h"
#include "base/file.h"
#include "command/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

static bool write_text(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0) close(fd);
    return ok;
}

/* Without root's rights: a namespace in which this user is root. */
static bool own_namespace(Arena *arena, Error *err) {
    unsigned uid = geteuid(), gid = getegid();
    if (unshare(CLONE_NEWNS | (uid ? CLONE_NEWUSER : 0)) != 0)
        return err_errno(err, "cannot make a mount namespace");
    if (uid && !(write_text("/proc/self/setgroups", "deny") &&
                 write_text("/proc/self/uid_map", arena_fmt(arena, "0 %u 1", uid)) &&
                 write_text("/proc/self/gid_map", arena_fmt(arena, "0 %u 1", gid))))
        return err_errno(err, "cannot make a user namespace");
    return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 ||
           err_errno(err, "cannot make mounts private");
}

/* Binds dir of this machine at the same place inside; false: there is no such place. */
static bool bind_in(Arena *arena, const char *root, const char *dir) {
    const char *inside = arena_fmt(arena, "%s%s", root, dir);
    return file_is_dir(inside) && mount(dir, inside, NULL, MS_BIND | MS_REC, NULL) == 0;
}

static bool below(const char *path, const char *dir) {
    size_t n = strlen(dir);
    return strncmp(path, dir, n) == 0 && (path[n] == '/' || path[n] == 0);
}

static bool enter(Arena *arena, const char *root, Error *err) {
    static const char *const always[] = { "/dev", "/proc", "/tmp" };
    char here[PATH_MAX];
    bool bound = false;
    if (!getcwd(here, sizeof here)) return err_errno(err, "the current directory is gone");
    if (!own_namespace(arena, err)) return false;
    for (size_t i = 0; i < COUNT_OF(always); i++)
        bound |= bind_in(arena, root, always[i]) && below(here, always[i]);
    if (!bound && !bind_in(arena, root, here))
        return err_set(err, STATUS_BAD, "%s has no directory %s to work in", root, here);
    if (chroot(root) != 0 || chdir(here) != 0) return err_errno(err, "cannot enter %s", root);
    return true;
}

static bool is_one_of(const char *word, const char *const *list) {
    for (; *list; list++)
        if (strcmp(word, *list) == 0) return true;
    return false;
}

/* Linking: an output, and none of the options that stop before it. */
static bool links(char **words) {
    static const char *const before[] = {
        "-c", "-S", "-E", "-fsyntax-only", "-shared", "-r", NULL
    };
    bool output = false;
    for (; *words; words++) {
        if (is_one_of(*words, before)) return false;
        output |= strncmp(*words, "-o", 2) == 0;
    }
    return output;
}

int enter_command(int argc, char **argv) {
    static const char *const hidden[] = { "-###", NULL };
    Arena arena = { 0 };
    Error err = { 0 };
    if (argc < 3 || argv[1][0] != '/' || argv[2][0] != '/') {
        err_set(&err, STATUS_BAD, "__enter needs ROOT and PATH, both absolute");
        return err_report(&err);
    }
    for (int i = 3; i < argc; i++)
        if (is_one_of(argv[i], hidden)) return STATUS_NO;
    if (!enter(&arena, argv[1], &err)) return err_report(&err);
    char **words = ARENA_ARRAY(&arena, char *, (size_t)argc + 2);
    for (int i = 2; i < argc; i++) words[i - 2] = argv[i];
    if (links(words)) words[argc - 2] = arena_strdup(&arena, "-static");
    execv(words[0], words);
    err_errno(&err, "cannot start %s inside %s", argv[2], argv[1]);
    return err_report(&err);
}
