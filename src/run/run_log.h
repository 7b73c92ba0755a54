/* What proc.c tells the log (run_log in run.h): the spec when a process is started, its result when
 * it ended. */
#ifndef CULPRIT_RUN_RUN_LOG_H
#define CULPRIT_RUN_RUN_LOG_H

#include "run/run.h"

bool run_logs(void); /* there is one */
void run_log_start(Buf *note, const RunSpec *spec, const RunLimits *limits);
void run_log_end(const Buf *note, RunProfile profile, const RunResult *result);

#endif
