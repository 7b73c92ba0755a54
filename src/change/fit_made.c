/* Files that the build makes from the sources it compiles: headers of prototypes above all, which
 * some tool takes from the definitions.
 *
 * They are not changes, but they differ between the versions because their sources do, and a set
 * that reverts a part has neither the one nor the other. Where each line that differs is found in
 * the sources as well, token by token, it follows the changes that it was found in: it is what it
 * was where those are reverted. A file with any other line says nothing about sets in part, and
 * what clang says about it is not taken at its word.
 */
#include "base/file.h"
#include "change/ctext.h"
#include "change/fit_inside.h"

typedef VEC(size_t) OwnerVec;

/* A line that only one version's file has. */
typedef struct MadeLine {
    bool idle;       /* comments and blanks */
    OwnerVec owners; /* changes that it follows; none: it is not found */
} MadeLine;

struct FitMade {
    const char *path; /* from the tree's root */
    StrVec lines[FIT_SIDES];
    DiffHunks hunks;                    /* bad -> good */
    VEC(MadeLine) differing[FIT_SIDES]; /* lines of the hunks, in order */
    bool followed;
};

/* ---- where a line comes from ---- */

/* A token of a text, but for a semicolon at the end of what is looked for. */
static bool next_token(CScan *scan, CToken *token) {
    *token = cscan_next(scan);
    return token->kind != CTOKEN_END && token->kind != CTOKEN_LINE;
}

static Str trimmed_line(Str line) {
    line = str_trim(line);
    while (line.len && line.at[line.len - 1] == ';')
        line = str_trim(str_sub(line, 0, line.len - 1));
    if (str_starts(line, "extern ")) line = str_trim(str_sub(line, strlen("extern "), line.len));
    return line;
}

/* Whether a text goes on like this from here; *end: where the last token ends. */
static bool goes_on(CScan text, Str line, const char **end) {
    CScan wanted = cscan_start(line, false);
    CToken a, b;
    while (next_token(&wanted, &a)) {
        b = cscan_next(&text);
        if (a.kind != b.kind || !str_eq(a.text, b.text)) return false;
        *end = b.text.at + b.text.len;
    }
    return true;
}

static size_t line_of(Str text, const char *at) {
    size_t line = 1;
    for (const char *c = text.at; c < at; c++) line += *c == '\n';
    return line;
}

/* Changes of a file that lie on lines of one version. */
static void add_owners(const ChangeSet *set, const ChangeFile *file, int side, size_t from,
                       size_t to, OwnerVec *owners) {
    for (size_t c = file->first; c < file->first + file->count; c++) {
        ChangeKind kind = set->changes.at[c].kind;
        ChangeSpan span = side == FIT_BAD ? change_bad_span(set, c) : change_good_span(set, c);
        bool whole = kind == CHANGE_ADDED || kind == CHANGE_DELETED;
        bool within = span.len && span.line <= to && span.line + span.len > from;
        if (kind != CHANGE_MOVED && (whole || within)) vec_push(owners, c);
    }
}

/* The changes of the first place in a file of one version that reads like the line, and has some.
 */
static bool find_in(const ChangeSet *set, const ChangeFile *file, int side, Str line,
                    OwnerVec *owners) {
    Str text = side == FIT_BAD ? file->bad : file->good;
    CScan first = cscan_start(line, false), scan = cscan_start(text, false);
    CToken wanted, t;
    if (!next_token(&first, &wanted)) return false;
    for (CScan before = scan; (t = cscan_next(&scan)).kind != CTOKEN_END; before = scan) {
        const char *end = t.text.at;
        if (t.kind != wanted.kind || !str_eq(t.text, wanted.text) || !goes_on(before, line, &end))
            continue;
        add_owners(set, file, side, line_of(text, t.text.at), line_of(text, end), owners);
        if (owners->len) return true;
    }
    return false;
}

/* The longest word of a line, which few texts hold. */
static Str telling_word(Str line) {
    Str longest = { "", 0 };
    CScan scan = cscan_start(line, false);
    for (CToken t; next_token(&scan, &t);)
        if (t.kind == CTOKEN_WORD && t.text.len > longest.len) longest = t.text;
    return longest;
}

static void find_owners(const Fit *fit, int side, Str line, MadeLine *made) {
    Str wanted = trimmed_line(line), word = telling_word(wanted);
    CScan scan = cscan_start(line, false);
    made->idle = cscan_next(&scan).kind == CTOKEN_END;
    for (size_t f = 0; word.len && f < fit->set->files.len && !made->owners.len; f++) {
        const ChangeFile *file = &fit->set->files.at[f];
        Str text = side == FIT_BAD ? file->bad : file->good;
        if (!file->count || !file->is_c || str_find(text, word, 0) == STR_NONE) continue;
        find_in(fit->set, file, side, wanted, &made->owners);
    }
}

/* ---- one file ---- */

static void find_side(Fit *fit, FitMade *made, int side) {
    for (size_t h = 0; h < made->hunks.len; h++) {
        DiffHunk hunk = made->hunks.at[h];
        size_t from = side == FIT_BAD ? hunk.a : hunk.b;
        size_t len = side == FIT_BAD ? hunk.a_len : hunk.b_len;
        for (size_t i = 0; i < len; i++) {
            MadeLine line = { 0 };
            if (made->followed) find_owners(fit, side, made->lines[side].at[from + i], &line);
            made->followed = made->followed && (line.idle || line.owners.len);
            vec_push(&made->differing[side], line);
        }
    }
}

size_t fit_made_note(Fit *fit, const char *path) {
    for (size_t i = 0; i < fit->made.len; i++)
        if (strcmp(fit->made.at[i]->path, path) == 0) return i;
    if (fit->made.len >= FIT_MADE_MOST) return FIT_MADE_MOST;
    FitMade *made = ARENA_NEW(&fit->arena, FitMade);
    Str text[FIT_SIDES] = { 0 };
    made->path = arena_strdup(&fit->arena, path);
    made->followed = str_ends(str_from(path), ".h");
    for (int side = 0; side < FIT_SIDES; side++)
        made->followed &= file_read(&fit->arena, file_join(&fit->arena, fit->root[side], path),
                                    &text[side], NULL);
    text[FIT_GOOD] = changeset_renamed(fit->set, text[FIT_GOOD], &fit->arena);
    diff_lines(text[FIT_BAD], text[FIT_GOOD], &made->hunks, &made->lines[FIT_BAD],
               &made->lines[FIT_GOOD]);
    for (int side = 0; side < FIT_SIDES; side++) find_side(fit, made, side);
    vec_push(&fit->made, made);
    return fit->made.len - 1;
}

bool fit_made_follows(const Fit *fit, size_t made) {
    return made < fit->made.len && fit->made.at[made]->followed;
}

bool fit_made_strays(const Fit *fit, const char *path) {
    for (size_t i = 0; i < fit->made.len; i++)
        if (strcmp(fit->made.at[i]->path, path) == 0) return !fit->made.at[i]->followed;
    return false;
}

static bool holds_word(Str line, Str word) {
    CScan scan = cscan_start(line, false);
    for (CToken t; (t = cscan_next(&scan)).kind != CTOKEN_END;)
        if (t.kind == CTOKEN_WORD && str_eq(t.text, word)) return true;
    return false;
}

static bool differs_in(const FitMade *made, int side, Str word) {
    for (size_t h = 0; h < made->hunks.len; h++) {
        DiffHunk hunk = made->hunks.at[h];
        size_t from = side == FIT_BAD ? hunk.a : hunk.b;
        size_t len = side == FIT_BAD ? hunk.a_len : hunk.b_len;
        for (size_t i = from; i < from + len; i++)
            if (str_find(made->lines[side].at[i], word, 0) != STR_NONE &&
                holds_word(made->lines[side].at[i], word))
                return true;
    }
    return false;
}

bool fit_made_holds(const Fit *fit, Str word) {
    for (size_t i = 0; i < fit->made.len; i++) {
        const FitMade *made = fit->made.at[i];
        bool header = str_ends(str_from(made->path), ".h");
        for (int side = 0; header && !made->followed && side < FIT_SIDES; side++)
            if (differs_in(made, side, word)) return true;
    }
    return false;
}

/* A line of bad stays until a change it follows is reverted; one of good comes once all are. */
static bool is_there(const MadeLine *line, int side, const uint8_t *reverted) {
    bool some = false, all = true;
    for (size_t i = 0; i < line->owners.len; i++) {
        some |= reverted[line->owners.at[i]];
        all &= reverted[line->owners.at[i]];
    }
    return side == FIT_BAD ? !some : all && line->owners.len;
}

void fit_made_state(const Fit *fit, size_t number, const uint8_t *reverted, Buf *key) {
    const FitMade *made = fit->made.at[number];
    for (int side = 0; side < FIT_SIDES; side++)
        for (size_t i = 0; i < made->differing[side].len; i++)
            buf_char(key, is_there(&made->differing[side].at[i], side, reverted));
}

bool fit_made_touched(const Fit *fit, size_t number, const uint8_t *reverted) {
    const FitMade *made = fit->made.at[number];
    for (int side = 0; side < FIT_SIDES; side++)
        for (size_t i = 0; i < made->differing[side].len; i++)
            if (is_there(&made->differing[side].at[i], side, reverted) != (side == FIT_BAD))
                return true;
    return false;
}

const char *fit_made_text(const Fit *fit, size_t number, const uint8_t *reverted, Buf *text) {
    const FitMade *made = fit->made.at[number];
    const StrVec *bad = &made->lines[FIT_BAD];
    size_t at = 0, next[FIT_SIDES] = { 0 };
    for (size_t h = 0; h < made->hunks.len; h++) {
        DiffHunk hunk = made->hunks.at[h];
        for (; at < hunk.a; at++) buf_str(text, bad->at[at]);
        for (size_t i = 0; i < hunk.a_len; i++, at++)
            if (is_there(&made->differing[FIT_BAD].at[next[FIT_BAD]++], FIT_BAD, reverted))
                buf_str(text, bad->at[at]);
        for (size_t i = 0; i < hunk.b_len; i++)
            if (is_there(&made->differing[FIT_GOOD].at[next[FIT_GOOD]++], FIT_GOOD, reverted))
                buf_str(text, made->lines[FIT_GOOD].at[hunk.b + i]);
    }
    for (; at < bad->len; at++) buf_str(text, bad->at[at]);
    return made->path;
}

void fit_made_release(Fit *fit) {
    for (size_t i = 0; i < fit->made.len; i++) {
        FitMade *made = fit->made.at[i];
        for (int side = 0; side < FIT_SIDES; side++) {
            for (size_t k = 0; k < made->differing[side].len; k++)
                vec_release(&made->differing[side].at[k].owners);
            vec_release(&made->differing[side]);
            vec_release(&made->lines[side]);
        }
        vec_release(&made->hunks);
    }
    vec_release(&fit->made);
}
