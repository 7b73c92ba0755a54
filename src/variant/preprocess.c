/* Seeds as one text; see preprocess.h. */
#include "variant/preprocess.h"

#include "base/file.h"
#include "base/toolchain.h"

#include "cfront/edit.h"
#include "run/run.h"
#include "run/workdir.h"

/* What a file is by its name, where that is a language of its own; else NULL. */
static const char *other_language(const char *path) {
    static const char *const cxx[] = { "cc", "cpp", "cxx", "c++", "C", "ii", "hpp", "hh" };
    const char *dot = strrchr(file_name(path), '.');
    for (size_t i = 0; dot && i < COUNT_OF(cxx); i++)
        if (strcmp(dot + 1, cxx[i]) == 0) return "C++";
    return NULL;
}

static bool run_preprocessor(Arena *arena, const char *path, const char *const *flags, Str *text,
                             Error *err) {
    const char *argv[64] = { TOOLCHAIN_CLANG, "-E", "-P", "-fkeep-system-includes", "-w" };
    unsigned n = 5;
    for (unsigned i = 0; flags && flags[i] && n < 60; i++) argv[n++] = flags[i];
    argv[n++] = "-xc"; /* whatever the name ends in */
    argv[n++] = *path == '-' ? arena_fmt(arena, "./%s", path) : path;
    RunSpec spec = { .argv = argv,
                     .profile = RUN_USER,
                     .limits = { .wall_s = 60, .output = 64 << 20 } };
    RunResult r = run_one(arena, &spec);
    if (r.end == RUN_NOT_STARTED)
        return err_set(err, STATUS_LACKS, "%s is missing: install the package %s", TOOLCHAIN_CLANG,
                       TOOLCHAIN_CLANG);
    if (!run_ok(&r)) {
        Str line = r.err;
        str_split(&r.err, '\n', &line);
        return err_set(err, STATUS_BAD, "%s: does not preprocess: " STR_FMT, path,
                       STR_ARG(workdir_hide(arena, line)));
    }
    *text = r.out;
    return true;
}

/* A static function that nothing refers to; its prototypes go as well. */
static bool is_unused(const CDecl *d) {
    return d->kind == CD_FUNCTION && d->first->function && (d->flags & CD_STATIC) &&
           (d->flags & CD_UNUSED) && !(d->flags & (CD_SYSTEM | CD_MACRO)) &&
           !((d->flags | d->first->flags) & CD_ATTRIBUTE) && d->group && d->group->n_decls == 1;
}

/* Removes them once; false when there was nothing to remove. */
static bool prune_once(Arena *arena, Str *text, const CfrontOptions *opts) {
    Arena scratch = { 0 };
    CEdits edits = { 0 };
    Buf out = { 0 };
    Error ignored;
    CUnit *unit = cfront_parse(&scratch, *text, opts, &ignored);
    for (uint32_t i = 0; unit && i < unit->n_decls; i++)
        if (is_unused(unit->decls[i])) edit_delete(&edits, unit->decls[i]->group->range);
    bool done = unit && edits.list.len > 0 && edits_apply(&edits, *text, &out, &ignored);
    if (done) *text = arena_str(arena, buf_view(&out));
    buf_release(&out);
    edits_release(&edits);
    arena_release(&scratch);
    return done;
}

bool preprocess_seed(Arena *arena, const char *path, const char *const *flags, Str *text,
                     Error *err) {
    if (file_is_dir(path))
        return err_set(err, STATUS_BAD, "cannot read %s: it is a directory", path);
    if (!file_exists(path))
        return err_set(err, STATUS_BAD, "cannot read %s: no such file", *path ? path : "''");
    if (other_language(path))
        return err_set(err, STATUS_BAD, "%s: it is %s by its name, and only C is mutated", path,
                       other_language(path));
    if (!run_preprocessor(arena, path, flags, text, err)) return false;
    CfrontOptions opts = { .name = path, .args = flags };
    while (prune_once(arena, text, &opts)) {
    }
    return true;
}
