/*
 * face.c: sweeps move one column set at a time, and creep if the sets can only gain together. Once the columns with
 * alpha > 0 are known, the best move solves a system of linear equations. A set whose sum of alpha is at its bound has
 * the directions psi_k - psi_p, with p its column of the largest alpha. Other sets have the directions psi_k. The dual
 * is the quadratic <g, x> - 1/2 |sum_k x_k direction_k|^2.
 */
#include "base/linalg.h"
#include "solver/working_set.h"

#include <string.h>

enum {
  MOST_DIRECTIONS = 64,  /* with 367 features, 128 take longer than the sweeps that they save */
  MOST_NUMBERS = 1 << 22 /* in all directions together */
};
static const double ridge = 1e-10;    /* share of the diagonal's mean, added for dependent directions */
static const double rounding = 1e-12; /* share of a bound, within which a sum of alpha is at the bound */

typedef struct face_system {
  size_t num_features;
  size_t count;       /* of directions */
  double *directions; /* [count][num_features] */
  double *gram;       /* [count][count] */
  double *move;       /* [count] g, then the solution */
  double *margins;    /* [largest set] */
} face_system;

static const size_t none = SIZE_MAX;

/* Returns the column of the largest alpha if the set's sum of alpha is at `bound`, else `none`. */
static size_t pivot_of(const dorm__columns *columns, double bound)
{
  size_t pivot = 0;
  if (!columns->count || dorm__columns_weight(columns) < (1 - rounding) * bound)
    return none;
  for (size_t k = 1; k < columns->count; k++)
    if (columns->alpha[k] > columns->alpha[pivot])
      pivot = k;
  return pivot;
}

static bool is_free(const dorm__columns *columns, size_t k, size_t pivot)
{
  return columns->alpha[k] > 0 && k != pivot;
}

static void add_directions(const dorm__columns *columns, size_t pivot, const double *w, face_system *face)
{
  dorm__columns_margins(columns, w, face->margins);
  for (size_t k = 0; k < columns->count; k++) {
    if (!is_free(columns, k, pivot))
      continue;
    double *direction = face->directions + face->count * face->num_features;
    memset(direction, 0, face->num_features * sizeof *direction);
    dorm__vector_add(pivot == none ? &columns->reference : &columns->phi[pivot], 1, direction);
    dorm__vector_add(&columns->phi[k], -1, direction);
    face->move[face->count++] = face->margins[k] - (pivot == none ? 0 : face->margins[pivot]);
  }
}

/* Counts the directions and the columns of the largest set. */
static size_t count_directions(const dorm__working_set *set, double C, size_t *largest)
{
  size_t count = 0;
  *largest = 0;
  for (size_t i = 0; i < set->problem->num_queries; i++) {
    const dorm__columns *columns = &set->sets[i];
    size_t pivot = pivot_of(columns, C * set->problem->weights[i]);
    *largest = columns->count > *largest ? columns->count : *largest;
    for (size_t k = 0; k < columns->count; k++)
      count += is_free(columns, k, pivot);
  }
  return count;
}

static void write_move(const dorm__working_set *set, double C, const double *move)
{
  for (size_t i = 0; i < set->problem->num_queries; i++) {
    dorm__columns *columns = &set->sets[i];
    size_t pivot = pivot_of(columns, C * set->problem->weights[i]);
    double sum = 0;
    for (size_t k = 0; k < columns->count; k++) {
      columns->old_alpha[k] = is_free(columns, k, pivot) ? *move++ : 0;
      sum += columns->old_alpha[k];
    }
    if (pivot != none)
      columns->old_alpha[pivot] = -sum;
  }
}

dorm_status dorm__working_set_face_move(dorm_context *context, const dorm__working_set *set, double C, bool *found)
{
  face_system face = {.num_features = dorm__problem_width(set->problem)};
  size_t largest = 0;
  size_t count = set->moves.count > 1 ? 0 : count_directions(set, C, &largest);
  *found = false;
  if (!count || count > MOST_DIRECTIONS || count * face.num_features > MOST_NUMBERS)
    return DORM_OK;
  DORM__AT_END(dorm__region_clear) dorm__region memory = {0};
  face.directions = dorm__region_take(&memory, count, face.num_features * sizeof *face.directions);
  face.gram = dorm__region_take(&memory, count, count * sizeof *face.gram);
  face.move = dorm__region_take(&memory, count, sizeof *face.move);
  face.margins = dorm__region_take(&memory, largest, sizeof *face.margins);
  if (memory.is_short)
    return dorm__out_of_memory(context, "a move of the working set");
  for (size_t i = 0; i < set->problem->num_queries; i++)
    add_directions(&set->sets[i], pivot_of(&set->sets[i], C * set->problem->weights[i]), set->w, &face);
  dorm__multiply_transposed(count, count, face.num_features, 1, face.directions, face.num_features, face.directions,
                            face.num_features, 0, face.gram, count);
  double trace = 0;
  for (size_t k = 0; k < count; k++)
    trace += face.gram[k * count + k];
  for (size_t k = 0; k < count; k++)
    face.gram[k * count + k] += ridge * trace / (double)count;
  *found = dorm__solve_positive_definite(count, face.gram, face.move);
  if (*found)
    write_move(set, C, face.move);
  return DORM_OK;
}
