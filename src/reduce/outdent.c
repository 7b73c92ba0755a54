/* See outdent.h. */
#include "reduce/outdent.h"
#include "reduce/ppr.h"

typedef struct OutdentTest {
    Target *t;
    VEC(uint32_t) nodes; /* compound statements of the driving side */
    size_t from;         /* those before it were tried */
    unsigned body;       /* the role of a body */
    unsigned consequence;
} OutdentTest;

/* The first block of a compound statement; 0: it is not one. */
static uint32_t body_of(const OutdentTest *o, const Doc *doc, uint32_t node) {
    const Tree *t = &doc->tree;
    for (uint32_t c = tree_first_child(t, node); c; c = tree_next_child(t, node, c)) {
        unsigned field = t->nodes.at[c].field;
        if (field && (field == o->body || field == o->consequence) && doc_alive(doc, c)) return c;
    }
    return 0;
}

static size_t column(Str text, size_t at) {
    size_t start = at;
    while (start && text.at[start - 1] != '\n') start--;
    return at - start;
}

/* The text with the node replaced by its body, moved to the left. */
static void write_outdented(const Doc *doc, uint32_t node, uint32_t body, Buf *out) {
    Str text = doc->tree.text;
    const TreeNode *n = &doc->tree.nodes.at[node], *b = &doc->tree.nodes.at[body];
    size_t in = column(text, b->start), to = column(text, n->start), by = in > to ? in - to : 0;
    buf_str(out, str_sub(text, 0, n->start));
    for (size_t at = b->start; at < b->end;) {
        size_t end = at;
        while (end < b->end && text.at[end] != '\n') end++;
        end += end < b->end;
        buf_str(out, str_sub(text, at, end));
        for (size_t k = 0; k < by && end < b->end && (text.at[end] == ' ' || text.at[end] == '\t');
             k++)
            end++;
        at = end;
    }
    buf_str(out, str_sub(text, n->end, text.len));
}

/* The node of the other side that begins with the same token and is of the same kind; 0: none. */
static uint32_t twin_of(const Target *t, uint32_t node) {
    const Tree *own = &target_doc(t)->tree, *other = &t->r->side[!t->side].doc.tree;
    uint32_t token = own->nodes.at[node].token, twin = t->partner[token];
    if (twin == UINT32_MAX) return 0;
    for (uint32_t n = other->tokens.at[twin].node; n; n = other->nodes.at[n].parent)
        if (other->nodes.at[n].kind == own->nodes.at[node].kind && other->nodes.at[n].token == twin)
            return n;
    return 0;
}

static void propose_side(const OutdentTest *o, int side, uint32_t node, Candidate *c) {
    const Doc *doc = &o->t->r->side[side].doc;
    Buf text = { 0 };
    write_outdented(doc, node, body_of(o, doc, node), &text);
    doc_replace(doc, &c->arena, buf_view(&text), &c->side[side]);
    buf_release(&text);
}

static bool propose_outdent(void *user, size_t i, Candidate *c) {
    OutdentTest *o = user;
    const Target *t = o->t;
    if (o->from + i >= o->nodes.len) return false;
    uint32_t node = o->nodes.at[o->from + i];
    if (!t->paired) {
        propose_side(o, t->side, node, c);
        return true;
    }
    uint32_t twin = twin_of(t, node);
    bool common = t->partner[target_doc(t)->tree.nodes.at[node].token] != UINT32_MAX;
    const Doc *other = &t->r->side[!t->side].doc;
    if (common && (!twin || !body_of(o, other, twin))) return true;
    propose_side(o, t->side, node, c);
    if (common) propose_side(o, !t->side, twin, c);
    return true;
}

size_t reduce_outdent(Reducer *r, int side, bool paired) {
    size_t steps = 0, from = 0;
    while (!reduce_stopped(r)) {
        Target t;
        reduce_refresh(r);
        const Doc *doc = &r->side[side].doc;
        const Lang *lang = doc->tree.lang;
        if (!lang || strcmp(lang_name(lang), "python")) break;
        target_init(&t, r, side, paired);
        OutdentTest o = { .t = &t, .from = from };
        o.body = lang_field(lang, "body"), o.consequence = lang_field(lang, "consequence");
        for (uint32_t n = 1; n < doc->tree.nodes.len; n++)
            if (body_of(&o, doc, n)) vec_push(&o.nodes, n);
        size_t hit = reducer_first(r, propose_outdent, &o);
        vec_release(&o.nodes);
        target_release(&t);
        if (hit >= SHRINK_STOP) break;
        from += hit;
        steps++;
    }
    reduce_refresh(r);
    return steps;
}
