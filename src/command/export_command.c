/* culprit export N DIR: a case as files: the programs, the exact commands, a script that says
 * whether the bug is there, and a report ready to be sent. */
#include "base/file.h"
#include "base/opts.h"
#include "cc/compiler.h"
#include "command/commands.h"
#include "command/trust.h"
#include "report/bugreport.h"
#include "run/run.h"
#include "run/workdir.h"
#include "store/store.h"

#include <sys/stat.h>

typedef struct ExportOptions {
    const char *store;
    bool force, anyway, trust;
} ExportOptions;

static const Opt table[] = {
    { 0, "store", OPT_STR, OPT_IN(ExportOptions, store), "STORE",
      "a file, or postgresql://.. [the user's own]", "@files" },
    { 0, "force", OPT_FLAG, OPT_IN(ExportOptions, force), NULL,
      "write even into a directory that is not empty", NULL },
    { 0, "trust", OPT_FLAG, OPT_IN(ExportOptions, trust), NULL, TRUST_HELP, NULL },
    { 0, "anyway", OPT_FLAG, OPT_IN(ExportOptions, anyway), NULL,
      "write a bug report even if the program is undefined or the case is unconfirmed", NULL },
    { 0 },
};
static const OptSpec spec = {
    "export",
    "[OPTION].. CASE DIR",
    "write a case as files with a script that reproduces it",
    table,
    NULL,
    "DIR then contains:\n"
    "  variant.c, seed.c   the failing and the passing program, reduced if possible\n"
    "  original/           the programs as they were found, if they were reduced\n"
    "  repro.sh            exits 0 when the bug is there\n"
    "  bug-report.txt      as GCC asks for it, or bug-report.md for LLVM\n"
    "  commands.txt        the exact commands\n"
    "  variant.i           preprocessed, if the compiler is installed\n"
    "  case.json           everything the store has\n",
    2,
    2,
    "@cases",
};

/* One file of the export; after a failure nothing more is written. */
static bool put(bool ok, const char *dir, const char *name, Str text, Error *err) {
    if (!ok) return false;
    Arena arena = { 0 };
    ok = file_save(file_join(&arena, dir, name), text, err);
    arena_release(&arena);
    return ok;
}

static bool put_if(bool ok, const char *dir, const char *name, Str text, Error *err) {
    return text.len ? put(ok, dir, name, text, err) : ok;
}

/* ---- what the compiler says now ---- */

static Str both(Arena *arena, const RunResult *r) {
    return str_from(arena_fmt(arena, STR_FMT STR_FMT, STR_ARG(r->out), STR_ARG(r->err)));
}

static const char *const english[] = { "LC_ALL=C", NULL };

/* The compiler of a case, as it is started; in a directory of its own, since a compiler in a root
 * reaches no other. */
typedef struct ExportCompiler {
    const char *program, *aim; /* NULL: it is not installed; "--target=..", or NULL */
    char *dir;                 /* with variant.c in it */
} ExportCompiler;

/* A name that `culprit compilers` knows is that compiler. */
static ExportCompiler find_compiler(Arena *arena, Store *store, const CaseView *view) {
    KnownCompiler known;
    Error none = { 0 };
    const char *name = arena_cstr(arena, view->c.compiler);
    if (store_compiler_get(store, arena, name, &known, &none)) name = arena_cstr(arena, known.path);
    ExportCompiler cc = { 0 };
    cc.program = file_find_program(arena, compiler_program(arena, name, &cc.aim));
    cc.dir = workdir_new(arena, "export");
    if (!file_write(file_join(arena, cc.dir, "variant.c"), view->variant, &none)) cc.program = NULL;
    return cc;
}

static RunResult ask(Arena *arena, const ExportCompiler *cc, const CaseView *view,
                     const char *const *words) {
    VEC(const char *) argv = { 0 };
    vec_push(&argv, cc->program);
    if (cc->aim) vec_push(&argv, cc->aim);
    for (size_t i = 0; view && i < view->flags.len; i++)
        vec_push(&argv, arena_cstr(arena, view->flags.at[i]));
    for (; *words; words++) vec_push(&argv, *words);
    vec_push(&argv, NULL);
    RunSpec run = { .argv = argv.at, .dir = cc->dir, .env = english, .limits = { .wall_s = 60 } };
    RunResult result = run_one(arena, &run);
    vec_release(&argv);
    return result;
}

static BugFacts ask_compiler(Arena *arena, const ExportCompiler *cc, const CaseView *view) {
    static const char *const compile[] = { "-c", "variant.c", "-o", "variant.o", NULL };
    static const char *const about[] = { "-v", NULL };
    BugFacts facts = { 0 };
    if (!cc->program) return facts;
    RunResult result = ask(arena, cc, NULL, about);
    if (run_ok(&result)) facts.about = both(arena, &result);
    if (str_is(view->c.verdict, "crash") || str_is(view->c.verdict, "rejected")) {
        result = ask(arena, cc, view, compile);
        if (result.end == RUN_EXITED || result.end == RUN_SIGNALED)
            facts.output = both(arena, &result);
    }
    return facts;
}

static Str preprocess(Arena *arena, const ExportCompiler *cc, const CaseView *view) {
    static const char *const words[] = { "-E", "variant.c", NULL };
    if (!cc->program) return STR("");
    RunResult result = ask(arena, cc, view, words);
    return run_ok(&result) ? result.out : STR("");
}

/* ---- the files ---- */

static bool put_script(bool ok, const CaseView *view, const char *dir, Error *err) {
    Arena arena = { 0 };
    Buf text = { 0 };
    caseview_repro(view, &text);
    ok = put(ok, dir, "repro.sh", buf_view(&text), err);
    const char *path = file_join(&arena, dir, "repro.sh");
    if (ok && chmod(path, 0755) != 0) ok = err_errno(err, "cannot make %s executable", path);
    buf_release(&text);
    arena_release(&arena);
    return ok;
}

static bool put_commands(bool ok, const CaseView *view, const char *dir, Error *err) {
    Buf text = { 0 };
    buf_text(&text, "# fails (");
    buf_text(&text, verdict_words(view->c.verdict));
    buf_text(&text, "):\n");
    caseview_shell_line(view, false, &text);
    if (view->good_flags.len) {
        buf_text(&text, "\n# passes:\n");
        caseview_shell_line(view, true, &text);
    }
    buf_char(&text, '\n');
    ok = put(ok, dir, "commands.txt", buf_view(&text), err);
    buf_release(&text);
    return ok;
}

static bool put_report(bool ok, Store *store, const CaseView *view, const char *dir, Error *err) {
    if (!ok) return false;
    Arena arena = { 0 };
    Buf text = { 0 };
    ExportCompiler cc = find_compiler(&arena, store, view);
    BugFacts facts = ask_compiler(&arena, &cc, view);
    bugreport(view, &facts, &text);
    bool gcc = str_is(view->c.kind, "gcc") || str_is(view->c.kind, "cc1");
    ok = put(ok, dir, gcc ? "bug-report.txt" : "bug-report.md", buf_view(&text), err);
    ok = put_if(ok, dir, "variant.i", ok ? preprocess(&arena, &cc, view) : STR(""), err);
    workdir_remove(cc.dir);
    buf_release(&text);
    arena_release(&arena);
    return ok;
}

static bool put_json(bool ok, const CaseView *view, const char *dir, Error *err) {
    Buf text = { 0 };
    json_t *o = caseview_json(view);
    json_dump_buf(o, true, &text);
    json_decref(o);
    ok = put(ok, dir, "case.json", buf_view(&text), err);
    buf_release(&text);
    return ok;
}

static bool put_originals(bool ok, const CaseView *view, const char *dir, Error *err) {
    if (!ok || !view->reduced) return ok;
    Arena arena = { 0 };
    const char *original = file_join(&arena, dir, "original");
    ok = file_make_dirs(original, err);
    ok = put_if(ok, original, "variant.c", view->c.variant, err);
    ok = put_if(ok, original, "seed.c", view->c.seed, err);
    ok = put_if(ok, original, "expected.txt", view->c.expected, err);
    arena_release(&arena);
    return ok;
}

static bool put_units(bool ok, const CaseView *view, const char *dir, Error *err) {
    const Repro *r = &view->repro;
    if (!view->has_repro || repro_units(r) < 2) return ok;
    Arena arena = { 0 };
    for (size_t i = 0; i < r->n_files; i++)
        ok = put(ok, dir, arena_cstr(&arena, r->files[i].name), r->files[i].text, err);
    arena_release(&arena);
    return ok;
}

static bool write_case(Store *store, const CaseView *view, const char *dir, bool report,
                       Error *err) {
    bool ok = file_make_dirs(dir, err);
    ok = put(ok, dir, "variant.c", view->variant, err);
    ok = put_if(ok, dir, "seed.c", view->seed, err);
    ok = put_units(ok, view, dir, err);
    ok = put_if(ok, dir, "input.txt", view->c.input, err);
    if (caseview_runs(view)) ok = put(ok, dir, "expected.txt", view->expected, err);
    ok = put_originals(ok, view, dir, err);
    ok = put_script(ok, view, dir, err);
    ok = put_commands(ok, view, dir, err);
    if (report) ok = put_report(ok, store, view, dir, err);
    ok = put_if(ok, dir, "undefined.txt", view->c.undefined, err);
    return put_json(ok, view, dir, err);
}

static bool may_fill(const char *dir, bool force, Error *err) {
    Arena arena = { 0 };
    StrVec files = { 0 };
    bool used = file_is_dir(dir) && file_list(&arena, dir, NULL, &files, NULL) && files.len;
    vec_release(&files);
    arena_release(&arena);
    return !used || force ||
           err_set(err, STATUS_BAD, "%s is not empty; --force writes into it anyway", dir);
}

static bool export_case(const ExportOptions *o, Str number, const char *dir, Error *err) {
    int64_t id;
    if (!str_to_i64(number, &id) || id < 1)
        return err_set(err, STATUS_BAD, "'" STR_FMT "' is not the number of a case",
                       STR_ARG(number));
    if (!trust_case(o->store, id, o->trust, err) || !may_fill(dir, o->force, err)) return false;
    Store *store = store_open(o->store, STORE_READ, err);
    if (!store) return false;
    CaseView view;
    bool ok = caseview_load(&view, store, id, err), doubted = ok && view.doubt.len;
    bool report = !doubted || o->anyway;
    ok = ok && write_case(store, &view, dir, report, err);
    if (ok)
        printf("case %lld is in %s; %s/repro.sh exits 0 when %s\n", (long long)id, dir, dir,
               doubted ? "it still behaves that way" : "the bug is there");
    if (ok && doubted)
        fprintf(stderr, "culprit: " STR_FMT "%s\n", STR_ARG(view.doubt),
                report ? "" : "; no bug report is written (--anyway writes it)");
    caseview_release(&view);
    store_close(store);
    return ok;
}

int export_command(int argc, char **argv) {
    Error err = { 0 };
    ExportOptions o = { 0 };
    Opts opts;
    OptsEnd end = opts_read(&spec, argc, argv, &o, &opts, &err);
    bool ok = end == OPTS_STOP ||
              (end == OPTS_GO && export_case(&o, opts.rest.at[0], opts.rest.at[1].at, &err));
    opts_release(&opts);
    return ok ? STATUS_DONE : err_report(&err);
}
