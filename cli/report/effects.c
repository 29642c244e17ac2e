/* effects.c: the effects of the features of a data file on a model of any kind. The loss of a feature is the decrease
 * of the measure when its values are shuffled among the documents of the first queries (Breiman 2001). The effect of a
 * feature is the mean change of a document's score when this feature alone takes another value and the rest of the
 * query stays the same. Cost: a few scorings of at most MOST_VALUES values for each feature. */
#include "cli/report/report.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 1000000, MOST_SHUFFLED = 200, MOST_FEATURES = 100, MOST_CHANGED = 24, MOST_QUERY = 200 };

/* The first queries of a data set as dense rows. */
typedef struct sample {
  dorm_arrays arrays;            /* `floats` is `values` */
  float *values;                 /* [num_docs][num_features] */
  double *scores, *other_scores; /* [num_docs] */
  dorm_dataset *dataset;
} sample;

static void sample_clear(sample *of)
{
  free(of->values);
  free(of->scores);
  free(of->other_scores);
  dorm_dataset_free(of->dataset);
}

/* Copies as many of the first queries as MOST_VALUES allows, but at least one. */
static sample take_sample(dorm_context *context, const dorm_dataset *dataset)
{
  sample made = {.arrays = {.struct_size = sizeof made.arrays}};
  dorm_arrays *arrays = &made.arrays;
  cli_check(context, dorm_dataset_arrays(context, dataset, arrays));
  size_t count = 1, width = arrays->num_features;
  while (count < arrays->num_queries && count < MOST_SHUFFLED && arrays->query_start[count + 1] * width <= MOST_VALUES)
    count++;
  arrays->num_queries = count;
  arrays->num_docs = arrays->query_start[count];
  made.values = cli_alloc(arrays->num_docs * width, sizeof *made.values);
  made.scores = cli_alloc(arrays->num_docs, sizeof *made.scores);
  made.other_scores = cli_alloc(arrays->num_docs, sizeof *made.other_scores);
  for (size_t j = 0; j < arrays->num_docs; j++)
    for (size_t f = 0; f < width; f++)
      made.values[j * width + f] = dorm_dataset_value(dataset, j, f);
  arrays->floats = made.values;
  arrays->row_start = NULL;
  arrays->indices = NULL;
  arrays->row_stride = arrays->column_stride = 0;
  cli_check(context, dorm_dataset_new(context, arrays, &made.dataset));
  return made;
}

/* Draws by xorshift64, so that the same files give the same report. */
static size_t draw(uint64_t *state, size_t count)
{
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return (size_t)(*state % count);
}

static double measure(const report *made, const sample *from, const double *scores)
{
  dorm_evaluation evaluation = {.struct_size = sizeof evaluation};
  dorm_status status = dorm_evaluate(made->context, made->measure, from->dataset, scores, NULL, &evaluation);
  return status != DORM_OK ? NAN : evaluation.lower_is_better ? -evaluation.mean : evaluation.mean;
}

/* Returns the measure after the column is shuffled, and restores the column. column[num_docs] is scratch. */
static double measure_shuffled(const report *made, sample *from, size_t f, float *column)
{
  size_t num_docs = from->arrays.num_docs, width = from->arrays.num_features;
  uint64_t state = 88172645463325252u;
  for (size_t j = 0; j < num_docs; j++)
    column[j] = from->values[j * width + f];
  for (size_t j = num_docs - 1; j > 0; j--) {
    size_t k = draw(&state, j + 1);
    float kept = from->values[j * width + f];
    from->values[j * width + f] = from->values[k * width + f];
    from->values[k * width + f] = kept;
  }
  cli_check(made->context, dorm_model_score_rows(made->context, made->model, &from->arrays,
                                                 made->asked->reading.num_threads, from->other_scores));
  for (size_t j = 0; j < num_docs; j++)
    from->values[j * width + f] = column[j];
  return measure(made, from, from->other_scores);
}

static int compare_features(const void *x, const void *y)
{
  const report_feature *one = x, *two = y;
  if (one->loss != two->loss)
    return one->loss < two->loss ? 1 : -1;
  return (one->id > two->id) - (one->id < two->id);
}

/* Finds the features that vary in the data, with the loss of each. Keeps at most MOST_FEATURES with the largest
 * correlations with the label. */
static void find_losses(report *made, sample *from)
{
  const cli_data *summary = &made->data->summary;
  float *column = cli_alloc(from->arrays.num_docs, sizeof *column);
  made->features = cli_alloc(summary->num_features, sizeof *made->features);
  double whole = measure(made, from, from->scores);
  for (size_t f = 0; f < summary->num_features; f++)
    if (!summary->features[f].is_constant)
      made->features[made->num_features++] =
          (report_feature){f, summary->features[f].id, fabs(summary->features[f].correlation)};
  qsort(made->features, made->num_features, sizeof *made->features, compare_features);
  made->num_features = made->num_features < MOST_FEATURES ? made->num_features : MOST_FEATURES;
  for (size_t i = 0; i < made->num_features; i++) {
    double loss = whole - measure_shuffled(made, from, made->features[i].column, column);
    made->features[i].loss = isfinite(loss) ? loss : 0;
  }
  free(column);
  qsort(made->features, made->num_features, sizeof *made->features, compare_features);
}

static int compare_floats(const void *x, const void *y)
{
  float one = *(const float *)x, two = *(const float *)y;
  return (one > two) - (one < two);
}

/* Fills the values of the effect with distinct ones from the 5th to the 95th percentile. */
static void choose_values(const sample *from, size_t f, report_effect *effect)
{
  size_t known = 0, width = from->arrays.num_features;
  float *sorted = cli_alloc(from->arrays.num_docs, sizeof *sorted);
  for (size_t j = 0; j < from->arrays.num_docs; j++)
    if (!isnan(from->values[j * width + f]))
      sorted[known++] = from->values[j * width + f];
  qsort(sorted, known, sizeof *sorted, compare_floats);
  for (size_t i = 0; known && i < REPORT_GRID; i++) {
    double value = (double)sorted[(size_t)((0.05 + 0.9 * (double)i / (REPORT_GRID - 1)) * (double)(known - 1))];
    if (!effect->count || value > effect->values[effect->count - 1])
      effect->values[effect->count++] = value;
  }
  free(sorted);
}

/* Adds to changes[count] the changes in the score of document `doc` of the query range [begin, end) for each value of
 * the feature. rows[count][end - begin][num_features] and scores[count][end - begin] are scratch. */
static void add_changes(const report *made, const sample *from, size_t f, const size_t range[3], report_effect *effect,
                        float *rows, double *scores)
{
  size_t begin = range[0], size = range[1] - range[0], doc = range[2] - begin, width = from->arrays.num_features;
  size_t starts[REPORT_GRID + 1] = {0};
  for (size_t i = 0; i < effect->count; i++) {
    memcpy(rows + i * size * width, from->values + begin * width, size * width * sizeof *rows);
    rows[(i * size + doc) * width + f] = (float)effect->values[i];
    starts[i + 1] = (i + 1) * size;
  }
  dorm_arrays arrays = {.struct_size = sizeof arrays,
                        .num_docs = effect->count * size,
                        .num_queries = effect->count,
                        .query_start = starts,
                        .num_features = width,
                        .feature_ids = from->arrays.feature_ids,
                        .floats = rows};
  cli_check(made->context,
            dorm_model_score_rows(made->context, made->model, &arrays, made->asked->reading.num_threads, scores));
  for (size_t i = 0; i < effect->count; i++)
    effect->changes[i] += scores[i * size + doc] - from->scores[begin + doc];
}

/* Computes an effect from a random document of each of the first queries that are not too long. */
static void find_effect(const report *made, const sample *from, size_t f, report_effect *effect)
{
  const size_t *start = from->arrays.query_start;
  size_t room = (size_t)REPORT_GRID * MOST_QUERY, changed = 0;
  uint64_t state = 88172645463325252u;
  float *rows = cli_alloc(room * (from->arrays.num_features + 1), sizeof *rows);
  double *scores = cli_alloc(room, sizeof *scores);
  choose_values(from, f, effect);
  for (size_t q = 0; q < from->arrays.num_queries && changed < MOST_CHANGED; q++) {
    if (start[q + 1] - start[q] > MOST_QUERY)
      continue;
    size_t doc = start[q] + draw(&state, start[q + 1] - start[q]);
    add_changes(made, from, f, (size_t[]){start[q], start[q + 1], doc}, effect, rows, scores);
    changed++;
  }
  for (size_t i = 0; i < effect->count; i++)
    effect->changes[i] /= changed ? (double)changed : 1;
  effect->count = changed ? effect->count : 0;
  free(rows);
  free(scores);
}

void report_find_effects(report *made)
{
  dorm_context_set_log(made->context, NULL, NULL); /* warnings about these data have been printed */
  sample from = take_sample(made->context, made->data->dataset);
  made->num_shuffled = from.arrays.num_queries;
  memcpy(from.scores, made->data->scores, from.arrays.num_docs * sizeof *from.scores);
  find_losses(made, &from);
  for (size_t i = 0; i < REPORT_EFFECTS && i < made->num_features; i++)
    find_effect(made, &from, made->features[i].column, &made->effects[i]);
  sample_clear(&from);
}
