/* The engine every pass runs on: candidates of one or two programs, tested many at a time, the
 * first interesting one in order taken.
 *
 * A pass proposes candidates 0, 1, 2, ..; reducer_first refuses those the parser finds worse than
 * what they came from, answers from the cache what was tested before (each side has its own test
 * and its own cache), runs the others in the pool, and takes the first success: the documents are
 * then already changed. What is taken is strictly smaller in (difference, variant, seed, bytes) in
 * lexicographic order, whatever a pass proposes, so reduction ends. A test that contradicts itself
 * is detected here (see flake.c). */
#ifndef CULPRIT_REDUCE_REDUCER_H
#define CULPRIT_REDUCE_REDUCER_H

#include "base/live.h"
#include "reduce/ask/property.h"
#include "reduce/ask/stuck.h"
#include "reduce/doc.h"
#include "reduce/fileset.h"
#include "reduce/rights.h"
#include "shrink/speculate.h"

enum { SEED, VARIANT, SIDES };

typedef struct Candidate {
    Arena arena;
    DocChange side[SIDES];
    bool unasked; /* the parser does not check it */
} Candidate;

typedef struct Side {
    bool on; /* single mode: only the variant */
    Doc doc;
    FileSet files; /* doc is the current one of these */
    Property *property;
    Map cache; /* hash of the text and of what is beside it -> 1 not interesting, 2 interesting */
    uint64_t asked, fell; /* questions asked, and how many were answered with no */
    size_t endless;       /* tokens when a watched run of it did not end (observe.h); 0: it did */
} Side;

/* What has to become smaller with every step, in this order (the paper's own definition puts the
 * difference first). For one program alone: difference and seed are 0. */
typedef struct Measure {
    size_t difference;    /* tokens inserted and deleted, in a Myers alignment */
    size_t variant, seed; /* tokens */
    size_t bytes;         /* of both */
} Measure;

/* What one phase cost. */
typedef struct PhaseStats {
    const char *name, *part; /* part: the finder it is about; NULL: none, the phase has no such */
    uint64_t tests;          /* questions run, per side */
    uint64_t cached;         /* answered from the cache */
    uint64_t refused;        /* refused by the parser or the grammar: never run */
    uint64_t rejected;       /* run, and the compiler answered with an error message */
    uint64_t said_yes;       /* run, and interesting */
    uint64_t accepted;
    uint64_t tokens; /* that the accepted steps took away, of both sides */
    uint64_t killed; /* begun and cancelled: lost bets */
    double wall_s, cpu_s;
} PhaseStats;

/* A pair that was accepted, to fall back to. */
typedef struct Past {
    char *text[SIDES]; /* owned; NULL for a side that is off */
    size_t len[SIDES];
} Past;

typedef struct Reducer {
    Side side[SIDES];
    bool pair;
    Pool *pool;
    Live live;
    VEC(PhaseStats) phases; /* by name and part, in order of first use */
    size_t phase;           /* the current one */
    double phase_began, phase_cpu;
    bool stop;         /* interrupted or out of time: passes end */
    double until;      /* clock at which to stop; 0: never */
    Str input;         /* standard input of the programs, where they run */
    size_t difference; /* tokens, as of the last count */
    Map larger;        /* pairs that are interesting but no smaller: hash -> 1 */
    size_t todo;       /* candidates the current sweep may still have, for the estimate */
    uint64_t accepted; /* steps in all */
    bool flaky;        /* the test was caught contradicting itself */
    unsigned contradictions;
    bool undefined;   /* the last answer was no by a sanitizer's report: no other can clear it */
    double confirm_s; /* wall seconds spent on asking again */
    VEC(Past) past;   /* verified ancestors, each a tenth smaller than the one before */
    size_t past_size; /* tokens of the last of them */
    bool blind;       /* the parser is not used (baselines) */
    size_t beside;    /* tokens, about, of the variant's other files: a test costs what all cost */
    bool minds;  /* the test refuses what is not a program: the last pass need not use the parser */
    bool undone; /* flakiness or another bug made us fall back: documents were reloaded */
    bool bucket; /* which bug it is can be checked: at every halving and at the end */
    bool slipped;     /* it turned out to be another bug once .. */
    bool insists;     /* .. and from then on every question checks which it is */
    size_t milestone; /* tokens when it was last checked */
    Arena said;       /* the last answers, for messages */
    Rights rights;    /* of variants that were found interesting */
    Stuck stuck;      /* changes of the variant that made it hang */
    /* Called after accepted steps, at most once a second, to save what is there. */
    void (*save)(void *user, struct Reducer *r);
    void *save_user;
    double saved;
} Reducer;

/* Fills c and returns true; leaves it untouched to skip i; returns false when there are no more. */
typedef bool (*Propose)(void *user, size_t i, Candidate *c);

void reducer_phase(Reducer *r, const char *name);
/* The same for one finder of the phase. */
void reducer_phase_part(Reducer *r, const char *name, const char *part);
/* The first interesting candidate, taken; SHRINK_NONE; or SHRINK_STOP (r->stop is then set). */
size_t reducer_first(Reducer *r, Propose propose, void *user);
/* The outcome of a question about the pair as it is. Texts are in r->said, until the next
 * reducer_verify or reducer_confirm. */
typedef struct ReduceAnswer {
    bool yes;       /* both sides are interesting */
    bool cancelled; /* interrupted or out of time: nothing is known */
    int side;       /* no: the side that is not */
    Str why;        /* .. and what was found instead */
    bool unclean;   /* .. by a sanitizer */
    bool has_seen;  /* how the failing side fails */
    Symptom seen;
} ReduceAnswer;
/* One question about the pair as it is (no cache). */
ReduceAnswer reducer_ask_now(Reducer *r);
/* One question about any text for one side (no cache); why not goes to *why, if that is not NULL.
 */
bool reducer_ask_text(Reducer *r, int side, Str text, Str *why);
/* What the variant as it is should print and return; NULL: not known. */
const Right *reducer_right(const Reducer *r);
PhaseStats *reducer_stats(Reducer *r);
void reducer_count_difference(Reducer *r);
Measure measure_of(Reducer *r); /* counts the difference */
bool measure_less(const Measure *a, const Measure *b);
void reducer_show(Reducer *r); /* the live line */
void reducer_save(Reducer *r, bool now);
void reducer_release(Reducer *r);

/* ---- flake.c ---- */
typedef struct Runs {
    unsigned quick, slow; /* times a quick test is asked, and a slow one */
} Runs;
/* The start (learn: from then on looks for the way it fails) or the end: asks several times; false
 * when the answers (by majority, where they differ) are no, with the side and the reason. */
bool reducer_verify(Reducer *r, Runs runs, bool learn, ReduceAnswer *answer);
/* Questions use all sanitizers, or only the first (property.h). True: that makes a difference. */
bool reducer_thorough(Reducer *r, bool on);
/* Is it still defined, and the bug that was given? Checked when the size has halved since the last
 * time, and if `now`. No: goes back to the last pair that was, and checks every candidate from then
 * on. False: it went back (r->undone), or could not (r->stop). */
bool reducer_milestone(Reducer *r, bool now);
/* Tests an accepted candidate once more, if that is due. False: it was undone. */
bool reducer_confirm(Reducer *r, const Candidate *c);
/* Keeps the current pair as one to fall back to, if it is a tenth smaller than the last one kept.
 */
void reducer_remember(Reducer *r, bool always);
/* Goes back to the newest remembered pair that a flaky test still accepts; false: there is none. */
bool reducer_fall_back(Reducer *r);

/* A question about up to two sides as a job for the pool. */
typedef struct Question {
    Job job;
    Reducer *r;
    Asking ask[SIDES]; /* the sides to ask, in this order */
    int which[SIDES];  /* which side each is */
    int n, at;         /* how many; the one being asked */
    int lead;          /* flaky test: interesting answers minus others */
    bool yes;          /* the answer */
    int no_side;       /* which side said no */
} Question;
Question *question_new(Reducer *r, const Str *text, const bool *touched);
void question_free(Question *q);

#endif
