/*
 * working_set.c: the dual variables of all column sets, v = centre + sum alpha psi with psi = Phi(reference) -
 * Phi(ranking), and w. w is v moved into the bounds on the weights, or v if there are none. The sum of alpha over the
 * columns of query i is at most C weight_i.
 *
 * With bounds B and the centre c the dual is D(alpha) = sum alpha Delta + min over w in B of 1/2 |w - c|^2 - <w, v -
 * c>. Since the term to minimise is 1/2 |w - v|^2 + 1/2 |c|^2 - 1/2 |v|^2, its minimum is at w = the projection of v
 * onto B. The gradient of D is the vector of the margins at that w. So only the start of v and the regulariser depend
 * on the centre.
 */
#include "solver/working_set.h"
#include "base/linalg.h"
#include "base/processes.h"
#include "solver/columns.h"
#include "solver/problem.h"

#include <math.h>
#include <string.h>

/* ---- Making and freeing -------------------------------------------------------- */

/* Rows of more numbers than this are added up by one thread (moves.c). */
enum { MOST_SHARED = 1 << 17 };

static void make_joint(dorm__working_set *set, dorm__joint *joint)
{
  size_t num_features = dorm__problem_width(set->problem), count = set->moves.count;
  joint->v = dorm__region_take_zero(&set->memory, num_features, sizeof *joint->v);
  joint->w = dorm__region_take_zero(&set->memory, num_features, sizeof *joint->w);
  joint->move = dorm__region_take_zero(&set->memory, num_features, sizeof *joint->move);
  joint->theta = dorm__region_take_zero(&set->memory, count, sizeof *joint->theta);
  joint->gram = dorm__region_take_zero(&set->memory, count, count * sizeof *joint->gram);
}

static bool make_moves(dorm__working_set *set)
{
  enum { LINE = 8 }; /* doubles in a cache line, which the rows of two threads do not share */
  const dorm__problem_blocks *blocks = &set->problem->blocks;
  bool has_processes = dorm__processes_size(set->problem->context) > 1;
  dorm__moves *moves = &set->moves;
  moves->count = blocks->all;
  moves->first = blocks->first;
  moves->stride = (dorm__problem_width(set->problem) + DORM__NUM_SCALARS + LINE) / LINE * LINE + LINE;
  bool joins_alone = has_processes || moves->count * moves->stride > MOST_SHARED;
  size_t row_bytes = moves->stride * sizeof *moves->own;
  moves->own = dorm__region_take_zero(&set->memory, (joins_alone ? 1 : 2) * set->num_shards, row_bytes);
  moves->all = has_processes ? dorm__region_take_zero(&set->memory, moves->count, row_bytes) : NULL;
  set->num_joints = joins_alone ? 1 : set->num_threads;
  set->joints = dorm__region_take_zero(&set->memory, set->num_joints, sizeof *set->joints);
  for (size_t i = 0; !set->memory.is_short && i < set->num_joints; i++)
    make_joint(set, &set->joints[i]);
  if (set->memory.is_short)
    return false;
  set->v = set->joints->v;
  set->w = set->joints->w;
  return true;
}

static bool make_shards(dorm__working_set *set)
{
  const dorm__problem *problem = set->problem;
  size_t num_features = dorm__problem_width(problem), num_threads = problem->workers.count;
  set->num_shards = problem->blocks.count;
  set->num_threads = set->num_shards < num_threads ? set->num_shards : num_threads;
  set->num_threads = set->num_threads ? set->num_threads : 1;
  set->shards = dorm__region_take_zero(&set->memory, set->num_shards, sizeof *set->shards);
  bool good = make_moves(set);
  for (size_t s = 0; good && s < set->num_shards; s++) {
    dorm__shard *shard = &set->shards[s];
    shard->first = problem->blocks.start[s];
    shard->end = problem->blocks.start[s + 1];
    shard->qp = dorm__qp_workspace_new();
    shard->w = dorm__region_take_zero(&set->memory, num_features, sizeof *shard->w);
    good = shard->qp && shard->w;
  }
  return good;
}

dorm_status dorm__working_set_new(dorm_context *context, const dorm__problem *problem, dorm__scored_point *point,
                                  dorm__bounds bounds, dorm__working_set **set)
{
  *set = NULL;
  dorm__working_set *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "a working set");
  made->problem = problem;
  made->point = point;
  made->bounds = bounds;
  made->estimate = INFINITY;
  made->sets = dorm__region_take_zero(&made->memory, problem->num_queries, sizeof *made->sets);
  made->reference_loss = dorm__region_take_zero(&made->memory, problem->num_queries, sizeof *made->reference_loss);
  return DORM__GIVE(make_shards(made) ? DORM_OK : dorm__out_of_memory(context, "a working set"), set, made,
                    dorm__working_set_free);
}

void dorm__working_set_free(dorm__working_set *set)
{
  if (!set)
    return;
  for (size_t i = 0; set->sets && i < set->problem->num_queries; i++)
    dorm__columns_drop(&set->sets[i]);
  for (size_t i = 0; i < set->problem->workers.count; i++)
    dorm__pool_clear(&set->problem->workers.threads[i].vectors);
  for (size_t s = 0; set->shards && s < set->num_shards; s++) {
    dorm__qp_workspace_free(set->shards[s].qp);
    dorm__free(set->shards[s].scratch);
  }
  dorm__free(set->centre);
  dorm__region_clear(&set->memory);
  dorm__free(set);
}

dorm_status dorm__working_set_set_centre(dorm_context *context, dorm__working_set *set, const double *centre)
{
  size_t num_features = dorm__problem_width(set->problem);
  bool is_zero = true;
  for (size_t f = 0; centre && f < num_features; f++)
    is_zero = is_zero && centre[f] == 0;
  if (is_zero) {
    dorm__free(set->centre);
    set->centre = NULL;
  } else {
    if (!set->centre)
      set->centre = dorm__alloc(num_features, sizeof *set->centre);
    if (!set->centre)
      return dorm__out_of_memory(context, "a working set");
    memcpy(set->centre, centre, num_features * sizeof *set->centre);
  }
  dorm__working_set_refresh(set);
  return DORM_OK;
}

/* ---- References ------------------------------------------------------------------ */

/* Makes one reference per query, in parallel. */
static dorm_status take_references(dorm_context *context, dorm__working_set *set, const dorm__reference *reference)
{
  const dorm__problem *problem = set->problem;
#pragma omp parallel for schedule(static) num_threads((int)problem->workers.count)
  for (size_t i = 0; i < problem->num_queries; i++) {
    dorm__columns *columns = &set->sets[i];
    dorm__thread *thread = dorm__problem_thread(problem);
    if (dorm__team_skips(problem->team, i))
      continue;
    dorm_status status =
        dorm__reference_at(problem, reference, i, set->point, thread, &columns->reference, &set->reference_loss[i]);
    if (status == DORM_OK)
      dorm__columns_refill(columns, dorm__problem_width(problem), thread->sum);
    else
      status = dorm__thread_explain(dorm__team_context(problem->team), thread, problem->dataset, problem->queries[i],
                                    status);
    dorm__team_note(problem->team, i, status);
  }
  return dorm__team_settle(context, problem->team);
}

dorm_status dorm__working_set_set_reference(dorm_context *context, dorm__working_set *set,
                                            const dorm__reference *reference, const double *w)
{
  dorm__scored_point_move(set->point, w);
  dorm_status status = take_references(context, set, reference);
  if (status == DORM_OK)
    dorm__working_set_refresh(set);
  return status;
}

static void add_reference_loss(const void *user, size_t query, double *sum)
{
  const dorm__working_set *set = user;
  *sum += set->problem->weights[query] * set->reference_loss[query];
}

double dorm__working_set_reference_loss(const dorm__working_set *set)
{
  return dorm__sum_queries(set->problem, 0, add_reference_loss, set);
}

/* ---- v, w and the dual value --------------------------------------------------------- */

void dorm__working_set_scale(dorm__working_set *set, double factor)
{
  for (size_t i = 0; i < set->problem->num_queries; i++)
    for (size_t k = 0; k < set->sets[i].count; k++)
      set->sets[i].alpha[k] *= factor;
  dorm__working_set_refresh(set);
}

double dorm__working_set_dual(const dorm__working_set *set)
{
  return set->joints->dual;
}

/* Returns the sum over the processes. */
static size_t count_all(const dorm__working_set *set, size_t count)
{
  dorm__count_all(set->problem, 1, &count);
  return count;
}

size_t dorm__working_set_num_columns(const dorm__working_set *set)
{
  size_t count = 0;
  for (size_t s = 0; s < set->num_shards; s++)
    count += set->shards[s].num_columns;
  return count_all(set, count);
}

size_t dorm__working_set_num_support(const dorm__working_set *set)
{
  size_t count = 0;
  for (size_t s = 0; s < set->num_shards; s++)
    count += set->shards[s].num_support;
  return count_all(set, count);
}

/* Prunes the column sets of every shard. Returns the bytes of the remaining ones. */
static size_t prune_all(dorm__working_set *set, uint32_t limit)
{
  size_t bytes = 0;
#pragma omp parallel for schedule(static) num_threads((int)set->num_threads) reduction(+ : bytes)
  for (size_t s = 0; s < set->num_shards; s++) {
    dorm__shard *shard = &set->shards[s];
    shard->num_columns = 0;
    for (size_t i = shard->first; i < shard->end; i++) {
      dorm__columns_prune(&set->sets[i], limit);
      shard->num_columns += set->sets[i].count;
      bytes += dorm__columns_bytes(&set->sets[i]);
    }
  }
  return count_all(set, bytes);
}

void dorm__working_set_prune(dorm__working_set *set, uint32_t limit, size_t most_bytes)
{
  if (prune_all(set, limit) > most_bytes)
    prune_all(set, 1);
}

/* The terms of the residual length. */
typedef struct lengths {
  const dorm__working_set *set;
  const double *residual;
} lengths;

static void add_length(const void *user, size_t query, double *sum)
{
  const lengths *of = user;
  const dorm__problem *problem = of->set->problem;
  const size_t *start = problem->dataset->query_start + problem->queries[query];
  double of_query = 0;
  for (size_t j = start[0]; j < start[1]; j++)
    of_query += of->residual[j];
  *sum += dorm__columns_weight(&of->set->sets[query]) * sqrt(of_query * dorm__output_reach(problem, query));
}

double dorm__working_set_residual_length(const dorm__working_set *set, const double *residual)
{
  return dorm__sum_queries(set->problem, 0, add_length, &(lengths){set, residual});
}

/* ---- Record ---------------------------------------------------------------------------------------- */

/* Saves a working set in a checkpoint and restores it: the estimate of the last sequential pass, and each column's
 * Delta, alpha, idle passes and Phi. References and Gram matrices are computed again from these. */

static void put_columns(dorm__record_writer *writer, const dorm__columns *columns)
{
  dorm__record_put_count(writer, columns->count);
  for (size_t k = 0; k < columns->count; k++) {
    const dorm__vector *phi = &columns->phi[k];
    dorm__record_put_number(writer, columns->loss[k]);
    dorm__record_put_number(writer, columns->alpha[k]);
    dorm__record_put_count(writer, columns->idle[k]);
    dorm__record_put_count(writer, phi->indices != NULL);
    dorm__record_put_count(writer, phi->count);
    if (phi->indices)
      dorm__record_put_bytes(writer, phi->indices, phi->count * sizeof *phi->indices);
    dorm__record_put_numbers(writer, phi->count, phi->values);
  }
}

static bool has_shards(const dorm__working_set *set)
{
  return set->problem->blocks.is_dealt;
}

static void put_sets(const dorm__working_set *set, size_t first, size_t end, dorm__record_writer *writer)
{
  dorm__record_put_count(writer, end - first);
  for (size_t i = first; i < end; i++)
    put_columns(writer, &set->sets[i]);
}

void dorm__working_set_save(const dorm__working_set *set, size_t shard, dorm__record_writer *writer)
{
  if (shard != DORM__NO_SHARD) {
    if (has_shards(set))
      put_sets(set, set->shards[shard].first, set->shards[shard].end, writer);
    return;
  }
  dorm__record_put_count(writer, set->num_sequential);
  dorm__record_put_number(writer, set->estimate);
  if (!has_shards(set))
    put_sets(set, 0, set->problem->num_queries, writer);
}

/* Reads columns with indices, or of all features. Returns false when out of memory. */
static bool take_columns(dorm__record_reader *reader, size_t num_features, bool has_indices, dorm__columns *columns)
{
  size_t count = dorm__record_take_count(reader);
  for (size_t k = 0; k < count && !reader->is_bad; k++) {
    double loss = dorm__record_take_number(reader);
    double alpha = dorm__record_take_number(reader);
    uint32_t idle = (uint32_t)dorm__record_take_count(reader);
    bool is_sparse = dorm__record_take_count(reader) != 0;
    size_t size = dorm__record_take_count(reader);
    dorm__vector phi = {0};
    reader->is_bad =
        reader->is_bad || is_sparse != has_indices || size > num_features || (!is_sparse && size < num_features);
    if (reader->is_bad)
      return true;
    if (!dorm__vector_reserve(&phi, size, is_sparse))
      return false;
    phi.count = size;
    if (is_sparse) {
      const uint32_t *indices = dorm__record_take(reader, size, sizeof *indices);
      for (size_t e = 0; indices && e < size; e++) {
        memcpy(&phi.indices[e], (const char *)indices + e * sizeof *indices, sizeof *indices);
        reader->is_bad = reader->is_bad || phi.indices[e] >= num_features;
      }
    }
    dorm__record_take_numbers(reader, size, phi.values);
    if (reader->is_bad || !dorm__columns_add_bare(columns, &phi, loss, alpha, idle)) {
      dorm__vector_clear(&phi);
      return reader->is_bad;
    }
  }
  return true;
}

/* Reads column sets. Returns false when out of memory. */
static bool take_sets(dorm__working_set *set, size_t first, size_t end, dorm__record_reader *reader)
{
  reader->is_bad = reader->is_bad || dorm__record_take_count(reader) != end - first;
  bool has_indices = set->problem->features->row_start;
  for (size_t i = first; i < end && !reader->is_bad; i++)
    if (!take_columns(reader, dorm__problem_width(set->problem), has_indices, &set->sets[i]))
      return false;
  return true;
}

bool dorm__working_set_restore(dorm__working_set *set, size_t shard, dorm__record_reader *reader)
{
  if (shard != DORM__NO_SHARD)
    return !has_shards(set) || take_sets(set, set->shards[shard].first, set->shards[shard].end, reader);
  set->num_sequential = dorm__record_take_count(reader);
  set->estimate = dorm__record_take_number(reader);
  return has_shards(set) || take_sets(set, 0, set->problem->num_queries, reader);
}
