/* Drawing a medley. An expression is drawn for the type it must have: from a leaf, from operators
 * of the type's class, or by converting another type's; so types always fit. */
#include "hunt/crash/medley.h"

enum {
    MEDLEY_FUNCTIONS = 16, /* of a program, about */
    MEDLEY_DEPTH = 3,      /* of expressions */
    MEDLEY_TYPES = 14,     /* that one program uses */
    MEDLEY_LOCALS = 4,
};

typedef enum MClass { M_INT, M_BOOL, M_REAL, M_DECIMAL, M_COMPLEX, M_LANES, M_REAL_LANES } MClass;

typedef struct MType {
    char text[40]; /* its name; of a vector made below: a typedef's */
    MClass class;
    uint16_t bits;      /* of an integer */
    bool is_unsigned;   /* of an integer or of a vector's lanes */
    uint8_t part;       /* of complex and vectors: index of the part's type */
    uint8_t lanes;      /* of a vector */
    uint16_t lane_bits; /* of a vector */
} MType;

typedef struct Medley {
    Rng *rng;
    Buf *out;
    bool gnu;
    MType types[MEDLEY_TYPES + 2];
    unsigned n;
    unsigned function;            /* the one being written */
    uint8_t takes[64], gives[64]; /* types of functions: both parameters, the result */
    uint8_t locals[MEDLEY_LOCALS];
    bool loops; /* the place is in a loop */
    unsigned depth;
    unsigned names; /* given so far */
} Medley;

static bool chance(Medley *m, double p) {
    return rng_chance(m->rng, p);
}
static unsigned below(Medley *m, unsigned n) {
    return (unsigned)rng_below(m->rng, n);
}
#define PICK(m, table) ((table)[below((m), COUNT_OF(table))])

/* ---- types ---- */
static MType standard_type(Medley *m) {
    static const MType types[] = { { "char", M_INT, 8, false, 0, 0, 0 },
                                   { "unsigned char", M_INT, 8, true, 0, 0, 0 },
                                   { "short", M_INT, 16, false, 0, 0, 0 },
                                   { "unsigned short", M_INT, 16, true, 0, 0, 0 },
                                   { "int", M_INT, 32, false, 0, 0, 0 },
                                   { "unsigned", M_INT, 32, true, 0, 0, 0 },
                                   { "long", M_INT, 64, false, 0, 0, 0 },
                                   { "unsigned long", M_INT, 64, true, 0, 0, 0 },
                                   { "__int128", M_INT, 128, false, 0, 0, 0 },
                                   { "unsigned __int128", M_INT, 128, true, 0, 0, 0 },
                                   { "_Bool", M_BOOL, 1, true, 0, 0, 0 },
                                   { "float", M_REAL, 0, false, 0, 0, 0 },
                                   { "double", M_REAL, 0, false, 0, 0, 0 },
                                   { "long double", M_REAL, 0, false, 0, 0, 0 },
                                   { "_Float16", M_REAL, 0, false, 0, 0, 0 },
                                   { "__bf16", M_REAL, 0, false, 0, 0, 0 },
                                   { "__float128", M_REAL, 0, false, 0, 0, 0 },
                                   { "_Complex float", M_COMPLEX, 0, false, 0, 0, 0 },
                                   { "_Complex double", M_COMPLEX, 0, false, 0, 0, 0 },
                                   { "_Complex long double", M_COMPLEX, 0, false, 0, 0, 0 },
                                   { "_Complex int", M_COMPLEX, 0, false, 0, 0, 0 },
                                   { "_Complex unsigned char", M_COMPLEX, 0, false, 0, 0, 0 },
                                   { "_Complex long", M_COMPLEX, 0, false, 0, 0, 0 } };
    static const MType decimals[] = { { "_Decimal32", M_DECIMAL, 0, false, 0, 0, 0 },
                                      { "_Decimal64", M_DECIMAL, 0, false, 0, 0, 0 },
                                      { "_Decimal128", M_DECIMAL, 0, false, 0, 0, 0 } };
    return m->gnu && chance(m, 0.08) ? PICK(m, decimals) : PICK(m, types);
}

static MType bit_type(Medley *m) {
    static const uint16_t widths[] = { 2,   3,   5,   7,   8,   9,   15,  17,  24,  31,  33,
                                       47,  63,  64,  65,  90,  127, 128, 129, 135, 192, 193,
                                       255, 256, 257, 319, 320, 321, 513, 575, 1024 };
    MType t = { .class = M_INT, .bits = PICK(m, widths), .is_unsigned = chance(m, 0.5) };
    snprintf(t.text, sizeof t.text, "%s_BitInt(%u)", t.is_unsigned ? "unsigned " : "", t.bits);
    return t;
}

static MType vector_type(Medley *m) {
    static const struct {
        const char *name;
        uint16_t bits;
        bool real, is_unsigned;
    } lanes[] = { { "char", 8, false, false },    { "unsigned char", 8, false, true },
                  { "short", 16, false, false },  { "unsigned short", 16, false, true },
                  { "int", 32, false, false },    { "unsigned", 32, false, true },
                  { "long", 64, false, false },   { "unsigned long", 64, false, true },
                  { "float", 32, true, false },   { "double", 64, true, false },
                  { "_Float16", 16, true, false } };
    size_t i = below(m, COUNT_OF(lanes));
    unsigned bytes = 4u << below(m, 6);
    if (bytes * 8 < 2u * lanes[i].bits) bytes = lanes[i].bits / 4;
    MType t = { .class = lanes[i].real ? M_REAL_LANES : M_LANES,
                .is_unsigned = lanes[i].is_unsigned,
                .lanes = (uint8_t)(bytes * 8 / lanes[i].bits),
                .lane_bits = lanes[i].bits };
    snprintf(t.text, sizeof t.text, "V%u", m->names++);
    buf_fmt(m->out, "typedef %s %s __attribute__((vector_size(%u)));\n", lanes[i].name, t.text,
            bytes);
    return t;
}

static bool is_scalar(MClass c) {
    return c == M_INT || c == M_BOOL || c == M_REAL || c == M_DECIMAL;
}

/* The first is int, the second unsigned long, the third an unsigned type of any width. */
static void draw_types(Medley *m) {
    m->types[0] = (MType){ .text = "int", .class = M_INT, .bits = 32 };
    m->types[1] =
        (MType){ .text = "unsigned long", .class = M_INT, .bits = 64, .is_unsigned = true };
    for (m->n = 2; m->n < MEDLEY_TYPES; m->n++)
        m->types[m->n] = chance(m, 0.3)   ? bit_type(m)
                         : chance(m, 0.4) ? vector_type(m)
                                          : standard_type(m);
}

static unsigned any_type(Medley *m) {
    return below(m, m->n);
}

/* A type of one of the classes (bits of them); int where there is none. */
static unsigned type_of_class(Medley *m, unsigned classes) {
    unsigned pick = 0, seen = 0;
    for (unsigned i = 0; i < m->n; i++)
        if (classes >> m->types[i].class & 1 && below(m, ++seen) == 0) pick = i;
    return pick;
}
#define M_BIT(class) (1u << (class))

/* ---- expressions ---- */
static void expression(Medley *m, unsigned type, unsigned depth);

/* Something that may be stored to: a parameter, a local, a global of any storage. */
static void place(Medley *m, unsigned type) {
    static const struct {
        const char *before, *after;
    } globals[] = { { "g", "" },   { "v", "" },      { "t", "" },
                    { "s", ".f" }, { "s", ".b[1]" }, { "r", "[2]" } };
    for (unsigned i = 0; i < MEDLEY_LOCALS; i++)
        if (m->locals[i] == type && chance(m, 0.5)) {
            buf_fmt(m->out, "l%u", i);
            return;
        }
    if (m->takes[m->function] == type && chance(m, 0.6)) {
        buf_text(m->out, chance(m, 0.7) ? "a" : "(*p)");
        return;
    }
    size_t i = below(m, COUNT_OF(globals));
    buf_fmt(m->out, "%s%u%s", globals[i].before, type, globals[i].after);
}

static void literal(Medley *m, unsigned type) {
    static const char *const numbers[] = { "0", "1", "2", "3", "7", "-1", "31", "100", "64" };
    const MType *t = &m->types[type];
    if (t->lanes)
        buf_fmt(m->out, "((%s){ %s, %s })", t->text, PICK(m, numbers), PICK(m, numbers));
    else
        buf_fmt(m->out, "((%s)%s)", t->text, PICK(m, numbers));
}

/* .. of exactly this type, not of what it is promoted to. */
static void exact(Medley *m, const char *before, unsigned type, const char *after, unsigned depth) {
    buf_fmt(m->out, "%s(%s)(", before, m->types[type].text);
    expression(m, type, depth);
    buf_fmt(m->out, ")%s", after);
}

static void pair(Medley *m, unsigned type, const char *op, unsigned depth) {
    buf_char(m->out, '(');
    expression(m, type, depth);
    buf_fmt(m->out, " %s ", op);
    expression(m, type, depth);
    buf_char(m->out, ')');
}

static void call_text(Medley *m, const char *before, unsigned type, const char *after,
                      unsigned depth) {
    buf_text(m->out, before);
    expression(m, type, depth);
    buf_text(m->out, after);
}

/* An int: comparisons, tests, counts of bits. */
static void small_number(Medley *m, unsigned depth) {
    static const char *const relations[] = { "<", "<=", ">", ">=", "==", "!=" };
    static const char *const counts[] = { "__builtin_popcountg(", "__builtin_parityg(" };
    static const char *const overflows[] = { "add", "sub", "mul" };
    unsigned scalar =
        type_of_class(m, M_BIT(M_INT) | M_BIT(M_BOOL) | M_BIT(M_REAL) | M_BIT(M_DECIMAL));
    unsigned integer = type_of_class(m, M_BIT(M_INT));
    const MType *t = &m->types[integer];
    switch (below(m, 7)) {
    case 0:
    case 1: pair(m, scalar, PICK(m, relations), depth); return;
    case 2: pair(m, scalar, chance(m, 0.5) ? "&&" : "||", depth); return;
    case 3: call_text(m, "(!", scalar, ")", depth); return;
    case 4:
        if (!t->is_unsigned) break;
        if (chance(m, 0.5))
            exact(m, counts[m->gnu && chance(m, 0.5)], integer, ")", depth);
        else
            exact(m, chance(m, 0.5) ? "__builtin_clzg(" : "__builtin_ctzg(", integer, ", 77)",
                  depth);
        return;
    case 5:
        if (!m->gnu) break;
        buf_fmt(m->out, "__builtin_%s_overflow_p(", PICK(m, overflows));
        expression(m, integer, depth);
        buf_text(m->out, ", ");
        expression(m, type_of_class(m, M_BIT(M_INT)), depth);
        buf_fmt(m->out, ", (%s)0)", t->text);
        return;
    default: break;
    }
    unsigned complex = type_of_class(m, M_BIT(M_COMPLEX));
    if (m->types[complex].class == M_COMPLEX)
        pair(m, complex, chance(m, 0.5) ? "==" : "!=", depth);
    else
        pair(m, scalar, "==", depth);
}

/* Of another type. */
static void converted(Medley *m, unsigned type, unsigned depth) {
    const MType *t = &m->types[type];
    unsigned from =
        type_of_class(m, M_BIT(M_INT) | M_BIT(M_BOOL) | M_BIT(M_REAL) |
                             (t->class == M_DECIMAL ? M_BIT(M_DECIMAL) : M_BIT(M_COMPLEX)));
    unsigned vector = type_of_class(m, M_BIT(M_LANES) | M_BIT(M_REAL_LANES));
    if (t->class == M_COMPLEX && m->types[from].class == M_DECIMAL) from = 0;
    buf_fmt(m->out, "((%s)", t->text);
    if (chance(m, 0.25) && m->types[vector].lanes && t->class != M_DECIMAL) {
        expression(m, vector, depth);
        buf_fmt(m->out, "[%u])", below(m, m->types[vector].lanes));
        return;
    }
    if (chance(m, 0.15) && m->types[from].class == M_COMPLEX)
        buf_text(m->out, chance(m, 0.5) ? "__real__ " : "__imag__ ");
    expression(m, from, depth);
    buf_char(m->out, ')');
}

static void integer(Medley *m, unsigned type, unsigned depth) {
    static const char *const ops[] = { "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>" };
    const MType *t = &m->types[type];
    switch (below(m, 8)) {
    case 0: converted(m, type, depth); return;
    case 1: call_text(m, chance(m, 0.5) ? "((void)0, -" : "(~", type, ")", depth); return;
    case 2:
        buf_fmt(m->out, "((%s)", t->text);
        small_number(m, depth);
        buf_char(m->out, ')');
        return;
    case 3:
        buf_char(m->out, '(');
        expression(m, type, depth);
        buf_fmt(m->out, " %s %u)", chance(m, 0.5) ? "<<" : ">>", below(m, t->bits));
        return;
    case 4:
        if (!m->gnu || !t->is_unsigned) break;
        if (chance(m, 0.5))
            exact(m, "__builtin_stdc_rotate_left(", type, ", 3)", depth);
        else
            exact(m, "__builtin_stdc_bit_ceil(", type, ")", depth);
        return;
    default: break;
    }
    pair(m, type, PICK(m, ops), depth);
}

static void real(Medley *m, unsigned type, unsigned depth) {
    static const char *const ops[] = { "+", "-", "*", "/" };
    if (chance(m, 0.3))
        converted(m, type, depth);
    else if (chance(m, 0.1))
        call_text(m, "(-", type, ")", depth);
    else if (m->types[type].class == M_COMPLEX && chance(m, 0.2))
        call_text(m, "(~", type, ")", depth);
    else
        pair(m, type, PICK(m, ops), depth);
}

static unsigned type_like(Medley *m, unsigned type, bool same_size) {
    const MType *t = &m->types[type];
    unsigned pick = type, seen = 1;
    for (unsigned i = 0; i < m->n; i++) {
        const MType *u = &m->types[i];
        bool fits = u->lanes && (same_size ? u->lanes * u->lane_bits == t->lanes * t->lane_bits
                                           : u->lanes == t->lanes);
        if (i != type && fits && below(m, ++seen) == 0) pick = i;
    }
    return pick;
}

static void vector(Medley *m, unsigned type, unsigned depth) {
    static const char *const ops[] = { "+", "-", "*", "/", "&", "|", "^", "<<", ">>", "%" };
    const MType *t = &m->types[type];
    unsigned like = type_like(m, type, true), lanes = type_like(m, type, false);
    switch (below(m, 8)) {
    case 0:
        buf_fmt(m->out, "((%s)", t->text);
        expression(m, like, depth);
        buf_char(m->out, ')');
        return;
    case 1:
        buf_text(m->out, "__builtin_convertvector(");
        expression(m, lanes, depth);
        buf_fmt(m->out, ", %s)", t->text);
        return;
    case 2:
        buf_fmt(m->out, "((%s)", t->text);
        pair(m, like, chance(m, 0.5) ? "<" : "!=", depth);
        buf_char(m->out, ')');
        return;
    case 3:
        buf_text(m->out, "__builtin_shufflevector(");
        expression(m, type, depth);
        buf_text(m->out, ", ");
        expression(m, type, depth);
        for (unsigned i = 0; i < t->lanes; i++) buf_fmt(m->out, ", %u", below(m, 2u * t->lanes));
        buf_char(m->out, ')');
        return;
    case 4:
        if (t->class != M_LANES || !m->gnu) break;
        buf_text(m->out, "__builtin_shuffle(");
        expression(m, type, depth);
        buf_text(m->out, ", ");
        expression(m, type, depth);
        buf_char(m->out, ')');
        return;
    case 5: call_text(m, t->class == M_LANES ? "(~" : "(-", type, ")", depth); return;
    default: break;
    }
    pair(m, type, t->class == M_LANES ? PICK(m, ops) : ops[below(m, 4)], depth);
}

static void expression(Medley *m, unsigned type, unsigned depth) {
    const MType *t = &m->types[type];
    if (depth == 0 || chance(m, 0.25)) {
        if (chance(m, 0.75))
            place(m, type);
        else
            literal(m, type);
        return;
    }
    if (is_scalar(t->class) && chance(m, 0.06)) {
        buf_char(m->out, '(');
        small_number(m, depth - 1);
        buf_text(m->out, " ? ");
        expression(m, type, depth - 1);
        buf_text(m->out, " : ");
        expression(m, type, depth - 1);
        buf_char(m->out, ')');
        return;
    }
    switch (t->class) {
    case M_INT: integer(m, type, depth - 1); break;
    case M_BOOL:
        buf_text(m->out, "((_Bool)"), small_number(m, depth - 1), buf_char(m->out, ')');
        break;
    case M_LANES:
    case M_REAL_LANES: vector(m, type, depth - 1); break;
    default: real(m, type, depth - 1);
    }
}

/* ---- statements ---- */
static void statement(Medley *m);

static void assign(Medley *m) {
    static const char *const ops[] = { "+=", "-=", "*=", "/=" };
    static const char *const bits[] = { "|=", "&=", "^=", "<<=", ">>=", "%=" };
    unsigned type = any_type(m);
    MClass c = m->types[type].class;
    const char *op = chance(m, 0.6) ? "=" : PICK(m, ops);
    if ((c == M_INT || c == M_LANES) && chance(m, 0.25)) op = PICK(m, bits);
    if (is_scalar(c) && chance(m, 0.12)) { /* any storage, atomically too */
        buf_fmt(m->out, "%c%u", chance(m, 0.5) ? 'q' : 'v', type);
    } else if (c == M_INT && m->types[type].bits > 1 && chance(m, 0.15))
        buf_fmt(m->out, "s%u.%c", type, chance(m, 0.5) ? 'x' : 'y');
    else
        place(m, type);
    buf_fmt(m->out, " %s ", c == M_BOOL ? "=" : op);
    expression(m, type, MEDLEY_DEPTH);
    buf_text(m->out, ";\n");
}

static void block(Medley *m, unsigned n) {
    buf_text(m->out, "{\n");
    for (unsigned i = 0; i < n; i++) statement(m);
    buf_text(m->out, "}\n");
}

static void loop(Medley *m) {
    static const struct {
        const char *type, *from, *test, *step;
    } heads[] = { { "int", "0", " < 64", "++" },
                  { "unsigned char", "200", "", " -= 5" },
                  { "long", "0", " != 1000", " += 8" },
                  { "_BitInt(70)", "9", " > 0", "--" } };
    unsigned i = m->names++, which = below(m, COUNT_OF(heads));
    buf_fmt(m->out, "for (%s i%u = %s; i%u%s; i%u%s) ", heads[which].type, i, heads[which].from, i,
            heads[which].test, i, heads[which].step);
    bool was = m->loops;
    m->loops = true;
    buf_text(m->out, "{\n");
    unsigned array = any_type(m);
    buf_fmt(m->out, "r%u[(int)i%u & 63] = ", array, i);
    expression(m, array, 2);
    buf_text(m->out, ";\n");
    for (unsigned k = below(m, 3); k > 0; k--) statement(m);
    buf_text(m->out, "}\n");
    m->loops = was;
}

/* An integer that builtins of overflow take: clang's have at most 128 bits. */
static unsigned counted_type(Medley *m) {
    unsigned type = type_of_class(m, M_BIT(M_INT));
    return m->gnu || m->types[type].bits <= 128 ? type : 0;
}

static void overflow(Medley *m) {
    static const char *const names[] = { "add", "sub", "mul" };
    unsigned type = counted_type(m);
    buf_text(m->out, "t0 = ");
    buf_fmt(m->out, "__builtin_%s_overflow(", PICK(m, names));
    expression(m, counted_type(m), 1);
    buf_text(m->out, ", ");
    expression(m, counted_type(m), 1);
    buf_fmt(m->out, ", &%c%u);\n", chance(m, 0.5) ? 'g' : 't', type);
}

static void choose(Medley *m) {
    unsigned type = type_of_class(m, M_BIT(M_INT));
    buf_fmt(m->out, "switch (");
    expression(m, type, 2);
    buf_text(m->out, ") {\n");
    unsigned most = m->types[type].bits < 7 ? 2 : 9;
    for (unsigned i = 0, at = 0; i < most && at < most * 4; i++, at += 1 + below(m, 3)) {
        if (m->types[type].bits < 7 && i > 1) break;
        buf_fmt(m->out, "case %u: ", m->types[type].bits < 7 ? i : at);
        assign(m);
        if (chance(m, 0.7)) buf_text(m->out, "break;\n");
    }
    buf_text(m->out, "default: ;\n}\n");
}

static void call_function(Medley *m) {
    if (m->function == 0) {
        assign(m);
        return;
    }
    unsigned f = below(m, m->function);
    place(m, m->gives[f]);
    buf_fmt(m->out, " = f%u(", f);
    expression(m, m->takes[f], 2);
    buf_fmt(m->out, ", &g%u);\n", m->takes[f]);
}

static void odd(Medley *m) {
    unsigned type = any_type(m);
    switch (below(m, 6)) {
    case 0:
        buf_fmt(m->out, "__builtin_memcpy(&g%u, &t%u, sizeof g%u);\n", type, type, type);
        return;
    case 1:
        if (!m->gnu) type = 0; /* clang takes no _BitInt there */
        buf_fmt(m->out, "__asm__ volatile (\"\" : \"+m\" (g%u));\n", type);
        return;
    case 2: buf_fmt(m->out, "s%u = s%u_(s%u);\n", type, type, type); return;
    case 3:
        buf_fmt(m->out, "{ %s w[t0 & 7]; w[0] = g%u; g%u = w[t0 & 3]; }\n", m->types[type].text,
                type, type);
        return;
    case 4: buf_fmt(m->out, "__builtin_memset(r%u, t0, sizeof r%u / 2);\n", type, type); return;
    default: break;
    }
    if (m->loops)
        buf_text(m->out, chance(m, 0.5) ? "if (t0) continue;\n" : "if (t0 > 3) break;\n");
    else
        buf_fmt(m->out, "if (t0 == %u) return r;\n", below(m, 9));
}

static void statement(Medley *m) {
    static const double weight[] = { 8, 1.5, 2, 1, 0.7, 1, 1.5 };
    size_t which = rng_weighted(m->rng, weight, COUNT_OF(weight));
    if (m->depth > 2) which = 0;
    m->depth++;
    switch (which) {
    case 1:
        buf_text(m->out, "if (");
        small_number(m, 2);
        buf_text(m->out, ") ");
        block(m, 1 + below(m, 2));
        break;
    case 2: loop(m); break;
    case 3: overflow(m); break;
    case 4: choose(m); break;
    case 5: call_function(m); break;
    case 6: odd(m); break;
    default: assign(m);
    }
    m->depth--;
}

/* ---- the program ---- */
/* Globals of every storage, a structure with bit-fields, an array, of each type. */
static void write_globals(Medley *m) {
    for (unsigned i = 0; i < m->n; i++) {
        const MType *t = &m->types[i];
        buf_fmt(m->out, "extern %s g%u; static %s t%u; volatile %s v%u; %s r%u[64];\n", t->text, i,
                t->text, i, t->text, i, t->text, i);
        buf_fmt(m->out, "struct S%u { char c; %s f%s; %s b[3];", i, t->text,
                chance(m, 0.2) ? " __attribute__((packed))" : "", t->text);
        if (t->class == M_INT && t->bits > 1)
            buf_fmt(m->out, " %s x : %u; %s y : %u;", t->text,
                    1 + below(m, t->bits > 64 && !strstr(t->text, "Bit") ? 64u : t->bits), t->text,
                    1 + below(m, t->bits));
        buf_fmt(m->out, " } s%u;\n", i);
        bool atomic = m->gnu || !strstr(t->text, "_BitInt"); /* clang has no others */
        if (is_scalar(t->class))
            buf_fmt(m->out, "%s %s q%u;\n", atomic ? "_Atomic" : "volatile", t->text, i);
        buf_fmt(m->out, "struct S%u s%u_(struct S%u);\n", i, i, i);
    }
}

static void write_function(Medley *m) {
    static const char *const attributes[] = { "",
                                              "",
                                              "static ",
                                              "static ",
                                              "__attribute__((noinline)) ",
                                              "static inline __attribute__((always_inline)) ",
                                              "__attribute__((cold)) ",
                                              "__attribute__((hot, flatten)) " };
    unsigned f = m->function;
    m->takes[f] = (uint8_t)any_type(m);
    m->gives[f] = (uint8_t)any_type(m);
    const char *takes = m->types[m->takes[f]].text, *gives = m->types[m->gives[f]].text;
    buf_fmt(m->out, "%s%s f%u(%s a, %s *p) {\n%s r = g%u;\n", PICK(m, attributes), gives, f, takes,
            takes, gives, m->gives[f]);
    for (unsigned i = 0; i < MEDLEY_LOCALS; i++) {
        m->locals[i] = (uint8_t)any_type(m);
        buf_fmt(m->out, "%s l%u = t%u;\n", m->types[m->locals[i]].text, i, m->locals[i]);
    }
    for (unsigned n = 2 + below(m, 5); n > 0; n--) statement(m);
    buf_text(m->out, "r = ");
    expression(m, m->gives[f], 2);
    buf_text(m->out, ";\nreturn r;\n}\n");
}

void medley_draw(Rng *rng, bool gnu, Buf *out) {
    Medley m = { .rng = rng, .out = out, .gnu = gnu };
    draw_types(&m);
    write_globals(&m);
    unsigned n = MEDLEY_FUNCTIONS / 2 + below(&m, MEDLEY_FUNCTIONS);
    for (m.function = 0; m.function < n; m.function++) write_function(&m);
    for (unsigned i = 0; i < n; i++) buf_fmt(out, "void *use%u = (void *)f%u;\n", i, i);
}
