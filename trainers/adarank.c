/*
 * adarank.c: AdaRank (Xu and Li 2007) as a trainer. A weak ranker ranks by one feature of the rows. With E(q, f) the
 * measure of query q ranked by scores f, and the distribution P over the training queries uniform at first, round t
 * takes
 *
 *   h   = argmax over the features of sum_q P(q) E(q, feature)
 *   a   = 1/2 log(sum_q P(q) (1 + E(q, h)) / sum_q P(q) (1 - E(q, h)))
 *   f  += a h
 *   P(q) = exp(-E(q, f)) / sum_q exp(-E(q, f))
 *
 * If h was also the choice of the round before, P may not change, and the published algorithm then chooses h for ever.
 * So the feature of a round is excluded in the next one.
 *
 * The weights of the model are the sums of the steps a by feature. The measure is selection.measure, whose values must
 * be in [-1, 1]. Queries that it does not count are not in P. A weak ranker that is right in all queries gets the step
 * of a mean E of 1 - 1e-9.
 *
 * There is a candidate after each number of rounds in `rounds`. E of the weak rankers is computed once: O(features
 * documents log documents), and O(features queries) for its memory and for each round.
 */
#include "trainers/trainers.h"

#include <math.h>
#include <string.h>

static const size_t rounds[] = {1, 2, 5, 10, 20, 50, 100, 200};

static size_t count(const dorm__job *job)
{
  (void)job;
  return sizeof rounds / sizeof *rounds;
}

/* The boosting of one set of rows. */
typedef struct boosting {
  const dorm__job *job;
  const dorm_dataset *train;
  const dorm__features *features;
  size_t width, num_queries;
  double *worth;        /* [width][num_queries] E of the features, NaN if the query does not count */
  double *reached;      /* [num_queries] E of the model */
  double *distribution; /* [num_queries] P */
  double *w;            /* [width] */
  double *scores;       /* [num_docs] */
  size_t last;          /* the feature of the last round, or SIZE_MAX */
} boosting;

/* Fills values [num_queries] of the measure at the scores of weights `w`. */
static dorm_status measure(boosting *all, const double *w, double *values)
{
  const dorm__job *job = all->job;
  dorm_evaluation evaluation;
  dorm__features_score_queries(all->features, all->num_queries, all->train->query_start, w, job->num_threads,
                               all->scores);
  dorm_status status = dorm__job_measure(job, all->train, all->scores, values, &evaluation);
  for (size_t q = 0; status == DORM_OK && q < all->num_queries; q++)
    if (fabs(values[q]) > 1)
      status = dorm__fail(job->context, DORM_BAD_USAGE,
                          "training.trainer = adarank needs a measure in [-1, 1]; %s of query '%s' is %g",
                          dorm__measure_spec(job->measure), dorm_dataset_query_id(all->train, q), values[q]);
  return status;
}

static dorm_status measure_features(boosting *all)
{
  dorm_status status = DORM_OK;
  for (size_t f = 0; status == DORM_OK && f < all->width; f++) {
    if (dorm__job_is_interrupted(all->job))
      return dorm__job_say_interrupted(all->job);
    all->w[f] = 1;
    status = measure(all, all->w, all->worth + f * all->num_queries);
    all->w[f] = 0;
  }
  return status;
}

/* Computes P from the worth of the model, or a uniform P at first. Returns false if no query counts. */
static bool distribute(boosting *all, bool is_first)
{
  double sum = 0;
  for (size_t q = 0; q < all->num_queries; q++) {
    bool counts = all->width && !isnan(all->worth[q]);
    all->distribution[q] = !counts ? 0 : is_first ? 1 : exp(-all->reached[q]);
    sum += all->distribution[q];
  }
  for (size_t q = 0; sum > 0 && q < all->num_queries; q++)
    all->distribution[q] /= sum;
  return sum > 0;
}

/* Returns the mean of a weak ranker under P. */
static double mean_of(const boosting *all, size_t feature)
{
  const double *worth = all->worth + feature * all->num_queries;
  double sum = 0;
  for (size_t q = 0; q < all->num_queries; q++)
    if (all->distribution[q] > 0)
      sum += all->distribution[q] * worth[q];
  return sum;
}

static dorm_status make_round(boosting *all)
{
  size_t best = 0;
  double best_mean = -INFINITY;
  for (size_t f = 0; f < all->width; f++) {
    double mean = mean_of(all, f);
    if (mean > best_mean && (f != all->last || all->width == 1)) {
      best = f;
      best_mean = mean;
    }
  }
  all->last = best;
  best_mean = fmin(fmax(best_mean, -1 + 1e-9), 1 - 1e-9);
  all->w[best] += log((1 + best_mean) / (1 - best_mean)) / 2;
  dorm_status status = measure(all, all->w, all->reached);
  if (status == DORM_OK)
    distribute(all, false);
  return status;
}

static dorm_status boost(boosting *all, const dorm__training_rows *rows, dorm__sink *sink)
{
  const dorm__job *job = all->job;
  dorm_candidate candidate = dorm__training_rows_candidate(rows);
  dorm_status status = measure_features(all);
  if (status == DORM_OK && !distribute(all, true))
    status = dorm__fail(job->context, DORM_BAD_DATA, "%s: no query counts under %s", all->train->name,
                        dorm__measure_spec(job->measure));
  candidate.reference = "adarank";
  for (size_t i = 0, made = 0; status == DORM_OK && i < count(job); i++) {
    for (; status == DORM_OK && made < rounds[i]; made++)
      status = dorm__job_is_interrupted(job) ? dorm__job_say_interrupted(job) : make_round(all);
    candidate.round = made;
    dorm__features_score_queries(all->features, all->num_queries, all->train->query_start, all->w, job->num_threads,
                                 all->scores);
    dorm__offer offer = {.candidate = candidate, .train_scores = all->scores, .w = all->w};
    if (status == DORM_OK)
      status = dorm__sink_take(sink, rows, &offer);
  }
  return status;
}

static dorm_status train(const dorm__job *job, dorm__training_rows *rows, dorm__sink *sink)
{
  size_t width = dorm__training_rows_width(rows);
  size_t num_queries = rows->train->num_queries;
  DORM__AT_END(dorm__region_clear) dorm__region memory = {0};
  boosting all = {.last = SIZE_MAX,
                  .job = job,
                  .train = rows->train,
                  .width = width,
                  .num_queries = num_queries,
                  .worth = dorm__region_take_zero(&memory, width, num_queries * sizeof *all.worth),
                  .reached = dorm__region_take_zero(&memory, num_queries, sizeof *all.reached),
                  .distribution = dorm__region_take_zero(&memory, num_queries, sizeof *all.distribution),
                  .w = dorm__region_take_zero(&memory, width, sizeof *all.w),
                  .scores = dorm__region_take_zero(&memory, rows->train->num_docs, sizeof *all.scores)};
  dorm_status status = DORM__ALL(memory.is_short ? dorm__out_of_memory(job->context, "the trainer adarank") : DORM_OK,
                                 dorm__training_rows_features(job, rows, &all.features), boost(&all, rows, sink));
  sink->grid->training->num_training_queries = num_queries;
  return status;
}

const dorm__trainer dorm__adarank_trainer = {.name = "adarank", .count = count, .train = train};
