/*
 * kernel_part.c: kernel parts of a model,
 *
 *   score = sum_p weights[p] k(x, pivots[p]),
 *
 * over rows x of the feature map with the part's rank block. In a model file the line `kernel` is followed by one
 * line for each pivot: its weight and its row, of which zeros are left out: first values by feature id, then, if the
 * part has a rank block, a slash and ranks by feature id.
 */
#include "base/linalg.h"
#include "base/team.h"
#include "data/data.h"
#include "features/features.h"
#include "kernels/kernels.h"
#include "models/model_lines.h"
#include "models/models.h"

#include <math.h>
#include <string.h>

/* Documents whose Gram block a thread holds at a time, 4 kB for each pivot. */
enum { BATCH = 512 };

/* The file of a module, for the kernel of that name. */
typedef struct kernel_module {
  char *name;
  char *path;
} kernel_module;

typedef struct kernel_part {
  char *text; /* the expression, every parameter spelled out, without paths of modules */
  char *description;
  double rank_block;
  size_t width; /* of the rows */
  size_t num_pivots;
  float *pivots;   /* [num_pivots][width] */
  double *weights; /* [num_pivots] */
  size_t num_modules;
  kernel_module *modules; /* that the program named; none come from a file */
  dorm__kernel *trained;  /* of a part that was trained: shares the Gram matrices and modules that training opened */
  dorm__kernel *kernel;   /* resolved for the features of the model; NULL until the part joins one */
} kernel_part;

static void module_clear(kernel_module *module)
{
  dorm__free(module->name);
  dorm__free(module->path);
}

static void kernel_free(void *state)
{
  kernel_part *part = state;
  if (!part)
    return;
  dorm__free(part->text);
  dorm__free(part->description);
  dorm__free(part->pivots);
  dorm__free(part->weights);
  for (size_t i = 0; i < part->num_modules; i++)
    module_clear(&part->modules[i]);
  dorm__free(part->modules);
  dorm__kernel_free(part->trained);
  dorm__kernel_free(part->kernel);
  dorm__free(part);
}

/* The path of the module with that kernel; NULL when it is not known. */
static const char *module_path(const kernel_part *part, const char *name)
{
  for (size_t i = 0; i < part->num_modules; i++)
    if (strcmp(part->modules[i].name, name) == 0)
      return part->modules[i].path;
  return NULL;
}

/* Names the module of a kernel; a later path replaces an earlier one. */
static dorm_status set_module(dorm_context *context, kernel_part *part, const char *name, const char *path)
{
  kernel_module made = {dorm__copy_text(name), dorm__copy_text(path)};
  size_t capacity = part->num_modules;
  size_t i = 0;
  while (i < part->num_modules && strcmp(part->modules[i].name, name) != 0)
    i++;
  if (!made.name || !made.path || !dorm__grow((void **)&part->modules, &capacity, i + 1, sizeof *part->modules)) {
    module_clear(&made);
    return dorm__out_of_memory(context, "a model");
  }
  if (i < part->num_modules)
    module_clear(&part->modules[i]);
  else
    part->num_modules++;
  part->modules[i] = made;
  return DORM_OK;
}

/* ---- Opening --------------------------------------------------------------------- */

static dorm__feature_map map_of(const kernel_part *part, const dorm__feature_map *map)
{
  dorm__feature_map own_map = *map;
  own_map.rank_block = part->rank_block;
  return own_map;
}

/* Checks what only a kernel that was written by a model must have: one value for every parameter. */
static dorm_status check_values(dorm_context *context, const kernel_part *part, const dorm__kernel *kernel)
{
  if (dorm__kernel_num_choices(kernel) != 1)
    return dorm__fail(context, DORM_BAD_DATA, "the kernel '%.400s' is a list", part->text);
  for (size_t i = 0; i < kernel->num_nodes; i++) {
    const dorm__kernel_node *node = &kernel->nodes[i];
    if ((node->kind == DORM__KERNEL_RBF || node->kind == DORM__KERNEL_LAPLACIAN) &&
        isnan(node->parameters[0].values[0]))
      return dorm__fail(context, DORM_BAD_DATA, "the kernel '%.400s' has no number for gamma", part->text);
  }
  return DORM_OK;
}

/* Loads the modules that the program named. A module that is not known is missed when the part is scored. */
static dorm_status open_modules(dorm_context *context, const kernel_part *part, dorm__kernel *kernel)
{
  dorm_status status = DORM_OK;
  for (size_t i = 0; status == DORM_OK && i < kernel->num_nodes; i++) {
    dorm__kernel_node *node = &kernel->nodes[i];
    const char *path = node->kind == DORM__KERNEL_USER ? module_path(part, node->name) : NULL;
    if (!path)
      continue;
    node->path = dorm__copy_text(path);
    status = node->path ? dorm__kernel_open_user(context, kernel, node) : dorm__out_of_memory(context, "a kernel");
  }
  return status;
}

/* Checks that where a kernel looks up rows of a Gram matrix by number, the pivots hold numbers of its rows. */
static dorm_status check_pivots(dorm_context *context, const kernel_part *part, const dorm__kernel *kernel)
{
  for (size_t i = 0; i < kernel->num_nodes; i++) {
    const dorm__kernel_node *node = &kernel->nodes[i];
    for (size_t p = 0; p < part->num_pivots && node->kind == DORM__KERNEL_GRAM; p++) {
      float number = part->pivots[p * part->width + node->columns[0]];
      if (!(number >= 1 && (double)number <= (double)node->gram_size && number == floorf(number)))
        return dorm__fail(context, DORM_BAD_DATA, "pivot %zu of '%.300s': %g is not the number of a row of %s", p + 1,
                          part->text, (double)number, node->path);
    }
  }
  return DORM_OK;
}

/* The kernel of a model that was read: parses the expression and opens the modules whose files are known. */
static dorm_status open_text(dorm_context *context, const kernel_part *part, dorm__kernel **kernel)
{
  dorm_status status = dorm__kernel_parse_model(context, part->text, kernel);
  if (status != DORM_OK)
    return status;
  status = check_values(context, part, *kernel);
  return status == DORM_OK ? open_modules(context, part, *kernel) : status;
}

/* Opens the kernel, finds the columns of every feature block and reads
 * the Gram matrices that are not open yet. What there was before is replaced on success alone. */
static dorm_status kernel_open(dorm_context *context, void *state, const dorm__feature_map *map)
{
  kernel_part *part = state;
  dorm__feature_map own_map = map_of(part, map);
  dorm__kernel *kernel = NULL;
  dorm_status status = part->trained ? dorm__kernel_choose(context, part->trained, 0, &kernel)
                                     : open_text(context, part, &kernel);
  if (status == DORM_OK)
    status = dorm__kernel_resolve(context, kernel, &own_map);
  if (status == DORM_OK)
    status = check_pivots(context, part, kernel);
  if (status != DORM_OK) {
    dorm__kernel_free(kernel);
    return status;
  }
  dorm__kernel_free(part->kernel);
  part->kernel = kernel;
  return DORM_OK;
}

/* ---- Making ---------------------------------------------------------------------- */

/* A part without pivots. */
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
    status = dorm__kernel_choose(context, factor->kernel, 0, &made->trained);
  if (status == DORM_OK)
    *part = (dorm__part){&dorm__kernel_part, 1, made};
  else
    kernel_free(made);
  return status;
}

/* ---- Scoring --------------------------------------------------------------------- */

/* scores += weight times what the part gives the rows of one batch. */
static dorm_status add_batch(dorm_context *context, const kernel_part *part, const dorm__kernel_rows *rows,
                             size_t first, double weight, double *scores)
{
  size_t count = rows->count - first < BATCH ? rows->count - first : BATCH;
  double *gram = dorm__alloc(count + 1, (part->num_pivots + 1) * sizeof *gram);
  double sums[BATCH];
  bool good = gram && dorm__kernel_tile(part->kernel, rows->width, count, rows->values + first * rows->width,
                                         part->num_pivots, part->pivots, gram);
  if (good) {
    dorm__matrix_vector(count, part->num_pivots, gram, part->weights, sums);
    dorm__add_scaled(count, weight, sums, scores + first);
  }
  dorm__free(gram);
  return good ? DORM_OK : dorm__kernel_fault(context, part->kernel, "a Gram block");
}

static dorm_status add_rows(dorm_context *context, const kernel_part *part, const dorm__kernel_rows *rows,
                            size_t num_threads, double weight, double *scores)
{
  dorm__team *team = NULL;
  size_t num_batches = part->num_pivots ? (rows->count + BATCH - 1) / BATCH : 0;
  dorm_status status = dorm__team_new(context, num_threads, "scores", &team);
  if (status != DORM_OK)
    return status;
#pragma omp parallel for schedule(dynamic) num_threads((int)num_threads)
  for (size_t batch = 0; batch < num_batches; batch++)
    if (!dorm__team_skips(team, batch))
      dorm__team_note(team, batch, add_batch(dorm__team_context(team), part, rows, batch * BATCH, weight, scores));
  return dorm__team_end(context, team);
}

/* Costs O(pivots * columns of the kernel) per document; holds the rows of the whole data set, 4 bytes for each
 * feature of a document. */
static dorm_status kernel_score(dorm_context *context, const void *state, const dorm__feature_map *map,
                                const dorm_dataset *dataset, size_t num_threads, double weight, double *scores)
{
  const kernel_part *part = state;
  dorm__kernel_rows rows = {0};
  dorm__feature_map own_map = map_of(part, map);
  for (size_t i = 0; i < part->kernel->num_nodes; i++) {
    const dorm__kernel_node *node = &part->kernel->nodes[i];
    if (node->kind == DORM__KERNEL_USER && !node->user)
      return dorm__fail(context, DORM_BAD_MODULE,
                        "the model has the kernel '%s' of a module, which a model never loads by itself: name the "
                        "module's file (dorm_model_use_module, dorm predict --module)",
                        node->name);
  }
  dorm_status status = dorm__kernel_rows_build(context, part->kernel, dataset, &own_map, num_threads, &rows);
  if (status == DORM_OK)
    status = add_rows(context, part, &rows, num_threads, weight, scores);
  dorm__kernel_rows_free(&rows);
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
    if (values[f] != 0) {
      dorm__output_text(output, " %zu:", ids[f]);
      dorm__output_float(output, values[f]);
    }
}

static void kernel_write(const void *state, const dorm__feature_map *map, dorm__output *output)
{
  const kernel_part *part = state;
  dorm__output_text(output, "# score += sum over pivots of weight * kernel(document, pivot)\nkernel ");
  dorm__output_number(output, part->rank_block);
  dorm__output_text(output, " %zu %s\n", part->num_pivots, part->text);
  for (size_t p = 0; p < part->num_pivots; p++) {
    dorm__output_text(output, "pivot ");
    dorm__output_number(output, part->weights[p]);
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
  double count = 0;
  dorm__feature_map own_map = *map;
  if (!dorm__next_number(&text, " \t", &own_map.rank_block) || own_map.rank_block < 0)
    return dorm__line_reader_fail(context, lines->reader, "'kernel' needs a rank block of 0 or more");
  if (!dorm__next_number(&text, " \t", &count) || !(count >= 0 && count <= 1e9 && count == floor(count)))
    return dorm__line_reader_fail(context, lines->reader, "'kernel' needs a number of pivots");
  text = dorm__trim(text);
  if (!*text)
    return dorm__line_reader_fail(context, lines->reader, "'kernel' needs an expression");
  *num_pivots = (size_t)count;
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
        !dorm__grow((void **)&part->weights, &weights_capacity, p + 1, sizeof *part->weights)) {
      status = dorm__out_of_memory(context, "a model");
      break;
    }
    memset(part->pivots + p * part->width, 0, part->width * sizeof *part->pivots);
    status = read_pivot(context, lines, map, rest, p, part);
    part->num_pivots = p + 1;
  }
  if (status == DORM_OK)
    *state = part;
  else
    kernel_free(part);
  return status;
}

const dorm__part_kind dorm__kernel_part = {
    .word = "kernel",
    .score = kernel_score,
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
  for (size_t i = 0; i < model->num_parts; i++) {
    if (model->parts[i].kind != &dorm__kernel_part || index--)
      continue;
    const kernel_part *part = model->parts[i].state;
    *num_pivots = part->num_pivots;
    *rank_block = part->rank_block;
    return part->text;
  }
  return NULL;
}

static bool needs_module(const kernel_part *part, const char *name)
{
  for (size_t i = 0; i < part->kernel->num_nodes; i++) {
    const dorm__kernel_node *node = &part->kernel->nodes[i];
    if (node->kind == DORM__KERNEL_USER && strcmp(node->name, name) == 0)
      return true;
  }
  return false;
}

dorm_status dorm_model_use_module(dorm_context *context, dorm_model *model, const char *path)
{
  dorm__user_kernel *user = NULL;
  dorm__feature_map map = dorm__model_map(model);
  dorm_status status = dorm__user_kernel_open(context, path, &user);
  if (status != DORM_OK)
    return status;
  const char *name = dorm__user_kernel_module(user)->name;
  for (size_t i = 0; status == DORM_OK && i < model->num_parts; i++) {
    kernel_part *part = model->parts[i].state;
    if (model->parts[i].kind != &dorm__kernel_part || !needs_module(part, name))
      continue;
    status = set_module(context, part, name, path);
    if (status == DORM_OK)
      status = kernel_open(context, part, &map);
  }
  dorm__user_kernel_close(user);
  return status;
}
