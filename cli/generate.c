/* generate.c: `dorm generate`, which writes random data. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- dorm generate clicks ---------------------------------------------------------------------- */

enum { MOST_RANKERS = 100 };

typedef struct click_generation {
  const char *output;
  const char *rankers[MOST_RANKERS];
  bool is_file[MOST_RANKERS]; /* a score file, otherwise a model */
  double *scores[MOST_RANKERS];
  double eta; /* NaN if not given */
  bool is_merged;
  dorm_click_simulation simulation;
} click_generation;

/* Reads and ranks the data, and writes the log. */
static void generate_log(dorm_context *context, click_generation *made, const char *path)
{
  dorm_dataset *dataset = NULL;
  cli_check(context, dorm_dataset_read(context, path, &dataset));
  size_t num_docs = dorm_dataset_num_docs(dataset);
  for (size_t r = 0; r < made->simulation.num_rankers; r++) {
    dorm_model *model = NULL;
    made->scores[r] = cli_alloc(num_docs, sizeof *made->scores[r]);
    if (made->is_file[r]) {
      cli_check(context, dorm_scores_read(context, made->rankers[r], num_docs, made->scores[r]));
      continue;
    }
    cli_check(context, dorm_model_read(context, made->rankers[r], &model));
    cli_check(context, dorm_model_score(context, model, dataset, 0, made->scores[r]));
    dorm_model_free(model);
  }
  made->simulation.scores = (const double *const *)made->scores;
  cli_check(context, dorm_clicks_simulate(context, dataset, &made->simulation, made->output));
  for (size_t r = 0; r < made->simulation.num_rankers; r++)
    free(made->scores[r]);
  dorm_dataset_free(dataset);
}

static int take_ranker(click_generation *made, const char *path, bool is_file)
{
  if (made->simulation.num_rankers == MOST_RANKERS)
    return cli_usage_error("generate clicks: more than %d rankers", MOST_RANKERS);
  made->is_file[made->simulation.num_rankers] = is_file;
  made->rankers[made->simulation.num_rankers++] = path;
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
  bool is_cascade = strcmp(name, "cascade") == 0;
  made->simulation.model = is_cascade ? DORM_CLICK_MODEL_CASCADE : DORM_CLICK_MODEL_POSITION;
  if (!is_cascade && strcmp(name, "position") != 0)
    return cli_usage_error("generate clicks: --model '%s' is neither position nor cascade", name);
  return DORM_OK;
}

static int generate_clicks(dorm_context *context, int argc, char **argv)
{
  static const cli_usage usage = {
      .command = "generate clicks",
      .synopsis = "dorm generate clicks DATA -o LOG [--ranker MODEL]... [--scores FILE]... [OPTION]...",
      .about =
          "Writes a log of the clicks of simulated users of labelled data. Each impression is of one query and one of "
          "the rankers, at random; without rankers the order is random."};
  click_generation made = {.simulation = {.struct_size = sizeof made.simulation,
                                          .num_impressions = 10000,
                                          .num_positions = 10,
                                          .epsilon = 0.1,
                                          .seed = 1},
                           .eta = (double)NAN};
  const cli_option options[] = {
      CLI_OPTION("output", 'o', CLI_TEXT, &made.output, "LOG", "lines `query doc position click`"),
      CLI_BOUNDED("impressions", 0, CLI_SIZE, &made.simulation.num_impressions, "N", "number of impressions (10000)", 1,
                  1e9),
      CLI_TAKEN("ranker", 0, take_model, &made, "MODEL", "ranks the documents that users see"),
      CLI_TAKEN("scores", 0, take_scores, &made, "FILE", "ranks them by scores, one per line"),
      CLI_TAKEN(
          "model", 0, take_users, &made, "NAME",
          "position: a user looks at position k with probability 1/k^eta (the default); cascade: from the top down "
          "until the first click"),
      CLI_BOUNDED("eta", 0, CLI_NUMBER, &made.eta, "X", "(1)", 0, 100),
      CLI_BOUNDED("epsilon", 0, CLI_NUMBER, &made.simulation.epsilon, "X",
                  "chance of a click on a document of label 0 that is looked at (0.1)", 0, 1),
      CLI_BOUNDED(
          "trust", 0, CLI_NUMBER, &made.simulation.trust, "X",
          "chance of a click by trust, at position k divided by k, on a document that is looked at and does not "
          "attract (0)",
          0, 1),
      CLI_OPTION("positions", 0, CLI_SIZE, &made.simulation.num_positions, "K",
                 "documents that are shown; 0: all (10)"),
      CLI_OPTION("merged", 0, CLI_FLAG, &made.is_merged, NULL,
                 "lines `query doc position shown clicks`, which are sums"),
      CLI_OPTION("seed", 0, CLI_SEED, &made.simulation.seed, "N", "seed (1)"),
      CLI_NO_MORE};
  cli_take_options(&usage, options, argc, argv);
  if (argc - optind != 1)
    return cli_usage_error("generate clicks: needs one file of labelled DATA");
  if (!made.output)
    return cli_usage_error("generate clicks: needs -o LOG");
  if (!isnan(made.eta) && made.simulation.model == DORM_CLICK_MODEL_CASCADE)
    return cli_usage_error("generate clicks: --eta is for --model position");
  made.simulation.eta = isnan(made.eta) ? 1 : made.eta;
  made.simulation.is_merged = made.is_merged;
  generate_log(context, &made, argv[optind]);
  return DORM_OK;
}

/* ---- dorm generate ratings --------------------------------------------------------------------- */

static int generate_ratings(dorm_context *context, int argc, char **argv)
{
  static const cli_usage usage = {
      .command = "generate ratings",
      .synopsis = "dorm generate ratings -o FILE [OPTION]...",
      .about =
          "Writes random ratings from 1 to 5. Users have one of three tastes and items one of three styles; the first "
          "items are rated most often."};
  dorm_artificial_ratings asked = {
      .struct_size = sizeof asked, .num_users = 200, .num_items = 150, .ratings_per_user = 30, .noise = 0.5, .seed = 1};
  const char *output = NULL, *users = NULL, *items = NULL;
  const cli_option options[] = {
      CLI_OPTION("output", 'o', CLI_TEXT, &output, "FILE", "the ratings to write: user, item, rating"),
      CLI_OPTION("users", 0, CLI_TEXT, &users, "FILE", "also writes attributes of the users"),
      CLI_OPTION("items", 0, CLI_TEXT, &items, "FILE", "also writes attributes of the items"),
      CLI_OPTION("num-users", 0, CLI_SIZE, &asked.num_users, "N", "number of users (200)"),
      CLI_OPTION("num-items", 0, CLI_SIZE, &asked.num_items, "N", "number of items (150)"),
      CLI_OPTION("ratings", 0, CLI_SIZE, &asked.ratings_per_user, "N", "ratings per user (30)"),
      CLI_OPTION("noise", 0, CLI_NUMBER, &asked.noise, "X",
                 "standard deviation of what is added before rounding (0.5)"),
      CLI_OPTION("seed", 0, CLI_SEED, &asked.seed, "N", "seed (1)"),
      CLI_NO_MORE};
  cli_take_options(&usage, options, argc, argv);
  if (argc != optind)
    return cli_usage_error("generate ratings: '%s' is one argument too many", argv[optind]);
  if (!output)
    return cli_usage_error("generate ratings: needs -o FILE");
  dorm_ratings *ratings = NULL;
  cli_check(context, dorm_ratings_generate(context, &asked, users, items, &ratings));
  cli_check(context, dorm_ratings_write(context, ratings, output));
  dorm_ratings_free(ratings);
  return DORM_OK;
}

/* ---- dorm generate ----------------------------------------------------------------------------- */

static void generate(dorm_context *context, const char *kind, const dorm_artificial *asked, size_t num_entries,
                     const char *output, const char *subtopics)
{
  dorm_dataset *dataset = NULL;
  if (strcmp(kind, "ambiguous") == 0)
    cli_check(context, dorm_dataset_generate_ambiguous(context, asked->num_queries, asked->data_seed, &dataset));
  else if (strcmp(kind, "sparse") == 0)
    cli_check(context, dorm_dataset_generate_sparse(context, asked, num_entries, &dataset));
  else
    cli_check(context, dorm_dataset_generate_artificial(context, asked, &dataset));
  cli_check(context, dorm_dataset_write(context, dataset, output));
  if (subtopics)
    cli_check(context, dorm_dataset_write_subtopics(context, dataset, subtopics));
  dorm_dataset_free(dataset);
}

int command_generate(dorm_context *context, int argc, char **argv)
{
  static const cli_usage usage = {
      .command = "generate",
      .synopsis = "dorm generate KIND -o FILE [OPTION]...",
      .about =
          "Writes random ranking data of one of these kinds:\n"
          "- artificial: labels 0 to 4 from a random cubic polynomial of uniform features, as in Burges et al. 2005; "
          "sets with the same --seed share the polynomial, and a different --part gives them different documents\n"
          "- sparse: documents that have a few features of many, the first ones most often; labels from a random "
          "linear function\n"
          "- ambiguous: queries of one word with several senses, one of which is covered by many pages of a single "
          "host; takes only --output, --queries, --seed, --part and --subtopics\n"
          "- ratings: see dorm generate ratings --help\n"
          "- clicks: see dorm generate clicks --help"};
  dorm_artificial asked = {
      .struct_size = sizeof asked, .num_queries = 200, .docs_per_query = 50, .num_features = 10, .model_seed = 1};
  const char *output = NULL, *subtopics = NULL;
  size_t num_entries = 40;
  uint64_t part = 1;
  const cli_option options[] = {
      CLI_OPTION("output", 'o', CLI_TEXT, &output, "FILE", "the LETOR text to write"),
      CLI_OPTION("queries", 0, CLI_SIZE, &asked.num_queries, "N", "number of queries (200)"),
      CLI_OPTION("docs", 'd', CLI_SIZE, &asked.docs_per_query, "N", "documents per query (50)"),
      CLI_OPTION("features", 'f', CLI_SIZE, &asked.num_features, "N", "number of features (10)"),
      CLI_OPTION("entries", 'e', CLI_SIZE, &num_entries, "N", "features that a sparse document has (40)"),
      CLI_OPTION("noise", 0, CLI_NUMBER, &asked.noise, "X", "standard deviation of what is added to the target (0)"),
      CLI_OPTION("seed", 0, CLI_SEED, &asked.model_seed, "N", "seed of the polynomial (1)"),
      CLI_OPTION("part", 0, CLI_SEED, &part, "N", "seed of the documents (1)"),
      CLI_OPTION("subtopics", 0, CLI_TEXT, &subtopics, "FILE",
                 "where to write the senses of ambiguous queries, as lines `query subtopic document judgement`"),
      CLI_NO_MORE};
  if (argc > 1 && strcmp(argv[1], "ratings") == 0)
    return generate_ratings(context, argc - 1, argv + 1);
  if (argc > 1 && strcmp(argv[1], "clicks") == 0)
    return generate_clicks(context, argc - 1, argv + 1);
  cli_take_options(&usage, options, argc, argv);
  const char *kind = argc - optind == 1 ? argv[optind] : "";
  if (strcmp(kind, "sparse") != 0 && strcmp(kind, "ambiguous") != 0 && strcmp(kind, "artificial") != 0)
    return cli_usage_error("generate: name the kind of data: artificial, sparse, ambiguous, ratings or clicks");
  if (subtopics && strcmp(kind, "ambiguous") != 0)
    return cli_usage_error("generate: --subtopics is for ambiguous data only");
  if (!output)
    return cli_usage_error("generate: needs -o FILE");
  asked.data_seed = asked.model_seed * 1000003 + part;
  generate(context, kind, &asked, num_entries, output, subtopics);
  return DORM_OK;
}
