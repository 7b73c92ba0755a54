/* Any two texts as the two versions of a file (a name, then "\n%%\n" between the two): cut into
 * changes, reverting all of which gives the good version (with the bad one's names, where names
 * were changed throughout) and none the bad one; any half of them gives a file, and so does any
 * half of the parts of one change. And the memory of a search as found on disk. */
#include "change/blend.h"
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

/* Parts lie within the text, in order; none of them reverted is what is there. */
static void check_parts(const Blend *blend, const uint8_t *use, Buf *out) {
    size_t at = 0;
    for (size_t i = 0; i < blend->parts.len; i++) {
        const BlendPart *part = &blend->parts.at[i];
        CHECK(part->from >= at && part->to >= part->from && part->to <= blend->bad.len);
        at = part->to;
        blend_part_name(blend, i, STR("a"));
    }
    buf_clear(out);
    blend_text(blend, use, out);
    for (size_t line = 1; line < 4; line++) {
        size_t part = blend_part_at(blend, use, line, line - 1);
        CHECK(part == NO_PART || (part < blend->parts.len && use[part]));
    }
}

static void check_blends(ChangeSet *set) {
    uint8_t *reverted = mem_alloc(set->changes.len + 1);
    Buf text = { 0 };
    memset(reverted, 1, set->changes.len);
    for (size_t c = 0; c < set->changes.len; c++) {
        Blend blend;
        blend_read(set, c, c % 2, &blend);
        uint8_t *use = mem_alloc(blend.parts.len + 1);
        memset(use, 0, blend.parts.len);
        check_parts(&blend, use, &text);
        CHECK(str_eq(buf_view(&text), blend.bad));
        for (size_t i = c % 2; i < blend.parts.len; i += 2) use[i] = 1;
        check_parts(&blend, use, &text);
        buf_char(&text, '\n');
        if (blend.parts.len) changeset_blend(set, c, buf_view(&text));
        mem_free(use);
        blend_release(&blend);
    }
    for (size_t f = 0; f < set->files.len; f++)
        if (set->files.at[f].skip == SKIP_NOT) check_file(set, f, reverted, (Str){ 0 });
    for (size_t line = 1; line < 20; line++)
        changeset_at(set, reverted, STR("a.c"), line, &(size_t){ 0 });
    buf_release(&text);
    mem_free(reverted);
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
    if (changeset_read(&set, dirs[0], dirs[1], &options, &err)) {
        check_set(&set, good, bad);
        check_blends(&set);
    }
    changeset_release(&set);
    read_verdicts(dirs[2]);
    arena_release(&arena);
    return 0;
}
