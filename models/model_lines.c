/* model_lines.c: the lines of a model file, without comments and blank lines, and their checksum. */
#include "models/model_lines.h"
#include "base/hash.h"

#include "models/models.h"
#include <math.h>
#include <string.h>

dorm_status dorm__model_lines_open(dorm_context *context, const char *path, const char *bytes, size_t size,
                                   dorm__model_lines *lines)
{
  *lines = (dorm__model_lines){.hash = DORM__HASH_START, .hash_above = DORM__HASH_START};
  return bytes ? dorm__line_reader_from_memory(context, path, bytes, size, &lines->reader)
               : dorm__line_reader_open(context, path, &lines->reader);
}

void dorm__model_lines_close(dorm__model_lines *lines)
{
  dorm__line_reader_close(lines->reader);
  dorm__free(lines->copy);
  *lines = (dorm__model_lines){0};
}

/* Copies the next line and hashes it. *text becomes NULL after the last. */
static dorm_status next_line(dorm_context *context, dorm__model_lines *lines, char **text)
{
  const char *line = NULL;
  const char *end = NULL;
  *text = NULL;
  dorm_status status = dorm__line_reader_next(context, lines->reader, &line, &end);
  if (status != DORM_OK || !line)
    return status;
  size_t size = (size_t)(end - line);
  if (!DORM__GROW(lines->copy, lines->capacity, size + 1))
    return dorm__out_of_memory(context, "a model");
  if (memchr(line, '\0', size))
    return dorm__line_reader_fail(context, lines->reader, "a zero byte");
  memcpy(lines->copy, line, size);
  lines->copy[size] = '\0';
  lines->hash_above = lines->hash;
  lines->hash = dorm__hash_bytes(lines->hash, line, size);
  lines->hash = dorm__hash_bytes(lines->hash, "\n", 1);
  *text = dorm__trim(lines->copy);
  return DORM_OK;
}

dorm_status dorm__model_lines_next(dorm_context *context, dorm__model_lines *lines, char **word, char **rest)
{
  char *text = NULL;
  dorm_status status = DORM_OK;
  do {
    status = next_line(context, lines, &text);
  } while (status == DORM_OK && text && (!*text || *text == '#'));
  *word = NULL;
  *rest = NULL;
  if (status != DORM_OK || !text)
    return status;
  *word = text;
  text += strcspn(text, " \t");
  if (*text)
    *text++ = '\0';
  *rest = dorm__trim(text);
  return DORM_OK;
}

dorm_status dorm__model_lines_expect(dorm_context *context, dorm__model_lines *lines, const char *word, char **rest)
{
  char *found = NULL;
  dorm_status status = dorm__model_lines_next(context, lines, &found, rest);
  if (status == DORM_OK && !(found && strcmp(found, word) == 0))
    status = dorm__line_reader_fail(context, lines->reader, "expected a line '%s', but found %s%.40s%s", word,
                                    found ? "'" : "the end of the file", found ? found : "", found ? "'" : "");
  return status;
}

bool dorm__next_number(char **text, const char *stops, double *value)
{
  *text += strspn(*text, " \t");
  const char *rest = dorm__parse_double(*text, *text + strlen(*text), value);
  if (!rest || !isfinite(*value) || (*rest && !strchr(stops, *rest)))
    return false;
  *text += rest - *text;
  return true;
}

bool dorm__next_count(char **text, double least, double most, size_t *count)
{
  double number;
  bool good = dorm__next_number(text, " \t", &number) && number >= least && number <= most && number == floor(number);
  *count = good ? (size_t)number : 0;
  return good;
}

dorm_status dorm__model_lines_numbers(dorm_context *context, dorm__model_lines *lines, const char *word, size_t count,
                                      double *numbers)
{
  char *text = NULL;
  dorm_status status = dorm__model_lines_expect(context, lines, word, &text);
  for (size_t i = 0; status == DORM_OK && i < count; i++)
    if (!dorm__next_number(&text, " \t", &numbers[i]))
      status = dorm__line_reader_fail(context, lines->reader, "'%s' needs %zu finite numbers, and number %zu is none",
                                      word, count, i + 1);
  if (status == DORM_OK && *dorm__trim(text))
    status = dorm__line_reader_fail(context, lines->reader, "'%s' has more than %zu numbers", word, count);
  return status;
}

void dorm__output_numbers(dorm__output *output, size_t count, const double *numbers)
{
  for (size_t i = 0; i < count; i++) {
    dorm__output_text(output, " ");
    dorm__output_number(output, numbers[i]);
  }
  dorm__output_text(output, "\n");
}
