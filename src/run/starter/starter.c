/* The starter's loop: takes orders from culprit, forks guardians, reports when a tree is gone. When
 * culprit dies the socket closes; then every tree is killed and culprit's working directory
 * removed. No memory is allocated per run except the order's payload; nothing here blocks on a
 * child. */
#include "run/starter/starter.h"

#include "base/removal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROOTS = 8 };
enum { TREES = 1024 }; /* at once; culprit's pools are far narrower */

static Powers powers;
static ProcessTree *trees; /* TREES of them, shared with the guardians */
static struct DoomedRoot {
    char *path; /* NULL: none, and none after it */
    int fd;     /* the directory itself, whatever happens to its name */
} roots[ROOTS]; /* ORDER_ROOT */

/* ---- what the kernel offers ---- */
static long raw_clone(int flags) {
    return syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
}

enum { CLONE_TRIES = 100, CLONE_NAP = 20 }; /* two seconds in all; milliseconds */

long patient_clone(int flags) {
    long pid = raw_clone(flags);
    for (int i = 0; pid < 0 && errno == EAGAIN && i < CLONE_TRIES; i++) {
        poll(NULL, 0, CLONE_NAP);
        pid = raw_clone(flags);
    }
    return pid;
}

static bool clone_works(int flags) {
    long pid = raw_clone(flags);
    if (pid == 0) _exit(0);
    int status;
    return pid > 0 && waitpid((pid_t)pid, &status, 0) == pid && status == 0;
}

/* An empty network namespace, made once: the kernel is slow to tear one down after every run. */
static int empty_network(void) {
    int own = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), empty = -1;
    if (own < 0) return -1;
    if (unshare(CLONE_NEWNET) == 0) {
        empty = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
        if (setns(own, CLONE_NEWNET) != 0) _exit(1);
    }
    close(own);
    return empty;
}

static void find_powers(void) {
    powers = (Powers){ .net_fd = -1, .uid = geteuid(), .gid = getegid() };
    powers.root = powers.uid == 0;
    if (clone_works(CLONE_NEWPID)) {
        powers.pid_ns = true;
        powers.net_fd = empty_network();
    } else if (clone_works(CLONE_NEWUSER | CLONE_NEWPID)) {
        powers.pid_ns = powers.user_ns = true;
        powers.own_net = clone_works(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET);
    }
    landlock_prepare(&powers);
    filter_prepare(&powers);
    mounts_prepare(&powers);
}

static uint32_t lacks(const Order *order) {
    uint32_t bits = powers.pid_ns ? 0 : LACK_PIDNS;
    if (!order->confined) return bits;
    if (powers.net_fd < 0 && !powers.own_net && !order->network &&
        !(powers.seccomp && order->confined == CONFINE_PROGRAM))
        bits |= LACK_NETWORK;
    if (!powers.landlock_abi && !powers.own_mounts) bits |= LACK_FILES;
    if (!powers.seccomp) bits |= LACK_SECCOMP;
    return bits;
}

/* ---- the end of everything ---- */
static void kill_tree(const ProcessTree *tree, int number) {
    if (tree->guardian > 0) kill(tree->guardian, number);
}

/* culprit is gone: everything it started and made must go too. */
static void end_all(void) __attribute__((noreturn));
static void end_all(void) {
    int number = powers.pid_ns ? SIGKILL : SIGTERM;
    for (int i = 0; i < TREES; i++) kill_tree(&trees[i], number);
    while (wait(NULL) > 0 || errno == EINTR) {
    }
    for (size_t i = 0; i < ROOTS && roots[i].path; i++)
        if (removal_below(roots[i].fd)) rmdir(roots[i].path);
    _exit(0);
}

static void send_all(const void *bytes, size_t n) {
    for (const char *at = bytes; n;) {
        ssize_t sent = send(STARTER_SOCKET, at, n, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) end_all();
        at += sent, n -= (size_t)sent;
    }
}

static void receive_all(void *bytes, size_t n) {
    for (char *at = bytes; n;) {
        ssize_t got = recv(STARTER_SOCKET, at, n, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) end_all();
        at += got, n -= (size_t)got;
    }
}

/* ---- orders ---- */
static int receive_order(Order *order, int fds[MOST_FDS]) {
    struct iovec part = { order, sizeof *order };
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(MOST_FDS * sizeof(int))];
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control
    };
    ssize_t got;
    do got = recvmsg(STARTER_SOCKET, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (got <= 0) end_all();
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    int n = 0;
    if (header && header->cmsg_type == SCM_RIGHTS) {
        n = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        memcpy(fds, CMSG_DATA(header), (size_t)n * sizeof(int));
    }
    if ((size_t)got < sizeof *order) receive_all((char *)order + got, sizeof *order - (size_t)got);
    return n;
}

static void report(ProcessTree *tree, const struct rusage *usage) {
    Report r = { .id = tree->order.id,
                 .phase = (uint32_t)tree->phase,
                 .error = tree->error,
                 .ended = tree->ended,
                 .wstatus = tree->wstatus,
                 .over = (uint32_t)tree->over,
                 .lacks = lacks(&tree->order),
                 .written = tree->written,
                 .each_cpu_us = tree->each_cpu_us };
    if (usage) {
        r.cpu_us = (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000u +
                   (uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
        r.peak = (uint64_t)usage->ru_maxrss * 1024u;
    }
    tree->guardian = 0;
    send_all(&r, sizeof r);
}

static void start(const Order *order, const int fds[MOST_FDS]) {
    char *payload = malloc(order->payload + 1u);
    if (!payload) _exit(1);
    receive_all(payload, order->payload);
    payload[order->payload] = 0;
    ProcessTree *tree = NULL;
    for (int i = 0; i < TREES && !tree; i++)
        if (trees[i].guardian == 0) tree = &trees[i];
    ProcessTree none;
    if (!tree) tree = &none;
    *tree = (ProcessTree){ .order = *order,
                           .payload = payload,
                           .fds = { fds[0], fds[1], fds[2], fds[3] } };
    int flags = !powers.pid_ns ? 0 : powers.user_ns ? CLONE_NEWPID | CLONE_NEWUSER : CLONE_NEWPID;
    if (order->confined && powers.own_net && !order->network) flags |= CLONE_NEWNET;
    bool refused = order->strict && lacks(order);
    long pid = tree == &none || refused ? (errno = EAGAIN, -1) : patient_clone(flags);
    if (pid == 0) guardian_live(&powers, tree);
    int error = errno;
    free(payload); /* tree->payload stays set: the guardian has its own copy there */
    for (int i = 0; i < MOST_FDS; i++)
        if (fds[i] >= 0) close(fds[i]);
    if (pid < 0) {
        tree->phase = refused ? PHASE_LACKS : PHASE_CLONE, tree->error = error;
        report(tree, NULL);
    } else
        tree->guardian = (pid_t)pid;
}

static void note_root(uint32_t length) {
    char *path = malloc(length + 1u);
    if (!path) _exit(1);
    receive_all(path, length);
    path[length] = 0;
    size_t n = 0;
    while (n < ROOTS && roots[n].path) n++;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (n < ROOTS && fd >= 0) roots[n] = (struct DoomedRoot){ path, fd };
}

static void take_order(void) {
    Order order;
    int fds[MOST_FDS] = { -1, -1, -1, -1 };
    receive_order(&order, fds);
    if (order.kind == ORDER_START) {
        start(&order, fds);
    } else if (order.kind == ORDER_KILL) {
        for (int i = 0; i < TREES; i++)
            if (trees[i].order.id == order.id) kill_tree(&trees[i], SIGTERM);
    } else {
        note_root(order.payload);
    }
}

/* ---- children ---- */
static void reap(void) {
    int status;
    struct rusage usage;
    pid_t pid;
    while ((pid = wait4(-1, &status, WNOHANG, &usage)) > 0)
        for (int i = 0; i < TREES; i++)
            if (trees[i].guardian == pid) {
                report(&trees[i], &usage);
                break;
            }
}

static int prepare(void) {
    for (int s = 1; s < NSIG; s++) signal(s, SIG_DFL);
    close_range(STARTER_SOCKET + 1, ~0u, CLOSE_RANGE_CLOEXEC);
    fcntl(STARTER_SOCKET, F_SETFD, FD_CLOEXEC);
    setsid(); /* the terminal's SIGINT is culprit's business */
    prctl(PR_SET_NAME, "culprit-starter");
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    find_powers();
    trees = mmap(NULL, TREES * sizeof *trees, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                 -1, 0);
    if (trees == MAP_FAILED) _exit(1);
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    return signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
}

int main(void) {
    int signals = prepare();
    struct pollfd polled[2] = { { STARTER_SOCKET, POLLIN, 0 }, { signals, POLLIN, 0 } };
    for (;;) {
        if (poll(polled, 2, -1) < 0 && errno != EINTR) end_all();
        if (polled[1].revents) {
            struct signalfd_siginfo info;
            while (read(signals, &info, sizeof info) > 0) {
            }
            reap();
        }
        if (polled[0].revents) take_order();
    }
}
