/* Inserting the calls of the recorder (runtime/trace_inline.c) into a module.
 *
 * Each instrumented function gets a new first block that holds all its fixed locals (those that
 * need an address in one frame), announces the entry, and records the arguments where the caller
 * was not instrumented. Then, in order: a record at the start of each block, checks of loads
 * against the shadow, a second store into it for each store, announcements before calls and records
 * of results after them.
 *
 * The result is optimised afterwards, and optimisers exploit undefined behaviour that a replay of
 * the plain instructions knows nothing about: so no-wrap and in-bounds flags are dropped, null may
 * be dereferenced, loaded values are frozen, and functions are no longer pure. */
#include "wrap/instrument.h"
#include "base/file.h"
#include "cc/bitcode.h"
#include "trace/layout.h"
#include "trace/libc.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Target.h>

typedef struct TableWriter {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef at;
    ModuleLayout layout; /* of the module as it was read */
    LLVMTypeRef i8, i32, i64, ptr, nothing;
    LLVMValueRef base; /* global: number of the module's first function in the process */
    LLVMValueRef back; /* in the current function: was it called from outside? */
    bool optimised;    /* the result will be optimised: poison must be frozen */
} TableWriter;

/* ---- small pieces ---- */

static LLVMValueRef runtime(TableWriter *w, const char *name, LLVMTypeRef result,
                            LLVMTypeRef *params, unsigned n, LLVMTypeRef *type) {
    *type = LLVMFunctionType(result, params, n, 0);
    LLVMValueRef f = LLVMGetNamedFunction(w->module, name);
    return f ? f : LLVMAddFunction(w->module, name, *type);
}

static LLVMValueRef call_runtime(TableWriter *w, const char *name, LLVMTypeRef result,
                                 LLVMValueRef *args, unsigned n) {
    LLVMTypeRef params[5], type;
    for (unsigned i = 0; i < n; i++) params[i] = LLVMTypeOf(args[i]);
    LLVMValueRef f = runtime(w, name, result, params, n, &type);
    return LLVMBuildCall2(w->at, type, f, args, n, "");
}

static LLVMValueRef number(TableWriter *w, uint64_t n) {
    return LLVMConstInt(w->i32, n, 0);
}

/* The value as 64 bits, or NULL for types that go through memory. */
static LLVMValueRef as_bits(TableWriter *w, LLVMValueRef value, uint64_t size) {
    LLVMTypeRef type = LLVMTypeOf(value);
    if (!layout_is_bits(type, size)) return NULL;
    switch (LLVMGetTypeKind(type)) {
    case LLVMPointerTypeKind: return LLVMBuildPtrToInt(w->at, value, w->i64, "");
    case LLVMIntegerTypeKind:
        return size == 8 && LLVMGetIntTypeWidth(type) == 64
                   ? value
                   : LLVMBuildZExt(w->at, value, w->i64, "");
    case LLVMDoubleTypeKind: return LLVMBuildBitCast(w->at, value, w->i64, "");
    case LLVMFloatTypeKind:
        return LLVMBuildZExt(w->at, LLVMBuildBitCast(w->at, value, w->i32, ""), w->i64, "");
    default: return NULL;
    }
}

static uint64_t size_of(TableWriter *w, LLVMTypeRef type) {
    return LLVMStoreSizeOfType(LLVMGetModuleDataLayout(w->module), type);
}

/* Room on the stack for a value that is handed over in memory. */
static LLVMValueRef spill(TableWriter *w, LLVMValueRef value) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(w->at);
    LLVMValueRef function = LLVMGetBasicBlockParent(here);
    LLVMBuilderRef entry = LLVMCreateBuilderInContext(w->context);
    LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
    LLVMPositionBuilderBefore(entry, first);
    LLVMValueRef room = LLVMBuildAlloca(entry, LLVMTypeOf(value), "culprit.spill");
    LLVMDisposeBuilder(entry);
    LLVMBuildStore(w->at, value, room);
    return room;
}

/* After inst, with its location: inserted calls that may be inlined must have one. */
static void go_behind(TableWriter *w, LLVMValueRef inst) {
    LLVMValueRef next = LLVMGetNextInstruction(inst);
    CHECK(next);
    LLVMPositionBuilderBefore(w->at, next);
}

/* ---- memory ---- */

static void record_load(TableWriter *w, const InstLayout *in) {
    LLVMValueRef load = in->value;
    uint64_t size = size_of(w, LLVMTypeOf(load));
    go_behind(w, load);
    LLVMValueRef pointer = LLVMGetOperand(load, 0);
    LLVMValueRef frozen = load;
    if (w->optimised) {
        frozen = LLVMBuildFreeze(w->at, load, "");
        LLVMReplaceAllUsesWith(load, frozen);
        LLVMSetOperand(frozen, 0, load);
    }
    LLVMValueRef bits = as_bits(w, frozen, size);
    char name[32];
    if (bits) {
        snprintf(name, sizeof name, "culprit_load%u", (unsigned)size);
        call_runtime(w, name, w->nothing, (LLVMValueRef[]){ pointer, bits, number(w, in->load) },
                     3);
    } else {
        call_runtime(w, "culprit_load_wide", w->nothing,
                     (LLVMValueRef[]){ pointer, number(w, size), number(w, in->load) }, 3);
    }
}

static void record_store(TableWriter *w, LLVMValueRef store) {
    LLVMValueRef value = LLVMGetOperand(store, 0), pointer = LLVMGetOperand(store, 1);
    uint64_t size = size_of(w, LLVMTypeOf(value));
    go_behind(w, store);
    LLVMValueRef bits = as_bits(w, value, size);
    char name[32];
    if (bits) {
        snprintf(name, sizeof name, "culprit_store%u", (unsigned)size);
        call_runtime(w, name, w->nothing, (LLVMValueRef[]){ pointer, bits }, 2);
    } else {
        call_runtime(w, "culprit_store_wide", w->nothing,
                     (LLVMValueRef[]){ pointer, number(w, size) }, 2);
    }
}

static void record_value(TableWriter *w, LLVMValueRef value) {
    LLVMTypeRef type = LLVMTypeOf(value);
    if (LLVMGetTypeKind(type) == LLVMVoidTypeKind) {
        call_runtime(w, "culprit_result", w->nothing,
                     (LLVMValueRef[]){ LLVMConstInt(w->i64, 0, 0), number(w, 0) }, 2);
        return;
    }
    uint64_t size = size_of(w, type);
    LLVMValueRef bits = as_bits(w, value, size);
    if (bits)
        call_runtime(w, "culprit_result", w->nothing, (LLVMValueRef[]){ bits, number(w, size) }, 2);
    else
        call_runtime(w, "culprit_result_wide", w->nothing,
                     (LLVMValueRef[]){ spill(w, value), number(w, size) }, 2);
}

static void record_atomic(TableWriter *w, LLVMValueRef inst) {
    LLVMValueRef pointer = LLVMGetOperand(inst, 0);
    uint64_t size = size_of(w, LLVMTypeOf(LLVMGetOperand(inst, 1)));
    go_behind(w, inst);
    record_value(w, inst);
    call_runtime(w, "culprit_sync", w->nothing,
                 (LLVMValueRef[]){ pointer, LLVMConstInt(w->i64, size, 0) }, 2);
}

/* ---- calls ---- */

/* Functions of the C library that write, or catch signals: the recorder has its own. */
static void redirect(TableWriter *w, LLVMValueRef call) {
    LLVMValueRef callee = LLVMGetCalledValue(call);
    if (!LLVMIsAFunction(callee) || !LLVMIsDeclaration(callee)) return;
    Arena arena = { 0 };
    const LibcFunction *known = libc_find(arena_cstr(&arena, layout_callee(call)));
    arena_release(&arena);
    if (!known || !known->instead) return;
    LLVMValueRef ours = LLVMGetNamedFunction(w->module, known->instead);
    if (!ours) ours = LLVMAddFunction(w->module, known->instead, LLVMGlobalGetValueType(callee));
    LLVMSetOperand(call, (unsigned)LLVMGetNumOperands(call) - 1, ours);
}

static void record_memory(TableWriter *w, LLVMValueRef call) {
    LLVMValueRef size = LLVMGetOperand(call, 2);
    LLVMPositionBuilderBefore(w->at, call);
    if (LLVMTypeOf(size) != w->i64) size = LLVMBuildZExt(w->at, size, w->i64, "");
    LLVMValueRef to = LLVMGetOperand(call, 0), from = LLVMGetOperand(call, 1);
    if (str_starts(layout_callee(call), "llvm.memset")) {
        from = LLVMBuildZExt(w->at, from, w->i32, "");
        call_runtime(w, "culprit_set", w->nothing, (LLVMValueRef[]){ to, from, size }, 3);
    } else {
        call_runtime(w, "culprit_copy", w->nothing, (LLVMValueRef[]){ to, from, size }, 3);
    }
}

static bool is_intrinsic(LLVMValueRef call) {
    return str_starts(layout_callee(call), "llvm.") || LLVMIsAInlineAsm(LLVMGetCalledValue(call));
}

static void record_call(TableWriter *w, LLVMValueRef frame, const InstLayout *in, uint32_t index) {
    LLVMValueRef call = in->value;
    if (in->call == CALL_MEMORY) {
        record_memory(w, call);
        return;
    }
    if (in->call == CALL_NONE || in->call == CALL_PURE) return;
    LLVMPositionBuilderBefore(w->at, call);
    const char *leaving = in->call == CALL_NEAR ? "culprit_call" : "culprit_call_out";
    if (!is_intrinsic(call))
        call_runtime(w, leaving, w->nothing, (LLVMValueRef[]){ LLVMGetCalledValue(call) }, 1);
    else if (LLVMIsAInlineAsm(LLVMGetCalledValue(call))) /* may wait in the kernel */
        call_runtime(w, leaving, w->nothing, (LLVMValueRef[]){ LLVMConstNull(w->ptr) }, 1);
    if (in->call == CALL_NEAR) return;
    redirect(w, call);
    go_behind(w, call);
    if (in->call == CALL_JUMP)
        call_runtime(w, "culprit_jump", w->nothing,
                     (LLVMValueRef[]){ frame, call, number(w, index) }, 3);
    else
        record_value(w, call);
    if (str_starts(layout_callee(call), "llvm.va_start")) /* where the arguments are */
        call_runtime(w, "culprit_sync", w->nothing,
                     (LLVMValueRef[]){ LLVMGetOperand(call, 0), LLVMConstInt(w->i64, 24, 0) }, 2);
}

/* ---- one function ---- */

static void plain_flags(LLVMValueRef inst) {
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
        LLVMSetNSW(inst, 0);
        LLVMSetNUW(inst, 0);
        break;
    case LLVMSDiv:
    case LLVMUDiv:
    case LLVMLShr:
    case LLVMAShr: LLVMSetExact(inst, 0); break;
    case LLVMGetElementPtr: LLVMSetIsInBounds(inst, 0); break;
    default: break;
    }
}

/* A condition that is poison (a shift by too much) makes everything after it undefined: freeze it
 * to some value. */
static void freeze_condition(TableWriter *w, LLVMValueRef branch) {
    if (!w->optimised) return; /* not needed, and the quick code generator cannot freeze a bit */
    if (layout_is_branch(LLVMGetInstructionOpcode(branch)) && !LLVMIsConditional(branch)) return;
    LLVMPositionBuilderBefore(w->at, branch);
    LLVMSetOperand(branch, 0, LLVMBuildFreeze(w->at, LLVMGetOperand(branch, 0), ""));
}

static void record_inst(TableWriter *w, LLVMValueRef frame, const InstLayout *in, uint32_t index) {
    LLVMSetCurrentDebugLocation2(w->at, LLVMInstructionGetDebugLoc(in->value));
    plain_flags(in->value);
    LLVMOpcode op = LLVMGetInstructionOpcode(in->value);
    if (layout_is_branch(op)) freeze_condition(w, in->value);
    switch (op) {
    case LLVMLoad:
        if (in->checked) record_load(w, in);
        break;
    case LLVMStore:
        if (in->checked) record_store(w, in->value);
        break;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg: record_atomic(w, in->value); break;
    case LLVMAlloca:
        if (in->local == LOCAL_DYNAMIC) {
            go_behind(w, in->value);
            record_value(w, in->value);
        }
        break;
    case LLVMVAArg:
        go_behind(w, in->value);
        record_value(w, in->value);
        break;
    case LLVMCall: record_call(w, frame, in, index); break;
    case LLVMSwitch: freeze_condition(w, in->value); break;
    case LLVMRet:
        LLVMPositionBuilderBefore(w->at, in->value);
        call_runtime(w, "culprit_leave", w->nothing, &w->back, 1);
        break;
    default:
        if (!in->recorded) break;
        go_behind(w, in->value);
        record_value(w, in->value);
        break;
    }
}

/* The new first block with all fixed locals; returns the frame (NULL when there is none). */
static LLVMValueRef make_frame(TableWriter *w, const FunctionLayout *fn) {
    LLVMValueRef frame = NULL;
    if (fn->frame_size) {
        LLVMTypeRef type = LLVMArrayType2(w->i8, fn->frame_size);
        frame = LLVMBuildAlloca(w->at, type, "culprit.frame");
        LLVMSetAlignment(frame, fn->frame_align);
    }
    for (size_t i = 0; i < fn->insts.len; i++) {
        const InstLayout *in = &fn->insts.at[i];
        if (in->local == LOCAL_SLOT) {
            LLVMInstructionRemoveFromParent(in->value);
            LLVMInsertIntoBuilder(w->at, in->value);
        } else if (in->local == LOCAL_FRAME) {
            LLVMValueRef offset = LLVMConstInt(w->i64, in->offset, 0);
            LLVMValueRef part = LLVMBuildGEP2(w->at, w->i8, frame, &offset, 1, "");
            LLVMReplaceAllUsesWith(in->value, part);
        }
    }
    return frame;
}

static void record_args(TableWriter *w, LLVMValueRef function, bool byval) {
    for (unsigned i = 0; i < LLVMCountParams(function); i++) {
        if (layout_is_byval(function, i) != byval) continue;
        LLVMValueRef param = LLVMGetParam(function, i);
        uint64_t size = size_of(w, LLVMTypeOf(param));
        LLVMValueRef bits = as_bits(w, param, size);
        if (bits)
            call_runtime(w, "culprit_arg", w->nothing, &bits, 1);
        else
            call_runtime(w, "culprit_arg_wide", w->nothing,
                         (LLVMValueRef[]){ spill(w, param), number(w, size) }, 2);
    }
}

/* Inserted calls in a function with debug information need a location in it. */
static LLVMMetadataRef entry_location(TableWriter *w, LLVMValueRef function) {
    LLVMMetadataRef program = LLVMGetSubprogram(function);
    if (!program) return NULL;
    unsigned line = LLVMDISubprogramGetLine(program);
    return LLVMDIBuilderCreateDebugLocation(w->context, line, 0, program, NULL);
}

/* Announces the entry; the arguments of a call from outside are recorded in a block of their own.
 */
static LLVMValueRef record_entry(TableWriter *w, LLVMValueRef function, uint32_t index,
                                 const FunctionLayout *fn) {
    LLVMBasicBlockRef body = fn->blocks.at[0];
    LLVMBasicBlockRef entry = LLVMInsertBasicBlockInContext(w->context, body, "culprit.entry");
    LLVMBasicBlockRef outside = LLVMInsertBasicBlockInContext(w->context, body, "culprit.outside");
    LLVMPositionBuilderAtEnd(w->at, entry);
    LLVMValueRef frame = make_frame(w, fn);
    LLVMSetCurrentDebugLocation2(w->at, entry_location(w, function));
    LLVMValueRef base = LLVMBuildLoad2(w->at, w->i32, w->base, "");
    LLVMValueRef self = LLVMBuildAdd(w->at, base, number(w, index), "");
    LLVMValueRef args[] = { self, frame ? frame : LLVMConstNull(w->ptr), function };
    w->back = call_runtime(w, "culprit_enter", w->i32, args, 3);
    record_args(w, function, true);
    LLVMValueRef is_back = LLVMBuildICmp(w->at, LLVMIntNE, w->back, number(w, 0), "");
    LLVMBuildCondBr(w->at, is_back, outside, body);
    LLVMPositionBuilderAtEnd(w->at, outside);
    record_args(w, function, false);
    LLVMBuildBr(w->at, body);
    return frame;
}

static void record_blocks(TableWriter *w, LLVMValueRef function, const FunctionLayout *fn) {
    for (size_t b = 1; b < fn->blocks.len; b++) {
        LLVMValueRef first = LLVMGetFirstInstruction(fn->blocks.at[b]);
        while (LLVMIsAPHINode(first)) first = LLVMGetNextInstruction(first);
        LLVMPositionBuilderBefore(w->at, first);
        LLVMSetCurrentDebugLocation2(w->at, entry_location(w, function));
        LLVMValueRef index = number(w, b);
        call_runtime(w, "culprit_block", w->nothing, &index, 1);
    }
}

static void remove_attribute(LLVMValueRef function, const char *name) {
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind);
}

static void add_attribute(TableWriter *w, LLVMValueRef function, const char *name) {
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(w->context, kind, 0));
}

static void make_impure(LLVMValueRef call) {
    static const char *const names[] = { "memory", "readonly", "readnone", "speculatable" };
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(names[i], strlen(names[i]));
        if (kind) LLVMRemoveCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, kind);
    }
}

static void instrument_function(TableWriter *w, uint32_t index) {
    LLVMValueRef function = w->layout.functions.at[index];
    FunctionLayout fn;
    layout_function(&w->layout, function, &fn);
    remove_attribute(function, "optnone");
    remove_attribute(function, "alwaysinline");
    add_attribute(w, function, "noinline");
    add_attribute(w, function, "null_pointer_is_valid");
    record_blocks(w, function, &fn);
    LLVMValueRef frame = record_entry(w, function, index, &fn);
    for (uint32_t i = 0; i < fn.insts.len; i++) {
        if (LLVMGetInstructionOpcode(fn.insts.at[i].value) == LLVMCall)
            make_impure(fn.insts.at[i].value);
        record_inst(w, frame, &fn.insts.at[i], i);
    }
    for (uint32_t i = 0; i < fn.insts.len; i++)
        if (fn.insts.at[i].local == LOCAL_FRAME)
            LLVMInstructionEraseFromParent(fn.insts.at[i].value);
    layout_release(&fn);
}

/* ---- the module ---- */

/* A constructor that announces the module with the place of its bitcode and its addresses. */
static void add_registration(TableWriter *w, const char *kept) {
    size_t n = w->layout.addresses.len;
    LLVMTypeRef list_type = LLVMArrayType2(w->ptr, n);
    LLVMValueRef list = LLVMAddGlobal(w->module, list_type, "culprit_addresses");
    LLVMSetInitializer(list, LLVMConstArray2(w->ptr, w->layout.addresses.at, n));
    LLVMSetLinkage(list, LLVMInternalLinkage);
    LLVMTypeRef type = LLVMFunctionType(w->nothing, NULL, 0, 0);
    LLVMValueRef f = LLVMAddFunction(w->module, "culprit_announce", type);
    LLVMSetLinkage(f, LLVMInternalLinkage);
    LLVMPositionBuilderAtEnd(w->at, LLVMAppendBasicBlockInContext(w->context, f, ""));
    LLVMSetCurrentDebugLocation2(w->at, NULL);
    LLVMValueRef path = LLVMBuildGlobalStringPtr(w->at, kept, "culprit_path");
    LLVMValueRef args[] = { w->base, number(w, w->layout.functions.len), path, list, number(w, n) };
    call_runtime(w, "culprit_register", w->nothing, args, 5);
    LLVMBuildRetVoid(w->at);
    LLVMValueRef entry[] = { number(w, 0), f, LLVMConstNull(w->ptr) };
    LLVMValueRef ours = LLVMConstStructInContext(w->context, entry, 3, 0);
    LLVMValueRef old = LLVMGetNamedGlobal(w->module, "llvm.global_ctors");
    ValueVec all = { 0 };
    vec_push(&all, ours);
    if (old) {
        LLVMValueRef before = LLVMGetInitializer(old);
        for (unsigned i = 0; i < LLVMGetArrayLength2(LLVMTypeOf(before)); i++)
            vec_push(&all, LLVMGetAggregateElement(before, i));
        LLVMDeleteGlobal(old);
    }
    LLVMTypeRef all_type = LLVMArrayType2(LLVMTypeOf(ours), all.len);
    LLVMValueRef ctors = LLVMAddGlobal(w->module, all_type, "llvm.global_ctors");
    LLVMSetLinkage(ctors, LLVMAppendingLinkage);
    LLVMSetInitializer(ctors, LLVMConstArray2(LLVMTypeOf(ours), all.at, all.len));
    vec_release(&all);
}

static void make_all_impure(TableWriter *w) {
    for (LLVMValueRef f = LLVMGetFirstFunction(w->module); f; f = LLVMGetNextFunction(f)) {
        Str name = { 0 };
        name.at = LLVMGetValueName2(f, &name.len);
        if (str_starts(name, "llvm.")) continue;
        remove_attribute(f, "memory");
        remove_attribute(f, "speculatable");
    }
}

/* Inlined fast paths make SQLite's object 10 MB and take three quarters of its compilation;
 * compared with that, the run of such a large program is short. */
static void keep_outside(TableWriter *w, LLVMValueRef f) {
    remove_attribute(f, "alwaysinline");
    add_attribute(w, f, "noinline");
}

static bool link_fast_paths(TableWriter *w, const char *path, bool inlined, Error *err) {
    LLVMMemoryBufferRef buffer;
    char *message = NULL;
    if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message))
        return err_set(err, STATUS_LACKS, "%s: %s", path, message);
    LLVMModuleRef fast = bitcode_parse(w->context, buffer);
    if (!fast) return err_set(err, STATUS_LACKS, "%s: not the bitcode of the trace runtime", path);
    if (LLVMLinkModules2(w->module, fast))
        return err_set(err, STATUS_BAD, "%s: does not link", path);
    for (LLVMValueRef f = LLVMGetFirstFunction(w->module); f; f = LLVMGetNextFunction(f)) {
        Str name = { 0 };
        name.at = LLVMGetValueName2(f, &name.len);
        if (!str_starts(name, "culprit_") || LLVMIsDeclaration(f)) continue;
        LLVMSetLinkage(f, LLVMInternalLinkage);
        LLVMSetVisibility(f, LLVMDefaultVisibility);
        if (!inlined) keep_outside(w, f);
    }
    return true;
}

/* Writes the bitcode as read (what replay will number) under a name made from its content. */
static bool keep_copy(TableWriter *w, const InstrumentJob *job, char *path, size_t size,
                      Error *err) {
    LLVMMemoryBufferRef bits = LLVMWriteBitcodeToMemoryBuffer(w->module);
    Str text = { LLVMGetBufferStart(bits), LLVMGetBufferSize(bits) };
    Hash hash = str_hash128(text);
    snprintf(path, size, "%s/%016llx%016llx.bc", job->keep_dir, (unsigned long long)hash.hi,
             (unsigned long long)hash.lo);
    bool ok =
        file_exists(path) || (file_make_dirs(job->keep_dir, err) && file_write(path, text, err));
    LLVMDisposeMemoryBuffer(bits);
    return ok;
}

static bool write_module(TableWriter *w, const char *path, Error *err) {
    char *message = NULL;
    if (LLVMVerifyModule(w->module, LLVMReturnStatusAction, &message))
        return err_set(err, STATUS_BAD, "instrumented code is not valid: %.600s", message);
    LLVMDisposeMessage(message);
    if (LLVMWriteBitcodeToFile(w->module, path))
        return err_set(err, STATUS_BAD, "%s: cannot be written", path);
    return true;
}

static bool instrument_module(TableWriter *w, const InstrumentJob *job, Error *err) {
    char kept[4096];
    if (!keep_copy(w, job, kept, sizeof kept, err)) return false;
    layout_module(w->module, &w->layout);
    w->base = LLVMAddGlobal(w->module, w->i32, "culprit_base");
    LLVMSetLinkage(w->base, LLVMInternalLinkage);
    LLVMSetInitializer(w->base, number(w, 0));
    for (uint32_t i = 0; i < w->layout.functions.len; i++) instrument_function(w, i);
    make_all_impure(w);
    add_registration(w, kept);
    layout_module_release(&w->layout);
    if (!link_fast_paths(w, job->fast, job->optimised, err)) return false;
    LLVMStripModuleDebugInfo(w->module);
    return write_module(w, job->output, err);
}

static void open_writer(TableWriter *w, LLVMModuleRef module) {
    LLVMContextRef c = LLVMGetModuleContext(module);
    *w = (TableWriter){
        .context = c,
        .module = module,
        .at = LLVMCreateBuilderInContext(c),
        .i8 = LLVMInt8TypeInContext(c),
        .i32 = LLVMInt32TypeInContext(c),
        .i64 = LLVMInt64TypeInContext(c),
        .ptr = LLVMPointerTypeInContext(c, 0),
        .nothing = LLVMVoidTypeInContext(c),
    };
}

bool instrument(const InstrumentJob *job, Error *err) {
    LLVMContextRef context = LLVMContextCreate();
    LLVMMemoryBufferRef buffer;
    char *message = NULL;
    if (LLVMCreateMemoryBufferWithContentsOfFile(job->bitcode, &buffer, &message))
        return err_set(err, STATUS_BAD, "%s: %s", job->bitcode, message);
    LLVMModuleRef module = bitcode_parse(context, buffer);
    if (!module) return err_set(err, STATUS_BAD, "%s: not LLVM bitcode", job->bitcode);
    TableWriter w;
    open_writer(&w, module);
    w.optimised = job->optimised;
    bool ok = instrument_module(&w, job, err);
    LLVMDisposeBuilder(w.at);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return ok;
}
