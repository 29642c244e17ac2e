/*
 * stream.c: learning from queries that come one after the other, for ever. With C_t = C, or C / max(t, prior) where C
 * is divided by the number t of queries so far, the problem of the first t queries is that of solver.h,
 *
 *   min over w of 1/2 |w - base|^2 + C_t sum_i xi_i,      w = base + sum_i sum_k alpha_ik psi_ik,  sum_k alpha_ik <=
 * C_t.
 *
 * A query that comes gets the most violated ranking at the present w as a column, and its dual is solved exactly, as in
 * a sequential pass (sweeps.c): a step of the block-coordinate Frank-Wolfe method (Lacoste-Julien, Jaggi, Schmidt and
 * Pletscher 2013), and, where C is not divided, a passive-aggressive update (PA-I of Crammer, Dekel, Keshet,
 * Shalev-Shwartz and Singer 2006). The last queries, the window, keep rows and columns and may be visited again. A
 * query that leaves keeps its alpha, whose part of w stays; so the dual variables of all queries are feasible at all
 * times, and one pass over a finite stream is one sequential pass of the batch dual.
 *
 * Where C is divided by t, every alpha shrinks by (t - 1) / t with each query, which keeps it feasible: this is dual
 * averaging, whose regret grows like log t (Shalev-Shwartz and Kakade 2008). alpha and v are kept in units of scale = 1
 * / max(t, prior), in which nothing shrinks. Before query number `prior` they do not shrink: then the problem is that
 * of `prior` queries, of which those that have not come yet cost nothing, so that the first ones do not have all of C
 * to themselves.
 *
 * The subgradient step has no choice of alpha: all of C goes to the new column, w <- (1 - 1/t) w + C/t psi from
 * query number `prior` on, which is Pegasos (Shalev-Shwartz, Singer and Srebro 2007) for lambda = 1 / C without its
 * projection.
 */
#include "solver/stream.h"
#include "base/linalg.h"
#include "solver/outputs.h"
#include "solver/reference.h"
#include "solver/stream_parts.h"

#include <math.h>
#include <string.h>

/* ---- Making and freeing -------------------------------------------------------- */

dorm_status dorm__stream_new(dorm_context *context, const dorm__stream_options *options, dorm__stream **stream)
{
  *stream = NULL;
  dorm__stream *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "a stream");
  made->options = *options;
  made->scale = 1;
  made->slots = dorm__alloc_zero(options->window + 1, sizeof *made->slots);
  made->qp = dorm__qp_workspace_new();
  dorm_status status =
      made->slots && made->qp ? dorm__stream_reserve(context, made, 1, 1) : dorm__out_of_memory(context, "a stream");
  if (status == DORM_OK)
    *stream = made;
  else
    dorm__stream_free(made);
  return status;
}

static void clear_slot(dorm__stream_slot *slot)
{
  dorm__vector_clear(&slot->columns.reference);
  for (size_t k = 0; k < slot->columns.count; k++)
    dorm__vector_clear(&slot->columns.phi[k]);
  dorm__columns_drop(&slot->columns);
  dorm__oracle_plan_free(slot->plan);
  dorm__free(slot->c_table);
  dorm__loss_tables_free(slot->tables);
  dorm__features_free(&slot->features);
  dorm_dataset_free(slot->dataset);
  *slot = (dorm__stream_slot){0};
}

void dorm__stream_free(dorm__stream *stream)
{
  if (!stream)
    return;
  for (size_t i = 0; stream->slots && i <= stream->options.window; i++)
    clear_slot(&stream->slots[i]);
  dorm__thread_clear(&stream->thread);
  dorm__qp_workspace_free(stream->qp);
  dorm__free(stream->slots);
  dorm__free(stream->scratch);
  dorm__free(stream->base);
  dorm__free(stream->v);
  dorm__free(stream->w);
  dorm__free(stream);
}

uint64_t dorm__stream_num_trained(const dorm__stream *stream)
{
  return stream->num_trained;
}

const double *dorm__stream_weights(const dorm__stream *stream, size_t *width)
{
  *width = stream->width;
  return stream->w;
}

size_t dorm__stream_num_kept(const dorm__stream *stream)
{
  return stream->num_taken < stream->options.window ? (size_t)stream->num_taken : stream->options.window;
}

dorm__stream_slot *dorm__stream_slot_at(const dorm__stream *stream, size_t index)
{
  uint64_t oldest = stream->num_taken - dorm__stream_num_kept(stream);
  return &stream->slots[(oldest + index) % (stream->options.window + 1)];
}

/* Sets w to base + scale v. */
static void set_w(dorm__stream *stream)
{
  memcpy(stream->w, stream->base, stream->width * sizeof *stream->w);
  dorm__add_scaled(stream->width, stream->scale, stream->v, stream->w);
}

/* ---- Features that are new ------------------------------------------------------- */

/* Moves a dense vector to the pool of wider ones. */
static bool widen_vector(dorm__vector *vector, size_t width, dorm__pool *pool)
{
  dorm__vector wide = {0};
  if (!vector->values || vector->indices)
    return true;
  if (!dorm__vector_take(&wide, width, pool)) {
    *vector = wide;
    return false;
  }
  memset(wide.values, 0, width * sizeof *wide.values);
  memcpy(wide.values, vector->values, vector->count * sizeof *wide.values);
  wide.count = width;
  *vector = wide; /* the values before are cleared with their pool */
  return true;
}

static bool widen_rows(dorm__features *features, size_t width)
{
  size_t old = features->num_features;
  features->num_features = width;
  if (features->row_start || old == width)
    return true;
  float *values = dorm__alloc_zero(features->num_docs, width * sizeof *values);
  if (!values) {
    features->num_features = old;
    return false;
  }
  for (size_t j = 0; j < features->num_docs; j++)
    memcpy(values + j * width, features->values + j * old, old * sizeof *values);
  dorm__free(features->values);
  features->values = values;
  return true;
}

/* Makes dense rows and columns of the window as wide as w. */
static bool widen_slots(dorm__stream *stream, size_t width, dorm__pool *pool)
{
  bool is_good = true;
  for (size_t i = 0; i <= stream->options.window; i++) {
    dorm__stream_slot *slot = &stream->slots[i];
    if (!slot->dataset)
      continue;
    is_good = widen_rows(&slot->features, width) && is_good;
    is_good = widen_vector(&slot->columns.reference, width, pool) && is_good;
    for (size_t k = 0; k < slot->columns.count; k++)
      is_good = widen_vector(&slot->columns.phi[k], width, pool) && is_good;
  }
  return is_good;
}

static bool widen_array(double **array, size_t old, size_t count)
{
  double *larger = dorm__realloc(*array, count, sizeof *larger);
  if (!larger)
    return false;
  memset(larger + old, 0, (count - old) * sizeof *larger);
  *array = larger;
  return true;
}

/* Makes the scratch anew. The pool of the dense vectors stays unless these become wider. */
static dorm_status replace_thread(dorm_context *context, dorm__stream *stream, size_t max_docs, size_t capacity,
                                  bool is_wider)
{
  dorm__thread *thread = &stream->thread;
  dorm__pool before = thread->vectors;
  thread->vectors = (dorm__pool){0};
  dorm__thread_clear(thread);
  dorm_status status = dorm__thread_init(context, max_docs, 1, capacity, stream->options.is_sparse, thread);
  if (status != DORM_OK || !is_wider) {
    thread->vectors = before; /* nothing was taken from the new one */
  } else {
    bool is_good = widen_slots(stream, capacity, &thread->vectors);
    dorm__pool_clear(&before);
    status = is_good ? DORM_OK : dorm__out_of_memory(context, "new features");
  }
  if (status == DORM_OK && stream->options.checks_oracles)
    dorm__oracle_workspace_set_check(thread->workspace, true);
  return status;
}

dorm_status dorm__stream_reserve(dorm_context *context, dorm__stream *stream, size_t num_docs, size_t width)
{
  bool is_sparse = stream->options.is_sparse;
  size_t max_docs = num_docs > stream->max_docs ? 2 * num_docs : stream->max_docs;
  size_t capacity = stream->capacity;
  if (width > capacity)
    capacity = is_sparse ? 2 * width : width;
  if (capacity > stream->capacity) {
    if (!widen_array(&stream->base, stream->capacity, capacity) ||
        !widen_array(&stream->v, stream->capacity, capacity) || !widen_array(&stream->w, stream->capacity, capacity))
      return dorm__out_of_memory(context, "new features");
  }
  dorm_status status = DORM_OK;
  if (capacity > stream->capacity || max_docs > stream->max_docs)
    status = replace_thread(context, stream, max_docs, capacity, !is_sparse && capacity > stream->capacity);
  if (status != DORM_OK)
    return status;
  stream->max_docs = max_docs;
  stream->capacity = capacity;
  stream->width = width > stream->width ? width : stream->width;
  return DORM_OK;
}

dorm_status dorm__stream_start_at(dorm_context *context, dorm__stream *stream, size_t width, const double *base)
{
  dorm_status status = dorm__stream_reserve(context, stream, 1, width);
  if (status == DORM_OK) {
    memcpy(stream->base, base, width * sizeof *base);
    set_w(stream);
  }
  return status;
}

/* ---- One query -------------------------------------------------------------------- */

dorm_status dorm__stream_open_slot(dorm_context *context, dorm__stream *stream, dorm__stream_slot *slot)
{
  const dorm__stream_options *options = &stream->options;
  size_t num_docs = slot->dataset->num_docs;
  dorm__problem_options asked = {.position_weights = options->position_weights, .method = options->method};
  dorm_status status = dorm__loss_tables_build(context, options->loss, slot->dataset, 1, &slot->tables);
  if (status != DORM_OK)
    return status;
  slot->weight = 1;
  slot->depth = num_docs;
  slot->problem = (dorm__problem){.dataset = slot->dataset,
                                  .features = &slot->features,
                                  .losses = slot->tables,
                                  .num_queries = 1,
                                  .queries = &slot->number,
                                  .weights = &slot->weight,
                                  .total_weight = 1,
                                  .c = &slot->c,
                                  .depth = &slot->depth,
                                  .plans = &slot->plan,
                                  .max_docs = num_docs,
                                  .num_threads = 1,
                                  .threads = &stream->thread};
  if (!dorm__loss_tables_query(slot->tables, 0)->trains)
    return DORM_OK;
  if (options->position_weights->kind != DORM__WEIGHTS_OF_LOSS) {
    slot->c_table = dorm__alloc(num_docs, sizeof *slot->c_table);
    if (!slot->c_table)
      return dorm__out_of_memory(context, "position weights");
    dorm__position_weights_fill(options->position_weights, num_docs, slot->c_table);
    slot->problem.c_table = slot->c_table;
  }
  return dorm__problem_make_plan(context, &slot->problem, 0, &asked);
}

/* The message of a status that a query ended with. */
static dorm_status explain(dorm_context *context, const dorm__stream *stream, const dorm__stream_slot *slot,
                           dorm_status status)
{
  return dorm__thread_explain(context, &stream->thread, slot->dataset, 0, status);
}

/* Divides C, and so v, by the number of queries that train, but by `prior` at least. */
static void divide(dorm__stream *stream)
{
  double scale = 1 / fmax((double)stream->num_trained, (double)stream->options.prior);
  if (scale == stream->scale)
    return;
  stream->scale = scale;
  set_w(stream);
}

dorm_status dorm__stream_offer(dorm_context *context, dorm__stream *stream, dorm_dataset *query,
                               dorm__features *features, const double **scores)
{
  dorm__stream_slot *slot = &stream->slots[stream->num_taken % (stream->options.window + 1)];
  clear_slot(slot);
  dorm_status status = dorm__stream_reserve(context, stream, query->num_docs, features->num_features);
  slot->dataset = query;
  slot->features = *features;
  *features = (dorm__features){0};
  *scores = NULL;
  if (status == DORM_OK)
    status = dorm__stream_open_slot(context, stream, slot);
  if (status != DORM_OK) {
    clear_slot(slot);
    return status;
  }
  stream->num_taken++;
  if (dorm__loss_tables_query(slot->tables, 0)->trains) {
    stream->num_trained++;
    if (stream->options.is_mean)
      divide(stream);
  }
  dorm__features_score(&slot->features, 0, query->num_docs, stream->w, stream->thread.scores);
  *scores = stream->thread.scores;
  return DORM_OK;
}

static bool reserve_scratch(dorm__stream *stream, size_t count)
{
  if (count <= stream->scratch_size)
    return true;
  double *larger = dorm__realloc(stream->scratch, 2 * count, 3 * sizeof *larger);
  if (!larger)
    return false;
  stream->scratch = larger;
  stream->scratch_size = 2 * count;
  return true;
}

/* Adds change [count] to alpha's part of v and w. */
static void move(dorm__stream *stream, const dorm__columns *columns, double *change)
{
  dorm__columns_add_psi(columns, change, stream->v);
  for (size_t k = 0; k < columns->count; k++)
    change[k] *= stream->scale;
  dorm__columns_add_psi(columns, change, stream->w);
}

/* In units of 1 / scale the dual of one query is 1/2 alpha' H alpha - h' alpha with h = margins / scale + H alpha. */
bool dorm__stream_solve_slot(dorm__stream *stream, dorm__stream_slot *slot, double *own_gap)
{
  dorm__columns *columns = &slot->columns;
  *own_gap = 0;
  if (!columns->count)
    return true;
  if (!reserve_scratch(stream, columns->count))
    return false;
  double *margins = stream->scratch;
  double *h = margins + stream->scratch_size;
  double *change = h + stream->scratch_size;
  double most = dorm__columns_margins(columns, stream->w, margins);
  *own_gap = stream->options.C * most;
  for (size_t k = 0; k < columns->count; k++) {
    double own = 0;
    for (size_t m = 0; m < columns->count; m++)
      own += columns->gram[k * columns->capacity + m] * columns->alpha[m];
    h[k] = margins[k] / stream->scale + own;
    change[k] = -columns->alpha[k];
    *own_gap -= columns->alpha[k] * margins[k];
  }
  *own_gap *= stream->scale;
  if (!(*own_gap > 0))
    return true;
  if (!dorm__qp_solve(stream->qp, columns->count, columns->capacity, columns->gram, h, stream->options.C,
                      columns->alpha))
    return false;
  for (size_t k = 0; k < columns->count; k++)
    change[k] += columns->alpha[k];
  move(stream, columns, change);
  return true;
}

/* Adds the most violated ranking at w, whose scores are in thread->scores if `is_scored`, if its margin is above those
 * of the columns. *margin becomes its margin. */
static dorm_status add_violated(dorm__stream *stream, dorm__stream_slot *slot, bool is_scored, double *margin)
{
  dorm__columns *columns = &slot->columns;
  const double *weights = NULL;
  double loss = 0, value = 0;
  dorm_status status = dorm__output_violation(&slot->problem, 0, NULL, is_scored ? NULL : stream->w, &stream->thread,
                                              &weights, &loss, &value);
  if (status != DORM_OK)
    return status;
  *margin = value - dorm__vector_dot(&columns->reference, stream->w);
  if (!(*margin > dorm__columns_margins(columns, stream->w, NULL)))
    return DORM_OK;
  dorm__vector phi = {0};
  if (dorm__output_vector(&slot->problem, 0, weights, &stream->thread, &phi) &&
      dorm__columns_add(columns, slot->features.num_features, &phi, loss, stream->thread.sum))
    return DORM_OK;
  dorm__vector_clear(&phi);
  return DORM_OUT_OF_MEMORY;
}

dorm_status dorm__stream_visit(dorm_context *context, dorm__stream *stream, dorm__stream_slot *slot, double *own_gap)
{
  double margin = 0;
  *own_gap = 0;
  if (!dorm__loss_tables_query(slot->tables, 0)->trains)
    return DORM_OK;
  dorm_status status = add_violated(stream, slot, false, &margin);
  if (status == DORM_OK && !dorm__stream_solve_slot(stream, slot, own_gap))
    status = DORM_OUT_OF_MEMORY;
  return explain(context, stream, slot, status);
}

/* Takes the step of the query that was offered, whose scores at w are known. */
static dorm_status take_step(dorm__stream *stream, dorm__stream_slot *slot)
{
  double margin = 0, gap = 0, ignored = 0;
  dorm_status status = dorm__reference_at(&slot->problem, &stream->options.reference, 0, NULL, &stream->thread,
                                          &slot->columns.reference, &ignored);
  if (status == DORM_OK)
    status = add_violated(stream, slot, dorm__reference_moves(&stream->options.reference), &margin);
  slot->hinge = fmax(0, margin);
  if (status != DORM_OK || !slot->columns.count)
    return status;
  if (!stream->options.is_subgradient)
    return dorm__stream_solve_slot(stream, slot, &gap) ? DORM_OK : DORM_OUT_OF_MEMORY;
  double change = slot->columns.alpha[0] = stream->options.C;
  move(stream, &slot->columns, &change);
  return DORM_OK;
}

/* The window's query for a visit: multiples of the golden ratio, mod 1, spread evenly. */
static size_t choose_visit(const dorm__stream *stream, size_t visit, size_t count)
{
  uint64_t number = stream->num_taken * stream->options.visits + visit;
  return (size_t)((number * UINT64_C(0x9e3779b97f4a7c15) >> 32) * count >> 32);
}

dorm_status dorm__stream_learn(dorm_context *context, dorm__stream *stream)
{
  size_t count = dorm__stream_num_kept(stream);
  dorm__stream_slot *slot = dorm__stream_slot_at(stream, count - 1);
  if (!dorm__loss_tables_query(slot->tables, 0)->trains)
    return DORM_OK;
  dorm_status status = explain(context, stream, slot, take_step(stream, slot));
  for (size_t i = 0; status == DORM_OK && i < stream->options.visits; i++) {
    double gap;
    status = dorm__stream_visit(context, stream, dorm__stream_slot_at(stream, choose_visit(stream, i, count)), &gap);
  }
  return status;
}
