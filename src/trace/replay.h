/* Inside a Trace: what replay makes of a recording. Plain data for whatever analyses it.
 *
 * Invariants.
 * 1. Steps are numbered in the order of execution; segment i holds steps first(i) .. first(i+1)-1,
 * which are consecutive instructions of one block in one activation. A call of instrumented code
 * ends a segment; the caller continues in a new one.
 * 2. value[s] is the result of step s: bits, zero-extended; of a store the stored value; of a
 * branch the condition (switch: its operand). Wide values are offsets in Trace.wide.
 * 3. def[s] says where a load's bytes were written, a call's result was returned, which operand a
 * phi took. Everything else is found through the operands. */
#ifndef CULPRIT_TRACE_REPLAY_H
#define CULPRIT_TRACE_REPLAY_H

#include "trace/code.h"
#include "trace/trace.h"

#define DEF_NONE STEP_NONE      /* nobody that we know of wrote it: fresh memory */
#define DEF_INIT 0xfffffffeu    /* a static initialiser */
#define DEF_OUTSIDE 0xfffffffdu /* uninstrumented code */
#define DEF_BEFORE 0xfffffffcu  /* a step that has been dropped (ring.c) */
#define DEF_MIXED 0x80000000u   /* | offset in Trace.pool: one Step for each byte */
/* Steps that are kept: the last ones of a longer run. Both versions together take 36 bytes per step
 * with their alignment (15 each as measured), so two runs of this length take 1.2 GiB. */
#define STEPS_KEPT 36000000u

static inline bool def_is_step(Step def) {
    return def < DEF_MIXED;
}
static inline bool def_is_mixed(Step def) {
    return def >= DEF_MIXED && def < DEF_BEFORE;
}

typedef struct TraceSegment {
    Step first;
    uint32_t inst; /* number in Code.insts of its first instruction */
    uint32_t activation;
    uint32_t before; /* the activation's segment before this one; CODE_NONE: its first */
} TraceSegment;

typedef struct Activation {
    uint32_t function;
    uint32_t parent; /* activation that was running; CODE_NONE: none */
    Step call; /* the call it is for (also a call that left the instrumented code and came back) */
    bool direct;          /* its arguments are the call's; else its own, from outside */
    uint32_t first, last; /* segments */
    uint32_t args;        /* offset in Trace.args of its parameters' values */
    uint32_t kept;        /* offset in Trace.kept; CODE_NONE: it began within what is kept */
    uint64_t frame;       /* address of its frame */
    uint32_t depth;
} Activation;

/* Bytes that one step moved in memory (memcpy, strcpy, struct arguments). */
typedef struct Copy {
    Step step;
    uint64_t to, from;
    uint32_t size;
    uint32_t pool; /* offset in Trace.pool: who wrote each byte before it was copied */
} Copy;

/* A string that an uninstrumented function read. */
typedef struct TraceRead {
    Step step; /* the call */
    uint64_t address;
    uint32_t size;
    uint32_t pool;  /* offset in Trace.pool: who wrote each byte */
    uint32_t bytes; /* offset in Trace.seen: their values */
    bool whole;     /* it read no more than these */
} TraceRead;

typedef struct TraceOutput {
    Step step;       /* the call that wrote */
    uint32_t fd;     /* 1, 2, or WRITTEN_FILES for every other descriptor */
    uint64_t offset; /* in what was written to fd */
    uint32_t size;
    uint64_t origin; /* of its first byte in Trace.origins; ORIGIN_NONE: not kept */
} TraceOutput;
#define ORIGIN_NONE (~0ull)
#define WRITTEN_FILES 3u

/* The origin of one written byte. */
typedef struct OutByte {
    uint16_t operand; /* of the call; OUT_FIXED: part of the format itself */
    uint16_t from;    /* first byte (in this write) of the directive it belongs to, */
    uint16_t size;    /* and how many it has */
    uint64_t address; /* of the byte in memory it was copied from; 0: the operand's own value */
    Step writer;      /* address: who wrote it */
    uint32_t word;    /* address: size of a number printed from a va_list; 0: a byte */
    uint64_t value;   /* the number */
} OutByte;
#define OUT_FIXED 0xffffu
#define OUT_UNKNOWN 0xfffeu

/* setjmp came back once more. */
typedef struct TraceJump {
    Step back; /* the step that it returned as, */
    Step from; /* and the call, of longjmp or what led to it, that was left */
} TraceJump;

/* Where a variadic argument of a call was put for va_arg. */
typedef struct VarargKey {
    uint64_t call, address; /* step of the call; address of the 8 bytes */
} VarargKey;

/* What malloc and the like returned; arrays whose size is computed; variadic arguments. */
typedef struct HeapObject {
    uint64_t address, size; /* size 0: not known */
    Step call;              /* that made it; DEF_BEFORE: earlier than what is kept */
} HeapObject;

typedef struct TraceSpan {
    const uint8_t *at, *end; /* a stretch of recording in a mapped file */
} TraceSpan;

typedef struct TraceFile {
    const uint8_t *at; /* a mapped recording, until trace_free */
    size_t size;       /* bytes */
} TraceFile;

struct Trace {
    TraceInfo info;
    Arena arena;
    Code code;
    VEC(uint64_t) value;
    VEC(Step) def;
    VEC(TraceSegment) segments;
    VEC(Activation) activations;
    VEC(uint8_t) wide;
    VEC(Step) pool;
    VEC(Copy) copies;     /* in the order of steps */
    VEC(TraceRead) reads; /* in the order of steps */
    VEC(uint8_t) seen;
    Map varargs;          /* VarargKey -> operand of the call */
    VEC(TraceJump) jumps; /* in the order of steps */
    VEC(uint64_t) args;
    VEC(TraceOutput) outputs;
    VEC(OutByte) origins;  /* of written bytes */
    Buf written[4];        /* what went to descriptors 1 and 2, and to all files in turn */
    Step failing;          /* the step a signal or abort ended; STEP_NONE: none */
    bool failing_guessed;  /* nothing since the last record touches the address: the last step */
    uint64_t fault;        /* address of a fatal signal */
    Step exit;             /* the call of exit, or main's return */
    VEC(uint8_t) executed; /* per instruction of Code: ran at least once */
    Map lines;             /* (file << 32 | line) of executed instructions */
    VEC(uint32_t)
    runs, runs_of; /* index: segments of block b, by activation: runs_of[b] .. runs_of[b+1]-1 */
    VEC(TraceSpan) spans;
    VEC(TraceFile) files; /* what the spans lie in */
    VEC(Step) stores;     /* steps that wrote, or may have written, to a computed address */
    VEC(Step) steers;     /* calls that may decide what later input is (LibcFunction.steers) */
    Step rounded;         /* the first of them that changed how floating point rounds; STEP_NONE */
    Step filed;           /* the first that wrote to files or pipes of its own; STEP_NONE */
    VEC(HeapObject) heap; /* by address, and there in the order they were made */
    VEC(uint64_t) kept;   /* cells of calls that were active where the kept steps begin */
};

/* Runs the recording in trace->spans and keeps its last steps: up to `most`, and at least half as
 * many of a longer run (0: STEPS_KEPT). Stops where the recording ends or is lost, and says so in
 * info. False: stop (which may be NULL) said to give it up. */
bool replay_run(Trace *trace, size_t most, const TraceStop *stop);

/* Between two runs of the recording: drops everything the first one made, but not what was opened.
 */
void trace_clear(Trace *trace);
/* Remembers which code the segments ran. */
void trace_mark_executed(Trace *trace);

/* ---- looking around ---- */
uint32_t trace_segment(const Trace *trace, Step step); /* O(log n) */
const Inst *trace_inst(const Trace *trace, Step step);
/* The step that computed operand i of step; STEP_NONE for constants and parameters. */
Step trace_operand_step(const Trace *trace, Step step, unsigned i);
/* The operand's value at that step: bits, or an offset in Trace.wide. */
uint64_t trace_operand_value(const Trace *trace, Step step, unsigned i);
/* Where an operand's value came from: parameters are followed to the arguments of their calls. */
typedef struct Source {
    Step step; /* the operand is this step's result; STEP_NONE: a constant, or from outside */
    Type type;
    uint64_t value; /* concrete */
    bool constant;  /* nothing to follow */
    Step holder;    /* whose operand it is in the end: the given step, or a call on the way */
} Source;
Source trace_source(const Trace *trace, Step step, unsigned i);
/* The value of parameter i of an activation. */
uint64_t trace_param_value(const Trace *trace, uint32_t activation, unsigned i);
/* The last step of an instruction in an activation at or before a step; STEP_NONE: it did not run.
 */
Step trace_last_run(const Trace *trace, uint32_t activation, uint32_t inst, Step before);
/* The first of the strings a call read, in Trace.reads; those of one call are adjacent. */
size_t trace_first_read(const Trace *trace, Step step);
/* The call that longjmp left, where the step is a setjmp that came back by it; else STEP_NONE. */
Step trace_jump(const Trace *trace, Step back);
/* What a step copied to an address; NULL: nothing. */
const Copy *trace_copy(const Trace *trace, Step step, uint64_t address);
/* Trace.stores between two steps, both excluded (after STEP_NONE: from the first): from .. to - 1.
 */
void trace_stores_between(const Trace *trace, Step after, Step before, size_t *from, size_t *to);
/* The object that a pointer is computed in: what it points to lies there, as long as the program
 * keeps to the rules. size 0: not known, as for a pointer that was read from memory. */
typedef struct TraceExtent {
    uint64_t at, size;
} TraceExtent;
TraceExtent trace_base(const Trace *trace, Step step, unsigned operand);
Step trace_segment_end(const Trace *trace, uint32_t segment);

#endif
