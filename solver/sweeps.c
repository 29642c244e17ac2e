/*
 * sweeps.c: raises the dual by one exact QP per column set.
 *
 * A sweep uses the columns of the working set and makes no pass over the data. A sequential pass first asks each
 * query's oracle, at the w of that moment, and adds the most violated ranking to the query's column set before it
 * solves the QP. This is coordinate ascent with an oracle, the block-coordinate Frank-Wolfe method (Lacoste-Julien,
 * Jaggi, Schmidt and Pletscher 2013) with all columns of the set in place of a line search. Its rankings are violated
 * at a w that all earlier queries have moved, so they raise the dual more than the rankings of a pass at a fixed w. But
 * a sequential pass gives no primal value.
 *
 * The projection onto the bounds on the weights never lengthens a move. So the QP of a column set, with the Gram matrix
 * of psi, is a minorant of the dual (equal to it without bounds), and its solution never lowers the dual.
 *
 * The column sets lie in shards. Each shard is swept from the same v, and moves.c joins all moves. The result depends
 * on the shards, but not on the threads and processes.
 *
 * If the column sets pull against each other, sweeps creep: each one moves alpha by about the same small step. A longer
 * step along the move of the last sweep, to the maximum of the minorant or until a variable reaches 0, replaces
 * thousands of such moves.
 */
#include "base/linalg.h"
#include "solver/problem.h"
#include "solver/working_set.h"

#include <math.h>
#include <string.h>

/* Sweeps skip a column set whose own gap is at most this share of the mean gap per set that may remain. Every eighth
 * sweep computes all own gaps again. */
static const double negligible_share = 0.3;
enum { SWEEPS_PER_LOOK = 8 };
/* Sweeps creep if such a sweep finds more than this share of the gap that the previous one found. */
static const double creeping_share = 0.5;
enum { MOST_CUTS = 20 }; /* steps on faces in a row */

/* Prepares the shard for moves from the present v. */
static void shard_begin(const dorm__working_set *set, const dorm__joint *joint, dorm__shard *shard)
{
  size_t num_features = dorm__problem_width(set->problem);
  dorm__join_begin(set, joint, shard);
  memcpy(shard->v, joint->v, num_features * sizeof *shard->v);
  memcpy(shard->w, joint->w, num_features * sizeof *shard->w); /* used with bounds only */
}

/* Returns a scalar of the shard's row. */
static double *scalar_of(const dorm__working_set *set, const dorm__shard *shard, size_t scalar)
{
  return shard->v + dorm__problem_width(set->problem) + scalar;
}

/* ---- One column set ------------------------------------------------------------------- */

static bool has_bounds(const dorm__working_set *set)
{
  return set->bounds.lower || set->bounds.upper;
}

/* The weights at which the shard's margins are computed. */
static const double *point_of(const dorm__working_set *set, const dorm__shard *shard)
{
  return has_bounds(set) ? shard->w : shard->v;
}

static bool reserve_scratch(dorm__shard *shard, size_t count)
{
  if (count <= shard->scratch_size)
    return true;
  double *larger = dorm__realloc(shard->scratch, 2 * count, 3 * sizeof *larger);
  if (!larger)
    return false;
  shard->scratch = larger;
  shard->scratch_size = 2 * count;
  return true;
}

/* Solves the QP of one column set, and updates alpha and the shard's v and w. The margins are in the shard's scratch,
 * and the sum of alpha is at most `bound`. */
static bool solve_set(const dorm__working_set *set, dorm__shard *shard, dorm__columns *columns, double bound)
{
  const double *margins = shard->scratch;
  double *h = shard->scratch + shard->scratch_size;
  double *change = h + shard->scratch_size;
  for (size_t k = 0; k < columns->count; k++) {
    double own = 0; /* the part of the margin that this set's own part of v has subtracted */
    for (size_t m = 0; m < columns->count; m++)
      own += columns->gram[k * columns->capacity + m] * columns->alpha[m];
    h[k] = margins[k] + own;
    change[k] = -columns->alpha[k];
  }
  if (!dorm__qp_solve(shard->qp, columns->count, columns->capacity, columns->gram, h, bound, columns->alpha))
    return false;
  for (size_t k = 0; k < columns->count; k++) {
    change[k] += columns->alpha[k];
    *scalar_of(set, shard, DORM__GAIN) += change[k] * columns->loss[k];
  }
  dorm__columns_add_psi(columns, change, shard->v);
  if (has_bounds(set))
    dorm__working_set_project(set, shard->v, shard->w);
  return true;
}

/* Remembers alpha before the sweep, for dorm__join_sweep. */
static void note_set(dorm__columns *columns)
{
  for (size_t k = 0; k < columns->count; k++)
    columns->old_alpha[k] = columns->alpha[k];
}

/* Returns the sum of alpha times a number, margin or Delta, over the columns of a set. */
static double weighted(const dorm__columns *columns, const double *numbers)
{
  double sum = 0;
  for (size_t k = 0; k < columns->count; k++)
    sum += columns->alpha[k] * numbers[k];
  return sum;
}

/* ---- Sweeps ------------------------------------------------------------------------ */

static bool sweep_set(const dorm__working_set *set, dorm__shard *shard, dorm__columns *columns, double bound,
                      double negligible)
{
  if (!reserve_scratch(shard, columns->count))
    return false;
  columns->own_gap = bound * dorm__columns_margins(columns, point_of(set, shard), shard->scratch);
  columns->own_gap -= weighted(columns, shard->scratch);
  return columns->own_gap <= negligible || solve_set(set, shard, columns, bound);
}

static void sweep_shard(const dorm__working_set *set, const dorm__joint *joint, dorm__shard *shard, double C,
                        double negligible, bool looks_again)
{
  double gap = 0, value = 0;
  bool is_out_of_memory = false;
  shard_begin(set, joint, shard);
  for (size_t i = shard->first; i < shard->end && !is_out_of_memory; i++) {
    dorm__columns *columns = &set->sets[i];
    if (!columns->count)
      continue;
    note_set(columns);
    if (looks_again || columns->own_gap > negligible)
      is_out_of_memory = !sweep_set(set, shard, columns, C * set->problem->weights[i], negligible);
    gap += columns->own_gap;
    value += weighted(columns, columns->loss);
  }
  *scalar_of(set, shard, DORM__GAP) = gap;
  *scalar_of(set, shard, DORM__VALUE) = value;
  *scalar_of(set, shard, DORM__FAILED) = is_out_of_memory;
}

/* ---- Longer steps along the move of a sweep ------------------------------------------------ */

/* Makes old_alpha the direction in which the last sweep moved alpha, changed so that it does not leave the simplex at
 * once. A variable that has reached 0 stays there. If sum alpha is at its bound, the rising variables rise by as much
 * as the others fall. Returns the longest step in that direction. */
static double find_direction(dorm__columns *columns, double bound)
{
  static const double rounding = 1e-12;
  double rise = 0;
  double fall = 0;
  for (size_t k = 0; k < columns->count; k++) {
    double change = columns->alpha[k] - columns->old_alpha[k];
    columns->old_alpha[k] = change < 0 && !(columns->alpha[k] > 0) ? 0 : change;
    *(change > 0 ? &rise : &fall) += fabs(columns->old_alpha[k]);
  }
  double room = bound - dorm__columns_weight(columns);
  bool is_at_bound = room <= rounding * bound && rise > fall;
  double longest = rise - fall > rounding * rise && !is_at_bound ? room / (rise - fall) : INFINITY;
  for (size_t k = 0; k < columns->count; k++) {
    if (columns->old_alpha[k] > 0 && is_at_bound)
      columns->old_alpha[k] *= fall / rise;
    if (columns->old_alpha[k] < 0)
      longest = fmin(longest, -columns->alpha[k] / columns->old_alpha[k]);
  }
  return longest;
}

/* Returns the longest step along old_alpha, a move on the face on which alpha lies (working_set.h). */
static double longest_on_face(const dorm__columns *columns, double bound)
{
  static const double rounding = 1e-12;
  double change = 0;
  double scale = 0;
  double longest = INFINITY;
  for (size_t k = 0; k < columns->count; k++) {
    change += columns->old_alpha[k];
    scale += fabs(columns->old_alpha[k]);
    if (columns->old_alpha[k] < 0)
      longest = fmin(longest, -columns->alpha[k] / columns->old_alpha[k]);
  }
  if (change > rounding * scale)
    longest = fmin(longest, (bound - dorm__columns_weight(columns)) / change);
  return longest;
}

/* Finds the longest step of a shard's sets. Unless alpha moves on its face, also finds the direction of the last sweep.
 * The shard's row becomes the direction in which v moves. */
static void find_shard_direction(const dorm__working_set *set, const dorm__joint *joint, dorm__shard *shard, double C,
                                 bool is_on_face)
{
  double longest = INFINITY, gain = 0;
  dorm__join_begin(set, joint, shard);
  memset(shard->v, 0, dorm__problem_width(set->problem) * sizeof *shard->v);
  for (size_t i = shard->first; i < shard->end; i++) {
    dorm__columns *columns = &set->sets[i];
    double bound = C * set->problem->weights[i];
    longest = fmin(longest, is_on_face ? longest_on_face(columns, bound) : find_direction(columns, bound));
    for (size_t k = 0; k < columns->count; k++)
      gain += columns->old_alpha[k] * columns->loss[k];
    dorm__columns_add_psi(columns, columns->old_alpha, shard->v);
  }
  *scalar_of(set, shard, DORM__GAIN) = gain;
  *scalar_of(set, shard, DORM__LONGEST) = longest;
}

static void move_shard(const dorm__working_set *set, const dorm__shard *shard, double step)
{
  static const double rounding = 1e-14;
  for (size_t i = shard->first; i < shard->end; i++)
    for (size_t k = 0; k < set->sets[i].count; k++) {
      double *alpha = &set->sets[i].alpha[k];
      double change = step * set->sets[i].old_alpha[k];
      double moved = *alpha + change;
      *alpha = moved > rounding * fabs(change) ? moved : 0;
    }
}

/* Takes a step along the direction in which the last sweep moved alpha, or along old_alpha on the face, as far as the
 * dual's minorant rises and alpha stays feasible. */
static void take_step(dorm__working_set *set, dorm__joint *joint, double C, bool is_on_face)
{
  size_t first, end;
  dorm__join_range(set, &first, &end);
  for (size_t s = first; s < end; s++)
    find_shard_direction(set, joint, &set->shards[s], C, is_on_face);
  dorm__join_step(set, joint);
  for (size_t s = first; joint->status == DORM_OK && joint->step > 0 && s < end; s++)
    move_shard(set, &set->shards[s], joint->step);
}

/* Continues along the direction of the last sweep, then to the best point of the face. A step that ends because a
 * column leaves is followed by a step on the smaller face. Only a single shard, which has one thread, knows the
 * face. */
static void go_on(dorm_context *context, dorm__working_set *set, dorm__joint *joint, double C)
{
  take_step(set, joint, C, false);
  bool is_on_face = set->moves.count == 1 && joint->status == DORM_OK;
  joint->is_cut = true;
  for (size_t i = 0; is_on_face && joint->is_cut && i < MOST_CUTS; i++) {
    joint->status = dorm__working_set_face_move(context, set, C, &is_on_face);
    if (is_on_face)
      take_step(set, joint, C, true);
    is_on_face = is_on_face && joint->status == DORM_OK;
  }
}

/* ---- Solving the working set --------------------------------------------------------------------- */

/* Sweeps the shards of the calling thread, and joins them with the others' shards. */
static void sweep(dorm__working_set *set, dorm__joint *joint, double C, double negligible, bool looks_again)
{
  size_t first, end;
  dorm__join_range(set, &first, &end);
  for (size_t s = first; s < end; s++)
    sweep_shard(set, joint, &set->shards[s], C, negligible, looks_again);
  dorm__join_sweep(set, joint);
}

/* Makes the sweeps of the calling thread. All threads compute the same numbers, so they decide alike. */
static void solve_together(dorm_context *context, dorm__working_set *set, dorm__joint *joint, double C,
                           const dorm__sweep_limits *limits)
{
  double share = negligible_share / (double)(set->problem->all.queries + 1);
  double gap = INFINITY;
  double last_gap = INFINITY; /* found when all own gaps were last computed */
  double tolerance = limits->least_tolerance;
  bool looks_again = true, is_fixed = limits->of_dual > 0;
  for (size_t i = 0; i < limits->most_sweeps && (gap > tolerance || !looks_again); i++) {
    looks_again = i % SWEEPS_PER_LOOK == 0 || gap <= tolerance || is_fixed;
    sweep(set, joint, C, is_fixed ? 0 : share * tolerance, looks_again);
    gap = joint->gap;
    if (joint->status != DORM_OK || joint->dual >= limits->enough)
      return;
    double useful = limits->gain_share * (joint->dual - limits->dual);
    tolerance =
        is_fixed ? limits->of_dual * fabs(joint->dual) : fmax(limits->least_tolerance, fmin(limits->tolerance, useful));
    if (!looks_again) /* only sweeps that computed all own gaps can be compared */
      continue;
    if (limits->goes_on && gap > creeping_share * last_gap && gap > tolerance)
      go_on(context, set, joint, C);
    if (joint->status != DORM_OK)
      return;
    last_gap = gap;
  }
}

/* Returns the status with which a region ended. */
static dorm_status ended(dorm_context *context, const dorm__working_set *set)
{
  dorm_status status = set->joints->status;
  return status == DORM_OUT_OF_MEMORY ? dorm__out_of_memory(context, "a quadratic programme") : status;
}

dorm_status dorm__working_set_solve(dorm_context *context, dorm__working_set *set, double C,
                                    const dorm__sweep_limits *limits)
{
#pragma omp parallel num_threads((int)set->num_threads)
  {
    dorm__joint *joint = dorm__join_enter(set);
    solve_together(context, set, joint, C, limits);
    if (joint->status == DORM_OK)
      dorm__join_refresh(set, joint);
  }
  return ended(context, set);
}

/* ---- Sequential passes --------------------------------------------------------------- */

/* Adds the most violated ranking of one query to its column set if its margin is more than `tolerance` above the
 * largest one of the set, then solves the set's QP. */
static dorm_status pass_query(const dorm__working_set *set, dorm__shard *shard, size_t query, double C,
                              double tolerance, dorm__thread *thread)
{
  const dorm__problem *problem = set->problem;
  const double *point = point_of(set, shard);
  dorm__columns *columns = &set->sets[query];
  const double *weights = NULL;
  double loss = 0;
  double value = 0;
  dorm__columns_fetch(columns);
  dorm_status status =
      dorm__output_violation(problem, query, NULL, point, thread, &(const dorm__violation){&weights, &loss, &value});
  if (status != DORM_OK)
    return status;
  if (!reserve_scratch(shard, columns->count + 1))
    return DORM_OUT_OF_MEMORY;
  double margin = value - dorm__vector_dot(&columns->reference, point);
  double known = dorm__columns_margins(columns, point, shard->scratch);
  double bound = C * problem->weights[query];
  double own_gap = bound * fmax(known, margin) - weighted(columns, shard->scratch);
  note_set(columns);
  *scalar_of(set, shard, DORM__GAP) += own_gap;
  if (margin > known + tolerance) {
    dorm__vector phi = {0};
    if (!dorm__output_vector(problem, query, weights, thread, &phi) ||
        !dorm__columns_add(columns, dorm__problem_width(problem), &phi, loss, thread->sum)) {
      dorm__vector_clear(&phi);
      return DORM_OUT_OF_MEMORY;
    }
    shard->scratch[columns->count - 1] = margin;
  }
  bool is_solved = !columns->count || own_gap <= 0 || solve_set(set, shard, columns, bound);
  *scalar_of(set, shard, DORM__VALUE) += weighted(columns, columns->loss);
  thread->column_seconds += dorm__next_phase(thread);
  return is_solved ? DORM_OK : DORM_OUT_OF_MEMORY;
}

/* Goes through the queries of one shard, up to the first that fails. */
static void pass_shard(const dorm__working_set *set, const dorm__joint *joint, dorm__shard *shard, double C,
                       double tolerance)
{
  const dorm__problem *problem = set->problem;
  dorm__thread *thread = dorm__problem_thread(problem);
  shard_begin(set, joint, shard);
  for (size_t i = shard->first; i < shard->end && !dorm__team_skips(problem->team, i); i++) {
    dorm_status status = pass_query(set, shard, i, C, tolerance, thread);
    dorm__team_note(
        problem->team, i,
        dorm__thread_explain(dorm__team_context(problem->team), thread, problem->dataset, problem->queries[i], status));
  }
}

/* Goes through the queries of the calling thread's shards. */
static void pass_together(dorm__working_set *set, dorm__joint *joint, double C, double tolerance)
{
  size_t first, end;
  dorm__join_range(set, &first, &end);
  for (size_t s = first; s < end; s++)
    pass_shard(set, joint, &set->shards[s], C, tolerance);
}

dorm_status dorm__working_set_pass(dorm_context *context, dorm__working_set *set, double C, double tolerance,
                                   double *gap)
{
#pragma omp parallel num_threads((int)set->num_threads)
  pass_together(set, dorm__join_enter(set), C, tolerance);
  dorm_status status = dorm__team_settle(context, set->problem->team);
  if (status != DORM_OK)
    return status;
#pragma omp parallel num_threads((int)set->num_threads)
  dorm__join_sweep(set, dorm__join_enter(set));
  *gap = set->joints->gap;
  return ended(context, set);
}
