/* model.h: model files, scores, descriptions, export. */
#ifndef DORM_MODEL_H
#define DORM_MODEL_H

#include <stddef.h>

#include "dorm/dataset.h"
#include "dorm/settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A model, a weighted sum of parts. Each part scores documents: a linear function of their features, kernels between
 * them and some training documents, boosted trees, nets, or a linear function for each of the first positions. */
typedef struct dorm_model dorm_model;

/* Reads a model file. The caller frees the model. No other file is opened. A damaged file returns DORM_BAD_DATA. */
DORM_API dorm_status dorm_model_read(dorm_context *context, const char *path, dorm_model **model);
/* Writes a model to a temporary file and renames it, so that the file is complete or does not exist. */
DORM_API dorm_status dorm_model_write(dorm_context *context, const dorm_model *model, const char *path);
/* Writes the text of a model file to memory: *text [*size], followed by a zero byte. The caller frees it by
 * dorm_text_free. */
DORM_API dorm_status dorm_model_to_text(dorm_context *context, const dorm_model *model, char **text, size_t *size);
/* Frees a text that the library made for the caller. */
DORM_API void dorm_text_free(char *text);
/* Reads a model from text [size], as written by dorm_model_to_text or dorm_model_write. The caller frees the model. */
DORM_API dorm_status dorm_model_from_text(dorm_context *context, const char *text, size_t size, dorm_model **model);
/* Makes a JSON object with the parts of the model, its settings, and the remarks on its training, for programs that
 * display models. The caller frees it by dorm_text_free. A setting that is not UTF-8 returns DORM_BAD_DATA. */
DORM_API dorm_status dorm_model_describe(dorm_context *context, const dorm_model *model, char **json);
/* Exports a model to another program. The file is complete or not written at all. The path "-" is standard output.
 * `format` is elasticsearch, opensearch, solr, ranklib, xgboost, xgboost-dump, xgboost-json-dump, onnx, json or c.
 * `name` is the name of the model. `names_path` is a file with one line `ID NAME` per feature. If it is NULL, features
 * are called feature_ID.
 *
 * Returns DORM_BAD_DATA if the format cannot express the model. The formats onnx, json and c can express all of these,
 * the others cannot:
 * - kernels, functions of positions, or products of features,
 * - ranks, or features normalised within queries, because they depend on the other documents of the query,
 * - weights that are too large to be divided by the spreads of the features,
 * - trees or nets, unless the format has them. */
DORM_API dorm_status dorm_model_export(dorm_context *context, const dorm_model *model, const char *format,
                                       const char *name, const char *names_path, const char *path);
/* Checks a model for export. Returns DORM_OK if dorm_model_export would write it as json and c, and, unless all its
 * features are constant, as onnx. Otherwise returns DORM_BAD_DATA, with the reason in the message. */
DORM_API dorm_status dorm_model_check_export(dorm_context *context, const dorm_model *model);
/* Returns 1 if the score of a document depends on the other documents of its query, 0 if not. */
DORM_API int dorm_model_needs_query(const dorm_model *model);
/* Frees a model that was read or taken. Do not free the model of dorm_training_model, because the training owns it. */
DORM_API void dorm_model_free(dorm_model *model);

/* Supplies a file that a model needs after it was read. If the file has the name of a Gram matrix in the model, it is
 * read as that matrix. Otherwise it is loaded as the module of a kernel. Reading a model opens no other file, so a
 * model with such a kernel can be scored only after this call. A module that no part of the model needs is no error. */
DORM_API dorm_status dorm_model_use_module(dorm_context *context, dorm_model *model, const char *path);

/* Computes scores[num_docs], higher is better. Features that the model does not know are ignored. num_threads = 0 means
 * one per processor, or a single one for few documents. More than 1024 threads count as 1024. The scores do not depend
 * on the number. Several threads may call this for one model. */
DORM_API dorm_status dorm_model_score(dorm_context *context, const dorm_model *model, const dorm_dataset *dataset,
                                      size_t num_threads, double *scores);

/* A function that receives the scores [documents of the query] of a query. Any status but DORM_OK ends
 * dorm_model_score_stream. The query is freed after the call. */
typedef dorm_status (*dorm_scores_function)(void *user, const dorm_dataset *query, const double *scores);
/* Scores LETOR text from a file or a pipe ("-": standard input), query by query. Each query is passed to `take` as soon
 * as it is complete: after an empty line, a line of another query, or the end of the input. Labels may be missing.
 * Memory does not grow with the number of queries. The scores are the same as from dorm_model_score. A bad line returns
 * DORM_BAD_DATA, after the complete queries before it were passed. */
DORM_API dorm_status dorm_model_score_stream(dorm_context *context, const dorm_model *model, const char *path,
                                             dorm_scores_function take, void *user);

/* Computes scores [num_docs] like dorm_model_score, for documents in arrays, without a data set. Floats in sparse rows,
 * or in contiguous dense rows, are not copied. Labels are ignored. */
DORM_API dorm_status dorm_model_score_rows(dorm_context *context, const dorm_model *model, const dorm_arrays *arrays,
                                           size_t num_threads, double *scores);

/* Returns the number of features that the model knows, 0 for NULL. */
DORM_API size_t dorm_model_num_features(const dorm_model *model);
/* Returns the id of feature number `feature`. Numbers start at 0, and ids increase. Returns 0 for a number out of
 * range. */
DORM_API size_t dorm_model_feature_id(const dorm_model *model, size_t feature);
/* Copies the name of feature number `feature` into name[size], cut to size - 1 characters and a zero. The name is its
 * column in the CSV file or data frame, otherwise "feature_ID". Returns the length of the whole name. For a number out
 * of range it returns 0 and an empty text. `name` may be NULL if size is 0. */
DORM_API size_t dorm_model_feature_name(const dorm_model *model, size_t feature, char *name, size_t size);

/* Describes part `index` of the model in a few words, such as "rbf:gamma=2, 100 pivots, rank block 0.5", borrowed from
 * the model. Returns NULL after the last part. *kind becomes "linear", "kernel", "trees", "net" or "positions". *weight
 * becomes the factor of the part's scores. */
DORM_API const char *dorm_model_part(const dorm_model *model, size_t index, const char **kind, double *weight);
/* Gets the weights of feature number `index` in the linear part: `value` multiplies the normalised feature, `rank` its
 * rank within the query. Returns 0 after the last feature, otherwise 1. Both weights are 0 in a model without a linear
 * part. */
DORM_API int dorm_model_weight(const dorm_model *model, size_t index, size_t *feature_id, double *value, double *rank);
/* Returns remark `index` on how the model was trained, a line for people: the averaging, and the certificates. Returns
 * NULL after the last. */
DORM_API const char *dorm_model_remark(const dorm_model *model, size_t index);
/* Computes importance [features of the model], in the order of dorm_model_weight. The importance of a feature is the
 * standard deviation, within the queries of the data set, of its contribution to the scores of the linear part, by
 * value and rank together. If the feature has no weight for its rank, this is |weight| times the spread of the
 * normalised feature. */
DORM_API dorm_status dorm_model_importance(dorm_context *context, const dorm_model *model, const dorm_dataset *dataset,
                                           double *importance);
/* Computes contributions [num_docs][num_features], row-major, for the features of the data set. A contribution is the
 * amount that a feature, by value and rank together, adds to the score of a document, against the other documents of
 * its query. A row sums to the score minus the mean score of the query, to about 1e-6 of the scores. A column sums to 0
 * over a query.
 *
 * A feature of a linear part contributes weight * (value - mean over the query). A tree contributes the Shapley values
 * of its features (Lundberg, Erion and Lee 2018). To value a set of features, a document goes, at splits on other
 * features, to each side in proportion to the query's documents on that side.
 *
 * A model with kernels, nets, functions of positions or products of features returns DORM_BAD_DATA. Cost: O(num_docs *
 * (features + leaves of all trees * depth^2)) on one thread. */
DORM_API dorm_status dorm_model_explain(dorm_context *context, const dorm_model *model, const dorm_dataset *dataset,
                                        double *contributions);
/* Reads names of the model's features from a file with lines `ID NAME`, which must name all of them. If `path` is NULL,
 * the names are feature_ID. The caller frees names [features of the model] by dorm_feature_names_free. */
DORM_API dorm_status dorm_feature_names_read(dorm_context *context, const dorm_model *model, const char *path,
                                             char ***names);
/* Frees the names of the features of `model`. */
DORM_API void dorm_feature_names_free(const dorm_model *model, char **names);
/* Returns the expression of kernel part `index`, NULL after the last. *num_pivots becomes its number of pivots,
 * *rank_block the factor of the rank block that it uses. */
DORM_API const char *dorm_model_kernel(const dorm_model *model, size_t index, size_t *num_pivots, double *rank_block);

/* Boosted trees as a part of a model. */
typedef struct dorm_trees {
  const char *objective; /* objective that they were fitted to, borrowed from the model */
  size_t num_trees, num_leaves;
  size_t num_outputs; /* number of sums of trees that make up the score */
  double rank_block;  /* factor of the ranks that the trees use, 0: none */
} dorm_trees;
/* Returns the trees of part `index`, numbered as by dorm_model_part, borrowed from the model. Returns NULL if the part
 * is not made of trees. gain and splits [twice the features of the model] become the importances of the features: the
 * improvement of the fit by all splits on a feature, and the number of these splits. The first half is for the values
 * of the features, the second for their ranks within the query. Both may be NULL. */
DORM_API const dorm_trees *dorm_model_trees(const dorm_model *model, size_t index, double *gain, size_t *splits);
/* Copies the settings that made the model. The caller frees the copy. A model file cannot make the caller open a file
 * or load a module. Therefore, if the model was read, each setting that names a file has its default in the copy,
 * unlike in dorm_model_setting. To use the file, set it again. */
DORM_API dorm_status dorm_model_settings(dorm_context *context, const dorm_model *model, dorm_settings **settings);
/* Returns the value that a setting had when the model was trained, as a text to show, NULL for an unknown key. The
 * value may name files. To use settings, take them from dorm_model_settings. */
DORM_API const char *dorm_model_setting(const dorm_model *model, const char *key);
/* Returns 1 if the program set this setting for the training. Returns 0 for an unknown key, and if the setting had its
 * default or a value derived from it. If the model file does not record this, returns 1 if the value differs from the
 * default. */
DORM_API int dorm_model_setting_is_given(const dorm_model *model, const char *key);

#ifdef __cplusplus
}
#endif

#endif
