/* oracle_cases.c: draws random instances of the oracle's problem (oracle_cases.h). */
#include "tests/unit/oracle_cases.h"
#include "assignment/groups/groups.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

oracle_case *oracle_case_new(void)
{
  oracle_case *instance = calloc(1, sizeof *instance);
  double *numbers = calloc(4 * ORACLE_CASE_MOST_DOCS, sizeof *numbers);
  if (!instance || !numbers)
    abort();
  instance->a = numbers;
  instance->b = numbers + ORACLE_CASE_MOST_DOCS;
  instance->c = numbers + 2 * ORACLE_CASE_MOST_DOCS;
  instance->g = numbers + 3 * ORACLE_CASE_MOST_DOCS;
  return instance;
}

void oracle_case_free(oracle_case *instance)
{
  free(instance->a);
  free(instance);
}

static size_t draw_truncation(dorm__random *random, size_t num_docs)
{
  static const size_t usual[] = {1, 2, 3, 5, 10, 100};
  size_t drawn = dorm__random_below(random, 7);
  return drawn < 6 ? usual[drawn] : 1 + dorm__random_below(random, num_docs);
}

/* A falling table with steps of all sizes, long constant stretches and any offset. */
static void draw_hostile_table(dorm__random *random, size_t num_docs, double *table)
{
  double chance = dorm__random_uniform(random);
  double wide = 12 * dorm__random_uniform(random);
  double height = 0;
  for (size_t p = num_docs; p-- > 0;) {
    if (dorm__random_uniform(random) < chance)
      height += pow(10, -wide * dorm__random_uniform(random));
    table[p] = height;
  }
  double offset = dorm__random_below(random, 3) == 0 ? height * (dorm__random_uniform(random) - 1.5) : 0;
  for (size_t p = 0; p < num_docs; p++)
    table[p] += offset;
}

static const char *draw_loss(oracle_case *instance, dorm__random *random)
{
  size_t n = instance->num_docs, kind = dorm__random_below(random, 8);
  size_t truncation = draw_truncation(random, n);
  double half_life = 1 + (double)dorm__random_below(random, 20);
  for (size_t p = 0; p < n; p++) {
    double x = (double)p;
    double discount = 1 / log2(x + 2);
    double ndcg_at = p < truncation ? discount : 0;
    double letor_at = p >= truncation ? 0 : p == 0 ? 1 : 1 / log2(x + 1);
    double precision = p < truncation ? 1 / (double)truncation : 0;
    double eru = exp2(-x / half_life);
    double values[] = {discount, ndcg_at, letor_at, 1 / (x + 1), p == 0, precision, eru};
    if (kind < 7)
      instance->a[p] = values[kind];
  }
  if (kind == 7)
    draw_hostile_table(random, n, instance->a);
  static const char *const names[] = {"ndcg", "ndcg@n", "ndcg@n letor", "mrr", "wta", "precision@n", "eru", "hostile"};
  return names[kind];
}

/* The position from which on a table is constant. */
static size_t end_of_falls(size_t num_docs, const double *table)
{
  size_t end = num_docs;
  while (end > 0 && table[end - 1] == table[num_docs - 1])
    end--;
  return end;
}

static const char *draw_weights(oracle_case *instance, dorm__random *random)
{
  static const double exponents[] = {0.25, 0.5, 1, 2};
  size_t n = instance->num_docs, kind = dorm__random_below(random, 8);
  double exponent = exponents[dorm__random_below(random, 4)];
  size_t truncation = draw_truncation(random, n);
  if (dorm__random_below(random, 2)) /* where a is truncated, or next to it */
    truncation = end_of_falls(n, instance->a) + dorm__random_below(random, 3);
  double factor = exp(dorm__random_normal(random));
  for (size_t p = 0; p < n; p++) {
    double x = (double)p;
    double power = pow(x + 2, -exponent);
    double values[] = {factor * instance->a[p], power, 1 / log(x + 3), 1 / log(log(x + 3)), p < truncation ? power : 0,
                       -x / (double)n,          1};
    if (kind < 7)
      instance->c[p] = values[kind];
  }
  if (kind == 7)
    draw_hostile_table(random, n, instance->c);
  static const char *const names[] = {"as the loss",     "power",  "log",      "loglog",
                                      "power truncated", "linear", "constant", "hostile"};
  return names[kind];
}

static const char *draw_labels(oracle_case *instance, dorm__random *random)
{
  size_t n = instance->num_docs, kind = dorm__random_below(random, 7);
  double skew = kind == 0 ? 1 : 1 + 4 * dorm__random_uniform(random);
  double levels = (double)instance->num_levels, sum = 0;
  for (size_t j = 0; j < n; j++) {
    double label = floor(levels * pow(dorm__random_uniform(random), skew));
    double values[] = {label,
                       exp2(label) - 1,
                       fmax(label - levels / 2, 0),
                       label - levels / 2,
                       dorm__random_normal(random),
                       exp(dorm__random_normal(random)),
                       fmax(dorm__random_normal(random), 0)};
    instance->b[j] = values[kind];
    sum += fabs(instance->b[j]);
  }
  if (sum > 0 && dorm__random_below(random, 2))
    for (size_t j = 0; j < n; j++)
      instance->b[j] /= sum;
  static const char *const names[] = {"linear",        "exponential", "over a neutral vote", "signed",
                                      "all different", "log-normal",  "half of them 0"};
  return names[kind];
}

static int falling_numbers(const void *left, const void *right)
{
  double x = *(const double *)left, y = *(const double *)right;
  return x > y ? -1 : x < y;
}

/* The documents that a sort puts around the truncation of a get one score, and one of two gains. */
static void tie_at_truncation(oracle_case *instance, dorm__random *random)
{
  size_t n = instance->num_docs, reach = 1 + dorm__random_below(random, 6);
  size_t truncation = end_of_falls(n, instance->a);
  double *sorted = malloc(n * sizeof *sorted);
  if (!sorted)
    abort();
  memcpy(sorted, instance->g, n * sizeof *sorted);
  qsort(sorted, n, sizeof *sorted, falling_numbers);
  double highest = sorted[truncation > reach ? truncation - reach : 0];
  double lowest = sorted[truncation + reach < n ? truncation + reach : n - 1];
  double gains[2] = {instance->b[0], instance->b[n - 1]};
  for (size_t j = 0; j < n; j++)
    if (instance->g[j] <= highest && instance->g[j] >= lowest) {
      instance->g[j] = lowest;
      instance->b[j] = gains[dorm__random_below(random, 2)];
    }
  free(sorted);
}

static const char *draw_scores(oracle_case *instance, dorm__random *random)
{
  static const double scales[] = {1e-6, 1e-3, 1e-2, 0.1, 1, 10, 1e3, 1e6};
  size_t n = instance->num_docs, kind = dorm__random_below(random, 9);
  double scale = scales[dorm__random_below(random, 8)];
  double follows = dorm__random_uniform(random), top = 0;
  for (size_t j = 0; j < n; j++)
    top = fmax(top, fabs(instance->b[j]));
  for (size_t j = 0; j < n; j++) {
    double x = dorm__random_normal(random), uniform = dorm__random_uniform(random);
    double values[] = {x,
                       x + 3 * follows * instance->b[j] / (top > 0 ? top : 1),
                       0,
                       floor(3 * uniform),
                       x * x * x * x * x,
                       x + 1000,
                       -uniform,
                       x,
                       x};
    instance->g[j] = scale * values[kind];
  }
  if (kind == 7) /* documents have duplicates */
    for (size_t j = 0; j < n; j++) {
      size_t original = dorm__random_below(random, n);
      instance->g[j] = instance->g[original];
      instance->b[j] = instance->b[original];
    }
  if (kind == 8)
    tie_at_truncation(instance, random);
  static const char *const names[] = {"normal",
                                      "following the labels",
                                      "zero",
                                      "three values",
                                      "heavy tails",
                                      "with an offset",
                                      "negative",
                                      "of duplicated documents",
                                      "tied at the truncation"};
  return names[kind];
}

void oracle_case_draw(oracle_case *instance, dorm__random *random, size_t num_docs, size_t num_levels)
{
  static const double factors[] = {1, 1, 1, -0.3, -1, -3, 0, 1e-3};
  instance->num_docs = num_docs;
  instance->num_levels = num_levels;
  instance->loss = draw_loss(instance, random);
  instance->weights = draw_weights(instance, random);
  instance->labels = draw_labels(instance, random);
  instance->scores = draw_scores(instance, random);
  instance->t = factors[dorm__random_below(random, 8)];
}

double oracle_case_value(const oracle_case *instance, const uint32_t *order)
{
  double value = 0;
  for (size_t p = 0; p < instance->num_docs; p++)
    value += instance->c[p] * instance->g[order[p]] - instance->t * instance->a[p] * instance->b[order[p]];
  return value;
}

static double largest(size_t count, const double *x)
{
  double result = 0;
  for (size_t i = 0; i < count; i++)
    result = fmax(result, fabs(x[i]));
  return result;
}

double oracle_case_scale(const oracle_case *instance)
{
  size_t n = instance->num_docs;
  return largest(n, instance->c) * largest(n, instance->g) +
         fabs(instance->t) * largest(n, instance->a) * largest(n, instance->b) + DBL_MIN;
}

bool oracle_case_is_permutation(size_t num_docs, const uint32_t *order)
{
  bool is_there[ORACLE_CASE_MOST_DOCS] = {false};
  for (size_t p = 0; p < num_docs; p++) {
    if (order[p] >= num_docs || is_there[order[p]])
      return false;
    is_there[order[p]] = true;
  }
  return true;
}

void oracle_case_print(const oracle_case *instance)
{
  printf("\n    %zu documents, %zu levels; loss %s, weights %s, labels %s, scores %s, t %g\n", instance->num_docs,
         instance->num_levels, instance->loss, instance->weights, instance->labels, instance->scores, instance->t);
}

double oracle_case_linear_programme(size_t num_docs, const double *gain)
{
  enum { MOST_DOCS = 30, MOST_ENTRIES = 2 * MOST_DOCS * MOST_DOCS };
  int rows[MOST_ENTRIES + 1], variables[MOST_ENTRIES + 1];
  double values[MOST_ENTRIES + 1], limit[2 * MOST_DOCS], x[MOST_DOCS * MOST_DOCS], sum = 0;
  size_t count = num_docs * num_docs;
  for (size_t i = 0; i < 2 * count; i++) { /* first the documents' rows, then the positions' rows */
    size_t variable = i % count;
    rows[i + 1] = (int)(i < count ? variable / num_docs : num_docs + variable % num_docs) + 1;
    variables[i + 1] = (int)variable + 1;
    values[i + 1] = 1;
  }
  for (size_t i = 0; i < 2 * num_docs; i++)
    limit[i] = 1;
  dorm__programme programme = {.num_variables = count,
                               .objective = gain,
                               .num_rows = 2 * num_docs,
                               .limit = limit,
                               .num_equations = 2 * num_docs,
                               .num_entries = 2 * count,
                               .rows = rows,
                               .variables = variables,
                               .values = values};
  dorm__programme_result result;
  if (!dorm__glpk_solve(&programme, x, &result))
    return NAN;
  for (size_t i = 0; i < count; i++)
    sum += gain[i] * x[i];
  return sum;
}
