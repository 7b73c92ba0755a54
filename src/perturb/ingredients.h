/* What structural mutation inserts, mined from a compiler's own test suite (RecBi, section 3.1;
 * DiWi's blending): conditions of branches and loops as templates with typed holes, and functions
 * with everything they refer to, renamed so that they can stand in any program.
 *
 * Mining parses files in an order drawn from the seed until `files` of them gave something: the
 * pool depends on the directory and the seed alone. */
#ifndef CULPRIT_PERTURB_INGREDIENTS_H
#define CULPRIT_PERTURB_INGREDIENTS_H

#include "base/base.h"
#include "cfront/cfront.h"

typedef struct Ingredients Ingredients;

/* A condition: text with holes to be filled with integer expressions. */
typedef struct Condition {
    Str text;              /* with '\1' where a hole is */
    const CIntKind *holes; /* their types, in order */
} Condition;

typedef struct IngredientParam {
    CIntKind kind; /* the integer type, or what it points at; CI_NONE: floating, see spelling */
    bool pointer;
    Str spelling; /* of the type, or of what it points at, without qualifiers */
} IngredientParam;

typedef struct IngredientFunction {
    Str name; /* as renamed */
    Str text; /* types, variables and functions it needs, then itself; all static, renamed */
    const IngredientParam *params;
    uint32_t n_params;
} IngredientFunction;

/* NULL with err when dir cannot be read or holds no C file that can be used. files 0: a default. */
Ingredients *ingredients_mine(const char *dir, unsigned files, uint64_t seed, Error *err);
void ingredients_free(Ingredients *pool);
size_t ingredients_conditions(const Ingredients *pool, const Condition **list);
size_t ingredients_functions(const Ingredients *pool, const IngredientFunction **list);

#endif
