/* Units, and what clang says about them; see fit.h. */
#include "change/fit.h"
#include "base/file.h"
#include "base/quantity.h"
#include "cfront/check.h"
#include "change/fit_inside.h"

#include <stdlib.h>

/* ---- paths ---- */

/* A path without "." and "..", from the root. */
static char *plain_path(Arena *arena, const char *dir, Str path) {
    Str rest = path, part;
    if (!path.len || path.at[0] != '/')
        rest = str_from(arena_fmt(arena, "%s/" STR_FMT, dir, STR_ARG(path)));
    StrVec parts = { 0 };
    while (str_split(&rest, '/', &part)) {
        if (!part.len || str_is(part, ".")) continue;
        if (!str_is(part, ".."))
            vec_push(&parts, part);
        else if (parts.len)
            parts.len--;
    }
    Buf out = { 0 };
    for (size_t i = 0; i < parts.len; i++) buf_fmt(&out, "/" STR_FMT, STR_ARG(parts.at[i]));
    char *plain = arena_cstr(arena, buf_view(&out));
    buf_release(&out);
    vec_release(&parts);
    return plain;
}

/* The part of a plain path below the tree's root; NULL: it lies elsewhere. */
static const char *below(const char *root, const char *path) {
    size_t n = strlen(root);
    return strncmp(path, root, n) == 0 && path[n] == '/' ? path + n + 1 : NULL;
}

/* The file of the set that has this path in some version; set->files.len: none. */
static size_t file_at(const ChangeSet *set, const char *path) {
    for (size_t f = 0; f < set->files.len; f++) {
        const ChangeFile *file = &set->files.at[f];
        if (!file->count) continue;
        if ((file->bad_path && strcmp(file->bad_path, path) == 0) ||
            (file->good_path && strcmp(file->good_path, path) == 0))
            return f;
    }
    return set->files.len;
}

/* ---- the list ---- */

/* Arguments that write files, or say nothing about what compiles. */
static bool is_left_out(const char *arg, bool *with_next) {
    *with_next = strcmp(arg, "-MF") == 0 || strcmp(arg, "-MT") == 0 || strcmp(arg, "-MQ") == 0;
    return *with_next || strncmp(arg, "-M", 2) == 0 || strncmp(arg, "-Wp,", 4) == 0 ||
           strncmp(arg, "-W", 2) == 0 || strcmp(arg, "-fPIC") == 0 || strcmp(arg, "-fpic") == 0 ||
           strcmp(arg, "-DPIC") == 0 || strcmp(arg, "-pedantic-errors") == 0;
}

static bool same_args(const FitSide *a, const FitSide *b) {
    bool same = a->args.len == b->args.len;
    for (size_t i = 0; same && i < a->args.len; i++)
        same = strcmp(a->args.at[i], b->args.at[i]) == 0;
    return same;
}

/* Words that name the tree name another one in the other version: rewritten to its root. */
static const char *in_tree(Fit *fit, int side, const char *word) {
    const char *root = fit->root[side], *at = strstr(word, root);
    if (!at) return word;
    return arena_fmt(&fit->arena, "%.*s%s%s", (int)(at - word), word, fit->root[FIT_BAD],
                     at + strlen(root));
}

static void add_unit(Fit *fit, int side, const FitWords *words) {
    FitSide s = { .there = true, .dir = words->at[0], .source = words->at[1] };
    char *full = plain_path(&fit->arena, s.dir, str_from(s.source));
    const char *path = below(fit->root[side], full);
    if (!path || !file_exists(full)) return;
    for (size_t i = 2; i < words->len; i++) {
        bool with_next;
        if (!is_left_out(words->at[i], &with_next)) vec_push(&s.args, words->at[i]);
        i += with_next;
    }
    FitUnit *other = NULL;
    for (size_t u = 0; u < fit->units.len; u++) {
        FitUnit *unit = &fit->units.at[u];
        if (strcmp(unit->path, path) != 0) continue;
        if (unit->side[side].there && same_args(&unit->side[side], &s)) {
            vec_release(&s.args); /* compiled again, or for a shared library as well */
            return;
        }
        if (!unit->side[side].there && !other) other = unit;
    }
    if (!other) {
        vec_push(&fit->units, (FitUnit){ .path = path });
        other = &vec_last(&fit->units);
        other->reads = ARENA_ARRAY(&fit->arena, uint8_t, fit->set->files.len + 1);
    }
    other->side[side] = s;
}

static bool units_read(Fit *fit, int side, const char *path) {
    Str text, word, rest;
    if (!file_read(&fit->arena, path, &text, NULL)) return false;
    FitWords words = { 0 };
    for (rest = text; str_split(&rest, 0, &word);) {
        if (word.len) {
            vec_push(&words, word.at);
            continue;
        }
        if (words.len >= 2) add_unit(fit, side, &words);
        vec_clear(&words);
    }
    vec_release(&words);
    return true;
}

/* ---- parsing ---- */

/* The texts that replace the files of the set that a unit reads, in the tree of one version. */
static size_t make_texts(Fit *fit, const FitUnit *unit, int side, const uint8_t *reverted,
                         Arena *arena, CheckText *texts) {
    static const Str gone = { "#error \"no such file\"\n", 22 };
    size_t n = 0;
    for (size_t f = 0; f < fit->set->files.len; f++) {
        const ChangeFile *file = &fit->set->files.at[f];
        if (!unit->reads[f]) continue;
        Buf text = { 0 };
        const char *path, *paths[] = { file->bad_path, file->good_path };
        bool exists = changeset_file(fit->set, f, reverted, &text, &path);
        Str now = arena_str(arena, buf_view(&text));
        buf_release(&text);
        for (size_t p = 0; p < COUNT_OF(paths); p++) {
            if (!paths[p] || (p && paths[0] && strcmp(paths[0], paths[1]) == 0)) continue;
            bool here = exists && strcmp(path, paths[p]) == 0;
            texts[n++] =
                (CheckText){ file_join(arena, fit->root[side], paths[p]), here ? now : gone };
        }
    }
    for (size_t i = 0; i < fit->made.len; i++) {
        if (!(unit->made >> i & 1)) continue;
        Buf text = { 0 };
        const char *path = fit_made_text(fit, i, reverted, &text);
        texts[n++] = (CheckText){ file_join(arena, fit->root[side], path),
                                  arena_str(arena, buf_view(&text)) };
        buf_release(&text);
    }
    return n;
}

/* What a message has in quotes first. */
static Str quoted_in(Str text) {
    size_t from = str_find(text, STR("'"), 0);
    size_t to = from == STR_NONE ? STR_NONE : str_find(text, STR("'"), from + 1);
    return to == STR_NONE ? (Str){ "", 0 } : str_sub(text, from + 1, to);
}

/* Whether a message, or its note, is about a file that the build would make otherwise, or about a
 * name that such a file gives or takes away. */
static bool is_stray(const Fit *fit, int side, const FitUnit *unit, const CheckMessage *m) {
    const Str paths[] = { m->path, m->note_path };
    Arena scratch = { 0 };
    Str name = quoted_in(m->text);
    bool stray = unit->varies && name.len && fit_made_holds(fit, name);
    for (size_t i = 0; unit->varies && i < COUNT_OF(paths); i++) {
        if (!paths[i].len) continue;
        const char *path =
            below(fit->root[side], plain_path(&scratch, unit->side[side].dir, paths[i]));
        stray |= path && fit_made_strays(fit, path);
    }
    arena_release(&scratch);
    return stray;
}

/* The messages of a unit, but for those. */
static Str log_of(Fit *fit, int side, const FitUnit *unit, const Checked *checked) {
    Buf log = { 0 };
    Arena scratch = { 0 };
    for (size_t i = 0; i < checked->messages.len; i++) {
        const CheckMessage *m = &checked->messages.at[i];
        if (is_stray(fit, side, unit, m)) continue;
        char *full = plain_path(&scratch, unit->side[side].dir, m->path);
        const char *path = below(fit->root[side], full);
        buf_fmt(&log, "%s:%u:%u: error: " STR_FMT, path ? path : full, m->line, m->column,
                STR_ARG(m->text));
        full = plain_path(&scratch, unit->side[side].dir, m->note_path);
        path = m->note_path.len ? below(fit->root[side], full) : NULL;
        if (path) buf_fmt(&log, FIT_SEE "%s:%u", path, m->note_line);
        buf_char(&log, '\n');
    }
    Str kept = arena_str(&fit->arena, buf_view(&log));
    buf_release(&log);
    arena_release(&scratch);
    return kept;
}

static void keep_symbols(Fit *fit, int side, const FitUnit *unit, const Checked *checked,
                         FitAnswer *answer) {
    FitSymbol *symbols = ARENA_ARRAY(&fit->arena, FitSymbol, checked->symbols.len + 1);
    Map paths = { 0 };
    for (size_t i = 0; i < checked->symbols.len; i++) {
        const CheckSymbol *s = &checked->symbols.at[i];
        uint64_t *path = map_at(&paths, s->path);
        if (!*path) {
            char *full = plain_path(&fit->arena, unit->side[side].dir, s->path);
            const char *own = below(fit->root[side], full);
            *path = (uint64_t)(uintptr_t)(own ? own : full);
        }
        symbols[i] = (FitSymbol){ fit_name(fit, s->name), s->line,
                                  str_from((const char *)(uintptr_t)*path), s->defined, s->local };
    }
    map_release(&paths);
    answer->symbols = symbols;
    answer->n_symbols = checked->symbols.len;
}

/* Whether a file below the tree is none of the sources, but made by some tool, and not the same in
 * both versions. */
static bool is_made_otherwise(Fit *fit, const char *path) {
    uint64_t *known = map_at(&fit->otherwise, str_from(path));
    if (*known) return *known == 2;
    Arena scratch = { 0 };
    Str a = { "", 0 }, b = { "", 0 };
    bool source = file_exists(file_join(&scratch, fit->set->bad_root, path)) ||
                  file_exists(file_join(&scratch, fit->set->good_root, path));
    bool same =
        source || (file_read(&scratch, file_join(&scratch, fit->root[FIT_BAD], path), &a, NULL) &&
                   file_read(&scratch, file_join(&scratch, fit->root[FIT_GOOD], path), &b, NULL) &&
                   str_eq(a, b));
    arena_release(&scratch);
    *known = same ? 1 : 2;
    return !same;
}

/* A file that the builds made otherwise; true when the unit has to be parsed again with what the
 * set makes of it. */
static bool note_made(Fit *fit, FitUnit *unit, int side, const uint8_t *reverted,
                      const char *path) {
    size_t made = fit_made_note(fit, path);
    if (!fit_made_follows(fit, made)) {
        unit->varies = true;
        return false;
    }
    bool known = unit->made >> made & 1;
    unit->made |= (uint64_t)1 << made;
    return !known && (side == FIT_GOOD || fit_made_touched(fit, made, reverted));
}

/* Notes files of the set that it turns out to read; true when there were some. As long as the
 * versions as they are are looked at, files that the builds made as well. */
static bool note_reads(Fit *fit, FitUnit *unit, int side, const uint8_t *reverted,
                       const Checked *checked) {
    Arena scratch = { 0 };
    bool more = false;
    for (size_t i = 0; i < checked->files.len; i++) {
        char *full = plain_path(&scratch, unit->side[side].dir, checked->files.at[i]);
        const char *path = below(fit->root[side], full);
        if (!path) continue;
        size_t f = file_at(fit->set, path);
        if (f < fit->set->files.len && !unit->reads[f]) unit->reads[f] = 1, more = true;
        if (f == fit->set->files.len && !fit->n_ends && is_made_otherwise(fit, path))
            more |= note_made(fit, unit, side, reverted, path);
    }
    arena_release(&scratch);
    return more;
}

static const FitAnswer *parse(Fit *fit, FitUnit *unit, int side, const uint8_t *reverted) {
    FitAnswer *answer = ARENA_NEW(&fit->arena, FitAnswer);
    const FitSide *s = &unit->side[side];
    Checked checked;
    Arena scratch = { 0 };
    FitWords args = { 0 };
    for (size_t i = 0; i < s->args.len; i++) vec_push(&args, s->args.at[i]);
    vec_push(&args, NULL);
    double start = clock_own_cpu();
    for (bool again = true; again;) {
        CheckText *texts =
            ARENA_ARRAY(&scratch, CheckText, 2 * fit->set->files.len + FIT_MADE_MOST + 1);
        CheckUnit ask = { s->dir, plain_path(&scratch, s->dir, str_from(s->source)), args.at, texts,
                          make_texts(fit, unit, side, reverted, &scratch, texts) };
        cfront_check(&scratch, &ask, &checked);
        fit->counts.parses++;
        again = note_reads(fit, unit, side, reverted, &checked);
        if (again) checked_release(&checked);
    }
    fit->counts.parse_s += clock_own_cpu() - start;
    answer->fits = checked.unknown || !checked.messages.len;
    if (!answer->fits) answer->log = log_of(fit, side, unit, &checked);
    answer->guessed = !answer->fits && !answer->log.len;
    answer->fits |= answer->guessed;
    keep_symbols(fit, side, unit, &checked, answer);
    checked_release(&checked);
    vec_release(&args);
    arena_release(&scratch);
    return answer;
}

/* The state of the files that a unit reads, in one version's tree. */
static Hash state_of(const Fit *fit, const FitUnit *unit, int side, const uint8_t *reverted) {
    Buf key = { 0 };
    buf_char(&key, (char)side);
    for (size_t f = 0; f < fit->set->files.len; f++) {
        const ChangeFile *file = &fit->set->files.at[f];
        if (!unit->reads[f]) continue;
        buf_add(&key, &f, sizeof f);
        buf_add(&key, reverted + file->first, file->count);
        if (file->blends) buf_add(&key, &file->blends, sizeof file->blends);
    }
    for (size_t i = 0; i < fit->made.len; i++)
        if (unit->made >> i & 1) fit_made_state(fit, i, reverted, &key);
    Hash hash = str_hash128(buf_view(&key));
    buf_release(&key);
    return hash;
}

static const FitAnswer *answer_of(Fit *fit, FitUnit *unit, int side, const uint8_t *reverted) {
    Hash state = state_of(fit, unit, side, reverted);
    const FitAnswer *known = map_get_ptr(&unit->known, (Str){ (char *)&state, sizeof state });
    if (known) return known;
    known = parse(fit, unit, side, reverted);
    state = state_of(fit, unit, side, reverted); /* it may read more than was known */
    map_put_ptr(&unit->known, (Str){ (char *)&state, sizeof state }, (void *)known);
    return known;
}

/* ---- the two versions as they are ---- */

static bool reads_any(const Fit *fit, const FitUnit *unit) {
    for (size_t f = 0; f < fit->set->files.len; f++)
        if (unit->reads[f]) return true;
    return false;
}

static bool is_c_text(Str path) {
    static const char *const suffixes[] = { ".c", ".h", ".inc", ".def" };
    for (size_t i = 0; i < COUNT_OF(suffixes); i++)
        if (str_ends(path, suffixes[i])) return true;
    return false;
}

/* Arguments name the tree they were given for. */
static bool flags_differ(Fit *fit, const FitUnit *unit) {
    const FitSide *bad = &unit->side[FIT_BAD], *good = &unit->side[FIT_GOOD];
    bool differ = bad->args.len != good->args.len;
    for (size_t i = 0; !differ && i < bad->args.len; i++)
        differ = strcmp(bad->args.at[i], in_tree(fit, FIT_GOOD, good->args.at[i])) != 0;
    return differ;
}

/* Parses a unit as both versions have it: in bad's tree, as long as that holds all that good's text
 * needs. False: it takes too long. */
static bool learn_ends(Fit *fit, FitUnit *unit, FitLimits limits) {
    uint8_t *ends = mem_alloc(fit->set->changes.len + 1);
    double before = fit->counts.parse_s;
    bool both = unit->side[FIT_BAD].there && unit->side[FIT_GOOD].there;
    unit->varies = both && flags_differ(fit, unit);
    if (unit->side[FIT_BAD].there) unit->end[FIT_BAD] = answer_of(fit, unit, FIT_BAD, ends);
    memset(ends, 1, fit->set->changes.len);
    if (both && !unit->varies)
        unit->end[FIT_GOOD] =
            reads_any(fit, unit) ? answer_of(fit, unit, FIT_BAD, ends) : unit->end[FIT_BAD];
    unit->varies |= both && !unit->varies && !unit->end[FIT_GOOD]->fits;
    if (unit->side[FIT_GOOD].there && (unit->varies || !both))
        unit->end[FIT_GOOD] = answer_of(fit, unit, FIT_GOOD, ends);
    unit->varies = unit->varies && both;
    for (int side = 0; side < FIT_SIDES; side++)
        unit->mute |= unit->end[side] && !unit->end[side]->fits;
    mem_free(ends);
    return fit->counts.parse_s - before < 2 * limits.unit_s && fit->counts.parse_s < limits.whole_s;
}

static void mark_outside(Fit *fit) {
    fit->outside = ARENA_ARRAY(&fit->arena, uint8_t, fit->set->changes.len + 1);
    for (size_t c = 0; c < fit->set->changes.len; c++)
        fit->outside[c] = !fit->set->changes.at[c].idle && !is_c_text(change_path(fit->set, c));
}

/* Headers that only the other version has: clang finds a text only where a file exists. */
static void place_headers(const Fit *fit) {
    Arena scratch = { 0 };
    for (size_t f = 0; f < fit->set->files.len; f++) {
        const ChangeFile *file = &fit->set->files.at[f];
        const char *paths[] = { file->bad_path, file->good_path };
        for (size_t i = 0; file->count && i < FIT_SIDES * COUNT_OF(paths); i++) {
            const char *path = paths[i / FIT_SIDES];
            if (!path || !is_c_text(str_from(path)) || str_ends(str_from(path), ".c")) continue;
            char *full = file_join(&scratch, fit->root[i % FIT_SIDES], path);
            char *slash = strrchr(full, '/');
            if (file_exists(full)) continue;
            *slash = 0;
            file_make_dirs(full, NULL);
            *slash = '/';
            file_write(full, STR("#error \"no such file\"\n"), NULL);
        }
    }
    arena_release(&scratch);
}

Fit *fit_new(const ChangeSet *set, const FitTree *bad, const FitTree *good, FitLimits limits) {
    Fit *fit = mem_alloc(sizeof *fit);
    const FitTree *trees[] = { bad, good };
    fit->set = set;
    bool ok = true;
    for (int side = 0; ok && side < FIT_SIDES; side++) {
        char *real = realpath(trees[side]->dir, NULL);
        fit->root[side] = arena_strdup(&fit->arena, real ? real : trees[side]->dir);
        free(real);
        ok = units_read(fit, side, trees[side]->list);
    }
    mark_outside(fit);
    if (ok) place_headers(fit);
    for (size_t u = 0; ok && u < fit->units.len; u++)
        ok = learn_ends(fit, &fit->units.at[u], limits);
    fit->counts.units = fit->units.len;
    if (ok && fit->units.len) {
        fit_link_ends(fit);
        return fit;
    }
    fit_free(fit);
    return NULL;
}

void fit_free(Fit *fit) {
    if (!fit) return;
    for (size_t u = 0; u < fit->units.len; u++) {
        for (int side = 0; side < FIT_SIDES; side++) vec_release(&fit->units.at[u].side[side].args);
        map_release(&fit->units.at[u].known);
    }
    vec_release(&fit->units);
    fit_made_release(fit);
    map_release(&fit->otherwise);
    map_release(&fit->names);
    vec_release(&fit->by_number);
    arena_release(&fit->arena);
    mem_free(fit);
}

const FitCounts *fit_counts(const Fit *fit) {
    return &fit->counts;
}

bool fit_varies(const Fit *fit) {
    for (size_t u = 0; u < fit->units.len; u++)
        if (fit->units.at[u].varies) return true;
    return false;
}

/* ---- one set ---- */

/* How much of what no C compiler reads is reverted: none, all, or a part. */
typedef enum FitOutside { OUTSIDE_NONE, OUTSIDE_ALL, OUTSIDE_PART } FitOutside;

static FitOutside outside_of(const Fit *fit, const uint8_t *reverted) {
    bool some = false, all = true;
    for (size_t c = 0; c < fit->set->changes.len; c++) {
        if (!fit->outside[c]) continue;
        some |= reverted[c];
        all &= reverted[c];
    }
    return !some ? OUTSIDE_NONE : all ? OUTSIDE_ALL : OUTSIDE_PART;
}

static bool touches(const Fit *fit, const FitUnit *unit, const uint8_t *reverted) {
    for (size_t f = 0; f < fit->set->files.len; f++) {
        const ChangeFile *file = &fit->set->files.at[f];
        if (unit->reads[f] && memchr(reverted + file->first, 1, file->count)) return true;
    }
    for (size_t i = 0; i < fit->made.len; i++)
        if ((unit->made >> i & 1) && fit_made_touched(fit, i, reverted)) return true;
    return false;
}

/* Whether reverting a change makes a build file name the unit again. */
static bool brings_unit(const Fit *fit, size_t change, const FitUnit *unit) {
    if (!fit->outside[change] || fit->set->changes.at[change].kind != CHANGE_LINES ||
        !change_is_build_file(change_path(fit->set, change)))
        return false;
    return change_names_file(change_good_text(fit->set, change), unit->path) &&
           !change_names_file(change_bad_text(fit->set, change), unit->path);
}

/* Whether a unit that only good compiles is compiled in the set; false: nothing tells. */
static bool is_named(const Fit *fit, const FitUnit *unit, const uint8_t *reverted, bool *named) {
    bool known = false;
    *named = true;
    for (size_t c = 0; c < fit->set->changes.len; c++) {
        if (!brings_unit(fit, c, unit)) continue;
        known = true;
        *named = *named && reverted[c];
    }
    return known;
}

bool fit_brings(const Fit *fit, size_t change, Str name) {
    for (size_t u = 0; u < fit->units.len; u++) {
        const FitUnit *unit = &fit->units.at[u];
        const FitAnswer *end = unit->end[FIT_GOOD];
        if (unit->side[FIT_BAD].there || !end || !brings_unit(fit, change, unit)) continue;
        for (size_t i = 0; i < end->n_symbols; i++)
            if (end->symbols[i].defined && !end->symbols[i].local &&
                str_eq(fit->by_number.at[end->symbols[i].name], name))
                return true;
    }
    return false;
}

/* Whether the unit's source is in the tree of the set; where only one version compiles it though
 * both have it, what is outside decides. */
static bool is_part(const Fit *fit, FitUnit *unit, const uint8_t *reverted, FitOutside outside) {
    size_t f = file_at(fit->set, unit->path);
    if (f < fit->set->files.len) {
        Buf text = { 0 };
        const char *path;
        bool exists = changeset_file(fit->set, f, reverted, &text, &path);
        buf_release(&text);
        if (!exists || strcmp(path, unit->path) != 0) return false;
        const ChangeFile *file = &fit->set->files.at[f];
        if (!file->bad_path || !file->good_path || strcmp(file->bad_path, file->good_path) != 0)
            return true;
    }
    if (unit->side[FIT_BAD].there && unit->side[FIT_GOOD].there) return true;
    bool named;
    if (unit->side[FIT_GOOD].there && is_named(fit, unit, reverted, &named)) return named;
    unit->unsure = outside == OUTSIDE_PART;
    return unit->unsure || unit->side[outside == OUTSIDE_ALL ? FIT_GOOD : FIT_BAD].there;
}

/* Asks about one unit in the set; false: it does not compile. */
static bool ask_unit(Fit *fit, FitUnit *unit, const uint8_t *reverted, FitOutside outside,
                     Buf *log) {
    unit->unsure = unit->mute;
    unit->taken = unit->other = NULL;
    if (!is_part(fit, unit, reverted, outside)) return true;
    bool both = unit->side[FIT_BAD].there && unit->side[FIT_GOOD].there;
    int first =
        !unit->side[FIT_BAD].there || (unit->varies && outside == OUTSIDE_ALL) ? FIT_GOOD : FIT_BAD;
    bool other = both && unit->varies && outside == OUTSIDE_PART;
    unit->unsure |= other;
    if (first == FIT_BAD && !touches(fit, unit, reverted)) {
        unit->taken = unit->end[FIT_BAD];
        return true;
    }
    const FitAnswer *answer = answer_of(fit, unit, first, reverted);
    const FitAnswer *second = other ? answer_of(fit, unit, FIT_GOOD, reverted) : answer;
    unit->taken = answer->fits ? answer : second;
    if (answer->fits && second->fits && !unit->mute) unit->other = second;
    if (unit->taken->guessed) { /* its symbols are unknown: those of either version */
        unit->unsure = true;
        unit->taken = unit->end[FIT_BAD] ? unit->end[FIT_BAD] : unit->end[FIT_GOOD];
        unit->other = unit->end[FIT_GOOD];
    }
    if (answer->fits || second->fits || unit->mute || (unit->unsure && !both)) return true;
    buf_str(log, answer->log);
    return false;
}

static void to_front(Fit *fit, size_t u) {
    FitUnit unit = fit->units.at[u];
    memmove(fit->units.at + 1, fit->units.at, u * sizeof unit);
    fit->units.at[0] = unit;
}

bool fit_set(Fit *fit, const uint8_t *reverted, Buf *log) {
    FitOutside outside = outside_of(fit, reverted);
    bool fits = true;
    fit->counts.asked++;
    for (size_t u = 0; fits && u < fit->units.len; u++) {
        fits = ask_unit(fit, &fit->units.at[u], reverted, outside, log);
        if (!fits) to_front(fit, u);
    }
    fit->refused = fits ? NULL : fit->units.at[0].path;
    fits = fits && fit_link(fit, log);
    fit->counts.refused += !fits;
    return fits;
}

/* ---- one message ---- */

const char *fit_refused_unit(const Fit *fit) {
    return fit->refused;
}

Str fit_message_text(Str line) {
    size_t at = str_find(line, STR("error: "), 0), see = str_find(line, STR(FIT_SEE), 0);
    if (at == STR_NONE) return (Str){ "", 0 };
    return str_sub(line, at + strlen("error: "), see == STR_NONE ? line.len : see);
}

static size_t count_messages(Str log, Str text) {
    Str line;
    size_t n = 0;
    while (str_split(&log, '\n', &line)) n += str_eq(fit_message_text(line), text);
    return n;
}

size_t fit_says(Fit *fit, const char *unit, const uint8_t *reverted, Str text) {
    Buf log = { 0 };
    size_t n = 0;
    for (size_t u = 0; u < fit->units.len; u++) {
        if (strcmp(fit->units.at[u].path, unit) != 0) continue;
        ask_unit(fit, &fit->units.at[u], reverted, outside_of(fit, reverted), &log);
        n += count_messages(buf_view(&log), text);
        buf_clear(&log);
    }
    buf_release(&log);
    return n;
}
