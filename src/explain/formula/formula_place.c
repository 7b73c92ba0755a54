/* Where objects lie in memory, as a formula sees it.
 *
 * Which address an object got depends on everything that was allocated before it, on the length of
 * the arguments and on the C library: nothing a core could name. So an address within an object is
 * the object's base, a variable that no fact defines, plus an offset. While a core is searched for
 * and minimised the bases have the values that were seen, which keeps the solver quick; the solver
 * that checks the core is told only what holds of objects wherever they lie (place_anywhere). What
 * depends on where an object lies, as a printed address or the order of two pointers does, has no
 * proof then.
 *
 * What a static address denotes lies where it does on every run: addresses are not randomised. */
#include "explain/explain_knobs.h"
#include "explain/formula/formula_parts.h"
#include "trace/object.h"

enum { REGION = 1 << 20 };    /* memory of which nothing is known moves in pieces of this size */
#define USER_END (1ull << 47) /* addresses of a process end there */

typedef struct PlaceKey {
    uint32_t kind, which;
} PlaceKey;

/* The object that an address lies in, or just behind: the end of an array is a pointer to it. */
static Object find(const Trace *t, uint64_t address, Step when) {
    Object o = object_at(t, address, when);
    if (o.kind != OBJECT_UNKNOWN) return o;
    Object before = object_at(t, address - 1, when);
    if (before.kind == OBJECT_UNKNOWN || before.kind == OBJECT_FUNCTION)
        return (Object){ OBJECT_UNKNOWN, (uint32_t)(address / REGION), address % REGION };
    before.offset++;
    return before;
}

static bool moves(uint64_t address, Object o) {
    return address >= 4096 && address < USER_END && o.kind != OBJECT_GLOBAL &&
           o.kind != OBJECT_FUNCTION;
}

static uint64_t size_of(const Trace *t, Object o) {
    if (o.kind == OBJECT_HEAP) return t->heap.at[o.which].size;
    if (o.kind != OBJECT_LOCAL) return 0;
    return t->code.functions.at[t->activations.at[o.which].function].frame_size;
}

static bool is_resized(const Trace *t, Object o) {
    if (o.kind != OBJECT_HEAP || !def_is_step(t->heap.at[o.which].call)) return false;
    return libc_is(trace_inst(t, t->heap.at[o.which].call)->libc, LIBC_RESIZES);
}

static Z3_ast base_of(Formula *f, uint64_t address, Object o) {
    PlaceKey key = { o.kind, o.which };
    uint64_t *slot = map_at(&f->bases_by_object, (Str){ (const char *)&key, sizeof key });
    if (*slot) return f->bases.at[*slot - 1].var;
    FormulaBase base = { .var = term_fresh(f, 64), .seen = address - o.offset };
    base.size = is_resized(f->t, o) ? 0 : size_of(f->t, o);
    *slot = f->bases.len + 1;
    vec_push(&f->bases, base);
    Z3_ast as_seen = Z3_mk_eq(f->z3, base.var, term_number(f, base.seen, 64));
    Z3_solver_assert(f->z3, f->solver, as_seen);
    return base.var;
}

Z3_ast place_term(Formula *f, uint64_t address, Step when) {
    Object o = find(f->t, address, when);
    if (!moves(address, o)) return term_number(f, address, 64);
    Z3_ast base = base_of(f, address, o);
    return o.offset ? Z3_mk_bvadd(f->z3, base, term_number(f, o.offset, 64)) : base;
}

Z3_ast place_concrete(Formula *f, Type type, uint64_t value, Step when) {
    if (type.kind == TYPE_POINTER) return place_term(f, value, when);
    return term_concrete(f, type, value);
}

bool place_is_fixed(const Formula *f, uint64_t address, Step when) {
    return !moves(address, find(f->t, address, when));
}

bool place_same_object(const Formula *f, uint64_t a, uint64_t b, Step when) {
    Object x = find(f->t, a, when), y = find(f->t, b, when);
    return x.kind == y.kind && x.which == y.which;
}

static uint64_t end_of_globals(const Formula *f) {
    const Code *code = &f->t->code;
    return code->globals.len ? vec_last(&code->globals).address + vec_last(&code->globals).size : 0;
}

/* Two objects that were apart: apart on every run, in some order. */
static void assert_apart(Formula *f, Z3_solver solver, const FormulaBase *x, const FormulaBase *y) {
    bool were = x->seen + x->size <= y->seen || y->seen + y->size <= x->seen;
    if (!x->size || !y->size || !were) return;
    Z3_ast x_end = Z3_mk_bvadd(f->z3, x->var, term_number(f, x->size, 64)),
           y_end = Z3_mk_bvadd(f->z3, y->var, term_number(f, y->size, 64));
    Z3_ast order[] = { Z3_mk_bvule(f->z3, x_end, y->var), Z3_mk_bvule(f->z3, y_end, x->var) };
    Z3_solver_assert(f->z3, solver, Z3_mk_or(f->z3, 2, order));
}

void place_anywhere(Formula *f, Z3_solver solver) {
    uint64_t globals = end_of_globals(f);
    for (size_t i = 0; i < f->bases.len; i++) {
        const FormulaBase *b = &f->bases.at[i];
        uint64_t least = b->seen >= globals ? globals : 0;
        Z3_ast low = term_number(f, least > 4096 ? least : 4096, 64),
               high = term_number(f, USER_END - (b->size < REGION ? REGION : b->size), 64);
        Z3_solver_assert(f->z3, solver, Z3_mk_bvuge(f->z3, b->var, low));
        Z3_solver_assert(f->z3, solver, Z3_mk_bvule(f->z3, b->var, high));
        Z3_ast lowest = Z3_mk_extract(f->z3, 2, 0, b->var);
        Z3_solver_assert(f->z3, solver, Z3_mk_eq(f->z3, lowest, term_number(f, b->seen & 7, 3)));
        for (size_t k = 0; k < i && f->bases.len <= APART_MOST; k++)
            assert_apart(f, solver, b, &f->bases.at[k]);
    }
}
