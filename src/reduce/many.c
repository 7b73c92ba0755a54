/* See many.h. A file of both sides is identified by its name; it is dropped, merged and reduced on
 * both. */
#include "reduce/many.h"
#include "reduce/bulk/numbered.h"

#include "reduce/merge.h"
#include "reduce/reduce_knobs.h"
#include "tree/lang.h"

/* ---- the current file ---- */
void many_put_back(Reducer *r) {
    for (int s = 0; s < SIDES; s++) {
        Side *side = &r->side[s];
        if (side->on && side->files.list.len > 1)
            fileset_put(&side->files, side->files.current, doc_text(&side->doc));
    }
}

static void load(Side *side, size_t i) {
    SetFile *file = &side->files.list.at[i];
    fileset_turn(&side->files, i);
    doc_release(&side->doc);
    doc_init(&side->doc, file->lang, buf_view(&file->text));
}

void many_reload(Reducer *r) {
    for (int s = 0; s < SIDES; s++)
        if (r->side[s].on) load(&r->side[s], r->side[s].files.current);
}

static void forget_past(Reducer *r) {
    for (size_t i = 0; i < r->past.len; i++)
        for (int s = 0; s < SIDES; s++) mem_free(r->past.at[i].text[s]);
    vec_clear(&r->past);
    r->milestone = SIZE_MAX;
}

/* About how many tokens the other files have. */
static size_t tokens_beside(const FileSet *set) {
    enum { BYTES_A_TOKEN = 4 };
    size_t bytes = 0;
    for (size_t i = 0; i < set->list.len; i++)
        if (i != set->current && !set->list.at[i].gone) bytes += set->list.at[i].text.len;
    return bytes / BYTES_A_TOKEN;
}

/* File i of the variant becomes the current one, and the seed's of that name; false: the seed has
 * none. */
static bool turn(Reducer *r, size_t i) {
    const char *name = r->side[VARIANT].files.list.at[i].name;
    many_put_back(r);
    load(&r->side[VARIANT], i);
    size_t twin = r->pair ? fileset_index(&r->side[SEED].files, name) : SIZE_MAX;
    bool both = twin != SIZE_MAX && !r->side[SEED].files.list.at[twin].gone;
    if (both) load(&r->side[SEED], twin);
    forget_past(r);
    reducer_remember(r, true);
    r->beside = tokens_beside(&r->side[VARIANT].files);
    return both;
}

void many_align(Reducer *r) {
    FileSet *set = &r->side[VARIANT].files;
    size_t i = 0;
    while (i + 1 < set->list.len && set->list.at[i].gone) i++;
    if (set->list.len > 1) turn(r, i);
}

/* ---- dropping files ---- */
typedef struct DropTest {
    Reducer *r;
    VEC(const char *) names; /* of both sides */
} DropTest;

static void set_gone(Reducer *r, const char *name, bool gone) {
    for (int s = 0; s < SIDES; s++) {
        size_t i = fileset_index(&r->side[s].files, name);
        if (i == SIZE_MAX) continue;
        r->side[s].files.list.at[i].gone = gone;
        r->side[s].files.list.at[i].dirty = true;
    }
}

static void list_names(const Reducer *r, DropTest *d) {
    for (int s = SIDES - 1; s >= 0; s--)
        for (size_t i = 0; i < r->side[s].files.list.len; i++) {
            const SetFile *file = &r->side[s].files.list.at[i];
            bool known = file->gone;
            for (size_t k = 0; k < d->names.len && !known; k++)
                known = strcmp(d->names.at[k], file->name) == 0;
            if (!known) vec_push(&d->names, file->name);
        }
}

static bool any_left(const FileSet *set) {
    bool any = false;
    for (size_t i = 0; i < set->list.len; i++) any |= !set->list.at[i].gone;
    return any;
}

static void beside(Reducer *r) {
    for (int s = 0; s < SIDES; s++)
        if (r->side[s].on) fileset_beside(&r->side[s].files);
}

bool many_holds(Reducer *r) {
    beside(r);
    if (!any_left(&r->side[VARIANT].files)) return false;
    ReduceAnswer answer = reducer_ask_now(r);
    if (answer.cancelled) r->stop = true;
    return answer.yes;
}

static ShrinkVerdict test_drop(void *user, const uint8_t *keep, size_t n) {
    DropTest *d = user;
    if (reduce_stopped(d->r)) return SHRINK_PASSES;
    for (size_t i = 0; i < n; i++) set_gone(d->r, d->names.at[i], !keep[i]);
    return many_holds(d->r) ? SHRINK_FAILS : SHRINK_PASSES;
}

void many_settle(Reducer *r) {
    FileSet *set = &r->side[VARIANT].files;
    beside(r);
    if (fileset_now(set)->gone) many_align(r);
}

static size_t drop_files(Reducer *r) {
    DropTest d = { .r = r };
    many_put_back(r);
    list_names(r, &d);
    size_t n = d.names.len, left = 0;
    uint8_t *keep = mem_alloc(n + 1);
    memset(keep, 1, n);
    ShrinkPlain plain = { test_drop, &d, 0 };
    ShrinkTest test = shrink_one_by_one(&plain);
    if (n > 1) shrink_fast(&test, keep, n);
    for (size_t i = 0; i < n; i++) {
        set_gone(r, d.names.at[i], !keep[i]);
        left += keep[i];
    }
    vec_release(&d.names);
    mem_free(keep);
    many_settle(r);
    reducer_stats(r)->accepted += n - left;
    r->accepted += n - left;
    return n - left;
}

/* ---- inside ---- */
static void reduce_current(Reducer *r, const Plan *plan, bool both) {
    if (!plan->plain) reduce_name_numbers(r);
    if (r->pair && both) {
        reduce_pair(r, plan);
        return;
    }
    bool pair = r->pair; /* a file that the seed lacks: the seed stays as it is */
    r->pair = r->side[SEED].on = false;
    reduce_single(r, plan);
    r->pair = r->side[SEED].on = pair;
}

/* The largest file that is left and was not reduced in this turn; SIZE_MAX: none. */
static size_t largest(const FileSet *set, const uint8_t *done) {
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < set->list.len; i++) {
        if (done[i] || set->list.at[i].gone) continue;
        if (best == SIZE_MAX || set->list.at[i].text.len > set->list.at[best].text.len) best = i;
    }
    return best;
}

static void reduce_inside(Reducer *r, const Plan *plan) {
    FileSet *set = &r->side[VARIANT].files;
    uint8_t *done = mem_alloc(set->list.len + 1);
    many_put_back(r);
    for (size_t i; !reduce_stopped(r) && (i = largest(set, done)) != SIZE_MAX;) {
        done[i] = 1;
        reduce_current(r, plan, turn(r, i));
        many_put_back(r);
    }
    mem_free(done);
}

void reduce_many(Reducer *r, const Plan *plan) {
    bool many = r->side[VARIANT].files.list.len > 1 || r->side[SEED].files.list.len > 1;
    if (!many) {
        reduce_current(r, plan, true);
        return;
    }
    /* The first round is only for what is large: as long as one file is, every test of another one
     * costs as much. */
    Plan bulk = *plan;
    bulk.bulk = !plan->plain && !r->pair;
    for (int round = 0; round < REDUCE_ROUNDS && !reduce_stopped(r); round++) {
        uint64_t before = r->accepted;
        reducer_phase(r, "files");
        drop_files(r);
        if (round < 2 && !plan->plain) merge_units(r);
        merge_includes(r);
        reducer_save(r, true);
        reduce_inside(r, round ? plan : &bulk);
        if (round && r->accepted == before) break;
    }
}
