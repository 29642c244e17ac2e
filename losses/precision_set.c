/*
 * precision_set.c: Precision@n as a structured loss over sets (Joachims 2005). An output is a set of n documents, the
 * first n in any order,
 *
 *   Phi(set) = sum of its x       Delta = (min(n, m) - relevant in the set) / n
 *
 * with m relevant documents in the query. The worst set takes the i best-scored relevant documents and the n - i
 * best-scored others for the best i, which prefix sums find. If n = m, the right output is the set of the relevant
 * documents, as in Joachims' article (whose y = +-1 makes Phi twice as large). Otherwise several sets cost nothing, and
 * the right output is their mean: n/m of each relevant document, or all of them and (n - m) / (l - m) of each other
 * one, so that a constant added to the scores changes nothing. truncation=0 takes n = m, the break-even point of
 * precision and recall.
 *
 * The loss `precision` is the same measure over rankings.
 */
#include "losses/gains.h"
#include "losses/pairs.h"

#include <string.h>

static const dorm_loss_parameter parameters[] = {
    {"truncation", "10", NULL, 0, 1e9, 1, "documents in the set; 0: as many as are relevant"},
    DORM__ROW_THRESHOLD("1"),
};

static int create(const dorm_host *host, const dorm_loss_value *values, void **state)
{
  return dorm__loss_rules_create(host, sizeof parameters / sizeof *parameters, parameters, values, state);
}

/* Returns the number of relevant documents in the worst set of `size` documents. Starts from the least possible number
 * and exchanges others for relevant ones. */
static size_t count_relevant(const dorm__sorted_halves *halves, const double *scores, size_t size, double per_doc)
{
  size_t fewest = size > halves->num_others ? size - halves->num_others : 0;
  size_t most = size < halves->num_relevant ? size : halves->num_relevant;
  size_t best = fewest;
  double value = 0;
  double largest = 0;
  for (size_t count = fewest; count < most; count++) {
    value += scores[halves->relevant[count]] - scores[halves->others[size - count - 1]] - per_doc;
    if (value > largest) {
      largest = value;
      best = count + 1;
    }
  }
  return best;
}

/* Subtracts the right output, the mean of the sets that cost nothing. */
static void subtract_right(const dorm__sorted_halves *halves, size_t size, double *coefficients)
{
  double num_relevant = (double)halves->num_relevant;
  bool has_all = size >= halves->num_relevant;
  double of_relevant = has_all ? 1 : (double)size / num_relevant;
  double of_others = has_all && halves->num_others ? ((double)size - num_relevant) / (double)halves->num_others : 0;
  for (size_t i = 0; i < halves->num_relevant; i++)
    coefficients[halves->relevant[i]] -= of_relevant;
  for (size_t i = 0; i < halves->num_others; i++)
    coefficients[halves->others[i]] -= of_others;
}

static int find_worst(const dorm_host *host, const void *state, const dorm_loss_query *query, const double *scores,
                      double *coefficients, double *delta)
{
  const dorm__loss_rules *set = state;
  DORM__AT_END(dorm__region_clear) dorm__region memory = {0};
  dorm__sorted_halves halves;
  if (!dorm__sorted_halves_make(query, set->threshold, scores, &memory, &halves))
    return host->fail(host, "out of memory");
  size_t wanted = set->truncation ? set->truncation : halves.num_relevant;
  size_t size = wanted < query->num_docs ? wanted : query->num_docs;
  double per_doc = wanted ? 1 / (double)wanted : 0;
  size_t count = count_relevant(&halves, scores, size, per_doc);
  size_t most = size < halves.num_relevant ? size : halves.num_relevant;
  *delta = (double)(most - count) * per_doc;
  memset(coefficients, 0, query->num_docs * sizeof *coefficients);
  for (size_t i = 0; i < count; i++)
    coefficients[halves.relevant[i]] = 1;
  for (size_t i = 0; i < size - count; i++)
    coefficients[halves.others[i]] = 1;
  subtract_right(&halves, size, coefficients);
  return 0;
}

const dorm_loss_module dorm__loss_precision_set =
    DORM__LOSS("precision_set", "best reachable Precision@n - Precision@n, over sets of n documents", parameters,
               create, dorm__free, .find_worst = find_worst);
