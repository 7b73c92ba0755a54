/* The value profiler that hunt links into the instrumented program.
 *
 * The instrumented program (variant/profile.c writes it) defines the tables below and calls
 * culprit_value and culprit_pointer at sampled points. A slot keeps the distinct values of one
 * path; a slot that overflows is closed, never cut short. A pointer slot keeps the numbers of the
 * globals the pointer pointed to, or of locals that certainly live, and is closed when it ever
 * pointed anywhere else: to another local (perhaps a dead one), to the heap, past the end of an
 * object, to nothing. At exit everything is written to the file `culprit.profile` by plain system
 * calls: the program may define write or open itself. */

enum { CLOSED = 255 };

typedef unsigned long long u64;

typedef struct Place { /* objects of one type inside a global: base, base + stride, .. */
    char *base;
    u64 stride, count;
    unsigned type, object; /* number of the pointee type and of the global */
    unsigned constant;     /* 1: stores are forbidden */
} Place;
typedef struct Object { /* a whole global */
    char *base;
    u64 size;
} Object;

typedef struct End { /* consecutive arrays inside a global: stride bytes each, from base on */
    char *base;
    u64 stride, count;
    unsigned type; /* number of their elements' type */
} End;

extern unsigned culprit_seen[];       /* by point: how often control was there */
extern unsigned char culprit_on[];    /* by point: open slots left; 0: nothing left to record */
extern unsigned short culprit_home[]; /* by slot: its point */
extern unsigned char culprit_count[]; /* by slot: values so far, or CLOSED */
extern u64 culprit_values[];          /* by slot, culprit_sizes[2] each */
extern void *culprit_last[];          /* by slot: the pointer last found valid */
extern Place culprit_places[];
extern Object culprit_objects[];
extern End culprit_ends[];
/* points, slots, values a slot holds, objects a pointer slot holds, places, objects, ends */
extern const unsigned culprit_sizes[];

void culprit_start(void);
void culprit_value(unsigned slot, u64 value);
int culprit_pointer(unsigned slot, void *pointer, unsigned type);
int culprit_local(unsigned slot, void *pointer, char *base, u64 stride, u64 count, u64 object);
int atexit(void (*)(void));

static void close_slot(unsigned slot) {
    culprit_count[slot] = CLOSED;
    culprit_on[culprit_home[slot]]--;
}

static void record(unsigned slot, u64 value, unsigned cap) {
    unsigned n = culprit_count[slot];
    u64 *at = culprit_values + (u64)slot * culprit_sizes[2];
    for (unsigned i = 0; i < n; i++)
        if (at[i] == value) return;
    if (n == cap) {
        close_slot(slot);
        return;
    }
    at[n] = value;
    culprit_count[slot] = (unsigned char)(n + 1);
}

void culprit_value(unsigned slot, u64 value) {
    if (culprit_count[slot] != CLOSED) record(slot, value, culprit_sizes[2]);
}

static const Place *find_place(const char *pointer, unsigned type) {
    for (unsigned i = 0; i < culprit_sizes[4]; i++) {
        const Place *p = &culprit_places[i];
        if (p->type != type || pointer < p->base) continue;
        u64 distance = (u64)(pointer - p->base);
        if (distance < p->stride * p->count && distance % p->stride == 0) return p;
    }
    return 0;
}

/* A pointer past the end of one global may equal the address of the next one. */
static int is_end_of_another(const char *pointer, unsigned object) {
    for (unsigned i = 0; i < culprit_sizes[5]; i++)
        if (i != object && culprit_objects[i].base + culprit_objects[i].size == pointer) return 1;
    return 0;
}

/* After the last element of an array there may be another member, or the next row. */
static int is_end_inside(const char *pointer, unsigned type) {
    for (unsigned i = 0; i < culprit_sizes[6]; i++) {
        const End *e = &culprit_ends[i];
        if (e->type != type || pointer <= e->base) continue;
        u64 distance = (u64)(pointer - e->base);
        if (distance % e->stride == 0 && distance / e->stride <= e->count) return 1;
    }
    return 0;
}

/* 1 when the pointer points into a local that is alive here: variant/origin.h says why an equal
 * address proves that. object: its number times two, plus one where stores are forbidden. */
int culprit_local(unsigned slot, void *pointer, char *base, u64 stride, u64 count, u64 object) {
    if (culprit_count[slot] == CLOSED || (char *)pointer < base) return 0;
    u64 distance = (u64)((char *)pointer - base);
    if (distance >= stride * count || distance % stride) return 0;
    record(slot, object, culprit_sizes[3]);
    return culprit_count[slot] != CLOSED;
}

/* 1 when the pointer certainly points to a live object of the type. */
int culprit_pointer(unsigned slot, void *pointer, unsigned type) {
    if (culprit_count[slot] == CLOSED) return 0;
    if (pointer && pointer == culprit_last[slot]) return 1;
    const Place *place = pointer ? find_place(pointer, type) : 0;
    if (!place || is_end_of_another(pointer, place->object) || is_end_inside(pointer, type)) {
        close_slot(slot);
        return 0;
    }
    record(slot, (u64)place->object * 2 + place->constant, culprit_sizes[3]);
    culprit_last[slot] = pointer;
    return culprit_count[slot] != CLOSED;
}

/* ---- writing ---- */

#ifdef __x86_64__
enum { CALL_WRITE = 1, CALL_OPEN = 2, CALL_CLOSE = 3 };

static long call3(long number, long a, long b, long c) {
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c)
                     : "rcx", "r11", "memory");
    return result;
}

static long open_file(const char *name) {
    return call3(CALL_OPEN, (long)name, 01 | 0100 | 01000, 0600);
}
#else
#include <fcntl.h>
#include <sys/syscall.h>
long syscall(long number, ...);
enum { CALL_WRITE = SYS_write, CALL_CLOSE = SYS_close };

static long call3(long number, long a, long b, long c) {
    return syscall(number, a, b, c);
}

static long open_file(const char *name) {
    return syscall(SYS_openat, (long)AT_FDCWD, name, (long)(O_WRONLY | O_CREAT | O_TRUNC), 0600L);
}
#endif

static void put(int file, const void *bytes, u64 n) {
    const char *at = bytes;
    while (n > 0) {
        long done = call3(CALL_WRITE, file, (long)at, (long)n);
        if (done <= 0) return;
        at += done;
        n -= (u64)done;
    }
}

/* sizes[0..1], culprit_seen, then for each slot its count and its values. */
static void dump(void) {
    long file = open_file("culprit.profile");
    if (file < 0) return;
    put((int)file, culprit_sizes, 2 * sizeof *culprit_sizes);
    put((int)file, culprit_seen, culprit_sizes[0] * sizeof *culprit_seen);
    put((int)file, culprit_count, culprit_sizes[1]);
    static u64 packed[4096];
    unsigned fill = 0;
    for (unsigned slot = 0; slot < culprit_sizes[1]; slot++) {
        unsigned n = culprit_count[slot] == CLOSED ? 0 : culprit_count[slot];
        for (unsigned i = 0; i < n; i++) {
            packed[fill++] = culprit_values[(u64)slot * culprit_sizes[2] + i];
            if (fill == sizeof packed / sizeof *packed) {
                put((int)file, packed, sizeof packed);
                fill = 0;
            }
        }
    }
    put((int)file, packed, fill * sizeof *packed);
    call3(CALL_CLOSE, file, 0, 0);
}

void culprit_start(void) {
    static int started;
    if (!started) atexit(dump);
    started = 1;
}
