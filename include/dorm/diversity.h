/* diversity.h: groups and subtopics of documents, and rankings that respect groups. */
#ifndef DORM_DIVERSITY_H
#define DORM_DIVERSITY_H

#include <stddef.h>
#include <stdint.h>

#include "dorm/dataset.h"
#include "dorm/settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Assigns groups to the documents of a data set, by the settings diversity.*. A group is a set of documents of which
 * only a few may be among the first positions of a ranking. If diversity.groups is set, training and validation data
 * must have groups before training. Measures such as redundancy@10 or ndcg@10:repeats=irrelevant need them too. */
DORM_API dorm_status dorm_dataset_read_groups(dorm_context *context, dorm_dataset *dataset,
                                              const dorm_settings *settings);
/* Assigns groups from arrays, which are copied (diversity.groups = given). Document j is in the groups groups[e] with
 * weights[e], for start[j] <= e < start[j + 1]. start has num_docs + 1 entries. If weights is NULL, all are 1. */
DORM_API dorm_status dorm_dataset_set_groups(dorm_context *context, dorm_dataset *dataset, const size_t *start,
                                             const uint32_t *groups, const double *weights);
/* Returns the group of a document, the first if it has several, SIZE_MAX if it has none. */
DORM_API size_t dorm_dataset_group(const dorm_dataset *dataset, size_t doc);
/* Returns the name of a group that dorm_dataset_read_groups found. Returns NULL after the last, and for groups from
 * arrays. */
DORM_API const char *dorm_dataset_group_name(const dorm_dataset *dataset, size_t group);
/* Reads subtopics of the documents from lines `query subtopic document judgement`, for the measures alpha_ndcg, err_ia
 * and subtopic_recall. */
DORM_API dorm_status dorm_dataset_read_subtopics(dorm_context *context, dorm_dataset *dataset, const char *path);
/* Assigns subtopics from arrays, which are copied. Document j is relevant to the subtopics subtopics[e] of its query
 * with judgements[e] > 0, for start[j] <= e < start[j + 1]. start has num_docs + 1 entries. Query q has
 * num_subtopics[q] subtopics, numbered from 0. If judgements is NULL, all are 1. */
DORM_API dorm_status dorm_dataset_set_subtopics(dorm_context *context, dorm_dataset *dataset,
                                                const size_t *num_subtopics, const size_t *start,
                                                const uint32_t *subtopics, const double *judgements);
/* Writes the subtopics, numbered from 1. The file is complete or not written at all. */
DORM_API dorm_status dorm_dataset_write_subtopics(dorm_context *context, const dorm_dataset *dataset, const char *path);
/* Changes scores[num_docs] into diverse[num_docs], so that sorting by them gives a ranking that respects the groups. If
 * groups do not overlap, the best documents of each group, up to the capacity, come before all others. Otherwise it is
 * the best ranking that respects the groups among the first diversity.top positions. A document that is moved back gets
 * a score just below the score of the document before it. The others keep their scores. `scores` and `diverse` may be
 * the same array. */
DORM_API dorm_status dorm_diversify(dorm_context *context, const dorm_settings *settings, const dorm_dataset *dataset,
                                    const double *scores, double *diverse);

/* The result of dorm_rank_interacting over all queries. */
typedef struct dorm_interacting {
  size_t struct_size; /* sizeof(dorm_interacting), set by the caller */
  double value;       /* value of the rankings, mean over queries, in units of the range of each query's scores */
  double bound;       /* upper bound on the value of any rankings */
  double largest_gap; /* of a query: (bound - value) / |value| */
  size_t num_proved;  /* queries whose gap is at most the requested one */
} dorm_interacting;

/* Changes scores[num_docs] into apart[num_docs], so that sorting by them gives rankings in which similar documents are
 * not close together near the top. Scores change as in dorm_diversify. The two arrays may be the same. `spec` is one of
 *   groups            documents of one group have the similarity 1
 *   features          the cosine of the features, standardised within the query, at least 0
 *   file:path=FILE    lines `document document similarity`, 0 for other documents
 * with the parameters strength, top, gap and seconds, as in "features:strength=0.5,top=10". Among the first `top`
 * positions p < q, counted from 0, two documents cost strength / log2(q + 2) / (q - p) times their similarity. A
 * document is worth 1 / log2(p + 2) times its score. The search for a query ends at this gap or after this many
 * seconds. */
DORM_API dorm_status dorm_rank_interacting(dorm_context *context, const char *spec, const dorm_dataset *dataset,
                                           const double *scores, size_t num_threads, double *apart,
                                           dorm_interacting *found);

#ifdef __cplusplus
}
#endif

#endif
