/* Who a worker is: "HOST PLACE PID START". A place is one boot of one machine, and one name space
 * of process numbers on it: only there can a number be asked whether it lives. */
#include "store/sql.h"

#include "base/file.h"

#include <unistd.h>

/* When a process began, in ticks since the boot: the 22nd word of its stat; empty: it is gone. The
 * second word is the program's name in brackets, which may hold anything. */
static Str start_of(Arena *arena, const char *pid) {
    Str text, word = STR("");
    if (!file_read(arena, arena_fmt(arena, "/proc/%s/stat", pid), &text, NULL)) return STR("");
    size_t end = text.len;
    while (end > 0 && text.at[end - 1] != ')') end--;
    Str rest = str_sub(text, end, text.len);
    bool zombie = str_starts(rest, " Z") || str_starts(rest, " X");
    for (int i = 2; i <= 22 && str_split(&rest, ' ', &word); i++) continue;
    return zombie ? STR("") : word;
}

static Str place_of(Arena *arena) {
    Str boot;
    char space[64] = "";
    ssize_t n = readlink("/proc/self/ns/pid", space, sizeof space - 1);
    if (n < 0 || !file_read(arena, "/proc/sys/kernel/random/boot_id", &boot, NULL)) return STR("");
    return str_from(arena_fmt(arena, STR_FMT "-%s", STR_ARG(str_trim(boot)), space));
}

Str store_worker(Arena *arena) {
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    const char *pid = arena_fmt(arena, "%ld", (long)getpid());
    Str place = place_of(arena), start = start_of(arena, pid);
    return str_from(arena_fmt(arena, "%s " STR_FMT " %s " STR_FMT, *host ? host : "?",
                              STR_ARG(place), pid, STR_ARG(start)));
}

bool worker_is_gone(Str worker) {
    Arena arena = { 0 };
    Str host, place, pid, here = place_of(&arena);
    bool ours = str_split(&worker, ' ', &host) && str_split(&worker, ' ', &place) &&
                str_split(&worker, ' ', &pid) && here.len && str_eq(place, here);
    bool gone = ours && !str_eq(start_of(&arena, arena_cstr(&arena, pid)), worker);
    arena_release(&arena);
    return gone;
}
