/* A layered drawing. A node's layer is the length of the longest path to it from the failure; nodes
 * of a layer are ordered by the mean position of what they explain; each is a box of text lines
 * whose height follows from its content. Text in SVG does not wrap, so lines are cut to the box
 * (the whole text is the box's title). Cycles, unknown ids and nodes that nothing leads to are
 * drawn as well. */
#include "report/cause_tree.h"

#include "report/html.h"

enum {
    NODES_MOST = 200,
    STEPS_MOST = 6, /* shown of one node */
    BOX_WIDTH = 372,
    BOX_CHARS = 48, /* of the monospaced font that fit */
    TITLE_CHARS = 46,
    LINE = 17, /* height of a line */
    PAD = 12,
    GAP_X = 36,
    GAP_Y = 40, /* between layers, besides the labels of edges */
    LABEL = 36, /* height of a label; those of edges to one node are stacked above it */
    MARGIN = 14,
};

typedef struct CauseNode {
    const json_t *json;
    Str id;
    unsigned layer;
    double wish; /* mean middle of the nodes that lead to it */
    double x, y; /* upper left corner */
    double height;
    unsigned labels; /* of edges that lead to it */
    unsigned drawn;  /* of them so far */
} CauseNode;

typedef struct Drawing {
    CauseNode *nodes;
    size_t n;
    const json_t *edges;
    double width, height;
} Drawing;

static CauseNode *find(Drawing *d, Str id) {
    for (size_t i = 0; i < d->n; i++)
        if (str_eq(d->nodes[i].id, id)) return &d->nodes[i];
    return NULL;
}

static size_t steps_of(const json_t *node) {
    return json_array_size(json_object_get(node, "steps"));
}

/* Which steps the box has room for, in order: if there are many, those where the two runs differ
 * come first. */
static size_t chosen_steps(const json_t *node, json_t *chosen[STEPS_MOST]) {
    json_t *steps = json_object_get(node, "steps"), *step;
    size_t all = json_array_size(steps), differ = 0, n = 0, i;
    json_array_foreach(steps, i, step) {
        differ += !str_eq(json_get_text(step, "bad"), json_get_text(step, "good"));
    }
    size_t same = differ < STEPS_MOST ? STEPS_MOST - differ : 0; /* room left for the others */
    json_array_foreach(steps, i, step) {
        bool differs = !str_eq(json_get_text(step, "bad"), json_get_text(step, "good"));
        if (n == STEPS_MOST || (all > STEPS_MOST && !differs && !same)) continue;
        if (!differs && same) same--;
        chosen[n++] = step;
    }
    return n;
}

/* Lines of text in the box: the title, then for each step its place and source and its values. */
static double height_of(const json_t *node) {
    json_t *chosen[STEPS_MOST];
    size_t lines = 2, n = chosen_steps(node, chosen);
    for (size_t i = 0; i < n; i++)
        lines += 2 + (json_get_text(chosen[i], "bad").len || json_get_text(chosen[i], "good").len);
    if (steps_of(node) > STEPS_MOST) lines++;
    return (double)(lines * LINE + 2 * PAD);
}

/* ---- layers ---- */

static void find_layers(Drawing *d) {
    size_t i;
    json_t *edge;
    /* relaxing n times is enough without cycles, and ends with them */
    for (size_t round = 0; round < d->n; round++) {
        bool moved = false;
        json_array_foreach(d->edges, i, edge) {
            CauseNode *from = find(d, json_get_text(edge, "from")),
                      *to = find(d, json_get_text(edge, "to"));
            if (!from || !to || from == to || to->layer >= from->layer + 1 ||
                from->layer + 1 >= d->n)
                continue;
            to->layer = from->layer + 1;
            moved = true;
        }
        if (!moved) break;
    }
}

static void find_wish(Drawing *d, CauseNode *node) {
    size_t i, n = 0;
    json_t *edge;
    double sum = 0;
    json_array_foreach(d->edges, i, edge) {
        CauseNode *from = find(d, json_get_text(edge, "from"));
        if (from && from->layer < node->layer && str_eq(json_get_text(edge, "to"), node->id))
            sum += from->x + BOX_WIDTH / 2.0, n++;
    }
    node->wish = n ? sum / (double)n : 0;
}

static int by_wish(const void *a, const void *b) {
    const CauseNode *x = *(const CauseNode *const *)a, *y = *(const CauseNode *const *)b;
    return x->wish < y->wish ? -1 : x->wish > y->wish ? 1 : x < y ? -1 : x > y;
}

static void count_labels(Drawing *d) {
    size_t i;
    json_t *edge;
    json_array_foreach(d->edges, i, edge) {
        CauseNode *to = find(d, json_get_text(edge, "to"));
        if (to && json_get_text(edge, "predicate").len) to->labels++;
    }
}

static double label_room(const Drawing *d, unsigned layer) {
    unsigned most = 0;
    for (size_t i = 0; i < d->n; i++)
        if (d->nodes[i].layer == layer && d->nodes[i].labels > most) most = d->nodes[i].labels;
    return most * (double)LABEL;
}

/* Lays out one layer at y; returns the height it takes, 0 when it is empty. */
static double lay(Drawing *d, unsigned layer, double y) {
    VEC(CauseNode *) row = { 0 };
    double height = 0;
    for (size_t i = 0; i < d->n; i++)
        if (d->nodes[i].layer == layer) {
            find_wish(d, &d->nodes[i]);
            vec_push(&row, &d->nodes[i]);
        }
    if (row.len) qsort(row.at, row.len, sizeof *row.at, by_wish);
    for (size_t i = 0; i < row.len; i++) {
        row.at[i]->x = (double)i * (BOX_WIDTH + GAP_X);
        row.at[i]->y = y;
        if (row.at[i]->height > height) height = row.at[i]->height;
    }
    double width = (double)row.len * (BOX_WIDTH + GAP_X) - GAP_X;
    if (width > d->width) d->width = width;
    vec_release(&row);
    return height;
}

static void centre(Drawing *d, unsigned layer) {
    double right = 0;
    for (size_t i = 0; i < d->n; i++)
        if (d->nodes[i].layer == layer && d->nodes[i].x + BOX_WIDTH > right)
            right = d->nodes[i].x + BOX_WIDTH;
    for (size_t i = 0; i < d->n; i++)
        if (d->nodes[i].layer == layer) d->nodes[i].x += MARGIN + (d->width - right) / 2;
}

static void arrange(Drawing *d) {
    find_layers(d);
    count_labels(d);
    double y = MARGIN;
    unsigned last = 0;
    for (size_t i = 0; i < d->n; i++)
        if (d->nodes[i].layer > last) last = d->nodes[i].layer;
    for (unsigned layer = 0; layer <= last; layer++) {
        if (layer) y += label_room(d, layer);
        double height = lay(d, layer, y);
        if (height > 0) y += height + GAP_Y;
    }
    for (unsigned layer = 0; layer <= last; layer++) centre(d, layer);
    d->height = y - GAP_Y + MARGIN;
}

/* ---- drawing ---- */

static void text_line(Buf *out, double x, double y, const char *class, Str text, size_t most) {
    buf_fmt(out, "<text x=\"%.0f\" y=\"%.0f\" class=\"%s\" xml:space=\"preserve\">", x, y, class);
    html_short(out, text, most);
    buf_text(out, "</text>");
}

static double add_step(Buf *out, const json_t *step, double x, double y) {
    Buf place = { 0 };
    Str function = json_get_text(step, "function");
    buf_fmt(&place, STR_FMT ":%lld%s" STR_FMT, STR_ARG(json_get_text(step, "file")),
            (long long)json_get_int(step, "line", 0), function.len ? " in " : "",
            STR_ARG(function));
    text_line(out, x, y, "where", buf_view(&place), 58);
    text_line(out, x, y + LINE, "mono source", str_trim(json_get_text(step, "text")), BOX_CHARS);
    buf_release(&place);
    Str bad = json_get_text(step, "bad"), good = json_get_text(step, "good");
    if (!bad.len && !good.len) return y + 2 * LINE;
    buf_fmt(out, "<text x=\"%.0f\" y=\"%.0f\" class=\"mono\"><tspan class=\"badvalue\">", x,
            y + 2 * LINE);
    html_short(out, bad.len ? bad : STR("not run"), 22);
    buf_text(out, "</tspan>");
    if (good.len) {
        buf_text(out, "<tspan class=\"where\"> was </tspan><tspan class=\"goodvalue\">");
        html_short(out, good, 20);
        buf_text(out, "</tspan>");
    }
    buf_text(out, "</text>");
    return y + 3 * LINE;
}

static const char *one_of(Str word, const char *const *words, const char *fallback) {
    for (; *words; words++)
        if (str_is(word, *words)) return *words;
    return fallback;
}

static void add_node(Buf *out, const CauseNode *node) {
    static const char *const kinds[] = { "failure", "cause", "root", NULL };
    static const char *const marks[] = { "proved", "tested", "suspected", NULL };
    const json_t *json = node->json;
    const char *kind = one_of(json_get_text(json, "kind"), kinds, "cause");
    const char *mark = one_of(json_get_text(json, "mark"), marks, "");
    Str title = json_get_text(json, "title");
    buf_fmt(out, "<g class=\"node %s %s\"><title>", kind, mark);
    html_text(out, str_sub(title, 0, title.len < 4000 ? title.len : 4000));
    buf_fmt(
        out,
        "</title><rect class=\"box\" x=\"%.0f\" y=\"%.0f\" width=\"%d\" height=\"%.0f\" rx=\"9\"/>",
        node->x, node->y, BOX_WIDTH, node->height);
    double x = node->x + PAD, y = node->y + PAD + 12;
    text_line(out, x, y, "title", title.len ? title : str_from(kind), TITLE_CHARS);
    text_line(out, x, y + LINE, "where", str_from(*mark ? mark : kind), 40);
    y += 2 * LINE;
    json_t *chosen[STEPS_MOST];
    size_t n = chosen_steps(json, chosen);
    for (size_t i = 0; i < n; i++) y = add_step(out, chosen[i], x, y);
    if (steps_of(json) > STEPS_MOST) {
        char more[64];
        snprintf(more, sizeof more, "and %zu more steps, below", steps_of(json) - STEPS_MOST);
        text_line(out, x, y, "where", str_from(more), 60);
    }
    buf_text(out, "</g>\n");
}

/* The condition on an edge with what it was in both runs, above the node it leads to. */
static void add_label(Buf *out, const json_t *edge, double x, double y) {
    Str predicate = json_get_text(edge, "predicate"), bad = json_get_text(edge, "bad"),
        good = json_get_text(edge, "good");
    size_t shown = html_length(predicate) < 42 ? html_length(predicate) : 42;
    size_t values = html_length(bad) + html_length(good) + 6;
    double width = (double)(shown * 7.3 > values * 6.2 ? shown * 7.3 : values * 6.2) + 10;
    buf_fmt(
        out,
        "<rect class=\"labelback\" x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%d\" rx=\"4\"/>",
        x - width / 2, y, width, bad.len || good.len ? 34 : 18);
    buf_fmt(out, "<text class=\"mono label\" text-anchor=\"middle\" x=\"%.0f\" y=\"%.0f\">", x,
            y + 14);
    html_short(out, predicate, 42);
    buf_text(out, "</text>");
    if (!bad.len && !good.len) return;
    buf_fmt(out, "<text text-anchor=\"middle\" x=\"%.0f\" y=\"%.0f\"><tspan class=\"badvalue\">", x,
            y + 29);
    html_short(out, bad, 20);
    buf_text(out, "</tspan>");
    if (good.len)
        buf_text(out, ", was <tspan class=\"goodvalue\">"), html_short(out, good, 20),
            buf_text(out, "</tspan>");
    buf_text(out, "</text>\n");
}

static void add_edge(Buf *out, Drawing *d, const json_t *edge, bool label) {
    CauseNode *from = find(d, json_get_text(edge, "from")),
              *to = find(d, json_get_text(edge, "to"));
    if (!from || !to || from == to) return;
    double x1 = from->x + BOX_WIDTH / 2.0, y1 = from->y + from->height;
    double x2 = to->x + BOX_WIDTH / 2.0, y2 = to->y - 6;
    if (label) {
        if (json_get_text(edge, "predicate").len)
            add_label(out, edge, x2 + (x1 - x2) * 0.3, y2 - 10 - LABEL * ++to->drawn);
        return;
    }
    if (y2 < y1) y1 = from->y, y2 = to->y + to->height + 6; /* an edge upwards: in a cycle */
    double bend = (y2 - y1) / 2;
    buf_fmt(out, "<path class=\"arrow%s\" d=\"M%.0f %.0fC%.0f %.0f %.0f %.0f %.0f %.0f\"/>",
            str_is(json_get_text(edge, "kind"), "indirect") ? " indirect" : "", x1, y1, x1,
            y1 + bend, x2, y2 - bend, x2, y2);
    buf_fmt(out, "<path class=\"head\" d=\"M%.0f %.0fl-5 -9h10z\"/>\n", x2, y2 + 6);
}

void cause_tree(Buf *out, const json_t *tree) {
    const json_t *nodes = json_object_get(tree, "nodes");
    size_t n = json_array_size(nodes), i;
    json_t *edge;
    if (!n) return;
    if (n > NODES_MOST) n = NODES_MOST;
    Arena arena = { 0 };
    Drawing d = { ARENA_ARRAY(&arena, CauseNode, n), n, json_object_get(tree, "edges"), 0, 0 };
    for (i = 0; i < n; i++) {
        const json_t *node = json_array_get(nodes, i);
        d.nodes[i] =
            (CauseNode){ .json = node, .id = json_get_text(node, "id"), .height = height_of(node) };
    }
    arrange(&d);
    double width = d.width + 2 * MARGIN;
    buf_fmt(out,
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Tree of causes\">"
            "<svg class=\"tree\" role=\"img\" aria-label=\"Tree of causes, from the failure to the "
            "changes\" "
            "width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n",
            width, d.height, width, d.height);
    json_array_foreach(d.edges, i, edge) add_edge(out, &d, edge, false);
    json_array_foreach(d.edges, i, edge) add_edge(out, &d, edge, true);
    for (i = 0; i < n; i++) add_node(out, &d.nodes[i]);
    buf_text(out, "</svg></div>\n");
    arena_release(&arena);
}

void cause_list(Buf *out, const json_t *tree) {
    size_t i, k;
    json_t *node, *step;
    buf_text(out, "<ol>\n");
    json_array_foreach(json_object_get(tree, "nodes"), i, node) {
        if (i == NODES_MOST) break;
        buf_text(out, "<li>");
        html_short(out, json_get_text(node, "title"), 400);
        html_element(out, "span", "soft", str_from(json_get_text(node, "mark").len ? ", " : ""));
        html_element(out, "span", "soft", json_get_text(node, "mark"));
        buf_text(out, "<ul>\n");
        json_array_foreach(json_object_get(node, "steps"), k, step) {
            buf_text(out, "<li><span class=\"soft\">");
            html_short(out, json_get_text(step, "file"), 200);
            buf_fmt(out, ":%lld</span> <code>", (long long)json_get_int(step, "line", 0));
            html_short(out, str_trim(json_get_text(step, "text")), 400);
            buf_text(out, "</code>");
            Str bad = json_get_text(step, "bad"), good = json_get_text(step, "good");
            if (bad.len)
                buf_text(out, " is <code>"), html_short(out, bad, 200), buf_text(out, "</code>");
            if (good.len)
                buf_text(out, " was <code>"), html_short(out, good, 200), buf_text(out, "</code>");
            buf_text(out, "</li>\n");
        }
        buf_text(out, "</ul></li>\n");
    }
    buf_text(out, "</ol>\n");
}
