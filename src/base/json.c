/* JSON: the thin layer over jansson. */
#include "base/json.h"

json_t *json_text(Str s) {
    json_t *plain = s.len && memchr(s.at, 0, s.len) ? NULL : json_stringn(s.at, s.len);
    if (plain) return plain;
    Buf clean = { 0 };
    for (size_t i = 0; i < s.len;) {
        size_t n = s.at[i] ? str_utf8(str_sub(s, i, s.len)) : 0;
        if (n)
            buf_add(&clean, s.at + i, n);
        else
            buf_text(&clean, "\xef\xbf\xbd");
        i += n ? n : 1;
    }
    json_t *value = json_stringn(clean.at ? clean.at : "", clean.len);
    buf_release(&clean);
    CHECK(value);
    return value;
}

void json_put(json_t *object, const char *key, json_t *value) {
    CHECK(json_object_set_new(object, key, value) == 0);
}

void json_put_text(json_t *object, const char *key, Str s) {
    json_put(object, key, json_text(s));
}

void json_put_int(json_t *object, const char *key, int64_t value) {
    json_put(object, key, json_integer(value));
}

void json_put_real(json_t *object, const char *key, double value) {
    json_put(object, key, value - value == 0 ? json_real(value) : json_null());
}

void json_put_bool(json_t *object, const char *key, bool value) {
    json_put(object, key, json_boolean(value));
}

Str json_get_text(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_string(value) ? (Str){ json_string_value(value), json_string_length(value) }
                                 : STR("");
}

int64_t json_get_int(const json_t *object, const char *key, int64_t fallback) {
    const json_t *value = json_object_get(object, key);
    return json_is_integer(value) ? json_integer_value(value) : fallback;
}

double json_get_real(const json_t *object, const char *key, double fallback) {
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : fallback;
}

bool json_get_bool(const json_t *object, const char *key, bool fallback) {
    const json_t *value = json_object_get(object, key);
    return json_is_boolean(value) ? json_is_true(value) : fallback;
}

json_t *json_parse(Str text, const char *name, Error *err) {
    json_error_t problem;
    json_t *value = json_loadb(text.at, text.len, JSON_DECODE_ANY, &problem);
    if (!value)
        err_set(err, STATUS_BAD, "%s:%d:%d: not valid JSON: %s", name, problem.line, problem.column,
                problem.text);
    return value;
}

static int append(const char *bytes, size_t n, void *out) {
    buf_add(out, bytes, n);
    return 0;
}

void json_dump_buf(const json_t *value, bool pretty, Buf *out) {
    size_t flags = JSON_SORT_KEYS | JSON_ENCODE_ANY | (pretty ? JSON_INDENT(2) : JSON_COMPACT);
    CHECK(json_dump_callback(value, append, out, flags) == 0);
}

void json_print(const json_t *value) {
    Buf out = { 0 };
    json_dump_buf(value, true, &out);
    buf_char(&out, '\n');
    fwrite(out.at, 1, out.len, stdout);
    fflush(stdout);
    buf_release(&out);
}
