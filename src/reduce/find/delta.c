/* See delta.h. Each transformation has numbered instances; clang_delta is asked for each as a
 * complete text. What is not smaller than before is not proposed, so that reduction still ends. */
#include "reduce/find/delta.h"
#include "base/file.h"
#include "reduce/ppr.h"
#include "reduce/reduce_knobs.h"
#include "run/workdir.h"
#include "tree/words.h"
#include <unistd.h>

/* Those that make a program smaller, and do not merely prepare something else. */
typedef struct Transformation {
    const char *name;
    bool cxx; /* of things that C does not have: asking would cost a start of clang_delta each */
} Transformation;

static const Transformation transformations[] = {
    { "remove-unused-function", false },
    { "replace-function-def-with-decl", false },
    { "remove-namespace", true },
    { "class-template-to-class", true },
    { "reduce-class-template-param", true },
    { "instantiate-template-param", true },
    { "instantiate-template-type-param-to-int", true },
    { "template-arg-to-int", true },
    { "template-non-type-arg-to-int", true },
    { "simplify-dependent-typedef", true },
    { "replace-dependent-typedef", true },
    { "replace-dependent-name", true },
    { "simplify-recursive-template-instantiation", true },
    { "remove-base-class", true },
    { "merge-base-class", true },
    { "remove-trivial-base-template", true },
    { "remove-unresolved-base", true },
    { "replace-derived-class", true },
    { "replace-class-with-base-template-spec", true },
    { "simplify-nested-class", true },
    { "remove-unused-outer-class", true },
    { "remove-ctor-initializer", true },
    { "empty-struct-to-int", false },
    { "simplify-struct", false },
    { "remove-unused-field", false },
    { "remove-unused-enum-member", false },
    { "remove-enum-member-value", false },
    { "remove-unused-var", false },
    { "callexpr-to-value", false },
    { "replace-callexpr", false },
    { "simplify-callexpr", false },
    { "simple-inliner", false },
    { "aggregate-to-scalar", false },
    { "remove-array", false },
    { "reduce-array-dim", false },
    { "reduce-array-size", false },
    { "remove-pointer", false },
    { "reduce-pointer-level", false },
    { "remove-addr-taken", false },
    { "copy-propagation", false },
    { "simplify-comma-expr", false },
    { "simplify-if", false },
    { "remove-try-catch", true },
    { "return-void", false },
    { "replace-simple-typedef", false },
    { "replace-one-level-typedef-type", false },
    { "vector-to-array", false },
    { "move-definition-to-declaration", true },
    { "param-to-global", false },
    { "param-to-local", false },
};

typedef struct ClangDelta {
    Reducer *r;
    const char *program, *what; /* clang_delta, the transformation */
    Arena arena;                /* of the pass */
    const char *dir;            /* holds the accepted texts */
    const char *file[SIDES];    /* their names */
    size_t words;               /* of the variant as accepted */
    size_t from, count;         /* the first instance to ask for, and how many there are */
} ClangDelta;

static const char *find_program(void) {
    static const char *const places[] = { "/usr/lib/cvise/clang_delta", "/usr/libexec/clang_delta",
                                          "/usr/lib/creduce/clang_delta" };
    for (size_t i = 0; i < COUNT_OF(places); i++)
        if (access(places[i], X_OK) == 0) return places[i];
    return NULL;
}

static size_t count_words(Str text) {
    size_t words = 0;
    for (size_t at = 0; at < text.len && words_next(text, &at).len;) words++;
    return words;
}

static RunResult ask(Arena *arena, const ClangDelta *d, int side, const char *first,
                     const char *second) {
    const char *argv[6] = { d->program, first };
    size_t n = 2;
    if (second) argv[n++] = second;
    if (str_ends(str_from(d->file[side]), ".cc")) argv[n++] = "--std=c++20";
    argv[n] = d->file[side];
    RunSpec spec = { .argv = argv,
                     .dir = d->dir,
                     .limits = { .wall_s = REDUCE_DELTA_SECONDS, .memory = RUN_UNLIMITED } };
    return run_one(arena, &spec);
}

/* How many instances the transformation has in the variant. */
static size_t count_instances(ClangDelta *d) {
    const char *query = arena_fmt(&d->arena, "--query-instances=%s", d->what);
    RunResult said = ask(&d->arena, d, VARIANT, query, NULL);
    static const char before[] = "instances: ";
    size_t at = str_find(said.out, str_from(before), 0);
    uint64_t n = 0;
    if (at == STR_NONE) return 0;
    Str rest = str_trim(str_sub(said.out, at + sizeof before - 1, said.out.len)), line;
    if (!str_split(&rest, '\n', &line) || !str_to_u64(str_trim(line), &n)) return 0;
    return (size_t)n;
}

static bool is_smaller(const ClangDelta *d, Str text) {
    size_t words = count_words(text);
    size_t len = doc_text(&d->r->side[VARIANT].doc).len;
    return text.len && (words < d->words || (words == d->words && text.len < len));
}

static bool propose_instance(void *user, size_t i, Candidate *c) {
    ClangDelta *d = user;
    if (d->from + i >= d->count) return false;
    const char *what = arena_fmt(&c->arena, "--transformation=%s", d->what);
    const char *which = arena_fmt(&c->arena, "--counter=%zu", d->from + i + 1);
    for (int s = SIDES - 1; s >= 0; s--) {
        if (!d->r->side[s].on) continue;
        RunResult made = ask(&c->arena, d, s, what, which);
        if (!run_ok(&made) || (s == VARIANT && !is_smaller(d, made.out))) return true;
        doc_replace(&d->r->side[s].doc, &c->arena, made.out, &c->side[s]);
    }
    return true;
}

/* Writes what is accepted to where clang_delta reads it. */
static bool lay_out(ClangDelta *d) {
    Error err = { 0 };
    for (int s = 0; s < SIDES; s++) {
        if (!d->r->side[s].on) continue;
        Str text = doc_text(&d->r->side[s].doc);
        if (!file_write(file_join(&d->arena, d->dir, d->file[s]), text, &err)) return false;
    }
    d->words = count_words(doc_text(&d->r->side[VARIANT].doc));
    return true;
}

static size_t try_all(ClangDelta *d) {
    size_t steps = 0;
    for (d->from = 0; !reduce_stopped(d->r);) {
        reduce_refresh(d->r);
        if (!lay_out(d)) break;
        d->count = count_instances(d);
        size_t hit = d->from < d->count ? reducer_first(d->r, propose_instance, d) : SHRINK_NONE;
        if (hit >= SHRINK_STOP) break;
        d->from += hit;
        steps++;
    }
    return steps;
}

static bool wanted(const Doc *doc) {
    if (!doc->tree.lang || doc->count > REDUCE_DELTA_TOKENS) return false;
    const char *name = lang_name(doc->tree.lang);
    return strcmp(name, "c") == 0 || strcmp(name, "cpp") == 0;
}

size_t reduce_delta(Reducer *r) {
    ClangDelta d = { .r = r, .program = find_program() };
    size_t steps = 0;
    reduce_refresh(r);
    const Doc *doc = &r->side[VARIANT].doc;
    if (reduce_stopped(r) || !d.program || !wanted(doc)) return 0;
    reducer_phase(r, "clang_delta");
    bool plus = strcmp(lang_name(doc->tree.lang), "cpp") == 0;
    d.file[VARIANT] = plus ? "variant.cc" : "variant.c";
    d.file[SEED] = plus ? "seed.cc" : "seed.c";
    d.dir = workdir_new(&d.arena, "delta");
    for (size_t i = 0; i < COUNT_OF(transformations) && !reduce_stopped(r); i++) {
        if (transformations[i].cxx && !plus) continue;
        d.what = transformations[i].name;
        steps += try_all(&d);
    }
    workdir_remove(d.dir);
    arena_release(&d.arena);
    reduce_refresh(r);
    return steps;
}
