/*
 * models.h: models, the results of training. A model is a weighted sum of parts, each of which scores documents by
 * itself. It can be written to a file and read, scores documents, ranks with few documents of a group in front, and can
 * be exported to other programs.
 *
 * Reading order: model, linear_part, kernel_part, trees_part, net_part, positions_part, setting_lines, model_lines,
 * model_file, describe, feature_names, diverse_ranking, importance, explain, export/parts, export/export and its
 * formats, probe.
 */
#ifndef DORM_MODELS_MODELS_H
#define DORM_MODELS_MODELS_H

#include "base/base.h"
#include "base/file.h"
#include "data/data.h"
#include "features/features.h"
#include "kernels/kernels.h"
#include "measures/measures.h"
#include "nets/nets.h"
#include "solver/solver.h"
#include "trees/trees.h"

/* ---- Kinds of parts ------------------------------------------------------ */

/* The lines of a model file while it is read (model_lines.h). */
typedef struct dorm__model_lines dorm__model_lines;

/* Receives a part as a net and its rows. */
typedef struct dorm__net_of_part {
  dorm__net *net;
  dorm__features *rows;
} dorm__net_of_part;

/* The kinds of parts. The state of a part is owned by its model. In all functions `map` describes the features of the
 * model, their ids and their normalisation, without a rank block. A part adds its own rank block. A new kind needs a
 * struct like this, a row in dorm__part_kind_named (model.c) and a function that makes a part (HACKING.md, "Adding a
 * kind of model part"). */
typedef struct dorm__part_kind {
  const char *word; /* names the kind in model files */
  /* Adds weight times the part's scores of the documents to scores[num_docs]. The result does not depend on the number
   * of threads, and several threads may call this for one state at a time. Only dorm__positions_part uses the scores of
   * the parts before it. */
  dorm_status (*score)(dorm_context *context, const void *state, const dorm__feature_map *map,
                       const dorm_dataset *dataset, size_t num_threads, double weight, double *scores);
  /* Multiplies the part's scores by a factor. NULL if the kind cannot do this, and its weight is then kept beside
   * it. */
  void (*scale)(void *state, double factor);
  /* Adds another part of the kind, times a factor, to this one, and frees the other part. Neither is in a model yet. If
   * one part cannot hold both, does nothing and *is_joined becomes false. NULL if the kind never joins. */
  dorm_status (*join)(dorm_context *context, void *state, void *other, double factor, bool *is_joined);
  /* Prepares the part for the features of its model: parses, reads and checks all that scoring needs. Called once, when
   * the part joins the model. NULL if there is nothing to do. */
  dorm_status (*open)(dorm_context *context, void *state, const dorm__feature_map *map);
  /* Writes the part's lines. If the kind scales, they begin with its word. For other kinds, the caller has begun the
   * line `part WORD WEIGHT`, and this function ends it. NULL if model_file.c has lines for the kind (linear). */
  void (*write)(const void *state, const dorm__feature_map *map, dorm__output *output);
  /* Reads a part from `text`, the rest of its first line, and from as many further lines as it needs
   * (dorm__model_lines_expect). Must not allocate by a number in the file. NULL if `write` is. */
  dorm_status (*read)(dorm_context *context, dorm__model_lines *lines, const dorm__feature_map *map, char *text,
                      void **state);
  /* Makes a net over rows of the data set, for dorm_model_probe. Its scores are `weight` times the part's, up to a
   * constant within each query. The caller clears net and rows. NULL if no weights make the scores (trees), or if
   * scores are not one number per document (functions of positions). */
  dorm_status (*as_net)(dorm_context *context, const void *state, const dorm__feature_map *map,
                        const dorm_dataset *dataset, size_t num_threads, double weight, const dorm__net_of_part *made);
  /* Describes the part in a few words. The text is borrowed from the state. */
  const char *(*describe)(const void *state);
  void (*free)(void *state); /* NULL is allowed as a state */
} dorm__part_kind;

typedef struct dorm__part {
  const dorm__part_kind *kind;
  double weight; /* of its scores in the sum, 1 in a model if the kind scales */
  void *state;
} dorm__part;

/* ---- model.c ------------------------------------------------------------ */

/* Joins a part with one of the parts [*count] of a sum that is in no model yet, or puts it behind them. Takes over the
 * part, even on failure. */
dorm_status dorm__parts_add(dorm_context *context, dorm__part part, dorm__part *parts, size_t *count);

/* score(document) = sum over parts of weight * score of the part */
struct dorm_model {
  dorm__feature_map map; /* without a rank block, owned */
  size_t num_parts;
  dorm__part *parts;       /* [num_parts] */
  dorm_settings *settings; /* that made the model, with the values used in place of "auto" */
  size_t num_remarks;
  char **remarks; /* [num_remarks] sentences on how the model was trained */
};
DORM__OWNER(dorm_model, dorm_model_free)

/* Makes a model without parts. Copies the map, without its rank block, and the settings. */
dorm_status dorm__model_new(dorm_context *context, const dorm__feature_map *map, const dorm_settings *settings,
                            dorm_model **model);
/* Opens a part, scales it by its weight if its kind can, and adds it. Takes over the part's state, even on failure. A
 * model holds at most one linear part, and nothing after dorm__positions_part. */
dorm_status dorm__model_add(dorm_context *context, dorm_model *model, dorm__part part);
/* Returns the place of a feature among the features of a model's map, or their number if it is not there. */
size_t dorm__map_place(const dorm__feature_map *map, size_t id);
/* Appends a copy of a remark, one line of text. */
dorm_status dorm__model_remark(dorm_context *context, dorm_model *model, const char *text);

/* Returns the kind whose lines in model files begin with this word, or NULL if there is none. */
const dorm__part_kind *dorm__part_kind_named(const char *word);

/* Write a part that is in no model yet into a record, and read it back. Its kind must not scale. Sets reader->is_bad if
 * the record has none. */
dorm_status dorm__part_save(dorm_context *context, const dorm__part *part, const dorm__feature_map *map,
                            dorm__record_writer *writer);
dorm_status dorm__part_restore(dorm_context *context, const dorm__feature_map *map, dorm__record_reader *reader,
                               dorm__part *part);

/* ---- linear_part.c ------------------------------------------------------- */

extern const dorm__part_kind dorm__linear_part;

/* Makes a linear function of the rows of a feature map with `num_ids` features and this rank block. Copies weights
 * [width], first of the values, then, if rank_block > 0, of the ranks. */
dorm_status dorm__linear_part_new(dorm_context *context, size_t num_ids, double rank_block, const double *weights,
                                  dorm__part *part);
/* Returns the weights of the linear part, as above, and its rank block, or NULL if the model has none. */
const double *dorm__model_linear_weights(const dorm_model *model, double *rank_block);

/* ---- kernel_part.c ------------------------------------------------------- */

extern const dorm__part_kind dorm__kernel_part;

/* Makes the part sum_p v[p] k(x, pivots[p]) from the weights w [rank] of the factor's features, with v = L_P^-T w
 * (dorm__kernel_pivot_weights). Copies numbers, and shares Gram matrices and modules with the factor's kernel, which
 * may end before the part. */
dorm_status dorm__kernel_part_new(dorm_context *context, const dorm__kernel_factor *factor, const double *weights,
                                  dorm__part *part);

/* ---- positions_part.c ---------------------------------------------------- */

extern const dorm__part_kind dorm__positions_part;

/* Functions of single first positions, besides the shared one. */
typedef struct dorm__position_functions {
  size_t count;             /* positions 0 .. count - 1 have one */
  dorm__position_weights c; /* not of a loss */
} dorm__position_functions;

/* Makes the part of linear functions of the rows of a feature map with `num_ids` features and this rank block: weights
 * [functions->count][width]. Copies all. */
dorm_status dorm__positions_part_new(dorm_context *context, size_t num_ids, double rank_block,
                                     const dorm__position_functions *functions, const double *weights,
                                     dorm__part *part);
/* Replaces scores [num_docs] of the function of all positions by scores that fall along the best ranking. own
 * [functions->count][num_docs] are scores that are added at the first positions. */
dorm_status dorm__rank_by_positions(dorm_context *context, const dorm_dataset *dataset,
                                    const dorm__position_functions *functions, const double *own, size_t num_threads,
                                    double *scores);

/* ---- trees_part.c -------------------------------------------------------- */

extern const dorm__part_kind dorm__trees_part;

/* Makes a part of the objective's scores of an ensemble over rows of the map with its rank block. The map's
 * normalisation must be the model's or none. Takes over the ensemble, even on failure. Copies the levels
 * [num_levels]. */
dorm_status dorm__trees_part_new(dorm_context *context, const dorm__feature_map *map,
                                 const dorm__tree_objective *objective, size_t num_levels, const double *levels,
                                 dorm__ensemble *ensemble, dorm__part *part);

/* Copies a trees part with its weight. */
dorm_status dorm__trees_part_copy(dorm_context *context, const dorm__part *part, dorm__part *copy);

/* The content of a trees part, borrowed from the model. */
typedef struct dorm__model_trees {
  double weight;
  const char *description;
  const dorm__tree_objective *objective;
  dorm__normalisation normalisation; /* of the rows, the model's or none */
  double rank_block;
  const bool *is_category; /* [num_ids] features whose values are categories */
  size_t num_levels;
  const double *levels; /* [num_levels] */
  const dorm__ensemble *ensemble;
  const dorm_trees *shown;
} dorm__model_trees;

/* Find the trees part that a part is, and trees part number `index` of a model. Return false if there is none. */
bool dorm__part_trees(const dorm__part *part, dorm__model_trees *trees);
bool dorm__model_trees_at(const dorm_model *model, size_t index, dorm__model_trees *trees);

/* ---- net_part.c ----------------------------------------------------------- */

extern const dorm__part_kind dorm__net_part;

/* Makes a part of a net with hidden units over rows of the map with its rank block. Copies the net. */
dorm_status dorm__net_part_new(dorm_context *context, const dorm__feature_map *map, const dorm__net *net,
                               dorm__part *part);

/* The content of a net part, borrowed from the model. */
typedef struct dorm__model_net {
  double weight;
  const char *description;
  double rank_block;
  const dorm__net *net; /* over rows of num_ids values and, if there is a rank block, as many ranks */
} dorm__model_net;

/* Finds net part number `index` of a model. Returns false if there is none. */
bool dorm__model_net_at(const dorm_model *model, size_t index, dorm__model_net *net);

/* ---- probe.c -------------------------------------------------------- */

/* Bounds the probability p of success, after `count` successes in `trials` trials. Each bound alone holds with
 * probability 1 - delta (Clopper and Pearson 1934). */
void dorm__binomial_bounds(size_t trials, size_t count, double delta, double *least, double *most);

/* ---- model_file.c -------------------------------------------------------- */

/* Does dorm_model_read for models that may also hold parts of `num_kinds` other kinds. */
dorm_status dorm__model_read(dorm_context *context, const char *path, size_t num_kinds,
                             const dorm__part_kind *const *kinds, dorm_model **model);

/* ---- model.c ---------------------------------------------------------- */

/* Compares the features of the data with the features of the model (dorm__compare_features). */
void dorm__model_compare_features(const dorm_context *context, const dorm_model *model, const dorm_dataset *dataset);
/* Does dorm_model_score without that comparison. */
dorm_status dorm__model_score(dorm_context *context, const dorm_model *model, const dorm_dataset *dataset,
                              size_t num_threads, double *scores);

/* ---- diverse_ranking.c ---------------------------------------------------- */

typedef struct dorm__diverse_ranking {
  size_t top;      /* first positions for which the capacity holds */
  double capacity; /* of each group, among those positions */
  double seconds;  /* of one mixed-integer programme, needed if groups overlap */
  const double *c; /* [the most documents of a query], values of the positions, not increasing */
} dorm__diverse_ranking;

/* Fills diverse[num_docs] with scores that fall along a ranking with few documents of a group in front, for a data set
 * with groups. It may be the array `scores`. */
dorm_status dorm__rank_diversely(dorm_context *context, const dorm_dataset *dataset,
                                 const dorm__diverse_ranking *options, const double *scores, double *diverse);

/* ---- setting_lines.c ---------------------------------------------------- */

/* Writes "setting KEY = VALUE", one line for each setting. */
void dorm__setting_lines_write(const dorm_settings *settings, dorm__output *output);
/* Writes "set KEY ..." with the settings that are marked. */
void dorm__set_line_write(const dorm_settings *settings, dorm__output *output);
/* Reads the keys behind the word "set", and skips those that only earlier versions have. NULL marks those that differ
 * from their default, for files of versions that wrote no such line. Changes the text. */
dorm_status dorm__set_line_read(dorm_context *context, const dorm__line_reader *lines, char *text,
                                dorm_settings *settings);
/* Reads "KEY = VALUE" behind the word "setting". Changes the text. */
dorm_status dorm__setting_line_read(dorm_context *context, const dorm__line_reader *lines, char *text,
                                    dorm_settings *settings);

#endif
