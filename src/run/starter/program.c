/* The last steps before the program under watch takes over: limits, descriptors, directory, and for
 * confined programs the loss of every right they do not need: an empty network namespace, files
 * through Landlock or, where there is none, through mounts, the filter of system calls, and, when
 * culprit runs as root, root itself: a program gets a uid that nobody else has (so that
 * RLIMIT_NPROC counts this tree alone), a build loses the capabilities that have nothing to do with
 * files. */
#include "run/starter/starter.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

enum { FIRST_UID = 0x60000000 }; /* far from every real user */
enum { PLAIN_ROOM = 4096 };      /* allowance for what else the user may have running */

static void limit(int what, uint64_t soft, uint64_t hard) {
    if (soft) setrlimit(what, &(struct rlimit){ soft, hard });
}

static void set_limits(const Powers *powers, const Order *order) {
    limit(RLIMIT_CPU, order->cpu_s, order->cpu_s + 1u); /* SIGXCPU first, SIGKILL a second later */
    if (order->steady) personality(ADDR_NO_RANDOMIZE);  /* some containers forbid it: never mind */
    if (order->cpu_us) /* survives exec; SIGPROF ends a program that does not expect it */
        setitimer(ITIMER_PROF, &(struct itimerval){ .it_value.tv_usec = order->cpu_us }, NULL);
    limit(RLIMIT_AS, order->memory, order->memory);
    limit(RLIMIT_FSIZE, order->file_size, order->file_size);
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    /* It limits all processes of a uid, so it is set only where the uid is this tree's own. */
    if (powers->user_ns || (powers->root && order->confined == CONFINE_PROGRAM))
        limit(RLIMIT_NPROC, order->processes, order->processes);
    else if (!powers->pid_ns &&
             order->processes) /* the guardian counts; this bounds what it sees */
        limit(RLIMIT_NPROC, order->processes + PLAIN_ROOM, order->processes + PLAIN_ROOM);
}

/* Takes a uid that nobody else has, and gives it the directory. */
static bool become_nobody(const char *dir, pid_t host_pid) {
    uid_t uid = FIRST_UID + (uid_t)host_pid;
    int fd = *dir ? open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (*dir && (fd < 0 || fchown(fd, uid, uid) != 0)) return false;
    if (fd >= 0) close(fd);
    return setgroups(0, NULL) == 0 && setresgid(uid, uid, uid) == 0 &&
           setresuid(uid, uid, uid) == 0;
}

/* A build run by root stays root for files, and for nothing else. */
static bool drop_powers(void) {
    static const int kept[] = { CAP_CHOWN,  CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH,
                                CAP_FOWNER, CAP_FSETID,       CAP_KILL,
                                CAP_SETGID, CAP_SETUID,       CAP_SYS_CHROOT };
    uint64_t mask = 0;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) mask |= 1ull << kept[i];
    for (int cap = 0; cap < 64; cap++)
        if (!(mask >> cap & 1) && prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) != 0 && errno == EPERM)
            return false;
    struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
    struct __user_cap_data_struct data[2] = {
        { (uint32_t)mask, (uint32_t)mask, 0 }, { (uint32_t)(mask >> 32), (uint32_t)(mask >> 32), 0 }
    };
    return syscall(SYS_capset, &header, data) == 0;
}

static bool confine(const Powers *powers, const Order *order, const Grants *grants,
                    pid_t host_pid) {
    bool program = order->confined == CONFINE_PROGRAM;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
    if (powers->net_fd >= 0 && !order->network && setns(powers->net_fd, CLONE_NEWNET) != 0)
        return false;
    /* Mounts also protect permissions and times of files; a program has the filter for those, and
     * making mounts would take longer than all the rest of its start. */
    bool mounts = !program || !powers->landlock_abi || !powers->seccomp;
    if (mounts && powers->own_mounts && !mounts_confine(order, grants)) return false;
    if (powers->landlock_abi && !landlock_confine(powers, order, grants)) return false;
    if (powers->root && !(program ? become_nobody(grants->dir, host_pid) : drop_powers()))
        return false;
    return !powers->seccomp || filter_install(order->confined, grants->program);
}

static void fail(ProcessTree *tree, enum StartPhase phase) __attribute__((noreturn));
static void fail(ProcessTree *tree, enum StartPhase phase) {
    tree->error = errno;
    tree->phase = (int)phase;
    _exit(127);
}

static void set_descriptors(const int fds[MOST_FDS]) {
    int high[MOST_FDS], n = fds[SIDE_FD] >= 0 ? MOST_FDS : SIDE_FD;
    /* move clear of the low numbers first: the given descriptors may be among them */
    for (int i = 0; i < n; i++) high[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, 100);
    for (int i = 0; i < n; i++) dup2(high[i], i);
    close_range((unsigned)n, ~0u, CLOSE_RANGE_CLOEXEC);
}

/* The kernel should kill us rather than culprit when memory runs out. */
static void offer_to_oom_killer(void) {
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0) return;
    if (write(fd, "500", 3) != 3) errno = 0;
    close(fd);
}

static char **next_strings(char **at, uint32_t n) {
    char **strings = calloc(n + 1u, sizeof *strings);
    if (!strings) _exit(127);
    for (uint32_t i = 0; i < n; i++) {
        strings[i] = *at;
        *at += strlen(*at) + 1;
    }
    return strings;
}

void program_become(const Powers *powers, ProcessTree *tree, pid_t host_pid) {
    const Order *order = &tree->order;
    char *at = tree->payload, *dir = at;
    at += strlen(dir) + 1;
    char **argv = next_strings(&at, order->argc), **env = next_strings(&at, order->envc);
    Grants grants = { .dir = dir, .program = argv[0], .reads = next_strings(&at, order->readc) };
    grants.writes = next_strings(&at, order->writec);
    set_descriptors(tree->fds);
    setsid();
    umask(022);
    offer_to_oom_killer();
    if (*dir && chdir(dir) != 0) fail(tree, PHASE_DIR);
    if (order->confined != CONFINE_PROGRAM) mounts_for_user(powers, order);
    set_limits(powers, order);
    if (order->confined && !confine(powers, order, &grants, host_pid)) fail(tree, PHASE_CONFINE);
    environ = env;
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execvp(argv[0], argv); /* PATH is that of the program's own environment */
    fail(tree, PHASE_EXEC);
}
