/* Does a set of reverted changes compile? clang's parser tells, in process, before a build.
 *
 * culprit-cc writes down what it compiled and how while the two versions are built with it. A set
 * touches the units that read a changed file: those are parsed with the texts the set makes, and
 * what a unit defines and uses is compared over all of them, as a linker would. A set that does not
 * fit is not built: what clang says about it is as good as a build's messages. Answers are kept by
 * unit and by the state of the files it reads, so that a set that differs in one file costs the
 * units of that file.
 *
 * What cannot be known is assumed to fit: a unit that clang refuses in one of the two versions as
 * they are, and where flags or generated files differ between them, a unit that compiles with
 * either.
 *
 *     fit_new(set, &bad, &good, limits);  if (!fit_set(fit, reverted, &log)) ..;  fit_free(fit) */
#ifndef CULPRIT_CHANGE_FIT_H
#define CULPRIT_CHANGE_FIT_H

#include "change/change.h"

/* What culprit-cc calls the list, in the directory where it keeps bitcode. Words that end with NUL:
 * where it ran, the source, the compiler's arguments; an empty word after each unit. */
#define FIT_LIST "units"

/* In a message: what follows is the place that clang's note points at, "PATH:LINE". */
#define FIT_SEE " see "

/* A version that was built with culprit-cc. */
typedef struct FitTree {
    const char *dir;  /* the built tree, which stays as long as the Fit */
    const char *list; /* the list of its units */
} FitTree;

typedef struct FitCounts {
    size_t units;   /* that are looked at */
    size_t asked;   /* sets */
    size_t refused; /* of those: do not fit */
    size_t parses;
    double parse_s; /* CPU time in clang */
} FitCounts;

typedef struct Fit Fit;

/* What parsing may cost, in seconds of CPU time. */
typedef struct FitLimits {
    double unit_s;  /* one unit once, */
    double whole_s; /* and both versions as they are */
} FitLimits;

/* NULL: nothing can be said of these trees, or it takes too long. */
Fit *fit_new(const ChangeSet *set, const FitTree *bad, const FitTree *good, FitLimits limits);
void fit_free(Fit *fit);
const FitCounts *fit_counts(const Fit *fit);
/* Whether flags or generated files of some unit are not the same in both versions. */
bool fit_varies(const Fit *fit);
/* False: bad with the subset reverted does not compile or link; the messages are added to log, as
 * compilers print them, with paths from the tree's root. */
bool fit_set(Fit *fit, const uint8_t *reverted, Buf *log);

/* Whether reverting a change of a build file brings back a unit that defines the name: one that
 * only good compiles though bad has its source as well. */
bool fit_brings(const Fit *fit, size_t change, Str name);
/* After fit_set was false: the unit that clang refused, by the path of its source; NULL: units do
 * not fit together. */
const char *fit_refused_unit(const Fit *fit);
/* How many of the messages about one unit of the set have this text (without place). */
size_t fit_says(Fit *fit, const char *unit, const uint8_t *reverted, Str text);
/* The text of a message without its place; empty: the line is none. */
Str fit_message_text(Str line);

#endif
