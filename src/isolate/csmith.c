/* See csmith.h. */
#include "isolate/csmith.h"
#include "base/file.h"
#include "cc/compiler.h"
#include "run/run.h"
#include "run/workdir.h"

static const char *find_header(Arena *arena) {
    static const char *const places[] = { "/usr/include/csmith", "/usr/local/include/csmith",
                                          "/usr/include/csmith-2.3.0",
                                          "/usr/local/include/csmith-2.3.0" };
    for (size_t i = 0; i < COUNT_OF(places); i++)
        if (file_exists(file_join(arena, places[i], "csmith.h"))) return places[i];
    return NULL;
}

bool csmith_find(Error *err) {
    Arena scratch = { 0 };
    bool found = file_find_program(&scratch, "csmith") && find_header(&scratch) &&
                 file_find_program(&scratch, "gcc");
    arena_release(&scratch);
    return found || err_set(err, STATUS_LACKS,
                            "csmith is not installed; Debian has it in the packages csmith and "
                            "libcsmith-dev");
}

bool csmith_make(Arena *arena, uint64_t seed, Str *text) {
    char *dir = workdir_new(arena, "csmith");
    const char *const make[] = { "csmith",
                                 "--seed",
                                 arena_fmt(arena, "%llu", (unsigned long long)seed),
                                 "--max-funcs",
                                 "3",
                                 "--max-block-depth",
                                 "2",
                                 "--max-block-size",
                                 "3",
                                 "--no-argc",
                                 "--output",
                                 "program.c",
                                 NULL };
    const char *const expand[] = { "gcc", "-E", "-P", "-I", find_header(arena), "program.c", NULL };
    RunSpec spec = {
        .argv = make, .dir = dir, .env = cc_env, .limits = { .wall_s = 30, .output = 4 << 20 }
    };
    RunResult r = run_one(arena, &spec);
    spec.argv = expand;
    if (run_ok(&r)) r = run_one(arena, &spec);
    workdir_remove(dir);
    *text = r.out;
    return run_ok(&r) && text->len > 0;
}
