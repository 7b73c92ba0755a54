/* An isolation's coverage on disk, to look at or to rank again differently: --dump DIR writes
 * DIR/isolation.json (labels, kinds, frames, cures) and DIR/coverage.bits (the bit sets, failing
 * runs first, 64-bit words in the machine's order), DIR/places.bin (per statement the numbers of
 * its file and function, its line and the file it is ranked under, 32 bits each) and DIR/names.txt
 * (files, h for headers, then functions, in the order of their numbers). */
#ifndef CULPRIT_ISOLATE_ISOLATE_DUMP_H
#define CULPRIT_ISOLATE_ISOLATE_DUMP_H

#include "isolate/isolation.h"

bool dump_write(const Isolation *iso, const char *dir, Error *err);
/* Fills failing, witnesses, cures, frames, crash_pass of an isolation whose subject has the same
 * coverage map. */
bool dump_read(Isolation *iso, const char *dir, Error *err);

#endif
