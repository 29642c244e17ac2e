/* cache.c: `dorm cache`. */
#include "cli/cli.h"

#include <unistd.h>

int command_cache(dorm_context *context, int argc, char **argv)
{
  static const cli_usage usage = {
      .command = "cache",
      .synopsis = "dorm cache DATA -o FILE [--sort-queries]",
      .about =
          "Writes DATA (- is standard input) as a binary file, which every command accepts in place of DATA and reads "
          "many times faster. The file is valid on this machine and for this version of dorm only. (data.cache = yes "
          "keeps such a file beside each data file and makes it anew when the data file changes.)"};
  bool sorts_queries = false;
  const char *output = NULL;
  const cli_option options[] = {
      CLI_OPTION("output", 'o', CLI_TEXT, &output, "FILE", "the file to write"),
      CLI_OPTION("sort-queries", 0, CLI_FLAG, &sorts_queries, NULL,
                 "the lines of a query may be apart in DATA; scores of the cache keep the order of the "
                 "lines"),
      CLI_NO_MORE};
  int ended = cli_take_options(&usage, options, argc, argv);
  if (ended != CLI_RUN)
    return ended;
  dorm_read_options reading = {.struct_size = sizeof reading, .sort_queries = sorts_queries};
  if (argc - optind != 1 || !output)
    return cli_usage_error("cache: needs DATA and -o FILE");
  dorm_dataset *dataset = NULL;
  dorm_status status = dorm_dataset_read_with(context, argv[optind], &reading, &dataset);
  if (status == DORM_OK)
    status = dorm_dataset_write_cache(context, dataset, output);
  dorm_dataset_free(dataset);
  return status == DORM_OK ? DORM_OK : cli_failure(context, status);
}
