/*
 * moves.c: joins the moves of the shards of all threads and processes.
 *
 * Each thread works on its shards, fills their rows and waits at a barrier. Then every thread adds up the rows of all
 * shards for itself, to the same bits. No second barrier is needed, because the next rows lie in the other half of
 * moves->own. If several processes train together, or rows are so wide that adding them up takes longer than a barrier,
 * the first thread gathers and adds them up alone, between two barriers.
 *
 * A sweep gives moves d_s of v. D along v + sum theta_s d_s, 0 <= theta_s <= 1, has the quadratic minorant with the
 * Gram matrix of the d_s. Its maximum, a box QP with one variable per shard, determines how much of each shard's move
 * is taken.
 *
 * With many sparse features, a shard moves few of them in a sweep. A row is then sent as the number of features that it
 * moves, their indices, their new values, and the scalars that follow. The receiver unpacks it to the same bits. Packed
 * rows are multiples of 8 bytes, since MPI counts in ints and reaches eight times as far with numbers of 8 bytes as
 * with bytes (cli/mpi.c).
 */
#include "base/linalg.h"
#include "base/processes.h"
#include "solver/working_set.h"

#include <math.h>
#include <omp.h>
#include <string.h>

enum { FEW_FEATURES = 1024 }; /* with at most so many, rows are sent whole */

static bool is_moved(const double *row, size_t f)
{
  static const double zero = 0;
  return memcmp(&row[f], &zero, sizeof zero) != 0;
}

static void put(char **at, const void *bytes, size_t size)
{
  memcpy(*at, bytes, size);
  *at += size;
}

static void take(const char **at, void *bytes, size_t size)
{
  memcpy(bytes, *at, size);
  *at += size;
}

/* Packs a row. Returns its end. */
static char *pack(size_t num_features, size_t stride, const double *row, char *at)
{
  static const uint32_t filling = 0;
  uint64_t count = 0;
  char *begin = at;
  at += sizeof count;
  for (size_t f = 0; f < num_features; f++)
    if (is_moved(row, f)) {
      uint32_t index = (uint32_t)f;
      put(&at, &index, sizeof index);
      put(&at, &row[f], sizeof *row);
      count++;
    }
  put(&begin, &count, sizeof count);
  if (count % 2)
    put(&at, &filling, sizeof filling);
  put(&at, row + num_features, (stride - num_features) * sizeof *row);
  return at;
}

static const char *unpack(size_t num_features, size_t stride, const char *at, double *row)
{
  uint64_t count = 0;
  take(&at, &count, sizeof count);
  memset(row, 0, num_features * sizeof *row);
  for (uint64_t i = 0; i < count; i++) {
    uint32_t index = 0;
    take(&at, &index, sizeof index);
    take(&at, &row[index], sizeof *row);
  }
  at += count % 2 * sizeof(uint32_t); /* padding */
  take(&at, row + num_features, (stride - num_features) * sizeof *row);
  return at;
}

/* Returns the size of a packed row. */
static size_t bytes_packed(size_t num_features, size_t stride, const double *row)
{
  size_t count = 0;
  for (size_t f = 0; f < num_features; f++)
    count += is_moved(row, f);
  return sizeof(uint64_t) + (count + count % 2) * sizeof(uint32_t) + (count + stride - num_features) * sizeof(double);
}

/* Gathers the rows of every process into moves.all. If there are many features, sends only the numbers other than 0,
 * and all scalars. */
static dorm_status gather(const dorm__working_set *set)
{
  dorm_context *context = set->problem->context;
  const dorm__moves *moves = &set->moves;
  size_t num_features = dorm__problem_width(set->problem), stride = moves->stride,
         row_bytes = stride * sizeof *moves->own;
  size_t bytes = 0;
  if (num_features <= FEW_FEATURES)
    return dorm__processes_gather_into(context, moves->own, set->num_shards * row_bytes, moves->all,
                                       moves->count * row_bytes);
  for (size_t i = 0; i < set->num_shards; i++)
    bytes += bytes_packed(num_features, stride, moves->own + i * stride);
  DORM__FREED char *packed = dorm__alloc(bytes, 1);
  DORM__FREED size_t *start = dorm__alloc(dorm__processes_size(context) + 1, sizeof *start);
  DORM__FREED void *gathered = NULL;
  char *end = packed;
  dorm_status status = packed && start ? DORM_OK : dorm__out_of_memory(context, "moves of shards");
  for (size_t i = 0; status == DORM_OK && i < set->num_shards; i++)
    end = pack(num_features, stride, moves->own + i * stride, end);
  if (status == DORM_OK)
    status = dorm__processes_gather(context, packed, bytes, &gathered, start);
  const char *at = gathered;
  for (size_t i = 0; status == DORM_OK && i < moves->count; i++)
    at = unpack(num_features, stride, at, moves->all + i * stride);
  return dorm__processes_keep(context, status); /* not every caller returns it */
}

/* ---- Bounds and centre ---------------------------------------------------------------------------- */

void dorm__bounds_project(const dorm__bounds *bounds, size_t num_features, double *x)
{
  if (bounds->lower)
    for (size_t f = 0; f < num_features; f++)
      x[f] = x[f] < bounds->lower[f] ? bounds->lower[f] : x[f];
  if (bounds->upper)
    for (size_t f = 0; f < num_features; f++)
      x[f] = x[f] > bounds->upper[f] ? bounds->upper[f] : x[f];
}

void dorm__working_set_project(const dorm__working_set *set, const double *v, double *w)
{
  size_t num_features = dorm__problem_width(set->problem);
  memcpy(w, v, num_features * sizeof *w);
  dorm__bounds_project(&set->bounds, num_features, w);
}

double dorm__working_set_regulariser(const dorm__working_set *set, const double *w)
{
  size_t num_features = dorm__problem_width(set->problem);
  if (!set->centre)
    return 0.5 * dorm__dot(num_features, w, w);
  double sum = 0;
  for (size_t f = 0; f < num_features; f++)
    sum += (w[f] - set->centre[f]) * (w[f] - set->centre[f]);
  return 0.5 * sum;
}

/* ---- Joining --------------------------------------------------------------------------------------- */

static bool joins_alone(const dorm__working_set *set)
{
  return set->num_joints == 1;
}

dorm__joint *dorm__join_enter(dorm__working_set *set)
{
  size_t thread = (size_t)omp_get_thread_num(), bytes = dorm__problem_width(set->problem) * sizeof *set->v;
  dorm__joint *joint = joins_alone(set) ? set->joints : &set->joints[thread];
  if (thread && joint != set->joints) { /* the first thread changes its own after the first barrier */
    memcpy(joint->v, set->v, bytes);
    memcpy(joint->w, set->w, bytes);
    joint->phase = 0;
  }
  if (!thread) {
    set->joints->phase = 0;
    set->joints->status = DORM_OK;
  }
  return joint;
}

void dorm__join_range(const dorm__working_set *set, size_t *first, size_t *end)
{
  size_t thread = (size_t)omp_get_thread_num(), num_threads = (size_t)omp_get_num_threads();
  *first = thread * set->num_shards / num_threads;
  *end = (thread + 1) * set->num_shards / num_threads;
}

/* Returns the rows of this process that are filled or read at present. */
static double *own_rows(const dorm__working_set *set, const dorm__joint *joint)
{
  return set->moves.own + (joins_alone(set) ? 0 : joint->phase % 2) * set->num_shards * set->moves.stride;
}

void dorm__join_begin(const dorm__working_set *set, const dorm__joint *joint, dorm__shard *shard)
{
  shard->v = own_rows(set, joint) + (size_t)(shard - set->shards) * set->moves.stride;
  memset(shard->v + dorm__problem_width(set->problem), 0, DORM__NUM_SCALARS * sizeof *shard->v);
}

/* The row of shard s among the shards of all processes. */
static const double *row_of(const dorm__working_set *set, const dorm__joint *joint, size_t s)
{
  return (set->moves.all ? set->moves.all : own_rows(set, joint)) + s * set->moves.stride;
}

static double scalar_of(const dorm__working_set *set, const dorm__joint *joint, size_t s, size_t scalar)
{
  return row_of(set, joint, s)[dorm__problem_width(set->problem) + scalar];
}

static double sum_scalars(const dorm__working_set *set, const dorm__joint *joint, size_t scalar)
{
  double sum = 0;
  for (size_t s = 0; s < set->moves.count; s++)
    sum += scalar_of(set, joint, s, scalar);
  return sum;
}

/* Waits for the rows of all shards and lets `add_up` compute the joint from them. */
static void meet(dorm__working_set *set, dorm__joint *joint, void (*add_up)(dorm__working_set *, dorm__joint *))
{
  bool is_first = omp_get_thread_num() == 0;
  dorm__thread *first = &set->problem->workers.threads[0];
#pragma omp barrier
  double started = is_first ? dorm__seconds() : 0;
  if (is_first && set->moves.all)
    joint->status = gather(set);
  if ((is_first || !joins_alone(set)) && joint->status == DORM_OK) {
    joint->status = sum_scalars(set, joint, DORM__FAILED) > 0 ? DORM_OUT_OF_MEMORY : DORM_OK;
    add_up(set, joint);
  }
  if (joins_alone(set)) {
#pragma omp barrier
  } else
    joint->phase++;
  if (is_first) {
    first->join_seconds += dorm__seconds() - started;
    first->num_joins++;
    first->num_barriers += omp_get_num_threads() == 1 ? 0 : 1 + joins_alone(set);
  }
}

/* Computes w and the dual value, of which `value` is the sum of alpha Delta. */
static void finish(const dorm__working_set *set, dorm__joint *joint, double value)
{
  size_t num_features = dorm__problem_width(set->problem);
  dorm__working_set_project(set, joint->v, joint->w);
  joint->dual = dorm__working_set_regulariser(set, joint->w) - dorm__dot(num_features, joint->w, joint->v) + value;
  if (set->centre)
    joint->dual += dorm__dot(num_features, joint->w, set->centre);
}

enum { MOST_ROUNDS = 200 };
static const double least_change = 1e-9; /* of a theta with which the rounds continue */

/* Maximises sum_s theta_s slope_s - 1/2 |sum_s theta_s d_s|^2 over theta in the box by coordinate ascent. */
static void choose_parts(const dorm__working_set *set, dorm__joint *joint)
{
  size_t num_features = dorm__problem_width(set->problem), count = set->moves.count;
  for (size_t s = 0; s < count; s++)
    for (size_t t = 0; t <= s; t++)
      joint->gram[s * count + t] = joint->gram[t * count + s] =
          dorm__dot(num_features, row_of(set, joint, s), row_of(set, joint, t));
  memset(joint->theta, 0, count * sizeof *joint->theta);
  double largest_change = 1;
  for (size_t round = 0; round < MOST_ROUNDS && largest_change > least_change; round++) {
    largest_change = 0;
    for (size_t s = 0; s < count; s++) {
      double slope = scalar_of(set, joint, s, DORM__SLOPE) - dorm__dot(count, joint->gram + s * count, joint->theta);
      double curvature = joint->gram[s * count + s], before = joint->theta[s];
      joint->theta[s] = fmin(1, fmax(0, curvature > 0 ? before + slope / curvature : 1));
      largest_change = fmax(largest_change, fabs(joint->theta[s] - before));
    }
  }
}

static void add_up_sweep(dorm__working_set *set, dorm__joint *joint)
{
  size_t num_features = dorm__problem_width(set->problem), count = set->moves.count;
  double value = sum_scalars(set, joint, DORM__VALUE);
  joint->gap = sum_scalars(set, joint, DORM__GAP);
  joint->theta[0] = 1;
  if (count == 1)
    memcpy(joint->v, row_of(set, joint, 0), num_features * sizeof *joint->v);
  else
    choose_parts(set, joint);
  for (size_t s = 0; count > 1 && s < count; s++) {
    dorm__add_scaled(num_features, joint->theta[s], row_of(set, joint, s), joint->v);
    value -= (1 - joint->theta[s]) * scalar_of(set, joint, s, DORM__GAIN);
  }
  finish(set, joint, value);
}

/* Takes the part theta of the shard's changes of alpha. */
static void take_part(dorm__working_set *set, const dorm__shard *shard, double theta)
{
  for (size_t i = shard->first; theta != 1 && i < shard->end; i++) {
    dorm__columns *columns = &set->sets[i];
    for (size_t k = 0; k < columns->count; k++)
      columns->alpha[k] = columns->old_alpha[k] + theta * (columns->alpha[k] - columns->old_alpha[k]);
  }
}

void dorm__join_sweep(dorm__working_set *set, dorm__joint *joint)
{
  size_t num_features = dorm__problem_width(set->problem), first, end;
  dorm__join_range(set, &first, &end);
  for (size_t s = first; set->moves.count > 1 && s < end; s++) {
    double *row = set->shards[s].v;
    dorm__add_scaled(num_features, -1, joint->v, row);
    row[num_features + DORM__SLOPE] = row[num_features + DORM__GAIN] - dorm__dot(num_features, joint->w, row);
  }
  meet(set, joint, add_up_sweep);
  for (size_t s = first; joint->status == DORM_OK && s < end; s++)
    take_part(set, &set->shards[s], joint->theta[set->moves.first + s]);
}

static void add_up_step(dorm__working_set *set, dorm__joint *joint)
{
  size_t num_features = dorm__problem_width(set->problem);
  double longest = INFINITY, slope = sum_scalars(set, joint, DORM__GAIN);
  memset(joint->move, 0, num_features * sizeof *joint->move);
  for (size_t s = 0; s < set->moves.count; s++) {
    dorm__add_scaled(num_features, 1, row_of(set, joint, s), joint->move);
    longest = fmin(longest, scalar_of(set, joint, s, DORM__LONGEST));
  }
  slope -= dorm__dot(num_features, joint->w, joint->move);
  double curvature = dorm__dot(num_features, joint->move, joint->move);
  joint->is_cut = !(slope < longest * curvature);
  joint->step = joint->is_cut ? longest : slope / curvature;
  if (!(joint->step > 0) || !isfinite(joint->step))
    joint->step = 0;
  dorm__add_scaled(num_features, joint->step, joint->move, joint->v);
  dorm__working_set_project(set, joint->v, joint->w);
}

void dorm__join_step(dorm__working_set *set, dorm__joint *joint)
{
  meet(set, joint, add_up_step);
}

static void add_up_refresh(dorm__working_set *set, dorm__joint *joint)
{
  size_t num_features = dorm__problem_width(set->problem);
  memset(joint->v, 0, num_features * sizeof *joint->v);
  if (set->centre)
    memcpy(joint->v, set->centre, num_features * sizeof *joint->v);
  for (size_t s = 0; s < set->moves.count; s++)
    dorm__add_scaled(num_features, 1, row_of(set, joint, s), joint->v);
  finish(set, joint, sum_scalars(set, joint, DORM__VALUE));
}

/* Fills the shard's row with its sum alpha psi, and counts its columns. */
static void refresh_shard(const dorm__working_set *set, const dorm__joint *joint, dorm__shard *shard)
{
  size_t num_features = dorm__problem_width(set->problem);
  double value = 0;
  dorm__join_begin(set, joint, shard);
  memset(shard->v, 0, num_features * sizeof *shard->v);
  shard->num_columns = shard->num_support = 0;
  for (size_t i = shard->first; i < shard->end; i++) {
    const dorm__columns *columns = &set->sets[i];
    dorm__columns_add_psi(columns, columns->alpha, shard->v);
    shard->num_columns += columns->count;
    for (size_t k = 0; k < columns->count; k++) {
      value += columns->alpha[k] * columns->loss[k];
      shard->num_support += columns->alpha[k] > 0;
    }
  }
  shard->v[num_features + DORM__VALUE] = value;
}

void dorm__join_refresh(dorm__working_set *set, dorm__joint *joint)
{
  size_t first, end;
  dorm__join_range(set, &first, &end);
  for (size_t s = first; s < end; s++)
    refresh_shard(set, joint, &set->shards[s]);
  meet(set, joint, add_up_refresh);
}

void dorm__working_set_refresh(dorm__working_set *set)
{
#pragma omp parallel num_threads((int)set->num_threads)
  dorm__join_refresh(set, dorm__join_enter(set));
}
