/* Pages of three parallel arrays, found through a hash map with a small cache in front of it. */
#include "trace/memory.h"

enum { PAGE_SIZE = 4096, CACHE = 512 };

typedef struct MemoryPage {
    uint8_t shadow[PAGE_SIZE];
    uint8_t belief[PAGE_SIZE];
    Step writer[PAGE_SIZE];
} MemoryPage;

struct Memory {
    Map pages;              /* page number -> MemoryPage */
    uint64_t cached[CACHE]; /* page number + 1 */
    MemoryPage *cache[CACHE];
    VEC(MemoryPage *) all;
};

Memory *memory_new(void) {
    return mem_alloc(sizeof(Memory));
}

void memory_free(Memory *m) {
    for (size_t i = 0; i < m->all.len; i++) mem_free(m->all.at[i]);
    vec_release(&m->all);
    map_release(&m->pages);
    mem_free(m);
}

static MemoryPage *page_of(Memory *m, uint64_t address) {
    uint64_t number = address / PAGE_SIZE;
    size_t slot = number % CACHE;
    if (m->cached[slot] == number + 1) return m->cache[slot];
    MemoryPage *page = map_get_ptr(&m->pages, map_key_u64(&number));
    if (!page) {
        page = mem_alloc(sizeof *page);
        memset(page->writer, 0xff, sizeof page->writer);
        map_put_ptr(&m->pages, map_key_u64(&number), page);
        vec_push(&m->all, page);
    }
    m->cached[slot] = number + 1;
    m->cache[slot] = page;
    return page;
}

/* How many of size bytes at address lie in its page. */
static uint32_t in_page(uint64_t address, uint64_t size) {
    uint64_t left = PAGE_SIZE - address % PAGE_SIZE;
    return (uint32_t)(size < left ? size : left);
}

static void put(Memory *m, uint64_t address, const uint8_t *bytes, uint32_t size, Step writer,
                bool shadow) {
    while (size) {
        uint32_t n = in_page(address, size), at = address % PAGE_SIZE;
        MemoryPage *p = page_of(m, address);
        if (shadow) memcpy(p->shadow + at, bytes, n);
        memcpy(p->belief + at, bytes, n);
        for (uint32_t i = 0; i < n; i++) p->writer[at + i] = writer;
        address += n, bytes += n, size -= n;
    }
}

void memory_store(Memory *m, uint64_t address, const void *bytes, uint32_t size, Step writer) {
    put(m, address, bytes, size, writer, true);
}

void memory_believe(Memory *m, uint64_t address, const void *bytes, uint32_t size, Step writer) {
    put(m, address, bytes, size, writer, false);
}

void memory_load(Memory *m, uint64_t address, void *bytes, uint32_t size, Step *writers) {
    uint8_t *out = bytes;
    while (size) {
        uint32_t n = in_page(address, size), at = address % PAGE_SIZE;
        MemoryPage *p = page_of(m, address);
        for (uint32_t i = 0; i < n; i++) {
            if (p->belief[at + i] != p->shadow[at + i]) {
                p->belief[at + i] = p->shadow[at + i];
                p->writer[at + i] = DEF_OUTSIDE;
            }
            out[i] = p->shadow[at + i];
            writers[i] = p->writer[at + i];
        }
        address += n, out += n, writers += n, size -= n;
    }
}

void memory_correct(Memory *m, uint64_t address, const void *bytes, uint32_t size, Step outside) {
    const uint8_t *in = bytes;
    while (size) {
        uint32_t n = in_page(address, size), at = address % PAGE_SIZE;
        MemoryPage *p = page_of(m, address);
        for (uint32_t i = 0; i < n; i++) {
            if (p->belief[at + i] != in[i] || p->writer[at + i] == DEF_NONE) {
                p->belief[at + i] = in[i];
                p->writer[at + i] = outside;
            }
            p->shadow[at + i] = in[i];
        }
        address += n, in += n, size -= n;
    }
}

typedef struct Bytes {
    uint8_t *shadow, *belief;
    Step *writer;
} Bytes;

static void take(Memory *m, uint64_t address, uint32_t size, Bytes out) {
    for (uint32_t done = 0; done < size;) {
        uint32_t n = in_page(address + done, size - done), at = (address + done) % PAGE_SIZE;
        MemoryPage *p = page_of(m, address + done);
        memcpy(out.shadow + done, p->shadow + at, n);
        memcpy(out.belief + done, p->belief + at, n);
        memcpy(out.writer + done, p->writer + at, n * sizeof(Step));
        done += n;
    }
}

static void copy(Memory *m, uint64_t to, uint64_t from, uint32_t size, Step by, Step *before,
                 bool shadow) {
    uint8_t *room = mem_alloc((size_t)size * 2 + 1);
    Step *writer = mem_alloc((size_t)size * sizeof(Step) + 1);
    Bytes b = { room, room + size, writer };
    take(m, from, size, b);
    for (uint32_t i = 0; i < size; i++) {
        if (b.shadow[i] != b.belief[i] && shadow) {
            b.belief[i] = b.shadow[i];
            writer[i] = DEF_OUTSIDE;
        }
        if (before) before[i] = writer[i];
    }
    for (uint32_t done = 0; done < size;) {
        uint32_t n = in_page(to + done, size - done), at = (to + done) % PAGE_SIZE;
        MemoryPage *p = page_of(m, to + done);
        if (shadow) memcpy(p->shadow + at, b.shadow + done, n);
        memcpy(p->belief + at, b.belief + done, n);
        for (uint32_t i = 0; i < n; i++)
            p->writer[at + i] = by == STEP_NONE ? writer[done + i] : by;
        done += n;
    }
    mem_free(room);
    mem_free(writer);
}

void memory_copy(Memory *m, uint64_t to, uint64_t from, uint32_t size, Step by, Step *before) {
    copy(m, to, from, size, by, before, true);
}

void memory_believe_copy(Memory *m, uint64_t to, uint64_t from, uint32_t size, Step by,
                         Step *before) {
    copy(m, to, from, size, by, before, false);
}

void memory_set(Memory *m, uint64_t to, uint8_t byte, uint64_t size, Step by) {
    while (size) {
        uint32_t n = in_page(to, size), at = to % PAGE_SIZE;
        MemoryPage *p = page_of(m, to);
        memset(p->shadow + at, byte, n);
        memset(p->belief + at, byte, n);
        for (uint32_t i = 0; i < n; i++) p->writer[at + i] = by;
        to += n, size -= n;
    }
}

uint32_t memory_string(Memory *m, uint64_t address, char *out, uint32_t most) {
    for (uint32_t i = 0; i < most; i++) {
        out[i] = (char)page_of(m, address + i)->belief[(address + i) % PAGE_SIZE];
        if (!out[i]) return i + 1;
    }
    return most;
}

Step memory_writer(Memory *m, uint64_t address) {
    return page_of(m, address)->writer[address % PAGE_SIZE];
}

void memory_forget(Memory *m) {
    for (size_t i = 0; i < m->all.len; i++)
        for (uint32_t b = 0; b < PAGE_SIZE; b++)
            if (def_is_step(m->all.at[i]->writer[b])) m->all.at[i]->writer[b] = DEF_BEFORE;
}
