/* The fast paths of the recorder. This file is compiled to bitcode: culprit-cc links it into each
 * module it instruments and lets the compiler inline every function. */
#include "trace_format.h"
#include "trace_thread.h"

#define INLINE __attribute__((always_inline, visibility("hidden")))
#define RARELY(condition) __builtin_expect(!!(condition), 0)

typedef uint16_t __attribute__((aligned(1), may_alias)) Near16;
typedef uint32_t __attribute__((aligned(1), may_alias)) Near32;
typedef uint64_t __attribute__((aligned(1), may_alias)) Near64;

void culprit_block(uint32_t index);
uint32_t culprit_enter(uint32_t function, const void *frame, const void *self);
void culprit_leave(uint32_t back);
void culprit_call(void *callee);
void culprit_call_out(void *callee);
void culprit_load1(const void *address, uint64_t value, uint32_t index);
void culprit_load2(const void *address, uint64_t value, uint32_t index);
void culprit_load4(const void *address, uint64_t value, uint32_t index);
void culprit_load8(const void *address, uint64_t value, uint32_t index);
void culprit_load_wide(const void *address, uint32_t size, uint32_t index);
void culprit_store1(void *address, uint64_t value);
void culprit_store2(void *address, uint64_t value);
void culprit_store4(void *address, uint64_t value);
void culprit_store8(void *address, uint64_t value);
void culprit_store_wide(const void *address, uint32_t size);

INLINE void culprit_block(uint32_t index) {
    uint8_t *at = culprit_thread.at;
    if (RARELY(at >= culprit_thread.end)) at = culprit_more();
    if (index <= TRACE_NEAR_BLOCKS) {
        *at = (uint8_t)index;
        culprit_thread.at = at + 1;
    } else {
        *at = TAG_BLOCK;
        *(Near32 *)(at + 1) = index;
        culprit_thread.at = at + 5;
    }
}

/* Returns whether it was called from outside: then the arguments must be recorded as well. Signal
 * handlers must not run here: a replay would take one for the callee. */
INLINE uint32_t culprit_enter(uint32_t function, const void *frame, const void *self) {
    culprit_thread.inside = 1;
    TRACE_ORDER();
    uint8_t *at = culprit_thread.at;
    if (RARELY(at >= culprit_thread.end || function >= culprit_thread.known)) at = culprit_room();
    uint32_t back = culprit_thread.callee != self;
    culprit_thread.callee = 0;
    if (frame) {
        uint64_t address = (uint64_t)frame;
        if (RARELY((uint32_t)(address >> 32) != culprit_thread.high)) {
            culprit_high((uint32_t)(address >> 32));
            at = culprit_thread.at;
        }
        *(Near64 *)at = (TAG_ENTER_FRAME + 2 * back) | (uint64_t)function << 8 | address << 32;
        culprit_thread.at = at + 8;
    } else {
        *(Near32 *)at = (TAG_ENTER + 2 * back) | function << 8;
        culprit_thread.at = at + 4;
    }
    return back;
}

/* From here on other code runs: signals are delivered as they come, and those that waited are
 * delivered now. */
static inline __attribute__((always_inline)) void go_outside(void) {
    TRACE_ORDER();
    culprit_thread.inside = 0;
    TRACE_ORDER();
    if (RARELY(culprit_thread.at >= culprit_thread.end)) culprit_more();
}

/* Without this record a value loaded by the caller could be mistaken for one of the callee's. */
INLINE void culprit_leave(uint32_t back) {
    uint8_t *at = culprit_thread.at;
    if (RARELY(at >= culprit_thread.end)) at = culprit_more();
    *at = TAG_LEAVE;
    culprit_thread.at = at + 1;
    if (RARELY(back)) go_outside();
}

INLINE void culprit_call(void *callee) {
    culprit_thread.callee = callee;
}

/* A call that may leave the instrumented code. */
INLINE void culprit_call_out(void *callee) {
    culprit_thread.callee = callee;
    go_outside();
}

#define SHADOW(type, address) (*(type *)((uint64_t)(address) ^ culprit_thread.mask))

INLINE void culprit_load1(const void *address, uint64_t value, uint32_t index) {
    if (RARELY(SHADOW(uint8_t, address) != (uint8_t)value)) culprit_miss(address, value, 1, index);
}

INLINE void culprit_load2(const void *address, uint64_t value, uint32_t index) {
    if (RARELY(SHADOW(Near16, address) != (uint16_t)value)) culprit_miss(address, value, 2, index);
}

INLINE void culprit_load4(const void *address, uint64_t value, uint32_t index) {
    if (RARELY(SHADOW(Near32, address) != (uint32_t)value)) culprit_miss(address, value, 4, index);
}

INLINE void culprit_load8(const void *address, uint64_t value, uint32_t index) {
    if (RARELY(SHADOW(Near64, address) != value)) culprit_miss(address, value, 8, index);
}

INLINE void culprit_load_wide(const void *address, uint32_t size, uint32_t index) {
    const uint8_t *real = address, *shadow = &SHADOW(uint8_t, address);
    for (uint32_t i = 0; i < size; i++)
        if (RARELY(real[i] != shadow[i])) {
            culprit_miss_wide(address, size, index);
            return;
        }
}

INLINE void culprit_store1(void *address, uint64_t value) {
    SHADOW(uint8_t, address) = (uint8_t)value;
}

INLINE void culprit_store2(void *address, uint64_t value) {
    SHADOW(Near16, address) = (uint16_t)value;
}

INLINE void culprit_store4(void *address, uint64_t value) {
    SHADOW(Near32, address) = (uint32_t)value;
}

INLINE void culprit_store8(void *address, uint64_t value) {
    SHADOW(Near64, address) = value;
}

INLINE void culprit_store_wide(const void *address, uint32_t size) {
    const uint8_t *real = address;
    uint8_t *shadow = &SHADOW(uint8_t, address);
    for (uint32_t i = 0; i < size; i++) shadow[i] = real[i];
}
