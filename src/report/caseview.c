/* A case prepared for display. */
#include "report/caseview.h"

#include <time.h>

/* ---- words ---- */

const char *verdict_words(Str verdict) {
    static const char *const words[][2] = {
        { "crash", "compiler crash" },         { "wrong", "wrong code" },
        { "hang", "compiler hang" },           { "link", "link failure" },
        { "rejected", "valid code rejected" }, { "ok", "passes" },
    };
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (str_is(verdict, words[i][0])) return words[i][1];
    return "failure";
}

Colour verdict_colour(Str verdict) {
    if (str_is(verdict, "ok")) return COLOUR_GREEN;
    if (str_is(verdict, "crash") || str_is(verdict, "wrong")) return COLOUR_RED;
    return COLOUR_YELLOW;
}

static Str first_line(Str text, size_t most) {
    Str rest = str_trim(text), line = STR("");
    str_split(&rest, '\n', &line);
    return str_sub(line, 0, most);
}

Str case_title(Arena *arena, const Case *c) {
    if (c->title.len) return c->title;
    Buf text = { 0 };
    buf_fmt(&text, STR_FMT " " STR_FMT, STR_ARG(c->compiler), STR_ARG(c->flags));
    buf_text(&text, ": ");
    buf_text(&text, verdict_words(c->verdict));
    Str line = first_line(c->signature, 120);
    if (line.len) buf_fmt(&text, ", " STR_FMT, STR_ARG(line));
    Str title = arena_str(arena, buf_view(&text));
    buf_release(&text);
    return title;
}

bool case_is_unconfirmed(const Case *c) {
    return str_starts(c->bucket, CASE_UNCONFIRMED);
}

Str case_doubt(const Case *c) {
    Str prefix = STR("unconfirmed: ");
    if (!case_is_unconfirmed(c)) return STR("");
    return str_starts(c->notes, prefix.at)
               ? str_sub(first_line(c->notes, 1000), prefix.len, SIZE_MAX)
               : STR("not all could be checked");
}

static Str doubt(Arena *arena, const Case *c) {
    Str why = c->undefined.len ? c->undefined : case_doubt(c);
    if (!why.len) return why;
    return str_from(arena_fmt(arena, "%s: " STR_FMT,
                              c->undefined.len ? "this program is undefined" : "unconfirmed",
                              STR_ARG(why)));
}

const char *show_time(double time, char out[32]) {
    time_t t = (time_t)time;
    struct tm tm;
    if (time <= 0 || !gmtime_r(&t, &tm) || !strftime(out, 32, "%Y-%m-%d %H:%M", &tm))
        snprintf(out, 32, "-");
    return out;
}

/* ---- loading ---- */

static json_t *parse(Str text) {
    return text.len ? json_parse(text, "case", NULL) : NULL;
}

static void split_flags(Str flags, StrVec *out) {
    Str rest = flags, word;
    while (str_split(&rest, ' ', &word))
        if (word.len) vec_push(out, word);
}

bool caseview_load(CaseView *view, Store *store, int64_t id, Error *err) {
    *view = (CaseView){ 0 };
    Case *c = &view->c;
    if (!store_case_get(store, &view->arena, id, c, err)) return false;
    view->title = case_title(&view->arena, c);
    view->doubt = doubt(&view->arena, c);
    view->reduced = c->reduced_variant.len > 0;
    view->seed = view->reduced ? c->reduced_seed : c->seed;
    view->variant = view->reduced ? c->reduced_variant : c->variant.len ? c->variant : c->seed;
    view->expected = view->reduced ? c->reduced_expected : c->expected;
    if (!view->reduced && !c->variant.len) view->seed = STR("");
    view->has_repro = case_repro(&view->arena, c, CASE_BEST, &view->repro, NULL);
    split_flags(c->flags, &view->flags);
    split_flags(c->good_flags, &view->good_flags);
    view->snippets = parse(c->snippets);
    view->matrix = parse(c->matrix);
    view->units = view->reduced ? NULL : parse(c->units);
    view->versions = parse(c->versions);
    view->rankings = parse(c->rankings);
    view->explanations = parse(c->explanations);
    return store_steps(store, &view->arena, id, &view->steps, &view->n_steps, err);
}

void caseview_release(CaseView *view) {
    vec_release(&view->flags);
    vec_release(&view->good_flags);
    json_decref(view->snippets);
    json_decref(view->matrix);
    json_decref(view->units);
    json_decref(view->versions);
    json_decref(view->rankings);
    json_decref(view->explanations);
    arena_release(&view->arena);
}

/* ---- commands ---- */

bool caseview_runs(const CaseView *view) {
    return str_is(view->c.verdict, "wrong");
}

int64_t caseview_code(const CaseView *view) {
    return view->reduced ? view->c.reduced_code : view->c.code;
}

void caseview_shell_line(const CaseView *view, bool good, Buf *out) {
    if (view->has_repro) repro_line(&view->repro, good, out);
}

void caseview_repro(const CaseView *view, Buf *out) {
    if (view->has_repro) repro_script(&view->repro, &(ReproScript){ .title = view->title }, out);
}

/* ---- JSON ---- */

json_t *case_json(const Case *c) {
    json_t *o = json_object();
    json_put_int(o, "id", c->id);
    json_put_int(o, "campaign", c->campaign);
    json_put_real(o, "created", c->created);
    json_put_real(o, "updated", c->updated);
    json_put_int(o, "count", (int64_t)c->count);
    json_put_int(o, "size", (int64_t)c->size);
    json_put_int(o, "number", (int64_t)c->number);
    json_put_int(o, "variant_number", (int64_t)c->variant_number);
    json_put_int(o, "code", c->code);
    json_put_int(o, "reduced_code", c->reduced_code);
    struct {
        const char *name;
        Str value;
    } texts[] = { { "compiler", c->compiler },   { "version", c->version },
                  { "kind", c->kind },           { "target", c->target },
                  { "flags", c->flags },         { "good_flags", c->good_flags },
                  { "verdict", c->verdict },     { "signature", c->signature },
                  { "bucket", c->bucket },       { "matters", c->matters },
                  { "seed_name", c->seed_name }, { "title", c->title } };
    for (size_t i = 0; i < COUNT_OF(texts); i++) json_put_text(o, texts[i].name, texts[i].value);
    return o;
}

static void put_json(json_t *o, const char *key, json_t *value) {
    if (value) json_put(o, key, json_incref(value));
}

static json_t *steps_json(const CaseView *view) {
    json_t *steps = json_array();
    for (size_t i = 0; i < view->n_steps; i++) {
        json_t *s = json_object();
        json_put_text(s, "name", view->steps[i].name);
        json_put_text(s, "state", view->steps[i].state);
        json_put_text(s, "result", view->steps[i].result);
        json_put_real(s, "started", view->steps[i].started);
        json_put_real(s, "ended", view->steps[i].ended);
        json_array_append_new(steps, s);
    }
    return steps;
}

json_t *caseview_json(const CaseView *view) {
    const Case *c = &view->c;
    json_t *o = case_json(c);
    json_put_text(o, "title", view->title);
    if (view->doubt.len) json_put_text(o, "doubt", view->doubt);
    struct {
        const char *name;
        Str value;
    } texts[] = { { "seed", c->seed },
                  { "variant", c->variant },
                  { "input", c->input },
                  { "expected", c->expected },
                  { "actual", c->actual },
                  { "reduced_seed", c->reduced_seed },
                  { "reduced_variant", c->reduced_variant },
                  { "reduced_expected", c->reduced_expected },
                  { "original", c->original },
                  { "undefined", c->undefined },
                  { "tags", c->tags },
                  { "notes", c->notes } };
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        if (texts[i].value.len) json_put_text(o, texts[i].name, texts[i].value);
    put_json(o, "snippets", view->snippets);
    put_json(o, "units", view->units);
    put_json(o, "matrix", view->matrix);
    put_json(o, "versions", view->versions);
    put_json(o, "rankings", view->rankings);
    put_json(o, "explanations", view->explanations);
    json_put(o, "steps", steps_json(view));
    return o;
}
