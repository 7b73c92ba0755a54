/* Commits as versions; see git.h. */
#include "explain/git.h"
#include "base/file.h"
#include "run/run.h"
#include "run/workdir.h"

enum { ARGS = 16 };

/* Runs git with the words given (NULL-ended) in dir. */
static RunResult git(Arena *arena, const char *dir, const char *const *words) {
    const char **argv = ARENA_ARRAY(arena, const char *, ARGS + 1);
    size_t n = 0;
    for (argv[n++] = "git"; *words && n < ARGS; words++) argv[n++] = *words;
    RunSpec spec = { .argv = argv, .dir = dir, .profile = RUN_USER };
    return run_one(arena, &spec);
}
#define GIT(arena, dir, ...) git((arena), (dir), (const char *const[]){ __VA_ARGS__, NULL })

static bool resolve(Arena *arena, const char *name, const char **hash, Error *err) {
    char *commit = arena_fmt(arena, "%s^{commit}", name);
    RunResult r = GIT(arena, NULL, "rev-parse", "--verify", "--quiet", "--end-of-options", commit);
    if (!run_ok(&r)) return err_set(err, STATUS_BAD, "%s is no commit of this repository", name);
    *hash = arena_cstr(arena, str_trim(r.out));
    return true;
}

static bool lay_out(Arena *arena, const char *top, const char *commit, const char **dir,
                    Error *err) {
    char *base = workdir_new_large(arena, "git"), *tar = file_join(arena, base, "tree.tar");
    *dir = file_join(arena, base, "tree");
    if (!file_make_dirs(*dir, err)) return false;
    RunResult r = GIT(arena, top, "archive", "--format=tar", "-o", tar, commit);
    if (!run_ok(&r))
        return err_set(err, STATUS_BAD, "git archive fails: " STR_FMT, STR_ARG(str_trim(r.err)));
    const char *const unpack[] = { "tar", "-xf", tar, "-C", *dir, NULL };
    RunSpec spec = { .argv = unpack, .profile = RUN_USER };
    r = run_one(arena, &spec);
    file_remove_tree(tar);
    return run_ok(&r) ||
           err_set(err, STATUS_LACKS, "tar cannot unpack what git archive wrote: " STR_FMT,
                   STR_ARG(str_trim(r.err)));
}

bool git_lay_out(Arena *arena, const char *good, const char *bad, GitPair *pair, Error *err) {
    *pair = (GitPair){ 0 };
    if (!file_find_program(arena, "git"))
        return err_set(err, STATUS_LACKS, "git is not installed (Debian: git)");
    RunResult r = GIT(arena, NULL, "rev-parse", "--show-toplevel");
    if (!run_ok(&r)) return err_set(err, STATUS_BAD, "--git: there is no git repository here");
    pair->top = arena_cstr(arena, str_trim(r.out));
    return resolve(arena, good, &pair->good, err) && resolve(arena, bad, &pair->bad, err) &&
           lay_out(arena, pair->top, pair->good, &pair->good_dir, err) &&
           lay_out(arena, pair->top, pair->bad, &pair->bad_dir, err);
}

/* ---- blame ---- */

static Str first_word(Str line) {
    size_t i = 0;
    while (i < line.len && line.at[i] != ' ' && line.at[i] != '\n') i++;
    return str_sub(line, 0, i);
}

/* The youngest-listed commit that brought one of the lines; empty when they are older than good. */
static Str blame_lines(Arena *arena, const GitPair *pair, const char *path, ChangeSpan span) {
    char *range = arena_fmt(arena, "%zu,%zu", span.line, span.line + span.len - 1);
    char *commits = arena_fmt(arena, "%s..%s", pair->good, pair->bad);
    RunResult r = GIT(arena, pair->top, "blame", "-l", "-s", "-L", range, commits, "--", path);
    Str rest = r.out, line;
    while (run_ok(&r) && str_split(&rest, '\n', &line))
        if (line.len && line.at[0] != '^') return first_word(line);
    return (Str){ "", 0 };
}

/* The commit that dropped a line of good. */
static Str blame_deleted(Arena *arena, const GitPair *pair, const char *path, Str text) {
    Str rest = text, line;
    char *commits = arena_fmt(arena, "%s..%s", pair->good, pair->bad);
    while (str_split(&rest, '\n', &line)) {
        if (str_trim(line).len < 2) continue;
        char *needle = arena_fmt(arena, "-S" STR_FMT, STR_ARG(line));
        RunResult r =
            GIT(arena, pair->top, "log", "-1", "--format=%H", needle, commits, "--", path);
        if (run_ok(&r) && str_trim(r.out).len) return str_trim(r.out);
    }
    return (Str){ "", 0 };
}

static Str versions_of(Arena *arena, const GitPair *pair, Str commit) {
    RunResult r = GIT(arena, pair->top, "log", "-1", "--format=%s", arena_cstr(arena, commit));
    return run_ok(&r) ? str_trim(r.out) : (Str){ "", 0 };
}

void git_blame(const GitPair *pair, Explanation *e) {
    for (size_t i = 0; i < e->set->changes.len; i++) {
        Str commit = { "", 0 }, subject = { "", 0 };
        if (e->root[i] || e->rest[i]) {
            const ChangeFile *file = &e->set->files.at[e->set->changes.at[i].file];
            ChangeSpan span = change_bad_span(e->set, i);
            if (file->bad_path && span.len)
                commit = blame_lines(&e->arena, pair, file->bad_path, span);
            if (!commit.len && file->good_path)
                commit =
                    blame_deleted(&e->arena, pair, file->good_path, change_good_text(e->set, i));
            if (commit.len) subject = versions_of(&e->arena, pair, commit);
        }
        vec_push(&e->commits, commit);
        vec_push(&e->subjects, subject);
    }
}
