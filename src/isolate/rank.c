/* See rank.h.
 *
 * RANK_BEST. Each witness is paired with the failing run that is nearest to it (the given program's
 * or a failing mutant's, as in the nearest neighbour queries of Renieris and Reiss): the statements
 * that run covers and the witness does not are the difference of that pair. A difference is
 * evidence, by Bayes' rule: the guilty statement is in it with probability EVIDENCE_MISSED, an
 * innocent one with a probability that is the difference's share of all statements, so that near
 * witnesses say much in favour of suspecting what is in their small difference, and all say a
 * little against suspecting the rest. Logarithms of these ratios are added over the witnesses,
 * those that tell the same (similar differences) sharing one vote, and tempered. A statement's
 * suspicion is higher for statements that run inside the passes that cure, lower for those that run
 * only after the last of them (consequences) or that some failing runs do not cover, and zero for
 * what only reports a crash. Per file: the sum over the statements the failing run covers, divided
 * by the root of their number plus a constant: between the mean, which favours small files, and the
 * sum, which favours large ones. Crashes: the files of the backtrace are fused in by reciprocal
 * rank. */
#include "isolate/rank.h"
#include "isolate/isolate_knobs.h"
#include "isolate/rank_files.h"

#include <math.h>

/* ---- statements ---- */
static double *ochiai(Arena *arena, const Isolation *iso) {
    const Bits *failing = &iso->failing.at[0].bits;
    uint32_t n = failing->n_bits;
    uint32_t *passed = ARENA_ARRAY(arena, uint32_t, n + 1);
    for (size_t w = 0; w < iso->witnesses.len; w++)
        for (uint32_t i = 0; i < bits_words(failing); i++)
            for (uint64_t x = iso->witnesses.at[w].bits.words[i] & failing->words[i]; x; x &= x - 1)
                passed[i * 64 + (uint32_t)__builtin_ctzll(x)]++;
    double *score = ARENA_ARRAY(arena, double, n + 1);
    for (uint32_t i = 0; i < n; i++)
        if (bits_has(failing, i)) score[i] = 1 / sqrt(1.0 + passed[i]);
    return score;
}

/* Share of the failing runs that cover each statement. The given program and its mutants are very
 * similar: together they count as much as all failing programs of the test suite. */
static double *twins(Arena *arena, const Isolation *iso) {
    const Bits *first = &iso->failing.at[0].bits;
    double *share = ARENA_ARRAY(arena, double, first->n_bits + 1), count[2] = { 0 };
    for (size_t f = 0; f < iso->failing.len; f++) count[iso->failing.at[f].suite]++;
    double kinds = 1 + (count[1] > 0);
    for (size_t f = 0; f < iso->failing.len; f++)
        for (uint32_t i = 0; i < bits_words(first); i++)
            for (uint64_t x = iso->failing.at[f].bits.words[i] & first->words[i]; x; x &= x - 1)
                share[i * 64 + (uint32_t)__builtin_ctzll(x)] +=
                    1.0 / count[iso->failing.at[f].suite] / kinds;
    return share;
}

/* The evidence of one witness that does not run `missed` of n statements: how much more likely than
 * by chance a statement is guilty when the witness does not run it (in), and when it does (out). A
 * witness so far away that it misses statements more often than it would miss a guilty one says
 * nothing: it clears neither what it runs nor what it does not. */
static void evidence_of(uint32_t missed, uint32_t n, double *in, double *out) {
    double chance = fmin((double)missed / n, 0.98);
    *in = fmax(log(EVIDENCE_MISSED / chance), 0);
    *out = fmin(log((1 - EVIDENCE_MISSED) / (1 - chance)), 0);
}

/* A witness and the failing run that is nearest to it. */
typedef struct RankPair {
    uint64_t *missed; /* statements of the given program's run that this failing run covers as well
                         and the witness does not, as bits */
    uint32_t count;   /* of them */
    uint32_t of;      /* statements of the given program's run that this failing run covers */
} RankPair;

static uint32_t missed_of(const Bits *failing, const Bits *witness) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < bits_words(failing); i++)
        n += (uint32_t)__builtin_popcountll(failing->words[i] & ~witness->words[i]);
    return n;
}

/* The less a pair differs, the more it tells. False: the witness runs everything that any failing
 * run does, or they differ only in what the given program's run does not cover. */
static bool nearest_pair(Arena *arena, const Isolation *iso, const Bits *witness, RankPair *pair) {
    const Bits *first = &iso->failing.at[0].bits, *near = NULL;
    uint32_t least = UINT32_MAX;
    for (size_t f = 0; f < iso->failing.len; f++) {
        uint32_t missed = missed_of(&iso->failing.at[f].bits, witness);
        if (missed && missed < least) least = missed, near = &iso->failing.at[f].bits;
    }
    if (!near) return false;
    *pair = (RankPair){ .missed = ARENA_ARRAY(arena, uint64_t, bits_words(first)),
                        .of = bits_count_and(first, near) };
    for (uint32_t i = 0; i < bits_words(first); i++) {
        pair->missed[i] = first->words[i] & near->words[i] & ~witness->words[i];
        pair->count += (uint32_t)__builtin_popcountll(pair->missed[i]);
    }
    return pair->count > 0;
}

/* How many pairs tell the same as this one: the sum of similarities (Jaccard), its own included. */
static double alike(const RankPair *pairs, size_t n, const RankPair *pair, uint32_t words) {
    double sum = 0;
    for (size_t k = 0; k < n; k++) {
        uint64_t both = 0, either = 0;
        for (uint32_t i = 0; i < words; i++) {
            both += (uint64_t)__builtin_popcountll(pairs[k].missed[i] & pair->missed[i]);
            either += (uint64_t)__builtin_popcountll(pairs[k].missed[i] | pair->missed[i]);
        }
        sum += (double)both / (double)either;
    }
    return sum;
}

/* The sum of the evidence for each statement, as a logarithm. Pairs that tell the same share one
 * vote. */
static void add_evidence(Arena *arena, const Isolation *iso, double *score) {
    uint32_t words = bits_words(&iso->failing.at[0].bits);
    RankPair *pairs = ARENA_ARRAY(arena, RankPair, iso->witnesses.len + 1);
    size_t n = 0;
    for (size_t w = 0; w < iso->witnesses.len; w++)
        n += nearest_pair(arena, iso, &iso->witnesses.at[w].bits, &pairs[n]);
    for (size_t k = 0; k < n; k++) {
        double in, out, voices = alike(pairs, n, &pairs[k], words);
        evidence_of(pairs[k].count, pairs[k].of, &in, &out);
        for (uint32_t i = 0; i < words; i++)
            for (uint64_t x = pairs[k].missed[i]; x; x &= x - 1)
                score[i * 64 + (uint32_t)__builtin_ctzll(x)] += (in - out) / voices;
    }
}

/* By where in the pipeline the statement runs. */
static double place_factor(const Isolation *iso, uint32_t stmt) {
    double inside = 0, passes = 0, factor = 1;
    for (size_t k = 0; k < iso->windows.len; k++) {
        if (iso->windows.at[k].effect_of.len) continue;
        inside += bits_has(&iso->windows.at[k].in, stmt);
        passes++;
    }
    if (passes > 0) factor += INSIDE_FACTOR * inside / passes;
    if (iso->until.words && !bits_has(&iso->until, stmt)) factor *= BEHIND_FACTOR;
    return factor;
}

static double *differences(Arena *arena, const Isolation *iso) {
    const Bits *failing = &iso->failing.at[0].bits;
    double *score = ARENA_ARRAY(arena, double, failing->n_bits + 1), *share = twins(arena, iso);
    double best = 0;
    add_evidence(arena, iso, score);
    for (uint32_t i = 0; i < failing->n_bits; i++) best = fmax(best, score[i]);
    for (uint32_t i = 0; i < failing->n_bits; i++) {
        if (!bits_has(failing, i)) continue;
        bool noise = iso->noise.words && bits_has(&iso->noise, i);
        double evidence = exp(EVIDENCE_TEMPER * (score[i] - best));
        score[i] = noise ? 0 : evidence * place_factor(iso, i) * pow(share[i], TWIN_POWER);
    }
    return score;
}

/* ---- aggregation ---- */
static int by_score(const void *a, const void *b) {
    const Suspect *x = a, *y = b;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static void set_ranks(Suspect *s, uint32_t n) {
    qsort(s, n, sizeof *s, by_score);
    for (uint32_t i = n, rank = n; i-- > 0;) {
        if (i + 1 < n && s[i].score != s[i + 1].score) rank = i + 1;
        s[i].rank = rank;
    }
    double best = n && s[0].score > 0 ? s[0].score : 1;
    for (uint32_t i = 0; i < n; i++) s[i].score /= best;
}

static void count_cleared(const Isolation *iso, Suspect *s, uint32_t n, bool functions) {
    const CovMap *map = &iso->subject->map;
    uint32_t most = functions ? map->n_functions : map->n_files;
    uint32_t *place = mem_alloc((most + 1) * sizeof *place);
    bool *missing = mem_alloc(n + 1);
    for (uint32_t i = 0; i < n; i++) place[s[i].index] = i + 1;
    const Bits *failing = &iso->failing.at[0].bits;
    for (size_t w = 0; w < iso->witnesses.len; w++) {
        memset(missing, 0, n);
        for (uint32_t i = 0; i < bits_words(failing); i++)
            for (uint64_t x = failing->words[i] & ~iso->witnesses.at[w].bits.words[i]; x;
                 x &= x - 1) {
                const CovStmt *stmt = &map->stmts[i * 64 + (uint32_t)__builtin_ctzll(x)];
                uint32_t at = functions ? stmt->function : stmt->origin;
                if (at < most && place[at]) missing[place[at] - 1] = true;
            }
        for (uint32_t i = 0; i < n; i++) s[i].cleared += !missing[i];
    }
    mem_free(place);
    mem_free(missing);
}

/* Per file or function: the mean as published, or the sum over the root of the number plus some, by
 * what is known of the file. */
static uint32_t aggregate(Arena *arena, const Isolation *iso, const double *stmts, bool functions,
                          RankWay way, Suspect **out) {
    const CovMap *map = &iso->subject->map;
    const Bits *failing = &iso->failing.at[0].bits;
    uint32_t most = functions ? map->n_functions : map->n_files, n = 0;
    const double *factors = way == RANK_BEST ? rank_file_factors(arena, iso) : NULL;
    double shrink = functions ? SHRINK_FUNCTION : SHRINK_FILE;
    Suspect *all = ARENA_ARRAY(arena, Suspect, most + 1);
    for (uint32_t i = 0; i < map->n_stmts; i++) {
        const CovStmt *stmt = &map->stmts[i];
        if (!bits_has(failing, i) || !map->files[stmt->origin].suspect) continue;
        uint32_t at = functions ? stmt->function : stmt->origin;
        if (at == COV_NO_FUNCTION) continue;
        all[at].covered++;
        all[at].score += stmts[i];
    }
    for (uint32_t i = 0; i < most; i++) {
        if (!all[i].covered) continue;
        Suspect s = all[i];
        s.index = i;
        s.score /= way == RANK_PUBLISHED ? s.covered : sqrt(s.covered + shrink);
        if (factors) s.score *= factors[functions ? map->functions[i].file : i];
        all[n++] = s;
    }
    set_ranks(all, n);
    count_cleared(iso, all, n, functions);
    *out = all;
    return n;
}

/* ---- the backtrace ---- */
/* "fold_binary_loc" is in the function whose plain name it is; several may share it. */
static bool same_function(Arena *scratch, Str frame, Str mangled) {
    if (str_eq(frame, mangled)) return true;
    if (str_starts(frame, "_Z")) return false;
    Str name = covmap_show_name(scratch, mangled);
    if (str_eq(frame, name)) return true;
    size_t at = str_find(name, STR("::"), 0);
    return at != STR_NONE && str_ends(frame, arena_cstr(scratch, name));
}

/* Functions get the number of their frame, files the number of their first frame among distinct
 * files. */
static void mark_frames(const Isolation *iso, Ranking *r) {
    const CovMap *map = &iso->subject->map;
    Arena scratch = { 0 };
    unsigned *file_frame = mem_alloc((map->n_files + 1) * sizeof *file_frame), distinct = 0;
    for (size_t k = 0; k < iso->frames.len; k++) {
        bool fresh = true; /* this frame's file has no number yet */
        for (uint32_t i = 0; i < r->n_functions; i++) {
            const CovFunction *fn = &map->functions[r->functions[i].index];
            arena_clear(&scratch);
            if (!same_function(&scratch, iso->frames.at[k], fn->name)) continue;
            if (!r->functions[i].frame) r->functions[i].frame = (unsigned)k + 1;
            if (file_frame[fn->file]) continue;
            distinct += fresh;
            fresh = false;
            file_frame[fn->file] = distinct;
        }
    }
    for (uint32_t f = 0; f < r->n_files; f++) r->files[f].frame = file_frame[r->files[f].index];
    mem_free(file_frame);
    arena_release(&scratch);
}

static void fuse(Suspect *s, uint32_t n, double weight) {
    for (uint32_t i = 0; i < n; i++) {
        double score = 1 / (FUSE_CONSTANT + s[i].rank);
        if (s[i].frame) score += weight / (FUSE_CONSTANT + s[i].frame);
        s[i].score = score;
    }
    set_ranks(s, n);
}

Ranking rank_suspects(Arena *arena, const Isolation *iso, RankWay way) {
    Ranking r = { 0 };
    bool published = way == RANK_PUBLISHED;
    r.stmts = published ? ochiai(arena, iso) : differences(arena, iso);
    r.n_files = aggregate(arena, iso, r.stmts, false, way, &r.files);
    r.n_functions = aggregate(arena, iso, r.stmts, true, way, &r.functions);
    if (!published && iso->frames.len) {
        mark_frames(iso, &r);
        fuse(r.files, r.n_files, FUSE_FRAMES);
        fuse(r.functions, r.n_functions, FUSE_FUNCTIONS);
    }
    return r;
}
