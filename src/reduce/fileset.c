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

void fileset_beside(FileSet *set) {
    Buf all = { 0 };
    for (size_t i = 0; i < set->list.len; i++) {
        const SetFile *file = &set->list.at[i];
        if (i == set->current || file->gone) continue;
        Hash hash = str_hash128(buf_view(&file->text));
        buf_text(&all, file->name);
        buf_char(&all, '\0');
        buf_add(&all, &hash, sizeof hash);
    }
    buf_add(&all, &set->current, set->list.len > 1 ? sizeof set->current : 0);
    set->beside = str_hash128(buf_view(&all));
    buf_release(&all);
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
