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

/* Exponents stay where sums of inverse propensities are finite. */
#define DORM__LARGEST_ETA 10.0

/* Propensities, and how they depend on clicks, so that errors of results include the errors of both. A click of a cell
 * moves the slope of the likelihood by h (curve.c), and log look[k] by solve[k] h. */
typedef struct dorm__click_curve {
  double *look;           /* [num_positions] p, > 0 */
  double *trust;          /* [num_positions] added to p times relevance (affine.c); NULL: none */
  double eta;             /* NaN: not a power law */
  double eta_error;       /* its standard error; NaN if it was given */
  double tau;             /* trust at the first position */
  double affine[3];       /* with trust: the variance of eta, the covariance with tau, the variance of tau */
  size_t size;            /* the first positions, whose clicks decide; 0: given, or with trust */
  double *value;          /* [size] the maximum of the likelihood; 0 if nothing is known */
  size_t *component;      /* [size] the first position of the component; values of one component are comparable */
  double *solve, *by_eta; /* [size][size], [size] */
  double *rate;           /* [num_docs] phi / m of a regression; NULL: harvesting */
  double phi;             /* likewise; 0 */
  size_t num_components;  /* of two positions or more; 0: no estimate */
  bool is_free;           /* look is no power law */
  double misfit;          /* probability of a chi-square this large if the power law holds; NaN for few positions */
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
  double *model; /* [num_docs] m of gains.c; NULL: none */
  double phi;    /* of the model */
};

/* The sum of propensities over the times that a document was shown, and its clicks, less the clicks of trust. */
double dorm__click_looks(const dorm_clicks *clicks, size_t doc, double *num_clicks);
/* The chance of a click on a document that is seen; by the model, if there is one, also of documents never shown. */
double dorm__click_gain(const dorm_clicks *clicks, size_t doc);
/* The slope of the looks at a document, by log p of the position of one of its cells. */
double dorm__click_look_share(const dorm_clicks *clicks, size_t cell);
/* Fails if a log was read for another data set. */
dorm_status dorm__clicks_check(dorm_context *context, const dorm_clicks *clicks, const dorm_dataset *dataset);
/* How often documents that moved were clicked. */
double dorm__clicks_on_moved(const dorm_clicks *clicks);

/* ---- propensities.c ----------------------------------------------------------- */

/* Adds to effect[num_cells] by how much one click moves a value by way of the propensities, for its slopes
 * by_look [num_positions] by log p and by_trust [num_positions] by trust. *variance becomes what trust adds. */
dorm_status dorm__curve_effects(dorm_context *context, const dorm_clicks *clicks, const double *by_look,
                                const double *by_trust, double *effect, double *variance);

/* ---- curve.c -------------------------------------------------------------------- */

/* Frees all but look, after which the propensities are given. */
void dorm__curve_clear(dorm__click_curve *curve);
void dorm__curve_free(dorm__click_curve *curve);
void dorm__curve_fill_power(dorm__click_curve *curve, size_t num_positions, double eta);
/* Fills all but look and rate, which are given, and look. O(cells positions) a step. */
dorm_status dorm__curve_fit(dorm_context *context, const dorm_clicks *clicks, dorm_click_curve shape,
                            dorm__click_curve *curve);
/* lambda' h of a click of a cell; lambda [size], share [num_positions] is room. */
double dorm__curve_effect(const dorm_clicks *clicks, const dorm__click_curve *curve, size_t cell, const double *lambda,
                          double *share);

/* ---- click_regression.c ----------------------------------------------------------- */

/* Fills rate and phi of the curve from clicks and features. Unless is_free, p is a power law. */
dorm_status dorm__click_regression(dorm_context *context, const dorm_clicks *clicks, const dorm_dataset *dataset,
                                   bool is_free, dorm__click_curve *curve);

/* ---- affine.c --------------------------------------------------------------------- */

/* Estimates propensities with trust, for which the curve has room. */
dorm_status dorm__affine_estimate(dorm_context *context, dorm_clicks *clicks);
void dorm__affine_fill(dorm_clicks *clicks, double eta, double tau);
/* The variance of a value with these slopes by log of the propensities and by trust [num_positions]. */
double dorm__affine_variance(const dorm_clicks *clicks, const double *by_look, const double *by_trust);

#endif
