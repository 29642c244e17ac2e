/* tree_choices.c: the combinations of the settings trees.*. */
#include "trainers/combinations.h"
#include "trainers/tree_start.h"

#include <stdio.h>
#include <string.h>

static const dorm__combined_list lists[DORM__NUM_TREE_LISTS] = {
    [DORM__TREE_LEAVES] = {DORM__TREES_LEAVES, "leaves", true},
    [DORM__TREE_LEARNING_RATE] = {DORM__TREES_LEARNING_RATE, "rate", false},
    [DORM__TREE_MIN_DOCS_IN_LEAF] = {DORM__TREES_MIN_DOCS_IN_LEAF, "min_docs_in_leaf", false},
    [DORM__TREE_ROW_SHARE] = {DORM__TREES_ROW_SHARE, "row_share", false},
    [DORM__TREE_FEATURE_SHARE] = {DORM__TREES_FEATURE_SHARE, "feature_share", false},
    [DORM__TREE_REGRESSION_SHARE] = {DORM__TREES_REGRESSION_SHARE, "regression_share", false},
    [DORM__TREE_L2] = {DORM__TREES_L2, "l2", false}};

/* Returns the choice that a word of trees.objective names. */
static dorm__tree_choice choice_of(const dorm__job *job, size_t index)
{
  static const char with_own_lambda[] = "dorm"; /* short for `lambda` with the λ-function of that name */
  const char *word = dorm__settings_word_at(job->settings, DORM__TREES_OBJECTIVE, index);
  return (dorm__tree_choice){.word = word,
                             .objective = dorm__tree_objective_named(word),
                             .own_lambda = strcmp(word, with_own_lambda) == 0 ? with_own_lambda : NULL};
}

/* Returns whether there is one choice for each function of training.lambda. */
static bool takes_named_lambdas(const dorm__tree_choice *choice)
{
  return choice->objective->follows_lambda && !choice->own_lambda;
}

/* Returns the number of choices of an objective. *found, unless NULL, becomes number `index`. */
static size_t walk_objectives(const dorm__job *job, size_t index, dorm__tree_choice *found)
{
  size_t count = 0;
  for (size_t i = 0; i < dorm__settings_count(job->settings, DORM__TREES_OBJECTIVE); i++) {
    dorm__tree_choice choice = choice_of(job, i);
    size_t num_lambdas = takes_named_lambdas(&choice) ? dorm__lambda_list_count(job, DORM__TRAINING_LAMBDA) : 1;
    for (choice.lambda = 0; choice.lambda < num_lambdas; choice.lambda++, count++)
      if (found && count == index)
        *found = choice;
  }
  return count;
}

/* Counts the kinds of values, a single one without normalisation, since all values are then raw. */
static size_t count_values(const dorm__job *job)
{
  bool is_raw = dorm__settings_choice(job->settings, DORM__DATA_NORMALISATION) == DORM__NORMALISATION_NONE;
  return is_raw ? 1 : dorm__settings_count(job->settings, DORM__TREES_RAW_VALUES);
}

size_t dorm__tree_choices_count(const dorm__job *job)
{
  return count_values(job) * walk_objectives(job, 0, NULL) * dorm__settings_count(job->settings, DORM__TREES_START) *
         dorm__combinations_count(job, DORM__NUM_TREE_LISTS, lists);
}

dorm__tree_choice dorm__tree_choice_at(const dorm__job *job, size_t index)
{
  dorm__tree_choice made = {0};
  double values[DORM__NUM_TREE_LISTS];
  size_t num_starts = dorm__settings_count(job->settings, DORM__TREES_START);
  index = dorm__combination_values(job, DORM__NUM_TREE_LISTS, lists, index, values);
  size_t start = index % num_starts;
  index /= num_starts;
  walk_objectives(job, index / count_values(job), &made);
  made.start = start;
  made.is_raw = dorm__settings_say_yes(job->settings, DORM__TREES_RAW_VALUES, index % count_values(job));
  memcpy(made.values, values, sizeof values);
  snprintf(made.text, sizeof made.text, "%s", made.word);
  dorm__combination_say(job, DORM__NUM_TREE_LISTS, lists, made.values, sizeof made.text, made.text);
  if (takes_named_lambdas(&made))
    dorm__lambda_list_say(job, DORM__TRAINING_LAMBDA, made.lambda, sizeof made.text, made.text);
  if (count_values(job) > 1)
    snprintf(made.text + strlen(made.text), sizeof made.text - strlen(made.text), ",%s",
             made.is_raw ? "raw" : "scaled");
  size_t used = strlen(made.text);
  if (num_starts > 1)
    snprintf(made.text + used, sizeof made.text - used, ",start=%s",
             dorm__settings_word_at(job->settings, DORM__TREES_START, made.start));
  return made;
}
