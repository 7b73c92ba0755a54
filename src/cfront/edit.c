/* Text edits. The list is sorted by place, checked for conflicts with a stack of open ranges, and
 * copied out in one pass: the same result as applying back to front, in linear time.
 *
 * At one offset the order is: what closes wraps that end here (inner first), insertions in the
 * order they were added, what opens wraps that begin here (outer first), then the replaced range.
 * Text put before or after a statement is a wrap of it whose other end is empty: so it stays where
 * it belongs when the statement is wrapped as well, and the order of the calls decides what is
 * outside. */
#include "cfront/edit.h"

#include <stdlib.h>

enum EditKind { EDIT_CLOSE, EDIT_INSERT, EDIT_OPEN, EDIT_REPLACE };

static void add(CEdits *edits, enum EditKind kind, CRange range, uint32_t partner, uint32_t order,
                Str text) {
    CEdit e = { range, text, partner, order, (uint8_t)kind };
    vec_push(&edits->list, e);
}

void edit_replace(CEdits *edits, CRange range, Str text) {
    CHECK(range.from <= range.to);
    if (range.from == range.to)
        edit_insert(edits, range.from, text);
    else
        add(edits, EDIT_REPLACE, range, range.to, edits->count++, text);
}

void edit_delete(CEdits *edits, CRange range) {
    if (range.from < range.to) edit_replace(edits, range, STR(""));
}

void edit_insert(CEdits *edits, uint32_t at, Str text) {
    add(edits, EDIT_INSERT, (CRange){ at, at }, at, edits->count++, text);
}

void edit_wrap(CEdits *edits, CRange range, Str before, Str behind) {
    CHECK(range.from < range.to);
    uint32_t order = edits->count++;
    add(edits, EDIT_OPEN, (CRange){ range.from, range.from }, range.to, order, before);
    add(edits, EDIT_CLOSE, (CRange){ range.to, range.to }, range.from, order, behind);
}

static bool is_item(const CStmt *stmt) {
    return stmt->slot == CSL_BLOCK || stmt->slot == CSL_VALUE;
}

void edit_before(CEdits *edits, const CStmt *stmt, Str text) {
    edit_wrap(edits, stmt->range, text, STR(""));
    if (!is_item(stmt)) edit_wrap(edits, stmt->range, STR("{ "), STR(" }"));
}

void edit_behind(CEdits *edits, const CStmt *stmt, Str text) {
    edit_wrap(edits, stmt->range, STR(""), text);
    if (!is_item(stmt)) edit_wrap(edits, stmt->range, STR("{ "), STR(" }"));
}

static int compare_numbers(uint32_t a, uint32_t b) {
    return a < b ? -1 : a > b;
}

static int compare(const void *left, const void *right) {
    const CEdit *a = left, *b = right;
    int c = compare_numbers(a->range.from, b->range.from);
    if (!c) c = compare_numbers(a->kind, b->kind);
    if (!c && a->kind == EDIT_CLOSE) c = compare_numbers(b->partner, a->partner);
    if (!c && a->kind == EDIT_OPEN) c = compare_numbers(b->partner, a->partner);
    if (c) return c;
    /* Same range: the wrap added later is outside, so it opens first and closes last. */
    c = compare_numbers(a->order, b->order);
    return a->kind == EDIT_OPEN ? -c : c;
}

static bool conflict(Error *err, const CEdit *a, const CEdit *b) {
    return err_set(err, STATUS_BAD, "edits of bytes %u-%u and %u-%u conflict", a->range.from,
                   a->kind == EDIT_OPEN ? a->partner : a->range.to, b->range.from,
                   b->kind == EDIT_OPEN ? b->partner : b->range.to);
}

/* Checks every edit in turn against the replaced range it may fall into and the open wraps. */
static bool check_nesting(const CEdits *edits, size_t len, Error *err) {
    VEC(const CEdit *) open = { 0 };
    const CEdit *replaced = NULL;
    bool good = true;
    for (size_t i = 0; good && i < edits->list.len; i++) {
        const CEdit *e = &edits->list.at[i];
        if (e->range.to > len)
            good = err_set(err, STATUS_BAD, "edit of bytes %u-%u beyond the end of the text",
                           e->range.from, e->range.to);
        else if (replaced && e->range.from < replaced->range.to)
            good = conflict(err, replaced, e);
        else if (e->kind == EDIT_OPEN)
            vec_push(&open, e);
        else if (e->kind == EDIT_CLOSE) {
            const CEdit *last = open.len ? vec_pop(&open) : e;
            if (last->order != e->order) good = conflict(err, last, e);
        } else if (e->kind == EDIT_REPLACE) {
            replaced = e;
            if (open.len && vec_last(&open)->partner < e->range.to)
                good = conflict(err, vec_last(&open), e);
        }
    }
    vec_release(&open);
    return good;
}

bool edits_apply(CEdits *edits, Str text, Buf *out, Error *err) {
    if (edits->list.len) qsort(edits->list.at, edits->list.len, sizeof(CEdit), compare);
    if (!check_nesting(edits, text.len, err)) return false;
    size_t at = 0;
    for (size_t i = 0; i < edits->list.len; i++) {
        const CEdit *e = &edits->list.at[i];
        buf_add(out, text.at + at, e->range.from - at);
        buf_str(out, e->text);
        at = e->range.to;
    }
    buf_add(out, text.at + at, text.len - at);
    return true;
}

void edits_clear(CEdits *edits) {
    vec_clear(&edits->list);
    edits->count = 0;
}

void edits_release(CEdits *edits) {
    vec_release(&edits->list);
    edits->count = 0;
}
