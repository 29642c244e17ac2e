/* clicks.h: logs of clicks: reading, propensities of positions, training gains, estimates, simulation. */
#ifndef DORM_CLICKS_H
#define DORM_CLICKS_H

#include <stddef.h>
#include <stdint.h>

#include "dorm/context.h"
#include "dorm/dataset.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What users were shown and clicked, merged: for each document and position how often the document was shown there and
 * how often it was clicked. Its size grows with the rankings that were shown, not with the impressions, but for eight
 * bytes for every click of a log of single impressions, the first form below. */
typedef struct dorm_clicks dorm_clicks;

/* Reads a log, plain or gzip, about the documents of a data set, which is not kept. All lines have one of these forms:
 *
 *   query doc position click            a line for each document of an impression; click is 0 or 1. A new impression
 *                                       begins where the query changes or the position does not increase
 *   query doc position shown clicks     how often the document was shown there, and how many of these times clicked;
 *                                       lines of the same document and position are summed. A query has as many
 *                                       impressions as the position that was shown most often
 *   position click                      a line for each document of the data, in their order: one impression of each
 *                                       query; position 0: not shown
 *   position                            the same, as LightGBM's .position files: from 1 on, or from 0 on if one is 0;
 *                                       documents with a label above 0 were clicked
 *
 * Positions count from 1 on. A document without an id is called D17 if it is the 17th of the data. A bad line, an
 * unknown query or document, a document at two positions of an impression, and another number of lines than documents
 * in the last two forms are DORM_BAD_DATA. The propensities are those of (1 / position) until
 * dorm_clicks_set_propensities. O(lines). */
DORM_API dorm_status dorm_clicks_read(dorm_context *context, const char *path, const dorm_dataset *dataset,
                                      dorm_clicks **clicks);
/* Frees a log. */
DORM_API void dorm_clicks_free(dorm_clicks *clicks);
/* The number of impressions: rankings that were shown. */
DORM_API size_t dorm_clicks_num_impressions(const dorm_clicks *clicks);
/* The number of clicks. */
DORM_API size_t dorm_clicks_num_clicks(const dorm_clicks *clicks);
/* The largest position at which a document was shown. */
DORM_API size_t dorm_clicks_num_positions(const dorm_clicks *clicks);
/* Documents that were shown at more than one position, which is what harvesting needs. */
DORM_API size_t dorm_clicks_num_moved(const dorm_clicks *clicks);

/* Where the propensities come from: how likely users look at a position, relative to the first. */
typedef enum dorm_propensity {
  DORM_PROPENSITY_AUTO,    /* harvest where the documents that moved have 100 clicks or more, else em */
  DORM_PROPENSITY_POWER,   /* 1 / position^eta */
  DORM_PROPENSITY_FILE,    /* a line for each position */
  DORM_PROPENSITY_HARVEST, /* from documents shown at several positions (Agarwal et al., WSDM 2019) */
  DORM_PROPENSITY_EM,      /* by regression on the features, with effects of documents (Wang et al., WSDM 2018) */
  DORM_PROPENSITY_NONE,    /* all 1: clicks as they are, which is naive */
  DORM_PROPENSITY_AFFINE   /* with trust in the top positions, from documents shown at several positions: a document
                            * of relevance s is clicked at position k with probability k^-eta (s + (1 - s) trust / k) */
} dorm_propensity;

/* The shape of estimated propensities. */
typedef enum dorm_click_curve {
  DORM_CURVE_AUTO,  /* the power law that fits best; with harvesting the estimates as they are if a chi-square test
                     * rejects it (p < 0.01), with a warning */
  DORM_CURVE_POWER, /* the power law */
  DORM_CURVE_FREE   /* the estimates as they are; the power law between blocks of positions that no documents moved
                     * between */
} dorm_click_curve;

typedef struct dorm_click_options {
  size_t struct_size; /* sizeof(dorm_click_options) */
  dorm_propensity propensity;
  double eta;       /* in [0, 10], with POWER */
  const char *path; /* with FILE */
  dorm_click_curve curve;
} dorm_click_options;

/* Finds the propensities and keeps them in `clicks`; `dataset` is the one that the log was read for. DORM_BAD_DATA if
 * the clicks do not suffice to estimate them. */
DORM_API dorm_status dorm_clicks_set_propensities(dorm_context *context, dorm_clicks *clicks,
                                                  const dorm_dataset *dataset, const dorm_click_options *options);
/* Takes those of another log, and the power law for positions that it does not have. */
DORM_API dorm_status dorm_clicks_share_propensities(dorm_context *context, dorm_clicks *clicks,
                                                    const dorm_clicks *from);
/* Of a position from 1 on, relative to the first; NaN beyond the last one. */
DORM_API double dorm_clicks_propensity(const dorm_clicks *clicks, size_t position);
/* The chance of a click at a position by trust alone; 0 unless the propensities are AFFINE. A click rate is then
 * propensity * relevance + trust. */
DORM_API double dorm_clicks_trust(const dorm_clicks *clicks, size_t position);
/* The exponent of the power law, given or fitted; NaN where the propensities were read from a file or are all 1. */
DORM_API double dorm_clicks_eta(const dorm_clicks *clicks);
/* Its standard error, over impressions of the documents as they were shown; NaN if it was not estimated. */
DORM_API double dorm_clicks_eta_error(const dorm_clicks *clicks);

/* Gives the log a model of clicks: scores [num_docs] of a model that ranks by relevance, best one that was trained on
 * other clicks. They are fitted to the clicks: a document attracts with a probability whose logarithm is linear in its
 * score and in the logarithm of how often users looked at it, and which varies by a Gamma distribution. Gains of
 * dorm_dataset_set_clicks and the estimate `dr` are then doubly robust: the clicks of a document decide where there are
 * many looks, the model where there are few or none (Oosterhuis, "Doubly robust estimation for correcting position bias
 * in click feedback", 2023). Call it after dorm_clicks_set_propensities. O(documents + cells) */
DORM_API dorm_status dorm_clicks_set_model(dorm_context *context, dorm_clicks *clicks, const dorm_dataset *dataset,
                                           const double *scores);

/* Makes a data set one to train on from clicks: the labels become gains, which are the mean over the impressions of the
 * query of what the clicks on the document are worth (impressions of the query / sum of propensities over those that
 * showed the document), and the weights of the queries are multiplied by the number of their impressions. Losses and
 * measures then need linear gains. O(documents) */
DORM_API dorm_status dorm_dataset_set_clicks(dorm_context *context, dorm_dataset *dataset, const dorm_clicks *clicks);

/* Estimates of what a ranking is worth to the users of a log. With weights a[p] = 1/log2(p + 2) of the first positions
 * and clicks worth v as above, T = sum over the clicks of an impression of v a[rank of the document], D = sum of v:
 * ips = sum T / impressions, which has the mean of the DCG whose gains are the chances of a click where the document is
 * seen; snips = sum T / sum D, the mean position weight of what users seek. Standard errors include
 * the errors of propensities that were estimated from this log. */
typedef struct dorm_click_evaluation {
  size_t struct_size; /* sizeof(dorm_click_evaluation) */
  size_t num_impressions;
  size_t num_queries; /* with impressions */
  size_t num_clicks;
  double ips;
  double ips_error;             /* standard error over queries */
  double ips_error_impressions; /* over impressions of these queries; NaN where the log has none apart */
  double snips;
  double snips_error;
  double snips_error_impressions;
  double unshown;   /* share of the weights (of their sizes, with a baseline) at documents that the log never showed */
  double ips_least; /* ips if users never clicked these documents, or, with a baseline, in the worst case */
  double ips_most;  /* ips in the best case, in which they clicked each of these documents that they saw */
  double dr;        /* as ips, doubly robust; NaN without a model of clicks */
  double dr_error;
  double dr_error_impressions;
} dorm_click_evaluation;

/* scores [num_docs]; documents of equal scores have the mean of their positions' weights. truncation: positions that
 * count, 0: all. With baseline [num_docs], other scores, everything is the difference, ranking by ranking; NULL: none.
 * O(documents log documents + clicks) */
DORM_API dorm_status dorm_clicks_evaluate(dorm_context *context, const dorm_clicks *clicks, const dorm_dataset *dataset,
                                          const double *scores, const double *baseline, size_t truncation,
                                          dorm_click_evaluation *evaluation);

/* The same for the difference to the rankings that users saw. */
DORM_API dorm_status dorm_clicks_compare_logged(dorm_context *context, const dorm_clicks *clicks,
                                                const dorm_dataset *dataset, const double *scores, size_t truncation,
                                                dorm_click_evaluation *evaluation);

typedef enum dorm_click_model {
  DORM_CLICK_MODEL_POSITION, /* users look at position k with probability 1/k^eta, and click what attracts them */
  DORM_CLICK_MODEL_CASCADE   /* users look from the top down until the first click */
} dorm_click_model;

typedef struct dorm_click_simulation {
  size_t struct_size; /* sizeof(dorm_click_simulation) */
  dorm_click_model model;
  size_t num_impressions;
  size_t num_positions;        /* documents shown; 0: all */
  double eta;                  /* in [0, 100] */
  double epsilon;              /* in [0, 1]: the chance that a document of label 0 attracts a user who looks at it */
  size_t num_rankers;          /* each impression has one of them at random; 0: every order is random */
  const double *const *scores; /* [num_rankers][num_docs]; equal scores stand in the order of the documents */
  int is_merged;               /* 1: writes lines `query doc position shown clicks` */
  uint64_t seed;
  double trust; /* in [0, 1]: users of POSITION also click other documents that they see, with probability trust / k */
} dorm_click_simulation;

/* Writes a log of simulated users of the labelled data. Queries are drawn alike. A document of label y attracts a user
 * with probability epsilon + (1 - epsilon) (2^y - 1) / (2^m - 1), m the largest label of the data. */
DORM_API dorm_status dorm_clicks_simulate(dorm_context *context, const dorm_dataset *dataset,
                                          const dorm_click_simulation *simulation, const char *path);

#ifdef __cplusplus
}
#endif

#endif
