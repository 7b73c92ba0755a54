/* Statements whose effect is known while they are written; see live_code.h.
 *
 * Each kind of statement is a function that writes it and updates the environment. What cannot be
 * made here (no array, operator undefined everywhere) gives way to a plain store. */
#include "variant/live/alias.h"

#include "variant/borrow/borrow.h"
#include "variant/kernel/kernel.h"
#include "variant/variant_knobs.h"

void live_init(LiveCode *l, Synth s, const Env *env, Scene *scene, const char *prefix) {
    *l = (LiveCode){ .s = s, .scene = scene, .prefix = prefix };
    l->names = &l->own_names;
    env_copy(&l->env, env);
}

void live_release(LiveCode *l) {
    env_release(&l->env);
    buf_release(&l->text);
    buf_release(&l->above);
    vec_release(&l->targets);
}

void live_add_target(LiveCode *l, const EnvVar *var) {
    vec_push(&l->targets, *var);
}

void live_given(LiveCode *l, const EnvVar *var) {
    live_add_target(l, var);
    l->given = l->targets.len;
}

const char *live_name(LiveCode *l, char kind) {
    return arena_fmt(l->s.arena, "%s%c%u", l->prefix, kind, (*l->names)++);
}

static IType any_type(Rng *rng) {
    return ITYPE((uint8_t)rng_below(rng, I_KINDS));
}

IType live_any_field(Rng *rng) {
    static const uint8_t kinds[] = { I_INT, I_UINT, I_INT, I_UINT, I_SHORT, I_UCHAR, I_ULLONG };
    IType type = any_type(rng);
    if (!rng_chance(rng, HUNT_LIVE_BITFIELD)) return type;
    type = ITYPE(kinds[rng_below(rng, COUNT_OF(kinds))]);
    type.width = (uint8_t)rng_between(rng, 1, itype_bits(type));
    return type;
}

/* ---- values ---- */

const EnvVar *live_known(const LiveCode *l, Str text) {
    int at = env_find(&l->env, text);
    return at < 0 ? NULL : &l->env.vars.at[at];
}

static ValueSet joined_sets(LiveCode *l, ValueSet a, ValueSet b) {
    uint64_t *bits = ARENA_ARRAY(l->s.arena, uint64_t, a.len + b.len);
    memcpy(bits, a.at, a.len * sizeof *bits);
    memcpy(bits + a.len, b.at, b.len * sizeof *bits);
    return values_from(l->s.arena, bits, a.len + b.len);
}

/* The variable has these values now; if there are too many, it leaves the environment. */
void live_now_has(LiveCode *l, const EnvVar *var, ValueSet set) {
    l->recent[l->stores++ % LIVE_RECENT] = *var;
    env_assign(&l->env, var, set);
    if (set.len == 0 || set.len > HUNT_RESULTS) l->env.vars.len--;
}

/* It may have been stored to: old and new values; unknown if the old ones were. */
static void may_have(LiveCode *l, const EnvVar *var, ValueSet set) {
    const EnvVar *old = live_known(l, var->text);
    live_now_has(l, var, old ? joined_sets(l, old->set, set) : (ValueSet){ NULL, 0 });
}

/* The program's own variables are preferred over new ones. */
const EnvVar *live_any_target(LiveCode *l) {
    size_t n = l->given && rng_chance(l->s.rng, 0.5) ? l->given : l->targets.len;
    return &l->targets.at[rng_below(l->s.rng, n)];
}

/* ---- locals ---- */

EnvVar live_local_path(const char *root, const char *text, IType type) {
    return (EnvVar){ .text = str_from(text),
                     .type = type,
                     .reach = { .root = root },
                     .writable = true,
                     .addressable = type.width == 0 };
}

static EnvVar field_path(LiveCode *l, const char *variable, const LiveRecord *r, unsigned field) {
    const char *text = arena_fmt(l->s.arena, "%s.f%u", variable, field);
    return live_local_path(variable, text, r->fields[field]);
}

static EnvVar element_path(LiveCode *l, const LiveArray *a, unsigned index) {
    return live_local_path(a->name, arena_fmt(l->s.arena, "%s[%u]", a->name, index), a->type);
}

static void new_scalar(LiveCode *l) {
    EnvVar v = live_local_path(NULL, live_name(l, 's'), any_type(l->s.rng));
    v.reach.root = v.text.at;
    SynExpr e = syn_expr(&l->s, &l->env);
    buf_fmt(&l->text, "%s " STR_FMT " = " STR_FMT "; ", itype_name(v.type), STR_ARG(v.text),
            STR_ARG(e.text));
    live_now_has(l, &v, syn_stored(&l->s, v.type, &e));
    live_add_target(l, &v);
}

static void write_record_type(const LiveRecord *r, Buf *out) {
    buf_fmt(out, "struct %s { ", r->tag);
    for (unsigned i = 0; i < r->n; i++) {
        buf_fmt(out, "%s f%u", itype_name(r->fields[i]), i);
        if (r->fields[i].width) buf_fmt(out, " : %u", r->fields[i].width);
        buf_text(out, "; ");
    }
    buf_text(out, "};");
}

/* The members enter the environment once all initialisers are written. */
static void new_record_variable(LiveCode *l, const LiveRecord *r, const char *name) {
    ValueSet sets[LIVE_FIELDS];
    buf_fmt(&l->text, "struct %s %s = { ", r->tag, name);
    for (unsigned i = 0; i < r->n; i++) {
        SynExpr e = rng_chance(l->s.rng, 0.4) ? syn_constant(&l->s, r->fields[i])
                                              : syn_expr(&l->s, &l->env);
        buf_fmt(&l->text, "%s" STR_FMT, i ? ", " : "", STR_ARG(e.text));
        sets[i] = syn_stored(&l->s, r->fields[i], &e);
    }
    buf_text(&l->text, " }; ");
    for (unsigned i = 0; i < r->n; i++) {
        EnvVar v = field_path(l, name, r, i);
        live_now_has(l, &v, sets[i]);
        live_add_target(l, &v);
    }
}

static void new_record(LiveCode *l) {
    if (l->records_len == LIVE_RECORDS) return;
    LiveRecord *r = &l->records[l->records_len++];
    *r = (LiveRecord){ .tag = live_name(l, 't'),
                       .n = 2 + (unsigned)rng_below(l->s.rng, LIVE_FIELDS - 1) };
    bool uniform = rng_chance(l->s.rng, 0.3);
    for (unsigned i = 0; i < r->n; i++)
        r->fields[i] = uniform && i ? r->fields[0] : live_any_field(l->s.rng);
    write_record_type(r, &l->above);
    buf_char(&l->above, '\n');
    for (unsigned i = 0; i < COUNT_OF(r->names); i++) {
        r->names[i] = live_name(l, 'r');
        new_record_variable(l, r, r->names[i]);
    }
}

static void new_array(LiveCode *l) {
    if (l->arrays_len == LIVE_ARRAYS) return;
    LiveArray *a = &l->arrays[l->arrays_len++];
    *a = (LiveArray){ live_name(l, 'a'), any_type(l->s.rng), 2u << rng_below(l->s.rng, 3) };
    ValueSet sets[16];
    buf_fmt(&l->text, "%s %s[%u] = { ", itype_name(a->type), a->name, a->count);
    for (unsigned i = 0; i < a->count; i++) {
        SynExpr e = i < 4 ? syn_expr(&l->s, &l->env) : syn_constant(&l->s, a->type);
        buf_fmt(&l->text, "%s" STR_FMT, i ? ", " : "", STR_ARG(e.text));
        sets[i] = syn_stored(&l->s, a->type, &e);
    }
    buf_text(&l->text, " }; ");
    for (unsigned i = 0; i < a->count; i++) {
        EnvVar v = element_path(l, a, i);
        live_now_has(l, &v, sets[i]);
        live_add_target(l, &v);
    }
}

void live_locals(LiveCode *l) {
    unsigned n = (unsigned)rng_below(l->s.rng, HUNT_LIVE_LOCALS + 1);
    for (unsigned i = 0; i < n; i++) switch (rng_below(l->s.rng, 4)) {
        case 0: new_scalar(l); break;
        case 1: new_record(l); break;
        case 2: alias_new_union(l); break;
        default: new_array(l); break;
        }
    if (rng_chance(l->s.rng, HUNT_LIVE_POINTER)) alias_new_pointer(l);
    if (!l->s.no_reals && rng_chance(l->s.rng, HUNT_LIVE_REAL)) live_new_real(l);
}

/* ---- plain stores ---- */

/* v op= e, as it is; false where that is undefined. */
static bool compound_store(LiveCode *l, const EnvVar *var, const SynExpr *e) {
    const EnvVar *now = live_known(l, var->text);
    IBinary op = (IBinary)rng_below(l->s.rng, B_LT);
    ValueSet set;
    if (!now || !syn_compound(&l->s, op, now, e, &set)) return false;
    buf_fmt(&l->text, STR_FMT " %s= " STR_FMT "; ", STR_ARG(var->text), eval_binary_text(op),
            STR_ARG(e->text));
    live_now_has(l, var, set);
    return true;
}

void live_store(LiveCode *l, const EnvVar *var) {
    SynExpr e = syn_expr(&l->s, &l->env);
    if (rng_chance(l->s.rng, HUNT_LIVE_COMPOUND) && compound_store(l, var, &e)) return;
    buf_fmt(&l->text, STR_FMT " = " STR_FMT "; ", STR_ARG(var->text), STR_ARG(e.text));
    live_now_has(l, var, syn_stored(&l->s, var->type, &e));
}

/* v++ and the like. */
static bool step_statement(LiveCode *l) {
    const EnvVar *var = live_any_target(l), *now = live_known(l, var->text);
    int step = rng_chance(l->s.rng, 0.5) ? 1 : -1;
    if (!now || !itype_agreed(now->type) || now->set.len > HUNT_RESULTS) return false;
    uint64_t bits[HUNT_RESULTS];
    for (uint32_t i = 0; i < now->set.len; i++) {
        IVal stored;
        if (eval_step((IVal){ now->set.at[i], now->type }, step, &stored) != EVAL_FINE)
            return false;
        bits[i] = stored.bits;
    }
    const char *op = step > 0 ? "++" : "--";
    bool prefix = rng_chance(l->s.rng, 0.5);
    buf_fmt(&l->text, "%s" STR_FMT "%s; ", prefix ? op : "", STR_ARG(var->text), prefix ? "" : op);
    live_now_has(l, var, values_from(l->s.arena, bits, now->set.len));
    return true;
}

/* ---- structures and arrays ---- */

static void copy_fields(LiveCode *l, const LiveRecord *r, const char *from, const char *to) {
    for (unsigned i = 0; i < r->n; i++) {
        EnvVar source = field_path(l, from, r, i), target = field_path(l, to, r, i);
        const EnvVar *now = live_known(l, source.text);
        live_now_has(l, &target, now ? now->set : (ValueSet){ NULL, 0 });
    }
}

static bool copy_statement(LiveCode *l) {
    if (l->records_len == 0) return false;
    const LiveRecord *r = &l->records[rng_below(l->s.rng, l->records_len)];
    unsigned to = (unsigned)rng_below(l->s.rng, 2);
    const char *target = r->names[to], *source = r->names[!to];
    if (rng_chance(l->s.rng, 0.3))
        buf_fmt(&l->text, "*&%s = *&%s; ", target, source);
    else
        buf_fmt(&l->text, "%s = %s; ", target, source);
    copy_fields(l, r, source, target);
    return true;
}

/* An index that is always inside: e & (count - 1). */
static bool index_expr(LiveCode *l, const LiveArray *a, SynExpr *out) {
    SynExpr e = syn_expr(&l->s, &l->env),
            mask = syn_value(&l->s, ival(ITYPE(I_INT), (int64_t)a->count - 1));
    return syn_binary(&l->s, B_AND, &e, &mask, out);
}

static bool index_statement(LiveCode *l) {
    SynExpr at;
    if (l->arrays_len == 0) return false;
    const LiveArray *a = &l->arrays[rng_below(l->s.rng, l->arrays_len)];
    if (!index_expr(l, a, &at)) return false;
    if (rng_chance(l->s.rng, 0.5)) { /* v = a[e] */
        const EnvVar *var = live_any_target(l);
        SynExpr read = { .type = a->type };
        for (uint32_t i = 0; i < at.set.len; i++) {
            EnvVar element = element_path(l, a, (unsigned)at.set.at[i]);
            const EnvVar *now = live_known(l, element.text);
            if (!now) return false;
            read.set = i ? joined_sets(l, read.set, now->set) : now->set;
        }
        if (read.set.len > HUNT_RESULTS) return false;
        buf_fmt(&l->text, STR_FMT " = %s[" STR_FMT "]; ", STR_ARG(var->text), a->name,
                STR_ARG(at.text));
        live_now_has(l, var, syn_stored(&l->s, var->type, &read));
        return true;
    }
    SynExpr e = syn_expr(&l->s, &l->env);
    ValueSet set = syn_stored(&l->s, a->type, &e);
    buf_fmt(&l->text, "%s[" STR_FMT "] = " STR_FMT "; ", a->name, STR_ARG(at.text),
            STR_ARG(e.text));
    for (uint32_t i = 0; i < at.set.len; i++) {
        EnvVar element = element_path(l, a, (unsigned)at.set.at[i]);
        if (at.set.len == 1)
            live_now_has(l, &element, set);
        else
            may_have(l, &element, set);
    }
    return true;
}

/* ---- what is never executed ---- */

static void dead_statements(LiveCode *l) {
    if (l->scene) {
        body_statements(l->scene, 1, false, &l->text);
        return;
    }
    SynExpr e = syn_expr(&l->s, &l->env);
    Str name = live_any_target(l)->text; /* taken once: STR_ARG evaluates its argument twice */
    buf_fmt(&l->text, STR_FMT " = " STR_FMT "; ", STR_ARG(name), STR_ARG(e.text));
}

/* ---- loops ---- */

/* The environment for code that runs while var is being changed again and again. */
static void env_without(LiveCode *l, const EnvVar *var, Env *out) {
    Env copy = { 0 };
    env_copy(&copy, &l->env);
    env_assign(&copy, var, (ValueSet){ NULL, 0 });
    copy.vars.len--;
    *out = copy;
}

/* Values of the loop's variable are from, from + 1, .. below to. */
typedef struct Turns {
    EnvVar index;
    int64_t from, to;
    int form; /* 0: for upwards, 1: for downwards, 2: do */
} Turns;

static Turns any_turns(LiveCode *l, unsigned most) {
    static const uint8_t kinds[] = { I_INT, I_INT, I_UINT, I_SCHAR, I_USHORT, I_LONG, I_ULLONG };
    Turns t = { .from = rng_between(l->s.rng, 0, 2), .form = (int)rng_below(l->s.rng, 3) };
    t.to = t.from + rng_between(l->s.rng, 1, (int64_t)most);
    IType type = ITYPE(kinds[rng_below(l->s.rng, COUNT_OF(kinds))]);
    t.index = live_local_path(NULL, live_name(l, 'i'), type);
    t.index.reach.root = t.index.text.at;
    uint64_t bits[16];
    for (int64_t i = t.from; i < t.to; i++) bits[i - t.from] = (uint64_t)i;
    t.index.set = values_from(l->s.arena, bits, (size_t)(t.to - t.from));
    return t;
}

/* Seeds may be C89: its variable is declared before the loop. */
static void open_loop(LiveCode *l, const Turns *t) {
    const char *type = itype_name(t->index.type);
    Str i = t->index.text;
    int from = (int)t->from, to = (int)t->to;
    if (t->form == 0)
        buf_fmt(&l->text,
                "{ %s " STR_FMT "; for (" STR_FMT " = %d; " STR_FMT " < %d; " STR_FMT "++) { ",
                type, STR_ARG(i), STR_ARG(i), from, STR_ARG(i), to, STR_ARG(i));
    else if (t->form == 1)
        buf_fmt(&l->text, "{ %s " STR_FMT "; for (" STR_FMT " = %d; " STR_FMT "-- > %d; ) { ", type,
                STR_ARG(i), STR_ARG(i), to, STR_ARG(i), from);
    else
        buf_fmt(&l->text, "{ %s " STR_FMT " = %d; do { ", type, STR_ARG(i), from);
}

static void close_loop(LiveCode *l, const Turns *t) {
    if (t->form == 2)
        buf_fmt(&l->text, "} while (++" STR_FMT " < %d); } ", STR_ARG(t->index.text), (int)t->to);
    else
        buf_text(&l->text, "} } ");
}

/* The values after so many times `target op= e`; false when one is undefined. */
static bool repeated(LiveCode *l, IBinary op, const EnvVar *target, const SynExpr *e, int64_t times,
                     ValueSet *out) {
    EnvVar v = *target;
    for (int64_t i = 0; i < times; i++) {
        if (!syn_compound(&l->s, op, &v, e, &v.set)) return false;
        if (v.set.len > HUNT_RESULTS) return false;
    }
    *out = v.set;
    return true;
}

/* for (..) v op= e; or v = e; e may use the loop's variable but not v. */
static bool loop_statement(LiveCode *l) {
    EnvVar var = *live_any_target(l);
    Turns t = any_turns(l, HUNT_LIVE_TURNS);
    Env inner;
    env_without(l, &var, &inner);
    vec_push(&inner.vars, t.index);
    SynExpr e = syn_expr(&l->s, &inner);
    env_release(&inner);
    const EnvVar *now = live_known(l, var.text);
    IBinary op = (IBinary)rng_below(l->s.rng, B_LT);
    ValueSet set;
    bool compound = now && rng_chance(l->s.rng, 0.7) && itype_agreed(now->type) &&
                    repeated(l, op, now, &e, t.to - t.from, &set);
    if (!compound) set = syn_stored(&l->s, var.type, &e);
    open_loop(l, &t);
    buf_fmt(&l->text, STR_FMT " %s= " STR_FMT "; ", STR_ARG(var.text),
            compound ? eval_binary_text(op) : "", STR_ARG(e.text));
    if (rng_chance(l->s.rng, 0.2)) {
        SynExpr i = { t.index.text, t.index.type, t.index.set };
        Str never = syn_never(&l->s, &i);
        buf_fmt(&l->text, "if " STR_FMT " break; ", STR_ARG(never));
    }
    close_loop(l, &t);
    live_now_has(l, &var, set);
    return true;
}

/* for (..) a[i] = e; */
static bool fill_statement(LiveCode *l) {
    if (l->arrays_len == 0) return false;
    const LiveArray *a = &l->arrays[rng_below(l->s.rng, l->arrays_len)];
    Turns t = any_turns(l, HUNT_LIVE_TURNS);
    if (t.to > a->count) t.from = 0, t.to = a->count;
    uint64_t bits[16];
    for (int64_t i = t.from; i < t.to; i++) bits[i - t.from] = (uint64_t)i;
    t.index.set = values_from(l->s.arena, bits, (size_t)(t.to - t.from));
    Env inner = { 0 };
    for (size_t i = 0; i < l->env.vars.len; i++) /* what the loop itself changes is not read */
        if (l->env.vars.at[i].reach.root != a->name) vec_push(&inner.vars, l->env.vars.at[i]);
    vec_push(&inner.vars, t.index);
    SynExpr e = syn_expr(&l->s, &inner);
    env_release(&inner);
    open_loop(l, &t);
    buf_fmt(&l->text, "%s[" STR_FMT "] = " STR_FMT "; ", a->name, STR_ARG(t.index.text),
            STR_ARG(e.text));
    close_loop(l, &t);
    for (int64_t i = t.from; i < t.to; i++) {
        EnvVar element = element_path(l, a, (unsigned)i);
        live_now_has(l, &element, syn_stored(&l->s, a->type, &e));
    }
    return true;
}

/* ---- choices ---- */

/* if (e) v = e1; else v = e2; where e may be true or false. */
static bool open_if_statement(LiveCode *l) {
    EnvVar var = *live_any_target(l);
    SynExpr test = syn_expr(&l->s, &l->env), a = syn_expr(&l->s, &l->env),
            b = syn_expr(&l->s, &l->env);
    bool zero = values_has(test.set, 0), other = test.set.len > (zero ? 1u : 0u);
    bool otherwise = rng_chance(l->s.rng, 0.6);
    buf_fmt(&l->text, "if (" STR_FMT ") " STR_FMT " = " STR_FMT "; ", STR_ARG(test.text),
            STR_ARG(var.text), STR_ARG(a.text));
    if (otherwise)
        buf_fmt(&l->text, "else " STR_FMT " = " STR_FMT "; ", STR_ARG(var.text), STR_ARG(b.text));
    ValueSet x = syn_stored(&l->s, var.type, &a), y = syn_stored(&l->s, var.type, &b);
    if (otherwise)
        live_now_has(l, &var, !zero ? x : !other ? y : joined_sets(l, x, y));
    else if (!zero)
        live_now_has(l, &var, x);
    else if (other)
        may_have(l, &var, x);
    return true;
}

/* if (always) { .. } else { never } */
static bool sure_if_statement(LiveCode *l) {
    bool first = rng_chance(l->s.rng, 0.6);
    if (l->depth >= HUNT_LIVE_DEPTH || l->env.vars.len == 0) return false;
    Str test = syn_predicate(&l->s, &l->env, first);
    buf_fmt(&l->text, "if " STR_FMT " { ", STR_ARG(test));
    if (!first) {
        dead_statements(l);
        buf_text(&l->text, "} else { ");
    }
    l->depth++;
    live_statements(l, 1 + (unsigned)rng_below(l->s.rng, 2));
    l->depth--;
    if (first && rng_chance(l->s.rng, 0.5)) {
        buf_text(&l->text, "} else { ");
        dead_statements(l);
    }
    buf_text(&l->text, "} ");
    return true;
}

/* switch (e) with a case for every value it can have, and some for others. */
static bool switch_statement(LiveCode *l) {
    SynExpr e = syn_expr(&l->s, &l->env);
    IType type = itype_promote(e.type);
    if (e.set.len > HUNT_LIVE_CASES) return false;
    EnvVar var = *live_any_target(l);
    ValueSet all = { NULL, 0 };
    bool by_default = rng_chance(l->s.rng, 0.3); /* the last value has no case of its own */
    buf_fmt(&l->text, "switch (" STR_FMT ") { ", STR_ARG(e.text));
    for (uint32_t i = 0; i < e.set.len; i++) {
        SynExpr value = syn_value(&l->s, eval_cast((IVal){ e.set.at[i], e.type }, type)),
                made = syn_expr(&l->s, &l->env);
        if (by_default && i + 1 == e.set.len)
            buf_text(&l->text, "default: ");
        else
            buf_fmt(&l->text, "case " STR_FMT ": ", STR_ARG(value.text));
        buf_fmt(&l->text, STR_FMT " = " STR_FMT "; break; ", STR_ARG(var.text), STR_ARG(made.text));
        ValueSet set = syn_stored(&l->s, var.type, &made);
        all = i ? joined_sets(l, all, set) : set;
    }
    uint64_t other = e.set.at[e.set.len - 1] + 1 + rng_below(l->s.rng, 5);
    SynExpr unused = syn_value(&l->s, ival(type, (int64_t)other));
    if (!values_has(e.set, eval_cast((IVal){ unused.set.at[0], type }, e.type).bits)) {
        buf_fmt(&l->text, "case " STR_FMT ": ", STR_ARG(unused.text));
        buf_text(&l->text, "{ ");
        dead_statements(l);
        buf_text(&l->text, "} ");
    }
    buf_text(&l->text, "} ");
    live_now_has(l, &var, all);
    return true;
}

/* ---- calls ---- */

/* A function of two or three integers, its body made for the values it is called with. */
static bool call_statement(LiveCode *l) {
    enum { PARAMS = 3 };
    if (l->depth >= HUNT_LIVE_DEPTH) return false;
    const char *name = live_name(l, 'f');
    unsigned n = 1 + (unsigned)rng_below(l->s.rng, PARAMS);
    SynExpr args[PARAMS];
    LiveCode body = { .s = l->s, .prefix = l->prefix, .names = l->names, .depth = l->depth + 1 };
    IType result = any_type(l->s.rng);
    Buf head = { 0 };
    buf_fmt(&head, "static %s %s(", itype_name(result), name);
    for (unsigned i = 0; i < n; i++) {
        EnvVar p = live_local_path(NULL, live_name(l, 'p'), any_type(l->s.rng));
        p.reach.root = p.text.at;
        args[i] = syn_expr(&l->s, &l->env);
        live_now_has(&body, &p, syn_stored(&l->s, p.type, &args[i]));
        live_add_target(&body, &p);
        buf_fmt(&head, "%s%s " STR_FMT, i ? ", " : "", itype_name(p.type), STR_ARG(p.text));
    }
    live_statements(&body, (unsigned)rng_below(l->s.rng, 3));
    SynExpr value = syn_expr(&l->s, &body.env), back = { .type = result };
    back.set = syn_stored(&l->s, result, &value);
    buf_str(&l->above, buf_view(&body.above));
    buf_fmt(&l->above, STR_FMT ") { %sreturn " STR_FMT "; }\n", STR_ARG(buf_view(&head)),
            body.text.len ? arena_cstr(l->s.arena, buf_view(&body.text)) : "", STR_ARG(value.text));
    const EnvVar var = *live_any_target(l);
    buf_fmt(&l->text, STR_FMT " = %s(", STR_ARG(var.text), name);
    for (unsigned i = 0; i < n; i++)
        buf_fmt(&l->text, "%s" STR_FMT, i ? ", " : "", STR_ARG(args[i].text));
    buf_text(&l->text, "); ");
    live_now_has(l, &var, syn_stored(&l->s, var.type, &back));
    buf_release(&head);
    live_release(&body);
    return true;
}

/* A function that takes a structure by value, changes it and returns it. */
static bool record_call_statement(LiveCode *l) {
    if (l->depth >= HUNT_LIVE_DEPTH || l->records_len == 0) return false;
    const LiveRecord *r = &l->records[rng_below(l->s.rng, l->records_len)];
    const char *name = live_name(l, 'f'), *p = live_name(l, 'p');
    unsigned to = (unsigned)rng_below(l->s.rng, 2), from = (unsigned)rng_below(l->s.rng, 2);
    LiveCode body = { .s = l->s, .prefix = l->prefix, .names = l->names, .depth = l->depth + 1 };
    for (unsigned i = 0; i < r->n; i++) {
        EnvVar source = field_path(l, r->names[from], r, i), field = field_path(l, p, r, i);
        const EnvVar *now = live_known(l, source.text);
        if (now) live_now_has(&body, &field, now->set);
        live_add_target(&body, &field);
    }
    live_statements(&body, 1 + (unsigned)rng_below(l->s.rng, 2));
    buf_str(&l->above, buf_view(&body.above));
    buf_fmt(&l->above, "static struct %s %s(struct %s %s) { " STR_FMT "return %s; }\n", r->tag,
            name, r->tag, p, STR_ARG(buf_view(&body.text)), p);
    buf_fmt(&l->text, "%s = %s(%s); ", r->names[to], name, r->names[from]);
    for (unsigned i = 0; i < r->n; i++) {
        EnvVar target = field_path(l, r->names[to], r, i), field = field_path(l, p, r, i);
        const EnvVar *now = live_known(&body, field.text);
        live_now_has(l, &target, now ? now->set : (ValueSet){ NULL, 0 });
    }
    live_release(&body);
    return true;
}

/* ---- kernels ---- */

/* target = a function of its own, called with known values (kernel.h). */
static bool kernel_statement(LiveCode *l) {
    EnvVar inputs[KERNEL_INPUTS];
    KernelOrder order = {
        .inputs = inputs, .plain = l->s.plain, .lanes = !l->s.no_lanes, .reals = !l->s.no_reals
    };
    if (l->depth > 0 || l->s.hot) return false;
    size_t want = rng_below(l->s.rng, KERNEL_INPUTS + 1), product = 1;
    for (size_t tries = 0; l->env.vars.len && tries < 12 && order.inputs_len < want; tries++) {
        const EnvVar *v = &l->env.vars.at[rng_below(l->s.rng, l->env.vars.len)];
        if (v->type.width || product * v->set.len > 9) continue;
        product *= v->set.len;
        inputs[order.inputs_len++] = *v;
    }
    order.name = live_name(l, 'k');
    Kernel kernel;
    if (!kernel_make(l->s.arena, l->s.rng, &order, &kernel)) return false;
    buf_str(&l->above, kernel.above);
    EnvVar var = *live_any_target(l);
    SynExpr value = { kernel.call, kernel.result, kernel.set };
    buf_fmt(&l->text, STR_FMT " = " STR_FMT "; ", STR_ARG(var.text), STR_ARG(kernel.call));
    live_now_has(l, &var, syn_stored(&l->s, var.type, &value));
    return true;
}

/* ---- borrowed functions ---- */

/* target = f(known values), f taken from another program. */
static bool borrow_statement(LiveCode *l) {
    BorrowOrder order = { .arena = l->s.arena,
                          .rng = l->s.rng,
                          .env = &l->env,
                          .name = live_name(l, 'g'),
                          .plain = l->s.plain,
                          .no_reals = l->s.no_reals };
    BorrowCall call;
    if (l->depth > 0 || !lender_call(l->s.lender, &order, &call)) return false;
    buf_str(&l->above, call.above);
    EnvVar var = *live_any_target(l);
    SynExpr value = syn_value(&l->s, call.value);
    value.text = call.text;
    buf_fmt(&l->text, STR_FMT " = " STR_FMT "; ", STR_ARG(var.text), STR_ARG(call.text));
    live_now_has(l, &var, syn_stored(&l->s, var.type, &value));
    return true;
}

/* ---- any of them ---- */

static void live_statement(LiveCode *l) {
    const double weight[] = { 8,
                              2,
                              3,
                              3,
                              3,
                              1.5,
                              3,
                              1.5,
                              1.5,
                              1.5,
                              1,
                              3,
                              1,
                              HUNT_LIVE_KERNEL,
                              l->s.lender ? HUNT_LIVE_BORROW : 0,
                              l->reals_len ? HUNT_LIVE_REAL_STORE : 0 };
    bool done = false;
    switch (rng_weighted(l->s.rng, weight, COUNT_OF(weight))) {
    case 1: done = step_statement(l); break;
    case 2: done = copy_statement(l); break;
    case 3: done = index_statement(l); break;
    case 4: done = loop_statement(l); break;
    case 5: done = fill_statement(l); break;
    case 6: done = open_if_statement(l); break;
    case 7: done = sure_if_statement(l); break;
    case 8: done = switch_statement(l); break;
    case 9: done = call_statement(l); break;
    case 10: done = record_call_statement(l); break;
    case 11: done = alias_pointer_statement(l); break;
    case 12: done = alias_copy_statement(l); break;
    case 13: done = kernel_statement(l); break;
    case 14: done = borrow_statement(l); break;
    case 15: done = live_real_statement(l); break;
    default: break;
    }
    if (!done) {
        EnvVar var = *live_any_target(l);
        live_store(l, &var);
    }
}

void live_statements(LiveCode *l, unsigned n) {
    for (unsigned i = 0; i < n; i++) live_statement(l);
    if (l->records_len && rng_chance(l->s.rng, HUNT_LIVE_COPY)) copy_statement(l);
}

/* What was stored last is checked first: nothing has hidden a wrong value yet. */
Str live_suspicion(LiveCode *l) {
    if (l->env.vars.len == 0) return STR("(0)");
    Str all = syn_predicate(&l->s, &l->env, false);
    unsigned n = l->stores < LIVE_RECENT ? l->stores : LIVE_RECENT, used = 0;
    rng_shuffle(l->s.rng, l->recent, n, sizeof *l->recent);
    for (unsigned i = 0; i < n && used < HUNT_LIVE_SUSPECTS; i++) {
        const EnvVar *now = live_known(l, l->recent[i].text);
        if (!now) continue;
        Str differs = syn_differs(&l->s, now);
        all = used++ == 0 && rng_chance(l->s.rng, 0.5)
                  ? differs
                  : str_from(arena_fmt(l->s.arena, "(" STR_FMT " || " STR_FMT ")", STR_ARG(all),
                                       STR_ARG(differs)));
    }
    return all;
}
