/* master.c: the master programme of Dantzig and Wolfe (1960) by the revised simplex method. Its explicit inverse is
 * recomputed every few pivots. With n = blocks + requirements rows, a pivot costs O(n^2), and pricing all columns
 * O(columns requirements). All columns are priced only if none of the best columns of the last pricing raises the
 * worth any more (multiple pricing). Variables are the columns, and a slack and an excess for each requirement, whose
 * worths bound its price. */
#include "policies/master.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

typedef struct master_column {
  size_t block;
  double worth;
} master_column;

struct dorm__master {
  dorm__region memory;               /* of the arrays that do not grow */
  size_t num_blocks, num_rows, size; /* size: number of blocks and rows together */
  const double *lower, *upper;       /* of one call of dorm__master_solve */
  double *limit;                     /* [num_rows] */
  size_t num_columns, columns_capacity, uses_capacity;
  master_column *columns;
  double *uses;    /* [num_columns][num_rows] */
  size_t *basis;   /* [size] variables: 2 r is the slack of row r, 2 r + 1 its excess, 2 num_rows + x column x */
  double *inverse; /* [size][size] */
  double *matrix;  /* [size][size] scratch */
  double *solution, *duals, *entering, *direction; /* [size] */
  bool has_basis;
};

dorm_status dorm__master_new(dorm_context *context, size_t num_blocks, size_t num_rows, const double *limit,
                             dorm__master **master)
{
  dorm__master *made = dorm__alloc_zero(1, sizeof *made);
  size_t size = num_blocks + num_rows;
  *master = NULL;
  if (!made)
    return dorm__out_of_memory(context, "a linear programme");
  *made = (dorm__master){.num_blocks = num_blocks, .num_rows = num_rows, .size = size};
  made->limit = dorm__region_take(&made->memory, num_rows, sizeof *made->limit);
  made->basis = dorm__region_take(&made->memory, size, sizeof *made->basis);
  made->inverse = dorm__region_take(&made->memory, size, size * sizeof *made->inverse);
  made->matrix = dorm__region_take(&made->memory, size, size * sizeof *made->matrix);
  made->solution = dorm__region_take(&made->memory, size, sizeof *made->solution);
  made->duals = dorm__region_take(&made->memory, size, sizeof *made->duals);
  made->entering = dorm__region_take(&made->memory, size, sizeof *made->entering);
  made->direction = dorm__region_take(&made->memory, size, sizeof *made->direction);
  if (!made->memory.is_short)
    memcpy(made->limit, limit, num_rows * sizeof *limit);
  return DORM__GIVE(made->memory.is_short ? dorm__out_of_memory(context, "a linear programme") : DORM_OK, master, made,
                    dorm__master_free);
}

void dorm__master_free(dorm__master *master)
{
  if (!master)
    return;
  dorm__free(master->columns);
  dorm__free(master->uses);
  dorm__region_clear(&master->memory);
  dorm__free(master);
}

dorm_status dorm__master_add(dorm_context *context, dorm__master *master, size_t block, double worth, const double *use)
{
  size_t m = master->num_rows;
  if (!DORM__GROW(master->columns, master->columns_capacity, master->num_columns + 1) ||
      !DORM__GROW(master->uses, master->uses_capacity, (master->num_columns + 1) * m))
    return dorm__out_of_memory(context, "columns of a linear programme");
  master->columns[master->num_columns] = (master_column){block, worth};
  memcpy(master->uses + master->num_columns++ * m, use, m * sizeof *use);
  return DORM_OK;
}

/* ---- Variables ------------------------------------------------------------------- */

/* Fills the column of a variable [size]: blocks, then rows. */
static void fill_column(const dorm__master *master, size_t variable, double *column)
{
  size_t m = master->num_rows;
  memset(column, 0, master->size * sizeof *column);
  if (variable < 2 * m) {
    column[master->num_blocks + variable / 2] = variable % 2 ? -1 : 1;
    return;
  }
  column[master->columns[variable - 2 * m].block] = 1;
  memcpy(column + master->num_blocks, master->uses + (variable - 2 * m) * m, m * sizeof *column);
}

static double worth_of(const dorm__master *master, size_t variable)
{
  size_t m = master->num_rows;
  if (variable < 2 * m)
    return variable % 2 ? -master->upper[variable / 2] : master->lower[variable / 2];
  return master->columns[variable - 2 * m].worth;
}

/* The increase of the worth per unit of a variable. */
static double reduced_worth(const dorm__master *master, size_t variable)
{
  size_t m = master->num_rows;
  const double *prices = master->duals + master->num_blocks;
  if (variable < 2 * m)
    return variable % 2 ? prices[variable / 2] - master->upper[variable / 2]
                        : master->lower[variable / 2] - prices[variable / 2];
  const master_column *column = &master->columns[variable - 2 * m];
  const double *use = master->uses + (variable - 2 * m) * m;
  double value = column->worth - master->duals[column->block];
  for (size_t r = 0; r < m; r++)
    value -= prices[r] * use[r];
  return value;
}

/* ---- Basis --------------------------------------------------------------------------- */

/* Starts with the first columns, and the slack or excess of each requirement. */
static void start(dorm__master *master)
{
  size_t m = master->num_rows, k = master->num_blocks;
  for (size_t i = 0; i < k; i++)
    master->basis[i] = 2 * m + i;
  for (size_t r = 0; r < m; r++) {
    double used = 0;
    for (size_t i = 0; i < k; i++)
      used += master->uses[i * m + r];
    master->basis[k + r] = 2 * r + (used > master->limit[r]);
  }
  master->has_basis = true;
}

/* Inverts the basis by Gauss-Jordan with row pivots, and solves for the basic variables. */
static bool invert(dorm__master *master)
{
  size_t n = master->size;
  double *a = master->matrix, *b = master->inverse;
  for (size_t i = 0; i < n; i++) {
    fill_column(master, master->basis[i], master->entering);
    for (size_t r = 0; r < n; r++) {
      a[r * n + i] = master->entering[r];
      b[r * n + i] = r == i;
    }
  }
  for (size_t i = 0; i < n; i++) {
    size_t pivot = i;
    for (size_t r = i; r < n; r++)
      if (fabs(a[r * n + i]) > fabs(a[pivot * n + i]))
        pivot = r;
    if (fabs(a[pivot * n + i]) < 1e-14)
      return false;
    for (size_t c = 0; c < n; c++) {
      double x = a[i * n + c], y = b[i * n + c];
      a[i * n + c] = a[pivot * n + c];
      b[i * n + c] = b[pivot * n + c];
      a[pivot * n + c] = x;
      b[pivot * n + c] = y;
    }
    double scale = 1 / a[i * n + i];
    for (size_t c = 0; c < n; c++) {
      a[i * n + c] *= scale;
      b[i * n + c] *= scale;
    }
    for (size_t r = 0; r < n; r++) {
      double factor = a[r * n + i];
      if (r == i || factor == 0)
        continue;
      for (size_t c = 0; c < n; c++) {
        a[r * n + c] -= factor * a[i * n + c];
        b[r * n + c] -= factor * b[i * n + c];
      }
    }
  }
  for (size_t i = 0; i < n; i++) {
    double value = 0;
    for (size_t r = 0; r < n; r++)
      value += b[i * n + r] * (r < master->num_blocks ? 1 : master->limit[r - master->num_blocks]);
    master->solution[i] = fmax(value, 0);
  }
  return true;
}

static void find_duals(dorm__master *master)
{
  size_t n = master->size;
  memset(master->duals, 0, n * sizeof *master->duals);
  for (size_t i = 0; i < n; i++) {
    double worth = worth_of(master, master->basis[i]);
    for (size_t r = 0; worth != 0 && r < n; r++)
      master->duals[r] += worth * master->inverse[i * n + r];
  }
}

enum { LISTED = 16 };

/* The variables with the largest reduced worth when all were last priced. */
typedef struct price_list {
  size_t count, variables[LISTED];
  double worths[LISTED];
} price_list;

/* Prices all variables, and lists the best ones above the tolerance. In a stall, lists only the first one (Bland
 * 1977). */
static void fill_list(const dorm__master *master, double tolerance, bool takes_first, price_list *list)
{
  list->count = 0;
  for (size_t x = 0; x < 2 * master->num_rows + master->num_columns; x++) {
    double value = reduced_worth(master, x);
    bool is_full = list->count == LISTED;
    if (value <= tolerance || (is_full && value <= list->worths[LISTED - 1]))
      continue;
    size_t place = is_full ? LISTED - 1 : list->count++;
    for (; place > 0 && list->worths[place - 1] < value; place--) {
      list->worths[place] = list->worths[place - 1];
      list->variables[place] = list->variables[place - 1];
    }
    list->worths[place] = value;
    list->variables[place] = x;
    if (takes_first)
      break;
  }
}

/* Chooses a variable that raises the worth, if possible the best one of the list. Returns SIZE_MAX if there is none. */
static size_t choose_entering(const dorm__master *master, double tolerance, bool takes_first, price_list *list)
{
  size_t best = SIZE_MAX;
  double largest = tolerance;
  for (size_t i = 0; !takes_first && i < list->count; i++) {
    double value = reduced_worth(master, list->variables[i]);
    if (value > largest) {
      best = list->variables[i];
      largest = value;
    }
  }
  if (best != SIZE_MAX)
    return best;
  fill_list(master, tolerance, takes_first, list);
  return list->count ? list->variables[0] : SIZE_MAX;
}

/* Chooses the basic variable that becomes 0 first. Among several, takes the largest pivot, or in a stall the first
 * variable. */
static size_t choose_leaving(const dorm__master *master, bool takes_first)
{
  size_t best = SIZE_MAX;
  double least = INFINITY;
  for (size_t i = 0; i < master->size; i++) {
    double rate = master->direction[i];
    if (rate < 1e-11)
      continue;
    double ratio = master->solution[i] / rate;
    bool is_tied = best != SIZE_MAX && fabs(ratio - least) <= 1e-13;
    if (is_tied ? (takes_first ? master->basis[i] < master->basis[best] : rate > master->direction[best])
                : ratio < least) {
      best = i;
      least = ratio;
    }
  }
  return best;
}

static void pivot(dorm__master *master, size_t entering, size_t leaving)
{
  size_t n = master->size;
  double step = master->solution[leaving] / master->direction[leaving];
  double *row = master->inverse + leaving * n;
  for (size_t r = 0; r < n; r++)
    row[r] /= master->direction[leaving];
  for (size_t i = 0; i < n; i++) {
    double rate = master->direction[i];
    if (i == leaving || rate == 0)
      continue;
    master->solution[i] = fmax(master->solution[i] - step * rate, 0);
    for (size_t r = 0; r < n; r++)
      master->inverse[i * n + r] -= rate * row[r];
  }
  master->solution[leaving] = step;
  master->basis[leaving] = entering;
}

dorm_status dorm__master_solve(dorm_context *context, dorm__master *master, const double *lower, const double *upper,
                               double *value, double *prices, double *block_prices)
{
  enum { PIVOTS_PER_INVERSION = 100, MOST_PIVOTS = 100000, STALL = 50 };
  size_t n = master->size, still = 0;
  price_list list = {0};
  master->lower = lower;
  master->upper = upper;
  if (!master->has_basis)
    start(master);
  for (size_t count = 0; count < MOST_PIVOTS; count++) {
    if (count % PIVOTS_PER_INVERSION == 0 && !invert(master))
      return dorm__fail(context, DORM_NUMERICAL_FAILURE, "a linear programme has a basis that cannot be inverted");
    find_duals(master);
    size_t entering = choose_entering(master, 1e-11, still > STALL, &list);
    if (entering == SIZE_MAX)
      break;
    fill_column(master, entering, master->entering);
    for (size_t i = 0; i < n; i++) {
      master->direction[i] = 0;
      for (size_t r = 0; r < n; r++)
        master->direction[i] += master->inverse[i * n + r] * master->entering[r];
    }
    size_t leaving = choose_leaving(master, still > STALL);
    if (leaving == SIZE_MAX) /* due to rounding, because worth is bounded */
      break;
    still = master->solution[leaving] > 1e-13 ? 0 : still + 1;
    pivot(master, entering, leaving);
  }
  *value = 0;
  for (size_t i = 0; i < n; i++)
    *value += worth_of(master, master->basis[i]) * master->solution[i];
  memcpy(block_prices, master->duals, master->num_blocks * sizeof *block_prices);
  for (size_t r = 0; r < master->num_rows; r++)
    prices[r] = fmin(fmax(master->duals[master->num_blocks + r], lower[r]), upper[r]);
  return DORM_OK;
}

void dorm__master_mixture(const dorm__master *master, double *theta)
{
  memset(theta, 0, master->num_columns * sizeof *theta);
  for (size_t i = 0; i < master->size; i++)
    if (master->basis[i] >= 2 * master->num_rows)
      theta[master->basis[i] - 2 * master->num_rows] = master->solution[i];
}
