/* interactions_test.c: rankings with interactions (the paper, equation 29) against all rankings of small problems. */
#include "tests/unit/unit.h"

enum { MOST = 7 };

typedef struct small_interactions {
  double gains[MOST], weights[MOST], similarity[MOST * MOST], closeness[MOST * MOST];
  dorm__interactions problem;
} small_interactions;

static void make_problem(dorm__random *random, size_t n, size_t m, double strength, small_interactions *made)
{
  double gain = 3;
  for (size_t j = 0; j < n; j++) {
    made->gains[j] = gain;
    gain -= dorm__random_uniform(random);
    for (size_t l = 0; l <= j; l++)
      made->similarity[j * n + l] = made->similarity[l * n + j] =
          dorm__random_below(random, 2) ? dorm__random_uniform(random) : 0;
  }
  for (size_t p = 0; p < m; p++) {
    made->weights[p] = 1 / log2((double)p + 2);
    for (size_t q = 0; q <= p; q++)
      made->closeness[p * m + q] = made->closeness[q * m + p] = p == q ? 0 : strength * dorm__random_uniform(random);
  }
  made->problem = (dorm__interactions){n, m, made->gains, -INFINITY, made->weights, made->similarity, made->closeness};
}

static double value_of(const dorm__interactions *problem, const uint32_t *order)
{
  double value = 0;
  for (size_t p = 0; p < problem->num_positions; p++) {
    value += problem->weights[p] * problem->gains[order[p]];
    for (size_t q = 0; q < p; q++)
      value -= problem->similarity[order[p] * problem->num_docs + order[q]] *
               problem->closeness[p * problem->num_positions + q];
  }
  return value;
}

static double best_of_all(const dorm__interactions *problem)
{
  uint32_t order[MOST];
  double best = -INFINITY;
  for (size_t r = 0; unit_ranking(problem->num_docs, r, order); r++)
    best = fmax(best, value_of(problem, order));
  return best;
}

UNIT_TEST_DRAWN(context, random, interactions_are_those_of_all_rankings)
{
  for (int round = 0; round < 300; round++) {
    size_t n = 1 + dorm__random_below(random, 6), m = 1 + dorm__random_below(random, n);
    double strength = round % 3 == 0 ? 0.3 : round % 3 == 1 ? 1 : 10;
    small_interactions made;
    dorm__interacting_value found;
    uint32_t order[MOST];
    make_problem(random, n, m, strength, &made);
    double best = best_of_all(&made.problem);
    UNIT_OK(context, dorm__rank_interacting(context, &made.problem, 0, 0, order, &found));
    CU_ASSERT_TRUE(unit_close(found.value, best, 1e-9) && unit_close(found.bound, best, 1e-9));
    UNIT_CLOSE(value_of(&made.problem, order), found.value, 1e-12);
    /* bounds hold where the search ends early, and for documents that it does not know */
    UNIT_OK(context, dorm__rank_interacting(context, &made.problem, 0, 1e-9, order, &found));
    CU_ASSERT_TRUE(found.value <= best + 1e-9 && found.bound >= best - 1e-9);
    UNIT_OK(context, dorm__rank_interacting(context, &made.problem, 0.2, 0, order, &found));
    CU_ASSERT_TRUE(found.bound >= best - 1e-9 && found.bound - found.value <= 0.2 * fabs(found.value) + 1e-9);
  }
}

UNIT_TEST_IN(context, interactions_are_bounded_for_documents_outside)
{
  dorm__random random = unit_random(1);
  for (int round = 0; round < 100; round++) {
    small_interactions made, fewer;
    dorm__interacting_value found;
    uint32_t order[MOST];
    make_problem(&random, 6, 3, 1, &made);
    fewer = made;
    for (size_t j = 0; j < 4; j++)
      for (size_t l = 0; l < 4; l++)
        fewer.similarity[j * 4 + l] = made.similarity[j * 6 + l];
    fewer.problem = made.problem;
    fewer.problem.num_docs = 4;
    fewer.problem.similarity = fewer.similarity;
    fewer.problem.outside = made.gains[4];
    UNIT_OK(context, dorm__rank_interacting(context, &fewer.problem, 0, 0, order, &found));
    CU_ASSERT_TRUE(found.bound >= best_of_all(&made.problem) - 1e-9);
  }
}

/* The value of a ranking of five documents by the formula of dorm_rank_interacting, with a similarity of its own. */
static double public_value(const double *scores, const double *similarity, const uint32_t *order, size_t top)
{
  double value = 0, least = INFINITY, most = -INFINITY;
  for (size_t j = 0; j < 5; j++) {
    least = fmin(least, scores[j]);
    most = fmax(most, scores[j]);
  }
  for (size_t q = 0; q < top; q++) {
    value += (scores[order[q]] - least) / (most - least) / log2((double)q + 2);
    for (size_t p = 0; p < q; p++)
      value -= 0.7 * similarity[order[p] * 5 + order[q]] / log2((double)q + 2) / (double)(q - p);
  }
  return value;
}

static void check_public(dorm_context *context, const dorm_dataset *dataset, const char *spec, const double *similarity)
{
  static const double scores[5] = {0.1, 2, 1.9, 1.5, 1.8};
  double apart[5], best = -INFINITY;
  dorm_interacting found = {.struct_size = sizeof found};
  UNIT_OK(context, dorm_rank_interacting(context, spec, dataset, scores, 1, apart, &found));
  uint32_t order[5], falling[5] = {1, 2, 4, 3, 0};
  for (uint32_t j = 0; j < 5; j++) {
    uint32_t place = 0;
    for (uint32_t l = 0; l < 5; l++)
      place += apart[l] > apart[j];
    order[place] = j;
  }
  for (uint32_t number = 0; number < 5 * 4 * 3; number++) { /* the first three positions */
    uint32_t tried[5], left[5] = {0, 1, 2, 3, 4}, code = number;
    for (uint32_t p = 0, rest = 5; p < 3; p++, rest--) {
      uint32_t chosen = code % rest;
      code /= rest;
      tried[p] = left[chosen];
      memmove(left + chosen, left + chosen + 1, (rest - chosen - 1) * sizeof *left);
    }
    best = fmax(best, public_value(scores, similarity, tried, 3));
  }
  CU_ASSERT_TRUE(unit_close(found.value, best, 1e-9) && unit_close(found.bound, best, 1e-9) && found.num_proved == 1);
  UNIT_CLOSE(public_value(scores, similarity, order, 3), best, 1e-9);
  for (size_t p = 3, at = 0; p < 5; p++, at++) { /* the others by score */
    while (falling[at] == order[0] || falling[at] == order[1] || falling[at] == order[2])
      at++;
    CU_ASSERT_EQUAL(order[p], falling[at]);
  }
}

UNIT_TEST_IN(context, interactions_by_groups_features_and_files)
{
  static const char text[] = "1 qid:7 1:1 2:5 # docid = A\n2 qid:7 1:2 2:3 # docid = B\n0 qid:7 1:2 2:4 # docid = C\n"
                             "2 qid:7 1:4 2:1 # docid = D\n1 qid:7 1:3 2:3 # docid = E\n";
  static const double values[5][2] = {{1, 5}, {2, 3}, {2, 4}, {4, 1}, {3, 3}};
  const size_t start[] = {0, 1, 2, 3, 4, 5};
  const uint32_t groups[] = {1, 0, 0, 2, 0};
  double similarity[25], z[5][2], sizes[5] = {0};
  DORM__OWNED(dorm_dataset) *dataset = unit_read_text(context, text);
  dorm_interacting found = {.struct_size = sizeof found};
  double apart[5] = {1, 2, 3, 4, 5};
  UNIT_BAD_USAGE(dorm_rank_interacting(context, "groups", dataset, apart, 1, apart, &found), "needs the groups");
  UNIT_BAD_USAGE(dorm_rank_interacting(context, "hosts", dataset, apart, 1, apart, &found),
                 "unknown interaction 'hosts'");
  UNIT_BAD_USAGE(dorm_rank_interacting(context, "file", dataset, apart, 1, apart, &found), "needs path=FILE");
  UNIT_OK(context, dorm_dataset_set_groups(context, dataset, start, groups, NULL));
  for (size_t i = 0; i < 25; i++)
    similarity[i] = groups[i / 5] == groups[i % 5];
  check_public(context, dataset, "groups:strength=0.7,top=3,gap=0", similarity);
  for (size_t f = 0; f < 2; f++) {
    double mean = 0, squares = 0;
    for (size_t j = 0; j < 5; j++)
      mean += values[j][f] / 5;
    for (size_t j = 0; j < 5; j++)
      squares += pow(values[j][f] - mean, 2);
    for (size_t j = 0; j < 5; j++) {
      z[j][f] = (values[j][f] - mean) / sqrt(squares);
      sizes[j] += z[j][f] * z[j][f];
    }
  }
  for (size_t i = 0; i < 25; i++)
    similarity[i] =
        fmax(0, (z[i / 5][0] * z[i % 5][0] + z[i / 5][1] * z[i % 5][1]) / sqrt(sizes[i / 5] * sizes[i % 5]));
  check_public(context, dataset, "features:strength=0.7,top=3,gap=0", similarity);
  memset(similarity, 0, sizeof similarity);
  similarity[1 * 5 + 2] = similarity[2 * 5 + 1] = 0.9;
  similarity[4 * 5 + 1] = similarity[1 * 5 + 4] = 0.25;
  const char *path = unit_temporary_file("C B 0.9\nB\tE 0.25\n\nX Y 1\n");
  check_public(context, dataset, unit_text("file:path=%s,strength=0.7,top=3,gap=0", path), similarity);
  for (size_t i = 0; i < 3; i++) {
    static const char *const bad[] = {"A B\n", "A B 1.5\n", "A B 1 2\n"};
    path = unit_temporary_file(bad[i]);
    UNIT_BAD_DATA(dorm_rank_interacting(context, unit_text("file:path=%s", path), dataset, apart, 1, apart, &found),
                  ":1: not of the form: document document similarity");
  }
}

/* 50 documents, 10 positions: the default's strength ends at a gap of 1 %. With enough time: the machine may be busy.
 */
UNIT_TEST_DRAWN(context, random, interactions_of_fifty_documents_are_proved)
{
  enum { DOCS = 50, POSITIONS = 10 };
  static double gains[DOCS], weights[POSITIONS], similarity[DOCS * DOCS], closeness[POSITIONS * POSITIONS];
  for (int round = 0; round < 3; round++) {
    uint32_t order[DOCS];
    dorm__interacting_value found;
    size_t group[DOCS];
    for (size_t j = 0; j < DOCS; j++) {
      gains[j] = 1 - (double)j / DOCS;
      group[j] = dorm__random_below(random, DOCS / 5);
      for (size_t l = 0; l <= j; l++)
        similarity[j * DOCS + l] = similarity[l * DOCS + j] = group[j] == group[l];
    }
    for (size_t p = 0; p < POSITIONS; p++) {
      weights[p] = 1 / log2((double)p + 2);
      for (size_t q = 0; q < p; q++)
        closeness[p * POSITIONS + q] = closeness[q * POSITIONS + p] = 0.3 * weights[p] / (double)(p - q);
    }
    const dorm__interactions problem = {DOCS, POSITIONS, gains, -INFINITY, weights, similarity, closeness};
    UNIT_OK(context, dorm__rank_interacting(context, &problem, 0.01, 60, order, &found));
    CU_ASSERT_TRUE(found.bound >= found.value && found.bound - found.value <= 0.01 * found.value + 1e-12);
    UNIT_CLOSE(value_of(&problem, order), found.value, 1e-12);
  }
}
