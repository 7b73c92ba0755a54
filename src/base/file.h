/* Files: read whole, replaced atomically, directories made and removed. No chdir, no fixed names.
 */
#ifndef CULPRIT_BASE_FILE_H
#define CULPRIT_BASE_FILE_H

#include "base/base.h"
#include <signal.h>

/* The whole file in the arena, with a NUL after its last byte. Refuses directories and files over 1
 * GiB. */
bool file_read(Arena *arena, const char *path, Str *text, Error *err);
/* For results: written beside path, synced, checked and renamed, so that a full disk, a crash or an
 * interrupt leaves either the old file or the new one, never half of one, and no stray temporary.
 * Every file a user is told about is written this way. A failed write is STATUS_LACKS. A link stays
 * a link; a device or a pipe is written to and not replaced. */
bool file_save(const char *path, Str text, Error *err);
/* The same without the sync: for our own working directories, which no crash outlives. */
bool file_write(const char *path, Str text, Error *err);
/* Between these two the signals that end a program wait: what is written beside its name is whole
 * and there, or gone. */
void file_hold_signals(sigset_t *before);
void file_let_signals(const sigset_t *before);
bool file_exists(const char *path);
bool file_is_dir(const char *path);
bool file_make_dirs(const char *path, Error *err); /* like mkdir -p */
/* Removes a file, or a directory with everything below it; does not follow links; a missing path is
 * fine. */
bool file_remove_tree(const char *path);
/* Copies a directory, or the one that a link leads to, with everything below it (links there as
 * links, times and modes kept). */
bool file_copy_tree(const char *from, const char *to, Error *err);
/* Regular files below dir (or dir itself if it is one), sorted by path. suffix may be NULL. */
bool file_list(Arena *arena, const char *dir, const char *suffix, StrVec *paths, Error *err);
const char *file_name(const char *path); /* after the last slash */
char *file_join(Arena *arena, const char *dir, const char *name);
/* The absolute path of name as found along PATH (or of name itself when it has a slash and is
 * executable); else NULL. */
char *file_find_program(Arena *arena, const char *name);
/* Free bytes on the file system that holds path; 0 when unknown. */
uint64_t file_free_bytes(const char *path);

#endif
