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
#include "models/model_lines.h"
#include "models/models.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char first_line[] = "dorm model 1";

/* ---- Writing --------------------------------------------------------------------- */

static void write_global(dorm__output *output, const dorm_model *model)
{
  if (!model->map.shift)
    return;
  dorm__output_text(output, "# id, shift and spread of the training data\n");
  for (size_t f = 0; f < model->map.num_ids; f++)
    dorm__output_text(output, "global %zu %s %s\n", model->map.ids[f], DORM__NUMBER(model->map.shift[f]),
                      DORM__NUMBER(model->map.spread[f]));
}

static void write_means(dorm__output *output, const dorm_model *model)
{
  if (!model->map.mean)
    return;
  dorm__output_text(output, "# id, mean of the training data\n");
  for (size_t f = 0; f < model->map.num_ids; f++)
    dorm__output_text(output, "missing %zu %s\n", model->map.ids[f], DORM__NUMBER(model->map.mean[f]));
}

/* Writes the features and the linear part, with weights of 0 if the model has none. */
static void write_features(dorm__output *output, const dorm_model *model)
{
  double rank_block;
  const double *weights = dorm__model_linear_weights(model, &rank_block);
  dorm__output_text(output, "normalisation %s\nrank_block %s\n", dorm__normalisation_name(model->map.normalisation),
                    DORM__NUMBER(rank_block));
  if (model->map.cross)
    dorm__output_text(output, "cross %zu %.*s\n", model->map.cross->size, (int)dorm__cross_lists_size(model->map.cross),
                      model->map.cross->text);
  write_global(output, model);
  write_means(output, model);
  dorm__output_text(output, "# id, weight of the value%s\n", rank_block > 0 ? ", weight of the within-query rank" : "");
  for (size_t f = 0; f < model->map.num_ids; f++)
    dorm__output_text(output, "feature %zu %s%s%s\n", model->map.ids[f], DORM__NUMBER(weights ? weights[f] : 0),
                      rank_block > 0 ? " " : "", rank_block > 0 ? DORM__NUMBER(weights[model->map.num_ids + f]) : "");
}

static void write_part(dorm__output *output, const dorm__feature_map *map, const dorm__part *part)
{
  if (!part->kind->write)
    return;
  if (!part->kind->scale)
    dorm__output_text(output, "part %s %s", part->kind->word, DORM__NUMBER(part->weight));
  part->kind->write(part->state, map, output);
}

static void write_model(dorm__output *output, const dorm_model *model)
{
  dorm__output_start_hash(output);
  dorm__output_text(output, "%s\n# written by dorm %s\n", first_line, dorm_version());
  dorm__setting_lines_write(model->settings, output);
  dorm__set_line_write(model->settings, output);
  for (size_t i = 0; i < model->num_remarks; i++)
    dorm__output_text(output, "remark %s\n", model->remarks[i]);
  write_features(output, model);
  for (size_t i = 0; i < model->num_parts; i++)
    write_part(output, &model->map, &model->parts[i]);
  dorm__output_text(output, "end %zu\n", model->map.num_ids);
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

/* Lines of one word, each with an id and at most two numbers. */
typedef struct id_lines {
  size_t count;
  size_t *ids;        /* [count] */
  double *numbers[2]; /* [count] */
  size_t capacities[3];
} id_lines;

typedef struct remark_lines {
  size_t count;
  size_t capacity;
  char **items;
} remark_lines;

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
  remark_lines remarks;
  id_lines weights;  /* `feature`: weights of value and rank, the linear part of earlier versions */
  id_lines globals;  /* `global`: shift and spread */
  id_lines means;    /* `missing`: mean */
  dorm_model *model; /* NULL until the lines about features have ended */
} model_parser;

#define FAIL_LINE(parser, ...) dorm__line_reader_fail((parser)->context, (parser)->lines.reader, __VA_ARGS__)

static bool next_id(char **text, size_t *id)
{
  return dorm__next_count(text, 0, DORM__LARGEST_ID, id);
}

static dorm_status add_line(dorm_context *context, size_t id, double one, double two, id_lines *lines)
{
  size_t n = lines->count;
  if (!DORM__GROW(lines->ids, lines->capacities[0], n + 1) ||
      !dorm__grow((void **)&lines->numbers[0], &lines->capacities[1], n + 1, sizeof(double)) ||
      !dorm__grow((void **)&lines->numbers[1], &lines->capacities[2], n + 1, sizeof(double)))
    return dorm__out_of_memory(context, "a model");
  lines->ids[n] = id;
  lines->numbers[0][n] = one;
  lines->numbers[1][n] = two;
  lines->count++;
  return DORM_OK;
}

static void clear_lines(id_lines *lines)
{
  dorm__free(lines->ids);
  dorm__free(lines->numbers[0]);
  dorm__free(lines->numbers[1]);
}

static dorm_status read_feature(model_parser *parser, char *text)
{
  const id_lines *before = &parser->weights;
  size_t id;
  double value = 0;
  double rank = 0;
  if (!parser->has_rank_block)
    return FAIL_LINE(parser, "'feature' before 'rank_block'");
  if (!next_id(&text, &id))
    return FAIL_LINE(parser, "'feature' needs an id of 0 to %" PRIu32, DORM__LARGEST_ID);
  bool good =
      dorm__next_number(&text, " \t", &value) && (parser->rank_block <= 0 || dorm__next_number(&text, " \t", &rank));
  if (!good || *dorm__trim(text))
    return FAIL_LINE(parser, "feature %zu needs %s", id,
                     parser->rank_block > 0 ? "two finite weights" : "one finite weight");
  if (before->count && id <= before->ids[before->count - 1])
    return FAIL_LINE(parser, "feature id %zu does not increase after %zu", id, before->ids[before->count - 1]);
  return add_line(parser->context, id, value, rank, &parser->weights);
}

static dorm_status read_global(model_parser *parser, char *text)
{
  size_t id;
  double shift, spread;
  bool good = next_id(&text, &id) && dorm__next_number(&text, " \t", &shift) &&
              dorm__next_number(&text, " \t", &spread) && spread >= 0;
  if (!good || *dorm__trim(text))
    return FAIL_LINE(parser, "'global' needs an id, a shift and a spread of 0 or more");
  return add_line(parser->context, id, shift, spread, &parser->globals);
}

static dorm_status read_missing(model_parser *parser, char *text)
{
  size_t id;
  double mean;
  bool good = next_id(&text, &id) && dorm__next_number(&text, " \t", &mean);
  if (!good || *dorm__trim(text))
    return FAIL_LINE(parser, "'missing' needs an id and a mean");
  return add_line(parser->context, id, mean, 0, &parser->means);
}

static dorm_status read_cross(model_parser *parser, char *text)
{
  size_t size;
  if (parser->cross || !dorm__next_count(&text, 0, 1e7, &size))
    return FAIL_LINE(parser, "'cross' needs a size of 0 to 10000000 and two lists of ids, once");
  const char *into = size ? DORM__NUMBER((double)size) : NULL;
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

/* Returns whether lines have the ids of the features, or, if these are NULL, whether there are none. */
static bool have_ids(const id_lines *lines, const id_lines *features)
{
  size_t count = features ? features->count : 0;
  return lines->count == count && (!count || memcmp(lines->ids, features->ids, count * sizeof *lines->ids) == 0);
}

/* Checks that all lines about features are there. A model without 'missing' lines takes the mean of the query for
 * missing values. */
static dorm_status check_features(const model_parser *parser)
{
  if (!parser->has_normalisation || !parser->has_rank_block)
    return dorm__fail(parser->context, DORM_BAD_DATA, "%s: the model is not whole: '%s' is missing", parser->path,
                      parser->has_normalisation ? "rank_block" : "normalisation");
  bool is_global = dorm__normalisation_is_global(parser->normalisation);
  bool has_means = parser->means.count && !dorm__normalisation_is_within_queries(parser->normalisation);
  const char *wrong = !have_ids(&parser->globals, is_global ? &parser->weights : NULL) ? "global"
                      : !have_ids(&parser->means, has_means ? &parser->weights : NULL) ? "missing"
                                                                                       : NULL;
  return !wrong ? DORM_OK
                : dorm__fail(parser->context, DORM_BAD_DATA,
                             "%s: the ids of the '%s' lines do not match the features under normalisation %s",
                             parser->path, wrong, dorm__normalisation_name(parser->normalisation));
}

/* Makes the linear part from the weights of the 'feature' lines. */
static dorm_status make_linear_part(const model_parser *parser, dorm__part *part)
{
  size_t count = parser->weights.count;
  DORM__FREED double *weights = dorm__alloc_zero(count, 2 * sizeof *weights);
  if (!weights)
    return dorm__out_of_memory(parser->context, "a model");
  if (count) {
    memcpy(weights, parser->weights.numbers[0], count * sizeof *weights);
    memcpy(weights + count, parser->weights.numbers[1], count * sizeof *weights);
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
                           .shift = parser->globals.numbers[0],
                           .spread = parser->globals.numbers[1],
                           .mean = parser->means.numbers[0],
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
  status = kind->read(parser->context, &parser->lines, &parser->model->map, text, &part.state);
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

static dorm_status read_normalisation(model_parser *parser, char *text)
{
  parser->has_normalisation = true;
  return dorm__normalisation_from(text, &parser->normalisation)
             ? DORM_OK
             : FAIL_LINE(parser, "normalisation '%.40s' is not known here", text);
}

static dorm_status read_rank_block(model_parser *parser, char *text)
{
  if (parser->has_rank_block)
    return FAIL_LINE(parser, "rank_block is given twice");
  parser->has_rank_block = true;
  return dorm__text_to_double(text, &parser->rank_block) && parser->rank_block >= 0 && isfinite(parser->rank_block)
             ? DORM_OK
             : FAIL_LINE(parser, "rank_block '%.40s' is not a number of 0 or more", text);
}

/* Reads a remark, which is kept until there is a model. */
static dorm_status read_remark(model_parser *parser, char *text)
{
  char *copy = dorm__copy_text(text);
  if (!copy || !DORM__GROW(parser->remarks.items, parser->remarks.capacity, parser->remarks.count + 1)) {
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

static dorm_status read_end(model_parser *parser, char *text)
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
             : FAIL_LINE(parser, "the checksum does not match the lines above: the model is damaged (or was edited: "
                                 "without this line it is read as it is)");
}

/* The words that begin a line outside of parts. */
static const struct line_kind {
  const char *word;
  dorm_status (*read)(model_parser *parser, char *rest);
  bool precedes_parts;
} line_kinds[] = {{"setting", read_setting, true},
                  {"set", read_set, true},
                  {"remark", read_remark, true},
                  {"normalisation", read_normalisation, true},
                  {"global", read_global, true},
                  {"missing", read_missing, true},
                  {"rank_block", read_rank_block, true},
                  {"cross", read_cross, true},
                  {"feature", read_feature, true},
                  {"part", read_weighted_part, false},
                  {"end", read_end, false}};

static dorm_status read_line(model_parser *parser, const char *word, char *rest)
{
  if (parser->has_checksum || (parser->has_end && strcmp(word, "checksum") != 0))
    return FAIL_LINE(parser, "nothing may follow 'end' but a checksum");
  if (parser->has_end)
    return read_checksum(parser, rest);
  for (size_t i = 0; i < sizeof line_kinds / sizeof *line_kinds; i++)
    if (strcmp(word, line_kinds[i].word) == 0)
      return parser->model && line_kinds[i].precedes_parts
                 ? FAIL_LINE(parser, "'%s' after the first part of the model", word)
                 : line_kinds[i].read(parser, rest);
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
  clear_lines(&parser.weights);
  clear_lines(&parser.globals);
  clear_lines(&parser.means);
  dorm__cross_free(parser.cross);
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
