/* The way from a root change to the failure as a short list.
 *
 * A tree of causes holds everything that was proved or tested; a person wants to see how the change
 * led to the failure. The steps of all nodes from one that holds a root change up to the failure
 * are laid out in the order of execution, from the root on: what was done before it cannot follow
 * from it. A line that ran several times says the same thing each time: it is shown once, where it
 * first went wrong, with how often it comes. Of what is left the steps are kept that say most: the
 * change's own, decisions that went the other way, and values that differ, in changed code before
 * other code. That an argument arrived as it was passed says little, and so does what the good run
 * did instead, once a decision says that it went another way; a value that is the same in both runs
 * says nothing. */
#include "explain/explanation.h"

#include <ctype.h>

/* What a step says, from nothing to what must be shown. */
enum {
    SAYS_NOTHING, /* the same in both runs */
    SAYS_LITTLE,  /* an argument that arrived as it was passed; a step that has no counterpart; a
                     brace at which a function returns what it was told to */
    SAYS_VALUE,   /* came out otherwise */
    SAYS_DECISION,
    SAYS_CHANGED, /* either of them, on a changed line */
    SAYS_ROOT,
};

enum { CROWD = 4 }; /* steps of one function, above which each says less */

bool tree_step_is_address(const TreeStep *step) {
    return str_starts(step->now, "0x") || str_starts(step->was, "0x");
}

static size_t depth_of(const Explanation *e, size_t node) {
    size_t depth = 0;
    for (; e->nodes.at[node].parent != NO_NODE; node = e->nodes.at[node].parent) depth++;
    return depth;
}

static bool is_root_step(const Explanation *e, const TreeStep *step) {
    return step->change != NO_CHANGE && e->root[step->change];
}

/* Whether it has something to say: a value that came out otherwise, or that the good run has not.
 */
static bool tells(const TreeStep *step) {
    return step->now.len && !tree_step_is_address(step) && (step->differs || !step->was.len);
}

/* 1: a root change itself ran there, and not only what it replaced; 2: and it shows a value. */
static int ran_root(const Explanation *e, const ExplainNode *node) {
    int ran = 0;
    for (size_t k = 0; k < node->steps.len; k++) {
        const TreeStep *step = &node->steps.at[k];
        if (is_root_step(e, step) && !step->in_good && ran < 2) ran = 1 + tells(step);
    }
    return ran;
}

/* The node with a root change that is nearest to the failure; one in which it shows at work, if
 * there is one. */
static size_t start_node(const Explanation *e) {
    size_t best = NO_NODE;
    int ran = 0;
    for (size_t i = 0; i < e->nodes.len; i++) {
        if (!e->nodes.at[i].has_root) continue;
        int runs = ran_root(e, &e->nodes.at[i]);
        if (best == NO_NODE || runs > ran || (runs == ran && depth_of(e, i) < depth_of(e, best)))
            best = i, ran = runs;
    }
    return best;
}

/* Whether there is a word on the line. */
static bool has_words(Str text) {
    for (size_t i = 0; i < text.len; i++)
        if (isalnum((unsigned char)text.at[i])) return true;
    return !text.len;
}

static int step_says(const Explanation *e, const TreeStep *step) {
    if (is_root_step(e, step)) return SAYS_ROOT;
    bool alone = !step->was.len; /* the good run has no such step: an iteration more, other code */
    if (!step->differs && !alone) return SAYS_NOTHING;
    if (alone && tree_step_is_address(step)) return SAYS_LITTLE;
    /* Other new code is only where it went through: of itself it says no more than a value. */
    if (step->change != NO_CHANGE) return step->differs ? SAYS_CHANGED : SAYS_VALUE;
    if (step->argument || !step->differs || step->in_good || !has_words(step->text))
        return SAYS_LITTLE;
    return str_eq(step->what, STR("branch")) ? SAYS_DECISION : SAYS_VALUE;
}

static int says(const Explanation *e, const ChainStep *c) {
    if (c->step) return step_says(e, c->step);
    if (!c->node->edge_was.len) return SAYS_LITTLE;
    return str_eq(c->node->edge_now, c->node->edge_was) ? SAYS_NOTHING : SAYS_DECISION;
}

/* What ran only in the good run comes behind the last step that both made. Equal ones stay in the
 * order of the tree. */
static bool is_later(const ChainStep *x, const ChainStep *y) {
    uint64_t a = x->when, b = y->when;
    return a > b || (a == b && x->step && x->step->in_good && y->step && !y->step->in_good);
}

static void sort(ChainSteps *all) {
    for (size_t i = 1; i < all->len; i++) {
        ChainStep step = all->at[i];
        size_t k = i;
        for (; k > 0 && is_later(&all->at[k - 1], &step); k--) all->at[k] = all->at[k - 1];
        all->at[k] = step;
    }
}

/* Whether a change of the bad version shows, or a root. */
static bool shows_change(const Explanation *e, const ChainStep *c) {
    int w = says(e, c);
    return w == SAYS_ROOT || (w == SAYS_CHANGED && !(c->step && c->step->in_good));
}

/* Nothing that was done before the first changed line follows from a change. (One before the root's
 * may have misled it.) What only the good run did there is gone. */
static void begin_at_root(const Explanation *e, ChainSteps *all) {
    size_t first = 0, n = 0;
    while (first < all->len && !shows_change(e, &all->at[first])) first++;
    if (first == all->len) return;
    for (size_t i = first; i < all->len; i++) all->at[n++] = all->at[i];
    all->len = n;
}

static void collect(const Explanation *e, size_t node, ChainSteps *all) {
    for (size_t at = node; at != NO_NODE; at = e->nodes.at[at].parent) {
        const ExplainNode *n = &e->nodes.at[at];
        for (size_t k = 0; k < n->steps.len; k++)
            vec_push(all, (ChainStep){
                              .step = &n->steps.at[k], .node = n, .when = n->steps.at[k].when });
        if (n->parent != NO_NODE && n->edge_line)
            vec_push(all, (ChainStep){ .node = n, .when = n->edge_when });
    }
}

static bool same_line(const ChainStep *x, const ChainStep *y) {
    Str file = x->step ? x->step->file : x->node->edge_file;
    Str other = y->step ? y->step->file : y->node->edge_file;
    unsigned line = x->step ? x->step->line : x->node->edge_line;
    bool in_good = x->step && x->step->in_good, other_in_good = y->step && y->step->in_good;
    if (!x->step || !y->step) in_good = other_in_good; /* an edge has no side */
    return line == (y->step ? y->step->line : y->node->edge_line) && in_good == other_in_good &&
           str_eq(file, other);
}

static bool says_more(const Explanation *e, const ChainStep *x, const ChainStep *y) {
    int a = says(e, x), b = says(e, y);
    if (a != b || !x->step) return a > b;
    if (!y->step || x->step->differs != y->step->differs) return !y->step || x->step->differs;
    if (tells(x->step) != tells(y->step)) return tells(x->step);
    return str_is(x->step->what, "output") && !str_is(y->step->what, "output");
}

/* Generated code has no text that anyone wrote; its grammar's lines are there as well. */
static void drop_generated(ChainSteps *all) {
    size_t n = 0, with_text = 0;
    for (size_t i = 0; i < all->len; i++) with_text += all->at[i].step && all->at[i].step->text.len;
    for (size_t i = 0; with_text && i < all->len; i++) {
        const TreeStep *step = all->at[i].step;
        if (!step || step->text.len || step->change != NO_CHANGE) all->at[n++] = all->at[i];
    }
    if (with_text) all->len = n;
}

/* Whether another step says how the same change made a difference. */
static bool is_told(const ChainSteps *all, const TreeStep *same) {
    for (size_t i = 0; i < all->len; i++) {
        const TreeStep *step = all->at[i].step;
        if (step && step != same && step->change == same->change && step->differs) return true;
    }
    return false;
}

/* A changed line whose value came out as in the good run is shown only for want of a better one. */
static void drop_same(ChainSteps *all) {
    size_t n = 0;
    for (size_t i = 0; i < all->len; i++) {
        const TreeStep *step = all->at[i].step;
        bool same = step && step->was.len && !step->differs && step->change != NO_CHANGE;
        if (!same || !is_told(all, step)) all->at[n++] = all->at[i];
    }
    all->len = n;
}

/* One step is often part of several causes. */
static bool is_again(const ChainStep *x, const ChainStep *y) {
    return x->step && y->step && x->when == y->when && same_line(x, y);
}

static void drop_doubles(const Explanation *e, ChainSteps *all) {
    size_t n = 0;
    for (size_t i = 0; i < all->len; i++) {
        size_t k = n;
        while (k > 0 && all->at[k - 1].when == all->at[i].when &&
               !is_again(&all->at[k - 1], &all->at[i]))
            k--;
        bool again = k > 0 && is_again(&all->at[k - 1], &all->at[i]);
        if (!again)
            all->at[n++] = all->at[i];
        else if (says_more(e, &all->at[i], &all->at[k - 1]))
            all->at[k - 1] = all->at[i];
    }
    all->len = n;
}

/* Of several runs of a line the first that says most stays. */
static void merge(const Explanation *e, const ChainSteps *all, ChainSteps *once) {
    for (size_t i = 0; i < all->len; i++) {
        const ChainStep *step = &all->at[i];
        size_t k = 0;
        while (k < once->len && !same_line(&once->at[k], step)) k++;
        if (k == once->len) {
            vec_push(once, *step);
            continue;
        }
        /* What a branch decided is told by its step and again by the edge: that is one time. */
        bool again = step->step && once->at[k].step;
        size_t repeats = once->at[k].repeats + again;
        uint64_t first = once->at[k].when;
        if (says_more(e, step, &once->at[k])) once->at[k] = *step;
        if (says(e, &once->at[k]) == SAYS_ROOT) once->at[k].when = first; /* all begins there */
        once->at[k].repeats = repeats;
    }
}

/* For each step the first one of the same function and version; itself where that is not known. */
static void group_by_function(const ChainSteps *all, size_t *group) {
    for (size_t i = 0; i < all->len; i++) {
        const TreeStep *x = all->at[i].step;
        group[i] = i;
        for (size_t k = 0; x && x->function.len && k < i && group[i] == i; k++) {
            const TreeStep *y = all->at[k].step;
            if (y && x->in_good == y->in_good && str_eq(x->function, y->function)) group[i] = k;
        }
    }
}

/* What a step is worth: one that is all that is left of its function shows where the way leads, and
 * one of many does not. beside: how many are left of it. */
static int worth(const Explanation *e, const ChainSteps *all, size_t i, size_t beside) {
    const TreeStep *step = all->at[i].step;
    int w = says(e, &all->at[i]);
    if (beside > CROWD && w == SAYS_VALUE) return SAYS_LITTLE;
    bool shows = beside == 1 && step && step->function.len;
    return shows && w >= SAYS_LITTLE && w < SAYS_DECISION ? SAYS_DECISION : w;
}

/* The step that says least, of equals the one nearest to the middle, but not the two ends. */
static size_t least_worth(const Explanation *e, const ChainSteps *all, const uint8_t *keep,
                          const size_t *group, const size_t *left) {
    size_t best = all->len;
    int least = SAYS_ROOT + 1;
    for (size_t k = 0; k <= all->len; k++) {
        /* from the middle out: len/2, len/2 + 1, len/2 - 1, .. */
        size_t half = all->len / 2, off = (k + 1) / 2, i = k % 2 ? half + off : half - off;
        if (i == 0 || i + 1 >= all->len || !keep[i]) continue;
        int w = worth(e, all, i, left[group[i]]);
        if (w < least) best = i, least = w;
    }
    return best;
}

/* Keeps at most CHAIN_MOST: what says nothing goes, then what says least. */
static void choose(const Explanation *e, const ChainSteps *all, uint8_t *keep) {
    size_t *group = mem_alloc((all->len + 1) * sizeof *group), kept = 0;
    size_t *left = mem_alloc((all->len + 1) * sizeof *left); /* kept steps of each group */
    group_by_function(all, group);
    for (size_t i = 0; i < all->len; i++) {
        keep[i] = says(e, &all->at[i]) != SAYS_NOTHING;
        kept += keep[i];
        left[group[i]] += keep[i];
    }
    for (size_t i; kept > CHAIN_MOST && (i = least_worth(e, all, keep, group, left)) < all->len;) {
        keep[i] = 0;
        kept--;
        left[group[i]]--;
    }
    mem_free(group);
    mem_free(left);
}

static void thin(const Explanation *e, const ChainSteps *all, ChainSteps *chain) {
    uint8_t *keep = mem_alloc(all->len + 1);
    choose(e, all, keep);
    size_t left_out = 0;
    for (size_t i = 0; i < all->len; i++) {
        if (!keep[i]) {
            left_out++;
            continue;
        }
        ChainStep step = all->at[i];
        step.left_out = left_out;
        left_out = 0;
        vec_push(chain, step);
    }
    mem_free(keep);
}

void explanation_chain(const Explanation *e, ChainSteps *chain) {
    size_t start = start_node(e);
    vec_clear(chain);
    if (start == NO_NODE) return;
    ChainSteps all = { 0 }, once = { 0 };
    collect(e, start, &all);
    sort(&all);
    drop_doubles(e, &all);
    drop_generated(&all);
    begin_at_root(e, &all);
    merge(e, &all, &once);
    drop_same(&once);
    sort(&once); /* what says more than the first run of its line was later */
    thin(e, &once, chain);
    vec_release(&all);
    vec_release(&once);
}
