/* policies_test.c: policies against all distributions over rankings of small problems, by another method; bounds;
 * conflicts. */
#include "tests/unit/unit.h"

enum { GROUPS = 3, DOCS = 12, QUERIES = 3, PER_QUERY = 4 };

typedef struct small_problem {
  double gains[DOCS], labels[DOCS], least[GROUPS], most[GROUPS];
  uint32_t group_of[DOCS];
  dorm_dataset *dataset;
} small_problem;

static void make_problem(dorm_context *context, dorm__random *random, small_problem *problem)
{
  size_t start[QUERIES + 1] = {0, PER_QUERY, 2 * PER_QUERY, 3 * PER_QUERY};
  for (size_t j = 0; j < DOCS; j++) {
    problem->gains[j] = (double)dorm__random_below(random, 4);
    problem->group_of[j] = (uint32_t)dorm__random_below(random, GROUPS + 1); /* GROUPS: none */
  }
  for (size_t g = 0; g < GROUPS; g++) {
    problem->least[g] = problem->most[g] = NAN;
    if (dorm__random_below(random, 2))
      problem->least[g] = 0.3 * dorm__random_uniform(random);
    else if (dorm__random_below(random, 2))
      problem->most[g] = 0.2 + 0.5 * dorm__random_uniform(random);
  }
  memset(problem->labels, 0, sizeof problem->labels);
  problem->dataset = unit_dataset(context, QUERIES, start, 0, problem->labels, NULL);
}

static dorm_status solve(dorm_context *context, const small_problem *problem, size_t top, dorm_policy **policy)
{
  const dorm_allocation_options options = {.struct_size = sizeof options,
                                           .num_groups = GROUPS,
                                           .group_of = problem->group_of,
                                           .least = problem->least,
                                           .most = problem->most,
                                           .top = top,
                                           .gap = 1e-11,
                                           .num_threads = 1};
  return dorm_allocate(context, problem->dataset, problem->gains, &options, policy);
}

static double weight(size_t position, size_t top)
{
  return top && position >= top ? 0 : 1 / log2((double)position + 2);
}

/* The bound of prices by all rankings: what requirements cost at these prices, plus each query's best ranking. */
static double bound_at(const small_problem *problem, size_t top, const double *prices)
{
  double total = 0, bound = 0;
  for (size_t p = 0; p < PER_QUERY; p++)
    total += QUERIES * weight(p, top);
  for (size_t g = 0; g < GROUPS; g++) {
    if (prices[g] > 0) /* a boost pays for a least share */
      bound -= prices[g] * total * problem->least[g];
    else if (prices[g] < 0)
      bound -= prices[g] * total * problem->most[g];
  }
  for (size_t q = 0; q < QUERIES; q++) {
    double best = -INFINITY;
    uint32_t order[PER_QUERY];
    for (size_t r = 0; unit_ranking(PER_QUERY, r, order); r++) {
      double value = 0;
      for (size_t p = 0; p < PER_QUERY; p++) {
        size_t doc = q * PER_QUERY + order[p];
        uint32_t group = problem->group_of[doc];
        value += weight(p, top) * (problem->gains[doc] + (group < GROUPS ? prices[group] : 0));
      }
      best = fmax(best, value);
    }
    bound += best;
  }
  return bound;
}

/* Worth and shares of the policy, from its rankings; false if a probability is not one. */
static bool play(dorm_policy *policy, const small_problem *problem, size_t top, double *worth, double *shares)
{
  double total = 0;
  bool is_good = true;
  *worth = 0;
  for (size_t g = 0; g < GROUPS; g++)
    shares[g] = 0;
  for (size_t p = 0; p < PER_QUERY; p++)
    total += QUERIES * weight(p, top);
  for (size_t q = 0; q < QUERIES; q++) {
    const double *const *boosts;
    const double *probabilities;
    double sum = 0;
    size_t count = dorm_policy_mixture(policy, q, &boosts, &probabilities);
    for (size_t i = 0; i < count; i++) {
      uint32_t order[PER_QUERY];
      double keys[PER_QUERY];
      sum += probabilities[i];
      for (size_t j = 0; j < PER_QUERY; j++) {
        uint32_t group = problem->group_of[q * PER_QUERY + j];
        keys[j] = problem->gains[q * PER_QUERY + j] + (group < GROUPS ? boosts[i][group] : 0);
      }
      unit_sort_by(PER_QUERY, keys, order);
      for (size_t p = 0; p < PER_QUERY; p++) {
        size_t best = q * PER_QUERY + order[p];
        *worth += probabilities[i] * weight(p, top) * problem->gains[best];
        if (problem->group_of[best] < GROUPS)
          shares[problem->group_of[best]] += probabilities[i] * weight(p, top) / total;
      }
    }
    is_good = is_good && unit_close(sum, 1, 1e-9);
  }
  return is_good;
}

/* Two sides that meet are a proof: the policy's own rankings meet the requirements and have its worth, and the bound of
 * its prices over all rankings is that worth. */
UNIT_TEST_DRAWN(context, random, policies_are_the_best_ones)
{
  size_t num_solved = 0, num_bound = 0;
  for (int round = 0; round < 400; round++) {
    small_problem problem;
    dorm_policy *policy = NULL;
    size_t top = round % 3 == 0 ? 2 : 0;
    make_problem(context, random, &problem);
    dorm_status status = solve(context, &problem, top, &policy);
    CU_ASSERT_TRUE(status == DORM_OK || (status == DORM_BAD_DATA && !policy));
    if (status == DORM_OK) {
      double worth, shares[GROUPS];
      const dorm_allocation *found = dorm_policy_result(policy);
      CU_ASSERT_TRUE(play(policy, &problem, top, &worth, shares));
      UNIT_CLOSE(worth, found->worth, 1e-9);
      for (size_t g = 0; g < GROUPS; g++) {
        UNIT_CLOSE(shares[g], found->shares[g], 1e-9);
        CU_ASSERT_TRUE(!(shares[g] < problem.least[g] - 1e-8) && !(shares[g] > problem.most[g] + 1e-8));
      }
      double bound = bound_at(&problem, top, found->prices);
      CU_ASSERT_TRUE(unit_close(bound, worth, 1e-7) && unit_close(bound, found->bound, 1e-7));
      num_solved++;
      num_bound += found->worth < found->free_worth - 1e-9;
    }
    dorm_policy_free(policy);
    dorm_dataset_free(problem.dataset);
  }
  CU_ASSERT_TRUE(num_solved > 150 && num_bound > 50);
}

/* Eight documents, all but one of group 0: group 1 cannot get more than the first position of its query, which is
 * 1 / (1 + 1 / log2 3) / 2 of all exposure with two positions, and the sentence names this requirement alone. */
UNIT_TEST_IN(context, conflicts_are_named)
{
  const double labels[8] = {0}, gains[8] = {3, 2, 1, 0, 3, 2, 1, 0};
  const size_t start[] = {0, 4, 8};
  const uint32_t group_of[8] = {0, 0, 0, 1, 0, 0, 0, 0};
  const char *const names[] = {"old", "new"};
  const double reachable = 1 / (1 + 1 / log2(3)) / 2;
  double least[] = {0.1, reachable + 1e-6};
  dorm_policy *policy = NULL;
  dorm_allocation_options options = {.struct_size = sizeof options,
                                     .num_groups = 2,
                                     .group_of = group_of,
                                     .least = least,
                                     .names = names,
                                     .top = 2,
                                     .num_threads = 1};
  DORM__OWNED(dorm_dataset) *dataset = unit_dataset(context, 2, start, 0, labels, NULL);
  UNIT_BAD_DATA(dorm_allocate(context, dataset, gains, &options, &policy), "together: share(new) >= 0.3065");
  CU_ASSERT_PTR_NULL(strstr(dorm_context_message(context), "old"));
  least[0] = 0.7;
  least[1] = 0.3;
  options.names = NULL;
  UNIT_OK(context, dorm_allocate(context, dataset, gains, &options, &policy));
  dorm_policy_free(policy);
  least[0] = 0.71;
  UNIT_BAD_DATA(dorm_allocate(context, dataset, gains, &options, &policy), "share(0) >= 0.71, share(1) >= 0.3");
  least[0] = 2;
  UNIT_BAD_USAGE(dorm_allocate(context, dataset, gains, &options, &policy), "group 0 is 2");
  CU_ASSERT_EQUAL(dorm_policy_mixture(NULL, 0, NULL, NULL), 0);
  CU_ASSERT_PTR_NULL(dorm_policy_result(NULL));
}

/* Share of each group, and less what its claims give it at the rate of all queries if there are claims, where query
 * `heavy` counts 1 + step times. */
static void weighted_shares(const small_problem *problem, const double *prices, const double *claims,
                            const double *rates, size_t heavy, double step, double *shares)
{
  double total = 0, claim = 0, claimed[GROUPS] = {0};
  memset(shares, 0, GROUPS * sizeof *shares);
  for (size_t q = 0; q < QUERIES; q++) {
    bool taken[PER_QUERY] = {false};
    double times = 1 + (q == heavy ? step : 0);
    for (size_t p = 0; p < PER_QUERY; p++) {
      size_t best = PER_QUERY;
      double largest = 0;
      for (size_t j = 0; j < PER_QUERY; j++) {
        size_t doc = q * PER_QUERY + j;
        double key = problem->gains[doc] + (problem->group_of[doc] < GROUPS ? prices[problem->group_of[doc]] : 0);
        if (!taken[j] && (best == PER_QUERY || key > largest)) {
          best = j;
          largest = key;
        }
      }
      size_t doc = q * PER_QUERY + best;
      taken[best] = true;
      total += times * weight(p, 3);
      claim += times * claims[doc];
      if (problem->group_of[doc] < GROUPS) {
        shares[problem->group_of[doc]] += times * weight(p, 3);
        claimed[problem->group_of[doc]] += times * claims[doc];
      }
    }
  }
  for (size_t g = 0; g < GROUPS; g++)
    shares[g] = shares[g] / total - (rates ? rates[g] * claimed[g] / claim : 0);
}

/* The error of a share by its derivatives by the weights of queries (the infinitesimal jackknife). */
UNIT_TEST_IN(context, prices_are_tried_with_errors)
{
  static const double step = 1e-4;
  dorm__random random = unit_random(1);
  for (int round = 0; round < 50; round++) {
    small_problem problem;
    double prices[GROUPS], claims[DOCS], shares[GROUPS], errors[GROUPS], expected[GROUPS], claimed[GROUPS] = {0},
                                                                                           all = 0;
    make_problem(context, &random, &problem);
    for (size_t j = 0; j < DOCS; j++) {
      claims[j] = 0.1 + dorm__random_uniform(&random);
      all += claims[j];
      if (problem.group_of[j] < GROUPS)
        claimed[problem.group_of[j]] += claims[j];
    }
    for (size_t g = 0; g < GROUPS; g++)
      prices[g] = 2 * dorm__random_uniform(&random) - 1;
    const dorm_allocation_options options = {
        .struct_size = sizeof options, .num_groups = GROUPS, .group_of = problem.group_of, .top = 3};
    for (int has_claims = 0; has_claims < 2; has_claims++) {
      dorm_price_trial trial = {.struct_size = sizeof trial, .shares = shares, .errors = errors};
      UNIT_OK(context, dorm_try_prices(context, problem.dataset, problem.gains, &options, prices,
                                       has_claims ? claims : NULL, &trial));
      double squares[GROUPS] = {0}, rates[GROUPS];
      weighted_shares(&problem, prices, claims, NULL, QUERIES, 0, expected);
      for (size_t g = 0; g < GROUPS; g++) {
        UNIT_CLOSE(shares[g], expected[g], 1e-12);
        rates[g] = claimed[g] > 0 ? expected[g] / (claimed[g] / all) : 0;
      }
      for (size_t q = 0; q < QUERIES; q++) {
        double more[GROUPS], less[GROUPS];
        weighted_shares(&problem, prices, claims, has_claims ? rates : NULL, q, step, more);
        weighted_shares(&problem, prices, claims, has_claims ? rates : NULL, q, -step, less);
        for (size_t g = 0; g < GROUPS; g++)
          squares[g] += pow((more[g] - less[g]) / (2 * step), 2);
      }
      for (size_t g = 0; g < GROUPS; g++)
        UNIT_CLOSE(errors[g], sqrt(squares[g] * QUERIES / (QUERIES - 1)), 1e-6);
    }
    dorm_dataset_free(problem.dataset);
  }
}

/* What policies are worth at most on other data: the bound of the prices over all rankings. */
UNIT_TEST_IN(context, prices_bound_policies_of_other_data)
{
  dorm__random random = unit_random(2);
  for (int round = 0; round < 50; round++) {
    small_problem problem;
    double prices[GROUPS], shares[GROUPS], errors[GROUPS];
    make_problem(context, &random, &problem);
    for (size_t g = 0; g < GROUPS; g++)
      prices[g] = !isnan(problem.least[g])  ? dorm__random_uniform(&random)
                  : !isnan(problem.most[g]) ? -dorm__random_uniform(&random)
                                            : 0;
    const dorm_allocation_options options = {.struct_size = sizeof options,
                                             .num_groups = GROUPS,
                                             .group_of = problem.group_of,
                                             .least = problem.least,
                                             .most = problem.most};
    dorm_price_trial trial = {.struct_size = sizeof trial, .shares = shares, .errors = errors};
    UNIT_OK(context, dorm_try_prices(context, problem.dataset, problem.gains, &options, prices, NULL, &trial));
    UNIT_CLOSE(trial.bound, bound_at(&problem, 0, prices), 1e-9);
    double claims[DOCS] = {-1};
    CU_ASSERT_EQUAL(dorm_try_prices(context, problem.dataset, problem.gains, &options, prices, claims, &trial),
                    DORM_BAD_DATA);
    prices[round % GROUPS] = round % 2 ? NAN : INFINITY;
    CU_ASSERT_EQUAL(dorm_try_prices(context, problem.dataset, problem.gains, &options, prices, NULL, &trial),
                    DORM_BAD_DATA);
    dorm_dataset_free(problem.dataset);
  }
}

/* Documents in groups of unequal gains, each of which must have .95 times its share of the documents. `other` counts
 * seven times. */
static void ask_for_parity(dorm__random *random, small_problem *sampled, small_problem *other)
{
  for (size_t g = 0; g < GROUPS; g++) {
    sampled->least[g] = 0;
    sampled->most[g] = NAN;
  }
  for (size_t j = 0; j < DOCS; j++) {
    sampled->group_of[j] = (uint32_t)dorm__random_below(random, GROUPS);
    other->group_of[j] = (uint32_t)dorm__random_below(random, GROUPS);
    sampled->gains[j] = dorm__random_uniform(random) + 0.3 * sampled->group_of[j];
    other->gains[j] = dorm__random_uniform(random) + 0.5 * other->group_of[j];
    sampled->least[sampled->group_of[j]] += 0.95 / (8 * DOCS);
    sampled->least[other->group_of[j]] += 7 * 0.95 / (8 * DOCS);
  }
  memcpy(other->least, sampled->least, sizeof other->least);
  memcpy(other->most, sampled->most, sizeof other->most);
}

/* Two sides that meet again, on many queries: prices of a sample, every eighth query, come first. These are copies of
 * another problem than the other queries. */
UNIT_TEST_IN(context, samples_lead_to_the_best_policies)
{
  enum { COPIES = 340, MANY = 8 * COPIES * QUERIES };
  size_t *start = malloc((MANY + 1) * sizeof *start), num_bound = 0;
  uint32_t *group_of = malloc(MANY * PER_QUERY * sizeof *group_of);
  double *gains = malloc(MANY * PER_QUERY * sizeof *gains), *labels = calloc(MANY * PER_QUERY, sizeof *labels);
  dorm__random random = unit_random(3);
  for (size_t q = 0; q <= MANY; q++)
    start[q] = q * PER_QUERY;
  for (int round = 0; round < 20; round++) {
    small_problem sampled, other;
    dorm_policy *policy = NULL;
    make_problem(context, &random, &sampled);
    make_problem(context, &random, &other);
    ask_for_parity(&random, &sampled, &other);
    for (size_t j = 0; j < MANY * PER_QUERY; j++) {
      const small_problem *from = j / PER_QUERY % 8 ? &other : &sampled;
      gains[j] = from->gains[j % DOCS];
      group_of[j] = from->group_of[j % DOCS];
    }
    const dorm_allocation_options options = {.struct_size = sizeof options,
                                             .num_groups = GROUPS,
                                             .group_of = group_of,
                                             .least = sampled.least,
                                             .most = sampled.most,
                                             .gap = round % 2 ? 1e-9 : 0.01};
    DORM__OWNED(dorm_dataset) *dataset = unit_dataset(context, MANY, start, 0, labels, NULL);
    dorm_status status = dorm_allocate(context, dataset, gains, &options, &policy);
    CU_ASSERT_EQUAL(status, DORM_OK);
    if (status == DORM_OK) {
      const dorm_allocation *found = dorm_policy_result(policy);
      double bound = bound_at(&sampled, 0, found->prices) + 7 * bound_at(&other, 0, found->prices);
      double slack = options.gap * found->free_worth / COPIES + 1e-7 * bound;
      CU_ASSERT_TRUE(found->worth / COPIES >= bound - slack);
      UNIT_CLOSE(found->bound / COPIES, bound, 1e-7);
      CU_ASSERT_TRUE(found->violation <= 1e-8);
      num_bound += found->worth < found->free_worth * (1 - 1e-9);
    }
    dorm_policy_free(policy);
    dorm_dataset_free(sampled.dataset);
    dorm_dataset_free(other.dataset);
  }
  CU_ASSERT_TRUE(num_bound > 10);
  free(start);
  free(group_of);
  free(gains);
  free(labels);
}
