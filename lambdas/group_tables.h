/* group_tables.h: the groups of a query's documents, for measures that count each group once. */
#ifndef DORM_LAMBDAS_GROUP_TABLES_H
#define DORM_LAMBDAS_GROUP_TABLES_H

#include "base/base.h"
#include "data/data.h"
#include "lambdas/target.h"

/* Scratch space for the queries of a data set. */
typedef struct dorm__group_scratch {
  struct dorm__ranked_label *by_label; /* [docs] */
  uint32_t *known;                     /* [entries] */
  bool *is_taken;                      /* [entries] by group */
} dorm__group_scratch;

/* For a data set that has groups. False when out of memory; to be freed also then. */
bool dorm__group_scratch_alloc(const dorm_dataset *dataset, dorm__group_scratch *scratch);
void dorm__group_scratch_free(dorm__group_scratch *scratch);
/* Fills `groups` with those of a query, numbered from 0. numbers [entries of the data set's groups] has room for the
 * numbers of all queries; those of this query are written. O(entries log entries). */
void dorm__groups_fill(const dorm_dataset *dataset, size_t query, const dorm__group_scratch *scratch, uint32_t *numbers,
                       dorm__target_groups *groups);
/* ideal [num_docs]: the labels of documents by falling label, ties in document order, without those that share a group
 * with one taken before; 0 for what is missing at the end. */
void dorm__groups_ideal(const dorm__target_groups *groups, size_t num_docs, const double *labels,
                        const dorm__group_scratch *scratch, double *ideal);

#endif
