/* A hand tool over mutation:
 *     mutate-tool FILE RULE SEED [POOLDIR]     one mutant on stdout
 *     mutate-tool FILE sites                   how many places each rule has
 *     mutate-tool FILE all N DIR [POOLDIR]     N mutants of every rule into DIR, and the speed on
 * stderr mutate-tool POOLDIR pool                 what is mined there */
#include "base/file.h"
#include "perturb/ingredients.h"
#include "perturb/perturb.h"

#include <time.h>

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int show_pool(const char *dir) {
    Error err = { 0 };
    double begin = now_s();
    Ingredients *pool = ingredients_mine(dir, 0, 1, &err);
    if (!pool) return err_report(&err);
    const Condition *c;
    const IngredientFunction *f;
    size_t nc = ingredients_conditions(pool, &c), nf = ingredients_functions(pool, &f);
    for (size_t i = 0; i < nc; i++) printf("condition " STR_FMT "\n", STR_ARG(c[i].text));
    for (size_t i = 0; i < nf; i++)
        printf("function " STR_FMT "\n" STR_FMT, STR_ARG(f[i].name), STR_ARG(f[i].text));
    fprintf(stderr, "%zu conditions, %zu functions, %.2f s of CPU\n", nc, nf, now_s() - begin);
    ingredients_free(pool);
    return 0;
}

static int show_sites(const Mutator *m) {
    for (unsigned i = 0; i < PERTURB_RULES; i++)
        if (mutator_sites(m, i))
            printf("%3u %-24s %u\n", i, perturb_rule(i)->name, mutator_sites(m, i));
    return 0;
}

static int make_all(const Mutator *m, uint64_t n, const char *dir) {
    Arena arena = { 0 };
    unsigned made = 0;
    double spent = 0;
    for (unsigned rule = 0; rule < PERTURB_RULES; rule++)
        for (uint64_t k = 0; k < n; k++) {
            Buf out = { 0 };
            Rng rng = rng_stream(k, "mutant", rule);
            double begin = now_s();
            bool good = mutator_make(m, rule, &rng, &out);
            spent += now_s() - begin;
            if (good) {
                made++;
                file_write(arena_fmt(&arena, "%s/r%03u_%llu.c", dir, rule, (unsigned long long)k),
                           buf_view(&out), NULL);
            }
            buf_release(&out);
        }
    fprintf(stderr, "%u mutants, %.0f per second\n", made, made / spent);
    arena_release(&arena);
    return 0;
}

static int make_one(const Mutator *m, uint64_t rule, uint64_t seed) {
    Buf out = { 0 };
    Rng rng = rng_new(seed);
    bool good = rule < PERTURB_RULES && mutator_make(m, (unsigned)rule, &rng, &out);
    if (good) fwrite(out.at, 1, out.len, stdout);
    buf_release(&out);
    return good ? STATUS_DONE : STATUS_NO;
}

int main(int argc, char **argv) {
    Error err = { 0 };
    Arena arena = { 0 };
    Str text;
    if (argc < 3) return STATUS_BAD;
    if (strcmp(argv[2], "pool") == 0) return show_pool(argv[1]);
    const char *dir = strcmp(argv[2], "all") == 0 ? (argc > 5 ? argv[5] : NULL)
                      : argc > 4                  ? argv[4]
                                                  : NULL;
    Ingredients *pool = dir ? ingredients_mine(dir, 20, 1, &err) : NULL;
    if (dir && !pool) return err_report(&err);
    if (!file_read(&arena, argv[1], &text, &err)) return err_report(&err);
    Mutator *m = mutator_new(text, argv[1], NULL, PERTURB_GUARD_ORACLE, pool, &err);
    if (!m) return err_report(&err);
    uint64_t a = 0, b = 0;
    int status = STATUS_BAD;
    if (strcmp(argv[2], "sites") == 0)
        status = show_sites(m);
    else if (strcmp(argv[2], "all") == 0 && argc > 4 && str_to_u64(str_from(argv[3]), &a))
        status = make_all(m, a, argv[4]);
    else if (argc > 3 && str_to_u64(str_from(argv[2]), &a) && str_to_u64(str_from(argv[3]), &b))
        status = make_one(m, a, b);
    mutator_free(m);
    ingredients_free(pool);
    arena_release(&arena);
    return status;
}
