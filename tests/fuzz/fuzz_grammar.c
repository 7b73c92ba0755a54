/* Any bytes as a grammar.json for C's parser: refused, or asked what it allows. */
#include "fuzz.h"
#include "tree/grammar.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Error err = { 0 };
    static Lang *lang;
    if (!lang) lang = lang_builtin("c", &err);
    size_t before = fuzz_memory();
    Grammar *grammar = grammar_new(lang, (Str){ (const char *)data, size }, "fuzz.json", &err);
    CHECK(grammar || err.status == STATUS_BAD);
    fuzz_bounded(before, size);
    if (!grammar) return 0;
    uint16_t row[12];
    for (unsigned kind = 0; kind < lang_kinds(lang); kind++)
        for (unsigned n = 0; n < 3; n++) {
            for (unsigned i = 0; i < COUNT_OF(row); i++)
                row[i] = (uint16_t)((kind * 7 + i * 13 + n) % lang_kinds(lang));
            grammar_allows(grammar, kind, row, n * 6);
        }
    grammar_free(grammar);
    return 0;
}
