/* What an address denotes: the object that holds it, and the offset in it. Two runs of two versions
 * have different heaps, frames and tables of globals: an address says nothing across them, the
 * place it denotes does. */
#ifndef CULPRIT_TRACE_OBJECT_H
#define CULPRIT_TRACE_OBJECT_H

#include "trace/alignment.h"

typedef enum ObjectKind {
    OBJECT_UNKNOWN,
    OBJECT_GLOBAL,   /* which: index in Code.globals */
    OBJECT_FUNCTION, /* which: index in Code.functions */
    OBJECT_LOCAL,    /* which: activation; offset in its frame */
    OBJECT_HEAP,     /* which: index in Trace.heap */
    OBJECT_ARGUMENT, /* argv, its strings, the environment; offset from argv */
} ObjectKind;

typedef struct Object {
    ObjectKind kind;
    uint32_t which;
    uint64_t offset;
} Object;

/* The object at an address at the time of a step. */
Object object_at(const Trace *trace, uint64_t address, Step when);

typedef enum SamePlace {
    PLACE_SAME,
    PLACE_OTHER,
    PLACE_UNKNOWN, /* nothing is known about one of them, or there is nothing to compare them by */
} SamePlace;

/* An address of one run, at the time of a step. */
typedef struct AddressThen {
    uint64_t address;
    Step when;
} AddressThen;

/* Whether an address of the bad run denotes what one of the good run denotes. Heap objects are the
 * same when the calls that made them are aligned, whatever was allocated between them. */
SamePlace object_compare(const Align *align, AddressThen bad, AddressThen good);

#endif
