/* diversity.c: groups and subtopics of data, as options and settings name them. */
#include "cli/cli.h"

#include <string.h>

static const char weights[] = "ranking.position_weights";

int cli_diversity_set(void *target, const char *text)
{
  cli_diversity *diversity = target;
  if (diversity->assignments.count == CLI_MOST_TEXTS)
    return cli_usage_error("--set is given more than %d times", CLI_MOST_TEXTS);
  if (strncmp(text, "diversity.", strlen("diversity.")) != 0 && strncmp(text, weights, strlen(weights)) != 0)
    return cli_usage_error("--set %s: only the settings diversity.* and %s can be changed here", text, weights);
  diversity->assignments.items[diversity->assignments.count++] = text;
  return DORM_OK;
}

dorm_status cli_diversity_settings(dorm_context *context, const cli_diversity *diversity, const dorm_model *model,
                                   dorm_settings **settings)
{
  dorm_settings *made = NULL;
  dorm_status status = model ? dorm_model_settings(context, model, &made) : dorm_settings_new(context, &made);
  if (status == DORM_OK && diversity->groups)
    status = dorm_settings_set(context, made, "diversity.groups", diversity->groups);
  if (status != DORM_OK)
    status = (dorm_status)cli_failure(context, status);
  for (size_t i = 0; status == DORM_OK && i < diversity->assignments.count; i++)
    status = cli_set_setting(context, made, diversity->assignments.items[i]);
  if (status == DORM_OK) {
    cli_note_file(model, made, "diversity.groups", "--groups");
    cli_note_file(model, made, weights, "--set");
  }
  if (status == DORM_OK && diversity->is_on && strcmp(dorm_settings_get(made, "diversity.groups"), "none") == 0)
    status = (dorm_status)cli_usage_error("--diverse: %s; name some, as in --groups host",
                                          model ? "the model knows no groups" : "no groups are known");
  if (status == DORM_OK) {
    *settings = made;
    return DORM_OK;
  }
  dorm_settings_free(made);
  return status;
}

dorm_status cli_read_lists(dorm_context *context, const dorm_settings *settings, dorm_dataset *dataset)
{
  const char *subtopics = dorm_settings_get(settings, "data.subtopics");
  dorm_status status = dorm_dataset_read_groups(context, dataset, settings);
  return status == DORM_OK && *subtopics ? dorm_dataset_read_subtopics(context, dataset, subtopics) : status;
}

dorm_status cli_diversity_read(dorm_context *context, const cli_diversity *diversity, const dorm_settings *settings,
                               dorm_dataset *dataset)
{
  dorm_status status = dorm_dataset_read_groups(context, dataset, settings);
  if (status == DORM_OK && diversity->subtopics)
    status = dorm_dataset_read_subtopics(context, dataset, diversity->subtopics);
  return status == DORM_OK ? DORM_OK : (dorm_status)cli_failure(context, status);
}
