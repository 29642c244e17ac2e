/* allocate.c: `dorm allocate`: finds rankings that meet requirements on the exposure of groups, over all queries or in
 * each query, and the prices that produce them. Tries the prices on other data. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Output -------------------------------------------------------------------------------- */

static void print_table(const cli_grouped *groups, const dorm_allocation *found)
{
  cli_print(stdout, "worth  %.6g with the requirements, %.6g without: %.3g %% less\n", found->worth, found->free_worth,
            100 * (1 - found->worth / found->free_worth));
  cli_print(stdout, "bound  %.6g, gap %.2g after %zu passes; largest violation %.2g\n\n", found->bound, found->gap,
            found->num_passes, found->violation > 1e-12 ? found->violation : 0);
  cli_print(stdout, "share    without  documents  merit    %sgroup\n", found->prices ? "price      " : " ");
  for (size_t g = 0; g < groups->num_groups; g++) {
    char price[32] = "";
    if (found->prices)
      snprintf(price, sizeof price, "%+.3e", found->prices[g]);
    cli_print(stdout, "%.4f   %.4f   %.4f     %.4f   %s %s\n", found->shares[g], found->free_shares[g],
              groups->doc_share[g], groups->merit[g], price, groups->names[g]);
  }
}

static void print_results(const cli_allocation *asked, const cli_grouped *groups, const dorm_allocation *found)
{
  const cli_field fields[] = {{"worth", NULL, found->worth},         {"free_worth", NULL, found->free_worth},
                              {"bound", NULL, found->bound},         {"gap", NULL, found->gap},
                              {"violation", NULL, found->violation}, {"passes", NULL, (double)found->num_passes}};
  if (asked->as_json)
    cli_write_fields_json(stdout, sizeof fields / sizeof *fields, fields);
  else
    print_table(groups, found);
}

static void write_prices(dorm_context *context, const char *path, const cli_grouped *groups,
                         const dorm_allocation *found)
{
  FILE *file = NULL;
  cli_expect(cli_open_output(context, path, &file));
  fprintf(file, "# price group: dorm predict --prices adds the price of its group to the score of a document\n");
  for (size_t g = 0; g < groups->num_groups; g++)
    fprintf(file, "%.17g\t%s\n", found->prices[g], groups->names[g]);
  cli_expect(cli_close_output(file, path));
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

/* The policy file while it is written. */
typedef struct policy_output {
  FILE *file;       /* or NULL */
  ranked_doc *docs; /* scratch [num_docs] */
} policy_output;

/* Writes lines of query, probability and documents. Documents are numbers within the query, from the first position on.
 * The query has number `at` in the policy. */
static void write_mixture(const policy_output *output, const cli_grouped *groups, size_t query, dorm_policy *policy,
                          size_t at)
{
  const double *const *boosts;
  const double *probabilities;
  size_t begin = dorm_dataset_query_start(groups->dataset, query);
  size_t count = dorm_dataset_query_start(groups->dataset, query + 1) - begin;
  size_t num_rankings = output->file ? dorm_policy_mixture(policy, at, &boosts, &probabilities) : 0;
  for (size_t i = 0; i < num_rankings; i++) {
    for (size_t j = 0; j < count; j++) {
      uint32_t group = groups->group_of[begin + j];
      output->docs[j] = (ranked_doc){groups->gains[begin + j] + (group < groups->num_groups ? boosts[i][group] : 0), j};
    }
    qsort(output->docs, count, sizeof *output->docs, compare_docs);
    fprintf(output->file, "%s\t%.9g\t", dorm_dataset_query_id(groups->dataset, query), probabilities[i]);
    for (size_t p = 0; p < count; p++)
      fprintf(output->file, p ? " %zu" : "%zu", output->docs[p].doc + 1);
    fputc('\n', output->file);
  }
}

/* ---- Held-out data --------------------------------------------------------------------------- */

static dorm_allocation_options options_of(const cli_allocation *asked, const cli_grouped *groups, size_t begin)
{
  return (dorm_allocation_options){.struct_size = sizeof(dorm_allocation_options),
                                   .num_groups = groups->num_groups,
                                   .group_of = groups->group_of + begin,
                                   .least = groups->least,
                                   .most = groups->most,
                                   .names = groups->names,
                                   .top = asked->top,
                                   .gap = asked->gap,
                                   .num_threads = asked->reading.num_threads};
}

/* The result of prices on a data set. errors: standard errors of the share of each group minus its claim. */
typedef struct served {
  double worth, bound;
  double *prices, *shares, *errors; /* [num_groups], in one piece */
} served;

static served served_new(size_t num_groups)
{
  double *numbers = cli_alloc(3 * num_groups, sizeof *numbers);
  return (served){.prices = numbers, .shares = numbers + num_groups, .errors = numbers + 2 * num_groups};
}

/* Fills made->shares and made->errors for made->prices. */
static void serve(dorm_context *context, const cli_allocation *asked, const cli_grouped *groups, served *made)
{
  const dorm_allocation_options options = options_of(asked, groups, 0);
  size_t num_docs = dorm_dataset_num_docs(groups->dataset), num_groups = groups->num_groups;
  double *ones = cli_alloc(num_docs, sizeof *ones), *errors = cli_alloc(num_groups, sizeof *errors);
  for (size_t j = 0; j < num_docs; j++)
    ones[j] = 1;
  for (cli_claim claim = CLI_NO_CLAIM; claim <= CLI_CLAIM_OF_GAINS; claim++) {
    const double *const claims[] = {NULL, ones, groups->gains};
    dorm_price_trial trial = {.struct_size = sizeof trial, .shares = made->shares, .errors = errors};
    cli_check(context,
              dorm_try_prices(context, groups->dataset, groups->gains, &options, made->prices, claims[claim], &trial));
    for (size_t g = 0; g < num_groups; g++)
      if (groups->claims[g] == claim)
        made->errors[g] = errors[g];
    made->worth = trial.worth;
    made->bound = trial.bound;
  }
  free(ones);
  free(errors);
}

/* The number of the group with this name, or num_groups. */
static size_t find_group(const cli_grouped *groups, const char *name)
{
  size_t group = 0;
  while (group < groups->num_groups && strcmp(groups->names[group], name) != 0)
    group++;
  return group;
}

/* Prints a line for each requirement: the share of its group in the held-out data under the prices, the required share,
 * and the standard error of their difference over the queries of both data sets. */
static void print_held_out(const cli_allocation *asked, const cli_grouped *groups, const served *here)
{
  size_t num_rows = 0, num_kept = 0;
  fputc('\n', stdout);
  cli_print_lines(stdout, 0, "on %s by the prices: worth %.6g; with the requirements kept at most %.6g",
                  asked->held_out, here->worth, here->bound);
  cli_print(stdout, "share    required   error    group\n");
  for (size_t g = 0; g < groups->num_groups; g++)
    for (int side = 0; side < 2; side++) {
      double required = side ? groups->most[g] : groups->least[g];
      double missed = side ? here->shares[g] - required : required - here->shares[g];
      if (isnan(required))
        continue;
      num_rows++;
      num_kept += missed <= 2 * here->errors[g];
      cli_print(stdout, "%.4f   %s %.4f  %.4f   %s\n", here->shares[g], side ? "<=" : ">=", required, here->errors[g],
                groups->names[g]);
    }
  cli_print(stdout, "%zu of %zu requirements are kept within two standard errors\n", num_kept, num_rows);
}

/* Tries the prices [groups->num_groups] on other data. */
static void try_held_out(dorm_context *context, const cli_allocation *asked, const cli_grouped *groups,
                         const double *prices)
{
  cli_grouped other = {0};
  cli_grouped_open(context, asked, asked->held_out, &other);
  served here = served_new(groups->num_groups), there = served_new(other.num_groups);
  memcpy(here.prices, prices, groups->num_groups * sizeof *prices);
  for (size_t g = 0; g < other.num_groups; g++) {
    size_t group = find_group(groups, other.names[g]);
    there.prices[g] = group < groups->num_groups ? prices[group] : 0;
  }
  serve(context, asked, groups, &here);
  serve(context, asked, &other, &there);
  for (size_t g = 0; g < other.num_groups; g++) {
    size_t group = find_group(groups, other.names[g]);
    there.errors[g] = hypot(there.errors[g], group < groups->num_groups ? here.errors[group] : 0);
  }
  print_held_out(asked, &other, &there);
  free(here.prices);
  free(there.prices);
  cli_grouped_close(&other);
}

/* ---- The command -------------------------------------------------------------------------------- */

/* Finds the policy of all queries together. */
static void solve(dorm_context *context, const cli_allocation *asked, const cli_grouped *groups,
                  const policy_output *output)
{
  const dorm_allocation_options options = options_of(asked, groups, 0);
  dorm_policy *policy = NULL;
  cli_check(context, dorm_allocate(context, groups->dataset, groups->gains, &options, &policy));
  const dorm_allocation *found = dorm_policy_result(policy);
  print_results(asked, groups, found);
  for (size_t q = 0; q < dorm_dataset_num_queries(groups->dataset); q++)
    write_mixture(output, groups, q, policy, q);
  if (asked->prices)
    write_prices(context, asked->prices, groups, found);
  if (asked->held_out)
    try_held_out(context, asked, groups, found->prices);
  dorm_policy_free(policy);
}

/* Adds the policy of one query to *total, which holds means of shares over queries. */
static void solve_query(dorm_context *context, const cli_allocation *asked, cli_grouped *groups, size_t query,
                        const policy_output *output, dorm_allocation *total)
{
  size_t begin = dorm_dataset_query_start(groups->dataset, query),
         end = dorm_dataset_query_start(groups->dataset, query + 1);
  const size_t start[] = {0, end - begin};
  dorm_dataset *one = NULL;
  dorm_policy *policy = NULL;
  cli_require(&asked->requirements, begin, end, groups);
  dorm_allocation_options options = options_of(asked, groups, begin);
  options.num_threads = 1;
  dorm_status status = dorm_dataset_from_arrays(context, 1, start, 0, groups->gains + begin, NULL, &one);
  if (status == DORM_OK)
    status = dorm_allocate(context, one, groups->gains + begin, &options, &policy);
  if (status != DORM_OK) {
    cli_print(stderr, "dorm: query '%s': %s\n", dorm_dataset_query_id(groups->dataset, query),
              dorm_context_message(context));
    cli_end(status);
  }
  const dorm_allocation *found = dorm_policy_result(policy);
  double *shares = (double *)total->shares, *free_shares = (double *)total->free_shares;
  double weight = 1 / (double)dorm_dataset_num_queries(groups->dataset);
  total->worth += found->worth;
  total->free_worth += found->free_worth;
  total->bound += found->bound;
  total->violation = fmax(total->violation, found->violation);
  total->num_passes += found->num_passes;
  for (size_t g = 0; g < groups->num_groups; g++) {
    shares[g] += weight * found->shares[g];
    free_shares[g] += weight * found->free_shares[g];
  }
  write_mixture(output, groups, query, policy, 0);
  dorm_policy_free(policy);
  dorm_dataset_free(one);
}

/* Finds a policy for each query separately. */
static void solve_each(dorm_context *context, const cli_allocation *asked, cli_grouped *groups,
                       const policy_output *output)
{
  double *shares = cli_alloc(2 * groups->num_groups, sizeof *shares);
  dorm_allocation total = {
      .num_groups = groups->num_groups, .shares = shares, .free_shares = shares + groups->num_groups};
  for (size_t q = 0; q < dorm_dataset_num_queries(groups->dataset); q++)
    solve_query(context, asked, groups, q, output, &total);
  total.gap = (total.bound - total.worth) / (total.free_worth > 0 ? total.free_worth : 1);
  cli_require(&asked->requirements, 0, dorm_dataset_num_docs(groups->dataset), groups);
  print_results(asked, groups, &total);
  free(shares);
}

static void allocate(dorm_context *context, cli_allocation *asked, const char *model, const char *data)
{
  cli_grouped groups = {0};
  policy_output output = {0};
  asked->model = model ? cli_read_model(context, model, &asked->modules) : NULL;
  cli_grouped_open(context, asked, data, &groups);
  if (asked->policy) {
    output.docs = cli_alloc(dorm_dataset_num_docs(groups.dataset), sizeof *output.docs);
    cli_expect(cli_open_output(context, asked->policy, &output.file));
  }
  if (asked->is_per_query)
    solve_each(context, asked, &groups, &output);
  else
    solve(context, asked, &groups, &output);
  if (output.file)
    cli_expect(cli_close_output(output.file, asked->policy));
  free(output.docs);
  cli_grouped_close(&groups);
  dorm_model_free(asked->model);
}

int command_allocate(dorm_context *context, int argc, char **argv)
{
  static const cli_usage usage = {
      .command = "allocate",
      .synopsis = "dorm allocate MODEL DATA --groups GROUPS --require REQUIREMENT... [OPTION]...\n"
                  "dorm allocate --labels DATA --groups GROUPS --require REQUIREMENT... [OPTION]...",
      .about = "Finds the rankings of DATA that are worth most while groups of documents get their share of exposure, "
               "over all queries together or in each query, and proves how near they are to the best. Position p has "
               "the exposure "
               "1 / log2(p + 1). The worth of a document is its score, or with --labels its gain 2^label - 1. Prints "
               "the price of each group, which dorm predict --prices adds to the scores of new documents."};
  cli_allocation asked = {.top = 10, .gap = 1e-6, .diversity.is_on = true};
  bool by_labels = false;
  const cli_option options[] = {
      CLI_OPTION("groups", 0, CLI_TEXT, &asked.diversity.groups, "GROUPS",
                 "the groups of the documents: host, feature:ID, docid:PATTERN or file:PATH (diversity.groups)"),
      CLI_OPTION("require", 0, CLI_TEXTS, &asked.requirements, "REQUIREMENT",
                 "'share(NAME) >= X' or '<= X': the exposure of the group over the exposure of all documents; NAME may "
                 "end with "
                 "*, for each such group. 'parity >= X': X times its share of the documents; 'merit >= X': X times its "
                 "share of the gains"),
      CLI_OPTION("prices", 0, CLI_TEXT, &asked.prices, "FILE", "writes the prices"),
      CLI_OPTION("policy", 0, CLI_TEXT, &asked.policy, "FILE",
                 "writes the rankings of each query: lines of query, probability and its documents, from the best to "
                 "the worst, numbered from 1"),
      CLI_OPTION(
          "per-query", 0, CLI_FLAG, &asked.is_per_query, NULL,
          "meets the requirements in each query by itself, for the groups that it has; there are no prices then"),
      CLI_OPTION("test", 0, CLI_TEXT, &asked.held_out, "FILE",
                 "tries the prices on these data, and prints the shares there with their standard errors over queries"),
      CLI_OPTION("top", 0, CLI_SIZE, &asked.top, "K", "positions that are looked at, 0: all (10)"),
      CLI_BOUNDED("gap", 0, CLI_NUMBER, &asked.gap, "GAP", "stops at this gap, relative to the worth (1e-6)", 1e-12, 1),
      CLI_OPTION("labels", 0, CLI_FLAG, &by_labels, NULL, "takes gains from the labels, and no model"),
      CLI_OPTION("json", 'j', CLI_FLAG, &asked.as_json, NULL, "prints worth, bound and gap as one JSON object"),
      CLI_THREADS_OPTION(&asked.reading.num_threads),
      CLI_MODULE_OPTION(&asked.modules),
      CLI_COLUMN_OPTIONS(&asked.reading),
      CLI_NO_MORE};
  cli_take_options(&usage, options, argc, argv);
  if (optind + (by_labels ? 1 : 2) != argc)
    return cli_usage_error("allocate: needs MODEL and DATA, or --labels and DATA");
  if (!asked.diversity.groups || !asked.requirements.count)
    return cli_usage_error("allocate: needs --groups and --require");
  if (asked.is_per_query && (asked.prices || asked.held_out))
    return cli_usage_error("allocate: --per-query has no prices to write or to try");
  asked.reading.labels_optional = !by_labels;
  asked.reading.ignore_weights = 1;
  allocate(context, &asked, by_labels ? NULL : argv[optind], argv[argc - 1]);
  return DORM_OK;
}
