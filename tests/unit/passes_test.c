/* passes_test.c: sequential passes over queries of four documents, whose slacks
 * are found by trying all rankings. */
#include "tests/unit/training_cases.h"


enum { DOCS = 4 };

static dorm_dataset *random_queries(dorm_context *context, size_t num_queries, size_t width)
{
  DORM__FREED double *labels = dorm__alloc(num_queries * DOCS, sizeof *labels);
  DORM__FREED float *values = dorm__alloc(num_queries * DOCS * width, sizeof *values);
  dorm__random random = unit_random(0);
  for (size_t j = 0; j < num_queries * DOCS; j++) {
    labels[j] = (double)dorm__random_below(&random, 3);
    for (size_t f = 0; f < width; f++)
      values[j * width + f] = (float)(dorm__random_normal(&random) + (f % 3 ? 0 : 0.3 * labels[j]));
  }
  return unit_even_dataset(context, num_queries, DOCS, width, labels, values);
}

static void case_new(size_t num_queries, size_t width, size_t num_threads, dorm__bounds bounds, training_problem *made)
{
  dorm_context *context = unit_context();
  training_problem_new(context, random_queries(context, num_queries, width), "ndcg", "power:0.5", num_threads, made);
  training_problem_start(made, bounds);
}

/* The largest over all rankings of sum_p c[p] g[order[p]] + Delta. */
static double best_value(const training_problem *made, size_t query, const double *g)
{
  uint32_t order[DOCS];
  double best = -INFINITY;
  for (size_t r = 0; unit_ranking(DOCS, r, order); r++) {
    double value = dorm__query_loss_of(dorm__problem_loss(made->problem, query), order);
    for (size_t i = 0; i < DOCS; i++)
      value += made->problem->c[query][i] * g[order[i]];
    best = fmax(best, value);
  }
  return best;
}

static double slack_by_hand(const training_problem *made, size_t query, const double *w)
{
  size_t first = made->dataset->query_start[made->problem->queries[query]];
  const dorm__vector *reference = &made->set->sets[query].reference;
  double g[DOCS] = {0}, of_reference = 0;
  for (size_t i = 0; i < DOCS; i++)
    for (size_t f = 0; f < made->features.num_features; f++)
      g[i] += (double)dorm_dataset_value(made->dataset, first + i, f) * w[f];
  for (size_t f = 0; f < made->features.num_features; f++)
    of_reference += reference->values[f] * w[f];
  return fmax(0, best_value(made, query, g) - of_reference);
}

static double primal_by_hand(const training_problem *made, const double *w, double C)
{
  double value = 0;
  for (size_t f = 0; f < made->features.num_features; f++)
    value += 0.5 * w[f] * w[f];
  for (size_t i = 0; i < made->problem->num_queries; i++)
    value += C * slack_by_hand(made, i, w);
  return value;
}

/* Passes alone, without sweeps, come to the optimum, and none lowers the dual. */
UNIT_TEST(passes_alone_reach_the_optimum)
{
  enum { WIDTH = 6, PASSES = 400 };
  double lower[WIDTH] = {0, -INFINITY, 0, 0, -INFINITY, 0.01};
  for (size_t trial = 0; trial < 4; trial++) {
    dorm__bounds bounds = {trial < 2 ? NULL : lower, NULL};
    double C = trial % 2 ? 0.3 : 0.02, before = -INFINITY, gap = 0;
    DORM__AT_END(training_problem_free) training_problem made;
    case_new(40, WIDTH, 1, bounds, &made);
    dorm__working_set_refresh(made.set); /* w into the bounds */
    for (size_t pass = 0; pass < PASSES; pass++) {
      UNIT_OK(made.context, dorm__working_set_pass(made.context, made.set, C, 0, &gap));
      double dual = training_problem_dual(&made, C);
      CU_ASSERT_TRUE(dual >= before - 1e-12 * fabs(dual));
      UNIT_CLOSE(dual, dorm__working_set_dual(made.set), 1e-9);
      before = dual;
    }
    double primal = primal_by_hand(&made, made.set->w, C);
    CU_ASSERT_TRUE(primal >= before * (1 - 1e-12));
    CU_ASSERT_TRUE(primal - before <= 1e-4 * primal);
    CU_ASSERT_TRUE(fabs(gap) <= 1e-4 * primal);
  }
}

/* If C is so small that w hardly moves, the estimate of a pass is the duality gap at its beginning, and the pass closes
 * it. */
UNIT_TEST(the_estimate_is_the_gap)
{
  double C = 1e-9, estimate = 0;
  DORM__AT_END(training_problem_free) training_problem made;
  case_new(50, 6, 1, (dorm__bounds){NULL, NULL}, &made);
  double gap = primal_by_hand(&made, made.set->w, C) - training_problem_dual(&made, C);
  CU_ASSERT_TRUE(gap > 0);
  for (size_t pass = 0; pass < 2; pass++) {
    UNIT_OK(made.context, dorm__working_set_pass(made.context, made.set, C, 0, &estimate));
    CU_ASSERT_TRUE(fabs(estimate - (pass ? 0 : gap)) <= 1e-6 * gap);
  }
}

/* Large enough to be swept in shards: the dual of the joined moves rises, to the same bits on any number of threads. */
UNIT_TEST(joined_passes_rise_alike_on_all_threads)
{
  enum { QUERIES = 6000, WIDTH = 200, PASSES = 2 };
  static const size_t threads[] = {1, 2, 3, 8};
  double C = 1e-3, first[PASSES];
  for (size_t run = 0; run < sizeof threads / sizeof *threads; run++) {
    double before = 0, gap = 0, duals[PASSES];
    DORM__AT_END(training_problem_free) training_problem made;
    case_new(QUERIES, WIDTH, threads[run], (dorm__bounds){NULL, NULL}, &made);
    CU_ASSERT_EQUAL(made.set->num_shards, 4);
    CU_ASSERT_EQUAL(made.set->num_threads, threads[run] < 4 ? threads[run] : 4);
    for (size_t pass = 0; pass < PASSES; pass++) {
      UNIT_OK(made.context, dorm__working_set_pass(made.context, made.set, C, 0, &gap));
      duals[pass] = training_problem_dual(&made, C);
      CU_ASSERT_TRUE(duals[pass] > before);
      UNIT_CLOSE(duals[pass], dorm__working_set_dual(made.set), 1e-9);
      before = duals[pass];
    }
    CU_ASSERT_TRUE(before <= primal_by_hand(&made, made.set->w, C));
    const dorm__thread *thread = &made.problem->workers.threads[0];
    CU_ASSERT_TRUE(thread->num_joins >= PASSES && thread->num_barriers == (run ? thread->num_joins : 0));
    if (!run)
      memcpy(first, duals, sizeof first);
    CU_ASSERT_EQUAL(memcmp(first, duals, sizeof first), 0);
  }
}

/* Scores kept at a point equal the scores of the point. */
UNIT_TEST(kept_scores_are_those_of_the_point)
{
  enum { WIDTH = 6 };
  DORM__AT_END(training_problem_free) training_problem made;
  case_new(20, WIDTH, 1, (dorm__bounds){NULL, NULL}, &made);
  dorm__thread *thread = dorm__problem_thread(made.problem);
  dorm__random random = unit_random(1);
  double w[2][WIDTH];
  for (size_t f = 0; f < 2 * WIDTH; f++)
    w[f / WIDTH][f % WIDTH] = dorm__random_normal(&random);
  static const size_t turns[] = {0, 0, 1, 0, 1, 1};
  for (size_t turn = 0; turn < 6; turn++) {
    const double *at = w[turns[turn]];
    dorm__scored_point_move(made.point, at);
    for (size_t i = turn % 2; i < made.problem->num_queries; i += 1 + turn % 2) {
      size_t first = made.dataset->query_start[made.problem->queries[i]];
      for (size_t k = 0; k < 2; k++) { /* unknown or known; known */
        dorm__scored_point_query(made.point, i, thread);
        for (size_t j = 0; j < DOCS; j++) {
          double score = 0;
          for (size_t f = 0; f < WIDTH; f++)
            score += (double)dorm_dataset_value(made.dataset, first + j, f) * at[f];
          UNIT_CLOSE(thread->scores[j], score, 1e-12);
        }
      }
    }
    const double *all = dorm__scored_point_scores(made.point);
    double last = 0;
    for (size_t f = 0; f < WIDTH; f++)
      last += (double)dorm_dataset_value(made.dataset, made.dataset->num_docs - 1, f) * at[f];
    UNIT_CLOSE(all[made.dataset->num_docs - 1], last, 1e-12);
  }
}

/* So are those by the functions of the first positions, also if all queries were asked for before the first one. */
UNIT_TEST(kept_scores_are_those_of_every_function)
{
  enum { WIDTH = 3, OWN = 2, QUERIES = 12 };
  DORM__AT_END(training_problem_free) training_problem made;
  dorm_context *context = unit_context();
  training_problem_new(context, random_queries(context, QUERIES, WIDTH), "ndcg", "power:0.5", 1, &made);
  dorm__position_weights weights = {.kind = DORM__WEIGHTS_POWER, .exponent = 0.5};
  dorm__problem_options options = {.position_weights = &weights, .num_threads = 1, .num_own = OWN};
  dorm__problem *problem = NULL;
  dorm__scored_point *point = NULL;
  double w[(1 + OWN) * WIDTH];
  UNIT_OK(context, dorm__problem_new(context, made.dataset, &made.features, made.tables, &options, &problem));
  UNIT_OK(context, dorm__scored_point_new(context, problem, &point));
  dorm__thread *thread = dorm__problem_thread(problem);
  dorm__random random = unit_random(0);
  for (size_t turn = 0; turn < 6; turn++) {
    for (size_t f = 0; f < (1 + OWN) * WIDTH; f++)
      w[f] = dorm__random_normal(&random);
    dorm__scored_point_move(point, w);
    if (turn % 2)
      dorm__scored_point_scores(point);
    for (size_t i = 0; i < problem->num_queries; i++) {
      size_t first = made.dataset->query_start[problem->queries[i]];
      dorm__scored_point_query(point, i, thread);
      for (size_t p = 0; p <= OWN; p++)
        for (size_t j = 0; j < DOCS; j++) {
          double score = 0;
          for (size_t f = 0; f < WIDTH; f++)
            score += (double)dorm_dataset_value(made.dataset, first + j, f) * w[p * WIDTH + f];
          UNIT_CLOSE(thread->scores[p * DOCS + j], score, 1e-12);
        }
    }
  }
  dorm__scored_point_free(point);
  dorm__problem_free(problem);
}
