/*
 * factorize.c: alternates a user step and an item step, from the scaled squared-error factorisation. The objective F
 * must not rise. It is recomputed after every half step, and a rise beyond rounding is DORM_NUMERICAL_FAILURE. With
 * held-out ratings, the best point by the loss's measure is kept, and the first round that does not improve on it is
 * the last.
 */
#include "base/linalg.h"
#include "collaborative/factorization/factorization.h"
#include "measures/measures.h"

#include <string.h>

/* The relative gap of the user step is this share of solver.gap. User problems are small, so closer solutions cost
 * little (0.01 s of 0.2 s on MovieLens 100K). Halving and doubling change NDCG@10 by less than 0.0005 (splits 101 to
 * 103, experiments/defaults/rating-constants.tsv). */
static const double user_gap_share = 0.1;
/* Relative rise of F that counts as rounding. Sums of 10^5 terms are accurate to about 1e-11. */
static const double rounding = 1e-9;
/* Ends the step if the gap is below rounding. At the default gap of 0.01 a step needs about ten passes. */
enum { MOST_PASSES = 100 };

typedef struct alternation {
  dorm_context *context;
  dorm__region memory;           /* of held-out scores and lists */
  const dorm_settings *settings; /* for the model's file */
  dorm__factorization_options options;
  const dorm_ratings *training;
  dorm__lists *lists;
  dorm__measure *measure; /* NULL without held-out ratings */
  dorm_dataset *held_out;
  dorm__rating_lists held_out_lists;
  double *scores; /* [held-out ratings] */
  dorm__point start;
  dorm__point point;
  dorm__start_rule rule;
  dorm__step_options step_options; /* of the item step */
  double value;                    /* F at the point */
} alternation;

/* ---- Held-out ratings ------------------------------------------------------------- */

static dorm_status open_held_out(alternation *work, const dorm_ratings *held_out)
{
  const dorm__rating_table *table = &held_out->table;
  const char *given = work->options.selection_measure;
  uint32_t *users = dorm__region_take_zero(&work->memory, table->num_users, sizeof *users);
  size_t *start = dorm__region_take_zero(&work->memory, table->num_users + 1, sizeof *start);
  work->scores = dorm__region_take_zero(&work->memory, table->num_ratings, sizeof *work->scores);
  if (work->memory.is_short)
    return dorm__out_of_memory(work->context, "held-out ratings");
  work->held_out_lists =
      (dorm__rating_lists){dorm__rating_users(table, NULL, users, start), users, start, table->items, table->values};
  return DORM__ALL(dorm__rating_dataset(work->context, held_out, &work->held_out_lists, 0, &work->held_out),
                   given ? dorm__measure_open(work->context, given, &work->measure)
                         : dorm__measure_open_for_loss(work->context, work->lists->loss, &work->measure));
}

static dorm_status measure_held_out(alternation *work, double *value)
{
  const dorm__rating_lists *lists = &work->held_out_lists;
  const dorm__point *point = &work->point;
  dorm_evaluation evaluation;
  for (size_t q = 0; q < lists->num_queries; q++)
    for (size_t j = lists->start[q]; j < lists->start[q + 1]; j++)
      work->scores[j] =
          point->offset[lists->items[j]] + dorm__dot(point->rank, point->user + lists->users[q] * point->rank,
                                                     point->item + lists->items[j] * point->rank);
  dorm_status status =
      dorm__measure_dataset(work->context, work->measure, work->held_out, work->scores, NULL, &evaluation);
  if (status == DORM_OK)
    *value = evaluation.mean;
  return status;
}

/* ---- Rounds -------------------------------------------------------------------------- */

/* Computes F after a half step. Fails if the step has raised it. */
static dorm_status check_descent(alternation *work, const char *step)
{
  double before = work->value;
  dorm_status status =
      dorm__objective(work->context, work->lists, &work->start, work->options.penalty, &work->point, &work->value);
  if (status == DORM_OK && !(work->value <= before * (1 + rounding)))
    status = dorm__fail(work->context, DORM_NUMERICAL_FAILURE, "the objective rose from %.12g to %.12g in a step of %s",
                        before, work->value, step);
  return status;
}

static dorm_status make_round(alternation *work, dorm_factor_round *round)
{
  dorm__step_options user_options = work->step_options;
  dorm__step_info info = {0};
  double began = dorm__seconds();
  user_options.gap *= user_gap_share;
  round->before = work->value;
  dorm_status status =
      DORM__ALL(dorm__user_step(work->context, work->lists, &work->start, &user_options, &work->point, &info),
                check_descent(work, "the users"));
  round->after_users = work->value;
  round->user_seconds = dorm__seconds() - began;
  began = dorm__seconds();
  if (status == DORM_OK)
    status =
        DORM__ALL(dorm__item_step(work->context, work->lists, &work->start, &work->step_options, &work->point, &info),
                  check_descent(work, "the items"));
  round->after_items = work->value;
  round->item_seconds = dorm__seconds() - began;
  round->item_passes = info.passes;
  round->item_gap = info.primal > 0 ? (info.primal - info.dual) / info.primal : 0;
  round->num_columns = info.columns;
  return status;
}

/* Makes the rounds. Round 0 is the start. Sets `best` to the best point by the measure or, without held-out ratings, to
 * the last one. */
static dorm_status make_rounds(alternation *work, size_t num_rounds, dorm__point *best, size_t *num_made,
                               dorm_factor_round *rounds)
{
  dorm_status status = DORM_OK;
  size_t kept = 0;
  for (size_t r = 0; status == DORM_OK && r <= num_rounds; r++) {
    dorm_factor_round *round = &rounds[r];
    double began = dorm__seconds();
    *round = (dorm_factor_round){.number = r};
    if (r) {
      status = make_round(work, round);
    } else {
      status =
          dorm__objective(work->context, work->lists, &work->start, work->options.penalty, &work->point, &work->value);
      round->before = round->after_users = round->after_items = work->value;
    }
    if (status == DORM_OK && work->measure)
      status = measure_held_out(work, &round->held_out);
    if (status != DORM_OK)
      break;
    *num_made = r + 1;
    double sign = work->measure && dorm__measure_is_cost(work->measure) ? -1 : 1;
    bool is_better = !r || !work->measure || sign * (round->held_out - rounds[kept].held_out) > 0;
    dorm__note(work->context, "round %zu of %zu: F %.6g, %.2f s", r, num_rounds, work->value, dorm__seconds() - began);
    if (!is_better)
      break;
    kept = r;
    dorm__point_copy(&work->point, best);
  }
  rounds[kept].is_kept = 1;
  return status;
}

/* Rounds to floats, so that a model is the same after writing and reading. */
static void round_to_floats(size_t count, double *values)
{
  for (size_t k = 0; k < count; k++)
    values[k] = (double)(float)values[k];
}

/* Copies the contents of the model file into a handle. */
static dorm_status make_factors(alternation *work, const dorm__point *best, dorm_factors **factors)
{
  const dorm__rating_table *table = &work->training->table;
  size_t rank = best->rank;
  dorm_factors *made = NULL;
  dorm_status status = dorm__factors_new(work->context, work->settings, table->num_users, table->num_items, rank,
                                         table->num_ratings, &made);
  if (status != DORM_OK)
    return status;
  if (!dorm__id_table_copy(&work->training->users, &made->users) ||
      !dorm__id_table_copy(&work->training->items, &made->items)) {
    dorm_factors_free(made);
    return dorm__out_of_memory(work->context, "factors");
  }
  double *balance = made->rule.balance;
  made->rule = work->rule;
  made->rule.balance = balance;
  memcpy(balance, work->rule.balance, rank * sizeof *balance);
  dorm__point_copy(best, &made->point);
  memcpy(made->start.offset, work->start.offset, table->num_items * sizeof(double));
  memcpy(made->start.item, work->start.item, table->num_items * rank * sizeof(double));
  memcpy(made->rated_start, table->user_start, (table->num_users + 1) * sizeof(size_t));
  memcpy(made->rated, table->items, table->num_ratings * sizeof(uint32_t));
  round_to_floats(table->num_items, made->point.offset);
  round_to_floats(table->num_items * rank, made->point.item);
  round_to_floats(table->num_users * rank, made->point.user);
  round_to_floats(table->num_items, made->start.offset);
  round_to_floats(table->num_items * rank, made->start.item);
  *factors = made;
  return DORM_OK;
}

/* Sets the centre of the penalty and the starting point of the rounds. */
static dorm_status begin(alternation *work)
{
  const dorm__rating_table *table = &work->training->table;
  if (work->options.is_random)
    return dorm__start_random(work->context, table, &work->options, &work->start, &work->rule, &work->point);
  dorm_status status = dorm__start_point(work->context, table, &work->options, &work->start, &work->rule);
  if (status == DORM_OK)
    dorm__point_copy(&work->start, &work->point);
  return status;
}

static dorm_status run(alternation *work, const dorm_ratings *held_out, dorm_factors **factors)
{
  const dorm__rating_table *table = &work->training->table;
  const dorm__factorization_options *options = &work->options;
  DORM__AT_END(dorm__point_clear) dorm__point best = {0};
  size_t num_made = 0;
  DORM__FREED dorm_factor_round *rounds = dorm__alloc_zero(options->num_rounds + 1, sizeof *rounds);
  bool has_room = rounds && dorm__point_new(table->num_users, table->num_items, options->rank, &best) &&
                  dorm__point_new(table->num_users, table->num_items, options->rank, &work->point);
  dorm_status status =
      DORM__ALL(has_room ? DORM_OK : dorm__out_of_memory(work->context, "a factorisation"),
                dorm__lists_new(work->context, options, work->training, options->num_threads, &work->lists),
                held_out ? open_held_out(work, held_out) : DORM_OK, begin(work),
                make_rounds(work, options->num_rounds, &best, &num_made, rounds), make_factors(work, &best, factors));
  if (status == DORM_OK) {
    (*factors)->num_rounds = num_made;
    (*factors)->rounds = rounds;
    rounds = NULL;
  }
  return status;
}

dorm_status dorm_factorize(dorm_context *context, const dorm_settings *settings, const dorm_ratings *training,
                           const dorm_ratings *held_out, dorm_factors **factors)
{
  if (DORM__LACKS(context, DORM__GIVEN(settings), DORM__GIVEN(training), DORM__RESULT(factors)))
    return DORM_BAD_USAGE;
  alternation work = {.context = context, .settings = settings, .training = training};
  dorm_status status = DORM__ALL(dorm__ratings_check_numbers(context, training, held_out),
                                 dorm__factorization_options_from(context, settings, &work.options));
  work.step_options =
      (dorm__step_options){.penalty = work.options.penalty, .gap = work.options.gap, .most_passes = MOST_PASSES};
  if (status == DORM_OK)
    status = run(&work, held_out, factors);
  dorm__factorization_options_clear(&work.options);
  dorm__lists_free(work.lists);
  dorm__measure_close(work.measure);
  dorm_dataset_free(work.held_out);
  dorm__region_clear(&work.memory);
  dorm__point_clear(&work.start);
  dorm__point_clear(&work.point);
  dorm__free(work.rule.balance);
  return status;
}
