/* diverse_training_test.c: training whose rankings respect groups, against enumeration. */
#include "tests/unit/training_cases.h"

enum { TRAIN_QUERIES = 6, TRAIN_DOCS = 5, TRAIN_TOP = 3 };

/* The first three documents of a query are of one group; the others of any, or of
 * two more. */
static dorm_dataset *draw_training(dorm_context *context, dorm__random *random, bool has_three)
{
  enum { NUM_DOCS = TRAIN_QUERIES * TRAIN_DOCS, WIDTH = 3 };
  size_t members[NUM_DOCS + 1];
  uint32_t groups[NUM_DOCS];
  double labels[NUM_DOCS];
  float values[NUM_DOCS * WIDTH];
  for (size_t j = 0; j <= NUM_DOCS; j++)
    members[j] = j;
  for (size_t j = 0; j < NUM_DOCS; j++) {
    labels[j] = (double)dorm__random_below(random, 3);
    groups[j] = (uint32_t)(j % TRAIN_DOCS < 3 ? 0 : has_three ? j % TRAIN_DOCS : dorm__random_below(random, 3));
    for (size_t f = 0; f < WIDTH; f++)
      values[j * WIDTH + f] = (float)(dorm__random_normal(random) + 0.5 * labels[j] * (double)(f == 0));
  }
  dorm_dataset *dataset = unit_even_dataset(context, TRAIN_QUERIES, TRAIN_DOCS, WIDTH, labels, values);
  UNIT_OK(context, dorm_dataset_set_groups(context, dataset, members, groups, NULL));
  return dataset;
}

/* The values over all rankings that respect the groups. */
typedef struct enumeration {
  double least_cost, worst, best_reference; /* min cost; max <w, Phi> + Delta; max <w, Phi> - mu Delta */
} enumeration;

static enumeration enumerate(const dorm__problem *problem, size_t query, const double *g, double minimum, double mu)
{
  const dorm__query_loss *loss = dorm__problem_loss(problem, query);
  enumeration found = {INFINITY, -INFINITY, -INFINITY};
  uint32_t order[TRAIN_DOCS];
  for (size_t r = 0; unit_ranking(TRAIN_DOCS, r, order); r++) {
    if (!dorm__groups_allow(&problem->groups[query].groups, loss->num_docs, order))
      continue;
    double cost = 0, score = 0;
    for (size_t p = 0; p < TRAIN_DOCS; p++) {
      cost -= loss->a[p] * loss->b[order[p]];
      score += problem->c[query][p] * g[order[p]];
    }
    found.least_cost = fmin(found.least_cost, cost);
    found.worst = fmax(found.worst, score + cost - minimum);
    found.best_reference = fmax(found.best_reference, score - mu * (cost - minimum));
  }
  return found;
}

/* Loss, most violated ranking and references against all feasible rankings. */
UNIT_TEST_IN(context, loss_and_rankings_of_training_are_of_those_that_respect_the_groups)
{
  static const char *const references[] = {"listed", "averaged", "ideal", "current", "mu:0.7"};
  dorm__random random = unit_random(7);
  DORM__OWNED(dorm_settings) *settings =
      unit_defaults(context, UNIT_PAIRS("training.trainer", "svm", "diversity.groups", "given"));
  dorm__diversity diversity = dorm__diversity_from(settings, TRAIN_TOP);
  CU_ASSERT_TRUE(diversity.is_on && diversity.top == TRAIN_TOP);
  int step = dorm__has_glpk() ? 1 : 2; /* weights that do not follow the loss need its mixed-integer programme */
  for (int i = 0; i < 40; i += step) {
    static const char *const weights[] = {"loss", "file:"};
    const char *path = unit_temporary_file("1\n0.8\n0.1\n");
    DORM__OWNED(dorm_dataset) *dataset = draw_training(context, &random, i % 4 == 0);
    DORM__AT_END(dorm__feature_map_clear) dorm__feature_map map;
    DORM__AT_END(dorm__features_free) dorm__features features;
    dorm__problem *problem = NULL;
    dorm__scored_point *point = NULL;
    double w[3];
    for (size_t f = 0; f < 3; f++)
      w[f] = dorm__random_normal(&random);
    UNIT_OK(context, dorm__feature_map_from(context, settings, dataset, &map));
    UNIT_OK(context, dorm__features_build(context, dataset, &map, 1, &features));
    DORM__OWNED(dorm__loss) *loss = unit_loss(context, "dcg@3");
    DORM__OWNED(dorm__loss_tables) *tables = unit_tables(context, loss, dataset, 1);
    training_problem_make(context, dataset, &features, tables, unit_text("%s%s", weights[i % 2], i % 2 ? path : ""),
                          &diversity, 1, &problem, &point);
    for (size_t q = 0; q < problem->num_queries; q++) {
      const dorm__query_loss *of_query = dorm__problem_loss(problem, q);
      dorm__thread *thread = &problem->workers.threads[0];
      double g[TRAIN_DOCS], delta = 0, value = 0;
      const double *positions = NULL;
      for (size_t j = 0; j < TRAIN_DOCS; j++)
        dorm__features_score(&features, problem->queries[q] * TRAIN_DOCS + j, 1, w, &g[j]);
      enumeration found = enumerate(problem, q, g, of_query->minimum, 0.7);
      UNIT_CLOSE(found.least_cost, of_query->minimum, 1e-12);
      UNIT_OK(context, dorm__output_violation(problem, q, NULL, w, thread,
                                              &(const dorm__violation){&positions, &delta, &value}));
      UNIT_CLOSE(value, found.worst, 1e-9);
      CU_ASSERT_TRUE(dorm__groups_allow(&problem->groups[q].groups, TRAIN_DOCS, thread->order));
      for (size_t r = 0; r < sizeof references / sizeof *references; r++) {
        dorm__reference reference = dorm__reference_from(references[r]);
        DORM__AT_END(dorm__vector_clear) dorm__vector phi = {0};
        double reference_loss = NAN;
        UNIT_OK(context, training_reference_at(problem, point, &reference, q, w, &phi, &reference_loss));
        if (reference.kind != DORM__REFERENCE_AVERAGED)
          CU_ASSERT_TRUE(dorm__groups_allow(&problem->groups[q].groups, TRAIN_DOCS, thread->order));
        if (reference.kind == DORM__REFERENCE_LISTED)
          CU_ASSERT_TRUE(dorm__query_loss_of(of_query, thread->order) <= 1e-12);
        if (reference.kind == DORM__REFERENCE_IDEAL)
          CU_ASSERT_TRUE(reference_loss <= 1e-9);
        if (strcmp(references[r], "mu:0.7") == 0)
          UNIT_CLOSE(dorm__vector_dot(&phi, w) - 0.7 * reference_loss, found.best_reference, 1e-9);
      }
    }
    dorm__scored_point_free(point);
    dorm__problem_free(problem);
  }
}

/* The same convex problem by each method: values between each other's bounds. */
UNIT_TEST_IN(context, training_ends_at_the_same_optimum_by_every_oracle)
{
  static const char *const oracles[] = {"shortcut", "lp", "mip", "auto"};
  dorm__random random = unit_random(8);
  DORM__OWNED(dorm_dataset) *dataset = draw_training(context, &random, true);
  double primal[4] = {0}, dual[4] = {0};
  for (size_t i = 0; i < 4; i++) {
    if (!dorm__has_glpk() && (i == 1 || i == 2))
      continue;
    DORM__OWNED(dorm_training) *training = NULL;
    const char *set[] = {"diversity.groups", "given", "solver.oracle",     oracles[i], "loss.name",      "ndcg@3",
                         "solver.C",         "10",    "ranking.reference", "ideal",    "ranking.rounds", "1",
                         "solver.gap",       "1e-6",  "solver.threads",    "1"};
    DORM__OWNED(dorm_settings) *settings = unit_defaults(context, UNIT_PAIRS("training.trainer", "svm"));
    for (size_t s = 0; s < sizeof set / sizeof *set; s += 2)
      UNIT_OK(context, dorm_settings_set(context, settings, set[s], set[s + 1]));
    UNIT_OK(context, dorm_train(context, settings, dataset, NULL, &training));
    const dorm_candidate *last = dorm_training_candidate(training, dorm_training_num_candidates(training) - 1);
    primal[i] = last->certificate.primal;
    dual[i] = last->certificate.dual;
    CU_ASSERT_TRUE(last->certificate.gap <= 1e-6);
    CU_ASSERT_STRING_EQUAL(dorm_model_setting(dorm_training_model(training), "diversity.top"), "3");
    for (size_t k = 0; k < i; k++)
      CU_ASSERT_TRUE(primal[k] == 0 || (primal[i] >= dual[k] - 1e-9 && primal[k] >= dual[i] - 1e-9));
  }
}

/* Ambiguous queries whose pages of one host are a group. */
static dorm_dataset *ambiguous(dorm_context *context, const dorm_settings *settings, uint64_t seed)
{
  dorm_dataset *dataset = NULL;
  UNIT_OK(context, dorm_dataset_generate_ambiguous(context, 12, seed, &dataset));
  UNIT_OK(context, dorm_dataset_read_groups(context, dataset, settings));
  return dataset;
}

/* The epoch of a net that is kept has the best value of diverse rankings among the nets after each epoch, which a
 * training without validation data makes. */
UNIT_TEST_IN(context, epochs_are_chosen_by_diverse_rankings)
{
  enum { EPOCHS = 15 };
  DORM__OWNED(dorm_settings) *settings =
      unit_svm(context, UNIT_PAIRS("training.trainer", "net", "net.hidden", "0", "training.seed", "1",
                                   "training.patience", "0", "training.lambda", "dorm", "data.rank_block", "0",
                                   "net.start", "ridge", "diversity.groups", "host", "selection.measure", "ndcg@10"));
  DORM__OWNED(dorm_dataset) *train = ambiguous(context, settings, unit_seed());
  DORM__OWNED(dorm_dataset) *validation = ambiguous(context, settings, unit_seed() + 1);
  DORM__FREED double *scores = unit_alloc(validation->num_docs, sizeof *scores);
  double best = -1;
  size_t best_epoch = 0;
  for (size_t epochs = 1; epochs <= EPOCHS; epochs++) {
    UNIT_OK(context, dorm_settings_set(context, settings, "net.epochs", unit_text("%zu", epochs)));
    DORM__OWNED(dorm_training) *training = unit_train(context, settings, train, NULL);
    UNIT_OK(context, dorm_model_score(context, dorm_training_model(training), validation, 1, scores));
    UNIT_OK(context, dorm_diversify(context, settings, validation, scores, scores));
    double mean_value = unit_evaluate(context, "ndcg@10", validation, scores);
    if (mean_value > best + 1e-9) {
      best = mean_value;
      best_epoch = epochs;
    }
  }
  DORM__OWNED(dorm_training) *training = unit_train(context, settings, train, validation);
  CU_ASSERT_EQUAL(dorm_training_candidate(training, 0)->round, best_epoch);
  UNIT_CLOSE(dorm_training_candidate(training, 0)->validation, best, 1e-9);
}

#ifdef HAVE_GLPK
enum { HARD_QUERIES = 8, HARD_DOCS = 16, HARD_GROUPS = 12, HARD_WIDTH = 3 };

/* Every document is in about five of twelve groups, with weights of which two or three fill a group: the linear
 * programme has no whole solution. */
static dorm_dataset *draw_hard_groups(dorm_context *context, dorm__random *random)
{
  enum { COUNT = HARD_QUERIES * HARD_DOCS };
  size_t members[COUNT + 1] = {0}, count = 0;
  uint32_t groups[COUNT * HARD_GROUPS];
  double labels[COUNT], weights[COUNT * HARD_GROUPS];
  float values[COUNT * HARD_WIDTH];
  for (size_t j = 0; j < COUNT; j++) {
    labels[j] = (double)dorm__random_below(random, 3);
    for (size_t f = 0; f < HARD_WIDTH; f++)
      values[j * HARD_WIDTH + f] = (float)dorm__random_normal(random);
    for (uint32_t s = 0; s < HARD_GROUPS; s++)
      if (j % HARD_GROUPS == s || dorm__random_below(random, 3) == 0) {
        groups[count] = s;
        weights[count++] = 0.2 + 0.6 * dorm__random_uniform(random);
      }
    members[j + 1] = count;
  }
  dorm_dataset *dataset = unit_even_dataset(context, HARD_QUERIES, HARD_DOCS, HARD_WIDTH, labels, values);
  UNIT_OK(context, dorm_dataset_set_groups(context, dataset, members, groups, weights));
  return dataset;
}

/* The primal value of one pass at w where programmes have so many seconds, and of that pass where all of them are
 * solved to the end, by the definition: |w|^2 / 2 + C sum of max(0, worst violation - <reference, w>). */
static void primal_at(dorm_context *context, const dorm_dataset *dataset, double seconds, double *w, double *primal,
                      double *whole)
{
  const double C = 2;
  dorm__features features = {.num_docs = dataset->num_docs, .num_features = HARD_WIDTH, .values = dataset->values};
  dorm__diversity diversity = {true, 3, 1.1, DORM__GROUPS_MIP, seconds},
                  unlimited = {true, 3, 1.1, DORM__GROUPS_MIP, 0};
  dorm__problem *problem = NULL, *other = NULL;
  dorm__scored_point *point = NULL, *other_point = NULL;
  dorm__working_set *set = NULL;
  dorm_certificate certificate = {0};
  dorm__reference reference = dorm__reference_from("listed");
  dorm__cutting_plane_options options = {.C = C, .gap = 1e-9, .max_iterations = 1};
  DORM__OWNED(dorm__loss) *loss = unit_loss(context, "dcg@3");
  DORM__OWNED(dorm__loss_tables) *tables = unit_tables(context, loss, dataset, 1);
  training_problem_make(context, dataset, &features, tables, "loss", &diversity, 1, &problem, &point);
  training_problem_make(context, dataset, &features, tables, "loss", &unlimited, 1, &other, &other_point);
  UNIT_OK(context, dorm__working_set_new(context, problem, point, (dorm__bounds){0}, &set));
  UNIT_OK(context, dorm__working_set_set_reference(context, set, &reference, w));
  *whole = dorm__dot(HARD_WIDTH, w, w) / 2;
  for (size_t q = 0; q < problem->num_queries; q++) {
    const double *positions = NULL;
    double delta = 0, value = 0;
    UNIT_OK(context, dorm__output_violation(other, q, NULL, w, &other->workers.threads[0],
                                            &(const dorm__violation){&positions, &delta, &value}));
    value += dorm__problem_loss(other, q)->minimum - dorm__problem_loss(problem, q)->minimum;
    *whole += C * problem->weights[q] * fmax(0, value - dorm__vector_dot(&set->sets[q].reference, w));
  }
  UNIT_FAILS(context, dorm__cutting_plane(context, set, &options, w, &certificate), DORM_STOPPED,
             "after 1 oracle passes");
  *primal = certificate.primal;
  dorm__working_set_free(set);
  dorm__scored_point_free(point);
  dorm__scored_point_free(other_point);
  dorm__problem_free(problem);
  dorm__problem_free(other);
}

/* The possible loss by a programme that stopped early is part of the primal value, which stays an upper bound. */
UNIT_TEST_IN(context, programmes_that_stop_early_leave_an_upper_bound)
{
  dorm__random random = unit_random(9);
  double largest = 0;
  for (int i = 0; i < 4; i++) {
    DORM__OWNED(dorm_dataset) *dataset = draw_hard_groups(context, &random);
    double w[HARD_WIDTH], primal, whole;
    for (size_t f = 0; f < HARD_WIDTH; f++)
      w[f] = 0.3 * dorm__random_normal(&random);
    primal_at(context, dataset, 0, w, &primal, &whole);
    UNIT_CLOSE(primal, whole, 1e-7);
    primal_at(context, dataset, 1e-9, w, &primal, &whole);
    CU_ASSERT_TRUE(primal >= whole * (1 - 1e-7));
    largest = fmax(largest, primal / whole);
  }
  CU_ASSERT_TRUE(largest > 1 + 1e-3); /* some programme did stop early */
}
#endif
