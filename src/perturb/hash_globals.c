/* A function is added at the end of the program. It runs when main has returned (a destructor: main
 * itself stays as it is) and prints one number made from all integers and arrays of integers at
 * file scope. The C library's headers define attributes away where they do not know the compiler,
 * even if it knows them. */
#include "perturb/hash_globals.h"
#include "cfront/cfront.h"

/* prefix of the names it adds */
#define HASH_HELPER "culprit_hash"

static bool is_integer(const CType *type) {
    return type->kind == CT_INT || type->kind == CT_BOOL || type->kind == CT_ENUM;
}

/* Depth of an array of integers (0: an integer), or -1. */
static int depth_of(const CType *type) {
    int depth = 0;
    while (type->kind == CT_ARRAY && depth < 4) {
        type = type->elem;
        depth++;
    }
    return is_integer(type) ? depth : -1;
}

static void add_global(Buf *out, const CDecl *decl) {
    int depth = depth_of(decl->type);
    const CType *type = decl->type;
    for (int d = 0; d < depth; d++, type = type->elem)
        buf_fmt(out, "for (unsigned long i%d = 0; i%d < %lluul; i%d++) ", d, d,
                (unsigned long long)type->count, d);
    buf_fmt(out, "h = h * 31 + (unsigned long)" STR_FMT, STR_ARG(decl->name));
    for (int d = 0; d < depth; d++) buf_fmt(out, "[i%d]", d);
    buf_text(out, ";\n");
}

bool hash_globals(Str text, const char *const *args, Buf *out) {
    Arena arena = { 0 };
    CfrontOptions opts = { .args = args };
    const CUnit *unit = cfront_parse(&arena, text, &opts, NULL);
    size_t n = 0;
    if (unit && unit->main) {
        size_t before = out->len;
        buf_str(out, text);
        buf_text(out, "\n#undef __attribute__\n"
                      "extern int printf(const char *, ...);\n"
                      "static void __attribute__((destructor)) " HASH_HELPER
                      "(void) {\nunsigned long h = 0;\n");
        for (uint32_t i = 0; i < unit->n_globals; i++) {
            const CDecl *decl = unit->globals[i];
            if (decl->first != decl || decl->flags & (CD_SYSTEM | CD_THREAD) || !decl->name.len)
                continue;
            if (depth_of(decl->type) < 0 || decl->type->kind == CT_OPEN) continue;
            if (decl->flags & CD_EXTERN && !decl->init) continue;
            add_global(out, decl);
            n++;
        }
        buf_text(out, "printf(\"%lx\\n\", h);\n}\n");
        if (!n) out->len = before;
    }
    arena_release(&arena);
    return n > 0;
}
