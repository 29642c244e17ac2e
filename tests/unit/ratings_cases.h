/* ratings_cases.h: settings and ratings for the tests of ratings. */
#ifndef DORM_TESTS_RATINGS_CASES_H
#define DORM_TESTS_RATINGS_CASES_H

#include "collaborative/ratings/ratings.h"
#include "tests/unit/unit.h"

/* The ratings that a file with this text holds. */
dorm_ratings *ratings_of_text(dorm_context *context, const dorm_settings *settings, const char *text);
/* Artificial ratings, `each` per user. */
dorm_ratings *ratings_generated(dorm_context *context, size_t users, size_t items, size_t each);

#endif
