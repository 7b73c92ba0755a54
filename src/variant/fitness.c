/* Which programs may be mutated; see fitness.h. Decided on tokens: a name that merely occurs is
 * reason enough, since refusing a seed costs nothing and a false alarm costs trust. */
#include "variant/fitness.h"

#include "cfront/lex.h"

typedef struct Reason {
    const char *why;
    const char *words; /* separated by blanks; one that ends in * is a prefix */
} Reason;

/* What a program prints may depend on the optimiser, or on the moment: neither the program itself
 * nor a variant says anything by its output. */
static const Reason outputs[] = {
    /* Handlers and threads see the moment in which a variable is changed. */
    { "signal handlers, threads or processes",
      "signal sigaction alarm setitimer raise kill pthread_* thrd_create fork clone" },
    { "questions to the optimiser",
      "__builtin_constant_p __builtin_object_size __builtin_dynamic_object_size "
      "__builtin_return_address __builtin_frame_address __builtin_LINE backtrace" },
    /* Constants are folded as if rounding were to nearest and nobody read the flags. */
    { "the floating environment",
      "fesetround fegetround feclearexcept feraiseexcept fetestexcept fegetexceptflag "
      "fesetexceptflag feenableexcept fedisableexcept fegetenv fesetenv feholdexcept feupdateenv "
      "fesetmode fegetmode __builtin_fesetround __builtin_flt_rounds __builtin_set_flt_rounds "
      "__builtin_fegetround __builtin_feclearexcept __builtin_feraiseexcept _MM_SET_ROUNDING_MODE "
      "_mm_setcsr _mm_getcsr __builtin_ia32_ldmxcsr __builtin_ia32_stmxcsr" },
    { "pragmas for the optimiser", "omp optimize push_options FENV_ACCESS FENV_ROUND" },
};

/* What disturbs insertions alone. */
static const Reason insertions[] = {
    /* A block that restores a variable still changed it between setjmp and longjmp. */
    { "setjmp", "setjmp _setjmp sigsetjmp __sigsetjmp longjmp _longjmp siglongjmp __builtin_setjmp "
                "__builtin_longjmp getcontext makecontext swapcontext vfork" },
    { "inline assembly", "asm __asm __asm__" },
    /* Reading a global directly where a restrict pointer modifies it would be undefined. */
    { "restrict", "restrict __restrict __restrict__" },
    { "local labels, clean-ups or vectors", "__label__ cleanup __cleanup__ vector_size "
                                            "__vector_size__ __int128 __BitInt _BitInt" },
};

/* Compilers fold calls of them exactly, the library is off in the last digit. */
static const char inexact[] =
    "sin sinf sinl cos cosf cosl tan tanf tanl asin asinf asinl acos acosf acosl atan atanf atanl "
    "atan2 atan2f atan2l sinh sinhf sinhl cosh coshf coshl tanh tanhf tanhl asinh asinhf asinhl "
    "acosh acoshf acoshl atanh atanhf atanhl exp expf expl exp2 exp2f exp2l exp10 exp10f exp10l "
    "pow10 pow10f pow10l expm1 expm1f expm1l log logf logl log2 log2f log2l log10 log10f log10l "
    "log1p log1pf log1pl pow powf powl cbrt cbrtf cbrtl hypot hypotf hypotl erf erff erfl erfc "
    "erfcf erfcl tgamma tgammaf tgammal lgamma lgammaf lgammal gamma gammaf gammal sincos sincosf "
    "sincosl j0 j0f j0l j1 j1f j1l jn jnf jnl y0 y0f y0l y1 y1f y1l yn ynf ynl";

/* Attributes that say nothing about what a function's body may do. */
static const char harmless[] =
    " noinline __noinline__ noclone __noclone__ noipa __noipa__ used __used__ "
    "unused __unused__ noreturn __noreturn__ packed __packed__ aligned "
    "__aligned__ always_inline __always_inline__ ";

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

/* at: behind __attribute__. Every identifier inside must be harmless. */
static bool attribute_fits(Str text, uint32_t at, Str *bad) {
    CTok open = lex_next(text, at, (uint32_t)text.len);
    if (!lex_is(text, open, "(")) return true;
    uint32_t end = lex_match(text, open.range.from, (uint32_t)text.len);
    if (end == UINT32_MAX) return true;
    for (CTok t = lex_next(text, open.range.to, end); t.kind != CTK_END;
         t = lex_next(text, t.range.to, end))
        if (t.kind == CTK_IDENT && !listed(harmless, lex_text(text, t))) {
            *bad = lex_text(text, t);
            return false;
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

/* A call, not a declaration: an operator, a bracket, `return` or `else` stands before the name. */
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

static bool word_fits(const Reason *table, size_t n, Str word, Error *err) {
    for (size_t i = 0; i < n; i++)
        if (listed(table[i].words, word))
            return err_set(err, STATUS_NO, "%s (" STR_FMT ")", table[i].why, STR_ARG(word));
    return true;
}

static bool token_fits(Str text, CTok before, CTok t, bool as_is, Error *err) {
    Str word = lex_text(text, t), bad;
    if (t.kind == CTK_DIRECTIVE)
        return directive_fits(word) || err_set(err, STATUS_NO, "pragmas for the optimiser");
    if (t.kind != CTK_IDENT) return true;
    if (!word_fits(outputs, COUNT_OF(outputs), word, err)) return false;
    if (is_inexact(text, before, t))
        return err_set(err, STATUS_NO, "the last digit of " STR_FMT, STR_ARG(word));
    if (as_is) return true;
    if (!word_fits(insertions, COUNT_OF(insertions), word, err)) return false;
    if (str_is(word, "__attribute__") || str_is(word, "__attribute"))
        if (!attribute_fits(text, t.range.to, &bad))
            return err_set(err, STATUS_NO, "attribute " STR_FMT, STR_ARG(bad));
    return true;
}

static bool tokens_fit(Str text, bool as_is, Error *err) {
    uint32_t end = (uint32_t)text.len;
    CTok before = { 0 };
    for (CTok t = lex_next(text, 0, end); t.kind != CTK_END; t = lex_next(text, t.range.to, end)) {
        if (!token_fits(text, before, t, as_is, err)) return false;
        before = t;
    }
    return true;
}

bool fitness_check(const CUnit *unit, Error *err) {
    Error why = { 0 };
    if (!unit->main) return err_set(err, STATUS_NO, "%s: no main function", unit->name);
    return tokens_fit(unit->text, false, &why) ||
           err_set(err, STATUS_NO, "%s: not mutated: %s", unit->name, why.text);
}

bool fitness_of_seed(Str text, Error *why) {
    return tokens_fit(text, true, why);
}
