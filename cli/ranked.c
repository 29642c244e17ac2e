/* ranked.c: what `dorm predict --ranked` and `--trec` write: rankings in place of scores. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>

typedef struct ranked_doc {
  double score;
  size_t doc;
} ranked_doc;

static int compare_docs(const void *x, const void *y)
{
  const ranked_doc *a = x;
  const ranked_doc *b = y;
  if (a->score != b->score)
    return a->score < b->score ? 1 : -1;
  return (a->doc > b->doc) - (a->doc < b->doc);
}

/* The documents of a query by falling score, those of equal score in the order of the data. */
static void rank_query(const dorm_dataset *dataset, size_t query, const double *scores, ranked_doc *docs)
{
  size_t first = dorm_dataset_query_start(dataset, query);
  size_t count = dorm_dataset_query_start(dataset, query + 1) - first;
  for (size_t i = 0; i < count; i++)
    docs[i] = (ranked_doc){scores[first + i], first + i};
  qsort(docs, count, sizeof *docs, compare_docs);
}

static void print_query(FILE *file, const dorm_dataset *dataset, size_t query, size_t count, const ranked_doc *docs)
{
  for (size_t p = 0; p < count; p++) {
    const char *id = dorm_dataset_doc_id(dataset, docs[p].doc);
    fprintf(file, "%s\t%zu\t", dorm_dataset_query_id(dataset, query), p + 1);
    if (*id)
      fprintf(file, "%s", id);
    else
      fprintf(file, "D%zu", dorm_dataset_input_doc(dataset, docs[p].doc) + 1);
    fprintf(file, "\t%.9g\n", docs[p].score);
  }
}

dorm_status cli_write_ranked(dorm_context *context, const char *path, const dorm_dataset *dataset, size_t top,
                             bool is_trec, double *scores)
{
  ranked_doc *docs = malloc(dorm_dataset_num_docs(dataset) * sizeof *docs);
  FILE *file = NULL;
  if (!docs)
    return (dorm_status)cli_out_of_memory();
  dorm_status status = is_trec ? DORM_OK : cli_open_output(context, path, &file);
  if (status != DORM_OK) {
    free(docs);
    return status;
  }
  for (size_t q = 0; q < dorm_dataset_num_queries(dataset); q++) {
    size_t count = dorm_dataset_query_start(dataset, q + 1) - dorm_dataset_query_start(dataset, q);
    size_t kept = top && top < count ? top : count;
    rank_query(dataset, q, scores, docs);
    if (!is_trec)
      print_query(file, dataset, q, kept, docs);
    for (size_t i = kept; i < count; i++)
      scores[docs[i].doc] = -(double)INFINITY; /* a TREC run leaves these out */
  }
  free(docs);
  if (!is_trec)
    return cli_close_output(file, path);
  status = dorm_trec_run_write(context, path, dataset, scores, "dorm");
  return status == DORM_OK ? DORM_OK : (dorm_status)cli_failure(context, status);
}
