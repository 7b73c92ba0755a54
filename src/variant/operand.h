/* An integer operand of an executed statement to which a sum with 0 may be added (identity.c has
 * the conditions), and what is known where it is evaluated. */
#ifndef CULPRIT_VARIANT_OPERAND_H
#define CULPRIT_VARIANT_OPERAND_H

#include "variant/chain.h"

typedef struct OperandAt {
    const CExpr *e;
    IType type;
    Env env; /* what no call inside the statement can change; may be empty */
} OperandAt;

/* constants: these are preferred. False: there is none. */
bool operand_choose(Round *r, const Point *point, bool constants, OperandAt *out);
void operand_release(OperandAt *operand);
/* A new snippet: e becomes `((e` close. */
void operand_wrap(Round *r, const CStmt *stmt, const OperandAt *operand, Strategy strategy,
                  Str close);

#endif
