/* factorize.c: `dorm factorize`. */
#include "cli/cli.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static int print_help(void)
{
  printf("usage: dorm factorize [CONFIG] [-s SECTION.KEY=VALUE]... [--quiet]\n\n"
         "Learns from ratings an offset and a vector for each item and a vector for each user, so\n"
         "that ranking items by offset + <user, item> costs least under loss.name, and writes them\n"
         "to output.model. If ratings are held out (ratings.split or ratings.held_out), they decide\n"
         "which round is written.\n\n"
         "  -c, --config FILE    reads a configuration of any name\n"
         "  -s, --set KEY=VALUE  sets one setting\n"
         "  -q, --quiet          prints no progress on standard error\n\n"
         "If a setting is a list, its first value is used; ranking.reference = auto means mu:0.3.\n\n");
  cli_print_settings("ratings factorization loss");
  return DORM_OK;
}

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

static dorm_status factorize(dorm_context *context, const dorm_settings *settings)
{
  const char *path = dorm_settings_get(settings, "output.model");
  dorm_ratings *training = NULL;
  dorm_ratings *held_out = NULL;
  dorm_factors *factors = NULL;
  dorm_status status = dorm_context_lock_output(context, path);
  if (status != DORM_OK)
    return (dorm_status)cli_failure(context, status);
  status = cli_read_ratings(context, settings, &training, &held_out);
  if (status == DORM_OK) {
    status = dorm_factorize(context, settings, training, held_out, &factors);
    if (status == DORM_OK)
      status = dorm_factors_write(context, factors, path);
    if (status != DORM_OK)
      cli_failure(context, status);
  }
  if (status == DORM_OK) {
    print_rounds(factors, held_out != NULL);
    cli_print(stdout, "\n%zu users and %zu items, rank %zu; the factors of the round marked * were written to %s\n",
              dorm_factors_num_users(factors), dorm_factors_num_items(factors), dorm_factors_rank(factors), path);
  }
  dorm_factors_free(factors);
  dorm_ratings_free(training);
  dorm_ratings_free(held_out);
  return status;
}

int command_factorize(dorm_context *context, int argc, char **argv)
{
  static const struct option options[] = {{"config", required_argument, NULL, 'c'},
                                          {"set", required_argument, NULL, 's'},
                                          {"quiet", no_argument, NULL, 'q'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
  dorm_settings *settings = NULL;
  const char *config = NULL;
  const char **assignments = calloc((size_t)argc + 1, sizeof *assignments);
  size_t num_assignments = 0;
  dorm_status status = DORM_OK;
  int option;
  if (!assignments)
    return cli_out_of_memory();
  dorm_context_set_log(context, cli_print_note, NULL);
  while (status == DORM_OK && (option = getopt_long(argc, argv, "c:s:qh", options, NULL)) != -1) {
    if (option == 's')
      assignments[num_assignments++] = optarg;
    else if (option == 'c')
      config = optarg;
    else if (option == 'q')
      dorm_context_set_log(context, NULL, NULL);
    else if (option == 'h') {
      free(assignments);
      return print_help();
    } else
      status = DORM_BAD_USAGE; /* getopt has printed why */
  }
  if (status == DORM_OK)
    status = cli_find_configuration("factorize", argc, argv, 0, &config);
  if (status == DORM_OK)
    status = cli_read_settings(context, config, num_assignments, assignments, &settings);
  if (status == DORM_OK)
    status = factorize(context, settings);
  dorm_settings_free(settings);
  free(assignments);
  return (int)status;
}
