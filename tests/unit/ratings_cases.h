/* ratings_cases.h: settings and ratings for the tests of ratings. */
#ifndef DORM_TESTS_RATINGS_CASES_H
#define DORM_TESTS_RATINGS_CASES_H

#include "base/base.h"
#include "collaborative/ratings/ratings.h"

/* The default settings but for pairs of key and value, ended by NULL; NULL means no pairs. */
dorm_settings *ratings_settings(dorm_context *context, const char *const *pairs);
/* The ratings that a file with this text holds. */
dorm_ratings *ratings_of_text(dorm_context *context, const dorm_settings *settings, const char *text);
/* Artificial ratings, `each` per user. */
dorm_ratings *ratings_generated(dorm_context *context, size_t users, size_t items, size_t each);

#endif
