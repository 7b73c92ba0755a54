/* Cases as questions; see explain_case.h. */
#include "command/explain_case.h"
#include "base/file.h"
#include "base/shell.h"
#include "run/workdir.h"
#include "store/case_repro.h"
#include "store/store.h"

enum { SUSPECTS_MOST = 10 }; /* isolate's published figures are for the first ten files */

static bool lacks(Error *err, const char *compiler, const char *what) {
    return err_set(err, STATUS_BAD,
                   "%s of %s is not registered: see culprit compilers --help, or give --%s", what,
                   compiler, what);
}

/* The case's own question (cc/repro.h) as a script, with its files, in a directory of its own; the
 * compiler is found by its name in the tree that was just built. */
static bool make_test(Arena *arena, const Case *c, const KnownCompiler *compiler, const char **test,
                      Error *err) {
    Repro repro;
    char *dir = workdir_new(arena, "case"), *path = file_join(arena, dir, "test.sh");
    if (!case_repro(arena, c, CASE_BEST, &repro, err) || !repro_write(&repro, dir, err))
        return false;
    Buf find = { 0 }, out = { 0 };
    buf_text(&find, "tree=$PWD; cc=$(find \"$tree\" -type f -perm -u+x -name ");
    shell_quote(&find, str_from(file_name(arena_cstr(arena, compiler->path))));
    buf_text(&find, " | head -n 1); test -n \"$cc\" || exit 9");
    ReproScript how = { .find_cc = arena_cstr(arena, buf_view(&find)),
                        .cc_flags = str_is(compiler->kind, "tcc")
                                        ? "-B\"$tree\" -I\"$tree/include\""
                                        : NULL,
                        .dir = dir,
                        .passes = true,
                        .quiet = true };
    repro_script(&repro, &how, &out);
    bool ok = file_write(path, buf_view(&out), err);
    buf_clear(&out);
    buf_text(&out, "/bin/sh ");
    shell_quote(&out, str_from(path));
    *test = arena_cstr(arena, buf_view(&out));
    buf_release(&find);
    buf_release(&out);
    return ok;
}

static void add_suspects(Arena *arena, Str rankings, StrVec *suspects) {
    Error err;
    json_t *json = rankings.len ? json_parse(rankings, "rankings", &err) : NULL;
    json_t *files = json ? json_object_get(json, "files") : NULL;
    for (size_t i = 0; i < json_array_size(files) && i < SUSPECTS_MOST; i++)
        vec_push(suspects, arena_str(arena, json_get_text(json_array_get(files, i), "name")));
    if (json) json_decref(json);
}

bool case_request(Arena *arena, const char *store, int64_t id, ExplainRequest *request,
                  StrVec *suspects, Error *err) {
    Store *s = store_open(store, STORE_READ, err);
    Case c;
    KnownCompiler compiler = { 0 };
    bool ok = s && store_case_get(s, arena, id, &c, err);
    ok = ok && store_compiler_get(s, arena, arena_cstr(arena, c.compiler), &compiler, err);
    store_close(s);
    if (!ok) return false;
    const char *name = arena_cstr(arena, c.compiler);
    if (!request->good && !compiler.good_source.len) return lacks(err, name, "good");
    if (!request->bad && !compiler.bad_source.len) return lacks(err, name, "bad");
    if (!request->build && !compiler.build.len) return lacks(err, name, "build");
    if (!request->good) request->good = arena_cstr(arena, compiler.good_source);
    if (!request->bad) request->bad = arena_cstr(arena, compiler.bad_source);
    if (!request->build) request->build = arena_cstr(arena, compiler.build);
    if (!suspects->len) add_suspects(arena, c.rankings, suspects);
    return request->test || make_test(arena, &c, &compiler, &request->test, err);
}

bool case_keep(const char *store, int64_t id, const Explanation *e, Error *err) {
    Store *s = store_open(store, STORE_WRITE, err);
    if (!s) return false;
    Buf text = { 0 };
    json_t *json = explanation_json(e);
    json_dump_buf(json, false, &text);
    json_decref(json);
    bool ok = store_case_set(s, id, &(CaseSet){ "explanations", buf_view(&text) }, 1, err);
    buf_release(&text);
    store_close(s);
    return ok;
}
