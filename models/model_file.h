/* model_file.h: what model_file.c offers to the other files of this folder. */
#ifndef DORM_MODELS_MODEL_FILE_H
#define DORM_MODELS_MODEL_FILE_H

#include "base/base.h"
#include "models/models.h"

/* What the text says; kernels/model.c checks the kernels (dorm_model_read). */
dorm_status dorm__model_read(dorm_context *context, const char *path, dorm_model **model);

#endif
