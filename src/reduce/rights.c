/* See rights.h. */
#include "reduce/rights.h"

static Str key_of(const Hash *program) {
    return (Str){ (const char *)program, sizeof *program };
}

void rights_put(Rights *rights, Hash program, Str output, int code) {
    if (output.len > RIGHTS_LONGEST || rights_find(rights, program)) return;
    bool same = rights->list.len && str_eq(vec_last(&rights->list).output, output);
    Str kept = same ? vec_last(&rights->list).output : arena_str(&rights->arena, output);
    map_put(&rights->at, key_of(&program), rights->list.len);
    vec_push(&rights->list, ((Right){ kept, code }));
}

const Right *rights_find(const Rights *rights, Hash program) {
    uint64_t at;
    return map_get(&rights->at, key_of(&program), &at) ? &rights->list.at[at] : NULL;
}

void rights_release(Rights *rights) {
    map_release(&rights->at);
    vec_release(&rights->list);
    arena_release(&rights->arena);
}
