/* Cutting a program into units, and drawing how they are compiled.
 *
 * Every unit is the whole text with edits: bodies of functions that are defined elsewhere become
 * `;`, variables that are defined elsewhere become `extern` without their initialisers (a size that
 * only the initialiser gives is written out), and `static` and `inline` are removed. Names that
 * were static are renamed by the preprocessor, so that they do not clash with the library's. */
#include "hunt/units.h"

#include "cfront/edit.h"
#include "cfront/lex.h"

/* ---- knobs ---- */
#define UNITS_MOST 4            /* units of a program; the paper: one per function */
#define UNITS_LINK_TIME 0.5     /* a plan has link-time optimisation */
#define UNITS_TWO_COMPILERS 0.5 /* of the other plans: use two compilers */
#define UNITS_LEFT_OUT 0.2      /* of the units of an LTO plan: compiled without it */

typedef struct Split {
    Arena *arena;
    const CUnit *unit;
    uint64_t seed;
    unsigned n;
    unsigned self; /* the unit being written */
    Map owners;    /* name of a variable -> its unit + 1 */
    CEdits edits;
    const char *why; /* it cannot be cut */
} Split;

/* ---- what cannot be cut ---- */
/* Attributes that tie a definition to its unit, and names that reveal how it was compiled. */
static bool ties_down(Str word) {
    static const char *const words[] = {
        "alias",
        "weak",
        "weakref",
        "ifunc",
        "gnu_inline",
        "always_inline",
        "section",
        "asm",
        "constructor",
        "destructor",
        "thread",
        "Thread_local",
        "func",
        "FUNCTION",
        "PRETTY_FUNCTION",
        "builtin_constant_p",
        "builtin_object_size",
        "builtin_return_address",
        "builtin_dynamic_object_size",
        "builtin_frame_address",
        "builtin_apply",
        "LINE",
        "FILE",
    };
    size_t from = 0, to = word.len;
    while (from < to && word.at[from] == '_') from++;
    while (to > from && word.at[to - 1] == '_') to--;
    Str core = str_sub(word, from, to);
    bool plain = from == 0; /* names of the program, unless they are attributes or keywords */
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (str_is(core, words[i])) return !plain || i < 10;
    return false;
}

static const char *tied(Arena *arena, Str text) {
    uint32_t end = (uint32_t)text.len;
    for (CTok t = lex_next(text, 0, end); t.kind != CTK_END; t = lex_next(text, t.range.to, end))
        if (t.kind == CTK_IDENT && ties_down(lex_text(text, t)))
            return arena_fmt(arena, "it has " STR_FMT, STR_ARG(lex_text(text, t)));
    return NULL;
}

static bool at_file_scope(const CDeclGroup *g) {
    return !g->function && (g->kind == CG_GLOBAL || g->kind == CG_FUNCTION);
}

static const char *uncuttable(Arena *arena, const CUnit *u) {
    if (u->has_macros) return "it has macros";
    for (uint32_t i = 0; i < u->n_functions; i++) {
        const CFunction *f = u->functions[i];
        unsigned both = CD_EXTERN | CD_INLINE;
        if (f->flags & CFN_KR) return "it has old-style definitions";
        if (f->flags & CFN_SYSTEM) return "it contains header text";
        if ((f->decl->flags & both) == both) return "it has extern inline";
    }
    return tied(arena, u->text);
}

/* ---- who owns what ---- */
static unsigned unit_of(const Split *s, Str name) {
    return (unsigned)((str_hash(name) ^ s->seed * 0x9e3779b97f4a7c15u) >> 7) % s->n;
}

static bool has_spec(const CDeclGroup *g, CSpecKind kind) {
    for (uint32_t i = 0; i < g->n_specs; i++)
        if (g->specs[i].kind == kind) return true;
    return false;
}

static bool declares_variable(const CDeclGroup *g) {
    for (uint32_t i = 0; i < g->n_decls; i++)
        if (g->decls[i]->kind == CD_VAR) return true;
    return false;
}

/* All names of `int a, b = 1;` belong to one unit; -1: one was declared for another unit before. */
static int owner_of_group(Split *s, const CDeclGroup *g) {
    int owner = -1;
    for (uint32_t i = 0; i < g->n_decls; i++) {
        uint64_t known;
        const CDecl *d = g->decls[i];
        if (d->kind != CD_VAR) continue;
        if (owner < 0)
            owner =
                map_get(&s->owners, d->name, &known) ? (int)known - 1 : (int)unit_of(s, d->name);
        if (!map_get(&s->owners, d->name, &known))
            map_put(&s->owners, d->name, (uint64_t)owner + 1);
        else if ((int)known - 1 != owner)
            return -1;
    }
    return owner;
}

/* ---- the edits of one unit ---- */
static void drop_specs(Split *s, const CDeclGroup *g) {
    for (uint32_t i = 0; i < g->n_specs; i++)
        if (g->specs[i].kind == CSP_STATIC || g->specs[i].kind == CSP_INLINE)
            edit_replace(&s->edits, g->specs[i].range, STR(" "));
}

/* `a[] = { 1, 2 }` becomes `a[2]`. */
static void undefine(Split *s, const CDecl *d) {
    Str text = s->unit->text;
    CTok open = lex_next(text, d->name_range.to, d->range.to),
         close = lex_next(text, open.range.to, d->range.to);
    if (lex_is(text, open, "[") && lex_is(text, close, "]")) {
        if (d->type->kind != CT_ARRAY) {
            if (d->init) s->why = "it has an array whose size is not known";
            return;
        }
        edit_insert(&s->edits, close.range.from,
                    str_from(arena_fmt(s->arena, "%llu", (unsigned long long)d->type->count)));
    }
    if (d->init_range.from == d->init_range.to) return;
    uint32_t at = d->init_range.from;
    while (at > d->name_range.to && text.at[at] != '=') at--;
    if (text.at[at] != '=')
        s->why = "it has an initialiser without =";
    else
        edit_delete(&s->edits, (CRange){ at, d->init_range.to });
}

static void edit_variables(Split *s, const CDeclGroup *g) {
    bool is_extern = has_spec(g, CSP_EXTERN), defined = false;
    for (uint32_t i = 0; i < g->n_decls; i++) defined |= g->decls[i]->init != NULL;
    if (is_extern && !defined) return;
    int owner = owner_of_group(s, g);
    if (owner < 0) {
        s->why = "it declares variables in several places";
        return;
    }
    if ((unsigned)owner == s->self) return;
    if (!is_extern) edit_insert(&s->edits, g->range.from, STR("extern "));
    for (uint32_t i = 0; i < g->n_decls; i++)
        if (g->decls[i]->kind == CD_VAR) undefine(s, g->decls[i]);
}

static void edit_group(Split *s, const CDeclGroup *g) {
    if (!at_file_scope(g) || has_spec(g, CSP_TYPEDEF)) return;
    if (g->in_macro || has_spec(g, CSP_REGISTER) || has_spec(g, CSP_THREAD)) {
        s->why = "it has declarations of other kinds";
        return;
    }
    drop_specs(s, g);
    if (g->kind == CG_FUNCTION && g->n_decls == 1) {
        const CFunction *f = g->decls[0]->function;
        if (f && f->decl == g->decls[0] && unit_of(s, f->name) != s->self)
            edit_replace(&s->edits, f->body->range, STR(";"));
    } else if (declares_variable(g))
        edit_variables(s, g);
}

/* `#define f culprit_unit_f` for what was static, after the includes. */
static void rename_statics(Split *s) {
    const CUnit *u = s->unit;
    Buf text = { 0 };
    Map seen = { 0 };
    uint32_t first = u->n_groups ? u->groups[0]->range.from : 0;
    for (uint32_t i = 0; i < u->n_groups; i++) {
        const CDeclGroup *g = u->groups[i];
        if (!at_file_scope(g) || !has_spec(g, CSP_STATIC)) continue;
        for (uint32_t k = 0; k < g->n_decls; k++)
            if (map_put(&seen, g->decls[k]->name, 1))
                buf_fmt(&text, "#define " STR_FMT " culprit_unit_" STR_FMT "\n",
                        STR_ARG(g->decls[k]->name), STR_ARG(g->decls[k]->name));
    }
    if (text.len)
        edit_insert(&s->edits, first,
                    str_from(arena_fmt(s->arena, "\n" STR_FMT, STR_ARG(buf_view(&text)))));
    map_release(&seen);
    buf_release(&text);
}

static bool write_unit(Split *s, Str *out) {
    const CUnit *u = s->unit;
    Buf text = { 0 };
    Error err;
    edits_clear(&s->edits);
    rename_statics(s);
    for (uint32_t i = 0; i < u->n_groups && !s->why; i++) edit_group(s, u->groups[i]);
    if (!s->why && !edits_apply(&s->edits, u->text, &text, &err))
        s->why = "its declarations cannot be edited";
    *out = arena_str(s->arena, buf_view(&text));
    buf_release(&text);
    return !s->why;
}

bool units_split(Arena *arena, Str text, const char *const *flags, uint64_t seed, unsigned n,
                 Str *units, const char **why) {
    Arena scratch = { 0 };
    Error err;
    CfrontOptions options = { .args = flags };
    Split s = { .arena = arena, .seed = seed, .n = n };
    s.unit = cfront_parse(&scratch, text, &options, &err);
    s.why = s.unit ? uncuttable(arena, s.unit) : "it does not parse";
    for (s.self = 0; s.self < n && !s.why; s.self++) write_unit(&s, &units[s.self]);
    *why = s.why;
    map_release(&s.owners);
    edits_release(&s.edits);
    arena_release(&scratch);
    return !s.why;
}

const CcUnit *units_make(Arena *arena, const HuntSetup *setup, const UnitPlan *plan, Str text,
                         const char **why) {
    Str *texts = ARENA_ARRAY(arena, Str, plan->n);
    CcUnit *units = ARENA_ARRAY(arena, CcUnit, plan->n);
    if (!units_split(arena, text, cc_tolerant(CC_CLANG), plan->seed, plan->n, texts, why))
        return NULL;
    for (unsigned i = 0; i < plan->n; i++)
        units[i] = (CcUnit){ .cc = &setup->compilers.at[plan->by[i]],
                             .flags = plan->flags[i],
                             .source = texts[i] };
    return units;
}

/* ---- plans ---- */
static const char *const *words_for(Arena *arena, const Compiler *cc, const char *const *words) {
    return flags_plus(arena, words, cc_tolerant(cc->kind));
}

static const char *draw_level(const HuntSetup *setup, Rng *rng) {
    size_t n = 0;
    while (setup->levels[n]) n++;
    return setup->levels[rng_below(rng, n)];
}

/* Another compiler under test that makes the same kind of objects. */
static size_t draw_partner(const HuntSetup *setup, size_t own, Rng *rng) {
    size_t n = setup->compilers.len, other = rng_below(rng, n);
    for (size_t i = 0; i < n; i++, other = (other + 1) % n) {
        CcKind kind = setup->compilers.at[other].kind;
        if (other != own && (kind == CC_GCC || kind == CC_CLANG)) return other;
    }
    return own;
}

/* all: only what is optimised at link time refers to it. */
static const char *const *draw_linking(Arena *arena, const HuntSetup *setup, const Compiler *cc,
                                       bool link_time, bool all, Rng *rng) {
    static const char *const parts[] = { "none", "one", "balanced", "1to1", "max" };
    const char *words[5] = { draw_level(setup, rng), link_time ? "-flto" : NULL };
    if (link_time && cc->kind == CC_GCC) {
        words[2] = arena_fmt(arena, "-flto-partition=%s", parts[rng_below(rng, COUNT_OF(parts))]);
        words[3] = all && rng_chance(rng, 0.3) ? "-fwhole-program" : NULL;
    }
    return words_for(arena, cc, words);
}

const UnitPlan *units_draw(Arena *arena, const HuntSetup *setup, size_t own, Rng *rng) {
    const Compiler *cc = &setup->compilers.at[own];
    if (!cc->levels || (cc->kind != CC_GCC && cc->kind != CC_CLANG)) return NULL;
    UnitPlan *plan = ARENA_NEW(arena, UnitPlan);
    plan->seed = rng_next(rng);
    plan->n = 2 + (unsigned)rng_below(rng, UNITS_MOST - 1);
    bool link_time = rng_chance(rng, UNITS_LINK_TIME);
    bool two = !link_time && rng_chance(rng, UNITS_TWO_COMPILERS);
    size_t partner = two ? draw_partner(setup, own, rng) : own;
    size_t *by = ARENA_ARRAY(arena, size_t, plan->n);
    const char *const **flags = ARENA_ARRAY(arena, const char *const *, plan->n);
    bool all = link_time; /* units take part in it */
    for (unsigned i = 0; i < plan->n; i++) {
        by[i] = i % 2 ? partner : own;
        bool with = link_time && !rng_chance(rng, UNITS_LEFT_OUT);
        all = all && with;
        const char *const words[] = { draw_level(setup, rng), with ? "-flto" : NULL, NULL };
        flags[i] = words_for(arena, &setup->compilers.at[by[i]], words);
    }
    plan->by = by;
    plan->flags = (const char *const *const *)flags;
    plan->linker = own;
    plan->link_flags = draw_linking(arena, setup, cc, link_time, all, rng);
    return plan;
}

const UnitPlan *units_plain_at(Arena *arena, const HuntSetup *setup, const UnitPlan *plan,
                               unsigned k) {
    static const char *const plain[] = { "-O0", NULL };
    UnitPlan *copy = ARENA_NEW(arena, UnitPlan);
    *copy = *plan;
    const char *const **flags = ARENA_ARRAY(arena, const char *const *, plan->n);
    for (unsigned i = 0; i < plan->n; i++)
        flags[i] =
            i == k ? words_for(arena, &setup->compilers.at[plan->by[i]], plain) : plan->flags[i];
    copy->flags = (const char *const *const *)flags;
    if (k == plan->n)
        copy->link_flags = words_for(arena, &setup->compilers.at[plan->linker], plain);
    return copy;
}

const UnitPlan *units_plain(Arena *arena, const HuntSetup *setup, const UnitPlan *plan) {
    for (unsigned i = 0; i <= plan->n; i++) plan = units_plain_at(arena, setup, plan, i);
    return plan;
}

const UnitPlan *units_by_one(Arena *arena, const HuntSetup *setup, const UnitPlan *plan,
                             size_t by) {
    static const char *const plain[] = { "-O0", NULL };
    UnitPlan *copy = ARENA_NEW(arena, UnitPlan);
    *copy = *plan;
    size_t *all = ARENA_ARRAY(arena, size_t, plan->n);
    const char *const **flags = ARENA_ARRAY(arena, const char *const *, plan->n);
    bool other = false;
    for (unsigned i = 0; i < plan->n; i++) {
        bool own = plan->by[i] == by;
        other |= !own;
        all[i] = by;
        flags[i] = own ? plan->flags[i] : words_for(arena, &setup->compilers.at[by], plain);
    }
    if (plan->linker != by) copy->link_flags = words_for(arena, &setup->compilers.at[by], plain);
    copy->linker = by;
    copy->by = all;
    copy->flags = (const char *const *const *)flags;
    return other ? copy : NULL;
}

static const char *const *without_link_time(Arena *arena, const char *const *flags) {
    size_t n = 0;
    while (flags[n]) n++;
    const char **left = ARENA_ARRAY(arena, const char *, n + 1);
    n = 0;
    for (; *flags; flags++)
        if (strncmp(*flags, "-flto", 5) != 0 && strcmp(*flags, "-fwhole-program") != 0)
            left[n++] = *flags;
    return left;
}

const UnitPlan *units_apart(Arena *arena, const UnitPlan *plan) {
    UnitPlan *copy = ARENA_NEW(arena, UnitPlan);
    *copy = *plan;
    const char *const **flags = ARENA_ARRAY(arena, const char *const *, plan->n);
    for (unsigned i = 0; i < plan->n; i++) flags[i] = without_link_time(arena, plan->flags[i]);
    copy->flags = (const char *const *const *)flags;
    copy->link_flags = without_link_time(arena, plan->link_flags);
    return copy;
}

/* ---- words for people and for buckets ---- */
/* The flags without those that only silence the compiler. */
static Str command(Arena *arena, const HuntSetup *setup, size_t by, const char *const *flags) {
    Buf text = { 0 };
    buf_text(&text, setup->compilers.at[by].name);
    for (; *flags && flags[0][1] != 'w' && flags[0][1] != 'W'; flags++)
        buf_fmt(&text, " %s", *flags);
    Str copy = arena_str(arena, buf_view(&text));
    buf_release(&text);
    return copy;
}

Str units_text(Arena *arena, const HuntSetup *setup, const UnitPlan *plan) {
    Buf text = { 0 };
    for (unsigned i = 0; i < plan->n; i++)
        buf_fmt(&text, STR_FMT "; ", STR_ARG(command(arena, setup, plan->by[i], plan->flags[i])));
    buf_fmt(&text, "linked by " STR_FMT,
            STR_ARG(command(arena, setup, plan->linker, plan->link_flags)));
    Str copy = arena_str(arena, buf_view(&text));
    buf_release(&text);
    return copy;
}

/* "gcc -O2 -flto": without the version, so that one bug of two versions has one key. */
static Str unversioned(Arena *arena, const HuntSetup *setup, size_t by, const char *const *flags) {
    Str whole = command(arena, setup, by, flags), name = str_from(setup->compilers.at[by].name);
    return str_from(arena_fmt(arena, "%s" STR_FMT, cc_kind_name(setup->compilers.at[by].kind),
                              STR_ARG(str_sub(whole, name.len, whole.len))));
}

static int by_text(const void *a, const void *b) {
    return str_cmp(*(const Str *)a, *(const Str *)b);
}

Str units_key(Arena *arena, const HuntSetup *setup, const UnitPlan *plan, bool named) {
    Str *commands = ARENA_ARRAY(arena, Str, plan->n);
    for (unsigned i = 0; i < plan->n; i++)
        commands[i] = (named ? command : unversioned)(arena, setup, plan->by[i], plan->flags[i]);
    qsort(commands, plan->n, sizeof *commands, by_text);
    Buf text = { 0 };
    for (unsigned i = 0; i < plan->n; i++) {
        bool plain = str_find(commands[i], STR(" -O0"), 0) != STR_NONE,
             again = i > 0 && str_eq(commands[i], commands[i - 1]);
        if (!plain && !again)
            buf_fmt(&text, "%s" STR_FMT, text.len ? ", " : "units by ", STR_ARG(commands[i]));
    }
    if (strcmp(plan->link_flags[0], "-O0") != 0)
        buf_fmt(
            &text, "%slinked by " STR_FMT, text.len ? "; " : "units ",
            STR_ARG((named ? command : unversioned)(arena, setup, plan->linker, plan->link_flags)));
    Str copy = arena_str(arena, text.len ? buf_view(&text) : STR("units"));
    buf_release(&text);
    return copy;
}
