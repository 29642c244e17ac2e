/*
 * kernel_bench.c: measures the time of kernel features beside the time of the work
 * that no implementation can avoid, in one process and on one thread. For n documents
 * of d features and rank r:
 *
 *   dgemm      the block K_nP without its exponentials, n r d multiply-adds
 *   triangle   L = K_nP L_PP^-T, a dtrsm of n r^2 / 2 multiply-adds
 *   dpotrf     the factor of the r x r matrix of the pivots
 *   exp        n r exponentials by the C library's exp, for comparison
 *   features   dorm__cholesky_on_demand: the choice of pivots, Gram blocks, the factor
 *
 * usage: kernel_bench [n d r [seconds]]
 */
#include "base/base.h"
#include "base/lanes.h"
#include "base/linalg.h"
#include "base/random.h"
#include "features/features.h"
#include "kernels/cholesky.h"
#include "kernels/expression.h"
#include "kernels/kernels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct bench {
  size_t num_docs, width, rank;
  dorm__kernel *kernel;
  dorm__kernel_rows rows;
  double *x;        /* [num_docs][width] */
  double *gram;     /* [num_docs][rank] */
  double *triangle; /* [rank][rank] */
  double checksum;
} bench;

static void run_dgemm(bench *own)
{
  dorm__multiply_transposed(own->num_docs, own->rank, own->width, 1, own->x, own->width, own->x, own->width, 0,
                            own->gram, own->rank);
  own->checksum += own->gram[1];
}

static void run_triangle(bench *own)
{
  dorm__solve_rows_lower(own->num_docs, own->rank, own->triangle, own->rank, own->gram, own->rank);
  own->checksum += own->gram[1];
}

static void run_potrf(bench *own)
{
  size_t rank = own->rank;
  double *matrix = dorm__alloc_zero(rank, rank * sizeof *matrix);
  for (size_t i = 0; i < rank; i++)
    matrix[i * rank + i] = 2;
  own->checksum += dorm__is_positive_definite(rank, matrix, NULL);
  dorm__free(matrix);
}

static void run_exp(bench *own)
{
  for (size_t i = 0; i < own->num_docs * own->rank; i++)
    own->gram[i] = exp(-1e-7 * (double)i);
  own->checksum += own->gram[1];
}

static void run_own_exp(bench *own)
{
  for (size_t i = 0; i < own->num_docs * own->rank; i++)
    own->gram[i] = -1e-7 * (double)i;
  for (size_t i = 0; i < own->num_docs; i++)
    dorm__exponentials(own->rank, own->gram + i * own->rank);
  own->checksum += own->gram[1];
}

static void run_features(bench *own)
{
  dorm_context *context = dorm_context_new();
  dorm__cholesky cholesky = {0};
  if (!context || dorm__cholesky_on_demand(context, own->kernel, &own->rows, own->rank, 1, 1, &cholesky) != DORM_OK ||
      cholesky.rank != own->rank) {
    fprintf(stderr, "kernel_bench: %s\n", context ? dorm_context_message(context) : "out of memory");
    exit(1);
  }
  own->checksum += cholesky.factor[1];
  dorm__cholesky_free(&cholesky);
  dorm_context_free(context);
}

static double processor_seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Returns the least processor time of several calls: anything else that the machine
 * does can only add to it. */
static double least_seconds(bench *own, void (*run)(bench *), double budget)
{
  double least = INFINITY;
  double end = dorm__seconds() + budget;
  for (size_t i = 0; i < 3 || dorm__seconds() < end; i++) {
    double started = processor_seconds();
    run(own);
    least = fmin(least, processor_seconds() - started);
  }
  return least;
}

static void prepare(bench *own, dorm_context *context, const char *expression)
{
  dorm__random random;
  dorm__random_seed(&random, 1);
  size_t *ids = dorm__alloc(own->width, sizeof *ids);
  float *values = dorm__alloc(own->num_docs, own->width * sizeof *values);
  own->rows = (dorm__kernel_rows){own->num_docs, own->width, values, NULL};
  own->x = dorm__alloc(own->num_docs, own->width * sizeof *own->x);
  own->gram = dorm__alloc_zero(own->num_docs, own->rank * sizeof *own->gram);
  own->triangle = dorm__alloc_zero(own->rank, own->rank * sizeof *own->triangle);
  if (!ids || !own->rows.values || !own->x || !own->gram || !own->triangle)
    exit(1);
  for (size_t i = 0; i < own->num_docs * own->width; i++) {
    own->x[i] = dorm__random_uniform(&random);
    own->rows.values[i] = (float)own->x[i];
  }
  for (size_t i = 0; i < own->rank; i++)
    for (size_t j = 0; j <= i; j++)
      own->triangle[i * own->rank + j] = i == j ? 2 : 0.1 * dorm__random_uniform(&random) / (double)own->rank;
  for (size_t f = 0; f < own->width; f++)
    ids[f] = f + 1;
  dorm__feature_map map = {.num_ids = own->width, .ids = ids};
  if (dorm__kernel_parse(context, expression, &own->kernel) != DORM_OK ||
      dorm__kernel_resolve(context, own->kernel, &map) != DORM_OK ||
      dorm__kernel_set_auto(context, own->kernel, &own->rows, 1) != DORM_OK) {
    fprintf(stderr, "kernel_bench: %s\n", dorm_context_message(context));
    exit(1);
  }
  dorm__free(ids);
}

int main(int argc, char **argv)
{
  static const char *const expressions[] = {"rbf", "rbf:scale=0.1", "polynomial:degree=3", "laplacian"};
  bench own = {.num_docs = 10000, .width = 46, .rank = 500};
  double budget = argc > 4 ? atof(argv[4]) : 1;
  if (argc > 3) {
    own.num_docs = strtoull(argv[1], NULL, 10);
    own.width = strtoull(argv[2], NULL, 10);
    own.rank = strtoull(argv[3], NULL, 10);
  }
  dorm_context *context = dorm_context_new();
  if (!context)
    return 1;
  dorm_set_blas_threads(1);
  printf("%zu documents, %zu features, rank %zu; processor seconds of one thread, least of several calls\n",
         own.num_docs, own.width, own.rank);
  for (size_t i = 0; i < sizeof expressions / sizeof *expressions; i++) {
    prepare(&own, context, expressions[i]);
    double dgemm = least_seconds(&own, run_dgemm, budget);
    double triangle = least_seconds(&own, run_triangle, budget);
    double potrf = least_seconds(&own, run_potrf, budget / 4);
    if (i == 0)
      printf("%zu exponentials: exp %.4f s, dorm__exponentials %.4f s\n\n%-20s %8s %8s %8s %9s %6s\n",
             own.num_docs * own.rank, least_seconds(&own, run_exp, budget), least_seconds(&own, run_own_exp, budget),
             "kernel", "dgemm", "triangle", "dpotrf", "features", "ratio");
    double features = least_seconds(&own, run_features, budget);
    printf("%-20s %8.4f %8.4f %8.4f %9.4f %6.2f\n", expressions[i], dgemm, triangle, potrf, features,
           features / (dgemm + triangle + potrf));
    dorm__kernel_free(own.kernel);
    dorm__kernel_rows_free(&own.rows);
    dorm__free(own.x);
    dorm__free(own.gram);
    dorm__free(own.triangle);
  }
  dorm_context_free(context);
  return own.checksum > 1e300;
}
