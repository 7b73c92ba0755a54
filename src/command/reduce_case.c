/* See reduce_case.h. */
#include "command/reduce_case.h"

#include "base/json.h"
#include "store/case_repro.h"

/* What each file was reduced to by an earlier run; NULL: nothing. */
static const Str *earlier(Arena *arena, const Case *c, const Repro *found) {
    Repro best;
    if (!case_repro(arena, c, CASE_BEST, &best, NULL) || best.n_files != found->n_files)
        return NULL;
    Str *texts = ARENA_ARRAY(arena, Str, best.n_files);
    bool any = false;
    for (size_t i = 0; i < best.n_files; i++) {
        texts[i] = best.files[i].text;
        any |= !str_eq(texts[i], found->files[i].text);
    }
    return any ? texts : NULL;
}

static void take_failing(Arena *arena, const Case *c, const Repro *repro, ReduceRequest *q) {
    ReduceFile *files = ARENA_ARRAY(arena, ReduceFile, repro->n_files);
    for (size_t i = 0; i < repro->n_files; i++)
        files[i] = (ReduceFile){ .name = arena_cstr(arena, repro->files[i].name),
                                 .text = repro->files[i].text,
                                 .unit = repro->files[i].unit };
    q->files[VARIANT] = files;
    q->n_files[VARIANT] = repro->n_files;
    q->start[VARIANT] = earlier(arena, c, repro);
}

static void take_passing(Arena *arena, const Case *c, ReduceRequest *q) {
    Str text = case_passing(c, CASE_FOUND);
    if (!text.len || q->n_files[VARIANT] > 1) return;
    ReduceFile *file = ARENA_NEW(arena, ReduceFile);
    *file = (ReduceFile){ .name = "seed.c", .text = text, .unit = true };
    q->files[SEED] = file;
    q->n_files[SEED] = 1;
    if (c->reduced_seed.len && q->start[VARIANT]) q->start[SEED] = &c->reduced_seed;
    if (!c->reduced_seed.len) q->start[VARIANT] = NULL; /* one program alone was reduced */
}

bool reduce_case_request(Arena *arena, const Case *c, ReduceRequest *q, Error *err) {
    Repro *repro = ARENA_NEW(arena, Repro);
    if (!case_repro(arena, c, CASE_FOUND, repro, err)) return false;
    q->test.kind = TEST_REPRO;
    q->test.repro = repro;
    take_failing(arena, c, repro, q);
    take_passing(arena, c, q);
    if (q->n_files[VARIANT] == 1 && q->n_files[SEED]) q->snippets = c->snippets;
    q->snippets_name = "the case's snippets";
    return true;
}

/* The units, with what each was reduced to. */
static Str units_json(Arena *arena, const Case *c, const ReducedSide *side, Error *err) {
    json_t *list = json_parse(c->units, "the case's units", err);
    for (size_t i = 0; i < json_array_size(list) && i < side->n_files; i++)
        json_put_text(json_array_get(list, i), "reduced", side->files[i].text);
    Buf text = { 0 };
    if (list) json_dump_buf(list, false, &text);
    Str copy = arena_str(arena, buf_view(&text));
    buf_release(&text);
    json_decref(list);
    return copy;
}

/* What the failing program should print and return: as seen when it was last tested, or found
 * now. */
static bool find_right(Arena *arena, const Case *c, const ReduceResult *result, Str *right,
                       int64_t *code) {
    *right = result->right;
    *code = result->code;
    if (result->has_right || !str_is(c->verdict, "wrong")) return true;
    return result->side[VARIANT].n_files == 1 &&
           cc_right_run(arena, c->compiler, c->good_flags, result->side[VARIANT].files[0].text,
                        c->input, right, code);
}

bool reduce_case_keep(Store *store, const Case *c, const ReduceResult *result, Error *err) {
    Arena arena = { 0 };
    const ReducedSide *failing = &result->side[VARIANT], *passing = &result->side[SEED];
    Str right;
    int64_t code;
    if (!find_right(&arena, c, result, &right, &code)) {
        arena_release(&arena);
        return err_set(err, STATUS_NO,
                       "the reduced program is not stored: compiled correctly it no longer ends, "
                       "so there is no telling what it should print");
    }
    CaseSet sets[4] = { { "reduced_expected", right } };
    size_t n = 1;
    if (failing->n_files > 1) {
        sets[n++] = (CaseSet){ "units", units_json(&arena, c, failing, err) };
    } else {
        sets[n++] = (CaseSet){ "reduced_variant", failing->files[0].text };
        sets[n++] =
            (CaseSet){ "reduced_seed", passing->n_files ? passing->files[0].text : (Str){ "", 0 } };
    }
    sets[n++] = (CaseSet){ "reduced_code", store_number(&arena, code) };
    bool ok = store_case_set(store, c->id, sets, n, err);
    arena_release(&arena);
    return ok;
}
