/* Any bytes as the record that a profiled program left: what they say becomes values, or is
 * refused. The reader is private to its file, which is included. */
#include "variant/profile.c"

#include "fuzz.h"
#include "variant/point.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Arena arena = { 0 };
    Error err = { 0 };
    Tables tables = { 0 };
    ProfileRecord record;
    if (size < 2) return 0;
    size_t points = data[0] % 16, slots = data[1] % 32;
    for (size_t i = 0; i < slots; i++) vec_push(&tables.homes, (uint16_t)0);
    Str bytes = arena_str(&arena, (Str){ (const char *)data + 2, size - 2 });
    size_t before = fuzz_memory();
    bool read = read_record(&arena, bytes, &tables, points, &record, &err);
    fuzz_bounded(before, size);
    if (read) {
        uint64_t sum = 0;
        for (uint32_t s = 0; s < slots; s++)
            for (uint32_t i = 0; record.count[s] != CLOSED && i < record.count[s]; i++)
                sum += record_value(&record, s, i);
        CHECK(sum == sum);
    }
    tables_release(&tables);
    arena_release(&arena);
    return 0;
}
