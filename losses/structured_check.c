/*
 * structured_check.c: what a structured loss promises, tried on one small query. Its outputs cannot be enumerated here,
 * but every output that it names for some scores is an output at all other scores, too. So at scores g the value of the
 * output named for g must be at least that of each of the others,
 *
 *   Delta(y) + sum_j coefficient_j(y) g_j,
 *
 * and at least 0, the value of the right output. The scores tried are zero, tied, close together and far apart; each is
 * asked for twice and must have the same answer. This is not a proof, but a module that does not return the true
 * maximum is usually caught.
 */
#include "losses/structured_check.h"
#include "data/data.h"
#include "losses/loss.h"
#include "losses/losses.h"

#include <math.h>
#include <string.h>

enum { MOST_DOCS = 6, NUM_SCORES = 12, GUARD = 8 };

static const double guard_value = -7.0e77;
static const double rounding = 1e-9; /* of the sum of the parts of a value */

/* Each is cut to the number of documents of the query. */
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
  for (size_t i = 0; i < MOST_DOCS + 2 * GUARD; i++) /* what is still NaN after the call was not filled */
    output->coefficients[i] = i < GUARD || i >= num_docs + GUARD ? guard_value : NAN;
  output->delta = NAN;
  dorm_status status =
      dorm__loss_find_worst(context, loss, dataset, 0, scores, output->coefficients + GUARD, &output->delta);
  for (size_t i = 0; status == DORM_OK && i < GUARD; i++)
    if (output->coefficients[i] != guard_value || output->coefficients[num_docs + GUARD + i] != guard_value)
      status = dorm__loss_refuse(context, loss, num_docs, "it writes outside its coefficients");
  return status;
}

/* The value of the output at these scores. *size becomes the sum of the magnitudes of its terms. */
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
    status = ask(context, loss, dataset, score_sets[i], &again);
    if (status == DORM_OK && memcmp(&again, &outputs[i], sizeof again) != 0)
      status = dorm__loss_refuse(context, loss, num_docs, "asked twice, its answer is not the same");
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
