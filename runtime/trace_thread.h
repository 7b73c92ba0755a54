/* What the instrumented code and the recorder share: one small structure per thread. */
#ifndef CULPRIT_TRACE_THREAD_H
#define CULPRIT_TRACE_THREAD_H

#include <stdint.h>

typedef struct CulpritThread {
    uint8_t *at;  /* where the next record goes */
    uint8_t *end; /* at >= end: call culprit_more first. TRACE_SLACK bytes after end are writable;
                     NULL: signals wait */
    uint64_t
        mask; /* address ^ mask is its shadow; 0: nothing is recorded, memory is its own shadow */
    void *callee;    /* function about to be called by instrumented code */
    uint32_t high;   /* high half of the last frame address */
    uint32_t number; /* of the thread in its process */
    uint32_t inside; /* in instrumented code or the recorder: signals wait (trace_signal.c) */
    uint32_t known;  /* functions below it are announced; for others call culprit_more first */
} CulpritThread;

#define TRACE_SLACK 4096

extern __thread CulpritThread culprit_thread __attribute__((tls_model("initial-exec")));

/* A compiler barrier: what a signal handler may see reaches memory in this order. */
#define TRACE_ORDER() __atomic_signal_fence(__ATOMIC_SEQ_CST)

/* The slow paths, in trace.c. */
uint8_t *culprit_more(void); /* makes room; waiting signals are delivered here */
uint8_t *culprit_room(void); /* makes room only */
void culprit_miss(const void *address, uint64_t value, uint32_t size, uint32_t index);
void culprit_miss_wide(const void *address, uint32_t size, uint32_t index);
void culprit_result(uint64_t value, uint32_t size);
void culprit_result_wide(const void *value, uint32_t size);
void culprit_arg(uint64_t value);
void culprit_arg_wide(const void *value, uint32_t size);
void culprit_copy(void *to, const void *from, uint64_t size);
void culprit_set(void *to, int byte, uint64_t size);
void culprit_sync(const void *address, uint64_t size);
void culprit_jump(const void *frame, uint32_t value, uint32_t inst);
void culprit_high(uint32_t high);
void culprit_register(uint32_t *base, uint32_t functions, const char *path, void *const *addresses,
                      uint32_t count);

#endif
