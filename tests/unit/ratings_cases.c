/* ratings_cases.c: ratings for the tests of ratings. */
#include "tests/unit/ratings_cases.h"

dorm_ratings *ratings_of_text(dorm_context *context, const dorm_settings *settings, const char *text)
{
  dorm_ratings *ratings = NULL;
  UNIT_OK(context, dorm_ratings_read(context, settings, unit_temporary_file(text), NULL, &ratings, NULL));
  return ratings;
}

dorm_ratings *ratings_generated(dorm_context *context, size_t users, size_t items, size_t each)
{
  dorm_artificial_ratings parameters = {sizeof parameters, users, items, each, 0.5, unit_seed()};
  dorm_ratings *ratings = NULL;
  UNIT_OK(context, dorm_ratings_generate(context, &parameters, NULL, NULL, &ratings));
  return ratings;
}
