/* Coverage runtime: linked into a compiler in place of libgcov (or of clang's profile runtime), so
 * that its counters live in one file mapping and nothing is ever written or lost at exit.
 *
 * The counters of all object files are zero-initialised static arrays, so they lie in .bss. Before
 * any constructor runs, .bss is replaced page for page by a shared mapping of the file that the
 * variable CULPRIT_COVERAGE names. From then on the file is .bss: internal errors, fatal signals,
 * stack overflows and SIGKILL lose nothing, and a normal end costs nothing. The file must be empty:
 * the first process with this runtime takes it, and processes it starts leave it alone. A forked
 * child has a .bss of its own, as it must; what it counts is lost.
 *
 * Where each function's counters are does not change from run to run. With
 * CULPRIT_COVERAGE_LAYOUT=FILE the program writes that once, at its exit: one line for the mapping,
 * one for each object file, one for each function. culprit reads it and the .gcno files, and after
 * that only the mapping of each run.
 *
 * Layout, in text: "culprit-coverage 1 BSS-BYTES", then "unit VERSION STAMP PATH" (path of the
 * .gcda) with its "fn IDENT LINENO-CHECKSUM CFG-CHECKSUM OFFSET COUNTERS" lines (hexadecimal
 * numbers). The mapping file has one page of header, then .bss from the page it starts in; where
 * counting is ever suspended, a second copy after it.
 *
 * Without the variables the program runs as usual, and its counts go nowhere. Needs libc only.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

extern char __bss_start[] __attribute__((visibility("hidden")));
extern char _end[] __attribute__((visibility("hidden")));

enum { PAGE = 4096 };
/* The header, in 64-bit words: magic (two), bytes of .bss, whether counting is suspended, where
 * .bss starts; at HEAD_FRAMES the number of frames of an internal error or a fatal signal and their
 * addresses. */
enum { HEAD_SIZE = 2, HEAD_PAUSED = 3, HEAD_START = 4, HEAD_FRAMES = 8, MOST_FRAMES = 100 };
static const char magic[16] = "culprit-cov-1\n";

static uintptr_t bss_low(void) {
    return (uintptr_t)__bss_start & ~(uintptr_t)(PAGE - 1);
}
static uintptr_t bss_high(void) {
    return ((uintptr_t)_end + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
}

/* ---- the mapping ---- */
static const char *find_env(char **envp, const char *name) {
    size_t n = strlen(name);
    for (; envp && *envp; envp++)
        if (strncmp(*envp, name, n) == 0 && (*envp)[n] == '=') return *envp + n + 1;
    return NULL;
}

static int page_is_zero(const char *page) {
    const uint64_t *word = (const uint64_t *)page;
    for (int i = 0; i < PAGE / 8; i++)
        if (word[i]) return 0;
    return 1;
}

/* ---- the backtrace of a fatal signal ----
 * A program that smashes its memory may smash .bss: the header is mapped once more, at an address
 * that needs no variable, and the handler has its stack after it. A program with handlers of its
 * own takes ours away. */
#define HEAD_AT 0x3cc000000000ul
enum { STACK_AT = 16 * PAGE, STACK_SIZE = 256 * 1024 };

/* The callers, for the header: number of frames, then their addresses. */
static _Unwind_Reason_Code add_frame(struct _Unwind_Context *context, void *arg) {
    uint64_t *frames = arg;
    if (frames[0] >= MOST_FRAMES) return _URC_END_OF_STACK;
    frames[++frames[0]] = (uint64_t)_Unwind_GetIP(context);
    return _URC_NO_REASON;
}

/* Callers of what the signal interrupted: the frames before that are the handler's own. */
static _Unwind_Reason_Code add_caller(struct _Unwind_Context *context, void *arg) {
    uint64_t *frames = arg, at = (uint64_t)_Unwind_GetIP(context);
    if (frames[0] == 1 && !frames[2]) {
        if (at == frames[1]) frames[2] = 1;
        return _URC_NO_REASON;
    }
    return add_frame(context, arg);
}

/* Where it happened is written first: what the unwinder needs may have been smashed. */
static void write_frames(uint64_t *frames, void *context) {
#ifdef __x86_64__
    frames[1] = (uint64_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    frames[0] = 1;
    _Unwind_Backtrace(add_caller, frames);
#else
    (void)context;
    _Unwind_Backtrace(add_frame, frames);
#endif
}

/* Afterwards the program resumes where it was and dies of the same signal: what faulted faults
 * again, what was sent (kill, raise) is sent again. */
static void culprit_coverage_signal(int signal, siginfo_t *info, void *context) {
    uint64_t *frames = (uint64_t *)HEAD_AT + HEAD_FRAMES;
    if (!frames[0]) write_frames(frames, context);
    if (info->si_code <= 0) raise(signal);
}

static void *map_at(uintptr_t at, size_t size, int flags, int fd) {
    void *got = mmap((void *)at, size, PROT_READ | PROT_WRITE, flags | MAP_FIXED_NOREPLACE, fd, 0);
    return got == (void *)at ? got : NULL;
}

static void catch_signals(int fd) {
    static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
    if (!map_at(HEAD_AT, PAGE, MAP_SHARED, fd)) return;
    void *stack = map_at(HEAD_AT + STACK_AT, STACK_SIZE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    if (!stack || sigaltstack(&(stack_t){ .ss_sp = stack, .ss_size = STACK_SIZE }, NULL)) return;
    struct sigaction action = { .sa_sigaction = culprit_coverage_signal,
                                .sa_flags = SA_ONSTACK | SA_SIGINFO | (int)SA_RESETHAND };
    for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], &action, NULL)) return;
}

/* ---- fork ----
 * A child must not share the parent's variables. They may change as soon as the fork happens, so
 * the parent copies .bss before it, to an address that needs no variable, and the child moves the
 * copy over the mapping. */
#define COPY_AT 0x3cd000000000ul
static int is_child; /* the file is not ours to count in */

static void before_fork(void) {
    uintptr_t low = bss_low(), size = bss_high() - low;
    char *copy = map_at(COPY_AT, size, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
    for (uintptr_t i = 0; copy && i < size; i += PAGE)
        if (!page_is_zero((const char *)low + i)) memcpy(copy + i, (const char *)low + i, PAGE);
}

static void after_fork_in_parent(void) {
    munmap((void *)COPY_AT, bss_high() - bss_low());
}

static void after_fork_in_child(void) {
    size_t size = bss_high() - bss_low();
    if (mremap((void *)COPY_AT, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)bss_low()) !=
        MAP_FAILED)
        is_child = 1;
}

/* Writes nothing to .bss between the copy and the mapping: all state is on the stack. */
static void map_bss(const char *path) {
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return;
    uintptr_t low = bss_low(), high = bss_high();
    uint64_t size = high - low;
    if (lseek(fd, 0, SEEK_END) != 0 || ftruncate(fd, (off_t)(PAGE + size)) != 0) {
        close(fd);
        return;
    }
    char head[64] = { 0 };
    memcpy(head, magic, sizeof magic);
    memcpy(head + HEAD_SIZE * 8, &size, sizeof size);
    memcpy(head + HEAD_START * 8, &low, sizeof low);
    int ok = pwrite(fd, head, sizeof head, 0) == sizeof head;
    for (uintptr_t at = low; ok && at < high;
         at += PAGE) /* untouched pages stay holes of the file */
        if (!page_is_zero((const char *)at))
            ok = pwrite(fd, (const void *)at, PAGE, (off_t)(PAGE + (at - low))) == PAGE;
    if (ok && mmap((void *)low, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, PAGE) !=
                  MAP_FAILED) {
        catch_signals(fd);
        pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
    }
    close(fd);
}

static void start(int argc, char **argv, char **envp) {
    (void)argc, (void)argv;
    const char *path = find_env(envp, "CULPRIT_COVERAGE");
    if (path && *path) map_bss(path);
}
__attribute__((section(".preinit_array"), used)) static void (*const start_entry)(int, char **,
                                                                                  char **) = start;

/* ---- what GCC's objects register ---- */
struct counters {
    unsigned num;
    int64_t *values;
};
struct function {
    const void *key; /* the object whose copy was linked */
    unsigned ident, lineno_checksum, cfg_checksum;
    struct counters arcs;
};
/* One object file. After the words here come a function for merging each kind of counter, of which
 * every few releases have one more, then the number of functions, then they. */
struct info {
    unsigned version;
    struct info *next;
    unsigned stamp, checksum; /* the checksum is padding up to GCC 11 */
    const char *filename;
    const void *rest[];
};
struct functions {
    unsigned n;
    const struct function *const *at;
};

static const struct functions *functions_of(const struct info *info) {
    unsigned major = ((info->version >> 24) - 'A') * 10 + (info->version >> 16 & 255) - '0';
    return (const void *)&info->rest[major >= 15 ? 10 : major >= 14 ? 9 : 8];
}

static struct info *infos; /* all registered, newest first */

/* clang: a function per object that passes all its counters to the llvm_gcda_* below. */
enum { MOST_WRITERS = 65536 };
static void (*writers[MOST_WRITERS])(void);
static unsigned n_writers;

static FILE *layout;

static void write_head(void) {
    fprintf(layout, "culprit-coverage 1 %lx\n", (unsigned long)(bss_high() - bss_low()));
}

static void write_counters(unsigned ident, unsigned lineno, unsigned cfg, unsigned n,
                           const void *at) {
    uintptr_t offset = (uintptr_t)at - bss_low();
    if ((uintptr_t)at < bss_low() || (uintptr_t)at + n * 8ul > bss_high())
        fprintf(layout, "outside %x\n", ident);
    else
        fprintf(layout, "fn %x %x %x %lx %x\n", ident, lineno, cfg, (unsigned long)offset, n);
}

static void write_info(const struct info *info) {
    const struct functions *functions = functions_of(info);
    fprintf(layout, "unit %x %x %s\n", info->version, info->stamp, info->filename);
    for (unsigned i = 0; i < functions->n; i++) {
        const struct function *fn = functions->at[i];
        if (fn && fn->key == info)
            write_counters(fn->ident, fn->lineno_checksum, fn->cfg_checksum, fn->arcs.num,
                           fn->arcs.values);
    }
}

static void write_layout(void) {
    const char *path = getenv("CULPRIT_COVERAGE_LAYOUT");
    if (!path || !*path) return;
    layout = fopen(path, "we");
    if (!layout) return;
    write_head();
    for (const struct info *info = infos; info; info = info->next) write_info(info);
    for (unsigned i = 0; i < n_writers; i++) writers[i]();
    fputs("end\n", layout);
    fclose(layout);
    layout = NULL;
}

static void at_exit_once(void) {
    static int done;
    if (!done) atexit(write_layout);
    done = 1;
}

/* ---- counting can be suspended (coverage_gcc.c does, between passes) ----
 * While suspended, the program still counts, but the earlier counts are saved in the second half of
 * the file and restored on resuming. The header says which half is valid if the program ends. */
static char *kept;       /* the second half, mapped */
static uint64_t *paused; /* in the header: 1 while the second half is valid */

static int open_kept(void) {
    const char *path = getenv("CULPRIT_COVERAGE");
    if (is_child) return 0;
    if (kept || !path || !*path) return kept != NULL;
    uint64_t size = bss_high() - bss_low();
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return 0;
    char *head = MAP_FAILED, *half = MAP_FAILED;
    if (lseek(fd, 0, SEEK_END) == (off_t)(PAGE + size) &&
        ftruncate(fd, (off_t)(PAGE + 2 * size)) == 0) {
        head = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        half = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)(PAGE + size));
    }
    close(fd);
    if (head == MAP_FAILED || half == MAP_FAILED) return 0;
    paused = (uint64_t *)(void *)(head + HEAD_PAUSED * 8);
    kept = half;
    return 1;
}

enum move { KEEP, RESTORE, ZERO };

static void move_counters(struct counters c, enum move move) {
    char *here = (char *)c.values, *there = kept + ((uintptr_t)here - bss_low());
    size_t n = c.num * sizeof *c.values;
    if (move == KEEP)
        memcpy(there, here, n);
    else if (move == RESTORE)
        memcpy(here, there, n);
    else
        memset(here, 0, n);
}

static void move_all(enum move move) {
    for (struct info *info = infos; info; info = info->next) {
        const struct functions *functions = functions_of(info);
        for (unsigned k = 0; k < functions->n; k++) {
            const struct function *fn = functions->at[k];
            if (fn && fn->key == info) move_counters(fn->arcs, move);
        }
    }
}

void culprit_coverage_pause(void);
void culprit_coverage_pause(void) {
    if (!open_kept() || *paused) return;
    move_all(KEEP);
    *paused = 1;
}
void culprit_coverage_resume(void);
void culprit_coverage_resume(void) {
    if (!open_kept() || !*paused) return;
    move_all(RESTORE);
    *paused = 0;
}
void culprit_coverage_crash(void);
void culprit_coverage_crash(void) {
    if (!open_kept()) return;
    uint64_t *frames = paused + HEAD_FRAMES - HEAD_PAUSED;
    if (frames[0]) return; /* only the first error matters */
    culprit_coverage_pause();
    _Unwind_Backtrace(add_frame, frames);
}

void culprit_coverage_zero(void);
void culprit_coverage_zero(void) {
    if (open_kept()) move_all(ZERO);
}

/* ---- GCC's entry points ---- */
void __gcov_init(struct info *info);
void __gcov_init(struct info *info) {
    info->next = infos;
    infos = info;
    at_exit_once();
}

#define NOTHING(name)                                                                              \
    void name(void);                                                                               \
    void name(void) {                                                                              \
    }
NOTHING(__gcov_exit)
NOTHING(__gcov_dump)
NOTHING(__gcov_flush)
NOTHING(__gcov_reset)
#define MERGE(name)                                                                                \
    void name(int64_t *counters, unsigned n);                                                      \
    void name(int64_t *counters, unsigned n) {                                                     \
        (void)counters, (void)n;                                                                   \
    }
MERGE(__gcov_merge_add)
MERGE(__gcov_merge_ior)
MERGE(__gcov_merge_topn)
MERGE(__gcov_merge_single)
MERGE(__gcov_merge_icall_topn)
MERGE(__gcov_merge_time_profile)

/* GCC turns fork and exec of instrumented code into these. */
pid_t __gcov_fork(void);
pid_t __gcov_fork(void) {
    return fork();
}
int __gcov_execv(const char *path, char *const argv[]);
int __gcov_execv(const char *path, char *const argv[]) {
    return execv(path, argv);
}
int __gcov_execvp(const char *path, char *const argv[]);
int __gcov_execvp(const char *path, char *const argv[]) {
    return execvp(path, argv);
}
int __gcov_execve(const char *path, char *const argv[], char *const envp[]);
int __gcov_execve(const char *path, char *const argv[], char *const envp[]) {
    return execve(path, argv, envp);
}

enum { MOST_ARGS = 1024 };
static unsigned collect(char **args, char *first, va_list list) {
    unsigned n = 0;
    for (char *arg = first; arg && n + 1 < MOST_ARGS; arg = va_arg(list, char *)) args[n++] = arg;
    args[n] = NULL;
    return n;
}
int __gcov_execl(const char *path, char *arg, ...);
int __gcov_execl(const char *path, char *arg, ...) {
    char *args[MOST_ARGS];
    va_list list;
    va_start(list, arg);
    collect(args, arg, list);
    va_end(list);
    return execv(path, args);
}
int __gcov_execlp(const char *path, char *arg, ...);
int __gcov_execlp(const char *path, char *arg, ...) {
    char *args[MOST_ARGS];
    va_list list;
    va_start(list, arg);
    collect(args, arg, list);
    va_end(list);
    return execvp(path, args);
}
int __gcov_execle(const char *path, char *arg, ...);
int __gcov_execle(const char *path, char *arg, ...) {
    char *args[MOST_ARGS];
    va_list list;
    va_start(list, arg);
    collect(args, arg, list);
    char **envp = va_arg(list, char **);
    va_end(list);
    return execve(path, args, envp);
}

/* ---- clang's entry points ---- */
void llvm_gcov_init(void (*write)(void), void (*reset)(void));
void llvm_gcov_init(void (*write)(void), void (*reset)(void)) {
    (void)reset;
    if (n_writers < MOST_WRITERS) writers[n_writers++] = write;
    at_exit_once();
}
static unsigned llvm_ident, llvm_lineno, llvm_cfg; /* of the function whose counters come next */

void llvm_gcda_start_file(const char *name, uint32_t version, uint32_t stamp);
void llvm_gcda_start_file(const char *name, uint32_t version, uint32_t stamp) {
    if (layout) fprintf(layout, "unit %x %x %s\n", version, stamp, name);
}
void llvm_gcda_emit_function(uint32_t ident, uint32_t lineno, uint32_t cfg);
void llvm_gcda_emit_function(uint32_t ident, uint32_t lineno, uint32_t cfg) {
    llvm_ident = ident, llvm_lineno = lineno, llvm_cfg = cfg;
}
void llvm_gcda_emit_arcs(uint32_t n, uint64_t *counters);
void llvm_gcda_emit_arcs(uint32_t n, uint64_t *counters) {
    if (layout) write_counters(llvm_ident, llvm_lineno, llvm_cfg, n, counters);
}
NOTHING(llvm_gcda_summary_info)
NOTHING(llvm_gcda_end_file)
NOTHING(llvm_reset_counters)
void __llvm_profile_runtime_dummy(void);
int __llvm_profile_runtime; /* clang's driver asks for it at the link */
