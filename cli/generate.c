/* generate.c: `dorm generate`. */
#include "cli/cli.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static int print_help(void)
{
  printf("usage: dorm generate artificial|sparse|ambiguous|ratings|clicks -o FILE [OPTION]...\n\n"
         "Writes random ranking data of one of these kinds:\n\n"
         "  artificial  labels 0 to 4 from a random cubic polynomial of uniform features, as in\n"
         "              Burges et al. 2005; sets with the same --seed share the polynomial, and\n"
         "              a different --part gives them different documents\n"
         "  sparse      documents that have a few features of many, the first ones most often;\n"
         "              labels from a random linear function\n"
         "  ambiguous   queries of one word with several senses, one of which is covered by many\n"
         "              pages of a single host; takes only --output, --queries, --seed, --part\n"
         "              and --subtopics\n"
         "  ratings     see dorm generate ratings --help\n"
         "  clicks      see dorm generate clicks --help\n\n"
         "  -o, --output FILE     the LETOR text to write\n"
         "      --queries N       number of queries (200)\n"
         "  -d, --docs N          documents per query (50)\n"
         "  -f, --features N      number of features (10)\n"
         "  -e, --entries N       features that a sparse document has (40)\n"
         "      --noise X         standard deviation of what is added to the target (0)\n"
         "      --seed N          seed of the polynomial (1)\n"
         "      --part N          seed of the documents (1)\n"
         "      --subtopics FILE  where to write the senses of ambiguous queries, as lines\n"
         "                        `query subtopic document judgement`\n");
  return DORM_OK;
}

int command_generate(dorm_context *context, int argc, char **argv)
{
  static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                          {"queries", required_argument, NULL, 'q'},
                                          {"docs", required_argument, NULL, 'd'},
                                          {"features", required_argument, NULL, 'f'},
                                          {"entries", required_argument, NULL, 'e'},
                                          {"noise", required_argument, NULL, 'n'},
                                          {"seed", required_argument, NULL, 's'},
                                          {"part", required_argument, NULL, 'p'},
                                          {"help", no_argument, NULL, 'h'},
                                          {"subtopics", required_argument, NULL, 'T'},
                                          {NULL, 0, NULL, 0}};
  unsigned long long counts[128] = {['q'] = 200, ['d'] = 50, ['f'] = 10, ['e'] = 40, ['s'] = 1, ['p'] = 1};
  const char *output = NULL;
  const char *subtopics = NULL;
  double noise = 0;
  int option;
  if (argc > 1 && strcmp(argv[1], "ratings") == 0)
    return cli_generate_ratings(context, argc - 1, argv + 1);
  if (argc > 1 && strcmp(argv[1], "clicks") == 0)
    return cli_generate_clicks(context, argc - 1, argv + 1);
  while ((option = getopt_long(argc, argv, "o:d:f:e:h", options, NULL)) != -1) {
    char *end = NULL;
    if (option == 'h')
      return print_help();
    if (option == '?')
      return DORM_BAD_USAGE;
    if (option == 'o')
      output = optarg;
    else if (option == 'T')
      subtopics = optarg;
    else if (option == 'n') {
      noise = strtod(optarg, &end);
      if (end == optarg || *end)
        return cli_usage_error("generate: --noise '%s' is not a number", optarg);
    } else if (!cli_parse_count(optarg, &counts[option])) {
      return cli_usage_error("generate: --%s '%s' is not a whole number", cli_option_name(options, option), optarg);
    }
  }
  const char *kind = argc - optind == 1 ? argv[optind] : "";
  bool is_sparse = strcmp(kind, "sparse") == 0, is_ambiguous = strcmp(kind, "ambiguous") == 0;
  if (!is_sparse && !is_ambiguous && strcmp(kind, "artificial") != 0)
    return cli_usage_error("generate: name the kind of data: artificial, sparse, ambiguous, ratings or clicks");
  if (subtopics && !is_ambiguous)
    return cli_usage_error("generate: --subtopics is for ambiguous data only");
  if (!output)
    return cli_usage_error("generate: needs -o FILE");
  dorm_artificial parameters = {
      .struct_size = sizeof parameters,
      .num_queries = (size_t)counts['q'],
      .docs_per_query = (size_t)counts['d'],
      .num_features = (size_t)counts['f'],
      .noise = noise,
      .model_seed = counts['s'],
      .data_seed = counts['s'] * 1000003 + counts['p'],
  };
  dorm_dataset *dataset = NULL;
  dorm_status status =
      is_ambiguous ? dorm_dataset_generate_ambiguous(context, parameters.num_queries, parameters.data_seed, &dataset)
      : is_sparse  ? dorm_dataset_generate_sparse(context, &parameters, (size_t)counts['e'], &dataset)
                   : dorm_dataset_generate_artificial(context, &parameters, &dataset);
  if (status == DORM_OK)
    status = dorm_dataset_write(context, dataset, output);
  if (status == DORM_OK && subtopics)
    status = dorm_dataset_write_subtopics(context, dataset, subtopics);
  dorm_dataset_free(dataset);
  return status == DORM_OK ? DORM_OK : cli_failure(context, status);
}
