/* Effective types while a program runs: finds memory that was stored as one type and is read as
 * another.
 *
 * cc/types.c puts a call before every load and store whose address may be known elsewhere. Each
 * byte has the number of the access that stored it last; a table in the program says which access
 * may read back what (LLVM's rules for its own alias analysis, which are those of C 6.5p7 with
 * unions free). Static objects also remember the access that read what they were initialised with:
 * a later store as another type may be moved before it. The first violation ends the program with a
 * report that looks like a sanitizer's.
 *
 * Plain system calls: the program may define write or mmap itself. */
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum { PAGE = 4096, BUCKETS = 1 << 16, RECENT = 256, BY_LOAD = 0x8000, BATCH = 64 };

typedef uint64_t u64;

typedef struct Page {
    struct Page *next; /* in its bucket */
    u64 number;
    uint16_t access[PAGE]; /* by byte; 0: nothing known */
    char value[PAGE];      /* what was stored */
} Page;

typedef struct Range {
    const char *at;
    u64 size;
} Range;

extern const uint32_t culprit_types_count;
extern const unsigned char culprit_types_may[]; /* [stored * count + read] */
extern const uint32_t culprit_types_scalar[];   /* what a copy of such memory was stored as */
extern const char *const culprit_types_names[];
extern const Range culprit_types_unions[]; /* static objects with unions inside; ends with a 0 */
extern char __executable_start[], _end[];
extern void *__libc_stack_end;
extern char __libc_single_threaded;

void culprit_types_load(const char *at, u64 size, uint32_t access, uint32_t line);
void culprit_types_store(const char *at, u64 size, uint32_t access, uint32_t line);
void culprit_types_clear(const char *at, u64 size);
void culprit_types_copy(const char *to, const char *from, u64 size);
void culprit_types_free(void *block);
void *culprit_types_malloc(u64 size);
void *culprit_types_calloc(u64 n, u64 size);
void *culprit_types_realloc(void *block, u64 size);
extern void free(void *);
extern void *malloc(u64);
extern void *calloc(u64, u64);
extern void *realloc(void *, u64);
extern u64 malloc_usable_size(void *);

static Page *buckets[BUCKETS], *spare;
static Page *recent[RECENT]; /* by number: pages that were used last */
static unsigned spares;
static char busy;
static __thread char inside; /* a signal handler may come in between */

/* ---- the system ---- */
static long ask(long n, long a, long b, long c, long d, long e, long f) {
    long result;
    register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

static void say(const char *text) {
    long n = 0;
    while (text[n]) n++;
    ask(SYS_write, 2, (long)text, n, 0, 0, 0);
}

static void say_number(uint32_t n) {
    char digits[12], *at = digits + sizeof digits - 1;
    *at = 0;
    do *--at = (char)('0' + n % 10);
    while (n /= 10);
    say(at);
}

static void report(uint32_t line, const char *how, uint32_t before, const char *then,
                   uint32_t now) {
    say("runtime error: line ");
    say_number(line);
    say(how);
    say(culprit_types_names[before & ~BY_LOAD]);
    say(then);
    say(culprit_types_names[now]);
    say("\n");
    ask(SYS_exit_group, 99, 0, 0, 0, 0, 0);
}

/* ---- the shadow ---- */
static Page *new_page(u64 number) {
    if (!spares) {
        long at = ask(SYS_mmap, 0, sizeof(Page) * BATCH, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at < 0 && at > -4096) ask(SYS_exit_group, 97, 0, 0, 0, 0, 0);
        spare = (Page *)at;
        spares = BATCH;
    }
    Page *page = spare++, **bucket = &buckets[number * 0x9e3779b97f4a7c15u >> 48];
    spares--;
    page->number = number;
    page->next = *bucket;
    return *bucket = page;
}

static Page *find_page(u64 number) {
    Page *page = recent[number % RECENT];
    if (page && page->number == number) return page;
    for (page = buckets[number * 0x9e3779b97f4a7c15u >> 48]; page; page = page->next)
        if (page->number == number) return recent[number % RECENT] = page;
    return 0;
}

static Page *page_for(u64 number) {
    Page *page = find_page(number);
    return page ? page : new_page(number);
}

/* The access that stored the byte, or that read it (BY_LOAD). */
static uint16_t get(u64 at) {
    Page *page = find_page(at / PAGE);
    return page ? page->access[at % PAGE] : 0;
}

static void set(u64 at, uint16_t access) {
    Page *page = access ? page_for(at / PAGE) : find_page(at / PAGE);
    if (!page) return;
    page->access[at % PAGE] = access;
    if (access) page->value[at % PAGE] = *(char *)at;
}

/* Somebody else has stored here since: nothing is known about these bytes any more. */
static void forget_changed(u64 at, u64 size) {
    u64 i = 0;
    for (; i < size; i++) {
        Page *page = find_page((at + i) / PAGE);
        if (page && page->access[(at + i) % PAGE] &&
            page->value[(at + i) % PAGE] != *(char *)(at + i))
            break;
    }
    for (u64 k = 0; k < size && i < size; k++) set(at + k, 0);
}

/* Threads enter one at a time; a handler that interrupts us is not checked. */
static int enter(void) {
    if (inside) return 0;
    inside = 1;
    while (!__libc_single_threaded && __atomic_test_and_set(&busy, __ATOMIC_ACQUIRE)) continue;
    return 1;
}

static void leave(void) {
    __atomic_clear(&busy, __ATOMIC_RELEASE); /* harmless where there is only one thread */
    inside = 0;
}

static int may(uint32_t stored, uint32_t read) {
    return culprit_types_may[(stored & ~BY_LOAD) * culprit_types_count + read];
}

static int is_static(const char *at) {
    return at >= __executable_start && at < _end;
}

/* One member of a union may be read and another stored. */
static int has_union(const char *at) {
    for (const Range *r = culprit_types_unions; r->size; r++)
        if (at >= r->at && at < r->at + r->size) return 1;
    return 0;
}

/* ---- what the program calls: the ordinary case of each first, on one page ---- */
static int is_one_page(u64 at, u64 size) {
    return at % PAGE + size <= PAGE;
}

/* All bytes were stored by exactly that access. */
static int is_same(u64 at, u64 size, uint32_t access) {
    const Page *page = is_one_page(at, size) ? find_page(at / PAGE) : 0;
    for (u64 i = 0; page && i < size; i++)
        if (page->access[at % PAGE + i] != access) return 0;
    return page != 0;
}

void culprit_types_load(const char *at, u64 size, uint32_t access, uint32_t line) {
    if (is_same((u64)at, size, access) || !enter()) return;
    forget_changed((u64)at, size);
    for (u64 i = 0; i < size; i++) {
        uint16_t before = get((u64)at + i);
        if (!before && is_static(at) && !has_union(at))
            set((u64)at + i, (uint16_t)(access | BY_LOAD));
        else if (before && !may(before, access))
            report(line, before & BY_LOAD ? ": memory that was read as " : ": memory stored as ",
                   before, before & BY_LOAD ? " before is read as " : " is read as ", access);
    }
    leave();
}

void culprit_types_store(const char *at, u64 size, uint32_t access, uint32_t line) {
    if (!enter()) return;
    Page *page = is_one_page((u64)at, size) ? page_for((u64)at / PAGE) : 0;
    for (u64 i = 0; i < size; i++) {
        uint16_t before = page ? page->access[(u64)at % PAGE + i] : get((u64)at + i);
        if (before & BY_LOAD && !may(before, access))
            report(line, ": a static object was read as ", before, " and is stored as ", access);
        if (!page) {
            set((u64)at + i, (uint16_t)access);
            continue;
        }
        page->access[(u64)at % PAGE + i] = (uint16_t)access;
        page->value[(u64)at % PAGE + i] = at[i];
    }
    leave();
}

void culprit_types_clear(const char *at, u64 size) {
    if (!enter()) return;
    for (u64 from = (u64)at, end = from + size; from < end;) {
        u64 next = (from / PAGE + 1) * PAGE, to = next < end ? next : end;
        Page *page = find_page(from / PAGE);
        for (u64 i = from; page && i < to; i++) page->access[i % PAGE] = 0;
        from = to;
    }
    leave();
}

/* Static, automatic and thread-local objects keep the type they were declared with, whatever is
 * copied into them: nothing is known then. Allocated memory takes on the types, each as a scalar
 * outside any structure: it may have become another member. */
static int is_declared(const char *at) {
    const char *thread = __builtin_thread_pointer();
    return is_static(at) || (at < thread && at >= thread - 65536) ||
           (at > (char *)__builtin_frame_address(0) && at < (char *)__libc_stack_end);
}

/* Called after the copy: what was stored at `from` is at `to` now, and `from` may be gone. */
static void copy_one(u64 to, u64 from, int declared) {
    Page *page = find_page(from / PAGE);
    uint16_t access = page && !declared ? page->access[from % PAGE] & ~BY_LOAD : 0;
    if (access && page->value[from % PAGE] != *(char *)to) access = 0;
    set(to, (uint16_t)culprit_types_scalar[access]);
}

void culprit_types_copy(const char *to, const char *from, u64 size) {
    int declared = is_declared(to);
    if (!enter()) return;
    if (to < from)
        for (u64 i = 0; i < size; i++) copy_one((u64)to + i, (u64)from + i, declared);
    else if (to > from)
        for (u64 i = size; i-- > 0;) copy_one((u64)to + i, (u64)from + i, declared);
    leave();
}

/* ---- memory that is allocated and freed: it may come back as anything ---- */
static void *fresh(void *block) {
    if (block) culprit_types_clear(block, malloc_usable_size(block));
    return block;
}

void culprit_types_free(void *block) {
    free(fresh(block));
}

void *culprit_types_malloc(u64 size) {
    return fresh(malloc(size));
}

void *culprit_types_calloc(u64 n, u64 size) {
    return fresh(calloc(n, size));
}

void *culprit_types_realloc(void *block, u64 size) {
    u64 had = block ? malloc_usable_size(block) : 0;
    if (!had || !size) return fresh(realloc(fresh(block), size));
    char *old = block, *to = realloc(block, size);
    if (to && to != old) culprit_types_copy(to, old, had < size ? had : size);
    if (to && to != old) culprit_types_clear(old, had);
    if (to == old && had > size) culprit_types_clear(old + size, had - size);
    return to;
}
