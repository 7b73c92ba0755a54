/* A user's own directories; see homes.h. */
#include "base/homes.h"

#include <stdlib.h>

static const struct HomeNames {
    const char *variable, *below; /* its own variable; the fallback below HOME */
} names[] = { [HOME_DATA] = { "XDG_DATA_HOME", ".local/share" },
              [HOME_CACHE] = { "XDG_CACHE_HOME", ".cache" },
              [HOME_CONFIG] = { "XDG_CONFIG_HOME", ".config" } };

const char *home_of(Arena *arena, Home home, Error *err) {
    const char *own = getenv(names[home].variable), *all = getenv("HOME");
    const char *cache = home == HOME_CACHE ? getenv("CULPRIT_CACHE") : NULL;
    if (cache && *cache) return arena_strdup(arena, cache);
    if (own && own[0] == '/') return arena_fmt(arena, "%s/culprit", own);
    if (all && all[0] == '/') return arena_fmt(arena, "%s/%s/culprit", all, names[home].below);
    err_set(err, STATUS_LACKS, "no home directory: neither HOME nor %s is an absolute path",
            names[home].variable);
    return NULL;
}
