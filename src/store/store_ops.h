/* The table of operations behind store.h: what a kind of database has to offer. One file (or a few)
 * a kind, one line in store.c to choose it. Semantics are those of the store_* function of the same
 * name; the writing ones are only called on a store that was opened for writing. */
#ifndef CULPRIT_STORE_STORE_OPS_H
#define CULPRIT_STORE_STORE_OPS_H

#include "store/store.h"

typedef struct StoreOps {
    void (*close)(Store *);
    bool (*check)(Store *, Error *);
    uint64_t (*generation)(Store *);
    bool (*key)(Store *, Arena *, Str *, Error *); /* the random number it got when it was made */

    bool (*case_put)(Store *, const Case *, int64_t *, bool *, Error *);
    bool (*case_get)(Store *, Arena *, int64_t, Case *, Error *);
    bool (*case_set)(Store *, int64_t, const CaseSet *, size_t, Error *);
    bool (*case_remove)(Store *, int64_t, Error *);
    bool (*case_merge)(Store *, int64_t, int64_t, Error *);
    bool (*case_list)(Store *, Arena *, const CaseFilter *, Case **, size_t *, uint64_t *, Error *);
    bool (*case_has)(Store *, const int64_t *, size_t, const char *const *, size_t, uint32_t *,
                     Error *);

    bool (*campaign_find)(Store *, Str, int64_t *, Error *); /* *id 0: none has these settings */
    bool (*campaign_new)(Store *, Str, int64_t *, Error *);
    bool (*campaign_list)(Store *, Arena *, int64_t, Campaign **, size_t *,
                          Error *); /* id 0: all */
    bool (*campaign_set)(Store *, int64_t, Str, Str, Error *);
    bool (*seed_done)(Store *, int64_t, const SeedDone *, const Case *, size_t, int64_t *, bool *,
                      Error *);
    bool (*seeds_done)(Store *, Arena *, int64_t, uint64_t **, size_t *, Error *);
    bool (*seed_get)(Store *, Arena *, int64_t, uint64_t, SeedDone *, Error *);
    bool (*samples)(Store *, Arena *, int64_t, Sample **, size_t *, Error *);
    bool (*coverage)(Store *, int64_t, double, Error *);

    bool (*compiler_put)(Store *, const KnownCompiler *, Error *);
    bool (*compiler_remove)(Store *, const char *, Error *);
    bool (*compiler_list)(Store *, Arena *, const char *, KnownCompiler **, size_t *, Error *);
    bool (*step_put)(Store *, const CaseStep *, Error *);
    bool (*steps)(Store *, Arena *, int64_t, CaseStep **, size_t *, Error *);
} StoreOps;

/* What every kind of store begins with. */
struct Store {
    const StoreOps *ops;
    char *path;    /* as the user gave it; owned */
    bool writable; /* opened with STORE_WRITE */
    bool made;     /* by this very opening: there was none */
};

/* NULL and err when it cannot be opened. */
Store *sqlite_store_open(const char *path, StoreMode mode, Error *err);

/* The Str members of a Case by name: how sets, rows and BLOBs find them. */
typedef struct CaseMember {
    const char *name; /* the member, and the column or the text's name */
    size_t offset;    /* in Case */
    bool large;       /* a BLOB of its own */
} CaseMember;
extern const CaseMember case_members[];
extern const size_t case_member_count;
const CaseMember *case_member(const char *name); /* NULL: there is none */
static inline Str *case_member_at(const Case *c, const CaseMember *m) {
    return (Str *)(void *)((const char *)c + m->offset);
}

#endif
