/*
 * resolve.c: prepares an expression for data. Turns blocks of feature ids into indices into rows of a feature map (two
 * for each id if there is a rank block). Reads Gram matrices and makes users' kernels ready. If a gamma is "auto",
 * computes its value from the data.
 */
#include "base/random.h"
#include "kernels/expression.h"
#include "kernels/kernel_files.h"
#include "kernels/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUM_PAIRS = 2000 };

static bool is_leaf_on_features(const dorm__kernel_node *node)
{
  return node->kind != DORM__KERNEL_CONSTANT && node->kind != DORM__KERNEL_SUM && node->kind != DORM__KERNEL_PRODUCT;
}

static bool holds(const dorm__kernel_node *node, size_t id)
{
  for (size_t i = 0; i < node->num_ranges; i++)
    if (id >= node->ranges[i][0] && id <= node->ranges[i][1])
      return true;
  return false;
}

/* Returns whether a feature holds row numbers of a Gram matrix. Kernels without a block leave such features out, since
 * row numbers are not quantities. */
static bool is_row_number(const dorm__kernel *kernel, size_t id)
{
  for (size_t i = 0; i < kernel->num_nodes; i++)
    if (kernel->nodes[i].kind == DORM__KERNEL_GRAM && holds(&kernel->nodes[i], id))
      return true;
  return false;
}

static dorm_status find_columns(dorm_context *context, const dorm__kernel *kernel, const dorm__feature_map *map,
                                dorm__kernel_node *node)
{
  node->columns = dorm__alloc(2 * map->num_ids, sizeof *node->columns);
  if (!node->columns)
    return dorm__out_of_memory(context, "a kernel");
  for (size_t f = 0; f < map->num_ids; f++)
    if (node->num_ranges ? holds(node, map->ids[f]) : !is_row_number(kernel, map->ids[f]))
      node->columns[node->num_columns++] = f;
  if (!node->num_columns && node->num_ranges)
    return dorm__fail(context, DORM_BAD_DATA, "kernel.kernel: no feature of the data is in the block from %zu to %zu",
                      node->ranges[0][0], node->ranges[node->num_ranges - 1][1]);
  if (map->rank_block > 0) { /* the kernel of a Gram matrix ignores the rank: it reads only columns[0] */
    size_t count = node->num_columns;
    for (size_t i = 0; i < count; i++)
      node->columns[node->num_columns++] = map->num_ids + node->columns[i];
  }
  return DORM_OK;
}

dorm_status dorm__kernel_resolve(dorm_context *context, dorm__kernel *kernel, const dorm__feature_map *map)
{
  dorm_status status = DORM_OK;
  for (size_t i = 0; status == DORM_OK && i < kernel->num_nodes; i++) {
    dorm__kernel_node *node = &kernel->nodes[i];
    if (!is_leaf_on_features(node))
      continue;
    status = DORM__ALL(find_columns(context, kernel, map, node),
                       node->kind == DORM__KERNEL_GRAM && node->path
                           ? dorm__kernel_files_gram(context, kernel->files, node->path, &node->gram_size, &node->gram)
                           : DORM_OK,
                       node->user ? dorm__kernel_create_user(context, kernel, node) : DORM_OK);
  }
  return status;
}

static int compare_doubles(const void *x, const void *y)
{
  double a = *(const double *)x;
  double b = *(const double *)y;
  return (a > b) - (a < b);
}

/* Computes the distance over the features of the node: |x - y|^2 for rbf, |x - y|_1 for laplacian. */
static double distance(const dorm__kernel_node *node, const float *x, const float *y)
{
  double sum = 0;
  for (size_t i = 0; i < node->num_columns; i++) {
    double difference = (double)x[node->columns[i]] - (double)y[node->columns[i]];
    sum += node->kind == DORM__KERNEL_RBF ? difference * difference : fabs(difference);
  }
  return sum;
}

/* Returns the median distance of NUM_PAIRS random pairs of rows. If it is 0, because most pairs are of equal rows,
 * returns the mean distance, or 1 if that is 0, too. */
static double typical_distance(const dorm__kernel_node *node, const dorm__kernel_rows *rows, uint64_t seed)
{
  double distances[NUM_PAIRS];
  double mean = 0;
  dorm__random random;
  dorm__random_seed(&random, seed);
  for (size_t i = 0; i < NUM_PAIRS; i++) {
    size_t x = dorm__random_below(&random, rows->count);
    size_t y = dorm__random_below(&random, rows->count);
    distances[i] = distance(node, rows->values + x * rows->width, rows->values + y * rows->width);
    mean += distances[i] / NUM_PAIRS;
  }
  qsort(distances, NUM_PAIRS, sizeof *distances, compare_doubles);
  double median = (distances[NUM_PAIRS / 2 - 1] + distances[NUM_PAIRS / 2]) / 2;
  return median > 0 ? median : mean > 0 ? mean : 1;
}

dorm_status dorm__kernel_set_auto(dorm_context *context, dorm__kernel *kernel, const dorm__kernel_rows *rows,
                                  uint64_t seed)
{
  for (size_t i = 0; i < kernel->num_nodes; i++) {
    dorm__kernel_node *node = &kernel->nodes[i];
    bool is_rbf = node->kind == DORM__KERNEL_RBF;
    if ((!is_rbf && node->kind != DORM__KERNEL_LAPLACIAN) || !isnan(node->parameters[0].values[0]))
      continue;
    double typical = typical_distance(node, rows, seed);
    double gamma = node->parameters[1].values[0] / (is_rbf ? 2 * typical : typical);
    if (!(gamma > 0)) /* infinite distances are impossible, since rows are floats */
      return dorm__fail(context, DORM_NUMERICAL_FAILURE,
                        "kernel.kernel: gamma = auto has no value: the median distance of documents is %g", typical);
    node->parameters[0].values[0] = gamma;
    node->parameters[1].values[0] = 1;
  }
  return DORM_OK;
}

/* ---- Rows ------------------------------------------------------------------------------------------ */

/* The rows of documents for a kernel. */

void dorm__kernel_rows_free(dorm__kernel_rows *rows)
{
  dorm__values_free(rows->file, rows->values);
  *rows = (dorm__kernel_rows){0};
}

/* Copies the row numbers of a Gram matrix from the data, if they are not normalised. */
static dorm_status set_row_numbers(dorm_context *context, const dorm__kernel_node *node, const dorm_dataset *dataset,
                                   const dorm__feature_map *map, dorm__kernel_rows *rows)
{
  size_t column = node->columns[0];
  size_t feature = 0;
  while (feature < dataset->num_features && dataset->feature_ids[feature] != map->ids[column])
    feature++;
  for (size_t j = 0; j < rows->count; j++) {
    float number = feature < dataset->num_features ? dorm_dataset_value(dataset, j, feature) : 0;
    if (!(number >= 1 && (double)number <= (double)node->gram_size && number == floorf(number)))
      return dorm__fail(context, DORM_BAD_DATA,
                        "%s: document %zu: feature %zu is %g, no row of %s, which has the rows 1 to %zu", dataset->name,
                        j + 1, map->ids[column], (double)number, node->path, node->gram_size);
    rows->values[j * rows->width + column] = number;
  }
  return DORM_OK;
}

static dorm_status check_not_negative(dorm_context *context, const dorm__kernel_node *node, const dorm_dataset *dataset,
                                      const dorm__feature_map *map, const dorm__kernel_rows *rows)
{
  for (size_t j = 0; j < rows->count; j++)
    for (size_t i = 0; i < node->num_columns; i++) {
      float value = rows->values[j * rows->width + node->columns[i]];
      if (value < 0)
        return dorm__fail(context, DORM_BAD_DATA,
                          "%s: document %zu: feature %zu is %g, but the histogram kernel is not positive "
                          "semi-definite for negative features",
                          dataset->name, j + 1, map->ids[node->columns[i] % map->num_ids], (double)value);
    }
  return DORM_OK;
}

dorm_status dorm__kernel_rows_build(dorm_context *context, const dorm__kernel *kernel, const dorm_dataset *dataset,
                                    const dorm__feature_map *map, size_t num_threads, dorm__kernel_rows *rows)
{
  dorm__features features = {0};
  *rows = (dorm__kernel_rows){0};
  dorm_status status = dorm__features_build_full(context, dataset, map, num_threads, &features);
  if (status != DORM_OK)
    return status;
  dorm__kernel_rows made = {features.num_docs, features.num_features, features.values, features.file};
  for (size_t i = 0; status == DORM_OK && i < kernel->num_nodes; i++) {
    const dorm__kernel_node *node = &kernel->nodes[i];
    if (node->kind == DORM__KERNEL_GRAM)
      status = set_row_numbers(context, node, dataset, map, &made);
    if (node->kind == DORM__KERNEL_HISTOGRAM)
      status = check_not_negative(context, node, dataset, map, &made);
  }
  if (status != DORM_OK)
    dorm__kernel_rows_free(&made);
  else
    *rows = made;
  return status;
}
