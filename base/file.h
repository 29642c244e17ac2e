/* file.h: files that are written completely or not at all, and files that are read completely. */
#ifndef DORM_BASE_FILE_H
#define DORM_BASE_FILE_H

#include "base/base.h"

/* Writes to a temporary file beside `path`. Commit renames it to `path`. "-" is standard output. */
typedef struct dorm__output dorm__output;
dorm_status dorm__output_open(dorm_context *context, const char *path, dorm__output **output);
/* Writes to memory. dorm__output_take replaces commit: it returns the text and frees the handle. *text [size] is
 * followed by a zero byte, and the caller frees it by dorm__free. */
dorm_status dorm__output_to_memory(dorm_context *context, dorm__output **output);
dorm_status dorm__output_take(dorm_context *context, dorm__output *output, char **text, size_t *size);
void dorm__output_text(dorm__output *output, const char *format, ...) DORM__PRINTF(2, 3);
void dorm__output_bytes(dorm__output *output, const void *bytes, size_t size);
void dorm__output_number(dorm__output *output, double value); /* dorm__format_double */
void dorm__output_float(dorm__output *output, float value);
/* Hashes everything that is written between the two calls, by dorm__hash_bytes. */
void dorm__output_start_hash(dorm__output *output);
uint64_t dorm__output_hash(const dorm__output *output);
/* The maximum size of one set of rows or one file: three quarters of the machine's memory, or 1 GiB. */
double dorm__memory_limit(void);
/* Reads a complete file into memory. The caller frees *bytes by dorm__free. Fails for files above
 * dorm__memory_limit. */
dorm_status dorm__read_whole(dorm_context *context, const char *path, char **bytes, size_t *size);
/* Completes the file and frees the handle, also on failure. After a failure the old file is unchanged, or it is
 * replaced completely if only the sync of its folder failed. */
dorm_status dorm__output_commit(dorm_context *context, dorm__output *output);
void dorm__output_abandon(dorm__output *output);
/* Commits the output if `status` is DORM_OK, otherwise abandons it. Returns the first failure. */
dorm_status dorm__output_close(dorm_context *context, dorm__output *output, dorm_status status);

/* Ends dorm_context_lock_output. Does nothing for a file that the context did not lock. */
void dorm__unlock_output(dorm_context *context, const char *path);

/* ---- Inputs ------------------------------------------------------------------------------------ */

/* Whether both names lead to the same file, by device and inode, or by name if the file does not exist. "-" is standard
 * input. */
bool dorm__is_same_file(const char *one, const char *two);
/* Records a regular file as an input, if the context guards its inputs. Fails only when out of memory. */
dorm_status dorm__input_add(dorm_context *context, const char *path);
/* Permits writing over an input, such as the model that training started from. */
void dorm__input_remove(dorm_context *context, const char *path);

/* ---- File memory ------------------------------------------------------------------------------- */

/* An unnamed file that is used like memory. The file is mapped. At most about DORM__RESIDENT_BYTES of it stay in the
 * process's memory: when a block comes in, the block that came in first leaves. The system keeps blocks in its cache
 * while it has room, and otherwise reads them from the disk. */
typedef struct dorm__file_memory dorm__file_memory;

enum { DORM__FILE_BLOCK = 512 << 10, DORM__MOST_RESIDENT = 64 }; /* in bytes, and in blocks */
#define DORM__RESIDENT_BYTES ((size_t)DORM__MOST_RESIDENT * DORM__FILE_BLOCK)

/* Makes a file of `size` zero bytes in a folder. Reserves its room on the disk. Returns DORM_IO_ERROR if there is too
 * little room or the folder is not writable. The file vanishes with the memory, however the process ends. */
dorm_status dorm__file_memory_new(dorm_context *context, const char *folder, size_t size, dorm__file_memory **memory);
/* Changes the size. The bytes may move, and new ones are 0. Fails like dorm__file_memory_new, without a change. */
dorm_status dorm__file_memory_resize(dorm_context *context, dorm__file_memory *memory, size_t size);
void dorm__file_memory_free(dorm__file_memory *memory);
void *dorm__file_memory_bytes(const dorm__file_memory *memory);
/* Prepares `size` bytes from `first` on for reading or writing. Brings in their blocks, prefetches the following ones,
 * and removes the blocks that came in first. Other bytes are accessible too, but leave memory late. `memory` may be
 * NULL, for an array in memory. Thread-safe. O(1) if the blocks are present. */
void dorm__file_memory_use(dorm__file_memory *memory, const void *first, size_t size);
/* Removes all blocks from the process's memory, after a pass that will not return to them. `memory` may be NULL. */
void dorm__file_memory_leave(dorm__file_memory *memory);
/* Prepares bytes that are about to be written in order for the first time. Creates the pages of their blocks at once,
 * which takes half the time. */
void dorm__file_memory_fill(dorm__file_memory *memory, void *first, size_t size);

/* Writes `size` bytes at offset `at`. This is the fastest way to fill a file, a whole block at a time. */
dorm_status dorm__file_memory_put(dorm_context *context, dorm__file_memory *memory, size_t at, const void *bytes,
                                  size_t size);

/* Allocates `count` zero values, in a file beside `like` if `like` is a file, otherwise in memory (*memory = NULL). */
dorm_status dorm__values_new(dorm_context *context, const dorm__file_memory *like, size_t count,
                             dorm__file_memory **memory, float **values);
/* Frees values in `memory` or, if that is NULL, on the heap. */
void dorm__values_free(dorm__file_memory *memory, float *values);

#endif
