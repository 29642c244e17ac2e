/* rows.c: the rows of documents for a kernel. */
#include "data/data.h"
#include "features/features.h"
#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

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
