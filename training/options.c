/*
 * options.c: from settings to the typed options of the folders below. A word of a choice becomes the enum value of the
 * same place, so every enum here has the order of its words in settings/settings_table.c.
 */
#include "training/options.h"

dorm_status dorm__feature_options_from(dorm_context *context, const dorm_settings *settings,
                                       dorm__feature_options *options)
{
  *options = (dorm__feature_options){
      .normalisation = (dorm__normalisation)dorm__settings_choice(settings, DORM__DATA_NORMALISATION)};
  return dorm__id_ranges_parse(context, dorm__setting_table[DORM__DATA_FEATURES].key,
                               dorm__settings_text(settings, DORM__DATA_FEATURES), &options->ids);
}

dorm_status dorm__feature_map_from(dorm_context *context, const dorm_settings *settings, const dorm_dataset *dataset,
                                   dorm__feature_map *map)
{
  dorm__feature_options options;
  *map = (dorm__feature_map){0};
  dorm_status status = dorm__feature_options_from(context, settings, &options);
  if (status == DORM_OK)
    status = dorm__feature_map_new(context, &options, dataset, map);
  dorm__id_ranges_clear(&options.ids);
  return status;
}

dorm_status dorm__features_chosen_by(dorm_context *context, const dorm_settings *settings, const dorm_dataset *dataset,
                                     size_t *count)
{
  dorm__feature_options options;
  *count = 0;
  dorm_status status = dorm__feature_options_from(context, settings, &options);
  if (status == DORM_OK)
    status = dorm__features_chosen(context, &options.ids, dataset, count);
  dorm__id_ranges_clear(&options.ids);
  return status;
}

dorm__group_options dorm__group_options_from(const dorm_settings *settings)
{
  const char *argument = dorm__settings_argument_at(settings, DORM__DIVERSITY_GROUPS, 0);
  return (dorm__group_options){.source = (dorm__group_source)dorm__settings_choice(settings, DORM__DIVERSITY_GROUPS),
                               .feature = dorm__settings_number(settings, DORM__DIVERSITY_GROUPS),
                               .pattern = argument,
                               .path = argument,
                               .may_overlap =
                                   dorm__settings_choice(settings, DORM__DIVERSITY_OVERLAP) == 1, /* "no, yes" */
                               .unknown = (dorm__unknown_docs)dorm__settings_choice(settings, DORM__DIVERSITY_UNKNOWN)};
}

dorm_status dorm_dataset_read_groups(dorm_context *context, dorm_dataset *dataset, const dorm_settings *settings)
{
  dorm__group_options options = dorm__group_options_from(settings);
  return dorm__groups_read(context, dataset, &options);
}
