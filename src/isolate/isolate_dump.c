/* See dump.h. */
#include "isolate/isolate_dump.h"
#include "base/file.h"
#include "base/json.h"

static json_t *texts(const StrVec *v) {
    json_t *array = json_array();
    for (size_t i = 0; i < v->len; i++) json_array_append_new(array, json_text(v->at[i]));
    return array;
}

static json_t *numbers(const double *at, uint32_t n) {
    json_t *array = json_array();
    for (uint32_t i = 0; i < n; i++) json_array_append_new(array, json_real(at[i]));
    return array;
}

/* What the bits stand for. */
static bool write_places(const CovMap *map, const char *dir, Arena *scratch, Error *err) {
    Buf places = { 0 }, names = { 0 };
    for (uint32_t i = 0; i < map->n_stmts; i++) {
        const CovStmt *stmt = &map->stmts[i];
        uint32_t one[4] = { stmt->file, stmt->function, stmt->line, stmt->origin };
        buf_add(&places, (const char *)one, sizeof one);
    }
    for (uint32_t i = 0; i < map->n_files; i++)
        buf_fmt(&names, "%c " STR_FMT "\n", map->files[i].suspect ? 'f' : 'h',
                STR_ARG(map->files[i].name));
    for (uint32_t i = 0; i < map->n_functions; i++)
        buf_fmt(&names, "n " STR_FMT "\n", STR_ARG(map->functions[i].name));
    bool ok = file_save(file_join(scratch, dir, "places.bin"), buf_view(&places), err) &&
              file_save(file_join(scratch, dir, "names.txt"), buf_view(&names), err);
    buf_release(&places);
    buf_release(&names);
    return ok;
}

bool dump_write(const Isolation *iso, const char *dir, Error *err) {
    if (!file_make_dirs(dir, err)) return false;
    json_t *root = json_object(), *failing = json_array(), *witnesses = json_array(),
           *cures = json_array(), *of_suite = json_array();
    Buf bits = { 0 };
    size_t bytes = bits_words(&iso->failing.at[0].bits) * sizeof(uint64_t);
    for (size_t i = 0; i < iso->failing.len; i++) {
        json_array_append_new(failing, json_text(iso->failing.at[i].label));
        json_array_append_new(of_suite, json_boolean(iso->failing.at[i].suite));
        buf_add(&bits, iso->failing.at[i].bits.words, bytes);
    }
    for (size_t i = 0; i < iso->witnesses.len; i++) {
        const Witness *w = &iso->witnesses.at[i];
        json_t *one = json_object();
        json_put_int(one, "kind", w->kind);
        json_put_text(one, "label", w->label);
        json_put_text(one, "program", w->program);
        if (w->hashed.len) json_put_text(one, "hashed", w->hashed);
        json_put_int(one, "order", w->order);
        json_put_real(one, "distance", w->distance);
        json_array_append_new(witnesses, one);
        buf_add(&bits, w->bits.words, bytes);
    }
    json_t *windows = json_array(), *effects = json_array();
    for (size_t i = 0; i < iso->windows.len; i++) {
        json_array_append_new(windows, json_text(iso->windows.at[i].pass));
        json_array_append_new(effects, json_text(iso->windows.at[i].effect_of));
        buf_add(&bits, iso->windows.at[i].in.words, bytes);
    }
    if (iso->until.words) buf_add(&bits, iso->until.words, bytes);
    if (iso->noise.words) buf_add(&bits, iso->noise.words, bytes);
    json_put_bool(root, "noise", iso->noise.words != NULL);
    json_put(root, "windows", windows);
    json_put(root, "effects", effects);
    json_put_bool(root, "until", iso->until.words != NULL);
    for (size_t i = 0; i < iso->cures.len; i++)
        json_array_append_new(cures, json_text(iso->cures.at[i].option));
    json_put_int(root, "statements", iso->subject->map.n_stmts);
    json_put_int(root, "kind", iso->subject->failure.kind);
    json_put(root, "failing", failing);
    json_put(root, "failing_suite", of_suite);
    json_put(root, "witnesses", witnesses);
    json_put(root, "cures", cures);
    if (iso->fixes) json_put(root, "fixes", numbers(iso->fixes, iso->subject->map.n_files));
    json_put(root, "frames", texts(&iso->frames));
    json_put(root, "needed", texts(&iso->needed));
    json_put_text(root, "crash_pass", iso->crash_pass);
    Arena scratch = { 0 };
    Buf text = { 0 };
    json_dump_buf(root, true, &text);
    bool ok = file_save(file_join(&scratch, dir, "isolation.json"), buf_view(&text), err) &&
              file_save(file_join(&scratch, dir, "coverage.bits"), buf_view(&bits), err) &&
              write_places(&iso->subject->map, dir, &scratch, err);
    buf_release(&text);
    buf_release(&bits);
    json_decref(root);
    arena_release(&scratch);
    return ok;
}

/* What is left of coverage.bits. */
typedef struct Rest {
    Str bytes;
    bool lacks; /* more was requested than there was */
} Rest;

static Bits take_bits(uint32_t n, Rest *rest) {
    Bits b = bits_new(n);
    size_t size = bits_words(&b) * sizeof(uint64_t);
    if (rest->bytes.len >= size) {
        memcpy(b.words, rest->bytes.at, size);
        rest->bytes = str_sub(rest->bytes, size, rest->bytes.len);
    } else
        rest->lacks = true;
    return b;
}

static Str item(Arena *arena, const json_t *one) {
    return json_is_string(one) ? arena_str(arena, str_from(json_string_value(one))) : STR("");
}

static void read_texts(Arena *arena, const json_t *array, StrVec *out) {
    size_t i;
    json_t *one;
    json_array_foreach(array, i, one) vec_push(out, item(arena, one));
}

static void read_witness(Isolation *iso, size_t i, const json_t *one, Bits bits) {
    Arena *arena = &iso->arena;
    Witness w = { .id = (unsigned)i + 1,
                  .kind = (WitnessKind)((uint64_t)json_get_int(one, "kind", 0) % WITNESS_KINDS),
                  .label = arena_str(arena, json_get_text(one, "label")),
                  .program = arena_str(arena, json_get_text(one, "program")),
                  .hashed = arena_str(arena, json_get_text(one, "hashed")),
                  .order = (unsigned)json_get_int(one, "order", 0),
                  .distance = json_get_real(one, "distance", 0),
                  .bits = bits };
    vec_push(&iso->witnesses, w);
}

/* The bits are in the order they were written in. */
static void read_coverage(Isolation *iso, const json_t *root, uint32_t n, Rest *rest) {
    Arena *arena = &iso->arena;
    size_t i;
    json_t *one;
    json_array_foreach(json_object_get(root, "failing"), i, one) isolation_add_failing(
        iso, take_bits(n, rest), item(arena, one),
        json_is_true(json_array_get(json_object_get(root, "failing_suite"), i)));
    json_array_foreach(json_object_get(root, "witnesses"), i, one)
        read_witness(iso, i, one, take_bits(n, rest));
    const json_t *effects = json_object_get(root, "effects");
    json_array_foreach(json_object_get(root, "windows"), i, one)
        vec_push(&iso->windows, (Window){ .pass = item(arena, one),
                                          .effect_of = item(arena, json_array_get(effects, i)),
                                          .in = take_bits(n, rest),
                                          .order = (unsigned)i + 1 });
    if (json_get_bool(root, "until", false)) iso->until = take_bits(n, rest);
    if (json_get_bool(root, "noise", false)) iso->noise = take_bits(n, rest);
}

bool dump_read(Isolation *iso, const char *dir, Error *err) {
    Str text, bits;
    Arena *arena = &iso->arena;
    if (!file_read(arena, file_join(arena, dir, "isolation.json"), &text, err) ||
        !file_read(arena, file_join(arena, dir, "coverage.bits"), &bits, err))
        return false;
    json_t *root = json_parse(text, dir, err);
    if (!root) return false;
    uint32_t n = iso->subject->map.n_stmts;
    if (json_get_int(root, "statements", 0) != n) {
        json_decref(root);
        return err_set(err, STATUS_BAD, "%s: from another build", dir);
    }
    int64_t kind = json_get_int(root, "kind", VERDICT_WRONG);
    iso->subject->failure.kind =
        kind > VERDICT_OK && kind < VERDICT_NONE ? (VerdictKind)kind : VERDICT_WRONG;
    Rest rest = { .bytes = bits };
    read_coverage(iso, root, n, &rest);
    read_texts(arena, json_object_get(root, "frames"), &iso->frames);
    read_texts(arena, json_object_get(root, "needed"), &iso->needed);
    size_t i;
    json_t *one;
    json_array_foreach(json_object_get(root, "cures"), i, one)
        vec_push(&iso->cures, (Cure){ .option = item(arena, one) });
    iso->crash_pass = arena_str(arena, json_get_text(root, "crash_pass"));
    json_decref(root);
    if (rest.lacks || rest.bytes.len)
        return err_set(err, STATUS_BAD, "%s/coverage.bits: %s than isolation.json says", dir,
                       rest.lacks ? "shorter" : "longer");
    return iso->failing.len || err_set(err, STATUS_BAD, "%s: no failing program in it", dir);
}
