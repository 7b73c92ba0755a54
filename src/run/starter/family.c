/* The processes of a tree, found through /proc, and what they use together; see starter.h.
 *
 * The guardian adopts every orphan, so that the whole tree descends from it. In a PID namespace it
 * reads a /proc of that namespace, mounted at its first look (most programs have ended before
 * then): nobody else is in it. Without one it looks at all processes of the machine.
 *
 * Memory is what is resident. Pages that processes share are counted for each of them at first;
 * only where that is too much is the kernel asked for each process's share, which takes longer.
 * Disk is what lies below the directory, plus what processes hold open after its name is gone. What
 * a process wrote counts for its parent once that has waited for it. */
#include "run/starter/starter.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_PROCESSES = 1 << 16, MOST_ENTRIES = 1 << 17, ENTRY_BYTES = 1024, DEEPEST = 32 };

static FamilyMember members[MOST_PROCESSES]; /* of the machine, by pid */
static size_t n_members;

/* ---- who they are ---- */
static size_t read_text(const char *path, char *text, size_t size) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, size - 1) : -1;
    if (fd >= 0) close(fd);
    text[n > 0 ? n : 0] = 0;
    return n > 0 ? (size_t)n : 0;
}

static pid_t parent_of(const char *pid) {
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    if (!read_text(path, text, sizeof text)) return -1;
    const char *behind = strrchr(text, ')'); /* the name may hold anything */
    return behind && strlen(behind) > 4 ? (pid_t)strtol(behind + 4, NULL, 10) : -1;
}

static FamilyMember *find_member(pid_t pid) {
    size_t low = 0, high = n_members;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (members[mid].pid < pid)
            low = mid + 1;
        else
            high = mid;
    }
    return low < n_members && members[low].pid == pid ? &members[low] : NULL;
}

/* All processes, in the order of /proc: by pid. */
static void list_members(void) {
    DIR *proc = opendir("/proc");
    struct dirent *entry;
    n_members = 0;
    while (proc && n_members < MOST_PROCESSES && (entry = readdir(proc)) != NULL)
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
            members[n_members++] = (FamilyMember){ (pid_t)strtol(entry->d_name, NULL, 10),
                                                   parent_of(entry->d_name), false };
    if (proc) closedir(proc);
}

unsigned family_find(pid_t self) {
    unsigned found = 0, before;
    list_members();
    do {
        before = found;
        for (size_t i = 0; i < n_members; i++) {
            FamilyMember *m = &members[i], *parent = m->ours ? NULL : find_member(m->parent);
            if (m->ours || (m->parent != self && !(parent && parent->ours))) continue;
            m->ours = true;
            found++;
        }
    } while (found > before);
    return found;
}

void family_signal(int number) {
    for (size_t i = 0; i < n_members; i++)
        if (members[i].ours) kill(members[i].pid, number);
}

pid_t family_own_proc(const Powers *powers, pid_t host_pid) {
    enum { PLAIN = MS_NOSUID | MS_NODEV | MS_NOEXEC };
    if (!powers->pid_ns || unshare(CLONE_NEWNS) != 0) return host_pid;
    bool own = mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
               mount("proc", "/proc", "proc", PLAIN, NULL) == 0;
    return own ? getpid() : host_pid;
}

/* ---- memory ---- */
static uint64_t resident_of(pid_t pid) {
    char path[64], text[128], *end;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    if (!read_text(path, text, sizeof text)) return 0;
    strtoull(text, &end, 10);
    return strtoull(end, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Its own pages and its share of shared ones; all its resident ones if the kernel does not say. */
static uint64_t part_of(pid_t pid) {
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)pid);
    const char *at = read_text(path, text, sizeof text) ? strstr(text, "\nPss:") : NULL;
    return at ? strtoull(at + 5, NULL, 10) * 1024 : resident_of(pid);
}

static uint64_t sum(uint64_t of(pid_t)) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < n_members; i++)
        if (members[i].ours) bytes += of(members[i].pid);
    return bytes;
}

bool family_hogs(uint64_t limit) {
    return sum(resident_of) > limit && sum(part_of) > limit;
}

/* ---- CPU time ---- */
enum { OWN_LAST = 15, CHILDREN_LAST = 17 };

/* Fields 14 to `last` of /proc/PID/stat: its own time, and that of children it has waited for. */
static uint64_t cpu_us_to(pid_t pid, int last) {
    enum { FIRST = 14 };
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    char *at = read_text(path, text, sizeof text) ? strrchr(text, ')') : NULL;
    uint64_t ticks = 0;
    for (int field = 3; at && field <= last; field++) {
        at = strchr(at + 1, ' ');
        if (at && field >= FIRST) ticks += strtoull(at, NULL, 10);
    }
    return ticks * 1000000u / (uint64_t)sysconf(_SC_CLK_TCK);
}

static uint64_t cpu_us_of(pid_t pid) {
    return cpu_us_to(pid, CHILDREN_LAST);
}

uint64_t family_most_us(void) {
    uint64_t most = 0;
    for (size_t i = 0; i < n_members; i++) {
        uint64_t own = members[i].ours ? cpu_us_to(members[i].pid, OWN_LAST) : 0;
        if (own > most) most = own;
    }
    return most;
}

static uint64_t microseconds(struct timeval t) {
    return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_usec;
}

uint64_t family_cpu_us(void) {
    struct rusage reaped;
    getrusage(RUSAGE_CHILDREN, &reaped);
    return sum(cpu_us_of) + microseconds(reaped.ru_utime) + microseconds(reaped.ru_stime);
}

/* ---- writing ---- */
static uint64_t written_by(const char *path) {
    char text[512];
    const char *at = read_text(path, text, sizeof text) ? strstr(text, "\nwchar:") : NULL;
    return at ? strtoull(at + 7, NULL, 10) : 0;
}

static uint64_t written_of(pid_t pid) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/io", (int)pid);
    return written_by(path);
}

uint64_t family_reaped_wrote(void) {
    return written_by("/proc/self/io");
}

uint64_t family_wrote(void) {
    return sum(written_of) + family_reaped_wrote();
}

/* ---- disk ---- */
typedef struct Walk {
    uint64_t bytes, limit;
    unsigned entries;
} Walk;

static bool full(const Walk *w) {
    return w->bytes > w->limit || w->entries > MOST_ENTRIES;
}

/* Everything below the directory open as fd, which is closed; directories deeper than DEEPEST count
 * as one entry. */
static void walk_dir(Walk *w, int fd, unsigned depth) {
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (!dir && fd >= 0) close(fd);
    struct dirent *entry;
    while (dir && !full(w) && (entry = readdir(dir)) != NULL) {
        struct stat st;
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) continue;
        if (fstatat(dirfd(dir), name, &st, AT_SYMLINK_NOFOLLOW) != 0) continue;
        w->entries++;
        w->bytes += (uint64_t)st.st_blocks * 512 + ENTRY_BYTES;
        if (S_ISDIR(st.st_mode) && depth < DEEPEST)
            walk_dir(w, openat(dirfd(dir), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
                     depth + 1);
    }
    if (dir) closedir(dir);
}

/* A nameless file that several processes have open is counted for each of them: forks of one
 * program. */
static void walk_open_files(Walk *w, pid_t pid) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    DIR *dir = opendir(path);
    struct dirent *entry;
    while (dir && !full(w) && (entry = readdir(dir)) != NULL) {
        struct stat st;
        if (entry->d_name[0] == '.' || fstatat(dirfd(dir), entry->d_name, &st, 0) != 0) continue;
        if (S_ISREG(st.st_mode) && st.st_nlink == 0) w->bytes += (uint64_t)st.st_blocks * 512;
    }
    if (dir) closedir(dir);
}

bool family_fills(const char *dir, uint64_t limit) {
    Walk w = { .limit = limit };
    walk_dir(&w, open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), 0);
    for (size_t i = 0; i < n_members && !full(&w); i++)
        if (members[i].ours) walk_open_files(&w, members[i].pid);
    return full(&w);
}
