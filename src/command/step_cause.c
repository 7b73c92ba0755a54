/* The last two steps: isolate where a coverage build of the compiler is known, explain where
 * sources of a good and a bad version are. culprit compilers registers both. */
#include "command/inquiry.h"

#include "base/json.h"
#include "command/explain_case.h"
#include "command/isolate_report.h"
#include "run/run.h"
#include "store/case_repro.h"

/* What is known about the case's compiler: by its name, else by kind and version. */
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

/* The most suspicious function of this file; empty when none is known. */
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

/* ---- isolate ---- */

bool ready_isolate(Inquiry *q) {
    KnownCompiler known;
    return find_known(q, has_coverage, &known);
}

/* The case as a request to isolate. */
static bool isolate_asks(Inquiry *q, const KnownCompiler *known, IsolateRequest *r, Repro *repro,
                         Error *err) {
    *r = isolate_request();
    r->subject.coverage = arena_cstr(&q->arena, known->coverage);
    r->subject.cc = arena_cstr(&q->arena, known->path);
    r->time_s = q->step_s > 0 ? q->step_s : 600;
    r->workers = (unsigned)q->jobs;
    r->passing = case_passing(&q->c, CASE_BEST);
    return case_repro(&q->arena, &q->c, CASE_BEST, repro, err) &&
           isolate_take_repro(r, repro, &q->arena, err);
}

static bool keep_ranking(Inquiry *q, const IsolateResult *result, Error *err) {
    json_t *json = isolate_json(result, 50);
    Buf text = { 0 };
    json_dump_buf(json, false, &text);
    json_decref(json);
    CaseSet set = { "rankings", buf_view(&text) };
    bool ok = inquiry_set(q, &set, 1, err);
    buf_release(&text);
    return ok;
}

static Str say_suspect(Inquiry *q) {
    Str file = first_name(q, q->c.rankings, "files", "name"), function = first_function(q, file);
    return str_from(arena_fmt(&q->arena, "first suspect: " STR_FMT "%s" STR_FMT, STR_ARG(file),
                              function.len ? ", function " : "", STR_ARG(function)));
}

StepEnd step_isolate(Inquiry *q, Str *result) {
    KnownCompiler known;
    Error err = { 0 };
    if (!find_known(q, has_coverage, &known)) {
        *result =
            str_from(arena_fmt(&q->arena,
                               "no coverage build of " STR_FMT
                               " is registered; culprit compilers build " STR_FMT " makes one",
                               STR_ARG(q->c.compiler), STR_ARG(q->c.compiler)));
        return STEP_SKIPPED;
    }
    IsolateRequest request;
    IsolateResult found = { 0 };
    Repro repro;
    Live live;
    live_start(&live, q->quiet);
    bool ok = isolate_asks(q, &known, &request, &repro, &err);
    request.live = &live;
    bool ran = ok && isolate_run(&request, &found, &err);
    live_end(&live);
    bool kept = ran && keep_ranking(q, &found, &err);
    if (kept) isolate_print(&found, 5, q->quiet ? stderr : stdout);
    bool stopped = (ran && found.interrupted) || err.status == STATUS_INTERRUPTED;
    bool witnesses = ran && found.found;
    if (ok) isolate_result_free(&found);
    if (kept) *result = say_suspect(q);
    if (stopped) return STEP_STOPPED;
    if (kept && witnesses) return STEP_DONE;
    *result = kept ? STR("no witness was found in the time given: the ranking says little")
                   : str_from(arena_strdup(&q->arena, err.text));
    return STEP_FAILED;
}

/* ---- explain ---- */

bool ready_explain(Inquiry *q) {
    KnownCompiler known;
    return find_known(q, has_sources, &known);
}

static Str say_root(Inquiry *q, const Explanation *e) {
    if (e->together)
        return str_from(arena_fmt(&q->arena,
                                  "%zu changes together, not told apart in the time given",
                                  explanation_count(e, e->root)));
    return str_from(arena_fmt(&q->arena, "root change in " STR_FMT,
                              STR_ARG(first_name(q, q->c.explanations, "roots", "file"))));
}

/* Verdicts of builds and tests are kept, so that a stopped run can continue. */
static bool explain_asks(Inquiry *q, ExplainRequest *r, StrVec *suspects, Error *err) {
    *r = (ExplainRequest){ .method = "after",
                           .time_s = q->step_s > 0 ? q->step_s : 1800,
                           .workers = (unsigned)q->jobs,
                           .suspects = suspects,
                           .state = inquiry_dir(q, "explain") };
    return case_request(&q->arena, q->store, q->id, r, suspects, err);
}

StepEnd step_explain(Inquiry *q, Str *result) {
    KnownCompiler known;
    Error err = { 0 };
    if (!find_known(q, has_sources, &known)) {
        *result =
            str_from(arena_fmt(&q->arena,
                               "no sources of a good and a bad version are registered; "
                               "culprit compilers add " STR_FMT " --good DIR --bad DIR --build CMD",
                               STR_ARG(q->c.compiler)));
        return STEP_SKIPPED;
    }
    ExplainRequest request;
    ExplainResult found = { 0 };
    StrVec suspects = { 0 }, globs = { 0 };
    Live live;
    live_start(&live, q->quiet);
    bool ok = explain_asks(q, &request, &suspects, &err);
    request.live = &live, request.globs = &globs;
    bool ran = ok && explain_run(&request, &found, &err);
    live_end(&live);
    const Explanation *e = &found.explanation;
    bool root = ran && e->found, whole = root && e->verified && e->complete;
    ok = root && case_keep(q->store, q->id, e, &err) && inquiry_set(q, NULL, 0, &err);
    if (ok) explanation_print(e, false, q->quiet ? stderr : stdout);
    if (ok) *result = say_root(q, e);
    explain_result_release(&found);
    vec_release(&suspects);
    if (run_interrupted()) return STEP_STOPPED;
    if (ok && whole) return STEP_DONE;
    if (!ran) *result = str_from(arena_strdup(&q->arena, err.text));
    if (ran && !root) *result = STR("no root change was found in the time given");
    return ran && !whole ? STEP_STOPPED : STEP_FAILED;
}
