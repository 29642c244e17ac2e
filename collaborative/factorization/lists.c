/*
 * lists.c: turns the rated items of each user into a query of a loss. If all ratings of a list are equal, every order
 * has loss 0. Such a list has no plan, and its user stays at the start.
 */
#include "collaborative/factorization/factorization.h"

#include <omp.h>
#include <string.h>

void dorm__lists_free(dorm__lists *lists)
{
  if (!lists)
    return;
  for (size_t i = 0; lists->plans && i < lists->num_lists; i++)
    dorm__oracle_plan_free(lists->plans[i]);
  for (size_t i = 0; lists->workspaces && i < lists->num_threads; i++)
    dorm__oracle_workspace_free(lists->workspaces[i]);
  dorm__loss_tables_free(lists->tables);
  dorm__loss_close(lists->loss);
  dorm_dataset_free(lists->dataset);
  dorm__region_clear(&lists->memory);
  dorm__free(lists);
}

size_t dorm__lists_size(const dorm__lists *lists, size_t list)
{
  return lists->start[list + 1] - lists->start[list];
}

static dorm_status make_threads(dorm_context *context, dorm__lists *lists)
{
  dorm_status status = DORM_OK;
  lists->workspaces = dorm__region_take_zero(&lists->memory, lists->num_threads, sizeof *lists->workspaces);
  lists->orders = dorm__region_take_zero(&lists->memory, lists->num_threads, lists->longest * sizeof *lists->orders);
  if (lists->memory.is_short)
    return dorm__out_of_memory(context, "a factorisation");
  for (size_t i = 0; status == DORM_OK && i < lists->num_threads; i++)
    status = dorm__oracle_workspace_new(context, lists->longest, &lists->workspaces[i]);
  return status;
}

/* Makes the tables of the loss, and one plan per list. */
static dorm_status make_plans(dorm_context *context, const dorm__factorization_options *options, dorm__lists *lists)
{
  dorm_status status = dorm__loss_copy(context, options->loss, &lists->loss);
  if (status == DORM_OK && (dorm__loss_is_general(lists->loss) || dorm__loss_is_structured(lists->loss)))
    status = dorm__fail(context, DORM_BAD_USAGE, "loss.name = %s: factorisation needs a loss of product form",
                        dorm__loss_spec(lists->loss));
  if (status == DORM_OK)
    status = dorm__loss_tables_build(context, lists->loss, lists->dataset, 1, &lists->tables);
  bool c_is_loss = options->position_weights.kind == DORM__WEIGHTS_OF_LOSS;
  if (!c_is_loss)
    dorm__position_weights_fill(&options->position_weights, lists->longest, lists->c_table);
  for (size_t i = 0; status == DORM_OK && i < lists->num_lists; i++) {
    const dorm__query_loss *loss = dorm__loss_tables_query(lists->tables, i);
    lists->c[i] = c_is_loss ? loss->a : lists->c_table;
    if (loss->trains)
      status = dorm__oracle_plan_new(context, DORM__ORACLE_AUTO, loss->num_docs, loss->a, loss->b, lists->c[i],
                                     &lists->plans[i]);
  }
  return status;
}

/* Fixes the references: the best ranking without loss if the labels are the scores. */
static dorm_status fix_references(dorm_context *context, dorm__lists *lists)
{
  static const double enough = 1e6; /* makes a loss outweigh any difference of labels */
  dorm_status status = DORM_OK;
  lists->fixed = dorm__region_take_zero(&lists->memory, lists->start[lists->num_lists], sizeof *lists->fixed);
  if (!lists->fixed)
    return dorm__out_of_memory(context, "a factorisation");
  for (size_t i = 0; status == DORM_OK && i < lists->num_lists; i++) {
    double loss;
    if (lists->plans[i])
      status = dorm__lists_oracle(context, lists, i, lists->dataset->labels + lists->start[i], -enough,
                                  lists->fixed + lists->start[i], &loss);
  }
  return status;
}

dorm_status dorm__lists_new(dorm_context *context, const dorm__factorization_options *options,
                            const dorm_ratings *ratings, size_t num_threads, dorm__lists **lists)
{
  const dorm__rating_table *table = &ratings->table;
  *lists = NULL;
  dorm__lists *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "a factorisation");
  dorm__region *memory = &made->memory;
  made->num_threads = num_threads;
  made->has_offsets = options->has_offsets;
  made->mu = options->mu;
  made->users = dorm__region_take_zero(memory, table->num_users, sizeof *made->users);
  made->start = dorm__region_take_zero(memory, table->num_users + 1, sizeof *made->start);
  made->items = dorm__region_take_zero(memory, table->num_ratings, sizeof *made->items);
  made->c = dorm__region_take_zero(memory, table->num_users, sizeof *made->c);
  made->plans = dorm__region_take_zero(memory, table->num_users, sizeof *made->plans);
  if (!memory->is_short) {
    made->num_lists = dorm__rating_users(table, NULL, made->users, made->start);
    memcpy(made->items, table->items, table->num_ratings * sizeof *made->items);
  }
  for (size_t i = 0; i < made->num_lists; i++)
    made->longest = dorm__lists_size(made, i) > made->longest ? dorm__lists_size(made, i) : made->longest;
  made->c_table = dorm__region_take_zero(memory, made->longest, sizeof *made->c_table);
  dorm__rating_lists queries = {made->num_lists, made->users, made->start, made->items, table->values};
  dorm_status status =
      DORM__ALL(memory->is_short ? dorm__out_of_memory(context, "a factorisation") : DORM_OK,
                dorm__rating_dataset(context, ratings, &queries, 0, &made->dataset), make_threads(context, made),
                make_plans(context, options, made), options->is_fixed ? fix_references(context, made) : DORM_OK);
  return DORM__GIVE(status, lists, made, dorm__lists_free);
}

dorm_status dorm__lists_oracle(dorm_context *context, const dorm__lists *lists, size_t list, const double *scores,
                               double t, double *weights, double *loss)
{
  size_t thread = (size_t)omp_get_thread_num();
  uint32_t *order = lists->orders + thread * lists->longest;
  dorm_status status = dorm__oracle_solve(lists->plans[list], lists->workspaces[thread], scores, t, order, NULL);
  if (status != DORM_OK)
    return dorm__fail(context, status, "user %.60s: the scores left the range of numbers",
                      dorm_dataset_query_id(lists->dataset, list));
  for (size_t p = 0; p < dorm__lists_size(lists, list); p++)
    weights[order[p]] = lists->c[list][p];
  *loss = dorm__query_loss_of(dorm__loss_tables_query(lists->tables, list), order);
  return DORM_OK;
}

dorm_status dorm__lists_reference(dorm_context *context, const dorm__lists *lists, size_t list, const double *scores,
                                  double *weights, double *loss)
{
  if (!lists->fixed)
    return dorm__lists_oracle(context, lists, list, scores, -lists->mu, weights, loss);
  memcpy(weights, lists->fixed + lists->start[list], dorm__lists_size(lists, list) * sizeof *weights);
  *loss = 0;
  return DORM_OK;
}
