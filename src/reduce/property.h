/* The test of one side: is this program still interesting?
 *
 * An Property is made once from the options. An Asking is one question put to it: a ladder of
 * processes, cheapest first, driven from inside a pool's Job. Every question gets a fresh directory
 * that holds only the candidate under its own name, and a private TMPDIR beside it; both are
 * removed when the question is answered. */
#ifndef CULPRIT_REDUCE_PROPERTY_H
#define CULPRIT_REDUCE_PROPERTY_H

#include "cc/clean.h"
#include "run/run.h"

typedef enum PropertyKind {
    PROPERTY_SCRIPT,  /* an executable: exit status 0 is interesting (C-Reduce's convention) */
    PROPERTY_CRASH,   /* a compiler's crash with the same signature, or a message that matches */
    PROPERTY_HANGS,   /* a compiler that does not end within the limit */
    PROPERTY_DIFFERS, /* two compilations behave differently, and the program is clean */
    PROPERTY_MESSAGE, /* a command fails (or not) and says something that matches */
} PropertyKind;

typedef struct Property Property;

typedef struct PropertySpec {
    PropertyKind kind;
    const char *name;     /* file name of the candidate */
    const char *script;   /* PROPERTY_SCRIPT: path of the executable */
    const char *command;  /* CRASH, HANGS, MESSAGE, DIFFERS: "gcc-11 -O2 -S" */
    const char *command2; /* DIFFERS: the other one */
    const char *message;  /* CRASH, MESSAGE: extended regular expression; NULL: none */
    bool passing;   /* the other side: compiles, is clean where it runs, and does not fail so */
    bool c;         /* the candidate is a C program */
    double timeout; /* wall seconds of one process; 0: by what the start takes */
    double limit;   /* HANGS: seconds */
    Str input;      /* DIFFERS: standard input of the programs */
} PropertySpec;

/* NULL and err when a program is not there or an expression is wrong. */
Property *property_new(const PropertySpec *spec, Error *err);
void property_free(Property *property);
/* "crashes gcc-11 -O2 -S with ..": what the test asks, for messages. */
const char *property_describe(const Property *property);
/* Whether Asking.rejected means anything: a script does not say why it says no. */
bool property_sees_compiler(const Property *property);
/* CRASH without --message: what the start's crash looks like becomes what is looked for. Called
 * with the first answer on the starting program. */
void property_learn(Property *property, Str signature);
/* The start is interesting: from now on candidates that take far longer than it did say no. */
void property_begin(Property *property);

/* No longer insists on a compilation without dangerous warnings (DIFFERS: first on those of a
 * second compiler, then on all), or on a clean program (the passing side of CRASH and HANGS);
 * false: there was nothing left to insist on. */
bool property_relax(Property *property);

typedef struct Asking {
    Property *property;
    Str text;         /* the candidate; must stay alive */
    Arena *arena;     /* of the job */
    bool interesting; /* the answer, once asking_step returned false */
    bool rejected;    /* a compiler refused the candidate (an error message, not a crash) */
    bool undefined;   /* a sanitizer reported the candidate: asking again cannot clear it */
    Str why;          /* one line: what was found instead */
    Str signature;    /* CRASH: what was found */
    /* ---- own ---- */
    int rung;
    const char *dir;
    const char *temp;
    RunResult first; /* DIFFERS: the run of the first compilation */
    CleanJob clean;
    unsigned jobs; /* clean was begun and holds memory */
} Asking;

/* Like Job.step: fills *next and returns true to run a process, false when it is answered. */
bool asking_step(Asking *asking, const RunResult *last, RunSpec *next);
/* Removes the directories: also after a cancelled one. */
void asking_end(Asking *asking);

#endif
