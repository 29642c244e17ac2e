/* target.h: the measure or loss that a λ-function should improve, as tables for each query. */
#ifndef DORM_LAMBDAS_TARGET_H
#define DORM_LAMBDAS_TARGET_H

#include "base/base.h"
#include "base/memory.h"
#include "data/data.h"
#include "losses/losses.h"
#include "measures/measures.h"

/* The form of a measure's tables. */
typedef enum dorm__target_form {
  DORM__TARGET_PRODUCT,    /* sum_p a[p] b_p */
  DORM__TARGET_COSTS,      /* minus the sum of cost[j][rank of j] */
  DORM__TARGET_PRECISIONS, /* average precision */
  DORM__TARGET_FIRST,      /* reciprocal rank of the first relevant document */
  DORM__TARGET_CASCADE,    /* expected reciprocal rank */
  DORM__TARGET_PAIRS,      /* minus the number of pairs in the wrong order */
  DORM__TARGET_SUBTOPICS,  /* amounts that documents add to their subtopics, see dorm__target_lists */
  DORM__TARGET_STRUCTURED  /* a loss of outputs, not of rankings: only its most violated output is known */
} dorm__target_form;

/* The groups or subtopics of a query, both called lists. Document j has the entries e = start[j] .. start[j + 1] - 1,
 * and entry e puts it into list numbers[e].
 *
 * In the form of subtopics, lists are subtopics. The measure is the sum, over all positions p and all entries e of the
 * document at p, of
 *
 *   a[p] gains[e] prod_f (1 - chances[f])      f: the entries for the same subtopic of the documents above p
 *
 * In the other forms, lists are groups of which only one document counts. A document is a repeat if it shares a group
 * with a document above it that is not a repeat itself. The b of a repeat counts as 0. */
typedef struct dorm__target_lists {
  size_t count;            /* of lists, 0 if there are none or if repeats count like other documents */
  const size_t *start;     /* [num_docs + 1] */
  const uint32_t *numbers; /* [start[num_docs]] below count */
  double *gains, *chances; /* [start[num_docs]] of subtopics, 0 if an earlier entry of the document has the same one */
  bool overlap;            /* some document is in several groups */
} dorm__target_lists;

/* One query. The target owns the arrays. Those that the form does not use are NULL. */
typedef struct dorm__target_query {
  size_t num_docs;
  const double *a;    /* [num_docs] position weights of the product form, also for subtopics */
  const double *b;    /* [num_docs] gain, relevance 0 or 1, chance to satisfy, or number of the level from 0 */
  const double *cost; /* [num_docs][num_docs] cost[j][p] */
  size_t depth;       /* positions from this one on are worth nothing */
  size_t num_levels;  /* of the pairs form */
  double scale;       /* factor of the sum over relevant documents, or of the number of pairs in the wrong order */
  double unit;        /* weight of the first position times the smallest difference of two gains, 0 if all are equal */
  dorm__target_lists lists;
} dorm__target_query;

/* The largest numbers over the queries of a target. */
typedef struct dorm__target_sizes {
  size_t levels; /* of the pairs form, 0 in the others */
  size_t lists;  /* groups or subtopics of a query, 0 if there are none or if repeats count like other documents */
} dorm__target_sizes;

/* The memory to which the queries of a measure point. */
typedef struct dorm__measure_arrays {
  dorm__region memory;
  double *tables;          /* a and b: [2][num_docs of the data set] */
  double *entries;         /* gains and chances: [2][entries of the data set's subtopics], or NULL in other forms */
  uint32_t *group_numbers; /* [entries of the data set's groups], or NULL if groups do not count */
} dorm__measure_arrays;

typedef struct dorm__target {
  dorm__measure *measure; /* for a loss, minus the loss */
  dorm__target_form form;
  size_t num_queries;
  dorm__target_sizes sizes;
  dorm__target_query *queries; /* [num_queries] */
  dorm__measure_arrays arrays;
  dorm__loss_tables *tables; /* of a loss, NULL for a measure */
} dorm__target;

/* Opens a target. `text` is a measure such as "ndcg@10", "minus_loss(LOSS)", the path of a loss module, or the name of
 * a loss if no measure has this name. *target is NULL on failure. */
dorm_status dorm__target_open(dorm_context *context, const char *text, const dorm_dataset *dataset, size_t num_threads,
                              dorm__target **target);
void dorm__target_close(dorm__target *target);
/* Returns whether labels decide which document of a pair should be above: always, unless groups or subtopics count. */
bool dorm__target_follows_labels(const dorm__target *target);

#endif
