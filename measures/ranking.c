/* ranking.c: ranks the documents of one query by their scores. The tie rule of the measure determines the order of
 * documents of equal score. O(l log l) for l documents. */
#include "measures/ranking.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct dorm__scored_doc {
  double score;
  double label;        /* with DORM__TIES_WORST, else 0 */
  dorm__doc_name name; /* with DORM__TIES_DOC_ID, else "" */
  uint32_t doc;
};

bool dorm__ranking_alloc(dorm__ranking *ranking, const dorm_dataset *dataset)
{
  size_t max_docs = dorm__dataset_max_docs(dataset), most_subtopics = 0;
  for (size_t q = 0; dataset->subtopics && q < dataset->num_queries; q++)
    if (dataset->subtopics->num_subtopics[q] > most_subtopics)
      most_subtopics = dataset->subtopics->num_subtopics[q];
  dorm__region memory = {0};
  *ranking = (dorm__ranking){
      .docs = dorm__region_take(&memory, max_docs, sizeof *ranking->docs),
      .order = dorm__region_take(&memory, max_docs, sizeof *ranking->order),
      .labels = dorm__region_take(&memory, max_docs, sizeof *ranking->labels),
      .ideal = dorm__region_take(&memory, max_docs, sizeof *ranking->ideal),
      .tie_end = dorm__region_take_zero(&memory, max_docs, sizeof *ranking->tie_end),
      .gains = dorm__region_take(&memory, max_docs, sizeof *ranking->gains),
      .chances = dorm__region_take(&memory, 2 * max_docs + 1, sizeof *ranking->chances),
      .before = dorm__region_take(&memory, max_docs, sizeof *ranking->before),
      .by_label = dorm__region_take(&memory, max_docs, sizeof *ranking->by_label),
      .seen = dorm__region_take(&memory, most_subtopics, sizeof *ranking->seen),
      .sort = dorm__sort_scratch_in(&memory, max_docs),
  };
  ranking->memory = memory;
  return !memory.is_short;
}

void dorm__ranking_free(dorm__ranking *ranking)
{
  dorm__region_clear(&ranking->memory);
}

/* Orders by falling score, then by increasing label, then by falling id, then by increasing number of the document. Tie
 * rules that ignore labels or ids leave them all equal. */
static int compare_scored(const void *x, const void *y)
{
  const dorm__scored_doc *left = x;
  const dorm__scored_doc *right = y;
  if (left->score != right->score)
    return left->score < right->score ? 1 : -1;
  if (left->label != right->label)
    return left->label > right->label ? 1 : -1;
  int ids = strcmp(dorm__doc_name_text(&right->name), dorm__doc_name_text(&left->name));
  return ids ? ids : (left->doc > right->doc) - (left->doc < right->doc);
}

/* Fills tie_end. If `ties_stay`, documents of equal score form a tie, otherwise each document is alone. Returns whether
 * tie_end changed. */
static bool find_ties(dorm__ranking *ranking, bool ties_stay)
{
  bool is_new = false;
  for (size_t begin = 0; begin < ranking->num_docs;) {
    size_t end = begin + 1;
    while (ties_stay && end < ranking->num_docs && ranking->docs[end].score == ranking->docs[begin].score)
      end++;
    for (; begin < end; begin++) {
      is_new = is_new || ranking->tie_end[begin] != end;
      ranking->tie_end[begin] = end;
    }
  }
  return is_new;
}

/* Sorts by insertion, which is fast if few documents are out of place. After too many moves, sorts by qsort instead. */
static void sort_again(size_t num_docs, dorm__scored_doc *docs)
{
  enum { MOST_MOVES = 8 }; /* per document; this number of moves takes about as long as a sort */
  size_t moves = 0;
  for (size_t i = 1; i < num_docs; i++) {
    dorm__scored_doc doc = docs[i];
    size_t p = i;
    for (; p > 0 && compare_scored(&doc, &docs[p - 1]) < 0; p--, moves++)
      docs[p] = docs[p - 1];
    docs[p] = doc;
    if (moves > MOST_MOVES * num_docs) {
      qsort(docs, num_docs, sizeof *docs, compare_scored);
      return;
    }
  }
}

dorm__reranking dorm__rank_query_again(const double *query_scores, dorm__tie_rule ties, dorm__ranking *ranking)
{
  size_t num_docs = ranking->num_docs;
  size_t num_found = 0;
  const double *labels = ranking->dataset->labels + ranking->first_doc;
  bool is_sorted = true;
  bool are_ties_new = false;
  dorm__reranking made = DORM__ORDER_STAYS;
  for (size_t p = 0; p < num_docs; p++) {
    ranking->docs[p].score = query_scores[ranking->docs[p].doc];
    num_found += ranking->docs[p].score > -INFINITY;
    is_sorted = is_sorted && (!p || compare_scored(&ranking->docs[p - 1], &ranking->docs[p]) < 0);
  }
  if (!is_sorted)
    sort_again(num_docs, ranking->docs);
  for (size_t p = 0; !is_sorted && p < num_docs; p++) {
    uint32_t doc = ranking->docs[p].doc;
    if (made == DORM__ORDER_STAYS && ranking->order[p] != doc)
      made = DORM__LABELS_STAY;
    if (ranking->labels[p] != labels[doc])
      made = DORM__LABELS_CHANGE;
    ranking->order[p] = doc;
    ranking->labels[p] = labels[doc];
  }
  if (ties == DORM__TIES_EXPECTED)
    are_ties_new = find_ties(ranking, true);
  if (are_ties_new || num_found != ranking->num_found)
    made = DORM__LABELS_CHANGE;
  ranking->num_found = num_found;
  return made;
}

dorm_status dorm__rank_query(dorm_context *context, const dorm_dataset *dataset, size_t query,
                             const double *query_scores, dorm__tie_rule ties, dorm__ranking *ranking)
{
  size_t start = dataset->query_start[query];
  size_t num_docs = dataset->query_start[query + 1] - start;
  const double *labels = dataset->labels + start;
  const dorm__doc_name no_name = {.given = ""};
  ranking->dataset = dataset;
  ranking->query = query;
  ranking->first_doc = start;
  ranking->num_docs = num_docs;
  ranking->num_found = 0;
  for (size_t i = 0; i < num_docs; i++)
    if (isnan(query_scores[i]))
      return dorm__fail(context, DORM_BAD_DATA, "query '%s': the score of document %zu is not a number",
                        dorm_dataset_query_id(dataset, query), i + 1);
  dorm__sort_descending(num_docs, query_scores, ranking->order, ranking->gains, &ranking->sort);
  for (size_t p = 0; p < num_docs; p++) {
    uint32_t i = ranking->order[p];
    ranking->docs[p] = (dorm__scored_doc){
        .score = query_scores[i],
        .label = ties == DORM__TIES_WORST ? labels[i] : 0,
        .name = ties == DORM__TIES_DOC_ID ? dorm__doc_name_of(dataset, start + i) : no_name,
        .doc = i,
    };
  }
  if (ties == DORM__TIES_WORST || ties == DORM__TIES_DOC_ID)
    sort_again(num_docs, ranking->docs);
  for (size_t p = 0; p < num_docs; p++) {
    ranking->order[p] = ranking->docs[p].doc;
    ranking->labels[p] = labels[ranking->order[p]];
    ranking->num_found += ranking->docs[p].score > -INFINITY;
  }
  find_ties(ranking, ties == DORM__TIES_EXPECTED);
  memcpy(ranking->ideal, labels, num_docs * sizeof *labels);
  dorm__sort_values(num_docs, ranking->ideal);
  return DORM_OK;
}
