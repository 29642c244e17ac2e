/* quadratic.c: rankings in which documents interact (the paper, equation 29), with a proven bound. Minimises
 *
 *   sum_jp L[jp] x[jp] + sum_jp,lq C[jp][lq] x[jp] x[lq],   x[jp] = 1 if document j is at position p,
 *
 * for the first m positions. This is NP-hard. Each node of a branch and bound has a rising lower bound by the dual
 * ascent of Hahn and Grant (1998), which begins with the bound of Gilmore (1962) and Lawler (1963).
 *
 * A sweep visits each leader jp. It takes the costs of the pairs with jp from both sides and spreads L[jp] over them.
 * Then it solves the assignment of the other positions given jp, and keeps the reduced costs in C[jp] and the value in
 * L[jp]. Finally an assignment of the leaders raises the bound, and L keeps the reduced costs. bound + L[jp] bounds
 * rankings with j at p, which forbids most leaders. Upper bounds come from greedy and exchanged rankings. O(n^2 m^3)
 * per sweep of n documents. */
#include "assignment/assignment.h"

#include <math.h>
#include <string.h>

enum { MOST_SWEEPS = 200, STALLED = 4 };

/* A node: documents doc[n] for positions position[m]. Leader jp has index p n + j. */
typedef struct node {
  dorm__region memory; /* of the arrays */
  size_t n, m;
  uint32_t *doc, *position;
  double *lead;       /* [m n], INFINITY if forbidden */
  double *pairs;      /* [m n][m n] */
  double *spare;      /* [n] costs of documents that are left out, see visit_leader */
  double *pair_spare; /* [m n][n] the same if the leader is chosen */
  double bound;
} node;

typedef struct quadratic_search {
  dorm_context *context;
  const dorm__interactions *problem;
  double until, tolerance;
  uint32_t *order, *tried; /* [num_docs] the best ranking, and a trial (only the first num_positions count) */
  uint32_t *fixed;         /* [num_positions] fixed documents of the node, or UINT32_MAX */
  double best;             /* the value of order */
  double closed;           /* upper bound of the rankings that were skipped */
  double *inner;           /* [m][n] costs of an assignment */
  double *row_price, *column_price, *distance; /* [m + 1], [n + 1], [n + 1] */
  size_t *row_of, *from;                       /* [n + 1] */
  bool *is_done;                               /* [n + 1] */
  bool is_short;                               /* memory ran out */
} quadratic_search;

/* ---- Values --------------------------------------------------------------------------------- */

static double pair_cost(const dorm__interactions *problem, const uint32_t *order, size_t p, size_t q)
{
  return problem->similarity[order[p] * problem->num_docs + order[q]] *
         problem->closeness[p * problem->num_positions + q];
}

/* The value that document `doc` would add at position p of `order`, whose first `count` positions are filled. */
static double value_at(const dorm__interactions *problem, const uint32_t *order, size_t count, size_t p, uint32_t doc)
{
  const double *similarity = problem->similarity + doc * problem->num_docs;
  const double *closeness = problem->closeness + p * problem->num_positions;
  double value = problem->weights[p] * problem->gains[doc];
  for (size_t q = 0; q < count; q++)
    value -= q == p ? 0 : similarity[order[q]] * closeness[q];
  return value;
}

static double value_of(const dorm__interactions *problem, const uint32_t *order)
{
  double value = 0;
  for (size_t p = 0; p < problem->num_positions; p++)
    value += value_at(problem, order, p, p, order[p]);
  return value;
}

static void swap(uint32_t *order, size_t p, size_t q)
{
  uint32_t doc = order[p];
  order[p] = order[q];
  order[q] = doc;
}

/* Exchanges two documents, at least one of them in front, while that improves the ranking. */
static void exchange(const dorm__interactions *problem, uint32_t *order)
{
  size_t m = problem->num_positions;
  for (bool is_better = true; is_better;) {
    is_better = false;
    for (size_t p = 0; p < m; p++)
      for (size_t q = p + 1; q < problem->num_docs; q++) {
        double before = value_at(problem, order, m, p, order[p]);
        if (q < m)
          before += value_at(problem, order, m, q, order[q]) + pair_cost(problem, order, p, q);
        swap(order, p, q);
        double after = value_at(problem, order, m, p, order[p]);
        if (q < m)
          after += value_at(problem, order, m, q, order[q]) + pair_cost(problem, order, p, q);
        if (after > before + 1e-12 * (1 + fabs(before)))
          is_better = true;
        else
          swap(order, p, q);
      }
  }
}

/* Improves search->tried, and keeps it if it is the best. */
static void try_order(quadratic_search *search)
{
  exchange(search->problem, search->tried);
  double value = value_of(search->problem, search->tried);
  if (value > search->best) {
    search->best = value;
    memcpy(search->order, search->tried, search->problem->num_docs * sizeof *search->order);
  }
}

/* Fills position after position with the document that adds the most. */
static void try_greedy(quadratic_search *search)
{
  const dorm__interactions *problem = search->problem;
  for (size_t p = 0; p < problem->num_positions; p++) {
    size_t best = p;
    double most = -INFINITY;
    for (size_t i = p; i < problem->num_docs; i++) {
      double value = value_at(problem, search->tried, p, p, search->tried[i]);
      if (value > most) {
        most = value;
        best = i;
      }
    }
    swap(search->tried, p, best);
  }
  try_order(search);
}

/* ---- Assignments ---------------------------------------------------------------------------- */

/* Finds the cheapest assignment of all rows to different columns, costs [rows][columns], by shortest augmenting paths.
 * Prices are dual: cost - row_price[r + 1] - column_price[c + 1] >= 0, column_price <= 0. row_of[c + 1] is r + 1, or 0
 * if the column is free. Returns INFINITY if there is none. O(rows^2 columns) */
static double assign(quadratic_search *search, size_t rows, size_t columns, const double *cost)
{
  double *u = search->row_price, *v = search->column_price, *distance = search->distance;
  size_t *row_of = search->row_of, *from = search->from;
  memset(u, 0, (rows + 1) * sizeof *u);
  memset(v, 0, (columns + 1) * sizeof *v);
  memset(row_of, 0, (columns + 1) * sizeof *row_of);
  for (size_t row = 1; row <= rows; row++) {
    size_t at = 0;
    row_of[0] = row;
    for (size_t c = 0; c <= columns; c++) {
      distance[c] = INFINITY;
      search->is_done[c] = false;
    }
    do {
      size_t r = row_of[at], next = 0;
      double least = INFINITY;
      search->is_done[at] = true;
      for (size_t c = 1; c <= columns; c++) {
        if (search->is_done[c])
          continue;
        double reduced = cost[(r - 1) * columns + c - 1] - u[r] - v[c];
        if (reduced < distance[c]) {
          distance[c] = reduced;
          from[c] = at;
        }
        if (distance[c] < least) {
          least = distance[c];
          next = c;
        }
      }
      if (!next)
        return INFINITY;
      for (size_t c = 0; c <= columns; c++) {
        if (search->is_done[c]) {
          u[row_of[c]] += least;
          v[c] -= least;
        } else {
          distance[c] -= least;
        }
      }
      at = next;
    } while (row_of[at]);
    for (; at; at = from[at])
      row_of[at] = row_of[from[at]];
  }
  return -v[0];
}

/* ---- Sweeps --------------------------------------------------------------------------------- */

/* Solves the assignment of the other positions for leader j at p. Not every column gets a row, so its price
 * v <= 0 is paid only if the document is used. `spare` keeps -v as a cost of leaving it out, and the next visit spreads
 * it. */
static void visit_leader(quadratic_search *search, const node *at, size_t p, size_t j)
{
  size_t n = at->n, leaders = at->m * n, leader = p * n + j;
  double *pairs = at->pairs + leader * leaders, *inner = search->inner;
  double *spare = at->pair_spare + leader * n, spread = at->lead[leader];
  for (size_t l = 0; l < n; l++)
    spread += spare[l];
  spread /= (double)(at->m - 1);
  for (size_t q = 0, row = 0; q < at->m; q++) {
    if (q == p)
      continue;
    for (size_t l = 0; l < n; l++) {
      size_t other = q * n + l;
      bool is_allowed = l != j && isfinite(at->lead[other]);
      inner[row * n + l] =
          is_allowed ? spread + pairs[other] + at->pairs[other * leaders + leader] - spare[l] : INFINITY;
    }
    row++;
  }
  double value = assign(search, at->m - 1, n, inner);
  at->lead[leader] = value;
  for (size_t l = 0; l < n; l++)
    spare[l] = -search->column_price[l + 1];
  for (size_t q = 0, row = 0; isfinite(value) && q < at->m; q++) {
    if (q == p)
      continue;
    for (size_t l = 0; l < n; l++) {
      size_t other = q * n + l;
      double reduced = inner[row * n + l] - search->row_price[row + 1] - search->column_price[l + 1];
      pairs[other] = l == j ? 0 : fmax(reduced, 0);
      at->pairs[other * leaders + leader] = 0;
    }
    row++;
  }
}

/* Skips rankings worth at most `value`. */
static void close_at(quadratic_search *search, double value)
{
  search->closed = fmax(search->closed, value);
}

/* Whether rankings with this lower bound of costs can be skipped. */
static bool is_hopeless(const quadratic_search *search, double bound)
{
  return -bound <= search->best + search->tolerance * fabs(search->best);
}

static void place(uint32_t *order, size_t p, uint32_t doc)
{
  size_t at = 0;
  while (order[at] != doc)
    at++;
  swap(order, p, at);
}

/* Tries the ranking of the last assignment of leaders, with the fixed documents of the node. */
static void try_leaders(quadratic_search *search, const node *at)
{
  for (size_t p = 0; p < search->problem->num_positions; p++)
    if (search->fixed[p] != UINT32_MAX)
      place(search->tried, p, search->fixed[p]);
  for (size_t l = 0; l < at->n; l++)
    if (search->row_of[l + 1])
      place(search->tried, at->position[search->row_of[l + 1] - 1], at->doc[l]);
  try_order(search);
}

/* Raises the bound by one sweep, and forbids leaders. Returns false if no ranking is left. */
static bool sweep(quadratic_search *search, node *at)
{
  size_t leaders = at->m * at->n;
  for (size_t p = 0; at->m > 1 && p < at->m; p++)
    for (size_t j = 0; j < at->n; j++)
      if (isfinite(at->lead[p * at->n + j]))
        visit_leader(search, at, p, j);
  for (size_t i = 0; i < leaders; i++)
    at->lead[i] -= at->spare[i % at->n];
  for (size_t l = 0; l < at->n; l++)
    at->bound += at->spare[l];
  double value = assign(search, at->m, at->n, at->lead);
  if (!isfinite(value))
    return false;
  at->bound += value;
  for (size_t l = 0; l < at->n; l++)
    at->spare[l] = -search->column_price[l + 1];
  for (size_t i = 0; i < leaders; i++) {
    at->lead[i] = fmax(at->lead[i] - search->row_price[i / at->n + 1] - search->column_price[i % at->n + 1], 0);
    if (isfinite(at->lead[i]) && is_hopeless(search, at->bound + at->lead[i])) {
      close_at(search, -at->bound - at->lead[i]);
      at->lead[i] = INFINITY;
    }
  }
  return true;
}

/* ---- Branch and bound ------------------------------------------------------------------------- */

static void node_free(node *at)
{
  dorm__region_clear(&at->memory);
}

static bool node_alloc(size_t n, size_t m, node *made)
{
  *made = (node){.n = n, .m = m};
  made->doc = dorm__region_take(&made->memory, n, sizeof *made->doc);
  made->position = dorm__region_take(&made->memory, m, sizeof *made->position);
  made->lead = dorm__region_take(&made->memory, m * n, sizeof *made->lead);
  made->spare = dorm__region_take(&made->memory, n, sizeof *made->spare);
  made->pair_spare = dorm__region_take_zero(&made->memory, m * n, n * sizeof *made->pair_spare);
  made->pairs = dorm__region_take(&made->memory, m * n, m * n * sizeof *made->pairs);
  return !made->memory.is_short;
}

static bool is_useful(const node *at, size_t j)
{
  for (size_t p = 0; p < at->m; p++)
    if (isfinite(at->lead[p * at->n + j]))
      return true;
  return false;
}

/* Makes a child node without the documents that are forbidden everywhere. If p < at->m, document j is fixed at position
 * p. */
static bool make_child(const node *at, size_t p, size_t j, node *made)
{
  size_t n = at->n, leaders = at->m * n, leader = p * n + j, kept = 0, count = 0;
  bool is_fixed = p < at->m;
  for (size_t l = 0; l < n; l++)
    kept += !(is_fixed && l == j) && is_useful(at, l);
  *made = (node){0};
  DORM__FREED size_t *here = dorm__alloc(at->m * n, sizeof *here); /* indices of the child's leaders in this node */
  if (!here || !node_alloc(kept, at->m - is_fixed, made))
    return false;
  made->bound = at->bound + (is_fixed ? at->lead[leader] : 0);
  for (size_t l = 0; l < n; l++)
    if (!(is_fixed && l == j))
      made->bound += (is_fixed ? at->pair_spare[leader * n + l] : 0) + (is_useful(at, l) ? 0 : at->spare[l]);
  for (size_t q = 0, row = 0; q < at->m; q++) {
    if (q == p)
      continue;
    made->position[row++] = at->position[q];
    for (size_t l = 0; l < n; l++)
      if (!(is_fixed && l == j) && is_useful(at, l))
        here[count++] = q * n + l;
  }
  for (size_t i = 0; i < count; i++) {
    const double *row = at->pairs + here[i] * leaders, *spare = at->pair_spare + here[i] * n;
    double out = 0; /* dropped documents stay out */
    made->lead[i] = at->lead[here[i]];
    if (is_fixed)
      made->lead[i] += at->pairs[leader * leaders + here[i]] + row[leader] - at->pair_spare[leader * n + here[i] % n];
    for (size_t k = 0; k < count; k++)
      made->pairs[i * count + k] = row[here[k]];
    for (size_t k = 0; k < kept; k++)
      made->pair_spare[i * kept + k] = spare[here[k] % n];
    for (size_t l = 0; l < n; l++)
      out += is_useful(at, l) ? 0 : spare[l];
    made->lead[i] += out;
  }
  for (size_t k = 0; k < kept; k++) {
    made->doc[k] = at->doc[here[k] % n];
    made->spare[k] = at->spare[here[k] % n];
  }
  return true;
}

/* Drops documents that are forbidden everywhere, if there are many of them. */
static void shrink(quadratic_search *search, node *at)
{
  size_t kept = 0;
  node smaller;
  for (size_t l = 0; l < at->n; l++)
    kept += is_useful(at, l);
  if (4 * kept > 3 * at->n)
    return;
  if (make_child(at, at->m, 0, &smaller)) {
    node_free(at);
    *at = smaller;
  } else {
    node_free(&smaller);
    search->is_short = true;
  }
}

static void explore(quadratic_search *search, node *at);

/* Branches on the position with the fewest documents, by increasing bound. */
static void branch(quadratic_search *search, node *at)
{
  size_t chosen = 0, least = SIZE_MAX;
  for (size_t p = 0; p < at->m; p++) {
    size_t count = 0;
    for (size_t j = 0; j < at->n; j++)
      count += isfinite(at->lead[p * at->n + j]);
    if (count < least) {
      least = count;
      chosen = p;
    }
  }
  double *lead = at->lead + chosen * at->n;
  for (size_t i = 0; i < least; i++) {
    size_t j = 0;
    for (size_t l = 0; l < at->n; l++)
      if (lead[l] < lead[j])
        j = l;
    node child;
    double bound = at->bound + lead[j];
    bool is_over = dorm__seconds() > search->until || dorm__cancelled(search->context);
    if (is_hopeless(search, bound) || is_over) {
      close_at(search, -bound);
    } else if (make_child(at, chosen, j, &child)) {
      search->fixed[at->position[chosen]] = at->doc[j];
      explore(search, &child);
      search->fixed[at->position[chosen]] = UINT32_MAX;
      node_free(&child);
    } else {
      search->is_short = true;
      node_free(&child);
    }
    lead[j] = INFINITY;
  }
}

static void explore(quadratic_search *search, node *at)
{
  size_t num_still = 0;
  for (size_t count = 0; count < MOST_SWEEPS && num_still < STALLED; count++) {
    double before = at->bound, missing = -before - search->best;
    if (!sweep(search, at))
      return;
    try_leaders(search, at);
    bool is_over = dorm__seconds() > search->until || dorm__cancelled(search->context);
    if (is_hopeless(search, at->bound) || at->m == 1 || is_over) {
      close_at(search, -at->bound);
      return;
    }
    shrink(search, at);
    num_still = count > 0 && at->bound - before < 0.02 * missing ? num_still + 1 : 0;
  }
  branch(search, at);
}

/* Whether the two are alike for all others. Then some best ranking has the one with the larger gain first. */
static bool are_twins(const dorm__interactions *problem, size_t one, size_t two)
{
  size_t n = problem->num_docs;
  for (size_t l = 0; l < n; l++)
    if (l != one && l != two && problem->similarity[one * n + l] != problem->similarity[two * n + l])
      return false;
  return true;
}

/* Forbids rankings in which a document precedes, or appears without, its twins of larger gain. */
static void order_twins(const dorm__interactions *problem, const node *root)
{
  size_t m = root->m, n = root->n, leaders = m * n;
  for (size_t l = 1; l < n; l++) {
    size_t num_before = 0;
    for (size_t j = 0; j < l; j++) {
      if (!are_twins(problem, j, l))
        continue;
      num_before++;
      for (size_t p = 0; p < m; p++)
        for (size_t q = 0; q < p; q++)
          root->pairs[(p * n + j) * leaders + q * n + l] = root->pairs[(q * n + l) * leaders + p * n + j] = INFINITY;
    }
    for (size_t p = 0; p < m && p < num_before; p++)
      root->lead[p * n + l] = INFINITY;
  }
}

static bool make_root(quadratic_search *search, node *root)
{
  const dorm__interactions *problem = search->problem;
  size_t m = problem->num_positions, n = problem->num_docs;
  *root = (node){0};
  if (!node_alloc(n, m, root))
    return false;
  memset(root->spare, 0, n * sizeof *root->spare);
  for (size_t p = 0; p < m; p++)
    root->position[p] = (uint32_t)p;
  for (size_t j = 0; j < n; j++)
    root->doc[j] = (uint32_t)j;
  for (size_t i = 0; i < m * n; i++) {
    size_t p = i / n, j = i % n;
    root->lead[i] = -problem->weights[p] * problem->gains[j];
    for (size_t k = 0; k < m * n; k++)
      root->pairs[i * m * n + k] = problem->similarity[j * n + k % n] * problem->closeness[p * m + k / n] / 2;
  }
  order_twins(problem, root);
  return true;
}

/* An upper bound on rankings with documents from outside, which ignores interactions. Documents are sorted by gain. */
static double value_outside(const dorm__interactions *problem)
{
  double bound = problem->weights[problem->num_positions - 1] * problem->outside;
  for (size_t p = 0; p + 1 < problem->num_positions; p++)
    bound += problem->weights[p] * problem->gains[p];
  return bound;
}

static bool search_alloc(size_t n, size_t m, dorm__region *memory, quadratic_search *search)
{
  search->tried = dorm__region_take(memory, n, sizeof *search->tried);
  search->fixed = dorm__region_take(memory, m, sizeof *search->fixed);
  search->inner = dorm__region_take(memory, n, m * sizeof *search->inner);
  search->row_price = dorm__region_take(memory, m + 1, sizeof *search->row_price);
  search->column_price = dorm__region_take(memory, n + 1, sizeof *search->column_price);
  search->distance = dorm__region_take(memory, n + 1, sizeof *search->distance);
  search->row_of = dorm__region_take(memory, n + 1, sizeof *search->row_of);
  search->from = dorm__region_take(memory, n + 1, sizeof *search->from);
  search->is_done = dorm__region_take(memory, n + 1, sizeof *search->is_done);
  if (memory->is_short)
    return false;
  memset(search->fixed, 0xff, m * sizeof *search->fixed);
  return true;
}

dorm_status dorm__rank_interacting(dorm_context *context, const dorm__interactions *problem, double tolerance,
                                   double seconds, uint32_t *order, dorm__interacting_value *found)
{
  quadratic_search search = {.context = context,
                             .problem = problem,
                             .tolerance = tolerance,
                             .until = seconds > 0 ? dorm__seconds() + seconds : INFINITY,
                             .order = order,
                             .best = -INFINITY,
                             .closed = value_outside(problem)};
  DORM__AT_END(dorm__region_clear) dorm__region memory = {0};
  node root = {0};
  for (size_t j = 0; j < problem->num_docs; j++)
    order[j] = (uint32_t)j;
  if (search_alloc(problem->num_docs, problem->num_positions, &memory, &search) && make_root(&search, &root)) {
    memcpy(search.tried, order, problem->num_docs * sizeof *order);
    try_order(&search);
    for (size_t j = 0; j < problem->num_docs; j++)
      search.tried[j] = (uint32_t)j;
    try_greedy(&search);
    explore(&search, &root);
  } else {
    search.is_short = true;
  }
  node_free(&root);
  if (search.is_short)
    return dorm__out_of_memory(context, "a ranking with interactions");
  *found = (dorm__interacting_value){search.best, fmax(search.closed, search.best)};
  return DORM_OK;
}
