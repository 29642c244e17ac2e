/*
 * click_coverage_test.c: 95 % intervals of estimates from clicks cover the truth of simulated users in about 95 % of
 * logs: IPS, SNIPS and doubly robust, of single systems and differences, with given and estimated propensities, for a
 * power law and two curves that are none. DORM_CLICK_LOGS=200 tries 200 logs per case.
 */
#include "tests/unit/clicks_cases.h"

enum { QUERIES = 60, DOCS = 8, ALL = QUERIES * DOCS, IMPRESSIONS = 3000, MOST_TEXT = 24 * IMPRESSIONS * DOCS };
enum { IPS, SNIPS, ROBUST, KINDS };
enum { CURVES = 3 };
static const double curves[CURVES][DOCS] = {
    {1, 0.574, 0.415, 0.330, 0.276, 0.238, 0.211, 0.189}, /* 1 / position^0.8 */
    {1, 1, 1, 0.4, 0.4, 0.4, 0.15, 0.15},
    {1, 0.9, 0.8, 0.7, 0.6, 0.45, 0.3, 0.15},
};

static size_t num_logs(size_t few)
{
  const char *text = getenv("DORM_CLICK_LOGS");
  return text ? (size_t)strtoul(text, NULL, 10) : few;
}

/* The chance that a document attracts who sees it. */
static double attraction(const dorm_dataset *dataset, size_t doc)
{
  return 0.05 + 0.85 * (pow(2, dorm_dataset_label(dataset, doc)) - 1) / 15;
}

static uint64_t next(uint64_t *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

static double uniform(uint64_t *state)
{
  return (double)(next(state) >> 11) / 9007199254740992.0;
}

/* Users of two rankers, who see `shown` documents. `trust` adds clicks. */
static void make_log(const dorm_dataset *dataset, const double *const *rankers, const double *curve, size_t shown,
                     double trust, uint64_t seed, char *text)
{
  uint64_t state = 88172645463325252ULL + seed * 1000003;
  size_t size = 0;
  for (size_t i = 0; i < 20; i++)
    next(&state);
  for (size_t i = 0; i < IMPRESSIONS; i++) {
    size_t query = next(&state) % QUERIES, doc_at[DOCS] = {0};
    const double *scores = rankers[next(&state) >> 63];
    for (size_t j = query * DOCS; j < (query + 1) * DOCS; j++)
      doc_at[clicks_rank(DOCS, scores, j)] = j;
    for (size_t p = 0; p < shown; p++) {
      double s = attraction(dataset, doc_at[p]), chance = curve[p] * (s + (1 - s) * trust / (double)(p + 1));
      size += (size_t)snprintf(text + size, 24, "%s D%zu %zu %d\n", dorm_dataset_query_id(dataset, query),
                               doc_at[p] + 1, p + 1, uniform(&state) < chance);
    }
  }
}

/* True IPS (the DCG) and SNIPS of weights [ALL]. */
static void find_truth(const dorm_dataset *dataset, const double *weights, double *truth)
{
  double value = 0, mass = 0;
  for (size_t j = 0; j < ALL; j++) {
    value += weights[j] * attraction(dataset, j);
    mass += attraction(dataset, j);
  }
  truth[IPS] = truth[ROBUST] = value / QUERIES;
  truth[SNIPS] = value / mass;
}

static void fill_weights(const double *scores, const double *baseline, double *weights)
{
  for (size_t j = 0; j < ALL; j++) {
    size_t rank = clicks_rank(DOCS, scores, j), other = baseline ? clicks_rank(DOCS, baseline, j) : DOCS;
    weights[j] = (rank < 5 ? 1 / log2((double)rank + 2) : 0) - (other < 5 ? 1 / log2((double)other + 2) : 0);
  }
}

typedef struct coverage_case {
  dorm_context *context;
  dorm_dataset *dataset;
  double rankers[4][ALL]; /* two that are shown, two that are evaluated; the last is also the model of clicks */
  char *text;
} coverage_case;

static coverage_case open_case(void)
{
  coverage_case made = {.context = unit_context(), .text = dorm__alloc(MOST_TEXT, 1)};
  CU_ASSERT_PTR_NOT_NULL_FATAL(made.text);
  made.dataset = clicks_make_data(made.context, QUERIES, DOCS);
  for (size_t r = 0; r < 4; r++)
    clicks_fill_scores(made.dataset, (double)r, made.rankers[r]);
  return made;
}

static void close_case(coverage_case *made)
{
  dorm__free(made->text);
  dorm_dataset_free(made->dataset);
  dorm_context_free(made->context);
}

static dorm_clicks *read_log(coverage_case *made, const double *curve, size_t shown, double trust, uint64_t seed)
{
  const double *const shown_rankers[] = {made->rankers[0], made->rankers[1]};
  make_log(made->dataset, shown_rankers, curve, shown, trust, seed, made->text);
  return clicks_read_log(made->context, made->dataset, made->text);
}

/* Counts covered truths for a curve with given and with estimated propensities, of the single system and of the
 * difference. */
static void cover(coverage_case *made, size_t nth, size_t logs, double covered[2][2][KINDS])
{
  char curve[200];
  size_t size = 0;
  for (size_t p = 0; p < DOCS; p++)
    size += (size_t)snprintf(curve + size, 24, "%.6f\n", curves[nth][p]);
  const char *path = unit_temporary_file(curve);
  const dorm_click_options options[] = {{.path = path, .propensity = DORM_PROPENSITY_FILE},
                                        {.path = path, .propensity = DORM_PROPENSITY_HARVEST}};
  for (size_t log = 0; log < logs; log++) {
    DORM__OWNED(dorm_clicks) *clicks = read_log(made, curves[nth], DOCS, 0, 1000 * nth + log);
    for (size_t k = 0; k < 4; k++) {
      size_t is_estimated = k / 2, is_difference = k % 2;
      clicks_set(made->context, clicks, made->dataset, options[is_estimated]);
      UNIT_OK(made->context, dorm_clicks_set_model(made->context, clicks, made->dataset, made->rankers[3]));
      double weights[ALL], truth[KINDS];
      const double *baseline = is_difference ? made->rankers[0] : NULL;
      dorm_click_evaluation found = {.struct_size = sizeof found};
      fill_weights(made->rankers[2], baseline, weights);
      find_truth(made->dataset, weights, truth);
      UNIT_OK(made->context,
              dorm_clicks_evaluate(made->context, clicks, made->dataset, made->rankers[2], baseline, 5, &found));
      covered[is_estimated][is_difference][IPS] += fabs(found.ips - truth[IPS]) < 1.96 * found.ips_error_impressions;
      covered[is_estimated][is_difference][SNIPS] +=
          fabs(found.snips - truth[SNIPS]) < 1.96 * found.snips_error_impressions;
      covered[is_estimated][is_difference][ROBUST] +=
          fabs(found.dr - truth[ROBUST]) < 1.96 * found.dr_error_impressions;
    }
  }
}

/* The share of covered truths is .95 within three standard errors of it, and at most 2 % of logs. */
UNIT_TEST(intervals_cover)
{
  static const char *const names[] = {"IPS", "SNIPS", "doubly robust"};
  DORM__AT_END(close_case) coverage_case made = open_case();
  size_t logs = num_logs(28);
  for (size_t nth = 0; nth < CURVES; nth++) {
    double covered[2][2][KINDS] = {{{0}}};
    cover(&made, nth, logs, covered);
    for (size_t i = 0; i < 4 * KINDS; i++) {
      size_t is_estimated = i / (2 * KINDS), d = i / KINDS % 2, k = i % KINDS;
      double share = covered[is_estimated][d][k] / (double)logs, room = 0.03 + 2 * sqrt(0.95 * 0.05 / (double)logs);
      if (getenv("DORM_CLICK_LOGS") || fabs(share - 0.95) > room)
        printf("curve %zu, %s propensities, %s of %s: %.3f\n", nth, is_estimated ? "estimated" : "given", names[k],
               d ? "a difference" : "one system", share);
      CU_ASSERT(fabs(share - 0.95) <= room);
    }
  }
}

/* With trust in the top positions, intervals by estimated affine propensities cover the truth. Intervals by the true
 * exponent without trust hardly do. */
UNIT_TEST(intervals_cover_with_trust)
{
  DORM__AT_END(close_case) coverage_case made = open_case();
  double weights[ALL], truth[KINDS], covered[2] = {0}, logs = (double)num_logs(40);
  fill_weights(made.rankers[2], NULL, weights);
  find_truth(made.dataset, weights, truth);
  for (size_t log = 0; (double)log < logs; log++) {
    DORM__OWNED(dorm_clicks) *clicks = read_log(&made, curves[0], DOCS, 0.65, 9000 + log);
    for (int is_affine = 0; is_affine < 2; is_affine++) {
      dorm_propensity propensity = is_affine ? DORM_PROPENSITY_AFFINE : DORM_PROPENSITY_POWER;
      dorm_click_evaluation found = {.struct_size = sizeof found};
      clicks_set(made.context, clicks, made.dataset, (dorm_click_options){.propensity = propensity, .eta = 0.8});
      UNIT_OK(made.context, dorm_clicks_evaluate(made.context, clicks, made.dataset, made.rankers[2], NULL, 5, &found));
      covered[is_affine] += fabs(found.ips - truth[IPS]) < 1.96 * found.ips_error_impressions;
    }
  }
  if (getenv("DORM_CLICK_LOGS"))
    printf("with trust, IPS of one system: %.3f; without a model of trust: %.3f\n", covered[1] / logs,
           covered[0] / logs);
  CU_ASSERT(fabs(covered[1] / logs - 0.95) <= 0.03 + 2 * sqrt(0.95 * 0.05 / logs));
  CU_ASSERT(covered[0] < 0.1 * logs);
}

/* If users see three of eight documents, the bounds on the difference never exclude the sign of the truth. */
UNIT_TEST(signs_are_not_claimed)
{
  DORM__AT_END(close_case) coverage_case made = open_case();
  size_t logs = num_logs(40), wrong = 0, naive = 0;
  double weights[ALL], truth[KINDS];
  dorm_click_options options = {.struct_size = sizeof options};
  fill_weights(made.rankers[3], made.rankers[0], weights);
  find_truth(made.dataset, weights, truth);
  for (size_t log = 0; log < logs; log++) {
    DORM__OWNED(dorm_clicks) *clicks = read_log(&made, curves[0], 3, 0, 7000 + log);
    dorm_click_evaluation found = {.struct_size = sizeof found};
    UNIT_OK(made.context, dorm_clicks_set_propensities(made.context, clicks, made.dataset, &options));
    UNIT_OK(made.context,
            dorm_clicks_evaluate(made.context, clicks, made.dataset, made.rankers[3], made.rankers[0], 5, &found));
    CU_ASSERT(found.unshown > 0.02 && found.ips_least < found.ips && found.ips < found.ips_most);
    wrong += found.ips_most + 1.96 * found.ips_error_impressions < truth[IPS] ||
             found.ips_least - 1.96 * found.ips_error_impressions > truth[IPS];
    naive += fabs(found.ips - truth[IPS]) > 1.96 * found.ips_error_impressions;
  }
  CU_ASSERT_EQUAL(wrong, 0);
  CU_ASSERT(2 * naive > logs); /* which the estimate alone does not do */
}

/* ---- Doubly robust estimates at 10^4 impressions ------------------------------------------------- */

enum { MANY = 1000, LONG = 20, ALL_LONG = MANY * LONG, TOP = 10 };
typedef struct robust_case {
  dorm_context *context;
  dorm_dataset *dataset;
  double rankers[4][ALL_LONG]; /* two that are shown, one that is evaluated, the model of clicks */
  double truth;                /* of the difference of the evaluated one to the first */
} robust_case;

/* The mean squared error of doubly robust over that of IPS, if users see `shown` of 20 documents. */
static double robust_ratio(robust_case *made, size_t shown, size_t logs)
{
  const double *given[] = {made->rankers[0], made->rankers[1]};
  dorm_click_options options = {.struct_size = sizeof options, .propensity = DORM_PROPENSITY_POWER, .eta = 1};
  dorm_click_simulation simulation = clicks_users(10000, 1, 2, given);
  simulation.num_positions = shown;
  double squares[KINDS] = {0};
  for (size_t log = 0; log < logs; log++) {
    dorm_click_evaluation found = {.struct_size = sizeof found};
    simulation.seed = 100 + log;
    DORM__OWNED(dorm_clicks) *clicks = clicks_simulate(made->context, made->dataset, &simulation);
    UNIT_OK(made->context, dorm_clicks_set_propensities(made->context, clicks, made->dataset, &options));
    UNIT_OK(made->context, dorm_clicks_set_model(made->context, clicks, made->dataset, made->rankers[3]));
    UNIT_OK(made->context, dorm_clicks_evaluate(made->context, clicks, made->dataset, made->rankers[2],
                                                made->rankers[0], TOP, &found));
    squares[IPS] += pow(found.ips - made->truth, 2);
    squares[ROBUST] += pow(found.dr - made->truth, 2);
  }
  return squares[ROBUST] / squares[IPS];
}

/* If users see a part of the documents, a model that knows of relevance makes the error less. If they see all, one that
 * knows nothing hardly makes it more, because the estimate falls back to IPS. */
UNIT_TEST(doubly_robust_varies_less)
{
  static const struct {
    double model; /* of clicks_fill_scores */
    size_t shown;
    double most;
  } cases[] = {{8, 10, 0.7}, {8, 20, 1.2}, {1, 20, 1.3}};
  static robust_case made;
  made.context = unit_context();
  made.dataset = clicks_make_data(made.context, MANY, LONG);
  for (size_t r = 0; r < 3; r++)
    clicks_fill_scores(made.dataset, (double)r, made.rankers[r]);
  made.truth = clicks_true_dcg(made.dataset, LONG, made.rankers[2], TOP) -
               clicks_true_dcg(made.dataset, LONG, made.rankers[0], TOP);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    clicks_fill_scores(made.dataset, cases[i].model, made.rankers[3]);
    double ratio = robust_ratio(&made, cases[i].shown, num_logs(12));
    if (getenv("DORM_CLICK_LOGS") || !(ratio < cases[i].most))
      printf("model %g, %zu documents shown: squared error of doubly robust / IPS: %.3f\n", cases[i].model,
             cases[i].shown, ratio);
    CU_ASSERT(ratio < cases[i].most);
  }
  dorm_dataset_free(made.dataset);
  dorm_context_free(made.context);
}
