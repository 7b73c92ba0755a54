/* What compilers may choose: each freedom is taken away, or made to show itself; see freedom.h. */
#include "cc/freedom.h"

#include "cfront/lex.h"

/* A switch that gcc and clang know. Rounding twice is what all compilers do without optimisation,
 * so that a program whose result depends on it passes with the switch. */
static bool is_fused(Arena *arena, const FreedomQuestion *q) {
    static const char *const unfused[] = { "-ffp-contract=off", NULL };
    CcKind kind = q->failing->kind;
    bool fuses = kind == CC_GCC || kind == CC_CC1 || kind == CC_CLANG;
    return fuses &&
           q->ask(q->user, q->failing, flags_plus(arena, q->flags, unfused), q->text) == VERDICT_OK;
}

/* A trap for the invalid operation, which every NaN that arithmetic makes begins with, is set
 * before main: a program that is right without it and dies with it has made one. */
static bool makes_nan(const FreedomQuestion *q) {
    static const char trap[] = "\nint feenableexcept(int);\n"
                               "__attribute__((constructor)) static void culprit_trap_invalid(void)"
                               " { feenableexcept(1); }\n";
    static const char *const flags[] = { "-O0", "-w", NULL };
    Buf text = { 0 };
    buf_str(&text, q->text);
    buf_text(&text, trap);
    bool makes = q->ask(q->user, q->plain, flags, buf_view(&text)) == VERDICT_WRONG &&
                 q->ask(q->user, q->plain, flags, q->text) == VERDICT_OK;
    buf_release(&text);
    return makes;
}

static bool divides_complex(Str text) {
    static const char *const words[] = { "_Complex", "__complex__", "__complex", "complex" };
    bool complex = false, divides = false;
    uint32_t end = (uint32_t)text.len;
    for (CTok t = lex_next(text, 0, end); t.kind != CTK_END; t = lex_next(text, t.range.to, end)) {
        for (size_t i = 0; i < COUNT_OF(words); i++)
            complex |= t.kind == CTK_IDENT && str_is(lex_text(text, t), words[i]);
        divides |= lex_is(text, t, "/") || lex_is(text, t, "/=");
    }
    return complex && divides;
}

const char *freedom_used(Arena *arena, const FreedomQuestion *q) {
    if (divides_complex(q->text))
        return "it divides complex numbers, which may be more or less exact";
    if (is_fused(arena, q))
        return "it passes with -ffp-contract=off, and without it a compiler may round a product "
               "and a sum once";
    return makes_nan(q) ? "it makes a NaN, whose sign and bits a compiler may choose" : NULL;
}
