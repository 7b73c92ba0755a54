/* Enumerators; see enums.h. LLVM's C API gives the operands of a node, but not the value of an
 * enumerator, which is not an operand: that is read from the node as LLVM prints it. */
#include "trace/enums.h"

#include <llvm-c/DebugInfo.h>

enum { DERIVED_BASE = 3, COMPOSITE_ELEMENTS = 4, MOST_OPERANDS = 16, MOST_LINKS = 8 };

static LLVMValueRef operand(LLVMValueRef node, unsigned i) {
    LLVMValueRef all[MOST_OPERANDS];
    unsigned n = LLVMGetMDNodeNumOperands(node);
    if (i >= n || n > MOST_OPERANDS) return NULL;
    LLVMGetMDNodeOperands(node, all);
    return all[i];
}

/* `.. = !DIEnumerator(name: "RED", value: -3)` */
static bool parse(Str text, Str *name, uint64_t *value) {
    size_t from = str_find(text, STR("!DIEnumerator(name: \""), 0);
    if (from == STR_NONE) return false;
    from += strlen("!DIEnumerator(name: \"");
    size_t quote = str_find(text, STR("\""), from);
    size_t number = str_find(text, STR("value: "), from);
    if (quote == STR_NONE || number == STR_NONE) return false;
    *name = str_sub(text, from, quote);
    *value = (uint64_t)strtoll(text.at + number + strlen("value: "), NULL, 10);
    return true;
}

/* False: the node is not an enumerator but a member of a structure. */
static bool add_enumerator(Code *code, LLVMValueRef node) {
    Str name;
    uint64_t value;
    char *text = LLVMPrintValueToString(node);
    bool ok = parse(str_from(text), &name, &value);
    if (ok) vec_push(&code->enumerators, ((Enumerator){ arena_cstr(&code->arena, name), value }));
    LLVMDisposeMessage(text);
    return ok;
}

static uint64_t read_elements(Code *code, LLVMValueRef type) {
    LLVMValueRef list = operand(type, COMPOSITE_ELEMENTS);
    Enumeration e = { .first = (uint32_t)code->enumerators.len };
    if (!list) return 0;
    unsigned n = LLVMGetMDNodeNumOperands(list);
    LLVMValueRef *all = mem_alloc((n + 1) * sizeof(LLVMValueRef));
    LLVMGetMDNodeOperands(list, all);
    for (unsigned i = 0; i < n && all[i] && add_enumerator(code, all[i]);) i++;
    mem_free(all);
    e.count = (uint32_t)code->enumerators.len - e.first;
    if (!e.count) return 0;
    vec_push(&code->enumerations, e);
    return code->enumerations.len;
}

uint64_t enums_read(Code *code, Map *known, LLVMValueRef type) {
    for (unsigned links = 0; type && links < MOST_LINKS; links++) {
        LLVMMetadataRef node = LLVMValueAsMetadata(type);
        uint64_t key = (uint64_t)(uintptr_t)node;
        LLVMMetadataKind kind = LLVMGetMetadataKind(node);
        if (kind == LLVMDICompositeTypeMetadataKind) {
            uint64_t *seen = map_at(known, map_key_u64(&key));
            if (!*seen) *seen = 1 + read_elements(code, type);
            return *seen - 1;
        }
        if (kind != LLVMDIDerivedTypeMetadataKind) return 0;
        /* A pointer's values are not those of what it points at. */
        if (LLVMDITypeGetSizeInBits(node)) return 0;
        type = operand(type, DERIVED_BASE);
    }
    return 0;
}

Str enums_name(const Code *code, uint64_t which, uint64_t value, unsigned bits) {
    if (!which) return (Str){ "", 0 };
    const Enumeration *e = &code->enumerations.at[which - 1];
    uint64_t mask = bits < 64 ? (1ull << bits) - 1 : ~0ull;
    for (uint32_t i = e->first; i < e->first + e->count; i++)
        if ((code->enumerators.at[i].value & mask) == (value & mask))
            return str_from(code->enumerators.at[i].name);
    return (Str){ "", 0 };
}
