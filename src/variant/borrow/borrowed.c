/* Borrowing (Creal, see borrow/borrow.h): a constant or another integer operand e of an executed
 * statement becomes ((e) + e0), where e0 calls functions of other programs with recorded inputs and
 * takes away their recorded result. The arguments are written with variables whose values are known
 * there; the conditions are those of identity.c. */
#include "variant/chain.h"

#include "variant/borrow/borrow.h"
#include "variant/operand.h"
#include "variant/variant_knobs.h"

bool borrow_mutate(Round *r, const Point *point) {
    MutateChain *c = r->chain;
    OperandAt at;
    BorrowCall call;
    if (point->hits > HUNT_BORROW_HITS || !operand_choose(r, point, true, &at)) return false;
    BorrowOrder order = { .arena = &r->arena,
                          .rng = &r->rng,
                          .env = &at.env,
                          .name = arena_fmt(&r->arena, "%s%zuh", c->prefix, c->made.len),
                          .plain = c->options.plain,
                          .no_reals = c->no_reals };
    bool made = lender_call(c->lender, &order, &call);
    operand_release(&at);
    if (!made) return false;
    Buf zero = { 0 };
    buf_fmt(&zero, ") + (%s)(" STR_FMT " ^ ", itype_name(at.type), STR_ARG(call.text));
    ival_print(call.value, &zero);
    buf_text(&zero, "))");
    operand_wrap(r, point->stmt, &at, STRATEGY_BORROW, buf_view(&zero));
    place_above(r, point->stmt, call.above);
    buf_release(&zero);
    return true;
}
