/* Floating point of kernels as C; see kernel_print.c. */
#include "variant/kernel/kernel_tree.h"

typedef void Printer(const KTree *, const KExpr *, Buf *);

static char letter(WType type) {
    return "fdl"[type.kind];
}

static void print_builtin(const KTree *t, const KExpr *e, Printer *print, Buf *out) {
    static const char *const names[KB_END] = {
        [KB_FABS] = "fabs", [KB_COPYSIGN] = "copysign", [KB_FLOOR] = "floor",
        [KB_CEIL] = "ceil", [KB_TRUNC] = "trunc",       [KB_FMIN] = "fmin",
        [KB_FMAX] = "fmax", [KB_FMA] = "fma",           [KB_SIGNBIT] = "signbit",
    };
    static const char *const suffixes[R_KINDS] = { "f", "", "l" };
    const KExpr *const args[] = { e->a, e->b, e->c };
    if (e->op == KB_BITS)
        buf_fmt(out, "%sb%c(", t->order->name, letter(e->a->type));
    else if (e->op == KB_FROM_BITS)
        buf_fmt(out, "%su%c(", t->order->name, letter(e->type));
    else
        buf_fmt(out, "%s__builtin_%s%s(", e->op == KB_SIGNBIT ? "(0 != " : "", names[e->op],
                e->op == KB_SIGNBIT ? "" : suffixes[e->type.kind]);
    for (unsigned i = 0; i < COUNT_OF(args) && args[i]; i++) {
        if (i) buf_text(out, ", ");
        print(t, args[i], out);
    }
    buf_text(out, e->op == KB_SIGNBIT ? "))" : ")");
}

static bool is_packed(const KCall *c, unsigned i) {
    return i >= c->packed && i < c->packed + c->packed_n;
}

static void print_call(const KTree *t, const KExpr *e, Printer *print, Buf *out) {
    const KCall *c = e->call;
    buf_char(out, '(');
    buf_fmt(out, "%sg%u(", t->order->name, c->number);
    for (unsigned i = 0; i < c->n; i++) {
        bool first = is_packed(c, i) && i == c->packed;
        if (i) buf_text(out, ", ");
        if (first) buf_fmt(out, "(struct %sg%ut){ ", t->order->name, c->number);
        print(t, c->args[i], out);
        if (is_packed(c, i) && i + 1 == c->packed + c->packed_n) buf_text(out, " }");
    }
    buf_text(out, c->back ? ").r)" : "))");
}

void kernel_real_print(const KTree *t, const KExpr *e, Printer *print, Buf *out) {
    if (e->kind == K_CALL)
        print_call(t, e, print, out);
    else
        print_builtin(t, e, print, out);
}

/* ---- functions above ---- */
/* By memcpy, or where there are no builtins by a union: both are C. */
static void bits_function(const KTree *t, RealKind kind, bool to_word, Buf *out) {
    const char *type = dyadic_name(kind),
               *word = kind == R_FLOAT ? "unsigned int" : "unsigned long";
    const char *from = to_word ? type : word, *to = to_word ? word : type;
    buf_fmt(out, "static %s %s%c%c(%s x) { ", to, t->order->name, to_word ? 'b' : 'u', "fd"[kind],
            from);
    if (t->order->plain || kind == t->n % 2)
        buf_fmt(out, "union { %s x; %s y; } u; u.x = x; return u.y; }\n", from, to);
    else
        buf_fmt(out, "%s y; __builtin_memcpy(&y, &x, sizeof y); return y; }\n", to);
}

/* Its bits in memory are not the same everywhere: sign, exponent and fraction by arithmetic. */
static void long_function(const KTree *t, Buf *out) {
    const char *k = t->order->name;
    buf_fmt(
        out,
        "static unsigned long %sbl(long double x) { unsigned long minus = x < 0, w; long e = 0; "
        "if (x == 0) return 1 + 2 * (%sbd((double)x) >> 63); if (minus) x = -x; ",
        k, k);
    buf_text(out, "for (; x >= 9223372036854775808.0L * 2; e++) x *= 0.5L; "
                  "for (; x < 9223372036854775808.0L; e--) x *= 2; "
                  "w = (unsigned long)x; return (w ^ (unsigned long)e * 40503ul) + minus; }\n");
}

static bool needs(const KTree *t, Str text, const char *function) {
    const char *name = arena_fmt(t->arena, "%s%s(", t->order->name, function);
    return str_find(text, str_from(name), 0) != STR_NONE;
}

static void print_type(WType type, Buf *out) {
    wtype_print(type, out);
    buf_char(out, ' ');
}

static void call_types(const KTree *t, const KCall *c, WType result, Buf *out) {
    if (c->packed_n) {
        buf_fmt(out, "struct %sg%ut { ", t->order->name, c->number);
        for (unsigned i = c->packed; i < c->packed + c->packed_n; i++) {
            print_type(c->args[i]->type, out);
            buf_fmt(out, "a%u; ", i);
        }
        buf_text(out, "};\n");
    }
    if (!c->back) return;
    buf_fmt(out, "struct %sg%ur { ", t->order->name, c->number);
    print_type(result, out);
    buf_text(out, "r; ");
    print_type(c->args[0]->type, out);
    buf_text(out, "s; };\n");
}

static void call_params(const KTree *t, const KCall *c, Buf *out) {
    for (unsigned i = 0; i < c->n; i++) {
        if (i) buf_text(out, ", ");
        if (!is_packed(c, i)) {
            print_type(c->args[i]->type, out);
            buf_fmt(out, "a%u", i);
            continue;
        }
        buf_fmt(out, "struct %sg%ut s", t->order->name, c->number);
        i = c->packed + c->packed_n - 1;
    }
}

static void print_param(const KCall *c, unsigned i, Buf *out) {
    buf_fmt(out, "%sa%u", is_packed(c, i) ? "s." : "", i);
}

static void call_function(const KTree *t, const KCall *c, Buf *out) {
    static const char *const ops[] = { "+", "-", "*" };
    WType result = c->result;
    call_types(t, c, result, out);
    buf_fmt(out, "static %s", c->aside && !t->order->plain ? "__attribute__((noinline)) " : "");
    if (c->back)
        buf_fmt(out, "struct %sg%ur ", t->order->name, c->number);
    else
        print_type(result, out);
    buf_fmt(out, "%sg%u(", t->order->name, c->number);
    call_params(t, c, out);
    buf_text(out, ") { ");
    if (c->back) {
        buf_fmt(out, "struct %sg%ur b; b.s = ", t->order->name, c->number);
        print_param(c, 0, out);
        buf_text(out, "; b.r = ");
    } else
        buf_text(out, "return ");
    unsigned n = c->ops[0] < 0 ? 0 : c->ops[1] < 0 ? 1 : 2;
    buf_text(out, n == 2 ? "((" : "(");
    print_param(c, c->at[0], out);
    for (unsigned i = 0; i < n; i++) {
        buf_fmt(out, " %s ", ops[c->ops[i]]);
        print_param(c, c->at[i + 1], out);
        buf_char(out, ')');
    }
    buf_text(out, n ? "; " : "); ");
    buf_text(out, c->back ? "return b; }\n" : "}\n");
}

void kernel_real_above(const KTree *t, Str text, Buf *out) {
    Buf calls = { 0 };
    for (const KCall *c = t->calls; c; c = c->next) {
        const char *name = arena_fmt(t->arena, "g%u", c->number);
        if (needs(t, text, name)) call_function(t, c, &calls);
    }
    if (needs(t, text, "bd") || needs(t, text, "bl")) bits_function(t, R_DOUBLE, true, out);
    if (needs(t, text, "bf")) bits_function(t, R_FLOAT, true, out);
    if (needs(t, text, "uf")) bits_function(t, R_FLOAT, false, out);
    if (needs(t, text, "ud")) bits_function(t, R_DOUBLE, false, out);
    if (needs(t, text, "bl")) long_function(t, out);
    buf_str(out, buf_view(&calls));
    buf_release(&calls);
}
