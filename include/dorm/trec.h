/* trec.h: TREC runs and qrels. */
#ifndef DORM_TREC_H
#define DORM_TREC_H

#include "dorm/dataset.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes a TREC run: lines `query Q0 document rank score tag`, each query from the
 * top, documents of equal score by falling id. Scores are written in single
 * precision, since some versions of trec_eval read them so, and moved by one unit
 * in the last place where that is needed to keep their order. A document without
 * an id is named after its number in the file, D1, D2, ...; one of score
 * -INFINITY is left out. The measures of trec_eval are those of dorm with
 * ties=docid, for example "map:ties=docid" and, for ndcg_cut,
 * "ndcg@10:gain=linear,ties=docid". */
DORM_API dorm_status dorm_trec_run_write(dorm_context *context, const char *path, const dorm_dataset *dataset,
                                         const double *scores, const char *tag);
/* Writes qrels: lines `query 0 document label`. Labels must be whole numbers; that of a document which nobody judged is
 * -1. */
DORM_API dorm_status dorm_trec_qrels_write(dorm_context *context, const char *path, const dorm_dataset *dataset);
/* Reads qrels and a TREC run, and makes a data set without features and its
 * scores (freed by dorm_scores_free). A judged document that is not in the run
 * has the score -INFINITY and counts as not found. A document of the run without
 * a judgement, or with a negative one, has label 0. Queries that are not in the
 * run are left out, as trec_eval does, unless all_queries is not 0. */
DORM_API dorm_status dorm_trec_read(dorm_context *context, const char *qrels, const char *run, int all_queries,
                                    dorm_dataset **dataset, double **scores);
/* Frees scores that dorm_trec_read made. */
DORM_API void dorm_scores_free(double *scores);

#ifdef __cplusplus
}
#endif

#endif
