/* The vocabulary every room shares: memory, strings, arrays, errors.
 *
 * Memory is owned by lifetime. An Arena holds what lives as long as a run, a file or one candidate
 * and is released whole. Vec and Buf own heap memory and are released by their owner. Out of memory
 * ends the program in one place (mem.c); nothing here returns NULL for lack of memory. */
#ifndef CULPRIT_BASE_BASE_H
#define CULPRIT_BASE_BASE_H

#include "base/banned.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PRINTF_LIKE(fmt, first) __attribute__((format(printf, fmt, first)))
#define NORETURN __attribute__((noreturn))
#define NEVER_NULL __attribute__((returns_nonnull))
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* ---- exit statuses of every command ---- */
enum Status {
    STATUS_DONE = 0,          /* done; for a question: yes */
    STATUS_NO = 1,            /* the answer is no: nothing found, does not reproduce, out of time */
    STATUS_BAD = 2,           /* wrong usage or bad input */
    STATUS_LACKS = 3,         /* something this machine lacks */
    STATUS_INTERRUPTED = 130, /* by the user; the results so far were saved */
};

/* ---- errors ----
 * A function that can fail for reasons outside the program returns false (or NULL) and fills an
 * Error: one line a user can act on. A bug calls die_bug through CHECK. */
typedef struct Error {
    enum Status status; /* what main exits with; STATUS_DONE: no error */
    char text[1024];    /* one line, no newline at the end, no "culprit: " in front */
} Error;

/* Fills err (which may be NULL) and returns false, so that callers can `return err_set(...)`. */
bool err_set(Error *err, enum Status status, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Like err_set with STATUS_BAD and ": strerror(errno)" appended. */
bool err_errno(Error *err, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* The same with STATUS_LACKS: a failed write is not the fault of the user's input. */
bool err_write(Error *err, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Prints "culprit: text" on stderr and returns err->status: the last thing a command does. A
 * failure caused by the user's interrupt says nothing about the input, so only the interrupt is
 * reported. */
int err_report(const Error *err);
/* Tells err_report how to find out about an interrupt; called once by main. */
void err_ask_interrupted(bool (*interrupted)(void));
NORETURN void die_bug(const char *file, int line, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* An invariant: if it is false, that is a bug of ours, and we abort with its location. */
#define CHECK(cond) ((cond) ? (void)0 : die_bug(__FILE__, __LINE__, "%s", #cond))

/* ---- raw memory: never NULL; zeroed where it says so ---- */
NEVER_NULL void *mem_alloc(size_t size); /* zeroed */
NEVER_NULL void *mem_resize(void *old, size_t size);
void mem_free(void *at);
NEVER_NULL char *mem_strdup(const char *text);
/* Hostile builds only (elsewhere a no-op): the n-th allocation from now fails. 0 turns it off. */
void mem_fail_after(uint64_t n);

/* ---- arenas ---- */
typedef struct ArenaChunk ArenaChunk;
typedef struct Arena {
    ArenaChunk *chunk; /* newest chunk; older ones are linked from it */
    char *at, *end;    /* free part of the newest chunk */
    size_t used;       /* bytes handed out, for statistics and limits */
} Arena;               /* {0} is an empty arena */

NEVER_NULL void *arena_alloc(Arena *arena, size_t size); /* zeroed, aligned for any type */
NEVER_NULL void *arena_copy(Arena *arena, const void *from, size_t size);
void arena_clear(Arena *arena);   /* everything handed out is gone; keeps one chunk */
void arena_release(Arena *arena); /* gives all memory back */
#define ARENA_NEW(arena, type) ((type *)arena_alloc((arena), sizeof(type)))
/* n elements of a size; an overflow of n * size counts as out of memory. */
NEVER_NULL void *arena_array(Arena *arena, size_t size, size_t n);
#define ARENA_ARRAY(arena, type, n) ((type *)arena_array((arena), sizeof(type), (size_t)(n)))

/* ---- strings: a view with its length; not owned, not NUL-terminated unless said ---- */
typedef struct Str {
    const char *at;
    size_t len;
} Str;

#define STR(literal) ((Str){ "" literal, sizeof(literal) - 1 })
#define STR_FMT "%.*s"
#define STR_ARG(s) (int)(s).len, (s).at

Str str_from(const char *text); /* NULL gives the empty string */
Str str_sub(Str s, size_t from, size_t to);
bool str_eq(Str a, Str b);
bool str_is(Str a, const char *b);
int str_cmp(Str a, Str b);
bool str_starts(Str s, const char *prefix);
bool str_ends(Str s, const char *suffix);
/* Offset of needle in s at or after from; (size_t)-1 when it is not there. */
size_t str_find(Str s, Str needle, size_t from);
#define STR_NONE ((size_t)-1)
Str str_trim(Str s);
/* Splits off the part before the next sep (or all); *rest moves past it. False when rest is used up
 * (rest->at is NULL then). */
bool str_split(Str *rest, char sep, Str *part);
bool str_to_u64(Str s, uint64_t *out); /* decimal or 0x hex, whole string */
bool str_to_i64(Str s, int64_t *out);
bool str_to_real(Str s, double *out);
/* Length of the UTF-8 sequence s begins with (1 to 4 bytes), or 0 when it is not one: overlong
 * forms, surrogates and anything beyond U+10FFFF are not. */
size_t str_utf8(Str s);
uint64_t str_hash(Str s);
/* 128-bit content hash for caches: collisions are not handled anywhere. */
typedef struct Hash {
    uint64_t hi, lo;
} Hash;
Hash str_hash128(Str s);

Str arena_str(Arena *arena, Str s);    /* copy; the copy is NUL-terminated */
char *arena_cstr(Arena *arena, Str s); /* the same as a C string */
char *arena_strdup(Arena *arena, const char *text);
char *arena_fmt(Arena *arena, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* ---- Buf: growing text, always NUL-terminated once something has been added ---- */
typedef struct Buf {
    char *at;
    size_t len, cap;
} Buf; /* {0} is empty */

void buf_add(Buf *buf, const void *bytes, size_t n);
void buf_str(Buf *buf, Str s);
void buf_text(Buf *buf, const char *text);
void buf_char(Buf *buf, char c);
void buf_fmt(Buf *buf, const char *fmt, ...) PRINTF_LIKE(2, 3);
void buf_vfmt(Buf *buf, const char *fmt, va_list args);
char *buf_room(Buf *buf, size_t n); /* n writable bytes at the end; then buf->len += written */
void buf_clear(Buf *buf);           /* length 0, memory kept */
void buf_release(Buf *buf);
static inline Str buf_view(const Buf *buf) {
    return (Str){ buf->at ? buf->at : "", buf->len };
}

/* ---- Vec: the one growing array. VEC(int) v = {0}; vec_push(&v, 3); v.at[0]; vec_release(&v) ----
 */
#define VEC(type)                                                                                  \
    struct {                                                                                       \
        type *at;                                                                                  \
        size_t len, cap;                                                                           \
    }
NEVER_NULL void *vec_grow(void *at, size_t *cap, size_t need, size_t size);
#define vec_reserve(v, n)                                                                          \
    ((v)->cap >= (size_t)(n)                                                                       \
         ? (void)0                                                                                 \
         : (void)((v)->at = vec_grow((v)->at, &(v)->cap, (size_t)(n), sizeof *(v)->at)))
#define vec_push(v, ...) (vec_reserve(v, (v)->len + 1), (void)((v)->at[(v)->len++] = (__VA_ARGS__)))
#define vec_pop(v) ((v)->at[--(v)->len])
#define vec_last(v) ((v)->at[(v)->len - 1])
#define vec_clear(v) ((void)((v)->len = 0))
#define vec_release(v) (mem_free((v)->at), (v)->at = NULL, (v)->len = (v)->cap = 0)
typedef VEC(Str) StrVec;

/* ---- Map: the one hash map, from bytes to a 64-bit value. Keys are copied into the map ---- */
typedef struct MapSlot {
    Str key;        /* key.at NULL: free slot */
    uint64_t hash;  /* of key */
    uint64_t value; /* the user's; store pointers through map_put_ptr */
} MapSlot;
typedef struct Map {
    MapSlot *slots;  /* open addressing, linear probing */
    size_t len, cap; /* used slots, all slots (a power of two) */
    Arena keys;      /* copies of the keys */
} Map;               /* {0} is empty */

bool map_get(const Map *map, Str key, uint64_t *value); /* value may be NULL */
/* Sets key; returns true if it was new. */
bool map_put(Map *map, Str key, uint64_t value);
/* The value's address, 0 in it when the key is new: for counting. Valid until the next put. */
uint64_t *map_at(Map *map, Str key);
void *map_get_ptr(const Map *map, Str key);
void map_put_ptr(Map *map, Str key, void *value);
void map_release(Map *map);
static inline Str map_key_u64(const uint64_t *n) {
    return (Str){ (const char *)n, sizeof *n };
}

#endif
