/* Landlock: which files a confined program reaches; see starter.h.
 *
 * A generated program reads what every program needs (libraries, its own directory, /proc, a few
 * devices) and what it was given; it writes below its own directory, and makes only files and
 * directories there. A build reads what the user reads and writes only where it is allowed. Where
 * the kernel supports it, TCP ports, abstract sockets and signals to others are closed off as well.
 */
#include "run/starter/starter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Debian 12's headers know ABI 2; these come from ABI 3 to 6. */
#define REFER LANDLOCK_ACCESS_FS_REFER
#define TRUNCATE (1ULL << 14)
enum { NET_BIND = 1, NET_CONNECT = 2, SCOPE_ABSTRACT = 1, SCOPE_SIGNAL = 2 };
struct Ruleset {
    uint64_t files, net, scoped; /* handled: forbidden unless a rule allows it */
};

#define READS (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define EXECUTE LANDLOCK_ACCESS_FS_EXECUTE
#define MAKES (LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG)
#define REMOVES (LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE)
#define MAKES_ODD                                                                                  \
    (LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |   \
     LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK)
#define ON_FILES (LANDLOCK_ACCESS_FS_READ_FILE | EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | TRUNCATE)
#define WRITES (LANDLOCK_ACCESS_FS_WRITE_FILE | TRUNCATE | MAKES | REMOVES | REFER)

/* Opened once in the starter: opening them for every program would cost more than all the rest. */
typedef struct GrantedPlace {
    const char *path;
    uint64_t access;
    int fd;
} GrantedPlace;
static GrantedPlace for_programs[] = {
    { "/usr", READS | EXECUTE, -1 },
    { "/lib", READS | EXECUTE, -1 },
    { "/lib32", READS | EXECUTE, -1 },
    { "/lib64", READS | EXECUTE, -1 },
    { "/libx32", READS | EXECUTE, -1 },
    { "/bin", READS | EXECUTE, -1 },
    { "/opt", READS | EXECUTE, -1 },
    { "/nix/store", READS | EXECUTE, -1 },
    { "/gnu/store", READS | EXECUTE, -1 },
    { "/etc/ld.so.cache", READS, -1 },
    { "/etc/ld.so.preload", READS, -1 },
    { "/etc/localtime", READS, -1 },
    { "/proc", READS, -1 },
    { "/sys/devices/system/cpu", READS, -1 },
    { "/dev/null", ON_FILES, -1 },
    { "/dev/zero", ON_FILES, -1 },
    { "/dev/urandom", READS, -1 },
};
static GrantedPlace for_builds[] = {
    { "/dev/null", ON_FILES, -1 }, { "/dev/zero", ON_FILES, -1 }, { "/dev/full", ON_FILES, -1 },
    { "/dev/tty", ON_FILES, -1 },  { "/dev/ptmx", ON_FILES, -1 }, { "/dev/pts", WRITES, -1 },
};
#define COUNT(list) (sizeof(list) / sizeof *(list))

/* Every rule costs time at every start: places within an earlier one (/lib is /usr/lib) are
 * dropped. */
static void open_places(GrantedPlace *places, size_t n) {
    for (size_t i = 0; i < n; i++) {
        char real[4096];
        if (!realpath(places[i].path, real) || (i && strncmp(real, "/usr/", 5) == 0)) continue;
        places[i].fd = open(real, O_PATH | O_CLOEXEC);
    }
}

void landlock_prepare(Powers *powers) {
    long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    powers->landlock_abi = abi > 0 ? (int)abi : 0;
    if (!powers->landlock_abi) return;
    open_places(for_programs, COUNT(for_programs));
    open_places(for_builds, COUNT(for_builds));
}

static bool add_rule(int ruleset, int fd, uint64_t access) {
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0) return false;
    struct landlock_path_beneath_attr rule = { .allowed_access =
                                                   S_ISDIR(st.st_mode) ? access : access & ON_FILES,
                                               .parent_fd = fd };
    return syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
}

static bool allow(int ruleset, const char *path, uint64_t access) {
    int fd = open(path, O_PATH | O_CLOEXEC);
    bool ok = add_rule(ruleset, fd, access);
    if (fd >= 0) close(fd);
    return ok;
}

static uint64_t known(int abi, uint64_t access) {
    if (abi < 2) access &= ~(uint64_t)REFER;
    if (abi < 3) access &= ~(uint64_t)TRUNCATE;
    return access;
}

static int new_ruleset(int abi, const struct Ruleset *handled) {
    size_t size = abi >= 6 ? sizeof *handled : abi >= 4 ? 16 : 8;
    return (int)syscall(SYS_landlock_create_ruleset, handled, size, 0);
}

static bool add_rules(int ruleset, int abi, const Grants *grants, bool build) {
    uint64_t writes = known(abi, WRITES),
             all = build ? writes | MAKES_ODD : READS | EXECUTE | writes;
    const GrantedPlace *places = build ? for_builds : for_programs;
    size_t n = build ? COUNT(for_builds) : COUNT(for_programs);
    for (size_t i = 0; i < n; i++) /* one that is not there needs no rule */
        if (places[i].fd >= 0)
            add_rule(
                ruleset, places[i].fd,
                known(abi, build ? places[i].access & (WRITES | MAKES_ODD) : places[i].access));
    if (!build) {
        if (strchr(grants->program, '/')) allow(ruleset, grants->program, READS | EXECUTE);
        for (char *const *at = grants->reads; *at; at++) allow(ruleset, *at, READS | EXECUTE);
    }
    for (char *const *at = grants->writes; *at; at++) allow(ruleset, *at, all);
    return !*grants->dir || allow(ruleset, grants->dir, all);
}

bool landlock_confine(const Powers *powers, const Order *order, const Grants *grants) {
    int abi = powers->landlock_abi;
    bool build = order->confined == CONFINE_BUILD;
    struct Ruleset handled = { .files = known(abi, WRITES | MAKES_ODD) };
    if (!build) {
        handled.files |= READS | EXECUTE;
        handled.net = NET_BIND | NET_CONNECT;
    }
    handled.scoped = SCOPE_ABSTRACT | SCOPE_SIGNAL;
    int ruleset = new_ruleset(abi, &handled);
    if (ruleset < 0) return false;
    bool ok = add_rules(ruleset, abi, grants, build) &&
              syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
    close(ruleset);
    return ok;
}
