/* lambda_cases.h: random queries, and an opened function, for the tests of λ-functions. */
#ifndef DORM_TESTS_LAMBDA_CASES_H
#define DORM_TESTS_LAMBDA_CASES_H

#include "tests/unit/unit.h"

enum { LAMBDA_MOST_DOCS = 9, LAMBDA_ROUNDS = 60, LAMBDA_MOST_TEXT = 300 };

/* One query; some have one document or one level, or tied scores. */
typedef struct lambda_query {
  size_t num_docs;
  double labels[LAMBDA_MOST_DOCS];
  double scores[LAMBDA_MOST_DOCS];
  dorm_dataset *dataset; /* with one feature, which some losses read */
} lambda_query;

lambda_query lambda_draw(dorm_context *context, dorm__random *random, size_t round);
void lambda_clear(lambda_query *query);
/* Gives the documents of a query groups, in every second round some several, and subtopics, some of which are named
 * twice for a document or have no document. */
void lambda_draw_lists(dorm_context *context, dorm__random *random, size_t round, lambda_query *query);
/* A query with scores whose differences are neither 0, 0.7 (the joint of the margin) nor 1 (the joint of the ranking
 * SVM), within 0.01. */
lambda_query lambda_draw_smooth(dorm_context *context, dorm__random *random, size_t round);

typedef struct lambda_opened {
  dorm__lambda *lambda;
  dorm__lambda_workspace *workspace;
} lambda_opened;

lambda_opened lambda_cases_open(dorm_context *context, const char *text, const dorm_dataset *dataset);
void lambda_cases_close(lambda_opened *made);
/* Fills lambdas and curvature of the first query and returns its cost. */
double lambda_cases_at(dorm_context *context, const lambda_opened *made, const double *scores, double *lambdas,
                       double *curvature);
/* Checks that λ = -∂C/∂g by central differences, at scores that are not close to a joint. */
void lambda_compare_with_differences(dorm_context *context, const char *text, double step, const lambda_query *query);

#endif
