/* train_output.c: the output of `dorm train`. Prints a description of the data, the value of the model, and a table of
 * the ten best candidates, which fits a terminal of 80 columns. Writes all candidates as tab-separated values
 * (output.candidates). */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE_WIDTH = 80, TEXT_SIZE = 48, MOST_ROWS = 10, LINE_SIZE = 256 };

/* ---- Kernels ------------------------------------------------------------------- */

/* Whether candidate i is the first of its kernel. The candidates of a kernel are adjacent and share its text. */
static bool starts_kernel(const dorm_training *training, size_t i)
{
  return !i || dorm_training_candidate(training, i)->kernel != dorm_training_candidate(training, i - 1)->kernel;
}

/* The number of a candidate's kernel, from 1, in the order of training. */
static size_t kernel_number(const dorm_training *training, const dorm_candidate *candidate)
{
  size_t number = 0;
  for (size_t i = 0; i < dorm_training_num_candidates(training); i++) {
    number += starts_kernel(training, i);
    if (dorm_training_candidate(training, i) == candidate)
      break;
  }
  return number;
}

static bool has_kernels(const dorm_training *training)
{
  return dorm_training_num_candidates(training) && strcmp(dorm_training_candidate(training, 0)->kernel, "linear") != 0;
}

static void print_kernels(const dorm_training *training)
{
  size_t count = dorm_training_num_candidates(training);
  size_t number = 0;
  if (!has_kernels(training))
    return;
  printf("\nkernels: the trace of the Gram matrix, and what the rank leaves out of it;\n"
         "the optimum for the exact kernel lies at most `below` under the dual value\n"
         "kernel  rank        trace     residual        below\n");
  for (size_t i = 0; i < count;) {
    const dorm_candidate *first = dorm_training_candidate(training, i);
    double below = 0;
    for (size_t start = i; i < count && (i == start || !starts_kernel(training, i)); i++)
      below = fmax(below, dorm_training_candidate(training, i)->kernel_bound);
    cli_print(stdout, "%6zu %5zu %12.6g %12.6g %12.6g\n        %s\n", ++number, first->kernel_rank, first->kernel_trace,
              first->kernel_residual, below, first->kernel);
  }
}

/* ---- Columns of the table --------------------------------------------------------- */

typedef void (*cell_function)(char text[TEXT_SIZE], const dorm_training *training, const dorm_candidate *candidate);

#define CELL_WHERE(name, is_filled, ...)                                                                               \
  static void name(char text[TEXT_SIZE], const dorm_training *training, const dorm_candidate *candidate)               \
  {                                                                                                                    \
    (void)training;                                                                                                    \
    *text = '\0';                                                                                                      \
    if (is_filled)                                                                                                     \
      snprintf(text, TEXT_SIZE, __VA_ARGS__);                                                                          \
  }
#define CELL(name, ...) CELL_WHERE(name, true, __VA_ARGS__)
/* A cell of a cutting-plane loop. It is empty for starts and for trainers without passes. */
#define CERTIFIED_CELL(name, ...) CELL_WHERE(name, candidate->certificate.iterations > 0, __VA_ARGS__)
CELL(put_number, "%zu", candidate->number)
CELL(put_reference, "%.*s", candidate->certificate.iterations ? 10 : 40,
     candidate->round ? candidate->reference : "start")
CERTIFIED_CELL(put_weights, "%.10s", candidate->position_weights)
CERTIFIED_CELL(put_truncation, "%zu", candidate->truncation)
CELL(put_block, "%g", candidate->rank_block)
/* For the start and for candidates that began there. */
CELL_WHERE(put_ridge, !candidate->round || candidate->certificate.iterations > 0, "%g", candidate->ridge)
CELL_WHERE(put_rho, !candidate->round || candidate->certificate.iterations > 0, "%g", candidate->rho)
CELL(put_kernel, "%zu", kernel_number(training, candidate))
CELL(put_rank, "%zu", candidate->kernel_rank)
CERTIFIED_CELL(put_C, "%g", candidate->C)
CELL_WHERE(put_round, candidate->round > 0, "%zu", candidate->round)
CERTIFIED_CELL(put_primal, "%.5g", candidate->certificate.primal)
/* Candidates of a non-convex cost have no gap. */
CELL_WHERE(put_gap, candidate->certificate.iterations > 0 && !isnan(candidate->certificate.gap), "%.1e",
           candidate->certificate.gap)
CERTIFIED_CELL(put_passes, "%zu", candidate->certificate.iterations)
CELL(put_value, "%.4f", candidate->validation)

typedef struct table_column {
  const char *title;
  cell_function put;
  bool is_constant_shown; /* shown even if all candidates agree */
  int loss;               /* columns with the smallest loss are left out first if the table is too wide (0: never) */
} table_column;

static const table_column columns[] = {
    {"nr", put_number, true, 0},        {"reference", put_reference, false, 0},
    {"weights", put_weights, false, 0}, {"trunc", put_truncation, false, 0},
    {"block", put_block, false, 0},     {"ridge", put_ridge, false, 0},
    {"rho", put_rho, false, 0},         {"kernel", put_kernel, false, 0},
    {"rank", put_rank, false, 0},       {"C", put_C, true, 0},
    {"round", put_round, true, 0},      {"primal", put_primal, true, 1},
    {"gap", put_gap, true, 3},          {"passes", put_passes, true, 2},
    {"value", put_value, true, 0},
};
enum { NUM_COLUMNS = sizeof columns / sizeof *columns, VALUE_COLUMN = NUM_COLUMNS - 1 };

static bool varies(const dorm_training *training, const table_column *column)
{
  char first[TEXT_SIZE] = "", text[TEXT_SIZE];
  for (size_t i = 0; i < dorm_training_num_candidates(training); i++) {
    column->put(text, training, dorm_training_candidate(training, i));
    if (*first && *text && strcmp(first, text) != 0)
      return true;
    if (!*first)
      memcpy(first, text, sizeof first);
  }
  return false;
}

static size_t max_size(size_t x, size_t y)
{
  return x > y ? x : y;
}

/* Sets widths[NUM_COLUMNS] for the rows [count]. Columns that are left out get 0. */
static void set_widths(const dorm_training *training, size_t count, const dorm_candidate *const *rows, size_t *widths)
{
  char text[TEXT_SIZE];
  size_t total = strlen(" *");
  for (size_t k = 0; k < NUM_COLUMNS; k++) {
    bool has_values = k != VALUE_COLUMN || (count && isfinite(rows[0]->validation));
    widths[k] = 0;
    if (!has_values || (!columns[k].is_constant_shown && !varies(training, &columns[k])))
      continue;
    for (size_t i = 0; i < count; i++) {
      columns[k].put(text, training, rows[i]);
      widths[k] = max_size(widths[k], strlen(text));
    }
    if (!widths[k]) /* the column is empty in all rows */
      continue;
    widths[k] = max_size(widths[k], strlen(columns[k].title));
    total += widths[k] + (k > 0 ? 2 : 1);
  }
  for (int loss = 1; total > TABLE_WIDTH && loss <= 3; loss++)
    for (size_t k = 0; k < NUM_COLUMNS; k++)
      if (columns[k].loss == loss && widths[k]) {
        total -= widths[k] + 2;
        widths[k] = 0;
      }
}

/* ---- Rows of the table -------------------------------------------------------------- */

/* Sorts by falling validation value, or without such values the model's candidates first, then in the order of
 * training. */
static int compare_rows(const void *x, const void *y)
{
  const dorm_candidate *one = *(const dorm_candidate *const *)x;
  const dorm_candidate *two = *(const dorm_candidate *const *)y;
  if (isfinite(one->validation) && isfinite(two->validation) && one->validation != two->validation)
    return one->validation < two->validation ? 1 : -1;
  if (isfinite(one->validation) != isfinite(two->validation))
    return isfinite(one->validation) ? -1 : 1;
  if (!isfinite(one->validation) && one->is_selected != two->is_selected)
    return one->is_selected ? -1 : 1;
  return (one->number > two->number) - (one->number < two->number);
}

static void print_row(const dorm_training *training, const dorm_candidate *candidate, const size_t *widths)
{
  char text[TEXT_SIZE];
  for (size_t k = 0; k < NUM_COLUMNS; k++) {
    if (!widths[k])
      continue;
    if (candidate)
      columns[k].put(text, training, candidate);
    else
      snprintf(text, sizeof text, "%s", columns[k].title);
    cli_print(stdout, "%*s%*s", k > 0 ? 2 : 1, "", (int)widths[k], text);
  }
  cli_print(stdout, "%s\n", candidate && candidate->is_selected ? " *" : "");
}

static void print_candidates(const dorm_training *training, const char *measure, const char *path)
{
  size_t count = dorm_training_num_candidates(training);
  size_t num_rows = count < MOST_ROWS ? count : MOST_ROWS;
  size_t widths[NUM_COLUMNS];
  const dorm_candidate **rows = malloc((count + 1) * sizeof *rows);
  if (!rows) {
    cli_out_of_memory();
    return;
  }
  for (size_t i = 0; i < count; i++)
    rows[i] = dorm_training_candidate(training, i);
  qsort(rows, count, sizeof *rows, compare_rows);
  bool has_values = count && isfinite(rows[0]->validation);
  set_widths(training, num_rows, rows, widths);
  size_t num_folds = dorm_training_num_folds(training);
  char of_all[32] = "", folds[64] = "on the validation data", value[LINE_SIZE] = "";
  if (num_rows < count)
    snprintf(of_all, sizeof of_all, " of %zu", count);
  if (num_folds)
    snprintf(folds, sizeof folds,
             num_folds > 1 ? "by cross-validation, %zu folds" : "on the held-out queries of one fold", num_folds);
  if (has_values)
    snprintf(value, sizeof value, ", the best first; value: %.*s %s", (int)strcspn(measure, ":("), measure, folds);
  cli_print_lines(stdout, 0, "%zu%s candidates%s", num_rows, of_all, value);
  print_row(training, NULL, widths);
  for (size_t i = 0; i < num_rows; i++)
    print_row(training, rows[i], widths);
  if (*path)
    cli_print(stdout, "all candidates, with all their numbers: %s\n", path);
  else if (num_rows < count)
    printf("(output.candidates = FILE writes all candidates, with all their numbers)\n");
  free(rows);
}

/* ---- The file ----------------------------------------------------------------------- */

/* Writes numbers. Those that do not exist are left empty. */
static void write_numbers(FILE *file, size_t count, const double *numbers)
{
  for (size_t i = 0; i < count; i++) {
    if (isfinite(numbers[i]))
      fprintf(file, "%.17g", numbers[i]);
    fputc('\t', file);
  }
}

static dorm_status write_candidates(dorm_context *context, const dorm_training *training, const char *path)
{
  FILE *file = NULL;
  dorm_status status = cli_open_output(context, path, &file);
  if (status != DORM_OK)
    return status;
  fprintf(file, "number\treference\tposition_weights\ttruncation\trank_block\tridge\tkernel\tkernel_rank\t"
                "kernel_trace\tkernel_residual\tkernel_bound\tC\tround\tprimal\tdual\tgap\treference_constant\tpasses\t"
                "columns\tsupport_vectors\tseconds\tvalidation\tvalidation_error\tscore_scale\trho\tselected\n");
  for (size_t i = 0; i < dorm_training_num_candidates(training); i++) {
    const dorm_candidate *c = dorm_training_candidate(training, i);
    const dorm_certificate *certificate = &c->certificate;
    fprintf(file, "%zu\t%s\t%s\t%zu\t%.17g\t%.17g\t%s\t%zu\t%.17g\t%.17g\t%.17g\t%.17g\t%zu\t", c->number,
            c->round ? c->reference : "start", c->position_weights, c->truncation, c->rank_block, c->ridge, c->kernel,
            c->kernel_rank, c->kernel_trace, c->kernel_residual, c->kernel_bound, c->C, c->round);
    write_numbers(
        file, 4, (double[]){certificate->primal, certificate->dual, certificate->gap, certificate->reference_constant});
    fprintf(file, "%zu\t%zu\t%zu\t%.6f\t", certificate->iterations, certificate->num_columns, certificate->num_support,
            certificate->seconds);
    write_numbers(file, 2, (double[]){c->validation, c->validation_error});
    fprintf(file, "%.17g\t%.17g\t%d\n", c->score_scale, c->rho, c->is_selected != 0);
  }
  return cli_close_output(file, path);
}

/* ---- The data ------------------------------------------------------------------------------ */

/* The distinct labels of a data set, at most MOST_LABELS, and the number of documents with each. */
enum { MOST_LABELS = 6 };
typedef struct label_counts {
  size_t count; /* MOST_LABELS + 1 if there are more */
  double labels[MOST_LABELS];
  size_t docs[MOST_LABELS];
  double largest;
} label_counts;

static label_counts count_labels(const dorm_dataset *dataset)
{
  label_counts found = {.largest = -INFINITY};
  for (size_t j = 0; j < dorm_dataset_num_docs(dataset); j++) {
    double label = dorm_dataset_label(dataset, j);
    size_t i = 0;
    while (i < found.count && i < MOST_LABELS && found.labels[i] < label)
      i++;
    found.largest = fmax(found.largest, label);
    if (found.count > MOST_LABELS)
      continue;
    bool is_new = i == found.count || found.labels[i] > label;
    if (is_new && ++found.count > MOST_LABELS)
      continue;
    for (size_t k = found.count - 1; is_new && k > i; k--) {
      found.labels[k] = found.labels[k - 1];
      found.docs[k] = found.docs[k - 1];
    }
    found.docs[i] = is_new ? 1 : found.docs[i] + 1;
    found.labels[i] = label;
  }
  return found;
}

static size_t count_without_relevant(const dorm_dataset *dataset)
{
  size_t count = 0;
  for (size_t q = 0; q < dorm_dataset_num_queries(dataset); q++) {
    bool has_relevant = false;
    for (size_t j = dorm_dataset_query_start(dataset, q); j < dorm_dataset_query_start(dataset, q + 1); j++)
      has_relevant = has_relevant || dorm_dataset_label(dataset, j) > 0;
    count += !has_relevant;
  }
  return count;
}

void cli_print_data(const char *path, const dorm_dataset *dataset)
{
  const char *slash = strrchr(path, '/');
  size_t num_queries = dorm_dataset_num_queries(dataset), num_docs = dorm_dataset_num_docs(dataset);
  size_t num_features = dorm_dataset_num_features(dataset), without = count_without_relevant(dataset);
  label_counts labels = count_labels(dataset);
  char text[LINE_SIZE] = "labels ";
  cli_print_named(stderr, slash ? slash + 1 : path, "%zu %s, %zu %s, %zu %s", num_queries,
                  cli_plural(num_queries, "query", "queries"), num_docs, cli_plural(num_docs, "document", "documents"),
                  num_features, cli_plural(num_features, "feature", "features"));
  size_t size = strlen(text);
  if (labels.count > MOST_LABELS)
    size += (size_t)snprintf(text + size, sizeof text - size, "up to %g", labels.largest);
  for (size_t i = 0; labels.count <= MOST_LABELS && i < labels.count; i++)
    size += (size_t)snprintf(text + size, sizeof text - size, "%s%g: %.0f %%", i ? "  " : "", labels.labels[i],
                             100 * (double)labels.docs[i] / (double)num_docs);
  if (without)
    snprintf(text + size, sizeof text - size, "; %zu %s without a relevant document", without,
             cli_plural(without, "query", "queries"));
  cli_print_named(stderr, "", "%s", text);
}

/* ---- The model ------------------------------------------------------------------------------ */

/* Prints the value of candidates without an estimate, measured on the validation data or in the folds. After an
 * interruption this may be one fold. */
static void print_measured(const dorm_training *training, const char *name)
{
  double best = -INFINITY, sum = 0;
  size_t count = 0;
  for (size_t i = 0; i < dorm_training_num_candidates(training); i++) {
    const dorm_candidate *candidate = dorm_training_candidate(training, i);
    if (!candidate->is_selected || !isfinite(candidate->validation))
      continue;
    best = fmax(best, candidate->validation);
    sum += candidate->validation;
    count++;
  }
  const char *how = dorm_training_num_folds(training) > 1 ? "cross-validated" : "held-out";
  if (isfinite(dorm_training_validation(training)))
    cli_print_named(stdout, name, "%.4f on the validation data", dorm_training_validation(training));
  else if (count == 1)
    cli_print_named(stdout, name, "%s %.4f, of a candidate that was chosen for it", how, best);
  else if (count)
    cli_print_named(stdout, name, "%s, of the candidates: mean %.4f, best %.4f", how, sum / (double)count, best);
  else
    cli_print_named(stdout, name, "not known: there are no validation data and no folds");
}

static void print_value(const dorm_training *training, const char *measure)
{
  static const struct {
    dorm_baseline which;
    const char *title;
  } baselines[] = {
      {DORM_BASELINE_CHANCE, "chance"}, {DORM_BASELINE_FEATURE, "best feature"}, {DORM_BASELINE_LINEAR, "linear"}};
  char name[LINE_SIZE], text[LINE_SIZE];
  size_t size = 0;
  double error, estimate = dorm_training_estimate(training, &error);
  snprintf(name, sizeof name, "%.*s", cli_short_measure(measure), measure);
  if (!isfinite(estimate)) {
    print_measured(training, name);
    return;
  }
  for (size_t i = 0; i < sizeof baselines / sizeof *baselines; i++) {
    double value = dorm_training_baseline(training, baselines[i].which, NULL);
    if (isfinite(value))
      size += (size_t)snprintf(text + size, sizeof text - size, "%s %.3f   ", baselines[i].title, value);
  }
  snprintf(text + size, sizeof text - size, "this model %.4f", estimate);
  cli_print_named(stdout, name, "%s", text);
  cli_print_named(stdout, "", "new queries %.3f to %.3f (95 %%, %zu folds, corrected for choosing)",
                  estimate - 1.96 * error, estimate + 1.96 * error, dorm_training_num_folds(training));
}

/* Whether the linear part has a weight other than 0. Models of trees alone do not. */
static bool has_weights(const dorm_model *model)
{
  size_t id;
  double value = 0, rank = 0;
  for (size_t i = 0; dorm_model_weight(model, i, &id, &value, &rank); i++)
    if (fabs(value) > 0 || fabs(rank) > 0)
      return true;
  return false;
}

/* "linear + trees" */
static void name_parts(const dorm_model *model, char text[LINE_SIZE])
{
  const char *kinds[] = {"linear", "kernel", "trees", "net", "positions"}, *kind = NULL;
  size_t size = 0;
  *text = '\0';
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    bool has = false;
    for (size_t i = 0; dorm_model_part(model, i, &kind, NULL); i++)
      has = has || (strcmp(kind, kinds[k]) == 0 && (k > 0 || has_weights(model)));
    if (has)
      size += (size_t)snprintf(text + size, LINE_SIZE - size, "%s%s", size ? " + " : "", kinds[k]);
  }
}

/* Whether only the features prevent an export. A model of the features of --for-serving could be exported. */
static bool could_serve(const dorm_model *model)
{
  const char *kind = NULL;
  for (size_t i = 0; dorm_model_part(model, i, &kind, NULL); i++)
    if (strcmp(kind, "positions") == 0)
      return false;
  return dorm_model_needs_query(model);
}

static void print_model(dorm_context *context, const dorm_training *training, const char *path)
{
  const dorm_model *model = dorm_training_model(training);
  bool is_exported = dorm_model_check_export(context, model) == DORM_OK;
  bool needs_other_features = !is_exported && could_serve(model);
  char parts[LINE_SIZE];
  name_parts(model, parts);
  double serving = dorm_training_baseline(training, DORM_BASELINE_SERVING, NULL);
  if (needs_other_features && isfinite(serving))
    cli_print_named(stdout, path, "%s; compares documents (--for-serving: trees alone, about %.3f)", parts, serving);
  else
    cli_print_named(stdout, path, "%s%s", parts,
                    needs_other_features ? "; compares documents (--for-serving would not)" : "");
  cli_print_named(stdout, "next", "dorm eval %s TEST", path);
  if (is_exported)
    cli_print_named(stdout, "", "dorm export --to elasticsearch %s", path);
  if (!is_exported && !needs_other_features)
    cli_print_named(stdout, "", "dorm export does not take it: %s", dorm_context_message(context));
}

/* Prints how many queries and candidates made the model, and what is proved about the candidates. */
static void print_making(const dorm_training *training)
{
  size_t num_selected = 0, count = dorm_training_num_candidates(training);
  bool is_certified = false; /* some candidate has a gap */
  double worst_gap = 0;
  for (size_t i = 0; i < count; i++) {
    const dorm_candidate *candidate = dorm_training_candidate(training, i);
    num_selected += candidate->is_selected != 0;
    is_certified = is_certified || (candidate->certificate.iterations > 0 && !isnan(candidate->certificate.gap));
    worst_gap = candidate->certificate.gap > worst_gap ? candidate->certificate.gap : worst_gap;
  }
  char gap[32] = "";
  if (is_certified)
    snprintf(gap, sizeof gap, "; largest gap %.2e", worst_gap);
  cli_print_named(stdout, "trained on", "%zu queries; mean of %zu of %zu candidates%s",
                  dorm_training_num_training_queries(training), num_selected, count, gap);
}

dorm_status cli_print_training(dorm_context *context, const dorm_settings *settings, const dorm_training *training,
                               cli_loudness loudness)
{
  const char *path = dorm_settings_get(settings, "output.candidates");
  const char *measure = dorm_model_setting(dorm_training_model(training), "selection.measure");
  dorm_status status = *path ? write_candidates(context, training, path) : DORM_OK;
  if (strcmp(path, "-") == 0) /* the output with the candidates receives nothing else */
    return status;
  if (loudness == CLI_VERBOSE) {
    print_candidates(training, measure, path);
    print_kernels(training);
    printf("\n");
  }
  print_making(training);
  print_value(training, measure);
  print_model(context, training, dorm_settings_get(settings, "output.model"));
  return status;
}
