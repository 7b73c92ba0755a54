/* From a strategy's text to parts of the variant; see chain.h and pieces.h. */
#include "cfront/lex.h"
#include "variant/chain.h"
#include "variant/origin.h"

/* An item of a block needs none if the block's braces belong to the same text or to the seed:
 * braces that came with another snippet disappear with that snippet. */
bool place_needs_braces(const Round *r, const CStmt *stmt) {
    if (stmt->slot != CSL_BLOCK && stmt->slot != CSL_VALUE) return true;
    if (!stmt->parent) return false;
    const MutateChain *c = r->chain;
    int outer = pieces_owner(&c->pieces, &c->current, stmt->parent->range.from);
    return outer >= 0 && outer != pieces_owner(&c->pieces, &c->current, stmt->range.from);
}

bool place_fits(const Round *r, const CStmt *stmt) {
    return !place_needs_braces(r, stmt) ||
           !((stmt->flags & CF_HAS_DECL) || origin_has_literal(stmt));
}

unsigned place_new(Round *r, Strategy strategy, const CStmt *stmt, Str shown) {
    MutateChain *c = r->chain;
    vec_push(&c->made, (Made){ .strategy = strategy,
                               .round = c->round,
                               .function = arena_str(&c->arena, stmt->function->name),
                               .text = arena_str(&c->arena, shown) });
    return (unsigned)c->made.len - 1;
}

void place_before(Round *r, const CStmt *stmt, Strategy strategy, Str text) {
    MutateChain *c = r->chain;
    unsigned id = place_new(r, strategy, stmt, text);
    if (place_needs_braces(r, stmt)) {
        CHECK(place_fits(r, stmt));
        Str open = str_from(arena_fmt(&c->arena, "{ " STR_FMT "\n", STR_ARG(text)));
        pieces_around(&c->pieces, &c->current, id, c->round, stmt->range.from, stmt->range.to, open,
                      STR(" }"));
    } else {
        Str line = str_from(arena_fmt(&c->arena, STR_FMT "\n", STR_ARG(text)));
        pieces_before(&c->pieces, &c->current, id, c->round, stmt->range.from, line);
    }
}

void place_above(Round *r, const CStmt *stmt, Str text) {
    MutateChain *c = r->chain;
    unsigned id = (unsigned)c->made.len - 1;
    Made *made = &c->made.at[id];
    made->text =
        str_from(arena_fmt(&c->arena, STR_FMT STR_FMT, STR_ARG(text), STR_ARG(made->text)));
    bool packs = origin_packs(r->unit->text);
    Str line = str_from(arena_fmt(&c->arena, "\n%s" STR_FMT "%s", packs ? ORIGIN_UNPACK : "",
                                  STR_ARG(text), packs ? ORIGIN_REPACK : ""));
    uint32_t at = lex_attributes(r->unit->text, stmt->function->range.from);
    pieces_aside(&c->pieces, &c->current, id, c->round, at, line);
}

void place_guard(Round *r, const CStmt *stmt, Str guard) {
    MutateChain *c = r->chain;
    bool braces = place_needs_braces(r, stmt);
    Str open =
        str_from(arena_fmt(&c->arena, "%s" STR_FMT " { ", braces ? "{ " : "", STR_ARG(guard)));
    Str close = braces ? STR(" } }") : STR(" }");
    Str shown =
        str_from(arena_fmt(&c->arena, STR_FMT "..." STR_FMT, STR_ARG(open), STR_ARG(close)));
    unsigned id = place_new(r, STRATEGY_TG, stmt, shown);
    pieces_around(&c->pieces, &c->current, id, c->round, stmt->range.from, stmt->range.to, open,
                  close);
}

bool place_delete(Round *r, const CStmt *stmt, Strategy strategy) {
    MutateChain *c = r->chain;
    unsigned id = place_new(r, strategy, stmt, cfront_text(r->unit, stmt->range));
    if (pieces_delete(&c->pieces, &c->current, id, c->round, stmt->range.from, stmt->range.to,
                      STR(";")))
        return true;
    c->made.len--;
    return false;
}
