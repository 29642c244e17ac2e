/* blend.h: how much of the model are parts such as trees, where there are linear models or kernels too. */
#ifndef DORM_TRAINING_BLEND_H
#define DORM_TRAINING_BLEND_H

#include "jobs/jobs.h"

/* How much better each share of selection.blend is than the first, over queries that the candidates have not seen. */
typedef struct dorm__share_sums {
  size_t count; /* of shares */
  struct {
    double weight, square_weights; /* sums of the weights of the queries, and of their squares */
    double sum, squares;           /* weighted, of the differences and of their squares */
  } * shares;                      /* [count] */
} dorm__share_sums;

dorm_status dorm__share_sums_new(const dorm__job *job, dorm__share_sums *sums);
void dorm__share_sums_clear(dorm__share_sums *sums);
/* Adds what the marked candidates give under each share; nothing where they are all parts, or none is. `map` is the
 * feature map without rank block. */
dorm_status dorm__blend_measure(const dorm__job *job, const dorm_dataset *dataset, const dorm__feature_map *map,
                                dorm_training *training, dorm__share_sums *sums);
/* Gives the marked candidates the best share: the first one, unless the mean difference of another from it is above its
 * own standard error; without queries, the first. */
void dorm__blend_choose(const dorm__job *job, const dorm__share_sums *sums, dorm_training *training);

#endif
