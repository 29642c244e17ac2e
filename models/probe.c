/*
 * probe.c: checks whether a model is a local optimum of a measure. Moves all its weights along random directions, and
 * each weight alone (Donmez, Svore and Burges, "On the Local Optimality of LambdaRank", 2009, section 5).
 *
 * Every part that has weights is turned into a net over rows (as_net). Directions are made in chunks. For each chunk
 * the threads take blocks of queries. For each query and direction, a thread makes the moves from the shortest to the
 * longest. From one move to the next only documents whose scores cross change places, so each ranking is found from the
 * one before (measures/moving.c). Each block of queries has sums of its own, which are added up in the order of the
 * blocks. So the result does not depend on the number of threads.
 */
#include "base/linalg.h"
#include "base/status.h"
#include "base/team.h"
#include "models/models.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_BLOCKS = 64,       /* of queries */
  MOST_DIRECTIONS = 512,  /* of a chunk */
  MOST_NUMBERS = 4 << 20, /* in the directions of a chunk */
  NUM_DEFAULT_STEPS = 12
};
static const double default_steps[NUM_DEFAULT_STEPS] = {0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1};

/* A part of the model with weights. */
typedef struct probed_part {
  dorm__net net;
  dorm__features rows;
  size_t first; /* number of its first weight among the weights of all parts */
} probed_part;

/* A length of moves, and its row of the result. */
typedef struct move_length {
  double length;
  size_t row;
} move_length;

/* The data that the threads share. */
typedef struct probing {
  dorm_context *context;
  const dorm_dataset *dataset;
  dorm__measure *measure;
  dorm__moving *moving;
  dorm__region memory; /* of all arrays below */
  size_t num_threads;
  size_t num_parts;
  probed_part *parts;
  size_t num_weights;
  size_t num_rows;      /* lengths of moves */
  move_length *lengths; /* [num_rows] from the shortest to the longest */
  size_t num_blocks;
  /* a chunk of directions: */
  size_t most_directions;
  size_t num_directions;
  bool is_random; /* otherwise each direction is a single weight, up and down, from number first_weight on */
  size_t first_weight;
  double *directions; /* [num_directions][num_weights], only if they are random */
  double *sums;       /* [num_blocks][1 + num_directions * num_signs * num_rows], first at the unmoved weights */
  double *counts;     /* [num_blocks] sum of the weights of the queries that have a value */
} probing;

/* The scratch of one thread. */
typedef struct prober {
  dorm_context context;
  size_t thread;
  dorm__net_line **lines; /* [num_parts] */
  double *moved;          /* [most documents of a query] scores after a move */
} prober;

/* ---- The weights ------------------------------------------------------------------------ */

static bool is_zero(const dorm__net *net)
{
  bool is = !net->hidden;
  for (size_t i = 0; is && i < net->width; i++)
    is = net->weights[i] == 0;
  return is;
}

static void clear_part(probed_part *part)
{
  dorm__net_clear(&part->net);
  dorm__features_free(&part->rows);
}

/* Turns the parts into nets. A model may hold a linear part whose weights are all 0, beside other parts. It is left
 * out. */
static dorm_status open_parts(probing *all, const dorm_model *model)
{
  all->parts = dorm__region_take_zero(&all->memory, model->num_parts, sizeof *all->parts);
  if (!all->parts)
    return dorm__out_of_memory(all->context, "the weights of a model");
  for (size_t i = 0; i < model->num_parts; i++) {
    const dorm__part *part = &model->parts[i];
    probed_part *made = &all->parts[all->num_parts];
    if (!part->kind->as_net)
      return dorm__fail(all->context, DORM_BAD_USAGE,
                        "the model has a %s part, '%.200s', which has no weights that could be moved", part->kind->word,
                        part->kind->describe(part->state));
    dorm_status status = part->kind->as_net(all->context, part->state, &model->map, all->dataset, all->num_threads,
                                            part->weight, &(const dorm__net_of_part){&made->net, &made->rows});
    if (status != DORM_OK || (model->num_parts > 1 && is_zero(&made->net)))
      clear_part(made);
    else
      all->num_parts++;
    if (status != DORM_OK)
      return status;
  }
  for (size_t i = 0; i < all->num_parts; i++) {
    all->parts[i].first = all->num_weights;
    all->num_weights += dorm__net_size(all->parts[i].net.width, all->parts[i].net.hidden);
  }
  return all->num_weights ? DORM_OK : dorm__fail(all->context, DORM_BAD_USAGE, "the model has no weights");
}

static double norm_of(const probing *all)
{
  double squares = 0;
  for (size_t i = 0; i < all->num_parts; i++) {
    const dorm__net *net = &all->parts[i].net;
    size_t size = dorm__net_size(net->width, net->hidden);
    squares += dorm__dot(size, net->weights, net->weights);
  }
  return sqrt(squares);
}

/* ---- One query -------------------------------------------------------------------------- */

static void clear_prober(const probing *all, prober *one)
{
  for (size_t i = 0; one->lines && i < all->num_parts; i++)
    dorm__net_line_free(one->lines[i]);
  dorm__free(one->lines);
  dorm__free(one->moved);
}

static dorm_status open_prober(const probing *all, size_t thread, prober *one)
{
  size_t room = dorm__dataset_max_docs(all->dataset);
  *one = (prober){.context = *all->context,
                  .thread = thread,
                  .lines = dorm__alloc_zero(all->num_parts, sizeof *one->lines),
                  .moved = dorm__alloc(room, sizeof *one->moved)};
  dorm_status status = one->lines && one->moved ? DORM_OK : dorm__out_of_memory(all->context, "scores");
  for (size_t i = 0; status == DORM_OK && i < all->num_parts; i++)
    status = dorm__net_line_new(all->context, &all->parts[i].net, &all->parts[i].rows, room, &one->lines[i]);
  return status;
}

/* Sets *value to the measure of a query after a step along the direction of the lines, times the weight of the query.
 * If the measure has no value for the query, *counts becomes false and *value 0. */
static dorm_status value_at(const probing *all, prober *one, size_t query, double step, double *value, bool *counts)
{
  size_t count = all->dataset->query_start[query + 1] - all->dataset->query_start[query];
  memset(one->moved, 0, count * sizeof *one->moved);
  for (size_t i = 0; i < all->num_parts; i++)
    dorm__net_line_add(one->lines[i], step, one->moved);
  dorm_status status = dorm__moving_value(&one->context, all->moving, one->thread, query, one->moved, value);
  *counts = status == DORM_OK && !isnan(*value);
  *value = *counts ? dorm_dataset_query_weight(all->dataset, query) * *value : 0;
  return status;
}

/* Adds the query's values to sums [num_rows], for all lengths of the move along the direction, or against it if sign is
 * -1. */
static dorm_status add_direction(const probing *all, prober *one, size_t query, double sign, double *sums)
{
  dorm_status status = DORM_OK;
  for (size_t i = 0; status == DORM_OK && i < all->num_rows; i++) {
    double value;
    bool counts;
    status = value_at(all, one, query, sign * all->lengths[i].length, &value, &counts);
    sums[all->lengths[i].row] += value;
  }
  return status;
}

/* Sets the lines to direction k of the chunk. Returns false if no step along it changes the ranking. */
static bool take_direction(const probing *all, prober *one, size_t k)
{
  bool moves = false;
  for (size_t i = 0; i < all->num_parts; i++) {
    size_t first = all->parts[i].first;
    size_t end = i + 1 < all->num_parts ? all->parts[i + 1].first : all->num_weights;
    size_t weight = all->first_weight + k;
    if (all->is_random)
      moves = dorm__net_line_direction(one->lines[i], all->directions + k * all->num_weights + first) || moves;
    else if (weight >= first && weight < end)
      moves = dorm__net_line_single(one->lines[i], weight - first);
    else
      dorm__net_line_still(one->lines[i]);
  }
  return moves;
}

static size_t num_signs(const probing *all)
{
  return all->is_random ? 1 : 2;
}

/* Adds the query's values at the unmoved weights and after all moves to the sums of its block. If it has a value, also
 * adds its weight to *count. */
static dorm_status add_query(const probing *all, prober *one, size_t query, double *sums, double *count)
{
  size_t first = all->dataset->query_start[query];
  double base;
  bool counts;
  for (size_t i = 0; i < all->num_parts; i++)
    dorm__net_line_documents(one->lines[i], first, all->dataset->query_start[query + 1] - first);
  dorm_status status = value_at(all, one, query, 0, &base, &counts);
  *count += counts ? dorm_dataset_query_weight(all->dataset, query) : 0;
  *sums++ += base;
  for (size_t k = 0; status == DORM_OK && k < all->num_directions; k++) {
    bool moves = take_direction(all, one, k);
    for (size_t s = 0; status == DORM_OK && s < num_signs(all); s++, sums += all->num_rows) {
      if (moves)
        status = add_direction(all, one, query, s ? -1 : 1, sums);
      for (size_t r = 0; !moves && r < all->num_rows; r++)
        sums[r] += base;
    }
  }
  return status;
}

/* ---- A chunk of directions ---------------------------------------------------------------- */

static size_t num_sums(const probing *all)
{
  return 1 + all->num_directions * num_signs(all) * all->num_rows;
}

static dorm_status run_block(const probing *all, prober *one, size_t block)
{
  size_t num_queries = all->dataset->num_queries;
  size_t end = (block + 1) * num_queries / all->num_blocks;
  dorm_status status = one->thread == 0 && dorm__cancelled(all->context) ? DORM_STOPPED : DORM_OK;
  for (size_t q = block * num_queries / all->num_blocks; status == DORM_OK && q < end; q++)
    status = add_query(all, one, q, all->sums + block * num_sums(all), &all->counts[block]);
  return status;
}

/* Computes the sums of all blocks. The sums of the first block become the totals. */
static dorm_status run_chunk(probing *all, prober *probers)
{
  size_t size = num_sums(all);
  dorm_status status = DORM_OK;
  memset(all->sums, 0, all->num_blocks * size * sizeof *all->sums);
  memset(all->counts, 0, all->num_blocks * sizeof *all->counts);
#pragma omp parallel for schedule(dynamic) num_threads((int)all->num_threads)
  for (size_t b = 0; b < all->num_blocks; b++) {
    prober *one = &probers[omp_get_thread_num()];
    dorm_status own = run_block(all, one, b);
    if (own != DORM_OK) {
#pragma omp critical(dorm__probe)
      if (status == DORM_OK) {
        status = own;
        memcpy(all->context->message, one->context.message, sizeof all->context->message);
      }
    }
  }
  if (status == DORM_STOPPED)
    return dorm__fail(all->context, status, "interrupted");
  for (size_t b = 1; b < all->num_blocks; b++) {
    dorm__add_scaled(size, 1, all->sums + b * size, all->sums);
    all->counts[0] += all->counts[b];
  }
  return status;
}

/* Draws a direction uniform on the sphere. */
static void draw(dorm__random *random, size_t size, double *direction)
{
  double square = 0;
  for (size_t i = 0; i < size; i++)
    direction[i] = dorm__random_normal(random);
  square = dorm__dot(size, direction, direction);
  for (size_t i = 0; i < size; i++)
    direction[i] /= square > 0 ? sqrt(square) : 1;
}

/* ---- Results ------------------------------------------------------------------------ */

/* The result as it is built. */
typedef struct found {
  dorm_probe shown;
  dorm__region memory;                          /* of the three below */
  dorm_probe_row *direction_rows, *single_rows; /* [num_rows] */
  double *curves;
  char *measure;
} found;

/* Counts, for each length, whether a move makes the measure better, equal or worse. values [num_rows] are the measure
 * after the move. */
static void count_move(const dorm_probe *shown, const double *values, dorm_probe_moves *moves, dorm_probe_row *rows)
{
  bool rises = false;
  double equal = 1e-12 * fmax(1, fabs(shown->value));
  for (size_t r = 0; r < moves->num_rows; r++) {
    double gain = shown->lower_is_better ? shown->value - values[r] : values[r] - shown->value;
    rows[r].num_better += gain > equal;
    rows[r].num_worse += gain < -equal;
    rows[r].num_equal += fabs(gain) <= equal;
    rows[r].largest_gain = gain > equal ? fmax(rows[r].largest_gain, gain) : rows[r].largest_gain;
    rises = rises || gain > equal;
  }
  moves->num_rising += rises;
}

static void find_bounds(double delta, dorm_probe_moves *moves, dorm_probe_row *rows)
{
  dorm__binomial_bounds(moves->num_moves, moves->num_rising, delta, &moves->least_share, &moves->most_share);
  for (size_t r = 0; r < moves->num_rows; r++)
    dorm__binomial_bounds(moves->num_moves, rows[r].num_better, delta, &rows[r].least_share, &rows[r].most_share);
}

/* Tries `count` random directions (random != NULL), or each weight up and down. */
static dorm_status try_moves(probing *all, prober *probers, size_t count, dorm__random *random, found *made)
{
  dorm_probe *shown = &made->shown;
  dorm_probe_moves *moves = random ? &shown->directions : &shown->singles;
  dorm_probe_row *rows = random ? made->direction_rows : made->single_rows;
  dorm_status status = DORM_OK;
  all->is_random = random;
  moves->num_moves = count * num_signs(all);
  for (size_t first = 0; status == DORM_OK && first < count; first += all->num_directions) {
    all->num_directions = count - first < all->most_directions ? count - first : all->most_directions;
    all->first_weight = first;
    for (size_t k = 0; random && k < all->num_directions; k++)
      draw(random, all->num_weights, all->directions + k * all->num_weights);
    dorm__step(all->context, "%s: %zu of %zu", random ? "directions" : "weights", first, count);
    status = run_chunk(all, probers);
    double share = all->counts[0] > 0 ? 1 / all->counts[0] : 0;
    for (size_t i = 0; status == DORM_OK && i < num_sums(all); i++)
      all->sums[i] *= share;
    shown->value = all->sums[0];
    for (size_t k = 0; status == DORM_OK && k < all->num_directions * num_signs(all); k++) {
      const double *values = all->sums + 1 + k * all->num_rows;
      count_move(shown, values, moves, rows);
      if (random)
        memcpy(made->curves + (first + k) * all->num_rows, values, all->num_rows * sizeof *values);
    }
  }
  find_bounds(shown->delta, moves, rows);
  return status;
}

/* ---- Opening ------------------------------------------------------------------------------ */

/* Fills in defaults, and checks the other options. */
static dorm_status complete_options(dorm_context *context, const dorm_probe_options *given, dorm_probe_options *full)
{
  dorm_status status = dorm__struct_take(context, "options", DORM__STRUCT(dorm_probe_options), given, full);
  if (status != DORM_OK)
    return status;
  full->epsilon = full->epsilon != 0 ? full->epsilon : 0.01;
  full->delta = full->delta != 0 ? full->delta : 0.01;
  if (!(full->epsilon > 0 && full->epsilon < 1))
    return dorm__fail(context, DORM_BAD_USAGE, "epsilon %g is not between 0 and 1", full->epsilon);
  if (!(full->delta > 0 && full->delta < 1))
    return dorm__fail(context, DORM_BAD_USAGE, "delta %g is not between 0 and 1", full->delta);
  double least = ceil(log(full->delta) / log1p(-full->epsilon));
  if (!full->num_directions && !(least <= 1e9))
    return dorm__fail(context, DORM_BAD_USAGE, "epsilon %g and delta %g need %g directions", full->epsilon, full->delta,
                      least);
  full->num_directions = full->num_directions ? full->num_directions : (size_t)fmax(1, least);
  if (!full->steps) {
    full->steps = default_steps;
    full->num_steps = NUM_DEFAULT_STEPS;
  }
  for (size_t i = 0; i < full->num_steps; i++)
    if (!(full->steps[i] > 0 && isfinite(full->steps[i])))
      return dorm__fail(context, DORM_BAD_USAGE, "step %g is not above 0", full->steps[i]);
  if (!full->num_steps)
    return dorm__fail(context, DORM_BAD_USAGE, "there are no steps");
  full->num_threads = dorm__threads_for(full->num_threads);
  return DORM_OK;
}

static int compare_lengths(const void *x, const void *y)
{
  const move_length *one = x;
  const move_length *two = y;
  if (one->length != two->length)
    return one->length < two->length ? -1 : 1;
  return (one->row > two->row) - (one->row < two->row);
}

/* Allocates the arrays and sets the lengths of the moves. The weights must be known. */
static dorm_status prepare(probing *all, const dorm_probe_options *options, found *made)
{
  dorm_probe *shown = &made->shown;
  size_t num_steps = options->num_steps;
  size_t room = MOST_NUMBERS / all->num_weights;
  all->num_rows = 2 * num_steps;
  all->num_blocks = all->dataset->num_queries < MOST_BLOCKS ? all->dataset->num_queries : MOST_BLOCKS;
  all->most_directions = room < 1 ? 1 : room < MOST_DIRECTIONS ? room : MOST_DIRECTIONS;
  all->num_directions = all->most_directions;
  all->lengths = dorm__region_take_zero(&all->memory, all->num_rows, sizeof *all->lengths);
  all->directions =
      dorm__region_take_zero(&all->memory, all->most_directions, all->num_weights * sizeof *all->directions);
  all->sums = dorm__region_take_zero(&all->memory, num_sums(all), all->num_blocks * sizeof *all->sums);
  all->counts = dorm__region_take_zero(&all->memory, all->num_blocks, sizeof *all->counts);
  made->direction_rows = dorm__region_take_zero(&made->memory, all->num_rows, sizeof *made->direction_rows);
  made->single_rows = dorm__region_take_zero(&made->memory, all->num_rows, sizeof *made->single_rows);
  made->curves = dorm__region_take_zero(&made->memory, options->num_directions, all->num_rows * sizeof *made->curves);
  if (all->memory.is_short || made->memory.is_short)
    return dorm__out_of_memory(all->context, "a probe");
  for (size_t r = 0; r < all->num_rows; r++) {
    double step = options->steps[r % num_steps];
    dorm_probe_row row = {.step = step, .length = step * (r < num_steps ? 1 : shown->norm)};
    all->lengths[r] = (move_length){row.length, r};
    made->direction_rows[r] = made->single_rows[r] = row;
  }
  qsort(all->lengths, all->num_rows, sizeof *all->lengths, compare_lengths);
  shown->directions.rows = made->direction_rows;
  shown->singles.rows = made->single_rows;
  shown->directions.num_rows = shown->singles.num_rows = all->num_rows;
  shown->curves = made->curves;
  return DORM_OK;
}

static dorm_status run(probing *all, const dorm_probe_options *options, found *made)
{
  dorm__random random;
  dorm_status status = DORM_OK;
  DORM__FREED prober *probers = dorm__alloc_zero(all->num_threads, sizeof *probers);
  if (!probers)
    return dorm__out_of_memory(all->context, "a probe");
  for (size_t i = 0; status == DORM_OK && i < all->num_threads; i++)
    status = open_prober(all, i, &probers[i]);
  dorm__random_seed_for(&random, "directions", options->seed);
  if (status == DORM_OK)
    status = try_moves(all, probers, options->num_directions, &random, made);
  if (status == DORM_OK && !options->skips_single)
    status = try_moves(all, probers, all->num_weights, NULL, made);
  for (size_t i = 0; i < all->num_threads; i++)
    clear_prober(all, &probers[i]);
  return status;
}

static dorm_status open_all(probing *all, const dorm_model *model, const char *measure,
                            const dorm_probe_options *options, found *made)
{
  dorm_status status =
      DORM__ALL(dorm__measure_open(all->context, measure, &all->measure),
                dorm__moving_new(all->context, all->measure, all->dataset, all->num_threads, &all->moving),
                open_parts(all, model));
  if (status != DORM_OK)
    return status;
  made->shown.lower_is_better = dorm__measure_is_cost(all->measure);
  made->shown.num_weights = all->num_weights;
  made->shown.norm = norm_of(all);
  made->shown.epsilon = options->epsilon;
  made->shown.delta = options->delta;
  made->shown.measure = made->measure = dorm__copy_text(dorm__measure_spec(all->measure));
  if (!made->measure)
    return dorm__out_of_memory(all->context, "a probe");
  return prepare(all, options, made);
}

static void close_all(probing *all)
{
  for (size_t i = 0; i < all->num_parts; i++)
    clear_part(&all->parts[i]);
  dorm__region_clear(&all->memory);
  dorm__moving_free(all->moving);
  dorm__measure_close(all->measure);
}

dorm_status dorm_model_probe(dorm_context *context, const dorm_model *model, const dorm_dataset *dataset,
                             const char *measure, const dorm_probe_options *options, dorm_probe **probe)
{
  if (DORM__LACKS(context, DORM__GIVEN(model), DORM__GIVEN(dataset), DORM__GIVEN(measure), DORM__RESULT(probe)))
    return DORM_BAD_USAGE;
  dorm_probe_options full;
  *probe = NULL;
  dorm_status status = complete_options(context, options, &full);
  if (status != DORM_OK)
    return status;
  found *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "a probe");
  probing all = {.context = context, .dataset = dataset, .num_threads = full.num_threads};
  status = DORM__ALL(open_all(&all, model, measure, &full, made), run(&all, &full, made));
  close_all(&all);
  if (status == DORM_OK)
    *probe = &made->shown;
  else
    dorm_probe_free(&made->shown);
  return status;
}

void dorm_probe_free(dorm_probe *probe)
{
  found *made = (found *)(void *)probe; /* its first member */
  if (!made)
    return;
  dorm__region_clear(&made->memory);
  dorm__free(made->measure);
  dorm__free(made);
}

/* ---- Probe bounds ------------------------------------------------------------------------------ */

/* Returns ln of the probability of exactly `count` successes. */
static double log_probability(size_t trials, size_t count, double p)
{
  double n = (double)trials;
  double k = (double)count;
  return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) + (n - k) * log1p(-p);
}

/* Returns the probability of at least `count` successes, 0 < p < 1. Adds up the terms of the tail that does not contain
 * the mean. */
static double at_least(size_t trials, size_t count, double p)
{
  double sum = 0;
  if ((double)count > p * (double)trials) {
    for (size_t k = count; k <= trials; k++)
      sum += exp(log_probability(trials, k, p));
    return sum;
  }
  for (size_t k = 0; k < count; k++)
    sum += exp(log_probability(trials, k, p));
  return 1 - sum;
}

/* Returns the p at which the probability of at least `count` successes, which rises with p, is `probability`. */
static double solve(size_t trials, size_t count, double probability)
{
  double low = 0, high = 1;
  for (int step = 0; step < 60; step++) {
    double middle = (low + high) / 2;
    if (at_least(trials, count, middle) < probability)
      low = middle;
    else
      high = middle;
  }
  return (low + high) / 2;
}

void dorm__binomial_bounds(size_t trials, size_t count, double delta, double *least, double *most)
{
  *least = count ? solve(trials, count, delta) : 0;
  *most = count < trials ? solve(trials, count + 1, 1 - delta) : 1;
}
