/*
 * settings.h: every setting with its value. One table (settings_table.c) defines them; parsing, --help, the manual
 * and the header of a model file come from it. Values are read in training/, collaborative/ and cli/ alone: the
 * folders below take typed options.
 */
#ifndef DORM_SETTINGS_SETTINGS_H
#define DORM_SETTINGS_SETTINGS_H

#include "base/base.h"

/* One name for each row of the table in settings_table.c, in its order. */
typedef enum dorm__setting {
  DORM__DATA_TRAIN,
  DORM__DATA_VALIDATION,
  DORM__DATA_TEST,
  DORM__DATA_NORMALISATION,
  DORM__DATA_RANK_BLOCK,
  DORM__DATA_FEATURES,
  DORM__DATA_SORT_QUERIES,
  DORM__DATA_STORAGE,
  DORM__DATA_CACHE,
  DORM__DATA_WEIGHTS,
  DORM__DATA_SUBTOPICS,
  DORM__DATA_FROM,
  DORM__DATA_COLUMNS,
  DORM__FEATURES_CROSS,
  DORM__DATA_CLICKS,
  DORM__DATA_VALIDATION_CLICKS,
  DORM__CLICKS_PROPENSITY,
  DORM__CLICKS_CURVE,
  DORM__KERNEL_KERNEL,
  DORM__KERNEL_RANK,
  DORM__TRAINING_TRAINER,
  DORM__TRAINING_LAMBDA,
  DORM__TRAINING_PATIENCE,
  DORM__TRAINING_SEED,
  DORM__TRAINING_BUDGET,
  DORM__TRAINING_INCREASING,
  DORM__TRAINING_DECREASING,
  DORM__TREES_OBJECTIVE,
  DORM__TREES_RAW_VALUES,
  DORM__TREES_START,
  DORM__TREES_REGRESSION_SHARE,
  DORM__TREES_TREES,
  DORM__TREES_LEAVES,
  DORM__TREES_LEARNING_RATE,
  DORM__TREES_BINS,
  DORM__TREES_MIN_DOCS_IN_LEAF,
  DORM__TREES_ROW_SHARE,
  DORM__TREES_FEATURE_SHARE,
  DORM__NET_HIDDEN,
  DORM__NET_LEARNING_RATE,
  DORM__NET_SCHEDULE,
  DORM__NET_EPOCHS,
  DORM__NET_BATCH,
  DORM__NET_START,
  DORM__SMOOTH_COST,
  DORM__SMOOTH_C,
  DORM__ADARANK_ROUNDS,
  DORM__LOSS_NAME,
  DORM__LOSS_TRUNCATION,
  DORM__RANKING_POSITION_WEIGHTS,
  DORM__RANKING_POSITION_FUNCTIONS,
  DORM__RANKING_REFERENCE,
  DORM__RANKING_ROUNDS,
  DORM__SOLVER_C,
  DORM__SOLVER_GAP,
  DORM__SOLVER_MAX_ITERATIONS,
  DORM__SOLVER_ORACLE,
  DORM__SOLVER_ORACLE_CHECK,
  DORM__SOLVER_START,
  DORM__SOLVER_RHO,
  DORM__SOLVER_RIDGE,
  DORM__SOLVER_THREADS,
  DORM__SOLVER_SHARDS,
  DORM__SOLVER_MAX_SECONDS,
  DORM__DIVERSITY_GROUPS,
  DORM__DIVERSITY_TOP,
  DORM__DIVERSITY_CAPACITY,
  DORM__SELECTION_MEASURE,
  DORM__SELECTION_AVERAGE,
  DORM__SELECTION_BLEND,
  DORM__SELECTION_START,
  DORM__SELECTION_FOLDS,
  DORM__SELECTION_RETRAIN,
  DORM__STREAM_EVERY,
  DORM__RATINGS_FILE,
  DORM__RATINGS_HELD_OUT,
  DORM__RATINGS_USERS,
  DORM__RATINGS_ITEMS,
  DORM__RATINGS_SPLIT,
  DORM__RATINGS_FOLDS,
  DORM__RATINGS_REPEATS,
  DORM__RATINGS_FEATURES,
  DORM__RATINGS_KERNELS,
  DORM__RATINGS_WRITE,
  DORM__RATINGS_OUTPUT,
  DORM__FACTORIZATION_RANK,
  DORM__FACTORIZATION_START,
  DORM__FACTORIZATION_PENALTY,
  DORM__FACTORIZATION_ROUNDS,
  DORM__OUTPUT_MODEL,
  DORM__OUTPUT_CANDIDATES,
  DORM__OUTPUT_CHECKPOINT,
  DORM__OUTPUT_CHECKPOINT_SECONDS,
  DORM__OUTPUT_RESUME,
  DORM__NUM_SETTINGS
} dorm__setting;

extern const dorm_setting_info dorm__setting_table[DORM__NUM_SETTINGS];
/* The row of a key ("solver.C"), DORM__NUM_SETTINGS when there is none. */
size_t dorm__setting_of_key(const char *key);

/* A setting, or a word of one, that only earlier versions have. */
typedef struct dorm__gone_setting {
  const char *key;
  const char *word;    /* NULL: the whole setting is gone */
  const char *instead; /* the advice */
} dorm__gone_setting;

/* The entry for a setting with this text. NULL if neither is gone. */
const dorm__gone_setting *dorm__gone_setting_find(const char *key, const char *text);

const char *dorm__settings_text(const dorm_settings *settings, dorm__setting setting);
/* The first number; 0 when the setting is "auto". */
double dorm__settings_number(const dorm_settings *settings, dorm__setting setting);
size_t dorm__settings_integer(const dorm_settings *settings, dorm__setting setting);
/* The index of the chosen word among the row's choices ("a, b, c" gives 0, 1, 2), for a CHOICE or SPEC setting of one
 * value. An enum for such a setting has the order of the table's words. SIZE_MAX when the setting is "auto" and that
 * word is not among the choices. */
size_t dorm__settings_choice(const dorm_settings *settings, dorm__setting setting);
enum { DORM__START_RIDGE, DORM__START_GAINS, DORM__START_ZERO, DORM__START_FROM }; /* solver.start */
enum { DORM__RESUME_NO, DORM__RESUME_YES, DORM__RESUME_OVERWRITE };                /* output.resume */
/* Whether the word at `index` is "yes". */
bool dorm__settings_say_yes(const dorm_settings *settings, dorm__setting setting, size_t index);

/* The number of values of a list; 0 when the setting is "auto". */
size_t dorm__settings_count(const dorm_settings *settings, dorm__setting setting);
/* Whether the setting was set, to whatever value, rather than left to its default. */
bool dorm__settings_is_given(const dorm_settings *settings, dorm__setting setting);
/* DORM_BAD_USAGE, naming the setting and what the library has in its place, if one was given that only the command
 * obeys, unless the program has said that it does (dorm_settings_obey_all). */
dorm_status dorm__settings_check_obeyed(dorm_context *context, const dorm_settings *settings);
bool dorm__settings_is_auto(const dorm_settings *settings, dorm__setting setting);
const char *dorm__settings_word_at(const dorm_settings *settings, dorm__setting setting, size_t index);
/* The number at `index` of a list; for a SPEC setting, the number after the colon, as in mu:0.3. */
double dorm__settings_number_at(const dorm_settings *settings, dorm__setting setting, size_t index);
/* For a SPEC setting, what follows the colon, such as the path in file:c.txt; NULL when there is no colon. */
const char *dorm__settings_argument_at(const dorm_settings *settings, dorm__setting setting, size_t index);

/* "power:0.5" is the name "power" with the argument "0.5". True if `word` starts with `name` and ends there or
 * continues with ':'; *argument is then what follows the colon, or NULL. */
bool dorm__spec_is(const char *word, const char *name, const char **argument);
DORM__OWNER(dorm_settings, dorm_settings_free)
dorm_status dorm__settings_copy(dorm_context *context, const dorm_settings *settings, dorm_settings **copy);

/* Gives a setting the value that its default, or what the user asked for, comes to. */
dorm_status dorm__settings_become(dorm_context *context, dorm_settings *settings, dorm__setting setting,
                                  const char *text);
/* Whether the user asked for it by dorm_settings_set. The mark goes into model files. */
bool dorm__settings_is_asked(const dorm_settings *settings, dorm__setting setting);
void dorm__settings_mark_asked(dorm_settings *settings, dorm__setting setting);
/* Marks a setting as read from a model file, and as not asked for. dorm_settings_set takes the mark away. */
void dorm__settings_mark_record(dorm_settings *settings, dorm__setting setting);
/* Copies settings for use. A setting that was read from a model file and names a file has its default in the copy, and
 * so has the name of a loss if the model names a module of losses. */
dorm_status dorm__settings_copy_usable(dorm_context *context, const dorm_settings *settings, dorm_settings **copy);
/* Sets in `settings` what was set in `given`. */
dorm_status dorm__settings_replace(dorm_context *context, const dorm_settings *given, dorm_settings *settings);

/* Hands out every path that the settings name: the values of PATH settings that are not empty, and the arguments
 * <path> of SPEC settings. Ends with the first status of `take` other than DORM_OK. Paths within the specs of losses
 * and kernels are known to their folders alone. */
typedef dorm_status (*dorm__settings_take_path)(void *user, dorm__setting setting, const char *path);
dorm_status dorm__settings_each_path(const dorm_settings *settings, dorm__settings_take_path take, void *user);

#endif
