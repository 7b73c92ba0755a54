/* Header, then FUNCTION records (ident and checksums), each followed by its counters. */
#include "coverage/gcov_data.h"

static uint32_t find_function(const Map *by_ident, uint32_t ident) {
    uint64_t key = ident, index;
    return map_get(by_ident, map_key_u64(&key), &index) ? (uint32_t)index : UINT32_MAX;
}

static bool read_counters(Arena *arena, GcovCursor *c, const GcovFunction *fn, int64_t **out) {
    if (!*out) *out = ARENA_ARRAY(arena, int64_t, fn->n_counters + 1);
    for (uint32_t k = 0; k < fn->n_counters; k++) {
        uint64_t low = gcov_u32(c), high = gcov_u32(c);
        (*out)[k] = (int64_t)((uint64_t)(*out)[k] + (low | high << 32));
    }
    return !c->bad;
}

typedef struct DataState {
    const GcovNotes *notes;
    Map by_ident; /* ident -> index */
    uint32_t fn;  /* the current function's index; UINT32_MAX: no known function */
    const char *path;
} DataState;

static bool read_record(Arena *arena, DataState *s, GcovCursor *c, int64_t **counters, Error *err) {
    uint32_t tag = gcov_u32(c), raw = gcov_u32(c);
    bool zeros = (int32_t)raw < 0;
    uint64_t length = zeros ? (uint64_t)(-(int64_t)(int32_t)raw) : raw;
    if (!c->bytes) length *= 4;
    size_t stay = zeros ? 0 : length; /* bytes that follow */
    if (c->bad || stay > c->len - c->pos) {
        c->bad = true;
        return true;
    }
    size_t end = c->pos + stay;
    if (tag == GCOV_TAG_FUNCTION && length >= 12) {
        s->fn = find_function(&s->by_ident, gcov_u32(c));
        uint32_t lineno = gcov_u32(c), cfg = gcov_u32(c);
        if (s->fn != UINT32_MAX) {
            const GcovFunction *fn = &s->notes->functions[s->fn];
            if (lineno != fn->lineno_checksum || cfg != fn->cfg_checksum)
                return err_set(err, STATUS_BAD,
                               "%s: from another build: function " STR_FMT
                               " has other checksums than in %s",
                               s->path, STR_ARG(fn->name), s->notes->path);
        }
    } else if (tag == GCOV_TAG_FUNCTION)
        s->fn = UINT32_MAX; /* a placeholder: another object's copy was linked */
    else if (tag == GCOV_TAG_COUNTERS && s->fn != UINT32_MAX) {
        const GcovFunction *fn = &s->notes->functions[s->fn];
        if (length != (uint64_t)fn->n_counters * 8)
            return err_set(err, STATUS_BAD, "%s: function " STR_FMT " has %llu counters, %u in %s",
                           s->path, STR_ARG(fn->name), (unsigned long long)length / 8,
                           fn->n_counters, s->notes->path);
        if (!zeros && !read_counters(arena, c, fn, &counters[s->fn])) return true;
    }
    c->pos = end;
    return true;
}

bool gcov_data_read(Arena *arena, Str bytes, const char *path, const GcovNotes *notes,
                    int64_t **counters, Error *err) {
    GcovCursor c;
    uint32_t version;
    if (!gcov_cursor_open(&c, bytes, GCOV_MAGIC_DATA, path, &version, err)) return false;
    uint32_t stamp = gcov_u32(&c);
    if (version >= 1200) gcov_u32(&c); /* checksum of the object, for merging */
    if (version != notes->version || stamp != notes->stamp)
        return err_set(err, STATUS_BAD, "%s: from another build than %s (its %s differs)", path,
                       notes->path, version != notes->version ? "version" : "stamp");
    DataState s = { .notes = notes, .fn = UINT32_MAX, .path = path };
    for (uint32_t i = 0; i < notes->n_functions; i++) {
        uint64_t key = notes->functions[i].ident;
        map_put(&s.by_ident, map_key_u64(&key), i);
    }
    bool ok = true;
    while (ok && !c.bad && c.len - c.pos >= 4) {
        GcovCursor peek = c;
        if (gcov_u32(&peek) == 0) break; /* clang ends its file with zeros */
        ok = read_record(arena, &s, &c, counters, err);
    }
    if (ok && c.bad)
        ok = err_set(err, STATUS_BAD, "%s: damaged near byte %zu of %zu", path, c.pos, bytes.len);
    map_release(&s.by_ident);
    return ok;
}
