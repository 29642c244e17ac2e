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

/* How estimated propensities depend on clicks, so that the errors of what is computed from both include theirs. An
 * estimate solves sum over cells of clicks h = 0 for log p, h [size] of a cell (uncertainty.c). If a value has the
 * slopes g by log p, each click of a cell moves it by lambda' h, lambda = solve g. */
typedef struct dorm__click_sources {
  size_t size;       /* the first positions, whose clicks decide */
  double *value;     /* [size] p before a power law replaces it; 0 where nothing is known */
  size_t *component; /* [size] */
  double *rate;      /* [num_docs] phi / m of a regression; NULL: harvesting */
  double *solve;     /* [size][size] */
  double *by_eta;    /* [size] lambda of eta itself */
} dorm__click_sources;

/* Propensities with trust (affine.c). */
typedef struct dorm__click_trust {
  double *trust; /* [num_positions] added to propensity times relevance; NULL: none */
  double tau;
  double covariance[3]; /* the variances of eta and tau, their covariance between */
} dorm__click_trust;

struct dorm_clicks {
  char *path;
  size_t num_docs;
  size_t num_queries;
  size_t num_positions;
  size_t num_impressions;
  size_t num_clicks;
  size_t num_cells;
  dorm__click_cell *cells;      /* [num_cells], by document, then by position */
  size_t *cell_start;           /* [num_docs + 1] */
  size_t *query_of;             /* [num_docs] */
  double *impressions;          /* [num_queries] */
  dorm__click *single;          /* [num_clicks] in the order of the log; NULL where impressions do not stand apart */
  double *propensity;           /* [num_positions], > 0 */
  double eta;                   /* NaN: not a power law */
  double eta_error;             /* its standard error; NaN if it was given */
  dorm__click_sources *sources; /* NULL: the propensities were given */
  dorm__click_trust affine;
  double *model; /* [num_docs] m of gains.c; NULL: none */
  double phi;    /* of the model */
};

/* What a click on a document is worth: the inverse of a propensity. */
double dorm__click_worth(const dorm_clicks *clicks, size_t doc);
/* The sum of propensities over the times that a document was shown, and its clicks, less
 * those that trust explains. */
double dorm__click_looks(const dorm_clicks *clicks, size_t doc, double *num_clicks);
/* The chance of a click on a document that is seen; by the model, if there is one, also of documents never shown. */
double dorm__click_gain(const dorm_clicks *clicks, size_t doc);
/* The slope of the looks at a document, by log p of the position of one of its cells. */
double dorm__click_look_share(const dorm_clicks *clicks, size_t cell);
/* Fails if a log was read for another data set. */
dorm_status dorm__clicks_check(dorm_context *context, const dorm_clicks *clicks, const dorm_dataset *dataset);

/* An estimate of propensities, all 0 before. Values have a common scale within a component alone. */
typedef struct dorm__click_curve {
  double *value;     /* [num_positions], 0 where nothing is known */
  double *weight;    /* [num_positions] of what is known, > 0 where a value is */
  size_t *component; /* [num_positions] the first position of the component */
  double *rate;      /* [num_docs] of a regression: phi / m; all 0 for harvesting */
  double phi;        /* likewise */
} dorm__click_curve;

/* ---- affine.c ----------------------------------------------------------------- */

/* Estimates propensities with trust, for which clicks->trust has room. */
dorm_status dorm__affine_estimate(dorm_context *context, dorm_clicks *clicks);
void dorm__affine_fill(dorm_clicks *clicks, double eta, double tau);
/* The variance of a value with these slopes by log of the propensities and by trust [num_positions]. */
double dorm__affine_variance(const dorm_clicks *clicks, const double *by_look, const double *by_trust);

/* ---- uncertainty.c ------------------------------------------------------------ */

/* Fills clicks->sources and clicks->eta_error. *misfit is the probability of a chi-square this large if the power law
 * holds; NaN if there are too few positions. */
dorm_status dorm__click_sources_new(dorm_context *context, dorm_clicks *clicks, const dorm__click_curve *curve,
                                    bool is_regression, bool is_free, double *misfit);
void dorm__click_sources_free(dorm__click_sources *sources);
/* effect[num_cells]: by how much one click moves a value by way of the propensities; slope[num_positions] of the value
 * by log p. */
dorm_status dorm__click_effects(dorm_context *context, const dorm_clicks *clicks, const double *slope, double *effect);

/* ---- harvest.c ------------------------------------------------------------ */

/* Means over the known positions of a component, by weight. */
typedef struct dorm__curve_means {
  size_t num;
  double x, y, weight; /* of log k and log p_k; the sum of weights */
} dorm__curve_means;

bool dorm__curve_has(const dorm__click_curve *curve, size_t component, size_t k);
dorm__curve_means dorm__curve_means_of(size_t count, const dorm__click_curve *curve, size_t component);

/* How often documents that moved were clicked. */
double dorm__clicks_on_moved(const dorm_clicks *clicks);
/* Positions are in one component where documents that moved link them. */
dorm_status dorm__harvest(dorm_context *context, const dorm_clicks *clicks, const dorm__click_curve *curve);

/* ---- click_regression.c ------------------------------------------------------ */

/* The same from clicks and features; all positions are one component. Unless is_free, the curve is a power law. */
dorm_status dorm__click_regression(dorm_context *context, const dorm_clicks *clicks, const dorm_dataset *dataset,
                                   bool is_free, dorm__click_curve *curve);

#endif
