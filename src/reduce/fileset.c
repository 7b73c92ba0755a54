/* See fileset.h. */
#include "reduce/fileset.h"

#include "base/file.h"

void fileset_add(FileSet *set, const char *name, const char *path, Str text, bool unit) {
    SetFile file = { .name = name, .path = path, .original = text, .unit = unit, .dirty = true };
    buf_str(&file.text, text);
    vec_push(&set->list, file);
}

void fileset_release(FileSet *set) {
    for (size_t i = 0; i < set->list.len; i++) buf_release(&set->list.at[i].text);
    vec_release(&set->list);
}

size_t fileset_index(const FileSet *set, const char *name) {
    for (size_t i = 0; i < set->list.len; i++)
        if (strcmp(set->list.at[i].name, name) == 0) return i;
    return SIZE_MAX;
}

size_t fileset_left(const FileSet *set) {
    size_t n = 0;
    for (size_t i = 0; i < set->list.len; i++) n += !set->list.at[i].gone;
    return n;
}

/* Sums do not depend on the order: the same files have one hash, whichever is the current one. */
static void add_hash(Hash *sum, const SetFile *file, Str text) {
    Hash of_text = str_hash128(text);
    Buf both = { 0 };
    buf_text(&both, file->name);
    buf_char(&both, '\0');
    buf_add(&both, &of_text, sizeof of_text);
    Hash hash = str_hash128(buf_view(&both));
    sum->hi += hash.hi, sum->lo += hash.lo;
    buf_release(&both);
}

void fileset_beside(FileSet *set) {
    set->beside = (Hash){ 0 };
    for (size_t i = 0; i < set->list.len; i++) {
        const SetFile *file = &set->list.at[i];
        if (i != set->current && !file->gone) add_hash(&set->beside, file, buf_view(&file->text));
    }
}

Hash fileset_hash(const FileSet *set, Str text) {
    const SetFile *now = &set->list.at[set->current];
    Hash sum = set->beside;
    if (!now->gone) add_hash(&sum, now, text);
    return sum;
}

void fileset_turn(FileSet *set, size_t i) {
    set->current = i;
    fileset_beside(set);
}

void fileset_put(FileSet *set, size_t i, Str text) {
    Buf copy = { 0 };
    buf_str(&copy, text);
    buf_release(&set->list.at[i].text);
    set->list.at[i].text = copy;
    set->list.at[i].dirty = true;
}

void fileset_exchange(FileSet *set, Buf *other) {
    for (size_t i = 0; i < set->list.len; i++) {
        Buf text = set->list.at[i].text;
        if (i == set->current) continue;
        set->list.at[i].text = other[i];
        other[i] = text;
    }
    fileset_beside(set);
}

bool fileset_write(const FileSet *set, const char *dir, Str text, Error *err) {
    Arena arena = { 0 };
    bool ok = true;
    for (size_t i = 0; i < set->list.len && ok; i++) {
        const SetFile *file = &set->list.at[i];
        if (file->gone) continue;
        const char *path = file_join(&arena, dir, file->name), *slash = strrchr(file->name, '/');
        if (slash)
            ok = file_make_dirs(
                arena_fmt(&arena, "%s/%.*s", dir, (int)(slash - file->name), file->name), err);
        ok = ok && file_write(path, i == set->current ? text : buf_view(&file->text), err);
    }
    arena_release(&arena);
    return ok;
}

ReproFile *fileset_repro(Arena *arena, const FileSet *set, const Repro *repro, Str text) {
    ReproFile *files = ARENA_ARRAY(arena, ReproFile, set->list.len + 1);
    for (size_t i = 0; i < set->list.len; i++) {
        const SetFile *file = &set->list.at[i];
        files[i] = repro->files[i];
        files[i].text = file->gone          ? (Str){ "", 0 }
                        : i == set->current ? text
                                            : buf_view(&file->text);
    }
    return files;
}
