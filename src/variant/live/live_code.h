/* Executed statements over an environment: what a TCB does between saving and restoring.
 *
 * A LiveCode is the place being written: its environment is updated by every statement (section 4.4
 * of the paper: speculative execution), so whatever is written next knows the values. Beyond stores
 * there are new locals (scalars, structures with bit-fields, unions, arrays, pointers), copies of
 * structures, loops with a known number of iterations, ifs and switches whose outcome may be open,
 * and calls of new functions placed above the current function. A store that may or may not happen,
 * or whose target is open, adds its values to the old ones.
 *
 *     LiveCode l; live_init(&l, synth, &env, scene, prefix);
 *     live_given(&l, &var);
 *     live_locals(&l); live_statements(&l, n);
 *     ... l.text, l.above ...
 *     live_release(&l);
 *
 * Nothing here is undefined over the environment it was given; text and above are C. */
#ifndef CULPRIT_VARIANT_LIVE_LIVE_CODE_H
#define CULPRIT_VARIANT_LIVE_LIVE_CODE_H

#include "variant/body.h"
#include "variant/synth.h"

enum {
    LIVE_FIELDS = 12,
    LIVE_RECORDS = 2,
    LIVE_ARRAYS = 2,
    LIVE_UNIONS = 2,
    LIVE_MEMBERS = 4,
    LIVE_POINTERS = 2,
    LIVE_REALS = 3,
    LIVE_RECENT = 8
};

/* Two variables of one new structure type. */
typedef struct LiveRecord {
    const char *tag;
    const char *names[2];
    IType fields[LIVE_FIELDS]; /* .f0, .f1, .. */
    unsigned n;
} LiveRecord;

typedef struct LiveArray {
    const char *name;
    IType type;
    unsigned count; /* a power of two */
} LiveArray;

/* Two variables of one new union type. At most one member of each is in the environment: the one
 * last stored. */
typedef struct LiveUnion {
    const char *tag;
    const char *names[2];
    IType fields[LIVE_MEMBERS]; /* .f0, .f1, .. */
    unsigned n;
} LiveUnion;

/* A new pointer, and what it points to now. */
typedef struct LivePointer {
    const char *name;
    EnvVar to;
} LivePointer;

/* A new variable of floating point, or an element of an array of them. The environment knows what
 * it holds by an expression that reads it: ((long)(name * 8)), of long. */
typedef struct LiveReal {
    Str lvalue;
    RealKind kind;
    unsigned shift; /* it holds a whole number by 2^shift */
    EnvVar read;
} LiveReal;

typedef struct LiveCode {
    Synth s;
    Env env; /* at the end of text */
    Buf text;
    Buf above;           /* types and functions that must come before the function */
    Scene *scene;        /* for what is never executed; NULL: only names of env */
    const char *prefix;  /* of new names */
    unsigned *names;     /* new names so far; shared with inner places */
    unsigned own_names;  /* what names points to, usually */
    VEC(EnvVar) targets; /* what may be changed: given ones and locals */
    size_t given;        /* this many of them, the first ones, were given */
    LiveRecord records[LIVE_RECORDS];
    unsigned records_len;
    LiveArray arrays[LIVE_ARRAYS];
    unsigned arrays_len;
    LiveUnion unions[LIVE_UNIONS];
    unsigned unions_len;
    LivePointer pointers[LIVE_POINTERS];
    unsigned pointers_len;
    LiveReal reals[LIVE_REALS];
    unsigned reals_len;
    EnvVar recent[LIVE_RECENT]; /* stored to last, as a ring */
    unsigned stores;            /* so far */
    unsigned depth;             /* of new functions and nested statements */
} LiveCode;

void live_init(LiveCode *l, Synth s, const Env *env, Scene *scene, const char *prefix);
void live_release(LiveCode *l);
/* A variable of the program that may be changed; the caller restores it. */
void live_given(LiveCode *l, const EnvVar *var);
/* Declarations of some new locals; they become targets. */
void live_locals(LiveCode *l);
/* Writes n statements; there must be a target. */
void live_statements(LiveCode *l, unsigned n);
/* v = e or v op= e. */
void live_store(LiveCode *l, const EnvVar *var);
/* ---- for the kinds of statements (live_code.c, alias.c, live_real.c) ---- */
const char *live_name(LiveCode *l, char kind); /* a new one */
IType live_any_field(Rng *rng);                /* some of them bit-fields */
/* What the environment knows about the path; NULL: nothing. */
const EnvVar *live_known(const LiveCode *l, Str text);
/* The variable has these values now; with none or too many it leaves the environment. */
void live_now_has(LiveCode *l, const EnvVar *var, ValueSet set);
const EnvVar *live_any_target(LiveCode *l);
void live_add_target(LiveCode *l, const EnvVar *var);
/* A path of a new local; root: the local's name. */
EnvVar live_local_path(const char *root, const char *text, IType type);

/* ---- live_real.c ---- */
/* A new local of floating point. */
void live_new_real(LiveCode *l);
/* A store to one; false: there is none, or no value for it. */
bool live_real_statement(LiveCode *l);

/* A condition that is false, but most likely true when some target has a wrong value. */
Str live_suspicion(LiveCode *l);

#endif
