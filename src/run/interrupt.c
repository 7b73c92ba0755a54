/* SIGINT and SIGTERM: the first sets a flag and wakes the poll loop, the second ends culprit at
 * once (its starter then kills what runs and removes the working directories). */
#include "run/proc.h"

#include <errno.h>
#include <signal.h>
#include <sys/eventfd.h>

static volatile sig_atomic_t interrupted;
static int wake = -1;

static void on_signal(int number) {
    if (interrupted) _exit(128 + number);
    interrupted = 1;
    int saved = errno;
    uint64_t one = 1;
    if (write(wake, &one, sizeof one) < 0) errno = saved;
    errno = saved;
}

void run_catch_interrupts(void) {
    if (wake >= 0) return;
    wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct sigaction action = { .sa_handler = on_signal };
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void run_forget_interrupt(void) {
    interrupted = 0;
}

bool run_interrupted(void) {
    return interrupted != 0;
}

int interrupt_fd(void) {
    return interrupted ? -1 : wake; /* once is enough: proc_pump has seen it by then */
}
