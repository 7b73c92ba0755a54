/* Any words as a command line, and any bytes as a duration or size. */
#include "base/opts.h"
#include "base/quantity.h"
#include "fuzz.h"

static bool flag;
static uint64_t number, size_value;
static double seconds;
static StrVec list;
static const Opt table[] = {
    { 'f', "flag", OPT_FLAG, &flag, NULL, "", NULL },
    { 'n', "number", OPT_UINT, &number, "N", "", NULL },
    { 't', "time", OPT_TIME, &seconds, "T", "", NULL },
    { 's', "size", OPT_SIZE, &size_value, "S", "", NULL },
    { 0, "list", OPT_LIST, &list, "L", "", NULL },
    { 0 },
};
static const OptSpec spec = { "fuzz", "", "", table, NULL, NULL, 0, OPT_MANY, NULL };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Arena arena = { 0 };
    char *argv[34] = { "fuzz" };
    int argc = 1;
    Str rest = { (const char *)data, size }, word;
    while (argc < 32 && size && str_split(&rest, '\n', &word)) {
        if (str_starts(word, "--help") || str_is(word, "-h")) continue;
        argv[argc++] = arena_cstr(&arena, word);
        quantity_duration(word, &seconds);
        quantity_size(word, &size_value);
    }
    StrVec operands = { 0 };
    Error err = { 0 };
    if (opts_parse(&spec, argc, argv, &operands, &err) == OPTS_BAD) CHECK(err.status == STATUS_BAD);
    vec_release(&operands);
    vec_clear(&list);
    arena_release(&arena);
    return 0;
}
