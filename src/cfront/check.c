/* Parsing for messages and symbols alone; see check.h. */
#include "cfront/check.h"
#include "cfront/lenient.h"

#include <clang-c/Index.h>

static const char *const lenient[] = { CFRONT_LENIENT, "-ferror-limit=64" };

typedef struct CheckTask {
    Arena *arena;
    const CheckUnit *unit;
    Checked *checked;
    Map known; /* name -> 1 + index in symbols */
} CheckTask;

static Str take_string(Arena *arena, CXString s) {
    const char *text = clang_getCString(s);
    Str copy = arena_str(arena, str_from(text));
    clang_disposeString(s);
    return copy;
}

static Str place_of(Arena *arena, CXSourceLocation at, unsigned *line, unsigned *column) {
    CXFile file;
    clang_getExpansionLocation(at, &file, line, column, NULL);
    return file ? take_string(arena, clang_getFileName(file)) : (Str){ "", 0 };
}

/* ---- messages ---- */

/* "previous definition is here" names nothing; "'f' declared here" says what a call is about. */
static void add_notes(CheckTask *task, CXDiagnostic d, CheckMessage *m, Buf *text) {
    CXDiagnosticSet notes = clang_getChildDiagnostics(d);
    for (unsigned i = 0; i < clang_getNumDiagnosticsInSet(notes); i++) {
        CXDiagnostic note = clang_getDiagnosticInSet(notes, i);
        Str said = take_string(task->arena, clang_getDiagnosticSpelling(note));
        if (!i)
            m->note_path =
                place_of(task->arena, clang_getDiagnosticLocation(note), &m->note_line, NULL);
        if (str_find(said, STR("'"), 0) != STR_NONE) buf_fmt(text, " (" STR_FMT ")", STR_ARG(said));
        clang_disposeDiagnostic(note);
    }
}

static void add_message(CheckTask *task, CXDiagnostic d) {
    CheckMessage m = { 0 };
    Buf text = { 0 };
    m.path = place_of(task->arena, clang_getDiagnosticLocation(d), &m.line, &m.column);
    buf_str(&text, take_string(task->arena, clang_getDiagnosticSpelling(d)));
    add_notes(task, d, &m, &text);
    m.text = arena_str(task->arena, buf_view(&text));
    buf_release(&text);
    vec_push(&task->checked->messages, m);
}

static void read_messages(CheckTask *task, CXTranslationUnit tu) {
    for (unsigned i = 0; i < clang_getNumDiagnostics(tu); i++) {
        CXDiagnostic d = clang_getDiagnostic(tu, i);
        if (clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error) add_message(task, d);
        clang_disposeDiagnostic(d);
    }
}

/* ---- symbols ---- */

static CheckSymbol *add_symbol(CheckTask *task, CXCursor cursor, CXCursor at, bool defined) {
    CXString spelling = clang_getCursorSpelling(cursor);
    Str name = str_from(clang_getCString(spelling));
    uint64_t *known = map_at(&task->known, name);
    if (!*known) {
        CheckSymbol s = { .name = arena_str(task->arena, name) };
        vec_push(&task->checked->symbols, s);
        *known = task->checked->symbols.len;
    }
    CheckSymbol *symbol = &task->checked->symbols.at[*known - 1];
    clang_disposeString(spelling);
    if (symbol->line && (symbol->defined || !defined)) return symbol;
    symbol->defined = defined;
    symbol->path = place_of(task->arena, clang_getCursorLocation(at), &symbol->line, NULL);
    return symbol;
}

/* A static function that is used and has no body is as undefined as any other. */
static bool lacks_body(CXCursor target) {
    return clang_getCursorKind(target) == CXCursor_FunctionDecl &&
           clang_getCursorLinkage(target) == CXLinkage_Internal &&
           clang_Cursor_isNull(clang_getCursorDefinition(target));
}

static void add_use(CheckTask *task, CXCursor use) {
    CXCursor target = clang_getCursorReferenced(use);
    enum CXCursorKind kind = clang_getCursorKind(target);
    if (kind != CXCursor_FunctionDecl && kind != CXCursor_VarDecl) return;
    if (clang_getCursorLinkage(target) != CXLinkage_External && !lacks_body(target)) return;
    if (clang_Location_isInSystemHeader(clang_getCursorLocation(target))) return;
    add_symbol(task, target, use, false);
}

static enum CXChildVisitResult visit_inside(CXCursor cursor, CXCursor parent, CXClientData user) {
    (void)parent;
    if (clang_getCursorKind(cursor) == CXCursor_DeclRefExpr) add_use(user, cursor);
    return CXChildVisit_Recurse;
}

/* A variable without extern is defined, whether it has a value or not; inline without static
 * defines nothing that a linker sees. */
static bool defines(CXCursor cursor, enum CXCursorKind kind) {
    if (kind == CXCursor_FunctionDecl)
        return clang_isCursorDefinition(cursor) &&
               (!clang_Cursor_isFunctionInlined(cursor) ||
                clang_getCursorLinkage(cursor) == CXLinkage_Internal);
    return clang_Cursor_getStorageClass(cursor) != CX_SC_Extern || clang_isCursorDefinition(cursor);
}

static enum CXChildVisitResult visit_top(CXCursor cursor, CXCursor parent, CXClientData user) {
    (void)parent;
    CheckTask *task = user;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind != CXCursor_FunctionDecl && kind != CXCursor_VarDecl) return CXChildVisit_Continue;
    if (clang_Location_isInSystemHeader(clang_getCursorLocation(cursor)))
        return CXChildVisit_Continue;
    enum CXLinkageKind linkage = clang_getCursorLinkage(cursor);
    bool local = linkage == CXLinkage_Internal && kind == CXCursor_FunctionDecl;
    if ((linkage == CXLinkage_External || local) && defines(cursor, kind))
        add_symbol(task, cursor, cursor, true)->local = local;
    clang_visitChildren(cursor, visit_inside, task);
    return CXChildVisit_Continue;
}

/* ---- files ---- */

static void add_file(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData user) {
    CheckTask *task = user;
    if (depth && clang_Location_isInSystemHeader(stack[0])) return;
    vec_push(&task->checked->files, take_string(task->arena, clang_getFileName(file)));
}

/* ---- the whole ---- */

static CXTranslationUnit parse(const CheckTask *task, CXIndex index) {
    const CheckUnit *unit = task->unit;
    Arena scratch = { 0 };
    VEC(const char *) args = { 0 };
    for (const char *const *a = unit->args; *a; a++) vec_push(&args, *a);
    for (size_t i = 0; i < COUNT_OF(lenient); i++) vec_push(&args, lenient[i]);
    vec_push(&args, arena_fmt(&scratch, "-working-directory=%s", unit->dir));
    struct CXUnsavedFile *files = ARENA_ARRAY(&scratch, struct CXUnsavedFile, unit->n_texts + 1);
    for (size_t i = 0; i < unit->n_texts; i++)
        files[i] = (struct CXUnsavedFile){ unit->texts[i].path, unit->texts[i].text.at,
                                           unit->texts[i].text.len };
    CXTranslationUnit tu = NULL;
    clang_toggleCrashRecovery(1);
    enum CXErrorCode code =
        clang_parseTranslationUnit2(index, unit->source, args.at, (int)args.len, files,
                                    (unsigned)unit->n_texts, CXTranslationUnit_KeepGoing, &tu);
    clang_toggleCrashRecovery(0);
    if (code != CXError_Success) tu = NULL;
    vec_release(&args);
    arena_release(&scratch);
    return tu;
}

void cfront_check(Arena *arena, const CheckUnit *unit, Checked *checked) {
    *checked = (Checked){ 0 };
    CheckTask task = { arena, unit, checked, { 0 } };
    CXIndex index = clang_createIndex(0, 0);
    CXTranslationUnit tu = parse(&task, index);
    checked->unknown = !tu;
    if (tu) {
        read_messages(&task, tu);
        clang_getInclusions(tu, add_file, &task);
        if (!checked->messages.len)
            clang_visitChildren(clang_getTranslationUnitCursor(tu), visit_top, &task);
        clang_disposeTranslationUnit(tu);
    }
    map_release(&task.known);
    clang_disposeIndex(index);
}

void checked_release(Checked *checked) {
    vec_release(&checked->messages);
    vec_release(&checked->symbols);
    vec_release(&checked->files);
}
