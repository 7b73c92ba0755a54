/* Worker trees; see worktree.h. */
#include "change/worktree.h"
#include "base/file.h"
#include "base/quantity.h"
#include "change/change_knobs.h"
#include "change/ctext.h"
#include "run/workdir.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- who includes whom ---- */

typedef struct IncludeUsers {
    VEC(size_t) files; /* indexes in IncludeMap.files */
} IncludeUsers;

static Str base_name(Str path) {
    size_t i = path.len;
    while (i && path.at[i - 1] != '/') i--;
    return str_sub(path, i, path.len);
}

static void add_user(IncludeMap *map, Str included, size_t file) {
    Str name = base_name(included);
    IncludeUsers *users = map_get_ptr(&map->users, name);
    if (!users) {
        users = ARENA_NEW(&map->arena, IncludeUsers);
        map_put_ptr(&map->users, name, users);
    }
    vec_push(&users->files, file);
}

static void read_includes(IncludeMap *map, Str text, size_t file) {
    Str rest = text, line;
    while (str_split(&rest, '\n', &line)) {
        line = str_trim(line);
        if (!str_starts(line, "#")) continue;
        line = str_trim(str_sub(line, 1, line.len));
        if (!str_starts(line, "include")) continue;
        size_t open = 7;
        while (open < line.len && line.at[open] != '"' && line.at[open] != '<') open++;
        size_t close = open + 1;
        while (close < line.len && line.at[close] != '"' && line.at[close] != '>') close++;
        if (close < line.len) add_user(map, str_sub(line, open + 1, close), file);
    }
}

static bool may_include(Str path) {
    static const char *const suffixes[] = { ".c", ".h", ".y", ".l", ".inc", ".def", ".cc", ".cpp" };
    for (size_t i = 0; i < COUNT_OF(suffixes); i++)
        if (str_ends(path, suffixes[i])) return true;
    return false;
}

bool includes_read(IncludeMap *map, const ChangeSet *set, Error *err) {
    *map = (IncludeMap){ 0 };
    StrVec paths = { 0 };
    size_t cut = strlen(set->bad_root);
    bool ok = file_list(&map->arena, set->bad_root, NULL, &paths, err);
    map->sizes = ARENA_ARRAY(&map->arena, uint64_t, paths.len + 1);
    for (size_t i = 0; ok && i < paths.len; i++) {
        if (!may_include(paths.at[i])) continue;
        Arena scratch = { 0 };
        Str text, path = str_sub(paths.at[i], cut, paths.at[i].len);
        while (path.len && path.at[0] == '/') path = str_sub(path, 1, path.len);
        bool read = file_read(&scratch, paths.at[i].at, &text, NULL);
        if (read) read_includes(map, text, map->files.len);
        map->sizes[map->files.len] = read && str_ends(path, ".c") ? text.len : 0;
        map->code += map->sizes[map->files.len];
        vec_push(&map->files, path);
        arena_release(&scratch);
    }
    vec_release(&paths);
    return ok;
}

bool includes_one_is_most(const IncludeMap *map, const ChangeSet *set) {
    for (size_t f = 0; f < set->files.len; f++) {
        const ChangeFile *file = &set->files.at[f];
        if (!file->count || !file->bad_path) continue;
        for (size_t i = 0; i < map->files.len; i++)
            if (2 * map->sizes[i] > map->code && str_is(map->files.at[i], file->bad_path))
                return true;
    }
    return false;
}

void includes_release(IncludeMap *map) {
    for (size_t i = 0; i < map->users.cap; i++)
        if (map->users.slots[i].key.at) {
            IncludeUsers *users = (IncludeUsers *)(uintptr_t)map->users.slots[i].value;
            vec_release(&users->files);
        }
    map_release(&map->users);
    vec_release(&map->files);
    arena_release(&map->arena);
}

/* ---- the tree ---- */

bool worktree_new(Worktree *tree, const ChangeSet *set, const IncludeMap *includes,
                  const char *root, Error *err) {
    *tree = (Worktree){ .set = set, .includes = includes };
    tree->dir = workdir_new_large(&tree->arena, "explain");
    tree->now = ARENA_ARRAY(&tree->arena, uint8_t, set->changes.len + 1);
    tree->blends = ARENA_ARRAY(&tree->arena, uint64_t, set->files.len + 1);
    tree->doubt = ARENA_ARRAY(&tree->arena, uint8_t, set->files.len + 1);
    return file_copy_tree(root ? root : set->bad_root, tree->dir, err);
}

void worktree_release(Worktree *tree) {
    if (tree->dir) workdir_remove(tree->dir);
    arena_release(&tree->arena);
    *tree = (Worktree){ 0 };
}

static bool file_differs(const Worktree *tree, size_t f, const uint8_t *reverted) {
    const ChangeFile *file = &tree->set->files.at[f];
    if (!file->count) return false;
    return memcmp(tree->now + file->first, reverted + file->first, file->count) != 0 ||
           (tree->blends[f] != file->blends && memchr(reverted + file->first, 1, file->count));
}

bool worktree_holds(const Worktree *tree, const uint8_t *reverted) {
    return worktree_distance(tree, reverted) == 0;
}

size_t worktree_distance(const Worktree *tree, const uint8_t *reverted) {
    size_t n = 0;
    for (size_t f = 0; f < tree->set->files.len; f++) n += file_differs(tree, f, reverted);
    return n;
}

void worktree_is_good(Worktree *tree) {
    Arena scratch = { 0 };
    Buf text = { 0 };
    memset(tree->now, 1, tree->set->changes.len);
    for (size_t f = 0; f < tree->set->files.len; f++) {
        const char *path;
        Str there = { "", 0 };
        buf_clear(&text);
        if (!tree->set->files.at[f].count) continue;
        bool exists = changeset_file(tree->set, f, tree->now, &text, &path);
        tree->doubt[f] =
            exists && (!file_read(&scratch, file_join(&scratch, tree->dir, path), &there, NULL) ||
                       !str_eq(there, buf_view(&text)));
    }
    buf_release(&text);
    arena_release(&scratch);
}

static void touch(Arena *scratch, const Worktree *tree, const char *path) {
    utimensat(AT_FDCWD, file_join(scratch, tree->dir, path), NULL, 0);
}

/* Touches every file that includes the one named, directly or through others. */
static void touch_users(Arena *scratch, const Worktree *tree, Str path, uint8_t *seen) {
    IncludeUsers *users = map_get_ptr(&tree->includes->users, base_name(path));
    for (size_t i = 0; users && i < users->files.len; i++) {
        size_t f = users->files.at[i];
        if (seen[f]) continue;
        seen[f] = 1;
        Str user = tree->includes->files.at[f];
        touch(scratch, tree, arena_cstr(scratch, user));
        touch_users(scratch, tree, user, seen);
    }
}

/* make does not notice changed flags: what they may have compiled is compiled again. */
static void touch_all(Arena *scratch, const Worktree *tree) {
    for (size_t f = 0; f < tree->includes->files.len; f++)
        if (str_ends(tree->includes->files.at[f], ".c"))
            touch(scratch, tree, arena_cstr(scratch, tree->includes->files.at[f]));
}

/* A header that no text includes is included by a flag or a macro: perhaps by every file. */
static bool is_included_unseen(const Worktree *tree, Str path) {
    return str_ends(path, ".h") && !map_get_ptr(&tree->includes->users, base_name(path));
}

/* An object without its source would still be linked: it is removed, wherever the build put it. */
static void remove_objects(Arena *scratch, const Worktree *tree, const char *path) {
    const char *name = file_name(path), *dot = strrchr(name, '.');
    if (!dot || strchr("hH", dot[1])) return;
    StrVec objects = { 0 };
    char *plain = arena_fmt(scratch, "%.*s.o", (int)(dot - name), name);
    char *cmake = arena_fmt(scratch, "%s.o", name);
    if (file_list(scratch, tree->dir, ".o", &objects, NULL))
        for (size_t i = 0; i < objects.len; i++) {
            const char *own = file_name(objects.at[i].at);
            if (strcmp(own, plain) == 0 || strcmp(own, cmake) == 0) unlink(objects.at[i].at);
        }
    vec_release(&objects);
}

/* Whether the file is in that version, as it was when the tree was copied. */
static bool is_as_in(Arena *scratch, const char *root, const char *path, const struct stat *there) {
    struct stat st;
    return root && stat(file_join(scratch, root, path), &st) == 0 && st.st_size == there->st_size &&
           st.st_mtim.tv_sec == there->st_mtim.tv_sec &&
           st.st_mtim.tv_nsec == there->st_mtim.tv_nsec;
}

/* ar adds to an archive and takes nothing out of it, so what no longer takes part would still be
 * linked: archives that a build wrote are made anew. */
static void remove_archives(Arena *scratch, const Worktree *tree) {
    StrVec archives = { 0 };
    size_t root = strlen(tree->dir) + 1;
    if (file_list(scratch, tree->dir, ".a", &archives, NULL))
        for (size_t i = 0; i < archives.len; i++) {
            struct stat st;
            const char *full = archives.at[i].at;
            if (lstat(full, &st) != 0 || !S_ISREG(st.st_mode) ||
                is_as_in(scratch, tree->set->bad_root, full + root, &st) ||
                is_as_in(scratch, tree->set->good_root, full + root, &st))
                continue;
            unlink(full);
        }
    vec_release(&archives);
}

/* The old copy of a moved file is removed. */
static void remove_old(Arena *scratch, const Worktree *tree, const ChangeFile *file,
                       const char *kept) {
    const char *paths[] = { file->good_path, file->bad_path };
    for (size_t i = 0; i < 2; i++)
        if (paths[i] && (!kept || strcmp(paths[i], kept) != 0)) {
            char *full = file_join(scratch, tree->dir, paths[i]);
            if (unlink(full) != 0) continue;
            remove_objects(scratch, tree, paths[i]);
            if (file->is_c) remove_archives(scratch, tree);
        }
}

static bool write_file(Arena *scratch, Worktree *tree, size_t f, const uint8_t *reverted,
                       Error *err) {
    const ChangeFile *file = &tree->set->files.at[f];
    Buf text = { 0 };
    const char *path;
    bool exists = changeset_file(tree->set, f, reverted, &text, &path);
    remove_old(scratch, tree, file, exists ? path : NULL);
    bool ok = true;
    if (exists) {
        char *full = file_join(scratch, tree->dir, path);
        char *slash = strrchr(full, '/');
        *slash = 0;
        ok = file_is_dir(full) || file_make_dirs(full, err);
        *slash = '/';
        ok = ok && file_write(full, buf_view(&text), err);
        /* a script that comes back must be executable */
        bool old = !file->bad_path || strcmp(path, file->bad_path) != 0;
        struct stat st;
        if (ok && stat(file_join(scratch, old ? tree->set->good_root : tree->set->bad_root, path),
                       &st) == 0)
            chmod(full, st.st_mode & 07777);
    }
    buf_release(&text);
    return ok;
}

/* Sources of configure and of what it fills in. */
static bool is_autotools_source(Str path) {
    static const char *const ends[] = { "configure.ac", "configure.in", "acconfig.h", ".am",
                                        ".m4" };
    for (size_t i = 0; i < COUNT_OF(ends); i++)
        if (str_ends(path, ends[i])) return true;
    return false;
}

/* What configure's tools wrote and both versions have, and their stamp for it: make asks how old it
 * is, though no version differs in it. Where a generated file was left out because it follows its
 * source, the tools are to run. */
static void touch_ready_made(Arena *scratch, const Worktree *tree) {
    StrVec inputs = { 0 };
    bool follows = false;
    for (size_t f = 0; f < tree->set->files.len; f++)
        follows |= tree->set->files.at[f].skip == SKIP_GENERATED;
    if (!follows && file_list(scratch, tree->dir, ".in", &inputs, NULL))
        for (size_t i = 0; i < inputs.len; i++)
            if (!is_autotools_source(inputs.at[i])) utimensat(AT_FDCWD, inputs.at[i].at, NULL, 0);
    vec_release(&inputs);
}

/* Where generated files are changes of their own they must be newer than what they are made from,
 * or make would make them again, with tools that may not be there. */
static void touch_generated(Arena *scratch, const Worktree *tree) {
    for (int later = 0; later < 2; later++) {
        if (later) nanosleep(&(struct timespec){ 0, (long)(MTIME_GAP_S * 1e9) }, NULL);
        for (size_t f = 0; f < tree->set->files.len; f++) {
            const ChangeFile *file = &tree->set->files.at[f];
            const char *path = file->bad_path ? file->bad_path : file->good_path;
            if (!file->count || !change_is_generated(file)) continue;
            if (later != (strcmp(file_name(path), "aclocal.m4") == 0)) touch(scratch, tree, path);
        }
    }
}

static void wait_for_clock(const Worktree *tree) {
    double left = tree->quiet + MTIME_GAP_S - clock_now();
    if (left <= 0 || left > MTIME_GAP_S) return;
    struct timespec pause = { 0, (long)(left * 1e9) };
    nanosleep(&pause, NULL);
}

bool worktree_set(Worktree *tree, const uint8_t *reverted, Error *err) {
    Arena scratch = { 0 };
    uint8_t *seen = ARENA_ARRAY(&scratch, uint8_t, tree->includes->files.len + 1);
    bool ok = true, sources = false;
    wait_for_clock(tree);
    for (size_t f = 0; ok && f < tree->set->files.len; f++) {
        const ChangeFile *file = &tree->set->files.at[f];
        if (!file_differs(tree, f, reverted) && !tree->doubt[f]) continue;
        ok = write_file(&scratch, tree, f, reverted, err);
        const char *path = file->bad_path ? file->bad_path : file->good_path;
        touch_users(&scratch, tree, str_from(path), seen);
        sources |= is_autotools_source(str_from(path));
        if (change_is_build_file(str_from(path))) remove_archives(&scratch, tree);
        if (change_is_build_file(str_from(path)) || is_included_unseen(tree, str_from(path)))
            touch_all(&scratch, tree);
        tree->doubt[f] = 1; /* until the build has completed */
        tree->blends[f] = file->blends;
        if (file->count) memcpy(tree->now + file->first, reverted + file->first, file->count);
    }
    if (sources) {
        touch_generated(&scratch, tree);
        touch_ready_made(&scratch, tree);
    }
    arena_release(&scratch);
    return ok;
}

void worktree_built(Worktree *tree, bool completed) {
    tree->quiet = clock_now();
    tree->builds++;
    tree->complete = completed;
    tree->built |= completed;
    if (completed) memset(tree->doubt, 0, tree->set->files.len);
}
