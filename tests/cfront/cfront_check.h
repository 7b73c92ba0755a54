/* What must hold for the model of any file, checked on the model and its text alone:
 *   1. every statement ends in ';' or '}' and begins with a token; statements nest or are disjoint;
 *   2. every statement replaced by its own text, all leaves at once and all one at a time, gives
 * back the same bytes;
 *   3. braces put around every statement that cfront_can_wrap gives text that parses to the same
 *      number of statements, those braces aside;
 *   4. operator tokens are where op_range says. */
#ifndef CULPRIT_CFRONT_CHECK_H
#define CULPRIT_CFRONT_CHECK_H

#include "cfront/cfront.h"
#include "cfront/edit.h"
#include "cfront/lex.h"

static inline bool check_fail(Buf *why, const CUnit *u, CRange r, const char *what) {
    Str s = cfront_text(u, r);
    if (s.len > 60) s.len = 60;
    buf_fmt(why, "%s: bytes %u-%u `" STR_FMT "`", what, r.from, r.to, STR_ARG(s));
    return false;
}

static inline bool check_ranges(const CUnit *u, Buf *why) {
    for (uint32_t i = 0; i < u->n_stmts; i++) {
        const CStmt *s = u->stmts[i];
        if (s->flags & CF_MACRO) continue;
        CRange r = s->range;
        if (r.from >= r.to) return check_fail(why, u, r, "empty statement");
        char last = u->text.at[r.to - 1];
        if (last != ';' && last != '}') return check_fail(why, u, r, "statement without its end");
        if (lex_next(u->text, r.from, r.to).range.from != r.from)
            return check_fail(why, u, r, "statement that begins with a blank");
        if (s->parent && !(s->parent->flags & CF_MACRO) && !crange_in(r, s->parent->range))
            return check_fail(why, u, r, "statement outside of its parent");
        if (s->next && !(s->next->flags & CF_MACRO) && s->next->range.from < r.to)
            return check_fail(why, u, r, "statement that overlaps the next one");
    }
    return true;
}

static inline bool check_same(CEdits *edits, const CUnit *u, Buf *why, const char *what) {
    Buf out = { 0 };
    Error err = { 0 };
    bool good = edits_apply(edits, u->text, &out, &err);
    if (!good) buf_fmt(why, "%s: %s", what, err.text);
    if (good && !str_eq(buf_view(&out), u->text)) {
        good = false;
        buf_fmt(why, "%s: text differs", what);
    }
    buf_release(&out);
    edits_clear(edits);
    return good;
}

static inline bool check_is_leaf(const CStmt *s) {
    return !s->first && !s->body && !s->init && !(s->flags & CF_MACRO);
}

static inline bool check_identity(const CUnit *u, Buf *why) {
    CEdits edits = { 0 };
    bool good = true;
    uint32_t end = 0;
    for (uint32_t i = 0; i < u->n_stmts; i++) {
        const CStmt *s = u->stmts[i];
        if (!check_is_leaf(s) || s->range.from < end) continue;
        edit_replace(&edits, s->range, cfront_text(u, s->range));
        end = s->range.to;
    }
    good = check_same(&edits, u, why, "all leaves");
    uint32_t step = u->n_stmts / 200 + 1; /* one at a time, each costs a copy */
    for (uint32_t i = 0; good && i < u->n_stmts; i += step) {
        edit_replace(&edits, u->stmts[i]->range, cfront_text(u, u->stmts[i]->range));
        good = check_same(&edits, u, why, "one statement");
    }
    edits_release(&edits);
    return good;
}

static inline bool check_wrapped(const CUnit *u, Buf *why) {
    CEdits edits = { 0 };
    uint32_t wrapped = 0;
    for (uint32_t i = 0; i < u->n_stmts; i++)
        if (cfront_can_wrap(u->stmts[i])) {
            edit_wrap(&edits, u->stmts[i]->range, STR("{"), STR("}"));
            wrapped++;
        }
    Buf out = { 0 };
    Error err = { 0 };
    Arena arena = { 0 };
    bool good = edits_apply(&edits, u->text, &out, &err);
    CfrontOptions opts = { .name = u->name };
    CUnit *again = good ? cfront_parse(&arena, buf_view(&out), &opts, &err) : NULL;
    if (!again) {
        good = false;
        buf_fmt(why, "wrapped: %s", err.text);
    } else if (again->n_stmts != u->n_stmts + wrapped || again->n_exprs != u->n_exprs) {
        good = false;
        buf_fmt(why, "wrapped: %u statements became %u, with %u wraps", u->n_stmts, again->n_stmts,
                wrapped);
    }
    arena_release(&arena);
    buf_release(&out);
    edits_release(&edits);
    return good;
}

static inline bool check_operators(const CUnit *u, Buf *why) {
    for (uint32_t i = 0; i < u->n_exprs; i++) {
        const CExpr *e = u->exprs[i];
        if (e->op == CO_NONE || e->op_range.to == 0 || (e->flags & CF_MACRO)) continue;
        if (e->op == CO_REAL || e->op == CO_IMAG || e->op == CO_EXTENSION) continue;
        if (!str_is(cfront_text(u, e->op_range), cop_text(e->op)))
            return check_fail(why, u, e->range, "operator not where it should be");
    }
    for (uint32_t i = 0; i < u->n_exprs; i++) {
        const CExpr *e = u->exprs[i];
        bool has = e->kind == CE_BINARY || e->kind == CE_ASSIGN || e->kind == CE_UNARY;
        if (has && !(e->flags & CF_HAS_MACRO) && e->op_range.to == 0)
            return check_fail(why, u, e->range, "operator without its place");
        if (e->kind == CE_REF && !(e->flags & CF_MACRO) && e->decl &&
            !(e->decl->flags & CD_SYSTEM) && !str_eq(cfront_text(u, e->range), e->decl->name))
            return check_fail(why, u, e->range, "name that is not its text");
    }
    return true;
}

static inline bool check_unit(const CUnit *u, Buf *why) {
    return check_ranges(u, why) && check_identity(u, why) && check_operators(u, why) &&
           check_wrapped(u, why);
}

#endif
