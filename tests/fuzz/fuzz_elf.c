/* Any bytes as a program whose symbols are read. */
#include "coverage/symbols.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Arena arena = { 0 };
    Error err = { 0 };
    Symbols symbols;
    const char *path = fuzz_file(&arena, "program", (Str){ (const char *)data, size });
    size_t before = fuzz_memory();
    bool read = symbols_read(&arena, path, &symbols, &err);
    fuzz_bounded(before, size);
    if (read) {
        for (size_t i = 0; i < symbols.functions.len && i < 100; i++)
            symbols_find(&symbols, symbols.functions.at[i].from, symbols.bss);
        symbols_find(&symbols, 0, 0);
        symbols_find(&symbols, UINT64_MAX, 0);
    } else {
        CHECK(err.status == STATUS_BAD);
    }
    vec_release(&symbols.functions);
    arena_release(&arena);
    return 0;
}
