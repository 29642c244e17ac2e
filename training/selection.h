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
/* Whether a candidate is trees on raw values, without ranks: they score each document by itself. */
bool dorm__selection_serves(const dorm__trained *trained);
/* Gives each marked candidate its share in the mean: those that are parts have `blend`, from 0 to 1, together, and the
 * others the rest; those whose share is 0 lose their mark. If all marked candidates are of one sort, each has the same
 * share. */
void dorm__selection_share(double blend, dorm_training *training);
/* The factor of a candidate's scores in the model, which follows from its share. */
double dorm__selection_factor(const dorm__trained *trained);
/* Makes the model of the marked candidates, which have their shares: the mean of the candidates, each divided by its
 * score_scale; a single candidate is taken as it is. Parts of candidates move into the model. */
dorm_status dorm__selection_model(dorm_context *context, const dorm_settings *settings,
                                  const dorm__feature_map *features, dorm_training *training);

/* ---- Remarks ----------------------------------------------------------------------------------- */

/* Adds to the model, which was made of the marked candidates, one remark on how many were averaged, and one on each of
 * them: what it was trained with, its certificate, and its value on the validation data or in the folds. */
dorm_status dorm__remarks_add(dorm_context *context, const dorm_training *training, dorm_model *model);

/* ---- Blend ------------------------------------------------------------------------------------- */

/* How much better each share of selection.blend is than the first, over queries that the candidates have not seen. */
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
/* Adds what the marked candidates give under each share; nothing if they are all parts, or none is. `map` is the
 * feature map without rank block. */
dorm_status dorm__blend_measure(const dorm__job *job, const dorm_dataset *dataset, const dorm__feature_map *map,
                                dorm_training *training, dorm__share_sums *sums);
/* Adds sums over some queries to those over others. */
void dorm__share_sums_add(const dorm__share_sums *sums, dorm__share_sums *to);
/* Gives the marked candidates the best share: the first one, unless the mean difference of another from it is above its
 * own standard error; without queries, the first. */
void dorm__blend_choose(const dorm__job *job, const dorm__share_sums *sums, dorm_training *training);
/* Notes the share that dorm__blend_choose would give the marked candidates, if queries chose it. */
void dorm__blend_say(const dorm__job *job, const dorm__share_sums *sums, const dorm_training *training);
/* scores [num_docs] of the mean of the marked candidates, which have their shares. */
dorm_status dorm__blend_score(const dorm__job *job, const dorm_dataset *dataset, const dorm__feature_map *map,
                              dorm_training *training, double *scores);

#endif
