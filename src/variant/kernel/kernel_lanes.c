/* Kernels over vectors of GCC and clang: a few variables of several shapes, a straight list of
 * operations that assign to them, perhaps repeated, and a sum over all lanes. Everything is
 * unsigned, so that nothing overflows; what is to be signed is cast for the one operation. Unlike a
 * vectorised loop such code reaches the instruction selection of every shape directly. */
#include "variant/kernel/kernel_tree.h"

enum { LANES_MOST = 64, LANES_VARS = 8, LANES_OPS = 14, LANES_TURNS = 5 };

typedef enum LKind {
    L_BINARY, /* to = a op b */
    L_SHIFT,  /* to = a << or >> (b & (bits - 1)), or by a number */
    L_COMPARE,
    L_DIVIDE, /* to = a / or % (b | 1) */
    L_UNARY,  /* ~a, -a */
    L_SHUFFLE,
    L_CONVERT, /* lane by lane to another width */
    L_CAST,    /* the same bytes */
    L_SELECT,  /* the greater, or the less, by a mask */
    L_INSERT,  /* to[at] = an input, or a lane of a */
    L_UPPER,   /* upper half of the product in twice the width */
    L_SATURATE,
    L_AVERAGE,
    L_KINDS
} LKind;

typedef struct LShape {
    unsigned bits, lanes;
} LShape;

typedef struct LVar {
    LShape shape;
    uint64_t init[LANES_MOST];
} LVar;

typedef struct LOp {
    LKind kind;
    unsigned to, a, b;
    unsigned op;       /* which of its kind */
    bool is_signed;    /* a and b are, for this */
    bool by_call;      /* in a function of its own */
    int input;         /* L_INSERT: which; -1: a lane of a */
    unsigned at, from; /* L_INSERT: lanes of to and a. L_SHIFT: from is the number; at: is used */
    unsigned mask[LANES_MOST]; /* L_SHUFFLE */
} LOp;

struct Lanes {
    const KernelOrder *order;
    Rng *rng;
    LVar vars[LANES_VARS];
    unsigned n_vars;
    LOp ops[LANES_OPS];
    unsigned n_ops, turns;
};
typedef struct Lanes Lanes;

static uint64_t below(const Lanes *l, uint64_t n) {
    return rng_below(l->rng, n);
}

static uint64_t ones(unsigned bits) {
    return bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

static int64_t signed_of(uint64_t value, unsigned bits) {
    return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

static unsigned size_of(LShape s) {
    return s.bits * s.lanes / 8;
}

static bool same_shape(LShape a, LShape b) {
    return a.bits == b.bits && a.lanes == b.lanes;
}

/* ---- drawing ---- */
static LShape any_shape(const Lanes *l) {
    unsigned bits = 8u << below(l, 4), bytes = 8u << below(l, 4);
    LShape s = { bits, bytes * 8 / bits };
    if (s.lanes < 2) s.lanes = 2;
    return s;
}

/* A shape into which the first can be turned. */
static LShape related(const Lanes *l, LShape s) {
    LShape r = s;
    switch (below(l, 4)) {
    case 0: r.bits = 8u << below(l, 4); break;                                      /* converted */
    case 1: r.bits = 8u << below(l, 4), r.lanes = s.bits * s.lanes / r.bits; break; /* cast */
    case 2: r.lanes = 2u << below(l, 4); break;                                     /* shuffled */
    default: break;
    }
    bool fits = r.lanes >= 2 && r.lanes <= LANES_MOST && size_of(r) <= 64;
    return fits ? r : s;
}

static void draw_vars(Lanes *l) {
    LShape shape = any_shape(l);
    l->n_vars = 4 + (unsigned)below(l, LANES_VARS - 3);
    for (unsigned i = 0; i < l->n_vars; i++) {
        LVar *v = &l->vars[i];
        v->shape = i % 2 ? l->vars[i - 1].shape : i ? related(l, shape) : shape;
        for (unsigned k = 0; k < v->shape.lanes; k++) {
            uint64_t any = rng_next(l->rng) >> below(l, 64);
            v->init[k] = (below(l, 3) ? any : -any) & ones(v->shape.bits);
        }
    }
}

/* A variable that fits as an operand: of the same shape, of as many lanes, of as many bytes, of the
 * same width. */
typedef bool Fits(LShape to, LShape from);
static bool fits_convert(LShape to, LShape from) {
    return to.lanes == from.lanes;
}
static bool fits_cast(LShape to, LShape from) {
    return size_of(to) == size_of(from);
}
static bool fits_shuffle(LShape to, LShape from) {
    return to.bits == from.bits;
}

static unsigned operand(const Lanes *l, LShape to, Fits *fits) {
    unsigned chosen = UINT32_MAX;
    uint64_t seen = 0;
    for (unsigned i = 0; i < l->n_vars; i++)
        if (fits(to, l->vars[i].shape) && below(l, ++seen) == 0) chosen = i;
    CHECK(chosen != UINT32_MAX);
    return chosen;
}

static void draw_op(Lanes *l, LOp *o) {
    *o = (LOp){ .kind = (LKind)below(l, L_KINDS),
                .to = (unsigned)below(l, l->n_vars),
                .op = (unsigned)below(l, 6),
                .is_signed = below(l, 2),
                .by_call = below(l, 5) == 0,
                .input = -1 };
    LShape to = l->vars[o->to].shape;
    Fits *fits = o->kind == L_CONVERT   ? fits_convert
                 : o->kind == L_CAST    ? fits_cast
                 : o->kind == L_SHUFFLE ? fits_shuffle
                                        : same_shape;
    o->a = operand(l, to, fits);
    o->b = operand(l, l->vars[o->a].shape, same_shape);
    if (o->kind == L_UPPER && to.bits == 64) o->kind = L_AVERAGE;
    if (o->kind == L_SHIFT && below(l, 2)) o->at = 1, o->from = (unsigned)below(l, to.bits);
    if (o->kind == L_INSERT) {
        o->at = (unsigned)below(l, to.lanes), o->from = (unsigned)below(l, to.lanes);
        if (l->order->inputs_len && below(l, 2)) o->input = (int)below(l, l->order->inputs_len);
    }
    for (unsigned k = 0; k < to.lanes; k++)
        o->mask[k] = (unsigned)below(l, 2ull * l->vars[o->a].shape.lanes);
}

/* ---- running ---- */
typedef struct LState {
    uint64_t at[LANES_VARS][LANES_MOST];
} LState;

static uint64_t binary(unsigned op, uint64_t x, uint64_t y) {
    switch (op) {
    case 0: return x + y;
    case 1: return x - y;
    case 2: return x * y;
    case 3: return x & y;
    case 4: return x | y;
    default: return x ^ y;
    }
}

static bool holds(unsigned op, bool is_signed, unsigned bits, uint64_t x, uint64_t y) {
    bool less = is_signed ? signed_of(x, bits) < signed_of(y, bits) : x < y;
    switch (op) {
    case 0: return less;
    case 1: return less || x == y;
    case 2: return !less && x != y;
    case 3: return !less;
    case 4: return x == y;
    default: return x != y;
    }
}

/* A divisor is odd; a signed one is 1 to 7. */
static uint64_t divided(const LOp *o, unsigned bits, uint64_t x, uint64_t y) {
    if (o->is_signed) {
        int64_t a = signed_of(x, bits), b = (int64_t)((y & 7) | 1);
        return (uint64_t)(o->op % 2 ? a % b : a / b);
    }
    y |= 1;
    return o->op % 2 ? x % y : x / y;
}

static uint64_t shifted(const LOp *o, unsigned bits, uint64_t x, uint64_t y) {
    unsigned by = o->at ? o->from : (unsigned)(y & (bits - 1));
    if (o->op % 2) return x << by;
    return o->is_signed ? (uint64_t)(signed_of(x, bits) >> by) : x >> by;
}

static uint64_t lane(const LOp *o, unsigned bits, uint64_t x, uint64_t y) {
    uint64_t sum = (x + y) & ones(bits);
    switch (o->kind) {
    case L_BINARY: return binary(o->op, x, y);
    case L_SHIFT: return shifted(o, bits, x, y);
    case L_COMPARE: return holds(o->op, o->is_signed, bits, x, y) ? UINT64_MAX : 0;
    case L_DIVIDE: return divided(o, bits, x, y);
    case L_UNARY: return o->op % 2 ? ~x : -x;
    case L_SELECT: return holds(o->op, o->is_signed, bits, x, y) ? x : y;
    case L_UPPER: return x * y >> bits;
    case L_SATURATE: return o->op % 2 ? (sum < x ? UINT64_MAX : sum) : (x > y ? x - y : 0);
    case L_AVERAGE: return (x | y) - ((x ^ y) >> 1);
    case L_CONVERT: return x;
    default: return 0;
    }
}

static void cast_bytes(const uint64_t *from, LShape is, LShape to, uint64_t *out) {
    unsigned char bytes[LANES_MOST * 8];
    for (unsigned i = 0; i < size_of(is); i++)
        bytes[i] = (unsigned char)(from[i * 8 / is.bits] >> (i * 8 % is.bits));
    for (unsigned k = 0; k < to.lanes; k++) {
        out[k] = 0;
        for (unsigned i = to.bits / 8; i-- > 0;) out[k] = out[k] << 8 | bytes[k * to.bits / 8 + i];
    }
}

static void run_op(const Lanes *l, const LOp *o, const uint64_t *inputs, LState *s) {
    LShape to = l->vars[o->to].shape, is = l->vars[o->a].shape;
    uint64_t out[LANES_MOST], *a = s->at[o->a], *b = s->at[o->b];
    memcpy(out, s->at[o->to], sizeof out);
    if (o->kind == L_INSERT)
        out[o->at] = o->input >= 0 ? inputs[o->input] : a[o->from];
    else if (o->kind == L_CAST)
        cast_bytes(a, is, to, out);
    else
        for (unsigned k = 0; k < to.lanes; k++) {
            unsigned m = o->mask[k];
            if (o->kind == L_SHUFFLE)
                out[k] = m < is.lanes ? a[m] : b[m - is.lanes];
            else if (o->kind == L_CONVERT && o->is_signed)
                out[k] = (uint64_t)signed_of(a[k], is.bits);
            else
                out[k] = lane(o, to.bits, a[k], b[k]);
        }
    for (unsigned k = 0; k < to.lanes; k++) s->at[o->to][k] = out[k] & ones(to.bits);
}

static uint64_t run(const Lanes *l, const uint64_t *inputs) {
    LState s;
    uint64_t sum = 0;
    for (unsigned i = 0; i < l->n_vars; i++) memcpy(s.at[i], l->vars[i].init, sizeof s.at[i]);
    for (unsigned t = 0; t < l->turns; t++)
        for (unsigned i = 0; i < l->n_ops; i++) run_op(l, &l->ops[i], inputs, &s);
    for (unsigned i = 0; i < l->n_vars; i++)
        for (unsigned k = 0; k < l->vars[i].shape.lanes; k++) sum = sum * 31 + s.at[i][k];
    return sum;
}

/* ---- printing ---- */
static const char *lane_type(unsigned bits) {
    return bits == 8 ? "char" : bits == 16 ? "short" : bits == 32 ? "int" : "long";
}

/* "k3u32x4", signed: "k3s32x4" */
static void print_type(const Lanes *l, LShape s, bool is_signed, Buf *out) {
    buf_fmt(out, "%s%c%ux%u", l->order->name, is_signed ? 's' : 'u', s.bits, s.lanes);
}

static void declare_type(const Lanes *l, LShape s, Buf *above) {
    for (int sign = 0; sign < 2; sign++) {
        buf_fmt(above, "typedef %s %s ", sign ? "signed" : "unsigned", lane_type(s.bits));
        print_type(l, s, sign, above);
        buf_fmt(above, " __attribute__((vector_size(%u)));\n", size_of(s));
    }
}

/* (type)name, where it is signed */
static void print_operand(const Lanes *l, const LOp *o, const char *name, Buf *out) {
    if (o->is_signed) {
        buf_char(out, '(');
        print_type(l, l->vars[o->a].shape, true, out);
        buf_char(out, ')');
    }
    buf_text(out, name);
}

static void print_two(const Lanes *l, const LOp *o, const char *op, const char *a, const char *b,
                      Buf *out) {
    buf_char(out, '(');
    print_operand(l, o, a, out);
    buf_fmt(out, " %s ", op);
    print_operand(l, o, b, out);
    buf_char(out, ')');
}

static void print_shuffle(const LOp *o, unsigned lanes, const char *a, const char *b, Buf *out) {
    buf_fmt(out, "__builtin_shufflevector(%s, %s", a, b);
    for (unsigned k = 0; k < lanes; k++) buf_fmt(out, ", %u", o->mask[k]);
    buf_char(out, ')');
}

static void print_convert(const Lanes *l, const char *text, LShape to, bool is_signed, Buf *out) {
    buf_fmt(out, "__builtin_convertvector(%s, ", text);
    print_type(l, to, is_signed, out);
    buf_char(out, ')');
}

static void print_upper(const Lanes *l, LShape s, const char *a, const char *b, Buf *out) {
    LShape twice = { 2 * s.bits, s.lanes };
    buf_text(out, "__builtin_convertvector((");
    print_convert(l, a, twice, false, out);
    buf_text(out, " * ");
    print_convert(l, b, twice, false, out);
    buf_fmt(out, ") >> %u, ", s.bits);
    print_type(l, s, false, out);
    buf_char(out, ')');
}

static void print_shift(const Lanes *l, const LOp *o, const char *a, const char *b, Buf *out) {
    unsigned bits = l->vars[o->to].shape.bits;
    LOp plain = *o;
    plain.is_signed = o->is_signed && o->op % 2 == 0;
    buf_char(out, '(');
    print_operand(l, &plain, a, out);
    buf_text(out, o->op % 2 ? " << " : " >> ");
    if (o->at) {
        buf_fmt(out, "%u)", o->from);
        return;
    }
    const char *by = b;
    buf_char(out, '(');
    print_operand(l, &plain, by, out);
    buf_fmt(out, " & %u))", bits - 1);
}

/* A mask by a comparison; and the two operands picked by it. */
static void print_select(const Lanes *l, const LOp *o, const char *test, const char *a,
                         const char *b, Buf *out) {
    Buf mask = { 0 };
    buf_char(&mask, '(');
    print_type(l, l->vars[o->to].shape, false, &mask);
    buf_char(&mask, ')');
    print_two(l, o, test, a, b, &mask);
    buf_fmt(out, "((%s & " STR_FMT ") | (%s & ~" STR_FMT "))", a, STR_ARG(buf_view(&mask)), b,
            STR_ARG(buf_view(&mask)));
    buf_release(&mask);
}

static void print_saturated(const Lanes *l, const LOp *o, const char *a, const char *b, Buf *out) {
    Buf type = { 0 };
    print_type(l, l->vars[o->to].shape, false, &type);
    if (o->op % 2)
        buf_fmt(out, "((%s + %s) | (" STR_FMT ")((%s + %s) < %s))", a, b, STR_ARG(buf_view(&type)),
                a, b, a);
    else
        buf_fmt(out, "((%s - %s) & (" STR_FMT ")(%s > %s))", a, b, STR_ARG(buf_view(&type)), a, b);
    buf_release(&type);
}

static void print_value(const Lanes *l, const LOp *o, const char *a, const char *b, Buf *out) {
    static const char *const ops[] = { "+", "-", "*", "&", "|", "^" };
    static const char *const tests[] = { "<", "<=", ">", ">=", "==", "!=" };
    LShape to = l->vars[o->to].shape;
    switch (o->kind) {
    case L_BINARY: buf_fmt(out, "(%s %s %s)", a, ops[o->op], b); break;
    case L_SHIFT: print_shift(l, o, a, b, out); break;
    case L_COMPARE: print_two(l, o, tests[o->op], a, b, out); break;
    case L_DIVIDE:
        buf_char(out, '(');
        print_operand(l, o, a, out);
        buf_text(out, o->op % 2 ? " % (" : " / (");
        print_operand(l, o, b, out);
        buf_text(out, o->is_signed ? " & 7 | 1))" : " | 1))");
        break;
    case L_UNARY: buf_fmt(out, "(%s%s)", o->op % 2 ? "~" : "-", a); break;
    case L_SHUFFLE: print_shuffle(o, to.lanes, a, b, out); break;
    case L_CONVERT: {
        Buf from = { 0 };
        print_operand(l, o, a, &from);
        buf_char(&from, 0);
        print_convert(l, from.at, to, o->is_signed, out);
        buf_release(&from);
        break;
    }
    case L_CAST: buf_text(out, a); break;
    case L_SELECT: print_select(l, o, tests[o->op], a, b, out); break;
    case L_UPPER: print_upper(l, to, a, b, out); break;
    case L_SATURATE: print_saturated(l, o, a, b, out); break;
    default: buf_fmt(out, "((%s | %s) - ((%s ^ %s) >> 1))", a, b, a, b); break;
    }
}

static void print_insert(const Lanes *l, const LOp *o, Buf *out) {
    const char *name = l->order->name;
    if (o->input >= 0)
        buf_fmt(out, "%sv%u[%u] = %sp%d; ", name, o->to, o->at, name, o->input);
    else
        buf_fmt(out, "%sv%u[%u] = %sv%u[%u]; ", name, o->to, o->at, name, o->a, o->from);
}

/* static V f(V a, V b) { return ..; } */
static void print_function(const Lanes *l, const LOp *o, unsigned number, Buf *above) {
    buf_text(above, "static __attribute__((noinline)) ");
    print_type(l, l->vars[o->to].shape, false, above);
    buf_fmt(above, " %sf%u(", l->order->name, number);
    print_type(l, l->vars[o->a].shape, false, above);
    buf_text(above, " a, ");
    print_type(l, l->vars[o->b].shape, false, above);
    buf_text(above, " b) { return (");
    print_type(l, l->vars[o->to].shape, false, above);
    buf_char(above, ')');
    print_value(l, o, "a", "b", above);
    buf_text(above, "; }\n");
}

static void print_op(const Lanes *l, unsigned number, Buf *above, Buf *out) {
    const LOp *o = &l->ops[number];
    const char *name = l->order->name;
    char a[80], b[80];
    if (o->kind == L_INSERT) {
        print_insert(l, o, out);
        return;
    }
    snprintf(a, sizeof a, "%sv%u", name, o->a);
    snprintf(b, sizeof b, "%sv%u", name, o->b);
    buf_fmt(out, "%sv%u = ", name, o->to);
    if (o->by_call) {
        print_function(l, o, number, above);
        buf_fmt(out, "%sf%u(%s, %s); ", name, number, a, b);
        return;
    }
    buf_char(out, '(');
    print_type(l, l->vars[o->to].shape, false, out);
    buf_char(out, ')');
    print_value(l, o, a, b, out);
    buf_text(out, "; ");
}

/* Each shape once; those of twice the width too. */
static void declare_types(const Lanes *l, Buf *above) {
    LShape done[4 * LANES_VARS];
    unsigned n = 0;
    for (unsigned i = 0; i < 2 * l->n_vars; i++) {
        LShape s = l->vars[i / 2].shape;
        if (i % 2) s.bits *= 2;
        bool known = s.bits > 64;
        for (unsigned k = 0; k < n; k++) known = known || same_shape(done[k], s);
        if (known) continue;
        declare_type(l, s, above);
        done[n++] = s;
    }
}

static void print_all(const Lanes *l, Buf *above) {
    const KernelOrder *order = l->order;
    const char *name = order->name;
    Buf body = { 0 };
    declare_types(l, above);
    for (unsigned i = 0; i < l->n_vars; i++) {
        print_type(l, l->vars[i].shape, false, &body);
        buf_fmt(&body, " %sv%u = { ", name, i);
        for (unsigned k = 0; k < l->vars[i].shape.lanes; k++)
            buf_fmt(&body, "%lluu%s, ", (unsigned long long)l->vars[i].init[k],
                    l->vars[i].shape.bits == 64 ? "l" : "");
        buf_text(&body, "}; ");
    }
    buf_text(&body, "int i; ");
    if (l->turns > 1) buf_fmt(&body, "for (i = 0; i < %u; i++) { ", l->turns);
    for (unsigned i = 0; i < l->n_ops; i++) print_op(l, i, above, &body);
    if (l->turns > 1) buf_text(&body, "} ");
    buf_text(&body, "unsigned long r = 0; ");
    for (unsigned i = 0; i < l->n_vars; i++)
        buf_fmt(&body, "for (i = 0; i < %u; i++) r = r * 31 + %sv%u[i]; ", l->vars[i].shape.lanes,
                name, i);
    buf_fmt(above, "static %sunsigned long %s(",
            rng_chance(l->rng, 0.6) ? "__attribute__((noinline)) " : "", name);
    for (size_t i = 0; i < order->inputs_len; i++)
        buf_fmt(above, "%s%s %sp%zu", i ? ", " : "", itype_name(ITYPE(order->inputs[i].type.kind)),
                name, i);
    buf_fmt(above, "%s) { " STR_FMT "return r; }\n", order->inputs_len ? "" : "void",
            STR_ARG(buf_view(&body)));
    buf_release(&body);
}

void kernel_lanes(Rng *rng, const KernelOrder *order, size_t combinations, uint64_t *results,
                  Buf *above, Buf *call) {
    Lanes l = { .order = order, .rng = rng };
    draw_vars(&l);
    l.n_ops = 3 + (unsigned)below(&l, LANES_OPS - 2);
    for (unsigned i = 0; i < l.n_ops; i++) draw_op(&l, &l.ops[i]);
    l.turns = below(&l, 2) ? 1 : 2 + (unsigned)below(&l, LANES_TURNS - 1);
    for (size_t k = 0; k < combinations; k++) {
        uint64_t inputs[KERNEL_INPUTS];
        size_t rest = k;
        for (size_t i = 0; i < order->inputs_len; i++) {
            inputs[i] = order->inputs[i].set.at[rest % order->inputs[i].set.len];
            rest /= order->inputs[i].set.len;
        }
        results[k] = run(&l, inputs);
    }
    print_all(&l, above);
    buf_fmt(call, "%s(", order->name);
    for (size_t i = 0; i < order->inputs_len; i++)
        buf_fmt(call, "%s" STR_FMT, i ? ", " : "", STR_ARG(order->inputs[i].text));
    buf_char(call, ')');
}
