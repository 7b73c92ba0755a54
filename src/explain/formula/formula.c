/* Growing the slice of a formula (formula.h), solving it and minimising the core.
 *
 * The slice grows backwards in time from a heap of steps that wait to be expanded; after 32, 64,
 * 128, .. expansions the solver is asked whether the formula is unsatisfiable already. Minimising
 * is our own deletion with assumption literals (the solver's takes minutes): constraints of
 * unchanged lines are tried first, in chunks that halve, and each time the solver's own core
 * shrinks the set further. The result is checked again by a fresh solver, because cores have been
 * wrong. */
#include "base/quantity.h"
#include "explain/explain_knobs.h"
#include "explain/formula/formula_parts.h"
#include "explain/inside.h"

/* ---- solving ---- */

static bool stopped(const Formula *f) {
    return f->limits && f->limits->stopped && f->limits->stopped(f->limits->user);
}

static void set_timeout(Formula *f, Z3_solver solver, unsigned ms) {
    Z3_params p = Z3_mk_params(f->z3);
    Z3_params_inc_ref(f->z3, p);
    Z3_params_set_uint(f->z3, p, Z3_mk_string_symbol(f->z3, "timeout"), ms);
    Z3_solver_set_params(f->z3, solver, p);
    Z3_params_dec_ref(f->z3, p);
}

/* Seconds that are left for questions about this predicate. */
static double time_left(const Formula *f) {
    double all = f->limits ? f->limits->all_s : 0;
    return all > 0 ? all - f->seconds : SOLVER_LIMIT_MS / 1e3;
}

/* A question takes no longer than the predicate may; false: nothing is left for it. */
static bool limit_question(Formula *f, Z3_solver solver, unsigned most_ms) {
    double left = 1e3 * time_left(f);
    if (stopped(f) || left <= 0) return false;
    if (f->limits && f->limits->all_s > 0)
        set_timeout(f, solver, left < most_ms ? (unsigned)left + 1 : most_ms);
    return true;
}

static Z3_lbool check(Formula *f, const Z3_ast *assumptions, size_t n) {
    double start = clock_own_cpu();
    if (!limit_question(f, f->solver, f->question_ms)) return Z3_L_UNDEF;
    Z3_lbool r = Z3_solver_check_assumptions(f->z3, f->solver, (unsigned)n, assumptions);
    f->seconds += clock_own_cpu() - start;
    return r;
}

/* ---- the path ---- */

/* Whether a step is part of the slice, or reads what a step of it wrote. */
static bool in_slice(const Formula *f, Step s) {
    uint64_t key = s;
    if (s == STEP_NONE) return false;
    if (map_get(&f->by_step, map_key_u64(&key), NULL)) return true;
    if (trace_inst(f->t, s)->op != OP_LOAD) return false;
    key = f->t->def.at[s];
    return def_is_step((Step)key) && map_get(&f->by_step, map_key_u64(&key), NULL);
}

/* Whether a branch decides by a value of the slice. */
static bool bears_on(const Formula *f, Step branch) {
    Step condition = trace_source(f->t, branch, 0).step;
    if (condition == STEP_NONE) return false;
    if (in_slice(f, condition)) return true;
    const Inst *inst = trace_inst(f->t, condition);
    bool compares = inst->op == OP_ICMP || inst->op == OP_ZEXT || inst->op == OP_AND;
    for (unsigned i = 0; compares && i < inst->operands; i++)
        if (in_slice(f, trace_source(f->t, condition, i).step)) return true;
    return false;
}

/* Branches that led to steps of the slice and decide by its values hold on the whole path: with
 * them the formula may be unsatisfiable long before the slice has reached the beginning. */
static void add_path(Formula *f) {
    for (; f->pathed < f->nodes.len && f->paths < PATH_MOST; f->pathed++) {
        Step s = f->nodes.at[f->pathed].step, branch = inside_controller(f->t, s);
        uint64_t key = branch;
        if (branch == STEP_NONE || map_get(&f->by_step, map_key_u64(&key), NULL)) continue;
        Type type = term_step_type(f->t, branch);
        if (!term_has(type) || type_is_wide(type) || !bears_on(f, branch)) continue;
        formula_equate(f, FACT_PATH, branch, formula_var(f, branch, true),
                       term_concrete(f, type, f->t->value.at[branch]));
        f->paths++;
    }
}

/* Grows the slice until the formula is unsatisfiable, or all is in. */
static bool grow(Formula *f, Core *core) {
    size_t next = 32;
    while (f->heap.len) {
        Step s = formula_next(f);
        if (f->facts.len < SLICE_MOST) {
            formula_expand(f, s);
        } else {
            const FormulaNode *n = formula_node(f, s);
            Type type = term_step_type(f->t, s);
            if (n->expanded || !term_has(type)) continue;
            core->cut = true;
            formula_equate(f, FACT_CUT, s, n->var, term_concrete(f, type, f->t->value.at[s]));
            formula_node(f, s)->expanded = true;
        }
        if (f->facts.len < next) continue;
        if (stopped(f)) return false;
        next = f->facts.len * 2;
        add_path(f);
        if (check(f, f->literals.at, f->literals.len) == Z3_L_FALSE) return true;
    }
    return check(f, f->literals.at, f->literals.len) == Z3_L_FALSE;
}

typedef VEC(uint32_t) Numbers; /* of facts */

static void keep_solver_core(Formula *f, Numbers *set) {
    Z3_ast_vector v = Z3_solver_get_unsat_core(f->z3, f->solver);
    Z3_ast_vector_inc_ref(f->z3, v);
    Map in = { 0 };
    for (unsigned i = 0; i < Z3_ast_vector_size(f->z3, v); i++) {
        uint64_t id = Z3_get_ast_id(f->z3, Z3_ast_vector_get(f->z3, v, i));
        map_put(&in, map_key_u64(&id), 1);
    }
    size_t kept = 0;
    for (size_t i = 0; i < set->len; i++) {
        uint64_t id = Z3_get_ast_id(f->z3, f->literals.at[set->at[i]]);
        if (map_get(&in, map_key_u64(&id), NULL)) set->at[kept++] = set->at[i];
    }
    set->len = kept;
    map_release(&in);
    Z3_ast_vector_dec_ref(f->z3, v);
}

/* Whether the set without members from .. to-1 is still unsatisfiable; then it becomes the set. */
static Z3_lbool try_without(Formula *f, Numbers *set, size_t from, size_t to) {
    VEC(Z3_ast) left = { 0 };
    Numbers rest = { 0 };
    for (size_t i = 0; i < set->len; i++) {
        if (i >= from && i < to) continue;
        vec_push(&left, f->literals.at[set->at[i]]);
        vec_push(&rest, set->at[i]);
    }
    Z3_lbool r = check(f, left.at, left.len);
    if (r == Z3_L_FALSE) {
        keep_solver_core(f, &rest);
        set->len = rest.len;
        if (rest.len) memcpy(set->at, rest.at, rest.len * sizeof *rest.at);
    }
    vec_release(&left);
    vec_release(&rest);
    return r;
}

/* Unchanged first, and among them the ones furthest from the failure. */
static int by_worth(const void *a, const void *b, void *formula) {
    const Formula *f = formula;
    const Fact *x = &f->facts.at[*(const uint32_t *)a], *y = &f->facts.at[*(const uint32_t *)b];
    if (x->changed != y->changed) return x->changed - y->changed;
    if ((x->kind == FACT_PATH) != (y->kind == FACT_PATH)) return x->kind == FACT_PATH ? -1 : 1;
    if (x->step != y->step) return x->step < y->step ? -1 : 1;
    return *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1;
}

/* The facts that count: where pointers are followed, none that takes one for granted. */
static bool counts(const Formula *f, size_t i) {
    return !f->grounded || f->facts.at[i].kind != FACT_POINTER;
}

/* Tries to do without each so many members in turn; returns how many questions that took. */
static unsigned drop_chunks(Formula *f, Numbers *set, size_t chunk, double deadline, Core *core) {
    unsigned asked = 0;
    for (size_t i = 0; i < set->len && clock_own_cpu() < deadline; asked++) {
        size_t before = set->len, to = i + chunk < set->len ? i + chunk : set->len;
        Z3_lbool r = try_without(f, set, i, to);
        if (r == Z3_L_UNDEF) core->minimal = false;
        if (r != Z3_L_FALSE)
            i = to;
        else if (set->len == before)
            break;
        else if (i > set->len)
            i = set->len;
    }
    return asked;
}

/* Where the last pass, one question for each member, would clearly not end in time it is not
 * begun. */
static void minimise(Formula *f, Numbers *set, Core *core) {
    double limit = f->limits && f->limits->core_s > 0 ? f->limits->core_s : CORE_LIMIT_S;
    if (limit > time_left(f)) limit = time_left(f);
    double start = clock_own_cpu(), deadline = start + limit;
    unsigned asked = 0;
    for (size_t i = 0; i < f->facts.len; i++)
        if (counts(f, i)) vec_push(set, (uint32_t)i);
    keep_solver_core(f, set);
    if (set->len) qsort_r(set->at, set->len, sizeof *set->at, by_worth, f);
    core->minimal = true;
    for (size_t chunk = set->len > 64 ? set->len / 8 : 1;; chunk = chunk / 4 ? chunk / 4 : 1) {
        double each = asked ? (clock_own_cpu() - start) / asked : 0;
        bool hopeless = each * (double)set->len / (double)chunk > CORE_HOPELESS * limit;
        if (hopeless) core->minimal = false;
        if (hopeless) break;
        asked += drop_chunks(f, set, chunk, deadline, core);
        if (chunk == 1) break;
    }
    if (clock_own_cpu() >= deadline) core->minimal = false;
}

/* Whether all facts that count are unsatisfiable together; then the set is a minimal one. */
static bool minimal_again(Formula *f, Numbers *set) {
    VEC(Z3_ast) alive = { 0 };
    Core core = { 0 };
    set->len = 0;
    for (size_t i = 0; i < f->facts.len; i++)
        if (counts(f, i)) vec_push(&alive, f->literals.at[i]);
    if (check(f, alive.at, alive.len) == Z3_L_FALSE) minimise(f, set, &core);
    vec_release(&alive);
    return core.minimal;
}

static bool takes_as_given(const Formula *f, const Numbers *set) {
    for (size_t i = 0; i < set->len; i++)
        if (f->facts.at[set->at[i]].kind == FACT_POINTER) return true;
    return false;
}

/* Follows the pointers that the core takes for granted, where that can be done with few more facts:
 * the core then names what decides where they point. Otherwise it stays as it was, and says so. */
static void ground(Formula *f, Numbers *set, Core *core) {
    if (!core->minimal || !takes_as_given(f, set)) return;
    size_t before = f->facts.len;
    Numbers grounded = { 0 };
    f->grounded = true;
    for (size_t i = 0; i < before; i++)
        if (f->facts.at[i].kind == FACT_POINTER) formula_var(f, f->facts.at[i].step, true);
    while (f->heap.len && f->facts.len < before + GROUND_MOST && !stopped(f))
        formula_expand(f, formula_next(f));
    if (!f->heap.len && minimal_again(f, &grounded)) {
        vec_release(set);
        *set = grounded;
        core->minimal = true;
        return;
    }
    f->grounded = false;
    vec_release(&grounded);
    if (!f->goal_doubt) f->goal_doubt = "where a pointer points was taken as given";
}

static int by_step(const void *a, const void *b) {
    const Fact *x = a, *y = b;
    return x->step < y->step ? -1 : x->step > y->step;
}

/* Asks a solver that knows nothing about the search, with objects where they were or anywhere. */
static bool check_again(Formula *f, const Numbers *set, bool anywhere) {
    double start = clock_own_cpu();
    Z3_solver s = Z3_mk_solver_for_logic(f->z3, Z3_mk_string_symbol(f->z3, "QF_BV"));
    Z3_solver_inc_ref(f->z3, s);
    set_timeout(f, s, CHECK_LIMIT_MS);
    bool asked = limit_question(f, s, CHECK_LIMIT_MS);
    Z3_solver_assert(f->z3, s, f->goal);
    for (size_t i = 0; i < set->len; i++) Z3_solver_assert(f->z3, s, f->bodies.at[set->at[i]]);
    if (anywhere) place_anywhere(f, s);
    for (size_t i = 0; i < f->bases.len && !anywhere; i++)
        Z3_solver_assert(
            f->z3, s, Z3_mk_eq(f->z3, f->bases.at[i].var, term_number(f, f->bases.at[i].seen, 64)));
    bool unsat = asked && Z3_solver_check(f->z3, s) == Z3_L_FALSE;
    Z3_solver_dec_ref(f->z3, s);
    f->seconds += clock_own_cpu() - start;
    return unsat;
}

static const char *doubt_among(const Formula *f, const Numbers *set) {
    for (size_t i = 0; i < set->len; i++)
        if (f->facts.at[set->at[i]].doubt) return f->facts.at[set->at[i]].doubt;
    return NULL;
}

/* A solver that knows the facts and nothing of where objects were: slower than the one that has
 * them in one place. */
static void open_anywhere(Formula *f) {
    f->solver = Z3_mk_solver_for_logic(f->z3, Z3_mk_string_symbol(f->z3, "QF_FD"));
    Z3_solver_inc_ref(f->z3, f->solver);
    set_timeout(f, f->solver, SOLVER_LIMIT_MS);
    Z3_solver_assert(f->z3, f->solver, f->goal);
    for (size_t i = 0; i < f->facts.len; i++)
        Z3_solver_assert(f->z3, f->solver,
                         Z3_mk_implies(f->z3, f->literals.at[i], f->bodies.at[i]));
    place_anywhere(f, f->solver);
}

/* Where the core holds only with objects where they were, such as one that is behind another: looks
 * for one that does not care. */
static void free_of_places(Formula *f, Numbers *set, Core *core) {
    Numbers other = { 0 };
    Z3_solver before = f->solver;
    open_anywhere(f);
    core->checked =
        minimal_again(f, &other) && !doubt_among(f, &other) && check_again(f, &other, true);
    Z3_solver_dec_ref(f->z3, f->solver);
    f->solver = before;
    if (core->checked) {
        Numbers dropped = *set;
        *set = other;
        other = dropped;
    }
    vec_release(&other);
}

/* What has no proof anyway is not asked for one wherever objects lie. */
static void confirm(Formula *f, Numbers *set, const Predicate *phi, Core *core) {
    core->doubt = f->goal_doubt ? f->goal_doubt : doubt_among(f, set);
    bool hopeless = core->doubt || core->cut || !core->minimal || phi->guessed;
    core->checked = f->bases.len && !hopeless && check_again(f, set, true);
    if (f->bases.len && !hopeless && !core->checked) free_of_places(f, set, core);
    if (core->checked || core->cut || !core->minimal) return;
    core->checked = check_again(f, set, false);
    if (f->bases.len && !core->doubt) core->doubt = "it depends on where objects lie in memory";
}

static void open_formula(Formula *f) {
    Z3_config config = Z3_mk_config();
    f->z3 = Z3_mk_context(config);
    Z3_del_config(config);
    f->solver = Z3_mk_solver_for_logic(f->z3, Z3_mk_string_symbol(f->z3, "QF_FD"));
    Z3_solver_inc_ref(f->z3, f->solver);
    f->question_ms = SOLVER_LIMIT_MS;
    set_timeout(f, f->solver, f->question_ms);
}

static void close_formula(Formula *f) {
    Z3_solver_dec_ref(f->z3, f->solver);
    Z3_del_context(f->z3);
    vec_release(&f->nodes);
    map_release(&f->by_step);
    vec_release(&f->heap);
    vec_release(&f->facts);
    vec_release(&f->literals);
    vec_release(&f->bodies);
    map_release(&f->strings);
    vec_release(&f->string_facts);
    map_release(&f->inputs);
    vec_release(&f->input_facts);
    map_release(&f->bases_by_object);
    vec_release(&f->bases);
}

void formula_core(const Trace *trace, const Predicate *phi, ChangedStepFn is_changed, void *user,
                  const FormulaLimits *limits, Core *core) {
    *core = (Core){ 0 };
    Formula f = { .t = trace, .is_changed = is_changed, .user = user, .limits = limits };
    open_formula(&f);
    /* What starts from a guess is never proved: its core is worth less time. */
    if (phi->guessed) set_timeout(&f, f.solver, f.question_ms = GUESS_LIMIT_MS);
    f.goal = formula_goal(&f, phi);
    if (f.goal) {
        Z3_solver_assert(f.z3, f.solver, f.goal);
        core->unsat = grow(&f, core);
        Numbers set = { 0 };
        if (core->unsat) {
            minimise(&f, &set, core);
            ground(&f, &set, core);
            confirm(&f, &set, phi, core);
        }
        for (size_t i = 0; i < set.len; i++) vec_push(&core->facts, f.facts.at[set.at[i]]);
        if (core->facts.len)
            qsort(core->facts.at, core->facts.len, sizeof *core->facts.at, by_step);
        vec_release(&set);
    }
    core->constraints = (unsigned)f.facts.len;
    core->seconds = f.seconds;
    close_formula(&f);
}

void core_release(Core *core) {
    vec_release(&core->facts);
}

static bool nothing_changed(void *user, Step step) {
    (void)user, (void)step;
    return false;
}

bool formula_holds(const Trace *trace, const Predicate *phi) {
    Formula f = { .t = trace, .is_changed = nothing_changed };
    open_formula(&f);
    f.goal = formula_goal(&f, phi);
    while (f.heap.len && f.facts.len < SLICE_MOST) formula_expand(&f, formula_next(&f));
    for (size_t i = 0; i < f.literals.len; i++) Z3_solver_assert(f.z3, f.solver, f.literals.at[i]);
    for (size_t i = 0; i < f.nodes.len; i++) {
        Type type = term_step_type(trace, f.nodes.at[i].step);
        if (!term_has(type)) continue;
        Z3_ast seen = term_concrete(&f, type, trace->value.at[f.nodes.at[i].step]);
        Z3_solver_assert(f.z3, f.solver, Z3_mk_eq(f.z3, f.nodes.at[i].var, seen));
    }
    bool holds = check(&f, NULL, 0) == Z3_L_TRUE;
    if (holds && f.goal) {
        Z3_solver_assert(f.z3, f.solver, f.goal);
        holds = check(&f, NULL, 0) == Z3_L_FALSE;
    }
    close_formula(&f);
    return holds;
}
