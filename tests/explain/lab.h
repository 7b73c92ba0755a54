/* A small program in two versions, with a parser that knows how it is compiled, an oracle and
 * edges: what a search in parts or by what complains needs. Either lab_new with the text of its one
 * file, or lab_begin, put for each file, lab_read. */
#ifndef CULPRIT_TESTS_EXPLAIN_LAB_H
#define CULPRIT_TESTS_EXPLAIN_LAB_H

#include "base/file.h"
#include "change/fit.h"
#include "explain/aux.h"
#include "run/workdir.h"
#include "test.h"

typedef struct Lab {
    Arena arena;
    char *base;
    ChangeSet set;
    IncludeMap includes;
    Fit *fit;
    Oracle *oracle;
    AuxFinder aux;
    Needs *needs;
} Lab;

static void put(Lab *lab, const char *side, const char *name, const char *text) {
    char *dir = file_join(&lab->arena, lab->base, side);
    assert_true(file_make_dirs(dir, NULL));
    assert_true(file_write(file_join(&lab->arena, dir, name), str_from(text), NULL));
}

/* The list of sources, up to NULL, as culprit-cc writes it. */
static FitTree tree(Lab *lab, const char *side, const char *const *sources) {
    char *dir = file_join(&lab->arena, lab->base, side);
    Buf list = { 0 };
    for (; *sources; sources++) {
        const char *words[] = { dir, *sources, "-I.", "" };
        for (size_t i = 0; i < COUNT_OF(words); i++) buf_add(&list, words[i], strlen(words[i]) + 1);
    }
    char *path = arena_fmt(&lab->arena, "%s.units", dir);
    assert_true(file_write(path, buf_view(&list), NULL));
    buf_release(&list);
    return (FitTree){ dir, path };
}

static void lab_begin(Lab *lab) {
    *lab = (Lab){ 0 };
    lab->base = workdir_new(&lab->arena, "test");
}

/* The sources of each version, up to NULL, and how it is built. */
static void lab_read(Lab *lab, const char *const *in_good, const char *const *in_bad,
                     const char *build) {
    Error err = { 0 };
    ChangeOptions options = { .keep_names = true };
    FitTree bad = tree(lab, "bad", in_bad), good = tree(lab, "good", in_good);
    assert_true(changeset_read(&lab->set, good.dir, bad.dir, &options, &err));
    assert_true(includes_read(&lab->includes, &lab->set, &err));
    lab->fit = fit_new(&lab->set, &bad, &good, (FitLimits){ 60, 60 });
    assert_non_null(lab->fit);
    OracleSpec spec = { .set = &lab->set,
                        .includes = &lab->includes,
                        .build = build,
                        .test = "./p",
                        .workers = 1,
                        .test_limit_s = 20,
                        .build_cpu_s = 60 };
    lab->oracle = oracle_new(&spec, &err);
    assert_non_null(lab->oracle);
    oracle_use_fit(lab->oracle, lab->fit);
    aux_init(&lab->aux, lab->oracle);
    lab->needs = needs_new(&lab->set);
}

static inline void lab_new(Lab *lab, const char *good, const char *bad) {
    static const char *const source[] = { "p.c", NULL };
    lab_begin(lab);
    put(lab, "good", "p.c", good);
    put(lab, "bad", "p.c", bad);
    lab_read(lab, source, source, "cc -w -o p p.c");
}

static void lab_free(Lab *lab) {
    needs_free(lab->needs);
    aux_release(&lab->aux);
    oracle_free(lab->oracle);
    fit_free(lab->fit);
    includes_release(&lab->includes);
    changeset_release(&lab->set);
    arena_release(&lab->arena);
}

#endif
