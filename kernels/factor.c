/*
 * factor.c: a kernel fitted to training data. With K ~ L L' the dual of the kernel problem (the paper, section 2.3: w =
 * sum alpha psi in the feature space of the kernel, equation (6)) is the solution of the linear problem on the rows of
 * L. At full rank it is the same problem. At a lower rank it is the same one for the kernel L L'. A document x that is
 * not among the training data gets the features L_P^-1 k_P(x), with k_P(x) = (k(x, p)) over the pivots p. So its score
 * is <L_P^-T w, k_P(x)>, with one weight per pivot.
 *
 * The loss by a low rank: K - L L' =: E is positive semi-definite. Let alpha be feasible for the dual, and v its
 * weights of documents (w = L' v). The two dual objectives at alpha differ by 1/2 v' E v >= 0, so
 *
 *   D_L(alpha) - 1/2 v' E v = D_K(alpha) <= optimum of K <= optimum of L L' <= P_L(w),
 *
 * the third step because D_L >= D_K everywhere (the argument of Fine and Scheinberg 2001, section 5, for support vector
 * machines). Let the dual variables of a query sum to A. Its documents have the weights v = sum alpha (c_reference -
 * c_ranking). |c_reference - c_ranking|^2 is at most D = 2 (|c|^2 - min over rankings of <c, c_ranking>), reached by
 * the reverse order. With t the sum of the residuals E_jj over its documents, |E^1/2 v| <= A sqrt(t D), so
 *
 *   1/2 v' E v <= 1/2 (sum over queries of A sqrt(t D))^2 <= 1/2 tr(E) sum over queries of A^2 D.
 *
 * The solver reports the first of the last two.
 */
#include "base/random.h"
#include "kernels/cholesky.h"
#include "kernels/expression.h"
#include "kernels/kernel_files.h"
#include "kernels/kernel_table.h"
#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 512, SAMPLE = 300, LARGEST_WHOLE = 6000 };
static const double definiteness_tolerance = 1e-8; /* of the largest diagonal entry */

void dorm__kernel_factor_free(dorm__kernel_factor *factor)
{
  if (!factor)
    return;
  dorm__kernel_free(factor->kernel);
  dorm__free(factor->text);
  dorm__free(factor->part_text);
  dorm__kernel_rows_free(&factor->pivots);
  dorm__free(factor->triangle);
  dorm__free(factor->residual);
  dorm__free(factor);
}

/* ---- Opening ---------------------------------------------------------------------- */

/* Opens the kernel of one choice, without its linear part. */
static dorm_status open_kernel(dorm_context *context, const dorm__kernel *kernel, size_t choice,
                               const dorm__feature_map *map, dorm__kernel_factor *factor)
{
  dorm_status status = dorm__kernel_choose(context, kernel, choice, &factor->kernel);
  if (status != DORM_OK)
    return status;
  factor->has_linear = dorm__kernel_take_linear(factor->kernel);
  return dorm__kernel_resolve(context, factor->kernel, map);
}

/* Writes the texts of the kernel, after "auto" has become numbers. In a model they have no paths of modules. */
static dorm_status set_texts(dorm_context *context, dorm__kernel_factor *factor)
{
  static const char prefix[] = "linear + ";
  factor->part_text = dorm__kernel_model_text(context, factor->kernel);
  if (!factor->part_text)
    return dorm__out_of_memory(context, "a kernel");
  size_t size = strlen(factor->part_text) + sizeof prefix;
  factor->text = dorm__alloc(size, 1);
  if (!factor->text)
    return dorm__out_of_memory(context, "a kernel");
  snprintf(factor->text, size, "%s%s", factor->has_linear ? prefix : "", factor->part_text);
  return DORM_OK;
}

/* Draws rows without replacement. */
static dorm_status draw_sample(dorm_context *context, const dorm__kernel_rows *rows, uint64_t seed,
                               dorm__kernel_rows *sample)
{
  size_t width = rows->width;
  size_t *order = dorm__alloc(rows->count, sizeof *order);
  dorm__random random;
  dorm__random_seed(&random, seed);
  *sample = (dorm__kernel_rows){rows->count < SAMPLE ? rows->count : SAMPLE, width, NULL, NULL};
  sample->values = dorm__alloc(sample->count, (width + 1) * sizeof *sample->values);
  bool is_whole = order && sample->values;
  if (is_whole)
    dorm__random_permutation(&random, rows->count, order);
  for (size_t i = 0; is_whole && i < sample->count; i++)
    memcpy(sample->values + i * width, rows->values + order[i] * width, width * sizeof *rows->values);
  dorm__free(order);
  if (is_whole)
    return DORM_OK;
  dorm__kernel_rows_free(sample);
  return dorm__out_of_memory(context, "a sample of rows");
}

/* Checks a whole sample of the Gram matrix, because a pivoted factor of low rank may miss the part of a kernel that is
 * not positive semi-definite. */
static dorm_status check_sample(dorm_context *context, const dorm__kernel *kernel, const dorm__kernel_rows *rows,
                                uint64_t seed)
{
  dorm__kernel_rows sample = {0};
  dorm_status status = draw_sample(context, rows, seed, &sample);
  if (status != DORM_OK)
    return status;
  DORM__FREED double *gram = dorm__alloc(sample.count * sample.count, sizeof *gram);
  double largest = 0;
  if (!gram || !dorm__kernel_tile(kernel, rows->width, sample.count, sample.values, sample.count, sample.values, gram))
    status = dorm__kernel_fault(context, kernel, "a tile of a Gram matrix");
  for (size_t i = 0; status == DORM_OK && i < sample.count * sample.count; i++) {
    if (!isfinite(gram[i]))
      status = dorm__fail(context, DORM_NUMERICAL_FAILURE, "kernel.kernel: the kernel of two documents is not finite");
    largest = fmax(largest, fabs(gram[i]));
  }
  for (size_t i = 0; status == DORM_OK && i < sample.count; i++)
    gram[i * sample.count + i] += definiteness_tolerance * largest;
  if (status == DORM_OK && largest > 0 && !dorm__is_positive_definite(sample.count, gram, NULL))
    status = dorm__fail(context, DORM_BAD_DATA,
                        "kernel.kernel: the kernel is not positive semi-definite on a sample of %zu documents",
                        sample.count);
  dorm__kernel_rows_free(&sample);
  return status;
}

/* ---- Features --------------------------------------------------------------------- */

static dorm_status features_new(dorm_context *context, const dorm__kernel_factor *factor, size_t num_docs,
                                dorm__features *features)
{
  size_t width = factor->rank + (factor->has_linear ? factor->map_width : 0);
  *features = (dorm__features){.num_docs = num_docs, .num_features = width};
  features->exact = width > SIZE_MAX / 16 / (num_docs + 1) ? NULL : dorm__alloc(num_docs * width, sizeof(double));
  return features->exact ? DORM_OK : dorm__out_of_memory(context, "kernel features");
}

static void set_linear_part(const dorm__kernel_factor *factor, const dorm__kernel_rows *rows, dorm__features *features)
{
  for (size_t i = 0; i < rows->count && factor->has_linear; i++)
    for (size_t f = 0; f < rows->width; f++)
      features->exact[i * features->num_features + f] = (double)rows->values[i * rows->width + f];
}

/* Computes L_P^-1 k_P(x) for the rows of one chunk. */
static bool map_chunk(const dorm__kernel_factor *factor, const dorm__kernel_rows *rows, size_t first,
                      dorm__features *features)
{
  size_t count = rows->count - first < CHUNK ? rows->count - first : CHUNK;
  size_t rank = factor->rank;
  size_t offset = features->num_features - rank;
  DORM__FREED double *tile = dorm__alloc(count * rank, sizeof *tile);
  bool good = tile && dorm__kernel_tile(factor->kernel, rows->width, count, rows->values + first * rows->width, rank,
                                        factor->pivots.values, tile);
  if (good)
    dorm__solve_rows_lower(count, rank, factor->triangle, rank, tile, rank);
  for (size_t i = 0; good && i < count; i++)
    memcpy(features->exact + (first + i) * features->num_features + offset, tile + i * rank, rank * sizeof *tile);
  return good;
}

static dorm_status map_rows(dorm_context *context, const dorm__kernel_factor *factor, const dorm__kernel_rows *rows,
                            size_t num_threads, dorm__features *features)
{
  dorm_status status = features_new(context, factor, rows->count, features);
  if (status != DORM_OK)
    return status;
  set_linear_part(factor, rows, features);
  size_t num_chunks = (rows->count + CHUNK - 1) / CHUNK;
  bool good = true;
  dorm__watch watch = dorm__watch_new(context, "kernel features", num_chunks);
#pragma omp parallel for schedule(dynamic) num_threads((int)num_threads) reduction(&& : good)
  for (size_t chunk = 0; chunk < num_chunks; chunk++)
    if (dorm__watch_step(&watch, 1))
      good = map_chunk(factor, rows, chunk * CHUNK, features) && good;
  status = dorm__watch_status(&watch);
  if (good && status == DORM_OK)
    return DORM_OK;
  dorm__features_free(features);
  return DORM__ALL(status, dorm__kernel_fault(context, factor->kernel, "kernel features"));
}

dorm_status dorm__kernel_features(dorm_context *context, const dorm__kernel_factor *factor, const dorm_dataset *dataset,
                                  const dorm__feature_map *map, size_t num_threads, dorm__features *features)
{
  DORM__AT_END(dorm__kernel_rows_free) dorm__kernel_rows rows = {0};
  *features = (dorm__features){0};
  return DORM__ALL(dorm__kernel_rows_build(context, factor->kernel, dataset, map, num_threads, &rows),
                   map_rows(context, factor, &rows, num_threads, features));
}

/* ---- Fitting ----------------------------------------------------------------------- */

static dorm_status keep_pivots(dorm_context *context, const dorm__kernel_rows *rows, const dorm__cholesky *cholesky,
                               dorm__kernel_factor *factor)
{
  size_t rank = cholesky->rank;
  factor->rank = rank;
  factor->pivots = (dorm__kernel_rows){rank, rows->width, dorm__alloc(rank, (rows->width + 1) * sizeof(float)), NULL};
  factor->triangle = dorm__alloc_zero(rank, rank * sizeof *factor->triangle);
  if (!factor->pivots.values || !factor->triangle)
    return dorm__out_of_memory(context, "a factor of the Gram matrix");
  for (size_t p = 0; p < rank; p++) {
    size_t row = cholesky->pivots[p];
    memcpy(factor->pivots.values + p * rows->width, rows->values + row * rows->width,
           rows->width * sizeof *rows->values);
    memcpy(factor->triangle + p * rank, cholesky->factor + row * cholesky->capacity,
           (p + 1) * sizeof *factor->triangle);
  }
  return DORM_OK;
}

/* Chooses pivots among the training data, whose rows of L are then the features. */
static dorm_status fit_pivots(dorm_context *context, const dorm__kernel_options *options, const dorm__kernel_rows *rows,
                              dorm__kernel_factor *factor, dorm__features *features)
{
  DORM__AT_END(dorm__cholesky_free) dorm__cholesky cholesky = {0};
  bool is_whole = (!options->rank || options->rank >= rows->count) && rows->count <= LARGEST_WHOLE;
  size_t rank = options->rank ? options->rank : rows->count;
  dorm_status status =
      DORM__ALL(is_whole ? dorm__cholesky_whole(context, factor->kernel, rows, &cholesky)
                         : dorm__cholesky_on_demand(context, factor->kernel, rows, rank, options->seed,
                                                    options->num_threads, &cholesky),
                keep_pivots(context, rows, &cholesky, factor), features_new(context, factor, rows->count, features));
  if (status == DORM_OK) {
    set_linear_part(factor, rows, features);
    size_t offset = features->num_features - factor->rank;
    for (size_t i = 0; i < rows->count; i++)
      memcpy(features->exact + i * features->num_features + offset, cholesky.factor + i * cholesky.capacity,
             factor->rank * sizeof *features->exact);
    memcpy(factor->residual, cholesky.residual, rows->count * sizeof *factor->residual);
    factor->trace = cholesky.trace;
  }
  return status;
}

dorm_status dorm__kernel_fit(dorm_context *context, const dorm__kernel *kernel, size_t choice,
                             const dorm__kernel_options *options, const dorm_dataset *train,
                             const dorm__feature_map *map, const dorm__kernel_fitted *fitted)
{
  dorm__kernel_rows rows = {0};
  *fitted->factor = NULL;
  *fitted->features = (dorm__features){0};
  dorm__kernel_factor *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "a kernel");
  made->rank_block = map->rank_block;
  made->map_width = dorm__feature_map_width(map);
  made->num_docs = train->num_docs;
  made->residual = dorm__alloc_zero(train->num_docs, sizeof *made->residual);
  dorm_status status =
      made->residual ? open_kernel(context, kernel, choice, map, made) : dorm__out_of_memory(context, "a kernel");
  if (status == DORM_OK)
    status = DORM__ALL(dorm__kernel_rows_build(context, made->kernel, train, map, options->num_threads, &rows),
                       dorm__kernel_set_auto(context, made->kernel, &rows, options->seed), set_texts(context, made),
                       check_sample(context, made->kernel, &rows, options->seed),
                       fit_pivots(context, options, &rows, made, fitted->features));
  for (size_t i = 0; status == DORM_OK && i < train->num_docs; i++)
    made->residual_trace += made->residual[i];
  dorm__kernel_rows_free(&rows);
  if (status != DORM_OK) {
    dorm__features_free(fitted->features);
    dorm__kernel_factor_free(made);
  } else {
    *fitted->factor = made;
  }
  return status;
}

void dorm__kernel_pivot_weights(const dorm__kernel_factor *factor, double *weights)
{
  dorm__solve_lower_transposed(factor->rank, factor->triangle, factor->rank, weights);
}
