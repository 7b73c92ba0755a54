/* A hand tool over the C model, for people, tests and the benchmark:
 *     cfront-tool dump FILE       the model as text
 *     cfront-tool check FILE..    one line per file: modelled, refused (with clang's message) or
 * FAILED cfront-tool time N FILE     CPU milliseconds of one parse, the mean of N */
#include "base/base.h"
#include "base/file.h"
#include "cfront_check.h"

#include <time.h>

static CUnit *read_unit(Arena *arena, const char *path, Error *err) {
    Str text;
    if (!file_read(arena, path, &text, err)) return NULL;
    CfrontOptions opts = { .name = path };
    return cfront_parse(arena, text, &opts, err);
}

static int dump(const char *path) {
    Arena arena = { 0 };
    Error err = { 0 };
    CUnit *unit = read_unit(&arena, path, &err);
    if (!unit) return err_report(&err);
    Buf out = { 0 };
    cfront_dump(unit, &out);
    fwrite(out.at, 1, out.len, stdout);
    buf_release(&out);
    arena_release(&arena);
    return 0;
}

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int measure(int n, const char *path) {
    double begin = now_ms();
    size_t used = 0;
    for (int i = 0; i < n; i++) {
        Arena arena = { 0 };
        Error err = { 0 };
        if (!read_unit(&arena, path, &err)) return err_report(&err);
        used = arena.used;
        arena_release(&arena);
    }
    printf("%s: %.2f ms of CPU, model %zu kB\n", path, (now_ms() - begin) / n, used / 1024);
    return 0;
}

static int check(int n, char **paths) {
    unsigned modelled = 0, refused = 0, failed = 0;
    for (int i = 0; i < n; i++) {
        Arena arena = { 0 };
        Error err = { 0 };
        CUnit *unit = read_unit(&arena, paths[i], &err);
        Buf why = { 0 };
        if (!unit) {
            refused++;
            printf("refused %s\n", err.text);
        } else if (check_unit(unit, &why)) {
            modelled++;
        } else {
            failed++;
            printf("FAILED %s: %s\n", paths[i], why.at);
        }
        buf_release(&why);
        arena_release(&arena);
    }
    printf("%u files: %u modelled, %u refused, %u failed\n", (unsigned)n, modelled, refused,
           failed);
    return failed ? STATUS_NO : STATUS_DONE;
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "dump") == 0) return dump(argv[2]);
    uint64_t times = 0;
    if (argc == 4 && strcmp(argv[1], "time") == 0 && str_to_u64(str_from(argv[2]), &times) && times)
        return measure((int)times, argv[3]);
    if (argc >= 3 && strcmp(argv[1], "check") == 0) return check(argc - 2, argv + 2);
    fputs("usage: cfront-tool dump FILE | time N FILE | check FILE..\n", stderr);
    return STATUS_BAD;
}
