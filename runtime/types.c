/* Effective types while a program runs: memory that was stored as one type and is read as another.
 *
 * cc/types.c puts a call before every load and store whose address may be known elsewhere. Each
 * byte has the number of the access that stored it last; what may be read back by which access is a
 * table in the program (LLVM's rules for its own alias analysis, which are those of C 6.5p7 with
 * unions free). Static objects also remember the access that read what they were initialised with:
 * a later store as another type may be moved before it. The first break ends the program with a
 * report that looks like a sanitizer's.
 *
 * Plain system calls: the program may define write or mmap itself. */
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum { PAGE = 4096, BUCKETS = 1 << 16, BY_LOAD = 0x8000, BATCH = 64 };

typedef uint64_t u64;

typedef struct Page {
    struct Page *next; /* in its bucket */
    u64 number;
    uint16_t access[PAGE]; /* by byte; 0: nothing known */
} Page;

extern const uint32_t culprit_types_count;
extern const unsigned char culprit_types_may[]; /* [stored * count + read] */
extern const uint32_t culprit_types_scalar[];   /* what a copy of such memory was stored as */
extern const char *const culprit_types_names[];
extern char __executable_start[], _end[];
extern void *__libc_stack_end;

void culprit_types_load(const char *at, u64 size, uint32_t access, uint32_t line);
void culprit_types_store(const char *at, u64 size, uint32_t access, uint32_t line);
void culprit_types_clear(const char *at, u64 size);
void culprit_types_copy(const char *to, const char *from, u64 size);
void culprit_types_free(void *block);
void *culprit_types_realloc(void *block, u64 size);
extern void free(void *);
extern void *realloc(void *, u64);
extern u64 malloc_usable_size(void *);

static Page *buckets[BUCKETS], *last, *spare;
static unsigned spares;
static char busy;

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
    if (last && last->number == number) return last;
    for (Page *p = buckets[number * 0x9e3779b97f4a7c15u >> 48]; p; p = p->next)
        if (p->number == number) return last = p;
    return 0;
}

static uint16_t get(u64 at) {
    Page *page = find_page(at / PAGE);
    return page ? page->access[at % PAGE] : 0;
}

static void set(u64 at, uint16_t access) {
    Page *page = find_page(at / PAGE);
    if (!page && !access) return;
    if (!page) page = last = new_page(at / PAGE);
    page->access[at % PAGE] = access;
}

/* Waits: threads come one after the other. */
static void enter(void) {
    while (__atomic_test_and_set(&busy, __ATOMIC_ACQUIRE)) continue;
}

static void leave(void) {
    __atomic_clear(&busy, __ATOMIC_RELEASE);
}

static int may(uint32_t stored, uint32_t read) {
    return culprit_types_may[(stored & ~BY_LOAD) * culprit_types_count + read];
}

static int is_static(const char *at) {
    return at >= __executable_start && at < _end;
}

/* ---- what the program calls ---- */
void culprit_types_load(const char *at, u64 size, uint32_t access, uint32_t line) {
    enter();
    for (u64 i = 0; i < size; i++) {
        uint16_t before = get((u64)at + i);
        if (!before && is_static(at))
            set((u64)at + i, (uint16_t)(access | BY_LOAD));
        else if (before && !may(before, access))
            report(line, before & BY_LOAD ? ": memory that was read as " : ": memory stored as ",
                   before, before & BY_LOAD ? " before is read as " : " is read as ", access);
    }
    leave();
}

void culprit_types_store(const char *at, u64 size, uint32_t access, uint32_t line) {
    enter();
    for (u64 i = 0; i < size; i++) {
        uint16_t before = get((u64)at + i);
        if (before & BY_LOAD && !may(before, access))
            report(line, ": a static object was read as ", before, " and is stored as ", access);
        if (before != access) set((u64)at + i, (uint16_t)access);
    }
    leave();
}

void culprit_types_clear(const char *at, u64 size) {
    enter();
    for (u64 i = 0; i < size; i++) set((u64)at + i, 0);
    leave();
}

/* Static and automatic objects keep the type they were declared with, whatever is copied into them:
 * nothing is known then. Allocated memory takes the types along, of members by themselves: each may
 * have become another member. */
static int is_declared(const char *at) {
    return is_static(at) ||
           (at > (char *)__builtin_frame_address(0) && at < (char *)__libc_stack_end);
}

static void copy_one(u64 to, u64 from, int declared) {
    set(to, declared ? 0 : (uint16_t)culprit_types_scalar[get(from) & ~BY_LOAD]);
}

void culprit_types_copy(const char *to, const char *from, u64 size) {
    int declared = is_declared(to);
    enter();
    if (to < from)
        for (u64 i = 0; i < size; i++) copy_one((u64)to + i, (u64)from + i, declared);
    else if (to > from)
        for (u64 i = size; i-- > 0;) copy_one((u64)to + i, (u64)from + i, declared);
    leave();
}

/* Freed memory may come back as anything. */
void culprit_types_free(void *block) {
    if (block) culprit_types_clear(block, malloc_usable_size(block));
    free(block);
}

void *culprit_types_realloc(void *block, u64 size) {
    u64 had = block ? malloc_usable_size(block) : 0;
    char *to = realloc(block, size);
    if (!to || to == (char *)block) return to;
    culprit_types_copy(to, block, had < size ? had : size);
    culprit_types_clear(block, had);
    return to;
}
