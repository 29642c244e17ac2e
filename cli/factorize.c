/* factorize.c: `dorm factorize`. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
  int ended = cli_take_options(&usage, options, argc, argv);
  if (ended != CLI_RUN)
    return ended;
  dorm_context_set_log(context, is_quiet ? NULL : cli_print_note, NULL);
  dorm_status status = cli_find_configuration("factorize", argc, argv, 0, &config);
  if (status == DORM_OK)
    status = cli_read_settings(context, config, &assignments, &settings);
  if (status == DORM_OK)
    status = factorize(context, settings);
  dorm_settings_free(settings);
  return (int)status;
}
