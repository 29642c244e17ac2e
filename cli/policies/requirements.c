/* requirements.c: data with groups and gains, and requirements on the exposure of groups, for `dorm allocate`. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void find_groups(cli_grouped *groups)
{
  size_t num_docs = dorm_dataset_num_docs(groups->dataset), count = 0;
  while (dorm_dataset_group_name(groups->dataset, count))
    count++;
  groups->num_groups = count;
  groups->group_of = cli_alloc(num_docs, sizeof *groups->group_of);
  groups->gains = cli_alloc(num_docs, sizeof *groups->gains);
  groups->names = cli_alloc(count, sizeof *groups->names);
  groups->least = cli_alloc(4 * (count + 1), sizeof *groups->least);
  groups->claims = cli_alloc(count, sizeof *groups->claims);
  groups->most = groups->least + (count + 1);
  groups->doc_share = groups->most + (count + 1);
  groups->merit = groups->doc_share + (count + 1);
  for (size_t g = 0; g < count; g++)
    groups->names[g] = dorm_dataset_group_name(groups->dataset, g);
  for (size_t j = 0; j < num_docs; j++) {
    size_t group = dorm_dataset_group(groups->dataset, j);
    groups->group_of[j] = (uint32_t)(group < count ? group : count);
  }
}

/* Computes gains: 2^label - 1, or scores minus the smallest score of the query, which changes no ranking. */
static void find_gains(dorm_context *context, const cli_allocation *asked, cli_grouped *groups)
{
  const dorm_dataset *dataset = groups->dataset;
  double *gains = groups->gains;
  if (asked->model)
    cli_check(context, dorm_model_score(context, asked->model, dataset, asked->reading.num_threads, gains));
  for (size_t q = 0; q < dorm_dataset_num_queries(dataset); q++) {
    size_t begin = dorm_dataset_query_start(dataset, q), end = dorm_dataset_query_start(dataset, q + 1);
    double least = INFINITY;
    for (size_t j = begin; j < end; j++) {
      if (!asked->model)
        gains[j] = exp2(dorm_dataset_label(dataset, j)) - 1;
      least = fmin(least, gains[j]);
    }
    for (size_t j = begin; asked->model && j < end; j++)
      gains[j] -= least;
  }
}

/* ---- Requirements -------------------------------------------------------------------- */

/* Whether a name matches a pattern, which may end with a '*'. */
static bool is_named(const char *name, const char *pattern, size_t size)
{
  if (size && pattern[size - 1] == '*')
    return strncmp(name, pattern, size - 1) == 0;
  return strlen(name) == size && strncmp(name, pattern, size) == 0;
}

/* A parsed requirement. */
typedef struct requirement {
  cli_claim claim;
  bool is_least;
  const char *name; /* of share(NAME) */
  size_t name_size;
  double value;
} requirement;

/* Parses "share(NAME) >= X", "share(NAME) <= X", "parity >= X" or "merit >= X". Returns false for other texts. */
static bool parse_requirement(const char *text, requirement *made)
{
  const char *sign = text, *close = NULL;
  *made = (requirement){.name = ""};
  if (strncmp(text, "share(", 6) == 0) {
    made->name = text + 6;
    for (const char *at = strchr(made->name, ')'); at; at = strchr(at + 1, ')'))
      close = at; /* the last bracket, because names may contain brackets */
    if (!close)
      return false;
    made->name_size = (size_t)(close - made->name);
    sign = close + 1;
  } else if (strncmp(text, "parity", 6) == 0) {
    made->claim = CLI_CLAIM_OF_DOCS;
    sign += 6;
  } else if (strncmp(text, "merit", 5) == 0) {
    made->claim = CLI_CLAIM_OF_GAINS;
    sign += 5;
  } else {
    return false;
  }
  sign += strspn(sign, " ");
  made->is_least = strncmp(sign, ">=", 2) == 0;
  if (!made->is_least && (made->claim || strncmp(sign, "<=", 2) != 0))
    return false;
  return cli_parse_number(sign + 2 + strspn(sign + 2, " "), &made->value) && made->value >= 0 && made->value <= 1;
}

/* Applies a requirement to the groups that have documents. Returns false if no group has its name. */
static bool apply_requirement(const requirement *row, cli_grouped *groups)
{
  bool is_known = false;
  for (size_t g = 0; g < groups->num_groups; g++) {
    if (!row->claim && !is_named(groups->names[g], row->name, row->name_size))
      continue;
    is_known = true;
    double share = row->value * (row->claim == CLI_CLAIM_OF_DOCS    ? groups->doc_share[g]
                                 : row->claim == CLI_CLAIM_OF_GAINS ? groups->merit[g]
                                                                    : 1);
    if (!(groups->doc_share[g] > 0))
      continue;
    if (!row->is_least) {
      groups->most[g] = fmin(groups->most[g], share); /* fmin and fmax ignore NAN */
    } else if (!(groups->least[g] >= share)) {
      groups->least[g] = share;
      groups->claims[g] = row->claim;
    }
  }
  return is_known;
}

/* Finds the shares of groups in the documents begin .. end - 1 and in their gains. */
static void find_shares(cli_grouped *groups, size_t begin, size_t end)
{
  double sum = 0;
  for (size_t g = 0; g <= groups->num_groups; g++) {
    groups->least[g] = groups->most[g] = NAN;
    groups->doc_share[g] = groups->merit[g] = 0;
  }
  for (size_t j = begin; j < end; j++) {
    groups->doc_share[groups->group_of[j]] += 1 / (double)(end - begin);
    groups->merit[groups->group_of[j]] += groups->gains[j];
    sum += groups->gains[j];
  }
  for (size_t g = 0; g <= groups->num_groups; g++)
    groups->merit[g] /= sum > 0 ? sum : 1;
}

void cli_require(const cli_texts *texts, size_t begin, size_t end, cli_grouped *groups)
{
  find_shares(groups, begin, end);
  for (size_t i = 0; i < texts->count; i++) {
    requirement row;
    if (!parse_requirement(texts->items[i], &row))
      cli_end(cli_usage_error("allocate: --require '%s' is not share(NAME) >= X, share(NAME) <= X, parity >= X or "
                              "merit >= X, with X from 0 to 1",
                              texts->items[i]));
    if (!apply_requirement(&row, groups))
      cli_end(cli_usage_error("allocate: --require '%s': no group has this name", texts->items[i]));
  }
}

/* ---- Data --------------------------------------------------------------------------------- */

void cli_grouped_open(dorm_context *context, const cli_allocation *asked, const char *path, cli_grouped *groups)
{
  dorm_read_options reading = asked->reading;
  groups->dataset = cli_read_data(context, asked->model, path, &reading);
  dorm_settings *settings = cli_diversity_settings(context, &asked->diversity, NULL);
  cli_diversity_read(context, &asked->diversity, settings, groups->dataset);
  dorm_settings_free(settings);
  find_groups(groups);
  find_gains(context, asked, groups);
  cli_require(&asked->requirements, 0, dorm_dataset_num_docs(groups->dataset), groups);
}

void cli_grouped_close(cli_grouped *groups)
{
  free(groups->group_of);
  free(groups->names);
  free(groups->least);
  free(groups->claims);
  free(groups->gains);
  dorm_dataset_free(groups->dataset);
}
