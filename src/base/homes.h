/* Where a user's own things are: data, cache, configuration, each below culprit's name, as the XDG
 * base directories say. Without XDG_.._HOME and HOME there is no such place, and none is made up: a
 * directory that anybody can guess is anybody's (STATUS_LACKS, and one line). CULPRIT_CACHE names
 * another cache. */
#ifndef CULPRIT_BASE_HOMES_H
#define CULPRIT_BASE_HOMES_H

#include "base/base.h"

typedef enum Home { HOME_DATA, HOME_CACHE, HOME_CONFIG } Home;

/* The directory, which need not be there yet; NULL and err when there is none. */
const char *home_of(Arena *arena, Home home, Error *err);

#endif
