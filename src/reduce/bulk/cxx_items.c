/* See cxx_items.h. */
#include "reduce/bulk/cxx_items.h"
#include "tree/words.h"

/* ---- the tree ---- */
static const char *kind_of(const CxxItems *it, uint32_t node) {
    const Tree *t = &it->doc->tree;
    return lang_kind_name(t->lang, t->nodes.at[node].kind);
}

static bool kind_is(const CxxItems *it, uint32_t node, const char *kind) {
    return strcmp(kind_of(it, node), kind) == 0;
}

static uint32_t last_intro(const CxxItems *it, uint32_t token) {
    uint64_t last = 0;
    map_get(&it->by_word, tree_token_text(&it->doc->tree, token), &last);
    return (uint32_t)last;
}

static bool is_shell_name(const CxxItems *it, uint32_t token) {
    for (uint32_t n = last_intro(it, token); n; n = it->intros.at[n - 1].earlier)
        if (it->list.at[it->intros.at[n - 1].item].is_shell) return true;
    return false;
}

/* ---- what an item introduces ---- */
static void add_intro(CxxItems *it, uint32_t item, uint32_t token) {
    uint64_t *last = map_at(&it->by_word, tree_token_text(&it->doc->tree, token));
    if (!it->list.at[item].name) it->list.at[item].name = token + 1;
    if (*last && it->intros.at[*last - 1].item == item) return;
    vec_push(&it->intros, ((CxxIntro){ item, (uint32_t)*last }));
    *last = it->intros.len;
}

static void set_head(CxxItems *it, uint32_t item, uint32_t node) {
    CxxItem *i = &it->list.at[item];
    if (!node || i->head_end) return;
    i->head = it->doc->tree.nodes.at[node].token;
    i->head_end = it->doc->tree.nodes.at[node].token_end;
}

static void introduce(CxxItems *it, uint32_t item, uint32_t node);

static void introduce_as(CxxItems *it, uint32_t item, uint32_t node, const char *role) {
    uint32_t child = doc_child_as(it->doc, node, role);
    if (child) introduce(it, item, child);
}

/* `int a, *b[2];`, and the type before them where it is defined there. */
static void introduce_declared(CxxItems *it, uint32_t item, uint32_t node) {
    const Tree *t = &it->doc->tree;
    unsigned field = lang_field(t->lang, "declarator");
    uint32_t type = doc_child_as(it->doc, node, "type");
    if (type && doc_child_as(it->doc, type, "body")) introduce(it, item, type);
    for (uint32_t c = tree_first_child(t, node); c; c = tree_next_child(t, node, c))
        if (t->nodes.at[c].field == field) introduce(it, item, c);
}

/* Of a declarator the part that is declared: in a field of that name, or (of brackets and
 * references) its one named child. */
static void introduce_inner(CxxItems *it, uint32_t item, uint32_t node) {
    const Tree *t = &it->doc->tree;
    uint32_t inner = doc_child_as(it->doc, node, "declarator");
    if (kind_is(it, node, "function_declarator"))
        set_head(it, item, doc_child_as(it->doc, node, "parameters"));
    for (uint32_t c = tree_first_child(t, node); c && !inner; c = tree_next_child(t, node, c))
        if ((t->nodes.at[c].flags & NODE_NAMED) && !t->nodes.at[c].field) inner = c;
    if (inner) introduce(it, item, inner);
}

static void introduce_children(CxxItems *it, uint32_t item, uint32_t node) {
    const Tree *t = &it->doc->tree;
    for (uint32_t c = tree_first_child(t, node); c; c = tree_next_child(t, node, c))
        if (!kind_is(it, c, "template_parameter_list")) introduce(it, item, c);
}

static bool is_one_of(const char *kind, const char *const *kinds) {
    for (; *kinds; kinds++)
        if (strcmp(kind, *kinds) == 0) return true;
    return false;
}

/* `N::f` of a namespace is f; `C::f` of a class goes with C. */
static void introduce_qualified(CxxItems *it, uint32_t item, uint32_t node) {
    uint32_t scope = doc_child_as(it->doc, node, "scope"), name = 0;
    if (scope && kind_is(it, scope, "template_type")) name = doc_child_as(it->doc, scope, "name");
    uint32_t token = it->doc->tree.nodes.at[name ? name : scope].token;
    if (!scope || is_shell_name(it, token))
        introduce_as(it, item, node, "name");
    else
        add_intro(it, item, token);
}

static void introduce(CxxItems *it, uint32_t item, uint32_t node) {
    static const char *const wrappers[] = { "template_declaration", "linkage_specification",
                                            "enumerator_list",      "using_declaration",
                                            "destructor_name",      NULL };
    static const char *const declaring[] = { "declaration", "function_definition",
                                             "type_definition", NULL };
    static const char *const named[] = { "class_specifier",      "struct_specifier",
                                         "union_specifier",      "enum_specifier",
                                         "alias_declaration",    "concept_definition",
                                         "enumerator",           "namespace_alias_definition",
                                         "template_type",        "template_function",
                                         "qualified_identifier", NULL };
    const char *kind = kind_of(it, node);
    const TreeNode *n = &it->doc->tree.nodes.at[node];
    bool word = strstr(kind, "identifier") || strcmp(kind, "primitive_type") == 0; /* size_t */
    if (word && n->size == 1 && n->token < n->token_end)
        add_intro(it, item, n->token);
    else if (strcmp(kind, "operator_name") == 0)
        add_intro(it, item, n->token_end - 1); /* the sign: who uses it mentions it */
    else if (is_one_of(kind, wrappers))
        introduce_children(it, item, node);
    else if (is_one_of(kind, declaring))
        introduce_declared(it, item, node);
    else if (strstr(kind, "_declarator"))
        introduce_inner(it, item, node);
    else if (strcmp(kind, "qualified_identifier") == 0)
        introduce_qualified(it, item, node);
    else if (is_one_of(kind, named))
        introduce_as(it, item, node, "name");
    if (strcmp(kind, "template_type") == 0)
        set_head(it, item, doc_child_as(it->doc, node, "arguments"));
    if (strcmp(kind, "enum_specifier") == 0) introduce_as(it, item, node, "body");
}

/* ---- the items ---- */
static uint32_t add_item(CxxItems *it, uint32_t node, uint32_t shell) {
    const TreeNode *n = &it->doc->tree.nodes.at[node];
    uint32_t item = (uint32_t)it->list.len;
    vec_push(&it->list,
             ((CxxItem){ .token = n->token, .token_end = n->token_end, .shell = shell }));
    for (uint32_t i = n->token; i < n->token_end; i++) it->of[i] = item + 1;
    return item;
}

/* Directives, and whole namespaces that are opened. */
static bool is_fixed(const CxxItems *it, uint32_t node) {
    return strncmp(kind_of(it, node), "preproc_", 8) == 0 ||
           (kind_is(it, node, "using_declaration") && doc_child(it->doc, node, "namespace"));
}

/* A namespace: its name is introduced once, whatever it holds. */
static void name_shell(CxxItems *it, uint32_t item, uint32_t node) {
    uint32_t name = doc_child_as(it->doc, node, "name");
    uint32_t token = name ? it->doc->tree.nodes.at[name].token_end - 1 : 0;
    if (!name) return;
    it->list.at[item].name = token + 1;
    for (uint32_t n = last_intro(it, token); n; n = it->intros.at[n - 1].earlier)
        if (it->list.at[it->intros.at[n - 1].item].is_shell) return;
    add_intro(it, item, token);
}

/* Opened less closed braces. */
static int depth_of(const CxxItems *it, uint32_t token, uint32_t end) {
    int depth = 0;
    for (; token < end; token++) {
        Str text = tree_token_text(&it->doc->tree, token);
        depth += str_is(text, "{");
        depth -= str_is(text, "}");
    }
    return depth;
}

/* Whether the node goes on with what item `last` - 1 began: the `;` after a class, or whatever
 * follows where the grammar has cut a declaration into pieces. */
static bool goes_on(const CxxItems *it, uint32_t last, uint32_t node) {
    const Tree *t = &it->doc->tree;
    const TreeNode *n = &t->nodes.at[node];
    if (!last || n->token == n->token_end || it->list.at[last - 1].fixed) return false;
    if (n->token_end == n->token + 1 && str_is(tree_token_text(t, n->token), ";")) return true;
    const CxxItem *i = &it->list.at[last - 1];
    if (!i->is_shell && depth_of(it, i->token, i->token_end) > 0) return true;
    char end = tree_token_text(t, i->token_end - 1).at[0];
    return end != ';' && end != '}' && (n->flags & NODE_NAMED);
}

static void go_on(CxxItems *it, uint32_t item, uint32_t node) {
    const TreeNode *n = &it->doc->tree.nodes.at[node];
    for (uint32_t i = it->list.at[item].token_end; i < n->token_end; i++) it->of[i] = item + 1;
    it->list.at[item].token_end = n->token_end;
    introduce(it, item, node);
}

/* What the grammar makes nothing of introduces its last word: `extern __typeof(f) g;`. */
static void introduce_last(CxxItems *it, uint32_t item) {
    const Tree *t = &it->doc->tree;
    const CxxItem *i = &it->list.at[item];
    for (uint32_t k = i->token_end; k-- > i->token;) {
        if (!strstr(kind_of(it, t->tokens.at[k].node), "identifier")) continue;
        bool value = k > i->token && str_is(tree_token_text(t, k - 1), "=");
        if (!i->name || (k + 2 == i->token_end && !value)) add_intro(it, item, k);
        return;
    }
}

static void list_items(CxxItems *it, uint32_t parent, uint32_t shell) {
    const Tree *t = &it->doc->tree;
    uint32_t last = 0; /* the item before, + 1 */
    for (uint32_t c = tree_first_child(t, parent); c; c = tree_next_child(t, parent, c)) {
        const TreeNode *n = &t->nodes.at[c];
        bool named = n->flags & NODE_NAMED;
        uint32_t body = named ? doc_child(it->doc, c, "declaration_list") : 0;
        if (goes_on(it, last, c)) {
            go_on(it, last - 1, c);
            continue;
        }
        if (!named || n->token == n->token_end) continue;
        if (!body && depth_of(it, n->token, n->token_end) < 0) continue; /* a shell's own end */
        uint32_t item = add_item(it, c, shell);
        last = item + 1;
        it->list.at[item].is_shell = body != 0;
        it->list.at[item].fixed = is_fixed(it, c);
        if (body) {
            name_shell(it, item, c);
            list_items(it, body, item + 1);
        } else {
            introduce(it, item, c);
        }
    }
}

void cxx_items_init(CxxItems *it, const Doc *doc) {
    *it = (CxxItems){ .doc = doc };
    it->of = mem_alloc((doc->tree.tokens.len + 1) * sizeof *it->of);
    list_items(it, 0, 0);
    for (uint32_t i = 0; i < it->list.len; i++)
        if (!it->list.at[i].is_shell) introduce_last(it, i);
    it->needed = mem_alloc(it->list.len + 1);
    it->waits = mem_alloc(it->list.len + 1);
}

void cxx_items_release(CxxItems *it) {
    vec_release(&it->list);
    vec_release(&it->intros);
    vec_release(&it->todo);
    map_release(&it->by_word);
    mem_free(it->of);
    mem_free(it->needed);
    mem_free(it->waits);
}

Str cxx_items_text(const CxxItems *it, uint32_t item) {
    const TreeToken *tokens = it->doc->tree.tokens.at;
    const CxxItem *i = &it->list.at[item];
    return str_sub(it->doc->tree.text, tokens[i->token].start, tokens[i->token_end - 1].end);
}

/* ---- who needs what ---- */
static bool any_needed(const CxxItems *it, uint32_t intro) {
    for (; intro; intro = it->intros.at[intro - 1].earlier)
        if (it->needed[it->intros.at[intro - 1].item]) return true;
    return false;
}

/* Whether it is one of several with its name, and a type in its head is needed by nobody yet. */
static bool must_wait(const CxxItems *it, uint32_t item) {
    const CxxItem *i = &it->list.at[item];
    uint32_t own = i->name && i->head_end ? last_intro(it, i->name - 1) : 0;
    if (!own || !it->intros.at[own - 1].earlier) return false;
    for (uint32_t k = i->head; k < i->head_end; k++) {
        uint32_t intro = last_intro(it, k);
        if (intro && intro != own &&
            kind_is(it, it->doc->tree.tokens.at[k].node, "type_identifier") &&
            !any_needed(it, intro))
            return true;
    }
    return false;
}

/* The first namespace with the name of this one. */
static uint32_t first_shell(const CxxItems *it, uint32_t shell) {
    const CxxItem *s = &it->list.at[shell];
    for (uint32_t n = s->name ? last_intro(it, s->name - 1) : 0; n;
         n = it->intros.at[n - 1].earlier)
        if (it->list.at[it->intros.at[n - 1].item].is_shell) return it->intros.at[n - 1].item;
    return shell;
}

void cxx_items_need(CxxItems *it, uint32_t item) {
    if (it->needed[item]) return;
    vec_push(&it->todo, item);
    for (uint32_t i = item + 1; i && !it->needed[i - 1]; i = it->list.at[i - 1].shell) {
        it->needed[i - 1] = 1;
        if (it->list.at[i - 1].is_shell) cxx_items_need(it, first_shell(it, i - 1));
    }
}

/* Whether the word at this token is that of a member: of an object, or of a class. */
static bool is_member(const CxxItems *it, uint32_t token) {
    const Tree *t = &it->doc->tree;
    Str before = token ? tree_token_text(t, token - 1) : (Str){ 0 };
    if (str_is(before, ".") || str_is(before, "->")) return true;
    if (str_is(before, "::") && token > 1) {
        Str scope = tree_token_text(t, token - 2);
        if (str_is(scope, ">") || words_is_letter(scope.at[0]))
            return !is_shell_name(it, token - 2);
    }
    uint32_t leaf = t->tokens.at[token].node;
    if (kind_is(it, leaf, "field_identifier")) return true;
    /* nor is the end of a template's list an operator */
    const char *in = kind_of(it, t->nodes.at[leaf].parent);
    return strncmp(in, "template_", 9) == 0 && strstr(in, "_list") &&
           !words_is_letter(tree_token_text(t, token).at[0]);
}

static void need_words(CxxItems *it) {
    while (it->todo.len) {
        const CxxItem *i = &it->list.at[vec_pop(&it->todo)];
        for (uint32_t k = i->token; k < i->token_end && !i->is_shell; k++) {
            uint32_t n = it->doc->alive[k] ? last_intro(it, k) : 0;
            if (n && is_member(it, k)) n = 0;
            for (; n; n = it->intros.at[n - 1].earlier) {
                uint32_t other = it->intros.at[n - 1].item;
                if (it->needed[other]) continue;
                it->waits[other] = must_wait(it, other);
                if (!it->waits[other]) cxx_items_need(it, other);
            }
        }
    }
}

/* Those that wait for nothing any more. */
static bool release_waiting(CxxItems *it) {
    bool any = false;
    for (uint32_t i = 0; i < it->list.len; i++) {
        if (!it->waits[i] || it->needed[i] || must_wait(it, i)) continue;
        cxx_items_need(it, i);
        any = true;
    }
    return any;
}

void cxx_items_settle(CxxItems *it) {
    do need_words(it);
    while (release_waiting(it));
}
