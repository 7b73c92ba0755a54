/* A case prepared for display: which pair, under which title, with which commands. The terminal
 * (show), the exported directory and the pages all use this, so that they say the same. */
#ifndef CULPRIT_REPORT_CASEVIEW_H
#define CULPRIT_REPORT_CASEVIEW_H

#include "base/base.h"
#include "base/json.h"
#include "base/live.h"
#include "store/case_repro.h"

typedef struct CaseView {
    Case c;            /* as stored */
    Str title;         /* one line */
    Str doubt;         /* why it may not be a bug, so that nobody is sent a report: "this program is
                          undefined: ..", "unconfirmed: .."; empty: nothing speaks against it */
    bool reduced;      /* seed and variant below are the reduced pair */
    Str seed;          /* the passing program; empty: there is none */
    Str variant;       /* the failing program */
    Str expected;      /* right output of variant; empty: not known, or irrelevant */
    bool has_repro;    /* repro is there: compiler, program and verdict are known */
    Repro repro;       /* the case as a failure that can be asked again */
    StrVec flags;      /* that fail, one each */
    StrVec good_flags; /* that pass */
    json_t *snippets;  /* the JSON members of the case; NULL when missing or not valid */
    json_t *units;     /* an array: the program is compiled in several units; NULL: in one */
    json_t *matrix;
    json_t *versions;
    json_t *rankings;
    json_t *explanations;
    CaseStep *steps; /* of its investigation */
    size_t n_steps;
    Arena arena; /* owns the texts */
} CaseView;

/* Reads case id. Release it after a failure, too. */
bool caseview_load(CaseView *view, Store *store, int64_t id, Error *err);
void caseview_release(CaseView *view);

/* One line about c, from its short texts: works for listed cases as well. */
Str case_title(Arena *arena, const Case *c);
bool case_is_unconfirmed(const Case *c);
/* Why a case is unconfirmed, in one line; empty: it is not. */
Str case_doubt(const Case *c);
/* "crash", "wrong code", "hang" ..: the verdict in words. */
const char *verdict_words(Str verdict);
/* The colour that goes with a verdict on a terminal. */
Colour verdict_colour(Str verdict);

/* The failing or the passing command, to compile and run, as a shell line. Nothing where the case
 * cannot be asked again (has_repro). */
void caseview_shell_line(const CaseView *view, bool good, Buf *out);
/* The exit status variant must give. */
int64_t caseview_code(const CaseView *view);
/* Whether the program must be linked and run to see the bug. */
bool caseview_runs(const CaseView *view);
/* The script that exits 0 when the bug is there, as cc/repro_script.c writes it: reads the files of
 * repro, input.txt and expected.txt beside it. */
void caseview_repro(const CaseView *view, Buf *out);

/* "2026-11-15 04:20" in UTC; "-" for 0. */
const char *show_time(double time, char out[32]);

/* The case as JSON: what --json prints and exports. */
json_t *caseview_json(const CaseView *view);
json_t *case_json(const Case *c); /* for a listed case: short texts only */

#endif
