/* The model against the real compilers, over programs of GCC's test suite (scripts/torture).
 *
 *     property types FROM STEP DIR    every nameable type the model gives to a variable or an
 * integer expression is asserted in the program itself (_Static_assert,
 * __builtin_types_compatible_p, sizeof); gcc-12 must accept it property assigned FROM STEP DIR
 * every scalar local that the model calls certainly initialised is shown to MemorySanitizer before
 * every statement; it must not object. Programs it objects to as they are do not count
 *
 * Takes file FROM, FROM + STEP, .. of the sorted list; one TAP line a program. */
#include "base/file.h"
#include "cfront/cfront.h"
#include "cfront/edit.h"
#include "run/run.h"
#include "run/workdir.h"

static unsigned tests, failures, probes;

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

static void assert_exprs(Arena *arena, const CUnit *u, const CStmt *s, CEdits *edits) {
    if (s->slot != CSL_BLOCK || s->kind == CS_DECL || s->kind == CS_LABEL || s->kind == CS_CASE ||
        s->kind == CS_DEFAULT || (s->flags & (CF_HAS_MACRO | CF_HAS_DECL)))
        return;
    for (uint32_t i = 0; i < s->n_exprs; i++) {
        const CExpr *e = s->exprs[i];
        if (!ctype_is_integer(e->type) || (e->flags & CF_MACRO) || has_bit_field(e)) continue;
        if (e->type->kind == CT_ENUM || e->kind == CE_DESIGNATED || e->kind == CE_OTHER) continue;
        if (e->kind == CE_BLOCK || e->kind == CE_CHAR || e->kind == CE_CALL) continue;
        edit_before(edits, s, str_from(assertion(arena, e->type, cfront_text(u, e->range))));
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

static void check_types(Arena *arena, const char *dir, const char *path, Str text) {
    const char *const plain[] = { "gcc-12", "-w", "-fsyntax-only", "-x", "c", "-", NULL };
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
static void probe_stmt(Arena *arena, const CUnit *u, const CStmt *s, CEdits *edits) {
    CDeclVec seen = { 0 };
    Buf text = { 0 };
    cfront_visible(u, s, CV_INITIALISED | CV_LOCALS, &seen);
    for (size_t i = 0; i < seen.len; i++) {
        const CDecl *d = seen.at[i];
        bool scalar = ctype_is_scalar(d->type) && d->type->size <= 8;
        bool record = d->type->kind == CT_RECORD && !d->type->record->is_union;
        if ((!scalar && !record) || (d->flags & (CD_REGISTER | CD_LASTING))) continue;
        for (uint32_t k = 0; record && k < d->type->record->n_fields; k++) {
            const CField *f = &d->type->record->fields[k];
            if (f->bits >= 0 || !f->name.len || !ctype_is_scalar(f->type) || f->type->size > 8)
                continue;
            buf_fmt(&text, "__msan_check_mem_is_initialized(&" STR_FMT "." STR_FMT ", %u); ",
                    STR_ARG(d->name), STR_ARG(f->name), (unsigned)f->type->size);
            probes++;
        }
        if (!scalar) continue;
        buf_fmt(&text, "__msan_check_mem_is_initialized(&" STR_FMT ", %u); ", STR_ARG(d->name),
                (unsigned)d->type->size);
        probes++;
    }
    if (text.len) edit_before(edits, s, arena_str(arena, buf_view(&text)));
    vec_release(&seen);
    buf_release(&text);
}

static bool probe_assigned(Arena *arena, const CUnit *u, CEdits *edits) {
    for (uint32_t i = 0; i < u->n_stmts; i++)
        if (cfront_can_insert(u->stmts[i])) probe_stmt(arena, u, u->stmts[i], edits);
    return edits->count > 0;
}

/* Compiles text with MemorySanitizer and runs it; true when both went well. */
static bool run_msan(Arena *arena, const char *dir, Str text, const char **why) {
    const char *source = file_join(arena, dir, "a.c");
    Error err = { 0 };
    if (!file_write(source, text, &err)) return false;
    const char *const build[] = { "clang-19",
                                  "-w",
                                  "-O0",
                                  "-fsanitize=memory",
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
    if (!run_ok(&r)) return false;
    const char *const run[] = { "./a.out", NULL };
    RunSpec go = { .argv = run, .dir = dir, .profile = RUN_GENERATED, .limits = { .wall_s = 10 } };
    go.limits.memory = RUN_UNLIMITED; /* its shadow is large */
    r = run_one(arena, &go);
    *why = first_line(arena, r.err, "MemorySanitizer");
    return run_ok(&r);
}

static void check_assigned(Arena *arena, const char *dir, const char *path, Str text) {
    const char *why = "";
    CfrontOptions opts = { .name = path };
    Error err = { 0 };
    CEdits edits = { 0 };
    Buf out = { 0 };
    CUnit *u = cfront_parse(arena, text, &opts, &err);
    if (u && u->main && probe_assigned(arena, u, &edits) && run_msan(arena, dir, text, &why)) {
        buf_text(&out,
                 "void __msan_check_mem_is_initialized(const volatile void *, unsigned long);\n");
        bool good = edits_apply(&edits, text, &out, &err);
        if (!good) why = err.text;
        tap(good && run_msan(arena, dir, buf_view(&out), &why), path, why);
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
    for (size_t i = from; i < paths.len && step; i += step) {
        Arena scratch = { 0 };
        Str text;
        const char *path = arena_cstr(&scratch, paths.at[i]);
        if (file_read(&scratch, path, &text, &err))
            (types ? check_types : check_assigned)(&scratch, dir, path, text);
        arena_release(&scratch);
    }
    workdir_remove(dir);
    printf("1..%u\n# %u programs, %u probes, %u failed\n", tests, tests, probes, failures);
    vec_release(&paths);
    arena_release(&arena);
    return failures ? STATUS_NO : STATUS_DONE;
}
