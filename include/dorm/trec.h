/* trec.h: TREC runs and qrels. */
#ifndef DORM_TREC_H
#define DORM_TREC_H

#include "dorm/dataset.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes a TREC run: lines `query Q0 document rank score tag`, the documents of each query by falling scores[num_docs].
 * Documents of equal score follow by falling id. dorm writes scores in single precision, because some versions of
 * trec_eval read single precision. If rounding would reverse two different scores or make them equal, the lower one
 * becomes the next smaller number. A document without an id is named after its number in the data file (D1, D2, ...).
 * dorm leaves out documents with score -INFINITY. `tag` must be one word. Two documents of a query with one name, or a
 * score that is NaN or too large for single precision, return DORM_BAD_DATA. trec_eval computes the same measures as
 * dorm with ties=docid, for example "map:ties=docid" and, for ndcg_cut, "ndcg@10:gain=linear,ties=docid". */
DORM_API dorm_status dorm_trec_run_write(dorm_context *context, const char *path, const dorm_dataset *dataset,
                                         const double *scores, const char *tag);
/* Writes qrels: lines `query 0 document label`. A label that is not a whole number up to 1e9 returns DORM_BAD_DATA. A
 * document without a judgement gets the label -1. */
DORM_API dorm_status dorm_trec_qrels_write(dorm_context *context, const char *path, const dorm_dataset *dataset);
/* Reads qrels and a TREC run. Makes a data set without features, and the scores[num_docs] of its documents. The caller
 * frees them by dorm_dataset_free and dorm_scores_free. On failure both are NULL. A judged document that is not in the
 * run gets the score -INFINITY and counts as not found. A document of the run without a judgement, or with a negative
 * one, gets the label 0. With all_queries = 0 dorm leaves out the queries that are not in the run, as trec_eval
 * does. */
DORM_API dorm_status dorm_trec_read(dorm_context *context, const char *qrels, const char *run, int all_queries,
                                    dorm_dataset **dataset, double **scores);
/* Frees the scores of dorm_trec_read. */
DORM_API void dorm_scores_free(double *scores);

#ifdef __cplusplus
}
#endif

#endif
