/* Edges from a compiler's messages: why did this set not build, and what would have to go along?
 *
 * A message has a place and names. The place, in the tree that was built, belongs to a change that
 * was taken back, to one that was left, or to neither; a name leads to changes that declare, bring
 * or mention it. From these the edge is: what was taken back needs what is not. Only the first
 * messages count, the others mostly follow from them. */
#include "base/file.h"
#include "change/ctext.h"
#include "explain/aux.h"
#include "explain/explain_knobs.h"

typedef struct Learner {
    AuxFinder *aux;
    Needs *needs;
    const ChangeSet *set;
    const uint8_t *reverted;
    bool grew; /* an edge leads out of the set */
} Learner;

static void add_edge(Learner *l, size_t from, size_t to) {
    if (!l->reverted[from] || l->reverted[to]) return;
    needs_add(l->needs, from, to);
    l->grew = true;
}

/* The change whose text a line (from 1) of the built tree is; NO_CHANGE: it is in both versions. */
static size_t change_at(const Learner *l, Str path, uint64_t line) {
    for (size_t f = 0; f < l->set->files.len; f++) {
        const ChangeFile *file = &l->set->files.at[f];
        const char *own = file->bad_path ? file->bad_path : file->good_path;
        if (!file->count || !str_ends(path, file_name(own))) continue;
        int64_t shift = 0; /* lines of the tree before those of bad */
        for (size_t c = file->first; c < file->first + file->count; c++) {
            if (l->set->changes.at[c].kind != CHANGE_LINES) continue;
            DiffHunk cut = file->cuts.at[l->set->changes.at[c].cut];
            int64_t from = (int64_t)cut.a + shift + 1;
            int64_t len = (int64_t)(l->reverted[c] ? cut.b_len : cut.a_len);
            if ((int64_t)line < from) break;
            if ((int64_t)line < from + len) return c;
            if (l->reverted[c]) shift += (int64_t)cut.b_len - (int64_t)cut.a_len;
        }
    }
    return NO_CHANGE;
}

static bool has_word(const Learner *l, size_t change, Str name) {
    return ctext_has_word(change_bad_text(l->set, change), name) ||
           ctext_has_word(change_good_text(l->set, change), name);
}

/* What was taken back and has to do with a name leads to change to; without one, all of its
 * function does. */
static void add_from_name(Learner *l, Str name, size_t at, size_t to) {
    bool any = false;
    if (at != NO_CHANGE && l->reverted[at]) {
        add_edge(l, at, to);
        return;
    }
    for (size_t c = 0; c < l->set->changes.len; c++)
        if (l->reverted[c] && !l->set->changes.at[c].idle && has_word(l, c, name)) {
            add_edge(l, c, to);
            any = true;
        }
    size_t near = at == NO_CHANGE ? to : at;
    for (size_t c = 0; !any && c < l->set->changes.len; c++)
        if (l->reverted[c] && l->set->changes.at[c].file == l->set->changes.at[near].file)
            add_edge(l, c, to);
}

static void learn_name(Learner *l, Str name, size_t at) {
    bool any = false;
    for (size_t i = 0; i < l->aux->declared.len; i++) {
        const AuxDeclared *d = &l->aux->declared.at[i];
        if (l->reverted[d->change] || !str_eq(d->name, name)) continue;
        add_from_name(l, name, at, d->change);
        any = true;
    }
    for (AuxRelation wanted = REL_BRINGS; !any && wanted > REL_NONE; wanted--)
        for (size_t c = 0; c < l->set->changes.len; c++) {
            if (l->reverted[c] || l->set->changes.at[c].idle) continue;
            if (aux_relation(l->set, c, name) != wanted) continue;
            add_from_name(l, name, at, c);
            any = true;
        }
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

static void learn_line(Learner *l, Str line) {
    StrVec names = { 0 };
    Str path;
    uint64_t number;
    size_t at = aux_message_place(line, &path, &number) ? change_at(l, path, number) : NO_CHANGE;
    aux_names(line, &names);
    for (size_t i = 0; i < names.len; i++) learn_name(l, names.at[i], at);
    /* Text that was left does not fit what was taken back: it goes, too. */
    for (size_t i = 0; at != NO_CHANGE && !l->reverted[at] && i < names.len; i++)
        add_from_name(l, names.at[i], NO_CHANGE, at);
    if (!l->grew && at != NO_CHANGE) learn_place(l, at);
    vec_release(&names);
}

bool aux_learn(AuxFinder *aux, Needs *needs, const uint8_t *reverted) {
    Learner l = { aux, needs, oracle_set(aux->oracle), reverted, false };
    Str rest = oracle_log(aux->oracle, reverted), line;
    for (int told = 0; told < LEARN_MESSAGES && str_split(&rest, '\n', &line);) {
        if (!aux_is_message(line)) continue;
        bool before = l.grew;
        learn_line(&l, line);
        told += l.grew && !before ? 1 : l.grew;
    }
    return l.grew;
}
