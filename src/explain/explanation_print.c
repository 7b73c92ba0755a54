/* The answer for people: the commit where history was searched, the changes as small diffs, the way
 * from the change to the failure (or, when asked, the whole tree of causes), what was not looked
 * at.
 */
#include "base/live.h"
#include "base/quantity.h"
#include "explain/explanation.h"

enum { LINES_SHOWN = 12 };    /* of one side of a change */
enum { FILES_SHOWN = 6 };     /* where a set lies that is too large to show */
enum { TOGETHER_SHOWN = 10 }; /* changes that were not told apart, before only their files are */
enum { REST_SHOWN = 4 };      /* auxiliary changes, before only their files are */
enum { SUBJECT_SHOWN = 100 };

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

/* A subject as git log --oneline would have it; one that was a whole message once is cut. */
static void print_subject(Str subject, FILE *out) {
    bool cut = subject.len > SUBJECT_SHOWN;
    fprintf(out, STR_FMT "%s", STR_ARG(str_sub(subject, 0, SUBJECT_SHOWN)), cut ? ".." : "");
}

/* The commit stands above the changes already. */
static bool is_the_commit(const Explanation *e, size_t i) {
    return e->history.found && str_eq(e->history.commit, e->commits.at[i]);
}

static void print_change(const Explanation *e, size_t i, const char *kind, FILE *out) {
    Arena scratch = { 0 };
    fprintf(out, "%s%s%s c%zu  %s", colour(out, COLOUR_BOLD), kind, colour(out, COLOUR_NONE), i + 1,
            change_place(&scratch, e->set, i));
    if (i < e->commits.len && e->commits.at[i].len && !is_the_commit(e, i)) {
        fprintf(out, "  (" STR_FMT " ", STR_ARG(str_sub(e->commits.at[i], 0, 12)));
        print_subject(e->subjects.at[i], out);
        fputc(')', out);
    }
    fputc('\n', out);
    if (e->set->changes.at[i].kind != CHANGE_LINES) return arena_release(&scratch);
    print_lines(out, change_good_text(e->set, i), '-', COLOUR_RED);
    print_lines(out, change_bad_text(e->set, i), '+', COLOUR_GREEN);
    arena_release(&scratch);
}

static void indent(FILE *out, size_t depth) {
    for (size_t i = 0; i < depth; i++) fputs("  ", out);
}

/* "n is 4 (was 9)", "n is 4 (as in the good run)", "was 9" for what ran only there. Of an address
 * only that it is another one counts, or that it is none. */
static void print_values(const TreeStep *step, FILE *out) {
    Str value = step->now.len ? step->now : step->was;
    bool address = tree_step_is_address(step), both = step->now.len && step->was.len;
    if (!value.len || (address && !(both && step->differs))) return;
    bool none = str_is(step->now, "NULL"), was_none = str_is(step->was, "NULL");
    fprintf(out, "  %s" STR_FMT, colour(out, COLOUR_BOLD), STR_ARG(step->what));
    if (address && !none && !was_none) {
        fprintf(out, "%s%s", &" points elsewhere than in the good run"[!step->what.len],
                colour(out, COLOUR_NONE));
        return;
    }
    if (address && none) value = STR("NULL");
    if (address && was_none) value = STR("an address");
    fprintf(out, "%s" STR_FMT "%s",
            step->now.len ? &" is "[!step->what.len] : &" was "[!step->what.len],
            STR_ARG(str_sub(value, 0, 40)), colour(out, COLOUR_NONE));
    if (!both) return;
    if (address)
        fprintf(out, " (was %s)", none ? "an address" : "NULL");
    else if (step->differs)
        fprintf(out, " (was " STR_FMT ")", STR_ARG(str_sub(step->was, 0, 40)));
    else
        fputs(" (as in the good run)", out);
}

static void print_step(const Explanation *e, const TreeStep *step, size_t depth, FILE *out) {
    static const char *const marks[] = { "proved", "tested", "suspected" };
    indent(out, depth);
    fprintf(out, STR_FMT ":%u", STR_ARG(step->file), step->line);
    if (step->function.len) fprintf(out, " " STR_FMT, STR_ARG(step->function));
    fprintf(out, "  " STR_FMT, STR_ARG(str_sub(step->text, 0, 70)));
    print_values(step, out);
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

/* ---- the way from the change to the failure ---- */

static void print_edge(const ExplainNode *node, FILE *out) {
    fprintf(out, "  " STR_FMT ":%u  " STR_FMT, STR_ARG(node->edge_file), node->edge_line,
            STR_ARG(node->edge));
    if (node->edge_was.len && !str_eq(node->edge_was, node->edge_now))
        fprintf(out, " (" STR_FMT ", was " STR_FMT ")", STR_ARG(node->edge_now),
                STR_ARG(node->edge_was));
    fputc('\n', out);
}

static void print_chain(const Explanation *e, FILE *out) {
    ChainSteps chain = { 0 };
    explanation_chain(e, &chain);
    if (e->together && chain.len < 2)
        vec_clear(&chain); /* one of the changes, and no way from it */
    if (chain.len)
        fprintf(out, "\n%sFrom the change to the failure%s\n", colour(out, COLOUR_BOLD),
                colour(out, COLOUR_NONE));
    for (size_t i = 0; i < chain.len; i++) {
        const ChainStep *c = &chain.at[i];
        if (c->left_out)
            fprintf(out, "  %s.. %zu more%s\n", colour(out, COLOUR_DIM), c->left_out,
                    colour(out, COLOUR_NONE));
        if (c->step)
            print_step(e, c->step, 1, out);
        else
            print_edge(c->node, out);
        if (c->repeats)
            fprintf(out, "  %s  and %zu more of this line%s\n", colour(out, COLOUR_DIM), c->repeats,
                    colour(out, COLOUR_NONE));
    }
    if (e->failure.len) fprintf(out, "  failure: " STR_FMT "\n", STR_ARG(e->failure));
    vec_release(&chain);
}

/* ---- the frame ---- */

static void print_history(const Explanation *e, FILE *out) {
    const ExplainHistory *h = &e->history;
    if (!h->known) return;
    fprintf(out, "%s%s%s " STR_FMT "  ", colour(out, COLOUR_BOLD),
            h->found ? "commit" : "not later than", colour(out, COLOUR_NONE),
            STR_ARG(str_sub(h->commit, 0, 12)));
    print_subject(h->subject, out);
    fputc('\n', out);
    char count[48];
    fprintf(out,
            "  the first of %s that fails: ", quantity_show_count(h->commits, "commit", count));
    fputs(quantity_show_count(h->builds, "build", count), out);
    if (h->skipped) fprintf(out, ", skipped %s", quantity_show_count(h->skipped, "commit", count));
    fputs("\n\n", out);
}

/* "a.c (12 changes), b.h (3 changes)": where a set lies. */
static void print_files(const Explanation *e, const uint8_t *subset, FILE *out) {
    size_t files = 0;
    for (size_t f = 0; f < e->set->files.len; f++) {
        const ChangeFile *file = &e->set->files.at[f];
        size_t n = 0;
        for (size_t i = file->first; i < file->first + file->count; i++) n += subset[i];
        if (!n) continue;
        if (files++ < FILES_SHOWN)
            fprintf(out, "%s%s (%zu)", files > 1 ? ", " : "",
                    file->bad_path ? file->bad_path : file->good_path, n);
    }
    if (files > FILES_SHOWN) fprintf(out, ", and %zu more files", files - FILES_SHOWN);
}

/* Two lines: what was tried, and what to try next; and the smallest set that is known to matter. */
static void print_no_answer(const Explanation *e, FILE *out) {
    char time[32];
    size_t left = explanation_count(e, e->narrowed);
    fprintf(out, "No root was found: %zu sets of %zu changes were built and %zu tested in %s%s.\n",
            e->builds, e->set->changes.len, e->tests, quantity_show_duration(e->seconds, time),
            e->traced ? "" : ", without a trace");
    fprintf(out, "Next: %s%sa test that fails for this reason alone.\n",
            e->complete ? "" : "more time (--time; the same command goes on from here), ",
            e->history.known ? "" : "commits instead of directories (--git), ");
    if (!left) return;
    fprintf(out, "Reverting %zu changes is known to make it pass: ", left);
    print_files(e, e->narrowed, out);
    fputs(".\n", out);
}

static void print_summary(const Explanation *e, FILE *out) {
    char time[32], one[48], two[48];
    fprintf(out,
            "\n%zu of %s (%s): ", explanation_count(e, e->root) + explanation_count(e, e->rest),
            quantity_show_count(e->set->changes.len, "change", one),
            quantity_show_count(e->set->hunks, "hunk", two));
    if (e->together)
        fputs("not told apart. ", out);
    else
        fprintf(out, "%zu root, %zu auxiliary. ", explanation_count(e, e->root),
                explanation_count(e, e->rest));
    fputs(quantity_show_count(e->builds, "build", one), out);
    if (e->direct) fprintf(out, " (%zu without the makefiles)", e->direct);
    fputs(", ", out);
    if (e->refused)
        fprintf(out, "%s ruled out without a build, ", quantity_show_count(e->refused, "set", one));
    fprintf(out, "%s, %s, %s\n", quantity_show_count(e->tests, "test", one),
            quantity_show_count(e->causes, "cause", two), quantity_show_duration(e->seconds, time));
    fprintf(out, "Reverting them: the test passes%s%s\n",
            e->verified ? " (built from scratch, run twice)" : "",
            e->dodges ? ", but only because the failing code is no longer reached" : "");
}

/* Changes that were not told apart: each of a few, of many where they are. */
static void print_together(const Explanation *e, FILE *out) {
    size_t n = explanation_count(e, e->root), all = e->set->changes.len;
    fprintf(out, "%s %zu changes%s together; they were not told apart in the time given.\n",
            n == all && e->history.found ? "All" : "These", n,
            e->history.found ? " of the commit" : "");
    for (size_t i = 0; n <= TOGETHER_SHOWN && i < all; i++)
        if (e->root[i]) print_change(e, i, "together", out);
    if (n <= TOGETHER_SHOWN) return;
    fputs("They are in ", out);
    print_files(e, e->root, out);
    fputs(".\n", out);
}

/* What the roots need to compile says nothing of the failure: each of a few, of many where they
 * are.
 */
static void print_rest(const Explanation *e, bool whole, FILE *out) {
    size_t n = explanation_count(e, e->rest);
    bool each = whole || n <= REST_SHOWN;
    for (size_t i = 0; each && i < e->set->changes.len; i++)
        if (e->rest[i]) print_change(e, i, "auxiliary", out);
    if (each) return;
    fprintf(out, "%sauxiliary%s  %zu changes without which it does not compile: ",
            colour(out, COLOUR_BOLD), colour(out, COLOUR_NONE), n);
    print_files(e, e->rest, out);
    fputs(" (--whole shows them)\n", out);
}

/* What would have been an answer as well. */
static void print_other(const Explanation *e, FILE *out) {
    size_t n = explanation_count(e, e->other);
    if (!n) return;
    fprintf(out, "\nReverting %s instead makes the test pass as well:\n",
            n == 1 ? "this change alone" : "these changes");
    for (size_t i = 0; i < e->set->changes.len; i++)
        if (e->other[i]) print_change(e, i, "or", out);
}

void explanation_print(const Explanation *e, bool whole, FILE *out) {
    print_history(e, out);
    if (!e->found) print_no_answer(e, out);
    if (e->together) print_together(e, out);
    for (size_t i = 0; i < e->set->changes.len; i++)
        if (e->root[i] && !e->together) print_change(e, i, "root", out);
    print_rest(e, whole, out);
    print_other(e, out);
    if (e->found && !whole) print_chain(e, out);
    if (whole && e->nodes.len && e->nodes.at[0].kept) {
        fprintf(out, "\n%sCauses%s\n", colour(out, COLOUR_BOLD), colour(out, COLOUR_NONE));
        print_node(e, 0, 1, out);
    }
    if (e->found) print_summary(e, out);
    for (size_t i = 0; i < e->notes.len; i++)
        fprintf(out, "note: " STR_FMT "\n", STR_ARG(e->notes.at[i]));
}
