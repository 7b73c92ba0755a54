/* Commands that run what a store names ask here first; see store/ledger.h. */
#ifndef CULPRIT_COMMAND_TRUST_H
#define CULPRIT_COMMAND_TRUST_H

#include "base/base.h"

#define TRUST_HELP "run what the store names, although another user's culprit wrote it"

/* May what case id of the store names be run: its compiler with its flags, how that is built? store
 * NULL: the default. False and err where the store is foreign and trust is not given. */
bool trust_case(const char *store, int64_t id, bool trust, Error *err);

#endif
