/* The finders: each lists sets of edits that only make sense together (sets.h), for a fresh
 * document. One noun per file, one line in the table; what a finder proposes may be wrong (it is
 * tested), but it must be the same for any number of jobs and cost next to nothing to make. Those
 * over the C front end (model.h) know types and what names refer to; the others read the tree.
 *
 * The transformations are those of C-Reduce's clang_delta (Regehr et al., Test-case reduction for C
 * compiler bugs, 2012), of Vulcan's identifier replacement and sub-tree replacement (Xu et al.,
 * Pushing the limit of 1-minimality of language-agnostic program reduction, 2023), and whatever the
 * results of these tools had that ours lacked. */
#ifndef CULPRIT_REDUCE_FIND_FINDERS_H
#define CULPRIT_REDUCE_FIND_FINDERS_H

#include "reduce/sets.h"

typedef struct Finder {
    const char *name; /* for tests and --dump */
    FindSets find;
    bool early; /* also tried while the program is large */
    bool blind; /* also where no language is known */
} Finder;
/* In the order they are tried; ends with a NULL name. */
extern const Finder finders[];
/* For the end, on small programs (judge.c). */
extern const Finder last_finders[];
/* NULL: none such. */
const Finder *finder_named(const char *name);
bool finder_is_blind(FindSets find);

bool sets_speaks_c(const Doc *doc); /* C or C++ */

/* any language */
void find_windows(const Target *t, const Shapes *shapes, EditSets *out); /* runs of tokens */
void find_names(const Target *t, const Shapes *shapes, EditSets *out); /* all that mention a name */
void find_literals(const Target *t, const Shapes *shapes, EditSets *out); /* shorter literals */
void find_texts(const Target *t, const Shapes *shapes, EditSets *out);    /* shorter strings */
void find_renames(const Target *t, const Shapes *shapes, EditSets *out);  /* shorter names */
/* An element of lists that belong together; also where no language is known. */
void find_parallels(const Target *t, const Shapes *shapes, EditSets *out);
/* Go and Rust */
void find_hollows(const Target *t, const Shapes *shapes, EditSets *out);    /* endless bodies */
void find_procedures(const Target *t, const Shapes *shapes, EditSets *out); /* no result, no body */
/* C and C++, by the tree */
void find_typedefs(const Target *t, const Shapes *shapes, EditSets *out);   /* the type instead */
void find_parameters(const Target *t, const Shapes *shapes, EditSets *out); /* with arguments */
void find_peels(const Target *t, const Shapes *shapes, EditSets *out);      /* one [] or * less */
/* A plain pointer in place of any other, with all that is declared alike. */
void find_declarators(const Target *t, const Shapes *shapes, EditSets *out);
/* A function in place of one that calls it, under its name. */
void find_takeovers(const Target *t, const Shapes *shapes, EditSets *out);
void find_types(const Target *t, const Shapes *shapes, EditSets *out);   /* int instead */
void find_inlines(const Target *t, const Shapes *shapes, EditSets *out); /* the value instead */
/* The type instead of a typedef that the grammar does not read: with attributes. */
void find_attributed(const Target *t, const Shapes *shapes, EditSets *out);
/* A struct defined where it is first used. */
void find_moves(const Target *t, const Shapes *shapes, EditSets *out);
void find_merges(const Target *t, const Shapes *shapes, EditSets *out); /* int a, b; */
/* The types that names of standard headers stand for, and no header. */
void find_headers(const Target *t, const Shapes *shapes, EditSets *out);
/* One branch of an #if; a macro's text. */
void find_directives(const Target *t, const Shapes *shapes, EditSets *out);
void find_bodiless(const Target *t, const Shapes *shapes, EditSets *out); /* only declared */
/* A status in place of an output. */
void find_shows(const Target *t, const Shapes *shapes, EditSets *out);
/* Text in place of values that are written. */
void find_formats(const Target *t, const Shapes *shapes, EditSets *out);
/* What has one value in the run becomes that value: whole expressions, what is inside of those, and
 * variables; what has several becomes its first, unless it says what runs next. */
void find_values(const Target *t, const Shapes *shapes, EditSets *out);
/* A check moves to where the first wrong value is. */
void find_hoists(const Target *t, const Shapes *shapes, EditSets *out);
void find_inner_values(const Target *t, const Shapes *shapes, EditSets *out);
void find_variables(const Target *t, const Shapes *shapes, EditSets *out);
void find_firsts(const Target *t, const Shapes *shapes, EditSets *out);
/* The same in large parts only: for programs that are large yet. */
void find_values_coarse(const Target *t, const Shapes *shapes, EditSets *out);
void find_firsts_coarse(const Target *t, const Shapes *shapes, EditSets *out);
/* `a++` for `a += 1`, while for `for (; a;)`. */
void find_loops(const Target *t, const Shapes *shapes, EditSets *out);
/* C++ */
void find_templates(const Target *t, const Shapes *shapes, EditSets *out);  /* a parameter less */
void find_namespaces(const Target *t, const Shapes *shapes, EditSets *out); /* opened */
void find_classes(const Target *t, const Shapes *shapes, EditSets *out);    /* bases, members */
/* With all that asks for them. */
void find_concepts(const Target *t, const Shapes *shapes, EditSets *out);
void find_defaults(const Target *t, const Shapes *shapes, EditSets *out);  /* default arguments */
void find_aliases(const Target *t, const Shapes *shapes, EditSets *out);   /* the type instead */
void find_oldstyles(const Target *t, const Shapes *shapes, EditSets *out); /* int f(a) int a; */
/* C, over resolved names */
void find_arrays(const Target *t, const Shapes *shapes, EditSets *out);    /* one dimension less */
void find_pointers(const Target *t, const Shapes *shapes, EditSets *out);  /* one level less */
void find_copies(const Target *t, const Shapes *shapes, EditSets *out);    /* what was assigned */
void find_arguments(const Target *t, const Shapes *shapes, EditSets *out); /* parameters */
void find_results(const Target *t, const Shapes *shapes, EditSets *out);   /* void functions */
void find_bodies(const Target *t, const Shapes *shapes, EditSets *out);    /* inlined functions */
void find_members(const Target *t, const Shapes *shapes, EditSets *out);   /* a struct's fields */
void find_records(const Target *t, const Shapes *shapes, EditSets *out);   /* one field instead */
void find_vectors(const Target *t, const Shapes *shapes, EditSets *out);   /* struct to array */
void find_enumerators(const Target *t, const Shapes *shapes, EditSets *out); /* their values */
void find_alike(const Target *t, const Shapes *shapes, EditSets *out);       /* one name for two */
void find_starts(const Target *t, const Shapes *shapes, EditSets *out);      /* int a; a = 1; */
/* One element of an initialiser, by its name. */
void find_designators(const Target *t, const Shapes *shapes, EditSets *out);
void find_locals(const Target *t, const Shapes *shapes, EditSets *out); /* beside a global */

/* LLVM IR */
void find_ir_trims(const Target *t, const Shapes *shapes, EditSets *out);      /* no advice */
void find_ir_declares(const Target *t, const Shapes *shapes, EditSets *out);   /* no body */
void find_ir_branches(const Target *t, const Shapes *shapes, EditSets *out);   /* one target */
void find_ir_blocks(const Target *t, const Shapes *shapes, EditSets *out);     /* a block less */
void find_ir_joins(const Target *t, const Shapes *shapes, EditSets *out);      /* of two blocks */
void find_ir_zeros(const Target *t, const Shapes *shapes, EditSets *out);      /* for a value */
void find_ir_poisons(const Target *t, const Shapes *shapes, EditSets *out);    /* the same */
void find_ir_operands(const Target *t, const Shapes *shapes, EditSets *out);   /* the same */
void find_ir_parameters(const Target *t, const Shapes *shapes, EditSets *out); /* with arguments */
void find_ir_results(const Target *t, const Shapes *shapes, EditSets *out);    /* void functions */

#endif
