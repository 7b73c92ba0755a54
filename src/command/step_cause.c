/* The last two steps: isolate where a coverage build of the compiler is known, explain where
 * sources of a good and a bad version are. Both are told by culprit compilers. */
#include "command/inquiry.h"

#include "base/file.h"
#include "base/json.h"
#include "command/commands.h"
#include "run/run.h"

/* What is known of the case's compiler: by its name, else by kind and version. */
static bool find_known(Inquiry *q, bool (*has)(const KnownCompiler *), KnownCompiler *out) {
    KnownCompiler *all;
    size_t n;
    Store *store = store_open(q->store, STORE_READ, NULL);
    bool ok = store && store_compiler_list(store, &q->arena, &all, &n, NULL);
    store_close(store);
    for (int by_name = 1; ok && by_name >= 0; by_name--)
        for (size_t i = 0; i < n; i++) {
            bool same =
                by_name ? str_eq(all[i].name, q->c.compiler)
                        : str_eq(all[i].kind, q->c.kind) && str_eq(all[i].version, q->c.version);
            if (same && has(&all[i])) return *out = all[i], true;
        }
    return false;
}

static bool has_coverage(const KnownCompiler *c) {
    return c->coverage.len > 0;
}

static bool has_sources(const KnownCompiler *c) {
    return c->good_source.len && c->bad_source.len && c->build.len;
}

static char *number(Inquiry *q) {
    return arena_fmt(&q->arena, "%lld", (long long)q->id);
}

static char *seconds(Inquiry *q, double fallback) {
    return arena_fmt(&q->arena, "%.0fs", q->step_s > 0 ? q->step_s : fallback);
}

/* The most suspicious function that stands in this file; empty when none is known. */
static Str first_function(Inquiry *q, Str file) {
    json_t *o = json_parse(q->c.rankings, "case", NULL), *row;
    Str name = { 0 };
    size_t i;
    json_array_foreach(json_object_get(o, "functions"), i,
                       row) if (!name.len && str_eq(json_get_text(row, "file"), file)) name =
        arena_str(&q->arena, json_get_text(row, "name"));
    json_decref(o);
    return name;
}

/* The name at the head of a list of the JSON in a member; empty when there is none. */
static Str first_name(Inquiry *q, Str json, const char *list, const char *member) {
    json_t *o = json.len ? json_parse(json, "case", NULL) : NULL;
    Str name = json_get_text(json_array_get(json_object_get(o, list), 0), member);
    name = arena_str(&q->arena, name);
    json_decref(o);
    return name;
}

static StepEnd ended(Inquiry *q, int status, const char *stage, Str *result) {
    if (run_interrupted()) return STEP_STOPPED;
    if (status != STATUS_DONE)
        *result = str_from(arena_fmt(&q->arena, "%s ended with status %d", stage, status));
    return status == STATUS_DONE ? STEP_DONE : STEP_FAILED;
}

StepEnd step_isolate(Inquiry *q, Str *result) {
    KnownCompiler known;
    Error err = { 0 };
    if (!find_known(q, has_coverage, &known)) {
        *result = str_from(arena_fmt(&q->arena,
                                     "no coverage build of " STR_FMT
                                     " is known; culprit compilers add --coverage DIR",
                                     STR_ARG(q->c.compiler)));
        return STEP_SKIPPED;
    }
    const char *words[16] = { "isolate",
                              "--case",
                              number(q),
                              "--store",
                              q->store,
                              "--coverage",
                              arena_cstr(&q->arena, known.coverage),
                              "--cc",
                              arena_cstr(&q->arena, known.path),
                              "--time",
                              seconds(q, 600) };
    if (str_is(q->c.verdict, "wrong") &&
        !q->c.good_flags.len) /* nothing of its own that is right */
        words[11] = "--ref", words[12] = file_find_program(&q->arena, "gcc-12") ? "gcc-12" : "gcc";
    StepEnd end = ended(q, inquiry_command(q, isolate_command, words), "isolate", result);
    if (end != STEP_DONE) return end;
    if (!inquiry_set(q, NULL, 0, &err))
        return *result = str_from(arena_strdup(&q->arena, err.text)), STEP_FAILED;
    Str file = first_name(q, q->c.rankings, "files", "name"), function = first_function(q, file);
    *result = str_from(arena_fmt(&q->arena, "first suspect: " STR_FMT "%s" STR_FMT, STR_ARG(file),
                                 function.len ? ", function " : "", STR_ARG(function)));
    return STEP_DONE;
}

StepEnd step_explain(Inquiry *q, Str *result) {
    KnownCompiler known;
    Error err = { 0 };
    if (!find_known(q, has_sources, &known)) {
        *result = STR("no sources of a good and a bad version are known; culprit compilers add "
                      "--good --bad --build");
        return STEP_SKIPPED;
    }
    const char *words[] = { "explain", "--case", number(q),        "--store",
                            q->store,  "--time", seconds(q, 1800), NULL };
    StepEnd end = ended(q, inquiry_command(q, explain_command, words), "explain", result);
    if (end != STEP_DONE) return end;
    if (!inquiry_set(q, NULL, 0, &err))
        return *result = str_from(arena_strdup(&q->arena, err.text)), STEP_FAILED;
    *result = str_from(arena_fmt(&q->arena, "root change in " STR_FMT,
                                 STR_ARG(first_name(q, q->c.explanations, "roots", "file"))));
    return STEP_DONE;
}
