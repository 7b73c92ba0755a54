/* Strings with their length, and the growing buffer. */
#include "base/base.h"

#include <errno.h>

Str str_from(const char *text) {
    return text ? (Str){ text, strlen(text) } : (Str){ "", 0 };
}

Str str_sub(Str s, size_t from, size_t to) {
    if (to > s.len) to = s.len;
    if (from > to) from = to;
    if (!s.at) return s; /* nothing to point into */
    return (Str){ s.at + from, to - from };
}

bool str_eq(Str a, Str b) {
    return a.len == b.len && (a.len == 0 || memcmp(a.at, b.at, a.len) == 0);
}

bool str_is(Str a, const char *b) {
    return str_eq(a, str_from(b));
}

int str_cmp(Str a, Str b) {
    size_t n = a.len < b.len ? a.len : b.len;
    int order = n ? memcmp(a.at, b.at, n) : 0;
    return order ? order : (a.len > b.len) - (a.len < b.len);
}

bool str_starts(Str s, const char *prefix) {
    size_t n = strlen(prefix);
    return s.len >= n && (n == 0 || memcmp(s.at, prefix, n) == 0);
}

bool str_ends(Str s, const char *suffix) {
    size_t n = strlen(suffix);
    return s.len >= n && (n == 0 || memcmp(s.at + s.len - n, suffix, n) == 0);
}

size_t str_find(Str s, Str needle, size_t from) {
    if (from > s.len) return STR_NONE;
    if (needle.len == 0) return from;
    if (needle.len > s.len - from) return STR_NONE;
    const char *hit = memmem(s.at + from, s.len - from, needle.at, needle.len);
    return hit ? (size_t)(hit - s.at) : STR_NONE;
}

static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

Str str_trim(Str s) {
    while (s.len && is_space(s.at[0])) s.at++, s.len--;
    while (s.len && is_space(s.at[s.len - 1])) s.len--;
    return s;
}

bool str_split(Str *rest, char sep, Str *part) {
    if (!rest->at) return false;
    const char *hit = rest->len ? memchr(rest->at, sep, rest->len) : NULL;
    if (!hit) {
        *part = *rest;
        *rest = (Str){ NULL, 0 };
        return true;
    }
    *part = str_sub(*rest, 0, (size_t)(hit - rest->at));
    *rest = str_sub(*rest, part->len + 1, rest->len);
    return true;
}

/* libc's number parsers want a terminated string; anything longer than this is not a number. */
enum { NUMBER_MAX = 63 };

static bool number_text(Str s, char text[NUMBER_MAX + 1]) {
    if (s.len == 0 || s.len > NUMBER_MAX || is_space(s.at[0])) return false;
    memcpy(text, s.at, s.len);
    text[s.len] = 0;
    errno = 0;
    return strlen(text) == s.len;
}

static int number_base(const char *text) {
    if (*text == '-' || *text == '+') text++;
    return text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
}

bool str_to_u64(Str s, uint64_t *out) {
    char text[NUMBER_MAX + 1], *end;
    if (!number_text(s, text) || text[0] == '-') return false;
    uint64_t value = strtoull(text, &end, number_base(text));
    if (errno || *end || end == text) return false;
    *out = value;
    return true;
}

bool str_to_i64(Str s, int64_t *out) {
    char text[NUMBER_MAX + 1], *end;
    if (!number_text(s, text)) return false;
    int64_t value = strtoll(text, &end, number_base(text));
    if (errno || *end || end == text) return false;
    *out = value;
    return true;
}

bool str_to_real(Str s, double *out) {
    char text[NUMBER_MAX + 1], *end;
    if (!number_text(s, text)) return false;
    double value = strtod(text, &end);
    if (errno || *end || end == text || value != value) return false;
    *out = value;
    return true;
}

size_t str_utf8(Str str) {
    const unsigned char *s = (const unsigned char *)str.at;
    if (!str.len) return 0;
    if (s[0] < 0x80) return 1;
    size_t len = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4 || len > str.len) return 0;
    for (size_t i = 1; i < len; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return len;
}

static uint64_t mix(uint64_t x) {
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    return x ^ (x >> 32);
}

static uint64_t hash_with(Str s, uint64_t state) {
    size_t i = 0;
    for (; i + 8 <= s.len; i += 8) {
        uint64_t word;
        memcpy(&word, s.at + i, 8);
        state = mix(state ^ word) + 0x9e3779b97f4a7c15u;
    }
    uint64_t tail = 0;
    if (s.len > i) memcpy(&tail, s.at + i, s.len - i);
    return mix(mix(state ^ tail) + s.len);
}

uint64_t str_hash(Str s) {
    return hash_with(s, 0x51ed270b0a1f39c1u);
}

Hash str_hash128(Str s) {
    return (Hash){ hash_with(s, 0x2545f4914f6cdd1du), hash_with(s, 0x9fb21c651e98df25u) };
}

Str arena_str(Arena *arena, Str s) {
    char *copy = arena_alloc(arena, s.len + 1);
    if (s.len) memcpy(copy, s.at, s.len);
    return (Str){ copy, s.len };
}

char *arena_cstr(Arena *arena, Str s) {
    return (char *)arena_str(arena, s).at;
}

char *arena_strdup(Arena *arena, const char *text) {
    return arena_cstr(arena, str_from(text));
}

char *arena_fmt(Arena *arena, const char *fmt, ...) {
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    CHECK(n >= 0);
    char *text = arena_alloc(arena, (size_t)n + 1);
    vsnprintf(text, (size_t)n + 1, fmt, again);
    va_end(again);
    return text;
}

char *buf_room(Buf *buf, size_t n) {
    CHECK(n < SIZE_MAX / 4 && buf->len < SIZE_MAX / 4);
    size_t need = buf->len + n + 1;
    if (need > buf->cap) buf->at = vec_grow(buf->at, &buf->cap, need, 1);
    return buf->at + buf->len;
}

void buf_add(Buf *buf, const void *bytes, size_t n) {
    char *room = buf_room(buf, n);
    if (n) memcpy(room, bytes, n);
    buf->len += n;
    buf->at[buf->len] = 0;
}

void buf_str(Buf *buf, Str s) {
    buf_add(buf, s.at, s.len);
}

void buf_text(Buf *buf, const char *text) {
    buf_add(buf, text, strlen(text));
}

void buf_char(Buf *buf, char c) {
    buf_add(buf, &c, 1);
}

void buf_vfmt(Buf *buf, const char *fmt, va_list args) {
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    CHECK(n >= 0);
    vsnprintf(buf_room(buf, (size_t)n), (size_t)n + 1, fmt, again);
    va_end(again);
    buf->len += (size_t)n;
}

void buf_fmt(Buf *buf, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    buf_vfmt(buf, fmt, args);
    va_end(args);
}

void buf_clear(Buf *buf) {
    buf->len = 0;
    if (buf->at) buf->at[0] = 0;
}

void buf_release(Buf *buf) {
    mem_free(buf->at);
    *buf = (Buf){ 0 };
}
