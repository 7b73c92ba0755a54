/* The machine that replays a recording, as its own files see it: replay.c runs instructions,
 * recording.c reads records, calls.c knows what code that is not instrumented did, fault.c finds
 * the step that ended the program, ring.c drops what lies too far back.
 *
 * One Frame per active call. A frame that called uninstrumented code waits: until the result comes,
 * calls back into instrumented code push further frames. */
#ifndef CULPRIT_TRACE_MACHINE_H
#define CULPRIT_TRACE_MACHINE_H

#include "trace/memory.h"
#include "trace/models.h"
#include "trace/replay.h"

typedef struct Frame {
    uint32_t activation;
    uint32_t function;
    uint32_t pc;    /* number in Code.insts */
    uint32_t from;  /* block before this one, counted in the function: for phis */
    size_t cells;   /* offset in Machine.cells: parameters, results, slots, writers of slots */
    uint64_t frame; /* address */
    Step call;      /* the call being waited for */
    bool direct;    /* as in Activation */
    bool waiting;
    bool returned; /* instrumented code came back for the call: result and its step are known */
    uint64_t result;
    Step result_step;
} Frame;

typedef struct Machine {
    Trace *t;
    Memory *memory;
    VEC(Frame) frames;
    VEC(uint64_t) cells;
    size_t span; /* being read */
    const uint8_t *at, *end;
    uint32_t high;   /* half of frame addresses */
    bool stop;       /* the recording ends, or makes no sense */
    size_t settled;  /* steps when the last record was taken: later ones may not have happened */
    Outside outside; /* recent calls that left the instrumented code */
    uint8_t signal;  /* fatal */
    Map sizes;       /* address of an object on the heap -> bytes of the latest one there */
} Machine;

/* ---- replay.c ---- */
const Function *machine_function(const Machine *m, const Frame *f);
uint64_t *machine_slot(Machine *m, const Frame *f, uint32_t slot);
uint64_t machine_operand(Machine *m, const Frame *f, const Operand *o);
/* Stores the bytes of a wide value; returns its offset in Trace.wide. */
uint64_t machine_wide(Machine *m, const void *bytes, uint32_t size);
/* A stretch of steps of the frame begins at its pc. */
void machine_segment(Machine *m, const Frame *f);
/* The step the last frame waits for; STEP_NONE: it does not. */
Step machine_waiting(const Machine *m);

/* ---- recording.c ---- */
/* Counts a difference between recording and machine; lose: the replay cannot continue after it. */
void machine_diverge(Machine *m, const char *what, uint64_t a, uint64_t b);
void machine_lose(Machine *m, const char *what, uint64_t tag);
uint64_t machine_take(Machine *m, unsigned size);
const uint8_t *machine_take_bytes(Machine *m, size_t size); /* NULL: there are not that many left */
/* The next record's tag; machine_peek handles those that do not concern control. */
uint8_t machine_peek_raw(Machine *m);
uint8_t machine_peek(Machine *m);
/* Recorded bytes as a value of the type. */
uint64_t machine_take_recorded(Machine *m, Type type);
/* What differed in memory that is about to be copied, or changed by an atomic operation. Nothing
 * else may be taken here: it could belong to a later call. */
void machine_take_syncs(Machine *m);

/* ---- calls.c ---- */
/* Bytes that a step is known to have copied, though no instrumented code did it. */
void machine_copied(Machine *m, Step by, uint64_t to, uint64_t from, uint32_t size);
/* Before a call that leaves the instrumented code: whether it ends the program. */
void machine_call_leaves(Machine *m, Frame *f, const Inst *inst);
/* When it is over, with its result: what it read, copied and wrote. */
void machine_call_over(Machine *m, Frame *f, const Inst *inst);
/* va_start: where the arguments of the call are. */
void machine_varargs(Machine *m, const Frame *f, const Inst *start);

/* ---- ring.c ---- */
/* Forgets all steps up to here; what they did stays. */
void machine_start_over(Machine *m);

/* ---- fault.c ---- */
/* The step at which a fatal signal struck. */
void machine_find_fault(Machine *m);

#endif
