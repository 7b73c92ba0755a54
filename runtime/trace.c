/* The trace recorder: what instrumented programs are linked with.
 *
 * Records go through a window of the trace file that is mapped shared, so that whatever ends the
 * process (abort, a signal, _exit, kill -9), everything recorded is in the file. culprit_more moves
 * the window.
 *
 * The shadow is a private copy of memory at a fixed distance (address ^ mask), reserved but not
 * committed. It holds what a replay believes memory to hold: instrumented stores go to both places,
 * and a load that finds a difference records the value and corrects the shadow. Each thread has a
 * shadow of its own, so that what other threads write is seen as coming from outside.
 *
 * Without CULPRIT_TRACE in the environment nothing is recorded: the mask is 0, memory is its own
 * shadow, and records go round in a scratch buffer. */
#include "trace_format.h"
#include "trace_runtime.h"
#include "trace_thread.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WINDOW = 4 << 20, SCRATCH = 64 << 10, POOL = 1 << 20, PAGE = 4096, THREADS = 3 };
#define DEFAULT_LIMIT (1ull << 30)

/* What is known about a module. All of it is our own copy: the object it came from may be closed
 * (dlclose) before the next thread announces it. */
typedef struct Module {
    uint32_t base, functions, count; /* first function number, how many, how many addresses */
    const char *path;                /* of the bitcode */
    void *const *addresses;
    struct Module *next; /* registered after it; its base is higher */
} Module;

/* The file a thread records into. */
typedef struct Window {
    int fd;       /* -1: none; may be the program's own file, if it closed ours */
    dev_t device; /* of the file, with its inode: what fd must refer to */
    ino_t inode;
    uint8_t *map;    /* WINDOW + PAGE bytes of the file */
    uint64_t offset; /* of map in the file */
    pid_t pid;       /* PID of trace.PID.N: of the process that opened it */
    uint32_t number; /* N of trace.PID.N */
    bool stopped;    /* the limit was reached, or the disk is full */
} Window;

__thread CulpritThread culprit_thread __attribute__((tls_model("initial-exec")));
static __thread Window window __attribute__((tls_model("initial-exec")));
static __thread const Module *told __attribute__((tls_model("initial-exec"))); /* announced last */
static __thread bool in_runtime __attribute__((tls_model("initial-exec")));

static uint8_t scratch[SCRATCH + TRACE_SLACK]; /* shared by all threads that record nothing */
static Module *first_module, *last_module;
static char *pool; /* memory for modules: what is left of it, and how much */
static size_t pool_left;
static uint32_t function_count, thread_count;
static bool started, tracing;
static char trace_dir[3072];
static uint64_t trace_limit = DEFAULT_LIMIT;
static const uint64_t masks[THREADS] = { 0x200000000000ull, 0x100000000000ull, 0x300000000000ull };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- the shadow ---- */

static bool map_shadow(uint64_t mask) {
    static const uint64_t ranges[][2] = {
        { 0x000000000000ull, 0x001000000000ull }, /* programs at fixed addresses, and their heap */
        { 0x550000000000ull,
          0x570000000000ull }, /* position independent programs, and their heap */
        { 0x7e0000000000ull, 0x800000000000ull }, /* libraries, mapped memory, stacks */
    };
    for (unsigned i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        void *want = (void *)(ranges[i][0] ^ mask);
        size_t size = ranges[i][1] - ranges[i][0];
        void *got = mmap(want, size, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (got != want) return false;
        madvise(got, size, MADV_DONTDUMP);
        madvise(got, size, MADV_NOHUGEPAGE);
    }
    return true;
}

/* ---- the window ---- */

static bool is_recording(void) {
    return window.map && !window.stopped;
}

/* Where the room ends; NULL while signals wait, so that the next record asks for more. */
static void set_end(void) {
    culprit_thread.end =
        is_recording() ? window.map + WINDOW + PAGE - TRACE_SLACK : scratch + SCRATCH;
    TRACE_ORDER();
    if (culprit_waiting) culprit_thread.end = NULL;
}

static void use_scratch(void) {
    culprit_thread.at = scratch;
    set_end();
    culprit_thread.mask = 0;
    culprit_thread.known = UINT32_MAX;
}

static uint64_t position(void) {
    return window.offset + (uint64_t)(culprit_thread.at - window.map);
}

/* Moves the descriptor away from the small numbers that programs expect to get. */
static int move_up(int fd) {
    int high = fcntl(fd, F_DUPFD_CLOEXEC, 700);
    if (high < 0) return fd;
    close(fd);
    return high;
}

static void file_path(char *path, size_t size, uint32_t number) {
    snprintf(path, size, "%s/trace.%d.%u", trace_dir, (int)window.pid, number);
}

static bool is_our_file(int fd) {
    struct stat st;
    return fd >= 0 && fstat(fd, &st) == 0 && st.st_dev == window.device &&
           st.st_ino == window.inode;
}

/* A program that closed all descriptors (closefrom) closed ours, and the number may belong to
 * another file by now: that file is left alone, and ours is opened again. */
static bool have_file(void) {
    if (is_our_file(window.fd)) return true;
    char path[sizeof trace_dir + 64];
    file_path(path, sizeof path, window.number);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return false;
    window.fd = move_up(fd);
    return is_our_file(window.fd);
}

/* Maps the part of the file that starts at offset; false when there is no room for it. */
static bool map_window(uint64_t offset) {
    uint64_t start = offset / PAGE * PAGE;
    if (start + WINDOW + PAGE > trace_limit || !have_file()) return false;
    if (posix_fallocate(window.fd, (off_t)start, WINDOW + PAGE) != 0) return false;
    void *map =
        mmap(NULL, WINDOW + PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, window.fd, (off_t)start);
    if (map == MAP_FAILED) return false;
    if (window.map) munmap(window.map, WINDOW + PAGE);
    window.map = map;
    window.offset = start;
    culprit_thread.at = window.map + (offset - start);
    set_end();
    return true;
}

static void stop_recording(void) {
    if (window.map) *culprit_thread.at = TAG_LIMIT;
    window.stopped = true;
    use_scratch();
}

/* Room for n bytes (at most WINDOW / 2) at culprit_thread.at. */
static void make_room(size_t n) {
    if (!culprit_thread.at) culprit_room();
    const uint8_t *end = is_recording() ? window.map + WINDOW + PAGE : scratch + sizeof scratch;
    if (culprit_thread.at + n < end - 64) return;
    if (!is_recording()) {
        culprit_thread.at = scratch;
        return;
    }
    int saved = errno;
    if (!map_window(position())) stop_recording();
    errno = saved;
}

/* The recorder's own work, when not called from instrumented code, goes between these two: signals
 * wait meanwhile. */
static uint32_t begin(void) {
    uint32_t was = culprit_thread.inside;
    culprit_thread.inside = 1;
    TRACE_ORDER();
    return was;
}

static void let_come(void) {
    uint64_t waiting = __atomic_exchange_n(&culprit_waiting, 0, __ATOMIC_RELAXED);
    set_end();
    TRACE_ORDER();
    culprit_thread.inside = 0;
    TRACE_ORDER();
    culprit_let_come(waiting);
}

static void finish(uint32_t was) {
    TRACE_ORDER();
    culprit_thread.inside = was;
    TRACE_ORDER();
    if (!was && culprit_waiting) let_come();
}

static void put(const void *bytes, size_t n) {
    memcpy(culprit_thread.at, bytes, n);
    culprit_thread.at += n;
}

static void put8(uint8_t v) {
    put(&v, 1);
}

static void put16(uint16_t v) {
    put(&v, 2);
}

static void put32(uint32_t v) {
    put(&v, 4);
}

static void put64(uint64_t v) {
    put(&v, 8);
}

/* ---- starting ---- */

/* Makes the file: the first number that is free. */
static bool open_file(void) {
    char path[sizeof trace_dir + 64];
    for (uint32_t n = 0; n < 100000; n++) {
        file_path(path, sizeof path, n);
        int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        struct stat st;
        if (fd >= 0) {
            window.number = n;
            window.fd = move_up(fd);
            if (fstat(window.fd, &st) != 0) return false;
            window.device = st.st_dev;
            window.inode = st.st_ino;
            return true;
        }
        if (errno != EEXIST) return false;
    }
    return false;
}

/* The inode of a pipe or a regular file; 0: the descriptor is something else. */
static uint64_t stream_of(int descriptor) {
    struct stat st;
    if (fstat(descriptor, &st) != 0 || !(S_ISFIFO(st.st_mode) || S_ISREG(st.st_mode))) return 0;
    return (uint64_t)st.st_ino;
}

static void put_header(uint32_t parent, uint32_t parent_number, uint64_t parent_offset) {
    char command[2048];
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, command, sizeof command) : 0;
    if (fd >= 0) close(fd);
    if (n < 0) n = 0;
    TraceHeader header = {
        .magic = TRACE_MAGIC,
        .pid = (uint32_t)getpid(),
        .parent = parent,
        .parent_offset = parent_offset,
        .number = window.number,
        .parent_number = parent_number,
        .thread = culprit_thread.number,
        .command = sizeof header,
        .command_size = (uint64_t)n,
        .input = stream_of(0),
        .output = stream_of(1),
    };
    put(&header, sizeof header);
    put(command, (size_t)n);
}

static void put_module(const Module *m) {
    size_t length = strlen(m->path);
    make_room(64 + length);
    put8(TAG_MODULE);
    put32(m->base);
    put32(m->functions);
    put32(m->count);
    put16((uint16_t)length);
    put(m->path, length);
    for (uint32_t i = 0; i < m->count; i++) {
        make_room(64);
        put64((uint64_t)m->addresses[i]);
    }
}

/* Announces the modules that were registered since the last time. */
static void announce(void) {
    while (is_recording()) {
        const Module *next = __atomic_load_n(told ? &told->next : &first_module, __ATOMIC_ACQUIRE);
        if (!next) break;
        told = next;
        put_module(next);
    }
    if (is_recording()) culprit_thread.known = told ? told->base + told->functions : 0;
}

static bool open_window(uint32_t parent, uint32_t parent_number, uint64_t parent_offset) {
    window = (Window){ .fd = -1, .pid = getpid() };
    if (!open_file() || !map_window(0)) return false;
    put_header(parent, parent_number, parent_offset);
    return true;
}

/* Gives the thread its file and its shadow; if anything fails, it runs on unrecorded. */
static void start_thread(void) {
    culprit_thread.number = __atomic_fetch_add(&thread_count, 1, __ATOMIC_RELAXED);
    culprit_thread.high = 0;
    if (!tracing || culprit_thread.number >= THREADS || !open_window(0, 0, 0)) {
        use_scratch();
        return;
    }
    if (!map_shadow(masks[culprit_thread.number])) {
        stop_recording();
        return;
    }
    culprit_thread.mask = masks[culprit_thread.number];
    announce();
}

/* The parent may have ended by now, so getppid is not used. */
static void after_fork_in_child(void) {
    if (!is_recording()) return;
    int saved = errno;
    uint32_t was = begin();
    uint64_t offset = position();
    uint32_t parent = (uint32_t)window.pid, number = window.number;
    munmap(window.map, WINDOW + PAGE);
    if (is_our_file(window.fd)) close(window.fd);
    culprit_thread.at = NULL;
    if (!open_window(parent, number, offset)) use_scratch();
    finish(was);
    errno = saved;
}

/* Is the recorder a part of the program itself: linked with it, or into it? */
static int find_recorder(struct dl_phdr_info *program, size_t size, void *found) {
    (void)size;
    for (unsigned i = 0; i < program->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &program->dlpi_phdr[i];
        uintptr_t at = program->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_LOAD && (uintptr_t)&first_module - at < part->p_memsz)
            *(bool *)found = true;
        if (part->p_type != PT_DYNAMIC) continue;
        const ElfW(Dyn) *list = (const void *)at;
        uintptr_t names = 0;
        for (const ElfW(Dyn) *d = list; d->d_tag != DT_NULL; d++)
            if (d->d_tag == DT_STRTAB) names = d->d_un.d_ptr;
        if (names < program->dlpi_addr) names += program->dlpi_addr;
        for (const ElfW(Dyn) *d = list; d->d_tag != DT_NULL; d++)
            if (d->d_tag == DT_NEEDED &&
                strstr((const char *)names + d->d_un.d_val, "libculprit-trace"))
                *(bool *)found = true;
    }
    return 1; /* the first object is the program */
}

static bool is_of_program(void) {
    bool found = false;
    dl_iterate_phdr(find_recorder, &found);
    return found;
}

/* All of the program's arguments; NULL: they cannot be read. */
static char **read_arguments(void) {
    static char command[1 << 17], *argv[8192];
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t size = fd >= 0 ? read(fd, command, sizeof command) : 0;
    if (fd >= 0) close(fd);
    if (size <= 0 || size == sizeof command) return NULL;
    size_t n = 0;
    for (char *at = command; at < command + size; at += strlen(at) + 1) {
        if (n + 1 == sizeof argv / sizeof argv[0]) return NULL;
        argv[n++] = at;
    }
    return argv;
}

/* Both runs of a comparison must see the same addresses: starts the program over without address
 * randomisation. Only before main: a host that opens an instrumented library runs on as it is. */
static void fix_addresses(void) {
    static char path[4096];
    int now = personality(0xffffffff);
    if (now == -1 || (now & ADDR_NO_RANDOMIZE) || !is_of_program()) return;
    char **argv = read_arguments();
    if (!argv || readlink("/proc/self/exe", path, sizeof path - 1) <= 0) return;
    if (personality((unsigned long)now | ADDR_NO_RANDOMIZE) == -1) return;
    extern char **environ;
    if (personality(0xffffffff) & ADDR_NO_RANDOMIZE) execve(path, argv, environ);
    personality((unsigned long)now);
}

static void start(void) {
    if (started) return;
    started = true;
    const char *dir = getenv("CULPRIT_TRACE");
    if (!dir || !*dir || strlen(dir) >= sizeof trace_dir) return;
    const char *limit = getenv("CULPRIT_LIMIT");
    if (limit && *limit) trace_limit = strtoull(limit, NULL, 10);
    memcpy(trace_dir, dir, strlen(dir) + 1);
    int saved = errno;
    mkdir(trace_dir, 0777); /* if it exists already, that is fine */
    fix_addresses();
    tracing = true;
    pthread_atfork(NULL, NULL, after_fork_in_child);
    culprit_catch_fatal();
    errno = saved;
}

/* Before main, where the recorder is linked with the program: then nothing has happened yet, and
 * the program can be started over. */
__attribute__((constructor)) static void at_load(void) {
    pthread_mutex_lock(&lock);
    if (is_of_program()) start();
    pthread_mutex_unlock(&lock);
}

uint8_t *culprit_room(void) {
    if (in_runtime) {
        culprit_thread.at = scratch;
        return scratch;
    }
    in_runtime = true;
    int saved = errno;
    if (!culprit_thread.at) {
        pthread_mutex_lock(&lock);
        start();
        start_thread();
        pthread_mutex_unlock(&lock);
    } else {
        make_room(TRACE_SLACK);
        announce();
    }
    errno = saved;
    in_runtime = false;
    return culprit_thread.at;
}

uint8_t *culprit_more(void) {
    uint32_t was = begin();
    culprit_room();
    if (culprit_waiting) let_come();
    finish(was);
    return culprit_thread.at;
}

/* A copy in memory that is never freed; NULL: there is none left. The program's malloc is not ours
 * to use. */
static void *keep(const void *from, size_t size) {
    size_t room = (size + 15) & ~(size_t)15;
    if (room > pool_left) {
        size_t more = room > POOL ? room : POOL;
        void *map = mmap(NULL, more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (map == MAP_FAILED) return NULL;
        pool = map;
        pool_left = more;
    }
    void *kept = memcpy(pool, from, size);
    pool += room;
    pool_left -= room;
    return kept;
}

static bool keep_module(Module m) {
    m.path = keep(m.path, strlen(m.path) + 1);
    m.addresses = keep(m.addresses, m.count * sizeof *m.addresses);
    Module *kept = m.path && m.addresses ? keep(&m, sizeof m) : NULL;
    if (!kept) return false;
    __atomic_store_n(last_module ? &last_module->next : &first_module, kept, __ATOMIC_RELEASE);
    last_module = kept;
    return true;
}

/* Threads that run already announce the module when they first enter it (culprit_enter). */
void culprit_register(uint32_t *base, uint32_t functions, const char *path, void *const *addresses,
                      uint32_t count) {
    uint32_t was = begin();
    make_room(64);
    pthread_mutex_lock(&lock);
    *base = function_count;
    function_count += functions;
    bool kept = keep_module((Module){ *base, functions, count, path, addresses, NULL });
    pthread_mutex_unlock(&lock);
    if (!kept && is_recording()) stop_recording();
    announce();
    finish(was);
}

__attribute__((destructor)) static void at_exit(void) {
    if (!is_recording()) return;
    uint32_t was = begin();
    make_room(64);
    put8(TAG_EXIT);
    finish(was);
}

void culprit_record_signal(int number, uint64_t address) {
    make_room(64);
    put8(TAG_SIGNAL);
    put8((uint8_t)number);
    put64(address);
}

/* ---- slow paths of the instrumented code ---- */

static uint8_t *shadow_of(const void *address) {
    return (uint8_t *)((uint64_t)address ^ culprit_thread.mask);
}

static void put_load(uint32_t index, uint32_t size) {
    make_room(64 + size);
    if (index < 256) {
        put8(TAG_LOAD);
        put8((uint8_t)index);
    } else {
        put8(TAG_LOAD_FAR);
        put16((uint16_t)index);
    }
    put8((uint8_t)size);
}

/* Recording may stop for lack of room: then memory is its own shadow, and may be read-only. */
void culprit_miss(const void *address, uint64_t value, uint32_t size, uint32_t index) {
    put_load(index, size);
    put(&value, size);
    if (culprit_thread.mask) memcpy(shadow_of(address), &value, size);
}

void culprit_miss_wide(const void *address, uint32_t size, uint32_t index) {
    put_load(index, size);
    put(address, size);
    if (culprit_thread.mask) memcpy(shadow_of(address), address, size);
}

static uint32_t width(uint64_t value, uint32_t size) {
    uint32_t n = value < 256 ? 1 : value < 65536 ? 2 : value >> 32 == 0 ? 4 : 8;
    return n < size ? n : size;
}

/* A call may have come back from outside. */
void culprit_result(uint64_t value, uint32_t size) {
    begin();
    make_room(64);
    uint32_t n = width(value, size);
    put8(TAG_RESULT);
    put8((uint8_t)n);
    put(&value, n);
}

void culprit_result_wide(const void *value, uint32_t size) {
    begin();
    make_room(64 + size);
    put8(TAG_RESULT);
    put8((uint8_t)size);
    put(value, size);
}

void culprit_arg(uint64_t value) {
    make_room(64);
    put64(value);
}

void culprit_arg_wide(const void *value, uint32_t size) {
    make_room(64 + size);
    put(value, size);
}

void culprit_high(uint32_t high) {
    make_room(64);
    put8(TAG_HIGH);
    put32(high);
    culprit_thread.high = high;
}

void culprit_jump(const void *frame, uint32_t value, uint32_t inst) {
    begin();
    make_room(64);
    culprit_thread.callee = NULL;
    put8(TAG_JUMP);
    put32((uint32_t)(uint64_t)frame);
    put32(value);
    put32(inst);
}

/* Records each stretch of real memory that differs from the shadow, and corrects the shadow. */
void culprit_sync(const void *address, uint64_t size) {
    if (!culprit_thread.mask) return;
    const uint8_t *real = address;
    uint8_t *shadow = shadow_of(address);
    for (uint64_t i = 0; i < size;) {
        if (real[i] == shadow[i]) {
            i++;
            continue;
        }
        uint64_t n = 1, last = 1; /* last: after the last difference seen */
        while (i + n < size && n < WINDOW / 4 && n < last + 12) {
            n++;
            if (real[i + n - 1] != shadow[i + n - 1]) last = n;
        }
        make_room(64 + last);
        if (!culprit_thread.mask) return;
        put8(TAG_SYNC);
        put64((uint64_t)(real + i));
        put32((uint32_t)last);
        put(real + i, last);
        memcpy(shadow + i, real + i, last);
        i += last;
    }
}

void culprit_copy(void *to, const void *from, uint64_t size) {
    if (!culprit_thread.mask) return;
    culprit_sync(from, size);
    if (culprit_thread.mask) memmove(shadow_of(to), shadow_of(from), size);
}

void culprit_set(void *to, int byte, uint64_t size) {
    if (culprit_thread.mask) memset(shadow_of(to), byte, size);
}

void culprit_output(int descriptor, const void *bytes, size_t size) {
    if (descriptor < 0 || descriptor > 255) return;
    const uint8_t *at = bytes;
    uint32_t was = begin();
    while (size && is_recording()) {
        size_t n = size < WINDOW / 4 ? size : WINDOW / 4;
        make_room(64 + n);
        if (!is_recording()) break;
        put8(TAG_OUTPUT);
        put8((uint8_t)descriptor);
        put32((uint32_t)n);
        put(at, n);
        at += n;
        size -= n;
    }
    finish(was);
}

int culprit_is_recording(void) {
    return is_recording();
}

int culprit_is_tracing(void) {
    return tracing;
}
