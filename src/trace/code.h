/* The code of a traced program as tables: functions, blocks, instructions and their operands, read
 * from the bitcode that culprit-cc saved. LLVM stays hidden behind this header.
 *
 * Numbers are the process's own: functions are numbered as the recording numbers them, constants
 * that hold addresses are resolved with the addresses the recording announced. So a Code belongs to
 * one trace. All tables grow while modules are announced (dlopen) and are never changed afterwards.
 */
#ifndef CULPRIT_TRACE_CODE_H
#define CULPRIT_TRACE_CODE_H

#include "base/base.h"
#include "trace/libc.h"

typedef enum TypeKind {
    TYPE_NONE,
    TYPE_INT,
    TYPE_POINTER,
    TYPE_FLOAT,
    TYPE_DOUBLE,
    TYPE_LONG_DOUBLE,
    TYPE_WIDE
} TypeKind;

typedef struct Type {
    uint8_t kind;  /* TypeKind; integers over 64 bits are TYPE_WIDE with their bits */
    uint16_t bits; /* integers; 64 for pointers */
    uint32_t size; /* bytes in memory */
} Type;

static inline bool type_is_wide(Type t) {
    return t.kind == TYPE_WIDE || t.kind == TYPE_LONG_DOUBLE;
}

typedef enum Op {
    OP_ALLOCA,
    OP_LOAD,
    OP_STORE,
    OP_GEP,
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_UDIV,
    OP_SDIV,
    OP_UREM,
    OP_SREM,
    OP_SHL,
    OP_LSHR,
    OP_ASHR,
    OP_AND,
    OP_OR,
    OP_XOR,
    OP_FADD,
    OP_FSUB,
    OP_FMUL,
    OP_FDIV,
    OP_FREM,
    OP_FNEG,
    OP_TRUNC,
    OP_ZEXT,
    OP_SEXT,
    OP_FPTOUI,
    OP_FPTOSI,
    OP_UITOFP,
    OP_SITOFP,
    OP_FPTRUNC,
    OP_FPEXT,
    OP_MOVE,
    OP_ICMP,
    OP_FCMP,
    OP_PHI,
    OP_SELECT,
    OP_EXTRACT,
    OP_INSERT,
    OP_CALL,
    OP_RET,
    OP_BR,
    OP_CONDBR,
    OP_SWITCH,
    OP_INDIRECT,
    OP_UNREACHABLE,
    OP_ATOMIC,
    OP_FENCE,
    OP_RECORDED,
} Op;

/* Two integers (of any width) to one. */
static inline bool code_is_integer_op(Op op) {
    return op >= OP_ADD && op <= OP_XOR;
}

typedef enum Compare {
    CMP_EQ,
    CMP_NE,
    CMP_UGT,
    CMP_UGE,
    CMP_ULT,
    CMP_ULE,
    CMP_SGT,
    CMP_SGE,
    CMP_SLT,
    CMP_SLE
} Compare;

/* Intrinsics that are computed (CALL_PURE). */
typedef enum Pure {
    PURE_POPCOUNT,
    PURE_CLZ,
    PURE_CTZ,
    PURE_BSWAP,
    PURE_ABS,
    PURE_SMAX,
    PURE_SMIN,
    PURE_UMAX,
    PURE_UMIN,
    PURE_FABS,
    PURE_SAME,
    PURE_FSHL,
    PURE_FSHR,
    PURE_SADD,
    PURE_UADD,
    PURE_SSUB,
    PURE_USUB,
    PURE_SMUL,
    PURE_UMUL,
    PURE_FALSE,
    PURE_BITREVERSE,
} Pure;

typedef enum OperandKind {
    OPERAND_CONST, /* bits, or (wide) an offset in Code.wide */
    OPERAND_INST,  /* index: instruction of the same function, counted from its first */
    OPERAND_PARAM, /* index */
    OPERAND_BLOCK, /* index: block of the same function */
} OperandKind;

typedef struct Operand {
    uint8_t kind; /* OperandKind */
    Type type;
    uint32_t index;
    uint64_t bits; /* constants; of OP_GEP's indexes: bytes per step; of OP_SWITCH's blocks: the
                      case's value */
} Operand;

typedef struct Inst {
    uint8_t op; /* Op */
    uint8_t
        sub; /* Compare or LLVM's fcmp predicate, Pure; OP_ATOMIC: LLVM's operation, 255: cmpxchg */
    uint8_t local;     /* LocalKind of an alloca */
    uint8_t call;      /* CallKind of a call */
    bool checked;      /* load or store through the shadow */
    uint16_t load;     /* checked loads: index in the block */
    uint16_t operands; /* how many */
    uint32_t first;    /* of them, in Code.operands. Calls: arguments, then the callee */
    uint32_t offset;   /* allocas: slot number, offset in the frame or (LOCAL_DYNAMIC) bytes of an
                          element; extract and insert: byte offset */
    uint32_t block;    /* number in Code.blocks */
    uint32_t function; /* number in Code.functions */
    uint32_t line;     /* 0: none */
    uint32_t column, file;
    Type type;        /* of the result */
    uint64_t add;     /* OP_GEP: constant part; OP_ALLOCA: 1 + number of its Enumeration, 0: none */
    const char *name; /* of a local, of a field whose address it is, of the callee of a direct call;
                         "" when it has none */
    const LibcFunction *libc; /* a call of a function by a name of the C library; NULL: not known */
} Inst;

typedef struct Block {
    uint32_t function;     /* number in Code.functions */
    uint32_t first, count; /* instructions */
    uint32_t post; /* immediate post-dominator (number in Code.blocks), CODE_NONE: the exit */
    uint32_t successor, successors; /* in Code.successors: numbers in Code.blocks */
} Block;
#define CODE_NONE 0xffffffffu

typedef struct Function {
    const char *name;
    uint32_t first, count; /* instructions */
    uint32_t first_block, blocks;
    uint32_t slots, frame_size;
    uint32_t params, first_param; /* in Code.params */
    uint32_t file, line;          /* of the definition */
    bool known;                   /* its module was announced and read */
    bool variadic;
    uint64_t address; /* where it was loaded */
} Function;

typedef struct Param {
    Type type;
    const char *name;
    uint32_t byval; /* bytes of the copy it points to; 0: an ordinary one */
} Param;

typedef struct Global {
    const char *name;
    uint64_t address;
    uint32_t size;
    const uint8_t *initial;     /* size bytes; NULL: declared elsewhere */
    const uint8_t *has_initial; /* per byte: whether initial is known */
    uint32_t file, line;
    bool constant;
} Global;

typedef struct FlowControl FlowControl; /* flow.h */

typedef struct Enumerator {
    const char *name;
    uint64_t value;
} Enumerator;

typedef struct Enumeration {
    uint32_t first, count; /* in Code.enumerators */
} Enumeration;

typedef struct Code {
    Arena arena;
    FlowControl *control;    /* who decides whether a block runs: made on demand */
    VEC(Function) functions; /* index: number in the recording */
    size_t may_lack;         /* numbers that modules not in the recording may still have taken */
    VEC(Block) blocks;
    VEC(Inst) insts;
    VEC(Operand) operands;
    VEC(uint32_t) successors;
    VEC(Param) params;
    VEC(Global) globals; /* sorted by address after code_finish */
    VEC(uint8_t) wide;   /* bytes of wide constants */
    VEC(Enumerator) enumerators;
    VEC(Enumeration) enumerations; /* see enums.h */
    StrVec files;                  /* 0: "" */
    Map file_index;
    const char *root; /* prefix taken off file names; NULL: none */
} Code;

void code_init(Code *code, const char *root);
/* Reads one module. base: number of its first function; addresses as announced. */
bool code_add_module(Code *code, const char *path, uint32_t base, uint32_t functions,
                     const uint64_t *addresses, uint32_t count, Error *err);
void code_release(Code *code);
/* Call when the last module was added, before code_global. */
void code_sort_globals(Code *code);
/* The global that holds this address, or NULL. */
const Global *code_global(const Code *code, uint64_t address);
/* Instruction number d of the function of inst. */
static inline const Operand *code_operand(const Code *code, const Inst *inst, unsigned i) {
    return &code->operands.at[inst->first + i];
}
/* What the user calls an alloca or a parameter: "x.addr" -> "x"; "" for temporaries. */
Str code_variable(const char *name);

#endif
