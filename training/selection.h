/* selection.h: from candidates to one model. */
#ifndef DORM_TRAINING_SELECTION_H
#define DORM_TRAINING_SELECTION_H

#include "training/candidates.h"

/* Marks the candidates that make the model: by validation values the best
 * `average`, or under one-se the one of least C within a standard error of the
 * best; without values all of round 2 and later (of round 1 where there are no
 * later ones). */
dorm_status dorm__selection_mark(dorm_context *context, const dorm_settings *settings, bool has_validation,
                                 dorm_training *training);
/* The model of the marked candidates: their mean, each divided by its score_scale; a single
 * one is taken as it is. Candidates that are parts lose them to the model. */
dorm_status dorm__selection_model(dorm_context *context, const dorm_settings *settings,
                                  const dorm__feature_map *features, dorm_training *training);

#endif
