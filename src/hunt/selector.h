/* Target selectors of DejaGnu tests: `{ target { { i?86-*-* x86_64-*-* } && lp64 } }`, evaluated
 * for this machine's compilers (x86-64, Linux, GNU), or for a target that a compiler named. */
#ifndef CULPRIT_HUNT_SELECTOR_H
#define CULPRIT_HUNT_SELECTOR_H

#include "base/base.h"

typedef enum Selected { SELECTED_NO, SELECTED_YES, SELECTED_UNKNOWN } Selected;

/* The expression without the word `target` or `xfail` in front; empty: yes. target NULL: this
 * machine; of another one, what depends on the architecture is unknown. */
Selected selector_matches(Str expression, const char *target);
/* One name of a target or of a target's feature: "lp64", "x86_64-*-linux*". */
Selected selector_word(Str word, const char *target);

#endif
