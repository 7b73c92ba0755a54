/* What the user calls the values of a variable of an enumeration type, from the debug information.
 */
#ifndef CULPRIT_TRACE_ENUMS_H
#define CULPRIT_TRACE_ENUMS_H

#include "trace/code.h"

#include <llvm-c/Core.h>

/* Reads the enumeration that a type node of debug information is, through typedefs and qualifiers:
 * 1 + its number in code->enumerations, 0 when it is not one. known belongs to the caller, for one
 * module: type node -> 1 + what this returned. */
uint64_t enums_read(Code *code, Map *known, LLVMValueRef type);
/* The enumerator with this value of the given number of bits; empty when there is none. which: what
 * enums_read returned. */
Str enums_name(const Code *code, uint64_t which, uint64_t value, unsigned bits);

#endif
