/*
 * model_file.c: a model as readable text,
 *
 *   dorm model 1
 *   # comments and blank lines anywhere
 *   setting solver.C = 1, 3, 10       one line for each setting that made the model
 *   set KEY ...                       the settings that the user set; others are defaults, or what these became
 *   remark TEXT                       how the model was trained, for people; any number of them
 *   normalisation minmax
 *   global ID SHIFT SPREAD            of global normalisations, one line for each feature
 *   missing ID MEAN                   what replaces a missing value, if the normalisation is not within queries;
 *                                     not for trees, whose splits have a side for it
 *   cross SIZE LEFT x RIGHT           ids from 2147483648 on are products of features: of each pair of the two lists in
 *                                     turn, or, if SIZE is not 0, hashed to as many; only in models with products
 *   rank_block 0.5                    of the linear part; 0 if there is none
 *   feature ID VALUE-WEIGHT [RANK-WEIGHT]   a feature of the model and its weights in the linear part
 *   kernel RANK-BLOCK PIVOTS EXPRESSION     a kernel part; any number of them
 *   pivot WEIGHT ID:VALUE ... [/ ID:RANK ...]   one line for each pivot of the kernel above
 *   positions COUNT RANK-BLOCK WEIGHTS      functions of the first positions, with the position weights; the last part
 *   position WEIGHT ...               one line for each function above, with the weights of all features
 *   part KIND WEIGHT ...              a part of another kind, with further lines of that kind
 *   end COUNT                         the number of features
 *   checksum HEX                      FNV-1a of the lines above, each ended by '\n'; nothing follows it
 *
 * Parts follow the lines about features. The checksum may be missing, so delete that line when you edit a model.
 * Numbers read back exactly. Unknown settings and kinds of parts are errors, because the file is then from another
 * version.
 */
#include "base/file.h"
#include "base/spec.h"
#include "data/data.h"
#include "features/features.h"
#include "models/model_lines.h"
#include "models/models.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char first_line[] = "dorm model 1";

/* ---- Writing --------------------------------------------------------------------- */

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

static void write_means(dorm__output *output, const dorm_model *model)
{
  if (!model->mean)
    return;
  dorm__output_text(output, "# id, mean of the training data\n");
  for (size_t f = 0; f < model->num_ids; f++) {
    dorm__output_text(output, "missing %zu ", model->ids[f]);
    dorm__output_number(output, model->mean[f]);
    dorm__output_text(output, "\n");
  }
}

/* Writes the features and the linear part, with weights of 0 if the model has none. */
static void write_features(dorm__output *output, const dorm_model *model)
{
  double rank_block;
  const double *weights = dorm__model_linear_weights(model, &rank_block);
  dorm__output_text(output, "normalisation %s\nrank_block ", dorm__normalisation_name(model->normalisation));
  dorm__output_number(output, rank_block);
  dorm__output_text(output, "\n");
  if (model->cross)
    dorm__output_text(output, "cross %zu %.*s\n", model->cross->size, (int)dorm__cross_lists_size(model->cross),
                      model->cross->text);
  write_global(output, model);
  write_means(output, model);
  dorm__output_text(output, "# id, weight of the value%s\n", rank_block > 0 ? ", weight of the within-query rank" : "");
  for (size_t f = 0; f < model->num_ids; f++) {
    dorm__output_text(output, "feature %zu ", model->ids[f]);
    dorm__output_number(output, weights ? weights[f] : 0);
    if (rank_block > 0) {
      dorm__output_text(output, " ");
      dorm__output_number(output, weights[model->num_ids + f]);
    }
    dorm__output_text(output, "\n");
  }
}

static void write_part(dorm__output *output, const dorm__feature_map *map, const dorm__part *part)
{
  if (!part->kind->write)
    return;
  if (!part->kind->scale) {
    dorm__output_text(output, "part %s ", part->kind->word);
    dorm__output_number(output, part->weight);
  }
  part->kind->write(part->state, map, output);
}

static void write_model(dorm__output *output, const dorm_model *model)
{
  dorm__feature_map map = dorm__model_map(model);
  dorm__output_start_hash(output);
  dorm__output_text(output, "%s\n# written by dorm %s\n", first_line, dorm_version());
  dorm__setting_lines_write(model->settings, output);
  dorm__set_line_write(model->settings, output);
  for (size_t i = 0; i < model->num_remarks; i++)
    dorm__output_text(output, "remark %s\n", model->remarks[i]);
  write_features(output, model);
  for (size_t i = 0; i < model->num_parts; i++)
    write_part(output, &map, &model->parts[i]);
  dorm__output_text(output, "end %zu\n", model->num_ids);
  dorm__output_text(output, "checksum %016" PRIx64 "\n", dorm__output_hash(output));
}

dorm_status dorm_model_write(dorm_context *context, const dorm_model *model, const char *path)
{
  if (DORM__LACKS(context, DORM__GIVEN(model), DORM__GIVEN(path)))
    return DORM_BAD_USAGE;
  dorm__output *output = NULL;
  dorm_status status = dorm__output_open(context, path, &output);
  if (status != DORM_OK)
    return status;
  write_model(output, model);
  return dorm__output_commit(context, output);
}

dorm_status dorm_model_to_text(dorm_context *context, const dorm_model *model, char **text, size_t *size)
{
  if (DORM__LACKS(context, DORM__GIVEN(model), DORM__RESULT(text), DORM__GIVEN(size)))
    return DORM_BAD_USAGE;
  dorm__output *output = NULL;
  *size = 0;
  dorm_status status = dorm__output_to_memory(context, &output);
  if (status != DORM_OK)
    return status;
  write_model(output, model);
  return dorm__output_take(context, output, text, size);
}

void dorm_text_free(char *text)
{
  dorm__free(text);
}

/* ---- Reading --------------------------------------------------------------------- */

/* The lines of a linear part of earlier versions. */
typedef struct weight_lines {
  size_t count;
  size_t *ids;
  double *values;
  double *ranks;
  size_t ids_capacity;
  size_t values_capacity;
  size_t ranks_capacity;
} weight_lines;

typedef struct remark_lines {
  size_t count;
  size_t capacity;
  char **items;
} remark_lines;

/* The lines `global`. */
typedef struct global_lines {
  size_t count;
  size_t *ids;
  double *shift;
  double *spread;
  size_t ids_capacity;
  size_t shift_capacity;
  size_t spread_capacity;
} global_lines;

/* The lines `missing`. */
typedef struct mean_lines {
  size_t count;
  size_t *ids;
  double *mean;
  size_t ids_capacity;
  size_t mean_capacity;
} mean_lines;

typedef struct model_parser {
  dorm_context *context;
  const char *path;
  dorm__model_lines lines;
  size_t num_kinds;
  const dorm__part_kind *const *kinds; /* besides dorm__part_kind_named */
  dorm_settings *settings;
  dorm__normalisation normalisation;
  bool has_normalisation;
  double rank_block;
  bool has_rank_block;
  dorm__cross *cross;
  bool has_set;
  bool has_end;
  bool has_checksum;
  weight_lines weights;
  remark_lines remarks;
  global_lines globals;
  mean_lines means;
  dorm_model *model; /* NULL until the lines about features have ended */
} model_parser;

#define FAIL_LINE(parser, ...) dorm__line_reader_fail((parser)->context, (parser)->lines.reader, __VA_ARGS__)

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
    return FAIL_LINE(parser, "'feature' needs an id of 0 to %" PRIu32, DORM__LARGEST_ID);
  bool good =
      dorm__next_number(&text, " \t", &value) && (parser->rank_block <= 0 || dorm__next_number(&text, " \t", &rank));
  if (!good || *dorm__trim(text))
    return FAIL_LINE(parser, "feature %.0f needs %s", id,
                     parser->rank_block > 0 ? "two finite weights" : "one finite weight");
  if (parser->weights.count && (size_t)id <= parser->weights.ids[parser->weights.count - 1])
    return FAIL_LINE(parser, "feature id %.0f does not increase after %zu", id,
                     parser->weights.ids[parser->weights.count - 1]);
  if (!dorm__grow((void **)&parser->weights.ids, &parser->weights.ids_capacity, parser->weights.count + 1,
                  sizeof *parser->weights.ids) ||
      !dorm__grow((void **)&parser->weights.values, &parser->weights.values_capacity, parser->weights.count + 1,
                  sizeof(double)) ||
      !dorm__grow((void **)&parser->weights.ranks, &parser->weights.ranks_capacity, parser->weights.count + 1,
                  sizeof(double)))
    return dorm__out_of_memory(parser->context, "a model");
  parser->weights.ids[parser->weights.count] = (size_t)id;
  parser->weights.values[parser->weights.count] = value;
  parser->weights.ranks[parser->weights.count] = rank;
  parser->weights.count++;
  return DORM_OK;
}

static dorm_status read_global(model_parser *parser, char *text)
{
  double id, shift, spread;
  bool good = dorm__next_number(&text, " \t", &id) && is_id(id) && dorm__next_number(&text, " \t", &shift) &&
              dorm__next_number(&text, " \t", &spread) && spread >= 0;
  if (!good || *dorm__trim(text))
    return FAIL_LINE(parser, "'global' needs an id, a shift and a spread of 0 or more");
  if (!dorm__grow((void **)&parser->globals.ids, &parser->globals.ids_capacity, parser->globals.count + 1,
                  sizeof *parser->globals.ids) ||
      !dorm__grow((void **)&parser->globals.shift, &parser->globals.shift_capacity, parser->globals.count + 1,
                  sizeof(double)) ||
      !dorm__grow((void **)&parser->globals.spread, &parser->globals.spread_capacity, parser->globals.count + 1,
                  sizeof(double)))
    return dorm__out_of_memory(parser->context, "a model");
  parser->globals.ids[parser->globals.count] = (size_t)id;
  parser->globals.shift[parser->globals.count] = shift;
  parser->globals.spread[parser->globals.count++] = spread;
  return DORM_OK;
}

static dorm_status read_missing(model_parser *parser, char *text)
{
  double id, mean;
  bool good = dorm__next_number(&text, " \t", &id) && is_id(id) && dorm__next_number(&text, " \t", &mean);
  if (!good || *dorm__trim(text))
    return FAIL_LINE(parser, "'missing' needs an id and a mean");
  if (!dorm__grow((void **)&parser->means.ids, &parser->means.ids_capacity, parser->means.count + 1,
                  sizeof *parser->means.ids) ||
      !dorm__grow((void **)&parser->means.mean, &parser->means.mean_capacity, parser->means.count + 1,
                  sizeof *parser->means.mean))
    return dorm__out_of_memory(parser->context, "a model");
  parser->means.ids[parser->means.count] = (size_t)id;
  parser->means.mean[parser->means.count++] = mean;
  return DORM_OK;
}

static dorm_status read_cross(model_parser *parser, char *text)
{
  double size;
  bool good =
      !parser->cross && dorm__next_number(&text, " \t", &size) && size >= 0 && size <= 1e7 && size == floor(size);
  if (!good)
    return FAIL_LINE(parser, "'cross' needs a size of 0 to 10000000 and two lists of ids, once");
  char number[DORM__NUMBER_SIZE];
  const char *into = size > 0 ? dorm__format_double(number, size) : NULL;
  DORM__FREED char *lists = dorm__spec_join(dorm__copy_text(dorm__trim(text)), "into", into);
  if (!lists)
    return dorm__out_of_memory(parser->context, "a model");
  dorm_status status = dorm__cross_new(parser->context, "cross", lists, &parser->cross);
  return status == DORM_OK || status == DORM_OUT_OF_MEMORY
             ? status
             : FAIL_LINE(parser, "'cross' needs two lists of ids, as in 1-5 x 20-40");
}

/* Checks that the model has all products of its lists, so that no number in a file alone makes rows wide. */
static dorm_status check_products(const model_parser *parser)
{
  size_t count = 0;
  if (!parser->cross)
    return DORM_OK;
  while (count < parser->weights.count && parser->weights.ids[parser->weights.count - 1 - count] >= DORM__FIRST_CROSS)
    count++;
  return count == parser->cross->num_columns
             ? DORM_OK
             : dorm__fail(parser->context, DORM_BAD_DATA, "%s: %zu features are products, but the line 'cross' has %zu",
                          parser->path, count, parser->cross->num_columns);
}

/* Checks that all lines about features are there. A model without 'missing' lines takes the mean of the query for
 * missing values. */
static dorm_status check_features(const model_parser *parser)
{
  if (!parser->has_normalisation || !parser->has_rank_block)
    return dorm__fail(parser->context, DORM_BAD_DATA, "%s: the model is not whole: '%s' is missing", parser->path,
                      parser->has_normalisation ? "rank_block" : "normalisation");
  size_t num_globals = dorm__normalisation_is_global(parser->normalisation) ? parser->weights.count : 0;
  if (parser->globals.count != num_globals ||
      (num_globals && memcmp(parser->globals.ids, parser->weights.ids, num_globals * sizeof *parser->weights.ids) != 0))
    return dorm__fail(parser->context, DORM_BAD_DATA,
                      "%s: the ids of the 'global' lines are not those of the features under normalisation %s",
                      parser->path, dorm__normalisation_name(parser->normalisation));
  bool may_have_means = !dorm__normalisation_is_within_queries(parser->normalisation);
  if (parser->means.count &&
      (!may_have_means || parser->means.count != parser->weights.count ||
       memcmp(parser->means.ids, parser->weights.ids, parser->weights.count * sizeof *parser->weights.ids) != 0))
    return dorm__fail(parser->context, DORM_BAD_DATA,
                      "%s: the ids of the 'missing' lines are not those of the features under normalisation %s",
                      parser->path, dorm__normalisation_name(parser->normalisation));
  return DORM_OK;
}

/* Makes the linear part from the weights of the 'feature' lines. */
static dorm_status make_linear_part(const model_parser *parser, dorm__part *part)
{
  size_t count = parser->weights.count;
  DORM__FREED double *weights = dorm__alloc_zero(count, 2 * sizeof *weights);
  if (!weights)
    return dorm__out_of_memory(parser->context, "a model");
  if (count) {
    memcpy(weights, parser->weights.values, count * sizeof *weights);
    memcpy(weights + count, parser->weights.ranks, count * sizeof *weights);
  }
  return dorm__linear_part_new(parser->context, count, parser->rank_block, weights, part);
}

/* Makes the model with its linear part, at the first line after those about features. */
static dorm_status end_features(model_parser *parser)
{
  dorm__part part;
  if (parser->model)
    return DORM_OK;
  dorm_status status = DORM__ALL(check_features(parser), check_products(parser));
  if (status == DORM_OK && !parser->has_set) /* a file of an earlier version */
    status = dorm__set_line_read(parser->context, parser->lines.reader, NULL, parser->settings);
  if (status != DORM_OK)
    return status;
  dorm__feature_map map = {.num_ids = parser->weights.count,
                           .ids = parser->weights.ids,
                           .normalisation = parser->normalisation,
                           .shift = parser->globals.shift,
                           .spread = parser->globals.spread,
                           .mean = parser->means.count ? parser->means.mean : NULL,
                           .cross = parser->cross};
  status = dorm__model_new(parser->context, &map, parser->settings, &parser->model);
  for (size_t i = 0; status == DORM_OK && i < parser->remarks.count; i++)
    status = dorm__model_remark(parser->context, parser->model, parser->remarks.items[i]);
  if (status == DORM_OK)
    status = make_linear_part(parser, &part);
  return status == DORM_OK ? dorm__model_add(parser->context, parser->model, part) : status;
}

static const dorm__part_kind *find_kind(const model_parser *parser, const char *word)
{
  for (size_t i = 0; i < parser->num_kinds; i++)
    if (strcmp(parser->kinds[i]->word, word) == 0)
      return parser->kinds[i];
  return dorm__part_kind_named(word);
}

/* Reads a part from `text`, the rest of its first line, and from the lines of its own. */
static dorm_status read_part(model_parser *parser, const dorm__part_kind *kind, double weight, char *text)
{
  dorm__part part = {kind, weight, NULL};
  dorm_status status = end_features(parser);
  if (status != DORM_OK)
    return status;
  dorm__feature_map map = dorm__model_map(parser->model);
  status = kind->read(parser->context, &parser->lines, &map, text, &part.state);
  if (status != DORM_OK)
    return status;
  status = dorm__model_add(parser->context, parser->model, part);
  if (status == DORM_OK || status == DORM_OUT_OF_MEMORY)
    return status;
  return dorm__fail_within(parser->context, status == DORM_IO_ERROR ? status : DORM_BAD_DATA, "%s", parser->path);
}

/* Reads "KIND WEIGHT ..." after the word "part". */
static dorm_status read_weighted_part(model_parser *parser, char *text)
{
  double weight;
  const char *word = text;
  text += strcspn(text, " \t");
  if (*text)
    *text++ = '\0';
  const dorm__part_kind *kind = find_kind(parser, word);
  if (!kind || kind->scale)
    return FAIL_LINE(parser, "a part of the kind '%.40s' is not known here", word);
  if (!dorm__next_number(&text, " \t", &weight))
    return FAIL_LINE(parser, "'part %s' needs a finite weight", kind->word);
  return read_part(parser, kind, weight, dorm__trim(text));
}

static dorm_status read_normalisation(model_parser *parser, const char *text)
{
  parser->has_normalisation = true;
  return dorm__normalisation_from(text, &parser->normalisation)
             ? DORM_OK
             : FAIL_LINE(parser, "normalisation '%.40s' is not known here", text);
}

static dorm_status read_rank_block(model_parser *parser, const char *text)
{
  if (parser->has_rank_block)
    return FAIL_LINE(parser, "rank_block is given twice");
  parser->has_rank_block = true;
  return dorm__text_to_double(text, &parser->rank_block) && parser->rank_block >= 0 && isfinite(parser->rank_block)
             ? DORM_OK
             : FAIL_LINE(parser, "rank_block '%.40s' is not a number of 0 or more", text);
}

/* Reads a remark, which is kept until there is a model. */
static dorm_status read_remark(model_parser *parser, const char *text)
{
  char *copy = dorm__copy_text(text);
  if (!copy || !dorm__grow((void **)&parser->remarks.items, &parser->remarks.capacity, parser->remarks.count + 1,
                           sizeof *parser->remarks.items)) {
    dorm__free(copy);
    return dorm__out_of_memory(parser->context, "a model");
  }
  parser->remarks.items[parser->remarks.count++] = copy;
  return DORM_OK;
}

static dorm_status read_setting(model_parser *parser, char *text)
{
  return dorm__setting_line_read(parser->context, parser->lines.reader, text, parser->settings);
}

static dorm_status read_set(model_parser *parser, char *text)
{
  parser->has_set = true;
  return dorm__set_line_read(parser->context, parser->lines.reader, text, parser->settings);
}

static dorm_status read_end(model_parser *parser, const char *text)
{
  double number;
  dorm_status status = end_features(parser);
  if (status != DORM_OK)
    return status;
  parser->has_end = true;
  return dorm__text_to_double(text, &number) && number == (double)parser->weights.count
             ? DORM_OK
             : FAIL_LINE(parser, "'end %.40s', but %zu features were read", text, parser->weights.count);
}

static dorm_status read_checksum(model_parser *parser, const char *text)
{
  char right[17];
  parser->has_checksum = true;
  snprintf(right, sizeof right, "%016" PRIx64, parser->lines.hash_above);
  return strcmp(text, right) == 0
             ? DORM_OK
             : FAIL_LINE(parser, "the checksum is not that of the lines above: the model is damaged (or was edited: "
                                 "without this line it is read as it is)");
}

/* Returns whether a line with this word is about settings or features, so that it must precede the parts. */
static bool precedes_parts(const char *word)
{
  static const char *const words[] = {"setting", "set",        "remark",  "normalisation", "global",
                                      "missing", "rank_block", "feature", "cross"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(word, words[i]) == 0)
      return true;
  return false;
}

static dorm_status read_line(model_parser *parser, const char *word, char *rest)
{
  if (parser->has_checksum || (parser->has_end && strcmp(word, "checksum") != 0))
    return FAIL_LINE(parser, "nothing may follow 'end' but a checksum");
  if (parser->has_end)
    return read_checksum(parser, rest);
  if (parser->model && precedes_parts(word))
    return FAIL_LINE(parser, "'%s' after the first part of the model", word);
  if (strcmp(word, "setting") == 0)
    return read_setting(parser, rest);
  if (strcmp(word, "set") == 0)
    return read_set(parser, rest);
  if (strcmp(word, "remark") == 0)
    return read_remark(parser, rest);
  if (strcmp(word, "normalisation") == 0)
    return read_normalisation(parser, rest);
  if (strcmp(word, "global") == 0)
    return read_global(parser, rest);
  if (strcmp(word, "missing") == 0)
    return read_missing(parser, rest);
  if (strcmp(word, "rank_block") == 0)
    return read_rank_block(parser, rest);
  if (strcmp(word, "cross") == 0)
    return read_cross(parser, rest);
  if (strcmp(word, "feature") == 0)
    return read_feature(parser, rest);
  if (strcmp(word, "part") == 0)
    return read_weighted_part(parser, rest);
  if (strcmp(word, "end") == 0)
    return read_end(parser, rest);
  const dorm__part_kind *kind = find_kind(parser, word);
  return kind && kind->scale ? read_part(parser, kind, 1, rest) : FAIL_LINE(parser, "'%.40s' is not known here", word);
}

static dorm_status check_first_line(const model_parser *parser, const char *word, const char *rest)
{
  size_t size = strlen(word);
  bool good = dorm__line_reader_number(parser->lines.reader) == 1 && strncmp(first_line, word, size) == 0 &&
              first_line[size] == ' ' && strcmp(first_line + size + 1, rest) == 0;
  return good ? DORM_OK
              : FAIL_LINE(parser, "not a model of this version of dorm: the first line is not '%s'", first_line);
}

static dorm_status read_lines(model_parser *parser)
{
  char *word = NULL;
  char *rest = NULL;
  dorm_status status = DORM__ALL(dorm__model_lines_next(parser->context, &parser->lines, &word, &rest),
                                 word ? check_first_line(parser, word, rest) : DORM_OK);
  while (status == DORM_OK && word)
    status = DORM__ALL(dorm__model_lines_next(parser->context, &parser->lines, &word, &rest),
                       word ? read_line(parser, word, rest) : DORM_OK);
  if (status == DORM_OK && !parser->model)
    status = check_features(parser);
  if (status == DORM_OK && !parser->has_end)
    status = dorm__fail(parser->context, DORM_BAD_DATA, "%s: the model is not whole: 'end' is missing", parser->path);
  return status;
}

/* Reads a file or, if `bytes` is not NULL, bytes [size] in memory, which messages call `path`. */
static dorm_status read_model(dorm_context *context, const char *path, const char *bytes, size_t size, size_t num_kinds,
                              const dorm__part_kind *const *kinds, dorm_model **model)
{
  model_parser parser = {.context = context, .path = path, .num_kinds = num_kinds, .kinds = kinds};
  *model = NULL;
  dorm_status status = DORM__ALL(dorm__model_lines_open(context, path, bytes, size, &parser.lines),
                                 dorm_settings_new(context, &parser.settings), read_lines(&parser));
  if (status == DORM_OK)
    *model = parser.model;
  else
    dorm_model_free(parser.model);
  dorm__model_lines_close(&parser.lines);
  dorm_settings_free(parser.settings);
  for (size_t i = 0; i < parser.remarks.count; i++)
    dorm__free(parser.remarks.items[i]);
  dorm__free(parser.remarks.items);
  dorm__free(parser.weights.ids);
  dorm__free(parser.weights.values);
  dorm__free(parser.weights.ranks);
  dorm__free(parser.globals.ids);
  dorm__free(parser.globals.shift);
  dorm__free(parser.globals.spread);
  dorm__free(parser.means.ids);
  dorm__cross_free(parser.cross);
  dorm__free(parser.means.mean);
  return status;
}

dorm_status dorm__model_read(dorm_context *context, const char *path, size_t num_kinds,
                             const dorm__part_kind *const *kinds, dorm_model **model)
{
  return read_model(context, path, NULL, 0, num_kinds, kinds, model);
}

dorm_status dorm_model_from_text(dorm_context *context, const char *text, size_t size, dorm_model **model)
{
  if (DORM__LACKS(context, DORM__GIVEN(text), DORM__RESULT(model)))
    return DORM_BAD_USAGE;
  return read_model(context, "the text of a model", text, size, 0, NULL, model);
}

dorm_status dorm_model_read(dorm_context *context, const char *path, dorm_model **model)
{
  if (DORM__LACKS(context, DORM__GIVEN(path), DORM__RESULT(model)))
    return DORM_BAD_USAGE;
  return dorm__model_read(context, path, 0, NULL, model);
}
