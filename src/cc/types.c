/* Checks of effective types, put into a module: every load and store that clang gave a type reports
 * it to the runtime, copies carry the types along, and memory that dies forgets them. */
#include "cc/types.h"
#include "cc/bitcode.h"

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <llvm/Config/llvm-config.h>

extern const char types_image[] __attribute__((visibility("hidden")));
extern const char types_image_end[] __attribute__((visibility("hidden")));

/* clang writes its notes only when optimising; the program must not be able to tell. */
const char *const types_flags[] = { "-O1",
                                    "-U__OPTIMIZE__",
                                    "-D__NO_INLINE__=1",
                                    "-w",
                                    "-g1",
                                    "-Xclang",
                                    "-disable-llvm-passes",
                                    "-Xclang",
                                    "-pointer-tbaa",
                                    NULL };

unsigned types_clang(void) {
    return LLVM_VERSION_MAJOR;
}

Str types_runtime(void) {
    return (Str){ types_image, (size_t)(types_image_end - types_image) };
}

enum { MOST = 1024 }; /* different accesses in one program; the table has a byte for each two */

/* What one access is to alias analysis: a type at an offset in a base type (itself at 0). */
typedef struct Step {
    LLVMValueRef type;
    uint64_t offset; /* in it */
} Step;
typedef struct Access {
    LLVMValueRef base, type;
    uint64_t offset;
    uint32_t scalar; /* number of the access to the same type outside any structure: what copies
                        leave behind */
    Step *path;      /* from the base to the member, and on to what is compatible with every type */
    unsigned steps;
} Access;

typedef struct Types {
    Arena arena;
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMTargetDataRef layout;
    LLVMBuilderRef at;
    LLVMTypeRef i32, i64, ptr, nothing;
    unsigned kind, parts; /* metadata kinds: of accesses, and of structure copies */
    bool unsure;          /* there was an access without a type */
    Map numbers;          /* base, type and offset to the number of the access, from 1 */
    VEC(Access) accesses; /* by number - 1 */
} Types;

/* ---- LLVM's notes: {base type, access type, offset}; a type is {name, parent, 0} or {name,
 * member, offset, member, offset, ..} ---- */
static unsigned operands(LLVMValueRef node) {
    return LLVMGetMDNodeNumOperands(node);
}

static LLVMValueRef operand(LLVMValueRef node, unsigned i) {
    unsigned n = operands(node);
    LLVMValueRef few[16], *all = n > COUNT_OF(few) ? mem_alloc(n * sizeof *all) : few;
    if (i < n) LLVMGetMDNodeOperands(node, all);
    LLVMValueRef found = i < n ? all[i] : NULL;
    if (all != few) mem_free(all);
    return found;
}

static uint64_t offset_at(LLVMValueRef node, unsigned i) {
    LLVMValueRef v = operand(node, i);
    return v && LLVMIsAConstantInt(v) ? LLVMConstIntGetZExtValue(v) : 0;
}

static Str type_name(LLVMValueRef type) {
    LLVMValueRef name = type ? operand(type, 0) : NULL;
    unsigned n = 0;
    const char *text = name ? LLVMGetMDString(name, &n) : NULL;
    return (Str){ text ? text : "", text ? n : 0 };
}

/* void * is compatible with every pointer. */
static LLVMValueRef plain(LLVMValueRef type) {
    Str name = type ? type_name(type) : (Str){ 0 };
    return str_ends(name, " void") && name.len > 1 && name.at[0] == 'p' ? operand(type, 1) : type;
}

/* The member of a type at *offset, which becomes the offset in that; NULL at the root. */
static LLVMValueRef member_at(LLVMValueRef type, uint64_t *offset) {
    unsigned n = operands(type), k = 1;
    if (n < 2) return NULL;
    while (k + 3 < n && offset_at(type, k + 3) <= *offset) k += 2;
    uint64_t start = offset_at(type, k + 1);
    *offset = *offset >= start ? *offset - start : 0;
    return plain(operand(type, k));
}

enum { MOST_STEPS = 64 };

/* A scalar's only "member" is its parent type: the path leads on to char and the root. */
static void find_path(Types *t, Access *access) {
    Step steps[MOST_STEPS];
    LLVMValueRef type = access->base;
    uint64_t offset = access->offset;
    for (; type && access->steps < MOST_STEPS; type = member_at(type, &offset))
        steps[access->steps++] = (Step){ type, offset };
    access->path = arena_copy(&t->arena, steps, access->steps * sizeof *steps);
}

/* Is what `inner` touches a part of what leads to `outer`? */
static bool reaches(const Access *outer, const Access *inner) {
    for (unsigned i = 0; i < outer->steps; i++)
        if (outer->path[i].type == inner->base)
            return inner->base == inner->type || outer->path[i].offset == inner->offset;
    return false;
}

static bool may_alias(const Access *a, const Access *b) {
    return reaches(a, b) || reaches(b, a);
}

/* ---- numbers of accesses ---- */
static uint32_t number_of(Types *t, LLVMValueRef base, LLVMValueRef type, uint64_t offset) {
    uint64_t parts[3] = { (uint64_t)(uintptr_t)base, (uint64_t)(uintptr_t)type, offset }, known;
    Str key = { (const char *)parts, sizeof parts };
    if (map_get(&t->numbers, key, &known)) return (uint32_t)known;
    uint32_t scalar = base == type ? 0 : number_of(t, type, type, 0);
    if (t->accesses.len >= MOST) return scalar;
    uint32_t number = (uint32_t)t->accesses.len + 1;
    Access access = { .base = base, .type = type, .offset = offset };
    access.scalar = scalar ? scalar : number;
    find_path(t, &access);
    vec_push(&t->accesses, access);
    map_put(&t->numbers, key, number);
    return number;
}

static uint32_t access_by(Types *t, LLVMValueRef note) {
    LLVMValueRef base = note ? plain(operand(note, 0)) : NULL;
    LLVMValueRef type = note ? plain(operand(note, 1)) : NULL;
    t->unsure |= !base || !type || str_is(type_name(type), "any pointer");
    return base && type ? number_of(t, base, type, offset_at(note, 2)) : 0;
}

/* 0: no note */
static uint32_t access_of(Types *t, LLVMValueRef inst) {
    return access_by(t, LLVMGetMetadata(inst, t->kind));
}

/* "float", "int in struct S", "pointer to short" */
static void write_name(const Access *access, Buf *out) {
    Str type = type_name(access->type), base = type_name(access->base);
    if (str_starts(type, "p1 "))
        buf_fmt(out, "pointer to " STR_FMT, STR_ARG(str_sub(type, 3, type.len)));
    else
        buf_str(out, str_eq(type, STR("omnipotent char")) ? STR("char") : type);
    if (base.len && !str_eq(base, type)) buf_fmt(out, " in struct " STR_FMT, STR_ARG(base));
}

/* ---- calls ---- */
static void call(Types *t, const char *name, LLVMValueRef *args, unsigned n) {
    LLVMTypeRef params[4];
    for (unsigned i = 0; i < n; i++) params[i] = LLVMTypeOf(args[i]);
    LLVMTypeRef type = LLVMFunctionType(t->nothing, params, n, 0);
    LLVMValueRef f = LLVMGetNamedFunction(t->module, name);
    LLVMBuildCall2(t->at, type, f ? f : LLVMAddFunction(t->module, name, type), args, n, "");
}

static LLVMValueRef number(LLVMTypeRef type, uint64_t n) {
    return LLVMConstInt(type, n, 0);
}

/* Nobody else knows its address: every use is a load, a store to it, or its lifetime. */
static bool is_private(LLVMValueRef pointer) {
    if (!LLVMIsAAllocaInst(pointer)) return false;
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        bool loads = LLVMIsALoadInst(user) != NULL;
        bool stores = LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) != pointer;
        Str callee = { 0 };
        if (LLVMIsACallInst(user)) {
            size_t n = 0;
            const char *name = LLVMGetValueName2(LLVMGetCalledValue(user), &n);
            callee = (Str){ name, n };
        }
        if (!loads && !stores && !str_starts(callee, "llvm.lifetime.")) return false;
    }
    return true;
}

static void go_behind(Types *t, LLVMValueRef inst) {
    LLVMPositionBuilderBefore(t->at, LLVMGetNextInstruction(inst));
}

static void clear(Types *t, LLVMValueRef pointer, LLVMValueRef size) {
    call(t, "culprit_types_clear", (LLVMValueRef[]){ pointer, size }, 2);
}

static void say_access(Types *t, LLVMValueRef inst, bool store, LLVMValueRef pointer, uint64_t size,
                       uint32_t access) {
    LLVMValueRef args[] = { pointer, number(t->i64, size), number(t->i32, access),
                            number(t->i32, LLVMGetDebugLocLine(inst)) };
    call(t, store ? "culprit_types_store" : "culprit_types_load", args, 4);
}

static void check_access(Types *t, LLVMValueRef inst, bool store) {
    LLVMValueRef pointer = LLVMGetOperand(inst, store ? 1 : 0);
    LLVMTypeRef type = LLVMTypeOf(store ? LLVMGetOperand(inst, 0) : inst);
    uint64_t size = LLVMStoreSizeOfType(t->layout, type);
    if (is_private(pointer) || LLVMGetPointerAddressSpace(LLVMTypeOf(pointer))) return;
    uint32_t access = access_of(t, inst);
    LLVMPositionBuilderBefore(t->at, inst);
    if (store) go_behind(t, inst);
    if (access)
        say_access(t, inst, store, pointer, size, access);
    else if (store)
        clear(t, pointer, number(t->i64, size));
}

/* A structure is copied member by member: {offset, size, access, offset, size, access, ..}. */
static void check_parts(Types *t, LLVMValueRef inst, LLVMValueRef parts, bool store) {
    LLVMValueRef whole = LLVMGetOperand(inst, store ? 0 : 1);
    for (unsigned k = 0; k + 2 < operands(parts); k += 3) {
        LLVMValueRef offset = number(t->i64, offset_at(parts, k));
        LLVMValueRef at =
            LLVMBuildGEP2(t->at, LLVMInt8TypeInContext(t->context), whole, &offset, 1, "");
        uint32_t access = access_by(t, operand(parts, k + 2));
        if (access) say_access(t, inst, store, at, offset_at(parts, k + 1), access);
    }
}

static Str callee_name(LLVMValueRef inst) {
    LLVMValueRef callee = LLVMGetCalledValue(inst);
    size_t n = 0;
    if (!LLVMIsAFunction(callee) || !LLVMIsDeclaration(callee)) return STR("");
    const char *text = LLVMGetValueName2(callee, &n);
    return (Str){ text, n };
}

/* memcpy and the like, as intrinsics or as library calls. */
static void check_call(Types *t, LLVMValueRef inst) {
    Str name = callee_name(inst);
    bool copies = str_starts(name, "llvm.memcpy.") || str_starts(name, "llvm.memmove.") ||
                  str_is(name, "memcpy") || str_is(name, "memmove");
    bool sets = str_starts(name, "llvm.memset.") || str_is(name, "memset");
    if (!(copies || sets) || LLVMGetNumArgOperands(inst) < 3) return;
    LLVMValueRef parts = LLVMGetMetadata(inst, t->parts);
    LLVMPositionBuilderBefore(t->at, inst);
    if (copies && parts) check_parts(t, inst, parts, false);
    go_behind(t, inst);
    LLVMValueRef to = LLVMGetOperand(inst, 0), from = LLVMGetOperand(inst, 1);
    LLVMValueRef size = LLVMBuildZExtOrBitCast(t->at, LLVMGetOperand(inst, 2), t->i64, "");
    if (copies)
        call(t, "culprit_types_copy", (LLVMValueRef[]){ to, from, size }, 3);
    else
        clear(t, to, size);
    if (copies && parts) check_parts(t, inst, parts, true);
}

/* Replaces functions that free memory by the runtime's own: in calls, and where their address is
 * taken. */
static void replace(Types *t, const char *name, const char *ours) {
    LLVMValueRef f = LLVMGetNamedFunction(t->module, name);
    if (!f || !LLVMIsDeclaration(f)) return;
    LLVMTypeRef type = LLVMGlobalGetValueType(f);
    LLVMReplaceAllUsesWith(f, LLVMAddFunction(t->module, ours, type));
}

/* An object that lives in this call's frame, and its size. */
typedef struct Local {
    LLVMValueRef at;
    uint64_t size;
} Local;
typedef VEC(Local) Locals;

static void find_locals(Types *t, LLVMValueRef function, Locals *locals) {
    unsigned by_value = LLVMGetEnumAttributeKindForName("byval", 5);
    for (unsigned i = 0; i < LLVMCountParams(function); i++) {
        LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(function, i + 1, by_value);
        if (a)
            vec_push(locals, (Local){ LLVMGetParam(function, i),
                                      LLVMABISizeOfType(t->layout, LLVMGetTypeAttributeValue(a)) });
    }
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
    for (LLVMValueRef i = LLVMGetFirstInstruction(entry); i; i = LLVMGetNextInstruction(i))
        if (LLVMIsAAllocaInst(i) && LLVMIsAConstantInt(LLVMGetOperand(i, 0)) && !is_private(i))
            vec_push(locals, (Local){ i, LLVMABISizeOfType(t->layout, LLVMGetAllocatedType(i)) *
                                             LLVMConstIntGetZExtValue(LLVMGetOperand(i, 0)) });
}

static void clear_locals(Types *t, const Locals *locals) {
    for (size_t i = 0; i < locals->len; i++)
        clear(t, locals->at[i].at, number(t->i64, locals->at[i].size));
}

/* At the start, where a longjmp may have left something, and before each return. */
static void forget_locals(Types *t, LLVMValueRef function) {
    Locals locals = { 0 };
    find_locals(t, function, &locals);
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
    LLVMValueRef first = LLVMGetFirstInstruction(entry);
    while (LLVMIsAAllocaInst(first)) first = LLVMGetNextInstruction(first);
    LLVMPositionBuilderBefore(t->at, first);
    clear_locals(t, &locals);
    for (LLVMBasicBlockRef b = entry; b && locals.len; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        if (!end || !LLVMIsAReturnInst(end)) continue;
        LLVMPositionBuilderBefore(t->at, end);
        clear_locals(t, &locals);
    }
    vec_release(&locals);
}

/* An array whose size is only known at run time. */
static void forget_array(Types *t, LLVMValueRef array) {
    go_behind(t, array);
    LLVMValueRef count = LLVMBuildZExtOrBitCast(t->at, LLVMGetOperand(array, 0), t->i64, "");
    LLVMValueRef one = number(t->i64, LLVMABISizeOfType(t->layout, LLVMGetAllocatedType(array)));
    clear(t, array, LLVMBuildMul(t->at, count, one, ""));
}

static bool is_array(LLVMValueRef inst) {
    return LLVMIsAAllocaInst(inst) && !LLVMIsAConstantInt(LLVMGetOperand(inst, 0));
}

static void check_function(Types *t, LLVMValueRef function) {
    VEC(LLVMValueRef) insts = { 0 };
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i) || LLVMIsACallInst(i) || is_array(i))
                vec_push(&insts, i);
    forget_locals(t, function); /* first, because what is added below uses locals as well */
    for (size_t k = 0; k < insts.len; k++) {
        LLVMValueRef i = insts.at[k];
        if (LLVMIsACallInst(i))
            check_call(t, i);
        else if (is_array(i))
            forget_array(t, i);
        else
            check_access(t, i, LLVMIsAStoreInst(i) != NULL);
    }
    vec_release(&insts);
}

/* ---- the tables ---- */
static void add_global(Types *t, const char *name, LLVMValueRef value) {
    LLVMValueRef g = LLVMAddGlobal(t->module, LLVMTypeOf(value), name);
    LLVMSetInitializer(g, value);
    LLVMSetGlobalConstant(g, 1);
}

static bool has_union(LLVMTypeRef type) {
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMArrayTypeKind) return has_union(LLVMGetElementType(type));
    if (kind != LLVMStructTypeKind) return false;
    const char *name = LLVMGetStructName(type);
    if (name && str_starts(str_from(name), "union.")) return true;
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
        if (has_union(LLVMStructGetTypeAtIndex(type, i))) return true;
    return false;
}

/* The static objects that contain unions, and an empty entry at the end. */
static void add_unions(Types *t) {
    VEC(LLVMValueRef) ranges = { 0 };
    for (LLVMValueRef g = LLVMGetFirstGlobal(t->module); g; g = LLVMGetNextGlobal(g)) {
        LLVMTypeRef type = LLVMGlobalGetValueType(g);
        if (LLVMIsThreadLocal(g) || !has_union(type)) continue;
        LLVMValueRef both[] = { g, number(t->i64, LLVMABISizeOfType(t->layout, type)) };
        vec_push(&ranges, LLVMConstStructInContext(t->context, both, 2, 0));
    }
    LLVMValueRef none[] = { LLVMConstNull(t->ptr), number(t->i64, 0) };
    vec_push(&ranges, LLVMConstStructInContext(t->context, none, 2, 0));
    LLVMTypeRef one = LLVMTypeOf(ranges.at[0]);
    add_global(t, "culprit_types_unions", LLVMConstArray2(one, ranges.at, ranges.len));
    vec_release(&ranges);
}

static void add_tables(Types *t) {
    size_t n = t->accesses.len + 1;
    char *table = ARENA_ARRAY(&t->arena, char, n *n);
    LLVMValueRef *names = ARENA_ARRAY(&t->arena, LLVMValueRef, n);
    LLVMValueRef *scalars = ARENA_ARRAY(&t->arena, LLVMValueRef, n);
    Buf text = { 0 };
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++)
            table[i * n + k] =
                !i || !k || may_alias(&t->accesses.at[i - 1], &t->accesses.at[k - 1]);
        text.len = 0;
        if (i) write_name(&t->accesses.at[i - 1], &text);
        scalars[i] = number(t->i32, i ? t->accesses.at[i - 1].scalar : 0);
        LLVMValueRef string =
            LLVMConstStringInContext2(t->context, text.len ? text.at : "", text.len, 0);
        names[i] = LLVMAddGlobal(t->module, LLVMTypeOf(string), "");
        LLVMSetInitializer(names[i], string);
        LLVMSetLinkage(names[i], LLVMPrivateLinkage);
    }
    add_global(t, "culprit_types_count", number(t->i32, n));
    add_global(t, "culprit_types_may", LLVMConstStringInContext2(t->context, table, n * n, 1));
    add_global(t, "culprit_types_scalar", LLVMConstArray2(t->i32, scalars, n));
    add_global(t, "culprit_types_names", LLVMConstArray2(t->ptr, names, n));
    buf_release(&text);
}

static void instrument_module(LLVMModuleRef module, void *unsure) {
    LLVMContextRef c = LLVMGetModuleContext(module);
    Types t = { .context = c,
                .module = module,
                .layout = LLVMGetModuleDataLayout(module),
                .at = LLVMCreateBuilderInContext(c),
                .i32 = LLVMInt32TypeInContext(c),
                .i64 = LLVMInt64TypeInContext(c),
                .ptr = LLVMPointerTypeInContext(c, 0),
                .nothing = LLVMVoidTypeInContext(c),
                .kind = LLVMGetMDKindIDInContext(c, "tbaa", 4),
                .parts = LLVMGetMDKindIDInContext(c, "tbaa.struct", 11) };
    replace(&t, "free", "culprit_types_free");
    replace(&t, "malloc", "culprit_types_malloc");
    replace(&t, "calloc", "culprit_types_calloc");
    replace(&t, "realloc", "culprit_types_realloc");
    add_unions(&t);
    VEC(LLVMValueRef) functions = { 0 };
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f)) vec_push(&functions, f);
    for (size_t i = 0; i < functions.len; i++) check_function(&t, functions.at[i]);
    vec_release(&functions);
    add_tables(&t);
    LLVMStripModuleDebugInfo(module);
    LLVMDisposeBuilder(t.at);
    map_release(&t.numbers);
    vec_release(&t.accesses);
    arena_release(&t.arena);
    *(bool *)unsure |= t.unsure;
}

bool types_instrument(Str bitcode, Buf *out, bool *unsure) {
    return bitcode_change(bitcode, instrument_module, unsure, out);
}
