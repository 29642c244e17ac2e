/* probe.h: tests whether a model is a local optimum of a measure. */
#ifndef DORM_PROBE_H
#define DORM_PROBE_H

#include <stddef.h>
#include <stdint.h>

#include "dorm/dataset.h"
#include "dorm/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Options of dorm_model_probe. A field that is 0 has the default in brackets. NULL instead of the struct gives all
 * defaults. */
typedef struct dorm_probe_options {
  size_t struct_size;    /* sizeof(dorm_probe_options) */
  double epsilon;        /* share of directions that may remain undetected (0.01) */
  double delta;          /* probability of an error (0.01) */
  size_t num_directions; /* K (the smallest number for epsilon and delta, 459) */
  size_t num_steps;
  const double *steps; /* [num_steps], positive (0.001, 0.01, 0.1, 0.2, ..., 1) */
  int skips_single;    /* 1: do not move the weights one at a time */
  uint64_t seed;       /* of the directions */
  size_t num_threads;  /* 0: one per processor; does not change the results */
} dorm_probe_options;

/* The change of the mean of the measure by moves of one length. Values with a relative difference below 1e-12 count as
 * equal. */
typedef struct dorm_probe_row {
  double step;
  double length;                           /* of the moves: step, or step times |w| */
  size_t num_better, num_equal, num_worse; /* numbers of moves */
  double largest_gain;                     /* of the measure by such a move, 0 if none is better */
  double least_share, most_share;          /* bounds on the share of better moves among all that could be drawn, each
                                            * with confidence 1 - delta (Clopper and Pearson) */
} dorm_probe_row;

typedef struct dorm_probe_moves {
  size_t num_moves;
  size_t num_rows; /* twice the number of steps: first absolute, then in units of |w| */
  const dorm_probe_row *rows;
  size_t num_rising;              /* moves that are better at one length or more */
  double least_share, most_share; /* bounds on the share of these, as above */
} dorm_probe_moves;

typedef struct dorm_probe {
  const char *measure; /* with all its conventions */
  int lower_is_better;
  double value;       /* of the measure at the weights w */
  size_t num_weights; /* in w */
  double norm;        /* |w| */
  double epsilon, delta;
  dorm_probe_moves directions; /* random, in all weights */
  dorm_probe_moves singles;    /* one weight up (even numbers) or down (odd numbers) */
  const double *curves;        /* [directions.num_moves][directions.num_rows] the measure after each move */
} dorm_probe;

/* Tests whether a model is a local optimum of a measure on a data set (Donmez, Svore and Burges 2009, section 5). It
 * moves the weights of linear parts, kernel parts and nets, all together. Kernel parts move in the feature space of the
 * kernel, by its pivots. The moves are every step along K = ceil(ln delta / ln(1 - epsilon)) directions, uniform on the
 * sphere. It counts the moves after which the measure is better. If no move is better, the probability that a share
 * epsilon of all directions is better is below delta.
 *
 * The caller frees *probe. A model with trees or functions of positions returns DORM_BAD_USAGE. A call that is
 * cancelled returns DORM_STOPPED and no probe. Cost: K products of rows and weights, and for each query, direction and
 * step a ranking that is updated from the one before. */
DORM_API dorm_status dorm_model_probe(dorm_context *context, const dorm_model *model, const dorm_dataset *dataset,
                                      const char *measure, const dorm_probe_options *options, dorm_probe **probe);
/* Frees the result of a probe. */
DORM_API void dorm_probe_free(dorm_probe *probe);

#ifdef __cplusplus
}
#endif

#endif
