/* Does a program pass, or fail as the given one does? The oracles of DiWi and RecBi (their sections
 * on mutation outcomes), as one job for the pool.
 *
 * Crash and hang: compiled with the failing options. The same crash means the same function and
 * message. Where the front end crashes, a program it refuses with an error has passed. Wrong code:
 * compiled and run with the passing options (or by the other compiler) and with the failing ones.
 * The run with the passing options must end with an exit status: one that aborts has no right
 * answer to compare with. A passing program must compile with both; for one about to be accepted,
 * `strict` asks for more: the program also passes with all of the failing options, is clean under
 * the sanitizers where it is run, and passes with a hash of all globals printed at its end, where
 * the failing program still fails with it. */
#ifndef CULPRIT_ISOLATE_WITNESS_JUDGE_H
#define CULPRIT_ISOLATE_WITNESS_JUDGE_H

#include "cc/clean.h"
#include "isolate/subject.h"

typedef enum Judgement {
    JUDGED_PASSES,
    JUDGED_FAILS,   /* as the given program does: a failing twin */
    JUDGED_INVALID, /* does not compile, does not end, undefined */
    JUDGED_OTHER,   /* fails in another way */
    JUDGED_NONE,    /* not judged: cancelled, machine */
} Judgement;
const char *judgement_name(Judgement outcome);

typedef struct JudgeJob {
    Job job; /* must be first */
    Subject *subject;
    Str source;
    const char *const *fail; /* options to judge by; subject's own by default */
    bool same_program;       /* it is the failing program itself: its right run is known */
    Map *codes; /* same_program: what code that was made before did (Hash -> Judgement); may be NULL
                 */
    const CleanTools *clean; /* strict: also check with sanitizers; NULL: do not */
    bool clean_failure;      /* a failure must be clean as well, or else it is invalid */
    bool whole;    /* strict: also passes with the failing options as given, where `fail` has fewer
                      optimisations */
    unsigned skip; /* strict: sanitizers left out, as in clean.h */
    Str hashed;    /* strict: the same program with the hash; empty: not checked */
    /* ---- the outcome ---- */
    Judgement outcome;
    bool refused;     /* it passes because an error refuses it: see Subject.front_end */
    const char *why;  /* for people; in job.arena */
    Str crash_frames; /* of the failing compilation, if it crashed */
    /* ---- own ---- */
    int stage;
    bool strict; /* judge_again: begins after the pass */
    CcJob *cc;   /* the compilation in flight; in job.arena */
    bool cc_open;
    CleanJob cleaning;
    Str right; /* output of the passing run; later, of the program with the hash */
    int right_code;
    Str plain; /* the same of the program itself */
    int plain_code;
} JudgeJob;

void judge_init(JudgeJob *job, Subject *s, Str source);
/* A job that passed continues with the strict part: set clean and hashed, then submit it again.
 * What was done before is not repeated. */
void judge_again(JudgeJob *job);
void judge_run(JudgeJob *job); /* alone, to its end */
void judge_end(JudgeJob *job);

#endif
