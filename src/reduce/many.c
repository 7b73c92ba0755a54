/* See many.h. A file of both sides is identified by its name; it is dropped, merged and reduced on
 * both. */
#include "reduce/many.h"

#include "reduce/reduce_knobs.h"
#include "tree/lang.h"

/* ---- the current file ---- */
static size_t index_of(const FileSet *set, const char *name) {
    for (size_t i = 0; i < set->list.len; i++)
        if (strcmp(set->list.at[i].name, name) == 0) return i;
    return SIZE_MAX;
}

/* What was reduced goes back into the set. */
static void put_back(Reducer *r) {
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

static void forget_past(Reducer *r) {
    for (size_t i = 0; i < r->past.len; i++)
        for (int s = 0; s < SIDES; s++) mem_free(r->past.at[i].text[s]);
    vec_clear(&r->past);
    r->milestone = SIZE_MAX;
}

/* File i of the variant becomes the current one, and the seed's of that name; false: the seed has
 * none. */
static bool turn(Reducer *r, size_t i) {
    const char *name = r->side[VARIANT].files.list.at[i].name;
    put_back(r);
    load(&r->side[VARIANT], i);
    size_t twin = r->pair ? index_of(&r->side[SEED].files, name) : SIZE_MAX;
    bool both = twin != SIZE_MAX && !r->side[SEED].files.list.at[twin].gone;
    if (both) load(&r->side[SEED], twin);
    forget_past(r);
    reducer_remember(r, true);
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
        size_t i = index_of(&r->side[s].files, name);
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

/* Tests the set as it is now, once. */
static bool holds(Reducer *r) {
    beside(r);
    if (!any_left(&r->side[VARIANT].files)) return false;
    ReduceAnswer answer = reducer_ask_now(r);
    if (answer.cancelled) r->stop = true;
    if (answer.yes) reducer_know_right(r, answer.has_right, answer.right, answer.code);
    return answer.yes;
}

static ShrinkVerdict test_drop(void *user, const uint8_t *keep, size_t n) {
    DropTest *d = user;
    if (reduce_stopped(d->r)) return SHRINK_PASSES;
    for (size_t i = 0; i < n; i++) set_gone(d->r, d->names.at[i], !keep[i]);
    return holds(d->r) ? SHRINK_FAILS : SHRINK_PASSES;
}

/* The current file may be gone: another one is then. */
static void settle(Reducer *r) {
    FileSet *set = &r->side[VARIANT].files;
    beside(r);
    if (fileset_now(set)->gone) many_align(r);
}

static size_t drop_files(Reducer *r) {
    DropTest d = { .r = r };
    put_back(r);
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
    settle(r);
    reducer_stats(r)->accepted += n - left;
    r->accepted += n - left;
    return n - left;
}

/* ---- merging what is included ---- */
/* The name in `#include "NAME"` when the line is one; empty: it is not. */
static Str included(Str line) {
    line = str_trim(line);
    if (!str_starts(line, "#")) return (Str){ "", 0 };
    line = str_trim(str_sub(line, 1, line.len));
    if (!str_starts(line, "include")) return (Str){ "", 0 };
    line = str_trim(str_sub(line, 7, line.len));
    if (line.len < 3 || line.at[0] != '"') return (Str){ "", 0 };
    size_t end = str_find(line, STR("\""), 1);
    return end == STR_NONE ? (Str){ "", 0 } : str_sub(line, 1, end);
}

/* Does a file called `from` mean `name` by it? Relative to its own directory, to the top, or
 * through an include path of the compiler: then by the end of the name. */
static bool means(const char *from, Str what, const char *name) {
    const char *slash = strrchr(from, '/');
    size_t folder = slash ? (size_t)(slash - from + 1) : 0;
    Str full = str_from(name);
    if (str_eq(what, full)) return true;
    if (full.len == folder + what.len && memcmp(name, from, folder) == 0 &&
        str_eq(str_sub(full, folder, full.len), what))
        return true;
    return full.len > what.len && full.at[full.len - what.len - 1] == '/' &&
           str_eq(str_sub(full, full.len - what.len, full.len), what);
}

/* Lines of file i that include the one called name; with `out` the text with that in their place.
 */
static size_t merge_text(const FileSet *set, size_t i, const char *name, Str text, Buf *out) {
    Str rest = buf_view(&set->list.at[i].text), line;
    size_t n = 0;
    while (str_split(&rest, '\n', &line)) {
        Str what = included(line);
        bool here = what.len && means(set->list.at[i].name, what, name);
        n += here;
        if (!out) continue;
        buf_str(out, here ? text : line);
        if (rest.at || here) buf_char(out, '\n');
    }
    return n;
}

static size_t includers(const FileSet *set, const char *name) {
    size_t n = 0;
    for (size_t i = 0; i < set->list.len; i++)
        if (!set->list.at[i].gone) n += merge_text(set, i, name, (Str){ 0 }, NULL);
    return n;
}

/* Puts the file in the place of what includes it; the texts before that are kept in `was`. */
static void merge_side(FileSet *set, const char *name, Buf *was) {
    size_t from = index_of(set, name);
    if (from == SIZE_MAX || set->list.at[from].gone) return;
    Str text = buf_view(&set->list.at[from].text);
    for (size_t i = 0; i < set->list.len; i++) {
        Buf merged = { 0 };
        if (i == from || set->list.at[i].gone || !merge_text(set, i, name, text, &merged)) {
            buf_release(&merged);
            continue;
        }
        was[i] = set->list.at[i].text;
        set->list.at[i].text = merged;
        set->list.at[i].dirty = true;
    }
    set->list.at[from].gone = set->list.at[from].dirty = true;
}

static void undo_merge(FileSet *set, const char *name, Buf *was) {
    size_t from = index_of(set, name);
    for (size_t i = 0; i < set->list.len; i++) {
        if (!was[i].at) continue;
        buf_release(&set->list.at[i].text);
        set->list.at[i].text = was[i];
        was[i] = (Buf){ 0 };
    }
    if (from != SIZE_MAX) set->list.at[from].gone = false;
}

/* Loads the current documents from the set: something other than the reducer has changed it. */
static void reload(Reducer *r) {
    for (int s = 0; s < SIDES; s++)
        if (r->side[s].on) load(&r->side[s], r->side[s].files.current);
}

static bool merge_one(Reducer *r, const char *name) {
    Buf *was[SIDES];
    for (int s = 0; s < SIDES; s++) {
        was[s] = mem_alloc((r->side[s].files.list.len + 1) * sizeof(Buf));
        if (r->side[s].on) merge_side(&r->side[s].files, name, was[s]);
    }
    reload(r);
    bool ok = holds(r);
    for (int s = 0; s < SIDES; s++) {
        if (!ok && r->side[s].on) undo_merge(&r->side[s].files, name, was[s]);
        for (size_t i = 0; i < r->side[s].files.list.len; i++) buf_release(&was[s][i]);
        mem_free(was[s]);
    }
    reload(r);
    settle(r);
    return ok;
}

/* Files that only one place includes: nothing grows. */
static size_t merge_files(Reducer *r) {
    size_t n = 0;
    FileSet *set = &r->side[VARIANT].files;
    put_back(r);
    for (size_t i = 0; i < set->list.len && !reduce_stopped(r); i++) {
        const SetFile *file = &set->list.at[i];
        if (file->gone || includers(set, file->name) != 1) continue;
        n += merge_one(r, file->name);
    }
    reducer_stats(r)->accepted += n;
    r->accepted += n;
    return n;
}

/* ---- inside ---- */
static void reduce_current(Reducer *r, const Plan *plan, bool both) {
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
    put_back(r);
    for (size_t i; !reduce_stopped(r) && (i = largest(set, done)) != SIZE_MAX;) {
        done[i] = 1;
        reduce_current(r, plan, turn(r, i));
        put_back(r);
    }
    mem_free(done);
}

void reduce_many(Reducer *r, const Plan *plan) {
    bool many = r->side[VARIANT].files.list.len > 1 || r->side[SEED].files.list.len > 1;
    if (!many) {
        reduce_current(r, plan, true);
        return;
    }
    for (int round = 0; round < REDUCE_ROUNDS && !reduce_stopped(r); round++) {
        uint64_t before = r->accepted;
        reducer_phase(r, "files");
        drop_files(r);
        merge_files(r);
        reducer_save(r, true);
        reduce_inside(r, plan);
        if (r->accepted == before) break;
    }
}
