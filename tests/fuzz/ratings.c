/*
 * ratings.c: files of collaborative filtering. The first character says which:
 *   r ratings   s attributes of users or items   f factors
 * Good ratings and factors are the same after they are written and read again.
 */
#include "collaborative/ratings/ratings.h"
#include "collaborative/factorization/factorization.h"
#include "collaborative/ratings/fit.h"
#include "tests/fuzz/fuzz.h"

static dorm_status read_ratings(dorm_context *context, const char *path)
{
  DORM__OWNED(dorm_settings) *settings = fuzz_settings(context, NULL);
  DORM__OWNED(dorm_ratings) *ratings = NULL, *again = NULL;
  dorm_status status = dorm_ratings_read(context, settings, path, NULL, &ratings, NULL);
  if (status == DORM_OK) {
    const char *copy = fuzz_path("again");
    fuzz_require_ok(context, dorm_ratings_write(context, ratings, copy), "ratings are written");
    fuzz_require_ok(context, dorm_ratings_read(context, settings, copy, NULL, &again, NULL),
                    "what was written is read");
  }
  return status;
}

static dorm_status read_side(dorm_context *context, const char *path)
{
  DORM__OWNED(dorm_attributes) *side = NULL;
  return dorm_attributes_read(context, path, &side);
}

static dorm_status read_factors(dorm_context *context, const char *path)
{
  DORM__OWNED(dorm_factors) *factors = NULL, *again = NULL;
  const char *items[3];
  double scores[3];
  size_t count = 0;
  dorm_status status = dorm_factors_read(context, path, &factors);
  if (status == DORM_OK) {
    const char *copy = fuzz_path("again");
    fuzz_require_ok(context, dorm_factors_write(context, factors, copy), "factors are written");
    fuzz_require_ok(context, dorm_factors_read(context, copy, &again), "what was written is read");
    fuzz_is_good(context, dorm_factors_recommend(context, factors, "1", NULL, 3, &count, items, scores));
  }
  return status;
}

static void run(dorm_context *context, const uint8_t *data, size_t size)
{
  if (!size)
    return;
  const char *path = fuzz_write("table", data + 1, size - 1);
  fuzz_is_good(context, data[0] == 'r'   ? read_ratings(context, path)
                        : data[0] == 's' ? read_side(context, path)
                                         : read_factors(context, path));
}

const fuzz_target fuzz_ratings = {"ratings", run, 2048};
