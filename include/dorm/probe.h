/* probe.h: is a model a local optimum of a measure? */
#ifndef DORM_PROBE_H
#define DORM_PROBE_H

#include <stddef.h>
#include <stdint.h>

#include "dorm/dataset.h"
#include "dorm/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How dorm_model_probe moves the weights of a model. All zeros but the first, or
 * NULL, are the values in brackets. */
typedef struct dorm_probe_options {
  size_t struct_size;    /* sizeof(dorm_probe_options) */
  double epsilon;        /* share of directions that may go unnoticed (0.01) */
  double delta;          /* probability of an error (0.01) */
  size_t num_directions; /* K (the least number for epsilon and delta, 459) */
  size_t num_steps;
  const double *steps; /* [num_steps] positive (0.001, 0.01, 0.1, 0.2, ..., 1) */
  int skips_single;    /* 1: does not move the weights one at a time */
  uint64_t seed;       /* of the directions */
  size_t num_threads;  /* 0: one for each processor; what is found does not depend on it */
} dorm_probe_options;

/* What moves of one length did to the mean of the measure. Values that differ by
 * less than 1e-12 of the values count as equal. */
typedef struct dorm_probe_row {
  double step;
  double length;                           /* of the moves: step, or step times |w| */
  size_t num_better, num_equal, num_worse; /* moves */
  double largest_gain;                     /* of the measure by such a move; 0 if none is better */
  double least_share, most_share;          /* of moves that are better, among all that could be drawn: each bound holds
                                              with confidence 1 - delta (Clopper and Pearson) */
} dorm_probe_row;

typedef struct dorm_probe_moves {
  size_t num_moves;
  size_t num_rows; /* twice the number of steps: first absolute, then in units of |w| */
  const dorm_probe_row *rows;
  size_t num_rising;              /* moves that are better at one length at least */
  double least_share, most_share; /* of these, as above */
} dorm_probe_moves;

typedef struct dorm_probe {
  const char *measure; /* with all its conventions */
  int lower_is_better;
  double value;       /* of the measure at the weights w */
  size_t num_weights; /* in w */
  double norm;        /* |w| */
  double epsilon, delta;
  dorm_probe_moves directions; /* random ones, by all weights */
  dorm_probe_moves singles;    /* one weight up (even numbers) or down (odd numbers) */
  const double *curves;        /* [directions.num_moves][directions.num_rows] the measure there */
} dorm_probe;

/* The test of local optimality of Donmez, Svore and Burges (2009, section 5) for
 * the weights of linear parts, kernel parts (in the feature space of the kernel, by
 * its pivots) and nets, all of them together: moves them by every step along K =
 * ceil(ln delta / ln(1 - epsilon)) directions, uniform on the sphere, and looks
 * where the measure on the data set is better than at the weights. If it is nowhere,
 * the probability that it is in a share epsilon of all directions is below delta.
 * A model with trees or functions of positions is DORM_BAD_USAGE; a call that is cancelled leaves no probe,
 * and is DORM_STOPPED. Cost: K products of rows and weights, and
 * for each query, direction and step a ranking that is found from the one before. */
DORM_API dorm_status dorm_model_probe(dorm_context *context, const dorm_model *model, const dorm_dataset *dataset,
                                      const char *measure, const dorm_probe_options *options, dorm_probe **probe);
/* Frees the result of a probe. */
DORM_API void dorm_probe_free(dorm_probe *probe);

#ifdef __cplusplus
}
#endif

#endif
