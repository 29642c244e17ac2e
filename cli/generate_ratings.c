/* generate_ratings.c: `dorm generate ratings`. */
#include "cli/cli.h"

#include <getopt.h>
#include <stdlib.h>

static int print_help(void)
{
  printf("usage: dorm generate ratings -o FILE [OPTION]...\n\n"
         "Writes random ratings from 1 to 5. Users have one of three tastes and items one of three\n"
         "styles; the first items are rated most often.\n\n"
         "  -o, --output FILE   the ratings to write: user, item, rating\n"
         "      --users FILE    also writes attributes of the users\n"
         "      --items FILE    also writes attributes of the items\n"
         "      --num-users N   number of users (200)\n"
         "      --num-items N   number of items (150)\n"
         "      --ratings N     ratings per user (30)\n"
         "      --noise X       standard deviation of what is added before rounding (0.5)\n"
         "      --seed N        seed (1)\n");
  return DORM_OK;
}

int cli_generate_ratings(dorm_context *context, int argc, char **argv)
{
  static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                          {"users", required_argument, NULL, 'U'},
                                          {"items", required_argument, NULL, 'I'},
                                          {"num-users", required_argument, NULL, 'u'},
                                          {"num-items", required_argument, NULL, 'i'},
                                          {"ratings", required_argument, NULL, 'r'},
                                          {"noise", required_argument, NULL, 'n'},
                                          {"seed", required_argument, NULL, 's'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
  unsigned long long counts[128] = {['u'] = 200, ['i'] = 150, ['r'] = 30, ['s'] = 1};
  const char *paths[128] = {NULL};
  double noise = 0.5;
  int option;
  while ((option = getopt_long(argc, argv, "o:h", options, NULL)) != -1) {
    char *end = NULL;
    if (option == 'h')
      return print_help();
    if (option == '?')
      return DORM_BAD_USAGE;
    if (option == 'o' || option == 'U' || option == 'I')
      paths[option] = optarg;
    else if (option == 'n') {
      noise = strtod(optarg, &end);
      if (end == optarg || *end)
        return cli_usage_error("generate: --noise '%s' is not a number", optarg);
    } else if (!cli_parse_count(optarg, &counts[option]))
      return cli_usage_error("generate: --%s '%s' is not a whole number", cli_option_name(options, option), optarg);
  }
  if (argc != optind)
    return cli_usage_error("generate ratings: '%s' is one argument too many", argv[optind]);
  if (!paths['o'])
    return cli_usage_error("generate: needs -o FILE");
  dorm_artificial_ratings parameters = {.struct_size = sizeof parameters,
                                        .num_users = (size_t)counts['u'],
                                        .num_items = (size_t)counts['i'],
                                        .ratings_per_user = (size_t)counts['r'],
                                        .noise = noise,
                                        .seed = counts['s']};
  dorm_ratings *ratings = NULL;
  dorm_status status = dorm_ratings_generate(context, &parameters, paths['U'], paths['I'], &ratings);
  if (status == DORM_OK)
    status = dorm_ratings_write(context, ratings, paths['o']);
  dorm_ratings_free(ratings);
  return status == DORM_OK ? DORM_OK : cli_failure(context, status);
}
