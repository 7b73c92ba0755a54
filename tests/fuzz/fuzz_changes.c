/* Any two texts as the two versions of a file (a name, then "\n%%\n" between the two): cut into
 * changes, reverting all of which gives the good version (with the bad one's names, where names
 * were changed throughout) and none the bad one; any half of them gives a file. And the memory of a
 * search as found on disk. */
#include "change/change.h"
#include "change/changemap.h"
#include "change/verdicts.h"
#include "fuzz.h"

static void check_file(const ChangeSet *set, size_t f, const uint8_t *reverted, Str wanted) {
    Buf text = { 0 };
    const char *path;
    CHECK(changeset_file(set, f, reverted, &text, &path));
    if (wanted.at) CHECK(str_eq(buf_view(&text), wanted));
    buf_release(&text);
}

static void check_set(const ChangeSet *set, Str good, Str bad) {
    uint8_t *which = mem_alloc(set->changes.len + 1);
    Buf patch = { 0 };
    for (size_t f = 0; f < set->files.len; f++) {
        if (set->files.at[f].skip != SKIP_NOT) continue;
        memset(which, 0, set->changes.len);
        check_file(set, f, which, bad);
        for (size_t i = 0; i < set->changes.len; i += 2) which[i] = 1;
        check_file(set, f, which, (Str){ 0 });
        changeset_patch(set, which, &patch);
        memset(which, 1, set->changes.len);
        check_file(set, f, which, set->renamed ? set->files.at[f].good : good);
        changeset_patch(set, which, &patch);
    }
    ChangeMap *map = changemap_new(set);
    for (unsigned line = 1; line < 20; line++) {
        changemap_find(map, false, STR("a.c"), line, which);
        changemap_find(map, true, STR("a.c"), line, which);
    }
    changemap_free(map);
    buf_release(&patch);
    mem_free(which);
}

static void read_verdicts(const char *dir) {
    Verdicts verdicts;
    Error err = { 0 };
    if (verdicts_open(&verdicts, dir, &err)) verdicts_close(&verdicts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Arena arena = { 0 };
    Error err = { 0 };
    Str rest = { (const char *)data, size }, good = fuzz_part(&rest), bad = fuzz_part(&rest);
    const char *dirs[] = { "good", "bad", "state" };
    for (int i = 0; i < 3; i++) {
        dirs[i] = file_join(&arena, fuzz_dir(), dirs[i]);
        CHECK(file_make_dirs(dirs[i], &err));
    }
    fuzz_file(&arena, "good/a.c", good);
    fuzz_file(&arena, "bad/a.c", bad);
    fuzz_file(&arena, "state/verdicts", rest);
    ChangeSet set = { 0 };
    StrVec none = { 0 };
    ChangeOptions options = { .globs = &none, .keep_generated = true };
    if (changeset_read(&set, dirs[0], dirs[1], &options, &err)) check_set(&set, good, bad);
    changeset_release(&set);
    read_verdicts(dirs[2]);
    arena_release(&arena);
    return 0;
}
