/* Shared between the recorder's own files. */
#ifndef CULPRIT_TRACE_RUNTIME_H
#define CULPRIT_TRACE_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

/* trace.c: records that the program wrote these bytes to a descriptor. */
void culprit_output(int descriptor, const void *bytes, size_t size);
/* Records that a fatal signal is being delivered. */
void culprit_record_signal(int number, uint64_t address);
int culprit_is_recording(void); /* this thread, now */
int culprit_is_tracing(void);   /* the process */

/* trace_signal.c: pending signals of this thread, a bit each (1 << number - 1). Set by handlers
 * only, together with culprit_thread.end = NULL. */
extern __thread uint64_t culprit_waiting __attribute__((tls_model("initial-exec")));
/* Delivers them. Before calling it, take culprit_waiting and set culprit_thread.inside to 0. */
void culprit_let_come(uint64_t waiting);
/* Fatal signals are recorded from now on, where the program does not catch them. */
void culprit_catch_fatal(void);

#endif
