/* The starter: a tiny static program that culprit keeps beside it and that forks in its place.
 *
 * Forking culprit itself would copy the page tables of some 200 MB of libclang and LLVM and would
 * count culprit's own memory as the child's. The starter is one single-threaded loop (starter.c)
 * over the socket and its children. For every tree it makes a guardian (guardian.c), process 1 of a
 * new PID namespace, whose death ends the tree and which starts the program itself (program.c). */
#ifndef CULPRIT_RUN_STARTER_STARTER_H
#define CULPRIT_RUN_STARTER_STARTER_H

#include "run/starter/protocol.h"
#include <stdbool.h>
#include <sys/types.h>

/* What this kernel and this user allow; found out once by starter.c. */
typedef struct Powers {
    bool root;        /* we are uid 0 and may become anybody */
    bool user_ns;     /* PID namespaces only inside a user namespace (not root) */
    bool pid_ns;      /* PID namespaces at all */
    int net_fd;       /* an empty network namespace to enter; -1: none */
    bool own_net;     /* in a user namespace: each confined tree gets a new one */
    int landlock_abi; /* 0: no Landlock */
    uid_t uid;        /* ours */
    gid_t gid;
} Powers;

/* One tree; in memory shared with its guardian, which fills in what it learns. */
typedef struct ProcessTree {
    Order order;
    int fds[3];         /* standard input, output, error of the program */
    char *payload;      /* the starter's copy, see protocol.h */
    pid_t guardian;     /* 0: this slot is free */
    volatile int phase; /* written by guardian and program */
    volatile int error;
    volatile int ended;
    volatile int wstatus;
    volatile int crowded;
} ProcessTree;

/* A new process (clone's flags; 0: as fork), as fork returns it. A machine that is full of
 * processes for a moment is waited for. */
long patient_clone(int flags);
/* Never returns: the life of a guardian. */
void guardian_live(const Powers *powers, ProcessTree *tree) __attribute__((noreturn));
/* Never returns: becomes the program, or notes in tree why it could not. host_pid is unique to this
 * tree as long as it lives. */
void program_become(const Powers *powers, ProcessTree *tree, pid_t host_pid)
    __attribute__((noreturn));

#endif
