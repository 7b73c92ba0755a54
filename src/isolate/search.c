/* See search.h. */
#include "search.h"

bool search_run(Isolation *iso, const SearchSpec *spec, Error *err) {
    (void)iso, (void)spec, (void)err;
    return true;
}
