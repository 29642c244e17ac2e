/* problem.c: tables, position weights, groups and oracle plans of the training queries. */
#include "solver/problem.h"
#include "base/processes.h"
#include "solver/columns.h"

#include <math.h>
#include <omp.h>
#include <string.h>

static const double smallest_parallel_work = 2e6; /* multiply-adds of one pass */

/* ---- Threads --------------------------------------------------------------------------------------- */

/* The scratch memory and the clock of one thread, and the message of a failed oracle call. */

static void thread_clear(dorm__thread *thread)
{
  dorm__oracle_workspace_free(thread->workspace);
  dorm__region_clear(&thread->memory);
  dorm__pool_clear(&thread->vectors);
}

/* Makes scratch for queries of up to max_docs documents, each of which has a score by every function. */
static dorm_status thread_init(dorm_context *context, size_t max_docs, size_t num_functions, size_t num_features,
                               bool is_sparse, dorm__thread *thread)
{
  size_t width = num_functions * num_features, num_sparse = is_sparse ? width : 0;
  *thread = (dorm__thread){.vectors = dorm__pool_of(width * sizeof(double))};
  dorm_status status = dorm__oracle_workspace_new(context, max_docs, &thread->workspace);
  if (status != DORM_OK)
    return status;
  dorm__region *memory = &thread->memory;
  thread->scores = dorm__region_take(memory, max_docs, num_functions * sizeof *thread->scores);
  thread->weights = dorm__region_take(memory, max_docs, sizeof *thread->weights);
  thread->order = dorm__region_take(memory, max_docs, sizeof *thread->order);
  thread->docs = dorm__region_take(memory, 2 * max_docs, sizeof *thread->docs);
  thread->sum = dorm__region_take_zero(memory, width, sizeof *thread->sum);
  thread->is_touched = dorm__region_take_zero(memory, num_sparse, sizeof *thread->is_touched);
  thread->touched = dorm__region_take(memory, num_sparse, sizeof *thread->touched);
  return memory->is_short ? dorm__out_of_memory(context, "a thread") : DORM_OK;
}

double dorm__next_phase(dorm__thread *thread)
{
  double now = dorm__seconds();
  double seconds = now - thread->phase_started;
  thread->phase_started = now;
  return seconds;
}

double dorm__oracle_phase(dorm__thread *thread)
{
  double seconds = dorm__next_phase(thread);
  thread->method_seconds[dorm__oracle_workspace_counts(thread->workspace)->last] += seconds;
  return seconds;
}

dorm_status dorm__thread_explain(dorm_context *context, const dorm__thread *thread, const dorm_dataset *dataset,
                                 size_t query, dorm_status status)
{
  const char *id = dorm_dataset_query_id(dataset, query);
  dorm_status said;
  const char *failure = dorm__oracle_failure(thread->workspace, &said);
  if (status == DORM_OK)
    return DORM_OK;
  if (thread->failed != DORM_OK)
    return dorm__fail(context, thread->failed, "query %s: %.900s", id, thread->failure.message);
  if (*failure)
    return dorm__fail(context, said, "%s: query %s: %s", dataset->name, id, failure);
  if (status == DORM_OUT_OF_MEMORY)
    return dorm__out_of_memory(context, "an oracle pass");
  bool is_refuted = dorm__oracle_workspace_counts(thread->workspace)->failed_checks > 0;
  return dorm__fail(context, DORM_NUMERICAL_FAILURE, "%s: query %s: %s", dataset->name, id,
                    is_refuted ? "the oracle's ranking is not the best" : "the scores left the range of numbers");
}

/* ---- Problem ------------------------------------------------------------------------------------- */

void dorm__problem_free(dorm__problem *problem)
{
  if (!problem)
    return;
  for (size_t i = 0; problem->plans && i < problem->num_queries; i++)
    dorm__oracle_plan_free(problem->plans[i]);
  for (size_t i = 0; problem->groups && i < problem->num_queries; i++)
    dorm__query_groups_clear(&problem->groups[i]);
  for (size_t i = 0; problem->workers.threads && i < problem->workers.count; i++)
    thread_clear(&problem->workers.threads[i]);
  dorm__team_free(problem->team);
  dorm__region_clear(&problem->memory);
  dorm__free(problem);
}

size_t dorm__problem_width(const dorm__problem *problem)
{
  return (1 + problem->num_own) * problem->features->num_features;
}

size_t dorm__problem_num_queries(const dorm__problem *problem)
{
  return problem->all.queries;
}

double dorm__problem_total_weight(const dorm__problem *problem)
{
  return problem->all.weight;
}

size_t dorm__problem_num_short(const dorm__problem *problem)
{
  return problem->num_short;
}

size_t dorm__useful_threads(size_t num_entries, size_t num_threads)
{
  return (double)num_entries < smallest_parallel_work ? 1 : num_threads;
}

void dorm__problem_count_oracles(const dorm__problem *problem, dorm__oracle_counts *counts, double *seconds)
{
  for (size_t i = 0; i < problem->workers.count; i++) {
    const dorm__oracle_counts *own = dorm__oracle_workspace_counts(problem->workers.threads[i].workspace);
    for (size_t method = 0; method < DORM__NUM_ORACLE_METHODS; method++) {
      counts->calls[method] += own->calls[method];
      seconds[method] += problem->workers.threads[i].method_seconds[method];
    }
    counts->unproved += own->unproved;
  }
}

dorm__thread *dorm__problem_thread(const dorm__problem *problem)
{
  return &problem->workers.threads[omp_get_thread_num()];
}

const dorm__query_loss *dorm__problem_loss(const dorm__problem *problem, size_t query)
{
  return dorm__loss_tables_query(problem->losses, problem->queries[query]);
}

/* ---- Plans ------------------------------------------------------------------------ */

/* Finds the least cost of the rankings of a query's plan, from which Delta is measured, by an oracle call at scores of
 * 0. If a programme stopped early, takes its bound on the least cost. Delta is then too large by a constant, but never
 * below 0. */
static dorm_status set_minimum(dorm_context *context, dorm__problem *problem, size_t query)
{
  dorm__thread *thread = dorm__problem_thread(problem);
  const dorm__query_loss *loss = dorm__problem_loss(problem, query);
  double value;
  memset(thread->scores, 0, (1 + problem->num_own) * loss->num_docs * sizeof *thread->scores);
  dorm_status status =
      dorm__oracle_solve(problem->plans[query], thread->workspace, thread->scores, -1, thread->order, &value);
  if (status != DORM_OK)
    return dorm__thread_explain(context, thread, problem->dataset, problem->queries[query], status);
  dorm__loss_tables_set_minimum(problem->losses, problem->queries[query],
                                -value - dorm__oracle_excess(thread->workspace));
  return DORM_OK;
}

/* Makes the position weights and the oracle plan of a query. Finds the least loss if its tables do not contain it. */
static dorm_status make_plan(dorm_context *context, dorm__problem *problem, size_t i,
                             const dorm__problem_options *options)
{
  const dorm__query_loss *loss = dorm__problem_loss(problem, i);
  bool c_is_loss = options->position_weights->kind == DORM__WEIGHTS_OF_LOSS;
  if (loss->structured)
    return DORM_OK;
  if (c_is_loss && !loss->a)
    return dorm__fail(context, DORM_BAD_USAGE,
                      "ranking.position_weights = loss needs a loss of product form; name "
                      "another, for example power:0.5");
  problem->c[i] = c_is_loss ? loss->a : problem->c_table;
  problem->depth[i] = dorm__weights_depth(loss->num_docs, problem->c[i]);
  dorm_status status = loss->cost ? dorm__oracle_plan_new_general(context, options->method, loss->num_docs, loss->cost,
                                                                  problem->c[i], &problem->plans[i])
                                  : dorm__oracle_plan_new(context, options->method, loss->num_docs, loss->a, loss->b,
                                                          problem->c[i], &problem->plans[i]);
  if (status == DORM_OK)
    status = dorm__oracle_plan_set_functions(context, problem->plans[i], problem->num_own);
  return status == DORM_OK && loss->cost ? set_minimum(context, problem, i) : status;
}

/* Makes the plans of all queries in parallel. Each thread has an equal share of the queries. */
static dorm_status make_plans(dorm_context *context, dorm__problem *problem, const dorm__problem_options *options)
{
  size_t num_threads = problem->workers.count;
#pragma omp parallel for schedule(static, 1) num_threads((int)num_threads)
  for (size_t share = 0; share < num_threads; share++) {
    size_t end = (share + 1) * problem->num_queries / num_threads;
    for (size_t i = share * problem->num_queries / num_threads; i < end && !dorm__team_skips(problem->team, i); i++)
      dorm__team_note(problem->team, i, make_plan(dorm__team_context(problem->team), problem, i, options));
  }
  return dorm__team_settle(context, problem->team);
}

/* Adds the groups of a query's documents to its plan, whose rankings then respect them. */
static dorm_status add_groups(dorm_context *context, dorm__problem *problem, size_t i, const dorm__diversity *diversity)
{
  if (dorm__problem_loss(problem, i)->structured)
    return dorm__fail(context, DORM_BAD_USAGE,
                      "diversity.groups: this loss is not one of rankings by positions; name another");
  size_t query = problem->queries[i], num_docs = dorm__problem_loss(problem, i)->num_docs;
  dorm__query_groups *made = &problem->groups[i];
  size_t top = diversity->top < num_docs ? diversity->top : num_docs;
  size_t asked = top;
  const dorm__doc_lists *lists = problem->dataset->groups;
  const dorm__group_entries entries = {lists->start + problem->dataset->query_start[query], lists->numbers,
                                       lists->weights};
  dorm_status status =
      DORM__ALL(dorm__query_groups_make(context, num_docs, &entries, diversity->top, diversity->capacity, made),
                dorm__oracle_plan_add_groups(context, problem->plans[i], &made->groups, diversity->method,
                                             diversity->seconds, &top));
  if (status != DORM_OK)
    return status == DORM_OUT_OF_MEMORY
               ? status
               : dorm__fail_within(context, status, "%.200s: query %.80s", problem->dataset->name,
                                   dorm_dataset_query_id(problem->dataset, query));
  made->groups.top = top;
  problem->num_short += top < asked;
  return dorm__oracle_plan_groups(problem->plans[i], NULL) ? set_minimum(context, problem, i) : DORM_OK;
}

static dorm_status add_all_groups(dorm_context *context, dorm__problem *problem, const dorm__diversity *diversity)
{
  dorm_status status = DORM_OK;
  if (!problem->dataset->groups)
    return dorm__fail(context, DORM_BAD_USAGE, "%s: diversity.groups is set, but the data have no groups",
                      problem->dataset->name);
  problem->groups = dorm__region_take_zero(&problem->memory, problem->num_queries, sizeof *problem->groups);
  if (!problem->groups)
    return dorm__out_of_memory(context, "groups");
  for (size_t i = 0; status == DORM_OK && i < problem->num_queries; i++)
    status = add_groups(context, problem, i, diversity);
  return status;
}

/* ---- Making ------------------------------------------------------------------------ */

static bool allocate(dorm__problem *made, size_t num_queries)
{
  dorm__region *memory = &made->memory;
  made->c_table = dorm__region_take_zero(memory, made->max_docs, sizeof *made->c_table);
  made->queries = dorm__region_take_zero(memory, num_queries, sizeof *made->queries);
  made->weights = dorm__region_take(memory, num_queries, sizeof *made->weights);
  made->c = dorm__region_take_zero(memory, num_queries, sizeof *made->c);
  made->depth = dorm__region_take_zero(memory, num_queries, sizeof *made->depth);
  made->plans = dorm__region_take_zero(memory, num_queries, sizeof *made->plans);
  made->workers.threads = dorm__region_take_zero(memory, made->workers.count, sizeof *made->workers.threads);
  made->reach = dorm__region_take(memory, num_queries, sizeof *made->reach);
  made->blocks.start = dorm__region_take_zero(memory, made->blocks.count + 1, sizeof *made->blocks.start);
  made->blocks.sums = dorm__region_take(memory, made->blocks.count, sizeof *made->blocks.sums);
  return !memory->is_short;
}

/* Returns the number of shards if solver.shards is auto: a power of two that depends on the data alone, as the model
 * does. Moves from the same v gain less than successive moves. With 4,000 queries of 20 documents, 2 shards take as
 * many instructions as one, and 4 take half as many again. */
static size_t count_shards(const dorm__problem *made, size_t num_entries)
{
  enum { LEAST = 2, MOST = 32, QUERIES_PER_SHARD = 1500, ENTRIES_PER_FEATURE = 8 };
  size_t num_queries = made->dataset->num_queries, width = dorm__problem_width(made), count = LEAST;
  if (dorm__useful_threads(num_entries, LEAST) == 1)
    return 1;
  while (count < MOST && 2 * count * QUERIES_PER_SHARD <= num_queries)
    count *= 2;
  while (count > 1 && (count > num_queries || count * width * ENTRIES_PER_FEATURE > num_entries))
    count /= 2;
  return count;
}

/* Lists the training queries, block by block. Block i has the queries start[i] .. start[i + 1] - 1 of the data set. */
static void list_queries(dorm__problem *made, const size_t *start)
{
  for (size_t block = 0; block < made->blocks.count; block++) {
    for (size_t q = start[block]; q < start[block + 1]; q++)
      if (dorm__loss_tables_query(made->losses, q)->trains && dorm_dataset_query_weight(made->dataset, q) > 0) {
        made->reach[made->num_queries] = NAN;
        made->weights[made->num_queries] = dorm_dataset_query_weight(made->dataset, q);
        made->depth[made->num_queries] = dorm__loss_tables_query(made->losses, q)->num_docs;
        made->queries[made->num_queries++] = q;
        made->all.docs += dorm__loss_tables_query(made->losses, q)->num_docs;
      }
    made->blocks.start[block + 1] = made->num_queries;
  }
}

static void add_weight(const void *user, size_t query, double *sum)
{
  const dorm__problem *problem = user;
  *sum += problem->weights[query];
}

/* Lists the training queries, and makes the scratch of the threads. */
static dorm_status fill(dorm_context *context, dorm__problem *made)
{
  const dorm__features *features = made->features;
  dorm__shards *shards = NULL;
  if (!allocate(made, made->dataset->num_queries))
    return dorm__out_of_memory(context, "a training problem");
  if (!made->blocks.is_dealt && dorm__shards_deal(context, made->dataset, made->blocks.count, &shards) != DORM_OK)
    return DORM_OUT_OF_MEMORY;
  list_queries(made, (shards ? shards : made->dataset->shards)->start);
  dorm__shards_free(shards);
  made->all.weight = dorm__sum_queries(made, 0, add_weight, made);
  size_t counts[] = {made->num_queries, made->all.docs};
  dorm__count_all(made, 2, counts);
  made->all.queries = counts[0];
  made->all.docs = counts[1];
  dorm_status status = dorm__team_new(context, made->workers.count, "a training problem", &made->team);
  for (size_t i = 0; status == DORM_OK && i < made->workers.count; i++)
    status = thread_init(context, made->max_docs, 1 + made->num_own, features->num_features,
                         features->row_start != NULL, &made->workers.threads[i]);
  return status;
}

dorm_status dorm__problem_new(dorm_context *context, const dorm_dataset *dataset, const dorm__features *features,
                              dorm__loss_tables *losses, const dorm__problem_options *options, dorm__problem **problem)
{
  *problem = NULL;
  dorm__problem *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "a training problem");
  size_t num_entries =
      features->row_start ? features->row_start[features->num_docs] : dataset->num_docs * features->num_features;
  made->context = context;
  made->dataset = dataset;
  made->blocks.is_dealt = dataset->shards != NULL;
  made->features = features;
  made->losses = losses;
  made->num_own = options->num_own;
  made->blocks.count = made->blocks.is_dealt ? dataset->shards->count : count_shards(made, num_entries);
  made->blocks.first = made->blocks.is_dealt ? dataset->shards->first : 0;
  made->blocks.all = made->blocks.is_dealt ? dataset->shards->total : made->blocks.count;
  made->workers.count = dorm__useful_threads(num_entries, options->num_threads);
  if (made->blocks.is_dealt && made->blocks.count && made->blocks.count < made->workers.count)
    made->workers.count = made->blocks.count;
  made->max_docs = dorm__dataset_max_docs(dataset);
  dorm_status status = fill(context, made);
  if (status == DORM_OK && options->position_weights->kind != DORM__WEIGHTS_OF_LOSS)
    dorm__position_weights_fill(options->position_weights, made->max_docs, made->c_table);
  if (status == DORM_OK)
    status = make_plans(context, made, options);
  if (status == DORM_OK && options->diversity.is_on)
    status = add_all_groups(context, made, &options->diversity);
  if (status == DORM_OK)
    dorm__count_all(made, 1, &made->num_short);
  for (size_t i = 0; status == DORM_OK && options->checks_oracles && i < made->workers.count; i++)
    dorm__oracle_workspace_set_check(made->workers.threads[i].workspace, true);
  return DORM__GIVE(status, problem, made, dorm__problem_free);
}

/* ---- Sums -------------------------------------------------------------------------------------- */

/* Sums over the queries of all processes. */

double dorm__sum_queries(const dorm__problem *problem, double start, dorm__add_query add, const void *user)
{
  double sum;
  for (size_t block = 0; block < problem->blocks.count; block++) {
    double *part = &problem->blocks.sums[block];
    *part = problem->blocks.first + block ? 0 : start;
    for (size_t i = problem->blocks.start[block]; i < problem->blocks.start[block + 1]; i++)
      add(user, i, part);
  }
  return dorm__processes_sum(problem->context, problem->blocks.count, 1, problem->blocks.sums, &sum) == DORM_OK ? sum
                                                                                                                : NAN;
}

void dorm__count_all(const dorm__problem *problem, size_t count, size_t *numbers)
{
  enum { MOST = 4 };
  uint64_t totals[MOST];
  for (size_t i = 0; i < count; i++)
    totals[i] = numbers[i];
  if (dorm__processes_totals(problem->context, count, totals) == DORM_OK)
    for (size_t i = 0; i < count; i++)
      numbers[i] = (size_t)totals[i];
}
