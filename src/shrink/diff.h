/* Differences of two sequences: Myers' O(ND) algorithm in linear space, over interned elements.
 *
 * A DiffSeq is a sequence of small numbers; equal numbers are equal elements. Lines and tokens are
 * turned into numbers by a DiffTable shared by both sides. The result is a list of hunks in order,
 * as `diff -U0` would print them: at a, `a_len` elements are replaced by the `b_len` elements at b.
 * When the search reaches its bound, the result is still a correct difference, only no longer the
 * shortest. */
#ifndef CULPRIT_SHRINK_DIFF_H
#define CULPRIT_SHRINK_DIFF_H

#include "base/base.h"

typedef struct DiffSeq {
    const uint32_t *at; /* element numbers */
    size_t len;
} DiffSeq;

typedef struct DiffHunk {
    size_t a, a_len; /* elements of a that go */
    size_t b, b_len; /* elements of b that come in their place */
} DiffHunk;
typedef VEC(DiffHunk) DiffHunks;

/* Appends the hunks of a -> b to *out (which the caller clears and releases). */
void diff_seqs(DiffSeq a, DiffSeq b, DiffHunks *out);
/* Elements deleted plus inserted. */
size_t diff_size(const DiffHunks *hunks);

/* Numbers for elements: the same text, the same number. {0} is empty. */
typedef struct DiffTable {
    Map numbers; /* text -> number + 1 */
} DiffTable;
uint32_t diff_number(DiffTable *table, Str element);
void diff_table_release(DiffTable *table);

/* The lines of text as views that include their newline (the last one may lack it). */
void diff_split_lines(Str text, StrVec *lines);
/* Hunks of lines of a -> b. lines_a and lines_b (may be NULL) get the lines the hunks count in. */
void diff_lines(Str a, Str b, DiffHunks *out, StrVec *lines_a, StrVec *lines_b);
/* Appends a with the hunks whose byte in use is not 0 (NULL: all) applied: b's elements take the
 * place of a's. With all hunks applied the result is b. */
void diff_patch(const StrVec *a, const StrVec *b, const DiffHunks *hunks, const uint8_t *use,
                Buf *out);
/* Splits hunks into single edits: deletions of one element and insertions of one, so that any
 * subset of them can be applied. A hunk of d deletions and i insertions becomes d + i hunks. */
void diff_split(const DiffHunks *hunks, DiffHunks *out);

#endif
