/* What only the program's text can tell about where values come from.
 *
 * A pointer may be followed when it certainly points to a live object. The profiler knows the
 * addresses of all globals; for a local it only sees an address, which may be that of a dead one
 * whose memory has been reused. So a pointer to a local is followed only where the text settles it:
 * the pointer is a local variable whose own address is never taken, everything ever assigned to it
 * is the address of a variable (or null), and the variable lives at least as long as the pointer
 * does.
 *
 * A member of a union may be read when it is the one last stored: by the statement right before
 * the point, or because nothing else is ever stored to that variable.
 *
 * A compound literal lives as long as the block it is in: new braces around its statement would end
 * its life early.
 *
 * A value that comes from a clock, from the process id or from chance differs in every run: no
 * profile knows it, and two runs that agree on it agree by luck. The same goes for an address that
 * becomes a number: the profiled program is not loaded where the variant is. */
#ifndef CULPRIT_VARIANT_ORIGIN_H
#define CULPRIT_VARIANT_ORIGIN_H

#include "cfront/cfront.h"

/* Locals the pointer variable may point to while control is at stmt, alive and holding values:
 * their type is target or an array (of arrays) of it. None where the text does not settle it.
 * Appends to out. */
void origin_locals(const CUnit *unit, const CStmt *stmt, const CDecl *pointer, const CType *target,
                   CDeclVec *out);

/* The member of the union type `record` that is the only one ever stored to where it is part of
 * the variable; NULL when that is not known. *writable: a store to it makes nothing unspecified
 * that the program reads. */
const CField *origin_member(const CUnit *unit, const CDecl *variable, const CRecord *record,
                            bool *writable);
/* The lvalue of the assignment that is the statement right before stmt, when it is a member of a
 * union reached by a direct path; NULL otherwise. */
const CExpr *origin_stored_before(const CStmt *stmt);

/* Whether stmt has a compound literal outside its inner blocks. */
bool origin_has_literal(const CStmt *stmt);

/* Whether #pragma pack may be in force somewhere: new structures are then put between the two texts
 * below, so that their members are where they belong. tcc wants a number after push. */
bool origin_packs(Str text);
#define ORIGIN_UNPACK "#pragma pack(push,1)\n#pragma pack()\n"
#define ORIGIN_REPACK "#pragma pack(pop)\n"

/* False with the reason (STATUS_NO) when the program has values that a run need not repeat. */
bool origin_repeats(const CUnit *unit, Error *err);

#endif
