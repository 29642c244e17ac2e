/*
 * models.h: what training hands out: a model, its file, its scores and its form for other programs.
 */
#ifndef DORM_MODELS_MODELS_H
#define DORM_MODELS_MODELS_H

#include "base/base.h"
#include "base/file.h"
#include "data/data.h"
#include "features/features.h"

/* ---- setting_lines.c ---------------------------------------------------- */

/* "setting KEY = VALUE", one line a setting. */
void dorm__setting_lines_write(const dorm_settings *settings, dorm__output *output);
/* "KEY = VALUE", behind the word setting; writes into text. */
dorm_status dorm__setting_line_read(dorm_context *context, const dorm__line_reader *lines, char *text,
                                    dorm_settings *settings);

/* ---- model.c ------------------------------------------------------------ */

/* A part of a model that is a kernel's: score += sum_p weights[p] k(x, pivots[p])
 * over rows of the feature map with this rank block. */
typedef struct dorm__model_part {
  char *kernel; /* expression (kernels/expression.c), every parameter spelled out */
  double rank_block;
  size_t num_pivots;
  float *pivots;   /* [num_pivots][width of the map] */
  double *weights; /* [num_pivots] */
} dorm__model_part;

/* A module whose kernel parts of the model may use. */
typedef struct dorm__model_module {
  char *kernel; /* its name */
  char *path;
} dorm__model_module;

/* A linear model of the rows that a feature map makes, and kernel parts beside it. */
struct dorm_model {
  size_t num_ids;
  size_t *ids; /* [num_ids], increasing */
  dorm__normalisation normalisation;
  double rank_block;
  double *shift, *spread; /* [num_ids], global normalisations; else NULL */
  double *weights;        /* [width of the map]: values first, then ranks */
  size_t num_parts;
  dorm__model_part *parts; /* [num_parts] */
  size_t num_modules;      /* that the program named; none from a file */
  dorm__model_module *modules;
  dorm_settings *settings; /* that made it, with what was left to auto filled in */
};

/* Weights 0; the map and the settings are copied. */
dorm_status dorm__model_new(dorm_context *context, const dorm__feature_map *map, const dorm_settings *settings,
                            dorm_model **model);
/* Copies a part into the model. */
dorm_status dorm__model_add_part(dorm_context *context, dorm_model *model, const dorm__model_part *part);
/* Lets the model use the module at `path` for the kernel of that name; a later one replaces an earlier. */
dorm_status dorm__model_add_module(dorm_context *context, dorm_model *model, const char *kernel, const char *path);

#endif
