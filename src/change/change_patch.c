/* A subset of reverts as a unified diff of bad, for `patch -p1`.
 *
 * The diff is made from the texts, not from the cuts: neighbouring cuts share one hunk and its
 * lines of context, as patch expects them. */
#include "change/change.h"

enum { CONTEXT = 3 };

static void put_line(Buf *out, char mark, Str line) {
    buf_char(out, mark);
    buf_str(out, line);
    if (!line.len || line.at[line.len - 1] != '\n')
        buf_text(out, "\n\\ No newline at end of file\n");
}

/* "12,3" as unified diffs count: the line before an empty range. */
static void put_range(Buf *out, size_t from, size_t len) {
    buf_fmt(out, "%zu", len ? from + 1 : from);
    if (len != 1) buf_fmt(out, ",%zu", len);
}

/* Hunks [from, to) share their context. */
static void put_group(Buf *out, const StrVec *a, const StrVec *b, const DiffHunks *hunks,
                      size_t from, size_t to) {
    const DiffHunk *first = &hunks->at[from], *last = &hunks->at[to - 1];
    size_t lead = first->a < CONTEXT ? first->a : CONTEXT;
    size_t a_end = last->a + last->a_len,
           trail = a->len - a_end < CONTEXT ? a->len - a_end : CONTEXT;
    size_t at = first->a - lead;
    buf_text(out, "@@ -");
    put_range(out, at, a_end + trail - at);
    buf_text(out, " +");
    put_range(out, first->b - lead, last->b + last->b_len + trail - (first->b - lead));
    buf_text(out, " @@\n");
    for (size_t h = from; h < to; h++) {
        const DiffHunk *hunk = &hunks->at[h];
        for (; at < hunk->a; at++) put_line(out, ' ', a->at[at]);
        for (; at < hunk->a + hunk->a_len; at++) put_line(out, '-', a->at[at]);
        for (size_t i = 0; i < hunk->b_len; i++) put_line(out, '+', b->at[hunk->b + i]);
    }
    for (; at < a_end + trail; at++) put_line(out, ' ', a->at[at]);
}

static void put_hunks(Buf *out, Str from, Str to) {
    DiffHunks hunks = { 0 };
    StrVec a = { 0 }, b = { 0 };
    diff_lines(from, to, &hunks, &a, &b);
    for (size_t h = 0; h < hunks.len;) {
        size_t end = h + 1;
        while (end < hunks.len &&
               hunks.at[end].a - (hunks.at[end - 1].a + hunks.at[end - 1].a_len) <= 2 * CONTEXT)
            end++;
        put_group(out, &a, &b, &hunks, h, end);
        h = end;
    }
    vec_release(&a);
    vec_release(&b);
    vec_release(&hunks);
}

static void put_header(Buf *out, const char *from, const char *to) {
    if (from)
        buf_fmt(out, "--- a/%s\n", from);
    else
        buf_text(out, "--- /dev/null\n");
    if (to)
        buf_fmt(out, "+++ b/%s\n", to);
    else
        buf_text(out, "+++ /dev/null\n");
}

void changeset_patch(const ChangeSet *set, const uint8_t *reverted, Buf *out) {
    Buf text = { 0 };
    for (size_t f = 0; f < set->files.len; f++) {
        const ChangeFile *file = &set->files.at[f];
        const char *path;
        buf_clear(&text);
        bool exists = changeset_file(set, f, reverted, &text, &path);
        bool was = file->bad_path != NULL;
        if (file->skip || (!exists && !was)) continue;
        if (exists && was && strcmp(path, file->bad_path) == 0) {
            if (str_eq(buf_view(&text), file->bad)) continue;
            put_header(out, path, path);
            put_hunks(out, file->bad, buf_view(&text));
            continue;
        }
        if (was) {
            put_header(out, file->bad_path, NULL);
            put_hunks(out, file->bad, (Str){ "", 0 });
        }
        if (exists) {
            put_header(out, NULL, path);
            put_hunks(out, (Str){ "", 0 }, buf_view(&text));
        }
    }
    buf_release(&text);
}
