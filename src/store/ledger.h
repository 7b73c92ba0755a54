/* The ledger: which stores are this user's own. A line a store in the user's own configuration
 * (culprit/stores): its key, the file's device and number, its path; of a database 0, 0 and its
 * address without a password.
 *
 * A key is a random number that a store gets when it is made. Whoever gets a copy of a store gets
 * its key as well, so the key alone would prove nothing: the file must be the one it was when the
 * key was written down; a database, that at the same address. A store that was copied, or comes
 * from somebody else, is foreign until the user says --trust. */
#ifndef CULPRIT_STORE_LEDGER_H
#define CULPRIT_STORE_LEDGER_H

#include "base/base.h"

bool ledger_knows(Str key, const char *path);
/* Stores that are not there any more are left out on the way. Where the configuration cannot be
 * written (false and err), this process knows it all the same. */
bool ledger_add(Str key, const char *path, Error *err);

#endif
