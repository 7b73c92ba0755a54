/* Building the numbering. For each unit, the (line, block) pairs of gcov_lines.h say which blocks
 * decide whether a line is covered: the booked ones where there are any, else all that have the
 * line. Inverted, each block has a short list of statements, and reading a run means: for each
 * function with a nonzero counter, solve the flow and set the statements of each block that ran. */
#include "coverage/coverage_map.h"
#include "base/file.h"
#include "coverage/gcov_data.h"
#include "coverage/gcov_flow.h"
#include "coverage/gcov_lines.h"
#include "coverage/made_from.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* As runtime/coverage.c writes it: one page in front, then whole pages. */
enum { MAPPING_HEADER = 4096, MOST_MAPPING = 1 << 30 };

/* ---- files ---- */
static Str absolute(Arena *arena, Str cwd, Str name) {
    if (name.len && name.at[0] == '/') return name;
    /* name has ".." only at its front (gcov_notes.c): take as many parts off cwd */
    while (str_starts(name, "../") && cwd.len > 1) {
        name = str_sub(name, 3, name.len);
        while (cwd.len > 1 && cwd.at[cwd.len - 1] != '/') cwd.len--;
        if (cwd.len > 1) cwd.len--;
    }
    char *path = arena_fmt(arena, STR_FMT "/" STR_FMT, STR_ARG(cwd), STR_ARG(name));
    return str_from(path);
}

/* The programs around LLVM's passes only read options and call what is to be called. */
static bool is_llvm_driver(Str path) {
    return str_find(path, STR("/llvm/tools/opt/"), 0) != STR_NONE ||
           str_find(path, STR("/llvm/tools/llc/"), 0) != STR_NONE;
}

static bool is_source(Str path) {
    static const char *const ends[] = { ".c", ".cc", ".cpp", ".cxx", ".C", ".md", ".pd" };
    for (size_t i = 0; i < COUNT_OF(ends); i++)
        if (str_ends(path, ends[i])) return true;
    return false;
}

static bool is_suspect(Str path) {
    return is_source(path) && !is_llvm_driver(path);
}

/* Names become relative to the directory all sources share (ignoring the system's). */
static void name_files(CovMap *map) {
    Str root = { NULL, 0 };
    for (uint32_t i = 0; i < map->n_files; i++) {
        Str path = map->files[i].path;
        if (!is_source(path) || str_starts(path, "/usr/")) continue;
        if (!root.at) root = path;
        size_t n = 0;
        while (n < root.len && n < path.len && root.at[n] == path.at[n]) n++;
        root.len = n;
    }
    while (root.len && root.at[root.len - 1] != '/') root.len--;
    for (uint32_t i = 0; i < map->n_files; i++) {
        CovFile *f = &map->files[i];
        bool inside =
            root.len && f->path.len > root.len && memcmp(f->path.at, root.at, root.len) == 0;
        f->name = inside ? str_sub(f->path, root.len, f->path.len) : f->path;
    }
}

/* ---- loading ---- */
typedef struct Loading {
    CovMap *map;
    Map file_index; /* path -> file */
    VEC(CovFile) files;
    uint32_t **unit_files; /* per unit: file of each of its sources */
    GcovSlots *slots;      /* per unit */
    bool ranked;           /* only what can be ranked */
    VEC(uint64_t) places;  /* file << 32 | line: all of them at first, later without duplicates */
} Loading;

static void drop_headers(GcovNotes *notes) {
    uint32_t kept = 0;
    for (uint32_t f = 0; f < notes->n_functions; f++)
        if (is_suspect(notes->sources[notes->functions[f].source]))
            notes->functions[kept++] = notes->functions[f];
    notes->n_functions = kept;
}

static bool load_unit(Loading *l, const char *path, GcovNotes *notes, Error *err) {
    Arena scratch = { 0 };
    Str bytes;
    bool ok = file_read(&scratch, path, &bytes, err) &&
              gcov_notes_read(&l->map->arena, bytes, path, notes, err);
    arena_release(&scratch);
    if (ok && l->ranked && notes->llvm) drop_headers(notes);
    if (ok) gcov_flow_plan(&l->map->arena, notes);
    return ok;
}

static void number_files(Loading *l, uint32_t u) {
    Arena *arena = &l->map->arena;
    const GcovNotes *notes = &l->map->units[u];
    Str cwd = notes->cwd;
    if (!cwd.len) { /* clang: assume that relative names are relative to the .gcno's directory */
        const char *slash = strrchr(notes->path, '/');
        cwd = (Str){ notes->path, slash ? (size_t)(slash - notes->path) : 0 };
    }
    l->unit_files[u] = ARENA_ARRAY(arena, uint32_t, notes->n_sources + 1);
    for (uint32_t s = 0; s < notes->n_sources; s++) {
        Str path = absolute(arena, cwd, notes->sources[s]);
        uint64_t index;
        if (!map_get(&l->file_index, path, &index)) {
            index = l->files.len;
            map_put(&l->file_index, path, index);
            vec_push(&l->files, (CovFile){ .path = path, .suspect = is_suspect(path) });
        }
        l->unit_files[u][s] = (uint32_t)index;
    }
}

static int by_u64(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void number_stmts(Loading *l) {
    CovMap *map = l->map;
    if (l->places.len) qsort(l->places.at, l->places.len, sizeof(uint64_t), by_u64);
    size_t n = 0;
    for (size_t i = 0; i < l->places.len; i++)
        if (n == 0 || l->places.at[n - 1] != l->places.at[i]) l->places.at[n++] = l->places.at[i];
    l->places.len = n;
    map->n_stmts = (uint32_t)n;
    map->stmts = ARENA_ARRAY(&map->arena, CovStmt, n + 1);
    for (size_t i = 0; i < n; i++) {
        uint32_t file = (uint32_t)(l->places.at[i] >> 32);
        map->stmts[i] = (CovStmt){ file, (uint32_t)l->places.at[i], COV_NO_FUNCTION, 0, 0 };
        if (map->files[file].count++ == 0) map->files[file].first = (uint32_t)i;
    }
}

static uint32_t stmt_index(const Loading *l, uint32_t file, uint32_t line) {
    uint64_t key = (uint64_t)file << 32 | line;
    size_t low = l->map->files[file].first, high = low + l->map->files[file].count;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (l->places.at[mid] < key)
            low = mid + 1;
        else
            high = mid;
    }
    return (uint32_t)low;
}

typedef struct MapPair {
    uint32_t fn, block, stmt;
} MapPair;

static int by_block(const void *a, const void *b) {
    const MapPair *x = a, *y = b;
    if (x->fn != y->fn) return x->fn < y->fn ? -1 : 1;
    if (x->block != y->block) return x->block < y->block ? -1 : 1;
    return (x->stmt > y->stmt) - (x->stmt < y->stmt);
}

/* Per block of each function of unit u: the statements it covers. */
static void link_unit(Loading *l, uint32_t u) {
    CovMap *map = l->map;
    const GcovNotes *notes = &map->units[u];
    const GcovSlots *slots = &l->slots[u];
    VEC(MapPair) pairs = { 0 };
    for (size_t i = 0, j; i < slots->len; i = j) {
        const GcovSlot *s = &slots->at[i];
        for (j = i + 1; j < slots->len && slots->at[j].source == s->source &&
                        slots->at[j].line == s->line && slots->at[j].group == s->group;)
            j++;
        uint32_t stmt = stmt_index(l, l->unit_files[u][s->source], s->line);
        bool booked = false;
        for (size_t k = i; k < j; k++) booked |= slots->at[k].booked;
        for (size_t k = i; k < j; k++)
            if (slots->at[k].booked || !booked)
                vec_push(&pairs, (MapPair){ slots->at[k].fn, slots->at[k].block, stmt });
    }
    if (pairs.len) qsort(pairs.at, pairs.len, sizeof(MapPair), by_block);
    uint32_t *stmts = ARENA_ARRAY(&map->arena, uint32_t, pairs.len + 1);
    for (size_t i = 0; i < pairs.len; i++) stmts[i] = pairs.at[i].stmt;
    size_t at = 0;
    for (uint32_t f = 0; f < notes->n_functions; f++) {
        const GcovFunction *fn = &notes->functions[f];
        CovUnitFn *out = &map->fns[map->unit_fns[u] + f];
        *out = (CovUnitFn){ .fn = fn, .stmts = stmts, .unit = u };
        out->stmt_at = ARENA_ARRAY(&map->arena, uint32_t, fn->n_blocks + 1);
        for (uint32_t b = 0; b < fn->n_blocks; b++) {
            out->stmt_at[b] = (uint32_t)at;
            while (at < pairs.len && pairs.at[at].fn == f && pairs.at[at].block == b) at++;
        }
        out->stmt_at[fn->n_blocks] = (uint32_t)at;
    }
    vec_release(&pairs);
}

/* ---- functions as stretches of source ---- */
static int by_stretch(const void *a, const void *b) {
    const CovFunction *x = a, *y = b;
    if (x->file != y->file) return x->file < y->file ? -1 : 1;
    if (x->start != y->start) return x->start < y->start ? -1 : 1;
    if (x->end != y->end) return x->end > y->end ? -1 : 1;
    return str_cmp(x->name, y->name);
}

static void find_functions(Loading *l) {
    CovMap *map = l->map;
    VEC(CovFunction) all = { 0 };
    for (uint32_t u = 0; u < map->n_units; u++)
        for (uint32_t f = 0; f < map->units[u].n_functions; f++) {
            const GcovFunction *fn = &map->units[u].functions[f];
            if (fn->artificial || !fn->start_line) continue;
            CovFunction c = { fn->name, l->unit_files[u][fn->source], fn->start_line,
                              fn->end_line };
            if (c.end < c.start) { /* clang does not say: it ends at the last of its own lines */
                c.end = c.start;
                for (uint32_t k = 0; k < fn->n_locs; k++)
                    for (uint32_t i = 0; fn->locs[k].source == fn->source && i < fn->locs[k].count;
                         i++)
                        if (fn->lines[fn->locs[k].first + i] > c.end)
                            c.end = fn->lines[fn->locs[k].first + i];
            }
            vec_push(&all, c);
        }
    if (all.len) qsort(all.at, all.len, sizeof(CovFunction), by_stretch);
    size_t n = 0;
    for (size_t i = 0; i < all.len; i++)
        if (n == 0 || all.at[n - 1].file != all.at[i].file ||
            all.at[n - 1].start != all.at[i].start)
            all.at[n++] = all.at[i];
    map->functions = arena_copy(&map->arena, all.at, n * sizeof(CovFunction));
    map->n_functions = (uint32_t)n;
    vec_release(&all);
    /* innermost: functions start in order, so the last one that starts before the line and reaches
     * it */
    for (uint32_t s = 0, f = 0; s < map->n_stmts; s++) {
        CovStmt *stmt = &map->stmts[s];
        while (f < n &&
               (map->functions[f].file < stmt->file ||
                (map->functions[f].file == stmt->file && map->functions[f].start <= stmt->line)))
            f++;
        for (uint32_t k = f; k-- > 0 && map->functions[k].file == stmt->file && f - k < 64;)
            if (map->functions[k].end >= stmt->line) {
                stmt->function = k;
                break;
            }
    }
}

static void finish_load(Loading *l) {
    CovMap *map = l->map;
    map->n_files = (uint32_t)l->files.len;
    map->files = arena_copy(&map->arena, l->files.at, l->files.len * sizeof(CovFile));
    name_files(map);
    number_stmts(l);
    map->unit_fns = ARENA_ARRAY(&map->arena, uint32_t, map->n_units + 1);
    uint32_t blocks = 0, arcs = 0;
    for (uint32_t u = 0; u < map->n_units; u++) {
        map->unit_fns[u] = map->n_fns;
        map->n_fns += map->units[u].n_functions;
        for (uint32_t f = 0; f < map->units[u].n_functions; f++) {
            const GcovFunction *fn = &map->units[u].functions[f];
            if (fn->n_blocks > blocks) blocks = fn->n_blocks;
            if (fn->n_arcs > arcs) arcs = fn->n_arcs;
        }
    }
    map->unit_fns[map->n_units] = map->n_fns;
    map->fns = ARENA_ARRAY(&map->arena, CovUnitFn, map->n_fns + 1);
    for (uint32_t u = 0; u < map->n_units; u++) link_unit(l, u);
    find_functions(l);
    covmap_find_origins(map);
    map->blocks = ARENA_ARRAY(&map->arena, int64_t, blocks + 1);
    map->arcs = ARENA_ARRAY(&map->arena, int64_t, arcs + 1);
    map->counters = ARENA_ARRAY(&map->arena, int64_t *, map->n_fns + 1);
}

static bool load(CovMap *map, const char *dir, bool ranked, Error *err) {
    *map = (CovMap){ 0 };
    StrVec paths = { 0 };
    char resolved[PATH_MAX]; /* counters are named by where the compiler was built, not by a link */
    if (realpath(dir, resolved)) dir = resolved;
    if (!file_list(&map->arena, dir, ".gcno", &paths, err)) return false;
    if (paths.len == 0) {
        vec_release(&paths);
        return err_set(err, STATUS_BAD, "%s: no .gcno files in it: not a build with coverage", dir);
    }
    map->n_units = (uint32_t)paths.len;
    map->units = ARENA_ARRAY(&map->arena, GcovNotes, paths.len);
    Loading l = { .map = map, .ranked = ranked };
    l.unit_files = ARENA_ARRAY(&map->arena, uint32_t *, paths.len);
    l.slots = mem_alloc(paths.len * sizeof *l.slots);
    bool ok = true;
    for (uint32_t u = 0; ok && u < map->n_units; u++) {
        ok = load_unit(&l, paths.at[u].at, &map->units[u], err);
        if (!ok) break;
        number_files(&l, u);
        gcov_slots(&map->units[u], &l.slots[u]);
        uint64_t last = UINT64_MAX;
        for (size_t i = 0; i < l.slots[u].len; i++) {
            const GcovSlot *s = &l.slots[u].at[i];
            uint64_t place = (uint64_t)l.unit_files[u][s->source] << 32 | s->line;
            if (place != last) vec_push(&l.places, place);
            last = place;
        }
    }
    if (ok) finish_load(&l);
    for (uint32_t u = 0; u < map->n_units; u++) vec_release(&l.slots[u]);
    mem_free(l.slots);
    vec_release(&l.places);
    vec_release(&l.files);
    map_release(&l.file_index);
    vec_release(&paths);
    if (!ok) covmap_free(map);
    return ok;
}

bool covmap_load(CovMap *map, const char *dir, Error *err) {
    return load(map, dir, false, err);
}

bool covmap_load_ranked(CovMap *map, const char *dir, Error *err) {
    return load(map, dir, true, err);
}

static void drop_files(CovMap *map);

void covmap_free(CovMap *map) {
    drop_files(map);
    vec_release(&map->extents);
    vec_release(&map->frames);
    for (uint32_t i = 0; i < map->n_linked; i++) {
        covprogram_release(&map->linked[i].program);
        vec_release(&map->linked[i].solved);
    }
    arena_release(&map->data);
    arena_release(&map->arena);
    *map = (CovMap){ 0 };
}

/* ---- the layout ---- */
static bool hex(Str *rest, uint64_t *out) {
    Str word;
    if (!str_split(rest, ' ', &word) || word.len == 0 || word.len > 16) return false;
    uint64_t x = 0;
    for (size_t i = 0; i < word.len; i++) {
        char c = word.at[i];
        if (c >= '0' && c <= '9')
            x = x << 4 | (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            x = x << 4 | (uint64_t)(c - 'a' + 10);
        else
            return false;
    }
    *out = x;
    return true;
}

/* A function and where its counters are. */
typedef struct FnPlace {
    uint64_t offset;
    uint32_t fn;
} FnPlace;

static int by_offset(const void *a, const void *b) {
    const FnPlace *x = a, *y = b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

static const char *unit_stem(Arena *arena, Str path) { /* "x.gcda" and "x.gcno" alike */
    return arena_cstr(arena, str_sub(path, 0, path.len > 5 ? path.len - 5 : 0));
}

typedef struct LayoutState {
    CovMap *map;
    CovLinked *linked;
    Map units;     /* path without its end -> unit */
    Map idents;    /* of the current unit: ident -> fn */
    uint32_t unit; /* UINT32_MAX: not one of ours */
    bool ended;
} LayoutState;

static bool layout_unit(LayoutState *s, Arena *scratch, Str rest, Error *err) {
    uint64_t version, stamp, unit;
    if (!hex(&rest, &version) || !hex(&rest, &stamp))
        return err_set(err, STATUS_BAD, "damaged layout");
    s->unit = UINT32_MAX;
    map_release(&s->idents);
    const char *stem = unit_stem(scratch, rest);
    if (!map_get(&s->units, str_from(stem), &unit))
        return err_set(err, STATUS_BAD,
                       "%s.gcno is missing: these are not the notes of this compiler", stem);
    const GcovNotes *notes = &s->map->units[unit];
    if (notes->stamp != (uint32_t)stamp)
        return err_set(err, STATUS_BAD,
                       "%s is from another build (its stamp differs from the compiler's)",
                       notes->path);
    s->unit = (uint32_t)unit;
    for (uint32_t f = s->map->unit_fns[unit]; f < s->map->unit_fns[unit + 1]; f++) {
        uint64_t key = s->map->fns[f].fn->ident;
        map_put(&s->idents, map_key_u64(&key), f);
    }
    return true;
}

static bool layout_fn(LayoutState *s, Str rest, Error *err) {
    uint64_t v[5], index;
    for (int i = 0; i < 5; i++)
        if (!hex(&rest, &v[i])) return err_set(err, STATUS_BAD, "damaged layout");
    if (s->unit == UINT32_MAX || !map_get(&s->idents, map_key_u64(&v[0]), &index)) return true;
    const CovUnitFn *fn = &s->map->fns[index];
    if (fn->fn->lineno_checksum != v[1] || fn->fn->cfg_checksum != v[2] ||
        fn->fn->n_counters != v[4])
        return err_set(err, STATUS_BAD,
                       "%s is from another build than the compiler (function " STR_FMT " differs)",
                       s->map->units[s->unit].path, STR_ARG(fn->fn->name));
    uint64_t mapping = s->linked->mapping;
    if (v[3] % 8 || v[3] > mapping || v[4] > (mapping - v[3]) / 8)
        return err_set(err, STATUS_BAD, "damaged layout: counters outside the mapping");
    s->linked->offsets[index] = v[3];
    return true;
}

static bool layout_line(LayoutState *s, Arena *scratch, Str line, Error *err) {
    if (str_starts(line, "fn ")) return layout_fn(s, str_sub(line, 3, line.len), err);
    if (str_starts(line, "unit ")) return layout_unit(s, scratch, str_sub(line, 5, line.len), err);
    if (str_starts(line, "culprit-coverage 1 ")) {
        Str rest = str_sub(line, 19, line.len);
        uint64_t *mapping = &s->linked->mapping;
        if (!hex(&rest, mapping) || *mapping > MOST_MAPPING || *mapping % MAPPING_HEADER)
            return err_set(err, STATUS_BAD, "damaged layout");
        return true;
    }
    if (str_is(line, "end")) s->ended = true;
    if (str_starts(line, "outside "))
        return err_set(err, STATUS_BAD,
                       "a counter lies outside .bss: link with culprit's runtime statically");
    return true;
}

static void compile_program(const CovMap *map, CovLinked *linked) {
    VEC(FnPlace) places = { 0 };
    for (uint32_t f = 0; f < map->n_fns; f++)
        if (linked->offsets[f] != COV_NOT_LINKED)
            vec_push(&places, (FnPlace){ linked->offsets[f], f });
    if (places.len) qsort(places.at, places.len, sizeof *places.at, by_offset);
    covprogram_init(&linked->program, (uint32_t)(linked->mapping / 8));
    for (size_t i = 0; i < places.len; i++) {
        const CovUnitFn *fn = &map->fns[places.at[i].fn];
        if (!covprogram_add(&linked->program, fn->fn, (uint32_t)(places.at[i].offset / 8),
                            fn->stmt_at, fn->stmts))
            vec_push(&linked->solved, places.at[i].fn);
    }
    covprogram_finish(&linked->program);
    vec_release(&places);
}

bool covmap_set_layout(CovMap *map, Str text, Error *err) {
    CHECK(map->n_linked < COV_PROGRAMS);
    Arena scratch = { 0 };
    CovLinked *linked = &map->linked[map->n_linked];
    LayoutState s = { .map = map, .linked = linked, .unit = UINT32_MAX };
    *linked = (CovLinked){ .offsets = ARENA_ARRAY(&map->arena, uint64_t, map->n_fns + 1) };
    memset(linked->offsets, 0xff, map->n_fns * sizeof *linked->offsets);
    for (uint32_t u = 0; u < map->n_units; u++)
        map_put(&s.units, str_from(unit_stem(&scratch, str_from(map->units[u].path))), u);
    Str line;
    bool ok = true;
    while (ok && str_split(&text, '\n', &line)) ok = layout_line(&s, &scratch, line, err);
    if (ok && (!s.ended || !linked->mapping))
        ok = err_set(err, STATUS_BAD, "damaged layout: cut short");
    map_release(&s.units);
    map_release(&s.idents);
    arena_release(&scratch);
    if (!ok) return false;
    compile_program(map, linked);
    map->n_linked++;
    return true;
}

/* ---- runs ---- */
static void cover(CovMap *map, const CovUnitFn *fn, const int64_t *counters, Bits *bits) {
    gcov_flow_solve(fn->fn, counters, map->blocks, map->arcs);
    for (uint32_t b = 0; b < fn->fn->n_blocks; b++)
        if (map->blocks[b])
            for (uint32_t i = fn->stmt_at[b]; i < fn->stmt_at[b + 1]; i++)
                bits_set(bits, fn->stmts[i]);
}

static void drop_image(CovLinked *linked) {
    if (linked->image) munmap((void *)linked->image, linked->mapping);
    linked->image = NULL;
}

/* Maps the counters of the file. */
static bool map_image(CovLinked *linked, int fd, const char *path, Error *err) {
    void *at = mmap(NULL, linked->mapping, PROT_READ, MAP_SHARED, fd, linked->image_at);
    if (at == MAP_FAILED) return err_errno(err, "%s", path);
    linked->image = at;
    return true;
}

static void drop_files(CovMap *map) {
    for (uint32_t i = 0; i < map->n_linked; i++) {
        drop_image(&map->linked[i]);
        if (map->linked[i].file > 0) close(map->linked[i].file);
        map->linked[i].file = 0;
    }
}

/* Reads the header's record of an internal error: see runtime/coverage.c. Of two programs, that of
 * the first which had one. */
static void read_frames(CovMap *map, const char *head, size_t size) {
    uint64_t n, address;
    if (map->frames.len) return;
    memcpy(&map->bss, head + 32, sizeof map->bss);
    memcpy(&n, head + 64, sizeof n);
    for (uint64_t i = 1; i <= n && 64 + 8 * (i + 1) <= size; i++) {
        memcpy(&address, head + 64 + 8 * i, sizeof address);
        vec_push(&map->frames, address);
    }
}

/* Finds where the file has data: holes are zero, and touching them would fill them. */
static void find_extents(CovMap *map, const CovLinked *linked, int fd) {
    off_t base = linked->image_at, at = base, end = base + (off_t)linked->mapping;
    vec_clear(&map->extents);
    while (at < end) {
        off_t data = lseek(fd, at, SEEK_DATA);
        if (data < 0 && errno == ENXIO) break;
        if (data < 0) data = at; /* a file system without support for holes */
        if (data >= end) break;
        off_t hole = lseek(fd, data, SEEK_HOLE);
        if (hole <= data || hole > end) hole = end;
        vec_push(&map->extents,
                 (CovExtent){ (uint64_t)(data - base) / 8, (uint64_t)(hole - base) / 8 });
        at = hole;
    }
}

static bool open_image(CovMap *map, CovLinked *linked, int fd, const char *path, Error *err) {
    char head[1024];
    uint64_t size = 0, paused = 0;
    if (pread(fd, head, sizeof head, 0) != sizeof head || memcmp(head, "culprit-cov-1\n", 15) != 0)
        return err_set(err, STATUS_BAD,
                       "%s: no coverage in it: the compiler did not start, or has not "
                       "culprit's runtime",
                       path);
    memcpy(&size, head + 16, sizeof size);
    memcpy(&paused, head + 24, sizeof paused);
    read_frames(map, head, sizeof head);
    struct stat st;
    uint64_t halves = 1 + (paused != 0); /* counting was suspended: the second half */
    if (size != linked->mapping || fstat(fd, &st) != 0 ||
        (uint64_t)st.st_size < MAPPING_HEADER + halves * size)
        return err_set(err, STATUS_BAD, "%s: coverage from another build", path);
    linked->image_at = (off_t)(MAPPING_HEADER + (halves - 1) * size);
    find_extents(map, linked, fd);
    return map_image(linked, fd, path, err);
}

static bool any_counter(const int64_t *counters, uint32_t n) {
    int64_t any = 0;
    for (uint32_t i = 0; i < n; i++) any |= counters[i];
    return any != 0;
}

static bool read_linked(CovMap *map, CovLinked *linked, int fd, const char *path, Bits *bits,
                        Error *err) {
    bool framed = map->frames.len > 0;
    if (!open_image(map, linked, fd, path, err)) return false;
    if (!framed) map->crashed = (uint32_t)(linked - map->linked);
    covprogram_run(&linked->program, linked->image, map->extents.at, map->extents.len, bits);
    for (size_t i = 0; i < linked->solved.len; i++) {
        const CovUnitFn *fn = &map->fns[linked->solved.at[i]];
        uint64_t word = linked->offsets[linked->solved.at[i]] / 8;
        if (covprogram_ran(&linked->program, (uint32_t)word, fn->fn->n_counters))
            cover(map, fn, linked->image + word, bits);
    }
    drop_image(linked);
    linked->file = dup(fd);
    return true;
}

bool covmap_read_mapping(CovMap *map, int fd, const char *path, Bits *bits, Error *err) {
    bits_clear(bits);
    drop_files(map);
    vec_clear(&map->frames);
    if (!read_linked(map, &map->linked[0], fd, path, bits, err)) return false;
    map->from_image = true;
    return true;
}

bool covmap_read_second(CovMap *map, int fd, const char *path, Bits *bits, Error *err) {
    CHECK(map->n_linked > 1);
    return read_linked(map, &map->linked[1], fd, path, bits, err);
}

bool covmap_read_gcda(CovMap *map, const char *prefix, Bits *bits, Error *err) {
    Arena scratch = { 0 };
    bits_clear(bits);
    memset(map->counters, 0, map->n_fns * sizeof *map->counters);
    map->from_image = false;
    arena_clear(&map->data);
    bool ok = true, any = false;
    for (uint32_t u = 0; ok && u < map->n_units; u++) {
        Str path = str_from(map->units[u].path);
        const char *data = arena_fmt(&scratch, "%s%s.gcda", prefix, unit_stem(&scratch, path));
        Str bytes;
        if (!file_exists(data)) continue;
        any = true;
        ok = file_read(&scratch, data, &bytes, err) &&
             gcov_data_read(&map->data, bytes, data, &map->units[u],
                            map->counters + map->unit_fns[u], err);
        for (uint32_t f = map->unit_fns[u]; ok && f < map->unit_fns[u + 1]; f++)
            if (map->counters[f] && any_counter(map->counters[f], map->fns[f].fn->n_counters))
                cover(map, &map->fns[f], map->counters[f], bits);
    }
    arena_release(&scratch);
    if (ok && !any)
        return err_set(err, STATUS_BAD,
                       "the compiler wrote no coverage: there is no .gcda of this build (was its "
                       "directory moved since it was built?)");
    return ok;
}

/* Adds the counts of what map->counters points to. */
static void add_counts(CovMap *map, int64_t *counts) {
    Map file_index = { 0 };
    for (uint32_t f = 0; f < map->n_files; f++) map_put(&file_index, map->files[f].path, f);
    Arena scratch = { 0 };
    GcovLines lines = { 0 };
    for (uint32_t u = 0; u < map->n_units; u++) {
        bool ran = false;
        for (uint32_t f = map->unit_fns[u]; f < map->unit_fns[u + 1]; f++)
            ran |= map->counters[f] != NULL;
        if (!ran) continue;
        const GcovNotes *notes = &map->units[u];
        vec_clear(&lines);
        gcov_lines(notes, map->counters + map->unit_fns[u], &lines);
        uint32_t last = UINT32_MAX, file = 0;
        for (size_t i = 0; i < lines.len; i++) {
            const GcovLine *line = &lines.at[i];
            if (line->source != last) {
                Str cwd = notes->cwd;
                if (!cwd.len) {
                    const char *slash = strrchr(notes->path, '/');
                    cwd = (Str){ notes->path, slash ? (size_t)(slash - notes->path) : 0 };
                }
                uint64_t index = 0;
                CHECK(map_get(&file_index, absolute(&scratch, cwd, notes->sources[line->source]),
                              &index));
                file = (uint32_t)index;
                last = line->source;
            }
            size_t low = map->files[file].first, high = low + map->files[file].count;
            while (low < high) {
                size_t mid = (low + high) / 2;
                if (map->stmts[mid].line < line->line)
                    low = mid + 1;
                else
                    high = mid;
            }
            counts[low] = (int64_t)((uint64_t)counts[low] + (uint64_t)line->count);
        }
    }
    vec_release(&lines);
    map_release(&file_index);
    arena_release(&scratch);
}

void covmap_counts(CovMap *map, int64_t *counts) {
    memset(counts, 0, map->n_stmts * sizeof *counts);
    if (!map->from_image) {
        add_counts(map, counts);
        return;
    }
    for (uint32_t i = 0; i < map->n_linked; i++) {
        CovLinked *linked = &map->linked[i];
        if (linked->file <= 0 || (!linked->image && !map_image(linked, linked->file, "", NULL)))
            continue;
        for (uint32_t f = 0; f < map->n_fns; f++)
            map->counters[f] = linked->offsets[f] == COV_NOT_LINKED
                                   ? NULL
                                   : (int64_t *)(linked->image + linked->offsets[f] / 8);
        add_counts(map, counts);
    }
}
