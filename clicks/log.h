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
  uint32_t number; /* in the order of the log */
} dorm__click_cell;

/* A click of one impression. */
typedef struct dorm__click {
  uint32_t cell;
  bool begins; /* it is the first one of its impression */
} dorm__click;

/* Exponents stay where sums of inverse propensities are finite. */
#define DORM__LARGEST_ETA 10.0
/* The probability of the chi-square test below which a curve is no power law. */
#define DORM__LEAST_MISFIT 0.01

/* Propensities, and how they depend on clicks, so that errors of results include the errors of both. A click of a cell
 * moves the slope of the likelihood by h (curve.c), eta by -by_eta h, and log look[k] of a free curve by inverse[k] h
 * more than at the first position of the component. */
typedef struct dorm__click_curve {
  double *look;             /* [num_positions] p, > 0 */
  double *trust;            /* [num_positions] after look: added to p times relevance (affine.c) */
  double eta;               /* NaN: not a power law */
  double eta_error;         /* its standard error; NaN if it was given */
  double tau;               /* trust at the first position; 0 unless it was estimated */
  double affine[3];         /* the variance of eta, the covariance with tau, the variance of tau; 0 without trust */
  size_t size;              /* the first positions, whose clicks decide; 0: given, or with trust */
  double *value;            /* [size] the maximum of the likelihood; 0 if nothing is known */
  size_t *component;        /* [size] the first position of the component; values of one component are comparable */
  double *inverse, *by_eta; /* [size][size] with a free curve, [size] */
  double *rate;             /* [num_docs] phi / m of a regression; NULL: harvesting */
  double phi;               /* likewise; 0 */
  size_t num_components;    /* of two positions or more; 0: no estimate */
  bool is_free;             /* look is no power law */
  double misfit;            /* probability of a chi-square this large if the power law holds; NaN for few positions */
} dorm__click_curve;

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
  dorm__click *single;     /* [num_clicks] in the order of the log; NULL: only sums are known */
  dorm__click_curve curve;
  double *looks; /* [num_docs] the sum of propensities over the times that a document was shown */
  double *net;   /* [num_docs] clicks, less the clicks of trust */
  double *model; /* [num_docs] m of gains.c; NULL: none */
  double phi;    /* of the model */
};

/* Fails if a log was read for another data set. */
dorm_status dorm__clicks_check(dorm_context *context, const dorm_clicks *clicks, const dorm_dataset *dataset);
/* How often documents that moved were clicked. */
double dorm__clicks_on_moved(const dorm_clicks *clicks);

/* ---- curve.c -------------------------------------------------------------------- */

/* Frees all but look and trust, after which the propensities are given. */
void dorm__curve_clear(dorm__click_curve *curve);
/* Fills look and trust: k^-eta (1 - tau / k) and k^-eta tau / k. */
void dorm__curve_fill(dorm__click_curve *curve, size_t num_positions, double eta, double tau);
/* Fills all but look and rate, which are given, and look. O(cells positions) a step. */
dorm_status dorm__curve_fit(dorm_context *context, const dorm_clicks *clicks, dorm_click_curve shape,
                            dorm__click_curve *curve);
/* Adds to effect[num_cells] by how much one click moves a value by way of the propensities, for its slopes
 * by_look [num_positions] by log p. */
dorm_status dorm__curve_effects(dorm_context *context, const dorm_clicks *clicks, const double *by_look,
                                double *effect);
/* An estimate of the variance of the clicks of a cell, n p (1 - p). */
double dorm__click_variance(const dorm__click_cell *cell);
/* Fills looks and net by the curve. */
void dorm__clicks_count(dorm_clicks *clicks);
/* The slope of the looks at a document, by log p of the position of one of its cells. */
double dorm__click_look_share(const dorm_clicks *clicks, size_t cell);

/* ---- click_regression.c ----------------------------------------------------------- */

/* Fills rate and phi of the curve from clicks and features. Unless is_free, p is a power law. */
dorm_status dorm__click_regression(dorm_context *context, const dorm_clicks *clicks, const dorm_dataset *dataset,
                                   bool is_free, dorm__click_curve *curve);

/* ---- affine.c --------------------------------------------------------------------- */

/* Estimates propensities with trust. */
dorm_status dorm__affine_estimate(dorm_context *context, dorm_clicks *clicks);
/* The variance of a value with these slopes by log of the propensities and by trust [num_positions]; 0 unless trust
 * was estimated. */
double dorm__affine_variance(const dorm_clicks *clicks, const double *by_look, const double *by_trust);

#endif
