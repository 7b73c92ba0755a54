/* Which flag or pass does a failure depend on? This boundary sorts hunt's findings into buckets and
 * gives isolate its witnesses.
 *
 * GCC: the single -fno-* flags and -fdisable-* passes that make the failure go away at the failing
 * level; when no single one does, a minimal set (ddmin over all of them). clang: the number at
 * which -opt-bisect-limit turns from pass to fail, and the pass with that number. */
#ifndef CULPRIT_CC_BLAME_H
#define CULPRIT_CC_BLAME_H

#include "cc/passes.h"
#include "cc/repro.h"

typedef struct Blame {
    StrVec cures;  /* single flags, each of which cures; sorted. Memory: arena */
    Str key;       /* for buckets: the first of cures, or the minimal set joined by blanks, or
                    * "pass NAME"; empty: nothing cures it (a crash of the front end, say) */
    Str pass;      /* LLVM: the pass at the boundary */
    int64_t limit; /* LLVM: its number; 0: not used */
    unsigned runs; /* how many compilations it took */
    double cpu_s;
} Blame;

/* The question: the failing job, as it was. */
typedef struct BlameQuestion {
    const CcJob *job; /* cc, flags, source, until, compare, expected, code, input are copied */
    Symptom symptom;  /* the failure: what must go away, and what still counts as it */
    bool quick;  /* GCC: bisect over the list of flags (about a dozen runs) instead of trying every
                  * single one (some 150): key is filled, cures is not */
    bool passes; /* GCC: also try -fdisable-* when no flag cures (default off) */
    double time_s; /* stop after this long with what is known; 0: no limit */
} BlameQuestion;

bool blame_find(Arena *arena, Pool *pool, const BlameQuestion *question, Blame *out, Error *err);

#endif
