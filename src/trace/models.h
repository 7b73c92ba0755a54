/* What uninstrumented code did to memory: who may have written a byte that changed behind our back,
 * which stretches a C library function copied, which strings it read. It only decides who is taken
 * to have written something, never a value. */
#ifndef CULPRIT_TRACE_MODELS_H
#define CULPRIT_TRACE_MODELS_H

#include "trace/libc.h"
#include "trace/memory.h"

enum { ORIGINS_MOST = 4 << 20 };                 /* written bytes whose origin is kept */
enum { READ_MOST = 256, READS_MOST = 32 << 20 }; /* bytes of a string that count; of all strings */
enum { COPY_MOST = 4096 }; /* larger copies keep the original writers, without the copy between */
enum { OUTSIDE_KEPT = 64, OUTSIDE_ARGS = 6, OUTSIDE_REACH = 1 << 16 };

typedef struct OutsideCall {
    Step step;
    uint64_t args[OUTSIDE_ARGS];
    unsigned count;
} OutsideCall;

/* The last calls that left the instrumented code. */
typedef struct Outside {
    OutsideCall calls[OUTSIDE_KEPT];
    uint64_t count;
} Outside;

void outside_note(Outside *outside, Step call, const uint64_t *args, unsigned count);
/* The latest call with an argument that points at or closely below the address; DEF_OUTSIDE: none.
 */
Step outside_writer(const Outside *outside, uint64_t address);

typedef struct Moved {
    uint64_t to, from;
    uint32_t size;
} Moved;
/* Whether the function (NULL: unknown) copied bytes as they are. args: LIBC_ARGS of them. */
bool models_moved(Memory *memory, const LibcFunction *f, const uint64_t *args, uint64_t result,
                  Moved *moved);
/* Which of its arguments the function read as strings (bit i: argument i), including those of %s in
 * a format; most: at most this many bytes of each. whole: the limit was the function's own. */
unsigned models_strings(Memory *memory, const LibcFunction *f, const uint64_t *args, uint32_t *most,
                        bool *whole);

#endif
