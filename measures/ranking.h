/* ranking.h: one query ranked by its scores. */
#ifndef DORM_MEASURES_RANKING_H
#define DORM_MEASURES_RANKING_H

#include "base/memory.h"
#include "base/sort.h"
#include "measures/measures.h"

/* One query in the order of its ranking, with scratch space for the measures. */
typedef struct dorm__scored_doc dorm__scored_doc;
typedef struct dorm__labelled_doc {
  double label;
  uint32_t doc;
} dorm__labelled_doc;
typedef struct dorm__ranking {
  dorm__region memory; /* of the arrays */
  const dorm_dataset *dataset;
  size_t query;
  size_t first_doc; /* of the query, in the data set */
  size_t num_docs;
  size_t num_found;             /* documents from this position on have score -infinity (judged, but not retrieved) */
  dorm__scored_doc *docs;       /* sorted */
  uint32_t *order;              /* document order[p] of the query is at position p */
  double *labels;               /* by position */
  double *ideal;                /* labels in falling order */
  size_t *tie_end;              /* by position: end of its tie (exclusive) */
  double *gains;                /* scratch [num_docs] */
  double *chances;              /* scratch [2 num_docs + 1] */
  uint32_t *before;             /* scratch [num_docs] */
  dorm__labelled_doc *by_label; /* scratch [num_docs] */
  double *seen;                 /* scratch [subtopics of the query] */
  dorm__sort_scratch sort;
} dorm__ranking;

/* Allocates room for the queries of a data set. Returns false when out of memory. The caller frees `ranking` even
 * then. */
bool dorm__ranking_alloc(dorm__ranking *ranking, const dorm_dataset *dataset);
void dorm__ranking_free(dorm__ranking *ranking);
/* Ranks query_scores [l] of the query's documents. Returns DORM_BAD_DATA for a score that is NaN. O(l log l). */
dorm_status dorm__rank_query(dorm_context *context, const dorm_dataset *dataset, size_t query,
                             const double *query_scores, dorm__tie_rule ties, dorm__ranking *ranking);

/* The change of a ranking when scores moved. */
typedef enum dorm__reranking {
  DORM__ORDER_STAYS,  /* the order of ties too */
  DORM__LABELS_STAY,  /* at all positions, but documents of equal label changed places */
  DORM__LABELS_CHANGE /* labels, ties, or the number of documents found changed */
} dorm__reranking;
/* Ranks the query of `ranking` again by query_scores [num_docs] of its documents, none of them NaN. The result equals a
 * ranking by dorm__rank_query, which must have made `ranking`. O(l + pairs that change places) for l documents, and
 * never more than a constant times a sort. */
dorm__reranking dorm__rank_query_again(const double *query_scores, dorm__tie_rule ties, dorm__ranking *ranking);

#endif
