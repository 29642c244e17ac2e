/* trec.h: TREC runs and qrels. */
#ifndef DORM_TREC_H
#define DORM_TREC_H

#include "dorm/dataset.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes a TREC run: lines `query Q0 document rank score tag`. The documents of each query are in ranked order, those
 * of equal score by falling id. Scores are written in single precision, because some versions of trec_eval read them
 * so. If rounding would break their order, they are moved by one unit in the last place. A document without an id is
 * named after its number in the file (D1, D2, ...). A document with score -INFINITY is left out. trec_eval computes the
 * same measures as dorm with ties=docid, for example "map:ties=docid" and, for ndcg_cut,
 * "ndcg@10:gain=linear,ties=docid". */
DORM_API dorm_status dorm_trec_run_write(dorm_context *context, const char *path, const dorm_dataset *dataset,
                                         const double *scores, const char *tag);
/* Writes qrels: lines `query 0 document label`. Labels must be whole numbers. A document without a judgement has label
 * -1. */
DORM_API dorm_status dorm_trec_qrels_write(dorm_context *context, const char *path, const dorm_dataset *dataset);
/* Reads qrels and a TREC run. Makes a data set without features, and its scores [num_docs], which the caller frees by
 * dorm_scores_free. A judged document that is not in the run has the score -INFINITY and counts as not found. A
 * document of the run without a judgement, or with a negative one, has label 0. Queries that are not in the run are
 * left out, as in trec_eval, unless all_queries is not 0. */
DORM_API dorm_status dorm_trec_read(dorm_context *context, const char *qrels, const char *run, int all_queries,
                                    dorm_dataset **dataset, double **scores);
/* Frees the scores of dorm_trec_read. */
DORM_API void dorm_scores_free(double *scores);

#ifdef __cplusplus
}
#endif

#endif
