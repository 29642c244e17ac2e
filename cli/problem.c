/* problem.c: `dorm problem`: writes the oracle's problem of one query for a bug report, and solves such a file. */
#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_QUERY = 1500, OPTION_SCALE, OPTION_MODULE };

typedef struct problem_command {
  const char *query;  /* NULL: the one to look at */
  const char *output; /* "-": standard output */
  double scale;       /* of the scores */
  size_t num_assignments;
  const char *assignments[CLI_MOST_ASSIGNMENTS];
  size_t num_modules;
  const char *modules[CLI_MOST_MODULES];
} problem_command;

static int print_help(void)
{
  printf("usage: dorm problem MODEL DATA [--query ID] [-o FILE] [-s KEY=VALUE]... [--scale FACTOR]\n"
         "                    [--module FILE]...\n"
         "       dorm problem FILE\n\n"
         "For a report of a wrong ranking or a slow oracle. The first form writes what the oracle is asked\n"
         "for one query at the scores of a model, as JSON: the tables of the loss, position weights,\n"
         "scores, labels, groups, and what it answered. The file has no features, no ids and no paths.\n"
         "The loss, ranking.*, solver.oracle and diversity.* are the model's, the first value of lists.\n"
         "The second form solves such a file by every method that is exact for it, of up to 8 documents\n"
         "by trying all rankings too, and prints the value of each ranking, by how much it is below the\n"
         "best, and microseconds of one call. The exit code is 5 where methods do not agree.\n\n"
         "      --query ID       the query (the first whose methods do not agree, else the slowest one)\n"
         "  -o, --output FILE    where the problem is written, - is standard output (-)\n"
         "  -s, --set KEY=VALUE  another setting, as in ranking.reference=mu:1\n"
         "      --scale FACTOR   multiplies the scores: a model divides those of training by the column\n"
         "                       score_scale of the candidates (1)\n"
         "      --module FILE    a kernel module that the model needs\n");
  return DORM_OK;
}

static int take_option(problem_command *command, int option, const char *text)
{
  char *end;
  switch (option) {
  case OPTION_QUERY:
    command->query = text;
    break;
  case 'o':
    command->output = text;
    break;
  case OPTION_SCALE:
    errno = 0;
    command->scale = strtod(text, &end);
    if (end == text || *end || errno || !(command->scale > 0 && isfinite(command->scale)))
      return cli_usage_error("problem: --scale %s is not a number above 0", text);
    break;
  case OPTION_MODULE:
    if (command->num_modules == CLI_MOST_MODULES)
      return cli_usage_error("problem: more than %d modules", CLI_MOST_MODULES);
    command->modules[command->num_modules++] = text;
    break;
  default:
    if (command->num_assignments == CLI_MOST_ASSIGNMENTS)
      return cli_usage_error("problem: --set is given more than %d times", CLI_MOST_ASSIGNMENTS);
    command->assignments[command->num_assignments++] = text;
  }
  return DORM_OK;
}

/* ---- Writing ---------------------------------------------------------------------------- */

static int find_query(const dorm_dataset *dataset, const char *id, size_t *query)
{
  size_t count = dorm_dataset_num_queries(dataset);
  *query = DORM_WORST_QUERY;
  for (size_t q = 0; id && *query == DORM_WORST_QUERY && q < count; q++)
    if (strcmp(dorm_dataset_query_id(dataset, q), id) == 0)
      *query = q;
  if (id && *query == DORM_WORST_QUERY)
    return cli_usage_error("problem: the data have no query '%s'", id);
  return DORM_OK;
}

/* Makes the problem and writes it. */
static dorm_status write_problem(dorm_context *context, const problem_command *command, const dorm_settings *settings,
                                 const dorm_dataset *dataset, size_t query, const double *scores)
{
  dorm_problem *problem = NULL;
  dorm_status status = dorm_problem_of(context, settings, dataset, query, scores, &problem);
  if (status == DORM_OK)
    status = dorm_problem_write(context, problem, command->output);
  if (status != DORM_OK)
    cli_failure(context, status);
  else
    fprintf(stderr, "query %s, %zu documents\n", dorm_dataset_query_id(dataset, dorm_problem_about(problem)->query),
            dorm_problem_about(problem)->num_docs);
  dorm_problem_free(problem);
  return status;
}

/* Scores the data, and hands on the query that was named. */
static dorm_status score(dorm_context *context, const problem_command *command, const dorm_settings *settings,
                         const dorm_model *model, const dorm_dataset *dataset)
{
  size_t query, num_docs = dorm_dataset_num_docs(dataset);
  dorm_status status = (dorm_status)find_query(dataset, command->query, &query);
  if (status != DORM_OK)
    return status;
  double *scores = malloc((num_docs + 1) * sizeof *scores);
  if (!scores)
    return (dorm_status)cli_out_of_memory();
  status = dorm_model_score(context, model, dataset, 0, scores);
  if (status != DORM_OK)
    cli_failure(context, status);
  for (size_t j = 0; status == DORM_OK && j < num_docs; j++)
    scores[j] *= command->scale;
  if (status == DORM_OK)
    status = write_problem(context, command, settings, dataset, query, scores);
  free(scores);
  return status;
}

static dorm_status run_write(dorm_context *context, const problem_command *command, const char *model_path,
                             const char *data)
{
  dorm_model *model = NULL;
  dorm_settings *settings = NULL;
  dorm_dataset *dataset = NULL;
  dorm_read_options options = {.struct_size = sizeof options};
  dorm_status status = cli_read_model(context, model_path, command->num_modules, command->modules, &model);
  if (status == DORM_OK)
    status = dorm_model_settings(context, model, &settings);
  if (status != DORM_OK)
    cli_failure(context, status);
  for (size_t i = 0; status == DORM_OK && i < command->num_assignments; i++)
    status = cli_set_setting(context, settings, command->assignments[i]);
  if (status == DORM_OK) {
    options.ignore_weights = strcmp(dorm_settings_get(settings, "data.weights"), "no") == 0;
    status = dorm_dataset_read_with(context, data, &options, &dataset);
    if (status == DORM_OK)
      status = dorm_dataset_read_groups(context, dataset, settings);
    if (status != DORM_OK)
      cli_failure(context, status);
  }
  if (status == DORM_OK)
    status = score(context, command, settings, model, dataset);
  dorm_dataset_free(dataset);
  dorm_settings_free(settings);
  dorm_model_free(model);
  return status;
}

/* ---- Solving ---------------------------------------------------------------------------- */

/* Prints a solution in one line; the first of a call after its head. */
static void print_solution(const dorm_solution *row, const dorm_solution *before)
{
  char method[100];
  bool says_how = strcmp(row->method, row->found_by) != 0;
  if (!before || before->t != row->t)
    printf("\n%s, t = %g\n  %-28s %24s %14s %13s\n", row->call, row->t, "method", "value", "below best",
           "microseconds");
  snprintf(method, sizeof method, "%s%s%.40s%s", row->method, says_how ? " (" : "", says_how ? row->found_by : "",
           says_how ? ")" : "");
  printf("  %-28s %24.17g %14.6g ", method, row->value, row->shortfall);
  if (isnan(row->microseconds))
    printf("%13s", "");
  else
    printf("%13.3f", row->microseconds);
  printf("%s\n", row->agrees ? "" : "  <-- does not agree");
}

/* Prints all solutions; DORM_NUMERICAL_FAILURE where some do not agree. */
static dorm_status print_solutions(const char *path, const dorm_problem *problem)
{
  const dorm_problem_info *about = dorm_problem_about(problem);
  const dorm_solution *row, *before = NULL, *wrong = NULL;
  printf("%zu documents, %zu groups, written by dorm %s\n"
         "loss %s, position weights %s, reference %s, oracle %s\n",
         about->num_docs, about->num_groups, about->version, about->loss, about->position_weights, about->reference,
         about->oracle);
  for (size_t i = 0; (row = dorm_problem_solution(problem, i)) != NULL; before = row, i++) {
    print_solution(row, before);
    wrong = wrong || row->agrees ? wrong : row;
  }
  if (!wrong) {
    printf("\nall methods agree\n");
    return DORM_OK;
  }
  fflush(stdout);
  fprintf(stderr, "dorm: %s: %s: the ranking of %s does not agree with the others: it is %.6g below the best\n", path,
          wrong->call, wrong->method, wrong->shortfall);
  return DORM_NUMERICAL_FAILURE;
}

static dorm_status run_solve(dorm_context *context, const char *path)
{
  dorm_problem *problem = NULL;
  dorm_status status = dorm_problem_read(context, path, &problem);
  if (status == DORM_OK)
    status = dorm_problem_solve(context, problem);
  if (status != DORM_OK)
    cli_failure(context, status);
  else
    status = print_solutions(path, problem);
  dorm_problem_free(problem);
  return status;
}

int command_problem(dorm_context *context, int argc, char **argv)
{
  static const struct option names[] = {{"query", required_argument, NULL, OPTION_QUERY},
                                        {"output", required_argument, NULL, 'o'},
                                        {"set", required_argument, NULL, 's'},
                                        {"scale", required_argument, NULL, OPTION_SCALE},
                                        {"module", required_argument, NULL, OPTION_MODULE},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};
  problem_command command = {.output = "-", .scale = 1};
  bool has_options = false;
  int option;
  while ((option = getopt_long(argc, argv, "o:s:h", names, NULL)) != -1) {
    if (option == 'h')
      return print_help();
    if (option == '?')
      return DORM_BAD_USAGE;
    int status = take_option(&command, option, optarg);
    if (status != DORM_OK)
      return status;
    has_options = true;
  }
  if (optind + 1 == argc && has_options)
    return cli_usage_error("problem: options are for MODEL and DATA; a problem in a file has all that it needs");
  if (optind + 1 == argc)
    return (int)run_solve(context, argv[optind]);
  if (optind + 2 != argc)
    return cli_usage_error("problem: needs MODEL and DATA, or a FILE, not %d arguments", argc - optind);
  return (int)run_write(context, &command, argv[optind], argv[optind + 1]);
}
