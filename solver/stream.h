/* stream.h: the dual of a stream of queries, of which a window is kept; solver.h includes it. */
#ifndef DORM_SOLVER_STREAM_H
#define DORM_SOLVER_STREAM_H

#include "solver/solver.h"

/* The queries so far, the last ones with their rows and columns, and w. stream.c says what is minimised. */
typedef struct dorm__stream dorm__stream;

typedef struct dorm__stream_options {
  const dorm__loss *loss;                         /* borrowed */
  const dorm__position_weights *position_weights; /* borrowed */
  dorm__reference reference;
  dorm__oracle_method method;
  bool checks_oracles;
  size_t window;  /* queries that are kept, at least 1 */
  size_t visits;  /* queries of the window that are asked again after each new one */
  bool is_sparse; /* whether the rows are */
  double C;     /* what a query's dual variables add up to at most; with is_mean, times the queries so far or `prior` */
  bool is_mean; /* C is divided by the number of queries so far, or not at all */
  size_t prior; /* with is_mean: what C is divided by at least */
  bool is_subgradient; /* the whole of C goes to the ranking that is violated when the query comes */
} dorm__stream_options;

/* What a stream knows of its window, whose problem is min over w of 1/2 |w - w0|^2 + C_t sum xi_i with the weights w0
 * of everything that has left it. */
typedef struct dorm__window_report {
  size_t num_queries;
  double primal, dual, gap; /* at the present w; the gap is relative, (primal - dual) / primal */
  double best_primal, best_dual, best_gap;
  double online; /* mean hinge of the window's queries when each came, before anything was learned from it */
  double best;   /* their mean hinge at the best fixed w; online - best is the regret per query */
} dorm__window_report;

dorm_status dorm__stream_new(dorm_context *context, const dorm__stream_options *options, dorm__stream **stream);
void dorm__stream_free(dorm__stream *stream);
/* Makes `base` [width] the w of an empty stream, which then minimises over w - base. */
dorm_status dorm__stream_start_at(dorm_context *context, dorm__stream *stream, size_t width, const double *base);
/* Takes the next query, a data set of one query with its rows, also on failure. *scores become its scores at w,
 * borrowed until the next call. features->num_features may grow from query to query; what earlier rows lack is 0. Where
 * the window is full, its oldest query leaves: its part of w stays. O(rows, and width where C is divided). */
dorm_status dorm__stream_offer(dorm_context *context, dorm__stream *stream, dorm_dataset *query,
                               dorm__features *features, const double **scores);
/* Learns from the query that was offered. */
dorm_status dorm__stream_learn(dorm_context *context, dorm__stream *stream);
/* The number of queries that were learned from, without those whose rankings all cost the same. */
uint64_t dorm__stream_num_trained(const dorm__stream *stream);
/* The features that w has; what follows the first *width weights is 0. */
const double *dorm__stream_weights(const dorm__stream *stream, size_t *width);

/* ---- window.c ---- */

/* Certifies the present w for the window's problem, then solves that to the relative gap, in `most_passes` passes at
 * most, and forgets the solution: nothing is learned from it. */
dorm_status dorm__stream_report(dorm_context *context, dorm__stream *stream, double gap, size_t most_passes,
                                dorm__window_report *report);

/* ---- stream_record.c ---- */

/* Writes all that the stream is, and reads it into a new one with the same options, which then goes on to the same
 * bits. reader->is_bad becomes true where the record does not fit. */
void dorm__stream_save(const dorm__stream *stream, dorm__record_writer *writer);
dorm_status dorm__stream_restore(dorm_context *context, dorm__stream *stream, dorm__record_reader *reader);

#endif
