/*
 * rating_file.c: reads and writes ratings as text, plain or gzip, one rating per line,
 *
 *   user item rating [time]
 *
 * Fields are separated by tabs, "::", commas or blanks. The first of these that occurs in the first line is used. Users
 * and items are any words. Empty lines and lines that begin with # are skipped, and so is a header, a first line whose
 * rating is not a number. The time is not read.
 */
#include "collaborative/ratings/fit.h"
#include "collaborative/ratings/ratings.h"

#include <string.h>

enum { MOST_FIELDS = 4, LARGEST_ID_SIZE = 255 };

typedef struct rating_reader {
  dorm_context *context;
  const dorm__line_reader *lines;
  const char *separator; /* NULL before the first line */
  dorm__id_table users;
  dorm__id_table items;
  dorm__index_map *pairs; /* user and item -> rating */
  size_t first;           /* of the current file */
  size_t count;
  size_t capacity;
  dorm__rating *ratings;
} rating_reader;

#define FAIL(reader, ...) dorm__line_reader_fail((reader)->context, (reader)->lines, __VA_ARGS__)

/* Finds the separator of a line. Tabs come first, so that files written by dorm can be read whatever their ids contain.
 */
static const char *find_separator(const char *line, const char *end)
{
  if (memchr(line, '\t', (size_t)(end - line)))
    return "\t";
  const char *separator = memchr(line, ',', (size_t)(end - line)) ? "," : " ";
  for (const char *s = line; s + 1 < end; s++)
    if (s[0] == ':' && s[1] == ':')
      separator = "::";
  return separator;
}

/* Cuts a line into fields and returns their number. Keeps only the first MOST_FIELDS. */
static size_t split_fields(const char *separator, dorm__word line, dorm__word fields[MOST_FIELDS])
{
  const char *s = line.begin;
  const char *end = s + line.size;
  size_t size = strlen(separator);
  bool is_blank = *separator == ' '; /* tabs in later lines separate too */
  size_t count = 0;
  for (;;) {
    const char *stop = s;
    while (stop < end && !(is_blank ? *stop == ' ' || *stop == '\t'
                                    : (size_t)(end - stop) >= size && memcmp(stop, separator, size) == 0))
      stop++;
    if (count < MOST_FIELDS)
      fields[count] = dorm__trimmed(s, stop);
    count++;
    if (stop >= end)
      return count;
    s = is_blank ? dorm__trimmed(stop, end).begin : stop + size;
  }
}

static dorm_status add_rating(rating_reader *reader, uint32_t user, uint32_t item, double value)
{
  uint64_t key = (uint64_t)user << 32 | item;
  size_t cursor = 0;
  size_t at;
  if (dorm__index_map_find(reader->pairs, key, &cursor, &at)) {
    const char *user_id = dorm__id_table_text(&reader->users, user);
    const char *item_id = dorm__id_table_text(&reader->items, item);
    if (at < reader->first)
      return FAIL(reader, "user %.60s has already rated item %.60s in the training ratings", user_id, item_id);
    return FAIL(reader, "user %.60s has rated item %.60s before, with %g", user_id, item_id, reader->ratings[at].value);
  }
  if (!DORM__GROW(reader->ratings, reader->capacity, reader->count + 1) ||
      !dorm__index_map_add(reader->pairs, key, reader->count))
    return dorm__out_of_memory(reader->context, "ratings");
  reader->ratings[reader->count++] = (dorm__rating){user, item, value};
  return DORM_OK;
}

static bool is_id(dorm__word word)
{
  bool is_good = word.size && word.size <= LARGEST_ID_SIZE;
  for (size_t i = 0; i < word.size; i++)
    is_good = is_good && word.begin[i] && !strchr("# \t", word.begin[i]);
  return is_good;
}

static dorm_status read_rating(rating_reader *reader, dorm__word line, bool is_first)
{
  dorm__word fields[MOST_FIELDS];
  size_t count = split_fields(reader->separator, line, fields);
  if (count < 3 || count > MOST_FIELDS)
    return FAIL(reader, "%zu fields, where user, item, rating and perhaps time should be", count);
  double value;
  bool is_number = dorm__is_one_number(fields[2].begin, fields[2].begin + fields[2].size, &value);
  if (!is_number && is_first)
    return DORM_OK;
  if (!is_number)
    return FAIL(reader, "rating '%.*s' is not a number", dorm__shown(fields[2].size), fields[2].begin);
  if (value < 0)
    return FAIL(reader, "rating %g is below 0", value);
  for (size_t i = 0; i < 2; i++)
    if (!is_id(fields[i]))
      return FAIL(reader, "%s '%.*s' is not an id: a word of at most %d characters without #", i ? "item" : "user",
                  dorm__shown(fields[i].size), fields[i].begin, LARGEST_ID_SIZE);
  uint32_t user = dorm__id_table_add(&reader->users, fields[0].begin, fields[0].size);
  uint32_t item = dorm__id_table_add(&reader->items, fields[1].begin, fields[1].size);
  if (user == DORM__NO_ID || item == DORM__NO_ID)
    return dorm__out_of_memory(reader->context, "ratings");
  return add_rating(reader, user, item, value);
}

static dorm_status read_line(void *user, const dorm__line_reader *lines, const char *line, const char *end)
{
  rating_reader *reader = user;
  dorm__word whole = dorm__trimmed(line, end);
  reader->lines = lines;
  if (!whole.size || *whole.begin == '#')
    return DORM_OK;
  bool is_first = !reader->separator;
  if (is_first)
    reader->separator = find_separator(whole.begin, whole.begin + whole.size);
  return read_rating(reader, whole, is_first);
}

static dorm_status read_file(rating_reader *reader, const char *path)
{
  reader->separator = NULL;
  reader->first = reader->count;
  dorm_status status = dorm__each_line(reader->context, path, read_line, reader);
  return status == DORM_OK && reader->count == reader->first
             ? dorm__fail(reader->context, DORM_BAD_DATA, "%s: no ratings", path)
             : status;
}

dorm_status dorm_ratings_read(dorm_context *context, const dorm_settings *settings, const char *path,
                              const char *held_out_path, dorm_ratings **ratings, dorm_ratings **held_out)
{
  if (DORM__LACKS(context, DORM__GIVEN(settings), DORM__GIVEN(path), DORM__RESULT(ratings),
                  DORM__GIVEN_IF(held_out_path, held_out)))
    return DORM_BAD_USAGE;
  rating_reader reader = {.context = context};
  if (held_out)
    *held_out = NULL;
  reader.pairs = dorm__index_map_new();
  dorm_status status = reader.pairs ? read_file(&reader, path) : dorm__out_of_memory(context, "ratings");
  size_t num_training = reader.count;
  if (status == DORM_OK && held_out_path)
    status = read_file(&reader, held_out_path);
  if (status == DORM_OK)
    status = dorm__ratings_new(context, path, &reader.users, &reader.items, num_training, reader.ratings, ratings);
  if (status == DORM_OK && held_out_path)
    status = dorm__ratings_new(context, held_out_path, &reader.users, &reader.items, reader.count - num_training,
                               reader.ratings + num_training, held_out);
  if (status != DORM_OK) {
    dorm_ratings_free(*ratings);
    *ratings = NULL;
  }
  dorm__id_table_clear(&reader.users);
  dorm__id_table_clear(&reader.items);
  dorm__index_map_free(reader.pairs);
  dorm__free(reader.ratings);
  return status;
}

dorm_status dorm_ratings_write(dorm_context *context, const dorm_ratings *ratings, const char *path)
{
  if (DORM__LACKS(context, DORM__GIVEN(ratings), DORM__GIVEN(path)))
    return DORM_BAD_USAGE;
  const dorm__rating_table *table = &ratings->table;
  dorm__output *output = NULL;
  dorm_status status = dorm__output_open(context, path, &output);
  if (status != DORM_OK)
    return status;
  for (size_t u = 0; u < table->num_users; u++)
    for (size_t e = table->user_start[u]; e < table->user_start[u + 1]; e++) {
      dorm__output_text(output, "%s\t%s\t", dorm__id_table_text(&ratings->users, u),
                        dorm__id_table_text(&ratings->items, table->items[e]));
      dorm__output_number(output, table->values[e]);
      dorm__output_text(output, "\n");
    }
  return dorm__output_commit(context, output);
}
