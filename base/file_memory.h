/* file_memory.h: large arrays that stand in a file instead of in memory. */
#ifndef DORM_BASE_FILE_MEMORY_H
#define DORM_BASE_FILE_MEMORY_H

#include "base/base.h"

/*
 * Bytes of a file without a name that are read and written like memory: the file is mapped, and blocks that were used
 * longest ago are taken out of the process's memory when others come in, so that no more than about
 * DORM__RESIDENT_BYTES of it stay there. The system keeps the blocks in its cache as long as it has room, and fetches
 * them from the disk otherwise.
 */
typedef struct dorm__file_memory dorm__file_memory;

enum { DORM__FILE_BLOCK = 2 << 20, DORM__MOST_RESIDENT = 64 }; /* bytes; blocks */
#define DORM__RESIDENT_BYTES ((size_t)DORM__MOST_RESIDENT * DORM__FILE_BLOCK)

/* Makes a file of `size` bytes, which are 0, in a folder. Its room on the disk is taken at once: DORM_IO_ERROR where
 * there is too little, or the folder cannot be written to. The file ends with the memory, however the process ends. */
dorm_status dorm__file_memory_new(dorm_context *context, const char *folder, size_t size, dorm__file_memory **memory);
/* Changes the size; the bytes may move, and new ones are 0. As above where the room cannot be had: nothing has changed
 * then. */
dorm_status dorm__file_memory_resize(dorm_context *context, dorm__file_memory *memory, size_t size);
void dorm__file_memory_free(dorm__file_memory *memory);
void *dorm__file_memory_bytes(const dorm__file_memory *memory);
/* Says that `size` bytes from `first` on are about to be read or written: their blocks come in, those behind them are
 * fetched ahead, and the blocks that came in first leave. What is not said is read and written all the same, but
 * leaves late. `memory` may be NULL, for an array in memory. Threads may call it together. O(1) while the blocks are
 * there. */
void dorm__file_memory_use(dorm__file_memory *memory, const void *first, size_t size);
/* The same for bytes that are about to be written for the first time, one after the other: the pages of their blocks
 * are made at once, which takes half the time. */
void dorm__file_memory_fill(dorm__file_memory *memory, void *first, size_t size);

/* Writes `size` bytes at byte `at`, all at once: the fastest way to fill a file, by a whole block at a time. */
dorm_status dorm__file_memory_put(dorm_context *context, dorm__file_memory *memory, size_t at, const void *bytes,
                                  size_t size);

/* Room for `count` values, which are 0: in a file beside `like` where that is one, else in memory (*memory is then
 * NULL).
 */
dorm_status dorm__values_new(dorm_context *context, const dorm__file_memory *like, size_t count,
                             dorm__file_memory **memory, float **values);
/* Frees values that stand in `memory`, or, where that is NULL, that were allocated. */
void dorm__values_free(dorm__file_memory *memory, float *values);

#endif
