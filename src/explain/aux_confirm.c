/* Edges that a parser confirms: what of a refused set is a message about, and what answers it?
 *
 * The place of a message, the place its note points at and the names in it tell which changes can
 * have to do with it: those of the declarations at both places, and those that bring or take away a
 * name. Which of the reverted ones it is about is tried: does the parser say the same when only
 * that one is reverted, with what it is known to need? Which of the others answers it as well: does
 * the parser fall silent when that one is reverted, too? An edge that is guessed wrongly makes a
 * unit of changes that have nothing to do with each other, and a few of them make one of
 * everything; parsing one unit a few times costs less than the builds that this wastes. */
#include "change/ctext.h"
#include "change/declare.h"
#include "explain/aux_inside.h"
#include "explain/explain_knobs.h"

typedef struct Confirming {
    Learner *l;
    size_t n;         /* changes */
    const char *unit; /* that was refused */
    Str line, text;   /* the message, and without its place */
    StrVec names;
    NeedList list; /* changes that can have to do with it, the likeliest first */
    uint8_t *seen; /* for each change: it is in the list */
    uint8_t *base; /* the parser says this about these */
    uint8_t *more; /* room for a set */
} Confirming;

static size_t says(const Confirming *c, const uint8_t *set) {
    return oracle_says(c->l->aux->oracle, c->unit, set, c->text);
}

/* ---- what can have to do with it ---- */

static void add(Confirming *c, size_t change) {
    if (change == NO_CHANGE || c->seen[change] || c->l->set->changes.at[change].idle) return;
    if (!c->l->reverted[change] && c->l->needs->outside[change]) return;
    c->seen[change] = 1;
    vec_push(&c->list, change);
}

/* Changes of a file that lie on lines [from, to) (from 0) of the tree, or between two of them. */
static void add_lines(Confirming *c, const ChangeFile *file, size_t from, size_t to) {
    int64_t shift = 0;
    for (size_t i = file->first; i < file->first + file->count; i++) {
        if (c->l->set->changes.at[i].kind == CHANGE_MOVED) continue;
        if (c->l->set->changes.at[i].kind != CHANGE_LINES) {
            add(c, i);
            continue;
        }
        DiffHunk cut = file->cuts.at[c->l->set->changes.at[i].cut];
        bool reverted = c->l->reverted[i];
        int64_t begin = (int64_t)cut.a + shift;
        int64_t len = (int64_t)change_lines_in(c->l->set, i, reverted);
        bool within = len ? begin < (int64_t)to && begin + len > (int64_t)from
                          : begin > (int64_t)from && begin < (int64_t)to;
        if (within) add(c, i);
        if (reverted) shift += len - (int64_t)cut.a_len;
    }
}

/* The line behind the head of a piece: a function's first brace. */
static size_t head_end(const StrVec *lines, const DeclPiece *piece) {
    if (piece->kind != PIECE_FUNCTION) return piece->to;
    for (size_t i = piece->from; i < piece->to; i++)
        if (str_find(lines->at[i], STR("{"), 0) != STR_NONE) return i + 1;
    return piece->to;
}

/* The changes of the declaration that a line (from 1) of the tree belongs to; of a function those
 * of its head, or all. */
static void add_piece(Confirming *c, Str path, uint64_t number, bool all) {
    const ChangeSet *set = c->l->set;
    Buf text = { 0 };
    const char *at;
    for (size_t f = 0; f < set->files.len; f++) {
        buf_clear(&text);
        if (!learner_may_be(c->l, f, path) || !changeset_file(set, f, c->l->reverted, &text, &at) ||
            !str_ends(path, at))
            continue;
        StrVec lines = { 0 };
        PieceVec pieces = { 0 };
        Str rest = buf_view(&text), line;
        while (str_split(&rest, '\n', &line)) vec_push(&lines, line);
        declare_pieces(&lines, &pieces);
        for (size_t i = 0; i < pieces.len; i++) {
            const DeclPiece *p = &pieces.at[i];
            if (number <= p->from || number > p->to) continue;
            add_lines(c, &set->files.at[f], p->from, all ? p->to : head_end(&lines, p));
        }
        vec_release(&lines);
        vec_release(&pieces);
    }
    buf_release(&text);
}

/* What answers the complaint about a name, with this rank. */
static void add_answers(Confirming *c, Complaint complaint, Str name, size_t at, int rank) {
    WordUses uses = words_find(c->l->aux->words, name);
    for (size_t i = 0; i < uses.len; i++) {
        size_t k = uses.at[i].change;
        if (!c->seen[k] && !c->l->reverted[k] &&
            learner_rank(c->l, complaint, name, at, &uses.at[i]) == rank)
            add(c, k);
    }
}

/* What was reverted and brings a name or takes it away, or mentions it. */
static void add_reverted(Confirming *c, Str name, bool brings) {
    WordUses uses = words_find(c->l->aux->words, name);
    for (size_t i = 0; i < uses.len; i++) {
        bool does = uses.at[i].in_good != uses.at[i].in_bad;
        if (c->l->reverted[uses.at[i].change] && does == brings) add(c, uses.at[i].change);
    }
}

/* Those that have to do with a name: what answers the complaint best, then what was reverted. */
static void add_named(Confirming *c, size_t at) {
    Complaint complaint = learner_complaint(c->line);
    for (int rank = 0; rank < RANK_NONE; rank++)
        for (size_t i = 0; i < c->names.len; i++)
            add_answers(c, complaint, c->names.at[i], at, rank);
    for (int brings = 1; brings >= 0; brings--)
        for (size_t i = 0; i < c->names.len; i++) add_reverted(c, c->names.at[i], brings);
}

static void list_changes(Confirming *c) {
    Str place[2] = { { "", 0 }, { "", 0 } };
    uint64_t number[2] = { 0, 0 };
    size_t at = NO_CHANGE;
    bool there[2] = { aux_message_place(c->line, &place[0], &number[0]),
                      aux_noted_place(c->line, &place[1], &number[1]) };
    for (int i = 0; i < 2; i++) {
        size_t change = there[i] ? learner_change_at(c->l, place[i], number[i]) : NO_CHANGE;
        if (!i) at = change;
        add(c, change);
    }
    for (int i = 0; i < 2; i++)
        if (there[i]) add_piece(c, place[i], number[i], false);
    add_named(c, at);
    if (there[0]) add_piece(c, place[0], number[0], true);
}

/* ---- what it is about, and what answers it ---- */

static void set_of(const Confirming *c, const uint8_t *with, size_t change, uint8_t *set) {
    memset(set, 0, c->n);
    for (size_t i = 0; with && i < c->n; i++) set[i] = with[i];
    set[change] = 1;
    needs_close(c->l->needs, set);
}

/* The reverted change that the message is about, with what it needs, becomes base; else all that
 * were thought of, else the whole set. Returns that change, or NO_CHANGE. */
static size_t find_base(Confirming *c) {
    size_t tried = 0;
    for (size_t i = 0; i < c->list.len && tried < CONFIRM_MOST; i++) {
        if (!c->l->reverted[c->list.at[i]]) continue;
        tried++;
        set_of(c, NULL, c->list.at[i], c->base);
        if (says(c, c->base)) return c->list.at[i];
    }
    memset(c->base, 0, c->n);
    for (size_t i = 0; i < c->list.len; i++)
        if (c->l->reverted[c->list.at[i]]) c->base[c->list.at[i]] = 1;
    needs_close(c->l->needs, c->base);
    if (tried && says(c, c->base)) return NO_CHANGE;
    memset(c->more, 0, c->n); /* what was tried */
    for (size_t k = 0, others = 0; k < c->n && others < CONFIRM_OTHERS; k++) {
        if (!c->l->reverted[k] || c->seen[k] || c->more[k]) continue;
        others++;
        set_of(c, NULL, k, c->base);
        for (size_t i = 0; i < c->n; i++) c->more[i] |= c->base[i];
        if (says(c, c->base)) return k;
    }
    memcpy(c->base, c->l->reverted, c->n);
    return NO_CHANGE;
}

/* An edge from what the message is about to what answers it; where that is not known, from what
 * was thought of, and where nothing was, from all. */
static void add_edge(Confirming *c, size_t about, size_t answer) {
    bool any = false;
    if (about != NO_CHANGE) {
        c->l->grew |= needs_add(c->l->needs, about, answer);
        return;
    }
    for (size_t k = 0; k < c->n; k++)
        if (c->l->reverted[k] && c->seen[k])
            c->l->grew |= needs_add(c->l->needs, k, answer), any = true;
    for (size_t k = 0; !any && k < c->n; k++)
        if (c->l->reverted[k]) c->l->grew |= needs_add(c->l->needs, k, answer);
}

/* The first change that answers it alone. */
static bool answer_alone(Confirming *c, size_t about) {
    size_t before = says(c, c->base), tried = 0;
    for (size_t i = 0; i < c->list.len && tried < CONFIRM_MOST; i++) {
        size_t change = c->list.at[i];
        if (c->l->reverted[change]) continue;
        tried++;
        set_of(c, c->base, change, c->more);
        if (says(c, c->more) >= before) continue;
        add_edge(c, about, change);
        return true;
    }
    return false;
}

/* The likeliest changes that answer it together; then those of them without which it stays. */
static bool answer_together(Confirming *c, size_t about) {
    NeedList some = { 0 };
    memcpy(c->more, c->base, c->n);
    for (size_t i = 0; i < c->list.len && some.len < CONFIRM_MOST; i++) {
        if (c->l->reverted[c->list.at[i]]) continue;
        vec_push(&some, c->list.at[i]);
        c->more[c->list.at[i]] = 1;
    }
    needs_close(c->l->needs, c->more);
    bool answered = some.len > 1 && !says(c, c->more);
    for (size_t i = some.len; answered && i-- > 0;) {
        memcpy(c->more, c->base, c->n);
        for (size_t k = 0; k < some.len; k++)
            if (k != i && some.at[k] != NO_CHANGE) c->more[some.at[k]] = 1;
        needs_close(c->l->needs, c->more);
        if (!says(c, c->more)) some.at[i] = NO_CHANGE;
    }
    for (size_t i = 0; answered && i < some.len; i++)
        if (some.at[i] != NO_CHANGE) add_edge(c, about, some.at[i]);
    vec_release(&some);
    return answered;
}

static bool confirm(Confirming *c) {
    vec_clear(&c->list);
    vec_clear(&c->names);
    memset(c->seen, 0, c->n);
    c->text = fit_message_text(c->line);
    aux_names(c->line, &c->names);
    list_changes(c);
    if (!c->text.len || !c->list.len) return false;
    size_t about = find_base(c);
    return answer_alone(c, about) || answer_together(c, about);
}

/* ---- units that do not fit together ---- */

/* What reverting a change does to a name. */
typedef struct LinkRole {
    bool defines, undefines; /* brings a definition back, takes one away */
    bool uses, unuses;
} LinkRole;

static bool holds(const AuxDeclaredVec *list, size_t change, Str name) {
    for (size_t i = 0; i < list->len; i++)
        if (list->at[i].change == change && str_eq(list->at[i].name, name)) return true;
    return false;
}

static LinkRole role_of(const Learner *l, size_t change, Str name) {
    const ChangeSet *set = l->set;
    LinkRole role = { 0 };
    const Change *c = &set->changes.at[change];
    role.defines = oracle_brings(l->aux->oracle, change, name);
    if (role.defines || c->idle || c->kind == CHANGE_MOVED || set->files.at[c->file].skip)
        return role;
    Str good = c->kind == CHANGE_ADDED ? (Str){ "", 0 } : change_good_text(set, change);
    Str bad = c->kind == CHANGE_DELETED ? (Str){ "", 0 } : change_bad_text(set, change);
    bool was = ctext_has_word(good, name), now = ctext_has_word(bad, name);
    bool lines = c->kind == CHANGE_LINES;
    bool defined =
        was && (lines ? holds(&l->aux->declared, change, name) : learner_declares(good, name));
    bool defines =
        now && (lines ? holds(&l->aux->declares, change, name) : learner_declares(bad, name));
    return (LinkRole){ defined && !defines, defines && !defined, was && !now && !defined,
                       now && !was && !defines };
}

/* A name that is defined nowhere, or twice: who took the definition away needs what still uses it,
 * who uses it again needs what defines it; who brings a definition back needs what takes the other
 * away. One message teaches all of a name, because it names one user of each unit. */
static void learn_name(Learner *l, Str name, bool twice) {
    size_t n = l->set->changes.len;
    LinkRole *role = mem_alloc((n + 1) * sizeof *role);
    bool taken = false; /* by what was reverted */
    for (size_t c = 0; c < n; c++) {
        role[c] = role_of(l, c, name);
        taken |= role[c].undefines && l->reverted[c];
    }
    for (size_t c = 0; c < n; c++)
        for (size_t k = 0; l->reverted[c] && k < n; k++) {
            if (l->reverted[k] || l->needs->outside[k]) continue;
            bool needs = twice   ? role[c].defines && role[k].undefines
                         : taken ? role[c].undefines && role[k].unuses
                                 : role[c].uses && role[k].defines;
            if (needs) l->grew |= needs_add(l->needs, c, k);
        }
    mem_free(role);
}

static void learn_link(Learner *l, Str log) {
    Str line;
    StrVec names = { 0 };
    while (str_split(&log, '\n', &line)) {
        bool twice = learner_complaint(line) == COMPLAINT_TWICE;
        vec_clear(&names);
        aux_names(line, &names);
        if (names.len) learn_name(l, names.at[0], twice);
    }
    vec_release(&names);
}

/* Whether edges that were added since answer the message already. */
static bool is_answered(const Confirming *c, Str text) {
    memcpy(c->more, c->l->reverted, c->n);
    needs_close(c->l->needs, c->more);
    return !oracle_says(c->l->aux->oracle, c->unit, c->more, text);
}

bool learner_confirm(Learner *l) {
    Buf log = { 0 };
    Confirming c = { .l = l, .n = l->set->changes.len };
    if (!oracle_refusal(l->aux->oracle, l->reverted, &log, &c.unit)) {
        buf_release(&log);
        return false;
    }
    if (!c.unit) learn_link(l, buf_view(&log));
    c.seen = mem_alloc(c.n + 1);
    c.base = mem_alloc(c.n + 1);
    c.more = mem_alloc(c.n + 1);
    Str rest = buf_view(&log);
    size_t answered = 0;
    for (size_t i = 0; c.unit && i < CONFIRM_MESSAGES && str_split(&rest, '\n', &c.line); i++) {
        if (!aux_is_message(c.line)) continue;
        if (answered && is_answered(&c, fit_message_text(c.line))) continue;
        answered += confirm(&c);
    }
    vec_release(&c.list);
    vec_release(&c.names);
    mem_free(c.seen);
    mem_free(c.base);
    mem_free(c.more);
    buf_release(&log);
    return l->grew;
}
