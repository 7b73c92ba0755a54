/* Change sets: what differs between the good and the bad version, cut into pieces that can be
 * reverted one by one.
 *
 * A Change is at most a hunk of `diff -U0 good bad` where functions of one name are compared with
 * each other (change_anchor.c); hunks that hold several independent statements are cut further
 * (change_split.c). A file that was added, deleted or moved is one change, and the
 * lines of a moved file that differ are changes of their own. Reverting a subset R of the changes
 * gives the tree "bad with R reverted"; reverting none gives bad byte for byte, reverting all gives
 * good (except for the files that were left out: see ChangeFile.skip; and with bad's names where
 * names were changed throughout: see rename.h).
 *
 * A change of lines may be reverted in part (blend.h, changeset_blend): from then on reverting it
 * brings a text that is neither bad's nor good's. Its place and texts stay what they were.
 *
 * A subset is a byte for each change: 1 means reverted. */
#ifndef CULPRIT_CHANGE_CHANGE_H
#define CULPRIT_CHANGE_CHANGE_H

#include "base/base.h"
#include "shrink/diff.h"

#define NO_CHANGE ((size_t)-1)

typedef enum ChangeKind {
    CHANGE_LINES,   /* lines of a file that both versions have */
    CHANGE_ADDED,   /* a file only bad has */
    CHANGE_DELETED, /* a file only good has */
    CHANGE_MOVED,   /* a file that good has under another name */
} ChangeKind;

/* Why a file that differs is not among the changes. */
typedef enum ChangeSkip {
    SKIP_NOT,       /* it is among them */
    SKIP_BINARY,    /* bytes that are not text */
    SKIP_BUILT,     /* objects, libraries, programs: what the build makes */
    SKIP_GENERATED, /* says that a tool made it, and what it is made from is there */
    SKIP_FILTERED,  /* --files did not name it */
} ChangeSkip;

typedef struct ChangeFile {
    const char *good_path, *bad_path;  /* relative to the two roots; NULL: not in that version */
    Str good, bad;                     /* contents; empty where there is none */
    StrVec good_lines, bad_lines;      /* views into them, newlines included */
    uint8_t *good_inside, *bad_inside; /* for each line: 1 when it starts within a comment */
    bool is_c;                         /* its name says that it is C */
    DiffHunks cuts;                    /* bad -> good, in order, cut finer than hunks */
    size_t first, count;               /* its changes: set->changes[first .. first + count) */
    uint64_t blends;                   /* tells one choice of blends of its changes from others */
    ChangeSkip skip;
} ChangeFile;

typedef struct Change {
    size_t file; /* index in ChangeSet.files */
    ChangeKind kind;
    size_t cut;  /* CHANGE_LINES: index in the file's cuts */
    size_t hunk; /* number of the hunk it is part of, over all files */
    bool idle;   /* comments, blanks or line breaks only: cannot matter to a compiler */
    Str blend;   /* reverting it brings this text, whole lines; at NULL: what good has */
} Change;

typedef struct ChangeSet {
    Arena arena;           /* owns texts and paths */
    VEC(ChangeFile) files; /* only those that differ */
    VEC(Change) changes;
    size_t hunks;          /* before cutting */
    struct Renames *names; /* those, where there are some; NULL */
    size_t renamed;        /* names that differ in bad: good is read with bad's names */
    const char *good_root, *bad_root;
} ChangeSet;

/* What may be changed about reading. */
typedef struct ChangeOptions {
    const StrVec *globs; /* --files: patterns for fnmatch on the path; empty: all */
    bool keep_generated; /* generated files are changes like the rest */
    bool whole_hunks;    /* do not cut hunks further */
    bool keep_names;     /* do not follow names that were changed throughout */
} ChangeOptions;

/* Reads both trees. False with err when one cannot be read. Version control directories are
 * skipped. */
bool changeset_read(ChangeSet *set, const char *good, const char *bad, const ChangeOptions *options,
                    Error *err);
void changeset_release(ChangeSet *set);

/* By its name: what a build reads besides C. A change there can touch how everything is compiled.
 */
bool change_is_build_file(Str path);
/* Whether a text names a file: "name.c" or "name.o" in a build file, "name.h" in C. */
bool change_names_file(Str text, const char *path);

/* Says of itself that a tool made it. */
bool change_is_generated(const ChangeFile *file);

/* The content of file f with the subset reverted; false: the file does not exist then. *path is
 * where it is. */
bool changeset_file(const ChangeSet *set, size_t f, const uint8_t *reverted, Buf *text,
                    const char **path);
/* Names the tree with the subset reverted: equal trees have equal hashes. */
Hash changeset_hash(const ChangeSet *set, const uint8_t *reverted);

/* "src/a.c:12-14": where it is in bad (or in good when bad has no such lines). In the arena. */
char *change_place(Arena *arena, const ChangeSet *set, size_t change);
Str change_path(const ChangeSet *set, size_t change); /* in bad, else in good */
/* Lines in bad and in good, counted from 1; len 0: between line - 1 and line. */
typedef struct ChangeSpan {
    size_t line, len;
} ChangeSpan;
ChangeSpan change_bad_span(const ChangeSet *set, size_t change);
ChangeSpan change_good_span(const ChangeSet *set, size_t change);
Str change_bad_text(const ChangeSet *set, size_t change);  /* what is there now */
Str change_good_text(const ChangeSet *set, size_t change); /* what was there */

/* Where a line of bad (from 1) is in the tree with the subset reverted (NULL: all of it); 0: it is
 * not there. *there: the file's path in that tree. */
size_t changeset_line(const ChangeSet *set, Str path, size_t line, const uint8_t *reverted,
                      Str *there);

/* The change whose text a line (from 1) of the tree with the subset reverted is, *within (may be
 * NULL) counted from 1 in that text; NO_CHANGE: the line is in both versions. Only the last part
 * of the path needs to be right, as far as it goes. */
size_t changeset_at(const ChangeSet *set, const uint8_t *reverted, Str path, size_t line,
                    size_t *within);
/* A text of good as this set reads it: with bad's names where they were changed throughout. */
Str changeset_renamed(const ChangeSet *set, Str text, Arena *arena);
/* How many lines a change has in a tree in which it is reverted, or is not. */
size_t change_lines_in(const ChangeSet *set, size_t change, bool reverted);

/* From now on reverting a change of lines brings this text, whole lines that are copied; at NULL:
 * what good has again. Trees and answers of a parser that are kept know it by ChangeFile.blends. */
void changeset_blend(ChangeSet *set, size_t change, Str text);

/* Appends a unified diff that reverts the subset in bad: applies with `patch -p1`. */
void changeset_patch(const ChangeSet *set, const uint8_t *reverted, Buf *out);

/* change_anchor.c: the hunks bad -> good of a C file, none of which reaches from one function into
 * another. */
void change_hunks(const ChangeFile *file, DiffHunks *out);

/* change_split.c: cuts one hunk (bad -> good) of a C file where it holds independent statements. */
void change_split(const ChangeFile *file, DiffHunk hunk, DiffHunks *out);
#endif
