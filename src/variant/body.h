/* Random statements for places that are never executed: bodies of FCBs, and what Athena inserts.
 *
 * They only need to compile, but with every compiler: so all expressions are of integer type,
 * everything named is visible at the site, labels exist, breaks have their loop. They read
 * uninitialised locals and index arrays out of bounds on purpose: a compiler that executes any of
 * it is wrong. */
#ifndef CULPRIT_VARIANT_BODY_H
#define CULPRIT_VARIANT_BODY_H

#include "base/rng.h"
#include "cfront/cfront.h"
#include "variant/eval.h"

/* What can be named at a site. */
typedef struct Scene {
    const CUnit *unit;
    const CStmt *stmt; /* the site is right before it */
    Rng *rng;
    Arena *arena;
    CDeclVec decls; /* visible variables */
    VEC(const CFunction *) callees;
    StrVec labels;      /* goto targets; empty where a jump might be invalid */
    bool in_loop;       /* continue has a target */
    bool in_breakable;  /* break has */
    const char *prefix; /* of new names */
    unsigned names;     /* new names so far */
} Scene;

void scene_init(Scene *scene, Arena *arena, Rng *rng, const CUnit *unit, const CStmt *stmt,
                const char *prefix);
void scene_release(Scene *scene);

/* One or more statements, without braces around them. looped: they are inside a new loop. */
void body_statements(Scene *scene, unsigned depth, bool looped, Buf *out);
/* A statement that prints the integer expression; assigns to it where printf means something else.
 */
void body_print(Scene *scene, Str expr, Buf *out);

#endif
