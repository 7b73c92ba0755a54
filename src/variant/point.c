/* Sampled points and their paths; see point.h. */
#include "variant/point.h"

#include "cfront/lex.h"
#include "variant/origin.h"
#include "variant/variant_knobs.h"

bool point_integer(const CType *type, int bits, IType *out) {
    static const int8_t kinds[] = {
        [CI_NONE] = -1,         [CI_BOOL] = I_BOOL,   [CI_CHAR] = I_CHAR,     [CI_SCHAR] = I_SCHAR,
        [CI_UCHAR] = I_UCHAR,   [CI_SHORT] = I_SHORT, [CI_USHORT] = I_USHORT, [CI_INT] = I_INT,
        [CI_UINT] = I_UINT,     [CI_LONG] = I_LONG,   [CI_ULONG] = I_ULONG,   [CI_LLONG] = I_LLONG,
        [CI_ULLONG] = I_ULLONG, [CI_INT128] = -1,     [CI_UINT128] = -1,
    };
    if (type->kind != CT_BOOL && type->kind != CT_INT && type->kind != CT_ENUM) return false;
    if (kinds[type->int_kind] < 0 || bits == 0) return false;
    /* gcc and clang do not agree on the signedness of an enumeration's bit-field. */
    if (bits > 0 && type->kind == CT_ENUM) return false;
    *out =
        (IType){ .kind = (uint8_t)kinds[type->int_kind], .width = (uint8_t)(bits > 0 ? bits : 0) };
    return true;
}

bool point_function_fits(const CFunction *f) {
    return !(f->flags & (CFN_SETJMP | CFN_ASM | CFN_MACRO | CFN_SYSTEM));
}

/* ---- paths ---- */

typedef struct PointWalk {
    Arena *arena;
    Rng *rng;
    const CUnit *unit;
    const CStmt *stmt; /* the point's */
    VEC(Path) found;
} PointWalk;

static void walk(PointWalk *w, Path path, const CType *type, unsigned depth);

static void walk_array(PointWalk *w, const Path *path, const CType *type, unsigned depth) {
    uint64_t last = UINT64_MAX;
    for (unsigned i = 0; i < HUNT_ELEMENTS_PER_ARRAY && i < type->count; i++) {
        uint64_t index = rng_below(w->rng, type->count);
        if (index == last) continue;
        last = index;
        Path element = *path;
        element.text = str_from(
            arena_fmt(w->arena, STR_FMT "[%llu]", STR_ARG(path->text), (unsigned long long)index));
        walk(w, element, type->elem, depth + 1);
    }
}

static void walk_field(PointWalk *w, const Path *path, const CField *field, unsigned depth) {
    Path member = *path;
    if (field->name.len > 0)
        member.text = str_from(
            arena_fmt(w->arena, STR_FMT "." STR_FMT, STR_ARG(path->text), STR_ARG(field->name)));
    else if (!field->is_anonymous)
        return;
    if (field->bits < 0) {
        walk(w, member, field->type, depth + 1);
        return;
    }
    if (field->type->quals & (CQ_VOLATILE | CQ_ATOMIC)) return;
    if (field->type->quals & CQ_CONST) member.writable = false;
    member.addressable = false;
    if (point_integer(field->type, field->bits, &member.type)) vec_push(&w->found, member);
}

/* The one member that is ever stored to. */
static void walk_union(PointWalk *w, const Path *path, const CRecord *record, unsigned depth) {
    Path member = *path;
    member.addressable = false;
    if (path->hops_len > 0) return;
    const CField *field = origin_member(w->unit, path->root, record, &member.writable);
    if (field) walk_field(w, &member, field, depth);
}

static void walk_record(PointWalk *w, const Path *given, const CRecord *record, unsigned depth) {
    if (!record->is_complete || record->n_fields == 0) return;
    Path whole = *given, *path = &whole;
    if (record->is_packed) whole.addressable = false;
    if (record->is_union) {
        walk_union(w, path, record, depth);
        return;
    }
    uint32_t first = (uint32_t)rng_below(w->rng, record->n_fields);
    uint32_t most = record->n_fields < 4 ? record->n_fields : 4;
    for (uint32_t i = 0; i < most; i++)
        walk_field(w, path, &record->fields[(first + i) % record->n_fields], depth);
}

static void walk_pointer(PointWalk *w, const Path *path, const CType *type, unsigned depth) {
    const CType *target = type->elem;
    if (path->hops_len == POINT_DEREFS || !target->is_complete || target->size == 0) return;
    if (target->kind != CT_RECORD && target->kind != CT_POINTER && !ctype_is_integer(target))
        return;
    Path pointee = *path;
    if (path->hops_len == 0 && str_eq(path->text, path->root->name)) {
        CDeclVec near = { 0 };
        origin_locals(w->unit, w->stmt, path->root, target->bare, &near);
        pointee.near = arena_copy(w->arena, near.at, near.len * sizeof *near.at);
        pointee.near_len = (uint32_t)near.len;
        vec_release(&near);
    }
    pointee.addressable = true;
    pointee.hops[pointee.hops_len++] = (Hop){ path->text, target->bare };
    pointee.text = str_from(arena_fmt(w->arena, "(*" STR_FMT ")", STR_ARG(path->text)));
    pointee.writable = true; /* a const pointer may lead to an object that is not */
    walk(w, pointee, target, depth + 1);
}

static void walk(PointWalk *w, Path path, const CType *type, unsigned depth) {
    if (depth > HUNT_PATH_DEPTH || (type->quals & (CQ_VOLATILE | CQ_ATOMIC))) return;
    if (type->quals & CQ_CONST) path.writable = false;
    if (type->kind == CT_ENUM || (type->quals & CQ_CONST)) path.addressable = false;
    if (point_integer(type, -1, &path.type)) {
        vec_push(&w->found, path);
        return;
    }
    switch (type->kind) {
    case CT_ARRAY: walk_array(w, &path, type, depth); break;
    case CT_RECORD: walk_record(w, &path, type->record, depth); break;
    case CT_POINTER: walk_pointer(w, &path, type, depth); break;
    default: break;
    }
}

/* A variable whose parts certainly hold values. An automatic aggregate must have an initialiser:
 * assignments may copy one that is only partly set. */
static bool decl_fits(const CDecl *decl) {
    if (decl->kind != CD_VAR && decl->kind != CD_PARAM) return false;
    if (decl->flags & (CD_SYSTEM | CD_THREAD | CD_VLA | CD_MACRO)) return false;
    if ((decl->flags & CD_EXTERN) && decl->init_range.from == decl->init_range.to) return false;
    bool aggregate = decl->type->kind == CT_ARRAY || decl->type->kind == CT_RECORD;
    if (aggregate && !(decl->flags & CD_LASTING))
        return decl->kind == CD_VAR && decl->init_range.from < decl->init_range.to;
    return true;
}

/* All locals come first, then globals in random order while there is room. */
static void order_decls(Rng *rng, CDeclVec *decls) {
    size_t locals = 0;
    for (size_t i = 0; i < decls->len; i++)
        if (!(decls->at[i]->flags & CD_GLOBAL)) {
            const CDecl *d = decls->at[i];
            decls->at[i] = decls->at[locals];
            decls->at[locals++] = d;
        }
    rng_shuffle(rng, decls->at, locals, sizeof *decls->at);
    rng_shuffle(rng, decls->at + locals, decls->len - locals, sizeof *decls->at);
    /* Half of the room belongs to globals. */
    size_t keep = HUNT_PATHS_PER_POINT / 2;
    if (locals > keep && decls->len > locals) {
        memmove(decls->at + keep, decls->at + locals, (decls->len - locals) * sizeof *decls->at);
        decls->len -= locals - keep;
    }
}

static bool is_volatile_at(const CExpr *e) {
    for (; e; e = cexpr_strip(e->first)) {
        if (e->type->quals & (CQ_VOLATILE | CQ_ATOMIC)) return true;
        if (e->kind == CE_REF) return false;
    }
    return true;
}

/* An lvalue path in the walk's form, however it is written: each object has one text. */
static Str path_text(Arena *arena, const CExpr *e) {
    e = cexpr_strip(e);
    if (e->kind == CE_REF) return e->decl->name;
    Str whole = path_text(arena, e->first);
    if (e->kind == CE_INDEX) {
        unsigned long long index = cexpr_strip(e->first->next)->value;
        return str_from(arena_fmt(arena, STR_FMT "[%llu]", STR_ARG(whole), index));
    }
    if (e->field->name.len == 0) return whole; /* an anonymous member */
    return str_from(arena_fmt(arena, STR_FMT "." STR_FMT, STR_ARG(whole), STR_ARG(e->field->name)));
}

/* The member of a union that the statement before the point stores to. */
static void add_stored_before(PointWalk *w) {
    const CExpr *e = origin_stored_before(w->stmt);
    const CDecl *root = e ? cexpr_path_root(e) : NULL;
    if (!e || is_volatile_at(e) || !decl_fits(root) || !cfront_is_visible(w->unit, w->stmt, root))
        return;
    Path path = { .text = path_text(w->arena, e), .root = root, .writable = true };
    if (point_integer(e->type, e->field->bits, &path.type)) vec_push(&w->found, path);
}

static void find_paths(Arena *arena, Rng *rng, const CUnit *unit, Point *point) {
    CDeclVec decls = { 0 };
    cfront_visible(unit, point->stmt, CV_INITIALISED, &decls);
    order_decls(rng, &decls);
    PointWalk w = { .arena = arena, .rng = rng, .unit = unit, .stmt = point->stmt };
    add_stored_before(&w);
    for (size_t i = 0; i < decls.len && w.found.len < HUNT_PATHS_PER_POINT; i++) {
        const CDecl *d = decls.at[i];
        if (!decl_fits(d)) continue;
        bool addressable = !(d->flags & CD_REGISTER);
        walk(&w, (Path){ .text = d->name, .root = d, .writable = true, .addressable = addressable },
             d->type, 0);
    }
    point->paths_len =
        (uint32_t)(w.found.len < HUNT_PATHS_PER_POINT ? w.found.len : HUNT_PATHS_PER_POINT);
    point->paths = arena_copy(arena, w.found.at, point->paths_len * sizeof(Path));
    vec_release(&w.found);
    vec_release(&decls);
}

/* The probe puts braces around what is not an item of a block. Attributes stay with their
 * statement. */
static bool is_point(const CUnit *unit, const bool *refused, const CStmt *stmt) {
    if (refused && refused[stmt->function->index]) return false;
    bool item = stmt->slot == CSL_BLOCK || stmt->slot == CSL_VALUE;
    return point_function_fits(stmt->function) && cfront_can_insert(stmt) &&
           (item || !origin_has_literal(stmt)) &&
           lex_attributes(unit->text, stmt->range.from) == stmt->range.from;
}

void points_sample(Arena *arena, Rng *rng, const CUnit *unit, const bool *refused,
                   double probability, bool with_paths, PointVec *out) {
    uint32_t all = 0;
    for (uint32_t i = 0; i < unit->n_stmts; i++) all += is_point(unit, refused, unit->stmts[i]);
    if (probability * all > HUNT_POINTS_CAP) probability = (double)HUNT_POINTS_CAP / all;
    if (all && probability * all < HUNT_POINTS_FLOOR) probability = (double)HUNT_POINTS_FLOOR / all;
    for (uint32_t i = 0; i < unit->n_stmts && out->len < 2 * HUNT_POINTS_CAP; i++) {
        if (!is_point(unit, refused, unit->stmts[i]) || !rng_chance(rng, probability)) continue;
        Point point = { .stmt = unit->stmts[i] };
        if (with_paths) find_paths(arena, rng, unit, &point);
        vec_push(out, point);
    }
}

void points_release(PointVec *points) {
    for (size_t i = 0; i < points->len; i++) env_release(&points->at[i].env);
    vec_release(points);
}
