/*
 * nets_test.c: nets against plain loops over units and features, back-propagation against finite differences of a cost,
 * the two schedules against their formulas, training on data that a net can rank perfectly, and the part of a model.
 */
#include "tests/unit/training_cases.h"

/* ---- Cases ------------------------------------------------------------------------------- */

/* Random rows, a λ-function and random weights. */
typedef struct net_case {
  dorm_context *context;
  dorm_dataset *dataset;
  dorm__features rows; /* borrows the values of the data set */
  dorm__lambda *lambda;
  dorm__net net;
  size_t *queries; /* [num_queries] all of them */
} net_case;

static void case_new(size_t num_queries, size_t docs_each, size_t width, size_t hidden, const char *lambda,
                     net_case *made)
{
  *made = (net_case){.context = unit_context()};
  made->dataset = unit_artificial(made->context, num_queries, docs_each, width, 0.3, unit_seed() % 1000, 1);
  made->rows =
      (dorm__features){.num_docs = made->dataset->num_docs, .num_features = width, .values = made->dataset->values};
  UNIT_OK(made->context, dorm__lambda_open(made->context, lambda, NULL, made->dataset, 1, &made->lambda));
  UNIT_OK(made->context, dorm__net_new(made->context, width, hidden, &made->net));
  dorm__random random = unit_random(0);
  for (size_t i = 0; i < dorm__net_size(width, hidden); i++)
    made->net.weights[i] = dorm__random_normal(&random);
  made->queries = dorm__alloc(num_queries, sizeof *made->queries);
  for (size_t q = 0; q < num_queries; q++)
    made->queries[q] = q;
}

static void case_free(net_case *made)
{
  dorm__free(made->queries);
  dorm__net_clear(&made->net);
  dorm__lambda_close(made->lambda);
  dorm_dataset_free(made->dataset);
  dorm_context_free(made->context);
}

/* The score of one document by the formula. */
static double plain_score(const dorm__net *net, const float *row)
{
  double score = 0;
  for (size_t f = 0; !net->hidden && f < net->width; f++)
    score += net->weights[f] * (double)row[f];
  for (size_t k = 0; k < net->hidden; k++) {
    double input = net->weights[net->hidden * (net->width + 1) + k];
    for (size_t f = 0; f < net->width; f++)
      input += net->weights[k * net->width + f] * (double)row[f];
    score += net->weights[net->hidden * net->width + k] * tanh(input);
  }
  return score;
}

/* A net draws the weights of a unit as z / sqrt(sum over features of variance), where z is standard normal whatever the
 * feature, and the weights of units as z / sqrt(units). Thresholds make the mean input 0. */
UNIT_TEST(weights_are_drawn_for_inputs_of_one_size)
{
  enum { WIDTH = 4, HIDDEN = 3000 };
  DORM__AT_END(case_free) net_case at;
  double mean[WIDTH] = {0}, sum_of_variances = 0, square[WIDTH + 1] = {0};
  case_new(5, 9, WIDTH, HIDDEN, "ranknet", &at);
  size_t n = at.rows.num_docs;
  for (size_t j = 0; j < n * WIDTH; j++) /* features of sizes 0.7, 0.5, 0.3 and 0.1 */
    at.dataset->values[j] *= 0.1f * (float)(7 - 2 * (j % WIDTH));
  for (size_t f = 0; f < WIDTH; f++) {
    double squares = 0;
    for (size_t j = 0; j < n; j++) {
      double value = (double)at.dataset->values[j * WIDTH + f];
      mean[f] += value / (double)n;
      squares += value * value / (double)n;
    }
    sum_of_variances += squares - mean[f] * mean[f];
  }
  dorm__random random = unit_random(0);
  UNIT_OK(at.context, dorm__net_draw(at.context, &at.rows, &random, &at.net));
  for (size_t k = 0; k < HIDDEN; k++) {
    double input = at.net.weights[HIDDEN * (WIDTH + 1) + k];
    for (size_t f = 0; f < WIDTH; f++) {
      double weight = at.net.weights[k * WIDTH + f];
      input += weight * mean[f];
      square[f] += weight * weight * sum_of_variances / HIDDEN;
    }
    square[WIDTH] += pow(at.net.weights[HIDDEN * WIDTH + k], 2);
    CU_ASSERT_TRUE(fabs(input) < 1e-9);
  }
  for (size_t f = 0; f <= WIDTH; f++) /* the mean of 3000 squares: 1 and five deviations of sqrt(2 / 3000) */
    CU_ASSERT_TRUE(fabs(square[f] - 1) < 5 * sqrt(2.0 / HIDDEN));
}

/* The sum of the costs of all queries, at scores by the formula. */
static double plain_cost(const net_case *at)
{
  double sum = 0;
  dorm__lambda_workspace *workspace = NULL;
  UNIT_OK(at->context, dorm__lambda_workspace_new(at->context, at->lambda, &workspace));
  for (size_t q = 0; q < at->dataset->num_queries; q++) {
    double scores[64], lambdas[64], curvature[64], cost;
    size_t first = at->dataset->query_start[q];
    for (size_t j = first; j < at->dataset->query_start[q + 1]; j++)
      scores[j - first] = plain_score(&at->net, at->dataset->values + j * at->net.width);
    UNIT_OK(at->context, dorm__lambda_at(at->context, at->lambda, q, scores, workspace,
                                         &(const dorm__lambda_result){lambdas, curvature, &cost, NULL}));
    sum += cost;
  }
  dorm__lambda_workspace_free(workspace);
  return sum;
}

static void slope_of(const net_case *at, size_t num_threads, double *slope, dorm__net_pass *pass)
{
  dorm__net_gradient *gradient = NULL;
  UNIT_OK(at->context, dorm__net_gradient_new(at->context, at->dataset, &at->rows, at->lambda, at->net.hidden,
                                              num_threads, &gradient));
  UNIT_OK(at->context,
          dorm__net_slope(at->context, gradient, &at->net, at->dataset->num_queries, at->queries, slope, pass));
  dorm__net_gradient_free(gradient);
}

/* ---- Scores and slopes ---------------------------------------------------------------------- */

UNIT_TEST(scores_are_those_of_the_formula)
{
  enum { QUERIES = 40, DOCS = 37, NUM = QUERIES * DOCS, WIDTH = 9 };
  static double scores[NUM], again[NUM];
  for (size_t hidden = 0; hidden < 8; hidden += 7) {
    DORM__AT_END(case_free) net_case at;
    case_new(QUERIES, DOCS, WIDTH, hidden, "ranknet", &at);
    UNIT_OK(at.context, dorm__net_score(at.context, &at.net, &at.rows, 1, scores));
    for (size_t j = 0; j < NUM; j++)
      UNIT_CLOSE(scores[j], plain_score(&at.net, at.dataset->values + j * WIDTH), 1e-13);
    for (size_t num_threads = 2; num_threads < 4; num_threads++) {
      UNIT_OK(at.context, dorm__net_score(at.context, &at.net, &at.rows, num_threads, again));
      CU_ASSERT_EQUAL(memcmp(scores, again, sizeof scores), 0);
    }
  }
}

UNIT_TEST(slopes_are_finite_differences_of_the_cost)
{
  enum { QUERIES = 30, DOCS = 40, WIDTH = 6, MOST = 5 * (WIDTH + 2) };
  static const double step = 1e-5;
  static const char *const functions[] = {"ranknet", "softmax", "ranknet:sigma=2,alpha=0.01"};
  for (size_t i = 0; i < 6; i++) {
    DORM__AT_END(case_free) net_case at;
    dorm__net_pass pass;
    double slope[MOST], largest = 0;
    size_t hidden = i % 2 ? 5 : 0;
    size_t size = dorm__net_size(WIDTH, hidden);
    case_new(QUERIES, DOCS, WIDTH, hidden, functions[i / 2], &at);
    slope_of(&at, 1, slope, &pass);
    UNIT_CLOSE(pass.cost, plain_cost(&at), 1e-12);
    for (size_t w = 0; w < size; w++)
      largest = fmax(largest, fabs(slope[w]));
    for (size_t w = 0; w < size; w++) {
      double kept = at.net.weights[w];
      at.net.weights[w] = kept + step;
      double above = plain_cost(&at);
      at.net.weights[w] = kept - step;
      double below = plain_cost(&at);
      at.net.weights[w] = kept;
      CU_ASSERT_TRUE(fabs(slope[w] + (above - below) / (2 * step)) <= 1e-5 * fmax(fabs(slope[w]), 1e-3 * largest));
    }
  }
}

/* A sparse copy of the rows of a single layer has the same slope. */
UNIT_TEST(sparse_rows_have_the_same_slope)
{
  enum { QUERIES = 5, DOCS = 10, NUM = QUERIES * DOCS, WIDTH = 6 };
  static size_t row_start[NUM + 1];
  static uint32_t indices[NUM * WIDTH];
  static float values[NUM * WIDTH];
  DORM__AT_END(case_free) net_case at;
  dorm__net_pass pass;
  double dense[WIDTH], sparse[WIDTH];
  case_new(QUERIES, DOCS, WIDTH, 0, "ranknet", &at);
  for (size_t j = 0, end = 0; j < NUM; j++) {
    for (size_t f = 0; f < WIDTH; f++)
      if ((j + f) % 3 == 0)
        at.dataset->values[j * WIDTH + f] = 0;
      else {
        indices[end] = (uint32_t)f;
        values[end++] = at.dataset->values[j * WIDTH + f];
      }
    row_start[j + 1] = end;
  }
  slope_of(&at, 1, dense, &pass);
  at.rows.values = values;
  at.rows.row_start = row_start;
  at.rows.indices = indices;
  slope_of(&at, 1, sparse, &pass);
  for (size_t f = 0; f < WIDTH; f++)
    UNIT_CLOSE(dense[f], sparse[f], 1e-12);
}

/* ---- Descent ------------------------------------------------------------------------------- */

static dorm__descent *descent_of(const net_case *at, dorm__net_gradient *gradient, const dorm__descent_options *options)
{
  dorm__descent *descent = NULL;
  UNIT_OK(at->context, dorm__descent_new(at->context, gradient, at->dataset, &at->rows, &at->net, options, &descent));
  return descent;
}

/* Batches so large that their queries are shared between threads, and small ones. */
UNIT_TEST(the_same_seed_gives_the_same_bits)
{
  enum { QUERIES = 200, DOCS = 40, WIDTH = 50, HIDDEN = 10, EPOCHS = 2 };
  static const size_t batches[] = {0, 90, 7};
  static double weights[4][HIDDEN * (WIDTH + 2)];
  DORM__AT_END(case_free) net_case at;
  case_new(QUERIES, DOCS, WIDTH, HIDDEN, "ranknet-weight-pairs of ndcg@10", &at);
  for (size_t b = 0; b < 3; b++) {
    for (size_t run = 0; run < 4; run++) { /* 1, 2, 3 threads, then another seed */
      dorm__net_gradient *gradient = NULL;
      dorm__net_pass pass;
      dorm__descent_options options = {
          .schedule = DORM__SCHEDULE_ADAM, .batch = batches[b], .rate = 0.01, .seed = run < 3 ? 5 : 6};
      UNIT_OK(at.context, dorm__net_gradient_new(at.context, at.dataset, &at.rows, at.lambda, HIDDEN,
                                                 run < 3 ? run + 1 : 1, &gradient));
      dorm__descent *descent = descent_of(&at, gradient, &options);
      for (size_t e = 0; e < EPOCHS; e++)
        UNIT_OK(at.context, dorm__descent_epoch(at.context, descent, &pass));
      memcpy(weights[run], dorm__descent_net(descent)->weights, sizeof weights[run]);
      dorm__descent_free(descent);
      dorm__net_gradient_free(gradient);
    }
    CU_ASSERT_EQUAL(memcmp(weights[0], weights[1], sizeof weights[0]), 0);
    CU_ASSERT_EQUAL(memcmp(weights[0], weights[2], sizeof weights[0]), 0);
    CU_ASSERT_EQUAL(memcmp(weights[0], weights[3], sizeof weights[0]) == 0, batches[b] == 0);
  }
}

/* Both schedules with one batch, against their formulas. */
UNIT_TEST(steps_are_those_of_the_formulas)
{
  enum { QUERIES = 6, DOCS = 12, WIDTH = 4, HIDDEN = 3, SIZE = HIDDEN * (WIDTH + 2), STEPS = 4 };
  static const double rate = 0.05;
  for (int schedule = DORM__SCHEDULE_ADAM; schedule <= DORM__SCHEDULE_DONMEZ; schedule++) {
    DORM__AT_END(case_free) net_case at;
    dorm__net_gradient *gradient = NULL;
    dorm__net_pass pass;
    double m[SIZE] = {0}, u[SIZE] = {0}, slope[SIZE];
    dorm__descent_options options = {.schedule = (dorm__net_schedule)schedule, .rate = rate};
    case_new(QUERIES, DOCS, WIDTH, HIDDEN, "ranknet", &at);
    UNIT_OK(at.context, dorm__net_gradient_new(at.context, at.dataset, &at.rows, at.lambda, HIDDEN, 1, &gradient));
    dorm__descent *descent = descent_of(&at, gradient, &options);
    for (int t = 1; t <= STEPS; t++) {
      slope_of(&at, 1, slope, &pass);
      for (size_t i = 0; i < SIZE; i++) {
        double s = slope[i] / QUERIES;
        m[i] = 0.9 * m[i] + 0.1 * s;
        u[i] = 0.999 * u[i] + 0.001 * s * s;
        at.net.weights[i] += schedule == DORM__SCHEDULE_DONMEZ
                                 ? rate * s
                                 : rate * m[i] / (1 - pow(0.9, t)) / (sqrt(u[i] / (1 - pow(0.999, t))) + 1e-8);
      }
      UNIT_OK(at.context, dorm__descent_epoch(at.context, descent, &pass));
      for (size_t i = 0; i < SIZE; i++)
        UNIT_CLOSE(dorm__descent_net(descent)->weights[i], at.net.weights[i], 1e-9);
    }
    dorm__descent_free(descent);
    dorm__net_gradient_free(gradient);
  }
}

/* The length of the next step over the length of the slope. */
static double rate_of(const net_case *at, dorm__descent *descent)
{
  enum { MOST = 16 };
  double before[MOST], slope[MOST], moved = 0, length = 0;
  dorm__net_pass pass;
  net_case here = *at;
  here.net = *dorm__descent_net(descent);
  size_t size = dorm__net_size(here.net.width, here.net.hidden);
  memcpy(before, here.net.weights, size * sizeof *before);
  slope_of(&here, 1, slope, &pass);
  UNIT_OK(at->context, dorm__descent_epoch(at->context, descent, &pass));
  for (size_t i = 0; i < size; i++) {
    moved += pow(dorm__descent_net(descent)->weights[i] - before[i], 2);
    length += pow(slope[i] / (double)at->dataset->num_queries, 2);
  }
  return sqrt(moved / length);
}

/* Of many worse epochs about 3 in 10 lower the rate, by 0.8; better ones and equal ones never do. After 50 epochs of
 * equal value the weights are drawn anew, and the rate is the first one. */
UNIT_TEST(the_schedule_of_donmez_is_followed)
{
  enum { RUNS = 40, WORSE = 30 };
  static const double rate = 0.01;
  DORM__AT_END(case_free) net_case at;
  dorm__net_gradient *gradient = NULL;
  dorm__net_pass pass;
  double lowered = 0;
  case_new(4, 8, 3, 0, "ranknet", &at);
  UNIT_OK(at.context, dorm__net_gradient_new(at.context, at.dataset, &at.rows, at.lambda, 0, 1, &gradient));
  for (size_t run = 0; run < RUNS; run++) {
    dorm__descent_options options = {.schedule = DORM__SCHEDULE_DONMEZ, .rate = rate, .seed = run};
    dorm__descent *descent = descent_of(&at, gradient, &options);
    double value = 1;
    for (size_t e = 0; e <= WORSE; e++, value -= 0.01)
      UNIT_OK(at.context, dorm__descent_heed(at.context, descent, value, (double)e));
    double times = log(rate_of(&at, descent) / rate) / log(0.8);
    CU_ASSERT_TRUE(fabs(times - round(times)) < 1e-3);
    lowered += round(times);
    for (size_t e = 0; e < 50; e++)
      UNIT_OK(at.context, dorm__descent_heed(at.context, descent, value + 1 + (double)(e / 2), (double)e));
    UNIT_CLOSE(rate_of(&at, descent) / rate, pow(0.8, round(times)), 1e-3);
    double weight = dorm__descent_net(descent)->weights[0];
    for (size_t e = 0; e < 51; e++) {
      CU_ASSERT_EQUAL(dorm__descent_net(descent)->weights[0], weight);
      UNIT_OK(at.context, dorm__descent_heed(at.context, descent, value + 100, 0.5));
    }
    CU_ASSERT_NOT_EQUAL(dorm__descent_net(descent)->weights[0], weight);
    UNIT_CLOSE(rate_of(&at, descent) / rate, 1, 1e-6);
    UNIT_OK(at.context, dorm__descent_epoch(at.context, descent, &pass));
    dorm__descent_free(descent);
  }
  /* binomial: 1200 trials, mean 360, standard deviation 15.9 */
  CU_ASSERT_TRUE(fabs(lowered - 0.3 * RUNS * WORSE) < 6 * sqrt(RUNS * WORSE * 0.3 * 0.7));
  dorm__net_gradient_free(gradient);
}

/* ---- Training -------------------------------------------------------------------------------- */

/* Labels that rise with the first feature (a single layer separates them), or with its distance from 0. */
static dorm_dataset *separable(dorm_context *context, bool is_linear)
{
  enum { QUERIES = 12, DOCS = 9 };
  static float values[QUERIES * DOCS * 2];
  static double labels[QUERIES * DOCS];
  dorm__random random = unit_random(0);
  for (size_t j = 0; j < QUERIES * DOCS; j++) {
    double value = (double)(j % DOCS) / 4 - 1; /* -1 ... 1 in each query */
    double height = is_linear ? value + 1 : 2 * fabs(value);
    values[2 * j] = (float)value;
    values[2 * j + 1] = (float)dorm__random_uniform(&random);
    labels[j] = height > 1.6 ? 2 : height > 0.9 ? 1 : 0;
  }
  return unit_even_dataset(context, QUERIES, DOCS, 2, labels, values);
}

UNIT_TEST_IN(context, separable_data_are_ranked_perfectly)
{
  static const struct {
    const char *hidden, *start;
    bool is_linear;
  } cases[] = {{"0", "random", true}, {"0", "ridge", true}, {"8", "random", false}, {"8", "ridge", true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    DORM__OWNED(dorm_dataset) *dataset = separable(context, cases[i].is_linear);
    DORM__OWNED(dorm_settings) *settings = unit_svm(
        context, UNIT_PAIRS("training.trainer", "net", "net.hidden", cases[i].hidden, "net.start", cases[i].start,
                            "data.rank_block", "0", "net.epochs", "400", "training.patience", "0", "net.learning_rate",
                            "0.03, 0.1", "selection.measure", "ndcg", "selection.average", "1"));
    DORM__OWNED(dorm_training) *training = unit_train(context, settings, dataset, dataset);
    UNIT_CLOSE(dorm_training_validation(training), 1, 1e-12);
  }
}

/* A trained model has the scores of its net, and a rate that is far too large leaves the last good one. */
UNIT_TEST_IN(context, a_rate_too_large_leaves_the_last_good_net)
{
  static const char *const rates[] = {"1e200", "1e30", "1e200, 0.01"};
  DORM__OWNED(dorm_dataset) *dataset = training_artificial_data(context, 3, 10);
  for (size_t i = 0; i < 6; i++) {
    DORM__OWNED(dorm_settings) *settings = unit_svm(
        context, UNIT_PAIRS("training.trainer", "net", "net.hidden", i < 3 ? "4" : "0", "net.schedule", "donmez",
                            "net.epochs", "60", "data.rank_block", "0", "net.learning_rate", rates[i % 3]));
    DORM__OWNED(dorm_training) *training = NULL;
    double scores[200];
    dorm_status status = dorm_train(context, settings, dataset, i % 2 ? dataset : NULL, &training);
    CU_ASSERT_PTR_NOT_NULL_FATAL(training);
    if (i % 3 != 1)
      UNIT_FAILS(context, status, DORM_STOPPED, "left the range of numbers");
    UNIT_OK(context, dorm_model_score(context, dorm_training_model(training), dataset, 1, scores));
    for (size_t j = 0; j < 200; j++)
      CU_ASSERT_TRUE(isfinite(scores[j]));
  }
}

/* ---- The part of a model ------------------------------------------------------------------------ */

#define HEAD "dorm model 1\nnormalisation none\nrank_block 0\nfeature 3 0\nfeature 7 0\n"
#define PART "part net 2 0.5 2\nunit 1 0.25\nvalues 1 -2\nranks 0.5 0\nunit -0.5 0\nvalues 0 1\nranks 0 -3\n"

UNIT_TEST_IN(context, a_part_is_scored_and_read_back)
{
  static const char data[] = "1 qid:1 3:5 7:0\n0 qid:1 3:4 7:1\n0 qid:1 3:3 7:0.25\n";
  static const double rows[3][4] = {{5, 0, 0.5, 0}, {4, 1, 0.25, 0.5}, {3, 0.25, 0, 0.25}}; /* values, 0.5 mid-ranks */
  DORM__OWNED(dorm_dataset) *dataset = unit_read_text(context, data);
  DORM__OWNED(dorm_model) *model = NULL;
  double scores[3];
  const char *path = unit_temporary_file(HEAD PART "end 2\n");
  UNIT_OK(context, dorm_model_read(context, path, &model));
  UNIT_OK(context, dorm_model_score(context, model, dataset, 1, scores));
  for (size_t j = 0; j < 3; j++) {
    double expected =
        tanh(rows[j][0] - 2 * rows[j][1] + 0.5 * rows[j][2] + 0.25) - 0.5 * tanh(rows[j][1] - 3 * rows[j][3]);
    UNIT_CLOSE(scores[j], 2 * expected, 1e-14);
  }
  unit_reads_back(context, model, dataset);
  UNIT_BAD_DATA(dorm_model_export(context, model, "json", "m", NULL, path), "the model looks at ranks of features");
  CU_ASSERT_TRUE(dorm_model_needs_query(model));
}

UNIT_TEST_IN(context, damaged_parts_are_refused)
{
  static const unit_refusal bad[] = {
      {HEAD "part net 1 -1 2\n", "a rank block of 0 or more"},
      {HEAD "part net 1 0\n", "a number of hidden units"},
      {HEAD "part net 1 0 0\n", "a number of hidden units"},
      {HEAD "part net 1 0 1.5\n", "a number of hidden units"},
      {HEAD "part net 1 0 2 3\n", "a number of hidden units"},
      {HEAD "part net 1 0 1000000000\nunit 1 1\nvalues 1 1\nend 2\n", "expected a line 'unit', but found 'end'"},
      {HEAD "part net 1 0 1\nunit 1\n", "'unit' needs 2 finite numbers, and number 2 is none"},
      {HEAD "part net 1 0 1\nunit 1 inf\n", "'unit' needs 2 finite numbers, and number 2 is none"},
      {HEAD "part net 1 0 1\nunit 1 1 1\n", "'unit' has more than 2 numbers"},
      {HEAD "part net 1 0 1\nunit 1 1\nvalues 1\n", "'values' needs 2 finite numbers, and number 2 is none"},
      {HEAD "part net 1 0 1\nunit 1 1\nvalues 1 2 3\n", "'values' has more than 2 numbers"},
      {HEAD "part net 1 0.5 1\nunit 1 1\nvalues 1 2\nend 2\n", "expected a line 'ranks', but found 'end'"},
      {HEAD "part net 1 0.5 1\nunit 1 1\nvalues 1 2\nranks 1 nan\n", "'ranks' needs 2 finite numbers"},
      {HEAD PART, "end"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    unit_refuses_model(context, bad[i].given, bad[i].message);
}

/* Artificial data draw the coefficients of their polynomial first; weights that were drawn alike with the same seed
 * would rank the data before any training. */
UNIT_TEST(the_seed_of_data_says_nothing_of_a_net)
{
  enum { COUNT = 400 };
  double products[3] = {0};
  for (uint64_t seed = 1; seed < 4; seed++) {
    dorm__random data, net, again;
    dorm__random_seed(&data, seed);
    dorm__random_seed_for(&net, "net", seed);
    dorm__random_seed_for(&again, "net", seed);
    for (size_t i = 0; i < COUNT; i++) {
      double drawn = dorm__random_normal(&net);
      CU_ASSERT_EQUAL(dorm__random_normal(&again), drawn);
      products[seed - 1] += dorm__random_normal(&data) * drawn;
    }
    CU_ASSERT_TRUE(fabs(products[seed - 1]) < 5 * sqrt(COUNT)); /* of mean 0 and variance COUNT; alike: COUNT */
  }
}
