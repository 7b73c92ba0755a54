/* A program that tries to get out; each try sets a bit of the exit status, 0 when all are refused.
 *
 * usage: prisoner files HOME-FILE OTHER-DIR | sockets PATH | others PID | odd | fills | spreads |
 *        forks-and-fills DIR | forge | build OTHER-DIR SOCKET */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static int readable(const char *path) {
    char byte;
    int fd = open(path, O_RDONLY);
    return fd >= 0 && read(fd, &byte, 1) >= 0;
}

static int writable_dir(const char *dir) {
    char path[4096];
    snprintf(path, sizeof path, "%s/prisoner-was-here", dir);
    return creat(path, 0666) >= 0;
}

/* Somebody's file, somebody's directory, places everybody shares. */
static int try_files(const char *secret, const char *other) {
    int bad = readable(secret) ? 1 : 0;
    if (writable_dir(other)) bad |= 2;
    if (writable_dir("/tmp") || writable_dir("/var/tmp")) bad |= 4;
    if (writable_dir("/dev/shm")) bad |= 8;
    if (truncate(secret, 0) == 0 || unlink(secret) == 0 || chmod(secret, 0777) == 0) bad |= 16;
    if (creat("own", 0666) < 0 || mkdir("below", 0777) != 0 || !readable("own")) bad |= 32;
    if (!readable("/proc/self/maps") || !readable("/dev/null")) bad |= 64;
    return bad;
}

static int connects(const char *path, int abstract) {
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    strncpy(to.sun_path + abstract, path, sizeof to.sun_path - 2);
    socklen_t size =
        abstract ? (socklen_t)(sizeof(sa_family_t) + 1 + strlen(path)) : (socklen_t)sizeof to;
    int s = socket(AF_UNIX, SOCK_STREAM, 0);
    return s >= 0 && connect(s, (struct sockaddr *)&to, size) == 0;
}

/* A local socket by the system calls of 32 bits, which have other numbers. */
static int old_socket(void) {
#ifdef __x86_64__
    pid_t pid = fork();
    if (pid == 0) {
        long result = 359;
        __asm__ volatile("int $0x80" : "+a"(result) : "b"(1L), "c"(1L), "d"(0L) : "memory");
        _exit((int)result >= 0);
    }
    int status = 0; /* a kernel without them ends the child */
    waitpid(pid, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status);
#else
    return 0;
#endif
}

static int try_sockets(const char *path) {
    int bad = connects(path, 0) ? 1 : 0, pair[2];
    if (connects(path, 1)) bad |= 2;
    struct sockaddr_in to = { .sin_family = AF_INET,
                              .sin_port = htons(9),
                              .sin_addr = { htonl(INADDR_LOOPBACK) } };
    int s = socket(AF_INET, SOCK_DGRAM, 0);
    if (s >= 0 && sendto(s, "x", 1, 0, (struct sockaddr *)&to, sizeof to) >= 0) bad |= 4;
    long ring = syscall(SYS_io_uring_setup, 1, (char[120]){ 0 });
    if (ring >= 0) bad |= 8;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) bad |= 16; /* this one is allowed */
    if (old_socket()) bad |= 32;
    return bad;
}

static int try_others(pid_t pid) {
    char byte;
    struct iovec own = { &byte, 1 }, his = { (void *)0x400000, 1 };
    int bad = kill(pid, 0) == 0 ? 1 : 0;
    if (ptrace(PTRACE_ATTACH, pid, NULL, NULL) == 0) bad |= 2;
    if (process_vm_readv(pid, &own, 1, &his, 1, 0) == 1) bad |= 4;
    if (syscall(SYS_keyctl, 0, -4, 0) >= 0) bad |= 8; /* the user's session keyring */
    if (syscall(SYS_add_key, "user", "prisoner", "x", 1, -4) >= 0) bad |= 16;
    if (kill(getpid(), 0) != 0) bad |= 32;
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
    if (readable(path)) bad |= 64;
    return bad;
}

/* What outlives it, and what leads others out of the directory. */
static int try_odd(void) {
    int bad = symlink("/etc/passwd", "program.o") == 0 ? 1 : 0;
    if (mkfifo("fifo", 0666) == 0) bad |= 2;
    if (link("/etc/hostname", "hard") == 0) bad |= 4;
    if (shmget(0x70726973, 4096, IPC_CREAT | 0666) >= 0) bad |= 8;
    if (msgget(0x70726973, IPC_CREAT | 0666) >= 0) bad |= 16;
    if (syscall(SYS_unshare, 0x10000000) == 0) bad |= 32; /* a user namespace */
    if (syscall(SYS_memfd_create, "m", 0) >= 0) bad |= 64;
    return bad;
}

/* n processes in all, each with its share of the memory. */
static void spread(unsigned n, size_t each) {
    for (unsigned i = 1; i < n; i++)
        if (fork() == 0) break;
    char *at = malloc(each);
    for (size_t done = 0; at && done < each; done += 4096) at[done] = 1;
    for (;;) pause();
}

static void fill_directory(unsigned n) {
    for (unsigned i = 1; i < n; i++)
        if (fork() == 0) break;
    static char block[1 << 20];
    for (unsigned k = 0;; k++) {
        char name[64];
        snprintf(name, sizeof name, "part-%d-%u", (int)getpid(), k);
        int fd = creat(name, 0666);
        for (int i = 0; i < 8 && fd >= 0; i++)
            if (write(fd, block, sizeof block) < 0) break;
        if (k % 2 && fd >= 0) unlink(name); /* half of it without a name */
        if (k % 2 == 0 && fd >= 0) close(fd);
    }
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "", *one = argc > 2 ? argv[2] : "";
    if (strcmp(what, "files") == 0) return try_files(one, argv[3]);
    if (strcmp(what, "sockets") == 0) return try_sockets(one);
    if (strcmp(what, "others") == 0) return try_others(atoi(one));
    if (strcmp(what, "odd") == 0) return try_odd();
    if (strcmp(what, "spreads") == 0) spread(32, 32u << 20);
    if (strcmp(what, "leaves") == 0) { /* a child in a session of its own */
        if (fork() != 0) return 0;
        setsid();
        if (fork() != 0) return 0;
        for (;;) pause();
    }
    if (strcmp(what, "bombs") == 0)
        for (;;)
            if (fork() < 0) usleep(1000);
    if (strcmp(what, "clings") == 0) {
        for (int s = 1; s < 32; s++) signal(s, SIG_IGN);
        for (;;) pause();
    }
    if (strcmp(what, "fills") == 0) fill_directory(8);
    if (strcmp(what, "shares") == 0) { /* much, but shared: below the limit */
        char *at = malloc(64u << 20);
        memset(at, 1, 64u << 20);
        for (int i = 0; i < 8; i++)
            if (fork() == 0) break;
        usleep(400000);
        return at[5] != 1;
    }
    return 3;
}
