/*
 * positions_test.c: functions of the first positions, against an enumeration of all rankings: the oracle, the rankings
 * of a model, and the values of whole convex problems; and models that are written and read.
 */
#include "tests/unit/oracle_cases.h"
#include "tests/unit/training_cases.h"

enum { MOST_DOCS = 6, MOST_OWN = 8, DOCS = 5, WIDTH = 3, QUERIES = 4, FUNCTIONS = 3 };

/* One query of the oracle: cost[j][p] is the factor of t. */
typedef struct instance {
  size_t num_docs, num_own;
  double a[MOST_DOCS], b[MOST_DOCS], c[MOST_DOCS], cost[MOST_DOCS * MOST_DOCS], t;
  double g[(1 + MOST_OWN) * MOST_DOCS];
} instance;

static double value_of(const instance *query, const uint32_t *order)
{
  double sum = 0;
  for (size_t p = 0; p < query->num_docs; p++) {
    double score = query->g[order[p]];
    if (p < query->num_own)
      score += query->g[(1 + p) * query->num_docs + order[p]];
    sum += query->c[p] * score + query->t * query->cost[order[p] * query->num_docs + p];
  }
  return sum;
}

static double best_value(const instance *query)
{
  uint32_t order[MOST_DOCS];
  double best = -INFINITY;
  for (size_t r = 0; unit_ranking(query->num_docs, r, order); r++)
    best = fmax(best, value_of(query, order));
  return best;
}

/* Every third instance has ties and zeros in its scores, every other one the product form. */
static void draw(dorm__random *random, size_t round, instance *query)
{
  size_t count = query->num_docs = 1 + dorm__random_below(random, MOST_DOCS);
  query->num_own = dorm__random_below(random, MOST_OWN + 1);
  query->t = (double)dorm__random_below(random, 4) - 2;
  for (size_t i = 0; i < (1 + query->num_own) * count; i++)
    query->g[i] = round % 3 ? dorm__random_normal(random) : (double)dorm__random_below(random, 3) - 1;
  for (size_t p = 0; p < count; p++) {
    query->a[p] = p < 1 + round % 5 ? 1 / ((double)p + 1) : 0;
    query->c[p] = p < 2 + round % 4 ? pow((double)p + 2, -0.5) : 0;
    query->b[p] = (double)dorm__random_below(random, 3);
  }
  for (size_t i = 0; i < count * count; i++)
    query->cost[i] = round % 2 ? dorm__random_normal(random) : -query->a[i % count] * query->b[i / count];
}

UNIT_TEST_DRAWN(context, random, rankings_of_the_oracle_are_the_best)
{
  static const dorm__oracle_method methods[] = {DORM__ORACLE_AUTO, DORM__ORACLE_SHORTEST_PATH, DORM__ORACLE_HUNGARIAN};
  DORM__OWNED(dorm__oracle_workspace) *workspace = unit_workspace(context, MOST_DOCS);
  dorm__oracle_workspace_set_check(workspace, true);
  size_t num_wrong = 0;
  for (size_t round = 0; round < 3000; round++) {
    instance query;
    draw(random, round, &query);
    double best = best_value(&query);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
      DORM__OWNED(dorm__oracle_plan) *plan = NULL;
      uint32_t order[MOST_DOCS];
      double value = NAN;
      UNIT_OK(context,
              round % 2 ? dorm__oracle_plan_new_general(context, methods[m], query.num_docs, query.cost, query.c, &plan)
                        : dorm__oracle_plan_new(context, methods[m], query.num_docs, query.a, query.b, query.c, &plan));
      UNIT_OK(context, dorm__oracle_plan_set_functions(context, plan, query.num_own));
      UNIT_OK(context, dorm__oracle_solve(plan, workspace, query.g, query.t, order, &value));
      num_wrong += !unit_close(value, best, 1e-12) || !unit_close(value_of(&query, order), best, 1e-12);
    }
  }
  CU_ASSERT_EQUAL(num_wrong, 0);
}

/* Long queries: what is found from the best ranking without the scores of positions is worth what shortest paths from
 * the beginning find, and is proved. */
UNIT_TEST_DRAWN(context, random, adjusted_rankings_are_the_best)
{
  enum { LONG = 150 };
  oracle_case *drawn = oracle_case_new();
  static double g[(1 + MOST_OWN) * LONG];
  DORM__OWNED(dorm__oracle_workspace) *workspace = unit_workspace(context, LONG);
  dorm__oracle_workspace_set_check(workspace, true);
  for (size_t round = 0; round < 400; round++) {
    size_t count = 2 + dorm__random_below(random, LONG - 1), num_own = 1 + dorm__random_below(random, MOST_OWN);
    double values[2] = {0}, scale = 0;
    oracle_case_draw(drawn, random, count, 2 + dorm__random_below(random, count));
    for (size_t j = 0; j < count; j++)
      scale = fmax(scale, fabs(g[j] = drawn->g[j]));
    for (size_t i = count; i < (1 + num_own) * count; i++)
      g[i] = scale * dorm__random_normal(random);
    for (size_t m = 0; m < 2; m++) {
      uint32_t order[LONG];
      DORM__OWNED(dorm__oracle_plan) *plan =
          unit_plan(context, m ? DORM__ORACLE_SHORTEST_PATH : DORM__ORACLE_AUTO, count, drawn->a, drawn->b, drawn->c);
      UNIT_OK(context, dorm__oracle_plan_set_functions(context, plan, num_own));
      UNIT_OK(context, dorm__oracle_solve(plan, workspace, g, drawn->t, order, &values[m]));
    }
    CU_ASSERT_DOUBLE_EQUAL(values[0], values[1], 1e-12 * (double)count * (oracle_case_scale(drawn) + scale));
  }
  oracle_case_free(drawn);
}

/* Without functions the plan stays what it was; methods that are not exact, and scores out of range, are refused. */
UNIT_TEST_IN(context, plans_refuse_what_is_not_exact)
{
  static const double a[3] = {1, 0.5, 0}, b[3] = {0, 1, 2}, c[3] = {1, 0.7, 0.6};
  uint32_t order[3];
  double g[6] = {1, 2, 3, 0, 0, 0};
  DORM__OWNED(dorm__oracle_workspace) *workspace = unit_workspace(context, 3);
  dorm__oracle_plan *plan = unit_plan(context, DORM__ORACLE_RUNS, 3, a, b, c);
  UNIT_OK(context, dorm__oracle_plan_set_functions(context, plan, 0));
  UNIT_OK(context, dorm__oracle_solve(plan, workspace, g, 1, order, NULL));
  CU_ASSERT_EQUAL(dorm__oracle_workspace_counts(workspace)->last, DORM__ORACLE_RUNS);
  UNIT_BAD_USAGE(dorm__oracle_plan_set_functions(context, plan, 1), "oracle = runs");
  dorm__oracle_plan_free(plan);
  UNIT_OK(context, dorm__oracle_plan_new(context, DORM__ORACLE_AUTO, 3, a, b, c, &plan));
  UNIT_OK(context, dorm__oracle_plan_set_functions(context, plan, 1));
  UNIT_OK(context, dorm__oracle_solve(plan, workspace, g, 0, order, NULL));
  CU_ASSERT_EQUAL(dorm__oracle_workspace_counts(workspace)->last, DORM__ORACLE_SHORTEST_PATH);
  for (size_t i = 0; i < 2; i++) {
    g[5] = i ? INFINITY : NAN;
    CU_ASSERT_EQUAL(dorm__oracle_solve(plan, workspace, g, 0, order, NULL), DORM_NUMERICAL_FAILURE);
  }
  dorm__oracle_plan_free(plan);
}

/* ---- Rankings of a model ------------------------------------------------------------- */

/* The scores fall along a ranking of the largest value, and only documents of the first positions have new ones. */
UNIT_TEST_DRAWN(context, random, scores_fall_along_the_best_ranking)
{
  for (size_t round = 0; round < 600; round++) {
    instance query = {.num_docs = 1 + dorm__random_below(random, MOST_DOCS),
                      .num_own = 1 + dorm__random_below(random, MOST_OWN)};
    double labels[MOST_DOCS] = {0}, scores[MOST_DOCS], scale = round % 4 ? 1 : 1e-9;
    uint32_t order[MOST_DOCS];
    dorm__position_functions functions = {query.num_own, {.kind = DORM__WEIGHTS_POWER, .exponent = 0.5}};
    DORM__OWNED(dorm_dataset) *dataset = unit_one_query(context, query.num_docs, labels);
    for (size_t p = 0; p < query.num_docs; p++)
      query.c[p] = pow((double)p + 2, -0.5);
    for (size_t i = 0; i < (1 + query.num_own) * query.num_docs; i++)
      query.g[i] = scale * (round % 3 ? dorm__random_normal(random) : (double)dorm__random_below(random, 3) - 1);
    memcpy(scores, query.g, query.num_docs * sizeof *scores);
    UNIT_OK(context,
            dorm__rank_by_positions(context, dataset, &functions, query.g + query.num_docs, 1 + round % 2, scores));
    unit_sort_by(query.num_docs, scores, order);
    CU_ASSERT_DOUBLE_EQUAL(value_of(&query, order), best_value(&query), 1e-12 * scale);
    size_t num_changed = 0;
    for (size_t p = 0; p < query.num_docs; p++) {
      num_changed += scores[order[p]] != query.g[order[p]];
      CU_ASSERT_TRUE(scores[order[p]] >= query.g[order[p]]);
      CU_ASSERT_TRUE(p < query.num_own || scores[order[p]] == query.g[order[p]]);
    }
    CU_ASSERT_TRUE(num_changed <= query.num_own);
  }
}

/* Behind the last position of any weight the shared function alone ranks, though functions of later positions are
 * there. */
UNIT_TEST_DRAWN(context, random, positions_without_weight_are_left_alone)
{
  for (size_t round = 0; round < 200; round++) {
    double weights[MOST_OWN] = {1, 0.5}, labels[MOST_DOCS] = {0}, scores[MOST_DOCS];
    size_t num_weights = 1 + round % 2;
    instance query = {.num_docs = 3 + dorm__random_below(random, MOST_DOCS - 2), .num_own = MOST_OWN};
    uint32_t order[MOST_DOCS];
    dorm__position_functions functions = {MOST_OWN,
                                          {.kind = DORM__WEIGHTS_LISTED, .count = num_weights, .values = weights}};
    DORM__OWNED(dorm_dataset) *dataset = unit_one_query(context, query.num_docs, labels);
    for (size_t i = 0; i < (1 + query.num_own) * query.num_docs; i++)
      query.g[i] = dorm__random_normal(random);
    for (size_t p = 0; p < num_weights; p++)
      query.c[p] = weights[p];
    memcpy(scores, query.g, query.num_docs * sizeof *scores);
    UNIT_OK(context, dorm__rank_by_positions(context, dataset, &functions, query.g + query.num_docs, 1, scores));
    unit_sort_by(query.num_docs, scores, order);
    CU_ASSERT_DOUBLE_EQUAL(value_of(&query, order), best_value(&query), 1e-12);
    for (size_t p = num_weights; p < query.num_docs; p++)
      CU_ASSERT_EQUAL(scores[order[p]], query.g[order[p]]);
  }
}

/* ---- Training ------------------------------------------------------------------------ */

/* Queries whose documents have labels 0 to 2; of WIDTH features, one is 1 for some documents. */
static dorm_dataset *new_data(dorm_context *context, dorm__random *random)
{
  char text[QUERIES * DOCS * 64], *end = text;
  for (size_t j = 0; j < QUERIES * DOCS; j++)
    end += snprintf(end, 64, "%zu qid:%zu 1:%.3f 2:%.3f 3:%zu\n", dorm__random_below(random, 3), j / DOCS,
                    dorm__random_normal(random), dorm__random_normal(random), dorm__random_below(random, 2));
  return unit_read_text(context, text);
}

/* The amount that the ranking `order` of a query adds to the slack: <w, Phi> + Delta; Delta is NDCG's, from its
 * definition. */
static double hinge_of(const dorm_dataset *dataset, size_t query, const uint32_t *order, const double *w, double *delta)
{
  uint32_t ideal[DOCS];
  double sum = 0, dcg = 0, best = 0;
  const double *labels = dataset->labels + query * DOCS;
  unit_sort_by(DOCS, labels, ideal);
  for (size_t p = 0; p < DOCS; p++) {
    dcg += (exp2(labels[order[p]]) - 1) / log2((double)p + 2);
    best += (exp2(labels[ideal[p]]) - 1) / log2((double)p + 2);
    for (size_t f = 0; f < WIDTH; f++) {
      double weight = w[f] + (p + 1 < FUNCTIONS ? w[(p + 1) * WIDTH + f] : 0);
      sum += pow((double)p + 2, -0.5) * weight * (double)dorm_dataset_value(dataset, query * DOCS + order[p], f);
    }
  }
  *delta = best > 0 ? 1 - dcg / best : 0;
  return sum + *delta;
}

/* The primal value for the reference `listed`, by enumeration. */
static double primal_of(const dorm_dataset *dataset, const double *w, double C)
{
  double value = 0, sum = 0, delta;
  size_t num_training = 0;
  for (size_t f = 0; f < FUNCTIONS * WIDTH; f++)
    value += 0.5 * w[f] * w[f];
  for (size_t q = 0; q < QUERIES; q++) {
    uint32_t order[DOCS], listed[DOCS];
    double worst = -INFINITY, largest = 0;
    unit_sort_by(DOCS, dataset->labels + q * DOCS, listed);
    for (size_t r = 0; unit_ranking(DOCS, r, order); r++) {
      worst = fmax(worst, hinge_of(dataset, q, order, w, &delta));
      largest = fmax(largest, delta);
    }
    num_training += largest > 0;
    sum += largest > 0 ? worst - hinge_of(dataset, q, listed, w, &delta) : 0;
  }
  return value + C * sum / (double)num_training;
}

/* The primal value belongs to the returned w; no w that is tried is below the dual value. */
UNIT_TEST_DRAWN(context, random, certificates_hold)
{
  for (size_t round = 0; round < 12; round++) {
    const char *const *pairs =
        UNIT_PAIRS("loss.name", "ndcg:truncation=10", "ranking.reference", "listed", "ranking.position_functions", "3",
                   "ranking.position_weights", "power:0.5", "solver.C", round % 2 ? "3" : "50", "solver.gap", "1e-6",
                   "solver.start", "zero", "data.normalisation", "none", "data.rank_block", "0", "ranking.rounds", "1");
    DORM__OWNED(dorm_dataset) *dataset = new_data(context, random);
    DORM__OWNED(dorm_training) *training = training_run(context, pairs, DORM_OK, dataset, NULL);
    const dorm_certificate *certificate = training_certificate(training, 0);
    const double *w = training->trained[0].w;
    double C = round % 2 ? 3 : 50, other[FUNCTIONS * WIDTH], own = 0;
    CU_ASSERT_EQUAL_FATAL(training->trained[0].width, FUNCTIONS * WIDTH);
    CU_ASSERT_TRUE(certificate->gap <= 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(primal_of(dataset, w, C), certificate->primal, 1e-9 * certificate->primal);
    for (size_t i = 0; i < 300; i++) {
      for (size_t f = 0; f < FUNCTIONS * WIDTH; f++)
        other[f] = w[f] + pow(10, -(double)(i % 5)) * dorm__random_normal(random);
      CU_ASSERT_TRUE(primal_of(dataset, other, C) >= certificate->dual - 1e-9);
    }
    for (size_t f = WIDTH; f < FUNCTIONS * WIDTH; f++)
      own += fabs(w[f]);
    CU_ASSERT_TRUE(own > 0);
  }
}

/* 1/2 |w|^2 and C times the mean of Delta of the ranking that w predicts. */
static double risk_of(const dorm_dataset *dataset, const double *w, double C)
{
  double value = 0, sum = 0;
  size_t num_training = 0;
  for (size_t f = 0; f < FUNCTIONS * WIDTH; f++)
    value += 0.5 * w[f] * w[f];
  for (size_t q = 0; q < QUERIES; q++) {
    uint32_t order[DOCS];
    double best = -INFINITY, of_best = 0, largest = 0, delta;
    for (size_t r = 0; unit_ranking(DOCS, r, order); r++) {
      double score = hinge_of(dataset, q, order, w, &delta) - delta;
      of_best = score > best ? delta : of_best;
      best = fmax(best, score);
      largest = fmax(largest, delta);
    }
    num_training += largest > 0;
    sum += of_best;
  }
  return value + C * sum / (double)num_training;
}

/* References that follow the scores: the primal value and its constant bound the loss of the predicted rankings. */
UNIT_TEST_DRAWN(context, random, values_bound_the_loss)
{
  static const char *const references[] = {"mu:0.3", "mu:1", "current", "ideal"};
  for (size_t round = 0; round < 12; round++) {
    const char *const *pairs =
        UNIT_PAIRS("loss.name", "ndcg:truncation=10", "ranking.reference", references[round % 4],
                   "ranking.position_functions", "3", "solver.C", "20", "solver.gap", "1e-6", "ranking.rounds", "3");
    DORM__OWNED(dorm_dataset) *dataset = new_data(context, random);
    DORM__OWNED(dorm_training) *training = training_run(context, pairs, DORM_OK, dataset, NULL);
    size_t last = dorm_training_num_candidates(training) - 1;
    const dorm_certificate *certificate = training_certificate(training, last);
    CU_ASSERT_EQUAL(last, 3);
    CU_ASSERT_TRUE(certificate->gap <= 1e-6);
    CU_ASSERT_TRUE(certificate->primal + certificate->reference_constant >=
                   risk_of(dataset, training->trained[last].w, 20) - 1e-9);
  }
}

static const char *const with_functions[] =
    UNIT_TEXTS("ranking.position_functions", "3", "ranking.position_weights", "power:0.5", "data.rank_block", "0, 0.5",
               "selection.average", "4", "ranking.rounds", "2", "solver.C", "1, 30", NULL);

/* A model that is written and read gives the same scores, on any number of threads. */
UNIT_TEST_IN(context, models_are_kept)
{
  DORM__OWNED(dorm_dataset) *train = training_artificial_data(context, 1, 20),
                            *validation = training_artificial_data(context, 2, 10);
  DORM__OWNED(dorm_training) *training = training_run(context, with_functions, DORM_OK, train, validation);
  const dorm_model *model = dorm_training_model(training);
  const char *kind = NULL;
  CU_ASSERT_STRING_EQUAL(dorm_model_part(model, 1, &kind, NULL), "2 first positions of 6 features, rank block 0.5");
  CU_ASSERT_STRING_EQUAL(kind, "positions");
  CU_ASSERT_TRUE(dorm_model_needs_query(model));
  unit_reads_back(context, model, validation);
  UNIT_BAD_DATA(dorm_model_check_export(context, model), "positions part");
}

/* A candidate of one rank block alone: the model's parts are its blocks of weights, bit for bit. */
UNIT_TEST_IN(context, blocks_of_weights_become_parts)
{
  const char *const *pairs = UNIT_PAIRS("ranking.position_functions", "2", "ranking.position_weights", "power:0.5",
                                        "data.rank_block", "0.5", "selection.average", "1", "solver.C", "10");
  DORM__OWNED(dorm_dataset) *train = training_artificial_data(context, 1, 20),
                            *validation = training_artificial_data(context, 2, 10);
  DORM__OWNED(dorm_training) *training = training_run(context, pairs, DORM_OK, train, validation);
  size_t chosen = 0;
  while (!dorm_training_candidate(training, chosen)->is_selected)
    chosen++;
  const dorm__trained *trained = &training->trained[chosen];
  const dorm_model *model = dorm_training_model(training);
  dorm__position_functions functions = {1, {.kind = DORM__WEIGHTS_POWER, .exponent = 0.5}};
  double rank_block, scores[400], linear[400], own[400];
  dorm__feature_map map = model->map;
  map.rank_block = 0.5;
  CU_ASSERT_EQUAL_FATAL(trained->width, 24);
  CU_ASSERT_EQUAL(memcmp(dorm__model_linear_weights(model, &rank_block), trained->w, 12 * sizeof *trained->w), 0);
  UNIT_OK(context, dorm_model_score(context, model, train, 1, scores));
  UNIT_OK(context, dorm__score_by_batches(context, train, &map, 1, trained->w, linear));
  UNIT_OK(context, dorm__score_by_batches(context, train, &map, 1, trained->w + 12, own));
  UNIT_OK(context, dorm__rank_by_positions(context, train, &functions, own, 1, linear));
  CU_ASSERT_EQUAL(memcmp(scores, linear, sizeof scores), 0);
}
