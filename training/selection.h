/* selection.h: from candidates to one model. */
#ifndef DORM_TRAINING_SELECTION_H
#define DORM_TRAINING_SELECTION_H

#include "jobs/jobs.h"

/* Marks the candidates that make the model. With validation values these are the
 * selection.average best ones among those that are weights of rows, and as many among those that are parts, such as
 * trees. Without validation values they are all candidates of round 2 and later (of round 1 if there is no later
 * round). */
dorm_status dorm__selection_mark(dorm_context *context, const dorm_settings *settings, bool has_validation,
                                 dorm_training *training);
/* Marks the selection.average best ones among the candidates that score each document by itself. */
dorm_status dorm__selection_mark_serving(dorm_context *context, const dorm_settings *settings, dorm_training *training);
/* Returns whether a candidate is trees on raw values, without ranks. Such trees score each document by itself. */
bool dorm__selection_serves(const dorm__trained *trained);
/* Gives each marked candidate its share in the mean. Part candidates share the weight `blend`, from 0 to 1. The others
 * share 1 - `blend`. Candidates with share 0 lose their mark. If all marked candidates are of one sort, each has the
 * same share. */
void dorm__selection_share(double blend, dorm_training *training);
/* Returns the factor of a candidate's scores in the model, which follows from its share. */
double dorm__selection_factor(const dorm__trained *trained);
/* Makes the model of the marked candidates, which have their shares: the mean of the candidates, each divided by its
 * score_scale. A single candidate is not divided. Parts of candidates move into the model. */
dorm_status dorm__selection_model(dorm_context *context, const dorm_settings *settings,
                                  const dorm__feature_map *features, dorm_training *training);

/* ---- Remarks ----------------------------------------------------------------------------------- */

/* Adds remarks to the model of the marked candidates. The first is on the number of averaged candidates. One on each of
 * them has its settings, its certificate, and its value on the validation data or in the folds. */
dorm_status dorm__remarks_add(dorm_context *context, const dorm_training *training, dorm_model *model);

/* ---- Blend ------------------------------------------------------------------------------------- */

/* The difference between a share of selection.blend and the first one, over queries that did not train the
 * candidates. */
typedef struct dorm__share_sum {
  double weight, square_weights; /* sums of the weights of the queries, and of their squares */
  double sum, squares;           /* weighted, of the differences and of their squares */
} dorm__share_sum;

typedef struct dorm__share_sums {
  size_t count;            /* of shares */
  dorm__share_sum *shares; /* [count] */
} dorm__share_sums;

dorm_status dorm__share_sums_new(const dorm__job *job, dorm__share_sums *sums);
void dorm__share_sums_clear(dorm__share_sums *sums);
/* Adds the values of the marked candidates with each share. Does nothing if all of them are parts, or none is. `map` is
 * the feature map without rank block. */
dorm_status dorm__blend_measure(const dorm__job *job, const dorm_dataset *dataset, const dorm__feature_map *map,
                                dorm_training *training, dorm__share_sums *sums);
/* Adds sums over some queries to those over others. */
void dorm__share_sums_add(const dorm__share_sums *sums, dorm__share_sums *to);
/* Gives the marked candidates the best share: the first one, unless the mean difference of another from it is above its
 * own standard error. Without queries it is the first. */
void dorm__blend_choose(const dorm__job *job, const dorm__share_sums *sums, dorm_training *training);
/* Notes the share that dorm__blend_choose would give the marked candidates, if queries chose it. */
void dorm__blend_say(const dorm__job *job, const dorm__share_sums *sums, const dorm_training *training);
/* Fills scores [num_docs] with the mean of the marked candidates, which have their shares. */
dorm_status dorm__blend_score(const dorm__job *job, const dorm_dataset *dataset, const dorm__feature_map *map,
                              dorm_training *training, double *scores);

#endif
