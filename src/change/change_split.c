/* Cutting a hunk where it holds independent statements.
 *
 * Both sides of the hunk are read as units: lines up to where brackets and #if are closed and a
 * statement, a list entry, a function or a preprocessor line ends. The units of the two sides are
 * aligned in order by their similarity (a small dynamic program); a pair is a change of its own, a
 * unit without a partner is an insertion or deletion of its own, and a stretch where both sides
 * have units without partners stays together, except for macros: two names are two changes, each of
 * which can exist with the other. A hunk that opens or closes more than it contains is not cut. */
#include "change/change.h"
#include "change/change_knobs.h"
#include "change/ctext.h"

/* Lines [from, to) of one side. */
typedef struct Unit {
    size_t from, to;
    bool listed; /* ends with a comma: an entry of a list, or the front of a longer declaration */
} Unit;
typedef VEC(Unit) Units;

static bool ends_unit(const CLine *line, int depth, int conditions) {
    if (depth != 0 || conditions != 0 || line->goes_on) return false;
    return line->directive || line->last == 0 || strchr(";},", line->last) != NULL;
}

/* False when the lines do not divide into units. */
static bool read_units(const StrVec *lines, const uint8_t *inside, size_t from, size_t len,
                       Units *units) {
    int depth = 0, conditions = 0;
    size_t start = from;
    for (size_t i = from; i < from + len; i++) {
        CLine line = ctext_line(lines->at[i], inside[i]);
        bool fresh = i == start;
        if (depth + line.lowest < 0 || conditions + line.conditions < 0) return false;
        if (line.is_else && fresh && (!units->len || line.directive)) return false;
        if (line.is_else && fresh) start = vec_pop(units).from;
        depth += line.brackets;
        conditions += line.conditions;
        if (!ends_unit(&line, depth, conditions)) continue;
        while (line.last == ';' && units->len && vec_last(units).listed)
            start = vec_pop(units).from;
        vec_push(units, (Unit){ start, i + 1, line.last == ',' });
        start = i + 1;
    }
    return start == from + len;
}

static Str unit_text(const StrVec *lines, Unit unit) {
    Str first = lines->at[unit.from], last = lines->at[unit.to - 1];
    return (Str){ first.at, (size_t)(last.at + last.len - first.at) };
}

/* The name a unit defines as a macro; empty when it is not one. */
static Str macro_name(const StrVec *lines, Unit unit) {
    CScan scan = cscan_start(unit_text(lines, unit), false);
    if (!str_is(cscan_next(&scan).text, "#") || !str_is(cscan_next(&scan).text, "define"))
        return (Str){ "", 0 };
    return cscan_next(&scan).text;
}

static bool other_macros(const ChangeFile *file, Unit bad, Unit good) {
    Str x = macro_name(&file->bad_lines, bad), y = macro_name(&file->good_lines, good);
    return x.len && y.len && !str_eq(x, y);
}

/* score[i][j]: the best alignment of the first i units of bad with the first j of good. */
static double *align_scores(const ChangeFile *file, const Units *bad, const Units *good,
                            double *likeness) {
    size_t width = good->len + 1;
    double *score = mem_alloc((bad->len + 1) * width * sizeof *score);
    for (size_t i = 1; i <= bad->len; i++)
        for (size_t j = 1; j <= good->len; j++) {
            double like = ctext_likeness(unit_text(&file->bad_lines, bad->at[i - 1]),
                                         unit_text(&file->good_lines, good->at[j - 1]));
            if (like < SPLIT_LIKENESS || other_macros(file, bad->at[i - 1], good->at[j - 1]))
                like = 0;
            likeness[i * width + j] = like;
            double best = score[(i - 1) * width + j];
            if (score[i * width + j - 1] > best) best = score[i * width + j - 1];
            double pair = score[(i - 1) * width + j - 1] + like;
            score[i * width + j] = like > 0 && pair > best ? pair : best;
        }
    return score;
}

/* partner[i]: the unit of good that unit i of bad is paired with, or good->len. */
static void align(const ChangeFile *file, const Units *bad, const Units *good, size_t *partner) {
    size_t width = good->len + 1;
    double *likeness = mem_alloc((bad->len + 1) * width * sizeof *likeness);
    double *score = align_scores(file, bad, good, likeness);
    for (size_t i = 0; i < bad->len; i++) partner[i] = good->len;
    for (size_t i = bad->len, j = good->len; i && j;) {
        double like = likeness[i * width + j];
        if (like > 0 && score[i * width + j] == score[(i - 1) * width + j - 1] + like)
            partner[--i] = --j;
        else if (score[i * width + j] == score[(i - 1) * width + j])
            i--;
        else
            j--;
    }
    mem_free(score);
    mem_free(likeness);
}

static void push_cut(DiffHunks *out, size_t a, size_t a_end, size_t b, size_t b_end) {
    if (a_end > a || b_end > b) vec_push(out, (DiffHunk){ a, a_end - a, b, b_end - b });
}

static bool all_macros(const StrVec *lines, const Units *units, size_t from, size_t to) {
    for (size_t i = from; i < to; i++)
        if (!macro_name(lines, units->at[i]).len) return false;
    return true;
}

/* A stretch without pairs: bad units [i, i_end) and good units [j, j_end) between the lines. */
static void push_stretch(const ChangeFile *file, DiffHunks *out, const Units *bad, size_t i,
                         size_t i_end, const Units *good, size_t j, size_t j_end, size_t a,
                         size_t b) {
    if (i < i_end && j < j_end &&
        !(all_macros(&file->bad_lines, bad, i, i_end) &&
          all_macros(&file->good_lines, good, j, j_end))) {
        push_cut(out, a, bad->at[i_end - 1].to, b, good->at[j_end - 1].to);
        return;
    }
    for (; j < j_end; j++, b = good->at[j - 1].to)
        push_cut(out, a, a, good->at[j].from, good->at[j].to);
    for (; i < i_end; i++) push_cut(out, bad->at[i].from, bad->at[i].to, b, b);
}

static void cut(const ChangeFile *file, DiffHunk hunk, const Units *bad, const Units *good,
                const size_t *partner, DiffHunks *out) {
    size_t a = hunk.a, b = hunk.b, i = 0, j = 0;
    for (size_t k = 0; k <= bad->len; k++) {
        if (k < bad->len && partner[k] == good->len) continue;
        size_t pair = k < bad->len ? partner[k] : good->len;
        push_stretch(file, out, bad, i, k, good, j, pair, a, b);
        if (k == bad->len) break;
        push_cut(out, bad->at[k].from, bad->at[k].to, good->at[pair].from, good->at[pair].to);
        a = bad->at[k].to, b = good->at[pair].to;
        i = k + 1, j = pair + 1;
    }
}

void change_split(const ChangeFile *file, DiffHunk hunk, DiffHunks *out) {
    Units bad = { 0 }, good = { 0 };
    bool ok = file->is_c &&
              read_units(&file->bad_lines, file->bad_inside, hunk.a, hunk.a_len, &bad) &&
              read_units(&file->good_lines, file->good_inside, hunk.b, hunk.b_len, &good) &&
              bad.len + good.len > 1 && (bad.len + 1) * (good.len + 1) <= SPLIT_MOST;
    if (ok) {
        size_t *partner = mem_alloc((bad.len + 1) * sizeof *partner);
        align(file, &bad, &good, partner);
        cut(file, hunk, &bad, &good, partner, out);
        mem_free(partner);
    } else {
        vec_push(out, hunk);
    }
    vec_release(&bad);
    vec_release(&good);
}
