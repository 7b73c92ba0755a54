/* Programs that misbehave, each in its own way: what the runner must end and clean up after.
 * Every process marks itself with the argument it was given, so that the test can look for it. */
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void bomb(void) {
    for (;;)
        if (fork() < 0) usleep(1000);
}

/* 256 processes that stay. */
static void cluster(void) {
    for (int i = 0; i < 8; i++)
        if (fork() < 0) break;
    for (;;) sleep(1);
}

static void hog(void) {
    for (size_t n = 1 << 20;; n += 1 << 20) {
        char *at = malloc(n);
        if (!at) abort();
        memset(at, 1, n);
    }
}

static void print_for_ever(void) {
    for (;;) puts("and so on");
}

static void ignore_signals(void) {
    for (int s = 1; s < 32; s++) signal(s, SIG_IGN);
    for (;;) sleep(1);
}

/* Twice forked, own session, pipes closed: the parent ends at once. */
static void daemonise(void) {
    if (fork() != 0) exit(0);
    setsid();
    if (fork() != 0) exit(0);
    for (int fd = 0; fd < 3; fd++) close(fd);
    for (;;) sleep(1);
}

/* A child burns CPU and is killed with the tree: once it has had a tenth of a second, however long
 * that takes on a busy machine. */
static int burn(void) {
    pid_t child = fork();
    if (child == 0)
        for (;;) {
        }
    clockid_t clock;
    struct timespec used = { 0 };
    if (child < 0 || clock_getcpuclockid(child, &clock) != 0) return 1;
    while (used.tv_sec == 0 && used.tv_nsec < 100 * 1000 * 1000) {
        usleep(10000);
        if (clock_gettime(clock, &used) != 0) return 1;
    }
    return 0;
}

/* 0 when none of the forbidden things can be done. */
static int try_forbidden(const char *elsewhere) {
    int bad = fcntl(3, F_GETFD) != -1 ? 32 : 0;
    if (creat(elsewhere, 0666) >= 0) bad |= 1;
    if (mkdir("/tmp/culprit-victim-dir", 0777) == 0) bad |= 2;
    struct sockaddr_in to = { .sin_family = AF_INET,
                              .sin_port = htons(9),
                              .sin_addr = { htonl(INADDR_LOOPBACK) } };
    int s = socket(AF_INET, SOCK_DGRAM, 0);
    if (sendto(s, "x", 1, 0, (struct sockaddr *)&to, sizeof to) >= 0) bad |= 4;
    if (getuid() == 0) bad |= 8;
    if (creat("below", 0666) < 0) bad |= 16;
    return bad;
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "bomb") == 0) bomb();
    if (strcmp(what, "cluster") == 0) cluster();
    if (strcmp(what, "hog") == 0) hog();
    if (strcmp(what, "print") == 0) print_for_ever();
    if (strcmp(what, "ignore") == 0) ignore_signals();
    if (strcmp(what, "daemon") == 0) daemonise();
    if (strcmp(what, "spin") == 0)
        for (;;) {
        }
    if (strcmp(what, "abort") == 0) abort();
    if (strcmp(what, "forbidden") == 0) return try_forbidden(argv[2]);
    if (strcmp(what, "burn") == 0) return burn();
    if (strcmp(what, "file") == 0) {
        FILE *f = fopen("big", "w");
        while (f && fputs("0123456789abcdef", f) >= 0) {
        }
        return 1;
    }
    return 3;
}
