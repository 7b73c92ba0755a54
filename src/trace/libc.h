/* What is known about the C library, in one table: which functions end a program, write, copy,
 * allocate, read strings, bring something in from outside, and which depend only on their
 * arguments.
 *
 * culprit-cc takes from it which calls to redirect to the recorder's own, replay which bytes move,
 * the analysis what a result depends on. It never decides a value: those are recorded. To teach all
 * of them a function, add its row in libc.c. */
#ifndef CULPRIT_TRACE_LIBC_H
#define CULPRIT_TRACE_LIBC_H

#include "base/base.h"

typedef enum LibcTrait {
    LIBC_VALUE = 1,  /* result and effects depend only on the arguments and what they point to */
    LIBC_INPUT = 2,  /* brings in what the program did not compute: bytes read, the environment */
    LIBC_VARIES = 4, /* .. that differs from run to run, whatever the program is: times, pids */
    LIBC_NEW = 8,    /* its result is a new object */
    LIBC_EXITS = 16, /* ends the program with its first argument as status */
    LIBC_ABORTS = 32,
    LIBC_BYTES = 64,    /* "strings" are stretches of memory of as many bytes as the limit says */
    LIBC_SILENT = 128,  /* its result is of no use to an analysis, and it changes no memory */
    LIBC_RESIZES = 256, /* the new object holds what the one at argument 0 held */
    LIBC_STORES = 512,  /* LIBC_VALUE, and writes results through other arguments */
    LIBC_TABLE = 1024,  /* its result leads to tables of the library that nobody changes */
    LIBC_ROUNDS = 2048, /* changes what floating point gives from then on */
    LIBC_HANDLE = 4096, /* takes or gives back a descriptor: the system takes the least free one */
    LIBC_ZEROES = 8192, /* the new object is all zeros */
} LibcTrait;

/* What it copies as it is, from one place in memory to another. */
typedef enum LibcCopy {
    COPY_NONE,
    COPY_STRING,         /* the string at argument 1 to argument 0 */
    COPY_COUNTED,        /* at most argument 2 bytes of it */
    COPY_BYTES,          /* argument 2 bytes */
    COPY_DUPLICATE,      /* the string at argument 0 to the result */
    COPY_DUPLICATE_PART, /* at most argument 1 bytes of it */
    COPY_APPEND,         /* the string at argument 1 after the one at argument 0 */
    COPY_APPEND_PART,    /* at most argument 2 bytes of it */
} LibcCopy;

/* What it writes, to a stream, a descriptor or into memory. */
typedef enum LibcText {
    TEXT_NONE,
    TEXT_FORMAT, /* format at text_arg, its values after it */
    TEXT_LIST,   /* format at text_arg, a va_list after it */
    TEXT_BYTE,   /* the byte text_arg */
    TEXT_STRING, /* the string at text_arg */
    TEXT_LINE,   /* the same and a newline, which is a write of its own */
    TEXT_MEMORY, /* bytes at text_arg */
} LibcText;

enum { LIBC_ARGS = 8 }; /* arguments that a row can mention */
/* Among LibcFunction.steers: by what no argument shows. */
#define LIBC_STEERS_ANYHOW 0x80

typedef struct LibcFunction {
    const char *name;
    uint16_t traits;  /* LibcTrait */
    uint8_t strings;  /* bit i: argument i is read as a string (LIBC_BYTES: as memory) */
    uint8_t limit;    /* 1 + the argument that bounds how many bytes of them; 0: none */
    uint8_t copy;     /* LibcCopy */
    uint8_t text;     /* LibcText */
    uint8_t text_arg; /* see LibcText */
    uint8_t into;     /* 1 + the argument that points to the memory written to; 0: it goes out */
    /* Bit i: argument i decides what later input is: how far was read, where to go on, a seed. */
    uint8_t steers;
    const char *instead; /* what culprit-cc calls in its place; NULL: itself */
} LibcFunction;

/* The row of a function, known by its name with or without the decorations of checking and unlocked
 * versions (__strcpy_chk, fputs_unlocked, _IO_putc); NULL: nothing is known about it. */
const LibcFunction *libc_find(const char *name);
static inline bool libc_is(const LibcFunction *f, unsigned traits) {
    return f && f->traits & traits;
}
/* Whether it may write to memory that it is given a pointer to; NULL may. */
bool libc_may_write(const LibcFunction *f);
/* Bytes of a new object, from the arguments of the call that made it; 0: not known from them. */
uint64_t libc_new_size(const LibcFunction *f, const uint64_t *args);

#endif
