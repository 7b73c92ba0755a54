/* Random flags: a table per compiler of switches that must not change what a program does. */
#include "hunt/draw.h"

#include "base/file.h"

#define DRAW_MOST 5           /* flags besides the level */
#define DRAW_LINK_TIME 0.15   /* a set has -flto */
#define DRAW_MACHINE 0.5      /* .. and an instruction set */
#define DRAW_ORACLE_FLAGS 0.7 /* a compiler's own check goes with random flags */

/* Switches that are legal at any level, on or off. */
static const char *const gcc_switches[] = {
    "aggressive-loop-optimizations",
    "caller-saves",
    "code-hoisting",
    "combine-stack-adjustments",
    "compare-elim",
    "cprop-registers",
    "crossjumping",
    "cse-follow-jumps",
    "dce",
    "defer-pop",
    "delete-null-pointer-checks",
    "devirtualize",
    "dse",
    "early-inlining",
    "expensive-optimizations",
    "finite-loops",
    "forward-propagate",
    "gcse",
    "gcse-after-reload",
    "gcse-las",
    "gcse-lm",
    "gcse-sm",
    "guess-branch-probability",
    "hoist-adjacent-loads",
    "if-conversion",
    "if-conversion2",
    "indirect-inlining",
    "inline",
    "inline-functions",
    "inline-functions-called-once",
    "inline-small-functions",
    "ipa-bit-cp",
    "ipa-cp",
    "ipa-cp-clone",
    "ipa-icf",
    "ipa-modref",
    "ipa-profile",
    "ipa-pta",
    "ipa-pure-const",
    "ipa-ra",
    "ipa-reference",
    "ipa-sra",
    "ipa-vrp",
    "isolate-erroneous-paths-dereference",
    "ivopts",
    "jump-tables",
    "live-range-shrinkage",
    "loop-interchange",
    "loop-unroll-and-jam",
    "lra-remat",
    "modulo-sched",
    "move-loop-invariants",
    "omit-frame-pointer",
    "optimize-sibling-calls",
    "optimize-strlen",
    "partial-inlining",
    "peel-loops",
    "peephole2",
    "predictive-commoning",
    "prefetch-loop-arrays",
    "ree",
    "rename-registers",
    "reorder-blocks",
    "rerun-cse-after-loop",
    "reschedule-modulo-scheduled-loops",
    "sched-interblock",
    "sched-pressure",
    "sched-spec",
    "schedule-insns",
    "schedule-insns2",
    "sel-sched-pipelining",
    "selective-scheduling",
    "selective-scheduling2",
    "shrink-wrap",
    "split-ivs-in-unroller",
    "split-loops",
    "split-paths",
    "split-wide-types",
    "split-wide-types-early",
    "ssa-phiopt",
    "store-merging",
    "strict-aliasing",
    "thread-jumps",
    "toplevel-reorder",
    "tracer",
    "tree-bit-ccp",
    "tree-ccp",
    "tree-ch",
    "tree-coalesce-vars",
    "tree-copy-prop",
    "tree-cselim",
    "tree-dce",
    "tree-dominator-opts",
    "tree-dse",
    "tree-forwprop",
    "tree-fre",
    "tree-loop-distribute-patterns",
    "tree-loop-distribution",
    "tree-loop-if-convert",
    "tree-loop-im",
    "tree-loop-ivcanon",
    "tree-loop-optimize",
    "tree-loop-vectorize",
    "tree-partial-pre",
    "tree-phiprop",
    "tree-pre",
    "tree-pta",
    "tree-reassoc",
    "tree-scev-cprop",
    "tree-sink",
    "tree-slp-vectorize",
    "tree-slsr",
    "tree-sra",
    "tree-switch-conversion",
    "tree-tail-merge",
    "tree-ter",
    "tree-vectorize",
    "tree-vrp",
    "unroll-all-loops",
    "unroll-loops",
    "unswitch-loops",
    "variable-expansion-in-unroller",
    "version-loops-for-strides",
    "web",
    "wrapv",
};

static const char *const clang_switches[] = {
    "inline-functions",          "vectorize",       "slp-vectorize", "unroll-loops",
    "omit-frame-pointer",        "strict-aliasing", "jump-tables",   "wrapv",
    "delete-null-pointer-checks"
};

/* Limits of passes that every clang runs: nobody wants bug reports about what is off by default. */
static const struct {
    const char *name;
    int64_t low, high;
} llvm_limits[] = {
    { "-unroll-threshold", 0, 2000 },        { "-inline-threshold", 0, 2000 },
    { "-force-vector-interleave", 1, 8 },    { "-vectorizer-min-trip-count", 1, 32 },
    { "-slp-threshold", -20, 20 },           { "-memdep-block-scan-limit", 1, 1000 },
    { "-jump-threading-threshold", 0, 60 },  { "-phi-node-folding-threshold", 0, 20 },
    { "-memcmp-num-loads-per-block", 1, 8 }, { "-licm-max-num-uses-traversed", 1, 64 },
};

static const struct {
    const char *name;
    int64_t low, high;
} gcc_params[] = {
    { "max-inline-insns-auto", 0, 300 },
    { "max-inline-insns-single", 0, 1000 },
    { "inline-unit-growth", 0, 300 },
    { "max-unroll-times", 0, 16 },
    { "max-completely-peel-times", 0, 32 },
    { "max-completely-peeled-insns", 0, 500 },
    { "max-peel-times", 0, 32 },
    { "jump-table-max-growth-ratio-for-size", 0, 600 },
    { "max-gcse-memory", 1024, 65536 },
    { "sccvn-max-alias-queries-per-access", 1, 1000 },
    { "ipa-cp-eval-threshold", 0, 1000 },
    { "max-fsm-thread-path-insns", 1, 200 },
    { "max-combine-insns", 2, 4 },
    { "max-sched-ready-insns", 1, 200 },
    { "ssp-buffer-size", 1, 64 },
    { "loop-invariant-max-bbs-in-loop", 1, 10000 },
    { "dse-max-object-size", 0, 512 },
    { "store-merging-max-size", 1, 65536 },
    { "vect-max-peeling-for-alignment", 0, 64 },
    { "max-tail-merge-comparisons", 0, 20 },
    { "max-rtl-if-conversion-insns", 0, 99 },
    { "vect-partial-vector-usage", 0, 2 },
    { "vect-epilogues-nomask", 0, 1 },
    { "vect-induction-float", 0, 1 },
    { "min-vect-loop-bound", 0, 3 },
    { "vect-max-version-for-alias-checks", 0, 20 },
    { "max-bb-const-size", 0, 300 },
    { "sra-max-scalarization-size-Ospeed", 0, 256 },
    { "evrp-sparse-threshold", 0, 2000 },
};

/* What has neither on nor off; a version that does not know one refuses it, which counts for
 * nothing. */
static const char *const gcc_words[] = {
    "-fvect-cost-model=unlimited",
    "-fvect-cost-model=very-cheap",
    "-fvect-cost-model=dynamic",
    "-fsimd-cost-model=unlimited",
    "-fira-algorithm=priority",
    "-fira-region=one",
    "-fira-region=all",
    "-freorder-blocks-algorithm=simple",
};

typedef VEC(const char *) Words;

#define LEVEL_3 "-march=x86-64-v3"
#define LEVEL_4 "-march=x86-64-v4"

/* Instruction sets this machine can run, and so the -march values that are safe to draw. */
static bool machine_has(const char *feature) {
    Arena arena = { 0 };
    Str text = STR(""), word;
    bool has = false;
    file_read(&arena, "/proc/cpuinfo", &text, NULL);
    size_t at = str_find(text, STR("flags"), 0);
    Str flags = at == STR_NONE ? STR("") : str_sub(text, at, text.len);
    size_t end = str_find(flags, STR("\n"), 0);
    if (end != STR_NONE) flags = str_sub(flags, 0, end);
    while (!has && str_split(&flags, ' ', &word)) has = str_is(word, feature);
    arena_release(&arena);
    return has;
}

/* Whole levels are drawn more often than single sets: they bring vectors of other widths, masks and
 * fused instructions together. */
static void draw_machine(Rng *rng, Words *words) {
    static const struct {
        const char *feature, *flag;
        double weight;
    } sets[] = { { "avx2", "-mavx2", 1 },         { "avx", "-mavx", 1 },
                 { "sse4_1", "-msse4.1", 1 },     { "bmi2", "-mbmi2", 1 },
                 { "bmi1", "-mbmi", 1 },          { "avx512f", "-mavx512f", 1 },
                 { "avx512vl", "-mavx512vl", 1 }, { "popcnt", "-mpopcnt", 1 },
                 { "avx2", LEVEL_3, 3 },          { "avx512bw", LEVEL_4, 4 } };
    double weights[COUNT_OF(sets)];
    for (size_t k = 0; k < COUNT_OF(sets); k++) weights[k] = sets[k].weight;
    size_t i = rng_weighted(rng, weights, COUNT_OF(sets));
    if (!machine_has(sets[i].feature)) return;
    vec_push(words, sets[i].flag);
    if (strcmp(sets[i].flag, LEVEL_4) == 0 && rng_chance(rng, 0.5))
        vec_push(words, "-mprefer-vector-width=512");
    vec_push(words, "-ffp-contract=off"); /* fused operations round once, not twice */
}

/* Link-time optimisation, cut into parts in different ways: a mild form of Proteus (Le, Sun, Su,
 * ISSTA 2015), which splits the unit itself. */
static void draw_link_time(Arena *arena, const Compiler *cc, Rng *rng, Words *words) {
    static const char *const parts[] = { "none", "one", "balanced", "1to1", "max" };
    if (cc->kind == CC_CLANG) {
        vec_push(words, "-flto");
        return;
    }
    vec_push(words, "-flto");
    vec_push(words, arena_fmt(arena, "-flto-partition=%s", parts[rng_below(rng, COUNT_OF(parts))]));
    if (rng_chance(rng, 0.3)) vec_push(words, "-fwhole-program");
}

static const char *draw_one(Arena *arena, const char *const *table, size_t n, Rng *rng) {
    const char *name = table[rng_below(rng, n)];
    return arena_fmt(arena, "-f%s%s", rng_chance(rng, 0.5) ? "" : "no-", name);
}

static void draw_gcc(Arena *arena, Rng *rng, Words *words) {
    if (rng_chance(rng, 0.15)) {
        vec_push(words, gcc_words[rng_below(rng, COUNT_OF(gcc_words))]);
    } else if (rng_chance(rng, 0.25)) {
        size_t p = rng_below(rng, COUNT_OF(gcc_params));
        vec_push(words, "--param");
        vec_push(words,
                 arena_fmt(arena, "%s=%lld", gcc_params[p].name,
                           (long long)rng_between(rng, gcc_params[p].low, gcc_params[p].high)));
    } else
        vec_push(words, draw_one(arena, gcc_switches, COUNT_OF(gcc_switches), rng));
}

static void draw_clang(Arena *arena, Rng *rng, Words *words) {
    if (rng_chance(rng, 0.5)) {
        size_t p = rng_below(rng, COUNT_OF(llvm_limits));
        vec_push(words, "-mllvm");
        vec_push(words,
                 arena_fmt(arena, "%s=%lld", llvm_limits[p].name,
                           (long long)rng_between(rng, llvm_limits[p].low, llvm_limits[p].high)));
    } else
        vec_push(words, draw_one(arena, clang_switches, COUNT_OF(clang_switches), rng));
}

static const char *const *keep(Arena *arena, const Compiler *cc, Words *words) {
    for (const char *const *quiet = cc_tolerant(cc->kind); *quiet; quiet++) vec_push(words, *quiet);
    vec_push(words, NULL);
    const char **flags = arena_copy(arena, words->at, words->len * sizeof *words->at);
    vec_release(words);
    return flags;
}

/* The same option, whatever its value. */
static bool has_pair(const Words *words, const char *flag) {
    size_t n = strcspn(flag, "=");
    for (size_t i = 0; i < words->len; i++)
        if (strncmp(words->at[i], flag, n) == 0 && strcspn(words->at[i], "=") == n) return true;
    return false;
}

static void draw_more(Arena *arena, const Compiler *cc, Rng *rng, Words *words) {
    uint64_t n = 1 + rng_below(rng, DRAW_MOST);
    for (uint64_t i = 0; i < n; i++) {
        Words more = { 0 };
        if (cc->kind == CC_CLANG)
            draw_clang(arena, rng, &more);
        else
            draw_gcc(arena, rng, &more);
        /* LLVM refuses a switch given twice */
        if (!has_pair(words, vec_last(&more)))
            for (size_t k = 0; k < more.len; k++) vec_push(words, more.at[k]);
        vec_release(&more);
    }
    if (rng_chance(rng, DRAW_MACHINE) && !cc->foreign) draw_machine(rng, words);
}

const char *const *draw_flags(Arena *arena, const Compiler *cc, Rng *rng) {
    static const char *const levels[] = { "-O1", "-Os", "-O2", "-O2", "-O3", "-O3" };
    Words words = { 0 };
    vec_push(&words, levels[rng_below(rng, COUNT_OF(levels))]);
    draw_more(arena, cc, rng, &words);
    bool both = cc->kind == CC_CLANG || cc->kind == CC_GCC;
    if (both && rng_chance(rng, DRAW_LINK_TIME)) draw_link_time(arena, cc, rng, &words);
    return keep(arena, cc, &words);
}

const char *const *draw_oracle(Arena *arena, const Compiler *cc, const char *const *levels,
                               bool random_flags, Rng *rng) {
    Words words = { 0 };
    size_t n = 0;
    while (levels[n]) n++;
    vec_push(&words, n ? levels[rng_below(rng, n)] : "-O2");
    if (random_flags && rng_chance(rng, DRAW_ORACLE_FLAGS)) draw_more(arena, cc, rng, &words);
    if (cc->kind == CC_CLANG) {
        vec_push(&words, "-mllvm");
        bool each = cc->major >= 19 && rng_chance(rng, 0.5);
        vec_push(&words, each ? "-llvm-verify-each" : "-verify-machineinstrs");
    } else
        vec_push(&words, rng_chance(rng, 0.6) ? "-fchecking=2" : "-fcompare-debug");
    return keep(arena, cc, &words);
}
