/*
 * query_problem.c: makes the oracle's problem of one query, as training with some settings has it. A problem is for bug
 * reports: it holds numbers about documents that have no names, and no text that could be a path.
 */
#include "training/query_problem.h"
#include "base/spec.h"
#include "data/data.h"
#include "losses/losses.h"
#include "training/training.h"

#include <string.h>

enum { MOST_CUBIC = 100 }; /* documents, for slow methods in a search over all queries */

/* What the problems of all queries have in common. */
typedef struct problem_maker {
  dorm_context *context;
  const dorm_settings *settings;
  const dorm_dataset *dataset;
  const double *scores;
  dorm__loss *loss;
  dorm__loss_tables *tables;
  dorm__position_weights weights;
  dorm__diversity diversity;
  const char *weights_word, *reference_word;
} problem_maker;

void dorm_problem_free(dorm_problem *problem)
{
  if (!problem)
    return;
  const dorm_problem_info *about = &problem->about;
  const char *const texts[] = {about->version, about->loss, about->position_weights, about->reference, about->oracle};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    dorm__free((char *)texts[i]);
  double *const numbers[] = {problem->labels, problem->scores, problem->a, problem->b, problem->c, problem->cost};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    dorm__free(numbers[i]);
  for (size_t i = 0; i < problem->num_calls; i++) {
    dorm__free(problem->calls[i].order);
    dorm__free(problem->calls[i].found_by);
  }
  dorm__query_groups_clear(&problem->groups);
  dorm__free(problem->solutions);
  dorm__free(problem->orders);
  dorm__free(problem);
}

const dorm_problem_info *dorm_problem_about(const dorm_problem *problem)
{
  return problem ? &problem->about : NULL;
}

/* ---- What the queries have in common ---------------------------------------------------------- */

static dorm_status open_loss(problem_maker *maker)
{
  dorm__loss *loss = NULL;
  if (dorm__settings_integer(maker->settings, DORM__RANKING_POSITION_FUNCTIONS) > 1)
    return dorm__fail(maker->context, DORM_BAD_USAGE,
                      "ranking.position_functions = %zu: documents have a score for each of the first positions, and a "
                      "problem holds one",
                      dorm__settings_integer(maker->settings, DORM__RANKING_POSITION_FUNCTIONS));
  dorm_status status = dorm__loss_from(maker->context, maker->settings, &loss);
  if (status == DORM_OK && dorm__loss_is_structured(loss))
    status =
        dorm__fail(maker->context, DORM_BAD_USAGE,
                   "loss '%s' is structured: its outputs are no rankings by positions, so that there is no problem "
                   "to write",
                   dorm__loss_module_of(loss)->name);
  if (status == DORM_OK && dorm__settings_count(maker->settings, DORM__LOSS_TRUNCATION)) {
    size_t truncation = (size_t)dorm__settings_number_at(maker->settings, DORM__LOSS_TRUNCATION, 0);
    status = dorm__loss_with_truncation(maker->context, loss, truncation, &maker->loss);
    dorm__loss_close(loss);
    return status;
  }
  maker->loss = loss;
  return status;
}

static dorm_status open_maker(problem_maker *maker)
{
  dorm_status status = open_loss(maker);
  if (status != DORM_OK)
    return status;
  maker->weights_word = dorm__settings_word_at(maker->settings, DORM__RANKING_POSITION_WEIGHTS, 0);
  maker->reference_word = dorm__settings_is_auto(maker->settings, DORM__RANKING_REFERENCE)
                              ? "mu:0.3"
                              : dorm__settings_word_at(maker->settings, DORM__RANKING_REFERENCE, 0);
  maker->diversity = dorm__diversity_from(maker->settings, dorm__loss_truncation(maker->loss));
  if (maker->diversity.is_on && !maker->dataset->groups)
    return dorm__fail(maker->context, DORM_BAD_USAGE, "%s: diversity.groups is set, but the data have no groups",
                      maker->dataset->name);
  status = dorm__position_weights_from(maker->context, maker->weights_word, &maker->weights);
  if (status == DORM_OK && maker->weights.kind == DORM__WEIGHTS_OF_LOSS && dorm__loss_is_general(maker->loss))
    status = dorm__fail(maker->context, DORM_BAD_USAGE,
                        "ranking.position_weights = loss: a loss of general costs has none of its own");
  return status == DORM_OK ? dorm__loss_tables_build(maker->context, maker->loss, maker->dataset, 1, &maker->tables)
                           : status;
}

static void close_maker(problem_maker *maker)
{
  dorm__position_weights_clear(&maker->weights);
  dorm__loss_tables_free(maker->tables);
  dorm__loss_close(maker->loss);
}

/* ---- One query ---------------------------------------------------------------------------------- */

/* The loss with its parameters, without those that are texts, which may be paths; NULL when out of memory. */
static char *loss_text(const dorm__loss *loss)
{
  const dorm_loss_module *module = dorm__loss_module_of(loss);
  size_t count = 0;
  dorm_loss_parameter *rows = dorm__alloc(module->num_parameters, sizeof *rows);
  dorm_loss_value *values = dorm__alloc(module->num_parameters, sizeof *values);
  for (size_t i = 0; rows && values && i < module->num_parameters; i++) {
    const char *choices = module->parameters[i].choices;
    if (choices && !*choices)
      continue;
    rows[count] = module->parameters[i];
    values[count++] = dorm__loss_values(loss)[i];
  }
  char *text = rows && values ? dorm__spec_text(module->name, count, rows, values) : NULL;
  dorm__free(rows);
  dorm__free(values);
  return text;
}

static dorm_status take_texts(const problem_maker *maker, dorm_problem_info *about)
{
  const char *argument = NULL;
  bool is_file = dorm__spec_is(maker->weights_word, "file", &argument);
  about->version = dorm__copy_text(dorm_version());
  about->loss = loss_text(maker->loss);
  about->position_weights = dorm__copy_text(is_file ? "file" : maker->weights_word);
  about->reference = dorm__copy_text(maker->reference_word);
  about->oracle = dorm__copy_text(dorm__oracle_method_name(dorm__oracle_method_from(maker->settings)));
  return about->version && about->loss && about->position_weights && about->reference && about->oracle
             ? DORM_OK
             : dorm__out_of_memory(maker->context, "a problem");
}

/* A copy of `count` numbers, or room for them where x is NULL; false when out of memory. */
static bool take(size_t count, const double *x, double **copy)
{
  *copy = dorm__alloc(count, sizeof **copy);
  if (*copy && x)
    memcpy(*copy, x, count * sizeof **copy);
  return *copy != NULL;
}

static dorm_status take_tables(const problem_maker *maker, size_t query, dorm_problem *made)
{
  const dorm__query_loss *loss = dorm__loss_tables_query(maker->tables, query);
  size_t first = maker->dataset->query_start[query], count = loss->num_docs;
  bool is_there = take(count, maker->dataset->labels + first, &made->labels) &&
                  take(count, maker->scores + first, &made->scores) && take(count, loss->a, &made->c);
  if (is_there && loss->cost)
    is_there = count <= SIZE_MAX / count && take(count * count, loss->cost, &made->cost);
  else if (is_there)
    is_there = take(count, loss->a, &made->a) && take(count, loss->b, &made->b);
  if (!is_there)
    return dorm__out_of_memory(maker->context, "a problem");
  if (maker->weights.kind != DORM__WEIGHTS_OF_LOSS)
    dorm__position_weights_fill(&maker->weights, count, made->c);
  return DORM_OK;
}

static dorm_status take_groups(const problem_maker *maker, size_t query, dorm_problem *made)
{
  const dorm__doc_lists *lists = maker->dataset->groups;
  if (!maker->diversity.is_on)
    return DORM_OK;
  made->group_method = maker->diversity.method;
  made->limit = maker->diversity.seconds;
  dorm_status status = dorm__query_groups_make(
      maker->context, made->about.num_docs, lists->start + maker->dataset->query_start[query], lists->numbers,
      lists->weights, maker->diversity.top, maker->diversity.capacity, &made->groups);
  made->about.num_groups = made->groups.groups.num_groups;
  return status;
}

static dorm_status make(const problem_maker *maker, size_t query, dorm_problem **problem)
{
  const dorm_dataset *dataset = maker->dataset;
  dorm__reference reference = dorm__reference_from(maker->reference_word);
  dorm_problem *made = dorm__alloc_zero(1, sizeof *made);
  *problem = NULL;
  if (!made)
    return dorm__out_of_memory(maker->context, "a problem");
  made->about.query = query;
  made->about.num_docs = dataset->query_start[query + 1] - dataset->query_start[query];
  made->method = dorm__oracle_method_from(maker->settings);
  made->calls[made->num_calls++].t = 1;
  made->calls[made->num_calls++].t = 0;
  if (reference.kind == DORM__REFERENCE_MU && reference.mu > 0)
    made->calls[made->num_calls++].t = -reference.mu;
  dorm_status status = take_texts(maker, &made->about);
  if (status == DORM_OK)
    status = take_tables(maker, query, made);
  if (status == DORM_OK)
    status = take_groups(maker, query, made);
  if (status == DORM_OK)
    status = dorm__problem_record(maker->context, made);
  if (status == DORM_OK) {
    *problem = made;
    return status;
  }
  dorm_problem_free(made);
  return status == DORM_OUT_OF_MEMORY ? status
                                      : dorm__fail_within(maker->context, status, "%.200s: query %.80s", dataset->name,
                                                          dorm_dataset_query_id(dataset, query));
}

/* The first query whose methods do not agree, else the one whose recorded calls take longest. */
static dorm_status find_worst(const problem_maker *maker, dorm_problem **worst)
{
  double longest = -1;
  bool agrees = true;
  dorm_status status = DORM_OK;
  for (size_t q = 0; status == DORM_OK && agrees && q < maker->dataset->num_queries; q++) {
    dorm_problem *problem;
    double time = 0;
    status = make(maker, q, &problem);
    if (status == DORM_OK)
      status = dorm__problem_compare(maker->context, problem, MOST_CUBIC);
    for (size_t i = 0; status == DORM_OK && i < problem->num_calls; i++)
      time += problem->calls[i].microseconds;
    agrees = status != DORM_OK || dorm__problem_agrees(problem);
    bool is_worse = status == DORM_OK && (!agrees || time > longest);
    dorm_problem *other = is_worse ? *worst : problem;
    *worst = is_worse ? problem : *worst;
    longest = is_worse ? time : longest;
    dorm_problem_free(other);
  }
  if (status == DORM_OK)
    return status;
  dorm_problem_free(*worst);
  *worst = NULL;
  return status;
}

dorm_status dorm_problem_of(dorm_context *context, const dorm_settings *settings, const dorm_dataset *dataset,
                            size_t query, const double *scores, dorm_problem **problem)
{
  if (DORM__LACKS(context, DORM__GIVEN(settings), DORM__GIVEN(dataset), DORM__GIVEN(scores), DORM__RESULT(problem)))
    return DORM_BAD_USAGE;
  problem_maker maker = {.context = context, .settings = settings, .dataset = dataset, .scores = scores};
  *problem = NULL;
  if (dataset->num_queries == 0 || (query >= dataset->num_queries && query != DORM_WORST_QUERY))
    return dorm__fail(context, DORM_BAD_USAGE, "%s: no query number %zu of %zu", dataset->name, query,
                      dataset->num_queries);
  dorm_status status = open_maker(&maker);
  if (status == DORM_OK)
    status = query == DORM_WORST_QUERY ? find_worst(&maker, problem) : make(&maker, query, problem);
  close_maker(&maker);
  return status;
}
