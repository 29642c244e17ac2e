/* show.c: `dorm show`: the settings, parts and weights of a model. */
#include "cli/cli.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>

struct weight {
  size_t feature_id;
  double value;
  double rank;
};

static int compare_sizes(const void *x, const void *y)
{
  const struct weight *one = x;
  const struct weight *two = y;
  double size_one = fabs(one->value) + fabs(one->rank);
  double size_two = fabs(two->value) + fabs(two->rank);
  if (size_one != size_two)
    return size_one < size_two ? 1 : -1;
  return (one->feature_id > two->feature_id) - (one->feature_id < two->feature_id);
}

static int print_help(void)
{
  printf("usage: dorm show MODEL\n\n"
         "Prints the settings that made the model, its parts, and the weights of its linear part,\n"
         "the largest first.\n");
  return DORM_OK;
}

static int print_weights(const dorm_model *model)
{
  size_t count = 0;
  struct weight each;
  while (dorm_model_weight(model, count, &each.feature_id, &each.value, &each.rank))
    count++;
  struct weight *weights = malloc((count + 1) * sizeof *weights);
  if (!weights)
    return cli_out_of_memory();
  for (size_t i = 0; i < count; i++)
    dorm_model_weight(model, i, &weights[i].feature_id, &weights[i].value, &weights[i].rank);
  qsort(weights, count, sizeof *weights, compare_sizes);
  printf("\n%10s %14s %14s\n", "feature", "value", "rank");
  for (size_t i = 0; i < count; i++)
    printf("%10zu %14.6g %14.6g\n", weights[i].feature_id, weights[i].value, weights[i].rank);
  free(weights);
  return DORM_OK;
}

int command_show(dorm_context *context, int argc, char **argv)
{
  static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
  int option = getopt_long(argc, argv, "h", options, NULL);
  if (option != -1)
    return option == 'h' ? print_help() : DORM_BAD_USAGE;
  if (argc - optind != 1)
    return cli_usage_error("show: needs MODEL");
  dorm_model *model = NULL;
  dorm_status status = dorm_model_read(context, argv[optind], &model);
  if (status != DORM_OK)
    return cli_failure(context, status);
  const dorm_setting_info *info;
  for (size_t i = 0; (info = dorm_setting_at(i)) != NULL; i++)
    printf("%s = %s\n", info->key, dorm_model_setting(model, info->key));
  const char *part;
  const char *kind;
  double weight;
  for (size_t i = 0; (part = dorm_model_part(model, i, &kind, &weight)) != NULL; i++) {
    printf("\n%s part: %s\n", kind, part);
    if (weight != 1)
      printf("  its scores are multiplied by %g\n", weight);
  }
  int result = print_weights(model);
  dorm_model_free(model);
  return result;
}
