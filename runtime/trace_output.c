/* The program's own writes. Calls of these functions of the C library are redirected here by
 * culprit-cc: each does what the library does, and records the bytes with their descriptor. */
#include "trace_runtime.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* Renders what a printf is about to write and records it. */
static void record_format(int descriptor, const char *format, va_list args) {
    if (!culprit_is_recording()) return;
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
    vsnprintf(large, (size_t)n + 1, format, copy);
    va_end(copy);
    culprit_output(descriptor, large, (size_t)n);
    free(large);
}

int culprit_out_vfprintf(FILE *stream, const char *format, va_list args);
int culprit_out_vfprintf(FILE *stream, const char *format, va_list args) {
    record_format(fileno(stream), format, args);
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
    culprit_output(fileno(stream), text, strlen(text));
    return fputs(text, stream);
}

int culprit_out_puts(const char *text);
int culprit_out_puts(const char *text) {
    culprit_output(fileno(stdout), text, strlen(text));
    culprit_output(fileno(stdout), "\n", 1);
    return puts(text);
}

int culprit_out_fputc(int c, FILE *stream);
int culprit_out_fputc(int c, FILE *stream) {
    char byte = (char)c;
    culprit_output(fileno(stream), &byte, 1);
    return fputc(c, stream);
}

int culprit_out_putchar(int c);
int culprit_out_putchar(int c) {
    return culprit_out_fputc(c, stdout);
}

size_t culprit_out_fwrite(const void *from, size_t size, size_t n, FILE *stream);
size_t culprit_out_fwrite(const void *from, size_t size, size_t n, FILE *stream) {
    size_t done = fwrite(from, size, n, stream);
    culprit_output(fileno(stream), from, size * done);
    return done;
}

ssize_t culprit_out_write(int fd, const void *from, size_t size);
ssize_t culprit_out_write(int fd, const void *from, size_t size) {
    ssize_t done = write(fd, from, size);
    if (done > 0) culprit_output(fd, from, (size_t)done);
    return done;
}

void culprit_out_perror(const char *text);
void culprit_out_perror(const char *text) {
    if (text && *text) {
        culprit_output(2, text, strlen(text));
        culprit_output(2, ": ", 2);
    }
    perror(text);
}
