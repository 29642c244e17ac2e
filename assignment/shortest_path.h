/* shortest_path.h: the assignment problem for any costs, by shortest augmenting paths. */
#ifndef DORM_ASSIGNMENT_SHORTEST_PATH_H
#define DORM_ASSIGNMENT_SHORTEST_PATH_H

#include "assignment/call.h"
#include "base/base.h"

typedef struct dorm__shortest_path_scratch {
  double *distance, *scanned_distance, *doc_price, *position_price, *open_price; /* [max_docs] */
  double *from; /* [max_docs] documents, as doubles, so that vector units select them together with distances */
  uint32_t *position_of, *scanned; /* [max_docs] */
} dorm__shortest_path_scratch;

/* O(num_docs^3) time, linear memory. */
void dorm__shortest_path_solve(const dorm__oracle_call *call, const dorm__shortest_path_scratch *scratch,
                               uint32_t *order);
/* The same where `order` comes in as the best ranking without the scores of the first positions, and doc_price and
 * position_price prove it. O(num_own num_docs^2) time. */
void dorm__shortest_path_adjust(const dorm__oracle_call *call, const dorm__shortest_path_scratch *scratch,
                                uint32_t *order);

#endif
