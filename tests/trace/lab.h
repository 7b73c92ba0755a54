/* A bench for traced programs: builds C texts with culprit-cc, runs them, opens their traces. */
#ifndef CULPRIT_LAB_H
#define CULPRIT_LAB_H

#include "base/file.h"
#include "explain/analysis.h"
#include "run/run.h"
#include "run/workdir.h"
#include "test.h"

typedef struct Lab {
    Arena arena;
    char *dir;
} Lab;

static inline void lab_open(Lab *lab) {
    *lab = (Lab){ 0 };
    lab->dir = workdir_new(&lab->arena, "lab");
}

static inline void lab_close(Lab *lab) {
    workdir_remove(lab->dir);
    arena_release(&lab->arena);
}

static inline char *lab_path(Lab *lab, const char *name) {
    return file_join(&lab->arena, lab->dir, name);
}

static inline char *lab_file(Lab *lab, const char *name, const char *text) {
    Error err;
    char *path = lab_path(lab, name);
    if (!file_write(path, str_from(text), &err)) fail_msg("%s", err.text);
    return path;
}

/* Runs a command in the lab's directory, with an addition to the environment (or NULL). */
static inline RunResult lab_run(Lab *lab, const char *env, const char *const *argv) {
    const char *modules = arena_fmt(&lab->arena, "CULPRIT_MODULES=%s/modules", lab->dir);
    const char *const all[] = { modules, env, NULL };
    RunSpec spec = {
        .argv = argv, .dir = lab->dir, .env = all, .profile = RUN_USER, .limits = { .wall_s = 60 }
    };
    return run_one(&lab->arena, &spec);
}

#define LAB_RUN(lab, env, ...) lab_run((lab), (env), (const char *const[]){ __VA_ARGS__, NULL })

static inline void lab_must(Lab *lab, RunResult r) {
    if (!run_ok(&r)) fail_msg("%s: " STR_FMT, run_describe(&lab->arena, &r), STR_ARG(r.err));
}

/* Builds text as NAME.c into NAME with culprit-cc. */
static inline char *lab_build(Lab *lab, const char *name, const char *text) {
    char *source = lab_file(lab, arena_fmt(&lab->arena, "%s.c", name), text),
         *program = lab_path(lab, name);
    lab_must(lab, LAB_RUN(lab, NULL, CULPRIT_CC, "-w", source, "-o", program, "-lm", "-lpthread"));
    return program;
}

/* Runs the program with up to three arguments and opens the trace of what it did. */
static inline Trace *lab_trace(Lab *lab, const char *program, const char *a, const char *b,
                               const char *c, RunResult *result) {
    Error err = { 0 };
    char *dir = arena_fmt(&lab->arena, "%s.trace", program);
    file_remove_tree(dir);
    if (!file_make_dirs(dir, &err)) fail_msg("%s", err.text);
    const char *const argv[] = { program, a, b, c, NULL };
    RunResult r = lab_run(lab, arena_fmt(&lab->arena, "CULPRIT_TRACE=%s", dir), argv);
    if (result) *result = r;
    /* The first thread of the first process; all others must at least replay. */
    StrVec paths = { 0 };
    Trace *first = NULL;
    if (!trace_list(&lab->arena, dir, &paths, &err)) fail_msg("%s", err.text);
    for (size_t i = 0; i < paths.len; i++) {
        Trace *t = trace_open(paths.at[i].at, lab->dir, &err);
        if (!t) fail_msg("%s", err.text);
        const TraceInfo *info = trace_info(t);
        if (info->diverged) fail_msg("%s: " STR_FMT, info->path, STR_ARG(info->divergence));
        if (!first && !info->parent && !info->thread)
            first = t;
        else
            trace_free(t);
    }
    vec_release(&paths);
    if (!first)
        fail_msg("no trace (%s: " STR_FMT ")", run_describe(&lab->arena, &r), STR_ARG(r.err));
    return first;
}

#endif
