/* What culprit and its starter say to each other over one stream socket.
 *
 * culprit -> starter: an Order, for ORDER_START followed by `payload` bytes and accompanied by
 * three descriptors (standard input, output, error) or four (one more for the program: SIDE_FD).
 * starter -> culprit: one Report for each
 * ORDER_START, sent when the last process of the tree is gone. The payload is a row of NUL-ended
 * strings: the directory (empty: none), argc arguments, envc environment entries, readc paths that
 * a confined program may read, writec that it may write to. */
#ifndef CULPRIT_RUN_STARTER_PROTOCOL_H
#define CULPRIT_RUN_STARTER_PROTOCOL_H

#include <stdint.h>

enum { STARTER_SOCKET = 3 }; /* where the starter finds its end of the socket */
enum { SIDE_FD = 3 };        /* where a program finds its fourth descriptor */
enum { MOST_FDS = 4 };       /* that come with an order */

/* How much is taken away from a program before it begins. */
enum Confinement {
    CONFINE_NOT,     /* RUN_USER: the user's rights */
    CONFINE_BUILD,   /* RUN_BUILD: the user's rights, but writing only where it is allowed */
    CONFINE_PROGRAM, /* RUN_GENERATED: next to no rights are left */
};

enum OrderKind {
    ORDER_START, /* start a process tree */
    ORDER_KILL,  /* kill the tree `id` */
    ORDER_ROOT,  /* payload: a directory to remove when culprit dies without saying goodbye */
};

typedef struct Order {
    uint32_t kind;    /* enum OrderKind */
    uint32_t id;      /* culprit's name for the tree */
    uint32_t payload; /* bytes that follow */
    uint32_t argc, envc, readc, writec;
    uint32_t confined;  /* enum Confinement */
    uint32_t network;   /* CONFINE_BUILD: keeps the network */
    uint32_t strict;    /* do not start where a protection is missing */
    uint32_t steady;    /* no random addresses */
    uint32_t no_debug;  /* not confined: an empty /usr/lib/debug */
    uint32_t processes; /* most processes at once in the tree; 0: no limit */
    uint32_t cpu_s;     /* 0: no limit, here and below */
    uint32_t cpu_us;    /* of the program itself, not its children: for limits below a second */
    uint64_t memory, file_size;
    uint64_t resident, disk, written, tree_cpu_us; /* of the whole tree */
    uint64_t each_cpu_us;                          /* of any one process */
} Order;

/* Where the start of a program went wrong. */
enum StartPhase {
    PHASE_NONE,    /* it runs */
    PHASE_CLONE,   /* no process could be made */
    PHASE_DIR,     /* its working directory cannot be entered */
    PHASE_CONFINE, /* its rights could not be taken away */
    PHASE_LACKS,   /* asked to be strict, and a protection is missing: see lacks */
    PHASE_EXEC,    /* the program is not there or cannot be executed */
};

typedef struct Report {
    uint32_t id;
    uint32_t phase;       /* enum StartPhase */
    int32_t error;        /* errno of a failed start */
    int32_t ended;        /* the program itself ended (else its tree was killed first) */
    int32_t wstatus;      /* its wait status, if it ended */
    uint32_t over;        /* enum Over: why the whole tree was killed */
    uint32_t lacks;       /* enum Lack bits: protections this kernel did not give */
    uint32_t unused;      /* 0 */
    uint64_t cpu_us;      /* user and system time of the tree */
    uint64_t peak;        /* most resident bytes of any of its processes */
    uint64_t written;     /* bytes that all of them wrote */
    uint64_t each_cpu_us; /* most CPU time seen of any one of them */
} Report;

/* What the whole tree had too much of. */
enum Over { OVER_NOTHING, OVER_PROCESSES, OVER_MEMORY, OVER_DISK, OVER_WRITTEN, OVER_CPU };

enum Lack {
    LACK_PIDNS = 1,   /* no PID namespace: a subreaper finds the tree through /proc instead */
    LACK_NETWORK = 2, /* neither a network namespace nor seccomp: not cut off from the network */
    LACK_FILES = 4, /* neither Landlock nor own mounts: only permissions keep it from other files */
    LACK_SECCOMP = 8, /* no system call filter: local sockets, keyrings and tracing stay open */
};

#endif
