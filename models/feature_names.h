/* feature_names.h: what feature_names.c offers to the other files of this folder. */
#ifndef DORM_MODELS_FEATURE_NAMES_H
#define DORM_MODELS_FEATURE_NAMES_H

#include "base/base.h"
#include "models/models.h"

/* names[num_ids of the model], from lines `ID NAME`; path NULL: feature_ID. */
dorm_status dorm__feature_names_read(dorm_context *context, const char *path, const dorm_model *model, char ***names);
void dorm__feature_names_free(const dorm_model *model, char **names);

#endif
