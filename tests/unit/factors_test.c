/* factors_test.c: factorisations as a whole: what rounds do, what threads do not, and files of factors. */
#include "tests/unit/unit.h"

#include "collaborative/factorization/factorization.h"
#include "collaborative/ratings/ratings.h"

static dorm_factors *factorize(dorm_context *context, const char *start, const char *rounds, const char *threads,
                               bool holds_out)
{
  DORM__OWNED(dorm_ratings) *all = NULL, *training = NULL, *held_out = NULL;
  dorm_factors *factors = NULL;
  dorm_artificial_ratings parameters = {sizeof parameters, 80, 60, 25, 0.5, unit_seed()};
  DORM__OWNED(dorm_settings) *settings = unit_defaults(
      context, UNIT_PAIRS("ratings.split", "given:15", "factorization.rank", "4", "factorization.penalty", "3",
                          "factorization.rounds", rounds, "factorization.start", start, "solver.threads", threads));
  UNIT_OK(context, dorm_ratings_generate(context, &parameters, NULL, NULL, &all));
  UNIT_OK(context, dorm_ratings_split(context, settings, all, &training, &held_out));
  UNIT_OK(context, dorm_factorize(context, settings, training, holds_out ? held_out : NULL, &factors));
  return factors;
}

static void check_descent(const char *start)
{
  DORM__OWNED(dorm_context) *context = unit_context();
  DORM__OWNED(dorm_factors) *factors = factorize(context, start, "4", "2", false);
  const dorm_factor_round *round;
  double value = INFINITY;
  size_t count = 0;
  for (; (round = dorm_factors_round(factors, count)) != NULL; count++) {
    CU_ASSERT_TRUE(round->before <= value && round->after_users <= round->before &&
                   round->after_items <= round->after_users);
    value = round->after_items;
  }
  CU_ASSERT_EQUAL(count, 5);
  CU_ASSERT_TRUE(value < 0.9 * dorm_factors_round(factors, 0)->before);
}

UNIT_TEST(no_half_step_raises_the_objective)
{
  check_descent("squared-error");
  check_descent("random");
}

UNIT_TEST_IN(context, held_out_ratings_choose_the_round)
{
  DORM__OWNED(dorm_factors) *factors = factorize(context, "squared-error", "6", "1", true);
  const dorm_factor_round *round;
  double best = -INFINITY, kept = 0;
  for (size_t i = 0; (round = dorm_factors_round(factors, i)) != NULL; i++) {
    best = fmax(best, round->held_out);
    kept = round->is_kept ? round->held_out : kept;
  }
  CU_ASSERT_EQUAL(kept, best);
}

UNIT_TEST_IN(context, factors_do_not_depend_on_the_threads)
{
  DORM__OWNED(dorm_factors) *one = factorize(context, "squared-error", "2", "1", false);
  DORM__OWNED(dorm_factors) *three = factorize(context, "squared-error", "2", "3", false);
  CU_ASSERT_EQUAL(memcmp(one->point.item, three->point.item, 60 * 4 * sizeof(double)), 0);
  CU_ASSERT_EQUAL(memcmp(one->point.user, three->point.user, 80 * 4 * sizeof(double)), 0);
}

UNIT_TEST_IN(context, a_factors_file_reads_back)
{
  DORM__OWNED(dorm_factors) *factors = factorize(context, "squared-error", "1", "1", false), *back = NULL;
  const char *items[2][60];
  double scores[2][60];
  size_t count[2];
  DORM__OWNED(dorm_ratings) *given = NULL;
  const char *path = unit_temporary_file("");
  DORM__OWNED(dorm_settings) *settings = unit_defaults(context, NULL);
  UNIT_OK(context, dorm_factors_write(context, factors, path));
  UNIT_OK(context, dorm_factors_read(context, path, &back));
  const char *new_user = unit_temporary_file("new i1 5\nnew i2 1\nnew i3 4\nnew i9 2\nnew unheard-of 3\n");
  UNIT_OK(context, dorm_ratings_read(context, settings, new_user, NULL, &given, NULL));
  for (size_t k = 0; k < 2; k++) {
    const char *user = k ? "new" : "u3";
    UNIT_OK(context, dorm_factors_recommend(context, factors, user, given, 60, &count[0], items[0], scores[0]));
    UNIT_OK(context, dorm_factors_recommend(context, back, user, given, 60, &count[1], items[1], scores[1]));
    CU_ASSERT_EQUAL(count[0], k ? 60 - 4 : 60 - 15);
    CU_ASSERT_EQUAL(count[0], count[1]);
    for (size_t j = 0; j < count[0]; j++) {
      CU_ASSERT_STRING_EQUAL(items[0][j], items[1][j]);
      CU_ASSERT_EQUAL(scores[0][j], scores[1][j]);
      CU_ASSERT_TRUE(j == 0 || scores[0][j] <= scores[0][j - 1]);
    }
  }
  UNIT_BAD_DATA(dorm_factors_recommend(context, back, "nobody", given, 5, &count[1], items[1], scores[1]),
                "user 'nobody' is not in the model");
}

/* Cut after any line, a file is refused; so is one with a word changed. */
UNIT_TEST_IN(context, a_broken_factors_file_is_refused)
{
  static const char *const cases[][2] = {
      {"dorm model 1\n", ":1: not a factorisation"},
      {"dorm factors 1\nitem a 1 2\n", ":2: 'size' is missing"},
      {"dorm factors 1\nsize 0 1 1\n", ":2: 'size' needs a rank"},
      {"dorm factors 1\nsize 8 8 7076602\n", ":2: the file is too short for 8 items and 7076602 users of rank 8"},
      {"dorm factors 1\nsize 1 1 1\nstart 3 0.1 0.8 1\nitem a 1 2 / 1\n", ":4: 'item' needs an id"},
      {"dorm factors 1\nsize 1 1 1\nstart 3 0.1 0.8 1\nitem a 1 2 / 1 2\nitem b 1 2 / 1 2\n",
       ":5: this is one more than the 1"},
      {"dorm factors 1\nsize 1 1 1\nstart 3 0.1 0.8 1\nitem a 1 1e999 / 1 2\n", ":4: 'item' needs an id"},
      {"dorm factors 1\nsize 1 1 1\nitem a 1 2 / 1 2\nuser u 3\nrated 1\n", ":5: 'rated' needs numbers"},
      {"dorm factors 1\nsize 1 1 1\nitem a 1 2 / 1 2\nuser u 3\nrated 0\nend 1 1\n", ":6: 'end' does not fit"},
      {"dorm factors 1\nchecksum 0\n", ":2: 'checksum' before 'end'"},
      {"dorm factors 1\nsize 1 1 1\nnonsense\n", ":3: 'nonsense' is not known here"},
      {"dorm factors 1\nsetting solver.D = 3\n", ":2: unknown setting 'solver.D'"},
  };
  DORM__OWNED(dorm_factors) *factors = factorize(context, "squared-error", "0", "1", false);
  size_t size;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    dorm_factors *back = NULL;
    UNIT_BAD_DATA(dorm_factors_read(context, unit_temporary_file(cases[k][0]), &back), cases[k][1]);
    CU_ASSERT_PTR_NULL(back);
  }
  const char *path = unit_temporary_file("");
  UNIT_OK(context, dorm_factors_write(context, factors, path));
  DORM__FREED char *text = unit_read_file(path, &size);
  for (size_t cut = size - 1; cut > 1; cut -= cut > 400 ? 397 : 1) {
    dorm_factors *back = NULL;
    char kept = text[cut];
    if (text[cut - 1] != '\n')
      continue;
    text[cut] = '\0';
    UNIT_BAD_DATA(dorm_factors_read(context, unit_temporary_file(text), &back), NULL);
    text[cut] = kept;
  }
  char *digit = strpbrk(strstr(text, "\nitem ") + strlen("\nitem i"), "."); /* of the first offset */
  CU_ASSERT_PTR_NOT_NULL_FATAL(digit);
  digit[1] = digit[1] == '3' ? '4' : '3';
  dorm_factors *none = NULL;
  UNIT_BAD_DATA(dorm_factors_read(context, unit_temporary_file(text), &none), "the checksum does not match");
  CU_ASSERT_PTR_NULL(none);
}
