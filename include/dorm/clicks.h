/* clicks.h: click logs: reading, propensities of positions, training gains, estimates, simulation. */
#ifndef DORM_CLICKS_H
#define DORM_CLICKS_H

#include <stddef.h>
#include <stdint.h>

#include "dorm/context.h"
#include "dorm/dataset.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A click log, merged: for each document and position, how often the document was shown there and how often it was
 * clicked. Its size grows with the number of different rankings, not with the impressions. Only a log of single
 * impressions (the first form below) takes eight more bytes for every click. */
typedef struct dorm_clicks dorm_clicks;

/* Reads a log, plain or gzip, about the documents of a data set, which is not kept. All lines have one of these forms:
 *
 *   query doc position click            one line for each document of an impression, click is 0 or 1. A new
 *                                       impression begins when the query changes or the position does not increase
 *   query doc position shown clicks     how often the document was shown there, and how often it was then clicked.
 *                                       Lines of the same document and position are summed. The impressions of a
 *                                       query are counted at the position that was shown most often
 *   position click                      one line for each document of the data, in their order: one impression of
 *                                       each query. Position 0: not shown
 *   position                            the same, as in LightGBM's .position files: from 1, or from 0 if one is 0.
 *                                       Documents with a label above 0 were clicked
 *
 * Positions count from 1. A document without an id is called D17 if it is the 17th of the data. These are
 * DORM_BAD_DATA: a bad line, an unknown query or document, a document at two positions of one impression, and, in the
 * last two forms, a wrong number of lines. The propensities are 1 / position until dorm_clicks_set_propensities.
 * O(lines). */
DORM_API dorm_status dorm_clicks_read(dorm_context *context, const char *path, const dorm_dataset *dataset,
                                      dorm_clicks **clicks);
/* Frees a log. */
DORM_API void dorm_clicks_free(dorm_clicks *clicks);
/* Returns the number of impressions, which are the rankings that were shown. */
DORM_API size_t dorm_clicks_num_impressions(const dorm_clicks *clicks);
/* Returns the number of clicks. */
DORM_API size_t dorm_clicks_num_clicks(const dorm_clicks *clicks);
/* Returns the largest position at which a document was shown. */
DORM_API size_t dorm_clicks_num_positions(const dorm_clicks *clicks);
/* Returns the number of documents that were shown at more than one position. Harvesting needs them. */
DORM_API size_t dorm_clicks_num_moved(const dorm_clicks *clicks);

/* The source of the propensities. A propensity is the probability that users look at a position, relative to the
 * first. */
typedef enum dorm_propensity {
  DORM_PROPENSITY_AUTO,    /* harvest if the documents that moved have 100 clicks or more, else em */
  DORM_PROPENSITY_POWER,   /* 1 / position^eta */
  DORM_PROPENSITY_FILE,    /* from a file, one line for each position */
  DORM_PROPENSITY_HARVEST, /* from documents shown at several positions (Agarwal et al., WSDM 2019) */
  DORM_PROPENSITY_EM,      /* by regression on the features, with effects of documents (Wang et al., WSDM 2018) */
  DORM_PROPENSITY_NONE,    /* all 1: naive, without a correction for position bias */
  DORM_PROPENSITY_AFFINE   /* with trust in the top positions, from documents shown at several positions: a document
                            * of relevance s is clicked at position k with probability k^-eta (s + (1 - s) trust / k) */
} dorm_propensity;

/* The shape of estimated propensities. */
typedef enum dorm_click_curve {
  DORM_CURVE_AUTO,  /* the power law that fits best; with harvesting the free estimates, with a warning, if a
                     * chi-square test rejects it (p < 0.01) */
  DORM_CURVE_POWER, /* the power law */
  DORM_CURVE_FREE   /* the free estimates; the power law between blocks of positions if no document moved between
                     * them */
} dorm_click_curve;

typedef struct dorm_click_options {
  size_t struct_size; /* sizeof(dorm_click_options) */
  dorm_propensity propensity;
  double eta;       /* in [0, 10], with POWER */
  const char *path; /* with FILE */
  dorm_click_curve curve;
} dorm_click_options;

/* Finds the propensities and keeps them in `clicks`. `dataset` is the data set that the log was read for. Returns
 * DORM_BAD_DATA if there are too few clicks for an estimate. */
DORM_API dorm_status dorm_clicks_set_propensities(dorm_context *context, dorm_clicks *clicks,
                                                  const dorm_dataset *dataset, const dorm_click_options *options);
/* Copies the propensities of another log. Positions that it lacks get its power law, or, if it has none, the propensity
 * of its last position. */
DORM_API dorm_status dorm_clicks_share_propensities(dorm_context *context, dorm_clicks *clicks,
                                                    const dorm_clicks *from);
/* Returns the propensity of a position (from 1) relative to the first, NaN beyond the last one. */
DORM_API double dorm_clicks_propensity(const dorm_clicks *clicks, size_t position);
/* Returns the probability of a click at a position by trust alone, 0 unless the propensities are AFFINE. A click rate
 * is then propensity * relevance + trust. */
DORM_API double dorm_clicks_trust(const dorm_clicks *clicks, size_t position);
/* Returns the exponent of the power law, given or fitted, NaN if the propensities were read from a file or are all
 * 1. */
DORM_API double dorm_clicks_eta(const dorm_clicks *clicks);
/* Returns the standard error of eta over impressions of the documents as they were shown, NaN if eta was not
 * estimated. */
DORM_API double dorm_clicks_eta_error(const dorm_clicks *clicks);

/* Adds a click model to the log. scores [num_docs] come from a model that ranks by relevance, preferably one that was
 * trained on other clicks. The call fits them to the clicks: a document attracts with a probability whose logarithm is
 * linear in its score and in the logarithm of how often users looked at it, with Gamma variation.
 *
 * Afterwards the gains of dorm_dataset_set_clicks and the estimate `dr` are doubly robust: a document with many looks
 * is judged by its clicks, one with few or none by the model (Oosterhuis, "Doubly robust estimation for correcting
 * position bias in click feedback", 2023). Call it after dorm_clicks_set_propensities. O(documents + cells) */
DORM_API dorm_status dorm_clicks_set_model(dorm_context *context, dorm_clicks *clicks, const dorm_dataset *dataset,
                                           const double *scores);

/* Prepares a data set for training from clicks. It replaces the labels by gains and multiplies the weight of each query
 * by the number of its impressions. The gain of a document is the mean value of its clicks over the impressions of the
 * query. A click is worth the impressions of the query / sum of propensities over the impressions that showed the
 * document. Losses and measures then need linear gains. O(documents) */
DORM_API dorm_status dorm_dataset_set_clicks(dorm_context *context, dorm_dataset *dataset, const dorm_clicks *clicks);

/* Estimates of the value of a ranking to the users of a log. The first positions have the weights a[p] = 1/log2(p + 2),
 * and a click has the value v as above. For an impression, T is the sum over its clicks of v a[rank of the document],
 * and D is the sum of v.
 *
 * - ips = sum T / impressions. Its expectation is the DCG whose gains are the click probabilities of examined
 *   documents.
 * - snips = sum T / sum D. It is the mean position weight of the documents that users seek.
 *
 * Standard errors include the errors of propensities that were estimated from this log. */
typedef struct dorm_click_evaluation {
  size_t struct_size; /* sizeof(dorm_click_evaluation) */
  size_t num_impressions;
  size_t num_queries; /* queries with impressions */
  size_t num_clicks;
  double ips;
  double ips_error;             /* standard error over queries */
  double ips_error_impressions; /* over impressions of these queries; NaN if the log does not list impressions one by
                                 * one */
  double snips;
  double snips_error;
  double snips_error_impressions;
  double unshown;   /* share of the weights (of their absolute values, with a baseline) at documents that the log
                     * never showed */
  double ips_least; /* ips if users never clicked the documents that were never shown, or, with a baseline, in the
                     * worst case */
  double ips_most;  /* ips in the best case, in which users clicked each of these documents that they saw */
  double dr;        /* like ips, doubly robust; NaN without a click model */
  double dr_error;
  double dr_error_impressions;
} dorm_click_evaluation;

/* Estimates the value of the rankings by scores [num_docs]. Documents of equal score share the mean of their positions'
 * weights. Only the first `truncation` positions count (0: all). With other scores in baseline [num_docs], everything
 * is the difference, ranking by ranking. `baseline` may be NULL. O(documents log documents + clicks) */
DORM_API dorm_status dorm_clicks_evaluate(dorm_context *context, const dorm_clicks *clicks, const dorm_dataset *dataset,
                                          const double *scores, const double *baseline, size_t truncation,
                                          dorm_click_evaluation *evaluation);

/* Estimates the difference to the rankings that users saw, likewise. */
DORM_API dorm_status dorm_clicks_compare_logged(dorm_context *context, const dorm_clicks *clicks,
                                                const dorm_dataset *dataset, const double *scores, size_t truncation,
                                                dorm_click_evaluation *evaluation);

typedef enum dorm_click_model {
  DORM_CLICK_MODEL_POSITION, /* users look at position k with probability 1/k^eta, and click attractive documents */
  DORM_CLICK_MODEL_CASCADE   /* users look from the top down until the first click */
} dorm_click_model;

typedef struct dorm_click_simulation {
  size_t struct_size; /* sizeof(dorm_click_simulation) */
  dorm_click_model model;
  size_t num_impressions;
  size_t num_positions;        /* number of documents shown, 0: all */
  double eta;                  /* in [0, 100] */
  double epsilon;              /* in [0, 1]: probability that a document of label 0 attracts a user who looks at it */
  size_t num_rankers;          /* each impression uses a random one; 0: every order is random */
  const double *const *scores; /* [num_rankers][num_docs]; documents of equal score keep their order */
  int is_merged;               /* 1: write lines `query doc position shown clicks` */
  uint64_t seed;
  double trust; /* in [0, 1]: POSITION users also click other documents that they see, with probability trust / k */
} dorm_click_simulation;

/* Writes a log of simulated users of labelled data. All queries are equally likely. A document of label y attracts a
 * user with probability epsilon + (1 - epsilon) (2^y - 1) / (2^m - 1), with m the largest label of the data. */
DORM_API dorm_status dorm_clicks_simulate(dorm_context *context, const dorm_dataset *dataset,
                                          const dorm_click_simulation *simulation, const char *path);

#ifdef __cplusplus
}
#endif

#endif
