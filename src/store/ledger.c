/* The ledger of own stores; see ledger.h. Written completely and renamed, under a lock: hunts that
 * create their stores at the same moment both find theirs in it. */
#include "store/ledger.h"

#include "base/file.h"
#include "base/homes.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct LedgerEntry {
    Str key, path;
    uint64_t device, number;
} LedgerEntry;

static bool parse(Str line, LedgerEntry *e) {
    Str device, number;
    bool ok = str_split(&line, ' ', &e->key) && str_split(&line, ' ', &device) &&
              str_split(&line, ' ', &number) && str_to_u64(device, &e->device) &&
              str_to_u64(number, &e->number);
    e->path = line;
    return ok && line.len;
}

/* What identifies a store besides its key: a file's device and number, or the address of a
 * database. */
typedef struct LedgerPlace {
    uint64_t device, number; /* 0 and 0: an address */
    const char *path;
} LedgerPlace;

static bool place_of(const char *path, LedgerPlace *place) {
    struct stat st;
    *place = (LedgerPlace){ .path = path };
    if (strstr(path, "://")) return true;
    if (stat(path, &st) != 0) return false;
    place->device = st.st_dev, place->number = st.st_ino;
    return true;
}

static bool is_there(const LedgerEntry *e, const LedgerPlace *place) {
    return place->device == e->device && place->number == e->number &&
           (place->number || str_is(e->path, place->path));
}

/* The ledger's file and what is in it; an empty text when there is none yet. */
static const char *read_ledger(Arena *arena, Str *text, Error *err) {
    const char *dir = home_of(arena, HOME_CONFIG, err);
    if (!dir) return NULL;
    const char *path = file_join(arena, dir, "stores");
    if (!file_read(arena, path, text, NULL)) *text = STR("");
    return path;
}

static VEC(LedgerEntry) added; /* by this process; keys live as long as it */

static bool added_here(Str key, const LedgerPlace *place) {
    for (size_t i = 0; i < added.len; i++)
        if (str_eq(added.at[i].key, key) && is_there(&added.at[i], place)) return true;
    return false;
}

static void remember(Str key, const char *path) {
    LedgerPlace place;
    if (!place_of(path, &place) || added_here(key, &place)) return;
    char *copy = mem_alloc(key.len + 1);
    memcpy(copy, key.at, key.len);
    vec_push(&added, (LedgerEntry){ .key = { copy, key.len },
                                    .path = str_from(mem_strdup(path)),
                                    .device = place.device,
                                    .number = place.number });
}

bool ledger_knows(Str key, const char *path) {
    Arena arena = { 0 };
    Str text, line;
    LedgerEntry e;
    LedgerPlace place;
    if (!key.len || !place_of(path, &place)) return false;
    bool known = added_here(key, &place);
    if (!known && read_ledger(&arena, &text, NULL))
        while (!known && str_split(&text, '\n', &line))
            known = parse(line, &e) && str_eq(e.key, key) && is_there(&e, &place);
    arena_release(&arena);
    return known;
}

static void add_entry(Buf *out, Str key, const LedgerPlace *place) {
    buf_fmt(out, STR_FMT " %llu %llu %s\n", STR_ARG(key), (unsigned long long)place->device,
            (unsigned long long)place->number, place->path);
}

/* What is in it and still true, plus the new one. */
static void renew(Arena *arena, Str text, Str key, const LedgerPlace *own, Buf *out) {
    Str line;
    while (str_split(&text, '\n', &line)) {
        LedgerEntry e;
        LedgerPlace place;
        if (!parse(line, &e) || is_there(&e, own)) continue;
        if (!place_of(arena_cstr(arena, e.path), &place) || !is_there(&e, &place)) continue;
        buf_add(out, line.at, line.len);
        buf_char(out, '\n');
    }
    add_entry(out, key, own);
}

static int lock_of(Arena *arena, const char *ledger, Error *err) {
    const char *path = arena_fmt(arena, "%s.lock", ledger);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0 || flock(fd, LOCK_EX) != 0) err_errno(err, "cannot write %s", path);
    return fd;
}

bool ledger_add(Str key, const char *path, Error *err) {
    Arena arena = { 0 };
    Buf out = { 0 };
    Str text;
    LedgerPlace place;
    char *real = strstr(path, "://") ? NULL : realpath(path, NULL);
    remember(key, path);
    const char *dir = home_of(&arena, HOME_CONFIG, err);
    bool ok = dir && file_make_dirs(dir, err);
    int lock = ok ? lock_of(&arena, file_join(&arena, dir, "stores"), err) : -1;
    const char *ledger = lock >= 0 ? read_ledger(&arena, &text, err) : NULL;
    if (ledger && !place_of(real ? real : path, &place))
        ok = err_errno(err, "cannot find %s", path);
    else if (ledger) {
        renew(&arena, text, key, &place, &out);
        ok = file_write(ledger, buf_view(&out), err) && chmod(ledger, 0600) == 0;
    }
    if (lock >= 0) close(lock);
    free(real);
    buf_release(&out);
    arena_release(&arena);
    return ok && ledger;
}
