/* problem.h: what problem.c offers to the other files of this folder. */
#ifndef DORM_SOLVER_PROBLEM_H
#define DORM_SOLVER_PROBLEM_H

#include "base/base.h"
#include "losses/losses.h"
#include "solver/solver.h"

/* The scratch of the calling OpenMP thread. */
dorm__thread *dorm__problem_thread(const dorm__problem *problem);
/* Begins the next phase of a thread's work on a query; the seconds of the last one. */
double dorm__next_phase(dorm__thread *thread);
/* The same, of a phase in which the oracle was asked. */
double dorm__oracle_phase(dorm__thread *thread);

/* Below, a query is a number among those that train. */

/* The least cost of a ranking of its plan, which Delta is measured from. */
dorm_status dorm__problem_set_minimum(dorm_context *context, dorm__problem *problem, size_t query);

/* The loss of a query. */
const dorm__query_loss *dorm__problem_loss(const dorm__problem *problem, size_t query);
/* Scores of its documents at w, into thread->scores; not computed again where w
 * is the very pointer that dorm__problem_at returned and they are known. */
void dorm__problem_score(const dorm__problem *problem, size_t query, const double *w, dorm__thread *thread);
/* A copy of w [num_features] owned by the problem, at which scores are kept from
 * now on: those that are there stay when it holds the same numbers as before. */
const double *dorm__problem_at(const dorm__problem *problem, const double *w);
/* The most violated output at thread->scores: documents in thread->order, their
 * *weights in its feature map (borrowed from the problem or the thread) and its
 * loss. Fails as the oracle does, without message. */
dorm_status dorm__problem_most_violated(const dorm__problem *problem, size_t query, dorm__thread *thread,
                                        const double **weights, double *loss);
/* The same at w, with its value <w, Phi> + Delta, and timed; a phase begins behind it. */
dorm_status dorm__problem_violation(const dorm__problem *problem, size_t query, const double *w, dorm__thread *thread,
                                    const double **weights, double *loss, double *value);
/* DORM_NUMERICAL_FAILURE, or what a structured loss says, with the query's name, for a failed oracle. */
dorm_status dorm__problem_fail(dorm_context *context, const dorm__problem *problem, size_t query);
/* phi = sum_i weights[i] x_docs[i], i < count; weights of 0 are passed over.
 * False when out of memory. */
bool dorm__problem_combine(const dorm__problem *problem, size_t query, size_t count, const uint32_t *docs,
                           const double *weights, dorm__thread *thread, dorm__vector *phi);
/* Phi of the output in thread->order and `weights`. */
bool dorm__problem_output_vector(const dorm__problem *problem, size_t query, const double *weights,
                                 dorm__thread *thread, dorm__vector *phi);

#endif
