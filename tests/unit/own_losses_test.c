/*
 * own_losses_test.c: losses of the calling program (dorm_loss_register), and the assignment oracle alone
 * (dorm_most_violated) against all rankings of small queries.
 */
#include "tests/unit/training_cases.h"

enum { MOST_DOCS = 7, TOP = 10 };

/* ---- Losses as a program would write them -------------------------------------------- */

/* NDCG@10, by the formulas of Jarvelin and Kekalainen. `user` counts the calls. */
static void ndcg_tables(size_t num_docs, const double *labels, double *a, double *b)
{
  double sorted[64], ideal = 0;
  for (size_t j = 0; j < num_docs; j++) {
    a[j] = j < TOP ? 1 / log2((double)j + 2) : 0;
    b[j] = exp2(labels[j]) - 1;
    size_t place = j;
    for (; place > 0 && sorted[place - 1] < b[j]; place--)
      sorted[place] = sorted[place - 1];
    sorted[place] = b[j];
  }
  for (size_t p = 0; p < num_docs; p++)
    ideal += a[p] * sorted[p];
  for (size_t j = 0; j < num_docs; j++)
    b[j] = ideal > 0 ? b[j] / ideal : 0;
}

static int fill_ndcg(const dorm_host *host, const void *state, const dorm_loss_query *query, double *a, double *b)
{
  size_t *calls = host->user;
  if (state || !calls || query->num_docs > 64)
    return host->fail(host, "%zu documents are more than 64", query->num_docs);
#pragma omp atomic
  ++*calls;
  ndcg_tables(query->num_docs, query->labels, a, b);
  return 0;
}

/* A loss of general costs: how far a document is from the position that its label asks for. */
static double cost_at(double label, size_t position)
{
  return label * fabs((double)position - 0.5 * label) + (position == 1 ? 0.25 : 0);
}

static int fill_distance(const dorm_host *host, const void *state, const dorm_loss_query *query, double *cost)
{
  (void)host;
  (void)state;
  for (size_t j = 0; j < query->num_docs; j++)
    for (size_t p = 0; p < query->num_docs; p++)
      cost[j * query->num_docs + p] = cost_at(query->labels[j], p);
  return 0;
}

static int fill_rising(const dorm_host *host, const void *state, const dorm_loss_query *query, double *a, double *b)
{
  (void)host;
  (void)state;
  for (size_t j = 0; j < query->num_docs; j++) {
    a[j] = (double)j;
    b[j] = query->labels[j];
  }
  return 0;
}

static const dorm_loss_module own_ndcg = {.abi = DORM_PLUGIN_ABI,
                                          .struct_size = sizeof(dorm_loss_module),
                                          .name = "own_ndcg",
                                          .help = "1 - NDCG@10",
                                          .fill_product = fill_ndcg};
static const dorm_loss_module own_distance = {.abi = DORM_PLUGIN_ABI,
                                              .struct_size = sizeof(dorm_loss_module),
                                              .name = "own_distance",
                                              .help = "distances",
                                              .fill_costs = fill_distance};

/* ---- Registering ------------------------------------------------------------------------ */

static void compare_models(const dorm_training *one, const dorm_training *other)
{
  CU_ASSERT_TRUE(unit_same_weights(one, other));
  CU_ASSERT_EQUAL(dorm_training_num_candidates(one), dorm_training_num_candidates(other));
  for (size_t i = 0; i < dorm_training_num_candidates(one); i++) {
    const dorm_certificate *x = training_certificate(one, i);
    const dorm_certificate *y = training_certificate(other, i);
    CU_ASSERT_EQUAL(x->iterations, y->iterations);
    CU_ASSERT_TRUE(x->iterations ? x->primal == y->primal && x->dual == y->dual : isnan(x->primal) && isnan(y->dual));
  }
}

UNIT_TEST_IN(context, an_own_ndcg_trains_the_model_of_the_built_in_one)
{
  size_t calls = 0;
  DORM__OWNED(dorm_dataset) *train = training_artificial_data(context, 1, 30);
  DORM__OWNED(dorm_dataset) *validation = training_artificial_data(context, 2, 30);
  UNIT_OK(context, dorm_loss_register(context, &own_ndcg, &calls));
  CU_ASSERT_TRUE(calls > 50); /* the self-check */
  for (size_t i = 0; i < 2; i++) {
    const dorm_dataset *chosen_by = i ? validation : NULL;
    const char *own[] = {"loss.name", "own_ndcg", "solver.C", "1, 30", "selection.average", "1", NULL};
    const char *built_in[] = {"loss.name", "ndcg", "solver.C", "1, 30", "selection.average", "1", NULL};
    DORM__OWNED(dorm_training) *one = training_run(context, own, DORM_OK, train, chosen_by);
    DORM__OWNED(dorm_training) *other = training_run(context, built_in, DORM_OK, train, chosen_by);
    compare_models(one, other);
  }
}

UNIT_TEST_IN(context, a_model_of_an_own_loss_is_scored_without_it)
{
  DORM__OWNED(dorm_context) *stranger = unit_context();
  size_t calls = 0, size;
  double scores[2][200];
  char *text = NULL;
  DORM__OWNED(dorm_model) *model = NULL;
  dorm_loss *loss = NULL;
  DORM__OWNED(dorm_dataset) *train = training_artificial_data(context, 1, 10);
  UNIT_OK(context, dorm_loss_register(context, &own_ndcg, &calls));
  const char *pairs[] = {"loss.name", "own_ndcg", NULL};
  DORM__OWNED(dorm_training) *training = training_run(context, pairs, DORM_OK, train, NULL);
  UNIT_OK(context, dorm_model_to_text(context, dorm_training_model(training), &text, &size));
  CU_ASSERT_PTR_NOT_NULL(strstr(text, "setting loss.name = own_ndcg\n"));
  CU_ASSERT_PTR_NOT_NULL(strstr(text, "the loss own_ndcg was one of the program that trained"));
  UNIT_OK(stranger, dorm_model_from_text(stranger, text, size, &model));
  UNIT_OK(stranger, dorm_model_score(stranger, model, train, 1, scores[0]));
  UNIT_OK(context, dorm_model_score(context, dorm_training_model(training), train, 1, scores[1]));
  CU_ASSERT_EQUAL(memcmp(scores[0], scores[1], sizeof scores[0]), 0);
  UNIT_FAILS(stranger, dorm_loss_open(stranger, "own_ndcg", &loss), DORM_BAD_USAGE, "unknown loss 'own_ndcg'");
  UNIT_OK(context, dorm_loss_open(context, "own_ndcg", &loss));
  CU_ASSERT_STRING_EQUAL(dorm_loss_describe(loss)->help, "1 - NDCG@10");
  dorm_loss_close(loss);
  dorm_text_free(text);
}

UNIT_TEST_IN(context, measures_and_gradients_take_own_losses)
{
  size_t calls = 0;
  double scores[200], lambdas[2][200], curvature[200];
  DORM__OWNED(dorm_dataset) *data = training_artificial_data(context, 3, 10);
  dorm_evaluation one = {.struct_size = sizeof one};
  dorm_evaluation other = one;
  for (size_t j = 0; j < 200; j++)
    scores[j] = dorm_dataset_value(data, j, 1);
  UNIT_OK(context, dorm_loss_register(context, &own_ndcg, &calls));
  UNIT_OK(context, dorm_evaluate(context, "minus_loss(own_ndcg)", data, scores, NULL, &one));
  UNIT_OK(context, dorm_evaluate(context, "ndcg@10", data, scores, NULL, &other));
  UNIT_CLOSE(one.mean, other.mean - 1, 1e-12);
  CU_ASSERT_STRING_EQUAL(one.conventions, "minus_loss(own_ndcg)");
  CU_ASSERT_PTR_NOT_NULL(strstr(other.conventions, "ndcg"));
  UNIT_OK(context, dorm_lambdas(context, "ranknet-weight-pairs of minus_loss(own_ndcg)", data, scores, 2, lambdas[0],
                                curvature, NULL));
  UNIT_OK(context,
          dorm_lambdas(context, "ranknet-weight-pairs of ndcg@10", data, scores, 2, lambdas[1], curvature, NULL));
  for (size_t j = 0; j < 200; j++)
    UNIT_CLOSE(lambdas[0][j], lambdas[1][j], 1e-12);
}

UNIT_TEST_IN(context, bad_own_losses_are_refused)
{
  size_t calls = 0;
  dorm_loss *loss = NULL;
  dorm_loss_module bad = own_ndcg;
  bad.name = "ndcg";
  UNIT_BAD_USAGE(dorm_loss_register(context, &bad, &calls), "'ndcg' is built in");
  bad = own_ndcg;
  bad.name = "two words";
  UNIT_FAILS(context, dorm_loss_register(context, &bad, &calls), DORM_BAD_MODULE, "is not a word");
  bad = own_ndcg;
  bad.fill_costs = fill_distance;
  UNIT_FAILS(context, dorm_loss_register(context, &bad, &calls), DORM_BAD_MODULE, "exactly one of");
  bad = own_ndcg;
  bad.abi = 77;
  UNIT_FAILS(context, dorm_loss_register(context, &bad, &calls), DORM_BAD_MODULE, "interface 77");
  bad = own_ndcg;
  UNIT_FAILS(context, dorm_loss_register(context, &bad, NULL), DORM_BAD_MODULE, "loss 'own_ndcg': 1 documents");
  UNIT_BAD_USAGE(dorm_loss_open(context, "own_ndcg", &loss), "unknown loss");
  bad.fill_product = fill_rising;
  UNIT_FAILS(context, dorm_loss_register(context, &bad, &calls), DORM_BAD_MODULE, "of the positions increase");
  /* A good one stays when one of its name is refused, and gives way to a good one. */
  UNIT_OK(context, dorm_loss_register(context, &own_ndcg, &calls));
  UNIT_FAILS(context, dorm_loss_register(context, &bad, &calls), DORM_BAD_MODULE, "of the positions increase");
  UNIT_OK(context, dorm_loss_open(context, "own_ndcg", &loss));
  dorm_loss_close(loss);
  bad = own_distance;
  bad.name = "own_ndcg";
  UNIT_OK(context, dorm_loss_register(context, &bad, NULL));
  UNIT_OK(context, dorm_loss_open(context, "own_ndcg", &loss));
  CU_ASSERT_STRING_EQUAL(dorm_loss_describe(loss)->help, "distances");
  dorm_loss_close(loss);
}

UNIT_TEST_IN(context, a_failing_own_loss_ends_training)
{
  size_t calls = 0;
  char text[70 * 16 + 1] = "";
  for (size_t j = 0; j < 70; j++)
    snprintf(text + strlen(text), 16, "%d qid:1 1:%d\n", j % 2 == 0, (int)j % 7);
  DORM__OWNED(dorm_dataset) *data = unit_read_text(context, text);
  dorm_training *training = NULL;
  DORM__OWNED(dorm_settings) *settings = training_settings(context, UNIT_PAIRS("loss.name", "own_ndcg"));
  UNIT_OK(context, dorm_loss_register(context, &own_ndcg, &calls));
  UNIT_FAILS(context, dorm_train(context, settings, data, NULL, &training), DORM_BAD_MODULE,
             "70 documents are more than 64");
  CU_ASSERT_PTR_NULL(training);
}

/* ---- The most violated ranking ------------------------------------------------------------ */

/* One query, and what every ranking of it is worth. */
typedef struct small_query {
  size_t num_docs;
  double labels[MOST_DOCS], scores[MOST_DOCS], c[MOST_DOCS];
  bool is_general;
  double a[MOST_DOCS], b[MOST_DOCS];
} small_query;

static double cost_of(const small_query *query, const uint32_t *order)
{
  double sum = 0;
  for (size_t p = 0; p < query->num_docs; p++)
    sum += query->is_general ? cost_at(query->labels[order[p]], p) : -query->a[p] * query->b[order[p]];
  return sum;
}

static double score_of(const small_query *query, const uint32_t *order)
{
  double sum = 0;
  for (size_t p = 0; p < query->num_docs; p++)
    sum += query->c[p] * query->scores[order[p]];
  return sum;
}

static void compare_with_all_rankings(dorm_context *context, const char *loss, const char *weights,
                                      const small_query *query)
{
  uint32_t order[MOST_DOCS], small[MOST_DOCS];
  size_t found[MOST_DOCS];
  bool is_there[MOST_DOCS] = {false};
  double least = INFINITY, most = -INFINITY, value = NAN, delta = NAN;
  DORM__OWNED(dorm_dataset) *data = unit_one_query(context, query->num_docs, query->labels);
  for (size_t r = 0; unit_ranking(query->num_docs, r, order); r++) {
    least = fmin(least, cost_of(query, order));
    most = fmax(most, score_of(query, order) + cost_of(query, order));
  }
  UNIT_OK(context, dorm_most_violated(context, loss, data, weights, query->scores, found, &value, &delta));
  for (size_t p = 0; p < query->num_docs; p++) {
    CU_ASSERT_TRUE_FATAL(found[p] < query->num_docs && !is_there[found[p]]);
    is_there[found[p]] = true;
    small[p] = (uint32_t)found[p];
  }
  UNIT_CLOSE(value, most - least, 1e-10);
  UNIT_CLOSE(delta, cost_of(query, small) - least, 1e-10);
  UNIT_CLOSE(value, score_of(query, small) + delta, 1e-10);
}

static small_query draw_query(dorm__random *random, size_t num_docs, bool is_general, bool uses_loss)
{
  small_query query = {.num_docs = num_docs, .is_general = is_general};
  for (size_t j = 0; j < num_docs; j++) {
    query.labels[j] = (double)dorm__random_below(random, 5);
    query.scores[j] = ((double)dorm__random_below(random, 20) - 10) / 8; /* with ties */
  }
  ndcg_tables(num_docs, query.labels, query.a, query.b);
  for (size_t p = 0; p < num_docs; p++)
    query.c[p] = uses_loss ? query.a[p] : pow((double)p + 2, -0.5);
  return query;
}

UNIT_TEST_DRAWN(context, random, most_violated_rankings_are_those_of_enumeration)
{
  size_t calls = 0;
  UNIT_OK(context, dorm_loss_register(context, &own_ndcg, &calls));
  UNIT_OK(context, dorm_loss_register(context, &own_distance, NULL));
  for (size_t num_docs = 1; num_docs <= MOST_DOCS; num_docs++)
    for (size_t trial = 0; trial < 12; trial++) {
      small_query query = draw_query(random, num_docs, false, true);
      compare_with_all_rankings(context, "ndcg@10", NULL, &query);
      compare_with_all_rankings(context, "own_ndcg", "loss", &query);
      query = draw_query(random, num_docs, false, false);
      compare_with_all_rankings(context, "ndcg@10", "power:0.5", &query);
      query = draw_query(random, num_docs, true, false);
      compare_with_all_rankings(context, "own_distance", "power:0.5", &query);
    }
}

UNIT_TEST_IN(context, the_oracle_says_what_it_cannot_do)
{
  DORM__OWNED(dorm_dataset) *data = unit_read_text(context, "1 qid:1\n0 qid:1\n2 qid:7\n0 qid:7\n1 qid:7\n");
  double scores[5] = {0, 1, 3, 2, 1}, values[2];
  size_t order[5] = {9, 9, 9, 9, 9};
  UNIT_OK(context, dorm_loss_register(context, &own_distance, NULL));
  UNIT_BAD_USAGE(dorm_most_violated(context, "rsvm", data, NULL, scores, order, NULL, NULL), "not rankings");
  UNIT_BAD_USAGE(dorm_most_violated(context, "own_distance", data, NULL, scores, order, NULL, NULL), "power:0.5");
  UNIT_BAD_USAGE(dorm_most_violated(context, "ndcg@10", data, "steep", scores, order, NULL, NULL), "steep");
  UNIT_BAD_USAGE(dorm_most_violated(context, "ngcd", data, NULL, scores, order, NULL, NULL), "ndcg");
  UNIT_OK(context, dorm_most_violated(context, "ndcg@10", data, NULL, scores, order, values, NULL));
  CU_ASSERT_TRUE(order[0] < 2 && order[0] + order[1] == 1 && order[2] + order[3] + order[4] == 3);
  scores[3] = INFINITY;
  UNIT_FAILS(context, dorm_most_violated(context, "ndcg@10", data, NULL, scores, order, values, NULL),
             DORM_NUMERICAL_FAILURE, "query '7'");
}
