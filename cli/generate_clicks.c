/* generate_clicks.c: `dorm generate clicks`. */
#include "cli/cli.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKERS = 100 };

typedef struct click_generation {
  const char *output;
  size_t num_rankers;
  const char *rankers[MOST_RANKERS];
  bool is_file[MOST_RANKERS]; /* of scores; otherwise a model */
  double *scores[MOST_RANKERS];
  bool has_eta;
  dorm_click_simulation simulation;
} click_generation;

static int print_help(void)
{
  printf("usage: dorm generate clicks DATA -o LOG [--ranker MODEL]... [--scores FILE]... [OPTION]...\n\n"
         "Writes a log of the clicks of simulated users of labelled data. Each impression is of one\n"
         "query and one of the rankers, at random; without rankers the order is random.\n\n"
         "  -o, --output LOG      lines `query doc position click`\n"
         "      --impressions N   number of impressions (10000)\n"
         "      --ranker MODEL    ranks the documents that users see\n"
         "      --scores FILE     ranks them by scores, one per line\n"
         "      --model NAME      position: a user looks at position k with probability 1/k^eta (the\n"
         "                        default); cascade: from the top down until the first click\n"
         "      --eta X           (1)\n"
         "      --epsilon X       chance of a click on a document of label 0 that is looked at (0.1)\n"
         "      --positions K     documents that are shown; 0: all (10)\n"
         "      --merged          lines `query doc position shown clicks`, which are sums\n"
         "      --seed N          seed (1)\n");
  return DORM_OK;
}

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

static int take_option(int option, const char *name, const char *text, click_generation *made)
{
  char *end = NULL;
  unsigned long long count = 0;
  switch (option) {
  case 'o':
    made->output = text;
    return DORM_OK;
  case 'R':
  case 'S':
    if (made->num_rankers == MOST_RANKERS)
      return cli_usage_error("generate clicks: more than %d rankers", MOST_RANKERS);
    made->is_file[made->num_rankers] = option == 'S';
    made->rankers[made->num_rankers++] = text;
    return DORM_OK;
  case 'M':
    made->simulation.model = strcmp(text, "cascade") == 0 ? DORM_CLICK_MODEL_CASCADE : DORM_CLICK_MODEL_POSITION;
    if (strcmp(text, "cascade") == 0 || strcmp(text, "position") == 0)
      return DORM_OK;
    return cli_usage_error("generate clicks: --model '%s' is neither position nor cascade", text);
  case 'E':
  case 'N':
    made->has_eta = made->has_eta || option == 'E';
    *(option == 'E' ? &made->simulation.eta : &made->simulation.epsilon) = strtod(text, &end);
    return end != text && !*end ? DORM_OK : cli_usage_error("generate clicks: --%s '%s' is not a number", name, text);
  case 'G':
    made->simulation.is_merged = 1;
    return DORM_OK;
  default:
    if (!cli_parse_count(text, &count))
      return cli_usage_error("generate clicks: --%s '%s' is not a whole number", name, text);
    if (option == 'n')
      made->simulation.num_impressions = (size_t)count;
    else if (option == 'P')
      made->simulation.num_positions = (size_t)count;
    else
      made->simulation.seed = count;
    return DORM_OK;
  }
}

int cli_generate_clicks(dorm_context *context, int argc, char **argv)
{
  static const struct option options[] = {
      {"output", required_argument, NULL, 'o'},  {"impressions", required_argument, NULL, 'n'},
      {"ranker", required_argument, NULL, 'R'},  {"scores", required_argument, NULL, 'S'},
      {"model", required_argument, NULL, 'M'},   {"eta", required_argument, NULL, 'E'},
      {"epsilon", required_argument, NULL, 'N'}, {"positions", required_argument, NULL, 'P'},
      {"merged", no_argument, NULL, 'G'},        {"seed", required_argument, NULL, 's'},
      {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0}};
  click_generation made = {.simulation = {.struct_size = sizeof made.simulation,
                                          .num_impressions = 10000,
                                          .num_positions = 10,
                                          .eta = 1,
                                          .epsilon = 0.1,
                                          .seed = 1}};
  int option, status = DORM_OK;
  while (status == DORM_OK && (option = getopt_long(argc, argv, "o:h", options, NULL)) != -1) {
    if (option == 'h')
      return print_help();
    status = option == '?' ? DORM_BAD_USAGE : take_option(option, cli_option_name(options, option), optarg, &made);
  }
  if (status != DORM_OK)
    return status;
  if (argc - optind != 1)
    return cli_usage_error("generate clicks: needs one file of labelled DATA");
  if (!made.output)
    return cli_usage_error("generate clicks: needs -o LOG");
  if (made.has_eta && made.simulation.model == DORM_CLICK_MODEL_CASCADE)
    return cli_usage_error("generate clicks: --eta is for --model position");
  if (!(made.simulation.eta >= 0 && made.simulation.eta <= 100))
    return cli_usage_error("generate clicks: --eta %g is not between 0 and 100", made.simulation.eta);
  if (!(made.simulation.epsilon >= 0 && made.simulation.epsilon <= 1))
    return cli_usage_error("generate clicks: --epsilon %g is not between 0 and 1", made.simulation.epsilon);
  if (made.simulation.num_impressions < 1 || made.simulation.num_impressions > 1000000000)
    return cli_usage_error("generate clicks: --impressions %zu is not between 1 and 1000000000",
                           made.simulation.num_impressions);
  status = (int)generate(context, &made, argv[optind]);
  for (size_t r = 0; r < made.num_rankers; r++)
    free(made.scores[r]);
  return status;
}
