/* culprit compilers: what is known about compilers besides their being installed: coverage builds
 * for isolate, sources of a good and a bad version for explain. */
#include "base/file.h"
#include "base/homes.h"
#include "base/json.h"
#include "base/live.h"
#include "base/opts.h"
#include "base/shell.h"
#include "cc/compiler.h"
#include "cc/foreign.h"
#include "command/commands.h"
#include "command/compiler_build.h"
#include "run/run.h"
#include "store/store.h"

#include <stdlib.h>
#include <sys/stat.h>

typedef struct CompilersOptions {
    const char *store, *path, *root, *coverage, *coverage_cc, *good, *bad, *build;
    uint64_t jobs;
    bool json, installed, plain;
} CompilersOptions;

static const Opt table[] = {
    { 0, "store", OPT_STR, OPT_IN(CompilersOptions, store), "STORE",
      "a file, or postgresql://.. [the user's own]", "@files" },
    { 0, "path", OPT_STR, OPT_IN(CompilersOptions, path), "FILE",
      "add: the compiler itself [NAME along PATH]", "@files" },
    { 0, "root", OPT_STR, OPT_IN(CompilersOptions, root), "DIR",
      "add: a directory tree with another distribution, which contains FILE of --path; it is run "
      "there",
      "@files" },
    { 0, "coverage", OPT_STR, OPT_IN(CompilersOptions, coverage), "DIR",
      "add: build directory with coverage (.gcno inside)", "@files" },
    { 0, "coverage-cc", OPT_STR, OPT_IN(CompilersOptions, coverage_cc), "FILE",
      "add: the instrumented compiler [found in DIR]", "@files" },
    { 0, "good", OPT_STR, OPT_IN(CompilersOptions, good), "DIR",
      "add: sources of a version that is right", "@files" },
    { 0, "bad", OPT_STR, OPT_IN(CompilersOptions, bad), "DIR",
      "add: sources of a version that is wrong", "@files" },
    { 0, "build", OPT_STR, OPT_IN(CompilersOptions, build), "CMD",
      "add: how these sources are built", NULL },
    { 'j', "jobs", OPT_UINT, OPT_IN(CompilersOptions, jobs), "N",
      "build: compilations at once [all cores]", NULL },
    { 0, "plain", OPT_FLAG, OPT_IN(CompilersOptions, plain), NULL,
      "build: also build GCC without coverage, from the same sources, to judge with", NULL },
    { 0, "installed", OPT_FLAG, OPT_IN(CompilersOptions, installed), NULL,
      "list: also compilers that are only installed", NULL },
    { 0, "json", OPT_FLAG, OPT_IN(CompilersOptions, json), NULL, "list: as JSON", NULL },
    { 0 },
};
static const OptSpec spec = {
    "compilers",
    "list | add NAME [OPTION].. | build NAME | remove NAME",
    "register coverage builds and sources of compilers",
    table,
    NULL,
    "  culprit compilers list --installed\n"
    "  culprit compilers build gcc-12\n"
    "  culprit compilers add tcc --path build/tcc --coverage build-coverage\n"
    "  culprit compilers add gcc-trunk --root /srv/sid --path /usr/lib/gcc-snapshot/bin/gcc\n"
    "  culprit compilers add tcc --good tcc-0.9.26 --bad tcc-0.9.27 --build 'make tcc'\n"
    "\n"
    "add changes only what is given; the rest stays as an earlier add left it.\n"
    "build makes the coverage build that isolate needs, for gcc-11, gcc-12 (half an\n"
    "hour on two cores), tcc (seconds) or llvm-14 (hours), from the distribution's\n"
    "source package, in ~/.cache/culprit (or $CULPRIT_CACHE), and adds it. If it is\n"
    "interrupted, the same command continues.\n"
    "\n"
    "Exit status: 0 done; 1 nothing is known; 2 bad input; 3 something is missing\n"
    "on this machine, or the build failed; 130 interrupted.\n",
    0,
    2,
    "list|add|build|remove",
};

/* Makes an option's path absolute; a missing file is an error. Empty options change nothing. */
static bool take_path(Arena *arena, const char *given, Str *member, Error *err) {
    if (!given) return true;
    char *real = realpath(given, NULL);
    if (!real) return err_errno(err, "cannot use %s", given);
    *member = str_from(arena_strdup(arena, real));
    free(real);
    return true;
}

/* A wrapper beside the store that runs the compiler inside its root (enter_command.c). */
static bool write_wrapper(Arena *arena, const Store *store, const CompilersOptions *o,
                          const char *name, Str *path, Error *err) {
    Str root = STR("");
    if (!o->path || o->path[0] != '/' || strchr(name, '/'))
        return err_set(err, STATUS_BAD,
                       "--root needs a plain NAME, and --path with an absolute path inside it");
    if (!take_path(arena, o->root, &root, err)) return false;
    if (!file_exists(arena_fmt(arena, "%s%s", root.at, o->path)))
        return err_set(err, STATUS_BAD, "there is no %s inside %s", o->path, o->root);
    char *self = realpath("/proc/self/exe", NULL);
    if (!self) return err_errno(err, "cannot find culprit itself");
    const char *const words[] = { self, "__enter", root.at, o->path, NULL };
    Str command = shell_join(arena, words);
    const char *base = store_path(store), *home = home_of(arena, HOME_DATA, err);
    if (!home) return false;
    if (store_is_server(base))
        base = file_join(arena, home, "server"); /* they stay on this machine */
    const char *dir = arena_fmt(arena, "%s-roots", base);
    const char *file = file_join(arena, dir, name);
    Str text = str_from(arena_fmt(arena, "#!/bin/sh\nexec " STR_FMT " \"$@\"\n", STR_ARG(command)));
    free(self);
    if (!file_make_dirs(dir, err) || !file_write(file, text, err)) return false;
    if (chmod(file, 0755) != 0) return err_errno(err, "cannot write %s", file);
    return take_path(arena, file, path, err);
}

static bool take_compiler(Arena *arena, const CompilersOptions *o, const char *name,
                          KnownCompiler *known, Error *err) {
    Compiler cc;
    if (o->path && !o->root && !take_path(arena, o->path, &known->path, err)) return false;
    if (!compiler_open(arena, known->path.len ? known->path.at : name, &cc, err)) return false;
    if (!known->path.len) known->path = str_from(cc.path);
    known->kind = str_from(cc_kind_name(cc.kind));
    known->version = str_from(cc.version);
    known->target = str_from(cc.target);
    return true;
}

static bool add(Store *store, Arena *arena, const CompilersOptions *o, const char *name,
                Error *err) {
    KnownCompiler known = { 0 };
    Error none;
    if (!store_compiler_get(store, arena, name, &known, &none) && none.status != STATUS_NO)
        return *err = none, false;
    known.name = str_from(name);
    if (o->build) known.build = str_from(o->build);
    if (o->root && !write_wrapper(arena, store, o, name, &known.path, err)) return false;
    if (!take_compiler(arena, o, name, &known, err) ||
        !take_path(arena, o->coverage, &known.coverage, err) ||
        !take_path(arena, o->coverage_cc, &known.coverage_cc, err) ||
        !take_path(arena, o->good, &known.good_source, err) ||
        !take_path(arena, o->bad, &known.bad_source, err))
        return false;
    if (o->coverage && !file_is_dir(known.coverage.at))
        return err_set(err, STATUS_BAD, "%s is not a directory", o->coverage);
    if (o->coverage && access(known.coverage.at, R_OK | X_OK) != 0)
        return err_errno(err, "cannot read %s", o->coverage);
    return store_compiler_put(store, &known, err);
}

/* ---- lists ---- */

static json_t *compiler_json(const KnownCompiler *c) {
    json_t *o = json_object();
    const struct {
        const char *name;
        Str value;
    } texts[] = { { "name", c->name },
                  { "path", c->path },
                  { "kind", c->kind },
                  { "version", c->version },
                  { "target", c->target },
                  { "coverage", c->coverage },
                  { "coverage_cc", c->coverage_cc },
                  { "good", c->good_source },
                  { "bad", c->bad_source },
                  { "build", c->build } };
    for (size_t i = 0; i < COUNT_OF(texts); i++) json_put_text(o, texts[i].name, texts[i].value);
    return o;
}

/* Who runs the programs of a compiler for another machine, or what is missing for that. */
static void print_abroad(const KnownCompiler *c) {
    Arena arena = { 0 };
    Compiler cc = { .kind = CC_GCC, .target = arena_cstr(&arena, c->target) };
    if (foreign_target(cc.target)) {
        foreign_find_runner(&arena, &cc, "");
        printf("    %-10s%s\n", "target", cc.target);
        Str by = cc.runner ? shell_join(&arena, cc.runner) : str_from(cc.unrun);
        printf("    %-10s" STR_FMT "\n", "run by", STR_ARG(by));
    }
    arena_release(&arena);
}

static void print_compiler(const KnownCompiler *c) {
    printf("%s%-14.*s%s %-6.*s %-10.*s " STR_FMT "\n", colour(stdout, COLOUR_BOLD),
           STR_ARG(c->name), colour(stdout, COLOUR_NONE), STR_ARG(c->kind), STR_ARG(c->version),
           STR_ARG(c->path));
    const struct {
        const char *name;
        Str value;
    } more[] = { { "coverage", c->coverage },
                 { "good", c->good_source },
                 { "bad", c->bad_source },
                 { "build", c->build } };
    for (size_t i = 0; i < COUNT_OF(more); i++)
        if (more[i].value.len)
            printf("    %-10s" STR_FMT "\n", more[i].name, STR_ARG(more[i].value));
    print_abroad(c);
}

/* Compilers along PATH that the store does not know. */
static size_t add_installed(Arena *arena, KnownCompiler **all, size_t n) {
    CompilerVec found = { 0 };
    VEC(KnownCompiler) list = { 0 };
    static const char *const unnumbered[] = { "tcc", "pcc" };
    for (size_t i = 0; i < n; i++) vec_push(&list, (*all)[i]);
    compilers_find(arena, "", &found);
    compilers_find_foreign(arena, &found);
    for (size_t i = 0; i < COUNT_OF(unnumbered); i++) {
        Compiler cc;
        if (compiler_open(arena, unnumbered[i], &cc, NULL)) vec_push(&found, cc);
    }
    for (size_t i = 0; i < found.len; i++) {
        const Compiler *cc = &found.at[i];
        bool known = false;
        for (size_t k = 0; k < n; k++) known |= str_is((*all)[k].name, cc->name);
        if (!known)
            vec_push(&list, (KnownCompiler){ .name = str_from(cc->name),
                                             .path = str_from(cc->path),
                                             .kind = str_from(cc_kind_name(cc->kind)),
                                             .version = str_from(cc->version),
                                             .target = str_from(cc->target) });
    }
    *all = arena_copy(arena, list.at, list.len * sizeof *list.at);
    n = list.len;
    vec_release(&list);
    vec_release(&found);
    return n;
}

static bool list(Arena *arena, const CompilersOptions *o, Error *err) {
    KnownCompiler *all = NULL;
    size_t n = 0;
    /* without a store nothing is known, which is also an answer */
    const char *file = o->store ? o->store : store_default_path(arena, err);
    if (!file) return false;
    if (store_exists(file)) {
        Store *store = store_open(file, STORE_READ, err);
        bool ok = store && store_compiler_list(store, arena, &all, &n, err);
        store_close(store);
        if (!ok) return false;
    }
    if (o->installed) n = add_installed(arena, &all, n);
    json_t *rows = json_array();
    for (size_t i = 0; i < n; i++)
        if (o->json)
            json_array_append_new(rows, compiler_json(&all[i]));
        else
            print_compiler(&all[i]);
    if (o->json) json_print(rows);
    json_decref(rows);
    return n || o->json ||
           err_set(err, STATUS_NO,
                   "no compilers are registered; --installed shows those on this machine");
}

static bool change(Arena *arena, const CompilersOptions *o, const char *verb, const char *name,
                   Error *err) {
    Store *store = store_open(o->store, STORE_WRITE, err);
    if (!store) return false;
    bool ok = strcmp(verb, "remove") == 0 ? store_compiler_remove(store, name, err)
                                          : add(store, arena, o, name, err);
    store_close(store);
    return ok;
}

/* Makes the build and adds it under the name that was asked for. */
static bool build(Arena *arena, CompilersOptions *o, const char *name, Error *err) {
    Live live;
    CompilerBuild made;
    live_start(&live, false);
    run_catch_interrupts();
    bool ok = compiler_build(arena, name, (unsigned)o->jobs, o->plain, &live, &made, err);
    live_end(&live);
    if (!ok) return false;
    o->path = made.compiler;
    o->coverage = made.coverage;
    if (!change(arena, o, "add", name, err)) return false;
    printf("%s: %s\n", name, made.coverage);
    return true;
}

int compilers_command(int argc, char **argv) {
    CompilersOptions o = { 0 };
    Error err = { 0 };
    Arena arena = { 0 };
    Opts opts;
    OptsEnd end = opts_read(&spec, argc, argv, &o, &opts, &err);
    const char *verb = opts.rest.len ? opts.rest.at[0].at : "list";
    const char *name = opts.rest.len == 2 ? opts.rest.at[1].at : NULL;
    bool ok = end != OPTS_BAD, go = end == OPTS_GO;
    if (go && strcmp(verb, "list") == 0 && !name)
        ok = list(&arena, &o, &err);
    else if (go && (strcmp(verb, "add") == 0 || strcmp(verb, "remove") == 0) && name)
        ok = change(&arena, &o, verb, name, &err);
    else if (go && strcmp(verb, "build") == 0 && name)
        ok = build(&arena, &o, name, &err);
    else if (go)
        ok = err_set(&err, STATUS_BAD, "usage: culprit compilers %s", spec.usage);
    opts_release(&opts);
    arena_release(&arena);
    return ok ? STATUS_DONE : err_report(&err);
}
