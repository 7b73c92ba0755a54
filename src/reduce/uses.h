/* Who uses what: names, where they are introduced, and what has to go with them.
 *
 * Cutting parts out of a large program mostly gives programs that do not compile: something that is
 * left uses something that is gone. Here a deletion takes its users with it: when the place where a
 * name is introduced goes, the statement, declaration or item around each use of it goes too, and
 * so on until nothing uses what is gone (the idea of dependency closures: Kalhauge and Palsberg,
 * Binary reduction of dependency graphs, 2019, over names in place of class files). Most candidates
 * then compile, and a few tests remove most of a program.
 *
 * A unit is a child of a block (or of the root). Names and scopes are guessed from the grammar's
 * own names of kinds and fields: true enough in any language, and a wrong guess costs a test, never
 * the result. */
#ifndef CULPRIT_REDUCE_USES_H
#define CULPRIT_REDUCE_USES_H

#include "reduce/doc.h"

typedef enum UsesHow {
    USES_DROP,   /* the whole unit around a use goes */
    USES_UNWRAP, /* the same, but what an `if` guards stays when only its condition uses it */
    USES_TIDY,   /* no use goes; only what nothing uses any more, where the language minds that */
} UsesHow;

/* How a token introduces its symbol. */
typedef enum UsesDeclares {
    USES_MAY_IDLE = 1, /* what nothing uses may stay */
    USES_MUST_SERVE,   /* the compiler refuses it where nothing uses it: imports, variables of Go */
} UsesDeclares;

typedef struct Uses {
    const Doc *doc;
    uint32_t *unit;      /* node -> innermost unit around it, itself included; 0: none */
    uint32_t *symbol;    /* token -> symbol of its name + 1; 0: none known */
    uint8_t *declares;   /* token introduces its symbol: 0, or one of UsesDeclares */
    uint32_t *next;      /* token -> next token of the same symbol; UINT32_MAX: the last */
    VEC(uint32_t) first; /* symbol -> its first token */
    uint8_t *class_of;   /* kind -> what it is for us (uses.c) */
    uint8_t *gone;       /* scratch: token by token */
    VEC(uint32_t) stack; /* scratch */
    uint16_t field_body, field_condition, field_label; /* roles as the grammar numbers them */
    uint16_t field_consequence, field_declarator, field_name, field_pattern, field_path;
    bool minds_unused; /* some tokens are USES_MUST_SERVE */
} Uses;

/* What closing did besides what was asked. */
typedef struct UsesClosed {
    bool added;     /* tokens were added */
    bool unwrapped; /* an `if` gave way to what it guards */
} UsesClosed;

/* For a fresh document; stays usable while its tokens go, until the next refresh. */
void uses_init(Uses *uses, const Doc *doc);
void uses_release(Uses *uses);
/* Adds to edits (sorted by token) what uses what they remove, and what nothing uses then, where the
 * language minds. */
UsesClosed uses_close(Uses *uses, UsesHow how, DocEdits *edits);
/* The unit around a node; 0: none. */
static inline uint32_t uses_unit(const Uses *uses, uint32_t node) {
    return uses->unit[node];
}

#endif
