/*
 * gradient.c: back-propagation of λ. The queries of a batch are cut into pieces, whose number and bounds depend only
 * on the batch. One thread processes a piece, block by block. It computes the scores of the rows and λ of each query,
 * and goes back while the rows are in the cache. The sums of the pieces are added in order, so the result does not
 * depend on the number of threads.
 */
#include "base/linalg.h"
#include "base/team.h"
#include "nets/block.h"
#include "nets/nets.h"

#include <math.h>
#include <omp.h>
#include <string.h>

/* A piece takes about a tenth of a millisecond, since a batch of a few queries is to occupy many threads. */
enum { MOST_PIECES = 16, OPERATIONS_PER_PIECE = 200000 };

static const double largest_score = 1e100; /* squares of larger scores, and soon the scores, overflow */

/* The scratch space of one thread. */
typedef struct gradient_thread {
  dorm__net_block block;
  dorm__lambda_workspace *workspace;
  double *lambdas;   /* [room of the block] */
  double *curvature; /* [documents of the largest query] */
} gradient_thread;

struct dorm__net_gradient {
  dorm__region memory; /* of the arrays below and of the threads */
  const dorm_dataset *dataset;
  const dorm__lambda *lambda;
  size_t size; /* number of weights */
  size_t num_threads;
  gradient_thread *threads; /* [num_threads] */
  double *slopes;           /* [MOST_PIECES][size] */
  dorm__team *team;
};

void dorm__net_gradient_free(dorm__net_gradient *gradient)
{
  if (!gradient)
    return;
  for (size_t i = 0; gradient->threads && i < gradient->num_threads; i++) {
    dorm__net_block_clear(&gradient->threads[i].block);
    dorm__lambda_workspace_free(gradient->threads[i].workspace);
  }
  dorm__region_clear(&gradient->memory);
  dorm__team_free(gradient->team);
  dorm__free(gradient);
}

static dorm_status thread_open(dorm_context *context, dorm__net_gradient *gradient, const dorm__features *rows,
                               size_t hidden, gradient_thread *thread)
{
  size_t max_docs = dorm__dataset_max_docs(gradient->dataset);
  size_t room = dorm__net_block_room(rows->num_features, max_docs);
  thread->lambdas = dorm__region_take_zero(&gradient->memory, room, sizeof *thread->lambdas);
  thread->curvature = dorm__region_take_zero(&gradient->memory, max_docs, sizeof *thread->curvature);
  return DORM__ALL(gradient->memory.is_short ? dorm__out_of_memory(context, "a net") : DORM_OK,
                   dorm__net_block_new(context, rows, hidden, room, &thread->block),
                   dorm__lambda_workspace_new(context, gradient->lambda, &thread->workspace));
}

void dorm__net_gradient_set_round(dorm__net_gradient *gradient, uint64_t round)
{
  for (size_t i = 0; i < gradient->num_threads; i++)
    dorm__lambda_workspace_set_round(gradient->threads[i].workspace, round);
}

dorm_status dorm__net_gradient_new(dorm_context *context, const dorm_dataset *dataset, const dorm__features *rows,
                                   const dorm__lambda *lambda, size_t hidden, size_t num_threads,
                                   dorm__net_gradient **gradient)
{
  dorm__net_gradient *made = dorm__alloc_zero(1, sizeof *made);
  *gradient = NULL;
  if (!made)
    return dorm__out_of_memory(context, "a net");
  *made = (dorm__net_gradient){.dataset = dataset,
                               .lambda = lambda,
                               .size = dorm__net_size(rows->num_features, hidden),
                               .num_threads = num_threads};
  made->threads = dorm__region_take_zero(&made->memory, num_threads, sizeof *made->threads);
  made->slopes = dorm__region_take_zero(&made->memory, MOST_PIECES, made->size * sizeof *made->slopes);
  dorm_status status = made->memory.is_short ? dorm__out_of_memory(context, "a net")
                                           : dorm__team_new(context, num_threads, "a net", &made->team);
  for (size_t i = 0; status == DORM_OK && i < num_threads; i++)
    status = thread_open(context, made, rows, hidden, &made->threads[i]);
  return DORM__GIVE(status, gradient, made, dorm__net_gradient_free);
}

/* Computes λ of the queries of a block at its scores, times the weights of the queries. */
static dorm_status fill_lambdas(dorm_context *context, const dorm__net_gradient *gradient, gradient_thread *thread,
                                size_t count, const size_t *queries, dorm__net_pass *pass)
{
  const size_t *start = gradient->dataset->query_start;
  dorm_status status = DORM_OK;
  for (size_t i = 0, at = 0; status == DORM_OK && i < count; i++) {
    double cost;
    size_t num_pairs;
    size_t num_docs = start[queries[i] + 1] - start[queries[i]];
    for (size_t j = 0; j < num_docs; j++)
      if (!(fabs(thread->block.scores[at + j]) <= largest_score))
        return dorm__fail(context, DORM_NUMERICAL_FAILURE, "query '%.80s': the scores left the range of numbers",
                          dorm_dataset_query_id(gradient->dataset, queries[i]));
    status = dorm__lambda_at(context, gradient->lambda, queries[i], thread->block.scores + at, thread->workspace,
                             &(const dorm__lambda_result){thread->lambdas + at, thread->curvature, &cost, &num_pairs});
    double weight = dorm_dataset_query_weight(gradient->dataset, queries[i]);
    for (size_t j = 0; status == DORM_OK && j < num_docs; j++)
      thread->lambdas[at + j] *= weight;
    if (status == DORM_OK) {
      pass->cost += weight * cost;
      pass->num_pairs += num_pairs;
    }
    at += num_docs;
  }
  return status;
}

/* Fills the next block. Returns its number of queries, at least 1. */
static size_t fill_block(const dorm__net_gradient *gradient, size_t count, const size_t *queries,
                         dorm__net_block *block)
{
  const size_t *start = gradient->dataset->query_start;
  size_t taken = 0;
  block->num_docs = 0;
  for (; taken < count; taken++) {
    size_t num_docs = start[queries[taken] + 1] - start[queries[taken]];
    if (block->num_docs + num_docs > block->room)
      break;
    dorm__net_block_add(block, start[queries[taken]], num_docs);
  }
  return taken;
}

/* Adds one piece to its slope and its pass, which are 0 before. */
static dorm_status add_piece(dorm_context *context, const dorm__net_gradient *gradient, const dorm__net *net,
                             size_t count, const size_t *queries, double *slope, dorm__net_pass *pass)
{
  gradient_thread *thread = &gradient->threads[omp_get_thread_num()];
  dorm_status status = DORM_OK;
  for (size_t done = 0, taken; status == DORM_OK && done < count; done += taken) {
    taken = fill_block(gradient, count - done, queries + done, &thread->block);
    dorm__net_block_forward(&thread->block, net);
    status = fill_lambdas(context, gradient, thread, taken, queries + done, pass);
    if (status == DORM_OK)
      dorm__net_block_backward(&thread->block, net, thread->lambdas, slope);
  }
  return status;
}

/* Returns the number of pieces, such that each is large enough for a thread. */
static size_t count_pieces(const dorm__net_gradient *gradient, size_t count, const size_t *queries)
{
  const size_t *start = gradient->dataset->query_start;
  size_t num_docs = 0;
  for (size_t i = 0; i < count; i++)
    num_docs += start[queries[i] + 1] - start[queries[i]];
  double pieces = (double)num_docs * (double)gradient->size / OPERATIONS_PER_PIECE;
  pieces = fmin(fmin(pieces, MOST_PIECES), (double)count);
  return pieces > 1 ? (size_t)pieces : 1;
}

dorm_status dorm__net_slope(dorm_context *context, dorm__net_gradient *gradient, const dorm__net *net, size_t count,
                            const size_t *queries, double *slope, dorm__net_pass *pass)
{
  size_t size = gradient->size;
  size_t num_pieces = count_pieces(gradient, count, queries);
  size_t num_threads = gradient->num_threads < num_pieces ? gradient->num_threads : num_pieces;
  dorm__net_pass passes[MOST_PIECES] = {{0}};
#pragma omp parallel for schedule(dynamic, 1) num_threads((int)num_threads) if (num_threads > 1)
  for (size_t i = 0; i < num_pieces; i++) {
    size_t first = i * count / num_pieces;
    size_t end = (i + 1) * count / num_pieces;
    memset(gradient->slopes + i * size, 0, size * sizeof *slope);
    if (!dorm__team_skips(gradient->team, i))
      dorm__team_note(gradient->team, i,
                      add_piece(dorm__team_context(gradient->team), gradient, net, end - first, queries + first,
                                gradient->slopes + i * size, &passes[i]));
  }
  dorm_status status = dorm__team_settle(context, gradient->team);
  memcpy(slope, gradient->slopes, size * sizeof *slope);
  *pass = passes[0];
  for (size_t i = 1; i < num_pieces; i++) {
    dorm__add_scaled(size, 1, gradient->slopes + i * size, slope);
    pass->cost += passes[i].cost;
    pass->num_pairs += passes[i].num_pairs;
  }
  return status;
}
