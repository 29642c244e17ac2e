/* losses_test.c: compares the loss of each ranking of small queries, by the loss tables, with the measure of the
 * ranking or with a formula. */
#include "tests/unit/unit.h"

#include "measures/measure.h"

enum { MOST_DOCS = 7 };

/* Returns the value of the measure for the ranking that puts document order[p] at position p. */
static double measure_of_order(dorm_context *context, const dorm__measure *measure, const dorm_dataset *dataset,
                               const uint32_t *order)
{
  double scores[MOST_DOCS];
  dorm_evaluation evaluation = {.struct_size = sizeof evaluation};
  for (size_t p = 0; p < dataset->num_docs; p++)
    scores[order[p]] = -(double)p;
  UNIT_OK(context, dorm__measure_dataset(context, measure, dataset, scores, NULL, &evaluation));
  return evaluation.mean;
}

/* Checks for all rankings pi of a query that Delta(pi) >= 0 and Delta(pi) = best measure - measure(pi), and that some
 * Delta is 0. A query without relevant documents has Delta = 0 for every ranking. */
static void compare_loss_with_measure(dorm_context *context, const char *spec, size_t num_docs, const double *labels)
{
  DORM__OWNED(dorm_dataset) *dataset = unit_one_query(context, num_docs, labels);
  DORM__FREED char *measure_spec = NULL;
  DORM__OWNED(dorm__loss) *loss = unit_loss(context, spec);
  UNIT_OK(context, dorm__measure_spec_of_loss(context, loss, &measure_spec));
  DORM__OWNED(dorm__measure) *measure = unit_measure(context, measure_spec);
  DORM__OWNED(dorm__loss_tables) *tables = unit_tables(context, loss, dataset, 2);
  const dorm__query_loss *query = dorm__loss_tables_query(tables, 0);

  uint32_t order[MOST_DOCS];
  double best = 0, smallest = INFINITY, largest = 0;
  for (size_t r = 0; unit_ranking(num_docs, r, order); r++)
    best = fmax(best, measure_of_order(context, measure, dataset, order));
  for (size_t r = 0; unit_ranking(num_docs, r, order); r++) {
    double delta = dorm__query_loss_of(query, order);
    double expected = best - measure_of_order(context, measure, dataset, order);
    UNIT_CLOSE_OF(spec, delta, expected, 1e-12);
    smallest = fmin(smallest, delta);
    largest = fmax(largest, delta);
  }
  CU_ASSERT_TRUE(smallest >= 0 && smallest <= 1e-12);
  CU_ASSERT_EQUAL(query->trains, largest > 1e-12);
}

/* Losses with a measure of their own: Delta is the best value of this measure minus the value for the ranking. */
static const char *const specs[] =
    UNIT_TEXTS("ndcg:truncation=0", "ndcg@1", "ndcg@3", "ndcg@10", "ndcg@4:gain=linear,discount=letor",
               "ndcg:discount=letor", "dcg", "dcg@2:discount=letor", "dcg@5:gain=linear", "wta", "mwta",
               "mwta:gain=linear,discount=letor", "precision@1", "precision@3", "precision@10:threshold=2",
               "precision@2:threshold=0", "eru", "eru:half_life=2,neutral=1", "eru:half_life=3.5,normalised=no");

/* Fills labels [MOST_DOCS] with random labels, and returns the number of documents. Draws few levels, so that equal
 * labels and queries without relevant documents are common. In every third round labels are fractions. */
static size_t random_labels(dorm__random *random, size_t round, double *labels)
{
  size_t num_docs = 1 + dorm__random_below(random, round < 10 ? 5 : MOST_DOCS);
  size_t levels = 1 + dorm__random_below(random, 5);
  for (size_t j = 0; j < num_docs; j++)
    labels[j] = (double)dorm__random_below(random, levels) * (round % 3 == 0 ? 0.75 : 1);
  return num_docs;
}

UNIT_TEST_DRAWN(context, random, losses_are_their_measures_over_all_rankings)
{
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
    for (size_t round = 0; round < 12; round++) {
      double labels[MOST_DOCS];
      size_t num_docs = random_labels(random, round, labels);
      compare_loss_with_measure(context, specs[i], num_docs, labels);
    }
}

UNIT_TEST_IN(context, empty_and_lone_queries_cost_nothing)
{
  const double none[4] = {0, 0, 0, 0};
  const double one[1] = {2};
  const double same[3] = {1, 1, 1};
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    compare_loss_with_measure(context, specs[i], 4, none);
    compare_loss_with_measure(context, specs[i], 1, none);
    compare_loss_with_measure(context, specs[i], 1, one);
    compare_loss_with_measure(context, specs[i], 3, same);
  }
}

/* ---- Losses against formulas written out here ------------------------------- */

/* Returns the worth of the ranking that puts document order[p] at position p. */
typedef double (*direct_worth)(size_t num_docs, const double *labels, const uint32_t *order);

static double largest(size_t num_docs, const double *labels)
{
  double most = 0;
  for (size_t j = 0; j < num_docs; j++)
    most = fmax(most, labels[j]);
  return most;
}

/* The reciprocal rank of the top document: of the documents with the largest label, the one that comes first in the
 * data. */
static double reciprocal_rank_of_first_listed(size_t num_docs, const double *labels, const uint32_t *order)
{
  size_t top = 0;
  while (labels[top] < largest(num_docs, labels))
    top++;
  for (size_t p = 0; p < num_docs; p++)
    if (order[p] == top)
      return labels[top] > 0 ? 1 / (double)(p + 1) : 0;
  return NAN;
}

/* The sum of the reciprocal ranks of all relevant documents, divided by the same sum for an ideal ranking, which is 1 +
 * 1/2 + ... */
static double share_of_reciprocal_ranks(size_t num_docs, const double *labels, const uint32_t *order)
{
  double reached = 0;
  double ideal = 0;
  for (size_t p = 0, count = 0; p < num_docs; p++)
    if (labels[order[p]] >= 1) {
      reached += 1 / (double)(p + 1);
      ideal += 1 / (double)++count;
    }
  return ideal > 0 ? reached / ideal : 0;
}

/* NDCG@n by the rule of the modified winner takes all. In an ideal ranking, n is the number of positions down to the
 * first label below the largest one, and at least 3. */
static double modified_winner_takes_all(size_t num_docs, const double *labels, const uint32_t *order)
{
  double sorted[MOST_DOCS];
  for (size_t j = 0; j < num_docs; j++) { /* insertion sort into falling order */
    size_t at = j;
    for (; at > 0 && sorted[at - 1] < labels[j]; at--)
      sorted[at] = sorted[at - 1];
    sorted[at] = labels[j];
  }
  size_t n = num_docs; /* any n gives the same value if all labels are equal */
  for (size_t p = num_docs; p-- > 0;)
    if (sorted[p] != sorted[0])
      n = p < 3 ? 3 : p + 1;
  double reached = 0;
  double ideal = 0;
  for (size_t p = 0; p < num_docs && p < n; p++) {
    reached += (pow(2, labels[order[p]]) - 1) * log(2) / log((double)p + 2);
    ideal += (pow(2, sorted[p]) - 1) * log(2) / log((double)p + 2);
  }
  return ideal > 0 ? reached / ideal : 0;
}

/* Minus the cost by the table of costs_from_a_table. At positions 0, 1, 2, ... a document of label 2 costs 0, 1, 4, 4,
 * ..., a document of label 0 costs 3, 0, 0, 0, ..., and any other costs 1, 1, 0.5, 0.5, ... */
static double minus_table_costs(size_t num_docs, const double *labels, const uint32_t *order)
{
  static const double two[3] = {0, 1, 4};
  static const double zero[3] = {3, 0, 0};
  static const double others[3] = {1, 1, 0.5};
  double cost = 0;
  for (size_t p = 0; p < num_docs; p++) {
    double label = labels[order[p]];
    const double *row = label == 2 ? two : label == 0 ? zero : others;
    cost += row[p < 2 ? p : 2];
  }
  return -cost;
}

static void compare_loss_with_formula(dorm_context *context, const char *spec, direct_worth worth, size_t num_docs,
                                      const double *labels)
{
  DORM__OWNED(dorm_dataset) *dataset = unit_one_query(context, num_docs, labels);
  DORM__OWNED(dorm__loss) *loss = unit_loss(context, spec);
  DORM__OWNED(dorm__loss_tables) *tables = unit_tables(context, loss, dataset, 2);
  const dorm__query_loss *query = dorm__loss_tables_query(tables, 0);
  uint32_t order[MOST_DOCS];
  double best = -INFINITY, least = INFINITY;
  for (size_t r = 0; unit_ranking(num_docs, r, order); r++) {
    best = fmax(best, worth(num_docs, labels, order));
    least = fmin(least, worth(num_docs, labels, order));
  }
  if (query->cost) {
    CU_ASSERT_TRUE(isnan(query->minimum)); /* the tables leave the minimum to their user */
    dorm__loss_tables_set_minimum(tables, 0, -best);
  }
  CU_ASSERT_EQUAL(query->trains, best - least > 1e-12);
  for (size_t r = 0; unit_ranking(num_docs, r, order); r++)
    CU_ASSERT_TRUE_FATAL(unit_close(dorm__query_loss_of(query, order), best - worth(num_docs, labels, order), 1e-12));
}

static void compare_over_random_queries(const char *spec, direct_worth worth)
{
  DORM__OWNED(dorm_context) *context = unit_context();
  dorm__random random = unit_random(0);
  for (size_t round = 0; round < 60; round++) {
    double labels[MOST_DOCS];
    size_t num_docs = random_labels(&random, round % 20, labels);
    compare_loss_with_formula(context, spec, worth, num_docs, labels);
  }
}

UNIT_TEST(reciprocal_ranks_follow_the_top_document)
{
  compare_over_random_queries("mrr:top=first", reciprocal_rank_of_first_listed);
  compare_over_random_queries("mrr:threshold=1", share_of_reciprocal_ranks);
}

UNIT_TEST(the_modified_winner_looks_as_far_as_it_must)
{
  compare_over_random_queries("mwta", modified_winner_takes_all);
}

UNIT_TEST(costs_from_a_table)
{
  const char *path = unit_temporary_file("# label, then costs\n2 0 1 4\n* 1 1 0.5 # others\n\n0 3 0 0\n");
  compare_over_random_queries(unit_text("cost:file=%s", path), minus_table_costs);
}

/* Checks the costs of the second query with feature 2 as the attribute, and with feature 3. No document has feature 3,
 * so its value is 0. Feature 1 has a value without a line in the table. */
static void check_costs_by_a_feature(dorm_context *context, const char *path, const dorm_dataset *dataset)
{
  dorm__loss *loss = NULL;
  dorm__loss_tables *tables = NULL;
  for (int attribute = 2; attribute <= 3; attribute++) {
    static const double expected[2][9] = {{0, 1, 4, 3, 0, 0, 5, 6, 7}, {3, 0, 0, 3, 0, 0, 3, 0, 0}};
    UNIT_OK(context, dorm__loss_open(context, unit_text("cost:file=%s,attribute=%d", path, attribute), &loss));
    UNIT_OK(context, dorm__loss_tables_build(context, loss, dataset, 2, &tables));
    for (size_t i = 0; i < 9; i++)
      CU_ASSERT_EQUAL(dorm__loss_tables_query(tables, 1)->cost[i], expected[attribute - 2][i]);
    CU_ASSERT_EQUAL(dorm__loss_tables_query(tables, 1)->trains,
                    attribute == 2); /* with feature 3 all documents have the same costs */
    dorm__loss_tables_free(tables);
    dorm__loss_close(loss);
  }
  UNIT_OK(context, dorm__loss_open(context, unit_text("cost:file=%s,attribute=1", path), &loss));
  UNIT_BAD_DATA(dorm__loss_tables_build(context, loss, dataset, 2, &tables), "no line for the attribute value 9");
  DORM__FREED char *measure = NULL;
  UNIT_OK(context, dorm__measure_spec_of_loss(context, loss, &measure));
  CU_ASSERT_EQUAL(strncmp(measure, "minus_loss(cost:file=", 21), 0);
  dorm__loss_close(loss);
}

UNIT_TEST_IN(context, costs_by_a_feature)
{
  const size_t query_start[3] = {0, 1, 4};
  const double labels[4] = {7, 7, 7, 7};
  const float features[8] = {0, 2, 9, 2, 9, 0, 9, 0.1F};
  DORM__OWNED(dorm_dataset) *dense = unit_dataset(context, 2, query_start, 2, labels, features);
  DORM__OWNED(dorm_dataset) *sparse = unit_sparse_copy(context, dense);
  const char *path = unit_temporary_file("2 0 1 4\n0.1 5 6 7\n0 3 0 0");
  check_costs_by_a_feature(context, path, dense);
  check_costs_by_a_feature(context, path, sparse);
}

UNIT_TEST_IN(context, bad_cost_tables_are_named)
{
  static const unit_refusal bad[] = {
      {"2 0 1 4\n0.1 5 6\n", ":2: 2 costs, but the first line has 3"},
      {"2\n", ":1: 0 costs, but there must be at least 1"},
      {"# nothing\n", "the table is empty"},
      {"2 0\n2 1\n", ":2: this value already has a line"},
      {"* 0\n* 1\n", ":2: this value already has a line"},
      {"2 0 x\n", ":1: cost 2 is not a finite number"},
      {"x 0\n", ":1: a line begins with the value"},
  };
  dorm__loss *loss = NULL;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    UNIT_BAD_DATA(dorm__loss_open(context, unit_text("cost:file=%s", unit_temporary_file(bad[i].given)), &loss),
                  bad[i].message);
    CU_ASSERT_PTR_NULL(loss);
  }
  UNIT_BAD_USAGE(dorm__loss_open(context, "cost", &loss), "needs its table");
  UNIT_FAILS(context, dorm__loss_open(context, "cost:file=no such file", &loss), DORM_IO_ERROR, "cannot read");
}

UNIT_TEST_IN(context, loss_specs_are_checked)
{
  static const unit_refusal bad[] = {
      {"", "name of a loss is missing"},
      {"ndgc", "did you mean 'ndcg'"},
      {"ndcg:trunkation=3", "did you mean 'truncation'"},
      {"ndcg:truncation", "not of the form key=value"},
      {"ndcg:truncation=", "needs a value"},
      {"ndcg:truncation=2.5", "not a whole number"},
      {"ndcg:truncation=-1", "not between"},
      {"ndcg:truncation=ten", "not a number"},
      {"ndcg@", "needs a value"},
      {"ndcg@5:truncation=5", "given twice"},
      {"ndcg:gain=square", "none of: exp2, linear"},
      {"ndcg:gain=exp", "none of: exp2, linear"},
      {"ndcg:gain=exp2,", "not of the form"},
      {"rsvm_ir:tau=\"1 0 1", "the value of 'tau' begins with a quote and does not end with one"},
      {"rsvm_ir:tau=\"1 0 1\" 2", "the value of 'tau' begins with a quote and does not end with one"},
  };
  CU_ASSERT_STRING_EQUAL(dorm__spec_path("cost:file=\"one from two\" from three.so"), "three.so");
  CU_ASSERT_PTR_NULL(dorm__spec_path("cost:file=\"one from two\""));
  DORM__OWNED(dorm__loss) *loss = NULL;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    UNIT_BAD_USAGE(dorm__loss_open(context, bad[i].given, &loss), bad[i].message);
    CU_ASSERT_PTR_NULL(loss);
  }
  UNIT_OK(context, dorm__loss_open(context, " ndcg @ 5 : gain = linear ", &loss));
  CU_ASSERT_STRING_EQUAL(dorm__loss_spec(loss), "ndcg:truncation=5,gain=linear,discount=log2");
  DORM__FREED char *measure = NULL;
  UNIT_OK(context, dorm__measure_spec_of_loss(context, loss, &measure));
  CU_ASSERT_STRING_EQUAL(measure, "ndcg@5:gain=linear,discount=log2,empty=0,ties=order");
}

UNIT_TEST_IN(context, the_truncation_can_be_changed)
{
  const double labels[] = {0, 1, 2, 0, 1, 0};
  const uint32_t order[] = {3, 1, 0, 2, 5, 4};
  DORM__OWNED(dorm_dataset) *dataset = unit_one_query(context, 6, labels);
  dorm__loss *changed = NULL, *again = NULL, *other = NULL;
  DORM__OWNED(dorm__loss) *loss = unit_loss(context, "ndcg:gain=linear");
  UNIT_OK(context, dorm__loss_with_truncation(context, loss, 7, &changed));
  UNIT_OK(context, dorm__loss_with_truncation(context, changed, 3, &again));
  UNIT_OK(context, dorm__loss_copy(context, again, &other));
  dorm__loss_close(loss); /* its copies do not need it */
  CU_ASSERT_STRING_EQUAL(dorm__loss_spec(changed), "ndcg:truncation=7,gain=linear,discount=log2");
  CU_ASSERT_EQUAL(dorm__loss_truncation(changed), 7);
  dorm__loss_close(changed);
  CU_ASSERT_STRING_EQUAL(dorm__loss_spec(again), "ndcg:truncation=3,gain=linear,discount=log2");
  dorm__loss_close(again);
  CU_ASSERT_STRING_EQUAL(dorm__loss_spec(other), "ndcg:truncation=3,gain=linear,discount=log2");
  DORM__OWNED(dorm__loss_tables) *tables = unit_tables(context, other, dataset, 1);
  double best = 2 + 1 / log2(3) + 1 / log2(4), found = 1 / log2(3); /* gains 2, 1, 1 and 0, 1, 0 at positions 0 to 2 */
  UNIT_CLOSE(dorm__query_loss_of(dorm__loss_tables_query(tables, 0), order), 1 - found / best, 1e-14);
  changed = other;
  UNIT_BAD_USAGE(dorm__loss_with_truncation(context, other, 2000000000, &changed), "not between");
  CU_ASSERT_PTR_NULL(changed);
  dorm__loss_close(other);
  UNIT_OK(context, dorm__loss_open(context, "eru", &loss));
  UNIT_BAD_USAGE(dorm__loss_with_truncation(context, loss, 7, &changed), "loss 'eru' has no parameter 'truncation'");
  CU_ASSERT_PTR_NULL(changed);
}

UNIT_TEST_IN(context, labels_beyond_the_gain_are_refused)
{
  const double labels[3] = {0, 60, 1};
  DORM__OWNED(dorm_dataset) *dataset = unit_one_query(context, 3, labels);
  DORM__OWNED(dorm__loss_tables) *tables = NULL;
  dorm__loss *loss = unit_loss(context, "ndcg");
  UNIT_BAD_DATA(dorm__loss_tables_build(context, loss, dataset, 2, &tables), "label 60");
  CU_ASSERT_PTR_NULL(tables);
  dorm__loss_close(loss);
  UNIT_OK(context, dorm__loss_open(context, "ndcg:gain=linear", &loss));
  UNIT_OK(context, dorm__loss_tables_build(context, loss, dataset, 2, &tables));
  dorm__loss_close(loss);
}
