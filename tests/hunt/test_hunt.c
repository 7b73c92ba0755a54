/* The evaluator at its edges, environments under stores through pointers, synthesis against the
 * evaluator's own answers, subsets of snippets. */
#include "test.h"

#include "cfront/lex.h"
#include "hunt/bandit.h"
#include "hunt/warned.h"
#include "variant/env.h"
#include "variant/kernel/kernel.h"
#include "variant/live/live_code.h"
#include "variant/mutate.h"
#include "variant/pieces.h"
#include "variant/synth.h"

static EvalFlaw binary(IBinary op, IVal a, IVal b, IVal *out) {
    return eval_binary(op, a, b, out);
}

static void evaluator_edges(void **state) {
    (void)state;
    const IType i32 = ITYPE(I_INT), u32 = ITYPE(I_UINT), i64 = ITYPE(I_LONG), u8 = ITYPE(I_UCHAR);
    IVal out, min = { itype_min(i32), i32 }, one = ival(i32, 1), minus = ival(i32, -1);
    assert_int_equal(binary(B_DIV, min, minus, &out), EVAL_OVERFLOW);
    assert_int_equal(binary(B_MOD, min, minus, &out), EVAL_OVERFLOW);
    assert_int_equal(binary(B_DIV, one, ival(u8, 0), &out), EVAL_DIVISION);
    assert_int_equal(binary(B_SHL, one, ival(i32, 31), &out), EVAL_SHIFT_OVERFLOW);
    assert_int_equal(binary(B_SHL, one, ival(i32, 32), &out), EVAL_SHIFT_COUNT);
    assert_int_equal(binary(B_SHR, one, minus, &out), EVAL_SHIFT_COUNT);
    assert_int_equal(binary(B_SHL, minus, one, &out), EVAL_SHIFT_NEGATIVE);
    assert_int_equal(eval_unary(U_MINUS, min, &out), EVAL_OVERFLOW);
    /* The paper's example: 0u + (short)-1 is UINT_MAX. */
    assert_int_equal(binary(B_ADD, ival(u32, 0), ival(ITYPE(I_SHORT), -1), &out), EVAL_FINE);
    assert_true(ival_same(out, (IVal){ 4294967295u, u32 }));
    assert_int_equal(binary(B_LT, minus, ival(u32, 0), &out), EVAL_FINE);
    assert_int_equal(out.bits, 0);
    assert_int_equal(binary(B_SHL, ival(u8, 255), ival(i64, 4), &out), EVAL_FINE);
    assert_true(ival_same(out, ival(i32, 4080)));
    /* An unsigned bit-field of 31 bits promotes to int, of 32 to unsigned. */
    assert_int_equal(itype_promote(IFIELD(I_UINT, 31)).kind, I_INT);
    assert_int_equal(itype_promote(IFIELD(I_UINT, 32)).kind, I_UINT);
    assert_false(itype_agreed(IFIELD(I_LONG, 40)));
    assert_true(ival_same(eval_cast(ival(i32, 12), IFIELD(I_INT, 4)), ival(IFIELD(I_INT, 4), -4)));
    assert_true(eval_cast(ival(i32, 2), ITYPE(I_BOOL)).bits == 1);
}

static void stores_through_pointers(void **state) {
    (void)state;
    Arena arena = { 0 };
    uint32_t a = 0, both[] = { 0, 1 };
    uint64_t five = 5, six = 6;
    int x, y, local;
    EnvVar vx = { .text = STR("x"), .type = ITYPE(I_INT), .reach = { &x, &a, 1, NULL } };
    EnvVar vy = { .text = STR("y"), .type = ITYPE(I_INT), .reach = { &y, &both[1], 1, NULL } };
    EnvVar vl = { .text = STR("l"), .type = ITYPE(I_INT), .reach = { &local, NULL, 0, NULL } };
    EnvVar vp = { .text = STR("(*p)"), .type = ITYPE(I_INT), .reach = { NULL, both, 2, NULL } };
    Env env = { 0 };
    EnvVar *all[] = { &vx, &vy, &vl, &vp };
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        all[i]->set = values_from(&arena, &five, 1);
        vec_push(&env.vars, *all[i]);
    }
    env_assign(&env, &vx, values_from(&arena, &six, 1)); /* *p may be x: it leaves */
    assert_int_equal(env_find(&env, STR("(*p)")), -1);
    assert_true(env_find(&env, STR("y")) >= 0 && env_find(&env, STR("l")) >= 0);
    env_assign(&env, &vp, values_from(&arena, &five, 1)); /* x and y may be *p: they leave */
    assert_int_equal(env_find(&env, STR("x")), -1);
    assert_int_equal(env_find(&env, STR("y")), -1);
    assert_true(env_find(&env, STR("l")) >= 0 && env_find(&env, STR("(*p)")) >= 0);
    env_release(&env);
    arena_release(&arena);
}

static void stores_to_unions(void **state) {
    (void)state;
    Arena arena = { 0 };
    uint64_t five = 5;
    int u, w;
    ValueSet set = values_from(&arena, &five, 1);
    EnvVar first = { .text = STR("u.f0"), .type = ITYPE(I_INT), .reach = { &u, NULL, 0, &u } };
    EnvVar second = { .text = STR("u.f1"), .type = ITYPE(I_CHAR), .reach = { &u, NULL, 0, &u } };
    EnvVar other = { .text = STR("w.f1"), .type = ITYPE(I_CHAR), .reach = { &w, NULL, 0, &w } };
    Env env = { 0 };
    env_assign(&env, &first, set);
    env_assign(&env, &other, set);
    env_assign(&env, &second, set); /* the member stored before leaves */
    assert_int_equal(env_find(&env, STR("u.f0")), -1);
    assert_true(env_find(&env, STR("u.f1")) >= 0 && env_find(&env, STR("w.f1")) >= 0);
    env_release(&env);
    arena_release(&arena);
}

/* A predicate is evaluated by a reader of its own over the single values of its variables. */
typedef struct Reader {
    const char *at;
    const Env *env;
} Reader;

static IVal read_any(Reader *r);

static IVal read_number(Reader *r) {
    char *end;
    uint64_t n = strtoull(r->at, &end, 10);
    IType type = ITYPE(I_INT);
    if (strncmp(end, "uLL", 3) == 0)
        type = ITYPE(I_ULLONG), end += 3;
    else if (strncmp(end, "LL", 2) == 0)
        type = ITYPE(I_LLONG), end += 2;
    else if (strncmp(end, "uL", 2) == 0)
        type = ITYPE(I_ULONG), end += 2;
    else if (*end == 'L')
        type = ITYPE(I_LONG), end++;
    else if (*end == 'u')
        type = ITYPE(I_UINT), end++;
    r->at = end;
    return (IVal){ n, type };
}

static IVal read_leaf(Reader *r) {
    if (*r->at >= '0' && *r->at <= '9') return read_number(r);
    Str name = { r->at, 2 };
    int i = env_find(r->env, name);
    assert_true(i >= 0);
    r->at += 2;
    return (IVal){ r->env->vars.at[i].set.at[0], r->env->vars.at[i].type };
}

/* At "(type)": reads the type and moves past it. */
static bool read_type(Reader *r, IType *type) {
    for (uint8_t k = 0; k < I_KINDS; k++) {
        const char *name = itype_name(ITYPE(k));
        size_t n = strlen(name);
        if (r->at[0] != '(' || strncmp(r->at + 1, name, n) != 0 || r->at[n + 1] != ')') continue;
        r->at += n + 2;
        *type = ITYPE(k);
        return true;
    }
    return false;
}

/* After "test ? ". */
static IVal read_choice(Reader *r, IVal test) {
    IVal a = read_any(r);
    assert_int_equal(strncmp(r->at, " : ", 3), 0);
    r->at += 3;
    IVal b = read_any(r);
    assert_true(*r->at++ == ')');
    return eval_conditional(test, a, b);
}

static IVal read_group(Reader *r) {
    IVal out, left, right;
    IType type;
    r->at++; /* ( */
    if (read_type(r, &type)) {
        left = eval_cast(read_any(r), type);
        if (*r->at++ == ')') return left;
        r->at -= 2; /* a narrow constant: (unsigned char)1 */
        goto rest;
    }
    for (IUnary u = 0; u < U_COUNT; u++)
        if (*r->at == eval_unary_text(u)[0]) {
            r->at++;
            left = read_any(r);
            if (*r->at == ')') {
                assert_int_equal(eval_unary(u, left, &out), EVAL_FINE);
                r->at++;
                return out;
            }
            assert_int_equal(eval_unary(u, left, &left), EVAL_FINE); /* (-MAX - 1) */
            r->at--;
            goto rest;
        }
    left = read_any(r);
    if (*r->at == ')') return r->at++, left; /* (e) */
    r->at--;
rest:
    r->at += 2; /* blank */
    if (strncmp(r->at, "? ", 2) == 0) return r->at += 2, read_choice(r, left);
    for (int op = B_COUNT - 1; op >= 0; op--) {
        Str text = str_from(eval_binary_text((IBinary)op));
        bool here = strncmp(r->at, text.at, text.len) == 0 && r->at[text.len] == ' ';
        if (!here) continue;
        r->at += text.len + 1;
        right = read_any(r);
        assert_int_equal(eval_binary((IBinary)op, left, right, &out), EVAL_FINE);
        assert_true(*r->at == ')');
        r->at++;
        return out;
    }
    fail_msg("cannot read: %s", r->at);
    return left;
}

static IVal read_any(Reader *r) {
    return *r->at == '(' ? read_group(r) : read_leaf(r);
}

static void make_env(Arena *arena, Rng *rng, Env *env) {
    static const uint8_t kinds[] = { I_INT, I_UINT, I_LONG, I_ULLONG, I_SHORT, I_UCHAR, I_SCHAR };
    for (unsigned i = 0; i < 7; i++) {
        IType type = ITYPE(kinds[i]);
        uint64_t bits[4];
        unsigned n = 1 + (unsigned)rng_below(rng, 4);
        for (unsigned k = 0; k < n; k++)
            bits[k] =
                ival(type, rng_chance(rng, 0.5) ? rng_between(rng, -4, 4) : (int64_t)rng_next(rng))
                    .bits;
        vec_push(&env->vars, (EnvVar){ .text = str_from(arena_fmt(arena, "v%u", i)),
                                       .type = type,
                                       .set = values_from(arena, bits, n) });
    }
}

/* One value of each set. */
static void choose_values(Arena *arena, Rng *rng, const Env *env, Env *one) {
    env_copy(one, env);
    for (size_t i = 0; i < one->vars.len; i++) {
        ValueSet set = one->vars.at[i].set;
        one->vars.at[i].set = values_from(arena, &set.at[rng_below(rng, set.len)], 1);
    }
}

static void synthesis_keeps_its_word(void **state) {
    (void)state;
    for (unsigned round = 0; round < 400; round++) {
        Rng rng = rng_stream(5, "synthesis", round);
        Arena arena = { 0 };
        Env env = { 0 }, one = { 0 };
        Synth s = { .rng = &rng, .arena = &arena, .no_reals = true }; /* value() knows integers */
        make_env(&arena, &rng, &env);
        bool expected = round & 1;
        Str pred = syn_predicate(&s, &env, expected);
        SynExpr e = syn_expr(&s, &env);
        const EnvVar *some = &env.vars.at[round % env.vars.len];
        Str differs = syn_differs(&s, some);
        for (unsigned k = 0; k < 10; k++) {
            choose_values(&arena, &rng, &env, &one);
            Reader r = { pred.at, &one };
            assert_int_equal(read_any(&r).bits != 0, expected);
            r.at = differs.at;
            assert_int_equal(read_any(&r).bits, 0);
            IVal other = ival(some->type, (int64_t)rng_next(&rng));
            EnvVar *place = &one.vars.at[round % env.vars.len];
            place->set = values_from(&arena, &other.bits, 1);
            r.at = differs.at; /* at most four values: every other one is noticed */
            assert_int_equal(read_any(&r).bits != 0, !values_has(some->set, other.bits));
            choose_values(&arena, &rng, &env, &one);
            r.at = e.text.at;
            IVal value = read_any(&r);
            assert_true(itype_same(value.type, e.type));
            assert_true(values_has(e.set, value.bits));
        }
        env_release(&env);
        env_release(&one);
        arena_release(&arena);
    }
}

static void parts_and_subsets(void **state) {
    (void)state;
    Pieces p = { .seed = STR("a;b;") };
    Rendered r = { 0 };
    pieces_render(&p, 0, NULL, &r);
    pieces_around(&p, &r, 0, 1, 0, 2, STR("{x;"), STR("}")); /* {x;a;}b; */
    pieces_before(&p, &r, 1, 1, 2, STR("y;"));
    pieces_render(&p, 2, NULL, &r);
    assert_str(buf_view(&r.text), "{x;a;}y;b;");
    pieces_around(&p, &r, 2, 2, 3, 5, STR("if(1){"), STR("}")); /* around a; again: inside */
    pieces_before(&p, &r, 3, 2, 1, STR("z;"));                  /* before x;: needs 0 */
    assert_true(pieces_delete(&p, &r, 4, 2, 8, 10, STR(";")));  /* b; */
    pieces_render(&p, 5, NULL, &r);
    assert_str(buf_view(&r.text), "{z;x;if(1){a;}}y;;");
    bool keep[] = { false, true, true, true, true };
    pieces_render(&p, 5, keep, &r);
    assert_str(buf_view(&r.text), "if(1){a;}y;;");
    SnippetVec needs = { 0 };
    pieces_needs(&p, 3, &needs);
    assert_int_equal(needs.len, 1);
    assert_int_equal(needs.at[0], 0);
    bool first_only[] = { true, false, false, false, false };
    pieces_render(&p, 5, first_only, &r);
    assert_str(buf_view(&r.text), "{x;a;}b;");
    vec_release(&needs);
    vec_release(&p.list);
    rendered_release(&r);
}

/* Variants of one round differ, each is complete, and the chain continues from the last. */
static void siblings_of_a_round(void **state) {
    (void)state;
    static const char text[] = "int printf(const char *, ...);\nint g = 3;\n"
                               "int f(int x) { int y = x; y += g; g = y % 5; return y; }\n"
                               "int main(void) { int s = 0; for (int i = 0; i < 3; i++) s += f(i);"
                               " printf(\"%d\\n\", s); return 0; }\n";
    MutateOptions options = { .seed = 4, .probability = 1 };
    Error err = { 0 };
    MutateChain *chain = mutate_open(str_from(text), &options, &err);
    assert_non_null(chain);
    Variant first, second, third;
    assert_true(mutate_next(chain, &first, &err));
    mutate_sibling(chain, &second);
    assert_true(first.fresh > 0 && second.fresh > 0);
    assert_int_equal(second.round, 1);
    assert_int_equal(second.sibling, 1);
    assert_false(str_eq(first.text, second.text));
    Buf whole = { 0 };
    mutate_render(chain, &second, NULL, &whole);
    assert_true(str_eq(buf_view(&whole), second.text));
    assert_true(mutate_next(chain, &third, &err));
    assert_int_equal(third.snippets_len - third.fresh, second.snippets_len);
    buf_release(&whole);
    mutate_close(chain);
}

/* The arm that finds most per CPU second is taken most often, but none is given up. */
static void bandit_prefers_what_pays(void **state) {
    (void)state;
    BanditTally tally = { 0 };
    unsigned taken[BANDIT_ARMS] = { 0 };
    Rng rng = rng_new(3);
    for (unsigned round = 0; round < 2000; round++) {
        unsigned arm = bandit_draw(&rng, &tally);
        taken[arm]++;
        bandit_learn(&tally, arm, 60, rng_chance(&rng, arm == 5 ? 0.3 : 0.03));
    }
    for (unsigned i = 0; i < BANDIT_ARMS; i++) {
        assert_true(taken[i] > 2);
        assert_true(i == 5 || taken[i] < taken[5] / 2);
    }
    unsigned evenly[BANDIT_ARMS] = { 0 };
    for (unsigned round = 0; round < 8000; round++) evenly[bandit_draw(&rng, NULL)]++;
    for (unsigned i = 0; i < BANDIT_ARMS; i++) {
        unsigned set;
        Error err;
        assert_in_range(evenly[i], 800, 1200);
        assert_true(strategies_parse(str_from(bandit_arms[i].strategies), &set, &err));
    }
}

/* A warning counts against a program only when it is of a kind that may be undefined and its
 * statement runs, also where a whole snippet is one line. */
static void warnings_that_count(void **state) {
    (void)state;
    Arena arena = { 0 };
    Error err;
    HuntSetup setup = { 0 };
    assert_true(clean_tools_open(&arena, &setup.clean, &err));
    static const struct {
        const char *text;
        bool counts;
    } list[] = {
        { "int main(void) { unsigned x = 18446744073709551609ull; return x == 0; }", false },
        { "int g; int main(void) { int u; if (g) { return u; } return 0; }", false },
        { "int g; int main(void) { int u; if (!g) { g = u; } return 0; }", true },
        { "int a[2], g; int main(void) { if (g) { a[2] = 1; } a[1] = 2; return 0; }", false },
    };
    for (size_t i = 0; i < COUNT_OF(list); i++) {
        HuntProgram subject = { .text = str_from(list[i].text) };
        assert_int_equal(warned_line_runs(&arena, &setup, &subject, false) != NULL, list[i].counts);
    }
    arena_release(&arena);
}

/* Every name in a block is one it was given or made itself, whole. */
static void blocks_use_whole_names(void **state) {
    (void)state;
    static const char *const given[] = { "x", "a_longer_name" };
    unsigned seen = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        Arena arena = { 0 };
        Rng rng = rng_stream(seed, "names", 0);
        Env env = { 0 };
        LiveCode l;
        live_init(&l, (Synth){ .rng = &rng, .arena = &arena }, &env, NULL, "new_");
        for (size_t i = 0; i < COUNT_OF(given); i++) {
            EnvVar v = live_local_path(given[i], given[i], ITYPE(I_INT));
            uint64_t value = seed;
            live_now_has(&l, &v, values_from(&arena, &value, 1));
            live_given(&l, &v);
        }
        live_statements(&l, 4);
        Str text = buf_view(&l.text);
        for (CTok t = lex_next(text, 0, (uint32_t)text.len); t.kind != CTK_END;
             t = lex_next(text, t.range.to, (uint32_t)text.len)) {
            Str word = lex_text(text, t);
            if (t.kind != CTK_IDENT || lex_is_keyword(word) || str_starts(word, "new_")) continue;
            if (!str_is(word, given[0]) && !str_is(word, given[1]))
                fail_msg(STR_FMT, STR_ARG(word));
            seen++;
        }
        live_release(&l);
        env_release(&env);
        arena_release(&arena);
    }
    assert_true(seen > 1000);
}

/* A loop up to -1 over an unsigned variable would run for ever. */
static void loops_of_kernels_end(void **state) {
    (void)state;
    for (unsigned i = 0; i < 400; i++) {
        Arena arena = { 0 };
        Rng rng = rng_stream(i, "loops", 0);
        KernelOrder order = { .name = "k" };
        Kernel k;
        if (kernel_make(&arena, &rng, &order, &k))
            assert_true(str_find(k.above, STR(" < -"), 0) == STR_NONE);
        arena_release(&arena);
    }
}

static void strategy_names(void **state) {
    (void)state;
    unsigned set;
    Error err;
    assert_true(strategies_parse(STR("fcb,tcb"), &set, &err));
    assert_int_equal(set, STRATEGY_BIT(STRATEGY_FCB) | STRATEGY_BIT(STRATEGY_TCB));
    assert_true(strategies_parse(STR("hermes,orion"), &set, &err));
    assert_int_equal(set, STRATEGIES_HERMES | STRATEGY_BIT(STRATEGY_ORION));
    assert_false(strategies_parse(STR("fcb,zeus"), &set, &err));
    assert_int_equal(err.status, STATUS_BAD);
}

TEST_MAIN(cmocka_unit_test(evaluator_edges), cmocka_unit_test(stores_through_pointers),
          cmocka_unit_test(stores_to_unions), cmocka_unit_test(synthesis_keeps_its_word),
          cmocka_unit_test(parts_and_subsets), cmocka_unit_test(siblings_of_a_round),
          cmocka_unit_test(loops_of_kernels_end), cmocka_unit_test(bandit_prefers_what_pays),
          cmocka_unit_test(warnings_that_count), cmocka_unit_test(blocks_use_whole_names),
          cmocka_unit_test(strategy_names))
