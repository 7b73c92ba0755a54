/* culprit show N: one case as a page in the terminal. */
#include "base/opts.h"
#include "base/quantity.h"
#include "base/shell.h"
#include "base/terminal.h"
#include "command/commands.h"
#include "report/caseview.h"
#include "report/pairdiff.h"

typedef struct ShowOptions {
    const char *store;
    bool json, full;
} ShowOptions;

static const Opt table[] = {
    { 0, "store", OPT_STR, OPT_IN(ShowOptions, store), "STORE",
      "a file, or postgresql://.. [the user's own]", "@files" },
    { 0, "full", OPT_FLAG, OPT_IN(ShowOptions, full), NULL,
      "whole programs, not only where they differ", NULL },
    { 0, "json", OPT_FLAG, OPT_IN(ShowOptions, json), NULL, "everything, as JSON", NULL },
    { 0 },
};
static const OptSpec spec = {
    "show",
    "[OPTION].. CASE",
    "show one case",
    table,
    NULL,
    "Exit status: 0 shown, 1 when there is no such case.\n",
    1,
    1,
    "@cases",
};

enum { CONTEXT = 3, LIST_MOST = 10 };

static const char *paint(Colour c) {
    return colour(stdout, c);
}

static void heading(Buf *out, const char *text) {
    buf_fmt(out, "\n%s%s%s\n", paint(COLOUR_BOLD), text, paint(COLOUR_NONE));
}

static void field(Buf *out, const char *name, Str value) {
    if (!value.len) return;
    buf_fmt(out, "  %s%-12s%s", paint(COLOUR_DIM), name, paint(COLOUR_NONE));
    terminal_text(out, value, 0);
    buf_char(out, '\n');
}

static void add_facts(Buf *out, const CaseView *view) {
    const Case *c = &view->c;
    char text[128], first[32], last[32];
    buf_fmt(out, "%scase %lld%s  ", paint(COLOUR_BOLD), (long long)c->id, paint(COLOUR_NONE));
    buf_text(out, paint(verdict_colour(c->verdict)));
    terminal_text(out, view->title, 0);
    buf_fmt(out, "%s\n\n", paint(COLOUR_NONE));
    snprintf(text, sizeof text, STR_FMT " " STR_FMT " " STR_FMT,
             STR_ARG(str_sub(c->compiler, 0, 40)), STR_ARG(str_sub(c->version, 0, 30)),
             STR_ARG(str_sub(c->target, 0, 40)));
    field(out, "compiler", str_from(text));
    field(out, "flags", c->flags);
    field(out, "passes with", c->good_flags);
    field(out, "verdict", str_from(verdict_words(c->verdict)));
    field(out, "signature", c->signature);
    field(out, "matters", c->matters);
    field(out, c->campaign ? "seed" : "program", c->seed_name);
    show_time(c->created, first), show_time(c->updated, last);
    if (c->count == 1)
        snprintf(text, sizeof text, "once, %s", first);
    else
        snprintf(text, sizeof text, "%llu times, first %s, last %s", (unsigned long long)c->count,
                 first, last);
    field(out, "seen", str_from(text));
    field(out, "tags", c->tags);
    field(out, "notes", c->notes);
    if (c->undefined.len) {
        buf_fmt(out, "\n  %sthis program is undefined:%s ", paint(COLOUR_YELLOW),
                paint(COLOUR_NONE));
        terminal_text(out, c->undefined, 0);
        buf_text(out, "\n  whatever a compiler does with it is not a compiler bug\n");
    } else if (view->doubt.len) {
        buf_fmt(out, "\n  %snot confirmed to be a bug%s (notes)\n", paint(COLOUR_YELLOW),
                paint(COLOUR_NONE));
    }
}

/* ---- the pair ---- */

static void add_line(Buf *out, const PairLine *line, char sign, Colour c) {
    buf_fmt(out, "  %s%4zu %c %s", paint(COLOUR_DIM), line->number, sign, paint(COLOUR_NONE));
    for (size_t i = 0; i < line->n_spans; i++) {
        if (line->spans[i].marked) buf_text(out, paint(c));
        terminal_text(out, line->spans[i].text, 0);
        if (line->spans[i].marked) buf_text(out, paint(COLOUR_NONE));
    }
    buf_char(out, '\n');
}

/* Whether a row that is the same on both sides is near enough to one that is not. */
static bool near_change(const PairDiff *diff, size_t at) {
    size_t from = at > CONTEXT ? at - CONTEXT : 0;
    for (size_t i = from; i < diff->len && i <= at + CONTEXT; i++)
        if (!diff->rows[i].same) return true;
    return false;
}

static void add_rows(Buf *out, const PairDiff *diff, int side, char sign, Colour c, size_t from,
                     size_t to) {
    for (size_t i = from; i < to; i++)
        if (diff->rows[i].side[side].number) add_line(out, &diff->rows[i].side[side], sign, c);
}

static void add_pair(Buf *out, const CaseView *view, bool full, Arena *arena) {
    char text[160];
    PairDiff diff = pairdiff(arena, view->seed, view->variant);
    snprintf(text, sizeof text, "The %spair: - passes, + fails, %zu tokens differ",
             view->reduced ? "reduced " : "", diff.tokens);
    heading(out, text);
    bool skipped = false;
    for (size_t i = 0; i < diff.len; i++) {
        if (diff.rows[i].same) {
            if (full || view->reduced || near_change(&diff, i))
                add_line(out, &diff.rows[i].side[1], ' ', COLOUR_NONE);
            else if (!skipped)
                buf_fmt(out, "  %s   ...%s\n", paint(COLOUR_DIM), paint(COLOUR_NONE));
            skipped = !(full || view->reduced || near_change(&diff, i));
            continue;
        }
        size_t to = i;
        while (to < diff.len && !diff.rows[to].same) to++;
        add_rows(out, &diff, 0, '-', COLOUR_RED, i, to);
        add_rows(out, &diff, 1, '+', COLOUR_GREEN, i, to);
        i = to - 1;
        skipped = false;
    }
}

static void add_program(Buf *out, const CaseView *view, bool full) {
    heading(out, view->reduced ? "The reduced program" : "The program");
    Str rest = view->variant, line;
    size_t number = 0;
    while (str_split(&rest, '\n', &line) && (full || number < 60)) {
        if (!rest.at && !line.len) break;
        buf_fmt(out, "  %s%4zu%s   ", paint(COLOUR_DIM), ++number, paint(COLOUR_NONE));
        terminal_text(out, line, 0);
        buf_char(out, '\n');
    }
    if (rest.at) buf_text(out, "   ... (--full shows all of it)\n");
}

/* ---- verdicts, suspects, causes ---- */

static void add_matrix(Buf *out, const CaseView *view) {
    size_t i;
    json_t *cell;
    Str compiler = STR("");
    if (!json_array_size(view->matrix)) return;
    heading(out, "Verdicts");
    json_array_foreach(view->matrix, i, cell) {
        Str name = json_get_text(cell, "compiler"), verdict = json_get_text(cell, "verdict");
        if (!str_eq(name, compiler)) {
            if (i) buf_char(out, '\n');
            buf_text(out, "  ");
            terminal_path(out, name, 16);
            compiler = name;
        }
        buf_char(out, ' ');
        terminal_text(out, json_get_text(cell, "level"), 8);
        buf_fmt(out, " %s", paint(verdict_colour(verdict)));
        terminal_cell(out, verdict, 8, false);
        buf_text(out, paint(COLOUR_NONE));
    }
    buf_char(out, '\n');
}

static void add_suspects(Buf *out, json_t *list, const char *title) {
    size_t i;
    json_t *item;
    if (!json_array_size(list)) return;
    heading(out, title);
    json_array_foreach(list, i, item) {
        if (i == LIST_MOST) break;
        double score = json_get_real(item, "score", 0);
        int bar = (int)(score * 20 + 0.5);
        buf_fmt(out, "  %3lld  %5.3f %s", (long long)json_get_int(item, "rank", (int64_t)i + 1),
                score, paint(i == 0 ? COLOUR_RED : COLOUR_YELLOW));
        for (int k = 0; k < 20; k++)
            buf_text(out, k < bar ? terminal_glyph("█", "#") : terminal_glyph("·", "."));
        buf_fmt(out, "%s  ", paint(COLOUR_NONE));
        terminal_text(out, json_get_text(item, "name"), 60);
        Str file = json_get_text(item, "file");
        if (file.len) buf_text(out, "  "), terminal_text(out, file, 40);
        buf_char(out, '\n');
    }
}

static void add_changes(Buf *out, json_t *list, const char *title) {
    size_t i;
    json_t *change;
    if (!json_array_size(list)) return;
    heading(out, title);
    json_array_foreach(list, i, change) {
        buf_text(out, "  ");
        terminal_text(out, json_get_text(change, "file"), 60);
        buf_fmt(out, ":%lld  %s", (long long)json_get_int(change, "new_line", 0),
                paint(COLOUR_DIM));
        terminal_text(out, json_get_text(change, "mark"), 20);
        buf_fmt(out, "%s\n", paint(COLOUR_NONE));
        Str rest = json_get_text(change, "diff"), line;
        while (str_split(&rest, '\n', &line) && (line.len || rest.at)) {
            buf_fmt(out, "    %s",
                    paint(str_starts(line, "+")   ? COLOUR_GREEN
                          : str_starts(line, "-") ? COLOUR_RED
                                                  : COLOUR_NONE));
            terminal_text(out, line, 0);
            buf_fmt(out, "%s\n", paint(COLOUR_NONE));
        }
    }
}

static void add_steps(Buf *out, const CaseView *view) {
    if (view->n_steps) heading(out, "Investigation");
    for (size_t i = 0; i < view->n_steps; i++) {
        const CaseStep *s = &view->steps[i];
        char took[32];
        buf_text(out, "  ");
        terminal_cell(out, s->name, 12, false);
        terminal_cell(out, s->state, 9, false);
        if (s->ended > s->started) {
            quantity_show_duration(s->ended - s->started, took);
            terminal_cell(out, str_from(took), 10, true);
            buf_text(out, "  ");
        }
        terminal_text(out, s->result, 100);
        buf_char(out, '\n');
    }
}

static void add_commands(Buf *out, const CaseView *view, const ShowOptions *o) {
    heading(out, "Commands");
    for (int good = 0; good < 2; good++) {
        if (good && !view->good_flags.len) continue;
        Buf line = { 0 };
        caseview_shell_line(view, good, &line);
        buf_fmt(out, "  %s  ", good ? "passes:" : "fails: ");
        terminal_text(out, buf_view(&line), 0);
        buf_char(out, '\n');
        buf_release(&line);
    }
    Arena arena = { 0 };
    buf_fmt(out, "  culprit export %s%lld DIR   writes the files and a repro.sh\n",
            shell_option(&arena, "--store", o->store), (long long)view->c.id);
    arena_release(&arena);
}

static void add_page(Buf *out, const CaseView *view, const ShowOptions *o) {
    Arena arena = { 0 };
    add_facts(out, view);
    if (view->seed.len)
        add_pair(out, view, o->full, &arena);
    else
        add_program(out, view, o->full);
    add_matrix(out, view);
    add_suspects(out, json_object_get(view->rankings, "files"), "Suspect files");
    add_suspects(out, json_object_get(view->rankings, "functions"), "Suspect functions");
    add_suspects(out, json_object_get(view->rankings, "passes"), "Suspect passes");
    add_changes(out, json_object_get(view->explanations, "roots"),
                json_get_bool(view->explanations, "together", false)
                    ? "These changes together, not told apart in the time given"
                    : "Root changes");
    add_changes(out, json_object_get(view->explanations, "auxiliary"),
                "Changes that must be reverted with them");
    add_steps(out, view);
    add_commands(out, view, o);
    arena_release(&arena);
}

static bool show(const ShowOptions *o, Str number, Error *err) {
    int64_t id;
    if (!str_to_i64(number, &id) || id < 1)
        return err_set(err, STATUS_BAD, "'" STR_FMT "' is not the number of a case",
                       STR_ARG(number));
    Store *store = store_open(o->store, STORE_READ, err);
    if (!store) return false;
    CaseView view;
    bool ok = caseview_load(&view, store, id, err);
    if (ok && o->json) {
        json_t *all = caseview_json(&view);
        json_print(all);
        json_decref(all);
    } else if (ok) {
        Buf out = { 0 };
        add_page(&out, &view, o);
        fwrite(out.at, 1, out.len, stdout);
        buf_release(&out);
    }
    caseview_release(&view);
    store_close(store);
    return ok;
}

int show_command(int argc, char **argv) {
    Error err = { 0 };
    ShowOptions o = { 0 };
    Opts opts;
    OptsEnd end = opts_read(&spec, argc, argv, &o, &opts, &err);
    bool ok = end == OPTS_STOP || (end == OPTS_GO && show(&o, opts.rest.at[0], &err));
    opts_release(&opts);
    return ok ? STATUS_DONE : err_report(&err);
}
