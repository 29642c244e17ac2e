/* cache.c: `dorm cache`. */
#include "cli/cli.h"

#include <getopt.h>

static int print_help(void)
{
  printf("usage: dorm cache DATA -o FILE\n\n"
         "Writes DATA (- is standard input) as a binary file, which every command accepts in place of\n"
         "DATA and reads many times faster. The file is valid on this machine and for this version\n"
         "of dorm only.\n"
         "(data.cache = yes keeps such a file beside each data file and makes it anew when the data\n"
         "file changes.)\n\n"
         "  -o, --output FILE  the file to write\n");
  return DORM_OK;
}

int command_cache(dorm_context *context, int argc, char **argv)
{
  static const struct option options[] = {
      {"output", required_argument, NULL, 'o'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
  const char *output = NULL;
  int option;
  while ((option = getopt_long(argc, argv, "o:h", options, NULL)) != -1) {
    if (option == 'o')
      output = optarg;
    else
      return option == 'h' ? print_help() : DORM_BAD_USAGE;
  }
  if (argc - optind != 1 || !output)
    return cli_usage_error("cache: needs DATA and -o FILE");
  dorm_dataset *dataset = NULL;
  dorm_status status = dorm_dataset_read(context, argv[optind], &dataset);
  if (status == DORM_OK)
    status = dorm_dataset_write_cache(context, dataset, output);
  dorm_dataset_free(dataset);
  return status == DORM_OK ? DORM_OK : cli_failure(context, status);
}
