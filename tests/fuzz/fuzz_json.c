/* Any bytes as JSON text, and any bytes inside a JSON string: parsed or refused, never more. */
#include "base/json.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Str text = { (const char *)data, size };
    Error err = { 0 };
    size_t before = fuzz_memory();
    json_t *value = json_parse(text, "fuzz", &err);
    fuzz_bounded(before, size);
    CHECK(value || err.status == STATUS_BAD);
    json_decref(value);
    json_t *string = json_text(text);
    Buf out = { 0 };
    json_dump_buf(string, true, &out);
    json_t *again = json_parse(buf_view(&out), "own", &err);
    CHECK(again && json_equal(again, string));
    json_decref(again);
    json_decref(string);
    buf_release(&out);
    return 0;
}
