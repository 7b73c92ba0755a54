/* See merge.h. Both sides of a pair are merged alike, by the names of the files. */
#include "reduce/merge.h"

#include "reduce/many.h"
#include "tree/words.h"

/* ---- going back ---- */
/* The files of both sides as they were. */
typedef struct Merge {
    Buf *text[SIDES]; /* one for each file */
    bool *gone[SIDES];
} Merge;

static void merge_begin(const Reducer *r, Merge *m) {
    for (int s = 0; s < SIDES; s++) {
        const FileSet *set = &r->side[s].files;
        m->text[s] = mem_alloc((set->list.len + 1) * sizeof(Buf));
        m->gone[s] = mem_alloc((set->list.len + 1) * sizeof(bool));
        for (size_t i = 0; i < set->list.len; i++) {
            buf_str(&m->text[s][i], buf_view(&set->list.at[i].text));
            m->gone[s][i] = set->list.at[i].gone;
        }
    }
}

/* Tests what was made of the files; back to what they were if it does not hold. */
static bool merge_end(Reducer *r, Merge *m) {
    many_reload(r);
    bool ok = many_holds(r);
    for (int s = 0; s < SIDES; s++) {
        FileSet *set = &r->side[s].files;
        for (size_t i = 0; i < set->list.len; i++) {
            if (!ok) fileset_put(set, i, buf_view(&m->text[s][i]));
            if (!ok) set->list.at[i].gone = m->gone[s][i];
            buf_release(&m->text[s][i]);
        }
        mem_free(m->text[s]);
        mem_free(m->gone[s]);
    }
    many_reload(r);
    many_settle(r);
    return ok;
}

/* ---- what is included ---- */
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

/* Puts the file in the place of what includes it. */
static void paste(FileSet *set, const char *name) {
    size_t from = fileset_index(set, name);
    if (from == SIZE_MAX || set->list.at[from].gone) return;
    Str text = buf_view(&set->list.at[from].text);
    for (size_t i = 0; i < set->list.len; i++) {
        Buf merged = { 0 };
        if (i != from && !set->list.at[i].gone && merge_text(set, i, name, text, &merged))
            fileset_put(set, i, buf_view(&merged));
        buf_release(&merged);
    }
    set->list.at[from].gone = set->list.at[from].dirty = true;
}

static bool merge_include(Reducer *r, const char *name) {
    Merge m;
    merge_begin(r, &m);
    for (int s = 0; s < SIDES; s++)
        if (r->side[s].on) paste(&r->side[s].files, name);
    return merge_end(r, &m);
}

static size_t count(Reducer *r, size_t n) {
    reducer_stats(r)->accepted += n;
    r->accepted += n;
    return n;
}

/* Files that only one place includes: nothing grows. */
size_t merge_includes(Reducer *r) {
    size_t n = 0;
    FileSet *set = &r->side[VARIANT].files;
    many_put_back(r);
    for (size_t i = 0; i < set->list.len && !reduce_stopped(r); i++) {
        const SetFile *file = &set->list.at[i];
        if (file->gone || includers(set, file->name) != 1) continue;
        n += merge_include(r, file->name);
    }
    return count(r, n);
}

/* ---- units ---- */
typedef VEC(const char *) UnitNames;

/* A directive that reads the same as one before it is not needed twice: headers have guards. */
static void add_unit(Buf *out, Map *seen, Str text) {
    Str line;
    while (str_split(&text, '\n', &line)) {
        Str bare = str_trim(line);
        bool includes = str_starts(bare, "#") && str_find(bare, STR("include"), 0) != STR_NONE;
        if (includes && map_get(seen, bare, NULL)) continue;
        if (includes) map_put(seen, bare, 1);
        buf_str(out, line);
        buf_char(out, '\n');
    }
}

/* Those of one side in front of its host. What is left of them: nothing, or an empty file, for a
 * test that names them. */
static void join(FileSet *set, const char *host, const UnitNames *names, size_t from, size_t end,
                 bool empty) {
    size_t to = fileset_index(set, host);
    Buf all = { 0 };
    Map seen = { 0 };
    if (to == SIZE_MAX || set->list.at[to].gone) return;
    for (size_t k = from; k < end; k++) {
        size_t i = fileset_index(set, names->at[k]);
        if (i == SIZE_MAX || set->list.at[i].gone) continue;
        add_unit(&all, &seen, buf_view(&set->list.at[i].text));
        fileset_put(set, i, (Str){ "", 0 });
        set->list.at[i].gone = !empty;
    }
    add_unit(&all, &seen, buf_view(&set->list.at[to].text));
    fileset_put(set, to, buf_view(&all));
    map_release(&seen);
    buf_release(&all);
}

static bool join_range(Reducer *r, const char *host, const UnitNames *names, size_t from,
                       size_t end) {
    for (int empty = 0; empty < 2 && !reduce_stopped(r); empty++) {
        Merge m;
        merge_begin(r, &m);
        for (int s = 0; s < SIDES; s++)
            if (r->side[s].on) join(&r->side[s].files, host, names, from, end, empty);
        if (merge_end(r, &m)) return true;
    }
    return false;
}

/* The units that are left but for the host: the one with main, else the last. */
static const char *list_units(const FileSet *set, UnitNames *names) {
    const char *host = NULL, *last = NULL;
    for (size_t i = 0; i < set->list.len; i++) {
        const SetFile *file = &set->list.at[i];
        if (file->gone || !file->unit || !file->text.len) continue;
        if (!host && words_call_main(buf_view(&file->text))) host = file->name;
        last = file->name;
    }
    if (!host) host = last;
    for (size_t i = 0; i < set->list.len; i++) {
        const SetFile *file = &set->list.at[i];
        if (!file->gone && file->unit && file->text.len && file->name != host)
            vec_push(names, file->name);
    }
    return host;
}

/* All at once; where that does not do (two have a static of the same name), one by one. */
size_t merge_units(Reducer *r) {
    enum { MOST = 16 }; /* tried one by one */
    UnitNames names = { 0 };
    size_t n = 0;
    many_put_back(r);
    const char *host = list_units(&r->side[VARIANT].files, &names);
    if (names.len && !reduce_stopped(r)) {
        if (join_range(r, host, &names, 0, names.len))
            n = names.len;
        else
            for (size_t k = 0; k < names.len && names.len > 1 && names.len <= MOST; k++)
                n += join_range(r, host, &names, k, k + 1);
    }
    vec_release(&names);
    return count(r, n);
}
