/*
 * blend.c: chooses the share of parts, such as trees, in a model that has linear models or kernels too. Both sides are
 * means of candidates, each divided by the spread of its scores. Each side is scored once, and every share is measured
 * from these scores. In a cross-validation each fold adds the values of its own best candidates on its held-out
 * queries.
 */
#include "base/processes.h"
#include "training/selection.h"

#include <math.h>
#include <string.h>

typedef struct blend {
  const dorm__job *job;
  const dorm_dataset *dataset;
  size_t num_shares;
  double *sides[2]; /* [num_docs], scores of the side without parts and of the side of parts */
  double *scores;   /* [num_docs] */
  double *values;   /* [num_shares][num_queries], NaN if a query does not count */
} blend;

static bool has_both(const dorm_training *training)
{
  bool has[2] = {false, false};
  for (size_t i = 0; i < training->num_trained; i++)
    if (training->trained[i].candidate.is_selected)
      has[training->trained[i].num_parts > 0] = true;
  return has[0] && has[1];
}

static dorm_status score_parts(const blend *made, const dorm__feature_map *map, const dorm_training *training)
{
  dorm_status status = DORM_OK;
  memset(made->sides[1], 0, made->dataset->num_docs * sizeof(double));
  for (size_t i = 0; status == DORM_OK && i < training->num_trained; i++) {
    const dorm__trained *trained = &training->trained[i];
    if (trained->candidate.is_selected && trained->num_parts)
      status = dorm__trained_add_scores(made->job->context, trained, map, made->dataset, made->job->num_threads,
                                        dorm__selection_factor(trained), made->sides[1]);
  }
  return status;
}

/* Scores by the model of the candidates that are no parts. The others lose their marks and get them back. */
static dorm_status score_others(const blend *made, const dorm__feature_map *map, dorm_training *training)
{
  const dorm__job *job = made->job;
  bool *was_selected = dorm__alloc(training->num_trained, sizeof *was_selected);
  if (!was_selected)
    return dorm__out_of_memory(job->context, "the selection");
  for (size_t i = 0; i < training->num_trained; i++) {
    was_selected[i] = training->trained[i].candidate.is_selected;
    if (training->trained[i].num_parts)
      training->trained[i].candidate.is_selected = 0;
  }
  dorm_status status = dorm__selection_model(job->context, job->settings, map, training);
  for (size_t i = 0; i < training->num_trained; i++)
    training->trained[i].candidate.is_selected = was_selected[i];
  dorm__free(was_selected);
  if (status == DORM_OK)
    status = dorm__model_score(job->context, training->model, made->dataset, job->num_threads, made->sides[0]);
  dorm_model_free(training->model);
  training->model = NULL;
  return status;
}

/* Measures share number `index`. */
static dorm_status measure_share(const blend *made, size_t index)
{
  const dorm__job *job = made->job;
  double share = dorm__settings_number_at(job->settings, DORM__SELECTION_BLEND, index);
  dorm_evaluation evaluation;
  for (size_t j = 0; j < made->dataset->num_docs; j++)
    made->scores[j] = (1 - share) * made->sides[0][j] + share * made->sides[1][j];
  return dorm__job_measure(job, made->dataset, made->scores, made->values + index * made->dataset->num_queries,
                           &evaluation);
}

void dorm__share_sum_take(dorm__share_sum *sum, double difference, double weight)
{
  if (!isfinite(difference))
    return;
  sum->weight += weight;
  sum->square_weights += weight * weight;
  sum->sum += weight * difference;
  sum->squares += weight * difference * difference;
}

double dorm__share_sum_mean(const dorm__share_sum *sum, double *error)
{
  double weight = sum->weight;
  double n = weight > 0 ? weight * weight / sum->square_weights : 0;
  double mean = weight > 0 ? sum->sum / weight : 0;
  *error = sqrt(n > 1 ? fmax(0, sum->squares / weight - mean * mean) / (n - 1) : INFINITY);
  return mean;
}

/* Sums the weighted differences between share `index` and the first one over the queries of a shard. */
static dorm__share_sum sum_differences(const blend *made, size_t index, size_t shard)
{
  dorm__share_sum sum = {0};
  size_t first, end;
  dorm__shard_range(made->dataset, shard, &first, &end);
  for (size_t q = first; q < end; q++) {
    double difference = made->values[index * made->dataset->num_queries + q] - made->values[q];
    dorm__share_sum_take(&sum, difference, dorm_dataset_query_weight(made->dataset, q));
  }
  return sum;
}

/* Adds the differences between each share and the first one, over the queries of all processes. */
static dorm_status add_differences(const blend *made, dorm__share_sums *sums)
{
  size_t num_shards = dorm__shards_here(made->dataset), width = sizeof(dorm__share_sum) / sizeof(double);
  dorm__share_sums all = {.count = made->num_shares};
  DORM__FREED dorm__share_sum *parts = dorm__alloc(num_shards + 1, made->num_shares * sizeof *parts);
  if (!parts)
    return dorm__out_of_memory(made->job->context, "the selection");
  for (size_t s = 0; s < num_shards; s++)
    for (size_t i = 0; i < made->num_shares; i++)
      parts[(s + 1) * made->num_shares + i] = sum_differences(made, i, s);
  all.shares = parts;
  dorm_status status = dorm__processes_sum(made->job->context, num_shards, made->num_shares * width,
                                           (const double *)(parts + made->num_shares), (double *)parts);
  if (status == DORM_OK)
    dorm__share_sums_add(&all, sums);
  return status;
}

dorm_status dorm__share_sums_new(const dorm__job *job, dorm__share_sums *sums)
{
  *sums = (dorm__share_sums){.count = dorm__settings_count(job->settings, DORM__SELECTION_BLEND)};
  sums->shares = dorm__alloc_zero(sums->count, sizeof *sums->shares);
  return sums->shares ? DORM_OK : dorm__out_of_memory(job->context, "the selection");
}

void dorm__share_sums_clear(dorm__share_sums *sums)
{
  dorm__free(sums->shares);
  *sums = (dorm__share_sums){0};
}

dorm_status dorm__blend_measure(const dorm__job *job, const dorm_dataset *dataset, const dorm__feature_map *map,
                                dorm_training *training, dorm__share_sums *sums)
{
  if (!has_both(training))
    return DORM_OK;
  size_t num_docs = dataset->num_docs;
  blend made = {.job = job, .dataset = dataset, .num_shares = sums->count};
  DORM__FREED double *numbers = dorm__alloc(num_docs, 3 * sizeof *numbers);
  made.values = dorm__alloc(dataset->num_queries, made.num_shares * sizeof *made.values);
  dorm_status status = numbers && made.values ? DORM_OK : dorm__out_of_memory(job->context, "the selection");
  if (status == DORM_OK) {
    made.sides[0] = numbers;
    made.sides[1] = numbers + num_docs;
    made.scores = numbers + 2 * num_docs;
    dorm__selection_share(0.5, training); /* gives twice the divisors, since both sides have a share of one half */
    status = score_parts(&made, map, training);
  }
  if (status == DORM_OK)
    status = score_others(&made, map, training);
  for (size_t i = 0; status == DORM_OK && i < made.num_shares; i++)
    status = measure_share(&made, i);
  if (status == DORM_OK)
    status = add_differences(&made, sums);
  dorm__free(made.values);
  return status;
}

/* Returns the number of the best share: the first one, unless the mean difference of another from it is above its
 * standard error. */
static size_t best_share(const dorm__share_sums *sums)
{
  size_t best = 0;
  double best_mean = 0;
  for (size_t i = 1; i < sums->count; i++) {
    double error, mean = dorm__share_sum_mean(&sums->shares[i], &error);
    if (mean > error && mean > best_mean) {
      best = i;
      best_mean = mean;
    }
  }
  return best;
}

dorm_status dorm__blend_score(const dorm__job *job, const dorm_dataset *dataset, const dorm__feature_map *map,
                              dorm_training *training, double *scores)
{
  blend made = {.job = job, .dataset = dataset};
  DORM__FREED double *parts = dorm__alloc(dataset->num_docs, sizeof *parts);
  made.sides[0] = scores;
  made.sides[1] = parts;
  dorm_status status =
      DORM__ALL(parts ? score_parts(&made, map, training) : dorm__out_of_memory(job->context, "the selection"),
                score_others(&made, map, training));
  for (size_t j = 0; status == DORM_OK && j < dataset->num_docs; j++)
    scores[j] += parts[j];
  return status;
}

void dorm__share_sums_add(const dorm__share_sums *sums, dorm__share_sums *to)
{
  for (size_t i = 0; i < to->count; i++) {
    to->shares[i].weight += sums->shares[i].weight;
    to->shares[i].square_weights += sums->shares[i].square_weights;
    to->shares[i].sum += sums->shares[i].sum;
    to->shares[i].squares += sums->shares[i].squares;
  }
}

void dorm__blend_choose(const dorm__job *job, const dorm__share_sums *sums, dorm_training *training)
{
  dorm__selection_share(dorm__settings_number_at(job->settings, DORM__SELECTION_BLEND, best_share(sums)), training);
}

void dorm__blend_say(const dorm__job *job, const dorm__share_sums *sums, const dorm_training *training)
{
  if (has_both(training) && sums->shares[0].weight > 0)
    dorm__detail(job->context, "parts such as trees have a share of %g in the mean (selection.blend)",
                 dorm__settings_number_at(job->settings, DORM__SELECTION_BLEND, best_share(sums)));
}
