/*
 * sweeps.c: raising the dual by one exact QP per column set.
 *
 * A sweep uses the columns of the working set and makes no pass over the data. A sequential pass asks each query's
 * oracle first, at the w of that moment, and adds the most violated ranking to the query's column set before its QP is
 * solved: coordinate ascent with an oracle, the block-coordinate Frank-Wolfe method (Lacoste-Julien, Jaggi, Schmidt and
 * Pletscher 2013) with all columns of the set in place of a line search. Its rankings are violated at a w that all
 * earlier queries have moved, and so they raise the dual more than those of a pass at a fixed w; but a sequential pass
 * gives no primal value.
 *
 * The projection onto the bounds on the weights never lengthens a move. So the QP of a column set, with the Gram matrix
 * of psi, is a minorant of the dual (equal to it without bounds), and its solution never lowers the dual.
 *
 * In parallel, each shard of the column sets is swept from the same v, which gives moves d_s of v. D along v +
 * sum theta_s d_s, 0 <= theta_s <= 1, has the quadratic minorant with the Gram matrix of the d_s; its maximum, a box QP
 * of as many variables as there are shards, says how much of each shard's move is taken after each sweep and each
 * sequential pass. Where several processes train together, each has some of the shards; they gather the moves of all,
 * and each of them solves that box QP. The result depends on the shards, not on the threads and processes that sweep
 * them; where the data are not dealt (solver.shards = auto), there are as many shards as threads.
 *
 * Where the column sets pull against each other, sweeps creep: each one moves alpha by about the same little. Going on
 * along the move of the last sweep, to the maximum of the minorant or to where a variable reaches 0, takes thousands of
 * such moves at once.
 */
#include "base/linalg.h"
#include "solver/problem.h"
#include "solver/working_set.h"

#include <math.h>
#include <string.h>

/* A column set is left as it is when its own gap is at most this share of the mean gap per set that may remain. Every
 * eighth sweep computes all own gaps again. */
static const double negligible_share = 0.3;
enum { SWEEPS_PER_LOOK = 8 };
/* Sweeps creep where such a sweep finds more than this share of the gap that the one before it found. */
static const double creeping_share = 0.5;
enum { MOST_CUTS = 20 }; /* steps on faces in a row */

/* Prepares the shard for moves from the present v. */
static void shard_begin(const dorm__working_set *set, dorm__shard *shard)
{
  size_t num_features = dorm__problem_width(set->problem);
  memcpy(shard->v, set->v, num_features * sizeof *shard->v);
  memcpy(shard->w, set->w, num_features * sizeof *shard->w); /* used with bounds only */
  shard->gain = 0;
  shard->gap = 0;
}

/* ---- One column set ------------------------------------------------------------------- */

static bool has_bounds(const dorm__working_set *set)
{
  return set->bounds.lower || set->bounds.upper;
}

/* The weights at which the shard's margins are taken. */
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

/* Solves the QP of one column set, whose margins are in the shard's scratch and whose alpha add up to `bound` at most,
 * and updates alpha and the shard's v and w. */
static bool solve_set(const dorm__working_set *set, dorm__shard *shard, dorm__columns *columns, double bound)
{
  const double *margins = shard->scratch;
  double *h = shard->scratch + shard->scratch_size;
  double *change = h + shard->scratch_size;
  for (size_t k = 0; k < columns->count; k++) {
    double own = 0; /* what this set's own part of v has subtracted from the margin */
    for (size_t m = 0; m < columns->count; m++)
      own += columns->gram[k * columns->capacity + m] * columns->alpha[m];
    h[k] = margins[k] + own;
    change[k] = -columns->alpha[k];
  }
  if (!dorm__qp_solve(shard->qp, columns->count, columns->capacity, columns->gram, h, bound, columns->alpha))
    return false;
  for (size_t k = 0; k < columns->count; k++) {
    change[k] += columns->alpha[k];
    shard->gain += change[k] * columns->loss[k];
  }
  dorm__columns_add_psi(columns, change, shard->v);
  if (has_bounds(set))
    dorm__working_set_project(set, shard->v, shard->w);
  return true;
}

/* Remembers alpha before the sweep, for join_shards. */
static void note_set(dorm__columns *columns)
{
  for (size_t k = 0; k < columns->count; k++)
    columns->old_alpha[k] = columns->alpha[k];
}

/* The sum of alpha times margin over the columns of a set. */
static double weighted_margins(const dorm__columns *columns, const double *margins)
{
  double sum = 0;
  for (size_t k = 0; k < columns->count; k++)
    sum += columns->alpha[k] * margins[k];
  return sum;
}

/* ---- Joining the shards' moves ----------------------------------------------------- */

static double *move_of(const dorm__moves *moves, size_t s)
{
  return moves->all + s * moves->stride;
}

static double scalar_of(const dorm__working_set *set, size_t s, size_t scalar)
{
  return move_of(&set->moves, s)[dorm__problem_width(set->problem) + scalar];
}

/* Moves theta_s by the optimal step at slope and curvature along d_s; returns by how much. */
static double change_part(double slope, double curvature, double *theta)
{
  double before = *theta;
  double chosen = curvature > 0 ? before + slope / curvature : 1;
  *theta = fmin(1, fmax(0, chosen));
  return *theta - before;
}

enum { MOST_ROUNDS = 200 };
static const double least_change = 1e-9; /* of a theta, with which the rounds go on */

/* Maximises sum_s theta_s slope_s - 1/2 |sum_s theta_s d_s|^2 over theta in the box by coordinate ascent. */
static void choose_parts(dorm__working_set *set)
{
  size_t num_features = dorm__problem_width(set->problem);
  dorm__moves *moves = &set->moves;
  memset(moves->sum, 0, num_features * sizeof *moves->sum);
  double largest_change = 1;
  for (size_t round = 0; round < MOST_ROUNDS && largest_change > least_change; round++) {
    largest_change = 0;
    for (size_t s = 0; s < moves->count; s++) {
      const double *move = move_of(moves, s);
      double curvature = dorm__dot(num_features, move, move);
      double slope = moves->slope[s] - dorm__dot(num_features, moves->sum, move);
      double change = change_part(slope, curvature, &moves->theta[s]);
      dorm__add_scaled(num_features, change, move, moves->sum);
      largest_change = fmax(largest_change, fabs(change));
    }
  }
}

/* The same by the Gram matrix of the moves, for many shards. */
static void choose_many_parts(dorm__working_set *set)
{
  size_t num_features = dorm__problem_width(set->problem);
  dorm__moves *moves = &set->moves;
  size_t count = moves->count;
#pragma omp parallel for schedule(dynamic, 1) num_threads((int)set->problem->workers.count)
  for (size_t s = 0; s < count; s++)
    for (size_t t = 0; t <= s; t++)
      moves->gram[s * count + t] = moves->gram[t * count + s] =
          dorm__dot(num_features, move_of(moves, s), move_of(moves, t));
  double largest_change = 1;
  for (size_t round = 0; round < MOST_ROUNDS && largest_change > least_change; round++) {
    largest_change = 0;
    for (size_t s = 0; s < count; s++) {
      double slope = moves->slope[s] - dorm__dot(count, moves->gram + s * count, moves->theta);
      double change = change_part(slope, moves->gram[s * count + s], &moves->theta[s]);
      largest_change = fmax(largest_change, fabs(change));
    }
  }
}

/* moves->all becomes the moves d_s, and moves->slope the slopes of the dual along each. */
static void begin_joining(dorm__working_set *set)
{
  size_t num_features = dorm__problem_width(set->problem);
  dorm__moves *moves = &set->moves;
  for (size_t s = 0; s < moves->count; s++) {
    dorm__add_scaled(num_features, -1, set->v, move_of(moves, s));
    moves->theta[s] = 0;
    moves->slope[s] = scalar_of(set, s, DORM__GAIN) - dorm__dot(num_features, set->w, move_of(moves, s));
  }
}

/* Takes the part theta of the shard's changes of alpha. */
static void take_part(dorm__working_set *set, const dorm__shard *shard, double theta)
{
  for (size_t i = shard->first; i < shard->end; i++) {
    dorm__columns *columns = &set->sets[i];
    for (size_t k = 0; k < columns->count; k++)
      columns->alpha[k] = columns->old_alpha[k] + theta * (columns->alpha[k] - columns->old_alpha[k]);
  }
}

/* Takes the chosen parts of the moves of the shards of all processes into v, w and alpha; *gap becomes the sum of their
 * gaps. */
static dorm_status join_shards(dorm__working_set *set, double *gap)
{
  size_t num_features = dorm__problem_width(set->problem);
  dorm__moves *moves = &set->moves;
  dorm_status status = dorm__working_set_gather(set, set->v);
  *gap = 0;
  for (size_t s = 0; s < moves->count; s++)
    *gap += scalar_of(set, s, DORM__GAP);
  if (status != DORM_OK)
    return status;
  if (moves->count == 1) {
    memcpy(set->v, moves->all, num_features * sizeof *set->v);
    dorm__working_set_project(set, set->v, set->w);
    return DORM_OK;
  }
  begin_joining(set);
  if (moves->gram)
    choose_many_parts(set);
  else
    choose_parts(set);
  for (size_t s = 0; s < moves->count; s++)
    dorm__add_scaled(num_features, moves->theta[s], move_of(moves, s), set->v);
  for (size_t s = 0; s < set->num_shards; s++)
    if (moves->theta[moves->first + s] != 1)
      take_part(set, &set->shards[s], moves->theta[moves->first + s]);
  dorm__working_set_project(set, set->v, set->w);
  return DORM_OK;
}

/* ---- Sweeps ------------------------------------------------------------------------ */

static bool sweep_shard(const dorm__working_set *set, dorm__shard *shard, double C, double negligible, bool looks_again)
{
  shard_begin(set, shard);
  for (size_t i = shard->first; i < shard->end; i++) {
    dorm__columns *columns = &set->sets[i];
    if (!columns->count)
      continue;
    note_set(columns);
    if (looks_again || columns->own_gap > negligible) {
      if (!reserve_scratch(shard, columns->count))
        return false;
      double bound = C * dorm__working_set_weight(set, i);
      columns->own_gap = bound * dorm__columns_margins(columns, point_of(set, shard), shard->scratch);
      columns->own_gap -= weighted_margins(columns, shard->scratch);
      if (columns->own_gap > negligible && !solve_set(set, shard, columns, bound))
        return false;
    }
    shard->gap += columns->own_gap;
  }
  return true;
}

dorm_status dorm__working_set_sweep(dorm_context *context, dorm__working_set *set, double C, double negligible,
                                    bool looks_again, double *gap)
{
  bool is_out_of_memory = false;
#pragma omp parallel for schedule(static, 1) num_threads((int)set->num_threads) reduction(|| : is_out_of_memory)
  for (size_t s = 0; s < set->num_shards; s++)
    is_out_of_memory = !sweep_shard(set, &set->shards[s], C, negligible, looks_again) || is_out_of_memory;
  return is_out_of_memory ? dorm__out_of_memory(context, "a quadratic programme") : join_shards(set, gap);
}

/* ---- Going on along the move of a sweep ------------------------------------------------ */

/* old_alpha becomes the direction in which the last sweep moved alpha, less what leads out of the simplex at once: a
 * variable that has reached 0 stays there, and where sum alpha is at its bound the rising variables rise by as much as
 * the others fall. Returns the longest step in that direction. */
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

/* The longest step along old_alpha, a move on the face on which alpha lies (working_set.h). */
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

/* Finds the longest step of a shard's sets, and the direction of the last sweep where alpha is not to move on its face;
 * shard->v becomes the direction in which v moves. */
static void find_shard_direction(const dorm__working_set *set, dorm__shard *shard, double C, bool is_on_face)
{
  double longest = INFINITY;
  shard->gain = 0;
  memset(shard->v, 0, dorm__problem_width(set->problem) * sizeof *shard->v);
  for (size_t i = shard->first; i < shard->end; i++) {
    dorm__columns *columns = &set->sets[i];
    double bound = C * dorm__working_set_weight(set, i);
    longest = fmin(longest, is_on_face ? longest_on_face(columns, bound) : find_direction(columns, bound));
    for (size_t k = 0; k < columns->count; k++)
      shard->gain += columns->old_alpha[k] * columns->loss[k];
    dorm__columns_add_psi(columns, columns->old_alpha, shard->v);
  }
  shard->longest = longest;
}

/* Takes a step along the direction in which the last sweep moved alpha, or along old_alpha on the face: as far as the
 * dual's minorant rises and alpha stays feasible. *is_cut says whether alpha ended it. */
static dorm_status take_step(dorm__working_set *set, double C, bool is_on_face, bool *is_cut)
{
  static const double rounding = 1e-14;
  size_t num_features = dorm__problem_width(set->problem);
  const dorm__moves *moves = &set->moves;
  *is_cut = false;
#pragma omp parallel for schedule(static, 1) num_threads((int)set->num_threads)
  for (size_t s = 0; s < set->num_shards; s++)
    find_shard_direction(set, &set->shards[s], C, is_on_face);
  dorm_status status = dorm__working_set_gather(set, NULL);
  if (status != DORM_OK)
    return status;
  double *move = move_of(moves, 0);
  double slope = scalar_of(set, 0, DORM__GAIN);
  double longest = scalar_of(set, 0, DORM__LONGEST);
  for (size_t s = 1; s < moves->count; s++) {
    dorm__add_scaled(num_features, 1, move_of(moves, s), move);
    slope += scalar_of(set, s, DORM__GAIN);
    longest = fmin(longest, scalar_of(set, s, DORM__LONGEST));
  }
  slope -= dorm__dot(num_features, set->w, move);
  double curvature = dorm__dot(num_features, move, move);
  *is_cut = !(slope < longest * curvature);
  double step = *is_cut ? longest : slope / curvature;
  if (!(step > 0) || !isfinite(step))
    return DORM_OK;
  dorm__add_scaled(num_features, step, move, set->v);
  dorm__working_set_project(set, set->v, set->w);
  for (size_t i = 0; i < set->num_sets; i++)
    for (size_t k = 0; k < set->sets[i].count; k++) {
      double *alpha = &set->sets[i].alpha[k];
      double change = step * set->sets[i].old_alpha[k];
      double moved = *alpha + change;
      *alpha = moved > rounding * fabs(change) ? moved : 0;
    }
  return DORM_OK;
}

/* Goes on along the direction of the last sweep, then to the best point of the face; a step that ends where a column
 * leaves is followed by one on the smaller face. */
static dorm_status go_on(dorm_context *context, dorm__working_set *set, double C)
{
  bool is_cut;
  dorm_status status = take_step(set, C, false, &is_cut);
  bool is_on_face = status == DORM_OK;
  is_cut = true;
  for (size_t i = 0; is_on_face && is_cut && i < MOST_CUTS; i++) {
    status = dorm__working_set_face_move(context, set, C, &is_on_face);
    if (is_on_face)
      status = take_step(set, C, true, &is_cut);
    is_on_face = is_on_face && status == DORM_OK;
  }
  return status;
}

dorm_status dorm__working_set_solve(dorm_context *context, dorm__working_set *set, double C,
                                    const dorm__sweep_limits *limits)
{
  double share = negligible_share / (double)(set->all_sets + 1);
  double gap = INFINITY;
  double last_gap = INFINITY; /* that was found when all own gaps were last computed */
  double tolerance = limits->least_tolerance;
  bool looks_again = true;
  for (size_t i = 0; i < limits->most_sweeps && (gap > tolerance || !looks_again); i++) {
    looks_again = i % SWEEPS_PER_LOOK == 0 || gap <= tolerance;
    dorm_status status = dorm__working_set_sweep(context, set, C, share * tolerance, looks_again, &gap);
    if (status != DORM_OK)
      return status;
    double dual = dorm__working_set_dual(set);
    if (dual >= limits->enough)
      break;
    double useful = limits->gain_share * (dual - limits->dual);
    tolerance = fmax(limits->least_tolerance, fmin(limits->tolerance, useful));
    if (!looks_again) /* only a sweep that computed all own gaps can be held against an earlier one */
      continue;
    if (limits->goes_on && gap > creeping_share * last_gap && gap > tolerance)
      status = go_on(context, set, C);
    if (status != DORM_OK)
      return status;
    last_gap = gap;
  }
  dorm__working_set_refresh(set);
  return DORM_OK;
}

/* ---- Sequential passes --------------------------------------------------------------- */

/* Takes the most violated ranking of one query into its column set if its margin is more than `tolerance` above the
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
  double own_gap = bound * fmax(known, margin) - weighted_margins(columns, shard->scratch);
  note_set(columns);
  shard->gap += own_gap;
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
  thread->column_seconds += dorm__next_phase(thread);
  return is_solved ? DORM_OK : DORM_OUT_OF_MEMORY;
}

/* Goes through the queries of one shard, up to the first that fails. */
static void pass_shard(const dorm__working_set *set, dorm__shard *shard, double C, double tolerance)
{
  const dorm__problem *problem = set->problem;
  dorm__thread *thread = dorm__problem_thread(problem);
  shard_begin(set, shard);
  for (size_t i = shard->first; i < shard->end && !dorm__team_skips(problem->team, i); i++) {
    dorm_status status = pass_query(set, shard, i, C, tolerance, thread);
    dorm__team_note(
        problem->team, i,
        dorm__thread_explain(dorm__team_context(problem->team), thread, problem->dataset, problem->queries[i], status));
  }
}

dorm_status dorm__working_set_pass(dorm_context *context, dorm__working_set *set, double C, double tolerance,
                                   double *gap)
{
#pragma omp parallel for schedule(static, 1) num_threads((int)set->num_threads)
  for (size_t s = 0; s < set->num_shards; s++)
    pass_shard(set, &set->shards[s], C, tolerance);
  dorm_status status = dorm__team_settle(context, set->problem->team);
  return status == DORM_OK ? join_shards(set, gap) : status;
}
