/* owned.h: owners of what only tests keep in locals. */
#ifndef DORM_TESTS_OWNED_H
#define DORM_TESTS_OWNED_H

#include "data/data.h"
#include "models/models.h"
#include "settings/settings.h"

DORM__OWNER(dorm_clicks, dorm_clicks_free)
DORM__OWNER(dorm_probe, dorm_probe_free)
DORM__OWNER(dorm_training, dorm_training_free)
DORM__OWNER(dorm_ratings, dorm_ratings_free)
DORM__OWNER(dorm_attributes, dorm_attributes_free)
DORM__OWNER(dorm_rating_features, dorm_rating_features_free)
DORM__OWNER(dorm_factors, dorm_factors_free)

#endif
