/*
 * automatic.c: resolves training.trainer = auto. Trains linear models and boosted trees, and chooses a blend of both by
 * validation data or folds. Trees use normalised and raw values, unless these are the same. Trains linear models alone
 * if trees cannot be trained (linear_alone), and trees alone if each document must be scored by itself.
 */
#include "base/processes.h"
#include "training/train_once.h"

#include <math.h>
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

static const struct {
  bool (*applies)(const dorm_settings *settings);
  const char *reason; /* why trees are not among the candidates */
} linear_alone[] = {{has_kernel, "trees see no kernel"}, {has_positions, "trees have no functions of positions"}};

/* Returns whether the features allow a model that scores each document by itself. Search engines hold linear models or
 * trees, but no blend. */
static bool is_for_serving(const dorm_settings *settings)
{
  const char *normalisation = text_of(settings, DORM__DATA_NORMALISATION);
  bool is_global = strcmp(normalisation, "none") == 0 || strncmp(normalisation, "global-", strlen("global-")) == 0;
  return is_global && strcmp(text_of(settings, DORM__DATA_RANK_BLOCK), "0") == 0;
}

/* Returns why trees are not among the candidates, or NULL if they are. */
static const char *reason_against_trees(const dorm_settings *settings, size_t num_docs, bool has_validation)
{
  bool has_folds = dorm__settings_is_auto(settings, DORM__SELECTION_FOLDS)
                       ? !has_validation
                       : dorm__settings_integer(settings, DORM__SELECTION_FOLDS) > 1;
  enum { FEW_DOCS = 200 };
  if (num_docs < FEW_DOCS)
    return "there are fewer than 200 documents";
  for (size_t i = 0; i < sizeof linear_alone / sizeof *linear_alone; i++)
    if (linear_alone[i].applies(settings))
      return linear_alone[i].reason;
  return *text_of(settings, DORM__OUTPUT_CHECKPOINT) && !has_folds ? "a checkpoint resumes trees only in folds" : NULL;
}

/* Widens the ranges low, high [num_features] to the values of a document. */
static void take_values(const float *values, size_t num_features, float *low, float *high)
{
  for (size_t f = 0; f < num_features; f++) {
    low[f] = values[f] < low[f] ? values[f] : low[f];
    high[f] = values[f] > high[f] ? values[f] : high[f];
  }
}

/* Finds out whether each feature of each query has values from 0 to 1, both included, or only 0, so that minmax changes
 * nothing. *is becomes false for sparse data and missing values, without a look at the values. All processes find the
 * same. */
static dorm_status find_normalised(dorm_context *context, const dorm_dataset *train, bool *is)
{
  size_t width = train->num_features;
  DORM__FREED float *low = dorm__alloc(width, 2 * sizeof *low);
  if (!low)
    return dorm__out_of_memory(context, "ranges");
  float *high = low + width;
  *is = !train->row_start && !train->has_missing;
  for (size_t q = 0; *is && q < train->num_queries; q++) {
    memcpy(low, train->values + train->query_start[q] * width, width * sizeof *low);
    memcpy(high, low, width * sizeof *high);
    for (size_t j = train->query_start[q]; j < train->query_start[q + 1]; j++)
      take_values(train->values + j * width, width, low, high);
    for (size_t f = 0; f < width; f++)
      *is = *is && low[f] >= 0 && low[f] <= 0 && (high[f] >= 1 || high[f] <= 0) && high[f] <= 1;
  }
  int64_t is_not = !*is;
  dorm_status status = dorm__processes_max(context, &is_not);
  *is = !is_not;
  return status;
}

static dorm_status set(dorm_context *context, dorm_settings *settings, dorm__setting setting, const char *text)
{
  return dorm__settings_become(context, settings, setting, text);
}

/* The trainer that continues from the model of data.from: the trainer of its parts. */
static dorm_status trainer_of_model(dorm_context *context, const dorm_settings *given, const char **trainer)
{
  DORM__OWNED(dorm_model) *model = NULL;
  dorm_status status = dorm_model_read(context, text_of(given, DORM__DATA_FROM), &model);
  const char *kind = NULL;
  *trainer = "svm";
  for (size_t i = 0; status == DORM_OK && dorm_model_part(model, i, &kind, NULL); i++)
    if (strcmp(kind, "net") == 0 || strcmp(kind, "trees") == 0)
      *trainer = strcmp(kind, "net") == 0 ? "net" : "trees";
  return status;
}

/* Gives trees normalised and raw values, or only raw ones if both are the same. */
static dorm_status choose_values(dorm_context *context, const dorm_settings *given, const dorm_dataset *train,
                                 dorm_settings *settings)
{
  bool is_normalised = false;
  dorm_status status = DORM_OK;
  if (strcmp(text_of(given, DORM__DATA_NORMALISATION), "minmax") == 0)
    status = find_normalised(context, train, &is_normalised);
  return status == DORM_OK ? set(context, settings, DORM__TREES_RAW_VALUES, is_normalised ? "yes" : "no, yes") : status;
}

double dorm__train_num_values(const dorm_dataset *train)
{
  return train->row_start ? (double)train->row_start[train->num_docs]
                          : (double)train->num_docs * (double)train->num_features;
}

double dorm__seconds_of_a_value(const dorm_settings *given, double num_values)
{
  double budget = dorm__settings_number(given, DORM__TRAINING_BUDGET);
  return budget > 0 && !*text_of(given, DORM__OUTPUT_CHECKPOINT) ? budget / num_values : INFINITY;
}

/* The conditions for a row of set_values. Linear candidates of large data would take most of the time. In a hurry, with
 * a short budget for the data, one ensemble of trees ranks better than the beginnings of eight. */
enum { ALWAYS, IF_LARGE, IN_A_HURRY };

static bool holds(int when, const dorm_settings *given, double num_values)
{
  static const double large = 1e6;               /* values */
  static const double seconds_of_a_value = 1e-5; /* of the default training, within a factor of a few */
  bool is_hurried = dorm__settings_is_given(given, DORM__TRAINING_BUDGET) &&
                    dorm__seconds_of_a_value(given, num_values) < seconds_of_a_value;
  return when == ALWAYS || (when == IF_LARGE && num_values > large) || (when == IN_A_HURRY && is_hurried);
}

/* Sets the lists of linear models and trees, unless they were given. */
static dorm_status set_values(dorm_context *context, const dorm_settings *given, const dorm_dataset *train,
                              dorm_settings *settings)
{
  static const struct {
    dorm__setting setting;
    const char *text;
    int when;
  } values[] = {{DORM__TREES_LEAVES, "8, 32", ALWAYS},      {DORM__TREES_LEARNING_RATE, "0.1", ALWAYS},
                {DORM__SOLVER_C, "3, 30", IF_LARGE},        {DORM__RANKING_ROUNDS, "2", IF_LARGE},
                {DORM__TREES_LEAVES, "32", IN_A_HURRY},     {DORM__TREES_RAW_VALUES, "yes", IN_A_HURRY},
                {DORM__DATA_RANK_BLOCK, "0.5", IN_A_HURRY}, {DORM__SOLVER_C, "10", IN_A_HURRY},
                {DORM__RANKING_ROUNDS, "1", IN_A_HURRY}};
  uint64_t num_values = (uint64_t)dorm__train_num_values(train);
  dorm_status status =
      DORM__ALL(dorm__processes_totals(context, 1, &num_values), dorm__settings_is_given(given, DORM__TREES_RAW_VALUES)
                                                                     ? DORM_OK
                                                                     : choose_values(context, given, train, settings));
  for (size_t i = 0; status == DORM_OK && i < sizeof values / sizeof *values; i++)
    if (!dorm__settings_is_given(given, values[i].setting) && holds(values[i].when, given, (double)num_values))
      status = set(context, settings, values[i].setting, values[i].text);
  return status;
}

dorm_status dorm__settle_trainer(dorm_context *context, const dorm_settings *given, const dorm_dataset *train,
                                 bool has_validation, dorm_settings **settings)
{
  dorm_status status = dorm__settings_copy(context, given, settings);
  if (status != DORM_OK || !dorm__settings_is_auto(given, DORM__TRAINING_TRAINER))
    return status;
  const char *reason = reason_against_trees(given, dorm__all_docs(train), has_validation), *trainer = NULL;
  if (*text_of(given, DORM__DATA_FROM)) {
    status = trainer_of_model(context, given, &trainer);
    return status == DORM_OK ? set(context, *settings, DORM__TRAINING_TRAINER, trainer) : status;
  }
  if (reason) {
    dorm__note(context, "training.trainer = auto: svm alone, since %s", reason);
    return set(context, *settings, DORM__TRAINING_TRAINER, "svm");
  }
  trainer = is_for_serving(given) ? "trees" : "svm, trees";
  dorm__detail(context, "training.trainer = auto: %s", trainer);
  status = set(context, *settings, DORM__TRAINING_TRAINER, trainer);
  return status == DORM_OK ? set_values(context, given, train, *settings) : status;
}
