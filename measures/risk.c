/* risk.c: bounds for new queries from the same source, based on held-out queries, with confidence 1 - delta and without
 * assumptions on the distribution.
 *
 * Lower bound on a mean, by betting (Waudby-Smith and Ramdas, "Estimating means of bounded random variables by
 * betting", 2024). Values x_t are in [0, 1]. A player starts with wealth delta and stakes lambda_t >= 0 on x_t > m, so
 * that wealth += lambda_t (x_t - m). Each stake depends only on earlier values and keeps wealth >= 0. If the mean is at
 * most m, the player reaches 1 with probability at most delta, whatever the stakes. The bound is the largest m at which
 * the player reaches 1.
 *
 * The player stakes as one who must end at 0 or 1 (a binary option on a sum that is nearly normal). With r values left,
 * and the variance v of the values so far,
 *
 *   lambda = min(phi(d) / sqrt(v r), 0.9 wealth / m),   d = Phi^-1(wealth).
 *
 * The bound is then about as tight as a normal interval, whose confidence holds only in the limit. Wealth falls as m
 * rises: phi(Phi^-1(.)) is concave, so the new wealth rises with the old one until it reaches 1. So the bound is found
 * by bisection. O(n) per step. A fixed seed shuffles the values, because files are often sorted.
 *
 * The bound of Hoeffding and Bentkus (Bates et al. 2021), on the loss 1 - x:
 *
 *   p(r) = min(exp(-n kl(min(loss, r), r)), e P(Binomial(n, r) <= ceil(n loss))).
 *
 * Depth: hypotheses "depth k keeps at most the share" are tested from the deepest to the first that is not rejected.
 * Only the first true one can be an error, so no correction is needed (Angelopoulos et al., "Learn then test",
 * 2021). */
#include "base/random.h"
#include "base/status.h"
#include "measures/measure.h"

#include <math.h>

/* ---- Betting ---------------------------------------------------------------- */

static double normal_density(double x)
{
  return exp(-x * x / 2) / sqrt(2 * M_PI);
}

/* Phi^-1(p) for 0 < p < 1: Abramowitz and Stegun 26.2.23, then Newton's method on the smaller tail. */
static double normal_quantile(double p)
{
  double tail = fmin(p, 1 - p);
  double t = sqrt(-2 * log(tail));
  double x = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  for (int step = 0; step < 2; step++)
    x += (erfc(x / sqrt(2)) / 2 - tail) / fmax(normal_density(x), 1e-300);
  return p < 0.5 ? -x : x;
}

/* Draws the order [count] of the values. It depends only on `count`. */
static void draw_order(size_t count, size_t *order)
{
  dorm__random random;
  dorm__random_seed_for(&random, "bound", count);
  dorm__random_permutation(&random, count, order);
}

/* Whether the player against the mean m > 0 reaches wealth 1. values [count] in [0, 1] are taken in `order`. */
static bool is_above(size_t count, const double *values, const size_t *order, double m, double delta)
{
  static const double most = 0.9, ruin = 1e-200;
  double wealth = delta;
  double sum = 0.5, squares = 0.25; /* as if 1/2 had been observed, with variance 1/4 */
  for (size_t t = 0; t < count; t++) {
    double value = values[order[t]];
    double spread = sqrt(squares / (double)(t + 1) * (double)(count - t));
    double stake = fmin(normal_density(normal_quantile(wealth)) / spread, most * wealth / m);
    wealth += stake * (value - m);
    if (wealth >= 1 || wealth < ruin)
      return wealth >= 1;
    sum += value;
    double distance = value - sum / (double)(t + 2);
    squares += distance * distance;
  }
  return false;
}

static double betting_bound(size_t count, const double *values, const size_t *order, double mean, double delta)
{
  double lower = 0, upper = mean;
  for (int step = 0; step < 40; step++) {
    double middle = (lower + upper) / 2;
    if (middle > 0 && is_above(count, values, order, middle, delta))
      lower = middle;
    else
      upper = middle;
  }
  return lower;
}

/* ---- Hoeffding and Bentkus ------------------------------------------------------ */

static double relative_entropy(double p, double q)
{
  return (p > 0 ? p * log(p / q) : 0) + (p < 1 ? (1 - p) * log((1 - p) / (1 - q)) : 0);
}

static double hoeffding_bentkus(size_t count, double mean, double delta)
{
  double n = (double)count, loss = 1 - mean, lower = loss, upper = 1;
  double k = fmin(ceil(n * loss - 1e-9), n);
  for (int step = 0; step < 50; step++) {
    double r = (lower + upper) / 2;
    double tail = k < n ? dorm__incomplete_beta(n - k, k + 1, 1 - r, r) : 1;
    if (r < 1 && fmin(exp(-n * relative_entropy(loss, r)), M_E * tail) >= delta)
      lower = r;
    else
      upper = r;
  }
  return 1 - upper;
}

/* ---- The mean --------------------------------------------------------------------- */

static dorm_status check_share(dorm_context *context, const char *name, double share)
{
  if (share > 0 && share < 1)
    return DORM_OK;
  return dorm__fail(context, DORM_BAD_USAGE, "%s is %g: it must be above 0 and below 1", name, share);
}

dorm_status dorm_lower_bound(dorm_context *context, size_t count, const double *values, double least, double most,
                             double confidence, dorm_bound *bound)
{
  if (DORM__LACKS(context, DORM__GIVEN_IF(count, values), DORM__GIVEN(bound)))
    return DORM_BAD_USAGE;
  dorm_status status = DORM__ALL(dorm__struct_check(context, "bound", DORM__STRUCT(dorm_bound), bound),
                                 check_share(context, "confidence", confidence));
  if (status == DORM_OK && !(isfinite(least) && isfinite(most) && least < most))
    status = dorm__fail(context, DORM_BAD_USAGE, "values from %g to %g: the range is empty or infinite", least, most);
  if (status != DORM_OK)
    return status;
  DORM__FREED double *units = dorm__alloc(count, sizeof *units);
  DORM__FREED size_t *order = dorm__alloc(count, sizeof *order);
  if (!units || !order)
    return dorm__out_of_memory(context, "a lower bound");
  dorm_bound made = {0};
  double sum = 0;
  for (size_t i = 0; status == DORM_OK && i < count; i++) {
    if (isnan(values[i]))
      continue;
    if (values[i] < least - 1e-9 || values[i] > most + 1e-9)
      status = dorm__fail(context, DORM_BAD_DATA, "value %zu is %.9g, but values were to lie between %g and %g", i + 1,
                          values[i], least, most);
    units[made.count] = fmin(fmax((values[i] - least) / (most - least), 0), 1);
    sum += units[made.count++];
  }
  if (status == DORM_OK && !made.count)
    status = dorm__fail(context, DORM_BAD_DATA, "a lower bound needs a value that counts");
  if (status == DORM_OK) {
    double mean = sum / (double)made.count;
    draw_order(made.count, order);
    made.mean = least + (most - least) * mean;
    made.lower = least + (most - least) * betting_bound(made.count, units, order, mean, 1 - confidence);
    made.hoeffding_bentkus = least + (most - least) * hoeffding_bentkus(made.count, mean, 1 - confidence);
    dorm__struct_give(&made, bound);
  }
  return status;
}

dorm_status dorm_measure_range(dorm_context *context, const char *spec, double *least, double *most)
{
  if (DORM__LACKS(context, DORM__GIVEN(spec), DORM__GIVEN(least), DORM__GIVEN(most)))
    return DORM_BAD_USAGE;
  dorm__measure *measure = NULL;
  dorm_status status = dorm__measure_open(context, spec, &measure);
  if (status != DORM_OK)
    return status;
  dorm__query_value *value = measure->kind ? measure->kind->value : NULL;
  bool has_range = value && measure->kind->summary == DORM__SUMMARY_MEAN && value != dorm__value_dcg &&
                   value != dorm__value_ee_l && value != dorm__value_ee_d && value != dorm__value_ee_r &&
                   (value != dorm__value_eru || measure->rules.is_normalised) &&
                   (value != dorm__value_redundancy || measure->rules.truncation);
  if (has_range) {
    *least = value == dorm__value_tau ? -1 : 0;
    *most = value == dorm__value_redundancy ? (double)measure->rules.truncation : 1;
  } else {
    status = dorm__fail(context, DORM_BAD_USAGE, "%s: its values per query have no known range", measure->text);
  }
  dorm__measure_close(measure);
  return status;
}

/* ---- Depth ------------------------------------------------------------------------- */

/* Queries with a gain, their documents by falling score. Query i has documents start[i] .. start[i + 1] - 1. */
typedef struct ranked_gains {
  size_t num_queries, most_docs;
  size_t *start;   /* [num_queries + 1] */
  double *shares;  /* [num_docs] share of the query's gain in this document and those above */
  double *margins; /* [num_docs] distance of the score from the best one, relative to the range of the query's scores */
  size_t *kept;    /* [num_queries] number of documents */
  double *values;  /* [num_queries] scratch */
  size_t *order;   /* [num_queries] shuffled */
} ranked_gains;

/* Appends a ranked query if it has a gain. */
static dorm_status add_query(dorm_context *context, const dorm__ranking *ranking, const double *scores,
                             ranked_gains *gains)
{
  size_t at = gains->start[gains->num_queries], num_docs = ranking->num_docs;
  double sum = 0;
  for (size_t p = 0; p < num_docs; p++) {
    double first = scores[ranking->order[0]], range = first - scores[ranking->order[num_docs - 1]];
    gains->shares[at + p] = sum += fmax(exp2(ranking->labels[p]) - 1, 0);
    gains->margins[at + p] = range > 0 ? (first - scores[ranking->order[p]]) / range : 0;
  }
  if (!isfinite(sum))
    return dorm__fail(context, DORM_BAD_DATA, "query '%s': label %g is too large for a gain 2^label - 1",
                      dorm_dataset_query_id(ranking->dataset, ranking->query), ranking->ideal[0]);
  if (!(sum > 0))
    return DORM_OK;
  for (size_t p = 0; p < num_docs; p++)
    gains->shares[at + p] /= sum;
  gains->most_docs = num_docs > gains->most_docs ? num_docs : gains->most_docs;
  gains->start[++gains->num_queries] = at + num_docs;
  return DORM_OK;
}

/* Ranks the queries. The arrays of `gains` are in `memory`. */
static dorm_status rank_gains(dorm_context *context, const dorm_dataset *dataset, const double *scores,
                              dorm__region *memory, ranked_gains *gains)
{
  DORM__AT_END(dorm__ranking_free) dorm__ranking ranking;
  bool has_room = dorm__ranking_alloc(&ranking, dataset);
  gains->start = dorm__region_take_zero(memory, dataset->num_queries + 1, sizeof *gains->start);
  gains->shares = dorm__region_take(memory, dataset->num_docs, sizeof *gains->shares);
  gains->margins = dorm__region_take(memory, dataset->num_docs, sizeof *gains->margins);
  gains->kept = dorm__region_take(memory, dataset->num_queries, sizeof *gains->kept);
  gains->values = dorm__region_take(memory, dataset->num_queries, sizeof *gains->values);
  gains->order = dorm__region_take(memory, dataset->num_queries, sizeof *gains->order);
  dorm_status status = has_room && !memory->is_short ? DORM_OK : dorm__out_of_memory(context, "rankings");
  for (size_t q = 0; status == DORM_OK && q < dataset->num_queries; q++) {
    const double *own = scores + dataset->query_start[q];
    status = dorm__rank_query(context, dataset, q, own, DORM__TIES_ORDER, &ranking);
    if (status == DORM_OK && ranking.num_docs)
      status = add_query(context, &ranking, own, gains);
  }
  if (status == DORM_OK && !gains->num_queries)
    status = dorm__fail(context, DORM_BAD_DATA, "%s: no query has a document with a label above 0", dataset->name);
  if (status == DORM_OK)
    draw_order(gains->num_queries, gains->order);
  return status;
}

/* Whether the kept documents contain more than `share` on average over new queries. Also finds the mean share and the
 * mean number of documents here. */
static bool keeps(ranked_gains *gains, double share, double delta, double *mean, double *mean_docs)
{
  size_t count = gains->num_queries;
  *mean = *mean_docs = 0;
  for (size_t i = 0; i < count; i++) {
    size_t query = gains->order[i], kept = gains->kept[query];
    gains->values[query] = kept ? fmin(gains->shares[gains->start[query] + kept - 1], 1) : 0;
    *mean += gains->values[query] / (double)count;
    *mean_docs += (double)kept / (double)count;
  }
  return *mean > share && is_above(count, gains->values, gains->order, share, delta);
}

/* Keeps the first `depth` documents of each query that are within the margin. */
static void keep(ranked_gains *gains, size_t depth, double margin)
{
  for (size_t i = 0; i < gains->num_queries; i++) {
    size_t num_docs = gains->start[i + 1] - gains->start[i];
    size_t kept = depth < num_docs ? depth : num_docs;
    while (kept && gains->margins[gains->start[i] + kept - 1] > margin)
      kept--;
    gains->kept[i] = kept;
  }
}

dorm_status dorm_find_depth(dorm_context *context, const dorm_dataset *dataset, const double *scores, double share,
                            double confidence, dorm_depth *depth)
{
  enum { MARGINS = 100 };
  if (DORM__LACKS(context, DORM__GIVEN(dataset), DORM__GIVEN(scores), DORM__GIVEN(depth)))
    return DORM_BAD_USAGE;
  dorm_depth made = {.margin = NAN};
  DORM__AT_END(dorm__region_clear) dorm__region memory = {0};
  ranked_gains gains = {0};
  double mean, mean_docs;
  dorm_status status = DORM__ALL(dorm__struct_check(context, "depth", DORM__STRUCT(dorm_depth), depth),
                                 check_share(context, "confidence", confidence), check_share(context, "share", share),
                                 rank_gains(context, dataset, scores, &memory, &gains));
  if (status != DORM_OK)
    return status;
  made.num_queries = gains.num_queries;
  for (size_t k = gains.most_docs; k; k -= 1 + k / 50) { /* every depth up to 50, then in steps of 2 % */
    keep(&gains, k, 1);
    if (!keeps(&gains, share, 1 - confidence, &mean, &mean_docs))
      break;
    made.depth = k;
    made.depth_share = mean;
  }
  for (int step = MARGINS; step >= 0; step--) {
    keep(&gains, gains.most_docs, (double)step / MARGINS);
    if (!keeps(&gains, share, 1 - confidence, &mean, &mean_docs))
      break;
    made.margin = (double)step / MARGINS;
    made.margin_share = mean;
    made.margin_docs = mean_docs;
  }
  dorm__struct_give(&made, depth);
  return DORM_OK;
}
