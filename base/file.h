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

#endif
