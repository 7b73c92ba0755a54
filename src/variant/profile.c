/* Instrument, run, read; see profile.h. runtime/profile.c says what the calls mean. */
#include "variant/profile.h"
#include "base/toolchain.h"

#include "base/file.h"
#include "cc/foreign.h"
#include "cfront/edit.h"
#include "run/run.h"
#include "run/workdir.h"
#include "variant/origin.h"
#include "variant/variant_knobs.h"

enum { PLACES_CAP = 8192, CLOSED = 255, LOCALS = 1 << 20 };

/* runtime/profile.c compiled, carried inside culprit (image.S). */
extern const char hunt_profiler_image[] __attribute__((visibility("hidden")));
extern const char hunt_profiler_image_end[] __attribute__((visibility("hidden")));
/* The same as text, for other machines. */
extern const char hunt_profiler_source[] __attribute__((visibility("hidden")));
extern const char hunt_profiler_source_end[] __attribute__((visibility("hidden")));

/* What the instrumented program is made of. */
typedef struct Tables {
    Arena arena;
    VEC(const CType *) targets; /* pointee types, by number */
    VEC(const CDecl *) objects; /* globals, by number: the first declaration of each */
    VEC(const CDecl *) locals;  /* that pointers may lead to; numbered from LOCALS on */
    Map object_of;              /* first declaration -> number + 1 */
    VEC(uint16_t) homes;        /* point of each slot */
    VEC(uint32_t) open;         /* slots of each point */
    Buf places;                 /* initialisers of culprit_places */
    uint32_t places_len;
    Buf ends; /* of culprit_ends */
    uint32_t ends_len;
} Tables;

static void tables_release(Tables *t) {
    arena_release(&t->arena);
    vec_release(&t->targets);
    vec_release(&t->objects);
    vec_release(&t->locals);
    map_release(&t->object_of);
    vec_release(&t->homes);
    vec_release(&t->open);
    buf_release(&t->places);
    buf_release(&t->ends);
}

static Str decl_key(const CDecl **first) {
    return (Str){ (const char *)first, sizeof *first };
}

static bool find_object(const Tables *t, const CDecl *decl, uint32_t *number) {
    const CDecl *first = decl->first;
    uint64_t value;
    if (!map_get(&t->object_of, decl_key(&first), &value)) return false;
    *number = (uint32_t)value - 1;
    return true;
}

/* Globals that are defined here, with a known size. */
static void number_objects(Tables *t, const CUnit *unit) {
    for (uint32_t i = 0; i < unit->n_globals; i++) {
        const CDecl *d = unit->globals[i], *first = d->first;
        bool defined = !(d->flags & CD_EXTERN) || d->init_range.from < d->init_range.to;
        if (!defined || d->type->size == 0 || (d->flags & (CD_THREAD | CD_SYSTEM))) continue;
        if (map_get(&t->object_of, decl_key(&first), NULL)) continue;
        vec_push(&t->objects, d);
        map_put(&t->object_of, decl_key(&first), t->objects.len);
    }
}

static uint32_t number_local(Tables *t, const CDecl *d) {
    uint32_t number;
    const CDecl *first = d->first;
    if (find_object(t, d, &number)) return number;
    vec_push(&t->locals, d);
    number = LOCALS + (uint32_t)t->locals.len - 1;
    map_put(&t->object_of, decl_key(&first), (uint64_t)number + 1);
    return number;
}

static uint32_t target_number(Tables *t, const CType *type) {
    for (size_t i = 0; i < t->targets.len; i++)
        if (t->targets.at[i] == type) return (uint32_t)i;
    vec_push(&t->targets, type);
    return (uint32_t)t->targets.len - 1;
}

static int find_target(const Tables *t, const CType *type) {
    for (size_t i = 0; i < t->targets.len; i++)
        if (t->targets.at[i] == type) return (int)i;
    return -1;
}

/* ---- places pointers may lead to ---- */

typedef struct Spot {
    const char *text; /* the lvalue */
    uint32_t object;
    bool constant;
} Spot;

static void add_place(Tables *t, const Spot *spot, const char *element, int target, uint64_t size,
                      uint64_t count) {
    if (t->places_len++ >= PLACES_CAP) return;
    buf_fmt(&t->places, "{(char*)&(%s%s),%lluull,%lluull,%d,%u,%d},\n", spot->text, element,
            (unsigned long long)size, (unsigned long long)count, target, spot->object,
            spot->constant);
}

static void find_places(Tables *t, Spot spot, const CType *type) {
    if (t->places_len >= PLACES_CAP || (type->quals & (CQ_VOLATILE | CQ_ATOMIC))) return;
    if (type->quals & CQ_CONST) spot.constant = true;
    int target = find_target(t, type->bare);
    if (target >= 0) add_place(t, &spot, "", target, type->size, 1);
    if (type->kind == CT_ARRAY && type->count > 0) {
        const CType *elem = type->elem;
        int inner = find_target(t, elem->bare);
        bool plain = inner >= 0 && elem->kind != CT_RECORD && elem->kind != CT_ARRAY;
        if (plain && !(elem->quals & (CQ_VOLATILE | CQ_ATOMIC))) {
            if (elem->quals & CQ_CONST) spot.constant = true;
            add_place(t, &spot, "[0]", inner, elem->size, type->count);
            return;
        }
        if (elem->kind != CT_RECORD && elem->kind != CT_ARRAY) return;
        for (uint64_t i = 0; i < type->count && t->places_len < PLACES_CAP; i++) {
            Spot at = spot;
            at.text = arena_fmt(&t->arena, "%s[%llu]", spot.text, (unsigned long long)i);
            find_places(t, at, elem);
        }
    }
    if (type->kind != CT_RECORD || type->record->is_union || type->record->is_packed) return;
    for (uint32_t i = 0; i < type->record->n_fields; i++) {
        const CField *f = &type->record->fields[i];
        if (f->bits >= 0 || f->name.len == 0) continue;
        Spot at = spot;
        at.text = arena_fmt(&t->arena, "%s." STR_FMT, spot.text, STR_ARG(f->name));
        find_places(t, at, f->type);
    }
}

/* ---- ends of arrays inside objects ---- */

/* The innermost element type of an array (of arrays). */
static const CType *innermost(const CType *type) {
    while (type->kind == CT_ARRAY) type = type->elem;
    return type;
}

static bool has_ends(const Tables *t, const CType *type) {
    const CType *inner = innermost(type);
    if (type->kind == CT_ARRAY && type->size == 0) return false;
    if (inner != type && find_target(t, inner->bare) >= 0) return true;
    if (inner->kind != CT_RECORD) return false;
    for (uint32_t i = 0; i < inner->record->n_fields; i++)
        if (has_ends(t, inner->record->fields[i].type)) return true;
    return false;
}

/* One entry for all rows: each row's end is the end of an array. */
static void add_end(Tables *t, const char *text, const CType *type, int target) {
    const CType *row = type;
    while (row->elem->kind == CT_ARRAY) row = row->elem;
    if (row->size == 0 || t->ends_len++ >= PLACES_CAP) return;
    buf_fmt(&t->ends, "{(char*)&(%s),%lluull,%lluull,%d},\n", text, (unsigned long long)row->size,
            (unsigned long long)(type->size / row->size), target);
}

static void find_ends(Tables *t, const char *text, const CType *type);

static void find_ends_in_elements(Tables *t, const char *text, const CType *type) {
    if (type->kind != CT_ARRAY) {
        find_ends(t, text, type);
        return;
    }
    for (uint64_t i = 0; i < type->count && t->ends_len <= PLACES_CAP; i++)
        find_ends_in_elements(t, arena_fmt(&t->arena, "%s[%llu]", text, (unsigned long long)i),
                              type->elem);
}

/* A pointer past the last element of such an array may equal the address of what follows in the
 * same object. Unlike places these are also in unions and packed structures. */
static void find_ends(Tables *t, const char *text, const CType *type) {
    const CType *inner = innermost(type);
    if (inner != type) {
        int target = find_target(t, inner->bare);
        if (target >= 0) add_end(t, text, type, target);
        if (has_ends(t, inner)) find_ends_in_elements(t, text, type);
        return;
    }
    for (uint32_t i = 0; type->kind == CT_RECORD && i < type->record->n_fields; i++) {
        const CField *f = &type->record->fields[i];
        if (f->name.len > 0)
            find_ends(t, arena_fmt(&t->arena, "%s." STR_FMT, text, STR_ARG(f->name)), f->type);
        else if (f->is_anonymous)
            find_ends(t, text, f->type);
    }
}

/* ---- probes ---- */

static uint32_t new_slot(Tables *t, size_t point) {
    vec_push(&t->homes, (uint16_t)point);
    t->open.at[point]++;
    return (uint32_t)t->homes.len - 1;
}

/* Paths through the same pointer share its slot. */
static uint32_t hop_slot(Tables *t, size_t point, const Point *at, uint32_t path, unsigned hop) {
    for (uint32_t i = 0; i < path; i++)
        for (unsigned h = 0; h < at->paths[i].hops_len; h++)
            if (str_eq(at->paths[i].hops[h].text, at->paths[path].hops[hop].text))
                return at->paths[i].hop_slots[h];
    return new_slot(t, point);
}

static bool is_const(const CType *type) {
    bool found = type->quals & CQ_CONST;
    for (; type->kind == CT_ARRAY; type = type->elem) found |= (type->elem->quals & CQ_CONST) != 0;
    return found;
}

/* if (the pointer is one of the path's live locals || of a global) */
static void write_hop(Tables *t, const Path *path, unsigned h, Buf *out) {
    const Hop *hop = &path->hops[h];
    uint64_t size = hop->target->size;
    buf_text(out, "if(");
    for (uint32_t i = 0; h == 0 && i < path->near_len; i++) {
        const CDecl *d = path->near[i];
        buf_fmt(out,
                "culprit_local(%u,(void*)(" STR_FMT "),(char*)&" STR_FMT
                ",%lluull,%lluull,%lluull)||",
                path->hop_slots[h], STR_ARG(hop->text), STR_ARG(d->name), (unsigned long long)size,
                (unsigned long long)(d->type->size / size),
                (unsigned long long)number_local(t, d) * 2 + is_const(d->type));
    }
    buf_fmt(out, "culprit_pointer(%u,(void*)(" STR_FMT "),%u))", path->hop_slots[h],
            STR_ARG(hop->text), target_number(t, hop->target));
}

static void write_probe(Tables *t, Point *point, size_t number, Buf *out) {
    buf_fmt(out, "{culprit_seen[%zu]++;if(culprit_on[%zu]){", number, number);
    for (uint32_t i = 0; i < point->paths_len; i++) {
        Path *path = &point->paths[i];
        for (unsigned h = 0; h < path->hops_len; h++) {
            path->hop_slots[h] = hop_slot(t, number, point, i, h);
            write_hop(t, path, h, out);
        }
        path->slot = new_slot(t, number);
        buf_fmt(out, "culprit_value(%u,(unsigned long long)(" STR_FMT "));", path->slot,
                STR_ARG(path->text));
    }
    buf_text(out, "}}");
}

static const char prologue[] =
    "void culprit_start(void);void culprit_value(unsigned,unsigned long long);"
    "int culprit_pointer(unsigned,void*,unsigned);"
    "int culprit_local(unsigned,void*,char*,unsigned long long,unsigned long long,unsigned long "
    "long);"
    "extern unsigned culprit_seen[];extern unsigned char culprit_on[];\n";

static void write_tables(const Tables *t, size_t points, Buf *out) {
    size_t slots = t->homes.len;
    buf_fmt(out, "\nunsigned culprit_seen[%zu];unsigned char culprit_count[%zu];", points + 1,
            slots + 1);
    buf_fmt(out, "void*culprit_last[%zu];unsigned long long culprit_values[%zu];", slots + 1,
            (slots + 1) * HUNT_VALUES_CAP);
    buf_text(out, "unsigned char culprit_on[]={");
    for (size_t i = 0; i < points; i++) buf_fmt(out, "%u,", t->open.at[i]);
    buf_text(out, "0};\nunsigned short culprit_home[]={");
    for (size_t i = 0; i < slots; i++) buf_fmt(out, "%u,", t->homes.at[i]);
    buf_text(out, "0};\nstruct{char*a;unsigned long long b,c;unsigned d,e,f;}culprit_places[]={\n");
    buf_str(out, buf_view(&t->places));
    buf_text(out, "{0}};\nstruct{char*a;unsigned long long b;}culprit_objects[]={");
    for (size_t i = 0; i < t->objects.len; i++)
        buf_fmt(out, "{(char*)&" STR_FMT ",%lluull},\n", STR_ARG(t->objects.at[i]->name),
                (unsigned long long)t->objects.at[i]->type->size);
    buf_text(out, "{0}};\nstruct{char*a;unsigned long long b,c;unsigned d;}culprit_ends[]={\n");
    buf_str(out, buf_view(&t->ends));
    uint32_t places = t->places_len < PLACES_CAP ? t->places_len : PLACES_CAP, ends = t->ends_len;
    if (ends > PLACES_CAP) places = ends = 0; /* not all are known, so no pointer counts as valid */
    buf_fmt(out, "{0}};\nconst unsigned culprit_sizes[]={%zu,%zu,%u,%u,%u,%zu,%u};\n", points,
            slots, HUNT_VALUES_CAP, HUNT_OBJECTS_CAP, places, t->objects.len, ends);
}

static bool instrument(Tables *t, const CUnit *unit, PointVec *points, Buf *out, Error *err) {
    if (!unit->main) return err_set(err, STATUS_BAD, "%s: no main function", unit->name);
    number_objects(t, unit);
    CEdits edits = { 0 };
    for (size_t i = 0; i < points->len; i++) {
        vec_push(&t->open, 0);
        Buf probe = { 0 };
        write_probe(t, &points->at[i], i, &probe);
        edit_before(&edits, points->at[i].stmt, arena_str(&t->arena, buf_view(&probe)));
        buf_release(&probe);
    }
    edit_insert(&edits, unit->main->body->range.from + 1, STR("culprit_start();"));
    for (size_t i = 0; i < t->objects.len && t->targets.len > 0; i++) {
        const CDecl *d = t->objects.at[i];
        const char *name = arena_cstr(&t->arena, d->name);
        find_places(t, (Spot){ name, (uint32_t)i, false }, d->type);
        find_ends(t, name, d->type);
    }
    buf_text(out, prologue);
    bool ok = edits_apply(&edits, unit->text, out, err);
    if (origin_packs(unit->text)) buf_text(out, "\n" ORIGIN_UNPACK);
    write_tables(t, points->len, out);
    edits_release(&edits);
    return ok;
}

bool profile_instrument(const CUnit *unit, PointVec *points, Buf *out, Error *err) {
    Tables t = { 0 };
    bool ok = instrument(&t, unit, points, out, err);
    tables_release(&t);
    return ok;
}

/* ---- reading ---- */

typedef struct ProfileRecord {
    const uint32_t *seen;       /* hits of each point */
    const unsigned char *count; /* values of each slot, or CLOSED */
    const uint32_t *first;      /* of each slot: number of its first value */
    const char *values;         /* eight bytes each, unaligned */
} ProfileRecord;

/* Of a machine with the other order of bytes: the first word says how many points there are. */
static void swap_record(Str bytes, size_t points, size_t head) {
    uint32_t first, word;
    uint64_t value;
    char *at = (char *)bytes.at;
    memcpy(&first, at, sizeof first);
    if (first == points || __builtin_bswap32(first) != points) return;
    for (size_t i = 0; i < points + 2; i++) {
        memcpy(&word, at + i * sizeof word, sizeof word);
        word = __builtin_bswap32(word);
        memcpy(at + i * sizeof word, &word, sizeof word);
    }
    for (size_t i = head; i + sizeof value <= bytes.len; i += sizeof value) {
        memcpy(&value, at + i, sizeof value);
        value = __builtin_bswap64(value);
        memcpy(at + i, &value, sizeof value);
    }
}

static bool read_record(Arena *arena, Str bytes, const Tables *t, size_t points, ProfileRecord *out,
                        Error *err) {
    size_t slots = t->homes.len, head = (2 + points) * sizeof(uint32_t) + slots;
    if (bytes.len < head) return err_set(err, STATUS_NO, "the profile is cut short");
    swap_record(bytes, points, head);
    out->seen = (const uint32_t *)bytes.at + 2; /* the arena aligns it */
    out->count = (const unsigned char *)(out->seen + points);
    uint32_t *first = ARENA_ARRAY(arena, uint32_t, slots + 1);
    for (size_t i = 0; i < slots; i++)
        first[i + 1] = first[i] + (out->count[i] == CLOSED ? 0 : out->count[i]);
    out->first = first;
    out->values = bytes.at + head;
    if (bytes.len != head + (size_t)first[slots] * sizeof(uint64_t))
        return err_set(err, STATUS_NO, "the profile has the wrong size");
    return true;
}

static uint64_t record_value(const ProfileRecord *r, uint32_t slot, uint32_t i) {
    uint64_t value;
    memcpy(&value, r->values + (size_t)(r->first[slot] + i) * sizeof value, sizeof value);
    return value;
}

/* ---- running ---- */

void profiler_init(Profiler *p, const char *const *flags, double limit_s) {
    *p = (Profiler){ .flags = flags, .limit_s = limit_s > 0 ? limit_s : HUNT_PROFILE_LIMIT_S };
    p->dir = workdir_new(&p->arena, "profile");
}

void profiler_release(Profiler *p) {
    if (p->dir) workdir_remove(p->dir);
    arena_release(&p->arena);
}

/* The profiler of a foreign target is compiled there, from its source, once. */
static bool make_object(Profiler *p, Arena *arena, Error *err) {
    const char *in = file_join(arena, p->dir, "profile.c");
    Str text = { hunt_profiler_source, (size_t)(hunt_profiler_source_end - hunt_profiler_source) };
    static const char *const flags[] = { "-O2", "-fno-stack-protector", "-fno-builtin", NULL };
    if (!file_write(in, text, err)) return false;
    RunSpec spec = { .argv = compiler_argv(arena, p->by[0], CC_OBJECT, flags, in,
                                           file_join(arena, p->dir, "profile.o")),
                     .dir = p->dir,
                     .limits = { .wall_s = 120 } };
    RunResult r = run_one(arena, &spec);
    Str line = r.err;
    str_split(&r.err, '\n', &line);
    return run_ok(&r) || err_set(err, STATUS_LACKS, "%s cannot compile the profiler: " STR_FMT,
                                 p->by[0]->name, STR_ARG(line));
}

static bool write_inputs(Profiler *p, Arena *arena, Str text, Error *err) {
    const char *object = file_join(arena, p->dir, "profile.o");
    Str image = { hunt_profiler_image, (size_t)(hunt_profiler_image_end - hunt_profiler_image) };
    bool there = file_exists(object);
    if (!there && !(p->by[0] ? make_object(p, arena, err) : file_write(object, image, err)))
        return false;
    return file_write(file_join(arena, p->dir, "profiled.c"), text, err);
}

typedef enum With { WITH_GCC, WITH_CLANG } With;

static bool compile(Profiler *p, Arena *arena, With with, Error *err) {
    const char *argv[64];
    unsigned n = 0;
    const Compiler *cc = p->by[with];
    argv[n++] = cc ? cc->path : with == WITH_GCC ? TOOLCHAIN_GCC : TOOLCHAIN_CLANG;
    if (cc && cc->aim) argv[n++] = cc->aim;
    argv[n++] = "-w";
    argv[n++] = "-O0", argv[n++] = "-no-pie";
    if (with == WITH_CLANG) { /* what old C allowed, gcc and tcc still allow */
        argv[n++] = "-Wno-implicit-function-declaration";
        argv[n++] = "-Wno-implicit-int";
        argv[n++] = "-Wno-int-conversion";
        argv[n++] = "-Wno-incompatible-function-pointer-types";
    }
    for (unsigned i = 0; p->flags && p->flags[i] && n < 56; i++) argv[n++] = p->flags[i];
    argv[n++] = "-o";
    argv[n++] = "profiled";
    argv[n++] = "profiled.c";
    argv[n++] = "profile.o";
    argv[n++] = "-lm";
    argv[n] = NULL;
    RunSpec spec = {
        .argv = argv, .dir = p->dir, .profile = RUN_USER, .limits = { .wall_s = 120 }
    };
    RunResult r = run_one(arena, &spec);
    p->compile_s += r.cpu_s;
    if (run_ok(&r)) return true;
    size_t at = str_find(r.err, STR("error: "), 0);
    Str rest = str_sub(r.err, at == STR_NONE ? 0 : at, r.err.len), line = rest;
    str_split(&rest, '\n', &line);
    return err_set(err, STATUS_BAD, "%s cannot compile the instrumented program: %s: " STR_FMT,
                   argv[0], run_describe(arena, &r), STR_ARG(line));
}

/* Runs it and reads what it recorded; the output must be the expected one. */
static bool run_profiled(Profiler *p, Arena *arena, Str *recorded, Error *err) {
    const char *file = file_join(arena, p->dir, "culprit.profile");
    const Compiler here = { 0 }, *cc = p->by[0] ? p->by[0] : &here;
    const char *const run[] = { "./profiled", NULL }, *const * reads;
    file_remove_tree(file);
    RunSpec spec = {
        .argv = foreign_argv(arena, cc, run, &reads),
        .dir = p->dir,
        .profile = RUN_GENERATED,
        .limits = { .wall_s = p->limit_s, .cpu_s = p->limit_s, .memory = foreign_memory(cc, 0) }
    };
    spec.reads = reads;
    RunResult r = run_one(arena, &spec);
    p->run_s += r.cpu_s;
    if (r.end != RUN_EXITED)
        return err_set(err, STATUS_NO, "the instrumented program ended with %s",
                       run_describe(arena, &r));
    if (!p->known) {
        p->known = true;
        p->code = r.code;
        p->expected = arena_str(&p->arena, r.out);
    }
    if (r.code != p->code || !str_eq(r.out, p->expected))
        return err_set(err, STATUS_NO,
                       "the instrumented program does not give the expected output");
    if (!file_read(arena, file, recorded, NULL))
        return err_set(err, STATUS_NO, "the instrumented program did not end through exit");
    return true;
}

/* ---- gcc and clang ---- */

/* The same values, in whatever order they were first seen. */
static bool same_slot(const ProfileRecord *a, const ProfileRecord *b, uint32_t slot) {
    if (a->count[slot] != b->count[slot]) return false;
    unsigned n = a->count[slot] == CLOSED ? 0 : a->count[slot];
    for (unsigned i = 0; i < n; i++) {
        bool found = false;
        for (unsigned k = 0; k < n && !found; k++)
            found = record_value(a, slot, i) == record_value(b, slot, k);
        if (!found) return false;
    }
    return true;
}

static bool build_and_run(Profiler *p, Arena *arena, With with, const Tables *t, size_t points,
                          ProfileRecord *out, Error *err) {
    Str bytes;
    return compile(p, arena, with, err) && run_profiled(p, arena, &bytes, err) &&
           read_record(arena, bytes, t, points, out, err);
}

/* What both recorded identically stays; every other path is closed. The order of evaluation differs
 * between gcc and clang, and a snippet may see what the seed itself never looks at: only values
 * that hold under both orders may be used. */
static void keep_common(ProfileRecord *a, const ProfileRecord *b, const PointVec *points) {
    unsigned char *count = (unsigned char *)a->count;
    uint32_t *seen = (uint32_t *)a->seen;
    for (size_t i = 0; i < points->len; i++) {
        const Point *p = &points->at[i];
        bool both = a->seen[i] && b->seen[i];
        for (uint32_t k = 0; k < p->paths_len; k++) {
            const Path *path = &p->paths[k];
            bool open = both;
            for (unsigned h = 0; h < path->hops_len; h++)
                open = open && a->count[path->hop_slots[h]] != CLOSED &&
                       same_slot(a, b, path->hop_slots[h]);
            if (!open || !same_slot(a, b, path->slot)) count[path->slot] = CLOSED;
        }
        if (b->seen[i] > seen[i]) seen[i] = b->seen[i];
    }
}

static bool record(Profiler *p, Arena *arena, const Tables *t, const PointVec *points,
                   ProfileRecord *out, Error *err) {
    ProfileRecord other = { 0 };
    if (!build_and_run(p, arena, WITH_GCC, t, points->len, out, err) ||
        !build_and_run(p, arena, WITH_CLANG, t, points->len, &other, err))
        return false;
    keep_common(out, &other, points);
    return true;
}

/* ---- environments ---- */

/* Where stores to the path go; false when one of its pointers was not valid at all times. */
static bool read_reach(Arena *arena, const Tables *t, const ProfileRecord *r, const Path *path,
                       EnvVar *var) {
    uint32_t own;
    if (path->hops_len == 0) {
        var->reach.root = path->root->first;
        if (!find_object(t, path->root, &own)) return true;
        var->reach.objects = arena_copy(arena, &own, sizeof own);
        var->reach.objects_len = 1;
        return true;
    }
    for (unsigned h = 0; h < path->hops_len; h++) {
        unsigned n = r->count[path->hop_slots[h]];
        if (n == CLOSED || n == 0) return false;
    }
    uint32_t slot = path->hop_slots[path->hops_len - 1], n = r->count[slot];
    uint32_t *objects = ARENA_ARRAY(arena, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t value = record_value(r, slot, i);
        objects[i] = (uint32_t)(value / 2);
        if (value & 1) var->writable = false;
    }
    var->reach.objects = objects;
    var->reach.objects_len = n;
    return true;
}

static void read_env(Arena *arena, const Tables *t, const ProfileRecord *r, Point *point) {
    for (uint32_t i = 0; i < point->paths_len; i++) {
        const Path *path = &point->paths[i];
        unsigned n = r->count[path->slot];
        EnvVar var = { .text = path->text,
                       .type = path->type,
                       .writable = path->writable,
                       .addressable = path->addressable };
        if (n == 0 || n == CLOSED || !read_reach(arena, t, r, path, &var)) continue;
        uint64_t bits[HUNT_VALUES_CAP];
        for (uint32_t v = 0; v < n; v++) bits[v] = record_value(r, path->slot, v);
        var.set = values_from(arena, bits, n);
        if (env_find(&point->env, var.text) < 0) vec_push(&point->env.vars, var);
    }
}

bool profile_points(Profiler *p, Arena *arena, const CUnit *unit, PointVec *points, Error *err) {
    Tables t = { 0 };
    Arena scratch = { 0 };
    Buf text = { 0 };
    ProfileRecord read = { 0 };
    p->compile_s = p->run_s = 0;
    bool ok = instrument(&t, unit, points, &text, err) &&
              write_inputs(p, &scratch, buf_view(&text), err) &&
              record(p, &scratch, &t, points, &read, err);
    for (size_t i = 0; ok && i < points->len; i++) {
        points->at[i].hits = read.seen[i];
        points->at[i].seen = read.seen[i] != 0;
        bool hot = read.seen[i] > HUNT_HITS_CAP;
        if (points->at[i].seen && !hot) read_env(arena, &t, &read, &points->at[i]);
    }
    buf_release(&text);
    arena_release(&scratch);
    tables_release(&t);
    return ok;
}
