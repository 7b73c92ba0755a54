/* FindAux; see aux.h. */
#include "explain/aux.h"
#include "base/file.h"
#include "change/ctext.h"
#include "change/declare.h"
#include "explain/explain_knobs.h"

#include <ctype.h>

void aux_release(AuxFinder *aux) {
    vec_release(&aux->solved);
    vec_release(&aux->declared);
    vec_release(&aux->declares);
    words_free(aux->words);
    arena_release(&aux->arena);
}

/* Functions end with a brace in the first column: a change with such a brace between it and the
 * change before it begins a new group. */
static void number_groups(AuxFinder *aux, const ChangeSet *set) {
    size_t number = 0, line = 0;
    for (size_t i = 0; i < set->changes.len; i++) {
        const Change *c = &set->changes.at[i];
        const ChangeFile *file = &set->files.at[c->file];
        bool next = i && c->file != set->changes.at[i - 1].file;
        size_t at = c->kind == CHANGE_LINES ? file->cuts.at[c->cut].a : 0;
        if (next) line = 0;
        for (; line < at && line < file->bad_lines.len; line++)
            next |= file->bad_lines.at[line].len && file->bad_lines.at[line].at[0] == '}';
        number += next;
        aux->group[i] = number;
    }
}

/* The name of the function that a piece defines: the word before its first parenthesis. */
static Str function_name(const StrVec *lines, const DeclPiece *piece) {
    CToken last = { 0 };
    for (size_t i = piece->from; i < piece->to; i++) {
        CScan scan = cscan_start(lines->at[i], false);
        for (CToken t; (t = cscan_next(&scan)).kind != CTOKEN_END; last = t)
            if (str_is(t.text, "(") && last.kind == CTOKEN_WORD) return last.text;
    }
    return (Str){ "", 0 };
}

static ChangeSpan span_of(const ChangeSet *set, size_t change, bool good) {
    return good ? change_good_span(set, change) : change_bad_span(set, change);
}

/* Which names of a piece of one version the changes from *c on hold; *c moves past those that end
 * before it. */
static void note_piece(const ChangeSet *set, const ChangeFile *file, bool good,
                       const DeclPiece *piece, size_t *c, AuxDeclaredVec *out) {
    const StrVec *lines = good ? &file->good_lines : &file->bad_lines;
    StrVec names = { 0 };
    size_t end = file->first + file->count;
    for (; *c < end; ++*c) {
        ChangeSpan span = span_of(set, *c, good);
        if (span.line - 1 + span.len > piece->from) break;
    }
    for (size_t i = *c; i < end && span_of(set, i, good).line - 1 < piece->to; i++) {
        if (!span_of(set, i, good).len || set->changes.at[i].idle) continue;
        Str text = good ? change_good_text(set, i) : change_bad_text(set, i);
        if (!names.len && piece->kind == PIECE_FUNCTION)
            vec_push(&names, function_name(lines, piece));
        else if (!names.len)
            declare_names(lines, piece, &names);
        for (size_t k = 0; k < names.len; k++)
            if (names.at[k].len && ctext_has_word(text, names.at[k]))
                vec_push(out, ((AuxDeclared){ names.at[k], i }));
    }
    vec_release(&names);
}

static void note_declared(const ChangeSet *set, bool good, AuxDeclaredVec *out) {
    for (size_t f = 0; f < set->files.len; f++) {
        const ChangeFile *file = &set->files.at[f];
        if (file->skip || !file->is_c || !file->count) continue;
        if (set->changes.at[file->first].kind != CHANGE_LINES) continue;
        PieceVec pieces = { 0 };
        declare_pieces(good ? &file->good_lines : &file->bad_lines, &pieces);
        size_t c = file->first;
        for (size_t i = 0; i < pieces.len; i++) note_piece(set, file, good, &pieces.at[i], &c, out);
        vec_release(&pieces);
    }
}

void aux_init(AuxFinder *aux, Oracle *oracle) {
    const ChangeSet *set = oracle_set(oracle);
    *aux = (AuxFinder){ .oracle = oracle, .words = words_new(set) };
    aux->group = ARENA_ARRAY(&aux->arena, size_t, set->changes.len + 1);
    number_groups(aux, set);
    note_declared(set, true, &aux->declared);
    note_declared(set, false, &aux->declares);
}

/* ---- messages ---- */

static bool is_type_word(Str word) {
    static const char *const words[] = { "struct", "union", "enum",   "const",    "unsigned",
                                         "signed", "int",   "char",   "long",     "short",
                                         "void",   "float", "double", "volatile", "static",
                                         "extern", "aka",   "_Bool",  "inline",   "restrict",
                                         "sizeof", "return" };
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (str_is(word, words[i])) return true;
    return false;
}

static void add_words(Str quoted, StrVec *names) {
    CScan scan = cscan_start(quoted, false);
    for (CToken t; (t = cscan_next(&scan)).kind != CTOKEN_END;) {
        if (t.kind != CTOKEN_WORD || is_type_word(t.text)) continue;
        bool known = false;
        for (size_t i = 0; i < names->len && !known; i++) known = str_eq(names->at[i], t.text);
        if (!known) vec_push(names, t.text);
    }
}

bool aux_is_message(Str line) {
    static const char *const marks[] = { "error",
                                         "undefined reference",
                                         "multiple definition",
                                         "undefined symbol",
                                         "implicit declaration",
                                         "duplicate symbol" };
    for (size_t i = 0; i < COUNT_OF(marks); i++)
        if (str_find(line, str_from(marks[i]), 0) != STR_NONE) return true;
    return false;
}

/* The first part in quotes of any style after from; false when there is none. */
static bool next_quoted(Str line, size_t *from, Str *quoted) {
    for (size_t i = *from; i < line.len; i++) {
        char c = line.at[i];
        if (c != '\'' && c != '`' && c != '"') continue;
        for (size_t j = i + 1; j < line.len; j++)
            if (line.at[j] == '\'' || (c == '"' && line.at[j] == '"')) {
                *quoted = str_sub(line, i + 1, j);
                *from = j + 1;
                return true;
            }
    }
    return false;
}

void aux_names(Str log, StrVec *names) {
    Str rest = log, line;
    while (str_split(&rest, '\n', &line)) {
        size_t from = 0;
        Str quoted;
        if (!aux_is_message(line)) continue;
        /* The place at the front can contain quotes only if a path does: it does not matter. */
        while (next_quoted(line, &from, &quoted)) add_words(quoted, names);
    }
}

/* ---- guessing from messages ---- */

static AuxRelation relation_of(const WordUse *use) {
    if (!use) return REL_NONE;
    return use->in_good != use->in_bad ? REL_BRINGS : REL_MENTIONS;
}

AuxRelation aux_relation(const AuxFinder *aux, size_t change, Str name) {
    return relation_of(words_use(words_find(aux->words, name), change));
}

static size_t add_related(const AuxFinder *aux, Str name, AuxRelation wanted, uint8_t *subset) {
    const ChangeSet *set = oracle_set(aux->oracle);
    WordUses uses = words_find(aux->words, name);
    size_t added = 0;
    for (size_t i = 0; i < uses.len; i++) {
        size_t c = uses.at[i].change;
        if (!subset[c] && !set->changes.at[c].idle && relation_of(&uses.at[i]) == wanted)
            subset[c] = 1, added++;
    }
    return added;
}

/* Changes whose revert declares the name again. */
static size_t add_declaring(const AuxFinder *aux, Str name, uint8_t *subset) {
    size_t added = 0;
    for (size_t i = 0; i < aux->declared.len; i++) {
        const AuxDeclared *d = &aux->declared.at[i];
        if (subset[d->change] || !str_eq(d->name, name)) continue;
        subset[d->change] = 1, added++;
    }
    return added;
}

bool aux_message_place(Str line, Str *path, uint64_t *number) {
    size_t colon = str_find(line, STR(":"), 0);
    if (!aux_is_message(line) || colon == STR_NONE) return false;
    size_t end = str_find(line, STR(":"), colon + 1);
    if (end == STR_NONE || !str_to_u64(str_sub(line, colon + 1, end), number)) return false;
    *path = str_sub(line, 0, colon);
    while (str_starts(*path, "./")) *path = str_sub(*path, 2, path->len);
    return true;
}

/* What is called on a line, or (calls false) what a declaration on it starts with. */
static void line_names(Str line, bool calls, StrVec *names) {
    CScan scan = cscan_start(line, false);
    CToken last = { 0 };
    for (CToken t; (t = cscan_next(&scan)).kind != CTOKEN_END; last = t) {
        if (!calls && t.kind == CTOKEN_WORD && names->len < 2) add_words(t.text, names);
        if (calls && last.kind == CTOKEN_WORD && str_is(t.text, "(")) add_words(last.text, names);
    }
}

/* Names on a line of the tree with the subset reverted. */
static void words_at(const ChangeSet *set, const uint8_t *subset, Str path, uint64_t number,
                     bool calls, StrVec *names, Arena *arena) {
    Buf text = { 0 };
    const char *at;
    for (size_t f = 0; f < set->files.len; f++) {
        buf_clear(&text);
        const ChangeFile *file = &set->files.at[f];
        if (!file->bad_path || !str_ends(path, file_name(file->bad_path))) continue;
        if (!changeset_file(set, f, subset, &text, &at)) continue;
        Str rest = buf_view(&text), line = { "", 0 };
        while (number-- > 0 && str_split(&rest, '\n', &line)) {
        }
        line_names(arena_str(arena, line), calls, names);
        break;
    }
    buf_release(&text);
}

/* Messages that name nothing (tcc's "too few arguments to function"): what is on their lines. */
static size_t add_from_places(const AuxFinder *aux, Str log, uint8_t *subset) {
    const ChangeSet *set = oracle_set(aux->oracle);
    Arena arena = { 0 };
    StrVec names = { 0 };
    Str rest = log, line, path;
    uint64_t number;
    while (str_split(&rest, '\n', &line))
        if (aux_message_place(line, &path, &number)) {
            bool calls = str_find(line, STR("argument"), 0) != STR_NONE;
            words_at(set, subset, path, number, calls, &names, &arena);
        }
    size_t added = 0;
    for (size_t i = 0; i < names.len; i++)
        added += add_related(aux, names.at[i], REL_BRINGS, subset);
    for (size_t i = 0; !added && i < names.len; i++)
        added += add_related(aux, names.at[i], REL_MENTIONS, subset);
    vec_release(&names);
    arena_release(&arena);
    return added;
}

/* All changes that share the hunk, then the function, of one that is in the subset. */
static size_t add_neighbours(const AuxFinder *aux, const uint8_t *root, uint8_t *subset,
                             bool function) {
    const ChangeSet *set = oracle_set(aux->oracle);
    size_t added = 0;
    for (size_t i = 0; i < set->changes.len; i++) {
        if (!root[i]) continue;
        for (size_t j = 0; j < set->changes.len; j++) {
            bool near = function ? aux->group[i] == aux->group[j]
                                 : set->changes.at[i].hunk == set->changes.at[j].hunk;
            if (near && !subset[j]) subset[j] = 1, added++;
        }
    }
    return added;
}

/* Grows subset by what the messages of its failed build point at. */
static bool guess_more(AuxFinder *aux, const uint8_t *root, uint8_t *subset) {
    StrVec names = { 0 };
    aux_names(oracle_log(aux->oracle, subset), &names);
    size_t added = 0;
    for (size_t i = 0; i < names.len; i++) added += add_declaring(aux, names.at[i], subset);
    for (size_t i = 0; !added && i < names.len; i++)
        added += add_related(aux, names.at[i], REL_BRINGS, subset);
    for (size_t i = 0; !added && i < names.len; i++)
        added += add_related(aux, names.at[i], REL_MENTIONS, subset);
    vec_release(&names);
    if (!added) added = add_from_places(aux, oracle_log(aux->oracle, subset), subset);
    if (!added) added = add_neighbours(aux, root, subset, false);
    if (!added) added = add_neighbours(aux, root, subset, true);
    return added > 0;
}

/* ---- Algorithm 4 ---- */

typedef struct AuxParts {
    const size_t *list; /* rest */
    size_t len;
    size_t *bound; /* parts + 1 of them: where each part begins */
    size_t parts;
} AuxParts;

/* Even candidates: part i alone; odd ones: all but part i. */
static ShrinkVerdict make_part(const ShrinkRound *round, size_t i, uint8_t *keep) {
    const AuxParts *p = round->state;
    bool alone = i % 2 == 0;
    for (size_t k = 0; k < p->len; k++)
        keep[k] = (k >= p->bound[i / 2] && k < p->bound[i / 2 + 1]) == alone;
    return SHRINK_PASSES;
}

/* AuxParts of about the same size, with borders between files or functions where some are near. */
static void set_bounds(const AuxFinder *aux, AuxParts *p) {
    const ChangeSet *set = oracle_set(aux->oracle);
    for (size_t i = 0; i <= p->parts; i++) {
        size_t ideal = p->len * i / p->parts, reach = p->len / p->parts / 4, best = ideal;
        int rank = 0;
        for (size_t k = ideal > reach ? ideal - reach : 1;
             i && i < p->parts && k <= ideal + reach && k < p->len; k++) {
            size_t a = p->list[k - 1], b = p->list[k];
            int here = set->changes.at[a].file != set->changes.at[b].file ? 2
                       : aux->group[a] != aux->group[b]                   ? 1
                                                                          : 0;
            if (here > rank) rank = here, best = k;
        }
        p->bound[i] = i && best < p->bound[i - 1] ? p->bound[i - 1] : best;
    }
    p->bound[p->parts] = p->len;
}

static size_t list_subset(const uint8_t *subset, size_t n, size_t *list) {
    size_t len = 0;
    for (size_t i = 0; i < n; i++)
        if (subset[i]) list[len++] = i;
    return len;
}

/* Shrinks rest, keeping that root and rest build. */
static void shrink_rest(AuxFinder *aux, const uint8_t *root, uint8_t *rest) {
    size_t n = oracle_set(aux->oracle)->changes.len, parts = PARTS_AT_FIRST;
    Arena scratch = { 0 };
    size_t *list = ARENA_ARRAY(&scratch, size_t, n + 1);
    AuxParts p = { .list = list, .len = list_subset(rest, n, list) };
    p.bound = ARENA_ARRAY(&scratch, size_t, n + 2);
    while (p.len > 1) {
        p.parts = parts = parts < p.len ? parts : p.len;
        set_bounds(aux, &p);
        OracleView view = { .oracle = aux->oracle,
                            .elements = list,
                            .n = p.len,
                            .base = root,
                            .verdict = { SHRINK_PASSES, SHRINK_PASSES, SHRINK_UNRESOLVED,
                                         SHRINK_UNRESOLVED } };
        ShrinkTest test = oracle_test(&view);
        ShrinkRound round = { .count = 2 * parts, .n = p.len, .make = make_part, .state = &p };
        size_t hit = test.first(test.user, &round);
        if (hit == SHRINK_STOP || (hit == SHRINK_NONE && parts >= p.len)) break;
        if (hit == SHRINK_NONE) {
            parts *= 2;
            continue;
        }
        uint8_t *keep = ARENA_ARRAY(&scratch, uint8_t, p.len);
        make_part(&round, hit, keep);
        for (size_t k = 0; k < p.len; k++)
            if (!keep[k]) rest[list[k]] = 0;
        p.len = list_subset(rest, n, list);
        parts = hit % 2 == 0 ? PARTS_AT_FIRST : parts > 3 ? parts - 1 : PARTS_AT_FIRST;
    }
    arena_release(&scratch);
}

/* ---- all of it ---- */

static bool is_within(const uint8_t *a, const uint8_t *b, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (a[i] && !b[i]) return false;
    return true;
}

static size_t count(const uint8_t *subset, size_t n) {
    size_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += subset[i];
    return sum;
}

/* Where the search starts: the smallest solved set that contains root; else everything. */
static void start_from(const AuxFinder *aux, const uint8_t *root, uint8_t *rest) {
    size_t n = oracle_set(aux->oracle)->changes.len, least = n + 1;
    for (size_t i = 0; i < n; i++) rest[i] = !root[i];
    for (size_t s = 0; s < aux->solved.len; s++) {
        const AuxSolved *known = &aux->solved.at[s];
        if (!is_within(root, known->root, n)) continue;
        size_t size = count(known->root, n) + count(known->rest, n);
        if (size >= least) continue;
        least = size;
        for (size_t i = 0; i < n; i++) rest[i] = !root[i] && (known->root[i] || known->rest[i]);
    }
}

/* The rest of the hunks is added first: a whole hunk of diff is consistent where a part of it may
 * cut a statement in two. */
static bool guess(AuxFinder *aux, const uint8_t *root, int most, uint8_t *rest) {
    size_t n = oracle_set(aux->oracle)->changes.len;
    uint8_t *subset = mem_alloc(n + 1);
    memcpy(subset, root, n);
    bool builds = false;
    for (int i = 0; i < most && !builds; i++) {
        Outcome outcome = oracle_ask(aux->oracle, subset);
        builds = outcome == OUTCOME_PASSES || outcome == OUTCOME_FAILS;
        if (outcome == OUTCOME_STOPPED || builds) break;
        if (i == 0 && add_neighbours(aux, root, subset, false)) continue;
        if (!guess_more(aux, root, subset)) break;
        if (most < AUX_GUESSES && count(subset, n) > count(root, n) + AUX_MANY) break;
    }
    for (size_t i = 0; builds && i < n; i++) rest[i] = subset[i] && !root[i];
    mem_free(subset);
    return builds;
}

static void keep_solved(AuxFinder *aux, const uint8_t *root, const uint8_t *rest) {
    size_t n = oracle_set(aux->oracle)->changes.len;
    vec_push(&aux->solved, (AuxSolved){ arena_copy(&aux->arena, root, n + 1),
                                        arena_copy(&aux->arena, rest, n + 1) });
}

static bool known_solution(const AuxFinder *aux, const uint8_t *root, uint8_t *rest) {
    size_t n = oracle_set(aux->oracle)->changes.len;
    for (size_t s = aux->solved.len; s-- > 0;) /* the newest is the smallest */
        if (memcmp(aux->solved.at[s].root, root, n) == 0) {
            memcpy(rest, aux->solved.at[s].rest, n);
            return true;
        }
    return false;
}

/* From a solved set that contains root, or from everything, which is the good version. */
static bool start_large(AuxFinder *aux, const uint8_t *root, uint8_t *rest) {
    size_t n = oracle_set(aux->oracle)->changes.len;
    start_from(aux, root, rest);
    uint8_t *all = mem_alloc(n + 1);
    for (size_t i = 0; i < n; i++) all[i] = root[i] || rest[i];
    Outcome outcome = oracle_ask(aux->oracle, all);
    mem_free(all);
    return outcome == OUTCOME_PASSES || outcome == OUTCOME_FAILS;
}

static bool fails_with(AuxFinder *aux, const uint8_t *root, const uint8_t *rest) {
    size_t n = oracle_set(aux->oracle)->changes.len;
    uint8_t *all = mem_alloc(n + 1);
    for (size_t i = 0; i < n; i++) all[i] = root[i] || rest[i];
    Outcome outcome;
    bool fails = oracle_known(aux->oracle, all, &outcome) && outcome == OUTCOME_FAILS;
    mem_free(all);
    return fails;
}

bool aux_find(AuxFinder *aux, const uint8_t *root, bool thorough, uint8_t *rest) {
    size_t n = oracle_set(aux->oracle)->changes.len;
    memset(rest, 0, n);
    Outcome outcome = oracle_ask(aux->oracle, root);
    if (outcome != OUTCOME_NO_BUILD) return outcome != OUTCOME_STOPPED;
    if (known_solution(aux, root, rest)) return true;
    int most = thorough ? AUX_GUESSES : AUX_GUESSES_FEW;
    if (!guess(aux, root, most, rest) && !(thorough && start_large(aux, root, rest))) return false;
    /* A large rest says nothing about root: with everything reverted any root passes. Where even
     * the large one fails, few of several candidates are worth the builds. */
    if (count(rest, n) > AUX_FEW && (thorough || !fails_with(aux, root, rest)))
        shrink_rest(aux, root, rest);
    keep_solved(aux, root, rest);
    return !oracle_stopped(aux->oracle, NULL);
}
