/* From coverage to suspects.
 *
 * RANK_PUBLISHED is how both papers do it: Ochiai per statement (with one failing run, 1/sqrt(1 +
 * ep)), and per file the mean over the statements the failing run covers. RANK_BEST is what `auto`
 * uses: see rank.c; RANK_EVIDENCE is told apart for measuring what each is worth. Only source files
 * are ranked; tied files get the worst rank among them. */
#ifndef CULPRIT_ISOLATE_RANK_H
#define CULPRIT_ISOLATE_RANK_H

#include "isolate/isolation.h"

typedef enum RankWay {
    RANK_PUBLISHED,
    RANK_EVIDENCE, /* best, by coverage alone: without what is known of files (rank_files.h) */
    RANK_BEST,
} RankWay;

typedef struct Suspect {
    uint32_t index;   /* of the file or function in the coverage map */
    double score;     /* higher is more suspicious; the best one has 1 */
    unsigned rank;    /* 1 is best; ties: the worst */
    uint32_t covered; /* its statements the failing run covers */
    uint32_t cleared; /* witnesses that ran all of them */
    unsigned frame;   /* place in the backtrace, 1 is innermost; 0: not in it */
} Suspect;

typedef struct Ranking {
    Suspect *files;
    uint32_t n_files;
    Suspect *functions;
    uint32_t n_functions;
    double *stmts; /* per statement; 0 where the failing run does not cover it */
} Ranking;

/* Everything in the arena. */
Ranking rank_suspects(Arena *arena, const Isolation *iso, RankWay way);

#endif
