/* Machines that offer less; see take_away.h. */
#include "take_away.h"

#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void forbid(const struct sock_filter *code, size_t n) {
    struct sock_fprog program = { (unsigned short)n, (struct sock_filter *)code };
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

static void forbid_flags(unsigned number, unsigned flags) {
    const struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, flags, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    forbid(code, COUNT_OF(code));
}

static void forbid_call(unsigned number, unsigned error) {
    const struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    forbid(code, COUNT_OF(code));
}

static void forbid_namespaces(void) {
    unsigned flags = CLONE_NEWPID | CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS;
    forbid_flags(SYS_clone, flags);
    forbid_flags(SYS_unshare, flags);
    forbid_call(SYS_clone3, ENOSYS); /* its flags are out of a filter's sight */
}

/* Where any user can reach it: the build may be in somebody's home. */
static char public_dir[] = "/tmp/culprit-test-XXXXXX";
static const char *publish(Arena *arena, const char *program) {
    Error err = { 0 };
    Str bytes;
    CHECK(mkdtemp(public_dir) && chmod(public_dir, 0755) == 0);
    char *copy = file_join(arena, public_dir, "program");
    CHECK(file_read(arena, program, &bytes, &err) && file_write(copy, bytes, &err));
    CHECK(chmod(copy, 0755) == 0);
    return copy;
}

static void become_nobody(void) {
    CHECK(chown(public_dir, 65534, 65534) == 0);
    CHECK(setgroups(0, NULL) == 0 && setresgid(65534, 65534, 65534) == 0);
    CHECK(setresuid(65534, 65534, 65534) == 0);
    CHECK(prctl(PR_SET_DUMPABLE, 1) == 0);          /* else /proc/self is root's */
    CHECK(setenv("PATH", "/usr/bin:/bin", 1) == 0); /* root's own has places closed to us */
}

static bool has_namespaces(void) {
    pid_t pid = fork();
    if (pid == 0) _exit(unshare(geteuid() ? CLONE_NEWUSER | CLONE_NEWPID : CLONE_NEWPID) != 0);
    int status;
    return waitpid(pid, &status, 0) == pid && status == 0;
}

const char *take_away(Arena *arena, int argc, char **argv, const char *program, Lacking *lacking) {
    bool nobody = false;
    for (int i = 1; i < argc; i++) {
        nobody |= strcmp(argv[i], "nobody") == 0;
        lacking->namespaces |= strcmp(argv[i], "plain") == 0;
        lacking->landlock |= strcmp(argv[i], "no-landlock") == 0;
        lacking->seccomp |= strcmp(argv[i], "no-seccomp") == 0;
    }
    const char *copy = publish(arena, program);
    if (nobody && geteuid() == 0) become_nobody();
    lacking->root = geteuid() == 0;
    if (lacking->namespaces) forbid_namespaces();
    if (!lacking->namespaces && !has_namespaces()) {
        fputs("# no namespaces here (a chroot, a container): what is tested is their lack\n",
              stdout);
        lacking->namespaces = true;
    }
    if (lacking->landlock) forbid_call(SYS_landlock_create_ruleset, ENOSYS);
    if (syscall(SYS_landlock_create_ruleset, NULL, 0, 1) < 1 && !lacking->landlock) {
        fputs("# no Landlock here: what is tested is its lack\n", stdout);
        lacking->landlock = true;
    }
    if (lacking->seccomp) forbid_call(SYS_seccomp, ENOSYS);
    return copy;
}

void give_back(void) {
    file_remove_tree(public_dir);
}

unsigned processes_marked(const char *mark) {
    unsigned n = 0;
    DIR *proc = opendir("/proc");
    struct dirent *entry;
    while ((entry = readdir(proc)) != NULL) {
        char path[300], text[4096];
        snprintf(path, sizeof path, "/proc/%s/cmdline", entry->d_name);
        FILE *f = entry->d_name[0] <= '9' ? fopen(path, "r") : NULL;
        size_t got = f ? fread(text, 1, sizeof text, f) : 0;
        if (f) fclose(f);
        if (got && str_find((Str){ text, got }, str_from(mark), 0) != STR_NONE) n++;
    }
    closedir(proc);
    return n;
}

void system_v_remove(void) {
    shmctl(shmget(0x70726973, 4096, 0), IPC_RMID, NULL);
    msgctl(msgget(0x70726973, 0), IPC_RMID, NULL);
}
