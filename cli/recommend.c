/* recommend.c: `dorm recommend`. */
#include "cli/cli.h"

#include <getopt.h>
#include <stdlib.h>

typedef struct recommend_options {
  const char *model;
  const char *user;    /* NULL: all users of the ratings */
  const char *ratings; /* NULL: none */
  const char *pairs;   /* to score instead of listing */
  const char *output;
  size_t most;
  size_t num_assignments;
  const char *assignments[CLI_MOST_ASSIGNMENTS];
} recommend_options;

static int print_help(void)
{
  printf("usage: dorm recommend MODEL --user ID [--ratings FILE] [-n COUNT]\n"
         "       dorm recommend MODEL --ratings FILE [-n COUNT] [--set KEY=VALUE]...\n"
         "       dorm recommend MODEL --score FILE [-o FILE]\n\n"
         "MODEL is a file that `dorm factorize` wrote. Prints user, item and score of the best items\n"
         "that a user has not rated. The vector of a user with ratings in FILE (user, item, rating)\n"
         "is computed from these ratings, whether the model knows the user or not. Without --user,\n"
         "a list is printed for every user in FILE.\n\n"
         "  -u, --user ID       prints the list of this user only\n"
         "      --ratings FILE  ratings by new users\n"
         "  -n, --count N       number of items per user (10)\n"
         "      --score FILE    writes one score for each rating in FILE instead, grouped by user, in\n"
         "                      the order in which the users first appear\n"
         "  -s, --set KEY=VALUE for --ratings: a setting that names a file, which is not taken from MODEL:\n"
         "                      loss.module, loss.name or ranking.position_weights\n"
         "  -o, --output FILE   where the scores go, instead of standard output\n");
  return DORM_OK;
}

static dorm_status print_list(dorm_context *context, const dorm_factors *factors, const dorm_ratings *given,
                              const char *user, size_t most)
{
  size_t room = most < dorm_factors_num_items(factors) ? most : dorm_factors_num_items(factors);
  const char **items = malloc((room + 1) * sizeof *items);
  double *scores = malloc((room + 1) * sizeof *scores);
  size_t count = 0;
  dorm_status status = DORM_OK;
  if (!items || !scores) {
    status = (dorm_status)cli_out_of_memory();
  } else {
    status = dorm_factors_recommend(context, factors, user, given, room, &count, items, scores);
    if (status != DORM_OK)
      cli_failure(context, status);
  }
  for (size_t k = 0; k < count; k++)
    printf("%s\t%s\t%.6f\n", user, items[k], scores[k]);
  free(items);
  free(scores);
  return status;
}

static dorm_status print_lists(dorm_context *context, const recommend_options *options, const dorm_factors *factors,
                               const dorm_ratings *given)
{
  dorm_status status = DORM_OK;
  if (options->user)
    return print_list(context, factors, given, options->user, options->most);
  for (size_t u = 0; status == DORM_OK && u < dorm_ratings_num_users(given); u++)
    status = print_list(context, factors, given, dorm_ratings_user_id(given, u), options->most);
  return status;
}

static dorm_status write_scores(dorm_context *context, const recommend_options *options, const dorm_factors *factors,
                                const dorm_ratings *pairs)
{
  double *scores = malloc(dorm_ratings_count(pairs) * sizeof *scores);
  if (!scores)
    return (dorm_status)cli_out_of_memory();
  dorm_status status = dorm_factors_score(context, factors, pairs, scores);
  if (status == DORM_OK)
    status = dorm_scores_write(context, options->output, dorm_ratings_count(pairs), scores);
  if (status != DORM_OK)
    cli_failure(context, status);
  free(scores);
  return status;
}

static dorm_status recommend(dorm_context *context, const recommend_options *options)
{
  const char *path = options->pairs ? options->pairs : options->ratings;
  dorm_settings *settings = NULL;
  dorm_factors *factors = NULL;
  dorm_ratings *ratings = NULL;
  dorm_status status = cli_read_settings(context, NULL, options->num_assignments, options->assignments, &settings);
  if (status != DORM_OK) {
    dorm_settings_free(settings);
    return status;
  }
  status = dorm_factors_read(context, options->model, &factors);
  if (status == DORM_OK)
    status = dorm_factors_use_settings(context, factors, settings);
  if (status == DORM_OK && path)
    status = dorm_ratings_read(context, settings, path, NULL, &ratings, NULL);
  if (status != DORM_OK)
    cli_failure(context, status);
  else if (options->pairs)
    status = write_scores(context, options, factors, ratings);
  else
    status = print_lists(context, options, factors, ratings);
  dorm_ratings_free(ratings);
  dorm_factors_free(factors);
  dorm_settings_free(settings);
  return status;
}

int command_recommend(dorm_context *context, int argc, char **argv)
{
  static const struct option options[] = {
      {"user", required_argument, NULL, 'u'},  {"ratings", required_argument, NULL, 'r'},
      {"count", required_argument, NULL, 'n'}, {"score", required_argument, NULL, 'p'},
      {"set", required_argument, NULL, 's'},   {"output", required_argument, NULL, 'o'},
      {"help", no_argument, NULL, 'h'},        {NULL, 0, NULL, 0}};
  recommend_options given = {.output = "-", .most = 10};
  unsigned long long count;
  int option;
  dorm_context_set_log(context, cli_print_note, NULL);
  while ((option = getopt_long(argc, argv, "u:n:s:o:h", options, NULL)) != -1) {
    if (option == 'u')
      given.user = optarg;
    else if (option == 'r')
      given.ratings = optarg;
    else if (option == 'p')
      given.pairs = optarg;
    else if (option == 'o')
      given.output = optarg;
    else if (option == 's' && given.num_assignments == CLI_MOST_ASSIGNMENTS)
      return cli_usage_error("recommend: --set is given more than %d times", CLI_MOST_ASSIGNMENTS);
    else if (option == 's')
      given.assignments[given.num_assignments++] = optarg;
    else if (option == 'h')
      return print_help();
    else if (option != 'n')
      return DORM_BAD_USAGE;
    else if (!cli_parse_count(optarg, &count) || !count)
      return cli_usage_error("recommend: --count '%s' is not a whole number of 1 or more", optarg);
    else
      given.most = (size_t)count;
  }
  if (argc - optind != 1)
    return cli_usage_error("recommend: needs MODEL");
  if (!given.user && !given.ratings && !given.pairs)
    return cli_usage_error("recommend: needs --user, --ratings or --score");
  given.model = argv[optind];
  return (int)recommend(context, &given);
}
