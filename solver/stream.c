/*
 * stream.c: learns online, one query at a time. Query number t, with the most violated ranking at the present w and psi
 * = Phi(reference) - Phi(ranking), changes w by a subgradient step,
 *
 *   w - base <- (1 - 1/t) (w - base) + C/t psi,
 *
 * which is Pegasos (Shalev-Shwartz, Singer and Srebro 2007) for lambda = 1 / C, without its projection. psi = 0 if no
 * ranking is violated. So w = base + C/t sum psi. This is a dual point of the problem of the first t queries
 * (solver.h), in which every query has all of its C/t on one ranking.
 *
 * For t < prior, the step is w <- w + C/prior psi. Otherwise the first queries would share all of C.
 */
#include "solver/stream.h"
#include "base/linalg.h"
#include "solver/problem.h"

#include <math.h>
#include <string.h>

struct dorm__stream {
  dorm__stream_options options;
  size_t width; /* features so far */
  double *base; /* [width] */
  double *v;    /* [width] C sum psi */
  double *w;    /* [width] base + scale v */
  double scale; /* 1/t, or 1/prior */
  uint64_t num_trained;
};

dorm_status dorm__stream_new(dorm_context *context, const dorm__stream_options *options, dorm__stream **stream)
{
  *stream = NULL;
  dorm__stream *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "a stream");
  *made = (dorm__stream){.options = *options,
                         .base = dorm__alloc(0, sizeof *made->base),
                         .v = dorm__alloc(0, sizeof *made->v),
                         .w = dorm__alloc(0, sizeof *made->w)};
  bool is_whole = made->base && made->v && made->w;
  return DORM__GIVE(is_whole ? DORM_OK : dorm__out_of_memory(context, "a stream"), stream, made, dorm__stream_free);
}

void dorm__stream_free(dorm__stream *stream)
{
  if (!stream)
    return;
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

/* ---- Weights ---------------------------------------------------------------------- */

static bool widen_array(double **array, size_t old, size_t width)
{
  double *wider = dorm__realloc(*array, width, sizeof *wider);
  if (!wider)
    return false;
  memset(wider + old, 0, (width - old) * sizeof *wider);
  *array = wider;
  return true;
}

static dorm_status widen(dorm_context *context, dorm__stream *stream, size_t width)
{
  size_t old = stream->width;
  if (width <= old)
    return DORM_OK;
  if (!widen_array(&stream->base, old, width) || !widen_array(&stream->v, old, width) ||
      !widen_array(&stream->w, old, width))
    return dorm__out_of_memory(context, "new features");
  stream->width = width;
  return DORM_OK;
}

static void set_w(dorm__stream *stream)
{
  memcpy(stream->w, stream->base, stream->width * sizeof *stream->w);
  dorm__add_scaled(stream->width, stream->scale, stream->v, stream->w);
}

static double scale_of(const dorm__stream *stream)
{
  return 1 / fmax((double)stream->num_trained, (double)stream->options.prior);
}

dorm_status dorm__stream_start_at(dorm_context *context, dorm__stream *stream, size_t width, const double *base)
{
  dorm_status status = widen(context, stream, width);
  if (status == DORM_OK) {
    memcpy(stream->base, base, width * sizeof *base);
    set_w(stream);
  }
  return status;
}

/* ---- One query -------------------------------------------------------------------- */

/* Computes x += factor psi. */
static void add_psi(const dorm__vector *reference, const dorm__vector *phi, double factor, double *x)
{
  dorm__vector_add(phi, -factor, x);
  dorm__vector_add(reference, factor, x);
}

/* Takes the step of the query whose scores are in thread->scores. */
static dorm_status take_step(dorm__stream *stream, const dorm__problem *problem, dorm__thread *thread)
{
  const dorm__reference *kind = &stream->options.reference;
  const double *weights = NULL, *w = dorm__reference_moves(kind) ? NULL : stream->w;
  double C = stream->options.C, ignored = 0, loss = 0, value = 0;
  dorm__vector reference = {0}, phi = {0};
  dorm_status status = dorm__reference_at(problem, kind, 0, NULL, thread, &reference, &ignored);
  if (status == DORM_OK)
    status = dorm__output_violation(problem, 0, NULL, w, thread, &(const dorm__violation){&weights, &loss, &value});
  if (status == DORM_OK && value - dorm__vector_dot(&reference, stream->w) > 0) {
    if (dorm__output_vector(problem, 0, weights, thread, &phi)) {
      add_psi(&reference, &phi, C, stream->v);
      add_psi(&reference, &phi, C * stream->scale, stream->w);
    } else {
      status = DORM_OUT_OF_MEMORY;
    }
  }
  dorm__vector_clear(&reference);
  dorm__vector_clear(&phi);
  return status;
}

dorm_status dorm__stream_take(dorm_context *context, dorm__stream *stream, const dorm_dataset *query,
                              const dorm__features *features, dorm__loss_tables *tables, double *scores)
{
  const dorm__stream_options *options = &stream->options;
  dorm__problem_options asked = {.position_weights = options->position_weights,
                                 .method = options->method,
                                 .checks_oracles = options->checks_oracles,
                                 .num_threads = 1};
  dorm__problem *problem = NULL;
  dorm_status status = DORM__ALL(widen(context, stream, features->num_features),
                                 dorm__problem_new(context, query, features, tables, &asked, &problem));
  if (status != DORM_OK)
    return status;
  bool trains = dorm__problem_num_queries(problem) > 0;
  stream->num_trained += trains;
  if (scale_of(stream) != stream->scale) {
    stream->scale = scale_of(stream);
    set_w(stream);
  }
  dorm__thread *thread = &problem->workers.threads[0];
  dorm__features_score(features, 0, query->num_docs, stream->w, thread->scores);
  memcpy(scores, thread->scores, query->num_docs * sizeof *scores);
  if (trains)
    status = dorm__thread_explain(context, thread, query, 0, take_step(stream, problem, thread));
  dorm__problem_free(problem);
  return status;
}

/* ---- Records ---------------------------------------------------------------------- */

void dorm__stream_save(const dorm__stream *stream, dorm__record_writer *writer)
{
  dorm__record_put_count(writer, stream->width);
  dorm__record_put_numbers(writer, stream->width, stream->v);
  dorm__record_put_numbers(writer, stream->width, stream->w);
  dorm__record_put_count(writer, stream->num_trained);
}

dorm_status dorm__stream_restore(dorm_context *context, dorm__stream *stream, dorm__record_reader *reader)
{
  size_t width = dorm__record_take_count(reader);
  reader->is_bad = reader->is_bad || width < stream->width || width > (reader->size - reader->at) / 2 / sizeof(double);
  dorm_status status = reader->is_bad ? DORM_OK : widen(context, stream, width);
  if (reader->is_bad || status != DORM_OK)
    return status;
  dorm__record_take_numbers(reader, width, stream->v);
  dorm__record_take_numbers(reader, width, stream->w);
  stream->num_trained = dorm__record_take_count(reader);
  stream->scale = scale_of(stream);
  return DORM_OK;
}
