/* Signals of a traced program. An instrumented handler records as well: if it ran between two
 * instructions of the recorder, or between two instructions of a block, no replay could make sense
 * of it. So handlers run where a replay expects them: at the end of a block, before a return, and
 * in calls that leave the instrumented code.
 *
 * culprit-cc redirects sigaction and signal here, and the kernel only knows on_signal. Outside
 * instrumented code (culprit_thread.inside is 0) it calls the program's handler at once. Inside,
 * the signal is blocked in the interrupted context and sent again, with everything that came with
 * it; culprit_thread.end = NULL makes the next record unblock it, which is at most a block away.
 * Faults cannot wait, and need not: they arise in the program's instructions, not in the
 * recorder's.
 *
 * Handlers that other libraries install are not redirected. */
#include "trace_runtime.h"
#include "trace_thread.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { SIGNALS = 65 };

__thread uint64_t culprit_waiting __attribute__((tls_model("initial-exec")));

static struct sigaction
    asked[SIGNALS]; /* what the program asked for, where on_signal is installed */

static bool is_fatal(int number) {
    return number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL;
}

/* A fault of the instruction that was interrupted: it cannot wait. */
static bool is_fault(int number, const siginfo_t *info) {
    return (is_fatal(number) || number == SIGTRAP || number == SIGSYS) && info->si_code > 0;
}

/* Whether the signal was deferred: it comes again where a replay expects it. */
static bool put_off(int number, siginfo_t *info, void *context) {
    if (!culprit_thread.inside || !culprit_is_recording() || is_fault(number, info)) return false;
    ucontext_t *interrupted = context;
    if (syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), number, info) != 0)
        return false;
    sigaddset(&interrupted->uc_sigmask, number);
    __atomic_fetch_or(&culprit_waiting, 1ull << (number - 1), __ATOMIC_RELAXED);
    culprit_thread.end = NULL;
    return true;
}

void culprit_let_come(uint64_t waiting) {
    sigset_t set;
    sigemptyset(&set);
    for (int number = 1; number < SIGNALS; number++)
        if (waiting >> (number - 1) & 1) sigaddset(&set, number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static void install(int number, void (*handler)(int)) {
    sigaction(number, &(struct sigaction){ .sa_handler = handler }, NULL);
}

/* ---- fatal signals ---- */

/* Afterwards what faulted faults again, and ends the process. A signal that was sent (kill, raise)
 * has no address and does not come again by itself; it need not be deferred, as nothing more is
 * recorded. */
static void on_fatal(int number, siginfo_t *info, void *context) {
    (void)context;
    bool sent = info->si_code <= 0;
    install(number, SIG_DFL);
    if (culprit_is_recording()) culprit_record_signal(number, sent ? 0 : (uint64_t)info->si_addr);
    if (sent) raise(number);
}

static const struct sigaction fatal_action = { .sa_sigaction = on_fatal,
                                               .sa_flags = SA_SIGINFO | SA_ONSTACK };

void culprit_catch_fatal(void) {
    static char stack[16384] __attribute__((aligned(16)));
    stack_t alternate = { .ss_sp = stack, .ss_size = sizeof stack };
    sigaltstack(&alternate, NULL);
    for (int number = 1; number < SIGNALS; number++) {
        struct sigaction old;
        if (is_fatal(number) && sigaction(number, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            sigaction(number, &fatal_action, NULL);
    }
}

/* ---- the program's handlers ---- */

int culprit_sigaction(int number, const struct sigaction *new, struct sigaction *old);

/* Does what the kernel would do for the flags that on_signal is installed without: a deferred
 * signal comes twice. */
static void prepare(int number, int flags) {
    if (flags & (int)SA_RESETHAND)
        culprit_sigaction(number, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
    if (flags & SA_NODEFER) culprit_let_come(1ull << (number - 1));
}

/* The handler may leave by longjmp: then culprit_jump restores what is restored here. */
static void on_signal(int number, siginfo_t *info, void *context) {
    int saved = errno;
    bool later = put_off(number, info, context);
    struct sigaction action = asked[number];
    if (!later) prepare(number, action.sa_flags);
    errno = saved;
    if (later) return;
    void *callee = culprit_thread.callee;
    uint32_t inside = culprit_thread.inside;
    culprit_thread.callee = NULL;
    if (action.sa_flags & SA_SIGINFO)
        action.sa_sigaction(number, info, context);
    else
        ((void (*)(int, siginfo_t *, void *))(void *)action.sa_handler)(number, info, context);
    culprit_thread.callee = callee;
    TRACE_ORDER();
    culprit_thread.inside = inside;
}

/* What to tell the kernel for what the program asks for. */
static struct sigaction ours(int number, const struct sigaction *new) {
    struct sigaction action = *new;
    if (new->sa_handler == SIG_DFL && is_fatal(number)) return fatal_action;
    if (new->sa_handler == SIG_DFL || new->sa_handler == SIG_IGN) return action;
    action.sa_sigaction = on_signal;
    action.sa_flags |= SA_SIGINFO;
    action.sa_flags &= ~(SA_NODEFER | (int)SA_RESETHAND);
    return action;
}

int culprit_sigaction(int number, const struct sigaction *new, struct sigaction *old) {
    if (!culprit_is_tracing() || number <= 0 || number >= SIGNALS)
        return sigaction(number, new, old);
    struct sigaction before = asked[number], real, action;
    if (new) {
        action = ours(number, new);
        if (action.sa_sigaction == on_signal) asked[number] = *new;
    }
    if (sigaction(number, new ? &action : NULL, &real) != 0) {
        asked[number] = before;
        return -1;
    }
    if (real.sa_sigaction == on_signal) real = before;
    if (real.sa_sigaction == on_fatal) real = (struct sigaction){ .sa_handler = SIG_DFL };
    if (old) *old = real;
    return 0;
}

static void (*set_handler(int number, void (*handler)(int), int flags))(int) {
    struct sigaction old, action = { .sa_handler = handler, .sa_flags = flags };
    if (!(flags & SA_NODEFER)) sigaddset(&action.sa_mask, number);
    return culprit_sigaction(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

void (*culprit_signal(int number, void (*handler)(int)))(int);
void (*culprit_signal(int number, void (*handler)(int)))(int) {
    return set_handler(number, handler, SA_RESTART);
}

void (*culprit_sysv_signal(int number, void (*handler)(int)))(int);
void (*culprit_sysv_signal(int number, void (*handler)(int)))(int) {
    return set_handler(number, handler, (int)SA_RESETHAND | SA_NODEFER);
}
