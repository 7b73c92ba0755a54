/* One traced run, read back: every executed instruction with its value and where its operands came
 * from.
 *
 * A program built with CC=culprit-cc writes, when CULPRIT_TRACE=DIR is in its environment, one file
 * DIR/trace.PID.N for each process and thread (a program started by exec in the same process gets
 * the next N). trace_list finds them, trace_open reads one: it replays the recorded blocks over the
 * bitcode that culprit-cc saved, so that a recording of a few bytes per block is enough to know
 * every value. A Step is the number of an executed instruction, 0 .. trace_steps()-1.
 *
 * This is what explain needs of a trace; explain/analysis.h has causes and predicates. */
#ifndef CULPRIT_TRACE_TRACE_H
#define CULPRIT_TRACE_TRACE_H

#include "base/base.h"

typedef struct Trace Trace;
typedef uint32_t Step;
#define STEP_NONE ((Step)0xffffffffu)

/* Names of the environment variables that the wrapper and the runtime read. Nothing is recorded
 * unless TRACE_ENV names a directory. */
#define TRACE_ENV "CULPRIT_TRACE"       /* directory for the traces of a run */
#define TRACE_LIMIT_ENV "CULPRIT_LIMIT" /* bytes of one recording */
#define TRACE_LIMIT_ENV "CULPRIT_LIMIT" /* bytes a process may record (default 1 GiB) */
#define TRACE_MODULES_ENV                                                                          \
    "CULPRIT_MODULES"                 /* where culprit-cc saves bitcode (default: the cache) */
#define TRACE_ONLY_ENV "CULPRIT_ONLY" /* the one C file culprit-cc instruments (default: all) */
/* The user's own compiler, and a PATH in which culprit-cc does not stand for it (default: neither).
 */
#define TRACE_PLAIN_ENV "CULPRIT_PLAIN"
#define TRACE_PLUS_ENV "CULPRIT_PLAIN_CXX" /* and their C++ compiler */
#define TRACE_PATH_ENV "CULPRIT_PATH"
/* Not empty: culprit-cc saves its own time at the expense of the program's. */
#define TRACE_QUICK_ENV "CULPRIT_QUICK"

typedef enum TraceEnd {
    TRACE_END_UNKNOWN, /* killed, or still running */
    TRACE_END_EXIT,    /* exit or return from main: status is known */
    TRACE_END_SIGNAL,  /* a fatal signal: code is its number */
    TRACE_END_ABORT,   /* abort or a failed assert */
    TRACE_END_LIMIT,   /* the trace's limit was reached: what follows is not known */
} TraceEnd;

typedef struct TraceInfo {
    const char *path;       /* of the trace */
    Str program;            /* the executable's path as the run saw it */
    StrVec args;            /* argv, as far as it is known */
    int pid, parent;        /* of the process; parent 0: not forked from a traced one */
    bool thread;            /* not the first thread of its process */
    uint64_t input, output; /* standard input and output: number of the pipe or file; 0: none */
    TraceEnd end;
    int code;          /* exit status or signal */
    uint64_t bytes;    /* size of the recording */
    uint64_t blocks;   /* executed basic blocks */
    uint64_t steps;    /* executed instructions */
    uint64_t dropped;  /* how many of the first ones were dropped; 0: all are there */
    uint64_t diverged; /* places where the replay and the recording disagreed: 0 when all is well */
    Str divergence;    /* the first of them, for people */
    Str first_bytes;   /* the program's own output on descriptor 1 */
    Str error_bytes;   /* and on descriptor 2 */
    Str file_bytes;    /* and to files, one write after the other */
} TraceInfo;

/* Paths of the traces below dir, in the order of process and number. */
bool trace_list(Arena *arena, const char *dir, StrVec *paths, Error *err);
/* Opens and replays one trace. Source files below root are named relative to it (root may be NULL).
 * NULL and err when it cannot be read at all; a recording that ends early or diverges is still read
 * as far as it goes and says so in its info. */
Trace *trace_open(const char *path, const char *root, Error *err);
/* Asked now and then while a recording is read: a run of minutes takes minutes to replay. */
typedef struct TraceStop {
    bool (*asked)(void *user); /* true: give it up */
    void *user;
} TraceStop;
/* The same with a given limit on how many of the last steps are kept; 0: STEPS_KEPT. stop: NULL is
 * fine; NULL and err (STATUS_NO) when it was given up. */
Trace *trace_open_last(const char *path, const char *root, size_t most, const TraceStop *stop,
                       Error *err);
/* The trace of the run in dir that failed, for dir with several processes: the one that ended with
 * a signal or abort, else the one that wrote what differs from expect, else the first. expect: what
 * the good run wrote on standard output; {0} when unknown. */
Trace *trace_open_failing(const char *dir, const char *root, Str expect, Error *err);
void trace_free(Trace *trace); /* NULL is fine */
const TraceInfo *trace_info(const Trace *trace);

/* Whether a line's code ran. File names as trace_open's root makes them. */
bool trace_executed(const Trace *trace, Str file, unsigned line);
/* Whether the named function was entered. */
bool trace_entered(const Trace *trace, Str function);

/* ---- where a step is ---- */
typedef struct Place {
    Str file;      /* empty when the code has no location */
    unsigned line; /* 0: none */
    unsigned column;
    Str function;
} Place;
uint64_t trace_steps(const Trace *trace);
Place trace_place(const Trace *trace, Step step);
/* The step's value as a person reads it ("-1", "0x7ffe0010", "3.5", "\"text\""); "" when it has
 * none. Memory is in the arena. */
Str trace_show(const Trace *trace, Step step, Arena *arena);

#endif
