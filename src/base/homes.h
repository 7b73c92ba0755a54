/* Where a user's own files live: data, cache and configuration, each in a directory named culprit,
 * as the XDG base directory specification says. Without XDG_.._HOME and HOME there is no such
 * place, and none is made up: a directory whose name anybody can guess can be taken by anybody
 * (STATUS_LACKS, and one line). CULPRIT_CACHE names another cache. */
#ifndef CULPRIT_BASE_HOMES_H
#define CULPRIT_BASE_HOMES_H

#include "base/base.h"

typedef enum Home { HOME_DATA, HOME_CACHE, HOME_CONFIG } Home;

/* The directory, which need not exist yet; NULL and err when there is no such place. */
const char *home_of(Arena *arena, Home home, Error *err);

#endif
