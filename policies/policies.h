/* policies.h: distributions over rankings that meet requirements on exposure: the public functions of dorm/policies.h,
 * and sorting by gain and price, which they use. allocate.c finds policies, serve.c tries prices. */
#ifndef DORM_POLICIES_POLICIES_H
#define DORM_POLICIES_POLICIES_H

#include "base/base.h"
#include "base/memory.h"
#include "base/sort.h"
#include "data/data.h"
#include "dorm/policies.h"

/* The scratch space of one thread, for queries of up to max_docs documents. */
typedef struct dorm__price_sorter {
  dorm__sort_scratch sort;
  uint32_t *order; /* [max_docs] documents of the last query, from the first position on */
  double *key;     /* [max_docs] gain and price of its documents */
  double *sorted;  /* [max_docs] scratch */
} dorm__price_sorter;

/* Allocates a sorter in `memory`, which may be short then. */
dorm__price_sorter dorm__price_sorter_in(dorm__region *memory, size_t max_docs);
/* Sorts the documents of a query by factor * gain + price of their group [num_groups], for the first `top` positions
 * (0: all). Returns the number of positions that count. If there are few, only these are sorted. */
size_t dorm__sort_by_price(const dorm_dataset *dataset, size_t query, const dorm_allocation_options *options,
                           const double *gains, double factor, const double *prices, dorm__price_sorter *sorter);

/* Fills weights [max_docs] of positions. Returns the exposure of all documents at the first `top` positions, over every
 * stride-th query. */
double dorm__exposure_weights(const dorm_dataset *dataset, size_t top, size_t stride, double *weights);
/* Checks groups, shares and gains. */
dorm_status dorm__allocation_check(dorm_context *context, const dorm_dataset *dataset, const double *gains,
                                   const dorm_allocation_options *options);

/* ---- Policies -------------------------------------------------------------------------------------- */

/* A column of the master programme: the rankings of all queries of one block at the prices of one pass. */
typedef struct dorm__block_column {
  size_t block, pass;
  double worth; /* of these rankings, by gains alone */
} dorm__block_column;

struct dorm_policy {
  dorm_allocation result;
  size_t num_groups, num_queries, num_blocks;
  double *prices, *shares, *free_shares; /* [num_groups] each, allocated together at `prices` */
  size_t num_passes, boosts_capacity;
  double *boosts; /* [num_passes][num_groups] added to the gains of a group's documents in a pass */
  size_t num_columns, columns_capacity, exposures_capacity;
  dorm__block_column *columns;
  double *exposures;         /* [num_columns][num_groups] of a group in the block, as a share of all exposure */
  double *theta;             /* [num_columns] probabilities, which sum to 1 over the columns of a block */
  const double **mix_boosts; /* [num_passes] room for the results of dorm_policy_mixture */
  double *mix_probabilities; /* [num_passes] likewise */
};

/* Returns the first query of a block, or num_queries for block = num_blocks. A block ends where the next one begins. */
size_t dorm__first_query(size_t num_queries, size_t num_blocks, size_t block);

#endif
