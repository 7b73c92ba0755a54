/* Effective types (C 6.5p6-7): sanitizers do not see a program that stores memory as one type and
 * reads it as another, and optimisers take it apart. clang says of every access which type it has
 * (its notes for alias analysis); the calls put in here check them while the program runs
 * (runtime/types.c). */
#ifndef CULPRIT_CC_TYPES_H
#define CULPRIT_CC_TYPES_H

#include "base/base.h"

/* Flags for a clang of the version culprit is linked with: bitcode with these notes. */
extern const char *const types_flags[];
unsigned types_clang(void); /* that version */
/* The runtime to link with, an object file. */
Str types_runtime(void);

/* Bitcode made with types_flags, with the checks. *unsure: there are accesses clang says nothing or
 * too little of (bit-fields, complex numbers, pointers to structures). false: it cannot be read. */
bool types_instrument(Str bitcode, Buf *out, bool *unsure);

#endif
