/* Files and directories. */
#include "base/file.h"
#include "base/removal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { FILE_MAX = 1 << 30 };

static bool read_all(int fd, Arena *arena, size_t size, Str *text) {
    /* The size may be a lie (/proc, a growing file): read until the end, not until the size. */
    Buf buf = { 0 };
    for (;;) {
        char *room = buf_room(&buf, size > buf.len ? size - buf.len + 1 : 65536);
        ssize_t n = read(fd, room, size > buf.len ? size - buf.len + 1 : 65536);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 || buf.len + (size_t)n > FILE_MAX) return buf_release(&buf), false;
        if (n == 0) break;
        buf.len += (size_t)n;
    }
    *text = arena_str(arena, buf_view(&buf));
    buf_release(&buf);
    return true;
}

bool file_read(Arena *arena, const char *path, Str *text, Error *err) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return err_errno(err, "cannot read %s", path);
    struct stat st;
    bool ok = fstat(fd, &st) == 0;
    if (ok && S_ISDIR(st.st_mode)) {
        close(fd);
        return err_set(err, STATUS_BAD, "cannot read %s: it is a directory", path);
    }
    if (ok && st.st_size > FILE_MAX) {
        close(fd);
        return err_set(err, STATUS_BAD, "cannot read %s: larger than 1 GiB", path);
    }
    ok = ok && read_all(fd, arena, (size_t)st.st_size, text);
    if (!ok) err_errno(err, "cannot read %s", path);
    close(fd);
    return ok;
}

static bool write_all(int fd, Str text) {
    while (text.len) {
        ssize_t n = write(fd, text.at, text.len);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        text = str_sub(text, (size_t)n, text.len);
    }
    return true;
}

/* Makes the entry in path's directory durable; if the directory cannot be synced, the file itself
 * is still there. */
static void sync_directory(const char *path) {
    Arena scratch = { 0 };
    const char *slash = strrchr(path, '/');
    const char *dir = !slash          ? "."
                      : slash == path ? "/"
                                      : arena_cstr(&scratch, (Str){ path, (size_t)(slash - path) });
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    arena_release(&scratch);
}

/* Writes to temporary, which becomes path if everything goes well and is removed if not. */
static bool replace(const char *path, char *temporary, Str text, bool keep) {
    int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0) return false;
    struct stat old;
    mode_t mask = umask(0);
    umask(mask);
    bool ok = write_all(fd, text) &&
              fchmod(fd, stat(path, &old) == 0 ? old.st_mode & 07777 : 0666 & ~mask) == 0 &&
              (!keep || fsync(fd) == 0 || errno == EINVAL); /* EINVAL: nothing to sync there */
    int code = errno;
    if (close(fd) != 0 && ok) ok = false, code = errno;
    if (ok && rename(temporary, path) != 0) ok = false, code = errno;
    if (!ok) unlink(temporary);
    if (ok && keep) sync_directory(path);
    errno = code;
    return ok;
}

void file_hold_signals(sigset_t *before) {
    sigset_t ends;
    sigemptyset(&ends);
    const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
    for (size_t i = 0; i < COUNT_OF(signals); i++) sigaddset(&ends, signals[i]);
    pthread_sigmask(SIG_BLOCK, &ends, before);
}

void file_let_signals(const sigset_t *before) {
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* What is no regular file (a device, a pipe) is written to, never replaced: for root, /dev/null
 * would be a file from then on. */
static bool is_special(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static bool write_into(const char *path, Str text) {
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) return false;
    bool ok = write_all(fd, text);
    int code = errno;
    if (close(fd) != 0 && ok) ok = false, code = errno;
    errno = code;
    return ok;
}

static bool write_file(const char *path, Str text, bool keep, Error *err) {
    Arena scratch = { 0 };
    sigset_t before;
    char *real = realpath(path, NULL); /* a link stays one: what it leads to is replaced */
    const char *to = real ? real : path;
    file_hold_signals(&before);
    bool ok = is_special(to) ? write_into(to, text)
                             : replace(to, arena_fmt(&scratch, "%s.XXXXXX", to), text, keep);
    if (!ok) err_write(err, "cannot write %s", path);
    file_let_signals(&before);
    free(real);
    arena_release(&scratch);
    return ok;
}

bool file_save(const char *path, Str text, Error *err) {
    return write_file(path, text, true, err);
}

bool file_write(const char *path, Str text, Error *err) {
    return write_file(path, text, false, err);
}

bool file_exists(const char *path) {
    return access(path, F_OK) == 0;
}

bool file_is_dir(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool file_make_dirs(const char *path, Error *err) {
    Arena scratch = { 0 };
    int code = 0;
    char *part = arena_strdup(&scratch, path);
    for (char *c = part + 1; *part; c++) {
        if (*c && *c != '/') continue;
        char kept = *c;
        *c = 0;
        if (mkdir(part, 0777) != 0 && errno != EEXIST) code = errno;
        *c = kept;
        if (!kept || code) break;
    }
    bool ok = file_is_dir(path);
    errno = code ? code : ENOTDIR;
    if (!ok && errno == ENOTDIR) err_errno(err, "cannot make directory %s", path);
    if (!ok && errno != ENOTDIR) err_write(err, "cannot make directory %s", path);
    arena_release(&scratch);
    return ok;
}

bool file_remove_tree(const char *path) {
    return removal_at(AT_FDCWD, path);
}

static bool copy_file(const char *from, const char *to, const struct stat *st) {
    int in = open(from, O_RDONLY | O_CLOEXEC);
    if (in < 0) return false;
    int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, st->st_mode & 07777);
    bool ok = out >= 0;
    char block[65536];
    ssize_t n = 0;
    while (ok && (n = read(in, block, sizeof block)) > 0)
        ok = write_all(out, (Str){ block, (size_t)n });
    ok = ok && n == 0;
    const struct timespec times[2] = { st->st_atim, st->st_mtim };
    if (out >= 0) ok = futimens(out, times) == 0 && ok, ok = close(out) == 0 && ok;
    close(in);
    return ok;
}

static bool copy_entry(const char *from, const char *to) {
    struct stat st;
    if (lstat(from, &st) != 0) return false;
    if (S_ISLNK(st.st_mode)) {
        char target[4096];
        ssize_t n = readlink(from, target, sizeof target - 1);
        if (n < 0) return false;
        target[n] = 0;
        return symlink(target, to) == 0;
    }
    if (S_ISREG(st.st_mode)) return copy_file(from, to, &st);
    if (!S_ISDIR(st.st_mode)) return true; /* sockets and devices are never sources */
    DIR *dir =
        mkdir(to, (st.st_mode & 07777) | 0700) == 0 || errno == EEXIST ? opendir(from) : NULL;
    bool ok = dir != NULL;
    Arena scratch = { 0 };
    struct dirent *entry;
    while (ok && (entry = readdir(dir)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        ok = copy_entry(file_join(&scratch, from, entry->d_name),
                        file_join(&scratch, to, entry->d_name));
    }
    arena_release(&scratch);
    if (dir) closedir(dir);
    const struct timespec times[2] = { st.st_atim, st.st_mtim };
    if (ok) utimensat(AT_FDCWD, to, times, 0);
    return ok;
}

bool file_copy_tree(const char *from, const char *to, Error *err) {
    Arena scratch = { 0 };
    /* A link to a directory stands for it; only links below it are copied as such. */
    const char *top = file_is_dir(from) ? file_join(&scratch, from, ".") : from;
    bool ok = copy_entry(top, to) || err_errno(err, "cannot copy %s to %s", from, to);
    arena_release(&scratch);
    return ok;
}

/* Links are followed at the top only: further down they may lead anywhere, or in circles. */
static void list_below(Arena *arena, const char *path, const char *suffix, bool top,
                       StrVec *paths) {
    struct stat st;
    if (fstatat(AT_FDCWD, path, &st, top ? 0 : AT_SYMLINK_NOFOLLOW) != 0) return;
    if (S_ISREG(st.st_mode)) {
        Str name = arena_str(arena, str_from(path));
        if (!suffix || str_ends(name, suffix)) vec_push(paths, name);
        return;
    }
    DIR *dir = S_ISDIR(st.st_mode) ? opendir(path) : NULL;
    if (!dir) return;
    struct dirent *entry;
    while ((entry = readdir(dir)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            list_below(arena, file_join(arena, path, entry->d_name), suffix, false, paths);
    closedir(dir);
}

static int compare_paths(const void *a, const void *b) {
    return str_cmp(*(const Str *)a, *(const Str *)b);
}

bool file_list(Arena *arena, const char *dir, const char *suffix, StrVec *paths, Error *err) {
    size_t before = paths->len;
    if (access(dir, R_OK) != 0) return err_errno(err, "cannot read %s", dir);
    list_below(arena, dir, suffix, true, paths);
    if (paths->len > before)
        qsort(paths->at + before, paths->len - before, sizeof(Str), compare_paths);
    return true;
}

const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *file_join(Arena *arena, const char *dir, const char *name) {
    size_t n = strlen(dir);
    return arena_fmt(arena, "%s%s%s", dir, n && dir[n - 1] == '/' ? "" : "/", name);
}

static bool is_program(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* An absolute path, because the program will be run in other directories. */
static char *absolute(Arena *arena, const char *path) {
    char here[PATH_MAX];
    while (path[0] == '.' && path[1] == '/') path += 2;
    return *path != '/' && getcwd(here, sizeof here) ? file_join(arena, here, path)
                                                     : arena_strdup(arena, path);
}

char *file_find_program(Arena *arena, const char *name) {
    if (strchr(name, '/')) return is_program(name) ? absolute(arena, name) : NULL;
    const char *path = getenv("PATH");
    Str rest = str_from(path ? path : "/usr/local/bin:/usr/bin:/bin"), dir;
    while (*name && str_split(&rest, ':', &dir)) {
        char *candidate = file_join(arena, dir.len ? arena_cstr(arena, dir) : ".", name);
        if (is_program(candidate)) return absolute(arena, candidate);
    }
    return NULL;
}

uint64_t file_free_bytes(const char *path) {
    struct statvfs fs;
    return statvfs(path, &fs) == 0 ? (uint64_t)fs.f_bavail * fs.f_frsize : 0;
}
