/* Memory: the one place that ends the program when it runs out, arenas, and the growing array.
 *
 * Arenas are chains of chunks handed out from front to back; a chunk is at least twice as large as
 * the one before it up to a bound, so that the number of chunks stays logarithmic. */
#include "base/base.h"

#include <unistd.h>

enum { CHUNK_MIN = 4096, CHUNK_MAX = 4 << 20, ALIGNMENT = 16 };

struct ArenaChunk {
    ArenaChunk *before; /* older chunk */
    size_t size;        /* bytes after this header */
    _Alignas(ALIGNMENT) char bytes[];
};

#ifdef CULPRIT_HOSTILE
static uint64_t fail_countdown; /* 0: never */

void mem_fail_after(uint64_t n) {
    fail_countdown = n;
}

static bool fails_now(void) {
    return fail_countdown != 0 && --fail_countdown == 0;
}

/* CULPRIT_FAIL_AT=N: how the tests of a hostile build reach a whole command. */
__attribute__((constructor)) static void fail_from_environment(void) {
    const char *n = getenv("CULPRIT_FAIL_AT");
    if (n) fail_countdown = strtoull(n, NULL, 10);
}
#else
void mem_fail_after(uint64_t n) {
    (void)n;
}

static bool fails_now(void) {
    return false;
}
#endif

NORETURN static void out_of_memory(void) {
    static const char text[] = "culprit: out of memory\n";
    ssize_t ignored = write(STDERR_FILENO, text, sizeof text - 1);
    (void)ignored;
    _exit(STATUS_LACKS);
}

void *mem_alloc(size_t size) {
    void *at = fails_now() ? NULL : calloc(1, size ? size : 1);
    if (!at) out_of_memory();
    return at;
}

void *mem_resize(void *old, size_t size) {
    void *at = fails_now() ? NULL : realloc(old, size ? size : 1);
    if (!at) out_of_memory();
    return at;
}

void mem_free(void *at) {
    free(at);
}

char *mem_strdup(const char *text) {
    size_t size = strlen(text) + 1;
    return memcpy(mem_alloc(size), text, size);
}

void *vec_grow(void *at, size_t *cap, size_t need, size_t size) {
    size_t grown = *cap * 2 > need ? *cap * 2 : need;
    if (grown < 8) grown = 8;
    if (grown > SIZE_MAX / size) out_of_memory();
    *cap = grown;
    return mem_resize(at, grown * size);
}

static void arena_add_chunk(Arena *arena, size_t need) {
    size_t size = arena->chunk ? arena->chunk->size * 2 : CHUNK_MIN;
    if (size > CHUNK_MAX) size = CHUNK_MAX;
    if (size < need) size = need;
    if (size > SIZE_MAX - sizeof(ArenaChunk)) out_of_memory();
    ArenaChunk *chunk = mem_alloc(sizeof *chunk + size);
    chunk->before = arena->chunk;
    chunk->size = size;
    arena->chunk = chunk;
    arena->at = chunk->bytes;
    arena->end = chunk->bytes + size;
}

void *arena_alloc(Arena *arena, size_t size) {
    if (size > SIZE_MAX / 2) out_of_memory();
    size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if ((size_t)(arena->end - arena->at) < size || !arena->chunk) arena_add_chunk(arena, size);
    void *at = arena->at;
    arena->at += size;
    arena->used += size;
    return at;
}

void *arena_array(Arena *arena, size_t size, size_t n) {
    size_t bytes;
    if (__builtin_mul_overflow(size, n, &bytes)) out_of_memory();
    return arena_alloc(arena, bytes);
}

void *arena_copy(Arena *arena, const void *from, size_t size) {
    void *at = arena_alloc(arena, size);
    if (size) memcpy(at, from, size);
    return at;
}

static void free_chunks(ArenaChunk *chunk) {
    while (chunk) {
        ArenaChunk *before = chunk->before;
        mem_free(chunk);
        chunk = before;
    }
}

void arena_clear(Arena *arena) {
    if (!arena->chunk) return;
    ArenaChunk *kept = arena->chunk;
    free_chunks(kept->before);
    kept->before = NULL;
    memset(kept->bytes, 0, (size_t)(arena->at - kept->bytes));
    arena->at = kept->bytes;
    arena->end = kept->bytes + kept->size;
    arena->used = 0;
}

void arena_release(Arena *arena) {
    free_chunks(arena->chunk);
    *arena = (Arena){ 0 };
}
