/* The ingredient pool. Conditions are read from the model: constants and operators stay, everything
 * else of integer type becomes a hole. Functions are taken with the declarations their tokens name,
 * transitively; all file-scope names of that closure get a prefix of their own, and the result must
 * parse alone before it enters the pool. */
#include "perturb/perturb_impl.h"

#include "base/file.h"

enum {
    DEFAULT_FILES = 60,   /* files that gave something */
    MOST_HOLES = 6,       /* of a condition */
    MOST_CONDITION = 160, /* bytes of a condition */
    MOST_FUNCTION = 3000, /* bytes of a function with what it needs */
    MOST_FILE = 20000,    /* bytes of a test program worth parsing */
    MOST_PER_FILE = 6,    /* functions taken from one program */
};

struct Ingredients {
    Arena arena;
    VEC(Condition) conditions;
    VEC(IngredientFunction) functions;
    Map seen; /* texts of conditions and functions so far */
};

Ingredients *ingredients_new(void) {
    return mem_alloc(sizeof(Ingredients));
}

void ingredients_free(Ingredients *pool) {
    if (!pool) return;
    vec_release(&pool->conditions);
    vec_release(&pool->functions);
    map_release(&pool->seen);
    arena_release(&pool->arena);
    mem_free(pool);
}

size_t ingredients_conditions(const Ingredients *pool, const Condition **list) {
    *list = pool->conditions.at;
    return pool->conditions.len;
}

size_t ingredients_functions(const Ingredients *pool, const IngredientFunction **list) {
    *list = pool->functions.at;
    return pool->functions.len;
}

/* ---- conditions ---- */
typedef struct Template {
    const CUnit *unit;
    Buf text;
    CIntKind holes[MOST_HOLES];
    uint32_t n;
} Template;

static bool add_hole(Template *t, const CExpr *e) {
    if (t->n == MOST_HOLES) return false;
    t->holes[t->n++] = e->type->int_kind;
    buf_char(&t->text, '\1');
    return true;
}

static bool is_plain_op(const CExpr *e) {
    if (e->op >= CO_LT && e->op <= CO_LOR) return true;
    if (e->op == CO_ADD || e->op == CO_SUB || e->op == CO_MUL) return true;
    const CExpr *y = e->first->next; /* division and shifts by good constants only */
    if (!(y->flags & CF_CONSTANT)) return false;
    if (e->op == CO_DIV || e->op == CO_REM) return y->value != 0 && y->value != UINT64_MAX;
    return (e->op == CO_SHL || e->op == CO_SHR) && y->value < 31;
}

static bool add_template(Template *t, const CExpr *e) {
    if (!ctype_is_integer(e->type) || t->text.len > MOST_CONDITION) return false;
    if (e->flags & CF_CONSTANT) {
        buf_fmt(&t->text, e->type->is_signed ? "(%lld)" : "%lluU", (long long)e->value);
        return true;
    }
    if (e->kind == CE_PAREN && e->first) return add_template(t, e->first);
    bool sign = e->kind == CE_UNARY &&
                (e->op == CO_PLUS || e->op == CO_MINUS || e->op == CO_NOT || e->op == CO_LNOT);
    if (sign && ctype_is_integer(e->first->type)) {
        buf_fmt(&t->text, "%s(", cop_text(e->op));
        bool good = add_template(t, e->first);
        buf_char(&t->text, ')');
        return good;
    }
    bool both = e->kind == CE_BINARY && e->n_operands == 2 && ctype_is_integer(e->first->type) &&
                ctype_is_integer(e->first->next->type);
    if (!both || !is_plain_op(e)) return add_hole(t, e);
    buf_char(&t->text, '(');
    bool good = add_template(t, e->first);
    buf_fmt(&t->text, " %s ", cop_text(e->op));
    good = good && add_template(t, e->first->next);
    buf_char(&t->text, ')');
    return good;
}

static void add_condition(Ingredients *pool, const CUnit *unit, const CExpr *e) {
    Template t = { .unit = unit };
    if (add_template(&t, e) && t.n && t.text.len <= MOST_CONDITION &&
        map_put(&pool->seen, buf_view(&t.text), 1)) {
        Condition c = { arena_str(&pool->arena, buf_view(&t.text)),
                        arena_copy(&pool->arena, t.holes, t.n * sizeof(CIntKind)) };
        vec_push(&pool->conditions, c);
    }
    buf_release(&t.text);
}

void ingredients_add_conditions(Ingredients *pool, const CUnit *unit) {
    for (uint32_t i = 0; i < unit->n_stmts; i++) {
        const CStmt *s = unit->stmts[i];
        bool control =
            s->kind == CS_IF || s->kind == CS_WHILE || s->kind == CS_DO || s->kind == CS_FOR;
        if (control && s->expr) add_condition(pool, unit, s->expr);
    }
}

/* ---- functions ---- */
typedef struct Closure {
    const CUnit *unit;
    Map names;      /* file-scope name or tag -> 1 + index of the group that declares it last */
    uint8_t *taken; /* by group */
    Map renamed;    /* names that get the prefix */
    size_t bytes;
} Closure;

static bool is_file_scope(const CDeclGroup *g) {
    return !g->function && (g->kind == CG_GLOBAL || g->kind == CG_FUNCTION);
}

static bool function_is_portable(const CFunction *f) {
    enum {
        BAD = CFN_MAIN | CFN_KR | CFN_VARIADIC | CFN_SETJMP | CFN_COMPUTED_GOTO | CFN_ASM |
              CFN_MACRO | CFN_ORACLE | CFN_UNCERTAIN | CFN_ALLOCA | CFN_RECURSIVE
    };
    if ((f->flags & BAD) || (f->body->flags & CF_HAS_MACRO)) return false;
    for (uint32_t i = 0; i < f->n_exprs; i++) {
        const CDecl *d = f->exprs[i]->kind == CE_REF ? f->exprs[i]->decl : NULL;
        bool builtin = d && str_starts(d->name, "__builtin_");
        if (d && (d->flags & CD_SYSTEM) && !builtin) return false;
        if (d && d->kind == CD_FUNCTION && !d->first->function && !builtin) return false;
    }
    return true;
}

static bool read_params(Ingredients *pool, const CFunction *f, IngredientFunction *out) {
    IngredientParam *params = ARENA_ARRAY(&pool->arena, IngredientParam, f->n_params + 1);
    for (uint32_t i = 0; i < f->n_params; i++) {
        const CType *t = f->params[i]->type;
        IngredientParam *p = &params[i];
        p->pointer = t->kind == CT_POINTER;
        if (p->pointer) t = t->elem;
        if (!ctype_is_arithmetic(t) || t->kind == CT_ENUM || (p->pointer && t->kind == CT_BOOL))
            return false;
        p->kind = t->int_kind;
        p->spelling = arena_str(&pool->arena, t->bare->spelling);
    }
    out->params = params;
    out->n_params = f->n_params;
    return true;
}

static void name_groups(Closure *c) {
    const CUnit *u = c->unit;
    for (uint32_t i = 0; i < u->n_groups; i++) {
        const CDeclGroup *g = u->groups[i];
        if (!is_file_scope(g)) continue;
        for (uint32_t k = 0; k < g->n_decls; k++) map_put(&c->names, g->decls[k]->name, i + 1);
        for (uint32_t k = 0; k < u->n_records; k++)
            if (u->records[k]->tag.len && crange_in(u->records[k]->range, g->range))
                map_put(&c->names, u->records[k]->tag, i + 1);
    }
    for (uint32_t i = 0; i < u->n_decls; i++) {
        const CDecl *d = u->decls[i];
        if (d->kind != CD_ENUMERATOR || d->scope) continue;
        for (uint32_t k = 0; k < u->n_groups; k++)
            if (is_file_scope(u->groups[k]) && crange_in(d->range, u->groups[k]->range))
                map_put(&c->names, d->name, k + 1);
    }
}

/* Takes group i and whatever its tokens name. */
static bool take_group(Closure *c, uint32_t i, unsigned depth) {
    const CDeclGroup *g = c->unit->groups[i];
    if (c->taken[i]) return true;
    c->taken[i] = 1;
    c->bytes += g->range.to - g->range.from;
    if (c->bytes > MOST_FUNCTION || depth > 20 || g->in_macro) return false;
    for (uint32_t k = 0; k < g->n_decls; k++) {
        const CDecl *d = g->decls[k];
        if (d->kind == CD_VAR && (d->flags & CD_EXTERN)) return false;
        if (d->kind == CD_FUNCTION && d->function && !function_is_portable(d->function))
            return false;
    }
    Str text = c->unit->text;
    for (CTok t = lex_next(text, g->range.from, g->range.to); t.kind != CTK_END;
         t = lex_next(text, t.range.to, g->range.to)) {
        uint64_t at;
        if (t.kind == CTK_DIRECTIVE) return false;
        if (t.kind != CTK_IDENT || !map_get(&c->names, lex_text(text, t), &at)) continue;
        map_put(&c->renamed, lex_text(text, t), 1);
        if (!take_group(c, (uint32_t)at - 1, depth + 1)) return false;
    }
    return true;
}

static void write_group(const Closure *c, const CDeclGroup *g, const char *prefix, Buf *out) {
    Str text = c->unit->text;
    uint32_t at = g->range.from;
    for (CTok t = lex_next(text, at, g->range.to); t.kind != CTK_END;
         t = lex_next(text, t.range.to, g->range.to)) {
        if (t.kind != CTK_IDENT || !map_get(&c->renamed, lex_text(text, t), NULL)) continue;
        buf_add(out, text.at + at, t.range.from - at);
        buf_text(out, prefix);
        at = t.range.from;
    }
    buf_add(out, text.at + at, g->range.to - at);
    buf_char(out, '\n');
}

/* It must stand alone: nothing it needs may come from a header or be missing. */
static bool parses_alone(Str text) {
    Arena scratch = { 0 };
    const char *const args[] = { "-Werror=implicit-function-declaration", "-Werror=implicit-int",
                                 NULL };
    CfrontOptions opts = { .name = "ingredient.c", .args = args };
    bool good = cfront_parse(&scratch, text, &opts, NULL) != NULL;
    arena_release(&scratch);
    return good;
}

static bool add_function(Ingredients *pool, Closure *c, const CFunction *f) {
    IngredientFunction out = { 0 };
    uint64_t group;
    if (!function_is_portable(f) || !read_params(pool, f, &out)) return false;
    if (!map_get(&c->names, f->name, &group)) return false;
    memset(c->taken, 0, c->unit->n_groups);
    c->bytes = 0;
    map_release(&c->renamed);
    if (!take_group(c, (uint32_t)group - 1, 0)) return false;
    Hash hash = str_hash128(cfront_text(c->unit, f->range));
    char prefix[24];
    snprintf(prefix, sizeof prefix, "cu%06x_", (unsigned)(hash.lo & 0xffffff));
    Buf text = { 0 };
    for (uint32_t i = 0; i < c->unit->n_groups; i++)
        if (c->taken[i]) write_group(c, c->unit->groups[i], prefix, &text);
    bool good = map_put(&pool->seen, buf_view(&text), 1) && parses_alone(buf_view(&text));
    if (good) {
        out.name = str_from(arena_fmt(&pool->arena, "%s" STR_FMT, prefix, STR_ARG(f->name)));
        out.text = arena_str(&pool->arena, buf_view(&text));
        vec_push(&pool->functions, out);
    }
    buf_release(&text);
    return good;
}

static void add_functions(Ingredients *pool, const CUnit *unit) {
    Closure c = { .unit = unit, .taken = mem_alloc(unit->n_groups + 1) };
    unsigned taken = 0;
    name_groups(&c);
    for (uint32_t i = 0; i < unit->n_functions && taken < MOST_PER_FILE; i++)
        taken += add_function(pool, &c, unit->functions[i]);
    map_release(&c.names);
    map_release(&c.renamed);
    mem_free(c.taken);
}

/* ---- mining ---- */
static bool mine_file(Ingredients *pool, const char *path) {
    Arena scratch = { 0 };
    Str text;
    bool gave = false;
    if (file_read(&scratch, path, &text, NULL) && text.len <= MOST_FILE) {
        CfrontOptions opts = { .name = path };
        const CUnit *unit = cfront_parse(&scratch, text, &opts, NULL);
        size_t before = pool->conditions.len + pool->functions.len;
        if (unit) {
            ingredients_add_conditions(pool, unit);
            add_functions(pool, unit);
        }
        gave = pool->conditions.len + pool->functions.len > before;
    }
    arena_release(&scratch);
    return gave;
}

Ingredients *ingredients_mine(const char *dir, unsigned files, uint64_t seed, Error *err) {
    Arena arena = { 0 };
    StrVec paths = { 0 };
    if (files == 0) files = DEFAULT_FILES;
    if (!file_list(&arena, dir, ".c", &paths, err)) {
        arena_release(&arena);
        return NULL;
    }
    Rng rng = rng_stream(seed, "ingredients", 0);
    if (paths.len) rng_shuffle(&rng, paths.at, paths.len, sizeof(Str));
    Ingredients *pool = ingredients_new();
    unsigned gave = 0;
    for (size_t i = 0; i < paths.len && gave < files && i < 4 * (size_t)files; i++)
        gave += mine_file(pool, arena_cstr(&arena, paths.at[i]));
    vec_release(&paths);
    arena_release(&arena);
    if (gave == 0) {
        err_set(err, STATUS_BAD, "%s: no C program in it has conditions or functions to insert",
                dir);
        ingredients_free(pool);
        return NULL;
    }
    return pool;
}
