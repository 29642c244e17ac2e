/* programme.c: rankings with groups as programmes (the paper, eq. 33):
 *
 *   maximise  sum_jp worth(j, p) x[j][p],   x[j][p] in {0, 1},
 *   sum_j x[j][p] = 1 for every position,  sum_p x[j][p] <= 1 for every document,
 *   sum over documents j of a group and positions p < top of weight[j] x[j][p] <= capacity.
 *
 * The programme covers the first positions, at least `top`, after which all positions are alike. worth(j, p) is the
 * worth of j at p minus its worth after these positions. For exactly `top` positions and disjoint groups of equal
 * weights, the rows of documents and groups are nested, and the rows of positions partition the variables. The matrix
 * is then totally unimodular, and the linear programme has an integer solution (the paper, corollary 4). */
#include "assignment/assignment.h"
#include "assignment/groups/groups.h"
#include "assignment/plan.h"

#include <math.h>
#include <string.h>

enum { MOST_VARIABLES = 4000000 };

static const double WHOLE_TOLERANCE = 1e-6;

/* A programme, and the arrays that its head points to. */
typedef struct own_programme {
  dorm__region memory; /* of the arrays */
  dorm__programme head;
  size_t num_positions; /* x[j][p] is variable j * num_positions + p (1 if there is one variable per document) */
  double *objective, *limit, *values, *x;
  int *rows, *variables;
  size_t num_rows; /* so far */
} own_programme;

static void programme_clear(own_programme *made)
{
  dorm__region_clear(&made->memory);
}

static bool programme_alloc(own_programme *made, size_t num_variables, size_t most_rows, size_t most_entries)
{
  *made = (own_programme){.head = {.num_variables = num_variables}};
  dorm__region *memory = &made->memory;
  made->head.objective = made->objective = dorm__region_take_zero(memory, num_variables, sizeof *made->objective);
  made->head.limit = made->limit = dorm__region_take(memory, most_rows, sizeof *made->limit);
  made->head.values = made->values = dorm__region_take(memory, most_entries + 1, sizeof *made->values);
  made->head.rows = made->rows = dorm__region_take(memory, most_entries + 1, sizeof *made->rows);
  made->head.variables = made->variables = dorm__region_take(memory, most_entries + 1, sizeof *made->variables);
  made->x = dorm__region_take_zero(memory, num_variables, sizeof *made->x);
  return !memory->is_short;
}

static void start_row(own_programme *made, double limit)
{
  made->limit[made->num_rows++] = limit;
  made->head.num_rows = made->num_rows;
}

/* Adds an entry to the current row. */
static void add_entry(own_programme *made, size_t variable, double value)
{
  size_t at = ++made->head.num_entries;
  made->rows[at] = (int)made->num_rows;
  made->variables[at] = (int)variable + 1;
  made->values[at] = value;
}

static void add_position_rows(own_programme *made, size_t num_docs)
{
  for (size_t p = 0; p < made->num_positions; p++) {
    start_row(made, 1);
    for (size_t j = 0; j < num_docs; j++)
      add_entry(made, j * made->num_positions + p, 1);
  }
}

static void add_doc_rows(own_programme *made, size_t num_docs)
{
  for (size_t j = 0; j < num_docs; j++) {
    start_row(made, 1);
    for (size_t p = 0; p < made->num_positions; p++)
      add_entry(made, j * made->num_positions + p, 1);
  }
}

/* Adds one row per group, over its documents at the first `positions_in_front` positions: at most room[s] of them if
 * `room` is given, otherwise weights of at most the capacity. */
static void add_group_rows(own_programme *made, const dorm__oracle_groups *groups, const uint32_t *room,
                           size_t positions_in_front)
{
  for (size_t s = 0; s < groups->num_groups; s++) {
    start_row(made, room ? room[s] : groups->capacity);
    for (size_t e = groups->start[s]; e < groups->start[s + 1]; e++)
      for (size_t p = 0; p < positions_in_front; p++)
        add_entry(made, groups->docs[e] * made->num_positions + p, room || !groups->weights ? 1 : groups->weights[e]);
  }
}

static size_t num_members(const dorm__oracle_groups *groups)
{
  return groups->start[groups->num_groups];
}

/* Makes the programme of a ranking. Returns false when out of memory. */
static bool make_ranking_programme(const dorm__group_plan *plan, const dorm__oracle_call *call, own_programme *made)
{
  const dorm__oracle_groups *groups = &plan->groups;
  size_t num_docs = call->num_docs, top = groups->top;
  size_t num_positions = plan->flat_from;
  if (!programme_alloc(made, num_docs * num_positions, num_positions + num_docs + groups->num_groups,
                       2 * num_docs * num_positions + num_members(groups) * top))
    return false;
  made->num_positions = num_positions;
  for (size_t j = 0; j < num_docs; j++)
    for (size_t p = 0; p < num_positions; p++)
      made->objective[j * num_positions + p] = dorm__worth_in_front(call, num_positions, p, j);
  add_position_rows(made, num_docs);
  add_doc_rows(made, num_docs);
  add_group_rows(made, groups, plan->is_disjoint ? plan->room : NULL, top);
  made->head.num_equations = num_positions;
  made->head.is_integer = plan->method == DORM__ORACLE_MIP;
  made->head.seconds = plan->seconds;
  return true;
}

/* An upper bound on the worth of every solution: the sum of the best worths at each position. */
static double plain_bound(const own_programme *made, size_t num_docs)
{
  double sum = 0;
  for (size_t p = 0; p < made->num_positions; p++) {
    double most = -INFINITY;
    for (size_t j = 0; j < num_docs; j++)
      most = fmax(most, made->objective[j * made->num_positions + p]);
    sum += most;
  }
  return sum;
}

static double largest_fraction(const own_programme *made)
{
  double largest = 0;
  for (size_t x = 0; x < made->head.num_variables; x++)
    largest = fmax(largest, fabs(made->x[x] - round(made->x[x])));
  return largest;
}

/* Reads the ranking from an integer solution. Returns false if a position has no document. */
static bool read_order(const own_programme *made, size_t num_docs, const dorm__group_scratch *scratch, uint32_t *order)
{
  for (size_t j = 0; j < num_docs; j++)
    scratch->holder[j] = DORM__NO_DOC;
  for (size_t p = 0; p < made->num_positions; p++) {
    size_t doc = 0;
    while (doc < num_docs && made->x[doc * made->num_positions + p] < 0.5)
      doc++;
    if (doc == num_docs || scratch->holder[doc] != DORM__NO_DOC)
      return false;
    scratch->holder[doc] = (uint32_t)p;
    order[p] = (uint32_t)doc;
  }
  dorm__fill_after(num_docs, made->num_positions, scratch->holder, order);
  return true;
}

/* Makes a ranking if there is no solution: documents that can be in front together, then the others. */
static void fall_back(const dorm__group_plan *plan, size_t num_docs, const dorm__group_scratch *scratch,
                      uint32_t *order)
{
  size_t top = plan->groups.top, num_front = 0;
  memset(scratch->used, 0, num_docs * sizeof *scratch->used);
  for (size_t i = 0; !plan->is_disjoint && i < top; i++)
    order[num_front++] = plan->in_front[i];
  for (size_t j = 0; num_front < top; j++)
    if (scratch->used[plan->group_of[j]] < plan->room[plan->group_of[j]]) {
      scratch->used[plan->group_of[j]]++;
      order[num_front++] = (uint32_t)j;
    }
  dorm__fill_after(num_docs, top, scratch->holder, order);
}

static double value_of(const own_programme *made, const uint32_t *order)
{
  double sum = 0;
  for (size_t p = 0; p < made->num_positions; p++)
    sum += made->objective[order[p] * made->num_positions + p];
  return sum;
}

dorm_status dorm__programme_rank(const dorm__group_plan *plan, const dorm__oracle_call *call,
                                 const dorm__group_scratch *scratch, uint32_t *order, double *excess, double *fraction,
                                 char failure[DORM__FAILURE_SIZE])
{
  DORM__AT_END(programme_clear) own_programme made = {.num_rows = 0};
  dorm__programme_result result;
  size_t num_docs = call->num_docs, num_positions = plan->flat_from;
  if (num_positions > MOST_VARIABLES / num_docs) {
    snprintf(failure, DORM__FAILURE_SIZE, "a programme of %zu documents and %zu positions has too many variables",
             num_docs, num_positions);
    return DORM_BAD_DATA;
  }
  if (!make_ranking_programme(plan, call, &made)) {
    snprintf(failure, DORM__FAILURE_SIZE, "out of memory for a programme of %zu documents", num_docs);
    return DORM_OUT_OF_MEMORY;
  }
  if (!dorm__glpk_solve(&made.head, made.x, &result)) {
    memcpy(failure, result.failure, DORM__FAILURE_SIZE);
    return DORM_BAD_DATA;
  }
  double distance = result.has_solution ? largest_fraction(&made) : 0;
  if (distance > WHOLE_TOLERANCE || (result.has_solution && !read_order(&made, num_docs, scratch, order))) {
    snprintf(failure, DORM__FAILURE_SIZE, "GLPK: the solution is not whole (by %.3g)", distance);
    return DORM_BAD_DATA;
  }
  if (!result.has_solution)
    fall_back(plan, num_docs, scratch, order);
  double bound = fmin(result.bound, plain_bound(&made, num_docs));
  *excess = result.is_proved ? 0 : fmax(0, bound - value_of(&made, order));
  if (fraction)
    *fraction = distance;
  return DORM_OK;
}

/* ---- Number of documents in front ------------------------------------------------- */

/* Takes documents as long as they fit, by increasing weight over all groups. load [num_docs] and room [num_groups] are
 * scratch. docs [groups->top]. */
static size_t count_greedily(const dorm__oracle_groups *groups, size_t num_docs, double *load, double *room,
                             uint32_t *docs)
{
  size_t count = 0;
  memset(load, 0, num_docs * sizeof *load);
  for (size_t s = 0; s < groups->num_groups; s++) {
    room[s] = dorm__groups_limit(groups);
    for (size_t e = groups->start[s]; e < groups->start[s + 1]; e++)
      load[groups->docs[e]] += groups->weights ? groups->weights[e] : 1;
  }
  for (size_t i = 0; i < num_docs && count < groups->top; i++) {
    size_t doc = 0;
    for (size_t j = 1; j < num_docs; j++)
      doc = load[j] < load[doc] ? j : doc;
    load[doc] = INFINITY;
    bool fits = true;
    for (int keeps = 0; keeps < 2 && fits; keeps++)
      for (size_t s = 0; s < groups->num_groups; s++)
        for (size_t e = groups->start[s]; e < groups->start[s + 1]; e++) {
          double weight = groups->docs[e] == doc ? groups->weights ? groups->weights[e] : 1 : 0;
          fits = fits && room[s] >= weight;
          room[s] -= keeps ? weight : 0;
        }
    if (fits)
      docs[count++] = (uint32_t)doc;
  }
  return count;
}

static dorm_status count_by_programme(dorm_context *context, const dorm__oracle_groups *groups, size_t num_docs,
                                      double seconds, uint32_t *docs, size_t *count)
{
  DORM__AT_END(programme_clear) own_programme made;
  dorm__programme_result result;
  dorm_status status = DORM_OK;
  if (!programme_alloc(&made, num_docs, 1 + groups->num_groups, num_docs + num_members(groups)))
    return dorm__out_of_memory(context, "a programme");
  made.num_positions = 1;
  start_row(&made, (double)groups->top);
  for (size_t j = 0; j < num_docs; j++) {
    made.objective[j] = 1;
    add_entry(&made, j, 1);
  }
  add_group_rows(&made, groups, NULL, 1);
  made.head.is_integer = true;
  made.head.seconds = seconds;
  if (!dorm__glpk_solve(&made.head, made.x, &result))
    return dorm__fail(context, DORM_BAD_DATA, "%s", result.failure);
  size_t found = 0;
  for (size_t j = 0; result.has_solution && j < num_docs; j++)
    found += made.x[j] > 0.5;
  if (found > *count && found <= groups->top) {
    *count = 0;
    for (size_t j = 0; j < num_docs; j++)
      if (made.x[j] > 0.5)
        docs[(*count)++] = (uint32_t)j;
  }
  return status;
}

dorm_status dorm__programme_count(dorm_context *context, const dorm__oracle_groups *groups, size_t num_docs,
                                  double seconds, uint32_t *docs, size_t *count)
{
  DORM__FREED double *load = dorm__alloc(num_docs, sizeof *load);
  DORM__FREED double *room = dorm__alloc(groups->num_groups, sizeof *room);
  dorm_status status = DORM_OK;
  if (!load || !room)
    status = dorm__out_of_memory(context, "groups");
  else
    *count = count_greedily(groups, num_docs, load, room, docs);
  if (status == DORM_OK && *count < groups->top && dorm__has_glpk())
    status = count_by_programme(context, groups, num_docs, seconds, docs, count);
  return status;
}
