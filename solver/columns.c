/* columns.c: the working set of one query. */
#include "solver/solver.h"

#include <string.h>

void dorm__columns_clear(dorm__columns *columns)
{
  dorm__free(columns->phi);
  dorm__free(columns->loss);
  dorm__free(columns->alpha);
  dorm__free(columns->gram);
  dorm__free(columns->idle);
  *columns = (dorm__columns){0};
}

static bool grow(dorm__columns *columns, size_t num_features)
{
  size_t capacity = columns->capacity ? 2 * columns->capacity : 8;
  dorm__columns larger = {.count = columns->count, .capacity = capacity};
  larger.phi = dorm__alloc(capacity, num_features * sizeof *larger.phi);
  larger.loss = dorm__alloc(capacity, sizeof *larger.loss);
  larger.alpha = dorm__alloc(capacity, sizeof *larger.alpha);
  larger.gram = dorm__alloc(capacity, capacity * sizeof *larger.gram);
  larger.idle = dorm__alloc(capacity, sizeof *larger.idle);
  if (!larger.phi || !larger.loss || !larger.alpha || !larger.gram || !larger.idle) {
    dorm__columns_clear(&larger);
    return false;
  }
  size_t count = columns->count;
  if (count) {
    memcpy(larger.phi, columns->phi, count * num_features * sizeof *larger.phi);
    memcpy(larger.loss, columns->loss, count * sizeof *larger.loss);
    memcpy(larger.alpha, columns->alpha, count * sizeof *larger.alpha);
    memcpy(larger.idle, columns->idle, count * sizeof *larger.idle);
    for (size_t i = 0; i < count; i++)
      memcpy(larger.gram + i * capacity, columns->gram + i * columns->capacity, count * sizeof *larger.gram);
  }
  dorm__columns_clear(columns);
  *columns = larger;
  return true;
}

/* <reference - x, reference - y> */
static double inner_product(size_t num_features, const double *reference, const double *x, const double *y)
{
  double sums[4] = {0};
  size_t f = 0;
  for (; f + 4 <= num_features; f += 4)
    for (size_t i = 0; i < 4; i++)
      sums[i] += (reference[f + i] - x[f + i]) * (reference[f + i] - y[f + i]);
  double sum = (sums[0] + sums[2]) + (sums[1] + sums[3]);
  for (; f < num_features; f++)
    sum += (reference[f] - x[f]) * (reference[f] - y[f]);
  return sum;
}

/* Row and column i of the Gram matrix, up to the diagonal. */
static void fill_gram(dorm__columns *columns, size_t num_features, const double *reference, size_t i)
{
  for (size_t j = 0; j <= i; j++) {
    double product =
        inner_product(num_features, reference, columns->phi + i * num_features, columns->phi + j * num_features);
    columns->gram[i * columns->capacity + j] = product;
    columns->gram[j * columns->capacity + i] = product;
  }
}

bool dorm__columns_add(dorm__columns *columns, size_t num_features, const double *reference, const double *phi,
                       double loss)
{
  if (columns->count == columns->capacity && !grow(columns, num_features))
    return false;
  size_t i = columns->count++;
  memcpy(columns->phi + i * num_features, phi, num_features * sizeof *phi);
  columns->loss[i] = loss;
  columns->alpha[i] = 0;
  columns->idle[i] = 0;
  fill_gram(columns, num_features, reference, i);
  return true;
}

void dorm__columns_set_reference(dorm__columns *columns, size_t num_features, const double *reference)
{
  for (size_t i = 0; i < columns->count; i++)
    fill_gram(columns, num_features, reference, i);
}

static void move(dorm__columns *columns, size_t num_features, size_t from, size_t to)
{
  size_t capacity = columns->capacity;
  memcpy(columns->phi + to * num_features, columns->phi + from * num_features, num_features * sizeof *columns->phi);
  columns->loss[to] = columns->loss[from];
  columns->alpha[to] = columns->alpha[from];
  columns->idle[to] = columns->idle[from];
  memmove(columns->gram + to * capacity, columns->gram + from * capacity, columns->count * sizeof *columns->gram);
  for (size_t i = 0; i < columns->count; i++)
    columns->gram[i * capacity + to] = columns->gram[i * capacity + from];
}

void dorm__columns_prune(dorm__columns *columns, size_t num_features, uint32_t limit)
{
  size_t kept = 0;
  for (size_t i = 0; i < columns->count; i++) {
    columns->idle[i] = columns->alpha[i] > 0 ? 0 : columns->idle[i] + 1;
    if (columns->idle[i] >= limit)
      continue;
    if (kept != i)
      move(columns, num_features, i, kept);
    kept++;
  }
  columns->count = kept;
}
