/* allocate.c: `dorm allocate`: rankings under requirements on the exposure of groups, and the prices that serve them.
 */
#include "cli/cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct allocate_options {
  const char *model, *data;
  cli_diversity diversity; /* groups */
  cli_texts requirements;
  const char *prices, *policy; /* files to write; NULL: none */
  unsigned long long top;
  double gap;
  bool by_labels, as_json;
  size_t num_threads;
  cli_texts modules;
  cli_columns columns;
} allocate_options;

/* The groups of a data set, and the requirements on their shares. */
typedef struct grouped {
  size_t num_groups;
  uint32_t *group_of;        /* [num_docs]; num_groups: none */
  const char **names;        /* [num_groups] */
  double *least, *most;      /* [num_groups] shares; NAN: none */
  double *doc_share, *merit; /* [num_groups] of the documents, and of their gains */
  double *gains;             /* [num_docs] */
} grouped;

static void free_grouped(grouped *groups)
{
  free(groups->group_of);
  free(groups->names);
  free(groups->least);
  free(groups->most);
  free(groups->doc_share);
  free(groups->merit);
  free(groups->gains);
}

static dorm_status find_groups(const dorm_dataset *dataset, grouped *groups)
{
  size_t num_docs = dorm_dataset_num_docs(dataset);
  while (dorm_dataset_group_name(dataset, groups->num_groups))
    groups->num_groups++;
  size_t count = groups->num_groups;
  groups->group_of = malloc(num_docs * sizeof *groups->group_of);
  groups->gains = malloc(num_docs * sizeof *groups->gains);
  groups->names = malloc((count + 1) * sizeof *groups->names);
  groups->least = malloc((count + 1) * sizeof *groups->least);
  groups->most = malloc((count + 1) * sizeof *groups->most);
  groups->doc_share = calloc(count + 1, sizeof *groups->doc_share);
  groups->merit = calloc(count + 1, sizeof *groups->merit);
  if (!groups->group_of || !groups->gains || !groups->names || !groups->least || !groups->most || !groups->doc_share ||
      !groups->merit)
    return (dorm_status)cli_out_of_memory();
  for (size_t g = 0; g < count; g++) {
    groups->names[g] = dorm_dataset_group_name(dataset, g);
    groups->least[g] = groups->most[g] = NAN;
  }
  for (size_t j = 0; j < num_docs; j++) {
    size_t group = dorm_dataset_group(dataset, j);
    groups->group_of[j] = (uint32_t)(group < count ? group : count);
    groups->doc_share[groups->group_of[j]] += 1 / (double)num_docs;
  }
  return DORM_OK;
}

/* Gains from labels, 2^label - 1, or scores less the smallest of the query, which changes no ranking. */
static dorm_status find_gains(dorm_context *context, const allocate_options *options, const dorm_model *model,
                              const dorm_dataset *dataset, grouped *groups)
{
  double *gains = groups->gains, sum = 0;
  dorm_status status = DORM_OK;
  if (!options->by_labels)
    status = dorm_model_score(context, model, dataset, options->num_threads, gains);
  if (status != DORM_OK)
    return (dorm_status)cli_failure(context, status);
  for (size_t q = 0; q < dorm_dataset_num_queries(dataset); q++) {
    size_t begin = dorm_dataset_query_start(dataset, q), end = dorm_dataset_query_start(dataset, q + 1);
    double least = INFINITY;
    for (size_t j = begin; j < end; j++) {
      if (options->by_labels)
        gains[j] = exp2(dorm_dataset_label(dataset, j)) - 1;
      least = fmin(least, gains[j]);
    }
    for (size_t j = begin; j < end; j++) {
      gains[j] -= options->by_labels ? 0 : least;
      groups->merit[groups->group_of[j]] += gains[j];
      sum += gains[j];
    }
  }
  for (size_t g = 0; g <= groups->num_groups; g++)
    groups->merit[g] /= sum > 0 ? sum : 1;
  return DORM_OK;
}

/* ---- Requirements -------------------------------------------------------------------- */

/* Whether a name matches a pattern, which may end with a '*'. */
static bool is_named(const char *name, const char *pattern, size_t size)
{
  if (size && pattern[size - 1] == '*')
    return strncmp(name, pattern, size - 1) == 0;
  return strlen(name) == size && strncmp(name, pattern, size) == 0;
}

/* Takes "share(NAME) >= X", "share(NAME) <= X", "parity >= X" or "merit >= X". */
static dorm_status take_requirement(const char *text, grouped *groups)
{
  static const char *const forms = "share(NAME) >= X, share(NAME) <= X, parity >= X or merit >= X";
  bool is_share = strncmp(text, "share(", 6) == 0, is_parity = strncmp(text, "parity", 6) == 0,
       is_merit = strncmp(text, "merit", 5) == 0, is_known = false;
  const char *name = text + 6, *sign = text + (is_parity ? 6 : 5), *close = NULL;
  if (is_share) {
    for (const char *at = strchr(name, ')'); at; at = strchr(at + 1, ')'))
      close = at; /* the last one: names may have brackets */
    sign = close ? close + 1 : name;
  }
  sign += strspn(sign, " ");
  bool is_least = strncmp(sign, ">=", 2) == 0;
  double value;
  if ((!is_share && !is_parity && !is_merit) || (is_share && !close) ||
      (!is_least && (!is_share || strncmp(sign, "<=", 2) != 0)) ||
      !cli_parse_number(sign + 2 + strspn(sign + 2, " "), &value) || !(value >= 0 && value <= 1))
    return (dorm_status)cli_usage_error("allocate: --require '%s' is not %s, with X from 0 to 1", text, forms);
  for (size_t g = 0; g < groups->num_groups; g++) {
    if (is_share && !is_named(groups->names[g], name, (size_t)(close - name)))
      continue;
    double share = is_share ? value : value * (is_parity ? groups->doc_share[g] : groups->merit[g]);
    if (is_least)
      groups->least[g] = isnan(groups->least[g]) ? share : fmax(groups->least[g], share);
    else
      groups->most[g] = isnan(groups->most[g]) ? share : fmin(groups->most[g], share);
    is_known = true;
  }
  return is_known ? DORM_OK : (dorm_status)cli_usage_error("allocate: --require '%s': no group has this name", text);
}

/* ---- Output -------------------------------------------------------------------------------- */

static void print_table(const grouped *groups, const dorm_allocation *found)
{
  cli_print(stdout, "worth  %.6g with the requirements, %.6g without: %.3g %% less\n", found->worth, found->free_worth,
            100 * (1 - found->worth / found->free_worth));
  cli_print(stdout, "bound  %.6g, gap %.2g after %zu passes; largest violation %.2g\n\n", found->bound, found->gap,
            found->num_passes, found->violation > 1e-12 ? found->violation : 0);
  cli_print(stdout, "share    without  documents  merit    price      group\n");
  for (size_t g = 0; g < groups->num_groups; g++)
    cli_print(stdout, "%.4f   %.4f   %.4f     %.4f   %+.3e %s\n", found->shares[g], found->free_shares[g],
              groups->doc_share[g], groups->merit[g], found->prices[g], groups->names[g]);
}

static dorm_status write_prices(dorm_context *context, const char *path, const grouped *groups,
                                const dorm_allocation *found)
{
  FILE *file = NULL;
  dorm_status status = cli_open_output(context, path, &file);
  if (status != DORM_OK)
    return status;
  fprintf(file, "# price group: dorm predict --prices adds the price of its group to the score of a document\n");
  for (size_t g = 0; g < groups->num_groups; g++)
    fprintf(file, "%.17g\t%s\n", found->prices[g], groups->names[g]);
  return cli_close_output(file, path);
}

typedef struct ranked_doc {
  double key;
  size_t doc;
} ranked_doc;

static int compare_docs(const void *x, const void *y)
{
  const ranked_doc *a = x, *b = y;
  if (a->key != b->key)
    return a->key < b->key ? 1 : -1;
  return (a->doc > b->doc) - (a->doc < b->doc);
}

/* Lines of query, probability and the documents by their numbers in the query, from the first position on. */
static dorm_status write_policy(dorm_context *context, const char *path, const dorm_dataset *dataset,
                                const grouped *groups, dorm_policy *policy)
{
  FILE *file = NULL;
  ranked_doc *docs = malloc(dorm_dataset_num_docs(dataset) * sizeof *docs);
  if (!docs)
    return (dorm_status)cli_out_of_memory();
  dorm_status status = cli_open_output(context, path, &file);
  for (size_t q = 0; status == DORM_OK && q < dorm_dataset_num_queries(dataset); q++) {
    const double *const *boosts;
    const double *probabilities;
    size_t begin = dorm_dataset_query_start(dataset, q), count = dorm_dataset_query_start(dataset, q + 1) - begin;
    size_t num_rankings = dorm_policy_mixture(policy, q, &boosts, &probabilities);
    for (size_t i = 0; i < num_rankings; i++) {
      for (size_t j = 0; j < count; j++) {
        uint32_t group = groups->group_of[begin + j];
        docs[j] = (ranked_doc){groups->gains[begin + j] + (group < groups->num_groups ? boosts[i][group] : 0), j};
      }
      qsort(docs, count, sizeof *docs, compare_docs);
      fprintf(file, "%s\t%.9g\t", dorm_dataset_query_id(dataset, q), probabilities[i]);
      for (size_t p = 0; p < count; p++)
        fprintf(file, p ? " %zu" : "%zu", docs[p].doc + 1);
      fputc('\n', file);
    }
  }
  free(docs);
  return status == DORM_OK ? cli_close_output(file, path) : status;
}

static dorm_status give_results(dorm_context *context, const allocate_options *options, const dorm_dataset *dataset,
                                const grouped *groups, dorm_policy *policy)
{
  const dorm_allocation *found = dorm_policy_result(policy);
  const cli_field fields[] = {{"worth", NULL, found->worth},         {"free_worth", NULL, found->free_worth},
                              {"bound", NULL, found->bound},         {"gap", NULL, found->gap},
                              {"violation", NULL, found->violation}, {"passes", NULL, (double)found->num_passes}};
  dorm_status status = DORM_OK;
  if (!options->as_json)
    print_table(groups, found);
  else if (!cli_write_fields_json(stdout, sizeof fields / sizeof *fields, fields))
    status = (dorm_status)cli_out_of_memory();
  if (status == DORM_OK && options->prices)
    status = write_prices(context, options->prices, groups, found);
  if (status == DORM_OK && options->policy)
    status = write_policy(context, options->policy, dataset, groups, policy);
  return status;
}

dorm_status cli_add_prices(dorm_context *context, const char *path, const dorm_dataset *dataset, double *scores)
{
  char *line = NULL;
  size_t size = 0, num_lines = 0, num_groups = 0, num_known = 0;
  FILE *file = fopen(path, "r");
  dorm_status status = DORM_OK;
  (void)context;
  if (!file) {
    cli_print(stderr, "dorm: %s: cannot read: %s\n", path, strerror(errno));
    return DORM_IO_ERROR;
  }
  while (dorm_dataset_group_name(dataset, num_groups))
    num_groups++;
  double *prices = calloc(num_groups + 1, sizeof *prices);
  if (!prices)
    status = (dorm_status)cli_out_of_memory();
  while (status == DORM_OK && getline(&line, &size, file) >= 0) {
    char *name = strchr(line, '\t');
    double price;
    num_lines++;
    line[strcspn(line, "\n")] = '\0';
    if (*line == '#')
      continue;
    if (name)
      *name++ = '\0';
    if (!name || !cli_parse_number(line, &price) || !isfinite(price)) {
      cli_print(stderr, "dorm: %s:%zu: '%.100s' is not a price, a tab and the name of a group\n", path, num_lines,
                line);
      status = DORM_BAD_DATA;
      continue;
    }
    for (size_t g = 0; g < num_groups; g++)
      if (strcmp(name, dorm_dataset_group_name(dataset, g)) == 0) {
        prices[g] = price;
        num_known++;
      }
  }
  for (size_t j = 0; status == DORM_OK && j < dorm_dataset_num_docs(dataset); j++) {
    size_t group = dorm_dataset_group(dataset, j);
    scores[j] += group < num_groups ? prices[group] : 0;
  }
  if (status == DORM_OK && num_known < num_groups)
    cli_print(stderr, "dorm: note: %zu of %zu groups have no price in %s\n", num_groups - num_known, num_groups, path);
  free(prices);
  free(line);
  fclose(file);
  return status;
}

/* ---- The command -------------------------------------------------------------------------------- */

static dorm_status solve(dorm_context *context, const allocate_options *options, const dorm_model *model,
                         dorm_dataset *dataset)
{
  grouped groups = {0};
  dorm_settings *settings = NULL;
  dorm_policy *policy = NULL;
  dorm_status status = cli_diversity_settings(context, &options->diversity, NULL, &settings);
  if (status == DORM_OK)
    status = cli_diversity_read(context, &options->diversity, settings, dataset);
  if (status == DORM_OK)
    status = find_groups(dataset, &groups);
  if (status == DORM_OK)
    status = find_gains(context, options, model, dataset, &groups);
  for (size_t i = 0; status == DORM_OK && i < options->requirements.count; i++)
    status = take_requirement(options->requirements.items[i], &groups);
  if (status == DORM_OK) {
    const dorm_allocation_options asked = {.struct_size = sizeof asked,
                                           .num_groups = groups.num_groups,
                                           .group_of = groups.group_of,
                                           .least = groups.least,
                                           .most = groups.most,
                                           .names = groups.names,
                                           .top = (size_t)options->top,
                                           .gap = options->gap,
                                           .num_threads = options->num_threads};
    status = dorm_allocate(context, dataset, groups.gains, &asked, &policy);
    status = status == DORM_OK ? give_results(context, options, dataset, &groups, policy)
                               : (dorm_status)cli_failure(context, status);
  }
  dorm_policy_free(policy);
  dorm_settings_free(settings);
  free_grouped(&groups);
  return status;
}

static dorm_status allocate(dorm_context *context, const allocate_options *options)
{
  dorm_read_options read_options = {.struct_size = sizeof read_options,
                                    .num_threads = options->num_threads,
                                    .labels_optional = !options->by_labels,
                                    .ignore_weights = 1};
  dorm_model *model = NULL;
  dorm_dataset *dataset = NULL;
  dorm_status status = options->model ? cli_read_model(context, options->model, &options->modules, &model) : DORM_OK;
  if (status == DORM_OK) {
    cli_name_columns(&options->columns, model ? dorm_model_setting(model, "data.columns") : NULL, &read_options);
    status = dorm_dataset_read_with(context, options->data, &read_options, &dataset);
  }
  status = status == DORM_OK ? solve(context, options, model, dataset) : (dorm_status)cli_failure(context, status);
  dorm_model_free(model);
  dorm_dataset_free(dataset);
  return status;
}

int command_allocate(dorm_context *context, int argc, char **argv)
{
  static const cli_usage usage = {
      .command = "allocate",
      .synopsis = "dorm allocate MODEL DATA --groups GROUPS --require REQUIREMENT... [OPTION]...\n"
                  "dorm allocate --labels DATA --groups GROUPS --require REQUIREMENT... [OPTION]...",
      .about = "Finds the rankings of DATA that are worth most while groups of documents get their share of exposure, "
               "over all queries together, and proves how near they are to the best. Position p has the exposure "
               "1 / log2(p + 1). The worth of a document is its score, or with --labels its gain 2^label - 1. Prints "
               "the price of each group, which dorm predict --prices adds to the scores of new documents."};
  allocate_options asked = {.top = 10, .gap = 1e-6, .diversity.is_on = true};
  const cli_option options[] = {
      CLI_OPTION("groups", 0, CLI_TEXT, &asked.diversity.groups, "GROUPS",
                 "the groups of the documents: host, feature:ID, docid:PATTERN or file:PATH (diversity.groups)"),
      CLI_OPTION(
          "require", 0, CLI_TEXTS, &asked.requirements, "REQUIREMENT",
          "'share(NAME) >= X' or '<= X': the exposure of the group over that of all documents; NAME may end with "
          "*, for each such group. 'parity >= X': X times its share of the documents; 'merit >= X': X times its "
          "share of the gains"),
      CLI_OPTION("prices", 0, CLI_TEXT, &asked.prices, "FILE", "writes the prices"),
      CLI_OPTION("policy", 0, CLI_TEXT, &asked.policy, "FILE",
                 "writes the rankings of each query: lines of query, probability and its documents, from the best to "
                 "the worst, numbered from 1"),
      CLI_OPTION("top", 0, CLI_COUNT, &asked.top, "K", "positions that are looked at, 0: all (10)"),
      CLI_BOUNDED("gap", 0, CLI_NUMBER, &asked.gap, "GAP", "stops at this gap, relative to the worth (1e-6)", 1e-12, 1),
      CLI_OPTION("labels", 0, CLI_FLAG, &asked.by_labels, NULL, "takes gains from the labels, and no model"),
      CLI_OPTION("json", 'j', CLI_FLAG, &asked.as_json, NULL, "prints worth, bound and gap as one JSON object"),
      CLI_THREADS_OPTION(&asked.num_threads),
      CLI_MODULE_OPTION(&asked.modules),
      CLI_COLUMN_OPTIONS(&asked.columns),
      CLI_NO_MORE};
  int ended = cli_take_options(&usage, options, argc, argv);
  if (ended != CLI_RUN)
    return ended;
  if (optind + (asked.by_labels ? 1 : 2) != argc)
    return cli_usage_error("allocate: needs MODEL and DATA, or --labels and DATA");
  if (!asked.diversity.groups || !asked.requirements.count)
    return cli_usage_error("allocate: needs --groups and --require");
  asked.model = asked.by_labels ? NULL : argv[optind];
  asked.data = argv[argc - 1];
  return (int)allocate(context, &asked);
}
