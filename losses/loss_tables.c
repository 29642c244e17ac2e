/*
 * loss_tables.c: the tables of a loss for every query of a data set. They are checked: all numbers are finite and a
 * does not increase. One allocation holds all: 2 l numbers for a query of l documents in the product form, l^2 in the
 * general one, none in the structured one.
 *
 * In the product form the smallest cost of a ranking is -sum_p a[p] b_(p) with b in falling order (rearrangement
 * inequality). In the general form it is an assignment problem, which another folder solves, and `minimum` is NaN until
 * dorm__loss_tables_set_minimum.
 */
#include "base/team.h"
#include "losses/gains.h"
#include "losses/loss.h"
#include "losses/losses.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct dorm__loss_tables {
  size_t num_queries;
  dorm__query_loss *queries; /* [num_queries] */
  double *numbers;           /* all tables, query after query */
};

static bool is_constant(size_t count, const double *values)
{
  for (size_t i = 1; i < count; i++)
    if (values[i] != values[0])
      return false;
  return true;
}

static dorm_status check_product(dorm_context *context, const dorm__loss *loss, const char *query, size_t num_docs,
                                 const double *a, const double *b)
{
  const char *name = dorm__loss_module_of(loss)->name;
  dorm_status fault = dorm__loss_fault(loss);
  for (size_t i = 0; i < num_docs; i++) {
    if (!isfinite(a[i]))
      return dorm__fail(context, fault, "loss '%s', query '%s': weight a of position %zu is not finite", name, query,
                        i);
    if (!isfinite(b[i]))
      return dorm__fail(context, fault, "loss '%s', query '%s': gain b of document %zu is not finite", name, query, i);
    if (i && a[i] > a[i - 1])
      return dorm__fail(context, fault, "loss '%s', query '%s': weight a increases from %g to %g at position %zu", name,
                        query, a[i - 1], a[i], i);
  }
  return DORM_OK;
}

size_t dorm__weights_depth(size_t count, const double *weights)
{
  while (count > 0 && weights[count - 1] == 0)
    count--;
  return count;
}

static dorm_status build_product(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset,
                                 size_t query, double *numbers, double *scratch, dorm__query_loss *made)
{
  size_t num_docs = dataset->query_start[query + 1] - dataset->query_start[query];
  const char *query_id = dorm_dataset_query_id(dataset, query);
  double *a = numbers;
  double *b = numbers + num_docs;
  dorm_status status = dorm__loss_fill_product(context, loss, dataset, query, a, b);
  if (status != DORM_OK)
    return dorm__fail_within(context, status, "query '%.80s'", query_id);
  status = check_product(context, loss, query_id, num_docs, a, b);
  if (status != DORM_OK)
    return status;
  dorm__loss_weigh_gains(loss, dataset, query, a, b, scratch);
  *made = (dorm__query_loss){
      .num_docs = num_docs,
      .a = a,
      .b = b,
      .depth = dorm__weights_depth(num_docs, a),
      .minimum = -dorm__ideal_worth(num_docs, a, b, scratch),
      .trains = !is_constant(num_docs, a) && !is_constant(num_docs, b),
  };
  return DORM_OK;
}

/* Returns whether cost[j][p] = u[j] + v[p], that is, whether all rankings cost the same. */
static bool is_sum_of_two(size_t num_docs, const double *cost)
{
  double largest = 0;
  for (size_t i = 0; i < num_docs * num_docs; i++)
    largest = fmax(largest, fabs(cost[i]));
  for (size_t j = 1; j < num_docs; j++)
    for (size_t p = 1; p < num_docs; p++) {
      double difference = cost[j * num_docs + p] - cost[j * num_docs] - cost[p] + cost[0];
      if (fabs(difference) > 4 * DBL_EPSILON * largest)
        return false;
    }
  return true;
}

static dorm_status build_general(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset,
                                 size_t query, double *numbers, dorm__query_loss *made)
{
  size_t num_docs = dataset->query_start[query + 1] - dataset->query_start[query];
  const char *query_id = dorm_dataset_query_id(dataset, query);
  dorm_status status = dorm__loss_fill_costs(context, loss, dataset, query, numbers);
  if (status != DORM_OK)
    return dorm__fail_within(context, status, "query '%.80s'", query_id);
  for (size_t i = 0; i < num_docs * num_docs; i++)
    if (!isfinite(numbers[i]))
      return dorm__fail(context, dorm__loss_fault(loss),
                        "loss '%s', query '%s': the cost of document %zu at position %zu is not finite",
                        dorm__loss_module_of(loss)->name, query_id, i / num_docs, i % num_docs);
  *made = (dorm__query_loss){.num_docs = num_docs,
                             .cost = numbers,
                             .depth = num_docs,
                             .minimum = NAN,
                             .trains = !is_sum_of_two(num_docs, numbers)};
  return DORM_OK;
}

/* Finds whether the query trains: the worst output at scores of 0 must have a cost. scratch [2][num_docs]. */
static dorm_status build_structured(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset,
                                    size_t query, double *scratch, dorm__query_loss *made)
{
  size_t num_docs = dataset->query_start[query + 1] - dataset->query_start[query];
  double delta = 0;
  memset(scratch, 0, num_docs * sizeof *scratch);
  dorm_status status = dorm__loss_find_worst(context, loss, dataset, query, scratch, scratch + num_docs, &delta);
  if (status != DORM_OK)
    return dorm__fail_within(context, status, "query '%.80s'", dorm_dataset_query_id(dataset, query));
  *made = (dorm__query_loss){.num_docs = num_docs, .structured = loss, .depth = num_docs, .trains = delta > 0};
  return DORM_OK;
}

/* Returns the size of the table of a query of `num_docs` documents, divided by num_docs. */
static size_t table_width(const dorm__loss *loss, size_t num_docs)
{
  if (dorm__loss_is_structured(loss))
    return 0;
  return dorm__loss_is_general(loss) ? num_docs : 2;
}

/* Computes the size of the tables of the first `num_queries` queries. Returns false on overflow. */
static bool count_numbers(const dorm_dataset *dataset, const dorm__loss *loss, size_t num_queries, size_t *count)
{
  size_t sum = 0;
  for (size_t q = 0; q < num_queries; q++) {
    size_t num_docs = dataset->query_start[q + 1] - dataset->query_start[q];
    size_t factor = table_width(loss, num_docs);
    if (num_docs && factor > (SIZE_MAX / sizeof(double) - sum) / num_docs)
      return false;
    sum += factor * num_docs;
  }
  *count = sum;
  return true;
}

/* Builds the tables of queries first .. end - 1. */
static dorm_status build_share(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset, size_t first,
                               size_t end, dorm__loss_tables *made)
{
  dorm_status status = DORM_OK;
  DORM__FREED double *scratch = dorm__alloc(dorm__dataset_max_docs(dataset), 2 * sizeof *scratch);
  size_t place = 0;
  if (!scratch || !count_numbers(dataset, loss, first, &place))
    status = dorm__out_of_memory(context, "loss tables");
  for (size_t q = first; status == DORM_OK && q < end; q++) {
    size_t num_docs = dataset->query_start[q + 1] - dataset->query_start[q];
    double *numbers = made->numbers + place;
    if (!num_docs)
      continue;
    if (dorm__loss_is_structured(loss))
      status = build_structured(context, loss, dataset, q, scratch, &made->queries[q]);
    else if (dorm__loss_is_general(loss))
      status = build_general(context, loss, dataset, q, numbers, &made->queries[q]);
    else
      status = build_product(context, loss, dataset, q, numbers, scratch, &made->queries[q]);
    place += table_width(loss, num_docs) * num_docs;
  }
  return status;
}

/* Builds the tables of all queries, by several threads. */
static dorm_status build_shares(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset,
                                size_t num_threads, dorm__loss_tables *made)
{
  size_t num_queries = dataset->num_queries;
  dorm__team *team = NULL;
  dorm_status status = dorm__team_new(context, num_threads, "loss tables", &team);
  if (status != DORM_OK)
    return status;
#pragma omp parallel for schedule(static, 1) num_threads((int)num_threads)
  for (size_t i = 0; i < num_threads; i++)
    dorm__team_note(team, i,
                    build_share(dorm__team_context(team), loss, dataset, i * num_queries / num_threads,
                                (i + 1) * num_queries / num_threads, made));
  return dorm__team_end(context, team);
}

dorm_status dorm__loss_tables_build(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset,
                                    size_t num_threads, dorm__loss_tables **tables)
{
  size_t count = 0;
  size_t num_queries = dataset->num_queries;
  *tables = NULL;
  dorm_status status =
      DORM__ALL(dorm__loss_check_weights(context, loss, dataset), dorm__loss_prepare(context, loss, dataset));
  if (status != DORM_OK)
    return status;
  dorm__loss_tables *made = dorm__alloc_zero(1, sizeof *made);
  if (made && count_numbers(dataset, loss, num_queries, &count)) {
    made->num_queries = num_queries;
    made->queries = dorm__alloc_zero(num_queries, sizeof *made->queries);
    made->numbers = dorm__alloc_zero(count, sizeof *made->numbers);
  }
  if (!made || !made->queries || !made->numbers) {
    dorm__loss_tables_free(made);
    return dorm__out_of_memory(context, "loss tables");
  }
  return DORM__GIVE(num_threads == 1 ? build_share(context, loss, dataset, 0, num_queries, made)
                                     : build_shares(context, loss, dataset, num_threads, made),
                    tables, made, dorm__loss_tables_free);
}

void dorm__loss_tables_free(dorm__loss_tables *tables)
{
  if (!tables)
    return;
  dorm__free(tables->queries);
  dorm__free(tables->numbers);
  dorm__free(tables);
}

const dorm__query_loss *dorm__loss_tables_query(const dorm__loss_tables *tables, size_t query)
{
  return &tables->queries[query];
}

void dorm__loss_tables_set_minimum(dorm__loss_tables *tables, size_t query, double minimum)
{
  tables->queries[query].minimum = minimum;
}

double dorm__query_loss_of(const dorm__query_loss *loss, const uint32_t *order)
{
  double cost = 0;
  for (size_t p = 0; p < loss->depth; p++)
    cost += loss->cost ? loss->cost[order[p] * loss->num_docs + p] : -loss->a[p] * loss->b[order[p]];
  double delta = cost - loss->minimum;
  return delta > 0 || isnan(delta) ? delta : 0; /* rounding may make it -1e-17 */
}
