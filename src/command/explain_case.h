/* A case of the store as something to explain: for a compiler written in C for which the store
 * knows the sources of a right and of a wrong version (`culprit compilers`).
 *
 * The test compiles the case's failing program with the compiler that was just built and looks for
 * the same verdict again; isolate's suspects become the files to look at first. */
#ifndef CULPRIT_COMMAND_EXPLAIN_CASE_H
#define CULPRIT_COMMAND_EXPLAIN_CASE_H

#include "explain/explain.h"

/* Fills what the user did not give (good, bad, build, test, suspects) from case id. False and err:
 * no such case (STATUS_NO), or the store does not know the compiler's sources (STATUS_BAD). */
bool case_request(Arena *arena, const char *store, int64_t id, ExplainRequest *request,
                  StrVec *suspects, Error *err);
/* Stores the explanation with the case. */
bool case_keep(const char *store, int64_t id, const Explanation *explanation, Error *err);

#endif
