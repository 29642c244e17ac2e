/*
 * model_file.c: a model as readable text,
 *
 *   dorm model 1
 *   # comments and blank lines anywhere
 *   setting solver.C = 1, 3, 10       one line a setting that made it
 *   normalisation minmax
 *   global ID SHIFT SPREAD             of global normalisations, one line a feature
 *   rank_block 0.5
 *   feature ID VALUE-WEIGHT [RANK-WEIGHT]
 *   kernel RANK-BLOCK PIVOTS EXPRESSION   any number of kernel parts, each
 *   pivot WEIGHT ID:VALUE ... [/ ID:RANK ...]   with its pivots behind it
 *   end COUNT                          the number of features
 *   checksum HEX                       FNV-1a of the lines above, each ended by '\n'; nothing behind it
 *
 * The checksum may be missing: who edits a model takes that line out. Numbers read back exactly. Settings that this
 * version does not know are an error: the file is then of another version.
 */
#include "models/model_file.h"
#include "base/file.h"
#include "base/index_map.h"
#include "data/data.h"
#include "features/features.h"
#include "models/model_parts.h"
#include "models/models.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char first_line[] = "dorm model 1";

static void write_global(dorm__output *output, const dorm_model *model)
{
  if (!model->shift)
    return;
  dorm__output_text(output, "# id, shift and spread of the training data\n");
  for (size_t f = 0; f < model->num_ids; f++) {
    dorm__output_text(output, "global %zu ", model->ids[f]);
    dorm__output_number(output, model->shift[f]);
    dorm__output_text(output, " ");
    dorm__output_number(output, model->spread[f]);
    dorm__output_text(output, "\n");
  }
}

dorm_status dorm_model_write(dorm_context *context, const dorm_model *model, const char *path)
{
  dorm__output *output = NULL;
  dorm_status status = dorm__output_open(context, path, &output);
  if (status != DORM_OK)
    return status;
  dorm__output_start_hash(output);
  dorm__output_text(output, "%s\n# written by dorm %s\n", first_line, dorm_version());
  dorm__setting_lines_write(model->settings, output);
  dorm__output_text(output, "normalisation %s\nrank_block ", dorm__normalisation_name(model->normalisation));
  dorm__output_number(output, model->rank_block);
  dorm__output_text(output, "\n");
  write_global(output, model);
  dorm__output_text(output, "# id, weight of the value%s\n",
                    model->rank_block > 0 ? ", weight of the within-query rank" : "");
  for (size_t f = 0; f < model->num_ids; f++) {
    dorm__output_text(output, "feature %zu ", model->ids[f]);
    dorm__output_number(output, model->weights[f]);
    if (model->rank_block > 0) {
      dorm__output_text(output, " ");
      dorm__output_number(output, model->weights[model->num_ids + f]);
    }
    dorm__output_text(output, "\n");
  }
  dorm__model_parts_write(model, output);
  dorm__output_text(output, "end %zu\n", model->num_ids);
  dorm__output_text(output, "checksum %016" PRIx64 "\n", dorm__output_hash(output));
  return dorm__output_commit(context, output);
}

typedef struct model_parser {
  dorm_context *context;
  dorm__line_reader *reader;
  dorm_settings *settings;
  dorm__normalisation normalisation;
  bool has_normalisation;
  double rank_block;
  bool has_rank_block;
  bool has_end;
  bool has_checksum;
  uint64_t hash; /* of the lines so far */
  size_t count;
  size_t *ids;
  double *value_weights;
  double *rank_weights;
  size_t ids_capacity, values_capacity, ranks_capacity;
  size_t num_parts, parts_capacity;
  dorm__part_reader *parts;
  size_t num_globals;
  size_t *global_ids;
  double *shift;
  double *spread;
  size_t global_ids_capacity, shift_capacity, spread_capacity;
} model_parser;

#define FAIL_LINE(parser, ...) dorm__line_reader_fail((parser)->context, (parser)->reader, __VA_ARGS__)

static bool is_id(double value)
{
  return value >= 0 && value <= DORM__LARGEST_ID && value == floor(value);
}

static dorm_status read_feature(model_parser *parser, char *text)
{
  double id;
  double value = 0;
  double rank = 0;
  if (!parser->has_rank_block)
    return FAIL_LINE(parser, "'feature' before 'rank_block'");
  if (!dorm__next_number(&text, " \t", &id) || !is_id(id))
    return FAIL_LINE(parser, "'feature' needs an id of 0 to %d", DORM__LARGEST_ID);
  bool good =
      dorm__next_number(&text, " \t", &value) && (parser->rank_block <= 0 || dorm__next_number(&text, " \t", &rank));
  if (!good || *dorm__trim(text))
    return FAIL_LINE(parser, "feature %.0f needs %s", id,
                     parser->rank_block > 0 ? "two finite weights" : "one finite weight");
  if (parser->count && (size_t)id <= parser->ids[parser->count - 1])
    return FAIL_LINE(parser, "feature id %.0f does not increase after %zu", id, parser->ids[parser->count - 1]);
  if (!dorm__grow((void **)&parser->ids, &parser->ids_capacity, parser->count + 1, sizeof *parser->ids) ||
      !dorm__grow((void **)&parser->value_weights, &parser->values_capacity, parser->count + 1, sizeof(double)) ||
      !dorm__grow((void **)&parser->rank_weights, &parser->ranks_capacity, parser->count + 1, sizeof(double)))
    return dorm__out_of_memory(parser->context, "a model");
  parser->ids[parser->count] = (size_t)id;
  parser->value_weights[parser->count] = value;
  parser->rank_weights[parser->count] = rank;
  parser->count++;
  return DORM_OK;
}

/* The line that ends the features, or the part before the next. */
static dorm_status check_last_part(model_parser *parser)
{
  const dorm__part_reader *last = parser->num_parts ? &parser->parts[parser->num_parts - 1] : NULL;
  if (last && last->part.num_pivots != last->expected)
    return FAIL_LINE(parser, "a kernel of %zu pivots, but %zu were read", last->expected, last->part.num_pivots);
  return DORM_OK;
}

static dorm_status read_part(model_parser *parser, bool is_pivot, char *rest)
{
  dorm__part_reader *last = parser->num_parts ? &parser->parts[parser->num_parts - 1] : NULL;
  if (is_pivot)
    return last ? dorm__part_reader_pivot(parser->context, parser->reader, parser->count, parser->ids, rest, last)
                : FAIL_LINE(parser, "'pivot' before 'kernel'");
  dorm_status status = check_last_part(parser);
  if (status != DORM_OK)
    return status;
  if (!dorm__grow((void **)&parser->parts, &parser->parts_capacity, parser->num_parts + 1, sizeof *parser->parts))
    return dorm__out_of_memory(parser->context, "a model");
  last = &parser->parts[parser->num_parts++];
  *last = (dorm__part_reader){0};
  return dorm__part_reader_start(parser->context, parser->reader, parser->count, rest, last);
}

static dorm_status read_global(model_parser *parser, char *text)
{
  double id, shift, spread;
  bool good = dorm__next_number(&text, " \t", &id) && is_id(id) && dorm__next_number(&text, " \t", &shift) &&
              dorm__next_number(&text, " \t", &spread) && spread >= 0;
  if (!good || *dorm__trim(text))
    return FAIL_LINE(parser, "'global' needs an id, a shift and a spread of 0 or more");
  if (!dorm__grow((void **)&parser->global_ids, &parser->global_ids_capacity, parser->num_globals + 1,
                  sizeof *parser->global_ids) ||
      !dorm__grow((void **)&parser->shift, &parser->shift_capacity, parser->num_globals + 1, sizeof(double)) ||
      !dorm__grow((void **)&parser->spread, &parser->spread_capacity, parser->num_globals + 1, sizeof(double)))
    return dorm__out_of_memory(parser->context, "a model");
  parser->global_ids[parser->num_globals] = (size_t)id;
  parser->shift[parser->num_globals] = shift;
  parser->spread[parser->num_globals++] = spread;
  return DORM_OK;
}

static dorm_status check_checksum(model_parser *parser, const char *text)
{
  char right[17];
  parser->has_checksum = true;
  snprintf(right, sizeof right, "%016" PRIx64, parser->hash);
  return strcmp(text, right) == 0
             ? DORM_OK
             : FAIL_LINE(parser, "the checksum is not that of the lines above: the model is damaged (or was edited: "
                                 "without this line it is read as it is)");
}

static dorm_status read_word(model_parser *parser, const char *word, char *rest)
{
  double number;
  if (strcmp(word, "setting") == 0)
    return dorm__setting_line_read(parser->context, parser->reader, rest, parser->settings);
  if (strcmp(word, "feature") == 0)
    return parser->num_parts ? FAIL_LINE(parser, "'feature' behind 'kernel'") : read_feature(parser, rest);
  if (strcmp(word, "kernel") == 0 || strcmp(word, "pivot") == 0)
    return read_part(parser, *word == 'p', rest);
  if (strcmp(word, "global") == 0)
    return read_global(parser, rest);
  if (strcmp(word, "normalisation") == 0) {
    parser->has_normalisation = true;
    return dorm__normalisation_from(rest, &parser->normalisation)
               ? DORM_OK
               : FAIL_LINE(parser, "normalisation '%.40s' is not known here", rest);
  }
  if (strcmp(word, "rank_block") == 0) {
    if (parser->has_rank_block)
      return FAIL_LINE(parser, "rank_block is given twice");
    parser->has_rank_block = true;
    return dorm__text_to_double(rest, &parser->rank_block) && parser->rank_block >= 0 && isfinite(parser->rank_block)
               ? DORM_OK
               : FAIL_LINE(parser, "rank_block '%.40s' is not a number of 0 or more", rest);
  }
  if (strcmp(word, "end") == 0) {
    dorm_status status = check_last_part(parser);
    if (status != DORM_OK)
      return status;
    parser->has_end = true;
    return dorm__text_to_double(rest, &number) && number == (double)parser->count
               ? DORM_OK
               : FAIL_LINE(parser, "'end %.40s', but %zu features were read", rest, parser->count);
  }
  return FAIL_LINE(parser, "'%.40s' is not known here", word);
}

static dorm_status read_line(model_parser *parser, char *line)
{
  char *text = dorm__trim(line);
  if (!*text || *text == '#')
    return DORM_OK;
  char *rest = text + strcspn(text, " \t");
  if (*rest)
    *rest++ = '\0';
  if (parser->has_checksum || (parser->has_end && strcmp(text, "checksum") != 0))
    return FAIL_LINE(parser, "something stands behind 'end'");
  return parser->has_end ? check_checksum(parser, dorm__trim(rest)) : read_word(parser, text, dorm__trim(rest));
}

static dorm_status read_lines(model_parser *parser)
{
  const char *line = NULL;
  const char *end = NULL;
  char *copy = NULL;
  size_t capacity = 0;
  dorm_status status;
  while ((status = dorm__line_reader_next(parser->context, parser->reader, &line, &end)) == DORM_OK && line) {
    size_t size = (size_t)(end - line);
    if (!dorm__grow((void **)&copy, &capacity, size + 1, 1)) {
      status = dorm__out_of_memory(parser->context, "a model");
      break;
    }
    memcpy(copy, line, size);
    copy[size] = '\0';
    if (memchr(line, '\0', size))
      status = FAIL_LINE(parser, "a zero byte");
    else if (dorm__line_reader_number(parser->reader) == 1 && strcmp(copy, first_line) != 0)
      status = FAIL_LINE(parser, "not a model of this version of dorm: the first line is not '%s'", first_line);
    else if (dorm__line_reader_number(parser->reader) > 1)
      status = read_line(parser, copy);
    if (status != DORM_OK)
      break;
    parser->hash = dorm__hash_bytes(parser->hash, line, size);
    parser->hash = dorm__hash_bytes(parser->hash, "\n", 1);
  }
  dorm__free(copy);
  return status;
}

static dorm_status make_model(model_parser *parser, const char *path, dorm_model **model)
{
  if (!parser->has_normalisation || !parser->has_rank_block || !parser->has_end)
    return dorm__fail(parser->context, DORM_BAD_DATA, "%s: the model is not whole: '%s' is missing", path,
                      !parser->has_normalisation ? "normalisation"
                      : !parser->has_rank_block  ? "rank_block"
                                                 : "end");
  size_t num_globals = dorm__normalisation_is_global(parser->normalisation) ? parser->count : 0;
  if (parser->num_globals != num_globals ||
      (num_globals && memcmp(parser->global_ids, parser->ids, num_globals * sizeof *parser->ids) != 0))
    return dorm__fail(parser->context, DORM_BAD_DATA,
                      "%s: the ids of the 'global' lines are not those of the features under normalisation %s", path,
                      dorm__normalisation_name(parser->normalisation));
  dorm__feature_map map = {parser->count,      parser->ids,   parser->normalisation,
                           parser->rank_block, parser->shift, parser->spread};
  dorm_status status = dorm__model_new(parser->context, &map, parser->settings, model);
  if (status != DORM_OK)
    return status;
  if (parser->count)
    memcpy((*model)->weights, parser->value_weights, parser->count * sizeof(double));
  if (parser->count && parser->rank_block > 0)
    memcpy((*model)->weights + parser->count, parser->rank_weights, parser->count * sizeof(double));
  for (size_t i = 0; status == DORM_OK && i < parser->num_parts; i++)
    status = dorm__model_add_part(parser->context, *model, &parser->parts[i].part);
  if (status != DORM_OK) {
    dorm_model_free(*model);
    *model = NULL;
  }
  return status;
}

dorm_status dorm__model_read(dorm_context *context, const char *path, dorm_model **model)
{
  model_parser parser = {.context = context, .hash = DORM__HASH_START};
  *model = NULL;
  dorm_status status = dorm__line_reader_open(context, path, &parser.reader);
  if (status == DORM_OK)
    status = dorm_settings_new(context, &parser.settings);
  if (status == DORM_OK)
    status = read_lines(&parser);
  if (status == DORM_OK)
    status = make_model(&parser, path, model);
  dorm__line_reader_close(parser.reader);
  dorm_settings_free(parser.settings);
  dorm__free(parser.ids);
  dorm__free(parser.value_weights);
  dorm__free(parser.rank_weights);
  for (size_t i = 0; i < parser.num_parts; i++)
    dorm__part_reader_clear(&parser.parts[i]);
  dorm__free(parser.parts);
  dorm__free(parser.global_ids);
  dorm__free(parser.shift);
  dorm__free(parser.spread);
  return status;
}
