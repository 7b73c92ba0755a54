/* See isolate_report.h. */
#include "command/isolate_report.h"
#include "base/file.h"
#include "base/quantity.h"

enum { LINES_SHOWN = 200, LINES_IN_TABLE = 5, FUNCTIONS_IN_TABLE = 3 };

/* ---- the most suspicious lines of one file ---- */
typedef struct LineScore {
    uint32_t line;
    double score;
} LineScore;

static int by_score(const void *a, const void *b) {
    const LineScore *x = a, *y = b;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}
static int by_line(const void *a, const void *b) {
    const LineScore *x = a, *y = b;
    return (x->line > y->line) - (x->line < y->line);
}

static size_t best_lines(Arena *arena, const Isolation *iso, const Ranking *r, uint32_t file,
                         size_t most, LineScore **out) {
    const CovMap *map = &iso->subject->map;
    size_t n = 0;
    for (uint32_t i = 0; i < map->n_stmts; i++)
        n += map->stmts[i].origin == file && r->stmts[i] > 0;
    LineScore *lines = ARENA_ARRAY(arena, LineScore, n + 1);
    n = 0;
    for (uint32_t i = 0; i < map->n_stmts; i++)
        if (map->stmts[i].origin == file && r->stmts[i] > 0)
            lines[n++] = (LineScore){ map->stmts[i].origin_line, r->stmts[i] };
    qsort(lines, n, sizeof *lines, by_score);
    if (n > most) n = most;
    qsort(lines, n, sizeof *lines, by_line);
    *out = lines;
    return n;
}

static double top_score(const Ranking *r, uint32_t n_stmts) {
    double high = 0;
    for (uint32_t i = 0; i < n_stmts; i++)
        if (r->stmts[i] > high) high = r->stmts[i];
    return high > 0 ? high : 1;
}

/* ---- JSON ---- */
static json_t *json_lines(Arena *arena, const Isolation *iso, const Ranking *r, uint32_t file,
                          double top) {
    LineScore *lines;
    size_t n = best_lines(arena, iso, r, file, LINES_SHOWN, &lines);
    StrVec text = { 0 };
    Str all;
    if (file_read(arena, iso->subject->map.files[file].path.at, &all, NULL))
        for (Str line; str_split(&all, '\n', &line);) vec_push(&text, line);
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *one = json_object();
        json_put_int(one, "line", lines[i].line);
        json_put_real(one, "score", lines[i].score / top);
        if (lines[i].line <= text.len) json_put_text(one, "text", text.at[lines[i].line - 1]);
        json_array_append_new(array, one);
    }
    vec_release(&text);
    return array;
}

static json_t *json_files(Arena *arena, const Isolation *iso, const Ranking *r, unsigned top) {
    const CovMap *map = &iso->subject->map;
    json_t *array = json_array();
    double high = top_score(r, map->n_stmts);
    for (uint32_t i = 0; i < r->n_files && i < top; i++) {
        const Suspect *s = &r->files[i];
        json_t *one = json_object();
        json_put_int(one, "rank", s->rank);
        json_put_text(one, "name", map->files[s->index].name);
        json_put_real(one, "score", s->score);
        json_put_int(one, "covered", s->covered);
        json_put_int(one, "cleared", s->cleared);
        if (s->frame) json_put_int(one, "frame", s->frame);
        if (i < 20) json_put(one, "lines", json_lines(arena, iso, r, s->index, high));
        json_array_append_new(array, one);
    }
    return array;
}

static json_t *json_functions(Arena *arena, const Isolation *iso, const Ranking *r, unsigned top) {
    const CovMap *map = &iso->subject->map;
    json_t *array = json_array();
    for (uint32_t i = 0; i < r->n_functions && i < top; i++) {
        const Suspect *s = &r->functions[i];
        const CovFunction *fn = &map->functions[s->index];
        json_t *one = json_object();
        json_put_int(one, "rank", s->rank);
        json_put_text(one, "name", covmap_show_name(arena, fn->name));
        json_put_text(one, "file", map->files[fn->file].name);
        json_put_int(one, "line", fn->start);
        json_put_real(one, "score", s->score);
        json_put_int(one, "covered", s->covered);
        json_array_append_new(array, one);
    }
    return array;
}

static json_t *json_witnesses(const Isolation *iso) {
    json_t *array = json_array();
    for (size_t i = 0; i < iso->witnesses.len; i++) {
        const Witness *w = &iso->witnesses.at[i];
        json_t *one = json_object();
        json_put_int(one, "id", w->id);
        json_put_text(one, "kind", str_from(witness_kind_name(w->kind)));
        json_put_text(one, "label", w->label);
        json_put_real(one, "distance", w->distance);
        if (w->program.len) json_put_text(one, "program", w->program);
        json_array_append_new(array, one);
    }
    return array;
}

static json_t *json_passes(const Isolation *iso) {
    json_t *array = json_array();
    int rank = 0;
    for (size_t i = iso->cures.len;
         i-- > 0;) { /* the last pass that cures is nearest to the damage */
        json_t *one = json_object();
        json_put_int(one, "rank", ++rank);
        json_put_text(one, "name", iso->cures.at[i].pass);
        json_put_real(one, "score", 1.0 / rank);
        json_put_bool(one, "cures", true);
        json_put_text(one, "option", iso->cures.at[i].option);
        json_array_append_new(array, one);
    }
    return array;
}

static json_t *json_backtrace(Arena *arena, const Isolation *iso, const Ranking *r) {
    json_t *array = json_array();
    for (size_t k = 0; k < iso->frames.len; k++) {
        json_t *one = json_object();
        json_put_text(one, "function", covmap_show_name(arena, iso->frames.at[k]));
        for (uint32_t i = 0; i < r->n_functions; i++)
            if (r->functions[i].frame == k + 1) {
                const CovFunction *fn = &iso->subject->map.functions[r->functions[i].index];
                json_put_text(one, "file", iso->subject->map.files[fn->file].name);
                json_put_int(one, "line", fn->start);
                break;
            }
        json_array_append_new(array, one);
    }
    return array;
}

static double mean_least(const Isolation *iso) {
    double sum = 0;
    for (size_t i = 0; i < iso->witnesses.len; i++) {
        double least = 1;
        for (size_t j = 0; j < iso->witnesses.len; j++) {
            double d =
                i == j ? 1 : bits_distance(&iso->witnesses.at[i].bits, &iso->witnesses.at[j].bits);
            if (d < least) least = d;
        }
        sum += least;
    }
    return iso->witnesses.len ? sum / (double)iso->witnesses.len : 0;
}

/* What the passing programs that came with the case would have ranked without any other witness. */
static json_t *json_alone(const Isolation *iso) {
    json_t *all = json_array(), *one = json_object(), *files = json_array();
    for (size_t i = 0; i < iso->alone.len; i++) {
        json_t *file = json_object();
        json_put_int(file, "rank", (int64_t)i + 1);
        json_put_text(file, "name", iso->alone.at[i]);
        json_array_append_new(files, file);
    }
    json_put_text(one, "what", STR("pair"));
    json_put(one, "files", files);
    json_array_append_new(all, one);
    return all;
}

static json_t *json_stats(const Isolation *iso) {
    json_t *stats = json_object();
    json_put_int(stats, "judged", (int64_t)iso->stats.judged);
    json_put_int(stats, "passed", (int64_t)iso->stats.passed);
    json_put_int(stats, "failed", (int64_t)iso->stats.failed);
    json_put_int(stats, "invalid", (int64_t)iso->stats.invalid);
    json_put_int(stats, "twins", (int64_t)iso->failing.len - 1);
    json_put_real(stats, "judge_cpu", iso->stats.judge_s);
    json_put_int(stats, "checked", (int64_t)iso->stats.checked);
    json_put_real(stats, "check_cpu", iso->stats.check_s);
    json_put_real(stats, "make_cpu", iso->stats.made_s);
    json_put_real(stats, "cpu", clock_own_cpu() + run_children_cpu());
    json_put_real(stats, "before_cpu", iso->stats.before_s);
    json_put_int(stats, "coverages", (int64_t)iso->stats.coverages);
    json_put_real(stats, "coverage_cpu", iso->stats.coverage_s);
    json_put_real(stats, "read_seconds", iso->stats.read_s);
    json_put_real(stats, "similarity", quality_sim(&iso->quality));
    json_put_real(stats, "diversity", quality_div(&iso->quality));
    json_put_real(stats, "least_distance", mean_least(iso));
    return stats;
}

json_t *isolate_json(const IsolateResult *result, unsigned top) {
    const Isolation *iso = &result->iso;
    const Ranking *r = &result->ranking;
    Arena arena = { 0 };
    const Subject *s = iso->subject;
    json_t *root = json_object();
    json_put_text(root, "failing",
                  str_from(arena_fmt(&arena, "%s " STR_FMT, s->cc.name, STR_ARG(s->fail_text))));
    json_put_text(root, "passing",
                  str_from(arena_fmt(&arena, "%s " STR_FMT, s->has_ref ? s->ref.name : s->cc.name,
                                     STR_ARG(s->pass_text))));
    json_put_text(root, "verdict", str_from(verdict_name(s->failure.kind)));
    json_put_text(root, "search", str_from(result->search));
    if (s->note.len) json_put_text(root, "note", s->note);
    if (iso->difference.len) json_put_text(root, "difference", iso->difference);
    json_put_bool(root, "interrupted", result->interrupted);
    json_put_real(root, "seconds",
                  (iso->ended > 0 ? iso->ended : isolation_now(iso)) - iso->started);
    json_put_int(root, "suspects", r->n_files);
    if (iso->shortened) json_put_text(root, "program", s->source);
    json_put_int(root, "shortened", iso->shortened);
    json_put(root, "witnesses", json_witnesses(iso));
    json_put(root, "files", json_files(&arena, iso, r, top));
    json_put(root, "functions", json_functions(&arena, iso, r, top));
    json_put(root, "passes", json_passes(iso));
    json_put(root, "backtrace", json_backtrace(&arena, iso, r));
    json_t *needed = json_array();
    if (iso->alone.len) json_put(root, "alone", json_alone(iso));
    for (size_t i = 0; i < iso->needed.len; i++)
        json_array_append_new(needed, json_text(iso->needed.at[i]));
    json_put(root, "needed", needed);
    json_put(root, "stats", json_stats(iso));
    arena_release(&arena);
    return root;
}

/* ---- the table ---- */
static void print_functions(Arena *arena, const Isolation *iso, const Ranking *r, uint32_t file,
                            FILE *out) {
    unsigned shown = 0;
    for (uint32_t i = 0; i < r->n_functions && shown < FUNCTIONS_IN_TABLE; i++) {
        const CovFunction *fn = &iso->subject->map.functions[r->functions[i].index];
        if (fn->file != file || r->functions[i].score <= 0) continue;
        fprintf(out, "%s" STR_FMT, shown++ ? ", " : "      ",
                STR_ARG(covmap_show_name(arena, fn->name)));
    }
    LineScore *lines;
    size_t n = best_lines(arena, iso, r, file, LINES_IN_TABLE, &lines);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%s%u", i ? " " : shown ? "; lines " : "      lines ", lines[i].line);
    if (shown || n) fputc('\n', out);
}

/* What the ranking was made from. */
static void print_runs(const Isolation *iso, FILE *out) {
    unsigned kinds[WITNESS_KINDS] = { 0 };
    size_t n = iso->witnesses.len, failing = iso->failing.len;
    for (size_t i = 0; i < n; i++) kinds[iso->witnesses.at[i].kind]++;
    if (n)
        fprintf(out, "%zu %s:", n, n == 1 ? "witness" : "witnesses");
    else
        fputs("no witness", out);
    for (int k = 0; k < WITNESS_KINDS; k++)
        if (kinds[k])
            fprintf(out, " %u %s%s", kinds[k], witness_kind_name((WitnessKind)k),
                    kinds[k] == 1       ? ""
                    : k == WITNESS_PASS ? "es"
                                        : "s");
    fprintf(out, "; %zu failing %s", failing, failing == 1 ? "run" : "runs");
    if (n)
        fprintf(out, "; similarity %.3f, diversity %.3f", quality_sim(&iso->quality),
                quality_div(&iso->quality));
    fputs("\n\n", out);
}

static void print_why(const Isolation *iso, FILE *out) {
    const Subject *s = iso->subject;
    fprintf(out, "fails (%s): %s " STR_FMT "\n", verdict_name(s->failure.kind), s->cc.name,
            STR_ARG(s->fail_text));
    if (s->failure.kind == VERDICT_CRASH)
        fprintf(out, "  " STR_FMT "\n", STR_ARG(s->failure.crash.signature));
    if (s->note.len) fprintf(out, STR_FMT "\n", STR_ARG(s->note));
    if (iso->difference.len) fprintf(out, STR_FMT "\n", STR_ARG(iso->difference));
    if (iso->needed.len) {
        fputs("needs", out);
        for (size_t i = 0; i < iso->needed.len; i++)
            fprintf(out, " " STR_FMT, STR_ARG(iso->needed.at[i]));
        fputc('\n', out);
    }
    if (iso->cures.len) {
        fputs(iso->needed.len ? "with no other optimisation and pass on, goes away with"
                              : "goes away with",
              out);
        for (size_t i = 0; i < iso->cures.len && i < 12; i++)
            fprintf(out, "%s" STR_FMT, i ? ", " : " ", STR_ARG(iso->cures.at[i].option));
        fputs(iso->cures.len > 12 ? ", ..\n" : "\n", out);
    }
    print_runs(iso, out);
}

void isolate_print(const IsolateResult *result, unsigned top, FILE *out) {
    const Isolation *iso = &result->iso;
    const Ranking *r = &result->ranking;
    Arena arena = { 0 };
    print_why(iso, out);
    fprintf(out, "%4s %6s  %-36s %s\n", "rank", "score", "file", "why");
    for (uint32_t i = 0; i < r->n_files && i < top; i++) {
        const Suspect *s = &r->files[i];
        fprintf(out, "%s%4u%s %6.3f  %-36.*s %u lines, cleared by %u of %zu",
                colour(out, COLOUR_BOLD), s->rank, colour(out, COLOUR_NONE), s->score,
                STR_ARG(iso->subject->map.files[s->index].name), s->covered, s->cleared,
                iso->witnesses.len);
        if (s->frame) fprintf(out, ", frame %u of the crash", s->frame);
        fputc('\n', out);
        if (i < 10) print_functions(&arena, iso, r, s->index, out);
    }
    if (r->n_files > top) fprintf(out, "     .. and %u more\n", r->n_files - top);
    arena_release(&arena);
}
