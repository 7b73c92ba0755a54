/* The table of the C library (libc.h). Rows come in groups; what a row does not mention does not
 * apply. The macros reduce a row to what makes the function different from its neighbours. */
#include "trace/libc.h"

#define ROW(n, ...) { .name = n, __VA_ARGS__ }
#define PURE(n) ROW(n, .traits = LIBC_VALUE)
#define READS(n, mask) ROW(n, .traits = LIBC_VALUE, .strings = mask)
#define READS_AND_STORES(n, mask) ROW(n, .traits = LIBC_VALUE | LIBC_STORES, .strings = mask)
#define READS_PART(n, mask, most) ROW(n, .traits = LIBC_VALUE, .strings = mask, .limit = 1 + (most))
#define READS_BYTES(n, mask, most)                                                                 \
    ROW(n, .traits = LIBC_VALUE | LIBC_BYTES, .strings = mask, .limit = 1 + (most))
#define COPIES(n, how, mask) ROW(n, .traits = LIBC_VALUE, .copy = how, .strings = mask)
#define WRITES(n, how, arg, ours) ROW(n, .text = how, .text_arg = arg, .instead = ours)
#define WRITES_STRING(n, how, arg, ours)                                                           \
    ROW(n, .text = how, .text_arg = arg, .strings = 1u << arg, .instead = ours)
#define RENDERS(n, how, arg)                                                                       \
    ROW(n, .traits = LIBC_VALUE, .text = how, .text_arg = arg, .into = 1 + 0)
#define INPUT(n) ROW(n, .traits = LIBC_INPUT)
#define INPUT_SO_FAR(n, mask) ROW(n, .traits = LIBC_INPUT, .steers = mask)
#define INPUT_FORMAT(n, arg)                                                                       \
    ROW(n, .traits = LIBC_INPUT, .strings = 1u << (arg), .steers = 1u << (arg))
#define INPUT_NAMED(n) ROW(n, .traits = LIBC_INPUT, .strings = 1)
#define VARIES(n) ROW(n, .traits = LIBC_INPUT | LIBC_VARIES)
#define NEW(n) ROW(n, .traits = LIBC_INPUT | LIBC_NEW)
#define NEW_NAMED(n, mask) ROW(n, .traits = LIBC_INPUT | LIBC_NEW, .strings = mask)
#define STEERS(n, mask) ROW(n, .steers = mask)
#define INSTEAD(n, ours) ROW(n, .instead = ours)

static const LibcFunction table[] = {
    /* strings and memory */
    READS("strlen", 1),
    READS("strcmp", 3),
    READS("strcasecmp", 3),
    READS("strcoll", 3),
    READS("strverscmp", 3),
    READS("strchr", 1),
    READS("strrchr", 1),
    READS("strchrnul", 1),
    READS("rawmemchr", 1),
    READS("strstr", 3),
    READS("strcasestr", 3),
    READS("strspn", 3),
    READS("strcspn", 3),
    READS("strpbrk", 3),
    READS("index", 1),
    READS("rindex", 1),
    READS_PART("strnlen", 1, 1),
    READS_PART("strncmp", 3, 2),
    READS_PART("strncasecmp", 3, 2),
    READS_BYTES("memcmp", 3, 2),
    READS_BYTES("bcmp", 3, 2),
    READS_BYTES("memchr", 1, 2),
    READS_BYTES("memrchr", 1, 2),
    COPIES("strcpy", COPY_STRING, 2),
    COPIES("stpcpy", COPY_STRING, 2),
    COPIES("strncpy", COPY_COUNTED, 2),
    COPIES("stpncpy", COPY_COUNTED, 2),
    COPIES("memcpy", COPY_BYTES, 0),
    COPIES("memmove", COPY_BYTES, 0),
    COPIES("mempcpy", COPY_BYTES, 0),
    COPIES("strcat", COPY_APPEND, 3),
    COPIES("strncat", COPY_APPEND_PART, 3),
    ROW("strdup", .traits = LIBC_INPUT | LIBC_NEW, .copy = COPY_DUPLICATE),
    ROW("strndup", .traits = LIBC_INPUT | LIBC_NEW, .copy = COPY_DUPLICATE_PART),
    /* numbers and characters */
    READS("atoi", 1),
    READS("atol", 1),
    READS("atoll", 1),
    READS("atof", 1),
    READS_AND_STORES("strtol", 1),
    READS_AND_STORES("strtoul", 1),
    READS_AND_STORES("strtoll", 1),
    READS_AND_STORES("strtoull", 1),
    READS_AND_STORES("strtod", 1),
    READS_AND_STORES("strtof", 1),
    READS_AND_STORES("__isoc23_strtol", 1),
    READS_AND_STORES("__isoc23_strtoul", 1),
    READS_AND_STORES("__isoc23_strtoll", 1),
    READS_AND_STORES("__isoc23_strtoull", 1),
    READS_AND_STORES("sscanf", 3),
    READS_AND_STORES("__isoc99_sscanf", 3),
    READS_AND_STORES("__isoc23_sscanf", 3),
    PURE("div"),
    PURE("ldiv"),
    PURE("lldiv"),
    PURE("ffs"),
    PURE("ffsl"),
    PURE("ffsll"),
    PURE("abs"),
    PURE("labs"),
    PURE("llabs"),
    PURE("tolower"),
    PURE("toupper"),
    PURE("isalpha"),
    PURE("isdigit"),
    PURE("isspace"),
    PURE("isalnum"),
    PURE("isupper"),
    PURE("islower"),
    PURE("ispunct"),
    PURE("isxdigit"),
    PURE("isprint"),
    PURE("iscntrl"),
    PURE("isgraph"),
    PURE("__errno_location"),
    ROW("__ctype_b_loc", .traits = LIBC_VALUE | LIBC_TABLE),
    ROW("__ctype_tolower_loc", .traits = LIBC_VALUE | LIBC_TABLE),
    ROW("__ctype_toupper_loc", .traits = LIBC_VALUE | LIBC_TABLE),
    PURE("sqrt"),
    PURE("pow"),
    PURE("sin"),
    PURE("cos"),
    PURE("tan"),
    PURE("atan"),
    PURE("atan2"),
    PURE("exp"),
    PURE("log"),
    PURE("log2"),
    PURE("log10"),
    PURE("floor"),
    PURE("ceil"),
    PURE("round"),
    PURE("trunc"),
    PURE("fmod"),
    PURE("fabs"),
    PURE("ldexp"),
    PURE("hypot"),
    PURE("cbrt"),
    PURE("fma"),
    PURE("fmin"),
    PURE("fmax"),
    PURE("lround"),
    PURE("llround"),
    PURE("lrint"),
    PURE("llrint"),
    PURE("rint"),
    PURE("nearbyint"),
    READS_AND_STORES("frexp", 0),
    READS_AND_STORES("modf", 0),
    READS_AND_STORES("sincos", 0),
    ROW("fesetround", .traits = LIBC_ROUNDS, .steers = LIBC_STEERS_ANYHOW),
    ROW("fesetenv", .traits = LIBC_ROUNDS, .steers = LIBC_STEERS_ANYHOW),
    ROW("feupdateenv", .traits = LIBC_ROUNDS, .steers = LIBC_STEERS_ANYHOW),
    /* what is written out; culprit-cc calls the recorder's own (runtime/trace_output.c) */
    WRITES("printf", TEXT_FORMAT, 0, "culprit_out_printf"),
    WRITES("fprintf", TEXT_FORMAT, 1, "culprit_out_fprintf"),
    WRITES("dprintf", TEXT_FORMAT, 1, "culprit_out_dprintf"),
    WRITES("vprintf", TEXT_LIST, 0, "culprit_out_vprintf"),
    WRITES("vfprintf", TEXT_LIST, 1, "culprit_out_vfprintf"),
    WRITES("vdprintf", TEXT_LIST, 1, "culprit_out_vdprintf"),
    WRITES_STRING("puts", TEXT_LINE, 0, "culprit_out_puts"),
    WRITES_STRING("fputs", TEXT_STRING, 0, "culprit_out_fputs"),
    WRITES("putchar", TEXT_BYTE, 0, "culprit_out_putchar"),
    WRITES("putc", TEXT_BYTE, 0, "culprit_out_fputc"),
    WRITES("fputc", TEXT_BYTE, 0, "culprit_out_fputc"),
    WRITES("fwrite", TEXT_MEMORY, 0, "culprit_out_fwrite"),
    WRITES("write", TEXT_MEMORY, 1, "culprit_out_write"),
    INSTEAD("perror", "culprit_out_perror"),
    /* what is written into memory */
    RENDERS("sprintf", TEXT_FORMAT, 1),
    RENDERS("vsprintf", TEXT_LIST, 1),
    ROW("snprintf", .traits = LIBC_VALUE, .text = TEXT_FORMAT, .text_arg = 2, .into = 1 + 0,
        .limit = 1 + 1),
    ROW("vsnprintf", .traits = LIBC_VALUE, .text = TEXT_LIST, .text_arg = 2, .into = 1 + 0,
        .limit = 1 + 1),
    /* signals and processes, which the recorder must handle (runtime/trace_signal.c) */
    INSTEAD("vfork", "fork"),
    INSTEAD("sigaction", "culprit_sigaction"),
    INSTEAD("signal", "culprit_signal"),
    INSTEAD("bsd_signal", "culprit_signal"),
    INSTEAD("ssignal", "culprit_signal"),
    INSTEAD("sysv_signal", "culprit_sysv_signal"),
    INSTEAD("__sysv_signal", "culprit_sysv_signal"),
    /* ends */
    ROW("exit", .traits = LIBC_EXITS),
    ROW("_exit", .traits = LIBC_EXITS),
    ROW("_Exit", .traits = LIBC_EXITS),
    ROW("quick_exit", .traits = LIBC_EXITS),
    ROW("abort", .traits = LIBC_ABORTS),
    ROW("__assert_fail", .traits = LIBC_ABORTS),
    ROW("__assert_perror_fail", .traits = LIBC_ABORTS),
    ROW("__assert", .traits = LIBC_ABORTS),
    /* new objects */
    NEW("malloc"),
    ROW("calloc", .traits = LIBC_INPUT | LIBC_NEW | LIBC_ZEROES),
    ROW("realloc", .traits = LIBC_INPUT | LIBC_NEW | LIBC_RESIZES),
    ROW("reallocarray", .traits = LIBC_INPUT | LIBC_NEW | LIBC_RESIZES),
    NEW("aligned_alloc"),
    NEW("memalign"),
    NEW("valloc"),
    NEW("mmap"),
    ROW("fopen", .traits = LIBC_INPUT | LIBC_NEW | LIBC_HANDLE, .strings = 3, .steers = 3),
    NEW("fdopen"),
    NEW("tmpfile"),
    ROW("popen", .traits = LIBC_INPUT | LIBC_NEW, .strings = 3, .steers = LIBC_STEERS_ANYHOW),
    NEW_NAMED("opendir", 1),
    /* input */
    INPUT_SO_FAR("read", 1u << 2),
    INPUT("pread"),
    INPUT_SO_FAR("readv", LIBC_STEERS_ANYHOW),
    INPUT_SO_FAR("recv", 1u << 2),
    INPUT_SO_FAR("fread", 1u << 1 | 1u << 2),
    INPUT_SO_FAR("fgets", 1u << 1),
    INPUT("gets"),
    INPUT("fgetc"),
    INPUT("getc"),
    INPUT("getchar"),
    INPUT("getline"),
    INPUT_SO_FAR("getdelim", 1u << 2),
    INPUT_FORMAT("scanf", 0),
    INPUT_FORMAT("fscanf", 1),
    INPUT_FORMAT("__isoc99_scanf", 0),
    INPUT_FORMAT("__isoc99_fscanf", 1),
    INPUT_FORMAT("__isoc23_scanf", 0),
    INPUT_FORMAT("__isoc23_fscanf", 1),
    ROW("open", .traits = LIBC_INPUT | LIBC_HANDLE, .strings = 1, .steers = 1),
    INPUT("isatty"),
    INPUT("feof"),
    INPUT("ferror"),
    INPUT("readdir"),
    INPUT_NAMED("access"),
    ROW("setlocale", .traits = LIBC_INPUT, .strings = 2),
    INPUT("nl_langinfo"),
    INPUT("wait"),
    INPUT("waitpid"),
    INPUT_SO_FAR("ungetc", 1u << 0),
    /* what differs from run to run */
    VARIES("getpid"),
    VARIES("getppid"),
    VARIES("gettid"),
    ROW("fork", .traits = LIBC_INPUT | LIBC_VARIES, .steers = LIBC_STEERS_ANYHOW),
    VARIES("time"),
    VARIES("clock"),
    VARIES("times"),
    VARIES("gettimeofday"),
    VARIES("clock_gettime"),
    VARIES("getrusage"),
    ROW("localtime", .traits = LIBC_VARIES),
    ROW("gmtime", .traits = LIBC_VARIES),
    INPUT("rand"),
    INPUT("random"),
    INPUT("lrand48"),
    INPUT("drand48"),
    VARIES("getrandom"),
    VARIES("arc4random"),
    INPUT_NAMED("stat"),
    INPUT("fstat"),
    INPUT_NAMED("lstat"),
    VARIES("getcwd"),
    VARIES("gethostname"),
    VARIES("uname"),
    VARIES("mkstemp"),
    VARIES("tmpnam"),
    VARIES("tempnam"),
    VARIES("mkdtemp"),
    ROW("getenv", .traits = LIBC_INPUT | LIBC_VARIES, .strings = 1),
    ROW("secure_getenv", .traits = LIBC_INPUT | LIBC_VARIES, .strings = 1),
    VARIES("ttyname"),
    VARIES("getlogin"),
    /* what decides what is read later */
    STEERS("srandom", 1u << 0),
    STEERS("srand48", 1u << 0),
    STEERS("seed48", LIBC_STEERS_ANYHOW),
    STEERS("initstate", LIBC_STEERS_ANYHOW),
    STEERS("setstate", LIBC_STEERS_ANYHOW),
    STEERS("fseek", 1u << 1 | 1u << 2),
    STEERS("fseeko", 1u << 1 | 1u << 2),
    STEERS("lseek", 1u << 1 | 1u << 2),
    STEERS("fsetpos", LIBC_STEERS_ANYHOW),
    STEERS("dup2", 1u << 0 | 1u << 1),
    STEERS("dup3", 1u << 0 | 1u << 1),
    STEERS("freopen", LIBC_STEERS_ANYHOW),
    STEERS("fcntl", 1u << 0 | 1u << 1 | 1u << 2),
    STEERS("ftruncate", LIBC_STEERS_ANYHOW),
    STEERS("truncate", LIBC_STEERS_ANYHOW),
    STEERS("pwrite", LIBC_STEERS_ANYHOW),
    STEERS("writev", LIBC_STEERS_ANYHOW),
    STEERS("send", LIBC_STEERS_ANYHOW),
    STEERS("sendto", LIBC_STEERS_ANYHOW),
    STEERS("sendmsg", LIBC_STEERS_ANYHOW),
    STEERS("sendfile", LIBC_STEERS_ANYHOW),
    STEERS("rename", LIBC_STEERS_ANYHOW),
    STEERS("remove", LIBC_STEERS_ANYHOW),
    STEERS("unlink", LIBC_STEERS_ANYHOW),
    STEERS("link", LIBC_STEERS_ANYHOW),
    STEERS("symlink", LIBC_STEERS_ANYHOW),
    STEERS("mkdir", LIBC_STEERS_ANYHOW),
    STEERS("rmdir", LIBC_STEERS_ANYHOW),
    STEERS("chdir", LIBC_STEERS_ANYHOW),
    STEERS("setenv", LIBC_STEERS_ANYHOW),
    STEERS("putenv", LIBC_STEERS_ANYHOW),
    STEERS("unsetenv", LIBC_STEERS_ANYHOW),
    STEERS("clearenv", LIBC_STEERS_ANYHOW),
    STEERS("system", LIBC_STEERS_ANYHOW),
    /* nothing that an analysis could use */
    ROW("free", .traits = LIBC_SILENT),
    ROW("fflush", .traits = LIBC_SILENT),
    ROW("fclose", .traits = LIBC_SILENT | LIBC_HANDLE, .steers = 1u << 0),
    ROW("close", .traits = LIBC_SILENT | LIBC_HANDLE, .steers = 1u << 0),
    ROW("setbuf", .traits = LIBC_SILENT),
    ROW("setvbuf", .traits = LIBC_SILENT),
    ROW("srand", .traits = LIBC_SILENT, .steers = 1u << 0),
    ROW("atexit", .traits = LIBC_SILENT),
};

static const LibcFunction *find(Str name) {
    for (size_t i = 0; i < COUNT_OF(table); i++)
        if (str_is(name, table[i].name)) return &table[i];
    return NULL;
}

const LibcFunction *libc_find(const char *name) {
    Str s = str_from(name);
    const LibcFunction *f = find(s);
    if (f || !s.len) return f;
    if (str_ends(s, "_unlocked")) s.len -= 9;
    if (str_starts(s, "_IO_")) s = str_sub(s, 4, s.len);
    bool checks = str_starts(s, "__") && str_ends(s, "_chk");
    if (checks) s = str_sub(s, 2, s.len - 4);
    f = s.len < strlen(name) ? find(s) : NULL;
    /* A checking printf has one or two more arguments before its format. */
    return f && checks && f->text ? NULL : f;
}

bool libc_may_write(const LibcFunction *f) {
    if (!f || f->copy || f->into || f->traits & LIBC_STORES) return true;
    return !f->text && !(f->traits & ~(unsigned)LIBC_INPUT);
}

uint64_t libc_new_size(const LibcFunction *f, const uint64_t *args) {
    Str name = str_from(f->name);
    if (str_is(name, "malloc") || str_is(name, "valloc")) return args[0];
    if (str_is(name, "calloc")) return args[0] * args[1];
    if (str_is(name, "reallocarray")) return args[1] * args[2];
    if (str_is(name, "realloc") || str_is(name, "aligned_alloc") || str_is(name, "memalign") ||
        str_is(name, "mmap"))
        return args[1];
    return 0;
}
