/* log.h: a log of clicks in memory, shared by the files of this folder. */
#ifndef DORM_CLICKS_LOG_H
#define DORM_CLICKS_LOG_H

#include "clicks/clicks.h"

/* A document at a position. */
typedef struct dorm__click_cell {
  size_t doc;
  size_t position; /* from 0 */
  double shown;    /* how often, > 0 */
  double clicks;   /* of these times */
} dorm__click_cell;

/* A click of one impression. */
typedef struct dorm__click {
  uint32_t cell;
  bool begins; /* it is the first one of its impression */
} dorm__click;

struct dorm_clicks {
  char *path;
  size_t num_docs;
  size_t num_queries;
  size_t num_positions;
  size_t num_impressions;
  size_t num_clicks;
  size_t num_cells;
  dorm__click_cell *cells; /* [num_cells], by document, then by position */
  size_t *cell_start;      /* [num_docs + 1] */
  size_t *query_of;        /* [num_docs] */
  double *impressions;     /* [num_queries] */
  dorm__click *single;     /* [num_clicks] in the order of the log; NULL where impressions do not stand apart */
  double *propensity;      /* [num_positions], > 0 */
  double eta;              /* NaN: not a power law */
};

/* What a click on a document is worth: the inverse of a propensity. */
double dorm__click_worth(const dorm_clicks *clicks, size_t doc);
/* Fails if a log was read for another data set. */
dorm_status dorm__clicks_check(dorm_context *context, const dorm_clicks *clicks, const dorm_dataset *dataset);

/* An estimate of propensities, all 0 before. Values have a common scale within a component alone. */
typedef struct dorm__click_curve {
  double *value;     /* [num_positions], 0 where nothing is known */
  double *weight;    /* [num_positions] of what is known, > 0 where a value is */
  size_t *component; /* [num_positions] the first position of the component */
} dorm__click_curve;

/* ---- harvest.c ------------------------------------------------------------ */

/* How often documents that moved were clicked. */
double dorm__clicks_on_moved(const dorm_clicks *clicks);
/* Positions are in one component where documents that moved link them. */
dorm_status dorm__harvest(dorm_context *context, const dorm_clicks *clicks, const dorm__click_curve *curve);

/* ---- click_regression.c ------------------------------------------------------ */

/* The same from clicks and features; all positions are one component. Unless is_free, the curve is a power law. */
dorm_status dorm__click_regression(dorm_context *context, const dorm_clicks *clicks, const dorm_dataset *dataset,
                                   bool is_free, const dorm__click_curve *curve);

#endif
