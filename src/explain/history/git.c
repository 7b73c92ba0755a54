/* Commits as versions; see git.h. */
#include "explain/history/git.h"
#include "base/file.h"
#include "run/run.h"
#include "run/workdir.h"

#include <stdlib.h>

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

static bool resolve(Arena *arena, const char *top, const char *name, const char **hash,
                    Error *err) {
    char *commit = arena_fmt(arena, "%s^{commit}", name);
    RunResult r = GIT(arena, top, "rev-parse", "--verify", "--quiet", "--end-of-options", commit);
    if (!run_ok(&r)) return err_set(err, STATUS_BAD, "%s is not a commit of this repository", name);
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
        return err_set(err, STATUS_BAD, "git archive failed: " STR_FMT, STR_ARG(str_trim(r.err)));
    const char *const unpack[] = { "tar", "-xf", tar, "-C", *dir, NULL };
    RunSpec spec = { .argv = unpack, .profile = RUN_USER };
    r = run_one(arena, &spec);
    file_remove_tree(tar);
    return run_ok(&r) ||
           err_set(err, STATUS_LACKS, "tar cannot unpack what git archive wrote: " STR_FMT,
                   STR_ARG(str_trim(r.err)));
}

/* Root of the repository that dir lies in; NULL: in none. */
static const char *find_top(Arena *arena, const char *dir) {
    RunResult r = GIT(arena, dir, "rev-parse", "--show-toplevel");
    if (!run_ok(&r)) r = GIT(arena, dir, "rev-parse", "--absolute-git-dir"); /* a bare one */
    return run_ok(&r) ? arena_cstr(arena, str_trim(r.out)) : NULL;
}

bool git_find(Arena *arena, const char *dir, const char *good, const char *bad, GitPair *pair,
              Error *err) {
    *pair = (GitPair){ 0 };
    if (!file_find_program(arena, "git"))
        return err_set(err, STATUS_LACKS, "git is not installed (Debian: git)");
    pair->top = find_top(arena, dir);
    if (!pair->top) return err_set(err, STATUS_BAD, "--git: there is no git repository here");
    return resolve(arena, pair->top, good, &pair->good, err) &&
           resolve(arena, pair->top, bad, &pair->bad, err);
}

/* The commit that dir is a clean checkout of; NULL: of none. */
static const char *checked_out(Arena *arena, const char *dir) {
    const char *top = find_top(arena, dir), *head = NULL;
    char *real = top ? realpath(dir, NULL) : NULL;
    bool whole = real && strcmp(real, top) == 0; /* a directory of a repository is not one */
    free(real);
    if (!whole || !resolve(arena, dir, "HEAD", &head, NULL)) return NULL;
    RunResult r = GIT(arena, dir, "status", "--porcelain", "--untracked-files=no");
    return run_ok(&r) && !r.out.len ? head : NULL;
}

bool git_recognise(Arena *arena, const char *good_dir, const char *bad_dir, GitPair *pair) {
    *pair = (GitPair){ .good_dir = good_dir, .bad_dir = bad_dir };
    if (!file_find_program(arena, "git")) return false;
    pair->good = checked_out(arena, good_dir);
    pair->bad = pair->good ? checked_out(arena, bad_dir) : NULL;
    pair->top = pair->bad ? find_top(arena, bad_dir) : NULL;
    const char *same;
    return pair->top && resolve(arena, pair->top, pair->good, &same, NULL) &&
           git_is_ancestor(pair->top, pair->good, pair->bad);
}

bool git_has_file(Arena *arena, const char *dir, const char *commit, const char *path) {
    while (path[0] == '.' && path[1] == '/') path += 2;
    RunResult r = GIT(arena, dir, "cat-file", "-e", arena_fmt(arena, "%s:%s", commit, path));
    return run_ok(&r);
}

bool git_lay_out(Arena *arena, GitPair *pair, Error *err) {
    return lay_out(arena, pair->top, pair->good, &pair->good_dir, err) &&
           lay_out(arena, pair->top, pair->bad, &pair->bad_dir, err);
}

/* ---- commits ---- */

bool git_is_documentation(Str path) {
    static const char *const ends[] = { ".md",  ".rst", ".html", ".htm", ".css", ".png", ".svg",
                                        ".yml", ".tex", ".pdf",  ".jpg", ".gif", ".adoc" };
    static const char *const names[] = { "README",       "ChangeLog", "CHANGES",    "NEWS",
                                         "AUTHORS",      "FIXES",     "TODO",       "LICENSE",
                                         "COPYING",      "THANKS",    ".gitignore", "CONTRIBUTING",
                                         "changelog.txt" };
    for (size_t i = 0; i < COUNT_OF(ends); i++)
        if (str_ends(path, ends[i])) return true;
    const char *name = file_name(path.at);
    size_t len = path.len - (size_t)(name - path.at);
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (str_is((Str){ name, len }, names[i])) return true;
    return str_starts(path, ".github/");
}

/* "\1HASH PARENT..", then its paths, one per line. */
static GitCommit read_commit(Arena *arena, Str text) {
    Str line, word, rest = text;
    str_split(&rest, '\n', &line);
    GitCommit commit = { .idle = true };
    for (bool first = true; str_split(&line, ' ', &word); first = false) {
        if (first)
            commit.hash = arena_cstr(arena, word);
        else if (word.len && !commit.parents++)
            commit.parent = arena_cstr(arena, word);
    }
    if (commit.parents != 1) commit.idle = false; /* of a merge no paths are shown */
    while (str_split(&rest, '\n', &line))
        if (line.len && !git_is_documentation(arena_str(arena, line))) commit.idle = false;
    return commit;
}

bool git_between(Arena *arena, const char *top, const char *from, const char *to, GitCommits *list,
                 Error *err) {
    char *range = arena_fmt(arena, "%s..%s", from, to);
    RunResult r = GIT(arena, top, "log", "--topo-order", "--reverse", "--name-only", "--no-renames",
                      "--format=%x01%H %P", range, "--");
    if (!run_ok(&r))
        return err_set(err, STATUS_BAD, "git log failed: " STR_FMT, STR_ARG(str_trim(r.err)));
    Str rest = r.out, one;
    while (str_split(&rest, '\1', &one))
        if (one.len) vec_push(list, read_commit(arena, one));
    return true;
}

Str git_rev_list(Arena *arena, const char *top, const char *with, Str revisions) {
    const char *const argv[] = { "git", "rev-list", with, "--stdin", NULL };
    RunSpec spec = { .argv = argv, .dir = top, .input = revisions, .profile = RUN_USER };
    RunResult r = run_one(arena, &spec);
    return run_ok(&r) ? r.out : (Str){ "", 0 };
}

bool git_is_ancestor(const char *top, const char *old, const char *young) {
    Arena scratch = { 0 };
    RunResult r = GIT(&scratch, top, "merge-base", "--is-ancestor", old, young);
    bool is = run_ok(&r);
    arena_release(&scratch);
    return is;
}

const char *git_merge_base(Arena *arena, const char *top, const char *one, const char *other) {
    RunResult r = GIT(arena, top, "merge-base", one, other);
    return run_ok(&r) ? arena_cstr(arena, str_trim(r.out)) : NULL;
}

const char *git_parent(Arena *arena, const char *top, const char *commit, unsigned n) {
    const char *hash = NULL;
    char *name = arena_fmt(arena, "%s^%u", commit, n);
    return resolve(arena, top, name, &hash, NULL) ? hash : NULL;
}

Str git_subject(Arena *arena, const char *top, const char *commit) {
    RunResult r = GIT(arena, top, "log", "-1", "--format=%s (%an)", commit);
    return run_ok(&r) ? str_trim(r.out) : (Str){ "", 0 };
}

/* ---- blame ---- */

static Str first_word(Str line) {
    size_t i = 0;
    while (i < line.len && line.at[i] != ' ' && line.at[i] != '\n') i++;
    return str_sub(line, 0, i);
}

/* The newest commit that introduced one of the lines; empty when they are older than good. */
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
