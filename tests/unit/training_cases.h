/* training_cases.h: data and settings for the tests of dorm_train, and
 * the pieces of one convex problem. */
#ifndef DORM_TESTS_TRAINING_CASES_H
#define DORM_TESTS_TRAINING_CASES_H

#include "solver/problem.h"
#include "solver/working_set.h"
#include "tests/unit/unit.h"

enum { TRAINING_WIDTH = 4, TRAINING_MOST_QUERIES = 60, TRAINING_MOST_DOCS = 12 };

/* Labels rise with feature 1 and fall with features 2 and 3. The first two
 * queries have labels that are all equal and train nothing. Values are
 * multiples of 1/16, so that shifted by whole numbers they are still exact. */
dorm_dataset *training_random_data(dorm_context *context, uint64_t seed, size_t num_queries, size_t num_docs,
                                   bool is_shifted);
/* Queries of 20 documents with 6 features. */
dorm_dataset *training_artificial_data(dorm_context *context, uint64_t seed, size_t num_queries);
/* Pairs of key and value, ended by NULL, on top of one convex problem of plain
 * values. */
dorm_settings *training_settings(dorm_context *context, const char *const *pairs);
/* Trains with them; the status is to be `expected`. */
dorm_training *training_run(dorm_context *context, const char *const *pairs, dorm_status expected,
                            const dorm_dataset *train, const dorm_dataset *validation);
/* The same with several lists of pairs, of which NULL is the last. */
#define TRAINING_LISTS(...) ((const char *const *const[]){__VA_ARGS__, NULL})
dorm_training *training_run_lists(dorm_context *context, const char *const *const *lists, dorm_status expected,
                                  const dorm_dataset *train, const dorm_dataset *validation);
/* Checks that the difference of two models' scores is at most `most`; prints what they are of otherwise. */
void training_compare(dorm_context *context, const char *what, const dorm_training *one, const dorm_training *two,
                      const dorm_dataset *dataset, double most);
const dorm_certificate *training_certificate(const dorm_training *training, size_t index);
/* The largest difference of two models' scores of a data set, as a share of the largest score of the first. */
double training_difference(dorm_context *context, const dorm_training *one, const dorm_training *two,
                           const dorm_dataset *dataset);

/* Sums over the queries that train, of TRAINING_FEW_DOCS documents each, with the weights of the queries: under 1 -
 * NDCG and the position weights (p + 2)^-1/2, by trying all rankings. */
enum { TRAINING_FEW_DOCS = 5 };
typedef struct training_slacks {
  double weight;
  double slack; /* xi at w */
  double loss;  /* Delta(reference), which is mu:`mu` at `round_start` */
} training_slacks;
training_slacks training_slacks_by_hand(const dorm_dataset *dataset, double mu, const double *round_start,
                                        const double *w);

/* Pairs for a few small trees that see all documents and features, so that nothing in them is random. */
#define TRAINING_SMALL_TREES                                                                                           \
  "training.trainer", "trees", "trees.trees", "5", "trees.leaves", "4", "trees.learning_rate", "0.3",                  \
      "trees.row_share", "1", "trees.feature_share", "1", "trees.min_docs_in_leaf", "7"

/* One convex problem on the plain features of a data set, whose ids are 1 ..
 * width, and, once it is started, a working set with references at `start`. */
typedef struct training_problem {
  dorm_context *context;
  dorm_dataset *dataset;
  dorm__features features;
  dorm__loss *loss;
  dorm__loss_tables *tables;
  dorm__problem *problem;
  dorm__scored_point *point;
  dorm__working_set *set; /* NULL before the start */
  double *start;          /* [width], the centred ridge */
} training_problem;

/* A problem whose position weights are a word of ranking.position_weights, and a point of it. `diversity` may be NULL.
 */
void training_problem_make(dorm_context *context, const dorm_dataset *dataset, const dorm__features *features,
                           dorm__loss_tables *tables, const char *position_weights, const dorm__diversity *diversity,
                           size_t num_threads, dorm__problem **problem, dorm__scored_point **point);
/* The default with a few small trees, in five folds. */
#define TRAINING_SMALL_DEFAULT                                                                                         \
  "training.trainer", "auto", "trees.trees", "9", "trees.leaves", "3", "solver.C", "1", "selection.folds", "5",        \
      "data.normalisation", "minmax"

/* The reference at w, of a problem on one thread. */
dorm_status training_reference_at(const dorm__problem *problem, dorm__scored_point *point,
                                  const dorm__reference *reference, size_t query, const double *w, dorm__vector *phi,
                                  double *loss);
/* Takes both the context and the data set. */
void training_problem_new(dorm_context *context, dorm_dataset *dataset, const char *loss, const char *position_weights,
                          size_t num_threads, training_problem *made);
void training_problem_start(training_problem *made, dorm__bounds bounds);
void training_problem_free(training_problem *made);
/* sum alpha Delta + min over w in the bounds of 1/2 |w|^2 - <w, sum alpha psi>, from
 * the columns; alpha is checked to be at least 0 and to sum to at most C times its weight in each column set. */
double training_problem_dual(const training_problem *made, double C);

#endif
