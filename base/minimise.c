/* minimise.c: L-BFGS (Liu and Nocedal 1989). The direction is minus the gradient, multiplied by an approximation of the
 * inverse Hessian from the last steps s and changes y of the gradient (Nocedal and Wright 2006, algorithm 7.4). The
 * step satisfies the weak Wolfe conditions. The line search doubles the step until it has an upper bound, then bisects
 * (Lewis and Overton 2013). This also works if the gradient jumps. */
#include "base/minimise.h"
#include "base/linalg.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { MEMORY = 12, MOST_TRIALS = 50 };
static const double sufficient_decrease = 1e-4, curvature_share = 0.9;

typedef struct descent {
  const dorm__minimise_options *options;
  size_t size;
  double *x, *gradient;         /* the current point */
  double *other_x, *other_grad; /* the trial point and its gradient */
  double *direction;
  double *steps, *changes; /* [MEMORY][size], a ring */
  double products[MEMORY]; /* <step, change> */
  size_t first, count;     /* the ring's oldest row, and its number of rows */
  double value;
  size_t num_calls;
} descent;

/* Returns row i of a ring, from the oldest one on. */
static double *row_of(const descent *made, double *rows, size_t i)
{
  return rows + (made->first + i) % MEMORY * made->size;
}

/* Computes direction = -H gradient, with H the approximation of the inverse Hessian. O(MEMORY size). */
static void find_direction(descent *made)
{
  double factors[MEMORY];
  size_t size = made->size;
  double *d = made->direction;
  for (size_t f = 0; f < size; f++)
    d[f] = -made->gradient[f];
  for (size_t i = made->count; i-- > 0;) {
    factors[i] = dorm__dot(size, row_of(made, made->steps, i), d) / made->products[(made->first + i) % MEMORY];
    dorm__add_scaled(size, -factors[i], row_of(made, made->changes, i), d);
  }
  double scale = 1;
  if (made->count) {
    const double *change = row_of(made, made->changes, made->count - 1);
    scale = made->products[(made->first + made->count - 1) % MEMORY] / dorm__dot(size, change, change);
  }
  for (size_t f = 0; f < size; f++)
    d[f] *= scale;
  for (size_t i = 0; i < made->count; i++) {
    double factor = dorm__dot(size, row_of(made, made->changes, i), d) / made->products[(made->first + i) % MEMORY];
    dorm__add_scaled(size, factors[i] - factor, row_of(made, made->steps, i), d);
  }
}

/* Moves to the trial point. Stores the step and the change of the gradient only if the function curves upwards along
 * the step, since otherwise H would not be positive definite. */
static void accept(descent *made, double value)
{
  size_t size = made->size;
  size_t last = (made->first + made->count) % MEMORY;
  double *step = made->steps + last * size;
  double *change = made->changes + last * size;
  for (size_t f = 0; f < size; f++) {
    step[f] = made->other_x[f] - made->x[f];
    change[f] = made->other_grad[f] - made->gradient[f];
  }
  double product = dorm__dot(size, step, change);
  if (product > 1e-12 * dorm__dot(size, change, change)) {
    made->products[last] = product;
    if (made->count < MEMORY)
      made->count++;
    else
      made->first = (made->first + 1) % MEMORY;
  }
  memcpy(made->x, made->other_x, size * sizeof *made->x);
  memcpy(made->gradient, made->other_grad, size * sizeof *made->gradient);
  made->value = value;
}

/* Searches for a step along the direction and takes it. *moves becomes false if no trial met the conditions, or if the
 * accepted one did not decrease the function. */
static dorm_status search(descent *made, bool *moves)
{
  double slope = dorm__dot(made->size, made->direction, made->gradient);
  double low = 0;
  double high = INFINITY;
  double length = made->count ? 1 : 1 / sqrt(fmax(1e-300, -slope));
  double best_value = made->value;
  *moves = false;
  for (size_t trial = 0; slope < 0 && trial < MOST_TRIALS && made->num_calls < made->options->most_calls; trial++) {
    double value;
    for (size_t f = 0; f < made->size; f++)
      made->other_x[f] = made->x[f] + length * made->direction[f];
    dorm_status status = made->options->slope(made->options->user, made->other_x, &value, made->other_grad);
    made->num_calls++;
    if (status != DORM_OK)
      return status;
    bool is_lower = value <= made->value + sufficient_decrease * length * slope;
    bool is_flat = is_lower && dorm__dot(made->size, made->direction, made->other_grad) >= curvature_share * slope;
    if (is_flat || (is_lower && trial + 1 == MOST_TRIALS)) {
      *moves = value < best_value;
      accept(made, value);
      return DORM_OK;
    }
    if (is_lower)
      low = length;
    else
      high = length;
    length = isinf(high) ? 2 * length : (low + high) / 2;
  }
  return DORM_OK;
}

static dorm_status descend(descent *made, dorm__minimum *reached)
{
  dorm_status status = made->options->slope(made->options->user, made->x, &made->value, made->gradient);
  bool moves = true;
  made->num_calls = 1;
  while (status == DORM_OK) {
    double square = dorm__dot(made->size, made->gradient, made->gradient);
    bool is_reached = square <= 2 * made->options->tolerance * fabs(made->value);
    *reached = (dorm__minimum){made->value, square, made->num_calls, is_reached};
    if (is_reached || made->num_calls >= made->options->most_calls || (!moves && !made->count))
      return DORM_OK;
    if (!moves) /* forgets the steps, so the next direction is minus the gradient */
      made->count = 0;
    find_direction(made);
    status = search(made, &moves);
  }
  return status;
}

dorm_status dorm__minimise(dorm_context *context, size_t size, const dorm__minimise_options *options, double *x,
                           dorm__minimum *made)
{
  DORM__AT_END(dorm__region_clear) dorm__region memory = {0};
  descent whole = {.options = options,
                   .size = size,
                   .x = x,
                   .gradient = dorm__region_take_zero(&memory, size, sizeof *whole.gradient),
                   .other_x = dorm__region_take_zero(&memory, size, sizeof *whole.other_x),
                   .other_grad = dorm__region_take_zero(&memory, size, sizeof *whole.other_grad),
                   .direction = dorm__region_take_zero(&memory, size, sizeof *whole.direction),
                   .steps = dorm__region_take_zero(&memory, size, MEMORY * sizeof *whole.steps),
                   .changes = dorm__region_take_zero(&memory, size, MEMORY * sizeof *whole.changes)};
  *made = (dorm__minimum){0};
  return memory.is_short ? dorm__out_of_memory(context, "a minimisation") : descend(&whole, made);
}
