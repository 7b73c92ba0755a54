/* What only LLVM's tools have: coverage of one numbered pass, or of all up to one, and the callers
 * of a fatal error. Linked into opt and llc beside coverage.c, with the linker's --wrap for the
 * functions below that have __wrap_ in their names.
 *
 * With -opt-bisect-limit, passes are numbered: the new pass manager (opt) asks OptBisect::checkPass
 * before each optional pass, the old one (llc) asks for the gate and then the gate itself. The
 * variable CULPRIT_COVERAGE_PASS says what is counted:
 *     in:7      the seventh of them only: what was counted before is zeroed, and the program ends
 *               with the next one; a program that has not so many has counted nothing
 *     until:7   everything before the eighth, where the program ends */
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the counters ---- */
enum { MOST_UNITS = 65536, CUT_SHORT = 9 };
static void (*resets[MOST_UNITS])(void); /* each zeroes the counters of an object file */
static unsigned n_resets;

void __real_llvm_gcov_init(void (*write)(void), void (*reset)(void));
void __wrap_llvm_gcov_init(void (*write)(void), void (*reset)(void));
void __wrap_llvm_gcov_init(void (*write)(void), void (*reset)(void)) {
    if (reset && n_resets < MOST_UNITS) resets[n_resets++] = reset;
    __real_llvm_gcov_init(write, reset);
}

static void zero_all(void) {
    for (unsigned i = 0; i < n_resets; i++) resets[i]();
}

/* clang has it called before an exec, so that a profile is written: ours needs no writing. */
void llvm_writeout_files(void);
void llvm_writeout_files(void) {
}

/* ---- the passes ----
 * What they wrap is weak: these flags are those of every link, and LLVM's configuration also links
 * programs of a line, which have neither. */
static void begin_pass(void) {
    static const char *mode; /* stays NULL until the first pass */
    static long number, wanted;
    if (!mode) {
        const char *given = getenv("CULPRIT_COVERAGE_PASS");
        const char *colon = given ? strchr(given, ':') : NULL;
        mode = colon ? given : "";
        wanted = colon ? atol(colon + 1) : 0;
        if (mode[0] == 'i') atexit(zero_all);
    }
    number++;
    if (!mode[0]) return;
    if (number > wanted) _exit(CUT_SHORT);
    if (number == wanted && mode[0] == 'i') zero_all();
}

static bool counted; /* the pass that is asked about next, by its gate */

__attribute__((weak)) bool
__real__ZN4llvm9OptBisect9checkPassENS_9StringRefES1_(void *self, const char *pass, size_t pass_len,
                                                      const char *on, size_t on_len);
bool __wrap__ZN4llvm9OptBisect9checkPassENS_9StringRefES1_(void *self, const char *pass,
                                                           size_t pass_len, const char *on,
                                                           size_t on_len);
bool __wrap__ZN4llvm9OptBisect9checkPassENS_9StringRefES1_(void *self, const char *pass,
                                                           size_t pass_len, const char *on,
                                                           size_t on_len) {
    if (!counted) begin_pass();
    counted = false;
    return __real__ZN4llvm9OptBisect9checkPassENS_9StringRefES1_(self, pass, pass_len, on, on_len);
}

__attribute__((weak)) void *__real__ZNK4llvm11LLVMContext14getOptPassGateEv(const void *self);
void *__wrap__ZNK4llvm11LLVMContext14getOptPassGateEv(const void *self);
void *__wrap__ZNK4llvm11LLVMContext14getOptPassGateEv(const void *self) {
    begin_pass();
    counted = true;
    return __real__ZNK4llvm11LLVMContext14getOptPassGateEv(self);
}

/* ---- fatal errors ----
 * LLVM has handlers of fatal signals of its own, in place of ours. Once run they restore what was
 * there before them and return: a fault then happens again, and ours sees it. An abort
 * (report_fatal_error: "Cannot select", broken modules) would not happen again: when a handler
 * returns, libc takes it away and ends the program. So the signal is sent once more before that. */
__attribute__((noreturn)) void __real_abort(void);
__attribute__((noreturn)) void __wrap_abort(void);
void __wrap_abort(void) {
    raise(SIGABRT);
    __real_abort();
}
