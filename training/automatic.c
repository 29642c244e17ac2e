/*
 * automatic.c: what training.trainer = auto stands for. Linear models and boosted trees are trained, and a blend of
 * both is chosen among them by validation data or folds. Trees see normalised values and raw ones. One kind alone is
 * trained if the other cannot be: the first row of the table below that applies decides.
 */
#include "training/check.h"

#include <string.h>

static const char *text_of(const dorm_settings *settings, dorm__setting setting)
{
  return dorm__settings_text(settings, setting);
}

static bool has_kernel(const dorm_settings *settings)
{
  return strcmp(text_of(settings, DORM__KERNEL_KERNEL), "linear") != 0;
}

static bool has_positions(const dorm_settings *settings)
{
  return dorm__settings_integer(settings, DORM__RANKING_POSITION_FUNCTIONS) > 1;
}

static bool has_checkpoint(const dorm_settings *settings)
{
  return *text_of(settings, DORM__OUTPUT_CHECKPOINT) != '\0';
}

static bool has_earlier(const dorm_settings *settings)
{
  return *text_of(settings, DORM__DATA_FROM) != '\0';
}

static bool has_shards(const dorm_settings *settings)
{
  return !dorm__settings_is_auto(settings, DORM__SOLVER_SHARDS);
}

static const struct {
  bool (*applies)(const dorm_settings *settings);
  const char *reason; /* why trees are not among the candidates */
} linear_alone[] = {{has_kernel, "trees see no kernel"},
                    {has_positions, "trees have no functions of positions"},
                    {has_checkpoint, "a checkpoint cannot resume trees"},
                    {has_shards, "trees are grown in one process"},
                    {has_earlier, "trees go on from trees alone, by training.trainer = trees"}};

/* Why trees are not among the candidates; NULL: they are. */
static const char *reason_against_trees(const dorm_settings *settings)
{
  for (size_t i = 0; i < sizeof linear_alone / sizeof *linear_alone; i++)
    if (linear_alone[i].applies(settings))
      return linear_alone[i].reason;
  return NULL;
}

static dorm_status set(dorm_context *context, dorm_settings *settings, dorm__setting setting, const char *text)
{
  return dorm_settings_set(context, settings, dorm__setting_table[setting].key, text);
}

dorm_status dorm__settle_trainer(dorm_context *context, const dorm_settings *given, dorm_settings **settings)
{
  dorm_status status = dorm__settings_copy(context, given, settings);
  if (status != DORM_OK || !dorm__settings_is_auto(given, DORM__TRAINING_TRAINER))
    return status;
  const char *reason = reason_against_trees(given);
  if (reason) {
    dorm__note(context, "training.trainer = auto: svm alone, since %s", reason);
    return set(context, *settings, DORM__TRAINING_TRAINER, "svm");
  }
  dorm__note(context, "training.trainer = auto: svm, trees");
  status = set(context, *settings, DORM__TRAINING_TRAINER, "svm, trees");
  if (status == DORM_OK && !dorm__settings_is_given(given, DORM__TREES_RAW_VALUES))
    status = set(context, *settings, DORM__TREES_RAW_VALUES, "no, yes");
  return status;
}
