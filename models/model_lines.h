/*
 * model_lines.h: gives the lines of a model file, without comments and blank lines, to the reader of the file and to
 * the kinds of parts. Each line is cut into its first word and the rest.
 */
#ifndef DORM_MODELS_MODEL_LINES_H
#define DORM_MODELS_MODEL_LINES_H

#include "models/models.h"

struct dorm__model_lines {
  dorm__line_reader *reader; /* for dorm__line_reader_fail, which names the line */
  char *copy;                /* of the line, which is cut into words */
  size_t capacity;
  uint64_t hash;       /* of all lines so far, each ended by '\n' */
  uint64_t hash_above; /* of the lines above the last one */
};

/* Opens the lines of a file or, if `bytes` is not NULL, of bytes [size] in memory, which messages call `path`. */
dorm_status dorm__model_lines_open(dorm_context *context, const char *path, const char *bytes, size_t size,
                                   dorm__model_lines *lines);
void dorm__model_lines_close(dorm__model_lines *lines);
/* Reads the next line's first word and the rest, without blanks at its ends. The caller may change both, and they are
 * valid until the next call. *word becomes NULL after the last line. */
dorm_status dorm__model_lines_next(dorm_context *context, dorm__model_lines *lines, char **word, char **rest);
/* Does the same for a line that must begin with `word`. If it does not, returns DORM_BAD_DATA with a message that shows
 * the line. */
dorm_status dorm__model_lines_expect(dorm_context *context, dorm__model_lines *lines, const char *word, char **rest);
/* Reads the next finite number of a line, which must end at one of `stops` or at the end. *text moves behind it.
 * Returns false if there is none. */
bool dorm__next_number(char **text, const char *stops, double *value);
/* Does the same for a whole number from `least` to `most`. */
bool dorm__next_count(char **text, double least, double most, size_t *count);

/* Reads a line that must begin with `word`, followed by `count` finite numbers. */
dorm_status dorm__model_lines_numbers(dorm_context *context, dorm__model_lines *lines, const char *word, size_t count,
                                      double *numbers);
/* Writes numbers, each after a blank, and ends the line. */
void dorm__output_numbers(dorm__output *output, size_t count, const double *numbers);

#endif
