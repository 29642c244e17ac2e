/* selection.h: from candidates to one model. */
#ifndef DORM_TRAINING_SELECTION_H
#define DORM_TRAINING_SELECTION_H

#include "jobs/jobs.h"

/* Marks the candidates that make the model. With validation values these are the
 * selection.average best ones among those that are weights of rows, and as many among those that are parts, such as
 * trees. Without validation values they are all candidates of round 2 and later (of round 1 where there is no later
 * round). */
dorm_status dorm__selection_mark(dorm_context *context, const dorm_settings *settings, bool has_validation,
                                 dorm_training *training);
/* Gives each marked candidate its share in the mean: those that are parts have `blend`, from 0 to 1, together, and the
 * others the rest; those whose share is 0 lose their mark. Where all marked candidates are of one sort, each has the
 * same share. */
void dorm__selection_share(double blend, dorm_training *training);
/* Makes the model of the marked candidates, which have their shares: the mean of the candidates, each divided by its
 * score_scale; a single candidate is taken as it is. Parts of candidates move into the model. */
dorm_status dorm__selection_model(dorm_context *context, const dorm_settings *settings,
                                  const dorm__feature_map *features, dorm_training *training);

#endif
