/* LLVM IR: a value gives way to a constant or to one of its operands, and its instruction goes; a
 * parameter goes with the arguments for it, a result with the values returned, and a function keeps
 * only its head. As llvm-reduce does it, but written as text: no library of the right version is
 * needed, and a module that does not verify is reduced as well. */
#include "reduce/find/finders.h"
#include "reduce/find/ir.h"

/* Everything that uses the value gets the text; the instruction goes. */
static void add_value(const Ir *ir, uint32_t instruction, Str text) {
    DocEdits edits = { 0 };
    sets_drop_node(ir->doc, instruction, &edits);
    ir_replace(ir, ir_function(ir, instruction), ir_name(ir, instruction), instruction, text,
               &edits);
    sets_add(ir->target, ir->out, &edits);
    vec_release(&edits);
}

static bool has_value(const Ir *ir, uint32_t node) {
    return doc_is_kind(ir->doc, node, "instruction") && ir_name(ir, node).len &&
           ir_body(ir, node) && ir_function(ir, node);
}

void find_ir_zeros(const Target *t, const Shapes *shapes, EditSets *out) {
    Ir ir;
    if (!ir_init(&ir, t, shapes, out)) return;
    out->together = true;
    for (uint32_t n = 1; n < ir.doc->tree.nodes.len; n++)
        if (has_value(&ir, n)) add_value(&ir, n, ir_zero(ir_type(&ir, n)));
    ir_release(&ir);
}

void find_ir_poisons(const Target *t, const Shapes *shapes, EditSets *out) {
    Ir ir;
    if (!ir_init(&ir, t, shapes, out)) return;
    out->together = true;
    for (uint32_t n = 1; n < ir.doc->tree.nodes.len; n++)
        if (has_value(&ir, n)) add_value(&ir, n, STR("poison"));
    ir_release(&ir);
}

/* ---- operands ---- */
/* Whether the operands of an instruction have the type of its value. */
static bool passes_on(const Doc *doc, uint32_t body) {
    static const char *const kinds[] = { "instruction_bin_op", "instruction_select",
                                         "instruction_phi", "instruction_freeze",
                                         "instruction_fneg" };
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (doc_is_kind(doc, body, kinds[i])) return true;
    return false;
}

/* A condition is no value of its select. */
static bool is_condition(const Ir *ir, uint32_t body, uint32_t child) {
    return doc_is_kind(ir->doc, body, "instruction_select") &&
           child == doc_child(ir->doc, body, "type_and_value");
}

void find_ir_operands(const Target *t, const Shapes *shapes, EditSets *out) {
    Ir ir;
    if (!ir_init(&ir, t, shapes, out)) return;
    const Tree *tree = &ir.doc->tree;
    for (uint32_t n = 1; n < tree->nodes.len; n++) {
        uint32_t body = has_value(&ir, n) ? ir_body(&ir, n) : 0;
        if (!body || !passes_on(ir.doc, body)) continue;
        for (uint32_t c = tree_first_child(tree, body); c; c = tree_next_child(tree, body, c)) {
            uint32_t value = doc_is_kind(ir.doc, c, "type_and_value")
                                 ? doc_child(ir.doc, c, "value")
                                 : (doc_is_kind(ir.doc, c, "value") ? c : 0);
            Str text = value ? tree_node_text(tree, value) : (Str){ 0 };
            if (text.len && !is_condition(&ir, body, c) && !str_eq(text, ir_name(&ir, n)))
                add_value(&ir, n, text);
        }
    }
    ir_release(&ir);
}

/* ---- parameters and results ---- */
static uint32_t nth_argument(const Ir *ir, uint32_t list, size_t number) {
    const Tree *t = &ir->doc->tree;
    for (uint32_t c = list ? tree_first_child(t, list) : 0; c; c = tree_next_child(t, list, c))
        if (doc_is_kind(ir->doc, c, "argument") && number-- == 0) return c;
    return 0;
}

/* The call of which this token is the function; 0: it is mentioned otherwise. */
static uint32_t call_of(const Ir *ir, uint32_t token) {
    uint32_t n = ir->doc->tree.tokens.at[token].node;
    while (n && ir_node(ir, n)->token == token && ir_node(ir, n)->token_end == token + 1)
        n = ir_node(ir, n)->parent;
    bool call = doc_is_kind(ir->doc, n, "instruction_call") ||
                doc_is_kind(ir->doc, n, "instruction_invoke");
    return call ? n : 0;
}

static uint32_t name_of_header(const Ir *ir, uint32_t header) {
    uint32_t name = doc_child(ir->doc, header, "global_var");
    return name ? ir_node(ir, name)->token : UINT32_MAX;
}

/* A parameter, what uses it, and the arguments for it. */
static void add_parameter(const Ir *ir, uint32_t header, size_t number, uint32_t parameter) {
    const Tree *t = &ir->doc->tree;
    DocEdits edits = { 0 };
    bool ok = sets_drop_around(ir->doc, ir->shapes, parameter, &edits);
    uint32_t function = ir_node(ir, header)->parent, last = ir_node(ir, parameter)->token_end - 1;
    uint32_t type = doc_child(ir->doc, parameter, "type");
    if (doc_is_kind(ir->doc, function, "fn_define") && type && ir_token(ir, last).at[0] == '%')
        ir_replace(ir, function, ir_token(ir, last), parameter, ir_zero(tree_node_text(t, type)),
                   &edits);
    EACH_TOKEN_LIKE(i, &ir->index, ir_token(ir, name_of_header(ir, header))) {
        uint32_t call = call_of(ir, i);
        uint32_t list = call ? doc_child(ir->doc, call, "argument_list") : 0;
        uint32_t argument = nth_argument(ir, list, number);
        ok = ok && (!argument || sets_drop_around(ir->doc, ir->shapes, argument, &edits));
    }
    if (ok) sets_add(ir->target, ir->out, &edits);
    vec_release(&edits);
}

void find_ir_parameters(const Target *t, const Shapes *shapes, EditSets *out) {
    Ir ir;
    if (!ir_init(&ir, t, shapes, out)) return;
    for (uint32_t n = 1; n < ir.doc->tree.nodes.len; n++) {
        if (!doc_is_kind(ir.doc, n, "function_header")) continue;
        if (name_of_header(&ir, n) == UINT32_MAX) continue;
        uint32_t list = doc_child(ir.doc, n, "argument_list"), parameter;
        for (size_t k = 0; (parameter = nth_argument(&ir, list, k)); k++)
            add_parameter(&ir, n, k, parameter);
    }
    ir_release(&ir);
}

static void put_void(const Ir *ir, uint32_t type, DocEdits *edits) {
    const TreeNode *n = ir_node(ir, type);
    for (uint32_t i = n->token + 1; i < n->token_end; i++) ir_drop(edits, i);
    ir_put(edits, n->token, STR("void"));
}

/* `ret T v` becomes `ret void`. */
static void void_returns(const Ir *ir, uint32_t function, DocEdits *edits) {
    const Tree *t = &ir->doc->tree;
    for (uint32_t n = function; n < function + t->nodes.at[function].size; n++) {
        uint32_t ret = doc_is_kind(ir->doc, n, "instruction_ret") ? n : 0;
        uint32_t value = ret ? doc_child(ir->doc, ret, "type_and_value") : 0;
        if (value) put_void(ir, value, edits);
    }
}

static void void_calls(const Ir *ir, Str name, DocEdits *edits) {
    EACH_TOKEN_LIKE(i, &ir->index, name) {
        uint32_t call = call_of(ir, i), type = call ? doc_child(ir->doc, call, "type") : 0;
        uint32_t instruction = call ? ir_instruction(ir, call) : 0;
        if (!type || !instruction) continue;
        Str value = ir_name(ir, instruction);
        if (value.len) {
            uint32_t first = ir_node(ir, instruction)->token;
            ir_replace(ir, ir_function(ir, instruction), value, instruction,
                       ir_zero(ir_type(ir, instruction)), edits);
            ir_drop(edits, first), ir_drop(edits, first + 1); /* `%x =` */
        }
        put_void(ir, type, edits);
    }
}

void find_ir_results(const Target *t, const Shapes *shapes, EditSets *out) {
    Ir ir;
    if (!ir_init(&ir, t, shapes, out)) return;
    for (uint32_t n = 1; n < ir.doc->tree.nodes.len; n++) {
        uint32_t type =
            doc_is_kind(ir.doc, n, "function_header") ? doc_child(ir.doc, n, "type") : 0;
        if (!type || str_is(tree_node_text(&ir.doc->tree, type), "void")) continue;
        if (name_of_header(&ir, n) == UINT32_MAX) continue;
        DocEdits edits = { 0 };
        put_void(&ir, type, &edits);
        if (doc_is_kind(ir.doc, ir_node(&ir, n)->parent, "fn_define"))
            void_returns(&ir, ir_node(&ir, n)->parent, &edits);
        void_calls(&ir, ir_token(&ir, name_of_header(&ir, n)), &edits);
        sets_add(t, out, &edits);
        vec_release(&edits);
    }
    ir_release(&ir);
}

/* ---- bodies ---- */
/* Only declared: without its body and what says how it is linked. */
void find_ir_declares(const Target *t, const Shapes *shapes, EditSets *out) {
    Ir ir;
    if (!ir_init(&ir, t, shapes, out)) return;
    const Tree *tree = &ir.doc->tree;
    out->together = true;
    for (uint32_t n = 1; n < tree->nodes.len; n++) {
        uint32_t body =
            doc_is_kind(ir.doc, n, "fn_define") ? doc_child(ir.doc, n, "function_body") : 0;
        uint32_t header = body ? doc_child(ir.doc, n, "function_header") : 0;
        if (!header) continue;
        DocEdits edits = { 0 };
        ir_put(&edits, tree->nodes.at[n].token, STR("declare"));
        sets_drop_node(ir.doc, body, &edits);
        for (uint32_t c = tree_first_child(tree, header); c; c = tree_next_child(tree, header, c))
            if (doc_is_kind(ir.doc, c, "linkage")) sets_drop_node(ir.doc, c, &edits);
        sets_add(t, out, &edits);
        vec_release(&edits);
    }
    ir_release(&ir);
}
