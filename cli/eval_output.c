/* eval_output.c: what `dorm eval` prints, and its table with a line for each query. */
#include "cli/cli.h"

#include <errno.h>
#include <math.h>
#include <string.h>

int cli_print_eval_help(void)
{
  printf("usage: dorm eval MODEL... DATA [-m MEASURE]...\n"
         "       dorm eval --scores FILE [--scores FILE]... [MODEL]... DATA [-m MEASURE]...\n"
         "       dorm eval --chance [MODEL]... DATA [-m MEASURE]...\n"
         "       dorm eval MODEL... DATA --clicks LOG [-s clicks.KEY=VALUE]...\n"
         "       dorm eval --qrels FILE --run FILE [--run FILE]... [-m MEASURE]...\n\n"
         "Prints the mean of each measure over the queries, its standard error, and the conventions\n"
         "that the measure follows. Means and tests are weighted where DATA.weight has weights of the\n"
         "queries. If there are several models, score files or TREC runs, the first\n"
         "is compared with each of the others, query by query, by a paired t-test and a randomisation\n"
         "test, with two-sided p-values.\n\n"
         "  -m, --measure MEASURE  for example ndcg@10, map, ndcg@5:discount=letor,empty=skip\n"
         "                         (the measure by which the first model was chosen, and map);\n"
         "                         dorm losses --measures lists all measures; trec_eval's names, such\n"
         "                         as ndcg_cut_10, stand for its conventions\n"
         "      --scores FILE      scores to evaluate, one per line\n"
         "  -t, --threads N        number of threads, 0: one for each processor (0); the results are\n"
         "                         the same for any number\n"
         "      --module FILE      a Gram matrix or kernel module that models need\n"
         "      --run FILE         a TREC run to evaluate; a judged document that it lacks counts as\n"
         "                         not found. Measures are trec_eval's unless they say otherwise:\n"
         "                         ties=docid, gain=linear\n"
         "      --qrels FILE       the TREC relevance judgements for the TREC runs\n"
         "      --sort-queries     the lines of a query may be apart in DATA; scores stand in the order\n"
         "                         of the lines\n"
         "      --ignore-weights   does not read DATA.weight: every query counts the same\n"
         "      --chance           evaluates random order too: the mean over all orders\n"
         "      --all-queries      also counts judged queries that the TREC run lacks (always so with\n"
         "                         several TREC runs)\n"
         "      --groups GROUPS    the groups of the documents, for redundancy@10 or\n"
         "                         ndcg@10:repeats=irrelevant: host, feature:ID, docid:PATTERN or\n"
         "                         file:PATH (diversity.groups)\n"
         "      --diverse          ranks with few documents of a group in front, as dorm predict\n"
         "                         --diverse does, by --groups or the groups of the first model\n"
         "  -s, --set KEY=VALUE    changes another setting diversity.*, as in diversity.capacity=2,\n"
         "                         ranking.position_weights, or clicks.*\n"
         "      --clicks LOG       estimates DCG from a log of clicks on DATA, `query doc position\n"
         "                         click`, by inverse propensities (IPS, SNIPS), with standard errors;\n"
         "                         propensities are those of the settings clicks.* of the first model\n"
         "      --clicks-top N     positions that count in it, 0: all (10)\n"
         "      --subtopics FILE   lines `query subtopic document judgement`, for alpha_ndcg@10,\n"
         "                         err_ia@10, subtopic_recall@10\n"
         "  -q, --quiet            prints neither the results nor notes: for their files alone\n"
         "  -p, --per-query FILE   writes a table of tab-separated values, one line per query\n"
         "  -j, --json FILE        writes all results as JSON, one object per line; those of --clicks too\n"
         "      --write-run FILE   writes the ranking of the first model or score file as a TREC run\n"
         "      --write-qrels FILE writes the labels as TREC relevance judgements\n"
         "      --rounds N         random sign changes in the randomisation test (100000)\n"
         "      --seed N           seed of the randomisation test (1)\n\n"
         "A file that is written may be - for standard output, which then gets nothing else. DATA and\n"
         "files that are read may be - for standard input.\n");
  return DORM_OK;
}

const double *cli_scores_of(const cli_system *system)
{
  return system->scores ? system->scores : system->run_scores;
}

/* The width of the column with the names of measures. */
static int name_width(const cli_results *results)
{
  size_t width = 12;
  for (size_t m = 0; m < results->num_measures; m++)
    width = strlen(results->measures[m]) > width ? strlen(results->measures[m]) : width;
  return width < 60 ? (int)width : 60;
}

static void print_comparison(const cli_results *results, size_t system, size_t measure)
{
  const dorm_comparison *comparison = &results->comparisons[(system - 1) * results->num_measures + measure];
  cli_print(stdout, "%-*s %+.6f +- %.6f   t-test p = %.4g, randomisation p = %.4g, %zu queries\n", name_width(results),
            results->measures[measure], comparison->difference, comparison->standard_error, comparison->t_test,
            comparison->randomisation, comparison->num_pairs);
}

void cli_print_results(const cli_results *results)
{
  bool has_names = results->num_systems > 1;
  for (size_t s = 0; s < results->num_systems; s++) {
    const cli_system *system = &results->systems[s];
    if (has_names)
      cli_print(stdout, s ? "\n%s:\n" : "%s:\n", system->name);
    for (size_t m = 0; m < results->num_measures; m++) {
      const dorm_evaluation *evaluation = &system->evaluations[m];
      cli_print(stdout, "%-*s %.6f +- %.6f   %zu queries, %zu without a relevant document   ", name_width(results),
                results->measures[m], evaluation->mean, evaluation->standard_error, evaluation->num_queries,
                evaluation->num_empty);
      if (evaluation->is_weighted)
        printf("weighted, as %.4g of equal weight   ", evaluation->effective_queries);
      cli_print(stdout, "%s\n", evaluation->conventions);
    }
  }
  for (size_t s = 1; s < results->num_systems; s++) {
    cli_print(stdout, "\n%s minus %s:\n", results->systems[0].name, results->systems[s].name);
    for (size_t m = 0; m < results->num_measures; m++)
      print_comparison(results, s, m);
  }
}

dorm_status cli_open_output(dorm_context *context, const char *path, FILE **file)
{
  dorm_status status = dorm_context_check_output(context, path);
  if (status != DORM_OK)
    return (dorm_status)cli_failure(context, status);
  *file = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
  if (*file)
    return DORM_OK;
  cli_print(stderr, "dorm: %s: cannot write: %s\n", path, strerror(errno));
  return DORM_IO_ERROR;
}

dorm_status cli_close_output(FILE *file, const char *path)
{
  errno = 0;
  bool is_good = fflush(file) == 0 && !ferror(file);
  if (file != stdout)
    is_good = fclose(file) == 0 && is_good;
  if (is_good)
    return DORM_OK;
  cli_print(stderr, "dorm: %s: cannot write: %s\n", path, strerror(errno));
  return DORM_IO_ERROR;
}

/* Prints the name of a file with blanks in place of tabs and line ends, which would break the table. */
static void print_name(FILE *file, const char *name)
{
  for (; *name; name++)
    fputc(*name == '\t' || *name == '\n' ? ' ' : *name, file);
}

dorm_status cli_write_per_query(dorm_context *context, const cli_results *results, const char *path)
{
  FILE *file = NULL;
  dorm_status status = cli_open_output(context, path, &file);
  if (status != DORM_OK)
    return status;
  const dorm_dataset *dataset = results->systems[0].dataset;
  size_t num_queries = dorm_dataset_num_queries(dataset);
  fprintf(file, "query");
  for (size_t s = 0; s < results->num_systems; s++)
    for (size_t m = 0; m < results->num_measures; m++) {
      fputc('\t', file);
      if (results->num_systems > 1) {
        print_name(file, results->systems[s].name);
        fputc(' ', file);
      }
      print_name(file, results->measures[m]);
    }
  fputc('\n', file);
  for (size_t q = 0; q < num_queries; q++) {
    fprintf(file, "%s", dorm_dataset_query_id(dataset, q));
    for (size_t s = 0; s < results->num_systems; s++)
      for (size_t m = 0; m < results->num_measures; m++) {
        double value = results->systems[s].values[m * num_queries + q];
        if (isnan(value))
          fprintf(file, "\tskipped");
        else
          fprintf(file, "\t%.17g", value);
      }
    fputc('\n', file);
  }
  return cli_close_output(file, path);
}
