/* Edges between changes; see needs.h.
 *
 * Two indexes carry it: every word of every change (in good and in bad), and every name that some
 * text of a changed file declares, with the change it stands in or "unchanged". */
#include "change/needs.h"
#include "base/file.h"
#include "change/ctext.h"
#include "change/declare.h"

typedef struct WordList {
    NeedList changes;
} WordList;

/* What declares a name within one scope: all files together, or one function. */
typedef struct Declared {
    Str name;
    size_t function; /* 0: at file level; else 1 + its number */
    NeedList in[2];  /* changes, in bad and in good */
    bool kept;       /* an unchanged line does */
    Str params[2];   /* of a function: the text of its parameters */
} Declared;

typedef struct NeedsReader {
    Needs *needs;
    const ChangeSet *set;
    Arena arena;
    Map words[2];        /* bad, good: word -> WordList * */
    Map declared;        /* "function:name" -> Declared * */
    VEC(Declared *) all; /* in order */
    Map functions;       /* "path:name" -> 1 + number */
} NeedsReader;

/* ---- the graph ---- */

bool needs_add(Needs *needs, size_t change, size_t needed) {
    if (change == needed) return false;
    NeedList *list = &needs->of[change];
    for (size_t i = 0; i < list->len; i++)
        if (list->at[i] == needed) return false;
    vec_push(list, needed);
    needs->edges++;
    return true;
}

static void together(Needs *needs, size_t a, size_t b) {
    needs_add(needs, a, b);
    needs_add(needs, b, a);
}

size_t needs_close(const Needs *needs, uint8_t *subset) {
    size_t n = needs->set->changes.len, added = 0;
    NeedList todo = { 0 };
    for (size_t i = 0; i < n; i++)
        if (subset[i]) vec_push(&todo, i);
    while (todo.len) {
        const NeedList *list = &needs->of[vec_pop(&todo)];
        for (size_t k = 0; k < list->len; k++) {
            size_t c = list->at[k];
            if (subset[c] || needs->outside[c]) continue;
            subset[c] = 1;
            added++;
            vec_push(&todo, c);
        }
    }
    vec_release(&todo);
    return added;
}

void needs_stay_within(Needs *needs, const uint8_t *subset) {
    for (size_t c = 0; c < needs->set->changes.len; c++) needs->outside[c] = !subset[c];
}

/* Whether a parser of C reads the change's lines. */
static bool is_parsed(const ChangeSet *set, size_t change) {
    Str path = change_path(set, change);
    return set->changes.at[change].kind == CHANGE_LINES &&
           (str_ends(path, ".c") || str_ends(path, ".h"));
}

static bool is_unseen(const Needs *needs, size_t change, size_t needed) {
    return !is_parsed(needs->set, change) || !is_parsed(needs->set, needed);
}

static bool is_c(const ChangeSet *set, size_t change) {
    return set->files.at[set->changes.at[change].file].is_c;
}

/* Whether the change needs one of the others, and one of the two is no C. */
static bool needs_one_unseen(const Needs *needs, size_t change, const uint8_t *others) {
    const NeedList *list = &needs->of[change];
    bool c = is_c(needs->set, change);
    for (size_t k = 0; k < list->len; k++) {
        size_t to = list->at[k];
        if (others[to] && !needs->outside[to] && !(c && is_c(needs->set, to))) return true;
    }
    return false;
}

bool needs_hold_unseen(const Needs *needs, const uint8_t *subset) {
    size_t n = needs->set->changes.len;
    uint8_t *others = mem_alloc(n + 1);
    bool hold = true;
    for (size_t c = 0; c < n; c++) others[c] = !subset[c];
    for (size_t c = 0; c < n && hold; c++) hold = !subset[c] || !needs_one_unseen(needs, c, others);
    mem_free(others);
    return hold;
}

void needs_drag_unseen(const Needs *needs, const uint8_t *subset, uint8_t *gone) {
    for (bool more = true; more;) {
        more = false;
        for (size_t c = 0; c < needs->set->changes.len; c++) {
            if (!subset[c] || gone[c] || !needs_one_unseen(needs, c, gone)) continue;
            gone[c] = 1;
            more = true;
        }
    }
}

/* The same changes without edges. */
static Needs *needs_like(const Needs *needs, const Needs *text) {
    size_t n = needs->set->changes.len;
    Needs *like = mem_alloc(sizeof *like);
    *like = (Needs){ .set = needs->set,
                     .of = mem_alloc((n + 1) * sizeof *like->of),
                     .outside = mem_alloc(n + 1),
                     .shape = mem_alloc((n + 1) * sizeof *like->shape),
                     .function = mem_alloc((n + 1) * sizeof *like->function),
                     .functions = needs->functions,
                     .text = text };
    memcpy(like->function, needs->function, n * sizeof *like->function);
    memcpy(like->outside, needs->outside, n);
    return like;
}

Needs *needs_unparsed(const Needs *needs) {
    size_t n = needs->set->changes.len;
    Needs *few = needs_like(needs, needs);
    for (size_t c = 0; c < n; c++)
        for (size_t k = 0; k < needs->of[c].len; k++) {
            size_t to = needs->of[c].at[k];
            if (k < needs->shape[c] || is_unseen(needs, c, to)) needs_add(few, c, to);
        }
    return few;
}

Needs *needs_by_function(const Needs *needs) {
    size_t n = needs->set->changes.len;
    Needs *whole = needs_like(needs, needs->text);
    size_t *last = mem_alloc((needs->functions + 1) * sizeof *last); /* 1 + change, per function */
    for (size_t c = 0; c < n; c++) {
        size_t function = needs->function[c];
        for (size_t k = 0; k < needs->of[c].len; k++) needs_add(whole, c, needs->of[c].at[k]);
        if (!function || needs->outside[c] || needs->set->changes.at[c].idle) continue;
        if (last[function]) together(whole, last[function] - 1, c);
        last[function] = c + 1;
    }
    mem_free(last);
    return whole;
}

void needs_take(Needs *needs, const Needs *by_function) {
    for (size_t c = 0; c < needs->set->changes.len; c++)
        for (size_t k = 0; k < by_function->of[c].len; k++) {
            size_t to = by_function->of[c].at[k];
            if (!needs->function[c] || needs->function[c] != needs->function[to])
                needs_add(needs, c, to);
        }
}

void needs_free(Needs *needs) {
    if (!needs) return;
    for (size_t i = 0; i < needs->set->changes.len; i++) vec_release(&needs->of[i]);
    mem_free(needs->of);
    mem_free(needs->outside);
    mem_free(needs->function);
    mem_free(needs->shape);
    mem_free(needs);
}

/* ---- words ---- */

static Str side_text(const ChangeSet *set, size_t change, bool good) {
    ChangeKind kind = set->changes.at[change].kind;
    if (kind == (good ? CHANGE_ADDED : CHANGE_DELETED)) return (Str){ "", 0 };
    if (kind == CHANGE_MOVED) return (Str){ "", 0 };
    return good ? change_good_text(set, change) : change_bad_text(set, change);
}

static void note_words(NeedsReader *r, size_t change, bool good) {
    CScan scan = cscan_start(side_text(r->set, change, good), false);
    for (CToken t; (t = cscan_next(&scan)).kind != CTOKEN_END;) {
        if (t.kind != CTOKEN_WORD) continue;
        WordList *list = map_get_ptr(&r->words[good], t.text);
        if (!list) {
            list = ARENA_NEW(&r->arena, WordList);
            map_put_ptr(&r->words[good], t.text, list);
        }
        if (!list->changes.len || vec_last(&list->changes) != change)
            vec_push(&list->changes, change);
    }
}

static const NeedList *users_of(const NeedsReader *r, bool good, Str name) {
    static const NeedList none = { 0 };
    WordList *list = map_get_ptr(&r->words[good], name);
    return list ? &list->changes : &none;
}

/* ---- declarations ---- */

static Declared *declared_at(NeedsReader *r, size_t function, Str name) {
    char *key = arena_fmt(&r->arena, "%zu:" STR_FMT, function, STR_ARG(name));
    Declared *d = map_get_ptr(&r->declared, str_from(key));
    if (d) return d;
    d = ARENA_NEW(&r->arena, Declared);
    d->name = arena_str(&r->arena, name);
    d->function = function;
    map_put_ptr(&r->declared, str_from(key), d);
    vec_push(&r->all, d);
    return d;
}

/* The change of a file that holds a line (from 0) of one version; NO_CHANGE: the line is in both.
 */
static size_t change_of_line(const ChangeSet *set, const ChangeFile *file, bool good, size_t line) {
    size_t lo = file->first, hi = file->first + file->count;
    if (lo < hi && set->changes.at[lo].kind != CHANGE_LINES) {
        if (set->changes.at[lo].kind != CHANGE_MOVED) return lo;
        lo++;
    }
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        ChangeSpan span = good ? change_good_span(set, mid) : change_bad_span(set, mid);
        if (line + 1 < span.line)
            hi = mid;
        else if (line + 1 >= span.line + span.len)
            lo = mid + 1;
        else
            return mid;
    }
    return NO_CHANGE;
}

static void declare(NeedsReader *r, const ChangeFile *file, bool good, size_t line, size_t function,
                    Str name, Str params) {
    Declared *d = declared_at(r, function, name);
    size_t change = change_of_line(r->set, file, good, line);
    if (params.len && !d->params[good].len) d->params[good] = arena_str(&r->arena, params);
    if (change == NO_CHANGE)
        d->kept = true;
    else if (!d->in[good].len || vec_last(&d->in[good]) != change)
        vec_push(&d->in[good], change);
}

static bool starts_no_declaration(Str word) {
    static const char *const words[] = { "return", "goto",    "else",    "case", "sizeof",
                                         "if",     "while",   "for",     "do",   "break",
                                         "switch", "default", "continue" };
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (str_is(word, words[i])) return true;
    return false;
}

typedef struct Located {
    CToken token;
    size_t line;
} Located;
typedef VEC(Located) LocatedTokens;

static void scan_lines(const StrVec *lines, const uint8_t *inside, size_t from, size_t to,
                       LocatedTokens *out) {
    for (size_t l = from; l < to; l++) {
        CScan scan = cscan_start(lines->at[l], inside[l]);
        for (CToken t; (t = cscan_next(&scan)).kind != CTOKEN_END;) {
            if (scan.directive || t.kind == CTOKEN_LINE) continue;
            vec_push(out, ((Located){ t, l }));
        }
    }
}

static bool is_mark(const LocatedTokens *t, size_t i, const char *marks) {
    return i < t->len && t->at[i].token.kind == CTOKEN_MARK &&
           strchr(marks, t->at[i].token.text.at[0]);
}

static bool is_word(const LocatedTokens *t, size_t i) {
    return i < t->len && t->at[i].token.kind == CTOKEN_WORD;
}

/* "type *a = .., b[3];" at token i: declares a and b. Returns the token after what was read. */
static size_t read_local(NeedsReader *r, const ChangeFile *file, bool good, size_t function,
                         const LocatedTokens *t, size_t i) {
    size_t words = 0, at = i;
    while (is_word(t, at) || (words && is_mark(t, at, "*"))) words += is_word(t, at), at++;
    if (words < 2 || !is_word(t, at - 1) || !is_mark(t, at, "=;,[")) return i;
    for (size_t name = at - 1;;) {
        declare(r, file, good, t->at[name].line, function, t->at[name].token.text, (Str){ "", 0 });
        int depth = 0;
        for (; at < t->len && (depth || !is_mark(t, at, ",;")); at++) {
            depth += is_mark(t, at, "([{");
            depth -= is_mark(t, at, ")]}");
            if (depth < 0) return at;
        }
        if (!is_mark(t, at, ",")) return at;
        for (at++; is_mark(t, at, "*");) at++;
        if (!is_word(t, at)) return at;
        name = at++;
    }
}

/* Locals of a function body, and its parameters. */
static void read_body(NeedsReader *r, const ChangeFile *file, bool good, const DeclPiece *piece,
                      size_t function) {
    const StrVec *lines = good ? &file->good_lines : &file->bad_lines;
    LocatedTokens t = { 0 };
    scan_lines(lines, good ? file->good_inside : file->bad_inside, piece->from, piece->to, &t);
    size_t i = 0;
    while (i < t.len && !is_mark(&t, i, "{")) {
        if (is_word(&t, i) && is_mark(&t, i + 1, ",)[;"))
            declare(r, file, good, t.at[i].line, function, t.at[i].token.text, (Str){ "", 0 });
        i++;
    }
    for (bool start = true; i < t.len; i++) {
        if (start && is_word(&t, i) && !starts_no_declaration(t.at[i].token.text)) {
            size_t end = read_local(r, file, good, function, &t, i);
            if (end > i) i = end;
        }
        start = is_mark(&t, i, ";{}");
        /* for (int i = ..) */
        if (is_mark(&t, i, "(") && i && str_is(t.at[i - 1].token.text, "for")) start = true;
    }
    vec_release(&t);
}

/* The name a function piece defines and the text of its parameters. */
static Str function_head(NeedsReader *r, const StrVec *lines, const uint8_t *inside,
                         const DeclPiece *piece, size_t *line, Str *params) {
    LocatedTokens t = { 0 };
    Str name = { "", 0 };
    Buf text = { 0 };
    scan_lines(lines, inside, piece->from, piece->to, &t);
    for (size_t i = 1; i < t.len && !name.len && !is_mark(&t, i, "{"); i++) {
        if (!is_mark(&t, i, "(") || !is_word(&t, i - 1)) continue;
        name = t.at[i - 1].token.text;
        *line = t.at[i - 1].line;
        int depth = 0;
        for (size_t k = i; k < t.len; k++) {
            depth += is_mark(&t, k, "(");
            depth -= is_mark(&t, k, ")");
            buf_fmt(&text, STR_FMT " ", STR_ARG(t.at[k].token.text));
            if (!depth) break;
        }
    }
    *params = arena_str(&r->arena, buf_view(&text));
    buf_release(&text);
    vec_release(&t);
    return name;
}

static size_t function_number(NeedsReader *r, const ChangeFile *file, Str name) {
    const char *path = file->bad_path ? file->bad_path : file->good_path;
    char *key = arena_fmt(&r->arena, "%s:" STR_FMT, path, STR_ARG(name));
    uint64_t *number = map_at(&r->functions, str_from(key));
    if (!*number) *number = ++r->needs->functions;
    return *number;
}

/* Changes that lie within a piece become members of its function. */
static void number_changes(NeedsReader *r, const ChangeFile *file, bool good,
                           const DeclPiece *piece, size_t number) {
    for (size_t c = file->first; c < file->first + file->count; c++) {
        if (r->set->changes.at[c].kind != CHANGE_LINES || r->needs->function[c]) continue;
        ChangeSpan span = good ? change_good_span(r->set, c) : change_bad_span(r->set, c);
        size_t at = span.line - 1;
        bool within = span.len ? at < piece->to && at + span.len > piece->from
                               : at > piece->from && at < piece->to;
        if (within) r->needs->function[c] = number;
    }
}

static bool has_name(const StrVec *names, Str name) {
    for (size_t i = 0; i < names->len; i++)
        if (str_eq(names->at[i], name)) return true;
    return false;
}

static void read_names(NeedsReader *r, const ChangeFile *file, bool good, const DeclPiece *piece) {
    const StrVec *lines = good ? &file->good_lines : &file->bad_lines;
    StrVec names = { 0 };
    declare_names(lines, piece, &names);
    size_t at = piece->from;
    Str params, head = { "", 0 };
    if (piece->kind == PIECE_OTHER)
        head = function_head(r, lines, good ? file->good_inside : file->bad_inside, piece, &at,
                             &params);
    /* For a prototype, only the function: its parameters declare nothing. */
    if (head.len && has_name(&names, head)) {
        declare(r, file, good, at, 0, head, params);
        vec_clear(&names);
    }
    for (size_t k = 0; k < names.len; k++) {
        size_t line = piece->from;
        while (line + 1 < piece->to && !ctext_has_word(lines->at[line], names.at[k])) line++;
        declare(r, file, good, line, 0, names.at[k], (Str){ "", 0 });
    }
    vec_release(&names);
}

static void read_side(NeedsReader *r, const ChangeFile *file, bool good) {
    const StrVec *lines = good ? &file->good_lines : &file->bad_lines;
    const uint8_t *inside = good ? file->good_inside : file->bad_inside;
    PieceVec pieces = { 0 };
    declare_pieces(lines, &pieces);
    for (size_t i = 0; i < pieces.len; i++) {
        const DeclPiece *piece = &pieces.at[i];
        if (piece->kind != PIECE_FUNCTION) {
            read_names(r, file, good, piece);
            continue;
        }
        size_t line = piece->from;
        Str params, name = function_head(r, lines, inside, piece, &line, &params);
        if (!name.len) continue;
        size_t number = function_number(r, file, name);
        declare(r, file, good, line, 0, name, params);
        number_changes(r, file, good, piece, number);
        read_body(r, file, good, piece, number);
    }
    vec_release(&pieces);
}

/* ---- edges ---- */

static bool in_scope(const NeedsReader *r, const Declared *d, size_t change) {
    return !d->function || r->needs->function[change] == d->function;
}

/* Ties what uses the name on one side, in the scope, to what declares it there. */
static void tie_users(NeedsReader *r, const Declared *d, bool good) {
    const NeedList *users = users_of(r, good, d->name);
    for (size_t u = 0; u < users->len; u++) {
        if (!in_scope(r, d, users->at[u])) continue;
        for (size_t k = 0; k < d->in[good].len; k++) {
            if (good)
                needs_add(r->needs, users->at[u], d->in[good].at[k]);
            else
                needs_add(r->needs, d->in[good].at[k], users->at[u]);
        }
    }
}

/* Arguments of the first call of name in text; -1: there is none. */
static int arguments(Str text, Str name) {
    CScan scan = cscan_start(text, false);
    bool named = false;
    for (CToken t; (t = cscan_next(&scan)).kind != CTOKEN_END;) {
        bool call = named && str_is(t.text, "(");
        named = t.kind == CTOKEN_WORD && str_eq(t.text, name);
        if (!call) continue;
        int depth = 1, commas = 0, tokens = 0;
        while (depth && (t = cscan_next(&scan)).kind != CTOKEN_END) {
            depth += str_is(t.text, "(") || str_is(t.text, "[") || str_is(t.text, "{");
            depth -= str_is(t.text, ")") || str_is(t.text, "]") || str_is(t.text, "}");
            commas += depth == 1 && str_is(t.text, ",");
            tokens += depth > 0;
        }
        return tokens ? commas + 1 : 0;
    }
    return -1;
}

/* A function whose parameters changed: all its declarations, and the calls that changed with it. */
static void tie_calls(NeedsReader *r, const Declared *d) {
    size_t first = d->in[0].len ? d->in[0].at[0] : d->in[1].at[0];
    for (int good = 0; good < 2; good++) {
        for (size_t k = 0; k < d->in[good].len; k++) together(r->needs, first, d->in[good].at[k]);
        const NeedList *users = users_of(r, good, d->name);
        for (size_t u = 0; u < users->len; u++) {
            int was = arguments(side_text(r->set, users->at[u], true), d->name);
            int now = arguments(side_text(r->set, users->at[u], false), d->name);
            if (was != now) together(r->needs, first, users->at[u]);
        }
    }
}

static void tie_declared(NeedsReader *r, const Declared *d) {
    bool params = d->params[0].len && d->params[1].len && !str_eq(d->params[0], d->params[1]);
    if (params && (d->in[0].len || d->in[1].len)) tie_calls(r, d);
    if (d->kept) return;
    if (!d->in[0].len)
        tie_users(r, d, true);
    else if (!d->in[1].len)
        tie_users(r, d, false);
    else
        for (size_t i = 0; i < d->in[0].len; i++)
            for (size_t k = 0; k < d->in[1].len; k++)
                together(r->needs, d->in[0].at[i], d->in[1].at[k]);
}

/* How much more than before a change leaves open: brackets and conditions. */
static int imbalance(const ChangeFile *file, DiffHunk cut, bool conditions) {
    int sum = 0;
    for (size_t i = 0; i < cut.a_len; i++) {
        CLine line = ctext_line(file->bad_lines.at[cut.a + i], file->bad_inside[cut.a + i]);
        sum += conditions ? line.conditions : line.brackets;
    }
    for (size_t i = 0; i < cut.b_len; i++) {
        CLine line = ctext_line(file->good_lines.at[cut.b + i], file->good_inside[cut.b + i]);
        sum -= conditions ? line.conditions : line.brackets;
    }
    return sum;
}

/* Changes that open something and those that close it, in order, within a function or a file. */
static void tie_open(NeedsReader *r, const ChangeFile *file, bool conditions) {
    int open = 0;
    size_t first = NO_CHANGE;
    for (size_t c = file->first; c < file->first + file->count; c++) {
        if (r->set->changes.at[c].kind != CHANGE_LINES) continue;
        int here = imbalance(file, file->cuts.at[r->set->changes.at[c].cut], conditions);
        bool other =
            first != NO_CHANGE && !conditions && r->needs->function[c] != r->needs->function[first];
        if (other) open = 0;
        if (!here) continue;
        if (open)
            together(r->needs, first, c);
        else
            first = c;
        open += here;
    }
}

static void tie_file(NeedsReader *r, size_t change) {
    const ChangeFile *file = &r->set->files.at[r->set->changes.at[change].file];
    bool came = r->set->changes.at[change].kind == CHANGE_ADDED;
    const char *path = came ? file->bad_path : file->good_path;
    for (size_t c = 0; c < r->set->changes.len; c++) {
        if (c == change || r->set->changes.at[c].kind == CHANGE_MOVED) continue;
        const ChangeFile *other = &r->set->files.at[r->set->changes.at[c].file];
        /* A change log or a page that names a file needs nothing. */
        if (!other->is_c && !change_is_build_file(change_path(r->set, c))) continue;
        if (!change_names_file(side_text(r->set, c, !came), path)) continue;
        if (came)
            needs_add(r->needs, change, c);
        else
            needs_add(r->needs, c, change);
        if (!other->is_c) together(r->needs, change, c);
    }
}

/* ---- all of it ---- */

static void release(NeedsReader *r) {
    for (int good = 0; good < 2; good++) {
        for (size_t i = 0; i < r->words[good].cap; i++)
            if (r->words[good].slots[i].key.at) {
                WordList *list = (WordList *)(uintptr_t)r->words[good].slots[i].value;
                vec_release(&list->changes);
            }
        map_release(&r->words[good]);
    }
    for (size_t i = 0; i < r->all.len; i++) {
        vec_release(&r->all.at[i]->in[0]);
        vec_release(&r->all.at[i]->in[1]);
    }
    vec_release(&r->all);
    map_release(&r->declared);
    map_release(&r->functions);
    arena_release(&r->arena);
}

Needs *needs_new(const ChangeSet *set) {
    size_t n = set->changes.len;
    Needs *needs = mem_alloc(sizeof *needs);
    *needs = (Needs){ .set = set,
                      .of = mem_alloc((n + 1) * sizeof *needs->of),
                      .outside = mem_alloc(n + 1),
                      .shape = mem_alloc((n + 1) * sizeof *needs->shape),
                      .function = mem_alloc((n + 1) * sizeof *needs->function) };
    NeedsReader r = { .needs = needs, .set = set };
    for (size_t c = 0; c < n; c++) /* a page that speaks of a name does not use it */
        if (!set->changes.at[c].idle && set->files.at[set->changes.at[c].file].is_c)
            note_words(&r, c, false), note_words(&r, c, true);
    for (size_t f = 0; f < set->files.len; f++) {
        const ChangeFile *file = &set->files.at[f];
        if (file->skip || !file->is_c || !file->count) continue;
        read_side(&r, file, false);
        read_side(&r, file, true);
        tie_open(&r, file, false);
        tie_open(&r, file, true);
    }
    for (size_t c = 0; c < n; c++) needs->shape[c] = needs->of[c].len;
    for (size_t i = 0; i < r.all.len; i++) tie_declared(&r, r.all.at[i]);
    for (size_t c = 0; c < n; c++)
        if (set->changes.at[c].kind == CHANGE_ADDED || set->changes.at[c].kind == CHANGE_DELETED)
            tie_file(&r, c);
    release(&r);
    return needs;
}
