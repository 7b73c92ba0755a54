/* The model against the real compilers, over programs of GCC's test suite (scripts/torture).
 *
 * property types FROM STEP DIR: every nameable type that the model gives to a variable or an
 * integer expression is asserted in the program itself (_Static_assert,
 * __builtin_types_compatible_p, sizeof); gcc-12 must accept it, or clang-19 where the two are known
 * to differ.
 *
 * property assigned FROM STEP DIR: every scalar local (and field of a local record) that the model
 * calls certainly initialised is shown to MemorySanitizer before every statement. What it objects
 * to must have been stored there: the origin of the value says so. Then the program itself assigned
 * something that held no value (memory of malloc, a record passed along without values), and being
 * assigned is all that the model claims. Programs it objects to unmodified do not count.
 *
 * property control FROM STEP DIR: the same with every visible local, assigned or not: must fail, or
 * the probes could not see anything.
 *
 * Takes file FROM, FROM + STEP, .. of the sorted list; one TAP line per program. */
#include "base/file.h"
#include "cfront/cfront.h"
#include "cfront/edit.h"
#include "run/run.h"
#include "run/workdir.h"

static unsigned tests, failures, probes, indeterminate;
static unsigned shown = CV_INITIALISED | CV_LOCALS; /* which variables are probed */

static void tap(bool good, const char *path, const char *why) {
    tests++;
    failures += !good;
    printf("%s %u - %s\n", good ? "ok" : "not ok", tests, file_name(path));
    if (!good) printf("# %s\n", why);
    fflush(stdout);
}

static const char *first_line(Arena *arena, Str text, const char *with) {
    Str rest = text, line;
    while (str_split(&rest, '\n', &line))
        if (str_find(line, str_from(with), 0) != STR_NONE) return arena_cstr(arena, line);
    return arena_cstr(arena, str_sub(text, 0, text.len < 300 ? text.len : 300));
}

/* ---- types ---- */
static const char *assertion(Arena *arena, const CType *t, Str what) {
    Buf type = { 0 };
    cfront_declare(&type, t->bare, STR(""));
    const char *size =
        t->is_complete && t->kind != CT_FUNCTION
            ? arena_fmt(arena, "_Static_assert(sizeof(" STR_FMT ") == %llu, \"size\"); ",
                        STR_ARG(what), (unsigned long long)t->size)
            : "";
    const char *text = arena_fmt(arena,
                                 " _Static_assert(__builtin_types_compatible_p(__typeof__(" STR_FMT
                                 "), %s), \"type\"); %s",
                                 STR_ARG(what), type.at, size);
    buf_release(&type);
    probes++;
    return text;
}

static bool is_bit_field(const CExpr *e) {
    return cexpr_bits(e) >= 0;
}

/* Bit-fields have no typeof; what is computed from wide ones differs between gcc and clang. */
static bool has_bit_field(const CExpr *e) {
    if (is_bit_field(e)) return true;
    for (const CExpr *x = e->first; x; x = x->next)
        if (has_bit_field(x)) return true;
    return false;
}

/* Where all names of the statement's expressions are visible: the variable of a for is only visible
 * before the loop's body. NULL: nowhere. */
static const CStmt *assert_place(const CStmt *s) {
    bool own = s->kind == CS_FOR && s->init && s->init->kind == CS_DECL;
    if (!own) return s;
    return s->body && cfront_can_insert(s->body) ? s->body : NULL;
}

static void assert_exprs(Arena *arena, const CUnit *u, const CStmt *s, CEdits *edits) {
    if (s->slot != CSL_BLOCK || s->kind == CS_DECL || s->kind == CS_LABEL || s->kind == CS_CASE ||
        s->kind == CS_DEFAULT || (s->flags & (CF_HAS_MACRO | CF_HAS_DECL)))
        return;
    const CStmt *place = assert_place(s);
    for (uint32_t i = 0; place && i < s->n_exprs; i++) {
        const CExpr *e = s->exprs[i];
        if (!ctype_is_integer(e->type) || (e->flags & CF_MACRO) || has_bit_field(e)) continue;
        if (e->type->kind == CT_ENUM || e->kind == CE_DESIGNATED || e->kind == CE_OTHER) continue;
        if (e->kind == CE_BLOCK || e->kind == CE_CHAR || e->kind == CE_CALL) continue;
        edit_before(edits, place, str_from(assertion(arena, e->type, cfront_text(u, e->range))));
    }
}

static void assert_decl(Arena *arena, const CUnit *u, const CStmt *s, CEdits *edits) {
    if (s->slot != CSL_BLOCK || (s->flags & CF_HAS_MACRO) || !s->group || !s->next) return;
    for (uint32_t i = 0; i < s->group->n_decls; i++) {
        const CDecl *d = s->group->decls[i];
        if (d->kind != CD_VAR || (d->flags & (CD_MACRO | CD_VLA)) || !d->type->is_complete)
            continue;
        if (!cfront_type_visible(u, d->type, s->next) || d->type->kind == CT_ENUM) continue;
        edit_behind(edits, s, str_from(assertion(arena, d->type, d->name)));
    }
}

static void probe_types(Arena *arena, const CUnit *u, CEdits *edits) {
    for (uint32_t i = 0; i < u->n_stmts; i++) {
        if (u->stmts[i]->kind == CS_DECL) assert_decl(arena, u, u->stmts[i], edits);
        assert_exprs(arena, u, u->stmts[i], edits);
    }
}

/* Programs in which gcc and clang give different types; the model gives clang's. */
static const struct Differ {
    const char *program, *why;
} differ[] = {
#define BYTE_ENUM                                                                                  \
    "an enumeration with __attribute__((mode(byte))): unsigned char to clang, a type without a "   \
    "name to gcc"
    { "20050107-1.c", BYTE_ENUM },
    { "20050119-1.c", BYTE_ENUM },
    { "20050119-2.c", BYTE_ENUM },
};

static const char *compiler_for(const char *path) {
    for (size_t i = 0; i < COUNT_OF(differ); i++)
        if (strcmp(differ[i].program, file_name(path)) == 0) {
            printf("# %s: %s\n", differ[i].program, differ[i].why);
            return "clang-19";
        }
    return "gcc-12";
}

static void check_types(Arena *arena, const char *dir, const char *path, Str text) {
    const char *const plain[] = { compiler_for(path), "-w", "-fsyntax-only", "-x", "c", "-", NULL };
    RunSpec spec = { .argv = plain, .dir = dir, .input = text };
    RunResult before = run_one(arena, &spec);
    CfrontOptions opts = { .name = path };
    Error err = { 0 };
    CUnit *u = run_ok(&before) ? cfront_parse(arena, text, &opts, &err) : NULL;
    if (!u) return;
    CEdits edits = { 0 };
    Buf out = { 0 };
    probe_types(arena, u, &edits);
    if (!edits_apply(&edits, text, &out, &err)) {
        tap(false, path, err.text);
    } else {
        spec.input = buf_view(&out);
        RunResult r = run_one(arena, &spec);
        tap(run_ok(&r), path, first_line(arena, r.err, "error"));
    }
    edits_release(&edits);
    buf_release(&out);
}

/* ---- definite assignment ---- */
/* Each probe reports once: MemorySanitizer's report, with the origin of what is not initialised. */
static const char prologue[] =
    "void __msan_check_mem_is_initialized(const volatile void *, unsigned long);\n"
    "long __msan_test_shadow(const volatile void *, unsigned long);\n"
    "static void culprit_probe(const volatile void *at, unsigned long size, char *seen) {\n"
    "    if (*seen || __msan_test_shadow(at, size) < 0) return;\n"
    "    *seen = 1;\n"
    "    __msan_check_mem_is_initialized(at, size);\n"
    "}\n";

static void probe_object(Buf *text, const CDecl *d, const CField *f) {
    buf_fmt(text, "{ static char culprit_seen; culprit_probe(&" STR_FMT "%s" STR_FMT,
            STR_ARG(d->name), f ? "." : "", STR_ARG(f ? f->name : STR("")));
    buf_fmt(text, ", %u, &culprit_seen); } ", (unsigned)(f ? f->type : d->type)->size);
    probes++;
}

static void probe_decl(Buf *text, const CDecl *d) {
    if (d->flags & (CD_REGISTER | CD_LASTING)) return;
    if (ctype_is_scalar(d->type) && d->type->size <= 8) probe_object(text, d, NULL);
    if (d->type->kind != CT_RECORD || d->type->record->is_union) return;
    for (uint32_t k = 0; k < d->type->record->n_fields; k++) {
        const CField *f = &d->type->record->fields[k];
        if (f->bits < 0 && f->name.len && ctype_is_scalar(f->type) && f->type->size <= 8)
            probe_object(text, d, f);
    }
}

static void probe_stmt(Arena *arena, const CUnit *u, const CStmt *s, CEdits *edits) {
    CDeclVec seen = { 0 };
    Buf text = { 0 };
    cfront_visible(u, s, shown, &seen);
    for (size_t i = 0; i < seen.len; i++) probe_decl(&text, seen.at[i]);
    if (text.len) edit_before(edits, s, arena_str(arena, buf_view(&text)));
    vec_release(&seen);
    buf_release(&text);
}

static bool probe_assigned(Arena *arena, const CUnit *u, CEdits *edits) {
    for (uint32_t i = 0; i < u->n_stmts; i++)
        if (cfront_can_insert(u->stmts[i])) probe_stmt(arena, u, u->stmts[i], edits);
    return edits->count > 0;
}

/* Compiles text with MemorySanitizer and runs it, continuing after its reports. */
static bool build_msan(Arena *arena, const char *dir, Str text, const char **why) {
    const char *source = file_join(arena, dir, "a.c");
    Error err = { 0 };
    if (!file_write(source, text, &err)) return false;
    const char *const build[] = { "clang-19",
                                  "-w",
                                  "-O0",
                                  "-fsanitize=memory",
                                  "-fsanitize-memory-track-origins=2",
                                  "-fsanitize-recover=memory",
                                  "-fPIE",
                                  "-Wno-error=implicit-function-declaration",
                                  "-Wno-error=implicit-int",
                                  "-Wno-error=int-conversion",
                                  "-Wno-error=return-mismatch",
                                  "-Wno-error=incompatible-function-pointer-types",
                                  "a.c",
                                  "-o",
                                  "a.out",
                                  "-lm",
                                  NULL };
    RunSpec spec = { .argv = build, .dir = dir };
    RunResult r = run_one(arena, &spec);
    *why = first_line(arena, r.err, "error");
    return run_ok(&r);
}

static RunResult run_msan(Arena *arena, const char *dir) {
    const char *const run[] = { "./a.out", NULL };
    static const char *const env[] = { "MSAN_OPTIONS=symbolize=0:exit_code=0", NULL };
    RunSpec go = { .argv = run, .dir = dir, .env = env, .profile = RUN_GENERATED };
    go.limits.wall_s = 20;
    go.limits.memory = RUN_UNLIMITED; /* its shadow is large */
    go.limits.output = 4 << 20;
    return run_one(arena, &go);
}

/* Every report must be about something that was stored where it is. */
static bool all_stored(Str reports, unsigned *count) {
    const Str head = STR("WARNING: MemorySanitizer");
    bool all = true;
    for (size_t at = str_find(reports, head, 0), next; at != STR_NONE; at = next) {
        next = str_find(reports, head, at + head.len);
        Str one = str_sub(reports, at, next == STR_NONE ? reports.len : next);
        if (str_find(one, STR("was stored to memory"), 0) == STR_NONE) all = false;
        ++*count;
    }
    return all;
}

static bool judge_probes(Arena *arena, const char *dir, Str text, const char **why) {
    if (!build_msan(arena, dir, text, why)) return false;
    RunResult r = run_msan(arena, dir);
    unsigned reports = 0;
    *why = first_line(arena, r.err, "was created by");
    bool stored = all_stored(r.err, &reports);
    indeterminate += reports;
    return run_ok(&r) && stored;
}

static bool clean_before(Arena *arena, const char *dir, Str text) {
    const char *why;
    if (!build_msan(arena, dir, text, &why)) return false;
    RunResult r = run_msan(arena, dir);
    return run_ok(&r) && str_find(r.err, STR("MemorySanitizer"), 0) == STR_NONE;
}

static void check_assigned(Arena *arena, const char *dir, const char *path, Str text) {
    const char *why = "";
    CfrontOptions opts = { .name = path };
    Error err = { 0 };
    CEdits edits = { 0 };
    Buf out = { 0 };
    CUnit *u = cfront_parse(arena, text, &opts, &err);
    if (u && u->main && probe_assigned(arena, u, &edits) && clean_before(arena, dir, text)) {
        buf_text(&out, prologue);
        bool good = edits_apply(&edits, text, &out, &err);
        if (!good) why = err.text;
        tap(good && judge_probes(arena, dir, buf_view(&out), &why), path, why);
    }
    edits_release(&edits);
    buf_release(&out);
}

int main(int argc, char **argv) {
    uint64_t from = 0, step = 1;
    Arena arena = { 0 };
    StrVec paths = { 0 };
    Error err = { 0 };
    if (argc != 5 || !str_to_u64(str_from(argv[2]), &from) || !str_to_u64(str_from(argv[3]), &step))
        return STATUS_BAD;
    if (!file_list(&arena, argv[4], ".c", &paths, &err)) return err_report(&err);
    const char *dir = workdir_new(&arena, "property");
    bool types = strcmp(argv[1], "types") == 0;
    if (strcmp(argv[1], "control") == 0) shown = CV_LOCALS;
    for (size_t i = from; i < paths.len && step; i += step) {
        Arena scratch = { 0 };
        Str text;
        const char *path = arena_cstr(&scratch, paths.at[i]);
        if (file_read(&scratch, path, &text, &err))
            (types ? check_types : check_assigned)(&scratch, dir, path, text);
        arena_release(&scratch);
    }
    workdir_remove(dir);
    printf(
        "1..%u\n# %u programs, %u probes, %u of something the program itself had stored without a "
        "value, %u failed\n",
        tests, tests, probes, indeterminate, failures);
    vec_release(&paths);
    arena_release(&arena);
    return failures ? STATUS_NO : STATUS_DONE;
}
