/* settings.h: all settings with their values. One table (settings_table.c) defines them, and parsing, --help, the
 * manual and the header of a model file follow from it. Only jobs/, trainers/, training/ and collaborative/ read
 * values, and models/ stores them as texts. Other folders below jobs/ take typed options. */
#ifndef DORM_SETTINGS_SETTINGS_H
#define DORM_SETTINGS_SETTINGS_H

#include "base/base.h"

/* A name for each row of the table in settings_table.c, in the same order. */
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
  DORM__DATA_CATEGORICAL,
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
/* The row of a key ("solver.C"), or DORM__NUM_SETTINGS. */
size_t dorm__setting_of_key(const char *key);

/* A setting that was removed, or a word that was removed from the choices of a setting. */
typedef struct dorm__gone_setting {
  const char *key;
  const char *word;    /* NULL if the whole setting was removed */
  const char *instead; /* advice for the user */
} dorm__gone_setting;

/* Finds the entry for a removed setting, or for a removed word in the text of a setting. Returns NULL if there is
 * none. */
const dorm__gone_setting *dorm__gone_setting_find(const char *key, const char *text);

/* The whole text of the value, owned by the settings. */
const char *dorm__settings_text(const dorm_settings *settings, dorm__setting setting);
/* The first number of the value, or 0 if the setting is "auto". */
double dorm__settings_number(const dorm_settings *settings, dorm__setting setting);
size_t dorm__settings_integer(const dorm_settings *settings, dorm__setting setting);
/* The index of the first value of a CHOICE or SPEC setting among the choices in its row (0 for a in "a, b, c"). An enum
 * for such a setting lists the choices in the same order. Returns SIZE_MAX if the setting is "auto", and "auto" is only
 * its default and not one of its choices. */
size_t dorm__settings_choice(const dorm_settings *settings, dorm__setting setting);
enum { DORM__START_RIDGE, DORM__START_GAINS, DORM__START_ZERO, DORM__START_FROM }; /* solver.start */
enum { DORM__RESUME_NO, DORM__RESUME_YES, DORM__RESUME_OVERWRITE };                /* output.resume */
/* Whether the value at `index` of a list is "yes". */
bool dorm__settings_say_yes(const dorm_settings *settings, dorm__setting setting, size_t index);

/* The number of values of a list, or 0 if the setting is "auto". */
size_t dorm__settings_count(const dorm_settings *settings, dorm__setting setting);
/* Whether dorm_settings_set or dorm__settings_become has set the setting, even to its default. */
bool dorm__settings_is_given(const dorm_settings *settings, dorm__setting setting);
/* Returns DORM_BAD_USAGE if a setting is given that only the command obeys. The message names the setting, and the
 * function or option of the library that replaces it. Returns DORM_OK after dorm_settings_obey_all. */
dorm_status dorm__settings_check_obeyed(dorm_context *context, const dorm_settings *settings);
bool dorm__settings_is_auto(const dorm_settings *settings, dorm__setting setting);
/* The value at `index` of a list, as text. It is owned by the settings. */
const char *dorm__settings_word_at(const dorm_settings *settings, dorm__setting setting, size_t index);
/* The number at `index` of a list. For a SPEC setting, the number after the colon, as in mu:0.3. */
double dorm__settings_number_at(const dorm_settings *settings, dorm__setting setting, size_t index);
/* The text after the colon in a SPEC setting, such as the path in file:c.txt, or NULL without a colon. */
const char *dorm__settings_argument_at(const dorm_settings *settings, dorm__setting setting, size_t index);

/* Whether `word` is `name`, alone or followed by a colon and an argument, as in "power:0.5". *argument is the text
 * after the colon ("0.5"), or NULL without a colon. `argument` may be NULL. */
bool dorm__spec_is(const char *word, const char *name, const char **argument);
DORM__OWNER(dorm_settings, dorm_settings_free)
dorm_status dorm__settings_copy(dorm_context *context, const dorm_settings *settings, dorm_settings **copy);

/* Sets a setting to the value that dorm chose for it, such as a number in place of "auto". Returns DORM_BAD_USAGE if
 * the row of the table does not allow the value. */
dorm_status dorm__settings_become(dorm_context *context, dorm_settings *settings, dorm__setting setting,
                                  const char *text);
/* Whether the user set the setting by dorm_settings_set. Model files list these settings in their line "set". */
bool dorm__settings_is_asked(const dorm_settings *settings, dorm__setting setting);
void dorm__settings_mark_asked(dorm_settings *settings, dorm__setting setting);
/* Marks a setting as read from a model file and not set by the user. dorm_settings_set removes the mark. */
void dorm__settings_mark_record(dorm_settings *settings, dorm__setting setting);
/* Copies settings for use without the files of an earlier training. A setting that was read from a model file and names
 * a file or a module has its default in the copy. The caller frees *copy, which is NULL on failure. */
dorm_status dorm__settings_copy_usable(dorm_context *context, const dorm_settings *settings, dorm_settings **copy);
/* Copies the settings that are given in `given` (dorm__settings_is_given) to `settings`. */
dorm_status dorm__settings_replace(dorm_context *context, const dorm_settings *given, dorm_settings *settings);

/* Calls `take` for every path that the settings name: non-empty values of PATH settings, and arguments <path> of SPEC
 * settings. Stops at the first status of `take` other than DORM_OK, and returns it. Skips paths inside the texts of
 * losses and kernels, because only losses/ and kernels/ can parse these texts. */
typedef dorm_status (*dorm__settings_take_path)(void *user, dorm__setting setting, const char *path);
dorm_status dorm__settings_each_path(const dorm_settings *settings, dorm__settings_take_path take, void *user);

#endif
