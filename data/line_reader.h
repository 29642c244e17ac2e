/* line_reader.h: words of lines. */
#ifndef DORM_DATA_LINE_READER_H
#define DORM_DATA_LINE_READER_H

#include "base/base.h"

/* Words of a line between blanks. Returns how many, at most `most` + 1; the first
 * `most` are filled in. */
typedef struct dorm__word {
  const char *begin;
  size_t size;
} dorm__word;
size_t dorm__split_words(const char *line, const char *end, size_t most, dorm__word *words);

#endif
