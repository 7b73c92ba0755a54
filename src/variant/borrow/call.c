/* Calls of borrowed functions; see borrow.h. */
#include "variant/borrow/borrow.h"

/* The text with its marks replaced. */
static void write_text(Str text, const char *prefix, const char *head, Buf *out) {
    for (size_t i = 0; i < text.len; i++) {
        char c = text.at[i];
        if (c == BORROW_NAME)
            buf_text(out, prefix);
        else if (c == BORROW_HEAD)
            buf_text(out, head);
        else
            buf_char(out, c);
    }
}

/* A variable with one value; NULL: none. */
static const EnvVar *known_variable(const BorrowOrder *o) {
    const EnvVar *chosen = NULL;
    uint64_t seen = 0;
    for (size_t i = 0; i < o->env->vars.len; i++) {
        const EnvVar *v = &o->env->vars.at[i];
        if (v->set.len == 1 && rng_below(o->rng, ++seen) == 0) chosen = v;
    }
    return chosen;
}

/* The value, from what is known here: a constant, or a variable moved by the difference. */
static void write_argument(const BorrowOrder *o, IVal value, Buf *out) {
    const EnvVar *v = rng_chance(o->rng, 0.75) ? known_variable(o) : NULL;
    if (!v) {
        ival_print(value, out);
        return;
    }
    uint64_t now = v->set.at[0];
    if (value.type.kind == I_BOOL) {
        buf_fmt(out, "((" STR_FMT ") %s ", STR_ARG(v->text), value.bits ? "==" : "!=");
        ival_print((IVal){ now, v->type }, out);
        buf_char(out, ')');
    } else if (itype_same(v->type, value.type) && now == value.bits) {
        buf_str(out, v->text);
    } else {
        bool sum = rng_chance(o->rng, 0.5);
        uint64_t by = sum ? value.bits - now : value.bits ^ now;
        buf_fmt(out, "(%s)((unsigned long)(" STR_FMT ") %c %lluul)", itype_name(value.type),
                STR_ARG(v->text), sum ? '+' : '^', (unsigned long long)by);
    }
}

static IVal write_call(const BorrowOrder *o, const Borrowed *b, Buf *out) {
    unsigned k = (unsigned)rng_below(o->rng, b->calls);
    buf_fmt(out, "%s%s" STR_FMT "(", b->real ? "(long)" : "", o->name, STR_ARG(b->name));
    for (unsigned i = 0; i < b->n; i++) {
        if (i) buf_text(out, ", ");
        write_argument(o, (IVal){ b->in[k][i], b->params[i] }, out);
    }
    buf_char(out, ')');
    return (IVal){ b->out[k], b->result };
}

bool lender_call(const Lender *lender, const BorrowOrder *o, BorrowCall *call) {
    static const char *const heads[] = { "",
                                         "",
                                         "__inline ",
                                         "__attribute__((noinline)) ",
                                         "__attribute__((noipa)) ",
                                         "__inline __attribute__((always_inline)) " };
    if (!lender || !lender->list.len) return false;
    const Borrowed *b = &lender->list.at[rng_below(o->rng, lender->list.len)];
    if (!b->recorded || (b->reals && o->no_reals)) return false;
    Buf above = { 0 }, text = { 0 };
    write_text(b->text, o->name, o->plain ? "" : heads[rng_below(o->rng, COUNT_OF(heads))], &above);
    buf_char(&text, '(');
    IVal all = write_call(o, b, &text);
    for (unsigned more = (unsigned)rng_below(o->rng, 3); more > 0; more--) {
        buf_text(&text, " ^ ");
        IVal one = write_call(o, b, &text);
        eval_binary(B_XOR, all, one, &all);
    }
    buf_char(&text, ')');
    *call = (BorrowCall){ arena_str(o->arena, buf_view(&above)),
                          arena_str(o->arena, buf_view(&text)), all };
    buf_release(&above);
    buf_release(&text);
    return true;
}
