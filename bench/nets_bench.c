/*
 * nets_bench.c: what an epoch of a net costs beside its matrix products, on 6,000 queries of 120 documents with 136
 * features made in memory, on one thread.
 *
 *   epoch      forward, λ of ranknet-weight-pairs at NDCG@10, back, for all queries (one batch)
 *   products   the two matrix products alone, one after the other, from the rows as they are stored (floats). Single
 *              layer: the scores of all rows, and the sum of the rows times numbers. Hidden units: X W' and D' X by
 *              BLAS, block by block, each block of rows made doubles first, as BLAS needs them
 *   in cache   with hidden units: the same two products on one block of rows over and over, made doubles once
 *   lambdas    λ of all queries alone
 *
 * Each figure is the median of RUNS runs, which alternate.
 */
#include "base/base.h"
#include "base/linalg.h"
#include "base/random.h"
#include "data/data.h"
#include "nets/block.h"
#include "nets/nets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 5, QUERIES = 6000, DOCS = 120, WIDTH = 136, NUM_DOCS = QUERIES * DOCS, MOST_HIDDEN = 10 };

typedef struct nets_bench {
  dorm_context *context;
  dorm_dataset *dataset;
  dorm__features rows;
  dorm__lambda *lambda;
  size_t queries[QUERIES];
  double scores[NUM_DOCS];
  double lambdas[NUM_DOCS];
  double curvature[NUM_DOCS];
} nets_bench;

static void check(const nets_bench *bench, dorm_status status)
{
  if (status == DORM_OK)
    return;
  fprintf(stderr, "nets_bench: %s\n", dorm_context_message(bench->context));
  exit(1);
}

static void make_data(nets_bench *bench)
{
  dorm__random random;
  dorm__random_seed(&random, 1);
  check(bench, dorm__dataset_new(bench->context, "made", NUM_DOCS, QUERIES, WIDTH, 1, &bench->dataset));
  for (size_t q = 0; q <= QUERIES; q++)
    bench->dataset->query_start[q] = q * DOCS;
  for (size_t q = 0; q < QUERIES; q++)
    bench->queries[q] = q;
  for (size_t f = 0; f < WIDTH; f++)
    bench->dataset->feature_ids[f] = f + 1;
  for (size_t i = 0; i < (size_t)NUM_DOCS * WIDTH; i++)
    bench->dataset->values[i] = (float)dorm__random_uniform(&random);
  for (size_t j = 0; j < NUM_DOCS; j++) {
    double uniform = dorm__random_uniform(&random);
    bench->dataset->labels[j] = uniform < 0.5 ? 0 : uniform < 0.75 ? 1 : uniform < 0.9 ? 2 : uniform < 0.97 ? 3 : 4;
  }
  bench->rows = (dorm__features){.num_docs = NUM_DOCS, .num_features = WIDTH, .values = bench->dataset->values};
  check(bench,
        dorm__lambda_open(bench->context, "ranknet-weight-pairs of ndcg@10", NULL, bench->dataset, 1, &bench->lambda));
}

/* ---- What is timed ------------------------------------------------------------------------ */

static double time_epoch(nets_bench *bench, dorm__net_gradient *gradient, const dorm__net *net)
{
  static double slope[MOST_HIDDEN * (WIDTH + 2)];
  dorm__net_pass pass;
  double started = dorm__seconds();
  check(bench, dorm__net_slope(bench->context, gradient, net, QUERIES, bench->queries, slope, &pass));
  return dorm__seconds() - started;
}

static double time_products_of_layer(nets_bench *bench, const dorm__net *net)
{
  static double sum[WIDTH];
  double started = dorm__seconds();
  dorm__features_score(&bench->rows, 0, NUM_DOCS, net->weights, bench->scores);
  for (size_t j = 0; j < NUM_DOCS; j++)
    dorm__features_add(&bench->rows, j, 1e-3, sum);
  return dorm__seconds() - started;
}

static double time_products_of_units(nets_bench *bench, const dorm__net *net, bool is_in_cache)
{
  static double slope[MOST_HIDDEN * WIDTH];
  dorm__net_block block;
  size_t room = dorm__net_block_room(WIDTH, DOCS);
  check(bench, dorm__net_block_new(bench->context, &bench->rows, net->hidden, room, &block));
  dorm__net_block_add(&block, 0, room);
  memset(block.outputs, 0, room * net->hidden * sizeof *block.outputs);
  double started = dorm__seconds();
  for (int direction = 0; direction < 2; direction++)
    for (size_t first = 0; first < NUM_DOCS; first += room) {
      size_t count = NUM_DOCS - first < room ? NUM_DOCS - first : room;
      block.num_docs = 0;
      if (!is_in_cache)
        dorm__net_block_add(&block, first, count);
      if (direction == 0)
        dorm__multiply_transposed(count, net->hidden, WIDTH, 1, block.rows, WIDTH, net->weights, WIDTH, 0,
                                  block.outputs, net->hidden);
      else
        dorm__add_product_over_rows(net->hidden, WIDTH, count, block.outputs, block.rows, slope);
    }
  double seconds = dorm__seconds() - started;
  dorm__net_block_clear(&block);
  return seconds;
}

static double time_lambdas(nets_bench *bench)
{
  double started = dorm__seconds();
  check(bench, dorm__lambdas_of_dataset(bench->context, bench->lambda, 0, bench->scores, 1,
                                        &(const dorm__lambdas_result){bench->lambdas, bench->curvature, NULL}));
  return dorm__seconds() - started;
}

/* ---- Medians --------------------------------------------------------------------------------- */

static int upwards(const void *x, const void *y)
{
  double left = *(const double *)x;
  double right = *(const double *)y;
  return (left > right) - (left < right);
}

static double median(double *values)
{
  qsort(values, RUNS, sizeof *values, upwards);
  return values[RUNS / 2];
}

static void compare(nets_bench *bench, size_t hidden)
{
  double epochs[RUNS], products[RUNS], cached[RUNS], lambdas[RUNS], ratios[RUNS];
  dorm__random random;
  dorm__net net;
  dorm__net_gradient *gradient = NULL;
  dorm__random_seed(&random, 2);
  check(bench, dorm__net_new(bench->context, WIDTH, hidden, &net));
  check(bench, dorm__net_draw(bench->context, &bench->rows, &random, &net));
  check(bench,
        dorm__net_gradient_new(bench->context, bench->dataset, &bench->rows, bench->lambda, hidden, 1, &gradient));
  for (size_t run = 0; run < RUNS; run++) {
    epochs[run] = time_epoch(bench, gradient, &net);
    products[run] = hidden ? time_products_of_units(bench, &net, false) : time_products_of_layer(bench, &net);
    cached[run] = hidden ? time_products_of_units(bench, &net, true) : 0;
    lambdas[run] = time_lambdas(bench);
    ratios[run] = epochs[run] / products[run];
  }
  printf("%12zu %10.3f %10.3f %10.3f %10.3f %10.2f\n", hidden, median(epochs), median(products), median(cached),
         median(lambdas), median(ratios));
  dorm__net_gradient_free(gradient);
  dorm__net_clear(&net);
}

int main(void)
{
  nets_bench *bench = calloc(1, sizeof *bench);
  if (!bench || !(bench->context = dorm_context_new()))
    return 1;
  dorm_set_blas_threads(1);
  make_data(bench);
  printf("Seconds on one thread, medians of %d runs: %d queries of %d documents with %d features\n\n", RUNS, QUERIES,
         DOCS, WIDTH);
  printf("%12s %10s %10s %10s %10s %10s\n", "hidden units", "epoch", "products", "in cache", "lambdas", "ratio");
  compare(bench, 0);
  compare(bench, MOST_HIDDEN);
  dorm__lambda_close(bench->lambda);
  dorm_dataset_free(bench->dataset);
  dorm_context_free(bench->context);
  free(bench);
  return 0;
}
