/* The test of one side: is this program still interesting?
 *
 * A Property is made once from the request. An Asking is one question put to it: a ladder of rungs,
 * cheapest first, driven from inside a pool's Job; one table says which rungs (property.c). Every
 * question gets a fresh directory that holds only the candidate's files under their own names, and
 * a private TMPDIR beside it; both are removed when the question is answered.
 *
 * What the failure is, is learnt from the start (property_learn): from then on a candidate that
 * fails in another way is not interesting (cc/repro.h, symptom_same), unless any failure will do.
 */
#ifndef CULPRIT_REDUCE_ASK_PROPERTY_H
#define CULPRIT_REDUCE_ASK_PROPERTY_H

#include "cc/clean.h"
#include "cc/repro.h"
#include "reduce/fileset.h"
#include "run/run.h"

typedef enum TestKind {
    TEST_SCRIPT,  /* an executable: exit status 0 is interesting (C-Reduce's convention) */
    TEST_CRASH,   /* a compiler's crash, or a message that matches */
    TEST_HANGS,   /* a compiler that uses up its CPU time */
    TEST_DIFFERS, /* two compilations behave differently, and the program is clean */
    TEST_SAYS,    /* a command writes something that matches */
    TEST_REPRO,   /* a failure that is known already: a case */
} TestKind;

/* What to test, as the user says it. Texts live as long as the request. */
typedef struct ReduceTest {
    TestKind kind;
    const char *script;         /* SCRIPT: the executable */
    const char *passing_script; /* the same for the passing side; others derive theirs */
    const char *command;  /* CRASH, HANGS, SAYS, DIFFERS: "gcc-11 -O2 -S", split as a shell would
                             (nothing is expanded); {} is the candidate, else it comes last */
    const char *command2; /* DIFFERS: the other one */
    const char *message;  /* CRASH, SAYS: extended regular expression; NULL: none */
    const Repro *repro;   /* REPRO; its files are those of the request */
    Str input;            /* DIFFERS: standard input of the programs */
    double timeout;       /* wall seconds of one process; 0: derived from what the start takes */
    double limit;         /* HANGS: CPU seconds; 0: REDUCE_HANG */
    bool any_failure;     /* any failure of the same kind will do */
    bool unchecked;       /* programs that run are not checked for undefined behaviour */
    bool any_c;           /* CRASH, HANGS: C that only old compilers take will do */
} ReduceTest;

typedef struct PropertySpec {
    const ReduceTest *test;
    const FileSet *files; /* what is tested; the caller changes it only between questions */
    bool passing; /* the other side: compiles, is clean where it runs, and does not fail that way */
    const char *lang; /* "c", "cpp", ..; "": not known */
} PropertySpec;

typedef struct Property Property;

/* NULL and err when a program is missing, an expression is wrong, or the language has no checks for
 * undefined behaviour and those were not waived. */
Property *property_new(const PropertySpec *spec, Error *err);
void property_free(Property *property);
/* "gcc-11 -O2 -S crashes with ..": what the test looks for, for messages. */
const char *property_describe(const Property *property);
/* Another test, or the same script with another text, has a different identity: an interrupted run
 * is resumed only for the same test. */
Hash property_identity(const Property *property);
/* Whether Asking.rejected is meaningful: a script does not say why it says no. */
bool property_sees_compiler(const Property *property);
/* Whether programs are run, as far as that is known (a script may). */
bool property_runs(const Property *property);
/* The flags that say which program a text is (-D, -I, -std), of a script those that it mentions;
 * NULL-ended. */
const char *const *property_meaning(const Property *property);
/* From now on looks for the way the start fails. */
void property_learn(Property *property, const Symptom *seen);
/* The start is interesting: from now on candidates that take far longer than it did count as no. */
void property_begin(Property *property);
/* What a script needed to say yes. */
typedef struct Effort {
    double cpu_s;     /* 0: it was not asked */
    double each_s;    /* .. of the process that used most, as far as that was seen */
    uint64_t written; /* bytes, by all its processes, to whatever it was */
} Effort;
/* A candidate that needed this (Asking.took) was taken: what is made of it may need no more than
 * what was made of the start relative to that. */
void property_took(Property *property, Effort took);
/* DIFFERS: the other compilation is the wrong one. False: there is nothing to swap. */
bool property_swap(Property *property);
/* No longer insists on a compilation without dangerous warnings, or on a clean program (the passing
 * side of crashes and hangs); false: there was nothing left to insist on. */
bool property_relax(Property *property);
/* Half of what an interesting program costs are sanitizers that rarely say no where the first did
 * not. Once begun, questions leave them out unless they are thorough. True: that makes a
 * difference. */
bool property_thorough(Property *property, bool on);
/* A thorough question was answered with no: from now on every question uses what said so. */
void property_beware(Property *property);
/* Is more known about the bug than how it shows (the flags that cure it, the pass it depends on)?
 */
bool property_has_bucket(const Property *property);
/* Does that hold for this text, which is interesting? why (in arena): what it has instead. */
bool property_same_bug(Property *property, Pool *pool, Arena *arena, Str text, Str *why);
/* From now on every question checks it. False: that costs too much (a pass). */
bool property_insist(Property *property);

typedef struct Asking {
    Property *property;
    Str text;         /* the candidate; must stay alive */
    Arena *arena;     /* of the job */
    bool interesting; /* the answer, once asking_step returned false */
    bool rejected;    /* a compiler refused the candidate (an error message, not a crash) */
    bool unclean;     /* a sanitizer's program did not do what it should .. */
    bool undefined;   /* .. or a sanitizer reported the candidate: asking again cannot clear it */
    Str why;          /* one line: what was found instead */
    bool endless;     /* one of our limits ended the script: of time, or of bytes written */
    bool has_seen;    /* `seen` is how it fails */
    Symptom seen;
    bool has_right; /* what the right program prints and returns is known */
    Str right;
    int code;
    Effort took; /* of a script that said yes */
    /* ---- own ---- */
    size_t rung; /* place in the ladder */
    unsigned tries;
    const char *dir;
    const char *temp;
    CleanJob clean;
    ReproJob repro;
    bool in_clean, in_repro; /* begun, and hold memory */
} Asking;

/* Like Job.step: fills *next and returns true to run a process, false when it is answered. */
bool asking_step(Asking *asking, const RunResult *last, RunSpec *next);
/* Removes the directories, also after a cancelled question. */
void asking_end(Asking *asking);

#endif
