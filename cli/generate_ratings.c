/* generate_ratings.c: `dorm generate ratings`. */
#include "cli/cli.h"

#include <unistd.h>

int cli_generate_ratings(dorm_context *context, int argc, char **argv)
{
  static const cli_usage usage = {
      .command = "generate ratings",
      .synopsis = "dorm generate ratings -o FILE [OPTION]...",
      .about =
          "Writes random ratings from 1 to 5. Users have one of three tastes and items one of three styles; the first "
          "items are rated most often."};
  unsigned long long num_users = 200, num_items = 150, num_ratings = 30, seed = 1;
  const char *output = NULL, *users = NULL, *items = NULL;
  double noise = 0.5;
  const cli_option options[] = {
      CLI_OPTION("output", 'o', CLI_TEXT, &output, "FILE", "the ratings to write: user, item, rating"),
      CLI_OPTION("users", 0, CLI_TEXT, &users, "FILE", "also writes attributes of the users"),
      CLI_OPTION("items", 0, CLI_TEXT, &items, "FILE", "also writes attributes of the items"),
      CLI_OPTION("num-users", 0, CLI_COUNT, &num_users, "N", "number of users (200)"),
      CLI_OPTION("num-items", 0, CLI_COUNT, &num_items, "N", "number of items (150)"),
      CLI_OPTION("ratings", 0, CLI_COUNT, &num_ratings, "N", "ratings per user (30)"),
      CLI_OPTION("noise", 0, CLI_NUMBER, &noise, "X", "standard deviation of what is added before rounding (0.5)"),
      CLI_OPTION("seed", 0, CLI_COUNT, &seed, "N", "seed (1)"),
      CLI_NO_MORE};
  int ended = cli_take_options(&usage, options, argc, argv);
  if (ended != CLI_RUN)
    return ended;
  if (argc != optind)
    return cli_usage_error("generate ratings: '%s' is one argument too many", argv[optind]);
  if (!output)
    return cli_usage_error("generate ratings: needs -o FILE");
  dorm_artificial_ratings parameters = {.struct_size = sizeof parameters,
                                        .num_users = (size_t)num_users,
                                        .num_items = (size_t)num_items,
                                        .ratings_per_user = (size_t)num_ratings,
                                        .noise = noise,
                                        .seed = seed};
  dorm_ratings *ratings = NULL;
  dorm_status status = dorm_ratings_generate(context, &parameters, users, items, &ratings);
  if (status == DORM_OK)
    status = dorm_ratings_write(context, ratings, output);
  dorm_ratings_free(ratings);
  return status == DORM_OK ? DORM_OK : cli_failure(context, status);
}
