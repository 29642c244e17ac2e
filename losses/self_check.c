/*
 * self_check.c: checks the promises of a loss by brute force on small queries before training. Its tables are filled
 * completely, stay within their bounds, are the same when filled again, and are finite. a does not increase. Over all
 * rankings of up to six documents
 *
 *   product form   sum_j b[j] (a[ideal rank of j] - a[rank[j]])
 *   general form   sum_j cost[j][rank[j]] - min over rankings of the same,
 *                  with cost[j][p] = -a[p] b[j]
 *
 * agree and are >= 0, and 0 at the ideal ranking. The structured form has a check of its own below.
 */
#include "data/data.h"
#include "losses/loss.h"
#include "losses/losses.h"

#include <math.h>
#include <string.h>

enum { MOST_DOCS = 6, MOST_NUMBERS = MOST_DOCS * MOST_DOCS, GUARD = 8 };

static const double guard_value = -7.0e77;

/* Labels of the queries tried, each cut to its first 1 .. 6 documents. */
static const double label_sets[][MOST_DOCS] = {
    {0, 0, 0, 0, 0, 0}, {1, 1, 1, 1, 1, 1}, {2, 0, 1, 0, 2, 1},      {0, 1, 2, 3, 4, 3},
    {1, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 1}, {4, 3, 2, 1, 0.5, 0.25}, {0, 4, 4, 0, 1, 1},
};

typedef struct checked_tables {
  double numbers[2][MOST_NUMBERS + 2 * GUARD]; /* filled twice, with guards on both sides */
  double cost[MOST_NUMBERS];
  double a[MOST_DOCS];
  double b[MOST_DOCS];
  size_t ideal_rank[MOST_DOCS]; /* by falling b */
} checked_tables;

static dorm_status fill(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset, double *numbers)
{
  size_t num_docs = dataset->num_docs;
  size_t count = dorm__loss_is_general(loss) ? num_docs * num_docs : 2 * num_docs;
  for (size_t i = 0; i < count + 2 * GUARD; i++)
    numbers[i] = i < GUARD || i >= count + GUARD ? guard_value : NAN; /* entries that stay NaN were not filled */
  double *first = numbers + GUARD;
  dorm_status status = dorm__loss_is_general(loss)
                           ? dorm__loss_fill_costs(context, loss, dataset, 0, first)
                           : dorm__loss_fill_product(context, loss, dataset, 0, first, first + num_docs);
  if (status != DORM_OK)
    return status;
  for (size_t i = 0; i < GUARD; i++)
    if (numbers[i] != guard_value || numbers[count + GUARD + i] != guard_value)
      return dorm__loss_refuse(context, loss, num_docs, "it writes outside its table");
  for (size_t i = 0; i < count; i++)
    if (!isfinite(first[i]))
      return dorm__loss_refuse(context, loss, num_docs, "a number of its table is missing, infinite or not a number");
  return DORM_OK;
}

/* Fills the table twice, then splits the numbers into a, b and cost. */
static dorm_status fill_tables(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset,
                               checked_tables *tables)
{
  size_t num_docs = dataset->num_docs;
  bool is_general = dorm__loss_is_general(loss);
  size_t count = is_general ? num_docs * num_docs : 2 * num_docs;
  for (size_t i = 0; i < 2; i++) {
    dorm_status status = fill(context, loss, dataset, tables->numbers[i]);
    if (status != DORM_OK)
      return status;
  }
  const double *numbers = tables->numbers[0] + GUARD;
  if (memcmp(numbers, tables->numbers[1] + GUARD, count * sizeof *numbers) != 0)
    return dorm__loss_refuse(context, loss, num_docs, "filled twice, its table is not the same");
  if (is_general) {
    memcpy(tables->cost, numbers, count * sizeof *numbers);
    return DORM_OK;
  }
  memcpy(tables->a, numbers, num_docs * sizeof *numbers);
  memcpy(tables->b, numbers + num_docs, num_docs * sizeof *numbers);
  for (size_t p = 1; p < num_docs; p++)
    if (tables->a[p] > tables->a[p - 1])
      return dorm__loss_refuse(context, loss, num_docs, "the weights a of the positions increase");
  for (size_t j = 0; j < num_docs; j++) {
    tables->ideal_rank[j] = 0;
    for (size_t i = 0; i < num_docs; i++) {
      tables->cost[j * num_docs + i] = -tables->a[i] * tables->b[j];
      tables->ideal_rank[j] += tables->b[i] > tables->b[j] || (tables->b[i] == tables->b[j] && i < j);
    }
  }
  return DORM_OK;
}

/* Makes the next ranking in lexicographic order. Returns false after the last. */
static bool next_ranking(size_t count, size_t *rank)
{
  size_t i = count;
  while (i > 1 && rank[i - 2] >= rank[i - 1])
    i--;
  if (i <= 1)
    return false;
  size_t j = count;
  while (rank[j - 1] <= rank[i - 2])
    j--;
  size_t item = rank[i - 2];
  rank[i - 2] = rank[j - 1];
  rank[j - 1] = item;
  for (size_t left = i - 1, right = count - 1; left < right; left++, right--) {
    item = rank[left];
    rank[left] = rank[right];
    rank[right] = item;
  }
  return true;
}

static double cost_of(const checked_tables *tables, size_t num_docs, const size_t *rank)
{
  double cost = 0;
  for (size_t j = 0; j < num_docs; j++)
    cost += tables->cost[j * num_docs + rank[j]];
  return cost;
}

static double product_loss(const checked_tables *tables, size_t num_docs, const size_t *rank)
{
  double loss = 0;
  for (size_t j = 0; j < num_docs; j++)
    loss += tables->b[j] * (tables->a[tables->ideal_rank[j]] - tables->a[rank[j]]);
  return loss;
}

static dorm_status try_all_rankings(dorm_context *context, const dorm__loss *loss, size_t num_docs,
                                    const checked_tables *tables)
{
  size_t rank[MOST_DOCS];
  double least = INFINITY;
  double scale = 1;
  for (size_t i = 0; i < num_docs * num_docs; i++)
    scale = fmax(scale, fabs(tables->cost[i]));
  double tolerance = 1e-12 * scale;
  for (size_t j = 0; j < num_docs; j++)
    rank[j] = j;
  do
    least = fmin(least, cost_of(tables, num_docs, rank));
  while (next_ranking(num_docs, rank));
  if (!isfinite(least))
    return dorm__loss_refuse(context, loss, num_docs, "its costs are too large to be summed");
  if (dorm__loss_is_general(loss))
    return DORM_OK;
  for (size_t j = 0; j < num_docs; j++)
    rank[j] = j;
  do {
    double general = cost_of(tables, num_docs, rank) - least;
    double product = product_loss(tables, num_docs, rank);
    if (fabs(general - product) > tolerance)
      return dorm__loss_refuse(context, loss, num_docs, "the product form is not the loss against an ideal ranking");
  } while (next_ranking(num_docs, rank));
  if (fabs(product_loss(tables, num_docs, tables->ideal_rank)) > tolerance)
    return dorm__loss_refuse(context, loss, num_docs, "an ideal ranking costs something");
  return DORM_OK;
}

dorm_status dorm__loss_self_check(dorm_context *context, const dorm__loss *loss)
{
  size_t query_start[2] = {0};
  size_t feature_ids[2] = {1, 2};
  float features[MOST_DOCS * 2] = {0, 1, 1, 0, 0.5F, 0, 0, 0, 1, 1, 0.25F, 0.75F};
  double labels[MOST_DOCS];
  dorm_dataset dataset = {
      .num_queries = 1,
      .num_features = 2,
      .query_start = query_start,
      .labels = labels,
      .feature_ids = feature_ids,
      .values = features,
  };
  checked_tables tables;
  dorm_status status = DORM_OK;
  for (size_t set = 0; status == DORM_OK && set < sizeof label_sets / sizeof *label_sets; set++)
    for (size_t num_docs = 1; status == DORM_OK && num_docs <= MOST_DOCS; num_docs++) {
      dataset.num_docs = num_docs;
      query_start[1] = num_docs;
      memcpy(labels, label_sets[set], sizeof labels);
      if (dorm__loss_is_structured(loss)) {
        status = dorm__structured_check(context, loss, &dataset);
        continue;
      }
      status = DORM__ALL(dorm__loss_prepare(context, loss, &dataset), fill_tables(context, loss, &dataset, &tables),
                         try_all_rankings(context, loss, num_docs, &tables));
    }
  return status;
}

/* ---- Structured check -------------------------------------------------------------------------- */

/* Checks the promises of a structured loss on one small query. Its outputs cannot be enumerated here, but every output
 * that it returns for some scores is an output at all other scores, too. So at scores g the value of the output
 * returned for g must be at least the value of each of the others,
 *
 *   Delta(y) + sum_j coefficient_j(y) g_j,
 *
 * and at least 0, the value of the right output. The scores tried are zero, tied, close together and far apart. Each is
 * tried twice and must have the same result. This is not a proof, but a module that does not return the true maximum is
 * usually caught. */

enum { NUM_SCORES = 12 };

static const double rounding = 1e-9; /* of the sum of the parts of a value */

/* Scores, each cut to the number of documents of the query. */
static const double score_sets[NUM_SCORES][MOST_DOCS] = {
    {0, 0, 0, 0, 0, 0},
    {1, 1, 1, 1, 1, 1},
    {0, 1, 0, 1, 0, 1},
    {0.3, -0.2, 0.1, 0.7, -0.6, 0.4},
    {-0.3, 0.2, -0.1, -0.7, 0.6, -0.4},
    {3, 2, 1, 0, -1, -2},
    {-2, -1, 0, 1, 2, 3},
    {0.05, 0.01, 0.02, 0.01, 0.05, 0.03},
    {-0.5, 0.5, 0.5, -0.5, 1.5, -1.5},
    {30, -70, 20, 90, -40, 10},
    {-1000, 2000, 500, -3000, 1500, 2500},
    {2, 2, -7, 0.25, 0.25, 0.25},
};

typedef struct named_output {
  double coefficients[MOST_DOCS + 2 * GUARD];
  double delta;
} named_output;

dorm_status dorm__loss_refuse(dorm_context *context, const dorm__loss *loss, size_t num_docs, const char *what)
{
  return dorm__fail(context, DORM_BAD_MODULE, "loss '%s' fails its check on a query of %zu documents: %s",
                    dorm__loss_module_of(loss)->name, num_docs, what);
}

static dorm_status ask(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset, const double *scores,
                       named_output *output)
{
  size_t num_docs = dataset->num_docs;
  for (size_t i = 0; i < MOST_DOCS + 2 * GUARD; i++) /* entries that stay NaN were not filled */
    output->coefficients[i] = i < GUARD || i >= num_docs + GUARD ? guard_value : NAN;
  output->delta = NAN;
  dorm_status status =
      dorm__loss_find_worst(context, loss, dataset, 0, scores, output->coefficients + GUARD, &output->delta);
  for (size_t i = 0; status == DORM_OK && i < GUARD; i++)
    if (output->coefficients[i] != guard_value || output->coefficients[num_docs + GUARD + i] != guard_value)
      status = dorm__loss_refuse(context, loss, num_docs, "it writes outside its coefficients");
  return status;
}

/* Returns the value of the output at these scores. *size becomes the sum of the magnitudes of its terms. */
static double value_of(const named_output *output, size_t num_docs, const double *scores, double *size)
{
  double value = output->delta;
  *size = 1 + fabs(output->delta);
  for (size_t j = 0; j < num_docs; j++) {
    value += output->coefficients[GUARD + j] * scores[j];
    *size += fabs(output->coefficients[GUARD + j] * scores[j]);
  }
  return value;
}

dorm_status dorm__structured_check(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset)
{
  size_t num_docs = dataset->num_docs;
  named_output outputs[NUM_SCORES];
  named_output again;
  dorm_status status = dorm__loss_prepare(context, loss, dataset);
  for (size_t i = 0; status == DORM_OK && i < NUM_SCORES; i++)
    status = ask(context, loss, dataset, score_sets[i], &outputs[i]);
  for (size_t i = 0; status == DORM_OK && i < NUM_SCORES; i++) {
    status = DORM__ALL(ask(context, loss, dataset, score_sets[i], &again),
                       memcmp(&again, &outputs[i], sizeof again) != 0
                           ? dorm__loss_refuse(context, loss, num_docs, "asked twice, its answer is not the same")
                           : DORM_OK);
    for (size_t k = 0; status == DORM_OK && k < NUM_SCORES; k++) {
      double size, other_size;
      double value = value_of(&outputs[i], num_docs, score_sets[i], &size);
      double other = value_of(&outputs[k], num_docs, score_sets[i], &other_size);
      if (other > value + rounding * (size + other_size))
        status = dorm__loss_refuse(context, loss, num_docs, "its worst output is not the worst: another of its own is");
    }
  }
  return status;
}
