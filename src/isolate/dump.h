/* An isolation's coverage on disk, to look at or to rank again in another way: --dump DIR writes
 * DIR/isolation.json (labels, kinds, frames, cures) and DIR/coverage.bits (the bit sets, failing
 * runs first, 64-bit words in the machine's order). */
#ifndef CULPRIT_DUMP_H
#define CULPRIT_DUMP_H

#include "isolation.h"

bool dump_write(const Isolation *iso, const char *dir, Error *err);
/* Fills failing, witnesses, cures, frames, crash_pass of an isolation whose subject has the same
 * coverage map. */
bool dump_read(Isolation *iso, const char *dir, Error *err);

#endif
