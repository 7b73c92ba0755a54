/* What culprit and its starter say to each other over one stream socket.
 *
 * culprit -> starter: an Order, for ORDER_START followed by `payload` bytes and accompanied by
 * three descriptors (standard input, output, error). starter -> culprit: one Report for each
 * ORDER_START, sent when the last process of the tree is gone. The payload is a row of NUL-ended
 * strings: the directory (empty: none), argc arguments, envc environment entries. */
#ifndef CULPRIT_RUN_STARTER_PROTOCOL_H
#define CULPRIT_RUN_STARTER_PROTOCOL_H

#include <stdint.h>

enum { STARTER_SOCKET = 3 }; /* where the starter finds its end of the socket */

enum OrderKind {
    ORDER_START, /* start a process tree */
    ORDER_KILL,  /* kill the tree `id` */
    ORDER_ROOT,  /* payload: a directory to remove when culprit dies without saying goodbye */
};

typedef struct Order {
    uint32_t kind;    /* enum OrderKind */
    uint32_t id;      /* culprit's name for the tree */
    uint32_t payload; /* bytes that follow */
    uint32_t argc, envc;
    uint32_t confined;  /* RUN_GENERATED: other uid, no network, writes only below the directory */
    uint32_t steady;    /* no random addresses */
    uint32_t no_debug;  /* not confined: an empty /usr/lib/debug */
    uint32_t processes; /* at most so many at once in the tree; 0: no limit */
    uint32_t cpu_s;     /* 0: no limit, here and below */
    uint32_t cpu_us; /* the program itself (not its children): finer, for limits below a second */
    uint64_t memory, file_size;
} Order;

/* Where the start of a program went wrong. */
enum StartPhase {
    PHASE_NONE,    /* it runs */
    PHASE_CLONE,   /* no process could be made */
    PHASE_DIR,     /* its working directory cannot be entered */
    PHASE_CONFINE, /* the rights of RUN_GENERATED could not be taken away */
    PHASE_EXEC,    /* the program is not there or cannot be executed */
};

typedef struct Report {
    uint32_t id;
    uint32_t phase;   /* enum StartPhase */
    int32_t error;    /* errno of a failed start */
    int32_t ended;    /* the program itself ended (else its tree was killed first) */
    int32_t wstatus;  /* its wait status, if it ended */
    uint32_t crowded; /* the tree had more processes than allowed and was killed */
    uint32_t lacks;   /* enum Lack bits: protections this kernel did not give */
    uint32_t unused;  /* 0 */
    uint64_t cpu_us;  /* user and system time of the tree */
    uint64_t peak;    /* most resident bytes of any of its processes */
} Report;

enum Lack {
    LACK_PIDNS = 1, /* no PID namespace: process groups and a subreaper instead */
    LACK_NETNS = 2, /* no network namespace */
    LACK_LANDLOCK =
        4, /* no Landlock: only the other uid (if any) keeps it from writing elsewhere */
};

#endif
