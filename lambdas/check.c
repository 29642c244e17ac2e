/*
 * check.c: tests whether a λ-function is the negative gradient of a cost, and whether the cost is convex (Burges,
 * "Ranking as Learning Structured Outputs", section 3). λ = -∂C/∂g for some C if and only if the Jacobian is
 * symmetric everywhere,
 *
 *   J_ij = ∂λ_i/∂g_j = ∂λ_j/∂g_i = J_ji      (equation 11, by Poincaré's lemma),
 *
 * and then C is convex if and only if -J is positive semi-definite everywhere. J is computed on small random queries
 * without ties, by central differences with two step sizes. If the two differ, the point is near a joint of two smooth
 * pieces of λ, and another point is drawn. Joints are tested separately. When documents i and j change places, λ may
 * jump. The gradient of a continuous cost can only jump along the normal e_i - e_j of the surface g_i = g_j, so any
 * other jump shows that no cost exists. A convex cost has <λ(g) - λ(g'), g - g'> <= 0 for all g and g', whether or
 * not jumps lie between them.
 */
#include "base/linalg.h"
#include "base/random.h"
#include "base/status.h"
#include "lambdas/lambda.h"
#include "lambdas/lambdas.h"

#include <math.h>
#include <string.h>

enum { NUM_QUERIES = 60, NUM_FEATURES = 3, POINTS = 4, MOST_DRAWS = 200, MOST = DORM_LAMBDA_MOST_DOCS };

static const double step = 1e-5;
static const double least_distance = 0.02; /* between two scores */
static const double tolerance = 1e-6;

/* The query under test. */
typedef struct looked_at {
  dorm__lambda *lambda;
  dorm__lambda_workspace *workspace;
  dorm__random random;
  size_t query;
  size_t num_docs;
  const double *labels;
  dorm_lambda_report *report;
} looked_at;

/* ---- Queries ---------------------------------------------------------------------------- */

/* Makes queries of 2 to 7 documents. Half of them have labels 0 and 1, the others 0 to 4. */
static dorm_status make_dataset(dorm_context *context, dorm__random *random, dorm_dataset **dataset)
{
  size_t query_start[NUM_QUERIES + 1] = {0};
  double labels[NUM_QUERIES * MOST];
  float features[NUM_QUERIES * MOST * NUM_FEATURES];
  for (size_t q = 0; q < NUM_QUERIES; q++) {
    size_t num_docs = 2 + q % (MOST - 1);
    query_start[q + 1] = query_start[q] + num_docs;
    for (size_t j = query_start[q]; j < query_start[q + 1]; j++)
      labels[j] = (double)dorm__random_below(random, q % 2 ? 2 : 5);
    labels[query_start[q]] = 1; /* no query lacks a relevant document */
  }
  for (size_t i = 0; i < query_start[NUM_QUERIES] * NUM_FEATURES; i++)
    features[i] = (float)dorm__random_uniform(random);
  return dorm_dataset_from_arrays(context, NUM_QUERIES, query_start, NUM_FEATURES, labels, features, dataset);
}

/* Gives each document at most one of three groups and some of three subtopics, for measures that use them. */
static dorm_status draw_lists(dorm_context *context, dorm__random random, dorm_dataset *dataset)
{
  enum { NUM_LISTS = 3 };
  size_t groups_start[NUM_QUERIES * MOST + 1] = {0};
  size_t subtopics_start[NUM_QUERIES * MOST + 1] = {0};
  uint32_t groups[NUM_QUERIES * MOST];
  uint32_t subtopics[NUM_QUERIES * MOST * NUM_LISTS];
  size_t num_subtopics[NUM_QUERIES];
  for (size_t q = 0; q < dataset->num_queries; q++)
    num_subtopics[q] = NUM_LISTS;
  for (size_t j = 0; j < dataset->num_docs; j++) {
    uint32_t group = (uint32_t)dorm__random_below(&random, NUM_LISTS + 1);
    groups_start[j + 1] = groups_start[j] + (group < NUM_LISTS);
    if (group < NUM_LISTS)
      groups[groups_start[j]] = group;
    subtopics_start[j + 1] = subtopics_start[j];
    for (uint32_t i = 0; i < NUM_LISTS; i++)
      if (dorm__random_below(&random, NUM_LISTS) == 0)
        subtopics[subtopics_start[j + 1]++] = i;
  }
  dorm_status status = dorm_dataset_set_groups(context, dataset, groups_start, groups, NULL);
  return status == DORM_OK
             ? dorm_dataset_set_subtopics(context, dataset, num_subtopics, subtopics_start, subtopics, NULL)
             : status;
}

static void draw_scores(looked_at *at, double *scores)
{
  bool is_apart;
  do {
    is_apart = true;
    for (size_t j = 0; j < at->num_docs; j++)
      scores[j] = dorm__random_normal(&at->random);
    for (size_t j = 0; j < at->num_docs; j++)
      for (size_t k = 0; k < j; k++)
        is_apart = is_apart && fabs(scores[j] - scores[k]) > least_distance;
  } while (!is_apart);
}

static dorm_status lambdas_at(dorm_context *context, looked_at *at, const double *scores, double *lambdas)
{
  double curvature[MOST];
  return dorm__lambda_at(context, at->lambda, at->query, scores, at->workspace,
                         &(const dorm__lambda_result){lambdas, curvature, NULL, NULL});
}

static double largest_of(size_t count, const double *values)
{
  double largest = 0;
  for (size_t i = 0; i < count; i++)
    largest = fmax(largest, fabs(values[i]));
  return largest;
}

static dorm_lambda_example example_of(const looked_at *at, const double *scores, size_t first, size_t second,
                                      double value, double other)
{
  dorm_lambda_example made = {.num_docs = at->num_docs, .first = first, .second = second, .values = {value, other}};
  memcpy(made.labels, at->labels, at->num_docs * sizeof *scores);
  memcpy(made.scores, scores, at->num_docs * sizeof *scores);
  memcpy(made.other_scores, scores, at->num_docs * sizeof *scores);
  return made;
}

/* ---- The Jacobian -------------------------------------------------------------------------- */

/* Fills jacobian[l][l] by central differences of step `size`. */
static dorm_status differences(dorm_context *context, looked_at *at, const double *scores, double size,
                               double *jacobian)
{
  dorm_status status = DORM_OK;
  for (size_t j = 0; status == DORM_OK && j < at->num_docs; j++) {
    double moved[MOST];
    double above[MOST];
    double below[MOST];
    memcpy(moved, scores, at->num_docs * sizeof *scores);
    moved[j] = scores[j] + size;
    status = lambdas_at(context, at, moved, above);
    moved[j] = scores[j] - size;
    if (status == DORM_OK)
      status = lambdas_at(context, at, moved, below);
    for (size_t i = 0; status == DORM_OK && i < at->num_docs; i++)
      jacobian[i * at->num_docs + j] = (above[i] - below[i]) / (2 * size);
  }
  return status;
}

/* Draws scores at which two step sizes give the same Jacobian. Sets *is_found to false if it finds none. */
static dorm_status find_smooth_point(dorm_context *context, looked_at *at, double *scores, double *jacobian,
                                     bool *is_found)
{
  dorm_status status = DORM_OK;
  *is_found = false;
  for (size_t draw = 0; status == DORM_OK && !*is_found && draw < MOST_DRAWS; draw++) {
    double other[MOST * MOST];
    draw_scores(at, scores);
    status =
        DORM__ALL(differences(context, at, scores, step, jacobian), differences(context, at, scores, step / 3, other));
    if (status != DORM_OK)
      break;
    size_t count = at->num_docs * at->num_docs;
    double scale = fmax(largest_of(count, jacobian), largest_of(count, other));
    for (size_t i = 0; i < count; i++)
      other[i] -= jacobian[i];
    *is_found = largest_of(count, other) <= tolerance * scale + tolerance * tolerance;
  }
  return status;
}

static dorm_status look_at_jacobian(dorm_context *context, looked_at *at, const double *scores, double *jacobian)
{
  dorm_lambda_report *report = at->report;
  size_t num_docs = at->num_docs;
  double values[MOST];
  double scale = largest_of(num_docs * num_docs, jacobian);
  report->num_points++;
  if (scale <= tolerance * tolerance) /* λ is constant here */
    return DORM_OK;
  report->largest_entry = fmax(report->largest_entry, scale);
  for (size_t i = 0; i < num_docs; i++)
    for (size_t j = 0; j < i; j++) {
      double upper = jacobian[i * num_docs + j];
      double lower = jacobian[j * num_docs + i];
      if (fabs(upper - lower) / scale > report->asymmetry) {
        report->asymmetry = fabs(upper - lower) / scale;
        report->asymmetric = example_of(at, scores, i, j, upper, lower);
      }
    }
  for (size_t i = 0; i < num_docs; i++)
    for (size_t j = 0; j <= i; j++) {
      double mean = -(jacobian[i * num_docs + j] + jacobian[j * num_docs + i]) / (2 * scale);
      jacobian[i * num_docs + j] = jacobian[j * num_docs + i] = mean;
    }
  dorm_status status = dorm__symmetric_eigenvalues(context, num_docs, jacobian, values);
  if (status == DORM_OK && values[0] < report->least_eigenvalue) {
    report->least_eigenvalue = values[0];
    report->bent = example_of(at, scores, 0, 0, values[0] * scale, 0);
  }
  return status;
}

/* ---- Jumps, and pairs of points ------------------------------------------------------------- */

/* Compares λ on both sides of a surface of equal scores, for two random neighbours in the ranking. */
static dorm_status look_at_crossing(dorm_context *context, looked_at *at, const double *scores)
{
  static const double apart = 1e-9;
  dorm_lambda_report *report = at->report;
  double sides[2][MOST];
  double lambdas[2][MOST];
  size_t first = dorm__random_below(&at->random, at->num_docs);
  size_t second = first;
  for (size_t j = 0; j < at->num_docs; j++) /* the nearest document below */
    if (scores[j] < scores[first] && (second == first || scores[j] > scores[second]))
      second = j;
  if (second == first)
    return DORM_OK;
  dorm_status status = DORM_OK;
  double middle = (scores[first] + scores[second]) / 2;
  for (size_t k = 0; k < 2; k++) {
    memcpy(sides[k], scores, at->num_docs * sizeof *scores);
    sides[k][first] = middle + (k ? -apart : apart);
    sides[k][second] = middle - (k ? -apart : apart);
    status = lambdas_at(context, at, sides[k], lambdas[k]);
    if (status != DORM_OK)
      return status;
  }
  double jump[MOST];
  status = lambdas_at(context, at, scores, jump);
  if (status != DORM_OK)
    return status;
  double scale = largest_of(at->num_docs, jump); /* on the surface itself λ may vanish */
  for (size_t k = 0; k < 2; k++)
    scale = fmax(scale, largest_of(at->num_docs, lambdas[k]));
  for (size_t j = 0; j < at->num_docs; j++)
    jump[j] = lambdas[1][j] - lambdas[0][j];
  size_t worst = 0;
  for (size_t j = 1; j < at->num_docs; j++)
    worst = fabs(jump[j]) > fabs(jump[worst]) ? j : worst;
  if (scale > 0 && fabs(jump[worst]) / scale > report->largest_jump) {
    report->largest_jump = fabs(jump[worst]) / scale;
    report->jumping = example_of(at, sides[0], worst, worst, lambdas[0][worst], lambdas[1][worst]);
    memcpy(report->jumping.other_scores, sides[1], at->num_docs * sizeof *scores);
  }
  double along = (jump[first] - jump[second]) / 2;
  jump[first] -= along;
  jump[second] += along;
  if (scale > 0)
    report->skew_jump = fmax(report->skew_jump, largest_of(at->num_docs, jump) / scale);
  return DORM_OK;
}

static dorm_status look_at_two_points(dorm_context *context, looked_at *at, const double *scores)
{
  dorm_lambda_report *report = at->report;
  double other[MOST];
  double lambdas[2][MOST];
  double product = 0;
  double moved = 0;
  double turned = 0;
  draw_scores(at, other);
  /* Distant and close pairs of points. Between close points, a jump is most of the difference. */
  double share = pow(10, -3 * dorm__random_uniform(&at->random));
  for (size_t j = 0; j < at->num_docs; j++)
    other[j] = scores[j] + share * (other[j] - scores[j]);
  dorm_status status =
      DORM__ALL(lambdas_at(context, at, scores, lambdas[0]), lambdas_at(context, at, other, lambdas[1]));
  for (size_t j = 0; status == DORM_OK && j < at->num_docs; j++) {
    double turn = lambdas[1][j] - lambdas[0][j];
    double move = other[j] - scores[j];
    product += turn * move;
    moved += move * move;
    turned += turn * turn;
  }
  double scale = fmax(largest_of(at->num_docs, lambdas[0]), 1e-12) * sqrt(moved);
  if (status == DORM_OK && turned > 0 && moved > 0 && product > tolerance * scale * sqrt(moved) &&
      product / sqrt(moved * turned) > report->uphill) {
    report->uphill = product / sqrt(moved * turned);
    report->climbing = example_of(at, scores, 0, 0, product, 0);
    memcpy(report->climbing.other_scores, other, at->num_docs * sizeof *scores);
  }
  return status;
}

/* ---- All of it -------------------------------------------------------------------------------- */

static dorm_status look_at_query(dorm_context *context, looked_at *at)
{
  dorm_status status = DORM_OK;
  for (size_t point = 0; status == DORM_OK && point < POINTS; point++) {
    double scores[MOST];
    double jacobian[MOST * MOST];
    bool is_found;
    status = DORM__ALL(find_smooth_point(context, at, scores, jacobian, &is_found),
                       is_found ? look_at_jacobian(context, at, scores, jacobian) : DORM_OK);
    for (size_t k = 0; status == DORM_OK && k < POINTS; k++)
      status = look_at_two_points(context, at, scores);
    if (status == DORM_OK)
      status = look_at_crossing(context, at, scores);
  }
  return status;
}

dorm_status dorm_lambda_check(dorm_context *context, const char *spec, uint64_t seed, dorm_lambda_report *report)
{
  if (DORM__LACKS(context, DORM__GIVEN(spec), DORM__GIVEN(report)))
    return DORM_BAD_USAGE;
  DORM__OWNED(dorm_dataset) *dataset = NULL;
  dorm_lambda_report made = {.num_points = 0};
  looked_at at = {.report = &made};
  dorm__random_seed(&at.random, seed);
  dorm_status status = DORM__ALL(dorm__struct_check(context, "report", DORM__STRUCT(dorm_lambda_report), report),
                                 make_dataset(context, &at.random, &dataset), draw_lists(context, at.random, dataset),
                                 dorm__lambda_open(context, spec, NULL, dataset, 1, &at.lambda),
                                 dorm__lambda_workspace_new(context, at.lambda, &at.workspace));
  for (size_t q = 0; status == DORM_OK && q < dataset->num_queries; q++) {
    at.query = q;
    at.num_docs = dataset->query_start[q + 1] - dataset->query_start[q];
    at.labels = dataset->labels + dataset->query_start[q];
    status = look_at_query(context, &at);
  }
  if (status == DORM_OK && !(made.spec = dorm__keep_text(context, dorm__lambda_spec(at.lambda))))
    status = dorm__out_of_memory(context, "a lambda-function");
  if (status == DORM_OK) {
    made.is_symmetric = made.asymmetry < tolerance;
    made.is_continuous = made.largest_jump < tolerance;
    made.has_cost = made.is_symmetric && made.skew_jump < tolerance;
    made.is_convex = made.has_cost && made.least_eigenvalue > -tolerance && made.uphill < tolerance;
    dorm__struct_give(&made, report);
  }
  dorm__lambda_workspace_free(at.workspace);
  dorm__lambda_close(at.lambda);
  return status;
}
