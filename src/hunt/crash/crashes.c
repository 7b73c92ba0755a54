/* Sets of options and mutants where only crashes count; see crashes.h. */
#include "hunt/crash/crashes.h"

#include "base/file.h"
#include "hunt/crash/medley.h"
#include "hunt/crash/stock.h"

/* ---- sets ---- */
/* Behind the level, so that what was drawn can still change them. */
static const char *const *with_machine(Arena *arena, const char *const *flags,
                                       const char *const *machine) {
    const char *const level[] = { flags[0], NULL };
    return flags_plus(arena, flags_plus(arena, level, machine), flags + 1);
}

void crash_sets_draw(Arena *arena, const HuntSetup *setup, const char *const *machine, Rng *rng,
                     CrashSets *out) {
    *out = (CrashSets){ 0 };
    for (size_t c = 0; c < setup->compilers.len; c++) {
        const Compiler *cc = &setup->compilers.at[c];
        for (unsigned i = 0; i < (cc->levels ? CAMPAIGN_SETS : 1); i++) {
            const char *const *flags = cc->levels ? stock_draw(arena, cc, &setup->stocks[c], rng)
                                                  : level_flags(arena, cc, "-O0");
            if (machine && cc->levels && i % 2 == 0) flags = with_machine(arena, flags, machine);
            vec_push(&out->cells, (TrialCell){ .compiler = c,
                                               .flags = flags,
                                               .until = CC_UNTIL_ASSEMBLY,
                                               .drawn = true });
        }
    }
    out->good = ARENA_ARRAY(arena, bool, out->cells.len + 1);
}

void crash_sets_judge(CrashSets *sets, const TrialResult *trial) {
    for (size_t i = 0; i < sets->cells.len; i++) sets->good[i] = trial->verdicts[i] == VERDICT_OK;
}

bool crash_sets_pick(const CrashSets *sets, size_t compiler, Rng *rng, TrialCells *out) {
    const TrialCell *pick = NULL;
    uint64_t n = 0;
    for (size_t i = 0; i < sets->cells.len; i++)
        if (sets->good[i] && sets->cells.at[i].compiler == compiler && rng_below(rng, ++n) == 0)
            pick = &sets->cells.at[i];
    if (pick) vec_push(out, *pick);
    return pick != NULL;
}

void crash_sets_release(CrashSets *sets) {
    vec_release(&sets->cells);
}

/* ---- mutants ---- */
Grafts *crash_pool(const Seeds *seeds, uint64_t seed) {
    Error why;
    Grafts *pool = grafts_new(&why);
    Rng rng = rng_stream(seed, "pool", 0);
    for (unsigned i = 0; pool && seeds->files.len && i < CAMPAIGN_POOL; i++) {
        Arena arena = { 0 };
        Str text;
        const char *path = seeds->files.at[rng_below(&rng, seeds->files.len)].at;
        if (file_read(&arena, path, &text, NULL)) grafts_learn(pool, text);
        arena_release(&arena);
    }
    return pool;
}

bool crash_mutant(const Grafts *pool, Rng *rng, bool medley, bool gnu, Str text, Buf *out) {
    uint64_t edits = 1 + rng_below(rng, CAMPAIGN_MUTATIONS);
    if (medley && rng_chance(rng, CAMPAIGN_FRESH)) {
        buf_clear(out);
        medley_draw(rng, gnu, out);
        return true;
    }
    bool changed = false;
    Buf next = { 0 };
    buf_clear(out);
    buf_str(out, text);
    for (uint64_t i = 0; i < edits; i++) {
        const char *rule;
        if (!graft_make(pool, buf_view(out), rng, &next, &rule)) continue;
        buf_clear(out);
        buf_str(out, buf_view(&next));
        changed = true;
    }
    buf_release(&next);
    return changed;
}
