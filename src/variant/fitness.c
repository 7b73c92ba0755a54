/* Which programs may be mutated; see fitness.h. Decided on tokens: a name that merely occurs is
 * reason enough, since refusing a seed costs nothing and a false alarm costs trust. */
#include "variant/fitness.h"

#include "cfront/lex.h"

typedef struct Reason {
    const char *why;
    const char *words; /* separated by blanks; one that ends in * is a prefix */
    bool promise;      /* it extends to everything the function calls */
} Reason;

/* What such a program prints may depend on the optimiser, or on timing: neither its own output nor
 * a variant's proves anything. */
static const Reason outputs[] = {
    /* Handlers and threads can see a variable while it is changed. */
    { "signal handlers, threads or processes",
      "signal sigaction alarm setitimer raise kill pthread_* thrd_create fork clone", false },
    { "questions to the optimiser",
      "__builtin_constant_p __builtin_object_size __builtin_dynamic_object_size "
      "__builtin_return_address __builtin_frame_address __builtin_LINE backtrace",
      false },
    /* Constants are folded as if rounding were to nearest and nobody read the flags. */
    { "the floating environment",
      "fesetround fegetround feclearexcept feraiseexcept fetestexcept fegetexceptflag "
      "fesetexceptflag feenableexcept fedisableexcept fegetenv fesetenv feholdexcept feupdateenv "
      "fesetmode fegetmode __builtin_fesetround __builtin_flt_rounds __builtin_set_flt_rounds "
      "__builtin_fegetround __builtin_feclearexcept __builtin_feraiseexcept _MM_SET_ROUNDING_MODE "
      "_mm_setcsr _mm_getcsr __builtin_ia32_ldmxcsr __builtin_ia32_stmxcsr",
      false },
    { "pragmas for the optimiser", "omp optimize push_options FENV_ACCESS FENV_ROUND", false },
};

/* What only interferes with insertions, in the function where it occurs. */
static const Reason insertions[] = {
    /* A block that restores a variable has still changed it between setjmp and longjmp. */
    { "setjmp",
      "setjmp _setjmp sigsetjmp __sigsetjmp longjmp _longjmp siglongjmp __builtin_setjmp "
      "__builtin_longjmp getcontext makecontext swapcontext vfork",
      false },
    { "inline assembly", "asm __asm __asm__", false },
    /* Reading a global directly where a restrict pointer modifies it would be undefined. */
    { "restrict", "restrict __restrict __restrict__", true },
    { "local labels or clean-ups", "__label__ cleanup __cleanup__", false },
};

/* Compilers fold calls of these exactly, while the library may be off in the last digit. */
static const char inexact[] =
    "sin sinf sinl cos cosf cosl tan tanf tanl asin asinf asinl acos acosf acosl atan atanf atanl "
    "atan2 atan2f atan2l sinh sinhf sinhl cosh coshf coshl tanh tanhf tanhl asinh asinhf asinhl "
    "acosh acoshf acoshl atanh atanhf atanhl exp expf expl exp2 exp2f exp2l exp10 exp10f exp10l "
    "pow10 pow10f pow10l expm1 expm1f expm1l log logf logl log2 log2f log2l log10 log10f log10l "
    "log1p log1pf log1pl pow powf powl cbrt cbrtf cbrtl hypot hypotf hypotl erf erff erfl erfc "
    "erfcf erfcl tgamma tgammaf tgammal lgamma lgammaf lgammal gamma gammaf gammal sincos sincosf "
    "sincosl j0 j0f j0l j1 j1f j1l jn jnf jnl y0 y0f y0l y1 y1f y1l yn ynf ynl";

/* Attributes that say nothing about what a function's body may do, and names of their vendors. */
static const char harmless[] =
    "noinline noclone noipa used unused maybe_unused packed aligned always_inline cold hot "
    "deprecated format format_arg fallthrough nodiscard warn_unused_result noplt "
    "no_icf "
    "no_reorder externally_visible nonstring sentinel visibility section weak may_alias gnu_inline "
    "artificial flatten noreturn optimize optnone nodebug no_instrument_function gnu clang likely "
    "unlikely vector_size common nocommon error warning constructor destructor no_split_stack";

static bool listed(const char *words, Str word) {
    Str rest = str_from(words), entry;
    while (str_split(&rest, ' ', &entry)) {
        if (entry.len == 0) continue;
        if (entry.at[entry.len - 1] == '*') {
            entry.len--;
            if (word.len >= entry.len && str_eq(str_sub(word, 0, entry.len), entry)) return true;
        } else if (str_eq(entry, word))
            return true;
    }
    return false;
}

/* "__noinline__" is "noinline". */
static Str plain_name(Str word) {
    bool marked = word.len > 4 && str_starts(word, "__") && str_ends(word, "__");
    return marked ? str_sub(word, 2, word.len - 2) : word;
}

/* The bracket of an attribute is at `open`. Every name inside the next one must be harmless; what
 * is in brackets of its own is an argument. */
static bool attribute_fits(Str text, uint32_t open, Str *bad) {
    uint32_t end = lex_match(text, open, (uint32_t)text.len);
    unsigned depth = 0;
    if (end == UINT32_MAX) return true;
    for (CTok t = lex_next(text, open + 1, end); t.kind != CTK_END;
         t = lex_next(text, t.range.to, end)) {
        if (lex_is(text, t, "(") || lex_is(text, t, "[")) depth++;
        if ((lex_is(text, t, ")") || lex_is(text, t, "]")) && depth) depth--;
        if (t.kind != CTK_IDENT || depth != 1) continue;
        *bad = lex_text(text, t);
        if (!listed(harmless, plain_name(*bad))) return false;
    }
    return true;
}

static bool directive_fits(Str text) {
    return str_find(text, STR("omp"), 0) == STR_NONE &&
           str_find(text, STR("optimize"), 0) == STR_NONE &&
           str_find(text, STR("push_options"), 0) == STR_NONE &&
           str_find(text, STR("STDC"), 0) == STR_NONE;
}

/* Does the program have a function of that name itself? */
static bool defines(Str text, Str name) {
    uint32_t end = (uint32_t)text.len;
    for (CTok t = lex_next(text, 0, end); t.kind != CTK_END; t = lex_next(text, t.range.to, end)) {
        CTok open = lex_next(text, t.range.to, end);
        if (t.kind != CTK_IDENT || !str_eq(lex_text(text, t), name) || !lex_is(text, open, "("))
            continue;
        uint32_t close = lex_match(text, open.range.from, end);
        if (close != UINT32_MAX && lex_is(text, lex_next(text, close + 1, end), "{")) return true;
    }
    return false;
}

/* A call, not a declaration: an operator, a bracket, `return` or `else` comes before the name. */
static bool is_call(Str text, CTok before, CTok name) {
    CTok open = lex_next(text, name.range.to, (uint32_t)text.len);
    bool behind_name = before.kind == CTK_IDENT && !lex_is(text, before, "return") &&
                       !lex_is(text, before, "else");
    return lex_is(text, open, "(") && !behind_name;
}

static bool is_inexact(Str text, CTok before, CTok t) {
    Str word = lex_text(text, t);
    if (str_starts(word, "__builtin_")) word = str_sub(word, 10, word.len);
    return listed(inexact, word) && is_call(text, before, t) && !defines(text, word);
}

/* The reason in a table that has the word; NULL: none. */
static const Reason *reason_of(const Reason *table, size_t n, Str word) {
    for (size_t i = 0; i < n; i++)
        if (listed(table[i].words, word)) return &table[i];
    return NULL;
}

/* ---- what a program prints ---- */
static bool output_fits(Str text, CTok before, CTok t, Error *err) {
    Str word = lex_text(text, t);
    if (t.kind == CTK_DIRECTIVE)
        return directive_fits(word) || err_set(err, STATUS_NO, "pragmas for the optimiser");
    if (t.kind != CTK_IDENT) return true;
    const Reason *reason = reason_of(outputs, COUNT_OF(outputs), word);
    if (reason) return err_set(err, STATUS_NO, "%s (" STR_FMT ")", reason->why, STR_ARG(word));
    if (is_inexact(text, before, t))
        return err_set(err, STATUS_NO, "the last digit of " STR_FMT, STR_ARG(word));
    return true;
}

bool fitness_of_seed(Str text, Error *why) {
    uint32_t end = (uint32_t)text.len;
    CTok before = { 0 };
    for (CTok t = lex_next(text, 0, end); t.kind != CTK_END; t = lex_next(text, t.range.to, end)) {
        if (!output_fits(text, before, t, why)) return false;
        before = t;
    }
    return true;
}

/* ---- what may be inserted ---- */
typedef struct Fitness {
    const CUnit *unit;
    bool *refused;
    Error why; /* the first reason of any function */
} Fitness;

/* A function and everything it may call; a call through a pointer may reach any whose address is
 * taken. */
static void refuse_callees(Fitness *f, const CFunction *function) {
    f->refused[function->index] = true;
    for (uint32_t i = 0; i < function->n_exprs; i++) {
        const CExpr *e = function->exprs[i];
        if (e->kind != CE_CALL) continue;
        const CFunction *to = e->decl ? e->decl->first->function : NULL;
        if (to && !f->refused[to->index]) refuse_callees(f, to);
        for (uint32_t k = 0; !e->decl && k < f->unit->n_functions; k++) {
            const CFunction *any = f->unit->functions[k];
            if ((any->flags & CFN_ADDRESS) && !f->refused[any->index]) refuse_callees(f, any);
        }
    }
}

/* The function that has the byte, in its attributes, head or body. */
static const CFunction *function_at(const CUnit *unit, uint32_t at) {
    for (uint32_t i = 0; i < unit->n_functions; i++) {
        const CFunction *f = unit->functions[i];
        if (at < f->range.to && at >= lex_attributes(unit->text, f->range.from)) return f;
    }
    return NULL;
}

/* The byte is in a prototype: *function is what it declares, NULL for a library function. */
static bool prototype_at(const CUnit *unit, uint32_t at, const CFunction **function) {
    for (uint32_t i = 0; i < unit->n_groups; i++) {
        const CDeclGroup *g = unit->groups[i];
        if (at >= g->range.to || at < lex_attributes(unit->text, g->range.from)) continue;
        if (g->n_decls != 1 || g->decls[0]->kind != CD_FUNCTION) continue;
        *function = g->decls[0]->first->function;
        return true;
    }
    return false;
}

/* False: the byte is not in any function, so the whole program is refused. */
static bool refuse_at(Fitness *f, uint32_t at, bool promise, const char *why, Str word) {
    const CFunction *function = function_at(f->unit, at);
    if (!function && prototype_at(f->unit, at, &function) && !function) return true;
    if (!f->why.status) err_set(&f->why, STATUS_NO, "%s (" STR_FMT ")", why, STR_ARG(word));
    if (!function) return false;
    if (promise)
        refuse_callees(f, function);
    else
        f->refused[function->index] = true;
    return true;
}

/* __attribute__((..)) and [[..]]. */
static bool attributes_fit(Fitness *f, CTok t) {
    Str text = f->unit->text, word = lex_text(text, t), bad;
    CTok next = lex_next(text, t.range.to, (uint32_t)text.len);
    bool gnu = str_is(word, "__attribute__") || str_is(word, "__attribute");
    if (!(gnu ? lex_is(text, next, "(") : lex_is(text, t, "[") && lex_is(text, next, "[")))
        return true;
    return attribute_fits(text, gnu ? next.range.from : t.range.from, &bad) ||
           refuse_at(f, t.range.from, true, "attribute", bad);
}

static bool insertions_fit(Fitness *f) {
    Str text = f->unit->text;
    uint32_t end = (uint32_t)text.len;
    for (CTok t = lex_next(text, 0, end); t.kind != CTK_END; t = lex_next(text, t.range.to, end)) {
        Str word = lex_text(text, t);
        const Reason *reason =
            t.kind == CTK_IDENT ? reason_of(insertions, COUNT_OF(insertions), word) : NULL;
        if (reason && !refuse_at(f, t.range.from, reason->promise, reason->why, word)) return false;
        if (!attributes_fit(f, t)) return false;
    }
    return true;
}

bool fitness_check(const CUnit *unit, Arena *arena, bool **refused, Error *err) {
    Fitness f = { .unit = unit, .refused = ARENA_ARRAY(arena, bool, unit->n_functions + 1) };
    Error why = { 0 };
    *refused = f.refused;
    if (!unit->main) return err_set(err, STATUS_NO, "%s: no main function", unit->name);
    bool any = fitness_of_seed(unit->text, &why) && insertions_fit(&f);
    for (uint32_t i = 0, left = 0; any && i < unit->n_functions; i++) {
        left += !f.refused[i];
        if (i + 1 == unit->n_functions) any = left > 0;
    }
    return any || err_set(err, STATUS_NO, "%s: not mutated: %s", unit->name,
                          why.status ? why.text : f.why.text);
}
