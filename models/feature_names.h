/* feature_names.h: the names that the features of a model have in another program, read from a file. */
#ifndef DORM_MODELS_FEATURE_NAMES_H
#define DORM_MODELS_FEATURE_NAMES_H

#include "base/base.h"
#include "models/models.h"

/* Reads names [num_ids of the model] from the lines `ID NAME` of a file; the names are feature_ID where `path` is NULL.
 * Freed by dorm__feature_names_free. */
dorm_status dorm__feature_names_read(dorm_context *context, const char *path, const dorm_model *model, char ***names);
void dorm__feature_names_free(const dorm_model *model, char **names);

#endif
