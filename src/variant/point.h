/* Program points: where snippets may be inserted, and which paths are worth profiling there.
 *
 * A point is the place right before a statement. The probe that profiles it is exactly where the
 * snippet will be, so what it sees is what the snippet will see. Paths are lvalues that can
 * certainly be read at the point: initialised variables, their members and elements by constant
 * indices (never volatile; of a union only the member last stored), and pointees of pointers, whose
 * validity the profiler decides. */
#ifndef CULPRIT_VARIANT_POINT_H
#define CULPRIT_VARIANT_POINT_H

#include "base/rng.h"
#include "cfront/cfront.h"
#include "variant/env.h"

enum { POINT_DEREFS = 2 }; /* pointers in one path at most */

/* A pointer on the way of a path. */
typedef struct Hop {
    Str text;            /* the pointer, as an expression */
    const CType *target; /* what it points to, without qualifiers */
} Hop;

typedef struct Path {
    Str text;
    IType type;
    const CDecl *root; /* variable it starts from */
    Hop hops[POINT_DEREFS];
    unsigned hops_len;
    const CDecl *const *near; /* live locals the first pointer may point to (origin.h) */
    uint32_t near_len;
    bool writable;    /* nothing on the way is const */
    bool addressable; /* a pointer to it may be made: no bit-field, nothing packed, no register */
    uint32_t slot;    /* of its values in the profile */
    uint32_t hop_slots[POINT_DEREFS]; /* of the objects its pointers pointed to */
} Path;

typedef struct Point {
    const CStmt *stmt;
    Path *paths;
    uint32_t paths_len;
    bool seen;     /* control was there (after profiling) */
    uint32_t hits; /* how often control got there; after profiling */
    Env env;       /* what the profile knows about the paths (after profiling) */
} Point;
typedef VEC(Point) PointVec;

/* The integer type of a C type; false when it is not one we handle. bits: of a bit-field, or -1. */
bool point_integer(const CType *type, int bits, IType *out);
/* Whether snippets may be put into the function at all. */
bool point_function_fits(const CFunction *f);
/* Statements drawn with the given probability, at least about HUNT_POINTS_FLOOR and at most
 * HUNT_POINTS_CAP, in source order, with their paths. refused: functions to leave alone, by
 * CFunction.index; may be NULL. */
void points_sample(Arena *arena, Rng *rng, const CUnit *unit, const bool *refused,
                   double probability, bool with_paths, PointVec *out);
void points_release(PointVec *points);

#endif
