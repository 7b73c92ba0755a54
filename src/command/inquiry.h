/* One case taken through all stages: what the steps of an investigation share.
 *
 *     inquiry_open -> inquiry_run (each step of inquiry_steps in order) -> inquiry_release
 *
 * Every step reads the case from the store, fills a stage's request from it, and writes the result
 * back; its state is stored beside it:
 *
 *     done      not done again
 *     stopped   interrupted, or out of time: what it has is kept, the next run continues
 *     failed    tried, and tried again the next time; the result says why
 *     skipped   cannot be done here (no coverage build, no sources); tried again the next time */
#ifndef CULPRIT_COMMAND_INQUIRY_H
#define CULPRIT_COMMAND_INQUIRY_H

#include "base/base.h"
#include "store/store.h"

typedef struct Inquiry {
    const char *store; /* path; never NULL */
    int64_t id;        /* the case */
    Case c;            /* as it is now: read again before every step */
    double until;      /* clock at which everything ends; INFINITY: never */
    double step_s; /* seconds the running step has: its share of what is left; 0: its own default */
    uint64_t jobs; /* concurrent processes; 0: all cores */
    bool quiet;    /* nothing on stdout but results for machines */
    Arena arena;   /* texts of c and of results */
} Inquiry;

typedef enum StepEnd {
    STEP_DONE,    /* there is a result */
    STEP_SKIPPED, /* cannot be done here: result says why */
    STEP_FAILED,  /* was tried: result says why it failed */
    STEP_STOPPED, /* interrupted or out of time: to be continued; result says what there is */
} StepEnd;

typedef struct InquiryStep {
    const char *name;
    const char *brief; /* what it does, for people */
    /* For a step that takes as long as it is given, and so shares the remaining time: whether there
     * is anything to do. NULL: it ends by itself. */
    bool (*ready)(Inquiry *inquiry);
    /* Does it; *result is one line for people, in the arena. */
    StepEnd (*run)(Inquiry *inquiry, Str *result);
} InquiryStep;
extern const InquiryStep inquiry_steps[]; /* ended by name NULL */

bool inquiry_open(Inquiry *inquiry, const char *store, int64_t id, Error *err);
void inquiry_release(Inquiry *inquiry);
/* Takes the steps that are not done (again: all of them; only: just that one, or NULL). False and
 * err when the store fails. *worst is the worst end of any step, taken now or before: stopped, then
 * failed, then done. */
bool inquiry_run(Inquiry *inquiry, bool again, const char *only, StepEnd *worst, Error *err);

/* The steps, by file. */
StepEnd step_snippets(Inquiry *inquiry, Str *result);
StepEnd step_reduce(Inquiry *inquiry, Str *result);
StepEnd step_versions(Inquiry *inquiry, Str *result);
StepEnd step_isolate(Inquiry *inquiry, Str *result);
StepEnd step_explain(Inquiry *inquiry, Str *result);
bool ready_reduce(Inquiry *inquiry);
bool ready_isolate(Inquiry *inquiry);
bool ready_explain(Inquiry *inquiry);

/* A directory of its own for this case that stays until the case is done. */
const char *inquiry_dir(Inquiry *inquiry, const char *purpose);
/* The failing program as it is now: the reduced one, if there is one. */
Str inquiry_program(const Inquiry *inquiry);
/* Writes members and reads the case again. */
bool inquiry_set(Inquiry *inquiry, const CaseSet *sets, size_t n, Error *err);

#endif
