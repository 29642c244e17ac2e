/* cache.c: `dorm cache`. */
#include "cli/cli.h"

#include <getopt.h>

static int print_help(void)
{
  printf("usage: dorm cache DATA -o FILE [--sort-queries]\n\n"
         "Writes DATA (- is standard input) as a binary file, which every command accepts in place of\n"
         "DATA and reads many times faster. The file is valid on this machine and for this version\n"
         "of dorm only.\n"
         "(data.cache = yes keeps such a file beside each data file and makes it anew when the data\n"
         "file changes.)\n\n"
         "  -o, --output FILE    the file to write\n"
         "      --sort-queries   the lines of a query may be apart in DATA; scores of the cache keep the\n"
         "                       order of the lines\n");
  return DORM_OK;
}

int command_cache(dorm_context *context, int argc, char **argv)
{
  enum { OPTION_SORT = 1500 };
  static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                          {"sort-queries", no_argument, NULL, OPTION_SORT},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
  dorm_read_options reading = {.struct_size = sizeof reading, .sort_queries = 0};
  const char *output = NULL;
  int option;
  while ((option = getopt_long(argc, argv, "o:h", options, NULL)) != -1) {
    if (option == 'o')
      output = optarg;
    else if (option == OPTION_SORT)
      reading.sort_queries = 1;
    else
      return option == 'h' ? print_help() : DORM_BAD_USAGE;
  }
  if (argc - optind != 1 || !output)
    return cli_usage_error("cache: needs DATA and -o FILE");
  dorm_dataset *dataset = NULL;
  dorm_status status = dorm_dataset_read_with(context, argv[optind], &reading, &dataset);
  if (status == DORM_OK)
    status = dorm_dataset_write_cache(context, dataset, output);
  dorm_dataset_free(dataset);
  return status == DORM_OK ? DORM_OK : cli_failure(context, status);
}
