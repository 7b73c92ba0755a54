/* See rank_files.h. Two observations on real bugs of GCC:
 *
 * The guilty file is often the home of a pass that cures. Coverage alone prefers small helpers that
 * only this pass calls, as nothing else runs them; but they do what they are asked to. In LLVM what
 * a pass does may be in a library, and the file that runs it a wrapper (SimplifyCFGPass.cpp and
 * SimplifyCFG.cpp): a file that does more of the pass's work, and as much of its own work in it, is
 * its home as well.
 *
 * A file that was mended often in the last years has more bugs left than one that never was. The
 * files that every compilation goes through (bitmaps, hash tables, the lists of statements) are
 * hardly ever mended for a wrong or crashing compilation. */
#include "isolate/rank_files.h"
#include "isolate/isolate_knobs.h"

#include <math.h>

static bool has(Str text, const char *part) {
    return str_find(text, str_from(part), 0) != STR_NONE;
}

/* LLVM has passes of two kinds; what manages them, or wraps an analysis, runs in every window. */
static bool runs_llvm_pass(Str mangled) {
    if (has(mangled, "Pass3runERN")) return true; /* SROAPass::run(Function &, ..) */
    bool old = has(mangled, "20runOnMachineFunctionERN") || has(mangled, "13runOnFunctionERN") ||
               has(mangled, "9runOnLoopEPN");
    return old && !has(mangled, "WrapperPass13run") && !has(mangled, "PassManager13run") &&
           !has(mangled, "MachineFunctionPass13run");
}

bool rank_executes(Str mangled) {
    return (str_ends(mangled, "7executeEP8function") && has(mangled, "pass_")) ||
           runs_llvm_pass(mangled);
}

/* What a window is to a file. */
typedef struct HomeFile {
    uint32_t inside, all; /* statements of the failing run: within the window, and altogether */
    bool runs;            /* has the function that runs the pass .. */
    bool llvm;            /* .. of LLVM */
} HomeFile;

static HomeFile *home_files(const Isolation *iso, const Bits *in, const bool *executes) {
    const CovMap *map = &iso->subject->map;
    const Bits *failing = &iso->failing.at[0].bits;
    HomeFile *files = mem_alloc((map->n_files + 1) * sizeof *files);
    memset(files, 0, (map->n_files + 1) * sizeof *files);
    for (uint32_t i = 0; i < bits_words(failing); i++)
        for (uint64_t x = failing->words[i]; x; x &= x - 1) {
            uint32_t at = i * 64 + (uint32_t)__builtin_ctzll(x);
            const CovStmt *stmt = &map->stmts[at];
            HomeFile *f = &files[stmt->origin];
            f->all++;
            if (!bits_has(in, at)) continue;
            f->inside++;
            if (stmt->function == COV_NO_FUNCTION || !executes[stmt->function]) continue;
            f->runs = true;
            f->llvm = runs_llvm_pass(map->functions[stmt->function].name);
        }
    return files;
}

/* Whether the wrapper only calls what f does. */
static bool does_the_work(const HomeFile *f, const HomeFile *wrapper) {
    return wrapper->llvm && f->inside >= wrapper->inside &&
           (double)f->inside / f->all >= (double)wrapper->inside / wrapper->all;
}

/* Adds the share of one window to the files that are its home. */
static void add_home(const Isolation *iso, const Bits *in, const bool *executes, double share,
                     double *homes) {
    const CovMap *map = &iso->subject->map;
    HomeFile *files = home_files(iso, in, executes);
    for (uint32_t i = 0; i < map->n_files; i++) {
        bool home = files[i].runs;
        for (uint32_t w = 0; w < map->n_files && !home && files[i].inside; w++)
            home = map->files[i].suspect && files[w].runs && does_the_work(&files[i], &files[w]);
        if (home) homes[i] += share;
    }
    mem_free(files);
}

double *rank_homes(Arena *arena, const Isolation *iso, bool effects) {
    const CovMap *map = &iso->subject->map;
    double *homes = ARENA_ARRAY(arena, double, map->n_files + 1), n = 0;
    for (size_t w = 0; w < iso->windows.len; w++)
        n += effects == (iso->windows.at[w].effect_of.len > 0);
    if (n == 0) return homes;
    bool *executes = mem_alloc(map->n_functions + 1);
    for (uint32_t i = 0; i < map->n_functions; i++)
        executes[i] = rank_executes(map->functions[i].name);
    for (size_t w = 0; w < iso->windows.len; w++)
        if (effects == (iso->windows.at[w].effect_of.len > 0))
            add_home(iso, &iso->windows.at[w].in, executes, 1 / n, homes);
    mem_free(executes);
    return homes;
}

double *rank_file_factors(Arena *arena, const Isolation *iso) {
    uint32_t n = iso->subject->map.n_files;
    double *factors = ARENA_ARRAY(arena, double, n + 1);
    const double *home = rank_homes(arena, iso, false), *effect = rank_homes(arena, iso, true);
    for (uint32_t f = 0; f < n; f++)
        factors[f] = exp(HOME_WEIGHT * home[f] + EFFECT_WEIGHT * effect[f]) *
                     (iso->fixes ? pow(1 + iso->fixes[f], FIXES_POWER) : 1);
    return factors;
}
