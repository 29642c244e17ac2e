/* generate.c: `dorm generate`. */
#include "cli/cli.h"

#include <string.h>
#include <unistd.h>

typedef struct generation {
  const char *output, *subtopics;
  unsigned long long num_queries, num_docs, num_features, num_entries, seed, part;
  double noise;
} generation;

static int generate(dorm_context *context, const char *kind, const generation *asked)
{
  dorm_artificial parameters = {
      .struct_size = sizeof parameters,
      .num_queries = (size_t)asked->num_queries,
      .docs_per_query = (size_t)asked->num_docs,
      .num_features = (size_t)asked->num_features,
      .noise = asked->noise,
      .model_seed = asked->seed,
      .data_seed = asked->seed * 1000003 + asked->part,
  };
  dorm_dataset *dataset = NULL;
  dorm_status status = strcmp(kind, "ambiguous") == 0 ? dorm_dataset_generate_ambiguous(context, parameters.num_queries,
                                                                                        parameters.data_seed, &dataset)
                       : strcmp(kind, "sparse") == 0
                           ? dorm_dataset_generate_sparse(context, &parameters, (size_t)asked->num_entries, &dataset)
                           : dorm_dataset_generate_artificial(context, &parameters, &dataset);
  if (status == DORM_OK)
    status = dorm_dataset_write(context, dataset, asked->output);
  if (status == DORM_OK && asked->subtopics)
    status = dorm_dataset_write_subtopics(context, dataset, asked->subtopics);
  dorm_dataset_free(dataset);
  return status == DORM_OK ? DORM_OK : cli_failure(context, status);
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
  generation asked = {.num_queries = 200, .num_docs = 50, .num_features = 10, .num_entries = 40, .seed = 1, .part = 1};
  const cli_option options[] = {
      CLI_OPTION("output", 'o', CLI_TEXT, &asked.output, "FILE", "the LETOR text to write"),
      CLI_OPTION("queries", 0, CLI_COUNT, &asked.num_queries, "N", "number of queries (200)"),
      CLI_OPTION("docs", 'd', CLI_COUNT, &asked.num_docs, "N", "documents per query (50)"),
      CLI_OPTION("features", 'f', CLI_COUNT, &asked.num_features, "N", "number of features (10)"),
      CLI_OPTION("entries", 'e', CLI_COUNT, &asked.num_entries, "N", "features that a sparse document has (40)"),
      CLI_OPTION("noise", 0, CLI_NUMBER, &asked.noise, "X", "standard deviation of what is added to the target (0)"),
      CLI_OPTION("seed", 0, CLI_COUNT, &asked.seed, "N", "seed of the polynomial (1)"),
      CLI_OPTION("part", 0, CLI_COUNT, &asked.part, "N", "seed of the documents (1)"),
      CLI_OPTION("subtopics", 0, CLI_TEXT, &asked.subtopics, "FILE",
                 "where to write the senses of ambiguous queries, as lines `query subtopic document judgement`"),
      CLI_NO_MORE};
  if (argc > 1 && strcmp(argv[1], "ratings") == 0)
    return cli_generate_ratings(context, argc - 1, argv + 1);
  if (argc > 1 && strcmp(argv[1], "clicks") == 0)
    return cli_generate_clicks(context, argc - 1, argv + 1);
  int ended = cli_take_options(&usage, options, argc, argv);
  if (ended != CLI_RUN)
    return ended;
  const char *kind = argc - optind == 1 ? argv[optind] : "";
  if (strcmp(kind, "sparse") != 0 && strcmp(kind, "ambiguous") != 0 && strcmp(kind, "artificial") != 0)
    return cli_usage_error("generate: name the kind of data: artificial, sparse, ambiguous, ratings or clicks");
  if (asked.subtopics && strcmp(kind, "ambiguous") != 0)
    return cli_usage_error("generate: --subtopics is for ambiguous data only");
  if (!asked.output)
    return cli_usage_error("generate: needs -o FILE");
  return generate(context, kind, &asked);
}
