/*
 * tree_start.c: the model at which boosting starts, a linear model or the model of data.from. A linear model is divided
 * by the standard deviation of its scores within the training queries, as it was before training.increasing and
 * training.decreasing bounded its weights. λ-functions depend on differences of scores, and the step size of trees is
 * the same for every start. So a start with larger scores would leave less to the trees. The model of data.from is not
 * scaled, and the new trees follow its own trees.
 */
#include "trainers/tree_start.h"
#include "trainers/ridge.h"

#include <string.h>

/* Returns the scores [num_docs] of the data set by w [num_features], from its rows `features`. Returns NULL when out of
 * memory. The caller frees them. */
static double *scores_of(const dorm__job *job, const dorm_dataset *dataset, const dorm__features *features,
                         const double *w)
{
  double *scores = dorm__alloc(dataset->num_docs, sizeof *scores);
  if (scores)
    dorm__features_score_queries(features, dataset->num_queries, dataset->query_start, w, job->num_threads, scores);
  return scores;
}

static dorm_status score_start(const dorm__job *job, dorm__training_rows *rows, const dorm__features *features,
                               dorm__tree_start *start)
{
  start->scores = scores_of(job, rows->train, features, start->w);
  if (rows->validation)
    start->validation_scores = scores_of(job, rows->validation, &rows->validation_features, start->w);
  return start->scores && (!rows->validation || start->validation_scores)
             ? DORM_OK
             : dorm__out_of_memory(job->context, "a linear start");
}

/* ---- The model of data.from ---------------------------------------------------------------- */

static dorm_status refuse(const dorm__job *job, const char *reason)
{
  return dorm__fail(job->context, DORM_BAD_USAGE, "data.from = %s: %s",
                    dorm__settings_text(job->settings, DORM__DATA_FROM), reason);
}

dorm_status dorm__tree_start_check(const dorm__job *job)
{
  dorm__model_trees trees;
  if (!job->from)
    return DORM_OK;
  if (dorm__settings_count(job->settings, DORM__TREES_START) > 1 ||
      dorm__settings_choice(job->settings, DORM__TREES_START))
    return refuse(job, "trees continue from this model, so that trees.start has to be none");
  for (size_t i = 0; i < job->from->num_parts; i++) {
    const dorm__part *part = &job->from->parts[i];
    if (part->kind == &dorm__linear_part)
      continue;
    if (!dorm__part_trees(part, &trees))
      return refuse(job, "trees can continue from a linear model or from trees, and this model has other parts");
    if (trees.objective->link != DORM__LINK_OUTPUT)
      return refuse(job, "the score of this model is no sum over trees, so that trees cannot be added to it");
  }
  return DORM_OK;
}

/* Appends copies of the trees of a part to `joined`. Multiplies the values of their leaves by the weight of the
 * part. */
static dorm_status append_trees(dorm_context *context, const dorm__model_trees *part, dorm__ensemble *joined)
{
  DORM__AT_END(dorm__ensemble_clear) dorm__ensemble copy;
  dorm_status status = dorm__ensemble_copy(context, part->ensemble, part->ensemble->num_trees, &copy);
  for (size_t t = 0; status == DORM_OK && t < copy.num_trees; t++) {
    dorm__tree_scale(&copy.trees[t], part->weight);
    status = dorm__ensemble_add(context, joined, &copy.trees[t]);
    copy.trees[t] = (dorm__tree){0};
  }
  return status;
}

/* Returns whether some trees of data.from see another normalisation or rank block than the new trees. */
static bool sees_other_values(const dorm__job *job, const dorm__training_rows *rows)
{
  bool is_raw = dorm__settings_say_yes(job->settings, DORM__TREES_RAW_VALUES, 0);
  dorm__normalisation own = is_raw ? DORM__NORMALISATION_NONE : rows->map.normalisation;
  dorm__model_trees part;
  bool differs = dorm__settings_count(job->settings, DORM__TREES_RAW_VALUES) > 1;
  for (size_t i = 0; dorm__model_trees_at(job->from, i, &part); i++)
    differs = differs || part.normalisation != own || part.rank_block != rows->map.rank_block;
  return differs;
}

/* Makes a start whose trees stay parts of their own. start->w are the weights of the linear part. The scores are the
 * scores of the whole model, trees included. */
static dorm_status start_beside_model(const dorm__job *job, dorm__training_rows *rows, dorm__tree_start *start)
{
  start->keeps_parts = true;
  dorm__earlier_weights(rows, job->from, start->w);
  start->scores = dorm__alloc(rows->train->num_docs, sizeof *start->scores);
  if (rows->validation)
    start->validation_scores = dorm__alloc(rows->validation->num_docs, sizeof *start->validation_scores);
  if (!start->scores || (rows->validation && !start->validation_scores))
    return dorm__out_of_memory(job->context, "a start");
  dorm_status status = dorm__model_score(job->context, job->from, rows->train, job->num_threads, start->scores);
  return status == DORM_OK && rows->validation
             ? dorm__model_score(job->context, job->from, rows->validation, job->num_threads, start->validation_scores)
             : status;
}

/* Makes a start to whose trees the new trees are appended. start->w are the weights of the linear part, start->earlier
 * the trees. The scores are the sums of both. */
static dorm_status start_at_model(const dorm__job *job, dorm__training_rows *rows, const dorm__features *features,
                                  const dorm__tree_rows *train, const dorm__tree_rows *validation,
                                  dorm__tree_start *start)
{
  dorm__model_trees part;
  dorm_status status = DORM_OK;
  start->earlier = (dorm__ensemble){.width = features->num_features, .num_outputs = 1};
  dorm__earlier_weights(rows, job->from, start->w);
  for (size_t i = 0; status == DORM_OK && dorm__model_trees_at(job->from, i, &part); i++)
    status = append_trees(job->context, &part, &start->earlier);
  if (status == DORM_OK)
    status =
        DORM__ALL(score_start(job, rows, features, start),
                  dorm__ensemble_add_outputs_of(job->context, &start->earlier, train, job->num_threads, start->scores));
  if (status == DORM_OK && validation)
    status = dorm__ensemble_add_outputs_of(job->context, &start->earlier, validation, job->num_threads,
                                           start->validation_scores);
  return status;
}

dorm_status dorm__tree_start_make(const dorm__job *job, dorm__training_rows *rows, size_t index,
                                  const dorm__tree_rows *train, const dorm__tree_rows *validation,
                                  dorm__tree_start *start)
{
  const dorm__features *features = NULL;
  double spread = 0;
  *start = (dorm__tree_start){0};
  if (!job->from && !dorm__linear_start_is(job, DORM__TREES_START, index))
    return DORM_OK;
  dorm_status status = dorm__training_rows_features(job, rows, &features);
  if (status != DORM_OK)
    return status;
  start->w = dorm__alloc(features->num_features, sizeof *start->w);
  if (!start->w)
    return dorm__out_of_memory(job->context, "a linear start");
  start->earlier = (dorm__ensemble){.width = features->num_features, .num_outputs = 1};
  if (job->from && sees_other_values(job, rows))
    return start_beside_model(job, rows, start);
  if (job->from)
    return start_at_model(job, rows, features, train, validation, start);
  status = dorm__linear_start(job, rows, features, DORM__TREES_START, index, start->w, &spread);
  if (status != DORM_OK)
    return status;
  dorm__bounds bounds;
  status = dorm__bounds_make(job, rows, &bounds);
  dorm__bounds_project(&bounds, features->num_features, start->w);
  dorm__bounds_clear(&bounds);
  if (status != DORM_OK)
    return status;
  for (size_t f = 0; spread > 0 && f < features->num_features; f++)
    start->w[f] /= spread;
  return score_start(job, rows, features, start);
}

void dorm__tree_start_clear(dorm__tree_start *start)
{
  dorm__ensemble_clear(&start->earlier);
  dorm__free(start->w);
  dorm__free(start->scores);
  dorm__free(start->validation_scores);
  *start = (dorm__tree_start){0};
}
