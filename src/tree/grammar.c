/* grammar.json compiled to automata over rows of children; see grammar.h.
 *
 * A kind of node may come from several rules (a rule of that name, and every rule that is aliased
 * to it): its automaton is their union, built when first asked for. Patterns and hidden tokens
 * leave no child and read nothing. A hidden rule that reaches itself becomes "anything": the answer
 * can then only be too generous, and the parser has the last word. */
#include "tree/grammar.h"
#include "base/json.h"

typedef enum GrammarOp {
    OP_READ,   /* reads one child of kind `kind`, continues at out */
    OP_ANY,    /* reads any number of children */
    OP_SPLIT,  /* continues at out and at other */
    OP_ACCEPT, /* the row may end here */
} GrammarOp;

typedef struct State {
    uint8_t op;
    uint16_t kind;       /* OP_READ */
    uint32_t out, other; /* where it continues */
} State;

/* The bodies that make nodes of one kind, and their automaton. */
typedef struct Body {
    VEC(const json_t *) rules; /* owned by the grammar's root */
    VEC(State) states;         /* empty: not built yet */
    uint32_t start;
} Body;

struct Grammar {
    const Lang *lang;
    json_t *root;
    const json_t *rules;
    Map hidden;       /* names of rules that make no node */
    Body *bodies;     /* by kind */
    StrVec expanding; /* hidden rules being expanded, to see recursion */
    /* scratch of the simulation */
    VEC(uint32_t) now, next;
    VEC(uint32_t) seen; /* stamp of the last step that reached a state */
    uint32_t stamp;
};

enum { MOST_DEPTH = 400, MOST_STATES = 200000 };

static bool is_hidden(const Grammar *g, Str name) {
    return name.len && (name.at[0] == '_' || map_get(&g->hidden, name, NULL));
}

/* ---- which rules make nodes of which kind ---- */
static void add_body(Grammar *g, const char *kind_name, bool named, const json_t *rule) {
    unsigned kind = lang_kind(g->lang, kind_name, named);
    if (kind) vec_push(&g->bodies[kind].rules, rule);
}

static void find_aliases(Grammar *g, const json_t *rule, unsigned depth) {
    if (depth > MOST_DEPTH || !json_is_object(rule)) return;
    const json_t *content = json_object_get(rule, "content");
    if (str_is(json_get_text(rule, "type"), "ALIAS")) {
        const json_t *body = content;
        if (str_is(json_get_text(content, "type"), "SYMBOL"))
            body = json_object_get(g->rules, json_string_value(json_object_get(content, "name")));
        const char *value = json_string_value(json_object_get(rule, "value"));
        if (body && value) add_body(g, value, json_get_bool(rule, "named", false), body);
    }
    if (content) find_aliases(g, content, depth + 1);
    size_t i;
    json_t *member;
    json_array_foreach(json_object_get(rule, "members"), i, member)
        find_aliases(g, member, depth + 1);
}

static void note_hidden(Grammar *g, const char *list) {
    size_t i;
    json_t *name;
    json_array_foreach(json_object_get(g->root, list), i, name) if (json_is_string(name))
        map_put(&g->hidden, str_from(json_string_value(name)), 1);
}

Grammar *grammar_new(const Lang *lang, Str text, const char *name, Error *err) {
    json_error_t where;
    json_t *root = json_loadb(text.at, text.len, JSON_ALLOW_NUL, &where); /* Go's has "\\u0000" */
    if (!root) {
        err_set(err, STATUS_BAD, "%s:%d: not valid JSON: %s", name, where.line, where.text);
        return NULL;
    }
    const json_t *rules = json_object_get(root, "rules");
    if (!json_is_object(rules)) {
        json_decref(root);
        err_set(err, STATUS_BAD, "%s: no rules in it: not a tree-sitter grammar.json", name);
        return NULL;
    }
    Grammar *g = mem_alloc(sizeof *g);
    *g = (Grammar){ .lang = lang, .root = root, .rules = rules };
    g->bodies = mem_alloc(sizeof(Body) * lang_kinds(lang));
    note_hidden(g, "supertypes");
    note_hidden(g, "inline");
    const char *key;
    json_t *rule;
    json_object_foreach((json_t *)rules, key, rule) {
        if (!is_hidden(g, str_from(key))) add_body(g, key, true, rule);
        find_aliases(g, rule, 0);
    }
    return g;
}

void grammar_free(Grammar *g) {
    if (!g) return;
    for (unsigned kind = 0; kind < lang_kinds(g->lang); kind++) {
        vec_release(&g->bodies[kind].rules);
        vec_release(&g->bodies[kind].states);
    }
    mem_free(g->bodies);
    map_release(&g->hidden);
    vec_release(&g->expanding);
    vec_release(&g->now);
    vec_release(&g->next);
    vec_release(&g->seen);
    json_decref(g->root);
    mem_free(g);
}

/* ---- building: each function returns the state to start at, given the state to end in ---- */
typedef struct Builder {
    Grammar *g;
    Body *body;
    unsigned depth;
    bool failed; /* too deep or too large: the kind stays unknown */
} Builder;

static uint32_t add_state(Builder *b, State state) {
    if (b->body->states.len >= MOST_STATES)
        b->failed = true;
    else
        vec_push(&b->body->states, state);
    return (uint32_t)b->body->states.len - 1;
}

static uint32_t build(Builder *b, const json_t *rule, uint32_t out);

static uint32_t read_kind(Builder *b, const char *name, bool named, uint32_t out) {
    unsigned kind = lang_kind(b->g->lang, name, named);
    if (!kind) return out; /* makes no node that we can see */
    return add_state(b, (State){ OP_READ, (uint16_t)kind, out, 0 });
}

static uint32_t build_symbol(Builder *b, const json_t *rule, uint32_t out) {
    Str name = json_get_text(rule, "name");
    const json_t *body = json_object_get(b->g->rules, name.len ? name.at : "");
    if (!is_hidden(b->g, name)) return read_kind(b, name.at, true, out);
    if (!body) return out; /* a hidden external token */
    for (size_t i = 0; i < b->g->expanding.len; i++)
        if (str_eq(b->g->expanding.at[i], name)) return add_state(b, (State){ OP_ANY, 0, out, 0 });
    vec_push(&b->g->expanding, name);
    uint32_t start = build(b, body, out);
    b->g->expanding.len--;
    return start;
}

static uint32_t build_members(Builder *b, const json_t *members, bool choice, uint32_t out) {
    size_t n = json_array_size(members);
    uint32_t at = out;
    for (size_t i = n; i-- > 0;) {
        uint32_t start = build(b, json_array_get(members, i), choice ? out : at);
        if (!choice || i == n - 1)
            at = start;
        else
            at = add_state(b, (State){ OP_SPLIT, 0, start, at });
    }
    return at;
}

/* One or more: the loop's split goes back to the start of the content or on. */
static uint32_t build_repeat(Builder *b, const json_t *content, bool may_be_none, uint32_t out) {
    uint32_t loop = add_state(b, (State){ OP_SPLIT, 0, out, out });
    uint32_t start = build(b, content, loop);
    if (!b->failed) b->body->states.at[loop].other = start;
    return may_be_none ? add_state(b, (State){ OP_SPLIT, 0, start, out }) : start;
}

static uint32_t build_alias(Builder *b, const json_t *rule, uint32_t out) {
    const char *value = json_string_value(json_object_get(rule, "value"));
    return value ? read_kind(b, value, json_get_bool(rule, "named", false), out) : out;
}

static uint32_t build(Builder *b, const json_t *rule, uint32_t out) {
    Str type = json_get_text(rule, "type");
    const json_t *content = json_object_get(rule, "content");
    uint32_t start = out;
    if (++b->depth > MOST_DEPTH) b->failed = true;
    if (b->failed)
        start = out;
    else if (str_is(type, "SYMBOL"))
        start = build_symbol(b, rule, out);
    else if (str_is(type, "STRING")) {
        const char *value = json_string_value(json_object_get(rule, "value"));
        start = value ? read_kind(b, value, false, out) : out;
    } else if (str_is(type, "SEQ"))
        start = build_members(b, json_object_get(rule, "members"), false, out);
    else if (str_is(type, "CHOICE"))
        start = build_members(b, json_object_get(rule, "members"), true, out);
    else if (str_is(type, "REPEAT"))
        start = build_repeat(b, content, true, out);
    else if (str_is(type, "REPEAT1"))
        start = build_repeat(b, content, false, out);
    else if (str_is(type, "ALIAS"))
        start = build_alias(b, rule, out);
    else if (str_is(type, "TOKEN") || str_is(type, "IMMEDIATE_TOKEN")) {
        while (str_starts(json_get_text(content, "type"), "PREC"))
            content = json_object_get(content, "content");
        if (str_is(json_get_text(content, "type"), "STRING")) start = build(b, content, out);
    } else if (content) /* FIELD, PREC and its kin, RESERVED */
        start = build(b, content, out);
    b->depth--;
    return start;
}

static bool build_body(Grammar *g, Body *body) {
    Builder b = { .g = g, .body = body };
    uint32_t accept = add_state(&b, (State){ OP_ACCEPT, 0, 0, 0 });
    body->start = accept;
    for (size_t i = 0; i < body->rules.len; i++) {
        uint32_t start = build(&b, body->rules.at[i], accept);
        body->start = i ? add_state(&b, (State){ OP_SPLIT, 0, start, body->start }) : start;
    }
    if (b.failed) vec_release(&body->states), vec_clear(&body->rules);
    return !b.failed;
}

/* ---- asking ---- */
/* Adds a state and all it reaches without reading; the states in *set past `from` are the work
 * list. */
static void reach(Grammar *g, const Body *body, uint32_t state) {
    size_t from = g->next.len;
    if (g->seen.at[state] == g->stamp) return;
    g->seen.at[state] = g->stamp;
    vec_push(&g->next, state);
    for (size_t i = from; i < g->next.len; i++) {
        const State *s = &body->states.at[g->next.at[i]];
        uint32_t to[2] = { s->out, s->op == OP_SPLIT ? s->other : s->out };
        if (s->op != OP_SPLIT && s->op != OP_ANY) continue;
        for (int k = 0; k < 2; k++) {
            if (g->seen.at[to[k]] == g->stamp) continue;
            g->seen.at[to[k]] = g->stamp;
            vec_push(&g->next, to[k]);
        }
    }
}

static void begin_step(Grammar *g) {
    vec_clear(&g->next);
    g->stamp++;
}

static void end_step(Grammar *g) {
    uint32_t *at = g->now.at;
    size_t cap = g->now.cap;
    g->now.at = g->next.at, g->now.len = g->next.len, g->now.cap = g->next.cap;
    g->next.at = at, g->next.len = 0, g->next.cap = cap;
}

static bool simulate(Grammar *g, const Body *body, const uint16_t *children, size_t n) {
    vec_reserve(&g->seen, body->states.len);
    memset(g->seen.at, 0, g->seen.cap * sizeof(uint32_t));
    g->stamp = 0;
    begin_step(g);
    reach(g, body, body->start);
    end_step(g);
    for (size_t c = 0; c < n && g->now.len; c++) {
        begin_step(g);
        for (size_t i = 0; i < g->now.len; i++) {
            uint32_t at = g->now.at[i];
            const State *s = &body->states.at[at];
            if (s->op == OP_READ && s->kind == children[c]) reach(g, body, s->out);
            if (s->op == OP_ANY) reach(g, body, at);
        }
        end_step(g);
    }
    for (size_t i = 0; i < g->now.len; i++)
        if (body->states.at[g->now.at[i]].op == OP_ACCEPT) return true;
    return false;
}

LangAnswer grammar_allows(Grammar *g, unsigned kind, const uint16_t *children, size_t n) {
    Body *body = &g->bodies[kind];
    if (!body->rules.len) return LANG_UNKNOWN;
    if (!body->states.len && !build_body(g, body)) return LANG_UNKNOWN;
    return simulate(g, body, children, n) ? LANG_YES : LANG_NO;
}
