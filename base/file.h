/* file.h: files that are written whole or not at all, and files that are read whole. */
#ifndef DORM_BASE_FILE_H
#define DORM_BASE_FILE_H

#include "base/base.h"

/* The text goes to a temporary file beside `path`, which commit renames over it. "-" is standard output. */
typedef struct dorm__output dorm__output;
dorm_status dorm__output_open(dorm_context *context, const char *path, dorm__output **output);
/* The text stays in memory, until dorm__output_take, in the place of commit, hands it out and frees the handle; *text
 * [size] has a zero byte after it and is freed by dorm__free. */
dorm_status dorm__output_to_memory(dorm_context *context, dorm__output **output);
dorm_status dorm__output_take(dorm_context *context, dorm__output *output, char **text, size_t *size);
void dorm__output_text(dorm__output *output, const char *format, ...) DORM__PRINTF(2, 3);
void dorm__output_bytes(dorm__output *output, const void *bytes, size_t size);
void dorm__output_number(dorm__output *output, double value); /* dorm__format_double */
void dorm__output_float(dorm__output *output, float value);
/* The hash by dorm__hash_bytes of all that is written between the two calls. */
void dorm__output_start_hash(dorm__output *output);
uint64_t dorm__output_hash(const dorm__output *output);
/* The most bytes that one set of rows or one file may take: three quarters of the memory of the machine, or 1 GiB. */
double dorm__memory_limit(void);
/* Reads a whole file into memory; *bytes is freed by dorm__free. Refuses files above dorm__memory_limit. */
dorm_status dorm__read_whole(dorm_context *context, const char *path, char **bytes, size_t *size);
/* Ends the file and frees the handle, also on failure, after which the old file is still there, or the whole new one if
 * only its folder could not be synced. */
dorm_status dorm__output_commit(dorm_context *context, dorm__output *output);
void dorm__output_abandon(dorm__output *output);

/* Ends dorm_context_lock_output; nothing for a file that the context did not lock. */
void dorm__unlock_output(dorm_context *context, const char *path);
void dorm__unlock_outputs(dorm_context *context); /* all of the context */

/* The most bytes that one set of rows or one file may take: three quarters of the memory of the machine, or 1 GiB. */
double dorm__memory_limit(void);

/* ---- Inputs ------------------------------------------------------------------------------------ */

/* Whether both names lead to one file, by device and inode, or by name if there is none yet. "-" is standard input. */
bool dorm__is_same_file(const char *one, const char *two);
/* Remembers a regular file that is read, if the context guards its inputs. Fails only when out of memory. */
dorm_status dorm__input_add(dorm_context *context, const char *path);
/* Permits replacing a file that was read, such as the model that training started from. */
void dorm__input_remove(dorm_context *context, const char *path);
void dorm__inputs_free(dorm_context *context);

/* ---- File memory ------------------------------------------------------------------------------- */

/*
 * Bytes of a file without a name that are read and written like memory: the file is mapped, and blocks that were used
 * longest ago are taken out of the process's memory when others come in, so that no more than about
 * DORM__RESIDENT_BYTES of it stay there. The system keeps the blocks in its cache as long as it has room, and fetches
 * them from the disk otherwise.
 */
typedef struct dorm__file_memory dorm__file_memory;

enum { DORM__FILE_BLOCK = 2 << 20, DORM__MOST_RESIDENT = 64 }; /* bytes; blocks */
#define DORM__RESIDENT_BYTES ((size_t)DORM__MOST_RESIDENT * DORM__FILE_BLOCK)

/* Makes a file of `size` bytes, which are 0, in a folder. Its room on the disk is taken at once: DORM_IO_ERROR if
 * there is too little, or the folder cannot be written to. The file ends with the memory, however the process ends. */
dorm_status dorm__file_memory_new(dorm_context *context, const char *folder, size_t size, dorm__file_memory **memory);
/* Changes the size; the bytes may move, and new ones are 0. As above where the room cannot be had: nothing has changed
 * then. */
dorm_status dorm__file_memory_resize(dorm_context *context, dorm__file_memory *memory, size_t size);
void dorm__file_memory_free(dorm__file_memory *memory);
void *dorm__file_memory_bytes(const dorm__file_memory *memory);
/* Says that `size` bytes from `first` on are about to be read or written: their blocks come in, those behind them are
 * fetched ahead, and the blocks that came in first leave. Other bytes can be read and written as well, but leave
 * memory late. `memory` may be NULL, for an array in memory. Threads may call it together. O(1) while the blocks are
 * there. */
void dorm__file_memory_use(dorm__file_memory *memory, const void *first, size_t size);
/* The same for bytes that are about to be written for the first time, one after the other: the pages of their blocks
 * are made at once, which takes half the time. */
void dorm__file_memory_fill(dorm__file_memory *memory, void *first, size_t size);

/* Writes `size` bytes at byte `at`, all at once: the fastest way to fill a file, by a whole block at a time. */
dorm_status dorm__file_memory_put(dorm_context *context, dorm__file_memory *memory, size_t at, const void *bytes,
                                  size_t size);

/* Room for `count` values, which are 0: in a file beside `like` if that is one, else in memory (*memory is then
 * NULL).
 */
dorm_status dorm__values_new(dorm_context *context, const dorm__file_memory *like, size_t count,
                             dorm__file_memory **memory, float **values);
/* Frees values in `memory` or, if that is NULL, on the heap. */
void dorm__values_free(dorm__file_memory *memory, float *values);

#endif
