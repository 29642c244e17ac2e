/*
 * nets.h: nets that score documents, with a single layer or with a layer of hidden tanh units. A λ-function computes
 * how each score should move, and back-propagation turns this into a change of the weights. Sources: Burges, "Ranking
 * as Learning Structured Outputs", and Donmez, Svore and Burges, "On the Local Optimality of LambdaRank".
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
 * The output has no threshold, since a constant changes no ranking. */
typedef struct dorm__net {
  size_t width; /* of the rows */
  size_t hidden;
  double *weights; /* [dorm__net_size], owned */
} dorm__net;

size_t dorm__net_size(size_t width, size_t hidden);
/* Makes a net with all weights 0. The caller clears it, also on failure. Fails only when out of memory. */
dorm_status dorm__net_new(dorm_context *context, size_t width, size_t hidden, dorm__net *net);
dorm_status dorm__net_copy(dorm_context *context, const dorm__net *net, dorm__net *copy);
void dorm__net_clear(dorm__net *net);
/* Fills a net that dorm__net_new has made with random weights for these rows. Over all documents, the inputs of each
 * hidden unit get mean 0, by the choice of t, and a standard deviation near 1. v_k is drawn from N(0, 1 / hidden). The
 * scores of a single layer get a standard deviation near 1. */
dorm_status dorm__net_draw(dorm_context *context, const dorm__features *rows, dorm__random *random, dorm__net *net);
/* Fills a net that dorm__net_new has made so that its scores are nearly <w, x> / spread, up to a constant. A single
 * layer gets the weights w / spread. With hidden units, the first one gets these weights, scaled down so that tanh is
 * nearly linear. The others are drawn at random, and v_k = 0 for them. `spread` is the standard deviation of the scores
 * <w, x> within queries, and 0 counts as 1. */
dorm_status dorm__net_start_linear(dorm_context *context, const dorm__features *rows, const double *w, double spread,
                                   dorm__random *random, dorm__net *net);
/* Computes scores[num_docs] of the rows. They may be sparse only if the net is a single layer. The scores do not depend
 * on num_threads. O(width (hidden + 1)) per document. Fails only when out of memory. */
dorm_status dorm__net_score(dorm_context *context, const dorm__net *net, const dorm__features *rows, size_t num_threads,
                            double *scores);

/* ---- line.c --------------------------------------------------------------- */

/* Computes scores of some documents while the weights move along a line. */
typedef struct dorm__net_line dorm__net_line;

/* Makes a line for at most `room` documents at a time. Borrows net and rows. Rows may be sparse only for a single
 * layer. */
dorm_status dorm__net_line_new(dorm_context *context, const dorm__net *net, const dorm__features *rows, size_t room,
                               dorm__net_line **line);
void dorm__net_line_free(dorm__net_line *line);
/* Sets the documents to first .. first + count - 1. Until a direction is set, the scores do not depend on the step.
 * Costs one product with their rows. */
void dorm__net_line_documents(dorm__net_line *line, size_t first, size_t count);
/* Sets the direction [dorm__net_size], which is borrowed. Returns false if no step along it changes the ranking of
 * these documents. Costs one product with their rows. */
bool dorm__net_line_direction(dorm__net_line *line, const double *direction);
/* Sets the direction in which only one weight grows, numbered as in dorm__net. Returns false as above. Costs one column
 * of the rows. */
bool dorm__net_line_single(dorm__net_line *line, size_t weight);
/* Removes the direction, so that the scores do not depend on the step. */
void dorm__net_line_still(dorm__net_line *line);
/* Adds the scores of the net with weights + step * direction to scores[count]. O(count hidden), or O(count) for a
 * single weight. */
void dorm__net_line_add(dorm__net_line *line, double step, double *scores);

/* ---- gradient.c ----------------------------------------------------------- */

/* All that back-propagation needs besides the net: rows, a λ-function, and the scratch space of the threads. */
typedef struct dorm__net_gradient dorm__net_gradient;

/* Totals of a pass over some queries. */
typedef struct dorm__net_pass {
  double cost;      /* sum over the queries, NaN if the λ-function has no cost */
  size_t num_pairs; /* of documents with a force between them (dorm__lambda_at) */
} dorm__net_pass;

/* Makes a gradient. Borrows data set, rows and λ-function. The rows may be sparse only for nets without hidden units.
 */
dorm_status dorm__net_gradient_new(dorm_context *context, const dorm_dataset *dataset, const dorm__features *rows,
                                   const dorm__lambda *lambda, size_t hidden, size_t num_threads,
                                   dorm__net_gradient **gradient);
void dorm__net_gradient_free(dorm__net_gradient *gradient);
/* Sets the round, 0 at first. A λ-function that draws random numbers draws others in each round. */
void dorm__net_gradient_set_round(dorm__net_gradient *gradient, uint64_t round);
/* Fills slope[dorm__net_size] with the sum over queries[count] and their documents j of λ_j dg_j / dweight. This is
 * the direction in which weights should move, and minus the derivative of the cost if the λ-function has one. The
 * result does not depend on the number of threads. Returns DORM_NUMERICAL_FAILURE if scores or λ overflow. */
dorm_status dorm__net_slope(dorm_context *context, dorm__net_gradient *gradient, const dorm__net *net, size_t count,
                            const size_t *queries, double *slope, dorm__net_pass *pass);

/* ---- descent.c ------------------------------------------------------------ */

/* In the order of the words of net.schedule. */
typedef enum dorm__net_schedule { DORM__SCHEDULE_ADAM, DORM__SCHEDULE_DONMEZ } dorm__net_schedule;

typedef struct dorm__descent_options {
  dorm__net_schedule schedule;
  size_t batch;  /* queries per step, 0: all */
  double rate;   /* of a step */
  uint64_t seed; /* of the order of the queries and of the other random choices of `donmez` */
} dorm__descent_options;

/* The training of a net, epoch by epoch. */
typedef struct dorm__descent dorm__descent;

/* Makes a training that begins with a copy of `start`. Borrows gradient and rows. */
dorm_status dorm__descent_new(dorm_context *context, dorm__net_gradient *gradient, const dorm_dataset *dataset,
                              const dorm__features *rows, const dorm__net *start, const dorm__descent_options *options,
                              dorm__descent **descent);
void dorm__descent_free(dorm__descent *descent);
const dorm__net *dorm__descent_net(const dorm__descent *descent);
/* Trains on all queries once. Returns DORM_NUMERICAL_FAILURE if scores or weights overflow. The net must not be used
 * afterwards. */
dorm_status dorm__descent_epoch(dorm_context *context, dorm__descent *descent, dorm__net_pass *pass);
/* Gives the schedule the values of the measure after an epoch: on the training data, and on the data by which nets are
 * chosen. `adam` ignores both. `donmez` may lower the rate or draw new weights. Fails only when out of memory. */
dorm_status dorm__descent_heed(dorm_context *context, dorm__descent *descent, double training_value,
                               double choosing_value);

#endif
