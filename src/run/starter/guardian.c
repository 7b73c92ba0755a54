/* The guardian: process 1 of a tree's PID namespace. It starts the program, adopts and reaps every
 * orphan, and ends when the program does, or when the starter sends it SIGTERM. Before that it
 * kills and reaps what is left, so that the CPU time of all of it is counted: the kernel would kill
 * the namespace with its process 1, but not count. It dies with the starter (PR_SET_PDEATHSIG).
 *
 * Signals from inside the namespace do not impress it: they come with their sender's number.
 * RLIMIT_NPROC does not bind root, so the guardian counts: when many processes were made since the
 * last look (/proc/sys/kernel/ns_last_pid is that of the reader's namespace), it counts those alive
 * and ends the tree if they are too many.
 *
 * Without PID namespaces it is a subreaper: orphans become its children, so that all of the tree
 * are descendants of it, found through /proc. It counts them more often, and to end them it first
 * stops them all, until a look finds no new one, so that nothing forks while it kills. */
#include "run/starter/starter.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_MS = 50, LOOK_PLAIN_MS = 10 }; /* between two counts of the tree */
enum { GUARDIAN_NICE = -15 };

static bool write_file(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0) close(fd);
    return ok;
}

static long read_number(const char *path) {
    char text[32];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0) close(fd);
    if (n <= 0) return -1;
    text[n] = 0;
    return strtol(text, NULL, 10);
}

/* Inside the new user namespace we are who we were. */
static void map_user(const Powers *powers) {
    char line[64];
    write_file("/proc/self/setgroups", "deny");
    snprintf(line, sizeof line, "%u %u 1", powers->uid, powers->uid);
    write_file("/proc/self/uid_map", line);
    snprintf(line, sizeof line, "%u %u 1", powers->gid, powers->gid);
    write_file("/proc/self/gid_map", line);
}

/* ---- without a PID namespace ---- */
static pid_t parent_of(const char *pid) {
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0) close(fd);
    if (n <= 0) return -1;
    text[n] = 0;
    const char *behind = strrchr(text, ')'); /* the name may hold anything */
    return behind && strlen(behind) > 4 ? (pid_t)strtol(behind + 4, NULL, 10) : -1;
}

enum { MOST_PROCESSES = 1 << 16 };
static struct Process {
    pid_t pid, parent;
    bool ours;               /* a descendant of this guardian */
} processes[MOST_PROCESSES]; /* of the machine, by pid */

static struct Process *find_process(pid_t pid, size_t n) {
    size_t low = 0, high = n;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (processes[mid].pid < pid)
            low = mid + 1;
        else
            high = mid;
    }
    return low < n && processes[low].pid == pid ? &processes[low] : NULL;
}

/* The machine's processes, in the order of /proc: by pid. */
static size_t list_processes(void) {
    DIR *proc = opendir("/proc");
    size_t n = 0;
    struct dirent *entry;
    while (proc && n < MOST_PROCESSES && (entry = readdir(proc)) != NULL)
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
            processes[n++] = (struct Process){ (pid_t)strtol(entry->d_name, NULL, 10),
                                               parent_of(entry->d_name), false };
    if (proc) closedir(proc);
    return n;
}

/* Marks our descendants among the n processes; returns how many there are. */
static unsigned mark_descendants(size_t n) {
    unsigned found = 0, before;
    pid_t self = getpid();
    do {
        before = found;
        for (size_t i = 0; i < n; i++) {
            struct Process *p = &processes[i],
                           *parent = p->ours ? NULL : find_process(p->parent, n);
            if (p->ours || (p->parent != self && !(parent && parent->ours))) continue;
            p->ours = true;
            found++;
        }
    } while (found > before);
    return found;
}

static void sweep_descendants(void) {
    unsigned stopped = 0;
    for (;;) {
        size_t n = list_processes();
        unsigned found = mark_descendants(n);
        bool settled = found <= stopped; /* all were stopped, and no new one came since */
        for (size_t i = 0; i < n; i++)
            if (processes[i].ours) kill(processes[i].pid, settled ? SIGKILL : SIGSTOP);
        stopped = settled ? 0 : found;
        while (waitpid(-1, NULL, WNOHANG) > 0) {
        }
        if (found == 0 && waitpid(-1, NULL, 0) < 0 && errno == ECHILD) return;
    }
}

/* Kills and reaps every other process of the tree. */
static void sweep(const Powers *powers) {
    while (powers->pid_ns) {
        kill(-1, SIGKILL);
        if (waitpid(-1, NULL, 0) < 0 && errno == ECHILD) return;
        while (waitpid(-1, NULL, WNOHANG) > 0) {
        }
    }
    sweep_descendants();
}

/* ---- counting ---- */
static bool too_many(const Powers *powers, const ProcessTree *tree) {
    static long last_seen;
    if (tree->order.processes == 0) return false;
    if (!powers->pid_ns) return mark_descendants(list_processes()) > tree->order.processes;
    long last = read_number("/proc/sys/kernel/ns_last_pid");
    if (last < 0 || (last >= last_seen && last - last_seen < (long)tree->order.processes / 2))
        return false;
    last_seen = last;
    unsigned alive = 0;
    for (long pid = 2; pid <= last; pid++) /* threads are found too: they count */
        if (kill((pid_t)pid, 0) == 0 && ++alive > tree->order.processes) return true;
    return false;
}

/* Waits for the program; true when it ended by itself. */
static bool watch(const Powers *powers, ProcessTree *tree, pid_t program) {
    sigset_t wanted;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGCHLD);
    sigaddset(&wanted, SIGTERM);
    const struct timespec look = { 0, (powers->pid_ns ? LOOK_MS : LOOK_PLAIN_MS) * 1000000L };
    for (;;) {
        int status;
        pid_t pid;
        while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
            if (pid == program) {
                tree->wstatus = status;
                tree->ended = 1;
                return true;
            }
        siginfo_t info;
        if (sigtimedwait(&wanted, &info, &look) == SIGTERM && (info.si_pid == 0 || !powers->pid_ns))
            return false;
        if (too_many(powers, tree)) {
            tree->crowded = 1;
            return false;
        }
    }
}

void guardian_live(const Powers *powers, ProcessTree *tree) {
    prctl(PR_SET_PDEATHSIG, powers->pid_ns ? SIGKILL : SIGTERM);
    if (!powers->pid_ns) prctl(PR_SET_CHILD_SUBREAPER, 1);
    setsid();
    if (powers->user_ns) map_user(powers);
    /* Through /proc we see ourselves as the rest of the machine does. */
    char self[32];
    ssize_t n = readlink("/proc/self", self, sizeof self - 1);
    pid_t host_pid = n > 0 ? (self[n] = 0, (pid_t)strtol(self, NULL, 10)) : 1;
    pid_t program = (pid_t)patient_clone(0);
    if (program == 0) program_become(powers, tree, host_pid);
    if (program < 0) {
        tree->error = errno;
        tree->phase = PHASE_CLONE;
        _exit(0);
    }
    close_range(0, ~0u, 0);
    /* Where we may, we come before what we guard: a bomb of thousands leaves little to its like. */
    setpriority(PRIO_PROCESS, 0, GUARDIAN_NICE);
    watch(powers, tree, program);
    sweep(powers);
    _exit(0);
}
