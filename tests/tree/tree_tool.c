/* A hand tool over trees, for people, tests and the benchmark:
 *     tree-tool dump FILE     the tree as text
 *     tree-tool check FILE..  every file in the language of its name: its tokens must give back its
 *                             bytes; and the differences between it and three texts (the file
 *                             before it, two random mutants of its own) must patch both ways
 * Prints a line for what fails and one that counts. */
#include "base/base.h"
#include "base/file.h"
#include "tree_check.h"

/* Differences of larger files are not part of the check: it is quadratic in the worst case. */
enum { PAIR_MAX = 100000 };

typedef struct Source {
    Arena arena; /* of the text */
    Str text;    /* the whole file */
    Tree tree;   /* of text */
    Lang *lang;  /* by the ending of its name */
} Source;

static unsigned files, failed, pairs;
static size_t tokens, with_errors;

static Source *source_new(const char *path, Error *err) {
    Source *s = mem_alloc(sizeof *s);
    s->lang = lang_for_file(path);
    if (!s->lang) err_set(err, STATUS_BAD, "%s: no language for it", path);
    if (!s->lang || !file_read(&s->arena, path, &s->text, err)) {
        arena_release(&s->arena);
        mem_free(s);
        return NULL;
    }
    tree_parse(s->lang, s->text, &s->tree);
    return s;
}

static void source_free(Source *s) {
    if (!s) return;
    tree_release(&s->tree);
    arena_release(&s->arena);
    mem_free(s);
}

static bool check_both_ways(const Tree *a, const Tree *b, Buf *why) {
    if (a->text.len > PAIR_MAX || b->text.len > PAIR_MAX) return true;
    pairs += 2;
    return tree_check_pair(a, b, why) && tree_check_pair(b, a, why);
}

static bool check_mutant(const Source *s, Rng *rng, Buf *why) {
    Buf text = { 0 };
    Tree t;
    tree_mutate(&s->tree, rng, &text);
    tree_parse(s->lang, buf_view(&text), &t);
    bool good = tree_check(&t, why) && check_both_ways(&s->tree, &t, why);
    tree_release(&t);
    buf_release(&text);
    return good;
}

static bool check_one(const Source *s, const Source *before, uint64_t index, Buf *why) {
    Rng rng = rng_stream(1, "tree-tool", index);
    bool related = before && before->lang == s->lang;
    return tree_check(&s->tree, why) && check_mutant(s, &rng, why) && check_mutant(s, &rng, why) &&
           (!related || check_both_ways(&before->tree, &s->tree, why));
}

static int check(int n, char **paths) {
    Source *before = NULL;
    for (int i = 0; i < n; i++) {
        Error err = { 0 };
        Buf why = { 0 };
        Source *s = source_new(paths[i], &err);
        if (!s) return err_report(&err);
        files++;
        tokens += s->tree.tokens.len;
        with_errors += s->tree.errors > 0;
        if (!check_one(s, before, (uint64_t)i, &why)) {
            failed++;
            printf("FAILED %s: %s\n", paths[i], why.at);
        }
        buf_release(&why);
        source_free(before);
        before = s;
    }
    source_free(before);
    printf("%u files: %zu tokens, %u differences, %zu files with syntax errors, %u failed\n", files,
           tokens, pairs, with_errors, failed);
    return failed ? STATUS_NO : STATUS_DONE;
}

static int dump(const char *path) {
    Error err = { 0 };
    Source *s = source_new(path, &err);
    if (!s) return err_report(&err);
    tree_dump(&s->tree, stdout);
    source_free(s);
    return STATUS_DONE;
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "dump") == 0) return dump(argv[2]);
    if (argc >= 3 && strcmp(argv[1], "check") == 0) return check(argc - 2, argv + 2);
    fputs("usage: tree-tool dump FILE | check FILE..\n", stderr);
    return STATUS_BAD;
}
