/* model.h: models: files, scores, descriptions, export. */
#ifndef DORM_MODEL_H
#define DORM_MODEL_H

#include <stddef.h>

#include "dorm/dataset.h"
#include "dorm/settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A model is a weighted sum of parts, each of which scores documents: a linear function of their features, kernels
 * between them and some training documents, boosted trees, nets, or a linear function for each of the first positions.
 */
typedef struct dorm_model dorm_model;

/* Reads a model file, which the caller frees; it opens no other file. A damaged file is DORM_BAD_DATA. */
DORM_API dorm_status dorm_model_read(dorm_context *context, const char *path, dorm_model **model);
/* Writes a temporary file and renames it, so that the file is whole or not there. */
DORM_API dorm_status dorm_model_write(dorm_context *context, const dorm_model *model, const char *path);
/* Writes the text of the model's file into memory: *text[*size], a zero byte after it, freed by dorm_text_free. */
DORM_API dorm_status dorm_model_to_text(dorm_context *context, const dorm_model *model, char **text, size_t *size);
/* Frees a text that the library made for the caller. */
DORM_API void dorm_text_free(char *text);
/* Reads a model from text[size], as dorm_model_to_text or dorm_model_write wrote it. */
DORM_API dorm_status dorm_model_from_text(dorm_context *context, const char *text, size_t size, dorm_model **model);
/* Makes a JSON object with the parts of the model, its settings, and the remarks on its training, for programs that
 * show models; freed by dorm_text_free. A setting that is not UTF-8 is DORM_BAD_DATA. */
DORM_API dorm_status dorm_model_describe(dorm_context *context, const dorm_model *model, char **json);
/* Writes a model for another program, whole or not at all; path "-" is standard output. `format` is elasticsearch,
 * opensearch, solr, ranklib, xgboost, xgboost-dump, xgboost-json-dump, onnx, json or c. `name` is the name of the
 * model. `names_path` is a file with one `ID NAME` of a feature per line; if it is NULL, features are called
 * feature_ID. A model with kernels, with functions of positions, with products of features, or with ranks or features
 * normalised within queries, which depend on the other documents of the query, is DORM_BAD_DATA, and so is one whose
 * weights are too large to be divided by the spreads of the features, and one with trees or nets that the format cannot
 * express; onnx, json and c express all of these. */
DORM_API dorm_status dorm_model_export(dorm_context *context, const dorm_model *model, const char *format,
                                       const char *name, const char *names_path, const char *path);
/* DORM_OK if dorm_model_export would write this model as json and c, and, unless all its features are constant, as
 * onnx; else DORM_BAD_DATA, and the message says why. */
DORM_API dorm_status dorm_model_check_export(dorm_context *context, const dorm_model *model);
/* 1 if the score of a document depends on the other documents of its query, 0 if not. */
DORM_API int dorm_model_needs_query(const dorm_model *model);
/* Frees a model that was read or taken. That of dorm_training_model is owned by the training result. */
DORM_API void dorm_model_free(dorm_model *model);

/* Gives a file to a model that was read and needs it: a Gram matrix, if the file has
 * the name of a matrix in the model, otherwise the module of a kernel, which is
 * loaded. Reading a model opens no other file, so a model with such a kernel can be
 * scored only after this call. It is no failure if no part of the model needs the
 * module. */
DORM_API dorm_status dorm_model_use_module(dorm_context *context, dorm_model *model, const char *path);

/* Computes scores[num_docs]; a higher score is better. Features that the model
 * does not know are ignored. More than 1024 threads count as 1024; 0 is one per
 * processor, or a single one for few documents. The scores are the same for any number, and several threads may call
 * this for one model. */
DORM_API dorm_status dorm_model_score(dorm_context *context, const dorm_model *model, const dorm_dataset *dataset,
                                      size_t num_threads, double *scores);

/* Takes the scores [documents of the query] of a query; another status than DORM_OK ends dorm_model_score_stream. The
 * query is freed after the call. */
typedef dorm_status (*dorm_scores_function)(void *user, const dorm_dataset *query, const double *scores);
/* Scores LETOR text from a file or a pipe ("-": standard input) query by query, and hands each query to `take` as soon
 * as its last line is there: an empty line, a line of another query, or the end of the input follows. Labels may be
 * lacking. Memory does not grow with the number of queries. A bad line is DORM_BAD_DATA, after the whole queries before
 * it were handed out. The scores are those of dorm_model_score. */
DORM_API dorm_status dorm_model_score_stream(dorm_context *context, const dorm_model *model, const char *path,
                                             dorm_scores_function take, void *user);

/* Like dorm_model_score for documents in arrays, without a data set: floats in sparse rows, or in dense rows one after
 * the other, are not copied. Labels are not looked at. */
DORM_API dorm_status dorm_model_score_rows(dorm_context *context, const dorm_model *model, const dorm_arrays *arrays,
                                           size_t num_threads, double *scores);

/* The number of features that the model knows; 0 for NULL. */
DORM_API size_t dorm_model_num_features(const dorm_model *model);
/* The id of feature number `feature`, from 0 and increasing; 0 for a number out of range. */
DORM_API size_t dorm_model_feature_id(const dorm_model *model, size_t feature);
/* Copies the name of feature number `feature` into name[size], cut to size - 1 characters and a zero: the column of CSV
 * or of a data frame that it was, otherwise "feature_ID". Returns the length of the whole name, and 0, with an empty
 * text, for a number out of range. `name` may be NULL if size is 0. */
DORM_API size_t dorm_model_feature_name(const dorm_model *model, size_t feature, char *name, size_t size);

/* Part `index` of the model in a few words, as in "rbf:gamma=2, 100 pivots, rank block 0.5", borrowed from the model;
 * NULL past the last. *kind is "linear", "kernel", "trees", "net" or "positions", *weight what the scores of the part
 * are multiplied by. */
DORM_API const char *dorm_model_part(const dorm_model *model, size_t index, const char **kind, double *weight);
/* The weights of feature number `index` in the linear part: `value` multiplies the
 * normalised feature, `rank` its rank within the query. Returns 0 after the last
 * feature, otherwise 1. Both are 0 in a model without a linear part. */
DORM_API int dorm_model_weight(const dorm_model *model, size_t index, size_t *feature_id, double *value, double *rank);
/* Remark `index` on how the model was trained, a line for people: what was averaged, and the certificates; NULL after
 * the last. */
DORM_API const char *dorm_model_remark(const dorm_model *model, size_t index);
/* Computes importance[features of the model], as dorm_model_weight numbers them: the standard deviation, within the
 * queries of the data set, of what the feature adds to the scores of the linear part, by its value and its rank
 * together. It is |weight| times the spread of the normalised feature where the feature has no weight for its rank. */
DORM_API dorm_status dorm_model_importance(dorm_context *context, const dorm_model *model, const dorm_dataset *dataset,
                                           double *importance);
/* Computes contributions[num_docs][num_features], row-major, for the features of the data set: what each feature, by
 * its value and its rank together, adds to the score of each document, against the other documents of its query. A row
 * adds up to the score less the mean score of the query, to about 1e-6 of the scores; a column adds up to 0 over a
 * query. A feature of a linear part adds weight * (value - mean over the query). A tree adds the
 * Shapley values of its features (Lundberg, Erion and Lee 2018): at a split on a feature that a document does not have,
 * it goes to each side with the share of the query's documents that do. A model with kernels, nets, functions of
 * positions or products of features is DORM_BAD_DATA. Cost: O(num_docs * (features + leaves of all trees * depth^2)) on
 * one thread. */
DORM_API dorm_status dorm_model_explain(dorm_context *context, const dorm_model *model, const dorm_dataset *dataset,
                                        double *contributions);
/* Reads names of the model's features from lines `ID NAME`, which must name all of them; without a file (NULL) they are
 * called feature_ID. names[features of the model] is freed by dorm_feature_names_free. */
DORM_API dorm_status dorm_feature_names_read(dorm_context *context, const dorm_model *model, const char *path,
                                             char ***names);
/* Frees the names, whose number is that of the model's features. */
DORM_API void dorm_feature_names_free(const dorm_model *model, char **names);
/* The expression of kernel part `index`, or NULL after the last; *num_pivots is
 * its number of pivots and *rank_block the factor of the rank block that it sees. */
DORM_API const char *dorm_model_kernel(const dorm_model *model, size_t index, size_t *num_pivots, double *rank_block);

/* Boosted trees as a part of a model. */
typedef struct dorm_trees {
  const char *objective; /* what they were fitted to, borrowed from the model */
  size_t num_trees, num_leaves;
  size_t num_outputs; /* sums of trees that the score is made of */
  double rank_block;  /* factor of the ranks that the trees see; 0: none */
} dorm_trees;
/* The trees of part `index`, numbered as by dorm_model_part, borrowed from the model; NULL if the part is not made of
 * trees. Unless they are NULL, gain and splits [twice the features of the model] become the importances of features: by
 * how much all splits on a feature improved the fit, and how many splits there are; first of the features' values, then
 * of their ranks within the query. */
DORM_API const dorm_trees *dorm_model_trees(const dorm_model *model, size_t index, double *gain, size_t *splits);
/* The settings that made the model, as a copy that the caller frees. A model file
 * cannot make the caller open a file or load a module: if the model was read, each
 * setting that names a file has its default in the copy, and differs there from
 * dorm_model_setting. Set it to use the file. */
DORM_API dorm_status dorm_model_settings(dorm_context *context, const dorm_model *model, dorm_settings **settings);
/* The value that one of these settings had when the model was trained, as a text to show; NULL for an unknown key. It
 * may name files: to use it, take it from dorm_model_settings. */
DORM_API const char *dorm_model_setting(const dorm_model *model, const char *key);
/* 1 if the program set this setting for the training; 0 if it had its default, or what the default came to, and for an
 * unknown key. If a model file does not keep this, 1 if the value differs from the default. */
DORM_API int dorm_model_setting_is_given(const dorm_model *model, const char *key);

#ifdef __cplusplus
}
#endif

#endif
