/* Mutants by syntax (perturb/graft.h): the same stream gives the same mutant, pieces take names
 * that are visible where they are put, and most mutants are still programs. How many, by rule, is
 * printed.
 *
 *     grafts N SEED FILE..     N mutants of each file, by the pieces of all of them
 *     GRAFTS_CC, GRAFTS_FLAGS  a compiler and its options [gcc-12 -S -O1 -w] */
#include "base/file.h"
#include "cc/compiler.h"
#include "perturb/graft.h"
#include "run/run.h"
#include "run/workdir.h"

typedef struct RuleCount {
    const char *rule;
    unsigned made, taken;
} RuleCount;

static bool ok_all = true;
static void check(unsigned number, bool good, const char *what) {
    printf("%sok %u - %s\n", good ? "" : "not ", number, what);
    ok_all &= good;
}

static bool is_taken(Arena *arena, const char *dir, Str text) {
    Error err;
    const char *in = file_join(arena, dir, "m.c"), *out = file_join(arena, dir, "m.s");
    const char *cc = getenv("GRAFTS_CC"), *flags = getenv("GRAFTS_FLAGS");
    const char *const first[] = { cc ? cc : "gcc-12", NULL };
    const char *const last[] = { in, "-o", out, NULL };
    if (!file_write(in, text, &err)) exit(err_report(&err));
    const char *const *own = flags_split(arena, str_from(flags ? flags : "-S -O1 -w"));
    RunSpec spec = { .argv = flags_plus(arena, flags_plus(arena, first, own), last),
                     .dir = dir,
                     .env = cc_env,
                     .limits = { .cpu_s = 20, .wall_s = 200, .output = 1 << 20 } };
    RunResult r = run_one(arena, &spec);
    return run_ok(&r);
}

static void count(RuleCount *counts, size_t most, const char *rule, bool taken) {
    size_t i = 0;
    while (i + 1 < most && counts[i].rule && counts[i].rule != rule) i++;
    counts[i].rule = rule;
    counts[i].made++;
    counts[i].taken += taken;
}

/* A piece with one free name finds the one variable that there is. */
static bool fills_what_is_visible(void) {
    Error err;
    Grafts *pool = grafts_new(&err);
    Rng rng = rng_stream(5, "visible", 0);
    Buf out = { 0 };
    const char *rule;
    bool wrong = false, seen = false;
    grafts_learn(pool, STR("int f(int foreign) { return foreign * 1234567; }"));
    Str host = STR("int g(int own) { { int inner = 1; } return own + 1; }\n"
                   "int h(int other) { return other; }\n");
    for (unsigned i = 0; i < 400; i++) {
        if (!graft_make(pool, host, &rng, &out, &rule) || strcmp(rule, "piece for a value") != 0)
            continue;
        Str text = buf_view(&out);
        size_t h = str_find(text, STR("int h("), 0);
        size_t own = str_find(text, STR("own * 1234567"), 0);
        seen |= own != STR_NONE;
        wrong |= own != STR_NONE && own > h;
        wrong |= str_find(text, STR("foreign"), 0) != STR_NONE;
        size_t inner = str_find(text, STR("inner * 1234567"), 0);
        wrong |= inner != STR_NONE && inner > str_find(text, STR("}"), 0);
    }
    grafts_free(pool);
    buf_release(&out);
    return seen && !wrong;
}

static bool repeats_itself(const Grafts *pool, Str text) {
    Buf one = { 0 }, two = { 0 };
    const char *rule;
    bool same = true;
    for (uint64_t i = 0; i < 50; i++) {
        Rng a = rng_stream(9, "repeat", i), b = a;
        buf_clear(&one), buf_clear(&two);
        bool made = graft_make(pool, text, &a, &one, &rule);
        same &= made == graft_make(pool, text, &b, &two, &rule);
        same &= !made || str_eq(buf_view(&one), buf_view(&two));
    }
    buf_release(&one);
    buf_release(&two);
    return same;
}

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    Arena arena = { 0 };
    Error err;
    uint64_t n = strtoull(argv[1], NULL, 10), seed = strtoull(argv[2], NULL, 10);
    Grafts *pool = grafts_new(&err);
    if (!pool) return err_report(&err);
    StrVec texts = { 0 };
    for (int i = 3; i < argc; i++) {
        Str text;
        if (!file_read(&arena, argv[i], &text, &err)) return err_report(&err);
        vec_push(&texts, text);
        grafts_learn(pool, text);
    }
    char *dir = workdir_new(&arena, "grafts");
    RuleCount counts[40] = { 0 };
    unsigned made = 0, taken = 0;
    Buf out = { 0 };
    for (size_t f = 0; f < texts.len; f++)
        for (uint64_t i = 0; i < n; i++) {
            const char *slash = strrchr(argv[f + 3], '/'); /* the same wherever the tree is */
            Rng rng = rng_stream(seed, slash ? slash + 1 : argv[f + 3], i);
            const char *rule;
            if (!graft_make(pool, texts.at[f], &rng, &out, &rule)) continue;
            bool good = is_taken(&arena, dir, buf_view(&out));
            made++, taken += good;
            count(counts, COUNT_OF(counts), rule, good);
        }
    for (size_t i = 0; i < COUNT_OF(counts) && counts[i].rule; i++)
        printf("# %-22s %u of %u taken\n", counts[i].rule, counts[i].taken, counts[i].made);
    printf("# %zu pieces, %u of %u mutants taken\n", grafts_len(pool), taken, made);
    check(1, made > 0 && taken * 2 > made, "more than half of the mutants compile");
    check(2, fills_what_is_visible(), "pieces take names that are visible where they are put");
    check(3, repeats_itself(pool, texts.at[0]), "the same stream gives the same mutants");
    puts("1..3");
    workdir_remove(dir);
    buf_release(&out);
    vec_release(&texts);
    grafts_free(pool);
    arena_release(&arena);
    return ok_all ? 0 : 1;
}
