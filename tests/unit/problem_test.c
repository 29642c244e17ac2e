/*
 * problem_test.c: the oracle's problem of one query in a file. The values of all methods against all rankings of small
 * queries, written out here; the numbers of a file against those that were written, bit by bit; rankings and values
 * that are wrong, and files that are damaged.
 */
#include "tests/unit/unit.h"

#include "base/file.h"
#include "base/random.h"
#include "training/query_problem.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum { MOST_DOCS = 7 };

/* A data set of one query with labels 0 to 3. */
static dorm_dataset *draw_query(dorm_context *context, dorm__random *random, size_t num_docs)
{
  const size_t query_start[] = {0, num_docs};
  double labels[MOST_DOCS];
  dorm_dataset *data = NULL;
  for (size_t j = 0; j < num_docs; j++)
    labels[j] = (double)dorm__random_below(random, 4);
  UNIT_OK(context, dorm_dataset_from_arrays(context, 1, query_start, 0, labels, NULL, &data));
  return data;
}

static dorm_settings *settings_of(dorm_context *context, const char *const *pairs)
{
  dorm_settings *settings = NULL;
  UNIT_OK(context, dorm_settings_new(context, &settings));
  for (; *pairs; pairs += 2)
    UNIT_OK(context, dorm_settings_set(context, settings, pairs[0], pairs[1]));
  return settings;
}

/* The largest worth of a ranking, over all that the groups allow at the first `top` positions. */
static double best_of(const dorm_problem *problem, double t, size_t top, size_t place, uint32_t *order)
{
  size_t count = problem->about.num_docs;
  if (place == count) {
    double sum = 0;
    const dorm__oracle_groups *groups = &problem->groups.groups;
    for (size_t s = 0; s < groups->num_groups; s++) {
      double weight = 0;
      for (size_t e = groups->start[s]; e < groups->start[s + 1]; e++)
        for (size_t p = 0; p < top && p < count; p++)
          weight += order[p] == groups->docs[e] ? groups->weights[e] : 0;
      if (weight > groups->capacity)
        return -INFINITY;
    }
    for (size_t p = 0; p < count; p++)
      sum += problem->c[p] * problem->scores[order[p]] +
             t * (problem->cost ? problem->cost[order[p] * count + p] : -problem->a[p] * problem->b[order[p]]);
    return sum;
  }
  double best = -INFINITY;
  for (size_t i = place; i < count; i++) {
    uint32_t doc = order[i];
    order[i] = order[place];
    order[place] = doc;
    best = fmax(best, best_of(problem, t, top, place + 1, order));
    order[place] = order[i];
    order[i] = doc;
  }
  return best;
}

/* Solves, and compares every solution with enumeration; the methods' names are added to `seen`. */
static void check_solutions(dorm_context *context, dorm_problem *problem, size_t size, char *seen)
{
  uint32_t order[MOST_DOCS];
  size_t count = 0;
  UNIT_OK(context, dorm_problem_solve(context, problem));
  for (const dorm_solution *row; (row = dorm_problem_solution(problem, count)) != NULL; count++) {
    double best = -INFINITY;
    for (uint32_t j = 0; j < problem->about.num_docs; j++)
      order[j] = j;
    for (size_t top = problem->groups.groups.top + 1; best == -INFINITY && top-- > 0;) /* as many as can be filled */
      best = best_of(problem, row->t, top, 0, order);
    CU_ASSERT_TRUE(unit_close(row->value, best, 1e-10));
    CU_ASSERT_TRUE(fabs(row->shortfall) <= 1e-10);
    CU_ASSERT_EQUAL(row->agrees, 1);
    CU_ASSERT_TRUE(strcmp(row->method, "enumeration") == 0 ? isnan(row->microseconds) : row->microseconds >= 0);
    if (!strstr(seen, row->found_by)) {
      size_t used = strlen(seen);
      snprintf(seen + used, size - used, "%s ", row->found_by);
    }
  }
  CU_ASSERT_TRUE(count >= 4 * problem->num_calls);
}

static bool same_numbers(size_t count, const double *x, const double *y)
{
  return x && y ? memcmp(x, y, count * sizeof *x) == 0 : !x && !y;
}

/* Writes and reads a problem, which must be the same. The caller frees what it returns. */
static dorm_problem *write_and_read(dorm_context *context, const dorm_problem *one)
{
  dorm_problem *two = NULL;
  const char *path = unit_temporary_file("");
  size_t count = one->about.num_docs;
  UNIT_OK(context, dorm_problem_write(context, one, path));
  UNIT_OK(context, dorm_problem_read(context, path, &two));
  unlink(path);
  CU_ASSERT_TRUE(two->about.num_docs == count && two->about.num_groups == one->about.num_groups);
  CU_ASSERT_STRING_EQUAL(two->about.loss, one->about.loss);
  CU_ASSERT_STRING_EQUAL(two->about.position_weights, one->about.position_weights);
  CU_ASSERT_STRING_EQUAL(two->about.reference, one->about.reference);
  CU_ASSERT_TRUE(two->method == one->method && two->group_method == one->group_method && two->limit == one->limit);
  CU_ASSERT_TRUE(same_numbers(count, one->scores, two->scores) && same_numbers(count, one->labels, two->labels));
  CU_ASSERT_TRUE(same_numbers(count, one->a, two->a) && same_numbers(count, one->b, two->b));
  CU_ASSERT_TRUE(same_numbers(count, one->c, two->c) && same_numbers(count * count, one->cost, two->cost));
  CU_ASSERT_EQUAL(two->num_calls, one->num_calls);
  for (size_t i = 0; i < one->num_calls; i++) {
    const dorm__problem_call *x = &one->calls[i], *y = &two->calls[i];
    CU_ASSERT_TRUE(x->t == y->t && x->value == y->value && x->microseconds == y->microseconds);
    CU_ASSERT_TRUE(memcmp(x->order, y->order, count * sizeof *x->order) == 0 && strcmp(x->found_by, y->found_by) == 0);
  }
  const dorm__oracle_groups *x = &one->groups.groups, *y = &two->groups.groups;
  for (size_t s = 0; s < one->about.num_groups; s++) {
    size_t size = x->start[s + 1] - x->start[s];
    CU_ASSERT_TRUE(x->start[s] == y->start[s] && x->start[s + 1] == y->start[s + 1]);
    CU_ASSERT_TRUE(memcmp(x->docs + x->start[s], y->docs + y->start[s], size * sizeof *x->docs) == 0);
    CU_ASSERT_TRUE(same_numbers(size, x->weights + x->start[s], y->weights + y->start[s]));
  }
  CU_ASSERT_TRUE(!one->about.num_groups || (x->top == y->top && x->capacity == y->capacity));
  return two;
}

/* ---- Random problems --------------------------------------------------------------------------- */

static void try_settings(dorm_context *context, dorm__random *random, const char *const *pairs, bool has_groups,
                         size_t size, char *seen)
{
  dorm_settings *settings = settings_of(context, pairs);
  for (int round = 0; round < 10; round++) {
    double scores[MOST_DOCS];
    size_t start[MOST_DOCS + 1], num_docs = 2 + dorm__random_below(random, MOST_DOCS - 1);
    uint32_t groups[2 * MOST_DOCS];
    dorm_dataset *data = draw_query(context, random, num_docs);
    dorm_problem *problem = NULL;
    start[0] = 0;
    for (size_t j = 0; j < num_docs; j++) {
      scores[j] = dorm__random_below(random, 4) ? dorm__random_normal(random) / 3 : 0.1;
      groups[start[j]] = (uint32_t)dorm__random_below(random, 3);
      groups[start[j] + 1] = 3;
      start[j + 1] = start[j] + 1 + (round % 2 && !dorm__random_below(random, 3)); /* in odd rounds they overlap */
    }
    if (has_groups)
      UNIT_OK(context, dorm_dataset_set_groups(context, data, start, groups, NULL));
    if (has_groups && round % 2 && !dorm__has_glpk()) {
      dorm_dataset_free(data);
      continue;
    }
    UNIT_OK(context, dorm_problem_of(context, settings, data, 0, scores, &problem));
    dorm_problem *again = write_and_read(context, problem);
    if (has_groups)
      CU_ASSERT_TRUE(problem->groups.groups.top == 3 && problem->groups.groups.capacity == 2);
    check_solutions(context, again, size, seen);
    dorm_problem_free(problem);
    dorm_problem_free(again);
    dorm_dataset_free(data);
  }
  dorm_settings_free(settings);
}

static void methods_find_what_enumeration_finds(void)
{
  static const char *const pairs[][7] = {
      {"loss.name", "ndcg", "ranking.position_weights", "power:0.5", NULL},
      {"loss.name", "ndcg", "loss.truncation", "3, 5", NULL},
      {"loss.name", "dcg", "ranking.position_weights", "log", "ranking.reference", "mu:1, ideal", NULL},
      {"loss.name", "mrr", "ranking.position_weights", "loglog, loss", "solver.oracle", "hungarian", NULL},
      {"loss.name", "precision", "ranking.position_weights", "power:1", "ranking.reference", "listed", NULL}};
  dorm_context *context = unit_context();
  char seen[400] = "";
  dorm__random random;
  dorm__random_seed(&random, unit_seed());
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    try_settings(context, &random, pairs[i], false, sizeof seen, seen);
  const char *const methods[] = {"sort", "runs", "moves", "shortest-path", "hungarian", "enumeration"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    CU_ASSERT_TRUE(strstr(seen, methods[i]) != NULL);
  dorm_context_free(context);
}

static void costs_of_any_form(void)
{
  dorm_context *context = unit_context();
  char seen[400] = "", loss[600], path[64];
  snprintf(path, sizeof path, "%s", unit_temporary_file("0 0.25 1 0\n1 1 0.125 3\n* 2 0 0.1\n"));
  dorm__random random;
  dorm__random_seed(&random, unit_seed());
  snprintf(loss, sizeof loss, "cost:file=%s", path);
  const char *const pairs[] = {"loss.name", loss, "ranking.position_weights", "power:0.5", NULL};
  try_settings(context, &random, pairs, false, sizeof seen, seen);
  CU_ASSERT_TRUE(strstr(seen, "shortest-path") && strstr(seen, "hungarian"));

  /* the path of the table is not in the problem */
  double scores[MOST_DOCS] = {0};
  dorm_settings *settings = settings_of(context, pairs);
  dorm_dataset *data = draw_query(context, &random, 3);
  dorm_problem *problem = NULL;
  UNIT_OK(context, dorm_problem_of(context, settings, data, 0, scores, &problem));
  CU_ASSERT_STRING_EQUAL(dorm_problem_about(problem)->loss, "cost:attribute=0");
  dorm_problem_free(problem);
  UNIT_OK(context, dorm_settings_set(context, settings, "ranking.position_weights", "loss"));
  UNIT_FAILS(context, dorm_problem_of(context, settings, data, 0, scores, &problem), DORM_BAD_USAGE,
             "a loss of general costs has none of its own");
  unlink(path);
  dorm_dataset_free(data);
  dorm_settings_free(settings);
  dorm_context_free(context);
}

static void groups_are_respected(void)
{
  static const char *const pairs[] = {"diversity.groups",
                                      "docid:(.)",
                                      "diversity.top",
                                      "3",
                                      "diversity.capacity",
                                      "2",
                                      "loss.truncation",
                                      "3",
                                      "ranking.position_weights",
                                      "loss",
                                      NULL};
  static const char *const other[] = {
      "diversity.groups", "docid:(.)", "diversity.top", "3", "diversity.capacity", "2", "ranking.position_weights",
      "power:0.5",        NULL};
  dorm_context *context = unit_context();
  char seen[400] = "";
  dorm__random random;
  dorm__random_seed(&random, unit_seed());
  try_settings(context, &random, pairs, true, sizeof seen, seen);
  CU_ASSERT_TRUE(strstr(seen, "group-sort") != NULL);
  if (dorm__has_glpk()) {
    try_settings(context, &random, other, true, sizeof seen, seen);
    CU_ASSERT_TRUE(strstr(seen, "mip") != NULL);
  }
  dorm_context_free(context);
}

/* ---- Bits, faults, refusals ---------------------------------------------------------------------- */

/* The problem of four documents. */
static dorm_problem *problem_of_four(dorm_context *context, const char *const *pairs, const double *scores)
{
  dorm_dataset *data = unit_read_text(context, "1 qid:a 1:1\n0 qid:a 1:2\n2 qid:a 1:3\n0 qid:a 1:4\n");
  dorm_settings *settings = settings_of(context, pairs);
  dorm_problem *problem = NULL;
  UNIT_OK(context, dorm_problem_of(context, settings, data, 0, scores, &problem));
  dorm_settings_free(settings);
  dorm_dataset_free(data);
  return problem;
}

static dorm_problem *small_problem(dorm_context *context, const double *scores)
{
  static const char *const pairs[] = {"ranking.position_weights", "power:0.5", NULL};
  return problem_of_four(context, pairs, scores);
}

static void numbers_keep_their_bits(void)
{
  const double cases[][4] = {{0.1, -0.0, 1.0 / 3, 2.0 / 3},
                             {DBL_MIN, 5e-324, -DBL_MIN / 3, DBL_EPSILON},
                             {9007199254740993.0, 1e17, 12345678901234567890.0, -1e22},
                             {1e100, -1e200, 123456789e90, 0}};
  dorm_context *context = unit_context();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    dorm_problem *problem = small_problem(context, cases[i]);
    dorm_problem *again = write_and_read(context, problem);
    CU_ASSERT_TRUE(memcmp(again->scores, cases[i], sizeof cases[i]) == 0);
    dorm_problem_free(problem);
    dorm_problem_free(again);
  }
  dorm_context_free(context);
}

/* The most violated ranking (t = 1), the prediction (t = 0) and, where it is no prediction, the reference (t = -mu). */
static void calls_are_those_of_training(void)
{
  static const struct {
    const char *reference;
    size_t num_calls;
    double last;
  } cases[] = {{"current", 2, 0}, {"mu:0", 2, 0}, {"mu:0.3", 3, -0.3}, {"ideal", 2, 0}, {"listed", 2, 0}};
  const double scores[] = {0.5, 0.4, -0.3, 0.1};
  dorm_context *context = unit_context();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *const pairs[] = {"ranking.reference", cases[i].reference, NULL};
    dorm_problem *problem = problem_of_four(context, pairs, scores);
    CU_ASSERT_EQUAL_FATAL(problem->num_calls, cases[i].num_calls);
    CU_ASSERT_TRUE(problem->calls[0].t == 1 && problem->calls[1].t == 0);
    CU_ASSERT_EQUAL(problem->calls[problem->num_calls - 1].t, cases[i].last);
    dorm_problem_free(problem);
  }
  dorm_context_free(context);
}

/* How many solutions of a call do not agree, and whether the recorded one is among them. */
static size_t count_wrong(const dorm_problem *problem, double t, bool *is_recorded)
{
  size_t count = 0;
  *is_recorded = false;
  for (size_t i = 0; dorm_problem_solution(problem, i); i++) {
    const dorm_solution *row = dorm_problem_solution(problem, i);
    bool is_wrong = row->t == t && !row->agrees;
    count += is_wrong;
    *is_recorded = *is_recorded || (is_wrong && strcmp(row->method, "recorded") == 0);
  }
  return count;
}

static void wrong_answers_are_noticed(void)
{
  const double scores[] = {0.5, 0.4, -0.3, 0.1};
  dorm_context *context = unit_context();
  bool is_recorded;
  for (int fault = 0; fault < 4; fault++) {
    dorm_problem *problem = small_problem(context, scores);
    dorm__problem_call *call = &problem->calls[0];
    uint32_t first = call->order[0];
    CU_ASSERT_EQUAL(call->t, 1);
    if (fault == 0) { /* two documents of different scores have changed places, and the value goes with them */
      call->order[0] = call->order[1];
      call->order[1] = first;
      call->value -= (problem->c[0] - problem->c[1]) * (problem->scores[first] - problem->scores[call->order[0]]) -
                     (problem->a[0] - problem->a[1]) * (problem->b[first] - problem->b[call->order[0]]);
    } else if (fault == 1) { /* the value is not that of the ranking */
      call->value += 1e-9;
    } else if (fault == 2) { /* rounding */
      call->value += 1e-15;
    }
    UNIT_OK(context, dorm_problem_solve(context, problem));
    CU_ASSERT_EQUAL(count_wrong(problem, 1, &is_recorded), fault < 2);
    CU_ASSERT_EQUAL(is_recorded, fault < 2);
    CU_ASSERT_EQUAL(dorm__problem_agrees(problem), fault >= 2);
    CU_ASSERT_TRUE(fault != 0 || dorm_problem_solution(problem, 0)->shortfall > 1e-3);
    CU_ASSERT_EQUAL(count_wrong(problem, 0, &is_recorded), 0);
    dorm_problem_free(problem);
  }
  dorm_context_free(context);
}

/* A recorded ranking that is worth more than all others, since it breaks the groups, is no better one. */
static void rankings_that_break_groups_are_noticed(void)
{
  static const char *const pairs[] = {
      "diversity.groups", "docid:(.)", "diversity.top", "2", "ranking.position_weights", "loss", NULL};
  const double scores[] = {3, 2, 1, 0};
  const size_t start[] = {0, 1, 2, 3, 4};
  const uint32_t groups[] = {5, 5, 7, 7};
  dorm_context *context = unit_context();
  bool is_recorded;
  dorm_dataset *data = unit_read_text(context, "1 qid:a 1:1\n1 qid:a 1:2\n0 qid:a 1:3\n0 qid:a 1:4\n");
  dorm_settings *settings = settings_of(context, pairs);
  dorm_problem *problem = NULL;
  UNIT_OK(context, dorm_dataset_set_groups(context, data, start, groups, NULL));
  UNIT_OK(context, dorm_problem_of(context, settings, data, 0, scores, &problem));
  const uint32_t apart[] = {0, 2, 1, 3};
  CU_ASSERT_EQUAL(problem->calls[1].t, 0);
  CU_ASSERT_TRUE(memcmp(problem->calls[1].order, apart, sizeof apart) == 0);
  problem->calls[1].order[1] = 1;
  problem->calls[1].order[2] = 2;
  problem->calls[1].value += problem->c[1] - problem->c[2];
  UNIT_OK(context, dorm_problem_solve(context, problem));
  CU_ASSERT_EQUAL(count_wrong(problem, 0, &is_recorded), 1);
  CU_ASSERT_TRUE(is_recorded);
  dorm_problem_free(problem);
  dorm_settings_free(settings);
  dorm_dataset_free(data);
  dorm_context_free(context);
}

static void the_slowest_query_is_found(void)
{
  enum { LONG = 400 };
  static const char *const pairs[] = {"ranking.position_weights", "power:0.5", NULL};
  const size_t query_start[] = {0, 3, 3 + LONG, 6 + LONG};
  double labels[6 + LONG], scores[6 + LONG];
  dorm_context *context = unit_context();
  dorm_settings *settings = settings_of(context, pairs);
  dorm_dataset *data = NULL;
  dorm_problem *problem = NULL;
  dorm__random random;
  dorm__random_seed(&random, unit_seed());
  for (size_t j = 0; j < 6 + LONG; j++) {
    labels[j] = (double)(j % 3);
    scores[j] = dorm__random_normal(&random);
  }
  UNIT_OK(context, dorm_dataset_from_arrays(context, 3, query_start, 0, labels, NULL, &data));
  UNIT_OK(context, dorm_problem_of(context, settings, data, DORM_WORST_QUERY, scores, &problem));
  CU_ASSERT_EQUAL(dorm_problem_about(problem)->query, 1);
  CU_ASSERT_EQUAL(dorm_problem_about(problem)->num_docs, LONG);
  CU_ASSERT_TRUE(memcmp(problem->scores, scores + 3, LONG * sizeof *scores) == 0);
  dorm_problem_free(problem);
  dorm_dataset_free(data);
  dorm_settings_free(settings);
  dorm_context_free(context);
}

static void what_cannot_be_made_is_refused(void)
{
  static const char *const pairs[] = {NULL};
  const double scores[] = {1, NAN};
  dorm_context *context = unit_context();
  dorm_dataset *data = unit_read_text(context, "1 qid:a 1:1\n0 qid:a 1:2\n");
  dorm_settings *settings = settings_of(context, pairs);
  dorm_problem *problem = NULL;
  UNIT_FAILS(context, dorm_problem_of(context, settings, data, 0, scores, &problem), DORM_NUMERICAL_FAILURE,
             "query a: a score is not finite");
  UNIT_FAILS(context, dorm_problem_of(context, settings, data, DORM_WORST_QUERY, scores, &problem),
             DORM_NUMERICAL_FAILURE, "query a: a score is not finite");
  UNIT_FAILS(context, dorm_problem_of(context, settings, data, 1, scores, &problem), DORM_BAD_USAGE,
             "no query number 1 of 1");
  UNIT_OK(context, dorm_settings_set(context, settings, "diversity.groups", "host"));
  UNIT_FAILS(context, dorm_problem_of(context, settings, data, 0, scores, &problem), DORM_BAD_USAGE, "have no groups");
  UNIT_OK(context, dorm_settings_set(context, settings, "loss.name", "rsvm"));
  UNIT_FAILS(context, dorm_problem_of(context, settings, data, 0, scores, &problem), DORM_BAD_USAGE, "is structured");
  CU_ASSERT_PTR_NULL(problem);
  CU_ASSERT_PTR_NULL(dorm_problem_about(NULL));
  CU_ASSERT_PTR_NULL(dorm_problem_solution(NULL, 0));
  dorm_settings_free(settings);
  dorm_dataset_free(data);
  dorm_context_free(context);
}

static const unit_test tests[] = {
    {"methods find what enumeration finds", methods_find_what_enumeration_finds},
    {"costs of any form", costs_of_any_form},
    {"groups are respected", groups_are_respected},
    {"calls are those of training", calls_are_those_of_training},
    {"numbers keep their bits", numbers_keep_their_bits},
    {"wrong answers are noticed", wrong_answers_are_noticed},
    {"rankings that break groups are noticed", rankings_that_break_groups_are_noticed},
    {"the slowest query is found", the_slowest_query_is_found},
    {"what cannot be made is refused", what_cannot_be_made_is_refused},
    {NULL, NULL},
};
const unit_suite problem_suite = {"problem", tests};
