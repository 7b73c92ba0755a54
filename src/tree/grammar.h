/* What a grammar.json allows, as one small automaton for each kind of node; lang.h's lang_allows
 * asks it. Rules that make no node of their own (hidden ones, supertypes, inlined ones) are
 * expanded in place, so the automaton reads the row of children exactly as tree-sitter shows it. */
#ifndef CULPRIT_TREE_GRAMMAR_H
#define CULPRIT_TREE_GRAMMAR_H

#include "tree/lang.h"

typedef struct Grammar Grammar;

/* text is a grammar.json, name is what messages call it. A language's grammar lives until exit. */
Grammar *grammar_new(const Lang *lang, Str text, const char *name, Error *err);
LangAnswer grammar_allows(Grammar *grammar, unsigned kind, const uint16_t *children, size_t n);
void grammar_free(Grammar *grammar); /* NULL is fine */

#endif
