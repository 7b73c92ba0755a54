/* Errors: filled where something goes wrong, printed once at the end of a command. */
#include "base/base.h"

#include <errno.h>

static void fill(Error *err, enum Status status, const char *fmt, va_list args) {
    err->status = status;
    vsnprintf(err->text, sizeof err->text, fmt, args);
    /* One line, and nothing a terminal would act on, whatever a compiler or file name put in. */
    for (char *c = err->text; *c; c++)
        if (*c == '\n' || *c == '\r' || *c == '\t')
            *c = ' ';
        else if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
}

bool err_set(Error *err, enum Status status, const char *fmt, ...) {
    if (!err) return false;
    va_list args;
    va_start(args, fmt);
    fill(err, status, fmt, args);
    va_end(args);
    return false;
}

static void fill_errno(Error *err, enum Status status, const char *fmt, va_list args) {
    int code = errno;
    fill(err, status, fmt, args);
    size_t used = strlen(err->text);
    snprintf(err->text + used, sizeof err->text - used, ": %s", strerror(code));
}

bool err_errno(Error *err, const char *fmt, ...) {
    if (!err) return false;
    va_list args;
    va_start(args, fmt);
    fill_errno(err, STATUS_BAD, fmt, args);
    va_end(args);
    return false;
}

bool err_write(Error *err, const char *fmt, ...) {
    if (!err) return false;
    va_list args;
    va_start(args, fmt);
    fill_errno(err, STATUS_LACKS, fmt, args);
    va_end(args);
    return false;
}

static bool (*was_interrupted)(void); /* NULL: never interrupted */

void err_ask_interrupted(bool (*interrupted)(void)) {
    was_interrupted = interrupted;
}

int err_report(const Error *err) {
    if (err->status == STATUS_DONE && !err->text[0]) return STATUS_DONE;
    fflush(stdout);
    if (err->status != STATUS_INTERRUPTED && was_interrupted && was_interrupted()) {
        fputs("culprit: interrupted\n", stderr);
        return STATUS_INTERRUPTED;
    }
    fprintf(stderr, "culprit: %s\n", err->text);
    return (int)err->status;
}

void die_bug(const char *file, int line, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    fprintf(stderr, "culprit: bug at %s:%d: ", file, line);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
    abort();
}
