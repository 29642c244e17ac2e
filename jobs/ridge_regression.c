/*
 * ridge_regression.c: query-centred ridge regression on the labels, or on their gains. Training starts at it, and it is
 * a candidate itself. Centring within the query removes constants, which do not affect a ranking.
 *
 *   (S + lambda I) w = s,   S = sum_j x_j (x_j - mean of its query)',
 *                           s = sum_j x_j (y_j - mean of its query), y = r or 2^r - 1
 *
 * The terms of a query are multiplied by its weight, and y_j by the weight of document j, if the data have some.
 *
 * With few features S is formed (BLAS) and factorised. If that would take long and there are many documents per
 * feature, a sample of every second, third, ... query is enough. A regression on n documents has a squared error larger
 * than the least possible one by a share of about width / n. The rounding of floats is far below that error, so S of a
 * sample is summed in floats. With many features, or sparse ones, the system is solved by conjugate gradients, which
 * need only products with the rows. The queries of a shard are cut into a fixed number of pieces. The pieces and then
 * the shards are summed in order, so the result does not depend on the number of threads and processes.
 */
#include "base/linalg.h"
#include "base/processes.h"
#include "jobs/rows.h"

#include <math.h>
#include <string.h>

enum { DOCS_PER_FEATURE = 400 };    /* if there are more, a sample with about this many is used */
enum { ALWAYS_FORMED = 100000000 }; /* multiply-adds up to which all rows are used */
enum { NUM_PIECES = 8, MOST_FORMED = 1000, MOST_STEPS = 200, ROWS_AT_ONCE = 512 };
static const double relative_residual = 1e-8;
/* S is summed in floats only if the ridge is far above their rounding and the squares are within their range. */
static const double least_ridge_of_floats = 1e-3, least_sum_of_floats = 1e-20, largest_sum_of_floats = 1e30;

typedef struct ridge_system {
  dorm_context *context;
  const dorm_context *asked; /* asked whether to stop, or NULL */
  const dorm_dataset *dataset;
  const dorm__features *features;
  size_t num_threads;
  size_t width;
  size_t stride;  /* the queries 0, stride, 2 stride, ... are used */
  bool in_floats; /* whether S is summed in floats */
  double lambda;
  dorm_status status; /* of the last sum over the shards */
  double *pieces;     /* [NUM_PIECES][width] sums */
  double *shards;     /* [shards here][width] sums, at least one number per shard for the trace */
  size_t first;       /* queries first .. end - 1 are the present shard */
  size_t end;
  double *doc_sum; /* [num_docs] labels or gains, later the products with the rows */
} ridge_system;

/* Returns the first query of a piece of the present shard. */
static size_t piece_start(const ridge_system *system, size_t piece)
{
  return system->first + piece * (system->end - system->first) / NUM_PIECES;
}

/* Makes a shard of this process the present one. */
static void enter_shard(ridge_system *system, size_t shard)
{
  dorm__shard_range(system->dataset, shard, &system->first, &system->end);
}

/* Returns whether a query is in the sample, which counts the queries of all processes in their order. */
static bool is_used(const ridge_system *system, size_t query)
{
  return (dorm__queries_before(system->dataset) + query) % system->stride == 0;
}

/* Subtracts the mean from the values of a query. */
static void centre(size_t count, double *values)
{
  double mean = 0;
  for (size_t i = 0; i < count; i++)
    mean += values[i] / (double)count;
  for (size_t i = 0; i < count; i++)
    values[i] -= mean;
}

/* Computes result = sum_j weight_j x_j y_j over the sampled queries of the present shard, with y = doc_sum, which it
 * centres, and weight_j the weight of the query. */
static void combine_shard(ridge_system *system, double *result)
{
  const dorm_dataset *dataset = system->dataset;
#pragma omp parallel for schedule(dynamic, 1) num_threads((int)system->num_threads)
  for (size_t piece = 0; piece < NUM_PIECES; piece++) {
    double *sum = system->pieces + piece * system->width;
    memset(sum, 0, system->width * sizeof *sum);
    for (size_t q = piece_start(system, piece); q < piece_start(system, piece + 1); q++) {
      size_t first = dataset->query_start[q];
      size_t end = dataset->query_start[q + 1];
      if (!is_used(system, q))
        continue;
      centre(end - first, system->doc_sum + first);
      double weight = dorm_dataset_query_weight(dataset, q);
      for (size_t j = first; j < end; j++)
        dorm__features_add(system->features, j, weight * system->doc_sum[j], sum);
    }
  }
  memset(result, 0, system->width * sizeof *result);
  for (size_t piece = 0; piece < NUM_PIECES; piece++)
    dorm__add_scaled(system->width, 1, system->pieces + piece * system->width, result);
}

/* Does the same over all queries of all processes. */
static dorm_status combine_rows(ridge_system *system, double *result)
{
  size_t count = dorm__shards_here(system->dataset);
  for (size_t i = 0; i < count; i++) {
    enter_shard(system, i);
    combine_shard(system, system->shards + i * system->width);
  }
  return dorm__processes_sum(system->context, count, system->width, system->shards, result);
}

/* Computes result = (S + lambda I) x for the ridge_system `user`. */
static bool multiply(void *user, const double *x, double *result)
{
  ridge_system *system = user;
  const dorm_dataset *dataset = system->dataset;
  dorm__features_score_queries(system->features, dataset->num_queries, dataset->query_start, x, system->num_threads,
                               system->doc_sum);
  system->status = combine_rows(system, result);
  dorm__add_scaled(system->width, system->lambda, x, result);
  return system->status == DORM_OK && (!system->asked || !dorm__cancelled(system->asked));
}

/* Returns trace S = sum_q weight_q (sum_j |x_j|^2 - |sum_j x_j|^2 / docs of q) over the present shard. sum [width] is
 * zero before and after. */
static double trace_of_shard(const ridge_system *system, double *sum)
{
  const dorm_dataset *dataset = system->dataset;
  double total = 0;
  for (size_t q = system->first; q < system->end; q++) {
    size_t first = dataset->query_start[q];
    size_t end = dataset->query_start[q + 1];
    double of_means = 0;
    double weight = dorm_dataset_query_weight(dataset, q);
    for (size_t j = first; j < end; j++) {
      dorm__row row = dorm__features_row(system->features, j);
      for (size_t e = 0; e < row.count; e++) {
        double *entry = &sum[row.indices ? row.indices[e] : e];
        double value = dorm__row_value(&row, e);
        of_means += value * (2 * *entry + value); /* the square of the entry grows by this */
        *entry += value;
        total += weight * (value * value);
      }
    }
    total -= weight * (of_means / (double)(end - first));
    for (size_t j = first; j < end; j++) {
      dorm__row row = dorm__features_row(system->features, j);
      for (size_t e = 0; e < row.count; e++)
        sum[row.indices ? row.indices[e] : e] = 0;
    }
  }
  return total;
}

/* Does the same over all queries of all processes. */
static dorm_status find_trace(ridge_system *system, double *sum, double *trace)
{
  size_t count = dorm__shards_here(system->dataset);
  for (size_t i = 0; i < count; i++) {
    enter_shard(system, i);
    system->shards[i] = trace_of_shard(system, sum);
  }
  dorm_status status = dorm__processes_sum(system->context, count, 1, system->shards, trace);
  *trace = fmax(0, *trace);
  return status;
}

/* A batch of centred rows in doubles or in floats, since BLAS is faster on many rows at once. */
typedef struct row_block {
  double *exact; /* [room][width] */
  float *values;
  double *mean; /* [width] of a query */
  float *gram;  /* [width][width] of the rows in floats */
} row_block;

static bool row_block_new(const ridge_system *system, size_t room, row_block *made)
{
  size_t width = system->width;
  *made = (row_block){.mean = dorm__alloc(width, sizeof *made->mean)};
  if (system->in_floats) {
    made->values = dorm__alloc(room, width * sizeof *made->values);
    made->gram = dorm__alloc_zero(width, width * sizeof *made->gram);
  } else {
    made->exact = dorm__alloc(room, width * sizeof *made->exact);
  }
  return made->mean && (made->exact || (made->values && made->gram));
}

static void row_block_clear(row_block *block)
{
  dorm__free(block->exact);
  dorm__free(block->values);
  dorm__free(block->mean);
  dorm__free(block->gram);
}

/* Puts the rows of a query, minus their mean and times the root of the query's weight, after the first `before` rows of
 * the batch. */
static void centre_rows(const ridge_system *system, size_t query, size_t before, row_block *block)
{
  size_t first = system->dataset->query_start[query];
  size_t count = system->dataset->query_start[query + 1] - first;
  size_t width = system->width;
  double *mean = block->mean;
  double root = sqrt(dorm_dataset_query_weight(system->dataset, query));
  memset(mean, 0, width * sizeof *mean);
  for (size_t i = 0; i < count; i++)
    dorm__features_add(system->features, first + i, 1 / (double)count, mean);
  for (size_t i = 0; i < count; i++) {
    dorm__row row = dorm__features_row(system->features, first + i); /* dense */
    size_t at = (before + i) * width;
    for (size_t f = 0; f < width; f++) {
      double value = root * (dorm__row_value(&row, f) - mean[f]);
      if (block->values)
        block->values[at + f] = (float)value;
      else
        block->exact[at + f] = value;
    }
  }
}

/* Adds x x' to covariance for the centred rows x of the queries of one piece. False when out of memory. */
static bool add_piece(const ridge_system *system, size_t piece, double *covariance)
{
  const size_t *start = system->dataset->query_start;
  size_t width = system->width;
  DORM__AT_END(row_block_clear) row_block block;
  bool is_good = row_block_new(system, ROWS_AT_ONCE + dorm__dataset_max_docs(system->dataset), &block);
  size_t count = 0;
  for (size_t q = piece_start(system, piece); is_good && q < piece_start(system, piece + 1); q++) {
    if (is_used(system, q)) {
      centre_rows(system, q, count, &block);
      count += start[q + 1] - start[q];
    }
    if (count < ROWS_AT_ONCE && q + 1 < piece_start(system, piece + 1))
      continue;
    if (block.values)
      dorm__add_gram_float(count, width, block.values, block.gram);
    else
      dorm__add_gram(count, width, block.exact, covariance);
    count = 0;
  }
  for (size_t i = 0; is_good && block.gram && i < width * width; i++)
    covariance[i] += (double)block.gram[i];
  return is_good;
}

/* Sets the upper triangle of covariance [width][width] to a shard's part of S. */
static dorm_status form_part(void *user, size_t shard, double *covariance)
{
  ridge_system *system = user;
  size_t width = system->width;
  bool is_out_of_memory = false;
  DORM__FREED double *covariances = dorm__alloc_zero(NUM_PIECES, width * width * sizeof *covariances);
  if (!covariances)
    return dorm__out_of_memory(system->context, "the ridge start");
  enter_shard(system, shard);
#pragma omp parallel for schedule(dynamic, 1) num_threads((int)system->num_threads) reduction(|| : is_out_of_memory)
  for (size_t piece = 0; piece < NUM_PIECES; piece++)
    is_out_of_memory = !add_piece(system, piece, covariances + piece * width * width) || is_out_of_memory;
  memset(covariance, 0, width * width * sizeof *covariance);
  for (size_t piece = 0; piece < NUM_PIECES; piece++)
    dorm__add_scaled(width * width, 1, covariances + piece * width * width, covariance);
  return is_out_of_memory ? dorm__out_of_memory(system->context, "the ridge start") : DORM_OK;
}

/* Sets the upper triangle of covariance [width][width] to S. */
static dorm_status form_covariance(ridge_system *system, double *covariance)
{
  size_t width = system->width;
  return dorm__processes_sum_along(system->context, dorm__shards_here(system->dataset), width * width, form_part,
                                   system, covariance);
}

static double sum_of_diagonal(size_t width, const double *matrix)
{
  double sum = 0;
  for (size_t f = 0; f < width; f++)
    sum += matrix[f * width + f];
  return sum;
}

/* Replaces w = s by (S + lambda I)^-1 s. covariance [width][width] is scratch. */
static dorm_status solve_formed(dorm_context *context, ridge_system *system, double ridge, double *covariance,
                                double *w)
{
  size_t width = system->width;
  system->in_floats = system->stride > 1 && ridge >= least_ridge_of_floats;
  dorm_status status = form_covariance(system, covariance);
  double sum_of_squares = sum_of_diagonal(width, covariance);
  if (status == DORM_OK && system->in_floats &&
      !(sum_of_squares >= least_sum_of_floats && sum_of_squares <= largest_sum_of_floats)) {
    system->in_floats = false;
    status = form_covariance(system, covariance);
    sum_of_squares = sum_of_diagonal(width, covariance);
  }
  if (status != DORM_OK)
    return status;
  if (!(sum_of_squares > 0)) { /* no feature varies within a query: nothing to start from */
    memset(w, 0, width * sizeof *w);
    return DORM_OK;
  }
  for (size_t f = 0; f < width; f++)
    covariance[f * width + f] += ridge * sum_of_squares / (double)width;
  if (!dorm__solve_positive_definite(width, covariance, w))
    return dorm__fail(context, DORM_NUMERICAL_FAILURE,
                      "the ridge start has no solution: are features of very "
                      "different scale? (a larger solver.ridge helps)");
  return DORM_OK;
}

static bool forms_covariance(size_t width, bool is_sparse)
{
  return !is_sparse && width <= MOST_FORMED;
}

size_t dorm__ridge_stride(size_t num_docs, size_t width, bool is_sparse)
{
  bool is_large = num_docs > ALWAYS_FORMED / ((width + 1) * (width + 1));
  return forms_covariance(width, is_sparse) && is_large ? 1 + num_docs / (DOCS_PER_FEATURE * (width + 1)) : 1;
}

dorm_status dorm__ridge_regression(dorm_context *context, const dorm_dataset *dataset,
                                   const dorm__sampled_features *sample, bool on_gains, double ridge,
                                   size_t num_threads, double *w)
{
  const dorm__features *features = &sample->rows;
  size_t width = features->num_features;
  bool is_formed = forms_covariance(width, features->row_start != NULL);
  DORM__AT_END(dorm__region_clear) dorm__region memory = {0};
  double *scratch = dorm__region_take_zero(&memory, is_formed ? width : 3, width * sizeof *scratch);
  ridge_system system = {
      .context = context,
      .asked = features->exact ? context : NULL, /* a stop ends only a kernel's start */
      .dataset = dataset,
      .features = features,
      .num_threads = num_threads,
      .width = width,
      .stride = sample->stride,
      .pieces = dorm__region_take_zero(&memory, NUM_PIECES, width * sizeof *system.pieces),
      .shards = dorm__region_take_zero(&memory, dorm__shards_here(dataset), (width + !width) * sizeof *system.shards),
      .doc_sum = dorm__region_take_zero(&memory, dataset->num_docs, sizeof *system.doc_sum)};
  if (memory.is_short)
    return dorm__out_of_memory(context, "the ridge start");
#pragma omp parallel for num_threads((int)num_threads)
  for (size_t j = 0; j < dataset->num_docs; j++)
    system.doc_sum[j] =
        dorm_dataset_doc_weight(dataset, j) * (on_gains ? exp2(dataset->labels[j]) - 1 : dataset->labels[j]);
  dorm_status status = combine_rows(&system, w);
  if (status == DORM_OK && is_formed)
    return solve_formed(context, &system, ridge, scratch, w);
  if (status == DORM_OK)
    status = find_trace(&system, scratch, &system.lambda);
  if (status != DORM_OK)
    return status;
  system.lambda = ridge * system.lambda / (double)width;
  if (!(system.lambda > 0))
    memset(w, 0, width * sizeof *w);
  else if (!dorm__conjugate_gradients(width, multiply, &system, w, scratch, MOST_STEPS, relative_residual))
    return system.status == DORM_OK ? dorm__fail(context, DORM_STOPPED, "stopped on request") : system.status;
  return DORM_OK;
}
