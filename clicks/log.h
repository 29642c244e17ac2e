/* log.h: a log of clicks in memory, shared by the files of this folder. */
#ifndef DORM_CLICKS_LOG_H
#define DORM_CLICKS_LOG_H

#include "clicks/clicks.h"

/* A document at a position. */
typedef struct dorm__click_cell {
  size_t doc;
  size_t position; /* from 0 */
  double shown;    /* times shown, > 0 */
  double clicks;   /* at most `shown` */
  uint32_t number; /* in the order of the log */
} dorm__click_cell;

/* A click of one impression. */
typedef struct dorm__click {
  uint32_t cell;
  bool begins; /* the first click of its impression */
} dorm__click;

/* The largest exponent, for which sums of inverse propensities are still finite. */
#define DORM__LARGEST_ETA 10.0
/* The p-value of the score test below which a curve is no power law. */
#define DORM__LEAST_MISFIT 0.01

/* Propensities, and how they depend on clicks, so that errors of results include the errors of both. A click of a cell
 * changes the gradient of the likelihood by h (curve.c), and eta by -by_eta h. In a free curve it changes log look[k]
 * by inverse[k] h more than at the first position of the component. */
typedef struct dorm__click_curve {
  double *look;             /* [num_positions] p, > 0 */
  double *trust;            /* [num_positions] follows look in memory, added to p times relevance (affine.c) */
  double eta;               /* NaN if not a power law */
  double eta_error;         /* its standard error, NaN if eta was given */
  double tau;               /* trust at the first position, 0 unless estimated */
  double affine[3];         /* variance of eta, covariance with tau, variance of tau, all 0 without trust */
  size_t size;              /* number of first positions used, 0 if p is given or has trust */
  double *value;            /* [size] p at the maximum of the likelihood, 0 if unknown */
  size_t *component;        /* [size] first position of the component (values of one component are comparable) */
  double *inverse, *by_eta; /* [size][size] for free curves, [size] */
  double *rate;             /* [num_docs] phi / m of a regression, NULL for harvesting */
  double phi;               /* of a regression, 0 for harvesting */
  size_t num_components;    /* of two or more positions, 0 if there is no estimate */
  bool is_free;             /* look is not a power law */
  double misfit;            /* p-value of the power law, NaN if there are too few positions */
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
  dorm__click *single;     /* [num_clicks] in the order of the log, or NULL if only sums are known */
  dorm__click_curve curve;
  double *looks; /* [num_docs] sum of propensities over the times that a document was shown */
  double *net;   /* [num_docs] clicks minus clicks by trust */
  double *model; /* [num_docs] m of gains.c, or NULL */
  double phi;    /* of the model */
};

/* Fails if the log was read for another data set. */
dorm_status dorm__clicks_check(dorm_context *context, const dorm_clicks *clicks, const dorm_dataset *dataset);
/* Returns the number of clicks on documents that moved. */
double dorm__clicks_on_moved(const dorm_clicks *clicks);

/* ---- curve.c -------------------------------------------------------------------- */

/* Frees everything but look and trust. The propensities then count as given. */
void dorm__curve_clear(dorm__click_curve *curve);
/* Fills look and trust: k^-eta (1 - tau / k) and k^-eta tau / k. */
void dorm__curve_fill(dorm__click_curve *curve, size_t num_positions, double eta, double tau);
/* Fits the curve and fills everything but rate, which is given. The caller allocates look and trust. O(cells positions)
 * per step. */
dorm_status dorm__curve_fit(dorm_context *context, const dorm_clicks *clicks, dorm_click_curve shape,
                            dorm__click_curve *curve);
/* Adds to effect[num_cells] how much one click moves a value through the propensities. by_look [num_positions] are the
 * derivatives of the value by log p. */
dorm_status dorm__curve_effects(dorm_context *context, const dorm_clicks *clicks, const double *by_look,
                                double *effect);
/* Returns an estimate of the variance of the clicks of a cell, n p (1 - p). */
double dorm__click_variance(const dorm__click_cell *cell);
/* Fills looks and net from the curve. */
void dorm__clicks_count(dorm_clicks *clicks);
/* Returns the derivative of the looks at a document by log p of the position of one of its cells. */
double dorm__click_look_share(const dorm_clicks *clicks, size_t cell);

/* ---- click_regression.c ----------------------------------------------------------- */

/* Fills rate and phi of the curve from clicks and features. Unless is_free, p is a power law. */
dorm_status dorm__click_regression(dorm_context *context, const dorm_clicks *clicks, const dorm_dataset *dataset,
                                   bool is_free, dorm__click_curve *curve);

/* ---- affine.c --------------------------------------------------------------------- */

/* Estimates propensities with trust. */
dorm_status dorm__affine_estimate(dorm_context *context, dorm_clicks *clicks);
/* Returns the variance of a value from its derivatives by log propensity and by trust [num_positions], or 0 unless
 * trust was estimated. */
double dorm__affine_variance(const dorm_clicks *clicks, const double *by_look, const double *by_trust);

#endif
