/* generate_clicks.c: `dorm generate clicks`. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_RANKERS = 100 };

typedef struct click_generation {
  const char *output;
  size_t num_rankers;
  const char *rankers[MOST_RANKERS];
  bool is_file[MOST_RANKERS]; /* of scores; otherwise a model */
  double *scores[MOST_RANKERS];
  double eta; /* NaN: not given */
  bool is_merged;
  unsigned long long num_impressions, num_positions, seed;
  dorm_click_simulation simulation;
} click_generation;

/* Reads the data, ranks them and writes the log. */
static dorm_status generate(dorm_context *context, click_generation *made, const char *path)
{
  dorm_dataset *dataset = NULL;
  dorm_status status = dorm_dataset_read(context, path, &dataset);
  for (size_t r = 0; status == DORM_OK && r < made->num_rankers; r++) {
    dorm_model *model = NULL;
    size_t num_docs = dorm_dataset_num_docs(dataset);
    made->scores[r] = malloc(num_docs * sizeof *made->scores[r]);
    if (!made->scores[r]) {
      dorm_dataset_free(dataset);
      return (dorm_status)cli_out_of_memory();
    }
    if (made->is_file[r])
      status = dorm_scores_read(context, made->rankers[r], num_docs, made->scores[r]);
    else
      status = dorm_model_read(context, made->rankers[r], &model);
    if (status == DORM_OK && model)
      status = dorm_model_score(context, model, dataset, 0, made->scores[r]);
    dorm_model_free(model);
  }
  made->simulation.scores = (const double *const *)made->scores;
  made->simulation.num_rankers = made->num_rankers;
  if (status == DORM_OK)
    status = dorm_clicks_simulate(context, dataset, &made->simulation, made->output);
  dorm_dataset_free(dataset);
  return status == DORM_OK ? DORM_OK : (dorm_status)cli_failure(context, status);
}

static int take_ranker(click_generation *made, const char *path, bool is_file)
{
  if (made->num_rankers == MOST_RANKERS)
    return cli_usage_error("generate clicks: more than %d rankers", MOST_RANKERS);
  made->is_file[made->num_rankers] = is_file;
  made->rankers[made->num_rankers++] = path;
  return DORM_OK;
}

static int take_model(void *target, const char *path)
{
  return take_ranker(target, path, false);
}

static int take_scores(void *target, const char *path)
{
  return take_ranker(target, path, true);
}

static int take_users(void *target, const char *name)
{
  click_generation *made = target;
  made->simulation.model = strcmp(name, "cascade") == 0 ? DORM_CLICK_MODEL_CASCADE : DORM_CLICK_MODEL_POSITION;
  return strcmp(name, "cascade") == 0 || strcmp(name, "position") == 0
             ? DORM_OK
             : cli_usage_error("generate clicks: --model '%s' is neither position nor cascade", name);
}

int cli_generate_clicks(dorm_context *context, int argc, char **argv)
{
  static const cli_usage usage = {
      .command = "generate clicks",
      .synopsis = "dorm generate clicks DATA -o LOG [--ranker MODEL]... [--scores FILE]... [OPTION]...",
      .about =
          "Writes a log of the clicks of simulated users of labelled data. Each impression is of one query and one of "
          "the rankers, at random; without rankers the order is random."};
  click_generation made = {.simulation = {.struct_size = sizeof made.simulation, .epsilon = 0.1},
                           .eta = (double)NAN,
                           .num_impressions = 10000,
                           .num_positions = 10,
                           .seed = 1};
  const cli_option options[] = {
      CLI_OPTION("output", 'o', CLI_TEXT, &made.output, "LOG", "lines `query doc position click`"),
      CLI_BOUNDED("impressions", 0, CLI_COUNT, &made.num_impressions, "N", "number of impressions (10000)", 1, 1e9),
      CLI_TAKEN("ranker", 0, take_model, &made, "MODEL", "ranks the documents that users see"),
      CLI_TAKEN("scores", 0, take_scores, &made, "FILE", "ranks them by scores, one per line"),
      CLI_TAKEN(
          "model", 0, take_users, &made, "NAME",
          "position: a user looks at position k with probability 1/k^eta (the default); cascade: from the top down "
          "until the first click"),
      CLI_BOUNDED("eta", 0, CLI_NUMBER, &made.eta, "X", "(1)", 0, 100),
      CLI_BOUNDED("epsilon", 0, CLI_NUMBER, &made.simulation.epsilon, "X",
                  "chance of a click on a document of label 0 that is looked at (0.1)", 0, 1),
      CLI_OPTION("positions", 0, CLI_COUNT, &made.num_positions, "K", "documents that are shown; 0: all (10)"),
      CLI_OPTION("merged", 0, CLI_FLAG, &made.is_merged, NULL,
                 "lines `query doc position shown clicks`, which are sums"),
      CLI_OPTION("seed", 0, CLI_COUNT, &made.seed, "N", "seed (1)"),
      CLI_NO_MORE};
  int status = cli_take_options(&usage, options, argc, argv);
  if (status != CLI_RUN)
    return status;
  if (argc - optind != 1)
    return cli_usage_error("generate clicks: needs one file of labelled DATA");
  if (!made.output)
    return cli_usage_error("generate clicks: needs -o LOG");
  if (!isnan(made.eta) && made.simulation.model == DORM_CLICK_MODEL_CASCADE)
    return cli_usage_error("generate clicks: --eta is for --model position");
  made.simulation.eta = isnan(made.eta) ? 1 : made.eta;
  made.simulation.num_impressions = (size_t)made.num_impressions;
  made.simulation.num_positions = (size_t)made.num_positions;
  made.simulation.is_merged = made.is_merged;
  made.simulation.seed = made.seed;
  status = (int)generate(context, &made, argv[optind]);
  for (size_t r = 0; r < made.num_rankers; r++)
    free(made.scores[r]);
  return status;
}
