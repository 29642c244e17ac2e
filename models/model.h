/* model.h: what model.c offers to the other files of this folder. */
#ifndef DORM_MODELS_MODEL_H
#define DORM_MODELS_MODEL_H

#include "base/base.h"
#include "features/features.h"
#include "models/models.h"

dorm__feature_map dorm__model_map(const dorm_model *model);
dorm__feature_map dorm__model_part_map(const dorm_model *model, const dorm__model_part *part);
/* The path of the module with that kernel, NULL when it is not known. */
const char *dorm__model_module_path(const dorm_model *model, const char *kernel);

#endif
