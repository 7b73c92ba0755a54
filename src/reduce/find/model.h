/* The C front end's view of a document, for finders: what each name refers to, and from where.
 *
 * Made once for each accepted text and kept with the document; where the text is not C or clang
 * refuses it there is none, and the finders that need one find nothing. Ranges are bytes of the
 * document's text as of its last refresh. */
#ifndef CULPRIT_REDUCE_FIND_MODEL_H
#define CULPRIT_REDUCE_FIND_MODEL_H

#include "cfront/cfront.h"
#include "reduce/target.h"

typedef VEC(const CExpr *) ExprVec;
typedef VEC(const CDecl *) DeclVec;

typedef struct Model {
    Arena arena;
    CUnit *unit;
    Map numbers;           /* first declaration, or field -> its number + 1 */
    VEC(ExprVec) refs;     /* number -> every expression that refers to it */
    VEC(DeclVec) again;    /* number -> its declarations, the first one too; fields: none */
    VEC(const CDecl *) of; /* number -> the first declaration; NULL: a field */
} Model;

/* For a target whose document is fresh; NULL: there is none. The document keeps it. */
const Model *model_of(const Target *target);
void model_free(Model *model);

/* Expressions that refer to a declaration (CE_REF) or to a field (CE_MEMBER). */
const ExprVec *model_refs(const Model *model, const CDecl *decl);
const ExprVec *model_members(const Model *model, const CField *field);
/* All declarations of the same variable or function in the text. */
const DeclVec *model_decls(const Model *model, const CDecl *decl);
/* Whether this is the first declaration of something in the text itself that may be edited. */
bool model_own(const CDecl *decl);
/* The expression around e, skipping parentheses; *inner gets the outermost pair around e. */
const CExpr *model_outer(const CExpr *e, const CExpr **inner);
/* The call of which e is the function; NULL: it is used otherwise. */
const CExpr *model_call(const CExpr *e);
/* The inside of a call's brackets. */
CRange model_arguments(const Model *model, const CExpr *call);
static inline Str model_text(const Model *model, CRange range) {
    return cfront_text(model->unit, range);
}
/* Whether e mentions a parameter or a local variable; or this variable. */
bool model_is_local(const CExpr *e);
bool model_mentions(const CExpr *e, const CDecl *decl);
/* Whether it may stand anywhere without parentheses. */
bool model_is_primary(const CExpr *e);
/* Whether evaluating it twice is the same as once: no call, no assignment, no volatile. */
static inline bool model_pure(const CExpr *e) {
    return !(e->flags & CF_EFFECT);
}

#endif
