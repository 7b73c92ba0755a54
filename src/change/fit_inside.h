/* Inside a Fit: what fit.c (units, parsing) and fit_link.c (symbols) share. */
#ifndef CULPRIT_CHANGE_FIT_INSIDE_H
#define CULPRIT_CHANGE_FIT_INSIDE_H

#include "change/fit.h"

enum { FIT_BAD, FIT_GOOD, FIT_SIDES };

typedef VEC(const char *) FitWords;

/* How one version compiles a unit. */
typedef struct FitSide {
    bool there;
    const char *dir, *source; /* where the compiler ran, and what it was given */
    FitWords args;
} FitSide;

typedef struct FitSymbol {
    uint32_t name; /* number of the name */
    uint32_t line; /* of the definition, else of the first use */
    Str path;
    bool defined;
    bool local; /* a static function */
} FitSymbol;

/* What came out for a unit in one state of the files it reads. */
typedef struct FitAnswer {
    bool fits;
    bool guessed; /* all that is wrong may be due to a file that the build makes otherwise */
    Str log;      /* messages, where it does not */
    const FitSymbol *symbols;
    size_t n_symbols;
} FitAnswer;

/* A file that the build makes, not the same in both versions; see fit_made.c. */
typedef struct FitMade FitMade;
#define FIT_MADE_MOST 64

typedef struct FitUnit {
    const char *path; /* of the source, from the tree's root */
    FitSide side[FIT_SIDES];
    uint8_t *reads;                  /* for each file of the set: it reads that */
    uint64_t made;                   /* a bit for each such file that it reads and that follows */
    bool varies;                     /* flags or generated files are not the same in both */
    bool mute;                       /* clang refuses one of the unmodified versions */
    const FitAnswer *end[FIT_SIDES]; /* of bad and good as they are */
    Map known;                       /* state -> FitAnswer * */
    const FitAnswer *taken;          /* in the set that is being tested; NULL: not part of it */
    bool unsure;                     /* and whether it might be a different one */
    const FitAnswer *other;          /* that one: with the other version's flags; NULL: not known */
} FitUnit;

struct Fit {
    const ChangeSet *set;
    Arena arena;
    const char *root[FIT_SIDES]; /* of the two trees, without links */
    VEC(FitUnit) units;          /* what was refused last comes first */
    VEC(FitMade *) made;         /* files that the builds made otherwise */
    Map otherwise;               /* of paths -> 1, or 2 where the builds made them otherwise */
    uint8_t *outside;            /* for each change: in a file that no C compiler reads */
    Map names;                   /* of symbols -> 1 + number */
    StrVec by_number;
    uint8_t
        *external[FIT_SIDES]; /* by name: used in that version, and defined by none of its units */
    uint32_t *defined[FIT_SIDES]; /* by name: how many units of that version define it */
    uint8_t *local;               /* by name: a static function of either version */
    size_t n_ends;                /* names there were then */
    const char *refused;          /* the unit that was refused last; NULL: by fit_link */
    FitCounts counts;
};

/* Number of a file that the builds made otherwise, by its path from the root; FIT_MADE_MOST: there
 * are too many. */
size_t fit_made_note(Fit *fit, const char *path);
/* Whether each of its differences follows changes of the set. */
bool fit_made_follows(const Fit *fit, size_t made);
/* Whether it is one that does not. */
bool fit_made_strays(const Fit *fit, const char *path);
/* Whether a line that differs of a header that does not holds the word. */
bool fit_made_holds(const Fit *fit, Str word);
/* What it is in a set, and its path; tells sets in which it differs apart. */
const char *fit_made_text(const Fit *fit, size_t made, const uint8_t *reverted, Buf *text);
void fit_made_state(const Fit *fit, size_t made, const uint8_t *reverted, Buf *key);
/* Whether the set makes it another file than bad's. */
bool fit_made_touched(const Fit *fit, size_t made, const uint8_t *reverted);
void fit_made_release(Fit *fit);

/* Number of a symbol's name. */
uint32_t fit_name(Fit *fit, Str name);
/* What the two versions as they are define and lack; called once all ends are known. */
void fit_link_ends(Fit *fit);
/* Whether what the units of the set (taken) define and use fits together. */
bool fit_link(Fit *fit, Buf *log);

#endif
