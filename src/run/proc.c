/* culprit's side of the starter: sends orders, reads what programs write, keeps the wall clock.
 *
 * Two pipes per tree, one socket for all and one descriptor for interrupts go into one poll(). A
 * tree is done when the starter has reported it gone and its pipes are drained; then nothing of it
 * is left on the machine. */
#include "run/proc.h"

#include "base/quantity.h"
#include "run/run_log.h"
#include "run/workdir.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "run/starter/protocol.h"

extern const char starter_image[], starter_image_end[];

enum { PIPES = 3, SIDE = 2 };

struct Proc {
    uint32_t id;        /* its name at the starter */
    int pipe[PIPES];    /* read ends of standard output, error and the side pipe; -1: closed */
    Buf text[PIPES];    /* what came through them */
    RunLimits limits;   /* with defaults filled in */
    const char *enough; /* the spec's, which lives as long as the run */
    RunProfile profile;
    Buf note;       /* what the log will say about it, if there is a log */
    double started; /* clock_now */
    double wall_s;  /* when done */
    bool gone;      /* the starter reported it, or it never started */
    bool killed;    /* ORDER_KILL was sent, because of why */
    RunEnd why;
    Report report;
};

static VEC(Proc *) running; /* all not yet finished, done or not */
static StrVec roots;        /* directories to be removed at death */
static int starter = -1;    /* our end of the socket */
static pid_t owner; /* the process the socket belongs to: a forked copy of us needs its own */
static uint32_t last_id;
static bool strict;       /* run_be_strict */
static RunRights allowed; /* run_allow_builds */
static double children_cpu;

void run_allow_builds(const RunRights *rights) {
    allowed = *rights;
}

bool run_builds_are_confined(void) {
    return !allowed.unconfined;
}

void run_be_strict(void) {
    strict = true;
}

double run_children_cpu(void) {
    return children_cpu;
}

/* ---- the starter ---- */
static NORETURN void cannot_start(const char *what) {
    Error err;
    err_errno(&err, "cannot start processes: %s", what);
    err.status = STATUS_LACKS;
    exit(err_report(&err));
}

static int image_fd(void) {
    int fd = memfd_create("culprit-starter", MFD_CLOEXEC);
    size_t size = (size_t)(starter_image_end - starter_image);
    if (fd < 0 || write(fd, starter_image, size) != (ssize_t)size) cannot_start("memfd_create");
    int high = fcntl(fd, F_DUPFD_CLOEXEC, 10); /* clear of STARTER_SOCKET */
    close(fd);
    return high;
}

static void send_all(const void *bytes, size_t n) {
    for (const char *at = bytes; n;) {
        ssize_t sent = send(starter, at, n, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return; /* its death is noticed by receive_reports */
        at += sent, n -= (size_t)sent;
    }
}

static void send_root(Str path) {
    Order order = { .kind = ORDER_ROOT, .payload = (uint32_t)path.len };
    send_all(&order, sizeof order);
    send_all(path.at, path.len);
}

static void start_starter(void) {
    int ends[2], image = image_fd();
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) cannot_start("socketpair");
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", image);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STARTER_SOCKET);
    /* from its first moment on, the terminal's SIGINT is not for it */
    posix_spawnattr_t attributes;
    sigset_t all;
    sigfillset(&all);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    pid_t pid;
    char *argv[] = { "culprit-starter", NULL }, *env[] = { NULL };
    errno = posix_spawn(&pid, path, &actions, &attributes, argv, env);
    if (errno) cannot_start("the starter");
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(image);
    close(ends[1]);
    starter = ends[0];
    owner = getpid();
    for (size_t i = 0; i < roots.len; i++) send_root(roots.at[i]);
}

static void need_starter(void) {
    if (starter >= 0 && owner == getpid()) return;
    if (starter >= 0) { /* we are a forked copy: the trees belong to our parent */
        close(starter);
        vec_clear(&running);
        vec_clear(&roots);
    }
    start_starter();
}

void proc_remove_at_death(const char *path) {
    need_starter();
    vec_push(&roots, str_from(mem_strdup(path)));
    send_root(vec_last(&roots));
}

/* ---- starting ---- */
static Proc *not_started(Proc *proc, enum StartPhase phase, int error) {
    proc->gone = true;
    proc->report = (Report){ .phase = phase, .error = error };
    return proc;
}

/* Standard input: a file in memory, so that nobody has to feed it. */
static int input_fd(Str input) {
    if (input.len == 0) {
        int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (null >= 0) return null; /* some tool run by root may have removed /dev/null */
    }
    int fd = memfd_create("input", MFD_CLOEXEC);
    for (size_t done = 0; fd >= 0 && done < input.len;) {
        ssize_t n = write(fd, input.at + done, input.len - done);
        if (n <= 0) break;
        done += (size_t)n;
    }
    if (fd >= 0) lseek(fd, 0, SEEK_SET);
    return fd;
}

static bool env_overridden(const char *const *env, const char *entry) {
    size_t n = strcspn(entry, "=");
    for (; env && *env; env++)
        if (strncmp(*env, entry, n) == 0 && (*env)[n] == '=') return true;
    return false;
}

static uint32_t add_env(Buf *payload, const char *const *base, const char *const *unless) {
    uint32_t n = 0;
    for (; base && *base; base++)
        if (!env_overridden(unless, *base)) buf_add(payload, *base, strlen(*base) + 1), n++;
    return n;
}

/* What a killed compiler leaves in its TMPDIR goes with our own working directories. */
static const char *temp_entry(void) {
    static char *entry;
    static pid_t made_by;
    if (made_by == getpid()) return entry;
    Arena arena = { 0 };
    made_by = getpid();
    entry = mem_strdup(arena_fmt(&arena, "TMPDIR=%s", workdir_new_large(&arena, "t")));
    arena_release(&arena);
    return entry;
}

static uint32_t add_user_env(Buf *payload, const char *const *given) {
    const char *const temp[] = { temp_entry(), NULL };
    uint32_t n = 0;
    for (char **e = environ; *e; e++)
        if (!env_overridden(given, *e) && !env_overridden(temp, *e))
            buf_add(payload, *e, strlen(*e) + 1), n++;
    return n + add_env(payload, temp, given);
}

static uint32_t add_paths(Buf *payload, const char *const *paths) {
    uint32_t n = 0;
    for (; paths && *paths; paths++, n++) buf_add(payload, *paths, strlen(*paths) + 1);
    return n;
}

static void fill_payload(const RunSpec *spec, Order *order, Buf *payload) {
    const char *dir = spec->dir ? spec->dir : "";
    buf_add(payload, dir, strlen(dir) + 1);
    for (const char *const *arg = spec->argv; *arg; arg++, order->argc++)
        buf_add(payload, *arg, strlen(*arg) + 1);
    if (spec->profile != RUN_GENERATED) {
        order->envc = add_user_env(payload, spec->env);
    } else {
        static const char *const fixed[] = { "PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C",
                                             "HOME=.", "TMPDIR=.", NULL };
        order->envc = add_env(payload, fixed, spec->env);
    }
    order->envc += add_env(payload, spec->env, NULL);
    order->readc = add_paths(payload, spec->reads);
    order->writec = add_paths(payload, spec->writes) + add_paths(payload, allowed.writes);
    if (spec->profile == RUN_BUILD)
        order->writec +=
            add_paths(payload, (const char *const[]){ strchr(temp_entry(), '=') + 1, NULL });
    order->payload = (uint32_t)payload->len;
}

static void send_start(Order *order, const Buf *payload, const int fds[MOST_FDS]) {
    struct iovec part = { order, sizeof *order };
    size_t size = (fds[SIDE_FD] >= 0 ? MOST_FDS : SIDE_FD) * sizeof(int);
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(MOST_FDS * sizeof(int))] = { 0 };
    struct msghdr message = { .msg_iov = &part,
                              .msg_iovlen = 1,
                              .msg_control = control,
                              .msg_controllen = CMSG_SPACE(size) };
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    *header = (struct cmsghdr){ .cmsg_len = CMSG_LEN(size),
                                .cmsg_level = SOL_SOCKET,
                                .cmsg_type = SCM_RIGHTS };
    memcpy(CMSG_DATA(header), fds, size);
    ssize_t sent;
    do sent = sendmsg(starter, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    if (sent < 0) return; /* noticed by receive_reports */
    if ((size_t)sent < sizeof *order) send_all((char *)order + sent, sizeof *order - (size_t)sent);
    send_all(payload->at, payload->len);
}

static RunLimits fill_limits(RunProfile profile, RunLimits given) {
    RunLimits l = run_defaults(profile);
    if (given.wall_s > 0) l.wall_s = given.wall_s;
    if (given.cpu_s > 0) l.cpu_s = given.cpu_s;
    if (given.memory) l.memory = given.memory;
    if (given.output) l.output = given.output;
    if (given.file_size) l.file_size = given.file_size;
    if (given.processes) l.processes = given.processes;
    if (given.resident) l.resident = given.resident;
    if (given.disk) l.disk = given.disk;
    if (given.written) l.written = given.written;
    if (given.tree_cpu_s > 0) l.tree_cpu_s = given.tree_cpu_s;
    if (given.each_cpu_s > 0) l.each_cpu_s = given.each_cpu_s;
    return l;
}

static uint64_t or_none(uint64_t bytes) {
    return bytes == RUN_UNLIMITED ? 0 : bytes;
}

static uint64_t or_no_time(double seconds) {
    return isfinite(seconds) ? (uint64_t)(seconds * 1e6) : 0;
}

/* The pipes; the read ends do not block. */
static bool open_pipes(Proc *proc, int fds[MOST_FDS], bool side) {
    for (int i = 0; i < (side ? PIPES : SIDE); i++) {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0) return false;
        fcntl(ends[0], F_SETFL, O_NONBLOCK);
        proc->pipe[i] = ends[0];
        fds[i + 1] = ends[1];
    }
    return true;
}

static Order order_of(const RunSpec *spec, const Proc *proc) {
    static const enum Confinement confined[] = {
        [RUN_USER] = CONFINE_NOT, [RUN_GENERATED] = CONFINE_PROGRAM, [RUN_BUILD] = CONFINE_BUILD
    };
    const RunLimits *l = &proc->limits;
    return (Order){ .kind = ORDER_START,
                    .id = proc->id,
                    .confined = spec->profile == RUN_BUILD && allowed.unconfined
                                    ? CONFINE_NOT
                                    : confined[spec->profile],
                    .network = spec->network || allowed.network,
                    .strict = strict,
                    .steady = spec->steady,
                    .no_debug = spec->no_debug_files,
                    .processes = l->processes,
                    .memory = or_none(l->memory),
                    .file_size = or_none(l->file_size),
                    .resident = or_none(l->resident),
                    .disk = or_none(l->disk),
                    .written = or_none(l->written),
                    .tree_cpu_us = or_no_time(l->tree_cpu_s),
                    .each_cpu_us = or_no_time(l->each_cpu_s),
                    .cpu_s = isfinite(l->cpu_s) ? (uint32_t)ceil(l->cpu_s) : 0,
                    .cpu_us = l->cpu_s < 1 ? (uint32_t)(l->cpu_s * 1e6) : 0 };
}

static void close_all(const int fds[MOST_FDS]) {
    for (int i = 0; i < MOST_FDS; i++)
        if (fds[i] >= 0) close(fds[i]);
}

Proc *proc_start(const RunSpec *spec) {
    CHECK(spec->argv && spec->argv[0]);
    CHECK(spec->dir || spec->profile == RUN_USER); /* what it is confined to */
    need_starter();
    Proc *proc = mem_alloc(sizeof *proc);
    *proc = (Proc){ .id = ++last_id,
                    .pipe = { -1, -1, -1 },
                    .started = clock_now(),
                    .limits = fill_limits(spec->profile, spec->limits),
                    .enough = spec->enough };
    vec_push(&running, proc);
    proc->profile = spec->profile;
    if (run_logs()) run_log_start(&proc->note, spec, &proc->limits);
    if (run_interrupted()) {
        proc->killed = proc->gone = true;
        proc->why = RUN_CANCELLED;
        return proc;
    }
    int fds[MOST_FDS] = { input_fd(spec->input), -1, -1, -1 };
    if (fds[0] < 0 || !open_pipes(proc, fds, spec->side)) {
        int error = errno;
        close_all(fds);
        return not_started(proc, PHASE_CLONE, error);
    }
    Order order = order_of(spec, proc);
    Buf payload = { 0 };
    fill_payload(spec, &order, &payload);
    send_start(&order, &payload, fds);
    buf_release(&payload);
    close_all(fds);
    return proc;
}

/* ---- the loop ---- */
void proc_kill(Proc *proc, RunEnd why) {
    if (proc->killed || proc->gone) return;
    proc->killed = true;
    proc->why = why;
    Order order = { .kind = ORDER_KILL, .id = proc->id };
    send_all(&order, sizeof order);
}

/* It has written everything we need to know. */
static bool said_enough(const Proc *proc) {
    Str text = buf_view(&proc->text[1]);
    size_t at = proc->enough ? str_find(text, str_from(proc->enough), 0) : STR_NONE;
    return at != STR_NONE && str_find(text, STR("\n"), at) != STR_NONE;
}

static void read_pipe(Proc *proc, int which) {
    Buf *text = &proc->text[which];
    while (proc->pipe[which] >= 0) {
        char *room = buf_room(text, 65536);
        ssize_t n = read(proc->pipe[which], room, 65536);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) return;
        if (n <= 0) {
            close(proc->pipe[which]);
            proc->pipe[which] = -1;
            return;
        }
        text->len += (size_t)n;
        if (text->len > proc->limits.output) {
            text->len = proc->limits.output;
            proc_kill(proc, RUN_OVERFLOW);
            proc->why = RUN_OVERFLOW; /* takes precedence, so that the same program always ends the
                                         same way */
            proc->killed = true;
            if (proc->gone) return;
        }
        if (which == 1 && said_enough(proc)) proc_kill(proc, RUN_SIGNALED);
    }
}

static Proc *find(uint32_t id) {
    for (size_t i = 0; i < running.len; i++)
        if (running.at[i]->id == id) return running.at[i];
    return NULL;
}

static const struct LackText {
    enum Lack bit;
    const char *what, *instead;
} lack_texts[] = {
    { LACK_PIDNS, "PID namespaces", "processes are found through /proc instead" },
    { LACK_NETWORK, "network namespaces", "what culprit runs is not cut off from the network" },
    { LACK_FILES, "Landlock and mount namespaces",
      "only file permissions keep generated programs and builds from other files" },
    { LACK_SECCOMP, "system call filters",
      "generated programs and builds can reach local sockets and keyrings" },
};

static void say_lacks(uint32_t lacks) {
    static uint32_t said;
    for (size_t i = 0; i < COUNT_OF(lack_texts); i++)
        if (lacks & ~said & lack_texts[i].bit)
            fprintf(stderr, "culprit: this kernel gives no %s; %s\n", lack_texts[i].what,
                    lack_texts[i].instead);
    said |= lacks;
}

static void on_gone(Proc *proc, const Report *report) {
    proc->gone = true;
    proc->report = *report;
    proc->wall_s = clock_now() - proc->started;
    children_cpu += (double)report->cpu_us * 1e-6;
    say_lacks(report->lacks);
    for (int i = 0; i < PIPES; i++) read_pipe(proc, i);
}

/* Somebody killed the starter, and all trees with it. */
static void starter_died(void) {
    close(starter);
    starter = -1;
    for (size_t i = 0; i < running.len; i++)
        if (!running.at[i]->gone) not_started(running.at[i], PHASE_CLONE, ESRCH);
}

static void receive_reports(void) {
    Report report;
    for (;;) {
        ssize_t got = recv(starter, &report, sizeof report, MSG_DONTWAIT);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EAGAIN) return;
        while (got > 0 && (size_t)got < sizeof report) {
            ssize_t more = recv(starter, (char *)&report + got, sizeof report - (size_t)got, 0);
            if (more < 0 && errno == EINTR) continue;
            got = more <= 0 ? 0 : got + more;
        }
        if (got <= 0) {
            starter_died();
            return;
        }
        Proc *proc = find(report.id);
        if (proc) on_gone(proc, &report);
    }
}

/* Kills what is over its wall clock; milliseconds until the next one is due, or the clock says
 * `until` (-1: neither). */
static int enforce_deadlines(double until) {
    double now = clock_now(), next = fmax(until - now, 0);
    for (size_t i = 0; i < running.len; i++) {
        Proc *proc = running.at[i];
        if (proc->gone || proc->killed) continue;
        double left = proc->started + proc->limits.wall_s - now;
        if (left <= 0)
            proc_kill(proc, RUN_TIMEOUT);
        else if (left < next)
            next = left;
    }
    return isfinite(next) ? (int)fmin(ceil(next * 1000), 1e9) : -1;
}

void proc_pump(double until) {
    static VEC(struct pollfd) fds;
    if (run_interrupted())
        for (size_t i = 0; i < running.len; i++) proc_kill(running.at[i], RUN_CANCELLED);
    int timeout = enforce_deadlines(until);
    vec_clear(&fds);
    vec_push(&fds, (struct pollfd){ starter, POLLIN, 0 });
    vec_push(&fds, (struct pollfd){ interrupt_fd(), POLLIN, 0 });
    bool waiting = false;
    for (size_t i = 0; i < running.len; i++) {
        waiting |= !running.at[i]->gone;
        for (int k = 0; k < PIPES; k++)
            vec_push(&fds, (struct pollfd){ running.at[i]->pipe[k], POLLIN, 0 });
    }
    if (!waiting || starter < 0) return; /* nothing can happen */
    if (poll(fds.at, fds.len, timeout) < 0) return;
    for (size_t i = 0; i < running.len; i++)
        for (int k = 0; k < PIPES; k++)
            if (fds.at[2 + PIPES * i + (size_t)k].revents) read_pipe(running.at[i], k);
    if (fds.at[0].revents) receive_reports();
    enforce_deadlines(until);
}

bool proc_done(const Proc *proc) {
    return proc->gone;
}

/* ---- results ---- */
static void classify(const Proc *proc, RunResult *r) {
    const Report *report = &proc->report;
    int status = report->wstatus;
    double limit = proc->limits.cpu_s;
    bool ended = report->ended != 0;
    if (proc->killed && proc->why == RUN_SIGNALED)
        r->end = RUN_SIGNALED, r->code = SIGKILL; /* it had said enough */
    else if (proc->killed && (!ended || proc->why == RUN_OVERFLOW))
        r->end = proc->why;
    else if (report->over)
        r->end = report->over == OVER_MEMORY ? RUN_MEMORY
                 : report->over == OVER_CPU  ? RUN_TIMEOUT
                                             : RUN_OVERFLOW;
    else if (!ended)
        r->end = RUN_SIGNALED, r->code = SIGKILL; /* its guardian was killed */
    else if (WIFEXITED(status))
        r->end = RUN_EXITED, r->code = WEXITSTATUS(status);
    else {
        int number = WTERMSIG(status);
        r->end = RUN_SIGNALED, r->code = number;
        if (number == SIGXCPU || (number == SIGPROF && limit < 1) ||
            (number == SIGKILL && isfinite(limit) && r->cpu_s >= limit))
            r->end = RUN_TIMEOUT;
        else if (number == SIGXFSZ)
            r->end = RUN_OVERFLOW;
        else if (number == SIGKILL ||
                 (proc->limits.memory != RUN_UNLIMITED && r->peak > proc->limits.memory / 10 * 9))
            r->end = RUN_MEMORY;
    }
}

static const char *start_problem(Arena *arena, const Report *report) {
    static const char *const what[] = { [PHASE_CLONE] = "cannot make a process",
                                        [PHASE_DIR] = "cannot enter its directory",
                                        [PHASE_CONFINE] = "cannot take its rights away",
                                        [PHASE_EXEC] = "cannot execute it" };
    for (size_t i = 0; report->phase == PHASE_LACKS && i < COUNT_OF(lack_texts); i++)
        if (report->lacks & lack_texts[i].bit)
            return arena_fmt(arena, "this kernel gives no %s, and --strict asks for them",
                             lack_texts[i].what);
    return arena_fmt(arena, "%s: %s", what[report->phase], strerror(report->error));
}

RunResult proc_finish(Proc *proc, Arena *arena) {
    CHECK(proc->gone);
    RunResult r = { .wall_s = proc->wall_s,
                    .cpu_s = (double)proc->report.cpu_us * 1e-6,
                    .peak = proc->report.peak,
                    .each_cpu_s = (double)proc->report.each_cpu_us * 1e-6,
                    .written = proc->report.written };
    if (proc->report.phase != PHASE_NONE) {
        r.end = RUN_NOT_STARTED, r.code = proc->report.error;
        r.out = arena_str(arena, STR(""));
        r.err = str_from(start_problem(arena, &proc->report));
    } else {
        r.out = arena_str(arena, buf_view(&proc->text[0]));
        r.side = arena_str(arena, buf_view(&proc->text[SIDE]));
        r.err = arena_str(arena, buf_view(&proc->text[1]));
        classify(proc, &r);
    }
    if (proc->note.len) run_log_end(&proc->note, proc->profile, &r);
    buf_release(&proc->note);
    for (size_t i = 0; i < running.len; i++)
        if (running.at[i] == proc) {
            running.at[i] = running.at[--running.len];
            break;
        }
    for (int i = 0; i < PIPES; i++) {
        if (proc->pipe[i] >= 0) close(proc->pipe[i]);
        buf_release(&proc->text[i]);
    }
    mem_free(proc);
    return r;
}
