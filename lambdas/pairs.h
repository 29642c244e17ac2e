/* pairs.h: sums weighted RankNet forces over the pairs of a query. */
#ifndef DORM_LAMBDAS_PAIRS_H
#define DORM_LAMBDAS_PAIRS_H

#include "base/base.h"
#include "base/memory.h"

/* Arrays are longer than the number of documents by this, because loops over whole lanes read past the last document.
 */
enum { DORM__PAIR_LANES = 8 };

/* One query in some order of its documents. All arrays are [max_docs + DORM__PAIR_LANES], by place in that order. */
typedef struct dorm__pairs {
  size_t num_docs;
  double sigma;
  bool is_narrow; /* exps holds exp(σ (g - largest g)), false if that could underflow */
  double *scores, *labels, *exps;
  double *row_exps; /* scratch */
  double *weights;  /* >= 0, filled by the caller for the next row */
  double *lambdas, *curvature;
  double count; /* pairs with a weight other than 0 (distant scores may have no force) */
} dorm__pairs;

/* Allocates the arrays in `memory`, which may be short then. */
void dorm__pairs_alloc(size_t max_docs, dorm__region *memory, dorm__pairs *pairs);
/* Begins a query. Document order[i] gets place i. scores and labels are by document. */
void dorm__pairs_begin(size_t num_docs, const uint32_t *order, const double *scores, const double *labels, double sigma,
                       dorm__pairs *pairs);
/* Adds the pairs of place i with places begin .. end - 1 (i < begin), with weights[begin .. end - 1]. Pairs of equal
 * label have no force. */
void dorm__pairs_add_row(dorm__pairs *pairs, size_t i, size_t begin, size_t end);
/* Writes the sums to lambdas and curvature [num_docs] by document. */
void dorm__pairs_end(const dorm__pairs *pairs, const uint32_t *order, double *lambdas, double *curvature);
/* Returns log(1 + exp(x)) without overflow. */
double dorm__softplus(double x);

#endif
