/*
 * side_file.c: reads attributes of users or of items, one user or item per line, plain or gzip,
 *
 *   id tag tag name:number ...
 *
 * separated by blanks or tabs. A word with a colon is a number with its name, any other word is a tag. Empty lines and
 * lines that begin with # are skipped.
 */
#include "collaborative/ratings/fit.h"
#include "collaborative/ratings/ratings.h"

#include <math.h>
#include <string.h>

typedef struct side_reader {
  dorm_context *context;
  const dorm__line_reader *lines;
  dorm_attributes *side;
  size_t starts_capacity, indices_capacity, values_capacity;
} side_reader;

#define FAIL(reader, ...) dorm__line_reader_fail((reader)->context, (reader)->lines, __VA_ARGS__)

void dorm_attributes_free(dorm_attributes *side)
{
  if (!side)
    return;
  dorm__free(side->name);
  dorm__id_table_clear(&side->ids);
  dorm__id_table_clear(&side->features);
  dorm__free(side->line_start);
  dorm__free(side->indices);
  dorm__free(side->values);
  dorm__free(side);
}

static const char *word_end(const char *s, const char *end)
{
  while (s < end && *s != ' ' && *s != '\t')
    s++;
  return s;
}

/* Reads a feature. Stores a tag as its word, a number as "name:". */
static dorm_status read_feature(side_reader *reader, const char *word, const char *end)
{
  dorm_attributes *side = reader->side;
  const char *colon = memchr(word, ':', (size_t)(end - word));
  double value = 1;
  if (colon && (dorm__parse_double(colon + 1, end, &value) != end || !isfinite(value)))
    return FAIL(reader, "'%.*s': what follows the colon is not a number", dorm__shown((size_t)(end - word)), word);
  uint32_t index = dorm__id_table_add(&side->features, word, (size_t)((colon ? colon + 1 : end) - word));
  if (index == DORM__NO_ID || !DORM__GROW(side->indices, reader->indices_capacity, side->num_entries + 1) ||
      !DORM__GROW(side->values, reader->values_capacity, side->num_entries + 1))
    return dorm__out_of_memory(reader->context, "side information");
  for (size_t e = side->line_start[side->ids.count - 1]; e < side->num_entries; e++)
    if (side->indices[e] == index)
      return FAIL(reader, "'%.*s' is given twice", dorm__shown((size_t)(end - word)), word);
  side->indices[side->num_entries] = index;
  side->values[side->num_entries++] = value;
  return DORM_OK;
}

static dorm_status read_line(void *user, const dorm__line_reader *lines, const char *line, const char *end)
{
  side_reader *reader = user;
  dorm_attributes *side = reader->side;
  const char *s = dorm__skip_blanks(line, end);
  const char *stop = word_end(s, end);
  reader->lines = lines;
  if (s == end || *s == '#')
    return DORM_OK;
  size_t before = side->ids.count;
  if (memchr(s, '\0', (size_t)(end - s)))
    return FAIL(reader, "the line contains a byte of value 0");
  uint32_t id = dorm__id_table_add(&side->ids, s, (size_t)(stop - s));
  if (id == DORM__NO_ID || !DORM__GROW(side->line_start, reader->starts_capacity, before + 2))
    return dorm__out_of_memory(reader->context, "side information");
  if (side->ids.count == before)
    return FAIL(reader, "a second line for '%.*s'", dorm__shown((size_t)(stop - s)), s);
  side->line_start[before] = side->num_entries;
  dorm_status status = DORM_OK;
  for (s = dorm__skip_blanks(stop, end); status == DORM_OK && s < end; s = dorm__skip_blanks(stop, end)) {
    stop = word_end(s, end);
    status = read_feature(reader, s, stop);
  }
  side->line_start[before + 1] = side->num_entries;
  return status;
}

dorm_status dorm_attributes_read(dorm_context *context, const char *path, dorm_attributes **side)
{
  if (DORM__LACKS(context, DORM__GIVEN(path), DORM__RESULT(side)))
    return DORM_BAD_USAGE;
  side_reader reader = {.context = context, .side = dorm__alloc_zero(1, sizeof *reader.side)};
  bool is_made = reader.side && (reader.side->name = dorm__copy_text(path));
  dorm_status status = DORM__ALL(is_made ? DORM_OK : dorm__out_of_memory(context, "side information"),
                                 dorm__each_line(context, path, read_line, &reader));
  if (status == DORM_OK && !reader.side->ids.count)
    status = dorm__fail(context, DORM_BAD_DATA, "%s: no lines", path);
  return DORM__GIVE(status, side, reader.side, dorm_attributes_free);
}

/* ---- Rows ---------------------------------------------------------------------- */

void dorm__rows_clear(dorm__rows *rows)
{
  dorm__free(rows->values);
  *rows = (dorm__rows){0};
}

static bool is_tag(const dorm_attributes *side, size_t index)
{
  const char *text = dorm__id_table_text(&side->features, index);
  return text[strlen(text) - 1] != ':';
}

/* Computes mean and standard deviation of a number over the lines that have it. */
static void standardise(const dorm_attributes *side, size_t index, double *mean, double *deviation)
{
  double sum = 0;
  double squares = 0;
  double count = 0;
  for (size_t e = 0; e < side->num_entries; e++)
    if (side->indices[e] == index) {
      sum += side->values[e];
      count++;
    }
  *mean = count > 0 ? sum / count : 0;
  for (size_t e = 0; e < side->num_entries; e++)
    if (side->indices[e] == index)
      squares += (side->values[e] - *mean) * (side->values[e] - *mean);
  *deviation = squares > 0 ? sqrt(squares / count) : 1;
}

bool dorm__side_rows(const dorm_attributes *side, const dorm__id_table *ids, dorm__rows *rows)
{
  size_t width = side ? side->features.count : 0;
  *rows = (dorm__rows){.count = ids->count, .width = width};
  rows->values = dorm__alloc_zero(ids->count * (width ? width : 1), sizeof *rows->values);
  DORM__FREED double *mean = dorm__alloc_zero(width, sizeof *mean);
  DORM__FREED double *deviation = dorm__alloc_zero(width, sizeof *deviation);
  bool is_whole = rows->values && mean && deviation;
  for (size_t f = 0; is_whole && f < width; f++)
    if (!is_tag(side, f))
      standardise(side, f, &mean[f], &deviation[f]);
  for (size_t i = 0; is_whole && width && i < ids->count; i++) {
    const char *text = dorm__id_table_text(ids, i);
    uint32_t line = dorm__id_table_find(&side->ids, text, strlen(text));
    if (line == DORM__NO_ID)
      continue;
    double num_tags = 0;
    for (size_t e = side->line_start[line]; e < side->line_start[line + 1]; e++)
      num_tags += is_tag(side, side->indices[e]);
    for (size_t e = side->line_start[line]; e < side->line_start[line + 1]; e++) {
      size_t f = side->indices[e];
      rows->values[i * width + f] = is_tag(side, f) ? 1 / sqrt(num_tags) : (side->values[e] - mean[f]) / deviation[f];
    }
  }
  if (!is_whole)
    dorm__rows_clear(rows);
  return is_whole;
}
