/* What the fuzz targets share: the entry point's prototype, parts of an input, and a file that
 * holds foreign bytes for readers that want a path. */
#ifndef CULPRIT_FUZZ_H
#define CULPRIT_FUZZ_H

#include "base/base.h"
#include "base/file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The part of *rest before the next line that is only "%%" (the whole of it when there is none). */
static inline Str fuzz_part(Str *rest) {
    size_t at = str_find(*rest, STR("\n%%\n"), 0);
    Str part = str_sub(*rest, 0, at == STR_NONE ? rest->len : at);
    *rest = at == STR_NONE ? (Str){ rest->at + rest->len, 0 } : str_sub(*rest, at + 4, rest->len);
    return part;
}

/* A reader's memory is a small multiple of what it reads: `before` is fuzz_memory() from before,
 * and what was read is still allocated. */
size_t __sanitizer_get_current_allocated_bytes(void);
static inline size_t fuzz_memory(void) {
    return __sanitizer_get_current_allocated_bytes();
}
static inline void fuzz_bounded(size_t before, size_t size) {
    enum { MULTIPLE = 64, ANYWAY = 1 << 20 };
    CHECK(fuzz_memory() <= before + size * MULTIPLE + ANYWAY);
}

/* A directory of this process's own, in memory; removed at exit. */
static char fuzz_dir_path[64];
static inline void fuzz_dir_remove(void) {
    file_remove_tree(fuzz_dir_path);
}
static inline const char *fuzz_dir(void) {
    if (fuzz_dir_path[0]) return fuzz_dir_path;
    snprintf(fuzz_dir_path, sizeof fuzz_dir_path, "/dev/shm/culprit-fuzz-XXXXXX");
    CHECK(mkdtemp(fuzz_dir_path));
    atexit(fuzz_dir_remove);
    return fuzz_dir_path;
}

/* Makes DIR/name hold exactly these bytes; the path is in the arena. */
static inline const char *fuzz_file(Arena *arena, const char *name, Str bytes) {
    const char *path = file_join(arena, fuzz_dir(), name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    CHECK(fd >= 0 && write(fd, bytes.at ? bytes.at : "", bytes.len) == (ssize_t)bytes.len);
    close(fd);
    return path;
}

#endif
