/*
 * model.c: reading and scoring models, linear part and kernel parts alike. A
 * document costs O(sum over the parts of pivots * (columns + 1)); each thread holds
 * a Gram block of 512 documents (4 kB a pivot), beside the rows of the whole
 * data set (4 bytes a feature and document).
 */
#include "base/linalg.h"
#include "data/data.h"
#include "features/features.h"
#include "kernels/kernels.h"
#include "models/model.h"
#include "models/model_file.h"
#include "models/models.h"
#include "settings/settings.h"

#include <math.h>
#include <omp.h>
#include <string.h>

enum { CHUNK = 512 };

/* Loads the modules that the program named; the others are missing where they
 * are needed. */
static dorm_status open_modules(dorm_context *context, const dorm_model *model, bool are_needed, dorm__kernel *kernel)
{
  dorm_status status = DORM_OK;
  for (size_t i = 0; status == DORM_OK && i < kernel->num_nodes; i++) {
    dorm__kernel_node *node = &kernel->nodes[i];
    if (node->kind != DORM__KERNEL_USER)
      continue;
    const char *path = dorm__model_module_path(model, node->name);
    if (path) {
      node->path = dorm__copy_text(path);
      status = node->path ? dorm__kernel_open_user(context, kernel, node) : dorm__out_of_memory(context, "a kernel");
    } else if (are_needed) {
      status = dorm__fail(context, DORM_BAD_MODULE,
                          "the model has the kernel '%s' of a module, which a model never loads by itself: name the "
                          "module's file (dorm_model_use_module, dorm predict --module)",
                          node->name);
    }
  }
  return status;
}

/* The kernel of a part, ready for blocks where all its modules are there. */
static dorm_status open_part(dorm_context *context, const dorm_model *model, const dorm__model_part *part,
                             bool needs_modules, dorm__kernel **kernel)
{
  dorm__feature_map map = dorm__model_part_map(model, part);
  dorm_status status = dorm__kernel_parse_model(context, part->kernel, kernel);
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
    status = open_modules(context, model, needs_modules, *kernel);
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
    status = open_part(context, made, &made->parts[i], false, &kernel);
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

dorm_status dorm_model_use_module(dorm_context *context, dorm_model *model, const char *path)
{
  dorm__user_kernel *user = NULL;
  dorm_status status = dorm__user_kernel_open(context, path, &user);
  if (status != DORM_OK)
    return status;
  status = dorm__model_add_module(context, model, dorm__user_kernel_module(user)->name, path);
  dorm__user_kernel_close(user);
  for (size_t i = 0; status == DORM_OK && i < model->num_parts; i++) { /* their parameters fit it */
    dorm__kernel *kernel = NULL;
    status = open_part(context, model, &model->parts[i], false, &kernel);
    dorm__kernel_free(kernel);
  }
  return status;
}

/* scores += the part's, for the rows of one chunk. */
static bool add_chunk(const dorm__model_part *part, const dorm__kernel *kernel, const dorm__kernel_rows *rows,
                      size_t first, double *scores)
{
  size_t count = rows->count - first < CHUNK ? rows->count - first : CHUNK;
  double *gram = dorm__alloc(count + 1, (part->num_pivots + 1) * sizeof *gram);
  double sums[CHUNK];
  bool good = gram && dorm__kernel_tile(kernel, rows->width, count, rows->values + first * rows->width,
                                        part->num_pivots, part->pivots, gram);
  if (good) {
    dorm__matrix_vector(count, part->num_pivots, gram, part->weights, sums);
    dorm__add_scaled(count, 1, sums, scores + first);
  }
  dorm__free(gram);
  return good;
}

static dorm_status add_part(dorm_context *context, const dorm_model *model, const dorm__model_part *part,
                            const dorm_dataset *dataset, size_t num_threads, double *scores)
{
  dorm__kernel *kernel = NULL;
  dorm__kernel_rows rows = {0};
  dorm__feature_map map = dorm__model_part_map(model, part);
  dorm_status status = open_part(context, model, part, true, &kernel);
  if (status == DORM_OK)
    status = dorm__kernel_rows_build(context, kernel, dataset, &map, num_threads, &rows);
  size_t num_chunks = status == DORM_OK && part->num_pivots ? (rows.count + CHUNK - 1) / CHUNK : 0;
  bool good = true;
#pragma omp parallel for schedule(dynamic) num_threads((int)num_threads) reduction(&& : good)
  for (size_t chunk = 0; chunk < num_chunks; chunk++)
    good = add_chunk(part, kernel, &rows, chunk * CHUNK, scores) && good;
  if (!good)
    status = dorm__kernel_fault(context, kernel, "a Gram block");
  dorm__kernel_free(kernel);
  dorm__kernel_rows_free(&rows);
  return status;
}

dorm_status dorm_model_score(dorm_context *context, const dorm_model *model, const dorm_dataset *dataset,
                             double *scores)
{
  dorm__feature_map map = dorm__model_map(model);
  size_t threads = dorm__settings_integer(model->settings, DORM__SOLVER_THREADS);
  threads = threads ? threads : (size_t)omp_get_num_procs();
  dorm_status status = dorm__score_by_batches(context, dataset, &map, threads, model->weights, scores);
  for (size_t i = 0; status == DORM_OK && i < model->num_parts; i++)
    status = add_part(context, model, &model->parts[i], dataset, threads, scores);
  for (size_t j = 0; status == DORM_OK && j < dataset->num_docs; j++)
    if (!isfinite(scores[j]))
      status = dorm__fail(context, DORM_NUMERICAL_FAILURE, "%s: the score of document %zu is not finite", dataset->name,
                          j + 1);
  return status;
}
