/* artificial.c: ranking data in the manner of Burges et al., "Learning to rank using gradient descent" (2005), section
 * 5: random cubic polynomials of uniform features. The papers leave the details open. Here
 *
 *   target = mean of the standardised terms  <v, x>,  sum_j x_j x_Q(j),
 *            sum_j x_j x_R(j) x_S(j)   (v normal; Q, R, S random permutations)
 *
 * plus optional noise. The labels 4, 3, 2, 1, 0 go to the best 5, the next 10, 15, 20 and the last 50 % of all
 * documents of the set. */
#include "base/memory.h"
#include "base/random.h"
#include "base/sort.h"
#include "base/status.h"
#include "data/data.h"
#include "data/dataset.h"

#include <math.h>
#include <string.h>

enum { NUM_TERMS = 3 };

typedef struct polynomial {
  size_t num_features;
  double *linear;                        /* v */
  size_t *quadratic, *cubic_1, *cubic_2; /* Q, R, S */
} polynomial;

static void polynomial_draw(polynomial *model, dorm__region *memory, size_t num_features, uint64_t seed)
{
  dorm__random random;
  dorm__random_seed(&random, seed);
  *model = (polynomial){.num_features = num_features,
                        .linear = dorm__region_take_zero(memory, num_features, sizeof *model->linear),
                        .quadratic = dorm__region_take_zero(memory, num_features, sizeof *model->quadratic),
                        .cubic_1 = dorm__region_take_zero(memory, num_features, sizeof *model->cubic_1),
                        .cubic_2 = dorm__region_take_zero(memory, num_features, sizeof *model->cubic_2)};
  if (memory->is_short)
    return;
  for (size_t f = 0; f < num_features; f++)
    model->linear[f] = dorm__random_normal(&random);
  dorm__random_permutation(&random, num_features, model->quadratic);
  dorm__random_permutation(&random, num_features, model->cubic_1);
  dorm__random_permutation(&random, num_features, model->cubic_2);
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

/* Sets the labels by the ranks of the targets [num_docs]. `order` is scratch. Returns false when out of memory. */
static bool set_labels(size_t num_docs, const double *targets, uint32_t *order, double *labels)
{
  static const double shares[] = {0.05, 0.15, 0.30, 0.50}; /* of the documents with a label of at least 4, 3, 2, 1 */
  if (!dorm__order_descending(num_docs, targets, order))
    return false;
  for (size_t i = 0; i < num_docs; i++) {
    double share = ((double)i + 0.5) / (double)num_docs;
    double label = 4;
    while (label > 0 && share > shares[4 - (size_t)label])
      label--;
    labels[order[i]] = label;
  }
  return true;
}

static dorm_status check_count(dorm_context *context, const char *name, size_t value, size_t most)
{
  if (value < 1 || value > most)
    return dorm__fail(context, DORM_BAD_USAGE, "%s: %zu is not between 1 and %zu", name, value, most);
  return DORM_OK;
}

/* Checks the parameters, and makes a data set of their size. Unless `entries` is NULL, its rows are sparse and have
 * this many entries. */
static dorm_status begin(dorm_context *context, const dorm_artificial *given, const size_t *entries,
                         dorm_artificial *parameters, dorm_dataset **dataset)
{
  enum { ID_SIZE = 24 };
  dorm_status status =
      DORM__ALL(dorm__struct_take(context, "parameters", DORM__STRUCT(dorm_artificial), given, parameters),
                check_count(context, "num_queries", parameters->num_queries, 100000000),
                check_count(context, "docs_per_query", parameters->docs_per_query, 100000000),
                check_count(context, "num_features", parameters->num_features, 1000000));
  if (status == DORM_OK && !(parameters->noise >= 0 && parameters->noise <= 1e6))
    status = dorm__fail(context, DORM_BAD_USAGE, "noise: %g is not between 0 and 1e6", parameters->noise);
  if (status == DORM_OK && entries)
    status = check_count(context, "entries", *entries, parameters->num_features);
  if (status != DORM_OK)
    return status;
  size_t num_docs = parameters->num_queries * parameters->docs_per_query, width = entries ? *entries : 1;
  if (num_docs > UINT32_MAX || num_docs > SIZE_MAX / 16 / width)
    return dorm__out_of_memory(context, "artificial data");
  const dorm__dataset_sizes sizes = {.num_docs = num_docs,
                                     .num_queries = parameters->num_queries,
                                     .num_features = parameters->num_features,
                                     .texts_size = 1 + parameters->num_queries * ID_SIZE,
                                     .is_sparse = entries != NULL,
                                     .num_entries = num_docs * width};
  status = dorm__dataset_make(context, "artificial", &sizes, dataset);
  if (status != DORM_OK)
    return status;
  size_t offset = 1;
  for (size_t q = 0; q < sizes.num_queries; q++) {
    char id[ID_SIZE];
    snprintf(id, sizeof id, "%zu", q + 1);
    (*dataset)->query_start[q + 1] = (q + 1) * parameters->docs_per_query;
    (*dataset)->query_texts[q] = dorm__dataset_put_text(*dataset, &offset, id);
  }
  for (size_t f = 0; f < sizes.num_features; f++)
    (*dataset)->feature_ids[f] = f + 1;
  return DORM_OK;
}

dorm_status dorm_dataset_generate_artificial(dorm_context *context, const dorm_artificial *parameters,
                                             dorm_dataset **dataset)
{
  if (DORM__LACKS(context, DORM__GIVEN(parameters), DORM__RESULT(dataset)))
    return DORM_BAD_USAGE;
  dorm_artificial full;
  DORM__OWNED(dorm_dataset) *made = NULL;
  DORM__AT_END(dorm__region_clear) dorm__region memory = {0};
  dorm_status status = begin(context, parameters, NULL, &full, &made);
  if (status != DORM_OK)
    return status;
  size_t num_docs = made->num_docs, num_features = made->num_features;
  double *terms = dorm__region_take_zero(&memory, num_docs, NUM_TERMS * sizeof *terms);
  double *targets = dorm__region_take_zero(&memory, num_docs, sizeof *targets);
  uint32_t *order = dorm__region_take_zero(&memory, num_docs, sizeof *order);
  polynomial model;
  polynomial_draw(&model, &memory, num_features, full.model_seed);
  if (memory.is_short)
    return dorm__out_of_memory(context, "artificial data");
  dorm__random random;
  dorm__random_seed(&random, full.data_seed);
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
    targets[j] = (own[0] + own[1] + own[2]) / NUM_TERMS;
    if (full.noise > 0)
      targets[j] += full.noise * dorm__random_normal(&random);
  }
  if (!set_labels(num_docs, targets, order, made->labels))
    return dorm__out_of_memory(context, "artificial data");
  *dataset = made;
  made = NULL;
  return DORM_OK;
}

/* ---- Sparse -------------------------------------------------------------------- */

/* The weight of a feature, equal in all sets of one seed. */
static double weight_of(uint64_t seed, uint32_t index)
{
  dorm__random random;
  dorm__random_seed(&random, seed * UINT64_C(0x9e3779b97f4a7c15) + index);
  return dorm__random_normal(&random);
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
    dorm__sort_ids(entries, indices);
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
  dorm_artificial full;
  DORM__OWNED(dorm_dataset) *made = NULL;
  dorm_status status = begin(context, parameters, &entries, &full, &made);
  if (status != DORM_OK)
    return status;
  size_t num_docs = made->num_docs;
  DORM__FREED double *targets = dorm__alloc(num_docs, sizeof *targets);
  DORM__FREED uint32_t *order = dorm__alloc(num_docs, sizeof *order);
  if (!targets || !order)
    return dorm__out_of_memory(context, "artificial data");
  dorm__random random;
  dorm__random_seed(&random, full.data_seed);
  for (size_t j = 0; j < num_docs; j++) {
    uint32_t *indices = made->indices + j * entries;
    made->row_start[j + 1] = (j + 1) * entries;
    targets[j] = full.noise * dorm__random_normal(&random);
    draw_indices(&random, full.num_features, entries, indices);
    for (size_t i = 0; i < entries; i++) {
      float value = (float)(dorm__random_below(&random, 1000) + 1) / 1000;
      made->values[j * entries + i] = value;
      targets[j] += (double)value * weight_of(full.model_seed, indices[i]);
    }
  }
  if (!set_labels(num_docs, targets, order, made->labels))
    return dorm__out_of_memory(context, "artificial data");
  *dataset = made;
  made = NULL;
  return DORM_OK;
}
