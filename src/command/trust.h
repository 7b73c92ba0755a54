/* Commands that run what a store names ask here first; see store/ledger.h. */
#ifndef CULPRIT_COMMAND_TRUST_H
#define CULPRIT_COMMAND_TRUST_H

#include "base/base.h"

#define TRUST_HELP "run what the store names, even though another user's culprit wrote it"

/* May we run what case id of the store names: its compiler with its flags, and how that is built?
 * store NULL: the default. False and err where the store is foreign and trust is not given. */
bool trust_case(const char *store, int64_t id, bool trust, Error *err);
/* The same for whatever any of its cases names. */
bool trust_all(const char *store, bool trust, Error *err);

#endif
