/*
 * model.c: reading and scoring models, linear part and kernel parts alike. A
 * document costs O(sum over the parts of pivots * (columns + 1)); 512 documents
 * at a time are held as a Gram block of a part (4 kB a pivot), beside the rows
 * of the whole data set.
 */
#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 512 };

/* The kernel of a part, ready for blocks. */
static dorm_status open_part(dorm_context *context, const dorm_model *model, const dorm__model_part *part,
                             dorm__kernel **kernel)
{
  dorm__feature_map map = dorm__model_part_map(model, part);
  dorm_status status = dorm__kernel_parse(context, part->kernel, kernel);
  if (status != DORM_OK)
    return status;
  if (dorm__kernel_num_choices(*kernel) != 1)
    status = dorm__fail(context, DORM_BAD_DATA, "the kernel '%.400s' is a list", part->kernel);
  for (size_t i = 0; status == DORM_OK && i < (*kernel)->num_nodes; i++) {
    const dorm__kernel_node *node = &(*kernel)->nodes[i];
    if ((node->kind == DORM__KERNEL_RBF || node->kind == DORM__KERNEL_LAPLACIAN) &&
        isnan(node->parameters[0].values[0]))
      status = dorm__fail(context, DORM_BAD_DATA, "the kernel '%.400s' has no number for gamma", part->kernel);
  }
  if (status == DORM_OK)
    status = dorm__kernel_resolve(context, *kernel, &map);
  if (status != DORM_OK) {
    dorm__kernel_free(*kernel);
    *kernel = NULL;
  }
  return status;
}

/* Row numbers of Gram matrices in pivots are what a kernel looks up. */
static dorm_status check_pivots(dorm_context *context, const dorm_model *model, const dorm__model_part *part,
                                const dorm__kernel *kernel)
{
  dorm__feature_map map = dorm__model_part_map(model, part);
  size_t width = dorm__feature_map_width(&map);
  for (size_t i = 0; i < kernel->num_nodes; i++) {
    const dorm__kernel_node *node = &kernel->nodes[i];
    for (size_t p = 0; p < part->num_pivots && node->kind == DORM__KERNEL_GRAM; p++) {
      float number = part->pivots[p * width + node->columns[0]];
      if (!(number >= 1 && (double)number <= (double)node->gram_size && number == floorf(number)))
        return dorm__fail(context, DORM_BAD_DATA, "pivot %zu of '%.300s': %g is no row of %s", p + 1, part->kernel,
                          (double)number, node->path);
    }
  }
  return DORM_OK;
}

dorm_status dorm_model_read(dorm_context *context, const char *path, dorm_model **model)
{
  dorm_model *made = NULL;
  *model = NULL;
  dorm_status status = dorm__model_read(context, path, &made);
  for (size_t i = 0; status == DORM_OK && i < made->num_parts; i++) {
    dorm__kernel *kernel = NULL;
    status = open_part(context, made, &made->parts[i], &kernel);
    if (status == DORM_OK)
      status = check_pivots(context, made, &made->parts[i], kernel);
    dorm__kernel_free(kernel);
    if (status != DORM_OK && status != DORM_OUT_OF_MEMORY) {
      char message[DORM__MESSAGE_SIZE];
      memcpy(message, context->message, sizeof message);
      status =
          dorm__fail(context, status == DORM_IO_ERROR ? DORM_IO_ERROR : DORM_BAD_DATA, "%s: %.800s", path, message);
    }
  }
  if (status == DORM_OK)
    *model = made;
  else
    dorm_model_free(made);
  return status;
}

/* scores += the part's. */
static dorm_status add_part(dorm_context *context, const dorm_model *model, const dorm__model_part *part,
                            const dorm_dataset *dataset, double *scores)
{
  dorm__kernel *kernel = NULL;
  dorm__kernel_rows rows = {0};
  dorm__feature_map map = dorm__model_part_map(model, part);
  size_t num_pivots = part->num_pivots;
  double *gram = dorm__alloc((size_t)CHUNK, (num_pivots + 1) * sizeof *gram);
  double *sums = dorm__alloc(CHUNK, sizeof *sums);
  dorm_status status = gram && sums ? open_part(context, model, part, &kernel) : dorm__out_of_memory(context, "scores");
  if (status == DORM_OK)
    status = dorm__kernel_rows_build(context, kernel, dataset, &map, &rows);
  for (size_t first = 0; status == DORM_OK && first < rows.count && num_pivots; first += CHUNK) {
    size_t count = rows.count - first < CHUNK ? rows.count - first : CHUNK;
    if (!dorm__kernel_block(kernel, rows.width, count, rows.values + first * rows.width, num_pivots, part->pivots,
                            gram)) {
      status = dorm__out_of_memory(context, "a Gram block");
      break;
    }
    dorm__matrix_vector(count, num_pivots, gram, part->weights, sums);
    dorm__add_scaled(count, 1, sums, scores + first);
  }
  dorm__kernel_free(kernel);
  dorm__kernel_rows_free(&rows);
  dorm__free(gram);
  dorm__free(sums);
  return status;
}

dorm_status dorm_model_score(dorm_context *context, const dorm_model *model, const dorm_dataset *dataset,
                             double *scores)
{
  dorm__features features = {0};
  dorm__feature_map map = dorm__model_map(model);
  dorm_status status = dorm__features_build(context, dataset, &map, &features);
  if (status != DORM_OK)
    return status;
  dorm__features_score(&features, 0, dataset->num_docs, model->weights, scores);
  dorm__features_free(&features);
  for (size_t i = 0; status == DORM_OK && i < model->num_parts; i++)
    status = add_part(context, model, &model->parts[i], dataset, scores);
  for (size_t j = 0; status == DORM_OK && j < dataset->num_docs; j++)
    if (!isfinite(scores[j]))
      status = dorm__fail(context, DORM_NUMERICAL_FAILURE, "%s: the score of document %zu is not finite", dataset->name,
                          j + 1);
  return status;
}
