/*
 * probe_test.c: the test of local optimality. Measures of queries that move against dorm_evaluate, scores along a line
 * against nets with moved weights, every count of a probe against models whose weights were moved by hand, the share of
 * rising directions against a cone of known size, and the bounds of that share against sums of the binomial
 * distribution.
 */
#include "tests/unit/unit.h"

static const double pi = 3.14159265358979323846;

/* ---- Queries that move --------------------------------------------------------------------- */

/* Two queries, with ids, groups and subtopics. */
static dorm_dataset *listed_data(dorm_context *context)
{
  static const char text[] = "1 qid:7 1:5 # docid = A\n2 qid:7 1:4 # docid = B\n0 qid:7 1:3 # docid = C\n"
                             "2 qid:7 1:2 # docid = D\n1 qid:7 1:1 # docid = E\n0 qid:7 1:1 # docid = F\n"
                             "0 qid:8 1:5 # docid = A\n1 qid:8 1:4 # docid = B\n0 qid:8 1:3 # docid = C\n";
  const size_t start[] = {0, 1, 2, 3, 4, 4, 4, 5, 6, 6};
  const uint32_t groups[] = {1, 1, 2, 2, 1, 1};
  dorm_dataset *dataset = unit_read_text(context, text);
  UNIT_OK(context, dorm_dataset_set_groups(context, dataset, start, groups, NULL));
  const char *path = unit_temporary_file("7 1 A 1\n7 1 B 1\n7 2 B 1\n7 2 D 1\n7 3 E 2\n8 1 A 1\n8 2 B 1\n");
  UNIT_OK(context, dorm_dataset_read_subtopics(context, dataset, path));
  return dataset;
}

/* Moves scores at random, often to ties, and compares the values of all queries with dorm_evaluate's. */
static void follow(dorm_context *context, const dorm_dataset *dataset, const char *measure)
{
  dorm__moving *moving = NULL;
  dorm_evaluation evaluation = {.struct_size = sizeof evaluation};
  size_t num_docs = dataset->num_docs;
  DORM__FREED double *scores = dorm__alloc_zero(num_docs, sizeof *scores);
  DORM__FREED double *values = dorm__alloc(dataset->num_queries, sizeof *values);
  DORM__OWNED(dorm__measure) *opened = unit_measure(context, measure);
  UNIT_OK(context, dorm__moving_new(context, opened, dataset, 1, &moving));
  dorm__random random = unit_random(0);
  for (int move = 0; move < 300; move++) {
    /* mostly a small move of one document; now and then another query, a new start, or a document not found */
    size_t q = dorm__random_below(&random, 8) ? 0 : dataset->num_queries - 1;
    size_t first = dataset->query_start[q];
    size_t count = dataset->query_start[q + 1] - first;
    for (size_t j = first; !dorm__random_below(&random, 20) && j < first + count; j++)
      scores[j] = (double)dorm__random_below(&random, 4);
    size_t doc = first + dorm__random_below(&random, count);
    scores[doc] =
        dorm__random_below(&random, 30) ? scores[doc] + (double)dorm__random_below(&random, 3) - 1 : -INFINITY;
    double value = -1;
    UNIT_OK(context, dorm_evaluate(context, measure, dataset, scores, values, &evaluation));
    UNIT_OK(context, dorm__moving_value(context, moving, 0, q, scores + first, &value));
    bool is_same = isnan(value) ? isnan(values[q]) : value == values[q];
    if (!is_same)
      printf("\n    %s, move %d, query %zu: %.17g, evaluated %.17g\n", measure, move, q, value, values[q]);
    CU_ASSERT_TRUE_FATAL(is_same);
  }
  dorm__moving_free(moving);
}

UNIT_TEST_IN(context, measures_of_moving_queries_are_those_of_an_evaluation)
{
  static const char *const measures[] =
      UNIT_TEXTS("ndcg@10", "ndcg@3:ties=expected", "map:ties=worst", "mrr:ties=docid", "err@5", "p@2:ties=expected",
                 "dcg:empty=skip", "map:empty=skip", "minus_loss(ndcg:truncation=3)", "minus_loss(rsvm)");
  static const char *const listed[] = {
      "alpha_ndcg@4",        "err_ia@5", "subtopic_recall@3", "redundancy@3", "ndcg@4:repeats=irrelevant",
      "ndcg@3:ties=expected"};
  dorm_dataset *dataset = unit_artificial(context, 3, 12, 3, 0.5, 5, 1);
  for (size_t i = 0; i < sizeof measures / sizeof *measures; i++)
    follow(context, dataset, measures[i]);
  dorm_dataset_free(dataset);
  dataset = listed_data(context);
  for (size_t i = 0; i < sizeof listed / sizeof *listed; i++)
    follow(context, dataset, listed[i]);
  dorm_dataset_free(dataset);
}

/* ---- Scores along a line --------------------------------------------------------------------- */

UNIT_TEST_DRAWN(context, random, scores_along_a_line_are_those_of_moved_weights)
{
  enum { WIDTH = 5, FIRST = 7, COUNT = 20 };
  const double steps[] = {0, 0.25, -1, 3};
  DORM__OWNED(dorm_dataset) *dataset = unit_artificial(context, 4, 15, WIDTH, 0.5, 5, 1);
  dorm__features rows = {.num_docs = dataset->num_docs, .num_features = WIDTH, .values = dataset->values};
  DORM__FREED double *all = dorm__alloc(dataset->num_docs, sizeof *all);
  for (size_t hidden = 0; hidden < 8; hidden += 3) {
    DORM__AT_END(dorm__net_clear) dorm__net net = {0}, moved = {0};
    dorm__net_line *line = NULL;
    double direction[8 * (WIDTH + 2)];
    UNIT_OK(context, dorm__net_new(context, WIDTH, hidden, &net));
    for (size_t i = 0; i < dorm__net_size(WIDTH, hidden); i++) {
      net.weights[i] = dorm__random_normal(random);
      direction[i] = dorm__random_normal(random);
    }
    UNIT_OK(context, dorm__net_line_new(context, &net, &rows, COUNT, &line));
    dorm__net_line_documents(line, FIRST, COUNT);
    CU_ASSERT_TRUE(dorm__net_line_direction(line, direction));
    for (size_t s = 0; s < 4; s++) {
      double scores[COUNT] = {0};
      UNIT_OK(context, dorm__net_copy(context, &net, &moved));
      for (size_t i = 0; i < dorm__net_size(WIDTH, hidden); i++)
        moved.weights[i] += steps[s] * direction[i];
      UNIT_OK(context, dorm__net_score(context, &moved, &rows, 1, all));
      dorm__net_line_add(line, steps[s], scores);
      for (size_t j = 0; j < COUNT; j++)
        UNIT_CLOSE(scores[j], all[FIRST + j], 1e-12);
      dorm__net_clear(&moved);
    }
    for (size_t i = 0; i < dorm__net_size(WIDTH, hidden); i++) {
      double scores[COUNT] = {0}, still[COUNT] = {0};
      UNIT_OK(context, dorm__net_copy(context, &net, &moved));
      moved.weights[i] += 0.7;
      UNIT_OK(context, dorm__net_score(context, &moved, &rows, 1, all));
      CU_ASSERT_TRUE(dorm__net_line_single(line, i));
      dorm__net_line_add(line, 0.7, scores);
      for (size_t j = 0; j < COUNT; j++)
        UNIT_CLOSE(scores[j], all[FIRST + j], 1e-12);
      dorm__net_clear(&moved);
      UNIT_OK(context, dorm__net_score(context, &net, &rows, 1, all));
      dorm__net_line_still(line);
      dorm__net_line_add(line, 0.7, still);
      for (size_t j = 0; j < COUNT; j++)
        UNIT_CLOSE(still[j], all[FIRST + j], 1e-12);
    }
    dorm__net_line_free(line);
  }
}

/* Sparse rows, of which every third value is left out, against dense rows with zeros there. */
UNIT_TEST_IN(context, single_weights_move_sparse_rows_as_dense_ones)
{
  enum { WIDTH = 7, COUNT = 9 };
  float dense[COUNT * WIDTH], values[COUNT * WIDTH];
  uint32_t indices[COUNT * WIDTH];
  size_t row_start[COUNT + 1] = {0}, size = 0;
  for (size_t j = 0; j < COUNT; j++) {
    for (size_t f = 0; f < WIDTH; f++) {
      dense[j * WIDTH + f] = (j * WIDTH + f) % 3 ? (float)(j + 1) / (float)(f + 2) : 0;
      if (dense[j * WIDTH + f] != 0) {
        indices[size] = (uint32_t)f;
        values[size++] = dense[j * WIDTH + f];
      }
    }
    row_start[j + 1] = size;
  }
  double weights[WIDTH] = {1, -2, 3, 0.5, 0, 1, -1};
  const dorm__net net = {WIDTH, 0, weights};
  const dorm__features rows[] = {
      {.num_docs = COUNT, .num_features = WIDTH, .values = dense},
      {.num_docs = COUNT, .num_features = WIDTH, .values = values, .row_start = row_start, .indices = indices}};
  for (size_t i = 0; i < WIDTH; i++) {
    double scores[2][COUNT] = {{0}};
    for (size_t k = 0; k < 2; k++) {
      dorm__net_line *line = NULL;
      UNIT_OK(context, dorm__net_line_new(context, &net, &rows[k], COUNT, &line));
      dorm__net_line_documents(line, 0, COUNT);
      CU_ASSERT_TRUE(dorm__net_line_single(line, i));
      dorm__net_line_add(line, 0.5, scores[k]);
      dorm__net_line_free(line);
    }
    for (size_t j = 0; j < COUNT; j++)
      UNIT_CLOSE(scores[0][j], scores[1][j], 1e-12);
  }
}

/* ---- Models ------------------------------------------------------------------------------------ */

/* A model of a linear part over the raw features of a data set, or of a net with hidden units. */
static dorm_model *model_of(dorm_context *context, const dorm_dataset *dataset, size_t hidden, const double *weights)
{
  const dorm__feature_options options = {.normalisation = DORM__NORMALISATION_NONE};
  DORM__AT_END(dorm__feature_map_clear) dorm__feature_map map;
  UNIT_OK(context, dorm__feature_map_new(context, &options, dataset, &map));
  dorm_model *model = unit_model(context, &map, NULL);
  if (hidden) {
    dorm__part part;
    dorm__net net = {dataset->num_features, hidden, (double *)(uintptr_t)weights};
    UNIT_OK(context, dorm__net_part_new(context, &map, &net, &part));
    part.weight = 0.5;
    UNIT_OK(context, dorm__model_add(context, model, part));
  } else {
    unit_add_linear(context, model, weights, 0, 1);
  }
  return model;
}

static double value_of(dorm_context *context, const dorm_model *model, const dorm_dataset *dataset, const char *measure)
{
  DORM__FREED double *scores = unit_scores(context, model, dataset);
  return unit_evaluate(context, measure, dataset, scores);
}

/* Compares the counts of single moves with models that are moved by hand. The weight of a net's part multiplies its
 * output weights v. */
static void compare_singles(size_t hidden, const char *measure, bool is_cost)
{
  enum { WIDTH = 4 };
  const double steps[] = {0.5, 0.03};
  size_t size = dorm__net_size(WIDTH, hidden);
  double weights[64];
  DORM__OWNED(dorm_context) *context = unit_context();
  DORM__OWNED(dorm_probe) *probe = NULL;
  DORM__OWNED(dorm_dataset) *dataset = unit_artificial(context, 6, 10, WIDTH, 0.5, 5, 1);
  dorm__random random = unit_random(0);
  for (size_t i = 0; i < size; i++)
    weights[i] = dorm__random_normal(&random);
  DORM__OWNED(dorm_model) *model = model_of(context, dataset, hidden, weights);
  const dorm_probe_options options = {
      .struct_size = sizeof options, .num_directions = 3, .num_steps = 2, .steps = steps, .num_threads = 2};
  UNIT_OK(context, dorm_model_probe(context, model, dataset, measure, &options, &probe));
  double factor = hidden ? 0.5 : 1, squares = 0, base = value_of(context, model, dataset, measure);
  for (size_t i = 0; i < size; i++) {
    bool is_output = i >= hidden * WIDTH && i < hidden * (WIDTH + 1);
    squares += weights[i] * weights[i] * (is_output ? factor * factor : 1);
  }
  UNIT_CLOSE(probe->value, base, 1e-12);
  UNIT_CLOSE(probe->norm, sqrt(squares), 1e-12);
  CU_ASSERT_EQUAL(probe->singles.num_moves, 2 * size);
  CU_ASSERT_EQUAL(probe->lower_is_better, is_cost);
  for (size_t r = 0; r < 4; r++) {
    const dorm_probe_row *row = &probe->singles.rows[r];
    size_t better = 0, worse = 0;
    double gain = 0, length = steps[r % 2] * (r < 2 ? 1 : sqrt(squares));
    for (size_t move = 0; move < 2 * size; move++) {
      bool is_output = move / 2 >= hidden * WIDTH && move / 2 < hidden * (WIDTH + 1);
      double kept = weights[move / 2];
      weights[move / 2] += (move % 2 ? -length : length) / (is_output ? factor : 1);
      DORM__OWNED(dorm_model) *moved = model_of(context, dataset, hidden, weights);
      double rise = (value_of(context, moved, dataset, measure) - base) * (is_cost ? -1 : 1);
      better += rise > 1e-12;
      worse += rise < -1e-12;
      gain = fmax(gain, rise > 1e-12 ? rise : 0);
      weights[move / 2] = kept;
    }
    UNIT_CLOSE(row->length, length, 1e-12);
    CU_ASSERT_EQUAL(row->num_better, better);
    CU_ASSERT_EQUAL(row->num_worse, worse);
    CU_ASSERT_EQUAL(row->num_equal, 2 * size - better - worse);
    UNIT_CLOSE(row->largest_gain, gain, 1e-12);
  }
}

UNIT_TEST(single_moves_are_those_of_models_moved_by_hand)
{
  compare_singles(0, "ndcg@5", false);
  compare_singles(0, "map:ties=expected", false);
  compare_singles(0, "err@5", false);
  compare_singles(3, "ndcg@5", false);
  compare_singles(3, "pair_error", true);
}

/* The directions of a kernel part lie in its feature space, which the factor of its training knows. */
UNIT_TEST_DRAWN(context, random, kernel_parts_move_in_their_feature_space)
{
  const dorm__feature_options feature_options = {.normalisation = DORM__NORMALISATION_MIN_MAX};
  const dorm__kernel_options kernel_options = {.rank = 6, .num_threads = 1};
  const double steps[] = {0.3};
  const dorm_probe_options options = {
      .struct_size = sizeof options, .num_directions = 2, .num_steps = 1, .steps = steps, .num_threads = 1};
  dorm__kernel_factor *factor = NULL;
  DORM__AT_END(dorm__features_free) dorm__features features = {0};
  DORM__AT_END(dorm__feature_map_clear) dorm__feature_map map;
  DORM__OWNED(dorm_probe) *probe = NULL;
  double weights[6], squares = 0;
  DORM__OWNED(dorm_dataset) *dataset = unit_artificial(context, 5, 8, 3, 0.5, 5, 1);
  UNIT_OK(context, dorm__feature_map_new(context, &feature_options, dataset, &map));
  DORM__OWNED(dorm__kernel) *kernel = unit_kernel(context, "rbf:gamma=1");
  UNIT_OK(context, dorm__kernel_fit(context, kernel, 0, &kernel_options, dataset, &map,
                                    &(const dorm__kernel_fitted){&factor, &features}));
  CU_ASSERT_EQUAL_FATAL(factor->rank, 6);
  for (size_t i = 0; i < 6; i++) {
    weights[i] = dorm__random_normal(random);
    squares += weights[i] * weights[i];
  }
  DORM__OWNED(dorm_model) *model = unit_model(context, &map, NULL);
  unit_add_kernel(context, model, factor, weights);
  UNIT_OK(context, dorm_model_probe(context, model, dataset, "ndcg@5", &options, &probe));
  CU_ASSERT_EQUAL(probe->num_weights, 6);
  UNIT_CLOSE(probe->norm, sqrt(squares), 1e-9);
  UNIT_CLOSE(probe->value, value_of(context, model, dataset, "ndcg@5"), 1e-12);
  /* moving feature k of the factor by hand */
  size_t better = 0;
  for (size_t move = 0; move < 12; move++) {
    weights[move / 2] += move % 2 ? -0.3 : 0.3;
    DORM__OWNED(dorm_model) *moved = unit_model(context, &map, NULL);
    unit_add_kernel(context, moved, factor, weights);
    better += value_of(context, moved, dataset, "ndcg@5") > probe->value + 1e-12;
    weights[move / 2] -= move % 2 ? -0.3 : 0.3;
  }
  CU_ASSERT_EQUAL(probe->singles.rows[0].num_better, better);
  dorm__kernel_factor_free(factor);
}

/* ---- Toys of which the answer is known ------------------------------------------------------------- */

/* One query of two documents that differ in feature 1 alone, by 1. The relevant one is below, by a margin of 0.05: a
 * step of 0.1 raises the measure where feature 1 of the direction is above 0.5, in a cone of known size. */
UNIT_TEST_IN(context, the_share_of_rising_directions_is_that_of_a_known_cone)
{
  static const char *const texts[] = {"1 qid:1 1:1 2:1\n0 qid:1 1:0 2:1\n",
                                      "1 qid:1 1:1 2:1 3:1\n0 qid:1 1:0 2:1 3:1\n"};
  const double shares[] = {acos(0.5) / pi, 0.25}; /* of a circle, and of a sphere: (1 - 0.5) / 2 */
  const double weights[] = {-0.05, 1, 1};
  const double steps[] = {0.1, 0.04};
  enum { COUNT = 4000 };
  for (size_t i = 0; i < 2; i++) {
    DORM__OWNED(dorm_dataset) *dataset = unit_read_text(context, texts[i]);
    DORM__OWNED(dorm_model) *model = model_of(context, dataset, 0, weights);
    const dorm_probe_options options = {.struct_size = sizeof options,
                                        .num_directions = COUNT,
                                        .num_steps = 2,
                                        .steps = steps,
                                        .seed = unit_seed(),
                                        .skips_single = 1};
    DORM__OWNED(dorm_probe) *probe = NULL;
    UNIT_OK(context, dorm_model_probe(context, model, dataset, "mrr", &options, &probe));
    double deviation = sqrt(shares[i] * (1 - shares[i]) / COUNT);
    double found = (double)probe->directions.rows[0].num_better / COUNT;
    CU_ASSERT_TRUE(fabs(found - shares[i]) < 4 * deviation);
    CU_ASSERT_TRUE(probe->directions.rows[0].least_share < found && found < probe->directions.rows[0].most_share);
    CU_ASSERT_EQUAL(probe->directions.rows[1].num_better, 0); /* too short a step */
    CU_ASSERT_EQUAL(probe->directions.rows[1].num_equal, COUNT);
    CU_ASSERT_EQUAL(probe->singles.num_moves, 0);
    UNIT_CLOSE(probe->directions.rows[0].largest_gain, 0.5, 1e-12);
  }
}

/* Pairs whose differences u point in NUM directions of the plane, on both sides of a circle; the relevant document is
 * the one with <w*, u> > 0, except for every fifth pair, where it is the other one. The measure falls as w turns away
 * from w*, since noise is the same all around: w* is the optimum although the measure is below 1 there. */
UNIT_TEST_IN(context, no_direction_rises_at_a_known_optimum)
{
  enum { NUM = 400 };
  const double best[] = {cos(0.3), sin(0.3)};
  const double wrong[] = {cos(0.9), sin(0.9)};
  DORM__FREED char *text = dorm__alloc(NUM, 120);
  size_t size = 0;
  for (int i = 0; i < NUM; i++) {
    double angle = 2 * pi * (i + 0.5) / NUM;
    bool is_first = (best[0] * cos(angle) + best[1] * sin(angle) > 0) != (i % 5 == 0);
    size += (size_t)snprintf(text + size, 120, "%d qid:%d 1:%.8f 2:%.8f\n%d qid:%d 1:0 2:0\n", is_first, i, cos(angle),
                             sin(angle), !is_first, i);
  }
  DORM__OWNED(dorm_dataset) *dataset = unit_read_text(context, text);
  const double steps[] = {0.1, 0.2, 0.5};
  const dorm_probe_options options = {
      .struct_size = sizeof options, .num_steps = 3, .steps = steps, .seed = unit_seed()};
  dorm_model *model = model_of(context, dataset, 0, best);
  dorm_probe *probe = NULL;
  UNIT_OK(context, dorm_model_probe(context, model, dataset, "mrr", &options, &probe));
  CU_ASSERT_EQUAL(probe->directions.num_moves, 459);
  CU_ASSERT_EQUAL(probe->directions.num_rising, 0);
  CU_ASSERT_TRUE(probe->directions.most_share < 0.01);
  CU_ASSERT_EQUAL(probe->singles.num_rising, 0);
  UNIT_CLOSE(probe->value, 0.9, 1e-12); /* one pair in five has 1/2 */
  dorm_probe_free(probe);
  dorm_model_free(model);
  model = model_of(context, dataset, 0, wrong);
  UNIT_OK(context, dorm_model_probe(context, model, dataset, "mrr", &options, &probe));
  CU_ASSERT_TRUE(probe->directions.rows[0].num_better > 150 && probe->directions.rows[0].num_worse > 150);
  CU_ASSERT_TRUE(probe->directions.rows[0].largest_gain > 0);
  dorm_probe_free(probe);
  dorm_model_free(model);
}

UNIT_TEST_IN(context, what_is_found_does_not_depend_on_threads)
{
  const double weights[] = {1, 2, -1, 0.5};
  dorm_probe *probes[3];
  DORM__OWNED(dorm_dataset) *dataset = unit_artificial(context, 70, 10, 4, 0.5, 5, 1);
  DORM__OWNED(dorm_model) *model = model_of(context, dataset, 0, weights);
  for (size_t i = 0; i < 3; i++) {
    const dorm_probe_options options = {.struct_size = sizeof options, .num_directions = 20, .num_threads = i + 1};
    UNIT_OK(context, dorm_model_probe(context, model, dataset, "ndcg@5", &options, &probes[i]));
    CU_ASSERT_EQUAL(
        memcmp(probes[0]->curves, probes[i]->curves, 20 * probes[0]->directions.num_rows * sizeof *probes[0]->curves),
        0);
  }
  for (size_t i = 0; i < 3; i++)
    dorm_probe_free(probes[i]);
}

/* ---- Bounds -------------------------------------------------------------------------------------- */

/* The probability of at most `count` successes, by the recursion of the binomial distribution. */
static double at_most(size_t trials, size_t count, double p)
{
  double term = pow(1 - p, (double)trials), sum = term;
  for (size_t k = 0; k < count; k++) {
    term *= (double)(trials - k) / (double)(k + 1) * p / (1 - p);
    sum += term;
  }
  return sum;
}

UNIT_TEST(bounds_of_a_share_are_those_of_the_binomial_distribution)
{
  const size_t cases[][2] = {{459, 0}, {459, 1}, {459, 100}, {20, 5}, {20, 20}, {1, 1}, {1, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    size_t trials = cases[i][0], count = cases[i][1];
    double least, most;
    dorm__binomial_bounds(trials, count, 0.01, &least, &most);
    CU_ASSERT_TRUE(count ? unit_close(1 - at_most(trials, count - 1, least), 0.01, 1e-9) : least == 0);
    CU_ASSERT_TRUE(count < trials ? unit_close(at_most(trials, count, most), 0.01, 1e-9) : most == 1);
  }
}

/* ---- Refusals -------------------------------------------------------------------------------------- */

UNIT_TEST_IN(context, bad_options_are_refused)
{
  const double weights[] = {1}, bad[] = {0.1, -1};
  const struct {
    dorm_probe_options options;
    const char *message;
  } cases[] = {{{.epsilon = 1}, "epsilon 1 is not between 0 and 1"},
               {{.delta = -0.5}, "delta -0.5 is not between 0 and 1"},
               {{.epsilon = 1e-15}, "directions"},
               {{.num_steps = 2, .steps = bad}, "step -1 is not above 0"}};
  DORM__OWNED(dorm_dataset) *dataset = unit_read_text(context, "1 qid:1 1:1\n0 qid:1 1:0\n");
  DORM__OWNED(dorm_model) *model = model_of(context, dataset, 0, weights);
  dorm_probe *probe = NULL;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    dorm_probe_options options = cases[i].options;
    options.struct_size = sizeof options;
    UNIT_BAD_USAGE(dorm_model_probe(context, model, dataset, "ndcg@5", &options, &probe), cases[i].message);
  }
  UNIT_BAD_USAGE(dorm_model_probe(context, model, dataset, "ndgc@5", NULL, &probe), "ndcg");
  CU_ASSERT_PTR_NULL(probe);
}
