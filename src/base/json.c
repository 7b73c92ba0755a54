/* JSON: the thin layer over jansson. */
#include "json.h"

/* Length of the valid UTF-8 sequence at s (1..4), 0 if there is none. NUL counts as invalid. */
static size_t utf8_length(const unsigned char *s, size_t n) {
    if (s[0] != 0 && s[0] < 0x80) return 1;
    size_t len = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4 || len > n) return 0;
    for (size_t i = 1; i < len; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return len;
}

json_t *json_text(Str s) {
    json_t *plain = s.len && memchr(s.at, 0, s.len) ? NULL : json_stringn(s.at, s.len);
    if (plain) return plain;
    Buf clean = { 0 };
    for (size_t i = 0; i < s.len;) {
        size_t n = utf8_length((const unsigned char *)s.at + i, s.len - i);
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
