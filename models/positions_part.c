/*
 * positions_part.c: functions of the first positions (Le and Smola 2007, section 3.4). With g the scores of a query's
 * documents by the parts before this one, and h[p] the linear functions of this part, the model ranks by
 *
 *   max over rankings  sum_p c[p] (g[document at p] + h[p][document at p]),   h[p] = 0 after the first positions,
 *
 * an assignment problem of the oracle (assignment/). Its documents after the first positions are sorted by g. To make
 * the scores fall along this ranking, the part raises a document of the first positions to a little above the one after
 * it if its g is not above that already. The others keep g.
 *
 * In a model file the line `positions COUNT RANK-BLOCK WEIGHTS` has the number of functions and the position weights c:
 * `power EXPONENT`, `log`, `loglog`, or `listed` with numbers that do not increase. A line `position` for each function
 * follows, from the first position on. It has the weights of the features in the order of their lines, then, if the
 * part has a rank block, the weights of their ranks. The part is the last one of its model. A query of l documents
 * costs O(COUNT l^2).
 */
#include "base/team.h"
#include "models/model_lines.h"
#include "models/models.h"

#include <math.h>
#include <string.h>

/* The distance of a raised document to the one after it, as a share of the largest score of the query or of their
 * range. It is small, but visible in single precision. */
static const double score_step = 1e-6;

typedef struct positions_part {
  dorm__position_functions functions; /* owns the values of the position weights */
  size_t num_ids;
  double rank_block;
  size_t width;         /* num_ids, or twice that with a rank block */
  double *weights;      /* [functions.count][width] */
  char description[80]; /* of counts alone */
} positions_part;

static void positions_free(void *state)
{
  DORM__FREED positions_part *part = state;
  if (!part)
    return;
  dorm__position_weights_clear(&part->functions.c);
  dorm__free(part->weights);
}

/* ---- Rankings -------------------------------------------------------------------- */

/* Scratch of one thread, for queries of up to max_docs documents. */
typedef struct position_ranker {
  const dorm_dataset *dataset;
  const dorm__position_functions *functions;
  const double *own;
  dorm__oracle_workspace *workspace;
  double *c, *zero; /* [max_docs] */
  double *g;        /* [1 + count][number of documents of the query] */
  uint32_t *order;  /* [max_docs] */
} position_ranker;

/* Raises the documents at the first `top` positions. */
static void raise_first(size_t top, size_t num_docs, const uint32_t *order, double *scores)
{
  double least = INFINITY, most = -INFINITY, after = -INFINITY;
  for (size_t j = 0; j < num_docs; j++) {
    least = fmin(least, scores[j]);
    most = fmax(most, scores[j]);
  }
  double size = fmax(most - least, fmax(fabs(most), fabs(least)));
  double step = score_step * (size > 0 ? size : 1);
  for (size_t p = top; p < num_docs; p++)
    after = fmax(after, scores[order[p]]);
  for (size_t p = top; p-- > 0;) {
    double *score = &scores[order[p]];
    *score = *score > after ? *score : after + step;
    after = *score;
  }
}

static dorm_status rank_query(dorm_context *context, const position_ranker *ranker, size_t query, double *scores)
{
  size_t first = ranker->dataset->query_start[query], count = ranker->functions->count;
  size_t num_docs = ranker->dataset->query_start[query + 1] - first;
  DORM__OWNED(dorm__oracle_plan) *plan = NULL;
  memcpy(ranker->g, scores + first, num_docs * sizeof *scores);
  for (size_t p = 0; p < count; p++)
    memcpy(ranker->g + (p + 1) * num_docs, ranker->own + p * ranker->dataset->num_docs + first,
           num_docs * sizeof *scores);
  dorm_status status =
      dorm__oracle_plan_new(context, DORM__ORACLE_AUTO, num_docs, ranker->c, ranker->zero, ranker->c, &plan);
  if (status == DORM_OK)
    status = dorm__oracle_plan_set_functions(context, plan, count);
  if (status == DORM_OK) {
    status = dorm__oracle_solve(plan, ranker->workspace, ranker->g, 0, ranker->order, NULL);
    if (status != DORM_OK)
      status = dorm__fail(context, status, "%.200s: query %.80s: the scores left the range of numbers",
                          ranker->dataset->name, dorm_dataset_query_id(ranker->dataset, query));
  }
  if (status == DORM_OK) {
    size_t top = count < num_docs ? count : num_docs;
    while (top && ranker->c[top - 1] == 0) /* these positions have no weight, so the shared function ranks */
      top--;
    raise_first(top, num_docs, ranker->order, scores + first);
  }
  return status;
}

/* Ranks queries first .. end - 1. */
static dorm_status rank_share(dorm_context *context, const dorm_dataset *dataset,
                              const dorm__position_functions *functions, const double *own, size_t first, size_t end,
                              double *scores)
{
  size_t max_docs = dorm__dataset_max_docs(dataset);
  DORM__AT_END(dorm__region_clear) dorm__region memory = {0};
  position_ranker ranker = {.dataset = dataset,
                            .functions = functions,
                            .own = own,
                            .c = dorm__region_take_zero(&memory, max_docs, sizeof *ranker.c),
                            .zero = dorm__region_take_zero(&memory, max_docs, sizeof *ranker.zero),
                            .g = dorm__region_take_zero(&memory, max_docs, (1 + functions->count) * sizeof *ranker.g),
                            .order = dorm__region_take_zero(&memory, max_docs, sizeof *ranker.order)};
  dorm_status status = memory.is_short ? dorm__out_of_memory(context, "rankings by functions of positions")
                                       : dorm__oracle_workspace_new(context, max_docs, &ranker.workspace);
  if (status == DORM_OK)
    dorm__position_weights_fill(&functions->c, max_docs, ranker.c);
  for (size_t q = first; status == DORM_OK && q < end; q++)
    status = dataset->query_start[q + 1] > dataset->query_start[q] ? rank_query(context, &ranker, q, scores) : DORM_OK;
  dorm__oracle_workspace_free(ranker.workspace);
  return status;
}

dorm_status dorm__rank_by_positions(dorm_context *context, const dorm_dataset *dataset,
                                    const dorm__position_functions *functions, const double *own, size_t num_threads,
                                    double *scores)
{
  size_t num_queries = dataset->num_queries;
  dorm__team *team = NULL;
  dorm_status status = dorm__team_new(context, num_threads, "rankings by functions of positions", &team);
  if (status != DORM_OK)
    return status;
#pragma omp parallel for schedule(static, 1) num_threads((int)num_threads)
  for (size_t i = 0; i < num_threads; i++)
    dorm__team_note(team, i,
                    rank_share(dorm__team_context(team), dataset, functions, own, i * num_queries / num_threads,
                               (i + 1) * num_queries / num_threads, scores));
  return dorm__team_end(context, team);
}

/* ---- The part -------------------------------------------------------------------- */

/* Makes a part without weights. Takes over the values of the position weights, even on failure. */
static dorm_status new_part(dorm_context *context, size_t num_ids, double rank_block,
                            const dorm__position_functions *functions, positions_part **part)
{
  positions_part *made = dorm__alloc_zero(1, sizeof *made);
  dorm__feature_map map = {.num_ids = num_ids, .rank_block = rank_block};
  *part = made;
  if (!made) {
    dorm__free(functions->c.values);
    return dorm__out_of_memory(context, "a model");
  }
  *made = (positions_part){
      .functions = *functions, .num_ids = num_ids, .rank_block = rank_block, .width = dorm__feature_map_width(&map)};
  snprintf(made->description, sizeof made->description, "%zu first position%s of %zu features, rank block %g",
           functions->count, functions->count == 1 ? "" : "s", num_ids, rank_block);
  return DORM_OK;
}

dorm_status dorm__positions_part_new(dorm_context *context, size_t num_ids, double rank_block,
                                     const dorm__position_functions *functions, const double *weights, dorm__part *part)
{
  positions_part *made = NULL;
  dorm__position_functions own = *functions;
  *part = (dorm__part){0};
  own.c.values = dorm__alloc(own.c.count, sizeof *own.c.values);
  if (!own.c.values)
    return dorm__out_of_memory(context, "a model");
  if (own.c.count)
    memcpy(own.c.values, functions->c.values, own.c.count * sizeof *own.c.values);
  dorm_status status = new_part(context, num_ids, rank_block, &own, &made);
  if (status != DORM_OK)
    return status;
  made->weights = dorm__alloc(own.count, made->width * sizeof *made->weights);
  if (!made->weights) {
    positions_free(made);
    return dorm__out_of_memory(context, "a model");
  }
  if (made->width)
    memcpy(made->weights, weights, own.count * made->width * sizeof *weights);
  *part = (dorm__part){&dorm__positions_part, 1, made};
  return DORM_OK;
}

static dorm_status positions_score(dorm_context *context, const void *state, const dorm__feature_map *map,
                                   const dorm_dataset *dataset, size_t num_threads, double weight, double *scores)
{
  const positions_part *part = state;
  size_t num_docs = dataset->num_docs;
  dorm__feature_map own_map = *map;
  own_map.rank_block = part->rank_block;
  dorm_status status = DORM_OK;
  DORM__FREED double *own = dorm__alloc(num_docs, part->functions.count * sizeof *own);
  (void)weight; /* the kind scales */
  if (!own)
    return dorm__out_of_memory(context, "scores");
  for (size_t p = 0; status == DORM_OK && p < part->functions.count; p++)
    status = dorm__score_by_batches(context, dataset, &own_map, num_threads, part->weights + p * part->width,
                                    own + p * num_docs);
  return DORM__ALL(status, dorm__rank_by_positions(context, dataset, &part->functions, own, num_threads, scores));
}

static void positions_scale(void *state, double factor)
{
  positions_part *part = state;
  for (size_t i = 0; i < part->functions.count * part->width; i++)
    part->weights[i] *= factor;
}

static const char *positions_describe(const void *state)
{
  const positions_part *part = state;
  return part->description;
}

/* ---- Files ----------------------------------------------------------------------- */

static const struct {
  const char *word;
  dorm__position_weights_kind kind;
} weight_words[] = {{"power", DORM__WEIGHTS_POWER},
                    {"log", DORM__WEIGHTS_LOG},
                    {"loglog", DORM__WEIGHTS_LOG_LOG},
                    {"listed", DORM__WEIGHTS_LISTED}};
enum { NUM_WEIGHT_WORDS = sizeof weight_words / sizeof *weight_words };

static void positions_write(const void *state, const dorm__feature_map *map, dorm__output *output)
{
  const positions_part *part = state;
  const dorm__position_weights *c = &part->functions.c;
  (void)map;
  dorm__output_text(output, "positions %zu %s", part->functions.count, DORM__NUMBER(part->rank_block));
  for (size_t i = 0; i < NUM_WEIGHT_WORDS; i++)
    if (weight_words[i].kind == c->kind)
      dorm__output_text(output, " %s", weight_words[i].word);
  if (c->kind == DORM__WEIGHTS_POWER)
    dorm__output_numbers(output, 1, &c->exponent);
  else
    dorm__output_numbers(output, c->count, c->values);
  for (size_t p = 0; p < part->functions.count; p++) {
    dorm__output_text(output, "position");
    dorm__output_numbers(output, part->width, part->weights + p * part->width);
  }
}

/* Reads the position weights, the rest of the part's first line. */
static dorm_status read_weights(dorm_context *context, dorm__model_lines *lines, char *text, dorm__position_weights *c)
{
  size_t length = strcspn(text, " \t"), capacity = 0, i = 0;
  while (i < NUM_WEIGHT_WORDS &&
         (strlen(weight_words[i].word) != length || strncmp(weight_words[i].word, text, length) != 0))
    i++;
  if (i == NUM_WEIGHT_WORDS)
    return dorm__line_reader_fail(context, lines->reader, "'%.40s' are no position weights that are known here", text);
  c->kind = weight_words[i].kind;
  text += length;
  bool good = c->kind != DORM__WEIGHTS_POWER || (dorm__next_number(&text, " \t", &c->exponent) && c->exponent >= 0);
  while (good && c->kind == DORM__WEIGHTS_LISTED && *dorm__trim(text)) {
    double value = 0;
    good = dorm__next_number(&text, " \t", &value) && value >= 0 && (!c->count || value <= c->values[c->count - 1]);
    if (good && !DORM__GROW(c->values, capacity, c->count + 1))
      return dorm__out_of_memory(context, "a model");
    if (good)
      c->values[c->count++] = value;
  }
  return good && !*dorm__trim(text) && (c->kind != DORM__WEIGHTS_LISTED || c->count)
             ? DORM_OK
             : dorm__line_reader_fail(context, lines->reader,
                                      "position weights are finite numbers of 0 or more that do not increase");
}

static dorm_status read_head(dorm_context *context, dorm__model_lines *lines, const dorm__feature_map *map, char *text,
                             positions_part **part)
{
  double rank_block;
  dorm__position_functions functions = {0};
  if (!dorm__next_count(&text, 1, 1000, &functions.count))
    return dorm__line_reader_fail(context, lines->reader, "'positions' needs a number of functions, 1 to 1000");
  if (!dorm__next_number(&text, " \t", &rank_block) || rank_block < 0)
    return dorm__line_reader_fail(context, lines->reader, "'positions' needs a rank block of 0 or more");
  dorm_status status = read_weights(context, lines, dorm__trim(text), &functions.c);
  if (status == DORM_OK)
    return new_part(context, map->num_ids, rank_block, &functions, part);
  dorm__position_weights_clear(&functions.c);
  return status;
}

static dorm_status positions_read(dorm_context *context, dorm__model_lines *lines, const dorm__feature_map *map,
                                  char *text, void **state)
{
  positions_part *part = NULL;
  size_t capacity = 0;
  *state = NULL;
  dorm_status status = read_head(context, lines, map, text, &part);
  for (size_t p = 0; status == DORM_OK && p < part->functions.count; p++)
    status = dorm__grow((void **)&part->weights, &capacity, p + 1, (part->width + 1) * sizeof *part->weights)
                 ? dorm__model_lines_numbers(context, lines, "position", part->width, part->weights + p * part->width)
                 : dorm__out_of_memory(context, "a model");
  return DORM__GIVE(status, state, part, positions_free);
}

const dorm__part_kind dorm__positions_part = {
    .word = "positions",
    .score = positions_score,
    .scale = positions_scale,
    .write = positions_write,
    .read = positions_read,
    .describe = positions_describe,
    .free = positions_free,
};
