/* ranked.c: writes ranked lists, and obeys the options of diversity that `dorm predict` and `dorm eval` share. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Diversity ------------------------------------------------------------ */

static const char weights[] = "ranking.position_weights";

int cli_diversity_set(void *target, const char *text)
{
  cli_diversity *diversity = target;
  if (diversity->assignments.count == CLI_MOST_TEXTS)
    return cli_usage_error("--set is given more than %d times", CLI_MOST_TEXTS);
  if (strncmp(text, "diversity.", strlen("diversity.")) != 0 && strncmp(text, weights, strlen(weights)) != 0)
    return cli_usage_error("--set %s: only the settings diversity.* and %s can be changed here", text, weights);
  diversity->assignments.items[diversity->assignments.count++] = text;
  return DORM_OK;
}

dorm_settings *cli_diversity_settings(dorm_context *context, const cli_diversity *diversity, const dorm_model *model)
{
  dorm_settings *made = NULL;
  cli_check(context, model ? dorm_model_settings(context, model, &made) : dorm_settings_new(context, &made));
  if (diversity->groups)
    cli_check(context, dorm_settings_set(context, made, "diversity.groups", diversity->groups));
  for (size_t i = 0; i < diversity->assignments.count; i++)
    cli_expect(cli_set_setting(context, made, diversity->assignments.items[i]));
  cli_note_file(model, made, "diversity.groups", "--groups");
  cli_note_file(model, made, weights, "--set");
  if (diversity->is_on && strcmp(dorm_settings_get(made, "diversity.groups"), "none") == 0)
    cli_end(cli_usage_error("--diverse: %s; name some, as in --groups host",
                            model ? "the model knows no groups" : "no groups are known"));
  return made;
}

dorm_status cli_read_lists(dorm_context *context, const dorm_settings *settings, dorm_dataset *dataset)
{
  const char *subtopics = dorm_settings_get(settings, "data.subtopics");
  dorm_status status = dorm_dataset_read_groups(context, dataset, settings);
  return status == DORM_OK && *subtopics ? dorm_dataset_read_subtopics(context, dataset, subtopics) : status;
}

void cli_diversity_read(dorm_context *context, const cli_diversity *diversity, const dorm_settings *settings,
                        dorm_dataset *dataset)
{
  cli_check(context, dorm_dataset_read_groups(context, dataset, settings));
  if (diversity->subtopics)
    cli_check(context, dorm_dataset_read_subtopics(context, dataset, diversity->subtopics));
}

/* ---- Ranked lists ------------------------------------------------------------ */

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

/* Fills docs [documents of the query] with the documents of a query by falling score. Documents of equal score keep the
 * order of the data. */
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

void cli_write_ranked(dorm_context *context, const char *path, const dorm_dataset *dataset, size_t top, bool is_trec,
                      double *scores)
{
  ranked_doc *docs = cli_alloc(dorm_dataset_num_docs(dataset), sizeof *docs);
  FILE *file = NULL;
  if (!is_trec)
    cli_expect(cli_open_output(context, path, &file));
  for (size_t q = 0; q < dorm_dataset_num_queries(dataset); q++) {
    size_t count = dorm_dataset_query_start(dataset, q + 1) - dorm_dataset_query_start(dataset, q);
    size_t kept = top && top < count ? top : count;
    rank_query(dataset, q, scores, docs);
    if (file)
      print_query(file, dataset, q, kept, docs);
    for (size_t i = kept; i < count; i++)
      scores[docs[i].doc] = -(double)INFINITY; /* dorm_trec_run_write leaves these documents out */
  }
  free(docs);
  if (file)
    cli_expect(cli_close_output(file, path));
  else
    cli_check(context, dorm_trec_run_write(context, path, dataset, scores, "dorm"));
}
