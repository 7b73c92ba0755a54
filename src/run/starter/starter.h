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

/* What this kernel allows this user; found out once by starter.c. */
typedef struct Powers {
    bool root;        /* we are uid 0 and may become anybody */
    bool user_ns;     /* PID namespaces only inside a user namespace (not root) */
    bool pid_ns;      /* PID namespaces at all */
    int net_fd;       /* an empty network namespace to enter; -1: none */
    bool own_net;     /* in a user namespace: each confined tree gets a new one */
    bool own_mounts;  /* mount namespaces */
    int landlock_abi; /* 0: no Landlock */
    bool seccomp;     /* filters of system calls */
    uid_t uid;        /* ours */
    gid_t gid;
} Powers;

/* One tree; in memory shared with its guardian, which fills in what it learns. */
typedef struct ProcessTree {
    Order order;
    int fds[MOST_FDS];  /* standard input, output, error of the program; more, or -1 */
    char *payload;      /* the starter's copy, see protocol.h */
    pid_t guardian;     /* 0: this slot is free */
    volatile int phase; /* written by guardian and program */
    volatile int error;
    volatile int ended;
    volatile int wstatus;
    volatile int over;             /* enum Over */
    volatile uint64_t written;     /* by the whole tree; by the guardian, at its end */
    volatile uint64_t each_cpu_us; /* the most of any process, as far as it was seen */
} ProcessTree;

/* What a confined program is given, as in its order. Relative paths start at its directory. */
typedef struct Grants {
    const char *dir;     /* its directory, entered already; empty: none */
    const char *program; /* argv[0] */
    char **reads, **writes;
} Grants;

/* A process of the tree. */
typedef struct FamilyMember {
    pid_t pid, parent;
    bool ours; /* a descendant of this guardian */
} FamilyMember;

/* A new process (clone's flags; 0: as fork), as fork returns it. Waits a little if the machine is
 * full of processes for a moment. */
long patient_clone(int flags);
/* Never returns: the life of a guardian. */
void guardian_live(const Powers *powers, ProcessTree *tree) __attribute__((noreturn));
/* Never returns: becomes the program, or notes in tree why it could not. host_pid is unique to this
 * tree as long as it lives. */
void program_become(const Powers *powers, ProcessTree *tree, pid_t host_pid)
    __attribute__((noreturn));

/* ---- taking rights away ---- */
/* Each prepare function fills in its own part of Powers, once; the others are called in the process
 * that becomes the program. */
void filter_prepare(Powers *powers); /* after landlock_prepare */
/* path: the program's file; a name that is looked up along PATH is none of 32 bits. */
bool filter_install(enum Confinement confinement, const char *path);
void landlock_prepare(Powers *powers);
bool landlock_confine(const Powers *powers, const Order *order, const Grants *grants);
void mounts_prepare(Powers *powers);
/* A /proc of the tree's own, for programs that look themselves up by number; and an empty
 * /usr/lib/debug, if asked for. Where the kernel does not allow that, the machine's own stay. */
void mounts_for_user(const Powers *powers, const Order *order);
/* What Landlock would do, done with mounts: everything is read-only except what was granted, and
 * programs find empty directories where users keep their files. */
bool mounts_confine(const Order *order, const Grants *grants);

/* ---- the whole tree; used by its guardian ---- */
/* Gives the guardian a /proc of its namespace where that is possible; returns its pid there. */
pid_t family_own_proc(const Powers *powers, pid_t host_pid);
unsigned family_find(pid_t self); /* finds the members; the functions below are about those found */
void family_signal(int number);
bool family_hogs(uint64_t limit);                   /* more than that is resident */
bool family_fills(const char *dir, uint64_t limit); /* more than that lies there */
uint64_t family_cpu_us(void);  /* CPU time of the members found and of all who were waited for */
uint64_t family_most_us(void); /* .. and of the member that used most, without its children */
uint64_t family_reaped_wrote(void); /* bytes, by those whom the guardian has reaped */
uint64_t family_wrote(void);        /* .. and by the members found */

#endif
