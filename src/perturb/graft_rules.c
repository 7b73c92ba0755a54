/* The rules: pieces of other programs inserted, and changes of what is there. Each picks its place
 * with equal probability among those that it can change. */
#include "perturb/graft_impl.h"

/* ---- places ---- */
typedef bool GraftTest(const GraftHost *host, uint32_t node);

static uint32_t pick_node(const GraftHost *host, GraftTest *test) {
    uint32_t pick = 0;
    uint64_t n = 0;
    for (uint32_t i = 1; i < host->tree.nodes.len; i++)
        if (test(host, i) && rng_below(host->rng, ++n) == 0) pick = i;
    return pick;
}

static const TreeNode *node_at(const GraftHost *host, uint32_t node) {
    return &host->tree.nodes.at[node];
}

static unsigned parent_kind(const GraftHost *host, uint32_t node) {
    return node_at(host, node_at(host, node)->parent)->kind;
}

static bool in_function(const GraftHost *host, uint32_t node) {
    while (node && node_at(host, node)->kind != host->pool->kinds.function)
        node = node_at(host, node)->parent;
    return node != 0;
}

/* A plain value that is read. */
static bool is_value(const GraftHost *host, uint32_t node) {
    const GraftKinds *k = &host->pool->kinds;
    const TreeNode *n = node_at(host, node);
    uint32_t arity;
    unsigned above = parent_kind(host, node);
    if (!graft_is_use(k, &host->tree, node)) return false;
    if (above == k->assignment && n->field == k->f_left) return false;
    if (above == k->update || above == k->follow || above == k->case_) return false;
    return graft_use(k, &host->tree, node, &arity) == GRAFT_SCALAR && in_function(host, node);
}

static bool is_number(const GraftHost *host, uint32_t node) {
    return node_at(host, node)->kind == host->pool->kinds.number;
}

/* A statement among others: something may be put before it. */
static bool is_step(const GraftHost *host, uint32_t node) {
    const GraftKinds *k = &host->pool->kinds;
    const TreeNode *n = node_at(host, node);
    bool fits = k->is[n->kind] & GN_STATEMENT || n->kind == k->declaration;
    return fits && parent_kind(host, node) == k->block;
}

static bool is_statement(const GraftHost *host, uint32_t node) {
    return is_step(host, node) && node_at(host, node)->kind != host->pool->kinds.declaration;
}

static bool is_type(const GraftHost *host, uint32_t node) {
    return host->pool->kinds.is[node_at(host, node)->kind] & GN_TYPE;
}

static bool is_function(const GraftHost *host, uint32_t node) {
    return node_at(host, node)->kind == host->pool->kinds.function;
}

static bool is_declaration(const GraftHost *host, uint32_t node) {
    return node_at(host, node)->kind == host->pool->kinds.declaration;
}

static bool is_operator(const GraftHost *host, uint32_t node) {
    const GraftKinds *k = &host->pool->kinds;
    return parent_kind(host, node) == k->binary && node_at(host, node)->field == k->f_operator;
}

static bool is_loop(const GraftHost *host, uint32_t node) {
    return host->pool->kinds.is[node_at(host, node)->kind] & GN_LOOP && is_step(host, node);
}

/* ---- edits ---- */
static bool put(GraftHost *host, uint32_t from, uint32_t to, Str text) {
    Str old = host->tree.text;
    buf_str(host->out, str_sub(old, 0, from));
    buf_str(host->out, text);
    buf_str(host->out, str_sub(old, to, old.len));
    return true;
}

static bool put_around(GraftHost *host, uint32_t node, const char *before, const char *after) {
    const TreeNode *n = node_at(host, node);
    Buf text = { 0 };
    buf_text(&text, before);
    buf_str(&text, tree_node_text(&host->tree, node));
    buf_text(&text, after);
    put(host, n->start, n->end, buf_view(&text));
    buf_release(&text);
    return true;
}

static bool put_before(GraftHost *host, uint32_t node, Str text) {
    return put(host, node_at(host, node)->start, node_at(host, node)->start, text);
}

#define DRAW(rng, table) ((table)[rng_below((rng), COUNT_OF(table))])

/* A piece of the pool, filled for this place. */
static bool draw_piece(GraftHost *host, const GraftPieces *pieces, uint32_t at, Buf *out) {
    for (unsigned tries = 0; pieces->len && tries < 8; tries++) {
        buf_clear(out);
        if (graft_piece_fill(host, &pieces->at[rng_below(host->rng, pieces->len)], at, out))
            return true;
    }
    return false;
}

/* ---- pieces ---- */
static bool paste_expression(GraftHost *host) {
    uint32_t node = pick_node(host, is_value);
    Buf piece = { 0 }, text = { 0 };
    bool made =
        node && draw_piece(host, &host->pool->expressions, node_at(host, node)->start, &piece);
    if (made) {
        buf_fmt(&text, "(" STR_FMT ")", STR_ARG(buf_view(&piece)));
        put(host, node_at(host, node)->start, node_at(host, node)->end, buf_view(&text));
    }
    buf_release(&piece);
    buf_release(&text);
    return made;
}

static bool paste_statement(GraftHost *host) {
    uint32_t node = pick_node(host, is_step);
    Buf piece = { 0 };
    bool made =
        node && draw_piece(host, &host->pool->statements, node_at(host, node)->start, &piece);
    buf_char(&piece, '\n');
    made = made && put_before(host, node, buf_view(&piece));
    buf_release(&piece);
    return made;
}

static bool replace_statement(GraftHost *host) {
    uint32_t node = pick_node(host, is_statement);
    Buf piece = { 0 };
    bool made =
        node && draw_piece(host, &host->pool->statements, node_at(host, node)->start, &piece);
    made =
        made && put(host, node_at(host, node)->start, node_at(host, node)->end, buf_view(&piece));
    buf_release(&piece);
    return made;
}

/* ---- what is there ---- */
static bool delete_statement(GraftHost *host) {
    uint32_t node = pick_node(host, is_statement);
    return node && put(host, node_at(host, node)->start, node_at(host, node)->end, STR(";"));
}

/* A statement again, at another place. */
static bool repeat_statement(GraftHost *host) {
    uint32_t from = pick_node(host, is_statement), to = pick_node(host, is_step);
    return from && to && put_before(host, to, tree_node_text(&host->tree, from));
}

static bool swap_values(GraftHost *host) {
    uint32_t a = pick_node(host, is_value), b = pick_node(host, is_value);
    if (!a || !b) return false;
    if (node_at(host, a)->start > node_at(host, b)->start) {
        uint32_t c = a;
        a = b, b = c;
    }
    const TreeNode *x = node_at(host, a), *y = node_at(host, b);
    if (x->end > y->start) return false;
    Buf text = { 0 };
    buf_fmt(&text, "(" STR_FMT ")", STR_ARG(tree_node_text(&host->tree, b)));
    buf_str(&text, str_sub(host->tree.text, x->end, y->start));
    buf_fmt(&text, "(" STR_FMT ")", STR_ARG(tree_node_text(&host->tree, a)));
    put(host, x->start, y->end, buf_view(&text));
    buf_release(&text);
    return true;
}

/* ---- types ---- */
static const char *draw_type(Rng *rng, char text[static 64]) {
    static const char *const plain[] = { "char",
                                         "signed char",
                                         "unsigned char",
                                         "short",
                                         "unsigned short",
                                         "int",
                                         "unsigned int",
                                         "long",
                                         "unsigned long",
                                         "__int128",
                                         "unsigned __int128",
                                         "_Bool",
                                         "float",
                                         "double",
                                         "long double",
                                         "_Float16",
                                         "__bf16",
                                         "_Float128",
                                         "_Complex double",
                                         "_Complex int",
                                         "_Complex unsigned char",
                                         "_Decimal64" };
    static const char *const lanes[] = { "char",  "short",  "int",          "long",
                                         "float", "double", "unsigned int", "_Float16" };
    static const unsigned widths[] = { 1,   2,   3,   7,   9,   17,  31,  33,  63,  65,
                                       100, 128, 129, 193, 255, 256, 257, 575, 1023 };
    switch (rng_below(rng, 6)) {
    case 0:
    case 1:
        snprintf(text, 64, "%s_BitInt(%u)", rng_chance(rng, 0.5) ? "unsigned " : "",
                 DRAW(rng, widths) + 1);
        return text;
    case 2:
        snprintf(text, 64, "__attribute__((vector_size(%u))) %s", 8u << rng_below(rng, 4),
                 DRAW(rng, lanes));
        return text;
    default: return DRAW(rng, plain);
    }
}

static bool change_type(GraftHost *host) {
    char type[64];
    uint32_t node = pick_node(host, is_type);
    return node && put(host, node_at(host, node)->start, node_at(host, node)->end,
                       str_from(draw_type(host->rng, type)));
}

/* Replaces one type by another one everywhere: what fitted together still does. */
static bool change_type_everywhere(GraftHost *host) {
    char text[64];
    uint32_t node = pick_node(host, is_type), from = 0;
    if (!node) return false;
    Str old = tree_node_text(&host->tree, node), type = str_from(draw_type(host->rng, text));
    for (uint32_t i = 1; i < host->tree.nodes.len; i++) {
        const TreeNode *n = node_at(host, i);
        if (!is_type(host, i) || !str_eq(tree_node_text(&host->tree, i), old)) continue;
        if (n->start < from) continue;
        buf_str(host->out, str_sub(host->tree.text, from, n->start));
        buf_str(host->out, type);
        from = n->end;
    }
    buf_str(host->out, str_sub(host->tree.text, from, host->tree.text.len));
    return true;
}

/* ---- small things ---- */
static bool change_number(GraftHost *host) {
    static const char *const numbers[] = { "0",
                                           "1",
                                           "-1",
                                           "2",
                                           "3",
                                           "8",
                                           "31",
                                           "32",
                                           "63",
                                           "64",
                                           "127",
                                           "128",
                                           "255",
                                           "256",
                                           "-2",
                                           "32767",
                                           "65535",
                                           "65536",
                                           "0x7fffffff",
                                           "0x80000000u",
                                           "0xffffffffu",
                                           "(-0x7fffffff - 1)",
                                           "0x7fffffffffffffffll",
                                           "0x8000000000000000ull",
                                           "0xffffffffffffffffull",
                                           "1000003",
                                           "0.0",
                                           "1.0",
                                           "-0.0",
                                           "1e300",
                                           "0.5f",
                                           "1e-310",
                                           "(1.0 / 0.0)",
                                           "((__int128)1 << 100)" };
    uint32_t node = pick_node(host, is_number);
    return node && put(host, node_at(host, node)->start, node_at(host, node)->end,
                       str_from(DRAW(host->rng, numbers)));
}

static bool change_operator(GraftHost *host) {
    static const char *const operators[] = { "+", "-", "*",  "/",  "%",  "<<", ">>", "&",  "|",
                                             "^", "<", "<=", "==", "!=", ">",  ">=", "&&", "||" };
    uint32_t node = pick_node(host, is_operator);
    return node && put(host, node_at(host, node)->start, node_at(host, node)->end,
                       str_from(DRAW(host->rng, operators)));
}

static bool wrap_value(GraftHost *host) {
    static const struct {
        const char *before, *after;
    } wraps[] = { { "(-(", "))" },
                  { "(~(", "))" },
                  { "(!(", "))" },
                  { "({ __typeof__(+(", ")) culprit_t = 0; culprit_t; })" },
                  { "__builtin_expect((", "), 1)" },
                  { "__builtin_expect_with_probability((", "), 0, 0.3)" },
                  { "__builtin_popcountg((unsigned long long)(", "))" },
                  { "__builtin_bswap64(", ")" },
                  { "__builtin_abs(", ")" },
                  { "__builtin_bitreverse32(", ")" },
                  { "__builtin_stdc_rotate_left((unsigned)(", "), 3)" },
                  { "((", ") ?: 1)" },
                  { "(*({ volatile __typeof__(+(", ")) *culprit_p = 0; culprit_p; }))" },
                  { "((", ") % 7)" },
                  { "((", ") / 10)" },
                  { "((", ") << 3)" },
                  { "__builtin_mul_overflow_p((", "), 3, (short)0)" },
                  { "__builtin_add_overflow_p((", "), 77, (unsigned char)0)" },
                  { "__builtin_sub_overflow_p((", "), 1, (long)0)" },
                  { "__builtin_assoc_barrier(", ")" },
                  { "__builtin_fabs(", ")" },
                  { "__builtin_floor(", ")" } };
    char type[64], text[80];
    uint32_t node = pick_node(host, is_value);
    if (!node) return false;
    if (rng_chance(host->rng, 0.4)) {
        snprintf(text, sizeof text, "((%s)(", draw_type(host->rng, type));
        return put_around(host, node, text, "))");
    }
    size_t i = rng_below(host->rng, COUNT_OF(wraps));
    return put_around(host, node, wraps[i].before, wraps[i].after);
}

static bool wrap_statement(GraftHost *host) {
    static const struct {
        const char *before, *after;
    } wraps[] = {
        { "for (int culprit_i = 0; culprit_i < 16; culprit_i++) { ", " }" },
        { "for (unsigned culprit_i = 1; culprit_i; culprit_i <<= 1) { ", " }" },
        { "for (long culprit_i = 1000; culprit_i > 0; culprit_i -= 3) { ", " }" },
        { "do { ", " } while (0);" },
        { "while (1) { ", " }" },
        { "{ __label__ culprit_l; culprit_l: ",
          " if (({ volatile int c = 0; c; })) goto culprit_l; }" },
        { "if (__builtin_expect(({ volatile int c = 0; c; }), 0)) { ", " }" },
        { "switch (({ volatile int c = 0; c; })) { case 0: case 7 ... 900: ",
          " break; case 3: ; default: ; }" },
    };
    uint32_t node = pick_node(host, is_statement);
    if (!node) return false;
    size_t i = rng_below(host->rng, COUNT_OF(wraps));
    return put_around(host, node, wraps[i].before, wraps[i].after);
}

static bool advise_loop(GraftHost *host) {
    static const char *const pragmas[] = {
        "\n_Pragma(\"GCC ivdep\") ",     "\n_Pragma(\"GCC unroll 4\") ",
        "\n_Pragma(\"GCC unroll 65\") ", "\n_Pragma(\"GCC novector\") ",
        "\n_Pragma(\"omp simd\") ",      "\n_Pragma(\"omp parallel for\") "
    };
    uint32_t node = pick_node(host, is_loop);
    return node && put_before(host, node, str_from(DRAW(host->rng, pragmas)));
}

static bool add_attribute(GraftHost *host) {
    static const char *const attributes[] = { "noinline",
                                              "noipa",
                                              "always_inline",
                                              "flatten",
                                              "pure",
                                              "const",
                                              "cold",
                                              "hot",
                                              "noreturn",
                                              "returns_twice",
                                              "malloc",
                                              "optimize(\"O0\")",
                                              "optimize(\"O3\")",
                                              "optimize(\"Os,fast-math\")",
                                              "target(\"avx512f,avx512vl,avx512bw\")",
                                              "target(\"avx2\")",
                                              "target(\"general-regs-only\")",
                                              "target_clones(\"avx2\",\"default\")",
                                              "simd",
                                              "naked",
                                              "ms_abi",
                                              "sysv_abi",
                                              "preserve_none",
                                              "no_callee_saved_registers",
                                              "no_caller_saved_registers",
                                              "zero_call_used_regs(\"all\")",
                                              "no_split_stack",
                                              "no_instrument_function",
                                              "no_sanitize(\"address\")",
                                              "transaction_safe",
                                              "hardbool",
                                              "strub(\"internal\")",
                                              "strub(\"at-calls\")",
                                              "nonnull",
                                              "regparm(2)",
                                              "stack_protect",
                                              "no_reorder",
                                              "expected_throw",
                                              "unsequenced",
                                              "section(\".culprit\")",
                                              "constructor" };
    uint32_t node = pick_node(host, is_function);
    char text[80];
    snprintf(text, sizeof text, "__attribute__((%s)) ", DRAW(host->rng, attributes));
    return node && put_before(host, node, str_from(text));
}

static bool qualify(GraftHost *host) {
    static const char *const words[] = { "volatile ",
                                         "_Atomic ",
                                         "static ",
                                         "register ",
                                         "const ",
                                         "static __thread ",
                                         "__attribute__((aligned(64))) ",
                                         "__attribute__((vector_size(16))) ",
                                         "__attribute__((vector_size(32))) ",
                                         "__attribute__((mode(TI))) ",
                                         "__attribute__((mode(QI))) ",
                                         "__attribute__((uninitialized)) ",
                                         "__attribute__((strict_flex_array(3))) ",
                                         "_Complex ",
                                         "__seg_fs " };
    uint32_t node = pick_node(host, is_declaration);
    return node && put_before(host, node, str_from(DRAW(host->rng, words)));
}

const GraftRule graft_rules[] = {
    { "piece for a value", 5, paste_expression },
    { "piece put in", 4, paste_statement },
    { "piece for a statement", 2, replace_statement },
    { "statement deleted", 1, delete_statement },
    { "statement again", 2, repeat_statement },
    { "values swapped", 1, swap_values },
    { "type", 2, change_type },
    { "type everywhere", 3, change_type_everywhere },
    { "number", 2, change_number },
    { "operator", 1, change_operator },
    { "value wrapped", 3, wrap_value },
    { "statement wrapped", 3, wrap_statement },
    { "loop advised", 1, advise_loop },
    { "attribute", 2, add_attribute },
    { "qualifier", 2, qualify },
};
const size_t graft_rules_len = COUNT_OF(graft_rules);
