/* rating_kernels_test.c: the Gram matrices of users and items against the definition at the top of rating_kernels.c. */
#include "tests/unit/ratings_cases.h"

#include "kernels/kernel_files.h"

enum { USERS = 5, ITEMS = 6, UNITS = 6, MOST_WIDTH = 5 };

static const char ratings_text[] = "u0 i0 5\nu0 i1 3\nu0 i4 1\nu1 i1 4\nu1 i0 2\nu2 i2 3\nu2 i3 3\nu2 i0 1\nu2 i5 5\n"
                                   "u3 i4 4\nu3 i1 1\nu3 i2 2\nu4 i5 2\n";
/* Tags alone, so that the rows are known. One user has no line, and one line has no user. */
static const char users_text[] = "u0 red old\nu1 red\nu2 blue old tall\nu4 tall\nu9 red\n";
static const char items_text[] = "i0 film\ni1 film long\ni2 long new\ni3 film long new\ni4 new\ni5 short\n";
static const double user_tags[UNITS][MOST_WIDTH] = {{1, 1}, {1}, {0, 1, 1, 1}, {0}, {0, 0, 0, 1}};
static const double item_tags[UNITS][MOST_WIDTH] = {{1}, {1, 1}, {0, 1, 1}, {1, 1, 1}, {0, 0, 1}, {0, 0, 0, 1}};

static double product(size_t count, const double *x, const double *y)
{
  double sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += x[i] * y[i];
  return sum;
}

static double cosine(const double *x, const double *y)
{
  double lengths = sqrt(product(MOST_WIDTH, x, x) * product(MOST_WIDTH, y, y));
  return lengths > 0 ? product(MOST_WIDTH, x, y) / lengths : 0;
}

/* centred [UNITS][UNITS] becomes the ratings of each unit less their mean, 0 if there is none. */
static void centre(const dorm__rating_table *table, bool of_users, double centred[UNITS][UNITS])
{
  double count[UNITS] = {0}, mean[UNITS] = {0};
  memset(centred, 0, UNITS * sizeof *centred);
  for (int pass = 0; pass < 2; pass++)
    for (size_t u = 0; u < table->num_users; u++)
      for (size_t e = table->user_start[u]; e < table->user_start[u + 1]; e++) {
        size_t unit = of_users ? u : table->items[e], partner = of_users ? table->items[e] : u;
        if (pass)
          centred[unit][partner] = table->values[e] - mean[unit] / count[unit];
        count[unit] += pass ? 0 : 1;
        mean[unit] += pass ? 0 : table->values[e];
      }
}

/* Pearson's correlation with 5 added to the squared lengths. */
static double correlation(const double *x, const double *y)
{
  return product(UNITS, x, y) / sqrt((product(UNITS, x, x) + 5) * (product(UNITS, y, y) + 5));
}

/* The tags of a unit, which the digit of its id numbers. */
static const double *tags_of(const dorm_ratings *ratings, bool of_users, size_t unit)
{
  const char *id = of_users ? dorm_ratings_user_id(ratings, unit) : dorm_ratings_item_id(ratings, unit);
  return (of_users ? user_tags : item_tags)[strtoul(id + 1, NULL, 10) % UNITS];
}

static void check_gram(dorm_context *context, const dorm_ratings *ratings, bool of_users, const char *parts,
                       const char *path)
{
  double centred[UNITS][UNITS], *matrix = NULL;
  size_t size = 0, count = of_users ? USERS : ITEMS;
  centre(&ratings->table, of_users, centred);
  UNIT_OK(context, dorm__gram_read(context, path, &size, &matrix));
  CU_ASSERT_EQUAL_FATAL(size, count);
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < count; j++) {
      double wanted = strstr(parts, "identity") && i == j;
      wanted += strstr(parts, "attributes") ? cosine(tags_of(ratings, of_users, i), tags_of(ratings, of_users, j)) : 0;
      wanted += strstr(parts, "correlation") ? correlation(centred[i], centred[j]) : 0;
      CU_ASSERT_DOUBLE_EQUAL(matrix[i * count + j], wanted, 1e-11);
    }
  dorm__free(matrix);
}

UNIT_TEST_IN(context, gram_matrices_are_their_definition)
{
  static const char *const parts[] = {"identity", "attributes", "correlation", "identity, attributes, correlation"};
  enum { NUM_PARTS = sizeof parts / sizeof *parts };
  DORM__OWNED(dorm_settings) *settings = unit_defaults(context, NULL);
  DORM__OWNED(dorm_ratings) *ratings = ratings_of_text(context, settings, ratings_text);
  dorm_attributes *sides[2] = {NULL, NULL};
  const char *paths[2];
  for (int s = 0; s < 2; s++) {
    UNIT_OK(context, dorm_attributes_read(context, unit_temporary_file(s ? items_text : users_text), &sides[s]));
    paths[s] = unit_temporary_file("");
  }
  for (size_t i = 0; i < NUM_PARTS; i++) {
    UNIT_OK(context, dorm_settings_set(context, settings, "ratings.kernels", parts[i]));
    UNIT_OK(context, dorm_rating_kernels_write(context, settings, ratings, sides[0], sides[1], paths[0], paths[1]));
    check_gram(context, ratings, true, parts[i], paths[0]);
    check_gram(context, ratings, false, parts[i], paths[1]);
  }
  for (int s = 0; s < 2; s++)
    dorm_attributes_free(sides[s]);
}
