/* The shared numbering and classification (layout.h).
 *
 * Slots are found in two steps: an alloca qualifies when every use is a plain load or store of its
 * own type; then a forward must-analysis over the blocks (bit sets, intersection at joins) throws
 * out those with a load that is not certainly preceded by a store, because such a load sees
 * whatever the stack held. */
#include "trace/layout.h"

#include <llvm-c/Target.h>

static LLVMModuleRef module_of(LLVMValueRef value) {
    if (LLVMIsAFunction(value)) return LLVMGetGlobalParent(value);
    return LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(value)));
}

uint64_t layout_size(LLVMValueRef in, LLVMTypeRef type) {
    return LLVMStoreSizeOfType(LLVMGetModuleDataLayout(module_of(in)), type);
}

bool layout_is_bits(LLVMTypeRef type, uint64_t size) {
    if (size != 1 && size != 2 && size != 4 && size != 8) return false;
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMIntegerTypeKind || kind == LLVMPointerTypeKind ||
           kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
}

static bool has_attribute(LLVMValueRef function, LLVMAttributeIndex at, const char *name) {
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    return LLVMGetEnumAttributeAtIndex(function, at, kind) != NULL;
}

bool layout_is_byval(LLVMValueRef function, unsigned param) {
    return has_attribute(function, param + 1, "byval");
}

Str layout_callee(LLVMValueRef call) {
    LLVMValueRef callee = LLVMGetCalledValue(call);
    if (!LLVMIsAFunction(callee)) return (Str){ "", 0 };
    Str name = { 0 };
    name.at = LLVMGetValueName2(callee, &name.len);
    return name;
}

bool layout_is_debug(LLVMValueRef inst) {
    return LLVMGetInstructionOpcode(inst) == LLVMCall &&
           str_starts(layout_callee(inst), "llvm.dbg.");
}

bool layout_returns_twice(LLVMValueRef call) {
    unsigned kind = LLVMGetEnumAttributeKindForName("returns_twice", 13);
    if (LLVMGetCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, kind)) return true;
    LLVMValueRef callee = LLVMGetCalledValue(call);
    return LLVMIsAFunction(callee) &&
           has_attribute(callee, LLVMAttributeFunctionIndex, "returns_twice");
}

/* ---- functions and addresses ---- */

static bool instruction_fits(LLVMValueRef inst) {
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMInvoke:
    case LLVMCallBr:
    case LLVMLandingPad:
    case LLVMResume:
    case LLVMCatchPad:
    case LLVMCleanupPad:
    case LLVMCatchSwitch: return false;
    case LLVMCall: return LLVMGetTailCallKind(inst) != LLVMTailCallKindMustTail;
    default: return true;
    }
}

/* Not instrumented: bodies that this module does not emit, that have no ordinary prologue, or that
 * contain control flow of C++ or asm goto. */
static bool fits(LLVMValueRef function) {
    if (LLVMIsDeclaration(function)) return false;
    if (LLVMGetLinkage(function) == LLVMAvailableExternallyLinkage) return false;
    if (has_attribute(function, LLVMAttributeFunctionIndex, "naked")) return false;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (!instruction_fits(i)) return false;
    return true;
}

static void find_functions(ModuleLayout *layout) {
    for (LLVMValueRef f = LLVMGetFirstFunction(layout->module); f; f = LLVMGetNextFunction(f)) {
        if (!fits(f)) continue;
        uint64_t key = (uint64_t)(uintptr_t)f;
        map_put(&layout->instrumented, map_key_u64(&key), layout->functions.len);
        vec_push(&layout->functions, f);
    }
}

static bool is_instrumented(const ModuleLayout *layout, LLVMValueRef function) {
    uint64_t key = (uint64_t)(uintptr_t)function;
    return map_get(&layout->instrumented, map_key_u64(&key), NULL);
}

static bool is_ours(Str name) {
    return str_starts(name, "llvm.") || str_starts(name, "culprit_");
}

static void find_addresses(LLVMModuleRef module, ValueVec *values) {
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g)) {
        Str name = { 0 };
        name.at = LLVMGetValueName2(g, &name.len);
        if (!is_ours(name) && !LLVMIsThreadLocal(g)) vec_push(values, g);
    }
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        Str name = { 0 };
        name.at = LLVMGetValueName2(f, &name.len);
        if (!is_ours(name) && LLVMGetLinkage(f) != LLVMAvailableExternallyLinkage)
            vec_push(values, f);
    }
}

void layout_module(LLVMModuleRef module, ModuleLayout *layout) {
    *layout = (ModuleLayout){ .module = module };
    find_functions(layout);
    find_addresses(module, &layout->addresses);
}

void layout_module_release(ModuleLayout *layout) {
    vec_release(&layout->functions);
    vec_release(&layout->addresses);
    map_release(&layout->instrumented);
}

/* ---- calls ---- */

static const char *const pure_intrinsics[] = {
    "llvm.ctpop.",      "llvm.ctlz.",     "llvm.cttz.",     "llvm.bswap.",    "llvm.abs.",
    "llvm.smax.",       "llvm.smin.",     "llvm.umax.",     "llvm.umin.",     "llvm.fabs.",
    "llvm.expect",      "llvm.fshl.",     "llvm.fshr.",     "llvm.sadd.with", "llvm.uadd.with",
    "llvm.ssub.with",   "llvm.usub.with", "llvm.smul.with", "llvm.umul.with", "llvm.is.constant",
    "llvm.bitreverse.",
};

static const char *const silent_intrinsics[] = {
    "llvm.dbg.",         "llvm.lifetime.", "llvm.assume",
    "llvm.prefetch",     "llvm.va_end",    "llvm.donothing",
    "llvm.stackrestore", "llvm.invariant", "llvm.experimental.noalias",
    "llvm.trap",         "llvm.debugtrap",
};

static bool starts_with_any(Str name, const char *const *list, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (str_starts(name, list[i])) return true;
    return false;
}

/* Replay computes intrinsics on integers of up to 64 bits and on floating point. */
static bool is_computed(LLVMValueRef call) {
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(call, 0));
    if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind) return LLVMGetIntTypeWidth(type) <= 64;
    return LLVMGetTypeKind(type) != LLVMVectorTypeKind && layout_size(call, type) <= 10;
}

static CallKind call_kind(const ModuleLayout *in, LLVMValueRef call) {
    Str name = layout_callee(call);
    if (str_is(name, "vfork")) return CALL_FAR; /* becomes fork */
    if (starts_with_any(name, silent_intrinsics, COUNT_OF(silent_intrinsics))) return CALL_NONE;
    if (str_starts(name, "llvm.memcpy") || str_starts(name, "llvm.memmove") ||
        str_starts(name, "llvm.memset"))
        return CALL_MEMORY;
    if (starts_with_any(name, pure_intrinsics, COUNT_OF(pure_intrinsics)))
        return is_computed(call) ? CALL_PURE : CALL_FAR;
    if (layout_returns_twice(call)) return CALL_JUMP;
    LLVMValueRef callee = LLVMGetCalledValue(call);
    if (!LLVMIsAFunction(callee) || !is_instrumented(in, callee)) return CALL_FAR;
    LLVMLinkage linkage = LLVMGetLinkage(callee);
    return linkage == LLVMExternalLinkage || linkage == LLVMInternalLinkage ? CALL_NEAR : CALL_FAR;
}

/* ---- results that replay leaves to the recording ---- */

/* Integers of up to 128 bits, pointers, float, double and long double are computed. */
static bool is_computed_type(LLVMTypeRef type) {
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(type) <= 128;
    case LLVMPointerTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
    case LLVMX86_FP80TypeKind: return true;
    default: return false;
    }
}

static bool is_wide_int(LLVMTypeRef type) {
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) > 64;
}

static bool is_recorded(LLVMValueRef inst) {
    LLVMOpcode op = LLVMGetInstructionOpcode(inst);
    if (layout_is_branch(op)) return false;
    switch (op) {
    case LLVMLoad:
    case LLVMStore:
    case LLVMAlloca:
    case LLVMCall:
    case LLVMPHI:
    case LLVMExtractValue:
    case LLVMInsertValue:
    case LLVMSelect:
    case LLVMFreeze:
    case LLVMRet:
    case LLVMSwitch:
    case LLVMIndirectBr:
    case LLVMUnreachable:
    case LLVMFence:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMVAArg:
    case LLVMBitCast: return false;
    default: break;
    }
    bool wide = is_wide_int(LLVMTypeOf(inst)), computed = is_computed_type(LLVMTypeOf(inst));
    for (int i = 0; i < LLVMGetNumOperands(inst); i++) {
        wide |= is_wide_int(LLVMTypeOf(LLVMGetOperand(inst, (unsigned)i)));
        computed &= is_computed_type(LLVMTypeOf(LLVMGetOperand(inst, (unsigned)i)));
    }
    if (!computed) return true;
    return wide && (op == LLVMUDiv || op == LLVMSDiv || op == LLVMURem || op == LLVMSRem ||
                    op == LLVMSIToFP || op == LLVMUIToFP || op == LLVMFPToSI || op == LLVMFPToUI);
}

/* ---- locals ---- */

static bool only_plain_uses(LLVMValueRef alloca) {
    LLVMTypeRef type = LLVMGetAllocatedType(alloca);
    for (LLVMUseRef use = LLVMGetFirstUse(alloca); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsAInstruction(user)) return false;
        LLVMOpcode op = LLVMGetInstructionOpcode(user);
        if (op == LLVMLoad) {
            if (LLVMTypeOf(user) != type || LLVMGetOrdering(user) != LLVMAtomicOrderingNotAtomic)
                return false;
        } else if (op == LLVMStore) {
            LLVMValueRef stored = LLVMGetOperand(user, 0);
            if (stored == alloca || LLVMTypeOf(stored) != type) return false;
            if (LLVMGetOrdering(user) != LLVMAtomicOrderingNotAtomic) return false;
        } else {
            return false;
        }
    }
    return true;
}

static bool is_scalar(LLVMTypeRef type) {
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(type) <= 64;
    case LLVMPointerTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind: return true;
    default: return false;
    }
}

static bool is_static_alloca(LLVMValueRef inst, uint32_t block) {
    return block == 0 && LLVMIsAConstantInt(LLVMGetOperand(inst, 0));
}

/* The must-analysis: one row of bits per block. */
typedef struct Assigned {
    const FunctionLayout *fn;
    size_t words;        /* per row */
    uint64_t *in, *out;  /* candidates certainly written at the start and the end of a block */
    uint64_t *candidate; /* one row: still a candidate */
} Assigned;

uint32_t layout_inst(const FunctionLayout *fn, LLVMValueRef value) {
    uint64_t key = (uint64_t)(uintptr_t)value, at = 0;
    return map_get(&fn->index, map_key_u64(&key), &at) ? (uint32_t)at : UINT32_MAX;
}

uint32_t layout_block(const FunctionLayout *fn, LLVMBasicBlockRef block) {
    uint64_t key = (uint64_t)(uintptr_t)block, at = 0;
    CHECK(map_get(&fn->block_index, map_key_u64(&key), &at));
    return (uint32_t)at;
}

/* The candidate's number that a load or store goes to, or -1. */
static int64_t candidate_of(const FunctionLayout *fn, LLVMValueRef inst) {
    LLVMOpcode op = LLVMGetInstructionOpcode(inst);
    if (op != LLVMLoad && op != LLVMStore) return -1;
    LLVMValueRef pointer = LLVMGetOperand(inst, op == LLVMStore);
    if (!LLVMIsAAllocaInst(pointer)) return -1;
    uint32_t at = layout_inst(fn, pointer);
    return fn->insts.at[at].local == LOCAL_SLOT ? (int64_t)fn->insts.at[at].offset : -1;
}

/* Runs over a block from row; reject != NULL: candidates read too early are cleared there. */
static void flow_block(const Assigned *a, uint32_t block, uint64_t *row, uint64_t *reject) {
    for (uint32_t i = a->fn->first.at[block]; i < a->fn->first.at[block + 1]; i++) {
        LLVMValueRef inst = a->fn->insts.at[i].value;
        int64_t c = candidate_of(a->fn, inst);
        if (c < 0) continue;
        if (LLVMGetInstructionOpcode(inst) == LLVMStore)
            row[c / 64] |= 1ull << (c % 64);
        else if (reject && !(row[c / 64] >> (c % 64) & 1))
            reject[c / 64] &= ~(1ull << (c % 64));
    }
}

static bool meet_successors(const Assigned *a, uint32_t block) {
    bool changed = false;
    LLVMValueRef last = LLVMGetBasicBlockTerminator(a->fn->blocks.at[block]);
    const uint64_t *out = a->out + block * a->words;
    for (unsigned s = 0; s < LLVMGetNumSuccessors(last); s++) {
        uint64_t *in = a->in + layout_block(a->fn, LLVMGetSuccessor(last, s)) * a->words;
        for (size_t w = 0; w < a->words; w++) {
            if ((in[w] & out[w]) == in[w]) continue;
            in[w] &= out[w];
            changed = true;
        }
    }
    return changed;
}

static void find_assigned(const Assigned *a) {
    size_t blocks = a->fn->blocks.len, bytes = a->words * sizeof(uint64_t);
    memset(a->in, 0xff, blocks * bytes);
    memset(a->in, 0, bytes);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = 0; b < blocks; b++) {
            memcpy(a->out + b * a->words, a->in + b * a->words, bytes);
            flow_block(a, b, a->out + b * a->words, NULL);
            changed |= meet_successors(a, b);
        }
    }
    for (uint32_t b = 0; b < blocks; b++) flow_block(a, b, a->in + b * a->words, a->candidate);
}

/* Candidates have LOCAL_SLOT and a provisional slot number; the ones read too early lose it. */
static void drop_unassigned(FunctionLayout *fn, uint32_t candidates) {
    if (!candidates) return;
    size_t words = (candidates + 63) / 64;
    size_t row = words * sizeof(uint64_t);
    Assigned a = { fn, words, mem_alloc(fn->blocks.len * row), mem_alloc(fn->blocks.len * row),
                   mem_alloc(row) };
    memset(a.candidate, 0xff, row);
    find_assigned(&a);
    for (size_t i = 0; i < fn->insts.len; i++) {
        InstLayout *in = &fn->insts.at[i];
        if (in->local == LOCAL_SLOT && !(a.candidate[in->offset / 64] >> (in->offset % 64) & 1))
            in->local = LOCAL_FRAME;
    }
    mem_free(a.in);
    mem_free(a.out);
    mem_free(a.candidate);
}

static void classify_locals(FunctionLayout *fn) {
    uint32_t candidates = 0;
    for (size_t i = 0; i < fn->insts.len; i++) {
        InstLayout *in = &fn->insts.at[i];
        if (LLVMGetInstructionOpcode(in->value) != LLVMAlloca) continue;
        in->local = LOCAL_DYNAMIC;
        if (!is_static_alloca(in->value, in->block)) continue;
        in->local = LOCAL_FRAME;
        LLVMTypeRef type = LLVMGetAllocatedType(in->value);
        bool single = LLVMConstIntGetZExtValue(LLVMGetOperand(in->value, 0)) == 1;
        if (!single || !is_scalar(type) || !only_plain_uses(in->value)) continue;
        in->local = LOCAL_SLOT;
        in->offset = candidates++;
    }
    drop_unassigned(fn, candidates);
}

static void place_locals(LLVMTargetDataRef data, FunctionLayout *fn, bool jumps) {
    fn->frame_align = 16;
    for (size_t i = 0; i < fn->insts.len; i++) {
        InstLayout *in = &fn->insts.at[i];
        if (in->local == LOCAL_SLOT) in->offset = fn->slots++;
        if (in->local != LOCAL_FRAME) continue;
        uint64_t count = LLVMConstIntGetZExtValue(LLVMGetOperand(in->value, 0));
        uint64_t size = LLVMABISizeOfType(data, LLVMGetAllocatedType(in->value)) * count;
        unsigned align = LLVMGetAlignment(in->value);
        if (align == 0) align = 16;
        if (align > fn->frame_align) fn->frame_align = align;
        fn->frame_size = (fn->frame_size + align - 1) / align * align;
        in->offset = (uint32_t)fn->frame_size;
        fn->frame_size += size ? size : 1;
    }
    if (jumps && !fn->frame_size) fn->frame_size = 16;
}

/* ---- the whole ---- */

static void number(LLVMValueRef function, FunctionLayout *fn) {
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
        uint64_t key = (uint64_t)(uintptr_t)b;
        map_put(&fn->block_index, map_key_u64(&key), fn->blocks.len);
        vec_push(&fn->first, (uint32_t)fn->insts.len);
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            if (layout_is_debug(i)) continue;
            key = (uint64_t)(uintptr_t)i;
            map_put(&fn->index, map_key_u64(&key), fn->insts.len);
            InstLayout in = { .value = i, .block = (uint32_t)fn->blocks.len };
            vec_push(&fn->insts, in);
        }
        vec_push(&fn->blocks, b);
    }
    vec_push(&fn->first, (uint32_t)fn->insts.len);
}

static bool goes_to_slot(const FunctionLayout *fn, LLVMValueRef pointer) {
    return LLVMIsAAllocaInst(pointer) && fn->insts.at[layout_inst(fn, pointer)].local == LOCAL_SLOT;
}

static bool classify_accesses(const ModuleLayout *module, FunctionLayout *fn) {
    bool jumps = false;
    uint32_t block = UINT32_MAX, loads = 0;
    for (size_t i = 0; i < fn->insts.len; i++) {
        InstLayout *in = &fn->insts.at[i];
        if (in->block != block) block = in->block, loads = 0;
        LLVMOpcode op = LLVMGetInstructionOpcode(in->value);
        if (op == LLVMCall) in->call = (uint8_t)call_kind(module, in->value);
        if (in->call == CALL_JUMP) jumps = true;
        in->recorded = is_recorded(in->value);
        if (op != LLVMLoad && op != LLVMStore) continue;
        in->checked = !goes_to_slot(fn, LLVMGetOperand(in->value, op == LLVMStore));
        if (in->checked && op == LLVMLoad) in->load = (uint16_t)loads++;
    }
    return jumps;
}

void layout_function(const ModuleLayout *in, LLVMValueRef function, FunctionLayout *fn) {
    *fn = (FunctionLayout){ 0 };
    number(function, fn);
    classify_locals(fn);
    bool jumps = classify_accesses(in, fn);
    place_locals(LLVMGetModuleDataLayout(LLVMGetGlobalParent(function)), fn, jumps);
}

void layout_release(FunctionLayout *fn) {
    vec_release(&fn->insts);
    vec_release(&fn->blocks);
    vec_release(&fn->first);
    map_release(&fn->index);
    map_release(&fn->block_index);
}
