/* Which parts of a node may be removed, and what may take its place: questions to the grammar about
 * rows of children. Children whose tokens are all gone are not in the row. */
#ifndef CULPRIT_REDUCE_ROWS_H
#define CULPRIT_REDUCE_ROWS_H

#include "reduce/doc.h"

/* Where nodes are no longer what the tree says, because something else was put in their place since
 * the last refresh. */
typedef struct Shapes {
    uint16_t *kind; /* node by node */
    uint8_t *loose; /* the row of this node cannot be asked about any more: the parser decides */
} Shapes;

void shapes_init(Shapes *shapes, const Doc *doc);
void shapes_release(Shapes *shapes);

typedef struct Row {
    VEC(uint32_t) child; /* nodes with living tokens, extras included */
    VEC(uint16_t) kind;  /* their kinds now */
    uint32_t node;
    bool known; /* the grammar knows this row: its answers count */
} Row;

/* An element: the children [first, last] of the row go together (an element with its comma). */
typedef struct Element {
    uint32_t first, last;
} Element;
typedef VEC(Element) Elements;

void row_init(Row *row, const Doc *doc, const Shapes *shapes, uint32_t node);
void row_release(Row *row);
/* Everything that can be removed by itself. Elements may overlap in their separators. */
void row_elements(const Row *row, const Doc *doc, Elements *out);
/* gone[i] says which children go; may add separators that would be left dangling. False: the
 * grammar does not allow what is left. */
bool row_repair(const Row *row, const Doc *doc, uint8_t *gone);
/* May the child at `place` be replaced by a row of these kinds? */
bool row_fits(const Row *row, const Doc *doc, size_t place, const uint16_t *kinds, size_t n);

#endif
