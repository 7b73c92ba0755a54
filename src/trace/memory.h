/* Memory during a replay: for each byte what the recorder's shadow held, what we believe is there,
 * and who wrote it.
 *
 * The shadow copy must follow the recorder exactly, or values would be wrong. Belief may know more
 * (what strcpy copied, what an initialiser holds): it only decides who is taken to have written a
 * byte, and is dropped where a recorded value contradicts it. */
#ifndef CULPRIT_TRACE_MEMORY_H
#define CULPRIT_TRACE_MEMORY_H

#include "trace/replay.h"

typedef struct Memory Memory;
Memory *memory_new(void);
void memory_free(Memory *memory);

/* A store: shadow, belief and writer. */
void memory_store(Memory *memory, uint64_t address, const void *bytes, uint32_t size, Step writer);
/* Belief and writer only. */
void memory_believe(Memory *memory, uint64_t address, const void *bytes, uint32_t size,
                    Step writer);
/* A load: the shadow's bytes; writers[i] of each. */
void memory_load(Memory *memory, uint64_t address, void *bytes, uint32_t size, Step *writers);
/* A recorded value: corrects the shadow; bytes that differ from belief were written by outside. */
void memory_correct(Memory *memory, uint64_t address, const void *bytes, uint32_t size,
                    Step outside);
/* Copies shadow, belief (writer: by). Belief's writers before the copy go to before[i]. */
void memory_copy(Memory *memory, uint64_t to, uint64_t from, uint32_t size, Step by, Step *before);
/* Belief alone is copied. */
void memory_believe_copy(Memory *memory, uint64_t to, uint64_t from, uint32_t size, Step by,
                         Step *before);
void memory_set(Memory *memory, uint64_t to, uint8_t byte, uint64_t size, Step by);
/* Believed bytes, as far as a C string goes (at most most bytes, with its NUL if found). */
uint32_t memory_string(Memory *memory, uint64_t address, char *out, uint32_t most);
/* Steps that wrote something are DEF_BEFORE from now on. */
void memory_forget(Memory *memory);
/* Who is believed to have written a byte. */
Step memory_writer(Memory *memory, uint64_t address);

#endif
