/*
 * start.c: query-centred ridge regression on the labels, the point at which
 * training starts and a candidate of its own. Centring within the query takes
 * out what a ranking cannot see.
 */
#include "solver/solver.h"

#include <string.h>

/* Rows [count][num_features] and labels of a query, less their means. */
static void centre(const dorm_dataset *dataset, const dorm__features *features, size_t query, double *rows,
                   double *labels, double *means)
{
  size_t first = dataset->query_start[query];
  size_t count = dataset->query_start[query + 1] - first;
  size_t width = features->num_features;
  double mean_label = 0;
  memset(means, 0, width * sizeof *means);
  for (size_t i = 0; i < count; i++) {
    mean_label += dataset->labels[first + i] / (double)count;
    dorm__features_add(features, first + i, 1 / (double)count, means);
  }
  for (size_t i = 0; i < count; i++) {
    labels[i] = dataset->labels[first + i] - mean_label;
    for (size_t f = 0; f < width; f++)
      rows[i * width + f] = -means[f];
    dorm__features_add(features, first + i, 1, rows + i * width);
  }
}

dorm_status dorm__start(dorm_context *context, const dorm_dataset *dataset, const dorm__features *features,
                        double ridge, double *w)
{
  dorm_status status = DORM_OK;
  size_t width = features->num_features;
  size_t max_docs = dorm__dataset_max_docs(dataset);
  double *covariance = dorm__alloc_zero(width, width * sizeof *covariance);
  double *rows = dorm__alloc(max_docs, width * sizeof *rows);
  double *labels = dorm__alloc(max_docs, sizeof *labels);
  double *means = dorm__alloc(width, sizeof *means);
  if (!covariance || !rows || !labels || !means) {
    status = dorm__out_of_memory(context, "the ridge start");
    goto done;
  }
  memset(w, 0, width * sizeof *w);
  for (size_t q = 0; q < dataset->num_queries; q++) {
    size_t count = dataset->query_start[q + 1] - dataset->query_start[q];
    centre(dataset, features, q, rows, labels, means);
    dorm__add_gram(count, width, rows, covariance);
    for (size_t i = 0; i < count; i++)
      dorm__add_scaled(width, labels[i], rows + i * width, w);
  }
  double trace = 0;
  for (size_t f = 0; f < width; f++)
    trace += covariance[f * width + f];
  if (!(trace > 0)) /* no feature varies within a query: nothing to start from */
    goto done;
  for (size_t f = 0; f < width; f++)
    covariance[f * width + f] += ridge * trace / (double)width;
  if (!dorm__solve_positive_definite(width, covariance, w))
    status = dorm__fail(context, DORM_NUMERICAL_FAILURE,
                        "the ridge start has no solution: are features of very "
                        "different scale? (solver.ridge makes it firmer)");
done:
  dorm__free(covariance);
  dorm__free(rows);
  dorm__free(labels);
  dorm__free(means);
  return status;
}
