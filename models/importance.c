/*
 * importance.c: the importance of each feature in a model. In trees it is the sum of the gains of the splits on it, and
 * their number. In the linear part, let w_f be the weight of the normalised value x_f of a feature, and v_f the weight
 * of its rank r_f. The feature adds t_j = w_f x_f + v_f r_f to the score of document j. Its importance is the standard
 * deviation of t within the queries of a data set,
 *
 *   sqrt(sum over queries q, documents j of q, of (t_j - mean of t over q)^2 / number of documents).
 *
 * A constant per query, which ranks nothing, adds nothing to it. Cost: O(entries of the rows + queries * features).
 */
#include "models/models.h"

#include <math.h>
#include <string.h>

/* Sums over the documents of one query, by feature. */
typedef struct query_sums {
  size_t num_ids;
  double *terms;   /* [num_ids] t of one document, 0 between documents */
  double *sums;    /* [num_ids] of t over the query */
  double *squares; /* [num_ids] of t over the query */
} query_sums;

static void add_document(const dorm__row *row, const double *weights, query_sums *sums)
{
  for (size_t i = 0; i < row->count; i++) {
    size_t feature = row->indices ? row->indices[i] : i;
    double value = dorm__row_value(row, i);
    sums->terms[feature % sums->num_ids] += weights[feature] * value;
  }
  for (size_t i = 0; i < row->count; i++) { /* once per feature, whose term is 0 again afterwards */
    size_t feature = (row->indices ? row->indices[i] : i) % sums->num_ids;
    sums->sums[feature] += sums->terms[feature];
    sums->squares[feature] += sums->terms[feature] * sums->terms[feature];
    sums->terms[feature] = 0;
  }
}

static void add_queries(const dorm_dataset *dataset, const dorm__features *rows, const double *weights,
                        query_sums *sums, double *variance)
{
  for (size_t q = 0; q < dataset->num_queries; q++) {
    size_t count = dataset->query_start[q + 1] - dataset->query_start[q];
    memset(sums->sums, 0, sums->num_ids * sizeof *sums->sums);
    memset(sums->squares, 0, sums->num_ids * sizeof *sums->squares);
    for (size_t j = dataset->query_start[q]; j < dataset->query_start[q + 1]; j++) {
      dorm__row row = dorm__features_row(rows, j);
      add_document(&row, weights, sums);
    }
    for (size_t f = 0; f < sums->num_ids; f++)
      variance[f] += fmax(0, sums->squares[f] - sums->sums[f] * sums->sums[f] / (double)count);
  }
}

dorm_status dorm_model_importance(dorm_context *context, const dorm_model *model, const dorm_dataset *dataset,
                                  double *importance)
{
  if (DORM__LACKS(context, DORM__GIVEN(model), DORM__GIVEN(dataset),
                  DORM__GIVEN_IF(model && model->map.num_ids, importance)))
    return DORM_BAD_USAGE;
  dorm__feature_map map = model->map;
  const double *weights = dorm__model_linear_weights(model, &map.rank_block);
  DORM__AT_END(dorm__features_free) dorm__features rows = {0};
  size_t num_ids = model->map.num_ids;
  DORM__FREED double *numbers = dorm__alloc_zero(num_ids, 3 * sizeof *numbers);
  query_sums sums = {num_ids, numbers, numbers + num_ids, numbers + 2 * num_ids};
  dorm_status status = numbers ? DORM_OK : dorm__out_of_memory(context, "importances");
  if (num_ids)
    memset(importance, 0, num_ids * sizeof *importance);
  if (status == DORM_OK && weights && num_ids) {
    status = dorm__features_build(context, dataset, &map, 1, &rows);
    if (status == DORM_OK)
      add_queries(dataset, &rows, weights, &sums, importance);
    for (size_t f = 0; f < num_ids; f++)
      importance[f] = sqrt(importance[f] / (double)dataset->num_docs);
  }
  return status;
}

const dorm_trees *dorm_model_trees(const dorm_model *model, size_t index, double *gain, size_t *splits)
{
  dorm__model_trees part;
  if (!model || index >= model->num_parts || !dorm__part_trees(&model->parts[index], &part))
    return NULL;
  if (gain && model->map.num_ids)
    memset(gain, 0, 2 * model->map.num_ids * sizeof *gain);
  if (splits && model->map.num_ids)
    memset(splits, 0, 2 * model->map.num_ids * sizeof *splits);
  for (size_t t = 0; t < part.ensemble->num_trees; t++) {
    const dorm__tree *tree = &part.ensemble->trees[t];
    for (size_t n = 0; n < tree->num_nodes; n++) {
      if (dorm__tree_node_is_leaf(tree, n))
        continue;
      if (gain)
        gain[tree->nodes[n].feature] += tree->gains[n];
      if (splits)
        splits[tree->nodes[n].feature]++;
    }
  }
  return part.shown;
}
