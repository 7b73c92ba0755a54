/* Effective types (C 6.5p6-7): sanitizers do not notice when a program stores memory as one type
 * and reads it as another, but optimisers exploit it. clang notes the type of every access (for
 * alias analysis); the calls inserted here check those types while the program runs
 * (runtime/types.c). */
#ifndef CULPRIT_CC_TYPES_H
#define CULPRIT_CC_TYPES_H

#include "base/base.h"

/* Flags for a clang of the version culprit is linked with: bitcode with these notes. */
extern const char *const types_flags[];
unsigned types_clang(void); /* that version */
/* The runtime to link with, an object file. */
Str types_runtime(void);

/* Adds the checks to bitcode made with types_flags. *unsure: clang says nothing, or too little,
 * about some accesses (bit-fields, complex numbers, pointers to structures). false: it cannot be
 * read. */
bool types_instrument(Str bitcode, Buf *out, bool *unsure);

#endif
