/* ranking.h: what ranking.c offers to the other files of this folder. */
#ifndef DORM_MEASURES_RANKING_H
#define DORM_MEASURES_RANKING_H

#include "base/base.h"
#include "data/data.h"

typedef enum dorm__tie_rule {
  DORM__TIES_ORDER,   /* the earlier document first */
  DORM__TIES_DOC_ID,  /* the larger document id first, as trec_eval does */
  DORM__TIES_WORST,   /* the smaller label first */
  DORM__TIES_EXPECTED /* tied documents stay a group */
} dorm__tie_rule;

/* One query from the top of its ranking, with scratch space for the measures. */
typedef struct dorm__scored_doc dorm__scored_doc;
typedef struct dorm__labelled_doc {
  double label;
  uint32_t doc;
} dorm__labelled_doc;
typedef struct dorm__ranking {
  const dorm_dataset *dataset;
  size_t query;
  size_t first_doc; /* of the query, in the data set */
  size_t num_docs;
  size_t num_found;             /* positions behind it hold documents of score -infinity: judged, but not retrieved */
  dorm__scored_doc *docs;       /* sorted */
  uint32_t *order;              /* document order[p] of the query is at position p */
  double *labels;               /* by position */
  double *ideal;                /* labels sorted downwards */
  size_t *group_end;            /* by position: where its group of tied documents ends */
  double *gains;                /* scratch [num_docs] */
  double *chances;              /* scratch [num_docs + 1] */
  uint32_t *before;             /* scratch [num_docs] */
  dorm__labelled_doc *by_label; /* scratch [num_docs] */
  double *seen;                 /* scratch [subtopics of the query] */
} dorm__ranking;

/* Room for the queries of a data set; to be freed also after a failure. */
bool dorm__ranking_alloc(dorm__ranking *ranking, const dorm_dataset *dataset);
void dorm__ranking_free(dorm__ranking *ranking);
/* scores of the whole data set. DORM_BAD_DATA for a score that is no number. */
dorm_status dorm__rank_query(dorm_context *context, const dorm_dataset *dataset, size_t query, const double *scores,
                             dorm__tie_rule ties, dorm__ranking *ranking);

#endif
