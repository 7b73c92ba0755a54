/* The log of the runner: a line for every process that ended, with fields separated by tabs, so
 * that a person can read it and `cut` can split it: time of start (seconds since 1970), profile,
 * wall and CPU seconds, peak of resident bytes, how it ended, limits, directory, and the command
 * quoted for a shell. Each line is a single write, so that several culprits may share a file. */
#include "run/run_log.h"

#include "base/shell.h"

#include <fcntl.h>
#include <math.h>
#include <time.h>
#include <unistd.h>

static int log_fd = -1;

bool run_log(const char *path, Error *err) {
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0) return err_errno(err, "cannot write %s", path);
    if (log_fd >= 0) close(log_fd);
    log_fd = fd;
    return true;
}

bool run_logs(void) {
    return log_fd >= 0;
}

static void put_limit(Buf *out, const char *name, uint64_t value) {
    if (value && value != RUN_UNLIMITED) buf_fmt(out, " %s=%llu", name, (unsigned long long)value);
}

static void put_limits(Buf *out, const RunLimits *l) {
    buf_text(out, "\tlimits:");
    if (isfinite(l->wall_s)) buf_fmt(out, " wall=%g", l->wall_s);
    if (isfinite(l->cpu_s)) buf_fmt(out, " cpu=%g", l->cpu_s);
    if (isfinite(l->tree_cpu_s)) buf_fmt(out, " tree-cpu=%g", l->tree_cpu_s);
    if (isfinite(l->each_cpu_s)) buf_fmt(out, " each-cpu=%g", l->each_cpu_s);
    put_limit(out, "memory", l->memory);
    put_limit(out, "resident", l->resident);
    put_limit(out, "output", l->output);
    put_limit(out, "file", l->file_size);
    put_limit(out, "disk", l->disk);
    put_limit(out, "written", l->written);
    put_limit(out, "processes", l->processes);
}

void run_log_start(Buf *note, const RunSpec *spec, const RunLimits *limits) {
    put_limits(note, limits);
    buf_fmt(note, "\t%s\t", spec->dir ? spec->dir : ".");
    for (const char *const *arg = spec->argv; *arg; arg++) {
        if (arg != spec->argv) buf_char(note, ' ');
        shell_quote(note, str_from(*arg));
    }
    for (size_t i = 0; i < note->len; i++) /* one process, one line */
        if (note->at[i] == '\n') note->at[i] = ' ';
    buf_char(note, '\n');
}

void run_log_end(const Buf *note, RunProfile profile, const RunResult *r) {
    static const char *const names[] = {
        [RUN_USER] = "user", [RUN_GENERATED] = "generated", [RUN_BUILD] = "build"
    };
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    Arena arena = { 0 };
    Buf line = { 0 };
    buf_fmt(&line, "%.3f\t%s\t%.3f\t%.3f\t%llu\t%s",
            (double)now.tv_sec + (double)now.tv_nsec * 1e-9 - r->wall_s, names[profile], r->wall_s,
            r->cpu_s, (unsigned long long)r->peak, run_describe(&arena, r));
    buf_add(&line, note->at, note->len);
    if (write(log_fd, line.at, line.len) < 0) log_fd = -1; /* disk full: never mind */
    buf_release(&line);
    arena_release(&arena);
}
