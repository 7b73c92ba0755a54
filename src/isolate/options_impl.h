/* Internals of options: options.c (GCC's flags, passes and counters), options_llvm.c (LLVM's limit
 * and switches). All run the failing program on the uninstrumented compiler through the pool. */
#ifndef CULPRIT_ISOLATE_OPTIONS_IMPL_H
#define CULPRIT_ISOLATE_OPTIONS_IMPL_H

#include "isolate/options.h"

/* The words of an option: "-mllvm -x" are two, "-fdisable-rtl-rtl pre" is one. NULL-ended. */
const char *const *options_argv(Arena *arena, Str option);
/* Whether the failing program passes or fails with this option added. */
Judgement options_ask(Isolation *iso, Str option);
/* Tries each option alone; those that cure become cures of this kind, and witnesses. */
bool options_try_all(Isolation *iso, const StrVec *options, WitnessKind kind, Error *err);
/* Coverage of the failing program with each of these options, as witnesses (or failing runs). */
bool options_cover(Isolation *iso, const Cure *cures, size_t n, bool failing, Error *err);
/* Coverage of the failing program with this option (empty: none) in one window only, into bits,
 * which are made here. */
bool options_cover_window(Isolation *iso, Str option, const char *window, Bits *bits, Error *err);

#endif
