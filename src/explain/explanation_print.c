/* The answer for people: the changes as small diffs, then the tree of causes from the failure up.
 */
#include "base/live.h"
#include "base/quantity.h"
#include "explain/explanation.h"

enum { LINES_SHOWN = 12 }; /* of one side of a change */

static void print_lines(FILE *out, Str text, char sign, Colour c) {
    Str rest = text, line;
    size_t n = 0;
    while (text.len && str_split(&rest, '\n', &line)) {
        if (!rest.at && !line.len) break;
        if (n++ == LINES_SHOWN) {
            fprintf(out, "    %c ..\n", sign);
            break;
        }
        fprintf(out, "    %s%c" STR_FMT "%s\n", colour(out, c), sign, STR_ARG(line),
                colour(out, COLOUR_NONE));
    }
}

static void print_change(const Explanation *e, size_t i, const char *kind, FILE *out) {
    Arena scratch = { 0 };
    fprintf(out, "%s%s%s c%zu  %s", colour(out, COLOUR_BOLD), kind, colour(out, COLOUR_NONE), i + 1,
            change_place(&scratch, e->set, i));
    if (i < e->commits.len && e->commits.at[i].len)
        fprintf(out, "  (" STR_FMT " " STR_FMT ")", STR_ARG(str_sub(e->commits.at[i], 0, 12)),
                STR_ARG(e->subjects.at[i]));
    fputc('\n', out);
    if (e->set->changes.at[i].kind != CHANGE_LINES) return arena_release(&scratch);
    print_lines(out, change_good_text(e->set, i), '-', COLOUR_RED);
    print_lines(out, change_bad_text(e->set, i), '+', COLOUR_GREEN);
    arena_release(&scratch);
}

static void indent(FILE *out, size_t depth) {
    for (size_t i = 0; i < depth; i++) fputs("  ", out);
}

static void print_step(const Explanation *e, const TreeStep *step, size_t depth, FILE *out) {
    static const char *const marks[] = { "proved", "tested", "suspected" };
    indent(out, depth);
    fprintf(out, STR_FMT ":%u", STR_ARG(step->file), step->line);
    if (step->function.len) fprintf(out, " " STR_FMT, STR_ARG(step->function));
    fprintf(out, "  " STR_FMT, STR_ARG(str_sub(step->text, 0, 70)));
    if (step->now.len) {
        fprintf(out, "  %s" STR_FMT "%s" STR_FMT "%s", colour(out, COLOUR_BOLD),
                STR_ARG(step->what), step->what.len ? " is " : "is ",
                STR_ARG(str_sub(step->now, 0, 40)), colour(out, COLOUR_NONE));
        if (step->was.len) fprintf(out, " (was " STR_FMT ")", STR_ARG(str_sub(step->was, 0, 40)));
    }
    if (step->in_good) fputs("  [ran only in the good version]", out);
    if (step->change != NO_CHANGE && step->change < e->set->changes.len)
        fprintf(out, "  %s<- c%zu%s", colour(out, COLOUR_YELLOW), step->change + 1,
                colour(out, COLOUR_NONE));
    fprintf(out, "  %s%s%s\n", colour(out, COLOUR_DIM), marks[step->mark],
            colour(out, COLOUR_NONE));
}

static void print_node(const Explanation *e, size_t i, size_t depth, FILE *out) {
    const ExplainNode *node = &e->nodes.at[i];
    indent(out, depth);
    if (node->parent == NO_NODE) {
        fprintf(out, "failure: " STR_FMT "\n", STR_ARG(e->failure));
    } else {
        fprintf(out, "because " STR_FMT ":%u  " STR_FMT, STR_ARG(node->edge_file), node->edge_line,
                STR_ARG(node->edge));
        if (node->edge_was.len)
            fprintf(out, " (" STR_FMT ", was " STR_FMT ")", STR_ARG(node->edge_now),
                    STR_ARG(node->edge_was));
        fprintf(out, "%s\n", node->indirect ? "  [indirect]" : "");
    }
    for (size_t k = 0; k < node->steps.len; k++) print_step(e, &node->steps.at[k], depth + 1, out);
    for (size_t k = 0; k < e->nodes.len; k++)
        if (e->nodes.at[k].kept && e->nodes.at[k].parent == i) print_node(e, k, depth + 1, out);
}

static void print_summary(const Explanation *e, FILE *out) {
    char time[32];
    fprintf(out, "\n%zu of %zu changes (%zu hunks): %zu root, %zu auxiliary. ",
            explanation_count(e, e->root) + explanation_count(e, e->rest), e->set->changes.len,
            e->set->hunks, explanation_count(e, e->root), explanation_count(e, e->rest));
    fprintf(out, "%zu builds, %zu tests, %zu causes, %s\n", e->builds, e->tests, e->causes,
            quantity_show_duration(e->seconds, time));
    if (e->found)
        fprintf(out, "Reverting them: the test passes%s%s\n",
                e->verified ? " (built from scratch, run twice)" : "",
                e->dodges ? ", but only because the failing code is no longer reached" : "");
    else
        fputs("No set of changes was found whose revert passes.\n", out);
    for (size_t i = 0; i < e->notes.len; i++)
        fprintf(out, "note: " STR_FMT "\n", STR_ARG(e->notes.at[i]));
}

void explanation_print(const Explanation *e, FILE *out) {
    for (size_t i = 0; i < e->set->changes.len; i++)
        if (e->root[i]) print_change(e, i, "root", out);
    for (size_t i = 0; i < e->set->changes.len; i++)
        if (e->rest[i]) print_change(e, i, "auxiliary", out);
    if (e->nodes.len && e->nodes.at[0].kept) {
        fprintf(out, "\n%sCauses%s\n", colour(out, COLOUR_BOLD), colour(out, COLOUR_NONE));
        print_node(e, 0, 1, out);
    }
    print_summary(e, out);
}
