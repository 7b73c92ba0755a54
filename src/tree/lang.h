/* A language: its tree-sitter parser, its kinds of node, and what its grammar allows.
 *
 * Built in: C, C++, Go, JavaScript, JSON, LLVM IR, Python, Rust, with the grammar.json of each
 * inside the program. Any other comes from a shared object that exports `tree_sitter_NAME`; its
 * grammar.json is looked for beside it (NAME.json, grammar.json, src/grammar.json), and without one
 * only the parser itself says what may go.
 *
 * The facts answer one question: may a node of this kind have this row of children? The answer
 * tells what is optional, what is repeated, which commas belong to which element, and which
 * descendant may stand in for a node (the supertypes of the grammar are choices like any other). */
#ifndef CULPRIT_TREE_LANG_H
#define CULPRIT_TREE_LANG_H

#include "base/base.h"

typedef struct Lang Lang;
typedef struct TSLanguage TSLanguage;

/* By name or a usual alias ("c", "c++", "js", "py" ..). NULL and err (with the list) when unknown.
 */
Lang *lang_builtin(const char *name, Error *err);
/* By the ending of a file name; NULL when no built-in language has it. */
Lang *lang_for_file(const char *path);
/* From a shared object; the name is its file name without "lib", "tree-sitter-" and the ending. */
Lang *lang_load(const char *path, Error *err);
/* Names of the built-in languages, NULL-ended. */
const char *const *lang_names(void);
/* Languages live as long as the program: there is no free. */

const char *lang_name(const Lang *lang);
const TSLanguage *lang_parser(const Lang *lang);

/* Kinds: one number for each (name, named) pair; 0 is anything unknown, errors included. */
unsigned lang_kinds(const Lang *lang);
const char *lang_kind_name(const Lang *lang, unsigned kind);
bool lang_kind_named(const Lang *lang, unsigned kind);
unsigned lang_kind(const Lang *lang, const char *name, bool named); /* 0: none such */
unsigned lang_kind_of_symbol(const Lang *lang, unsigned symbol);
/* The number of a role ("condition", "body") as TreeNode.field has it; 0: none such. */
unsigned lang_field(const Lang *lang, const char *name);

typedef enum LangAnswer {
    LANG_NO,      /* the grammar does not allow it */
    LANG_YES,     /* it does */
    LANG_UNKNOWN, /* no rule for this kind is known: ask the parser */
} LangAnswer;
/* May a node of this kind have exactly these children (extras such as comments left out)? */
LangAnswer lang_allows(const Lang *lang, unsigned kind, const uint16_t *children, size_t n);

#endif
