/*
 * options.c: turns settings into the typed options of the folders below, and ranks diversely by them. If a setting is a
 * choice of words, the place of the word becomes an enum value. So every enum here has the order of the words in
 * settings/settings_list.h.
 */
#include "jobs/job.h"

#include <math.h>
#include <string.h>

enum {
  DEFAULT_TOP = 10, /* replaces diversity.top = auto if the loss has no truncation */
  MOST_SECONDS = 10 /* limit of one mixed-integer programme, which then returns its best ranking so far */
};

/* Reads data.features, data.normalisation and features.cross. The caller calls feature_options_clear, also
 * on failure. */
static dorm_status feature_options_from(dorm_context *context, const dorm_settings *settings,
                                        dorm__feature_options *options)
{
  *options = (dorm__feature_options){
      .normalisation = (dorm__normalisation)dorm__settings_choice(settings, DORM__DATA_NORMALISATION)};
  dorm__cross *cross = NULL;
  const char *text = dorm__settings_text(settings, DORM__FEATURES_CROSS);
  dorm_status status = DORM__ALL(
      dorm__id_ranges_parse(context, dorm__setting_table[DORM__DATA_FEATURES].key,
                            dorm__settings_text(settings, DORM__DATA_FEATURES), &options->ids),
      *text ? dorm__cross_new(context, dorm__setting_table[DORM__FEATURES_CROSS].key, text, &cross) : DORM_OK);
  options->cross = cross;
  return status;
}

static void feature_options_clear(dorm__feature_options *options)
{
  dorm__id_ranges_clear(&options->ids);
  dorm__cross_free((dorm__cross *)options->cross);
}

dorm_status dorm__feature_map_from(dorm_context *context, const dorm_settings *settings, const dorm_dataset *dataset,
                                   dorm__feature_map *map)
{
  DORM__AT_END(feature_options_clear) dorm__feature_options options;
  *map = (dorm__feature_map){0};
  return DORM__ALL(feature_options_from(context, settings, &options),
                   dorm__feature_map_new(context, &options, dataset, map));
}

dorm_status dorm__features_chosen_by(dorm_context *context, const dorm_settings *settings, const dorm_dataset *dataset,
                                     size_t *count)
{
  DORM__AT_END(feature_options_clear) dorm__feature_options options;
  *count = 0;
  dorm_status status = DORM__ALL(feature_options_from(context, settings, &options),
                                 dorm__features_chosen(context, &options.ids, dataset, count));
  if (status == DORM_OK && options.cross)
    *count += options.cross->num_columns;
  return status;
}

/* Returns the options in diversity.groups. Their texts are borrowed from the settings. */
static dorm__group_options group_options_from(const dorm_settings *settings)
{
  const char *argument = dorm__settings_argument_at(settings, DORM__DIVERSITY_GROUPS, 0);
  return (dorm__group_options){.source = (dorm__group_source)dorm__settings_choice(settings, DORM__DIVERSITY_GROUPS),
                               .feature = dorm__settings_number(settings, DORM__DIVERSITY_GROUPS),
                               .pattern = argument,
                               .path = argument};
}

dorm_status dorm_dataset_read_groups(dorm_context *context, dorm_dataset *dataset, const dorm_settings *settings)
{
  if (DORM__LACKS(context, DORM__GIVEN(dataset), DORM__GIVEN(settings)))
    return DORM_BAD_USAGE;
  dorm__group_options options = group_options_from(settings);
  return dorm__groups_read(context, dataset, &options);
}

dorm_status dorm__loss_from(dorm_context *context, const dorm_settings *settings, dorm__loss **loss)
{
  return dorm__loss_open(context, dorm__settings_text(settings, DORM__LOSS_NAME), loss);
}

dorm__reference dorm__reference_from(const char *word)
{
  static const struct {
    const char *word;
    dorm__reference_kind kind;
  } kinds[] = {{"none", DORM__REFERENCE_NONE},
               {"listed", DORM__REFERENCE_LISTED},
               {"averaged", DORM__REFERENCE_AVERAGED},
               {"ideal", DORM__REFERENCE_IDEAL}};
  dorm__reference reference = {DORM__REFERENCE_MU, 0}; /* also for the word "current", which is mu:0 */
  const char *argument = NULL;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(word, kinds[i].word) == 0)
      reference.kind = kinds[i].kind;
  if (dorm__spec_is(word, "mu", &argument) && argument)
    dorm__text_to_double(argument, &reference.mu);
  return reference;
}

dorm_status dorm__position_weights_from(dorm_context *context, const char *word, dorm__position_weights *weights)
{
  const char *argument = NULL;
  *weights = (dorm__position_weights){.kind = DORM__WEIGHTS_OF_LOSS};
  if (dorm__spec_is(word, "file", &argument) && argument)
    return dorm__position_weights_read(context, argument, weights);
  if (strcmp(word, "log") == 0)
    weights->kind = DORM__WEIGHTS_LOG;
  else if (strcmp(word, "loglog") == 0)
    weights->kind = DORM__WEIGHTS_LOG_LOG;
  else if (dorm__spec_is(word, "power", &argument)) {
    weights->kind = DORM__WEIGHTS_POWER;
    if (!argument || !dorm__text_to_double(argument, &weights->exponent) || !(weights->exponent >= 0))
      return dorm__fail(context, DORM_BAD_USAGE, "ranking.position_weights: '%s' needs a number of 0 or more", word);
    if (weights->exponent == 0)
      dorm__warn(context, "ranking.position_weights = power:0 gives every position the same weight: nothing can be "
                          "learned from it");
  } else if (strcmp(word, "loss") != 0) {
    return dorm__fail(context, DORM_BAD_USAGE, "ranking.position_weights: '%s' is not known here", word);
  }
  return DORM_OK;
}

dorm__oracle_method dorm__oracle_method_from(const dorm_settings *settings)
{
  size_t choice = dorm__settings_choice(settings, DORM__SOLVER_ORACLE);
  return choice < DORM__NUM_PLAIN_ORACLE_METHODS ? (dorm__oracle_method)choice : DORM__ORACLE_AUTO;
}

dorm__diversity dorm__diversity_from(const dorm_settings *settings, size_t truncation)
{
  bool is_auto = dorm__settings_is_auto(settings, DORM__DIVERSITY_TOP);
  size_t oracle = dorm__settings_choice(settings, DORM__SOLVER_ORACLE);
  return (dorm__diversity){
      .is_on = dorm__settings_choice(settings, DORM__DIVERSITY_GROUPS) != 0 /* 0: "none" */,
      .top = !is_auto     ? dorm__settings_integer(settings, DORM__DIVERSITY_TOP)
             : truncation ? truncation
                          : DEFAULT_TOP,
      .capacity = dorm__settings_number(settings, DORM__DIVERSITY_CAPACITY),
      .method = oracle < DORM__NUM_PLAIN_ORACLE_METHODS
                    ? DORM__GROUPS_AUTO
                    : (dorm__group_method)(DORM__GROUPS_SHORTCUT + oracle - DORM__NUM_PLAIN_ORACLE_METHODS),
      .seconds = MOST_SECONDS,
  };
}

dorm_status dorm__kernel_grid_open(dorm_context *context, const dorm_settings *settings, dorm__kernel_grid *grid)
{
  *grid = (dorm__kernel_grid){.num_ranks = dorm__settings_count(settings, DORM__KERNEL_RANK)};
  dorm_status status = dorm__kernel_parse(context, dorm__settings_text(settings, DORM__KERNEL_KERNEL), &grid->kernel);
  if (status == DORM_OK)
    grid->count = dorm__kernel_is_linear(grid->kernel) ? 1 : dorm__kernel_num_choices(grid->kernel) * grid->num_ranks;
  return status;
}

void dorm__kernel_grid_close(dorm__kernel_grid *grid)
{
  dorm__kernel_free(grid->kernel);
  *grid = (dorm__kernel_grid){0};
}

void dorm__note_unused(const dorm_context *context, const dorm_settings *given, dorm__setting setting,
                       const char *reason)
{
  const dorm_setting_info *info = &dorm__setting_table[setting];
  const char *text = dorm__settings_text(given, setting);
  if (strcmp(text, info->default_text) != 0)
    dorm__note(context, "%s = %s is not used: %s", info->key, text, reason);
}

void dorm__note_unused_section(const dorm_context *context, const dorm_settings *given, const char *section,
                               const char *reason)
{
  size_t length = strlen(section);
  for (size_t i = 0; i < DORM__NUM_SETTINGS; i++) {
    const char *key = dorm__setting_table[i].key;
    bool serves = i == DORM__TREES_RAW_VALUES; /* models for serving have it, whatever their trainer */
    if (!serves && strncmp(key, section, length) == 0 && key[length] == '.')
      dorm__note_unused(context, given, (dorm__setting)i, reason);
  }
}

/* ---- Diverse ranking ---------------------------------------------------------------------- */

/* Finds the truncation of the loss in the settings. It is 0 if the loss has none, and also if the loss comes from
 * a module, since modules are loaded for training alone. */
static dorm_status find_truncation(dorm_context *context, const dorm_settings *settings, size_t *truncation)
{
  DORM__OWNED(dorm__loss) *loss = NULL;
  *truncation = 0;
  if (!dorm__settings_is_auto(settings, DORM__DIVERSITY_TOP) ||
      dorm__spec_path(dorm__settings_text(settings, DORM__LOSS_NAME)))
    return DORM_OK;
  if (!dorm__settings_is_auto(settings, DORM__LOSS_TRUNCATION)) {
    *truncation = (size_t)dorm__settings_number_at(settings, DORM__LOSS_TRUNCATION, 0);
    return DORM_OK;
  }
  dorm_status status = dorm__loss_from(context, settings, &loss);
  if (status == DORM_OK)
    *truncation = dorm__loss_truncation(loss);
  return status;
}

/* Fills c [num_positions] by the first value of ranking.position_weights. */
static dorm_status make_weights(dorm_context *context, const dorm_settings *settings, size_t num_positions, double *c)
{
  dorm__position_weights weights;
  dorm_status status = dorm__position_weights_from(
      context, dorm__settings_word_at(settings, DORM__RANKING_POSITION_WEIGHTS, 0), &weights);
  if (status != DORM_OK)
    return status;
  dorm__position_weights_fill(&weights, num_positions, c);
  for (size_t p = 0; weights.kind == DORM__WEIGHTS_OF_LOSS && p < num_positions; p++)
    c[p] = 1 / log2((double)p + 2); /* close to the loss's own weights */
  dorm__position_weights_clear(&weights);
  return DORM_OK;
}

dorm_status dorm_diversify(dorm_context *context, const dorm_settings *settings, const dorm_dataset *dataset,
                           const double *scores, double *diverse)
{
  if (DORM__LACKS(context, DORM__GIVEN(settings), DORM__GIVEN(dataset), DORM__GIVEN(scores), DORM__GIVEN(diverse)))
    return DORM_BAD_USAGE;
  size_t max_docs = dorm__dataset_max_docs(dataset), truncation = 0;
  DORM__FREED double *c = dorm__alloc(max_docs, sizeof *c);
  dorm_status status =
      c ? find_truncation(context, settings, &truncation) : dorm__out_of_memory(context, "diverse prediction");
  if (status == DORM_OK)
    status = make_weights(context, settings, max_docs, c);
  if (status == DORM_OK) {
    dorm__diversity diversity = dorm__diversity_from(settings, truncation);
    dorm__diverse_ranking options = {diversity.top, diversity.capacity, diversity.seconds, c};
    status = dorm__rank_diversely(context, dataset, &options, scores, diverse);
  }
  return status;
}
