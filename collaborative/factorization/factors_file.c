/*
 * factors_file.c: reads and writes a factorisation as text,
 *
 *   dorm factors 1
 *   # comments and blank lines anywhere
 *   setting ratings.file = u.data      one line per setting that made it
 *   size RANK ITEMS USERS
 *   start MEAN SCALE RIDGE BALANCE ... how the start of a new user is found
 *   item ID o V ... / o0 V0 ...        as learned, and at the start
 *   user ID U ...
 *   rated ITEM ...                     by the user of the line before: numbers of items, from 0
 *   end ITEMS USERS
 *   checksum HEX                       FNV-1a of the lines above, each ended by '\n' (last line)
 *
 * Numbers are floats. Reading restores them exactly.
 */
#include "collaborative/factorization/factorization.h"
#include "models/models.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char first_line[] = "dorm factors 1";

/* ---- Writing ----------------------------------------------------------------------- */

static void write_row(dorm__output *output, size_t count, const double *row)
{
  for (size_t k = 0; k < count; k++) {
    dorm__output_text(output, " ");
    dorm__output_float(output, (float)row[k]);
  }
}

static void write_items(const dorm_factors *factors, dorm__output *output)
{
  size_t rank = factors->point.rank;
  for (size_t i = 0; i < factors->point.num_items; i++) {
    dorm__output_text(output, "item %s", dorm__id_table_text(&factors->items, i));
    write_row(output, 1, &factors->point.offset[i]);
    write_row(output, rank, factors->point.item + i * rank);
    dorm__output_text(output, " /");
    write_row(output, 1, &factors->start.offset[i]);
    write_row(output, rank, factors->start.item + i * rank);
    dorm__output_text(output, "\n");
  }
}

static void write_users(const dorm_factors *factors, dorm__output *output)
{
  size_t rank = factors->point.rank;
  for (size_t u = 0; u < factors->point.num_users; u++) {
    dorm__output_text(output, "user %s", dorm__id_table_text(&factors->users, u));
    write_row(output, rank, factors->point.user + u * rank);
    dorm__output_text(output, "\nrated");
    for (size_t k = factors->rated_start[u]; k < factors->rated_start[u + 1]; k++)
      dorm__output_text(output, " %u", factors->rated[k]);
    dorm__output_text(output, "\n");
  }
}

dorm_status dorm_factors_write(dorm_context *context, const dorm_factors *factors, const char *path)
{
  if (DORM__LACKS(context, DORM__GIVEN(factors), DORM__GIVEN(path)))
    return DORM_BAD_USAGE;
  const dorm__point *point = &factors->point;
  dorm__output *output = NULL;
  dorm_status status = dorm__output_open(context, path, &output);
  if (status != DORM_OK)
    return status;
  dorm__output_start_hash(output);
  dorm__output_text(output, "%s\n# written by dorm %s\n", first_line, dorm_version());
  dorm__setting_lines_write(factors->settings, output);
  dorm__output_text(output, "size %zu %zu %zu\nstart", point->rank, point->num_items, point->num_users);
  for (size_t k = 0; k < 3 + point->rank; k++) {
    const dorm__start_rule *rule = &factors->rule;
    dorm__output_text(output, " ");
    dorm__output_number(output, k == 0   ? rule->mean
                                : k == 1 ? rule->scale
                                : k == 2 ? rule->user_ridge
                                         : rule->balance[k - 3]);
  }
  dorm__output_text(output, "\n# item, offset and row; offset and row of the start\n");
  write_items(factors, output);
  write_users(factors, output);
  dorm__output_text(output, "end %zu %zu\n", point->num_items, point->num_users);
  dorm__output_text(output, "checksum %016" PRIx64 "\n", dorm__output_hash(output));
  return dorm__output_commit(context, output);
}

/* ---- Reading ------------------------------------------------------------------------- */

typedef struct factors_parser {
  dorm_context *context;
  dorm__line_reader *lines;
  const char *at, *end; /* the rest of the line */
  dorm_settings *settings;
  dorm_factors *factors; /* NULL before the line `size` */
  size_t num_items;
  size_t num_users;
  size_t num_rated_users; /* users whose line `rated` was read */
  size_t rated_capacity;
  bool has_start;
  bool has_end;
  bool has_checksum;
  uint64_t hash; /* of the lines read so far */
} factors_parser;

#define FAIL_LINE(parser, ...) dorm__line_reader_fail((parser)->context, (parser)->lines, __VA_ARGS__)

static bool at_end(factors_parser *parser)
{
  while (parser->at < parser->end && (*parser->at == ' ' || *parser->at == '\t'))
    parser->at++;
  return parser->at == parser->end;
}

/* The word that begins at parser->at, which moves behind it. *size is 0 if there is none. */
static const char *next_word(factors_parser *parser, size_t *size)
{
  const char *word = parser->at;
  while (parser->at < parser->end && *parser->at != ' ' && *parser->at != '\t')
    parser->at++;
  *size = (size_t)(parser->at - word);
  parser->at += parser->at < parser->end;
  return word;
}

static bool is_text(const char *word, size_t size, const char *text)
{
  return size == strlen(text) && memcmp(word, text, size) == 0;
}

static bool next_number(factors_parser *parser, double *value)
{
  const char *rest = at_end(parser) ? NULL : dorm__parse_double(parser->at, parser->end, value);
  if (!rest || !isfinite(*value) || (rest < parser->end && *rest != ' ' && *rest != '\t'))
    return false;
  parser->at = rest;
  return true;
}

static bool next_numbers(factors_parser *parser, size_t count, double *values)
{
  for (size_t k = 0; k < count; k++)
    if (!next_number(parser, &values[k]))
      return false;
  return true;
}

/* Reads `count` numbers in the same way, rounded to floats as they were before writing. */
static bool next_floats(factors_parser *parser, size_t count, double *values)
{
  bool good = next_numbers(parser, count, values);
  for (size_t k = 0; good && k < count; k++)
    values[k] = (double)(float)values[k];
  return good;
}

static bool next_count(factors_parser *parser, double most, size_t *count)
{
  double value;
  if (!next_number(parser, &value) || value < 0 || value > most || value != floor(value))
    return false;
  *count = (size_t)value;
  return true;
}

static dorm_status read_setting(factors_parser *parser)
{
  size_t size = (size_t)(parser->end - parser->at);
  DORM__FREED char *copy = dorm__alloc_zero(size + 1, 1);
  if (!copy)
    return dorm__out_of_memory(parser->context, "factors");
  memcpy(copy, parser->at, size);
  return dorm__setting_line_read(parser->context, parser->lines, copy, parser->settings);
}

static dorm_status read_size(factors_parser *parser)
{
  enum { LARGEST_RANK = 1000, LARGEST_COUNT = 50000000 };
  size_t rank, items, users;
  if (parser->factors)
    return FAIL_LINE(parser, "'size' is given twice");
  if (!next_count(parser, LARGEST_RANK, &rank) || !rank || !next_count(parser, LARGEST_COUNT, &items) ||
      !next_count(parser, LARGEST_COUNT, &users) || !at_end(parser))
    return FAIL_LINE(parser, "'size' needs a rank of 1 to %d and numbers of items and users", LARGEST_RANK);
  /* An item has an offset and `rank` numbers, a user `rank` numbers. Each takes at least two bytes. */
  if (2 * (items * (rank + 1) + users * rank) > dorm__line_reader_most(parser->lines))
    return FAIL_LINE(parser, "the file is too short for %zu items and %zu users of rank %zu", items, users, rank);
  return dorm__factors_new(parser->context, parser->settings, users, items, rank, 0, &parser->factors);
}

static dorm_status read_start(factors_parser *parser)
{
  dorm__start_rule *rule = &parser->factors->rule;
  bool good = next_number(parser, &rule->mean) && next_number(parser, &rule->scale) && rule->scale > 0 &&
              next_number(parser, &rule->user_ridge) && rule->user_ridge > 0 &&
              next_numbers(parser, parser->factors->point.rank, rule->balance) && at_end(parser);
  for (size_t k = 0; good && k < parser->factors->point.rank; k++)
    good = rule->balance[k] > 0;
  parser->has_start = true;
  return good ? DORM_OK
              : FAIL_LINE(parser, "'start' needs a mean, then %zu numbers above 0", parser->factors->point.rank + 2);
}

/* Adds the next word as an id. Fails if it is not new. */
static dorm_status read_id(factors_parser *parser, size_t limit, dorm__id_table *ids)
{
  size_t size, before = ids->count;
  const char *id = next_word(parser, &size);
  if (before == limit)
    return FAIL_LINE(parser, "this is one more than the %zu that 'size' says", limit);
  if (!size)
    return FAIL_LINE(parser, "an id is missing");
  if (dorm__id_table_add(ids, id, size) == DORM__NO_ID)
    return dorm__out_of_memory(parser->context, "factors");
  return ids->count > before ? DORM_OK : FAIL_LINE(parser, "'%.*s' is given twice", size > 40 ? 40 : (int)size, id);
}

static dorm_status read_item(factors_parser *parser)
{
  dorm_factors *factors = parser->factors;
  size_t rank = factors->point.rank;
  size_t item = factors->items.count;
  dorm_status status = read_id(parser, factors->point.num_items, &factors->items);
  if (status != DORM_OK)
    return status;
  bool good = next_floats(parser, 1, &factors->point.offset[item]) &&
              next_floats(parser, rank, factors->point.item + item * rank);
  good = good && !at_end(parser) && *parser->at++ == '/' && next_floats(parser, 1, &factors->start.offset[item]) &&
         next_floats(parser, rank, factors->start.item + item * rank) && at_end(parser);
  return good ? DORM_OK : FAIL_LINE(parser, "'item' needs an id and two times %zu numbers divided by a /", rank + 1);
}

static dorm_status read_user(factors_parser *parser)
{
  dorm_factors *factors = parser->factors;
  size_t rank = factors->point.rank;
  size_t user = factors->users.count;
  if (parser->num_rated_users != user)
    return FAIL_LINE(parser, "'rated' is missing before this user");
  dorm_status status = read_id(parser, factors->point.num_users, &factors->users);
  if (status != DORM_OK)
    return status;
  bool good = next_floats(parser, rank, factors->point.user + user * rank) && at_end(parser);
  return good ? DORM_OK : FAIL_LINE(parser, "'user' needs an id and %zu numbers", rank);
}

static dorm_status read_rated(factors_parser *parser)
{
  dorm_factors *factors = parser->factors;
  if (parser->num_rated_users + 1 != factors->users.count)
    return FAIL_LINE(parser, "'rated' without its user");
  size_t count = factors->rated_start[parser->num_rated_users];
  while (!at_end(parser)) {
    size_t item;
    if (!next_count(parser, (double)factors->point.num_items - 1, &item))
      return FAIL_LINE(parser, "'rated' needs numbers of items, 0 to %zu", factors->point.num_items - 1);
    if (!DORM__GROW(factors->rated, parser->rated_capacity, count + 1))
      return dorm__out_of_memory(parser->context, "factors");
    factors->rated[count++] = (uint32_t)item;
  }
  factors->rated_start[++parser->num_rated_users] = count;
  return DORM_OK;
}

static dorm_status read_end(factors_parser *parser)
{
  const dorm_factors *factors = parser->factors;
  size_t items, users;
  parser->has_end = true;
  if (!next_count(parser, DORM__LARGEST_COUNT, &items) || !next_count(parser, DORM__LARGEST_COUNT, &users) ||
      !at_end(parser) || items != factors->point.num_items || users != factors->point.num_users ||
      items != factors->items.count || users != factors->users.count || users != parser->num_rated_users ||
      !parser->has_start)
    return FAIL_LINE(parser, "'end' does not fit: %zu of %zu items and %zu of %zu users were read%s",
                     factors->items.count, factors->point.num_items, parser->num_rated_users, factors->point.num_users,
                     parser->has_start ? "" : ", and no 'start'");
  return DORM_OK;
}

static dorm_status read_checksum(factors_parser *parser)
{
  char right[17];
  parser->has_checksum = true;
  snprintf(right, sizeof right, "%016" PRIx64, parser->hash);
  return is_text(parser->at, (size_t)(parser->end - parser->at), right)
             ? DORM_OK
             : FAIL_LINE(parser, "the checksum does not match the lines above: the factorisation is damaged");
}

static dorm_status read_line(factors_parser *parser)
{
  static const struct {
    const char *word;
    dorm_status (*read)(factors_parser *parser);
  } words[] = {{"checksum", read_checksum}, {"setting", read_setting}, {"size", read_size}, /* others follow `size` */
               {"item", read_item},         {"user", read_user},       {"rated", read_rated},
               {"start", read_start},       {"end", read_end}};
  enum { CHECKSUM = 0, SIZE = 2, NUM_WORDS = sizeof words / sizeof *words };
  if (parser->at == parser->end || *parser->at == '#')
    return DORM_OK;
  size_t size, i = 0;
  const char *word = next_word(parser, &size);
  while (i < NUM_WORDS && !is_text(word, size, words[i].word))
    i++;
  if (parser->has_checksum || parser->has_end != (i == CHECKSUM))
    return FAIL_LINE(parser, "%s", i == CHECKSUM ? "'checksum' before 'end' or twice" : "something follows 'end'");
  if (i == NUM_WORDS)
    return FAIL_LINE(parser, "'%.*s' is not known here", size > 40 ? 40 : (int)size, word);
  return i <= SIZE || parser->factors ? words[i].read(parser) : FAIL_LINE(parser, "'size' is missing before this");
}

static dorm_status read_lines(factors_parser *parser, const char *path)
{
  const char *line = NULL;
  dorm_status status;
  while ((status = dorm__line_reader_next(parser->context, parser->lines, &line, &parser->end)) == DORM_OK && line) {
    size_t size = (size_t)(parser->end - line);
    parser->at = line;
    if (dorm__line_reader_number(parser->lines) > 1)
      status = read_line(parser);
    else if (!is_text(line, size, first_line))
      status = FAIL_LINE(parser, "not a factorisation of this version of dorm: the first line is not '%s'", first_line);
    if (status != DORM_OK)
      return status;
    parser->hash = dorm__hash_bytes(parser->hash, line, size);
    parser->hash = dorm__hash_bytes(parser->hash, "\n", 1);
  }
  if (status == DORM_OK && !parser->has_checksum)
    status = dorm__fail(parser->context, DORM_BAD_DATA, "%s: the factorisation is not whole: '%s' is missing", path,
                        parser->has_end ? "checksum" : "end");
  return status;
}

dorm_status dorm_factors_read(dorm_context *context, const char *path, dorm_factors **factors)
{
  if (DORM__LACKS(context, DORM__GIVEN(path), DORM__RESULT(factors)))
    return DORM_BAD_USAGE;
  factors_parser parser = {.context = context, .hash = DORM__HASH_START};
  *factors = NULL;
  dorm_status status = DORM__ALL(dorm__line_reader_open(context, path, &parser.lines),
                                 dorm_settings_new(context, &parser.settings), read_lines(&parser, path));
  dorm__line_reader_close(parser.lines);
  dorm_settings_free(parser.settings);
  if (status == DORM_OK)
    *factors = parser.factors;
  else
    dorm_factors_free(parser.factors);
  return status;
}
