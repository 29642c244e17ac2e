/* outputs.h: the outputs of one query, which are rankings or, for a structured loss, whatever the loss defines: finds
 * the most violated one at given scores and makes the feature map of an output. */
#ifndef DORM_SOLVER_OUTPUTS_H
#define DORM_SOLVER_OUTPUTS_H

#include "solver/problem.h"
#include "solver/vector.h"

/* Scores the query and finds its most violated output. The scores are those at `point`, which keeps them, or at w where
 * `point` is NULL; where both are NULL, those that are in thread->scores. The documents of the output are left in
 * thread->order; *weights becomes their weights in its feature map (borrowed from the problem or the thread), *loss its
 * Delta, and *value its <w, Phi> + Delta. Fails where the oracle fails, without a message. The seconds of scoring and
 * of the oracle are added to the thread's; its next phase begins at the end. */
dorm_status dorm__output_violation(const dorm__problem *problem, size_t query, dorm__scored_point *point,
                                   const double *w, dorm__thread *thread, const double **weights, double *loss,
                                   double *value);
/* phi = sum_i weights[i] x_docs[i], i < count; documents of weight 0 are left out. Where the first positions have
 * functions of their own, docs[i] stands at position i, and weights[i] x_docs[i] is also block 1 + i of phi. False when
 * out of memory. */
bool dorm__output_combine(const dorm__problem *problem, size_t query, size_t count, const uint32_t *docs,
                          const double *weights, dorm__thread *thread, dorm__vector *phi);
/* Makes phi, the feature map of the output with the documents thread->order and the weights `weights`. False when out
 * of memory. */
bool dorm__output_vector(const dorm__problem *problem, size_t query, const double *weights, dorm__thread *thread,
                         dorm__vector *phi);
/* An upper bound on |p - q|^2, where p and q [num_docs] are the weights of the documents in an output and in the
 * reference, so that psi is sum_j (q[j] - p[j]) x_j. For a structured loss the first call for a query makes 2 num_docs
 * oracle calls. INFINITY where the loss fails. */
double dorm__output_reach(const dorm__problem *problem, size_t query);

#endif
