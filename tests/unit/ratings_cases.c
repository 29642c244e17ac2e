/* ratings_cases.c: settings and ratings for the tests of ratings. */
#include "tests/unit/ratings_cases.h"
#include "base/base.h"
#include "collaborative/ratings/ratings.h"
#include "tests/unit/unit.h"

#include <unistd.h>

dorm_settings *ratings_settings(dorm_context *context, const char *const *pairs)
{
  dorm_settings *settings = NULL;
  UNIT_OK(context, dorm_settings_new(context, &settings));
  for (; pairs && *pairs; pairs += 2)
    UNIT_OK(context, dorm_settings_set(context, settings, pairs[0], pairs[1]));
  return settings;
}

dorm_ratings *ratings_of_text(dorm_context *context, const dorm_settings *settings, const char *text)
{
  dorm_ratings *ratings = NULL;
  const char *path = unit_temporary_file(text);
  UNIT_OK(context, dorm_ratings_read(context, settings, path, NULL, &ratings, NULL));
  unlink(path);
  return ratings;
}

dorm_ratings *ratings_generated(dorm_context *context, size_t users, size_t items, size_t each)
{
  dorm_artificial_ratings parameters = {sizeof parameters, users, items, each, 0.5, unit_seed()};
  dorm_ratings *ratings = NULL;
  UNIT_OK(context, dorm_ratings_generate(context, &parameters, NULL, NULL, &ratings));
  return ratings;
}
