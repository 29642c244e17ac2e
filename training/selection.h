/* selection.h: what selection.c offers to the other files of this folder. */
#ifndef DORM_TRAINING_SELECTION_H
#define DORM_TRAINING_SELECTION_H

#include "base/base.h"
#include "features/features.h"
#include "training/candidates.h"

/* Marks the candidates that make the model: by validation values the best
 * `average`, or under one-se the one of least C within a standard error of the
 * best; without values all of round 2 and later (of round 1 where there are no
 * later ones). */
dorm_status dorm__selection_mark(dorm_context *context, const dorm_settings *settings, bool has_validation,
                                 dorm_training *training);
/* The model of the marked: their mean, each divided by its score_scale; a single
 * one is taken as it is. */
dorm_status dorm__selection_model(dorm_context *context, const dorm_settings *settings,
                                  const dorm__feature_map *features, dorm_training *training);

#endif
