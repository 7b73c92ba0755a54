/* The guardian: process 1 of a tree's PID namespace. It starts the program, adopts and reaps every
 * orphan, and ends when the program does, or when the starter sends it SIGTERM. Before that it
 * kills and reaps what is left, so that all of its CPU time is counted: the kernel would kill the
 * namespace along with its process 1, but not count its time. It dies with the starter
 * (PR_SET_PDEATHSIG).
 *
 * It ignores signals from inside the namespace, which it knows by their sender's number.
 * RLIMIT_NPROC does not bind root, and no rlimit covers the memory and files of a whole tree, so
 * the guardian looks every now and then: when many processes were made since the last look
 * (/proc/sys/kernel/ns_last_pid is that of the reader's namespace), it counts those alive; it adds
 * up what is resident, what lies in the directory and what was written (family.c), and ends the
 * tree if any of these is too much.
 *
 * Without PID namespaces it is a subreaper: orphans become its children, so that the whole tree
 * descends from it and is found through /proc. It counts more often, and to end the tree it first
 * stops every process, until a look finds no new one, so that nothing forks while it kills. */
#include "run/starter/starter.h"

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
#define DISK_LOOK_S 0.2 /* between two looks at its directory, at least */

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

/* Inside the new user namespace we keep our uid and gid. */
static void map_user(const Powers *powers) {
    char line[64];
    write_file("/proc/self/setgroups", "deny");
    snprintf(line, sizeof line, "%u %u 1", powers->uid, powers->uid);
    write_file("/proc/self/uid_map", line);
    snprintf(line, sizeof line, "%u %u 1", powers->gid, powers->gid);
    write_file("/proc/self/gid_map", line);
}

static void sweep_descendants(void) {
    unsigned stopped = 0;
    for (;;) {
        unsigned found = family_find(getpid());
        bool settled = found <= stopped; /* all were stopped, and no new one has appeared since */
        family_signal(settled ? SIGKILL : SIGSTOP);
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

/* ---- what the whole tree uses ---- */
static bool too_many(const Powers *powers, const Order *order, unsigned found) {
    static long last_seen;
    if (order->processes == 0) return false;
    if (!powers->pid_ns) return found > order->processes;
    long last = read_number("/proc/sys/kernel/ns_last_pid");
    if (last < 0 || (last >= last_seen && last - last_seen < (long)order->processes / 2))
        return false;
    last_seen = last;
    unsigned alive = 0;
    for (long pid = 2; pid <= last; pid++) /* this finds threads as well: they count */
        if (kill((pid_t)pid, 0) == 0 && ++alive > order->processes) return true;
    return false;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* A large directory is looked at less often, so that looking takes at most a tenth of the time. */
static bool too_full(const char *dir, const Order *order) {
    static double next;
    double now = seconds();
    if (!order->disk || !*dir || now < next) return false;
    bool full = family_fills(dir, order->disk);
    next = now + DISK_LOOK_S + 10 * (seconds() - now);
    return full;
}

static bool uses_too_much(ProcessTree *tree) {
    uint64_t most = family_most_us();
    if (most > tree->each_cpu_us) tree->each_cpu_us = most;
    return (tree->order.each_cpu_us && most > tree->order.each_cpu_us) ||
           family_cpu_us() > tree->order.tree_cpu_us;
}

static enum Over look(const Powers *powers, ProcessTree *tree, pid_t host_pid) {
    static pid_t self; /* as /proc calls us */
    const Order *order = &tree->order;
    bool measured = order->resident || order->disk || order->written || order->tree_cpu_us;
    if (measured && !self) self = family_own_proc(powers, host_pid);
    /* Counting them first: where a bomb goes off, finding each member in /proc takes far longer. */
    if (powers->pid_ns && too_many(powers, order, 0)) return OVER_PROCESSES;
    unsigned found = measured || !powers->pid_ns ? family_find(self ? self : getpid()) : 0;
    if (!powers->pid_ns && too_many(powers, order, found)) return OVER_PROCESSES;
    if (order->resident && family_hogs(order->resident)) return OVER_MEMORY;
    if (order->written && family_wrote() > order->written) return OVER_WRITTEN;
    if (order->tree_cpu_us && uses_too_much(tree)) return OVER_CPU;
    return too_full(tree->payload, order) ? OVER_DISK : OVER_NOTHING;
}

/* Waits for the program; true when it ended by itself. */
static bool watch(const Powers *powers, ProcessTree *tree, pid_t program, pid_t host_pid) {
    sigset_t wanted;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGCHLD);
    sigaddset(&wanted, SIGTERM);
    const int every_ms = powers->pid_ns ? LOOK_MS : LOOK_PLAIN_MS;
    const struct timespec nap = { 0, every_ms * 1000000L };
    const double every_s = every_ms * 1e-3;
    double next = seconds() + every_s;
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
        if (sigtimedwait(&wanted, &info, &nap) == SIGTERM && (info.si_pid == 0 || !powers->pid_ns))
            return false;
        if (seconds() < next) continue; /* something ended: usually the program itself */
        tree->over = look(powers, tree, host_pid);
        if (tree->over) return false;
        next = seconds() + every_s;
    }
}

void guardian_live(const Powers *powers, ProcessTree *tree) {
    prctl(PR_SET_PDEATHSIG, powers->pid_ns ? SIGKILL : SIGTERM);
    if (!powers->pid_ns) prctl(PR_SET_CHILD_SUBREAPER, 1);
    setsid();
    if (powers->user_ns) map_user(powers);
    /* /proc shows us our pid as the rest of the machine sees it. */
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
    /* Where allowed, we get a higher priority than what we guard: a fork bomb leaves little CPU
     * time for its equals. */
    setpriority(PRIO_PROCESS, 0, GUARDIAN_NICE);
    watch(powers, tree, program, host_pid);
    sweep(powers);
    tree->written = family_reaped_wrote();
    _exit(0);
}
