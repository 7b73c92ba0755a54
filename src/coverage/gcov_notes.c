/* .gcno is a header and then records: tag, length, data. A FUNCTION record is followed by BLOCKS,
 * ARCS and LINES records of that function, in any order. Reading is in two passes over a function's
 * records: the first counts arcs, locations and lines, the second fills arrays of just that size.
 */
#include "coverage/gcov_notes.h"

uint32_t gcov_u32(GcovCursor *c) {
    if (c->bad || c->len - c->pos < 4) {
        c->bad = true;
        return 0;
    }
    uint32_t x;
    memcpy(&x, c->at + c->pos, 4);
    c->pos += 4;
    return c->swap ? __builtin_bswap32(x) : x;
}

Str gcov_str(GcovCursor *c) {
    uint64_t n = gcov_u32(c);
    if (!c->bytes) n *= 4;
    if (c->bad || n > c->len - c->pos) {
        c->bad = true;
        return (Str){ "", 0 };
    }
    const char *at = (const char *)c->at + c->pos;
    c->pos += n;
    return (Str){ n ? at : "", strnlen(at, n) };
}

/* "B22*" is 12.2, "408*" is 4.8 (clang), "A93*" 9.3, "B31*": second letter tens, digits as written.
 */
static uint32_t version_number(uint32_t word) {
    unsigned a = word >> 24, b = word >> 16 & 255, c = word >> 8 & 255;
    if (a >= 'A' && a <= 'Z' && b >= '0' && b <= '9' && c >= '0' && c <= '9')
        return (a - 'A') * 1000 + (b - '0') * 100 + (c - '0');
    if (a >= '0' && a <= '9' && b >= '0' && b <= '9' && c >= '0' && c <= '9')
        return (a - '0') * 100 + (b - '0') * 10 + (c - '0');
    return 0;
}

bool gcov_cursor_open(GcovCursor *c, Str bytes, uint32_t magic, const char *path, uint32_t *version,
                      Error *err) {
    *c = (GcovCursor){ .at = (const unsigned char *)bytes.at, .len = bytes.len };
    uint32_t word = gcov_u32(c);
    if (!c->bad && word == __builtin_bswap32(magic)) {
        c->swap = true;
        word = magic;
    }
    if (c->bad || word != magic)
        return err_set(err, STATUS_BAD, "%s: not a %s file", path,
                       magic == GCOV_MAGIC_NOTES ? "gcov notes (.gcno)" : "gcov data (.gcda)");
    word = gcov_u32(c);
    *version = version_number(word);
    if (c->bad || (*version != 408 && (*version < 900 || *version >= 1700))) {
        char text[5] = { (char)(word >> 24), (char)(word >> 16), (char)(word >> 8), (char)word, 0 };
        for (int i = 0; i < 4; i++)
            if (text[i] < 32 || text[i] > 126) text[i] = '?';
        return err_set(err, STATUS_BAD,
                       "%s: unknown gcov format '%s' (known: GCC 9 to 16 and clang's 408)", path,
                       text);
    }
    c->bytes = *version >= 1200;
    return true;
}

/* ---- sources: names to numbers, once per notes file ---- */
typedef struct Reading {
    Arena *arena;
    GcovNotes *notes;
    Map names; /* source name -> index */
    VEC(Str) sources;
    VEC(GcovFunction) functions;
} Reading;

/* "a/./b/../c" is "a/c": two spellings of one file are one source. A leading ".." stays. */
static Str canonical(Arena *arena, Str name) {
    char *out = arena_alloc(arena, name.len + 1);
    size_t len = 0, floor = 0; /* nothing before floor can be elided */
    Str rest = name, part;
    if (name.len && name.at[0] == '/') out[len++] = '/', floor = 1;
    while (str_split(&rest, '/', &part)) {
        if (part.len == 0 || str_is(part, ".")) continue;
        if (str_is(part, "..") && len > floor) {
            while (len > floor && out[len - 1] != '/') len--;
            if (len > floor) len--;
            continue;
        }
        if (len && out[len - 1] != '/') out[len++] = '/';
        memcpy(out + len, part.at, part.len);
        len += part.len;
        if (str_is(part, "..")) floor = len;
    }
    out[len] = '\0';
    return (Str){ out, len };
}

static uint32_t source_index(Reading *r, Str name) {
    uint64_t index;
    if (map_get(&r->names, name, &index)) return (uint32_t)index;
    Str clean = canonical(r->arena, name);
    if (!map_get(&r->names, clean, &index)) {
        index = r->sources.len;
        vec_push(&r->sources, clean);
        map_put(&r->names, clean, index);
    }
    map_put(&r->names, name, index);
    return (uint32_t)index;
}

static void read_function_head(Reading *r, GcovCursor *c, GcovFunction *fn) {
    fn->ident = gcov_u32(c);
    fn->lineno_checksum = gcov_u32(c);
    fn->cfg_checksum = gcov_u32(c);
    fn->name = arena_str(r->arena, gcov_str(c));
    if (!r->notes->llvm) fn->artificial = gcov_u32(c) != 0;
    fn->source = source_index(r, gcov_str(c));
    fn->start_line = gcov_u32(c);
    if (r->notes->llvm) return;
    gcov_u32(c); /* start column */
    fn->end_line = gcov_u32(c);
    gcov_u32(c); /* end column */
}

/* A record's extent; false at the end of the file or when it is bad. */
typedef struct NotesRecord {
    uint32_t tag;
    size_t start, end; /* of its data */
    uint64_t words;    /* of its data */
} NotesRecord;

static bool next_record(GcovCursor *c, NotesRecord *rec) {
    if (c->bad || c->pos == c->len) return false;
    rec->tag = gcov_u32(c);
    if (rec->tag == 0) return false;
    uint64_t n = gcov_u32(c);
    if (!c->bytes) n *= 4;
    if (c->bad || n > c->len - c->pos) {
        c->bad = true;
        return false;
    }
    rec->start = c->pos;
    rec->end = c->pos + n;
    rec->words = n / 4;
    return true;
}

/* Walks a LINES record. With fn->lines unset it only counts; else it fills. */
static void read_lines(Reading *r, GcovCursor *c, GcovFunction *fn, bool fill) {
    uint32_t block = gcov_u32(c);
    if (c->bad || block >= fn->n_blocks) {
        c->bad = true;
        return;
    }
    GcovBlock *b = &fn->blocks[block];
    if (fill && b->n_locs == 0) b->loc = fn->n_locs;
    if (fill && b->loc + b->n_locs != fn->n_locs) { /* two separate LINES records of one block */
        c->bad = true;
        return;
    }
    bool any = false;
    while (!c->bad) {
        uint32_t line = gcov_u32(c);
        if (line) {
            if (!any) c->bad = true; /* a line before any file name */
            if (fill && any) {
                fn->lines[fn->n_lines] = line;
                fn->locs[fn->n_locs - 1].count++;
            }
            fn->n_lines++;
            continue;
        }
        Str name = gcov_str(c);
        if (name.len == 0 || c->bad) break;
        any = true;
        if (fill) {
            fn->locs[fn->n_locs] = (GcovLoc){ source_index(r, name), fn->n_lines, 0 };
            b->n_locs++;
        }
        fn->n_locs++;
    }
}

static void read_arcs(GcovCursor *c, const NotesRecord *rec, GcovFunction *fn, bool fill) {
    uint32_t src = gcov_u32(c);
    if (c->bad || src >= fn->n_blocks || rec->words < 1) {
        c->bad = true;
        return;
    }
    uint64_t n = (rec->words - 1) / 2;
    if (!fill) { /* the count goes where the arcs will start; checked for duplicates */
        if (fn->blocks[src].n_succ && n) c->bad = true;
        fn->blocks[src].n_succ += (uint32_t)n;
        fn->n_arcs += (uint32_t)n;
        return;
    }
    for (uint64_t i = 0; i < n && !c->bad; i++) {
        uint32_t dst = gcov_u32(c), flags = gcov_u32(c);
        if (dst >= fn->n_blocks) c->bad = true;
        fn->arcs[fn->blocks[src].succ + i] = (GcovArc){ src, dst, flags };
    }
}

/* Numbers of arcs by destination, in the order gcov lists them. */
static void link_preds(Arena *arena, GcovFunction *fn) {
    fn->preds = ARENA_ARRAY(arena, uint32_t, fn->n_arcs);
    for (uint32_t a = 0; a < fn->n_arcs; a++) {
        fn->blocks[fn->arcs[a].dst].n_pred++;
        fn->n_counters += !(fn->arcs[a].flags & GCOV_ARC_ON_TREE);
    }
    uint32_t at = 0;
    for (uint32_t b = 0; b < fn->n_blocks; b++) {
        fn->blocks[b].pred = at;
        at += fn->blocks[b].n_pred;
        fn->blocks[b].n_pred = 0;
    }
    for (uint32_t a = 0; a < fn->n_arcs; a++) {
        GcovBlock *b = &fn->blocks[fn->arcs[a].dst];
        fn->preds[b->pred + b->n_pred++] = a;
    }
}

/* Bytes of a function's records: from c to the next function. */
static size_t body_size(GcovCursor c) {
    size_t start = c.pos, end = start;
    NotesRecord rec;
    while (next_record(&c, &rec) && rec.tag != GCOV_TAG_FUNCTION) c.pos = end = rec.end;
    return end - start;
}

static bool read_blocks(Reading *r, GcovCursor *c, const NotesRecord *rec, GcovFunction *fn,
                        size_t size) {
    if (fn->blocks) return true; /* seen already: gcov ignores the second one */
    uint64_t n = r->notes->llvm ? rec->words : gcov_u32(c);
    /* Each but the exit has an ARCS record. The number is checked against this function's own
     * records: checked against the file, every function of a small file could claim as many blocks
     * as the whole file holds. */
    if (c->bad || n > size / 4 + 2) return false;
    fn->n_blocks = (uint32_t)n;
    fn->blocks = ARENA_ARRAY(r->arena, GcovBlock, n ? n : 1);
    return true;
}

/* All records of one function that start at c; leaves c after them. */
static bool read_body(Reading *r, GcovCursor *c, GcovFunction *fn) {
    GcovCursor end = *c;
    size_t size = body_size(*c);
    for (int pass = 0; pass < 2; pass++) {
        GcovCursor walk = *c;
        NotesRecord rec;
        size_t before = walk.pos;
        while (next_record(&walk, &rec) && rec.tag != GCOV_TAG_FUNCTION) {
            if (rec.tag == GCOV_TAG_BLOCKS && pass == 0)
                walk.bad |= !read_blocks(r, &walk, &rec, fn, size);
            if (rec.tag == GCOV_TAG_ARCS) read_arcs(&walk, &rec, fn, pass == 1);
            if (rec.tag == GCOV_TAG_LINES) read_lines(r, &walk, fn, pass == 1);
            if (walk.bad || walk.pos > rec.end) return false;
            walk.pos = before = rec.end;
        }
        if (walk.bad) return false;
        end.pos = before;
        if (pass == 1) break;
        if (r->notes->llvm && fn->n_blocks >= 2) { /* closes the flow, as llvm-cov does */
            fn->blocks[GCOV_EXIT].n_succ++;
            fn->n_arcs++;
        }
        fn->arcs = ARENA_ARRAY(r->arena, GcovArc, fn->n_arcs + 1);
        fn->locs = ARENA_ARRAY(r->arena, GcovLoc, fn->n_locs + 1);
        fn->lines = ARENA_ARRAY(r->arena, uint32_t, fn->n_lines + 1);
        fn->n_locs = fn->n_lines = 0;
        uint32_t at = 0;
        for (uint32_t b = 0; b < fn->n_blocks; b++) {
            fn->blocks[b].succ = at;
            at += fn->blocks[b].n_succ;
        }
    }
    if (r->notes->llvm && fn->n_blocks >= 2) {
        const GcovBlock *exit = &fn->blocks[GCOV_EXIT];
        fn->arcs[exit->succ + exit->n_succ - 1] =
            (GcovArc){ GCOV_EXIT, GCOV_ENTRY, GCOV_ARC_ON_TREE | GCOV_ARC_CLOSING };
    }
    link_preds(r->arena, fn);
    *c = end;
    return true;
}

static int by_place(const void *a, const void *b) {
    const GcovFunction *x = *(GcovFunction *const *)a, *y = *(GcovFunction *const *)b;
    if (x->source != y->source) return x->source < y->source ? -1 : 1;
    return (x->start_line > y->start_line) - (x->start_line < y->start_line);
}

/* Several functions that start on one line are instances of one template: gcov keeps their lines
 * apart. Artificial ones do not count. */
static void mark_groups(Arena *arena, GcovNotes *notes) {
    GcovFunction **order = ARENA_ARRAY(arena, GcovFunction *, notes->n_functions + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < notes->n_functions; i++)
        if (!notes->functions[i].artificial) order[n++] = &notes->functions[i];
    qsort(order, n, sizeof *order, by_place);
    for (uint32_t i = 0; i < n;) {
        uint32_t j = i + 1;
        while (j < n && by_place(&order[i], &order[j]) == 0) j++;
        for (uint32_t k = i; k < j && j - i > 1; k++)
            order[k]->group = order[k]->end_line >= order[k]->start_line;
        i = j;
    }
}

static bool read_all(Reading *r, GcovCursor *c) {
    NotesRecord rec;
    while (next_record(c, &rec)) {
        if (rec.tag != GCOV_TAG_FUNCTION) {
            c->pos = rec.end;
            continue;
        }
        GcovFunction fn = { 0 };
        read_function_head(r, c, &fn);
        if (c->bad || c->pos > rec.end) return false;
        c->pos = rec.end;
        if (!read_body(r, c, &fn)) return false;
        vec_push(&r->functions, fn);
    }
    return !c->bad;
}

bool gcov_notes_read(Arena *arena, Str bytes, const char *path, GcovNotes *notes, Error *err) {
    *notes = (GcovNotes){ .path = arena_strdup(arena, path) };
    GcovCursor c;
    if (!gcov_cursor_open(&c, bytes, GCOV_MAGIC_NOTES, path, &notes->version, err)) return false;
    notes->llvm = notes->version == 408;
    notes->stamp = gcov_u32(&c);
    if (notes->version >= 1200) gcov_u32(&c); /* checksum: always 0 in notes */
    if (!notes->llvm) {
        notes->cwd = arena_str(arena, gcov_str(&c));
        gcov_u32(&c); /* unexecuted blocks are known */
    }
    Reading r = { .arena = arena, .notes = notes };
    bool ok = read_all(&r, &c);
    if (ok) {
        notes->sources = arena_copy(arena, r.sources.at, r.sources.len * sizeof(Str));
        notes->n_sources = (uint32_t)r.sources.len;
        notes->functions =
            arena_copy(arena, r.functions.at, r.functions.len * sizeof(GcovFunction));
        notes->n_functions = (uint32_t)r.functions.len;
        if (!notes->llvm) mark_groups(arena, notes);
    } else
        err_set(err, STATUS_BAD, "%s: damaged near byte %zu of %zu", path, c.pos, bytes.len);
    map_release(&r.names);
    vec_release(&r.sources);
    vec_release(&r.functions);
    return ok;
}

GcovFunction *gcov_notes_find(const GcovNotes *notes, uint32_t ident) {
    for (uint32_t i = 0; i < notes->n_functions; i++)
        if (notes->functions[i].ident == ident) return &notes->functions[i];
    return NULL;
}
