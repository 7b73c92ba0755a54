/* Private working directories: on /dev/shm where there is room, else under TMPDIR or /tmp. All of a
 * process's directories live below one root that is removed on every exit; roots left by a killed
 * culprit are removed by the next one that starts (their owner's pid and start time are in the
 * name). */
#ifndef CULPRIT_RUN_WORKDIR_H
#define CULPRIT_RUN_WORKDIR_H

#include "base/base.h"

/* A new empty directory; its path is in the arena. Ends the program with one line when there is no
 * place to write at all. */
char *workdir_new(Arena *arena, const char *purpose);
void workdir_remove(const char *path); /* before exit, when it is no longer needed */
/* The same on disk (TMPDIR or /tmp) for large things such as worker trees of builds. */
char *workdir_new_large(Arena *arena, const char *purpose);
/* The text without the paths of these directories, for people: "program.c:3: error: .." instead of
 * the place where it was. In the arena, or text itself where there are none. */
Str workdir_hide(Arena *arena, Str text);

#endif
