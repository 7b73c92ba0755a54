/* The last steps before the program under watch takes over: limits, descriptors, directory, and for
 * confined programs the loss of every right they do not need: an empty network namespace, Landlock
 * (writing only below the directory), and, when culprit runs as root, a uid nobody else has, so
 * that RLIMIT_NPROC counts this tree alone. */
#include "run/starter/starter.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/landlock.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

enum { FIRST_UID = 0x60000000 }; /* far from every real user */
enum { PLAIN_ROOM = 4096 };      /* what else the user may have running */

#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14) /* ABI 3; Debian 12's headers know 2 */
#endif

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
    /* It counts all processes of a uid: only where that is this tree. */
    if (powers->user_ns || (powers->root && order->confined))
        limit(RLIMIT_NPROC, order->processes, order->processes);
    else if (!powers->pid_ns &&
             order->processes) /* the guardian counts; this bounds what it sees */
        limit(RLIMIT_NPROC, order->processes + PLAIN_ROOM, order->processes + PLAIN_ROOM);
}

static bool allow_below(int ruleset, const char *path, uint64_t access) {
    int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0) return false;
    struct landlock_path_beneath_attr rule = { .allowed_access = access, .parent_fd = fd };
    bool ok = syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
    close(fd);
    return ok;
}

/* Reading and executing stay as they are; writing only below dir. */
static bool confine_writes(int abi, const char *dir) {
    uint64_t writes = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                      LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                      LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                      LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                      LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
    uint64_t on_files = LANDLOCK_ACCESS_FS_WRITE_FILE;
    if (abi >= 2) writes |= LANDLOCK_ACCESS_FS_REFER;
    if (abi >= 3) writes |= LANDLOCK_ACCESS_FS_TRUNCATE, on_files |= LANDLOCK_ACCESS_FS_TRUNCATE;
    struct landlock_ruleset_attr attr = { .handled_access_fs = writes };
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof attr, 0);
    if (ruleset < 0) return false;
    allow_below(ruleset, "/dev/null", on_files);
    bool ok = (!*dir || allow_below(ruleset, dir, writes)) &&
              syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
    close(ruleset);
    return ok;
}

static bool become_nobody(const char *dir, pid_t host_pid) {
    uid_t uid = FIRST_UID + (uid_t)host_pid;
    if (*dir && chown(dir, uid, uid) != 0) return false;
    return setgroups(0, NULL) == 0 && setresgid(uid, uid, uid) == 0 &&
           setresuid(uid, uid, uid) == 0;
}

static bool confine(const Powers *powers, const char *dir, pid_t host_pid) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
    if (powers->net_fd >= 0 && setns(powers->net_fd, CLONE_NEWNET) != 0) return false;
    if (powers->landlock_abi && !confine_writes(powers->landlock_abi, dir)) return false;
    return !powers->root || become_nobody(dir, host_pid);
}

static void fail(ProcessTree *tree, enum StartPhase phase) __attribute__((noreturn));
static void fail(ProcessTree *tree, enum StartPhase phase) {
    tree->error = errno;
    tree->phase = (int)phase;
    _exit(127);
}

static void set_descriptors(const int fds[3]) {
    int high[3]; /* clear of 0..2 first: the given ones may be among them */
    for (int i = 0; i < 3; i++) high[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, 100);
    for (int i = 0; i < 3; i++) dup2(high[i], i);
    close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
}

/* The kernel should prefer us to culprit when memory runs out. */
static void offer_to_oom_killer(void) {
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0) return;
    if (write(fd, "500", 3) != 3) errno = 0;
    close(fd);
}

/* A /proc of the tree's own PID namespace, for programs that look themselves up by number: the leak
 * sanitizer does, and without one its answer is a matter of luck. And an empty /usr/lib/debug, if
 * asked for. Where the kernel does not allow it, the machine's own stay. */
static void own_mounts(const Powers *powers, const Order *order) {
    enum { PLAIN = MS_NOSUID | MS_NODEV | MS_NOEXEC };
    if (!powers->pid_ns || unshare(CLONE_NEWNS) != 0) return;
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return;
    if (mount("proc", "/proc", "proc", PLAIN, NULL) != 0) errno = 0;
    if (order->no_debug && mount("none", "/usr/lib/debug", "tmpfs", PLAIN | MS_RDONLY, NULL) != 0)
        errno = 0;
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
    set_descriptors(tree->fds);
    setsid();
    umask(022);
    offer_to_oom_killer();
    if (*dir && chdir(dir) != 0) fail(tree, PHASE_DIR);
    if (!order->confined) own_mounts(powers, order);
    if (order->confined && !confine(powers, dir, host_pid)) fail(tree, PHASE_CONFINE);
    set_limits(powers, order);
    environ = env;
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execvp(argv[0], argv); /* PATH is that of the program's own environment */
    fail(tree, PHASE_EXEC);
}
