/*
 * rating_kernels.c: computes Gram matrices of users and of items in the manner of Basilico and Hofmann 2004 (the paper,
 * section 6.6), each a sum of
 *
 *   identity      1 for the same user or item, else 0
 *   attributes    the cosine of the rows of attributes
 *   correlation   Pearson's over the training ratings: with r the ratings less their mean by user (or by item), and 0
 *                 if there is none, <r_u, r_v> / (q_u q_v), q_u = sqrt(|r_u|^2 + norm_shrinkage)
 *
 * Missing ratings count as the mean, which makes the matrix positive semi-definite. Means over common ratings alone
 * would not. Every part has a diagonal of at most 1. A kernel between pairs is the product of both matrices (kernels/,
 * `gram`). O(sum over units of their partners' ratings + count^2 width).
 */
#include "base/linalg.h"
#include "collaborative/ratings/fit.h"
#include "collaborative/ratings/ratings.h"

#include <math.h>
#include <string.h>

/* Shrinks the correlations of users and items with few ratings. Halving and doubling change NDCG@10 by kernels by
 * -0.0001 and +0.0005 (splits 101 to 103 of MovieLens 100K, experiments/defaults/rating-constants.tsv). */
static const double norm_shrinkage = 5;
/* Entries are written as whole multiples of 1e-12. This is fast, independent of the locale, and finer than the rounding
 * of the sums. */
static const double entry_scale = 1e12;
/* Largest number of users or items. Their Gram file takes up to 7 GB. */
enum { MOST_UNITS = 20000 };

/* The ratings from one side: units (users or items) and their partners (items or users). */
typedef struct side_view {
  size_t count;
  const size_t *start;
  const uint32_t *partners;
  const size_t *entry_of;   /* number of the rating at a place, NULL: the place itself */
  const size_t *back_start; /* these three: the same from the partners' side */
  const uint32_t *back;
  const size_t *back_entry_of;
} side_view;

static size_t entry_at(const size_t *entry_of, size_t place)
{
  return entry_of ? entry_of[place] : place;
}

/* Fills scaled [num_ratings] with the ratings minus the mean of their unit, divided by its q. */
static void standardise(const side_view *view, const double *values, double *scaled)
{
  for (size_t v = 0; v < view->count; v++) {
    double sum = 0;
    double squares = norm_shrinkage;
    double count = (double)(view->start[v + 1] - view->start[v]);
    for (size_t k = view->start[v]; k < view->start[v + 1]; k++)
      sum += values[entry_at(view->entry_of, k)] / count;
    for (size_t k = view->start[v]; k < view->start[v + 1]; k++)
      squares += pow(values[entry_at(view->entry_of, k)] - sum, 2);
    for (size_t k = view->start[v]; k < view->start[v + 1]; k++) {
      size_t e = entry_at(view->entry_of, k);
      scaled[e] = (values[e] - sum) / sqrt(squares);
    }
  }
}

/* Fills row [count] with the row of one unit in the sum of the parts. */
static void fill_row(const side_view *view, const dorm__kernel_parts *parts, const double *scaled,
                     const dorm__rows *attributes, size_t unit, double *row)
{
  memset(row, 0, view->count * sizeof *row);
  if (parts->has_identity)
    row[unit] += 1;
  for (size_t v = 0; parts->has_attributes && v < view->count; v++)
    row[v] += dorm__dot(attributes->width, attributes->values + unit * attributes->width,
                        attributes->values + v * attributes->width);
  for (size_t k = view->start[unit]; parts->has_correlation && k < view->start[unit + 1]; k++) {
    size_t partner = view->partners[k];
    double own = scaled[entry_at(view->entry_of, k)];
    for (size_t p = view->back_start[partner]; p < view->back_start[partner + 1]; p++)
      row[view->back[p]] += own * scaled[entry_at(view->back_entry_of, p)];
  }
}

static void to_unit_length(dorm__rows *rows)
{
  for (size_t i = 0; i < rows->count; i++) {
    double *row = rows->values + i * rows->width;
    double length = sqrt(dorm__dot(rows->width, row, row));
    for (size_t f = 0; length > 0 && f < rows->width; f++)
      row[f] /= length;
  }
}

/* The sources of a Gram matrix: values of ratings, a side file, and the ids of its rows. */
typedef struct gram_source {
  const double *values; /* [num_ratings] */
  size_t num_ratings;
  const dorm_attributes *side;
  const dorm__id_table *ids;
} gram_source;

static dorm_status write_gram(dorm_context *context, const side_view *view, const dorm__kernel_parts *parts,
                              const gram_source *source, const char *what, const char *path)
{
  DORM__AT_END(dorm__rows_clear) dorm__rows attributes = {0};
  dorm__output *output = NULL;
  if (view->count > MOST_UNITS)
    return dorm__fail(context, DORM_BAD_DATA, "a Gram matrix of %zu %s; the most are %d", view->count, what,
                      MOST_UNITS);
  DORM__FREED double *scaled = dorm__alloc(source->num_ratings, sizeof *scaled);
  DORM__FREED double *row = dorm__alloc(view->count, sizeof *row);
  if (!scaled || !row || !dorm__side_rows(source->side, source->ids, &attributes))
    return dorm__out_of_memory(context, "a Gram matrix");
  to_unit_length(&attributes);
  standardise(view, source->values, scaled);
  dorm_status status = dorm__output_open(context, path, &output);
  if (status != DORM_OK)
    return status;
  for (size_t v = 0; v < view->count; v++) {
    fill_row(view, parts, scaled, &attributes, v, row);
    for (size_t j = 0; j < view->count; j++)
      dorm__output_text(output, j ? " %llde-12" : "%llde-12", llround(entry_scale * row[j]));
    dorm__output_text(output, "\n");
  }
  return dorm__output_commit(context, output);
}

dorm_status dorm_rating_kernels_write(dorm_context *context, const dorm_settings *settings,
                                      const dorm_ratings *training, const dorm_attributes *users,
                                      const dorm_attributes *items, const char *users_path, const char *items_path)
{
  if (DORM__LACKS(context, DORM__GIVEN(settings), DORM__GIVEN(training), DORM__GIVEN(users_path),
                  DORM__GIVEN(items_path)))
    return DORM_BAD_USAGE;
  const dorm__rating_table *table = &training->table;
  side_view of_users = {table->num_users,  table->user_start, table->items,  NULL,
                        table->item_start, table->users,      table->by_item};
  side_view of_items = {table->num_items,  table->item_start, table->users, table->by_item,
                        table->user_start, table->items,      NULL};
  dorm__kernel_parts parts = dorm__kernel_parts_from(settings);
  dorm_status status =
      write_gram(context, &of_users, &parts,
                 &(const gram_source){table->values, table->num_ratings, users, &training->users}, "users", users_path);
  return DORM__ALL(status, write_gram(context, &of_items, &parts,
                                      &(const gram_source){table->values, table->num_ratings, items, &training->items},
                                      "items", items_path));
}
