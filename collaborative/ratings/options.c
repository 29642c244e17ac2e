/* options.c: turns the settings ratings.* into numbers and enums. No other file of this folder reads settings. */
#include "base/team.h"
#include "collaborative/ratings/fit.h"
#include "collaborative/ratings/ratings.h"
#include "settings/settings.h"

#include <string.h>

#define AFFINITY_RANK 20 /* of the factorisation that the affinity features use */

size_t dorm__rating_threads(const dorm_settings *settings)
{
  size_t threads = dorm__settings_integer(settings, DORM__SOLVER_THREADS);
  return dorm__threads_for(threads);
}

/* ---- Splits -------------------------------------------------------------------- */

/* Parses `count` whole numbers from 1 to 1e9 with slashes between them, as in "100/2000/800", into numbers[count].
 * Returns false if the text has another form. */
static bool parse_counts(const char *text, size_t count, size_t *numbers)
{
  for (size_t i = 0; i < count; i++) {
    double value;
    const char *rest = dorm__parse_double(text, text + strlen(text), &value);
    if (!rest || !(value >= 1 && value <= 1e9) || value != (double)(size_t)value)
      return false;
    numbers[i] = (size_t)value;
    if (*rest != (i + 1 < count ? '/' : '\0'))
      return false;
    text = rest + 1;
  }
  return true;
}

dorm_status dorm__split_options_from(dorm_context *context, const dorm_settings *settings, dorm__split_options *options)
{
  const char *text = dorm__settings_text(settings, DORM__RATINGS_SPLIT);
  const char *argument = NULL;
  size_t counts[3];
  *options = (dorm__split_options){.seed = dorm__settings_integer(settings, DORM__TRAINING_SEED)};
  if (dorm__spec_is(text, "given", &argument) && parse_counts(argument, 1, counts)) {
    options->kind = DORM__SPLIT_GIVEN;
    options->given = counts[0];
  } else if (dorm__spec_is(text, "users", &argument) && parse_counts(argument, 3, counts)) {
    options->kind = DORM__SPLIT_USERS;
    options->training_users = counts[0];
    options->input_users = counts[1];
    options->most_items = counts[2];
  } else {
    return dorm__fail(context, DORM_BAD_USAGE,
                      "ratings.split: '%s' is neither given:N nor users:TRAINING/INPUT/ITEMS, whole numbers from 1",
                      text);
  }
  return DORM_OK;
}

/* ---- Features and kernels --------------------------------------------------------- */

dorm__rating_feature_options dorm__rating_feature_options_from(const dorm_settings *settings)
{
  dorm__rating_feature_options made = {.fit = {.rank = AFFINITY_RANK,
                                               .seed = dorm__settings_integer(settings, DORM__TRAINING_SEED),
                                               .num_threads = dorm__rating_threads(settings)},
                                       .num_folds = dorm__settings_integer(settings, DORM__RATINGS_FOLDS),
                                       .num_repeats = dorm__settings_integer(settings, DORM__RATINGS_REPEATS)};
  for (size_t i = 0; i < dorm__settings_count(settings, DORM__RATINGS_FEATURES); i++)
    for (size_t f = 0; f < DORM__NUM_RATING_FEATURES; f++)
      if (strcmp(dorm__settings_word_at(settings, DORM__RATINGS_FEATURES, i), dorm_rating_feature_name(f)) == 0)
        made.fit.wanted[f] = true;
  return made;
}

dorm__kernel_parts dorm__kernel_parts_from(const dorm_settings *settings)
{
  dorm__kernel_parts made = {0};
  for (size_t i = 0; i < dorm__settings_count(settings, DORM__RATINGS_KERNELS); i++) {
    const char *word = dorm__settings_word_at(settings, DORM__RATINGS_KERNELS, i);
    made.has_identity = made.has_identity || strcmp(word, "identity") == 0;
    made.has_attributes = made.has_attributes || strcmp(word, "attributes") == 0;
    made.has_correlation = made.has_correlation || strcmp(word, "correlation") == 0;
  }
  return made;
}
