/*
 * nets.h: nets that score documents: a single layer, or a layer of hidden tanh units below it. A λ-function says how
 * each score should move; back-propagation turns that into a move of the weights (Burges, "Ranking as Learning
 * Structured Outputs"; Donmez, Svore and Burges, "On the Local Optimality of LambdaRank").
 *
 * Reading order: net, block, line, gradient, descent.
 */
#ifndef DORM_NETS_NETS_H
#define DORM_NETS_NETS_H

#include "base/base.h"
#include "base/random.h"
#include "features/features.h"
#include "lambdas/lambdas.h"

/* ---- net.c ---------------------------------------------------------------- */

/* The score of a row x is
 *
 *   g = <w, x>                       hidden = 0;  weights: w [width]
 *   g = sum_k v_k tanh(<W_k, x> + t_k)            weights: W [hidden][width], row-major, then v [hidden], t [hidden]
 *
 * Output units have no threshold, since a constant changes no ranking. */
typedef struct dorm__net {
  size_t width; /* of the rows */
  size_t hidden;
  double *weights; /* [dorm__net_size], owned */
} dorm__net;

size_t dorm__net_size(size_t width, size_t hidden);
/* A net whose weights are 0. */
dorm_status dorm__net_new(dorm_context *context, size_t width, size_t hidden, dorm__net *net);
dorm_status dorm__net_copy(dorm_context *context, const dorm__net *net, dorm__net *copy);
void dorm__net_clear(dorm__net *net);
/* Draws weights for these rows: such that the inputs of hidden units (for a single layer, the scores) have mean 0, by
 * t, and standard deviation near 1 over the documents; v_k from N(0, 1 / hidden). */
dorm_status dorm__net_draw(dorm_context *context, const dorm__features *rows, dorm__random *random, dorm__net *net);
/* Makes a net that scores nearly as <w, x>, up to a factor: a single layer becomes w; of hidden units, the first one
 * gets w, small enough that tanh is nearly linear, and the others are drawn, with v_k = 0. `spread` is the standard
 * deviation of the scores <w, x> within queries. */
dorm_status dorm__net_start_linear(dorm_context *context, const dorm__features *rows, const double *w, double spread,
                                   dorm__random *random, dorm__net *net);
/* scores[num_docs] of the rows, which may be sparse only for a single layer. They do not depend on num_threads.
 * 2 width (hidden + 1) operations for each document. */
dorm_status dorm__net_score(dorm_context *context, const dorm__net *net, const dorm__features *rows, size_t num_threads,
                            double *scores);

/* ---- line.c --------------------------------------------------------------- */

/* Some documents whose scores are followed while the weights move along a line. */
typedef struct dorm__net_line dorm__net_line;

/* For at most `room` documents at a time; net and rows are borrowed. Rows may be sparse only for a single layer. */
dorm_status dorm__net_line_new(dorm_context *context, const dorm__net *net, const dorm__features *rows, size_t room,
                               dorm__net_line **line);
void dorm__net_line_free(dorm__net_line *line);
/* Takes the documents first .. first + count - 1, whose scores are then fixed. One product with their rows. */
void dorm__net_line_documents(dorm__net_line *line, size_t first, size_t count);
/* Takes a direction [dorm__net_size], which is borrowed. False if no step along it changes how these documents rank.
 * One product with their rows. */
bool dorm__net_line_direction(dorm__net_line *line, const double *direction);
/* Takes the direction of one weight alone, in the order of dorm__net. One column of the rows. */
bool dorm__net_line_single(dorm__net_line *line, size_t weight);
/* Fixes the scores, whatever the step. */
void dorm__net_line_still(dorm__net_line *line);
/* scores[count] += scores of the net with weights + step * direction. O(count), times the hidden units; for a single
 * weight O(count). */
void dorm__net_line_add(dorm__net_line *line, double step, double *scores);

/* ---- gradient.c ----------------------------------------------------------- */

/* The memory of back-propagation beside the net: rows, a λ-function, and the scratch space of the threads. */
typedef struct dorm__net_gradient dorm__net_gradient;

/* Counts of a pass over some queries. */
typedef struct dorm__net_pass {
  double cost;      /* the sum over the queries; NaN if the λ-function has none */
  size_t num_pairs; /* with a force (dorm__lambda_at) */
} dorm__net_pass;

/* All that is handed over is borrowed. The rows may be sparse only for nets without hidden units. */
dorm_status dorm__net_gradient_new(dorm_context *context, const dorm_dataset *dataset, const dorm__features *rows,
                                   const dorm__lambda *lambda, size_t hidden, size_t num_threads,
                                   dorm__net_gradient **gradient);
void dorm__net_gradient_free(dorm__net_gradient *gradient);
/* Chooses the random draws of the λ-function, round 0 at first. */
void dorm__net_gradient_set_round(dorm__net_gradient *gradient, uint64_t round);
/* slope[dorm__net_size] becomes sum over queries q of sum over documents j of λ_j dg_j / dweight, minus the derivative
 * of the cost where one exists: the direction in which weights should move. The queries are queries[count]. The result
 * does not depend on the number of threads. DORM_NUMERICAL_FAILURE if scores or λ leave the range of numbers. */
dorm_status dorm__net_slope(dorm_context *context, dorm__net_gradient *gradient, const dorm__net *net, size_t count,
                            const size_t *queries, double *slope, dorm__net_pass *pass);

/* ---- descent.c ------------------------------------------------------------ */

/* In the order of the words of net.schedule. */
typedef enum dorm__net_schedule { DORM__SCHEDULE_ADAM, DORM__SCHEDULE_DONMEZ } dorm__net_schedule;

typedef struct dorm__descent_options {
  dorm__net_schedule schedule;
  size_t batch;  /* queries of a step; 0: all */
  double rate;   /* of a step */
  uint64_t seed; /* draws the order of the queries and, with `donmez`, what else is left to chance */
} dorm__descent_options;

/* A training: a net that becomes better from epoch to epoch. */
typedef struct dorm__descent dorm__descent;

/* Begins at a copy of `start`. Gradient, λ-function, rows and data set are borrowed. */
dorm_status dorm__descent_new(dorm_context *context, dorm__net_gradient *gradient, const dorm_dataset *dataset,
                              const dorm__features *rows, const dorm__net *start, const dorm__descent_options *options,
                              dorm__descent **descent);
void dorm__descent_free(dorm__descent *descent);
const dorm__net *dorm__descent_net(const dorm__descent *descent);
/* Goes through all queries once. DORM_NUMERICAL_FAILURE with a message if scores or weights leave the range of numbers;
 * the net is then of no use any more. */
dorm_status dorm__descent_epoch(dorm_context *context, dorm__descent *descent, dorm__net_pass *pass);
/* Tells the schedule the values of the measure after the epoch, on the training data and on those that nets are chosen
 * by. `adam` does not need to know. */
dorm_status dorm__descent_heed(dorm_context *context, dorm__descent *descent, double training_value,
                               double choosing_value);

#endif
