/* See reduce_print.h. */
#include "command/reduce_print.h"

#include "base/live.h"
#include "shrink/diff.h"

/* ---- the view ---- */
/* One line with its own tokens marked: bold on a terminal. */
static void show_line(const ReducedFile *file, Str line, char sign, Colour c, FILE *to) {
    size_t from = (size_t)(line.at - file->text.at), end = from + line.len, k = 0;
    fprintf(to, "%s%c ", colour(to, c), sign);
    while (k < file->n_marks && file->marks[k].to <= from) k++;
    while (from < end) {
        bool own = k < file->n_marks && file->marks[k].from <= from && c != COLOUR_NONE;
        size_t stop = k >= file->n_marks            ? end
                      : file->marks[k].from <= from ? file->marks[k].to
                                                    : file->marks[k].from;
        if (stop > end) stop = end;
        if (own) fputs(colour(to, COLOUR_BOLD), to);
        fwrite(file->text.at + from, 1, stop - from, to);
        if (own) fprintf(to, "%s%s", colour(to, COLOUR_NONE), colour(to, c));
        from = stop;
        while (k < file->n_marks && file->marks[k].to <= from) k++;
    }
    fputs(colour(to, COLOUR_NONE), to);
    if (!line.len || line.at[line.len - 1] != '\n') fputc('\n', to);
}

/* The two versions of a file in one text. */
static void show_file(const ReducedFile *seed, const ReducedFile *variant, FILE *to) {
    DiffHunks hunks = { 0 };
    StrVec a = { 0 }, b = { 0 };
    diff_lines(seed->text, variant->text, &hunks, &a, &b);
    size_t at = 0, bt = 0;
    for (size_t h = 0; h <= hunks.len; h++) {
        size_t end = h < hunks.len ? hunks.at[h].b : b.len;
        for (; bt < end; bt++, at++) show_line(variant, b.at[bt], ' ', COLOUR_NONE, to);
        if (h == hunks.len) break;
        for (size_t k = 0; k < hunks.at[h].a_len; k++)
            show_line(seed, a.at[at + k], '-', COLOUR_RED, to);
        for (size_t k = 0; k < hunks.at[h].b_len; k++)
            show_line(variant, b.at[bt + k], '+', COLOUR_GREEN, to);
        at += hunks.at[h].a_len, bt += hunks.at[h].b_len;
    }
    vec_release(&hunks), vec_release(&a), vec_release(&b);
}

static const ReducedFile *twin_of(const ReduceResult *r, const ReducedFile *file) {
    const ReducedSide *seed = &r->side[SEED];
    if (seed->n_files == 1 && r->side[VARIANT].n_files == 1) return &seed->files[0];
    for (size_t i = 0; i < seed->n_files; i++)
        if (str_eq(seed->files[i].name, file->name)) return &seed->files[i];
    return file; /* as if both had it */
}

/* Bytes of a result that are worth printing: who stops early wants to go on, not to read. */
#define SHOWN_BYTES 20000

static void show(const ReduceResult *r, FILE *to) {
    const ReducedSide *side = &r->side[VARIANT];
    if (side->bytes > SHOWN_BYTES) return;
    for (size_t i = 0; i < side->n_files; i++) {
        const ReducedFile *file = &side->files[i];
        if (file->gone) continue;
        if (side->n_files > 1)
            fprintf(to, "%s" STR_FMT ":%s\n", colour(to, COLOUR_BOLD), STR_ARG(file->name),
                    colour(to, COLOUR_NONE));
        show_file(r->pair ? twin_of(r, file) : file, file, to);
    }
    fflush(to);
}

/* ---- figures ---- */
static double own_share(const ReduceResult *r) {
    double sum = r->own_cpu_s + r->all.cpu_s;
    return sum > 0 ? r->own_cpu_s / sum : 0;
}

/* Phase i with all of its parts; name NULL: an earlier one has it already. */
static PhaseStats whole_phase(const ReduceResult *r, size_t i) {
    PhaseStats sum = { .name = r->phases[i].name };
    for (size_t k = 0; k < r->n_phases; k++) {
        if (strcmp(r->phases[k].name, r->phases[i].name) != 0) continue;
        if (k < i) return (PhaseStats){ 0 };
        phase_add(&sum, &r->phases[k]);
    }
    return sum;
}

static void print_statistics(const ReduceResult *r, FILE *to) {
    const PhaseStats *all = &r->all;
    fprintf(to, "%-16s %8s %8s %8s %8s %8s %9s %9s\n", "phase", "tests", "taken", "cached",
            "refused", "killed", "CPU s", "wall s");
    for (size_t i = 0; i <= r->n_phases; i++) {
        PhaseStats whole = i < r->n_phases ? whole_phase(r, i) : *all, *p = &whole;
        if (!p->name) continue;
        fprintf(to, "%-16s %8llu %8llu %8llu %8llu %8llu %9.1f %9.1f\n", p->name,
                (unsigned long long)p->tests, (unsigned long long)p->accepted,
                (unsigned long long)p->cached, (unsigned long long)p->refused,
                (unsigned long long)p->killed, p->cpu_s, p->wall_s);
    }
    double tests = all->tests ? (double)all->tests : 1;
    if (r->sees_compiler)
        fprintf(to, "a compiler refused %.1f%% of the candidates tested; ",
                100.0 * (double)all->rejected / tests);
    else
        fprintf(to,
                "a script does not say which candidates a compiler refused (%.1f%% were not "
                "interesting); ",
                100.0 * (double)(all->tests - all->said_yes) / tests);
    fprintf(to, "culprit itself took %.1f%% of the CPU time\n", 100 * own_share(r));
}

static void print_sizes(const ReduceResult *r, const char *where, FILE *to) {
    const ReducedSide *v = &r->side[VARIANT];
    size_t left = 0;
    const char *path = NULL;
    for (size_t i = 0; i < v->n_files; i++) {
        left += !v->files[i].gone;
        if (!path && !v->files[i].gone) path = v->files[i].path;
    }
    if (r->pair)
        fprintf(to, "seed %zu tokens, variant %zu, difference %zu", r->side[SEED].tokens, v->tokens,
                r->difference);
    else
        fprintf(to, "%zu tokens", v->tokens);
    fprintf(to, ", %zu bytes", v->bytes);
    if (v->n_files > 1) fprintf(to, " in %zu of %zu files", left, v->n_files);
    fprintf(to, " -> %s\n", path ? path : where);
    if (r->failure.len) fprintf(to, STR_FMT "\n", STR_ARG(r->failure));
    if (r->snippets.len) fprintf(to, STR_FMT "\n", STR_ARG(r->snippets));
}

static void print_end(const ReduceResult *r, FILE *to) {
    if (r->slipped) fputs("it had turned into another bug on the way, which was undone\n", to);
    if (r->out_of_time)
        fputs("stopped by the time limit: on another machine or with another -j it may stop "
              "elsewhere\n",
              to);
    if (!r->verified) fputs("the result was not tested again at the end\n", to);
    if (r->out_of_time || r->interrupted)
        fputs("stopped early: the same command continues from here\n", to);
}

/* ---- JSON ---- */
static json_t *phase_json(const PhaseStats *p) {
    json_t *o = json_object();
    json_put_text(o, "name", str_from(p->name));
    if (p->part) json_put_text(o, "finder", str_from(p->part));
    json_put_int(o, "tokens", (int64_t)p->tokens);
    json_put_int(o, "tests", (int64_t)p->tests);
    json_put_int(o, "accepted", (int64_t)p->accepted);
    json_put_int(o, "cached", (int64_t)p->cached);
    json_put_int(o, "refused", (int64_t)p->refused);
    json_put_int(o, "rejected", (int64_t)p->rejected);
    json_put_int(o, "interesting", (int64_t)p->said_yes);
    json_put_int(o, "killed", (int64_t)p->killed);
    json_put_real(o, "cpu_s", p->cpu_s);
    json_put_real(o, "wall_s", p->wall_s);
    return o;
}

static json_t *side_json(const ReducedSide *side) {
    json_t *o = json_object(), *files = json_array();
    json_put_int(o, "tokens", (int64_t)side->tokens);
    json_put_int(o, "bytes", (int64_t)side->bytes);
    json_put_text(o, "text", side->files[0].text);
    for (size_t i = 0; i < side->n_files; i++) {
        json_t *file = json_object();
        json_put_text(file, "name", side->files[i].name);
        json_put_text(file, "text", side->files[i].text);
        json_put_bool(file, "gone", side->files[i].gone);
        json_put_int(file, "tokens", (int64_t)side->files[i].tokens);
        json_array_append_new(files, file);
    }
    json_put(o, "files", files);
    return o;
}

static json_t *difference_json(const ReduceResult *r) {
    json_t *o = json_object(), *edits = json_array();
    json_put_int(o, "tokens", (int64_t)r->difference);
    for (size_t i = 0; i < r->n_edits; i++) {
        json_t *e = json_object();
        json_put_text(e, "deleted", r->edits[i].deleted);
        json_put_text(e, "inserted", r->edits[i].inserted);
        json_put_int(e, "seed_token", (int64_t)r->edits[i].seed_token);
        json_put_int(e, "variant_token", (int64_t)r->edits[i].variant_token);
        json_array_append_new(edits, e);
    }
    json_put(o, "edits", edits);
    return o;
}

json_t *reduce_json(const ReduceResult *r) {
    json_t *root = json_object(), *phases = json_array();
    if (r->pair) json_put(root, "seed", side_json(&r->side[SEED]));
    json_put(root, "variant", side_json(&r->side[VARIANT]));
    json_put(root, "difference", difference_json(r));
    for (size_t i = 0; i < r->n_phases; i++)
        json_array_append_new(phases, phase_json(&r->phases[i]));
    json_put(root, "phases", phases);
    json_put(root, "all", phase_json(&r->all));
    json_put_real(root, "own_cpu_s", r->own_cpu_s);
    json_put_real(root, "own_share", own_share(r));
    json_put_text(root, "failure", r->failure);
    json_put_bool(root, "flaky", r->flaky);
    json_put_bool(root, "slipped", r->slipped);
    json_put_bool(root, "verified", r->verified);
    json_put_bool(root, "out_of_time", r->out_of_time);
    json_put_bool(root, "interrupted", r->interrupted || r->out_of_time);
    return root;
}

void reduce_print(const ReduceResult *r, bool as_json, bool quiet, const char *where) {
    if (as_json) {
        json_t *json = reduce_json(r);
        json_print(json);
        json_decref(json);
        return;
    }
    show(r, stdout);
    print_sizes(r, where, stderr);
    if (!quiet) print_statistics(r, stderr);
    print_end(r, stderr);
}
