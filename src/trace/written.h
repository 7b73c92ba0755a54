/* Where each byte of a program's output came from: the argument of the call that wrote it, for
 * printf through its directives, and for strings the byte of memory. */
#ifndef CULPRIT_TRACE_WRITTEN_H
#define CULPRIT_TRACE_WRITTEN_H

#include "trace/libc.h"
#include "trace/memory.h"

/* The call's arguments as the C library saw them. */
typedef struct OutCall {
    const LibcFunction *function; /* the called function; NULL: not known */
    const uint64_t *args;         /* narrow values */
    const uint8_t *kinds;         /* TypeKind of each */
    unsigned count;
} OutCall;

/* Fills out[0..size-1]. Never silently wrong: what cannot be matched is OUT_UNKNOWN. */
void output_origins(Memory *memory, const OutCall *call, const uint8_t *bytes, uint32_t size,
                    OutByte *out);

#endif
