/* A bug report in the form the compiler's developers ask for: GCC's (version, system,
 * configuration, command line, output, preprocessed file) and LLVM's (one small file, the command,
 * the pass, how far back it goes, stack trace). Others get LLVM's form. */
#ifndef CULPRIT_REPORT_BUGREPORT_H
#define CULPRIT_REPORT_BUGREPORT_H

#include "report/caseview.h"

/* What the compiler says about itself (-v) and what the failing command prints now; empty where the
 * compiler is not installed. */
typedef struct BugFacts {
    Str about;  /* `CC -v` */
    Str output; /* of the failing compilation, or of the program */
} BugFacts;

void bugreport(const CaseView *view, const BugFacts *facts, Buf *out);

#endif
