/* columns.c: vectors of features, dense or sparse, and one column set of the dual, with its Gram matrix. */
#include "solver/columns.h"
#include "base/linalg.h"

#include <string.h>

void dorm__vector_clear(dorm__vector *vector)
{
  if (vector->pool && vector->values)
    dorm__pool_give(vector->pool, vector->values);
  else
    dorm__free(vector->values);
  dorm__free(vector->indices);
  *vector = (dorm__vector){0};
}

/* Clears a vector whose pool is about to be cleared as a whole. Does not give its values back to the pool. */
static void drop_vector(dorm__vector *vector)
{
  if (!vector->pool)
    dorm__vector_clear(vector);
  *vector = (dorm__vector){0};
}

bool dorm__vector_reserve(dorm__vector *vector, size_t count, bool is_sparse)
{
  if (vector->values && count <= vector->capacity && is_sparse == (vector->indices != NULL))
    return true;
  dorm__vector_clear(vector);
  vector->values = dorm__alloc(count, sizeof *vector->values);
  vector->indices = is_sparse ? dorm__alloc(count, sizeof *vector->indices) : NULL;
  if (!vector->values || (is_sparse && !vector->indices)) {
    dorm__vector_clear(vector);
    return false;
  }
  vector->capacity = count;
  return true;
}

bool dorm__vector_take(dorm__vector *vector, size_t count, dorm__pool *pool)
{
  if (vector->values && count <= vector->capacity && !vector->indices)
    return true;
  dorm__vector_clear(vector);
  vector->values = dorm__pool_take(pool);
  if (!vector->values)
    return false;
  vector->pool = pool;
  vector->capacity = count;
  return true;
}

double dorm__vector_dot(const dorm__vector *vector, const double *x)
{
  if (!vector->indices)
    return dorm__dot(vector->count, vector->values, x);
  double sum = 0;
  for (size_t i = 0; i < vector->count; i++)
    sum += vector->values[i] * x[vector->indices[i]];
  return sum;
}

void dorm__vector_add(const dorm__vector *vector, double factor, double *result)
{
  if (!vector->indices) {
    dorm__add_scaled(vector->count, factor, vector->values, result);
    return;
  }
  for (size_t i = 0; i < vector->count; i++)
    result[vector->indices[i]] += factor * vector->values[i];
}

/* ---- Columns --------------------------------------------------------------------------------------- */

void dorm__columns_drop(dorm__columns *columns)
{
  drop_vector(&columns->reference);
  for (size_t k = 0; k < columns->count; k++)
    drop_vector(&columns->phi[k]);
  dorm__free(columns->phi);
  *columns = (dorm__columns){0};
}

static size_t bytes_a_column(size_t capacity)
{
  return sizeof(dorm__vector) + (3 + capacity) * sizeof(double) + sizeof(uint32_t);
}

/* Keeps all arrays in one allocation, since a sweep goes from column set to column set and reads all of them. */
static bool grow(dorm__columns *columns)
{
  size_t count = columns->count;
  size_t old = columns->capacity;
  size_t capacity = old ? 2 * old : 4;
  dorm__columns larger = *columns;
  larger.phi = dorm__alloc(capacity, bytes_a_column(capacity));
  if (!larger.phi)
    return false;
  larger.capacity = capacity;
  larger.loss = (double *)(larger.phi + capacity);
  larger.alpha = larger.loss + capacity;
  larger.old_alpha = larger.alpha + capacity;
  larger.gram = larger.old_alpha + capacity;
  larger.idle = (uint32_t *)(larger.gram + capacity * capacity);
  if (count) {
    memcpy(larger.phi, columns->phi, count * sizeof *larger.phi);
    memcpy(larger.loss, columns->loss, count * sizeof *larger.loss);
    memcpy(larger.alpha, columns->alpha, count * sizeof *larger.alpha);
    memcpy(larger.old_alpha, columns->old_alpha, count * sizeof *larger.old_alpha);
    memcpy(larger.idle, columns->idle, count * sizeof *larger.idle);
  }
  for (size_t k = 0; k < count; k++)
    memcpy(larger.gram + k * capacity, columns->gram + k * old, count * sizeof *larger.gram);
  dorm__free(columns->phi);
  *columns = larger;
  return true;
}

/* Fills row i and column i of the Gram matrix up to the diagonal. Lays out psi_i densely in `sum`, which is zero before
 * and after. */
static void fill_gram(dorm__columns *columns, size_t num_features, size_t i, double *sum)
{
  const dorm__vector *reference = &columns->reference;
  bool is_sparse = reference->indices != NULL;
  dorm__vector_add(reference, 1, sum);
  dorm__vector_add(&columns->phi[i], -1, sum);
  double with_reference = is_sparse ? dorm__vector_dot(reference, sum) : 0;
  for (size_t k = 0; k <= i; k++) {
    double product = with_reference;
    if (is_sparse) {
      product -= dorm__vector_dot(&columns->phi[k], sum);
    } else { /* takes differences first, which is exact if features have a large common part */
      const double *phi = columns->phi[k].values;
      double sums[4] = {0};
      size_t f = 0;
      for (; f + 4 <= num_features; f += 4)
        for (size_t m = 0; m < 4; m++)
          sums[m] += sum[f + m] * (reference->values[f + m] - phi[f + m]);
      product = (sums[0] + sums[2]) + (sums[1] + sums[3]);
      for (; f < num_features; f++)
        product += sum[f] * (reference->values[f] - phi[f]);
    }
    columns->gram[i * columns->capacity + k] = product;
    columns->gram[k * columns->capacity + i] = product;
  }
  if (!is_sparse) {
    memset(sum, 0, num_features * sizeof *sum);
    return;
  }
  for (size_t f = 0; f < reference->count; f++)
    sum[reference->indices[f]] = 0;
  for (size_t f = 0; f < columns->phi[i].count; f++)
    sum[columns->phi[i].indices[f]] = 0;
}

bool dorm__columns_add_bare(dorm__columns *columns, dorm__vector *phi, double loss, double alpha, uint32_t idle)
{
  if (columns->count == columns->capacity && !grow(columns))
    return false;
  size_t i = columns->count++;
  columns->phi[i] = *phi;
  *phi = (dorm__vector){0};
  columns->loss[i] = loss;
  columns->alpha[i] = alpha;
  columns->old_alpha[i] = alpha;
  columns->idle[i] = idle;
  return true;
}

bool dorm__columns_add(dorm__columns *columns, size_t num_features, dorm__vector *phi, double loss, double *sum)
{
  if (!dorm__columns_add_bare(columns, phi, loss, 0, 0))
    return false;
  fill_gram(columns, num_features, columns->count - 1, sum);
  return true;
}

void dorm__columns_refill(dorm__columns *columns, size_t num_features, double *sum)
{
  for (size_t i = 0; i < columns->count; i++)
    fill_gram(columns, num_features, i, sum);
}

DORM__WIDE_VECTORS
static void multiply(size_t count, const dorm__vector *phi, const double *w, double *products)
{
  for (size_t k = 0; k < count; k++) {
    bool is_short = !phi[k].indices && phi[k].count <= DORM__MOST_SHORT;
    products[k] = is_short ? dorm__dot_short(phi[k].count, phi[k].values, w) : dorm__vector_dot(&phi[k], w);
  }
}

double dorm__columns_margins(const dorm__columns *columns, const double *w, double *margins)
{
  enum { AT_ONCE = 16 };
  double products[AT_ONCE];
  double reference = dorm__vector_dot(&columns->reference, w);
  double largest = 0;
  for (size_t k = 0; k < columns->count; k++) {
    size_t left = columns->count - k;
    if (k % AT_ONCE == 0)
      multiply(left < AT_ONCE ? left : AT_ONCE, columns->phi + k, w, products);
    double margin = columns->loss[k] - reference + products[k % AT_ONCE];
    largest = margin > largest ? margin : largest;
    if (margins)
      margins[k] = margin;
  }
  return largest;
}

void dorm__columns_fetch(const dorm__columns *columns)
{
  dorm__fetch(columns->reference.values, columns->reference.count * sizeof(double));
  for (size_t k = 0; k < columns->count; k++)
    dorm__fetch(columns->phi[k].values, columns->phi[k].count * sizeof(double));
}

void dorm__columns_add_psi(const dorm__columns *columns, const double *factors, double *v)
{
  double sum = 0;
  for (size_t k = 0; k < columns->count; k++)
    if (factors[k] != 0) {
      sum += factors[k];
      dorm__vector_add(&columns->phi[k], -factors[k], v);
    }
  if (sum != 0)
    dorm__vector_add(&columns->reference, sum, v);
}

static void move(dorm__columns *columns, size_t from, size_t to)
{
  size_t capacity = columns->capacity;
  columns->phi[to] = columns->phi[from];
  columns->phi[from] = (dorm__vector){0};
  columns->loss[to] = columns->loss[from];
  columns->alpha[to] = columns->alpha[from];
  columns->old_alpha[to] = columns->old_alpha[from];
  columns->idle[to] = columns->idle[from];
  memmove(columns->gram + to * capacity, columns->gram + from * capacity, columns->count * sizeof *columns->gram);
  for (size_t i = 0; i < columns->count; i++)
    columns->gram[i * capacity + to] = columns->gram[i * capacity + from];
}

void dorm__columns_prune(dorm__columns *columns, uint32_t limit)
{
  size_t kept = 0;
  for (size_t i = 0; i < columns->count; i++) {
    columns->idle[i] = columns->alpha[i] > 0 ? 0 : columns->idle[i] + 1;
    if (columns->idle[i] >= limit) {
      dorm__vector_clear(&columns->phi[i]);
      continue;
    }
    if (kept != i)
      move(columns, i, kept);
    kept++;
  }
  columns->count = kept;
}

size_t dorm__columns_bytes(const dorm__columns *columns)
{
  size_t bytes = columns->capacity * bytes_a_column(columns->capacity);
  for (size_t k = 0; k < columns->count; k++)
    bytes += columns->phi[k].capacity * (sizeof(double) + (columns->phi[k].indices ? sizeof(uint32_t) : 0));
  return bytes;
}

double dorm__columns_weight(const dorm__columns *columns)
{
  double sum = 0;
  for (size_t k = 0; k < columns->count; k++)
    sum += columns->alpha[k];
  return sum;
}
