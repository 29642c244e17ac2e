/* ratings_test.c: reading and splitting ratings. */
#include "collaborative/ratings/fit.h"
#include "tests/unit/ratings_cases.h"

UNIT_TEST_IN(context, all_separators_read_the_same)
{
  static const char *const texts[] =
      UNIT_TEXTS("u1\ti1\t3\t881\nu2\ti1\t4.5\nu1\ti2\t1\n",
                 "userId,movieId,rating,timestamp\nu1,i1,3,881\nu2,i1,4.5,2\nu1,i2,1,1\n",
                 "# by hand\nu1::i1::3::881\n\nu2::i1::4.5\nu1::i2::1\n", "u1 i1 3\r\nu2  i1  4.5\r\nu1 i2 1");
  DORM__OWNED(dorm_settings) *settings = unit_defaults(context, NULL);
  for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
    DORM__OWNED(dorm_ratings) *ratings = ratings_of_text(context, settings, texts[t]);
    if (!ratings)
      continue;
    CU_ASSERT_EQUAL(dorm_ratings_count(ratings), 3);
    CU_ASSERT_EQUAL(dorm_ratings_num_users(ratings), 2);
    CU_ASSERT_EQUAL(dorm_ratings_user_count(ratings, 0), 2);
    CU_ASSERT_STRING_EQUAL(dorm_ratings_user_id(ratings, 1), "u2");
    CU_ASSERT_STRING_EQUAL(dorm_ratings_item_id(ratings, ratings->table.items[1]), "i2");
    CU_ASSERT_EQUAL(ratings->table.values[2], 4.5);
  }
}

UNIT_TEST_IN(context, bad_ratings_are_refused_by_name)
{
  static const char *const cases[][2] = {
      {"u1 i1 3\nu1 i1 4\n", ":2: user u1 has rated item i1 before, with 3"},
      {"u1 i1 3\nu1 i2 -1\n", ":2: rating -1 is below 0"},
      {"u1 i1 3\nu1 i2 x\n", ":2: rating 'x' is not a number"},
      {"u1 i1 3\nu1 i2 nan\n", ":2: rating 'nan' is not a number"},
      {"u1 i1 3\nu1 i2\n", ":2: 2 fields"},
      {"u1,i1,3\nu1,i2,3,4,5\n", ":2: 5 fields"},
      {"u1,i1,3\nu 1,i2,3\n", ":2: user 'u 1' is not an id"},
      {"u1,i1,3\nu1,,3\n", ":2: item '' is not an id"},
      {"", ": no ratings"},
      {"# nothing\n", ": no ratings"},
  };
  DORM__OWNED(dorm_settings) *settings = unit_defaults(context, NULL);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    dorm_ratings *ratings = NULL;
    UNIT_BAD_DATA(dorm_ratings_read(context, settings, unit_temporary_file(cases[k][0]), NULL, &ratings, NULL),
                  cases[k][1]);
    CU_ASSERT_PTR_NULL(ratings);
  }
}

UNIT_TEST_IN(context, bad_sides_are_refused_by_name)
{
  static const char *const cases[][2] = {
      {"i1 Drama year:x\n", ":1: 'year:x'"},
      {"i1 Drama\ni1 Comedy\n", ":2: a second line for 'i1'"},
      {"i1 Drama Drama\n", ":1: 'Drama' is given twice"},
      {"", ": no lines"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    dorm_attributes *side = NULL;
    UNIT_BAD_DATA(dorm_attributes_read(context, unit_temporary_file(cases[k][0]), &side), cases[k][1]);
  }
}

UNIT_TEST_IN(context, sides_become_rows)
{
  DORM__OWNED(dorm_attributes) *side = NULL;
  DORM__AT_END(dorm__id_table_clear) dorm__id_table ids = {0};
  DORM__AT_END(dorm__rows_clear) dorm__rows rows;
  const char *path = unit_temporary_file("# films\na Drama Comedy year:1990\nb Drama year:2000\n");
  UNIT_OK(context, dorm_attributes_read(context, path, &side));
  CU_ASSERT_EQUAL(dorm__id_table_add(&ids, "b", 1), 0);
  CU_ASSERT_EQUAL(dorm__id_table_add(&ids, "unknown", 7), 1);
  CU_ASSERT_EQUAL(dorm__id_table_add(&ids, "a", 1), 2);
  CU_ASSERT_TRUE_FATAL(dorm__side_rows(side, &ids, &rows));
  const double expected[3][3] = {{1, 0, 1}, {0, 0, 0}, {sqrt(0.5), sqrt(0.5), -1}};
  for (size_t i = 0; i < 3; i++)
    for (size_t f = 0; f < 3; f++)
      CU_ASSERT_DOUBLE_EQUAL(rows.values[i * 3 + f], expected[i][f], 1e-12);
}

/* Training and held-out ratings together are the ratings of the users who stay. */
UNIT_TEST_IN(context, a_split_parts_every_rating_once)
{
  static const char *const given[] = {"ratings.split", "given:7", NULL};
  DORM__OWNED(dorm_settings) *settings = unit_defaults(context, given);
  DORM__OWNED(dorm_ratings) *all = ratings_generated(context, 40, 50, 17);
  dorm_ratings *training = NULL;
  dorm_ratings *held_out = NULL;
  UNIT_OK(context, dorm_ratings_split(context, settings, all, &training, &held_out));
  CU_ASSERT_EQUAL(dorm_ratings_count(training) + dorm_ratings_count(held_out), dorm_ratings_count(all));
  for (size_t u = 0; u < 40; u++) {
    uint8_t seen[50] = {0};
    CU_ASSERT_EQUAL(dorm_ratings_user_count(training, u), 7);
    for (size_t e = training->table.user_start[u]; e < training->table.user_start[u + 1]; e++)
      seen[training->table.items[e]]++;
    for (size_t e = held_out->table.user_start[u]; e < held_out->table.user_start[u + 1]; e++)
      seen[held_out->table.items[e]]++;
    for (size_t e = all->table.user_start[u]; e < all->table.user_start[u + 1]; e++)
      CU_ASSERT_EQUAL(seen[all->table.items[e]], 1);
  }
  dorm_ratings_free(training);
  dorm_ratings_free(held_out);
  UNIT_OK(context, dorm_settings_set(context, settings, "ratings.split", "given:8"));
  UNIT_BAD_DATA(dorm_ratings_split(context, settings, all, &training, &held_out),
                "ratings.split leaves no training ratings");
  static const char *const bad[] = {"users:x/20/40",   "users:1.5/20/40",  "users:0/20/40",
                                    "users:2e9/20/40", "users:10/20/40/5", "users:10,20,40"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (dorm_settings_set(context, settings, "ratings.split", bad[i]) == DORM_OK)
      UNIT_BAD_USAGE(dorm_ratings_split(context, settings, all, &training, &held_out), "ratings.split");
  UNIT_OK(context, dorm_settings_set(context, settings, "ratings.split", "users:10/20"));
  UNIT_BAD_USAGE(dorm_ratings_split(context, settings, all, &training, &held_out), "'users:10/20' is neither");
}

UNIT_TEST_IN(context, input_users_keep_all_their_ratings)
{
  static const char *const form[] = {"ratings.split", "users:10/20/70", NULL};
  DORM__OWNED(dorm_settings) *settings = unit_defaults(context, form);
  DORM__OWNED(dorm_ratings) *all = ratings_generated(context, 60, 80, 35), *training = NULL, *held_out = NULL;
  size_t num_input = 0;
  size_t num_training = 0;
  UNIT_OK(context, dorm_ratings_split(context, settings, all, &training, &held_out));
  for (size_t u = 0; u < 60; u++) {
    size_t tested = dorm_ratings_user_count(held_out, u);
    size_t kept = dorm_ratings_user_count(training, u);
    num_input += kept && !tested;
    num_training += tested > 0;
    if (tested)
      CU_ASSERT_EQUAL(tested, kept + (kept + tested) % 2);
  }
  CU_ASSERT_EQUAL(num_input, 20);
  CU_ASSERT_EQUAL(num_training, 10);
  size_t num_items = 0;
  for (size_t i = 0; i < 80; i++)
    num_items += training->table.item_start[i] < training->table.item_start[i + 1];
  CU_ASSERT_TRUE(num_items <= 70);
}
