/* oracle_cases.h: random instances of the oracle's problem, over all losses,
 * position weights, label patterns and score scales. */
#ifndef DORM_TESTS_ORACLE_CASES_H
#define DORM_TESTS_ORACLE_CASES_H

#include "base/random.h"

enum { ORACLE_CASE_MOST_DOCS = 5000 };

typedef struct oracle_case {
  size_t num_docs;
  size_t num_levels;     /* what was asked for; b may hold fewer distinct values */
  double *a, *b, *c, *g; /* [ORACLE_CASE_MOST_DOCS] */
  double t;
  const char *loss, *weights, *labels, *scores; /* what was drawn, for messages */
} oracle_case;

oracle_case *oracle_case_new(void);
void oracle_case_free(oracle_case *instance);
/* Draws everything but num_docs and num_levels, which are given. */
void oracle_case_draw(oracle_case *instance, dorm__random *random, size_t num_docs, size_t num_levels);
/* The worth of a ranking, straight from the definition. */
double oracle_case_value(const oracle_case *instance, const uint32_t *order);
/* max |c| max |g| + |t| max |a| max |b|: what one document may be worth. */
double oracle_case_scale(const oracle_case *instance);
bool oracle_case_is_permutation(size_t num_docs, const uint32_t *order);
void oracle_case_print(const oracle_case *instance);

/* The largest value of sum_jp gain[j][p] x[j][p] over all x >= 0 whose rows and columns sum to 1, by GLPK. gain
 * [num_docs][num_docs]. NaN if GLPK fails. */
double oracle_case_linear_programme(size_t num_docs, const double *gain);

#endif
