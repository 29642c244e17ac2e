/*
 * window.c: how far the w of a stream is from the best one for its window, by the duality gap of the window's problem,
 * and what the best fixed w would have cost on the window (the regret). The best w is found by sequential passes over
 * the window and sweeps over its columns, until a pass at a fixed w certifies it; then alpha, v and w become again what
 * they were and the new columns go, so that a report changes nothing.
 */
#include "base/linalg.h"
#include "solver/outputs.h"
#include "solver/stream.h"
#include "solver/stream_parts.h"

#include <math.h>
#include <string.h>

enum { SWEEPS_A_PASS = 20 };
static const double inner_share = 0.1; /* of the gap, at which the sweeps between two passes stop */

/* alpha and w as they were before the window was solved. */
typedef struct remembered {
  size_t *counts; /* [kept] columns of each query */
  double *alpha;  /* of all queries, one after the other */
  double *v, *w;  /* [width] */
} remembered;

static void forget(remembered *before)
{
  dorm__free(before->counts);
  dorm__free(before->alpha);
  dorm__free(before->v);
  dorm__free(before->w);
  *before = (remembered){0};
}

static dorm_status remember(dorm_context *context, const dorm__stream *stream, remembered *before)
{
  size_t kept = dorm__stream_num_kept(stream), width = stream->width, total = 0;
  for (size_t i = 0; i < kept; i++)
    total += dorm__stream_slot_at(stream, i)->columns.count;
  *before = (remembered){.counts = dorm__alloc(kept, sizeof *before->counts),
                         .alpha = dorm__alloc(total, sizeof *before->alpha),
                         .v = dorm__alloc(width, sizeof *before->v),
                         .w = dorm__alloc(width, sizeof *before->w)};
  if (!before->counts || !before->alpha || !before->v || !before->w) {
    forget(before);
    return dorm__out_of_memory(context, "a report");
  }
  size_t at = 0;
  for (size_t i = 0; i < kept; i++) {
    const dorm__columns *columns = &dorm__stream_slot_at(stream, i)->columns;
    before->counts[i] = columns->count;
    if (columns->count)
      memcpy(before->alpha + at, columns->alpha, columns->count * sizeof *columns->alpha);
    at += columns->count;
  }
  memcpy(before->v, stream->v, width * sizeof *before->v);
  memcpy(before->w, stream->w, width * sizeof *before->w);
  return DORM_OK;
}

static void restore(dorm__stream *stream, const remembered *before)
{
  size_t at = 0;
  for (size_t i = 0; i < dorm__stream_num_kept(stream); i++) {
    dorm__columns *columns = &dorm__stream_slot_at(stream, i)->columns;
    while (columns->count > before->counts[i])
      dorm__vector_clear(&columns->phi[--columns->count]);
    if (columns->count)
      memcpy(columns->alpha, before->alpha + at, columns->count * sizeof *columns->alpha);
    at += columns->count;
  }
  memcpy(stream->v, before->v, stream->width * sizeof *before->v);
  memcpy(stream->w, before->w, stream->width * sizeof *before->w);
}

/* The values of the window's problem at w and alpha. */
typedef struct values {
  double primal, dual, gap;
  double hinge; /* sum over the window */
} values;

/* The hinge of a query at w. */
static dorm_status find_hinge(dorm_context *context, dorm__stream *stream, dorm__stream_slot *slot, double *hinge)
{
  const double *weights = NULL;
  double loss = 0, value = 0;
  dorm_status status =
      dorm__output_violation(&slot->problem, 0, NULL, stream->w, &stream->thread, &weights, &loss, &value);
  *hinge = fmax(0, value - dorm__vector_dot(&slot->columns.reference, stream->w));
  return dorm__thread_explain(context, &stream->thread, slot->dataset, 0, status);
}

/* A pass at the present w. With u = scale sum alpha psi over the window, w0 = w - u, primal = 1/2 |u|^2 + C_t sum xi,
 * and dual = scale sum alpha Delta - <w, u> + 1/2 |u|^2. u [width] is scratch. */
static dorm_status certify(dorm_context *context, dorm__stream *stream, double *u, values *found)
{
  dorm_status status = DORM_OK;
  double losses = 0;
  *found = (values){0};
  memset(u, 0, stream->width * sizeof *u);
  for (size_t i = 0; status == DORM_OK && i < dorm__stream_num_kept(stream); i++) {
    dorm__stream_slot *slot = dorm__stream_slot_at(stream, i);
    const dorm__columns *columns = &slot->columns;
    double hinge = 0;
    if (!dorm__loss_tables_query(slot->tables, 0)->trains)
      continue;
    status = find_hinge(context, stream, slot, &hinge);
    found->hinge += hinge;
    dorm__columns_add_psi(columns, columns->alpha, u);
    for (size_t k = 0; k < columns->count; k++)
      losses += columns->alpha[k] * columns->loss[k];
  }
  double square = stream->scale * stream->scale * dorm__dot(stream->width, u, u);
  double product = stream->scale * dorm__dot(stream->width, stream->w, u);
  found->primal = square / 2 + stream->scale * stream->options.C * found->hinge;
  found->dual = stream->scale * losses - product + square / 2;
  found->gap = found->primal > found->dual ? (found->primal - found->dual) / found->primal : 0;
  return status;
}

/* One sequential pass over the window, then sweeps until the queries' own gaps add up to `enough` at most. */
static dorm_status improve(dorm_context *context, dorm__stream *stream, double enough)
{
  dorm_status status = DORM_OK;
  size_t kept = dorm__stream_num_kept(stream);
  for (size_t i = 0; status == DORM_OK && i < kept; i++) {
    double own_gap;
    status = dorm__stream_visit(context, stream, dorm__stream_slot_at(stream, i), &own_gap);
  }
  double gap = INFINITY;
  for (size_t sweep = 0; status == DORM_OK && sweep < SWEEPS_A_PASS && gap > enough; sweep++) {
    gap = 0;
    for (size_t i = 0; status == DORM_OK && i < kept; i++) {
      double own_gap;
      if (!dorm__stream_solve_slot(stream, dorm__stream_slot_at(stream, i), &own_gap))
        status = dorm__out_of_memory(context, "a report");
      gap += own_gap;
    }
  }
  return status;
}

dorm_status dorm__stream_report(dorm_context *context, dorm__stream *stream, double gap, size_t most_passes,
                                dorm__window_report *report)
{
  remembered before;
  values now, best;
  size_t kept = dorm__stream_num_kept(stream), num_trained = 0;
  double online = 0;
  *report = (dorm__window_report){0};
  double *u = dorm__alloc(stream->width, sizeof *u);
  dorm_status status = u ? remember(context, stream, &before) : dorm__out_of_memory(context, "a report");
  if (status != DORM_OK) {
    dorm__free(u);
    return status;
  }
  status = certify(context, stream, u, &now);
  best = now;
  for (size_t i = 0; status == DORM_OK && i < most_passes && best.gap > gap; i++) {
    status = improve(context, stream, inner_share * gap * best.primal);
    if (status == DORM_OK)
      status = certify(context, stream, u, &best);
  }
  restore(stream, &before);
  forget(&before);
  dorm__free(u);
  for (size_t i = 0; i < kept; i++) {
    const dorm__stream_slot *slot = dorm__stream_slot_at(stream, i);
    num_trained += dorm__loss_tables_query(slot->tables, 0)->trains;
    online += slot->hinge;
  }
  double count = num_trained ? (double)num_trained : 1;
  *report = (dorm__window_report){.num_queries = num_trained,
                                  .primal = now.primal,
                                  .dual = now.dual,
                                  .gap = now.gap,
                                  .best_primal = best.primal,
                                  .best_dual = best.dual,
                                  .best_gap = best.gap,
                                  .online = online / count,
                                  .best = best.hinge / count};
  return status;
}
