/*
 * dual_qp.c: the dual of one query on its working set,
 *
 *   min 1/2 alpha' H alpha - h' alpha   over  alpha >= 0, sum alpha <= bound,
 *
 * solved exactly by a primal active-set method. A slack variable (a zero row of H, a zero of h) turns the bound into
 * sum alpha = bound. On the free variables F (alpha > 0) the equality-constrained problem is solved by eliminating the
 * largest free variable, e, and by a Cholesky factorisation of the reduced Hessian
 *
 *   M_ab = H_ab - H_ae - H_eb + H_ee,   a, b in F \ e;
 *
 * If M is singular, the step follows a direction of no curvature until a variable reaches 0, which the simplex
 * guarantees. Sources are Best, "Equivalence of some quadratic programming algorithms", 1984, and for the special case
 * h = 0 Wolfe, "Finding the nearest point in a polytope", 1976. When all gradients on F are equal, the variable with
 * the smallest gradient outside F enters F if its gradient is below theirs. Otherwise the point is optimal.
 */
#include "solver/solver.h"

#include <math.h>
#include <string.h>

struct dorm__qp_workspace {
  dorm__region memory; /* of the arrays */
  size_t capacity;     /* number of variables, with the slack */
  double *alpha;
  double *gradient;
  double *step;
  double *factor; /* [capacity][capacity], lower triangle */
  double *rhs;
  size_t *is_free_at; /* numbers of the free variables */
};

typedef struct qp {
  size_t size; /* without the slack, which has number `size` */
  size_t stride;
  const double *H;
  const double *h;
  double *alpha;
  double *gradient;
  size_t num_free;
  size_t *free;
  double tolerance; /* of gradients */
} qp;

dorm__qp_workspace *dorm__qp_workspace_new(void)
{
  return dorm__alloc_zero(1, sizeof(dorm__qp_workspace));
}

void dorm__qp_workspace_free(dorm__qp_workspace *workspace)
{
  if (workspace)
    dorm__region_clear(&workspace->memory);
  dorm__free(workspace);
}

static bool reserve(dorm__qp_workspace *workspace, size_t count)
{
  dorm__region *memory = &workspace->memory;
  if (count <= workspace->capacity)
    return true;
  dorm__region_clear(memory);
  size_t capacity = 2 * count;
  workspace->alpha = dorm__region_take(memory, capacity, sizeof *workspace->alpha);
  workspace->gradient = dorm__region_take(memory, capacity, sizeof *workspace->gradient);
  workspace->step = dorm__region_take(memory, capacity, sizeof *workspace->step);
  workspace->rhs = dorm__region_take(memory, capacity, sizeof *workspace->rhs);
  workspace->factor = dorm__region_take(memory, capacity, capacity * sizeof *workspace->factor);
  workspace->is_free_at = dorm__region_take(memory, capacity, sizeof *workspace->is_free_at);
  workspace->capacity = memory->is_short ? 0 : capacity;
  return !memory->is_short;
}

static double hessian(const qp *problem, size_t i, size_t j)
{
  return i == problem->size || j == problem->size ? 0 : problem->H[i * problem->stride + j];
}

static void compute_gradient(const qp *problem)
{
  for (size_t i = 0; i < problem->size; i++) {
    double sum = -problem->h[i];
    for (size_t k = 0; k < problem->num_free; k++)
      sum += hessian(problem, i, problem->free[k]) * problem->alpha[problem->free[k]];
    problem->gradient[i] = sum;
  }
  problem->gradient[problem->size] = 0;
}

/* Moves the largest free variable, which is eliminated, to the front of the list. */
static void choose_eliminated(const qp *problem)
{
  size_t largest = 0;
  for (size_t k = 1; k < problem->num_free; k++)
    if (problem->alpha[problem->free[k]] > problem->alpha[problem->free[largest]])
      largest = k;
  size_t variable = problem->free[largest];
  problem->free[largest] = problem->free[0];
  problem->free[0] = variable;
}

/* Factors the reduced Hessian of free[1..]. Returns the number of rows before a pivot vanished, or all rows if it is
 * positive definite. */
static size_t factorise(const qp *problem, size_t stride, double *factor)
{
  static const double relative_pivot = 1e-13;
  size_t e = problem->free[0];
  double h_ee = hessian(problem, e, e);
  for (size_t a = 0; a + 1 < problem->num_free; a++) {
    size_t i = problem->free[a + 1];
    double h_ie = hessian(problem, i, e);
    double *row = factor + a * stride;
    for (size_t b = 0; b <= a; b++) {
      size_t j = problem->free[b + 1];
      double sum = hessian(problem, i, j) - h_ie - hessian(problem, j, e) + h_ee;
      for (size_t k = 0; k < b; k++)
        sum -= row[k] * factor[b * stride + k];
      if (b < a) {
        row[b] = sum / factor[b * stride + b];
      } else {
        if (!(sum > relative_pivot * (hessian(problem, i, i) + 2 * fabs(h_ie) + h_ee)))
          return a;
        row[a] = sqrt(sum);
      }
    }
  }
  return problem->num_free - 1;
}

static void solve_transposed(size_t count, size_t stride, const double *factor, double *x)
{
  for (size_t a = count; a-- > 0;) {
    double sum = x[a];
    for (size_t b = a + 1; b < count; b++)
      sum -= factor[b * stride + a] * x[b];
    x[a] = sum / factor[a * stride + a];
  }
}

/* Fills step[1..] for free[1..] and step[0] for free[0]. Returns the longest useful step: 1 to the minimum, or infinity
 * along a direction of no curvature. */
static double find_direction(const qp *problem, dorm__qp_workspace *workspace)
{
  size_t count = problem->num_free - 1;
  size_t stride = workspace->capacity;
  double *factor = workspace->factor;
  double *x = workspace->step + 1;
  double base = problem->gradient[problem->free[0]];
  size_t rank = factorise(problem, stride, factor);
  double longest = 1;
  memset(x, 0, count * sizeof *x);
  if (rank == count) {
    for (size_t a = 0; a < count; a++) { /* forward */
      double sum = base - problem->gradient[problem->free[a + 1]];
      for (size_t b = 0; b < a; b++)
        sum -= factor[a * stride + b] * x[b];
      x[a] = sum / factor[a * stride + a];
    }
    solve_transposed(count, stride, factor, x);
  } else {
    /* Row `rank` of the factor holds L^-1 M_(.,rank): a null vector of M is (-L^-T times that, 1). */
    for (size_t b = 0; b < rank; b++)
      x[b] = -factor[rank * stride + b];
    solve_transposed(rank, stride, factor, x);
    x[rank] = 1;
    double slope = 0;
    for (size_t a = 0; a <= rank; a++)
      slope += x[a] * (problem->gradient[problem->free[a + 1]] - base);
    if (slope > 0)
      for (size_t a = 0; a <= rank; a++)
        x[a] = -x[a];
    longest = INFINITY;
  }
  double sum = 0;
  for (size_t a = 0; a < count; a++)
    sum += x[a];
  workspace->step[0] = -sum;
  return longest;
}

/* Moves along the step until its end, or until a variable reaches 0 and is no longer free. Returns false in the second
 * case. */
static bool take_step(qp *problem, const double *step, double longest)
{
  size_t blocking = problem->num_free;
  for (size_t k = 0; k < problem->num_free; k++)
    if (step[k] < 0 && -problem->alpha[problem->free[k]] > longest * step[k]) {
      longest = -problem->alpha[problem->free[k]] / step[k];
      blocking = k;
    }
  if (!isfinite(longest)) /* the step is 0 */
    return true;
  for (size_t k = 0; k < problem->num_free; k++) {
    double value = problem->alpha[problem->free[k]] + longest * step[k];
    problem->alpha[problem->free[k]] = value > 0 ? value : 0;
  }
  if (blocking == problem->num_free)
    return true;
  problem->alpha[problem->free[blocking]] = 0;
  problem->free[blocking] = problem->free[--problem->num_free];
  return false;
}

/* Finds the variable with the smallest gradient outside F. Returns true if that gradient is below the gradients on
 * F. */
static bool find_entering(const qp *problem, size_t *entering)
{
  double level = 0;
  double least = INFINITY;
  *entering = problem->size;
  for (size_t k = 0; k < problem->num_free; k++)
    level += problem->gradient[problem->free[k]] / (double)problem->num_free;
  for (size_t i = 0; i <= problem->size; i++) {
    bool is_free = false;
    for (size_t k = 0; k < problem->num_free && !is_free; k++)
      is_free = problem->free[k] == i;
    if (!is_free && problem->gradient[i] < least) {
      least = problem->gradient[i];
      *entering = i;
    }
  }
  return least < level - problem->tolerance;
}

bool dorm__qp_solve(dorm__qp_workspace *workspace, size_t size, size_t stride, const double *H, const double *h,
                    double bound, double *alpha)
{
  static const double relative_tolerance = 1e-13;
  if (!reserve(workspace, size + 1))
    return false;
  qp problem = {.size = size,
                .stride = stride,
                .H = H,
                .h = h,
                .alpha = workspace->alpha,
                .gradient = workspace->gradient,
                .free = workspace->is_free_at};
  double sum = 0;
  double scale = 0;
  for (size_t i = 0; i < size; i++) {
    problem.alpha[i] = alpha[i] > 0 ? alpha[i] : 0;
    sum += problem.alpha[i];
    scale = fmax(scale, fabs(h[i])); /* h includes H times the present alpha (sweeps.c) */
  }
  if (sum > bound) { /* alpha is not feasible by rounding */
    for (size_t i = 0; i < size; i++)
      problem.alpha[i] *= bound / sum;
    sum = bound;
  }
  problem.alpha[size] = bound - sum;
  problem.tolerance = relative_tolerance * scale;
  for (size_t i = 0; i <= size; i++)
    if (problem.alpha[i] > 0)
      problem.free[problem.num_free++] = i;

  compute_gradient(&problem);
  size_t most_steps = 100 + 20 * size; /* far more than ever seen; bounds cycles caused by rounding */
  for (size_t steps = 0; steps < most_steps; steps++) {
    choose_eliminated(&problem);
    double longest = find_direction(&problem, workspace);
    bool is_minimum = take_step(&problem, workspace->step, longest);
    compute_gradient(&problem);
    size_t entering;
    if (!is_minimum)
      continue;
    if (!find_entering(&problem, &entering))
      break;
    problem.free[problem.num_free++] = entering;
  }
  memcpy(alpha, problem.alpha, size * sizeof *alpha);
  return true;
}
