/*
 * joint_affinity.c: learns from attributes which users like which items. With e the residuals of the biases, x[u] the
 * content of user u and z[i] the content of item i (vectors.c),
 *
 *   minimise over W  sum over ratings (e - x[u]' W z[i])^2 + ridge |W|^2
 *
 * by conjugate gradients on the normal equations. The product with their matrix goes item by item: W z[i] first, then
 * its inner products with the x[u] of the raters. So a step costs O(num_items |W| + num_ratings width), and the
 * products x[u] z[i]' are never formed.
 */
#include "base/linalg.h"
#include "collaborative/ratings/fit.h"
#include "collaborative/ratings/ratings.h"

#include <string.h>

/* Halving and doubling change NDCG@10 by +0.0006 and -0.0009 beside `bias`, and by less than 0.0003 among all nine
 * features (splits 101 to 103 of MovieLens 100K, experiments/defaults/rating-constants.tsv). */
static const double ridge = 2;
/* The relative residual at which to stop. Usually STEPS is reached first. */
static const double relative_residual = 1e-10;
/* Halving and doubling change NDCG@10 by at most 0.0002. */
enum { STEPS = 15 };

typedef struct joint {
  const dorm__rating_table *table;
  const dorm__rows *users;
  const dorm__rows *items;
  size_t rows;     /* of W: the width of a user's content */
  size_t columns;  /* of W: the width of an item's content */
  double *product; /* [2][rows]: W z, and a sum over raters */
} joint;

static const double *user_row(const joint *fit, size_t user)
{
  return fit->users->values + user * fit->users->width;
}

static const double *item_row(const joint *fit, size_t item)
{
  return fit->items->values + item * fit->items->width;
}

/* Adds the sum over ratings of value x[u] z[i]' to result [rows][columns]. The value is x[u]' W z[i] if `weights` is
 * given, and the residual otherwise. */
static void accumulate(const joint *fit, const double *residuals, const double *weights, double *result)
{
  const dorm__rating_table *table = fit->table;
  double *sum = fit->product + fit->rows;
  for (size_t i = 0; i < table->num_items; i++) {
    if (table->item_start[i] == table->item_start[i + 1])
      continue;
    if (weights)
      dorm__matrix_vector(fit->rows, fit->columns, weights, item_row(fit, i), fit->product);
    memset(sum, 0, fit->rows * sizeof *sum);
    for (size_t k = table->item_start[i]; k < table->item_start[i + 1]; k++) {
      const double *x = user_row(fit, table->users[k]);
      double value = weights ? dorm__dot(fit->rows, x, fit->product) : residuals[table->by_item[k]];
      dorm__add_scaled(fit->rows, value, x, sum);
    }
    for (size_t f = 0; f < fit->rows; f++)
      dorm__add_scaled(fit->columns, sum[f], item_row(fit, i), result + f * fit->columns);
  }
}

/* Sets image = (A'A + ridge I) weights. A has a row x[u] z[i]' per rating. `user` is a joint. */
static bool multiply(void *user, const double *weights, double *image)
{
  const joint *fit = user;
  size_t size = fit->rows * fit->columns;
  memset(image, 0, size * sizeof *image);
  accumulate(fit, NULL, weights, image);
  dorm__add_scaled(size, ridge, weights, image);
  return true;
}

dorm_status dorm__joint_affinity_fit(dorm_context *context, const dorm__rating_table *table, const double *residuals,
                                     const dorm__vectors *vectors, double **of_items)
{
  joint fit = {.table = table,
               .users = &vectors->users,
               .items = &vectors->items,
               .rows = vectors->num_user_content,
               .columns = vectors->num_item_content};
  size_t size = fit.rows * fit.columns;
  DORM__FREED double *weights = dorm__alloc(4, size * sizeof *weights);
  DORM__FREED double *by_item = dorm__alloc(table->num_items, fit.rows * sizeof *by_item); /* W z[i] */
  DORM__FREED double *product = dorm__alloc(2, fit.rows * sizeof *product);
  if (!weights || !by_item || !product)
    return dorm__out_of_memory(context, "a ridge regression");
  fit.product = product;
  memset(weights, 0, size * sizeof *weights);
  accumulate(&fit, residuals, NULL, weights);
  dorm__conjugate_gradients(size, multiply, &fit, weights, weights + size, STEPS, relative_residual);
  for (size_t i = 0; i < table->num_items; i++)
    dorm__matrix_vector(fit.rows, fit.columns, weights, item_row(&fit, i), by_item + i * fit.rows);
  *of_items = by_item;
  by_item = NULL;
  return DORM_OK;
}

void dorm__joint_affinity_predict(const dorm__vectors *vectors, const double *of_items, const dorm__pairs *pairs,
                                  size_t num_threads, double *predictions)
{
  size_t width = vectors->num_user_content;
#pragma omp parallel for num_threads((int)num_threads)
  for (size_t k = 0; k < pairs->count; k++)
    predictions[k] = dorm__dot(width, vectors->users.values + pairs->users[k] * vectors->users.width,
                               of_items + pairs->items[k] * width);
}
