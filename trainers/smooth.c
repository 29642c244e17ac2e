/*
 * smooth.c: linear models that minimise a cost on scores, as a trainer. For each λ-function of smooth.cost, which has
 * to have a cost C_q, and each C of smooth.C it minimises
 *
 *   F(w) = 1/2 |w - w0|^2 + C/Q sum_q C_q(X_q w)       Q: the number of training queries
 *
 * by L-BFGS (base/minimise.c). These costs are convex, with w0 = 0: `ranknet` (pairwise logistic regression), `softmax`
 * (ListNet's top-one cross entropy), `listmle` (ListMLE), `p-norm-push`, and `perturbed`, the Fenchel-Young relative of
 * the structured SVM. So F is strongly convex, and F(w) - |grad F(w)|^2 / 2 is below its least value. This is the dual
 * value of the certificate.
 *
 * SmoothRank (Chapelle and Wu 2010): `smoothrank` without a sigma is minimised for NUM_WIDTHS values of sigma. The
 * first is first_width times the spread of the scores at w0. Each further one is half of the one before, and its
 * minimisation begins at the solution before. w0 is the ridge regression. Each sigma makes a candidate. It has no dual
 * value, and its text has the length of the gradient, divided by |F|.
 *
 * A candidate costs one pass over the rows for scores, one for the gradient, and the λ-function, for each call of F.
 */
#include "base/linalg.h"
#include "base/minimise.h"
#include "trainers/combinations.h"
#include "trainers/ridge.h"
#include "trainers/trainers.h"

#include <math.h>
#include <string.h>

enum {
  NUM_PIECES = 8,
  TEXT_SIZE = 300,
  MOST_ADDED = 40,
  NUM_WIDTHS = 6,
  MOST_CALLS = 1000,      /* passes over the data for one minimisation */
  MOST_CALLS_OTHERS = 100 /* for costs that are not known to be convex */
};
static const double first_width = 4;
static const double least_gap = 1e-6;
static const char annealed_name[] = "smoothrank";

/* ---- The costs that the setting names ---------------------------------------------------------- */

/* Copies cost number `index` from the setting, without blanks around it. */
static void cost_text(const dorm__job *job, size_t index, char text[TEXT_SIZE])
{
  const char *all = dorm__settings_text(job->settings, DORM__SMOOTH_COST);
  for (; index; index--)
    all += strcspn(all, "|") + 1;
  snprintf(text, TEXT_SIZE, "%.*s", (int)strcspn(all, "|"), all);
  memmove(text, text + strspn(text, " "), strlen(text + strspn(text, " ")) + 1);
  for (size_t end = strlen(text); end && text[end - 1] == ' '; end--)
    text[end - 1] = '\0';
}

/* Returns whether this trainer chooses the sigma of the cost: it is smoothrank without parameters. */
static bool is_annealed(const char *text)
{
  size_t size = strlen(annealed_name);
  return strncmp(text, annealed_name, size) == 0 && (!text[size] || text[size] == ' ');
}

/* Returns whether the cost is known to be convex, so that it has a dual value. */
static bool is_convex(const char *text)
{
  static const char *const names[] = {"ranknet", "softmax", "listmle", "p-norm-push", "perturbed"};
  size_t size = strcspn(text, ": ");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strlen(names[i]) == size && strncmp(text, names[i], size) == 0)
      return true;
  return false;
}

static size_t steps_of(const dorm__job *job, size_t cost)
{
  char text[TEXT_SIZE];
  cost_text(job, cost, text);
  return is_annealed(text) ? NUM_WIDTHS : 1;
}

static size_t count(const dorm__job *job)
{
  size_t sum = 0;
  for (size_t i = 0; i < dorm__lambda_list_count(job, DORM__SMOOTH_COST); i++)
    sum += steps_of(job, i);
  return sum * dorm__settings_count(job->settings, DORM__SMOOTH_C);
}

static dorm_status check(const dorm__job *job)
{
  char text[TEXT_SIZE];
  for (size_t i = 0; i < dorm__lambda_list_count(job, DORM__SMOOTH_COST); i++) {
    cost_text(job, i, text);
    if (strlen(text) + 1 == TEXT_SIZE)
      return dorm__fail(job->context, DORM_BAD_USAGE, "smooth.cost: '%.40s...' is too long", text);
  }
  return DORM_OK;
}

/* ---- The objective --------------------------------------------------------------------------------- */

/* The data that all candidates of one set of rows share, and the present cost. */
typedef struct smooth {
  const dorm__job *job;
  dorm__training_rows *rows;
  dorm__sink *sink;
  const dorm__features *features;
  size_t width;
  double *ridge;  /* [width] the ridge regression, if a cost begins there */
  double spread;  /* of the scores there */
  double *zero;   /* [width] */
  double *w;      /* [width] */
  double *scores; /* [num_docs], as the two below */
  double *lambdas, *curvature;
  double *pieces; /* [NUM_PIECES][width] */
  dorm__lambda *lambda;
  const double *origin; /* w0, one of the two above */
  double factor;        /* C/Q */
} smooth;

static size_t piece_start(const smooth *all, size_t piece)
{
  return piece * all->rows->train->num_queries / NUM_PIECES;
}

/* Computes gradient -= factor sum_j lambda_j x_j, in pieces, so that it does not depend on the number of threads. */
static void subtract_rows(smooth *all, double *gradient)
{
  const size_t *start = all->rows->train->query_start;
#pragma omp parallel for schedule(dynamic, 1) num_threads((int)all->job->num_threads)
  for (size_t piece = 0; piece < NUM_PIECES; piece++) {
    double *sum = all->pieces + piece * all->width;
    memset(sum, 0, all->width * sizeof *sum);
    for (size_t j = start[piece_start(all, piece)]; j < start[piece_start(all, piece + 1)]; j++)
      if (all->lambdas[j] != 0)
        dorm__features_add(all->features, j, all->lambdas[j], sum);
  }
  for (size_t piece = 0; piece < NUM_PIECES; piece++)
    dorm__add_scaled(all->width, -all->factor, all->pieces + piece * all->width, gradient);
}

static dorm_status objective(void *user, const double *w, double *value, double *gradient)
{
  smooth *all = user;
  const dorm__job *job = all->job;
  const dorm_dataset *train = all->rows->train;
  dorm_lambda_summary summary;
  if (dorm__job_is_interrupted(job))
    return dorm__job_say_interrupted(job);
  dorm__features_score_queries(all->features, train->num_queries, train->query_start, w, job->num_threads, all->scores);
  dorm_status status = dorm__lambdas_of_dataset(job->context, all->lambda, 0, all->scores, job->num_threads,
                                                &(const dorm__lambdas_result){all->lambdas, all->curvature, &summary});
  if (status != DORM_OK)
    return status;
  *value = all->factor * summary.cost;
  for (size_t f = 0; f < all->width; f++) {
    gradient[f] = w[f] - all->origin[f];
    *value += gradient[f] * gradient[f] / 2;
  }
  subtract_rows(all, gradient);
  return DORM_OK;
}

/* ---- Candidates ---------------------------------------------------------------------------------------- */

static dorm_status open_cost(smooth *all, const char *text)
{
  dorm_status status = dorm__lambda_for_job(all->job, text, all->rows->train, &all->lambda);
  if (status == DORM_OK && !dorm__lambda_has_cost(all->lambda))
    status = dorm__fail(all->job->context, DORM_BAD_USAGE, "there is no cost whose gradient that is");
  return status == DORM_OK ? DORM_OK : dorm__fail_within(all->job->context, status, "smooth.cost = %s", text);
}

/* Minimises F from all->w on and hands that point to the sink. */
static dorm_status make_candidate(smooth *all, const char *text, dorm_candidate candidate)
{
  const dorm__job *job = all->job;
  bool has_dual = is_convex(text);
  dorm__minimise_options options = {
      .slope = objective, .user = all, .tolerance = least_gap, .most_calls = has_dual ? MOST_CALLS : MOST_CALLS_OTHERS};
  dorm__minimum reached;
  char name[TEXT_SIZE + 2 * MOST_ADDED];
  double begun = dorm__seconds();
  dorm_status status = dorm__minimise(job->context, all->width, &options, all->w, &reached);
  if (status != DORM_OK)
    return status;
  double lowest = reached.value - reached.square / 2;
  candidate.certificate = (dorm_certificate){.primal = reached.value,
                                             .dual = has_dual ? lowest : (double)NAN,
                                             .gap = has_dual ? reached.square / 2 / reached.value : (double)NAN,
                                             .iterations = reached.num_calls,
                                             .seconds = dorm__seconds() - begun};
  int end = snprintf(name, sizeof name, "%s", text);
  if (!has_dual)
    snprintf(name + end, sizeof name - (size_t)end, ",gradient=%.1e", sqrt(reached.square) / fabs(reached.value));
  candidate.reference = name;
  all->sink->grid->progress->num_passes += reached.num_calls;
  if (!reached.is_reached && has_dual)
    dorm__detail(job->context, "%s, C = %g: the gap is %.2g after %zu passes", text, candidate.C,
                 candidate.certificate.gap, reached.num_calls);
  dorm__features_score_queries(all->features, all->rows->train->num_queries, all->rows->train->query_start, all->w,
                               job->num_threads, all->scores);
  dorm__offer offer = {.candidate = candidate, .train_scores = all->scores, .w = all->w};
  return dorm__sink_take(all->sink, all->rows, &offer);
}

/* Trains with one cost at one C, for smoothrank with all widths of the Gaussians. */
static dorm_status train_cost(smooth *all, size_t cost, double C)
{
  const dorm__job *job = all->job;
  char text[TEXT_SIZE], with_sigma[TEXT_SIZE + MOST_ADDED];
  size_t steps = steps_of(job, cost);
  double sigma = first_width * all->spread;
  dorm_status status = DORM_OK;
  dorm_candidate candidate = dorm__training_rows_candidate(all->rows);
  cost_text(job, cost, text);
  bool is_smoothrank = strncmp(text, annealed_name, strlen(annealed_name)) == 0;
  candidate.C = C;
  all->factor = C / (double)all->rows->train->num_queries;
  all->origin = is_smoothrank ? all->ridge : all->zero;
  memcpy(all->w, all->origin, all->width * sizeof *all->w);
  for (size_t i = 0; status == DORM_OK && i < steps; i++, sigma /= 2) {
    snprintf(with_sigma, sizeof with_sigma, "%s", text);
    if (is_annealed(text))
      snprintf(with_sigma, sizeof with_sigma, "%s:sigma=%.6g%s", annealed_name, fmax(sigma, 1e-9),
               text + strlen(annealed_name));
    candidate.round = i + 1;
    status = DORM__ALL(open_cost(all, with_sigma), make_candidate(all, with_sigma, candidate));
    dorm__lambda_close(all->lambda);
    all->lambda = NULL;
  }
  return status;
}

static dorm_status train(const dorm__job *job, dorm__training_rows *rows, dorm__sink *sink)
{
  size_t num_docs = rows->train->num_docs;
  size_t width = dorm__training_rows_width(rows);
  DORM__AT_END(dorm__region_clear) dorm__region memory = {0};
  smooth all = {.job = job,
                .rows = rows,
                .sink = sink,
                .width = width,
                .ridge = dorm__region_take_zero(&memory, width, sizeof *all.ridge),
                .zero = dorm__region_take_zero(&memory, width, sizeof *all.zero),
                .w = dorm__region_take_zero(&memory, width, sizeof *all.w),
                .scores = dorm__region_take_zero(&memory, num_docs, sizeof *all.scores),
                .lambdas = dorm__region_take_zero(&memory, num_docs, sizeof *all.lambdas),
                .curvature = dorm__region_take_zero(&memory, num_docs, sizeof *all.curvature),
                .pieces = dorm__region_take_zero(&memory, width, NUM_PIECES * sizeof *all.pieces)};
  dorm_status status = DORM__ALL(memory.is_short ? dorm__out_of_memory(job->context, "the trainer smooth") : DORM_OK,
                                 dorm__training_rows_features(job, rows, &all.features),
                                 dorm__ridge_start(job, rows, all.features, all.ridge, &all.spread));
  for (size_t k = 0; status == DORM_OK && k < dorm__lambda_list_count(job, DORM__SMOOTH_COST); k++)
    for (size_t i = 0; status == DORM_OK && i < dorm__settings_count(job->settings, DORM__SMOOTH_C); i++)
      status = train_cost(&all, k, dorm__settings_number_at(job->settings, DORM__SMOOTH_C, i));
  sink->grid->training->num_training_queries = rows->train->num_queries;
  return status;
}

const dorm__trainer dorm__smooth_trainer = {.name = "smooth", .check = check, .count = count, .train = train};
