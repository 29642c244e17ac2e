/* options.h: from settings to the typed options of the folders below, which know nothing of settings. */
#ifndef DORM_JOBS_OPTIONS_H
#define DORM_JOBS_OPTIONS_H

#include "data/data.h"
#include "features/features.h"
#include "settings/settings.h"

/* Makes the map of a data set by data.features and data.normalisation, without a rank block. */
dorm_status dorm__feature_map_from(dorm_context *context, const dorm_settings *settings, const dorm_dataset *dataset,
                                   dorm__feature_map *map);
/* Counts the features of a data set that data.features names, and the products of features.cross. */
dorm_status dorm__features_chosen_by(dorm_context *context, const dorm_settings *settings, const dorm_dataset *dataset,
                                     size_t *count);
/* Notes that a setting has no effect, if it was given with a value other than the default. */
void dorm__note_unused(const dorm_context *context, const dorm_settings *given, dorm__setting setting,
                       const char *reason);
/* Does the same for all settings of a section, such as "trees". */
void dorm__note_unused_section(const dorm_context *context, const dorm_settings *given, const char *section,
                               const char *reason);

#endif
