/* policy.h: a policy as allocate.c makes it and policy.c reads it. */
#ifndef DORM_POLICIES_POLICY_H
#define DORM_POLICIES_POLICY_H

#include "base/base.h"
#include "dorm/policies.h"

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
