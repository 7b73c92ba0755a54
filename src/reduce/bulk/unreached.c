/* See unreached.h. */
#include "reduce/bulk/unreached.h"
#include "reduce/bulk/observe.h"
#include "reduce/ppr.h"
#include "reduce/reduce_knobs.h"
#include "reduce/target.h"

typedef enum RegionKind {
    REGION_BLOCK,    /* { .. } */
    REGION_BRANCH,   /* one statement without braces */
    REGION_CASE,     /* what follows `case x:` */
    REGION_FUNCTION, /* the body of a function */
} RegionKind;

typedef struct Region {
    RegionKind kind;
    uint32_t node;      /* block, statement, case or body */
    uint32_t from, end; /* its tokens inside */
    bool seen;          /* it was reached */
} Region;
typedef VEC(Region) Regions;

typedef struct ReachMark {
    uint32_t at; /* byte of the text */
    uint32_t k;  /* region that begins; UINT32_MAX: a closing brace */
    bool brace;  /* with an opening one */
} ReachMark;

typedef struct Profile {
    const Doc *doc;
    Regions regions;
    VEC(ReachMark) marks;
} Profile;

/* ---- marks ---- */
static void add_region(Profile *p, RegionKind kind, uint32_t node, uint32_t from, uint32_t end) {
    vec_push(&p->regions, ((Region){ kind, node, from, end, false }));
}

static void mark(Profile *p, uint32_t byte, bool brace) {
    vec_push(&p->marks, ((ReachMark){ byte, (uint32_t)p->regions.len - 1, brace }));
}

/* A single statement where a block could be: the branch of an if, the body of a loop. */
static bool is_branch(const Doc *doc, uint32_t node) {
    const TreeNode *n = &doc->tree.nodes.at[node];
    static const char *const around[] = { "if_statement", "else_clause", "while_statement",
                                          "do_statement", "for_statement" };
    const char *own = lang_kind_name(doc->tree.lang, n->kind);
    if (!(n->flags & NODE_NAMED) || !strstr(own, "_statement") ||
        !strcmp(own, "compound_statement"))
        return false;
    for (size_t i = 0; i < COUNT_OF(around); i++)
        if (doc_is_kind(doc, n->parent, around[i])) return true;
    return false;
}

static void mark_case(Profile *p, uint32_t node) {
    const Tree *t = &p->doc->tree;
    for (uint32_t c = tree_first_child(t, node); c; c = tree_next_child(t, node, c)) {
        if (!doc_is_kind(p->doc, c, ":")) continue;
        add_region(p, REGION_CASE, node, t->nodes.at[c].token_end, t->nodes.at[node].token_end);
        mark(p, t->nodes.at[c].end, false);
        return;
    }
}

static void find_regions(Profile *p) {
    const Tree *t = &p->doc->tree;
    for (uint32_t i = 1; i < t->nodes.len; i++) {
        const TreeNode *n = &t->nodes.at[i];
        if (n->token + 1 >= n->token_end) continue;
        if (doc_is_kind(p->doc, i, "compound_statement")) {
            if (doc_is_kind(p->doc, n->parent, "switch_statement")) continue;
            bool body = doc_is_kind(p->doc, n->parent, "function_definition");
            add_region(p, body ? REGION_FUNCTION : REGION_BLOCK, i, n->token + 1, n->token_end - 1);
            mark(p, t->tokens.at[n->token].end, false);
        } else if (doc_is_kind(p->doc, i, "case_statement")) {
            mark_case(p, i);
        } else if (is_branch(p->doc, i)) {
            add_region(p, REGION_BRANCH, i, n->token, n->token_end);
            mark(p, n->start, true);
            vec_push(&p->marks, ((ReachMark){ n->end, UINT32_MAX, false }));
        }
    }
}

static int by_place(const void *a, const void *b) {
    const ReachMark *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    bool cx = x->k == UINT32_MAX, cy = y->k == UINT32_MAX; /* braces close before others open */
    if (cx != cy) return cx ? -1 : 1;
    return x->k < y->k ? -1 : x->k > y->k;
}

static void write_marked(Profile *p, Buf *out) {
    Str text = p->doc->tree.text;
    buf_fmt(out,
            "static unsigned char culprit_seen[%zu];\nextern long write(int, const void *, "
            "unsigned long);\n"
            "__attribute__((destructor)) static void culprit_tell(void) {\n"
            "  for (unsigned long i = 0; i < sizeof culprit_seen; i++) culprit_seen[i] += '0';\n"
            "  write(2, \"" OBSERVE_SIGN "\", sizeof \"" OBSERVE_SIGN "\" - 1);\n"
            "  write(2, culprit_seen, sizeof culprit_seen);\n"
            "}\n",
            p->regions.len + 1);
    if (p->marks.len) qsort(p->marks.at, p->marks.len, sizeof(ReachMark), by_place);
    uint32_t at = 0;
    for (size_t i = 0; i < p->marks.len; i++) {
        const ReachMark *m = &p->marks.at[i];
        buf_str(out, str_sub(text, at, m->at));
        at = m->at;
        if (m->k == UINT32_MAX)
            buf_fmt(out, " }");
        else
            buf_fmt(out, "%s culprit_seen[%u] = 1; ", m->brace ? "{" : "", m->k);
    }
    buf_str(out, str_sub(text, at, text.len));
}

/* ---- the run ---- */
static bool profile_run(Profile *p, const Observation *like) {
    Arena arena = { 0 };
    Buf text = { 0 };
    find_regions(p);
    write_marked(p, &text);
    Observation o = *like;
    o.text = buf_view(&text);
    Str seen = { 0 };
    bool ok = p->regions.len && observe(&arena, &o, &seen) && seen.len >= p->regions.len;
    for (size_t i = 0; ok && i < p->regions.len; i++) p->regions.at[i].seen = seen.at[i] == '1';
    buf_release(&text);
    arena_release(&arena);
    return ok;
}

/* ---- what goes ---- */
enum {
    WHOLE_STATEMENTS = 1, /* with the `if` or loop around them */
    WHOLE_FUNCTIONS = 2,
    EMPTY_FUNCTIONS = 4, /* they stay, without what is in them */
    BUT_OUTPUT = 8,      /* what prints something stays */
};
/* Of a token: it stays, goes, or another one takes its place. */
enum { STAYS, GOES, BECOMES_SEMICOLON, BECOMES_ZERO };

/* The statement around a dead block that has nothing else to do; 0: none. */
static uint32_t statement_around(const Doc *doc, const Uses *uses, uint32_t node) {
    uint32_t parent = doc->tree.nodes.at[node].parent;
    bool loop =
        doc_is_kind(doc, parent, "while_statement") || doc_is_kind(doc, parent, "for_statement");
    bool guard = doc_is_kind(doc, parent, "if_statement");
    for (uint32_t c = tree_first_child(&doc->tree, parent); guard && c;
         c = tree_next_child(&doc->tree, parent, c))
        guard = !doc_is_kind(doc, c, "else_clause");
    return (loop || guard) && uses_unit(uses, parent) == parent ? parent : 0;
}

static void mark_gone(const Doc *doc, uint8_t *gone, uint32_t from, uint32_t end) {
    for (uint32_t i = from; i < end; i++)
        if (doc->alive[i]) gone[i] = GOES;
}

/* ---- returns ---- */
static uint32_t function_around(const Doc *doc, uint32_t node) {
    while (node && !doc_is_kind(doc, node, "function_definition"))
        node = doc->tree.nodes.at[node].parent;
    return node;
}

/* The last return with a value between the tokens; 0: none. */
static uint32_t last_return(const Doc *doc, uint32_t node, uint32_t from, uint32_t end) {
    const Tree *t = &doc->tree;
    uint32_t last = 0;
    for (uint32_t i = node; i < node + t->nodes.at[node].size; i++) {
        const TreeNode *n = &t->nodes.at[i];
        if (n->token < from || n->token_end > end || n->token_end < n->token + 3) continue;
        if (doc_is_kind(doc, i, "return_statement")) last = i;
    }
    return last;
}

/* Whether the body of the function ends with a return: then those before it are not needed for it
 * to compile without a warning. */
static bool ends_with_return(const Doc *doc, uint32_t function) {
    const Tree *t = &doc->tree;
    uint32_t body = 0, last = 0;
    for (uint32_t c = tree_first_child(t, function); c; c = tree_next_child(t, function, c))
        if (doc_is_kind(doc, c, "compound_statement")) body = c;
    for (uint32_t c = body ? tree_first_child(t, body) : 0; c; c = tree_next_child(t, body, c))
        if (t->nodes.at[c].flags & NODE_NAMED) last = c;
    return last && doc_is_kind(doc, last, "return_statement");
}

/* Its value is a structure's, for which 0 cannot stand. */
static bool returns_record(const Doc *doc, uint32_t function) {
    const Tree *t = &doc->tree;
    bool record = false, pointer = false;
    for (uint32_t c = tree_first_child(t, function); c; c = tree_next_child(t, function, c)) {
        record |= doc_is_kind(doc, c, "struct_specifier") || doc_is_kind(doc, c, "union_specifier");
        pointer |= doc_is_kind(doc, c, "pointer_declarator");
    }
    return record && !pointer;
}

/* The last return of what goes stays, with 0 for its value. */
static void keep_return(const Doc *doc, uint8_t *gone, uint32_t statement) {
    const TreeNode *n = &doc->tree.nodes.at[statement];
    uint32_t end = n->token_end - 1; /* the semicolon */
    bool record = returns_record(doc, function_around(doc, statement));
    for (uint32_t i = n->token; i < n->token_end; i++)
        gone[i] = i == n->token || i == end || record ? STAYS : GOES;
    if (!record) gone[n->token + 1] = BECOMES_ZERO;
}

static bool mentions(const Doc *doc, uint32_t from, uint32_t end, const char *const *words) {
    for (uint32_t i = from; i < end; i++)
        for (const char *const *w = words; *w; w++)
            if (doc->alive[i] && str_is(tree_token_text(&doc->tree, i), *w)) return true;
    return false;
}

/* A program that checks itself reports in code that only runs when it fails: that stays. It may
 * also simply print something there. */
static bool tells_failure(const Doc *doc, uint32_t from, uint32_t end, int how) {
    static const char *const ends[] = { "abort", "__builtin_abort", "exit",           "_Exit",
                                        "_exit", "__builtin_trap",  "__builtin_exit", NULL };
    static const char *const prints[] = {
        "printf", "puts",  "putchar", "fprintf",          "fputs",          "putc",    "fputc",
        "fwrite", "write", "perror",  "__builtin_printf", "__builtin_puts", "vprintf", NULL
    };
    return mentions(doc, from, end, ends) ||
           ((how & BUT_OUTPUT) && mentions(doc, from, end, prints));
}

/* Tokens [from, end) of one side. */
typedef struct TokenSpan {
    uint32_t from, end;
} TokenSpan;

/* Of the regions that begin within a stretch. */
static void list_dead(const Profile *p, const Uses *uses, int how, TokenSpan in, uint8_t *gone) {
    const Doc *doc = p->doc;
    for (size_t i = 0; i < p->regions.len; i++) {
        const Region *g = &p->regions.at[i];
        const TreeNode *n = &doc->tree.nodes.at[g->node];
        if (g->from < in.from || g->from >= in.end) continue;
        if (g->seen || gone[n->token] == GOES || tells_failure(doc, g->from, g->end, how)) continue;
        uint32_t whole = 0, function = function_around(doc, g->node);
        bool open = g->kind == REGION_FUNCTION || (function && !ends_with_return(doc, function));
        uint32_t kept = open ? last_return(doc, g->node, g->from, g->end) : 0;
        if (g->kind == REGION_FUNCTION) {
            whole = (how & WHOLE_FUNCTIONS) ? n->parent : 0;
            if (!whole && !(how & EMPTY_FUNCTIONS)) continue;
        } else if ((how & WHOLE_STATEMENTS) && !kept)
            whole = statement_around(doc, uses, g->node);
        if (whole) {
            const TreeNode *w = &doc->tree.nodes.at[whole];
            mark_gone(doc, gone, w->token, w->token_end);
            continue;
        }
        mark_gone(doc, gone, g->from, g->end);
        if (kept)
            keep_return(doc, gone, kept);
        else if (g->kind == REGION_BRANCH)
            gone[g->from] = BECOMES_SEMICOLON;
    }
}

typedef struct DeadTest {
    Reducer *r;
    Profile profile[SIDES];
    Uses uses[SIDES];
    Target target;        /* says where a stretch of the variant is in the seed */
    size_t blocks, first; /* the variant in so many stretches; the first to try */
} DeadTest;

static void edits_of(const uint8_t *gone, size_t n, DocEdits *edits) {
    for (uint32_t i = 0; i < n; i++) {
        if (gone[i] == GOES) vec_push(edits, ((DocEdit){ .token = i }));
        if (gone[i] == BECOMES_SEMICOLON)
            vec_push(edits, ((DocEdit){ .token = i, .text = STR(";") }));
        if (gone[i] == BECOMES_ZERO) vec_push(edits, ((DocEdit){ .token = i, .text = STR("0") }));
    }
}

/* Where the other side goes on behind what corresponds to the variant before this token. */
static uint32_t seed_token(const DeadTest *d, uint32_t token) {
    const Tree *t = &d->r->side[VARIANT].doc.tree;
    for (; token < t->tokens.len; token++)
        if (d->target.partner[token] != UINT32_MAX) return d->target.partner[token];
    return (uint32_t)d->r->side[SEED].doc.tree.tokens.len;
}

/* Block k of the variant's tokens, as tokens of this side. */
static TokenSpan block_of(const DeadTest *d, int side, size_t k) {
    size_t n = d->r->side[VARIANT].doc.tree.tokens.len;
    TokenSpan own = { (uint32_t)(n * k / d->blocks), (uint32_t)(n * (k + 1) / d->blocks) };
    if (side == VARIANT) return own;
    return (TokenSpan){ k ? seed_token(d, own.from) : 0, seed_token(d, own.end) };
}

static void propose_block(DeadTest *d, int how, size_t k, Candidate *c) {
    for (int s = 0; s < SIDES; s++) {
        if (!d->r->side[s].on) continue;
        const Doc *doc = d->profile[s].doc;
        DocEdits edits = { 0 };
        uint8_t *gone = mem_alloc(doc->tree.tokens.len + 1);
        list_dead(&d->profile[s], &d->uses[s], how, block_of(d, s, k), gone);
        edits_of(gone, doc->tree.tokens.len, &edits);
        uses_close(&d->uses[s], USES_DROP, &edits);
        if (edits.len) doc_change(doc, &c->arena, edits.at, edits.len, &c->side[s]);
        vec_release(&edits);
        mem_free(gone);
    }
}

static bool propose_dead(void *user, size_t i, Candidate *c) {
    static const int how[] = { WHOLE_STATEMENTS | WHOLE_FUNCTIONS,
                               WHOLE_STATEMENTS | EMPTY_FUNCTIONS,
                               WHOLE_STATEMENTS | EMPTY_FUNCTIONS | BUT_OUTPUT,
                               EMPTY_FUNCTIONS | BUT_OUTPUT, EMPTY_FUNCTIONS };
    if (i >= COUNT_OF(how)) return false;
    propose_block(user, how[i], 0, c);
    return true;
}

/* In blocks: whole statements and functions, then blocks emptied. */
static bool propose_some(void *user, size_t i, Candidate *c) {
    DeadTest *d = user;
    if (d->first + i / 2 >= d->blocks) return false;
    propose_block(d, i & 1 ? EMPTY_FUNCTIONS : WHOLE_STATEMENTS | WHOLE_FUNCTIONS, d->first + i / 2,
                  c);
    return true;
}

/* All of it at once; where that fails (a wrong run goes where the right one never does, and shows
 * there that it is wrong), in ever smaller blocks. */
static size_t drop_dead(DeadTest *d) {
    size_t steps = 0;
    d->blocks = 1;
    if (reducer_first(d->r, propose_dead, d) != SHRINK_NONE) return 1;
    for (d->blocks = 2; d->blocks <= REDUCE_UNREACHED_BLOCKS; d->blocks *= 2)
        for (d->first = 0; d->first < d->blocks && !reduce_stopped(d->r);) {
            size_t hit = reducer_first(d->r, propose_some, d);
            if (hit >= SHRINK_STOP) break;
            d->first += hit / 2 + 1;
            steps++;
        }
    return steps;
}

static bool speaks_c(const Reducer *r) {
    const Tree *t = &r->side[VARIANT].doc.tree;
    return t->lang && strcmp(lang_name(t->lang), "c") == 0;
}

size_t reduce_unreached(Reducer *r) {
    reduce_refresh(r);
    if (!speaks_c(r) || reduce_stopped(r) || fileset_left(&r->side[VARIANT].files) > 1) return 0;
    if (!property_runs(r->side[VARIANT].property)) return 0; /* nothing of the test depends on it */
    reducer_phase(r, "unreached");
    DeadTest d = { .r = r };
    bool ok = true;
    for (int s = 0; s < SIDES; s++) {
        if (!r->side[s].on) continue;
        d.profile[s].doc = &r->side[s].doc;
        Observation like = observation_of(r, s);
        ok = ok && profile_run(&d.profile[s], &like);
        uses_init(&d.uses[s], &r->side[s].doc);
    }
    target_init(&d.target, r, VARIANT, r->pair);
    size_t steps = ok ? drop_dead(&d) : 0;
    target_release(&d.target);
    for (int s = 0; s < SIDES; s++) {
        vec_release(&d.profile[s].regions);
        vec_release(&d.profile[s].marks);
        if (d.uses[s].doc) uses_release(&d.uses[s]);
    }
    reduce_refresh(r);
    return steps;
}
