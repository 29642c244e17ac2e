/* team_test.c: the failure that a loop of several threads reports, against the smallest failing item. */
#include "tests/unit/unit.h"

#include "base/team.h"

enum { ITEMS = 200 };

static dorm_status work(dorm_context *context, const bool *fails, size_t item)
{
  return fails[item] ? dorm__fail(context, item % 2 ? DORM_BAD_DATA : DORM_IO_ERROR, "item %zu", item) : DORM_OK;
}

/* Each of some loops of one team, whose items fail with this probability. */
static void try_loops(dorm_context *context, size_t num_threads, double probability, dorm__random *random)
{
  enum { LOOPS = 20 };
  dorm__team *team = NULL;
  UNIT_OK(context, dorm__team_new(context, num_threads, "a test", &team));
  for (int loop = 0; loop < LOOPS; loop++) {
    bool fails[ITEMS];
    size_t first = ITEMS;
    for (size_t i = ITEMS; i-- > 0;) {
      fails[i] = dorm__random_uniform(random) < probability;
      first = fails[i] ? i : first;
    }
#pragma omp parallel for num_threads((int)num_threads) schedule(dynamic)
    for (size_t i = 0; i < ITEMS; i++)
      if (!dorm__team_skips(team, i))
        dorm__team_note(team, i, work(dorm__team_context(team), fails, i));
    dorm_status status = dorm__team_settle(context, team);
    CU_ASSERT_EQUAL(status, first == ITEMS ? DORM_OK : first % 2 ? DORM_BAD_DATA : DORM_IO_ERROR);
    if (first < ITEMS)
      CU_ASSERT_STRING_EQUAL(dorm_context_message(context), unit_text("item %zu", first));
  }
  dorm__team_free(team);
}

UNIT_TEST_DRAWN(context, random, the_smallest_failing_item_is_reported)
{
  for (size_t num_threads = 1; num_threads <= 4; num_threads++)
    for (int tenths = 0; tenths <= 10; tenths += 2)
      try_loops(context, num_threads, tenths / 10.0, random);
}

/* An item may be noted again, as by a second part of its work. */
UNIT_TEST_IN(context, the_first_failure_of_an_item_is_reported)
{
  dorm__team *team = NULL;
  UNIT_OK(context, dorm__team_new(context, 1, "a test", &team));
  CU_ASSERT_FALSE(dorm__team_skips(team, ITEMS));
  dorm__team_note(team, 3, dorm__fail(dorm__team_context(team), DORM_BAD_DATA, "the first part"));
  dorm__team_note(team, 3, dorm__fail(dorm__team_context(team), DORM_IO_ERROR, "the second part"));
  dorm__team_note(team, 2, DORM_OK);
  CU_ASSERT_TRUE(dorm__team_skips(team, 4));
  CU_ASSERT_FALSE(dorm__team_skips(team, 3));
  CU_ASSERT_EQUAL(dorm__team_end(context, team), DORM_BAD_DATA);
  CU_ASSERT_STRING_EQUAL(dorm_context_message(context), "the first part");
}
