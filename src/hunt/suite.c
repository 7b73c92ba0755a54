/* Directives of GCC's and clang's tests; see suite.h. A directive is on one line, in braces, with
 * words as in Tcl: bare, "quoted" or { braced }. What is not understood makes a program unfit or
 * unrun, with that as the reason: one program less costs nothing. */
#include "hunt/suite.h"

#include "base/file.h"
#include "hunt/meaning.h"
#include "hunt/selector.h"

enum { WORDS_MOST = 8 };

typedef struct SuiteDirective {
    Str name; /* "dg-do" */
    Str words[WORDS_MOST];
    size_t n;
} SuiteDirective;

typedef struct SuiteReading {
    Arena *arena;
    SuiteNote *note;
    const char *target; /* as in suite_read */
    bool any;           /* a directive was seen */
} SuiteReading;

/* The first reason is kept. */
static void set_reason(SuiteReading *r, const char **where, const char *why, Str what) {
    if (*where) return;
    *where = arena_fmt(r->arena, "%s%s" STR_FMT, why, what.len ? " " : "", STR_ARG(what));
}
static void unfit(SuiteReading *r, const char *why, Str what) {
    set_reason(r, &r->note->unfit, why, what);
}
static void unrun(SuiteReading *r, const char *why, Str what) {
    set_reason(r, &r->note->unrun, why, what);
}

/* ---- words ---- */
static bool next_word(Str *rest, Str *word) {
    *rest = str_trim(*rest);
    if (!rest->len) return false;
    char open = rest->at[0];
    size_t i = 0, depth = 0;
    if (open == '"') {
        for (i = 1; i < rest->len && rest->at[i] != '"'; i++) i += rest->at[i] == '\\';
    } else if (open == '{') {
        for (; i < rest->len; i++) {
            depth += rest->at[i] == '{';
            if (rest->at[i] == '}' && --depth == 0) break;
        }
    } else {
        while (i < rest->len && rest->at[i] != ' ' && rest->at[i] != '\t') i++;
        *word = str_sub(*rest, 0, i);
        *rest = str_sub(*rest, i, rest->len);
        return true;
    }
    if (i > rest->len) i = rest->len;
    *word = str_sub(*rest, 1, i);
    *rest = str_sub(*rest, i < rest->len ? i + 1 : i, rest->len);
    return true;
}

/* ---- options ---- */
/* Older compilers know C23 by the name it had while it was made, and newer ones still do. */
static Str known_dialect(Str option) {
    if (str_is(option, "-std=c23") || str_is(option, "-std=iso9899:2024")) return STR("-std=c2x");
    return str_is(option, "-std=gnu23") ? STR("-std=gnu2x") : option;
}

static void keep_flag(SuiteReading *r, Str option) {
    option = known_dialect(option);
    vec_push(&r->note->flags, arena_str(r->arena, option));
}

static void read_options(SuiteReading *r, Str text) {
    Str rest = text, option, skipped;
    while (next_word(&rest, &option)) {
        if (option.len < 2 || option.at[0] != '-') continue;
        for (unsigned n = option_words(option); n > 0 && next_word(&rest, &skipped); n--)
            if (str_is(option, "-D"))
                option = str_from(arena_fmt(r->arena, "-D" STR_FMT, STR_ARG(skipped)));
        OptionUse use = option_use(option);
        bool machine = option.at[1] == 'm' && !str_is(option, "-mllvm");
        if (machine && use != OPTION_UNFIT)
            vec_push(&r->note->machine, arena_str(r->arena, option));
        switch (use) {
        case OPTION_GOES: break;
        case OPTION_STAYS: keep_flag(r, option); break;
        case OPTION_UNRUN:
            unrun(r, "asks for", option);
            if (!machine) keep_flag(r, option);
            break;
        case OPTION_UNFIT: unfit(r, "asks for", option); break;
        case OPTION_COMPILE: r->note->wish = SUITE_COMPILE; break;
        }
    }
}

/* ---- DejaGnu ---- */
/* `target ..` among the words: does this machine match? Without it: yes. */
static Selected selected(const SuiteReading *r, const SuiteDirective *d, const char *kind) {
    for (size_t i = 0; i < d->n; i++) {
        Str rest = d->words[i], first;
        if (next_word(&rest, &first) && str_is(first, kind))
            return selector_matches(rest, r->target);
    }
    return strcmp(kind, "target") == 0 ? SELECTED_YES : SELECTED_NO;
}

static void do_do(SuiteReading *r, const SuiteDirective *d) {
    Str what = d->n ? d->words[0] : STR("");
    bool run = str_is(what, "run");
    r->note->wish = run ? SUITE_RUN : SUITE_COMPILE;
    if (selected(r, d, "target") != SELECTED_YES) unfit(r, "for another target:", d->words[1]);
    if (run && selected(r, d, "xfail") != SELECTED_NO) unrun(r, "expected to fail", STR(""));
}

static void do_options(SuiteReading *r, const SuiteDirective *d) {
    Selected for_us = selected(r, d, "target");
    if (for_us == SELECTED_YES) read_options(r, d->n ? d->words[0] : STR(""));
    if (for_us == SELECTED_UNKNOWN) unrun(r, "options for", d->words[d->n - 1]);
}

static void do_effective(SuiteReading *r, const SuiteDirective *d) {
    Str what = d->n ? d->words[0] : STR("");
    if (selected(r, d, "target") == SELECTED_NO) return;
    if (str_starts(what, "fenv") || str_is(what, "trapping"))
        unrun(r, "the floating environment:", what);
    else if (selector_word(what, r->target) != SELECTED_YES)
        unfit(r, "requires", what);
}

/* dg-require-alias "" and the like: Linux with GNU tools has these. */
static void do_require(SuiteReading *r, const SuiteDirective *d) {
    static const char there[] = " alias visibility weak weak-override ifunc named-sections "
                                "gc-sections stack-size iconv ascii-locale string gnu-uninit ";
    Str what = str_sub(d->name, 11, d->name.len);
    Str padded = str_from(arena_fmt(r->arena, " " STR_FMT " ", STR_ARG(what)));
    if (str_find(str_from(there), padded, 0) == STR_NONE) unfit(r, "requires", what);
}

static bool names_level(Str options, const char *const *levels, SuiteReading *r) {
    bool any = false;
    for (; *levels; levels++)
        if (str_find(options, str_from(arena_fmt(r->arena, "\"%s\"", *levels)), 0) != STR_NONE) {
            vec_push(&r->note->without, str_from(*levels));
            any = true;
        }
    return any;
}

/* dg-skip-if COMMENT SELECTOR [INCLUDE [EXCLUDE]]: options with which it is skipped, and
 * exceptions. */
static void do_skip(SuiteReading *r, const SuiteDirective *d) {
    static const char *const levels[] = { "-O0", "-O1", "-O2", "-O3", "-Os", "-Og", NULL };
    Selected here = d->n > 1 ? selector_matches(d->words[1], r->target) : SELECTED_YES;
    Str options = d->n > 2 ? d->words[2] : STR("");
    if (here == SELECTED_NO) return;
    Str quoted = str_from(arena_fmt(r->arena, "\"" STR_FMT "\"", STR_ARG(options)));
    if (names_level(options, levels, r) || names_level(quoted, levels, r)) return;
    bool all = d->n < 3 || str_is(str_trim(options), "*") || str_is(str_trim(options), "\"*\"");
    if (all) unfit(r, "skipped by its suite:", d->words[0]);
}

static void do_xfail(SuiteReading *r, const SuiteDirective *d) {
    if (d->n < 2 || selector_matches(d->words[1], r->target) != SELECTED_NO)
        unrun(r, "expected to fail:", d->n ? d->words[0] : STR(""));
}

static void do_error(SuiteReading *r, const SuiteDirective *d) {
    if (selected(r, d, "target") != SELECTED_NO) unfit(r, "meant to be refused by", d->name);
}

static void do_files(SuiteReading *r, const SuiteDirective *d) {
    unfit(r, "has more than one file:", d->name);
}

static void do_fails(SuiteReading *r, const SuiteDirective *d) {
    unrun(r, "meant to fail", d->name);
}

static const struct {
    const char *name;
    void (*act)(SuiteReading *, const SuiteDirective *);
} directives[] = {
    { "dg-do", do_do },
    { "dg-options", do_options },
    { "dg-additional-options", do_options },
    { "dg-require-effective-target", do_effective },
    { "dg-skip-if", do_skip },
    { "dg-xfail-if", do_xfail },
    { "dg-xfail-run-if", do_xfail },
    { "dg-error", do_error },
    { "dg-excess-errors", do_error },
    { "dg-additional-sources", do_files },
    { "dg-additional-files", do_files },
    { "dg-lto-do", do_files },
    { "dg-final-use", do_files },
    { "dg-shouldfail", do_fails },
    { "dg-set-target-env-var", do_fails },
};

static void act(SuiteReading *r, const SuiteDirective *d) {
    r->any = true;
    for (size_t i = 0; i < COUNT_OF(directives); i++)
        if (str_is(d->name, directives[i].name)) {
            directives[i].act(r, d);
            return;
        }
    if (str_starts(d->name, "dg-require-")) do_require(r, d);
}

/* All `{ dg-.. }` of one line. */
static void read_line(SuiteReading *r, Str line) {
    size_t at = 0;
    while ((at = str_find(line, STR("dg-"), at)) != STR_NONE) {
        size_t open = at;
        while (open > 0 && (line.at[open - 1] == ' ' || line.at[open - 1] == '\t')) open--;
        if (open == 0 || line.at[open - 1] != '{') {
            at += 3;
            continue;
        }
        Str rest = str_sub(line, open - 1, line.len), inside;
        next_word(&rest, &inside);
        SuiteDirective d = { 0 };
        next_word(&inside, &d.name);
        while (d.n < WORDS_MOST && next_word(&inside, &d.words[d.n])) d.n++;
        act(r, &d);
        at = line.len - rest.len;
    }
}

/* ---- clang's tests ---- */
static bool our_target(const SuiteReading *r, Str triple) {
    Str arch = { r->target ? r->target : "x86_64", 0 };
    arch.len = strcspn(arch.at, "-");
    return triple.len >= arch.len && str_eq(str_sub(triple, 0, arch.len), arch) &&
           str_find(triple, STR("linux"), 0) != STR_NONE;
}

/* The options of the first RUN line that compiles for this machine. */
static bool read_run(SuiteReading *r, Str line) {
    size_t at = str_find(line, STR("RUN:"), 0), tool = str_find(line, STR("%clang"), 0);
    if (at == STR_NONE || tool == STR_NONE || tool < at) return false;
    r->any = true;
    Str before = str_trim(str_sub(line, at + 4, tool)), rest = str_sub(line, tool, line.len), word;
    if (str_starts(before, "not")) unfit(r, "meant to be refused by RUN:", before);
    Buf options = { 0 };
    bool ours = true;
    next_word(&rest, &word); /* %clang_cc1 */
    while (ours && next_word(&rest, &word)) {
        char c = word.at[0];
        if (c == '|' || c == '>' || c == ';' || c == '&') break;
        bool triple = str_is(word, "-triple") || str_is(word, "-target");
        if (triple && next_word(&rest, &word)) ours = our_target(r, word);
        if (str_starts(word, "--target=")) ours = our_target(r, str_sub(word, 9, word.len));
        if (!triple && !str_starts(word, "-verify")) buf_fmt(&options, STR_FMT " ", STR_ARG(word));
    }
    if (ours) read_options(r, arena_str(r->arena, buf_view(&options)));
    buf_release(&options);
    return ours;
}

static void read_clang(SuiteReading *r, Str text) {
    Str rest = text, line;
    bool seen = false, ours = false;
    while (!ours && str_split(&rest, '\n', &line))
        if (str_find(line, STR("RUN:"), 0) != STR_NONE) {
            seen |= str_find(line, STR("%clang"), 0) != STR_NONE;
            ours = read_run(r, line);
        }
    if (!seen) return;
    r->note->wish = SUITE_COMPILE;
    if (!ours) unfit(r, "for another target", STR(""));
    size_t at = str_find(text, STR("expected-error"), 0);
    if (at != STR_NONE) unfit(r, "meant to be refused by", STR("expected-error"));
}

/* ---- a whole program ---- */
/* What the suite does with a program that does not say. */
static SuiteWish wish_of_place(const char *path, bool any) {
    if (strstr(path, "c-torture/execute") || strstr(path, "/vect/")) return SUITE_RUN;
    return any ? SUITE_COMPILE : SUITE_UNSAID;
}

void suite_read(Arena *arena, const char *path, Str text, const char *target, SuiteNote *note) {
    *note = (SuiteNote){ .wish = SUITE_UNSAID };
    SuiteReading r = { .arena = arena, .note = note, .target = target };
    Str rest = text, line;
    while (str_split(&rest, '\n', &line)) read_line(&r, line);
    if (!r.any) read_clang(&r, text);
    if (note->wish == SUITE_UNSAID) note->wish = wish_of_place(path, r.any);
    Str name = str_from(path);
    if (!str_ends(name, ".c")) return;
    const char *script = arena_fmt(arena, "%.*sx", (int)(name.len - 1), path);
    if (file_exists(script)) unfit(&r, "has a script of its own", STR(""));
}

void suite_release(SuiteNote *note) {
    vec_release(&note->flags);
    vec_release(&note->machine);
    vec_release(&note->without);
}
