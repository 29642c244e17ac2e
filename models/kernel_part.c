/*
 * kernel_part.c: kernel parts of a model,
 *
 *   score = sum_p weights[p] k(x, pivots[p]),
 *
 * over rows x of the feature map with the part's rank block. In a model file the line `kernel` is followed by one line
 * for each pivot, with its weight and its row without zeros: first values by feature id, then, if the part has a rank
 * block, a slash and ranks by feature id.
 *
 * Reading a model opens no other file. Gram matrices and modules are opened when the caller gives their files.
 */
#include "base/linalg.h"
#include "models/model_lines.h"
#include "models/models.h"

#include <math.h>
#include <string.h>

/* The number of documents in a thread's tile of the Gram matrix, 4 kB for each pivot. */
enum { BATCH = 512 };

typedef struct kernel_part {
  char *text; /* the expression with all parameters, without paths of modules */
  char *description;
  double rank_block;
  size_t width; /* of the rows */
  size_t num_pivots;
  float *pivots;        /* [num_pivots][width] */
  double *weights;      /* [num_pivots] */
  dorm__kernel *kernel; /* parsed, and resolved for the features of the model once the part is in one */
} kernel_part;

static void kernel_free(void *state)
{
  DORM__FREED kernel_part *part = state;
  if (!part)
    return;
  dorm__free(part->text);
  dorm__free(part->description);
  dorm__free(part->pivots);
  dorm__free(part->weights);
  dorm__kernel_free(part->kernel);
}

/* ---- Opening --------------------------------------------------------------------- */

/* Parses the expression of a model, in which every parameter must have one value. */
static dorm_status parse(dorm_context *context, const char *text, dorm__kernel **kernel)
{
  dorm_status status = dorm__kernel_parse_model(context, text, kernel);
  if (status != DORM_OK)
    return status;
  if (dorm__kernel_num_choices(*kernel) != 1)
    status = dorm__fail(context, DORM_BAD_DATA, "the kernel '%.400s' is a list", text);
  for (size_t i = 0; status == DORM_OK && i < (*kernel)->num_nodes; i++) {
    const dorm__kernel_node *node = &(*kernel)->nodes[i];
    if ((node->kind == DORM__KERNEL_RBF || node->kind == DORM__KERNEL_LAPLACIAN) &&
        isnan(node->parameters[0].values[0]))
      status = dorm__fail(context, DORM_BAD_DATA, "the kernel '%.400s' has no number for gamma", text);
  }
  if (status != DORM_OK) {
    dorm__kernel_free(*kernel);
    *kernel = NULL;
  }
  return status;
}

/* Checks that the pivots hold row numbers of the known Gram matrices. */
static dorm_status check_pivots(dorm_context *context, const kernel_part *part, const dorm__kernel *kernel)
{
  for (size_t i = 0; i < kernel->num_nodes; i++) {
    const dorm__kernel_node *node = &kernel->nodes[i];
    for (size_t p = 0; p < part->num_pivots && node->gram; p++) {
      float number = part->pivots[p * part->width + node->columns[0]];
      if (!(number >= 1 && (double)number <= (double)node->gram_size && number == floorf(number)))
        return dorm__fail(context, DORM_BAD_DATA, "pivot %zu of '%.300s': %g is not the number of a row of %s", p + 1,
                          part->text, (double)number, node->path);
    }
  }
  return DORM_OK;
}

/* Finds the columns of every feature block and opens the Gram matrices and modules whose paths are known. Scoring fails
 * while one is unknown. */
static dorm_status resolve(dorm_context *context, const kernel_part *part, const dorm__feature_map *map,
                           dorm__kernel *kernel)
{
  dorm__feature_map own_map = *map;
  own_map.rank_block = part->rank_block;
  dorm_status status = dorm__kernel_resolve(context, kernel, &own_map);
  return status == DORM_OK ? check_pivots(context, part, kernel) : status;
}

static dorm_status kernel_open(dorm_context *context, void *state, const dorm__feature_map *map)
{
  kernel_part *part = state;
  dorm_status status = part->kernel ? DORM_OK : parse(context, part->text, &part->kernel);
  return status == DORM_OK ? resolve(context, part, map, part->kernel) : status;
}

/* ---- Making ---------------------------------------------------------------------- */

/* Makes a part without pivots. */
static dorm_status new_part(dorm_context *context, const char *text, double rank_block, size_t width, size_t num_pivots,
                            kernel_part **part)
{
  static const char format[] = "%s, %zu pivots, rank block %g";
  int size = snprintf(NULL, 0, format, text, num_pivots, rank_block);
  kernel_part *made = dorm__alloc_zero(1, sizeof *made);
  *part = NULL;
  if (made)
    *made = (kernel_part){.text = dorm__copy_text(text),
                          .description = dorm__alloc((size_t)size + 1, 1),
                          .rank_block = rank_block,
                          .width = width};
  if (!made || !made->text || !made->description) {
    kernel_free(made);
    return dorm__out_of_memory(context, "a model");
  }
  snprintf(made->description, (size_t)size + 1, format, text, num_pivots, rank_block);
  *part = made;
  return DORM_OK;
}

dorm_status dorm__kernel_part_new(dorm_context *context, const dorm__kernel_factor *factor, const double *weights,
                                  dorm__part *part)
{
  kernel_part *made = NULL;
  *part = (dorm__part){0};
  dorm_status status = new_part(context, factor->part_text, factor->rank_block, factor->map_width, factor->rank, &made);
  if (status != DORM_OK)
    return status;
  made->num_pivots = factor->rank;
  made->pivots = dorm__alloc(factor->rank, (factor->map_width + 1) * sizeof *made->pivots);
  made->weights = dorm__alloc(factor->rank, sizeof *made->weights);
  if (!made->pivots || !made->weights)
    status = dorm__out_of_memory(context, "a model");
  if (status == DORM_OK && factor->rank) {
    memcpy(made->pivots, factor->pivots.values, factor->rank * factor->map_width * sizeof *made->pivots);
    memcpy(made->weights, weights, factor->rank * sizeof *made->weights);
    dorm__kernel_pivot_weights(factor, made->weights);
  }
  if (status == DORM_OK)
    status = dorm__kernel_choose(context, factor->kernel, 0, &made->kernel);
  if (status == DORM_OK)
    *part = (dorm__part){&dorm__kernel_part, 1, made};
  else
    kernel_free(made);
  return status;
}

/* ---- Scoring --------------------------------------------------------------------- */

/* Adds weight times the part's scores of the rows of one batch to scores. Returns false if the kernel fails
 * (dorm__kernel_fault). */
static bool add_batch(const kernel_part *part, const dorm__kernel_rows *rows, size_t first, double weight,
                      double *scores)
{
  size_t count = rows->count - first < BATCH ? rows->count - first : BATCH;
  DORM__FREED double *tile = dorm__alloc(count + 1, (part->num_pivots + 1) * sizeof *tile);
  double sums[BATCH];
  bool good = tile && dorm__kernel_tile(part->kernel, rows->width, count, rows->values + first * rows->width,
                                        part->num_pivots, part->pivots, tile);
  if (good) {
    dorm__matrix_vector(count, part->num_pivots, tile, part->weights, sums);
    dorm__add_scaled(count, weight, sums, scores + first);
  }
  return good;
}

static dorm_status add_rows(dorm_context *context, const kernel_part *part, const dorm__kernel_rows *rows,
                            size_t num_threads, double weight, double *scores)
{
  size_t num_batches = part->num_pivots ? (rows->count + BATCH - 1) / BATCH : 0;
  bool good = true;
#pragma omp parallel for schedule(dynamic) num_threads((int)num_threads) reduction(&& : good)
  for (size_t batch = 0; batch < num_batches; batch++)
    good = add_batch(part, rows, batch * BATCH, weight, scores) && good;
  return good ? DORM_OK : dorm__kernel_fault(context, part->kernel, "a tile of a Gram matrix");
}

/* Fails if the kernel needs a file that the caller has not given. */
static dorm_status check_files(dorm_context *context, const dorm__kernel *kernel)
{
  for (size_t i = 0; i < kernel->num_nodes; i++) {
    const dorm__kernel_node *node = &kernel->nodes[i];
    bool is_user = node->kind == DORM__KERNEL_USER;
    if (is_user ? !node->user : node->kind == DORM__KERNEL_GRAM && !node->gram)
      return dorm__fail(context, is_user ? DORM_BAD_MODULE : DORM_BAD_USAGE,
                        "the model needs the %s '%s', and a model opens no file by itself: name the file "
                        "(dorm_model_use_module, dorm predict --module)",
                        is_user ? "module of the kernel" : "Gram matrix", node->name);
  }
  return DORM_OK;
}

static dorm_status build_rows(dorm_context *context, const kernel_part *part, const dorm__feature_map *map,
                              const dorm_dataset *dataset, size_t num_threads, dorm__kernel_rows *rows)
{
  dorm__feature_map own_map = *map;
  own_map.rank_block = part->rank_block;
  dorm_status status = check_files(context, part->kernel);
  return status == DORM_OK ? dorm__kernel_rows_build(context, part->kernel, dataset, &own_map, num_threads, rows)
                           : status;
}

/* Costs O(pivots * columns of the kernel) per document. Holds the rows of the whole data set, 4 bytes for each feature
 * of a document. */
static dorm_status kernel_score(dorm_context *context, const void *state, const dorm__feature_map *map,
                                const dorm_dataset *dataset, size_t num_threads, double weight, double *scores)
{
  const kernel_part *part = state;
  DORM__AT_END(dorm__kernel_rows_free) dorm__kernel_rows rows = {0};
  return DORM__ALL(build_rows(context, part, map, dataset, num_threads, &rows),
                   add_rows(context, part, &rows, num_threads, weight, scores));
}

/* ---- As a net -------------------------------------------------------------------- */

/* *triangle becomes L [num_pivots][num_pivots] of the Gram matrix K = L L' of the pivots. If K is singular in
 * floating-point numbers, adds a little to its diagonal. */
static dorm_status factor_pivots(dorm_context *context, const kernel_part *part, double **triangle)
{
  size_t count = part->num_pivots;
  double trace = 0;
  double *gram = dorm__alloc(count + 1, (count + 1) * sizeof *gram);
  *triangle = gram;
  for (double share = 0; gram; share = share > 0 ? 10 * share : 1e-12) {
    if (!dorm__kernel_tile(part->kernel, part->width, count, part->pivots, count, part->pivots, gram))
      return dorm__kernel_fault(context, part->kernel, "a Gram matrix");
    for (size_t p = 0; share == 0 && p < count; p++)
      trace += gram[p * count + p];
    for (size_t p = 0; p < count; p++)
      gram[p * count + p] += share * (trace / (double)count + 1e-300);
    if (dorm__is_positive_definite(count, gram, NULL))
      return DORM_OK;
    if (share > 1)
      return dorm__fail(context, DORM_NUMERICAL_FAILURE, "the Gram matrix of the pivots of '%.300s' is not positive",
                        part->text);
  }
  return dorm__out_of_memory(context, "a Gram matrix");
}

/* Fills the features of a batch: rows of L^-1 k_P(x). */
static bool fill_batch(const kernel_part *part, const dorm__kernel_rows *rows, size_t first, const double *triangle,
                       double *features)
{
  size_t count = rows->count - first < BATCH ? rows->count - first : BATCH;
  double *own = features + first * part->num_pivots;
  if (!dorm__kernel_tile(part->kernel, rows->width, count, rows->values + first * rows->width, part->num_pivots,
                         part->pivots, own))
    return false;
  dorm__solve_rows_lower(count, part->num_pivots, triangle, part->num_pivots, own, part->num_pivots);
  return true;
}

/* Computes weights = weight L' v, since the score <v, k_P(x)> is <L' v, L^-1 k_P(x)>. */
static void turn_weights(const kernel_part *part, const double *triangle, double weight, double *weights)
{
  size_t count = part->num_pivots;
  for (size_t p = 0; p < count; p++)
    for (size_t k = 0; k <= p; k++)
      weights[k] += weight * triangle[p * count + k] * part->weights[p];
}

/* Makes a single layer over the features of the kernel. As in training, the length of its weights is the norm of the
 * part's function. */
static dorm_status kernel_as_net(dorm_context *context, const void *state, const dorm__feature_map *map,
                                 const dorm_dataset *dataset, size_t num_threads, double weight,
                                 const dorm__net_of_part *made)
{
  const kernel_part *part = state;
  DORM__AT_END(dorm__kernel_rows_free) dorm__kernel_rows rows = {0};
  DORM__FREED double *triangle = NULL;
  bool good = true;
  dorm_status status =
      DORM__ALL(build_rows(context, part, map, dataset, num_threads, &rows), factor_pivots(context, part, &triangle),
                dorm__net_new(context, part->num_pivots, 0, made->net));
  if (status == DORM_OK) {
    turn_weights(part, triangle, weight, made->net->weights);
    *made->rows = (dorm__features){.num_docs = rows.count,
                                   .num_features = part->num_pivots,
                                   .exact = dorm__alloc(rows.count, (part->num_pivots + 1) * sizeof(double))};
    if (!made->rows->exact)
      status = dorm__out_of_memory(context, "rows of a kernel");
  }
  if (status == DORM_OK) {
#pragma omp parallel for schedule(dynamic) num_threads((int)num_threads) reduction(&& : good)
    for (size_t first = 0; first < rows.count; first += BATCH)
      good = fill_batch(part, &rows, first, triangle, made->rows->exact) && good;
    status = good ? DORM_OK : dorm__kernel_fault(context, part->kernel, "a tile of a Gram matrix");
  }
  return status;
}

static void kernel_scale(void *state, double factor)
{
  kernel_part *part = state;
  for (size_t p = 0; p < part->num_pivots; p++)
    part->weights[p] *= factor;
}

static const char *kernel_describe(const void *state)
{
  const kernel_part *part = state;
  return part->description;
}

/* ---- The lines of a model file --------------------------------------------------- */

static void write_row(size_t count, const size_t *ids, const float *values, dorm__output *output)
{
  for (size_t f = 0; f < count; f++)
    if (values[f] != 0)
      dorm__output_text(output, " %zu:%s", ids[f], DORM__FLOAT(values[f]));
}

static void kernel_write(const void *state, const dorm__feature_map *map, dorm__output *output)
{
  const kernel_part *part = state;
  dorm__output_text(output, "# score += sum over pivots of weight * kernel(document, pivot)\nkernel %s %zu %s\n",
                    DORM__NUMBER(part->rank_block), part->num_pivots, part->text);
  for (size_t p = 0; p < part->num_pivots; p++) {
    dorm__output_text(output, "pivot %s", DORM__NUMBER(part->weights[p]));
    write_row(map->num_ids, map->ids, part->pivots + p * part->width, output);
    if (part->rank_block > 0) {
      dorm__output_text(output, " /");
      write_row(map->num_ids, map->ids, part->pivots + p * part->width + map->num_ids, output);
    }
    dorm__output_text(output, "\n");
  }
}

/* Reads "RANK-BLOCK PIVOTS EXPRESSION" into a part that is still without pivots. */
static dorm_status read_head(dorm_context *context, const dorm__model_lines *lines, const dorm__feature_map *map,
                             char *text, size_t *num_pivots, kernel_part **part)
{
  dorm__feature_map own_map = *map;
  if (!dorm__next_number(&text, " \t", &own_map.rank_block) || own_map.rank_block < 0)
    return dorm__line_reader_fail(context, lines->reader, "'kernel' needs a rank block of 0 or more");
  if (!dorm__next_count(&text, 0, 1e9, num_pivots))
    return dorm__line_reader_fail(context, lines->reader, "'kernel' needs a number of pivots");
  text = dorm__trim(text);
  if (!*text)
    return dorm__line_reader_fail(context, lines->reader, "'kernel' needs an expression");
  return new_part(context, text, own_map.rank_block, dorm__feature_map_width(&own_map), *num_pivots, part);
}

/* Reads id:value ..., up to '/' or the end, into row[num_ids]. */
static dorm_status read_row(dorm_context *context, const dorm__model_lines *lines, const dorm__feature_map *map,
                            char **text, float *row)
{
  size_t f = 0;
  for (;;) {
    double id = 0;
    double value = 0;
    *text += strspn(*text, " \t");
    if (!**text || **text == '/')
      return DORM_OK;
    if (!dorm__next_number(text, ":", &id) || *(*text)++ != ':' || !dorm__next_number(text, " \t", &value) ||
        !isfinite((float)value))
      return dorm__line_reader_fail(context, lines->reader, "'pivot' needs finite numbers as id:value");
    while (f < map->num_ids && (double)map->ids[f] < id)
      f++;
    if (f == map->num_ids || (double)map->ids[f] != id)
      return dorm__line_reader_fail(context, lines->reader,
                                    "'pivot' names the feature %g out of order, or it is not in the model", id);
    row[f++] = (float)value;
  }
}

/* Reads "WEIGHT id:value ... [/ id:rank ...]" into weights[p] and row p of the pivots, which are zero. */
static dorm_status read_pivot(dorm_context *context, const dorm__model_lines *lines, const dorm__feature_map *map,
                              char *text, size_t p, kernel_part *part)
{
  float *row = part->pivots + p * part->width;
  if (!dorm__next_number(&text, " \t", &part->weights[p]))
    return dorm__line_reader_fail(context, lines->reader, "'pivot' needs a finite weight");
  dorm_status status = read_row(context, lines, map, &text, row);
  if (status == DORM_OK && part->rank_block > 0 && *text++ != '/')
    status =
        dorm__line_reader_fail(context, lines->reader, "'pivot' needs '/' and its ranks: the kernel has a rank block");
  if (status == DORM_OK && part->rank_block > 0)
    status = read_row(context, lines, map, &text, row + map->num_ids);
  if (status == DORM_OK && *text)
    status = dorm__line_reader_fail(context, lines->reader, "'pivot' has more than it needs");
  return status;
}

static dorm_status kernel_read(dorm_context *context, dorm__model_lines *lines, const dorm__feature_map *map,
                               char *text, void **state)
{
  kernel_part *part = NULL;
  size_t num_pivots = 0;
  size_t pivots_capacity = 0;
  size_t weights_capacity = 0;
  *state = NULL;
  dorm_status status = read_head(context, lines, map, text, &num_pivots, &part);
  for (size_t p = 0; status == DORM_OK && p < num_pivots; p++) {
    char *rest = NULL;
    status = dorm__model_lines_expect(context, lines, "pivot", &rest);
    if (status != DORM_OK)
      break;
    if (!dorm__grow((void **)&part->pivots, &pivots_capacity, p + 1, (part->width + 1) * sizeof *part->pivots) ||
        !DORM__GROW(part->weights, weights_capacity, p + 1)) {
      status = dorm__out_of_memory(context, "a model");
      break;
    }
    memset(part->pivots + p * part->width, 0, part->width * sizeof *part->pivots);
    status = read_pivot(context, lines, map, rest, p, part);
    part->num_pivots = p + 1;
  }
  return DORM__GIVE(status, state, part, kernel_free);
}

const dorm__part_kind dorm__kernel_part = {
    .word = "kernel",
    .score = kernel_score,
    .as_net = kernel_as_net,
    .scale = kernel_scale,
    .open = kernel_open,
    .write = kernel_write,
    .read = kernel_read,
    .describe = kernel_describe,
    .free = kernel_free,
};

/* ---- Of a whole model ------------------------------------------------------------ */

const char *dorm_model_kernel(const dorm_model *model, size_t index, size_t *num_pivots, double *rank_block)
{
  for (size_t i = 0; model && i < model->num_parts; i++) {
    if (model->parts[i].kind != &dorm__kernel_part || index--)
      continue;
    const kernel_part *part = model->parts[i].state;
    if (num_pivots)
      *num_pivots = part->num_pivots;
    if (rank_block)
      *rank_block = part->rank_block;
    return part->text;
  }
  return NULL;
}

/* ---- Files that the caller gives --------------------------------------------------- */

/* A Gram matrix or a module. */
typedef struct kernel_file {
  const char *path;
  dorm__kernel_kind kind; /* DORM__KERNEL_GRAM or DORM__KERNEL_USER */
  const char *name;       /* of the kernel in a module, or the path of a Gram matrix or its last part */
  bool is_whole;          /* `name` is the path */
} kernel_file;

static const char *last_part(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static bool is_needed_at(const kernel_file *file, const dorm__kernel_node *node)
{
  if (node->kind != file->kind)
    return false;
  const char *name = node->name ? node->name : node->path; /* a model trained in this process has only paths */
  bool is_part = file->kind == DORM__KERNEL_GRAM && !file->is_whole;
  return strcmp(is_part ? last_part(name) : name, file->name) == 0;
}

static bool is_needed(const kernel_file *file, const kernel_part *part)
{
  for (size_t i = 0; i < part->kernel->num_nodes; i++)
    if (is_needed_at(file, &part->kernel->nodes[i]))
      return true;
  return false;
}

/* Opens the part again with this file and those that it knows. On failure the part does not change. */
static dorm_status use_file(dorm_context *context, kernel_part *part, const dorm__feature_map *map,
                            const kernel_file *file)
{
  dorm__kernel *kernel = NULL;
  dorm_status status = parse(context, part->text, &kernel);
  for (size_t i = 0; status == DORM_OK && i < kernel->num_nodes; i++) {
    dorm__kernel_node *node = &kernel->nodes[i];
    const char *path = is_needed_at(file, node) ? file->path : part->kernel->nodes[i].path;
    if (!path)
      continue;
    node->path = dorm__copy_text(path);
    if (!node->path)
      status = dorm__out_of_memory(context, "a kernel");
    else if (node->kind == DORM__KERNEL_USER)
      status = dorm__kernel_open_user(context, kernel, node);
  }
  if (status == DORM_OK)
    status = resolve(context, part, map, kernel);
  if (status != DORM_OK) {
    dorm__kernel_free(kernel);
    return status;
  }
  dorm__kernel_free(part->kernel);
  part->kernel = kernel;
  return DORM_OK;
}

/* Gives the file to the parts that need it. *count becomes their number. */
static dorm_status use_in_model(dorm_context *context, const dorm_model *model, const kernel_file *file, size_t *count)
{
  dorm_status status = DORM_OK;
  *count = 0;
  for (size_t i = 0; status == DORM_OK && i < model->num_parts; i++) {
    kernel_part *part = model->parts[i].state;
    if (model->parts[i].kind != &dorm__kernel_part || !is_needed(file, part))
      continue;
    ++*count;
    status = use_file(context, part, &model->map, file);
  }
  return status;
}

/* First looks for the path of a Gram matrix as in training, since two paths may have the same last part. */
dorm_status dorm_model_use_module(dorm_context *context, dorm_model *model, const char *path)
{
  if (DORM__LACKS(context, DORM__GIVEN(model), DORM__GIVEN(path)))
    return DORM_BAD_USAGE;
  size_t count = 0;
  dorm__user_kernel *user = NULL;
  dorm_status status = DORM__ALL(
      use_in_model(context, model, &(kernel_file){path, DORM__KERNEL_GRAM, path, true}, &count),
      !count ? use_in_model(context, model, &(kernel_file){path, DORM__KERNEL_GRAM, last_part(path), false}, &count)
             : DORM_OK);
  if (status != DORM_OK || count)
    return status;
  status = dorm__user_kernel_open(context, path, &user);
  if (status == DORM_OK) {
    const char *name = dorm__user_kernel_module(user)->name;
    status = use_in_model(context, model, &(kernel_file){path, DORM__KERNEL_USER, name, false}, &count);
  }
  dorm__user_kernel_close(user);
  return status;
}
