/* Recordings one after the other (trace_run.h): only one is in memory at a time. */
#include "trace/trace_run.h"
#include "base/file.h"
#include "base/quantity.h"

const char *trace_end_name(TraceEnd end) {
    static const char *const names[] = { "unknown", "exit", "signal", "abort", "limit" };
    return names[end];
}

static TraceInfo keep_info(Arena *arena, const TraceInfo *from) {
    TraceInfo info = *from;
    info.path = arena_strdup(arena, from->path);
    info.program = arena_str(arena, from->program);
    info.args = (StrVec){ 0 };
    info.divergence = arena_str(arena, from->divergence);
    info.first_bytes = arena_str(arena, from->first_bytes);
    info.error_bytes = arena_str(arena, from->error_bytes);
    info.file_bytes = arena_str(arena, from->file_bytes);
    for (size_t i = 0; i < from->args.len; i++)
        vec_push(&info.args, arena_str(arena, from->args.at[i]));
    return info;
}

static bool run_path(const TraceRequest *request, const char *path, TraceResult *result,
                     Error *err) {
    double start = clock_own_cpu();
    Trace *t = trace_open_last(path, request->root, request->keep, request->stop, err);
    if (!t) return request->lenient;
    TraceRun run = { keep_info(&result->arena, trace_info(t)), clock_own_cpu() - start };
    vec_push(&result->runs, run);
    bool ok = !request->each || request->each(request->user, t, err);
    trace_free(t);
    return ok;
}

bool trace_run(const TraceRequest *request, TraceResult *result, Error *err) {
    *result = (TraceResult){ 0 };
    StrVec paths = { 0 };
    bool ok = true;
    for (size_t i = 0; ok && i < request->paths->len; i++) {
        const char *path = request->paths->at[i].at;
        if (file_is_dir(path))
            ok = trace_list(&result->arena, path, &paths, err);
        else
            vec_push(&paths, request->paths->at[i]);
    }
    for (size_t i = 0; ok && i < paths.len; i++)
        ok = run_path(request, paths.at[i].at, result, err);
    vec_release(&paths);
    return ok;
}

void trace_result_release(TraceResult *result) {
    for (size_t i = 0; i < result->runs.len; i++) vec_release(&result->runs.at[i].info.args);
    vec_release(&result->runs);
    arena_release(&result->arena);
}
