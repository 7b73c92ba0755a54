/* See rank_files.h. Two observations on real bugs of GCC:
 *
 * The guilty file is often the home of a pass that cures. Coverage alone prefers small helpers that
 * only this pass calls, as nothing else runs them; but they do what they are asked to.
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

/* Adds the share of one window to the files that are its home. */
static void add_home(const Isolation *iso, const Bits *in, const bool *executes, double share,
                     double *homes) {
    const CovMap *map = &iso->subject->map;
    const Bits *failing = &iso->failing.at[0].bits;
    bool *seen = mem_alloc(map->n_files + 1);
    for (uint32_t i = 0; i < bits_words(failing); i++)
        for (uint64_t x = failing->words[i] & in->words[i]; x; x &= x - 1) {
            const CovStmt *stmt = &map->stmts[i * 64 + (uint32_t)__builtin_ctzll(x)];
            if (stmt->function == COV_NO_FUNCTION || !executes[stmt->function]) continue;
            if (!seen[stmt->origin]) homes[stmt->origin] += share;
            seen[stmt->origin] = true;
        }
    mem_free(seen);
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
