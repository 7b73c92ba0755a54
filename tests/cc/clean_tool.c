/* Is each program clean? Usage: clean-tool SKIP FILE.. (SKIP: bits as in CleanJob; the programs are
 * preprocessed by clang-19 as a seed of hunt is). A line each: clean, unclean and why, unknown and
 * why, untyped. */
#include <stdio.h>

#include "base/file.h"
#include "cc/clean.h"
#include "variant/preprocess.h"

static const char *const named[] = { "clean", "unclean", "unknown" };

int main(int argc, char **argv) {
    Arena arena = { 0 };
    CleanTools tools;
    Error err = { 0 };
    if (argc < 3 || !clean_tools_open(&arena, &tools, &err)) return 2;
    for (int i = 2; i < argc; i++) {
        Str text;
        if (!preprocess_seed(&arena, argv[i], cc_tolerant(CC_CLANG), &text, &err)) {
            printf("%s: not preprocessed\n", argv[i]);
            continue;
        }
        CleanJob job;
        clean_job_init(&job, &tools, text);
        job.flags = cc_tolerant(CC_CLANG);
        job.skip = (unsigned)strtoul(argv[1], NULL, 0);
        clean_job_run(&job);
        printf("%s: %s%s " STR_FMT " (%.2f s)\n", argv[i], named[job.result],
               job.untyped ? ", untyped" : "", STR_ARG(job.why), job.cpu_s);
        fflush(stdout);
        clean_job_end(&job);
    }
    arena_release(&arena);
}
