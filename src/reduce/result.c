/* See result.h. */
#include "reduce/result.h"

#include "base/quantity.h"
#include "reduce/ppr.h"
#include "tree/gumtree.h"

typedef VEC(ReduceMark) Marks;
typedef VEC(ReducedEdit) Edits;

static void fill_file(ReduceResult *result, Reducer *r, Output *out, int side, size_t i) {
    const FileSet *set = &r->side[side].files;
    const SetFile *file = &set->list.at[i];
    ReducedFile *to = &result->side[side].files[i];
    Str text = i == set->current ? doc_text(&r->side[side].doc) : buf_view(&file->text);
    const char *path = output_path(out, r, side, i);
    *to = (ReducedFile){ .name = arena_str(&result->arena, str_from(file->name)),
                         .text = file->gone ? (Str){ "", 0 } : arena_str(&result->arena, text),
                         .path = path ? arena_strdup(&result->arena, path) : NULL,
                         .gone = file->gone };
    Tree tree;
    tree_parse(r->side[side].doc.lang, to->text, &tree);
    to->tokens = tree.tokens.len;
    tree_release(&tree);
    result->side[side].tokens += to->tokens;
    result->side[side].bytes += to->text.len;
}

static void mark(const Tree *tree, size_t from, size_t len, Marks *marks) {
    for (size_t i = from; i < from + len; i++)
        vec_push(marks, ((ReduceMark){ tree->tokens.at[i].start, tree->tokens.at[i].end }));
}

static Str token_range(Arena *arena, const Tree *t, size_t from, size_t len) {
    if (!len) return (Str){ "", 0 };
    return arena_str(arena,
                     str_sub(t->text, t->tokens.at[from].start, t->tokens.at[from + len - 1].end));
}

static void take_marks(Arena *arena, ReducedFile *file, Marks *marks) {
    file->marks = arena_copy(arena, marks->at, marks->len * sizeof *marks->at);
    file->n_marks = marks->len;
    vec_release(marks);
}

/* Two files of the same name, or one that the other side lacks. */
static void compare(ReduceResult *result, const Lang *lang, ReducedFile *seed, ReducedFile *variant,
                    Edits *edits) {
    Arena *arena = &result->arena;
    Tree a, b;
    Marks own[SIDES] = { { 0 } };
    DiffHunks hunks = { 0 };
    tree_parse(lang, seed ? seed->text : (Str){ "", 0 }, &a);
    tree_parse(lang, variant ? variant->text : (Str){ "", 0 }, &b);
    tree_diff_tokens(&a, &b, &hunks);
    result->difference += diff_size(&hunks);
    for (size_t h = 0; h < hunks.len; h++) {
        const DiffHunk *x = &hunks.at[h];
        mark(&a, x->a, x->a_len, &own[SEED]);
        mark(&b, x->b, x->b_len, &own[VARIANT]);
        vec_push(edits, ((ReducedEdit){ token_range(arena, &a, x->a, x->a_len),
                                        token_range(arena, &b, x->b, x->b_len), x->a, x->b }));
    }
    if (seed) take_marks(arena, seed, &own[SEED]);
    if (variant) take_marks(arena, variant, &own[VARIANT]);
    vec_release(&own[SEED]);
    vec_release(&own[VARIANT]);
    vec_release(&hunks);
    tree_release(&a);
    tree_release(&b);
}

static ReducedFile *of_name(ReducedSide *side, Str name) {
    for (size_t i = 0; i < side->n_files; i++)
        if (str_eq(side->files[i].name, name)) return &side->files[i];
    return NULL;
}

static void compare_all(ReduceResult *result, const Lang *lang) {
    ReducedSide *seed = &result->side[SEED], *variant = &result->side[VARIANT];
    Edits edits = { 0 };
    bool one = seed->n_files == 1 && variant->n_files == 1;
    for (size_t i = 0; i < variant->n_files; i++) {
        ReducedFile *file = &variant->files[i];
        compare(result, lang, one ? &seed->files[0] : of_name(seed, file->name), file, &edits);
    }
    for (size_t i = 0; i < seed->n_files && !one; i++)
        if (!of_name(variant, seed->files[i].name))
            compare(result, lang, &seed->files[i], NULL, &edits);
    result->edits = arena_copy(&result->arena, edits.at, edits.len * sizeof *edits.at);
    result->n_edits = edits.len;
    vec_release(&edits);
}

void phase_add(PhaseStats *to, const PhaseStats *p) {
    to->tests += p->tests, to->said_yes += p->said_yes, to->cached += p->cached;
    to->refused += p->refused, to->rejected += p->rejected;
    to->accepted += p->accepted, to->tokens += p->tokens, to->killed += p->killed;
    to->wall_s += p->wall_s, to->cpu_s += p->cpu_s;
}

static void fill_phases(ReduceResult *result, Reducer *r) {
    reducer_phase(r, reducer_stats(r)->name); /* accounts for the running phase */
    result->n_phases = r->phases.len;
    result->phases = arena_copy(&result->arena, r->phases.at, r->phases.len * sizeof *r->phases.at);
    result->all = (PhaseStats){ .name = "all" };
    for (size_t i = 0; i < r->phases.len; i++) phase_add(&result->all, &r->phases.at[i]);
}

void result_fill(ReduceResult *result, Reducer *r, Output *out) {
    result->pair = r->pair;
    for (int s = 0; s < SIDES; s++) {
        ReducedSide *side = &result->side[s];
        side->n_files = r->side[s].files.list.len;
        side->files = ARENA_ARRAY(&result->arena, ReducedFile, side->n_files + 1);
        for (size_t i = 0; i < side->n_files; i++) fill_file(result, r, out, s, i);
    }
    if (r->pair) compare_all(result, r->side[VARIANT].doc.lang);
    fill_phases(result, r);
    result->own_cpu_s = clock_own_cpu();
    result->sees_compiler = property_sees_compiler(r->side[VARIANT].property);
    result->flaky = r->flaky;
    result->slipped = r->slipped;
}
