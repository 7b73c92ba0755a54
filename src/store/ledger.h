/* The ledger: which stores are this user's own. One line per store in the user's own configuration
 * (culprit/stores): its key, the file's device and number, its path; for a database 0, 0 and its
 * address without a password.
 *
 * A key is a random number that a store gets when it is made. Whoever gets a copy of a store gets
 * its key as well, so the key alone would prove nothing: the file must still be the one for which
 * the key was written down; a database must be at the same address. A store that was copied, or
 * comes from somebody else, is foreign until the user says --trust. */
#ifndef CULPRIT_STORE_LEDGER_H
#define CULPRIT_STORE_LEDGER_H

#include "base/base.h"

bool ledger_knows(Str key, const char *path);
/* Stores that no longer exist are dropped on the way. Where the configuration cannot be written
 * (false and err), this process still remembers it. */
bool ledger_add(Str key, const char *path, Error *err);

#endif
