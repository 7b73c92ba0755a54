/* What only LLVM's tools have: the callers of a fatal error, for the header of the coverage file.
 * Linked into opt and llc beside coverage.c with the linker's --wrap=abort.
 *
 * LLVM has handlers of fatal signals of its own, in place of ours. Once run they restore what was
 * there before them and return: a fault then happens again, and ours sees it. An abort
 * (report_fatal_error: "Cannot select", broken modules) would not happen again: when a handler
 * returns, libc takes it away and ends the program. So the signal is sent once more before that. */
#include <signal.h>
#include <stdlib.h>

__attribute__((noreturn)) void __real_abort(void);
__attribute__((noreturn)) void __wrap_abort(void);

void __wrap_abort(void) {
    raise(SIGABRT);
    __real_abort();
}
