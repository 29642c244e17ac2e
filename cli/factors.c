/* factors.c: `dorm factorize` and `dorm recommend`. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- dorm factorize ------------------------------------------------------------ */

static void print_rounds(const dorm_factors *factors, bool has_held_out)
{
  const dorm_factor_round *round;
  cli_print(stdout, "round     objective   after users   after items  seconds  seconds  passes  rankings      gap%s\n",
            has_held_out ? "  held out" : "");
  for (size_t i = 0; (round = dorm_factors_round(factors, i)) != NULL; i++) {
    printf("%5zu %13.6f %13.6f %13.6f %8.2f %8.2f %7zu %9zu %8.2e", round->number, round->before, round->after_users,
           round->after_items, round->user_seconds, round->item_seconds, round->item_passes, round->num_columns,
           round->item_gap);
    if (has_held_out)
      printf("  %.6f", round->held_out);
    cli_print(stdout, "%s\n", round->is_kept ? " *" : "");
  }
}

static void factorize(dorm_context *context, const dorm_settings *settings)
{
  const char *path = dorm_settings_get(settings, "output.model");
  dorm_ratings *training = NULL, *held_out = NULL;
  dorm_factors *factors = NULL;
  cli_check(context, dorm_context_lock_output(context, path));
  cli_read_ratings(context, settings, &training, &held_out);
  cli_check(context, dorm_factorize(context, settings, training, held_out, &factors));
  cli_check(context, dorm_factors_write(context, factors, path));
  print_rounds(factors, held_out != NULL);
  cli_print(stdout, "\n%zu users and %zu items, rank %zu; the factors of the round marked * were written to %s\n",
            dorm_factors_num_users(factors), dorm_factors_num_items(factors), dorm_factors_rank(factors), path);
  dorm_factors_free(factors);
  dorm_ratings_free(training);
  dorm_ratings_free(held_out);
}

int command_factorize(dorm_context *context, int argc, char **argv)
{
  static const cli_usage usage = {
      .command = "factorize",
      .synopsis = "dorm factorize [CONFIG] [-s SECTION.KEY=VALUE]... [--quiet]",
      .about =
          "Learns from ratings an offset and a vector for each item and a vector for each user, so that ranking items "
          "by offset + <user, item> costs least under loss.name, and writes them to output.model. If ratings are held "
          "out (ratings.split or ratings.held_out), they decide which round is written.",
      .after = "If a setting is a list, its first value is used; ranking.reference = auto means mu:0.3.",
      .settings = "ratings factorization loss"};
  dorm_settings *settings = NULL;
  const char *config = NULL;
  cli_texts assignments = {0};
  bool is_quiet = false;
  const cli_option options[] = {
      CLI_CONFIG_OPTION(&config), CLI_SET_OPTION(&assignments),
      CLI_OPTION("quiet", 'q', CLI_FLAG, &is_quiet, NULL, "prints neither notes nor progress on standard error"),
      CLI_NO_MORE};
  cli_take_options(&usage, options, argc, argv);
  dorm_context_set_log(context, is_quiet ? NULL : cli_print_note, NULL);
  cli_expect(cli_find_configuration("factorize", argc, argv, 0, &config));
  cli_expect(cli_read_settings(context, config, &assignments, &settings));
  factorize(context, settings);
  dorm_settings_free(settings);
  return DORM_OK;
}

/* ---- dorm recommend ------------------------------------------------------------ */

typedef struct recommend_options {
  const char *user;    /* NULL: all users */
  const char *ratings; /* or NULL */
  const char *pairs;   /* to score instead of listing */
  const char *output;
  size_t most;
  cli_texts assignments;
} recommend_options;

static void print_list(dorm_context *context, const dorm_factors *factors, const dorm_ratings *given, const char *user,
                       size_t most)
{
  size_t room = most < dorm_factors_num_items(factors) ? most : dorm_factors_num_items(factors), count = 0;
  const char **items = cli_alloc(room, sizeof *items);
  double *scores = cli_alloc(room, sizeof *scores);
  cli_check(context, dorm_factors_recommend(context, factors, user, given, room, &count, items, scores));
  for (size_t k = 0; k < count; k++)
    printf("%s\t%s\t%.6f\n", user, items[k], scores[k]);
  free(items);
  free(scores);
}

static void write_scores(dorm_context *context, const char *path, const dorm_factors *factors,
                         const dorm_ratings *pairs)
{
  double *scores = cli_alloc(dorm_ratings_count(pairs), sizeof *scores);
  cli_check(context, dorm_factors_score(context, factors, pairs, scores));
  cli_check(context, dorm_scores_write(context, path, dorm_ratings_count(pairs), scores));
  free(scores);
}

static void recommend(dorm_context *context, const recommend_options *options, const char *model)
{
  const char *path = options->pairs ? options->pairs : options->ratings;
  dorm_settings *settings = NULL;
  dorm_factors *factors = NULL;
  dorm_ratings *ratings = NULL;
  cli_expect(cli_read_settings(context, NULL, &options->assignments, &settings));
  cli_check(context, dorm_factors_read(context, model, &factors));
  cli_check(context, dorm_factors_use_settings(context, factors, settings));
  if (path)
    cli_check(context, dorm_ratings_read(context, settings, path, NULL, &ratings, NULL));
  if (options->pairs)
    write_scores(context, options->output, factors, ratings);
  else if (options->user)
    print_list(context, factors, ratings, options->user, options->most);
  else
    for (size_t u = 0; u < dorm_ratings_num_users(ratings); u++)
      print_list(context, factors, ratings, dorm_ratings_user_id(ratings, u), options->most);
  dorm_ratings_free(ratings);
  dorm_factors_free(factors);
  dorm_settings_free(settings);
}

int command_recommend(dorm_context *context, int argc, char **argv)
{
  static const cli_usage usage = {
      .command = "recommend",
      .synopsis = "dorm recommend MODEL --user ID [--ratings FILE] [-n COUNT]\n"
                  "dorm recommend MODEL --ratings FILE [-n COUNT] [--set KEY=VALUE]...\n"
                  "dorm recommend MODEL --score FILE [-o FILE]",
      .about =
          "MODEL is a file that `dorm factorize` wrote. Prints user, item and score of the best items that a user has "
          "not rated. The vector of a user with ratings in FILE (user, item, rating) is computed from these ratings, "
          "whether the model knows the user or not. Without --user, a list is printed for every user in FILE."};
  recommend_options given = {.output = "-", .most = 10};
  const cli_option options[] = {
      CLI_OPTION("user", 'u', CLI_TEXT, &given.user, "ID", "prints the list of this user only"),
      CLI_OPTION("ratings", 0, CLI_TEXT, &given.ratings, "FILE", "ratings by new users"),
      CLI_BOUNDED("count", 'n', CLI_SIZE, &given.most, "N", "number of items per user (10)", 1, 0),
      CLI_OPTION("score", 0, CLI_TEXT, &given.pairs, "FILE",
                 "writes one score for each rating in FILE instead, grouped by user, in the order in which the users "
                 "first appear"),
      CLI_OPTION("set", 's', CLI_TEXTS, &given.assignments, "KEY=VALUE",
                 "for --ratings: a setting that names a file, which is not taken from MODEL: loss.name or "
                 "ranking.position_weights"),
      CLI_OPTION("output", 'o', CLI_TEXT, &given.output, "FILE", "where the scores go, instead of standard output"),
      CLI_NO_MORE};
  dorm_context_set_log(context, cli_print_note, NULL);
  cli_take_options(&usage, options, argc, argv);
  if (argc - optind != 1)
    return cli_usage_error("recommend: needs MODEL");
  if (!given.user && !given.ratings && !given.pairs)
    return cli_usage_error("recommend: needs --user, --ratings or --score");
  recommend(context, &given, argv[optind]);
  return DORM_OK;
}
