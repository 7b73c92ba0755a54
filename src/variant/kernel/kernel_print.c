/* A kernel as C, C89 as well where it can be: loops declare no variables. Expressions are fully
 * parenthesised. */
#include "variant/kernel/kernel_tree.h"

static void print_expr(const KTree *t, const KExpr *e, Buf *out);

static void print_builtin(const KTree *t, const KExpr *e, Buf *out) {
    static const char *const names[KB_COUNT] = { "clzll",  "ctzll",   "popcountll", "parityll",
                                                 "ffsll",  "bswap16", "bswap32",    "bswap64",
                                                 "expect", "llabs" };
    buf_fmt(out, "__builtin_%s(", names[e->op]);
    print_expr(t, e->a, out);
    if (e->op == KB_EXPECT) buf_fmt(out, ", %llu", (unsigned long long)e->value.bits);
    buf_char(out, ')');
}

static void print_cast(const KTree *t, const KExpr *e, Buf *out) {
    buf_text(out, "((");
    wtype_print(e->type, out);
    buf_char(out, ')');
    print_expr(t, e->a, out);
    buf_char(out, ')');
}

static void print_element(const KTree *t, const KExpr *e, Buf *out) {
    const KVar *v = &t->vars[e->var];
    if (e->as_real) {
        buf_text(out, "((");
        wtype_print(v->type, out);
        buf_fmt(out, " *)__builtin_assume_aligned(%s, _Alignof(", v->name);
        wtype_print(v->type, out);
        buf_text(out, ")))[");
    } else
        buf_fmt(out, "%s[", v->name);
    print_expr(t, e->a, out);
    buf_char(out, ']');
}

static void print_binary(const KTree *t, const KExpr *e, Buf *out) {
    bool real = e->as_real && kernel_is_exact(e);
    buf_text(out, real ? "((int)((double)" : "(");
    print_expr(t, e->a, out);
    buf_fmt(out, " %s %s", eval_binary_text((IBinary)e->op), real ? "(double)" : "");
    print_expr(t, e->b, out);
    buf_text(out, real ? "))" : ")");
}

static void print_expr(const KTree *t, const KExpr *e, Buf *out) {
    switch (e->kind) {
    case K_CONST: wide_print(e->value, out); break;
    case K_VAR: buf_text(out, t->vars[e->var].name); break;
    case K_ELEMENT: print_element(t, e, out); break;
    case K_UNARY:
        buf_fmt(out, "(%s", eval_unary_text((IUnary)e->op));
        print_expr(t, e->a, out);
        buf_char(out, ')');
        break;
    case K_BINARY: print_binary(t, e, out); break;
    case K_CHOOSE:
        buf_char(out, '(');
        print_expr(t, e->c, out);
        buf_text(out, " ? ");
        print_expr(t, e->a, out);
        buf_text(out, " : ");
        print_expr(t, e->b, out);
        buf_char(out, ')');
        break;
    case K_CAST: print_cast(t, e, out); break;
    case K_CALL: kernel_real_print(t, e, print_expr, out); break;
    case K_BUILTIN:
        if (e->op >= KB_COUNT)
            kernel_real_print(t, e, print_expr, out);
        else
            print_builtin(t, e, out);
        break;
    }
}

/* ---- statements ---- */
static void print_stmts(const KTree *t, const KStmt *s, Buf *out);

static void print_store(const KTree *t, const KStmt *s, Buf *out) {
    print_expr(t, s->target, out);
    buf_fmt(out, " %s= ", s->op >= 0 ? eval_binary_text((IBinary)s->op) : "");
    print_expr(t, s->e, out);
    buf_text(out, "; ");
}

/* A while loop counts before its body, so that `continue` does not skip it. */
static void print_loop(const KTree *t, const KStmt *s, Buf *out) {
    const KVar *v = &t->vars[s->var];
    Buf type = { 0 };
    wtype_print(v->type, &type);
    Str name = buf_view(&type);
    const char *less = s->step > 0 ? "<" : ">", *by = s->step > 0 ? "+" : "-";
    int step = s->step > 0 ? s->step : -s->step;
    if (s->as_while)
        buf_fmt(out,
                "{ long %sw = %d; while (%sw %s %d) { " STR_FMT " %s = (" STR_FMT
                ")%sw; %sw %s= %d; ",
                v->name, s->from, v->name, less, s->to, STR_ARG(name), v->name, STR_ARG(name),
                v->name, v->name, by, step);
    else
        buf_fmt(out, "{ " STR_FMT " %s; for (%s = %d; %s %s %d; %s %s= %d) { ", STR_ARG(name),
                v->name, v->name, s->from, v->name, less, s->to, v->name, by, step);
    print_stmts(t, s->body, out);
    buf_text(out, "} } ");
    buf_release(&type);
}

/* A branch that is never taken may be marked unreachable. */
static void print_branch(const KTree *t, const KStmt *s, uint64_t ran, Buf *out) {
    buf_text(out, "{ ");
    if (!ran && !t->order->plain && rng_chance(t->rng, 0.3))
        buf_text(out, rng_chance(t->rng, 0.7) ? "__builtin_unreachable(); " : "__builtin_trap(); ");
    print_stmts(t, s, out);
    buf_text(out, "} ");
}

static void print_if(const KTree *t, const KStmt *s, Buf *out) {
    buf_text(out, "if (");
    print_expr(t, s->e, out);
    buf_text(out, ") ");
    print_branch(t, s->body, s->ran, out);
    if (!s->other) return;
    buf_text(out, "else ");
    print_branch(t, s->other, s->ran_other, out);
}

static void print_overflow(const KTree *t, const KStmt *s, Buf *out) {
    const char *name = s->op == B_ADD ? "add" : s->op == B_SUB ? "sub" : "mul";
    buf_fmt(out, "%s = __builtin_%s_overflow(", t->vars[s->flag].name, name);
    print_expr(t, s->e, out);
    buf_text(out, ", ");
    print_expr(t, s->by, out);
    buf_fmt(out, ", &%s); ", t->vars[s->target->var].name);
}

static void print_leave(const KTree *t, const KStmt *s, Buf *out) {
    buf_text(out, "if (");
    print_expr(t, s->e, out);
    buf_fmt(out, ") %s; ", s->kind == KS_BREAK ? "break" : "continue");
}

static void print_while(const KTree *t, const KStmt *s, Buf *out) {
    buf_text(out, "while (");
    print_expr(t, s->e, out);
    buf_text(out, ") { ");
    print_stmts(t, s->body, out);
    buf_text(out, "} ");
}

static void print_switch(const KTree *t, const KStmt *s, Buf *out) {
    buf_text(out, "switch (");
    print_expr(t, s->e, out);
    buf_text(out, ") { ");
    for (const KStmt *label = s->body; label; label = label->next) {
        buf_text(out, "case ");
        print_expr(t, label->e, out);
        buf_text(out, ": ");
        print_stmts(t, label->body, out);
        if (label->body) buf_text(out, "break; ");
    }
    if (s->other) {
        buf_text(out, "default: ");
        print_stmts(t, s->other, out);
        buf_text(out, "break; ");
    }
    buf_text(out, "} ");
}

/* Through memcpy, so that nothing is asked about types and alignment; unsigned, so that nothing
 * overflows. */
static void print_vector(const KTree *t, const KStmt *s, Buf *out) {
    const KVar *to = &t->vars[s->target->var];
    unsigned bits = to->type.bits, lanes = (unsigned)s->to;
    const char *lane = wtype_is_real(to->type) ? dyadic_name((RealKind)to->type.kind)
                       : bits == 8             ? "unsigned char"
                       : bits == 16            ? "unsigned short"
                       : bits == 32            ? "unsigned int"
                                               : "unsigned long";
    const char *at = s->var == KERNEL_VARS ? arena_fmt(t->arena, "%d", s->from)
                                           : arena_fmt(t->arena, "(((unsigned)%s * %uu) & %uu)",
                                                       t->vars[s->var].name, lanes, to->count - 1);
    const char *of = t->vars[s->e->var].count < to->count
                         ? arena_fmt(t->arena, "%u", t->vars[s->e->var].count - lanes)
                         : at;
    const char *by = s->by->var == s->target->var ? at : of;
    buf_fmt(out,
            "{ typedef %s V __attribute__((vector_size(%u))); V x, y; "
            "__builtin_memcpy(&x, %s + %s, sizeof x); __builtin_memcpy(&y, %s + %s, sizeof y); ",
            lane, lanes * bits / 8, t->vars[s->e->var].name, of, t->vars[s->by->var].name, by);
    if (s->op >= 0) buf_fmt(out, "x = (V)(x %s y); ", eval_binary_text((IBinary)s->op));
    if (s->step) {
        buf_text(out, "x = (V){ ");
        for (unsigned i = 0; i < lanes; i++)
            buf_fmt(out, "x[%u], ", (i + (unsigned)s->step) % lanes);
        buf_text(out, "}; ");
    }
    buf_fmt(out, "__builtin_memcpy(%s + %s, &x, sizeof x); } ", to->name, at);
}

static void print_lanes(const char *name, WType type, int lanes, Buf *out) {
    buf_text(out, "typedef ");
    wtype_print(type, out);
    buf_fmt(out, " %s __attribute__((vector_size(%u))); ", name, (unsigned)lanes * type.bits / 8);
}

static void print_convert(const KTree *t, const KStmt *s, Buf *out) {
    if (!s->to) return;
    buf_text(out, "{ ");
    print_lanes("V", s->e->type, s->to, out);
    print_lanes("W", s->target->type, s->to, out);
    buf_fmt(out, "V x; W y; __builtin_memcpy(&x, %s + %d, sizeof x); %s", t->vars[s->e->var].name,
            s->from, s->step ? "x &= 127; " : "");
    buf_fmt(out, "y = __builtin_convertvector(x, W); __builtin_memcpy(%s + %d, &y, sizeof y); } ",
            t->vars[s->target->var].name, s->from);
}

static void print_stmts(const KTree *t, const KStmt *s, Buf *out) {
    for (; s; s = s->next) switch (s->kind) {
        case KS_STORE: print_store(t, s, out); break;
        case KS_IF: print_if(t, s, out); break;
        case KS_FOR: print_loop(t, s, out); break;
        case KS_WHILE: print_while(t, s, out); break;
        case KS_SWITCH: print_switch(t, s, out); break;
        case KS_LABEL: break; /* printed with its switch */
        case KS_OVERFLOW: print_overflow(t, s, out); break;
        case KS_BREAK:
        case KS_CONTINUE: print_leave(t, s, out); break;
        case KS_COPY:
            buf_fmt(out, "__builtin_memcpy(%s, %s, sizeof %s); ", t->vars[s->target->var].name,
                    t->vars[s->e->var].name, t->vars[s->target->var].name);
            break;
        case KS_SET:
            buf_fmt(out, "__builtin_memset(%s, %d, sizeof %s); ", t->vars[s->target->var].name,
                    s->from, t->vars[s->target->var].name);
            break;
        case KS_COMPARE:
            buf_fmt(out, "%s = __builtin_memcmp(%s, %s, sizeof %s) != 0; ", t->vars[s->flag].name,
                    t->vars[s->target->var].name, t->vars[s->e->var].name,
                    t->vars[s->target->var].name);
            break;
        case KS_VECTOR: print_vector(t, s, out); break;
        case KS_CONVERT: print_convert(t, s, out); break;
        }
}

/* ---- the function ---- */
static void print_local(const KVar *v, Buf *out) {
    buf_fmt(out, "%s%s", v->is_static ? "static " : "", v->is_volatile ? "volatile " : "");
    wtype_print(v->type, out);
    buf_fmt(out, " %s", v->name);
    if (v->count)
        buf_fmt(out, "[%u]", v->count);
    else {
        buf_text(out, " = ");
        wide_print(v->init, out);
    }
    buf_text(out, "; ");
}

/* Loop variables are declared by their loops; they have no initial value. */
static bool is_local(const KTree *t, unsigned i) {
    return i >= t->order->inputs_len && (t->vars[i].count || t->vars[i].init.type.bits);
}

static void print_function(const KTree *t, bool promise, Buf *out) {
    static const char *const heads[] = { "static ",
                                         "static __attribute__((noinline)) ",
                                         "static __attribute__((noinline)) ",
                                         "static __inline ",
                                         "static __attribute__((cold)) ",
                                         "static __attribute__((hot, flatten)) ",
                                         "static __inline __attribute__((always_inline)) ",
                                         "static __attribute__((noipa)) ",
                                         "static __attribute__((noinline, noclone)) " };
    const char *head = t->order->plain ? "static " : heads[rng_below(t->rng, COUNT_OF(heads))];
    buf_fmt(out, "%s%sunsigned long %s(", head, promise ? "__attribute__((const)) " : "",
            t->order->name);
    for (unsigned i = 0; i < t->order->inputs_len; i++) {
        if (i) buf_text(out, ", ");
        wtype_print(t->vars[i].type, out);
        buf_fmt(out, " %s", t->vars[i].name);
    }
    buf_text(out, t->order->inputs_len ? ") { " : "void) { ");
    for (unsigned i = 0; i < t->n; i++)
        if (is_local(t, i)) print_local(&t->vars[i], out);
    print_stmts(t, t->body, out);
    buf_fmt(out, "return %s; }\n", t->vars[t->sum].name);
}

void kernel_print(const KTree *t, bool promise, Buf *out) {
    Buf text = { 0 };
    print_function(t, promise, &text);
    kernel_real_above(t, buf_view(&text), out);
    buf_str(out, buf_view(&text));
    buf_release(&text);
}
