/* See cuts.h. */
#include "cuts.h"
#include "cfront/cfront.h"

static void add_cut(Arena *arena, const CUnit *unit, CRange range, const char *instead, Cuts *out) {
    Buf text = { 0 };
    buf_add(&text, unit->text.at, range.from);
    buf_text(&text, instead);
    buf_add(&text, unit->text.at + range.to, unit->text.len - range.to);
    unsigned line = 1;
    for (uint32_t i = 0; i < range.from; i++) line += unit->text.at[i] == '\n';
    Str part = str_trim(cfront_text(unit, range)), first;
    if (!str_split(&part, '\n', &first)) first = STR("");
    if (first.len > 40) first.len = 40;
    vec_push(out, (Cut){ arena_str(arena, buf_view(&text)),
                         str_from(arena_fmt(arena, "without line %u: " STR_FMT, line,
                                            STR_ARG(first))) });
    buf_release(&text);
}

static bool may_go(const CStmt *stmt, bool keep_oracle) {
    if (stmt->flags & CF_MACRO || stmt->slot == CSL_FOR_INIT || stmt->in_expr) return false;
    if (keep_oracle && stmt->flags & (CF_ORACLE | CF_ORACLE_OUTER)) return false;
    switch (stmt->kind) {
    case CS_EXPR:
    case CS_IF:
    case CS_WHILE:
    case CS_DO:
    case CS_FOR:
    case CS_SWITCH:
    case CS_GOTO:
    case CS_BREAK:
    case CS_CONTINUE:
    case CS_ASM: return true;
    case CS_RETURN: return !keep_oracle;
    default: return false;
    }
}

void cuts_make(Arena *arena, Str text, const char *const *args, bool keep_oracle, Cuts *out) {
    Arena scratch = { 0 };
    CfrontOptions opts = { .args = args };
    const CUnit *unit = cfront_parse(&scratch, text, &opts, NULL);
    for (uint32_t i = unit ? unit->n_stmts : 0; i-- > 0;)
        if (may_go(unit->stmts[i], keep_oracle))
            add_cut(arena, unit, unit->stmts[i]->range, ";", out);
    for (uint32_t i = 0; unit && i < unit->n_decls; i++) {
        const CDecl *decl = unit->decls[i];
        if (decl->flags & (CD_MACRO | CD_SYSTEM) || decl->kind != CD_VAR || !decl->init_range.to)
            continue;
        if (!(decl->flags & CD_LASTING)) continue; /* others would be uninitialised */
        CRange range = { decl->init_range.from, decl->init_range.to };
        while (range.from > 0 && unit->text.at[range.from] != '=') range.from--;
        if (range.from > decl->name_range.from) add_cut(arena, unit, range, "", out);
    }
    arena_release(&scratch);
}
