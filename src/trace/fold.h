/* What one instruction computes from its operands: the arithmetic of a replay. Exact on the machine
 * the recording was made on (long double is the processor's). */
#ifndef CULPRIT_TRACE_FOLD_H
#define CULPRIT_TRACE_FOLD_H

#include "trace/code.h"

/* A value: bits for narrow types, bytes for wide ones. */
typedef struct Value {
    uint64_t bits;
    const uint8_t *bytes; /* wide: as in memory */
} Value;

static inline uint64_t bits_mask(unsigned bits) {
    return bits >= 64 ? ~0ull : (1ull << bits) - 1;
}
static inline int64_t bits_signed(uint64_t value, unsigned bits) {
    if (bits >= 64 || bits == 0) return (int64_t)value;
    uint64_t sign = 1ull << (bits - 1);
    return (int64_t)((value ^ sign) - sign);
}

uint64_t fold_int(Op op, unsigned bits, uint64_t a, uint64_t b);
bool fold_compare(Compare compare, unsigned bits, uint64_t a, uint64_t b);
/* Computes inst (an operation on values, no memory, no control) from its operands. wide: room for
 * the result of a wide type (inst->type.size bytes). Returns the bits of a narrow result. */
uint64_t fold_inst(const Code *code, const Inst *inst, const Value *operand, uint8_t *wide);
/* CALL_PURE. The results of the overflow intrinsics are structures, and so wide. */
uint64_t fold_pure(const Code *code, const Inst *inst, const Value *operand, uint8_t *wide);

#endif
