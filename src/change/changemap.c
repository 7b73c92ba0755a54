/* Lines and names to changes; see changemap.h. */
#include "change/changemap.h"
#include "base/file.h"
#include "change/ctext.h"
#include "change/declare.h"

/* What a name is tied to. */
typedef struct Tie {
    size_t change;
    MapTier tier;
    size_t file; /* only in these lines of this file; to 0: anywhere */
    size_t from, to;
    bool member; /* only where a member of a structure is named */
} Tie;
typedef VEC(Tie) ChangeList;

/* One version of one file. */
typedef struct MapFile {
    uint32_t *own;  /* for each line: change + 1 whose lines these are */
    uint32_t *wide; /* the same, widened to whole statements */
    size_t lines;
} MapFile;

/* A source file of either version, for its lines' texts. */
typedef struct MapText {
    StrVec lines;
} MapText;

struct ChangeMap {
    Arena arena;
    const ChangeSet *set;
    Map files[2]; /* path -> MapFile*, in bad and in good */
    Map texts[2]; /* path -> MapText* */
    Map names;    /* word -> ChangeList* */
};

/* ---- names ---- */

static void taint(ChangeMap *map, Str name, Tie tie) {
    ChangeList *list = map_get_ptr(&map->names, name);
    if (!list) {
        list = ARENA_NEW(&map->arena, ChangeList);
        map_put_ptr(&map->names, name, list);
    }
    for (size_t i = 0; i < list->len; i++) {
        if (list->at[i].change != tie.change) continue;
        bool member = list->at[i].member && tie.member;
        if (tie.tier < list->at[i].tier) list->at[i] = tie;
        list->at[i].member = member;
        return;
    }
    vec_push(list, tie);
}

/* Whether a word of a line stands behind a point or an arrow. */
static bool is_access(Str line, Str word) {
    size_t i = (size_t)(word.at - line.at);
    while (i && line.at[i - 1] == ' ') i--;
    return i &&
           (line.at[i - 1] == '.' || (i > 1 && line.at[i - 1] == '>' && line.at[i - 2] == '-'));
}

/* Whether a piece declares a structure in which the name is a member. */
static bool is_member(const StrVec *lines, const DeclPiece *piece, Str name) {
    bool within = false, record = false, last = false;
    for (size_t l = piece->from; piece->kind == PIECE_TYPE && l < piece->to; l++) {
        CScan scan = cscan_start(lines->at[l], false);
        for (CToken t; (t = cscan_next(&scan)).kind != CTOKEN_END;) {
            bool ends = t.kind != CTOKEN_WORD && t.text.len && strchr(";,[:", t.text.at[0]);
            if (within && last && ends) return true;
            last = t.kind == CTOKEN_WORD && str_eq(t.text, name);
            record |= str_is(t.text, "struct") || str_is(t.text, "union");
            if (str_is(t.text, "enum")) record = false;
            if (str_is(t.text, "{")) within = record;
            if (str_is(t.text, "}")) within = false;
        }
    }
    return false;
}

static bool overlaps(const DeclPiece *piece, ChangeSpan span) {
    size_t from = span.line - 1, to = from + (span.len ? span.len : 1);
    return span.len ? piece->from < to && from < piece->to : from > piece->from && from < piece->to;
}

static void taint_pieces(ChangeMap *map, const StrVec *lines, const PieceVec *pieces,
                         ChangeSpan span, size_t change) {
    StrVec names = { 0 };
    Str bad = change_bad_text(map->set, change), good = change_good_text(map->set, change);
    for (size_t i = 0; i < pieces->len; i++) {
        if (pieces->at[i].kind == PIECE_FUNCTION || !overlaps(&pieces->at[i], span)) continue;
        vec_clear(&names);
        declare_names(lines, &pieces->at[i], &names);
        bool whole = pieces->at[i].kind == PIECE_MACRO || pieces->at[i].kind == PIECE_VALUE;
        for (size_t k = 0; k < names.len; k++) {
            bool own =
                whole || ctext_has_word(bad, names.at[k]) || ctext_has_word(good, names.at[k]);
            taint(map, names.at[k],
                  (Tie){ .change = change,
                         .tier = own ? TIER_NAME : TIER_NEAR,
                         .member = is_member(lines, &pieces->at[i], names.at[k]) });
        }
    }
    vec_release(&names);
}

/* Removed code: what it assigned is read elsewhere in its function. */
static void taint_deleted(ChangeMap *map, const PieceVec *pieces, size_t change) {
    ChangeSpan span = change_bad_span(map->set, change);
    if (span.len) return;
    Tie tie = { .change = change, .tier = TIER_NEAR, .file = map->set->changes.at[change].file };
    for (size_t i = 0; i < pieces->len; i++)
        if (pieces->at[i].from < span.line && span.line <= pieces->at[i].to)
            tie.from = pieces->at[i].from, tie.to = pieces->at[i].to;
    if (!tie.to) return;
    StrVec names = { 0 };
    declare_assigned(change_good_text(map->set, change), &names);
    for (size_t i = 0; i < names.len; i++) taint(map, names.at[i], tie);
    vec_release(&names);
}

static void taint_file(ChangeMap *map, const ChangeFile *file) {
    PieceVec bad = { 0 }, good = { 0 };
    declare_pieces(&file->bad_lines, &bad);
    declare_pieces(&file->good_lines, &good);
    for (size_t i = file->first; i < file->first + file->count; i++) {
        if (map->set->changes.at[i].idle || map->set->changes.at[i].kind == CHANGE_MOVED) continue;
        taint_pieces(map, &file->bad_lines, &bad, change_bad_span(map->set, i), i);
        taint_pieces(map, &file->good_lines, &good, change_good_span(map->set, i), i);
        taint_deleted(map, &bad, i);
    }
    vec_release(&bad);
    vec_release(&good);
}

/* A macro that uses a tainted macro is tainted by the same changes. One pass over all macros of the
 * changed files, repeated while it adds something. */
static bool taint_through(ChangeMap *map, const ChangeFile *file, const PieceVec *pieces) {
    size_t before = 0, after = 0;
    for (size_t i = 0; i < map->names.cap; i++) {
        ChangeList *list = (ChangeList *)(uintptr_t)map->names.slots[i].value;
        if (map->names.slots[i].key.at) before += list->len;
    }
    for (size_t p = 0; p < pieces->len; p++) {
        if (pieces->at[p].kind != PIECE_MACRO) continue;
        StrVec name = { 0 };
        declare_names(&file->bad_lines, &pieces->at[p], &name);
        for (size_t l = pieces->at[p].from; name.len && l < pieces->at[p].to; l++) {
            CScan scan = cscan_start(file->bad_lines.at[l], false);
            for (CToken t; (t = cscan_next(&scan)).kind != CTOKEN_END;) {
                ChangeList *list = t.kind == CTOKEN_WORD ? map_get_ptr(&map->names, t.text) : NULL;
                for (size_t c = 0; list && c < list->len && !str_eq(t.text, name.at[0]); c++) {
                    Tie tie = list->at[c];
                    if (tie.to || (tie.member && !is_access(file->bad_lines.at[l], t.text)))
                        continue;
                    tie.member = false;
                    taint(map, name.at[0], tie);
                }
            }
        }
        vec_release(&name);
    }
    for (size_t i = 0; i < map->names.cap; i++) {
        ChangeList *list = (ChangeList *)(uintptr_t)map->names.slots[i].value;
        if (map->names.slots[i].key.at) after += list->len;
    }
    return after > before;
}

static void taint_macros(ChangeMap *map) {
    enum { DEEPEST = 4 }; /* macros through macros */
    for (size_t f = 0; f < map->set->files.len; f++) {
        const ChangeFile *file = &map->set->files.at[f];
        if (file->skip || !file->is_c) continue;
        PieceVec pieces = { 0 };
        declare_pieces(&file->bad_lines, &pieces);
        for (int i = 0; i < DEEPEST && taint_through(map, file, &pieces); i++) {
        }
        vec_release(&pieces);
    }
}

/* ---- lines ---- */

static bool ends_statement(Str line) {
    CLine info = ctext_line(line, false);
    return info.directive || info.last == 0 || info.last == ';' || info.last == '{' ||
           info.last == '}' || info.last == ':';
}

static void mark_lines(MapFile *f, const StrVec *lines, ChangeSpan span, size_t change,
                       bool widen) {
    size_t from = span.line - 1, to = from + span.len;
    for (size_t l = from; l < to && l < f->lines; l++)
        f->own[l] = f->wide[l] = (uint32_t)change + 1;
    if (!widen || !span.len) return;
    size_t up = from, down = to;
    while (up > 0 && from - up < 20 && !ends_statement(lines->at[up - 1])) up--;
    while (down < lines->len && down - to < 20 && down > 0 && !ends_statement(lines->at[down - 1]))
        down++;
    for (size_t l = up; l < down; l++)
        if (!f->wide[l]) f->wide[l] = (uint32_t)change + 1;
}

static void map_version(ChangeMap *map, size_t fi, bool good) {
    const ChangeFile *file = &map->set->files.at[fi];
    const char *path = good ? file->good_path : file->bad_path;
    const StrVec *lines = good ? &file->good_lines : &file->bad_lines;
    if (!path || file->skip) return;
    MapFile *f = ARENA_NEW(&map->arena, MapFile);
    f->lines = lines->len;
    f->own = ARENA_ARRAY(&map->arena, uint32_t, lines->len + 1);
    f->wide = ARENA_ARRAY(&map->arena, uint32_t, lines->len + 1);
    for (size_t i = file->first; i < file->first + file->count; i++) {
        const Change *c = &map->set->changes.at[i];
        if (c->idle || c->kind == CHANGE_MOVED) continue;
        ChangeSpan span = good ? change_good_span(map->set, i) : change_bad_span(map->set, i);
        mark_lines(f, lines, span, i, file->is_c);
    }
    map_put_ptr(&map->files[good], str_from(path), f);
}

ChangeMap *changemap_new(const ChangeSet *set) {
    ChangeMap *map = mem_alloc(sizeof *map);
    map->set = set;
    for (size_t f = 0; f < set->files.len; f++) {
        map_version(map, f, false);
        map_version(map, f, true);
        if (!set->files.at[f].skip && set->files.at[f].is_c) taint_file(map, &set->files.at[f]);
    }
    taint_macros(map);
    return map;
}

static void release_values(Map *map, bool texts) {
    for (size_t i = 0; i < map->cap; i++) {
        if (!map->slots[i].key.at) continue;
        void *value = (void *)(uintptr_t)map->slots[i].value;
        if (texts)
            vec_release(&((MapText *)value)->lines);
        else
            vec_release((ChangeList *)value);
    }
    map_release(map);
}

void changemap_free(ChangeMap *map) {
    for (int i = 0; i < 2; i++) {
        map_release(&map->files[i]);
        release_values(&map->texts[i], true);
    }
    release_values(&map->names, false);
    arena_release(&map->arena);
    mem_free(map);
}

size_t changemap_line(const ChangeMap *map, bool in_good, Str file, unsigned line) {
    const MapFile *f = map_get_ptr(&map->files[in_good], file);
    if (!f || !line || line > f->lines || !f->own[line - 1]) return NO_CHANGE;
    return f->own[line - 1] - 1;
}

static Str raw_line(ChangeMap *map, bool in_good, Str file, unsigned line) {
    MapText *text = map_get_ptr(&map->texts[in_good], file);
    if (!text) {
        text = ARENA_NEW(&map->arena, MapText);
        const char *root = in_good ? map->set->good_root : map->set->bad_root;
        Str all;
        char *path = arena_cstr(&map->arena, file);
        if (path[0] != '/') path = file_join(&map->arena, root, path);
        if (file_read(&map->arena, path, &all, NULL)) diff_split_lines(all, &text->lines);
        map_put_ptr(&map->texts[in_good], file, text);
    }
    return line && line <= text->lines.len ? text->lines.at[line - 1] : (Str){ "", 0 };
}

Str changemap_text(ChangeMap *map, bool in_good, Str file, unsigned line) {
    return str_trim(raw_line(map, in_good, file, line));
}

static void add_found(uint8_t *found, size_t change, MapTier tier) {
    if (!found[change] || tier < found[change]) found[change] = (uint8_t)tier;
}

static bool holds_here(const ChangeMap *map, const Tie *tie, bool in_good, Str file,
                       unsigned line) {
    if (!tie->to) return true;
    const char *path = map->set->files.at[tie->file].bad_path;
    return !in_good && path && str_is(file, path) && line > tie->from && line <= tie->to;
}

size_t changemap_find(ChangeMap *map, bool in_good, Str file, unsigned line, uint8_t *found) {
    size_t surest = changemap_line(map, in_good, file, line);
    const MapFile *f = map_get_ptr(&map->files[in_good], file);
    if (surest == NO_CHANGE && f && line && line <= f->lines && f->wide[line - 1])
        surest = f->wide[line - 1] - 1;
    if (surest != NO_CHANGE) found[surest] = TIER_LINE;
    MapTier best = surest == NO_CHANGE ? TIERS : TIER_LINE;
    Str text = raw_line(map, in_good, file, line);
    CScan scan = cscan_start(text, false);
    for (CToken t; (t = cscan_next(&scan)).kind != CTOKEN_END;) {
        ChangeList *list = t.kind == CTOKEN_WORD ? map_get_ptr(&map->names, t.text) : NULL;
        for (size_t i = 0; list && i < list->len; i++) {
            const Tie *tie = &list->at[i];
            if (!holds_here(map, tie, in_good, file, line)) continue;
            if (tie->member && !is_access(text, t.text)) continue;
            add_found(found, tie->change, tie->tier);
            if (tie->tier < best) best = tie->tier, surest = tie->change;
        }
    }
    return surest;
}
