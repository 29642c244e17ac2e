/* trec_write.c: writes rankings and labels as files of the Text REtrieval Conference, which trec_eval reads:
 *
 *   TREC run   query Q0 document rank score tag
 *   qrels      query 0 document label
 *
 * A TREC run lists each query by falling score, and ties by falling document id, because trec_eval sorts in this way.
 * Scores are written in single precision, because some versions of trec_eval read them in it. If rounding makes two
 * different scores equal or reverses them, the lower one becomes the next smaller number. Documents without an id are
 * named by their number in the data, D1, D2, ... */
#include "data/data.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

dorm__doc_name dorm__doc_name_of(const dorm_dataset *dataset, size_t doc)
{
  dorm__doc_name name = {.given = dorm_dataset_doc_id(dataset, doc)};
  snprintf(name.made, sizeof name.made, "D%zu", dorm_dataset_input_doc(dataset, doc) + 1);
  return name;
}

const char *dorm__doc_name_text(const dorm__doc_name *name)
{
  return *name->given ? name->given : name->made;
}

typedef struct trec_doc {
  double score;
  dorm__doc_name name;
} trec_doc;

static int compare_names(const void *x, const void *y)
{
  const trec_doc *left = x;
  const trec_doc *right = y;
  return strcmp(dorm__doc_name_text(&left->name), dorm__doc_name_text(&right->name));
}

static int compare_docs(const void *x, const void *y)
{
  const trec_doc *left = x;
  const trec_doc *right = y;
  if (left->score != right->score)
    return left->score < right->score ? 1 : -1;
  return compare_names(y, x);
}

/* Whether an id can be a word of a line. Control characters would end it or make the file look compressed, and a byte
 * order mark would be skipped at the beginning of the file. */
static bool is_printable(const char *id)
{
  if (strncmp(id, "\xef\xbb\xbf", 3) == 0)
    return false;
  for (const char *s = id; *s; s++)
    if ((unsigned char)*s <= ' ' || *s == 127)
      return false;
  return true;
}

static const double largest_score = FLT_MAX / 2; /* leaves room for lowered scores */

/* Lists the documents of a query, and checks that their names differ. */
static dorm_status name_docs(dorm_context *context, const dorm_dataset *dataset, size_t query, const double *scores,
                             trec_doc *docs)
{
  size_t start = dataset->query_start[query];
  size_t count = dataset->query_start[query + 1] - start;
  if (!is_printable(dorm_dataset_query_id(dataset, query)))
    return dorm__fail(context, DORM_BAD_DATA,
                      "the id of query %zu has control characters or a byte order mark, which TREC files cannot hold",
                      query + 1);
  for (size_t i = 0; i < count; i++) {
    docs[i] = (trec_doc){.score = scores ? scores[start + i] : 0, .name = dorm__doc_name_of(dataset, start + i)};
    if (!is_printable(docs[i].name.given))
      return dorm__fail(context, DORM_BAD_DATA,
                        "query '%s': the id of document %zu has control characters or a byte order mark, which TREC "
                        "files cannot hold",
                        dorm_dataset_query_id(dataset, query), i + 1);
    if (isnan(docs[i].score))
      return dorm__fail(context, DORM_BAD_DATA, "query '%s': the score of document %zu is not a number",
                        dorm_dataset_query_id(dataset, query), i + 1);
    if (docs[i].score > -INFINITY && !(fabs(docs[i].score) <= largest_score))
      return dorm__fail(context, DORM_BAD_DATA, "query '%s': the score %g of document %zu is beyond single precision",
                        dorm_dataset_query_id(dataset, query), docs[i].score, i + 1);
  }
  qsort(docs, count, sizeof *docs, compare_names);
  for (size_t i = 1; i < count; i++)
    if (compare_names(&docs[i - 1], &docs[i]) == 0)
      return dorm__fail(context, DORM_BAD_DATA, "query '%s' has two documents '%s', which TREC files cannot hold",
                        dorm_dataset_query_id(dataset, query), dorm__doc_name_text(&docs[i].name));
  return DORM_OK;
}

static void write_query(dorm__output *output, const char *query, size_t count, trec_doc *docs, const char *tag)
{
  qsort(docs, count, sizeof *docs, compare_docs);
  float above = INFINITY;
  for (size_t p = 0; p < count && docs[p].score > -INFINITY; p++) { /* later documents were not retrieved */
    float score = (float)docs[p].score;
    if (p && docs[p].score == docs[p - 1].score)
      score = above;
    else if (p && score >= above)
      score = nextafterf(above, -INFINITY);
    above = score;
    dorm__output_text(output, "%s Q0 %s %zu ", query, dorm__doc_name_text(&docs[p].name), p + 1);
    dorm__output_float(output, score);
    dorm__output_text(output, " %s\n", tag);
  }
}

dorm_status dorm_trec_run_write(dorm_context *context, const char *path, const dorm_dataset *dataset,
                                const double *scores, const char *tag)
{
  if (DORM__LACKS(context, DORM__GIVEN(path), DORM__GIVEN(dataset), DORM__GIVEN(scores), DORM__GIVEN(tag)))
    return DORM_BAD_USAGE;
  if (!*tag || strpbrk(tag, " \t\r\n"))
    return dorm__fail(context, DORM_BAD_USAGE, "the tag '%s' of a TREC run must be one word", tag);
  dorm__output *output = NULL;
  DORM__FREED trec_doc *docs = dorm__alloc(dorm__dataset_max_docs(dataset), sizeof *docs);
  if (!docs)
    return dorm__out_of_memory(context, "a run");
  dorm_status status = dorm__output_open(context, path, &output);
  for (size_t q = 0; status == DORM_OK && q < dataset->num_queries; q++) {
    status = name_docs(context, dataset, q, scores, docs);
    if (status == DORM_OK)
      write_query(output, dorm_dataset_query_id(dataset, q), dataset->query_start[q + 1] - dataset->query_start[q],
                  docs, tag);
  }
  return dorm__output_close(context, output, status);
}

dorm_status dorm_trec_qrels_write(dorm_context *context, const char *path, const dorm_dataset *dataset)
{
  if (DORM__LACKS(context, DORM__GIVEN(path), DORM__GIVEN(dataset)))
    return DORM_BAD_USAGE;
  dorm__output *output = NULL;
  DORM__FREED trec_doc *docs = dorm__alloc(dorm__dataset_max_docs(dataset), sizeof *docs);
  if (!docs)
    return dorm__out_of_memory(context, "qrels");
  dorm_status status = dorm__output_open(context, path, &output);
  for (size_t q = 0; status == DORM_OK && q < dataset->num_queries; q++) {
    const char *query = dorm_dataset_query_id(dataset, q);
    status = name_docs(context, dataset, q, NULL, docs);
    for (size_t j = dataset->query_start[q]; status == DORM_OK && j < dataset->query_start[q + 1]; j++) {
      dorm__doc_name name = dorm__doc_name_of(dataset, j);
      double label = dataset->labels[j];
      if (dataset->is_unjudged && dataset->is_unjudged[j])
        label = -1;
      if (label != floor(label) || label > 1e9)
        status = dorm__fail(context, DORM_BAD_DATA,
                            "query '%s', document '%s': label %g, but qrels hold whole numbers up to 1e9", query,
                            dorm__doc_name_text(&name), label);
      else
        dorm__output_text(output, "%s 0 %s %.0f\n", query, dorm__doc_name_text(&name), label);
    }
  }
  return dorm__output_close(context, output, status);
}
