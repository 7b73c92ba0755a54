/* THE process runner: everything culprit starts is started here, with limits, and dies with its
 * whole tree of processes on time-out, on cancel, on SIGINT and when culprit itself dies.
 *
 * run_one waits for one process. A Pool keeps several Jobs in flight over one poll loop; a Job is a
 * ladder of processes (compile, link, run, compare) whose next rung is chosen by its step function.
 * Nothing here is a thread: step functions run in the caller's thread, inside pool_next*. */
#ifndef CULPRIT_RUN_RUN_H
#define CULPRIT_RUN_RUN_H

#include "base/base.h"

/* Whose program it is, and what it may do (SECURITY.md). */
typedef enum RunProfile {
    RUN_USER, /* the user's own commands and compilers: the user's rights and environment, except
                 for a TMPDIR of our own, removed with our working directories */
    RUN_GENERATED, /* programs culprit generated: reads its libraries and its directory, writes only
                      below its directory, no network, no sockets, no other processes, other uid if
                      root */
    RUN_BUILD,     /* builds and tests that culprit changed: as RUN_USER, but they write only below
                      their directory, TMPDIR and the named places, and have no local sockets and no
                      network unless asked for */
} RunProfile;

/* 0 in a field: the profile's default (run_defaults). RUN_UNLIMITED (INFINITY for times): no limit,
 * which programs built with sanitizers need for memory. */
#define RUN_UNLIMITED UINT64_MAX
typedef struct RunLimits {
    double wall_s;      /* wall clock, then the tree is killed */
    double cpu_s;       /* CPU time of one process; whole seconds, or less than one */
    uint64_t memory;    /* address space of one process, bytes */
    uint64_t output;    /* bytes of stdout and of stderr each; more ends the run */
    uint64_t file_size; /* largest file it may write */
    unsigned processes; /* processes in its tree */
    uint64_t resident; /* resident memory of its tree, bytes; measured, so it ends a moment later */
    uint64_t disk;     /* bytes below its directory; also measured */
    uint64_t written;  /* bytes that its tree writes, to whatever it is; also measured */
    double tree_cpu_s; /* CPU time of its whole tree; also measured */
    double each_cpu_s; /* with tree_cpu_s: of any one process in it, without its children */
} RunLimits;

typedef struct RunSpec {
    const char *const *argv; /* NULL-ended; argv[0] is looked up along PATH; no shell */
    const char *dir;         /* working directory; NULL: culprit's own (RUN_USER only); a relative
                              * argv[0] with a slash is looked up there */
    const char *const
        *env;  /* "NAME=value", NULL-ended, added to (or overriding) the profile's own */
    Str input; /* standard input; empty: /dev/null */
    RunProfile profile;
    const char *const *reads;  /* RUN_GENERATED: files and directories it may read besides its own
                                * and those of the system, NULL-ended; NULL: none */
    const char *const *writes; /* RUN_BUILD: directories it may write to besides its own and TMPDIR,
                                * NULL-ended; NULL: none */
    bool network;              /* RUN_BUILD: keeps the network */
    bool side; /* its descriptor 3 is a pipe to us, and RunResult.side what came through it: for
                  verdicts of a program of ours that goes on to run somebody else's and closes the
                  pipe before that */
    const char *enough; /* once it has written a line with this on standard error it is ended, and
                           counts as ended by SIGKILL: what it does after that is of no interest;
                           NULL: it runs to its end */
    bool steady; /* the same addresses in every run, where the machine allows it: a program whose
                    behaviour depends on pointer values then repeats it */
    bool no_debug_files; /* /usr/lib/debug is empty for it, where the machine allows it (RUN_USER):
                            a compiler that crashes spends longer reading libc's debug files, for
                            the lines of its own backtrace, than it spends compiling */
    RunLimits limits;
} RunSpec;

typedef enum RunEnd {
    RUN_EXITED,    /* code is its exit status */
    RUN_SIGNALED,  /* code is the signal that ended it */
    RUN_TIMEOUT,   /* wall or CPU limit, of a process or of the tree */
    RUN_OVERFLOW,  /* wrote more than output, file_size, disk or written allow, or had too many
                      processes */
    RUN_MEMORY,    /* killed for its memory use: by the kernel where that is known, or by us for its
                      whole tree */
    RUN_CANCELLED, /* pool_cancel, or SIGINT */
    RUN_NOT_STARTED /* no such program, no permission: err says which */
} RunEnd;

typedef struct RunResult {
    RunEnd end;
    int code;
    Str out, err;      /* what it wrote; NUL-terminated; in the arena given */
    Str side;          /* what it wrote to descriptor 3, if it was given one */
    double wall_s;     /* start to end */
    double cpu_s;      /* user and system, of its whole tree, killed processes included */
    uint64_t peak;     /* highest resident bytes of any of its processes */
    double each_cpu_s; /* with tree_cpu_s: the most seen of one process; short ones are not seen */
    uint64_t written;  /* bytes that its tree wrote, to files, pipes and whatever else; 0: this
                          kernel does not count them */
} RunResult;

RunLimits run_defaults(RunProfile profile);
/* From now on nothing confined is started if this kernel lacks one of the protections; without
 * this, what is missing is reported once. */
void run_be_strict(void);
/* What else builds (RUN_BUILD) may do, in this process. */
typedef struct RunRights {
    bool unconfined; /* they run as RUN_USER */
    bool network;
    const char *const *writes; /* as in RunSpec; lives as long as the process */
} RunRights;
void run_allow_builds(const RunRights *rights);
bool run_builds_are_confined(void);
/* From now on everything that ends gets a line, appended to the file: when it was started, profile,
 * limits, times, memory, how it ended, its directory and its command. */
bool run_log(const char *path, Error *err);
/* Runs spec and waits. Memory of the result comes from arena. */
RunResult run_one(Arena *arena, const RunSpec *spec);
/* When clock_now() reaches `clock`, everything that runs is cancelled, by run_one and in all pools,
 * and so is what is started later; INFINITY: never, as at the start. For a phase of a command that
 * has a time limit; whoever sets it takes it back. */
void run_until(double clock);
bool run_out_of_time(void); /* that clock has been reached */
static inline bool run_ok(const RunResult *r) {
    return r->end == RUN_EXITED && r->code == 0;
}
/* "exit status 1", "signal 11 (Segmentation fault)", "time-out after 10 s": for messages. */
const char *run_describe(Arena *arena, const RunResult *result);

/* ---- jobs and the pool ---- */
typedef struct Job Job;
struct Job {
    /* Called first with last == NULL, then after each process with its result. Fills *next (with
     * memory from job->arena) and returns true to run one more process; returns false when done. A
     * job may finish without running anything. */
    bool (*step)(Job *job, const RunResult *last, RunSpec *next);
    Arena arena;    /* memory of the job and of its results; pool users release it */
    uint64_t order; /* set by pool_submit: 0, 1, 2, .. */
    bool cancelled; /* set when it was cancelled before it was done; step is not called any more */
    double cpu_s;   /* sum over its processes so far */
    double wall_s;
    unsigned runs; /* processes so far */
};
/* Embed Job as the first member of your own struct and cast. */

typedef struct Pool Pool;
Pool *pool_new(unsigned width); /* 0: all cores */
void pool_submit(Pool *pool, Job *job);
/* Waits for the next finished job: in the order of submission (deterministic), or whichever is done
 * first. NULL when nothing is in the pool. The job is the caller's again. */
Job *pool_next(Pool *pool);
Job *pool_next_any(Pool *pool);
/* Kills its running process; pool_next* still hands the job back, marked cancelled, soon after. */
void pool_cancel(Pool *pool, Job *job);
void pool_cancel_all(Pool *pool);
/* When clock_now() reaches `clock`, everything in the pool is cancelled, and so is anything
 * submitted later; INFINITY, as at the start: never. */
void pool_until(Pool *pool, double clock);
size_t pool_load(const Pool *pool);    /* jobs submitted and not yet handed back */
unsigned pool_width(const Pool *pool); /* jobs that run at once */
void pool_free(Pool *pool);            /* cancels what is left */

/* ---- interrupts ---- */
/* From now on SIGINT and SIGTERM set a flag, kill what runs and make pool_next* hand back cancelled
 * jobs; a second one ends culprit at once. */
void run_catch_interrupts(void);
bool run_interrupted(void);
/* The interrupt has been dealt with: the work that remains, saving the results so far, may start
 * processes again. */
void run_forget_interrupt(void);

/* CPU seconds of all processes run so far by this culprit (its own: clock_own_cpu). */
double run_children_cpu(void);

#endif
