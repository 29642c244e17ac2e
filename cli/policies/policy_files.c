/* policy_files.c: reads the files that `dorm allocate` wrote, for `dorm predict`. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Prices ------------------------------------------------------------------------- */

void cli_add_prices(const char *path, const dorm_dataset *dataset, double *scores)
{
  char *line = NULL;
  size_t size = 0, num_groups = 0, num_known = 0;
  FILE *file = cli_open_input(path);
  while (dorm_dataset_group_name(dataset, num_groups))
    num_groups++;
  double *prices = cli_alloc(num_groups, sizeof *prices);
  for (size_t number = 1; getline(&line, &size, file) >= 0; number++) {
    char *name = strchr(line, '\t');
    double price;
    line[strcspn(line, "\n")] = '\0';
    if (*line == '#')
      continue;
    if (name)
      *name++ = '\0';
    if (!name || !cli_parse_number(line, &price) || !isfinite(price)) {
      cli_print(stderr, "dorm: %s:%zu: '%.100s' is not a price, a tab and the name of a group\n", path, number, line);
      cli_end(DORM_BAD_DATA);
    }
    for (size_t g = 0; g < num_groups; g++)
      if (strcmp(name, dorm_dataset_group_name(dataset, g)) == 0) {
        prices[g] = price;
        num_known++;
      }
  }
  for (size_t j = 0; j < dorm_dataset_num_docs(dataset); j++) {
    size_t group = dorm_dataset_group(dataset, j);
    scores[j] += group < num_groups ? prices[group] : 0;
  }
  if (num_known < num_groups)
    cli_print(stderr, "dorm: note: %zu of %zu groups have no price in %s\n", num_groups - num_known, num_groups, path);
  free(prices);
  free(line);
  fclose(file);
}

/* ---- Policies ----------------------------------------------------------------------- */

/* A query while its lines are read. */
typedef struct drawn_query {
  const char *id;
  size_t query;
  double left, sum; /* the number drawn from [0, 1) minus the probabilities so far, and their sum */
} drawn_query;

static int compare_ids(const void *x, const void *y)
{
  const drawn_query *a = x, *b = y;
  return strcmp(a->id, b->id);
}

/* A number from [0, 1) for each seed and query (the mixer of SplitMix64: Steele, Lea and Flood 2014). */
static double draw_number(uint64_t seed, uint64_t query)
{
  uint64_t bits = (seed + 1) * 0x9e3779b97f4a7c15u + (query + 1) * 0xd1b54a32d192ed03u;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
  return (double)((bits ^ bits >> 31) >> 11) * 0x1p-53;
}

/* Returns the queries sorted by id, each with its random number. Numbers depend on the seed and on the order of the
 * data only. */
static drawn_query *draw_numbers(const dorm_dataset *dataset, uint64_t seed)
{
  size_t num_queries = dorm_dataset_num_queries(dataset);
  drawn_query *queries = cli_alloc(num_queries, sizeof *queries);
  for (size_t q = 0; q < num_queries; q++)
    queries[q] = (drawn_query){dorm_dataset_query_id(dataset, q), q, draw_number(seed, q), 0};
  qsort(queries, num_queries, sizeof *queries, compare_ids);
  return queries;
}

/* Scores the documents numbered in `text`, from the first position on, so that sorting by score gives this ranking.
 * Returns false if it is not a ranking of the query. */
static bool take_ranking(char *text, const dorm_dataset *dataset, size_t query, double *scores)
{
  size_t begin = dorm_dataset_query_start(dataset, query), count = dorm_dataset_query_start(dataset, query + 1) - begin;
  char *rest = NULL, *word = strtok_r(text, " ", &rest);
  for (size_t j = 0; j < count; j++)
    scores[begin + j] = 0;
  for (size_t p = 0; p < count; p++, word = strtok_r(NULL, " ", &rest)) {
    unsigned long long doc;
    if (!word || !cli_parse_count(word, &doc) || doc < 1 || doc > count || scores[begin + doc - 1] > 0)
      return false;
    scores[begin + doc - 1] = (double)(count - p);
  }
  return !word;
}

/* Takes a line `query probability documents`. Returns false if it is malformed. Skips queries of other data. */
static bool take_line(char *line, const dorm_dataset *dataset, drawn_query *queries, double *scores)
{
  char *chance = strchr(line, '\t'), *documents = chance ? strchr(chance + 1, '\t') : NULL;
  double probability;
  if (!documents)
    return false;
  *chance++ = *documents++ = '\0';
  if (!cli_parse_number(chance, &probability) || !(probability >= 0 && probability <= 1))
    return false;
  const drawn_query key = {.id = line};
  drawn_query *found = bsearch(&key, queries, dorm_dataset_num_queries(dataset), sizeof *queries, compare_ids);
  if (!found)
    return true;
  bool is_drawn =
      found->left >=
      0; /* false once a line was drawn; if probabilities add up to less than the number, the last line is drawn */
  found->left -= probability;
  found->sum += probability;
  return !is_drawn || take_ranking(documents, dataset, found->query, scores);
}

void cli_draw_policy(const char *path, uint64_t seed, const dorm_dataset *dataset, double *scores)
{
  char *line = NULL;
  size_t size = 0, num_queries = dorm_dataset_num_queries(dataset), num_missing = 0;
  FILE *file = cli_open_input(path);
  drawn_query *queries = draw_numbers(dataset, seed);
  for (size_t number = 1; getline(&line, &size, file) >= 0; number++) {
    line[strcspn(line, "\n")] = '\0';
    if (!take_line(line, dataset, queries, scores)) {
      cli_print(stderr, "dorm: %s:%zu: this is not a query, a probability and a ranking of its documents\n", path,
                number);
      cli_end(DORM_BAD_DATA);
    }
  }
  for (size_t q = 0; q < num_queries; q++) {
    num_missing += queries[q].sum == 0;
    if (queries[q].sum != 0 && fabs(queries[q].sum - 1) > 1e-6) {
      cli_print(stderr, "dorm: %s: the probabilities of query '%s' add up to %g, not to 1\n", path, queries[q].id,
                queries[q].sum);
      cli_end(DORM_BAD_DATA);
    }
  }
  if (num_missing)
    cli_print(stderr, "dorm: note: %zu of %zu queries are not in %s: their scores stay\n", num_missing, num_queries,
              path);
  free(queries);
  free(line);
  fclose(file);
}
