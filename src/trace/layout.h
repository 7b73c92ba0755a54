/* What instrumentation and replay must agree on: the numbering of functions, blocks and
 * instructions of a module, and which instructions leave something in the recording.
 *
 * Both sides compute it from the same bitcode (the file culprit-cc saves in its cache), so it is
 * never stored. Debug intrinsics are not numbered: they may be there on one side only.
 *
 * Local variables whose address is never taken and which are always written before they are read
 * need no recording and no address: replay keeps them as slots (LOCAL_SLOT). All others are laid
 * out in one frame per call, so that one address per call says where each of them is (LOCAL_FRAME).
 */
#ifndef CULPRIT_TRACE_LAYOUT_H
#define CULPRIT_TRACE_LAYOUT_H

#include "base/base.h"
#include <llvm-c/Core.h>
#include <llvm/Config/llvm-config.h>

/* A branch, conditional or not: one opcode up to LLVM 22, two from 23 on. */
static inline bool layout_is_branch(LLVMOpcode op) {
#if LLVM_VERSION_MAJOR >= 23
    return op == LLVMUncondBr || op == LLVMCondBr;
#else
    return op == LLVMBr;
#endif
}

typedef enum LocalKind {
    LOCAL_NONE,    /* no alloca */
    LOCAL_SLOT,    /* known without its address */
    LOCAL_FRAME,   /* at an offset in the frame */
    LOCAL_DYNAMIC, /* its address is recorded each time (variable length arrays, alloca) */
} LocalKind;

typedef enum CallKind {
    CALL_NONE,   /* no call, or nothing to do for it (debug and lifetime intrinsics) */
    CALL_PURE,   /* an intrinsic that replay computes */
    CALL_NEAR,   /* of an instrumented function of this module */
    CALL_FAR,    /* of anything else: its result is recorded */
    CALL_JUMP,   /* returns twice */
    CALL_MEMORY, /* memcpy, memmove, memset intrinsics */
} CallKind;

typedef struct InstLayout {
    LLVMValueRef value;
    uint32_t block;  /* index of its block */
    uint32_t offset; /* LOCAL_FRAME: bytes from the frame's start; LOCAL_SLOT: slot number */
    uint16_t load;   /* loads that are checked: index among those of the block */
    uint8_t local;   /* LocalKind, of allocas */
    uint8_t call;    /* CallKind */
    bool checked;    /* a load or store that goes through the shadow */
    bool recorded;   /* its result is recorded because replay does not compute it (vectors, say) */
} InstLayout;

typedef struct FunctionLayout {
    VEC(InstLayout) insts; /* in order */
    VEC(LLVMBasicBlockRef) blocks;
    VEC(uint32_t) first; /* of each block, and one more: its first instruction */
    Map index;           /* LLVMValueRef of an instruction -> its number */
    Map block_index;     /* LLVMBasicBlockRef -> its number */
    uint32_t slots;      /* LOCAL_SLOT variables */
    uint64_t frame_size; /* 0: no frame in memory */
    unsigned frame_align;
} FunctionLayout;

typedef VEC(LLVMValueRef) ValueVec;
typedef struct ModuleLayout {
    LLVMModuleRef module;
    ValueVec functions; /* the instrumented ones, in order: their index is their number */
    ValueVec addresses; /* globals and functions whose addresses the module announces, in order */
    Map instrumented;   /* LLVMValueRef of an instrumented function -> its number */
} ModuleLayout;

/* Call before anything is added to the module. */
void layout_module(LLVMModuleRef module, ModuleLayout *layout);
void layout_module_release(ModuleLayout *layout);
void layout_function(const ModuleLayout *in, LLVMValueRef function, FunctionLayout *layout);
void layout_release(FunctionLayout *layout);
/* The instruction's number; UINT32_MAX for what is not numbered. */
uint32_t layout_inst(const FunctionLayout *layout, LLVMValueRef inst);
uint32_t layout_block(const FunctionLayout *layout, LLVMBasicBlockRef block);

/* Bytes a value of this type takes in memory, according to the module's data layout. */
uint64_t layout_size(LLVMValueRef in, LLVMTypeRef type);
/* Whether values of this type are passed as 64 bits; all others go through memory. */
bool layout_is_bits(LLVMTypeRef type, uint64_t size);
bool layout_is_debug(LLVMValueRef inst);
/* A parameter whose argument is a copy on the stack: its address is recorded on each entry. */
bool layout_is_byval(LLVMValueRef function, unsigned param);
bool layout_returns_twice(LLVMValueRef call);
/* The called function's name, "" for calls through pointers and inline assembly. */
Str layout_callee(LLVMValueRef call);

#endif
