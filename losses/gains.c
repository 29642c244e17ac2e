/*
 * gains.c: common functions of the built-in losses: their parameters, gains of labels, discounts of positions, the
 * division by the worth of an ideal ranking (the paper, section 3.2), and the relevance of documents.
 */
#include "losses/gains.h"
#include "base/sort.h"
#include "base/spec.h"

#include <math.h>
#include <string.h>

/* With gains above 2^50 the gain 1 of the lowest relevant label is lost in sums of doubles. Such large labels are ids
 * or counts, not grades. */
static const double LARGEST_EXP2_LABEL = 50;

int dorm__loss_rules_create(const dorm_host *host, size_t num_rows, const dorm_loss_parameter *rows,
                            const dorm_loss_value *values, void **state)
{
  dorm__loss_rules *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return host->fail(host, "out of memory");
  double truncation = 0;
  const dorm__spec_place places[] = {
      {"truncation", &truncation, NULL, NULL},           {"threshold", &made->threshold, NULL, NULL},
      {"half_life", &made->half_life, NULL, NULL},       {"neutral", &made->neutral, NULL, NULL},
      {"gain", NULL, "linear", &made->linear_gain},      {"discount", NULL, "letor", &made->letor_discount},
      {"normalised", NULL, "yes", &made->is_normalised}, {"top", NULL, "any", &made->counts_all},
      {"pairs", NULL, "mean", &made->is_mean},           {"levels", NULL, "two", &made->has_two_levels},
  };
  dorm__spec_store(num_rows, rows, values, sizeof places / sizeof *places, places);
  made->truncation = (size_t)truncation;
  *state = made;
  return 0;
}

/* Returns 2^label. Most labels are grades, for which a shift is exact and faster than exp2. */
static double power_of_two(double label)
{
  enum { MOST_GRADES = 31 };
  bool is_grade = label >= 0 && label < MOST_GRADES && label == (double)(uint32_t)label;
  return is_grade ? (double)((uint32_t)1 << (uint32_t)label) : exp2(label);
}

int dorm__fill_gains(const dorm_host *host, const dorm__loss_rules *rules, const dorm_loss_query *query, double *b)
{
  for (size_t j = 0; j < query->num_docs; j++) {
    double label = query->labels[j];
    if (!rules->linear_gain && label > LARGEST_EXP2_LABEL)
      return host->fail(host,
                        "the gain 2^r - 1 of label %g would leave nothing of the other labels; take gain=linear or "
                        "labels up to %g",
                        label, LARGEST_EXP2_LABEL);
    b[j] = rules->linear_gain ? label : power_of_two(label) - 1;
  }
  return 0;
}

void dorm__fill_discounts(const dorm__loss_rules *rules, size_t truncation, size_t num_docs, double *a)
{
  for (size_t p = 0; p < num_docs; p++) {
    if (truncation && p >= truncation)
      a[p] = 0;
    else if (rules->letor_discount)
      a[p] = p == 0 ? 1 : 1 / log2((double)p + 1);
    else
      a[p] = 1 / log2((double)p + 2);
  }
}

/* Copies the `count` largest of b, in falling order. */
static void take_largest(size_t num_docs, const double *b, size_t count, double *largest)
{
  size_t kept = 0;
  for (size_t j = 0; j < num_docs; j++) {
    if (kept == count && b[j] <= largest[count - 1])
      continue;
    kept += kept < count;
    size_t place = kept - 1;
    for (; place > 0 && largest[place - 1] < b[j]; place--)
      largest[place] = largest[place - 1];
    largest[place] = b[j];
  }
}

double dorm__ideal_worth(size_t num_docs, const double *a, const double *b, double *scratch)
{
  enum { FEW = 32 };
  size_t count = num_docs; /* positions with weight */
  while (count > 0 && a[count - 1] == 0)
    count--;
  if (count == 0)
    return 0;
  if (count <= FEW) {
    take_largest(num_docs, b, count, scratch);
  } else {
    memcpy(scratch, b, num_docs * sizeof *scratch);
    dorm__sort_values(num_docs, scratch);
  }
  double worth = 0;
  for (size_t p = 0; p < count; p++)
    worth += a[p] * scratch[p];
  return worth;
}

int dorm__divide_by_ideal(const dorm_host *host, size_t num_docs, const double *a, double *b)
{
  double *sorted = dorm__alloc(num_docs, sizeof *sorted);
  if (!sorted)
    return host->fail(host, "out of memory");
  double ideal = dorm__ideal_worth(num_docs, a, b, sorted);
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
