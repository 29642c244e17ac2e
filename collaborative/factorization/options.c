/*
 * options.c: turns the settings of a ranking factorisation into numbers and enums. No other file of this folder reads
 * settings.
 */
#include "collaborative/factorization/factorization.h"
#include "training/training.h"

#include <string.h>

/* mu of the reference if ranking.reference is auto, as in training. Halving and doubling change NDCG@10 by +0.0009 and
 * +0.0003 (splits 101 to 103 of MovieLens 100K, experiments/defaults/rating-constants.tsv). */
static const double default_mu = 0.3;
static const double start_scale = 0.1; /* of the scores at the start, for losses of at most 1 */

static dorm_status take_reference(dorm_context *context, const dorm_settings *settings,
                                  dorm__factorization_options *options)
{
  options->is_fixed = options->is_random;
  options->mu = default_mu;
  if (dorm__settings_is_auto(settings, DORM__RANKING_REFERENCE))
    return DORM_OK;
  const char *word = dorm__settings_word_at(settings, DORM__RANKING_REFERENCE, 0);
  dorm__reference reference = dorm__reference_from(word);
  options->is_fixed = reference.kind == DORM__REFERENCE_LISTED;
  options->mu = reference.mu;
  if (options->is_fixed || reference.kind == DORM__REFERENCE_MU)
    return DORM_OK;
  return dorm__fail(context, DORM_BAD_USAGE, "ranking.reference = %s: factorisation takes mu:X, current or listed",
                    word);
}

static dorm_status take_loss(dorm_context *context, const dorm_settings *settings, dorm__loss **loss)
{
  dorm_status status = dorm__loss_from(context, settings, loss);
  if (status == DORM_OK && !dorm__settings_is_auto(settings, DORM__LOSS_TRUNCATION)) {
    DORM__OWNED(dorm__loss) *whole = *loss;
    status = dorm__loss_with_truncation(context, whole,
                                        (size_t)dorm__settings_number_at(settings, DORM__LOSS_TRUNCATION, 0), loss);
  }
  return status;
}

dorm_status dorm__factorization_options_from(dorm_context *context, const dorm_settings *settings,
                                             dorm__factorization_options *options)
{
  *options = (dorm__factorization_options){.rank = dorm__settings_integer(settings, DORM__FACTORIZATION_RANK),
                                           .num_rounds = dorm__settings_integer(settings, DORM__FACTORIZATION_ROUNDS),
                                           .is_random = dorm__settings_choice(settings, DORM__FACTORIZATION_START) == 1,
                                           .has_offsets = !dorm__settings_choice(settings, DORM__FACTORIZATION_START),
                                           .scale = start_scale,
                                           .penalty = dorm__settings_number(settings, DORM__FACTORIZATION_PENALTY),
                                           .gap = dorm__settings_number(settings, DORM__SOLVER_GAP),
                                           .seed = dorm__settings_integer(settings, DORM__TRAINING_SEED),
                                           .num_threads = dorm__rating_threads(settings)};
  if (!dorm__settings_is_auto(settings, DORM__SELECTION_MEASURE))
    options->selection_measure = dorm__settings_text(settings, DORM__SELECTION_MEASURE);
  dorm_status status = DORM__ALL(
      dorm__position_weights_from(context, dorm__settings_word_at(settings, DORM__RANKING_POSITION_WEIGHTS, 0),
                                  &options->position_weights),
      take_reference(context, settings, options), take_loss(context, settings, &options->loss));
  if (status != DORM_OK)
    dorm__factorization_options_clear(options);
  return status;
}

/* Fails if a setting that was read with the factors names a file. */
static dorm_status check_record(dorm_context *context, const dorm_settings *record, const dorm_settings *usable)
{
  static const dorm__setting used[] = {DORM__LOSS_NAME, DORM__RANKING_POSITION_WEIGHTS};
  for (size_t i = 0; i < sizeof used / sizeof *used; i++) {
    const char *text = dorm__settings_text(record, used[i]);
    if (strcmp(text, dorm__settings_text(usable, used[i])) != 0)
      return dorm__fail(context, DORM_BAD_USAGE,
                        "the factors have %s = %.300s, but a model opens no file by itself: name the file again "
                        "(dorm_factors_use_settings, dorm recommend --set)",
                        dorm__setting_table[used[i]].key, text);
  }
  return DORM_OK;
}

dorm_status dorm__factorization_options_again(dorm_context *context, const dorm_settings *record,
                                              dorm__factorization_options *options)
{
  DORM__OWNED(dorm_settings) *usable = NULL;
  *options = (dorm__factorization_options){0};
  dorm_status status =
      DORM__ALL(dorm__settings_copy_usable(context, record, &usable), check_record(context, record, usable),
                dorm__factorization_options_from(context, usable, options));
  options->selection_measure = NULL; /* borrowed from `usable`, which is freed */
  return status;
}

void dorm__factorization_options_clear(dorm__factorization_options *options)
{
  dorm__loss_close(options->loss);
  dorm__position_weights_clear(&options->position_weights);
  *options = (dorm__factorization_options){0};
}
