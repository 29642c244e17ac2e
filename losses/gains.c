/*
 * gains.c: gains of labels and discounts of positions, as the built-in losses
 * of the DCG family share them (the paper, section 3.2).
 */
#include "losses/losses.h"

#include <math.h>

/* Past 2^50 the gain 1 of the lowest relevant label is lost in sums in double:
 * such labels are ids or counts, not grades. */
static const double LARGEST_EXP2_LABEL = 50;

int dorm__fill_gains(const dorm_host *host, bool linear, const dorm_loss_query *query, double *b)
{
  for (size_t j = 0; j < query->num_docs; j++) {
    double label = query->labels[j];
    if (!linear && label > LARGEST_EXP2_LABEL)
      return host->fail(host,
                        "the gain 2^r - 1 of label %g would leave nothing of the other labels; take gain=linear or "
                        "labels up to %g",
                        label, LARGEST_EXP2_LABEL);
    b[j] = linear ? label : exp2(label) - 1;
  }
  return 0;
}

void dorm__fill_discounts(bool letor, size_t truncation, size_t num_docs, double *a)
{
  for (size_t p = 0; p < num_docs; p++) {
    if (truncation && p >= truncation)
      a[p] = 0;
    else if (letor)
      a[p] = p == 0 ? 1 : 1 / log2((double)p + 1);
    else
      a[p] = 1 / log2((double)p + 2);
  }
}
