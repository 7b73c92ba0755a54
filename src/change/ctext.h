/* C text as far as explain must look at it without parsing: tokens, comments, brackets.
 *
 * Changes are pieces of files, often not even whole statements, so no parser reads them. This
 * scanner knows comments, literals and preprocessor lines and nothing else. */
#ifndef CULPRIT_CHANGE_CTEXT_H
#define CULPRIT_CHANGE_CTEXT_H

#include "base/base.h"

typedef enum CTokenKind {
    CTOKEN_END,
    CTOKEN_WORD, /* identifier or keyword */
    CTOKEN_NUMBER,
    CTOKEN_TEXT, /* string or character literal */
    CTOKEN_MARK, /* one character of punctuation */
    CTOKEN_LINE, /* the end of a preprocessor line: only where lines matter */
} CTokenKind;

typedef struct CToken {
    CTokenKind kind;
    Str text;
} CToken;

typedef struct CScan {
    Str rest;        /* not yet read */
    bool inside;     /* within a block comment */
    bool directive;  /* within a preprocessor line */
    bool line_start; /* nothing but blanks since the last newline */
} CScan;

CScan cscan_start(Str text, bool inside);
CToken cscan_next(CScan *scan);

/* Whether two pieces are the same except for comments, blanks and (outside preprocessor lines) line
 * breaks. a_inside, b_inside: the piece starts within a comment. */
bool ctext_same(Str a, bool a_inside, Str b, bool b_inside);
/* How similar two pieces are: shared tokens over all tokens, 0 to 1. */
double ctext_likeness(Str a, Str b);
/* Whether text contains name as a word of its own. */
bool ctext_has_word(Str text, Str name);
/* inside[i] becomes 1 for each line that starts within a comment. */
void ctext_mark_comments(const StrVec *lines, uint8_t *inside);

/* One line of a piece, for cutting. */
typedef struct CLine {
    int brackets;   /* opened minus closed */
    int lowest;     /* lowest bracket depth reached within the line, <= 0 */
    int conditions; /* #if.. opened minus #endif */
    char last;      /* last character that counts; 0: none (blank, comment) */
    bool directive; /* a preprocessor line */
    bool goes_on;   /* ends with a backslash, or within a comment */
    bool is_else;   /* starts with else, or with #else, #elif */
} CLine;
CLine ctext_line(Str line, bool inside);

#endif
