/* outputs.h: outputs of one query (rankings, or what a structured loss has in their place): the most violated one at
 * given scores, and their feature maps. */
#ifndef DORM_SOLVER_OUTPUTS_H
#define DORM_SOLVER_OUTPUTS_H

#include "solver/problem.h"
#include "solver/vector.h"

/* The most violated output at thread->scores: documents in thread->order, their
 * *weights in its feature map (borrowed from the problem or the thread) and its
 * loss. Fails as the oracle does, without message. */
dorm_status dorm__output_find(const dorm__problem *problem, size_t query, dorm__thread *thread, const double **weights,
                              double *loss);
/* The same at the point (where scores are kept), or where it is NULL at w, with the output's value <w, Phi> + Delta,
 * and timed; a phase begins after it. */
dorm_status dorm__output_violation(const dorm__problem *problem, size_t query, dorm__scored_point *point,
                                   const double *w, dorm__thread *thread, const double **weights, double *loss,
                                   double *value);
/* phi = sum_i weights[i] x_docs[i], i < count; documents of weight 0 are left out.
 * False when out of memory. */
bool dorm__output_combine(const dorm__problem *problem, size_t query, size_t count, const uint32_t *docs,
                          const double *weights, dorm__thread *thread, dorm__vector *phi);
/* Phi of the output in thread->order and `weights`. */
bool dorm__output_vector(const dorm__problem *problem, size_t query, const double *weights, dorm__thread *thread,
                         dorm__vector *phi);
/* The largest squared distance between the documents' weights in two outputs, or
 * a bound on it: what psi can be at most. 2 num_docs oracle calls at first where
 * the loss is structured. INFINITY where the loss fails. */
double dorm__output_reach(const dorm__problem *problem, size_t query);

#endif
