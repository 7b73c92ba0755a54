/* Which of the installed compilers fail, and at which levels: the matrix, and the range of versions
 * in which the bug is there. */
#include "command/inquiry.h"

#include "base/file.h"
#include "base/json.h"
#include "base/live.h"
#include "base/quantity.h"
#include "cc/verdict.h"
#include "run/run.h"

#include <math.h>

enum { COMPILERS_MOST = 16 };

/* One cell: a compiler with flags. */
typedef struct Cell {
    CcJob job; /* first: what the pool sees */
    const Compiler *cc;
    const char *level; /* as shown; the case's own flags, or a level */
    bool own;          /* the case's own flags */
} Cell;

/* The case's compiler first, then all that are installed, without those of the same kind and
 * version. False and err when the case's own compiler does not work: then nothing is compared. */
static bool find_compilers(Inquiry *q, CompilerVec *all, Error *err) {
    Compiler own;
    CompilerVec found = { 0 };
    run_until(q->until);
    bool ok = compiler_open(&q->arena, arena_cstr(&q->arena, q->c.compiler), &own, err);
    if (ok) compilers_find(&q->arena, own.target, &found);
    run_until(INFINITY);
    if (!ok) return false;
    vec_push(all, own);
    for (size_t i = 0; i < found.len && all->len < COMPILERS_MOST; i++) {
        bool there = false;
        for (size_t k = 0; k < all->len; k++)
            there |= all->at[k].kind == found.at[i].kind &&
                     strcmp(all->at[k].version, found.at[i].version) == 0;
        if (!there) vec_push(all, found.at[i]);
    }
    vec_release(&found);
    return true;
}

static Cell *new_cell(Inquiry *q, const Compiler *cc, Str flags, bool own) {
    const Case *c = &q->c;
    bool reduced = c->reduced_variant.len > 0, runs = str_is(c->verdict, "wrong"),
         links = str_is(c->verdict, "link");
    Cell *cell = ARENA_NEW(&q->arena, Cell);
    cc_job_init(&cell->job, cc, flags_split(&q->arena, flags), inquiry_program(q),
                runs    ? CC_UNTIL_RUN
                : links ? CC_UNTIL_LINKED
                        : CC_UNTIL_ASSEMBLY);
    cell->job.compare = runs;
    cell->job.expected = reduced ? c->reduced_expected : c->expected;
    cell->job.code = (int)(reduced ? c->reduced_code : c->code);
    cell->job.input = c->input;
    cell->cc = cc;
    cell->level = arena_cstr(&q->arena, flags);
    cell->own = own;
    return cell;
}

typedef VEC(Cell *) CellVec;

static void make_cells(Inquiry *q, const CompilerVec *compilers, CellVec *cells) {
    for (size_t i = 0; i < compilers->len; i++) {
        const Compiler *cc = &compilers->at[i];
        bool plain = false;
        for (const char *const *level = cc_levels; *level && cc->levels; level++) {
            bool own = str_is(q->c.flags, *level);
            vec_push(cells, new_cell(q, cc, str_from(*level), own));
            plain |= own;
        }
        /* flags beyond a level get a column of their own, for compilers that may know them */
        const char *kind = cc_kind_name(cc->kind);
        if (!plain && (str_is(q->c.kind, kind) || !cc->levels))
            vec_push(cells, new_cell(q, cc, q->c.flags, true));
    }
}

static json_t *cell_json(const Cell *cell) {
    json_t *o = json_object();
    const Verdict *v = &cell->job.verdict;
    json_put_text(o, "compiler", str_from(cell->cc->name));
    json_put_text(o, "version", str_from(cell->cc->version));
    json_put_text(o, "level", str_from(cell->level));
    json_put_text(o, "verdict", str_from(verdict_name(v->kind)));
    Str detail = v->kind == VERDICT_CRASH ? v->crash.signature : v->detail;
    if (detail.len && v->kind != VERDICT_OK) json_put_text(o, "detail", detail);
    return o;
}

/* Whether the cell fails as the case does. */
static bool fails(const Inquiry *q, const Cell *cell) {
    return str_is(q->c.verdict, verdict_name(cell->job.verdict.kind));
}

/* Versions of the case's own kind, with its own flags; those that fail in another way (refuse the
 * flags, crash) count as neither. */
static json_t *range_json(const Inquiry *q, const CellVec *cells, size_t *failing) {
    json_t *o = json_object(), *lists[2] = { json_array(), json_array() };
    for (size_t i = 0; i < cells->len; i++) {
        const Cell *cell = cells->at[i];
        bool bad = fails(q, cell);
        if (!cell->own || !str_is(q->c.kind, cc_kind_name(cell->cc->kind)) ||
            (!bad && cell->job.verdict.kind != VERDICT_OK))
            continue;
        char name[160];
        snprintf(name, sizeof name, "%s %s", cell->cc->name, cell->cc->version);
        *failing += bad;
        json_array_append_new(lists[bad], json_text(str_from(name)));
    }
    json_put(o, "passing", lists[0]);
    json_put(o, "failing", lists[1]);
    return o;
}

static Str text_of(Arena *arena, json_t *json) {
    Buf out = { 0 };
    json_dump_buf(json, false, &out);
    Str copy = arena_str(arena, buf_view(&out));
    buf_release(&out);
    json_decref(json);
    return copy;
}

static void run_cells(Inquiry *q, CellVec *cells) {
    Live live;
    live_start(&live, q->quiet);
    Pool *pool = pool_new((unsigned)q->jobs);
    pool_until(pool, q->until);
    for (size_t i = 0; i < cells->len; i++) pool_submit(pool, &cells->at[i]->job.job);
    for (size_t done = 0; pool_next(pool); done++)
        live_line(&live, "versions: %zu of %zu compilations", done + 1, cells->len);
    pool_free(pool);
    live_end(&live);
}

StepEnd step_versions(Inquiry *q, Str *result) {
    CompilerVec compilers = { 0 };
    CellVec cells = { 0 };
    Error err = { 0 };
    if (!find_compilers(q, &compilers, &err)) {
        *result = str_from(arena_strdup(&q->arena, err.text));
        return run_interrupted() ? STEP_STOPPED : STEP_FAILED;
    }
    make_cells(q, &compilers, &cells);
    run_cells(q, &cells);
    json_t *matrix = json_array();
    size_t failing = 0;
    for (size_t i = 0; i < cells.len; i++) json_array_append_new(matrix, cell_json(cells.at[i]));
    json_t *range = range_json(q, &cells, &failing);
    *result = str_from(arena_fmt(&q->arena, "%zu compilers tried; %zu of this kind fail, %zu pass",
                                 compilers.len, failing,
                                 json_array_size(json_object_get(range, "passing"))));
    CaseSet sets[] = { { "matrix", text_of(&q->arena, matrix) },
                       { "versions", text_of(&q->arena, range) } };
    bool cut = run_interrupted() || clock_now() >= q->until; /* a matrix with holes is not stored */
    bool ok = cut || inquiry_set(q, sets, 2, &err);
    for (size_t i = 0; i < cells.len; i++) arena_release(&cells.at[i]->job.job.arena);
    vec_release(&cells);
    vec_release(&compilers);
    if (run_interrupted() || clock_now() >= q->until)
        return *result = STR("not all compilers were tried"), STEP_STOPPED;
    if (!ok) *result = str_from(arena_strdup(&q->arena, err.text));
    return ok ? STEP_DONE : STEP_FAILED;
}
