/* Between the recorder's own files. */
#ifndef CULPRIT_TRACE_RUNTIME_H
#define CULPRIT_TRACE_RUNTIME_H

#include <stddef.h>

/* Records that the program wrote these bytes to a descriptor. */
void culprit_output(int descriptor, const void *bytes, size_t size);
int culprit_is_recording(void);

#endif
