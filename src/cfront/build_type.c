/* Types and records. clang keeps one object per type, so its address is the key; typedefs and
 * other sugar are entered as further keys of the same CType. */
#include "cfront/build.h"

static Str type_key(const uint64_t *at) {
    return map_key_u64(at);
}

static CIntKind int_kind(enum CXTypeKind kind) {
    switch (kind) {
    case CXType_Bool: return CI_BOOL;
    case CXType_Char_U:
    case CXType_Char_S: return CI_CHAR;
    case CXType_SChar: return CI_SCHAR;
    case CXType_UChar: return CI_UCHAR;
    case CXType_Short: return CI_SHORT;
    case CXType_UShort:
    case CXType_Char16: return CI_USHORT;
    case CXType_Int:
    case CXType_WChar: return CI_INT;
    case CXType_UInt:
    case CXType_Char32: return CI_UINT;
    case CXType_Long: return CI_LONG;
    case CXType_ULong: return CI_ULONG;
    case CXType_LongLong: return CI_LLONG;
    case CXType_ULongLong: return CI_ULLONG;
    case CXType_Int128: return CI_INT128;
    case CXType_UInt128: return CI_UINT128;
    default: return CI_NONE;
    }
}

static void set_integer(CType *t, CIntKind kind) {
    t->int_kind = kind;
    t->is_signed = cint_is_signed(kind);
    t->width = kind == CI_BOOL ? 1 : (uint16_t)(t->size * 8);
}

static void set_function(Build *b, CType *t, CXType type) {
    t->kind = CT_FUNCTION;
    t->elem = build_type(b, clang_getResultType(type));
    t->nameable = t->elem->nameable;
    t->no_prototype = type.kind == CXType_FunctionNoProto;
    t->is_variadic = clang_isFunctionTypeVariadic(type) && !t->no_prototype;
    int n = t->no_prototype ? 0 : clang_getNumArgTypes(type);
    if (n <= 0) return;
    const CType **params = ARENA_ARRAY(b->arena, const CType *, n);
    for (int i = 0; i < n; i++) {
        params[i] = build_type(b, clang_getArgType(type, (unsigned)i));
        t->nameable = t->nameable && params[i]->nameable;
    }
    t->params = params;
    t->n_params = (uint32_t)n;
}

static void set_derived(Build *b, CType *t, CTypeKind kind, CXType elem, long long count) {
    t->kind = kind;
    t->elem = build_type(b, elem);
    t->count = count > 0 ? (uint64_t)count : 0;
    t->nameable = t->elem->nameable && kind != CT_VLA;
}

/* `struct s` is spelled like that; an untagged one by its typedef or as "(unnamed at ..)". */
static Str tag_of(Build *b, CXType type) {
    static const char *const words[] = { "struct ", "union ", "enum " };
    CXString s = clang_getTypeSpelling(clang_getUnqualifiedType(clang_getCanonicalType(type)));
    Str text = str_from(clang_getCString(s)), tag = STR("");
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (str_starts(text, words[i])) tag = str_sub(text, strlen(words[i]), text.len);
    if (str_find(tag, STR("("), 0) != STR_NONE) tag = STR("");
    tag = arena_str(b->arena, tag);
    clang_disposeString(s);
    return tag;
}

static void set_enum(Build *b, CType *t, CXType type) {
    CXCursor decl = clang_getTypeDeclaration(type);
    CXType under = clang_getCanonicalType(clang_getEnumDeclIntegerType(decl));
    t->kind = CT_ENUM;
    t->tag = tag_of(b, type);
    t->nameable = t->tag.len > 0;
    set_integer(t, int_kind(under.kind));
}

static CRecord *find_record(Build *b, CXCursor decl, bool *is_new);
static void complete_record(Build *b, CRecord *r, CXCursor decl);

/* The type knows its record before the fields are read: they may lead back to it. */
static void set_record(Build *b, CType *t, CXType type) {
    CXCursor decl = clang_getTypeDeclaration(type);
    bool is_new;
    CRecord *r = find_record(b, decl, &is_new);
    t->kind = CT_RECORD;
    t->record = r;
    if (!t->quals) r->type = t;
    if (is_new) complete_record(b, r, decl);
    t->nameable = r->tag.len > 0 || (r->type && r->type->alias);
    if (str_is(r->tag, "__va_list_tag")) t->nameable = false; /* clang's own, declared nowhere */
}

static void set_kind(Build *b, CType *t, CXType type) {
    switch (type.kind) {
    case CXType_Void: t->kind = CT_VOID; break;
    case CXType_Half:
    case CXType_Float16:
    case CXType_BFloat16:
    case CXType_Float:
    case CXType_Double:
    case CXType_LongDouble:
    case CXType_Float128:
        t->kind = CT_FLOAT;
        t->width = (uint16_t)(t->size * 8);
        break;
    case CXType_Complex: set_derived(b, t, CT_COMPLEX, clang_getElementType(type), 0); break;
    case CXType_Pointer: set_derived(b, t, CT_POINTER, clang_getPointeeType(type), 0); break;
    case CXType_ConstantArray:
        set_derived(b, t, CT_ARRAY, clang_getArrayElementType(type), clang_getArraySize(type));
        break;
    case CXType_IncompleteArray:
        set_derived(b, t, CT_OPEN, clang_getArrayElementType(type), 0);
        break;
    case CXType_VariableArray:
        set_derived(b, t, CT_VLA, clang_getArrayElementType(type), 0);
        t->is_complete = false;
        break;
    case CXType_Vector:
    case CXType_ExtVector:
        set_derived(b, t, CT_VECTOR, clang_getElementType(type), clang_getNumElements(type));
        t->nameable = false;
        break;
    case CXType_Record: set_record(b, t, type); break;
    case CXType_Enum: set_enum(b, t, type); break;
    case CXType_FunctionProto:
    case CXType_FunctionNoProto: set_function(b, t, type); break;
    default:
        if (int_kind(type.kind) == CI_NONE) {
            t->kind = CT_OTHER;
            t->nameable = false;
            break;
        }
        t->kind = type.kind == CXType_Bool ? CT_BOOL : CT_INT;
        set_integer(t, int_kind(type.kind));
    }
}

static uint8_t type_quals(CXType type) {
    return (uint8_t)((clang_isConstQualifiedType(type) ? CQ_CONST : 0) |
                     (clang_isVolatileQualifiedType(type) ? CQ_VOLATILE : 0) |
                     (clang_isRestrictQualifiedType(type) ? CQ_RESTRICT : 0));
}

/* Each type is spelled out: a few lines of typedefs can make one that fills all memory. */
static bool is_too_heavy(Build *b, CType *t) {
    uint64_t weight = 1 + (t->elem ? t->elem->weight : 0);
    for (uint32_t i = 0; i < t->n_params; i++) weight += t->params[i]->weight;
    t->weight = weight < UINT32_MAX ? (uint32_t)weight : UINT32_MAX;
    return weight > BUILD_MOST_WEIGHT || b->spelled > BUILD_MOST_SPELLED;
}

static void set_spelling(Build *b, CType *t, CXType type) {
    if (b->failed) return;
    if (is_too_heavy(b, t)) {
        err_set(b->err, STATUS_BAD, "%s: a type is too large", b->unit->name);
        b->failed = true;
        return;
    }
    CXString s = clang_getTypeSpelling(type);
    t->spelling = arena_str(b->arena, str_from(clang_getCString(s)));
    b->spelled += t->spelling.len;
    clang_disposeString(s);
}

/* clang crashes when asked for the size of its placeholders (the type of __builtin_abort). */
static bool has_size(CXType type) {
    switch (type.kind) {
    case CXType_Half:
    case CXType_Float16:
    case CXType_BFloat16:
    case CXType_Float:
    case CXType_Double:
    case CXType_LongDouble:
    case CXType_Float128:
    case CXType_Complex:
    case CXType_Pointer:
    case CXType_ConstantArray:
    case CXType_Vector:
    case CXType_ExtVector:
    case CXType_Record:
    case CXType_Enum:
    case CXType_Atomic: return true;
    default: return int_kind(type.kind) != CI_NONE;
    }
}

static CType *new_type(Build *b, CXType type, uint64_t key) {
    CType *t = ARENA_NEW(b->arena, CType);
    map_put_ptr(&b->types, type_key(&key), t);
    vec_push(&b->all_types, t);
    bool sized = has_size(type);
    long long size = sized ? clang_Type_getSizeOf(type) : -1;
    long long align = sized ? clang_Type_getAlignOf(type) : 0;
    t->is_complete = size >= 0;
    t->size = t->is_complete ? (uint64_t)size : 0;
    t->align = align > 0 ? (uint32_t)align : 0;
    t->quals = type_quals(type);
    t->nameable = true;
    t->bare = t;
    t->weight = 1; /* what a record's members see of it */
    if (type.kind == CXType_Atomic) {
        t->quals |= CQ_ATOMIC;
        set_kind(b, t, clang_getCanonicalType(clang_Type_getValueType(type)));
    } else {
        set_kind(b, t, type);
    }
    set_spelling(b, t, type);
    return t;
}

const CType *build_type(Build *b, CXType given) {
    uint64_t key = (uint64_t)(uintptr_t)given.data[0];
    CType *known = map_get_ptr(&b->types, type_key(&key));
    if (known) return known;
    CXType type = clang_getCanonicalType(given);
    uint64_t canonical = (uint64_t)(uintptr_t)type.data[0];
    CType *t = map_get_ptr(&b->types, type_key(&canonical));
    if (!t) {
        t = new_type(b, type, canonical);
        if (t->quals & CQ_ATOMIC)
            t->bare = build_type(b, clang_Type_getValueType(clang_getUnqualifiedType(type)))->bare;
        else if (t->quals)
            t->bare = build_type(b, clang_getUnqualifiedType(type));
    }
    if (key != canonical) map_put_ptr(&b->types, type_key(&key), t);
    return t;
}

/* ---- records ---- */
typedef struct FieldWalk {
    Build *b;
    CRecord *record;
    VEC(CXCursor) fields;
} FieldWalk;

static enum CXVisitorResult one_field(CXCursor field, CXClientData data) {
    FieldWalk *walk = data;
    vec_push(&walk->fields, field);
    return CXVisit_Continue;
}

static void fill_field(Build *b, CRecord *r, CField *f, CXCursor cursor, uint32_t index) {
    uint64_t key = (uint64_t)(uintptr_t)cursor.data[0];
    map_put_ptr(&b->fields, type_key(&key), f);
    f->name = build_name(b, cursor);
    f->record = r;
    f->index = index;
    f->bits = clang_Cursor_isBitField(cursor) ? clang_getFieldDeclBitWidth(cursor) : -1;
    long long offset = clang_Cursor_getOffsetOfField(cursor);
    f->offset = offset > 0 ? (uint64_t)offset : 0;
    f->type = build_type(b, clang_getCursorType(cursor));
    if (str_find(f->name, STR("("), 0) != STR_NONE) f->name = STR(""); /* "(anonymous at ..)" */
    f->is_anonymous = f->name.len == 0 && f->type->kind == CT_RECORD;
    if (!r->in_system) {
        f->range = build_range(b, cursor);
        uint32_t at = build_offset(clang_getCursorLocation(cursor));
        if (f->name.len) f->name_range = (CRange){ at, at + (uint32_t)f->name.len };
    }
}

static void fill_fields(Build *b, CRecord *r, CXCursor definition) {
    FieldWalk walk = { b, r, { 0 } };
    clang_Type_visitFields(clang_getCursorType(definition), one_field, &walk);
    CField *fields = ARENA_ARRAY(b->arena, CField, walk.fields.len + 1);
    r->fields = fields;
    r->n_fields = (uint32_t)walk.fields.len;
    for (uint32_t i = 0; i < r->n_fields; i++) fill_field(b, r, &fields[i], walk.fields.at[i], i);
    vec_release(&walk.fields);
}

/* What decl declares; new ones have no fields yet. */
static CRecord *find_record(Build *b, CXCursor decl, bool *is_new) {
    uint64_t key = (uint64_t)(uintptr_t)clang_getCanonicalCursor(decl).data[0];
    CRecord *r = map_get_ptr(&b->records, type_key(&key));
    *is_new = !r;
    if (r) return r;
    r = ARENA_NEW(b->arena, CRecord);
    map_put_ptr(&b->records, type_key(&key), r);
    vec_push(&b->all_records, r);
    CXCursor definition = clang_getCursorDefinition(decl);
    r->is_complete = !clang_Cursor_isNull(definition);
    if (!r->is_complete) definition = decl;
    r->is_union = clang_getCursorKind(definition) == CXCursor_UnionDecl;
    r->in_system = !build_in_text(definition);
    r->tag = tag_of(b, clang_getCursorType(definition));
    return r;
}

static void complete_record(Build *b, CRecord *r, CXCursor decl) {
    CXCursor definition = r->is_complete ? clang_getCursorDefinition(decl) : decl;
    r->type = build_type(b, clang_getCursorType(definition));
    if (!r->is_complete) return;
    if (!r->in_system) {
        r->range = build_range(b, definition);
        CTok t = lex_next(b->text, r->range.from, r->range.to);
        while (t.kind != CTK_END && !lex_is(b->text, t, "{"))
            t = lex_next(b->text, t.range.to, r->range.to);
        r->body = (CRange){ t.range.from, r->range.to };
    }
    fill_fields(b, r, definition);
}

CRecord *build_record(Build *b, CXCursor decl) {
    bool is_new;
    CRecord *r = find_record(b, decl, &is_new);
    if (is_new) complete_record(b, r, decl);
    return r;
}

/* ---- what follows from all fields: once every record has its own ---- */
static const CType *innermost(const CType *t) {
    while (t->kind == CT_ARRAY || t->kind == CT_OPEN) t = t->elem;
    return t;
}

static bool has_const_inside(const CType *t) {
    while (t->kind == CT_ARRAY || t->kind == CT_OPEN) {
        if (t->quals & CQ_CONST) return true;
        t = t->elem;
    }
    return (t->quals & CQ_CONST) || (t->kind == CT_RECORD && t->record->has_const);
}

/* Less aligned than its most aligned member, or with a member off its alignment. */
static bool looks_packed(const CRecord *r, uint32_t align) {
    for (uint32_t i = 0; i < r->n_fields; i++) {
        const CField *f = &r->fields[i];
        if (f->bits < 0 && f->type->align > 1 &&
            (f->type->align > align || f->offset % (8u * f->type->align) != 0))
            return true;
        if (f->type->kind == CT_RECORD && f->type->record->is_packed) return true;
    }
    return false;
}

/* Members come first: records never contain each other in a circle. */
static void settle_record(Map *settled, CRecord *r) {
    uint64_t key = (uint64_t)(uintptr_t)r;
    if (!map_put(settled, type_key(&key), 1)) return;
    for (uint32_t i = 0; i < r->n_fields; i++) {
        const CType *inner = innermost(r->fields[i].type);
        if (inner->kind == CT_RECORD) settle_record(settled, (CRecord *)inner->record);
        if (has_const_inside(r->fields[i].type)) r->has_const = true;
    }
    r->is_packed = looks_packed(r, r->type->align ? r->type->align : 1);
}

void build_settle_records(Build *b) {
    Map settled = { 0 };
    for (size_t i = 0; i < b->all_records.len; i++) settle_record(&settled, b->all_records.at[i]);
    map_release(&settled);
}

const CField *build_field(Build *b, CXCursor field) {
    uint64_t key = (uint64_t)(uintptr_t)field.data[0];
    const CField *f = map_get_ptr(&b->fields, type_key(&key));
    if (f) return f;
    build_record(b, clang_getCursorSemanticParent(field));
    return map_get_ptr(&b->fields, type_key(&key));
}
