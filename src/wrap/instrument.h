/* Instrumentation of one module through LLVM's C API. */
#ifndef CULPRIT_WRAP_INSTRUMENT_H
#define CULPRIT_WRAP_INSTRUMENT_H

#include "base/base.h"

typedef struct InstrumentJob {
    const char *bitcode;  /* what clang made from the source */
    const char *fast;     /* bitcode of runtime/trace_inline.c */
    const char *keep_dir; /* directory for the copy that replay reads, named by its content */
    const char *output;   /* instrumented bitcode */
    bool optimised;       /* the output will be optimised: then the fast paths go inline */
} InstrumentJob;

/* Saves a copy of job->bitcode and writes the instrumented form to job->output. */
bool instrument(const InstrumentJob *job, Error *err);

#endif
