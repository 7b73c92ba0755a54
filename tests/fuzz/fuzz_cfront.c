/* Any bytes as a C program: modelled, with all the model promises, or refused with a message. */
#include "../cfront/cfront_check.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Arena arena = { 0 };
    Error err = { 0 };
    Buf why = { 0 };
    CfrontOptions options = { .name = "fuzz.c" };
    CUnit *unit = cfront_parse(&arena, (Str){ (const char *)data, size }, &options, &err);
    if (unit && !check_unit(unit, &why)) die_bug(__FILE__, __LINE__, "%s", why.at);
    if (!unit) CHECK(err.status == STATUS_BAD && err.text[0]);
    if (unit) cfront_dump(unit, &why);
    buf_release(&why);
    arena_release(&arena);
    return 0;
}
