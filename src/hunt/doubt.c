/* Failures that leave room for doubt; see doubt.h. */
#include "hunt/doubt.h"

#include "cc/freedom.h"
#include "cfront/lex.h"

/* What optimisers may take for granted, and the switch that takes it away. */
static const struct {
    const char *flag, *rule;
} rules[] = {
    { "-fwrapv", "signed overflow" },
    { "-fno-strict-aliasing", "types of accesses" },
    { "-frounding-math", "the rounding mode" },
    { "-ffp-contract=off", "fused arithmetic" },
    { "-fno-builtin", "functions of the library" },
    { "-fno-delete-null-pointer-checks", "null pointers" },
    { "-ftrivial-auto-var-init=zero", "uninitialised variables" },
};

typedef struct DoubtQuestion {
    Arena *arena;
    const HuntSetup *setup;
    Pool *pool;
    const HuntProgram *subject;
} DoubtQuestion;

static VerdictKind ask(const DoubtQuestion *q, const Compiler *cc, const char *const *flags) {
    TrialCell cell = { .flags = flags, .until = CC_UNTIL_RUN };
    CcJob job;
    trial_one(&job, q->setup, q->pool, q->subject, &cell, cc);
    VerdictKind kind = job.verdict.kind;
    cc_job_end(&job);
    return kind;
}

/* The flags with which it fails as well; NULL: it does not. */
static const char *const *also_fails(const DoubtQuestion *q, const Compiler *cc,
                                     const char *level) {
    const char *const levels[] = { level, strcmp(level, "-O2") == 0 ? NULL : "-O2", NULL };
    for (size_t i = 0; levels[i] && cc; i++) {
        const char *const *flags = level_flags(q->arena, cc, levels[i]);
        if (ask(q, cc, flags) == VERDICT_WRONG) return flags;
    }
    return NULL;
}

static Verification look_further(const DoubtQuestion *q, const Compiler *cc,
                                 const char *const *cc_flags, const Compiler *other,
                                 const char *const *other_flags) {
    for (size_t i = 0; i < COUNT_OF(rules) && !run_interrupted(); i++) {
        const char *const more[] = { rules[i].flag, NULL };
        if (ask(q, cc, flags_plus(q->arena, cc_flags, more)) == VERDICT_OK &&
            ask(q, other, flags_plus(q->arena, other_flags, more)) == VERDICT_OK)
            return (Verification){ RULED_PROGRAM,
                                   arena_fmt(
                                       q->arena,
                                       "%s and %s fail the same way and pass with %s: it seems to "
                                       "break the rules about %s",
                                       cc->name, other->name, rules[i].flag, rules[i].rule) };
    }
    return (Verification){ RULED_UNCONFIRMED,
                           arena_fmt(q->arena,
                                     "%s fails the same way, though it shares no code with %s",
                                     other->name, cc->name) };
}

Verification doubt_shared(Arena *arena, const HuntSetup *setup, Pool *pool,
                          const HuntProgram *subject, const Failure *failure) {
    static const CcKind kinds[] = { CC_GCC, CC_CLANG };
    DoubtQuestion q = { arena, setup, pool, subject };
    const Compiler *cc = &setup->compilers.at[failure->cell.compiler];
    const char *level = failure->cell.flags[0];
    bool leveled = level && strncmp(level, "-O", 2) == 0;
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        bool related = cc->kind == kinds[k] || (cc->kind == CC_CC1 && kinds[k] == CC_GCC);
        const Compiler *other = related ? NULL : compilers_newest(&setup->installed, kinds[k]);
        const char *const *flags = also_fails(&q, other, leveled ? level : "-O2");
        if (flags) return look_further(&q, cc, failure->cell.flags, other, flags);
    }
    return (Verification){ RULED_BUG, NULL };
}

/* ---- freedoms ---- */
static VerdictKind ask_text(void *user, const Compiler *cc, const char *const *flags, Str text) {
    const DoubtQuestion *q = user;
    HuntProgram other = *q->subject;
    DoubtQuestion about = { q->arena, q->setup, q->pool, &other };
    other.text = text;
    return ask(&about, cc, flags);
}

Verification doubt_freedom(Arena *arena, const HuntSetup *setup, Pool *pool,
                           const HuntProgram *subject, const Failure *failure) {
    DoubtQuestion q = { arena, setup, pool, subject };
    const Compiler *cc = &setup->compilers.at[failure->cell.compiler];
    const Compiler *plain = compilers_newest(&setup->installed, CC_GCC);
    FreedomQuestion question = { subject->text,      cc,       failure->cell.flags,
                                 plain ? plain : cc, ask_text, &q };
    const char *why = freedom_used(arena, &question);
    return (Verification){ why ? RULED_UNCONFIRMED : RULED_BUG, why };
}

/* ---- refusals ---- */
static bool has_dialect(const char *const *flags) {
    for (; flags && *flags; flags++)
        if (strncmp(*flags, "-std=", 5) == 0 || strcmp(*flags, "-ansi") == 0) return true;
    return false;
}

Verification doubt_refusal(Arena *arena, const HuntSetup *setup, Pool *pool,
                           const HuntProgram *subject, const Failure *failure) {
    static const char *const dialect[] = { "-std=gnu17", NULL };
    DoubtQuestion q = { arena, setup, pool, subject };
    const Compiler *cc = &setup->compilers.at[failure->cell.compiler];
    const char *const *flags = failure->cell.flags;
    if (!has_dialect(subject->flags) &&
        ask(&q, cc, flags_plus(arena, flags, dialect)) == VERDICT_OK)
        return (Verification){ RULED_PROGRAM, "it is refused in the newest dialect alone" };
    for (size_t i = 0; i < setup->installed.len && !run_interrupted(); i++) {
        const Compiler *other = &setup->installed.at[i];
        if (other->kind != cc->kind || strcmp(other->path, cc->path) == 0) continue;
        if (other->major > cc->major) continue; /* it may know what came later */
        if (ask(&q, other, flags) == VERDICT_OK) return (Verification){ RULED_BUG, NULL };
    }
    return (Verification){ RULED_UNCONFIRMED,
                           arena_fmt(arena,
                                     "no compiler of %s's kind that is not newer accepts it: it "
                                     "may not be valid, or use what came later",
                                     cc->name) };
}

/* ---- promises ---- */
static const char promises[] =
    " pure const malloc nonnull returns_nonnull alloc_size alloc_align assume_aligned leaf "
    "noreturn "
    "nothrow returns_twice __pure__ __const__ __malloc__ __nonnull__ __returns_nonnull__ "
    "__alloc_size__ __assume_aligned__ __leaf__ __noreturn__ __nothrow__ access __access__ "
    "fn_spec ";
static const char unseen[] =
    " asm __asm __asm__ setjmp _setjmp sigsetjmp __sigsetjmp __builtin_setjmp longjmp _longjmp "
    "siglongjmp __builtin_longjmp ";

static bool is_one_of(const char *list, Str word) {
    size_t at = 0;
    Str all = str_from(list);
    while ((at = str_find(all, word, at)) != STR_NONE) {
        if (at > 0 && list[at - 1] == ' ' && list[at + word.len] == ' ') return true;
        at++;
    }
    return false;
}

static bool is_restrict(Str word) {
    return str_is(word, "restrict") || str_is(word, "__restrict") || str_is(word, "__restrict__");
}

/* Does the attribute after `at` promise something? *end: where it ends. */
static bool promises_something(Str text, uint32_t at, uint32_t *end) {
    uint32_t last = (uint32_t)text.len;
    CTok open = lex_next(text, at, last);
    *end = lex_is(text, open, "(") ? lex_match(text, open.range.from, last) : UINT32_MAX;
    if (*end == UINT32_MAX) return false;
    for (CTok t = lex_next(text, open.range.to, *end); t.kind != CTK_END;
         t = lex_next(text, t.range.to, *end))
        if (t.kind == CTK_IDENT && is_one_of(promises, lex_text(text, t))) return true;
    return false;
}

/* The text with its promises blanked out; false: there are none. */
static bool without_promises(Str text, Buf *out) {
    uint32_t end = (uint32_t)text.len, to;
    bool any = false;
    buf_str(out, text);
    for (CTok t = lex_next(text, 0, end); t.kind != CTK_END; t = lex_next(text, t.range.to, end)) {
        if (t.kind != CTK_IDENT) continue;
        Str word = lex_text(text, t);
        bool attribute = str_is(word, "__attribute__") || str_is(word, "__attribute");
        to = t.range.to;
        if (attribute ? !promises_something(text, t.range.to, &to) : !is_restrict(word)) continue;
        to += attribute; /* lex_match gives the place of the bracket itself */
        memset(out->at + t.range.from, ' ', to - t.range.from);
        any = true;
    }
    return any;
}

static bool has_unseen(Str text, Str *word) {
    uint32_t end = (uint32_t)text.len;
    for (CTok t = lex_next(text, 0, end); t.kind != CTK_END; t = lex_next(text, t.range.to, end)) {
        *word = lex_text(text, t);
        if (t.kind == CTK_IDENT && is_one_of(unseen, *word)) return true;
    }
    return false;
}

Verification doubt_promises(Arena *arena, const HuntSetup *setup, Pool *pool,
                            const HuntProgram *subject, const Failure *failure) {
    Str word;
    Verification none = { RULED_BUG, NULL };
    if (has_unseen(subject->text, &word))
        return (
            Verification){ RULED_UNCONFIRMED,
                           arena_fmt(arena, "no check covers its use of " STR_FMT, STR_ARG(word)) };
    Buf text = { 0 };
    bool cured = false;
    if (without_promises(subject->text, &text)) {
        HuntProgram plain = *subject;
        plain.text = buf_view(&text);
        CcJob job;
        trial_one(&job, setup, pool, &plain, &failure->cell, NULL);
        cured = job.verdict.kind == VERDICT_OK;
        cc_job_end(&job);
    }
    buf_release(&text);
    return cured ? (Verification){ RULED_UNCONFIRMED,
                                   "it passes without its restrict and attributes that promise "
                                   "something, which no check covers" }
                 : none;
}
