/* From text to model. libclang is run on a thread with a large stack (its parser and ours recurse
 * with the nesting of the text), from memory, and its memory is gone before we return. Its crash
 * recovery is on while it parses: if clang crashes on foreign text, that is an error message. */
#include "cfront/build.h"
#include "cfront/lenient.h"

#include <pthread.h>
#include <stdlib.h>

enum { STACK_BYTES = 512 << 20 };

typedef struct ParseTask {
    Arena *arena;
    Str text;
    const CfrontOptions *opts;
    Error *err;
    CUnit *unit; /* the result, NULL on failure */
} ParseTask;

static const char *const base_args[] = { "-x", "c", "-std=gnu17", CFRONT_LENIENT,
                                         "-ferror-limit=1" };

static const char *task_name(const ParseTask *task) {
    return task->opts && task->opts->name ? task->opts->name : "input.c";
}

/* clang's first error; false when there is none. */
static bool first_error(const ParseTask *task, CXTranslationUnit tu) {
    unsigned n = clang_getNumDiagnostics(tu);
    bool found = false;
    for (unsigned i = 0; i < n && !found; i++) {
        CXDiagnostic d = clang_getDiagnostic(tu, i);
        if (clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error) {
            unsigned line = 0, column = 0;
            clang_getExpansionLocation(clang_getDiagnosticLocation(d), NULL, &line, &column, NULL);
            CXString text = clang_getDiagnosticSpelling(d);
            err_set(task->err, STATUS_BAD, "%s:%u:%u: %s", task_name(task), line, column,
                    clang_getCString(text));
            clang_disposeString(text);
            found = true;
        }
        clang_disposeDiagnostic(d);
    }
    return found;
}

static void release_build(Build *b) {
    map_release(&b->types);
    map_release(&b->decls);
    map_release(&b->records);
    map_release(&b->fields);
    map_release(&b->tags);
    vec_release(&b->kids);
    vec_release(&b->macros);
    vec_release(&b->all_functions);
    vec_release(&b->all_globals);
    vec_release(&b->all_decls);
    vec_release(&b->all_groups);
    vec_release(&b->all_records);
    vec_release(&b->all_stmts);
    vec_release(&b->all_exprs);
    vec_release(&b->all_types);
    vec_release(&b->scope_decls);
    vec_release(&b->locals);
}

static void build_model(ParseTask *task, CXTranslationUnit tu, Str text) {
    Build b = { .arena = task->arena, .tu = tu, .text = text, .err = task->err };
    b.unit = ARENA_NEW(task->arena, CUnit);
    b.unit->text = text;
    b.unit->name = arena_strdup(task->arena, task_name(task));
    build_unit(&b);
    if (!b.failed) task->unit = b.unit;
    release_build(&b);
}

static void parse_in(ParseTask *task, CXIndex index) {
    VEC(const char *) args = { 0 };
    for (size_t i = 0; i < COUNT_OF(base_args); i++) vec_push(&args, base_args[i]);
    for (const char *const *a = task->opts ? task->opts->args : NULL; a && *a; a++)
        vec_push(&args, *a);
    Str text = arena_str(task->arena, task->text);
    struct CXUnsavedFile file = { task_name(task), text.at, text.len };
    /* Where macros (also predefined ones, such as __INT_MAX__) are expanded is part of the model.
     */
    unsigned options = CXTranslationUnit_DetailedPreprocessingRecord;
    CXTranslationUnit tu = NULL;
    clang_toggleCrashRecovery(1);
    enum CXErrorCode code = clang_parseTranslationUnit2(index, file.Filename, args.at,
                                                        (int)args.len, &file, 1, options, &tu);
    clang_toggleCrashRecovery(0); /* from here on a crash would be our own */
    if (code == CXError_Crashed)
        err_set(task->err, STATUS_BAD, "%s: clang crashed while reading this file",
                task_name(task));
    else if (code != CXError_Success)
        err_set(task->err, STATUS_BAD, "%s: clang refuses to read this file", task_name(task));
    else if (!first_error(task, tu))
        build_model(task, tu, text);
    if (tu) clang_disposeTranslationUnit(tu);
    vec_release(&args);
}

static void *parse_thread(void *at) {
    ParseTask *task = at;
    CXIndex index = clang_createIndex(0, 0);
    parse_in(task, index);
    clang_disposeIndex(index);
    return NULL;
}

/* libclang would parse on a thread of its own with a small stack. */
static void use_our_thread(void) {
    setenv("LIBCLANG_NOTHREADS", "1", 1);
}

/* ---- text that is nested too deeply ---- */
/* clang recurses with the nesting of what it reads, and overflows its stack or takes minutes on
 * text that nobody would write by hand; the tokens tell beforehand. The measure is a stretch: the
 * tokens on the way into what is open here. A closed bracket, a list element and a finished
 * statement give theirs back; commas are counted, since each may nest an expression. */
typedef struct ParseLevel {
    char kind;        /* '(' '[' '{'; 'c': parentheses that call nothing; '=': braces of a list */
    uint32_t stretch; /* where it was opened */
    uint32_t commas;  /* around it */
} ParseLevel;

typedef struct Nesting {
    ParseLevel levels[BUILD_MOST_BRACKETS + 1]; /* what is open; the first is the file */
    uint32_t open, stretch, commas, elses, same;
    char before;     /* the token before, if it is one character of punctuation */
    bool callable;   /* the token before may be called, or be the keyword of a statement */
    bool literal;    /* braces after these parentheses are a compound literal's */
    bool enumerates; /* after enum and its tag */
} Nesting;

static bool open_level(Nesting *n, char c) {
    bool list = c == '{' && (n->before == '=' || n->levels[n->open].kind == '=' ||
                             (n->before == ')' && n->literal) || n->enumerates);
    char kind = list ? '=' : c == '(' && !n->callable ? 'c' : c;
    if (n->open == BUILD_MOST_BRACKETS) return false;
    n->levels[++n->open] = (ParseLevel){ kind, n->stretch, n->commas };
    n->commas = 0;
    return true;
}

static void close_level(Nesting *n) {
    if (n->open == 0) return;
    ParseLevel closed = n->levels[n->open--];
    const ParseLevel *around = &n->levels[n->open];
    bool ends = closed.kind == '{' && around->kind == '{'; /* a statement, or what had a body */
    n->stretch = ends ? around->stretch : closed.stretch + 2;
    n->commas = ends ? 0 : closed.commas;
    n->literal = closed.kind == 'c';
    if (n->open == 0 && ends) n->elses = 0;
}

static void divide(Nesting *n, char c) {
    const ParseLevel *around = &n->levels[n->open];
    if (c == ';' && around->kind != '{') return; /* of a for */
    n->stretch = around->stretch;
    if (c == ';') n->commas = 0;
    if (c == ',' && around->kind != '=') n->commas++;
}

static bool is_callable(Str text, CTok t, char c) {
    if (c == ')' || c == ']') return true;
    return t.kind == CTK_IDENT && !lex_is(text, t, "return") && !lex_is(text, t, "sizeof");
}

/* One token further; false: too deep. */
static bool pass_token(Nesting *n, Str text, CTok t) {
    char c = t.kind == CTK_PUNCT && t.range.to == t.range.from + 1 ? text.at[t.range.from] : 0;
    bool good = true;
    n->stretch++;
    n->same = c && c == n->before ? n->same + 1 : 0; /* pointers to pointers to .. */
    if (c == '(' || c == '[' || c == '{') good = open_level(n, c);
    if (c == ')' || c == ']' || c == '}') close_level(n);
    if (c == ';' || c == ',') divide(n, c);
    if (lex_is(text, t, "else")) n->elses++;
    n->enumerates = lex_is(text, t, "enum") || (n->enumerates && (t.kind == CTK_IDENT || c == ':'));
    n->callable = is_callable(text, t, c);
    n->before = c;
    return good && n->same <= BUILD_MOST_SAME && n->stretch <= BUILD_MOST_STRETCH &&
           n->commas <= BUILD_MOST_COMMAS && n->elses <= BUILD_MOST_ELSE;
}

static bool is_too_deep(Str text) {
    Nesting n = { .levels = { { .kind = '{' } } };
    uint32_t to = (uint32_t)text.len;
    for (CTok t = lex_next(text, 0, to); t.kind != CTK_END; t = lex_next(text, t.range.to, to))
        if (t.kind != CTK_DIRECTIVE && !pass_token(&n, text, t)) return true;
    return false;
}

CUnit *cfront_parse(Arena *arena, Str text, const CfrontOptions *opts, Error *err) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, use_our_thread);
    ParseTask task = { arena, text, opts, err, NULL };
    if (text.len > BUILD_MOST_TEXT) {
        err_set(err, STATUS_BAD, "%s: larger than 64 MiB", task_name(&task));
        return NULL;
    }
    if (is_too_deep(text)) {
        err_set(err, STATUS_BAD, "%s: nested too deeply", task_name(&task));
        return NULL;
    }
    pthread_attr_t attr;
    pthread_t thread;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    int failure = pthread_create(&thread, &attr, parse_thread, &task);
    pthread_attr_destroy(&attr);
    if (failure) {
        err_set(err, STATUS_LACKS, "no memory for a stack of 512 MiB to read %s", task_name(&task));
        return NULL;
    }
    pthread_join(thread, NULL);
    return task.unit;
}
