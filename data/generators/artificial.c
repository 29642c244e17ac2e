/* artificial.c: ranking data in the manner of Burges et al., "Learning to rank using gradient descent" (2005), section
 * 5: random cubic polynomials of uniform features. The papers leave the details open. Here
 *
 *   target = mean of the standardised terms  <v, x>,  sum_j x_j x_Q(j),
 *            sum_j x_j x_R(j) x_S(j)   (v normal; Q, R, S random permutations)
 *
 * plus optional noise. The labels 4, 3, 2, 1, 0 go to the best 5, the next 10, 15, 20 and the last 50 % of all
 * documents of the set. */
#include "base/random.h"
#include "base/status.h"
#include "data/data.h"
#include "data/dataset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUM_TERMS = 3 };

typedef struct polynomial {
  size_t num_features;
  double *linear;                        /* v */
  size_t *quadratic, *cubic_1, *cubic_2; /* Q, R, S */
} polynomial;

static void polynomial_clear(polynomial *model)
{
  dorm__free(model->linear);
  dorm__free(model->quadratic);
  dorm__free(model->cubic_1);
  dorm__free(model->cubic_2);
}

static bool polynomial_draw(polynomial *model, size_t num_features, uint64_t seed)
{
  dorm__random random;
  dorm__random_seed(&random, seed);
  model->num_features = num_features;
  model->linear = dorm__alloc(num_features, sizeof *model->linear);
  model->quadratic = dorm__alloc(num_features, sizeof *model->quadratic);
  model->cubic_1 = dorm__alloc(num_features, sizeof *model->cubic_1);
  model->cubic_2 = dorm__alloc(num_features, sizeof *model->cubic_2);
  if (!model->linear || !model->quadratic || !model->cubic_1 || !model->cubic_2)
    return false;
  for (size_t f = 0; f < num_features; f++)
    model->linear[f] = dorm__random_normal(&random);
  dorm__random_permutation(&random, num_features, model->quadratic);
  dorm__random_permutation(&random, num_features, model->cubic_1);
  dorm__random_permutation(&random, num_features, model->cubic_2);
  return true;
}

static void evaluate_terms(const polynomial *model, const float *x, double terms[NUM_TERMS])
{
  memset(terms, 0, NUM_TERMS * sizeof *terms);
  for (size_t f = 0; f < model->num_features; f++) {
    double value = (double)x[f];
    terms[0] += model->linear[f] * value;
    terms[1] += value * (double)x[model->quadratic[f]];
    terms[2] += value * (double)x[model->cubic_1[f]] * (double)x[model->cubic_2[f]];
  }
}

/* x -> (x - mean) / standard deviation: values[i * stride], i < count. */
static void standardise(size_t count, size_t stride, double *values)
{
  double mean = 0;
  double variance = 0;
  for (size_t i = 0; i < count; i++)
    mean += values[i * stride] / (double)count;
  for (size_t i = 0; i < count; i++)
    variance += (values[i * stride] - mean) * (values[i * stride] - mean) / (double)count;
  double scale = variance > 0 ? 1 / sqrt(variance) : 0;
  for (size_t i = 0; i < count; i++)
    values[i * stride] = (values[i * stride] - mean) * scale;
}

struct target_doc {
  double target;
  size_t doc;
};

static int compare_targets(const void *x, const void *y)
{
  const struct target_doc *a = x;
  const struct target_doc *b = y;
  if (a->target != b->target)
    return a->target < b->target ? 1 : -1;
  return (a->doc > b->doc) - (a->doc < b->doc);
}

static void set_labels(size_t num_docs, struct target_doc *targets, double *labels)
{
  static const double shares[] = {0.05, 0.15, 0.30, 0.50}; /* of the documents with a label of at least 4, 3, 2, 1 */
  qsort(targets, num_docs, sizeof *targets, compare_targets);
  for (size_t i = 0; i < num_docs; i++) {
    double share = ((double)i + 0.5) / (double)num_docs;
    double label = 4;
    while (label > 0 && share > shares[4 - (size_t)label])
      label--;
    labels[targets[i].doc] = label;
  }
}

static dorm_status check_count(dorm_context *context, const char *name, size_t value, size_t most)
{
  if (value < 1 || value > most)
    return dorm__fail(context, DORM_BAD_USAGE, "%s: %zu is not between 1 and %zu", name, value, most);
  return DORM_OK;
}

static dorm_status take_parameters(dorm_context *context, const dorm_artificial *given, dorm_artificial *parameters)
{
  dorm_status status =
      DORM__ALL(dorm__struct_take(context, "parameters", DORM__STRUCT(dorm_artificial), given, parameters),
                check_count(context, "num_queries", parameters->num_queries, 100000000),
                check_count(context, "docs_per_query", parameters->docs_per_query, 100000000),
                check_count(context, "num_features", parameters->num_features, 1000000));
  if (status == DORM_OK && !(parameters->noise >= 0 && parameters->noise <= 1e6))
    status = dorm__fail(context, DORM_BAD_USAGE, "noise: %g is not between 0 and 1e6", parameters->noise);
  return status;
}

static void set_ids(dorm_dataset *dataset, const dorm_artificial *parameters, size_t id_size)
{
  size_t offset = 1;
  for (size_t q = 0; q < parameters->num_queries; q++) {
    dataset->query_start[q + 1] = (q + 1) * parameters->docs_per_query;
    dataset->query_texts[q] = offset;
    offset += 1 + (size_t)snprintf(dataset->texts + offset, id_size, "%zu", q + 1);
  }
  for (size_t f = 0; f < parameters->num_features; f++)
    dataset->feature_ids[f] = f + 1;
}

dorm_status dorm_dataset_generate_artificial(dorm_context *context, const dorm_artificial *parameters,
                                             dorm_dataset **dataset)
{
  if (DORM__LACKS(context, DORM__GIVEN(parameters), DORM__RESULT(dataset)))
    return DORM_BAD_USAGE;
  enum { ID_SIZE = 24 };
  *dataset = NULL;
  dorm_artificial full;
  dorm_status status = take_parameters(context, parameters, &full);
  parameters = &full;
  if (status != DORM_OK)
    return status;
  size_t num_docs = parameters->num_queries * parameters->docs_per_query;
  size_t num_features = parameters->num_features;
  DORM__OWNED(dorm_dataset) *made = NULL;
  DORM__AT_END(polynomial_clear) polynomial model = {0};
  DORM__FREED double *terms = dorm__alloc(num_docs, NUM_TERMS * sizeof *terms);
  DORM__FREED struct target_doc *targets = dorm__alloc(num_docs, sizeof *targets);
  if (!terms || !targets || !polynomial_draw(&model, num_features, parameters->model_seed))
    return dorm__out_of_memory(context, "artificial data");
  status = dorm__dataset_new(context, "artificial", num_docs, parameters->num_queries, num_features,
                             1 + parameters->num_queries * ID_SIZE, &made);
  if (status != DORM_OK)
    return status;
  set_ids(made, parameters, ID_SIZE);

  dorm__random random;
  dorm__random_seed(&random, parameters->data_seed);
  for (size_t j = 0; j < num_docs; j++) {
    float *x = made->values + j * num_features;
    for (size_t f = 0; f < num_features; f++)
      x[f] = (float)(2 * dorm__random_uniform(&random) - 1);
    evaluate_terms(&model, x, terms + j * NUM_TERMS);
  }
  for (size_t t = 0; t < NUM_TERMS; t++)
    standardise(num_docs, NUM_TERMS, terms + t);
  for (size_t j = 0; j < num_docs; j++) {
    const double *own = terms + j * NUM_TERMS;
    targets[j] = (struct target_doc){(own[0] + own[1] + own[2]) / NUM_TERMS, j};
    if (parameters->noise > 0)
      targets[j].target += parameters->noise * dorm__random_normal(&random);
  }
  set_labels(num_docs, targets, made->labels);
  *dataset = made;
  made = NULL;
  return status;
}

/* ---- Sparse -------------------------------------------------------------------- */

/* The weight of a feature, equal in all sets of one seed. */
static double weight_of(uint64_t seed, uint32_t index)
{
  dorm__random random;
  dorm__random_seed(&random, seed * UINT64_C(0x9e3779b97f4a7c15) + index);
  return dorm__random_normal(&random);
}

static int compare_indices(const void *x, const void *y)
{
  uint32_t a = *(const uint32_t *)x;
  uint32_t b = *(const uint32_t *)y;
  return (a > b) - (a < b);
}

/* Draws `entries` distinct increasing indices. Low indices are more frequent, as common words are. */
static void draw_indices(dorm__random *random, size_t num_features, size_t entries, uint32_t *indices)
{
  for (size_t count = 0; count < entries;) {
    for (; count < entries; count++) {
      double u = dorm__random_uniform(random);
      bool is_common = entries < num_features / 4 && dorm__random_below(random, 2);
      indices[count] = (uint32_t)((is_common ? u * u * u : u) * (double)num_features);
    }
    qsort(indices, entries, sizeof *indices, compare_indices);
    size_t distinct = 1;
    for (size_t i = 1; i < entries; i++)
      if (indices[i] != indices[i - 1])
        indices[distinct++] = indices[i];
    count = distinct;
  }
}

dorm_status dorm_dataset_generate_sparse(dorm_context *context, const dorm_artificial *parameters, size_t entries,
                                         dorm_dataset **dataset)
{
  if (DORM__LACKS(context, DORM__GIVEN(parameters), DORM__RESULT(dataset)))
    return DORM_BAD_USAGE;
  enum { ID_SIZE = 24 };
  *dataset = NULL;
  dorm_artificial full;
  dorm_status status = take_parameters(context, parameters, &full);
  parameters = &full;
  if (status == DORM_OK)
    status = check_count(context, "entries", entries, parameters->num_features);
  if (status != DORM_OK)
    return status;
  size_t num_docs = parameters->num_queries * parameters->docs_per_query;
  dorm_dataset *made = NULL;
  DORM__FREED struct target_doc *targets = dorm__alloc(num_docs, sizeof *targets);
  if (!targets || num_docs > SIZE_MAX / 16 / entries)
    status = dorm__out_of_memory(context, "artificial data");
  if (status == DORM_OK)
    status = dorm__dataset_new_sparse(context, "artificial",
                                      &(const dorm__dataset_sizes){num_docs, parameters->num_queries,
                                                                   parameters->num_features,
                                                                   1 + parameters->num_queries * ID_SIZE},
                                      num_docs * entries, &made);
  if (status == DORM_OK) {
    set_ids(made, parameters, ID_SIZE);
    dorm__random random;
    dorm__random_seed(&random, parameters->data_seed);
    for (size_t j = 0; j < num_docs; j++) {
      uint32_t *indices = made->indices + j * entries;
      made->row_start[j + 1] = (j + 1) * entries;
      targets[j] = (struct target_doc){parameters->noise * dorm__random_normal(&random), j};
      draw_indices(&random, parameters->num_features, entries, indices);
      for (size_t i = 0; i < entries; i++) {
        float value = (float)(dorm__random_below(&random, 1000) + 1) / 1000;
        made->values[j * entries + i] = value;
        targets[j].target += (double)value * weight_of(parameters->model_seed, indices[i]);
      }
    }
    set_labels(num_docs, targets, made->labels);
    *dataset = made;
  }
  return status;
}
