/* Tokens of C text, without preprocessing: for exact places inside a range that clang's tree does
 * not give, and for renaming. Never fails: a stray byte is a token of its own. */
#ifndef CULPRIT_CFRONT_LEX_H
#define CULPRIT_CFRONT_LEX_H

#include "cfront/cfront.h"

typedef enum CTokKind {
    CTK_END,
    CTK_IDENT,  /* identifiers and keywords */
    CTK_NUMBER, /* preprocessing numbers */
    CTK_CHAR,
    CTK_STRING,
    CTK_PUNCT,
    CTK_DIRECTIVE, /* a whole # line */
} CTokKind;

typedef struct CTok {
    CTokKind kind;
    CRange range;
} CTok;

/* The first token at or after `at`; comments, blanks and line ends are skipped. CTK_END at text.len
 * (or at `to`, if that is less). */
CTok lex_next(Str text, uint32_t at, uint32_t to);
static inline Str lex_text(Str text, CTok t) {
    return (Str){ text.at + t.range.from, t.range.to - t.range.from };
}
bool lex_is(Str text, CTok t, const char *spelling);
bool lex_is_keyword(Str word);
/* The bracket that closes the one at `open` ('(', '[' or '{'); UINT32_MAX if there is none before
 * to. */
uint32_t lex_match(Str text, uint32_t open, uint32_t to);
/* Where the C23 attributes `[[..]]` right before `at` begin; `at` when there are none: they belong
 * to what follows them, and nothing may come in between. */
uint32_t lex_attributes(Str text, uint32_t at);

#endif
