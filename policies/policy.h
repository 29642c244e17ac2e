/* policy.h: the data of a policy (policy.c). */
#ifndef DORM_POLICIES_POLICY_H
#define DORM_POLICIES_POLICY_H

#include "base/base.h"
#include "dorm/policies.h"

/* A column: a block at the prices of one pass. */
typedef struct dorm__block_column {
  size_t block, pass;
  double worth;
} dorm__block_column;

struct dorm_policy {
  dorm_allocation result;
  size_t num_groups, num_queries, num_blocks;
  double *prices, *shares, *free_shares; /* [num_groups], one block of memory */
  size_t num_passes, boosts_capacity;
  double *boosts; /* [num_passes][num_groups] */
  size_t num_columns, columns_capacity, exposures_capacity;
  dorm__block_column *columns;
  double *exposures;         /* [num_columns][num_groups] shares of all exposure */
  double *theta;             /* [num_columns] */
  const double **mix_boosts; /* [num_passes]: of dorm_policy_mixture */
  double *mix_probabilities; /* [num_passes] */
};

/* Block i of num_blocks has the queries from first_query(i) to first_query(i + 1) - 1. */
size_t dorm__first_query(size_t num_queries, size_t num_blocks, size_t block);

#endif
