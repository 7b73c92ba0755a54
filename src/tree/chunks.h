/* A large text cut between its items, so that a grammar can read it piece by piece: declarations
 * stay whole, and so does what stands between #if and #endif. Linear, and works for any text. */
#ifndef CULPRIT_TREE_CHUNKS_H
#define CULPRIT_TREE_CHUNKS_H

#include "base/base.h"

typedef struct Chunk {
    size_t start, end; /* bytes of the text */
} Chunk;

/* The chunk that begins at `from`: it ends after the first item that makes it `least` bytes long,
 * or with the text. */
Chunk chunk_next(Str text, size_t from, size_t least);

#endif
