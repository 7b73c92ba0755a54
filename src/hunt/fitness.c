/* Which programs may be mutated; see fitness.h. Decided on tokens: a name that merely occurs is
 * reason enough, since refusing a seed costs nothing and a false alarm costs trust. */
#include "hunt/fitness.h"

#include "cfront/lex.h"

typedef struct Reason {
    const char *why;
    const char *words; /* separated by blanks; one that ends in * is a prefix */
} Reason;

static const Reason reasons[] = {
    /* A block that restores a variable still changed it between setjmp and longjmp. */
    { "setjmp", "setjmp _setjmp sigsetjmp __sigsetjmp longjmp _longjmp siglongjmp __builtin_setjmp "
                "__builtin_longjmp getcontext makecontext swapcontext vfork" },
    /* Handlers and threads see the moment in which a variable is changed. */
    { "signal handlers, threads or processes",
      "signal sigaction alarm setitimer raise kill pthread_* thrd_create fork clone" },
    { "inline assembly", "asm __asm __asm__" },
    /* Reading a global directly where a restrict pointer modifies it would be undefined. */
    { "restrict", "restrict __restrict __restrict__" },
    /* Their answers depend on what the optimiser can see. */
    { "questions to the optimiser",
      "__builtin_constant_p __builtin_object_size __builtin_dynamic_object_size "
      "__builtin_return_address __builtin_frame_address __builtin_LINE backtrace" },
    { "local labels, clean-ups or vectors", "__label__ cleanup __cleanup__ vector_size "
                                            "__vector_size__ __int128 __BitInt _BitInt" },
    { "pragmas for the optimiser", "omp optimize push_options FENV_ACCESS" },
};

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
           str_find(text, STR("FENV"), 0) == STR_NONE;
}

static bool token_fits(const CUnit *unit, CTok t, Error *err) {
    Str word = lex_text(unit->text, t), bad;
    if (t.kind == CTK_DIRECTIVE)
        return directive_fits(word) ||
               err_set(err, STATUS_NO, "%s: not mutated: pragmas for the optimiser", unit->name);
    if (t.kind != CTK_IDENT) return true;
    for (size_t i = 0; i < COUNT_OF(reasons); i++)
        if (listed(reasons[i].words, word))
            return err_set(err, STATUS_NO, "%s: not mutated: %s (" STR_FMT ")", unit->name,
                           reasons[i].why, STR_ARG(word));
    if (str_is(word, "__attribute__") || str_is(word, "__attribute"))
        if (!attribute_fits(unit->text, t.range.to, &bad))
            return err_set(err, STATUS_NO, "%s: not mutated: attribute " STR_FMT, unit->name,
                           STR_ARG(bad));
    return true;
}

bool fitness_check(const CUnit *unit, Error *err) {
    if (!unit->main) return err_set(err, STATUS_NO, "%s: no main function", unit->name);
    uint32_t end = (uint32_t)unit->text.len;
    for (CTok t = lex_next(unit->text, 0, end); t.kind != CTK_END;
         t = lex_next(unit->text, t.range.to, end))
        if (!token_fits(unit, t, err)) return false;
    return true;
}
