/* The stage from a request to its result: the start is tested, the method runs, the end is tested
 * again. See reduce.h. */
#include "reduce/reduce.h"

#include "base/file.h"
#include "base/quantity.h"
#include "reduce/many.h"
#include "reduce/output.h"
#include "reduce/ppr.h"
#include "reduce/reduce_knobs.h"
#include "reduce/result.h"
#include "tree/pretty.h"
#include <math.h>

typedef struct Session {
    const ReduceRequest *request;
    Arena arena;
    Reducer r;
    Output out;
    ReduceSnippets snippets;
    bool fresh;       /* began with the start itself, not with what an earlier run left */
    bool verified;    /* the end was tested again, and holds */
    ReduceAnswer end; /* of that test */
} Session;

/* ---- opening ---- */
static bool find_lang(Session *s, Lang **lang, Error *err) {
    const ReduceRequest *q = s->request;
    const char *name = q->files[VARIANT][0].name;
    *lang = NULL;
    if (q->text) return true;
    if (q->grammar) return (*lang = lang_load(q->grammar, err)) != NULL;
    if (q->lang) return (*lang = lang_builtin(q->lang, err)) != NULL;
    *lang = lang_for_file(name);
    if (!*lang)
        live_say(&s->r.live,
                 "%s: its name does not tell the language: reduced by lines and words (see --lang)",
                 name);
    return true;
}

static void open_files(Session *s, int side, const Lang *lang) {
    const ReduceRequest *q = s->request;
    FileSet *set = &s->r.side[side].files;
    for (size_t i = 0; i < q->n_files[side]; i++) {
        const ReduceFile *file = &q->files[side][i];
        fileset_add(set, file->name, file->path, file->text, file->unit);
        const Lang *own = q->text || q->grammar || q->lang ? NULL : lang_for_file(file->name);
        set->list.at[i].lang = own ? own : lang;
        if (q->start[side]) fileset_put(set, i, q->start[side][i]);
    }
    fileset_turn(set, 0);
}

static bool open_property(Session *s, int side, const Lang *lang, Error *err) {
    Side *to = &s->r.side[side];
    PropertySpec what = { .test = &s->request->test,
                          .files = &to->files,
                          .passing = side == SEED,
                          .lang = lang ? lang_name(lang) : "" };
    to->property = property_new(&what, err);
    return to->property != NULL;
}

static Hash test_hash(const Reducer *r) {
    Hash hash = property_identity(r->side[VARIANT].property);
    if (!r->pair) return hash;
    Hash other = property_identity(r->side[SEED].property);
    return (Hash){ hash.hi ^ other.lo, hash.lo ^ other.hi };
}

static bool open_sides(Session *s, Error *err) {
    Reducer *r = &s->r;
    Lang *lang;
    if (!find_lang(s, &lang, err)) return false;
    r->pair = s->request->n_files[SEED] > 0;
    for (int k = 0; k < SIDES; k++) {
        if (!s->request->n_files[k]) continue;
        open_files(s, k, lang);
        if (!open_property(s, k, lang, err)) return false;
    }
    if (!output_open(&s->out, s->request->dir, r, err)) return false;
    s->out.test = test_hash(r);
    if (output_resume(&s->out, r)) live_say(&r->live, "going on from %s", s->request->dir);
    for (int k = 0; k < SIDES; k++) {
        Side *side = &r->side[k];
        if (!side->property) continue;
        fileset_turn(&side->files, 0);
        doc_init(&side->doc, fileset_now(&side->files)->lang,
                 buf_view(&fileset_now(&side->files)->text));
        side->on = true;
    }
    many_align(r);
    r->save = output_save;
    r->save_user = &s->out;
    return true;
}

/* ---- the start ---- */
/* Whether the test accepts the empty file, or files that are all empty; tested repeatedly, since a
 * test may be flaky. */
static bool empty_interesting(Reducer *r) {
    FileSet *set = &r->side[VARIANT].files;
    Buf *texts = mem_alloc((set->list.len + 1) * sizeof *texts);
    bool interesting = true;
    fileset_exchange(set, texts);
    for (int i = 0; i < REDUCE_FLAKE_LEAD && interesting; i++)
        interesting = reducer_ask_text(r, VARIANT, (Str){ "", 0 }, NULL);
    fileset_exchange(set, texts);
    mem_free(texts);
    return interesting;
}

static bool relax(Reducer *r) {
    bool relaxed = property_relax(r->side[VARIANT].property);
    if (r->pair) relaxed |= property_relax(r->side[SEED].property);
    return relaxed;
}

static bool swap(Reducer *r) {
    bool swapped = property_swap(r->side[VARIANT].property);
    if (r->pair) swapped |= property_swap(r->side[SEED].property);
    return swapped;
}

/* As requested; with the two compilations the other way round; less strictly. The first reason is
 * the one reported. */
static bool verify_start(Reducer *r, ReduceAnswer *answer) {
    Arena arena = { 0 };
    ReduceAnswer first;
    bool ok = reducer_verify(r, REDUCE_FIRST_RUNS, true, &first);
    Str why = arena_str(&arena, first.why);
    *answer = first;
    while (!ok && !run_interrupted() && !answer->cancelled) {
        if (swap(r)) {
            ok = reducer_verify(r, REDUCE_FIRST_RUNS, true, answer);
            if (ok || answer->cancelled) break;
            swap(r);
        }
        if (!relax(r)) break;
        ok = reducer_verify(r, REDUCE_FIRST_RUNS, true, answer);
    }
    if (!ok && !answer->cancelled) {
        answer->side = first.side;
        answer->why = arena_str(&r->said, why);
    }
    arena_release(&arena);
    return ok;
}

static bool not_interesting(const Session *s, const ReduceAnswer *answer, Error *err) {
    const Reducer *r = &s->r;
    int side = answer->side;
    if (run_interrupted())
        return err_set(err, STATUS_NO, "interrupted before anything was reduced");
    if (answer->cancelled)
        return err_set(err, STATUS_NO, "time ran out before the original had been tested");
    return err_set(err, STATUS_NO,
                   "%s (the %s) is not interesting at the start: wanted: %s; found: " STR_FMT "%s",
                   s->request->files[side][0].name, side == SEED ? "passing side" : "failing side",
                   property_describe(r->side[side].property), STR_ARG(answer->why),
                   s->request->test.kind == TEST_SCRIPT
                       ? " (it runs in a directory of its own, beside nothing but what is reduced)"
                       : "");
}

/* The file that a script names by its full path, and so looks at instead of the candidate; NULL:
 * none. */
static const char *looked_at(const Session *s, Arena *arena) {
    const ReduceRequest *q = s->request;
    Error ignored = { 0 };
    Str text;
    if (q->test.kind != TEST_SCRIPT || !file_read(arena, q->test.script, &text, &ignored))
        return NULL;
    for (size_t i = 0; i < q->n_files[VARIANT]; i++) {
        const char *path = q->files[VARIANT][i].path;
        char *full = path ? realpath(path, NULL) : NULL;
        bool found = full && str_find(text, str_from(full), 0) != STR_NONE;
        free(full);
        if (found) return path;
    }
    return NULL;
}

static bool refuse_empty(const Session *s, Error *err) {
    Arena arena = { 0 };
    const char *path = looked_at(s, &arena);
    if (path)
        err_set(err, STATUS_BAD,
                "the empty file is interesting too: %s reads %s by its full path, so it never sees "
                "a candidate; the test runs in a fresh directory that holds the candidate as %s",
                s->request->test.script, path, s->request->files[VARIANT][0].name);
    else
        err_set(err, STATUS_BAD,
                "the empty file is interesting too, so nothing would be left: the test "
                "must ask for something only the failing program has (a message, an output)");
    arena_release(&arena);
    return false;
}

/* The start must be interesting, and the empty file must not be. */
static bool check_start(Session *s, Error *err) {
    Reducer *r = &s->r;
    ReduceAnswer answer;
    reducer_phase(r, "start");
    if (!verify_start(r, &answer)) return not_interesting(s, &answer, err);
    for (int k = 0; k < SIDES; k++)
        if (r->side[k].on) property_begin(r->side[k].property);
    if (empty_interesting(r)) return refuse_empty(s, err); /* which may well hang the test */
    r->bucket = property_has_bucket(r->side[VARIANT].property);
    r->milestone = SIZE_MAX;
    reducer_remember(r, true);
    Str why;
    if (r->bucket && !r->stop &&
        !property_same_bug(r->side[VARIANT].property, r->pool, &r->said,
                           doc_text(&r->side[VARIANT].doc), &why)) {
        r->bucket = false;
        live_say(&r->live,
                 "the condition of its bucket does not hold here (" STR_FMT "): not required",
                 STR_ARG(why));
    }
    return true;
}

/* ---- the method ---- */
static void run_method(Session *s) {
    const ReduceRequest *q = s->request;
    Reducer *r = &s->r;
    /* The snippets' places are those of the start, so this is done once. */
    bool fresh = str_eq(doc_text(&r->side[VARIANT].doc), q->files[VARIANT][0].text);
    s->fresh |= fresh;
    Plan plan = { .order = q->order, .rounds = (unsigned)q->rounds, .plain = q->plain };
    r->input = q->test.kind == TEST_REPRO ? q->test.repro->input : q->test.input;
    if (fresh && q->n_files[VARIANT] == 1) plan.snippets = &s->snippets;
    if (strcmp(q->method, "dd") == 0)
        reduce_dd(r);
    else if (strcmp(q->method, "ddmin") == 0)
        reduce_ddmin(r);
    else
        reduce_many(r, &plan);
}

/* Tests the end again; if time has run out, only briefly. */
static bool verify_end(Session *s) {
    Reducer *r = &s->r;
    reducer_phase(r, "end");
    bool over = r->until > 0 && clock_now() > r->until;
    double grace = reducer_right(r) ? REDUCE_GRACE : REDUCE_GRACE_UNKNOWN;
    pool_until(r->pool, over ? clock_now() + grace : INFINITY);
    reducer_thorough(r, true);
    s->verified = reducer_verify(r, REDUCE_LAST_RUNS, false, &s->end) && !run_interrupted();
    reducer_thorough(r, false);
    return s->verified || s->end.cancelled;
}

/* Reduces; where the test turns out to be flaky, or it is another bug, continues from what still
 * holds. */
static bool reduce_all(Session *s, Error *err) {
    Reducer *r = &s->r;
    for (int again = 0; again < REDUCE_AGAIN; again++) {
        r->undone = false;
        bool was_flaky = r->flaky;
        run_method(s);
        if (run_interrupted()) break;
        if (r->undone && !r->stop) continue;
        if (!r->stop && !reducer_milestone(r, true) && !r->stop) continue;
        bool holds = verify_end(s);
        if (holds && r->flaky == was_flaky) return true;
        if (run_interrupted()) break;
        if (!holds && !reducer_fall_back(r))
            return err_set(
                err, STATUS_NO,
                "the test changed its mind: it no longer finds %s interesting (found: " STR_FMT ")",
                s->request->files[s->end.side][0].name, STR_ARG(s->end.why));
        s->verified = !run_interrupted();
        if (r->stop) return true;
    }
    r->stop |= run_interrupted();
    return true;
}

/* What is left, laid out for people; kept as it was where the test minds. */
static void lay_out(Session *s) {
    Reducer *r = &s->r;
    if (r->stop || r->flaky || !s->verified || s->request->n_files[VARIANT] > 1) return;
    for (int k = 0; k < SIDES; k++) {
        Doc *doc = &r->side[k].doc;
        if (!r->side[k].on || !parser_by_grammar(doc->parser)) continue;
        doc_refresh(doc);
        Buf text = { 0 };
        pretty_text(&doc->tree, &text);
        bool same = str_eq(buf_view(&text), doc_text(doc));
        if (!same && reducer_ask_text(r, k, buf_view(&text), NULL)) doc_load(doc, buf_view(&text));
        buf_release(&text);
    }
}

static bool run(Session *s, Error *err) {
    const ReduceRequest *q = s->request;
    Reducer *r = &s->r;
    live_start(&r->live, q->quiet);
    r->pool = pool_new(q->jobs);
    r->until = q->time_s > 0 ? clock_now() + q->time_s : 0;
    if (r->until > 0) pool_until(r->pool, r->until);
    if (q->snippets.len && !snippets_read(&s->arena, q->snippets, q->snippets_name,
                                          q->files[VARIANT][0].text, &s->snippets, err))
        return false;
    if (!open_sides(s, err) || !check_start(s, err)) {
        output_undo(&s->out);
        return false;
    }
    if (!reduce_all(s, err)) return false;
    lay_out(s);
    reducer_save(r, true);
    if (s->out.err.status == STATUS_DONE) return true;
    *err = s->out.err;
    return false;
}

static void fill_result(Session *s, ReduceResult *result) {
    result_fill(result, &s->r, &s->out);
    result->verified = s->verified;
    result->interrupted = run_interrupted();
    result->out_of_time = s->r.stop && !run_interrupted();
    if (s->end.has_seen) result->failure = str_from(symptom_text(&result->arena, &s->end.seen));
    const Right *right = reducer_right(&s->r);
    result->has_right = right != NULL;
    if (right) result->right = arena_str(&result->arena, right->output), result->code = right->code;
    if (!s->snippets.len || !s->r.pair || !s->fresh) return;
    Buf line = { 0 };
    snippets_say(&s->snippets, &line);
    result->snippets = arena_str(&result->arena, buf_view(&line));
    buf_release(&line);
}

bool reduce_run(const ReduceRequest *request, ReduceResult *result, Error *err) {
    Session s = { .request = request };
    *result = (ReduceResult){ 0 };
    bool ok = run(&s, err);
    if (ok) fill_result(&s, result);
    live_end(&s.r.live);
    reducer_release(&s.r);
    output_release(&s.out);
    vec_release(&s.snippets);
    arena_release(&s.arena);
    return ok;
}

void reduce_release(ReduceResult *result) {
    arena_release(&result->arena);
}
