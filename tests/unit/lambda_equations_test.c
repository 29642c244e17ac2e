/*
 * lambda_equations_test.c: λ as printed by Donmez, Svore and Burges ("On the Local Optimality of LambdaRank", 2009),
 * each equation written out with the paper's letters: r is a position from 1, l a label, o_ij = s_i - s_j.
 */
#include "tests/unit/lambda_cases.h"

/* A ranking in the paper's terms; the arrays begin at 1. */
typedef struct ranking {
  size_t num_docs;
  size_t doc[LAMBDA_MOST_DOCS + 1]; /* at position r */
  double l[LAMBDA_MOST_DOCS + 1];   /* at position r */
  double s[LAMBDA_MOST_DOCS + 1];   /* at position r */
} ranking;

static ranking rank(const lambda_query *query, bool is_binary)
{
  uint32_t order[LAMBDA_MOST_DOCS];
  ranking made = {.num_docs = query->num_docs};
  unit_sort_by(query->num_docs, query->scores, order);
  for (size_t r = 1; r <= query->num_docs; r++) {
    size_t j = made.doc[r] = order[r - 1];
    made.s[r] = query->scores[j];
    made.l[r] = is_binary ? query->labels[j] >= 2 : query->labels[j];
  }
  return made;
}

/* Equation 3: the largest sum of a ranking, whose reciprocal is the paper's N. */
static double best_dcg(const ranking *all, size_t depth)
{
  double sum = 0;
  for (size_t r = 1; r <= all->num_docs; r++) {
    size_t place = 1;
    for (size_t k = 1; k <= all->num_docs; k++)
      place += all->l[k] > all->l[r] || (all->l[k] == all->l[r] && k < r);
    sum += place <= depth ? (exp2(all->l[r]) - 1) / log(1 + (double)place) : 0;
  }
  return sum;
}

/* Equation 7. */
static double change_of_ndcg(const ranking *all, size_t depth, size_t i, size_t j)
{
  double at_i = i <= depth ? 1 / log(1 + (double)i) : 0;
  double at_j = j <= depth ? 1 / log(1 + (double)j) : 0;
  double best = best_dcg(all, depth);
  return best > 0 ? (exp2(all->l[i]) - exp2(all->l[j])) * (at_i - at_j) / best : 0;
}

static double precision_at(const double *l, size_t k)
{
  double sum = 0;
  for (size_t r = 1; r <= k; r++)
    sum += l[r];
  return sum / (double)k;
}

/* Equation 8, for r_i > r_j. */
static double change_of_ap(const ranking *all, size_t i, size_t j)
{
  double swapped[LAMBDA_MOST_DOCS + 1], sum = 0;
  memcpy(swapped, all->l, sizeof swapped);
  swapped[i] = all->l[j];
  swapped[j] = all->l[i];
  for (size_t k = j; k <= i; k++)
    sum += all->l[k] * precision_at(all->l, k) - swapped[k] * precision_at(swapped, k);
  return sum / (precision_at(all->l, all->num_docs) * (double)all->num_docs);
}

/* Equation 9, for r_i > r_j. */
static double change_of_ap_rewritten(const ranking *all, size_t i, size_t j)
{
  double n = precision_at(all->l, j) * (double)j;
  double m = precision_at(all->l, i) * (double)i;
  double sum = (n + 1) / (double)j - m / (double)i;
  for (size_t k = j + 1; k <= i - 1; k++)
    sum += all->l[k] / (double)k;
  return sum / (precision_at(all->l, all->num_docs) * (double)all->num_docs);
}

/* Equation 11. */
static double change_of_rr(const ranking *all, size_t i, size_t j)
{
  size_t r = 1;
  while (all->l[r] == 0)
    r++;
  return j < r && r <= i ? 1 / (double)j - 1 / (double)r : 0;
}

typedef enum equation { OF_NDCG_AT_3, OF_NDCG, OF_MAP_8, OF_MAP_9, OF_MRR } equation;

static double change_of(equation which, const ranking *all, size_t i, size_t j)
{
  if (which == OF_NDCG_AT_3 || which == OF_NDCG)
    return change_of_ndcg(all, which == OF_NDCG ? all->num_docs : 3, i, j);
  if (which == OF_MRR)
    return change_of_rr(all, i, j);
  if (i < j) /* equations 8 and 9 are of misranked documents */
    return 0;
  return which == OF_MAP_8 ? change_of_ap(all, i, j) : change_of_ap_rewritten(all, i, j);
}

/* λ by document, and the number of pairs that contribute. */
static size_t printed_lambdas(equation which, const ranking *all, double *lambdas)
{
  size_t count = 0;
  memset(lambdas, 0, all->num_docs * sizeof *lambdas);
  for (size_t i = 1; i <= all->num_docs; i++)
    for (size_t j = 1; j <= all->num_docs; j++) {
      if (all->l[i] <= all->l[j]) /* S_ij = -1 is the same pair once more */
        continue;
      double change = fabs(change_of(which, all, i, j));
      double force = change / (1 + exp(all->s[i] - all->s[j]));
      lambdas[all->doc[i]] += force;
      lambdas[all->doc[j]] -= force;
      count += change > 1e-14;
    }
  return count;
}

UNIT_TEST_IN(context, lambdas_are_as_donmez_svore_and_burges_print_them)
{
  static const char *const texts[] = {[OF_NDCG_AT_3] = "ranknet-weight-pairs of ndcg@3",
                                      [OF_NDCG] = "ranknet-weight-pairs of ndcg",
                                      [OF_MAP_8] = "misranked-pairs of map:threshold=2",
                                      [OF_MAP_9] = "misranked-pairs of map:threshold=2",
                                      [OF_MRR] = "misranked-pairs of mrr:threshold=2"};
  size_t num_pairs = 0;
  dorm__random random = unit_random(9);
  for (size_t round = 0; round < 10 * LAMBDA_ROUNDS; round++) {
    DORM__AT_END(lambda_clear) lambda_query query = lambda_draw(context, &random, round);
    for (equation which = 0; which < sizeof texts / sizeof *texts; which++) {
      double plain[LAMBDA_MOST_DOCS], lambdas[LAMBDA_MOST_DOCS], curvature[LAMBDA_MOST_DOCS];
      dorm_lambda_summary summary = {.struct_size = sizeof summary};
      ranking all = rank(&query, which >= OF_MAP_8);
      size_t count = printed_lambdas(which, &all, plain);
      UNIT_OK(context,
              dorm_lambdas(context, texts[which], query.dataset, query.scores, 1, lambdas, curvature, &summary));
      for (size_t j = 0; j < query.num_docs; j++)
        CU_ASSERT_TRUE_FATAL(unit_close(lambdas[j], plain[j], 1e-12));
      CU_ASSERT_EQUAL(summary.num_pairs, count);
      num_pairs += which == OF_MRR ? count : 0;
    }
  }
  CU_ASSERT_TRUE(num_pairs > 100);
}
