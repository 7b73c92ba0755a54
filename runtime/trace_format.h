/* The recording of one thread, as runtime/trace.c writes it and src/trace/replay.c reads it.
 *
 * A file is a TraceHeader and then records, one after the other, each opened by a byte. A byte of 0
 * where a record should start is the end: the file is mapped and filled with zeros, so it is valid
 * at any moment, whatever ends the process. Numbers are little-endian and not aligned.
 *
 *   1 .. TRACE_NEAR_BLOCKS   the block with that index in the current function starts (entry blocks
 *                            are implied by TAG_ENTER)
 *   TAG_*                    as below
 *
 * Only what a replay cannot know is recorded: which way control went (a replay also checks itself
 * against that), stack addresses, results of calls that left the instrumented code, and values
 * found in memory that differ from the shadow copy, which holds what a replay believes is there. */
#ifndef CULPRIT_TRACE_FORMAT_H
#define CULPRIT_TRACE_FORMAT_H

#include <stdint.h>

#define TRACE_MAGIC 0x316563617254704cull /* "LpTrace1" */
#define TRACE_NEAR_BLOCKS 199

enum TraceTag {
    TAG_END = 0,
    TAG_BLOCK = 200, /* u32 index */
    TAG_ENTER = 201, /* u24 function: called from instrumented code, no frame in memory */
    TAG_ENTER_FRAME, /* u24 function, u32 low half of the frame's address */
    TAG_BACK, /* like TAG_ENTER, but called from outside: its arguments follow, 8 bytes each */
    TAG_BACK_FRAME, /* (or the type's size, if larger), in order */
    TAG_HIGH,       /* u32: high half of frame addresses from now on */
    TAG_LOAD,       /* u8 index of the load in its block, u8 size, bytes: not what the shadow had */
    TAG_LOAD_FAR,   /* u16 index, u8 size, bytes */
    TAG_RESULT,     /* u8 size, bytes: what a call that left the instrumented code returned */
    TAG_SYNC, /* u64 address, u32 size, bytes: memory about to be copied differs from the shadow */
    TAG_JUMP, /* setjmp returned: u32 low half of the frame, u32 value, u32 instruction */
    TAG_OUTPUT, /* u8 descriptor, u32 size, bytes: the program wrote this */
    TAG_MODULE, /* u32 first function, u32 functions, u32 addresses, u16 length, path; addresses */
    TAG_SIGNAL, /* u8 number, u64 address: a fatal signal is being delivered */
    TAG_EXIT,   /* the process is leaving through exit */
    TAG_LIMIT,  /* recording stopped here: the limit was reached */
    TAG_FORK,   /* u32 pid of a child whose recording continues this one; 0: this is that child */
    TAG_LEAVE,  /* the current function returns */
};

typedef struct TraceHeader {
    uint64_t magic;
    uint32_t pid;
    uint32_t parent;        /* pid of the traced process it was forked from, else 0 */
    uint64_t parent_offset; /* where in the parent's file the fork happened */
    uint32_t number;        /* N of trace.PID.N */
    uint32_t parent_number;
    uint32_t thread;       /* 0: first thread */
    uint32_t modules;      /* modules announced in this file's first records (threads, children) */
    uint64_t command;      /* offset after the header of /proc/self/cmdline, and its length, */
    uint64_t command_size; /* padded; records start after it */
    uint64_t input,
        output; /* of standard input and output at the start: the inode of a pipe or a
                   file; 0: something else. Equal numbers: one process wrote what the other read */
} TraceHeader;

#endif
