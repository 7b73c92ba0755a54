/* The answer as data, and as JSON and Graphviz; explanation_print.c has the form for people. */
#include "explain/explanation.h"
#include "base/file.h"

void explanation_init(Explanation *e, const ChangeSet *set, const char *method) {
    *e = (Explanation){ .set = set, .method = method };
    e->root = ARENA_ARRAY(&e->arena, uint8_t, set->changes.len + 1);
    e->rest = ARENA_ARRAY(&e->arena, uint8_t, set->changes.len + 1);
    e->other = ARENA_ARRAY(&e->arena, uint8_t, set->changes.len + 1);
    e->beside = ARENA_ARRAY(&e->arena, size_t, set->changes.len + 1);
    e->narrowed = ARENA_ARRAY(&e->arena, uint8_t, set->changes.len + 1);
}

void explanation_release(Explanation *e) {
    for (size_t i = 0; i < e->nodes.len; i++) vec_release(&e->nodes.at[i].steps);
    vec_release(&e->nodes);
    vec_release(&e->notes);
    vec_release(&e->commits);
    vec_release(&e->subjects);
    arena_release(&e->arena);
}

void explanation_note(Explanation *e, const char *fmt, ...) {
    Buf text = { 0 };
    va_list args;
    va_start(args, fmt);
    buf_vfmt(&text, fmt, args);
    va_end(args);
    vec_push(&e->notes, arena_str(&e->arena, buf_view(&text)));
    buf_release(&text);
}

size_t explanation_count(const Explanation *e, const uint8_t *subset) {
    size_t n = 0;
    for (size_t i = 0; i < e->set->changes.len; i++) n += subset[i];
    return n;
}

static bool is_on_tree(const Explanation *e, size_t change) {
    for (size_t i = 0; i < e->nodes.len; i++)
        for (size_t k = 0; k < e->nodes.at[i].steps.len; k++)
            if (e->nodes.at[i].steps.at[k].change == change) return true;
    return false;
}

/* Per change, how certain the surest of all steps is to depend on it. */
static void find_surest(const Explanation *e, uint8_t *surest) {
    memset(surest, 0xff, e->set->changes.len + 1);
    for (size_t i = 0; i < e->nodes.len; i++)
        for (size_t k = 0; k < e->nodes.at[i].steps.len; k++) {
            const TreeStep *step = &e->nodes.at[i].steps.at[k];
            for (size_t m = 0; m < step->n_maybe; m++)
                if (step->maybe_tier[m] < surest[step->maybe[m]])
                    surest[step->maybe[m]] = step->maybe_tier[m];
        }
}

/* A step may depend on several changes: a root change among them is the one that counts, where no
 * other step of the tree is surer to depend on it. */
static bool holds_root(const Explanation *e, const uint8_t *surest, TreeStep *step) {
    if (step->change != NO_CHANGE && e->root[step->change]) return true;
    for (size_t i = 0; i < step->n_maybe; i++)
        if (e->root[step->maybe[i]] && step->maybe_tier[i] == surest[step->maybe[i]]) {
            step->change = step->maybe[i];
            return true;
        }
    return false;
}

/* A root change that no cause led to, found by reverting alone. */
static void add_tested(Explanation *e, size_t change) {
    ChangeSpan span = change_bad_span(e->set, change);
    bool in_good = span.len == 0;
    if (in_good) span = change_good_span(e->set, change);
    Str rest = in_good ? change_good_text(e->set, change) : change_bad_text(e->set, change),
        line = rest;
    if (rest.len) str_split(&rest, '\n', &line);
    ExplainNode node = { .parent = e->beside[change],
                         .edge = e->together ? STR("one of the changes that were reverted together")
                                             : STR("found by reverting"),
                         .edge_file = change_path(e->set, change),
                         .edge_line = (unsigned)span.line,
                         .mark = e->together ? MARK_SUSPECTED : MARK_TESTED };
    vec_push(&node.steps, (TreeStep){ .file = node.edge_file,
                                      .line = node.edge_line,
                                      .text = str_trim(line),
                                      .change = change,
                                      .in_good = in_good,
                                      .differs = true,
                                      .mark = node.mark });
    vec_push(&e->nodes, node);
}

void explanation_settle(Explanation *e) {
    /* What was reverted together and not told apart says nothing of one change. */
    bool tested = e->found && !e->together;
    if (!e->nodes.len) vec_push(&e->nodes, (ExplainNode){ .parent = NO_NODE, .mark = MARK_TESTED });
    uint8_t *surest = mem_alloc(e->set->changes.len + 1);
    find_surest(e, surest);
    for (size_t i = 0; i < e->nodes.len; i++) {
        ExplainNode *node = &e->nodes.at[i];
        for (size_t k = 0; k < node->steps.len; k++) {
            TreeStep *step = &node->steps.at[k];
            if (!holds_root(e, surest, step)) continue;
            node->has_root = true;
            if (step->mark == MARK_SUSPECTED && tested) step->mark = MARK_TESTED;
        }
        if (node->mark == MARK_SUSPECTED && node->has_root && tested) node->mark = MARK_TESTED;
    }
    for (size_t c = 0; e->found && c < e->set->changes.len; c++)
        if (e->root[c] && !is_on_tree(e, c)) add_tested(e, c);
    for (size_t i = 0; i < e->nodes.len; i++) {
        for (size_t k = 0; k < e->nodes.at[i].steps.len; k++)
            e->nodes.at[i].has_root |= holds_root(e, surest, &e->nodes.at[i].steps.at[k]);
        for (size_t up = i; e->nodes.at[i].has_root && up != NO_NODE; up = e->nodes.at[up].parent)
            e->nodes.at[up].kept = true;
    }
    e->nodes.at[0].kept = true;
    mem_free(surest);
}

/* ---- JSON ---- */

static const char *mark_name(Mark mark) {
    static const char *const names[] = { "proved", "tested", "suspected" };
    return names[mark];
}

static void put_text_if(json_t *object, const char *key, Str s) {
    if (s.len) json_put_text(object, key, s);
}

static json_t *change_id(const Explanation *e, size_t change) {
    (void)e;
    char id[32];
    snprintf(id, sizeof id, "c%zu", change + 1);
    return json_text(str_from(id));
}

static void put_marked(Buf *out, char mark, Str text) {
    Str rest = text, line;
    while (text.len && str_split(&rest, '\n', &line)) {
        if (!rest.at && !line.len) break;
        buf_fmt(out, "%c" STR_FMT "\n", mark, STR_ARG(line));
    }
}

/* What came with a change, as a hunk without context. */
static void put_hunk(Buf *out, const ChangeSet *set, size_t i) {
    ChangeSpan was = change_good_span(set, i), now = change_bad_span(set, i);
    buf_fmt(out, "@@ -%zu,%zu +%zu,%zu @@\n", was.line, was.len, now.line, now.len);
    put_marked(out, '-', change_good_text(set, i));
    put_marked(out, '+', change_bad_text(set, i));
}

static json_t *json_change(const Explanation *e, size_t i, const char *mark) {
    Arena scratch = { 0 };
    Buf diff = { 0 };
    json_t *object = json_object();
    put_hunk(&diff, e->set, i);
    json_put(object, "id", change_id(e, i));
    json_put_text(object, "file", change_path(e->set, i));
    json_put_text(object, "place", str_from(change_place(&scratch, e->set, i)));
    json_put_int(object, "old_line", (int64_t)change_good_span(e->set, i).line);
    json_put_int(object, "new_line", (int64_t)change_bad_span(e->set, i).line);
    json_put_text(object, "old", change_good_text(e->set, i));
    json_put_text(object, "new", change_bad_text(e->set, i));
    json_put_text(object, "diff", buf_view(&diff));
    json_put_text(object, "mark", str_from(mark));
    if (i < e->commits.len) put_text_if(object, "commit", e->commits.at[i]);
    if (i < e->subjects.len) put_text_if(object, "subject", e->subjects.at[i]);
    buf_release(&diff);
    arena_release(&scratch);
    return object;
}

static json_t *json_changes(const Explanation *e, const uint8_t *subset, const char *mark) {
    json_t *array = json_array();
    for (size_t i = 0; i < e->set->changes.len; i++)
        if (subset[i]) json_array_append_new(array, json_change(e, i, mark));
    return array;
}

static json_t *json_step(const Explanation *e, const TreeStep *step) {
    json_t *object = json_object();
    json_put_text(object, "file", step->file);
    json_put_int(object, "line", step->line);
    put_text_if(object, "function", step->function);
    put_text_if(object, "text", step->text);
    put_text_if(object, "what", step->what);
    put_text_if(object, "bad", step->now);
    put_text_if(object, "good", step->was);
    json_put_text(object, "mark", str_from(mark_name(step->mark)));
    json_put_text(object, "version", step->in_good ? STR("good") : STR("bad"));
    json_put_bool(object, "differs", step->differs);
    if (step->change != NO_CHANGE) json_put(object, "change", change_id(e, step->change));
    return object;
}

static json_t *json_node(const Explanation *e, size_t i) {
    const ExplainNode *node = &e->nodes.at[i];
    json_t *object = json_object(), *steps = json_array(), *changes = json_array();
    char text[64];
    snprintf(text, sizeof text, "n%zu", i);
    json_put_text(object, "id", str_from(text));
    json_put_text(object, "kind",
                  str_from(i == 0                           ? "failure"
                           : node->has_root && !e->together ? "root"
                                                            : "cause"));
    json_put_text(object, "mark", str_from(mark_name(node->mark)));
    json_put_text(object, "title", i == 0 ? e->failure : node->edge);
    Map seen = { 0 };
    for (size_t k = 0; k < node->steps.len; k++) {
        const TreeStep *step = &node->steps.at[k];
        json_array_append_new(steps, json_step(e, step));
        uint64_t id = step->change;
        if (step->change != NO_CHANGE && map_put(&seen, map_key_u64(&id), 1))
            json_array_append_new(changes, change_id(e, step->change));
    }
    map_release(&seen);
    json_put(object, "steps", steps);
    json_put(object, "changes", changes);
    return object;
}

static json_t *json_edge(const Explanation *e, size_t i) {
    const ExplainNode *node = &e->nodes.at[i];
    json_t *object = json_object();
    char text[64];
    snprintf(text, sizeof text, "n%zu", node->parent);
    json_put_text(object, "from", str_from(text));
    snprintf(text, sizeof text, "n%zu", i);
    json_put_text(object, "to", str_from(text));
    json_put_text(object, "predicate", node->edge);
    json_put_text(object, "file", node->edge_file);
    json_put_int(object, "line", node->edge_line);
    json_put_text(object, "kind", node->indirect ? STR("indirect") : STR("direct"));
    put_text_if(object, "bad", node->edge_now);
    put_text_if(object, "good", node->edge_was);
    return object;
}

static json_t *json_tree(const Explanation *e) {
    json_t *tree = json_object(), *nodes = json_array(), *edges = json_array();
    for (size_t i = 0; i < e->nodes.len; i++) {
        if (!e->nodes.at[i].kept) continue;
        json_array_append_new(nodes, json_node(e, i));
        if (e->nodes.at[i].parent != NO_NODE) json_array_append_new(edges, json_edge(e, i));
    }
    json_put(tree, "nodes", nodes);
    json_put(tree, "edges", edges);
    return tree;
}

/* An edge is a step without a text of its own. */
static json_t *json_edge_step(const ExplainNode *node) {
    json_t *object = json_object();
    json_put_text(object, "file", node->edge_file);
    json_put_int(object, "line", node->edge_line);
    json_put_text(object, "what", node->edge);
    put_text_if(object, "bad", node->edge_now);
    put_text_if(object, "good", node->edge_was);
    json_put_text(object, "version", STR("bad"));
    return object;
}

static json_t *json_chain(const Explanation *e) {
    json_t *array = json_array();
    ChainSteps chain = { 0 };
    if (e->found) explanation_chain(e, &chain);
    for (size_t i = 0; i < chain.len; i++) {
        const ChainStep *c = &chain.at[i];
        json_t *object = c->step ? json_step(e, c->step) : json_edge_step(c->node);
        json_put_int(object, "repeats", (int64_t)c->repeats);
        json_array_append_new(array, object);
    }
    vec_release(&chain);
    return array;
}

static void put_numbers(const Explanation *e, json_t *object) {
    json_put_int(object, "hunks", (int64_t)e->set->hunks);
    json_put_int(object, "changes", (int64_t)e->set->changes.len);
    json_put_int(object, "builds", (int64_t)e->builds);
    json_put_int(object, "tests", (int64_t)e->tests);
    json_put_int(object, "known", (int64_t)e->known);
    json_put_int(object, "direct", (int64_t)e->direct);
    json_put_int(object, "refused", (int64_t)e->refused);
    json_put_int(object, "causes", (int64_t)e->causes);
    json_put_int(object, "cores", (int64_t)e->cores);
    json_put_int(object, "cores_checked", (int64_t)e->checked);
    json_put_int(object, "diverged", (int64_t)e->diverged);
    json_put_real(object, "seconds", e->seconds);
    json_put_real(object, "solver_seconds", e->solver_s);
    json_put_real(object, "cpu_seconds", e->cpu_s);
}

static json_t *json_history(const ExplainHistory *h) {
    json_t *object = json_object();
    json_put_bool(object, "found", h->found);
    json_put_text(object, "commit", h->commit);
    json_put_text(object, "parent", h->parent);
    json_put_text(object, "subject", h->subject);
    json_put_int(object, "commits", (int64_t)h->commits);
    json_put_int(object, "left", (int64_t)h->left);
    json_put_int(object, "builds", (int64_t)h->builds);
    json_put_int(object, "skipped", (int64_t)h->skipped);
    return object;
}

json_t *explanation_json(const Explanation *e) {
    json_t *object = json_object(), *failure = json_object(), *notes = json_array();
    json_put_text(object, "method", str_from(e->method));
    json_put_text(object, "good", str_from(e->good));
    json_put_text(object, "bad", str_from(e->bad));
    json_put_text(object, "test", str_from(e->test));
    json_put_text(object, "outcome",
                  str_from(!e->found   ? "not found"
                           : e->dodges ? "dodges"
                                       : "found"));
    json_put_bool(object, "found", e->found);
    json_put_bool(object, "together", e->together);
    json_put_bool(object, "complete", e->complete);
    json_put_bool(object, "verified", e->verified);
    json_put_bool(object, "dodges", e->dodges);
    json_put_bool(object, "traced", e->traced);
    json_put_text(failure, "text", e->failure);
    put_text_if(failure, "file", e->failure_file);
    if (e->failure_line) json_put_int(failure, "line", e->failure_line);
    json_put(object, "failure", failure);
    for (size_t i = 0; i < e->notes.len; i++)
        json_array_append_new(notes, json_text(e->notes.at[i]));
    json_put(object, "notes", notes);
    if (e->history.known) json_put(object, "history", json_history(&e->history));
    json_put(object, "narrowed", json_changes(e, e->narrowed, "tested"));
    json_put(object, "roots", json_changes(e, e->root, e->found ? "tested" : "suspected"));
    json_put(object, "auxiliary", json_changes(e, e->rest, e->found ? "tested" : "suspected"));
    json_put(object, "alternatives", json_changes(e, e->other, "tested"));
    json_put(object, "tree", json_tree(e));
    json_put(object, "chain", json_chain(e));
    put_numbers(e, object);
    uint8_t *all = mem_alloc(e->set->changes.len + 1);
    for (size_t i = 0; i < e->set->changes.len; i++) all[i] = e->root[i] || e->rest[i];
    Buf patch = { 0 };
    changeset_patch(e->set, all, &patch);
    json_put_text(object, "patch", buf_view(&patch));
    buf_release(&patch);
    mem_free(all);
    return object;
}

/* ---- Graphviz ---- */

static void dot_text(Buf *out, Str s) {
    for (size_t i = 0; i < s.len; i++) {
        if (s.at[i] == '"' || s.at[i] == '\\') buf_char(out, '\\');
        if (s.at[i] == '\n')
            buf_text(out, "\\l");
        else if ((unsigned char)s.at[i] >= ' ')
            buf_char(out, s.at[i]);
    }
}

static void dot_step(Buf *out, const TreeStep *step) {
    buf_text(out, "\\l");
    dot_text(out, step->file);
    buf_fmt(out, ":%u  ", step->line);
    dot_text(out, str_sub(step->text, 0, 60));
    if (step->now.len) {
        buf_text(out, "   now ");
        dot_text(out, step->now);
    }
    if (step->was.len) {
        buf_text(out, ", was ");
        dot_text(out, step->was);
    }
    if (step->change != NO_CHANGE) buf_fmt(out, "   [c%zu]", step->change + 1);
}

void explanation_dot(const Explanation *e, Buf *out) {
    buf_text(out, "digraph explanation {\n  node [shape=box, fontname=monospace];\n");
    for (size_t i = 0; i < e->nodes.len; i++) {
        const ExplainNode *node = &e->nodes.at[i];
        if (!node->kept) continue;
        buf_fmt(out, "  n%zu [label=\"%s: ", i, mark_name(node->mark));
        dot_text(out, i == 0 ? e->failure : node->edge);
        for (size_t k = 0; k < node->steps.len; k++) dot_step(out, &node->steps.at[k]);
        buf_fmt(out, "\\l\"%s];\n", node->has_root ? ", penwidth=2" : "");
        if (node->parent == NO_NODE) continue;
        buf_fmt(out, "  n%zu -> n%zu [label=\"", node->parent, i);
        dot_text(out, node->edge_file);
        buf_fmt(out, ":%u\"%s];\n", node->edge_line, node->indirect ? ", style=dashed" : "");
    }
    buf_text(out, "}\n");
}

bool explanation_write(const Explanation *e, const char *dir, Error *err) {
    Arena scratch = { 0 };
    Buf text = { 0 };
    uint8_t *all = ARENA_ARRAY(&scratch, uint8_t, e->set->changes.len + 1);
    for (size_t i = 0; i < e->set->changes.len; i++) all[i] = e->root[i] || e->rest[i];
    changeset_patch(e->set, all, &text);
    bool ok = file_make_dirs(dir, err) &&
              file_save(file_join(&scratch, dir, "revert.patch"), buf_view(&text), err);
    buf_clear(&text);
    json_t *json = explanation_json(e);
    json_dump_buf(json, true, &text);
    json_decref(json);
    ok = ok && file_save(file_join(&scratch, dir, "explanation.json"), buf_view(&text), err);
    buf_clear(&text);
    explanation_dot(e, &text);
    ok = ok && file_save(file_join(&scratch, dir, "tree.dot"), buf_view(&text), err);
    buf_release(&text);
    arena_release(&scratch);
    return ok;
}
