/* The filter of system calls (seccomp) of confined programs; see starter.h.
 *
 * A list of the calls a program is refused, and of those whose first argument decides. The list is
 * turned into a decision tree over call numbers once, in the starter: the kernel tries every
 * possible call when a filter is installed, and compiles it, so a long row of comparisons would
 * cost more than starting the program. On x86-64, 32-bit programs have a list of their own, which
 * is left out for 64-bit programs: they are refused every 32-bit call. x32 calls are refused to
 * everybody. A refused call fails with EPERM, so a program that does not depend on it carries on.
 *
 * What is refused to generated programs: sockets of every kind (a pair of connected ones excepted),
 * looking into other processes, keyrings, namespaces, what outlives a process (System V memory,
 * message queues), memory that nobody can measure (memfd), rights and times of files by name
 * (Landlock knows nothing of them), and links and FIFOs, which would lead whoever works in the
 * directory after the program out of it, or make them wait for ever. Builds are refused what
 * reaches beyond the machine's files: local sockets (at the other end of one may be a service that
 * runs commands for anybody who asks) and keyrings. */
#include "run/starter/starter.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_CODE = 600, LEAF = 3, MOST_LIST = 96 };

enum Rule {
    REFUSE,          /* EPERM */
    NOT_THERE,       /* ENOSYS: the C library has another way */
    NO_NAMESPACES,   /* flags of new namespaces are refused */
    NO_LOCAL_SOCKET, /* AF_UNIX is refused */
    ONLY_SELF,       /* the first argument must be the program's own number, or 0 */
};

typedef struct Refusal {
    uint32_t number; /* of the system call */
    enum Rule rule;
} Refusal;

typedef struct Filter {
    struct sock_filter code[MOST_CODE];
    unsigned short n;
    unsigned short selves[8]; /* where the program's own number goes */
    unsigned n_selves;
    unsigned short refused[MOST_LIST]; /* jumps to the one refusal of the list being put */
    unsigned n_refused;
} Filter;

static Filter for_programs, for_programs_32, for_builds;

/* Calls added since Linux 5.1 have the same number on all machines. */
enum { IO_URING = 425, CLONE3 = 435, FCHMODAT2 = 452, SETXATTRAT = 463 };
#define SINCE_5                                                                                    \
    { IO_URING, REFUSE }, {                                                                        \
        CLONE3, NOT_THERE                                                                          \
    }

/* Calls that only root may make are not listed: a program has no capabilities, and without a user
 * namespace it gets none. */
static const Refusal programs[] = {
    SINCE_5,
    { FCHMODAT2, NOT_THERE },
    { SETXATTRAT, NOT_THERE },
    { SYS_socket, REFUSE },
    { SYS_ptrace, REFUSE },
    { SYS_process_vm_readv, REFUSE },
    { SYS_process_vm_writev, REFUSE },
    { SYS_keyctl, REFUSE },
    { SYS_add_key, REFUSE },
    { SYS_request_key, REFUSE },
    { SYS_bpf, REFUSE },
    { SYS_unshare, REFUSE },
    { SYS_shmget, REFUSE },
    { SYS_msgget, REFUSE },
    { SYS_semget, REFUSE },
    { SYS_mq_open, REFUSE },
    { SYS_memfd_create, REFUSE },
    { SYS_symlinkat, REFUSE },
    { SYS_linkat, REFUSE },
    { SYS_mknodat, REFUSE },
    { SYS_fchmodat, REFUSE },
    { SYS_fchownat, REFUSE },
    { SYS_utimensat, REFUSE },
    { SYS_setxattr, REFUSE },
    { SYS_lsetxattr, REFUSE },
    { SYS_removexattr, REFUSE },
    { SYS_lremovexattr, REFUSE },
#ifdef SYS_symlink
    { SYS_chmod, REFUSE },
    { SYS_chown, REFUSE },
    { SYS_lchown, REFUSE },
    { SYS_utime, REFUSE },
    { SYS_utimes, REFUSE },
    { SYS_futimesat, REFUSE },
    { SYS_symlink, REFUSE },
    { SYS_link, REFUSE },
    { SYS_mknod, REFUSE },
#endif
    { SYS_clone, NO_NAMESPACES },
    { SYS_kill, ONLY_SELF },
    { SYS_tgkill, ONLY_SELF },
    { SYS_tkill, ONLY_SELF },
};

static const Refusal builds[] = {
    SINCE_5,
    { SYS_socket, NO_LOCAL_SOCKET },
    { SYS_keyctl, REFUSE },
    { SYS_add_key, REFUSE },
    { SYS_request_key, REFUSE },
    { SYS_bpf, REFUSE },
    { SYS_open_by_handle_at, REFUSE },
};

#ifdef __x86_64__
#define NATIVE AUDIT_ARCH_X86_64
/* i386 calls by number: the names defined here are those of x86-64. */
static const Refusal programs_32[] = {
    SINCE_5,
    { 359, REFUSE }, /* socket */
    { 102, REFUSE }, /* socketcall */
    { 26, REFUSE },  /* ptrace */
    { 347, REFUSE }, /* process_vm_readv */
    { 348, REFUSE }, /* process_vm_writev */
    { 288, REFUSE }, /* keyctl */
    { 286, REFUSE }, /* add_key */
    { 287, REFUSE }, /* request_key */
    { 357, REFUSE }, /* bpf */
    { 310, REFUSE }, /* unshare */
    { 117, REFUSE }, /* ipc */
    { 395, REFUSE }, /* shmget */
    { 399, REFUSE }, /* msgget */
    { 393, REFUSE }, /* semget */
    { 277, REFUSE }, /* mq_open */
    { 356, REFUSE }, /* memfd_create */
    { 83, REFUSE },  /* symlink */
    { 304, REFUSE }, /* symlinkat */
    { 9, REFUSE },   /* link */
    { 303, REFUSE }, /* linkat */
    { 14, REFUSE },  /* mknod */
    { 297, REFUSE }, /* mknodat */
    { FCHMODAT2, NOT_THERE },
    { SETXATTRAT, NOT_THERE },
    { 15, REFUSE },         /* chmod */
    { 306, REFUSE },        /* fchmodat */
    { 182, REFUSE },        /* chown of 16 bits */
    { 16, REFUSE },         /* lchown of 16 bits */
    { 212, REFUSE },        /* chown */
    { 198, REFUSE },        /* lchown */
    { 298, REFUSE },        /* fchownat */
    { 320, REFUSE },        /* utimensat */
    { 412, REFUSE },        /* utimensat of 64 bits */
    { 30, REFUSE },         /* utime */
    { 271, REFUSE },        /* utimes */
    { 299, REFUSE },        /* futimesat */
    { 226, REFUSE },        /* setxattr */
    { 227, REFUSE },        /* lsetxattr */
    { 235, REFUSE },        /* removexattr */
    { 236, REFUSE },        /* lremovexattr */
    { 120, NO_NAMESPACES }, /* clone */
    { 37, ONLY_SELF },      /* kill */
    { 270, ONLY_SELF },     /* tgkill */
    { 238, ONLY_SELF },     /* tkill */
};
static const Refusal builds_32[] = {
    SINCE_5,         { 359, NO_LOCAL_SOCKET }, /* socket */
    { 102, REFUSE }, /* socketcall: its arguments are out of a filter's sight */
    { 288, REFUSE }, /* keyctl */
    { 286, REFUSE }, /* add_key */
    { 287, REFUSE }, /* request_key */
    { 357, REFUSE }, /* bpf */
    { 342, REFUSE }, /* open_by_handle_at */
};
#elif defined __aarch64__
#define NATIVE AUDIT_ARCH_AARCH64
#endif

static void emit(Filter *f, uint16_t code, uint32_t k, uint8_t yes, uint8_t no) {
    if (f->n == MOST_CODE) abort(); /* a list has outgrown it: any run will show that */
    f->code[f->n++] = (struct sock_filter){ code, yes, no, k };
}

static void give(Filter *f, uint32_t result) {
    emit(f, BPF_RET | BPF_K, result, 0, 0);
}

static void load(Filter *f, size_t offset) {
    emit(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

#define REFUSED (SECCOMP_RET_ERRNO | EPERM)
#define NAMESPACES                                                                                 \
    (CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS |     \
     CLONE_NEWCGROUP)

/* The low half of the first argument: all that is needed here. */
static void load_argument(Filter *f) {
    load(f, offsetof(struct seccomp_data, args) + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0));
}

static void put_rule(Filter *f, enum Rule rule) {
    switch (rule) {
    case REFUSE: return; /* put_tree's */
    case NOT_THERE: give(f, SECCOMP_RET_ERRNO | ENOSYS); return;
    case NO_NAMESPACES:
        load_argument(f);
        emit(f, BPF_JMP | BPF_JSET | BPF_K, NAMESPACES, 0, 1);
        break;
    case NO_LOCAL_SOCKET:
        load_argument(f);
        emit(f, BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 0, 1);
        break;
    case ONLY_SELF:
        load_argument(f);
        emit(f, BPF_JMP | BPF_JEQ | BPF_K, 0, 2, 0);
        f->selves[f->n_selves++] = f->n;
        emit(f, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
        break;
    }
    give(f, REFUSED);
    give(f, SECCOMP_RET_ALLOW);
}

static void put_tree(Filter *f, const Refusal *list, size_t n) {
    if (n > LEAF) {
        unsigned short at = f->n;
        emit(f, BPF_JMP | BPF_JGE | BPF_K, list[n / 2].number, 0, 0);
        put_tree(f, list, n / 2);
        f->code[at].jt = (uint8_t)(f->n - at - 1);
        put_tree(f, list + n / 2, n - n / 2);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        unsigned short at = f->n;
        emit(f, BPF_JMP | BPF_JEQ | BPF_K, list[i].number, 0, 0);
        if (list[i].rule == REFUSE) f->refused[f->n_refused++] = at;
        put_rule(f, list[i].rule);
        f->code[at].jf = (uint8_t)(f->n - at - 1);
    }
    give(f, SECCOMP_RET_ALLOW);
}

static int by_number(const void *a, const void *b) {
    const Refusal *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/* The part for calls of one architecture: where `arch` is another, it is jumped over. */
static void put_list(Filter *f, uint32_t arch, const Refusal *list, size_t n, bool free_kill) {
    Refusal sorted[MOST_LIST];
    size_t kept = 0;
    for (size_t i = 0; i < n && kept < sizeof sorted / sizeof *sorted; i++)
        if (!free_kill || list[i].rule != ONLY_SELF) sorted[kept++] = list[i];
    qsort(sorted, kept, sizeof *sorted, by_number);
    load(f, offsetof(struct seccomp_data, arch));
    emit(f, BPF_JMP | BPF_JEQ | BPF_K, arch, 1, 0);
    unsigned short at = f->n;
    emit(f, BPF_JMP | BPF_JA, 0, 0, 0);
    load(f, offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
    emit(f, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1); /* x32 */
    give(f, SECCOMP_RET_ERRNO | ENOSYS);
#endif
    f->n_refused = 0;
    put_tree(f, sorted, kept);
    for (unsigned i = 0; i < f->n_refused; i++) {
        unsigned far = f->n - f->refused[i] - 1u;
        if (far > UINT8_MAX) abort(); /* a list has outgrown its jumps: any run shows */
        f->code[f->refused[i]].jt = (uint8_t)far;
    }
    give(f, REFUSED);
    f->code[at].k = (uint32_t)(f->n - at - 1);
}

#define COUNT(list) (sizeof(list) / sizeof *(list))

void filter_prepare(Powers *powers) {
#ifdef NATIVE
    /* Where other processes are out of reach anyway, a program may signal its own children. */
    bool free_kill = powers->pid_ns || powers->landlock_abi >= 6;
    put_list(&for_programs, NATIVE, programs, COUNT(programs), free_kill);
    put_list(&for_builds, NATIVE, builds, COUNT(builds), true);
#ifdef __x86_64__
    put_list(&for_programs_32, NATIVE, programs, COUNT(programs), free_kill);
    put_list(&for_programs_32, AUDIT_ARCH_I386, programs_32, COUNT(programs_32), free_kill);
    give(&for_programs_32, SECCOMP_RET_ERRNO | ENOSYS);
    put_list(&for_builds, AUDIT_ARCH_I386, builds_32, COUNT(builds_32), true);
#endif
    give(&for_programs, SECCOMP_RET_ERRNO | ENOSYS);
    give(&for_builds, SECCOMP_RET_ERRNO | ENOSYS);
    const uint32_t wanted = SECCOMP_RET_ERRNO;
    powers->seccomp = syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &wanted) == 0;
#else
    powers->seccomp = false; /* nobody has written the list of this architecture yet */
#endif
}

/* A program of 32 bits, by the fifth byte of its file. */
static bool is_32(const char *path) {
    unsigned char head[5] = { 0 };
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool elf =
        fd >= 0 && read(fd, head, sizeof head) == sizeof head && memcmp(head, ELFMAG, 4) == 0;
    if (fd >= 0) close(fd);
    return elf && head[EI_CLASS] == ELFCLASS32;
}

bool filter_install(enum Confinement confinement, const char *path) {
    Filter *f = confinement != CONFINE_PROGRAM     ? &for_builds
                : for_programs_32.n && is_32(path) ? &for_programs_32
                                                   : &for_programs;
    for (unsigned i = 0; i < f->n_selves; i++) f->code[f->selves[i]].k = (uint32_t)getpid();
    struct sock_fprog program = { f->n, f->code };
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
                   &program) == 0;
}
