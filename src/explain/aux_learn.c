/* Edges from a compiler's messages: why did this set not build, and what would have to be included?
 *
 * A message has a kind, a place and names. The place, in the tree that was built, belongs to a
 * change that was reverted, to one that was left, or to neither. Text that was left and does not
 * fit is reverted as well. Otherwise the first name that leads anywhere decides: where it is
 * missing, the changes whose revert declares it; where it is there twice, those whose revert
 * removes it; of these only the nearest kind, because the next message tells what is still missing
 * then. The resulting edge is: what was reverted needs what was not. Of messages about other text
 * only the first count, the others mostly follow from them; a linker's each stand for themselves.
 */
#include "base/file.h"
#include "change/ctext.h"
#include "explain/aux_inside.h"
#include "explain/explain_knobs.h"

static void add_edge(Learner *l, size_t from, size_t to) {
    if (!l->reverted[from] || l->reverted[to] || l->needs->outside[to]) return;
    needs_add(l->needs, from, to);
    l->grew = true;
}

size_t learner_change_at(const Learner *l, Str path, uint64_t line) {
    return changeset_at(l->set, l->reverted, path, line, NULL);
}

/* ---- who pays ---- */

/* What was reverted and has to do with a name needs change to; without such a change, everything
 * reverted in the file that to is in, and without that, everything. */
static void add_from_name(Learner *l, Str name, size_t to) {
    WordUses uses = words_find(l->aux->words, name);
    for (int wide = 0; wide < 3; wide++) {
        bool any = false;
        for (size_t c = 0; c < l->set->changes.len; c++) {
            if (!l->reverted[c] || l->set->changes.at[c].idle) continue;
            bool near =
                wide == 2 || (wide ? l->set->changes.at[c].file == l->set->changes.at[to].file
                                   : words_use(uses, c) != NULL);
            if (near) add_edge(l, c, to), any = true;
        }
        if (any) return;
    }
}

/* ---- what a message asks for ---- */

Complaint learner_complaint(Str line) {
    static const char *const missing[] = { "undeclared",          "unknown type",     "no member",
                                           "undefined reference", "undefined symbol", "incomplete",
                                           "implicit declaration" };
    static const char *const twice[] = { "redefinition", "redeclar", "conflicting",
                                         "multiple definition", "duplicate" };
    for (size_t i = 0; i < COUNT_OF(missing); i++)
        if (str_find(line, str_from(missing[i]), 0) != STR_NONE) return COMPLAINT_MISSING;
    for (size_t i = 0; i < COUNT_OF(twice); i++)
        if (str_find(line, str_from(twice[i]), 0) != STR_NONE) return COMPLAINT_TWICE;
    return COMPLAINT_OTHER;
}

/* Whether a text declares the name, as far as the words before it tell: "type name", "type *name".
 */
bool learner_declares(Str text, Str name) {
    static const char *const others[] = { "return", "else", "case", "goto", "sizeof", "do" };
    CScan scan = cscan_start(text, false);
    CToken word = { 0 };
    bool stars = false;
    for (CToken t; (t = cscan_next(&scan)).kind != CTOKEN_END;) {
        bool type = word.kind == CTOKEN_WORD;
        for (size_t i = 0; type && i < COUNT_OF(others); i++) type = !str_is(word.text, others[i]);
        if (type && t.kind == CTOKEN_WORD && str_eq(t.text, name)) return true;
        if (t.kind == CTOKEN_MARK && str_is(t.text, "*") && (type || stars)) {
            stars = true;
            continue;
        }
        stars = false;
        word = t;
    }
    return false;
}

static bool is_declared_by(const Learner *l, Str name, size_t change) {
    for (size_t i = 0; i < l->aux->declared.len; i++)
        if (l->aux->declared.at[i].change == change && str_eq(l->aux->declared.at[i].name, name))
            return true;
    return false;
}

/* Whether a text writes the name for somebody else to read, as a program of the build does that
 * makes a header: a string of its own, or a definition in one. */
static bool is_written_by(Str text, Str name) {
    Arena scratch = { 0 };
    bool written = false;
    static const char *const forms[] = { "\"" STR_FMT "\"", "define " STR_FMT };
    for (size_t i = 0; i < COUNT_OF(forms); i++)
        written |=
            str_find(text, str_from(arena_fmt(&scratch, forms[i], STR_ARG(name))), 0) != STR_NONE;
    arena_release(&scratch);
    return written;
}

int learner_rank(const Learner *l, Complaint complaint, Str name, size_t at, const WordUse *use) {
    const size_t change = use->change, was = use->was, now = use->now;
    const ChangeKind kind = l->set->changes.at[change].kind;
    Str good = kind == CHANGE_ADDED ? (Str){ "", 0 } : change_good_text(l->set, change);
    Str bad = kind == CHANGE_DELETED ? (Str){ "", 0 } : change_bad_text(l->set, change);
    if (complaint == COMPLAINT_MISSING && !was && use->in_good && !use->in_bad &&
        is_written_by(good, name))
        return 2;
    if (!was && !now) return RANK_NONE;
    const size_t *function = l->needs->function;
    bool beside = at != NO_CHANGE && function[at] && function[at] == function[change];
    bool same_file =
        at != NO_CHANGE && l->set->changes.at[at].file == l->set->changes.at[change].file;
    bool adds = was > now && complaint != COMPLAINT_TWICE;
    bool takes = now > was && complaint != COMPLAINT_MISSING;
    bool says = (adds && learner_declares(good, name)) || (takes && learner_declares(bad, name));
    if (says && beside) return 0;
    if (complaint != COMPLAINT_TWICE && is_declared_by(l, name, change)) return 1;
    if (says) return function[change] ? 3 : 1;
    if (adds || takes) return beside ? 4 : same_file ? 5 : 6;
    return complaint == COMPLAINT_MISSING ? RANK_NONE : RANK_LAST;
}

/* Edges to the changes that answer best, if they are no worse than worst. */
static void learn_name(Learner *l, Complaint complaint, Str name, size_t at, int worst) {
    WordUses uses = words_find(l->aux->words, name);
    uint8_t *ranks = mem_alloc(uses.len + 1);
    int best = RANK_NONE;
    for (size_t i = 0; i < uses.len; i++) {
        size_t c = uses.at[i].change;
        ranks[i] = RANK_NONE;
        if (l->reverted[c] || l->set->changes.at[c].idle || l->needs->outside[c]) continue;
        ranks[i] = (uint8_t)learner_rank(l, complaint, name, at, &uses.at[i]);
        if (ranks[i] < best) best = ranks[i];
    }
    for (size_t i = 0; best <= worst && i < uses.len; i++) {
        size_t c = uses.at[i].change;
        if (ranks[i] != best) continue;
        if (at != NO_CHANGE && l->reverted[at])
            add_edge(l, at, c);
        else
            add_from_name(l, name, c);
    }
    mem_free(ranks);
}

/* A message that names nothing of use: the rest of the hunk, then of the function. */
static void learn_place(Learner *l, size_t at) {
    const size_t *function = l->needs->function;
    for (int wide = 0; wide < 2 && !l->grew; wide++)
        for (size_t c = 0; c < l->set->changes.len; c++) {
            bool near = wide ? function[c] && function[c] == function[at]
                             : l->set->changes.at[c].hunk == l->set->changes.at[at].hunk;
            if (!near || c == at) continue;
            if (l->reverted[at])
                add_edge(l, at, c);
            else
                add_edge(l, c, at);
        }
}

bool learner_may_be(const Learner *l, size_t f, Str path) {
    const ChangeFile *file = &l->set->files.at[f];
    return file->count && ((file->bad_path && str_ends(path, file->bad_path)) ||
                           (file->good_path && str_ends(path, file->good_path)));
}

/* The text of a line (from 1) of the built tree, in the arena; empty when no changed file has it.
 */
static Str line_at(const Learner *l, Str path, uint64_t number, Arena *arena) {
    Str found = { "", 0 };
    Buf text = { 0 };
    for (size_t f = 0; f < l->set->files.len && !found.len; f++) {
        const char *at;
        buf_clear(&text);
        if (!learner_may_be(l, f, path) || !changeset_file(l->set, f, l->reverted, &text, &at) ||
            !str_ends(path, at))
            continue;
        Str rest = buf_view(&text), line;
        for (uint64_t n = 1; str_split(&rest, '\n', &line); n++)
            if (n == number) found = arena_str(arena, line);
    }
    buf_release(&text);
    return found;
}

/* A message that names nothing ("read-only variable is not assignable"): what the words of its line
 * are declared by. */
static void learn_words(Learner *l, Str path, uint64_t number, size_t at) {
    Arena scratch = { 0 };
    CScan scan = cscan_start(line_at(l, path, number, &scratch), false);
    for (CToken t; (t = cscan_next(&scan)).kind != CTOKEN_END && !l->grew;)
        if (t.kind == CTOKEN_WORD) learn_name(l, COMPLAINT_OTHER, t.text, at, RANK_DECLARED);
    arena_release(&scratch);
}

bool aux_noted_place(Str line, Str *path, uint64_t *number) {
    size_t see = str_find(line, STR(FIT_SEE), 0);
    if (see == STR_NONE) return false;
    Str place = str_sub(line, see + strlen(FIT_SEE), line.len);
    size_t colon = str_find(place, STR(":"), 0);
    if (colon == STR_NONE || !str_to_u64(str_sub(place, colon + 1, place.len), number))
        return false;
    *path = str_sub(place, 0, colon);
    return true;
}

/* Where clang's note points at a declaration ("declared here", "previous definition is here"), some
 * line of its head, which need not be the one with the name, goes together with the message's. */
static void learn_head(Learner *l, Str line, size_t at) {
    Arena scratch = { 0 };
    uint64_t number;
    Str path;
    if (at == NO_CHANGE || !aux_noted_place(line, &path, &number)) return;
    for (int i = 0; i < HEAD_LINES && !l->grew; i++) {
        size_t c = learner_change_at(l, path, number + (uint64_t)i);
        if (c != NO_CHANGE && l->reverted[at])
            add_edge(l, at, c);
        else if (c != NO_CHANGE)
            add_edge(l, c, at);
        Str text = line_at(l, path, number + (uint64_t)i, &scratch);
        if (str_find(text, STR("{"), 0) != STR_NONE || str_find(text, STR(";"), 0) != STR_NONE)
            break;
    }
    arena_release(&scratch);
}

/* Returns whether the line is about text that was left: such messages do not follow from others. */
static bool learn_line(Learner *l, Str line) {
    StrVec names = { 0 };
    Str path;
    uint64_t number;
    Complaint complaint = learner_complaint(line);
    bool placed = aux_message_place(line, &path, &number);
    size_t at = placed ? learner_change_at(l, path, number) : NO_CHANGE;
    bool left = at != NO_CHANGE && !l->reverted[at], before = l->grew;
    l->grew = false;
    aux_names(line, &names);
    learn_head(l, line, at);
    for (size_t i = 0; left && i < names.len && !l->grew; i++) add_from_name(l, names.at[i], at);
    for (size_t i = 0; i < names.len && !l->grew; i++)
        learn_name(l, complaint, names.at[i], at, RANK_LAST);
    if (!l->grew && placed) learn_words(l, path, number, at);
    if (!l->grew && at != NO_CHANGE) learn_place(l, at);
    l->grew |= before;
    vec_release(&names);
    return left;
}

static bool is_of_linker(Str line) {
    return str_find(line, STR("undefined reference"), 0) != STR_NONE ||
           str_find(line, STR("multiple definition"), 0) != STR_NONE;
}

bool aux_learn(AuxFinder *aux, Needs *needs, const uint8_t *reverted) {
    Learner l = { aux, needs, oracle_set(aux->oracle), reverted, false };
    if (learner_confirm(&l)) return true;
    Str rest = oracle_log(aux->oracle, reverted), line;
    for (int told = 0; told < LEARN_MESSAGES && str_split(&rest, '\n', &line);) {
        if (!aux_is_message(line)) continue;
        bool left = learn_line(&l, line);
        told += l.grew && !left && !is_of_linker(line);
    }
    return l.grew;
}

/* ---- what complains ---- */

static bool blame_change(const Learner *l, size_t change, uint8_t *gone) {
    if (change == NO_CHANGE || !l->reverted[change] || gone[change]) return false;
    gone[change] = 1;
    return true;
}

/* What was reverted and brings or takes away one of the names; first where it is beside. */
static bool blame_names(const Learner *l, const StrVec *names, size_t at, uint8_t *gone) {
    const size_t *function = l->needs->function;
    for (int wide = 0; wide < 2; wide++) {
        bool any = false;
        for (size_t c = 0; c < l->set->changes.len; c++) {
            bool beside = at != NO_CHANGE && function[at] && function[at] == function[c];
            for (size_t i = 0; i < names->len && (wide || beside); i++)
                if (aux_relation(l->aux, c, names->at[i]) == REL_BRINGS)
                    any |= blame_change(l, c, gone);
        }
        if (any) return true;
    }
    return false;
}

/* The reverted text that a message is about; else the declaration that its note points at; else
 * what has to do with its names. */
static bool blame_line(const Learner *l, Str line, uint8_t *gone) {
    StrVec names = { 0 };
    Str path;
    uint64_t number;
    size_t at =
        aux_message_place(line, &path, &number) ? learner_change_at(l, path, number) : NO_CHANGE;
    if (blame_change(l, at, gone)) return true;
    if (aux_noted_place(line, &path, &number) &&
        blame_change(l, learner_change_at(l, path, number), gone))
        return true;
    aux_names(line, &names);
    bool any = blame_names(l, &names, at, gone);
    vec_release(&names);
    return any;
}

bool aux_blame(AuxFinder *aux, Needs *needs, const uint8_t *reverted, uint8_t *gone) {
    Learner l = { aux, needs, oracle_set(aux->oracle), reverted, false };
    Str rest = oracle_log(aux->oracle, reverted), line;
    bool any = false;
    for (int told = 0; told < BLAME_MESSAGES && str_split(&rest, '\n', &line);) {
        if (!aux_is_message(line)) continue;
        any |= blame_line(&l, line, gone);
        told++;
    }
    return any;
}
