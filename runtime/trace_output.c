/* The program's own writes. culprit-cc redirects calls of these C library functions here: each does
 * what the library does, and records the bytes with their descriptor. The program's errno is left
 * as it was: fileno sets it for streams in memory, and %m prints it. */
#include "trace_runtime.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static int descriptor_of(FILE *stream) {
    int saved = errno, descriptor = fileno(stream);
    errno = saved;
    return descriptor;
}

static void record(FILE *stream, const void *bytes, size_t size) {
    int saved = errno;
    culprit_output(descriptor_of(stream), bytes, size);
    errno = saved;
}

static void record_text(int descriptor, const char *format, va_list args) {
    int saved = errno;
    char small[1024];
    va_list copy;
    va_copy(copy, args);
    int n = vsnprintf(small, sizeof small, format, copy);
    va_end(copy);
    if (n < 0) return;
    if ((size_t)n < sizeof small) {
        culprit_output(descriptor, small, (size_t)n);
        return;
    }
    char *large = malloc((size_t)n + 1);
    if (!large) return;
    va_copy(copy, args);
    errno = saved; /* for %m, which malloc may have changed */
    vsnprintf(large, (size_t)n + 1, format, copy);
    va_end(copy);
    culprit_output(descriptor, large, (size_t)n);
    free(large);
}

/* Renders what a printf is about to write and records it. */
static void record_format(int descriptor, const char *format, va_list args) {
    if (!culprit_is_recording()) return;
    int saved = errno;
    record_text(descriptor, format, args);
    errno = saved;
}

int culprit_out_vfprintf(FILE *stream, const char *format, va_list args);
int culprit_out_vfprintf(FILE *stream, const char *format, va_list args) {
    record_format(descriptor_of(stream), format, args);
    return vfprintf(stream, format, args);
}

int culprit_out_vprintf(const char *format, va_list args);
int culprit_out_vprintf(const char *format, va_list args) {
    return culprit_out_vfprintf(stdout, format, args);
}

int culprit_out_vdprintf(int fd, const char *format, va_list args);
int culprit_out_vdprintf(int fd, const char *format, va_list args) {
    record_format(fd, format, args);
    return vdprintf(fd, format, args);
}

int culprit_out_fprintf(FILE *stream, const char *format, ...);
int culprit_out_fprintf(FILE *stream, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = culprit_out_vfprintf(stream, format, args);
    va_end(args);
    return n;
}

int culprit_out_printf(const char *format, ...);
int culprit_out_printf(const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = culprit_out_vfprintf(stdout, format, args);
    va_end(args);
    return n;
}

int culprit_out_dprintf(int fd, const char *format, ...);
int culprit_out_dprintf(int fd, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = culprit_out_vdprintf(fd, format, args);
    va_end(args);
    return n;
}

int culprit_out_fputs(const char *text, FILE *stream);
int culprit_out_fputs(const char *text, FILE *stream) {
    record(stream, text, strlen(text));
    return fputs(text, stream);
}

int culprit_out_puts(const char *text);
int culprit_out_puts(const char *text) {
    record(stdout, text, strlen(text));
    record(stdout, "\n", 1);
    return puts(text);
}

int culprit_out_fputc(int c, FILE *stream);
int culprit_out_fputc(int c, FILE *stream) {
    char byte = (char)c;
    record(stream, &byte, 1);
    return fputc(c, stream);
}

int culprit_out_putchar(int c);
int culprit_out_putchar(int c) {
    return culprit_out_fputc(c, stdout);
}

size_t culprit_out_fwrite(const void *from, size_t size, size_t n, FILE *stream);
size_t culprit_out_fwrite(const void *from, size_t size, size_t n, FILE *stream) {
    size_t done = fwrite(from, size, n, stream);
    record(stream, from, size * done);
    return done;
}

ssize_t culprit_out_write(int fd, const void *from, size_t size);
ssize_t culprit_out_write(int fd, const void *from, size_t size) {
    ssize_t done = write(fd, from, size);
    int saved = errno;
    if (done > 0) culprit_output(fd, from, (size_t)done);
    errno = saved;
    return done;
}

void culprit_out_perror(const char *text);
void culprit_out_perror(const char *text) {
    if (text && *text) {
        record(stderr, text, strlen(text));
        record(stderr, ": ", 2);
    }
    perror(text);
}
