/* What a grammar cannot read, but any compiler can, and what would hide the structure around it:
 * C++'s grammar knows no attributes of namespaces, which all headers of a standard library have, so
 * that their whole contents would be one error. The grammar is shown white space in its place; the
 * words stay in our own tree, as text that belongs to no leaf. */
#ifndef CULPRIT_TREE_VEIL_H
#define CULPRIT_TREE_VEIL_H

#include "tree/lang.h"

typedef struct VeilSpan {
    size_t from, end; /* bytes */
} VeilSpan;

typedef struct Veil {
    Str text;
    VEC(VeilSpan) spans; /* hidden, in order */
} Veil;

/* Finds what to hide in text (not copied). One search for a word. */
void veil_init(Veil *veil, const Lang *lang, Str text);
void veil_release(Veil *veil);
/* What is shown from this byte on, up to where that changes; empty at the end of the text. */
Str veil_read(const Veil *veil, size_t byte);

#endif
