/*
 * gains.c: what the built-in losses share: gains of labels, discounts of
 * positions, the division by the worth of an ideal ranking (the paper, section
 * 3.2), and which documents are relevant.
 */
#include "losses/losses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Past 2^50 the gain 1 of the lowest relevant label is lost in sums in double:
 * such labels are ids or counts, not grades. */
static const double LARGEST_EXP2_LABEL = 50;

int dorm__gains_create(const dorm_host *host, const dorm_loss_value *truncation, const dorm_loss_value *gain,
                       const dorm_loss_value *discount, void **state)
{
  dorm__gains *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return host->fail(host, "out of memory");
  made->truncation = truncation ? (size_t)truncation->number : 0;
  made->linear_gain = strcmp(gain->text, "linear") == 0;
  made->letor_discount = strcmp(discount->text, "letor") == 0;
  *state = made;
  return 0;
}

int dorm__fill_gains(const dorm_host *host, const dorm__gains *gains, const dorm_loss_query *query, double *b)
{
  for (size_t j = 0; j < query->num_docs; j++) {
    double label = query->labels[j];
    if (!gains->linear_gain && label > LARGEST_EXP2_LABEL)
      return host->fail(host,
                        "the gain 2^r - 1 of label %g would leave nothing of the other labels; take gain=linear or "
                        "labels up to %g",
                        label, LARGEST_EXP2_LABEL);
    b[j] = gains->linear_gain ? label : exp2(label) - 1;
  }
  return 0;
}

void dorm__fill_discounts(const dorm__gains *gains, size_t truncation, size_t num_docs, double *a)
{
  for (size_t p = 0; p < num_docs; p++) {
    if (truncation && p >= truncation)
      a[p] = 0;
    else if (gains->letor_discount)
      a[p] = p == 0 ? 1 : 1 / log2((double)p + 1);
    else
      a[p] = 1 / log2((double)p + 2);
  }
}

int dorm__descending(const void *x, const void *y)
{
  double left = *(const double *)x;
  double right = *(const double *)y;
  return (left < right) - (left > right);
}

int dorm__divide_by_ideal(const dorm_host *host, size_t num_docs, const double *a, double *b)
{
  double *sorted = dorm__alloc(num_docs, sizeof *sorted);
  if (!sorted)
    return host->fail(host, "out of memory");
  memcpy(sorted, b, num_docs * sizeof *sorted);
  qsort(sorted, num_docs, sizeof *sorted, dorm__descending);
  double ideal = 0;
  for (size_t p = 0; p < num_docs; p++)
    ideal += a[p] * sorted[p];
  dorm__free(sorted);
  for (size_t j = 0; j < num_docs; j++)
    b[j] = ideal > 0 ? b[j] / ideal : 0;
  return 0;
}

double dorm__largest_label(const dorm_loss_query *query)
{
  double largest = query->labels[0];
  for (size_t j = 1; j < query->num_docs; j++)
    largest = fmax(largest, query->labels[j]);
  return largest;
}

size_t dorm__fill_relevance(const dorm_loss_query *query, double threshold, double *relevance)
{
  size_t count = 0;
  double least = threshold > 0 ? threshold : dorm__largest_label(query);
  for (size_t j = 0; j < query->num_docs; j++) {
    bool is_relevant = query->labels[j] > 0 && query->labels[j] >= least;
    relevance[j] = is_relevant;
    count += is_relevant;
  }
  return count;
}
