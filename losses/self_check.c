/*
 * self_check.c: checks the promises of a loss on small queries before training. Its tables are filled completely, stay
 * within their bounds, are the same when filled again, and their numbers and sums of costs are finite. a does not
 * increase, so that a ranking by falling b is ideal. The structured form has a check of its own below.
 */
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

/* Fails with the reason `what`. */
static dorm_status refuse(dorm_context *context, const dorm__loss *loss, size_t num_docs, const char *what)
{
  return dorm__fail(context, DORM_BAD_MODULE, "loss '%s' fails its check on a query of %zu documents: %s",
                    loss->module->name, num_docs, what);
}

/* Sets the numbers to NaN, so that entries that were not filled are found, between guards on both sides. */
static void guard(size_t count, double *numbers)
{
  for (size_t i = 0; i < count + 2 * GUARD; i++)
    numbers[i] = i < GUARD || i >= count + GUARD ? guard_value : NAN;
}

static bool is_guarded(size_t count, const double *numbers)
{
  for (size_t i = 0; i < GUARD; i++)
    if (numbers[i] != guard_value || numbers[count + GUARD + i] != guard_value)
      return false;
  return true;
}

static dorm_status fill(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset, size_t count,
                        double *numbers)
{
  double *first = numbers + GUARD;
  guard(count, numbers);
  dorm_status status = dorm__loss_is_general(loss)
                           ? dorm__loss_fill_costs(context, loss, dataset, 0, first)
                           : dorm__loss_fill_product(context, loss, dataset, 0, first, first + dataset->num_docs);
  if (status == DORM_OK && !is_guarded(count, numbers))
    status = refuse(context, loss, dataset->num_docs, "it writes outside its table");
  return status;
}

static dorm_status check_tables(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset)
{
  size_t num_docs = dataset->num_docs;
  bool is_general = dorm__loss_is_general(loss);
  size_t count = is_general ? num_docs * num_docs : 2 * num_docs;
  double numbers[2][MOST_NUMBERS + 2 * GUARD], sum[2] = {0};
  const double *first = numbers[0] + GUARD;
  dorm_status status =
      DORM__ALL(fill(context, loss, dataset, count, numbers[0]), fill(context, loss, dataset, count, numbers[1]));
  if (status != DORM_OK)
    return status;
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(first[i]))
      return refuse(context, loss, num_docs, "a number of its table is missing, infinite or not a number");
    sum[i >= num_docs] += fabs(first[i]);
  }
  if (memcmp(numbers[0], numbers[1], (count + GUARD) * sizeof **numbers) != 0)
    return refuse(context, loss, num_docs, "filled twice, its table is not the same");
  if (!isfinite(is_general ? sum[0] + sum[1] : sum[0] * sum[1]))
    return refuse(context, loss, num_docs, "its costs are too large to be summed");
  for (size_t p = 1; !is_general && p < num_docs; p++)
    if (first[p] > first[p - 1])
      return refuse(context, loss, num_docs, "the weights a of the positions increase");
  return DORM_OK;
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

static dorm_status ask(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset, const double *scores,
                       named_output *output)
{
  *output = (named_output){.delta = NAN};
  guard(dataset->num_docs, output->coefficients);
  dorm_status status =
      dorm__loss_find_worst(context, loss, dataset, 0, scores, output->coefficients + GUARD, &output->delta);
  if (status == DORM_OK && !is_guarded(dataset->num_docs, output->coefficients))
    status = refuse(context, loss, dataset->num_docs, "it writes outside its coefficients");
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

static dorm_status check_structured(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset)
{
  size_t num_docs = dataset->num_docs;
  named_output outputs[NUM_SCORES];
  named_output again;
  dorm_status status = DORM_OK;
  for (size_t i = 0; status == DORM_OK && i < NUM_SCORES; i++)
    status = ask(context, loss, dataset, score_sets[i], &outputs[i]);
  for (size_t i = 0; status == DORM_OK && i < NUM_SCORES; i++) {
    status = DORM__ALL(ask(context, loss, dataset, score_sets[i], &again),
                       memcmp(&again, &outputs[i], sizeof again) != 0
                           ? refuse(context, loss, num_docs, "asked twice, its answer is not the same")
                           : DORM_OK);
    for (size_t k = 0; status == DORM_OK && k < NUM_SCORES; k++) {
      double size, other_size;
      double value = value_of(&outputs[i], num_docs, score_sets[i], &size);
      double other = value_of(&outputs[k], num_docs, score_sets[i], &other_size);
      if (other > value + rounding * (size + other_size))
        status = refuse(context, loss, num_docs, "its worst output is not the worst: another of its own is");
    }
  }
  return status;
}

/* ---- All queries ------------------------------------------------------------------------------- */

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
  dorm_status status = DORM_OK;
  for (size_t set = 0; status == DORM_OK && set < sizeof label_sets / sizeof *label_sets; set++)
    for (size_t num_docs = 1; status == DORM_OK && num_docs <= MOST_DOCS; num_docs++) {
      dataset.num_docs = num_docs;
      query_start[1] = num_docs;
      memcpy(labels, label_sets[set], sizeof labels);
      status = DORM__ALL(dorm__loss_prepare(context, loss, &dataset), dorm__loss_is_structured(loss)
                                                                          ? check_structured(context, loss, &dataset)
                                                                          : check_tables(context, loss, &dataset));
    }
  return status;
}
