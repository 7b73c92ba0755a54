/* See output.h. */
#include "reduce/output.h"

#include "base/file.h"
#include "base/json.h"
#include "base/quantity.h"
#include <sys/stat.h>

/* PATH.orig; where that exists with other contents, PATH.orig.1 and so on. */
static bool back_up(Output *out, const char *path, Str original, Error *err) {
    char *backup = arena_fmt(&out->arena, "%s.orig", path);
    for (unsigned i = 1; file_exists(backup); i++) {
        Str there;
        if (file_read(&out->arena, backup, &there, NULL) && str_eq(there, original)) return true;
        backup = arena_fmt(&out->arena, "%s.orig.%u", path, i);
    }
    if (!file_save(backup, original, err)) return false;
    vec_push(&out->made, str_from(backup));
    return true;
}

/* Like mkdir -p; remembers which directories were not there. */
static bool make_dirs(Output *out, const char *path, Error *err) {
    if (file_exists(path) && !file_is_dir(path))
        return err_set(err, STATUS_BAD, "results go into a directory, and %s is a file", path);
    for (const char *at = path; *at; at += *at == '/') {
        at += strcspn(at, "/");
        char *part = arena_fmt(&out->arena, "%.*s", (int)(at - path), path);
        if (*part && !file_exists(part)) vec_push(&out->made, str_from(part));
    }
    return file_make_dirs(path, err);
}

static bool same_file(const char *a, const char *b) {
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

const char *output_path(Output *out, const Reducer *r, int side, size_t i) {
    const SetFile *file = &r->side[side].files.list.at[i];
    if (!out->dir) return file->path;
    const char *path = file_join(&out->arena, out->dir, file->name);
    if (side == VARIANT || !r->side[VARIANT].on) return path;
    const FileSet *other = &r->side[VARIANT].files; /* both sides may have a file of this name */
    bool taken = false;
    for (size_t k = 0; k < other->list.len; k++)
        taken |= strcmp(other->list.at[k].name, file->name) == 0;
    if (!taken) return path;
    const char *slash = strrchr(file->name, '/');
    int folder = slash ? (int)(slash - file->name + 1) : 0;
    return arena_fmt(&out->arena, "%s/%.*spassing-%s", out->dir, folder, file->name,
                     file->name + folder);
}

static bool open_file(Output *out, Reducer *r, int side, size_t i, Error *err) {
    const SetFile *file = &r->side[side].files.list.at[i];
    const char *path = output_path(out, r, side, i), *slash = path ? strrchr(path, '/') : NULL;
    if (!path) return true;
    if (out->dir && slash &&
        !make_dirs(out, arena_fmt(&out->arena, "%.*s", (int)(slash - path), path), err))
        return false;
    bool own = file->path && (strcmp(path, file->path) == 0 || same_file(path, file->path));
    return !own || back_up(out, file->path, file->original, err);
}

bool output_open(Output *out, const char *dir, Reducer *r, Error *err) {
    *out = (Output){ .dir = dir };
    if (dir && !make_dirs(out, dir, err)) return false;
    for (int s = 0; s < SIDES; s++)
        for (size_t i = 0; i < r->side[s].files.list.len; i++)
            if (!open_file(out, r, s, i, err)) return false;
    if (dir) out->state = file_join(&out->arena, dir, ".culprit-reduce.json");
    return true;
}

void output_undo(Output *out) {
    for (size_t i = out->made.len; i-- > 0;) remove(out->made.at[i].at);
}

/* ---- resuming ---- */
static const char *hex(char text[40], Hash hash) {
    snprintf(text, 40, "%016llx%016llx", (unsigned long long)hash.hi, (unsigned long long)hash.lo);
    return text;
}

/* The inputs and the test; with what was dropped so far, where asked. */
static json_t *state_json(const Output *out, const Reducer *r, bool gone) {
    json_t *state = json_object();
    char text[40];
    json_put_text(state, "test", str_from(hex(text, out->test)));
    for (int s = 0; s < SIDES; s++) {
        const FileSet *set = &r->side[s].files;
        json_t *files = json_object();
        for (size_t i = 0; i < set->list.len; i++) {
            const SetFile *file = &set->list.at[i];
            json_t *one = json_object();
            json_put_text(one, "input", str_from(hex(text, str_hash128(file->original))));
            if (gone) json_put_bool(one, "gone", file->gone);
            json_put(files, file->name, one);
        }
        json_put(state, s == SEED ? "seed" : "variant", files);
    }
    return state;
}

/* Takes what was dropped from a stored state, so that the rest can be compared. */
static void take_gone(json_t *was, Reducer *r, bool *gone) {
    for (int s = 0; s < SIDES; s++) {
        json_t *files = json_object_get(was, s == SEED ? "seed" : "variant");
        const FileSet *set = &r->side[s].files;
        for (size_t i = 0; i < set->list.len; i++) {
            json_t *one = json_object_get(files, set->list.at[i].name);
            *gone++ = json_get_bool(one, "gone", false);
            if (one) json_object_del(one, "gone");
        }
    }
}

static bool load_files(Output *out, Reducer *r, const bool *gone) {
    for (int s = 0; s < SIDES; s++) {
        FileSet *set = &r->side[s].files;
        for (size_t i = 0; i < set->list.len; i++) {
            Str text;
            set->list.at[i].gone = *gone++;
            if (set->list.at[i].gone) continue;
            if (!file_read(&out->arena, output_path(out, r, s, i), &text, NULL)) return false;
            fileset_put(set, i, text);
        }
    }
    return true;
}

bool output_resume(Output *out, Reducer *r) {
    Str stored;
    if (!out->state || !file_exists(out->state) ||
        !file_read(&out->arena, out->state, &stored, NULL))
        return false;
    json_t *now = state_json(out, r, false), *was = json_parse(stored, out->state, NULL);
    size_t n = r->side[SEED].files.list.len + r->side[VARIANT].files.list.len;
    bool *gone = ARENA_ARRAY(&out->arena, bool, n + 1);
    if (was) take_gone(was, r, gone);
    bool same = was && json_equal(now, was) && load_files(out, r, gone);
    json_decref(now);
    if (was) json_decref(was);
    return same;
}

/* ---- saving ---- */
static bool save_state(const Output *out, const Reducer *r, Error *err) {
    json_t *state = state_json(out, r, true);
    Buf text = { 0 };
    json_dump_buf(state, true, &text);
    bool ok = file_save(out->state, buf_view(&text), err);
    buf_release(&text);
    json_decref(state);
    return ok;
}

static bool save_file(Output *out, Reducer *r, int side, size_t i, Error *err) {
    const FileSet *set = &r->side[side].files;
    SetFile *file = &set->list.at[i];
    const char *path = output_path(out, r, side, i);
    if (!path || (!file->dirty && i != set->current)) return true;
    file->dirty = false;
    if (file->gone) {
        file_remove_tree(path); /* in place its backup stays */
        return true;
    }
    return file_save(path, i == set->current ? doc_text(&r->side[side].doc) : buf_view(&file->text),
                     err);
}

void output_save(void *user, Reducer *r) {
    Output *out = user;
    bool ok = out->err.status == STATUS_DONE;
    if (!ok) return;
    for (int s = 0; s < SIDES; s++)
        for (size_t i = 0; i < r->side[s].files.list.len && ok; i++)
            ok = save_file(out, r, s, i, &out->err);
    if (ok && out->state) ok = save_state(out, r, &out->err);
    if (!ok) r->stop = true; /* nothing more that is found can be kept */
}

void output_release(Output *out) {
    vec_release(&out->made);
    arena_release(&out->arena);
}
