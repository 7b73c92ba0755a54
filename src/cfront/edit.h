/* Text edits: collected in any order, checked for nesting, applied at once.
 *
 * An edit replaces a range (delete: by nothing; insert: an empty range). Wraps put text around a
 * range and nest properly: of two wraps that begin at one place the longer one is outside, of two
 * around the same range the later one. Insertions at one place come out in the order they were
 * added, after whatever closes there and before whatever opens there. Conflicts: two replaced
 * ranges that overlap, an edit strictly inside a replaced range, a wrap that crosses a replaced
 * range's or another wrap's border. */
#ifndef CULPRIT_CFRONT_EDIT_H
#define CULPRIT_CFRONT_EDIT_H

#include "cfront/cfront.h"

typedef struct CEdit {
    CRange range;     /* what is replaced; empty for pure insertions */
    Str text;         /* must live until edits_apply */
    uint32_t partner; /* wraps: the other end's offset */
    uint32_t order;   /* in which it was added */
    uint8_t kind;     /* enum EditKind in edit.c */
} CEdit;

typedef struct CEdits {
    VEC(CEdit) list;
    uint32_t count; /* edits added so far */
} CEdits;           /* {0} is empty; edits_release gives the memory back */

void edit_replace(CEdits *edits, CRange range, Str text);
void edit_delete(CEdits *edits, CRange range);
void edit_insert(CEdits *edits, uint32_t at, Str text);
void edit_wrap(CEdits *edits, CRange range, Str before, Str behind);

/* Statement text before or after stmt; adds { } around both where the slot takes one
 * statement. Only where cfront_can_insert(stmt). Text needs no blanks at its ends. */
void edit_before(CEdits *edits, const CStmt *stmt, Str text);
void edit_behind(CEdits *edits, const CStmt *stmt, Str text);

/* The new text; false with err on a conflict (which names both edits' places). */
bool edits_apply(CEdits *edits, Str text, Buf *out, Error *err);
void edits_clear(CEdits *edits);
void edits_release(CEdits *edits);

#endif
