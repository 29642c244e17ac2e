/* settings_table.c: the table of the settings (settings_list.h), from which parsing, --help, the manual pages and the
 * header of a model file follow, and the settings that are gone. */
#include "settings/settings.h"

#include <string.h>

const dorm_setting_info dorm__setting_table[DORM__NUM_SETTINGS] = {
#define SETTING(name, key, kind, is_list, min, max, choices, preset, instead, help)                                    \
  {key, DORM_SETTING_##kind, is_list, min, max, choices, preset, help, instead},
#include "settings/settings_list.h"
#undef SETTING
};

static const dorm__gone_setting gone_settings[] = {
    {"data.bits", NULL, "use data.storage = file"},
    {"data.folder", NULL, "the environment variable TMPDIR names the folder"},
    {"ratings.features", "factors", "the others rank as well without it"},
    {"ratings.features", "small-factors", "the others rank as well without it"},
    {"ratings.features", "neighbours", "the others rank as well without it"},
    {"ratings.features", "item-mean", "the others rank as well without it"},
    {"ratings.features", "squared-error", "use dorm factorize with factorization.rounds = 0"},
    {"ratings.minimum", NULL, "ratings below 0 are an error"},
    {"ratings.maximum", NULL, "ratings have no upper bound"},
    {"ratings.duplicates", NULL, "a second rating of an item by the same user is an error"},
    {"ratings.rank", NULL, "the vectors of users and items in the affinities have length 20"},
    {"ratings.least_rest", NULL, "a split drops users with fewer than 10 held-out ratings"},
    {"ratings.least_item", NULL, "a split keeps all items"},
    {"factorization.scale", NULL, "the scores at the start are scaled by 0.1"},
    {"selection.rule", NULL, "the best candidates are averaged; selection.average = 1 takes the best one"},
    {"adarank.repeats", NULL, "no feature is chosen twice in a row"},
    {"adarank.rounds", NULL, "candidates have 1, 2, 5, 10, 20, 50, 100 and 200 rounds"},
    {"trees.expected", NULL, "ordinal and classification rank by the expected label"},
    {"clicks.propensity", "chain", "use harvest, which compares all pairs of positions"},
    {"clicks.propensity", "power", "use power:ETA, as in power:1"},
    {"clicks.propensity", "file", "use file:PATH"},
    {"clicks.eta", NULL, "use clicks.propensity = power:ETA"},
    {"clicks.file", NULL, "use clicks.propensity = file:PATH"},
    {"clicks.clip", NULL, "smaller propensities are raised to 0.01"},
    {"clicks.gains", NULL, "a click is divided by the mean propensity of its document over the shown rankings"},
    {"kernel.landmarks", NULL, "pivots are the documents with the largest residuals"},
    {"stream.method", NULL, "streams take subgradient steps"},
    {"stream.window", NULL, "streams keep no queries"},
    {"stream.visits", NULL, "streams learn from each query once"},
    {"stream.horizon", NULL, "solver.C is divided by the number of queries so far"},
    {"stream.skip", NULL, "a resumed stream skips the lines of files, and no lines of pipes"},
    {"solver.C_scale", NULL, "solver.C is divided by the number of queries that train"},
    {"solver.solver", NULL, "each query has a slack and a working set"},
    {"solver.working_set", NULL, "rankings without weight may fill 2048 megabytes"},
    {"trees.shrinkage", NULL, "it is now trees.learning_rate"},
    {"trees.least_documents", NULL, "it is now trees.min_docs_in_leaf"},
    {"trees.documents", NULL, "it is now trees.row_share"},
    {"trees.features", NULL, "it is now trees.feature_share"},
    {"trees.lambda", NULL, "it is now training.lambda"},
    {"net.lambda", NULL, "it is now training.lambda"},
    {"trees.patience", NULL, "it is now training.patience"},
    {"net.patience", NULL, "it is now training.patience"},
    {"solver.weight_min", NULL, "use training.increasing, the features whose weights are at least 0"},
    {"solver.weight_max", NULL, "use training.decreasing, the features whose weights are at most 0"},
    {"solver.bounded", NULL, "use training.increasing and training.decreasing"},
    {"features.cross_size", NULL, "use features.cross = 1-5 x 20-40 into N"},
    {"diversity.oracle", NULL, "use solver.oracle"},
    {"ratings.user_kernel", NULL, "use ratings.kernels, for users and items"},
    {"ratings.item_kernel", NULL, "use ratings.kernels, for users and items"},
    {"loss.module", NULL, "use loss.name = from PATH, or loss.name = NAME from PATH"},
    {"trees.bags", NULL, "use selection.folds, whose trees are averaged"},
    {"net.penalty", NULL, "the weights of nets have no penalty"},
    {"net.rate", NULL, "it is now net.learning_rate"},
    {"output.checkpoint_minutes", NULL, "use output.checkpoint_seconds, in seconds"},
    {"solver.time_limit", NULL, "use solver.max_seconds, in seconds"},
    {"kernel.seed", NULL, "use training.seed"},
    {"trees.seed", NULL, "use training.seed"},
    {"net.seed", NULL, "use training.seed"},
    {"selection.seed", NULL, "use training.seed"},
    {"ratings.seed", NULL, "use training.seed"},
    {"smooth.gap", NULL, "minimisations stop at a relative gap of 1e-6"},
    {"smooth.max_iterations", NULL, "minimisations make at most 1000 passes, and 100 for costs that are not convex"},
    {"smooth.width", NULL, "smoothrank begins at 4 times the spread of the scores of ridge regression"},
    {"smooth.steps", NULL, "smoothrank has 6 widths"},
    {"diversity.unknown", NULL, "groups in JSON lines may name documents that the data lack"},
    {"diversity.overlap", NULL, "a file may put a document into several groups"},
    {"diversity.time_limit", NULL, "a mixed-integer programme may take 10 seconds"},
};

/* Whether `word` is one of the words in `text`, which commas and blanks separate. */
static bool has_word(const char *text, const char *word)
{
  for (text += strspn(text, ", "); *text; text += strspn(text, ", ")) {
    size_t size = strcspn(text, ", ");
    if (size == strlen(word) && strncmp(text, word, size) == 0)
      return true;
    text += size;
  }
  return false;
}

const dorm__gone_setting *dorm__gone_setting_find(const char *key, const char *text)
{
  for (size_t i = 0; i < sizeof gone_settings / sizeof *gone_settings; i++)
    if (strcmp(gone_settings[i].key, key) == 0 && (!gone_settings[i].word || has_word(text, gone_settings[i].word)))
      return &gone_settings[i];
  return NULL;
}

size_t dorm__setting_of_key(const char *key)
{
  size_t i = 0;
  while (i < DORM__NUM_SETTINGS && strcmp(dorm__setting_table[i].key, key) != 0)
    i++;
  return i;
}

const dorm_setting_info *dorm_setting_info_at(size_t index)
{
  return index < DORM__NUM_SETTINGS ? &dorm__setting_table[index] : NULL;
}
