/* What only GCC has: coverage of one pass, or of all up to one, and the backtrace of an internal
 * error. Linked into cc1 beside coverage.c, with the linker's --wrap for the three functions below
 * that have __wrap_ in their names.
 *
 * Every start of a pass goes through the first one (the pass manager asks for a pass's dump file
 * before running it, whether or not there is one); every failed assertion and every fatal signal
 * goes through the other two. Counting ends there, so that the code that reports the error is not
 * covered, and the callers are written into the header of the file.
 *
 * The variable CULPRIT_COVERAGE_PASS says what is counted:
 *     until:tree-fre5   everything but the passes after this one
 *     in:tree-fre5      this pass only
 *     last              since the last start of a pass: what a crash leaves is the pass it happened
 * in Passes after it still run; what they count is undone. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void culprit_coverage_pause(void);  /* coverage.c: from now on nothing counts */
void culprit_coverage_resume(void); /* it counts again */
void culprit_coverage_zero(void);

/* The first members of GCC's struct dump_file_info. */
struct dump_info {
    const char *suffix; /* ".fre5" */
    const char *swtch;  /* "tree-fre5" */
};
struct dump_info *_ZNK3gcc12dump_manager18get_dump_file_infoEi(const void *self, int phase);
int __real__ZN3gcc12dump_manager10dump_startEiP9dump_flag(void *self, int phase, void *flags);
int __wrap__ZN3gcc12dump_manager10dump_startEiP9dump_flag(void *self, int phase, void *flags);

enum { MOST_PHASES = 4096 };

static int find_phase(void *self, const char *name) {
    for (int phase = 0; phase < MOST_PHASES; phase++) {
        struct dump_info *info = _ZNK3gcc12dump_manager18get_dump_file_infoEi(self, phase);
        if (info && info->swtch && strcmp(info->swtch, name) == 0) return phase;
        if (!info && phase > 1000) break;
    }
    return MOST_PHASES;
}

static void enter(void *self, int phase) {
    static const char *mode; /* stays NULL until the first pass, then never again */
    static int until, only;
    if (!mode) {
        mode = getenv("CULPRIT_COVERAGE_PASS");
        if (!mode) mode = "";
        if (strncmp(mode, "until:", 6) == 0) until = find_phase(self, mode + 6);
        if (strncmp(mode, "in:", 3) == 0) only = find_phase(self, mode + 3);
        if (only) culprit_coverage_zero();
    }
    if (until)
        phase > until ? culprit_coverage_pause() : culprit_coverage_resume();
    else if (only)
        phase != only ? culprit_coverage_pause() : culprit_coverage_resume();
    else if (mode[0] == 'l')
        culprit_coverage_zero();
}

int __wrap__ZN3gcc12dump_manager10dump_startEiP9dump_flag(void *self, int phase, void *flags) {
    enter(self, phase);
    return __real__ZN3gcc12dump_manager10dump_startEiP9dump_flag(self, phase, flags);
}

/* ---- internal errors ---- */
void culprit_coverage_crash(void); /* coverage.c */
void __real__Z11fancy_abortPKciS0_(const char *file, int line, const char *function);
void __wrap__Z11fancy_abortPKciS0_(const char *file, int line, const char *function);

void __wrap__Z11fancy_abortPKciS0_(const char *file, int line, const char *function) {
    culprit_coverage_crash();
    __real__Z11fancy_abortPKciS0_(file, line, function);
}

#ifdef __x86_64__
/* internal_error takes any number of arguments: they are passed on untouched. */
__asm__(".text\n.globl __wrap__Z14internal_errorPKcz\n"
        ".type __wrap__Z14internal_errorPKcz, @function\n"
        "__wrap__Z14internal_errorPKcz:\n"
        ".cfi_startproc\n"
        "push %rdi\n.cfi_adjust_cfa_offset 8\npush %rsi\n.cfi_adjust_cfa_offset 8\n"
        "push %rdx\n.cfi_adjust_cfa_offset 8\npush %rcx\n.cfi_adjust_cfa_offset 8\n"
        "push %r8\n.cfi_adjust_cfa_offset 8\npush %r9\n.cfi_adjust_cfa_offset 8\n"
        "push %rax\n.cfi_adjust_cfa_offset 8\n"
        "call culprit_coverage_crash\n"
        "pop %rax\n.cfi_adjust_cfa_offset -8\npop %r9\n.cfi_adjust_cfa_offset -8\n"
        "pop %r8\n.cfi_adjust_cfa_offset -8\npop %rcx\n.cfi_adjust_cfa_offset -8\n"
        "pop %rdx\n.cfi_adjust_cfa_offset -8\npop %rsi\n.cfi_adjust_cfa_offset -8\n"
        "pop %rdi\n.cfi_adjust_cfa_offset -8\n"
        "jmp __real__Z14internal_errorPKcz\n"
        ".cfi_endproc\n.size __wrap__Z14internal_errorPKcz, . - __wrap__Z14internal_errorPKcz\n");
#endif
