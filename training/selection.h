/* selection.h: chooses candidates, and makes one model of them. */
#ifndef DORM_TRAINING_SELECTION_H
#define DORM_TRAINING_SELECTION_H

#include "jobs/jobs.h"

/* Marks the candidates that make the model. With validation values these are the best selection.average candidates that
 * have no parts, and the best selection.average candidates that have parts, such as trees. A start without parts is
 * marked only with selection.start = yes, or if there is no other candidate. Without validation values dorm marks all
 * candidates of round 2 and later, of round 1 if there is no later round, or the starts if there is no round. A
 * candidate whose scores are all equal within queries is never marked. Fails only when out of memory. */
dorm_status dorm__selection_mark(dorm_context *context, const dorm_settings *settings, bool has_validation,
                                 dorm_training *training);
/* Marks the best selection.average candidates for which dorm__selection_serves is true. Fails only when out of
 * memory. */
dorm_status dorm__selection_mark_serving(dorm_context *context, const dorm_settings *settings, dorm_training *training);
/* Returns whether a candidate consists of trees that see raw values and no ranks. The score of a document then depends
 * on no other document. */
bool dorm__selection_serves(const dorm__trained *trained);
/* Marks the candidates of the same numbers with the same shares, but for those that rank nothing. */
void dorm__selection_copy_marks(const dorm_training *from, dorm_training *to);
/* Returns the number of marked candidates. */
size_t dorm__selection_count(const dorm_training *training);
/* Gives each marked candidate its share in the mean. The candidates with parts share the weight `blend`, from 0 to 1,
 * in equal portions, and the others share 1 - `blend`. If all marked candidates have parts, or none has, they share the
 * weight 1. Candidates with share 0 lose their mark. */
void dorm__selection_share(double blend, dorm_training *training);
/* Returns the factor by which the model multiplies the scores of a candidate: its share divided by its score_scale, or
 * 1 for a single candidate. */
double dorm__selection_factor(const dorm__trained *trained);
/* Makes training->model from the marked candidates: the sum of their models, each times dorm__selection_factor, with
 * remarks on the candidates. Call dorm__selection_share before. The parts of the candidates move into the model. */
dorm_status dorm__selection_model(dorm_context *context, const dorm_settings *settings,
                                  const dorm__feature_map *features, dorm_training *training);

/* ---- Blend ------------------------------------------------------------------------------------- */

/* Sums of differences between two values of the measure, over queries that did not train the candidates. */
typedef struct dorm__share_sum {
  double weight, square_weights; /* sums of the weights of the queries, and of their squares */
  double sum, squares;           /* weighted sums of the differences, and of their squares */
} dorm__share_sum;

/* Adds the difference in a query, unless it is not finite. */
void dorm__share_sum_take(dorm__share_sum *sum, double difference, double weight);
/* Returns the mean difference, 0 without queries. *error becomes its standard error sqrt(V / (n - 1)), with V the
 * weighted variance of the differences and n = W^2 / sum of squared weights, or infinity if n is not above 1. */
double dorm__share_sum_mean(const dorm__share_sum *sum, double *error);

/* For each value of selection.blend, how much higher the measure is than with the first one. */

typedef struct dorm__share_sums {
  size_t count;            /* number of values of selection.blend */
  dorm__share_sum *shares; /* [count] */
} dorm__share_sums;

/* Makes sums of 0, one for each value of selection.blend. Fails only when out of memory. */
dorm_status dorm__share_sums_new(const dorm__job *job, dorm__share_sums *sums);
void dorm__share_sums_clear(dorm__share_sums *sums);
/* Measures the marked candidates on a data set with each value of selection.blend, and adds the differences to `sums`.
 * Does nothing if all marked candidates have parts, or none has. Changes their shares. `map` is the feature map without
 * rank block. */
dorm_status dorm__blend_measure(const dorm__job *job, const dorm_dataset *dataset, const dorm__feature_map *map,
                                dorm_training *training, dorm__share_sums *sums);
/* Adds `sums` to `to`, which has sums over other queries. */
void dorm__share_sums_add(const dorm__share_sums *sums, dorm__share_sums *to);
/* Gives the marked candidates their shares by the best value of selection.blend. That is the first value, unless
 * another one has a mean difference above its standard error. Without queries it is the first. */
void dorm__blend_choose(const dorm__job *job, const dorm__share_sums *sums, dorm_training *training);
/* Reports the value of selection.blend that dorm__blend_choose would take, unless `sums` has no queries. */
void dorm__blend_say(const dorm__job *job, const dorm__share_sums *sums, const dorm_training *training);
/* Fills scores [num_docs] with the scores of the model that dorm__selection_model would make, and keeps the candidates.
 * Call dorm__selection_share before. */
dorm_status dorm__blend_score(const dorm__job *job, const dorm_dataset *dataset, const dorm__feature_map *map,
                              dorm_training *training, double *scores);

#endif
