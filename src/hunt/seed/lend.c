/* A worker's lender; see lend.h. Programs are read as they are: what a macro of theirs stands for
 * is not known, and such functions are left alone. */
#include "hunt/seed/lend.h"

#include "base/file.h"
#include "cc/compiler.h"

Lender *lend_functions(const Seeds *seeds, uint64_t seed, Error *err) {
    Lender *lender = lender_new();
    Rng rng = rng_stream(seed, "lend", 0);
    for (unsigned i = 0; i < CAMPAIGN_LENDERS && seeds->files.len; i++) {
        Arena arena = { 0 };
        Str text;
        Error why;
        const char *path = seeds->files.at[rng_below(&rng, seeds->files.len)].at;
        CfrontOptions options = { .name = path, .args = cc_tolerant(CC_CLANG) };
        const CUnit *unit = file_read(&arena, path, &text, NULL)
                                ? cfront_parse(&arena, text, &options, &why)
                                : NULL;
        if (unit) lender_take(lender, unit);
        arena_release(&arena);
    }
    bool ok = lender_record(lender, seed, err);
    if (ok && lender->list.len) return lender;
    lender_free(lender);
    return NULL;
}
