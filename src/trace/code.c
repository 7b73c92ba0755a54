/* Bitcode to tables (code.h): one pass over each module with LLVM's C API. Constants become bits at
 * once, because the addresses of globals are known from the recording. */
#include "trace/code.h"
#include "cc/bitcode.h"
#include "trace/enums.h"
#include "trace/flow.h"
#include "trace/layout.h"

#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

typedef struct CodeReader {
    Code *code;
    ModuleLayout layout;
    LLVMTargetDataRef data;
    Map addresses;     /* LLVMValueRef of a global or function -> address */
    uint32_t base;     /* number of the module's first function */
    uint32_t function; /* being read: number */
    const FunctionLayout *fn;
    Map enums; /* for enums_read */
} CodeReader;

/* ---- types, files ---- */

static Type type_of(const CodeReader *r, LLVMTypeRef type) {
    Type t = { 0 };
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMVoidTypeKind || kind == LLVMLabelTypeKind || kind == LLVMMetadataTypeKind ||
        kind == LLVMFunctionTypeKind || kind == LLVMTokenTypeKind || !LLVMTypeIsSized(type))
        return t;
    t.size = (uint32_t)LLVMStoreSizeOfType(r->data, type);
    t.kind = TYPE_WIDE;
    if (kind == LLVMIntegerTypeKind) {
        t.bits = (uint16_t)LLVMGetIntTypeWidth(type);
        if (t.bits <= 64) t.kind = TYPE_INT;
    }
    if (kind == LLVMPointerTypeKind) t.kind = TYPE_POINTER, t.bits = 64;
    if (kind == LLVMFloatTypeKind) t.kind = TYPE_FLOAT;
    if (kind == LLVMDoubleTypeKind) t.kind = TYPE_DOUBLE;
    if (kind == LLVMX86_FP80TypeKind) t.kind = TYPE_LONG_DOUBLE;
    return t;
}

/* "/a/./b/../c" -> "/a/c" */
static void normalise(Buf *out, Str path) {
    Str part;
    bool absolute = path.len && path.at[0] == '/';
    buf_clear(out);
    while (str_split(&path, '/', &part)) {
        if (part.len == 0 || str_is(part, ".")) continue;
        if (str_is(part, "..") && out->len) {
            while (out->len && out->at[out->len - 1] != '/') out->len--;
            if (out->len) out->len--;
            continue;
        }
        if (absolute || out->len) buf_char(out, '/');
        buf_str(out, part);
    }
    if (out->at) out->at[out->len] = 0;
}

static uint32_t file_number(Code *code, const char *dir, size_t dir_len, const char *name,
                            size_t len) {
    if (!len) return 0;
    Buf whole = { 0 }, clean = { 0 };
    if (name[0] != '/' && dir_len) {
        buf_add(&whole, dir, dir_len);
        buf_char(&whole, '/');
    }
    buf_add(&whole, name, len);
    normalise(&clean, buf_view(&whole));
    Str path = buf_view(&clean);
    size_t root = code->root ? strlen(code->root) : 0;
    if (root && str_starts(path, code->root) && path.len > root && path.at[root] == '/')
        path = str_sub(path, root + 1, path.len);
    uint64_t *slot = map_at(&code->file_index, path);
    if (!*slot) {
        *slot = code->files.len;
        vec_push(&code->files, arena_str(&code->arena, path));
    }
    uint32_t number = (uint32_t)*slot;
    buf_release(&whole);
    buf_release(&clean);
    return number;
}

static uint32_t file_of(CodeReader *r, LLVMValueRef value) {
    unsigned dir_len = 0, len = 0;
    const char *dir = LLVMGetDebugLocDirectory(value, &dir_len),
               *name = LLVMGetDebugLocFilename(value, &len);
    return name ? file_number(r->code, dir ? dir : "", dir_len, name, len) : 0;
}

static uint32_t file_of_scope(CodeReader *r, LLVMMetadataRef scope) {
    LLVMMetadataRef file = scope ? LLVMDIScopeGetFile(scope) : NULL;
    if (!file) return 0;
    unsigned dir_len = 0, len = 0;
    const char *dir = LLVMDIFileGetDirectory(file, &dir_len),
               *name = LLVMDIFileGetFilename(file, &len);
    return file_number(r->code, dir ? dir : "", dir_len, name, len);
}

static const char *name_of(CodeReader *r, LLVMValueRef value) {
    size_t len = 0;
    const char *name = LLVMGetValueName2(value, &len);
    return len ? arena_cstr(&r->code->arena, (Str){ name, len }) : "";
}

/* ---- constants ---- */

/* Writes the constant's bytes; known (may be NULL) is set to 1 for bytes that are certain. False
 * where nothing can be said. */
static bool constant_bytes(CodeReader *r, LLVMValueRef c, uint8_t *out, uint8_t *known);

static void put_bits(uint64_t bits, uint32_t size, uint8_t *out, uint8_t *known) {
    memcpy(out, &bits, size < 8 ? size : 8);
    if (known) memset(known, 1, size);
}

static bool address_of(CodeReader *r, LLVMValueRef c, uint64_t *address) {
    uint64_t key = (uint64_t)(uintptr_t)c;
    return map_get(&r->addresses, map_key_u64(&key), address);
}

/* Offset of a constant getelementptr. */
static bool constant_offset(CodeReader *r, LLVMValueRef gep, int64_t *offset) {
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    *offset = 0;
    for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(gep); i++) {
        LLVMValueRef index = LLVMGetOperand(gep, i);
        if (!LLVMIsAConstantInt(index)) return false;
        int64_t n = LLVMConstIntGetSExtValue(index);
        if (i == 1) {
            *offset += n * (int64_t)LLVMABISizeOfType(r->data, type);
        } else if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            *offset += (int64_t)LLVMOffsetOfElement(r->data, type, (unsigned)n);
            type = LLVMStructGetTypeAtIndex(type, (unsigned)n);
        } else {
            type = LLVMGetElementType(type);
            *offset += n * (int64_t)LLVMABISizeOfType(r->data, type);
        }
    }
    return true;
}

static bool expression_bits(CodeReader *r, LLVMValueRef c, uint64_t *bits) {
    uint64_t a = 0, b = 0;
    int64_t offset;
    uint8_t bytes[16] = { 0 };
    if (LLVMGetNumOperands(c) < 1 || !constant_bytes(r, LLVMGetOperand(c, 0), bytes, NULL))
        return false;
    memcpy(&a, bytes, 8);
    switch (LLVMGetConstOpcode(c)) {
    case LLVMGetElementPtr:
        if (!constant_offset(r, c, &offset)) return false;
        *bits = a + (uint64_t)offset;
        return true;
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
    case LLVMTrunc: *bits = a; return true;
    case LLVMAdd:
    case LLVMSub:
    case LLVMXor:
        memset(bytes, 0, sizeof bytes);
        if (!constant_bytes(r, LLVMGetOperand(c, 1), bytes, NULL)) return false;
        memcpy(&b, bytes, 8);
        *bits = LLVMGetConstOpcode(c) == LLVMAdd   ? a + b
                : LLVMGetConstOpcode(c) == LLVMSub ? a - b
                                                   : a ^ b;
        return true;
    default: return false;
    }
}

static bool aggregate_bytes(CodeReader *r, LLVMValueRef c, LLVMTypeRef type, uint8_t *out,
                            uint8_t *known) {
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    bool is_struct = kind == LLVMStructTypeKind;
    uint64_t n = is_struct                   ? LLVMCountStructElementTypes(type)
                 : kind == LLVMArrayTypeKind ? LLVMGetArrayLength2(type)
                                             : LLVMGetVectorSize(type);
    bool all = true;
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef element = LLVMGetAggregateElement(c, i);
        uint64_t at = is_struct ? LLVMOffsetOfElement(r->data, type, i)
                                : i * LLVMABISizeOfType(r->data, LLVMGetElementType(type));
        if (!element || !constant_bytes(r, element, out + at, known ? known + at : NULL))
            all = false;
    }
    return all || known;
}

static bool real_bytes(LLVMValueRef c, LLVMTypeRef type, uint8_t *out, uint8_t *known) {
    LLVMBool lossy;
    double value = LLVMConstRealGetDouble(c, &lossy);
    if (LLVMGetTypeKind(type) == LLVMDoubleTypeKind) {
        memcpy(out, &value, 8);
        if (known) memset(known, 1, 8);
        return true;
    }
    if (LLVMGetTypeKind(type) == LLVMFloatTypeKind) {
        float narrow = (float)value;
        memcpy(out, &narrow, 4);
        if (known) memset(known, 1, 4);
        return true;
    }
    if (LLVMGetTypeKind(type) != LLVMX86_FP80TypeKind) return false;
    long double wide = (long double)value;
    if (lossy) {
        /* "x86_fp80 0xK4000C90FDAA22168C235" */
        char *text = LLVMPrintValueToString(c);
        const char *digits = strstr(text, "0xK");
        unsigned high = 0;
        unsigned long long low = 0;
        if (digits && sscanf(digits + 3, "%4x%16llx", &high, &low) == 2) {
            memset(&wide, 0, sizeof wide);
            memcpy(&wide, &low, 8);
            memcpy((char *)&wide + 8, &high, 2);
        }
        LLVMDisposeMessage(text);
    }
    memcpy(out, &wide, 10);
    if (known) memset(known, 1, 10);
    return true;
}

static bool integer_bytes(LLVMValueRef c, uint32_t size, uint8_t *out, uint8_t *known) {
    unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(c));
    put_bits(LLVMConstIntGetZExtValue(c), size, out, known);
    if (bits <= 64) return true;
    /* "i128 -5": its decimal text, which the C API gives for any width */
    char *text = LLVMPrintValueToString(c);
    const char *at = strchr(text, ' ');
    bool minus = at && at[1] == '-';
    unsigned __int128 value = 0;
    for (at = at ? at + 1 + minus : ""; *at >= '0' && *at <= '9'; at++)
        value = value * 10 + (unsigned)(*at - '0');
    if (minus) value = -value;
    memcpy(out, &value, size < 16 ? size : 16);
    LLVMDisposeMessage(text);
    return true;
}

static bool constant_bytes(CodeReader *r, LLVMValueRef c, uint8_t *out, uint8_t *known) {
    LLVMTypeRef type = LLVMTypeOf(c);
    uint32_t size = type_of(r, type).size;
    uint64_t bits;
    if (LLVMIsNull(c) || LLVMIsUndef(c) || LLVMIsPoison(c)) {
        memset(out, 0, size);
        if (known && !LLVMIsUndef(c)) memset(known, 1, size);
        return true;
    }
    if (LLVMIsAConstantInt(c)) return integer_bytes(c, size, out, known);
    if (LLVMIsAConstantFP(c)) return real_bytes(c, type, out, known);
    if (address_of(r, c, &bits)) return put_bits(bits, 8, out, known), true;
    if (LLVMIsAConstantDataSequential(c) || LLVMIsAConstantArray(c) || LLVMIsAConstantStruct(c) ||
        LLVMIsAConstantVector(c)) {
        size_t len;
        if (LLVMIsAConstantDataSequential(c) && LLVMIsConstantString(c)) {
            const char *text = LLVMGetAsString(c, &len);
            memcpy(out, text, len);
            if (known) memset(known, 1, len);
            return true;
        }
        return aggregate_bytes(r, c, type, out, known);
    }
    if (LLVMIsAConstantExpr(c) && size <= 8 && expression_bits(r, c, &bits))
        return put_bits(bits, size, out, known), true;
    if (LLVMIsAGlobalAlias(c) && constant_bytes(r, LLVMAliasGetAliasee(c), out, known)) return true;
    return false;
}

/* ---- operands ---- */

static Operand read_operand(CodeReader *r, LLVMValueRef value) {
    Operand o = { .kind = OPERAND_CONST };
    if (LLVMValueIsBasicBlock(value)) {
        o.kind = OPERAND_BLOCK;
        o.index = layout_block(r->fn, LLVMValueAsBasicBlock(value));
        return o;
    }
    o.type = type_of(r, LLVMTypeOf(value));
    if (LLVMIsAInstruction(value)) {
        o.kind = OPERAND_INST;
        o.index = layout_inst(r->fn, value);
    } else if (LLVMIsAArgument(value)) {
        o.kind = OPERAND_PARAM;
        LLVMValueRef function = LLVMGetParamParent(value);
        while (LLVMGetParam(function, o.index) != value) o.index++;
    } else if (o.type.kind == TYPE_NONE || LLVMIsAInlineAsm(value)) {
        return o;
    } else if (type_is_wide(o.type)) {
        o.bits = r->code->wide.len;
        for (uint32_t i = 0; i < o.type.size; i++) vec_push(&r->code->wide, 0);
        constant_bytes(r, value, r->code->wide.at + o.bits, NULL);
    } else {
        uint8_t bytes[16] = { 0 };
        constant_bytes(r, value, bytes, NULL);
        memcpy(&o.bits, bytes, 8);
    }
    return o;
}

static void add_operand(CodeReader *r, Inst *inst, Operand o) {
    vec_push(&r->code->operands, o);
    inst->operands++;
}

/* Base, then each index that is not constant with its step in bytes. */
static void read_gep(CodeReader *r, Inst *inst, LLVMValueRef gep) {
    add_operand(r, inst, read_operand(r, LLVMGetOperand(gep, 0)));
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(gep); i++) {
        LLVMValueRef index = LLVMGetOperand(gep, i);
        if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned n = (unsigned)LLVMConstIntGetZExtValue(index);
            inst->add += LLVMOffsetOfElement(r->data, type, n);
            type = LLVMStructGetTypeAtIndex(type, n);
            continue;
        }
        if (i > 1) type = LLVMGetElementType(type);
        uint64_t step = LLVMABISizeOfType(r->data, type);
        if (LLVMIsAConstantInt(index)) {
            inst->add += (uint64_t)LLVMConstIntGetSExtValue(index) * step;
            continue;
        }
        Operand o = read_operand(r, index);
        if (o.kind == OPERAND_CONST) { /* a constant expression */
            inst->add += o.bits * step;
            continue;
        }
        o.bits = step;
        add_operand(r, inst, o);
    }
}

static void read_switch(CodeReader *r, Inst *inst, LLVMValueRef value) {
    unsigned n = (unsigned)LLVMGetNumOperands(value);
    add_operand(r, inst, read_operand(r, LLVMGetOperand(value, 0)));
    add_operand(r, inst, read_operand(r, LLVMGetOperand(value, 1)));
    for (unsigned i = 2; i + 1 < n; i += 2) {
        Operand o = read_operand(r, LLVMGetOperand(value, i + 1));
        o.bits = read_operand(r, LLVMGetOperand(value, i)).bits;
        add_operand(r, inst, o);
    }
}

static void read_phi(CodeReader *r, Inst *inst, LLVMValueRef phi) {
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        add_operand(r, inst, read_operand(r, LLVMGetIncomingValue(phi, i)));
        Operand from = { .kind = OPERAND_BLOCK,
                         .index = layout_block(r->fn, LLVMGetIncomingBlock(phi, i)) };
        add_operand(r, inst, from);
    }
}

/* Byte offset that extractvalue and insertvalue mean. */
static uint32_t element_offset(CodeReader *r, LLVMValueRef inst) {
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(inst, 0));
    const unsigned *index = LLVMGetIndices(inst);
    uint64_t at = 0;
    for (unsigned i = 0; i < LLVMGetNumIndices(inst); i++) {
        if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            at += LLVMOffsetOfElement(r->data, type, index[i]);
            type = LLVMStructGetTypeAtIndex(type, index[i]);
        } else {
            type = LLVMGetElementType(type);
            at += index[i] * LLVMABISizeOfType(r->data, type);
        }
    }
    return (uint32_t)at;
}

/* ---- instructions ---- */

static const struct {
    LLVMOpcode from;
    Op to;
} ops[] = {
    { LLVMAlloca, OP_ALLOCA },
    { LLVMLoad, OP_LOAD },
    { LLVMStore, OP_STORE },
    { LLVMGetElementPtr, OP_GEP },
    { LLVMAdd, OP_ADD },
    { LLVMSub, OP_SUB },
    { LLVMMul, OP_MUL },
    { LLVMUDiv, OP_UDIV },
    { LLVMSDiv, OP_SDIV },
    { LLVMURem, OP_UREM },
    { LLVMSRem, OP_SREM },
    { LLVMShl, OP_SHL },
    { LLVMLShr, OP_LSHR },
    { LLVMAShr, OP_ASHR },
    { LLVMAnd, OP_AND },
    { LLVMOr, OP_OR },
    { LLVMXor, OP_XOR },
    { LLVMFAdd, OP_FADD },
    { LLVMFSub, OP_FSUB },
    { LLVMFMul, OP_FMUL },
    { LLVMFDiv, OP_FDIV },
    { LLVMFRem, OP_FREM },
    { LLVMFNeg, OP_FNEG },
    { LLVMTrunc, OP_TRUNC },
    { LLVMZExt, OP_ZEXT },
    { LLVMSExt, OP_SEXT },
    { LLVMFPToUI, OP_FPTOUI },
    { LLVMFPToSI, OP_FPTOSI },
    { LLVMUIToFP, OP_UITOFP },
    { LLVMSIToFP, OP_SITOFP },
    { LLVMFPTrunc, OP_FPTRUNC },
    { LLVMFPExt, OP_FPEXT },
    { LLVMPtrToInt, OP_ZEXT },
    { LLVMIntToPtr, OP_ZEXT },
    { LLVMBitCast, OP_MOVE },
    { LLVMAddrSpaceCast, OP_MOVE },
    { LLVMFreeze, OP_MOVE },
    { LLVMICmp, OP_ICMP },
    { LLVMFCmp, OP_FCMP },
    { LLVMPHI, OP_PHI },
    { LLVMSelect, OP_SELECT },
    { LLVMExtractValue, OP_EXTRACT },
    { LLVMInsertValue, OP_INSERT },
    { LLVMCall, OP_CALL },
    { LLVMRet, OP_RET },
    { LLVMSwitch, OP_SWITCH },
    { LLVMIndirectBr, OP_INDIRECT },
    { LLVMUnreachable, OP_UNREACHABLE },
    { LLVMAtomicRMW, OP_ATOMIC },
    { LLVMAtomicCmpXchg, OP_ATOMIC },
    { LLVMFence, OP_FENCE },
    { LLVMVAArg, OP_RECORDED },
};

static Op op_of(LLVMValueRef value, bool recorded) {
    LLVMOpcode op = LLVMGetInstructionOpcode(value);
    if (layout_is_branch(op)) return LLVMIsConditional(value) ? OP_CONDBR : OP_BR;
    if (recorded) return OP_RECORDED;
    for (size_t i = 0; i < COUNT_OF(ops); i++)
        if (ops[i].from == op) return ops[i].to;
    return OP_RECORDED;
}

static Pure pure_of(Str name) {
    static const struct {
        const char *prefix;
        Pure pure;
    } table[] = {
        { "llvm.ctpop", PURE_POPCOUNT },    { "llvm.ctlz", PURE_CLZ },
        { "llvm.cttz", PURE_CTZ },          { "llvm.bswap", PURE_BSWAP },
        { "llvm.abs", PURE_ABS },           { "llvm.smax", PURE_SMAX },
        { "llvm.smin", PURE_SMIN },         { "llvm.umax", PURE_UMAX },
        { "llvm.umin", PURE_UMIN },         { "llvm.fabs", PURE_FABS },
        { "llvm.fshl", PURE_FSHL },         { "llvm.fshr", PURE_FSHR },
        { "llvm.sadd", PURE_SADD },         { "llvm.uadd", PURE_UADD },
        { "llvm.ssub", PURE_SSUB },         { "llvm.usub", PURE_USUB },
        { "llvm.smul", PURE_SMUL },         { "llvm.umul", PURE_UMUL },
        { "llvm.is.constant", PURE_FALSE }, { "llvm.bitreverse", PURE_BITREVERSE },
    };
    for (size_t i = 0; i < COUNT_OF(table); i++)
        if (str_starts(name, table[i].prefix)) return table[i].pure;
    return PURE_SAME;
}

static uint8_t compare_of(LLVMIntPredicate p) {
    switch (p) {
    case LLVMIntEQ: return CMP_EQ;
    case LLVMIntNE: return CMP_NE;
    case LLVMIntUGT: return CMP_UGT;
    case LLVMIntUGE: return CMP_UGE;
    case LLVMIntULT: return CMP_ULT;
    case LLVMIntULE: return CMP_ULE;
    case LLVMIntSGT: return CMP_SGT;
    case LLVMIntSGE: return CMP_SGE;
    case LLVMIntSLT: return CMP_SLT;
    default: return CMP_SLE;
    }
}

static void read_call(CodeReader *r, Inst *inst, LLVMValueRef call) {
    unsigned n = LLVMGetNumArgOperands(call);
    for (unsigned i = 0; i < n; i++) add_operand(r, inst, read_operand(r, LLVMGetOperand(call, i)));
    LLVMValueRef callee = LLVMGetCalledValue(call);
    add_operand(r, inst, read_operand(r, callee));
    Str name = layout_callee(call);
    inst->name = name.len ? arena_cstr(&r->code->arena, name) : "";
    if (inst->call == CALL_FAR) inst->libc = libc_find(inst->name);
    if (inst->call == CALL_PURE) inst->sub = (uint8_t)pure_of(name);
}

static void read_operands(CodeReader *r, Inst *inst, LLVMValueRef value) {
    switch (inst->op) {
    case OP_GEP: read_gep(r, inst, value); return;
    case OP_SWITCH: read_switch(r, inst, value); return;
    case OP_PHI: read_phi(r, inst, value); return;
    case OP_CALL: read_call(r, inst, value); return;
    case OP_ICMP: inst->sub = compare_of(LLVMGetICmpPredicate(value)); break;
    case OP_FCMP: inst->sub = (uint8_t)LLVMGetFCmpPredicate(value); break;
    case OP_EXTRACT:
    case OP_INSERT: inst->offset = element_offset(r, value); break;
    case OP_ATOMIC:
        inst->sub = LLVMGetInstructionOpcode(value) == LLVMAtomicRMW
                        ? (uint8_t)LLVMGetAtomicRMWBinOp(value)
                        : 255;
        break;
    default: break;
    }
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(value); i++)
        add_operand(r, inst, read_operand(r, LLVMGetOperand(value, i)));
}

/* The debug information knows what the user calls a local: LLVM's own name may have a number at its
 * end. */
static void name_variables(CodeReader *r, const Function *f, LLVMValueRef function) {
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            if (!layout_is_debug(i) || !str_is(layout_callee(i), "llvm.dbg.declare")) continue;
            LLVMValueRef variable = LLVMGetOperand(i, 1), local = NULL, parts[16];
            if (LLVMGetMDNodeNumOperands(LLVMGetOperand(i, 0)) != 1) continue;
            LLVMGetMDNodeOperands(LLVMGetOperand(i, 0), &local);
            unsigned n = LLVMGetMDNodeNumOperands(variable), len = 0;
            if (!local || !LLVMIsAAllocaInst(local) || n < 2 || n > COUNT_OF(parts)) continue;
            LLVMGetMDNodeOperands(variable, parts);
            const char *name = parts[1] ? LLVMGetMDString(parts[1], &len) : NULL;
            uint32_t at = layout_inst(r->fn, local);
            if (!name || at == UINT32_MAX) continue;
            Inst *inst = &r->code->insts.at[f->first + at];
            inst->name = arena_cstr(&r->code->arena, (Str){ name, len });
            if (n > 3) inst->add = enums_read(r->code, &r->enums, parts[3]);
        }
}

static bool is_field(LLVMValueRef value) {
    return LLVMGetInstructionOpcode(value) == LLVMGetElementPtr &&
           LLVMGetTypeKind(LLVMGetGEPSourceElementType(value)) == LLVMStructTypeKind;
}

/* Clang names the address of a field after the field, LLVM adds a number to all but the first of a
 * name: the number is dropped where the same place also has the name without it. */
static void name_fields(Code *code, const Function *f) {
    enum { A_VARIABLE = 0 };
    Map first = { 0 }; /* name -> 1 + the offset it stands for; A_VARIABLE: what it is */
    for (uint32_t i = f->first; i < f->first + f->count; i++)
        if (code->insts.at[i].op == OP_ALLOCA)
            map_put(&first, code_variable(code->insts.at[i].name), A_VARIABLE);
    for (uint32_t i = f->first; i < f->first + f->count; i++) {
        Inst *inst = &code->insts.at[i];
        if (inst->op != OP_GEP || !*inst->name) continue;
        Str name = str_from(inst->name);
        uint64_t *known = map_at(&first, name), place;
        if (!*known) *known = 1 + inst->add;
        while (name.len && name.at[name.len - 1] >= '0' && name.at[name.len - 1] <= '9') name.len--;
        bool same = name.len && map_get(&first, name, &place) &&
                    (place == 1 + inst->add || place == A_VARIABLE);
        if (same) inst->name = arena_cstr(&code->arena, name);
    }
    map_release(&first);
}

static void read_inst(CodeReader *r, const InstLayout *in, uint32_t block, const Function *f) {
    LLVMValueRef value = in->value;
    Inst inst = {
        .op = (uint8_t)op_of(value, in->recorded),
        .local = in->local,
        .call = in->call,
        .checked = in->checked,
        .load = in->load,
        .offset = in->offset,
        .first = (uint32_t)r->code->operands.len,
        .block = block,
        .function = r->function,
        .line = LLVMGetDebugLocLine(value),
        .column = LLVMGetDebugLocColumn(value),
        .type = type_of(r, LLVMTypeOf(value)),
        .name = "",
    };
    inst.file = inst.line ? file_of(r, value) : f->file;
    if (!inst.line && inst.op == OP_STORE) inst.line = f->line; /* spills of parameters */
    if (inst.local == LOCAL_DYNAMIC)
        inst.offset = (uint32_t)LLVMABISizeOfType(r->data, LLVMGetAllocatedType(value));
    if (inst.op == OP_ALLOCA || is_field(value)) inst.name = name_of(r, value);
    read_operands(r, &inst, value);
    vec_push(&r->code->insts, inst);
}

/* ---- functions ---- */

static void read_params(CodeReader *r, Function *f, LLVMValueRef value) {
    f->first_param = (uint32_t)r->code->params.len;
    f->params = LLVMCountParams(value);
    unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5);
    for (unsigned i = 0; i < f->params; i++) {
        LLVMValueRef param = LLVMGetParam(value, i);
        Param p = { type_of(r, LLVMTypeOf(param)), name_of(r, param), 0 };
        if (layout_is_byval(value, i)) {
            LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(value, i + 1, byval);
            p.byval = (uint32_t)LLVMABISizeOfType(r->data, LLVMGetTypeAttributeValue(a));
        }
        vec_push(&r->code->params, p);
    }
}

static void read_blocks(CodeReader *r, Function *f) {
    Code *code = r->code;
    f->first_block = (uint32_t)code->blocks.len;
    f->blocks = (uint32_t)r->fn->blocks.len;
    for (uint32_t b = 0; b < f->blocks; b++) {
        Block block = { .function = r->function, .post = CODE_NONE };
        block.first = f->first + r->fn->first.at[b];
        block.count = r->fn->first.at[b + 1] - r->fn->first.at[b];
        block.successor = (uint32_t)code->successors.len;
        LLVMValueRef last = LLVMGetBasicBlockTerminator(r->fn->blocks.at[b]);
        block.successors = LLVMGetNumSuccessors(last);
        for (unsigned s = 0; s < block.successors; s++)
            vec_push(&code->successors,
                     f->first_block + layout_block(r->fn, LLVMGetSuccessor(last, s)));
        vec_push(&code->blocks, block);
    }
}

static void read_function(CodeReader *r, uint32_t number, LLVMValueRef value) {
    Code *code = r->code;
    FunctionLayout fn;
    layout_function(&r->layout, value, &fn);
    r->fn = &fn;
    r->function = number;
    LLVMMetadataRef program = LLVMGetSubprogram(value);
    Function f = {
        .name = name_of(r, value),
        .first = (uint32_t)code->insts.len,
        .count = (uint32_t)fn.insts.len,
        .slots = fn.slots,
        .frame_size = (uint32_t)fn.frame_size,
        .file = file_of_scope(r, program),
        .line = program ? LLVMDISubprogramGetLine(program) : 0,
        .known = true,
        .variadic = LLVMIsFunctionVarArg(LLVMGlobalGetValueType(value)),
    };
    address_of(r, value, &f.address);
    read_params(r, &f, value);
    read_blocks(r, &f);
    for (size_t i = 0; i < fn.insts.len; i++)
        read_inst(r, &fn.insts.at[i], f.first_block + fn.insts.at[i].block, &f);
    name_variables(r, &f, value);
    name_fields(code, &f);
    code->functions.at[number] = f;
    flow_post_dominators(code, number);
    layout_release(&fn);
}

static void read_place(CodeReader *r, Global *g, LLVMValueRef value) {
    size_t n;
    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(value, &n);
    for (size_t i = 0; i < n; i++) {
        LLVMMetadataRef e = LLVMValueMetadataEntriesGetMetadata(entries, (unsigned)i);
        if (LLVMGetMetadataKind(e) != LLVMDIGlobalVariableExpressionMetadataKind) continue;
        LLVMMetadataRef variable = LLVMDIGlobalVariableExpressionGetVariable(e);
        LLVMMetadataRef file = LLVMDIVariableGetFile(variable);
        g->line = LLVMDIVariableGetLine(variable);
        unsigned dir_len = 0, len = 0;
        if (!file) continue;
        const char *dir = LLVMDIFileGetDirectory(file, &dir_len),
                   *name = LLVMDIFileGetFilename(file, &len);
        g->file = file_number(r->code, dir ? dir : "", dir_len, name, len);
    }
    LLVMDisposeValueMetadataEntries(entries);
}

static void read_globals(CodeReader *r) {
    for (LLVMValueRef v = LLVMGetFirstGlobal(r->layout.module); v; v = LLVMGetNextGlobal(v)) {
        Global g = { .name = name_of(r, v) };
        if (!address_of(r, v, &g.address) || !LLVMTypeIsSized(LLVMGlobalGetValueType(v))) continue;
        g.size = (uint32_t)LLVMABISizeOfType(r->data, LLVMGlobalGetValueType(v));
        g.constant = LLVMIsGlobalConstant(v);
        LLVMValueRef initial = LLVMGetInitializer(v);
        if (initial && g.size) {
            uint8_t *bytes = arena_alloc(&r->code->arena, g.size),
                    *known = arena_alloc(&r->code->arena, g.size);
            constant_bytes(r, initial, bytes, known);
            g.initial = bytes;
            g.has_initial = known;
        }
        read_place(r, &g, v);
        vec_push(&r->code->globals, g);
    }
}

/* ---- modules ---- */

static bool read_module(CodeReader *r, const char *path, uint32_t functions,
                        const uint64_t *addresses, uint32_t count, Error *err) {
    if (r->layout.functions.len != functions || r->layout.addresses.len != count)
        return err_set(err, STATUS_BAD, "%s: is not the bitcode of the recording", path);
    /* Numbers continue where the previous module ended. */
    size_t known = r->code->functions.len, lost = r->base > known ? r->base - known : 0;
    if (lost > r->code->may_lack)
        return err_set(err, STATUS_BAD, "%s: functions without a place in the recording", path);
    r->code->may_lack -= lost;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t key = (uint64_t)(uintptr_t)r->layout.addresses.at[i];
        map_put(&r->addresses, map_key_u64(&key), addresses[i]);
    }
    Function none = { .name = "" };
    while (r->code->functions.len < r->base + functions) vec_push(&r->code->functions, none);
    for (uint32_t i = 0; i < functions; i++)
        read_function(r, r->base + i, r->layout.functions.at[i]);
    read_globals(r);
    return true;
}

/* The bitcode of a file; NULL and err when it cannot be read. */
static LLVMModuleRef open_module(LLVMContextRef context, const char *path, Error *err) {
    LLVMMemoryBufferRef buffer;
    char *message = NULL;
    if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message)) {
        err_set(err, STATUS_BAD, "%s: %s", path, message);
        LLVMDisposeMessage(message);
        return NULL;
    }
    LLVMModuleRef module = bitcode_parse(context, buffer);
    if (!module) err_set(err, STATUS_BAD, "%s: not LLVM bitcode", path);
    return module;
}

bool code_add_module(Code *code, const char *path, uint32_t base, uint32_t functions,
                     const uint64_t *addresses, uint32_t count, Error *err) {
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = open_module(context, path, err);
    if (!module) {
        LLVMContextDispose(context);
        return false;
    }
    LLVMSetIsNewDbgInfoFormat(module, 0); /* debug records as calls, which this API can walk */
    CodeReader r = { .code = code, .data = LLVMGetModuleDataLayout(module), .base = base };
    layout_module(module, &r.layout);
    bool ok = read_module(&r, path, functions, addresses, count, err);
    layout_module_release(&r.layout);
    map_release(&r.addresses);
    map_release(&r.enums);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return ok;
}

void code_init(Code *code, const char *root) {
    *code = (Code){ .control = flow_control_new() };
    code->root = root ? arena_strdup(&code->arena, root) : NULL;
    vec_push(&code->files, (Str){ "", 0 });
}

void code_release(Code *code) {
    flow_control_free(code->control);
    vec_release(&code->functions);
    vec_release(&code->blocks);
    vec_release(&code->insts);
    vec_release(&code->operands);
    vec_release(&code->successors);
    vec_release(&code->params);
    vec_release(&code->globals);
    vec_release(&code->wide);
    vec_release(&code->enumerators);
    vec_release(&code->enumerations);
    vec_release(&code->files);
    map_release(&code->file_index);
    arena_release(&code->arena);
}

static int by_address(const void *a, const void *b) {
    const Global *x = a, *y = b;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    return (x->initial == NULL) - (y->initial == NULL); /* the definition before declarations */
}

const Global *code_global(const Code *code, uint64_t address) {
    size_t low = 0, high = code->globals.len;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (code->globals.at[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    while (low > 0) {
        const Global *g = &code->globals.at[--low];
        if (address < g->address + g->size) return g;
        if (low == 0 || code->globals.at[low - 1].address != g->address) break;
    }
    return NULL;
}

void code_sort_globals(Code *code) {
    if (code->globals.len)
        qsort(code->globals.at, code->globals.len, sizeof *code->globals.at, by_address);
}

Str code_variable(const char *name) {
    Str s = str_from(name);
    if (str_ends(s, ".addr")) s.len -= 5;
    if (str_is(s, "retval") || str_starts(s, "tmp") || str_starts(s, "agg.") ||
        str_starts(s, "ref.tmp") || str_starts(s, "coerce") || str_starts(s, "byval-") ||
        str_starts(s, ".") || str_starts(s, "saved_stack"))
        return (Str){ "", 0 };
    return s;
}
