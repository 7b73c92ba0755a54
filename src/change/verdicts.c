/* Verdicts on disk; see verdicts.h. */
#include "change/verdicts.h"
#include "base/file.h"

#include <fcntl.h>
#include <unistd.h>

enum { LOG_MOST = 32768 }; /* bytes of a build's messages that are kept */
static const char letters[] = "pfn";

static Str hash_key(const Hash *hash) {
    return (Str){ (const char *)hash, sizeof *hash };
}

static char *log_path(Arena *arena, const Verdicts *v, Hash hash) {
    return arena_fmt(arena, "%s/%016lx%016lx.log", v->dir, (unsigned long)hash.hi,
                     (unsigned long)hash.lo);
}

static void remember(Verdicts *v, Hash hash, Outcome outcome, Str log) {
    map_put(&v->known, hash_key(&hash), (uint64_t)outcome + 1);
    if (outcome != OUTCOME_NO_BUILD) return;
    map_put(&v->logs, hash_key(&hash), v->texts.len);
    vec_push(&v->texts, arena_str(&v->arena, str_sub(log, 0, LOG_MOST)));
}

/* "0123456789abcdef0123456789abcdef p" */
static bool parse_line(Str line, Hash *hash, Outcome *outcome) {
    if (line.len != 34 || line.at[32] != ' ') return false;
    const char *letter = strchr(letters, line.at[33]);
    Arena scratch = { 0 };
    char *hi = arena_fmt(&scratch, "0x%.16s", line.at),
         *lo = arena_fmt(&scratch, "0x%.16s", line.at + 16);
    bool ok = letter && str_to_u64(str_from(hi), &hash->hi) && str_to_u64(str_from(lo), &hash->lo);
    if (ok) *outcome = (Outcome)(letter - letters);
    arena_release(&scratch);
    return ok;
}

static void restore(Verdicts *v, const char *path) {
    Arena scratch = { 0 };
    Str rest, line;
    if (file_exists(path) && file_read(&scratch, path, &rest, NULL))
        while (str_split(&rest, '\n', &line)) {
            Hash hash;
            Outcome outcome;
            Str log = { "", 0 };
            if (!rest.at || !parse_line(line, &hash, &outcome)) continue;
            if (outcome == OUTCOME_NO_BUILD)
                file_read(&scratch, log_path(&scratch, v, hash), &log, NULL);
            remember(v, hash, outcome, log);
            v->restored++;
        }
    arena_release(&scratch);
}

bool verdicts_open(Verdicts *v, const char *dir, Error *err) {
    *v = (Verdicts){ .fd = -1 };
    if (!dir) return true;
    v->dir = arena_strdup(&v->arena, dir);
    if (!file_make_dirs(dir, err)) return false;
    char *path = file_join(&v->arena, dir, "verdicts");
    restore(v, path);
    v->fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    return v->fd >= 0 || err_errno(err, "cannot write %s", path);
}

void verdicts_close(Verdicts *v) {
    if (v->fd >= 0) close(v->fd);
    map_release(&v->known);
    map_release(&v->logs);
    vec_release(&v->texts);
    arena_release(&v->arena);
}

bool verdicts_get(const Verdicts *v, Hash tree, Outcome *outcome) {
    uint64_t value;
    if (!map_get(&v->known, hash_key(&tree), &value)) return false;
    *outcome = (Outcome)(value - 1);
    return true;
}

Str verdicts_log(const Verdicts *v, Hash tree) {
    uint64_t i;
    return map_get(&v->logs, hash_key(&tree), &i) ? v->texts.at[i] : (Str){ "", 0 };
}

void verdicts_put(Verdicts *v, Hash tree, Outcome outcome, Str log) {
    if (outcome == OUTCOME_STOPPED) return;
    remember(v, tree, outcome, log);
    if (v->fd < 0) return;
    Arena scratch = { 0 };
    if (outcome == OUTCOME_NO_BUILD)
        file_write(log_path(&scratch, v, tree), str_sub(log, 0, LOG_MOST), NULL);
    char *line = arena_fmt(&scratch, "%016lx%016lx %c\n", (unsigned long)tree.hi,
                           (unsigned long)tree.lo, letters[outcome]);
    ssize_t n = write(v->fd, line, strlen(line));
    (void)n; /* a verdict that is not saved costs one more build and nothing else */
    arena_release(&scratch);
}
